"""What columns can mean, and which meaning fits the motion: the order of a quaternion or of Euler angles,
their unit, the direction of the attitude, the frame and the unit of the velocity.

A velocity decides by the change of the attitude. Without one, the momentum decides: it is constant
for the right meaning only. Coordinates of the other hand, in which axes are mirrored, obey the same
equations; a file that mixes both has a velocity with other signs than the attitude's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

import numpy as np
from scipy.spatial.transform import Rotation

from ..parameters.argument_error import ArgumentError
from ..parameters.validation import Array
from ..problems.given_rates.columns import RATE_UNITS, TIME_UNITS
from ..text.formatting import join_words, show
from .columns import Group
from .inertia import measure_misfit
from .readings import Reading, list_misnamed, list_readings

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
CLEAR = 0.05
"""The same share, up to which a meaning fits that the names of columns contradict."""
ALIKE = 1e-6
"""Meanings that give the same motion to this need no decision."""
FRAMES = ("body", "space")
Signs = tuple[int, int, int]
AS_WRITTEN = (1, 1, 1)
HALF_TURNS = ((1, -1, -1), (-1, 1, -1), (-1, -1, 1))
"""The signs of a velocity in axes that a half turn turns. All signs changed fit if the attitude turns
the other way, too, which the momentum shows.
"""
UNITS = RATE_UNITS | {"rpm": np.pi / 30, "rev/s": 2 * np.pi}


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
    signs : by which the components of the velocity are multiplied.
    """

    reading: Reading
    inverse: bool
    frame: str
    time: str
    unit: str
    distance: float
    signs: Signs = AS_WRITTEN

    @property
    def choices(self) -> dict[str, str]:
        """The choices that the meaning stands for, by the names of options."""
        choices = self.reading.choices | {"inverse": "on" if self.inverse else "off"}
        if self.frame:
            choices["signs of the velocity"] = str(self.signs)
            choices |= {"frame": self.frame, "unit of the velocity": self.unit}
        return choices | {"unit of the time": self.time}

    def find_attitudes(self, values: Array) -> Array:
        """Return the attitudes (n, 3, 3), body → space, of the attitude's columns."""
        R = self.reading.convert(values)
        return np.swapaxes(R, 1, 2) if self.inverse else R

    def find_velocities(self, velocity: Array, R: Array) -> Array:
        """Return the velocities (n, 3) in the body's frame, in rad/s, of the columns and the attitudes."""
        omega = UNITS[self.unit] * np.array(self.signs) * velocity
        return np.einsum("nij,ni->nj", R, omega) if self.frame == "space" else omega


@dataclass(frozen=True, eq=False)
class Clues:
    """The values of a file that decide: times, those of the attitude's columns, and velocities, which
    are optional; with what the file or a person says of them, with an inertia (3, 3) or None.
    """

    t: Array
    values: Array
    velocity: Array | None
    times: tuple[str, ...]
    units: tuple[str, ...]
    frame: str | None
    inverse: bool | None
    J: Array | None

    def fits(self, meaning: Meaning) -> bool:
        """Return whether a meaning does not miss the motion."""
        return meaning.distance <= (POOR_MOMENTUM if self.velocity is None else POOR)


def find_meaning(
    group: Group, clues: Clues, euler: str | None, hints: dict[str, str]
) -> tuple[Meaning, list[str]]:
    """Return the meaning of all columns, of which `group` has the attitude, and what is assumed of it.

    If no meaning by the names of columns fits, a quaternion in another order is tried, and a velocity
    in mirrored axes.
    """
    own = list(list_readings(group, clues.values, euler))
    meanings = _list_meanings(own, clues, (AS_WRITTEN,))
    if clues.J is not None and not clues.fits(meanings[0]):
        clues = replace(clues, J=None)  # it may be that of other axes
        meanings = _list_meanings(own, clues, (AS_WRITTEN,))
    if not clues.fits(meanings[0]):
        others = [
            *_list_meanings(list(list_misnamed(group)), clues, (AS_WRITTEN,)),
            *(_list_meanings(own, clues, HALF_TURNS) if clues.velocity is not None else ()),
        ]
        others = [one for one in others if one.distance <= CLEAR]
        meanings = sorted(others, key=lambda one: one.distance) or meanings
    meaning, assumed = _decide(meanings, clues, hints)
    return _choose_sense(meaning, clues), assumed


