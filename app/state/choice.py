"""The user's choice of problem, methods, step and duration, with its bounds; the page and scripts
use it alike.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np

import engine
from engine.algorithms import Method, Variants, name_methods, name_variants
from engine.exact import has_exact
from engine.parameters.names import parse_name
from engine.parameters.parameter import Parameter
from engine.parameters.validation import Array
from engine.problems import DT, DURATION, KINDS, AnyProblem, find_problem
from engine.text.formatting import finish_sentence, format_setting, format_step, show

from .fitting import replace_misfits
from .recordings import Recording

T = TypeVar("T")
Value = bool | int | float | str | tuple[float, ...]
"""A value of a parameter that can be compared: several numbers are a tuple."""
Changes = tuple[tuple[str, Value], ...]

MOST_METHODS = 4
MOST_STEPS = 1_000_000_000
"""Steps of one run; a long one shows its progress and can be stopped."""
MOST_ROWS = 10_000
"""Stored states of one run. The engine tracks the extrema of every step; the plots need no more
states.
"""
SMALLEST_DT = 1e-6
LARGEST_DT = 1e3
LONGEST = 1e7

ELSEWHERE = ("dt", "duration", "Pi0")
"""Parameters of a problem without a field of their own: Δt and duration belong to the run, Omega0
gives Pi0.
"""


class ProblemChoice:
    """A problem with changed parameters, and methods: the common part of a choice and of a question
    to a study.
    """

    problem: str
    methods: tuple[str, ...]
    changes: Changes
    recording: Recording | None = None

    def build_problem(self) -> AnyProblem:
        """The engine's problem."""
        return build_problem(self.problem, self.changes, self.recording)

    @property
    def source(self) -> tuple[str, Recording | None]:
        """What identifies the problem without changes: its label, and its recording."""
        return self.problem, self.recording

    @property
    def original(self) -> AnyProblem:
        """The problem without changes."""
        return build_problem(self.problem, (), self.recording)

    def write_changes(self) -> dict[str, str]:
        """The changes as the words of a link."""
        declared = self.original.declarations
        return {name: declared[name].format(value) for name, value in self.changes}

    def list_changes(self) -> list[str]:
        """The changes in signs: Ω₀ = (0.1, 3, 0)."""
        return [format_setting(name, value) for name, value in self.changes]

    def as_data(self) -> dict[str, Any]:
        """Problem, methods and changes, for scripts of the page."""
        changes = {name: list(x) if isinstance(x, tuple) else x for name, x in self.changes}
        data = {"problem": self.problem, "methods": list(self.methods), "changes": changes}
        return data if self.recording is None else data | {"recording": self.recording.name}

    def in_python(self) -> str:
        """The problem as a Python expression."""
        original = self.original
        declared = original.declarations
        written = [f"{name}={declared[name].to_python(x)}" for name, x in self.changes]
        if self.recording is None:
            return f"engine.problem({', '.join([repr(self.problem), *written])})"
        options = [p for p in declared.values() if p.choices]
        values = [(p, original.value(p.name)) for p in options]
        written[:0] = [f"{p.name}={value!r}" for p, value in values if value != p.default]
        changes = f".replace({', '.join(written)})" if written else ""
        return f"{self.recording.in_python()}{changes}"


