"""Jacobi's elliptic functions, and with them an integral of the third kind, to roundoff for every modulus.

Written in theta functions (Whittaker & Watson, *A Course of Modern Analysis*, ch. XXI–XXII): of the nome
q = exp(−πK'/K) up to m = ½, and beyond, by Jacobi's imaginary transformation, of the complementary one
exp(−πK/K'). So the nome is e^−π at most and four terms are enough; on the separatrix, m = 1, it is zero and
hyperbolic functions are left. Nothing is computed as 1 − m: the caller knows the complement.
"""

from __future__ import annotations

from math import exp, pi, sin, tanh
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ellipkm1, elliprf

from ..checks import Array

NEVER = 1e300
"""In place of an infinite quarter period; a finite one is below 1e3 for every 1 − m that is a number."""


class Elliptic:
    """sn, cn and dn of the parameter m = νμ, and the integral of the third kind

        Π(u) = √(ν(ν + m)/(1 + ν)) ∫₀ᵘ cn²/(1 + ν sn²) du

    ν ≥ 0 and μ > 0; `complement` is 1 − m. `K` is the quarter period, infinite if m = 1.
    """  # fmt: skip

    def __init__(self, ν: float, μ: float, complement: float) -> None:
        m = ν * μ
        self.K = float(ellipkm1(complement))
        # The integrand has its poles, sn² = −1/ν, at u = ±iη; η' = K' − η (Carlson's integrals).
        η, η_ = float(elliprf(ν, ν + m, 1 + ν)), float(elliprf(μ, μ * (1 + ν), 1 + μ))
        branch = _Circular if m <= 0.5 else _Hyperbolic
        self._within: _Circular | _Hyperbolic = branch(min(self.K, NEVER), float(ellipkm1(m)), η, η_)

    @staticmethod
    def argument(sn: float, cn: float, dn: float) -> float:
        """u between −K and K, where cn ≥ 0; as accurate as what is given, also where that is small."""
        return sn * float(elliprf(cn**2, dn**2, 1.0))

    def at(self, u: Array) -> tuple[Array, Array, Array, Array]:
        """sn, cn, dn and Π for arguments (n,)."""
        halves = np.rint(u / (2 * self._within.K))
        sn, cn, dn, third = self._within.at(u - halves * (2 * self._within.K))
        sign = 1.0 - 2.0 * (halves % 2)
        return sign * sn, sign * cn, dn, third + halves * (2 * self._within.complete)


# Both branches write Π(u) = Λ(u) − Λ'(K) u, where Λ is the angle by which θ1(π(u + iη)/2K) has turned since u = 0:
# its derivative has the integrand's poles and residues, and the integrand vanishes at u = K.


class _Circular:
    """For m ≤ ½ and |u| ≤ K: series in the nome exp(−πK'/K)."""

    def __init__(self, K: float, K_: float, η: float, η_: float) -> None:
        self.K = K
        self.scale = pi / (2 * K)
        self.q = exp(-2 * self.scale * K_)
        self.theta = θ1, θ2, θ3, θ4 = _thetas(self.q)
        zero = (1.0, self.q)
        self.sn, self.cn, self.dn = θ4(-1, -self.q) / θ1(-1, -self.q), θ4(*zero) / θ2(*zero), θ4(*zero) / θ3(*zero)
        self.tanh = tanh(self.scale * η)
        self.e, self.p = exp(-2 * self.scale * η), exp(-2 * self.scale * η_)
        self.slope = self.scale * (self.tanh - (θ1.derivative(-self.e, -self.p) / θ1(-self.e, -self.p)).imag)
        self.complete = pi / 2 - self.slope * K

    def at(self, u: Array) -> tuple[Array, Array, Array, Array]:
        """sn, cn, dn and Π."""
        s, c = np.sin(self.scale * u), np.cos(self.scale * u)
        E = (c + 1j * s) ** 2
        θ1, θ2, θ3, θ4 = (θ(E, self.q * E.conj()).real for θ in self.theta)
        Λ = np.arctan2(s, self.tanh * c) - np.angle(self.theta.θ1(self.e * E, self.p * E.conj()))
        return self.sn * s * θ1 / θ4, self.cn * c * θ2 / θ4, self.dn * θ3 / θ4, Λ - self.slope * u


