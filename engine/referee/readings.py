"""What columns can mean, and which meaning fits the motion: the order of a quaternion or of Euler angles,
their unit, the direction of the attitude, the frame and the unit of the velocity.

A velocity decides by the change of the attitude. Without one, the momentum decides: it is constant
for the right meaning only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from ..parameters.validation import Array
from ..problems.given_rates.columns import DEGREE, RATE_UNITS, TIME_UNITS
from ..text.formatting import join_words, quote, show
from .columns import ANGLES_BY_NAME, ORDERS, Group
from .inertia import measure_misfit

PAIRS = 500
"""Pairs of rows that are compared."""
BEGINNING = 1000
"""Rows whose momentum is compared."""
LARGEST_TURN = 2.8
"""In a pair, in radians; beyond a half turn the direction of the turn is unknown."""
UNLIKE = 3.0
"""The ratio of two angles from which on they are not alike in any unit."""
APART = 3.0
"""A meaning that fits worse than the best by this factor is ruled out."""
POOR, POOR_MOMENTUM = 0.25, 0.05
"""The share of the turn, or of the momentum, that does not fit, from which on a meaning is refuted."""
ALIKE = 1e-6
"""Meanings that give the same motion to this need no decision."""
FRAMES = ("body", "space")
UNITS = RATE_UNITS | {"rpm": np.pi / 30, "rev/s": 2 * np.pi}


class Reading(NamedTuple):
    """A meaning of the attitude's columns: words, the choices that it stands for, and the function
    from values (n, k) to matrices (n, 3, 3).
    """

    words: str
    choices: dict[str, str]
    convert: Callable[[Array], Array]


@dataclass(frozen=True)
class Meaning:
    """A meaning of all columns.

    Attributes
    ----------
    reading : that of the attitude.
    inverse : whether the attitude turns space to the body.
    frame : that of the velocity; empty without one.
    time, unit : the units of the time and of the velocity.
    distance : by how much it misses the motion.
    """

    reading: Reading
    inverse: bool
    frame: str
    time: str
    unit: str
    distance: float

    @property
    def choices(self) -> dict[str, str]:
        """The choices that the meaning stands for, by the names of options."""
        choices = self.reading.choices | {"inverse": "on" if self.inverse else "off"}
        if self.frame:
            choices |= {"frame": self.frame, "unit of the velocity": self.unit}
        return choices | {"unit of the time": self.time}

    def find_attitudes(self, values: Array) -> Array:
        """Return the attitudes (n, 3, 3), body → space, of the attitude's columns."""
        R = self.reading.convert(values)
        return np.swapaxes(R, 1, 2) if self.inverse else R


def list_readings(group: Group, values: Array, euler: str | None) -> Iterator[Reading]:
    """Yield the meanings of an attitude's columns."""
    if group.kind == "matrix":
        yield Reading("rotation matrix", {}, lambda rows: rows.reshape(-1, 3, 3))
    elif group.kind == "modified Rodrigues parameters":
        yield Reading(group.kind, {}, lambda rows: Rotation.from_mrp(rows).as_matrix())
    elif group.kind == "quaternion":
        yield Reading("quaternion", {}, _read_quaternion)
    elif group.kind == "quaternion in an unknown order":
        for order in ("wxyz", "xyzw"):
            rolled = 0 if order == "wxyz" else 1
            yield Reading(
                f"quaternion in the order {', '.join(order)}",
                {"order of the quaternion": order},
                partial(_read_quaternion, rolled=rolled),
            )
    else:
        yield from _list_vectors(group, values, euler)


def _list_vectors(group: Group, values: Array, euler: str | None) -> Iterator[Reading]:
    """Yield the meanings of three columns: rotation vectors, and Euler angles in all orders."""
    units = [group.unit] if group.unit in ("rad", "deg") else ["rad", "deg"]
    if len(units) > 1 and np.nanmax(np.abs(values)) <= np.pi / 18:
        units = ["rad"]
    for unit in units:
        factor = DEGREE if unit == "deg" else 1.0
        choice = {"unit of the angles": unit}
        if group.kind in ("rotation vector", "rotation vector or Euler angles") and euler in (
            None,
            "none",
        ):
            yield Reading(
                f"rotation vector in {unit}",
                choice | {"euler": "none"},
                partial(_read_rotation_vector, factor=factor),
            )
        if group.kind == "rotation vector" or euler == "none":
            continue
        for order, places in _list_orders(group, euler):
            in_turn = ", ".join(group.columns[place].written for place in places)
            yield Reading(
                f"Euler angles in {unit}, R = {' '.join(f'R_{axis.lower()}' for axis in order)}",
                choice
                | {"euler": order}
                | ({"order of the angles": in_turn} if order[0] == order[2] else {}),
                partial(_read_euler_angles, order=order, places=places, factor=factor),
            )


