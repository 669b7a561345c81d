"""TAYLOR for two bodies: the Taylor series of their relative motion in space, and of both attitudes.

The common centre of mass moves uniformly, so the step expands the place x and the velocity v of
body 1 from body 2, and for each body two rows of R and Ω, as for one body.
"""

from __future__ import annotations

from math import nan
from typing import Any

from ...algebra import Diag3, Gravity, Mat3, Vec3, norm
from ...algebra.rarely_called import rarely_called
from ...algebra.values import Value
from ...compiler.lanes import COUNT, Lanes, choose_lanes, lane, lanes
from ...compiler.series import choose, coefficient, extend, gather, number, unknown_series
from ...text import bibtex, keeps, loses
from ..adaptive import COMPILED_TOLERANCES
from ..core import MOST_STEPS, Bodies, OwnSteps, euler_ratios, register
from ..core.docstring import read_docstring
from ..taylor import (
    ADDED,
    ADDED_SPEEDS,
    AT_REST,
    EULER,
    ORDERS,
    POLYNOMIAL,
    STEPS,
    SUBTRACTED,
    SUBTRACTED_SPEEDS,
    find_order,
    find_step,
    find_weight,
    join_rows,
    keep,
    sum_kept,
)

VECTORS = 4
"""Those that a step expands: two rows of each R, both Ω, and x and v."""
ROOM = POLYNOMIAL + VECTORS * COUNT * (ORDERS[-1] + 1)
THIRD = ((4, 5, 3), (2, 0, 1)), ((5, 3, 4), (1, 2, 0))
"""The factors of the products in the cross product of the third row and the first."""


class Motion(Value):
    """R1, R2, Ω1, Ω2, and the place x and the velocity v of body 1 from body 2, in space."""

    __slots__ = tuple(f"part_{i}" for i in range(30))

    def split(self) -> tuple[Mat3, Mat3, Vec3, Vec3, Vec3, Vec3]:
        """The six."""
        parts = list(self)
        Ω1, Ω2, x, v = [Vec3(*parts[i : i + 3]) for i in (18, 21, 24, 27)]
        return Mat3(*parts[:9]), Mat3(*parts[9:18]), Ω1, Ω2, x, v


def pad(which: tuple[int, ...]) -> tuple[int, ...]:
    """A choice of eight lanes, of which the others do not matter."""
    return which + (0,) * (COUNT - len(which))


def multiply(rows: Any, speed: Any) -> tuple[Any, Any]:
    """The products that are added and those that are subtracted in the rates of rows and of Ω."""
    added = choose(rows, speed, ADDED) * choose(speed, speed, ADDED_SPEEDS)
    return added, choose(rows, speed, SUBTRACTED) * choose(speed, speed, SUBTRACTED_SPEEDS)


def find_third_row(rows: Any) -> Any:
    """The second row of R, the cross product of the third and the first."""
    added, subtracted = [choose(rows, rows, pad(a)) * choose(rows, rows, pad(b)) for a, b in THIRD]
    return added - subtracted


def find_push(rows: Any, third_row: Any, force: Vec3, Jinv: Diag3) -> Any:
    """J⁻¹ (e1 × Rᵀ force), the rate of Ω by a force at the body's first axis."""
    turned = rows * gather((force.x,) * 3 + (force.z,) * 3)
    turned = turned + third_row * gather((force.y,) * 3)
    second, third = [number(turned, i) + number(turned, i + 3) for i in (1, 2)]
    return gather((0.0, -Jinv.y * third, Jinv.z * second))


