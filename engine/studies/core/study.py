"""The declaration of a study, from which the shell, the page, the documentation and the tests are
made.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar

from ...algorithms.core import FixedStep, Method, all_methods, find_method
from ...parameters.names import check_owner, fold, load_announced, new_registry, unknown_name
from ...parameters.parameter import (
    MOST_NUMBERS,
    Number,
    Numbers,
    Parameter,
    Step,
    Text,
    Whole,
)
from ...problems.problem import LONGEST, AnyProblem, Problem
from ...simulation import SYSTEMS
from ...simulation.progress_bar import ProgressBar
from ...text import read_toml
from .executor import ExecutorOptions
from .plain_torque import announce_time
from .result import StudyResult

P = ParamSpec("P")
R = TypeVar("R")

MOST_METHODS = 12
EXACT = "EXACT"
"""The method that computes the exact motion."""
Steps = Callable[[AnyProblem, Sequence[str], Mapping[str, Any]], float]


def narrow(parameter: Parameter, default: Any = None, **bounds: Any) -> Parameter:
    """Return a page's field for a parameter: another default, and bounds for a server that many
    share.
    """
    return dataclasses.replace(
        parameter,
        default=default,
        kind=dataclasses.replace(parameter.kind, **bounds),  # type: ignore[type-var]
    )


DURATION = Parameter(
    "duration",
    Number(1e-15, LONGEST),
    "the duration; by default the problem's own",
    label="Duration",
)
DT = Parameter("dt", Step(1e-15, LONGEST), "the step; by default the problem's own", label="Δt")
DTS = Parameter(
    "dts",
    Numbers(1e-15, LONGEST, 1000),
    "the steps, made a little smaller where they do not divide the duration; by default thirteen, "
    "halved from 16 times the problem's own",
    label="Steps Δt",
)
REPETITIONS = Parameter(
    "repetitions", Whole(1, 1000), "how many times to run each method", label="Repetitions"
)
WORKERS = Parameter(
    "workers", Whole(1, 1024), "the number of threads; by default one for each processor"
)
KEEP = Parameter(
    "keep",
    Text(),
    "a file that keeps each row as it is measured; with the same file the study resumes",
)

SHORTER = narrow(DURATION, high=1e7)
FEWER = narrow(DTS, high=1e7, most=MOST_NUMBERS)


@dataclass(frozen=True, eq=False, kw_only=True)
class Study:
    """A study of a problem and methods.

    Attributes
    ----------
    key : its name in the shell and in links.
    title, sentence : its title, and what it measures.
    function : measures it; its name is that in `engine.studies`. It takes `problem`, `methods` (or
        `method`, if it takes only one), the arguments, `progress` and `cancel`, and returns a
        `StudyResult`, or what `result_type` is made of.
    arguments : what it takes besides problem and methods; their defaults are those of the function.
    fields : those on the page, with its defaults and bounds; by default all that a stranger may
        set.
    fit_field : a field as it is for a problem; None if the problem has none.
    example : the methods that a page begins with.
    least, most : how many methods it takes; on a page never more.
    without : which methods it takes if none is given, in words; empty if one is needed.
    coloured : whether the chart gives each method a colour.
    row_keys : the columns that identify a row while the study runs; none if it reports no rows.
    unit : what its progress counts.
    steps : the most steps that all runs make, by the problem, the methods and the values; without a
        reference run.
    usually : about how many they make if nothing goes wrong, if that is far fewer.
    eager : whether the page may start automatically if the steps are few.
    spaces : those of its problems.
    on_page : whether the page Studies has it.
    side_by_side : whether its kernels run many bodies at once.
    aliases, old_words : other names of the function and of arguments, which scripts and links use.
    classes : classes that `engine.studies` exports besides the function and its result.
    presets : settings to begin with: titles, each with the words of a link; by default those of
        `presets.toml`.
    place : its position in lists; the last by default.
    result_type : the class of the result, if the function returns something else.
    """

    key: str
    title: str
    sentence: str
    function: Callable[..., Any]
    arguments: tuple[Parameter, ...] = ()
    fields: tuple[Parameter, ...] = ()
    fit_field: Callable[[Parameter, AnyProblem], Parameter | None] = lambda field, problem: field
    example: tuple[str, ...] = ("NMB", "AKW", "MR4")
    least: int = 1
    most: int = MOST_METHODS
    without: str = ""
    coloured: bool = True
    row_keys: tuple[str, ...] = ()
    unit: str = "runs"
    steps: Steps = lambda problem, methods, values: 0.0
    usually: Steps | None = None
    eager: bool = True
    spaces: tuple[str, ...] = (Problem.space,)
    on_page: bool = True
    side_by_side: bool = False
    aliases: tuple[str, ...] = ()
    classes: tuple[type, ...] = ()
    old_words: Mapping[str, str] = field(default_factory=dict)
    presets: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    place: float = float("inf")
    result_type: type[StudyResult] | None = None

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.function.__name__

    @property
    def module(self) -> str:
        """The module that declares the study: `__main__` in a notebook, the path of a plugin."""
        return self.function.__module__

    @property
    def result(self) -> type[StudyResult]:
        """The class of the result."""
        if self.result_type is not None:
            return self.result_type
        return inspect.signature(inspect.unwrap(self.function), eval_str=True).return_annotation

    @property
    def takes_executor(self) -> bool:
        """Whether other machines can make its runs."""
        return "executor" in inspect.signature(self.function).parameters

    @property
    def takes_workers(self) -> bool:
        """Whether the caller can set the number of threads."""
        return any(argument.name == WORKERS.name for argument in self.arguments)

    def argument(self, name: str) -> Parameter | None:
        """Return the argument of this name, which may be an old one, or None."""
        name = self.old_words.get(name, name)
        return next((argument for argument in self.arguments if argument.name == name), None)

    def fields_of(self, problem: AnyProblem) -> tuple[Parameter, ...]:
        """Return the fields on the page for a problem."""
        fields = (self.fit_field(field, problem) for field in self.fields)
        return tuple(field for field in fields if field is not None)

    def needed(self) -> list[Parameter]:
        """Return the arguments that have no default."""
        takes = inspect.signature(self.function).parameters
        return [
            argument
            for argument in self.arguments
            if takes[argument.name].default is inspect.Parameter.empty
        ]

    def check_methods(self, methods: Sequence[str]) -> dict[str, Any]:
        """Return the methods as the function takes them; `ValueError` if there are too few or too
        many.
        """
        if not methods and self.without:
            return {}
        if self.most == 1 != len(methods):
            raise ValueError(f"the study {self.key} takes one method; got {len(methods) or 'none'}")
        if len(methods) < self.least:
            few = "one method" if self.least == 1 else f"{self.least} methods"
            raise ValueError(f"give at least {few} to the study {self.key}")
        return {"method": methods[0]} if self.most == 1 else {"methods": list(methods)}

    def run(
        self, problem: str | AnyProblem, methods: Sequence[str] = (), **values: Any
    ) -> StudyResult:
        """Measure; `values` are arguments, `progress` and `cancel`."""
        return self.result.wrap(
            self.function(problem, **self.check_methods(methods), **values), problem
        )

    def count_steps(
        self,
        problem: AnyProblem,
        methods: Sequence[str],
        values: Mapping[str, Any],
        usually: bool = False,
    ) -> float:
        """Return the most steps that all runs make together, or about how many they make
        `usually`.
        """
        own = {"dt": problem.dt, "duration": problem.duration} | {
            argument.name: argument.default
            for argument in self.arguments
            if argument.default is not None
        }
        steps = self.usually if usually and self.usually is not None else self.steps
        return float(steps(problem, methods, own | dict(values)))


_registry: dict[str, Study] = new_registry()
PRESETS = read_toml(__file__, "presets")
DOCS_OF_ALL = {
    "problem": "a key or alias, or what `engine.problem` returns.",
    "methods": "keys or aliases, or what `engine.algorithm` returns.",
    "method": "a key or alias, or what `engine.algorithm` returns.",
    "executor": (
        'where to make the runs: None or "threads", "processes", a `concurrent.futures.Executor`, '
        "a `dask.distributed.Client`, or the address of a Dask scheduler."
    ),
    "progress": "called with (done, in all) and, after each row, with that row as a mapping.",
    "cancel": (
        "an `engine.Cancellation` or `threading.Event`; the result has what was measured until "
        "then."
    ),
}
"""What docstrings say of parameters that several studies take and that no study declares."""


def study(
    *,
    key: str,
    arguments: tuple[Parameter, ...] = (),
    fields: tuple[Parameter, ...] | None = None,
    **declaration: Any,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Declare the function below as a study and register it (see `Study` for what to declare).

    The function receives checked arguments under their present names, and a `progress` that takes
    (done, total) and (done, total, row). Its docstring gets a section on the parameters.
    """
    declaration = {"presets": PRESETS.get(key, {})} | declaration
    old: Mapping[str, str] = declaration.get("old_words", {})

    def declare(function: Callable[P, R]) -> Callable[P, R]:
        signature = _public_signature(function, arguments)
        defaults = {
            name: p.default for name, p in signature.parameters.items() if p.default is not p.empty
        }

        def with_default(parameter: Parameter) -> Parameter:
            return (
                parameter
                if parameter.default is not None
                else parameter.with_default(defaults.get(parameter.name))
            )

        declared = tuple(map(with_default, arguments))
        shown = (
            [a for a in declared if not isinstance(a.kind, Text) and a != WORKERS]
            if fields is None
            else fields
        )

        @functools.wraps(function)
        def run_study(*args: P.args, **given: P.kwargs) -> R:
            bound = signature.bind(
                *args, **{old.get(name, name): value for name, value in given.items()}
            )
            for argument in declared:
                if bound.arguments.get(argument.name) is not None:
                    bound.arguments[argument.name] = argument.check(bound.arguments[argument.name])
            if bound.arguments.get("progress") is not None:
                bound.arguments["progress"] = _accept_rows(bound.arguments["progress"])
            if not _takes_long(_registry[key], bound.arguments):
                return function(*bound.args, **bound.kwargs)
            with ProgressBar(_registry[key].unit, True, even=False) as bar:
                bound.arguments["progress"] = bound.arguments.get("progress") or bar
                return function(*bound.args, **bound.kwargs)

        run_study.__signature__ = signature  # type: ignore[attr-defined]
        run_study.__doc__ = _write_docstring(function, signature, declared)
        register(
            Study(
                key=key,
                function=run_study,
                arguments=declared,
                fields=tuple(map(with_default, shown)),
                **declaration,
            )
        )
        return run_study

    return declare


