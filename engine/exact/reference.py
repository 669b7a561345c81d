"""Reference runs: the motion of any problem, by a method of high order at steps fine enough, with an estimate.

The step is halved until two successive resolutions differ by no more than 1e-13, or, where roundoff comes first,
until halving helps no more. States between the nodes of a run are interpolated through twelve of them, which at
such steps is more accurate than the run; the estimate tells of both.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from math import ceil, comb, log2
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.method import find as find_method
from ..checks import Array
from ..compiler import build
from ..problems.problem import Problem
from ..run import Run
from ..simulate import simulate
from ..torque import Compiled

METHOD = "RKMK(tableau=dop853)"

SMALL = 1e-13
"""The difference of two resolutions that is small enough: radians, and momentum relative to the largest."""
NEAR_ROUNDOFF = 1e-7
"""Below this, a difference that halving the step does not halve is roundoff; above, the steps are still too large."""
TURN = 0.5
"""The first resolution turns no more than this in a step at the initial angular velocity, in radians."""
MOST_STEPS = 4_000_000
MOST_STEPS_IN_PYTHON = 40_000
"""The finest resolution has no more steps; the second where Python is called in each."""
MOST_ROWS = 500_000
CACHE_BYTES = 64_000_000
NODES = 12
"""A state between nodes is interpolated through so many."""
WHOLE = 1e-9
"""How near to a node, in spacings, a time must be to be taken for it."""


class Estimate(NamedTuple):
    """How far a motion may be off: the attitude in radians, the momentum relative to its largest."""

    attitude: float
    momentum: float


def difference(R: Array, Pi: Array, R_: Array, Pi_: Array) -> tuple[Array, Array]:
    """By how much two motions differ at each time: the chord of the turn between them, radians; relative momentum."""
    largest = np.sqrt((Pi**2).sum(axis=-1).max()) or 1.0
    return np.sqrt(((R - R_) ** 2).sum(axis=(-2, -1)) / 2), np.sqrt(((Pi - Pi_) ** 2).sum(axis=-1)) / largest


@dataclass(frozen=True, eq=False)
class Track:
    """A reference run: states at the multiples of a spacing, and the largest difference up to each, (n, 2)."""

    spacing: float
    rows: Array
    step: float
    off: Array

    def at(self, t: Array) -> tuple[Array, Array]:
        """R and Ω at any times of the run."""
        s = t / self.spacing
        nearest = np.rint(s)
        rows = self.rows[nearest.astype(int)] if np.abs(s - nearest).max() <= WHOLE else self._between(s)
        R, Omega = rows[:, :9].reshape(-1, 3, 3), rows[:, 9:]
        return R, Omega

    def _between(self, s: Array) -> Array:
        """States at s spacings, by barycentric interpolation, the attitudes brought back onto the rotations."""
        first = np.clip(np.floor(s).astype(int) - (NODES // 2 - 1), 0, len(self.rows) - NODES)
        rows, weights = np.zeros((len(s), 12)), np.zeros((len(s), 1))
        for j in range(NODES):
            from_node = s - (first + j)
            from_node[from_node == 0.0] = 1e-100  # at a node, nothing else counts
            weight = ((-1) ** j * comb(NODES - 1, j) / from_node)[:, None]
            rows += weight * self.rows[first + j]
            weights += weight
        rows /= weights
        R = rows[:, :9].reshape(-1, 3, 3)
        rows[:, :9] = (1.5 * R - 0.5 * R @ R.swapaxes(1, 2) @ R).reshape(-1, 9)
        return rows

    def serves(self, last: float) -> bool:
        """Whether it gets as far, and at that time is as near as a run of its own would be.

        A run to a far time has coarser steps, and where motions part fast it is of use for far times only.
        """
        until = (len(self.rows) - 1 + WHOLE) * self.spacing
        return last <= until and (last >= until / 2 or max(self.estimate(last)) <= 10 * SMALL)

    def estimate(self, until: float) -> Estimate:
        """The difference of the two finest resolutions up to a time."""
        attitude, momentum = self.off[min(ceil(until / self.spacing - WHOLE), len(self.off) - 1)]
        return Estimate(float(attitude), float(momentum))


def reference(body: Problem, t: Array, dt: float) -> tuple[Array, Array, Estimate, str]:
    """R (n, 3, 3) and Ω (n, 3) at the times t (n,), how far they may be off, and how they were found."""
    if t.min() < 0.0:
        raise ValueError(
            f"{body.label} has no closed solution, and its reference run begins at t = 0, not {t.min():g}"
        )
    last = float(t.max())
    spacing = _common_spacing(t, dt)
    if spacing is None:
        track = _track(body, _even_spacing(body, last), last, between=True)
    else:
        track = _track(body, spacing, last, between=False)
    R, Omega = track.at(t)
    return R, Omega, track.estimate(last), f"a reference run of {METHOD} with dt = {track.step:.4g}"


def _common_spacing(t: Array, dt: float) -> float | None:
    """A number of which all times are multiples, if that makes no more nodes than are worth while."""
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


def _even_spacing(body: Problem, last: float) -> float:
    """The problem's step, or a power of two of it, so that there are enough nodes in the duration."""
    wanted = min(body.dt, last / NODES) if last else body.dt
    return body.dt * 2.0 ** -ceil(log2(body.dt / wanted))


