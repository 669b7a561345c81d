"""The problems, a file for each kind; importing this package registers them all."""

from importlib import import_module
from pkgutil import iter_modules

from ..spec import Parameter
from .problem import Action, Posed, Problem, all_problems, find_problem, posed, problem

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

__all__ = ["Action", "Parameter", "Posed", "Problem", "all_problems", "find_problem", "posed", "problem"]
