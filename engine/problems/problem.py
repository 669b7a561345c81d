"""What a problem is: a body, how it starts, and what acts on it."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Self, TypeVar, overload

import numpy as np

from ..body import check_inertia, principal_axes
from ..checks import Array, attitude, number, three_numbers
from ..field import FREE, Field
from ..names import folded, meant, parsed, under_known_names, unknown
from ..spaces import SPACES
from ..wording import quoted, short

FASTEST = 1e9
"""The largest component of an initial angular velocity, in rad per unit of time."""
LONGEST = 1e15
"""The largest duration."""


@dataclass(frozen=True)
class Parameter:
    """Something of a problem that `replace` can change.

    `only` names one of the problem's choices, and which of them have this matter at all; nothing if it always does.
    """

    name: str
    doc: str
    unit: str
    default: Any
    low: float = -1e9
    high: float = 1e9
    choices: tuple[str, ...] = ()
    only: tuple[str, ...] = ()

    def matters(self, values: Mapping[str, Any]) -> bool:
        """Whether it has an effect where the problem's own parameters have these values."""
        return not self.only or values[self.only[0]] in self.only[1:]

    def checked(self, value: Any) -> Any:
        """The value that was meant, or a `ValueError` in one sentence."""
        if self.choices:
            meant = {folded(choice): choice for choice in self.choices}.get(folded(str(value)))
            if meant is None:
                raise ValueError(f"{self.name} is one of {', '.join(self.choices)}; got {quoted(value)}")
            return meant
        if isinstance(self.default, tuple):
            vector = three_numbers(value, self.name)
            largest = np.abs(vector).max()
            if largest > self.high:
                raise ValueError(
                    f"{self.name} must have no component beyond {short(self.high)}; got {short(largest)}"
                )
            return tuple(float(x) for x in vector)
        return number(value, self.name, self.low, self.high)


COMMON = {
    "J": "inertia: three principal values or a symmetric 3×3 matrix (mass·length²)",
    "R0": "initial attitude: 3×3, rotation vector (rad) or quaternion (w, x, y, z)",
    "Omega0": "initial angular velocity in the body's frame (rad/time)",
    "Pi0": "initial angular momentum in the body's frame, in place of Omega0",
    "dt": "the step that is proposed (time)",
    "duration": "the duration that is proposed (time)",
}
"""What every problem can be given."""


