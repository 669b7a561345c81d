"""Studies: what is measured of methods and runs, beyond a single simulation."""

from .advisor import Advice, Advised, advise
from .convergence import Convergence, convergence
from .ensemble import Ensemble, Spread, ensemble
from .full_body import FullBody, full_body
from .long_run import LongRun, LongRuns, long_run
from .properties import Finding, Properties, properties
from .stability_edge import Edge, StabilityEdges, stability_edge
from .steps_to_accuracy import StepsToAccuracy, steps_to_accuracy
from .table import PropertyTable, property_table
from .work_precision import WorkPrecision, work_precision

__all__ = [
    "Advice",
    "Advised",
    "Convergence",
    "Edge",
    "Ensemble",
    "Finding",
    "FullBody",
    "LongRun",
    "LongRuns",
    "Properties",
    "PropertyTable",
    "Spread",
    "StabilityEdges",
    "StepsToAccuracy",
    "WorkPrecision",
    "advise",
    "convergence",
    "ensemble",
    "full_body",
    "long_run",
    "properties",
    "property_table",
    "stability_edge",
    "steps_to_accuracy",
    "work_precision",
]
