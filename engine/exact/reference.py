"""Reference runs: the motion of any problem, by a method of high order at steps fine enough, with an estimate.

The step is halved until that helps no more: until successive resolutions differ by no more than 1e-13, or roundoff
comes first. States between the nodes of a run are interpolated through twelve of them, which at such steps is more
accurate than the run.

The estimate is made of witnesses: runs of twice the step, one from the very start and two from starts, and with
moments of inertia, that are off by their last digits. It is some times the largest distance of these from the
reference until then. So it has the truncation, the roundoff, and what the motion makes of both: where that is
chaotic, errors grow exponentially, and with them the estimate. From when on it is beyond `LOST` nothing is known of
the motion any more, and the reference ends.
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

from ..cancelling import Cancelled
from ..checks import Array
from ..kernels import build
from ..onebody import Run
from ..problems.problem import Problem
from ..simulate import simulate
from ..torque import is_compiled
from ..wording import short

METHOD = "RKMK(tableau=dop853)"

SMALL = 1e-13
"""The difference of two resolutions that is small enough: radians, and momentum relative to the largest."""
NEAR_ROUNDOFF = 1e-7
"""Below this, a difference that halving the step does not make a good deal smaller is roundoff."""
HELPS = 8
"""What halving the step gains at least, if it is not roundoff that it meets; at order eight it gains more."""
LAST_DIGIT = 4 * float(np.finfo(float).eps)
"""By how much the data of a motion are changed, to see what it owes to their last digits: relatively, or radians."""
MARGIN = 5.0
"""How many times the distance of the witnesses is the estimate: they are few, and may be near by chance.

Of the 200 random motions in `tests/data/chaotic_tops.json` 181 are known at their times; the estimates are 1.7 to 800
times the errors, in the median 13 times those of the attitude.
"""
LOST = 0.1
"""The estimate in radians, or of the momentum relatively, beyond which nothing is known of a motion."""
GOOD = 1e-6
"""The estimate in radians up to which a motion counts as good: `Motion.horizon` is until when it is."""
TURN = 0.5
"""The first resolution turns no more than this in a step at the initial angular velocity, in radians."""
FIRST_STAGE = 2000
"""Nodes, a spacing apart, on which the step is found; the run is then made four times as long, and so on."""
MOST_STEPS = 4_000_000
MOST_STEPS_IN_PYTHON = 40_000
"""The finest resolution has no more steps; the second where Python is called in each."""
MOST_ROWS = 250_000
STEPS_A_NODE = 24
"""Of all runs together, where the step is halved three times."""
ROOM = 4
"""So many times finer than at first a step may become at least."""
CACHE_BYTES = 64_000_000
NODES = 12
"""A state between nodes is interpolated through so many."""
SHORTEST = 1e-9
"""No nodes are nearer in time."""
WHOLE = 1e-9
"""How near to a node, in spacings, a time must be to be taken for it."""

Progress = Callable[[int, int], Any]


class Estimate(NamedTuple):
    """How far a motion may be off: the attitude in radians, the momentum relative to its largest."""

    attitude: float
    momentum: float


class Estimates(NamedTuple):
    """The same at each of some times, (n,); infinite where nothing is known."""

    attitude: Array
    momentum: Array

    @property
    def worst(self) -> Estimate:
        """The largest of each."""
        return Estimate(float(self.attitude.max()), float(self.momentum.max()))


def difference(
    R: Array, Pi: Array, R_: Array, Pi_: Array, largest: float | Array | None = None
) -> tuple[Array, Array]:
    """By how much two motions differ at each time: the chord of the turn between them, radians; relative momentum.

    That is relative to its largest, which is that of the first if it is not given.
    """
    if largest is None:
        largest = np.sqrt((Pi**2).sum(axis=-1).max(initial=0.0))
    away = np.sqrt(((Pi - Pi_) ** 2).sum(axis=-1))
    return np.sqrt(((R - R_) ** 2).sum(axis=(-2, -1)) / 2), away / np.where(largest == 0.0, 1.0, largest)


@dataclass(frozen=True, eq=False)
class Track:
    """A reference run: states at the multiples of a spacing, and how far they may be off.

    Attributes
    ----------
    rows : (n, 12) R and Ω; `step` is the run's own, of which only some may be kept.
    off : (m, 2) the estimate until each `apart`-th of the rows.
    settled : finer steps would be of no use.
    lost : it ends where nothing is known any more.
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
        """The memory that it takes."""
        return int(self.rows.nbytes + self.off.nbytes)

    @property
    def end(self) -> float:
        """The last time of which something is known."""
        return (len(self.rows) - 1) * self.spacing

    @property
    def horizon(self) -> float:
        """Until when the attitude is good."""
        return (int(np.searchsorted(self.off[:, 0], GOOD, side="right")) - 1) * self.apart * self.spacing

    def at(self, t: Array) -> tuple[Array, Array]:
        """R and Ω at any times of the run."""
        s = t / self.spacing
        nearest = np.rint(s)
        rows = self.rows[nearest.astype(int)] if np.abs(s - nearest).max(initial=0.0) <= WHOLE else self._between(s)
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

    def reaches(self, t: Array) -> Any:
        """At which times something is known."""
        return t <= self.end + WHOLE * self.spacing

    def serves(self, last: float) -> bool:
        """Whether it gets as far, or as far as can be, and at that time is as near as a run of its own would be.

        Where no step is fine enough for a far time, the run to it has coarser steps than one to a nearer time.
        """
        return self.lost or bool(self.reaches(np.array(last)) and (self.settled or last >= self.end / 2))

    def estimates(self, t: Array) -> Estimates:
        """How far the states at these times may be off."""
        nodes = np.minimum(np.ceil(t / (self.spacing * self.apart) - WHOLE).astype(int), len(self.off) - 1)
        return Estimates(*self.off[nodes].T)


