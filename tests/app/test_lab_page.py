"""The page without a browser: consequences of a change, undo, presets, and notebooks."""

from __future__ import annotations

import asyncio
import dataclasses
import html
import json
import re
import sys
import threading
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode

import numpy as np
import panel as pn
import pytest
from bokeh.document import Document
from bokeh.models import ColumnDataSource
from covering import first, some
from page_driver import (
    find_offers,
    press,
    send_message,
    stop_when,
    visible_figures,
    visible_html,
    visible_text,
)
from sentences import find_retired
from timeouts import TIMEOUT

import app
import engine
from app.browser.addresses import describe_other_lab, read_query
from app.browser.page_links import OPENS, PAGES, page_link
from app.browser.script_api import MOST_PAST, ScriptApi
from app.pages.explorer import SURPRISES
from app.pages.lab import LabPage, open_lab
from app.pages.routes import open_page
from app.scene.one_body import pack_shapes
from app.scene.player import Player
from app.state.choice import Choice, validate
from app.state.excerpt import SIMPLE, START, VIEWS, Excerpt
from app.state.form_fields import ON
from app.state.history import GESTURE
from app.state.labs import LABS
from app.state.links import link, polhode_version
from app.state.presets import PRESETS
from app.state.presets.preset import LEVELS, PAPERS
from app.state.presets.surprise import surprise
from app.state.results import AWAITED, COLOURS, STOPPED, compute
from app.state.simple import FIRST_SEEN
from app.state.view import View
from app.views.controls.appearance import AUTO
from app.views.controls.chooser import COMPOSITION, ENERGY
from app.views.controls.form import Form
from app.views.controls.switches import Switches
from app.views.dialogs.html_block import HtmlBlock, Prose
from app.views.dialogs.notice import Notice
from app.views.dialogs.progress_notice import ProgressNotice
from app.views.pictures.energies import STATES, Energies
from app.views.plots.local_runs import LocalRuns
from app.views.plots.plot_canvas import PlotCanvas
from app.views.tables.ledger_table import table_html
from engine import body
from engine.kernels import Cancelled
from engine.text import glossary
from engine.text.formatting import format_seconds

CHOICE = Choice("free", ("NMB", "AKW"), 0.5, 100.0)


@pytest.fixture
def lab() -> LabPage:
    return open_lab(CHOICE)


def ends(lab: LabPage) -> list[list[list[float]]]:
    assert lab.explorer.results is not None
    return [line.run.R[-1].tolist() for line in lab.explorer.results.runs]


def test_a_change_of_a_widget_is_a_new_run(lab):
    lab.chooser.form.enter("dt", "0.25")
    run = engine.simulate("free", "NMB", dt=0.25, duration=100)
    assert ends(lab)[0] == run.R[-1].tolist()
    assert lab.explorer.history.now == dataclasses.replace(CHOICE, dt=0.25)
    assert lab.explorer.api.state["choice"]["dt"] == 0.25


MOST_FILES = 10
"""Files of one language that a change passes through."""
PATH = Path(app.__file__).parents[1] / "docs" / "developer" / "path.md"


def read_path(suffix: str) -> list[tuple[str, str]]:
    """The functions of the first table in files with this suffix, each with its file."""
    rows = rf"^\| `([^`]+)` \| `([\w./-]+\.{suffix})` \|"
    table, _, _ = PATH.read_text(encoding="utf-8").partition("\n## ")
    return re.findall(rows, table, re.MULTILINE)


def test_the_documented_path_of_a_change_of_the_step(lab: LabPage) -> None:
    """The functions of the page's table are entered in its order, and no other file of the project
    stands between them.
    """
    root = f"{PATH.parents[2]}/"
    documented = read_path("py")
    entered: dict[tuple[str, str], None] = {}
    between: set[str] = set()

    def name(frame: FrameType) -> tuple[str, str]:
        return frame.f_code.co_qualname, frame.f_code.co_filename.removeprefix(root)

    def note(frame: FrameType | None, event: str, _: Any) -> None:
        assert frame is not None
        if event != "call" or name(frame) not in documented or name(frame) in entered:
            return
        entered[name(frame)] = None
        while frame is not None and frame.f_code is not send_message.__code__:
            if frame.f_code.co_filename.startswith(root):
                between.add(name(frame)[1])
            frame = frame.f_back

    sys.setprofile(note)
    try:
        send_message(lab.chooser.form, {"name": "dt", "text": "0.25", "moved": True, "held": True})
    finally:
        sys.setprofile(None)
    assert list(entered) == documented
    files = {file for _, file in documented}
    assert between <= files and len(files) <= MOST_FILES
    assert lab.explorer.history.now.dt == 0.25


@pytest.mark.exhaustive
def test_a_potential_of_another_torque_is_reported_at_its_field_and_no_method_loses_energy():
    typed = {"formula": "cos(t)*cross(R[:,2], e3)", "potential": "-R[2,2]", "R0": (0.5, 0, 0)}
    lab = open_lab(
        Choice("custom(torque=formula)", ("EXACT", "RKMK"), 0.05, 5.0).with_changes(**typed)
    )
    assert "the potential gives (" in lab.chooser.cases.wrong["potential"]
    assert lab.explorer.results is not None
    table = LABS["so3"].ledger.table(lab.explorer.results)
    assert "energy" not in table.conclusion and all(
        row.cells["energy"].value is None for row in table.rows
    )
    assert "the potential gives (" in " ".join(table.notes)
    lab.chooser.cases.enter("formula", "cross(R[:,2], e3)")
    assert lab.chooser.cases.wrong == {}


@pytest.mark.exhaustive
def test_for_fingers_the_step_is_halved_and_doubled_above_the_plots(lab):
    press(lab.main(), "dt", "halve")
    assert lab.explorer.history.now.dt == 0.25
    press(lab.main(), "dt", "double")
    assert lab.explorer.history.now.dt == 0.5
    assert not find_offers(
        open_lab(CHOICE, excerpt=Excerpt(show=("energy",), controls=())).main(), "dt", "halve"
    )


def test_one_undo_takes_a_whole_gesture_back(lab):
    before = ends(lab)
    published = lab.explorer.api.state["published"]
    for text in ("0.63", "0.79", "1"):
        send_message(lab.chooser.form, {"name": "dt", "text": text, "moved": True, "held": True})
    assert lab.explorer.api.state["published"] == published + 3
    assert lab.chooser.form.values["dt"] == "1"
    lab.explorer.undo()
    assert lab.chooser.form.values["dt"] == "0.5"
    assert ends(lab) == before
    lab.explorer.redo()
    assert lab.chooser.form.values["dt"] == "1"
    assert lab.explorer.history.now.dt == 1.0


