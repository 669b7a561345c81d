"""Identities of rotations: group axioms, inverse maps, changes of frame."""

from __future__ import annotations

from math import pi

import numpy as np
from covering import few
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.algebra import (
    Quat,
    Vec3,
    angle,
    cay,
    cay_inverse,
    cross,
    cross_columns,
    dcay,
    dcay_matrix,
    dcayinv,
    dexp,
    dexp_matrix,
    dexpinv,
    dexpinv_matrix,
    dot,
    exp,
    exponential,
    hat,
    log,
    norm,
    orthonormalise,
    outer,
    quaternion_log,
    quaternion_of,
    rotation_of,
    times_exp,
    turn,
    vee,
)

checked = settings(max_examples=few(60))

NUMBERS = st.floats(-1, 1, allow_subnormal=False)
UNIT = (
    st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS)
    .filter(lambda q: np.linalg.norm(q) > 0.01)
    .map(lambda q: Quat(*(np.array(q) / np.linalg.norm(q)).tolist()))
)
ROTATIONS = UNIT.map(rotation_of)
VECTORS = st.builds(Vec3, NUMBERS, NUMBERS, NUMBERS)
TURNS = st.builds(lambda v, n: v * (n / (norm(v) or 1.0)), VECTORS, st.floats(0, pi - 1e-3))
"""Rotation vectors of less than half a turn."""

ONE = exp(Vec3(0.0, 0.0, 0.0))


def close(a, b, within=2e-15):
    np.testing.assert_allclose(list(a), list(b), rtol=0, atol=within)


# ------------------------------------------------------------------------------------ the group


@checked
@given(ROTATIONS, ROTATIONS, ROTATIONS)
def test_group(A, B, C):
    close(A @ B @ C, A @ (B @ C))
    close(A @ ONE, A, 0)
    close(ONE @ A, A, 0)
    close(A @ A.T, ONE, 4e-15)
    close(A.T @ A, ONE, 4e-15)
    close(A.T.T, A, 0)
    close((A @ B).T, B.T @ A.T, 0)


@checked
@given(ROTATIONS, ROTATIONS)
def test_products_are_rotations(A, B):
    C = A @ B
    close(C.T @ C, ONE, 8e-15)
    assert (
        abs(dot(Vec3(C.xx, C.xy, C.xz), cross(Vec3(C.yx, C.yy, C.yz), Vec3(C.zx, C.zy, C.zz))) - 1)
        < 8e-15
    )
    close(orthonormalise(C), C, 4e-15)


@checked
@given(UNIT, UNIT, UNIT, VECTORS)
def test_quaternions_multiply_as_rotations_do(p, q, r, v):
    close(rotation_of(p @ q), rotation_of(p) @ rotation_of(q), 4e-15)
    close((p @ q) @ r, p @ (q @ r), 1e-15)
    conjugate = Quat(q.w, -q.x, -q.y, -q.z)
    close(q @ conjugate, (1, 0, 0, 0), 1e-15)
    close(q @ v @ conjugate, (0, *(rotation_of(q) @ v)), 2e-15)
    close(q @ v, q @ Quat(0.0, *v), 0)


@checked
@given(UNIT)
def test_quaternions_stand_for_rotations(q):
    back = quaternion_of(rotation_of(q))
    close(back * (1 if sum(a * b for a, b in zip(q, back, strict=True)) > 0 else -1), q)
    close(rotation_of(q * -1), rotation_of(q), 0)
    close(exp(quaternion_log(q)), rotation_of(q), 4e-15)
    close(quaternion_log(q * -1), quaternion_log(q), 0 if abs(q.w) > 0 else 2 * pi)


# ------------------------------------------------------------------------------------ maps that
# undo one another


@checked
@given(TURNS)
def test_log_undoes_exp(v):
    close(log(exp(v)), v)
    assert abs(angle(exp(v)) - norm(v)) <= 2e-15


@checked
@given(ROTATIONS)
def test_exp_undoes_log(R):
    close(exp(log(R)), R, 5e-15)
    assert norm(log(R)) <= pi + 1e-15
    assert abs(norm(log(R)) - angle(R)) <= 1e-15


