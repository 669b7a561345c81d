"""The versions that were tested, `constraints.txt`: all that is needed is there, in the range that is asked for."""

from __future__ import annotations

import importlib.metadata
import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement  # pytest brings it
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LINES = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
LOCKED = {canonicalize_name(name): version for name, _, version in (line.partition("==") for line in LINES)}


def asked() -> list[Requirement]:
    """What the project and its extras ask for."""
    every = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    found = [Requirement(line) for lines in every for line in lines]
    return [requirement for requirement in found if requirement.name != PROJECT["name"]]


def test_each_line_is_a_name_and_a_version() -> None:
    assert [line for line in LINES if not re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][0-9A-Za-z.+!-]*", line)] == []
    assert len(LOCKED) == len(LINES)


def test_the_tested_versions_are_in_the_ranges_that_are_asked_for() -> None:
    for requirement in asked():
        version = LOCKED.get(canonicalize_name(requirement.name))
        assert version, f"constraints.txt has no {requirement.name}"
        assert requirement.specifier.contains(version), f"{requirement} does not allow {version}"


def test_what_is_asked_for_asks_for_nothing_that_has_no_tested_version() -> None:
    """As far as it is installed here."""
    left, seen = asked(), set()
    while left:
        requirement = left.pop()
        name = canonicalize_name(requirement.name)
        if (name, *sorted(requirement.extras)) in seen:
            continue
        seen.add((name, *sorted(requirement.extras)))
        assert name in LOCKED, f"constraints.txt has no {name}"
        try:
            further = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        extras = [{"extra": extra} for extra in ("", *requirement.extras)]
        needs = [Requirement(line) for line in further]
        left += [one for one in needs if not one.marker or any(one.marker.evaluate(extra) for extra in extras)]
    assert len(seen) > len(asked())
