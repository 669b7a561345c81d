"""Runs: the result of a simulation, which holds its request, the stored rows, and how the run
ended.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeVar, cast

import numpy as np

from ..kernels import Extrema, Outcome, Place
from ..parameters.validation import Array
from ..text.formatting import show
from . import provenance
from .quaternions import to_quaternions
from .request import RunRequest, Steps

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from ..algorithms import Method
    from ..problems import AnyProblem


@dataclass(frozen=True)
class Cost:
    """What a run cost; a method that chooses its steps may make some in vain, the rejected ones."""

    steps: int
    torque_evaluations: int
    newton_iterations: int
    seconds: float
    rejected_steps: int = 0

    @property
    def force_evaluations(self) -> int:
        """For two bodies, how often the force and moment of their gravity were computed."""
        return self.torque_evaluations

    @property
    def ns_per_step(self) -> float:
        """Nanoseconds per step in the kernel."""
        return 1e9 * self.seconds / self.steps if self.steps else float("nan")


# ----------------------------------------------------------------- records


class Larger(NamedTuple):
    """The place of the larger of two quantities."""

    one: Place
    other: Place

    @property
    def at(self) -> int:
        """Where the first begins."""
        return self.one.at

    def of(self, rows: Any, first: int = 0) -> Array:
        """The larger in rows, as `Place.of` returns one."""
        return np.maximum(self.one.of(rows, first), self.other.of(rows, first))


class RowFormat(NamedTuple):
    """Where each series stands in the rows of a kernel, and the axes in which the kernel stores it.

    Attributes
    ----------
    places : by the names of the series.
    observed : where in a row the observed quantities begin, whose extrema the kernel tracks.
    axes : the principal axes, as columns, of the series that the kernel stores in them; none for
        the identity.
    clock : the times of rows at those that the kernel counts; None for these.
    """

    places: Mapping[str, Place | Larger]
    observed: int
    axes: Mapping[str, Array]
    clock: Callable[[Array], Array] | None = None

    def find_series(self, rows: Array, name: str) -> Array:
        """(n, …) one series in rows, in the body's own axes."""
        values: Array = self.places[name].of(rows)
        if name.startswith("R"):
            values = values.reshape(-1, 3, 3)
        if name in self.axes:
            return values @ self.axes[name].T
        if name.startswith("increment"):
            values = values.copy()
            values[0] = np.nan
        return values


@dataclass(frozen=True, eq=False)
class KernelRecord:
    """A run as its kernel recorded it."""

    outcome: Outcome
    dt: float
    format: RowFormat
    compiled: bool

    @property
    def t(self) -> Array:
        """(n,) the times of the rows, multiples of dt."""
        counted = np.multiply(self.outcome.row_steps, self.dt, dtype=float)
        clock = self.format.clock
        return counted if clock is None else clock(counted)

    @property
    def names(self) -> Iterable[str]:
        """The series stored."""
        return self.format.places

    def series(self, name: str) -> Array:
        """(n, …) one series, in the body's own axes."""
        return self.format.find_series(self.outcome.rows, name)

    @property
    def bounded(self) -> Iterable[str]:
        """The quantities whose extrema are known: those that the kernel observes."""
        return [
            name for name, place in self.format.places.items() if place.at >= self.format.observed
        ]

    def extrema(self, name: str) -> Extrema:
        """The extrema of one quantity."""
        values = self.format.places[name].of(self._bounds, self.format.observed)
        return Extrema(*(values.tolist() if values.ndim == 1 else values.copy()))

    @cached_property
    def _bounds(self) -> Array:
        """(3, k) the least, the largest and the last value of each quantity that the kernel
        observes.
        """
        last = self.outcome.rows[-1, self.format.observed :]
        return np.concatenate([self.outcome.extrema, last]).reshape(3, -1)

    @property
    def status(self) -> str:
        """How the run ended."""
        return self.outcome.status

    @property
    def failed_step(self) -> int | None:
        """The step that ended it early."""
        return self.outcome.failed_step

    @property
    def cost(self) -> Cost:
        """The counts of the kernel."""
        end = self.outcome
        return Cost(
            end.steps, end.torque_evaluations, end.newton_iterations, end.seconds, end.rejected
        )

    @property
    def provenance(self) -> dict[str, Any]:
        """The versions of the programs that ran it."""
        return provenance.collect_provenance(self.compiled)


@dataclass(frozen=True, eq=False)
class SavedRecord:
    """A run as a file holds it, or with series changed."""

    t: Array
    values: Mapping[str, Array]
    extremes: Mapping[str, Extrema]
    status: str
    failed_step: int | None
    cost: Cost
    provenance: dict[str, Any]

    @property
    def names(self) -> Iterable[str]:
        """The series stored."""
        return self.values

    def series(self, name: str) -> Array:
        """(n, …) one series."""
        return self.values[name]

    @property
    def bounded(self) -> Iterable[str]:
        """The quantities whose extrema are known."""
        return self.extremes

    def extrema(self, name: str) -> Extrema:
        """The extrema of one quantity."""
        return self.extremes[name]


# ----------------------------------------------------------------- runs


