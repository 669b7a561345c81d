"""Parts of a kernel: the template, and the bindings of its open names."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..algorithms.core import CORRECTIONS, Method
from ..compiler import cache
from ..compiler.fingerprint import fingerprint
from ..compiler.primitives import double, single
from ..problems.field import FREE, Attraction, Field
from . import advance, advance_batch, one_body, tangents, two_bodies
from .fast_path import iterates, without_rare
from .layout import ONE_BODY, TWO_BODIES
from .memory import OptionNumber

_VIEWS: dict[tuple[str, str], Callable[..., Any]] = {
    ("R", "Ω"): one_body.view_velocity,
    ("R", "Π"): one_body.view_body_momentum,
    ("R", "π"): one_body.view_spatial_momentum,
    ("q", "Ω"): one_body.view_quaternion,
}

_OF_EACH: dict[type, dict[str, Any]] = {
    Field: {
        "system": one_body.BodyInField,
        "given": one_body.read_body,
        "attitudes": one_body.attitude,
        "observe": one_body.observe_forced,
        "put_row": one_body.put_body_row,
        "GIVEN": ONE_BODY.size,
        "INCREMENTS": ONE_BODY.attitudes,
    },
    Attraction: {
        "system": two_bodies.Bodies,
        "given": two_bodies.read_pair,
        "attitudes": two_bodies.both_attitudes,
        "observe": two_bodies.observe_pair,
        "put_row": two_bodies.put_pair_row,
        "GIVEN": TWO_BODIES.size,
        "INCREMENTS": TWO_BODIES.attitudes,
    },
}
"""Readers and observers for one body in a field, and for two bodies that attract each other."""

SIMPLE_STAGES = ((0.0, 1.0),)
MARKS = (
    "carries", "tracked", "stages", "held", "single", "quick", "varied", "directions", "parameters_too",
)  # fmt: skip
"""What distinguishes kernels of the same functions."""


@dataclass(frozen=True)
class Parts:
    """The parts of one kernel; `view` extracts the states of two bodies, those of one body follow
    from its names.

    If the torque is `held`, it is that of the start of the step, in space, for all its stages.
    """

    step: Callable[..., Any]
    start: Callable[..., Any]
    carries: tuple[str, ...]
    options: tuple[Any, ...]
    field: Field | Attraction
    view: Callable[..., Any] | None = None
    reach: Callable[..., Any] | None = None
    template: Callable[..., Any] = advance.advance
    tracked: bool = True
    correct: Callable[..., Any] | None = None
    stages: tuple[tuple[float, float], ...] = SIMPLE_STAGES
    held: bool = False
    single: bool = False
    quick: bool = False
    varied: bool = False
    directions: int = 0
    parameters_too: bool = False

    @property
    def side_by_side(self) -> bool:
        """Whether the kernel moves many bodies at once."""
        return self.template is advance_batch.advance_batch

    def for_batches(self, compiled: bool, varied: bool = False) -> Parts:
        """Return the parts of the kernel that makes the same steps with many bodies in lanes.

        Compiled kernels try a quick step first where a step has one stage. If bodies are `varied`,
        each has its own parameters and steps.
        """
        at_one_go = self.correct is None and self.stages == SIMPLE_STAGES
        quick = compiled and at_one_go and not iterates((self.step, *self.options))
        return dataclasses.replace(
            self, template=advance_batch.advance_batch, quick=quick, varied=varied
        )

    def with_derivatives(self, directions: int, parameters_too: bool) -> Parts:
        """Return the parts of the kernel that also computes derivatives; perhaps by the inertia and
        the step too.
        """
        changed = {
            name: tangents.with_derivatives(getattr(self, name)) for name in tangents.CHANGED
        }
        return dataclasses.replace(
            self,
            template=tangents.advance_tangents,
            directions=directions,
            parameters_too=parameters_too,
            **changed,
        )

    def blanks(self) -> dict[str, Any]:
        """Return the bindings of the template's open names."""
        return {
            **_OF_EACH[type(self.field)],
            **({"observe": one_body.observe_free} if self.field is FREE else {}),
            "view": self.view or _VIEWS[self.carries[:2]],  # type: ignore[index]
            "step": self.step,
            "start": self.start,
            "correct": self.correct,
            "OPTIONS": self.options,
            "OWN_STEPS": self.reach is not None,
            "reach": self.reach,
            "COMPOSED": self.stages != SIMPLE_STAGES,
            "STAGES": self.stages,
            "FIELD": self.field,
            "TRACKED": self.tracked,
            "CORRECTED": self.correct is not None,
            "HELD": self.held,
            "rounded": single if self.single else advance.as_it_is,
            "unrounded": double if self.single else advance.as_it_is,
            "QUICK": self.quick,
            "VARIED": self.varied,
            "DIRECTIONS": self.directions,
            "PARAMETERS_TOO": self.parameters_too,
            "quick": without_rare(self.step) if self.quick else self.step,
            "QUICK_OPTIONS": without_rare(self.options) if self.quick else self.options,
        }

    def key(self, environment: str = "") -> str:
        """Return the kernel's key in the cache, for this processor or another `environment`."""
        field = self.field
        marks = [getattr(self, name) for name in MARKS]
        names = repr((self.template.__name__, field.name, field.own_axes, *marks))
        roots = (
            self.step,
            self.start,
            self.correct,
            self.view,
            self.reach,
            *field.functions,
            *self.options,
        )
        return fingerprint(roots, names, environment or cache.environment())


def make_method_parts(
    method: Method, field: Field | Attraction, start: Callable[..., Any], tracked: bool
) -> Parts:
    """The parts of a method's kernel in a field; untracked kernels observe no invariants.

    The kernel of an adaptive method makes one step, in which its rates take the place of the new
    state.
    """
    step = method.step or method.own_step or method.rates
    assert step is not None
    return Parts(
        step,
        start,
        method.carries,
        _place_options(method),
        field,
        view=method.view,
        reach=method.reach,
        tracked=tracked and method.rates is None,
        correct=CORRECTIONS[method.carries[1]] if method.energy_correction else None,
        stages=method.stages,
        held=method.substeps > 1,
        single=method.single,
    )


def _place_options(method: Method) -> tuple[Any, ...]:
    """A kernel's options of a method: the meaning of a choice, or the place from which the kernel
    reads a number.
    """
    options = method.step_arguments
    places = (OptionNumber(i) for i in range(len(options)))
    return tuple(
        option.meaning(value) if option.choices else next(places) for option, value in options
    )
