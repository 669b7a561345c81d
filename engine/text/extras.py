"""The packages that an installation of the engine alone leaves out, and the extras that add them."""

from __future__ import annotations

EXTRAS = {
    "files": ("pandas", "pyarrow", "xarray"),
    "meshes": ("pyvista",),
    "lab": (
        "panel", "markdown-it-py", "holoviews", "bokeh", "tornado", "jinja2", "param",
        "psutil", "tsdownsample", "math-core", "segno",
    ),
    "dask": ("dask", "cloudpickle"),
}  # fmt: skip
"""The packages of each extra of `pyproject.toml` that adds to what Polhode can do."""
MODULES = {"markdown_it": "markdown-it-py", "math_core": "math-core", "distributed": "dask"}
"""The packages of modules with another name."""


def describe_missing(module: str | None) -> str:
    """Return what to install where a module is missing, in a clause."""
    package = MODULES.get(str(module), str(module))
    extras = [extra for extra, packages in EXTRAS.items() if package in packages]
    wanted = f"'polhode[{extras[0]}]'" if extras else package
    return f"this needs {package}, which is not installed; `pip install {wanted}`"
