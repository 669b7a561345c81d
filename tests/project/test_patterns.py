"""Regular expressions: none takes more than linear time, for any text."""

from __future__ import annotations

import ast
import math
import re
import time
from collections.abc import Iterator
from pathlib import Path
from re import _parser as parser  # type: ignore[attr-defined]  # what a pattern is made of; nothing public has it
from typing import Any, NamedTuple

import pytest
from covering import first

ROOT = Path(__file__).resolve().parents[2]
FIRST, FACTOR, LARGEST = 20, 4, 5_120
"""Characters of the shortest text, the factor from each text to the next, and the largest number.
"""
NOTICEABLE = 0.004
"""Seconds of processor time below which nothing is compared; a quadratic pattern takes ten times as
much.
"""
STEEP = 9.0
"""A text of four times the length takes four times as long, or sixteen times in the quadratic case.
"""
WAYS = ("search", "match", "fullmatch", "sub", "split", "findall", "finditer")
FLAGS = {
    name: getattr(re, name) for name in ("IGNORECASE", "MULTILINE", "DOTALL", "VERBOSE", "ASCII")
}


IMPORTED = re.compile(r"^\s*(?:import|from)\s.*\bre\b", re.MULTILINE)
"""What a module with a pattern contains; no other one is parsed."""


class Used(NamedTuple):
    """A pattern, and how it is used: from the start of a text only (`match`, `fullmatch`), or from
    any place.
    """

    where: str
    pattern: str
    flags: int
    ways: tuple[str, ...]


def patterns() -> Iterator[Used]:
    """Return all patterns in the sources."""
    for folder in ("app", "engine", "docs", "benchmarks"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            if "_build" not in path.parts and IMPORTED.search(text):
                yield from of_module(ast.parse(text), str(path.relative_to(ROOT)))


def of_module(tree: ast.Module, path: str) -> Iterator[Used]:
    nodes = list(ast.walk(tree))
    names = {id(node.value): node.targets[0].id for node in nodes if is_named(node)}
    called: dict[str, set[str]] = {}
    behind: dict[int, str] = {}
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr in WAYS:
            behind[id(node.value)] = node.attr
            if isinstance(node.value, ast.Name):
                called.setdefault(node.value.id, set()).add(node.attr)
    for node in nodes:
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        function = node.func
        if not (isinstance(function.value, ast.Name) and function.value.id == "re"):
            continue
        ways = (
            {function.attr} if function.attr in WAYS else called.get(names.get(id(node), ""), set())
        )
        ways |= {behind[id(node)]} if id(node) in behind else set()
        if function.attr in (*WAYS, "compile"):
            given = [
                *node.args[1:],
                *(keyword.value for keyword in node.keywords if keyword.arg == "flags"),
            ]
            flags = sum(
                FLAGS[x.attr]
                for one in given
                for x in ast.walk(one)
                if getattr(x, "attr", "") in FLAGS
            )
            yield Used(
                f"{path}:{node.lineno}",
                literal(node.args[0]),
                flags,
                tuple(sorted(ways)) or ("search",),
            )


def is_named(node: ast.AST) -> bool:
    return isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)


