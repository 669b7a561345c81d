"""The page Studies: its results, charts, state for scripts and downloads belong to the question
shown.
"""

from __future__ import annotations

import asyncio
import functools
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import panel as pn
import pytest
from cluster import cluster_of
from covering import first, some
from page_driver import (
    find_offers,
    press,
    record_messages,
    send_message,
    stop_when,
    visible_curves,
    visible_figures,
    visible_html,
    visible_text,
)
from steady_clock import steady_clock

import app
import engine
from app.browser.script_api import ScriptApi
from app.charts.style import COLOURS, DASHES, MARKS, choose_looks
from app.charts.svg import OUTLINES
from app.pages.studies_page import Studies, list_titles
from app.state.choice import Choice, Refusal
from app.state.pages import study_forms
from app.state.pages.study_forms import StudyQuestion
from app.views.dialogs.html_block import HtmlBlock
from app.views.plots.plot_head import Head
from app.views.plots.study_chart import ChartView, draw_svg
from app.views.tables.study_result import format_rows
from engine import Cancellation
from engine import studies as measured
from engine.studies.core.charts import Axes, Axis, Chart, Curve, find_span

STUDIES = study_forms.list_studies()
SMALL = {
    "convergence": {"duration": "5", "dts": "0.5, 0.25, 0.125, 0.0625"},
    "work-precision": {"duration": "5", "dts": "0.5, 0.25", "repetitions": "2"},
    "long-run": {"steps": "50000"},
    "steps-to-accuracy": {"within": "0.1, 0.01", "duration": "5"},
    "edge": {"duration": "5"},
    "ensemble": {"members": "20", "duration": "2"},
    "advise": {"within": "1e-2", "duration": "5", "budget": "120"},
    "map": {"across": "dt=0.1:0.5:5", "up": "Omega0.z=1:2:4", "duration": "2"},
    "curve": {"across": "dt=0.1:0.5:5", "duration": "2"},
}


def asked(key: str) -> StudyQuestion:
    found = study_forms.first_question(key)
    for name, text in SMALL.get(key, {}).items():
        found = found.with_text(name, text)
    return study_forms.with_methods(found, ["MR2"] if found.about.most == 1 else ["NMB", "MR2"])


@pytest.fixture(scope="module", params=STUDIES)
def done(request: pytest.FixtureRequest) -> tuple[StudyQuestion, Any]:
    one = asked(request.param)
    return one, one.run(lambda *_, **__: None, Cancellation())


def test_every_study_of_one_body_is_offered() -> None:
    offered = [study.key for study in measured.registered() if study.spaces[0] == "so3"]
    assert list(STUDIES) == [key for key in offered if key != "sweep"]


def test_four_studies_are_offered_first_and_open_with_a_result(one_page: Studies) -> None:
    (menu,) = one_page.study.fields
    titles = [STUDIES[key].title for key in ("convergence", "work-precision", "long-run", "advise")]
    assert list(menu["options"][: menu["first"]]) == titles
    assert {STUDIES[key].title for key in STUDIES} == set(menu["options"])
    for title in titles:
        assert study_forms.first_question(list_titles()[title]).quick


@pytest.mark.exhaustive
def test_the_same_in_a_notebook(done: tuple[StudyQuestion, Any]) -> None:
    layout = app.study_figure(done[1])
    assert len(layout) == len(done[1].chart.axes)


@pytest.mark.parametrize("key", STUDIES)
def test_the_form_of_each_study_has_its_values(key: str) -> None:
    fields, values = asked(key).form()
    assert [field.name for field in fields] == list(values)
    for name in SMALL.get(key, {}):
        assert name in values or f"{name}.of" in values


def test_what_is_no_study_has_no_figure() -> None:
    with pytest.raises(ValueError, match="convergence"):
        app.study_figure(3)


@pytest.mark.parametrize(("query", "words"), [
    ({"study": "tea"}, "There is no study 'tea'"),
    ({"problem": "moon"}, "moon"),
    ({"problem": "dumbbells"}, "Dumbbells is a problem of two bodies"),
    ({"methods": "NMB,XYZ"}, "XYZ"),
    ({"methods": "NMB,LGVI"}, "LGVI moves two bodies"),
    ({"duration": "long"}, "Duration must be a number; got 'long'."),
    ({"duration": "1e300"}, "10⁷"),
    ({"steps": "5"}, "no name"),
    ({"study": "long-run", "steps": "5, 6"}, "Steps must be a number"),
    ({"study": "ensemble", "methods": "NMB,MR2"}, "one method"),
])  # fmt: skip
def test_nonsense_in_a_link_is_told_and_left_out(query: dict[str, str], words: str) -> None:
    one, notices = study_forms.read_query(query)
    assert len(notices) == 1 and words in notices[0] and not notices[0].startswith("duration: D")
    assert one.values() == study_forms.first_question(one.study).values()


