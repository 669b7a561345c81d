"""Studies: measurements of methods beyond a single simulation.

Each study is a file. Importing this package registers all of them; it exports their functions and
results.
"""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from .all_properties import PropertyTable, property_table
from .core.result import StudyResult
from .core.study import Study, find, public, registered, study
from .properties import Finding, Properties, properties
from .sweeps.measures import MEASURES

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

from .sweep import sweep  # noqa: E402

globals().update(public())  # functions replace the modules of the same name


def __getattr__(name: str) -> Any:
    """Return a study that a plugin declared."""
    try:
        return public()[name]
    except KeyError:
        raise AttributeError(f"engine.studies has no {name!r}") from None
