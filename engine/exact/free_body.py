"""The free rigid body in closed form, at any time, for every inertia and every initial state.

In principal axes, of which the third is the one that Π goes round, the axis of least or of largest moment:

    Π₁ = A₁ cn(λt + u₀),   Π₂ = ±A₂ sn(λt + u₀),   Π₃ = A₃ dn(λt + u₀)

(Jacobi 1850). The momentum is fixed in space, and about it the body turns by Euler's angle ψ, of which

    dψ/dt = |Π| (Π₁²/J₁ + Π₂²/J₂)/(Π₁² + Π₂²)

is |Π|/J₂ and a rest that `elliptic.Elliptic` integrates. All constants are sums of positive terms but one,
2E − |Π|²/J₂, which tells the two kinds of motion apart and vanishes on the separatrix. It is computed in rational
numbers, so that near the separatrix, too, the motion is that of the very numbers given: there another last digit is
soon another motion.

Measured against more than twenty-five digits, in every regime: no entry of R and no component of Π/|Π| is off by
more than 4 (1 + |Ω|t) ulp of 1 (with λ for |Ω| if that is larger, as it can be for moments that no body has).

Sources: Whittaker, *Analytical Dynamics*, §69; van Zon & Schofield, *Numerical implementation of the exact dynamics
of free rigid bodies* (2007); Celledoni, Fassò, Säfström & Zanna, *The exact computation of the free rigid body motion
and its use in splitting methods* (2008).
"""

from __future__ import annotations

from fractions import Fraction
from math import frexp, sqrt
from reprlib import repr as shortened
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks import Array, attitude, positive, reals, three_numbers
from ..wording import short
from .elliptic import Elliptic

NEGLIGIBLE = 1e-120
"""What a component of Ω counts as none below, relative to the largest: squares of it must still be numbers."""


class State(NamedTuple):
    """Attitude (n, 3, 3), and angular velocity and momentum in principal axes, (n, 3)."""

    R: Array
    Omega: Array
    Pi: Array


class FreeBody:
    """The motion of a body on which nothing acts.

    Parameters
    ----------
    moments : (3,) principal moments of inertia, in any order; also such as no body has.
    R0 : (3, 3) initial attitude, principal axes to space.
    Omega0 : (3,) initial angular velocity in principal axes.

    Attributes
    ----------
    regime : what kind of motion it is, in words.
    period : the time after which Ω is the same again; infinite on the separatrix, zero if Ω never changes.
    """

    def __init__(self, moments: ArrayLike, R0: ArrayLike, Omega0: ArrayLike) -> None:
        self.moments = np.array([positive(J, "moment of inertia") for J in three_numbers(moments, "the moments")])
        self.R0, self.Omega0 = attitude(R0), three_numbers(Omega0, "Omega0")
        # In units, powers of two, in which neither moments nor rates exceed 1.
        unit = 2.0 ** frexp(self.moments.max())[1]
        self._rate = 2.0 ** frexp(np.abs(self.Omega0).max())[1]
        J, Ω = self.moments / unit, self.Omega0 / self._rate
        Ω[np.abs(Ω) <= NEGLIGIBLE] = 0.0
        self._motion = _Steady(Ω) if _is_steady(J, Ω) else _Tumbling(J, Ω)
        self._momentum = float(np.linalg.norm(J * Ω)) * unit * self._rate
        self._base = self.R0 @ self._motion.frame(np.zeros(1))[..., 0].T
        self.regime, self.period = self._motion.regime, self._motion.period / self._rate

    def __repr__(self) -> str:
        return f"<free body, {self.regime}: J = {self.moments}, period {short(self.period)}>"

    def at(self, t: ArrayLike) -> State:
        """The states at times (n,), which may be negative; errors grow like those of the angle |Ω|t."""
        times = np.atleast_1d(reals(t, "the times must be real numbers"))
        if times.ndim != 1 or not np.isfinite(times).all():
            raise ValueError(f"the times must be finite and in one row; got {shortened(t)}")
        frame = self._motion.frame(times * self._rate)
        R = (self._base @ frame.reshape(3, -1)).reshape(frame.shape)
        Π = self._momentum * frame[2].T
        return State(np.ascontiguousarray(R.transpose(2, 0, 1)), Π / self.moments, Π)


# A motion's frame(t) is a rotation, (3, 3, n), from principal axes to axes fixed in space, the third along Π.


