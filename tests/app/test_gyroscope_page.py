"""The page Gyroscope without a browser: choices and links, plots, the ledger, scenes, and the
sensor.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from urllib.parse import parse_qsl

import numpy as np
import pytest
from covering import first
from drawing import scene_of
from page_driver import find_offers, press, visible_text

import app
from app.browser.addresses import read_query
from app.browser.script_api import ScriptApi
from app.demos.live import build_demo, list_runs
from app.pages.lab import LabPage, open_lab
from app.pages.routes import open_page
from app.scene import given_rates
from app.state.choice import FIRST, Choice, Refusal, validate
from app.state.excerpt import Excerpt
from app.state.given_rates import GROUPS, LEDGER, narrate
from app.state.links import link
from app.state.presets import list_presets
from app.state.presets.surprise import surprise_of_rates
from app.state.quantities import PLOTS
from app.state.results import Results, compute
from app.views.dialogs.html_block import HtmlBlock
from app.views.plots.time_plots import describe_curves

PRESETS = list_presets("rates")
SHORT = Choice("coning", ("EXP", "CONING"), 0.001, 0.2, space="rates")
SAMPLED = Choice("coning(sensor=sampled)", ("EXP",), 0.001, 0.1, space="rates").with_changes(bits=8)


@pytest.fixture(scope="module")
def results() -> Results:
    return compute(SHORT)


def test_the_first_choice_holds() -> None:
    assert validate(FIRST["rates"]) == FIRST["rates"]


@pytest.mark.parametrize(
    ("problem", "methods", "space"),
    [("free", ("EXP",), "rates"), ("coning", ("NMB",), "so3"), ("coning", ("NMB",), "rates")],
)
def test_methods_of_other_problems_are_refused(problem, methods, space) -> None:
    with pytest.raises(Refusal, match=r"one body|given rates"):
        validate(Choice(problem, methods, 0.01, 1.0, space=space))


def test_a_link_leads_to_the_same() -> None:
    choice = validate(SAMPLED.with_changes(frequency=20, bias=(0.01, 0, 0)))
    words = dict(parse_qsl(link(choice).lstrip("?")))
    assert words.pop("page") == "gyroscope"
    again, _, notices = read_query(words, "rates")
    assert (again, notices) == (choice, [])
    page, title = open_page(link(SHORT))
    assert title == "Gyroscope · Polhode"
    (api,) = page.select(ScriptApi)
    assert [run["method"] for run in api.state["runs"]] == ["EXP", "CONING"]


def test_a_link_may_name_the_sensor_beside_the_problem() -> None:
    """As other parameters; the options come first, whatever their order in the link."""
    choice = validate(SAMPLED.with_changes(sample_rate=500.0))
    words = {"problem": "coning", "sample_rate": "500", "bits": "8", "sensor": "sampled"}
    given = words | {"methods": "EXP", "dt": "0.002", "duration": "0.1"}
    again, _, notices = read_query(given, "rates")
    assert notices == [] and again == replace(choice, dt=0.002)
    assert read_query({"problem": "soft-wall", "sign": "as-printed"})[0].problem == (
        "soft-wall(sign=as-printed)"
    )
    _, _, (notice,) = read_query(words | {"sensor": "good"}, "rates")
    assert notice.startswith("sensor: ")


@pytest.mark.parametrize("preset", first(PRESETS, 3), ids=lambda preset: preset.key)
def test_presets_are_allowed_and_links_lead_to_them(preset) -> None:
    assert validate(preset.choice) == preset.choice
    words = {name: text for name, text in preset.choice.query().items() if name != "page"}
    choice, _, notices = read_query(words, "rates")
    assert notices == [] and choice == preset.choice


@pytest.mark.parametrize("seed", range(5))
def test_a_surprise_is_allowed(seed) -> None:
    choice = surprise_of_rates(Random(seed))
    assert validate(choice) == choice


@pytest.mark.parametrize("group", GROUPS)
def test_every_group_has_plots(group, results) -> None:
    found = GROUPS[group].quantities(results, "")
    assert 0 < len(found) <= PLOTS
    for quantity in found:
        for line in results.runs:
            curve = quantity.values(line, relative=False)
            assert curve is not None and np.isfinite(curve[1]).all()


def test_drift_is_the_attitude_error_over_time(results) -> None:
    drift = next(
        one for one in GROUPS["What is kept"].quantities(results, "") if one.title == "Drift"
    )
    for line in results.runs:
        t, values = drift.values(line, relative=False)
        error = np.degrees(line.error.attitude) * 3600
        np.testing.assert_allclose(values[1:] * t[1:], error[-len(t) :][1:], rtol=1e-6)


def test_the_ledger_says_how_fast_each_method_drifts(results) -> None:
    table = LEDGER.table(results)
    assert [column.key for column in table.columns] == [
        "attitude", "drift", "norm", "orthogonality", "torques", "ns",
    ]  # fmt: skip
    drifts = [row.cell("drift").value for row in table.rows]
    assert drifts == [np.linalg.norm(line.error.drift) for line in results.runs]
    first, second = (row.cell("drift").text for row in table.rows)
    assert (
        f"They drift: Exponential by {first} °/h and Coning correction by {second} °/h."
        in table.headline
    )
    assert "Both keep orthogonality." in table.conclusion
    assert (
        narrate(results) == "Coning: 628 °/s at most; an update of 0.001 s turns it by up to 0.63°."
    )


def test_of_rates_without_an_exact_motion_the_rest_is_told() -> None:
    results = compute(SHORT, exact=False)
    table = LEDGER.table(results)
    assert table.rows[0].cell("attitude").text == "…" and table.rows[0].cell("drift").value is None
    assert "drift" not in table.conclusion and narrate(results)


def test_a_sensor_is_seen_beside_the_rates() -> None:
    """The runs show its samples, and the exact motion the rates themselves."""
    results = compute(SAMPLED)
    (line,) = results.runs
    step = 2 * SAMPLED.build_problem().values["range"] / 2**8
    first_rate = next(one for one in GROUPS["Motion"].quantities(results, ""))
    _, samples = first_rate.values(line, relative=False)
    _, true = first_rate.exact
    np.testing.assert_allclose(samples / step, np.round(samples / step), atol=1e-6)
    assert 0.3 * step < np.abs(samples - true).max() <= 0.51 * step


def test_the_page_says_that_the_range_of_a_sensor_clips() -> None:
    page = open_lab(SAMPLED.with_changes(range=10))
    assert "The sensor's range of ±10 clips" in visible_text(page.ledger.panel)


def test_only_methods_that_fit_the_samples_are_offered() -> None:
    """Magnus of order four asks for rates between samples, and Runge–Kutta for one in the middle."""

    def offered(page: LabPage) -> set[str]:
        groups = page.chooser.methods.groups
        return {entry[0] for _, entries in groups for entry in entries}

    page = open_lab(SAMPLED)
    assert "EXP" in offered(page) and not {"MAGNUS", "RK-QUAT", "RKMK853"} & offered(page)
    page.chooser.form.enter("dt", "0.002")
    assert {"EXP", "RK-QUAT"} <= offered(page) and "MAGNUS" not in offered(page)
    page.chooser.cases.enter("sensor", "none")
    assert {"EXP", "RK-QUAT", "MAGNUS", "RKMK853"} <= offered(page)


def test_labels_have_units() -> None:
    """The unit of a number of the problem, a time or a plot; in other labs, the problem's own units hold."""
    page = open_lab(SAMPLED.with_changes(frequency=20))
    fields = [*page.chooser.cases.fields, *page.chooser.form.fields]
    labels = {field["name"]: field["label"] for field in fields}
    units = {
        "dt": "s", "duration": "s", "cone": "°", "frequency": "Hz", "sample_rate": "Hz",
        "range": "rad/s", "noise": "rad/√s", "bias": "rad/s", "delay": "s", "R0": "rad",
    }  # fmt: skip
    assert units == {name: labels[name].rpartition(", ")[2] for name in units}
    assert not any(word in label for label in labels.values() for word in ("time", "1/"))
    assert "</button>, in s</p>" in page.plots.panel.select(HtmlBlock)[-1].html
    motion = GROUPS["Motion"].quantities(page.explorer.results, "")
    assert [one.symbol.rpartition(", ")[2] for one in motion] == ["rad/s"] * 4
    body = [field["label"] for field in open_lab(Choice()).chooser.form.fields]
    assert {"Δt", "Duration", "Inertia J₁, J₂, J₃"} <= set(body)