def test_undo_and_redo_restore_the_view_of_a_setting_and_remove_what_a_preset_says(lab):
    page = lab.main()
    preset = next(preset for preset in PRESETS if preset.key == "racket")
    lab.plots.group = "Attitude"
    lab.plots.axis = "Linear"
    first = lab.view
    press(page, "flip")
    assert lab.view == preset.view != first and "Throw a racket" in visible_text(page)
    lab.plots.curves = "Dashed"
    own = lab.view
    lab.chooser.form.enter("dt", "0.02")
    lab.explorer.undo()
    assert lab.view == own and lab.explorer.history.now == preset.choice, (
        "a step that sets no view leaves it alone"
    )
    lab.explorer.undo()
    assert (
        lab.view == first
        and lab.explorer.history.now == CHOICE
        and "Throw a racket" not in visible_text(page)
    )
    lab.plots.axis = "Log"
    lab.explorer.redo()
    assert lab.view == own and lab.explorer.history.now == preset.choice
    lab.explorer.undo()
    assert lab.view == dataclasses.replace(first, axis="Log")
    assert lab.downloads.panel.texts["link"] == link(CHOICE, view=lab.view)


@pytest.mark.exhaustive
def test_a_gesture_lasts_as_long_as_a_slider_is_held(lab, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("app.state.history.time.monotonic", lambda: now[0])
    for text, held in (("0.63", True), ("0.79", True), ("1", False), ("1.26", True)):
        send_message(lab.chooser.form, {"name": "dt", "text": text, "moved": True, "held": held})
        now[0] += 2 * GESTURE
    reports = []
    for _ in range(3):
        lab.explorer.undo()
        reports.append(lab.chooser.form.values["dt"])
    assert reports == ["1", "0.5", "0.5"]


def test_a_move_of_a_slider_looks_for_no_kernels_and_leaves_the_names_of_the_methods_alone(
    lab, monkeypatch
):
    looked = []
    monkeypatch.setattr(
        "app.state.effort.list_kernels", lambda choice: looked.append(choice.methods) or []
    )
    (legend,) = [block for block in lab.main().select(HtmlBlock) if "class='legend'" in block.html]
    reports = []
    legend.param.watch(reports.append, "html")
    for name, text in (("dt", "0.63"), ("duration", "90")):
        send_message(lab.chooser.form, {"name": name, "text": text, "moved": True, "held": True})
    assert lab.explorer.results.choice.duration == 90 and not looked and not reports
    send_message(lab.chooser.methods, {"pick": "DMV"})
    assert reports and looked == [("NMB", "AKW", "DMV")]


def test_methods_are_added_by_what_is_offered_and_removed(lab):
    send_message(lab.chooser.methods, {"pick": "NMB"})
    assert lab.explorer.history.now.methods == CHOICE.methods, "it is there already"
    for nonsense in ({"pick": "no such method"}, {"pick": ["DMV"]}, {}, "DMV"):
        send_message(lab.chooser.methods, nonsense)
    assert lab.explorer.history.now.methods == CHOICE.methods, "only what is offered can be picked"
    send_message(lab.chooser.methods, {"pick": "DMV"})
    assert lab.explorer.history.now.methods == ("NMB", "AKW", "DMV")
    press(lab.chooser.panel, "remove", "AKW")
    assert lab.explorer.history.now.methods == ("NMB", "DMV")
    assert [line.colour for line in lab.explorer.results.lines] == [
        line.colour for line in open_lab(CHOICE).explorer.results.lines
    ]


@pytest.mark.parametrize("field", ["dt", "duration"])
def test_what_can_not_be_had_is_said_at_its_widget(lab, field):
    form = lab.chooser.form
    for wrong, words in (("-1", "from"), ("1e99", "from"), ("never", "a number"), ("", "a number")):
        before = lab.explorer.results
        form.enter(field, wrong)
        assert words in form.wrong[field]
        assert lab.explorer.results is before
        form.enter(field, "2")
        assert form.wrong == {} and form.values[field] == "2"


def test_a_parameter_that_is_no_number_is_refused_in_words(lab):
    form = lab.chooser.form
    form.enter("J", "heavy")
    assert "separated by commas" in form.wrong["J"]
    form.enter("J", "1, 1, 3")
    assert "J" not in dict(lab.explorer.history.now.changes), "no body has such moments"
    form.enter("J", "1, 2, 2.5")
    assert dict(lab.explorer.history.now.changes)["J"] == (1.0, 2.0, 2.5)
    form.enter("J", "")
    assert lab.explorer.history.now.changes == ()


@pytest.mark.exhaustive
def test_what_was_refused_gives_way_to_what_holds(lab):
    form = lab.chooser.form
    form.enter("J", "heavy")
    assert list(form.wrong) == ["J"]
    form.enter("dt", "0.25")
    assert form.wrong == {}
    assert form.values["J"] == "0.9144, 1.098, 1.66"


def test_only_what_is_there_can_be_typed_into(lab):
    before = lab.explorer.history.now
    for nonsense in (
        {"name": "gravity", "text": "1"},
        {"name": "dt", "text": 3},
        {"name": ["dt"], "text": "1"},
        "dt",
        {},
    ):
        send_message(lab.chooser.form, nonsense)
    send_message(lab.chooser.cases, {"name": "sign", "text": "up"})
    assert lab.explorer.history.now == before
    lab.chooser.form.enter("dt", "1" * 5000)
    assert "number from" in lab.chooser.form.wrong["dt"]


@pytest.mark.exhaustive
def test_the_case_of_a_problem_is_one_of_those_that_there_are(lab):
    send_message(lab.chooser.problem, {"pick": "soft-wall"})
    (case,) = lab.chooser.cases.fields
    assert case["kind"] == "menu" and lab.chooser.cases.values[case["name"]] in case["options"]
    before = lab.explorer.history.now
    lab.chooser.cases.enter(case["name"], "sideways")
    assert lab.explorer.history.now == before
    lab.chooser.cases.enter(case["name"], case["options"][-1])
    assert lab.chooser.cases.values[case["name"]] == case["options"][-1]


def test_what_is_there_is_not_computed_again():
    first = compute(CHOICE)
    more = compute(dataclasses.replace(CHOICE, methods=("AKW", "MR2", "NMB")), before=first)
    assert [line.label for line in more.lines] == ["AKW", "MR2", "NMB"]
    assert [line.colour for line in more.lines] == [*COLOURS[:3]]
    assert more.lines[0].run is first.lines[1].run
    assert more.lines[0].error is first.lines[1].error
    assert more.exact is first.exact
    np.testing.assert_array_equal(
        more.lines[1].run.R, engine.simulate("free", "MR2", dt=0.5, duration=100).R
    )
    # Another motion, or one that was cut short, has to be computed.
    other = compute(dataclasses.replace(CHOICE, duration=99.0), before=first)
    assert other.lines[0].run is not first.lines[0].run
    assert len(other.lines[0].run) < len(first.lines[0].run)
    assert other.exact is not first.exact
    assert (
        compute(CHOICE, before=dataclasses.replace(first, cancelled=True)).lines[0].run
        is not first.lines[0].run
    )


def test_inertia_is_had_from_a_shape(lab):
    form = lab.chooser.shapes.form
    form.enter("shape", "Pyramid")
    assert lab.explorer.history.now == CHOICE
    form.enter("shape", "Box")
    assert form.values["mass"] == "1"
    np.testing.assert_allclose(lab.explorer.history.now.build_problem().J, body.box(1, 2, 3).J)
    form.enter("sizes", "1, 1")
    assert "3 numbers" in form.wrong["sizes"]
    form.enter("sizes", "3, 2, 1")
    assert form.wrong == {}
    form.enter("mass", "heavy")
    assert list(form.wrong) == ["mass"]
    form.enter("mass", "5")
    assert form.wrong == {}
    np.testing.assert_allclose(
        lab.explorer.history.now.build_problem().J, body.box(3, 2, 1, mass=5).J
    )
    form.enter("shape", "Dumbbell")
    assert [field["name"] for field in form.fields] == ["shape", "sizes"], (
        "it has its own two masses"
    )
    lab.explorer.undo()
    np.testing.assert_allclose(
        lab.explorer.history.now.build_problem().J, body.box(3, 2, 1, mass=5).J
    )


def test_a_diagonal_inertia_has_three_numbers_wherever_it_comes_from(lab):
    lab.chooser.shapes.form.enter("shape", "Racket")
    moments = tuple(np.diag(lab.chooser.shapes.body.J).tolist())
    assert dict(lab.explorer.history.now.changes)["J"] == moments
    assert lab.explorer.history.now.query()["J"].count(",") == 2
    linked = validate(Choice("free").with_changes(J=(1, 0, 0, 0, 2, 0, 0, 0, 2.5)))
    assert dict(linked.changes)["J"] == (1.0, 2.0, 2.5)
    full = (2.0, 0.1, 0, 0.1, 2, 0, 0, 0, 2.5)
    assert dict(validate(Choice("free").with_changes(J=full)).changes)["J"] == full


def test_the_body_whose_inertia_is_taken_is_drawn(lab):
    """The shape holds while the body has that inertia, unless another shape was chosen."""
    view = lab.stage.picture("Body in space")

    def drawn_as(shape: str) -> bool:
        view.show(lab.explorer.results)
        return view.panel.shapes == pack_shapes(lab.explorer.results, "body", shape)

    lab.chooser.shapes.form.enter("shape", "T-handle")
    assert drawn_as("T-handle") and not drawn_as(AUTO)
    view.panel.body = "book"
    assert drawn_as("book")
    view.panel.body = AUTO
    assert drawn_as("T-handle")
    lab.chooser.form.enter("J", "1, 2, 3")
    assert drawn_as(AUTO) and not drawn_as("T-handle")


def test_the_picture_of_a_top_is_named_for_its_traces(lab):
    assert lab.stage.switches.labels == []
    lab.explorer.choose(Choice("slow-top", ("NMB",), 0.01, 1.0))
    assert lab.stage.switches.labels == [["Poinsot", "Traces"]]
    assert lab.stage.picture("Poinsot").panel.label == "Traces of the motion in space"
    lab.explorer.choose(Choice("free", ("NMB",), 0.5, 1.0))
    assert lab.stage.switches.labels == [] and "Poinsot" in lab.stage.picture("Poinsot").panel.label


@pytest.mark.exhaustive
def test_a_racket_and_a_mesh_file_are_among_the_shapes(lab):
    shapes = lab.chooser.shapes
    shapes.form.enter("shape", "Racket")
    moments = np.diag(shapes.body.J)
    assert (
        shapes.body.name == "racket"
        and moments[0] < moments[1] < moments[2] <= moments[0] + moments[1]
    )
    shapes.form.enter("sizes", "0.3, 0.36, 0.26")
    assert "shorter than the whole" in shapes.form.wrong["sizes"]
    shapes.form.enter("shape", "Your own mesh …")
    assert lab.stage.title == "Body in space" and lab.stage.picture().panel.asked == 1
    assert shapes.form.values["shape"] == "—"


@pytest.mark.exhaustive
def test_a_picture_that_is_chosen_shows_the_newest_runs(lab):
    shown = lab.main()
    (pictures,) = [one for one in shown.select(Switches) if one.sets[0][0] == "Picture"]
    pictures.chosen = ["From above"]
    pictures.chosen = ["Poinsot"]
    lab.chooser.form.enter("dt", "0.25")
    pictures.chosen = ["From above"]
    drawn = visible_figures(shown)[0].select_one({"name": "Explicit Newmark"}).data_source.data
    assert drawn["t"][-1] == 100 and drawn["t"][1] == 0.25


def test_what_a_change_brings_is_read_out_with_the_setting(lab):
    lab.chooser.form.enter("dt", "0.25")
    said = lab.explorer.api.state["said"]
    assert said == [
        lab.explorer.results.problem.name,
        lab.explorer.results.choice.caption(),
        lab.ledger.conclusion,
    ]
    assert "Δt = 0.25" in said[1] and "Implicit midpoint keeps" in said[2]


def test_what_can_not_be_computed_is_told(monkeypatch):
    async def visit():
        lab = open_lab(CHOICE)
        await until(lambda: lab.explorer.results is not None)
        first = lab.explorer.results

        def fails(*_):
            raise ArithmeticError("<b>no</b>")

        monkeypatch.setattr("app.pages.explorer.compute", fails)
        lab.explorer.choose(dataclasses.replace(CHOICE, dt=1e-5))
        await until(lambda: not lab.explorer.worker.busy)
        assert "The computation failed: <b>no</b>" in visible_text(
            lab.main()
        ) and "<b>no" not in visible_html(lab.main())
        assert lab.explorer.results is first

    asyncio.run(visit())


@pytest.mark.exhaustive
def test_a_problem_comes_with_its_own_step(lab):
    send_message(lab.chooser.problem, {"pick": "slow-top"})
    assert lab.chooser.problem.value == "slow-top"
    problem = engine.problem("slow-top")
    assert (lab.explorer.history.now.dt, lab.explorer.history.now.duration) == (
        problem.dt,
        problem.duration,
    )
    assert lab.explorer.history.now.methods == CHOICE.methods
    lab.chooser.form.enter("dt", "0.01")
    lab.explorer.reset()
    assert lab.explorer.history.now.dt == problem.dt


@pytest.mark.exhaustive
def test_options_energy_correction_and_composition_name_the_method():
    lab = open_lab(dataclasses.replace(CHOICE, methods=("DMV", "BUSS3")))
    options = lab.chooser.options
    assert options.fields == [], "while they are folded there are none"
    options.folded = False
    assert options.values[f"1 {ENERGY.name}"] == ""
    options.enter(f"1 {ENERGY.name}", ON)
    assert (
        lab.explorer.history.now.methods == ("DMV", "BUSS3+E")
        and options.values[f"1 {ENERGY.name}"] == ON
    )
    options.enter(f"0 {COMPOSITION.name}", "yoshida4")
    assert engine.algorithm(lab.explorer.history.now.methods[0]).composition.key == "yoshida4"
    options.enter(f"0 {COMPOSITION.name}", "none")
    options.enter(f"1 {ENERGY.name}", "")
    assert lab.explorer.history.now.methods == ("DMV", "BUSS3")
    for name, text, label in (
        ("precision", "single", "DMV(precision=single)"),
        ("substeps", "4", "DMV(precision=single, substeps=4)"),
        ("precision", "double", "DMV(substeps=4)"),
        ("substeps", "1", "DMV"),
    ):
        options.enter(f"0 {name}", text)
        assert lab.explorer.history.now.methods[0] == label


def test_an_option_that_can_not_be_had_is_refused_in_words():
    lab = open_lab(dataclasses.replace(CHOICE, methods=("AKW", "MR2")))
    options = lab.chooser.options
    options.folded = False
    options.enter("1 axes", "999")
    assert "1 axes" in options.wrong and lab.explorer.history.now.methods == ("AKW", "MR2")
    options.enter("1 axes", "231")
    assert options.wrong == {} and lab.explorer.history.now.methods == ("AKW", "MR2(axes=231)")


@pytest.mark.exhaustive
def test_presets_and_surprises_are_shown(lab):
    SURPRISES.seed(17)
    preset = PRESETS[0]
    lab.plots.group = "Steps"
    lab.plots.axis = "Linear"
    send_message(lab.presets, {"pick": preset.key})
    assert (lab.plots.group, lab.plots.axis) == ("Motion", "Log"), "the preset's view"
    assert lab.explorer.history.now == preset.choice
    assert preset.title in visible_text(lab.main())
    send_message(lab.presets, {"pick": ""})
    assert lab.explorer.results.choice == lab.explorer.history.now == surprise(Random(17))
    assert preset.title not in visible_text(lab.main())


def test_presets_begin_with_twelve_that_teach_and_leave_the_papers_to_their_page(lab):
    send_message(lab.presets, {"open": True})
    groups = dict(lab.presets.groups)
    assert list(groups)[: len(LEVELS)] == list(LEVELS)
    first = [entry for name in LEVELS for entry in groups[name]]
    assert len(first) == 12 and all(entry[2] and entry[4] for entry in first), (
        "each with a sentence and a picture"
    )
    shown = {entry[0] for entries in groups.values() for entry in entries}
    papers = {preset.key for preset in PRESETS if preset.group == PAPERS and preset.figure}
    assert papers and not papers & shown and {preset.key for preset in PRESETS} <= papers | shown


def test_the_small_ledger_has_ticks_and_bars_and_a_status(lab):
    table = lab.ledger.table
    row = dict(
        zip(
            ("energy", "momentum", "attitude"),
            re.findall(r"<td.*?</td>", lab.headline.html.split("Implicit midpoint</th>")[1]),
            strict=False,
        )
    )
    assert "✓" in row["energy"] and "✓" in row["momentum"] and "--size" in row["attitude"]
    energy = table.rows[0].cell("energy")
    assert (
        f"<i style='--size:{1 + np.log10(energy.value) / 12:.2f}'></i>{energy.text}</td>"
        in lab.headline.html
    )
    lab.chooser.form.enter("dt", "5")
    lab.explorer.choose(Choice("free", ("NMB", "DMV"), 5.0, 100.0))
    assert "no solution" in lab.headline.html
    stops = [
        re.findall("class='term' tabindex='(.*?)'", text)
        for text in (lab.headline.html, table_html(table))
    ]
    assert set(stops[0]) == {"-1"}, "no Tab stop before the picture"
    assert stops[1][0] == "0" and set(stops[1][1:]) == {"-1"}, (
        "one Tab stop; arrow keys lead to the others"
    )


def test_variants_of_one_method_have_its_name_once_above_what_tells_them_apart() -> None:
    axes = ("", "(axes=231)", "(axes=321, trig=cayley)")
    page = open_lab(Choice("free", tuple(f"MR2{words}" for words in axes), 0.5, 10.0))
    own = ["default", "axes 231", "axes 321 and turns by the Cayley map"]
    card = page.card.panel.html.partition("</fieldset>")[0]
    parts = [page.chooser.panel, page.legend, page.headline, page.ledger.panel, card]
    for part in parts:
        shown = part if isinstance(part, str) else visible_html(part)
        text = re.sub(r"<svg.*?</svg>|data-[a-z]+='.*?'|aria-label='.*?'|<[^>]*>", "", shown)
        assert text.count("McLachlan–Reich") == 1 and all(words in text for words in own), text


def test_variants_are_told_apart_by_what_differs_beside_another_method() -> None:
    methods = ("MR2(axes=231)", "MR2(axes=321, trig=cayley)", "NMB")
    page = open_lab(Choice("free", methods, 0.5, 10.0))
    own = ["axes 231", "axes 321 and turns by the Cayley map", "Explicit Newmark"]
    card = page.card.panel.html.partition("</fieldset>")[0]
    parts = [page.chooser.panel, page.legend, page.headline, page.ledger.panel, card]
    for part in parts:
        shown = part if isinstance(part, str) else visible_html(part)
        text = re.sub(r"<svg.*?</svg>|data-[a-z]+='.*?'|aria-label='.*?'|<[^>]*>", "", shown)
        assert all(words in text for words in own), text
        assert "McLachlan–Reich" in text and "Reich with" not in text, text
    assert "McLachlan–Reich with axes 231 and with axes 321" in page.ledger.conclusion


def test_a_link_s_words_are_shown_and_not_obeyed(lab):
    notice = Notice(
        from_link("?problem=<img src=x onerror=alert(1)>&methods=[here](http://x.example)")[1]
    )
    assert html.unescape(notice.html).count("<img src=x onerror=alert(1)>") == 1
    assert "<img" not in notice.html and "<a" not in notice.html
    press(notice, "close")
    assert notice.html == ""


def test_a_long_run_can_be_stopped(lab):
    long = dataclasses.replace(CHOICE, dt=1e-5, duration=5000.0)
    stop_when(lab.main())
    lab.explorer.choose(long)
    assert lab.explorer.results.cancelled
    assert {line.run.status for line in lab.explorer.results.runs} == {"cancelled"}


async def until(true):
    async with asyncio.timeout(TIMEOUT):
        while not true():
            await asyncio.sleep(0.01)


def slow_compiler(monkeypatch, go_on, wanted):
    """From now on the kernels of the slow top are ready only after a signal."""
    monkeypatch.setattr(
        "app.state.results.find_missing_kernels",
        lambda problem, *_: wanted if problem.key == "slow-top" else [],
    )
    monkeypatch.setattr(
        "engine.kernels.build.compile_kernel", lambda parts, name="": go_on.wait(TIMEOUT)
    )
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0}, raising=False)


