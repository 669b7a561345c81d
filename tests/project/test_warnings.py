"""Warnings as errors: those of the project's modules, and in CI those of all modules."""

from __future__ import annotations

import os
import warnings

import pytest


def is_error(module: str) -> bool:
    """Return whether a warning attributed to this module fails its test."""
    with warnings.catch_warnings(
        record=True
    ):  # what is no error is not reported as one of this test
        try:
            warnings.warn_explicit("of old", DeprecationWarning, "somewhere.py", 1, module=module)
        except DeprecationWarning:
            return True
    return False


@pytest.mark.parametrize(
    "module",
    ["engine", "engine.algebra.linear", "app.pages.lab", "assets", "test_lock", "conftest"],
)
def test_a_warning_of_the_project_is_an_error(module: str) -> None:
    assert is_error(module)


@pytest.mark.parametrize(
    "module", ["panel.io.document", "numba.core.ir_utils", "appdirs", "conftests"]
)
def test_a_warning_of_another_package_is_an_error_in_ci(module: str) -> None:
    assert is_error(module) == (os.environ.get("CI") == "true")
