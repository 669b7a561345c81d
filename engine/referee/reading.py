"""Trajectories from files and arrays of any engine: columns by their names, checked by the motion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..parameters.validation import Array
from ..problems.given_rates.columns import TIME_UNITS
from ..problems.problem import STEP
from ..text.formatting import join_words, quote
from .columns import Group
from .readings import (
    FRAMES,
    UNITS,
    WORDS,
    Evidence,
    Meaning,
    check_order,
    decide,
    list_meanings,
    list_readings,
)
from .rows import describe_lengths, even_out, find_complete, find_moving, find_usual
from .sources import Data, choose_group, describe_missing, open_motion, split_names
from .trajectory import Trajectory, make_trajectory

FEWEST_ROWS = 4
AT_REST = "the body does not move: its attitude never changes"


def read_trajectory(
    motion: Any,
    J: ArrayLike | None = None,
    *,
    columns: str | Sequence[str] | None = None,
    euler: str | None = None,
    frame: str | None = None,
    inverse: bool | str | None = None,
    dt: float | str | None = None,
) -> Trajectory:
    """Return the trajectory of a file or of arrays; `engine.judge` describes the arguments."""
    if hasattr(motion, "Omega") and hasattr(motion, "R"):
        known = J if J is not None else getattr(getattr(motion, "problem", None), "J", None)
        return make_trajectory(motion.t, motion.R, motion.Omega, known)
    order = check_order(euler)
    direction = _check_switch(inverse)
    if frame not in (None, *FRAMES, "none"):
        raise ValueError(f"the frame is 'body', 'space' or 'none'; got {quote(frame)}")
    names = None if columns is None else split_names(columns)
    data = open_motion(motion, names)
    attitude = choose_group(data, "attitude")
    velocity = choose_group(data, "velocity") if frame != "none" else None
    if attitude is None:
        raise ValueError(describe_missing(data))
    return _assemble(data, attitude, velocity, J, order, frame, direction, dt)


def _assemble(
    data: Data,
    attitude: Group,
    velocity: Group | None,
    J: ArrayLike | None,
    euler: str | None,
    frame: str | None,
    inverse: bool | None,
    dt: float | str | None,
) -> Trajectory:
    """Return the trajectory of columns."""
    remarks = list(data.remarks)
    time = choose_group(data, "time")
    values = data.take(attitude)
    rates = None if velocity is None else data.take(velocity)
    t, units = _find_times(data, time, dt, len(values))
    complete = find_complete(t, values, rates, attitude.kind, remarks)
    t, values = t[complete], values[complete]
    rates = None if rates is None else rates[complete]
    used = find_moving(t, values, remarks)
    t, values = t[used], values[used]
    rates = None if rates is None else rates[used]
    if len(t) < FEWEST_ROWS:
        raise ValueError(
            f"a motion needs at least {FEWEST_ROWS} rows with different times; {data.name} has {len(t)}"
        )
    if (values == values[0]).all():
        raise ValueError(AT_REST)
    stated = velocity.columns[0].frame if velocity is not None else ""
    rate_units = (
        (velocity.unit,) if velocity is not None and velocity.unit in UNITS else tuple(UNITS)
    )
    evidence = Evidence(t, values, rates, units, rate_units, frame, inverse)
    readings = list(list_readings(attitude, values, euler))
    hints = _list_hints(attitude, values, units, stated)
    meaning, assumed = decide(list_meanings(readings, evidence), evidence, hints)
    R = meaning.find_attitudes(values)
    t = t * TIME_UNITS[meaning.time]
    omega = None
    velocity_rounding = None
    if rates is not None and velocity is not None:
        omega = UNITS[meaning.unit] * rates
        omega = np.einsum("nij,ni->nj", R, omega) if meaning.frame == "space" else omega
        velocity_rounding = UNITS[meaning.unit] * data.find_rounding(velocity)
    used = find_usual(t, R, omega, remarks)
    t, R, values = t[used], R[used], values[used]
    omega = None if omega is None else omega[used]
    remarks[:0] = _describe_reading(attitude, velocity, time, meaning, stated, assumed)
    remarks += describe_lengths(attitude.kind, values)
    time_rounding = 0.0
    if time is not None:
        time_rounding = TIME_UNITS[meaning.time] * data.find_rounding(time)
    t = even_out(t, time_rounding, remarks)
    rounding = data.find_rounding(attitude)
    factor = {"quaternion": 2.0, "matrix": 1.0}.get(attitude.kind.split(" ")[0], 1.0)
    if "deg" in meaning.reading.choices.get("unit of the angles", ""):
        factor = np.pi / 180
    if attitude.kind.startswith("modified"):
        factor = 4.0
    return make_trajectory(t, R, omega, J, factor * rounding, velocity_rounding, tuple(remarks))


def _find_times(
    data: Data, time: Group | None, dt: float | str | None, count: int
) -> tuple[Array, tuple[str, ...]]:
    """Return the times as written, and the units that they may have."""
    if dt is not None:
        return np.arange(count, dtype=float) * STEP.check(dt, "dt"), ("s",)
    if time is None:
        raise ValueError(
            f"{data.name} has no column of times; give the step of the rows, as in dt=1/60"
        )
    t = data.take(time)[:, 0].astype(float)
    return t, (time.unit,) if time.unit in TIME_UNITS else ("s", "ms", "us", "ns")


def _check_switch(value: bool | str | None) -> bool | None:
    """Return a switch that may be unset."""
    if value is None or isinstance(value, bool):
        return value
    if str(value).lower() in ("on", "off"):
        return str(value).lower() == "on"
    raise ValueError(f"inverse is 'on' or 'off'; got {quote(value)}")


def _list_hints(
    attitude: Group, values: Array, units: tuple[str, ...], stated: str
) -> dict[str, str]:
    """Return the choices that customs and the names of columns suggest."""
    angles = "deg" if np.abs(values).max() > 2.01 * np.pi else "rad"
    named = ", ".join(column.written for column in attitude.columns)
    hints = {"inverse": "off", "unit of the time": units[0], "unit of the velocity": "rad/s"}
    hints |= {"unit of the angles": angles} | ({"frame": stated} if stated else {})
    if attitude.columns[0].name == "phi":
        hints |= {"euler": "ZXZ", "order of the angles": named}
    return hints


def _describe_reading(
    attitude: Group,
    velocity: Group | None,
    time: Group | None,
    meaning: Meaning,
    stated: str,
    assumed: list[str],
) -> list[str]:
    """Return sentences on how the columns are read."""
    turns = "space to the body" if meaning.inverse else "the body to space"
    found = [f"the attitude is a {meaning.reading.words} in {attitude}, and turns {turns}"]
    if found[0].startswith("the attitude is a Euler"):
        found[0] = found[0].replace("is a Euler", "is Euler")
    if velocity is None:
        found.append("there is no angular velocity: rates are those between rows")
    else:
        where = "the body's frame" if meaning.frame == "body" else "space"
        unit = meaning.unit
        checked = "" if stated in ("", meaning.frame) else f", though its name says {quote(stated)}"
        found.append(f"the angular velocity {velocity} is in {where}, in {unit}{checked}")
    if time is not None and meaning.time != "s":
        found.append(f"the time {time} is in {meaning.time}")
    if assumed:
        what = join_words(WORDS[name] for name in assumed)
        found.append(f"the motion does not show {what}, which is assumed")
    return found
