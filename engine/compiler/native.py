"""LLVM's text to machine code of this processor, and machine code to a function that can be called."""

from __future__ import annotations

import functools
from typing import Any

ENTRY = "polhode_entry"
"""The symbol under which a function is found."""

_engines: list[Any] = []  # keeps loaded code alive


@functools.cache
def llvm() -> Any:
    """LLVM's bindings, imported when the first function is wanted: plain Python runs without them."""
    import llvmlite.binding

    llvmlite.binding.initialize_native_target()
    llvmlite.binding.initialize_native_asmprinter()
    return llvmlite.binding


@functools.cache
def target_machine() -> Any:
    """LLVM's description of this processor."""
    return llvm().Target.from_default_triple().create_target_machine(
        cpu=llvm().get_host_cpu_name(), features=llvm().get_host_cpu_features().flatten(), opt=3,
        codemodel="jitdefault", jit=True,
    )  # fmt: skip


def object_code(text: str, side_by_side: bool = False) -> bytes:
    """Machine code for a module's text; loops become vector instructions where they go through many bodies."""
    module = llvm().parse_assembly(text)
    machine = target_machine()
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    module.verify()
    optimise(module, side_by_side)
    code: bytes = machine.emit_object(module)
    return code


def optimise(module: Any, loops_to_vectors: bool = False) -> None:
    """Have LLVM improve a module."""
    tuning = llvm().create_pipeline_tuning_options(speed_level=2)
    tuning.slp_vectorization, tuning.loop_vectorization = False, loops_to_vectors
    builder = llvm().create_pass_builder(target_machine(), tuning)
    builder.getModulePassManager().run(module, builder)


def link(code: bytes) -> int:
    """Make machine code callable, and return the function's address."""
    engine = llvm().create_mcjit_compiler(llvm().parse_assembly(""), target_machine())
    engine.add_object_file(llvm().ObjectFileRef.from_data(code))
    engine.finalize_object()
    _engines.append(engine)
    address: int = engine.get_function_address(ENTRY)
    return address
