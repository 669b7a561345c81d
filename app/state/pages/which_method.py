"""Which method should I use? The methods that fit a question, and the cheapest of them, which was
run.

What a method keeps is what it declares. Nanoseconds and drifts come from the record, and errors
from runs of a representative motion.
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

import numpy as np

import engine
from engine.algorithms import HOLDS, FixedStep, Method, name_methods
from engine.exact.errors import measure_turns
from engine.parameters.validation import Array
from engine.simulation import SYSTEMS, AnyRun, BodyRun
from engine.studies.core import Axes, Axis, Chart, Curve
from engine.studies.engines import format_percent
from engine.text.formatting import show

from ..choice import Choice, choose_problem
from ..example_torques import EXAMPLE_TORQUES
from ..links import link
from ..results import Kernels, Progress, list_kernels, prepare_kernels, roundoff
from .method_table import Findings, constant_cell, time_cell
from .which_reply import RUNS_KEPT, Menu, Reply

ROWS = 200
"""The fewest steps of a run, and the times at which its error is known."""
DOUBLINGS = 14
"""How often the steps of a run are doubled at most."""
TRIED = 6
"""How many methods are run, those that should be the cheapest by the record."""
LONG = {"so3": 1_000_000, "se3": 100_000}
"""The steps of a run that shows whether energy drifts."""
HIGHEST = 1e4
"""The largest change that is drawn, in percent, and the largest error of the attitude in radians."""


@dataclass(frozen=True)
class Motion:
    """A representative motion.

    Attributes
    ----------
    words : the motion, as a sentence names it.
    choice : its problem, step and duration.
    errors, drift, time : the problems on which errors, drifts and nanoseconds are recorded.
    """

    words: str
    choice: Choice
    errors: str = ""
    drift: str = ""
    time: str = ""


@dataclass(frozen=True)
class Act:
    """What may act on a body.

    Attributes
    ----------
    holds : the motions of a promise that holds here, in words of `HOLDS`; empty for two bodies.
    first : the representative motion; `conservative` one that keeps its energy.
    yardsticks : methods that everybody knows.
    """

    words: str
    holds: str
    first: Motion
    conservative: Motion
    yardsticks: tuple[str, ...] = ("RK4-QUAT", "RK4-MATRIX")


def _own_torque(name: str, words: str, errors: str) -> Motion:
    """Your own body with one of the examples of a torque."""
    example = next(one for one in EXAMPLE_TORQUES if one.words == name)
    choice = replace(example.choose(choose_problem("custom")), duration=20.0)
    choice = choice.with_changes(Omega0=(0.5, 1.0, 0.7))
    return Motion(words, choice, errors, "asymmetric-top", "slow-top")


_FREE = Motion("a free body", choose_problem("free"), "free", "free", "free")
_DUMBBELLS = Motion("two dumbbells", choose_problem("dumbbells"))
ACTS = {
    "nothing": Act("nothing", "free", _FREE, _FREE),
    "gravity": Act(
        "gravity, on a top",
        "tops",
        Motion("a slow heavy top", choose_problem("slow-top"), "slow-top", "", "slow-top"),
        Motion(
            "an asymmetric heavy top",
            replace(choose_problem("asymmetric-top"), duration=20.0),
            "asymmetric-top",
            "asymmetric-top",
            "slow-top",
        ),
    ),
    "torque": Act(
        "my own torque",
        "tops",
        _own_torque("Friction and push", "a body with friction and a push", "driven"),
        _own_torque("Spring", "a body on a spring", "three-axis"),
    ),
    "bodies": Act("two bodies, on each other", "", _DUMBBELLS, _DUMBBELLS, ("RK2", "RKF78")),
}
KEEPS = {
    "nothing": "nothing in particular",
    "energy": "the energy",
    "momentum": "the momentum",
    "shape": "the shape of the flow (symplectic)",
}
CHEAP = "cheap"
GOALS = {"picture": 0.01, "precise": 1e-6}
"""The largest errors of the attitude, in radians."""
EXACTS = {
    "picture": "within 0.01 rad (0.6°), for a picture",
    "precise": "within 10⁻⁶ rad, for a measurement",
    CHEAP: "the cheapest that does not drift",
}


@dataclass(frozen=True)
class Asked:
    """The quantity that must not change, or that only the torque may change: its key, and its name."""

    key: str
    name: str
    is_changed: bool = False


_MOMENTA = {
    "nothing": Asked("pi", "momentum"),
    "gravity": Asked("pi_e3", "momentum about the vertical"),
    "torque": Asked("pi", "momentum", is_changed=True),
    "bodies": Asked("angular_momentum", "angular momentum"),
}
PERCENT = 100.0
ALLOWED = "error allowed"
"""The name of the line at the largest error of the attitude."""
MENUS = {
    "acts": {key: act.words for key, act in ACTS.items()},
    "keep": KEEPS,
    "exact": EXACTS,
}
"""The menus of the question: their names in links, and their values with words."""
OTHERS = {
    "keep": Menu("What must be kept?", "Choose what the method must not change.", KEEPS),
    "exact": Menu(
        "How exact, or how cheap?",
        "Choose the largest error of the attitude, or the least cost.",
        EXACTS,
    ),
}
"""The menus besides that of what acts."""


@dataclass(frozen=True)
class MethodQuestion:
    """What acts on the body, what must be kept, and how exact or how cheap the method must be."""

    acts: str = "nothing"
    keep: str = "nothing"
    exact: str = "picture"

    @property
    def menus(self) -> Mapping[str, Menu]:
        """The menus besides that of what acts."""
        return OTHERS

    @property
    def values(self) -> dict[str, str]:
        """The chosen values."""
        return {name: getattr(self, name) for name in MENUS}

    @property
    def act(self) -> Act:
        """What acts."""
        return ACTS[self.acts]

    @property
    def motion(self) -> Motion:
        """The representative motion, which keeps its energy if the question is about that."""
        lasts = self.exact == CHEAP or self.keep in ("energy", "shape")
        return self.act.conservative if lasts else self.act.first

    @property
    def space(self) -> str:
        """The space of the methods."""
        return self.motion.choice.space

    def describe(self) -> str:
        """The question in a line."""
        return " · ".join(menu[getattr(self, name)] for name, menu in MENUS.items())

    def query(self) -> dict[str, str]:
        """The words of a link."""
        return {"page": "which"} | self.values

    def find_replies(self, cancel: threading.Event, progress: Progress) -> Iterator[Reply]:
        """Find the method, and describe it."""
        return map(make_reply, find_answers(self, cancel, progress))


def read_query(query: Mapping[str, str]) -> tuple[MethodQuestion, list[str]]:
    """Return the question of a link, and a notice for each refused part."""
    known = {name: text for name, text in query.items() if text in MENUS.get(name, ())}
    notices = [
        f"{name[:40]}: there is no {text[:40]!r} here."
        for name, text in query.items()
        if name not in known and name != "version"
    ]
    return MethodQuestion(**known), notices


# -------------------------------------------------------------------------------------------------
# the methods that fit


def keeps(method: Method, question: MethodQuestion) -> bool:
    """Whether a method declares that it keeps what the question asks for.

    Your own torque changes the momentum; then a method keeps it if nothing else does.
    """
    conserves = method.conserves
    if question.keep == "shape":
        return method.symplectic
    if question.space == "se3":
        quantities = {"energy": ["energy"], "momentum": ["linear_momentum", "angular_momentum"]}
        return all(conserves.get(name) == "always" for name in quantities.get(question.keep, []))
    if question.keep == "energy":
        return conserves.get("energy") in HOLDS[question.act.holds]
    if question.keep == "momentum":
        if question.acts == "gravity":
            return conserves.get("pi_e3") in HOLDS["tops"]
        return conserves.get("pi") in HOLDS["free"]
    return True


def drifts(method: Method, motion: Motion) -> bool:
    """Whether energy drifts: by the record of a million steps, or for two bodies unless a step is
    symplectic.
    """
    if not motion.drift:
        return not method.symplectic
    return Findings(method.key).cell("energy drift", motion.drift).text != "no drift"


def list_fitting(question: MethodQuestion) -> list[Method]:
    """The methods with steps of one size that run on the motion, and whose cost is known.

    Of your own torque they need no rates of change.
    """
    motion = question.motion
    problem = motion.choice.build_problem()
    why_not = SYSTEMS[problem.space].why_not
    return [
        method
        for method in engine.algorithms(question.space)
        if isinstance(method, FixedStep)
        and not why_not(problem, method, motion.choice.dt)
        and (not motion.time or _time(method, motion) is not None)
        and not (question.acts == "torque" and method.promises.needs_rates)
    ]


def list_candidates(question: MethodQuestion) -> tuple[list[Method], bool]:
    """The methods that the answer may be, and whether they keep what is asked for.

    If none keeps the energy, the symplectic ones stay near it.
    """
    fitting = [
        method
        for method in list_fitting(question)
        if question.exact != CHEAP or not drifts(method, question.motion)
    ]
    found = [method for method in fitting if keeps(method, question)]
    return (found, True) if found else ([m for m in fitting if m.symplectic], False)


# -------------------------------------------------------------------------------------------------
# runs


@dataclass(frozen=True, eq=False)
class Tried:
    """A method that was run, and the cost of the run in nanoseconds by the record, or for two
    bodies in evaluations of the force.
    """

    method: Method
    run: BodyRun
    cost: float


@dataclass(frozen=True, eq=False)
class Answer:
    """The answer to a question: the best method, and another with the same step.

    Attributes
    ----------
    kept : whether the method keeps what the question asks for; otherwise it stays near that.
    count : how many methods could have been the answer.
    is_final : whether no other method is still to be tried.
    """

    question: MethodQuestion
    best: Tried
    other: Tried
    kept: bool
    count: int
    is_final: bool = True

    @property
    def choice(self) -> Choice:
        """Both runs, as a choice of the lab."""
        methods = self.best.method.label, self.other.method.label
        return replace(self.question.motion.choice, methods=methods, dt=self.best.run.dt)

    @property
    def names(self) -> tuple[str, str]:
        """The names of both methods."""
        best, other = name_methods(self.choice.methods, space=self.question.space).values()
        return best, other


def _time(method: Method, motion: Motion) -> float | None:
    """The recorded nanoseconds of a step; None for two bodies."""
    found = time_cell(method, motion.time).sort if motion.time else None
    return found if isinstance(found, float) else None


@functools.cache
def _find_exact_motion(choice: Choice) -> Any:
    """Return the exact motion."""
    times = np.linspace(0.0, choice.duration, ROWS + 1)
    return engine.exact(choice.build_problem(), times, dt=choice.dt)


def measure_errors(run: Any, motion: Motion) -> Array:
    """Return the attitude errors of a run of the motion's duration, at its rows."""
    exact = _find_exact_motion(motion.choice).R
    rows = min(len(run), len(exact))
    return measure_turns(run.R[:rows], exact[:rows])


