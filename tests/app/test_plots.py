"""The time plots and the pictures in 2D: they show the values of the runs, and follow quickly."""

from __future__ import annotations

import dataclasses
import json
import math
import re
import xml.etree.ElementTree as ET
from itertools import product
from typing import Any

import numpy as np
import pytest
from covering import covering, first
from page_driver import record_messages, send_message, visible_text

import engine
from app.charts.downsample import MOST_POINTS, downsample, spread_evenly
from app.charts.scales import ZERO, Scale, find_limits, place_guide, to_axis
from app.charts.svg import Drawing, Stroke
from app.state.choice import Choice, choose_problem
from app.state.one_body import GROUPS
from app.state.results import Line as Lane
from app.state.results import Results, compute, roundoff
from app.views.plots.legend import Legend
from app.views.plots.time_plots import TimePlots
from engine.studies.core.charts import Guide
from engine.text.formatting import format_ordinal

FREE = Choice("free", ("NMB", "AKW", "DMV"), 0.5, 100.0)
PROBLEMS = [p.key for p in engine.problems()]


@pytest.fixture(scope="module")
def free() -> Results:
    return compute(FREE)


@pytest.fixture(scope="module")
def long() -> Results:
    return compute(dataclasses.replace(FREE, dt=0.01, duration=500.0))


@pytest.fixture(scope="module")
def ended() -> Results:
    """DMV has no solution at this step."""
    return compute(dataclasses.replace(FREE, dt=1.2, duration=120.0))


def test_curves_that_fill_bands_are_translucent_in_pictures(long: Results, free: Results) -> None:
    view = TimePlots(GROUPS)
    for results, expected in ((long, 2), (free, 0)):
        view.show(results)
        assert svg(view, 0).count('opacity="0.5"') == expected


def svg(view: TimePlots, number: int) -> str:
    """Return a plot as a picture."""
    return view.draw_svg(view.plots[number])


def plans(view: TimePlots) -> dict[str, Any]:
    """Return what the browser draws."""
    found: dict[str, Any] = json.loads(view.canvas.plans)
    return found


def plan(view: TimePlots, number: int) -> dict[str, Any]:
    """Return what the browser draws in one plot."""
    found: dict[str, Any] = plans(view)["plots"][number]
    return found


Points = tuple[np.ndarray, np.ndarray]
NO_POINTS: Points = np.zeros(0, np.float32), np.zeros(0, np.float32)


def curves(view: TimePlots, number: int) -> dict[int, Points]:
    """Return the curves of one plot as the browser receives them, by the number of their look."""
    floats = np.frombuffer(view.canvas.points, np.float32)
    found: list[dict[int, Points]] = []
    for drawn in plans(view)["plots"]:
        found.append({})
        for curve in drawn["curves"]:
            n = curve["n"]
            found[-1][curve["slot"]] = (floats[:n], floats[n : 2 * n])
            floats = floats[2 * n :]
    assert not len(floats)
    return found[number]


def curve_of(view: TimePlots, number: int, slot: int = 0) -> Points:
    """Return the curve of a method."""
    return curves(view, number).get(1 + slot, NO_POINTS)


def exact(view: TimePlots, number: int) -> Points:
    """Return the curve of the exact motion."""
    return curves(view, number).get(0, NO_POINTS)


def marks(view: TimePlots, number: int) -> list[dict[str, Any]]:
    """Return where runs ended early."""
    found: list[dict[str, Any]] = plan(view, number)["marks"]
    return found


def download(view: TimePlots, number: int, want: str) -> dict[str, Any]:
    """Return what the menu of a plot downloads."""
    sent = record_messages(view.canvas)
    title = view.plots[number].title
    send_message(view.canvas, {"want": want, "plot": title})
    (found,) = sent
    assert found.pop("plot") == title
    return dict(found)


# --- downsampling ---


