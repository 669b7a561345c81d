"""How a page is looked at: picture, plots, camera and speed; the same in links, presets and lessons."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from engine.wording import listed

if TYPE_CHECKING:
    from .subject import Subject

BODY_AXES, TRACES = ("axis 1", "axis 2", "axis 3"), ("π", "ω")
"""What the flat pictures can show: the motion seen along an axis of the body, or the trace of a vector in space."""
AUTO = "auto"
SHAPES = ("box", "book", "racket", "T-handle", "top", "prism", "ellipsoid")
"""What a body can look like, besides what its problem says."""
SCALES, ERRORS, VECTORS = ("Log", "Linear"), ("Relative", "Absolute"), ("Ω", "Π")
"""How plots are drawn: the axis of errors, how these are taken, whose motion; the first to begin with."""
NEAREST, FARTHEST, STEEPEST = 6.0, 0.25, 1.5
"""Of a camera: how near it comes, and the largest elevation in radians."""
SPEED = re.compile(r"fit|[1-9]\d?(/[1-9]\d?)?")
LONGEST_LINK = 4000
"""Characters of a link's query; a longer one is not read."""
MOST_TOLD = 40
"""Characters of what cannot be had that are told."""


@dataclass(frozen=True)
class View:
    """How a page is looked at; what is empty is as a page begins.

    Attributes
    ----------
    picture : which picture in space, as one calls it where it is shown alone.
    along : what a flat picture shows, of `BODY_AXES` or `TRACES`.
    plots, axis, errors, vector : which plots, and how they are drawn.
    speed : units of time a second, as "2" or "1/4", or "fit"; by itself it goes by the duration.
    shape : what the body looks like.
    camera : azimuth and elevation in radians, and how near.
    """

    picture: str = ""
    along: str = ""
    plots: str = ""
    axis: str = SCALES[0]
    errors: str = ERRORS[0]
    vector: str = VECTORS[0]
    speed: str = ""
    shape: str = AUTO
    camera: tuple[float, ...] = ()

    def query(self) -> dict[str, str]:
        """The words of a link: what is not as a page begins."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        words = {name: value for name, value in given.items() if value != getattr(BEGUN, name)}
        return words | ({"camera": ",".join(f"{x:g}" for x in self.camera)} if self.camera else {})


BEGUN = View()
WORDS = tuple(field.name for field in fields(View))
"""Of a link."""


def choices(subject: Subject) -> dict[str, tuple[str, ...]]:
    """What can be chosen of each, where that is one of a few words, which no two have in common."""
    return {
        "picture": subject.alone,
        "along": (*BODY_AXES, *TRACES),
        "plots": tuple(subject.groups),
        "axis": SCALES,
        "errors": ERRORS,
        "vector": VECTORS,
        "shape": (AUTO, *SHAPES) if subject.shaped else (AUTO,),
    }


def from_query(query: Mapping[str, str], subject: Subject) -> tuple[dict[str, Any], list[str]]:
    """What a link says of a view, by the names of its attributes, and what of that cannot be had."""
    found: dict[str, Any] = {}
    notices: list[str] = []
    among = choices(subject)
    for name in WORDS:
        if name not in query:
            continue
        text = query[name].strip()
        read = camera(text) if name == "camera" else one_of(text, among[name]) if name in among else speed(text)
        if read is None:
            notices.append(f"{name}: it cannot be {text[:MOST_TOLD]!r}; it is {_told(name, among)}.")
        else:
            found[name] = read
    return found, notices


def one_of(text: str, known: tuple[str, ...]) -> str | None:
    """The word that is meant, in whatever case if none is it to the letter."""
    return text if text in known else next((word for word in known if word.casefold() == text.casefold()), None)


def speed(text: str) -> str | None:
    """A speed as the player takes it."""
    return text if SPEED.fullmatch(text) else None


def camera(text: str) -> tuple[float, ...] | None:
    """Azimuth, elevation and how near, if there is such a place."""
    try:
        azimuth, elevation, near = (float(x) for x in text.split(","))
    except ValueError:
        return None
    there = math.isfinite(azimuth) and abs(elevation) <= STEEPEST and FARTHEST <= near <= NEAREST
    return (azimuth, elevation, near) if there else None


def _told(name: str, among: Mapping[str, tuple[str, ...]]) -> str:
    if name in among:
        return listed(among[name], "or")
    if name == "speed":
        return "“fit”, or a number such as 2 or 1/4"
    return f"azimuth, elevation up to {STEEPEST:g}, and nearness from {FARTHEST:g} to {NEAREST:g}, as -0.9,0.45,1"