class Watch:
    """Tells the caller how far a reference is, and ends it when the caller has had enough."""

    def __init__(self, cancel: threading.Event | None = None, progress: Progress | None = None) -> None:
        self.cancel, self.progress = cancel, progress
        self._done = self._expected = self._told = 0

    def expect(self, steps: int) -> None:
        """About so many steps are to be made; how many it really takes is seen on the way."""
        self._expected = self._expected or steps

    def run(self, body: Problem, **setting: Any) -> Run:
        """A run of the method, as `simulate` makes it."""
        run: Run = simulate(body, METHOD, cancel=self.cancel, progress=self.progress and self._tell, **setting)
        if run.status == "cancelled":
            raise Cancelled
        self._done += run.cost.steps
        return run

    def _tell(self, done: int, total: int) -> None:
        """Of those expected a part that never falls, and is not all of them before the end."""
        assert self.progress is not None
        made = self._done + done
        self._told = max(self._told, int(self._expected * made / max(self._expected, made + made / 8)))
        self.progress(self._told, self._expected)


def reference(
    body: Problem, t: Array, dt: float, watch: Watch, doubt: float = 0.0
) -> tuple[Array, Array, Estimates, float, str]:
    """R (n, 3, 3) and Ω (n, 3) at times (n,), how far they may be off, until when they are good, and their source.

    Where nothing is known of the motion any more they are nan. The start is in doubt by so much, relatively.
    """
    if t.min() < 0.0:
        raise ValueError(
            f"{body.label} has no closed solution, and its reference run begins at t = 0, not {short(t.min())}"
        )
    last = float(t.max())
    track = _track(body, t, dt, watch, max(doubt / MARGIN, LAST_DIGIT))
    known = track.reaches(t)
    if not known[t > 0.0].any() and last > 0.0:
        raise ValueError(lost_words(body, track.end))
    R, Omega, off = np.full((len(t), 3, 3), np.nan), np.full((len(t), 3), np.nan), np.full((2, len(t)), np.inf)
    R[known], Omega[known] = track.at(t[known])
    off[:, known] = track.estimates(t[known])
    return R, Omega, Estimates(*off), track.horizon, f"a reference run of {METHOD} with dt = {short(track.step, 4)}"