@pytest.mark.exhaustive
def test_a_first_use_says_what_is_compiled_and_what_is_still_shown(monkeypatch):
    """Compiling runs beside the page; old results keep their title, and Stop leaves them there."""
    go_on = threading.Event()
    wanted = [("AKW", "kernel of AKW"), ("NMB", "kernel of NMB")]

    async def visit():
        lab = open_lab(CHOICE)
        await until(lambda: lab.explorer.results is not None)
        slow_compiler(monkeypatch, go_on, wanted)
        first = lab.explorer.results
        title = f"<h1>{lab.explorer.results.problem.name}"
        shown = lab.main()
        lab.explorer.choose(Choice("slow-top", ("NMB", "AKW"), 0.01, 1.0))
        await until(lambda: "Compiling Implicit midpoint, once (1 of 2)" in visible_text(shown))
        assert title in visible_html(shown) and lab.explorer.api.expected
        press(shown, "stop")
        await until(lambda: "Stopping: compiling Implicit midpoint" in visible_text(shown))
        assert not find_offers(shown, "stop"), "once is enough"
        go_on.set()
        await until(lambda: not lab.explorer.worker.busy)
        assert "Stopped." in visible_text(shown) and title in visible_html(shown)
        assert lab.explorer.results is first
        monkeypatch.undo()
        press(shown, "again")
        await until(lambda: lab.explorer.results is not first)
        assert (
            f"<h1>{lab.explorer.results.problem.name} <small>Explicit Newmark, Implicit midpoint"
            in visible_html(shown)
        )
        assert lab.explorer.results.choice.problem == "slow-top" and not lab.explorer.api.expected

    asyncio.run(visit())