@pytest.mark.parametrize("seed", range(5))
def test_thinning_keeps_ends_and_extremes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = np.sin(np.arange(20_000) / 300)
    y[rng.integers(20_000)] = 1.5
    y[rng.integers(20_000)] = -1.5
    rows = downsample(y)
    assert len(rows) <= MOST_POINTS + 4
    assert (np.diff(rows) > 0).all()
    assert rows[0] == 0 and rows[-1] == len(y) - 1
    assert y[rows].max() == y.max() and y[rows].min() == y.min()


def test_short_series_stay_whole_and_what_is_not_finite_is_left_out() -> None:
    y = np.arange(10.0)
    assert downsample(y).tolist() == list(range(10))
    y[[0, 4]] = np.nan, np.inf
    assert downsample(y).tolist() == [1, 2, 3, 5, 6, 7, 8, 9]
    assert len(downsample(np.full(10, np.nan))) == 0


def test_rows_taken_evenly_have_both_ends() -> None:
    assert spread_evenly(5, 10).tolist() == [0, 1, 2, 3, 4]
    assert spread_evenly(1001, 11).tolist() == list(range(0, 1001, 100))


def test_ordinals() -> None:
    assert [format_ordinal(n) for n in (2, 3, 5, 11, 21, 112)] == [
        "2nd",
        "3rd",
        "5th",
        "11th",
        "21st",
        "112th",
    ]


# --- axes ---


def test_zeros_are_below_a_logarithmic_axis_which_ends_at_the_data() -> None:
    y = to_axis(np.array([0.0, 1e-3, -1e-3, 1e-18]), True)
    np.testing.assert_allclose(y, [ZERO, -3, -3, -18])
    low, high = find_limits([y[:3], to_axis(np.zeros(9), True)], True)
    assert -5 < low < -3 < high < 0, "no empty decades for the zeros"


def test_linear_limits_hold_the_data_and_are_round() -> None:
    low, high = find_limits([np.array([-0.123, 0.456])], False)
    assert low <= -0.123 and high >= 0.456
    np.testing.assert_allclose(
        [low / 0.02, high / 0.02], np.round([low / 0.02, high / 0.02]), atol=1e-9
    )


@pytest.mark.parametrize(
    "y", [np.zeros(5), np.full(5, 3.0), np.full(5, -1e-16), np.zeros(0), np.full(3, 1e30)]
)
@pytest.mark.parametrize("log", [True, False])
def test_limits_of_flat_curves_are_an_interval(y: np.ndarray, log: bool) -> None:
    low, high = find_limits([to_axis(y, log)], log)
    assert np.isfinite([low, high]).all() and low < high
    if len(y) and not log:
        assert low <= y.min() and high >= y.max()


def test_limits_do_not_follow_small_changes() -> None:
    y = np.linspace(0, 0.0123, 100)
    assert find_limits([y], False) == find_limits([1.002 * y], False)


# --- curves ---


def test_energy_and_momentum_as_the_runs_have_them(free: Results) -> None:
    view = TimePlots(GROUPS, axis="Linear")
    view.show(free)
    run = free.lines[0].run
    t, y = curve_of(view, 0)
    np.testing.assert_array_equal(t, run.t.astype(np.float32))
    np.testing.assert_allclose(y, run.energy / run.energy[0] - 1, atol=1e-9)
    assert y.dtype == t.dtype == np.float32
    _, momentum = curve_of(view, 1)
    expected = np.linalg.norm(run.pi - run.pi[0], axis=1) / np.linalg.norm(run.pi[0])
    np.testing.assert_allclose(momentum, expected, rtol=1e-5, atol=1e-12)
    view.axis = "Log"
    _, logarithm = curve_of(view, 1)
    np.testing.assert_allclose(10.0 ** logarithm[1:].astype(float), expected[1:], rtol=1e-4)
    assert logarithm[0] == ZERO


def words(view: TimePlots, number: int) -> list[list[Any]]:
    """The words in a plot: text and place."""
    found: list[list[Any]] = plan(view, number)["words"]
    return found