class Series(cached_property[Array]):
    """A series of a run, which its record stores or `compute` derives; `axes` are those besides
    that of the rows.
    """

    def __init__(self, doc: str, *axes: int, compute: Callable[[Any], Array] | None = None) -> None:
        super().__init__(compute or self._from_record)
        self.stored = compute is None
        self.axes = axes
        self.__doc__ = f"({', '.join(['n', *map(str, axes)])}{'' if axes else ','}) {doc}"

    def _from_record(self, run: AnyRun) -> Array:
        assert self.attrname is not None
        return run.record.series(self.attrname)


F = TypeVar("F", bound=Callable[..., Any])


class RunActions:
    """Functions of modules above this one that runs offer as methods; each module registers its
    own.
    """

    simulate: Callable[..., AnyRun]
    save: Callable[[AnyRun, str | Path], Path]
    cite: Callable[[AnyRun], str]

    def register(self, function: F) -> F:
        """Enter a function under its name, as a decorator."""
        setattr(self, function.__name__, function)
        return function


run_actions = RunActions()


@dataclass(frozen=True, eq=False, repr=False)
class AnyRun:
    """The motion that a method computes for a problem, of one body (`Run`), of two (`TwoBodyRun`)
    or of an attitude with given rates (`GivenRatesRun`).

    Attributes
    ----------
    request : the method, the step and the number of steps; they are attributes of the run as well.
    record : the stored states, the extrema, and how the run ended. Each series is an attribute of
        the run, read from the record at first use.
    messages : remarks in sentences; `message` joins them.
    changes : of the request's problem, in a prepared run.
    """

    series: ClassVar[Mapping[str, Series]]
    """By name, in the order of tables and files: matrices, vectors, numbers."""
    joint: ClassVar[str] = ""
    """The text between a series' name and a component's numbers in the name of a column."""

    request: RunRequest
    record: KernelRecord | SavedRecord
    messages: tuple[str, ...]
    changes: Mapping[str, Any] | None = None

    def __init_subclass__(cls) -> None:
        members = {
            name: member for kind in reversed(cls.__mro__) for name, member in vars(kind).items()
        }
        found = [(name, member) for name, member in members.items() if isinstance(member, Series)]
        cls.series = dict(sorted(found, key=lambda one: -len(one[1].axes)))

    @property
    def increment(self) -> Array:
        """(n,) angle in radians of the step that ends at the row; of two bodies the larger."""
        raise NotImplementedError

    @cached_property
    def problem(self) -> AnyProblem:
        """The problem that ran."""
        return (
            self.request.problem.replace(**self.changes) if self.changes else self.request.problem
        )

    @property
    def method(self) -> Method:
        """The method, with its options."""
        return self.request.method

    @property
    def dt(self) -> float:
        """The step; for a method that chooses its own steps, the time between rows."""
        return self.request.dt

    @property
    def steps(self) -> int:
        """The number of steps requested; `cost.steps` counts those done."""
        return self.request.steps

    @property
    def every(self) -> int:
        """The run stores each `every`-th step."""
        return self.request.every

    @property
    def status(self) -> str:
        """How the run ended: "done", "no-solution", "diverged" or "cancelled"."""
        return self.record.status

    @property
    def failed_step(self) -> int | None:
        """The number of the step that ended the run early; None if it is done."""
        return self.record.failed_step

    @cached_property
    def cost(self) -> Cost:
        """The steps, torque evaluations, Newton iterations and seconds that the run took."""
        return self.record.cost

    @cached_property
    def provenance(self) -> dict[str, Any]:
        """The versions of the programs that ran it."""
        return self.record.provenance

    @cached_property
    def t(self) -> Array:
        """(n,) times of the rows, multiples of dt; the first is 0, the last that of the last valid
        state.
        """
        return self.record.t

    @property
    def motion(self) -> dict[str, Array]:
        """The stored series that are attributes of the run, by name."""
        return {name: getattr(self, name) for name, series in self.series.items() if series.stored}

    @cached_property
    def observed(self) -> dict[str, Array]:
        """The other quantities that the run tracks, each (n,)."""
        return {
            name: self.record.series(name) for name in self.record.names if name not in self.series
        }

    @property
    def casimirs(self) -> dict[str, Array]:
        """The other invariants than energy and π: Casimirs, each (n,), or the momenta of two
        bodies, (n, 3).
        """
        return {
            name: self.quantity(name)
            for name in self.problem.invariants
            if name not in ("energy", "pi")
        }

    @cached_property
    def extrema(self) -> dict[str, Extrema]:
        """Least, largest and last value of each invariant, over every step."""
        return {name: self.record.extrema(name) for name in self.record.bounded}

    def quantity(self, name: str) -> Array:
        """(n, …) a series or another quantity that the run tracks, by name."""
        return getattr(self, name) if name in self.series else self.observed[name]

    def first(self, name: str) -> Any:
        """A quantity at the start, a number or a vector."""
        return self.quantity(name)[0]

    def deviation(self, name: str) -> float:
        """The largest change of an invariant from its start, over every step; for a vector, of any
        component.
        """
        return float(np.max(self.record.extrema(name).away(self.first(name))))

    @property
    def message(self) -> str:
        """The remarks on the run, in sentences; empty if there are none."""
        return " ".join(self.messages)

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        size = "its own choice" if self.method.adaptive else f"{show(self.dt)}"
        rows = f"{len(self)} row{'' if len(self) == 1 else 's'}"
        steps = f"{self.cost.steps} step{'' if self.cost.steps == 1 else 's'} of {size}"
        return f"<run of {self.method.given_name} on {self.problem.label}: {steps}, {rows}, {self.status}>"

    def rerun(self, **changes: Any) -> Self:
        """The same run once more, with the given arguments of `simulate` changed."""
        steps = Steps(dt=self.dt, steps=self.steps, every=self.every)
        if self.method.adaptive:
            steps = Steps(duration=self.steps * self.dt, samples=max(1, self.steps // self.every))
        given = steps.as_arguments()
        if "duration" in changes:
            given.pop("steps", None)
        if "samples" in changes:
            given.pop("every", None)
        return cast(Self, run_actions.simulate(self.problem, self.method, **(given | changes)))

    def to_frame(self, *, quaternions: bool = False) -> pd.DataFrame:
        """All series as a pandas table, a row for each stored state; components are numbered: R11,
        Omega1, pi1.

        With `quaternions`, also attitudes as (w, x, y, z) that do not jump: q_w, and of two bodies
        q1_w and q2_w.
        """
        import pandas as pd

        columns = self.columns()
        for name in [
            name for name, one in self.series.items() if quaternions and len(one.axes) == 2
        ]:
            parts = to_quaternions(getattr(self, name)).T
            columns |= {
                f"{name.replace('R', 'q')}_{part}": values
                for part, values in zip("wxyz", parts, strict=True)
            }
        return pd.DataFrame(columns)

    def to_xarray(self) -> xr.Dataset:
        """All series as an xarray data set over t; vectors have the dimension `axis`, attitudes
        `row` and `column`.
        """
        import xarray as xr

        dims = ((), ("axis",), ("row", "column"))
        data: dict[str, Any] = {
            name: (("t", *dims[len(one.axes)]), getattr(self, name), {"long_name": one.__doc__})
            for name, one in self.series.items()
        }
        about = {
            "problem": self.problem.key,
            "method": self.method.given_name,
            "dt": self.dt,
            "status": self.status,
        }
        data |= {name: ("t", values) for name, values in self.observed.items()}
        return xr.Dataset(
            data,
            {"t": self.t, "axis": list("xyz")},
            about | {"provenance": json.dumps(self.provenance)},
        )

    def columns(self) -> dict[str, Array]:
        """All series by name, each (n,); components are numbered."""
        columns = {"t": self.t}
        for name, series in self.series.items():
            values = getattr(self, name)
            for place in np.ndindex(*series.axes):
                columns[self._name_column(name, place)] = values[(slice(None), *place)]
        return columns | self.observed

    @classmethod
    def take_motion(cls, columns: dict[str, Array]) -> dict[str, Array]:
        """Remove from `columns`, as a file has them, the series that a run stores, and return these
        by name.
        """
        motion = {}
        for name, series in cls.series.items():
            each = [
                columns.pop(cls._name_column(name, place)) for place in np.ndindex(*series.axes)
            ]
            if series.stored:
                motion[name] = np.stack(each, axis=-1, dtype=float).reshape(-1, *series.axes)
        return motion

    @classmethod
    def _name_column(cls, name: str, place: tuple[int, ...]) -> str:
        """The name of a component; the series' own if it has no components."""
        return name + (cls.joint + "".join(str(i + 1) for i in place) if place else "")

    def save(self, path: str | Path) -> Path:
        """Write the run, with all that is needed to make it again, as .parquet, .npz or .csv.

        As .glb, write an animation of the bodies for a viewer of glTF, or Blender.
        """
        return run_actions.save(self, path)

    def cite(self) -> str:
        """The BibTeX of exactly what the run used."""
        return run_actions.cite(self)

    def replace(self, **changes: Any) -> Self:
        """A copy with attributes changed, those of its request and its record included."""
        if changes.keys() & set(RECORDED):
            t, motion, observed, *rest = (
                changes.pop(name, getattr(self, name)) for name in RECORDED
            )
            changes["record"] = SavedRecord(t, {**motion, **observed}, *rest)
        requested = {name: changes.pop(name) for name in REQUESTED if name in changes}
        if requested:
            changes |= {
                "request": dataclasses.replace(
                    self.request, **({"problem": self.problem} | requested)
                ),
                "changes": None,
            }
        return dataclasses.replace(self, **changes)


class BodyRun(AnyRun):
    """The motion of one body or two, which have an energy."""

    energy = Series("kinetic plus potential energy.")
    orthogonality = Series("‖RᵀR − 1‖, Frobenius; of two bodies the larger.")


RECORDED = ("t", "motion", "observed", "extrema", "status", "failed_step", "cost", "provenance")
REQUESTED = ("problem", "method", "dt", "steps", "every")