def register(declared: Study) -> None:
    """Enter a study under its key; a module that declares it again replaces it."""
    for owner in _registry.values():
        taken = {owner.key, owner.name, *owner.aliases} & {
            declared.key,
            declared.name,
            *declared.aliases,
        }
        if taken:
            check_owner(owner, min(taken), declared)
    _registry[declared.key] = declared


def registered() -> list[Study]:
    """Return the studies in order."""
    load_announced()
    return sorted(_registry.values(), key=lambda one: one.place)


def public() -> dict[str, Any]:
    """Return what `engine.studies` exports: functions, by all their names, and classes."""
    functions = {
        name: one.function for one in _registry.values() for name in (one.name, *one.aliases)
    }
    return functions | {
        c.__name__: c for one in _registry.values() for c in (one.result, *one.classes)
    }


def find(key: str) -> Study:
    """Return the study of this key, or of the function's name."""
    studies = registered()
    for one in studies:
        if fold(key) in map(fold, (one.key, one.name, *one.aliases)):
            return one
    keys = [one.key for one in studies]
    raise unknown_name("study", key, keys, keys)


# -------------------------------------------------------------------------------------------------
# the methods of a study: those named, or all that fit

Rule = Callable[[Method], str]
"""Why a study cannot use a method, in a sentence; empty if it can."""


