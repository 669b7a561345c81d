"""The maps of `engine.algebra.rotations` against fifty digits; the bounds are the worst errors
measured, rounded up.

Errors are in ulp of 1 (2⁻⁵²): of the entries for matrices, relative to the length for vectors.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import product
from math import cos, inf, isnan, pi, sin, ulp

import numpy as np
import pytest
from covering import covering, first, some

from engine import algebra
from engine.algebra import Mat3, Quat, TurnX, TurnY, TurnZ, Vec3, e1, e2, e3, rotations

from . import exact
from .exact import mp

W = Vec3(0.3, -1.1, 0.7)


def up_to_a_quarter(v):
    return algebra.norm(v) <= pi / 2


def distance_to_a_pole(v):
    """Of |v| from the nearest whole turn but zero."""
    turns = max(1, round(algebra.norm(v) / (2 * pi)))
    return float(abs(exact.length(exact.exact(v)) - 2 * turns * mp.pi))


# What an error is measured by besides 1, and the bounds up to a quarter turn and beyond. |v| itself
# is only known to an ulp or so; where the result turns or breaks with |v|, so much is unavoidable.
BOUNDS = {
    "exp": (lambda v: 1 + algebra.norm(v), 0.9, 1.3),
    "turn": (lambda v: 1 + algebra.norm(v), 1.0, 1.3),
    "dexp": (lambda v: 1, 1.4, 3.7),
    "dexpinv": (lambda v: 1 + algebra.norm(v) / distance_to_a_pole(v), 1.1, 1.9),
    "cay": (lambda v: 1, 1.5, 4.2),
    "dcay": (lambda v: 1, 1.3, 1.3),
    "dcayinv": (lambda v: 1, 1.1, 2.0),
}


def check(name, lengths, error, computed):
    measure, near, far = BOUNDS[name]
    for v in exact.vectors(lengths):
        found = error(computed(v), v) / measure(v)
        assert found <= (near if up_to_a_quarter(v) else far), (found, v)


@pytest.mark.parametrize(
    ("name", "lengths"), covering(product(["exp", "dexp", "dexpinv", "cay", "dcay"], exact.LENGTHS))
)
def test_matrices(name, lengths):
    function = getattr(algebra, {"exp": "exp", "cay": "cay"}.get(name, f"{name}_matrix"))
    truth = getattr(exact, name)
    check(name, lengths, lambda m, v: exact.entry_error(m, truth(exact.exact(v))), function)


@pytest.mark.parametrize(
    ("name", "lengths"),
    covering(product(["turn", "dexp", "dexpinv", "dcay", "dcayinv"], exact.LENGTHS)),
)
def test_vectors(name, lengths):
    def error(result, v):
        m = getattr(exact, {"turn": "exp"}.get(name, name))(exact.exact(v))
        scale = exact.length(exact.exact(W)) * max(1, *map(abs, m))
        return exact.relative_error(result, m * exact.exact(W), scale)

    check(
        name,
        lengths,
        error,
        lambda v: algebra.turn(v) @ W if name == "turn" else getattr(algebra, name)(v, W),
    )


@pytest.mark.parametrize(
    "lengths", ["tiny", "small", "to a quarter", "near a quarter", "to a half", "near a half"]
)
def test_logarithms(lengths):
    for v in exact.vectors(lengths):
        exactly = exact.exact(v)
        R, q = exact.to_floats(exact.exp(exactly)), exact.to_floats(exact.quaternion(exactly))
        n = exact.length(exactly)
        other = exactly * (1 - 2 * mp.pi / n)  # the same rotation; within an ulp of π it is as good
        for found, bound in (
            (algebra.log(R), 2.7),
            (algebra.log(algebra.exp(v)), 2.7),
            (algebra.quaternion_log(q), 1.6),
        ):
            assert (
                min(exact.relative_error(found, exactly), exact.relative_error(found, other))
                <= bound
            ), v
        assert abs(algebra.angle(R) - n) <= 2.4 * exact.ULP * min(1, n) or n < 1e-150, v


@pytest.mark.parametrize("lengths", exact.LENGTHS)
def test_products_with_maps(lengths):
    """R exp(v) and R cay(v), made without the map's matrix."""
    R = algebra.exp(Vec3(1.0, -2.0, 0.5))
    for v in exact.vectors(lengths):
        turned = 4 * exact.ULP * (1 + algebra.norm(v))
        np.testing.assert_allclose(
            list(algebra.times_exp(R, v)), list(R @ algebra.exp(v)), rtol=0, atol=turned
        )
        np.testing.assert_allclose(
            list(algebra.times_cay(R, v)), list(R @ algebra.cay(v)), rtol=0, atol=2e-15
        )


