"""Maps: every point is a run, coarse points come first, and edges lie where something changes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from covering import first

import engine
from app.charts import holoviews
from app.state.pages import study_forms as page
from app.views.plots.study_chart import draw_svg
from engine import studies
from engine.studies import map as maps
from engine.studies.core.charts import bounds
from engine.studies.core.errors_at_end import energy_error
from engine.studies.sweeps.runner import cut_lattice, list_lattices
from engine.studies.sweeps.variables import find_variables
from engine.text.formatting import show

ASKED = {"across": "dt=log:0.01:1:17", "up": "Omega0.z=1:50:20", "duration": 3.0}


@pytest.fixture(scope="module")
def reports():
    return []


@pytest.fixture(scope="module")
def found(reports):
    def progress(done, total, columns):
        reports.extend(pd.DataFrame(columns).to_dict("records"))

    return studies.parameter_map("slow-top", ["DMV", "NMB"], **ASKED, level=1e-3, progress=progress)


def rows_of(found):
    return found.to_frame().to_dict("records")


def test_each_point_is_a_run(found):
    assert len(rows_of(found)) == 2 * 17 * 20 and found.finished
    for row in rows_of(found)[::37]:
        request = found.point(row["method"], row["x"], row["y"])
        assert request.dt == row["x"] and request.problem.Omega0[2] == row["y"]
        run = engine.simulate(request.problem, request.method, dt=request.dt, steps=request.steps)
        assert run.status == row["status"]
        if run.status == "done":
            assert energy_error(run) == pytest.approx(row["value"], rel=1e-9)
    data = found.data
    assert data.sizes == {"algorithm": 2, "dt": 17, "Omega0.z": 20} and data.attrs["finished"] == 1


def test_coarse_points_come_first(reports, found):
    first = reports[: 2 * 5 * 5]
    places = {(row["x"], row["y"]) for row in first}
    across = sorted({row["x"] for row in rows_of(found)})
    assert len(places) < len(first) and {x for x, _ in places} <= set(across[::4])


@pytest.mark.parametrize("shape", [(13,), (17, 9), (60, 60), (1, 5), (2, 3, 4)])
def test_the_lattices_are_every_point_once(shape):
    seen = np.zeros(shape, int)
    for lattice in list_lattices(shape):
        for part in cut_lattice(lattice, shape, 10, [False] * len(shape)):
            seen[part] += 1
    assert (seen == 1).all()


def test_the_edge_lies_where_runs_begin_to_fail(found):
    """DMV has solutions up to a step that decreases with the spin; beyond it the image is empty."""
    image = found.chart.images[0]
    failed = np.array([row["status"] != "done" for row in rows_of(found) if row["method"] == "DMV"])
    assert np.isnan(image.values).sum() == failed.sum() > 0
    ends_x = bounds(image.x, True)
    ends_y = bounds(image.y, False)
    assert len(ends_x) == 18 and np.allclose(ends_x[1:-1] ** 2, image.x[1:] * image.x[:-1])
    top = image.values[-1]
    edge = ends_x[np.flatnonzero(np.isnan(top[1:]) & ~np.isnan(top[:-1]))[0] + 1]
    upright = image.edges[
        (image.edges[:, 0] == image.edges[:, 2]) & (image.edges[:, 3] == ends_y[-1])
    ]
    assert edge in upright[:, 0]


def test_both_methods_have_the_same_colours(found):
    one, two = found.chart.images
    assert one.ends == two.ends and one.colours.log
    values = [row["value"] for row in rows_of(found) if row["status"] == "done"]
    assert one.ends[0] == min(values) and one.ends[1] <= max(values)


def test_what_was_not_looked_at_yet_looks_as_what_lies_nearest(reports, found):
    early = page.latest_rows(studies.find("map"), reports[:60])
    image = studies.Map.draw_chart(early).images[0]
    assert image.values.shape == (len(image.y), len(image.x)) and np.isfinite(image.values).any()
    final = {(row["x"], row["y"]): row["value"] for row in reports if row["method"] == image.name}
    assert all(value in final.values() for value in image.values[np.isfinite(image.values)])


def test_it_is_drawn_for_paper_and_notebooks(found):
    chart = found.chart
    text = draw_svg(chart, 0, "Map of a slow top")
    assert (
        text.count("data:image/png;base64,") == 2 and "Map of a slow top" in text and "Δt" in text
    )
    assert text.count("M", text.index('stroke-width="1.6"') - 4000) > 3
    layout = holoviews.build_layout(chart, {})
    assert len(layout) == 2


def test_a_point_is_opened_in_the_lab(found):
    row = next(row for row in rows_of(found) if row["status"] == "done" and row["method"] == "NMB")
    spot = page.find_spot(found, "NMB", row["x"] * 1.01, row["y"] * 1.01)
    assert (
        spot is not None and spot.choice is not None and "Explicit Newmark at dt = " in spot.words
    )
    assert spot.choice.dt == row["x"] and spot.choice.build_problem().Omega0[2] == row["y"]
    assert spot.choice.methods == ("NMB",) and spot.choice.problem == "slow-top"
    failed = next(row for row in rows_of(found) if row["status"] == "no-solution")
    assert "no solution" in page.find_spot(found, "DMV", failed["x"], failed["y"]).words
    method, x, y = found.find_extreme(largest=True)
    values = [r["value"] for r in rows_of(found) if r["status"] == "done"]
    assert (method, x, y) in [
        (r["method"], r["x"], r["y"]) for r in rows_of(found) if r["value"] == max(values)
    ]


def test_other_parameters_are_opened_too():
    found = studies.parameter_map(
        "lagrange-top", "MR2", "gravity=5:10:3", "J.x=0.8:1:3", duration=0.5
    )
    spot = page.find_spot(found, "MR2", 7.5, 0.9)
    built = spot.choice.build_problem()
    assert built.values["gravity"] == 7.5 and built.J[0, 0] == 0.9
    run = engine.simulate(built, "MR2", dt=spot.choice.dt, duration=spot.choice.duration)
    row = next(row for row in rows_of(found) if (row["x"], row["y"]) == (7.5, 0.9))
    assert energy_error(run) == pytest.approx(row["value"], rel=1e-6)


SMALL = ("dt=0.02:0.04:2", "Omega0.z=1:2:2")
VALUES = [
    (engine.problem("free", Omega0=(0, 0, 0)), "energy", " Energy error: 0 at each point.", "Omega0.z=0, 0"),
    (engine.Problem(J=(2, 2, 2), Omega0=(0.3, 0.5, 0.9)), "flips", " Flips: no point has a value.", SMALL[1]),
    (engine.Problem(J=(1, 2, 3), Omega0=(0, 0, 1)), "flips", " Flips: 0 at each point.", SMALL[1]),
    (engine.Problem(J=(1, 2, 3), Omega0=(1, 0, 0)), "period", " Period: no point has a value.", SMALL[1]),
    ("slow-top", "energy", " Energy error: median ", SMALL[1]),
]  # fmt: skip


@pytest.mark.parametrize(("problem", "measure", "said", "up"), VALUES)
def test_points_without_a_value_ran_to_the_end_too(problem, measure, said, up):
    found = studies.parameter_map(problem, "NMB", SMALL[0], up, measure=measure, duration=0.4)
    assert found.conclusion.startswith("Explicit Newmark: 4 of 4 points ran to the end. ")
    assert said in found.conclusion
    x, y = (float(axis.values[0]) for axis in found.sweep.grid.axes)
    words = page.find_spot(found, "NMB", x, y).words
    value = found.values[0, 0, 0]
    assert words.endswith(
        f": {measure} {show(value, 4)}." if np.isfinite(value) else f": no {measure}."
    )


def test_some_points_have_a_period():
    body = engine.Problem(J=(1, 2, 3), Omega0=(0.1, 2, 0.1))
    given = "dt=0.02:0.04:2", "Omega0.y=0.1:2:2"
    found = studies.parameter_map(body, "MR2", *given, measure="period", duration=20)
    assert np.isnan(found.values).sum() == 2
    assert ": 4 of 4 points ran to the end. Period: 14, at 2 of these points." in found.conclusion


def test_the_fate_of_all_points_is_told():
    found = studies.parameter_map("free", "DMV", "dt=0.1,3", "J.z=1,9", duration=6)
    assert found.conclusion.startswith(
        "Moser–Veselov: 1 of 4 points ran to the end; 1 without a solution, 2 refused. Energy error: "
    )


def test_a_body_that_cannot_be_is_a_hole():
    found = studies.parameter_map("free", "NMB", "J.x=0.1:3:6", "J.z=0.1:3:6", duration=0.5)
    refused = [row for row in rows_of(found) if row["status"] == "refused"]
    assert refused and all(np.isnan(row["value"]) for row in refused)
    spot = page.find_spot(found, "NMB", refused[0]["x"], refused[0]["y"])
    assert spot.choice is None and "refused" in spot.words


@pytest.mark.parametrize("title", first(studies.find("map").presets))
def test_presets_are_links_that_can_be_had(title):
    words = page.list_presets(studies.find("map"))[title]
    asked, notices = page.read_query({name: text for name, text in words.items() if name != "page"})
    assert (notices == [] and asked.quick) or asked.steps < page.MOST_STEPS
    small = dict(asked.values()) | {"across": asked.values()["across"].rpartition(":")[0] + ":4"}
    small["up"] = small["up"].rpartition(":")[0] + ":4"
    found = asked.about.function(asked.build_problem(), list(asked.methods), **small)
    assert len(rows_of(found)) == 16 * len(asked.methods)
    assert np.isfinite([row["value"] for row in rows_of(found)]).any()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"across": "dt"}, "an axis is a name and its values"),
        ({"across": "dt=0.1:1:500"}, "from 2 to 200 values"),
        ({"across": "dt=0.1,0.2; steps=1,2"}, "across is one parameter"),
        ({"across": "Omega0.z=1:2:5", "up": "Omega0.z=1:2:5"}, "a map has two parameters"),
        ({"across": "tilt=1:2:5"}, "has no parameter 'tilt'"),
        ({"across": "axes=123,231", "methods": "MR2"}, "axes is no single number"),
        ({"measure": "speed"}, "measure is one of"),
    ],
)
def test_what_makes_no_sense_is_refused(given, said):
    with pytest.raises(ValueError, match=said):
        studies.parameter_map("free", given.pop("methods", "NMB"), **given)


def test_its_own_axes_fit_every_problem():
    for problem in engine.problems():
        names = [text.partition("=")[0] for text in maps.axes_or_own(problem)]
        assert names[0] == "dt" and names[1].startswith("Omega0.")


@pytest.mark.exhaustive
def test_what_is_proposed_for_each_parameter_can_be_had():
    """Within the parameter's bounds, for a possible body, and with every number of a method's
    options.
    """
    methods = [engine.algorithm(name) for name in ("DMV", "SVQ", "RKMK")]
    for problem in engine.problems():
        there = find_variables(problem, methods)
        assert {"dt", "duration", "steps", "seed", "J.y", "Omega0.x", "Pi0.z", "R0.y"} <= set(there)
        for name, one in there.items():
            low, high = one.usual.low, one.usual.high
            assert (
                one.kind.low <= low <= one.kind.high
                and one.kind.low <= high <= one.kind.high
                and low != high
            )
            maps.check_axes(problem, methods, [f"{name}={one.usual}"])
            if name.startswith("J."):
                sweep = studies.sweep(problem, "RKMK", over={name: [low, high]}, steps=1)
                assert "refused" not in sweep.attrs, sweep.attrs["refused"]
    assert (
        there["J.y"].title == "Inertia J₂" and there["Omega0.z"].title == "Angular velocity Ω₀, z"
    )


@pytest.mark.exhaustive
def test_a_preset_shows_what_its_title_says():
    words = studies.find("map").presets[
        "Where DMV finds no solution, and NMB's energy is off by a hundredth"
    ]
    found = studies.parameter_map(
        "free", ["DMV", "NMB"], words["across"], words["up"], duration=float(words["duration"])
    )
    status = {row["status"] for row in rows_of(found) if row["method"] == "DMV"}
    off = [
        row["value"] for row in rows_of(found) if row["method"] == "NMB" and row["status"] == "done"
    ]
    assert status == {"done", "no-solution"}
    assert min(off) < float(words["level"]) == 0.01 < max(off)
