"""What a loop computes anew in each round is what changes in it."""

from __future__ import annotations

import math
import re

import pytest
from algebra.compiling import defined

from engine.compiler import native
from engine.compiler.program import text_of

TAKES = ("real*", "real", "int")
LOOP = """
def function(memory, x, n):
    total = 0.0
    for i in range(n):
        if memory[i] > 0.0:  # so that a round may do without
            total += memory[i] * {}
    return total
"""


def in_a_loop(text, what):
    """Whether LLVM's text of a function leads from where this stands to there again."""
    blocks = dict(re.findall(r"^([\w.-]+):(.*?)(?=^[\w.-]+:|^})", text, re.MULTILINE | re.DOTALL))
    leads = {name: set(re.findall(r"label %([\w.-]+)", lines)) for name, lines in blocks.items()}

    def beyond(names):
        more = set().union(*(leads[name] for name in names)) - names
        return beyond(names | more) if more else names

    places = [name for name, lines in blocks.items() if what in lines]
    assert places
    return any(place in beyond(leads[place]) for place in places)


@pytest.mark.parametrize(
    ("call", "name"), [("{} ** 2", "@pow("), ("math.tan({})", "@tan("), ("math.sin({})", "@llvm.sin.f64(")]
)
def test_a_function_of_what_stays_is_called_once(call, name):
    for x, repeated in (("x", False), ("memory[i]", True)):
        module = native.module_of(text_of(defined(LOOP.format(call.format(x)), {"math": math}), TAKES, "real"))
        native.optimise(module, native.machine_for(*native.processor()))
        assert in_a_loop(str(module).partition("define ")[2], name) == repeated
