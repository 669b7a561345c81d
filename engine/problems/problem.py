"""Problems: a body or two, how they start, and what acts on them, or an attitude with given rates;
the registry of problems.
"""

from __future__ import annotations

import dataclasses
import functools
import warnings
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from types import MappingProxyType
from typing import (
    Any,
    ClassVar,
    Concatenate,
    Literal,
    NamedTuple,
    ParamSpec,
    Self,
    TypeVar,
    overload,
)

import numpy as np

from ..parameters.formula import Formula
from ..parameters.names import (
    claim_names,
    find_declaring_module,
    fold,
    load_announced,
    new_registry,
    new_table,
    parse_name,
    unknown_name,
)
from ..parameters.parameter import (
    Attitude,
    Inertia,
    Number,
    Parameter,
    Step,
    Vector,
    index_by_name,
    resolve_names,
)
from ..parameters.validation import LARGEST, Array
from ..text.formatting import join_words
from ..text.spaces import SPACES
from .field import FREE, Field, Integral, takes_velocity
from .mass_properties import principal_axes
from .potentials import Comparison, compare_torques

FASTEST = 1e9
"""The largest component of an initial angular velocity, in rad per unit of time."""
LONGEST = 1e15
"""The largest duration."""
MOST_RESULTS = 128
"""The most results that a problem stores."""


MOMENTUM, MOMENT = "mass·length²/time", "mass·length²/time²"
"""Units, in those of a problem."""

STEP = Step(1e-15, LONGEST)
LENGTH = Number(0.0, LONGEST)
DT = Parameter("dt", STEP, "the problem's own step", unit="time", label="Δt")
DURATION = Parameter(
    "duration", LENGTH, "the problem's own duration", unit="time", label="Duration"
)
TIMES = (DT, DURATION)
"""What every problem proposes, and a run takes by default."""


PlainValue = float | str | tuple[float, ...] | list[float] | list[list[float]]
"""A value of a parameter as JSON has it: a number, a word, a vector or the rows of a matrix."""


class Action(NamedTuple):
    """What acts in one run: a field, its numbers, the body axis χ of π·χ, and the times at which
    the torque jumps.
    """

    field: Field = FREE
    numbers: tuple[float, ...] = ()
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    jumps: tuple[float, ...] = ()


Act = Callable[[Mapping[str, Any], float], Action]
"""(values of the problem's parameters, step) → what acts."""


