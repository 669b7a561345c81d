"""The page as Python sees it: what follows from a change, undo, presets, and the same in a notebook."""

from __future__ import annotations

import dataclasses
import html
import re
from urllib.parse import parse_qsl

import numpy as np
import panel_material_ui as pmui
import pytest

import app
import engine
from app import presets
from app.page import Explorer, from_query
from app.pages import opened
from app.results import COLOURS, compute
from app.session import Choice
from app.shell import PAGES, link
from app.takeaway import polhode_version
from engine import body

CHOICE = Choice("free", ("NMB", "AKW"), 0.5, 100.0)


@pytest.fixture
def lab() -> Explorer:
    return Explorer(CHOICE)


def ends(lab: Explorer) -> list[list[list[float]]]:
    assert lab.results is not None
    return [line.run.R[-1].tolist() for line in lab.results.runs]


def test_a_change_of_a_widget_is_a_new_run(lab):
    lab.chooser.dt.value = "0.25"
    run = engine.simulate("free", "NMB", dt=0.25, duration=100)
    assert ends(lab)[0] == run.R[-1].tolist()
    assert lab.history.now == dataclasses.replace(CHOICE, dt=0.25)
    assert lab.bridge.state["choice"]["dt"] == 0.25


def test_one_undo_takes_a_whole_gesture_back(lab):
    before, told = ends(lab), lab.bridge.state["told"]
    for place in (-20, -10, 0):
        lab.chooser._dt_slider.value = place
    assert lab.bridge.state["told"] == told + 3
    assert lab.chooser.dt.value == "1"
    lab.undo()
    assert lab.chooser.dt.value == "0.5"
    assert ends(lab) == before
    lab.redo()
    assert lab.chooser.dt.value == "1"
    assert lab.history.now.dt == 1.0


def test_methods_are_added_by_what_is_offered_and_removed(lab):
    pick = lab.chooser.methods._handle_msg
    pick({"pick": "NMB"})
    assert lab.history.now.methods == CHOICE.methods, "it is there already"
    for nonsense in ({"pick": "no such method"}, {"pick": ["DMV"]}, {}, "DMV"):
        pick(nonsense)
    assert lab.history.now.methods == CHOICE.methods, "only what is offered can be picked"
    pick({"pick": "DMV"})
    assert lab.history.now.methods == ("NMB", "AKW", "DMV")
    lab.chooser._remove("remove", "AKW")
    assert lab.history.now.methods == ("NMB", "DMV")
    assert [line.colour for line in lab.results.lines] == [line.colour for line in Explorer(CHOICE).results.lines]


@pytest.mark.parametrize("field", ["dt", "duration"])
@pytest.mark.parametrize(
    ("wrong", "words"), [("-1", "from"), ("1e99", "from"), ("never", "A number"), ("", "A number")]
)
def test_what_can_not_be_had_is_said_at_its_widget(lab, field, wrong, words):
    before = lab.results
    widget = getattr(lab.chooser, field)
    meaning = widget.helper_text
    widget.value = wrong
    assert widget.error_state
    assert words in widget.helper_text
    assert lab.results is before
    widget.value = "2"
    assert not widget.error_state
    assert widget.helper_text == meaning


def test_a_parameter_that_is_no_number_is_refused_in_words(lab):
    entry = lab.chooser._fields["J"]
    entry.value = "heavy"
    assert entry.error_state
    assert "Numbers with commas" in entry.helper_text
    entry.value = "1, 1, 3"
    assert "J" not in dict(lab.history.now.changes), "no body has such moments"
    entry.value = "1, 2, 2.5"
    assert dict(lab.history.now.changes)["J"] == (1.0, 2.0, 2.5)
    entry.value = ""
    assert lab.history.now.changes == ()


