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
from reprlib import repr as shortened
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import Array, attitude, positive, reals, three_numbers
from ..wording import short
from .elliptic import ALL, Elliptic, Indices, Sorted, Which

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
        self._motion = FreeBodies(self.moments, self.R0[None], self.Omega0[None])
        (self.regime,), (self.period,) = self._motion.regimes, self._motion.periods.tolist()

    def __repr__(self) -> str:
        return f"<free body, {self.regime}: J = {self.moments}, period {short(self.period)}>"

    def at(self, t: ArrayLike) -> State:
        """The states at times (n,), which may be negative; errors grow like those of the angle |Ω|t."""
        times = np.atleast_1d(reals(t, "the times must be real numbers"))
        if times.ndim != 1 or not np.isfinite(times).all():
            raise ValueError(f"the times must be finite and in one row; got {shortened(t)}")
        return self._motion.at(times, ALL)


class FreeBodies:
    """The motions of a body from several starts, R0 (k, 3, 3) and Omega0 (k, 3), none of which is looked at.

    Attributes
    ----------
    regimes, periods : of each, as of a `FreeBody`.
    """

    def __init__(self, moments: Array, R0: Array, Omega0: Array) -> None:
        self._moments, count = moments, len(Omega0)
        # In units, powers of two, in which neither moments nor rates exceed 1.
        unit = 2.0 ** np.frexp(moments.max())[1]
        self._rate = 2.0 ** np.frexp(np.abs(Omega0).max(axis=1))[1]
        J, Ω = np.repeat((moments / unit)[:, None], count, axis=1), (Omega0 / self._rate[:, None]).T
        Ω = np.where(np.abs(Ω) <= NEGLIGIBLE, 0.0, Ω)
        steady = _is_steady(J, Ω)
        self._motions = Sorted(
            [
                (steady, lambda which: _Steady(Ω[:, which])),
                (~steady, lambda which: _Tumbling(J[:, which], Ω[:, which])),
            ]
        )
        every = np.arange(count)
        self.regimes, self.periods = np.empty(count, object), np.empty(count)
        for motion, at, place in self._motions.of(every):
            self.regimes[at], self.periods[at] = motion.regime[place], motion.period[place] / self._rate[at]
        self._momentum = _length(J * Ω) * unit * self._rate
        frame = self._frame(np.zeros(count), every)
        self._base = (R0.transpose(1, 2, 0)[:, None] * frame).sum(axis=2)

    def at(self, t: Array, which: Which) -> State:
        """The states at times (n,), each of the motion from one of the starts."""
        frame, base = self._frame(t * self._rate[which], which), self._base[..., which]
        R = base[:, 0, None] * frame[0] + base[:, 1, None] * frame[1] + base[:, 2, None] * frame[2]
        Π = (self._momentum[which] * frame[2]).T
        return State(np.ascontiguousarray(R.transpose(2, 0, 1)), Π / self._moments, Π)

    def _frame(self, t: Array, which: Which) -> Array:
        """Rotations (3, 3, n) from principal axes to axes fixed in space, the third along Π."""
        frame = np.empty((3, 3, len(t)))
        for motion, at, place in self._motions.of(which):
            frame[..., at] = motion.frame(t[at], place)
        return frame


# The motions of one kind from (3, k) J and Ω; frame(t, i) is that of the i-th at the time t, all of them (n,).


class _Steady:
    """Spins about a principal axis (of two equal moments, about any axis between), or none."""

    def __init__(self, Ω: Array) -> None:
        self.rate = _length(Ω)
        self.period = np.zeros(len(self.rate))
        self.regime = np.where(self.rate, "steady rotation", "at rest")
        self.axis = np.where(self.rate, Ω / np.where(self.rate, self.rate, 1.0), [[0.0], [0.0], [1.0]])
        across = np.cross(np.eye(3)[np.abs(self.axis).argmin(axis=0)], self.axis, axisb=0).T
        self.node = across / _length(across)

    def frame(self, t: Array, i: Which) -> Array:
        node, axis = (np.broadcast_to(vector[:, i], (3, len(t))) for vector in (self.node, self.axis))
        return _turned(self.rate[i] * t, node, axis)


