"""Studies: what is measured of methods and runs, beyond a single simulation.

A study is a file; importing this package registers all of them, and has their functions and what these return.
"""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from .properties import Finding, Properties, properties
from .result import Result
from .study import Study, find, public, registered, study
from .sweeps.measures import MEASURES
from .table import PropertyTable, property_table

for _module in iter_modules(__path__):
    if _module.name != "papers":  # which is there for scripts alone
        import_module(f"{__name__}.{_module.name}")


from .sweep import sweep  # noqa: E402

globals().update(public())  # also in the place of modules that are called like their functions


def __getattr__(name: str) -> Any:
    """A study that was declared elsewhere, as by a plugin."""
    try:
        return public()[name]
    except KeyError:
        raise AttributeError(f"engine.studies has no {name!r}") from None


__all__ = [
    "MEASURES",
    "Finding",
    "Properties",
    "PropertyTable",
    "Result",
    "Study",
    "find",
    "properties",
    "property_table",
    "registered",
    "study",
    "sweep",
    *sorted(public()),
]
