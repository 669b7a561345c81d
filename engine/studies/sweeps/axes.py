"""Axes of a sweep: what is varied, with its values, as people type them or as arrays."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...algorithms.core.method import Method
from ...parameters.parameter import (
    DIGITS,
    LONGEST_NUMBER,
    Attitude,
    Inertia,
    Kind,
    Number,
    OneOf,
    Parameter,
    Vector,
    Whole,
    Words,
    find_parameter,
    index_by_name,
)
from ...parameters.validation import LARGEST, Array, entries_of
from ...problems.problem import AnyProblem
from ...text.formatting import quote

MOST_VALUES = 10_000_000
"""The most values of one axis."""
COUNT = Whole(1, MOST_VALUES)
ANY_NUMBER = Number(-LARGEST, LARGEST)
MOST_OF_A_MAP = 200
"""The most values of an axis of a picture."""
MOST_POINTS = 100_000_000
"""The most points of one sweep, over all methods; each measure of a point takes eight bytes."""
STEPS = Parameter("steps", Whole(0, 10**12), "how many steps to run", label="Steps")
SEED = Parameter(
    "seed",
    Whole(0, 2**53),
    "the same seed draws the same start about the problem's own",
    label="Seed",
)
OF_A_RUN = ("dt", "duration", "steps")
OF_THE_START = ("Omega0", "Pi0", "R0", "seed")
COMPONENTS = {"x": 0, "y": 1, "z": 2, "1": 0, "2": 1, "3": 2}


# -------------------------------------------------------------------------------------------------
# values as people type them: a list, or a range like `1:50:100` or `log:1e-3:1:60`


@dataclass(frozen=True)
class Range:
    """Numbers from one to another, evenly spaced, or with `log` each a constant factor above the
    last.
    """

    low: float
    high: float
    count: int
    log: bool = False

    def __str__(self) -> str:
        return f"{'log:' * self.log}{self.low:.{DIGITS}g}:{self.high:.{DIGITS}g}:{self.count}"

    def values(self) -> Array:
        """Return the numbers."""
        return (np.geomspace if self.log else np.linspace)(self.low, self.high, self.count)


def read_range(text: str, name: str) -> Range | None:
    """Read a range; None if the text is a list of values."""
    spacing, _, rest = text.partition(":")
    spaced = spacing.strip() in ("lin", "log")
    parts = (rest if spaced else text).split(":")
    if not spaced and len(parts) == 1:
        return None
    if len(parts) != 3:
        raise ValueError(
            f"a range of {name} is from:to:how many, as in 1:50:100, or log:1e-3:1:60; got {quote(text)}"
        )
    low, high = (ANY_NUMBER.check(Number().parse(part, name), name) for part in parts[:2])
    n = COUNT.check(COUNT.parse(parts[2], name), f"how many values {name} has")
    log = spacing.strip() == "log"
    if log and low * high <= 0:
        raise ValueError(f"a logarithmic range of {name} lies on one side of 0; got {quote(text)}")
    return Range(low, high, n, log)


def read_values(text: str, kind: Kind, name: str) -> list[Any] | NDArray[Any]:
    """Read the values of a parameter of this kind."""
    found = read_range(text, name)
    if found is not None:
        values = found.values()
        return np.rint(values).astype(np.int64) if isinstance(kind, Whole) else values
    if isinstance(kind, OneOf) or kind.means:
        return entries_of(text)
    read = kind if isinstance(kind, Number) else Number()
    return [ANY_NUMBER.check(read.parse(entry, name), name) for entry in entries_of(text)]


def read_over(text: str) -> dict[str, str]:
    """Read axes as people type them, `dt=log:1e-3:1:60; Omega0.z=1:50:100`."""
    found: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(";"))):
        name, is_there, values = part.partition("=")
        if not is_there or not values.strip():
            raise ValueError(
                f"an axis is a name and its values, as in dt=log:1e-3:1:60; got {quote(part)}"
            )
        if name.strip() in found:
            raise ValueError(f"{name.strip()} is given twice")
        found[name.strip()] = values.strip()
    return found


class Varied(Words):
    """A parameter with its values, as `dt=log:0.01:1:60`."""

    longest = (MOST_OF_A_MAP + 1) * LONGEST_NUMBER
    example = "dt=log:0.01:1:60"

    def check(self, value: Any, name: str) -> str:
        """Return the text if it has one name with its values; the problem knows whether it has that
        parameter.
        """
        given = read_over(str(value))
        if len(given) != 1:
            raise ValueError(f"{name} is one parameter with its values, like {self.example}")
        ((of, values),) = given.items()
        count = len(self.values(values, of))
        if not 2 <= count <= MOST_OF_A_MAP:
            raise ValueError(f"{name} has from 2 to {MOST_OF_A_MAP} values; got {count:,}")
        return f"{of}={values}"

    @staticmethod
    def values(text: str, name: str) -> list[Any] | NDArray[Any]:
        """Return numbers, or words where the text has no numbers."""
        try:
            return read_values(text, Number(), name)
        except ValueError:
            if ":" in text:
                raise
            return entries_of(text)


# -------------------------------------------------------------------------------------------------
# axes


@dataclass(frozen=True, eq=False)
class SweptAxis:
    """One quantity that is varied.

    Attributes
    ----------
    parameter : takes the values.
    of : whose parameter it is: of the "run", the "start", the "problem" or the "method".
    values : (n,) or (n, k), or n words.
    component : which of the parameter's three numbers takes them, 0, 1 or 2; None for the parameter
        as a whole.
    """

    parameter: Parameter
    of: str
    values: NDArray[Any]
    component: int | None = None

    def __len__(self) -> int:
        return len(self.values)

    @property
    def name(self) -> str:
        """The name as people type it: `dt`, `Omega0.z`."""
        return self.parameter.name + ("" if self.component is None else f".{'xyz'[self.component]}")

    @property
    def title(self) -> str:
        """In words."""
        return title_of(self.parameter, self.component)

    def part(self, which: Any) -> SweptAxis:
        """Return the axis with some of the values."""
        return SweptAxis(self.parameter, self.of, self.values[which], self.component)

    def to_json(self) -> dict[str, Any]:
        """Return the name and the values as JSON takes them."""
        return {"name": self.name, "values": self.values.tolist()}


def title_of(parameter: Parameter, component: int | None) -> str:
    """Return a parameter's label or that of a component: the second of "Inertia J₁, J₂, J₃" is
    "Inertia J₂".
    """
    if component is None:
        return parameter.title
    first, *others = parameter.title.split(", ")
    if len(others) < 2:
        return f"{first}, {'xyz'[component]}"
    word, _, symbol = first.rpartition(" ")
    return f"{word} {(symbol, *others)[component]}"


def make_axes(
    over: Mapping[str, Any], problem: AnyProblem, methods: Sequence[Method]
) -> tuple[SweptAxis, ...]:
    """Make axes of names and values; `ValueError` for what the problem and the methods do not
    have.
    """
    if not over:
        raise ValueError(
            "over needs at least one name with its values, as in over={'dt': [0.01, 0.02]}"
        )
    axes = tuple(_make_axis(name, values, problem, methods) for name, values in over.items())
    _check_together(axes)
    return axes


def read_columns(over: Any) -> tuple[Mapping[str, Any], bool]:
    """Return names and values, and whether they span a grid; else each row is a point."""
    if hasattr(over, "columns") and hasattr(over, "to_dict"):
        return {str(name): over[name].to_numpy() for name in over.columns}, False
    if isinstance(over, Mapping):
        return over, True
    if (
        isinstance(over, Sequence)
        and not isinstance(over, str)
        and all(isinstance(one, Mapping) for one in over)
    ):
        names = list(over[0]) if over else []
        if any(list(one) != names for one in over):
            raise ValueError("all points of a list have the same names, in the same order")
        return {name: [one[name] for one in over] for name in names}, False
    raise ValueError(
        "over is a dict of names and values, or a list of points (a pandas table, or a list of dicts)"
    )


def _make_axis(name: str, values: Any, problem: AnyProblem, methods: Sequence[Method]) -> SweptAxis:
    parameter, of, component = resolve_name(name, problem, methods)
    kind = parameter.kind if component is None else Number()
    if component is not None and not isinstance(parameter.kind, Vector | Attitude | Inertia):
        raise ValueError(
            f"{parameter.name} is one value, and has no component {name.rpartition('.')[2]}"
        )
    given = read_values(values, kind, name) if isinstance(values, str) else values
    return SweptAxis(parameter, of, _to_array(given, kind, name), component)


def parameters_of(problem: AnyProblem, methods: Sequence[Method]) -> dict[str, Parameter]:
    """Return the parameters that a sweep of these can vary."""
    of_methods: dict[str, Parameter] = {}
    for method in methods:
        of_methods = index_by_name(method.all_options) | of_methods
    of_problem = problem.declarations
    seed = {SEED.name: SEED} if "Omega0" in of_problem else {}
    return of_methods | of_problem | {STEPS.name: STEPS} | seed


def resolve_name(
    name: str, problem: AnyProblem, methods: Sequence[Method]
) -> tuple[Parameter, str, int | None]:
    """Return the parameter of this name, whose it is, and which component the name has."""
    whole, _, component = name.partition(".")
    place = COMPONENTS.get(component) if component else None
    if component and place is None:
        raise ValueError(f"{quote(name)}: a component is x, y or z, as in Omega0.z")
    methods_meant = " and ".join(method.key for method in methods)
    parameter = find_parameter(
        parameters_of(problem, methods), whole, f"a sweep of {methods_meant} on {problem.key}"
    )
    of = "method"
    if parameter.name in OF_A_RUN:
        of = "run"
    elif parameter.name in OF_THE_START and problem.space == "so3":
        of = "start"
    elif parameter.name in problem.declarations:
        of = "problem"
    return parameter, of, place


def _to_array(values: Any, kind: Kind, name: str) -> NDArray[Any]:
    """Return values as an array of words, numbers, or rows of numbers."""
    if kind.means or isinstance(kind, OneOf):
        words = [values] if isinstance(values, str) else list(values)
        return np.array([kind.format(kind.check(word, name)) for word in words])
    try:
        array = np.array(list(values) if isinstance(values, range) else values)
    except ValueError:
        raise ValueError(f"the values of {name} must be numbers, as many in each row") from None
    if array.dtype.kind not in "iuf" or array.ndim == 0 or len(array) == 0:
        raise ValueError(
            f"the values of {name} must be a list of numbers; got {quote(repr(values), 60)}"
        )
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"the values of {name} must be finite")
    if len(array) > MOST_VALUES:
        raise ValueError(f"{name} has {len(array):,} values; at most {MOST_VALUES:,} can be swept")
    sizes = kind.counts if isinstance(kind, Vector | Attitude | Inertia) else (1,)
    array = array.reshape(len(array), -1)
    if array.shape[1] not in sizes:
        wanted = " or ".join(map(str, sizes))
        raise ValueError(f"each value of {name} must be {wanted} numbers; got {array.shape[1]}")
    if sizes == (1,):
        array = array[:, 0]
    whole = isinstance(kind, Whole)
    if whole and (array != np.floor(array)).any():
        raise ValueError(f"the values of {name} must be whole numbers")
    return array.astype(np.int64 if whole else float)


def _check_together(axes: Sequence[SweptAxis]) -> None:
    """Refuse axes that vary the same quantity."""
    names = [axis.name for axis in axes]
    for axis in axes:
        if names.count(axis.name) > 1:
            raise ValueError(f"{axis.name} is swept twice")
        if axis.component is not None and axis.parameter.name in names:
            raise ValueError(
                f"{axis.name} is a part of {axis.parameter.name}; sweep one or the other"
            )
    swept = {axis.parameter.name for axis in axes}
    for one, other in (
        ("Omega0", "Pi0"),
        ("duration", "steps"),
        ("seed", "Omega0"),
        ("seed", "Pi0"),
        ("seed", "R0"),
    ):
        if {one, other} <= swept:
            raise ValueError(f"{one} and {other} decide the same; sweep one or the other")


# -------------------------------------------------------------------------------------------------
# points


@dataclass(frozen=True, eq=False)
class Grid:
    """The points of a sweep: every combination of the axes' values, or a list with one value of
    each axis a point.
    """

    axes: tuple[SweptAxis, ...]
    product: bool = True

    def __post_init__(self) -> None:
        if not self.product and len({len(axis) for axis in self.axes}) > 1:
            counts = ", ".join(f"{len(axis)} of {axis.name}" for axis in self.axes)
            raise ValueError(f"a list of points has as many values of each; got {counts}")

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of values along each dimension."""
        return tuple(map(len, self.axes)) if self.product else (len(self.axes[0]),)

    @property
    def dims(self) -> tuple[str, ...]:
        """The names of the dimensions."""
        return tuple(axis.name for axis in self.axes) if self.product else ("point",)

    def __len__(self) -> int:
        return math.prod(self.shape)

    def part(self, which: Sequence[Any]) -> Grid:
        """Return a part, by an index along each dimension."""
        if self.product:
            return Grid(tuple(axis.part(w) for axis, w in zip(self.axes, which, strict=True)))
        return Grid(tuple(axis.part(which[0]) for axis in self.axes), False)

    def points(self, flat: NDArray[np.intp]) -> Grid:
        """Return the points of flat indices as a list."""
        places = np.unravel_index(flat, self.shape)
        at = places if self.product else [places[0]] * len(self.axes)
        return Grid(tuple(axis.part(i) for axis, i in zip(self.axes, at, strict=True)), False)

    @cached_property
    def places(self) -> tuple[NDArray[np.intp], ...]:
        """For each axis the places among its values, point by point."""
        n = len(self)
        if not self.product:
            return (np.arange(n),) * len(self.axes)
        return tuple(np.unravel_index(np.arange(n), self.shape))

    def of(self, *whose: str) -> Iterator[tuple[SweptAxis, NDArray[np.intp]]]:
        """Return the axes of these, each with its places."""
        return (
            (axis, at) for axis, at in zip(self.axes, self.places, strict=True) if axis.of in whose
        )


def put_component(whole: Array, component: int, value: Any) -> Array:
    """Return an array with one of its three numbers changed; of a matrix the one on the
    diagonal.
    """
    changed = np.array(whole, dtype=float)
    changed[(component,) * changed.ndim] = value
    return changed