def _nothing_acts(values: Mapping[str, Any], dt: float) -> Action:
    return Action()


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AnyProblem:
    """What a run can simulate: a `Problem` of one body, `TwoBodies`, or an attitude with
    `GivenRates`. Problems do not change.

    Parameters
    ----------
    dt, duration : what a run takes by default.
    words : ordinary words that find the problem, besides those of its name and summary.
    place : its place in its group; the last by default.
    module : that declares the problem: `__main__` in a notebook, the path of a plugin; empty if
        none has registered it.
    specific : the parameters of this problem alone.
    values : the values of the specific parameters.
    """

    space: ClassVar[str]
    common: ClassVar[tuple[Parameter, ...]]
    """The parameters that every problem of this space has."""
    dt: float
    duration: float
    key: str
    name: str
    group: str = "Your own"
    summary: str = ""
    equations: str
    reference: str = ""
    invariants: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    words: str = ""
    place: float = float("inf")
    module: str = ""
    specific: tuple[Parameter, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<problem {self.label}: {self.name}>"

    @property
    def label(self) -> str:
        """The key with the choices that differ from the default, as `engine.problem` takes it."""
        choices = [p for p in self.declarations.values() if p.choices]
        values = [(p, self.value(p.name)) for p in choices]
        chosen = [f"{p.name}={p.format(value)}" for p, value in values if value != p.default]
        return f"{self.key}({', '.join(chosen)})" if chosen else self.key

    @property
    def declarations(self) -> dict[str, Parameter]:
        """The parameters that `replace` takes, as they are declared."""
        return index_by_name((*self.common, *self.specific))

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters that `replace` takes, with their present values as defaults."""
        return {
            name: p.with_default(to_plain(self.value(name)))
            for name, p in self.declarations.items()
        }

    def value(self, name: str) -> PlainValue | Array:
        """The value of a parameter."""
        return self.values[name] if name in self.values else getattr(self, name)

    def replace(self, /, **changes: Any) -> Self:
        """A changed copy; `ValueError` with the reason for what does not exist or is unphysical."""
        raise NotImplementedError

    @property
    def extra_names(self) -> tuple[str, ...]:
        """What `replace` takes besides parameters."""
        return ()

    def read_text(self, texts: Mapping[str, str]) -> dict[str, Any]:
        """Parameters as people type them, as `replace` takes them; `ValueError` in one sentence."""
        declared = self.declarations
        return {
            name: declared[name].read_text(text)
            for name, text in resolve_names(declared, texts, self.key).items()
        }

    def _split_changes(self, changes: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The changes of `specific`, checked, and the other changes."""
        own = index_by_name(self.specific)
        rest = {name: value for name, value in changes.items() if name in self.extra_names}
        given = resolve_names(
            self.declarations,
            {name: x for name, x in changes.items() if name not in rest},
            self.key,
        )
        rest |= {name: value for name, value in given.items() if name not in own}
        return {name: own[name].check(value) for name, value in given.items() if name in own}, rest

    def _set(self, name: str, value: Any) -> None:
        """Set a field while the problem is being made."""
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
        object.__setattr__(self, name, value)

    def _check(self, *parameters: Parameter) -> None:
        """Check the values of these parameters and of the specific ones."""
        for p in parameters:
            value = p.check(getattr(self, p.name))
            self._set(p.name, np.array(value) if isinstance(value, tuple) else value)
        values = {p.name: p.check(self.values.get(p.name, p.default)) for p in self.specific}
        self._set("values", MappingProxyType(values))

    @functools.cached_property
    def _results(self) -> dict[Any, tuple[Any]]:
        """The results of functions with `@store_in_problem`."""
        return {}

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """What acts, in plain Python: the torque and its potential, the gravity, or the rate."""
        raise NotImplementedError

    @property
    def integrals(self) -> tuple[Integral, ...]:
        """The quantities that runs watch besides energy and momentum; the motion conserves those in
        `invariants`.
        """
        return ()

    @property
    def custom(self) -> str:
        """The kind of the caller's own function that acts, "torque" or "rate"; empty if none does."""
        return ""

    @property
    def of_velocity(self) -> bool:
        """Whether a torque depends on the angular velocity."""
        return False

    @property
    def remarks(self) -> Mapping[str, str]:
        """A sentence for each parameter that is accepted though it is doubtful."""
        return {}

    def at_step(self, dt: float) -> Self:
        """The problem for runs with another step; a sensor has another sample rate then."""
        return self

    @property
    def interval(self) -> float | None:
        """The interval of samples, which steps must fit; None if nothing is sampled."""
        return None

    @property
    def force_effort(self) -> float:
        """The time of one evaluation of torque, gravity or rate, in steps of one body; 1 at
        least.
        """
        return 1.0

    def to_json(self) -> dict[str, Any]:
        """The problem as JSON; a caller's own functions by name only."""
        common = {p.name: to_plain(self.value(p.name)) for p in self.common}
        return {"key": self.key, "name": self.name} | common | {"values": dict(self.values)}

    def from_json(self, data: Mapping[str, Any]) -> Self:
        """The problem of this key that `to_json` has written."""
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        """For pickle and copy; the functions of a registered problem go by its key."""
        declared = _registry.get(self.key)
        return {
            name: dict(value) if isinstance(value, MappingProxyType) else value
            for name, value in vars(self).items()
            if name != "_results"
            and (name not in DECLARED_FUNCTIONS or value is not getattr(declared, name, None))
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        declared = _registry.get(state["key"])
        if declared is None and state.keys().isdisjoint(DECLARED_FUNCTIONS):
            declared = find_problem(
                state["key"]
            )  # of a plugin, which this process must have loaded
        functions = {
            name: getattr(declared, name) for name in DECLARED_FUNCTIONS if hasattr(declared, name)
        }
        vars(self).update(functions | state | {"values": MappingProxyType(state["values"])})
        for value in state.values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)


DECLARED_FUNCTIONS = ("act", "settle")
"""Fields of a problem that its declaration gives by a decorator, so that pickle finds no name for
them.
"""


P = TypeVar("P", bound=AnyProblem)
Q = TypeVar("Q", bound=AnyProblem)
A = ParamSpec("A")
T = TypeVar("T")


def store_in_problem(compute: Callable[Concatenate[P, A], T]) -> Callable[Concatenate[P, A], T]:
    """Store a function's results in the problem, its first argument: they last no longer than the
    problem.
    """

    @functools.wraps(compute)
    def find_or_compute(problem: P, /, *arguments: A.args, **options: A.kwargs) -> T:
        key = (compute, arguments, *options.items())
        results = problem._results
        found = results.get(key)
        if found is None:
            if len(results) >= MOST_RESULTS:
                results.clear()
            found = results[key] = (compute(problem, *arguments, **options),)
        return found[0]

    return find_or_compute


class MissingFunction:
    """Stands for a caller's function in a run that was read from a file."""

    def __init__(self, what: str, of_velocity: bool = False) -> None:
        self.what = what
        self.of_velocity = of_velocity

    def __call__(self, t: float, *motion: Any) -> Any:
        """Raise `ValueError`."""
        raise ValueError(
            f"the {self.what} of this run was a function of your own, which the file does not contain"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Problem(AnyProblem):
    """A rigid body with a fixed point, its initial state and the torque on it.

    Parameters
    ----------
    J : three principal moments of inertia, or a symmetric 3×3 matrix in the body's axes.
    R0 : initial attitude, body to space: 3×3, a rotation vector in radians, or a quaternion (w, x,
        y, z).
    Omega0, Pi0 : initial angular velocity, or momentum, in the body's frame; one of them.
    torque : f(t, R) or f(t, R, Omega), the torque in space for the 3×3 array R and the angular
        velocity in the body's frame: a plain function or one compiled by `engine.torque`.
    potential : V(t, R) or V(R), its potential energy, if it has one; without, the energy is the
        kinetic one, and the torque changes it.
    rate : instead of all the others but R0, a given angular velocity (see `GivenRates`).
    of_a_body : False for a source whose moments no body can have.
    keeps : what the motion conserves, from values and J, where that depends on them; else
        `invariants` declares it.
    typed_torque : the torque and the potential that values write as formulas, if they do.
    compared : the comparison of the torque with its potential, once it has been made.
    """

    space: ClassVar[str] = "so3"
    common: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "J",
            Inertia(),
            "inertia: three principal values or a symmetric 3×3 matrix",
            unit="mass·length²",
            label="Inertia J₁, J₂, J₃",
        ),
        Parameter(
            "Omega0",
            Vector(FASTEST),
            "initial angular velocity in the body's frame",
            unit="rad/time",
            label="Angular velocity Ω₀",
        ),
        Parameter(
            "R0",
            Attitude(),
            "initial attitude: 3×3, rotation vector (rad) or quaternion (w, x, y, z)",
            label="Attitude R₀, a rotation vector",
        ),
        Parameter(
            "Pi0",
            Vector(LARGEST),
            "initial angular momentum in the body's frame, in place of Omega0",
            unit="mass·length²/time",
            label="Angular momentum Π₀",
        ),
        *TIMES,
    )
    J: Any = (1.0, 2.0, 3.0)
    R0: Any = dataclasses.field(default_factory=lambda: np.eye(3))
    Omega0: Any = None
    Pi0: Any = None
    torque: Callable[..., Any] | None = None
    potential: Callable[..., Any] | None = None
    _: KW_ONLY
    dt: float = 0.01
    duration: float = 10.0
    key: str = "custom"
    name: str = "Your own body"
    equations: str = (
        r"\dot R = R\,\hat\Omega, \quad J\dot\Omega = J\Omega \times \Omega + R^T t(t, R)"
    )
    of_a_body: bool = True
    act: Act = _nothing_acts
    keeps: Callable[[Mapping[str, Any], Array], tuple[str, ...]] | None = None
    settle: Callable[[dict[str, Any], Mapping[str, Any]], dict[str, Any]] | None = None
    typed_torque: Callable[[Mapping[str, Any]], tuple[Formula | None, Formula | None]] | None = None
    compared: Comparison | None = None

    def __new__(cls, *given: Any, **named: Any) -> Any:
        """A problem; of another class if a keyword stands for it, as `rate` for `GivenRates`."""
        others = [kind for keyword, kind in BY_KEYWORD.items() if keyword in named]
        return others[0](*given, **named) if others else super().__new__(cls)

    def __post_init__(self) -> None:
        own = index_by_name(self.common)
        if self.typed_torque is not None:
            torque, potential = self.typed_torque(self.values)
            self._set("torque", torque)
            self._set("potential", potential)
        self._set("J", Inertia(self.of_a_body).check(self.J, "J"))
        if self.Pi0 is not None and self.Omega0 is not None:
            raise ValueError("give Omega0 or Pi0, not both")
        if self.Pi0 is not None:
            self._set("Omega0", np.linalg.solve(self.J, np.asarray(own["Pi0"].check(self.Pi0))))
        elif self.Omega0 is None:
            self._set("Omega0", (0.0, 0.0, 1.0))
        self._check(own["R0"], own["Omega0"], *TIMES)
        self._set("Pi0", self.J @ self.Omega0)
        self._check_functions()
        self._set("invariants", self._find_invariants())

    def _check_functions(self) -> None:
        """Check the caller's torque and potential, and compare them."""
        for function, what in ((self.torque, "torque"), (self.potential, "potential")):
            if function is not None and not callable(function):
                raise ValueError(f"the {what} is a function of (t, R); got {function!r}")
        if self.potential is not None and self.torque is None:
            raise ValueError(
                "a potential without its torque does not move the body; give the torque too"
            )
        if self.torque is not None and self.potential is not None and self.compared is None:
            self._set("compared", compare_torques(self.torque, self.potential, self.duration))
            if self.remarks and self.typed_torque is None:
                warnings.warn(self.remarks["potential"], stacklevel=4)

    def _find_invariants(self) -> tuple[str, ...]:
        """What the motion conserves, the field's further integrals at the end."""
        found = self.invariants if self.keeps is None else self.keeps(self.values, self.J)
        if not found and self.torque is not None:
            found = ("energy",) if self._conserves_energy() else ()
        elif not found and self.act is _nothing_acts:
            found = ("energy", "pi", "pi_norm", "casimir")
        integrals = self.integrals
        if not integrals:
            return found
        numbers = self.action(self.dt).numbers
        keys = [one.key for one in integrals]
        common = (name for name in found if name not in keys)
        return (*common, *(one.key for one in integrals if one.holds(self, numbers)))

    @property
    def acting_potential(self) -> Callable[..., Any] | None:
        """The potential of the torque; None if there is none, or if it is that of another
        torque.
        """
        return None if self.remarks else self.potential

    @property
    def remarks(self) -> Mapping[str, str]:
        """A sentence on a potential that is not that of the torque."""
        mismatch = self.compared.mismatch if self.compared is not None else ""
        return {"potential": mismatch} if mismatch else {}

    @property
    def custom(self) -> str:
        """The kind of the caller's own function that acts."""
        return "" if self.torque is None else "torque"

    def _conserves_energy(self) -> bool:
        """Whether the caller's torque is that of the potential, which depends on R alone."""
        if self.compared is None or self.torque is None or takes_velocity(self.torque):
            return False
        return self.compared.steady and not self.compared.mismatch

    @functools.cached_property
    def principal(self) -> tuple[Array, Array]:
        """Principal moments, and the principal axes as the columns of a rotation; the identity for
        a diagonal J.
        """
        return principal_axes(self.J, of_a_body=False)

    @functools.cached_property
    def in_principal_axes(self) -> bool:
        """Whether the body's axes are its principal axes, in order."""
        return bool(np.array_equal(self.principal[1], np.eye(3)))

    @property
    def extra_names(self) -> tuple[str, ...]:
        """What `replace` takes besides parameters."""
        return ("torque", "potential", "name") if self.act is _nothing_acts else ()

    def replace(self, /, **changes: Any) -> Problem:
        """A changed copy; `ValueError` with the reason for what does not exist or is unphysical."""
        given, rest = self._split_changes(changes)
        values = dict(self.values) | given
        if self.settle is not None and given:
            values = self.settle(values, given)
        if rest.get("Pi0") is not None:
            rest.setdefault("Omega0", None)
        same = {"torque", "potential", "formula", "frame"}.isdisjoint([*rest, *given])
        invariants, compared = (self.invariants, self.compared) if same else ((), None)
        rest.setdefault("Pi0", None)
        of_a_body = self.of_a_body or "J" in rest
        return dataclasses.replace(
            self,
            **rest,
            values=values,
            invariants=invariants,
            compared=compared,
            of_a_body=of_a_body,
        )

    def to_json(self) -> dict[str, Any]:
        """The problem as JSON; a caller's own functions by name only."""
        acting = {"torque": self.torque, "potential": self.acting_potential}
        own = [
            name
            for name, function in acting.items()
            if function is not None and not self.typed_torque
        ]
        return super().to_json() | {"own": own}

    def from_json(self, data: Mapping[str, Any]) -> Problem:
        """The problem of this key that `to_json` has written."""
        own: dict[str, Any] = {what: MissingFunction(what) for what in data["own"]}
        given = {
            p.name: data[p.name] for p in self.common if p.name != "Pi0"
        }  # which follows from Omega0
        if own or (self.key == "custom" and not data["values"]):
            return Problem(name=data["name"], key=self.key, **given, **own)
        # The data has what a problem settles from other values as well (a top's Mgl), so it is set
        # as it is.
        return dataclasses.replace(self, **given, Pi0=None, values=data["values"])

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """The torque and, if there is one, its potential."""
        field = self.action(self.dt).field
        return tuple(
            function for function in (field.torque, field.potential) if function is not None
        )

    @property
    def integrals(self) -> tuple[Integral, ...]:
        """The quantities that runs watch besides energy and momentum; the motion conserves those in
        `invariants`.
        """
        return self.action(self.dt).field.integrals if self.torque is None else ()

    @property
    def of_velocity(self) -> bool:
        """Whether the torque depends on the angular velocity."""
        if self.torque is not None:
            return takes_velocity(self.torque)
        return self.action(self.dt).field.of_velocity

    @store_in_problem
    def action(self, dt: float) -> Action:
        """What acts in a run with the step dt (the kick of the book toss lasts one step)."""
        return self.act(self.values, dt)