@rarely_called
def expand(
    bodies: Bodies,
    y: Motion,
    t: float,
    most: float,
    order: float,
    rtol: float,
    atol: float,
    room: Any,
) -> tuple[Motion, float]:
    """The motion at the end of a step from t, and its size, at most `most`; `room` keeps the
    polynomial.
    """
    R1, R2, Ω1, Ω2, x, v = y.split()
    first, second = [unknown_series(lanes((R.xx, R.xy, R.xz, R.zx, R.zy, R.zz))) for R in (R1, R2)]
    speed1, speed2 = [unknown_series(lanes(tuple(Ω))) for Ω in (Ω1, Ω2)]
    place, velocity = [Vec3(*[unknown_series(start) for start in vector]) for vector in (x, v)]
    third1, third2 = find_third_row(first), find_third_row(second)
    axis1, axis2 = [
        Vec3(number(rows, 0), number(third, 0), number(rows, 3))
        for rows, third in ((first, third1), (second, third2))
    ]
    force, force1, force2 = bodies.gravity_series(place, axis1, axis2)
    push1 = find_push(first, third1, force1, bodies.J1inv)
    push2 = find_push(second, third2, force2, bodies.J2inv)
    turning = (
        (first, speed1, multiply(first, speed1), euler_ratios(bodies.J1), push1),
        (second, speed2, multiply(second, speed2), euler_ratios(bodies.J2), push2),
    )
    speeds = choose(speed1, speed2, pad((0, 1, 2, 8, 9, 10)))
    moving = gather((*place, *velocity))
    parts = (first, second, speeds, moving)
    room[0] = t
    keep(room, 0, tuple([coefficient(one, 0) for one in parts]))
    highest = 0
    for n in STEPS:
        part = 1.0 / (n + 1)
        for rows, speed, (added, subtracted), ratios, push in turning:
            plus, minus = coefficient(added, n), coefficient(subtracted, n)
            gained = lanes(tuple(ratios)) * choose_lanes(plus, minus, EULER)
            extend(rows, (plus - minus) * part)
            extend(speed, (gained + coefficient(push, n)) * part)
        for at, rate, pull in zip(place, velocity, force, strict=True):
            extend(at, coefficient(rate, n) * part)
            extend(rate, coefficient(pull, n) * (part / bodies.m))
        highest = n + 1
        keep(room, highest, tuple([coefficient(one, highest) for one in parts]))
        if highest in ORDERS[:-1] and order <= highest:
            break
    room[1] = float(highest)
    size = find_step(room, (highest - 1, highest), list_weights(y, rtol, atol), most)
    return find_state(room, size), size


def list_weights(y: Motion, rtol: float, atol: float) -> tuple[Lanes, ...]:
    """The weights of the squares of the vectors that a step expands."""
    _, _, Ω1, Ω2, x, v = y.split()
    turn = (find_weight(rtol + atol),) * 3
    spin1, spin2, far, fast = [
        (find_weight(atol + rtol * norm(one) + AT_REST),) * 3 for one in (Ω1, Ω2, x, v)
    ]
    return lanes(turn + turn), lanes(turn + turn), lanes(spin1 + spin2), lanes(far + fast)


def find_state(room: Any, s: float) -> Motion:
    """The motion at s by the polynomial that is kept."""
    numbers: list[float] = []
    for one in sum_kept(room, s, VECTORS):
        numbers = numbers + [lane(one, i) for i in range(6)]
    x1, z1, x2, z2 = [Vec3(*numbers[i : i + 3]) for i in (0, 3, 6, 9)]
    return Motion(*join_rows(x1, z1), *join_rows(x2, z2), *numbers[12:])


def find_gravity(bodies: Bodies, y: Motion) -> Gravity:
    """The gravity in a state, to observe it."""
    R1, R2, _, _, x, _ = y.split()
    return bodies.observe_gravity(R2.T @ x, R2.T @ R1)


def step(
    bodies: Bodies, t: float, h: float, y: Motion, c: Vec3, at: float, y1: Motion, begin: float, y0: Motion,
    made: float, order: float, c0: Vec3, u: Vec3, g: Gravity, rtol: float, atol: float, room: Any,
) -> tuple[Any, ...]:  # fmt: skip
    """The next step, from y1 at the time `at`, towards the row at t or beyond it; then y0 is that at
    its begin. The centre of mass c moves from c0 with the velocity u.
    """
    end, _ = bodies.next_stop(at)
    left = end - at
    y, size = expand(bodies, y1, at, left, order, rtol, atol, room)
    later = (end if size == left else at + size) + 0.0 * sum_numbers(y)
    if later <= at or made >= MOST_STEPS:
        bodies.not_found()
        y, later = Motion(*[nan] * 30), nan
    bodies.count_own(1, 0)
    c = c0 + later * u
    return y, c, later, y, at, y1, made + 1.0, order, c0, u, find_gravity(bodies, y)