def test_a_setting_of_the_lab_is_taken_over(capsys: Any) -> None:
    lab = Choice("slow-top", ("NMB", "DMV"), 0.02, 3.0).with_changes(Omega0=(0, 0, 4), J=(5, 5, 2))
    words = {name: text for name, text in lab.query().items() if name != "page"}
    one, notices = study_forms.read_query(words | {"study": "long-run"})
    assert notices == [] and (one.problem, one.methods, one.changes) == (
        lab.problem,
        lab.methods,
        lab.changes,
    )
    assert one.values()["dt"] == 0.02
    np.testing.assert_array_equal(one.build_problem().Omega0, [0, 0, 4])
    one, notices = study_forms.read_query(words | {"study": "convergence", "dts": "0.1,0.05,0.025"})
    assert notices == [] and one.values()["duration"] == 3.0
    assert (
        study_forms.read_query(
            {name: text for name, text in one.query().items() if name != "page"}
        )[0]
        == one
    )
    result = one.run(lambda *_, **__: None, Cancellation())
    found: dict[str, Any] = {}
    exec(one.snippet(), found)
    assert found["found"].rungs == result.rungs and result.problem.Omega0[2] == 4
    page = Studies(one)
    shown = page.page()
    assert "Ω₀ = (0, 0, 4)" in visible_text(shown)
    press(shown, "as-named")
    assert (
        page.question.changes == ()
        and not find_offers(shown, "as-named")
        and page.question.methods == lab.methods
    )


def test_a_setting_of_the_gyroscope_is_taken_over() -> None:
    rates = Choice("coning", ("EXP", "CONING"), 0.002, 0.5, space="rates").with_changes(cone=4.0)
    words = {name: text for name, text in rates.query().items() if name != "page"}
    for study in ("convergence", "map", "advise"):
        one, notices = study_forms.read_query(words | {"study": study})
        expected = rates.methods[: one.about.most]
        assert (one.problem, one.methods) == (rates.problem, expected)
        assert dict(one.changes) == {"cone": 4.0} and one.values()["duration"] == 0.5
        assert notices == [] and one.space == "rates"
    one, (notice,) = study_forms.read_query(words | {"study": "long-run"})
    assert one.study == "convergence" and one.problem == "coning"
    assert notice == "Long run is for one body; this is Convergence."


def test_the_page_studies_given_rates() -> None:
    page = Studies(asked("map"))
    shown = page.page()
    send_message(page.problem, {"pick": "coning"})
    assert page.question.space == "rates" and page.question.methods == ("EULER", "EXP")
    fields, values = page.question.form()
    (measure,) = [field for field in fields if field.name == "measure"]
    assert {"attitude", "drift", "norm"} <= set(measure.options) and "energy" not in measure.options
    assert values["measure"] == "attitude" and values["up.of"] == "cone"
    for name, text in {
        "across": "dt=0.001:0.004:3",
        "up": "cone=1:4:3",
        "measure": "drift",
    }.items():
        page.question = page.question.with_text(name, text)
    page.run()
    assert measured_is_asked(shown) and "Drift: median" in visible_text(shown)
    row = page.result.to_frame().query("method == 'EULER'").iloc[-1]
    run = engine.simulate("coning(cone=4)", "EULER", dt=0.004)
    error = float(engine.error(run).attitude[-1])
    assert row["value"] == pytest.approx(np.degrees(error) * 3600 / run.t[-1])
    spot = study_forms.find_spot(page.result, "EULER", 0.004, 4.0)
    assert spot is not None and spot.choice is not None and spot.choice.space == "rates"
    page.study.enter("study", STUDIES["advise"].title)
    assert "error" not in page.form.values and page.question.problem == "coning"
    page.study.enter("study", STUDIES["long-run"].title)
    assert page.question.space == "so3" and page.question.problem == "free"


def test_what_would_take_a_server_too_long_is_refused() -> None:
    one = study_forms.with_methods(
        study_forms.first_question("long-run").with_text("steps", "9e8"), ["NMB", "MR2"]
    )
    with pytest.raises(Refusal, match="10⁹"):
        one.run(lambda *_, **__: None, Cancellation())
    assert not one.quick and study_forms.first_question("long-run").quick


