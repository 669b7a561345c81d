"""Which update should I use? The updates of an attitude that fit a gyroscope's samples, and one that
was run.
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import numpy as np

import engine
from engine.algorithms import FixedStep, Method, name_methods
from engine.exact import GivenRatesMotion
from engine.exact.errors import GivenRatesErrors
from engine.parameters.names import parse_name
from engine.problems import GivenRates
from engine.simulation import SYSTEMS
from engine.studies.core import Axes, Axis, Chart, Curve
from engine.text.formatting import format_count, show

from ..choice import Choice
from ..links import link
from ..results import Progress
from .which_reply import RUNS_KEPT, Menu, Reply, read_menus

ACTS = "gyroscope"
"""The word for these questions in the menu of what acts."""
MOST_SAMPLES = 4
"""The most samples that an update of the answer reads."""
SHARED = 12
"""Every update ends after this many samples, as a multiple of all numbers up to the most."""
ROWS = 200
"""About how many times have an error."""
PRECISE, SHORT = 8, 4
"""How many updates are run: those of the highest order, and the shortest ones."""
ALIKE = 3.0
"""An update counts as exact enough up to this many times the least error."""
NEGLIGIBLE = 1e-6
"""Radians: a smaller error is as good as none."""
COARSE = np.radians(1.0)
"""Radians: with a larger error, the samples are too few for the motion."""
KNOWN = "betaflight"
"""An update that many know, which reads any number of samples."""


@dataclass(frozen=True)
class Movement:
    """A motion that a gyroscope follows: its name in a sentence, its problem and its duration."""

    words: str
    problem: str
    duration: float


MOTIONS = {
    "coning": Movement("coning of 2° at 50 Hz", "coning", 10.0),
    "hand": Movement("random turns up to 20 Hz", "random-rates", 2.0),
    "flip": Movement("a drone's flip with vibrating motors", "drone-flip", 1.0),
    "slew": Movement("a slew that starts and stops smoothly", "slew", 10.0),
}
RATES = {"100": "100 Hz", "200": "200 Hz", "1000": "1 kHz", "4000": "4 kHz", "8000": "8 kHz"}
PRECISIONS = {"32": "single", "64": "double"}
SENSORS = {"samples": "sampled", "angles": "integrated"}
MENUS = {
    "motion": Menu(
        "How does it move?",
        "Choose the motion to try updates on.",
        {key: movement.words for key, movement in MOTIONS.items()},
    ),
    "rate": Menu("Sample rate", "Choose how often the gyroscope is read.", RATES),
    "bits": Menu(
        "Numbers",
        "Choose the numbers of the update.",
        {bits: f"{bits} bits" for bits in PRECISIONS},
    ),
    "given": Menu(
        "What does the gyroscope give?",
        "Choose rates at the samples, or angles integrated between them.",
        {"samples": "rates", "angles": "integrated angles"},
    ),
}
"""The menus of the question, by their names in links."""


@dataclass(frozen=True)
class UpdateQuestion:
    """How the body moves, and what the gyroscope and the computer are."""

    motion: str = "coning"
    rate: str = "1000"
    bits: str = "32"
    given: str = "samples"

    @property
    def menus(self) -> Mapping[str, Menu]:
        """The menus besides that of what acts."""
        return MENUS

    @property
    def values(self) -> dict[str, str]:
        """The chosen values."""
        return {"acts": ACTS} | {name: getattr(self, name) for name in MENUS}

    @property
    def space(self) -> str:
        """The space of the updates."""
        return GivenRates.space

    @property
    def setting(self) -> str:
        """The sample rate, the numbers and the motion, as a sentence begins."""
        bits = f"in {self.bits} bits"
        return f"At {RATES[self.rate]} {bits}, under {MOTIONS[self.motion].words}"

    def describe(self) -> str:
        """The question in a line."""
        return " · ".join(MENUS[name].words[getattr(self, name)] for name in MENUS)

    def query(self) -> dict[str, str]:
        """The words of a link."""
        return {"page": "which"} | self.values

    def make_choice(self, methods: Sequence[str], samples: int) -> Choice:
        """The choice of the lab with these methods, whose updates read this many samples."""
        movement = MOTIONS[self.motion]
        rate = float(self.rate)
        choice = Choice(
            f"{movement.problem}(sensor={SENSORS[self.given]})",
            tuple(methods),
            samples / rate,
            movement.duration,
            space=self.space,
        )
        return choice.with_changes(bits=0, sample_rate=rate)

    @property
    def problem(self) -> GivenRates:
        """The motion with the gyroscope."""
        problem = self.make_choice((), 1).build_problem()
        assert isinstance(problem, GivenRates)
        return problem

    def find_replies(self, cancel: threading.Event, progress: Progress) -> Iterator[Reply]:
        """Find the update, and describe it."""
        return map(make_reply, find_updates(self, cancel, progress))


def ask_about(choice: Choice) -> UpdateQuestion:
    """The question that is the nearest to a setting of the lab."""
    problem = choice.build_problem()
    key = parse_name(choice.problem)[0]
    rate = 1.0 / (problem.interval or choice.dt)
    is_single = any(method.single for method in choice.algorithms)
    is_sampled = problem.values.get("sensor") == SENSORS["samples"]
    if choice.recording is not None:
        is_sampled = not choice.recording.samples.integrated
    return UpdateQuestion(
        motion=next((name for name, one in MOTIONS.items() if one.problem == key), "coning"),
        rate=min(RATES, key=lambda text: abs(math.log(float(text) / rate))),
        bits="32" if is_single else "64",
        given="samples" if is_sampled else "angles",
    )


def advise(choice: Choice) -> tuple[str, str]:
    """The link to this question, and its words."""
    question = ask_about(choice)
    return link(question), f"Which update should I use at {RATES[question.rate]}?"


def read_query(query: Mapping[str, str]) -> tuple[UpdateQuestion, list[str]]:
    """Return the question of a link, and a notice for each refused part."""
    known, notices = read_menus(query, MENUS)
    return UpdateQuestion(**known), notices


# -------------------------------------------------------------------------------------------------
# the updates that fit


@dataclass(frozen=True)
class Update:
    """A method, and how many samples each of its steps reads."""

    method: Method
    samples: int

    @property
    def work(self) -> float:
        """The evaluations for one sample."""
        return (self.method.torque_evaluations or 0) / self.samples


def list_updates(question: UpdateQuestion) -> list[Update]:
    """The methods with steps of one size, and their options of another order or other samples, that
    fit.
    """
    problem = question.problem
    found: dict[Any, Update] = {}
    for method in engine.algorithms(question.space):
        if not isinstance(method, FixedStep):
            continue
        for one in (method, *_vary(method)):
            update = fit_update(problem, one.with_options(precision=PRECISIONS[question.bits]))
            if update is not None:
                found.setdefault((method.key, one.order, one.state, update.samples), update)
    return list(found.values())


def _vary(method: Method) -> list[Method]:
    """The method with each choice of each option."""
    return [
        method.with_options(**{option.name: choice})
        for option in method.options
        for choice in option.choices
    ]


def fit_update(problem: GivenRates, method: Method) -> Update | None:
    """The shortest update by a method that fits the samples; None if none does."""
    interval = problem.interval
    assert interval is not None
    for samples in range(1, MOST_SAMPLES + 1):
        if not SYSTEMS[problem.space].why_not(problem, method, samples * interval):
            return Update(method, samples)
    return None


def _choose_promising(updates: Sequence[Update]) -> list[Update]:
    """Those of the highest order, and the shortest ones."""

    def get_order(update: Update) -> int:
        return max(update.method.order or (0,))

    precise = sorted(updates, key=lambda one: (-get_order(one), one.samples, one.work))
    short = sorted(updates, key=lambda one: (one.samples, one.work, -get_order(one)))
    return list(dict.fromkeys([*precise[:PRECISE], *short[:SHORT]]))


# -------------------------------------------------------------------------------------------------
# runs


@dataclass(frozen=True, eq=False)
class TriedUpdate:
    """An update that was run, with its errors."""

    update: Update
    errors: GivenRatesErrors

    @property
    def worst(self) -> float:
        """The largest known error of the attitude, in radians; infinite if the run did not end."""
        return float(self.errors.worst.attitude) if self.errors.run.status == "done" else np.inf

    @property
    def rank(self) -> tuple[float, ...]:
        """What makes an update preferable to others that are as exact: the smallest first."""
        return self.update.samples, self.update.work, self.worst


@dataclass(frozen=True, eq=False)
class UpdateAnswer:
    """The answer to a question: the best update, and a known one with as many samples.

    `count` and `tried` are how many updates fit, and how many of them were run; `is_final` says
    whether no other is still to be run.
    """

    question: UpdateQuestion
    best: TriedUpdate
    other: TriedUpdate
    count: int
    tried: int
    is_final: bool = True

    @property
    def choice(self) -> Choice:
        """Both runs, as a choice of the lab."""
        methods = [one.update.method.given_name for one in (self.best, self.other)]
        return self.question.make_choice(methods, self.best.update.samples)

    @property
    def names(self) -> tuple[str, str]:
        """The names of both."""
        best, other = name_methods(self.choice.methods, space=self.question.space).values()
        return best, other


@functools.cache
def _find_exact_motion(question: UpdateQuestion) -> GivenRatesMotion:
    """The exact motion at the times at which every update ends."""
    rate = float(question.rate)
    samples = round(MOTIONS[question.motion].duration * rate)
    shared = SHARED * max(1, samples // (SHARED * ROWS))
    times = np.arange(0, samples + 1, shared) / rate
    motion = engine.exact(question.problem, times)
    assert isinstance(motion, GivenRatesMotion)
    return motion


@functools.lru_cache(RUNS_KEPT)
def _try(question: UpdateQuestion, update: Update) -> TriedUpdate:
    """Run an update, and find its errors."""
    problem = question.problem
    motion = _find_exact_motion(question)
    rate = float(question.rate)
    every = round(motion.t[1] * rate) // update.samples
    steps = every * (len(motion.t) - 1)
    run = engine.simulate(
        problem, update.method, dt=update.samples / rate, steps=steps, every=every
    )
    return TriedUpdate(update, engine.error(run, motion))


def find_update(question: UpdateQuestion) -> UpdateAnswer:
    """Run the promising updates; of those that are about as exact as the best, take the shortest."""
    *_, answer = find_updates(question, threading.Event(), lambda *_: None)
    return answer


def find_updates(
    question: UpdateQuestion, cancel: threading.Event, progress: Progress
) -> Iterator[UpdateAnswer]:
    """Find the answer; each one before it is the best so far."""
    updates = list_updates(question)
    promising = _choose_promising(updates)
    known = engine.algorithm(KNOWN, space=question.space, precision=PRECISIONS[question.bits])
    tried: list[TriedUpdate] = []
    shown = None
    for update in promising:
        if cancel.is_set():
            return
        progress(len(tried) / len(promising))
        tried.append(_try(question, update))
        goal = max(ALIKE * min(one.worst for one in tried), NEGLIGIBLE)
        best = min((one for one in tried if one.worst <= goal), key=lambda one: one.rank)
        is_final = len(tried) == len(promising)
        if best is not shown or is_final:
            shown = best
            other = _try(question, Update(known, best.update.samples))
            yield UpdateAnswer(question, best, other, len(updates), len(tried), is_final)


# -------------------------------------------------------------------------------------------------
# in words


def make_reply(answer: UpdateAnswer) -> Reply:
    """The answer in words, with its figure and its links."""
    name, _ = answer.names
    return Reply(
        method=answer.choice.methods[0],
        name=name,
        dt=answer.choice.dt,
        sentences=tuple(write_answer(answer)),
        trial=describe_trial(answer),
        ways={"See it turn on Gyroscope": link(answer.choice)}
        | {"Its error by the sample rate": link_study(answer)},
        chart=draw_answer(answer),
    )


def _tell_off(tried: TriedUpdate) -> tuple[str, str]:
    """The largest error, and the drift."""
    drift = float(np.linalg.norm(tried.errors.drift))
    return f"{show(float(np.degrees(tried.worst)), 2)}°", f"{show(drift, 2)} °/h"


def write_answer(answer: UpdateAnswer) -> list[str]:
    """The answer in sentences, without the name of the update."""
    question = answer.question
    _, other = answer.names
    samples = format_count(answer.best.update.samples, "sample")
    off, drift = _tell_off(answer.best)
    its_off, its_drift = _tell_off(answer.other)
    words = [
        f"{question.setting}, it drifts by {drift}.",
        f"It is off by up to {off} in {show(MOTIONS[question.motion].duration)} s.",
        f"Each update reads {samples}.",
        f"With as many, {other} drifts by {its_drift}, and is off by up to {its_off}.",
    ]
    if answer.best.worst > COARSE:
        words.append("No update follows this motion well: the samples are too few.")
    elif answer.best.worst <= NEGLIGIBLE:
        words.append("Errors below 10⁻⁶ rad count as none, so other updates may be as good.")
    return words


def describe_trial(answer: UpdateAnswer) -> str:
    """What the answer comes from."""
    so_far = "" if answer.is_final else " so far"
    return (
        f"{answer.count} updates fit these samples, and {answer.tried} were run{so_far}, without noise and bias. "
        "Of those that are about as exact as the best, the answer reads the fewest samples. "
        "Your own motion may need another."
    )


def draw_answer(answer: UpdateAnswer) -> Chart:
    """Draw the attitude errors of both updates after the start."""
    curves = [
        Curve(name, tried.errors.t[1:], np.degrees(tried.errors.attitude[1:]))
        for name, tried in zip(answer.names, (answer.best, answer.other), strict=True)
    ]
    return Chart((Axes(Axis("t, s"), Axis("attitude error, °", log=True)),), tuple(curves))


def link_study(answer: UpdateAnswer) -> str:
    """The link to the errors of both by the sample rate."""
    choice = answer.choice
    words = {"page": "studies", "study": "convergence", "problem": choice.problem}
    words |= {"methods": ",".join(choice.methods), "duration": f"{choice.duration:g}"}
    dts = [choice.dt * 2.0**k for k in range(3, -4, -1)]
    words |= choice.write_changes() | {"dt": f"{choice.dt:g}"}
    words["dts"] = ", ".join(f"{dt:g}" for dt in dts)
    return "?" + urlencode(words, safe=",()*")
