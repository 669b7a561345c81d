"""Where things stand in the memory that a kernel and its driver share."""

from __future__ import annotations

# parameters: doubles, read only
INERTIA = 0  # three principal moments
ENERGY = 3  # the energy that the energy correction restores
AXES = 4  # nine: the principal axes in the caller's body axes, by rows
FIGURE_AXIS = 13  # three: the unit body axis χ of π·χ
FIELD_NUMBERS = 16  # the numbers of the field
FIELD_CAPACITY = 24
OPTION_NUMBERS = 40  # the method's options that are numbers
PARAMETERS = 48

# ledger: int64
STEP = 0  # steps completed
STARTED = 1
OUTCOME = 2
UNSOLVED = 3  # set by an implicit method that found no solution
NEWTON_ITERATIONS = 4
TORQUE_EVALUATIONS = 5
UNCORRECTED = 6  # steps whose energy could not be corrected
BAD_TORQUE = 7  # set when a caller's torque, or one with singular points, is not finite
TORQUE_POINTER = 8
POTENTIAL_POINTER = 9
LEDGER = 10

# outcomes
RUNNING, CANCELLED, NO_SOLUTION, DIVERGED = range(4)

# state: R and Ω on entry, then the method's own variables, flattened
GIVEN = 12
STATE = 128

# a row: R (9), Ω (3), increment (1), then the observed quantities
ROW_ATTITUDE = 0
ROW_VELOCITY = 9
ROW_INCREMENT = 12
ROW_OBSERVED = 13

OBSERVED_FREE = ("energy", "pi_x", "pi_y", "pi_z", "pi_squared", "casimir", "orthogonality_squared")
OBSERVED_FORCED = (*OBSERVED_FREE, "pi_chi", "gamma_squared")

# a block of bodies that are advanced side by side: for each of these places an array over the lanes
LANES = 64
MEMBER_OUTCOME = 0  # as above; a body whose outcome is not RUNNING stays as it is
MEMBER_STEP = 1  # steps completed
MEMBER_ENERGY = 2  # after the last of them
MEMBER_LEAST = 3
MEMBER_MOST = 4
MEMBER_START = 5  # the energy at the start
MEMBER_GIVEN = 6  # R and Ω: on entry, and when the kernel is left
MEMBER_STATE = MEMBER_GIVEN + GIVEN  # the method's own variables
MEMBER = MEMBER_GIVEN + STATE