def test_what_was_computed_before_is_there_at_once_though_something_is_compiled(monkeypatch):
    go_on = threading.Event()

    async def visit():
        lab = open_lab(CHOICE)
        await until(lambda: lab.explorer.results is not None)
        slow_compiler(monkeypatch, go_on, [("AKW", "a kernel")])
        lab.explorer.choose(Choice("slow-top", ("NMB", "AKW"), 0.01, 1.0))
        await until(lambda: "Compiling Implicit midpoint, once" in visible_text(lab.main()))
        lab.explorer.undo()
        assert (
            lab.explorer.worker.busy
            and lab.explorer.results.choice == CHOICE
            and not lab.explorer.api.expected
        )
        go_on.set()
        await until(lambda: not lab.explorer.worker.busy)
        assert lab.explorer.results.choice == CHOICE

    asyncio.run(visit())


@pytest.mark.exhaustive
def test_curves_come_before_an_exact_motion_that_takes_long(monkeypatch):
    """Waiting parts say so; you can stop and resume the work without another run."""
    go_on = threading.Event()
    at_once = engine.exact
    # No other test has its exact motion computed, which would be remembered.
    magnet = Choice("magnet", ("NMB", "SW"), 0.25, 5.0).with_changes(Omega0=(0.3, 0.1, 0.7))

    def slowly(*given, cancel, **more):
        while not go_on.wait(0.01):
            if cancel.is_set():
                raise Cancelled
        return at_once(*given, cancel=cancel, **more)

    def waiting(shown):
        return [i for i, plan in enumerate(plans(shown)) if plan["waiting"]]

    def plans(shown):
        (canvas,) = shown.select(PlotCanvas)
        return json.loads(canvas.plans)["plots"]

    def titles(shown):
        return [plan["title"] for plan in plans(shown)]

    async def visit():
        lab = open_lab(CHOICE)
        await until(lambda: lab.explorer.results is not None)
        monkeypatch.setattr("app.state.effort.REFERENCE_EFFORT", 1e9)
        monkeypatch.setattr(engine, "exact", slowly)
        shown = lab.main()
        lab.explorer.choose(magnet)
        await until(lambda: lab.explorer.results.choice == magnet)
        first = lab.explorer.results
        plotted = titles(shown)
        assert (
            first.exact_is_pending
            and lab.explorer.api.state["pending"]
            and not lab.explorer.api.expected
            and f"<h1>{first.problem.name}" in visible_html(shown)
        )
        assert "The errors against it follow." in visible_text(shown)
        assert f"title='{AWAITED}'>…" in visible_html(shown) and waiting(shown) == [1, 3]
        await until(lambda: "Computing the exact motion" in visible_text(shown))
        press(shown, "stop")
        await until(lambda: not lab.explorer.worker.busy)
        assert (
            STOPPED in visible_text(shown)
            and not waiting(shown)
            and not lab.explorer.results.exact_is_pending
            and not lab.explorer.api.state["pending"]
        )
        press(shown, "again")
        await until(lambda: lab.explorer.results.exact_is_pending)
        go_on.set()
        await until(lambda: lab.explorer.results.exact is not None)
        assert (
            titles(shown) == plotted and not waiting(shown) and AWAITED not in visible_text(shown)
        )
        for before, after in zip(first.lines, lab.explorer.results.lines, strict=True):
            assert after.run is before.run and after.error is not None

    try:
        asyncio.run(visit())
    finally:
        go_on.set()


