"""What methods are called on screen: short names, which tell the variants of a method apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...text.formatting import join_words
from .method import Method, find_method
from .programs import PROGRAMS
from .step_options import PRECISION


def name_methods(methods: Iterable[Method | str], *, space: str | None = None) -> dict[str, str]:
    """The name of each of these methods on screen, by its label, or by the text that stands for it.

    A rule that was chosen by the name of a program has that name, with the options that differ from
    the program's own. Of variants of one method, each has the options that tell them apart. No two
    labels have one name: one that writes out a default keeps its label.
    """
    found = {
        one if isinstance(one, str) else one.label: find_method(one, space=space) for one in methods
    }
    groups: dict[str, list[Method]] = {}
    for method in found.values():
        groups.setdefault(_base(method), []).append(method)
    names: dict[str, str] = {}
    for key, method in found.items():
        name = _name_among(method, groups[_base(method)])
        namesakes = {found[other].label for other, one in names.items() if one == name}
        names[key] = name if namesakes <= {method.label} else method.given_name
    return names


def name_method(method: Method | str, *, space: str | None = None) -> str:
    """The name of one method on screen."""
    (name,) = name_methods([method], space=space).values()
    return name


def _base(method: Method) -> str:
    """The name without options."""
    return PROGRAMS[method.called].short if method.called in PROGRAMS else method.short


def _name_among(method: Method, variants: Sequence[Method]) -> str:
    """The name of a method among variants of the same base."""
    told = [
        option.describe_briefly(value)
        for option in method.all_options
        if (value := _changes(method).get(option.name)) is not None
        and (_is_of_program(method, option.name) or _differ(variants, option.name))
    ]
    composed = method.composition
    told += [f"{composed.name} {composed.order}"] if composed else []
    told += ["energy correction"] if method.energy_correction else []
    return " with ".join(filter(None, [_base(method), join_words(told)]))


def _changes(method: Method) -> Mapping[str, Any]:
    """The options that differ from the method's own, or from those of the program."""
    return method.changes if method.called in PROGRAMS else method.chosen


def _is_of_program(method: Method, option: str) -> bool:
    """Whether another value of an option makes it another rule than the program's."""
    return method.called in PROGRAMS and option != PRECISION.name


def _differ(variants: Sequence[Method], option: str) -> bool:
    """Whether an option has several values among these methods."""
    own = {one.name: one.default for one in variants[0].all_options}
    return len({one.chosen.get(option, own.get(option)) for one in variants}) > 1
