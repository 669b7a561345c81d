"""What a person has chosen: problem, methods, step, duration; with bounds, from and to a link, with undo and redo.

Nothing here knows of a page, so that scripts and tests can use it as the page does. Everything that comes from a
visitor is checked here, and answered in one sentence that names the widget.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import engine
from engine.algorithms.method import Method
from engine.names import parsed, split_names
from engine.problems import find_problem, posed
from engine.problems.problem import DT, DURATION, Posed
from engine.spec import Parameter, known
from engine.systems import system_of
from engine.wording import sentence, short

from . import view

MOST_METHODS = 4
MOST_NAMES = 2 * MOST_METHODS
"""Of methods in a link, how many are looked at."""
MOST_STEPS = 1_000_000_000
"""Steps of one run; a long one shows its progress and can be stopped."""
MOST_ROWS = 10_000
"""States kept of one run: what is between is tracked by the engine, not drawn."""
SMALLEST_DT, LARGEST_DT = 1e-6, 1e3
LONGEST = 1e7

ELSEWHERE = ("dt", "duration", "Pi0")
"""What problems can be given that is asked for in another way: Δt and the duration of a run, and Omega0 for Pi0."""


class Posing:
    """A problem with what was changed of it, and methods; what a choice and a question to a study have in common."""

    problem: str
    methods: tuple[str, ...]
    changes: tuple[tuple[str, Any], ...]

    def built(self) -> Any:
        """The problem, as the engine takes it."""
        return built(self.problem, self.changes)

    def written(self) -> dict[str, str]:
        """The changes, as a link has them."""
        declared = posed(self.problem).declared
        return {name: declared[name].written(value) for name, value in self.changes}

    def as_data(self) -> dict[str, Any]:
        """Problem, methods and changes, as scripts of the page are told of them."""
        changes = {name: list(x) if isinstance(x, tuple) else x for name, x in self.changes}
        return {"problem": self.problem, "methods": list(self.methods), "changes": changes}

    def in_python(self) -> str:
        """The problem, as Python with the engine has it."""
        declared = posed(self.problem).declared
        changes = "".join(f", {name}={declared[name].python(x)}" for name, x in self.changes)
        return f"engine.problem({self.problem!r}{changes})"


@dataclass(frozen=True)
class Choice(Posing):
    """One setting of the page; a run of each method follows from it.

    `problem` is a label such as soft-wall(sign=as-printed); `changes` are the parameters that differ from the
    problem's own, as `frozen` has them; `methods` are labels such as MR2(axes=231) or BUSS3+E.
    `space` is that of one body, "so3", or that of two, "se3"; problem and methods are of it.
    """

    problem: str = "free"
    methods: tuple[str, ...] = ("NMB", "AKW", "DMV")
    dt: float = 0.5
    duration: float = 100.0
    changes: tuple[tuple[str, Any], ...] = ()
    space: str = "so3"

    def method(self, label: str) -> Method:
        """The method of this name for so many bodies."""
        return engine.algorithm(label, space=self.space)

    @property
    def steps(self) -> int:
        """How many steps a method takes."""
        return round(self.duration / self.dt)

    @property
    def adaptive(self) -> bool:
        """Whether one of the methods chooses its own steps, so that Δt does not tell how long it takes."""
        return any(self.method(label).adaptive for label in self.methods)

    @property
    def weight(self) -> float:
        """About what one force takes, in steps of one body."""
        weight: float = self.built().force_effort
        return weight

    @property
    def effort(self) -> float:
        """About what all methods together take, in steps of one body."""
        return self.steps * len(self.methods) * self.weight

    def every(self) -> int:
        """Of how many states one is kept."""
        return max(1, math.ceil(self.steps / MOST_ROWS))

    def with_changes(self, **changes: Any) -> Choice:
        """The same with parameters of the problem changed; None takes one back to the problem's own."""
        merged = dict(self.changes) | {name: frozen(value) for name, value in changes.items()}
        kept = {name: value for name, value in merged.items() if value is not None}
        return dataclasses.replace(self, changes=tuple(sorted(kept.items())))

    def query(self) -> dict[str, str]:
        """The words of a link that leads to this setting."""
        words = dict(PAGE[self.space]) | {"problem": self.problem, "methods": ",".join(self.methods)}
        words |= {"dt": DT.written(self.dt), "duration": DURATION.written(self.duration)}
        return words | self.written()

    def told(self) -> str:
        """The setting in a line, as it stands below the title of a plot that is taken along."""
        return " · ".join([self.built().name, *self._parts()])

    def caption(self) -> str:
        """The setting in a line, as it stands beside the name of its problem."""
        return " · ".join([*self._parts(), f"to t = {DURATION.written(self.duration)}"])

    def _parts(self) -> list[str]:
        """What there is to tell of it besides the problem and the duration."""
        changes = (f"{name} = {text}" for name, text in self.written().items())
        return [", ".join(self.methods), f"Δt = {DT.written(self.dt)}", *changes]

    def snippet(self) -> str:
        """Python that makes the same runs with the engine."""
        every = f", every={self.every()}" if self.every() > 1 else ""
        times = f"dt={DT.written(self.dt)}, duration={DURATION.written(self.duration)}{every}"
        return snippet_of(self.in_python(), repr(list(self.methods)), times, system_of(self.built()).has_exact)


