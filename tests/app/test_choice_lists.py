"""Lists to choose from: all problems and methods of the engine under all their names, with
pictures.
"""

from __future__ import annotations

import re

import pytest
from page_driver import send_message

import engine
from app.state.pages import choice_lists
from app.views.controls.picker import Picker
from engine.algorithms import name_method

SPACES = ("so3", "se3")


@pytest.mark.parametrize("space", SPACES)
def test_every_problem_is_offered_under_its_source(space):
    groups = choice_lists.list_problems(space)
    found = {
        key: (group, title, words) for group, entries in groups for key, title, words, _ in entries
    }
    assert found == {p.key: (p.group, p.name, p.summary) for p in engine.problems(space)}


@pytest.mark.parametrize("space", SPACES)
def test_every_method_is_offered_under_its_family_with_all_its_names(space):
    groups = choice_lists.list_methods(space)
    entries = {
        key: (group, title, words) for group, listed in groups for key, title, words, *_ in listed
    }
    assert set(entries) >= {method.key for method in engine.algorithms(space)}
    for key, (group, title, words) in entries.items():
        method = engine.algorithm(key, space=space)
        assert (group, method.given_name) == (method.family, key)
        assert title == f"{name_method(method)} · {key}"
        if method.called:
            assert words == method.label
            continue
        others = words.removeprefix(method.name).removeprefix(", ")
        for name in others.split(", ") if others else ():
            assert engine.algorithm(name, space=space).label == method.label, (
                "a name in the list chooses its method"
            )
    offered = {name for _, _, words in entries.values() for name in words.split(", ")}
    aliases = {alias for method in engine.algorithms(space) for alias in method.aliases}
    assert offered | set(entries) >= aliases


@pytest.mark.parametrize("space", SPACES)
def test_each_problem_has_a_picture_of_its_own_within_its_frame(space):
    pictures = {
        key: path for _, all_ in choice_lists.list_problems(space) for key, _, _, path in all_
    }
    assert len(set(pictures.values())) == len(pictures)
    for path in pictures.values():
        for points in re.findall(r"[ML]\s*(-?[\d.]+) (-?[\d.]+)", path):
            assert all(0 <= float(x) <= 24 for x in points), path


def test_what_comes_later_is_offered_too(monkeypatch):
    """A custom method, as in a notebook."""
    first, *others = engine.algorithms()
    monkeypatch.setattr(engine, "algorithms", lambda space: others)
    assert first.key not in {
        entry[0] for _, entries in choice_lists.list_methods() for entry in entries
    }
    monkeypatch.undo()
    assert first.key in {
        entry[0] for _, entries in choice_lists.list_methods() for entry in entries
    }


def test_only_what_is_offered_is_picked():
    picked: list[str] = []
    picker = Picker(
        picked.append, groups=[("A", [("a", "First", "", "")]), ("B", [("b", "Second", "", "")])]
    )
    for said in ({"pick": "b"}, {"pick": "c"}, {"pick": 1}, {"pick": ["a"]}, {}, None, "a"):
        send_message(picker, said)
    assert picked == ["b"]
    assert picker.value == "", "what is shown is for the page to say"
