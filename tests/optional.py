"""Programs and modules that a few tests use, and that a machine may lack also where CI is true."""

from __future__ import annotations

import importlib.util
import shutil

import pytest

OPTIONAL = "is not installed, and is optional"


def require_optional(*programs: str, module: str = "") -> None:
    """Skip the test if a program, or a module, is not installed."""
    missing = [name for name in programs if shutil.which(name) is None]
    if module and importlib.util.find_spec(module) is None:
        missing.append(module)
    if missing:
        pytest.skip(f"{missing[0]} {OPTIONAL}")