def test_methods_that_fit_another_step_stay_chosen_and_return() -> None:
    """Those of flight controllers read four samples in an update."""
    methods = ("px4", "ardupilot", "EXP")
    page = open_lab(Choice("coning", methods, 0.001, 0.1, space="rates"))

    def list_misfits() -> list[str]:
        return [line.why_not for line in page.explorer.results.lines if line.run is None]

    page.chooser.cases.enter("sensor", "sampled")
    needs = "reads samples within a step, which spans a multiple of 4 intervals"
    assert list_misfits() == [
        f"{name} {needs}; this step spans 1 interval. The nearest step that fits is 0.004."
        for name in ("PX4", "ArduPilot")
    ]
    assert page.explorer.history.now.methods == methods
    assert "PX4: " not in describe_curves(page.explorer.results)
    page.chooser.form.enter("dt", "0.0063")
    assert page.explorer.history.now.methods == methods and len(list_misfits()) == 3
    press(page.ledger.panel, "dt", "0.008")
    assert page.explorer.history.now.dt == 0.008 and list_misfits() == []
    page.explorer.undo()
    assert len(list_misfits()) == 3 and not page.explorer.results.runs
    assert "here fits this step" in page.headline.html
    excerpt = open_lab(page.explorer.history.now, excerpt=Excerpt(("ledger",), ("duration",)))
    table = excerpt.ledger.panel
    assert "does not fit" in table.html and not find_offers(table, "dt", "0.008")


