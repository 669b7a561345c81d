"""What a page of runs is about, one body or two: what of it is pictured, plotted and told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from .account import Account
from .presets import Preset
from .quantities import Group
from .session import Choice

__all__ = ["Subject"]


@dataclass(frozen=True)
class Subject:
    """What an `Explorer` is made for.

    Attributes
    ----------
    page : its key among the pages.
    space : "so3" for one body, "se3" for two.
    pictures : by their names what makes the pictures in space; it is given the widgets, which a picture may change.
    alone : what the pictures are called where one of them is shown alone.
    seen : what there is to see in them, as the help tells it.
    groups : by their names the plots that are seen together.
    account : what the ledger tells.
    presets, surprise : settings to begin with, and one drawn at random.
    """

    page: str
    space: str
    pictures: Callable[[Any], dict[str, Callable[[], Any]]]
    alone: tuple[str, ...]
    seen: str
    groups: Mapping[str, Group]
    account: Account
    presets: Sequence[Preset]
    surprise: Callable[[Random], Choice]
