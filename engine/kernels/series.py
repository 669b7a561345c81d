"""Which torques have Taylor series."""

from __future__ import annotations

import functools
from typing import Any

from ..algebra import Mat3, Vec3, Zero3
from ..compiler.series import coefficient, extend, time_series, unknown_series
from ..problems.field import Field
from . import layout


@functools.lru_cache(maxsize=256)
def find_missing_series(field: Field) -> str:
    """Why a torque has no Taylor series, as part of a sentence; empty if it has one."""
    from ..compiler.frontend import compilation
    from ..compiler.frontend.refusal import NotCompiled

    def expand(given: Any, out: Any) -> None:
        motion = [start_series(given[i]) for i in range(layout.ONE_BODY.size)]
        velocity = (Vec3(*motion[9:]),) if field.of_velocity else ()
        numbers = tuple([given[i] for i in range(layout.FIELD_CAPACITY)])
        T = field.torque(time_series(given[0]), Mat3(*motion[:9]), *velocity, numbers)
        if not isinstance(T, Zero3):
            for i, component in enumerate(T):
                out[i] = coefficient(component, 1)

    try:
        compilation.text_of(expand, ("real*", "real*"))
    except NotCompiled as refused:
        return str(refused).rstrip(".")
    return ""


def start_series(x: float) -> Any:
    """A series of which two coefficients are known."""
    series = unknown_series(x)
    extend(series, x)
    return series
