"""The free rigid body in closed form, at any time, for every inertia and every initial state.

In principal axes, where Π circles the third, the axis of least or of largest moment:

    Π₁ = A₁ cn(λt + u₀),   Π₂ = ±A₂ sn(λt + u₀),   Π₃ = A₃ dn(λt + u₀)

(Jacobi 1850). The momentum is fixed in space, and the body turns about it by Euler's angle ψ, whose
rate

    dψ/dt = |Π| (Π₁²/J₁ + Π₂²/J₂)/(Π₁² + Π₂²)

is |Π|/J₂ and a rest that `elliptic.Elliptic` integrates. All constants are sums of positive terms
except one, 2E − |Π|²/J₂, which distinguishes the two kinds of motion and vanishes on the
separatrix. It is computed in rational numbers, so that the motion is that of the given numbers even
near the separatrix, where another last digit soon gives another motion.

Compared with more than twenty-five digits, in every regime, each entry of R and each component of
Π/|Π| has an error of at most 4 (1 + |Ω|t) ulp of 1 (with λ for |Ω| if that is larger, as it can be
for moments that no body has).

Sources: Whittaker, *Analytical Dynamics*, §69; van Zon & Schofield, *Numerical implementation of
the exact dynamics of free rigid bodies* (2007); Celledoni, Fassò, Säfström & Zanna, *The exact
computation of the free rigid body motion and its use in splitting methods* (2008).
"""

from __future__ import annotations

from fractions import Fraction
from reprlib import repr as shortened
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..parameters.validation import Array, check_attitude, check_positive, check_reals, check_vector
from ..text.formatting import show
from .elliptic import ALL, Elliptic, Indices, Sorted, Which

NEGLIGIBLE = 1e-120
"""A component of Ω below this, relative to the largest, counts as zero: its square must still be a
number.
"""


class State(NamedTuple):
    """Attitude (n, 3, 3), and angular velocity and momentum in principal axes, (n, 3)."""

    R: Array
    Omega: Array
    Pi: Array


class FreeBody:
    """The motion of a body on which nothing acts.

    Parameters
    ----------
    moments : (3,) principal moments of inertia, in any order; they may be moments that no body has.
    R0 : (3, 3) initial attitude, principal axes to space.
    Omega0 : (3,) initial angular velocity in principal axes.

    Attributes
    ----------
    regime : the kind of motion, in words.
    period : the period of Ω; infinite on the separatrix, zero if Ω is constant.
    """

    def __init__(self, moments: ArrayLike, R0: ArrayLike, Omega0: ArrayLike) -> None:
        self.moments = np.array(
            [check_positive(J, "moment of inertia") for J in check_vector(moments, "the moments")]
        )
        self.R0 = check_attitude(R0)
        self.Omega0 = check_vector(Omega0, "Omega0")
        self._motion = FreeBodies(self.moments, self.R0[None], self.Omega0[None])
        (self.regime,) = self._motion.regimes
        (self.period,) = self._motion.periods.tolist()

    def __repr__(self) -> str:
        return f"<free body, {self.regime}: J = {self.moments}, period {show(self.period)}>"

    def at(self, t: ArrayLike) -> State:
        """The states at times (n,), which may be negative; the errors grow like that of the angle
        |Ω|t.
        """
        times = np.atleast_1d(check_reals(t, "the times must be real numbers"))
        if times.ndim != 1 or not np.isfinite(times).all():
            raise ValueError(f"the times must be finite and in one row; got {shortened(t)}")
        return self._motion.at(times, ALL)


class FreeBodies:
    """The motions of a body from several starts, R0 (k, 3, 3) and Omega0 (k, 3), which are not
    checked.

    Attributes
    ----------
    regimes, periods : of each motion, as in `FreeBody`.
    """

    def __init__(self, moments: Array, R0: Array, Omega0: Array) -> None:
        self._moments = moments
        count = len(Omega0)
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
        self.regimes = np.empty(count, object)
        self.periods = np.empty(count)
        for motion, at, place in self._motions.of(every):
            self.regimes[at] = motion.regime[place]
            self.periods[at] = motion.period[place] / self._rate[at]
        self._momentum = _compute_lengths(J * Ω) * unit * self._rate
        frame = self._frame(np.zeros(count), every)
        self._base = (R0.transpose(1, 2, 0)[:, None] * frame).sum(axis=2)

    def at(self, t: Array, which: Which) -> State:
        """The states at times (n,), each of the motion from one of the starts."""
        frame = self._frame(t * self._rate[which], which)
        base = self._base[..., which]
        R = base[:, 0, None] * frame[0] + base[:, 1, None] * frame[1] + base[:, 2, None] * frame[2]
        Π = (self._momentum[which] * frame[2]).T
        return State(np.ascontiguousarray(R.transpose(2, 0, 1)), Π / self._moments, Π)

    def _frame(self, t: Array, which: Which) -> Array:
        """Rotations (3, 3, n) from principal axes to axes fixed in space, the third along Π."""
        frame = np.empty((3, 3, len(t)))
        for motion, at, place in self._motions.of(which):
            frame[..., at] = motion.frame(t[at], place)
        return frame


# Motions of one kind from J and Ω (3, k); frame(t, i) is the frame of the i-th at the time t, where
# both are (n,).


