"""Axes of a sweep: what is varied, with its values."""

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
    Attitude,
    Inertia,
    Kind,
    Number,
    OneOf,
    Parameter,
    Vector,
    Whole,
    find_parameter,
    index_by_name,
)
from ...parameters.validation import Array
from ...problems.problem import AnyProblem
from ...text.formatting import quote
from .ranges import MOST_VALUES, read_values

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
