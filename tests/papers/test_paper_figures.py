"""Every figure and table of the papers as data: complete, finite where required, and as
described.
"""

from __future__ import annotations

import threading

import numpy as np
import pytest
from covering import covering, first

import engine
from engine import papers
from engine.papers.buss_figures import to_array
from engine.papers.claim import Bench
from engine.papers.figure import Figure, LabSetting
from engine.papers.shared_measures import MOST_POINTS, average_blocks, downsample, measure_errors
from engine.studies.core.charts import Curve

KEYS = [figure.key for figure in papers.figures()]


@pytest.fixture(scope="module")
def drawn():
    """Each figure, computed once."""
    made = {}

    def draw(key):
        if key not in made:
            reports = []
            made[key] = (
                papers.find_figure(key).curves(lambda done, of: reports.append((done, of))),
                reports,
            )
        return made[key]

    return draw


def test_every_figure_of_the_papers_is_there():
    wanted = {f"krysl-endres-figure-{n}" for n in range(1, 14)} | {
        f"buss-figure-{n}" for n in range(3, 8)
    }
    wanted |= {"lee-figure-2", "lee-figure-3"}
    assert wanted <= set(KEYS)
    assert {key for figure in papers.figures() for key in figure.claims} == {
        claim.key for claim in papers.all()
    }


def test_the_lab_is_opened_with_the_step_of_a_figure():
    """A thousandth of the steps shows which step the runs have."""
    found = set()

    class Short(Bench):
        def simulate(self, problem, method, **setting):
            found.add(setting["dt"])
            less = {"steps": setting["steps"] // setting["every"], "every": 1}
            return super().simulate(problem, method, **setting | less)

    figure = papers.find_figure("mujoco-single-precision")
    assert len(list(figure.by(Short()))) == figure.count
    assert found == {figure.setting.dt}


@pytest.mark.parametrize("key", KEYS)
def test_a_figure_tells_what_it_is(key):
    figure = papers.find_figure(key.upper())
    assert figure.key == key
    assert figure.title and figure.plotted.endswith(".") and figure.see.endswith(".") and figure.how
    assert figure.source in figure.reference and figure.where
    for axes in figure.axes:
        assert axes.x.label and axes.y.label
    assert len({axes.name for axes in figure.axes}) == len(figure.axes)


@pytest.mark.parametrize("key", first(KEYS, 4))
def test_a_figure_s_setting_can_be_run(key):
    setting = papers.find_figure(key).setting
    problem = engine.problem(setting.problem, **setting.parameters)
    assert problem.label == setting.problem
    for name in setting.methods:
        assert engine.algorithm(name, space=problem.space).given_name == name
        engine.simulate(problem, name, dt=setting.dt, steps=1)
    assert 1 <= setting.duration / setting.dt <= 2_000_000


@pytest.mark.parametrize("key", covering(KEYS, by=lambda key: (key.partition("-")[0],)))
def test_a_figure_is_whole(key, drawn):
    found, report = drawn(key)
    figure = found.figure
    assert found.finished and found.seconds > 0
    assert len(found.curves) + len(found.cells) == figure.count
    assert [done for done, _ in report if isinstance(done, int)] == list(range(1, figure.count + 1))
    assert report == sorted(report)
    for plot, axes in enumerate(figure.axes):
        curves = found.of(plot)
        assert curves and len({curve.name for curve in curves}) == len(curves)
        for curve in curves:
            assert (
                curve.x.shape == curve.y.shape
                and curve.x.ndim == 1
                and 0 < len(curve.x) <= MOST_POINTS + 2
            )
            assert np.isfinite(curve.x).all() and np.isfinite(curve.y).any()
            for axis, values in ((axes.x, curve.x), (axes.y, curve.y)):
                assert not axis.log or (values[np.isfinite(values)] > 0).all()
                assert not axis.ticks or set(values) <= set(range(len(axis.ticks)))
    assert sum(len(found.of(plot)) for plot in range(len(figure.axes))) == len(found.curves)
    frame = found.to_frame()
    assert list(frame.columns) == ["plot", "curve", "x", "y", "paper"]
    assert len(frame) == sum(len(curve.x) for curve in found.curves)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "number, cells, holding", [(3, 14, 13), (4, 55, 53), (5, 28, 28), (6, 72, 72), (7, 24, 21)]
)
def test_the_cells_of_buss_s_tables(number, cells, holding, drawn):
    """The claim's figures give the verdict, each failure has a reason, and the marks lie on the
    curves.
    """
    found, _ = drawn(f"buss-figure-{number}")
    assert [len(found.cells), sum(cell.holds for cell in found.cells)] == [cells, holding]
    assert all(bool(cell.why) != cell.holds for cell in found.cells)
    assert len({(cell.row, cell.column) for cell in found.cells}) == cells
    table = found.to_table()
    assert (
        list(table.columns) == ["row", "column", "paper", "measured", "holds", "why"]
        and len(table) == cells
    )
    by_name = {curve.name: curve for curve in found.curves}
    for name, curve in by_name.items():
        if curve.paper and f"{name.removesuffix(', paper')}" in by_name and number != 3:
            ours = by_name[name.removesuffix(", paper")].y
            both = np.isfinite(curve.y) & np.isfinite(ours)
            assert both.any() and np.allclose(curve.y[both], ours[both], rtol=0.011)


def curves(drawn, key, plot=0):
    return {curve.name: curve for curve in drawn(key)[0].of(plot)}