def _list_orders(group: Group, euler: str | None) -> Iterator[tuple[str, list[int]]]:
    """Yield the orders of Euler angles, each with the places of the columns in that order."""
    names = tuple(column.name for column in group.columns)
    for order in [euler] if euler else ORDERS:
        distinct = len(set(order)) == 3
        if group.kind == "Euler angles in turn":
            yield order, [0, 1, 2]
        elif distinct:
            yield order, ["XYZ".index(axis) for axis in order]
        elif names == ANGLES_BY_NAME[-1]:
            # Precession, nutation and proper rotation.
            yield order, [0, 1, 2]
            if not euler:
                yield order, [2, 1, 0]


def _read_quaternion(rows: Array, rolled: int = 0) -> Array:
    return Rotation.from_quat(np.roll(rows, rolled - 1, axis=1)).as_matrix()


def _read_rotation_vector(rows: Array, factor: float) -> Array:
    return Rotation.from_rotvec(factor * rows).as_matrix()


def _read_euler_angles(rows: Array, order: str, places: list[int], factor: float) -> Array:
    return Rotation.from_euler(order, factor * rows[:, places]).as_matrix()


def check_order(euler: str | None) -> str | None:
    """Return an order of Euler angles as factors of R: "ZYX"; small letters are about fixed axes."""
    if euler is None or euler == "none":
        return euler
    order = euler.strip()
    if order.islower():
        order = order.upper()[::-1]
    if order not in ORDERS:
        raise ValueError(
            f"the order of Euler angles is three axes such as 'ZYX', R = R_z R_y R_x; got {quote(euler)}"
        )
    return order


@dataclass(frozen=True, eq=False)
class Evidence:
    """The values of a file that decide: times, those of the attitude's columns, and velocities, which
    are optional; with what the file or a person says of them.
    """

    t: Array
    values: Array
    velocity: Array | None
    times: tuple[str, ...]
    units: tuple[str, ...]
    frame: str | None
    inverse: bool | None


def list_meanings(readings: list[Reading], evidence: Evidence) -> list[Meaning]:
    """Return the meanings of the columns, the best first."""
    inverses = [False, True] if evidence.inverse is None else [evidence.inverse]
    find = _compare_momenta if evidence.velocity is None else _compare_velocities
    found = [
        meaning
        for reading, inverse in product(readings, inverses)
        for meaning in find(reading, inverse, evidence)
    ]
    return sorted(found, key=lambda meaning: meaning.distance)


def _compare_velocities(reading: Reading, inverse: bool, evidence: Evidence) -> Iterator[Meaning]:
    """Yield the meanings of the velocity, with their distances from the turns of pairs of rows."""
    assert evidence.velocity is not None
    moving = np.flatnonzero((np.diff(evidence.values, axis=0) != 0).any(axis=1))
    places = np.linspace(0, len(moving) - 1, min(len(moving), PAIRS)).round().astype(int)
    rows = moving[np.unique(places)]
    before, after = (reading.convert(evidence.values[at]) for at in (rows, rows + 1))
    turned_back = np.swapaxes(before, 1, 2)
    in_body = Rotation.from_matrix(turned_back @ after).as_rotvec()
    in_space = Rotation.from_matrix(after @ turned_back).as_rotvec()
    length = float(np.median(np.linalg.norm(in_body, axis=1)))
    first, last = evidence.velocity[rows], evidence.velocity[rows + 1]
    intervals = (evidence.t[rows + 1] - evidence.t[rows])[:, None]
    fastest = float(np.median(np.linalg.norm(intervals * last, axis=1)))
    for time, unit in product(evidence.times, evidence.units):
        factor = TIME_UNITS[time] * UNITS[unit]
        is_near = length > 0 and 1 / UNLIKE < factor * fastest / length < UNLIKE
        for frame in [evidence.frame] if evidence.frame else FRAMES:
            turn = in_body if (frame == "body") != inverse else in_space
            turn = -turn if inverse else turn
            distance = np.inf
            for velocity in (first, (first + last) / 2, last) if is_near else ():
                expected = factor * intervals * velocity
                near = np.linalg.norm(expected, axis=1) < LARGEST_TURN
                if near.sum() >= len(rows) / 2:
                    off = np.linalg.norm(turn - expected, axis=1)[near]
                    distance = min(distance, float(np.median(off)) / length)
            yield Meaning(reading, inverse, str(frame), time, unit, distance)


def _compare_momenta(reading: Reading, inverse: bool, evidence: Evidence) -> Iterator[Meaning]:
    """Yield the meaning with its distance from a motion with constant momentum."""
    R = reading.convert(evidence.values[:BEGINNING])
    R = np.swapaxes(R, 1, 2) if inverse else R
    yield Meaning(
        reading,
        inverse,
        "",
        evidence.times[0],
        "",
        measure_misfit(evidence.t[: len(R)] - evidence.t[0], R),
    )