@pytest.mark.parametrize(("key", "name", "text"), [
    ("convergence", "dts", "0.5, 1e-12"), ("convergence", "duration", "1e7"), ("work-precision", "dts", "1e-9"),
    ("edge", "duration", "1e7"), ("ensemble", "members", "100000"), ("long-run", "steps", "1e9"),
])  # fmt: skip
def test_the_steps_of_every_study_are_bounded(key: str, name: str, text: str) -> None:
    one = study_forms.first_question(key)
    assert one.steps <= study_forms.MOST_STEPS and (one.quick or key == "work-precision")
    large = one.with_text(name, text)
    if key == "ensemble":
        large = large.with_text("duration", "1e6")
    if key == "long-run":
        large = study_forms.with_methods(large, ["NMB", "MR2"])
    with pytest.raises(Refusal, match="steps of all methods"):
        large.check_effort()


@pytest.mark.parametrize(("key", "texts"), [
    ("work-precision", {"repetitions": "100", "duration": "5000"}), ("long-run", {"steps": "1e9"}),
    ("ensemble", {"members": "100000", "duration": "1e5"}), ("advise", {"duration": "1e5"}),
    ("convergence", {"duration": "1e7"}),
])  # fmt: skip
def test_a_refusal_states_what_is_accepted(key: str, texts: dict[str, str]) -> None:
    asked = study_forms.first_question(key)
    if key == "long-run":
        asked = study_forms.with_methods(asked, ["NMB", "MR2"])
    for name, text in texts.items():
        asked = asked.with_text(name, text)
    with pytest.raises(Refusal) as refused:
        asked.check_effort()
    field, _, rest = str(refused.value).partition("it fits with ")[2].partition(" of at most ")
    most = rest.split()[0].rstrip(".,")
    mantissa, _, power = most.replace(",", "").partition("·10")
    value = float(mantissa) * 10 ** int(
        power.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")) or 0
    )
    name = next(one.name for one in asked.about.fields if one.title == field)
    asked.with_text(name, f"{value:.12g}").check_effort()
    with pytest.raises(Refusal):
        asked.with_text(name, f"{1.2 * value:.12g}").check_effort()


@pytest.mark.parametrize("accuracies", [6, 20])
def test_a_refusal_states_how_many_methods_are_accepted(accuracies: int) -> None:
    methods = [
        "NMB",
        "MR2",
        "AKW",
        "DMV",
        "ELN",
        "RKMK",
        "MR4",
        "RK4-QUAT",
        "BUSS3",
        "SEMI-EULER",
        "TRAPM",
    ]
    asked = study_forms.with_methods(study_forms.first_question("steps-to-accuracy"), methods)
    asked = asked.with_text(
        "within", ", ".join(f"{1e-3 * n:.3g}" for n in range(1, accuracies + 1))
    )
    with pytest.raises(Refusal, match=r"the first \d+ methods alone") as refused:
        asked.check_effort()
    most = int(str(refused.value).partition("the first ")[2].split()[0])
    study_forms.with_methods(asked, asked.methods[:most]).check_effort()
    with pytest.raises(Refusal):
        study_forms.with_methods(asked, asked.methods[: most + 1]).check_effort()


def test_an_empty_field_means_the_study_s_own_value_also_for_the_bound() -> None:
    long = (
        study_forms.first_question("ensemble")
        .with_text("members", "")
        .with_text("duration", "1e6")
        .with_text("dt", "1e-3")
    )
    assert "members" not in long.values() and long.steps == 1000 * 1e9
    with pytest.raises(Refusal, match="steps of all methods"):
        long.check_effort()
    with pytest.raises(Refusal, match="Error wanted is needed, like"):
        study_forms.first_question("advise").with_text("within", " ")


def test_lists_are_bounded() -> None:
    with pytest.raises(Refusal, match="at most 40"):
        study_forms.first_question().with_text("dts", ",".join(["0.1"] * 41))


def test_rows_told_while_it_works_are_those_of_the_result() -> None:
    one = asked("edge")
    reports = []
    result = one.run(lambda done, total, row=None, **_: row and reports.append(row), Cancellation())
    live = study_forms.latest_rows(one.about, reports).sort_values(["method", "asked"])
    whole = result.to_frame().sort_values(["method", "asked"])
    np.testing.assert_array_equal(live["dt"], whole["dt"])
    one = asked("work-precision")
    reports = []
    result = one.run(lambda done, total, row=None, **_: row and reports.append(row), Cancellation())
    live = study_forms.latest_rows(one.about, reports)
    assert len(live) == len(result.tried)
    np.testing.assert_array_equal(live["seconds"], [row.seconds for row in result.tried])


