"""The methods, a file for each or for each family; importing this package registers them all."""

from importlib import import_module
from pkgutil import iter_modules

from .method import Method, all_methods, find_method, method, when_looked_up

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

__all__ = ["Method", "all_methods", "find_method", "method", "when_looked_up"]
