"""Reference runs: the motion of any problem, by a method of high order at steps fine enough, with
an estimate.

The step is halved until successive resolutions differ by at most 1e-13, or only by roundoff. States
between the nodes of a run are interpolated through twelve nodes, which at such steps is more
accurate than the run.

Witnesses give the estimate of the error: runs with twice the step, one from the same start, and two
with other last digits of the start and the moments of inertia. The estimate is a multiple of their
largest distance from the reference so far. So it contains the truncation, the roundoff, and their
growth: in a chaotic motion errors, and with them the estimate, grow exponentially. Where the
estimate exceeds `LOST`, the motion is not known, and the reference ends.
"""

from __future__ import annotations

import dataclasses
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, comb, log2
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..kernels import Cancelled, compiles, is_compiled
from ..parameters.validation import Array
from ..problems.problem import Problem
from ..simulation import Run, simulate
from ..text.formatting import show

METHOD = "RKMK(tableau=dop853)"

SMALL = 1e-13
"""A sufficiently small difference of two resolutions: radians, and momentum relative to the
largest.
"""
NEAR_ROUNDOFF = 1e-7
"""Below this, a difference that halving the step hardly reduces is roundoff."""
HELPS = 8
"""Halving the step reduces a difference by this factor or more, unless it is roundoff."""
LAST_DIGIT = 4 * float(np.finfo(float).eps)
"""The change of a witness's data in their last digits: relative, or in radians."""
MARGIN = 5.0
"""The estimate in units of the distance of the witnesses, which are few and may agree by chance.

Of the 200 random motions in `tests/data/chaotic_tops.json`, 181 are known at their times; the
estimates are 1.7 to 800 times the errors, in the median 13 times those of the attitude.
"""
LOST = 0.1
"""With an estimate above this, in radians or relative momentum, a motion is not known."""
GOOD = 1e-6
"""The largest estimate, in radians, of a good motion; see `Motion.horizon`."""
TURN = 0.5
"""The largest turn in a step of the first resolution at the initial angular velocity, in radians.
"""
FIRST_STAGE = 2000
"""The nodes for which the step is first found; then the run becomes four times as long, and so on.
"""
MOST_STEPS = 4_000_000
MOST_STEPS_IN_PYTHON = 40_000
"""The most steps of a run, compiled, and where each step calls Python."""
MOST_ROWS = 250_000
STEPS_A_NODE = 24
"""The steps of all runs together, if the step is halved three times."""
ROOM = 4
"""A step can become at least so many times finer than the first."""
CACHE_BYTES = 64_000_000
NODES = 12
"""The number of nodes through which states are interpolated."""
SHORTEST = 1e-9
"""The least spacing of nodes."""
WHOLE = 1e-9
"""A time nearer to a node than this, in spacings, is at the node."""

Progress = Callable[[int, int], Any]


class Estimate(NamedTuple):
    """A bound of a motion's error: the attitude in radians, the momentum relative to its
    largest.
    """

    attitude: float
    momentum: float


class Estimates(NamedTuple):
    """Bounds of a motion's errors at its times, (n,); infinite where it is not known."""

    attitude: Array
    momentum: Array

    @property
    def worst(self) -> Estimate:
        """The largest of each."""
        return Estimate(float(self.attitude.max()), float(self.momentum.max()))


def difference(
    R: Array, Pi: Array, R_: Array, Pi_: Array, largest: float | Array | None = None
) -> tuple[Array, Array]:
    """The difference of two motions at each time: the chord of the turn between them, in radians,
    and the momentum's.

    The momentum is relative to `largest`, by default the largest of the first motion.
    """
    if largest is None:
        largest = np.sqrt((Pi**2).sum(axis=-1).max(initial=0.0))
    away = np.sqrt(((Pi - Pi_) ** 2).sum(axis=-1))
    return np.sqrt(((R - R_) ** 2).sum(axis=(-2, -1)) / 2), away / np.where(
        largest == 0.0, 1.0, largest
    )


