"""Parts of a kernel: what the loops in `advance.py`, `advance_batch.py` and `tangents.py` call and
read.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

from ..algorithms.core import (
    CORRECTIONS,
    FixedStep,
    Method,
    OwnSteps,
    PairState,
    RateSolver,
    RateState,
)
from ..algorithms.two_bodies import runge_kutta
from ..compiler import cache, native
from ..compiler.fingerprint import fingerprint
from ..problems.field import FREE, Attraction, Field, Rate
from . import given_rates, one_body, two_bodies
from .fast_path import iterates, without_rare
from .memory import OptionNumber
from .system import DOUBLE, SINGLE, Precision, System

SIMPLE_STAGES = ((0.0, 1.0),)
AnyField = Field | Attraction | Rate
"""What acts, or the rates that are given."""


@dataclass(frozen=True)
class Parts:
    """The parts of a kernel that advances one body, two, or an attitude.

    Attributes
    ----------
    step, start, reach, room, step_together, carries : as a `Method` declares them.
    view : extracts R, Ω and π from a state, or the states of two bodies and their gravity, or R and
        the length of what is carried.
    options : their meanings, or the places of their numbers.
    system : how the kernel reads and observes what it moves.
    correct : the energy correction after each step.
    stages : the place of each part of a step, and its size.
    held : whether the torque is that of the start of the step, in space, for all its stages.
    single : whether steps compute with numbers of 32 bits.
    tracked : whether the invariants are observed at every step.
    brief : whether it is compiled without optimisation, which takes longer than short runs.
    """

    marks: ClassVar[tuple[str, ...]] = (
        "carries",
        "tracked",
        "stages",
        "held",
        "single",
        "room",
        "brief",
    )
    """What distinguishes kernels of the same functions."""

    step: Callable[..., Any]
    start: Callable[..., Any]
    view: Callable[..., Any]
    carries: tuple[str, ...]
    options: tuple[Any, ...]
    field: AnyField
    system: System
    reach: Callable[..., Any] | None = None
    room: int = 0
    step_together: Callable[..., Any] | None = None
    correct: Callable[..., Any] | None = None
    stages: tuple[tuple[float, float], ...] = SIMPLE_STAGES
    held: bool = False
    single: bool = False
    tracked: bool = True
    brief: bool = False

    @cached_property
    def precision(self) -> Precision:
        """The numbers that steps compute with."""
        return SINGLE if self.single else DOUBLE

    @cached_property
    def composed(self) -> bool:
        """Whether a step has several stages."""
        return self.stages != SIMPLE_STAGES

    @classmethod
    def of(cls, parts: Parts, **changes: Any) -> Self:
        """Return the parts of another kernel with the same steps."""
        own = {field.name: getattr(parts, field.name) for field in dataclasses.fields(parts)}
        return cls(**(own | changes))

    def change_functions(self, change: Callable[[Any], Any]) -> Self:
        """Return the parts with what `change` makes of their functions, options and field."""
        names = ("step", "start", "correct", "options", "field")
        return dataclasses.replace(self, **{name: change(getattr(self, name)) for name in names})

    def for_batches(self, compiled: bool, varied: bool = False) -> BatchParts:
        """Return the parts of the kernel that makes the same steps with many bodies in lanes.

        Compiled kernels try a quick step first where a step has one stage. If bodies are `varied`,
        each has its own parameters and steps.
        """
        if self.step_together is not None:
            width = native.register_size() if compiled else 1
            return TogetherParts.of(self, step=self.step_together, width=width, varied=varied)
        at_one_go = self.correct is None and not self.composed
        quick = compiled and at_one_go and not iterates((self.step, *self.options))
        return BatchParts.of(self, quick=quick, varied=varied)

    def key(self, environment: str = "") -> str:
        """Return the kernel's key in the cache, for this processor or another `environment`."""
        field = self.field
        marks = [getattr(self, name) for name in self.marks]
        names = repr((type(self).__name__, field.name, field.own_axes, *marks))
        own = (self.step, self.start, self.view, self.reach, self.correct)
        roots = (*own, *field.functions, *self.options)
        return fingerprint(roots, names, environment or cache.environment())


