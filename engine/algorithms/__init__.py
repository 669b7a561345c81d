"""The methods, one file for each or for each family. Importing this package registers them all."""

from importlib import import_module
from pkgutil import iter_modules

from .core.composition import COMPOSITIONS
from .core.description import (
    WHERE_USED,
    describe_conserved,
    describe_method,
    find_sources,
    list_search_words,
)
from .core.kinds import FixedStep, Solver, method
from .core.method import (
    FAMILIES,
    Method,
    Variants,
    all_methods,
    find_method,
    join_names,
    name_method,
    name_methods,
    name_variants,
    split_names,
    use_short_names,
)
from .core.programs import PROGRAMS, Program, find_programs, name_engines
from .core.promises import HOLDS, Promises
from .core.step_options import PRECISION, STEP_OPTIONS, SUBSTEPS

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