BY_KEYWORD: dict[str, type[AnyProblem]] = {}
"""Keywords of `Problem` that make a problem of another class, whose module enters it."""

GROUPS = (
    "Krysl & Endres", "Chaotic motion", "Further integrals", "Buss", "Notes on SO(3) integrators",
    "Lee, Leok & McClamroch",
)  # fmt: skip
"""The groups, in the order of lists; other groups follow."""

_registry: dict[str, AnyProblem] = new_registry()
_by_name: dict[str, AnyProblem] = new_table()


def register(declared: P, variants: Mapping[str, P] = MappingProxyType({})) -> P:
    """Enter a problem under its key and aliases, and variants of it under names of their own; the
    name of another module's problem is refused.
    """
    names = {fold(name): name for name in (declared.key, *declared.aliases)}
    for one in (declared, *variants.values()):
        one._set("module", find_declaring_module())
    claim_names(_by_name, names, declared)
    _registry[declared.key] = declared
    _by_name.update({fold(name): variant for name, variant in variants.items()})
    return declared


def problem(**declaration: Any) -> Callable[[Act], Problem]:
    """Declare a problem and register it; the function below it returns what acts, for given values
    and step.
    """
    return lambda act: register(Problem(act=act, **declaration))


@overload
def all_problems(space: Literal["so3"] = "so3") -> list[Problem]: ...
@overload
def all_problems(space: str | None) -> list[AnyProblem]: ...
def all_problems(space: str | None = "so3") -> list[Any]:
    """The problems of a space, by default of one body, by groups; None for those of all spaces."""
    load_announced()
    order = {group: i for i, group in enumerate(GROUPS)}
    of_space = [p for p in _registry.values() if space in (p.space, None)]
    return sorted(
        of_space,
        key=lambda p: (list(SPACES).index(p.space), order.get(p.group, len(order)), p.place),
    )


