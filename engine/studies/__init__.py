"""Studies: what is measured of methods and runs, beyond a single simulation."""

from .convergence import Convergence, convergence
from .full_body import FullBody, full_body
from .long_run import LongRun, LongRuns, long_run
from .properties import Finding, Properties, properties
from .steps_to_accuracy import StepsToAccuracy, steps_to_accuracy
from .table import PropertyTable, property_table
from .work_precision import WorkPrecision, work_precision

__all__ = [
    "Convergence",
    "Finding",
    "FullBody",
    "LongRun",
    "LongRuns",
    "Properties",
    "PropertyTable",
    "StepsToAccuracy",
    "WorkPrecision",
    "convergence",
    "full_body",
    "long_run",
    "properties",
    "property_table",
    "steps_to_accuracy",
    "work_precision",
]