@pytest.mark.parametrize("lengths", exact.LENGTHS)
def test_quaternions(lengths):
    for v in exact.vectors(lengths):
        R, q = exact.exp(exact.exact(v)), exact.quaternion(exact.exact(v))
        found = algebra.quaternion_of(exact.to_floats(R))
        sign = -1 if sum(a * b for a, b in zip(found, q, strict=True)) < 0 else 1
        assert exact.entry_error(found * sign, q) <= 1.1, v
        assert exact.entry_error(algebra.rotation_of(exact.to_floats(q)), R) <= 1.5, v
        bound = 0.7 if up_to_a_quarter(v) else 0.35 * (1 + algebra.norm(v))
        assert exact.entry_error(algebra.quaternion_exp(v), q) <= bound, v


@pytest.mark.parametrize("lengths", exact.LENGTHS)
def test_cay_inverse(lengths):
    for v in exact.vectors(lengths):
        found = algebra.cay_inverse(exact.to_floats(exact.cay(exact.exact(v))))
        assert exact.relative_error(found, exact.exact(v)) <= 3.0 + 0.2 * algebra.norm(v), v


def test_half_turns_have_two_logarithms_and_no_cayley_vector():
    for axis in (
        Vec3(1.0, 0.0, 0.0),
        Vec3(0.0, 1.0, 0.0),
        Vec3(0.0, 0.0, 1.0),
        Vec3(0.6, 0.0, -0.8),
    ):
        R = algebra.outer(axis, axis) * 2.0 - algebra.rodrigues(axis, 0.0, 0.0)
        found = algebra.log(R)
        assert abs(abs(algebra.dot(found, axis)) - pi) < 1e-15
        assert algebra.norm(algebra.cross(found, axis)) < 1e-15
        assert algebra.angle(R) == pi
        with pytest.raises(ZeroDivisionError):
            algebra.cay_inverse(R)


EDGES = [pi / 4 * (1 + s * 10.0**-k) for s in (-1, 1) for k in (2, 8, 15, 16)]


@pytest.mark.parametrize("edge", [pi / 4, pi / 2, pi, 2 * pi, 1e6])
def test_sine_and_cosine(edge):
    rng = np.random.default_rng(0)
    angles = [
        0.0,
        5e-324,
        *EDGES,
        *rng.uniform(0, edge, 200).tolist(),
        *(10.0 ** rng.uniform(-300, 0, 100)).tolist(),
    ]
    for x in angles:
        s, c = algebra.sincos(x)
        assert algebra.sincos(-x) == (-s, c)
        assert exact.relative_error([s], [mp.sin(mp.mpf(x))], abs(mp.sin(mp.mpf(x))) or 1) <= 0.8
        assert exact.relative_error([c], [mp.cos(mp.mpf(x))], 1) <= 0.8


def test_sine_and_cosine_of_all_quarters():
    """Also beside whole quarter turns, where one of the two is small, and beyond `FAR`."""
    rng = np.random.default_rng(1)
    quarters = rng.integers(-60_000, 60_000, 200) * (pi / 2)
    near = quarters * (1.0 + rng.choice((0.0, 1e-15, -1e-9), 200))
    large = rng.uniform(-2.0 * rotations.FAR, 2.0 * rotations.FAR, 200)
    for x in (0.0, 1e22, *rng.uniform(-7.0, 7.0, 200).tolist(), *near.tolist(), *large.tolist()):
        s, c = rotations.sincos_anywhere(x)
        wanted = mp.sin(mp.mpf(x)), mp.cos(mp.mpf(x))
        assert abs(s - wanted[0]) <= 2.3 * ulp(wanted[0])
        assert abs(c - wanted[1]) <= 2.3 * ulp(wanted[1])


def test_turns_about_an_axis():
    rng = np.random.default_rng(0)
    for a in some(
        [*rng.uniform(-4, 4, 100).tolist(), *(10.0 ** rng.uniform(-300, 5, 50)).tolist()]
    ):
        for i, (axis, kind) in enumerate(((e1, TurnX), (e2, TurnY), (e3, TurnZ))):
            v = Vec3(*(a if j == i else 0.0 for j in range(3)))
            for turn, matrix in (
                (algebra.exp_about(axis, a), exact.exp(exact.exact(v))),
                (algebra.cay_about(axis, a), exact.cay(exact.exact(v))),
            ):
                assert type(turn) is kind
                assert (
                    exact.entry_error(algebra.full(algebra.Diag3(1.0, 1.0, 1.0)) @ turn, matrix)
                    <= 1.5
                )
                assert exact.entry_error(turn @ W, matrix * exact.exact(W)) <= 2.5


# ------------------------------------------------------------------------------------ what is exact


@pytest.mark.parametrize("lengths", exact.LENGTHS)
def test_back_is_exactly_the_transpose(lengths):
    for v in exact.vectors(lengths):
        h = 0.37
        assert tuple(algebra.exp(-h * v)) == tuple(algebra.exp(h * v).T)
        assert tuple(algebra.cay(-h * v)) == tuple(algebra.cay(h * v).T)
        assert tuple(algebra.dexp_matrix(-v)) == tuple(algebra.dexp_matrix(v).T)
        assert tuple(algebra.dexpinv_matrix(-v)) == tuple(algebra.dexpinv_matrix(v).T)
        assert tuple(algebra.exp_about(e2, -v.y)) == tuple(algebra.exp_about(e2, v.y).T)
        assert tuple(algebra.turn(-v)) == tuple(algebra.turn(v).T)
        assert tuple(algebra.turn(-v) @ -W) == tuple(-(algebra.turn(-v) @ W))


