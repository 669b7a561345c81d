"""The page Two bodies: the full two-body problem, as the lab shows one body."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import panel as pn

from ..model import presets, two_bodies
from ..model.subject import Subject
from ..page import Explorer, from_query
from ..player import pair
from ..views.pair import Pair3D


def pictures(_: Any) -> dict[str, Callable[[], Any]]:
    """Both bodies in space, and as they are seen from body 2."""
    return {frame: partial(Pair3D, frame) for frame in (pair.INERTIAL, pair.RELATIVE)}


TWO_BODIES = Subject(
    page="two-bodies",
    space="se3",
    pictures=pictures,
    alone=("space", "relative"),
    seen="where one method's bodies are solid and the others' translucent, so that they are seen to part",
    groups=two_bodies.GROUPS,
    account=two_bodies.ACCOUNT,
    presets=presets.OF_TWO_BODIES,
    surprise=presets.surprise_of_two,
)


def page(query: Mapping[str, str], notices: Sequence[str] = ()) -> pn.Template:
    """The page that a link's query asks for; `notices` has what of the link could not be read."""
    choice, more = from_query(query, TWO_BODIES.space)
    return Explorer(choice, [*notices, *more], TWO_BODIES).page()
