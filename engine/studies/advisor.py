"""Advice: which method and step get a problem to an error in the least time, all of it run and timed here."""

from __future__ import annotations

import math
import statistics
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from ..algorithms.method import Method, find_method
from ..cancelling import Cancelled, cancelled
from ..charts import Axes, Axis, Chart, by_method
from ..onebody import Run
from ..problems.problem import Problem, find_problem
from ..provenance import machine
from ..simulate import simulate
from ..spec import Number, OneOf, Parameter
from ..wording import elapsed, listed, short
from .convergence import counts_of_ladder, ladder, steps_of_ladders
from .fitting import fitting
from .result import Result
from .study import DURATION, REPETITIONS, SHORTER, narrowed, study
from .true_end import KINDS, LEAST, TrueEnd, energy_error
from .work import Progress
from .work_precision import TOLERANCES, run_to_end

if TYPE_CHECKING:
    import pandas as pd

SEARCH = 0.6
"""The part of the budget after which no other step is tried; the rest is for narrowing down and for timing."""
HOPELESS = 8.0
"""A method whose run takes this many times as long as another's that gets there, and does not, is given up."""
PROMISING = 4.0
"""Narrowing down is for the first few, and for methods that take at most this many times as long as the best."""
NARROW = 1.04
"""The ratio of steps at which narrowing down ends; of tolerances its tenth power, as they differ by tens."""
FINALISTS = 6
AT_MOST_TRIED = 2
"""How often a rung is run: once more, where it seems hopeless."""
AT_MOST_NARROWED = math.ceil(math.log2(math.log(2.0) / math.log(NARROW))) + 2
"""How many runs narrow one step down, none finer than the finest rung."""


@dataclass(frozen=True)
class Advice:
    """A method and a step that get within the error, as they were run.

    Attributes
    ----------
    dt, rtol : the step, or the tolerance of a method that chooses its steps; the other is NaN.
    error : what is reached.
    seconds, median : in the kernel, the least and the median of all repetitions.
    """

    method: str
    dt: float
    rtol: float
    steps: int
    error: float
    seconds: float
    median: float
    torque_evaluations: int


class Trial(NamedTuple):
    """A run that was tried, with Δt or rtol as its setting; its error is NaN if it did not get to the end."""

    method: str
    setting: float
    steps: int
    error: float
    seconds: float
    torque_evaluations: int
    status: str