def test_what_a_page_takes_is_compiled_while_the_browser_loads_it(monkeypatch):
    made = []
    loaded = []
    monkeypatch.setattr(
        "app.state.results.find_missing_kernels", lambda *_: [("AKW", "kernel of AKW")] * (not made)
    )
    monkeypatch.setattr(
        "engine.kernels.build.compile_kernel", lambda parts, name="": made.append(parts)
    )
    monkeypatch.setattr("panel.state.onload", loaded.append)

    async def visit():
        lab = open_lab(CHOICE)
        shown = lab.main()
        assert "Compiling Implicit midpoint, once …" in visible_text(shown) and not find_offers(
            shown, "stop"
        )
        await until(lambda: made)
        assert lab.explorer.results is None
        (load,) = loaded
        load()
        assert lab.explorer.results is not None and made == ["kernel of AKW"]
        assert "Compiling" not in visible_text(shown)


@pytest.mark.exhaustive
def test_what_takes_long_is_announced_while_the_browser_loads_the_page(monkeypatch):
    loaded = []
    monkeypatch.setattr("panel.state.onload", loaded.append)
    monkeypatch.setattr("app.pages.explorer.has_address", lambda: True)

    async def visit():
        assert "Computing …" in visible_text(open_lab(dataclasses.replace(CHOICE, dt=1e-4)).main())

    asyncio.run(visit())
    assert len(loaded) == 1

    asyncio.run(visit())


