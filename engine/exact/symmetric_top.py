"""The heavy symmetric top in closed form, without Euler's angles.

With the quaternion as two complex numbers, α of w and z and β of x and y (Klein's parameters of the
top, where |α|² + |β|² = 1), the height u = |α|² − |β|² of the axis is an elliptic function of time,
and α and β are themselves quotients of theta functions,

    α : β = c₊ exp(iμ₊t) ϑ₁(z + iη₊) : c₋ exp(iμ₋t) ϑ₂(z + iη₋),   z = z₀ + ωt,

which stay smooth when the axis passes through the upper pole (β = 0) or the lower one (α = 0). The
angular velocity is their Wronskian. See F. Klein & A. Sommerfeld, *Über die Theorie des Kreisels*
(1897–1910), ch. VI; for theta functions E. T. Whittaker & G. N. Watson, *A Course of Modern
Analysis* (1927), ch. XXI.

The constants have 160 digits, so that double roots lose nothing: regular precession, the sleeping
top, and the separatrix of tops that rise for ever, on which the motion depends on the last digits
of its data."""

from __future__ import annotations

from decimal import Decimal, localcontext
from math import pi, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..algebra import Mat3, quaternion_of
from ..parameters.validation import Array

Complex = NDArray[np.complex128]

ALIKE = 2e-15
"""Relative: two moments that differ by no more are equal but for the roundoff of the principal
axes.
"""
NEGLIGIBLE = 1e-30
"""An axis nearer to the vertical is upright, and one that moves more slowly, relative to the whole,
is at rest.
"""
LONGEST_QUARTER = 700.0
"""No quarter period, real or imaginary, is longer: its exponential would overflow, and it lasts for
ever anyway.
"""


def find_figure_axis(moments: ArrayLike, weight: ArrayLike) -> Array | None:
    """The unit vector to the centre of mass if the body is symmetric about it; else, or without
    weight, None.

    `weight` is w = Mgl χ in principal axes, where V = w·Γ.
    """
    w = np.asarray(weight, dtype=float)
    length = np.linalg.norm(w)
    if length == 0.0:
        return None
    χ: Array = w / length
    J = _turn_inertia(_make_axes(χ), moments)
    A = (J[0, 0] + J[1, 1]) / 2
    return χ if np.abs(J - np.diag([A, A, J[2, 2]])).max() <= ALIKE * J.max() else None