@dataclass(frozen=True, eq=False, repr=False)
class Advised(Result):
    """What is advised for one problem, error and duration.

    Attributes
    ----------
    problem, duration, error, within : what was asked: the largest error of this kind.
    ranked : the advice, the fastest first.
    others : the other methods, each with the reason why it is not among them.
    repetitions : how often each of the ranked was timed, all in turn, after one run to warm up.
    reference : what the errors are taken against, in words.
    machine : processor, system and versions that the times belong to.
    attitudes : how far each of the ranked ends from the true attitude, in radians, where the error is that of the
        energy, which does not show it; NaN where that is not known.
    tried : all that was run before the best were timed, in that order.
    spent : seconds that finding it out took, without the reference.
    finished : False if it was cancelled, or if the budget ended before all methods were decided on.
    """

    table = "ranked", Advice
    problem: Problem
    duration: float
    error: str
    within: float
    ranked: tuple[Advice, ...]
    others: dict[str, str]
    repetitions: int
    reference: str
    machine: dict[str, Any]
    tried: tuple[Trial, ...]
    spent: float
    finished: bool = True
    attitudes: dict[str, float] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """As scripts of before call `error`."""
        return self.error

    def omitted(self) -> dict[str, str]:
        """The other methods, each with the reason."""
        return self.others

    def drawn(self) -> pd.DataFrame:
        """The table of what was tried."""
        return self.tried_to_frame()

    def tried_to_frame(self) -> pd.DataFrame:
        """A pandas table with a row for each run that was tried."""
        import pandas as pd

        return pd.DataFrame(self.tried, columns=list(Trial._fields))

    @property
    def conclusion(self) -> str:
        """What comes of it, in sentences."""
        goal = f"an {self.error} error" if self.error != "momentum" else "a momentum error"
        goal += f" of {short(self.within)}{' rad' if self.error == 'attitude' else ''} after {short(self.duration)}"
        if not self.ranked:
            return f"No method reached {goal} on {self.problem.label}{'' if self.finished else ' in the time given'}."
        first, *others = self.ranked
        text = f"For {goal} on {self.problem.label} take {first.method} with {_setting(first)}: "
        text += f"{elapsed(first.seconds)}, error {short(first.error, 2)}"
        if others:
            text += f"; next is {others[0].method} with {_setting(others[0])}, {elapsed(others[0].seconds)}"
        frugal = min(self.ranked, key=lambda advice: advice.torque_evaluations)
        if frugal.torque_evaluations < first.torque_evaluations:
            text += f"; of these {frugal.method} asks for the torque least often, {frugal.torque_evaluations:,} times"
        text += self._attitudes_in_words()
        return f"{text}.{'' if self.finished else ' Not all methods were decided on in the time given.'}"

    def _attitudes_in_words(self) -> str:
        """How far the first two end from the true attitude, where they are ranked by their energy."""
        if not self.attitudes:
            return ""
        ends = [f"{m} ends {short(x, 2)} rad off" for m, x in list(self.attitudes.items())[:2] if math.isfinite(x)]
        if not ends:
            return ". How far the attitude ends from the true one is not known"
        return f". The energy does not show the attitude: {listed(ends)}"


def _setting(advice: Advice) -> str:
    return f"rtol = {short(advice.rtol, 3)}" if math.isnan(advice.dt) else f"Δt = {short(advice.dt, 4)}"


WITHIN = Parameter(
    "within",
    Number(LEAST, 10.0),
    "the error that is wanted: of the attitude at the end (rad), of the momentum at the end or of the energy at its "
    "worst, both relative",
    label="Error wanted",
)
ERROR = Parameter(
    "error",
    OneOf(KINDS),
    "what the error is taken of; that of the energy needs no reference, but does not show the attitude",
    label="Error of",
)
BUDGET = Parameter(
    "budget",
    Number(0.1, 1e6),
    "seconds for all runs, without a reference run and what is compiled; what is not decided by then is told",
    unit="s",
    label="Seconds at most",
)


def drawn(frame: pd.DataFrame) -> Chart:
    """What was tried: the errors that runs end with, by what they take."""
    axes = Axes(Axis("seconds in the kernel", log=True), Axis("error", log=True))
    return by_method(frame, [axes], [("seconds", "error")], line=False)


