"""Trajectories from files and arrays of any engine: columns by their names, checked by the motion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..parameters.argument_error import ArgumentError, naming
from ..parameters.validation import Array, check_inertia
from ..problems.given_rates.columns import DEGREE, TIME_UNITS
from ..problems.problem import STEP
from ..text.formatting import join_words, quote
from .columns import Group
from .meanings import FRAMES, UNITS, WORDS, Clues, Meaning, find_meaning
from .readings import check_order
from .rows import (
    RowNumbers,
    describe_lengths,
    even_out,
    find_complete,
    find_moving,
    find_usual,
    refuse_reflections,
)
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
    stated = Stated(check_order(euler), _check_frame(frame), _check_switch(inverse), dt)
    data = open_motion(motion, None if columns is None else split_names(columns))
    attitude = choose_group(data, "attitude")
    if attitude is None:
        raise describe_missing(data)
    velocity = choose_group(data, "velocity") if frame != "none" else None
    remarks = list(data.remarks)
    inertia = _read_inertia(data, remarks) if J is None else J
    with naming("J"):
        inertia = None if inertia is None else check_inertia(inertia)
    rows, units, rounding = _take_rows(data, attitude, velocity, stated, remarks)
    refuse_reflections(attitude.kind, rows.values)
    meaning, remarks[:0] = _find_meaning(attitude, velocity, rows, units, rounding, stated, inertia)
    R = meaning.find_attitudes(rows.values)
    rows = rows._replace(t=TIME_UNITS[meaning.time] * rows.t)
    omega = None if rows.rates is None else meaning.find_velocities(rows.rates, R)
    used = find_usual(rows.t, R, omega, remarks)
    remarks += describe_lengths(attitude.kind, rows.values[used])
    t = even_out(rows.t[used], TIME_UNITS[meaning.time] * rounding, remarks)
    return make_trajectory(
        t,
        R[used],
        None if omega is None else omega[used],
        inertia,
        _find_attitude_rounding(data, attitude, meaning),
        None if velocity is None else UNITS[meaning.unit] * data.find_rounding(velocity),
        tuple(remarks),
    )


class Stated(NamedTuple):
    """What a person states of a file: the order of Euler angles, the frame of the velocity, whether
    the attitude is the inverse one, and the step.
    """

    euler: str | None
    frame: str | None
    inverse: bool | None
    dt: float | str | None


class _Rows(NamedTuple):
    """Rows as they are written: times (n,), the values of the attitude (n, k), and velocities (n, 3),
    which are optional.
    """

    t: Array
    values: Array
    rates: Array | None

    def take(self, at: RowNumbers) -> _Rows:
        """Return some of the rows."""
        return _Rows(self.t[at], self.values[at], None if self.rates is None else self.rates[at])


def _take_rows(
    data: Data, attitude: Group, velocity: Group | None, stated: Stated, remarks: list[str]
) -> tuple[_Rows, tuple[str, ...], float]:
    """Return the rows that count, the units that their times may have, and the rounding of the times."""
    values = data.take(attitude)
    rates = None if velocity is None else data.take(velocity)
    t, units, rounding = _find_times(data, stated.dt, len(values))
    rows = _Rows(t, values, rates)
    rows = rows.take(find_complete(*rows, attitude.kind, remarks))
    rows = rows.take(find_moving(rows.t, rows.values, remarks))
    if len(rows.t) < FEWEST_ROWS:
        raise ValueError(
            f"a motion needs at least {FEWEST_ROWS} rows with different times; {data.name} has {len(rows.t)}"
        )
    if (rows.values == rows.values[0]).all():
        raise ValueError(AT_REST)
    return rows, units, rounding


def _find_meaning(
    attitude: Group,
    velocity: Group | None,
    rows: _Rows,
    times: tuple[str, ...],
    rounding: float,
    stated: Stated,
    inertia: Array | None,
) -> tuple[Meaning, list[str]]:
    """Return the meaning of the columns, and sentences on it."""
    unit = "" if velocity is None else velocity.unit
    clues = Clues(
        even_out(rows.t, rounding, []),
        rows.values,
        rows.rates,
        times,
        (unit,) if unit in UNITS else tuple(UNITS),
        stated.frame,
        stated.inverse,
        inertia,
    )
    named = "" if velocity is None else velocity.columns[0].frame
    hints = _list_hints(attitude, rows.values, times, named)
    meaning, assumed = find_meaning(attitude, clues, stated.euler, hints)
    return meaning, _describe_reading(attitude, velocity, times, meaning, named, assumed)


def _find_attitude_rounding(data: Data, attitude: Group, meaning: Meaning) -> float:
    """Return the rounding of the attitude's columns as an angle."""
    rounding = data.find_rounding(attitude)
    if "deg" in meaning.reading.choices.get("unit of the angles", ""):
        return DEGREE * rounding
    if attitude.kind.startswith("modified"):
        return 4.0 * rounding
    return 2.0 * rounding if attitude.kind.startswith("quaternion") else rounding


