"""The packages that an installation of the engine alone leaves out, and the extras that add them."""

from __future__ import annotations

import inspect
import traceback
from importlib.abc import MetaPathFinder

EXTRAS = {
    "files": ("pandas", "pyarrow", "xarray"),
    "meshes": ("pyvista",),
    "lab": (
        "panel", "markdown-it-py", "holoviews", "bokeh", "tornado", "jinja2", "param",
        "psutil", "math-core", "segno",
    ),
    "dask": ("dask", "cloudpickle"),
}  # fmt: skip
"""The packages of each extra of `pyproject.toml` that adds to what Polhode can do."""
MODULES = {"markdown_it": "markdown-it-py", "math_core": "math-core", "distributed": "dask"}
"""The packages of modules with another name."""
MACHINERY = ("importlib", "_frozen_importlib", "traceback")
"""Modules of Python that carry out an import."""


def describe_missing(module: str | None) -> str:
    """Return what to install where a module is missing, in a clause."""
    package = MODULES.get(str(module), str(module))
    extra = _find_extra(package)
    cure = describe_extra(extra) if extra else f"`pip install {package}` installs it"
    return f"this needs {package}, which is not installed; {cure}"


def describe_extra(extra: str) -> str:
    """Return how to install an extra, in a clause."""
    return f"`pip install '.[{extra}]'` in Polhode's folder installs it"


def _find_extra(package: str) -> str:
    """Return the first extra with a package; empty if there is none."""
    return next((extra for extra, packages in EXTRAS.items() if package in packages), "")


class MissingPackages(MetaPathFinder):
    """Raises `ModuleNotFoundError` with the sentence where a module of the project imports a package
    of an extra that no other finder has found. Other modules may look for packages in vain.
    """

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Find nothing."""
        if _find_extra(MODULES.get(name, name)) and _find_importer().startswith(
            ("engine.", "app.")
        ):
            raise ModuleNotFoundError(describe_missing(name), name=name)


def _find_importer() -> str:
    """Return the name of the module whose import is being carried out."""
    frame = inspect.currentframe()
    names = (found.f_globals.get("__name__", "") for found, _ in traceback.walk_stack(frame))
    return next(name for name in names if not name.startswith((__name__, *MACHINERY)))