def snippet_of(problem: str, methods: str, times: str, exact: bool) -> str:
    """Python that makes runs with the engine; with an exact motion, it tells how far they are from it."""
    lines = ["import engine", "", f"problem = {problem}", f"for method in {methods}:"]
    lines += [f"    run = engine.simulate(problem, method, {times})"]
    if exact:
        lines += ["    error = engine.error(run)", "    print(run, run.extrema['energy'], error.attitude[-1])"]
    else:
        lines += ["    print(run, run.extrema['energy'], run.extrema['angular_momentum'])"]
    return "\n".join(lines) + "\n"


PAGE: dict[str, Mapping[str, str]] = {"so3": {}, "se3": {"page": "two-bodies"}}
"""What a link says of the page that a choice is for."""
FIRST = {
    "so3": Choice(),
    "se3": Choice("dumbbells", ("LGVI", "RK2", "LGM"), 0.002, 30.0, space="se3"),
}
"""What is chosen to begin with."""


def frozen(value: Any) -> Any:
    """A value that can be compared and kept: of several numbers a tuple."""
    return tuple(np.ravel(value).tolist()) if np.ndim(value) else value


def asked_of(problem: Posed) -> dict[str, Parameter]:
    """What a person types of a problem; its choices are part of its name."""
    return {name: p for name, p in problem.declared.items() if not p.choices and name not in ELSEWHERE}


@functools.lru_cache(maxsize=256)
def built(label: str, changes: tuple[tuple[str, Any], ...] = ()) -> Posed:
    """The problem of this name with its parameters changed."""
    problem: Posed = posed(label)
    return problem.replace(**dict(changes)) if changes else problem


