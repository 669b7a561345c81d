"""Products and solutions against NumPy, the polar factor against fifty digits, derivatives against
differences.
"""

from __future__ import annotations

from math import inf, isnan, nan

import numpy as np
import pytest
from covering import first

from engine import algebra
from engine.algebra import Diag3, Mat3, Vec3, Weights, Zero3
from engine.algebra.linear import solve_blocks

from .exact import ULP, mp


def array(value):
    numbers = np.array(list(value))
    return numbers.reshape(3, 3) if numbers.size == 9 else numbers


def matrix(entries):
    return Mat3(*np.ravel(entries).tolist())


RNG = np.random.default_rng(0)
MATRICES = [RNG.uniform(-1, 1, (3, 3)) for _ in range(50)]
PAIRS = [
    (Vec3(*RNG.uniform(-1, 1, 3).tolist()), Vec3(*RNG.uniform(-1, 1, 3).tolist()))
    for _ in range(50)
]


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_products_of_vectors(a, b):
    x, y = array(a), array(b)
    assert algebra.dot(a, b) == pytest.approx(x @ y, abs=ULP)
    np.testing.assert_allclose(array(algebra.cross(a, b)), np.cross(x, y), atol=ULP)
    np.testing.assert_array_equal(array(algebra.outer(a, b)), np.outer(x, y))
    np.testing.assert_array_equal(array(algebra.hat(a) @ b), array(algebra.cross(a, b)))
    np.testing.assert_array_equal(array(algebra.vee(algebra.hat(a))), x)
    assert algebra.norm(a) == pytest.approx(np.linalg.norm(x), rel=2 * ULP)
    assert algebra.norm_inf(a) == np.abs(x).max()


@pytest.mark.parametrize("A", MATRICES)
def test_functions_of_matrices(A):
    m = matrix(A)
    assert algebra.trace(m) == pytest.approx(np.trace(A), abs=2 * ULP)
    np.testing.assert_array_equal(array(algebra.vee(m)), ((A - A.T) / 2)[[2, 0, 1], [1, 2, 0]])
    np.testing.assert_allclose(
        array(algebra.cofactor(m)), np.linalg.det(A) * np.linalg.inv(A).T, atol=1e-14
    )
    assert algebra.dot_entries(m, matrix(MATRICES[0])) == pytest.approx(
        (A * MATRICES[0]).sum(), abs=4 * ULP
    )


@pytest.mark.parametrize("spread", [1, 10, 1e3, 1e6])
def test_solve(spread):
    rng = np.random.default_rng(2)
    for _ in range(40):
        U, V = (np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in range(2))
        A = (U * [1, spread ** -rng.uniform(0, 1), 1 / spread]) @ V
        b = A @ rng.uniform(-1, 1, 3)
        expected = mp.lu_solve(mp.matrix(A.tolist()), mp.matrix(b.tolist()))
        found = algebra.solve(matrix(A), Vec3(*b.tolist()))
        assert max(map(abs, mp.matrix(list(found)) - expected)) <= ULP * (2 + spread**2) * max(
            map(abs, expected)
        )


def test_solve_keeps_its_accuracy_for_bodies_of_any_shape():
    """The matrix of an implicit step is badly conditioned for a needle, but only by the scale of
    its rows.
    """
    rng = np.random.default_rng(3)
    for thin in (1.0, 1e-3, 1e-6, 1e-9):
        J = Diag3(1.0, 1.0 - 0.3 * thin, thin)
        for _ in range(40):
            m = J + 0.1 * algebra.gyroscopic_tangent(J, Vec3(*rng.uniform(-1, 1, 3).tolist()))
            b = J @ Vec3(*rng.uniform(-1, 1, 3).tolist())
            expected = mp.lu_solve(mp.matrix(array(m).tolist()), mp.matrix(list(b)))
            error = max(map(abs, mp.matrix(list(algebra.solve(m, b))) - expected))
            assert error <= 3 * ULP * max(map(abs, expected))


def test_solve_is_exact_for_what_floats_hold():
    assert tuple(
        algebra.solve(matrix([[2, 1, 0], [0, 4, 1], [0, 0, 8]]), Vec3(4.0, 12.0, 32.0))
    ) == (1.0, 2.0, 4.0)
    with pytest.raises(ZeroDivisionError):
        algebra.solve(matrix([[1, 2, 3], [2, 4, 6], [0, 0, 1]]), Vec3(1.0, 0.0, 0.0))


