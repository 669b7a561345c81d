"""What a study is: the declaration that the shell, the page, the documentation and the tests are made from."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from ..algorithms.method import load_announced
from ..charts import Chart
from ..names import folded, table, unknown
from ..problems.problem import LONGEST, Posed
from ..spec import MOST_NUMBERS, Number, Numbers, Parameter, Step, Text, Whole
from .result import Result

if TYPE_CHECKING:
    import pandas as pd

P = ParamSpec("P")
R = TypeVar("R")

MOST_METHODS = 12
Steps = Callable[[Posed, Sequence[str], Mapping[str, Any]], float]


def narrowed(parameter: Parameter, default: Any = None, **bounds: Any) -> Parameter:
    """The same as a page asks for it: another value to begin with, and bounds for a server that many share."""
    return dataclasses.replace(
        parameter,
        default=default,
        kind=dataclasses.replace(parameter.kind, **bounds),  # type: ignore[type-var]
    )


DURATION = Parameter("duration", Number(1e-15, LONGEST), "how long to run; else the problem's own", label="Duration")
DT = Parameter("dt", Step(1e-15, LONGEST), "the step; else the problem's own", label="Δt")
DTS = Parameter(
    "dts",
    Numbers(1e-15, LONGEST, 1000),
    "the steps, each made a little smaller if it does not divide the duration; else eleven, each half of the one "
    "before, from twice the problem's own",
    label="Steps Δt",
)
REPETITIONS = Parameter("repetitions", Whole(1, 1000), "how often each run is timed", label="Repetitions")
WORKERS = Parameter("workers", Whole(1, 1024), "how many threads; else one for each processor")
KEEP = Parameter("keep", Text(), "a file that keeps each row as it is measured; with the same file it goes on")

SHORTER = narrowed(DURATION, high=1e7)
FEWER = narrowed(DTS, high=1e7, most=MOST_NUMBERS)


@dataclass(frozen=True, eq=False, kw_only=True)
class Study:
    """A study of a problem and methods.

    Attributes
    ----------
    key : its name in the shell and in links.
    title, sentence : what it is called, and what it finds out.
    function : carries it out; its name is that in `engine.studies`. It takes `problem`, `methods` (or `method`, if
        there is only one), the arguments, `progress` and `cancel`, and returns a `Result`.
    arguments : what it asks for besides problem and methods; their defaults are those of the function.
    fields : those that a page asks for, as it asks for them; without a word on it all that a stranger may set.
    example : the methods that a page begins with.
    least, most : how many methods it takes; on a page never more.
    without : which methods are meant if none is given, in words; empty if one has to be.
    chart : what is drawn of the rows.
    coloured : whether each method has a colour in it.
    told_by : the columns by which a row that comes while it works is known; none if it tells no rows.
    unit : what its progress counts.
    steps : how many steps all runs have at most, by the problem, the methods and the values; without a reference run.
    usually : about how many they have where nothing goes wrong, if that is far fewer.
    eager : whether it may begin by itself where these are few.
    space : of its problems.
    side_by_side : whether its kernels are those of many bodies at once.
    aliases, old_words : other names of the function, and of arguments, that scripts and links use.
    classes : what stands in `engine.studies` beside the function and its result.
    presets : settings to begin with: titles, with the words of a link.
    place : where it stands in lists; the last by default.
    """

    key: str
    title: str
    sentence: str
    function: Callable[..., Any]
    chart: Callable[[pd.DataFrame], Chart]
    arguments: tuple[Parameter, ...] = ()
    fields: tuple[Parameter, ...] = ()
    example: tuple[str, ...] = ("NMB", "AKW", "MR4")
    least: int = 1
    most: int = MOST_METHODS
    without: str = ""
    coloured: bool = True
    told_by: tuple[str, ...] = ()
    unit: str = "runs"
    steps: Steps = lambda problem, methods, values: 0.0
    usually: Steps | None = None
    eager: bool = True
    space: str = "so3"
    side_by_side: bool = False
    aliases: tuple[str, ...] = ()
    classes: tuple[type, ...] = ()
    old_words: Mapping[str, str] = field(default_factory=dict)
    presets: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    place: float = float("inf")

    @property
    def name(self) -> str:
        """Of the function."""
        return self.function.__name__

    @property
    def result(self) -> Any:
        """The class of what it finds."""
        return inspect.signature(self.function, eval_str=True).return_annotation

    @property
    def goes_elsewhere(self) -> bool:
        """Whether its runs can be made on other machines."""
        return "executor" in inspect.signature(self.function).parameters

    @property
    def threads(self) -> bool:
        """Whether it can be told on how many threads to work."""
        return any(argument.name == WORKERS.name for argument in self.arguments)

    def argument(self, name: str) -> Parameter | None:
        """The argument of this name, which may be an old one; None if there is none."""
        name = self.old_words.get(name, name)
        return next((argument for argument in self.arguments if argument.name == name), None)

    def needed(self) -> list[Parameter]:
        """The arguments without which it cannot be carried out."""
        takes = inspect.signature(self.function).parameters
        return [argument for argument in self.arguments if takes[argument.name].default is inspect.Parameter.empty]

    def chosen(self, methods: Sequence[str]) -> dict[str, Any]:
        """The methods as the function takes them; refused if there are too few or too many."""
        if not methods and self.without:
            return {}
        if self.most == 1 != len(methods):
            raise ValueError(f"the study {self.key} has one method; got {len(methods) or 'none'}")
        if len(methods) < self.least:
            few = "one method" if self.least == 1 else f"{self.least} methods"
            raise ValueError(f"give at least {few} to the study {self.key}")
        return {"method": methods[0]} if self.most == 1 else {"methods": list(methods)}

    def effort(
        self, problem: Posed, methods: Sequence[str], values: Mapping[str, Any], usually: bool = False
    ) -> float:
        """How many steps all runs together have at most, or `usually`; what is not given is the study's own."""
        own = {"dt": problem.dt, "duration": problem.duration} | {
            argument.name: argument.default for argument in self.arguments if argument.default is not None
        }
        steps = self.usually if usually and self.usually is not None else self.steps
        return float(steps(problem, methods, own | dict(values)))


