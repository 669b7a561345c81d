"""What exact motions of one body and of two have in common: states at times, with estimates."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..parameters.validation import Array


class States:
    """States at times (n,), or one state, without the axis of n; a dataclass."""

    series: ClassVar[tuple[str, ...]]
    """The arrays that tell the motion."""
    t: Array
    how: str
    estimates: Any
    horizon: float

    @property
    def is_known(self) -> NDArray[np.bool_]:
        """(n,) whether the motion is known at each time."""
        return np.isfinite(self.estimates.attitude)

    def known_part(self) -> Self:
        """The motion at the times at which it is known."""
        return self if self.is_known.all() else self.select(self.is_known)

    def select(self, at: Any) -> Self:
        """The motion at some of the times; of one number, that state."""
        some: dict[str, Any] = {name: getattr(self, name)[at] for name in ("t", *self.series)}
        some["estimates"] = type(self.estimates)(*(part[at] for part in self.estimates))
        return dataclasses.replace(self, **some)  # type: ignore[type-var]

    def __repr__(self) -> str:
        times = np.atleast_1d(self.t)
        span = (
            f"t = {times[0]:g}"
            if len(times) == 1
            else f"{len(times)} times from {times[0]:g} to {times[-1]:g}"
        )
        return f"<exact motion at {span}: {self.how}>"