# --- the page ---


@pytest.fixture
def one_page() -> Studies:
    return Studies(asked("convergence"))


def measured_is_asked(shown: Any) -> bool:
    """The state for scripts: the visible result belongs to the current question."""
    (api,) = shown.select(ScriptApi)
    return bool(api.state["choice"]["measured"])


def rows(shown: Any) -> int:
    """Of the table."""
    return max(0, visible_html(shown).count("<tr>") - 1)


def test_a_page_that_is_opened_shows_what_is_asked(one_page: Studies) -> None:
    shown = one_page.page()
    assert one_page.result.duration == 5.0 and measured_is_asked(shown)
    assert "Explicit Newmark: <small>order 2" in visible_text(shown)
    assert rows(shown) == 8
    head = shown.select(Head)[0]
    heard = record_messages(head)
    for want in ("csv", "table", "svg"):
        send_message(head, {"want": want})
    csv, table, svg = heard
    assert csv["text"].splitlines()[0].startswith("method,dt,steps") and len(table["rows"]) == 8
    assert svg["text"].startswith("<svg")
    for words in (
        "Convergence",
        one_page.question.build_problem().name,
        one_page.question.names,
    ):
        assert words in svg["text"].partition('class="grid"')[0], (
            "the setting stands above the plot"
        )


def test_a_method_that_is_left_out_is_told_with_the_reason() -> None:
    with steady_clock():
        page = Studies(study_forms.with_methods(asked("advise"), ["CF4", "KB"]))
        page.run()
        assert "Left out" not in visible_text(page.page()), "both get there"
        page.form.enter("within", "1e-12")
        page.run()
    assert "Left out: Koziara–Bićanić: the smallest step tried, Δt = " in visible_text(page.page())


def test_what_can_be_copied_is_of_what_was_measured(one_page: Studies) -> None:
    shown = one_page.page()
    asked_first = one_page.question
    one_page.form.enter("duration", "2")
    (block,) = find_offers(shown, "csv")
    assert block.texts["snippet"] == asked_first.snippet() and "duration=5" in block.texts["link"]


def test_all_rows_are_saved(one_page: Studies) -> None:
    shown = one_page.page()
    (block,) = find_offers(shown, "csv")
    heard = record_messages(block)
    press(shown, "csv")
    assert heard[0]["save"] == "convergence.csv" and len(heard[0]["text"].splitlines()) == 1 + 8


def list_filters(shown: Any) -> set[str]:
    """Return the filters of the cards of a page."""
    parts = shown.select(pn.Column)
    return {part.styles["filter"] for part in parts if "filter" in part.styles}


def test_what_is_changed_is_measured_when_it_is_asked_for(one_page: Studies) -> None:
    shown = one_page.page()
    one_page.form.enter("duration", "2")
    assert one_page.result.duration == 5.0 and "Press Run" in visible_text(shown)
    assert not measured_is_asked(shown)
    said = "These results answer the earlier question."
    assert said in visible_text(shown) and list_filters(shown) == {"grayscale(1)"}
    one_page.form.enter("duration", "5")
    assert said not in visible_text(shown) and list_filters(shown) == {"none"}
    one_page.form.enter("duration", "2")
    one_page.run()
    assert one_page.result.duration == 2.0 and measured_is_asked(shown)
    assert said not in visible_text(shown) and list_filters(shown) == {"none"}
    one_page.study.enter("study", STUDIES["long-run"].title)
    assert list(one_page.form.values) == ["steps", "dt", "quantity"]
    one_page.form.enter("steps", "50000")
    one_page.run()
    assert one_page.result.steps == 50_000


def test_what_can_not_be_had_is_said_where_it_was_asked(one_page: Studies) -> None:
    shown = one_page.page()
    one_page.form.enter("duration", "soon")
    assert "Duration must be a number" in one_page.form.wrong["duration"]
    one_page.form.enter("duration", "4")
    assert one_page.form.wrong == {}
    press(shown, "remove", "NMB")
    assert one_page.question.methods == ("MR2",) and not find_offers(shown, "remove", "MR2"), (
        "the last one stays"
    )
    for key in ("CF4", "AKW", "DMV"):
        send_message(one_page.methods, {"pick": key})
    assert one_page.question.methods == (
        "MR2",
        "CF4",
        "AKW",
        "DMV",
    ) and "role='alert'></p>" in visible_html(shown)