def test_a_plot_leaves_the_numbers_to_the_ledger() -> None:
    """Beside a deviation is the word of the line at roundoff, on a logarithmic axis."""
    view = TimePlots(GROUPS)
    results = compute(Choice("free", ("MR2", "AKW", "RK4-QUAT"), 0.5, 100.0))
    view.show(results)
    floor = math.log10(roundoff(results.lines[-1].run))
    assert [words(view, number) for number in range(2)] == [[["roundoff", None, floor]]] * 2
    assert "roundoff" in svg(view, 1)
    view.axis = "Linear"
    assert words(view, 1) == []


def test_where_the_exact_motion_is_lost_there_is_a_line(free: Results) -> None:
    exact = dataclasses.replace(free.exact, horizon=40.0)
    view = TimePlots(GROUPS)
    view.show(dataclasses.replace(free, exact=exact))
    assert ["horizon of the exact motion", 40.0, None] in words(view, 3)
    assert all(x is None for _, x, *_ in words(view, 0)), "the energy needs no exact motion"


def test_curves_of_one_plot_have_common_times_at_which_all_values_are_read(long: Results) -> None:
    view = TimePlots(GROUPS)
    view.show(long)
    times = [set(curve_of(view, 0, slot)[0].tolist()) for slot in range(3)]
    common = np.sort(list(set.intersection(*times)))
    assert len(common) > MOST_POINTS / 4 and np.diff(common).max() < 500 / (MOST_POINTS / 4)


def test_dashes_distinguish_the_curves_on_the_page_and_in_pictures(free: Results) -> None:
    view = TimePlots(GROUPS)
    view.show(free)
    assert not plans(view)["dashed"] and not any(look["dash"] for look in plans(view)["looks"])
    send_message(view.canvas, {"want": "dashes", "plot": "Energy error"})
    assert view.read_view()["curves"] == "Dashed" and plans(view)["dashed"]
    dashes = [tuple(look["dash"]) for look in plans(view)["looks"][1:]]
    assert len(set(dashes)) == len(dashes) == 4
    assert len(set(re.findall(r'stroke-dasharray="(.*?)"', svg(view, 0)))) > 2


def test_relative_and_absolute_differ_by_what_is_kept(free: Results) -> None:
    view = TimePlots(GROUPS, axis="Linear")
    view.show(free)
    relative = curve_of(view, 0)[1]
    view.errors = "Absolute"
    np.testing.assert_allclose(
        curve_of(view, 0)[1], relative * free.lines[0].run.energy[0], rtol=1e-5, atol=1e-12
    )
    assert view.plots[0].plan["formula"] == "ΔE"


def test_motion_is_drawn_with_the_exact_one(free: Results) -> None:
    view = TimePlots(GROUPS, group="Motion", vector="Π")
    view.show(free)
    np.testing.assert_allclose(
        curve_of(view, 1, 1)[1], free.lines[1].run.Pi[:, 1], rtol=1e-6, atol=1e-7
    )
    np.testing.assert_allclose(exact(view, 1)[1], free.exact.Pi[:, 1], rtol=1e-6, atol=1e-7)
    view.group = "What is kept"
    assert not len(exact(view, 1)[0])


def test_steps_show_degrees_and_the_first_row_has_no_step(free: Results) -> None:
    view = TimePlots(GROUPS, group="Steps")
    view.show(free)
    t, y = curve_of(view, 1)
    np.testing.assert_allclose(y, np.degrees(free.lines[0].run.increment[1:]), rtol=1e-5)
    assert t[0] == FREE.dt


@pytest.mark.parametrize(
    ("group", "key"),
    covering(
        product(GROUPS, [key for key in PROBLEMS if key not in ("magnet", "asymmetric-top")]),
        by=lambda group, key: (group,),
    ),
)
def test_every_group_of_every_problem_has_four_plots_with_curves(group: str, key: str) -> None:
    chosen = choose_problem(key)
    results = compute(dataclasses.replace(chosen, duration=20 * chosen.dt))
    view = TimePlots(GROUPS, group=group)
    view.show(results)
    titles = [plot.title for plot in view.plots]
    assert len(set(titles)) == 4
    for number in range(4):
        for slot in range(len(results.runs)):
            assert len(curve_of(view, number, slot)[0]) > 1, titles


