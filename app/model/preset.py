"""What a preset is: a setting to begin with, what there is to see in it, and how it is looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import engine
from engine import papers
from engine.told import Proof, told

from .session import Choice
from .view import BEGUN, View

RACKET, AXES, TOPS = "Tennis racket", "Stable and unstable axes", "Tops that sleep, nod and fall"
SYMPLECTIC, ORDER, ENDS = "Why symplectic", "Why order is not everything", "Blow-ups and no solution"
INTEGRALS = "Integrals besides energy and momentum"
PAPERS, ENGINES, PARTICLES, OWN = "From the papers", "Physics engines", "Molecular dynamics and DEM", "Your own"
GROUPS = (RACKET, AXES, TOPS, SYMPLECTIC, INTEGRALS, ORDER, ENDS, ENGINES, PARTICLES, OWN, PAPERS)
"""What presets are about, in the order in which they are listed."""

BODY, SPHERE = "body", "sphere"
"""Pictures of one body."""


@dataclass(frozen=True)
class Preset:
    """A setting with a name; `ends` tells which of its runs do not come to their end, and how.

    What its sentence has in brackets is measured in this setting; `engine.told` tells how. `paper` is the source of
    those `PAPERS`; `words` are more by which it is found.
    """

    key: str
    group: str
    title: str
    sentence: str
    choice: Choice
    ends: Mapping[str, str] = field(default_factory=dict)
    view: View = BEGUN
    paper: str = ""
    words: str = ""

    @property
    def heading(self) -> str:
        """Where it stands in a list."""
        return f"{self.group}: {self.paper}" if self.paper else self.group


def preset(
    key: str,
    group: str,
    title: str,
    setting: Choice,
    sentence: str,
    *evidence: Proof,
    view: View = BEGUN,
    paper: str = "",
    words: str = "",
    ends: Mapping[str, str] = {},
    **ended: str,
) -> Preset:
    """A setting with a name, and a sentence with the evidence for its marks; `ended` are more of `ends`."""
    seen = told(sentence, *evidence) if evidence else sentence
    return Preset(key, group, title, seen, setting, {**ends, **ended}, view, paper, words)


def in_groups(*presets: Preset) -> tuple[Preset, ...]:
    """Presets in the order of their groups."""
    return tuple(sorted(presets, key=lambda one: GROUPS.index(one.group)))


def choice(problem: str, methods: str | Sequence[str], dt: float, duration: float, **changes: Any) -> Choice:
    """A choice; the methods' names may be in one string, with spaces between them."""
    found = engine.problem(problem)
    names = methods.split() if isinstance(methods, str) else methods
    return Choice(found.label, tuple(names), dt, duration, space=found.space).with_changes(**changes)


def of_figure(
    figure: str, methods: str = "", dt: float = 0.0, duration: float = 0.0, problem: str = "", **changes: Any
) -> Choice:
    """The setting of a paper's figure, but for what is given here in its place."""
    own = papers.find_figure(figure).setting
    times = dt or own.dt, duration or own.duration
    return choice(problem or own.problem, methods or own.methods, *times, **{**own.parameters, **changes})


def of_paper(paper: str, keys: str, key: str, title: str, setting: Choice, *said: Any, **more: Any) -> Preset:
    """A preset of a paper; `keys` is how all of its keys begin."""
    return preset(f"{keys}-{key}", PAPERS, title, setting, *said, paper=paper, **more)
