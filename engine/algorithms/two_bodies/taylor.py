"""TAYLOR for two bodies: the Taylor series of their relative motion in space, and of both attitudes.

The common centre of mass moves uniformly, so the step expands the place x and the velocity v of
body 1 from body 2, and of each body R and Ω. All coefficients are in memory, in vectors of eight
lanes, and a loop over the orders computes each from those before, so the kernel is short.
"""

from __future__ import annotations

from math import nan, sqrt
from typing import Any

from ...algebra import Gravity, Mat3, Vec3, norm
from ...algebra.rarely_called import rarely_called
from ...algebra.values import Value
from ...compiler.lanes import (
    COUNT,
    HALF,
    Lanes,
    choose_lanes,
    get_lanes,
    lane,
    lanes,
    put_lanes,
    spread,
)
from ...problems.two_bodies.attraction import PAIRS
from ...text import bibtex, keeps, loses
from ..adaptive import COMPILED_TOLERANCES
from ..core import MOST_STEPS, Bodies, OwnSteps, euler_ratios, register
from ..core.docstring import read_docstring
from ..taylor import (
    ADDED,
    AT_REST,
    EULER,
    ORDERS,
    POLYNOMIAL,
    SECOND_FACTORS,
    SUBTRACTED,
    choose_three,
    find_order,
    find_step,
    find_weight,
    join_rows,
    pair,
    sum_polynomial,
)

ROWS1, ROWS2, SECONDS, SPEEDS, MOVING = range(5)
"""The vectors of a state: of each body the first and the third row of R, the second rows of both,
both Ω, and x with v. Each half has three numbers, and the first of Ω again.
"""


def shift(which: tuple[int, ...], first: int) -> tuple[int, ...]:
    """The lanes of body 2's Ω, from `first` on, in place of body 1's."""
    return tuple([i if i < first else i + HALF for i in which])


ADDED_SPEEDS, SUBTRACTED_SPEEDS = SECOND_FACTORS[:HALF] * 2, SECOND_FACTORS[HALF:] * 2
FORWARD, BACKWARD = (1, 2, 0, 1, 5, 6, 4, 5), (2, 0, 1, 2, 6, 4, 5, 6)
TURNS = (
    (ROWS1, ADDED, ADDED_SPEEDS),
    (ROWS1, SUBTRACTED, SUBTRACTED_SPEEDS),
    (ROWS2, shift(ADDED, COUNT), shift(ADDED_SPEEDS, 0)),
    (ROWS2, shift(SUBTRACTED, COUNT), shift(SUBTRACTED_SPEEDS, 0)),
    (SECONDS, FORWARD, BACKWARD),
    (SECONDS, BACKWARD, FORWARD),
)
"""The products that are added and subtracted in the rates of the rows and of Ω: rows, and the lanes
of both factors, of which the first are among those of the rows and of Ω.
"""
LEFT, RIGHT = [tuple(range(5 + i, 5 + i + 2 * len(TURNS), 2)) for i in (0, 1)]
"""The vectors of these factors."""
BOTH = (0, 1, 2, 3, 12, 13, 14, 15)
"""The first half of one vector and the second half of another."""
XY, ZZ, ARM1, ARM2, SQUARES, CUBES, FORCE1, FORCE2 = range(17, 25)
"""The vectors of the gravity: the distances d of the pairs of masses, the numbers of R by which a
force turns each body, |d|² with its derivative, 1/|d|³, and the forces at the bodies' first axes.
"""
ARMS = ((ROWS1, ARM1, (1, 2, 9, 10, 5, 6, 7, 7)), (ROWS2, ARM2, (1, 2, 13, 14, 5, 6, 7, 7)))
"""The second and third columns of each R, among its rows and the second rows."""
MOVED = (4, 5, 6, 7, 8, 9, 10, 11)
"""The rates of x and v, among these and the acceleration."""
KEPT = tuple([COUNT * which for which in (ROWS1, ROWS2, SPEEDS, MOVING)])
"""Where the vectors that hold the polynomial begin among the numbers of an order."""
STRIDE = COUNT * (FORCE2 + 1)
"""The numbers of one order."""
ROOM = POLYNOMIAL + STRIDE * (ORDERS[-1] + 1)


