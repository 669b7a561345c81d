"""ALPHA-QUAT: the generalized-α method for the quaternion as four coordinates of unit length, which is
Exudyn's rule as it comes.

Exudyn has Euler parameters with a constraint at the end of the step and its multiplier
(CObjectRigidBody.cpp, CNodeRigidBodyEP.cpp, CSolverImplicitSecondOrder.cpp). Here the unknown is
the mean velocity of the turn, so that the constraint holds by itself, and the multiplier drops out
of the three equations along the unit sphere. The rates of the quaternion leave its tangent a
little, as there. Exudyn ends Newton's iterations at a relative tolerance of 10⁻⁸, this file at
roundoff.
"""

from __future__ import annotations

from ..algebra import (
    Mat3,
    Quat,
    Vec3,
    dexp_matrix,
    dot,
    exp_coefficients,
    hat,
    rotation_of,
)
from ..parameters.parameter import Number, Parameter
from ..text import FREE, RANDOM, bibtex, declares, falls, loses, times, typically
from .core import ON_THE_GROUP, Body, angular_acceleration, method, newton, one_minus_spin
from .runge_kutta_entries import start_with_quaternion

ONE = Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


def start(
    body: Body, t: float, h: float, R: Mat3, Ω: Vec3, radius: float
) -> tuple[Quat, Vec3, Quat, Quat, Quat]:
    """The first state; the second rate of the quaternion follows from Euler's equations."""
    q, _ = start_with_quaternion(body, t, h, R, Ω)
    dq = 0.5 * (q @ Ω)
    ddq = 0.5 * (q @ angular_acceleration(body, body.torque(t, R), Ω)) + 0.5 * (dq @ Ω)
    return q, Ω, dq, ddq, ddq


def see_from_body(q: Quat, p: Quat) -> Quat:
    """q̄ ⊗ p."""
    return Quat(q.w, -q.x, -q.y, -q.z) @ p


def double(q: Quat) -> Vec3:
    """Twice the vector of a quaternion."""
    return Vec3(2.0 * q.x, 2.0 * q.y, 2.0 * q.z)


def find_weights(radius: float) -> tuple[float, float, float, float]:
    """α_m, α_f, β and γ."""
    αm = (2.0 * radius - 1.0) / (radius + 1.0)
    αf = radius / (radius + 1.0)
    γ = 0.5 + αf - αm
    return αm, αf, 0.25 * (γ + 0.5) * (γ + 0.5), γ


def turn_quaternion(h: float, q: Quat, x: Vec3) -> tuple[Quat, Quat]:
    """q ⊗ exp(hx), and its change from q over h."""
    v = h / 2 * x
    c1, c2 = exp_coefficients(dot(v, v))
    change = q @ Quat(-0.5 * c2 * dot(v, x), 0.5 * c1 * x.x, 0.5 * c1 * x.y, 0.5 * c1 * x.z)
    return q + h * change, change


