"""What Miller, Ignagni and Savage say of coning corrections, and programs of their own.

The drift is that of runs in coning of a small angle, between two ends of a run, by the radian of the cone's
phase and the square of the angle. Without a correction it is ½ at high frequencies, as the first order of
the rotation vector has no coning.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import log2, tau

import numpy as np

from ..parameters.validation import Array
from ..problems.given_rates.given import GivenRates
from ..problems.given_rates.rotations import turn_by
from ..problems.problem import find_problem
from ..studies.core.charts import Axes, Axis, Curve
from .claim import Bench, Value, claim
from .figure import figure
from .shared_measures import ATTITUDE_ERROR, STEP

CONE = 1e-4
"""Half the angle of the cone, in radians: its square is the coning, and higher powers do not show."""
STEPS = 400
LARGE_CONE = 2.0
"""The same in degrees, of a strong vibration, at 50 Hz."""
SLEW = find_problem(
    "given-rates",
    GivenRates,
    formula="(sin(1.3*t) + 0.2, 0.7*cos(2.1*t), 0.5 + 0.3*sin(0.3*t*t))",
)
SLEW_END = 2.0


def find_coning(cone: float, phase: float) -> Array:
    """The attitude on a cone of this angle, in radians, at a phase."""
    return turn_by(cone * np.array([[np.cos(phase), np.sin(phase), 0.0]]))[0]


def find_drift(bench: Bench, method: str, phase: float, cone: float = CONE) -> float:
    """The drift of updates of this phase about the cone's axis, per radian and over the square of the
    cone's angle.
    """
    problem = find_problem("coning", GivenRates, cone=float(np.degrees(cone)), frequency=1.0)
    setting = {"dt": phase / tau, "steps": 2 * STEPS, "every": STEPS}
    run = bench.simulate_attitude(problem, method, **setting)
    angles = []
    for R, t in zip(run.R[1:], run.t[1:], strict=True):
        E = R @ find_coning(cone, tau * t).T
        angles.append(float(E[1, 0] - E[0, 1]) / 2)
    return (angles[1] - angles[0]) / (STEPS * phase) / cone**2


def find_power(bench: Bench, method: str, phase: float = 1.2) -> float:
    """The power of the phase of an update with which the drift grows, between it and its half."""
    return log2(find_drift(bench, method, phase) / find_drift(bench, method, phase / 2))


def find_end_of_slew(bench: Bench, method: str, dt: float) -> Array:
    """The attitude after the slew."""
    return bench.simulate_attitude(SLEW, method, dt=dt, duration=SLEW_END).R[-1]


def find_order(bench: Bench, method: str, dt: float) -> float:
    """The order on the slew, from a halved step and a fourth of it."""
    ends = [find_end_of_slew(bench, method, dt / 2**k) for k in range(3)]
    off = [np.linalg.norm(ends[k] - ends[k + 1]) for k in range(2)]
    return float(log2(off[0] / off[1]))


@claim(key="miller-three-samples")
def miller(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The power between updates of 1.2 and 0.6 rad of the cone's phase; the drift at 0.6 rad over the sixth
    power; that of weights which are exact for polynomials.
    """
    method = "CONING(samples=3)"
    yield "power of the drift", find_power(bench, method)
    drift = abs(find_drift(bench, method, 0.6))
    yield "1 / constant", 0.6**6 / drift
    polynomial = abs(find_drift(bench, "CONING(samples=3, correction=polynomial)", 0.6))
    yield "drift with weights for polynomials (times)", polynomial / drift