@dataclass(frozen=True)
class Choice(ProblemChoice):
    """One setting of the page; a run of each method follows from it.

    Attributes
    ----------
    problem : a label such as soft-wall(sign=as-printed).
    methods : labels such as MR2(axes=231) or BUSS3+E, and names of programs, such as godot.
    changes : the parameters that differ from the problem's own, with their values from `freeze`.
    space : "so3" for one body, "se3" for two, "rates" for given rates; the space of the problem and of
        the methods.
    recording : a visitor's recording that gives the rates, if one does.
    """

    problem: str = "free"
    methods: tuple[str, ...] = ("NMB", "AKW", "DMV")
    dt: float = 0.5
    duration: float = 100.0
    changes: Changes = ()
    space: str = "so3"
    recording: Recording | None = None

    @cached_property
    def algorithms(self) -> tuple[Method, ...]:
        """The methods that the labels name, found once for each choice."""
        return tuple(engine.algorithm(label, space=self.space) for label in self.methods)

    @cached_property
    def names(self) -> dict[str, str]:
        """What the methods are called on screen, by their labels."""
        return name_methods(self.methods, space=self.space)

    @cached_property
    def variants(self) -> Variants:
        """These names in two parts, if the methods are variants of one."""
        return name_variants(self.methods, space=self.space)

    @property
    def steps(self) -> int:
        """The number of steps of each method."""
        return round(self.duration / self.dt)

    @property
    def adaptive(self) -> bool:
        """Whether a method chooses its own steps, so that Δt does not determine the cost."""
        return any(method.adaptive for method in self.algorithms)

    @property
    def weight(self) -> float:
        """The approximate cost of one evaluation of the force, in steps of one body."""
        return self.build_problem().force_effort

    @property
    def effort(self) -> float:
        """The approximate cost of all methods together, in steps of one body."""
        return self.steps * len(self.methods) * self.weight

    @property
    def every(self) -> int:
        """The number of steps from one stored state to the next."""
        return max(1, math.ceil(self.steps / MOST_ROWS))

    def with_changes(self, **changes: Any) -> Choice:
        """The same choice with changed parameters; None restores the problem's own value."""
        merged = dict(self.changes) | {name: freeze(value) for name, value in changes.items()}
        return replace(
            self, changes=tuple(sorted((name, x) for name, x in merged.items() if x is not None))
        )

    def as_data(self) -> dict[str, Any]:
        """Problem, methods, changes and times, for scripts of the page."""
        return super().as_data() | {"dt": self.dt, "duration": self.duration}

    def with_fitting_methods(self) -> Choice:
        """The same choice with the nearest methods that fit the problem in place of those that do
        not.
        """
        methods = replace_misfits(self.methods, self.build_problem())
        return self if methods == self.methods else replace(self, methods=methods)

    def change(self, name: str, value: Any) -> Choice:
        """The same choice with another "dt", "duration" or "methods", or another parameter of the
        problem.
        """
        own = name in ("dt", "duration", "methods")
        return replace(self, **{name: value}) if own else self.with_changes(**{name: value})

    def query(self) -> dict[str, str]:
        """The words of a link to this setting."""
        words = dict(PAGE[self.space]) | {
            "problem": self.problem,
            "methods": ",".join(self.methods),
        }
        words |= {"dt": DT.format(self.dt), "duration": DURATION.format(self.duration)}
        words |= {} if self.recording is None else self.recording.query()
        return words | self.write_changes()

    def describe(self) -> str:
        """The setting in a line, for the title of a saved plot."""
        return " · ".join([self.build_problem().name, *self._parts()])

    def caption(self) -> str:
        """The setting in a line, without the name of the problem."""
        return " · ".join([*self._parts(), f"to t = {show(self.duration)}"])

    def _parts(self) -> list[str]:
        return [
            self.variants.in_line,
            f"Δt = {format_step(self.dt)}",
            *self.list_changes(),
        ]

    def snippet(self) -> str:
        """A Python program that makes the same runs with the engine."""
        every = f", every={self.every}" if self.every > 1 else ""
        times = f"dt={DT.format(self.dt)}, duration={DURATION.format(self.duration)}{every}"
        is_compared = has_exact(self.build_problem())
        return write_snippet(
            self.in_python(), repr(list(self.methods)), times, self.space, is_compared
        )


PAGE: dict[str, Mapping[str, str]] = {
    "so3": {},
    "se3": {"page": "two-bodies"},
    "rates": {"page": "gyroscope"},
}
"""The word of a link that opens the page of a choice."""
FIRST = {
    "so3": Choice(),
    "se3": Choice("dumbbells", ("LGVI", "RK2", "LGM"), 0.002, 30.0, space="se3"),
    "rates": Choice("coning", ("EULER", "EXP", "CONING"), 0.001, 1.0, space="rates"),
}
"""The first choice of each page."""


PRINTED = {
    "so3": ("energy", "angular_momentum"),
    "se3": ("energy", "angular_momentum"),
    "rates": ("norm", "orthogonality"),
}
"""What a program prints of a run, the second only if there is no exact motion to compare it with."""


def write_snippet(problem: str, methods: str, times: str, space: str, is_compared: bool) -> str:
    """A Python program that makes runs; if there is an exact motion, it also prints their attitude
    error.
    """
    first, second = (f"run.extrema['{name}']" for name in PRINTED[space])
    lines = ["import engine", "", f"problem = {problem}", f"for method in {methods}:"]
    lines += [f"    run = engine.simulate(problem, method, {times})"]
    if is_compared:
        lines += [
            "    error = engine.error(run)",
            f"    print(run, {first}, error.attitude[-1])",
        ]
    else:
        lines += [f"    print(run, {first}, {second})"]
    return "\n".join(lines) + "\n"


def choose_problem(label: str, before: Choice | None = None) -> Choice:
    """A choice of another problem with its own Δt and duration; the methods are those chosen
    before, where they fit.
    """
    problem = find_problem(label)
    methods = before.methods if before else FIRST[problem.space].methods
    choice = Choice(problem.label, methods, problem.dt, problem.duration, space=problem.space)
    return choice.with_fitting_methods()


OF_RECORDING = ("EULER", "EXP(rate=mean)", "WILCOX")
"""The first methods for a recording, which run with a step from each row to the next."""