def _is_within(run: AnyRun, motion: Motion, goal: float) -> bool:
    """Whether a run reaches its end, and its attitude error never exceeds the goal."""
    return run.status == "done" and float(measure_errors(run, motion).max()) <= goal


@functools.lru_cache(RUNS_KEPT)
def _try(method: Method, motion: Motion, dt: float, steps: int) -> Tried:
    """Run a method for a number of steps, a multiple of `ROWS`."""
    problem: Any = motion.choice.build_problem()
    run = engine.simulate(problem, method, dt=dt, steps=steps, every=steps // ROWS)
    time = _time(method, motion)
    return Tried(method, run, run.cost.torque_evaluations if time is None else time * steps)


def _predict(method: Method, motion: Motion, goal: float) -> tuple[float, int]:
    """Return what a method should cost within an error, by the record; without one, the highest
    order comes first.
    """
    time = _time(method, motion)
    orders = method.order_on(free=motion.errors == "free")
    if time is None or orders is None:
        return 0.0, -(orders or (0,))[0]
    constant = constant_cell(method, Findings(method.key), "attitude", motion.errors).sort
    steps = float(ROWS)
    if isinstance(constant, float):
        steps = max(steps, motion.choice.duration * (constant / goal) ** (1.0 / orders[0]))
    return time * steps, 0


def _race(methods: Sequence[Method], motion: Motion, goal: float) -> Iterator[Tried | None]:
    """Run methods with the largest steps within an error.

    For each method return its run if that is cheaper than all before, or None. A method that would
    cost more by the record is not run, so that its kernel need not be compiled.
    """
    least = math.inf
    for number, method in enumerate(methods):
        if number >= TRIED and least < math.inf:
            return
        found = None
        for doublings in range(DOUBLINGS):
            steps = ROWS << doublings
            if (_time(method, motion) or 0.0) * steps >= least:
                break
            tried = _try(method, motion, motion.choice.duration / steps, steps)
            if tried.cost >= least:
                break
            if _is_within(tried.run, motion, goal):
                found = tried
                least = tried.cost
                break
        yield found


def _cost_of_a_step(method: Method, motion: Motion) -> float:
    time = _time(method, motion)
    return float(method.torque_evaluations or math.inf) if time is None else time


def find_answer(question: MethodQuestion) -> Answer:
    """Find the cheapest method that fits the question, and run it beside another."""
    *_, answer = find_answers(question, threading.Event(), lambda *_: None)
    return answer


def find_answers(
    question: MethodQuestion, cancel: threading.Event, progress: Progress
) -> Iterator[Answer]:
    """Find the answer; each one before it is the best so far, the likely best first."""
    motion = question.motion
    candidates, kept = list_candidates(question)
    if question.exact == CHEAP:
        pair = _choose_cheapest(question, candidates)
        if not prepare_kernels(_list_kernels(pair, motion)[0], cancel, progress):
            return
        best, other = (_try(one, motion, motion.choice.dt, LONG[question.space]) for one in pair)
        yield Answer(question, best, other, kept, len(candidates))
        return
    goal = GOALS[question.exact]
    ranked = sorted(candidates, key=lambda method: _predict(method, motion, goal))
    parts = min(TRIED, len(ranked)) + 1  # the first compiles what every answer needs
    of_runs, of_exact = _list_kernels([ranked[0], _find_rival(question, ranked[0])], motion)
    if not prepare_kernels(
        [*of_runs, *of_exact], cancel, lambda part, words: progress(part / parts, words)
    ):
        return
    answer = None
    for number, found in enumerate(_race(ranked, motion, goal), start=2):
        if found is not None:
            rival = _find_rival(question, found.method)
            other = _try(rival, motion, found.run.dt, found.run.cost.steps)
            answer = Answer(question, found, other, kept, len(candidates), is_final=False)
            yield answer
        progress(min(number / parts, 1.0))
        if cancel.is_set():
            return
    assert answer is not None
    yield replace(answer, is_final=True)


def _list_kernels(methods: Sequence[Method], motion: Motion) -> tuple[Kernels, Kernels]:
    """The kernels that runs of methods, and that the exact motion, still need to compile."""
    return list_kernels(replace(motion.choice, methods=tuple(m.label for m in methods)))


def _find_rival(question: MethodQuestion, best: Method) -> Method:
    """A method that everybody knows, and that is not the best."""
    key = next(key for key in question.act.yardsticks if key != best.key)
    return engine.algorithm(key, space=question.space)


def _choose_cheapest(
    question: MethodQuestion, candidates: Sequence[Method]
) -> tuple[Method, Method]:
    """The cheapest of the candidates, and the cheapest method of all that drifts."""
    motion = question.motion
    drifting = [method for method in list_fitting(question) if drifts(method, motion)]
    best, other = (
        min(methods, key=lambda method: _cost_of_a_step(method, motion))
        for methods in (candidates, drifting)
    )
    return best, other


# -------------------------------------------------------------------------------------------------
# in words


def make_reply(answer: Answer) -> Reply:
    """The answer in words, with its figure and its links."""
    name, _ = answer.names
    return Reply(
        method=answer.best.method.label,
        name=name,
        dt=answer.best.run.dt,
        sentences=write_answer(answer),
        trial=describe_trial(answer),
        ways={
            "See it move in the lab": link_lab(answer),
            "All methods that fit": link_methods(answer.question),
        },
        chart=draw_answer(answer),
        more=list_more_links(answer),
    )


def write_answer(answer: Answer) -> list[str]:
    """The answer in sentences, without the name of the method."""
    question = answer.question
    _, other = answer.names
    run = answer.best.run
    rival = answer.other.run
    words = [_describe_promise(answer)] if question.keep != "nothing" else []
    if question.exact == CHEAP:
        steps = f"{run.cost.steps:,} steps"
        change = run.deviation("energy") / abs(float(run.energy[0]))
        swing = "roundoff" if change <= roundoff(run) else f"{show(PERCENT * change, 2)} %"
        words.append(f"In {steps} its energy stays within {swing} of the first.")
        words.append(f"The cheapest method that drifts is {other}: {_describe_drift(rival)}.")
        if question.keep == "momentum":
            words += _describe_change(rival, question)
    else:
        time = f"{show(question.motion.choice.duration)} units of time"
        words.append(
            f"In {time} its attitude is never off by more than {_tell_off(run, question)}."
        )
        if rival.status == "done":
            words.append(
                f"With the same step, {other} is off by up to {_tell_off(rival, question)}."
            )
            words += _describe_change(rival, question)
        else:
            words.append(f"With the same step, {other} does not reach the end.")
    if answer.best.method.conserves.get("orthogonality") != "always":
        words.append("Its matrix R is a rotation only up to the error of the method.")
    return words


def _describe_promise(answer: Answer) -> str:
    """What the method keeps."""
    acts, keep = answer.question.acts, answer.question.keep
    if not answer.kept:
        return (
            "No method here keeps the energy exactly. "
            "This one is symplectic: its energy swings, but does not drift."
        )
    if keep == "energy":
        return "It keeps the energy to roundoff."
    if keep == "shape":
        return "Each step is a symplectic map, so it keeps the shape of the flow."
    return {
        "nothing": "It keeps the length and the direction of the spatial momentum.",
        "gravity": "It keeps the momentum about the vertical; gravity changes the rest.",
        "torque": f"Only your torque changes the momentum. The figure shows {_tell_shown(answer)}.",
        "bodies": "It keeps the linear and the angular momentum of both bodies together.",
    }[acts]


def _tell_shown(answer: Answer) -> str:
    """What the figure shows of a momentum that a torque changes."""
    return "how much" if answer.question.exact == CHEAP else "how far it is from the exact one"


def _tell_off(run: AnyRun, question: MethodQuestion) -> str:
    """How far the attitude is off, and a momentum that a torque changes."""
    off = f"{show(float(measure_errors(run, question.motion).max()), 2)} rad"
    asked = find_asked(question)
    if asked is None or not asked.is_changed:
        return off
    change = float(measure_change(run, asked, question).max())
    return f"{off}, and its {asked.name} by {show(change, 2)} %"


def _describe_drift(run: BodyRun) -> str:
    """What becomes of the energy in a run that drifts."""
    if run.status != "done":
        return f"its values overflow after {run.cost.steps:,} steps"
    return f"it ends with {format_percent(float(run.energy[-1] / run.energy[0]))} % of the first energy"


def describe_trial(answer: Answer) -> str:
    """What the answer comes from."""
    by = (
        "the time of a step, as recorded"
        if answer.question.motion.time
        else "evaluations of the force"
    )
    rank = (
        "The answer is the cheapest of them"
        if answer.is_final
        else "This one is the cheapest of those tried so far,"
    )
    return (
        f"{answer.count} methods with equal steps fit. {rank} by {by}. "
        f"It was tried on {answer.question.motion.words}. Your own body may need another step."
    )


def _describe_change(run: AnyRun, question: MethodQuestion) -> list[str]:
    """Say how much the other method changes what must be kept."""
    asked = find_asked(question)
    if asked is None or asked.is_changed:
        return []
    change = float(measure_change(run, asked, question).max())
    if change <= PERCENT * roundoff(run):
        return [f"It keeps the {asked.name} to roundoff in this run."]
    if not change < HIGHEST:
        return []
    return [f"It changes the {asked.name} by up to {show(change, 2)} %."]


def find_asked(question: MethodQuestion) -> Asked | None:
    """The quantity that the question is about; None for the attitude alone."""
    if question.keep == "momentum":
        return _MOMENTA[question.acts]
    if question.keep == "energy" or question.exact == CHEAP:
        return Asked("energy", "energy")
    return None


def measure_change(run: AnyRun, asked: Asked, question: MethodQuestion) -> Array:
    """Return by how many percent of its first value a quantity differs from that, at the run's rows,
    or from that of the exact motion if the torque changes it and the exact motion is known.
    """
    values = run.quantity(asked.key).reshape(len(run), -1)
    is_known = asked.is_changed and question.exact in GOALS
    right = _find_exact_motion(question.motion.choice).pi[: len(run)] if is_known else values[0]
    with np.errstate(over="ignore"):  # of a run that blew up
        change: Array = np.linalg.norm(values - right, axis=1) / np.linalg.norm(values[0])
    return PERCENT * change


def name_error(asked: Asked | None, question: MethodQuestion) -> str:
    """The name of what is drawn, with its unit."""
    if asked is None:
        return "attitude error, rad"
    is_error = asked.is_changed and question.exact in GOALS
    return f"{'error' if is_error else 'change'} of the {asked.name}, %"


def draw_answer(answer: Answer) -> Chart:
    """Draw what both methods do to the quantity that must be kept, or else their attitude errors
    beside the largest one allowed.
    """
    question = answer.question
    asked = find_asked(question)
    curves = []
    for name, tried in zip(answer.names, (answer.best, answer.other), strict=True):
        run = tried.run
        off = (
            measure_change(run, asked, question) if asked else measure_errors(run, question.motion)
        )
        curves.append(Curve(name, run.t[: len(off)], np.where(off < HIGHEST, off, np.nan)))
    if asked is None:
        allowed = np.full(2, GOALS[question.exact])
        curves.append(Curve(ALLOWED, curves[0].x[[0, -1]], allowed))
    label = name_error(asked, question)
    return Chart((Axes(Axis("t"), Axis(label, log=True)),), tuple(curves))


# -------------------------------------------------------------------------------------------------
# links

FILTERED = {
    ("nothing", "energy"): "energy",
    ("nothing", "momentum"): "pi",
    ("gravity", "energy"): "tops-energy",
    ("gravity", "momentum"): "tops-pi_e3",
    ("torque", "energy"): "tops-energy",
    ("torque", "momentum"): "torque,pi",
}
"""The filters of the page Methods for what acts and what must be kept."""


def link_lab(answer: Answer) -> str:
    """The link to both methods in the lab."""
    return link(answer.choice)


def link_methods(question: MethodQuestion) -> str:
    """The link to all methods that fit: the filtered table, or those for two bodies side by side."""
    if question.space == "se3":
        labels = [method.label for method in engine.algorithms("se3")[:4]]
        return link(replace(question.motion.choice, methods=tuple(labels)))
    acted = "" if question.acts == "nothing" else "torque"
    names = {"shape": ",".join(filter(None, (acted, "symplectic")))}
    found = FILTERED.get((question.acts, question.keep), names.get(question.keep, acted))
    return "?" + urlencode({"page": "methods"} | ({"with": found} if found else {}), safe=",")


def list_more_links(answer: Answer) -> dict[str, str]:
    """The links to the study behind the answer, and to the comparison; none for two bodies."""
    question = answer.question
    choice = answer.choice
    if question.space == "se3":
        return {}
    compared = ",".join(dict.fromkeys(one.method.key for one in (answer.best, answer.other)))
    words = {"page": "studies", "problem": choice.problem, "methods": ",".join(choice.methods)}
    if question.exact == CHEAP:
        words |= {"study": "long-run"}
        title = "Long runs of both"
    else:
        words |= {
            "study": "advise",
            "within": f"{GOALS[question.exact]:g}",
            "duration": f"{choice.duration:g}",
        }
        title = "Advice, timed on this machine"
    study = "?" + urlencode(words | choice.write_changes(), safe=",()*")
    return {
        title: study,
        "Compare both methods": f"?{urlencode({'page': 'methods', 'compare': compared}, safe=',')}",
    }
