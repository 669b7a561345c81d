"""What a problem is: a body, how it starts, and what acts on it."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Self, TypeVar, overload

import numpy as np

from ..body import principal_axes
from ..checks import LARGEST, Array
from ..field import FREE, Field, Integral, takes_velocity
from ..formula import Formula
from ..names import folded, parsed, table, unknown
from ..spaces import SPACES
from ..spec import Attitude, Inertia, Number, Parameter, Step, Vector, named, under_names
from .potentials import Comparison, compare

FASTEST = 1e9
"""The largest component of an initial angular velocity, in rad per unit of time."""
LONGEST = 1e15
"""The largest duration."""


DT = Parameter("dt", Step(1e-15, LONGEST), "the step that is proposed", unit="time", label="Δt")
DURATION = Parameter("duration", Number(0.0, LONGEST), "the duration that is proposed", unit="time", label="Duration")
TIMES = (DT, DURATION)
"""What every problem proposes, and a run takes if it is not told otherwise."""


class Action(NamedTuple):
    """What acts in one run: a field, its numbers, the body axis χ of π·χ, and the times at which the torque jumps."""

    field: Field = FREE
    numbers: tuple[float, ...] = ()
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    jumps: tuple[float, ...] = ()


Act = Callable[[Mapping[str, Any], float], Action]


def _nothing_acts(values: Mapping[str, Any], dt: float) -> Action:
    return Action()


class Posed:
    """What can be simulated: a `Problem` of one body, or one of two bodies."""

    space: ClassVar[str]
    common: ClassVar[tuple[Parameter, ...]]
    """What every problem of this space can be given; `specific` is what this one can be given besides."""
    key: str
    name: str
    group: str
    summary: str
    equations: str
    reference: str
    invariants: tuple[str, ...]
    aliases: tuple[str, ...]
    words: str
    place: float
    dt: float
    duration: float
    specific: tuple[Parameter, ...]
    values: Mapping[str, Any]

    def __repr__(self) -> str:
        return f"<problem {self.label}: {self.name}>"

    @property
    def label(self) -> str:
        """The key with the choices that differ from the default, as it can be given to `engine.problem` again."""
        choices = [p for p in self.specific if p.choices and self.values[p.name] != p.default]
        chosen = [f"{p.name}={p.written(self.values[p.name])}" for p in choices]
        return f"{self.key}({', '.join(chosen)})" if chosen else self.key

    @property
    def declared(self) -> dict[str, Parameter]:
        """What `replace` takes, as it is declared."""
        return named((*self.common, *self.specific))

    @property
    def parameters(self) -> dict[str, Parameter]:
        """What `replace` takes, with the value it has now as default."""
        return {name: p.with_default(plain(self.value(name))) for name, p in self.declared.items()}

    def value(self, name: str) -> Any:
        """The value of a parameter."""
        return self.values[name] if name in self.values else getattr(self, name)

    def replace(self, /, **changes: Any) -> Self:
        """A changed copy; what the problem does not have, or no body can be, is refused with the reason."""
        raise NotImplementedError

    @property
    def besides(self) -> tuple[str, ...]:
        """What `replace` takes that is no parameter."""
        return ()

    def typed(self, texts: Mapping[str, str]) -> dict[str, Any]:
        """What a person typed for parameters, as `replace` takes it; `ValueError` in one sentence."""
        declared = self.declared
        return {name: declared[name].typed(text) for name, text in under_names(declared, texts, self.key).items()}

    def _told_apart(self, changes: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """What was given of `specific`, checked, and what was given besides."""
        own = named(self.specific)
        rest = {name: value for name, value in changes.items() if name in self.besides}
        given = under_names(self.declared, {name: x for name, x in changes.items() if name not in rest}, self.key)
        rest |= {name: value for name, value in given.items() if name not in own}
        return {name: own[name].checked(value) for name, value in given.items() if name in own}, rest

    def _put(self, name: str, value: Any) -> None:
        """Set a field of a problem that is being made."""
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
        object.__setattr__(self, name, value)

    def _put_checked(self, *parameters: Parameter) -> None:
        """Check what was given for these, and the problem's own values."""
        for p in parameters:
            value = p.checked(getattr(self, p.name))
            self._put(p.name, np.array(value) if isinstance(value, tuple) else value)
        values = {p.name: p.checked(self.values.get(p.name, p.default)) for p in self.specific}
        self._put("values", MappingProxyType(values))

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """What acts, in plain Python: the torque and its potential, or the gravity."""
        raise NotImplementedError

    @property
    def integrals(self) -> tuple[Integral, ...]:
        """What is watched besides energy and momentum; of `invariants` are those that the motion keeps."""
        return ()

    @property
    def remarks(self) -> Mapping[str, str]:
        """What is odd about parameters that are taken all the same: a sentence for each."""
        return {}

    @property
    def force_effort(self) -> float:
        """About how long a step's torque or gravity takes, in steps of one body, but at least one."""
        return 1.0

    def told(self) -> dict[str, Any]:
        """All that tells the problem, as JSON takes it; functions of the caller's own are only named."""
        common = {p.name: plain(self.value(p.name)) for p in self.common}
        return {"key": self.key, "name": self.name} | common | {"values": dict(self.values)}

    def restored(self, told: Mapping[str, Any]) -> Self:
        """The problem of this key that was told of."""
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        """For pickle and copy: what was chosen; the functions of a problem that is registered go by its key."""
        declared = _registry.get(self.key)
        return {
            name: dict(value) if isinstance(value, MappingProxyType) else value
            for name, value in vars(self).items()
            if name not in DECLARED_FUNCTIONS or value is not getattr(declared, name, None)
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        declared = _registry.get(state["key"])
        functions = {name: getattr(declared, name) for name in DECLARED_FUNCTIONS if hasattr(declared, name)}
        vars(self).update(functions | state | {"values": MappingProxyType(state["values"])})
        for value in state.values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)