class _Cache:
    """The latest tracks, as many as fit in the memory allowed to them."""

    def __init__(self) -> None:
        self._tracks: OrderedDict[Any, Track] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Any, last: float) -> Track | None:
        with self._lock:
            track = self._tracks.get(key)
            if track is None or not track.serves(last):
                return None
            self._tracks.move_to_end(key)
            return track

    def put(self, key: Any, track: Track) -> None:
        with self._lock:
            self._tracks[key] = track
            self._tracks.move_to_end(key)
            while sum(kept.rows.nbytes + kept.off.nbytes for kept in self._tracks.values()) > CACHE_BYTES:
                self._tracks.popitem(last=False)


_cache = _Cache()


def _track(body: Problem, spacing: float, last: float, between: bool) -> Track:
    """The reference run to the last time, from memory or made now."""
    action = body.action(body.dt)
    state = body.J.tobytes(), body.R0.tobytes(), body.Omega0.tobytes()
    key = state, action.field, action.numbers, body.torque, spacing, between
    found = _cache.get(key, last)
    if found is None:
        found = _refined(body, spacing, ceil(last / spacing - WHOLE), between)
        # What a plain Python function does may change with what it refers to.
        if body.torque is None or isinstance(body.torque, Compiled):
            _cache.put(key, found)
    return found


def _refined(body: Problem, spacing: float, nodes: int, between: bool) -> Track:
    """Runs of finer and finer steps, until they differ by no more than is small or can be."""
    method = find_method(METHOD)
    slow = not build.compiles() or (body.torque is not None and not isinstance(body.torque, Compiled))
    most = MOST_STEPS_IN_PYTHON if slow else MOST_STEPS
    parts = 2 ** max(0, ceil(log2(max(spacing * float(np.linalg.norm(body.Omega0)) / TURN, 1.0))))
    coarse = best = run = None
    smallest = np.inf
    while nodes * parts <= most and nodes * (parts if between else 1) <= MOST_ROWS:
        run = simulate(body, method, dt=spacing / parts, steps=nodes * parts, every=1 if between else parts)
        if run.status == "done":
            fine = _as_track(run, coarse, body.J)
            largest = float(fine.off.max())
            if coarse is not None and largest < smallest:
                best = fine
            settled = largest <= SMALL or (largest > smallest / 2 and smallest < NEAR_ROUNDOFF)
            if coarse is not None and settled:
                break
            smallest, coarse = min(smallest, largest), fine
        parts *= 2
    if best is None:
        if run is not None and run.status != "done":
            raise ValueError(f"{body.label} has no reference run to t = {nodes * spacing:g}: {run.message}")
        raise ValueError(
            f"a reference run of {body.label} to t = {nodes * spacing:g} at these times would take more than "
            f"{most:,} steps or {MOST_ROWS:,} rows; ask for a shorter duration or for times that are further apart"
        )
    return best


def _as_track(run: Run, coarse: Track | None, J: Array) -> Track:
    """A run with its differences from the coarser one before it."""
    rows = np.concatenate([run.R.reshape(-1, 9), run.Omega], axis=1)
    spacing = run.dt * run.every
    off = np.full((len(rows), 2), np.inf)
    if coarse is not None:
        R, Omega = coarse.at(spacing * np.arange(len(rows), dtype=float))
        off = np.stack(difference(run.R, run.Pi, R, Omega @ J), axis=1)
    return Track(spacing, rows, run.dt, np.maximum.accumulate(off))
