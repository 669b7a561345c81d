"""The moments of inertia of a thrown body, from the rates that its own gyroscope measures in free flight.

Euler's equations, J dω/dt = Jω × ω, determine J up to a factor. Integrated with test functions that vanish
at both ends of a window, they need no derivative of the measured rates and are linear in J: least squares
give a start. Then the motion is fitted to all rows, with the errors that a phone's gyroscope has.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from ...parameters.validation import Array
from ...text.formatting import show
from ..mass_properties import principal_axes
from .recording import read_samples
from .samples import Flags, Samples, check_part, make_samples

Recording = Samples | str | os.PathLike[str] | tuple[ArrayLike, ArrayLike]

FEWEST_ROWS, MOST_ROWS = 12, 1000
"""Of a flight; more rows show nothing more, and take long."""
SHORTEST_FLIGHT = 0.12
"""In s; a shorter part without weight is a jerk of the hand."""
WEIGHTLESS = 1.5
"""The root mean square of an acceleration, in m/s², that counts as zero."""
BIAS = 0.05
"""The standard deviation of a gyroscope's offset, in rad/s; consumers' sensors have 1 to 3 deg/s."""
SCALE = 0.01
"""That of the errors of its scale and of the angles between its axes."""
DRAG = 0.05
"""That of the share of its rate that the air takes from a phone in a second."""
QUIET = 0.02
"""The noise, in rad/s, with which the first fit weighs the rows."""
OUTLIER = 6.0
"""Such a deviation, over the noise, is no noise: a value at the end of the range, or another fault."""
MOST_CALLS = 40
"""Of the residuals, in a fit."""
SHARES = (0.25, 0.5, 1.0)
"""The beginnings of a flight that are fitted one after the other."""
POOR = 0.1
"""A misfit, over the rates, that refutes the motion of a free body."""
NOISY = 4.0
"""A misfit, over the noise, that needs a remark."""
ROUNDED = 0.001
"""The rounding of a phone's rates in rad/s; browsers round to 0.1 deg/s."""
FIXED = 1e5
"""The weight with which the trace of the inertia is fixed."""
BEYOND = 1e6
"""The deviation of a motion that overflows."""
MEDIAN_OF_NORMAL = 0.6745
"""The median of normal deviations, over their standard deviation."""
UNDETERMINED = 0.2
"""The error of a moment, over the largest one, from which on it counts as unknown."""
LONGEST_TURN = 0.15
"""In a step of Runge and Kutta's method, in radians."""
MOST_SUBSTEPS = 8
"""In an interval between rows; a motion that needs more is none that the rows show."""

ENTRIES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
"""The entries of a symmetric matrix that determine it."""


@dataclass(frozen=True, eq=False)
class ThrownBody:
    """A body whose moments of inertia are known up to a factor, in the axes of its gyroscope.

    Attributes
    ----------
    J : (3, 3) its inertia, whose largest moment is 1.
    moments, errors : (3,) the principal moments, and their standard errors; nan if the motion is not
        that of a free body, so that these are unknown.
    axes : (3, 3) the principal axes as the columns of a rotation.
    axis_errors : (3,) the standard errors of the directions of the axes, in radians.
    Omega0 : (3,) the rate at the start of the flight, in rad/s.
    part : the begin and the end of the flight, in s from the first row on.
    rows : the rows of the flight.
    misfit : the root mean square by which rows deviate from the motion, in rad/s.
    remarks : what limits the result, in clauses.
    """

    J: Array
    moments: Array
    errors: Array
    axes: Array
    axis_errors: Array
    Omega0: Array
    part: tuple[float, float]
    rows: int
    misfit: float
    remarks: tuple[str, ...]

    def __repr__(self) -> str:
        pairs = zip(self.moments, self.errors, strict=True)
        moments = " : ".join(f"{moment:.3f} ± {error:.3f}" for moment, error in pairs)
        return f"<thrown body, moments {moments}>"