def _read_inertia(data: Data, remarks: list[str]) -> Array | None:
    """Return the inertia of columns, if there are any; that of the first row."""
    group = choose_group(data, "inertia")
    if group is None:
        return None
    values = data.take(group)
    known = values[np.isfinite(values).all(axis=1)]
    if not len(known):
        return None
    changes = ", which change, in the first row" if (known != known[0]).any() else ""
    remarks.append(f"the inertia is that of {group}{changes}")
    if len(group.columns) == 3:
        return np.diag(known[0])
    xx, yy, zz, xy, xz, yz = known[0]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _find_times(
    data: Data, dt: float | str | None, count: int
) -> tuple[Array, tuple[str, ...], float]:
    """Return the times as written, the units that they may have, and their rounding; by the number of
    the row or of the frame if the step is stated.
    """
    time, frames = choose_group(data, "time"), choose_group(data, "count")
    if dt is not None:
        with naming("dt"):
            step = STEP.check(dt, "dt")
        number = np.arange(count) if frames is None else data.take(frames)[:, 0]
        return step * np.asarray(number, float), ("s",), 0.0
    if time is None:
        has = "no column of times" if frames is None else f"{frames} and no column of times"
        raise ArgumentError(f"{data.name} has {has}; give the step of the rows", dt="1/60")
    t = data.take(time)[:, 0].astype(float)
    units = (time.unit,) if time.unit in TIME_UNITS else tuple(TIME_UNITS)
    return t, units, data.find_rounding(time)


def _check_frame(frame: str | None) -> str | None:
    """Return the frame of a velocity, which may be unset."""
    if frame in (None, *FRAMES, "none"):
        return frame
    raise ArgumentError(f"the frame is 'body', 'space' or 'none'; got {quote(frame)}", "frame")


def _check_switch(value: bool | str | None) -> bool | None:
    """Return a switch that may be unset."""
    if value is None or isinstance(value, bool):
        return value
    if str(value).lower() in ("on", "off"):
        return str(value).lower() == "on"
    raise ArgumentError(f"inverse is 'on' or 'off'; got {quote(value)}", "inverse")


def _list_hints(
    attitude: Group, values: Array, units: tuple[str, ...], stated: str
) -> dict[str, str]:
    """Return the choices that customs and the names of columns suggest."""
    angles = "deg" if np.abs(values).max() > 2.01 * np.pi else "rad"
    named = ", ".join(column.written for column in attitude.columns)
    hints = {"inverse": "off", "order of the quaternion": "wxyz", "unit of the time": units[0]}
    hints |= {"unit of the velocity": "rad/s"}
    hints |= {"unit of the angles": angles, "frame": stated or "space"}
    if attitude.columns[0].name == "phi":
        hints |= {"euler": "ZXZ", "order of the angles": named}
    return hints


def _describe_reading(
    attitude: Group,
    velocity: Group | None,
    times: tuple[str, ...],
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
        changed = [
            quote(column.written)
            for column, sign in zip(velocity.columns, meaning.signs, strict=True)
            if sign < 0
        ]
        if changed:
            found.append(
                f"the angular velocity fits the attitude only with the opposite sign of {join_words(changed)}, as in a "
                "file that mixes left-handed and right-handed axes; it is read so"
            )
    if len(times) > 1 and meaning.time != "s":
        found.append(f"the time is in {meaning.time}")
    if assumed:
        what = join_words(WORDS[name] for name in assumed)
        found.append(f"the motion does not show {what}, which is assumed")
    return found
