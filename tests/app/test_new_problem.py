"""A declared problem appears in the engine, in files, in the shell, in links and on the page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

import engine
from app.state.choice import Choice, validate
from app.state.links import read_query
from app.state.pages import choice_lists
from app.views.controls.chooser import Chooser
from engine.cli import command as cli
from engine.parameters.parameter import Number, Parameter, Switch, Whole
from engine.problems import Action
from engine.problems.problem import problem as declared
from engine.problems.shared_fields import SPACE_MOMENT


@pytest.fixture(autouse=True)
def pusher(for_a_while: None) -> None:
    """A body that is pushed around the vertical with a number of times one push, or not at all."""

    @declared(
        key="pusher",
        name="A body that is pushed",
        group="Tried here",
        summary="It is pushed.",
        J=(1.0, 2.0, 2.5),
        invariants=("gamma_norm",),
        specific=(
            Parameter("pushes", Whole(0, 9), "how many there are", 3, label="Pushes"),
            Parameter("off", Switch(), "whether nobody pushes", False, label="Nobody pushes"),
            Parameter(
                "Push", Number(0.0), "one push", 0.5, "mass·length²/time²", only=("off", False)
            ),
        ),
    )
    def pushed(values: Mapping[str, Any], dt: float) -> Action:
        strength = 0.0 if values["off"] else values["pushes"] * values["Push"]
        return Action(SPACE_MOMENT, (0.0, 0.0, strength))


def test_in_the_engine() -> None:
    assert "pusher" in [p.key for p in engine.problems()]
    changed = engine.problem("pusher(PUSHES=4, off=yes, push=1e-1)")
    assert (
        dict(changed.values) == {"pushes": 4, "off": True, "Push": 0.1}
        and changed.label == "pusher(off=on)"
    )
    assert engine.problem("pusher", OFF=False).label == "pusher"
    for given in (
        {"pushes": 2.5},
        {"pushes": 10},
        {"off": "perhaps"},
        {"push": -1},
        {"Push": 1, "push": 2},
    ):
        with pytest.raises(ValueError):
            engine.problem("pusher", **given)
    run = engine.simulate(changed.replace(off=False), "MR2", steps=100)
    assert run.pi[-1, 2] == pytest.approx(run.pi[0, 2] + 4 * 0.1 * run.t[-1])


def test_in_a_file(tmp_path: Any) -> None:
    made = engine.problem("pusher", pushes=7, off=True)
    again = engine.load(engine.simulate(made, "MR2", steps=2).save(tmp_path / "pushed.csv")).problem
    assert dict(again.values) == dict(made.values) and again.values["off"] is True


def test_in_the_shell(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", "pusher"]) == 0
    shown = capsys.readouterr().out
    assert (
        "pushes = 3" in shown
        and "from 0 to 9" in shown
        and "off = off" in shown
        and "one of off, on" in shown
    )
    line = [
        "run",
        "pusher",
        "MR2",
        "--steps",
        "1",
        "--json",
        "--set",
        "Pushes=4",
        "--set",
        "OFF=true",
    ]
    assert cli.main(line) == 0
    assert json.loads(capsys.readouterr().out)["problem_data"]["values"] == {
        "pushes": 4,
        "off": True,
        "Push": 0.5,
    }
    assert cli.main([*line[:-1], "off=perhaps"]) == 2
    assert "off is on or off; got 'perhaps'" in capsys.readouterr().err


def test_in_a_link() -> None:
    choice, notices = read_query(
        {"problem": "pusher(off=on, pushes=5)", "PUSH": "0.25", "methods": "MR2"}
    )
    assert notices == [] and choice.problem == "pusher(off=on)"
    assert dict(choice.build_problem().values) == {"pushes": 5, "off": True, "Push": 0.25}
    assert read_query(choice.query()) == (choice, [])
    assert read_query({"problem": "pusher", "pushes": "2.5"})[1] == [
        "pushes: Pushes must be a whole number from 0 to 9; got 2.5."
    ]
    found: dict[str, Any] = {"print": lambda *report: None}
    exec(
        validate(Choice(choice.problem, choice.methods, 0.01, 0.1, choice.changes)).snippet(), found
    )
    assert found["run"].problem.values == choice.build_problem().values


def test_on_the_page() -> None:
    assert [
        entry[0]
        for name, entries in choice_lists.list_problems()
        for entry in entries
        if name == "Tried here"
    ]
    chooser = Chooser(Choice("pusher", ("MR2",), 0.01, 1.0), lambda choice, dragging: None)
    fields = {field["name"]: field for field in (*chooser.form.fields, *chooser.cases.fields)}
    assert (fields["pushes"]["label"], fields["pushes"]["kind"], fields["off"]["kind"]) == (
        "Pushes",
        "text",
        "switch",
    )
    assert "mass·length²/time²" in fields["Push"]["about"]
    chooser.form.enter("pushes", "12")
    assert "whole number from 0 to 9" in chooser.form.wrong["pushes"]
    chooser.form.enter("pushes", "6")
    chooser.cases.enter("off", "on")
    assert chooser.cases.values["off"] == "on" and "Push" not in chooser.cases.values
    assert dict(chooser.choice.build_problem().values) == {"pushes": 6, "off": True, "Push": 0.5}
    chooser.cases.enter("off", "")
    assert chooser.choice.problem == "pusher" and "Push" in chooser.cases.values
