"""How far a run is from the exact motion, or from another run."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..checks import Array
from ..onebody import Run
from ..wording import short
from . import Motion, exact
from .reference import Estimate, Progress

Rows = NDArray[np.intp]

ON_THE_GROUP = 1e-11
"""‖RᵀR − 1‖ of an attitude that is a rotation, but for the roundoff of many steps."""
SAME_TIME = 1e-9
"""How near two times must be, in steps, to be the same."""
ROUNDOFF = 1e-12
"""Where a reference is as near as this, radians or relative momentum, what is nearer to it is told as it comes."""


class Off(NamedTuple):
    """One number for each of the errors."""

    attitude: float
    spectral: float
    Pi: float
    pi: float


@dataclass(frozen=True, eq=False)
class Errors:
    """The errors of a run at the times that it shares with its reference, each worked out when it is first asked for.

    An error is nan where it is no larger than what the reference may be off itself: there it is not known.

    Attributes
    ----------
    run, against : the run, and what it is compared with.
    rows, there : (n,) the rows of the two that have the same times.
    t : (n,) those times.
    attitude : (n,) the angle in radians between the attitude, or the rotation nearest to it, and the reference's.
    away : (n, 3, 3) R − R_ref.
    spectral : (n,) ‖R − R_ref‖₂.
    Pi, pi : (n,) |Π − Π_ref| in the body's frame, and |π − π_ref| in space.
    reference : where the reference is from, in words.
    reference_estimate : how far it may be off itself at worst, attitude in radians and momentum relative to its
        largest; None for a run.
    """

    run: Run
    against: Run | Motion
    rows: Rows
    there: Rows
    reference: str
    reference_estimate: Estimate | None

    @cached_property
    def t(self) -> Array:
        """The times that both have."""
        return self.run.t[self.rows]

    @cached_property
    def attitude(self) -> Array:
        """The angle of R_refᵀR."""
        R, off_the_group = self.run.R[self.rows], self.run.orthogonality[self.rows]
        return self._if_known(turned(R, off_the_group, self._reference("R", 3, 3)), "attitude")

    @cached_property
    def away(self) -> Array:
        """R − R_ref, known or not."""
        return self._off("R", 3, 3)

    @cached_property
    def Pi(self) -> Array:
        """|Π − Π_ref|."""
        return self._if_known(length(self._off("Pi", 3)), "momentum")

    @cached_property
    def pi(self) -> Array:
        """|π − π_ref|."""
        return self._if_known(length(self._off("pi", 3)), "momentum")

    @cached_property
    def spectral(self) -> Array:
        """‖R − R_ref‖₂: the root of the largest eigenvalue of its square."""
        away = np.nan_to_num(self.away)  # of a reference that ends earlier
        squares = np.linalg.eigvalsh(away.swapaxes(1, 2) @ away)
        norms: Array = np.sqrt(np.maximum(squares[:, -1], 0.0))
        return self._if_known(norms, "attitude")

    @property
    def worst(self) -> Off:
        """The largest of each that is known; nan if none is."""
        every = (self.attitude, self.spectral, self.Pi, self.pi)
        return Off(*(float(np.fmax.reduce(series)) for series in every))

    @property
    def last(self) -> Off:
        """Each at the last time; nan where it is not known."""
        return Off(*(float(series[-1]) for series in (self.attitude, self.spectral, self.Pi, self.pi)))

    @cached_property
    def message(self) -> str:
        """From when on the attitude error is not known, and why, in a sentence; empty if all of it is."""
        unknown = np.isnan(self.attitude)
        if not unknown.any():
            return ""
        words = f"From t = {self.t[unknown.argmax()]:.4g} on"
        if not unknown[unknown.argmax() :].all():
            words += ", at some times,"
        return f"{words} the attitude error is not known: the reference may be off by as much itself."

    def _if_known(self, error: Array, kind: str) -> Array:
        """The errors of the attitude or of the momentum, without those that the reference is too far off to tell."""
        if isinstance(self.against, Run):
            return error
        estimate = np.atleast_1d(getattr(self.against.estimates, kind))[self.there]
        unit = 1.0
        if kind == "momentum":
            unit = float(np.sqrt(np.nanmax((np.atleast_2d(self.against.Pi) ** 2).sum(axis=-1)))) or 1.0
        return if_known(error, estimate, unit)

    def _reference(self, name: str, *shape: int) -> Array:
        """A quantity of the reference at these times; of a motion at one time its row has no axis of times."""
        whole: Array = getattr(self.against, name)
        return whole.reshape(-1, *shape)[self.there]

    def _off(self, name: str, *shape: int) -> Array:
        """By how much a quantity differs from the reference's."""
        own: Array = getattr(self.run, name)
        return own[self.rows] - self._reference(name, *shape)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        worst = ", ".join(f"{name} {short(value, 3)}" for name, value in self.worst._asdict().items())
        return f"<errors at {len(self)} times, at worst {worst}; against {self.reference}>"