def _choose_sense(meaning: Meaning, clues: Clues) -> Meaning:
    """Return the meaning, or that of the inverse attitude with the opposite velocity in the other
    frame, which turns a body alike, if the momentum is constant by the latter only.
    """
    inverse = not meaning.inverse
    frame = next((frame for frame in FRAMES if frame != meaning.frame), "")
    is_stated = clues.inverse is not None or clues.frame is not None
    if clues.velocity is None or is_stated:
        return meaning
    R = meaning.find_attitudes(clues.values[:BEGINNING])
    t = clues.t[: len(R)]
    turned = measure_misfit(t, np.swapaxes(R, 1, 2))
    if turned > POOR_MOMENTUM or APART * turned >= measure_misfit(t, R):
        return meaning
    x, y, z = meaning.signs
    return replace(meaning, inverse=inverse, frame=frame, signs=(-x, -y, -z))


def _list_meanings(readings: list[Reading], clues: Clues, signs: Sequence[Signs]) -> list[Meaning]:
    """Return the meanings of the columns, the best first."""
    inverses = [False, True] if clues.inverse is None else [clues.inverse]
    find = partial(_compare_velocities, signs=signs)
    found = [
        meaning
        for reading, inverse in product(readings, inverses)
        for meaning in (_compare_momenta if clues.velocity is None else find)(
            reading, inverse, clues
        )
    ]
    return sorted(found, key=lambda meaning: meaning.distance)


def _compare_velocities(
    reading: Reading, inverse: bool, clues: Clues, signs: Sequence[Signs]
) -> Iterator[Meaning]:
    """Yield the meanings of the velocity, with their distances from the turns of pairs of rows."""
    assert clues.velocity is not None
    moving = np.flatnonzero((np.diff(clues.values, axis=0) != 0).any(axis=1))
    places = np.linspace(0, len(moving) - 1, min(len(moving), PAIRS)).round().astype(int)
    rows = moving[np.unique(places)]
    before, after = (reading.convert(clues.values[at]) for at in (rows, rows + 1))
    turned_back = np.swapaxes(before, 1, 2)
    in_body = Rotation.from_matrix(turned_back @ after).as_rotvec()
    in_space = Rotation.from_matrix(after @ turned_back).as_rotvec()
    length = float(np.median(np.linalg.norm(in_body, axis=1)))
    first, last = clues.velocity[rows], clues.velocity[rows + 1]
    intervals = (clues.t[rows + 1] - clues.t[rows])[:, None]
    fastest = float(np.median(np.linalg.norm(intervals * last, axis=1)))
    for time, unit in product(clues.times, clues.units):
        factor = TIME_UNITS[time] * UNITS[unit]
        is_near = length > 0 and 1 / UNLIKE < factor * fastest / length < UNLIKE
        for frame, mirror in product([clues.frame] if clues.frame else FRAMES, signs):
            turn = in_body if (frame == "body") != inverse else in_space
            turn = -turn if inverse else turn
            distance = np.inf
            for velocity in (first, (first + last) / 2, last) if is_near else ():
                expected = factor * intervals * np.array(mirror) * velocity
                near = np.linalg.norm(expected, axis=1) < LARGEST_TURN
                if near.sum() >= len(rows) / 2:
                    off = np.linalg.norm(turn - expected, axis=1)[near]
                    distance = min(distance, float(np.median(off)) / length)
            yield Meaning(reading, inverse, str(frame), time, unit, distance, mirror)


def _compare_momenta(reading: Reading, inverse: bool, clues: Clues) -> Iterator[Meaning]:
    """Yield the meaning with its distance from a motion with constant momentum."""
    R = reading.convert(clues.values[:BEGINNING])
    R = np.swapaxes(R, 1, 2) if inverse else R
    yield Meaning(
        reading,
        inverse,
        "",
        clues.times[0],
        "",
        measure_misfit(clues.t[: len(R)], R, clues.J),
    )


def _decide(
    meanings: list[Meaning], clues: Clues, hints: dict[str, str]
) -> tuple[Meaning, list[str]]:
    """Return the meaning that fits, and the choices that only `hints` decide, which are customs or what
    names suggest.

    Raises `ValueError` with what cannot be decided and how to say it.
    """
    best = meanings[0]
    has_velocity = clues.velocity is not None
    if has_velocity and not clues.fits(best):
        raise _describe_misfit(best, clues)
    floor = 0.0 if has_velocity else POOR_MOMENTUM
    bound = max(APART * best.distance, floor)
    fit = [one for one in meanings if one.distance <= bound]
    possible = _keep_distinct(fit, clues)
    likely = possible
    for name, value in hints.items():
        likely = [one for one in likely if one.choices.get(name, value) == value] or likely
    if len(likely) > 1:
        raise _describe_doubt(likely)
    assumed = [name for name in _find_open_choices(possible) if name in hints]
    return likely[0], assumed