class _Steady:
    """Rotations about a principal axis (about any axis between two of equal moments), and bodies at
    rest.
    """

    def __init__(self, Ω: Array) -> None:
        self.rate = _compute_lengths(Ω)
        self.period = np.zeros(len(self.rate))
        self.regime = np.where(self.rate, "steady rotation", "at rest")
        self.axis = np.where(
            self.rate, Ω / np.where(self.rate, self.rate, 1.0), [[0.0], [0.0], [1.0]]
        )
        across = np.cross(np.eye(3)[np.abs(self.axis).argmin(axis=0)], self.axis, axisb=0).T
        self.node = across / _compute_lengths(across)

    def frame(self, t: Array, i: Which) -> Array:
        node, axis = (
            np.broadcast_to(vector[:, i], (3, len(t))) for vector in (self.node, self.axis)
        )
        return _turn_frame(self.rate[i] * t, node, axis)


class _Tumbling:
    """Motions in which Ω changes. Here J₁, J₂, J₃ either rise or fall, and Π₁ ≥ 0, Π₃ > 0 at
    first.
    """

    def __init__(self, J: Array, Ω: Array) -> None:
        order = np.argsort(J, axis=0)
        ordered = np.concatenate([_reorder(J, order), _reorder(Ω, order)]).T.tolist()
        exact = [_compute_excess(*numbers) for numbers in ordered]
        excess = np.array([float(x) for x in exact])
        order = np.where([x > 0 for x in exact], order[::-1], order)
        # New axes, in another order and some reversed; together a rotation.
        first, _, last = np.where(_reorder(Ω, order) < 0, -1.0, 1.0)
        even = np.where((order[1] - order[0]) % 3 == 1, 1.0, -1.0)
        self.order = order
        self.signs = np.stack([first, even * first * last, last])
        (J1, J2, J3) = _reorder(J, order)
        (Π1, Π2, Π3) = self.signs * _reorder(J, order) * _reorder(Ω, order)

        self.sense = np.where(J3 > J1, 1.0, -1.0)
        δ = np.abs(J3 - J1) / (
            J1 * J3
        )  # 1/J1 − 1/J3; the two other differences, as fractions of it:
        δ12 = np.abs(J2 - J1) / (J1 * J2) / δ
        δ23 = np.abs(J3 - J2) / (J2 * J3) / δ
        X, Z = Π1**2 + δ23 * Π2**2, Π3**2 + δ12 * Π2**2
        A = np.sqrt([X, X / δ23, Z])
        self.rate = δ * np.sqrt(δ23 * Z)
        self.spin = np.sqrt(X + Z) / J2
        self.elliptic = Elliptic(δ12 / δ23, X / Z, np.minimum(np.abs(excess) / (δ23 * Z), 1.0))
        self.start = self.elliptic.argument(self.sense * Π2 / A[1], Π1 / A[0], Π3 / A[2])
        self.shape = A / np.sqrt(X + Z) * [np.ones_like(X), self.sense, np.ones_like(X)]
        self.period = 4 * self.elliptic.K / self.rate
        about = np.where(
            self.sense > 0, "about the axis of largest moment", "about the axis of least moment"
        )
        about = np.where([x != 0 for x in exact], about, "on the separatrix")
        self.regime = np.strings.add(np.where(δ12 == 0, "regular precession ", ""), about)

    def frame(self, t: Array, i: Which) -> Array:
        sn, cn, dn, third = self.elliptic.at(self.rate[i] * t + self.start[i], i)
        n1, n2, n3 = self.shape[:, i] * (cn, sn, dn)
        across = np.hypot(n1, n2)
        signs = self.signs[:, i]
        order = self.order[:, i]
        node, axis = np.empty((2, 3, len(t)))
        np.put_along_axis(node, order, signs * (n2, -n1, np.zeros_like(n1)) / across, axis=0)
        np.put_along_axis(axis, order, signs * (n1, n2, n3) / np.hypot(across, n3), axis=0)
        return _turn_frame(self.spin[i] * t + self.sense[i] * third, node, axis)


def _compute_lengths(vectors: Array) -> Array:
    """(k,) the lengths of vectors (3, k)."""
    return np.sqrt((vectors**2).sum(axis=0))


def _reorder(vectors: Array, order: Indices) -> Array:
    """(3, k) vectors with their components in other orders."""
    return np.take_along_axis(vectors, order, axis=0)


def _is_steady(J: Array, Ω: Array) -> NDArray[np.bool_]:
    """Whether JΩ × Ω vanishes."""
    return ~np.any([(J[i] - J[j]) * Ω[i] * Ω[j] for i, j in ((0, 1), (1, 2), (2, 0))], axis=0)


def _compute_excess(J1: float, J2: float, J3: float, Ω1: float, Ω2: float, Ω3: float) -> Fraction:
    """(2E − |Π|²/J₂)/(1/J₁ − 1/J₃) for rising moments, exactly, so that its sign is right."""
    j1, j2, j3, w1, w3 = (Fraction(float(x)) for x in (J1, J2, J3, Ω1, Ω3))
    return ((j2 - j1) * j1 * w1**2 - (j3 - j2) * j3 * w3**2) * j1 * j3 / (j2 * (j3 - j1))


def _turn_frame(ψ: Array, node: Array, axis: Array) -> Array:
    """The frames with the node as first and the axis as third row, each (3, n), turned by ψ about
    the axis.
    """
    (a1, a2, a3) = axis
    (b1, b2, b3) = node
    across = np.stack([a2 * b3 - a3 * b2, a3 * b1 - a1 * b3, a1 * b2 - a2 * b1])
    c, s = np.cos(ψ), np.sin(ψ)
    return np.stack([c * node - s * across, s * node + c * across, axis])