@pytest.mark.parametrize("kind", given_rates.LABELS)
def test_a_scene_has_the_body_by_each_method_and_the_exact_one(results, kind) -> None:
    scene = scene_of(given_rates.build_scene(results, kind))
    assert [track["label"] for track in scene["tracks"]] == [
        "Exponential",
        "Coning correction",
        "exact",
    ]
    assert not any(part.get("curve") == "pi" for part in scene["parts"])
    assert "π" not in scene["caption"]


@pytest.mark.parametrize(("cone", "near"), [(2.0, True), (60.0, False)])
def test_a_narrow_cone_is_enlarged_about_its_middle(cone, near) -> None:
    results = compute(SHORT.with_changes(cone=cone))
    scene = scene_of(given_rates.build_scene(results, "axis"))
    lines = [
        part for part in scene["parts"] if part.get("curve") == "axis" and part["kind"] != "arrow"
    ]
    assert lines and all((part["scale"] > 1) == near for part in lines)
    assert ("enlarged" in scene["caption"]) == near
    if near:
        radius = 2 * np.sin(np.radians(cone) / 2)
        assert lines[0]["scale"] * radius == pytest.approx(0.8, rel=0.1)
        np.testing.assert_allclose(lines[0]["about"], (0, 0, 1), atol=0.02)


def test_the_browser_has_the_kernels_of_a_drag_and_of_a_demo() -> None:
    runs = list_runs(SHORT)
    assert [line["method"] for line in runs["lines"]] == ["EXP", "CONING"]
    assert runs["reference"]["method"] == "RKMK853"
    demo = build_demo(SHORT)
    assert "Body in space" in demo.html and "place\\nerror" not in demo.html
    assert '"page":{"page":"gyroscope"}' in demo.html
    with pytest.raises(ValueError, match="samples"):
        list_runs(SAMPLED)


def test_the_page_is_had_in_a_notebook_and_as_a_figure() -> None:
    assert app.explorer("coning", "EXP", duration=0.05, view="axis")
    layout = app.figure("coning", "EXP", duration=0.05)
    assert len(layout) == len(GROUPS["What is kept"].quantities(compute(SHORT), ""))


def test_the_snippet_gives_the_same(results, capsys) -> None:
    exec(SHORT.snippet(), {})
    said = capsys.readouterr().out
    assert f"{results.runs[0].error.attitude[-1]}" in said


def test_the_page_says_what_is_on_it() -> None:
    page = open_lab(SHORT)
    assert "They drift" in visible_text(page.ledger.verdict)
    assert "Is normalising harmful?" in visible_text(page.headline)