class _Hyperbolic:
    """For m > ½ and |u| ≤ K: series in the complementary nome exp(−πK/K')."""

    def __init__(self, K: float, K_: float, η: float, η_: float) -> None:
        self.K = K
        self.scale = pi / (2 * K_)
        self.q = exp(-2 * self.scale * K)
        self.theta = _thetas(self.q)
        _, θ2, θ3, θ4 = (θ(1, self.q) for θ in self.theta)
        self.sn, self.cn, self.dn = θ3 / θ4, θ2 / θ4, θ2 / θ3
        self.sin, self.cos = sin(self.scale * η), sin(self.scale * η_)
        self.turn = complex(self.cos, self.sin) ** 2
        at_K = self.turn, self.q / self.turn
        self.slope = self.scale * (self.theta.θ4.derivative(*at_K) / self.theta.θ4(*at_K)).real
        self.complete = self.scale * η_ - self.slope * K

    def at(self, u: Array) -> tuple[Array, Array, Array, Array]:
        """sn, cn, dn and Π."""
        sign, v = np.sign(u), np.abs(u)
        root = np.exp(-self.scale * v)
        E, P = root**2, np.exp(np.minimum(2 * self.scale * (v - self.K), 0.0))
        tanh, sech = -np.expm1(-2 * self.scale * v) / (1 + E), 2 * root / (1 + E)
        θ1, θ2, θ3, θ4 = (θ(E, P) for θ in self.theta)
        Λ = np.arctan2(self.cos * tanh, self.sin) - np.angle(self.theta.θ1(E / self.turn, P * self.turn))
        sn, cn, dn = self.sn * tanh * θ1 / θ2, self.cn * sech * θ4 / θ2, self.dn * sech * θ3 / θ2
        return sign * sn, cn, dn, sign * Λ - self.slope * u


class _Series:
    """An even theta series Σ cₖ q^eₖ e^2ikw over |k| ≤ 3, from E = e^2iw and P = q e^−2iw.

    Neither of these exceeds 1 in size, so nothing overflows however far w is from the real axis.
    """

    def __init__(self, q: float, coefficients: NDArray[Any], exponents: NDArray[Any]) -> None:
        k = np.arange(4)
        self.of_E = [float(c) for c in coefficients * q**exponents]
        self.of_P = [float(c) for c in coefficients * q ** (exponents - k)]

    def __call__(self, E: Any, P: Any) -> Any:
        a0, a1, a2, a3 = self.of_E
        _, b1, b2, b3 = self.of_P
        return a0 + E * (a1 + E * (a2 + E * a3)) + P * (b1 + P * (b2 + P * b3))

    def derivative(self, E: complex, P: complex) -> complex:
        """By w."""
        terms = zip(self.of_E, self.of_P, strict=True)
        return sum((2j * k * (a * E**k - b * P**k) for k, (a, b) in enumerate(terms)), 0j)


class _Thetas(NamedTuple):
    """θ1(w)/sin w, θ2(w)/cos w, θ3 and θ4, the first two without their factor 2q^¼."""

    θ1: _Series
    θ2: _Series
    θ3: _Series
    θ4: _Series


def _thetas(q: float) -> _Thetas:
    k = np.arange(4)
    sign = (-1.0) ** k
    # sin (2n + 1)w / sin w is Σ e^2ikw over |k| ≤ n; so of e^2ikw there is Σ (−1)ⁿ q^n(n+1) over n ≥ k.
    rest = np.array([1 - q ** (2 * i + 2) * (1 - q ** (2 * i + 4) * (1 - q ** (2 * i + 6))) for i in k])
    return _Thetas(
        _Series(q, sign * rest, k * (k + 1)),
        _Series(q, rest, k * (k + 1)),
        _Series(q, np.ones(4), k * k),
        _Series(q, sign, k * k),
    )
