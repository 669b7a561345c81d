"""The declaration of a quantity, and the registry."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, pi
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from ..kernels import Place, compiles
from ..parameters.names import check_owner, load_announced, new_registry, unknown_name
from ..parameters.validation import Array
from ..problems.field import FREE
from ..problems.problem import Problem, all_problems
from ..simulation import TRACKED_FORCED, TRACKED_FREE, AnyRun, given_rates, two_bodies
from .evaluation import Formula, compile_formula, evaluate

GREEK = str.maketrans({"Ω": "Omega", "Π": "Pi", "π": "pi"})
"""Series as functions name them, and as runs do."""
DEGREES = 180.0 / pi
"""The factor of angles in degrees."""
TIME = "t"
"""The times of the rows, which functions read like a series."""
SETTINGS = ("J", "axes", "dt")
"""Numbers of a run: the inertia (3, 3) and its principal axes, as columns, and the step."""
LEAST = 1e-9
"""A quantity that is smaller at the start divides nothing."""
OWN_GROUP = "More"
"""The group of a quantity that names none."""


class Reading(NamedTuple):
    """What a parameter of a quantity's function stands for.

    `of` is "row", "start" for the first row, "exact" for the row of the exact motion, or "setting".
    `component` is that of a vector, or the row of a matrix; None for all of it.
    """

    series: str
    of: str
    component: int | None = None


def parse_reading(text: str) -> Reading:
    """The meaning of a parameter: Ω, Ω0 at the start, Ω_exact of the exact motion, or a setting;
    Ω.x is a component, J.x a row.
    """
    name, _, axis = text.partition(".")
    component = "xyz".index(axis) if axis else None
    if name in SETTINGS:
        return Reading(name, "setting", component)
    series = name.translate(GREEK)
    if series.endswith("_exact"):
        return Reading(series.removesuffix("_exact"), "exact", component)
    if series.endswith("0"):
        return Reading(series[:-1], "start", component)
    return Reading(series, "row", component)


class Between(NamedTuple):
    """The words of a quantity that compares a run with the exact motion, where it compares it with
    another run: title, formula with its unit, and explanation.
    """

    title: str
    symbol: str
    means: str


@dataclass(frozen=True, eq=False, kw_only=True)
class Quantity:
    """A quantity that is plotted against time: a function of a row of a run.

    Attributes
    ----------
    key : its name in links, demos and sweeps.
    title : its name in plots.
    symbol : its formula and its unit.
    function : computes it. Its parameters are annotated as `float`, `Vec3` or `Mat3`, and its body
        is in the subset of Python that is compiled.
    reads : what the parameters stand for, by default their own names: a series of the run
        (`energy`, `Ω`), the same at the start (`Ω0`) or of the exact motion (`Ω_exact`), the
        inertia `J`, its principal `axes`, or the step `dt`; `Ω.x` is a component, `J.x` a row.
    divisor : the series whose length at the start divides the relative value; empty if there is no
        relative value.
    relative : the formula of the relative value.
    groups : the groups of plots that have it.
    space : a key of `engine.text.SPACES`; "so3" for one body.
    conserved, changing : an invariant that the motion conserves, or does not conserve, if the
        quantity is to be shown; empty for any motion.
    vector : Ω or Π, if it shows one of the two that a switch chooses from.
    error : whether it is a deviation, which a logarithmic axis shows best.
    signed : whether its values have signs, so that a logarithmic axis shows their magnitude.
    factor : from the values of the function to those of the curve, for another unit.
    limit : the magnitude at which its curve ends.
    of_steps : whether it belongs to the step before a row, so that the first row has none.
    exact : its value for the exact motion, if that is constant.
    means : an explanation; by default that of its title in the glossary.
    between : its words between two runs, if its motions may have no exact one.
    """

    key: str
    title: str
    symbol: str
    function: Callable[..., float]
    reads: tuple[str, ...] = ()
    divisor: str = ""
    relative: str = ""
    groups: tuple[str, ...] = (OWN_GROUP,)
    space: str = "so3"
    conserved: str = ""
    changing: str = ""
    vector: str = ""
    error: bool = True
    signed: bool = False
    factor: float = 1.0
    limit: float = inf
    of_steps: bool = False
    exact: float | None = None
    means: str = ""
    between: Between | None = None

    @property
    def module(self) -> str:
        """The module that declares it: `__main__` in a notebook, the path of a plugin."""
        return self.function.__module__

    def __repr__(self) -> str:
        return f"<quantity {self.key}: {self.title}, {self.symbol}>"

    @cached_property
    def formula(self) -> Formula:
        """The function with the kinds of its parameters."""
        return Formula.of(self.function)

    @cached_property
    def readings(self) -> tuple[Reading, ...]:
        """What the parameters stand for."""
        assert isinstance(self.function, types.FunctionType)
        code = self.function.__code__
        return tuple(map(parse_reading, self.reads or code.co_varnames[: code.co_argcount]))

    @cached_property
    def against_exact(self) -> bool:
        """Whether it compares a run with the exact motion."""
        return any(reading.of == "exact" for reading in self.readings)

    @property
    def has_exact(self) -> bool:
        """Whether the exact motion has values of it beside those of methods."""
        return self.exact is not None or not (self.error or self.of_steps)

    def fits(self, invariants: Sequence[str], series: Sequence[str]) -> bool:
        """Whether it is shown for a motion that conserves these, in runs with these series."""
        conserved = self.conserved in ("", *invariants) and self.changing not in invariants
        return conserved and all(
            one.series in series for one in self.readings if one.of != "setting"
        )

    def values(
        self,
        run: Any,
        exact: Any = None,
        *,
        rows: Any = slice(None),
        exact_rows: Any = slice(None),
        relative: bool = False,
        problem: Any = None,
    ) -> Array:
        """(n,) its values in rows of a run.

        Parameters
        ----------
        run : what `engine.simulate` or, with its `problem`, `engine.exact` returns.
        exact : the exact motion, or another run to compare with, if the quantity reads it.
        rows, exact_rows : those of the run, and as many of the exact motion, of the same times; by
            default all.
        relative : whether to divide them by the length of `divisor` at the start.
        """
        body = problem or run.problem

        def find_input(reading: Reading) -> Any:
            series, of, k = reading
            if of == "setting":
                setting = _read_setting(series, body, run)
                return setting if k is None else setting[k]
            if of == "exact" and exact is None:
                raise ValueError(f"{self.title} is measured against the exact motion: give it")
            values = _read_series(exact if of == "exact" else run, series)
            if k is not None:
                values = values[:, k]
            return values[{"row": rows, "start": 0, "exact": exact_rows}[of]]

        divisor = (self.find_divisor(run) if relative else None) or 1.0
        n = len(np.atleast_1d(run.t)[rows])
        inputs = list(map(find_input, self.readings))
        return evaluate(self.formula, inputs, n, (self.factor, divisor, self.limit))

    def measure_sizes(self, exact: Any, problem: Any) -> Array:
        """(n,) its values against the exact motion if everything in the run were 0: the sizes of
        what it compares.
        """
        zero = {
            reading.series: np.zeros_like(_read_series(exact, reading.series))
            for reading in self.readings
            if reading.of == "exact"
        }
        return self.values(
            SimpleNamespace(t=np.atleast_1d(exact.t), **zero), exact, problem=problem
        )

    def find_divisor(self, run: Any) -> float | None:
        """The divisor of the relative value: the length of `divisor` at the start; None if that is
        nearly zero or there is none.
        """
        size = float(np.linalg.norm(_read_series(run, self.divisor)[0])) if self.divisor else 0.0
        return size if size > LEAST else None


def _read_series(run: Any, name: str) -> Array:
    is_own = name != TIME and isinstance(run, AnyRun)
    values: Array = run.quantity(name) if is_own else getattr(run, name)
    return values if np.ndim(run.t) else values[np.newaxis]  # an exact motion at a single time


def _read_setting(name: str, problem: Any, run: Any) -> Any:
    if name == "axes":
        return problem.principal[1]
    return problem.J if name == "J" else np.float64(run.dt)


# -------------------------------------------------------------------------------------------------
# the registry

_registry: dict[tuple[str, str], Quantity] = new_registry()


def quantity(**declaration: Any) -> Callable[[Callable[..., float]], Quantity]:
    """Register a function as a quantity; the arguments are the attributes of `Quantity`.

    Plots, demos, charts and sweeps then have it. Declaring a key again replaces the quantity; that
    of another module is refused.
    """

    def declare(function: Callable[..., float]) -> Quantity:
        made = Quantity(function=function, **declaration)
        _ = made.formula  # refuses wrong annotations
        for reading in made.readings:
            if reading.of != "setting":
                _check_series(reading.series, made.space)
        if not function.__module__.startswith(f"{__package__}.") and compiles():
            compile_formula(made.formula)  # refuses what browsers cannot run
        check_owner(_registry.get((made.space, made.key)), made.key, made)
        _registry[made.space, made.key] = made
        return made

    return declare


SERIES = {
    "so3": ("R", "Omega", "pi", "energy", "increment", "orthogonality", *TRACKED_FORCED),
    "se3": tuple(name for name, place in two_bodies.PLACES.items() if isinstance(place, Place)),
    "rates": tuple(given_rates.PLACES),
}
"""The series that runs of each space have, of one body with integrals of its problem."""


def _check_series(name: str, space: str) -> None:
    known = [TIME, *SERIES[space], *(one.key for p in all_problems(space) for one in p.integrals)]
    if name not in known:
        raise unknown_name("series of a run", name, known, SERIES[space])


def list_series(problem: Any) -> list[str]:
    """The series of the runs of a problem that quantities may read."""
    series = SERIES[problem.space]
    if problem.space != Problem.space:
        return [TIME, *series]
    if problem.torque is None and problem.action(problem.dt).field is FREE:
        forced = set(TRACKED_FORCED) - set(TRACKED_FREE)
        series = tuple(name for name in series if name not in forced)
    return [TIME, *series, *(one.key for one in problem.integrals)]


def all_quantities(space: str | None = "so3") -> list[Quantity]:
    """The quantities of a space, by default of one body, or of all (None), in the order of plots."""
    load_announced()
    return [one for one in _registry.values() if space in (one.space, None)]
