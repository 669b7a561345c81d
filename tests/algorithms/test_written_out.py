"""Methods beside their formulas, written out a second time here, and what these formulas
conserve.
"""

from __future__ import annotations

from itertools import permutations

import evidence_measures
import numpy as np
import pytest
from covering import first
from scipy import linalg, optimize
from scipy.spatial.transform import Rotation

import engine
from engine.algorithms.mr import weigh
from engine.text.evidence import FREE

J = np.array((1.0, 2.0, 2.8))
BODY = engine.Problem(J=J, Omega0=(1.2, 1.9, 1.5))
ABOVE = np.array((0.2, 0.1, 0.7))


def weight(t, R):
    """The torque in space of a weight off the body's fixed point."""
    return np.cross(R @ ABOVE, (0.0, 0.0, -2.0))


TOP = engine.Problem(
    J=J, Omega0=(1.2, 1.9, 1.5), torque=weight, potential=lambda R: 2.0 * (R @ ABOVE)[2]
)


def times(p, q):
    """Hamilton's product."""
    return np.array(
        [p[0] * q[0] - p[1:] @ q[1:], *(p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:]))]
    )


def rotation(q):
    """The rotation of a quaternion of any length."""
    v = hat(q[1:] / np.linalg.norm(q))
    return np.eye(3) + 2 * q[0] / np.linalg.norm(q) * v + 2 * v @ v


def hat(v):
    x, y, z = v
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def compare(method, dt, steps, R, Π, off=2e-12):
    """The method's final state on the top is this one."""
    run = engine.simulate(TOP, method, dt=dt, steps=steps, every=steps)
    np.testing.assert_allclose(run.R[-1], R, rtol=0, atol=off)
    np.testing.assert_allclose(run.Pi[-1], Π, rtol=0, atol=2 * off)


# -----------------------------------------------------------------------------------------------
# Hirota and Kimura


def kahan(f, x, h):
    """Kahan's rule for the quadratic f, as a Runge–Kutta method: x₁ = x + h (2 f((x + x₁)/2) − ½
    f(x) − ½ f(x₁)).
    """
    new = x
    for _ in range(60):
        new = x + h * (2 * f((x + new) / 2) - f(x) / 2 - f(new) / 2)
    return new


def test_hirota_kimura_is_kahan_s_rule_for_velocity_and_quaternion():
    def rates(x):
        q, Ω = x[:4], x[4:]
        return np.array([*(times(q, np.array([0.0, *Ω])) / 2), *(np.cross(J * Ω, Ω) / J)])

    def kick(x, h):
        R = rotation(x[:4])
        return np.array([*x[:4], *(x[4:] + h * (R.T @ weight(0, R)) / J)])

    h, x = 0.05, np.array((1.0, 0.0, 0.0, 0.0, 1.2, 1.9, 1.5))
    for _ in range(100):
        x = kick(kahan(rates, kick(x, h / 2), h), h / 2)
    compare("HIROTA-KIMURA", h, 100, rotation(x[:4]), J * x[4:])


@pytest.mark.parametrize("dt", [0.05, 0.2, 0.5])
def test_the_conserved_quantities_of_hirota_and_kimura(dt):
    """Ω·JΩ and |JΩ|² over any 1 − h²/4 aⱼaₖΩᵢ²; they themselves are not conserved."""
    run = engine.simulate(BODY, "HIROTA-KIMURA", dt=dt, steps=5000)
    x = run.Omega
    a = (J[[1, 2, 0]] - J[[2, 0, 1]]) / J
    for i in range(3):
        divisor = 1 - dt**2 / 4 * a[i - 1] * a[i - 2] * x[:, i] ** 2
        for exact in (x**2 @ J, x**2 @ J**2):
            modified = exact / divisor
            assert np.ptp(modified) <= 1e-12 * modified[0]
            assert np.ptp(exact) > 1e-4 * exact[0]


