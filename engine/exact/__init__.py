"""Exact motions: closed forms of the free body and the symmetric top, reference runs for the rest;
and errors.
"""

from ..kernels import Cancelled
from .errors import (
    AttitudeErrors,
    Errors,
    Flips,
    GivenRatesErrors,
    PairErrors,
    describe_attitude_errors,
)
from .given_rates import GivenRatesMotion
from .motion import Motion, estimate_effort, exact, find_closed_form, has_exact
from .pair_motion import PairEstimate, PairEstimates, PairMotion
from .reference import GOOD as GOOD_REFERENCE
from .reference import Estimate, Estimates, describe_loss
from .symmetric_top import SymmetricTop
from .warm_up import FOR_REFERENCE, compile_kernels, find_missing_kernels, warm
