"""What the page Which method? asks and shows: menus, and a reply with its figure and links."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from engine.studies.core import Chart

from ..results import Progress

RUNS_KEPT = 256
"""How many runs are kept for other questions, of each kind."""


class Menu(NamedTuple):
    """A menu: its label, its purpose, and its values with words."""

    label: str
    about: str
    words: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Reply:
    """The reply to a question.

    Attributes
    ----------
    method, name, dt : the method's label and name, and its step.
    sentences, trial : why it is the answer, and what that comes from.
    ways, more : addresses by their titles, the lab's first.
    chart : the figure.
    """

    method: str
    name: str
    dt: float
    sentences: Sequence[str]
    trial: str
    ways: Mapping[str, str]
    chart: Chart
    more: Mapping[str, str] = field(default_factory=dict)


class Question(Protocol):
    """What the page asks."""

    @property
    def space(self) -> str:
        """The space of the methods."""

    @property
    def menus(self) -> Mapping[str, Menu]:
        """The menus besides that of what acts, by their names in links."""

    @property
    def values(self) -> dict[str, str]:
        """The chosen values of all menus."""

    def describe(self) -> str:
        """The question in a line."""

    def query(self) -> dict[str, str]:
        """The words of a link."""

    def find_replies(self, cancel: threading.Event, progress: Progress) -> Iterator[Reply]:
        """Find the reply; those before it are the best so far."""


def read_menus(
    query: Mapping[str, str], menus: Mapping[str, Menu]
) -> tuple[dict[str, str], list[str]]:
    """Return the words of a link that menus have, and a notice for each other word."""
    known = {
        name: text for name, text in query.items() if name in menus and text in menus[name].words
    }
    notices = [
        f"{name[:40]}: there is no {text[:40]!r} here."
        for name, text in query.items()
        if name not in known and name not in ("version", "acts")
    ]
    return known, notices