def error(
    run: Run,
    reference: Run | Motion | None = None,
    *,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> Errors:
    """The errors along a run's kept rows; nan where the reference may be off by as much.

    Parameters
    ----------
    run : what `engine.simulate` returns.
    reference : a run or a motion, compared with at the times that both have; without one, the exact motion.
    progress, cancel : as in `engine.exact`, which may have to make reference runs.

    Raises
    ------
    ValueError
        If the two share no time beyond the start, or if no reference run gets as far, in one sentence.
    Cancelled
        If it was ended by `cancel`.
    """
    if reference is None:
        dt = run.problem.dt if run.method.adaptive else run.dt
        reference = exact(run.problem, run.t, dt=dt, progress=progress, cancel=cancel)
    if isinstance(reference, Run):
        source, estimate = repr(reference)[1:-1], None
    elif isinstance(reference, Motion):
        source, estimate = reference.how, reference.estimate
    else:
        raise ValueError(f"a reference is a run, or what engine.exact returns; got {type(reference).__name__}")
    return Errors(run, reference, *_shared(run, np.atleast_1d(reference.t)), source, estimate)


def _shared(run: Run, t: Array) -> tuple[Rows, Rows]:
    """The rows of the run whose times are among those of the reference, and where they stand there."""
    order = np.argsort(t, kind="stable")
    after = np.minimum(np.searchsorted(t[order], run.t - SAME_TIME * run.dt), len(t) - 1)
    there = order[after]
    same = np.abs(t[there] - run.t) <= SAME_TIME * run.dt
    if not same.any() or (run.t[-1] > 0.0 and not same[1:].any()):
        raise ValueError(
            f"the run and its reference share no time beyond the start, {short(run.dt)} apart and as kept"
        )
    return np.flatnonzero(same), there[same]


def if_known(error: Array, estimate: Array, unit: float | Array = 1.0) -> Array:
    """Errors, nan where a reference may be off by as much itself; `unit` is that of the errors in the estimates'."""
    unknown = ~(error > unit * estimate) & (estimate > ROUNDOFF)
    return np.where(unknown, np.nan, error)


def turned(R: Array, orthogonality: Array, reference: Array) -> Array:
    """The angle in radians between attitudes (n, 3, 3), or the rotations nearest to them, and a reference's."""
    return _angle(reference.swapaxes(1, 2) @ _nearest_rotation(R, orthogonality))


def _nearest_rotation(R: Array, orthogonality: Array) -> Array:
    """The rotations nearest to matrices; what is a rotation already stays as it is."""
    astray = orthogonality > ON_THE_GROUP
    if not astray.any():
        return R
    U, _, Vt = np.linalg.svd(R[astray])
    U[..., -1] *= np.sign(np.linalg.det(U @ Vt))[:, None]
    R = R.copy()
    R[astray] = U @ Vt
    return R


def _angle(Q: Array) -> Array:
    """The angle of rotations (n, 3, 3) in radians, as exact when it is tiny as when it is half a turn."""
    skew = np.stack([Q[:, 2, 1] - Q[:, 1, 2], Q[:, 0, 2] - Q[:, 2, 0], Q[:, 1, 0] - Q[:, 0, 1]], axis=1)
    angle: Array = np.arctan2(length(skew), np.trace(Q, axis1=1, axis2=2) - 1.0)
    return angle


def length(v: Array) -> Array:
    """|v| of vectors (n, 3)."""
    found: Array = np.sqrt((v * v).sum(axis=-1))
    return found