def decide(
    meanings: list[Meaning], evidence: Evidence, hints: dict[str, str]
) -> tuple[Meaning, list[str]]:
    """Return the meaning that fits, and the choices that only `hints` decide, which are customs or what
    names suggest.

    Raises `ValueError` with what cannot be decided and how to say it.
    """
    best = meanings[0]
    has_velocity = evidence.velocity is not None
    if not best.distance <= (POOR if has_velocity else np.inf):
        raise ValueError(_describe_misfit(best, evidence))
    floor = 0.0 if has_velocity else POOR_MOMENTUM
    bound = max(APART * best.distance, floor)
    fit = [one for one in meanings if one.distance <= bound]
    possible = _keep_distinct(fit, evidence)
    likely = possible
    for name, value in hints.items():
        likely = [one for one in likely if one.choices.get(name, value) == value] or likely
    if len(likely) > 1:
        raise ValueError(_describe_doubt(likely))
    assumed = [name for name in find_open_choices(possible) if name in hints]
    return likely[0], assumed


def _keep_distinct(meanings: list[Meaning], evidence: Evidence) -> list[Meaning]:
    """Return one of each group of meanings that give the same motion."""
    rows = np.unique(np.linspace(0, len(evidence.t) - 1, 20).round().astype(int))
    found: list[tuple[Meaning, Array]] = []
    for meaning in meanings:
        R = meaning.find_attitudes(evidence.values[rows])
        motion = R.reshape(len(rows), 9)
        if evidence.velocity is not None:
            velocity = UNITS[meaning.unit] * evidence.velocity[rows]
            if meaning.frame == "space":
                velocity = np.einsum("nij,ni->nj", R, velocity)
            size = float(np.abs(velocity).max()) or 1.0
            motion = np.hstack([motion, velocity / size, np.full((len(rows), 1), size)])
        if not any(np.allclose(motion, other, ALIKE, ALIKE) for _, other in found):
            found.append((meaning, motion))
    return [meaning for meaning, _ in found]


def find_open_choices(meanings: list[Meaning]) -> dict[str, list[str]]:
    """Return the choices by which meanings differ, with their values."""
    names = dict.fromkeys(name for one in meanings for name in one.choices)
    values = {
        name: list(dict.fromkeys(one.choices.get(name, "") for one in meanings)) for name in names
    }
    return {name: each for name, each in values.items() if len(each) > 1}


def _describe_doubt(meanings: list[Meaning]) -> str:
    """Return what stays undecided, and the arguments that decide it."""
    open_choices = find_open_choices(meanings)
    what = join_words(
        WORDS[name]
        if "off" in values or "none" in values
        else f"{WORDS[name]} ({join_words(values, 'or')})"
        for name, values in open_choices.items()
    )
    how = join_words(dict.fromkeys(OPTIONS.get(name, NAMES) for name in open_choices))
    return f"the motion does not show {what}; state it by {how}"


NAMES = (
    "the names of the columns, as in columns=t,qw,qx,qy,qz with units in brackets, like roll (deg)"
)
WORDS = {
    "euler": "whether the angles are Euler angles, and in which order",
    "frame": "the frame of the angular velocity",
    "inverse": "whether the attitude turns space to the body",
    "order of the quaternion": "the order of the quaternion",
    "unit of the angles": "the unit of the angles",
    "unit of the velocity": "the unit of the velocity",
    "unit of the time": "the unit of the time",
    "order of the angles": "the order of the angles",
}
OPTIONS = {
    "euler": "euler=ZYX or another order, or euler=none for a rotation vector",
    "frame": "frame=body or frame=space",
    "inverse": "inverse=on or inverse=off",
}


def _describe_misfit(best: Meaning, evidence: Evidence) -> str:
    """Return why no meaning of the velocity fits."""
    assert evidence.velocity is not None
    R = best.find_attitudes(evidence.values)
    angles = Rotation.from_matrix(np.swapaxes(R[:-1], 1, 2) @ R[1:]).magnitude()
    moving = angles > 0
    steps = np.diff(evidence.t)[moving] * TIME_UNITS[best.time]
    measured = float(np.median(angles[moving] / steps))
    stated = float(np.median(np.linalg.norm(evidence.velocity[1:][moving], axis=1)))
    largest = float(np.median(stated * steps))
    if largest > LARGEST_TURN:
        return (
            f"the body turns by {show(largest, 3)} rad between rows, so that these do not show the direction; "
            "write rows more often, or leave out the velocity by frame=none"
        )
    return (
        "the angular velocity does not fit the change of the attitude in any frame, direction or unit: the rows turn "
        f"by {show(measured, 3)} rad/s, and the velocity is {show(stated, 3)}; check the columns, "
        "or leave out the velocity by frame=none"
    )
