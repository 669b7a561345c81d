"""Advice: the methods and steps that reach an error in the least time, each run and timed here."""

from __future__ import annotations

import math
import statistics
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Unpack

from ..algorithms.core.method import Method, find_method
from ..exact.errors import describe_attitude_errors, describe_lost_phase
from ..kernels import Cancelled, is_cancelled
from ..parameters.parameter import Number, OneOf, Parameter
from ..problems.given_rates.given import GivenRates
from ..problems.problem import AnyProblem, Problem, find_problem
from ..simulation import describe_machine, simulate
from ..text import SPACES
from ..text.formatting import format_seconds, show
from .convergence import counts_of_ladder, ladder, steps_of_ladders
from .core import (
    Executor,
    ExecutorOptions,
    StudyResult,
    Turning,
    bisect,
    fitting,
    name_in_sentences,
    within_ratio,
)
from .core.charts import Axes, Axis, Chart, Frame, draw_by_method
from .core.errors_at_end import (
    KINDS,
    LEAST,
    OF_TURNING,
    SAMPLES,
    TrueEnd,
    check_energy,
    energy_error,
    list_kinds,
    loses_phase,
)
from .core.study import DURATION, REPETITIONS, SHORTER, narrow, study
from .work_precision import TOLERANCES, run_to_end

SEARCH = 0.6
"""The part of the budget for the search on the ladder; the rest is for larger steps and for timing.
"""
HOPELESS = 8.0
"""A method that fails in this many times the time of another's success is given up."""
BRIEF = 1e-3
"""Seconds: no method is given up for a shorter run, which any disturbance of the machine makes much
longer.
"""
PROMISING = 4.0
"""Larger steps are tried for the first few methods, and for those that take at most this many times
the least.
"""
NARROW = 1.04
"""The ratio of steps at which the search ends; of tolerances its tenth power, as they differ by
tens.
"""
FINALISTS = 6
AT_MOST_TRIED = 2
"""How often a rung is run: once more where it seems hopeless."""
AT_MOST_NARROWED = math.ceil(math.log2(math.log(2.0) / math.log(NARROW))) + 2
"""How many runs enlarge one step, none finer than the finest rung."""


@dataclass(frozen=True)
class Advice:
    """A method and a step that end within the error, as they were run.

    Attributes
    ----------
    dt : the step; NaN of a method that chooses its steps.
    rtol, atol : the tolerances of such a method, which are equal; else NaN.
    error : at the end of this run.
    seconds, median : in the kernel, the least and the median of all repetitions.
    """

    method: str
    dt: float
    rtol: float
    atol: float
    steps: int
    error: float
    seconds: float
    median: float
    torque_evaluations: int

    @classmethod
    def of(cls, method: Method, trial: Trial, seconds: Sequence[float]) -> Advice:
        """Return a run as advice, with the times of its repetitions."""
        dt, rtol = (math.nan, trial.setting) if method.adaptive else (trial.setting, math.nan)
        times = min(seconds), statistics.median(seconds)
        return cls(
            method.given_name,
            dt,
            rtol,
            rtol,
            trial.steps,
            trial.error,
            *times,
            trial.torque_evaluations,
        )

    @property
    def setting(self) -> str:
        """The step or the tolerance, in words."""
        return (
            f"rtol = atol = {show(self.rtol, 3)}"
            if math.isnan(self.dt)
            else f"Δt = {show(self.dt, 4)}"
        )


