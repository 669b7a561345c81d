"""Problems of an attitude whose angular velocity is given, as a gyroscope measures it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

from ...parameters.formula import Formula
from ...parameters.parameter import Attitude, OneOf, Parameter
from ...parameters.validation import Array
from ...text.formatting import finish_sentence
from ..field import Rate
from ..problem import BY_KEYWORD, TIMES, AnyProblem, MissingFunction, register, store_in_problem
from . import sensor
from .samples import Samples, make_samples
from .sensor import Sensor
from .tables import find_kind, find_mean_interval, list_numbers

FRAMES = {"body": "in the body", "space": "in space"}
"""The choices of a frame for the angular velocity."""


BOX = (0.5, 1.0, 0.1)
"""The sides of the box that stands for the body in pictures; its inertia plays no part."""


class Given(NamedTuple):
    """The rates of one problem: their kind, and its numbers."""

    rate: Rate
    numbers: Any = ()


class Solution(NamedTuple):
    """The closed form of attitudes.

    Attributes
    ----------
    find : t (n,) → (n, 3, 3) the attitudes of any one motion at these times.
    phase : its fastest angle in a unit of time, in radians, which roundoff in the time turns by.
    """

    find: Callable[[Array], Array]
    phase: float


class Gives(Protocol):
    """The declaration of rates, from the values of a problem's parameters; if it compiles, browsers
    change these values.
    """

    def __call__(self, values: Mapping[str, Any], /) -> Given:
        """The rates for these values."""


def _gives_nothing(values: Mapping[str, Any], /) -> Given:
    raise ValueError("an attitude with given rates needs a rate, as in engine.Problem(rate=f)")


@dataclass(frozen=True, eq=False, repr=False)
class GivenRates(AnyProblem):
    """An attitude whose angular velocity is given: dR/dt = R ω̂(t), or ω̂(t) R in space.

    Parameters
    ----------
    R0 : initial attitude, body to space: 3×3, a rotation vector in radians, or a quaternion (w, x,
        y, z).
    rate : f(t), the angular velocity: a plain function, one compiled by `engine.rate`, or the text
        of a formula in t; or the samples of a gyroscope.
    dt, duration : what a run takes by default; of samples the interval of their rows, and all rows.
    frame : the frame of the angular velocity, "body" or "space".
    act : of a registered problem, the rates for the values of its parameters.
    solve : the closed form of its attitudes for these values, with rates in the body's frame, if
        there is one.
    typed_rate : the rate that values write as a formula, if they do.
    settle : (changed values, those among them that were given) → the values, and perhaps R0.
    """

    space: ClassVar[str] = "rates"
    common: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "R0",
            Attitude(),
            "initial attitude: 3×3, rotation vector (rad) or quaternion (w, x, y, z)",
            label="Attitude R₀, a rotation vector, rad",
        ),
        Parameter(
            "frame",
            OneOf(FRAMES, FRAMES),
            "the frame of the angular velocity: body, as a gyroscope measures it, or space",
            "body",
            label="Angular velocity",
        ),
        *(dataclasses.replace(one, unit="s") for one in TIMES),
    )
    R0: Any = (0.0, 0.0, 0.0)
    rate: Callable[..., Any] | str | Samples | None = None
    frame: str = "body"
    _: KW_ONLY
    dt: Any = None
    duration: Any = None
    key: str = "given-rates"
    name: str = "Your own rates"
    equations: str = r"\dot R = R\,\hat\omega(t)"
    act: Gives = _gives_nothing
    solve: Callable[[Mapping[str, Any]], Solution] | None = None
    typed_rate: Callable[[Mapping[str, Any]], Formula] | None = None
    settle: Callable[[Mapping[str, Any], Mapping[str, Any]], Mapping[str, Any]] | None = None

    def __post_init__(self) -> None:
        samples = self.samples
        times = {"dt": 0.01, "duration": 10.0}
        if samples is not None:
            interval = find_mean_interval(samples)
            times = {"dt": interval, "duration": interval * (len(samples) - 1)}
        for name, value in times.items():
            if getattr(self, name) is None:
                self._set(name, value)
        own = tuple(one for one in self.specific if one not in sensor.PARAMETERS)
        self._set("specific", own if samples is not None else (*own, *sensor.PARAMETERS))
        self._check(*self.common)
        if self.typed_rate is not None:
            self._set("rate", self.typed_rate(self.values))
        if isinstance(self.rate, str):
            self._set("rate", Formula(self.rate, "rate"))
        if self.rate is None and self.act is _gives_nothing:
            self.act(self.values)
        if self.rate is not None and samples is None and not callable(self.rate):
            raise ValueError(
                f"the rate is a function of t, a formula, or samples; got {self.rate!r}"
            )

    @property
    def in_space(self) -> bool:
        """Whether the angular velocity is in space."""
        return self.frame == "space"

    @property
    def rates(self) -> Given:
        """The rates of a registered problem or of samples, in the problem's frame."""
        return find_rates(self)

    @property
    def solution(self) -> Solution | None:
        """The closed form of the attitudes, if there is one."""
        known = self.solve is not None and not self.in_space
        return self.solve(self.values) if known and self.solve else None

    @property
    def samples(self) -> Samples | None:
        """The samples that give the rates, if they do."""
        return self.rate if isinstance(self.rate, Samples) else None

    @property
    def sensor(self) -> Sensor | None:
        """The sensor between the rates and a method, if there is one."""
        return Sensor.of(self.values)

    @property
    def interval(self) -> float | None:
        """The interval of samples, of a recording or a sensor; None for rates at any time."""
        if self.samples is not None:
            return find_mean_interval(self.samples)
        return None if self.sensor is None else self.sensor.interval

    @property
    def without_sensor(self) -> GivenRates:
        """The problem without its sensor."""
        return self if self.sensor is None else self.replace(sensor=sensor.WITHOUT)

    @property
    def has_exact(self) -> bool:
        """Whether the exact motion is known: not that of a recording."""
        return self.samples is None

    @property
    def remarks(self) -> Mapping[str, str]:
        """What is irregular in the samples."""
        found = () if self.samples is None else self.samples.remarks
        return {f"samples {k}": finish_sentence(remark) for k, remark in enumerate(found)}

    @property
    def custom(self) -> str:
        """The kind of the caller's own function."""
        return "rate" if callable(self.rate) else ""

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """The rate."""
        if not self.custom:
            return (self.rates.rate.velocity,)
        rate: Any = self.rate
        return (getattr(rate, "py_func", rate),)

    @property
    def extra_names(self) -> tuple[str, ...]:
        """What `replace` takes besides parameters."""
        return ("rate", "name") if self.act is _gives_nothing else ()

    def replace(self, /, **changes: Any) -> GivenRates:
        """A changed copy; `ValueError` with the reason for what does not exist. A step that does not
        fit the samples of a sensor becomes the nearest that does.
        """
        given, rest = self._split_changes(changes)
        values = dict(self.values) | given
        settled = self.settle(values, given) if self.settle is not None and given else {}
        found = dataclasses.replace(self, **(dict(settled) | rest), values=values)
        if found.sensor is None or "dt" in changes:
            return found
        rows = max(1, round(found.dt / found.sensor.interval))
        return dataclasses.replace(found, dt=rows * found.sensor.interval)

    def at_step(self, dt: float) -> GivenRates:
        """The problem with a sensor that gives as many samples in this step as in the problem's."""
        if self.sensor is None:
            return self
        rows = max(1, round(self.dt / self.sensor.interval))
        return self.replace(dt=dt, sample_rate=rows / dt)

    def to_json(self) -> dict[str, Any]:
        """The problem as JSON; a caller's own function by name only."""
        own = ["rate"] if self.rate is not None and self.typed_rate is None else []
        if self.samples is not None:
            own = [write_samples(self.samples)]
        return {"space": self.space} | super().to_json() | {"own": own}

    def from_json(self, data: Mapping[str, Any]) -> GivenRates:
        """The problem of this key that `to_json` has written."""
        given = {p.name: data[p.name] for p in self.common}
        if data["own"]:
            (own,) = data["own"]
            rate: Any = MissingFunction("rate") if own == "rate" else read_samples(own)
            named = {"name": data["name"], "key": self.key, "values": data["values"]}
            return GivenRates(rate=rate, **named, **given)
        return dataclasses.replace(self, **given, values=data["values"])


