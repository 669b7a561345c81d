"""How a page is viewed: picture, plots, camera and speed, with the same words in links, presets and
lessons.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, fields

BODY_AXES, TRACES = ("axis 1", "axis 2", "axis 3"), ("π", "ω")
"""What a picture in 2D shows: the motion seen along an axis of the body, or the trace of a vector in
space.
"""
AUTO = "auto"
SHAPES = ("box", "book", "racket", "T-handle", "top", "prism", "ellipsoid")
"""Shapes of the drawn body; `AUTO` takes that of the problem."""
LAYOUTS = ("overlaid", "side-by-side")
"""How the bodies of several motions are shown: in one picture, or each in its own view; the default
first.
"""
SCALES, ERRORS, VECTORS, CURVES = (
    ("Log", "Linear"),
    ("Relative", "Absolute"),
    ("Ω", "Π"),
    ("Solid", "Dashed"),
)
"""Options of the plots: the axis of errors, errors relative or absolute, the vector of the motion,
and whether dashes distinguish the methods' curves; defaults first.
"""
NEAREST, FARTHEST, STEEPEST = 6.0, 0.25, 1.5
"""Bounds of the camera: nearness, and elevation in radians."""
SPEED = re.compile(r"fit|[1-9]\d?(/[1-9]\d?)?")
LONGEST_LINK = 4000
"""Largest number of characters of a link's query."""


@dataclass(frozen=True)
class View:
    """How a page is viewed; an empty attribute means the page's default.

    Attributes
    ----------
    picture : the picture in space, one of the `pictures` of its lab.
    along : what a picture in 2D shows, one of `BODY_AXES` or `TRACES`.
    plots, axis, errors, vector, curves : the group of plots, and how they are drawn.
    speed : units of time per second, such as "2" or "1/4", or "fit"; the default depends on the
        duration.
    shape : the shape of the body.
    layout : how the bodies of several motions are shown.
    camera : azimuth and elevation in radians, and nearness.
    """

    picture: str = ""
    along: str = ""
    plots: str = ""
    axis: str = SCALES[0]
    errors: str = ERRORS[0]
    vector: str = VECTORS[0]
    speed: str = ""
    shape: str = AUTO
    layout: str = LAYOUTS[0]
    camera: tuple[float, ...] = ()
    curves: str = CURVES[0]

    def query(self) -> dict[str, str]:
        """The words of a link: every attribute that differs from the default."""
        values = {name: getattr(self, name) for name in WORDS}
        words = {
            name: value for name, value in values.items() if value != getattr(DEFAULT_VIEW, name)
        }
        return words | ({"camera": ",".join(f"{x:g}" for x in self.camera)} if self.camera else {})


DEFAULT_VIEW = View()
WORDS = tuple(field.name for field in fields(View))
"""The words of a view in a link."""


def match_word(text: str, words: Iterable[str]) -> str | None:
    """The word that equals the text, or equals it but for case; None if no word does."""
    alike = [word for word in words if word.casefold() == text.casefold()]
    return text if text in alike else next(iter(alike), None)


def parse_speed(text: str) -> str | None:
    """A speed in the form the player accepts, or None."""
    return text if SPEED.fullmatch(text) else None


def parse_camera(text: str) -> tuple[float, ...] | None:
    """Azimuth, elevation and nearness, or None if the text is no valid position."""
    try:
        azimuth, elevation, near = (float(x) for x in text.split(","))
    except ValueError:
        return None
    valid = math.isfinite(azimuth) and abs(elevation) <= STEEPEST and FARTHEST <= near <= NEAREST
    return (azimuth, elevation, near) if valid else None
