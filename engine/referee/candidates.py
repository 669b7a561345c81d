"""Rules that a trajectory is compared with: the methods of the catalogue with their flags, and their
names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from math import isclose

from ..algorithms.core import SUBSTEPS, FixedStep, Method, all_methods, find_method
from ..algorithms.core.programs import LEAST

DAMPED = "damped"
"""The option that chooses when damping acts; without damping all its words mean the same."""
LIMITS = tuple(name for name in LEAST if name != SUBSTEPS.name)
"""The options that damp or cap."""


def list_rules(names: Iterable[str | Method] | None = None) -> list[Method]:
    """The methods with steps of a given size and every choice of their words, without damping, caps and
    substeps; or those of these names.
    """
    found: dict[str, Method] = {}
    if names is not None:
        for method in map(find_method, names):
            if isinstance(method, FixedStep):
                found.setdefault(strip(method).label, strip(method))
        return list(found.values())
    for method in all_methods():
        if not isinstance(method, FixedStep):
            continue
        choices = {o.name: o.choices for o in method.options if o.choices and o.name != DAMPED}
        for words in product(*choices.values()):
            rule = write_out(method.with_options(**dict(zip(choices, words, strict=True))))
            found.setdefault(rule.label, rule)
        for name in method.variants:
            rule = strip(find_method(name, space=method.space))
            found.setdefault(rule.label, rule)
    return list(found.values())


def strip(method: Method) -> Method:
    """The method without damping, caps and substeps, in 64 bits."""
    own = {option.name for option in method.all_options}
    least = {name: value for name, value in LEAST.items() if name in own}
    words = {o.name: o.default for o in method.options if o.name == DAMPED}
    return write_out(method.with_options(**least, **words, precision="double"))


def write_out(method: Method) -> Method:
    """The method of the catalogue, with only those options that differ from its defaults."""
    plain = find_method(method.key, space=method.space)
    own = {option.name: option.default for option in method.all_options}
    changed = {name: value for name, value in method.chosen.items() if value != own[name]}
    return plain.with_options(**changed) if changed else plain


def list_limited(rules: Iterable[Method]) -> list[Method]:
    """The forms of rules that damp or cap."""
    forms = (form for rule in rules for form in list_damped(rule) or [rule])
    return [form for form in forms if any(option.name in LIMITS for option in form.options)]


def list_damped(rule: Method) -> list[Method]:
    """The forms of a rule that damp, one for each time at which damping acts; none if it has no
    damping.
    """
    options = {option.name: option for option in rule.options}
    if "damping" not in options:
        return []
    if DAMPED not in options:
        return [rule]
    return [write_out(rule.with_options(damped=word)) for word in options[DAMPED].choices]


def list_starts(form: Method, cap: float, dt: float) -> list[dict[str, float]]:
    """First values of a rule's damping and caps: a cap acts just below the largest velocity `cap`, unless
    that is 0.
    """
    below = cap * (1.0 - 1e-6)
    guesses = {"max_speed": below, "max_component": below, "max_turn": below * dt}
    own = [option.name for option in form.options]
    caps = [{name: guesses[name]} for name in own if name in guesses and cap]
    damping = [{"damping": 1e-3}] if "damping" in own else []
    return [*damping, *caps, *(one | each for one in damping for each in caps)]


def list_defaults(rule: Method, name: str) -> list[float]:
    """The values that engines with the rule's method have of a number."""
    engines = (find_method(engine, space=rule.space) for engine in rule.variants)
    return sorted({float(engine.chosen[name]) for engine in engines if name in engine.chosen})


def name_rules(
    rules: Iterable[tuple[Method, Mapping[str, float]]], substeps: int, fastest: float, dt: float
) -> list[str]:
    """The names of one rule, as `engine.algorithm` takes them: those of engines at their defaults, then
    of engines with changed options, then those of methods.

    rules : forms of it, which move a body alike, each with the damping and the caps that act in
        it, of a frame.
    fastest : the largest angular velocity, below which no cap acts.
    """
    forms = [(form, {name: x for name, x in numbers.items() if x}) for form, numbers in rules]
    engines: dict[str, bool] = {}
    for form, numbers in forms:
        for name in form.variants:
            engine = find_method(name, space=form.space)
            changes = _change_engine(engine, form, numbers, substeps, fastest, dt)
            if changes is not None:
                changed = engine.with_options(**changes)
                engines[changed.given_name] = not changed.changes
    in_order = sorted(engines, key=lambda name: not engines[name])
    return [_shorten(name) for name in (*in_order, *_name_methods(forms, substeps))]


def _change_engine(
    engine: Method,
    form: Method,
    numbers: Mapping[str, float],
    substeps: int,
    fastest: float,
    dt: float,
) -> dict[str, float] | None:
    """What to change of an engine's defaults to have this form of a rule; None if it is another."""
    own = {option.name: option for option in engine.all_options}
    values = {name: engine.chosen.get(name, option.default) for name, option in own.items()}
    is_damped = numbers.get("damping", 0.0) > 0.0
    if strip(engine).label != strip(form).label or any(name not in own for name in numbers):
        return None
    if (
        is_damped
        and DAMPED in own
        and values[DAMPED] != form.chosen.get(DAMPED, own[DAMPED].default)
    ):
        return None
    changes: dict[str, float] = {}
    if substeps != values[SUBSTEPS.name]:
        changes[SUBSTEPS.name] = substeps
    for name in filter(own.__contains__, LIMITS):
        wanted = numbers.get(name, 0.0)
        value = float(values[name])
        limited = fastest * dt if own[name].of_frame else fastest
        acts = value > 0.0 and (name == "damping" or limited > value)
        if not isclose(wanted, value if acts else 0.0, rel_tol=1e-7):
            changes[name] = wanted
    return changes


def _shorten(name: str) -> str:
    """A name without the zeros of whole numbers: jolt(damping=0)."""
    return re.sub(r"\.0(?=[,)])", "", name)


def _name_methods(
    forms: Iterable[tuple[Method, Mapping[str, float]]], substeps: int
) -> Iterator[str]:
    """The labels of the forms, of each method the one with the fewest options."""
    shortest: dict[str, str] = {}
    for form, numbers in sorted(forms, key=lambda one: len(one[0].label)):
        given = {**numbers, **({SUBSTEPS.name: substeps} if substeps > 1 else {})}
        shortest.setdefault(form.key, form.with_options(**given).label)
    yield from shortest.values()