def choose_recording(recording: Recording, before: Choice | None = None) -> Choice:
    """A choice of all rows of a recording; the methods are those chosen before it if that was a
    recording, too.
    """
    problem = recording.problem
    again = before is not None and before.recording is not None
    methods = before.methods if before is not None and again else OF_RECORDING
    choice = Choice(
        problem.label, methods, problem.dt, problem.duration, space="rates", recording=recording
    )
    return choice.with_fitting_methods()


def freeze(value: Value | Sequence[float] | Array | None) -> Value | None:
    """A value that can be compared and hashed: several numbers as a tuple."""
    if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str):
        return tuple(np.ravel(value).tolist())
    return value


def list_parameters(problem: AnyProblem) -> dict[str, Parameter]:
    """The parameters with a field in the form; choices of a problem are part of its name."""
    return {
        name: p
        for name, p in problem.declarations.items()
        if not p.choices and name not in ELSEWHERE
    }


def build_problem(
    label: str, changes: Changes = (), recording: Recording | None = None
) -> AnyProblem:
    """The problem of this label with changed parameters, perhaps with the rates of a recording."""
    if recording is not None:
        return recording.build_problem(label, changes)
    return _build_problem(label, changes)


@functools.lru_cache(maxsize=256)
def _build_problem(label: str, changes: Changes) -> AnyProblem:
    problem = find_problem(label)
    return problem.replace(**dict(changes)) if changes else problem


# -------------------------------------------------------------------------------------------------
# validation


class Refusal(ValueError):
    """An input that is refused, with the field that shows the reason."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(why)
        self.field = field


def validate(choice: Choice) -> Choice:
    """The choice with every part in the form the engine uses, or a `Refusal`."""
    recording = choice.recording
    if recording is None:
        problem = attempt("problem", lambda: find_problem(choice.problem, KINDS[choice.space]))
    else:
        problem = attempt("problem", lambda: choice.original)
    changes = choice.changes
    if choice.problem != problem.label:
        changes = choice.with_changes(**_changes_in_name(choice.problem, problem)).changes
    changes = tuple((name, _shorten(problem, name, value)) for name, value in changes)
    for change in changes:
        attempt(change[0], functools.partial(build_problem, problem.label, (change,), recording))
    attempt("problem", lambda: build_problem(problem.label, changes, recording))
    if not choice.methods:
        raise Refusal("methods", "Choose at least one method.")
    if len(choice.methods) > MOST_METHODS:
        raise Refusal("methods", f"At most {MOST_METHODS} methods can be compared at once.")
    labels: dict[str, str] = {}
    for method in attempt("methods", lambda: choice.algorithms):
        labels.setdefault(method.label, method.given_name)
    _check_range("dt", "Δt", choice.dt, SMALLEST_DT, LARGEST_DT)
    _check_range("duration", "The duration", choice.duration, 0.0, LONGEST)
    found = replace(choice, problem=problem.label, changes=changes, methods=tuple(labels.values()))
    found = found if recording is None else _fit_times(found, recording)
    _check_steps(found)
    return choice if found == choice else found  # the given one knows its methods already


def _shorten(problem: AnyProblem, name: str, value: Value) -> Value:
    """The value of a parameter with the fewest numbers, such as three for a diagonal inertia."""
    declared = problem.declarations.get(name)
    if declared is None:
        return value
    return cast("Value", freeze(cast("Value", declared.kind.shorten(value))))


def _changes_in_name(name: str, problem: AnyProblem) -> dict[str, Any]:
    """The parameters in the brackets of a problem's name that its label omits."""
    own = list_parameters(problem)
    return {
        key: value for key, value in problem.read_text(parse_name(name)[1]).items() if key in own
    }


def attempt(field: str, action: Callable[[], T]) -> T:
    """The result of the action; a `Refusal` at this field if it raises a `ValueError`."""
    try:
        return action()
    except ValueError as error:
        raise Refusal(field, finish_sentence(str(error))) from error


def _check_range(field: str, name: str, value: float, low: float, high: float) -> None:
    if not (isinstance(value, float | int) and low <= value <= high):
        raise Refusal(field, f"{name} is a number from {show(low)} to {show(high)}.")


def _fit_times(choice: Choice, recording: Recording) -> Choice:
    """The choice with the nearest step of whole intervals between rows, and at most as long as its
    recording.
    """
    problem = recording.problem
    rows = round(problem.duration / problem.dt)
    steps_of = min(max(1, round(choice.dt / problem.dt)), rows)
    dt = steps_of * problem.dt
    steps = max(1, min(round(choice.duration / dt), rows // steps_of))
    return replace(choice, dt=dt, duration=steps * dt)


def _check_steps(choice: Choice) -> None:
    steps = choice.duration / choice.dt
    most = MOST_STEPS / choice.weight
    if steps > most:
        raise Refusal(
            "duration",
            f"That takes {show(steps, 3)} steps, and at most {show(most, 1)} can be run here. Take "
            f"a Δt of {show(choice.duration / most, 2)} or more, or a duration of "
            f"{show(most * choice.dt, 2)} or less.",
        )