@pytest.mark.parametrize(
    "inertia", [(1.0, 2.0, 2.8), ((2.0, 0.1, 0.3), (0.1, 2.5, -0.2), (0.3, -0.2, 3.0))]
)
@pytest.mark.parametrize("method", ["HIROTA-KIMURA", "EXACT"])
def test_the_modified_energy_is_that_of_the_declared_method(method, inertia):
    """It moves by roundoff with the method that declares it, and not with the exact motion, which
    keeps the energy.
    """
    body = engine.problem("free", J=inertia, Omega0=(0.9, 1.2, 1.5))
    run = engine.simulate(body, method, dt=0.2, steps=50_000)
    declared = engine.algorithm("HIROTA-KIMURA")
    for name in ("energy", "casimir"):
        plain = run.quantity(name)
        modified = run.modified(name, declared)
        moved = max(np.ptp(plain) / plain[0], np.ptp(modified) / modified[0])
        stays = min(np.ptp(plain) / plain[0], np.ptp(modified) / modified[0])
        assert stays < 5e-13 < 1e-5 < moved
        assert (np.ptp(modified) < np.ptp(plain)) == (method == "HIROTA-KIMURA")
        if method == "HIROTA-KIMURA":  # neither drifts: both halves have the same range
            first, second = np.array_split(plain, 2)
            assert np.ptp(first) == pytest.approx(np.ptp(second), rel=1e-3)


@pytest.mark.parametrize("problem", ["slow-top", "custom(torque=body)"])
def test_modified_quantities_are_those_of_a_free_body(problem):
    run = engine.simulate(problem, "HIROTA-KIMURA", dt=0.01, steps=2)
    with pytest.raises(ValueError, match="modified quantities are those of a free body"):
        run.modified("energy")


def test_what_changes_the_steps_of_hirota_and_kimura_declares_no_modified_energy():
    for name in ("NMB", "HIROTA-KIMURA*yoshida4", "HIROTA-KIMURA+E", "HIROTA-KIMURA(substeps=2)"):
        with pytest.raises(ValueError, match="declares no modified quantities"):
            engine.simulate("free", name, dt=0.1, steps=2).modified("energy")


# ------------------------------------------------------------------------------------------ the
# spherical midpoint


def move_on_sphere(Π, h):
    """The new momentum by a fixed point, and the mean momentum made as long as Π."""
    new = Π
    for _ in range(80):
        X = (Π + new) * np.linalg.norm(Π) / np.linalg.norm(Π + new)
        new = Π + h * np.cross(X, X / J)
    return new, X


def turn_about(axis, a, b):
    """The rotation about an axis that takes b to a, from the angle between their parts across
    it.
    """
    n = axis / np.linalg.norm(axis)
    x, y = a - (a @ n) * n, b - (b @ n) * n
    θ = np.arctan2(np.cross(y, x) @ n, x @ y)
    return np.eye(3) + np.sin(θ) * hat(n) + (1 - np.cos(θ)) * hat(n) @ hat(n)


def test_the_spherical_midpoint_rule():
    h, R, Π = 0.05, np.eye(3), TOP.Pi0
    for _ in range(100):
        Π = Π + h / 2 * R.T @ weight(0, R)
        new, X = move_on_sphere(Π, h)
        R = R @ turn_about(X / J, Π, new)
        Π = new + h / 2 * R.T @ weight(0, R)
    compare("SPHERICAL-MIDPOINT", h, 100, R, Π)


def area_on_sphere(method, dt):
    """The change of a small area on the sphere |Π| in a step, by central differences."""
    Π = np.array((1.2, 1.9, 1.5))
    e = np.linalg.svd(Π[None])[2][1:]
    δ = 1e-5

    def move(Π):
        return engine.simulate(BODY.replace(Omega0=Π / J), method, dt=dt, steps=1).Pi[-1]

    def along(v):
        """The rate along a great circle."""
        up, down = (move(np.cos(s) * Π + np.sin(s) * np.linalg.norm(Π) * v) for s in (δ, -δ))
        return (up - down) / (2 * δ * np.linalg.norm(Π))

    after = np.cross(along(e[0]), along(e[1])) @ move(Π)
    return after / (np.cross(*e) @ Π) - 1