def _keep_distinct(meanings: list[Meaning], clues: Clues) -> list[Meaning]:
    """Return one of each group of meanings that give the same motion."""
    rows = np.unique(np.linspace(0, len(clues.t) - 1, 20).round().astype(int))
    found: list[tuple[Meaning, Array]] = []
    for meaning in meanings:
        R = meaning.find_attitudes(clues.values[rows])
        motion = R.reshape(len(rows), 9)
        if clues.velocity is not None:
            velocity = meaning.find_velocities(clues.velocity[rows], R)
            size = float(np.abs(velocity).max()) or 1.0
            motion = np.hstack([motion, velocity / size, np.full((len(rows), 1), size)])
        if not any(np.allclose(motion, other, ALIKE, ALIKE) for _, other in found):
            found.append((meaning, motion))
    return [meaning for meaning, _ in found]


def _find_open_choices(meanings: list[Meaning]) -> dict[str, list[str]]:
    """Return the choices by which meanings differ, with their values."""
    names = dict.fromkeys(name for one in meanings for name in one.choices)
    values = {
        name: list(dict.fromkeys(one.choices.get(name, "") for one in meanings)) for name in names
    }
    return {name: each for name, each in values.items() if len(each) > 1}


def _describe_doubt(meanings: list[Meaning]) -> ArgumentError:
    """Return what stays undecided, and the arguments that decide it."""
    open_choices = _find_open_choices(meanings)
    what = join_words(
        WORDS[name]
        if "off" in values or "none" in values
        else f"{WORDS[name]} ({join_words(values, 'or')})"
        for name, values in open_choices.items()
    )
    examples = dict(EXAMPLES.get(name, UNITS_BY_NAME) for name in open_choices)
    return ArgumentError(f"the motion does not show {what}; state it", **examples)


WORDS = {
    "euler": "whether the angles are Euler angles, and in which order",
    "frame": "the frame of the angular velocity",
    "inverse": "whether the attitude turns space to the body",
    "order of the quaternion": "the order of the quaternion",
    "unit of the angles": "the unit of the angles",
    "unit of the velocity": "the unit of the velocity",
    "unit of the time": "the unit of the time",
    "signs of the velocity": "the signs of the angular velocity",
    "order of the angles": "the order of the angles",
}
UNITS_BY_NAME = "columns", "t_ms,roll_deg,pitch_deg,yaw_deg,wx_dps,wy_dps,wz_dps"
EXAMPLES = {
    "euler": ("euler", "ZYX"),
    "frame": ("frame", "body"),
    "inverse": ("inverse", "on"),
    "order of the quaternion": ("columns", "t,qw,qx,qy,qz"),
    "signs of the velocity": ("frame", "none"),
}
"""Arguments that state choices."""


def _describe_misfit(best: Meaning, clues: Clues) -> ArgumentError:
    """Return why no meaning of the velocity fits."""
    assert clues.velocity is not None
    R = best.find_attitudes(clues.values)
    angles = Rotation.from_matrix(np.swapaxes(R[:-1], 1, 2) @ R[1:]).magnitude()
    moving = angles > 0
    steps = np.diff(clues.t)[moving] * TIME_UNITS[best.time]
    measured = float(np.median(angles[moving] / steps))
    stated = float(np.median(np.linalg.norm(clues.velocity[1:][moving], axis=1)))
    largest = float(np.median(stated * steps))
    if largest > LARGEST_TURN:
        return ArgumentError(
            f"the body turns by {show(largest, 3)} rad between rows, so that these do not show the direction; "
            "write rows more often, or leave out the velocity",
            frame="none",
        )
    short, long = np.quantile(steps, (0.1, 0.9))
    mean = float(angles.sum() / steps.sum())  # to which errors of the times add up to none
    if long > (1 + POOR) * short and abs(mean / stated - 1) < POOR:
        return ArgumentError(
            "the times of the rows are uneven, and with them the angular velocity does not fit the change of the "
            "attitude; if the engine's own steps are equal, state the step",
            dt="1/60",
        )
    return ArgumentError(
        "the angular velocity does not fit the change of the attitude in any frame, direction or unit: the rows turn "
        f"by {show(measured, 3)} rad/s, and the velocity is {show(stated, 3)}; check the columns and "
        "the times, or leave out the velocity",
        frame="none",
    )