def from_rates(recording: Recording, part: tuple[float, float] | None = None) -> ThrownBody:
    """Estimate the ratios of a thrown body's moments of inertia from the rates of its gyroscope.

    The errors include noise, whose size the misfit shows, and what phones' gyroscopes typically have:
    offsets of 0.05 rad/s, errors of 1 % of scales and of the angles between axes, and a drag of the
    air of 5 % per second (standard deviations).

    Parameters
    ----------
    recording : the samples, a file that `engine.read_rates` takes, or times (n,) in s and rates
        (n, 3) in rad/s.
    part : the begin and the end of the free flight, in s from the first row on; if it is omitted,
        the accelerometer finds it, or the whole recording is used if there is none.
    """
    samples = _as_samples(recording)
    ends = check_part(part)
    if ends is None:
        ends = find_flight(samples) or (0.0, float(samples.t[-1]))
    inside = (samples.t >= ends[0]) & (samples.t <= ends[1])
    t = samples.t[inside]
    rates = samples.rates[inside]
    at_end = samples.clipped[inside] | _find_ends(rates)
    if len(t) < FEWEST_ROWS:
        raise ValueError(
            f"a flight needs {FEWEST_ROWS} rows or more; there are {len(t)} from t = {show(ends[0], 4)} s to "
            f"{show(ends[1], 4)} s"
        )
    if len(t) > MOST_ROWS:
        raise ValueError(
            f"a flight has at most {MOST_ROWS:,} rows; there are {len(t):,} from t = {show(ends[0], 4)} s to "
            f"{show(ends[1], 4)} s: give the part of the recording that is one"
        )
    if np.abs(rates).max() * (t[-1] - t[0]) < 1.0:
        raise ValueError(
            "the body hardly turns in the flight, so its rates do not show its moments"
        )
    flight = _Flight(t - t[0], rates, at_end, np.ones(rates.shape, bool))
    flight, fit = _fit_best(flight)
    if _is_poor(fit, flight):
        raise ValueError(
            f"the rates from t = {show(ends[0], 4)} s to {show(ends[1], 4)} s are not those of a free body: they "
            f"deviate from the best motion by {show(fit.misfit, 2)} rad/s"
        )
    return _describe(flight, fit, ends, samples)


def _as_samples(recording: Recording) -> Samples:
    if isinstance(recording, Samples):
        return recording
    if isinstance(recording, str | os.PathLike):
        return read_samples(recording)
    t, rates = recording
    return make_samples(t, rates)


def find_flight(samples: Samples) -> tuple[float, float] | None:
    """Return the longest part in free flight, in s from the first row on; None without accelerations.

    There the accelerometer measures ω̇ × r + ω × (ω × r), where r is its place from the centre of
    mass: of a phone that turns with 15 rad/s, this is more than the weight. So r is fitted in each
    window, and what is left of the acceleration counts.
    """
    if samples.accelerations is None:
        return None
    t, measured = samples.accelerations
    rates, gains = _interpolate(samples, t)
    arms = _cross(gains) + _cross(rates) @ _cross(rates)
    count = max(4, int(np.ceil(SHORTEST_FLIGHT / float(np.median(np.diff(t))))))
    if len(t) < count:
        raise ValueError("the recording is too short to contain a flight")
    left = _fit_windows(arms, measured, count)
    starts = left < WEIGHTLESS
    if not starts.any():
        raise ValueError(
            "the accelerometer shows no free flight; give the part of the recording that is one"
        )
    edges = np.flatnonzero(np.diff(np.concatenate([[0], starts.astype(np.int8), [0]])))
    first, last = max(edges.reshape(-1, 2), key=lambda run: run[1] - run[0])
    # The last window that begins in the run ends `count` rows later; its ends may touch a hand.
    rows = slice(first, last + count - 1)
    place = np.linalg.lstsq(arms[rows].reshape(-1, 3), measured[rows].ravel(), rcond=None)[0]
    free = np.linalg.norm(measured[rows] - arms[rows] @ place, axis=1) < 2 * WEIGHTLESS
    inner = t[rows][free]
    return float(inner[1]), float(inner[-2])