DECLARED_FUNCTIONS = ("act", "settle")
"""Fields of a problem that only its declaration gives, by a decorator: pickle finds no name for them."""


class MissingFunction:
    """Stands for a caller's function in a run that was read from a file."""

    def __init__(self, what: str, of_velocity: bool = False) -> None:
        self.what, self.of_velocity = what, of_velocity

    def __call__(self, t: float, R: Any) -> Any:
        """It cannot be called."""
        raise ValueError(f"the {self.what} of this run was a function of the caller's own, and is not in the file")


@dataclass(frozen=True, eq=False, repr=False)
class Problem(Posed):
    """A rigid body with a fixed point, its initial state and the torque on it.

    Parameters
    ----------
    J : three principal moments of inertia, or a symmetric 3×3 matrix in the body's axes.
    R0 : initial attitude, body to space: 3×3, a rotation vector in radians, or a quaternion (w, x, y, z).
    Omega0, Pi0 : initial angular velocity, or momentum, in the body's frame; one of them.
    torque : f(t, R) or f(t, R, Omega), the torque in space for the 3×3 array R and the angular velocity in the body's
        frame: a plain function or one compiled by `engine.torque`.
    potential : V(t, R) or V(R), its potential energy, if it has one; without, the energy is the kinetic one, and the
        torque changes it.
    dt, duration : what a run takes if it is not told otherwise.
    of_a_body : False for a source whose moments no body can have.
    keeps : what the motion keeps, of values and J, where that depends on them; else `invariants` are declared.
    typed_torque : the torque and the potential that values write as formulas, if they do.
    compared : the torque with its potential, if that has been done.
    """

    space: ClassVar[str] = "so3"
    common: ClassVar[tuple[Parameter, ...]] = (
        Parameter("J", Inertia(), "inertia: three principal values or a symmetric 3×3 matrix",
                  unit="mass·length²", label="Inertia J₁, J₂, J₃"),
        Parameter("Omega0", Vector(FASTEST), "initial angular velocity in the body's frame",
                  unit="rad/time", label="Angular velocity Ω₀"),
        Parameter("R0", Attitude(), "initial attitude: 3×3, rotation vector (rad) or quaternion (w, x, y, z)",
                  label="Attitude R₀, a rotation vector"),
        Parameter("Pi0", Vector(LARGEST), "initial angular momentum in the body's frame, in place of Omega0",
                  unit="mass·length²/time", label="Angular momentum Π₀"),
        *TIMES,
    )  # fmt: skip
    J: Any = (1.0, 2.0, 3.0)
    R0: Any = dataclasses.field(default_factory=lambda: np.eye(3))
    Omega0: Any = None
    Pi0: Any = None
    torque: Callable[..., Any] | None = None
    potential: Callable[..., Any] | None = None
    dt: float = 0.01
    duration: float = 10.0
    key: str = "custom"
    name: str = "A body of one's own"
    group: str = "Your own"
    summary: str = ""
    equations: str = r"\dot R = R\,\hat\Omega, \quad J\dot\Omega = J\Omega \times \Omega + R^T t(t, R)"
    reference: str = ""
    invariants: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    words: str = ""
    """Ordinary words by which it is looked for, besides those that are told of it."""
    place: float = float("inf")
    """Where it stands in its group; the last by default."""
    specific: tuple[Parameter, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    of_a_body: bool = True
    act: Act = _nothing_acts
    keeps: Callable[[Mapping[str, Any], Array], tuple[str, ...]] | None = None
    settle: Callable[[dict[str, Any], Mapping[str, Any]], dict[str, Any]] | None = None
    typed_torque: Callable[[Mapping[str, Any]], tuple[Formula | None, Formula | None]] | None = None
    compared: Comparison | None = None

    def __post_init__(self) -> None:
        put, own = self._put, named(self.common)
        if self.typed_torque is not None:
            torque, potential = self.typed_torque(self.values)
            put("torque", torque)
            put("potential", potential)
        put("J", Inertia(self.of_a_body).checked(self.J, "J"))
        if self.Pi0 is not None and self.Omega0 is not None:
            raise ValueError("give Omega0 or Pi0, not both")
        if self.Pi0 is not None:
            put("Omega0", np.linalg.solve(self.J, own["Pi0"].checked(self.Pi0)))
        elif self.Omega0 is None:
            put("Omega0", (0.0, 0.0, 1.0))
        self._put_checked(own["R0"], own["Omega0"], *TIMES)
        put("Pi0", self.J @ self.Omega0)
        for function, what in ((self.torque, "torque"), (self.potential, "potential")):
            if function is not None and not callable(function):
                raise ValueError(f"the {what} is a function of (t, R); got {function!r}")
        if self.potential is not None and self.torque is None:
            raise ValueError("a potential without its torque does not move the body; give the torque too")
        if self.torque is not None and self.potential is not None and self.compared is None:
            put("compared", compare(self.torque, self.potential, self.duration))
        if self.keeps is not None:
            put("invariants", self.keeps(self.values, self.J))
        if not self.invariants:
            if self.torque is not None:
                put("invariants", ("energy",) if self._keeps_energy() else ())
            elif self.act is _nothing_acts:
                put("invariants", ("energy", "pi", "pi_norm", "casimir"))
        if further := self.integrals:
            numbers, keys = self.action(self.dt).numbers, [one.key for one in further]
            common = (name for name in self.invariants if name not in keys)
            put("invariants", (*common, *(one.key for one in further if one.holds(self, numbers))))

    @property
    def acting_potential(self) -> Callable[..., Any] | None:
        """The potential of the torque; None if there is none, or if it is that of another torque."""
        return None if self.remarks else self.potential

    @property
    def remarks(self) -> Mapping[str, str]:
        """A potential that is not that of the torque."""
        mismatch = self.compared.mismatch if self.compared is not None else ""
        return {"potential": mismatch} if mismatch else {}

    def _keeps_energy(self) -> bool:
        """Whether a torque of the caller's own has a potential that is all it does, and that changes with R alone."""
        if self.compared is None or takes_velocity(self.torque):  # type: ignore[arg-type]
            return False
        return self.compared.steady and not self.compared.mismatch

    @functools.cached_property
    def principal(self) -> tuple[Array, Array]:
        """Principal moments, and the principal axes as the columns of a rotation; the identity for a diagonal J."""
        return principal_axes(self.J, of_a_body=False)

    @functools.cached_property
    def in_principal_axes(self) -> bool:
        """Whether the body's axes are its principal axes, in order."""
        return bool(np.array_equal(self.principal[1], np.eye(3)))

    @property
    def besides(self) -> tuple[str, ...]:
        """What `replace` takes that is no parameter."""
        return ("torque", "potential", "name") if self.act is _nothing_acts else ()

    def replace(self, /, **changes: Any) -> Problem:
        """A changed copy; what the problem does not have, or no body can be, is refused with the reason."""
        given, rest = self._told_apart(changes)
        values = dict(self.values) | given
        if self.settle is not None and given:
            values = self.settle(values, given)
        if rest.get("Pi0") is not None:
            rest.setdefault("Omega0", None)
        same = not {"torque", "potential"} & (rest.keys() | given.keys()) and "formula" not in given
        invariants, compared = (self.invariants, self.compared) if same else ((), None)
        rest.setdefault("Pi0", None)
        of_a_body = self.of_a_body or "J" in rest
        return dataclasses.replace(
            self, **rest, values=values, invariants=invariants, compared=compared, of_a_body=of_a_body
        )

    def told(self) -> dict[str, Any]:
        """All that tells the problem, as JSON takes it; functions of the caller's own are only named."""
        acting = {"torque": self.torque, "potential": self.acting_potential}
        own = [name for name, function in acting.items() if function is not None and not self.typed_torque]
        return super().told() | {"own": own}

    def restored(self, told: Mapping[str, Any]) -> Problem:
        """The problem of this key that was told of."""
        own: dict[str, Any] = {what: MissingFunction(what) for what in told["own"]}
        given = {p.name: told[p.name] for p in self.common if p.name != "Pi0"}  # which follows from Omega0
        if own or (self.key == "custom" and not told["values"]):
            return Problem(name=told["name"], key=self.key, **given, **own)
        # What a problem settles from other values (a top's Mgl) is told as well, so it is set as it is.
        return dataclasses.replace(self, **given, Pi0=None, values=told["values"])

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """The torque and, if there is one, its potential."""
        field = self.action(self.dt).field
        return tuple(function for function in (field.torque, field.potential) if function is not None)

    @property
    def integrals(self) -> tuple[Integral, ...]:
        """What is watched besides energy and momentum; of `invariants` are those that the motion keeps."""
        return self.action(self.dt).field.integrals if self.torque is None else ()

    def action(self, dt: float) -> Action:
        """What acts in a run with the step dt (the book toss is kicked for one step)."""
        return self.act(self.values, dt)


GROUPS = (
    "Krysl & Endres", "For drift", "Further integrals", "Buss", "Notes on SO(3) integrators",
    "Lee, Leok & McClamroch",
)  # fmt: skip
"""The groups, in the order in which problems are listed; others follow."""

_registry: dict[str, Posed] = table()
_by_name: dict[str, Posed] = table()

AnyPosed = TypeVar("AnyPosed", bound=Posed)


def register(declared: AnyPosed, variants: Mapping[str, AnyPosed] = MappingProxyType({})) -> AnyPosed:
    """Enter a problem under its key and aliases, and variants of it under names of their own."""
    _registry[declared.key] = declared
    _by_name.update({folded(name): declared for name in (declared.key, *declared.aliases)})
    _by_name.update({folded(name): variant for name, variant in variants.items()})
    return declared


def problem(**declaration: Any) -> Callable[[Act], Problem]:
    """Declare a problem and register it; the function below says what acts, for given values and step."""
    return lambda act: register(Problem(act=act, **declaration))


def all_problems(space: str | None = "so3") -> list[Any]:
    """The problems of one body, "so3", or of two, "se3", or all: by groups."""
    order = {group: i for i, group in enumerate(GROUPS)}
    of_space = [p for p in _registry.values() if space in (p.space, None)]
    return sorted(of_space, key=lambda p: (list(SPACES).index(p.space), order.get(p.group, len(order)), p.place))


@overload
def posed(name: AnyPosed, /, **changes: Any) -> AnyPosed: ...
@overload
def posed(name: str, /, **changes: Any) -> Any: ...
def posed(name: Any, /, **changes: Any) -> Any:
    """The problem with this key or alias, with parameters written in the name or given as keywords."""
    if isinstance(name, Posed):
        return name.replace(**changes) if changes else name
    if isinstance(name, str) and not changes and folded(name) in _by_name:
        return _by_name[folded(name)]
    base, written, energy, compose = parsed(name)
    if folded(base) not in _by_name or energy or compose is not None:
        names = [n for p in _registry.values() for n in (p.key, *p.aliases)]
        raise unknown("problem", str(name), names, [p.key for p in _registry.values()])
    found = _by_name[folded(base)]
    given = found.typed(written) | changes
    return found.replace(**given) if given else found


def find_problem(name: str | Posed, /, *, space: str = "so3", **changes: Any) -> Any:
    """The problem with this key or alias, of one body, "so3", or of two, "se3"; one of the others is refused."""
    found = posed(name, **changes)
    if found.space != space:
        raise ValueError(
            f"{found.key} is a problem of {SPACES[found.space].moves}, and this is for {SPACES[space].moves}"
        )
    return found


def plain(value: Any) -> Any:
    """A value as JSON has it."""
    return value.tolist() if isinstance(value, np.ndarray) else value
