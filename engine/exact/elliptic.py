"""Jacobi's elliptic functions, and with them an integral of the third kind, to roundoff for every modulus.

Written in theta functions (Whittaker & Watson, *A Course of Modern Analysis*, ch. XXI–XXII): of the nome
q = exp(−πK'/K) up to m = ½, and beyond, by Jacobi's imaginary transformation, of the complementary one
exp(−πK/K'). So the nome is at most e^−π and four terms are enough; on the separatrix, m = 1, it is zero and
hyperbolic functions remain. Nothing is computed as 1 − m: the caller gives the complement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import pi
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ellipkm1, elliprf

from ..parameters.validation import Array

Indices = NDArray[np.intp]
Which = Indices | slice
"""The numbers of functions or motions; `ALL` where there is only one."""
ALL = slice(None)
NEVER = 1e300
"""In place of an infinite quarter period; a finite one is below 1e3 for every 1 − m that is a number."""


class Sorted:
    """Objects of several kinds, of which each kind is one array object.

    `kinds` are pairs: which objects are of the kind, and a function that makes them.
    """

    def __init__(
        self, kinds: Sequence[tuple[NDArray[np.bool_], Callable[[NDArray[np.bool_]], Any]]]
    ) -> None:
        self.parts: list[Any] = []
        self._kind, self._place = np.empty((2, len(kinds[0][0])), np.intp)
        for which, make in kinds:
            if which.any():
                self._kind[which], self._place[which] = len(self.parts), np.arange(which.sum())
                self.parts.append(make(which))

    def of(self, which: Which) -> Iterator[tuple[Any, Which, Which]]:
        """The kinds among these objects, each with their indices in `which` and in the kind."""
        if isinstance(which, slice):
            yield self.parts[0], ALL, ALL
            return
        for number, part in enumerate(self.parts):
            at = np.flatnonzero(self._kind[which] == number)
            if len(at):
                yield part, at, self._place[which[at]]


class Elliptic:
    """sn, cn and dn of the parameter m = νμ, and the integral of the third kind

        Π(u) = √(ν(ν + m)/(1 + ν)) ∫₀ᵘ cn²/(1 + ν sn²) du

    ν ≥ 0 and μ > 0; `complement` is 1 − m. `K` is the quarter period, infinite if m = 1. All are numbers, or (k,) for
    k functions.
    """  # fmt: skip

    def __init__(self, ν: ArrayLike, μ: ArrayLike, complement: ArrayLike) -> None:
        ν, μ, complement = np.atleast_1d(ν, μ, complement)
        m = ν * μ
        self.K: Array = ellipkm1(complement)
        # The integrand has its poles, sn² = −1/ν, at u = ±iη; η' = K' − η (Carlson's integrals).
        η, η_ = elliprf(ν, ν + m, 1 + ν), elliprf(μ, μ * (1 + ν), 1 + μ)
        self._quarter = np.minimum(self.K, NEVER)
        of_each = self._quarter, ellipkm1(m), η, η_
        self._branches = Sorted(
            [
                (m <= 0.5, lambda which: _Circular(*(number[which] for number in of_each))),
                (m > 0.5, lambda which: _Hyperbolic(*(number[which] for number in of_each))),
            ]
        )

    @staticmethod
    def argument(sn: ArrayLike, cn: ArrayLike, dn: ArrayLike) -> Array:
        """u between −K and K, where cn ≥ 0; as accurate as the arguments, also where they are small."""
        return sn * elliprf(np.square(cn), np.square(dn), 1.0)

    def at(self, u: Array, which: Which = ALL) -> Array:
        """(4, n) sn, cn, dn and Π for arguments (n,), each of one of the functions."""
        whole = 2 * self._quarter[which]
        halves = np.rint(u / whole)
        rest = u - halves * whole
        found = np.empty((4, len(u)))
        for branch, at, place in self._branches.of(which):
            found[:, at] = branch.at(rest[at], place)
            found[3, at] += halves[at] * (2 * branch.complete[place])
        found[:2] *= 1.0 - 2.0 * (halves % 2)
        return found


# Both branches write Π(u) = Λ(u) − Λ'(K) u, where Λ is the angle by which θ1(π(u + iη)/2K) has turned since u = 0:
# its derivative has the integrand's poles and residues, and the integrand vanishes at u = K.


class _Circular:
    """For m ≤ ½ and |u| ≤ K: series in the nome exp(−πK'/K)."""

    def __init__(self, K: Array, K_: Array, η: Array, η_: Array) -> None:
        self.scale = pi / (2 * K)
        self.q = np.exp(-2 * self.scale * K_)
        self.theta = θ1, θ2, θ3, θ4 = _make_thetas(self.q)
        zero = (1.0, self.q)
        self.sn = θ4(-1, -self.q) / θ1(-1, -self.q)
        self.cn = θ4(*zero) / θ2(*zero)
        self.dn = θ4(*zero) / θ3(*zero)
        self.tanh = np.tanh(self.scale * η)
        self.e = np.exp(-2 * self.scale * η)
        self.p = np.exp(-2 * self.scale * η_)
        self.slope = self.scale * (
            self.tanh - (θ1.derivative(-self.e, -self.p) / θ1(-self.e, -self.p)).imag
        )
        self.complete = pi / 2 - self.slope * K

    def at(self, u: Array, i: Which) -> tuple[Array, Array, Array, Array]:
        """sn, cn, dn and Π."""
        v = self.scale[i] * u
        q = self.q[i]
        tanh = self.tanh[i]
        s, c = np.sin(v), np.cos(v)
        E = (c + 1j * s) ** 2
        θ1, θ2, θ3, θ4 = (θ(E, q * E.conj(), i).real for θ in self.theta)
        Λ = np.arctan2(s, tanh * c) - np.angle(
            self.theta.θ1(self.e[i] * E, self.p[i] * E.conj(), i)
        )
        sn, cn, dn = self.sn[i] * s * θ1 / θ4, self.cn[i] * c * θ2 / θ4, self.dn[i] * θ3 / θ4
        return sn, cn, dn, Λ - self.slope[i] * u


class _Hyperbolic:
    """For m > ½ and |u| ≤ K: series in the complementary nome exp(−πK/K')."""

    def __init__(self, K: Array, K_: Array, η: Array, η_: Array) -> None:
        self.K = K
        self.scale = pi / (2 * K_)
        self.q = np.exp(-2 * self.scale * K)
        self.theta = _make_thetas(self.q)
        _, θ2, θ3, θ4 = (θ(1, self.q) for θ in self.theta)
        self.sn = θ3 / θ4
        self.cn = θ2 / θ4
        self.dn = θ2 / θ3
        self.sin, self.cos = np.sin(self.scale * η), np.sin(self.scale * η_)
        self.turn = (self.cos + 1j * self.sin) ** 2
        at_K = self.turn, self.q / self.turn
        self.slope = self.scale * (self.theta.θ4.derivative(*at_K) / self.theta.θ4(*at_K)).real
        self.complete = self.scale * η_ - self.slope * K

    def at(self, u: Array, i: Which) -> tuple[Array, Array, Array, Array]:
        """sn, cn, dn and Π."""
        sign = np.sign(u)
        v = np.abs(u)
        scale = self.scale[i]
        root = np.exp(-scale * v)
        E, P = root**2, np.exp(np.minimum(2 * scale * (v - self.K[i]), 0.0))
        tanh = -np.expm1(-2 * scale * v) / (1 + E)
        sech = 2 * root / (1 + E)
        θ1, θ2, θ3, θ4 = (θ(E, P, i) for θ in self.theta)
        turn = self.turn[i]
        Λ = np.arctan2(self.cos[i] * tanh, self.sin[i]) - np.angle(
            self.theta.θ1(E / turn, P * turn, i)
        )
        sn, cn, dn = (
            self.sn[i] * tanh * θ1 / θ2,
            self.cn[i] * sech * θ4 / θ2,
            self.dn[i] * sech * θ3 / θ2,
        )
        return sign * sn, cn, dn, sign * Λ - self.slope[i] * u


class _Series:
    """Even theta series Σ cₖ q^eₖ e^2ikw over |k| ≤ 3, from E = e^2iw and P = q e^−2iw, for each q.

    Neither of these exceeds 1 in size, so nothing overflows however far w is from the real axis.
    """

    def __init__(self, q: Array, coefficients: NDArray[Any], exponents: NDArray[Any]) -> None:
        k = np.arange(4)[:, None]
        self.of_E = coefficients * q ** exponents[:, None]
        self.of_P = coefficients * q ** (exponents[:, None] - k)

    def __call__(self, E: Any, P: Any, i: Which = ALL) -> Any:
        a0, a1, a2, a3 = self.of_E[:, i]
        _, b1, b2, b3 = self.of_P[:, i]
        return a0 + E * (a1 + E * (a2 + E * a3)) + P * (b1 + P * (b2 + P * b3))

    def derivative(self, E: Any, P: Any) -> NDArray[Any]:
        """The derivative with respect to w."""
        terms = zip(self.of_E[1:], self.of_P[1:], strict=True)
        return sum(2j * k * (a * E**k - b * P**k) for k, (a, b) in enumerate(terms, 1))


class _Thetas(NamedTuple):
    """θ1(w)/sin w, θ2(w)/cos w, θ3 and θ4, the first two without their factor 2q^¼."""

    θ1: _Series
    θ2: _Series
    θ3: _Series
    θ4: _Series


def _make_thetas(q: Array) -> _Thetas:
    k = np.arange(4)
    sign = (-1.0) ** k[:, None]
    # sin (2n + 1)w / sin w is Σ e^2ikw over |k| ≤ n; so of e^2ikw there is Σ (−1)ⁿ q^n(n+1) over n ≥ k.
    rest = np.array(
        [1 - q ** (2 * i + 2) * (1 - q ** (2 * i + 4) * (1 - q ** (2 * i + 6))) for i in k]
    )
    one = np.ones((4, 1))
    return _Thetas(
        _Series(q, sign * rest, k * (k + 1)),
        _Series(q, rest, k * (k + 1)),
        _Series(q, one, k * k),
        _Series(q, sign, k * k),
    )