class Motion(Value):
    """R1, R2, Ω1, Ω2, and the place x and the velocity v of body 1 from body 2, in space."""

    __slots__ = tuple(f"part_{i}" for i in range(30))

    def split(self) -> tuple[Mat3, Mat3, Vec3, Vec3, Vec3, Vec3]:
        """The six."""
        parts = list(self)
        Ω1, Ω2, x, v = [Vec3(*parts[i : i + 3]) for i in (18, 21, 24, 27)]
        return Mat3(*parts[:9]), Mat3(*parts[9:18]), Ω1, Ω2, x, v


def get_vector(room: Any, n: int, which: int) -> Lanes:
    """A vector of order n."""
    return get_lanes(room, POLYNOMIAL + STRIDE * n + COUNT * which)


def put_vector(room: Any, n: int, which: int, a: Lanes) -> None:
    """Write a vector of order n."""
    put_lanes(room, POLYNOMIAL + STRIDE * n + COUNT * which, a)


def sum_orders(
    room: Any, n: int, first: int, factors: tuple[tuple[int, int], ...]
) -> tuple[Lanes, ...]:
    """For each two vectors a and b the sum of aᵢbⱼ over i + j = n, from i = `first`."""
    totals = tuple(
        [get_vector(room, first, a) * get_vector(room, n - first, b) for a, b in factors]
    )
    for i in range(first + 1, n + 1):
        totals = tuple(
            [
                total + get_vector(room, i, a) * get_vector(room, n - i, b)
                for total, (a, b) in zip(totals, factors, strict=True)
            ]
        )
    return totals


def write_state(bodies: Bodies, room: Any, n: int, state: tuple[Lanes, ...]) -> Lanes:
    """Keep the coefficients of order n and the vectors that follow from them; return those of the
    |d|², twice.
    """
    for which, vector in enumerate(state):
        put_vector(room, n, which, vector)
    seconds, speeds = state[SECONDS], state[SPEEDS]
    for (rows, left, right), to_left, to_right in zip(TURNS, LEFT, RIGHT, strict=True):
        put_vector(room, n, to_left, choose_lanes(state[rows], speeds, left))
        put_vector(room, n, to_right, choose_lanes(speeds, speeds, right))
    for rows, to, columns in ARMS:
        put_vector(room, n, to, choose_lanes(state[rows], seconds, columns))
    axis1, axis2 = [
        Vec3(lane(state[rows], 0), lane(seconds, first), lane(state[rows], HALF))
        for rows, first in ((ROWS1, 0), (ROWS2, HALF))
    ]
    place = choose_three(state[MOVING], (0, 1, 2))
    xy, zz = bodies.separate(place, axis1, axis2)
    put_vector(room, n, XY, xy)
    put_vector(room, n, ZZ, zz)
    across, up = sum_orders(room, n, 0, ((XY, XY), (ZZ, ZZ)))
    return across + swap(across) + up


def swap(a: Lanes) -> Lanes:
    """The last four lanes before the first four."""
    return choose_lanes(a, a, (4, 5, 6, 7, 0, 1, 2, 3))


def find_push(push: Lanes, Jinv: Any) -> tuple[float, float, float]:
    """J⁻¹ (e1 × Rᵀ force), the rate of Ω by a force at the body's first axis, from the products of
    the force with R.
    """
    second, third = [lane(push, i) + lane(push, i + 2) + lane(push, i + 4) for i in (0, 1)]
    return 0.0, -Jinv.y * third, Jinv.z * second


