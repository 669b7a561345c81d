"""TAYLOR: the Taylor series of the motion, of an order and with steps that follow from the
tolerance.

Each step computes the coefficients of two rows of R and of Ω order by order: those of the products
in dR/dt = R hat(Ω) and in Euler's equations up to an order give the state's next ones, and the
torque is a series of theirs. The third row of R is the cross product of the two others.

The products of an order are computed in two times eight lanes: the six components of the rows'
cross products with Ω, first the products that are added and then those that are subtracted, and
beside them the three products of Euler's equations. All factors are in memory. A loop over the
orders computes each from those before, so the kernel is short. A torque that is linear in the rows
and in Ω stays in lanes too. For others each order is written out, and sums of products are computed
side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, log, nan
from typing import Any

from ..algebra import Mat3, Vec3, Zero3, cross, dot, norm
from ..algebra.rarely_called import any_of, rarely_called
from ..compiler.lanes import (
    COUNT,
    HALF,
    Lanes,
    choose_lanes,
    get_lanes,
    get_twice,
    lane,
    lanes,
    put_lanes,
    spread,
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
STRIDE = 3 * COUNT
"""The numbers of an order: the first factors of the products that are added, those of the products
that are subtracted, and the second factors of both.
"""
ROOM = POLYNOMIAL + STRIDE * (ORDERS[-1] + 1)
KEPT = (0, 2 * COUNT)
"""Where the vectors that hold the rows and Ω begin among the numbers of an order."""

AT_REST = 1e-99
"""Stands for the speed of a body at rest."""
BITS_OF_ONE = 0x3FF0000000000000

ADDED = (1, 2, 0, 9, 5, 6, 4, 11)
SUBTRACTED = (2, 0, 1, 11, 6, 4, 5, 11)
"""The first factors of the products, among the rows and Ω. Each row has three of four lanes, and Ω
stands twice, its first number also in the fourth lane.
"""
SECOND_FACTORS = (2, 0, 1, 2, 1, 2, 0, 1)
"""The second factors among Ω, each for both rows: of the products that are added, and of the
others.
"""
EULER = (3, 7, 11, 3) * 2
"""Ω₂Ω₃, Ω₃Ω₁ and Ω₁Ω₂ among the sums of the added and of the subtracted products."""
X, Z, SPIN = (2, 0, 1), (6, 4, 5), (1, 2, 0)
"""The rows among the first factors, and Ω among the second ones."""
FIRST_HALF, SECOND_HALF = (0, 1, 2, 3) * 2, (4, 5, 6, 7) * 2


def find_order(rtol: float, atol: float) -> float:
    """The order for a tolerance: by eight higher than that of Jorba and Zou, for whom the cost of a
    step is proportional to its square. In lanes an order costs nearly the same as any other.
    """
    least = 9.0 - 0.5 * log(rtol + atol)
    return float(max(ORDERS[0], min(ORDERS[-1], 2 * int(0.5 * least) + 2)))


def add_lanes(a: Lanes) -> float:
    """The sum of the first three numbers of each half."""
    a = a + choose_lanes(a, a, SECOND_HALF)
    return lane(a, 0) + lane(a, 1) + lane(a, 2)


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
    linear = None if push is None else read_lanes(push, (*x, None, *z, None, *Omega))
    ratios = pair(tuple(body.ratios), tuple(body.ratios))
    highest = int(order)
    start = put_order(room, 0, pair(tuple(first), tuple(last)), pair(tuple(Ω), tuple(Ω)))
    a, b, v, w = start
    rows, speeds = a * v - b * w, ratios * (v * w)
    if push is not None:
        torque = coefficients(push, 0)
        speeds = speeds + pair(torque, torque)
    nothing = spread(0.0), spread(0.0)
    if push is None or linear is not None:
        latest = put_order(room, 1, rows, speeds)
        pushed = push_linearly(linear, rows, speeds)
        rows, speeds = find_next(1, nothing, start, latest, ratios, pushed)
        for even in range(2, highest, 2):
            for odd in (0, 1):
                n = even + odd
                latest = put_order(room, n, rows, speeds)
                pushed = push_linearly(linear, rows, speeds)
                sums = sum_orders(room, n, odd == 1)
                rows, speeds = find_next(n, sums, start, latest, ratios, pushed)
    else:
        for n in STEPS[1:]:
            for i, (one, other, speed) in enumerate(zip(x, z, Omega, strict=True)):
                extend(one, rows, i)
                extend(other, rows, HALF + i)
                extend(speed, speeds, i)
            latest = put_order(room, n, rows, speeds)
            torque = coefficients(push, n)
            sums = sum_orders(room, n, n % 2 == 1) if n > 1 else nothing
            rows, speeds = find_next(n, sums, start, latest, ratios, pair(torque, torque))
            if n + 1 in ORDERS and order == n + 1:
                break
    put_order(room, highest, rows, speeds)
    room[0] = t
    room[1] = float(highest)
    # They are not the last ones, so the processor finds the size while it computes those.
    orders = (highest - 3, highest - 2)
    turn, spin = find_weight(rtol + atol), find_weight(atol + rtol * norm(Ω) + AT_REST)
    weights = spread(turn), spread(0.5 * spin)
    size = find_step(room, STRIDE, KEPT, orders, weights, most)
    return (*find_state(room, size), size)


def pair(a: Sequence[Any], b: Sequence[Any]) -> Lanes:
    """Three numbers and the first of them again, of each of two vectors."""
    return lanes((*a, a[0], *b, b[0]))


def put_order(room: Any, n: int, rows: Lanes, speeds: Lanes) -> tuple[Lanes, Lanes, Lanes, Lanes]:
    """Keep the factors of order n: the first and the second ones of the products that are added and
    subtracted; return them.
    """
    added, subtracted = [choose_lanes(rows, speeds, which) for which in (ADDED, SUBTRACTED)]
    second = choose_lanes(speeds, speeds, SECOND_FACTORS)
    for i, one in enumerate((added, subtracted, second)):
        put_lanes(room, POLYNOMIAL + STRIDE * n + COUNT * i, one)
    v, w = [choose_lanes(second, second, half) for half in (FIRST_HALF, SECOND_HALF)]
    return added, subtracted, v, w


def sum_orders(room: Any, n: int, odd: bool) -> tuple[Lanes, Lanes]:
    """The sums of the products of orders i + j = n without order 0. Two partial sums do not wait for
    each other, and the latest coefficients come last.
    """
    plus = minus = more = less = spread(0.0)
    last = n - 2
    if odd:
        plus, minus = add_orders(room, last, 2, plus, minus)
        last = last - 1
    for i in range(last, 1, -2):
        plus, minus = add_orders(room, i, n - i, plus, minus)
        more, less = add_orders(room, i - 1, n - i + 1, more, less)
    return add_orders(room, n - 1, 1, plus + more, minus + less)


def add_orders(room: Any, i: int, j: int, plus: Lanes, minus: Lanes) -> tuple[Lanes, Lanes]:
    """The sums with the products of the first factors of order i and the second ones of order j."""
    first, second = POLYNOMIAL + STRIDE * i, POLYNOMIAL + STRIDE * j + 2 * COUNT
    return (
        plus + get_lanes(room, first) * get_twice(room, second),
        minus + get_lanes(room, first + COUNT) * get_twice(room, second + HALF),
    )


def find_next(
    n: int, sums: tuple[Lanes, Lanes], start: tuple[Lanes, ...], latest: tuple[Lanes, ...], ratios: Lanes,
    pushed: Lanes | None,
) -> tuple[Lanes, Lanes]:  # fmt: skip
    """The coefficients of order n + 1 of the rows and of Ω, from the sums of the products of order n
    without order 0, the factors of orders 0 and n, and the torque's part.
    """
    plus, minus = sums
    a0, b0, v0, w0 = start
    a, b, v, w = latest
    part = 1.0 / (n + 1.0)
    turned = (plus - minus + a0 * v - b0 * w) + (a * v0 - b * w0)
    gained = part * ratios * (choose_lanes(plus, minus, EULER) + v * w0 + w * v0)
    return part * turned, (gained if pushed is None else gained + part * pushed)


def push_linearly(linear: Any, rows: Lanes, speeds: Lanes) -> Lanes | None:
    """The coefficients of an order of J⁻¹T, if it is linear in the rows and in Ω."""
    if not linear:  # no torque, or one that is constant in the body
        return None
    pushed = spread(0.0)
    for places, factors in linear:
        pushed = pushed + choose_lanes(rows, speeds, places) * factors
    return pushed


def find_weight(allowed: float) -> float:
    """The weight of a square, of which this much is allowed."""
    return 1.0 / (allowed * allowed)


def find_step(
    room: Any, stride: int, kept: tuple[int, ...], orders: tuple[int, int], weights: tuple[Lanes, ...],
    most: float,
) -> float:  # fmt: skip
    """The size of a step, at most `most`, which makes of the coefficients of each of two orders at
    most the tolerance, by the weights of their squares.
    """
    size = most
    for n in orders:
        total = spread(0.0)
        for one, weight in zip(get_order(room, stride, kept, n), weights, strict=True):
            total = total + one * one * weight
        size = min(size, find_size(add_lanes(total), n))
    return size


def get_order(room: Any, stride: int, kept: tuple[int, ...], n: int) -> tuple[Lanes, ...]:
    """The vectors that begin at these places among the numbers of order n."""
    return tuple([get_lanes(room, POLYNOMIAL + stride * n + place) for place in kept])


def sum_polynomial(room: Any, stride: int, kept: tuple[int, ...], s: float) -> tuple[Lanes, ...]:
    """The polynomial that is kept at s, two orders at once."""
    highest = int(room[1])
    by, twice = spread(s), spread(s * s)
    sums = get_order(room, stride, kept, highest)
    for n in range(highest - 2, -1, -2):
        even, odd = get_order(room, stride, kept, n), get_order(room, stride, kept, n + 1)
        sums = tuple([a + by * b + twice * c for a, b, c in zip(even, odd, sums, strict=True)])
    return sums


def find_state(room: Any, s: float) -> tuple[Vec3, Vec3, Vec3]:
    """Two rows of R, and Ω, at s by the polynomial that is kept."""
    rows, speeds = sum_polynomial(room, STRIDE, KEPT, s)
    return choose_three(rows, X), choose_three(rows, Z), choose_three(speeds, SPIN)


def choose_three(a: Lanes, which: tuple[int, int, int]) -> Vec3:
    """The numbers in three lanes."""
    return Vec3(*[lane(a, i) for i in which])


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
