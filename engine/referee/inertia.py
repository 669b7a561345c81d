"""The ratios of a free body's moments of inertia, from its motion.

The spatial momentum, R J Ω, is constant and linear in J, so J is the least right singular vector of
its changes within windows of time. A rule that loses momentum slowly still shows J in short windows;
in long ones, J is determined better. The errors are those of changes that have the sign of the
misfit in every row, which is the worst case: errors of a rule are no noise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.transform import Rotation

from ..parameters.validation import Array
from ..problems.given_rates.throw import BASIS
from ..problems.mass_properties import principal_axes
from .trajectory import find_gaps

MOST_ROWS = 6000
"""Rows that are used, evenly spaced."""
WINDOWS = (1.5, 6.0, 25.0, np.inf)
"""The turns of the body in a window, in radians."""
FEWEST = 4
"""Rows of a window."""
UNKNOWN = 0.3
"""An error of a moment, over the largest one, from which on the motion does not determine it."""
SAFETY = 3.0
"""By which errors are multiplied, so that they cover what the lab's own rules make of known moments."""
ALIGNED = 5.0
"""Axes that lie within so many of their errors of the file's axes count as these."""


@dataclass(frozen=True, eq=False)
class Moments:
    """An inertia up to its scale.

    Attributes
    ----------
    J : (3, 3) the inertia, whose largest moment is 1.
    moments, errors : (3,) the principal moments and their errors.
    misfit : the changes of the momentum that remain, relative to the momentum.
    """

    J: Array
    moments: Array
    errors: Array
    misfit: float


def estimate_moments(t: Array, R: Array, Omega: Array | None) -> Moments | None:
    """Return the inertia of a body with this motion; None if the motion does not determine it, as a
    spin about a fixed axis does not.
    """
    one = _estimate(*find_mean_rates(t, R))
    two = _estimate(*find_mean_rates(t[::2], R[::2]))
    if one is None or two is None:
        return None
    # Mean rates over twice the interval have four times the error.
    correction = (one.moments - two.moments) / 3
    by_turns = one.moments + correction
    by_turns /= by_turns.max()
    if Omega is None:
        J = one.J + (one.J - two.J) / 3
        return _widen(Moments(J / J.max(), by_turns, one.errors, one.misfit), correction)
    found = _estimate(t, R, Omega)
    if found is None:
        return None
    # A rule may turn the body at another rate than its angular velocity.
    return _widen(found, np.sort(found.moments) - np.sort(by_turns))


def _widen(found: Moments, differences: Array) -> Moments:
    """Return moments with errors that cover the differences between two estimates."""
    largest = found.moments == found.moments.max()
    more = SAFETY * np.abs(differences).max()
    return replace(found, errors=np.where(largest, 0.0, found.errors + more))


def _estimate(t: Array, R: Array, Omega: Array) -> Moments | None:
    """Return the inertia for rates that are known."""
    rows = np.unique(np.linspace(0, len(t) - 1, min(len(t), MOST_ROWS)).round().astype(int))
    angle = _compute_angles(t, Omega)[rows]
    momenta = np.einsum("nij,bjk,nk->nib", R[rows], BASIS, Omega[rows])
    found = [_fit(momenta, angle, window) for window in WINDOWS]
    known = [one for one in found if one is not None]
    return min(known, key=lambda one: float(one.errors.max()), default=None)


def find_mean_rates(t: Array, R: Array) -> tuple[Array, Array, Array]:
    """Return the times and attitudes in the middle between rows, and the mean rates there; none for
    gaps, in which the body may turn more than once.
    """
    at = np.flatnonzero(~find_gaps(t))
    intervals = t[at + 1] - t[at]
    turns = Rotation.from_matrix(np.swapaxes(R[at], 1, 2) @ R[at + 1]).as_rotvec()
    middle = R[at] @ Rotation.from_rotvec(turns / 2).as_matrix()
    return t[at] + intervals / 2, middle, turns / intervals[:, None]


def _compute_angles(t: Array, Omega: Array) -> Array:
    """Return the angles by which the body has turned at each row, in radians."""
    speeds = np.linalg.norm(Omega, axis=1)
    steps = (speeds[1:] + speeds[:-1]) / 2 * np.diff(t)
    return np.concatenate([[0.0], np.cumsum(steps)])


def _fit(momenta: Array, angle: Array, window: float) -> Moments | None:
    """Return the inertia that changes the momenta (n, 3, 6) least within windows."""
    changes = _find_changes(momenta, angle, window)
    if len(changes) < FEWEST:
        return None
    _, sizes, right = np.linalg.svd(changes.reshape(-1, len(BASIS)), full_matrices=False)
    if sizes[-2] <= 1e-12 * sizes[0]:
        return None
    vector = right[-1] * np.sign(right[-1][:3].sum() or 1.0)
    shares = right[:-1] * (sizes[-1] / sizes[:-1])[:, None]
    covariance = shares.T @ shares
    return _describe(vector, covariance, momenta, sizes[-1] / np.sqrt(len(changes)))


def _find_changes(momenta: Array, angle: Array, window: float) -> Array:
    """Return the differences of momenta from their means in windows, of those with enough rows."""
    which = np.zeros(len(angle), int) if np.isinf(window) else (angle / window).astype(int)
    _, which, counts = np.unique(which, return_inverse=True, return_counts=True)
    sums = np.zeros((len(counts), *momenta.shape[1:]))
    np.add.at(sums, which, momenta)
    return np.asarray((momenta - (sums / counts[:, None, None])[which])[counts[which] >= FEWEST])


def _describe(vector: Array, covariance: Array, momenta: Array, change: float) -> Moments | None:
    """Return the inertia of a singular vector, whose covariance is known; in the axes of the file if
    it is diagonal but for errors.
    """
    J = np.einsum("b,bij->ij", vector, BASIS)
    try:
        moments, axes = principal_axes(J, of_a_body=False)
    except ValueError:
        return None
    largest = int(np.argmax(moments))
    along = np.einsum("bij,ip,jp->pb", BASIS, axes, axes)
    gains = (along - (moments / moments[largest])[:, None] * along[largest]) / moments[largest]
    errors = SAFETY * np.sqrt(np.einsum("pb,bc,pc->p", gains, covariance, gains))
    if errors.max() > UNKNOWN:
        return None
    if (np.abs(vector[3:]) <= ALIGNED * np.sqrt(np.diag(covariance)[3:])).all():
        J = np.diag(np.diag(J))
        moments = np.diag(J)
    length = float(np.median(np.linalg.norm(momenta @ vector, axis=1)))
    size = float(moments.max())
    return Moments(J / size, moments / size, errors, change / length if length else np.inf)


def measure_misfit(t: Array, R: Array, J: Array | None = None) -> float:
    """Return the change of the momentum, relative to it, with an inertia (3, 3), by default that which
    fits best; infinite if the motion does not determine it.
    """
    if len(t) < 2 * FEWEST:
        return np.inf
    t, R, Omega = find_mean_rates(t, R)
    if J is not None:
        momentum = np.einsum("nij,jk,nk->ni", R, J, Omega)
        changes = _find_changes(momentum[..., None], _compute_angles(t, Omega), WINDOWS[1])
        length = float(np.median(np.linalg.norm(momentum, axis=1)))
        known = len(changes) >= FEWEST and length > 0.0
        return float(np.linalg.norm(changes)) / np.sqrt(len(changes)) / length if known else np.inf
    momenta = np.einsum("nij,bjk,nk->nib", R, BASIS, Omega)
    found = _fit(momenta, _compute_angles(t, Omega), WINDOWS[1])
    return np.inf if found is None else found.misfit