def _interpolate(samples: Samples, t: Array) -> tuple[Array, Array]:
    """Return the rates and their derivatives at other times."""
    gains = np.gradient(samples.rates, samples.t, axis=0)

    def find_at(values: Array) -> Array:
        return np.stack([np.interp(t, samples.t, column) for column in values.T], axis=-1)

    return find_at(samples.rates), find_at(gains)


def _fit_windows(arms: Array, measured: Array, count: int) -> Array:
    """Return the root mean square that is left of the accelerations in each window of `count` rows,
    after the place of the sensor is fitted in it.
    """

    def sum_windows(products: Array) -> Array:
        sums = np.concatenate([np.zeros((1, *products.shape[1:])), np.cumsum(products, axis=0)])
        return sums[count:] - sums[:-count]

    normal = sum_windows(np.einsum("nki,nkj->nij", arms, arms))
    right = sum_windows(np.einsum("nki,nk->ni", arms, measured))
    squares = sum_windows((measured**2).sum(axis=1))
    # The sensor is within centimetres of the centre: a phone at rest does not determine where.
    ridge = 1e-3 * count * np.eye(3)
    place = np.linalg.solve(normal + ridge, right[..., None])[..., 0]
    left = squares - 2 * (place * right).sum(-1) + np.einsum("ni,nij,nj->n", place, normal, place)
    return np.sqrt(np.maximum(left, 0.0) / count)


@dataclass(frozen=True, eq=False)
class _Flight:
    """The rows of a free flight: times from 0 on, rates, which of them are at the end of the range, and
    which are used.
    """

    t: Array
    rates: Array
    at_end: Flags
    usable: Flags


@dataclass(frozen=True, eq=False)
class _Fit:
    """A fit: the inertia of trace 1, the other numbers (`_split`), the cost, the noise and the
    misfit.
    """

    J: Array
    others: Array
    cost: float
    noise: float
    misfit: float


def _fit_best(flight: _Flight) -> tuple[_Flight, _Fit]:
    """Return the fit of the motion from the solution of the linear equations, or, if that is poor, the
    best one from there and from three boxes; and the flight without the values that deviate.
    """
    fit = _fit_growing(flight, _solve_linear(flight))
    if fit.misfit > NOISY * _find_noise(flight):
        boxes = (_fit_growing(flight, np.diag(np.roll([0.2, 0.35, 0.45], k))) for k in range(3))
        fit = min((fit, *boxes), key=lambda each: each.cost)
    for _ in range(2):
        deviations = np.abs(_find_deviations(flight, fit.J[None], fit.others[None])[0])
        measured = flight.usable & ~flight.at_end
        noise = float(np.median(deviations[measured])) / MEDIAN_OF_NORMAL
        flight = replace(flight, usable=flight.usable & (deviations <= OUTLIER * noise))
        fit = _fit(flight, fit.J, max(fit.misfit, 1e-6), fit.others)
    return flight, fit


def _fit_growing(flight: _Flight, J: Array) -> _Fit:
    """Return the fit from an inertia on, first to the beginning of the flight: over a long time, the
    phases of two motions differ by so much that no small change brings them together.
    """
    others = None
    for share in SHARES:
        rows = slice(max(FEWEST_ROWS, round(share * len(flight.t))))
        begin = _Flight(*(array[rows] for array in vars(flight).values()))
        fit = _fit(begin, J, QUIET, others)
        if _is_poor(fit, begin):
            return replace(fit, cost=np.inf)
        J, others = fit.J, fit.others
    return fit