def lost_words(body: Problem, end: float) -> str:
    """That nothing is known of a motion from some time on."""
    return (
        f"beyond t = {short(end, 4)} no reference run of {body.label} can be trusted: what roundoff brings "
        f"has grown to {short(LOST)} rad by then; ask for a shorter duration"
    )


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
    wanted = min(body.dt, max(last / NODES, SHORTEST)) if last else body.dt
    return body.dt * 2.0 ** -ceil(log2(body.dt / wanted))


class Tracks:
    """The latest tracks, as many as fit in the memory allowed to them."""

    def __init__(self) -> None:
        self._tracks: OrderedDict[Any, Track] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Any, last: float) -> Track | None:
        """The one of this key, if it serves until this time."""
        with self._lock:
            track = self._tracks.get(key)
            if track is None or not track.serves(last):
                return None
            self._tracks.move_to_end(key)
            return track

    def put(self, key: Any, track: Track) -> None:
        """Keep one, and drop those that were asked for longest ago if there is no room."""
        with self._lock:
            self._tracks[key] = track
            self._tracks.move_to_end(key)
            while self.nbytes > CACHE_BYTES:
                self._tracks.popitem(last=False)

    @property
    def nbytes(self) -> int:
        """What they take together."""
        return sum(track.nbytes for track in self._tracks.values())

    def clear(self) -> None:
        """Forget them."""
        with self._lock:
            self._tracks.clear()


tracks = Tracks()


def _track(body: Problem, t: Array, dt: float, watch: Watch, doubt: float) -> Track:
    """The reference run for these times, from memory or made now.

    One with all its steps kept serves any times; only where these would be too many is it made for those asked for.
    """
    last = float(t.max())
    key, spacing, nodes = _plan(body, last, doubt)
    found = tracks.get(key, min(last, nodes * spacing))
    if found is None:
        found = _refined(body, spacing, nodes, True, watch, doubt)
        _keep(key, body, found)
    if found.serves(last):
        return found
    own = _common_spacing(t, dt)
    if own is None:
        raise _too_long(body, last, MOST_STEPS)
    found = tracks.get((*key, own), last)
    if found is None:
        found = _refined(body, own, ceil(last / own - WHOLE), False, watch, doubt)
        _keep((*key, own), body, found)
    return found


def _plan(body: Problem, last: float, doubt: float) -> tuple[tuple[Any, ...], float, int]:
    """Of the run that keeps all its steps: its key in memory, the spacing of its nodes, and how many there are."""
    action = body.action(body.dt)
    state = body.J.tobytes(), body.R0.tobytes(), body.Omega0.tobytes()
    spacing = _even_spacing(body, last)
    most = MOST_ROWS // (ROOM * _parts(body, spacing))
    nodes = min(max(NODES, ceil(last / spacing - WHOLE)), most)
    return (state, action.field, action.numbers, body.torque, doubt), spacing, nodes


def effort(body: Problem, last: float) -> int:
    """About how many steps a reference run to a time takes; none if there is one in memory."""
    key, spacing, nodes = _plan(body, last, LAST_DIGIT)
    kept = tracks.get(key, min(last, nodes * spacing)) is not None
    return 0 if kept else STEPS_A_NODE * nodes * _parts(body, spacing)


def _keep(key: Any, body: Problem, track: Track) -> None:
    """Keep a track, unless what a plain Python function does may change with what it refers to."""
    if body.torque is None or is_compiled(body.torque):
        tracks.put(key, track)


def _parts(body: Problem, spacing: float) -> int:
    """Into how many steps a spacing is divided at first."""
    return int(2 ** max(0, ceil(log2(max(spacing * float(np.linalg.norm(body.Omega0)) / TURN, 1.0)))))


def _too_long(body: Problem, last: float, most: int) -> ValueError:
    return ValueError(
        f"a reference run of {body.label} to t = {last:g} at these times would take more than "
        f"{most:,} steps or {MOST_ROWS:,} rows; ask for a shorter duration or for times that are further apart"
    )