def test_the_spherical_midpoint_rule_is_symplectic_on_the_sphere():
    for dt in (0.2, 0.6):
        assert abs(area_on_sphere("SPHERICAL-MIDPOINT", dt)) <= 1e-8
        assert abs(area_on_sphere("DMV", dt / 2)) <= 1e-8
        assert abs(area_on_sphere("KDK", dt)) >= 1e-4


def test_the_spherical_midpoint_rule_is_kdk_over_another_time():
    run = engine.simulate(BODY, "SPHERICAL-MIDPOINT", dt=0.3, steps=1)
    m = run.Pi.mean(axis=0)
    other = engine.simulate(BODY, "KDK", dt=0.3 * (run.Pi[0] @ run.Pi[0]) / (m @ m), steps=1)
    np.testing.assert_allclose(other.R[1], run.R[1], rtol=0, atol=1e-14)
    np.testing.assert_allclose(other.Pi[1], run.Pi[1], rtol=0, atol=1e-14)


# ------------------------------------------------------------------------- Gauss's methods, from
# the action alone


def find_gauss_tableau(s):
    """A, b by integrals of Lagrange's polynomials."""
    x, w = np.polynomial.legendre.leggauss(s)
    c = (x + 1) / 2
    A = np.empty((s, s))
    for j in range(s):
        integral = np.poly1d(np.poly(np.delete(c, j)) / np.prod(c[j] - np.delete(c, j))).integ()
        A[:, j] = integral(c) - integral(0)
    return A, w / 2


def power_series(v, x, first=0):
    """Σ v̂ⁿ x/(n + first)!, which is exp(v) x for 0 and dexp(v) x for 1."""
    total = 0
    V = hat(v)
    for n in range(16):
        total = total + x
        x = V @ x / (n + first + 1)
    return total


def find_action(x, R, h, A, b):
    """S of a step from R exp(η), where x = (η, k₁, …), with the coordinates about the middle of the
    step.
    """
    η, K = x[:3], x[3:].reshape(-1, 3)
    middle = R @ power_series(η, power_series(h / 2 * b @ K, np.eye(3)))
    S = 0
    for k, row, weight_of_stage in zip(K, A - b / 2, b, strict=True):
        θ = h * row @ K
        Ω = power_series(-θ, k, 1)
        S += h * weight_of_stage * (J * Ω @ Ω / 2 - 2.0 * (middle @ power_series(θ, ABOVE))[2])
    return S


def differentiate(x, *rest):
    """The gradient of the action by complex steps, exact to roundoff."""
    return np.array([find_action(x + 1e-30j * e, *rest).imag / 1e-30 for e in np.eye(len(x))])


@pytest.mark.parametrize("s", first([1, 2, 3], 2))
def test_gauss_s_methods_make_the_action_stationary(s):
    h, R, Π = 0.1, np.eye(3), TOP.Pi0
    A, b = find_gauss_tableau(s)

    def find_end(K):
        """The gradient by K, and the momentum at the end in the frame of the start."""
        gradient = differentiate(np.array([0.0, 0.0, 0.0, *K]), R, h, A, b)
        return gradient[3:].reshape(-1, 3), Π + gradient[:3]

    def residual(K):
        """∂S/∂kⱼ − h bⱼ dexp(−ψ)ᵀ exp(−ψ) Π₁."""
        by_K, Π1 = find_end(K)
        ψ = h * b @ K.reshape(-1, 3)
        return (by_K - h * np.outer(b, power_series(ψ, power_series(-ψ, Π1), 1))).ravel()

    for _ in range(3):
        K = optimize.root(residual, np.tile(Π / J, s), tol=1e-14).x
        E = power_series(h * b @ K.reshape(-1, 3), np.eye(3))
        Π, R = E.T @ find_end(K)[1], R @ E
    compare(f"GAUSS(stages={s})", h, 3, R, Π)