@pytest.mark.parametrize(
    "key", first([key for key, study in STUDIES.items() if any(f.choices for f in study.fields)])
)
def test_a_menu_says_what_a_link_asks_for(key: str) -> None:
    for field in asked(key).fields:
        for word in some(field.choices):
            query = asked(key).with_text(field.name, word).query()
            query |= {"problem": "kovalevskaya-top"} if word == "integral" else {}
            found, notices = study_forms.read_query(
                {name: text for name, text in query.items() if name != "page"}
            )
            assert notices == [] and Studies(found).form.values[field.name] == word


def a_map(**words: str) -> Studies:
    found, notices = study_forms.read_query(
        {"study": "map", "problem": "slow-top", "methods": "NMB"} | SMALL["map"] | words
    )
    assert notices == []
    return Studies(found)


def test_a_map_without_values_says_so_where_an_extreme_is_asked_for() -> None:
    page = a_map(problem="free", J="2, 2, 2", measure="flips")
    shown = page.page()
    press(shown, "largest")
    assert "No point of the map has a value." in visible_text(shown)
    assert "Flips: no point has a value." in page.result.conclusion


@pytest.mark.exhaustive
def test_an_axis_is_asked_for_by_what_is_varied_its_ends_and_how_many() -> None:
    page = a_map(across="dt=log:0.1:0.5:5")
    assert (
        page.form.values | {"across.from": "0.1", "across.to": "0.5", "across.points": "5"}
        == page.form.values
    )
    assert (
        page.form.values["across.of"] == "dt"
        and page.form.values["across.spacing"] == "logarithmic"
    )
    for name, text, written in (
        ("across.from", "1/5", "dt=log:0.2:0.5:5"),
        ("across.points", "3", "dt=log:0.2:0.5:3"),
        ("across.spacing", "linear", "dt=0.2:0.5:3"),
        ("across.to", "-0.1", None),
        ("across.to", "0.2", None),
        ("across.points", "1", None),
        ("across.of", "tea", None),
        ("across.to", "0.4", "dt=0.2:0.4:3"),
        ("across.spacing", "list", "dt=0.2, 0.25, 0.3, 0.35, 0.4"),
        ("across.values", "0.1", None),
        ("across.values", "0.1, 0.3", "dt=0.1, 0.3"),
        ("across.spacing", "logarithmic", "dt=log:0.1:0.3:60"),
        ("across.of", "R0.x", "R0.x=-3:3:60"),
        ("across.spacing", "logarithmic", "R0.x=log:0.003:3:60"),
        ("across.from", "-1", None),
        ("across.of", "J.x", "J.x=4.1:5.9:60"),
    ):
        before = page.question
        page.form.enter(name, text)
        if written is None:
            assert page.form.wrong[name].endswith(".") and page.question == before
        else:
            assert page.question.query()["across"] == written and not page.form.wrong
            assert Studies(page.question).form.values == page.form.values, "a link says the same"
    page.form.enter("across.points", "4")
    page.run()
    assert page.result.across == "J.x" and len(page.result.to_frame()) == 4 * 4


def test_an_axis_that_the_problem_or_the_methods_do_not_have_is_said_where_it_is_asked() -> None:
    for words, name, why in (
        ({"across": "strength=1:10:4"}, "across.of", "no parameter 'strength'"),
        ({"up": "dt=0.1:0.2:4"}, "up.of", "dt twice"),
        ({"across": "axes=123,231", "methods": "MR2"}, "across.of", "no single number"),
    ):
        page = a_map(**words)
        shown = page.page()
        assert (
            list(page.form.wrong) == [name] and why in page.form.wrong[name] and page.result is None
        )
        press(shown, "run")
        assert "Not started: " in visible_text(shown)
    page.form.enter("across.of", "dt")
    assert not page.form.wrong and page.question.quick
    send_message(page.problem, {"pick": "lagrange-top"})
    page.form.enter("across.of", "gravity")
    send_message(page.problem, {"pick": "free"})
    assert "gravity" in page.form.wrong["across.of"] and page.form.values["across.of"] == "gravity"


