"""What a kernel is made of: a template, and what the names left open in it stand for."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..compiler import cache
from ..compiler.fingerprint import fingerprint
from ..compiler.primitives import double, single
from ..field import FREE, Attraction, Field
from . import advance, advance_batch, one_body, two_bodies
from .fast_path import iterates, without_rare
from .layout import ONE_BODY, TWO_BODIES

_VIEWS: dict[tuple[str, str], Callable[..., Any]] = {
    ("R", "Ω"): one_body.view_velocity,
    ("R", "Π"): one_body.view_body_momentum,
    ("R", "π"): one_body.view_spatial_momentum,
    ("q", "Ω"): one_body.view_quaternion,
}

_OF_EACH: dict[type, dict[str, Any]] = {
    Field: {
        "system": one_body.BodyInField,
        "given": one_body.given_body,
        "attitudes": one_body.attitude,
        "observe": one_body.observe_forced,
        "put_row": one_body.put_body_row,
        "GIVEN": ONE_BODY.given,
        "INCREMENTS": ONE_BODY.attitudes,
    },
    Attraction: {
        "system": two_bodies.Bodies,
        "given": two_bodies.given_pair,
        "attitudes": two_bodies.both_attitudes,
        "observe": two_bodies.observe_pair,
        "put_row": two_bodies.put_pair_row,
        "GIVEN": TWO_BODIES.given,
        "INCREMENTS": TWO_BODIES.attitudes,
    },
}
"""What is given and observed of one body in a field, and of two that attract each other."""

SIMPLE_STAGES = ((0.0, 1.0),)


@dataclass(frozen=True)
class Parts:
    """What one kernel is made of; `view` tells what two bodies' state shows, that of one is known by its names.

    If the torque is `held`, it is that of the start of the step, in space, for all stages of it.
    """

    step: Callable[..., Any]
    start: Callable[..., Any]
    carries: tuple[str, ...]
    options: tuple[Any, ...]
    field: Field | Attraction
    view: Callable[..., Any] | None = None
    template: Callable[..., Any] = advance.advance
    tracked: bool = True
    correct: Callable[..., Any] | None = None
    stages: tuple[tuple[float, float], ...] = SIMPLE_STAGES
    held: bool = False
    single: bool = False
    quick: bool = False
    varied: bool = False

    @property
    def side_by_side(self) -> bool:
        """Whether the kernel moves many bodies at once."""
        return self.template is advance_batch.advance_batch

    def for_batches(self, compiled: bool, varied: bool = False) -> Parts:
        """The parts of the kernel that makes the same steps with many bodies in lanes.

        A quick step is tried first where a step is made at one go; plain Python has no use for it. If they are
        `varied`, each body has its own parameters and steps.
        """
        at_one_go = self.correct is None and self.stages == SIMPLE_STAGES
        quick = compiled and at_one_go and not iterates((self.step, *self.options))
        return dataclasses.replace(self, template=advance_batch.advance_batch, quick=quick, varied=varied)

    def blanks(self) -> dict[str, Any]:
        """What the names left open in the template stand for."""
        return {
            **_OF_EACH[type(self.field)],
            **({"observe": one_body.observe_free} if self.field is FREE else {}),
            "view": self.view or _VIEWS[self.carries[:2]],  # type: ignore[index]
            "step": self.step,
            "start": self.start,
            "correct": self.correct,
            "OPTIONS": self.options,
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
            "quick": without_rare(self.step) if self.quick else self.step,
            "QUICK_OPTIONS": without_rare(self.options) if self.quick else self.options,
        }

    def key(self, environment: str = "") -> str:
        """The name under which the kernel's code is kept; for another `environment` than this processor's its own."""
        field = self.field
        names = repr(
            (
                self.template.__name__,
                field.name,
                field.own_axes,
                self.carries,
                self.tracked,
                self.stages,
                self.held,
                self.single,
                self.quick,
                self.varied,
            )
        )
        roots = (self.step, self.start, self.correct, self.view, *field.functions, *self.options)
        return fingerprint(roots, names, environment or cache.environment())