@dataclass(frozen=True)
class Action:
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
    key: str
    name: str
    group: str
    summary: str
    equations: str
    reference: str
    invariants: tuple[str, ...]
    aliases: tuple[str, ...]
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
        chosen = [f"{p.name}={self.values[p.name]}" for p in choices]
        return f"{self.key}({', '.join(chosen)})" if chosen else self.key

    @property
    def parameters(self) -> dict[str, Parameter]:
        """What `replace` takes, with the value it has now as default."""
        raise NotImplementedError

    def replace(self, /, **changes: Any) -> Self:
        """A changed copy; what the problem does not have, or no body can be, is refused with the reason."""
        raise NotImplementedError

    @staticmethod
    def _under_known_names(changes: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
        """The changes under the names of the parameters that were meant, whatever their case."""
        return under_known_names(changes, known)

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """What acts, in plain Python: the torque and its potential, or the gravity."""
        raise NotImplementedError

    @property
    def force_effort(self) -> float:
        """About how long a step's torque or gravity takes, in steps of one body, but at least one."""
        return 1.0

    def told(self) -> dict[str, Any]:
        """All that tells the problem, as JSON takes it; functions of the caller's own are only named."""
        raise NotImplementedError

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

    def __init__(self, what: str) -> None:
        self.what = what

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
    torque : f(t, R), the torque in space for the 3×3 array R: a plain function or one compiled by `engine.torque`.
    potential : V(t, R) or V(R), its potential energy, if it has one; without, the energy is the kinetic one, and the
        torque changes it.
    dt, duration : what a run takes if it is not told otherwise.
    of_a_body : False for a source whose moments no body can have.
    keeps : what the motion keeps, of values and J, where that depends on them; else `invariants` are declared.
    """

    space: ClassVar[str] = "so3"
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
    specific: tuple[Parameter, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    of_a_body: bool = True
    act: Act = _nothing_acts
    keeps: Callable[[Mapping[str, Any], Array], tuple[str, ...]] | None = None
    settle: Callable[[dict[str, Any], Mapping[str, Any]], dict[str, Any]] | None = None

    def __post_init__(self) -> None:
        def put(name: str, value: Any) -> None:
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
            object.__setattr__(self, name, value)

        put("J", check_inertia(self.J, self.of_a_body))
        put("R0", attitude(self.R0))
        if self.Pi0 is not None and self.Omega0 is not None:
            raise ValueError("give Omega0 or Pi0, not both")
        if self.Pi0 is not None:
            Omega0 = np.linalg.solve(self.J, three_numbers(self.Pi0, "Pi0"))
        else:
            Omega0 = three_numbers((0.0, 0.0, 1.0) if self.Omega0 is None else self.Omega0, "Omega0")
        if np.abs(Omega0).max() > FASTEST:
            raise ValueError(
                f"Omega0 must have no component beyond {short(FASTEST)} rad per unit of time; got {Omega0}"
            )
        put("Omega0", Omega0)
        put("Pi0", self.J @ Omega0)
        put("dt", number(self.dt, "dt", 1e-15, LONGEST))
        put("duration", number(self.duration, "duration", 0.0, LONGEST))
        for function, what in ((self.torque, "torque"), (self.potential, "potential")):
            if function is not None and not callable(function):
                raise ValueError(f"the {what} is a function of (t, R); got {function!r}")
        if self.potential is not None and self.torque is None:
            raise ValueError("a potential without its torque does not move the body; give the torque too")
        values = {p.name: p.checked(self.values.get(p.name, p.default)) for p in self.specific}
        put("values", MappingProxyType(values))
        if self.keeps is not None:
            put("invariants", self.keeps(values, self.J))
        if not self.invariants:
            if self.torque is not None:
                put("invariants", ("energy",) if self.potential is not None and not self._potential_changes() else ())
            elif self.act is _nothing_acts:
                put("invariants", ("energy", "pi", "pi_norm", "casimir"))

    def _potential_changes(self) -> bool:
        """Whether a V(t, R) changes with time while the body stays where it is, so that no energy is kept."""
        assert self.potential is not None
        if not takes_time(self.potential):
            return False
        try:
            at = [
                float(self.potential(t, np.array(self.R0)))
                for t in (0.0, self.dt, 0.37 * self.duration, self.duration)
            ]
        except Exception:
            return False  # the run will meet it too, and tell at which step
        return max(at) > min(at)

    @functools.cached_property
    def principal(self) -> tuple[Array, Array]:
        """Principal moments, and the principal axes as the columns of a rotation; the identity for a diagonal J."""
        return principal_axes(self.J, of_a_body=False)

    @functools.cached_property
    def in_principal_axes(self) -> bool:
        """Whether the body's axes are its principal axes, in order."""
        return bool(np.array_equal(self.principal[1], np.eye(3)))

    @property
    def parameters(self) -> dict[str, Parameter]:
        """What `replace` takes, with the value it has now as default."""
        common = {
            "J": Parameter("J", COMMON["J"], "mass·length²", self.J.tolist(), low=0.0),
            "R0": Parameter("R0", COMMON["R0"], "", self.R0.tolist(), -1.0, 1.0),
            "Omega0": Parameter("Omega0", COMMON["Omega0"], "rad/time", tuple(self.Omega0), -FASTEST, FASTEST),
            "Pi0": Parameter("Pi0", COMMON["Pi0"], "mass·length²/time", tuple(self.Pi0)),
            "dt": Parameter("dt", COMMON["dt"], "time", self.dt, 1e-15, LONGEST),
            "duration": Parameter("duration", COMMON["duration"], "time", self.duration, 0.0, LONGEST),
        }
        return common | {p.name: dataclasses.replace(p, default=self.values[p.name]) for p in self.specific}

    def replace(self, /, **changes: Any) -> Problem:
        """A changed copy; what the problem does not have, or no body can be, is refused with the reason."""
        own = {p.name: p for p in self.specific}
        fields = {"torque", "potential", "name"} if self.act is _nothing_acts else set()
        changes = self._under_known_names(changes, [*own, *COMMON, *fields])
        for name in changes:
            if name not in own and name not in COMMON and name not in fields:
                raise ValueError(f"{self.key} has no parameter {quoted(name)}; it has {', '.join([*COMMON, *own])}")
        given = {name: own[name].checked(value) for name, value in changes.items() if name in own}
        values = dict(self.values) | given
        if self.settle is not None and given:
            values = self.settle(values, given)
        rest = {name: value for name, value in changes.items() if name not in own}
        if rest.get("Pi0") is not None:
            rest.setdefault("Omega0", None)
        invariants = () if "torque" in rest or "potential" in rest else self.invariants
        rest.setdefault("Pi0", None)
        of_a_body = self.of_a_body or "J" in rest
        return dataclasses.replace(self, **rest, values=values, invariants=invariants, of_a_body=of_a_body)

    def told(self) -> dict[str, Any]:
        """All that tells the problem, as JSON takes it; functions of the caller's own are only named."""
        names, arrays = ("key", "name", "dt", "duration"), ("J", "R0", "Omega0")
        told: dict[str, Any] = {name: getattr(self, name) for name in names}
        told |= {name: getattr(self, name).tolist() for name in arrays}
        own = [what for what in ("torque", "potential") if getattr(self, what) is not None]
        return told | {"values": dict(self.values), "own": own}

    def restored(self, told: Mapping[str, Any]) -> Problem:
        """The problem of this key that was told of."""
        own: dict[str, Any] = {what: MissingFunction(what) for what in told["own"]}
        given = {name: told[name] for name in ("R0", "Omega0", "dt", "duration")}
        if own or (self.key == "custom" and not told["values"]):
            return Problem(J=told["J"], name=told["name"], key=self.key, **given, **own)
        changed = {} if np.array_equal(told["J"], self.J) else {"J": told["J"]}
        # What a problem settles from other values (a top's Mgl) is told as well, so it is set as it is.
        values = {p.name: p.checked(told["values"][p.name]) for p in self.specific}
        return dataclasses.replace(self.replace(**given, **changed), values=values, Pi0=None)

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """The torque and, if there is one, its potential."""
        field = self.action(self.dt).field
        return tuple(function for function in (field.torque, field.potential) if function is not None)

    def action(self, dt: float) -> Action:
        """What acts in a run with the step dt (the book toss is kicked for one step)."""
        return self.act(self.values, dt)


CATALOGUE = (
    "free", "book-toss", "lagrange-top", "fast-top", "slow-top", "soft-wall", "asymmetric-top", "prism", "magnet",
    "custom", "dumbbells", "two-bodies",
)  # fmt: skip
"""The order in which problems are listed."""

_registry: dict[str, Posed] = {}
_by_name: dict[str, Posed] = {}

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


def registered(space: str | None = "so3") -> list[Any]:
    """The problems of one body, "so3", or of two, "se3", or all of them, in the catalogue's order."""
    of_space = [p for p in _registry.values() if space in (p.space, None)]
    return sorted(of_space, key=lambda p: CATALOGUE.index(p.key) if p.key in CATALOGUE else len(CATALOGUE))


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
    own = {p.name: p for p in found.specific}
    given: dict[str, Any] = {}
    for name_written, text in written.items():
        key = meant(name_written, own)
        given[key] = text if key not in own or own[key].choices else _number(key, text)
    given |= changes
    return found.replace(**given) if given else found


def find(name: str | Posed, /, *, space: str = "so3", **changes: Any) -> Any:
    """The problem with this key or alias, of one body, "so3", or of two, "se3"; one of the others is refused."""
    found = posed(name, **changes)
    if found.space != space:
        raise ValueError(
            f"{found.key} is a problem of {SPACES[found.space].moves}, and this is for {SPACES[space].moves}"
        )
    return found


def _number(key: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{key} is a number; got {quoted(text)}") from None


def takes_time(potential: Callable[..., Any]) -> bool:
    """Whether a potential is V(t, R) rather than V(R)."""
    try:
        return len(inspect.signature(getattr(potential, "py_func", potential)).parameters) >= 2
    except (TypeError, ValueError):
        return True