def from_link(search: str) -> tuple[Choice, list[str]]:
    choice, _, notices = read_query(dict(parse_qsl(search.lstrip("?"), keep_blank_values=True)))
    return choice, notices


def find_page(search: str) -> str:
    """The name of the page that a link opens."""
    name: str = open_page(search)[0].server_doc(Document()).template_variables["here"]
    return name


PLAIN_ADDRESSES: list[tuple[str, str | None, str]] = [
    ("", None, START), ("", "engines", "engines"), ("?page=methods", "lab", "methods"),
    ("?problem=slow-top", None, "lab"), ("?", None, START), ("?page=start", None, START), ("?page=lab", None, "lab"),
    ("?version=1", None, "lab"), ("", "lab", "lab"), ("", "simple", "lab"), ("", "", START), ("", "<i>", START),
    ("?page=methods", "", "methods"), ("?page=methods", "<i>", "methods"),
]  # fmt: skip


@pytest.mark.parametrize(("search", "chosen", "opened"), first(PLAIN_ADDRESSES))
def test_the_plain_address_opens_what_a_visitor_has_chosen_at_first_the_opening_view(
    search: str, chosen: str | None, opened: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if chosen is not None:
        monkeypatch.setattr(type(pn.state), "cookies", {OPENS: chosen})
    assert find_page(search) == opened


def test_the_opening_view_shows_the_energy_of_the_exact_motion_and_of_a_rule_without_an_engine() -> (
    None
):
    page, _ = open_page("?page=start&dt=1/30")
    (bars,) = page.select(Energies)
    (form,) = page.select(Form)
    rule, exact = bars.motions
    (player,) = page.select(Player)
    assert player.layout == "side-by-side"
    assert exact[0] == "Exact motion"
    assert rule[:3] == ["Semi-implicit Euler", "", "Semi-implicit Euler"]
    choice = next(preset for preset in PRESETS if preset.key == START).choice
    run = engine.simulate(
        choice.build_problem(), choice.methods[0], dt=1 / 30, duration=choice.duration
    )
    first = run.energy[0]
    assert rule[-1][-1] == pytest.approx(run.energy[-1], rel=1e-3)
    assert rule[-1][-1] > 1.5 * first
    assert exact[-1] == pytest.approx(np.full(STATES, first), rel=1e-5)
    assert [field["name"] for field in form.fields] == ["dt"]
    form.enter("dt", "1/240")
    assert first < bars.motions[0][-1][-1] < rule[-1][-1]
    text = visible_html(page)
    for words in ("I teach", "I make games or simulations", "I compare methods", "Skip to the lab"):
        assert words in text
    for address in some(re.findall(r"href=['\"]([^'\"]+)", text)):
        query = html.unescape(address).partition("#")[0]  # as browsers ask for it
        assert open_page(query)[0].select(Notice)[0].html == "", address


def test_the_body_of_the_opening_view_is_thrown_by_hand_and_by_a_button() -> None:
    page, _ = open_page("?page=start")
    (player,) = page.select(Player)
    (api,) = page.select(ScriptApi)
    (bars,) = page.select(Energies)
    assert player.throwable
    assert "No torque acts, so 100 % of the energy is the only right answer." in visible_text(page)

    def read_spin() -> list[float]:
        spin: list[float] = json.loads(api.results)["choice"]["changes"]["Omega0"]
        return spin

    opened = player.look[0]
    send_message(player, {"thrown": "1, -2, 3.5"})
    assert read_spin() == [1, -2, 3.5]
    assert player.look[0] > opened, "the motion begins again"
    for refused in ("nonsense", "nan, 0, 0", "1, 2", 5, None):
        send_message(player, {"thrown": refused})
        assert read_spin() == [1, -2, 3.5]
    press(page, "throw")
    about, around, across = read_spin()
    assert across == 0 and 0 < abs(about) < 0.25 * abs(around), "about the middle axis, it flips"
    assert len(bars.motions) == 2
    api.undo += 1
    assert read_spin() == [1, -2, 3.5]
    (player,) = open_page("?page=simple")[0].select(Player)
    assert not player.throwable
    send_message(player, {"thrown": "1, 2, 3"})


def strip_tags(page: Any) -> str:
    """The text of a page without its elements."""
    return re.sub("<[^>]*>", "", visible_text(page))


def test_the_simple_view_shows_the_exact_motion_runge_kutta_and_a_symplectic_method() -> None:
    page, title = open_page("?page=simple")
    assert title == "Polhode"
    (bars,) = page.select(Energies)
    exact, runge_kutta, symplectic = bars.motions
    assert bars.follows
    assert exact[:3] == ["Exact motion", "", "exact"]
    assert runge_kutta[:3] == ["Runge–Kutta 4", "", "Runge–Kutta 4"]
    assert symplectic[:3] == ["A symplectic method", "McLachlan–Reich", "McLachlan–Reich"]
    choice, _ = FIRST_SEEN[SIMPLE]
    for line, (*_, angles, energies) in zip(
        compute(choice).runs, (runge_kutta, symplectic), strict=True
    ):
        assert line.error is not None
        assert energies[-1] == pytest.approx(line.run.energy[-1], rel=1e-4)
        assert angles[-1] == pytest.approx(np.degrees(line.error.attitude[-1]), abs=1e-3)
    text = strip_tags(page)
    lost = "Runge–Kutta 4 ended with 93 % of the first energy, and a symplectic method kept the energy."
    assert f"With Δt = 0.25, {lost} No torque acts, so nothing should change it." in text
    said = next(one.html for one in page.select(Prose) if "class='said'" in one.html)
    meaning = html.escape(glossary.meaning("symplectic"), quote=True)
    assert f"a <button type='button' class='term' tabindex='-1' data-means='{meaning}'" in said
    (local,) = page.select(LocalRuns)
    assert json.loads(local.setting)["key"], "browsers compute what a person drags"
    (form,) = page.select(Form)
    form.enter("dt", "0.05")
    assert "With Δt = 0.05, all methods keep the energy." in strip_tags(page)
    (api,) = page.select(ScriptApi)
    api.undo += 1
    assert bars.motions[1] == runge_kutta


DRIVEN = "problem=custom(torque=formula, frame=body)&formula=-0.01*Omega&methods=RKMK&dt=0.05&duration=11"


@pytest.mark.parametrize(
    "address", ["?page=simple", "?page=start", "", "?problem=free&methods=NMB&show=poinsot,energy"]
)
def test_no_part_of_a_page_has_a_size_that_another_overrides(address: str, caplog: Any) -> None:
    page, _ = open_page(address)
    for part in page.select(pn.Row) + page.select(pn.Column):
        part.get_root()
    assert [record.message for record in caplog.records if "overridden" in record.message] == []


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("methods=MR2,NMB&dt=0.01&Omega0=0,0,0", "the body is at rest and has no energy to lose."),
        ("methods=MR2&dt=0.01", "a symplectic method keeps the energy."),
        ("methods=SEMI-EULER&dt=0.02", "ended with .* energy."),
        (
            "methods=MR2,RK4-QUAT&dt=1",
            "1, a symplectic method ended with 111 % of the first energy. .* broke down before the end.",
        ),
        ("methods=RK4-QUAT,RK4-MATRIX&dt=0.25", "and .* ended with 93 % of the first energy."),
        (
            "methods=RK4-QUAT,MR2,SEMI-EULER,NMB",
            "first energy, and a symplectic method kept the energy. Semi-implicit Euler broke down before the end"
            ", and ",
        ),
        (
            "methods=MR2(axes=231),MR2(axes=312, trig=cayley),mujoco-implicit,GAUSS(stages=3)&dt=0.01",
            "3 of 4 methods kept the energy, and MuJoCo implicit ended with 59 %",
        ),
        (
            f"{DRIVEN}&Omega0=0.1,6,0",
            "ended with 4 % of the first energy. The exact motion ends with 4 % of it.",
        ),
        (
            f"{DRIVEN}&Omega0=0,0,0",
            "the torque is zero: the body is at rest and has no energy to lose.",
        ),
        (
            DRIVEN.replace("-0.01*Omega", "e1") + "&Omega0=0,0,0",
            "ended with an energy of 1900. The exact motion ends with an energy of 1900.",
        ),
    ],
)
def test_the_simple_view_says_what_became_of_the_energy(setting: str, sentence: str) -> None:
    first = dict(FIRST_SEEN[SIMPLE][0].query())
    words = urlencode(first | dict(parse_qsl(setting)))
    page = open_page(f"?page=simple&{words}")[0]
    (said,) = re.findall("<p class='said'>(.*?)</p>", visible_html(page))
    said = re.sub("<[^>]*>", "", said)
    assert re.search(sentence, said)
    lengths = [len(one.split()) for one in re.split(r"(?<=[.]) ", said)]
    assert max(lengths) <= 22, said


