"""Labels of the page: in plain words, and only for what has an effect."""

from __future__ import annotations

import dataclasses

import pytest
from page_driver import visible_text

import engine
from app.state.choice import Choice
from app.state.pages.study_forms import column_title
from app.views.controls.chooser import COMPOSITION, ENERGY, Chooser

PROBLEMS = [*engine.problems(), *engine.problems("se3")]
METHODS = [*engine.algorithms(), *engine.algorithms("se3")]
PARAMETERS = [
    (problem.key, parameter) for problem in PROBLEMS for parameter in problem.declarations.values()
]
OPTIONS = [(method.key, option) for method in METHODS for option in method.options]
EVERY = [*PARAMETERS, *OPTIONS, ("", ENERGY), ("", COMPOSITION)]


def test_everything_that_can_be_chosen_has_a_name():
    assert [(of, x.name) for of, x in EVERY if not x.label] == []


def test_what_is_offered_is_in_words():
    for of, x in EVERY:
        words = [x.kind.label(choice) for choice in x.choices]
        assert len(set(words)) == len(words)
        assert not [text for text in words if "-" in text or text in ("True", "False", "exp")], (
            of,
            x.name,
        )
        assert set(getattr(x.kind, "words", ())) <= set(x.choices), (of, x.name)


def test_a_column_has_no_underscores():
    assert [column_title(name) for name in ("dt", "fails_at", "torque_evaluations")] == [
        "Δt",
        "fails at Δt",
        "evaluations",
    ]


def chooser(*methods: str, problem: str) -> Chooser:
    return Chooser(Choice(problem, methods, 0.05, 1.0), lambda choice, dragging: None)


@pytest.mark.parametrize(
    ("acts", "names"),
    [("free", set()), ("gravity", {"Mgl", "chi"}), ("body", {"moment"}), ("space", {"moment"})],
)
def test_what_has_no_effect_is_not_asked_for(acts, names):
    shown = chooser("NMB", problem=f"custom(torque={acts})" if acts != "free" else "custom")
    assert {field["name"] for field in shown.cases.fields} & {"Mgl", "chi", "moment"} == names


def test_a_moment_is_asked_for_when_there_is_one():
    shown = chooser("NMB", problem="custom")
    shown.cases.enter("torque", "space")
    assert "moment" in shown.cases.values and shown.choice.problem == "custom(torque=space)"


def test_the_energy_correction_is_offered_to_free_bodies():
    def ask(problem: str, method: str = "BUSS3") -> set[str]:
        shown = chooser(method, problem=problem)
        shown.options.folded = False
        return {field["label"] for field in shown.options.fields}

    assert "Energy correction" in ask("free") and "Energy correction" not in ask("slow-top")
    assert "Energy correction" in ask("slow-top", "BUSS3+E"), "what is chosen can be taken back"


def test_menus_of_a_method_are_in_words_and_choose_its_options():
    shown = chooser("MR2", problem="free")
    shown.options.folded = False
    fields = {field["label"]: field for field in shown.options.fields}
    assert {"Order of the body axes", "Turns by", "Composition"} <= set(fields)
    assert fields["Turns by"]["words"] == ["sine and cosine", "the Cayley map"]
    shown.options.enter(fields["Turns by"]["name"], "cayley")
    assert shown.choice == dataclasses.replace(shown.choice, methods=("MR2(trig=cayley)",))


def test_a_problem_s_note_disappears_when_what_it_is_about_changes():
    shown = chooser("MR2", problem="free")
    assert "McLachlan and Zanna" in visible_text(shown.panel)
    shown.show(shown.choice.with_changes(J=(1.0, 2.0, 2.5)))
    assert "McLachlan and Zanna" not in visible_text(shown.panel)
    assert "Changed from the original: J." in visible_text(shown.panel)
