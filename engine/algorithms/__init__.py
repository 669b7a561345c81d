"""The methods, a file for each or for each family; importing this package registers them all."""

from importlib import import_module
from pkgutil import iter_modules

from .method import Method, find, method, registered, when_looked_up

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

__all__ = ["Method", "find", "method", "registered", "when_looked_up"]