@dataclass(frozen=True)
class WatchingParts(Parts):
    """The parts of the kernel that observes states instead of computing them."""


@dataclass(frozen=True)
class BatchParts(Parts):
    """The parts of the kernel that advances many bodies side by side.

    Attributes
    ----------
    quick : whether it tries a step without rare branches first (see `fast_path.py`).
    varied : whether each body has its own parameters and steps.
    """

    marks = (*Parts.marks, "quick", "varied")

    quick: bool = False
    varied: bool = False

    @cached_property
    def quick_step(self) -> Callable[..., Any]:
        """The step without its rare branches."""
        step: Callable[..., Any] = without_rare(self.step)
        return step

    @cached_property
    def quick_options(self) -> tuple[Any, ...]:
        """The options of the quick step."""
        options: tuple[Any, ...] = without_rare(self.options)
        return options


@dataclass(frozen=True)
class TogetherParts(BatchParts):
    """The parts of the kernel that advances many bodies side by side, of which each makes steps of
    its own size.

    Attributes
    ----------
    width : how many of them are computed with at once.
    """

    marks = (*BatchParts.marks, "width")

    width: int = 1


@dataclass(frozen=True)
class TangentParts(Parts):
    """The parts of the kernel that computes derivatives in some directions; perhaps by the inertia
    and the step too.
    """

    marks = (*Parts.marks, "directions", "parameters_too")

    directions: int = 1
    parameters_too: bool = False


def find_system(field: AnyField) -> System:
    """How kernels read and observe what moves in this field."""
    if isinstance(field, Attraction):
        return two_bodies.SYSTEM
    if isinstance(field, Rate):
        return given_rates.SPACE_SYSTEM if field.in_space else given_rates.SYSTEM
    return one_body.FREE_SYSTEM if field is FREE else one_body.SYSTEM


def make_parts(method: Method, field: AnyField, tracked: bool = True, brief: bool = False) -> Parts:
    """The parts of a method's kernel in a field; untracked and brief kernels observe no invariants.

    That of a solver makes one step, in which its rates take the place of the new state; without
    rates it observes states.
    """
    reach = together = None
    room = 0
    match method:
        case FixedStep():
            step = method.step
        case OwnSteps():
            step, reach, room = method.step, method.reach, method.room
            together = method.step_together
        case RateSolver():
            step, tracked = method.rates, False
        case _:
            return make_watcher(field)
    carries, state = method.carries, method.state
    if isinstance(state, PairState):
        start, view = state.start, state.view
    elif isinstance(state, RateState):
        start = state.start or given_rates.STARTS[carries[0]]
        view = given_rates.VIEWS[carries[0]]
    else:
        start = state.start or one_body.STARTS[carries[1]]
        view = one_body.VIEWS[carries[0], carries[1]]
    return Parts(
        step,
        start,
        view,
        carries,
        _place_options(method),
        field,
        find_system(field),
        reach=reach,
        room=room,
        step_together=together,
        correct=CORRECTIONS[carries[1]] if method.energy_correction else None,
        stages=method.stages,
        held=method.substeps > 1,
        single=method.single,
        tracked=tracked and not brief,
        brief=brief,
    )


def make_watcher(field: AnyField) -> WatchingParts:
    """The parts of the kernel that observes the states of a method without steps."""
    start: Callable[..., Any] = one_body.start_velocity
    view: Callable[..., Any] = one_body.view_velocity
    carries: tuple[str, ...] = ("R", "Ω")
    if isinstance(field, Attraction):
        start, view, carries = runge_kutta.start, runge_kutta.view, ("y", "g")
    elif isinstance(field, Rate):
        start, view, carries = given_rates.start_matrix, given_rates.view_matrix, ("R",)
    return WatchingParts(_keep_state, start, view, carries, (), field, find_system(field))


def _keep_state(body: Any, t: float, h: float, *state: Any) -> tuple[Any, ...]:
    """In place of a step."""
    return state


def _place_options(method: Method) -> tuple[Any, ...]:
    """A kernel's options of a method: the meaning of a choice, or the place from which the kernel
    reads a number.
    """
    options = method.step_arguments
    places = (OptionNumber(i) for i in range(len(options)))
    return tuple(
        option.meaning(value) if option.choices else next(places) for option, value in options
    )