def test_what_was_refused_gives_way_to_what_holds(lab):
    lab.chooser._fields["J"].value = "heavy"
    assert lab.chooser._fields["J"].error_state
    lab.chooser.dt.value = "0.25"
    assert not lab.chooser._fields["J"].error_state
    assert lab.chooser._fields["J"].value == lab.chooser._fields["J"].value_input == "0.9144, 1.098, 1.66"


def test_what_is_there_is_not_computed_again():
    first = compute(CHOICE)
    more = compute(dataclasses.replace(CHOICE, methods=("AKW", "MR2", "NMB")), before=first)
    assert [line.label for line in more.lines] == ["AKW", "MR2", "NMB"]
    assert [line.colour for line in more.lines] == [*COLOURS[:3]]
    assert more.lines[0].run is first.lines[1].run
    assert more.lines[0].error is first.lines[1].error
    assert more.exact is first.exact
    np.testing.assert_array_equal(more.lines[1].run.R, engine.simulate("free", "MR2", dt=0.5, duration=100).R)
    # Another motion, or one that was cut short, has to be computed.
    other = compute(dataclasses.replace(CHOICE, duration=99.0), before=first)
    assert other.lines[0].run is not first.lines[0].run
    assert len(other.lines[0].run) < len(first.lines[0].run)
    assert other.exact is not first.exact
    assert compute(CHOICE, before=dataclasses.replace(first, cancelled=True)).lines[0].run is not first.lines[0].run


def test_inertia_is_had_from_a_shape(lab):
    shapes = lab.chooser._shapes
    assert shapes.mass.value == shapes.mass.value_input == "1"
    shapes.shape.value = "Box"
    np.testing.assert_allclose(np.reshape(dict(lab.history.now.changes)["J"], (3, 3)), body.box(1, 2, 3).J)
    shapes.sizes.value = "1, 1"
    assert shapes.sizes.error_state and "3 numbers" in shapes.sizes.helper_text
    shapes.sizes.value = "3, 2, 1"
    shapes.mass.value = "5"
    assert not shapes.sizes.error_state
    np.testing.assert_allclose(lab.history.now.built().J, body.box(3, 2, 1, mass=5).J)
    shapes.shape.value = "Dumbbell"
    assert not shapes.mass.visible
    lab.undo()
    np.testing.assert_allclose(lab.history.now.built().J, body.box(3, 2, 1, mass=5).J)


def test_a_problem_comes_with_its_own_step(lab):
    lab.chooser.problem._handle_msg({"pick": "slow-top"})
    assert lab.chooser.problem.value == "slow-top"
    problem = engine.problem("slow-top")
    assert (lab.history.now.dt, lab.history.now.duration) == (problem.dt, problem.duration)
    assert lab.history.now.methods == CHOICE.methods
    lab.chooser.dt.value = "0.01"
    lab.reset()
    assert lab.history.now.dt == problem.dt


def test_options_energy_correction_and_composition_name_the_method():
    lab = Explorer(dataclasses.replace(CHOICE, methods=("DMV", "BUSS3")))
    lab.chooser._new_method(1, energy=True)
    assert lab.history.now.methods == ("DMV", "BUSS3+E")
    lab.chooser._new_method(0, compose="yoshida4")
    assert engine.algorithm(lab.history.now.methods[0]).composition.key == "yoshida4"


def test_presets_and_surprises_are_shown(lab):
    preset = presets.PRESETS[0]
    lab._preset(preset.key)
    assert lab.history.now == preset.choice
    assert preset.title in html.unescape(lab._notices.objects[0].object)
    lab._preset("")
    assert lab.results.choice == lab.history.now != preset.choice


def test_a_link_s_words_are_shown_and_not_obeyed(lab):
    lab.notice(from_link("?problem=<img src=x onerror=alert(1)>&methods=[here](http://x.example)")[1])
    (note,) = lab._notices.objects
    assert not set('<>[]`*_"') & set(note.object)
    shown = html.unescape(note._process_param_change({"object": note.object})["object"])
    assert html.unescape(shown).count("<img src=x onerror=alert(1)>") == 1
    assert "<img" not in shown and "<a" not in shown