@pytest.mark.exhaustive
@pytest.mark.parametrize("key", first(["magnet", "asymmetric-top"]))
def test_without_an_exact_motion_there_are_plots_still(key: str) -> None:
    chosen = choose_problem(key)
    results = compute(dataclasses.replace(chosen, duration=20 * chosen.dt))
    lines = tuple(dataclasses.replace(line, error=None) for line in results.lines)
    without = dataclasses.replace(results, lines=lines, exact=None, no_exact="It is not known.")
    view = TimePlots(GROUPS)
    for view.group in GROUPS:
        view.show(without)
    view.group = "What is kept"
    assert len(curve_of(view, 0)[0]) > 1
    assert "It is not known." in visible_text(view.panel)


def test_a_long_run_is_thinned_and_says_so(long: Results) -> None:
    view = TimePlots(GROUPS)
    view.show(long)
    run = long.lines[0].run
    assert run.every == 5
    assert "The plots show every 5th state" in visible_text(view.panel)
    t, y = curve_of(view, 0)
    assert len(t) <= MOST_POINTS + 4
    error = np.abs(run.energy / run.energy[0] - 1)
    assert 10.0 ** float(y.max()) == pytest.approx(error.max(), rel=1e-4)


def test_a_run_that_ended_early_is_marked_with_the_reason(ended: Results, free: Results) -> None:
    view = TimePlots(GROUPS)
    view.show(ended)
    assert [line.run.status for line in ended.lines] == ["done", "done", "no-solution"]
    for number, plot in enumerate(view.plots):
        drawn = {curve["slot"]: curve["colour"] for curve in plan(view, number)["curves"]}
        of_lines = {slot: line.colour for slot, line in enumerate(ended.lines, 1)}
        assert drawn.items() <= of_lines.items() and len(drawn) > 1
        (mark,) = marks(view, number)
        assert mark["label"] == "Moser–Veselov" and mark["t"] == ended.lines[2].run.t[-1]
        assert (
            "Moser–Veselov has no solution" in mark["why"]
            and mark["colour"] == ended.lines[2].colour
        )
        assert plot.values[0] < mark["y"] < plot.values[1]
    assert "Moser–Veselov ended early" in visible_text(view.panel)
    view.show(free)
    assert marks(view, 0) == []


def test_the_legend_names_curves_that_lie_on_one_another(free: Results) -> None:
    """These two make the same body momentum, and so the same energy, but not the same attitude."""
    view = TimePlots(GROUPS)
    legend = Legend(view, lambda _: None, has_buttons=False)
    for results, expected in (
        (compute(dataclasses.replace(FREE, methods=("NMB", "ELN", "AKW"))), True),
        (free, False),
    ):
        view.show(results)
        legend.show(results)
        words = "Explicit Newmark and Explicit Lie–Newmark have the same curve in Energy error."
        assert (words in legend.html) == expected
        assert ("have the same curve" in legend.html) == expected
        energies = [line.run.energy for line in results.runs]
        assert np.allclose(*energies[:2], rtol=1e-12) == expected
    view.show(compute(dataclasses.replace(FREE, methods=("NMB", "ELN"))))
    assert view.plots[0].find_alike() and not view.plots[-1].find_alike()
    legend.show(compute(dataclasses.replace(FREE, methods=("NMB", "ELN"))))
    assert "All methods have the same curve in Energy error." in legend.html
    view.group = "Motion"
    assert "in Angular velocity Ω₁" in legend.html and "Energy" not in legend.html
    view.group = next(iter(GROUPS))
    view.canvas.turned = [view.plots[0].title]
    assert view.plots[0] not in view.list_open()


def test_a_method_that_does_not_fit_leaves_its_place_empty(free: Results) -> None:
    view = TimePlots(GROUPS)
    view.show(free)
    gone = Lane(
        free.lines[1].label,
        free.lines[1].name,
        free.lines[1].colour,
        None,
        why_not="Implicit midpoint needs a torque.",
    )
    view.show(dataclasses.replace(free, lines=(free.lines[0], gone, free.lines[2])))
    assert [len(curve_of(view, 0, slot)[0]) > 0 for slot in range(4)] == [True, False, True, False]
    assert "Implicit midpoint needs a torque." in visible_text(view.panel)