@study(
    key="advise",
    title="Advice",
    sentence="For an error wanted, the methods and steps that reach it in the least time, each run and timed.",
    arguments=(WITHIN, DURATION, ERROR, BUDGET, REPETITIONS),
    fields=(narrowed(WITHIN, 1e-6, high=1.0), ERROR, SHORTER, narrowed(BUDGET, 20.0, low=1.0, high=120.0)),
    example=("NMB", "AKW", "MR4", "PDMV", "RK-QUAT", "DOP853"),
    without="all that fit",
    told_by=("method", "setting"),
    unit="methods and turns",
    steps=lambda problem, methods, values: (
        AT_MOST_TRIED * steps_of_ladders(problem, methods, values)
        + (AT_MOST_NARROWED + 1 + values["repetitions"]) * len(methods) * max(counts_of_ladder(problem, values))
    ),
    eager=False,
    old_words={"kind": "error"},
    chart=drawn,
    classes=(Advice,),
    place=7,
)
def advise(
    problem: str | Problem,
    within: float,
    duration: float | None = None,
    *,
    error: str = "attitude",
    methods: str | Method | Sequence[str | Method] | None = None,
    budget: float = 60.0,
    repetitions: int = 7,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> Advised:
    """Find the methods, each with its step, that reach an error after a duration, and rank them by measured time.

    All methods go down a ladder of steps in turn, each half of the one before, until two rungs in a row are within
    the error. Those that take much longer than others are given up. For the promising ones the step is then enlarged,
    by bisection towards the rung that fails, and what is found is timed in turn. So each step that is advised was
    run, and its error is its own; nothing is interpolated. The time is that in the kernel, on one thread. Without
    methods all that fit the problem are tried. Progress counts methods decided on and turns timed.

    Raises
    ------
    ValueError
        For a problem or method that is not known or do not fit, for an error below what the reference can tell, and
        for the energy of a motion that does not keep it.
    """
    body = find_problem(problem)
    T = duration or body.duration
    chosen, left_out = fitting(body, methods)
    counts = ladder(body, T, None)
    if error == "energy":
        if "energy" not in body.invariants:
            raise ValueError(f"the energy of {body.label} is not kept by the motion itself")
        measure, reference = energy_error, "the energy at the start"
    else:
        end = TrueEnd.of(body, T, T / counts[0], cancel)
        if within < end.floors[error] < math.inf:
            raise ValueError(
                f"within {short(within)} nothing can be told after {short(T)}: the reference itself leaves "
                f"{short(end.floors[error], 2)} open in {error}; ask for a larger error or less time"
            )
        measure, reference = (lambda run: end.off(run)[error]), end.motion.how
    for m in chosen:  # each kernel is loaded, or compiled, before the clock starts
        if not cancelled(cancel):
            simulate(body, m, steps=0, cancel=cancel)
    search = _Search(body, T, within, measure, chosen, counts, _Limit(budget, cancel), progress, repetitions)
    ranked = search.result()
    others = left_out | {c.method.label: c.reason for c in search.contenders if c.reason}
    decided = not search.limit.is_set() and not any(c.open for c in search.contenders)
    return Advised(
        problem=body,
        duration=T,
        error=error,
        within=within,
        ranked=ranked,
        others=others,
        repetitions=search.timed,
        reference=reference,
        machine=machine(),
        tried=tuple(search.tried),
        spent=search.limit.spent,
        finished=decided,
        attitudes=_attitudes(body, T, T / counts[0], ranked, cancel) if error == "energy" else {},
    )


def _attitudes(
    body: Problem, duration: float, dt: float, ranked: Sequence[Advice], cancel: threading.Event | None
) -> dict[str, float]:
    """How far runs as advised end from the true attitude; NaN where the true end is not known."""
    try:
        end = TrueEnd.of(body, duration, dt, cancel)
    except ValueError:
        return {one.method: math.nan for one in ranked}
    found = {}
    for one in ranked:
        setting = one.rtol if math.isnan(one.dt) else one.dt
        try:
            run = run_to_end(body, find_method(one.method), setting, duration, cancel)
        except Cancelled:
            break
        off = end.off(run)["attitude"]
        found[one.method] = off if end.floors["attitude"] < math.inf else math.nan
    return found


class _Limit(threading.Event):
    """Ends runs when the caller cancels, or when the budget is used up."""

    def __init__(self, budget: float, cancel: threading.Event | None) -> None:
        super().__init__()
        self.budget, self._cancel, self._begun = budget, cancel, time.monotonic()

    @property
    def spent(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self._begun

    @property
    def cancelled(self) -> bool:
        """Whether it was the caller."""
        return cancelled(self._cancel)

    def is_set(self) -> bool:
        """Whether to end."""
        return self.cancelled or self.spent > self.budget


@dataclass
class _Contender:
    """A method on its way down the ladder.

    `trials` are those of the ladder; `found` is the coarsest that is within the error with the next finer one, then
    what was made of it. `reason` says why it is not advised, `open` that this is for want of time.
    """

    method: Method
    settings: Sequence[float]
    trials: list[Trial] = field(default_factory=list)
    found: Trial | None = None
    reason: str = ""
    open: bool = False

    @property
    def active(self) -> bool:
        """Whether another rung is to be tried."""
        return self.found is None and not self.reason

    @property
    def word(self) -> str:
        """How a setting is called."""
        return "rtol" if self.method.adaptive else "Δt"


class _Search:
    """What `advise` does: down the ladder, narrowing down, timing."""

    def __init__(
        self,
        body: Problem,
        duration: float,
        goal: float,
        measure: Callable[[Run], float],
        methods: Sequence[Method],
        counts: Sequence[int],
        limit: _Limit,
        progress: Progress | None,
        turns: int,
    ) -> None:
        self.limit, self.timed = limit, 0
        self.tried: list[Trial] = []
        steps = [duration / n for n in counts]
        self.contenders = [_Contender(m, TOLERANCES if m.adaptive else steps) for m in methods]
        self._body, self._duration, self._goal, self._measure = body, duration, goal, measure
        self._progress, self._turns = progress, turns

    def result(self) -> tuple[Advice, ...]:
        """The best methods, timed, the fastest first; the others are left with their reasons."""
        try:
            self._descend()
            found = self._narrow()
        except Cancelled:
            found = [c for c in self.contenders if c.found is not None]
        for contender in self.contenders:
            if contender.active:
                self._leave_open(contender)
        found.sort(key=_seconds)
        for contender in found[FINALISTS:]:
            self._tell_slower(contender, found[0])
        return self._time(found[:FINALISTS])

    def _tried(self, m: Method, setting: float) -> Trial:
        """A run that is shown."""
        self.tried.append(self._try(m, setting))
        return self.tried[-1]

    def _try(self, m: Method, setting: float) -> Trial:
        run = run_to_end(self._body, m, setting, self._duration, self.limit)
        error = self._measure(run) if run.status == "done" else math.nan
        cost = run.cost
        return Trial(m.label, setting, cost.steps, error, cost.seconds, cost.torque_evaluations, run.status)

    def _reaches(self, trial: Trial) -> bool:
        return trial.error <= self._goal

    # ------------------------------------------------------------------------------------------- down the ladder

    def _descend(self) -> None:
        """One rung of each method after the other, so that all get on while there is time."""
        while active := [c for c in self.contenders if c.active]:
            for contender in active:
                self._another_rung(contender)
                if self._progress is not None:
                    settled = sum(not c.active for c in self.contenders)
                    row = contender.trials[-1]._asdict()
                    self._progress(settled, len(self.contenders) + self._turns, row)
                if self.limit.spent > SEARCH * self.limit.budget:
                    return

    def _another_rung(self, c: _Contender) -> None:
        before = c.trials[-1] if c.trials else None
        trial = self._tried(c.method, c.settings[len(c.trials)])
        c.trials.append(trial)
        ended = len(c.trials) == len(c.settings)
        if self._reaches(trial):
            if before is not None and self._reaches(before):
                c.found = before
            elif ended:
                c.found = trial
            return
        if ended:
            c.reason = f"not within {short(self._goal)} {self._at_best(c)}, the finest that was tried"
            return
        best = min((x for x in self.contenders if x.found is not None), key=_seconds, default=None)
        if best is not None and trial.seconds > HOPELESS * _seconds(best):
            taken = min(
                trial.seconds, self._try(c.method, trial.setting).seconds
            )  # the first may have been disturbed
            if taken > HOPELESS * _seconds(best):
                c.reason = f"not within {short(self._goal)} {self._at_best(c)} in {elapsed(taken)}, and "
                c.reason += f"{best.method.label} is in {elapsed(_seconds(best))}"

    def _at_best(self, c: _Contender) -> str:
        last = c.trials[-1]
        how = f"error {short(last.error, 2)}" if last.status == "done" else "it does not get to the end"
        return f"with {c.word} = {short(last.setting, 3)} ({how})"

    def _leave_open(self, c: _Contender) -> None:
        """Say that time was not enough."""
        c.open = True
        why = "cancelled" if self.limit.cancelled else f"the budget of {short(self.limit.budget)} s was used up"
        if not c.trials:
            c.reason = f"not tried: {why}"
        else:
            c.reason = f"not decided: {why} {self._at_best(c)}"

    # ------------------------------------------------------------------------------------------- narrowing down

    def _narrow(self) -> list[_Contender]:
        """Enlarge the steps of the promising methods, the fastest first."""
        found = sorted((c for c in self.contenders if c.found is not None), key=_seconds)
        near = sum(_seconds(c) <= PROMISING * _seconds(found[0]) for c in found)
        promising = found[: max(near, FINALISTS)]
        for contender in promising:
            if self.limit.is_set():
                break
            self._enlarge(contender)
        for contender in found[len(promising) :]:
            self._tell_slower(contender, found[0])
        return promising

    def _enlarge(self, c: _Contender) -> None:
        """Bisect between what reaches the error and what does not."""
        assert c.found is not None
        at = c.trials.index(c.found)
        if c.method.adaptive:
            fails = c.trials[at - 1].setting if at else c.found.setting
            while fails > NARROW**10 * c.found.setting:
                middle = self._tried(c.method, math.sqrt(fails * c.found.setting))
                if self._reaches(middle):
                    c.found = middle
                else:
                    fails = middle.setting
            return
        fewer = c.trials[at - 1].steps if at else 0
        while not fewer and c.found.steps > 1:  # the coarsest rung is within it already: go up the ladder
            coarser = self._with_steps(c, c.found.steps // 2)
            if self._reaches(coarser):
                c.found = coarser
            else:
                fewer = c.found.steps // 2
        while c.found.steps > max(NARROW * fewer, fewer + 1):
            middle = self._with_steps(c, round(math.sqrt(max(fewer, 1) * c.found.steps)))
            if self._reaches(middle):
                c.found = middle
            else:
                fewer = round(self._duration / middle.setting)

    def _with_steps(self, c: _Contender, steps: int) -> Trial:
        return self._tried(c.method, self._duration / steps)

    # ------------------------------------------------------------------------------------------- timing

    def _time(self, finalists: list[_Contender]) -> tuple[Advice, ...]:
        """All in turn, so that a disturbance of the machine hits all alike."""
        times: list[list[float]] = [[] for _ in finalists]
        for turn in range(self._turns + 1 if finalists else 0):
            try:
                trials = [self._try(c.method, c.found.setting) for c in finalists if c.found is not None]
            except Cancelled:
                break
            if turn:
                self.timed = turn
                for taken, trial in zip(times, trials, strict=True):
                    taken.append(trial.seconds)
                if self._progress is not None:
                    row = trials[0]._asdict()
                    self._progress(len(self.contenders) + turn, len(self.contenders) + self._turns, row)
        advice = []
        for c, taken in zip(finalists, times, strict=True):
            assert c.found is not None
            seconds = taken or [c.found.seconds]  # of the search, if there was no time for a turn
            dt, rtol = (math.nan, c.found.setting) if c.method.adaptive else (c.found.setting, math.nan)
            advice.append(
                Advice(
                    method=c.method.label,
                    dt=dt,
                    rtol=rtol,
                    steps=c.found.steps,
                    error=c.found.error,
                    seconds=min(seconds),
                    median=statistics.median(seconds),
                    torque_evaluations=c.found.torque_evaluations,
                )
            )
        return tuple(sorted(advice, key=lambda one: one.seconds))

    def _tell_slower(self, c: _Contender, best: _Contender) -> None:
        """Say that there are faster ones."""
        assert c.found is not None
        c.reason = f"within {short(self._goal)} with {c.word} = {short(c.found.setting, 3)}, but slower: "
        c.reason += f"{elapsed(_seconds(c))}, and {best.method.label} takes {elapsed(_seconds(best))}"


def _seconds(c: _Contender) -> float:
    """What the run takes that reaches the error."""
    return c.found.seconds if c.found is not None else math.inf
