"""Simulation: from a request by execution to a result, for one body and for two."""

from . import given_rates, two_bodies
from .continuous import measure_angles
from .endings import ENDINGS, name_blown_up
from .following import Follower
from .given_rates import GivenRatesRun
from .one_body import (
    TRACKED_FORCED,
    TRACKED_FREE,
    Run,
    find_action,
    list_kernels,
    prepare_kernel,
    turn_to_principal_axes,
    why_not,
)
from .prepared import Prepared, prepared
from .provenance import collect_versions, describe_machine, find_version, format_versions
from .quaternions import to_quaternions
from .request import RunRequest, Steps
from .result import AnyRun, BodyRun, Cost, Extrema, SavedRecord, run_actions
from .simulate import MOST_ROWS, MOST_STEPS, execute, make_request, simulate
from .systems import SYSTEMS, RunOfSpace
from .two_bodies import TwoBodyRun
