"""Readings of an attitude's columns: the orders of a quaternion, rotation vectors, and Euler angles in
all orders and units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from ..parameters.argument_error import ArgumentError
from ..parameters.validation import Array
from ..problems.given_rates.columns import DEGREE
from ..text.formatting import join_words, quote
from .columns import ANGLES_BY_NAME, ORDERS, Group


class Reading(NamedTuple):
    """A meaning of the attitude's columns: words, the choices that it stands for, and the function
    from values (n, k) to matrices (n, 3, 3).
    """

    words: str
    choices: dict[str, str]
    convert: Callable[[Array], Array]


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


def list_misnamed(group: Group) -> Iterator[Reading]:
    """Yield the meanings of a quaternion whose w is first or last, unlike the names of its columns."""
    for rolled in (1, -1) if group.kind == "quaternion" else ():
        names = [quote(group.columns[(place - rolled) % 4].written) for place in range(4)]
        yield Reading(
            f"quaternion with w, x, y and z in {join_words(names)}, unlike their names,",
            {},
            partial(_read_quaternion, rolled=rolled),
        )


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
        raise ArgumentError(
            f"the order of Euler angles is three axes such as 'ZYX', R = R_z R_y R_x; got {quote(euler)}",
            "euler",
        )
    return order