class SymmetricTop:
    """The motion of a symmetric body in gravity, with its centre of mass on the axis of symmetry.

    Parameters
    ----------
    moments : the principal moments of inertia.
    weight : w = Mgl χ in principal axes, as in V = w·Γ with Γ = Rᵀe3.
    R0, Omega0 : attitude, body to space, and angular velocity in the body, at t = 0.

    Attributes
    ----------
    heights : the least and the greatest cosine of the axis's angle from the vertical.
    regime : the kind of motion: "steady", in which the axis keeps its height; "separatrix", on which
        it rises to the vertical for ever; "pendulum" or "circling", in which it moves in a vertical
        plane, below the vertical or over it; or "nutation".
    nodding : the rate 2π/T of a motion whose height repeats after T; without meaning if the axis keeps
        its height or rises for ever.
    stays_upright : whether the spin holds an upright axis, so that a small push only makes it nod.
    """

    def __init__(
        self, moments: ArrayLike, weight: ArrayLike, R0: ArrayLike, Omega0: ArrayLike
    ) -> None:
        self.J = np.array(moments, dtype=float)
        w = np.array(weight, dtype=float)
        axis = find_figure_axis(self.J, w)
        if axis is None:
            raise ValueError(
                "a symmetric top has its centre of mass on its axis of symmetry, and not on the point"
            )
        self.axes = _make_axes(axis)
        A, B, C = np.diag(_turn_inertia(self.axes, self.J)).tolist()
        q = quaternion_of(Mat3(*(np.asarray(R0, dtype=float) @ self.axes).ravel()))
        q0 = np.array([q.w, q.x, q.y, q.z])
        q0[np.abs(q0) < NEGLIGIBLE] = 0.0
        Ω = self.axes.T @ np.asarray(Omega0, dtype=float)
        Ω[np.abs(Ω) < NEGLIGIBLE * (np.abs(Ω).max() + np.sqrt(np.linalg.norm(w) / A))] = 0.0
        self.spin = float(Ω[2])
        self.across = float(np.sqrt(Ω[0] ** 2 + Ω[1] ** 2 + 4 * np.linalg.norm(w) / A))
        """The largest rate across the axis: that of a top that falls from its start to the lowest
        place.
        """
        self._choose((A + B) / 2, C, float(np.linalg.norm(w)), q0, Ω)

    def _choose(self, A: float, C: float, w: float, q: Array, Ω: Array) -> None:
        """Compute the constants: x = 1 − u moves between x₁ and x₂ by ẋ² = g(x − x₁)(x₂ − x)(x −
        x₃).
        """
        x = _Depth(A, C, w, q, Ω)
        self.heights = x.y2 - 1.0, 1.0 - x.x1
        self.regime = x.regime
        self.stays_upright = x.b**2 >= 4 * w / A
        K, K_ = _carlson_integral(0.0, x.m_), _carlson_integral(0.0, x.m)
        self.ω = pi * x.ν / (2 * K)
        self.nodding = 2 * self.ω
        self.z0 = pi * x.v0 / (2 * K)
        self._theta = _Theta(K_ / K)
        η = pi / (2 * K) * min(x.y_upper, K_), pi / (2 * K) * min(x.y_lower, K_)
        self.η = -np.copysign(η[1], x.rise), -np.copysign(η[0], x.fall)  # of α and of β

        # Half way between the turning points neither α nor β vanishes; the constants follow from
        # size and rate there.
        k = sqrt(x.m_)
        depth = x.x1 + x.swing * k / (1 + k)
        height = x.y2 + x.swing / (1 + k)
        difference = self.spin - x.b
        rates = (
            0.5 * (difference + _divide(x.rise, height)),
            0.5 * (_divide(x.fall, depth) - difference),
        )
        half = self._theta.both(np.array([pi / 4]), self.η)
        self.μ = tuple(
            rate - self.ω * (dϑ[0] / ϑ[0]).imag for rate, (ϑ, dϑ) in zip(rates, half, strict=True)
        )
        self.c = [
            sqrt(size) / abs(ϑ[0]) for size, (ϑ, _) in zip((height, depth), half, strict=True)
        ]

        # The phases of c₊ and c₋ match the initial α and β, or where one vanishes, its velocity.
        α, β, dα, dβ = (value[0] for value in self._quaternion(np.zeros(1)))
        dα, dβ = (
            d - value * (α.conjugate() * dα + β.conjugate() * dβ).real
            for d, value in ((dα, α), (dβ, β))
        )
        α0, β0 = complex(q[0], q[3]), complex(q[1], q[2])
        Ω0 = complex(Ω[0], Ω[1])
        dα0 = 0.5 * (1j * self.spin * α0 - β0 * Ω0.conjugate())
        dβ0 = 0.5 * (α0 * Ω0 - 1j * self.spin * β0)
        for i, (start, rate, value, slope) in enumerate(((α0, dα0, α, dα), (β0, dβ0, β, dβ))):
            turn = start * value.conjugate() + rate * slope.conjugate() / x.ν**2
            self.c[i] *= turn / abs(turn) if turn else 1.0

    def at_with_uneven_moments(self, t: Array, difference: float) -> tuple[Array, Array, Array]:
        """The states with the largest change that a difference of the two equal moments can cause.

        A moment (A − B) Ω₁Ω₂ about the axis changes the spin at most in proportion to the time, and
        the angle in proportion to its square.
        """
        R, Ω, Π = self.at(t)
        gained = 0.5 * difference * self.across**2 * t[:, None]
        axis = self.axes[:, 2]
        angle = 0.5 * gained * t[:, None] / (axis @ (self.J * axis))
        R_ = R + angle[..., None] * np.cross(R, axis)
        return R_, Ω, Π + gained * axis + angle * np.cross(Π, axis)

    def at(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """R (n, 3, 3), Ω and Π (n, 3) in principal axes at the times t (n,)."""
        α, β, dα, dβ = self._quaternion(np.asarray(t, dtype=float))
        across = 2 * (α.conj() * dβ - dα.conj() * β)
        Ω = np.stack([across.real, across.imag, np.full(len(α), self.spin)], axis=-1) @ self.axes.T
        R = np.empty((len(α), 3, 3))
        αα = α * α
        ββ = β * β
        tilt = -2j * α * β
        lean = -2j * α * β.conj()
        R[:, 0, 0] = (αα + ββ).real
        R[:, 1, 0] = (αα + ββ).imag
        R[:, 0, 1] = (ββ - αα).imag
        R[:, 1, 1] = (αα - ββ).real
        R[:, 0, 2] = tilt.real
        R[:, 1, 2] = tilt.imag
        R[:, 2, 0] = lean.real
        R[:, 2, 1] = -lean.imag
        R[:, 2, 2] = (α * α.conj() - β * β.conj()).real
        return R @ self.axes.T, Ω, Ω * self.J

    def _quaternion(self, t: Array) -> tuple[Complex, Complex, Complex, Complex]:
        """α and β of unit length, and their rates of change up to a common real multiple of α and
        β.
        """
        pair = []
        for c, μ, (ϑ, dϑ) in zip(
            self.c, self.μ, self._theta.both(self.z0 + self.ω * t, self.η), strict=True
        ):
            turned = c * np.exp(1j * μ * t)
            pair.append((turned * ϑ, turned * (1j * μ * ϑ + self.ω * dϑ)))
        (α, dα), (β, dβ) = pair
        length = np.sqrt(α.real**2 + α.imag**2 + β.real**2 + β.imag**2)
        return α / length, β / length, dα / length, dβ / length


class _Depth:
    """The motion of x = 1 − u and its constants, from a cubic solved with many digits.

    `fall` and `rise` are (π₃ − Π₃)/A and (π₃ + Π₃)/A, which vanish for a top that passes through
    the upper or the lower pole; y = 2 − x; `m` and `m_` = 1 − m the parameter; v = v₀ + νt the
    argument, 0 where the top is lowest; `y_upper` and `y_lower` are the distances of the poles from
    the real axis, in v.
    """

    def __init__(self, A: float, C: float, w: float, q: Array, Ω: Array) -> None:
        with localcontext() as context:
            context.prec = 160
            self._solve(
                Decimal(A),
                Decimal(C),
                Decimal(w),
                list(map(Decimal, q.tolist())),
                list(map(Decimal, Ω.tolist())),
            )

    def _solve(
        self, A: Decimal, C: Decimal, w: Decimal, q: list[Decimal], Ω: list[Decimal]
    ) -> None:
        zero = Decimal(0)
        qw, qx, qy, qz = q
        N = (qw * qw + qz * qz + qx * qx + qy * qy) / 2
        x0, y0 = (qx * qx + qy * qy) / N, (qw * qw + qz * qz) / N
        Γ1, Γ2 = (qz * qx - qw * qy) / N, (qw * qx + qz * qy) / N
        along = Γ1 * Ω[0] + Γ2 * Ω[1]
        dx0 = Γ2 * Ω[0] - Γ1 * Ω[1]
        b, g = C * Ω[2] / A, 2 * w / A
        fall = along - b * x0
        rise = along + b * y0

        # ẋ² = f(x) = −g x³ + c₂ x² + c₁ x − fall²
        e = Ω[0] * Ω[0] + Ω[1] * Ω[1] - g * x0
        c2, c1 = 2 * g - e - b * b, 2 * (e - fall * b)
        x1 = x2 = x0
        S = s = Decimal(1)  # g(x₂ − x₃) and g(x₁ − x₃)
        if dx0 != 0 or (2 * c2 - 3 * g * x0) * x0 + c1 != 0:
            x2 = max(x0, _find_largest_root(g, c2, c1, -fall * fall))
            p, k = g * x2 - c2, fall * fall / x2  # f(x) = (x₂ − x)(g x² + p x − k)
            s = (p * p + 4 * g * k).sqrt()
            x1 = min(x0, 2 * k / (p + s) if p >= 0 else (s - p) / (2 * g))
            S = g * (x2 - x1) + s
        swing = x2 - x1
        y1 = 2 - x1
        y2 = max(zero, 2 - x2)
        if swing == 0:
            self.regime = "steady"
        elif s == 0:
            self.regime = "separatrix"
        elif fall == rise == 0:
            self.regime = "pendulum" if x1 > 0 else "circling"
        else:
            self.regime = "nutation"
        upper, lower = x2 * s, y1
        self.b = float(b)
        self.fall = float(fall)
        self.rise = float(rise)
        self.x1 = float(x1)
        self.y2 = float(y2)
        self.swing = float(swing)
        self.m = float(g * swing / S)
        self.m_ = max(float(s / S), 1e-300)
        self.ν = float(S.sqrt()) / 2
        self.y_upper = self.y_lower = 0.0
        if upper > 0:
            self.y_upper = _find_argument(x1 * S / upper, (s - g * x1) * swing / upper, swing / x2)
        if lower > 0:
            self.y_lower = _find_argument(
                y2 / lower, swing / lower, (swing + g * swing / S * y2) / lower
            )
        v0 = (
            _find_argument((x2 - x0) / swing, (x0 - x1) / swing, (g * (x0 - x1) + s) / S)
            if swing
            else 0.0
        )
        self.v0 = -v0 if dx0 > 0 else v0


def _find_largest_root(g: Decimal, c2: Decimal, c1: Decimal, c0: Decimal) -> Decimal:
    """The largest root of −g x³ + c₂ x² + c₁ x + c₀, whose roots are real and at most 2, by Newton
    from the right.
    """
    x = Decimal(2)
    for _ in range(600):  # towards a double root each step halves the distance
        slope = (2 * c2 - 3 * g * x) * x + c1
        step = (((c2 - g * x) * x + c1) * x + c0) / slope if slope else Decimal(0)
        x -= step
        if abs(step) < Decimal("1e-75"):
            break
    return x


def _carlson_integral(x: float, y: float) -> float:
    """Carlson's R_F(x, y, 1), at most the longest quarter period."""
    from scipy.special import elliprf

    return min(float(elliprf(x, y, 1.0)), LONGEST_QUARTER)


def _find_argument(sn2: Decimal, cn2: Decimal, dn2: Decimal) -> float:
    """The argument from 0 to K with these squares of sn, cn and dn."""
    return sqrt(sn2) * _carlson_integral(max(0.0, float(cn2)), float(dn2))


def _divide(a: float, b: float) -> float:
    """a/b, and 0 if b is 0, where nothing turns."""
    return a / b if b else 0.0


def _make_axes(χ: Array) -> Array:
    """A rotation whose third column is χ; exact along an axis."""
    if χ[2] < -0.5:
        return _make_axes(-χ) @ np.diag([1.0, -1.0, -1.0])
    v = np.array([-χ[1], χ[0], 0.0])
    hat = np.array([[0.0, 0.0, v[1]], [0.0, 0.0, -v[0]], [-v[1], v[0], 0.0]])
    return np.eye(3) + hat + hat @ hat / (1 + χ[2])


def _turn_inertia(axes: Array, moments: ArrayLike) -> Array:
    """The inertia of these principal moments in other axes."""
    return axes.T @ np.diag(np.asarray(moments, dtype=float)) @ axes


class _Theta:
    """ϑ₁ and ϑ₂ at z + iη of the nome exp(−πκ), with derivatives by z, all times one real function
    of z.

    Eight terms are enough: for κ ≥ 1 of the series in the nome, and for κ < 1 of its imaginary
    transform by Jacobi, a sum of bell curves. The real function keeps the sizes in range.
    """

    def __init__(self, κ: float) -> None:
        self.κ = κ

    def both(
        self, z: Array, η: tuple[float, float]
    ) -> tuple[tuple[Complex, Complex], tuple[Complex, Complex]]:
        """ϑ₁(z + iη₁) and ϑ₂(z + iη₂), each with its derivative; a half turn in z changes the sign
        of both.
        """
        z = z - pi * np.rint(z / pi)
        series = self._waves if self.κ >= 1 else self._bells
        return series(z, pi / 2, η[0]), series(z, 0.0, η[1])

    def _waves(self, z: Array, centre: float, η: float) -> tuple[Complex, Complex]:
        """Σ q^n(n+1) exp((2n + 1) i(z − centre + iη))"""
        E = np.exp(1j * (z - centre))
        EE = E * E
        wave = E.conj() ** 7
        ϑ, dϑ = np.zeros_like(E), np.zeros_like(E)
        for n in range(-4, 4):
            term = np.exp(-pi * self.κ * n * (n + 1) - (2 * n + 1) * η - abs(η)) * wave
            ϑ += term
            dϑ += 1j * (2 * n + 1) * term
            wave = wave * EE
        return ϑ, dϑ

    def _bells(self, z: Array, centre: float, η: float) -> tuple[Complex, Complex]:
        """Σ (−1)ⁿ exp(−(z − centre + iη − nπ)²/πκ)"""
        highest = (pi / 2 - np.abs(z)) ** 2
        ϑ, dϑ = np.zeros(len(z), dtype=complex), np.zeros(len(z), dtype=complex)
        for n in range(-4, 4):
            from_top = z - centre - n * pi
            bell = (-1) ** n * np.exp((highest - from_top**2) / (pi * self.κ))
            phase = np.exp(2j * η * n / self.κ)
            ϑ += phase * bell
            dϑ += phase * (from_top * bell)
        turn = np.exp(-2j * η * (z - centre) / (pi * self.κ))
        return turn * ϑ, (-2 / (pi * self.κ)) * turn * (dϑ + 1j * η * ϑ)
