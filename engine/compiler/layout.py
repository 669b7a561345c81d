"""Where things stand in the memory that a kernel and its driver share."""

from __future__ import annotations

from dataclasses import dataclass

# parameters: doubles, read only
INERTIA = 0  # three principal moments
ENERGY = 3  # the energy that the energy correction restores
AXES = 4  # nine: the principal axes in the caller's body axes, by rows
FIGURE_AXIS = 13  # three: the unit body axis χ of π·χ
FIELD_NUMBERS = 16  # the numbers of the field
FIELD_CAPACITY = 24
OPTION_NUMBERS = 40  # the method's options that are numbers
PARAMETERS = 48

# the same of two bodies; the numbers of their attraction follow behind PARAMETERS, as many as it needs
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
LEDGER = 10

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
STATE = 128


@dataclass(frozen=True)
class Layout:
    """What a state begins with on entry, and a row with: `given` numbers, the attitudes first.

    In a row the increment of each attitude follows, and then what is observed.
    """

    given: int
    attitudes: int

    @property
    def observed(self) -> int:
        """Where in a row the observed quantities begin."""
        return self.given + self.attitudes


ONE_BODY = Layout(given=12, attitudes=1)
"""R (9) and Ω (3)."""
TWO_BODIES = Layout(given=36, attitudes=2)
"""R1 (9), R2 (9), Ω1, Ω2, x1, x2, v1 and v2 (3 each)."""
ROW_VELOCITY = 9
ROW_INCREMENT = ONE_BODY.given
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

# a block of bodies that are advanced side by side: for each of these places an array over the lanes
LANES = 64
MEMBER_OUTCOME = 0  # as above; a body whose outcome is not RUNNING stays as it is
MEMBER_STEP = 1  # steps completed
MEMBER_ENERGY = 2  # after the last of them
MEMBER_LEAST = 3
MEMBER_MOST = 4
MEMBER_START = 5  # the energy at the start
MEMBER_GIVEN = 6  # R and Ω: on entry, and when the kernel is left
MEMBER_STATE = MEMBER_GIVEN + ONE_BODY.given  # the method's own variables
MEMBER = MEMBER_GIVEN + STATE
