"""A shape: a language in which an engine's function for the gyroscopic term is written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from ...algebra import Diag3, Vec3
from ..language import Language
from ..tree import Binary, Name, Unary

VECTORS = (Vec3, Diag3)
"""The values that an engine's own vector holds: Diag3 is a vector that multiplies components."""
ASLEEP = "A body that turns slower than this, in rad/s, is left alone, so that it can sleep."
"""The comment on the limit of speed in scripts."""


class Shape(Language):
    """A language with an engine's vectors.

    Attributes
    ----------
    engine : what the function belongs to, as the subject of a sentence.
    programs : the programs whose cure is offered in this shape, by their names in links.
    paste : where the function goes, and what the engine does besides, as sentences.
    has, given : what the engine has, "J" or "Jinv", and its variables with that, the step, and Ω about the
        principal axes.
    """

    engine: ClassVar[str]
    programs: ClassVar[tuple[str, ...]]
    paste: ClassVar[tuple[str, ...]]
    has: ClassVar[str] = "Jinv"
    given: ClassVar[tuple[str, str, str]]

    @classmethod
    def arguments(cls) -> Sequence[Name]:
        """The variables that the engine's function passes on."""
        kinds = Diag3, float, Vec3
        return [Name(kind, name) for kind, name in zip(kinds, cls.given, strict=True)]

    def structure(self, kind: type, fields: dict[str, type]) -> Iterator[str]:
        if kind not in VECTORS:
            yield from super().structure(kind, fields)

    def is_native(self, x: Unary | Binary) -> bool:
        """Operators of the engine's vectors and numbers."""
        of = (x.of,) if isinstance(x, Unary) else (x.left, x.right)
        return all(one.type in (*VECTORS, float) for one in of)
