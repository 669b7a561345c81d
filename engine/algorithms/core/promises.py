"""Promises: the properties that a method declares, and the tests measure."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ...algebra import Diag3, Vec3
from .composition import Composition

QUANTITIES = {
    "energy": "total energy",
    "pi": "spatial momentum π, as a vector",
    "pi_norm": "|π|",
    "casimir": "|Π|²",
    "pi_e3": "π·e3, the momentum about the vertical",
    "pi_chi": "π·χ, the momentum about the body's axis",
    "gamma_norm": "|Γ|, the length of Γ = Rᵀe3",
    "orthogonality": "‖RᵀR − 1‖",
    "linear_momentum": "total linear momentum",
    "angular_momentum": "total angular momentum",
}
"""The quantities that a motion may conserve: the keys of `conserves`, `Run.casimirs` and
`Run.extrema`.
"""

MOTIONS = {
    "always": "whenever the motion itself conserves it",
    "free": "on the free body",
    "tops": "on the free body and on every heavy top",
    "symmetric tops": "on symmetric heavy tops",
}
"""The motions for which a method conserves a quantity."""

HOLDS = {
    "free": ["always", "free", "tops"],
    "tops": ["always", "tops"],
    "symmetric tops": ["always", "tops", "symmetric tops"],
}
"""For each kind of motion, the words of a promise that holds there."""

ON_THE_GROUP = {"orthogonality": "always", "gamma_norm": "always"}
"""What a method conserves whose R stays a rotation."""
EVERY_MOTION = "in every motion"
"""When a method conserves these."""
MOMENTUM = ON_THE_GROUP | {"pi": "free", "pi_norm": "free", "casimir": "free", "pi_e3": "always"}
"""What it conserves if it also hands on the spatial momentum."""
BODY_RATES = ON_THE_GROUP | {"pi_chi": "symmetric tops"}
"""What it conserves if it sums rates of Ω in the body's frame: Ω₃ of a symmetric top has none."""


Order = tuple[int, ...]
"""Orders of convergence: of attitude and momentum, or of the attitude alone."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Promises:
    """What a method promises of its steps and of the motion that they make.

    Attributes
    ----------
    order : of attitude and momentum, with torque; of an attitude with given rates its order alone;
        None without steps of one size. `free_order` is that on a free body, if it is higher.
    torque_evaluations : in a step; None if the number varies.
    self_starting : whether the first step needs no other method.
    reversible : whether the step is time-reversible, or the condition under which it is.
    conserves : quantities that it conserves to roundoff, each with the motions for which it does.
    divisor : (J, Ω, h) → a number near 1; over it, a free body's energy and |Π|² are conserved to
        roundoff.
    needs_rates : the number of the torque's rates that the step uses; 3 for free bodies only.
    needs_series : whether the step expands the torque into a Taylor series.
    torque_of_velocity : whether the step calls `body.torque(t, R, Ω)`, so that a torque may depend
        on Ω.
    has_history : a state that does not follow from attitude and velocity, in words.
    of_one_step : whether that state belongs to one size of step.
    """

    order: Order | None = None
    free_order: Order | None = None
    torque_evaluations: int | None = None
    implicit: bool = False
    self_starting: bool = True
    reversible: bool | str = False
    symplectic: bool = False
    conserves: Mapping[str, str] = field(default_factory=dict)
    divisor: Callable[[Diag3, Vec3, float], float] | None = None
    needs_rates: int = 0
    needs_series: bool = False
    torque_of_velocity: bool = False
    has_history: str | None = None
    of_one_step: bool = False

    def with_held_torque(self) -> Promises:
        """Return the promises of steps over which the torque is held in space."""
        assert self.order is not None
        lower = tuple(min(order, 1) for order in self.order)
        return dataclasses.replace(
            self,
            divisor=None,
            order=lower,
            free_order=self.free_order or (self.order if self.order != lower else None),
            torque_evaluations=1,
            needs_rates=0,
            reversible="free" if self.reversible else False,
            symplectic=False,
            conserves={
                quantity: "free" if motion == "tops" or quantity == "energy" else motion
                for quantity, motion in self.conserves.items()
                if motion != "symmetric tops"
            },
        )

    def with_energy_correction(self) -> Promises:
        """Return the promises of steps whose energy is corrected."""
        conserves = dict(self.conserves) | {"energy": "free"}
        return dataclasses.replace(self, conserves=conserves, divisor=None, symplectic=False)

    def composed(self, composition: Composition) -> Promises:
        """Return the promises of the steps that a composition makes of these."""
        each = self.torque_evaluations
        assert self.order is not None
        return dataclasses.replace(
            self,
            divisor=None,
            order=(composition.order,) * len(self.order),
            torque_evaluations=None if each is None else each * len(composition.parts),
        )
