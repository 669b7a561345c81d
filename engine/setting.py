"""What the kernels of one body and of two have in common: the options of their methods, and how they are made."""

from __future__ import annotations

from typing import Any

from .algorithms.method import Method
from .checks import Array
from .kernels import build
from .kernels.driver import Setting
from .kernels.layout import ONE_BODY, OPTION_NUMBERS, Layout
from .kernels.memory import OptionNumber
from .kernels.parts import Parts


def options_of(method: Method) -> tuple[Any, ...]:
    """What a kernel is handed for the options of the step: what a choice means, and where a number will stand."""
    values, options = method.option_values(), method.handed_on if method.step else ()
    places = (OptionNumber(i) for i in range(len(options)))
    return tuple(o.meaning(values[o.name]) if o.choices else next(places) for o in options)


def setting_made(
    parts: Parts,
    method: Method,
    compiled: bool,
    memory: tuple[Array, Array],
    observed: Any,
    layout: Layout = ONE_BODY,
) -> Setting:
    """A kernel with its memory, parameters and initial state, which many runs share."""
    parameters, initial = memory
    values = method.option_values()
    numbers = [values[option.name] for option in method.handed_on if not option.choices]
    parameters[OPTION_NUMBERS : OPTION_NUMBERS + len(numbers)] = numbers
    for shared in memory:
        shared.setflags(write=False)
    advance = build.compiled(parts, method.label) if compiled else None
    if advance is None:
        return Setting(build.plain(parts), False, parameters, initial, observed, layout)
    return Setting(advance, True, parameters, initial, observed, layout)
