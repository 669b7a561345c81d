"""Provenance of results: the versions of this program and of its dependencies, and the machine."""

from __future__ import annotations

import functools
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ..kernels import compiles


@functools.cache
def find_version(package: str = "polhode") -> str | None:
    """The version of an installed package, by default of this one; None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


_python = functools.cache(platform.python_version)


def collect_provenance(compiled: bool) -> dict[str, Any]:
    """The provenance of a run; cheap, since runs are short."""
    made_by = find_version() or "not installed"
    return {
        "polhode": made_by,
        "python": _python(),
        "numpy": find_version("numpy"),
        "compiled": compiled,
    }


def collect_versions() -> dict[str, str | None]:
    """The versions of this engine and of its dependencies; None for those that are not
    installed.
    """
    return {"python": _python()} | {
        name: find_version(name) for name in ("polhode", "numpy", "llvmlite")
    }


def format_versions() -> str:
    """The versions in one line."""
    found = collect_versions()
    rest = ", ".join(
        f"{name} {found[name.lower()] or 'not installed'}"
        for name in ("Python", "NumPy", "llvmlite")
    )
    return f"polhode {found['polhode'] or 'from a folder'} ({rest})"


def find_processor() -> str:
    """The processor's name, as the system reports it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def describe_machine() -> dict[str, Any]:
    """The machine and the versions, on which measured times depend."""
    about = {
        "processor": find_processor(),
        "processors": os.cpu_count(),
        "system": platform.platform(),
    }
    return {**about, "compiled": compiles(), "versions": collect_versions()}