@overload
def find_problem(name: P, /, **changes: Any) -> P: ...
@overload
def find_problem(name: str, /, **changes: Any) -> AnyProblem: ...
@overload
def find_problem(name: str | AnyProblem, kind: type[P], /, **changes: Any) -> P: ...
@overload
def find_problem(name: str | AnyProblem, kind: type[P], other: type[Q], /) -> P | Q: ...
def find_problem(name: str | AnyProblem, /, *kinds: type[AnyProblem], **changes: Any) -> AnyProblem:
    """The problem with this key or alias, with parameters written in the name or given as keywords.

    A problem of another kind than `kinds`, `Problem`, `TwoBodies` or `GivenRates`, is refused.
    """
    found = _look_up(name, changes)
    if kinds and not isinstance(found, kinds):
        here = join_words([SPACES[kind.space].moves for kind in kinds], "or")
        raise ValueError(
            f"{found.key} is a problem of {SPACES[found.space].moves}, and this is for {here}"
        )
    return found


def _look_up(name: str | AnyProblem, changes: dict[str, Any]) -> AnyProblem:
    if isinstance(name, AnyProblem):
        return name.replace(**changes) if changes else name
    if isinstance(name, str) and not changes and fold(name) in _by_name:
        return _by_name[fold(name)]
    base, written, energy, compose = parse_name(name)
    if fold(base) not in _by_name:
        load_announced()
    if fold(base) not in _by_name or energy or compose is not None:
        names = [n for p in _registry.values() for n in (p.key, *p.aliases)]
        raise unknown_name("problem", str(name), names, [p.key for p in _registry.values()])
    found = _by_name[fold(base)]
    given = found.read_text(written) | changes
    return found.replace(**given) if given else found


def to_plain(value: PlainValue | Array) -> PlainValue:
    """A value as JSON has it."""
    return value.tolist() if isinstance(value, np.ndarray) else value