class Trial(NamedTuple):
    """One run with Δt or rtol as its setting.

    The error is NaN if the run did not reach the end, and infinite if its attitude ends within the
    error wanted only by chance, after the phase was lost.
    """

    method: str
    setting: float
    steps: int
    error: float
    seconds: float
    torque_evaluations: int
    status: str


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Advised(StudyResult):
    """The advice for one problem, error and duration.

    Attributes
    ----------
    duration, error, within : the demand: the largest error of this kind after this time.
    ranked : the advice, the fastest first. `left_out` has the reasons of all other methods.
    repetitions : how often each of the ranked was timed, all in turn, after one run to warm up.
    reference : what the errors are measured against, in words.
    machine : processor, system and versions that the times belong to.
    attitudes : if the error is that of the energy, which does not show the attitude, the final
        attitude error of each of the ranked, in radians; infinite if the phase is lost, NaN if it
        is unknown.
    tried : all runs before the timing, in order.
    spent : seconds of the search, without the reference.
    finished : False if the study was cancelled, or if the budget ended before all methods were
        decided.
    """

    table = "ranked", Advice
    duration: float
    error: str
    within: float
    ranked: tuple[Advice, ...]
    repetitions: int
    reference: str
    machine: dict[str, Any]
    tried: tuple[Trial, ...]
    spent: float
    attitudes: dict[str, float] = field(default_factory=dict)

    @property
    def others(self) -> dict[str, str]:
        """The other methods, each with the reason."""
        return self.left_out

    def chart_frame(self) -> Frame:
        """Return the table of all runs."""
        return self.tried_to_frame()

    def tried_to_frame(self) -> Frame:
        """Return a pandas table of all runs."""
        import pandas as pd

        return pd.DataFrame(self.tried, columns=list(Trial._fields))

    @property
    def conclusion(self) -> str:
        """The fastest methods."""
        names = name_in_sentences((trial.method for trial in self.tried), self.problem.space)
        goal = f"a{'n' * (self.error != 'momentum')} {self.error} error of {show(self.within)}"
        goal += " rad" if self.error == "attitude" else ""
        lost = dict.fromkeys(names[trial.method] for trial in self.tried if trial.error == math.inf)
        chance = f" {describe_lost_phase([*lost], ' with larger steps')}" if lost else ""
        if not self.ranked:
            late = "" if self.finished else " in the time given"
            return f"No method reached {goal}{late}.{chance}"
        first, *others = self.ranked
        text = f"For {goal}, use {names[first.method]} with {first.setting}. "
        text += f"It takes {format_seconds(first.seconds, 2)}"
        if others:
            second = others[0]
            text += f". {names[second.method]} is next, with {second.setting}: {format_seconds(second.seconds, 2)}"
        frugal = min(self.ranked, key=lambda advice: advice.torque_evaluations)
        if frugal.torque_evaluations < first.torque_evaluations:
            often = frugal.torque_evaluations
            what = SPACES[self.problem.space].evaluates
            few = f"the {what} least often: {often:,} times" if often else f"no {what}"
            text += f". {names[frugal.method]} evaluates {few}"
        text += f".{self._describe_attitudes(names)}{chance}"
        return text + ("" if self.finished else " Time ran out before all methods had been tried.")

    def _describe_attitudes(self, names: dict[str, str]) -> str:
        """Give the attitude errors of the first two, if their energy ranks them."""
        if not self.attitudes:
            return ""
        first = dict(list(self.attitudes.items())[:2])
        errors = {
            names[name]: None if math.isnan(off) else math.nan if off == math.inf else off
            for name, off in first.items()
        }
        if all(off is None for off in errors.values()):
            return " The attitude error at the end is not known."
        return (
            f" Energy says nothing about the attitude. {' '.join(describe_attitude_errors(errors))}"
        )

    @staticmethod
    def draw_chart(frame: Frame) -> Chart:
        """Draw the errors of all runs by the time that they take."""
        axes = Axes(Axis("seconds in the kernel", log=True), Axis("error", log=True))
        return draw_by_method(frame, [(axes, "seconds", "error")], line=False)


WITHIN = Parameter(
    "within",
    Number(LEAST, 10.0),
    "the required error: of the attitude (rad) or the momentum at the end, or the largest of the energy; the last "
    "two are relative",
    label="Error wanted",
)
ERROR = Parameter(
    "error",
    OneOf(KINDS),
    "the kind of error; that of the energy needs no reference, but does not show the attitude",
    label="Error of",
)
BUDGET = Parameter(
    "budget",
    Number(0.1, 1e6),
    "seconds for all runs, without a reference run and compilation; the result lists "
    "methods without an answer by then",
    unit="s",
    label="Seconds at most",
)


def _fit_field(field: Parameter, problem: AnyProblem) -> Parameter | None:
    """Offer no choice of the error if there is one alone."""
    is_chosen = field.name != ERROR.name or len(list_kinds(problem)) > 1
    return field if is_chosen else None


