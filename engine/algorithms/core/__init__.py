"""The parts of methods: declaration and registry, the body of a step, composition, tableaux,
Newton's method.
"""

from .body import Bodies, Body, Gyro, Solving, Torque
from .composition import COMPOSITIONS
from .derivatives import DIFFERENTIABLE, differentiate_as
from .description import Source
from .energy_correction import CORRECTIONS
from .euler import (
    angular_acceleration,
    euler_ratios,
    one_minus_spin,
    spin,
    start_velocity_and_torque,
    start_with_acceleration,
    start_with_torque,
    turn_and_kick,
)
from .kinds import MOST_STEPS, FixedStep, OwnSteps, RateSolver, Solver, method, solver
from .limits import (
    DAMPING,
    MAX_COMPONENT,
    MAX_SPEED,
    MAX_TURN,
    cap,
    cap_components,
    damp,
    limit_turn,
    reduce_promises,
)
from .method import Method, PairState, RateState, all_methods, find_method, register
from .newton import CONVERGED, MOST_ITERATIONS, newton, newton_for_stages
from .programs import engine_rule, particle_rule
from .promises import BODY_RATES, HOLDS, MOMENTUM, MOTIONS, ON_THE_GROUP, QUANTITIES, Promises
from .step_options import AXES, PRECISION, STEP_OPTIONS, SUBSTEPS, offer
from .tableaux import (
    LOW_STORAGE,
    PAIRS,
    TABLEAUX,
    End,
    Pair,
    Stage,
    chain_stages,
    promise_tableau,
    tableau_option,
)
