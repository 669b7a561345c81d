"""Studies: what is measured of methods and runs, beyond a single simulation."""

from .properties import Finding, Properties, properties
from .steps_to_accuracy import StepsToAccuracy, steps_to_accuracy
from .table import PropertyTable, property_table

__all__ = [
    "Finding",
    "Properties",
    "PropertyTable",
    "StepsToAccuracy",
    "properties",
    "property_table",
    "steps_to_accuracy",
]