BY_KEYWORD["rate"] = GivenRates


@store_in_problem
def find_rates(problem: GivenRates) -> Given:
    """The rates of a registered problem or of samples, in the problem's frame."""
    samples = problem.samples
    found = problem.act(problem.values) if samples is None else read_table(samples)
    if not problem.in_space:
        return found
    return found._replace(rate=turn_to_space(found.rate))


def read_table(samples: Samples) -> Given:
    """The rates of samples."""
    return Given(find_kind(samples), list_numbers(samples))


MOST_SAVED = 100_000
"""The most rows of samples that the description of a run contains."""


def write_samples(samples: Samples) -> Any:
    """Samples as JSON; "rate", as of a custom function, if they are too many."""
    if len(samples) > MOST_SAVED:
        return "rate"
    return {
        "t": samples.t.tolist(),
        "values": samples.values.tolist(),
        "integrated": samples.integrated,
    }


def read_samples(data: Mapping[str, Any]) -> Samples:
    """The samples that `write_samples` has written."""
    return make_samples(data["t"], data["values"], bool(data["integrated"]))


_in_space: dict[Rate, Rate] = {}


def turn_to_space(rate: Rate) -> Rate:
    """The same kind of rate, in space; always the same object, which identifies its kernels."""
    if rate not in _in_space:
        _in_space[rate] = dataclasses.replace(rate, name=f"{rate.name}, in space", in_space=True)
    return _in_space[rate]


def given_rates(**declaration: Any) -> Callable[[Gives], GivenRates]:
    """Declare a problem of given rates and register it; the function below it returns the rates for
    given values.
    """
    return lambda act: register(GivenRates(act=act, **declaration))