@checked
@given(VECTORS, st.floats(0, 20))
def test_cay_and_its_inverse(v, n):
    v = v * n
    close(cay_inverse(cay(v)), v, 2e-15 * (1 + norm(v)) ** 2)
    close((ONE - 0.5 * hat(v)) @ cay(v), ONE + 0.5 * hat(v), 4e-15 * (1 + norm(v)))
    close(cay(v), exp(v * (2 * np.arctan(norm(v) / 2) / (norm(v) or 1.0))), 5e-15)


@checked
@given(TURNS, VECTORS)
def test_derivatives_and_their_inverses(v, w):
    close(dexpinv(v, dexp(v, w)), w, 4e-15)
    close(dexp(v, dexpinv(v, w)), w, 4e-15)
    close(dexp_matrix(v) @ dexpinv_matrix(v), ONE, 6e-15)
    close(dcayinv(v, dcay(v, w)), w, 6e-15)
    close(dcay(v, dcayinv(v, w)), w, 6e-15)


@checked
@given(TURNS, VECTORS, VECTORS)
def test_the_derivative_of_dexp(v, w, along):
    """By differences; it is used where seven digits are enough."""
    step = 1e-3 * along
    difference = 1e3 * (8.0 * (dexp(v + 0.5 * step, w) - dexp(v - 0.5 * step, w)))
    difference = (1 / 6) * (difference - 1e3 * (dexp(v + step, w) - dexp(v - step, w)))
    close(exponential(v).dexp_tangent(w) @ along, difference, 1e-9)


@checked
@given(TURNS, VECTORS)
def test_vectors_and_matrices_agree(v, w):
    close(turn(v) @ w, exp(v) @ w, 3e-15)
    close(turn(v).T @ w, exp(v).T @ w, 3e-15)
    close(turn(v).matrix, exp(v), 0)
    close(exp(w) @ turn(v), exp(w) @ exp(v), 0)
    close(turn(v) @ exp(w), exp(v) @ exp(w), 0)
    close(times_exp(exp(w), v), exp(w) @ exp(v), 4e-15)
    close(dexp(v, w), dexp_matrix(v) @ w)
    close(dexpinv(v, w), dexpinv_matrix(v) @ w)
    close(exponential(v).exp, exp(v), 0)
    close(exponential(v).dexp, dexp_matrix(v), 0)
    close(exponential(v).T.dexp_times(w), dexp(-v, w), 0)
    close(cross_columns(v, exp(w)), hat(v) @ exp(w))
    close(dcay(v, w), dcay_matrix(v) @ w)
    close(vee(hat(v)), v, 0)
    close(hat(v) @ w, cross(v, w), 0)
    close(hat(v) @ hat(v), outer(v, v) - (ONE * dot(v, v)), 4e-15)


# ------------------------------------------------------------------------------------ frames and
# derivatives


@checked
@given(ROTATIONS, TURNS, VECTORS)
def test_maps_turn_with_the_frame(R, v, w):
    close(exp(R @ v), R @ exp(v) @ R.T, 8e-15)
    close(cay(R @ v), R @ cay(v) @ R.T, 8e-15)
    close(hat(R @ v), R @ hat(v) @ R.T, 4e-15)
    close(dexp(R @ v, R @ w), R @ dexp(v, w), 4e-15)
    close(dexpinv(R @ v, R @ w), R @ dexpinv(v, w), 6e-15)
    close(dcay(R @ v, R @ w), R @ dcay(v, w), 4e-15)
    close(exp(v) @ v, v, 4e-15)
    close(dexp(v, v), v, 4e-15)
    close(dexp(v, w), exp(v) @ dexp(-v, w), 4e-15)  # from the body's frame to space


@checked
@given(TURNS, VECTORS)
def test_derivatives_by_differences(v, w):
    """Of fourth order in a step of 1/1000: an error of some 1e-13."""
    s = 1e-3

    def slope(f):
        near = f(v + s * w) - f(v - s * w)
        far = f(v + 2 * s * w) - f(v - 2 * s * w)
        return vee(f(v).T @ (near * (8 / (12 * s)) - far * (1 / (12 * s))))

    close(slope(exp), dexp(-v, w), 3e-12)
    close(slope(cay), dcay(v, w), 3e-12)


@checked
@given(VECTORS, VECTORS, st.floats(-0.1, 0.1))
def test_exponentials_of_commuting_turns_add(v, w, s):
    close(exp(v) @ exp(s * v), exp((1 + s) * v), 4e-15)
    close(exp(v) @ exp(v), exp(2 * v), 6e-15)