class _Tumbling:
    """Motions in which Ω changes. Here J₁, J₂, J₃ either rise or fall, and Π₁ ≥ 0, Π₃ > 0 at first."""

    def __init__(self, J: Array, Ω: Array) -> None:
        order = np.argsort(J, axis=0)
        exact = [_excess(*numbers) for numbers in np.concatenate([_in(J, order), _in(Ω, order)]).T.tolist()]
        excess = np.array([float(x) for x in exact])
        order = np.where([x > 0 for x in exact], order[::-1], order)
        # The axes anew: in another order, and turned half round; together a rotation.
        first, _, last = np.where(_in(Ω, order) < 0, -1.0, 1.0)
        even = np.where((order[1] - order[0]) % 3 == 1, 1.0, -1.0)
        self.order, self.signs = order, np.stack([first, even * first * last, last])
        (J1, J2, J3), (Π1, Π2, Π3) = _in(J, order), self.signs * _in(J, order) * _in(Ω, order)

        self.sense = np.where(J3 > J1, 1.0, -1.0)
        δ = np.abs(J3 - J1) / (J1 * J3)  # 1/J1 − 1/J3; the two other differences as parts of it:
        δ12, δ23 = np.abs(J2 - J1) / (J1 * J2) / δ, np.abs(J3 - J2) / (J2 * J3) / δ
        X, Z = Π1**2 + δ23 * Π2**2, Π3**2 + δ12 * Π2**2
        A = np.sqrt([X, X / δ23, Z])
        self.rate, self.spin = δ * np.sqrt(δ23 * Z), np.sqrt(X + Z) / J2
        self.elliptic = Elliptic(δ12 / δ23, X / Z, np.minimum(np.abs(excess) / (δ23 * Z), 1.0))
        self.start = self.elliptic.argument(self.sense * Π2 / A[1], Π1 / A[0], Π3 / A[2])
        self.shape = A / np.sqrt(X + Z) * [np.ones_like(X), self.sense, np.ones_like(X)]
        self.period = 4 * self.elliptic.K / self.rate
        about = np.where(self.sense > 0, "about the axis of largest moment", "about the axis of least moment")
        about = np.where([x != 0 for x in exact], about, "on the separatrix")
        self.regime = np.strings.add(np.where(δ12 == 0, "regular precession ", ""), about)

    def frame(self, t: Array, i: Which) -> Array:
        sn, cn, dn, third = self.elliptic.at(self.rate[i] * t + self.start[i], i)
        n1, n2, n3 = self.shape[:, i] * (cn, sn, dn)
        across, signs, order = np.hypot(n1, n2), self.signs[:, i], self.order[:, i]
        node, axis = np.empty((2, 3, len(t)))
        np.put_along_axis(node, order, signs * (n2, -n1, np.zeros_like(n1)) / across, axis=0)
        np.put_along_axis(axis, order, signs * (n1, n2, n3) / np.hypot(across, n3), axis=0)
        return _turned(self.spin[i] * t + self.sense[i] * third, node, axis)


def _length(vectors: Array) -> Array:
    """Of vectors (3, k)."""
    length: Array = np.sqrt((vectors**2).sum(axis=0))
    return length


def _in(vectors: Array, order: Indices) -> Array:
    """Vectors (3, k) with their components in other orders, (3, k)."""
    return np.take_along_axis(vectors, order, axis=0)


def _is_steady(J: Array, Ω: Array) -> NDArray[np.bool_]:
    """Whether JΩ × Ω vanishes."""
    return ~np.any([(J[i] - J[j]) * Ω[i] * Ω[j] for i, j in ((0, 1), (1, 2), (2, 0))], axis=0)


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
