"""Simulation: from a request by execution to a result, for one body and for two."""

from .one_body import Run
from .provenance import find_version
from .request import RunRequest
from .result import AnyRun
from .systems import find_system
from .two_bodies import TwoBodyRun