class _Steady:
    """A spin about a principal axis (of two equal moments, about any axis between), or none."""

    period = 0.0

    def __init__(self, Ω: Array) -> None:
        self.rate = float(np.linalg.norm(Ω))
        self.regime = "steady rotation" if self.rate else "at rest"
        self.axis = Ω / self.rate if self.rate else np.array([0.0, 0.0, 1.0])
        across = np.cross(np.eye(3)[np.abs(self.axis).argmin()], self.axis)
        self.node = across / np.linalg.norm(across)

    def frame(self, t: Array) -> Array:
        node, axis = (np.repeat(vector[:, None], len(t), axis=1) for vector in (self.node, self.axis))
        return _turned(self.rate * t, node, axis)


class _Tumbling:
    """A motion in which Ω changes. Here J₁, J₂, J₃ either rise or fall, and Π₁ ≥ 0, Π₃ > 0 at first."""

    def __init__(self, J: Array, Ω: Array) -> None:
        order = np.argsort(J)
        excess = _excess(*J[order], *Ω[order])
        if excess > 0:
            order = order[::-1]
        # The axes anew: in another order, and turned half round; together a rotation.
        first, last = np.where(Ω[order[::2]] < 0, -1.0, 1.0)
        even = 1.0 if (order[1] - order[0]) % 3 == 1 else -1.0
        self.order, self.signs = order, np.array([first, even * first * last, last])[:, None]
        (J1, J2, J3), (Π1, Π2, Π3) = J[order], self.signs[:, 0] * J[order] * Ω[order]

        self.sense = 1.0 if J3 > J1 else -1.0
        δ = abs(J3 - J1) / (J1 * J3)  # 1/J1 − 1/J3; the two other differences as parts of it:
        δ12, δ23 = abs(J2 - J1) / (J1 * J2) / δ, abs(J3 - J2) / (J2 * J3) / δ
        X, Z = Π1**2 + δ23 * Π2**2, Π3**2 + δ12 * Π2**2
        A = np.sqrt([X, X / δ23, Z])
        self.rate, self.spin = δ * sqrt(δ23 * Z), sqrt(X + Z) / J2
        self.elliptic = Elliptic(δ12 / δ23, X / Z, min(abs(float(excess)) / (δ23 * Z), 1.0))
        self.start = self.elliptic.argument(self.sense * Π2 / A[1], Π1 / A[0], Π3 / A[2])
        self.shape = A / sqrt(X + Z) * [1.0, self.sense, 1.0]

        about = "largest" if self.sense > 0 else "least"
        self.regime = f"about the axis of {about} moment" if excess else "on the separatrix"
        if δ12 == 0:
            self.regime = f"regular precession {self.regime}"
        self.period = 4 * self.elliptic.K / self.rate

    def frame(self, t: Array) -> Array:
        sn, cn, dn, third = self.elliptic.at(self.rate * t + self.start)
        n1, n2, n3 = (a * f for a, f in zip(self.shape, (cn, sn, dn), strict=True))
        node, axis = np.zeros((2, 3, len(t)))
        across = np.hypot(n1, n2)
        node[self.order[:2]] = self.signs[:2] * (n2, -n1) / across
        axis[self.order] = self.signs * (n1, n2, n3) / np.hypot(across, n3)
        return _turned(self.spin * t + self.sense * third, node, axis)


def _is_steady(J: Array, Ω: Array) -> bool:
    """Whether JΩ × Ω vanishes."""
    return not any((J[i] - J[j]) * Ω[i] * Ω[j] for i, j in ((0, 1), (1, 2), (2, 0)))


def _excess(J1: float, J2: float, J3: float, Ω1: float, Ω2: float, Ω3: float) -> Fraction:
    """(2E − |Π|²/J₂)/(1/J₁ − 1/J₃) for rising moments, exactly: its sign cannot be wrong."""
    j1, j2, j3, w1, w3 = (Fraction(float(x)) for x in (J1, J2, J3, Ω1, Ω3))
    return ((j2 - j1) * j1 * w1**2 - (j3 - j2) * j3 * w3**2) * j1 * j3 / (j2 * (j3 - j1))


def _turned(ψ: Array, node: Array, axis: Array) -> Array:
    """The frames whose rows are the node and the axis, each (3, n), turned about the axis."""
    (a1, a2, a3), (b1, b2, b3) = axis, node
    across = np.stack([a2 * b3 - a3 * b2, a3 * b1 - a1 * b3, a1 * b2 - a2 * b1])
    c, s = np.cos(ψ), np.sin(ψ)
    return np.stack([c * node - s * across, s * node + c * across, axis])
