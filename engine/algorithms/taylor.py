"""TAYLOR: the Taylor series of the motion, of an order and with steps that follow from the
tolerance.

Each step computes the coefficients of two rows of R and of Ω order by order: those of the products
in dR/dt = R hat(Ω) and in Euler's equations up to an order give the state's next ones, and the
torque is a series of theirs. The third row of R is the cross product of the two others.

The products of an order are computed in two times eight lanes: the six components of the rows'
cross products with Ω, first the products that are added and then those that are subtracted, and
beside them the three products of Euler's equations. A torque that is linear in the rows and in Ω
stays in lanes too; of others, sums of products are computed side by side.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, log, nan
from typing import Any

from ..algebra import Mat3, Vec3, Zero3, cross, dot, norm
from ..algebra.rarely_called import any_of, rarely_called
from ..compiler.lanes import (
    COUNT,
    Lanes,
    choose_lanes,
    get_lanes,
    lane,
    lanes,
    put_lanes,
    spread,
    sum_products,
)
from ..compiler.primitives import bits_of, real_of
from ..compiler.series import (
    coefficients,
    extend,
    read_lanes,
    time_series,
    unknown_series,
)
from ..text import FREE, TOPS, bibtex, keeps, loses, measures, times
from ..text.evidence import Proof
from .adaptive import COMPILED_TOLERANCES
from .core import MOST_STEPS, ON_THE_GROUP, Body, OwnSteps, register
from .core.docstring import read_docstring

ORDERS = (10, 12, 14, 16, 18, 20)
"""The orders of which one is chosen."""
STEPS = tuple(range(ORDERS[-1]))
"""The orders from which the next coefficients follow; a loop over them is unrolled."""
POLYNOMIAL = 8
"""Where the coefficients of the latest step begin in the memory that keeps them; it begins with the
time of that step, and their highest order.
"""
ROOM = POLYNOMIAL + 2 * COUNT * (ORDERS[-1] + 1)
"""The numbers of this memory: of each order a vector of the rows, and one of Ω."""

AT_REST = 1e-99
"""Stands for the speed of a body at rest."""
BITS_OF_ONE = 0x3FF0000000000000

TERMS = tuple(tuple(sorted(((i, n - i) for i in range(n + 1)), key=max)) for n in range(ORDERS[-1]))
"""The pairs of orders whose sum is n, those of the latest coefficients last, which are waited
for."""

ADDED = (1, 2, 0, 4, 5, 3, 9, 10)
ADDED_SPEEDS = (2, 0, 1, 2, 0, 1, 2, 0)
SUBTRACTED = (2, 0, 1, 5, 3, 4, 8, 15)
SUBTRACTED_SPEEDS = (1, 2, 0, 1, 2, 0, 1, 7)
"""The factors of the products in lanes: of the rows and Ω, and of Ω. The last two lanes of those
that are added, and the one before the last of the others, are Ω₂Ω₃, Ω₃Ω₁ and Ω₁Ω₂. So are the first
three products of the factors of Ω with each other."""
EULER = (6, 7, 14, 15, 15, 15, 15, 15)
"""These three among the sums of the added and of the subtracted products; lane 15 is 0."""


def find_order(rtol: float, atol: float) -> float:
    """The order for a tolerance: by eight higher than that of Jorba and Zou, for whom the cost of a
    step is proportional to its square. In lanes an order costs nearly the same as any other.
    """
    return 9.0 - 0.5 * log(rtol + atol)


def add_lanes(a: Lanes) -> float:
    """The sum of the eight numbers."""
    a = a + choose_lanes(a, a, (4, 5, 6, 7, 4, 5, 6, 7))
    a = a + choose_lanes(a, a, (2, 3, 2, 3, 2, 3, 2, 3))
    return lane(a, 0) + lane(a, 1)


def find_size(square: float, n: int) -> float:
    """The size h with hⁿ √square = 1, within 6 %: a root from the bits of the number, which are
    nearly its logarithm; 0 if the number is infinite.
    """
    bits = bits_of(square) - BITS_OF_ONE
    return 0.0 if square == inf else real_of(int(bits * (-0.5 / n)) + BITS_OF_ONE)


@rarely_called
def expand(
    body: Body, t: float, R: Mat3, Ω: Vec3, most: float, order: float, rtol: float, atol: float, room: Any,
) -> tuple[Vec3, Vec3, Vec3, float]:  # fmt: skip
    """Two rows of R, and Ω, at the end of a step from t, and its size, at most `most`; `room` keeps
    the polynomial.
    """
    first, last = Vec3(R.xx, R.xy, R.xz), Vec3(R.zx, R.zy, R.zz)
    x, z, Omega = [Vec3(*[unknown_series(number) for number in v]) for v in (first, last, Ω)]
    T = body.torque_series(time_series(t), Mat3(*x, *cross(z, x), *z), Omega)
    push = None if isinstance(T, Zero3) else tuple(body.Jinv @ T)
    linear = None if push is None else read_lanes(push, (*x, *z), tuple(Omega))
    rows: tuple[Lanes, ...] = (lanes((*first, *last)),)
    speeds: tuple[Lanes, ...] = (lanes(tuple(Ω)),)
    added: tuple[Lanes, ...] = ()
    subtracted: tuple[Lanes, ...] = ()
    added_speeds: tuple[Lanes, ...] = ()
    subtracted_speeds: tuple[Lanes, ...] = ()
    ratios = lanes(tuple(body.ratios))
    keep(room, 0, (rows[0], speeds[0]))
    room[0] = t
    highest = 0
    for n in STEPS:
        a, b = choose_lanes(rows[n], speeds[n], ADDED), choose_lanes(rows[n], speeds[n], SUBTRACTED)
        v = choose_lanes(speeds[n], speeds[n], ADDED_SPEEDS)
        w = choose_lanes(speeds[n], speeds[n], SUBTRACTED_SPEEDS)
        part = lanes((1.0 / (n + 1),) * 6)
        gain = part * ratios
        if n == 0:
            turned, gained = a * v - b * w, gain * (v * w)
        else:  # the products of the latest coefficients last, since they are waited for
            plus = sum_products(added, added_speeds)
            minus = sum_products(subtracted, subtracted_speeds)
            turned = plus - minus + added[0] * v - subtracted[0] * w
            turned = part * (turned + a * added_speeds[0] - b * subtracted_speeds[0])
            gained = choose_lanes(plus, minus, EULER)
            gained = gain * (gained + v * subtracted_speeds[0] + w * added_speeds[0])
        if linear is not None and n > 0:
            for places, factors in linear:
                gained = gained + choose_lanes(rows[n], speeds[n], places) * (part * factors)
        elif push is not None:
            gained = gained + part * lanes(coefficients(push, n))
        added, subtracted = (*added, a), (*subtracted, b)
        added_speeds, subtracted_speeds = (*added_speeds, v), (*subtracted_speeds, w)
        rows, speeds = (*rows, turned), (*speeds, gained)
        highest = n + 1
        keep(room, highest, (turned, gained))
        for i, one in enumerate((*x, *z)):
            extend(one, turned, i)
        for i, one in enumerate(Omega):
            extend(one, gained, i)
        if highest in ORDERS[:-1] and order <= highest:
            break
    room[1] = float(highest)
    # They are not the last ones, so the processor finds the size while it computes those.
    orders = (highest - 3, highest - 2)
    weights = spread(find_weight(rtol + atol)), spread(find_weight(atol + rtol * norm(Ω) + AT_REST))
    size = find_step(room, orders, weights, most)
    return (*find_state(room, size), size)


def find_weight(allowed: float) -> float:
    """The weight of a square, of which this much is allowed."""
    return 1.0 / (allowed * allowed)


def find_step(room: Any, orders: tuple[int, int], weights: tuple[Lanes, ...], most: float) -> float:
    """The size of a step, at most `most`, which makes of the coefficients of each of two orders at
    most the tolerance, by the weights of their squares.
    """
    size = most
    for n in orders:
        total = lanes(())
        for one, weight in zip(read_kept(room, n, len(weights)), weights, strict=True):
            total = total + one * one * weight
        size = min(size, find_size(add_lanes(total), n))
    return size


def keep(room: Any, n: int, vectors: tuple[Lanes, ...]) -> None:
    """Keep the coefficients of order n."""
    for i, one in enumerate(vectors):
        put_lanes(room, POLYNOMIAL + COUNT * (len(vectors) * n + i), one)


def read_kept(room: Any, n: int, vectors: int) -> tuple[Lanes, ...]:
    """The coefficients of order n, in this many vectors."""
    at = POLYNOMIAL + COUNT * vectors * n
    return tuple([get_lanes(room, at + COUNT * i) for i in range(vectors)])


def sum_kept(room: Any, s: float, vectors: int) -> tuple[Lanes, ...]:
    """The polynomial that is kept at s, two orders at once."""
    highest = int(room[1])
    by, twice = spread(s), spread(s * s)
    sums = read_kept(room, highest, vectors)
    for i in range(2, highest + 2, 2):
        even = read_kept(room, highest - i, vectors)
        odd = read_kept(room, highest - i + 1, vectors)
        sums = tuple([a + by * b + twice * c for a, b, c in zip(even, odd, sums, strict=True)])
    return sums


def find_state(room: Any, s: float) -> tuple[Vec3, Vec3, Vec3]:
    """Two rows of R, and Ω, at s by the polynomial that is kept."""
    rows, speed = sum_kept(room, s, 2)
    return (
        Vec3(lane(rows, 0), lane(rows, 1), lane(rows, 2)),
        Vec3(lane(rows, 3), lane(rows, 4), lane(rows, 5)),
        Vec3(lane(speed, 0), lane(speed, 1), lane(speed, 2)),
    )


def join_rows(x: Vec3, z: Vec3) -> Mat3:
    """The rotation whose first row is along x, and whose third is along z as far as it is
    orthogonal to it.
    """
    y = cross(z, x)
    x, y = x * (1.0 / norm(x)), y * (1.0 / norm(y))
    return Mat3(*x, *y, *cross(x, y))


def step(
    body: Body, t: float, h: float, R: Mat3, Ω: Vec3, at: float, R1: Mat3, Ω1: Vec3, begin: float, R0: Mat3,
    Ω0: Vec3, stop: float, made: float, order: float, rtol: float, atol: float, room: Any,
) -> tuple[Any, ...]:  # fmt: skip
    """The next step, from R1 and Ω1 at the time `at`, towards the row at t or beyond it; then R0
    and Ω0 are those at its begin.
    """
    if at >= stop:
        stop, _ = body.next_stop(at)
    left = stop - at
    x, z, Ω, size = expand(body, at, R1, Ω1, left, order, rtol, atol, room)
    R = join_rows(x, z)
    end = (stop if size == left else at + size) + 0.0 * (R.xx + Ω.x + Ω.y + Ω.z)
    if end <= at or made >= MOST_STEPS:
        body.not_found()
        R, Ω, end = nan * R, nan * Ω, nan
    body.count_own(1, 0)
    return R, Ω, end, R, Ω, at, R1, Ω1, stop, made + 1.0, order


def reach(
    body: Body, t: float, h: float, R: Mat3, Ω: Vec3, at: float, R1: Mat3, Ω1: Vec3, begin: float, R0: Mat3,
    Ω0: Vec3, stop: float, made: float, order: float, rtol: float, atol: float, room: Any,
) -> tuple[Any, ...]:  # fmt: skip
    """The state at the row at t: the polynomial of the latest step, or its end."""
    R, Ω = R1, Ω1
    if at > t:
        if room[0] != begin:
            expand(body, begin, R0, Ω0, at - begin, order, rtol, atol, room)
        x, z, Ω = find_state(room, t - begin)
        R = join_rows(x, z)
    return R, Ω, at, R1, Ω1, begin, R0, Ω0, stop, 0.0, order


def start(
    body: Body, t: float, h: float, R: Mat3, Ω: Vec3, rtol: float, atol: float
) -> tuple[Any, ...]:
    """The first state."""
    stop, _ = body.next_stop(t)
    return R, Ω, t, R, Ω, t, R, Ω, stop, 0.0, find_order(rtol, atol)


# ------------------------------------------------------------------ bodies side by side: each number
# stands for those of several bodies, of which each has its own time and size of a step


def step_together(
    body: Any, t: float, R: Mat3, Ω: Vec3, most: float, rtol: float, atol: float, room: Any
) -> tuple[Mat3, Vec3, float]:
    """R and Ω at the end of a step from t, and its size, at most `most`. The order is by five higher
    than that of Jorba and Zou. `room` holds the coefficients, of each order first those of the rows.

    Of a free body one row is expanded: the spatial momentum, which is constant, gives the others.
    """
    order = 6.0 - 0.5 * log(rtol + atol)
    weights = find_weight(rtol + atol), find_weight(atol + rtol * norm(Ω) + AT_REST)
    first, last = Vec3(R.xx, R.xy, R.xz), Vec3(R.zx, R.zy, R.zz)
    unknown = [unknown_series(number) for number in (*first, *last, *Ω)]
    x, z, w = [Vec3(*unknown[i : i + 3]) for i in (0, 3, 6)]
    T = body.torque_series(time_series(t), Mat3(*x, *cross(z, x), *z), w)
    free = isinstance(T, Zero3)
    push = body.Jinv @ T
    vectors = (choose_row(R, R @ find_momentum(body, Ω)), Ω) if free else (first, last, Ω)
    about_momentum = R @ join_rows(find_momentum(body, Ω), vectors[0]).T if free else R
    size = 3 * len(vectors)
    put_coefficients(room, 0, vectors)
    turning = any_of(body.ratios.z != 0.0)
    highest = 0
    for n in STEPS:
        highest = n + 1
        *turned, gained = find_products(room, n, vectors, turning)
        gained = body.ratios @ gained
        if not free:
            gained = gained + Vec3(*coefficients(push, n))
        part = 1.0 / (n + 1)
        found = tuple([vector * part for vector in (*turned, gained)])
        put_coefficients(room, size * highest, found)
        turning = turning | any_of(found[-1].z != 0.0)
        if not free:
            for i, series in enumerate(unknown):
                extend(series, room[size * highest + i])
        if highest in ORDERS[:-1] and order <= highest:
            break
    h = find_size_together(room, highest, vectors, weights, most)
    found = sum_together(room, highest, vectors, h)
    if not free:
        return join_rows(found[0], found[1]), found[2], h
    row, speed = found
    R1 = about_momentum @ join_rows(find_momentum(body, speed), row)
    return R1 if dot(Ω, Ω) > 0.0 else R, speed, h


def find_products(room: Any, n: int, vectors: tuple[Vec3, ...], turning: bool) -> tuple[Vec3, ...]:
    """The coefficients of order n of each row × Ω and of (Ω₂Ω₃, Ω₁Ω₃, Ω₁Ω₂), those with the latest
    coefficients last. Unless the body is `turning`, its Ω₃ has been constant so far, and the last of
    these is not needed.
    """
    size = 3 * len(vectors)
    sums = ((0.0,) * 4,) * (len(vectors) - 1)
    own = (0.0, 0.0, 0.0)
    if turning:
        for j in range(1, n + 1):
            sums, own = add_products(sums, own, room[size * (n - j) :], room[size * j :])
    else:
        for j in range(1, n + 1):
            sums = add_steady_products(sums, room[size * (n - j) :], room[size * j :])
    sums, own = add_products(sums, own, room[size * n :], room)
    return (*[Vec3(x, y, added - subtracted) for x, y, added, subtracted in sums], Vec3(*own))


def add_products(sums: tuple[Any, ...], own: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """The sums with the products of the coefficients that begin at `a` and those of Ω among the
    coefficients that begin at `b`.
    """
    last = 3 * len(sums)
    u1, u2 = a[last], a[last + 1]
    v1, v2, v3 = b[last], b[last + 1], b[last + 2]
    w1, w2, w3 = own
    found = tuple([add_cross(four, a[3 * i :], v1, v2, v3) for i, four in enumerate(sums)])
    return found, (w1 + u2 * v3, w2 + u1 * v3, w3 + u1 * v2)


def add_cross(
    four: tuple[float, ...], a: Any, v1: float, v2: float, v3: float
) -> tuple[float, ...]:
    """The sums of a row."""
    x1, x2, x3 = a[0], a[1], a[2]
    x, y, added, subtracted = four
    return x + x2 * v3 - x3 * v2, y + x3 * v1 - x1 * v3, added + x1 * v2, subtracted + x2 * v1


def add_steady_products(sums: tuple[Any, ...], a: Any, b: Any) -> tuple[Any, ...]:
    """The same where that of Ω₃ is 0."""
    v1, v2 = b[3 * len(sums)], b[3 * len(sums) + 1]
    return tuple([add_steady_cross(four, a[3 * i :], v1, v2) for i, four in enumerate(sums)])


def add_steady_cross(four: tuple[float, ...], a: Any, v1: float, v2: float) -> tuple[float, ...]:
    """The sums of a row where that of Ω₃ is 0."""
    x1, x2, x3 = a[0], a[1], a[2]
    x, y, added, subtracted = four
    return x - x3 * v2, y + x3 * v1, added + x1 * v2, subtracted + x2 * v1


def put_coefficients(room: Any, at: int, vectors: tuple[Vec3, ...]) -> None:
    """Write the coefficients of one order from the place `at` on."""
    for i, vector in enumerate(vectors):
        for k, number in enumerate(vector):
            room[at + 3 * i + k] = number


def get_coefficients(a: Any, vectors: tuple[Vec3, ...]) -> list[Vec3]:
    """Read the coefficients of as many vectors, which begin at `a`."""
    return [Vec3(a[3 * i], a[3 * i + 1], a[3 * i + 2]) for i, _ in enumerate(vectors)]


def find_size_together(
    room: Any, highest: int, vectors: tuple[Vec3, ...], weights: tuple[float, float], most: float
) -> float:
    """The size of a step, found as for one body."""
    size = most
    for n in (highest - 3, highest - 2):
        *rows, speed = get_coefficients(room[3 * len(vectors) * n :], vectors)
        square = dot(speed, speed) * weights[1]
        for row in rows:
            square = square + dot(row, row) * weights[0]
        size = min(size, find_size(square, n))
    return size


def sum_together(room: Any, highest: int, vectors: tuple[Vec3, ...], h: float) -> tuple[Vec3, ...]:
    """The polynomials at h."""
    size = 3 * len(vectors)
    found = tuple(get_coefficients(room[size * highest :], vectors))
    for i in range(highest):
        lower = get_coefficients(room[size * (highest - 1 - i) :], vectors)
        found = tuple([h * a + b for a, b in zip(found, lower, strict=True)])
    return found


def find_momentum(body: Any, Ω: Vec3) -> Vec3:
    """The body momentum; along the third axis if the body is at rest."""
    return body.J @ Ω + Vec3(0.0, 0.0, AT_REST)


def choose_row(R: Mat3, momentum: Vec3) -> Vec3:
    """The row of R that is furthest from the direction of the spatial momentum."""
    x, y, z = momentum.x * momentum.x, momentum.y * momentum.y, momentum.z * momentum.z
    first, second, third = Vec3(R.xx, R.xy, R.xz), Vec3(R.yx, R.yy, R.yz), Vec3(R.zx, R.zy, R.zz)
    either = first if x <= y else second
    return either if min(x, y) <= z else third


def declare(
    *, evidence: tuple[Proof, ...], **declaration: Any
) -> Callable[[Callable[[], None]], OwnSteps]:
    """Declare the method that the function below describes."""

    def described(describe: Callable[[], None]) -> OwnSteps:
        own = {"step": step, "start": start, "reach": reach, "room": ROOM}
        own |= {"step_together": step_together}
        own |= read_docstring(describe, evidence)
        return register(OwnSteps.declare(**(own | declaration)))

    return described


@declare(
    key="TAYLOR",
    name="Taylor series of the motion, adaptive",
    short="Adaptive Taylor",
    family="Adaptive",
    options=COMPILED_TOLERANCES,
    needs_series=True,
    torque_of_velocity=True,
    conserves=ON_THE_GROUP,
    reference=bibtex("JorbaZou2005"),
    evidence=(
        times("evaluations", "TAYLOR(rtol=1e-9)", TOPS, 26, 43, of="RKMK853(rtol=1e-9)"),
        keeps(orthogonality="always"),
        loses("energy", "pi"),
        measures("energy", FREE, 20, of="TAYLOR(rtol=1e-3)", over="TAYLOR(rtol=1e-6)"),
    ),
)
def taylor() -> None:
    r"""Explicit, of an order that follows from the tolerance. On the slow, the fast and the
    Lagrange top, RKMK853 evaluates the torque [{} times] as often.

    .. math::
        R(t_n + s) = \sum_{k=0}^{p} R_k s^k, \quad (k + 1) R_{k+1} = \sum_{i+j=k} R_i \hat\Omega_j, \quad
        (k + 1) J \Omega_{k+1} = \sum_{i+j=k} J\Omega_i \times \Omega_j + T_k, \quad
        p \approx 9 - \tfrac12 \ln \text{tolerance}

    - It computes the coefficients of R and Ω one order after the other. The torque is a series of
      theirs.
    - Coefficients of orders somewhat below p give the size of a step before it is made. The
      polynomial gives the motion between the steps.
    - Rows of unit length, at right angles to each other, begin each step: R [remains a rotation].
    - It [meets the tolerance, but does not conserve the other invariants]. A free body's energy error with
      rtol = 10⁻⁶ is [less than a twentieth of that with 10⁻³].
    - The torque needs a Taylor series. A torque with a jump, an absolute value or a table is
      refused.
    """