# --- zoom ---


def zoom(view: TimePlots, *parts: list[Any]) -> None:
    """Zoom as the browser does: the name of an axis and two of its values for each part."""
    assert view.canvas.accepts("zoom", [*parts])
    view.canvas.zoom = [*parts]


def frame_of(view: TimePlots, number: int) -> set[str]:
    """The words and the numbers at the axes of a picture."""
    texts = ET.fromstring(svg(view, number)).findall(".//{*}text")
    return {"".join(text.itertext()) for text in texts}


def test_a_picture_is_zoomed_as_the_plot_until_the_duration_or_the_axis_changes(
    free: Results, ended: Results
) -> None:
    view = TimePlots(GROUPS)
    view.show(free)
    assert {"100", "10−15"} <= frame_of(view, 0)
    zoom(view, [100, 20, 30], [plan(view, 0)["axis"], -9.1, -2.9])
    view.show(compute(dataclasses.replace(FREE, dt=0.25)))
    assert {"22", "10−6"} <= frame_of(view, 0) and not {"100", "10−15"} & frame_of(view, 0)
    assert {"22", "10−15"} <= frame_of(view, 1), "the plots have one time axis"
    view.show(ended)
    assert {"120", "10−6"} <= frame_of(view, 0)
    view.axis = "Linear"
    assert "−0.015" in frame_of(view, 0)


@pytest.mark.parametrize(
    "value",
    [
        None, "", [None], [[]], [[100, 1]], [[100, 2, 1]], [[100, 1, 1]], [[100, 1, float("nan")]],
        [[100, 1, float("inf")]], [[100, 1, 2, 3]], [["a" * 201, 1, 2]], [[None, 1, 2]],
        [[True, 1, 2]], [["a", "1", "2"]], [["a", 1, 2]] * 6, {"a": [1, 2]},
    ],
)  # fmt: skip
def test_no_other_zoom_is_accepted(value: Any) -> None:
    canvas = TimePlots(GROUPS).canvas
    assert not canvas.accepts("zoom", value)
    assert not canvas.accepts("plans", "{}") and not canvas.accepts("points", b"")


def test_nothing_is_built_anew_by_a_change(free: Results, ended: Results) -> None:
    view = TimePlots(GROUPS)
    root = view.panel.get_root()
    view.show(free)
    before = {model.id for model in root.references()}
    for view.axis in ("Linear", "Log"):
        view.show(ended)
        assert {model.id for model in root.references()} == before


def test_switches_and_view_go_together() -> None:
    view = TimePlots(GROUPS)
    view.switches.chosen = ["Motion", "Log", "Relative", "Π"]
    assert (view.group, view.vector) == ("Motion", "Π") and view.switches.useful == [
        "Plots",
        "Vector",
    ]
    view.group = "Steps"
    assert view.switches.chosen[0] == "Steps" and view.switches.useful == ["Plots", "Axis"]


# --- downloads ---


def test_csv_has_all_rows_to_the_last_digit(long: Results) -> None:
    view = TimePlots(GROUPS, errors="Absolute")
    view.show(long)
    file = download(view, 0, "csv")
    rows = file["text"].splitlines()
    assert rows[0] == "t,NMB,AKW,DMV" and len(rows) == len(long.lines[0].run) + 1
    run = long.lines[0].run
    assert float(rows[1234].split(",")[1]) == run.energy[1233] - run.energy[0]
    assert file["name"] == "polhode-free-energy-error.csv"


def test_csv_leaves_what_a_run_did_not_reach_empty(ended: Results) -> None:
    view = TimePlots(GROUPS)
    view.show(ended)
    assert download(view, 0, "csv")["text"].splitlines()[-1].endswith(",")


def test_the_table_is_short_and_says_so(long: Results, free: Results) -> None:
    view = TimePlots(GROUPS)
    view.show(long)
    table = download(view, 0, "table")
    assert len(table["rows"]) == 200 and "200 of 10001 rows" in table["caption"]
    assert table["columns"] == ["t", "NMB", "AKW", "DMV"] and table["rows"][-1][0] == "500"