def literal(node: ast.expr) -> str:
    """Return the pattern as written; inserted parts become a word."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(x.value) if isinstance(x, ast.Constant) else "word" for x in node.values)
    assert isinstance(node, ast.Constant), (
        f"a pattern that is not written where it is used: {ast.unparse(node)}"
    )
    return str(node.value)


# -------------------------------------------------------------------------------------------------
# hostile texts


def samples(items: Any, flags: int) -> Iterator[tuple[str, str]]:
    """Yield, for each repeated part of a pattern, its possible prefix and what it repeats."""
    before = ""
    for op, argument in items:
        name = str(op)
        if name.endswith("_REPEAT"):
            before_it = before
            repeated = sample(argument[2], flags)
            for character in {*characters(argument[2]), *repeated}:
                yield before_it, character
            yield before_it, repeated
        for inner in parts(op, argument):
            yield from ((before + ahead, unit) for ahead, unit in samples(inner, flags))
        before += sample([(op, argument)], flags)


def parts(op: Any, argument: Any) -> list[Any]:
    """The patterns within one part of a pattern."""
    name = str(op)
    if name == "BRANCH":
        return list(argument[1])
    if name == "SUBPATTERN":
        return [argument[3]]
    if name.endswith("_REPEAT"):
        return [argument[2]]
    if name == "ATOMIC_GROUP":
        return [argument]
    return [argument[1]] if name in ("ASSERT", "ASSERT_NOT") else []


def sample(items: Any, flags: int) -> str:
    """Return a matching text, without lookaheads."""
    text = ""
    for op, argument in items:
        if str(op).startswith("ASSERT"):
            continue
        inner = parts(op, argument)
        times = max(1, min(argument[0], 50)) if str(op).endswith("_REPEAT") else 1
        text += (
            sample(inner[0], flags) * times
            if inner
            else next(iter(characters([(op, argument)])), "")
        )
    return text


def characters(items: Any) -> list[str]:
    """Return characters that one of the parts matches, the plainest first."""
    found: list[str] = []
    for op, argument in items:
        if str(op) == "LITERAL":
            found.append(chr(argument))
        elif str(op) in ("ANY", "NOT_LITERAL", "IN"):
            alone = [(op, argument)] if str(op) != "IN" else argument
            found += [c for c in " a0.,;:/*-_'\"`|[]{}()\\#=+@<>\t\n" if takes(alone, c)]
        else:
            for inner in parts(op, argument):
                found += characters(inner)
    return list(dict.fromkeys(found))


CATEGORIES = {"DIGIT": str.isdigit, "SPACE": str.isspace, "WORD": lambda c: c.isalnum() or c == "_"}


def takes(entries: Any, c: str) -> bool:
    """Whether a class of characters has this one."""
    held = False
    negated = False
    for op, argument in entries:
        match str(op):
            case "NEGATE":
                negated = True
            case "ANY":
                held |= c != "\n"
            case "NOT_LITERAL":
                held |= ord(c) != argument
            case "LITERAL":
                held |= ord(c) == argument
            case "RANGE":
                held |= argument[0] <= ord(c) <= argument[1]
            case "CATEGORY":
                word = str(argument).removeprefix("CATEGORY_")
                held |= CATEGORIES[word.removeprefix("NOT_")](c) != word.startswith("NOT_")
    return held != negated


SPOILERS = ("", "\x00", "a\n!", "\"'`\n")


def hostile(used: Used) -> set[tuple[str, str, str]]:
    """Yield a prefix, a repeated part, and an ending that does not match."""
    items = parser.parse(used.pattern, used.flags)
    whole = sample(items, used.flags)
    runs = (
        set(samples(items, used.flags))
        | {("", whole)}
        | {("", whole[:k]) for k in range(1, min(len(whole), 20))}
    )
    return {(ahead, unit, spoiler) for ahead, unit in runs if unit for spoiler in SPOILERS}


def seconds(used: Used, way: str, text: str) -> float:
    """The processor time that the text takes."""
    run = getattr(re.compile(used.pattern, used.flags), way)
    arguments = ("", text) if way == "sub" else (text,)
    begun = time.thread_time()
    found = run(*arguments)
    if way == "finditer":
        list(found)
    return time.thread_time() - begun


def steepest(used: Used) -> str:
    """Describe the first text that takes too long; an empty string if there is none."""
    for ahead, unit, spoiler in sorted(hostile(used)):
        for way in used.ways:
            size = FIRST
            text = made(ahead, unit, spoiler, size)
            while seconds(used, way, text) < NOTICEABLE and size < LARGEST:
                size *= FACTOR
                text = made(ahead, unit, spoiler, size)
            taken = before = math.inf
            for _ in range(5):  # in turn, so that a busy machine disturbs both alike
                before = min(before, seconds(used, way, made(ahead, unit, spoiler, size // FACTOR)))
                taken = min(taken, seconds(used, way, text))
            if taken > max(NOTICEABLE, STEEP * before):
                return f"{used.where} {way} {ahead!r} {unit!r} × {size} {spoiler!r}: {before:.4f} → {taken:.4f} s"
    return ""


def made(ahead: str, unit: str, spoiler: str, size: int) -> str:
    return ahead + unit * (size // len(unit) + 1) + spoiler


def test_patterns_are_found() -> None:
    found = list(patterns())
    files = {used.where.partition(":")[0] for used in found}
    assert {
        "engine/parameters/names.py",
        "engine/parameters/formula.py",
        "app/state/lessons.py",
        "app/asset_files.py",
    } <= files
    assert [used.ways for used in found if used.where.startswith("engine/parameters/names.py")] == [
        ("fullmatch",),
        ("sub",),
    ]


@pytest.mark.parametrize(
    "used", first(((used,) for used in patterns()), 10), ids=lambda used: used.where
)
def test_no_text_takes_more_than_its_share(used: Used) -> None:
    assert not steepest(used)


@pytest.mark.parametrize(
    "pattern, way",
    [
        (r"(.+?)\s*hz", "fullmatch"),
        (r"(a+)+b", "match"),
        (r"(Lab|Look):\s*(.*)", "fullmatch"),
        (r"\[([^]]*)\]", "findall"),
        (r"\|(?=[^`]*(`[^`]*`[^`]*)*$)", "sub"),
        (r"x*x*y", "search"),
        (r"/\*.*?\*/", "sub"),
    ],
)
def test_a_pattern_that_can_backtrack_is_found(pattern: str, way: str) -> None:
    assert steepest(Used("here", pattern, re.DOTALL if way == "sub" else 0, (way,)))
