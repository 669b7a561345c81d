"""The selection of quick tests: some combinations, and each method, problem, study, page and file
format.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from covering import covering, few, first, some

import engine
from app.browser.page_links import PAGES
from engine import studies
from engine.algorithms import FixedStep
from engine.export.files import ENDINGS

HERE = Path(__file__).parents[1]
EACH = [
    (
        "methods",
        "algorithms/test_methods:test_what_is_kept_and_what_is_not",
        "method",
        [m for m in engine.algorithms() if isinstance(m, FixedStep)],
    ),
    (
        "methods",
        "kernels/test_torque:test_a_top_of_one_s_own_is_the_built_in_one",
        "method",
        [m for m in engine.algorithms() if not isinstance(m, FixedStep)],
    ),
    (
        "methods",
        "algorithms/test_pair_methods:test_order",
        "m",
        [m for m in engine.algorithms("se3") if isinstance(m, FixedStep)],
    ),
    (
        "problems",
        "simulation/test_prepared:test_bit_for_bit_what_simulate_gives",
        "key",
        engine.problems(),
    ),
    (
        "problems",
        "simulation/test_systems:test_a_method_has_kernels_if_nothing_stands_against_it",
        "key",
        engine.problems("se3"),
    ),
    (
        "studies",
        "studies/test_every_study:test_cancelled_on_the_way_it_gives_what_there_is",
        "study",
        studies.registered(),
    ),
    (
        "pages",
        "app/test_lab_page:test_each_page_has_its_title_and_the_way_to_all_others",
        "key",
        PAGES,
    ),
    (
        "formats",
        "simulation/test_run:test_a_saved_run_is_the_same_and_can_be_made_again",
        "ending",
        ENDINGS,
    ),
]


def quick(test: Any, name: str) -> Iterable[Any]:
    """The values of a parameter with which the quick tests run a test."""
    marks = getattr(test, "pytestmark", [])
    if any(mark.name == "exhaustive" for mark in marks):
        return
    for mark in marks:
        names = mark.args[0] if mark.name == "parametrize" else ()
        names = (
            [word.strip() for word in names.split(",")] if isinstance(names, str) else list(names)
        )
        if name not in names:
            continue
        for case in mark.args[1]:
            left_out = any(one.name == "exhaustive" for one in getattr(case, "marks", ()))
            values = getattr(case, "values", case if len(names) > 1 else (case,))
            if not left_out:
                yield values[names.index(name)]


def test_each_value_of_each_parameter_is_covered_by_few_cases(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("covering.thorough", True)
    cases = covering(product("abcdef", range(4)))
    taken = [case.values for case in cases if not case.marks]
    assert [case.values for case in cases] == list(product("abcdef", range(4)))
    assert {letter for letter, _ in taken} == set("abcdef") and {
        number for _, number in taken
    } == set(range(4))
    assert len(taken) == 6
    monkeypatch.setattr("covering.thorough", False)
    assert [case.values for case in covering(product("abcdef", range(4)))] == taken


def test_the_first_cases_are_quick_and_the_others_are_not_even_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cases = iter("abcd")
    monkeypatch.setattr("covering.thorough", False)
    assert [(case.values, case.marks) for case in first(cases, 2)] == [(("a",), ()), (("b",), ())]
    assert next(cases) == "c"
    monkeypatch.setattr("covering.thorough", True)
    assert [bool(case.marks) for case in first("abcd", 2)] == [False, False, True, True]


def test_what_is_to_be_covered_may_be_said() -> None:
    taken = [
        case.values[0]
        for case in covering(range(10), by=lambda number: (number % 3,))
        if not case.marks
    ]
    assert taken == [0, 1, 2]


def test_loops_are_as_long_as_the_run_is_thorough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("covering.thorough", True)
    assert few(100) == 100 and some("abcdefg") == list("abcdefg")
    monkeypatch.setattr("covering.thorough", False)
    assert (few(100), few(7), few(3)) == (20, 5, 3) and some("abcdefg") == ["a", "f"]


@pytest.mark.parametrize(
    ("kind", "test", "name", "registered"),
    EACH,
    ids=[f"{kind} in {test}" for kind, test, *_ in EACH],
)
def test_the_quick_tests_take_each(
    kind: str, test: str, name: str, registered: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, _, function = test.partition(":")
    monkeypatch.syspath_prepend((HERE / path).parent)
    module = importlib.import_module(Path(path).name)
    taken = {getattr(value, "key", value) for value in quick(getattr(module, function), name)}
    wanted = {getattr(one, "key", one) for one in registered}
    assert {f"{one}".lstrip(".") for one in wanted} <= {f"{one}" for one in taken}