class Refused(ValueError):
    """What a visitor cannot have, said at the widget where it was asked for."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(why)
        self.field = field


def checked(choice: Choice) -> Choice:
    """The choice with every part as the engine will take it, or `Refused`."""
    problem = _try("problem", lambda: find_problem(choice.problem, space=choice.space))
    choice = dataclasses.replace(choice, problem=problem.label).with_changes(**_in_brackets(choice.problem, problem))
    for name, value in choice.changes:
        _try(name, functools.partial(built, problem.label, ((name, value),)))
    _try("problem", choice.built)
    if not choice.methods:
        raise Refused("methods", "Choose at least one method.")
    if len(choice.methods) > MOST_METHODS:
        raise Refused("methods", f"At most {MOST_METHODS} methods can be compared at once.")
    labels = tuple(dict.fromkeys(_try("methods", functools.partial(choice.method, m)).label for m in choice.methods))
    _between("dt", "Δt", choice.dt, SMALLEST_DT, LARGEST_DT)
    _between("duration", "The duration", choice.duration, 0.0, LONGEST)
    steps = choice.duration / choice.dt
    if steps * choice.weight > MOST_STEPS:
        raise Refused(
            "duration",
            f"That takes {short(steps, 3)} steps, and at most {short(MOST_STEPS / choice.weight, 1)} can be run "
            f"here; take a Δt of {short(choice.duration * choice.weight / MOST_STEPS, 2)} or more, or a duration of "
            f"{short(MOST_STEPS / choice.weight * choice.dt, 2)} or less.",
        )
    return dataclasses.replace(choice, methods=labels)


def _in_brackets(name: str, problem: Posed) -> dict[str, Any]:
    """What the name of a problem changes of it in brackets and its label does not say."""
    own = asked_of(problem)
    return {key: value for key, value in problem.typed(parsed(name)[1]).items() if key in own}


def _try(field: str, ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except ValueError as error:
        raise Refused(field, sentence(str(error))) from error


def _between(field: str, name: str, value: float, low: float, high: float) -> None:
    if not (isinstance(value, float | int) and low <= value <= high):
        raise Refused(field, f"{name} is a number from {short(low)} to {short(high)}.")


def from_query(query: Mapping[str, str], space: str = "so3") -> tuple[Choice, list[str]]:
    """The choice that a link names, and what of it could not be understood; for that the default stands in."""
    notices: list[str] = []

    def accept(choice: Choice, **changed: Any) -> Choice:
        try:
            return checked(dataclasses.replace(choice, **changed))
        except Refused as refused:
            notices.append(f"{next(iter(changed))}: {refused}")
            return choice

    choice = FIRST[space]
    if "problem" in query:
        named = accept(choice, problem=query["problem"])
        its_own = of_problem(named.problem, named)
        choice = named if named.problem == choice.problem else dataclasses.replace(its_own, changes=named.changes)
    parameters = asked_of(choice.built())
    for name, text in query.items():
        if name in WORDS:
            continue
        try:
            parameter = known(parameters, name, choice.problem)
        except ValueError:
            notices.append(f"{name[:40]!r} is no name that a link can carry.")
            continue
        try:
            value = _try(name, functools.partial(parameter.typed, text))
            choice = checked(choice.with_changes(**{parameter.name: value}))
        except Refused as refused:
            notices.append(f"{name}: {refused}")
    if "methods" in query:
        labels: list[str] = []
        refused_names: list[str] = []
        for name in list(dict.fromkeys(split_names(query["methods"])))[:MOST_NAMES]:
            try:
                labels += checked(dataclasses.replace(choice, methods=(name,))).methods
            except Refused as refused:
                refused_names.append(f"methods: {refused}")
        notices += first_of(refused_names)
        choice = accept(choice, methods=tuple(labels)) if labels else choice
    times = {p.name: _typed(p, query[p.name]) for p in (DT, DURATION) if p.name in query}
    try:  # together first: a small step may be allowed only for the short time that comes with it
        choice = checked(dataclasses.replace(choice, **times))
    except Refused:
        for name, value in times.items():
            choice = accept(choice, **{name: value})
    return choice, notices


def _typed(parameter: Parameter, text: str) -> Any:
    """What was typed, or the text itself if that cannot be read, to be refused later."""
    try:
        return parameter.typed(text)
    except ValueError:
        return text


WORDS = ("problem", "methods", "dt", "duration", "lesson", "lecture", "version", "tab", "theme", *view.WORDS)
"""Of a link, besides what changes the problem."""


def first_of(refusals: Sequence[str]) -> list[str]:
    """What is said of names of a list that cannot be had: of the first, and how many there are besides."""
    if len(refusals) < 2:
        return list(refusals)
    return [f"{refusals[0].removesuffix('.')}; and {len(refusals) - 1} more that cannot be had."]


def of_problem(label: str, before: Choice | None = None) -> Choice:
    """The choice with another problem, its own Δt and duration, and the methods that were there before."""
    problem = posed(label)
    methods = before.methods if before else FIRST[problem.space].methods
    return Choice(problem.label, methods, problem.dt, problem.duration, space=problem.space)


class History:
    """What was chosen before, for undo and redo."""

    def __init__(self, first: Choice, most: int = 100) -> None:
        self._past: list[Choice] = [first]
        self._future: list[Choice] = []
        self._most = most

    @property
    def now(self) -> Choice:
        """The choice that holds."""
        return self._past[-1]

    def note(self, choice: Choice, *, same_gesture: bool = False) -> None:
        """A new choice; one of the same gesture, such as a slider still held, takes the place of the last."""
        if choice == self.now:
            return
        if same_gesture and len(self._past) > 1:
            self._past[-1] = choice
        else:
            self._past = [*self._past, choice][-self._most :]
        self._future.clear()

    def undo(self) -> Choice:
        """The choice before, if there is one."""
        if self.can_undo:
            self._future.append(self._past.pop())
        return self.now

    def redo(self) -> Choice:
        """The choice that was taken back."""
        if self.can_redo:
            self._past.append(self._future.pop())
        return self.now

    @property
    def can_undo(self) -> bool:
        """Whether there is something to take back."""
        return len(self._past) > 1

    @property
    def can_redo(self) -> bool:
        """Whether something was taken back."""
        return bool(self._future)


def fitting(methods: Iterable[str], problem: Posed) -> dict[str, str]:
    """Of these methods, those that cannot run on a problem, with the reason."""
    system = system_of(problem)
    reasons = {label: system.why_not(problem, engine.algorithm(label), problem.dt) for label in methods}
    return {label: reason for label, reason in reasons.items() if reason}