# ----------------------------------------------------------------------------------------------
# discrete gradients

STIFFNESS = np.array(((3.0, 0.4, 0.1), (0.4, 1.0, 0.2), (0.1, 0.2, 2.0)))
SPRINGS = engine.Problem(
    J=J,
    Omega0=(1.2, 1.9, 1.5),
    torque=lambda t, R: R @ np.cross(R[2], STIFFNESS @ R[2]),
    potential=lambda R: R[2] @ STIFFNESS @ R[2] / 2,
)
"""A potential of the vertical in the body, R[2], that is not linear in it."""
ALL_AROUND = engine.Problem(
    J=J,
    Omega0=(1.2, 1.9, 1.5),
    torque=lambda t, R: (
        -np.array([np.sum(STIFFNESS * (hat(e) @ R)) * np.sum(STIFFNESS * R) for e in np.eye(3)])
    ),
    potential=lambda R: np.sum(STIFFNESS * R) ** 2 / 2,
)
"""A potential that depends on the turn about the vertical."""


@pytest.mark.parametrize(
    ("problem", "level"), [(SPRINGS, True), (ALL_AROUND, False)], ids=["springs", "all around"]
)
def test_the_discrete_gradient(problem, level):
    def find_end(w, R, Π):
        half = power_series(h / 2 * w, np.eye(3))
        middle = R @ half
        end = R @ half @ half
        T = middle.T @ problem.torque(0.0, middle)
        u = w - level * (w @ middle[2]) * middle[2]
        T = T + (problem.potential(R) - problem.potential(end) - h * T @ w) / (h * u @ u) * u
        return end, end.T @ (R @ Π + h * middle @ T)

    h, R, Π = 0.1, np.eye(3), problem.Pi0
    for _ in range(20):
        w = optimize.root(
            lambda w, *state: J * w - (state[1] + find_end(w, *state)[1]) / 2,
            Π / J,
            (R, Π),
            tol=1e-14,
        )
        R, Π = find_end(w.x, R, Π)
    run = engine.simulate(problem, "DISCRETE-GRADIENT", dt=h, steps=20)
    np.testing.assert_allclose(run.R[-1], R, rtol=0, atol=1e-11)
    np.testing.assert_allclose(run.Pi[-1], Π, rtol=0, atol=2e-11)


POTENTIALS = {
    "soft wall": (engine.problem("soft-wall"), True),
    "as printed": (engine.problem("soft-wall(sign=as-printed)"), True),
    "springs": (SPRINGS, True),
    "all around": (ALL_AROUND, False),
    "magnet": (engine.problem("magnet"), False),
}
"""Problems, and whether they conserve the momentum about the vertical."""


@pytest.mark.parametrize("potential", first(POTENTIALS, 4))
def test_a_discrete_gradient_conserves_energy_and_momentum_in_any_potential(potential):
    problem, level = POTENTIALS[potential]
    run, plain = (
        engine.simulate(problem, m, dt=0.1, steps=150) for m in ("DISCRETE-GRADIENT", "SW-C1")
    )
    assert run.status == "done" and run.deviation("energy") <= 1e-12
    assert plain.deviation("energy") >= 1e-6
    assert (np.ptp(run.pi[:, 2]) <= 1e-12) == level


def test_a_held_torque_conserves_no_energy():
    run = engine.simulate("soft-wall", "DISCRETE-GRADIENT(substeps=3)", duration=5)
    assert run.method.conserves["energy"] == "free" and run.deviation("energy") > 1e-3


# --------------------------------------------------------------------------------- a symmetric top
# and a remainder