def test_a_page_undoes_the_choices_of_the_view_that_led_to_it() -> None:
    words = "problem=free&methods=NMB&duration=10"
    (form,) = (page := open_page(f"?page=simple&{words}&dt=0.25")[0]).select(Form)
    (api,) = page.select(ScriptApi)
    assert api.past == []
    form.enter("dt", "0.2")
    form.enter("dt", "0.1")
    assert [parse_qs(link)["dt"] for link in api.past] == [["0.25"], ["0.2"]]
    (later,) = open_page(f"?{words}&dt=0.1")[0].select(ScriptApi)
    refused = ["dt=nan", "problem=dumbbells", "problem=none", 5, None, "problem=free&dt=-1"]
    send_message(later, {"past": [*refused, *api.past]})
    assert later.past == api.past, "they are handed on, too"
    for past in ("problem=free", {"a": 1}, None):
        send_message(later, {"past": past})
    undone = []
    for _ in range(4):
        later.undo += 1
        undone.append(later.state["choice"]["dt"])
    assert undone == [0.2, 0.25, 0.25, 0.25]
    later.redo += 1
    assert later.state["choice"]["dt"] == 0.2
    send_message(later, {"past": api.past * 1000})
    assert len(later.past) <= MOST_PAST


def test_a_page_redoes_what_was_undone_in_the_view_that_led_to_it() -> None:
    words = "problem=free&methods=NMB&duration=10"
    (form,) = (page := open_page(f"?page=simple&{words}&dt=0.25")[0]).select(Form)
    (api,) = page.select(ScriptApi)
    form.enter("dt", "0.2")
    form.enter("dt", "0.1")
    api.undo += 1
    api.undo += 1
    assert [parse_qs(link)["dt"] for link in api.future] == [["0.1"], ["0.2"]], "the next one last"
    for changes, redone in ((False, [0.2, 0.1, 0.1]), (True, [0.5, 0.5, 0.5])):
        page, _ = open_page(f"?{words}&dt=0.25")
        (later,) = page.select(ScriptApi)
        if changes:
            next(form for form in page.select(Form) if "dt" in form.values).enter("dt", "0.5")
        send_message(later, {"past": [], "future": ["dt=nan", *api.future]})
        found = []
        for _ in range(3):
            later.redo += 1
            found.append(later.state["choice"]["dt"])
        assert found == redone
    send_message(later, {"past": [], "future": 5})


def test_a_view_of_one_body_keeps_a_setting_of_two_and_says_where_it_is() -> None:
    for view in ("simple", "start"):
        page, title = open_page(f"?page={view}&problem=dumbbells&methods=RK2&dt=0.01&duration=2")
        assert title == "Two bodies · Polhode"
        (notice,) = page.select(Notice)
        assert f"<p>{describe_other_lab(LABS['se3'])}</p>" in visible_text(notice)
        (api,) = page.select(ScriptApi)
        kept = api.state["choice"]
        assert (kept["methods"], kept["dt"], kept["duration"]) == (["RK2"], 0.01, 2.0)
    (api,) = open_page("?page=two-bodies&problem=slow-top&methods=NMB")[0].select(ScriptApi)
    assert (api.state["choice"]["problem"], api.state["choice"]["methods"]) == ("slow-top", ["NMB"])


def test_the_simple_view_and_the_lab_have_the_same_setting_by_link() -> None:
    setting = "problem=slow-top&methods=NMB,AKW&dt=0.05&plots=Motion&picture=momentum"
    page, _ = open_page(f"?page=simple&{setting}")
    (bars,) = page.select(Energies)
    assert [motion[0] for motion in bars.motions] == [
        "Exact motion",
        "Explicit Newmark",
        "Implicit midpoint",
    ]
    view = View(plots="Motion", picture="momentum")
    simple = open_lab(from_link(f"?{setting}")[0], excerpt=VIEWS[SIMPLE], view=view)
    words = dict(parse_qsl(simple.make_link(simple.explorer.history.now).lstrip("?")))
    assert words.items() >= {"page": SIMPLE, **dict(parse_qsl(setting))}.items()
    for address, leads in ((f"?{setting}", "simple"), (f"?page=simple&{setting}", "lab")):
        assert re.findall(r'data-along="(.*?)"', visible_html(open_page(address)[0])) == [leads]


