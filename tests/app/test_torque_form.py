"""The fields of what acts on a body: formulas with their errors, frames and examples."""

from __future__ import annotations

import numpy as np
import pytest
from page_driver import send_message

import engine
from app.pages.lab import LabPage
from app.scene import one_body
from app.state.choice import Choice
from app.state.example_torques import EXAMPLE_TORQUES
from app.state.excerpt import Excerpt
from app.views.controls.chooser import Chooser
from app.views.controls.form import EXAMPLE
from engine.parameters.formula import Formula

TYPED = Choice("custom(torque=formula)", ("RKMK",), 0.05, 5.0)


def open_form(choice=TYPED, **how):
    """The widgets of a choice, and their form of what acts."""
    chooser = Chooser(choice, lambda *_: None, **how)
    return chooser, chooser.cases


def list_fields(form):
    return [field["name"] for field in form.fields]


def test_a_formula_stands_where_the_torque_is_chosen():
    chooser, form = open_form()
    assert list_fields(form) == ["torque", "frame", "formula", "potential"]
    assert list_fields(chooser.form) == ["dt", "duration", "J", "Omega0", "R0"]
    form.enter("torque", "gravity")
    assert list_fields(form) == ["torque", "Mgl", "chi"]


def test_an_excerpt_shows_a_formula_without_the_choice_of_what_acts():
    _, form = open_form(excerpt=Excerpt(controls=("formula",)))
    assert list_fields(form) == ["formula"]


def test_the_frame_of_a_torque_can_be_switched():
    chooser, form = open_form(TYPED.with_changes(formula="-0.1*Omega"))
    assert "R@Omega" in form.notes["formula"]
    form.enter("frame", "body")
    assert chooser.choice.problem == "custom(torque=formula, frame=body)"
    assert chooser.choice.changes == (("formula", "-0.1*Omega"),)
    assert form.notes == {} and form.values["formula"] == "-0.1*Omega"


def test_a_wrong_formula_is_marked_at_its_place_and_changes_nothing():
    chooser, form = open_form()
    text = "-0.1*Omega + sin(2*q)*e1"
    send_message(form, {"name": "formula", "text": text})
    assert form.wrong["formula"].startswith("'q' is not known; there are t, R, Omega")
    assert form.places["formula"] == [text, 19, 20]
    assert chooser.choice == TYPED
    send_message(form, {"name": "formula", "text": text.replace("q", "t")})
    assert form.wrong == {} and form.places == {}
    assert dict(chooser.choice.changes)["formula"] == text.replace("q", "t")


def test_a_formula_is_checked_while_a_person_types():
    """Its end, where it goes on, is no error; nothing is entered."""
    chooser, form = open_form()

    def type_text(text):
        send_message(form, {"name": "formula", "text": text, "check": True})
        return form.wrong.get("formula", "")

    assert [type_text(text) for text in ("-0.1*", "-0.1*Om", "-0.1*(Omega", "2")] == [""] * 4
    assert "'Om' is not known" in type_text("-0.1*Om + e1")
    assert type_text("-0.1*Omega + e1") == "" and form.places == {}
    assert "not on Ω" not in type_text("") and chooser.choice == TYPED


def test_the_picture_shows_a_torque_while_a_person_types():
    lab = LabPage(TYPED)
    picture = lab.stage.picture()
    before = picture.panel.scene
    check = {"name": "formula", "check": True}
    send_message(lab.chooser.cases, check | {"text": "e1 +"})
    assert picture.panel.scene == before
    send_message(lab.chooser.cases, check | {"text": "0.3 * e1"})
    assert picture.panel.scene == one_body.build_scene(
        lab.explorer.results, picture.kind, Formula("0.3*e1")
    )
    assert picture.panel.scene != before and lab.explorer.history.now == TYPED
    lab.stage.choose("Paths")
    send_message(lab.chooser.cases, check | {"text": "0.4*e1"})


def test_a_check_of_what_is_no_formula_shows_nothing():
    _, form = open_form()
    for name in ("frame", "torque", "Omega0", "no such field"):
        send_message(form, {"name": name, "text": "e1 e2", "check": True})
    assert form.wrong == {}


def test_a_check_and_an_entry_of_one_field_both_count():
    _, form = open_form()
    entry = {"name": "formula", "text": "e1"}
    assert form.find_field(entry) != form.find_field(entry | {"check": True})


@pytest.mark.parametrize("i", range(len(EXAMPLE_TORQUES)))
def test_every_example_acts_as_it_says(i):
    chooser, form = open_form(TYPED.with_changes(potential="1"))
    send_message(form, {"name": EXAMPLE, "text": str(i)})
    example = EXAMPLE_TORQUES[i]
    problem = chooser.choice.build_problem()
    assert problem.values["formula"] == example.formula == form.values["formula"]
    assert problem.values["frame"] == example.frame == form.values["frame"]
    assert problem.values["potential"] == example.potential
    assert not problem.remarks and not problem.torque.mixes_frames
    run = engine.simulate(problem, "RKMK", dt=0.05, duration=20)
    assert run.status == "done"
    assert np.abs(run.pi - run.pi[0]).max() > 0.01
    change = run.energy[-1] / run.energy[0]
    expected = {"Spring": 1.0, "Friction": 0.13, "Magnetic": 1.0}.get(example.words)
    assert expected is None or change == pytest.approx(expected, rel=0.2)
    assert example.words != "Motor" or run.Omega[-1, 2] == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize("text", ["99", "-1", "one", ""])
def test_an_example_that_does_not_exist_changes_nothing(text):
    chooser, form = open_form()
    send_message(form, {"name": EXAMPLE, "text": text})
    assert chooser.choice == TYPED