def turn_about_axis(axis, angle):
    """The rotation about a coordinate axis."""
    c, s = np.cos(angle), np.sin(angle)
    Q = np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    Q[i, i] = c
    Q[i, j] = -s
    Q[j, i] = s
    Q[j, j] = c
    return Q


def move_top_and_remainder(J, first, base, second, h, R, Π):
    """H = |Π|²/2J_b + ½ (1/J_a − 1/J_b) Π_a² + ½ (1/J_c − 1/J_b) Π_c², for half a step of a, c,
    half a step of a.
    """
    for axis, τ in ((first, h / 2), (second, h), (first, h / 2)):
        Q = turn_about_axis(axis, τ * (1 / J[axis] - 1 / J[base]) * Π[axis])
        R, Π = R @ Q, Q.T @ Π
    return turn_by(R @ Π * h / J[base]) @ R, Π


def turn_by(v):
    n = np.linalg.norm(v)
    return np.eye(3) + np.sin(n) / n * hat(v) + (1 - np.cos(n)) / n**2 * hat(v) @ hat(v)


def test_a_symmetric_top_and_a_remainder():
    """J⁻¹ = (1, 1/2, 1/2.8): the middle one is that of axis 2, and axis 1 differs from it by
    more.
    """
    h, R, Π = 0.05, np.eye(3), TOP.Pi0
    for _ in range(100):
        R, Π = move_top_and_remainder(J, 0, 1, 2, h, R, Π + h / 2 * R.T @ weight(0, R))
        Π = Π + h / 2 * R.T @ weight(0, R)
    compare("TOUMA-WISDOM", h, 100, R, Π)


# ------------------------------------------------------------------------------- nine turns with
# weights of the body


def third_order(J, turns):
    """The terms of third order of a palindrome of turns (axis, weight), from the middle outwards,
    by its BCH series.

    Each bracket of squares is a multiple of Π₁Π₂Π₃, each further one of Π₁²(Π₂² − Π₃²) and so on,
    whose sum vanishes.
    """
    sum_ = np.zeros(3)
    terms = np.zeros(3)
    for axis, weight in turns:
        x = np.eye(3)[axis] * weight / J[axis]
        bracket = np.cross(x, sum_).sum()
        terms -= bracket * (x / 24 + sum_ / 12)
        sum_ = sum_ + x
    np.testing.assert_allclose(sum_, 1 / J, rtol=1e-14)
    return terms - terms.mean()


def test_the_weights_of_every_body_are_positive_and_leave_no_third_order():
    for masses in [
        (1, 1, 1),
        (1, 1, 0),
        (1, 0, 0),
        *np.random.default_rng(5).dirichlet((1, 1, 1), 3000),
    ]:
        J = np.sort(1e-6 + np.sum(masses) - masses)  # any rigid body has such moments
        weights = weigh(J[0] / J[1], J[0] / J[2])
        assert min(weights) > 0
        left = third_order(J, [(0, weights[2]), (1, 1), (0, weights[1]), (2, 1), (0, weights[0])])
        assert np.abs(left).max() <= 1e-14 / J[0] ** 3
    assert np.abs(third_order(J, [(2, 1), (1, 1), (0, 1)])).max() > 1e-3  # that of MR2


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_turns_are_the_same_in_each_order_of_the_axes(order):
    S = np.eye(3)[list(order)]
    S *= linalg.det(S)
    run = engine.simulate(
        engine.Problem(J=J[list(order)], Omega0=S @ BODY.Omega0), "DEDICATED", dt=0.1, steps=50
    )
    weights = weigh(J[0] / J[1], J[0] / J[2])
    h = 0.1
    R = np.eye(3)
    Π = J * BODY.Omega0
    half = [(0, weights[0] / 2), (2, 0.5), (0, weights[1] / 2), (1, 0.5)]
    for _ in range(50):
        for axis, weight in (*half, (0, weights[2]), *half[::-1]):
            Q = Rotation.from_rotvec(weight * h * Π[axis] / J[axis] * np.eye(3)[axis]).as_matrix()
            R, Π = R @ Q, Q.T @ Π
    np.testing.assert_allclose(S.T @ run.R[-1] @ S, R, rtol=0, atol=1e-13)
    np.testing.assert_allclose(S.T @ run.Pi[-1], Π, rtol=0, atol=1e-13)