def test_no_turn():
    zero = Vec3(0.0, 0.0, 0.0)
    one = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    for f in (
        algebra.exp,
        algebra.cay,
        algebra.dexp_matrix,
        algebra.dexpinv_matrix,
        algebra.dcay_matrix,
    ):
        assert tuple(f(zero)) == one
    assert tuple(algebra.turn(zero) @ W) == tuple(W)
    for f in (algebra.dexp, algebra.dexpinv, algebra.dcay, algebra.dcayinv):
        assert tuple(f(zero, W)) == tuple(W)
    for f in (algebra.log, algebra.cay_inverse):
        assert tuple(f(Mat3(*one))) == (0.0, 0.0, 0.0)
    assert algebra.angle(Mat3(*one)) == 0.0
    assert tuple(algebra.quaternion_of(Mat3(*one))) == (1.0, 0.0, 0.0, 0.0)
    assert tuple(algebra.rotation_of(Quat(1.0, 0.0, 0.0, 0.0))) == one


@pytest.mark.parametrize("length", [5e-324, 1e-310, 1e-300, 1e-200, 1e-160])
def test_where_squares_vanish(length):
    v = Vec3(length, -length, length)
    assert tuple(algebra.exp(v)) == tuple(algebra.hat(v) + algebra.Diag3(1.0, 1.0, 1.0))
    assert (
        tuple(algebra.dexp(v, W))
        == tuple(algebra.dexpinv(v, W))
        == tuple(algebra.turn(v) @ W)
        == tuple(W)
    )
    if length > 1e-307:
        assert tuple(algebra.log(algebra.exp(v))) == tuple(v)


def test_beyond_all_bounds_a_nan_or_an_error_but_no_number():
    for x in (inf, 1e200, float("nan")):
        with suppress(ValueError):  # which Python's own sine raises
            assert any(map(isnan, algebra.exp(Vec3(x, 0.0, 0.0))))


def test_a_whole_turn_is_a_pole_of_dexpinv():
    """No float lies on it; the nearest ones give about 1e15, wrong in the first digit."""
    c4 = rotations.dexpinv_coefficient((2 * pi) ** 2)
    assert 1e13 < abs(c4) < 1e17


# ------------------------------------------------------------------------------------ the
# coefficients


def test_the_branches_meet():
    """On both sides of a quarter turn the coefficients are the same to roundoff."""
    at = rotations.QUARTER_TURN_SQUARED
    beyond = np.nextafter(at, 3.0)
    for near, far in (
        (rotations.exp_coefficients(at), rotations.exp_coefficients_far(beyond)),
        ((rotations.dexp_coefficient(at),), (rotations.dexp_coefficient_far(beyond),)),
        ((rotations.dexpinv_coefficient(at),), (rotations.dexpinv_coefficient_far(beyond),)),
    ):
        np.testing.assert_allclose(near, far, rtol=6 * exact.ULP, atol=0)
    s, c = rotations.sincos(pi / 4)
    np.testing.assert_allclose((s, c), (sin(pi / 4), cos(pi / 4)), rtol=exact.ULP, atol=0)


@pytest.mark.parametrize("lengths", ["small", "to a quarter", "to a half"])
def test_columns_are_not_longer_or_shorter_than_one_on_average(lengths):
    """Otherwise |R| would grow or shrink with the number of steps instead of its root."""
    columns = []
    for v in exact.vectors(lengths, 400):
        R = [mp.mpf(x) for x in algebra.exp(v)]
        columns += [R[i] ** 2 + R[i + 3] ** 2 + R[i + 6] ** 2 - 1 for i in range(3)]
    assert abs(sum(columns) / len(columns)) <= 0.1 * exact.ULP


# ------------------------------------------------------------------------------------ the formulas
# themselves


@pytest.mark.parametrize(
    "lengths", first(["tiny", "small", "to a quarter", "to a half", "to a whole", "huge"])
)
def test_derivatives_are_derivatives(lengths):
    """f(v)ᵀ df(v) by differences of fifty digits: the truth that the maps are compared with is
    one.
    """
    w = exact.exact(W)
    for v in exact.vectors(lengths, 5):
        v = exact.exact(v)
        spatial = exact.dexp(v) * w
        body = exact.dexp(-v) * w
        assert mp.norm(exact.exp(v) * body - spatial) <= 1e-30
        assert mp.norm(exact.rate(exact.exp, v, w) - exact.hat(body)) <= 1e-28
        assert mp.norm(exact.rate(exact.cay, v, w) - exact.hat(exact.dcay(v) * w)) <= 1e-28
        assert mp.norm(exact.dexpinv(v) * exact.dexp(v) - mp.eye(3)) <= 1e-28
        assert mp.norm(exact.exp(v).T * exact.exp(v) - mp.eye(3)) <= 1e-30