@pytest.mark.parametrize("count", [1, 2, 3])
def test_solve_blocks(count):
    """Dominant blocks on the diagonal, as in the equations of stages."""
    blocks = RNG.uniform(-1, 1, (count, count, 3, 3))
    blocks[range(count), range(count)] += 4 * np.eye(3)
    right = RNG.uniform(-1, 1, (count, 3))
    rows = tuple(tuple(matrix(block) for block in row) for row in blocks)
    found = solve_blocks(rows, tuple(Vec3(*b.tolist()) for b in right))
    whole = blocks.transpose(0, 2, 1, 3).reshape(3 * count, 3 * count)
    expected = np.linalg.solve(whole, right.ravel()).reshape(count, 3)
    np.testing.assert_allclose([array(x) for x in found], expected, rtol=0, atol=1e-15)


def test_gyroscopic_tangent_is_the_derivative():
    J = Diag3(1.2, 3.4, 2.9)
    for w, d in PAIRS:
        there = algebra.cross(w + d, J @ (w + d))
        back = algebra.cross(w - d, J @ (w - d))
        by_differences = (there - back) * 0.5  # exact, for a quadratic function
        tangent = algebra.gyroscopic_tangent(J, w)
        np.testing.assert_allclose(array(tangent @ d), array(by_differences), atol=8e-15)
        expected = algebra.hat(w) @ J - algebra.hat(J @ w)
        np.testing.assert_allclose(array(tangent), array(expected), atol=4 * ULP)


# ------------------------------------------------------------------------------------ the nearest
# rotation


def polar_factor(A):
    U, _, V = mp.svd_r(mp.matrix(A.tolist()))
    return np.array((U * V).tolist(), dtype=float)


@pytest.mark.parametrize("spread", first([1, 1e14, 2, 10, 1e3, 1e6, 1e10], 2))
def test_orthonormalise_is_the_polar_factor(spread):
    rng = np.random.default_rng(1)
    for _ in range(10):
        U, V = (np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in range(2))
        values = np.array([1, rng.uniform(1 / spread, 1), 1 / spread])
        for size in (1.0, 1e-80, 1e80):
            A = size * (U * values) @ V * np.linalg.det(U @ V)
            found = array(algebra.orthonormalise(matrix(A)))
            np.testing.assert_allclose(found.T @ found, np.eye(3), rtol=0, atol=5 * ULP)
            bound = 2 * ULP * (1 + 2 / (values[1] + values[2]))
            np.testing.assert_allclose(found, polar_factor(A), rtol=0, atol=bound)


def test_orthonormalise_near_rotations():
    for v, w in PAIRS:
        R = algebra.exp(3.0 * v)
        assert np.abs(array(algebra.orthonormalise(R)) - polar_factor(array(R))).max() <= 2 * ULP
        near = R + 1e-6 * algebra.outer(v, w)
        assert (
            np.abs(array(algebra.orthonormalise(near)) - polar_factor(array(near))).max() <= 2 * ULP
        )


@pytest.mark.parametrize(
    "entries",
    [
        np.diag([1.0, 1.0, -1.0]),
        -np.eye(3),
        np.zeros((3, 3)),
        np.outer([1.0, 2.0, 3.0], [1.0, 0.5, 0.25]),
        np.diag([1.0, 1.0, nan]),
        np.diag([inf, 1.0, 1.0]),
        1e-150 * np.eye(3),
        1e150 * np.eye(3),
    ],
)
def test_orthonormalise_of_what_has_no_rotation_next_to_it_is_nan(entries):
    assert all(map(isnan, algebra.orthonormalise(matrix(entries))))


# ------------------------------------------------------------------------------------ weighted sums


def test_combination():
    vectors = tuple(a for a, _ in PAIRS[:3])
    found = algebra.combination(Weights((2.0, 0.0, -1.0)), vectors)
    np.testing.assert_array_equal(array(found), 2 * array(vectors[0]) - array(vectors[2]))
    assert tuple(
        algebra.combination(Weights((0.0, 1.0)), (Vec3(nan, inf, 0.0), vectors[0]))
    ) == tuple(vectors[0])
    assert isinstance(algebra.combination(Weights((2.0, 1.0)), (Zero3(), Zero3())), Zero3)


def test_combination_of_the_wrong_number():
    with pytest.raises(ValueError, match=r"shorter|longer"):
        algebra.combination(Weights((1.0, 2.0)), (Vec3(1.0, 0.0, 0.0),))
