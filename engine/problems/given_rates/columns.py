"""The columns of recordings: which are time, rates and accelerations, and in which units."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ...text.formatting import join_words, quote
from ...text.tables import read_toml

DEGREE = math.pi / 180
STANDARD_GRAVITY = 9.80665

RATE_UNITS = {"rad/s": 1.0, "deg/s": DEGREE}
ANGLE_UNITS = {"rad": 1.0, "deg": DEGREE}
TIME_UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
ACCELERATION_UNITS = {"m/s^2": 1.0, "g": STANDARD_GRAVITY}
SPELLINGS = {
    "rad/sec": "rad/s", "rad_s": "rad/s", "rads": "rad/s", "radps": "rad/s", "°/s": "deg/s", "dps": "deg/s",
    "deg/sec": "deg/s", "degrees/s": "deg/s", "deg_s": "deg/s", "degs": "deg/s", "radians": "rad", "°": "deg",
    "degrees": "deg", "sec": "s", "seconds": "s", "µs": "us", "μs": "us", "m/s²": "m/s^2", "m/s2": "m/s^2",
    "m/s/s": "m/s^2", "m/s**2": "m/s^2", "ms^-2": "m/s^2", "ms-2": "m/s^2",
}  # fmt: skip
"""Other spellings of units."""
ENDINGS = ("rad_s", "rads", "radps", "dps", "deg_s", "degs")
"""Units at the end of names such as gyro_x_dps."""

PROGRAMS = read_toml(__file__)["program"]
RATES = re.compile(r"gyr|omega|ω|angular.?(vel|rate)|rotation.?rate|^[wg]$")
ANGLES = re.compile(r"delta|incr|integr|angle|theta")
ACCELERATIONS = re.compile(r"acc|^a$")
WITHOUT_GRAVITY = re.compile(r"lin|user")
TOTAL_ACCELERATIONS = re.compile(r"total.?acc")
TIMES = ("t", "time", "timestamp", "seconds", "seconds_elapsed", "elapsed")
"""Names of times that state no unit."""
AXES = "xyz"


class Column(NamedTuple):
    """A column: its place in a row, its name in the file, and the name, axis and unit found in that;
    the axis and the unit may be empty.
    """

    place: int
    written: str
    name: str
    axis: str
    unit: str

    def __str__(self) -> str:
        try:
            float(self.written)
        except ValueError:
            return quote(self.written)
        return f"column {self.place + 1}"


class Triple(NamedTuple):
    """Three columns, one for each axis."""

    columns: tuple[Column, ...]

    @property
    def places(self) -> tuple[int, ...]:
        """Their places in a row."""
        return tuple(column.place for column in self.columns)

    def __str__(self) -> str:
        return join_words(map(str, self.columns))


class Layout(NamedTuple):
    """The columns of one sensor, with the factors of its time to s and of its values to rad/s, rad or
    m/s².

    `unsure` names what the file states no unit of, "the time" or "the rates"; `units` are those
    of the time and of the values, as they are taken.
    """

    time: Column
    time_factor: float
    values: Triple
    factor: float
    integrated: bool = False
    remarks: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()
    units: tuple[str, str] = ("s", "rad/s")

    @property
    def places(self) -> tuple[int, ...]:
        """The places of its columns in a row, the time first."""
        return (self.time.place, *self.values.places)


def parse_name(place: int, written: str) -> Column:
    """Return a column by the name that it has in the file."""
    written = written.strip().strip('"').strip()
    name, inside = parse_brackets(written)
    unit = ""
    if inside and not _find_axis(inside):
        unit = SPELLINGS.get(inside, inside)
    else:
        name = written
        for ending in ENDINGS:
            if name.casefold().endswith(f"_{ending}"):
                name, unit = name[: -len(ending) - 1], SPELLINGS[ending]
    name, inside = parse_brackets(name)
    axis = _find_axis(inside)
    if not axis and name.casefold().endswith(("x", "y", "z")):
        name, axis = name[:-1], name[-1].casefold()
    return Column(place, written, name.casefold().rstrip(" _.-"), axis, unit)


def parse_brackets(name: str) -> tuple[str, str]:
    """Return a name, and what brackets at its end contain."""
    for opening, closing in ("()", "[]"):
        if name.endswith(closing) and opening in name:
            begin = name.rindex(opening)
            return name[:begin].rstrip(), name[begin + 1 : -1].strip().casefold()
    return name, ""


def _find_axis(text: str) -> str:
    """Return the axis that a letter, or a number in brackets, stands for."""
    if len(text) != 1:
        return ""
    return text.casefold() if text in "xyzXYZ" else AXES["012".index(text)] if text in "012" else ""


def find_rates(
    names: Sequence[str], file_name: str, unit: str | None, time_unit: str | None
) -> Layout | None:
    """Return the columns of rates in a file with these names of columns; None if there are none.

    Bare names x, y and z are rates if the name of the file says so. Units that are given count more
    than those of the file. Raises `ValueError` if an axis or the time is missing.
    """
    columns = [parse_name(place, name) for place, name in enumerate(names)]
    found = _group(column for column in columns if _has_rates(column, file_name))
    if not found:
        return None
    complete = [group for group in found if len(group) == 3]
    if not complete:
        missing = [axis for axis in AXES if axis not in {column.axis for column in found[0]}]
        raise ValueError(
            f"the rates have no column for {join_words(missing, 'or')}: the file has "
            f"{join_words(map(str, found[0]))}"
        )
    rates = Triple(complete[0])
    program = _find_program(rates.columns[0], columns)
    time, written = _find_time(columns, program)
    remarks = []
    if len(complete) > 1:
        others = join_words(str(Triple(group)) for group in complete[1:])
        remarks.append(f"the rates are {rates}; the file also has {others}")
    if list(rates.places) != sorted(rates.places):
        order = join_words(column.axis for column in sorted(rates.columns))
        remarks.append(f"the columns are in the order {order}, and are used by their names")
    stated = rates.columns[0].unit or (program["unit"] if program else "")
    return _make_rates(time, time_unit or written, rates, unit or stated, tuple(remarks))


def choose_rates(
    names: Sequence[str], chosen: Sequence[str | int], unit: str | None, time_unit: str | None
) -> Layout | None:
    """Return the columns that a person has chosen for time, x, y and z, by their names or by their
    numbers from 1 on; None if one is not among these.
    """
    columns = [parse_name(place, name) for place, name in enumerate(names)]
    written = [column.written for column in columns]
    places = [
        choice - 1
        if isinstance(choice, int)
        else written.index(choice)
        if choice in written
        else -1
        for choice in chosen
    ]
    if not all(0 <= place < len(names) for place in places):
        return None
    time, *rates = (columns[place] for place in places)
    unit = unit or rates[0].unit
    return _make_rates(time, time_unit or time.unit, Triple(tuple(rates)), unit, ())


def find_accelerations(names: Sequence[str], file_name: str) -> Layout | None:
    """Return the columns of accelerations with gravity, if the file states their unit."""
    columns = [parse_name(place, name) for place, name in enumerate(names)]
    named = [column for column in columns if _has_accelerations(column, file_name)]
    complete = [group for group in _group(named) if len(group) == 3]
    if not complete:
        return None
    values = Triple(complete[0])
    # Sensor Logger states its units in its documentation.
    unit = values.columns[0].unit or ("m/s^2" if not values.columns[0].name else "")
    time, time_unit = _find_time(columns, _find_program(values.columns[0], columns))
    if unit not in ACCELERATION_UNITS or time_unit not in TIME_UNITS:
        return None
    return Layout(time, TIME_UNITS[time_unit], values, ACCELERATION_UNITS[unit])


def check_unit(unit: str | None, known: Iterable[str], what: str) -> str | None:
    """Return a unit in its usual spelling."""
    if unit is None:
        return None
    written = SPELLINGS.get(str(unit).strip().casefold(), str(unit).strip().casefold())
    if written not in known:
        raise ValueError(f"the unit of {what} is {join_words(known, 'or')}; got {quote(unit)}")
    return written


def _make_rates(
    time: Column, time_unit: str, rates: Triple, unit: str, remarks: tuple[str, ...]
) -> Layout:
    units = RATE_UNITS | ANGLE_UNITS
    unsure = [
        what
        for what, stated in (("the time", time_unit in TIME_UNITS), ("the rates", unit in units))
        if not stated
    ]
    return Layout(
        time,
        TIME_UNITS.get(time_unit, 1.0),
        rates,
        units.get(unit, 1.0),
        unit in ANGLE_UNITS,
        remarks,
        tuple(unsure),
        (
            time_unit if time_unit in TIME_UNITS else "s",
            unit if unit in units else "rad/s",
        ),
    )


def _has_rates(column: Column, file_name: str) -> bool:
    """Return whether a column has rates or integrated angles about an axis."""
    if not column.axis:
        return False
    if column.unit:
        if column.unit in ANGLE_UNITS:
            return ANGLES.search(column.name) is not None
        return column.unit in RATE_UNITS
    if column.name in ("", "xyz"):
        return RATES.search(file_name.casefold()) is not None
    if column.name.startswith(("delta_ang", "deltaang", "delta_theta")):
        return True
    return RATES.search(column.name) is not None


def _has_accelerations(column: Column, file_name: str) -> bool:
    """Return whether a column has accelerations along an axis, with gravity."""
    if not column.axis:
        return False
    if column.name == "" and not column.unit:
        return TOTAL_ACCELERATIONS.search(file_name.casefold()) is not None
    named = ACCELERATIONS.search(column.name) is not None
    return named and WITHOUT_GRAVITY.search(column.name) is None


def _group(columns: Iterable[Column]) -> list[tuple[Column, ...]]:
    """Return the columns of the same name and unit together, in the order x, y, z."""
    groups: dict[tuple[str, str], dict[str, Column]] = {}
    for column in columns:
        groups.setdefault((column.name, column.unit), {}).setdefault(column.axis, column)
    return [tuple(group[axis] for axis in AXES if axis in group) for group in groups.values()]


def _find_program(rates: Column, columns: Sequence[Column]) -> dict[str, Any] | None:
    """Return the program that names columns like these."""
    names = {column.name for column in columns if not column.axis}
    for program in PROGRAMS:
        if rates.name in program["rates"] and program["time"] in names:
            return program
    return None


def _find_time(columns: Sequence[Column], program: dict[str, Any] | None) -> tuple[Column, str]:
    """Return the time and its unit, which is empty if the file does not state it."""
    plain = [column for column in columns if not column.axis]
    if program:
        time = next(column for column in plain if column.name == program["time"])
        return time, time.unit or program["time_unit"]
    named = [column for column in plain if column.name in TIMES]
    with_unit = [column for column in (*named, *plain) if column.unit in TIME_UNITS]
    if not (with_unit or named):
        raise ValueError(
            f"the file has no column of times: it has {join_words(map(str, columns[:12]))}"
        )
    time = (with_unit or named)[0]
    return time, time.unit if time.unit in TIME_UNITS else ""