@dataclass(frozen=True, eq=False)
class Track:
    """A reference run: states at the multiples of a spacing, and bounds of their errors.

    Attributes
    ----------
    rows : (n, 12) R and Ω.
    step : the step of the run, which may store only some states.
    off : (m, 2) the estimate until each `apart`-th of the rows.
    settled : whether finer steps would not help.
    lost : whether it ends where the motion is no longer known.
    """

    spacing: float
    rows: Array
    step: float
    off: Array
    apart: int
    settled: bool = False
    lost: bool = False

    @property
    def nbytes(self) -> int:
        """The memory that it uses."""
        return int(self.rows.nbytes + self.off.nbytes)

    @property
    def end(self) -> float:
        """The last time at which the motion is known."""
        return (len(self.rows) - 1) * self.spacing

    @property
    def horizon(self) -> float:
        """The time until which the attitude is good."""
        return (
            (int(np.searchsorted(self.off[:, 0], GOOD, side="right")) - 1)
            * self.apart
            * self.spacing
        )

    def at(self, t: Array) -> tuple[Array, Array]:
        """R and Ω at any times of the run."""
        s = t / self.spacing
        nearest = np.rint(s)
        rows = (
            self.rows[nearest.astype(int)]
            if np.abs(s - nearest).max(initial=0.0) <= WHOLE
            else self._between(s)
        )
        R = rows[:, :9].reshape(-1, 3, 3)
        Omega = rows[:, 9:]
        return R, Omega

    def _between(self, s: Array) -> Array:
        """States at s spacings, by barycentric interpolation, with the attitudes projected back to
        rotations.
        """
        first = np.clip(np.floor(s).astype(int) - (NODES // 2 - 1), 0, len(self.rows) - NODES)
        rows = np.zeros((len(s), 12))
        weights = np.zeros((len(s), 1))
        for j in range(NODES):
            from_node = s - (first + j)
            from_node[from_node == 0.0] = 1e-100  # at a node, the others have no weight
            weight = ((-1) ** j * comb(NODES - 1, j) / from_node)[:, None]
            rows += weight * self.rows[first + j]
            weights += weight
        rows /= weights
        R = rows[:, :9].reshape(-1, 3, 3)
        rows[:, :9] = (1.5 * R - 0.5 * R @ R.swapaxes(1, 2) @ R).reshape(-1, 9)
        return rows

    def reaches(self, t: Array) -> NDArray[np.bool_]:
        """Whether the motion is known at each time."""
        return t <= self.end + WHOLE * self.spacing

    def serves(self, last: float) -> bool:
        """Whether it reaches a time, or as far as possible, and is there as accurate as a run to
        that time.

        Where no step is fine enough for a far time, the run to it has coarser steps than one to a
        nearer time.
        """
        return self.lost or bool(
            self.reaches(np.array(last)) and (self.settled or last >= self.end / 2)
        )

    def estimates(self, t: Array) -> Estimates:
        """The bounds of the errors at these times."""
        nodes = np.minimum(
            np.ceil(t / (self.spacing * self.apart) - WHOLE).astype(int), len(self.off) - 1
        )
        return Estimates(*self.off[nodes].T)


class ReferenceRuns:
    """The runs of one reference: they report their steps together, and end when they are
    cancelled.
    """

    def __init__(self, cancel: threading.Event | None, progress: Progress | None) -> None:
        self.cancel = cancel
        self.progress = progress
        self._done = self._expected = self._reported = 0

    def expect(self, steps: int) -> None:
        """Set the expected number of steps of all runs, the first time; the runs may need more."""
        self._expected = self._expected or steps

    def run(self, body: Problem, **steps: Any) -> Run:
        """A run of the method by `simulate`."""
        run = simulate(
            body, METHOD, cancel=self.cancel, progress=self.progress and self._report, **steps
        )
        if run.status == "cancelled":
            raise Cancelled
        self._done += run.cost.steps
        return run

    def _report(self, done: int, total: int) -> None:
        """Report a part of the expected steps that never falls, and is less than all before the
        end.
        """
        assert self.progress is not None
        steps = self._done + done
        self._reported = max(
            self._reported, int(self._expected * steps / max(self._expected, steps + steps / 8))
        )
        self.progress(self._reported, self._expected)


def compute_reference(
    body: Problem, t: Array, dt: float, runs: ReferenceRuns, doubt: float
) -> tuple[Array, Array, Estimates, float, str]:
    """R (n, 3, 3) and Ω (n, 3) at times (n,), their estimates, their horizon, and their source in
    words.

    They are nan where the motion is not known. `doubt` is the relative uncertainty of the start.
    """
    if t.min() < 0.0:
        raise ValueError(
            f"{body.label} has no closed solution, and its reference run begins at t = 0, not {show(t.min())}"
        )
    last = float(t.max())
    track = _find_track(body, t, dt, runs, max(doubt / MARGIN, LAST_DIGIT))
    known = track.reaches(t)
    if not known[t > 0.0].any() and last > 0.0:
        raise ValueError(describe_loss(body, track.end))
    R = np.full((len(t), 3, 3), np.nan)
    Omega = np.full((len(t), 3), np.nan)
    off = np.full((2, len(t)), np.inf)
    R[known], Omega[known] = track.at(t[known])
    off[:, known] = track.estimates(t[known])
    how = f"a reference run of {METHOD} with dt = {show(track.step, 4)}"
    return R, Omega, Estimates(*off), track.horizon, how


def describe_loss(body: Problem, end: float) -> str:
    """A sentence: the motion is not known beyond a time."""
    return (
        f"beyond t = {show(end, 4)} the exact motion of {body.label} is not known: roundoff has grown to "
        f"{show(LOST)} rad. Choose a shorter duration"
    )


def _find_common_spacing(t: Array, dt: float) -> float | None:
    """A number of which all times are multiples; None if that needs too many nodes."""
    last = t.max()
    apart = np.diff(np.sort(t), prepend=0.0)
    for unit in (dt, float(apart[apart > 0].min(initial=np.inf))):
        if not WHOLE * last < unit <= last * (1 + WHOLE):
            continue
        unit = last / round(last / unit)
        multiples = np.rint(t / unit)
        common = int(np.gcd.reduce(multiples.astype(np.int64)))
        few = multiples.max() / common <= min(20 * len(t) + 2000, MOST_ROWS)
        if few and np.abs(t - multiples * unit).max() <= WHOLE * unit:
            return common * float(unit)
    return None


def _choose_spacing(body: Problem, last: float) -> float:
    """The problem's step divided by a power of two, so that the duration has enough nodes."""
    wanted = min(body.dt, max(last / NODES, SHORTEST)) if last else body.dt
    return body.dt * 2.0 ** -ceil(log2(body.dt / wanted))


class Tracks:
    """A cache of the tracks used last, limited by memory."""

    def __init__(self) -> None:
        self._tracks: OrderedDict[Any, Track] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Any, last: float) -> Track | None:
        """The track of this key, if it serves until this time."""
        with self._lock:
            track = self._tracks.get(key)
            if track is None or not track.serves(last):
                return None
            self._tracks.move_to_end(key)
            return track

    def store(self, key: Any, track: Track) -> None:
        """Store a track, and drop the least recently used ones if there is no room."""
        with self._lock:
            self._tracks[key] = track
            self._tracks.move_to_end(key)
            while self.nbytes > CACHE_BYTES:
                self._tracks.popitem(last=False)

    @property
    def nbytes(self) -> int:
        """The memory that the tracks use."""
        return sum(track.nbytes for track in self._tracks.values())

    def clear(self) -> None:
        """Remove all tracks."""
        with self._lock:
            self._tracks.clear()


tracks = Tracks()


def _find_track(body: Problem, t: Array, dt: float, runs: ReferenceRuns, doubt: float) -> Track:
    """The reference run for these times, from memory or computed now.

    A run that stores all its steps serves any times; only if these are too many, a run stores the
    given times alone.
    """
    last = float(t.max())
    key, spacing, nodes = _plan_track(body, last, doubt)
    found = tracks.get(key, min(last, nodes * spacing))
    if found is None:
        found = _refine(body, spacing, nodes, True, runs, doubt)
        _store(key, body, found)
    if found.serves(last):
        return found
    own = _find_common_spacing(t, dt)
    if own is None:
        raise _too_long_error(body, last, MOST_STEPS)
    found = tracks.get((*key, own), last)
    if found is None:
        found = _refine(body, own, ceil(last / own - WHOLE), False, runs, doubt)
        _store((*key, own), body, found)
    return found


def _plan_track(body: Problem, last: float, doubt: float) -> tuple[tuple[Any, ...], float, int]:
    """The key, the spacing of the nodes and their number of the run that stores all its steps."""
    action = body.action(body.dt)
    state = body.J.tobytes(), body.R0.tobytes(), body.Omega0.tobytes()
    spacing = _choose_spacing(body, last)
    most = MOST_ROWS // (ROOM * _count_parts(body, spacing))
    nodes = min(max(NODES, ceil(last / spacing - WHOLE)), most)
    return (state, action.field, action.numbers, body.torque, doubt), spacing, nodes


def estimate_effort(body: Problem, last: float) -> int:
    """About how many steps a reference run to a time takes; 0 if there is one in memory."""
    key, spacing, nodes = _plan_track(body, last, LAST_DIGIT)
    stored = tracks.get(key, min(last, nodes * spacing)) is not None
    return 0 if stored else STEPS_A_NODE * nodes * _count_parts(body, spacing)


def _store(key: Any, body: Problem, track: Track) -> None:
    """Store a track, unless the torque is a plain Python function, whose values may change."""
    if is_compiled(body.torque):
        tracks.store(key, track)


def _count_parts(body: Problem, spacing: float) -> int:
    """The number of steps in a spacing at first."""
    return int(
        2 ** max(0, ceil(log2(max(spacing * float(np.linalg.norm(body.Omega0)) / TURN, 1.0))))
    )


def _too_long_error(body: Problem, last: float, most: int) -> ValueError:
    return ValueError(
        f"a reference run of {body.label} to t = {show(last)} at these times would take more than "
        f"{most:,} steps or {MOST_ROWS:,} rows; ask for a shorter duration or for times that are further apart"
    )


def _refine(
    body: Problem, spacing: float, nodes: int, dense: bool, runs: ReferenceRuns, doubt: float
) -> Track:
    """The finest useful run, as far as it can be trusted; if `dense`, it stores each step."""
    slow = not (compiles() and is_compiled(body.torque))
    most = MOST_STEPS_IN_PYTHON if slow else MOST_STEPS

    def run_track(body: Problem, parts: int, until: int) -> Track | Run:
        """A track, or the run that failed."""
        run = runs.run(body, dt=spacing / parts, steps=until * parts, every=1 if dense else parts)
        if run.status != "done":
            return run
        rows = np.concatenate([run.R.reshape(-1, 9), run.Omega], axis=1)
        return Track(run.dt * run.every, rows, run.dt, np.empty((0, 2)), parts if dense else 1)

    parts = _count_parts(body, spacing)
    until = 0
    pair = None
    while True:
        until = min(nodes, 4 * until or FIRST_STAGE)
        runs.expect(6 * nodes * parts)
        coarse = None
        before = None
        settled = False
        failed = None
        while (
            not settled and until * parts <= most and until * (parts if dense else 1) <= MOST_ROWS
        ):
            fine = run_track(body, parts, until)
            if isinstance(fine, Run):
                failed = fine
            else:
                if coarse is not None:
                    off = _measure_distance(fine, coarse, body.J)
                    pair = (fine, off, parts)
                    here = off.max(axis=1)
                    settled = _is_settled(here, before)
                    before = here
                coarse = fine
            parts *= 2
        if before is None:
            if pair is not None:
                break  # no step is fine enough to lead further
            if failed is not None:
                raise ValueError(
                    f"{body.label} has no reference run to t = {show(until * spacing)}: {failed.message}"
                )
            raise _too_long_error(body, nodes * spacing, most)
        if until == nodes or before[-1] * MARGIN > LOST:
            break
        parts = max(1, parts // 8)  # the three resolutions compared last

    assert pair is not None
    track, off, parts = pair
    for sign in (1.0, -1.0):
        witness = run_track(_perturb(body, sign * doubt), max(1, parts // 2), len(off) - 1)
        off = np.maximum(
            off, _measure_distance(track, witness, body.J) if isinstance(witness, Track) else np.inf
        )
    off = np.maximum(MARGIN * off, LAST_DIGIT)
    known = max(1, int(np.searchsorted(off.max(axis=1), LOST, side="right")))
    return dataclasses.replace(
        track,
        rows=track.rows[: (known - 1) * track.apart + 1],
        off=off[:known],
        settled=settled,
        lost=known < len(off),
    )


def _is_settled(here: Array, before: Array | None) -> bool:
    """Whether finer steps would not help, from the largest difference of two resolutions until each
    node.

    The criterion is at the last node where the resolutions before differ by no more than roundoff
    can.
    """
    if here[-1] <= SMALL:
        return True
    at = 0 if before is None else int(np.searchsorted(before, NEAR_ROUNDOFF)) - 1
    return before is not None and at > 0 and bool(here[at] * HELPS > before[at])


def _perturb(body: Problem, doubt: float) -> Problem:
    """The body with its data changed by the doubt: moments and velocity relatively, the attitude in
    radians.
    """
    turn = doubt * np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    stretched = 1 + doubt * np.array([0.5, -0.5, 0.25])
    return dataclasses.replace(
        body,
        J=stretched[:, None] * body.J * stretched,
        R0=body.R0 + body.R0 @ turn,
        Omega0=body.Omega0 * (1 + doubt * np.array([1.0, -1.0, 1.0])),
        Pi0=None,
        of_a_body=False,
    )


def _measure_distance(track: Track, other: Track, J: Array) -> Array:
    """(m, 2) the largest distance of another track from this one until each of its nodes.

    For a coarser track it includes states between its nodes, for the error of interpolation.
    """
    nodes = np.arange(0, len(track.rows), track.apart)
    off = _compare(track, other, nodes, J)
    if other.spacing > track.spacing:
        off[1:] = np.maximum(off[1:], _compare(track, other, nodes[1:] - 1, J))
    return np.maximum.accumulate(off)


def _compare(track: Track, other: Track, at: Any, J: Array) -> Array:
    """(m, 2) the distance of two tracks at these rows of the first."""
    rows = track.rows[at]
    (R, Omega) = other.at(track.spacing * at)
    return np.stack(
        difference(rows[:, :9].reshape(-1, 3, 3), rows[:, 9:] @ J, R, Omega @ J), axis=1
    )