_registry: dict[str, Study] = table()


def study(
    *,
    arguments: tuple[Parameter, ...] = (),
    fields: tuple[Parameter, ...] | None = None,
    old_words: Mapping[str, str] | None = None,
    **declaration: Any,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Declare the function below as a study and register it (see `Study` for what to declare).

    The function is called with every argument checked, old words for them replaced, and a `progress` that can be
    called as `progress(done, total)` and `progress(done, total, row)`. What the arguments are is put into its
    docstring.
    """
    old = dict(old_words or {})

    def declare(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)
        defaults = {name: p.default for name, p in signature.parameters.items() if p.default is not p.empty}

        def with_default(parameter: Parameter) -> Parameter:
            return (
                parameter if parameter.default is not None else parameter.with_default(defaults.get(parameter.name))
            )

        asked = tuple(map(with_default, arguments))
        shown = [a for a in asked if not isinstance(a.kind, Text) and a != WORKERS] if fields is None else fields

        @functools.wraps(function)
        def carried_out(*args: P.args, **given: P.kwargs) -> R:
            bound = signature.bind(*args, **{old.get(name, name): value for name, value in given.items()})
            for argument in asked:
                if bound.arguments.get(argument.name) is not None:
                    bound.arguments[argument.name] = argument.checked(bound.arguments[argument.name])
            if bound.arguments.get("progress") is not None:
                bound.arguments["progress"] = _with_rows(bound.arguments["progress"])
            return function(*bound.args, **bound.kwargs)

        carried_out.__doc__ = _documented(function, asked)
        register(
            Study(
                function=carried_out,
                arguments=asked,
                fields=tuple(map(with_default, shown)),
                old_words=old,
                **declaration,
            )
        )
        return carried_out

    return declare


def register(declared: Study) -> None:
    """Enter a study under its key; what a module declares again replaces the earlier one."""
    for owner in _registry.values():
        taken = {owner.key, owner.name, *owner.aliases} & {declared.key, declared.name, *declared.aliases}
        if taken and owner.function.__module__ != declared.function.__module__:
            raise ValueError(f"the name {min(taken)!r} belongs to the study {owner.key} already")
    _registry[declared.key] = declared


def registered(space: str | None = None) -> list[Study]:
    """The studies, in order; only those of problems of this space, if one is given."""
    load_announced()
    wanted = [one for one in _registry.values() if space in (None, one.space)]
    return sorted(wanted, key=lambda one: one.place)


def public() -> dict[str, Any]:
    """What the studies put into `engine.studies`: their functions, by all their names, and classes."""
    functions = {name: one.function for one in _registry.values() for name in (one.name, *one.aliases)}
    return functions | {c.__name__: c for one in _registry.values() for c in (one.result, *one.classes)}


def find(key: str) -> Study:
    """The study of this key, or of the function's name."""
    studies = registered()
    for one in studies:
        if folded(key) in map(folded, (one.key, one.name, *one.aliases)):
            return one
    keys = [one.key for one in studies]
    raise unknown("study", key, keys, keys)


def chart_of(result: Result) -> Chart:
    """The chart of what a study found."""
    for one in registered():
        if one.result is type(result):
            return one.chart(result.drawn())
    raise ValueError(f"a result of engine.studies is wanted, as of {', '.join(one.name for one in registered())}")


def _with_rows(progress: Callable[..., Any]) -> Callable[..., Any]:
    """A function that may be told of rows; one that takes only two numbers is not told of them."""
    try:
        inspect.signature(progress).bind(0, 0, {})
    except TypeError:
        return lambda done, total, row=None: progress(done, total)
    except ValueError:  # of some that are built in, nothing is known
        pass
    return progress


def _documented(function: Callable[..., Any], arguments: Sequence[Parameter]) -> str:
    """The docstring with a section on the parameters: what all studies take is the same in all."""
    own = inspect.cleandoc(function.__doc__ or "")
    takes = inspect.signature(function).parameters
    of_all = {
        "problem": "a key or alias, or what `engine.problem` returns.",
        "methods": "keys or aliases, or what `engine.algorithm` returns.",
        "method": "a key or alias, or what `engine.algorithm` returns.",
        "executor": "where the runs are made, as in `engine.studies.sweep`.",
        "progress": "called with (done, in all), and where a row was measured with that, as a mapping, besides.",
        "cancel": "an `engine.Cancellation` or `threading.Event`; what was measured until then is returned.",
    }
    words = {argument.name: f"{argument.doc}." for argument in arguments} | of_all
    told = [
        textwrap.fill(f"{name} : {words[name]}", 110, subsequent_indent="    ") for name in takes if name in words
    ]
    before, raises, after = own.partition("\n\nRaises\n")
    return "\n".join([before, "", "Parameters", "----------", *told]) + raises + after