def test_another_study_keeps_the_methods_that_it_can_take(one_page: Studies) -> None:
    one_page.study.enter("study", STUDIES["ensemble"].title)
    assert one_page.question.methods == ("MR2",) and list(one_page.form.values) == [
        "members",
        "spread",
        "seed",
        "dt",
        "duration",
    ]
    send_message(one_page.methods, {"pick": "NMB"})
    assert one_page.question.methods == ("NMB",)


def test_a_study_of_one_method_gives_the_others_back(one_page: Studies) -> None:
    one_page.form.enter("duration", "2")
    one_page.study.enter("study", STUDIES["ensemble"].title)
    send_message(one_page.methods, {"pick": "AKW"})
    one_page.study.enter("study", STUDIES["edge"].title)
    assert one_page.question.methods == ("NMB", "MR2")
    one_page.study.enter("study", STUDIES["ensemble"].title)
    assert one_page.question.methods == ("AKW",)
    one_page.study.enter("study", STUDIES["convergence"].title)
    assert one_page.question.methods == ("NMB", "MR2") and one_page.form.values["duration"] == "2"


def test_results_stay_with_their_title_until_another_study_is_chosen(one_page: Studies) -> None:
    shown = one_page.page()
    send_message(one_page.problem, {"pick": "slow-top"})
    assert "<h1>Convergence: Freely spinning body" in visible_html(shown)
    assert "Explicit Newmark: <small>order 2" in visible_text(shown)
    send_message(one_page.problem, {"pick": "free"})
    one_page.study.enter("study", STUDIES["long-run"].title)
    assert "<h1>Long run: Freely spinning body" in visible_html(
        shown
    ) and "Press Run" in visible_text(shown)
    assert (
        not visible_figures(shown)
        and not find_offers(shown, "csv")
        and "converges" not in visible_text(shown)
    )
    send_message(one_page.problem, {"pick": "slow-top"})
    assert "<h1>Long run: Slow top" in visible_html(shown)
    one_page.form.enter("steps", "50000")
    one_page.run()
    assert "<h1>Long run: Slow top" in visible_html(shown) and "converges" not in visible_text(
        shown
    )


def test_nothing_is_begun_while_a_field_is_in_question(one_page: Studies) -> None:
    before = one_page.result
    shown = one_page.page()
    one_page.form.enter("duration", "soon")
    press(shown, "run")
    assert one_page.result is before and "Not started: Duration must be a number" in visible_text(
        shown
    )
    one_page.form.enter("duration", "3")
    press(shown, "run")
    assert one_page.result.duration == 3.0


@pytest.mark.exhaustive
def test_while_something_else_is_measured_nothing_is_said_of_what_was_before(
    one_page: Studies,
) -> None:
    shown = one_page.page()
    seen = []
    one_page.study.enter("study", STUDIES["long-run"].title)
    one_page.form.enter("steps", "2e8")

    def look() -> bool:
        if "<h1>Long run" not in visible_html(shown):
            return False
        seen.append("converges" in visible_text(shown))
        if len(seen) == 2:  # the title comes first
            one_page.form.enter("steps", "1e8")
        return len(seen) > 1

    stop_when(shown, look)
    press(shown, "run")
    assert seen[-1] is False
    assert "The question has changed since then: press Run." in visible_text(
        shown
    ) and not measured_is_asked(shown)


async def show_run(question: StudyQuestion) -> Any:
    """Return the page after a click on Run."""
    page = Studies(question)
    shown = page.page()
    press(shown, "run")
    while page.worker.busy:
        await asyncio.sleep(0.01)
    return shown


def test_what_can_not_be_measured_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> None:
        raise ArithmeticError("<b>no</b>")

    monkeypatch.setattr(StudyQuestion, "run", fails)
    shown = asyncio.run(show_run(study_forms.first_question("advise")))
    assert "The measurement failed: <b>no</b>" in visible_text(shown)
    assert "<b>no" not in visible_html(shown)


def test_what_does_not_fit_is_told_with_the_names_of_methods() -> None:
    adaptive = study_forms.with_methods(study_forms.first_question("convergence"), ["RKMK853"])
    shown = asyncio.run(show_run(adaptive))
    name = engine.algorithm("RKMK853").short
    assert f"{name} chooses its own steps; compare it by work" in visible_text(shown)