@method(
    key="ALPHA-QUAT",
    name="Generalized α on the quaternion",
    short="Quaternion generalized α",
    variants={"exudyn-alpha": {}},
    family="Newmark",
    reference=bibtex("ChungHulbert1993", "Exudyn2025"),
    options=(
        Parameter(
            "radius",
            Number(0.0, 1.0),
            "spectral radius at large steps, by which the step damps what turns fast",
            0.9,
            label="Spectral radius",
            brief="spectral radius {value}",
        ),
    ),
    start=start,
    order=(2, 2),
    implicit=True,
    self_starting=False,
    conserves=ON_THE_GROUP,
    has_history="rates and an acceleration of its own quaternion",
    of_one_step=True,
    evidence=(
        declares(order=(2, 2)),
        falls(FREE),
        loses("pi", "pi_norm", "casimir"),
        falls(FREE),
        typically("attitude", "GEN-ALPHA", 4),
        times("energy", "ALPHA-QUAT", RANDOM, 1e5, of="ALPHA-QUAT(radius=1)", steps=800),
    ),
)
def step(
    body: Body, t: float, h: float, q: Quat, Ω: Vec3, dq: Quat, ddq: Quat, a: Quat, radius: float
) -> tuple[Quat, Vec3, Quat, Quat, Quat]:
    r"""Newmark's method for the four numbers of the quaternion, with a force along it for its length:
    [second order]. A free body's energy [falls], and momentum [is not conserved].

    .. math::
        q_{n+1} = q_n + h\,\dot q_n + h^2\left[(\tfrac12 - \beta) a_n + \beta a_{n+1}\right], \quad
        \dot q_{n+1} = \dot q_n + h\left[(1 - \gamma) a_n + \gamma a_{n+1}\right], \quad |q_{n+1}| = 1 \\
        (1 - \alpha_m) a_{n+1} + \alpha_m a_n = (1 - \alpha_f) \ddot q_{n+1} + \alpha_f \ddot q_n, \quad
        2 J\, \bar q \otimes \ddot q = J\Omega \times \Omega + T, \quad \Omega = 2 \bar q \otimes \dot q

    - The acceleration of the quaternion lags behind that of Euler's equations. This damps what turns
      fast in a step, and a free body's energy [falls].
    - The rates that lag are those of the quaternion and not those of the body. In steps of 0.05 rad
      its attitude error is [{} times] that of GEN-ALPHA (median of random bodies).
    - The length is one at the end of each step, but the rate of the quaternion leaves the sphere.
      Damping brings it back. With radius one, the energy error after 800 steps of 0.05 rad is
      [over a hundred thousand times] as large.
    """
    # The unknown x is the mean velocity of the turn.
    αm, αf, β, _ = find_weights(radius)
    x = newton(body, h, end_balance, Ω, t, q, dq, ddq, a, radius)
    q1, dq1, gain, force = find_end(h, x, q, dq, ddq, a, radius)
    ddq1 = ((1.0 - αm) / ((1.0 - αf) * h * β)) * force
    return q1, double(see_from_body(q1, dq1)), dq1, ddq1, (1.0 / (h * β)) * gain


def find_end(
    h: float, x: Vec3, q: Quat, dq: Quat, ddq: Quat, a: Quat, radius: float
) -> tuple[Quat, Quat, Quat, Quat]:
    """q₁ and its rate, hβ a₁, and hβk q̈₁ with k = (1 − α_f)/(1 − α_m)."""
    αm, αf, β, γ = find_weights(radius)
    q1, change = turn_quaternion(h, q, x)
    gain = change - dq - (h * (0.5 - β)) * a
    dq1 = dq + (h * (1.0 - γ)) * a + (γ / β) * gain
    return q1, dq1, gain, gain + (h * β / (1.0 - αm)) * (αm * a - αf * ddq)


def end_balance(
    body: Body, h: float, x: Vec3, t: float, q: Quat, dq: Quat, ddq: Quat, a: Quat, radius: float
) -> tuple[Vec3, Mat3]:
    """hβk (2 q̄₁ ⊗ q̈₁ − J⁻¹ (JΩ₁ × Ω₁ + T₁)), and its derivative by x: q̄₁ turns back as q₁ turns."""
    αm, αf, β, γ = find_weights(radius)
    k = h * β * (1.0 - αf) / (1.0 - αm)
    q1, dq1, _, force = find_end(h, x, q, dq, ddq, a, radius)
    R1 = rotation_of(q1)
    rate = see_from_body(q1, dq1)
    Ω1 = double(rate)
    pushed = see_from_body(q1, force)
    E = dexp_matrix(-h * x)
    by_turn = (1.0 - h * pushed.w) * ONE + (h / 2) * hat(double(pushed))
    velocity = (γ / β - h * rate.w) * ONE + (h / 2) * hat(Ω1)
    gyroscopic = one_minus_spin(body.ratios, k, Ω1) @ velocity - velocity
    D = body.torque_tangent(t + h, R1, E)
    residual = double(pushed) - k * angular_acceleration(body, body.torque(t + h, R1), Ω1)
    return residual, (by_turn + gyroscopic) @ E - (h * k * body.Jinv) @ D
