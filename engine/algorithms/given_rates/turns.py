"""The turn of an update from what it is given: the rate at a time, or the integral of the rate; and
ways to normalise a quaternion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...algebra import Quat, Vec3
from ...parameters.parameter import Parameter
from ..core import Gyro, offer
from ..runge_kutta_entries import leave_as_is, normalise

Angle = Callable[[Gyro, float, float], Vec3]
"""(gyro, t, h) → a rate times h, the rotation vector if the rate is constant."""


def find_meaning(chosen: Mapping[str, Any], option: Parameter) -> Any:
    """The meaning of an option's choice, or of its default."""
    return option.meaning(chosen.get(option.name, option.default))


def hold_last(gyro: Gyro, t: float, h: float) -> Vec3:
    """h times the rate at the end of the interval: the latest sample."""
    return h * gyro.rate(t + h)


def hold_first(gyro: Gyro, t: float, h: float) -> Vec3:
    """h times the rate at the start of the interval."""
    return h * gyro.rate(t)


def hold_middle(gyro: Gyro, t: float, h: float) -> Vec3:
    """h times the rate in the middle of the interval."""
    return h * gyro.rate(t + h / 2)


def average_ends(gyro: Gyro, t: float, h: float) -> Vec3:
    """h times the mean of the rates at both ends."""
    return h / 2 * (gyro.rate(t) + gyro.rate(t + h))


def integrate(gyro: Gyro, t: float, h: float) -> Vec3:
    """The integral of the rate, h times its mean."""
    return gyro.increment(t, h)


RATE = offer(
    "rate",
    "the rate that an update holds over its interval",
    "Rate of an update",
    {
        "end": (hold_last, "at the end: the latest sample"),
        "start": (hold_first, "at the start"),
        "middle": (hold_middle, "in the middle"),
        "trapezoid": (average_ends, "mean of the rates at both ends"),
        "mean": (integrate, "mean over the interval"),
    },
    brief="the rate {value}",
)
PLACES = {"end": (1.0,), "start": (0.0,), "middle": (0.5,), "trapezoid": (0.0, 1.0), "mean": ()}
"""The places in a step at which each of them calls `gyro.rate`."""


def promise_rate(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """What an update with this rate is given, its order, and whether it looks the same from both
    ends.
    """
    rate = chosen.get("rate", RATE.default)
    symmetric = rate not in ("end", "start")
    return {
        "rates_at": PLACES[rate],
        "increments": 0 if PLACES[rate] else 1,
        "torque_evaluations": len(PLACES[rate]) or 1,
        "order": (2,) if symmetric else (1,),
        "reversible": symmetric,
    }


def normalise_to_first_order(q: Quat) -> Quat:
    """q (3 − |q|²)/2, a step of Newton's method for 1/|q| from 1."""
    return q * (1.5 - 0.5 * (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z))


RENORMALISE = offer(
    "renormalise",
    "whether the quaternion is brought to length 1 after each update, and how",
    "Quaternion normalised",
    {
        "no": (leave_as_is, "no normalisation"),
        "first": (normalise_to_first_order, "normalisation to first order"),
        "yes": (normalise, "normalisation"),
    },
)
ROTATION = {"orthogonality": "always"}
"""What an update conserves whose attitude stays a rotation."""


def promise_length(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """A quaternion whose length is restored stays a rotation."""
    return {"conserves": ROTATION if chosen.get("renormalise") == "yes" else {}}
