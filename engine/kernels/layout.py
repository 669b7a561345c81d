"""The layout of the memory that a kernel and its driver share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

# parameters: doubles, read only
INERTIA = 0  # three principal moments
ENERGY = 3  # the energy that the energy correction restores
AXES = 4  # nine: the principal axes in the caller's body axes, by rows
FIGURE_AXIS = 13  # three: the unit body axis χ of π·χ
FIELD_NUMBERS = 16  # the numbers of the field
FIELD_CAPACITY = 24
OPTION_NUMBERS = 40  # the method's options that are numbers
STOPS = 48  # where a chosen step ends: the end of the run, and the first jumps of the torque
BEFORE_JUMP = 55  # how long before a jump the torque is that before it
PARAMETERS = 56

# the same of two bodies; the numbers of their attraction follow behind PARAMETERS, as many as it
# needs
PAIR_MASSES = 0  # two masses
PAIR_INERTIA = 2  # three principal moments of each

# ledger: int64
STEP = 0  # steps completed
STARTED = 1
OUTCOME = 2
UNSOLVED = 3  # set by an implicit method that found no solution: NOT_FOUND, or NO_SOLUTION where there is none
NEWTON_ITERATIONS = 4
TORQUE_EVALUATIONS = 5
UNCORRECTED = 6  # steps whose energy could not be corrected
BAD_TORQUE = 7  # set when a caller's torque, or one with singular points, is not finite
TORQUE_POINTER = 8
POTENTIAL_POINTER = 9
FAILED = 10  # set when a caller's function raises: TORQUE or POTENTIAL, whichever is first
FAILED_AT = 11  # thirteen reals, as bits: the time, R and Ω of that call
CHOSEN_STEPS = 24  # of a method that chooses their size
REJECTED_STEPS = 25
LEDGER = 26

TORQUE = 1
POTENTIAL = 2

# outcomes
RUNNING, CANCELLED, NO_SOLUTION, DIVERGED, NOT_FOUND = range(5)
STATES = {
    RUNNING: "done",
    CANCELLED: "cancelled",
    NO_SOLUTION: "no-solution",
    DIVERGED: "diverged",
    NOT_FOUND: "no-solution",
}
"""What they are to a caller."""

# state: what is given on entry, then the method's own variables, flattened
STATE = 192


@dataclass(frozen=True, eq=False)
class Layout:
    """What a state begins with on entry, and a row with: the numbers of each part, the attitudes
    first.

    In a row the increment of each attitude follows, and then what is observed.
    """

    parts: Mapping[str, int]

    @cached_property
    def at(self) -> dict[str, int]:
        """Where each part begins."""
        return dict(zip(self.parts, accumulate(self.parts.values(), initial=0), strict=False))

    @cached_property
    def size(self) -> int:
        """How many numbers a state has; the increments begin there."""
        return sum(self.parts.values())

    @cached_property
    def attitudes(self) -> int:
        """How many of the parts are attitudes."""
        return sum(name.startswith("R") for name in self.parts)

    @cached_property
    def observed(self) -> int:
        """Where in a row the observed quantities begin."""
        return self.size + self.attitudes


class Place(NamedTuple):
    """Where in a row a quantity stands: from which number on, how many, and whether its square is
    what is kept.
    """

    at: int
    size: int = 1
    squared: bool = False

    def of(self, rows: Any, first: int = 0) -> Any:
        """The quantity in rows (…, width), or in their part from `first` on; a vector's components
        come last.
        """
        at = self.at - first
        values = rows[..., at] if self.size == 1 else rows[..., at : at + self.size]
        return np.sqrt(values) if self.squared else values


ONE_BODY = Layout({"R": 9, "Omega": 3})
TWO_BODIES = Layout(
    {"R1": 9, "R2": 9, "Omega1": 3, "Omega2": 3, "x1": 3, "x2": 3, "v1": 3, "v2": 3}
)
ATTITUDE = Layout({"R": 9})
SAMPLES = Layout({"rate": 3, "angle": 3})
ROW_VELOCITY = ONE_BODY.at["Omega"]
ROW_INCREMENT = ONE_BODY.size
ROW_OBSERVED = ONE_BODY.observed

OBSERVED_FREE = ("energy", "pi_x", "pi_y", "pi_z", "pi_squared", "casimir", "orthogonality_squared")
OBSERVED_FORCED = (*OBSERVED_FREE, "pi_chi", "gamma_squared")
OBSERVED_PAIR = (
    "energy",
    *(f"{momentum}_{axis}" for momentum in ("linear", "angular") for axis in "xyz"),
    "orthogonality1_squared",
    "orthogonality2_squared",
    "distance_squared",
)
OBSERVED_ATTITUDE = ("orthogonality_squared", "norm", "rate_x", "rate_y", "rate_z")
SEEN_ENERGY, SEEN_MOMENTUM, SEEN_SKEW = map(
    OBSERVED_FREE.index, ("energy", "pi_x", "orthogonality_squared")
)
"""Of what is observed of bodies, where a state that is not finite shows: that of two bodies shows in
the energy.
"""

# a block of bodies that are advanced side by side: for each of these places an array over the lanes
LANES = 64
MEMBER_OUTCOME = 0  # as above; a body whose outcome is not RUNNING stays as it is
MEMBER_STEP = 1  # steps completed
MEMBER_ENERGY = 2  # after the last of them
MEMBER_LEAST = 3
MEMBER_MOST = 4
MEMBER_START = 5  # the energy at the start
MEMBER_CHOSEN = 6  # steps of a method that chooses their size
MEMBER_GIVEN = 7  # R and Ω: on entry, and when the kernel is left
MEMBER_STATE = MEMBER_GIVEN + ONE_BODY.size  # the method's own variables
MEMBER = MEMBER_GIVEN + STATE

# bodies side by side that differ in more than their starts have arrays over the lanes of the
# parameters, and behind
OWN_STEP = PARAMETERS  # each body's own step
OWN_STEPS = PARAMETERS + 1  # how many of them it is to make
OWN_SIZE = PARAMETERS + 2