@study(
    key="advise",
    title="Advice",
    sentence="The methods and steps that reach a given error in the least time, each run and "
    "timed.",
    example=("NMB", "AKW", "MR4", "PDMV", "RK-QUAT", "DOP853"),
    without="all that fit",
    row_keys=("method", "setting"),
    unit="methods and turns",
    fit_field=_fit_field,
    old_words={"kind": "error"},
    place=4,
    spaces=OF_TURNING,
    arguments=(WITHIN, DURATION, ERROR, BUDGET, REPETITIONS),
    fields=(
        narrow(WITHIN, 1e-6, high=1.0),
        ERROR,
        SHORTER,
        narrow(BUDGET, 20.0, low=1.0, high=120.0),
    ),
    steps=lambda problem, methods, values: (
        AT_MOST_TRIED * steps_of_ladders(problem, methods, values)
        + (AT_MOST_NARROWED + 1 + values["repetitions"])
        * len(methods)
        * max(counts_of_ladder(problem, values))
    ),
    classes=(Advice,),
)
def advise(
    problem: str | Turning,
    within: float,
    duration: float | None = None,
    *,
    error: str = "attitude",
    methods: str | Method | Sequence[str | Method] | None = None,
    budget: float = 60.0,
    repetitions: int = 7,
    **options: Unpack[ExecutorOptions],
) -> Advised:
    """Find the methods, each with its step, that reach an error after a duration, and rank them by
    measured time.

    All methods go down a ladder of steps in turn, each half of the one before, until two rungs in a
    row are within the error. The study gives up methods that take much longer than others. For the
    promising ones it then enlarges the step, by bisection towards the rung that fails, and times
    the results in turn. So each step that it advises was run, and its error is its own; nothing is
    interpolated. The time is that in the kernel, on one thread. Without methods it tries all that
    fit the problem. Progress counts methods decided and turns timed.

    Raises
    ------
    ValueError
        For a problem or a method that is unknown or does not fit, for an error below that of the
        reference, and for the energy of a motion that does not conserve it.
    """
    body = find_problem(problem, Problem, GivenRates)
    executor = Executor(**options)
    T = duration or body.duration
    chosen, left_out = fitting(body, methods)
    counts = ladder(body, T, None)
    end = _find_end(body, T, T / counts[0], error, within, executor.cancel)
    for m in chosen:  # load or compile each kernel before the clock starts
        if not executor.is_cancelled:
            simulate(body, m, steps=0, cancel=executor.cancel)
    limit = _Budget(budget, executor.cancel)
    race = _Race(body, T, within, error, end, repetitions, limit, replace(executor, cancel=limit))
    race.enter(chosen, [T / n for n in counts])
    ranked = race.run()
    attitudes = {} if end is not None else _attitudes(body, T, ranked, executor)
    return Advised(
        problem=body,
        duration=T,
        error=error,
        within=within,
        ranked=ranked,
        left_out=left_out | {c.method.given_name: c.reason for c in race.contenders if c.reason},
        repetitions=race.timed,
        reference="the energy at the start" if end is None else end.motion.how,
        machine=describe_machine(),
        tried=tuple(race.tried),
        spent=limit.spent,
        finished=not limit.is_set() and not any(c.open for c in race.contenders),
        attitudes=attitudes,
    )


def _find_end(
    body: Turning,
    duration: float,
    dt: float,
    error: str,
    within: float,
    cancel: threading.Event | None,
) -> TrueEnd | None:
    """Return the end of the exact motion, which the energy does not need; `ValueError` if it is not
    known so well.
    """
    if error == "energy":
        check_energy(body)
        return None
    end = TrueEnd.of(body, duration, dt, cancel)
    if error not in end.floors:
        raise ValueError(f"{body.label} has no error of the {error}")
    if within < end.floors[error] < math.inf:
        raise ValueError(
            f"an error of {show(within)} after {show(duration)} cannot be measured: the reference itself leaves "
            f"{show(end.floors[error], 2)} open in {error}; give a larger error or less time"
        )
    return end


def _attitudes(
    body: Turning, duration: float, ranked: Sequence[Advice], executor: Executor
) -> dict[str, float]:
    """Return the final attitude errors of runs as advised: infinite if the phase is lost, NaN if it
    is unknown.
    """
    try:
        end = TrueEnd.of(body, duration, body.dt, executor.cancel)
    except ValueError:
        return {one.method: math.nan for one in ranked}
    found = {}
    with suppress(Cancelled):
        for one in ranked:
            setting = one.rtol if math.isnan(one.dt) else one.dt
            method = find_method(one.method, space=body.space)
            run = run_to_end(body, method, setting, duration, executor, SAMPLES)
            found[one.method] = end.judge(run)["attitude"]
    return found