@claim(key="coning-constants")
def constants(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The power of the phase of an update over the drift, at 0.6 rad or, with four samples, 1.2 rad."""
    for samples, phase in ((1, 0.6), (2, 0.6), (3, 0.6), (4, 1.2)):
        drift = abs(find_drift(bench, f"CONING(samples={samples})", phase))
        yield f"1 / constant, samples: {samples}", phase ** (2 * samples) / drift


@claim(key="ignagni-distance")
def distance(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The drift at 1.6 rad of the products with the last sample over that of all products."""
    for samples in (3, 4):
        last, every = f"CONING(samples={samples}, correction=last)", f"CONING(samples={samples})"
        ratio = find_drift(bench, last, 1.6) / find_drift(bench, every, 1.6)
        yield f"ratio of the drifts, samples: {samples}", ratio


@claim(key="ignagni-before")
def before(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The powers without and with the increment before, between updates of 0.6 and 0.3 rad of the phase; for
    two samples, of 1.2 and 0.6 rad, for three, of 2 and 1 rad.
    """
    for samples, phase in ((1, 0.6), (2, 1.2), (3, 2.0)):
        for used in ("no", "yes"):
            method = f"CONING(samples={samples}, before={used})"
            yield f"power, samples: {samples}, before: {used}", find_power(bench, method, phase)


@claim(key="savage-simplification")
def simplification(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The order on a slew, with eight intervals of four samples, so that the integral of ½ α × ω is exact
    beside what is left out.
    """
    method = "CONING(samples=4, intervals=8, correction=polynomial)"
    yield "order on a slew", find_order(bench, method, 0.2)


@claim(key="savage-two-speeds")
def two_speeds(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The drift of four intervals of 0.4 rad in an update over that of updates of one interval; its power
    between intervals of 0.4 and 0.2 rad.
    """
    one, four = "CONING(samples=1, before=yes)", "savage"
    ratio = find_drift(bench, four, 1.6) / find_drift(bench, one, 0.4)
    yield "drift of two speeds (of one)", ratio
    yield "power of the drift", find_power(bench, four, 1.6)


@claim(key="ardupilot-together")
def together(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The drifts at a cone of 2° and 50 Hz with 1000 samples in a second, and the errors after a slew of 2 s
    with 20 updates, each over that of separate sums.
    """
    phase = 4 * tau * 50 / 1000
    cone = float(np.radians(LARGE_CONE))
    drifts = [find_drift(bench, method, phase, cone) for method in ("ardupilot", "savage")]
    yield "ratio of the drifts", drifts[0] / drifts[1]
    end = find_end_of_slew(bench, "MAGNUS(order=6)", 0.01)
    off = [
        np.linalg.norm(find_end_of_slew(bench, method, 0.1) - end)
        for method in ("ardupilot", "savage")
    ]
    yield "ratio of the errors on a slew", float(off[0] / off[1])


@claim(key="px4-coning")
def px4(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The drift of updates of 0.2 rad of the phase, over that without a correction, of four samples in an
    update.
    """
    none, left = (find_drift(bench, name, 0.2) for name in ("EXP(rate=mean)", "px4"))
    yield "drift left (%)", 100 * abs(left / none)


DRIFTING = (
    "EXP(rate=mean)",
    "px4",
    "CONING(samples=1, before=yes)",
    "savage",
    "CONING(samples=2)",
    "CONING(samples=3)",
    "CONING(samples=4)",
)
PHASES = tuple(0.25 * 2 ** (k / 2) for k in range(8))
SLEWING = ("px4", "ardupilot", "savage", "CONING(samples=2)", "CONING(samples=4, correction=last)")
STEPS_OF_SLEW = tuple(0.2 / 2**k for k in range(6))


@figure(
    key="coning-corrections",
    axes=(
        Axes(Axis("phase of an update, rad", log=True), Axis("drift / θ²", log=True), "coning"),
        Axes(STEP, ATTITUDE_ERROR, "slew"),
    ),
    count=len(DRIFTING) + len(SLEWING),
)
def corrections(bench: Bench) -> Iterator[Curve]:
    """The drift in coning of a small angle θ, per radian of the phase; the error after a slew of 2 s, against
    MAGNUS of order six.
    """
    for method in DRIFTING:
        drifts = np.array([abs(find_drift(bench, method, phase)) for phase in PHASES])
        yield Curve(method, np.array(PHASES), drifts, 0, marks=True)
    end = find_end_of_slew(bench, "MAGNUS(order=6)", 0.005)
    for method in SLEWING:
        errors = [
            float(np.linalg.norm(find_end_of_slew(bench, method, dt) - end, 2))
            for dt in STEPS_OF_SLEW
        ]
        yield Curve(method, np.array(STEPS_OF_SLEW), np.array(errors), 1, marks=True)
