"""What a simulation returns: the motion, its invariants, how it ended, and where it came from."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from .wording import short

if TYPE_CHECKING:
    import pandas as pd

    from .algorithms import Method
    from .problems import Posed

Array = NDArray[np.float64]


Value = TypeVar("Value")


class Lazily(Mapping[str, Value]):
    """A mapping whose values are computed when they are first asked for."""

    def __init__(self, names: Iterable[str], compute: Callable[[str], Value]) -> None:
        self._names, self._compute = dict.fromkeys(names), compute
        self._known: dict[str, Value] = {}

    def __getitem__(self, name: str) -> Value:
        if name not in self._known:
            if name not in self._names:
                raise KeyError(name)
            self._known[name] = self._compute(name)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return repr(dict(self))

    def __reduce__(self) -> tuple[type[dict[str, Value]], tuple[dict[str, Value]]]:
        """Pickled and copied as what it computes."""
        return dict, (dict(self),)


class Extrema(NamedTuple):
    """Least, largest and last value of one quantity, over every step of a run, also those not kept."""

    min: Any
    max: Any
    last: Any

    def away(self, start: Any) -> Any:
        """How far it ever was from its start, of a vector by components."""
        return np.maximum(np.abs(self.max - start), np.abs(self.min - start))


@dataclass(frozen=True)
class Cost:
    """What a run cost."""

    steps: int
    torque_evaluations: int
    newton_iterations: int
    seconds: float

    @property
    def force_evaluations(self) -> int:
        """What two bodies have in place of torques: how often force and moment of their gravity were computed."""
        return self.torque_evaluations

    @property
    def ns_per_step(self) -> float:
        """Nanoseconds a step in the kernel."""
        return 1e9 * self.seconds / self.steps if self.steps else float("nan")


class Series(property):
    """A series of a run, in its `motion` or what `follows` from these; `axes` are those besides that of the rows."""

    def __init__(self, doc: str, *axes: int, follows: Callable[[Any], Array] | None = None) -> None:
        super().__init__(follows or (lambda run: run.motion[self.name]))
        self.kept = follows is None
        self.axes, self.__doc__ = axes, f"({', '.join(['n', *map(str, axes)])}{'' if axes else ','}) {doc}"

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    if TYPE_CHECKING:

        def __get__(self, run: Any, kind: type | None = None) -> Array: ...  # type: ignore[override]


@dataclass(frozen=True, eq=False)
class AnyRun:
    """The motion that a method made of a problem, of one body (`Run`) or of two.

    Attributes
    ----------
    t : (n,) times of the kept rows, multiples of dt; the first is 0, the last that of the last valid state.
    motion : what the bodies did, series by name, which are attributes of the run as well.
    observed : the other quantities that were tracked, each (n,).
    extrema : least, largest and last of each invariant over every step.
    status : "done", "no-solution", "diverged" or "cancelled"; with `failed_step` and a `message` in words.
    """

    series: ClassVar[Mapping[str, Series]]
    """By their names, in the order of tables and files: matrices, vectors, numbers."""
    kept: ClassVar[tuple[str, ...]]
    """The names of those in `motion`."""
    joint: ClassVar[str] = ""
    """What stands in a column's name between that of the series and the numbers of the component."""

    problem: Posed
    method: Method
    dt: float
    steps: int
    every: int
    t: Array
    motion: Mapping[str, Array]
    observed: Mapping[str, Array]
    extrema: Mapping[str, Extrema]
    status: str
    failed_step: int | None
    messages: tuple[str, ...]
    cost: Cost
    provenance: dict[str, Any] = field(default_factory=dict)

    def __init_subclass__(cls) -> None:
        members = {name: member for kind in reversed(cls.__mro__) for name, member in vars(kind).items()}
        found = [(name, member) for name, member in members.items() if isinstance(member, Series)]
        cls.series = dict(sorted(found, key=lambda one: -len(one[1].axes)))
        cls.kept = tuple(name for name, series in cls.series.items() if series.kept)

    energy = Series("kinetic plus potential energy.")
    orthogonality = Series("‖RᵀR − 1‖, Frobenius; of two bodies the larger.")

    @property
    def increment(self) -> Array:
        """(n,) angle in radians of the step that ends at the row; of two bodies the larger."""
        raise NotImplementedError

    @classmethod
    def later(cls, problem: Callable[[], Posed], fields: Callable[[], dict[str, Any]]) -> Self:
        """A run whose problem and other fields are made when they are asked for: who runs many asks for few."""
        run = object.__new__(cls)
        run.__dict__["_later"] = problem, fields
        return run

    def __getattr__(self, name: str) -> Any:
        problem, fields = self.__dict__.get("_later", (None, None))
        if name == "problem" and problem is not None:
            self.__dict__["problem"] = problem()
        elif fields is not None and "cost" not in self.__dict__:
            self.__dict__.update(fields())
        if name not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self.__dict__[name]

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled and copied: the fields."""
        return {one.name: getattr(self, one.name) for one in dataclasses.fields(self)}

    def first(self, name: str) -> Any:
        """An invariant at the start."""
        return (self.motion if name in self.motion else self.observed)[name][0]

    def deviation(self, name: str) -> float:
        """The largest change of an invariant from its start, over every step; of a vector that of any component."""
        return float(np.max(self.extrema[name].away(self.first(name))))

    @property
    def message(self) -> str:
        """What there is to say of the run, in sentences; empty if nothing."""
        return " ".join(self.messages)

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        size = "its own choice" if self.method.adaptive else f"{short(self.dt)}"
        rows = f"{len(self)} row{'' if len(self) == 1 else 's'}"
        made = f"{self.cost.steps} step{'' if self.cost.steps == 1 else 's'} of {size}"
        return f"<run of {self.method.label} on {self.problem.label}: {made}, {rows}, {self.status}>"

    def rerun(self, **changes: Any) -> Self:
        """The same run once more, with what is given changed."""
        from .simulate import simulate

        given: dict[str, Any] = {"dt": self.dt, "steps": self.steps, "every": self.every}
        if self.method.adaptive:
            given = {"duration": self.steps * self.dt, "samples": max(1, self.steps // self.every)}
        if "duration" in changes:
            given.pop("steps", None)
        if "samples" in changes:
            given.pop("every", None)
        again: Self = simulate(self.problem, self.method, **(given | changes))
        return again

    def to_frame(self) -> pd.DataFrame:
        """All series as a pandas table, a row for each kept state; components are numbered: R11, Omega1, pi1."""
        import pandas as pd

        return pd.DataFrame(self.columns())

    def columns(self) -> dict[str, Array]:
        """All series by name, each (n,); components are numbered."""
        columns = {"t": self.t}
        for name, series in self.series.items():
            values = getattr(self, name)
            for place in np.ndindex(*series.axes):
                columns[self._column(name, place)] = values[(slice(None), *place)]
        return columns | dict(self.observed)

    @classmethod
    def motion_in(cls, columns: dict[str, Array]) -> dict[str, Array]:
        """The motion that was written as `columns`, out of which it is taken."""
        motion = {}
        for name, series in cls.series.items():
            each = [columns.pop(cls._column(name, place)) for place in np.ndindex(*series.axes)]
            motion[name] = np.stack(each, axis=-1, dtype=float).reshape(-1, *series.axes)
        return {name: motion[name] for name in cls.kept}

    @classmethod
    def _column(cls, name: str, place: tuple[int, ...]) -> str:
        """The name of a component; without a place, of all that there is."""
        return name + (cls.joint + "".join(str(i + 1) for i in place) if place else "")

    def save(self, path: str | Path) -> Path:
        """Write the run, with all that is needed to make it again, as .parquet, .npz or .csv."""
        from .files import save

        return save(self, path)

    def cite(self) -> str:
        """The BibTeX of exactly what the run used."""
        from .citations import cite

        return cite(self)

    def replace(self, **changes: Any) -> Self:
        """A copy with fields changed."""
        return dataclasses.replace(self, **changes)