@pytest.mark.exhaustive
def test_what_is_to_be_seen(drawn):
    """The statements of the captions that numbers can check."""
    energy = curves(drawn, "krysl-endres-figure-1")
    swings = [float(np.ptp(energy[f"Δt = {dt:g}"].y)) for dt in (4, 2, 1, 0.5)]
    assert swings == sorted(swings, reverse=True) and swings[-1] > 1e-4
    assert curves(drawn, "krysl-endres-figure-2")["Δt = 4"].y.min() > 180
    attitude = curves(drawn, "krysl-endres-figure-4")
    assert 70 < attitude["AKW"].y[-1] / attitude["NMB"].y[-1] < 90
    assert attitude["LS"].x.max() <= 1.0 < attitude["NMB"].x.max()
    momentum = curves(drawn, "krysl-endres-figure-5")
    assert slope(momentum["DMV4"]) > 3.8 and 1.9 < slope(momentum["NMB"]) < 2.1
    book = [curves(drawn, "krysl-endres-figure-7", plot) for plot in (0, 1)]
    kept = [float(np.ptp(one["π₁, Δt = 0.05"].y[one["π₁, Δt = 0.05"].x > 2.2])) for one in book]
    assert kept[0] > 0.5 > 1e-10 > kept[1]
    magnet = {name: float(np.ptp(curve.y)) for name, curve in curves(drawn, "notes-magnet").items()}
    assert max(magnet[name] for name in ("VLV", "DMV", "MR2")) < 0.002 < magnet["ELN"] / 10
    blown = curves(drawn, "krysl-endres-figure-12", 1)
    assert blown["HSTAGM"].y.max() > 2 * blown["NMB"].y.max()
    paths = [curves(drawn, "lee-figure-2", plot) for plot in range(4)]
    for path in paths:  # the centre of mass rests, and body 2 has twice the mass
        assert np.allclose(path["body 1"].x, -2 * path["body 2"].x) and np.allclose(
            path["body 1"].y, -2 * path["body 2"].y
        )
    errors, rotations = (curves(drawn, "lee-figure-3", plot) for plot in (1, 2))
    assert all(
        (errors["LGVI"].y[:5] < errors[name].y[:5] / 5).all() for name in ("LGM", "RK2", "SRK")
    )
    assert {name for name, curve in rotations.items() if curve.y.max() > 1e-10} == {"RK2"}
    long = curves(drawn, "buss-long-run")
    assert abs(long["MR2(axes=123), least"].y[-1] - 75.1238) < 1e-3


def slope(curve):
    """At the smallest steps."""
    return np.log(curve.y[-1] / curve.y[-3]) / np.log(curve.x[-1] / curve.x[-3])


def test_thinning_keeps_extremes_and_ends():
    x = np.arange(100_000.0)
    y = np.sin(x / 50)
    y[54_321] = 5.0
    y[77_777] = -7.0
    curve = downsample("a", x, y)
    assert len(curve.x) <= MOST_POINTS + 2 and (np.diff(curve.x) > 0).all()
    assert (curve.y.max(), curve.y.min()) == (5.0, -7.0)
    assert (curve.x[0], curve.x[-1]) == (0.0, 99_999.0)
    assert np.array_equal(np.interp(curve.x, x, y), curve.y)
    short = downsample("a", x[:10], y[:10], 2)
    assert np.array_equal(short.y, y[:10]) and short.plot == 2
    blocks = average_blocks("a", x, x, 100)
    assert len(blocks.x) == 100 and np.array_equal(blocks.x, blocks.y) and blocks.y[0] == 499.5


def test_an_error_of_a_run_that_does_not_get_there_is_none():
    bench = Bench()
    end = bench.find_exact_end("free", 10.0)
    assert np.isnan(measure_errors(bench, "free", "DMV", 2.0, 10.0, end)).all()
    assert np.isfinite(measure_errors(bench, "free", "NMB", 3.0, 10.0, end)).all()


def test_cancelling_a_figure():
    cancel = threading.Event()
    figure = papers.find_figure("krysl-endres-figure-1")
    found = figure.curves(lambda done, of: cancel.set() if done == 2 else None, cancel)
    assert not found.finished and [curve.name for curve in found.curves] == ["Δt = 4", "Δt = 2"]
    none = papers.find_figure("buss-figure-7").curves(cancel=cancel)
    assert not none.finished and not none.curves and none.to_frame().empty and none.to_table().empty


def test_a_figure_of_curves_and_nothing_to_compute():
    def nothing(bench):
        """Given."""
        yield Curve("a", np.array([0.0, 1.0]), np.array([1.0, 2.0]), paper=True)

    axes = papers.Axes(papers.Axis("x"), papers.Axis("y"), "one")
    reference = "@misc{Someone2000, year = {2000}}"
    figure = Figure(
        "a",
        reference,
        "b",
        "c",
        "d",
        "e",
        (axes,),
        LabSetting("free", ("NMB",), 1.0, 1.0),
        (),
        1,
        by=nothing,
    )
    assert figure.source == "Someone2000" and figure.how == "Given." and "figure a" in repr(figure)
    frame = figure.curves().to_frame()
    assert frame.values.tolist() == [["one", "a", 0.0, 1.0, True], ["one", "a", 1.0, 2.0, True]]


def test_an_unknown_figure():
    with pytest.raises(ValueError, match="krysl-endres-figure-4"):
        papers.find_figure("krysl-endres-figure-44")


def test_what_a_paper_leaves_out_or_overflows_is_missing():
    np.testing.assert_array_equal(to_array([1, None, np.inf, 2.5]), [1.0, np.nan, np.nan, 2.5])
