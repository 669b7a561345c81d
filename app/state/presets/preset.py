"""What a preset is: a setting with a title, a sentence on what it shows, and the view that shows it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import engine
from engine import papers
from engine.text.evidence import Proof
from engine.text.evidence import sentence as with_evidence

from ..choice import Choice
from ..view import DEFAULT_VIEW, View

RACKET, AXES, TOPS = "Tennis racket", "Stable and unstable axes", "Tops that sleep, nod and fall"
SYMPLECTIC, ORDER, ENDS = "Why symplectic", "Why order is not everything", "Blow-ups and no solution"
INTEGRALS = "Integrals besides energy and momentum"
PAPERS, ENGINES, PARTICLES, OWN = "From the papers", "Physics engines", "Molecular dynamics and DEM", "Your own"
GROUPS = (RACKET, AXES, TOPS, SYMPLECTIC, INTEGRALS, ORDER, ENDS, ENGINES, PARTICLES, OWN, PAPERS)
"""The groups of presets, in the order of the list."""

BODY, SPHERE = "body", "sphere"
"""Pictures of one body."""


@dataclass(frozen=True)
class Preset:
    """A setting with a name.

    Attributes
    ----------
    key, group, title : its name in a link, one of `GROUPS`, and its name on the page.
    sentence : what it shows; the parts in brackets are measured in this setting (`engine.text.evidence`).
    choice, view : the setting, and how the page shows it.
    ends : the status of each run that does not come to its end, by method.
    paper : the source of a preset of `PAPERS`.
    words : further words for the search.
    """

    key: str
    group: str
    title: str
    sentence: str
    choice: Choice
    ends: Mapping[str, str] = field(default_factory=dict)
    view: View = DEFAULT_VIEW
    paper: str = ""
    words: str = ""

    @property
    def heading(self) -> str:
        """Its heading in the list."""
        return f"{self.group}: {self.paper}" if self.paper else self.group


def preset(
    key: str,
    group: str,
    title: str,
    setting: Choice,
    sentence: str,
    *evidence: Proof,
    view: View = DEFAULT_VIEW,
    words: str = "",
    ends: Mapping[str, str] = {},
) -> Preset:
    """A preset whose sentence carries its evidence, a proof for each part in brackets."""
    text = with_evidence(sentence, *evidence) if evidence else sentence
    return Preset(key, group, title, text, setting, ends, view, words=words)


def of_paper(paper: str, prefix: str, key: str, title: str, setting: Choice, *text: Any, **more: Any) -> Preset:
    """A preset of a paper; `prefix` begins the keys of the paper's presets."""
    return dataclasses.replace(preset(f"{prefix}{key}", PAPERS, title, setting, *text, **more), paper=paper)


def in_groups(*presets: Preset) -> tuple[Preset, ...]:
    """Presets in the order of their groups."""
    return tuple(sorted(presets, key=lambda one: GROUPS.index(one.group)))


def choice(problem: str, methods: str | Sequence[str], dt: float, duration: float, **changes: Any) -> Choice:
    """A choice; a string of methods separates their names by spaces."""
    found = engine.problem(problem)
    names = methods.split() if isinstance(methods, str) else methods
    return Choice(found.label, tuple(names), dt, duration, space=found.space).with_changes(**changes)


def of_figure(
    figure: str, methods: str = "", dt: float = 0.0, duration: float = 0.0, problem: str = "", **changes: Any
) -> Choice:
    """The setting of a paper's figure, with these changes."""
    own = papers.find_figure(figure).setting
    times = dt or own.dt, duration or own.duration
    return choice(problem or own.problem, methods or own.methods, *times, **{**own.parameters, **changes})
