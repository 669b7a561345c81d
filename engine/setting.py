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
    options = method.given_to_step
    places = (OptionNumber(i) for i in range(len(options)))
    return tuple(option.meaning(value) if option.choices else next(places) for option, value in options)


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
    numbers = [value for option, value in method.given_to_step if not option.choices]
    parameters[OPTION_NUMBERS : OPTION_NUMBERS + len(numbers)] = numbers
    for shared in memory:
        shared.setflags(write=False)
    advance = build.compiled(parts, method.label) if compiled else None
    if advance is None:
        return Setting(build.plain(parts), False, parameters, initial, observed, layout)
    return Setting(advance, True, parameters, initial, observed, layout)
