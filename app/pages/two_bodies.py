"""The page Two bodies: the full two-body problem, as the lab shows one body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import panel as pn

from ..page import Explorer, from_query, view_of


def page(query: Mapping[str, str], notices: Sequence[str] = ()) -> pn.Template:
    """The page that a link's query asks for; `notices` has what of the link could not be read."""
    choice, shown, more = from_query(query, "se3")
    seen, unseen = view_of(query, "se3")
    return Explorer(choice, [*notices, *more, *unseen], shown, seen=seen).page()