class _Budget(threading.Event):
    """Ends runs when the caller cancels, or when the seconds are used up."""

    def __init__(self, seconds: float, cancel: threading.Event | None) -> None:
        super().__init__()
        self.seconds = seconds
        self._cancel = cancel
        self._start = time.monotonic()

    @property
    def spent(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self._start

    @property
    def cancelled(self) -> bool:
        """Whether the caller cancelled."""
        return is_cancelled(self._cancel)

    def is_set(self) -> bool:
        """Whether to end."""
        return self.cancelled or self.spent > self.seconds


@dataclass
class _Contender:
    """A method on its way down the ladder.

    `trials` are those of the ladder. `found` is the coarsest within the error if the next finer one
    is as well, and later one with a larger step. `reason` says why it is not advised, `open` that
    time was not enough.
    """

    method: Method
    settings: Sequence[float]
    trials: list[Trial] = field(default_factory=list)
    found: Trial | None = None
    reason: str = ""
    open: bool = False

    @property
    def active(self) -> bool:
        """Whether to try another rung."""
        return self.found is None and not self.reason

    @property
    def seconds(self) -> float:
        """The time of the run within the error."""
        return self.found.seconds if self.found is not None else math.inf

    def describe(self, trial: Trial, digits: int = 3) -> str:
        """Return the step or the tolerance of a run, in words."""
        return f"{'rtol = atol' if self.method.adaptive else 'Δt'} = {show(trial.setting, digits)}"

    def explain_finest(self) -> str:
        """Say how the finest rung fails, in words."""
        last = self.trials[-1]
        if last.status != "done":
            how = "does not reach the end"
        elif last.error == math.inf:
            how = "loses phase"
        else:
            how = f"leaves an error of {show(last.error, 2)}"
        return f"the smallest {'tolerance' if self.method.adaptive else 'step'} tried, {self.describe(last, 2)}, {how}"


@dataclass
class _Race:
    """The search of `advise`: down the ladder, then towards larger steps, then the timing."""

    body: Turning
    duration: float
    goal: float
    error: str
    end: TrueEnd | None
    turns: int
    limit: _Budget
    executor: Executor
    contenders: list[_Contender] = field(default_factory=list)
    tried: list[Trial] = field(default_factory=list)
    timed: int = 0

    def enter(self, methods: Sequence[Method], steps: Sequence[float]) -> None:
        """Enter methods with the settings of their ladders."""
        self.contenders = [_Contender(m, TOLERANCES if m.adaptive else steps) for m in methods]

    def run(self) -> tuple[Advice, ...]:
        """Return the best methods, timed, the fastest first; the others get their reasons."""
        try:
            self._descend()
            best = self._enlarge_steps()
        except Cancelled:
            best = [c for c in self.contenders if c.found is not None]
        for contender in self.contenders:
            if contender.active:
                self._leave_open(contender)
        best.sort(key=lambda c: c.seconds)
        for contender in best[FINALISTS:]:
            self._leave_behind(contender, best[0])
        return self._time(best[:FINALISTS])

    def _reaches(self, trial: Trial) -> bool:
        return trial.error <= self.goal

    def _try(self, m: Method, setting: float) -> Trial:
        run = run_to_end(self.body, m, setting, self.duration, self.executor)
        error = math.nan
        cost = run.cost
        if run.status == "done":
            error = energy_error(run) if self.end is None else self.end.errors(run)[self.error]
        if self.end is not None and self.error == "attitude" and error <= self.goal:
            watched = run_to_end(self.body, m, setting, self.duration, self.executor, SAMPLES)
            error = math.inf if loses_phase(watched, self.end.motion) else error
        return Trial(
            m.given_name,
            setting,
            cost.steps,
            error,
            cost.seconds,
            cost.torque_evaluations,
            run.status,
        )

    def _record(self, m: Method, setting: float) -> Trial:
        """Try a setting, and keep the run."""
        self.tried.append(self._try(m, setting))
        return self.tried[-1]

    def _report(self, done: int, trial: Trial) -> None:
        self.executor.report(done, len(self.contenders) + self.turns, trial._asdict())

    # -------------------------------------------------------------------------------------------
    # down the ladder

    def _descend(self) -> None:
        """Try one rung of each method after the other, so that all advance while there is time."""
        while active := [c for c in self.contenders if c.active]:
            for contender in active:
                self._try_rung(contender)
                self._report(sum(not c.active for c in self.contenders), contender.trials[-1])
                if self.limit.spent > SEARCH * self.limit.seconds:
                    return

    def _try_rung(self, c: _Contender) -> None:
        before = c.trials[-1] if c.trials else None
        trial = self._record(c.method, c.settings[len(c.trials)])
        c.trials.append(trial)
        ended = len(c.trials) == len(c.settings)
        if self._reaches(trial):
            if before is not None and self._reaches(before):
                c.found = before
            elif ended:
                c.found = trial
        elif ended:
            reached = [one for one in c.trials if self._reaches(one)]
            c.reason = (
                f"it suffices with {c.describe(reached[-1])} alone; roundoff spoils smaller ones"
                if reached
                else c.explain_finest()
            )
        else:
            best = min(self.contenders, key=lambda one: one.seconds)
            hopeless = max(HOPELESS * best.seconds, BRIEF)
            if trial.seconds > hopeless:  # once more: the first may have been disturbed
                seconds = min(trial.seconds, self._try(c.method, trial.setting).seconds)
                if seconds > hopeless:
                    c.reason = (
                        f"{format_seconds(seconds, 2)} do not suffice; {self._describe_time(best)}"
                    )

    def _leave_open(self, c: _Contender) -> None:
        """Say that time was not enough."""
        c.open = True
        why = "cancelled" if self.limit.cancelled else f"the {show(self.limit.seconds)} s ran out"
        c.reason = f"{'no answer yet' if c.trials else 'not tried'}: {why}"

    def _leave_behind(self, c: _Contender, best: _Contender) -> None:
        """Say that there are faster ones."""
        assert c.found is not None
        c.reason = f"it takes {format_seconds(c.seconds, 2)}; {self._describe_time(best)}"

    def _describe_time(self, best: _Contender) -> str:
        """Say what the best method takes."""
        names = name_in_sentences((c.method for c in self.contenders), self.body.space)
        return f"{names[best.method.given_name]} takes {format_seconds(best.seconds, 2)}"

    # -------------------------------------------------------------------------------------------
    # larger steps

    def _enlarge_steps(self) -> list[_Contender]:
        """Enlarge the steps of the promising methods, the fastest first, and return these."""
        found = sorted((c for c in self.contenders if c.found is not None), key=lambda c: c.seconds)
        near = sum(c.seconds <= PROMISING * found[0].seconds for c in found)
        promising = found[: max(near, FINALISTS)]
        for contender in promising:
            if self.limit.is_set():
                break
            self._enlarge(contender)
        for contender in found[len(promising) :]:
            self._leave_behind(contender, found[0])
        return promising

    def _enlarge(self, c: _Contender) -> None:
        """Bisect between what reaches the error and what does not."""

        def meets(setting: float) -> bool:
            trial = self._record(c.method, setting)
            if self._reaches(trial):
                c.found = trial
                return True
            return False

        def suffice(steps: int) -> bool:
            return meets(self.duration / steps)

        assert c.found is not None
        at = c.trials.index(c.found)
        if c.method.adaptive:
            if at:
                bisect(meets, c.found.setting, c.trials[at - 1].setting, within_ratio(NARROW**10))
            return
        fewer = c.trials[at - 1].steps if at else 0
        steps = c.found.steps
        while not fewer and steps > 1:  # the coarsest rung is within the error: go up the ladder
            fewer, steps = (0, steps // 2) if suffice(steps // 2) else (steps // 2, steps)
        bisect(
            suffice,
            steps,
            fewer,
            lambda a, b: round(math.sqrt(max(b, 1) * a)) if a > max(NARROW * b, b + 1) else None,
        )

    # -------------------------------------------------------------------------------------------
    # timing

    def _time(self, finalists: list[_Contender]) -> tuple[Advice, ...]:
        """Time all in turn, so that a disturbance of the machine affects all alike."""
        best = [(c.method, c.found) for c in finalists if c.found is not None]
        times: list[list[float]] = [[] for _ in best]
        for turn in range(self.turns + 1 if best else 0):
            try:
                runs = [
                    run_to_end(self.body, m, found.setting, self.duration, self.executor)
                    for m, found in best
                ]
            except Cancelled:
                break
            if turn:
                self.timed = turn
                for taken, run in zip(times, runs, strict=True):
                    taken.append(run.cost.seconds)
                self._report(len(self.contenders) + turn, best[0][1])
        # The time of the search counts if there was no time for a turn.
        advice = [
            Advice.of(m, found, taken or [found.seconds])
            for (m, found), taken in zip(best, times, strict=True)
        ]
        return tuple(sorted(advice, key=lambda one: one.seconds))
