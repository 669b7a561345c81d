"""Physics engines, and codes of molecular dynamics and for granular matter (DEM, the discrete
element method).

Each rule is written anew from its formula. A run is of the rule and not of the program: without
contacts, joints and thermostats, and in double precision unless an option says otherwise. A
program's defaults for steps in a frame, damping and caps are in `programs.toml`; a name of the
program has them, and an option turns each off.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from ...text import bibtex, read_toml
from .kinds import method
from .method import PROGRAM_NAMES, Method, find_method
from .promises import BODY_RATES
from .step_options import PRECISION

rule = partial(method, torque_evaluations=1, conserves=BODY_RATES)
particle_rule = partial(rule, family="Molecular dynamics and DEM", order=(2, 2))
"""Declares the rule of a code that moves particles."""

TABLES = read_toml(__file__)
WORDS, NONE = TABLES["words"], TABLES["none"]
LEAST = {"damping": 0.0, "max_speed": 0.0, "max_component": 0.0, "max_turn": 0.0, "substeps": 1}
"""The values that neither damp nor cap nor divide a frame."""


class Default(NamedTuple):
    """A program's default of an option or of the step dt: its value, and file and line at the
    commit read.
    """

    option: str
    value: float
    where: str

    def describe(self) -> str:
        """The default in words, with its place."""
        words = NONE if self.value == LEAST.get(self.option) else WORDS
        return f"{words[self.option].format(f'{self.value:g}')} ({self.where})"


class EngineRun(NamedTuple):
    """An engine as `python -m benchmarks.engines` ran it, and the largest differences of the rule
    from it, of an element of R and of a component of Ω.
    """

    setting: str
    package: str
    bits: int
    rule: str
    R: float
    Omega: float


@dataclass(frozen=True)
class Program:
    """An engine or a code, with some of its flags.

    Attributes
    ----------
    key : its name in links, and an alias of its rule.
    title, flags : its name, and its settings in its own words.
    short : its name with these flags in a few words, for legends and sentences.
    read : BibTeX of the program at the commit that was read.
    group : "Physics engines" or "Molecular dynamics and DEM codes".
    defaults : its default substeps, damping and caps, as far as they were read.
    ran : its runs that are recorded for this rule; empty if it was only read.
    remark : what the rule does not show of it.
    built_on : further words for the search: what it is built into, and its language.
    """

    key: str
    title: str
    short: str
    flags: str
    read: str
    group: str
    defaults: tuple[Default, ...]
    ran: tuple[EngineRun, ...]
    remark: str
    built_on: str

    @property
    def method(self) -> Method:
        """Its rule."""
        return find_method(self.key)

    @property
    def default_settings(self) -> str:
        """Its defaults in words, with the lines that set them; empty if none was read."""
        return "; ".join(default.describe() for default in self.defaults)

    @property
    def words(self) -> str:
        """Further words for the search."""
        return f"{self.built_on} {self.key} {self.method.key} {self.method.name}"


PROGRAMS = {
    key: Program(
        key=key,
        title=table["title"],
        short=table.get("short", {}).get(key, table["title"]),
        flags=flags,
        read=bibtex(table["read"]),
        group=table["group"],
        defaults=tuple(Default(*row) for row in table.get("defaults", ())),
        ran=tuple(
            run
            for run in (EngineRun(*row) for row in table.get("ran", ()))
            if run.rule.partition("(")[0] == key
        ),
        remark=table.get("remark", ""),
        built_on=table.get("built_on", ""),
    )
    for table in TABLES["program"]
    for key, flags in table["names"].items()
}
"""The programs by their names in links, in the order of lists."""
PROGRAM_NAMES.update({key: one.short for key, one in PROGRAMS.items()} | TABLES["updates"])


def find_programs(rule: Method) -> list[Program]:
    """The programs with this rule and with its substeps, damping and caps; if there are none, or the
    rule has none of these, those with this rule whatever theirs are.
    """

    def strip(method: Method, **least: Any) -> str:
        least = {PRECISION.name: PRECISION.default, **least}
        own = [one.name for one in method.all_options if one.name in least]
        return method.with_options(**{name: least[name] for name in own}).label

    of_this_rule = [
        one
        for one in PROGRAMS.values()
        if one.method.key == rule.key and strip(one.method, **LEAST) == strip(rule, **LEAST)
    ]
    at_its_defaults = [one for one in of_this_rule if strip(one.method) == strip(rule)]
    is_plain = strip(rule) == strip(rule, **LEAST)
    return at_its_defaults if at_its_defaults and not is_plain else of_this_rule


def name_engines(rule: Method) -> str:
    """The names of the programs with this rule, separated by commas."""
    return ", ".join(dict.fromkeys(one.title for one in find_programs(rule)))


def default_options(name: str) -> dict[str, Any]:
    """The options that set a program's defaults; none for another name."""
    defaults = PROGRAMS[name].defaults if name in PROGRAMS else ()
    return {
        one.option: one.value for one in defaults if one.value > LEAST.get(one.option, one.value)
    }


def engine_rule(
    *, variants: Mapping[str, Mapping[str, Any]] = {}, **declaration: Any
) -> Callable[..., Method]:
    """Declare the rule of an engine: most are of first order, with the torque of one attitude and
    velocity.

    A variant under the name of a program has the program's defaults as well.
    """
    usual: dict[str, Any] = {
        "family": "Physics engines",
        "order": (1, 1),
        "torque_of_velocity": True,
    }
    whole = {name: {**options, **default_options(name)} for name, options in variants.items()}
    return rule(**(usual | declaration), variants=whole)
