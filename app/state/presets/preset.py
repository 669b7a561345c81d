"""Presets: settings with a title, a sentence about what to see, and the view that shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import engine
from engine import papers
from engine.problems import LENGTH, STEP

from ..choice import Choice
from ..view import DEFAULT_VIEW, View

PAPERS = "From the papers"
GROUPS = (
    "Tennis racket", "Stable and unstable axes", "Tops that sleep, nod and fall", "Why symplectic",
    "Integrals besides energy and momentum", "Why order is not everything", "Blow-ups and no solution",
    "Physics engines", "Molecular dynamics and DEM", "Gyroscopes", "Your own", PAPERS,
)  # fmt: skip
"""The groups of presets, in the order of the list."""
LEVELS = ("To begin with", "What methods keep and lose", "Where they fail")
"""The groups of presets that teach, by level; they come first."""


@dataclass(frozen=True)
class Preset:
    """A setting with a name.

    Attributes
    ----------
    key, group, title : its name in a link, one of `GROUPS`, and its name on the page.
    sentence : what it shows; the parts in brackets are measured in this setting
        (`engine.text.evidence`).
    choice, view : the setting, and how the page shows it.
    ends : the status of each run that does not come to its end, by method.
    paper, figure : the source of a preset of `PAPERS`, and the key of its figure, if there is one.
    level : from 1, the place in `LEVELS` of a preset that teaches; 0 for others.
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
    figure: str = ""
    level: int = 0
    words: str = ""

    @property
    def heading(self) -> str:
        """Its heading in the list."""
        if self.level:
            return LEVELS[self.level - 1]
        return f"{self.group}: {self.paper}" if self.paper else self.group

    @property
    def is_listed(self) -> bool:
        """Whether the list has it; the page Papers has the settings of figures."""
        return not (self.group == PAPERS and self.figure)


def choice(
    problem: str,
    methods: str | Sequence[str],
    dt: float | str,
    duration: float | str,
    **changes: Any,
) -> Choice:
    """A choice; a string of methods separates their names by spaces, and times may be texts such as
    1/60.
    """
    found = engine.problem(problem)
    names = methods.split() if isinstance(methods, str) else methods
    h = STEP.parse(dt, "dt") if isinstance(dt, str) else dt
    T = LENGTH.parse(duration, "duration") if isinstance(duration, str) else duration
    return Choice(found.label, tuple(names), h, T, space=found.space).with_changes(**changes)


def of_figure(figure: str, **setting: Any) -> Choice:
    """The setting of a paper's figure, with these changes."""
    own = papers.find_figure(figure).setting
    base: dict[str, Any] = {
        "problem": own.problem,
        "methods": own.methods,
        "dt": own.dt,
        "duration": own.duration,
    }
    return choice(**base | dict(own.parameters) | setting)