def largest_energy_error(J, Omega0, choice):
    """In 400 steps of 0.05 rad."""
    h, R, Π = 0.05 / np.linalg.norm(Omega0), np.eye(3), J * Omega0
    energies = []
    for _ in range(400):
        energies.append(Π @ (Π / J))
        R, Π = move_top_and_remainder(J, *choice, h, R, Π)
    return np.abs(np.array(energies) / energies[0] - 1).max()


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", FREE)
def test_the_choice_of_top_and_remainder_is_near_the_best(name):
    body = evidence_measures.body(name)
    J = np.diag(body.J)
    least, middle, greatest = np.argsort(J)
    each = {
        choice: largest_energy_error(J, body.Omega0, choice) for choice in permutations(range(3))
    }
    first, second = (least, greatest) if sum(1 / J) > 3 / J[middle] else (greatest, least)
    assert min(each.values()) >= 0.8 * each[first, middle, second]


# ---------------------------------------------------------------------------------------- Bazavov,
# with all slopes

LUSCHER = [1 / 4], [-17 / 36, 8 / 9], [17 / 36, -8 / 9, 3 / 4]
A = 0, -0.4178904745, -1.192151694643, -1.697784692471, -1.514183444257
B = 0.1496590219993, 0.3792103129999, 0.8229550293869, 0.6994504559488, 0.1530572479681
CARPENTER_KENNEDY = [[B[i] * np.prod(A[j + 1 : i + 1]) for j in range(i + 1)] for i in range(5)]


@pytest.mark.parametrize(
    "scheme, rows", [("luscher", LUSCHER), ("carpenter-kennedy", CARPENTER_KENNEDY)]
)
def test_low_storage_is_a_commutator_free_method(scheme, rows):
    """Each stage turns the one before by the exponential of a sum of all slopes; Lüscher's rows are
    as he prints.
    """
    h, R, π = 0.05, np.eye(3), TOP.Pi0
    for _ in range(10):
        Ω, t = [], []
        for row in rows:
            Ω.append(R.T @ π / J)
            t.append(weight(0, R))
            R, π = R @ linalg.expm(h * hat(np.dot(row, Ω))), π + h * np.dot(row, t)
    compare(f"LOW-STORAGE(tableau={scheme})", h, 10, R, R.T @ π)


# ---------------------------------------------------------------------- Wieloch and Arnold, as
# Hante's program solves


@pytest.mark.parametrize("steps", [1, 2, 6])
def test_backward_differentiation_solves_for_the_increment(steps):
    """For the increment D of the attitude, with α and γ, by SciPy's root; momentum follows from the
    velocity.
    """
    h, R = 0.05, np.eye(3)
    velocities = [TOP.Omega0]
    increments = []
    for n in range(steps):
        α = (1.5, -2.0, 0.5) if n else (1.0, -1.0)
        γ = np.cumsum(α)[:-1]

        def find_velocity(D, γ=γ):
            return γ @ [D, *increments[::-1]][: len(γ)]

        def residual(D, α=α, R=R, find_velocity=find_velocity):
            Ω = find_velocity(D)
            end = R @ linalg.expm(h * hat(D))
            rate = np.dot(α, [Ω, *velocities[::-1]][: len(α)]) / h
            return J * rate - np.cross(J * Ω, Ω) - end.T @ weight(0, end)

        D = optimize.root(residual, velocities[-1], tol=1e-14).x
        velocities.append(find_velocity(D))
        increments.append(D)
        R = R @ linalg.expm(h * hat(D))
    compare("BLIEDF", h, steps, R, J * velocities[-1], off=1e-11)
