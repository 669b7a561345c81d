"""Loops recompute only what changes in them, and loops over bodies become vector instructions."""

from __future__ import annotations

import math
import re

import pytest
from algebra.compiling import define_function
from covering import first

import engine
from engine.compiler import native
from engine.compiler.frontend.compilation import text_of
from engine.kernels import build, make_parts
from engine.simulation.one_body import list_kernels

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
    """Return whether LLVM's text of a function has a path from this instruction back to itself."""
    blocks = dict(re.findall(r"^([\w.-]+):(.*?)(?=^[\w.-]+:|^})", text, re.MULTILINE | re.DOTALL))
    leads = {name: set(re.findall(r"label %([\w.-]+)", lines)) for name, lines in blocks.items()}

    def beyond(names):
        more = set().union(*(leads[name] for name in names)) - names
        return beyond(names | more) if more else names

    places = [name for name, lines in blocks.items() if what in lines]
    assert places
    return any(place in beyond(leads[place]) for place in places)


@pytest.mark.parametrize(
    ("call", "name"),
    [("{} ** 2", "@pow("), ("math.tan({})", "@tan("), ("math.sin({})", "@llvm.sin.f64(")],
)
def test_a_function_of_what_stays_is_called_once(call, name):
    for x, repeated in (("x", False), ("memory[i]", True)):
        module = native.parse_module(
            text_of(define_function(LOOP.format(call.format(x)), {"math": math}), TAKES, "real")
        )
        native.optimise(module, native.target_machine(*native.processor()))
        assert in_a_loop(str(module).partition("define ")[2], name) == repeated


def side_by_side(method, processor, features):
    """Return LLVM's machine code of a method's kernel for many free bodies, for a processor."""
    parts = make_parts(
        engine.algorithm(method), engine.problem("free").action(0.5).field
    ).for_batches(True)
    assert parts.quick
    module = native.parse_module(build.text_of(parts))
    machine = native.target_machine(processor, features)
    native.optimise(module, machine, native.LOOPS_TO_VECTORS)
    return str(module)


@pytest.mark.parametrize("method", first(["MR2", "SW", "RKMK"]))
def test_bodies_side_by_side_are_written_in_whole_vectors(method):
    """Masked vectors, for stopped bodies, are slow on some processors and missing on others."""
    text = side_by_side(method, *native.processor())
    assert re.search(r"store <\d+ x double>", text) and "masked.store" not in text


@pytest.mark.exhaustive
def test_no_step_of_bodies_side_by_side_calls_for_a_power():
    """Each body may have its own h; a call inside the loop, as for h**2, would prevent vectors."""
    for method in engine.algorithms():
        if method.order is not None:
            parts = make_parts(method, engine.problem("free").action(0.5).field).for_batches(
                True, varied=True
            )
            assert not parts.quick or "@pow(" not in build.text_of(parts), method.key


@pytest.mark.skipif(
    "x86_64" not in native.llvm().get_default_triple(), reason="of processors by Intel and AMD"
)
def test_vectors_are_as_wide_as_the_processor_s():
    """By default, LLVM uses half the width of Intel's vectors."""
    for processor, features, numbers in (
        ("icelake-server", "+avx512f", 8),
        ("haswell", "+avx2", 4),
    ):
        text = side_by_side("MR2", processor, native.widest(features))
        assert {int(n) for n in re.findall(r"fmul contract <(\d+) x double>", text)} == {numbers}


@pytest.mark.parametrize(
    ("features", "numbers"), [("+sse2,-avx", 2), ("+avx,-avx512f", 4), ("+avx,+avx512f", 8)]
)
def test_as_many_bodies_make_their_own_steps_at_once_as_a_register_holds(
    features, numbers, monkeypatch
):
    monkeypatch.setattr(native, "processor", lambda: ("", features))
    field = engine.problem("free").action(0.5).field
    parts = make_parts(engine.algorithm("TAYLOR"), field).for_batches(True)
    assert parts.width == numbers and f"<{numbers} x double>" in build.text_of(parts)


@pytest.mark.parametrize(
    ("key", "tuning"), [("slow-top", native.OF_VECTORS), ("magnet", native.LEAST)]
)
def test_long_kernels_that_expand_series_are_hardly_optimised(key, tuning, monkeypatch):
    used = []
    monkeypatch.setattr(native, "optimise", lambda module, machine, tuning: used.append(tuning))
    monkeypatch.setattr(native, "emit_code", lambda module, machine: b"")
    problem = engine.problem(key)
    (parts,) = list_kernels(problem, engine.algorithm("TAYLOR"), problem.dt)
    build.object_code(parts)
    build.object_code(parts.for_batches(True))
    assert used == [tuning, native.OF_VECTORS]
