"""Kernels: the loops that advance bodies, and the code that runs them."""

from .custom_torque import Called, evaluate_torque, inline_field, inline_rate, is_compiled
from .driver import (
    FIRST_BLOCK,
    NEVER,
    Cancellation,
    Cancelled,
    Extrema,
    Outcome,
    ReadyKernel,
    RunMemory,
    compiles,
    drive,
    is_cancelled,
)
from .layout import (
    CANCELLED,
    DIVERGED,
    NO_SOLUTION,
    NOT_FOUND,
    ONE_BODY,
    ROW_VELOCITY,
    RUNNING,
    STATES,
    Place,
)
from .memory import Failed, Floats, Integers, matrix_at, options_of, vector_at, write_values
from .one_body import BodyInField
from .parts import Parts, make_parts, make_watcher
from .pointer import make_pointer_field