def sum_numbers(y: Motion) -> float:
    """The sum of all numbers, which is not finite if one of them is not."""
    total = 0.0
    for number_ in y:
        total = total + number_
    return total


def reach(
    bodies: Bodies, t: float, h: float, y: Motion, c: Vec3, at: float, y1: Motion, begin: float, y0: Motion,
    made: float, order: float, c0: Vec3, u: Vec3, g: Gravity, rtol: float, atol: float, room: Any,
) -> tuple[Any, ...]:  # fmt: skip
    """The state at the row at t: the polynomial of the latest step, or its end."""
    y = y1
    if at > t:
        if room[0] != begin:
            expand(bodies, y0, begin, at - begin, order, rtol, atol, room)
        y = find_state(room, t - begin)
    return y, c0 + t * u, at, y1, begin, y0, 0.0, order, c0, u, find_gravity(bodies, y)


def start(
    bodies: Bodies, t: float, h: float, R1: Mat3, R2: Mat3, Ω1: Vec3, Ω2: Vec3, x1: Vec3, x2: Vec3, v1: Vec3,
    v2: Vec3, rtol: float, atol: float,
) -> tuple[Any, ...]:  # fmt: skip
    """The first state."""
    y = Motion(*R1, *R2, *Ω1, *Ω2, *(x1 - x2), *(v1 - v2))
    share1, share2 = bodies.m / bodies.m1, bodies.m / bodies.m2
    c, u = share2 * x1 + share1 * x2, share2 * v1 + share1 * v2
    return y, c, t, y, t, y, 0.0, find_order(rtol, atol), c, u, find_gravity(bodies, y)


def view(bodies: Bodies, S: tuple[Any, ...]) -> tuple[Any, ...]:
    """Both bodies in space."""
    y, c, *_, u, g = S
    R1, R2, Ω1, Ω2, x, v = y.split()
    share1, share2 = bodies.m / bodies.m1, bodies.m / bodies.m2
    return R1, R2, Ω1, Ω2, c + share1 * x, c - share2 * x, u + share1 * v, u - share2 * v, g


def taylor() -> None:
    r"""Explicit, of an order that follows from the tolerance. A close encounter shortens its steps.

    .. math::
        x(t_n + s) = \sum_{k=0}^{p} x_k s^k, \quad (k + 1)(k + 2)\, m\, x_{k+2} = F_k, \quad
        (k + 1) R_{k+1} = \sum_{i+j=k} R_i \hat\Omega_j, \quad
        (k + 1) J \Omega_{k+1} = \sum_{i+j=k} J\Omega_i \times \Omega_j + M_k

    - It computes the coefficients of the relative place, the velocity, both attitudes and angular
      velocities one order after the other. The gravity is a series of theirs.
    - The common centre of mass moves uniformly, so linear momentum [is conserved]. Rows of unit
      length begin each step, so both attitudes [remain rotations].
    - It [meets the tolerance, not the other invariants of the motion].
    - Between two dumbbells gravity has a series. Bodies of many point masses are refused.
    """


EVIDENCE = (
    keeps(linear_momentum="always"),
    keeps(orthogonality="always"),
    loses("energy", "angular_momentum"),
)
TAYLOR = register(
    OwnSteps.declare(
        key="TAYLOR",
        name="Taylor series of the motion, adaptive",
        short="Adaptive Taylor",
        family="Adaptive",
        start=start,
        view=view,
        step=step,
        reach=reach,
        room=ROOM,
        options=COMPILED_TOLERANCES,
        needs_series=True,
        conserves={"orthogonality": "always", "linear_momentum": "always"},
        reference=bibtex("JorbaZou2005"),
        **read_docstring(taylor, EVIDENCE),
    )
)
"""That of two bodies."""
