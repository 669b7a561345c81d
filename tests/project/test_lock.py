"""The tested versions, `constraints.txt` and `requirements.lock`: complete for each Python."""

from __future__ import annotations

import importlib.metadata
import os
import re
import tomllib
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement  # pytest brings it
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
FILE = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = FILE["project"]
EXTRAS = PROJECT["optional-dependencies"]
PYTHONS = ["3.11.2", "3.11.9", "3.12.3", "3.13.0", "3.14.0"]
"""Python of Debian 12, and the latest or an early release of each minor version."""
CONSTRAINTS = (ROOT / "constraints.txt").read_text()
LOCK = (ROOT / "requirements.lock").read_text()


def read_pins(text: str) -> list[Requirement]:
    """Return the packages of a file, each with its version and its Python."""
    return [
        Requirement(line.partition("\\")[0])
        for line in text.splitlines()
        if not line.startswith((" ", "#"))
    ]


def versions_on(text: str, python: str | None = None) -> dict[str, Version]:
    """The version of each package on a Python; without one, on this Python."""
    environment = {str(name): str(value) for name, value in default_environment().items()}
    if python is not None:
        environment |= {"python_full_version": python, "python_version": python.rpartition(".")[0]}
    found: dict[str, Version] = {}
    for one in read_pins(text):
        if one.marker is None or one.marker.evaluate(environment):
            assert canonicalize_name(one.name) not in found, (
                f"{one.name} has two versions on Python {python}"
            )
            (specifier,) = one.specifier
            assert specifier.operator == "==", one
            found[canonicalize_name(one.name)] = Version(specifier.version)
    return found


def read_requirements(*extras: str) -> list[Requirement]:
    """Return the requirements of the project and of these extras, and of the extras that they name."""
    found = [Requirement(line) for line in PROJECT["dependencies"]]
    left = list(extras)
    seen = set()
    while left:
        extra = left.pop()
        if extra in seen:
            continue
        seen.add(extra)
        for requirement in map(Requirement, EXTRAS[extra]):
            if requirement.name == PROJECT["name"]:
                left += requirement.extras
            else:
                found.append(requirement)
    return found


@pytest.mark.parametrize("python", PYTHONS)
def test_the_tested_versions_are_in_the_ranges_that_are_asked_for(python: str) -> None:
    build = [Requirement(line) for line in FILE["build-system"]["requires"]]
    for text, requirements in (
        (CONSTRAINTS, [*read_requirements(*EXTRAS), *build]),
        (LOCK, [*read_requirements("lab", "dask"), *build]),
    ):
        versions = versions_on(text, python)
        for requirement in requirements:
            version = versions.get(canonicalize_name(requirement.name))
            assert version, f"there is no {requirement.name}"
            assert requirement.specifier.contains(version), (
                f"{requirement} does not allow {version}"
            )


@pytest.mark.parametrize("python", PYTHONS)
def test_the_image_has_the_versions_that_were_tested_and_each_file_has_a_hash(python: str) -> None:
    versions = versions_on(CONSTRAINTS, python)
    assert {name: v for name, v in versions_on(LOCK, python).items() if versions[name] != v} == {}
    for text in (CONSTRAINTS, LOCK):
        blocks = re.split(r"\n(?=\S)", text.rstrip("\n"))
        assert len(blocks) == len(read_pins(text))
        hashed = re.compile(r"--hash=sha256:[0-9a-f]{64}(\s|$)")
        assert [block for block in blocks if not hashed.search(block)] == []


def test_hooks_and_workflows_run_nothing_that_is_not_pinned() -> None:
    """Hooks are programs of the environment, and workflows take no actions from elsewhere."""
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()
    assert re.findall(r"repo: (.*)", hooks) == ["local"]
    assert set(re.findall(r"language: (.*)", hooks)) == {"system"}
    for workflow in (ROOT / ".github" / "workflows").glob("*.yaml"):
        used = re.findall(r"(?:uses|container|image): (.*)", workflow.read_text())
        assert all(re.search(r"@(sha256:[0-9a-f]{64}|[0-9a-f]{40})$", one) for one in used)


def test_no_version_with_a_known_vulnerability_is_allowed() -> None:
    """The newest release with one of each of these packages is below the lower bound."""
    required = {one.name: one.specifier for one in read_requirements("lab")}
    for name, version in (("bokeh", "3.8.1"), ("tornado", "6.5.7"), ("jinja2", "3.1.5")):
        assert not required[name].contains(version), f"{name} {version} is allowed"


def test_no_minor_version_of_panel_or_bokeh_is_allowed_that_was_not_tested() -> None:
    """The page uses private names of these packages."""
    for name in ("panel", "bokeh"):
        (requirement,) = [one for one in read_requirements("lab") if one.name == name]
        versions = {versions_on(CONSTRAINTS, python)[name] for python in PYTHONS}
        newest = max(versions)
        oldest = min(versions)
        assert requirement.specifier.contains(Version(f"{newest.major}.{newest.minor}.99"))
        assert requirement.specifier.contains(Version(f"{oldest.major}.{oldest.minor}.0"))
        assert not requirement.specifier.contains(Version(f"{newest.major}.{newest.minor + 1}.0"))
        assert not requirement.specifier.contains(Version(f"{oldest.major}.{oldest.minor - 1}.99"))


@pytest.mark.skipif(
    os.environ.get("CI") != "true", reason="it judges what is installed, which CI installs: CI=true"
)
def test_what_is_asked_for_asks_for_nothing_that_has_no_tested_version() -> None:
    """For installed packages."""
    versions = versions_on(CONSTRAINTS)
    first = read_requirements(*EXTRAS)
    left = list(first)
    seen = set()
    while left:
        requirement = left.pop()
        name = canonicalize_name(requirement.name)
        if (name, *sorted(requirement.extras)) in seen:
            continue
        seen.add((name, *sorted(requirement.extras)))
        assert name in versions, f"constraints.txt has no {name}"
        try:
            further = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        extras = [{"extra": extra} for extra in ("", *requirement.extras)]
        needs = [Requirement(line) for line in further]
        left += [
            one
            for one in needs
            if not one.marker or any(one.marker.evaluate(extra) for extra in extras)
        ]
    assert len(seen) > len(first)
