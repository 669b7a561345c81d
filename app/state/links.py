"""Links: the query that leads to a choice, and the choice that a query names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Protocol
from urllib.parse import urlencode

from engine.parameters.names import split_names
from engine.parameters.parameter import Parameter, find_parameter
from engine.problems import DT, DURATION
from engine.simulation import find_version
from engine.text.formatting import quote

from . import recordings, view
from .choice import (
    ELSEWHERE,
    FIRST,
    MOST_METHODS,
    Choice,
    Refusal,
    attempt,
    choose_problem,
    choose_recording,
    validate,
)
from .excerpt import WHOLE, Excerpt
from .recordings import Recording
from .view import DEFAULT_VIEW, View

MOST_NAMES = 2 * MOST_METHODS
"""Largest number of methods that are read from a link."""
WORDS = (
    "problem",
    "methods",
    "dt",
    "duration",
    "lesson",
    "lecture",
    "version",
    "tab",
    "theme",
    *view.WORDS,
    *recordings.WORDS,
)
"""The words of a link, besides the parameters of the problem."""


class Linked(Protocol):
    """Anything a link can lead to: a choice of the lab, or a question to another page."""

    def query(self) -> dict[str, str]:
        """The words of the link."""
        ...


def polhode_version() -> str:
    """The version that links and files carry."""
    return find_version() or "from a folder"


def link(
    target: Linked, excerpt: Excerpt = WHOLE, lesson: str = "", view: View = DEFAULT_VIEW
) -> str:
    """The query that leads to a target or to an excerpt of it, with Polhode's version."""
    words = target.query() | excerpt.query() | ({"lesson": lesson} if lesson else {}) | view.query()
    return "?" + urlencode(words | {"version": polhode_version()}, safe=",()*")


def read_query(
    query: Mapping[str, str], space: str = "so3", recording: Recording | None = None
) -> tuple[Choice, list[str]]:
    """The choice that a query names, and a notice for each part that is refused; the default
    replaces that part. A query that names a recording needs it.
    """
    notices: list[str] = []
    if recording is None and query.get("recording"):
        return FIRST[space], [describe_missing(query["recording"])]

    def accept(choice: Choice, **changed: Any) -> Choice:
        try:
            return validate(replace(choice, **changed))
        except Refusal as refusal:
            notices.append(f"{next(iter(changed))}: {refusal}")
            return choice

    choice = FIRST[space] if recording is None else choose_recording(recording)
    if recording is not None:
        choice = accept(choice, problem=query.get("problem", choice.problem))
    elif "problem" in query:
        named = accept(choice, problem=query["problem"])
        if named.problem != choice.problem:
            named = replace(choose_problem(named.problem, named), changes=named.changes)
        choice = named
    choice = _read_parameters(query, choice, notices).with_fitting_methods()
    if "methods" in query:
        labels = tuple(_read_methods(query["methods"], choice, notices))
        choice = accept(choice, methods=labels) if labels else choice
    times = {p.name: _read_or_keep(p, query[p.name]) for p in (DT, DURATION) if p.name in query}
    try:  # together first: a small step may be allowed only with the short duration that comes with it
        choice = validate(replace(choice, **times))
    except Refusal:
        for name, value in times.items():
            choice = accept(choice, **{name: value})
    return choice, notices


def describe_missing(name: str) -> str:
    """Say that a link names a recording and does not hold it."""
    return (
        f"A link does not hold a recording. Choose {quote(name)} again, and this page shows it with the "
        "settings of the link."
    )


def _read_parameters(query: Mapping[str, str], choice: Choice, notices: list[str]) -> Choice:
    """The choice with the parameters that a query names, the options of a problem first: its label
    contains them, and they may set other parameters.
    """
    declared = choice.build_problem().declarations
    parameters = {name: p for name, p in declared.items() if name not in ELSEWHERE}
    found: list[tuple[Parameter, str]] = []
    unknown: list[str] = []
    for name in (name for name in query if name not in WORDS):
        try:
            found.append((find_parameter(parameters, name, choice.problem), name))
        except ValueError:
            unknown.append(f"{name[:40]!r} is no name that a link can carry.")
    for parameter, name in sorted(found, key=lambda one: not one[0].choices):
        try:
            value = attempt(name, partial(parameter.read_text, query[name]))
            choice = validate(_change_parameter(choice, parameter, value))
        except Refusal as refusal:
            notices.append(f"{name}: {refusal}")
    notices += unknown
    return choice


def _change_parameter(choice: Choice, parameter: Parameter, value: Any) -> Choice:
    if not parameter.choices:
        return choice.with_changes(**{parameter.name: value})
    problem = choice.build_problem()
    changed = attempt(parameter.name, lambda: problem.replace(**{parameter.name: value}))
    if choice.recording is not None:
        return replace(choice, problem=changed.label)
    return replace(choose_problem(changed.label, choice), changes=choice.changes)


def _read_methods(text: str, choice: Choice, notices: list[str]) -> Iterator[str]:
    refusals: list[str] = []
    for name in list(dict.fromkeys(split_names(text)))[:MOST_NAMES]:
        try:
            yield from validate(replace(choice, methods=(name,))).methods
        except Refusal as refusal:
            refusals.append(f"methods: {refusal}")
    notices += summarise_refusals(refusals)


def _read_or_keep(parameter: Parameter, text: str) -> Any:
    """The value of a text; the text itself if it cannot be read, so that validation refuses it."""
    with suppress(ValueError):
        return parameter.read_text(text)
    return text


def summarise_refusals(refusals: Sequence[str]) -> list[str]:
    """The first refusal of names in a list, and the number of others."""
    if len(refusals) < 2:
        return list(refusals)
    return [f"{refusals[0].removesuffix('.')}; and {len(refusals) - 1} more that cannot be had."]