@pytest.mark.exhaustive
def test_a_link_with_an_unknown_page_opens_the_lab() -> None:
    page, title = open_page("?page=kitchen")
    assert title == "Polhode"
    (notice,) = page.select(Notice)
    assert "There is no page" in visible_text(notice) and "kitchen" in visible_text(notice)


@pytest.mark.parametrize("key", PAGES)
def test_each_page_has_its_title_and_the_way_to_all_others(key: str) -> None:
    page, title = open_page(f"?page={key}")
    assert title == ("Polhode" if key == "lab" else f"{PAGES[key]} · Polhode")
    report = page.server_doc(Document()).template_variables
    assert report["here"] == key
    assert report["pages"] == [(other, page_link(other), name) for other, name in PAGES.items()]
    assert find_retired(strip_tags(page)) == []


def test_a_link_is_what_is_chosen():
    choice, notices = from_link(
        "?problem=slow-top&methods=NMB,DMV&dt=0.01&duration=10&Omega0=0,0,5"
    )
    assert notices == []
    assert choice.methods == ("NMB", "DMV")
    np.testing.assert_array_equal(choice.build_problem().Omega0, [0, 0, 5])


def test_a_link_of_another_version_is_told():
    assert from_link(f"?version={polhode_version()}")[1] == []
    (notice,) = from_link("?version=0.0.1")[1]
    assert "0.0.1" in notice and polhode_version() in notice


def test_a_small_step_comes_with_a_short_time():
    choice, notices = from_link("?problem=free&dt=1e-6&duration=1")
    assert notices == []
    assert (choice.dt, choice.duration) == (1e-6, 1.0)


def test_nonsense_in_a_link_is_told_and_left_out():
    choice, notices = from_link("?problem=moon&methods=NMB,XYZ&dt=never&colour=red&theme=dark")
    assert choice.build_problem().key == "free"
    assert choice.methods == ("NMB",)
    assert len(notices) >= 3


PLOTS = "Momentum about the vertical"
LEDGER = "What each method conserved and lost"
CARD = "Explicit Newmark, body frame"
POINSOT = "Traces of the motion in space"
BODY = "The body in space"


@pytest.mark.parametrize(("view", "there"), first([
    (None, {PLOTS, LEDGER, CARD, POINSOT}), ("sphere", set()), ("plots", {PLOTS}), ("Poinsot", {POINSOT}),
    ("body", {BODY}), ("flat", set()), ("ledger", {LEDGER}), ("card", {CARD}),
], 2))  # fmt: skip
def test_the_page_is_had_in_a_notebook(view, there):
    """With all views and their runs, or with one view alone."""
    shown = app.explorer("slow-top", "NMB", dt=0.05, duration=2, view=view, Omega0=(0, 0, 5))
    assert {
        words for words in (PLOTS, LEDGER, CARD, POINSOT, BODY) if words in visible_text(shown)
    } == there
    run = engine.simulate(engine.problem("slow-top", Omega0=(0, 0, 5)), "NMB", dt=0.05, duration=2)
    (api,) = shown.select(ScriptApi)
    assert api.state["runs"][0]["R"] == run.R[-1].ravel().tolist()
    drawn = {"sphere": run.Pi[:, :2], "flat": run.R[:, :2, 2]}.get(view)
    if drawn is not None:
        sources = [model.data for model in shown.get_root().select({"type": ColumnDataSource})]
        points = [np.c_[data["x"], data["y"]] for data in sources if "x" in data]
        points += [  # a line that fades is drawn in pieces
            np.c_[np.concatenate(data["xs"]), np.concatenate(data["ys"])]
            for data in sources
            if "t" in data and len(data.get("xs", ()))
        ]
        assert any(
            all(np.abs(found - each).max(axis=1).min() < 1e-6 for each in drawn)
            for found in points
            if len(found)
        )


def test_scripts_read_how_often_something_was_published():
    api = ScriptApi()
    counts = []
    for _ in range(2):
        api.publish({})
        counts.append(api.state["published"])
    assert counts == [1, 2]


def test_a_notebook_is_told_what_can_not_be_had():
    with pytest.raises(ValueError, match="no view 'moon'"):
        app.explorer(view="moon")
    with pytest.raises(ValueError, match="from"):
        app.explorer(dt=-1)


@pytest.mark.parametrize("group", first(["What is kept", "Motion", "Attitude", "Steps"]))
def test_figures_have_the_runs_values(group):
    shown = app.figure(
        "free", ("NMB", "AKW"), dt=0.5, duration=20, group=group, log=False, relative=False
    )
    assert len(shown) == 4
    first = next(iter(shown))
    run = engine.simulate("free", "NMB", dt=0.5, duration=20)
    drawn = first["Explicit Newmark"].dimension_values(1)
    expected = {
        "What is kept": run.energy - run.energy[0],
        "Motion": run.Omega[:, 0],
        "Attitude": engine.error(run).attitude,
        "Steps": run.orthogonality,
    }
    np.testing.assert_array_equal(drawn, expected[group])


@pytest.mark.exhaustive
def test_a_figure_with_logarithmic_axes_can_be_rendered():
    import holoviews as hv
    from bokeh.plotting import figure as Figure

    shown = app.figure("slow-top", ["NMB", "MR2"], duration=1)
    titles = [
        figure.title.text
        for figure in hv.render(shown, backend="bokeh").select({"type": Figure})
        if figure.title
    ]
    assert "Momentum about the vertical" in titles and len(titles) == 4
    with pytest.raises(ValueError, match="no group"):
        app.figure(group="Colours")


def test_what_was_computed_is_told_with_its_cost(lab):
    """Steps, methods, the kernels' time together, and which states are kept."""
    seconds = sum(line.run.cost.seconds for line in lab.explorer.results.runs)
    shown = lab.in_notebook()
    assert f"200 steps × 2 methods in {format_seconds(seconds)}" in visible_text(shown)
    lab.explorer.choose(dataclasses.replace(CHOICE, methods=("NMB",), dt=0.01, duration=500.0))
    assert "50,000 steps × 1 method in " in visible_text(
        shown
    ) and "every 5th state is stored" in visible_text(shown)


def test_while_it_works_it_says_how_far_it_is_and_can_be_stopped():
    asked = []
    working = ProgressNotice(lambda: asked.append("stop"), "Drawing <this>")
    working.show_progress(0.374)
    shown = working.panel.html
    assert "value='37'" in shown and "Drawing &lt;this&gt;" in shown and "37 %" in shown
    press(working.panel, "stop")
    assert asked == ["stop"]
    working.hide()
    assert "Drawing" not in working.panel.html and "<button" not in working.panel.html