def not_adaptive(m: Method) -> str:
    """Admit methods whose steps can be given."""
    return (
        f"{m.key} chooses its own steps; compare it by work and precision instead"
        if m.adaptive
        else ""
    )


def with_steps(m: Method) -> str:
    """Admit methods that take steps."""
    return not_adaptive(m) or (
        ""
        if isinstance(m, FixedStep)
        else f"{m.key} takes no steps of a given size, which this study needs"
    )


def fitting(
    problem: AnyProblem,
    methods: str | Method | Sequence[str | Method] | None,
    rule: Rule = lambda m: "",
) -> tuple[list[Method], dict[str, str]]:
    """Return the named methods, by default all that fit but the exact motion; and why others do not
    fit.

    Raises
    ------
    ValueError
        For a named method that is unknown, does not fit the problem, or cannot be used by the
        study; and for none.
    """
    space = problem.space
    why_not = SYSTEMS[space].why_not
    named = (
        all_methods(space)
        if methods is None
        else [methods]
        if isinstance(methods, str | Method)
        else methods
    )
    found = [find_method(m, space=space) for m in named]
    left_out = {
        m.given_name: reason
        for m in found
        if (reason := rule(m) or why_not(problem, m, problem.dt))
    }
    if methods is None and any(m.key == EXACT for m in found):
        left_out.setdefault(EXACT, "EXACT is the motion that others are measured against")
    if methods is not None and left_out:
        raise ValueError(next(iter(left_out.values())))
    chosen = [m for m in found if m.given_name not in left_out]
    if not chosen:
        raise ValueError("give at least one method")
    return chosen, left_out


