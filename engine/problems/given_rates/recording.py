"""Recordings of gyroscopes in CSV files: of phones' apps, of flight controllers, or any table."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...parameters.argument_error import ArgumentError
from ...parameters.validation import Array
from ...text.csv_tables import Head, Table, is_number, open_tables, read_rows
from ...text.formatting import format_count, join_words, quote, show
from .columns import (
    ANGLE_UNITS,
    DEGREE,
    RATE_UNITS,
    TIME_UNITS,
    Layout,
    check_unit,
    choose_rates,
    find_accelerations,
    find_rates,
    parse_name,
)
from .given import GivenRates
from .samples import FASTEST, Accelerations, Samples, check_part, make_samples


class Found(NamedTuple):
    """The columns of a sensor in a table."""

    head: Head
    layout: Layout


class Columns(NamedTuple):
    """What a recording is read by.

    Attributes
    ----------
    names : those of all columns of a table, with numbers from 1 on for columns without a name of
        their own.
    chosen : those of time, x, y and z among them; empty if they are not found.
    unit, time_unit : of the rates and of the time, as they are taken.
    """

    names: tuple[str, ...] = ()
    chosen: tuple[str, ...] = ()
    unit: str = ""
    time_unit: str = ""


def read_samples(
    path: str | os.PathLike[str],
    columns: str | Sequence[str | int] | None = None,
    unit: str | None = None,
    time_unit: str | None = None,
    part: tuple[float, float] | None = None,
) -> Samples:
    """Return the samples that `read_rates` reads."""
    ends = check_part(part)
    chosen = _check_columns(columns)
    choose = _make_choice(chosen, unit, time_unit)
    with open_tables(Path(path)) as tables:
        found = _find_in(_order_tables(tables), choose)
        if found is None:
            raise _describe_tables(tables, chosen)
        others = [table for table in tables if table is not found.head.table]
        return _assemble(found, _find_in([found.head.table, *others], find_accelerations), ends)


def find_columns(
    path: str | os.PathLike[str],
    columns: str | Sequence[str | int] | None = None,
    unit: str | None = None,
    time_unit: str | None = None,
) -> Columns:
    """Return the columns that `read_rates` reads, or all of them if it finds no rates among them."""
    choose = _make_choice(_check_columns(columns), unit, time_unit)
    with open_tables(Path(path)) as tables:
        try:
            found = _find_in(_order_tables(tables), choose)
        except ValueError:  # an axis or the time is missing
            found = None
        if found is None:
            written = next(filter(None, (table.list_names() for table in tables)), [])
            return Columns(tuple(_name_columns(written)))
        names = tuple(_name_columns(found.head.names))
        chosen = tuple(names[place] for place in found.layout.places)
        time_unit, unit = found.layout.units
        return Columns(names, chosen, unit, time_unit)


def _order_tables(tables: list[Table]) -> list[Table]:
    """Return tables in the order in which rates are looked for: uncalibrated ones last."""
    return sorted(tables, key=lambda table: "uncalibrated" in table.name.casefold())


def _name_columns(written: Sequence[str]) -> list[str]:
    """Return the names by which columns are chosen, also in a list: their numbers from 1 on, if they
    have no such names of their own.
    """
    names = [parse_name(place, name).written for place, name in enumerate(written)]

    def is_usable(name: str) -> bool:
        return bool(name) and not is_number(name) and "," not in name and names.count(name) == 1

    return [name if is_usable(name) else str(place + 1) for place, name in enumerate(names)]


def _make_choice(
    chosen: list[str | int] | None, unit: str | None, time_unit: str | None
) -> Callable[[list[str], str], Layout | None]:
    """Return what finds the columns of rates among names: those that a person has chosen, if any."""
    unit = check_unit(unit, RATE_UNITS | ANGLE_UNITS, "the rates")
    time_unit = check_unit(time_unit, TIME_UNITS, "the time")

    def choose(names: list[str], file_name: str) -> Layout | None:
        if chosen is None:
            return find_rates(names, file_name, unit, time_unit)
        return choose_rates(names, chosen, unit, time_unit)

    return choose


def read_rates(
    path: str | os.PathLike[str],
    columns: str | Sequence[str | int] | None = None,
    unit: str | None = None,
    time_unit: str | None = None,
    part: tuple[float, float] | None = None,
) -> GivenRates:
    """Read the samples of a gyroscope from a CSV file, as the rates of an attitude.

    The columns are found by their names and units, as phyphox, Sensor Logger, decoders of
    Betaflight's blackbox, PX4's ulog2csv and ArduPilot's tools write them. A ZIP archive may contain
    several such files, as those of phones' apps do; accelerations are read, too. The messages of a
    run state what is irregular: gaps, uneven times, rows that are left out, suspected units.

    Parameters
    ----------
    path : a file of at most 50 MB and 10⁷ rows.
    columns : the time, x, y and z, by their names or their numbers from 1 on, if they are not found.
    unit : "rad/s" or "deg/s", or "rad" or "deg" for integrated angles, if the file does not state it
        or is wrong.
    time_unit : "s", "ms", "us" or "ns", likewise.
    part : the times in s, from the first row on, between which rows are used.
    """
    samples = read_samples(path, columns, unit, time_unit, part)
    return GivenRates(rate=samples, name=Path(path).stem)


def _find_in(
    tables: Iterable[Table], choose: Callable[[list[str], str], Layout | None]
) -> Found | None:
    """Return the columns that `choose` finds first."""
    for table in tables:
        for head in table.list_heads():
            if (layout := choose(head.names, table.name)) is not None:
                return Found(head, layout)
    return None


def _assemble(found: Found, forces: Found | None, part: tuple[float, float] | None) -> Samples:
    """Return the samples in a table, with the accelerations in the same or another one."""
    layout = found.layout
    together = forces is not None and forces.head.table is found.head.table
    places = layout.places
    if forces is not None and together:
        places += forces.layout.places
    rows, remarks = read_rows(found.head, places)
    if len(rows) == 0:
        raise ValueError(f"{quote(found.head.table.name)} has no rows of numbers")
    first = rows[0, 0]
    accelerations = None
    if forces is not None:
        measured = rows[:, 4:] if together else read_rows(forces.head, forces.layout.places)[0]
        measured = measured[np.isfinite(measured).all(axis=1)]
        times = measured[:, 0] * forces.layout.time_factor - first * layout.time_factor
        if len(measured):
            accelerations = Accelerations(times, measured[:, 1:] * forces.layout.factor)
    times = (rows[:, 0] - first) * layout.time_factor
    values = rows[:, 1:4] * layout.factor
    remarks = [*layout.remarks, *remarks, *_describe_units(layout, times, values)]
    return make_samples(
        times, values, layout.integrated, accelerations, part, remarks=tuple(remarks)
    )


def _describe_units(layout: Layout, times: Array, values: Array) -> Iterator[str]:
    """Yield a remark on each unit that the file does not state; refuse those that cannot be."""
    steps = np.diff(times)
    for what in layout.unsure:
        if what == "the time":
            step = float(np.nanmedian(steps)) if len(steps) else 0.0
            if step >= 0.5:
                raise ArgumentError(
                    f"the file states no unit of the time, whose rows are {show(step, 3)} apart; "
                    f"state {join_words(TIME_UNITS, 'or')}",
                    time_unit="ms",
                )
            yield f"the file states no unit of the time, {layout.time}, which is taken as s"
        else:
            largest = float(np.nanmax(np.abs(values)))
            if largest > FASTEST:
                raise ArgumentError(
                    f"the file states no unit of the rates, of which the largest is {show(largest, 3)}; "
                    f"state {join_words(RATE_UNITS | ANGLE_UNITS, 'or')}",
                    unit="deg/s",
                )
            yield f"the file states no unit of the rates, {layout.values}, which are taken as rad/s"
    if layout.factor == DEGREE and len(steps):
        interval = float(np.nanmedian(steps)) if layout.integrated else 1.0
        rates = values / (DEGREE * interval)
        largest = float(np.nanmax(np.abs(rates)))
        if largest < SLOW and _is_smooth(rates):
            other = "rad" if layout.integrated else "rad/s"
            yield (
                f"the largest rate is {show(largest, 2)} deg/s, which is little for a motion; "
                f"if the numbers are in {other}, state that unit"
            )


SLOW = 4.0 * math.pi
"""Rates of which none is this large, in deg/s, may be in rad/s: two turns a second."""
SMOOTH = 0.5
"""The largest part of the deviation of a motion that changes from row to row; of noise it is √2."""


def _is_smooth(rates: Array) -> bool:
    """Return whether rates are those of a motion, and not the noise of a sensor at rest."""
    change = float(np.nanmean(np.diff(rates, axis=0) ** 2))
    return change < SMOOTH**2 * float(np.nanmean(np.nanvar(rates, axis=0)))


def _check_columns(columns: str | Sequence[str | int] | None) -> list[str | int] | None:
    """Return chosen columns as names and numbers."""
    if columns is None:
        return None
    given = columns.split(",") if isinstance(columns, str) else columns
    chosen = [int(one) if str(one).strip().isdecimal() else str(one).strip() for one in given]
    if len(chosen) != 4:
        raise ArgumentError(
            f"choose four columns: the time, x, y and z; got {format_count(len(chosen), 'column')}",
            "columns",
        )
    return chosen


def _describe_tables(tables: Iterable[Table], chosen: list[str | int] | None) -> ValueError:
    """Return why no columns are found, with the names of those that there are."""
    tables = list(tables)
    names = next(filter(None, (table.list_names() for table in tables)), None)
    where = join_words(quote(table.name) for table in tables)
    if names is None:
        return ValueError(
            f"{where} is no table: no line has four columns, for the time and three rates"
        )
    if all(map(is_number, names)):
        has = f"{where} states no names of its {len(names)} columns"
    else:
        has = f"{where} has the columns {join_words(quote(name) for name in names[:12])}"
        has += f" and {len(names) - 12} others" if len(names) > 12 else ""
    if chosen is not None:
        return ArgumentError(
            f"{has}; the columns {join_words(map(quote, chosen))} are not all among them", "columns"
        )
    return ArgumentError(
        f"{has}, and none is known as a rate; choose the time, x, y and z",
        columns="1,2,3,4",
    )