def find_rates(bodies: Bodies, room: Any, n: int) -> tuple[Lanes, ...]:
    """The coefficients of order n of the rates of the state."""
    plus1, minus1, plus2 = sum_orders(
        room, n, 0, ((LEFT[0], RIGHT[0]), (LEFT[1], RIGHT[1]), (LEFT[2], RIGHT[2]))
    )
    minus2, plus, minus = sum_orders(
        room, n, 0, ((LEFT[3], RIGHT[3]), (LEFT[4], RIGHT[4]), (LEFT[5], RIGHT[5]))
    )
    xy, zz = sum_orders(room, n, 0, ((XY, CUBES), (ZZ, CUBES)))
    force, *turning = bodies.sum_pulls(xy, zz)
    for which, one in zip((FORCE1, FORCE2), turning, strict=True):
        put_vector(room, n, which, lanes((one.x, one.x, one.y, one.y, one.z, one.z)))
    push1, push2 = sum_orders(room, n, 0, ((ARM1, FORCE1), (ARM2, FORCE2)))
    own1, own2 = choose_lanes(plus1, minus1, EULER), choose_lanes(plus2, minus2, EULER)
    own = choose_lanes(own1, own2, BOTH)
    ratios = pair(tuple(euler_ratios(bodies.J1)), tuple(euler_ratios(bodies.J2)))
    pushed = pair(find_push(push1, bodies.J1inv), find_push(push2, bodies.J2inv))
    accelerated = lanes(tuple(force * (1.0 / bodies.m)))
    return (
        plus1 - minus1,
        plus2 - minus2,
        plus - minus,
        ratios * own + pushed,
        choose_lanes(get_vector(room, n, MOVING), accelerated, MOVED),
    )


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
    bodies.count_series()
    rows1, rows2 = [pair((R.xx, R.xy, R.xz), (R.zx, R.zy, R.zz)) for R in (R1, R2)]
    seconds = pair((R1.yx, R1.yy, R1.yz), (R2.yx, R2.yy, R2.yz))
    start = (rows1, rows2, seconds, pair(tuple(Ω1), tuple(Ω2)), pair(tuple(x), tuple(v)))
    square = write_state(bodies, room, 0, start)
    inverses = [1.0 / lane(square, i) for i in range(PAIRS)]
    inverse = lanes(inverses + inverses)
    cubes = [one * sqrt(one) for one in inverses]
    put_vector(room, 0, CUBES, lanes(cubes + cubes))
    highest = int(order)
    for n in range(1, highest + 1):
        part = spread(1.0 / n)
        state = tuple([part * rate for rate in find_rates(bodies, room, n - 1)])
        square = write_state(bodies, room, n, state)
        # w = 1/|d|³ has the rate w′ |d|² = −3/2 w (|d|²)′.
        put_vector(room, n, SQUARES, square * lanes((1.0,) * PAIRS + (0.5 * n,) * PAIRS))
        (sums,) = sum_orders(room, n, 1, ((SQUARES, CUBES),))
        sums = sums * lanes((-1.0,) * PAIRS + (-1.0 / n,) * PAIRS)
        put_vector(room, n, CUBES, inverse * (sums + swap(sums)))
    room[0] = t
    room[1] = float(highest)
    size = find_step(room, STRIDE, KEPT, (highest - 1, highest), list_weights(y, rtol, atol), most)
    return find_state(room, size), size


def list_weights(y: Motion, rtol: float, atol: float) -> tuple[Lanes, ...]:
    """The weights of the squares of the polynomial's vectors."""
    _, _, Ω1, Ω2, x, v = y.split()
    turn = spread(find_weight(rtol + atol))
    spin1, spin2, far, fast = [
        (find_weight(atol + rtol * norm(one) + AT_REST),) * HALF for one in (Ω1, Ω2, x, v)
    ]
    return turn, turn, lanes(spin1 + spin2), lanes(far + fast)


@rarely_called
def find_state(room: Any, s: float) -> Motion:
    """The motion at s by the polynomial that is kept."""
    sums = sum_polynomial(room, STRIDE, KEPT, s)
    halves = ((0, 1, 2), (4, 5, 6))
    x1, z1, x2, z2, Ω1, Ω2, x, v = [choose_three(one, half) for one in sums for half in halves]
    return Motion(*join_rows(x1, z1), *join_rows(x2, z2), *Ω1, *Ω2, *x, *v)


@rarely_called
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
      velocities one order after the other. Gravity is then a series, too.
    - The common centre of mass moves uniformly, so linear momentum [is conserved]. Rows of unit
      length begin each step, so both attitudes [remain rotations].
    - It [meets the tolerance, but does not conserve the other invariants].
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