def _refined(body: Problem, spacing: float, nodes: int, dense: bool, watch: Watch, doubt: float) -> Track:
    """The finest run that is of use, as far as it can be trusted; `dense` keeps each step of it."""
    slow = not build.compiles() or (body.torque is not None and not is_compiled(body.torque))
    most = MOST_STEPS_IN_PYTHON if slow else MOST_STEPS

    def made(body: Problem, parts: int, until: int) -> Track | Run:
        """A track, or the run that did not come to the end."""
        run = watch.run(body, dt=spacing / parts, steps=until * parts, every=1 if dense else parts)
        if run.status != "done":
            return run
        rows = np.concatenate([run.R.reshape(-1, 9), run.Omega], axis=1)
        return Track(run.dt * run.every, rows, run.dt, np.empty((0, 2)), parts if dense else 1)

    parts, until, pair = _parts(body, spacing), 0, None
    while True:
        until = min(nodes, 4 * until or FIRST_STAGE)
        watch.expect(6 * nodes * parts)
        coarse, before, settled, failed = None, None, False, None
        while not settled and until * parts <= most and until * (parts if dense else 1) <= MOST_ROWS:
            fine = made(body, parts, until)
            if isinstance(fine, Run):
                failed = fine
            else:
                if coarse is not None:
                    off = _distance(fine, coarse, body.J)
                    pair, here = (fine, off, parts), off.max(axis=1)
                    settled, before = _settled(here, before), here
                coarse = fine
            parts *= 2
        if before is None:
            if pair is not None:
                break  # no steps that are fine enough lead further than what there is
            if failed is not None:
                raise ValueError(
                    f"{body.label} has no reference run to t = {short(until * spacing)}: {failed.message}"
                )
            raise _too_long(body, nodes * spacing, most)
        if until == nodes or before[-1] * MARGIN > LOST:
            break
        parts = max(1, parts // 8)  # the three resolutions that were compared last

    assert pair is not None
    track, off, parts = pair
    for sign in (1.0, -1.0):
        witness = made(_in_doubt(body, sign * doubt), max(1, parts // 2), len(off) - 1)
        off = np.maximum(off, _distance(track, witness, body.J) if isinstance(witness, Track) else np.inf)
    off = np.maximum(MARGIN * off, LAST_DIGIT)
    known = max(1, int(np.searchsorted(off.max(axis=1), LOST, side="right")))
    return dataclasses.replace(
        track,
        rows=track.rows[: (known - 1) * track.apart + 1],
        off=off[:known],
        settled=settled,
        lost=known < len(off),
    )


def _settled(here: Array, before: Array | None) -> bool:
    """Whether finer steps are of no use, from how far two resolutions differ at most until each node.

    That is judged where the ones before have not yet parted by more than roundoff may grow to.
    """
    if here[-1] <= SMALL:
        return True
    at = 0 if before is None else int(np.searchsorted(before, NEAR_ROUNDOFF)) - 1
    return before is not None and at > 0 and bool(here[at] * HELPS > before[at])


def _in_doubt(body: Problem, doubt: float) -> Problem:
    """The same body with its data off by so much: moments and velocity relatively, the attitude in radians."""
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


def _distance(track: Track, other: Track, J: Array) -> Array:
    """How far another track is from this one at most until each of its nodes, (m, 2).

    Of a coarser one a state between its nodes is looked at, too, for what interpolation brings.
    """
    nodes = np.arange(0, len(track.rows), track.apart)
    off = _apart(track, other, nodes, J)
    if other.spacing > track.spacing:
        off[1:] = np.maximum(off[1:], _apart(track, other, nodes[1:] - 1, J))
    return np.maximum.accumulate(off)


def _apart(track: Track, other: Track, at: Any, J: Array) -> Array:
    """How far two tracks are from each other at these rows of the first, (m, 2)."""
    rows, (R, Omega) = track.rows[at], other.at(track.spacing * at)
    return np.stack(difference(rows[:, :9].reshape(-1, 3, 3), rows[:, 9:] @ J, R, Omega @ J), axis=1)