# -------------------------------------------------------------------------------------------------
# what the declaration makes of a function


def _takes_long(declared: Study, given: Mapping[str, Any]) -> bool:
    """Return whether a torque in plain Python makes a study take long, which a warning announces."""
    problem = given.get("problem")
    if not isinstance(problem, Problem) or problem.torque is None:
        return False
    methods = given.get("methods", given.get("method"))
    values = {
        argument.name: given[argument.name]
        for argument in declared.arguments
        if given.get(argument.name) is not None
    }
    if given.get("starts"):  # in place of the number of members
        values["members"] = len(next(iter(given["starts"].values())))
    try:
        chosen, _ = fitting(problem, methods)
    except ValueError:  # the study raises it
        return False
    return announce_time(
        declared.title,
        problem,
        chosen,
        lambda m: declared.count_steps(problem, [m.given_name], values, True),
    )


def _accept_rows(progress: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that takes rows; one that takes only two numbers gets no rows."""
    try:
        inspect.signature(progress).bind(0, 0, {})
    except TypeError:
        return lambda done, total, row=None: progress(done, total)
    except ValueError:  # some built-in functions have no signature
        pass
    return progress


def _public_signature(
    function: Callable[..., Any], arguments: Sequence[Parameter]
) -> inspect.Signature:
    """Return the signature with the names of the `ExecutorOptions` that the study takes."""
    signature = inspect.signature(function)
    *others, last = signature.parameters.values()
    if last.kind is not last.VAR_KEYWORD or "ExecutorOptions" not in str(last.annotation):
        return signature
    names = {argument.name for argument in arguments} | {"progress", "cancel"}
    more = (
        inspect.Parameter(name, last.KEYWORD_ONLY, default=None, annotation=hint.__forward_arg__)
        for name, hint in ExecutorOptions.__annotations__.items()
        if name in names
    )
    return signature.replace(parameters=[*others, *more])


def _write_docstring(
    function: Callable[..., Any], signature: inspect.Signature, arguments: Sequence[Parameter]
) -> str:
    """Return the function's docstring with a section on the parameters: those of all studies read
    the same.
    """
    own = inspect.cleandoc(function.__doc__ or "")
    takes = signature.parameters
    words = DOCS_OF_ALL | {argument.name: f"{argument.doc}." for argument in arguments}
    lines = [
        textwrap.fill(f"{name} : {words[name]}", 110, subsequent_indent="    ")
        for name in takes
        if name in words
    ]
    before, raises, after = own.partition("\n\nRaises\n")
    return "\n".join([before, "", "Parameters", "----------", *lines]) + raises + after
