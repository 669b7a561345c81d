"""LLVM's text to machine code of this processor, and machine code to a function that can be called."""

from __future__ import annotations

import ctypes
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


def machine_for(processor: str = "", features: str = "", effort: int = 3) -> Any:
    """LLVM's description of a processor, and its effort; one for each use, since it serves one thread only."""
    target = llvm().Target.from_default_triple()
    return target.create_target_machine(
        cpu=processor, features=features, opt=effort, codemodel="jitdefault", jit=True
    )


@functools.cache
def processor() -> tuple[str, str]:
    """The name of this processor, and its features."""
    return llvm().get_host_cpu_name(), llvm().get_host_cpu_features().flatten()


def module_of(text: str) -> Any:
    """A module from its text, in a context that it shares with no other: each may be worked on by a thread."""
    return llvm().parse_assembly(text, llvm().create_context())


def object_code(text: str, side_by_side: bool = False) -> bytes:
    """Machine code for a module's text; loops become vector instructions where they go through many bodies."""
    name, features = processor()
    return made_for(machine_for(name, widest(features) if side_by_side else features), text, side_by_side)


def widest(features: str) -> str:
    """A processor's features, with vectors of 512 bits where it has them: of Intel's LLVM would use the half."""
    return f"{features},-prefer-256-bit" if "+avx512f" in features.split(",") else features


def made_for(machine: Any, text: str, loops_to_vectors: bool = False) -> bytes:
    """A module's text as code of this machine."""
    module = module_of(text)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    module.verify()
    optimise(module, machine, loops_to_vectors)
    return emitted(module, machine)


def optimise(module: Any, machine: Any, loops_to_vectors: bool = False) -> None:
    """Have LLVM improve a module for a machine."""
    tuning = llvm().create_pipeline_tuning_options(speed_level=2)
    tuning.slp_vectorization, tuning.loop_vectorization = False, loops_to_vectors
    builder = llvm().create_pass_builder(machine, tuning)
    _unlocked("LLVMPY_RunNewModulePassManager")(builder.getModulePassManager(), module, builder)


def emitted(module: Any, machine: Any) -> bytes:
    """A module as code of a machine."""
    bound = llvm().ffi
    with bound.OutputString() as error:
        buffer = _unlocked("LLVMPY_TargetMachineEmitToMemory")(machine, module, 1, error)
        if not buffer:
            raise RuntimeError(str(error))
    try:
        return ctypes.string_at(bound.lib.LLVMPY_GetBufferStart(buffer), bound.lib.LLVMPY_GetBufferSize(buffer))
    finally:
        bound.lib.LLVMPY_DisposeMemoryBuffer(buffer)


def _unlocked(name: str) -> Any:
    """What takes LLVM long, as llvmlite binds it, without the lock that lets in one thread at a time.

    LLVM itself asks for that only where threads share a context. Should the lock be elsewhere one day, it stays.
    """
    function = getattr(llvm().ffi.lib, name)
    return getattr(function, "_cfn", function)


def link(code: bytes) -> int:
    """Make machine code callable for good, and return the function's address."""
    engine, address = loaded(code)
    _engines.append(engine)
    return address


def loaded(code: bytes) -> tuple[Any, int]:
    """Make machine code callable as long as what is returned first is kept; the second is the function's address."""
    engine = llvm().create_mcjit_compiler(module_of(""), machine_for())
    engine.add_object_file(llvm().ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine, engine.get_function_address(ENTRY)
