"""What made a result: the versions of this program and of what it stands on, and the machine."""

from __future__ import annotations

import functools
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from .kernels import build


@functools.cache
def version_of(package: str = "polhode") -> str | None:
    """The version of an installed package, this one if none is named; None for what is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


_python = functools.cache(platform.python_version)


def of_run(compiled: bool) -> dict[str, Any]:
    """What each run carries; cheap, since runs are short."""
    made_by = version_of() or "not installed"
    return {"polhode": made_by, "python": _python(), "numpy": version_of("numpy"), "compiled": compiled}


def versions() -> dict[str, str | None]:
    """The versions of this engine and of what it stands on; None for what is not installed."""
    return {"python": _python()} | {name: version_of(name) for name in ("polhode", "numpy", "numba", "llvmlite")}


def versions_line() -> str:
    """The versions in one line."""
    found = versions()
    rest = ", ".join(f"{name} {found[name.lower()] or 'not installed'}" for name in ("Python", "NumPy", "llvmlite"))
    return f"polhode {found['polhode'] or 'from a folder'} ({rest})"


def processor() -> str:
    """The processor's name, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def machine() -> dict[str, Any]:
    """What measured times depend on besides the methods."""
    about = {"processor": processor(), "processors": os.cpu_count(), "system": platform.platform()}
    return {**about, "compiled": build.compiles(), "versions": versions()}
