"""What a page of runs is about, one body or two: what of it is plotted, told and chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from . import one_body, presets, two_bodies
from .ledger import Ledger
from .preset import Preset
from .quantities import Group, Quantity
from .results import Results
from .session import Choice


@dataclass(frozen=True)
class Subject:
    """What an `Explorer` is made for.

    Attributes
    ----------
    space : that of one body, "so3", or that of two, "se3".
    page : its key among the pages.
    where : where it is opened, in words.
    alone : what the pictures are called where one of them is shown alone.
    seen : what there is to see in them, as the help tells it.
    groups : by their names the plots that are seen together.
    kept : what can be plotted alone of what methods keep.
    ledger : what the ledger tells.
    options : what can be chosen of a method.
    shaped : whether a body can be made of shapes.
    taught : whether there are lessons on it.
    presets, surprise : settings to begin with, and one drawn at random.
    shown_off, invites : the key of the preset that a page leads to at once, and in which words.
    """

    space: str
    page: str
    where: str
    alone: tuple[str, ...]
    seen: str
    groups: Mapping[str, Group]
    kept: Callable[[Results], list[Quantity]]
    ledger: Ledger
    options: str
    shaped: bool
    taught: bool
    presets: Sequence[Preset]
    surprise: Callable[[Random], Choice]
    shown_off: str
    invites: str


SUBJECTS = {
    "so3": Subject(
        space="so3",
        page="lab",
        where="in the lab",
        alone=("Poinsot", "body", "sphere", "flat"),
        seen="where the dots are where a method puts the body and the curve is where it should be",
        groups=one_body.GROUPS,
        kept=one_body.all_kept,
        ledger=one_body.LEDGER,
        options="Energy correction, composition, options",
        shaped=True,
        taught=True,
        presets=presets.PRESETS,
        surprise=presets.surprise,
        shown_off="racket",
        invites="See it flip",
    ),
    "se3": Subject(
        space="se3",
        page="two-bodies",
        where="on Two bodies",
        alone=("space", "relative"),
        seen="where one method's bodies are solid and the others' translucent, so that they are seen to part",
        groups=two_bodies.GROUPS,
        kept=two_bodies.kept,
        ledger=two_bodies.LEDGER,
        options="Composition, options",
        shaped=False,
        taught=False,
        presets=presets.OF_TWO_BODIES,
        surprise=presets.surprise_of_two,
        shown_off="lee-close",
        invites="See them meet",
    ),
}
"""By the space that a choice is of."""
