"""INAV, ARDUPILOT-DCM and GTSAM: updates of flight and estimation software that are no variant of
another method.

`betaflight`, `madgwick`, `mahony` and `fusion` are variants of EULER, `px4` and `ardupilot` of CONING,
`gtsam-manifold` and two of OpenVINS's choices of EXP; `openvins` is in `runge_kutta.py`. Each rule is
written anew from its formula, without corrections by other sensors.

INAV: commit 008a6372, `imuMahonyAHRSupdate` in src/main/flight/imu.c, after "Integrate rate of change
of quaternion". ARDUPILOT-DCM: commit 06f834d1, libraries/AP_Math/matrix3.cpp, lines 114 to 138, with
the angle of `ardupilot`. GTSAM: commit 0ffe6c93, gtsam/navigation/TangentPreintegration.cpp, lines 64 to
76, its default.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...algebra import Mat3, Quat, Vec3, cross, dexpinv, dot, hat, norm, sincos, times_exp
from ...text import bibtex, declares, keeps, loses, measures
from ...text.evidence import TURNTABLES
from ..core import Gyro, method
from .coning import CORRECTIONS, make_sum, offer_numbers
from .turns import ROTATION, find_meaning, normalise_to_first_order

SMALL_SQUARE = 24e-6**0.5
"""INAV takes the series up to this square of half the angle, whose cosine then is within 10⁻⁶."""


@method(
    key="INAV",
    name="INAV's update",
    short="INAV",
    family="Flight software",
    reference=bibtex("INAV2026"),
    rates_at=(1.0,),
    order=(1,),
    torque_evaluations=1,
    conserves=ROTATION,
    evidence=(
        declares(order=(1,)),
        (
            keeps(orthogonality="always"),
            measures("length error", TURNTABLES, 0.0, 1e-11, dt=0.043),
        ),
    ),
)
def inav(gyro: Gyro, t: float, h: float, q: Quat) -> tuple[Quat]:
    r"""The quaternion of the latest rate by short series of sine and cosine, normalised to first order:
    of order [one].

    .. math::
        v = \tfrac h2 \omega(t_{n+1}), \quad
        p = q_n \otimes \left(1 - \tfrac12 |v|^2,\; (1 - \tfrac16 |v|^2)\, v\right), \quad
        q_{n+1} = \tfrac12 (3 - |p|^2)\, p

    - Up to a turn of 0.14 rad it takes two terms of each series, beyond sine and cosine. The program has
      polynomials there, and in single precision the difference does not show.
    - It holds the latest sample over the interval that ends with it, which makes the first order.
    - The series err in the length by the fourth power of the turn. The normalisation, a step of
      Newton's method without a root, [leaves an error below 10⁻¹¹].
    """
    v = h / 2 * gyro.rate(t + h)
    square = dot(v, v)
    scalar, scale = 1.0 - 0.5 * square, 1.0 - square / 6.0
    if square >= SMALL_SQUARE:
        length = norm(v)
        sine, scalar = sincos(length)
        scale = sine / length
    return (normalise_to_first_order(q @ Quat(scalar, scale * v.x, scale * v.y, scale * v.z)),)


SAMPLES = 4
find_angle = make_sum(1, 1, SAMPLES, CORRECTIONS["coning"](1, 1), "together")


def start_with_matrix(gyro: Gyro, t: float, h: float, R: Mat3, *options: Any) -> tuple[Mat3, Vec3]:
    """The first state; there is no increment before the first."""
    return R, Vec3(0.0, 0.0, 0.0)


@method(
    key="ARDUPILOT-DCM",
    name="ArduPilot's direction cosine matrix",
    short="ArduPilot DCM",
    family="Flight software",
    reference=bibtex("ArduPilot2026", "PremerlaniBizard2009"),
    start=start_with_matrix,
    increments=SAMPLES,
    order=(1,),
    torque_evaluations=SAMPLES,
    has_history="the increment before",
    of_one_step=True,
    evidence=(loses("orthogonality"), declares(order=(1,))),
)
def ardupilot_dcm(gyro: Gyro, t: float, h: float, R: Mat3, θ: Vec3) -> tuple[Mat3, Vec3]:
    r"""A linear step of the matrix by the angle of four samples, and Premerlani and Bizard's
    normalisation of its rows.

    .. math::
        M = R_n (1 + \hat\phi), \quad e = m_1 \cdot m_2, \quad
        a = m_1 - \tfrac e2 m_2, \quad b = m_2 - \tfrac e2 m_1, \quad c = a \times b \\
        R_{n+1} = (a / |a|,\; b / |b|,\; c / |c|)

    - The angle φ is ArduPilot's, with its coning correction.
    - The rows are unit vectors. Their angles are close to right ones, and [not conserved to roundoff].
    - The linear step stretches the body by amounts of the second power of the angle. The normalisation
      shares the error between the first two rows, and the third row follows from them. This turns
      the body by the stretch of the third axis, and the order is [one], whatever the correction is.
    """
    φ, θ = find_angle(gyro, t, h, θ)
    M = R + R @ hat(φ)
    first, second = Vec3(M.xx, M.xy, M.xz), Vec3(M.yx, M.yy, M.yz)
    half = 0.5 * dot(first, second)
    a, b = first - half * second, second - half * first
    c = cross(a, b)
    a, b, c = a / norm(a), b / norm(b), c / norm(c)
    return Mat3(a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z), θ


GTSAM_SAMPLES = offer_numbers(
    "samples",
    "the number of samples that one preintegration takes",
    "Samples in an update",
    (1, 2, 4, 8),
    4,
    "{value} samples",
)


def make_gtsam(samples: int) -> Any:
    """The step with a number of samples."""

    def step(gyro: Gyro, t: float, h: float, R: Mat3) -> tuple[Mat3]:
        r"""Euler's method for Bortz's rotation vector over the samples between two keyframes: of order
        [one].

        .. math::
            \psi_0 = 0, \quad \psi_{i+1} = \psi_i + \tau\, \mathrm{dexp}^{-1}_{-\psi_i}\, \omega_{i+1}, \quad
            \tau = h/m, \quad R_{n+1} = R_n \exp \psi_m

        - It sums samples in the tangent space of the last keyframe. The inverse of dexp corrects each
          for the rotation since then.
        - A sample is held over its interval, as in EXP. A single sample makes both the same.
        - One exponential leads back to the group, so R [stays a rotation].
        """
        part = h / samples
        ψ = part * gyro.rate(t + part)
        for i in range(1, samples):
            ψ = ψ + dexpinv(-ψ, part * gyro.rate(t + (i + 1) * part))
        return (times_exp(R, ψ),)

    return step


def promise_gtsam(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The step, and the places of the samples."""
    samples = find_meaning(chosen, GTSAM_SAMPLES)
    return {
        "step": make_gtsam(samples),
        "rates_at": tuple((i + 1) / samples for i in range(samples)),
        "torque_evaluations": samples,
    }


DEFAULTS = promise_gtsam({})
GTSAM = method(
    key="GTSAM",
    name="GTSAM's preintegration in the tangent space",
    short="GTSAM",
    aliases=("gtsam-tangent",),
    family="Flight software",
    reference=bibtex("Forster2017", "GTSAM2024"),
    options=(GTSAM_SAMPLES,),
    order=(1,),
    conserves=ROTATION,
    **{name: value for name, value in DEFAULTS.items() if name != "step"},
    given_options=promise_gtsam,
    evidence=(declares(order=(1,)), keeps(orthogonality="always")),
)(DEFAULTS["step"])