def test_svg_is_well_formed_and_names_what_it_shows(free: Results) -> None:
    view = TimePlots(GROUPS)
    for view.group in GROUPS:
        view.show(free)
        for plot in view.plots:
            drawing = ET.fromstring(view.draw_svg(plot))
            words = "".join(drawing.itertext())
            assert plot.title in words and all(name in words for name in FREE.names.values())
            assert "Freely spinning body" in words and "Δt = 0.5" in words
            assert len(drawing.findall(".//{*}polyline")) == 3 + (view.group == "Motion")


def test_a_picture_has_a_name_that_tells_what_it_shows(free: Results) -> None:
    view = TimePlots(GROUPS)
    view.group = "Motion"
    view.show(free)
    wanted = enumerate(("png", "svg", "csv", "png"))
    names = [download(view, number, want)["name"] for number, want in wanted]
    assert names == [
        f"polhode-free-angular-velocity-omega{end}" for end in ("1.png", "2.svg", "3.csv", ".png")
    ]


def test_a_drawing_marks_what_ended_and_wraps_many_names(ended: Results) -> None:
    view = TimePlots(GROUPS)
    view.show(ended)
    drawing = ET.fromstring(svg(view, 0))
    early = [line for line in ended.runs if line.run.status != "done"]
    assert len(drawing.findall(".//{*}path[@class='ended']")) == len(early) > 0
    names = [letter * 40 for letter in "abcd"]
    strokes = [Stroke(name, "#000", np.arange(2.0), np.arange(2.0)) for name in names]
    drawing = ET.fromstring(
        Drawing("Many", strokes, Scale("time t", (0, 1)), Scale("", (0, 1))).draw()
    )
    places = [
        (float(x.get("x")), float(x.get("y")))
        for x in drawing.findall("{*}text")
        if x.text in names
    ]
    assert len({y for _, y in places}) > 1 and max(y for _, y in places) < float(
        drawing.get("height")
    )
    assert all(x + 40 * 7.2 < 760 for x, _ in places)


@pytest.mark.parametrize("letters", range(1, 60, 4))
def test_the_legend_of_a_drawing_is_below_the_name_of_its_axis(letters: int) -> None:
    strokes = [Stroke(letter * letters, "#000", np.arange(2.0), np.arange(2.0)) for letter in "abc"]
    across = Scale("time t of the motion", (0, 1))
    texts = ET.fromstring(Drawing("Many", strokes, across, Scale("", (0, 1))).draw()).findall(
        "{*}text"
    )
    (axis,) = (text for text in texts if text.text == across.label)
    names = [text for text in texts if text.text in {letter * letters for letter in "abc"}]
    assert len(names) == 3
    assert all(float(text.get("y", "")) >= float(axis.get("y", "")) + 12 for text in names)


def test_messages_that_ask_for_nothing_known_are_left_alone(free: Results) -> None:
    view = TimePlots(GROUPS)
    view.show(free)
    sent = record_messages(view.canvas)
    for data in (
        None,
        "csv",
        {"want": "csv"},
        {"want": "shell", "plot": "Energy error"},
        {"want": ["csv"], "plot": "Energy error"},
        {"want": "csv", "plot": "Angular velocity Ω₁"},
        {"want": "csv", "plot": ["Energy error"]},
    ):
        send_message(view.canvas, data)
    assert sent == []
    send_message(view.canvas, {"want": "csv", "plot": "Energy error"})
    assert len(sent) == 1 and sent[0]["type"] == "text/csv"


@pytest.mark.parametrize(("y", "below"), [(0.9, False), (0.91, True)])
def test_words_in_the_top_tenth_of_a_plot_are_below_their_line(y, below):
    placed = place_guide(
        Guide("roundoff", (0.0, 0.5), (y, y)), Scale("t", (0.0, 1.0)), Scale("y", (0.0, 1.0))
    )
    assert placed is not None and placed.below is below