def test_a_long_run_can_be_stopped(lab):
    long = dataclasses.replace(CHOICE, dt=1e-5, duration=5000.0)
    assert not lab._is_short(long)
    lab._working.bar.param.watch(lambda _: lab.stop(), "value")
    lab.choose(long)
    assert lab.results.cancelled
    assert {line.run.status for line in lab.results.runs} == {"cancelled"}


def from_link(search: str) -> tuple[Choice, list[str]]:
    return from_query(dict(parse_qsl(search.lstrip("?"), keep_blank_values=True)))


def test_a_link_without_a_page_or_with_none_that_is_known_opens_the_lab() -> None:
    assert opened("")[1] == opened("?problem=slow-top")[1] == "Polhode"
    page, title = opened("?page=kitchen")
    assert title == "Polhode"
    said = [alert.object for alert in page.select(pmui.Alert)]
    assert len(said) == 1 and "There is no page" in html.unescape(said[0]) and "kitchen" in said[0]


@pytest.mark.parametrize("key", PAGES)
def test_each_page_has_its_title_and_the_way_to_all_others(key: str) -> None:
    page, title = opened("" if key == "lab" else f"?page={key}")
    assert title == ("Polhode" if key == "lab" else f"{PAGES[key]} · Polhode")
    ways = page.header[0][0].html
    assert re.findall("aria-current=page>([^<]+)<", ways) == [PAGES[key]]
    assert all(f"href='{link(other)}'" in ways for other in PAGES)


def test_a_link_is_what_is_chosen():
    choice, notices = from_link("?problem=slow-top&methods=NMB,DMV&dt=0.01&duration=10&Omega0=0,0,5")
    assert notices == []
    assert choice.methods == ("NMB", "DMV")
    np.testing.assert_array_equal(choice.built().Omega0, [0, 0, 5])


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
    assert choice.built().key == "free"
    assert choice.methods == ("NMB",)
    assert len(notices) >= 3


@pytest.mark.parametrize("view", [None, "plots", "Poinsot", "body", "sphere", "flat", "ledger", "card"])
def test_the_page_is_had_in_a_notebook(view):
    shown = app.explorer("slow-top", "NMB", dt=0.05, duration=2, view=view, Omega0=(0, 0, 5))
    assert shown.get_root() is not None


def test_a_notebook_is_told_what_can_not_be_had():
    with pytest.raises(ValueError, match="no view 'moon'"):
        app.explorer(view="moon")
    with pytest.raises(ValueError, match="from"):
        app.explorer(dt=-1)


@pytest.mark.parametrize("group", ["What is kept", "Motion", "Attitude", "Steps"])
def test_figures_have_the_runs_values(group):
    shown = app.figure("free", ("NMB", "AKW"), dt=0.5, duration=20, group=group, log=False, relative=False)
    assert len(shown) == 4
    first = next(iter(shown))
    run = engine.simulate("free", "NMB", dt=0.5, duration=20)
    drawn = first["NMB"].dimension_values(1)
    expected = {
        "What is kept": run.energy - run.energy[0],
        "Motion": run.Omega[:, 0],
        "Attitude": engine.error(run).attitude,
        "Steps": run.orthogonality,
    }
    np.testing.assert_array_equal(drawn, expected[group])


def test_a_figure_with_logarithmic_axes_can_be_rendered():
    import holoviews as hv
    from bokeh.plotting import figure as Figure

    shown = app.figure("slow-top", ["NMB", "MR2"], duration=1)
    titles = [
        figure.title.text for figure in hv.render(shown, backend="bokeh").select({"type": Figure}) if figure.title
    ]
    assert "Momentum about the vertical" in titles and len(titles) == 4
    with pytest.raises(ValueError, match="no group"):
        app.figure(group="Colours")
