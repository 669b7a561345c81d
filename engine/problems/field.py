"""Fields: a torque on a body with its potential and the derivatives that are known; the attraction
of two bodies; the given rates of an attitude.

A field's functions take the time, the attitude and the field's own numbers `p`, and return values
in the body's frame. They are plain Python that the compiler writes into each method's kernel, so a
torque costs no call.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from ..algebra import Diag3, Gravity, Mat3, Vec3, Zero3
from ..compiler.lanes import Lanes

Numbers = tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Integral:
    """A quantity that the motion in a field conserves besides energy and momentum; runs watch it at
    every step.

    Parameters
    ----------
    key : its name in runs, tables, files and sweeps.
    name, symbol, unit : for people; the name as it stands in a sentence.
    formula : its definition, in a line.
    of : (J, R, Ω, p) → its value, where J are the principal moments and all is in their axes.
    holds : (problem, field's numbers in the problem's own axes) → whether the motion conserves it.
    """

    key: str
    name: str
    symbol: str
    unit: str
    formula: str
    of: Callable[[Diag3, Mat3, Vec3, Numbers], float]
    holds: Callable[[Any, Numbers], bool]

    def __repr__(self) -> str:
        return f"<integral {self.key}: {self.formula}>"

    @property
    def words(self) -> str:
        """Name, formula and unit."""
        return f"{self.name}, {self.formula}; {self.unit}"

    @property
    def title(self) -> str:
        """The name at the beginning of a line."""
        return self.name[:1].upper() + self.name[1:]

    @property
    def changes(self) -> tuple[str, str]:
        """The symbols of its change, absolute and relative to the start."""
        return f"Δ{self.symbol}", f"Δ{self.symbol} / {self.symbol}₀"


def integral(
    *, name: str, symbol: str, unit: str, holds: Callable[[Any, Numbers], bool]
) -> Callable[[Callable[..., float]], Integral]:
    """Declare the function below as an integral; its name is the key, and its docstring the
    formula.
    """
    return lambda of: Integral(of.__name__, name, symbol, unit, of.__doc__ or "", of, holds)


@dataclass(frozen=True, eq=False)
class Field:
    """A torque with its potential and derivatives.

    Parameters
    ----------
    name : of the kind; each method has one kernel for each kind.
    torque : T(t, R, p), the torque in the body's frame.
    potential : V(t, R, p), or None where the torque has none (the energy is then the kinetic one).
    tangent : D M for a matrix M of turns, where T(R exp(δ)) = T(R) + D δ, as a function of (t, R,
        M, p), for implicit methods; differences serve where it is None.
    rate, rate2 : Rᵀ L̈ and Rᵀ L⃛, the derivatives of the spatial torque along the motion seen from
        the body, as functions of (t, R, Ω, p) and (t, R, Ω, A, p), where A = dΩ/dt; for Taylor
        methods. Dual numbers serve where they are None, in compiled kernels that do not call the
        torque by its pointer.
    body_vectors : positions in `p` at which a body-fixed vector starts, to be turned with the
        principal axes.
    own_axes : True if the torque depends on more of R than its action on such vectors and the third
        space axis.
    of_velocity : True if it depends on the angular velocity too: `torque` is then T(t, R, Ω, p).
    by_pointer : True if it calls a C function, whose address is in the ledger: p is then the ledger.
    turned : the field for a body whose axes are not its principal ones, if this one relies on that.
    integrals : further quantities that the motion of some bodies and starts conserves.
    """

    name: str
    torque: Callable[..., Vec3 | Zero3]
    potential: Callable[[float, Mat3, Numbers], float] | None = None
    tangent: Callable[[float, Mat3, Mat3, Numbers], Mat3 | Zero3] | None = None
    rate: Callable[[float, Mat3, Vec3, Numbers], Vec3 | Zero3] | None = None
    rate2: Callable[[float, Mat3, Vec3, Vec3, Numbers], Vec3 | Zero3] | None = None
    body_vectors: tuple[int, ...] = ()
    own_axes: bool = False
    of_velocity: bool = False
    by_pointer: bool = False
    turned: Field | None = None
    integrals: tuple[Integral, ...] = ()

    def __repr__(self) -> str:
        return f"<field {self.name}>"

    @property
    def functions(self) -> tuple[Callable[..., Any] | None, ...]:
        """The functions that a kernel can call."""
        further = (integral.of for integral in self.integrals)
        return self.torque, self.potential, self.tangent, self.rate, self.rate2, *further


def nothing(*_: Any) -> Zero3:
    """A torque or a rate that vanishes, as a type."""
    return Zero3()


def _no_potential(t: float, R: Mat3, p: Numbers) -> float:
    return 0.0


FREE = Field("free", nothing, _no_potential, tangent=nothing, rate=nothing, rate2=nothing)
"""No torque, as a type (`Zero3`)."""


class MassPairs(NamedTuple):
    """The attraction between four pairs of a mass of body 1 and one of body 2, of which a series is
    computed order by order, with the pairs in lanes.

    Parameters
    ----------
    separate : (x, axis1, axis2, p) → from each mass of body 2 to that of body 1, first x and then y of
        the four pairs, and twice z, where x is the place of body 1 from body 2 and the axes are the
        first of each body, all in space; it is linear.
    sum_pulls : (xy, zz, p) → the force on body 1, and the parts of it that turn each body at its first
        axis, where the arguments are these distances over their third power; it is linear, too.
    """

    separate: Callable[[Vec3, Vec3, Vec3, Any], tuple[Lanes, Lanes]]
    sum_pulls: Callable[[Lanes, Lanes, Any], tuple[Vec3, Vec3, Vec3]]


@dataclass(frozen=True, eq=False)
class Attraction:
    """The attraction of two bodies.

    Parameters
    ----------
    name : of the kind; each method has one kernel for each kind.
    gravity : (X, R, p) → `Gravity` in the frame of body 2, where X and R are the place and the
        attitude of body 1 seen from body 2, and p are the attraction's own numbers.
    pairs : the same for series; None where the gravity has none.
    """

    own_axes: ClassVar[bool] = False
    """An attraction is in the principal axes."""
    by_pointer: ClassVar[bool] = False
    """Kernels contain its function."""
    name: str
    gravity: Callable[[Vec3, Mat3, Any], Gravity]
    pairs: MassPairs | None = None

    def __repr__(self) -> str:
        return f"<attraction {self.name}>"

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """The functions that a kernel can call."""
        return (self.gravity, *(self.pairs or ()))


@dataclass(frozen=True, eq=False)
class Rate:
    """The given angular velocity of an attitude.

    Parameters
    ----------
    name : of the kind; each method has one kernel for each kind.
    velocity : (t, p) → ω, the angular velocity in the body's frame, where p are the rate's own
        numbers.
    turn : (t, h, p) → ∫ω dt from t to t + h; None for a sum of velocities within the kernel.
    in_space : True if the angular velocity is in space: then dR/dt = ω̂R.
    by_pointer : True if it calls a C function, whose address is in the ledger: p is then the ledger.
    length : (t, h, p) → the length of a step that a kernel counts as h, where rows of samples have
        times of their own; None for h.
    """

    own_axes: ClassVar[bool] = False
    """Rates have no principal axes."""
    name: str
    velocity: Callable[[float, Any], Vec3]
    turn: Callable[[float, float, Any], Vec3] | None = None
    in_space: bool = False
    by_pointer: bool = False
    length: Callable[[float, float, Any], float] | None = None

    def __repr__(self) -> str:
        return f"<rate {self.name}>"

    @property
    def functions(self) -> tuple[Callable[..., Any] | None, ...]:
        """The functions that a kernel can call."""
        return self.velocity, self.turn, self.length


# The arguments of a caller's own functions.


def takes_time(potential: Callable[..., Any]) -> bool:
    """Whether a potential is V(t, R) rather than V(R)."""
    try:
        return len(inspect.signature(getattr(potential, "py_func", potential)).parameters) >= 2
    except (TypeError, ValueError):
        return True


def takes_velocity(torque: Callable[..., Any]) -> bool:
    """Whether a torque is f(t, R, Omega) rather than f(t, R): its third argument has no default."""
    if hasattr(torque, "of_velocity"):
        return bool(torque.of_velocity)
    try:
        parameters = inspect.signature(getattr(torque, "py_func", torque)).parameters.values()
    except (TypeError, ValueError):
        return False
    by_place = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.kind in by_place and p.default is p.empty for p in parameters) >= 3