def _is_poor(fit: _Fit, flight: _Flight) -> bool:
    """Return whether the misfit is so large that the motion is not that of this body."""
    return fit.misfit > POOR * float(np.sqrt(np.mean(flight.rates**2)))


def _find_ends(rates: Array) -> Flags:
    """Return which values are the largest of all, if that occurs more than once: the end of the
    range.
    """
    sizes = np.abs(rates)
    at_end: Flags = sizes >= (1 - 1e-6) * sizes.max()
    if np.count_nonzero(at_end) < 2:
        at_end = np.zeros(rates.shape, bool)
    return at_end


def _solve_linear(flight: _Flight) -> Array:
    """Return the inertia, of trace 1, that solves Euler's equations in the weak form best."""
    t, rates = flight.t, flight.rates
    whole: Flags = np.asarray(~flight.at_end.any(axis=1))
    length = max(8, len(t) // 4)
    equations = []
    for begin in range(0, len(t) - length + 1, max(1, length // 4)):
        rows = slice(begin, begin + length)
        if not whole[rows].all():
            continue
        times = t[rows]
        place = 2 * (times - times[0]) / (times[-1] - times[0]) - 1
        bump = (1 - place**2) ** 2
        slope = -4 * place * (1 - place**2) * 2 / (times[-1] - times[0])
        equations.append(
            np.stack(
                [
                    np.trapezoid(
                        bump[:, None] * np.cross(rates[rows], rates[rows] @ basis)
                        - slope[:, None] * (rates[rows] @ basis),
                        times,
                        axis=0,
                    )
                    for basis in BASIS
                ],
                axis=-1,
            )
        )
    if not equations:
        return np.eye(3) / 3
    solution = np.linalg.svd(np.concatenate(equations))[2][-1]
    J = np.einsum("k,kij->ij", solution, BASIS)
    return _make_physical(J * np.sign(np.trace(J)))


def _symmetric(i: int, j: int) -> Array:
    unit = np.zeros((3, 3))
    unit[i, j] = unit[j, i] = 1.0
    return unit


BASIS = np.array([_symmetric(i, j) for i, j in ENTRIES])
"""Of symmetric matrices."""


def _make_physical(J: Array) -> Array:
    """Return the inertia of a body near a matrix, of trace 1: its second moments are positive."""
    values, vectors = np.linalg.eigh(0.5 * np.trace(J) * np.eye(3) - J)
    second = vectors @ np.diag(np.maximum(values, 0.01 * np.abs(values).max())) @ vectors.T
    return _find_inertia(second)


def _find_inertia(second: Array) -> Array:
    """Return the inertia of trace 1 of a body with these second moments, ∫xxᵀ dm."""
    J = np.trace(second, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - second
    return J / np.trace(J, axis1=-2, axis2=-1)[..., None, None]


LOWER = np.tril_indices(3)
OTHERS = 13
"""The rate at the start (3), the drag (1), the offsets (3), and the errors of scale and angles (6)."""
PRIORS = np.concatenate([[DRAG], np.full(3, BIAS), np.full(6, SCALE)])


def _fit(flight: _Flight, J: Array, noise: float, others: Array | None = None) -> _Fit:
    """Fit the motion to the rows, from an inertia on; `noise` is that of the rows."""
    from scipy.optimize import least_squares  # slow to import

    if others is None:
        others = np.concatenate([flight.rates[0], np.zeros(OTHERS - 3)])
    second = np.eye(3) * 0.5 * np.trace(J) - J
    factor = np.linalg.cholesky(second + 1e-9 * np.eye(3))
    start = np.concatenate([factor[LOWER], others])

    def unpack(x: Array) -> tuple[Array, Array]:
        lower = np.zeros((*x.shape[:-1], 3, 3))
        lower[..., LOWER[0], LOWER[1]] = x[..., :6]
        return _find_inertia(lower @ np.swapaxes(lower, -1, -2)), x[..., 6:]

    def find_residuals(x: Array) -> Array:
        size = (np.sum(x[..., :6] ** 2, axis=-1, keepdims=True) - 0.5) / 0.01
        return np.concatenate([_find_residuals(flight, *unpack(x), noise), size], axis=-1)

    def find_jacobian(x: Array) -> Array:
        step = 1e-5 * np.maximum(0.1, np.abs(x))
        both = find_residuals(np.concatenate([x + np.diag(step), x - np.diag(step)]))
        return ((both[: len(x)] - both[len(x) :]) / (2 * step[:, None])).T

    found = least_squares(
        lambda x: find_residuals(x[None])[0], start, find_jacobian, method="lm", max_nfev=MOST_CALLS
    )
    J, others = unpack(found.x)
    deviations = _find_deviations(flight, J[None], others[None])[0]
    deviations = deviations[flight.usable & ~flight.at_end]
    return _Fit(J, others, float(found.cost), noise, float(np.sqrt(np.mean(deviations**2))))


def _find_residuals(flight: _Flight, J: Array, others: Array, noise: float) -> Array:
    """Return the deviations over the noise, and the other numbers over their standard deviations."""
    deviations = _find_deviations(flight, J, others)
    return np.concatenate([deviations[:, flight.usable] / noise, others[:, 3:] / PRIORS], axis=-1)


def _find_deviations(flight: _Flight, J: Array, others: Array) -> Array:
    """Return by how much the gyroscope would measure more than it did, (k, n, 3), for k motions."""
    with np.errstate(over="ignore", invalid="ignore"):
        motion = _move(J, others[:, :3], others[:, 3], flight.t)
    errors = np.einsum("kb,bij->kij", others[:, 7:13], BASIS)
    shown = motion + motion @ errors + others[:, None, 4:7]
    deviations = np.nan_to_num(shown - flight.rates, nan=BEYOND, posinf=BEYOND, neginf=-BEYOND)
    # At the end of the range the rate may be larger, but not smaller.
    sign = np.sign(flight.rates)
    return np.where(flight.at_end, sign * np.minimum(sign * deviations, 0.0), deviations)


def _move(J: Array, Omega0: Array, drag: Array, t: Array) -> Array:
    """Return the rates (k, n, 3) of k free bodies by the Runge–Kutta method of order four."""
    # dω/dt is quadratic in ω: these are its coefficients of the products of ENTRIES.
    pairs = np.cross(np.moveaxis(J, -1, 0)[:, None], np.eye(3)[None, :, None])
    both = pairs + np.swapaxes(pairs, 0, 1)
    products = np.stack([both[i, j] * (0.5 if i == j else 1.0) for i, j in ENTRIES], axis=-1)
    quadratic = np.linalg.solve(J, products)
    first, second = np.transpose(ENTRIES)

    def find_gain(rate: Array) -> Array:
        squares = (rate[:, first] * rate[:, second])[..., None]
        return (quadratic @ squares)[..., 0] - drag[:, None] * rate

    fastest = float(np.abs(Omega0).max())
    rate = Omega0
    rows = [rate]
    for interval in np.diff(t):
        substeps = int(np.clip(np.ceil(fastest * interval / LONGEST_TURN), 1, MOST_SUBSTEPS))
        h = interval / substeps
        for _ in range(substeps):
            k1 = find_gain(rate)
            k2 = find_gain(rate + 0.5 * h * k1)
            k3 = find_gain(rate + 0.5 * h * k2)
            k4 = find_gain(rate + h * k3)
            rate = rate + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        rows.append(rate)
    return np.stack(rows, axis=1)


def _describe(
    flight: _Flight, fit: _Fit, part: tuple[float, float], samples: Samples
) -> ThrownBody:
    """Return the result with its errors, from the covariance of the fit."""
    covariance = _find_covariance(flight, fit)
    moments, axes = principal_axes(fit.J)
    largest = int(np.argmax(moments))
    along = np.einsum("bij,ip,jq->bpq", BASIS, axes, axes)
    ratios = moments / moments[largest]
    gains = np.stack([along[:, i, i] - ratios[i] * along[:, largest, largest] for i in range(3)])
    errors = np.sqrt(np.einsum("ib,bc,ic->i", gains, covariance, gains)) / moments[largest]
    turns = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            if i != j:
                gain = along[:, i, j] / max(abs(moments[i] - moments[j]), 1e-9)
                turns[i, j] = np.sqrt(gain @ covariance @ gain)
    axis_errors = np.minimum(np.sqrt((turns**2).sum(axis=1)), np.pi / 2)
    if fit.misfit > NOISY * _find_noise(flight):
        errors = np.full(3, np.nan)
        axis_errors = np.full(3, np.nan)
    return ThrownBody(
        fit.J / moments[largest],
        ratios,
        errors,
        axes,
        axis_errors,
        fit.others[:3],
        part,
        len(flight.t),
        fit.misfit,
        tuple(_list_remarks(flight, errors, fit)),
    )


def _find_covariance(flight: _Flight, fit: _Fit) -> Array:
    """Return the covariance (6, 6) of the entries of the inertia, whose trace is fixed."""
    step = 1e-5
    count = len(BASIS) + OTHERS
    J = np.repeat(fit.J[None], 2 * count, axis=0)
    others = np.repeat(fit.others[None], 2 * count, axis=0)
    for k in range(count):
        for sign, place in ((1, k), (-1, count + k)):
            if k < len(BASIS):
                J[place] += sign * step * BASIS[k]
            else:
                others[place, k - len(BASIS)] += sign * step
    values = int(np.count_nonzero(flight.usable & ~flight.at_end))
    noise = fit.misfit * np.sqrt(values / max(values - 8, 1))
    residuals = _find_residuals(flight, J, others, max(noise, 1e-9))
    jacobian = (residuals[:count] - residuals[count:]).T / (2 * step)
    trace = np.zeros(count)
    trace[:3] = FIXED
    information = jacobian.T @ jacobian + np.outer(trace, trace)
    return np.asarray(np.linalg.inv(information)[:6, :6], float)


def _find_noise(flight: _Flight) -> float:
    """Return the noise that third differences of the rates show, which is never less than their
    rounding.
    """
    differences = np.abs(np.diff(flight.rates, 3, axis=0))
    return max(float(np.median(differences)) / (MEDIAN_OF_NORMAL * np.sqrt(20)), ROUNDED)


def _list_remarks(flight: _Flight, errors: Array, fit: _Fit) -> list[str]:
    remarks = []
    if np.isnan(errors).any():
        remarks.append(
            f"the rates deviate from the motion of a free body by {show(fit.misfit, 2)} rad/s, more than by their "
            f"noise of {show(_find_noise(flight), 2)} rad/s, so the errors are unknown: the part may be longer than "
            "the flight, or too much of it beyond the sensor's range"
        )
    elif errors.max() > UNDETERMINED:
        remarks.append(
            "the flight hardly determines the moments: the body turns about nearly one axis, or too little"
        )
    for which, why in (
        (flight.at_end, "at the end of the sensor's range, and only bound the motion"),
        (~flight.usable, "far from the motion of any free body, and are not used"),
    ):
        if count := int(np.count_nonzero(which)):
            remarks.append(f"{count} of {which.size} values are {why}")
    return remarks


def _cross(vectors: Array) -> Array:
    """Return the matrices v̂ of v × (n, 3, 3)."""
    x, y, z = np.moveaxis(vectors, -1, 0)
    zero = np.zeros_like(x)
    return np.stack(
        [
            np.stack([zero, -z, y], axis=-1),
            np.stack([z, zero, -x], axis=-1),
            np.stack([-y, x, zero], axis=-1),
        ],
        axis=-2,
    )