@pytest.mark.exhaustive
def test_a_long_run_that_is_stopped_shows_and_keeps_what_was_measured() -> None:
    page = Studies(
        study_forms.with_methods(
            study_forms.first_question("long-run").with_text("steps", "2e8"), ["MR2", "NMB"]
        )
    )
    shown = page.page()
    stop_when(
        shown, lambda: any(f"value='{percent}'" in visible_html(shown) for percent in range(10, 50))
    )
    press(shown, "run")
    assert page.result.runs[0].status == "cancelled"
    assert "was stopped after " in visible_text(
        shown
    ) and "Stopped: the page shows what was measured" in visible_text(shown)
    assert rows(shown) > 0 and page.result.to_frame()["method"].unique().tolist() == ["MR2"]


@pytest.mark.parametrize(
    ("key", "texts"),
    first(
        [
            ("ensemble", {"members": "2000", "duration": "1e4"}),
            ("long-run", {"steps": "5e8"}),
            ("advise", {"within": "1e-10", "duration": "2000", "budget": "120"}),
        ]
    ),
)
def test_rows_come_while_it_works_and_what_was_stopped_is_drawn(
    key: str, texts: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.pages.studies_page.REDRAW_EVERY", 0.0)
    one = study_forms.with_methods(
        study_forms.first_question(key), ["MR2"] if key != "advise" else ["NMB", "AKW"]
    )
    for name, text in texts.items():
        one = one.with_text(name, text)
    page = Studies(one)
    shown = page.page()
    live: list[tuple[str, str]] = []

    def frames() -> list[tuple[str, str]]:
        return [
            (drawn.xaxis[0].axis_label, drawn.yaxis[0].axis_label)
            for drawn in visible_figures(shown)
        ]

    def there_are_points() -> bool:
        live[:] = frames() if visible_curves(shown) else []
        return bool(live)

    stop_when(shown, there_are_points)
    press(shown, "run")
    assert not page.result.finished and "Stopped: the page shows what was measured" in visible_text(
        shown
    )
    assert visible_curves(shown) and frames() == live != []
    (block,) = find_offers(shown, "csv")
    heard = record_messages(block)
    press(shown, "csv")
    assert rows(shown) > 0 and len(heard[0]["text"].splitlines()) > 1


def test_a_lost_phase_is_named_in_the_rows() -> None:
    study = measured.convergence("free", "AKW", [300.0 / 184, 0.02, 0.01], duration=300.0)
    rows, _ = format_rows(study.to_frame())
    assert study.rungs[0].attitude == np.inf
    assert [row[3] == "phase lost" for row in rows] == [True, False, False]


def test_who_stops_before_anything_was_measured_is_told_so() -> None:
    async def visit() -> None:
        for one, words in (
            (
                study_forms.first_question("long-run").with_text("steps", "1e8"),
                "before there was a result",
            ),
            (asked("convergence"), "still shows"),
        ):
            page = Studies(one)
            shown = page.page()
            while one.quick and page.result is None:
                await asyncio.sleep(0.01)
            before = page.result
            page.run()
            page.worker.stop()
            assert words in visible_text(shown) and page.result is before

    asyncio.run(visit())


# --- charts ---


def chart(*curves: Curve) -> Chart:
    return Chart((Axes(Axis("Δt", log=True), Axis("error, rad", log=True)),), curves)


def test_figures_stay_while_only_points_change() -> None:
    view = ChartView(lambda want: {})
    view.show(chart(Curve("A", np.array([1.0, 0.1]), np.array([1.0, 0.01]))))
    (before,) = visible_figures(view.panel)
    view.show(chart(Curve("A", np.array([1.0, 0.1, 0.01]), np.array([1.0, 0.01, 1e-4]))))
    assert visible_figures(view.panel) == [before]
    assert visible_curves(view.panel)[0]["y"].tolist() == [1.0, 0.01, 1e-4]
    assert before.y_range.start < 1e-4 and before.y_range.end > 1.0
    view.show(chart(*(Curve(name, np.ones(1), np.ones(1)) for name in "AB")))
    assert visible_figures(view.panel) != [before]


def test_variants_have_the_name_that_they_share_once_in_the_legend() -> None:
    view = ChartView(lambda want: {})
    names = "Munthe-Kaas", "Munthe-Kaas with Dormand–Prince, order 8", "Koziara–Bićanić"
    view.show(chart(*(Curve(name, np.ones(1), np.ones(1)) for name in names)))
    legend = re.sub("<svg.*?</svg>", "", visible_html(view.panel))
    assert (
        "<b>Munthe-Kaas</b><span>default</span><span>Dormand–Prince, order 8</span>"
        "<span>Koziara–Bićanić</span>"
    ) in legend


def test_an_axis_holds_what_is_drawn() -> None:
    for axis in (Axis("x"), Axis("x", log=True)):
        for values in ([0.2, 7.0], [3.0], [1e-12, 1e-3], []):
            low, high = find_span(axis, [np.array(values)])
            assert low < min(values, default=0.5) and high > max(values, default=0.5)
            assert not axis.log or low > 0
    assert find_span(Axis("x", ticks=("A", "B")), []) == (-0.6, 1.6)


def test_a_drawing_has_all_points_and_names() -> None:
    lines = Curve("A<b>", np.array([1.0, 0.1, 0.01]), np.array([1.0, 0.01, 1e-4]), marks=True)
    points = Curve("B", np.array([0.5]), np.array([0.5]), marks=True, line=False)
    text = draw_svg(chart(lines, points), 0)
    assert (
        text.count(OUTLINES["circle"]) == 3 + 1 and text.count('<path d="M1 1h8v8h-8Z') == 1 + 1
    ), "and in the legend"
    assert text.count("<polyline") == 1
    assert "A&lt;b&gt;" in text and "against Δt" in text


def test_a_study_is_cancelled_while_it_works() -> None:
    one = study_forms.first_question("long-run").with_text("steps", "1e9")
    cancel = threading.Event()
    reports = []

    def progress(done: float, total: int, *_: Any) -> None:
        reports.append(done / total)
        cancel.set()

    assert one.run(progress, cancel).finished is False
    assert 0 < reports[-1] < 1


def test_a_study_takes_the_cluster_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = []
    one = study_forms.first_question("map")
    function = functools.wraps(one.about.function)(lambda *_, **given: taken.append(given))
    monkeypatch.setattr(StudyQuestion, "about", replace(one.about, function=function))
    for scheduler in ("tcp://somewhere:8786", ""):
        monkeypatch.setattr(study_forms.cluster, "scheduler", scheduler)
        one.run(lambda *_, **__: None, threading.Event())
    assert [given.get("executor") for given in taken] == ["tcp://somewhere:8786", None]


def test_curves_of_a_group_share_a_colour_and_differ_in_marks_and_dashes() -> None:
    x = np.arange(2.0)
    names = "abcd"
    curves = [Curve(name, x, x, group="together" if name in "bd" else "") for name in names]
    looks = choose_looks(curves)
    assert [looks[name].colour for name in names] == [COLOURS[i] for i in (0, 1, 2, 1)]
    assert [looks[name].mark for name in names] == [MARKS[i] for i in (0, 1, 2, 2)]
    assert [looks[name].dash for name in names] == [DASHES[i] for i in (0, 0, 0, 1)]


@pytest.fixture
def other_machines(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A Dask cluster of two workers, which makes the runs of maps."""
    with cluster_of(2) as cluster:
        monkeypatch.setattr(study_forms.cluster, "scheduler", cluster.scheduler_address)
        yield cluster


LARGE_MAP = {
    "across": "dt=log:0.001:1:200",
    "up": "Omega0.z=1:50:200",
    "duration": "20",
    "measure": "torques",
}


def large_map(**texts: str) -> StudyQuestion:
    found = study_forms.with_methods(
        replace(study_forms.first_question("map"), problem="slow-top"), ["NMB"]
    )
    for name, text in (LARGE_MAP | texts).items():
        found = found.with_text(name, text)
    return found


@pytest.mark.exhaustive
def test_a_map_is_the_same_on_other_machines_and_told_when_they_are_gone(
    other_machines: Any,
) -> None:
    small = large_map(
        across="dt=log:0.01:1:20", up="Omega0.z=1:50:20", duration="2", measure="energy"
    )
    here = small.about.function(**small._arguments())
    before = other_machines.scheduler.transition_counter
    there = small.run(lambda *_, **__: None, Cancellation())
    assert other_machines.scheduler.transition_counter > before == 0
    assert here.data.identical(there.data) and there.finished and not there.lost

    stop = Cancellation()
    part = large_map().run(lambda done, *_, **__: stop.set() if done else None, stop)
    assert 0 < len(part.to_frame()) < 200 * 200 and not part.finished and not part.lost

    page = Studies(large_map())
    shown = page.page()
    for part in shown.select(HtmlBlock):
        part.param.watch(
            lambda _: "of 40,000" in visible_html(shown) and other_machines.close(), "html"
        )
    press(shown, "run")
    assert "A Dask cluster has gone" in visible_text(shown) and rows(shown) > 0
    assert "Stopped: the page shows what was measured until then." in visible_text(shown)
