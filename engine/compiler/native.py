"""Native code: from LLVM IR to machine code of this processor, and to a callable function."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from llvmlite.binding import ModuleRef, TargetMachine

ENTRY = "polhode_entry"
"""The symbol under which a function is found."""

Tuning = Mapping[str, Any]
"""How much LLVM optimises, as its tuning options."""
FULL: Tuning = {"speed_level": 2, "loop_vectorization": False}
LOOPS_TO_VECTORS: Tuning = {"speed_level": 2, "loop_vectorization": True}
OF_VECTORS: Tuning = {"speed_level": 1, "loop_vectorization": False, "loop_unrolling": False}
"""Of code that has vectors already: it runs as fast, and takes three quarters of the time."""
LEAST: Tuning = {"speed_level": 0}
"""Of long code without branches, which only instruction selection makes faster."""

_engines: list[Any] = []  # keeps loaded code alive


@functools.cache
def llvm() -> ModuleType:
    """Return llvmlite's binding, imported when it is first needed: plain Python runs without it."""
    import llvmlite.binding

    llvmlite.binding.initialize_native_target()
    llvmlite.binding.initialize_native_asmprinter()
    return llvmlite.binding


def target_machine(processor: str = "", features: str = "", effort: int = 3) -> TargetMachine:
    """Return LLVM's description of a processor; one per use, because it serves one thread only."""
    target = llvm().Target.from_default_triple()
    return target.create_target_machine(
        cpu=processor, features=features, opt=effort, codemodel="jitdefault", jit=True
    )


@functools.cache
def processor() -> tuple[str, str]:
    """Return the name and the features of this processor."""
    return llvm().get_host_cpu_name(), llvm().get_host_cpu_features().flatten()


def parse_module(text: str) -> ModuleRef:
    """Parse a module in a context of its own, so that a thread can work on it."""
    return llvm().parse_assembly(text, llvm().create_context())


def object_code(text: str, side_by_side: bool = False, tuning: Tuning = FULL) -> bytes:
    """Compile a module's text to machine code; for bodies `side_by_side` with the widest vectors of
    the processor.
    """
    name, features = processor()
    machine = target_machine(name, widest(features) if side_by_side else features)
    return made_for(machine, text, tuning)


def compile_briefly(text: str) -> bytes:
    """Compile a module's text without optimisation, in a fraction of the time."""
    machine = target_machine(*processor(), effort=0)
    return emit_code(parse_for(machine, text), machine)


def widest(features: str) -> str:
    """Return a processor's features with 512-bit vectors where it has them; LLVM prefers 256 bits
    on Intel's.
    """
    return f"{features},-prefer-256-bit" if "+avx512f" in features.split(",") else features


def register_size() -> int:
    """Return how many real numbers the widest register of this processor holds."""
    features = processor()[1].split(",")
    return 8 if "+avx512f" in features else 4 if "+avx" in features else 2


def made_for(machine: Any, text: str, tuning: Tuning = FULL) -> bytes:
    """Compile a module's text for a machine."""
    module = parse_for(machine, text)
    optimise(module, machine, tuning)
    return emit_code(module, machine)


def parse_for(machine: Any, text: str) -> ModuleRef:
    """Parse and verify a module for a machine."""
    module = parse_module(text)
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    module.verify()
    return module


def optimise(module: Any, machine: Any, tuning: Tuning = FULL) -> None:
    """Run LLVM's optimisations on a module."""
    tuned = llvm().create_pipeline_tuning_options()
    for name, value in ({"slp_vectorization": False} | dict(tuning)).items():
        setattr(tuned, name, value)
    builder = llvm().create_pass_builder(machine, tuned)
    _unlocked("LLVMPY_RunNewModulePassManager")(builder.getModulePassManager(), module, builder)


def emit_code(module: Any, machine: Any) -> bytes:
    """Return a module as machine code."""
    bound = llvm().ffi
    with bound.OutputString() as error:
        buffer = _unlocked("LLVMPY_TargetMachineEmitToMemory")(machine, module, 1, error)
        if not buffer:
            raise RuntimeError(str(error))
    try:
        return ctypes.string_at(
            bound.lib.LLVMPY_GetBufferStart(buffer), bound.lib.LLVMPY_GetBufferSize(buffer)
        )
    finally:
        bound.lib.LLVMPY_DisposeMemoryBuffer(buffer)


def _unlocked(name: str) -> Any:
    """Return slow functions of llvmlite without its global lock.

    LLVM needs the lock only where threads share a context. If llvmlite moves the lock, it stays.
    """
    function = getattr(llvm().ffi.lib, name)
    return getattr(function, "_cfn", function)


def link(code: bytes) -> int:
    """Make machine code callable permanently, and return the function's address."""
    engine, address = load_code(code)
    _engines.append(engine)
    return address


def load_code(code: bytes) -> tuple[Any, int]:
    """Make machine code callable while the first returned object exists; the second is the
    address.
    """
    engine = llvm().create_mcjit_compiler(parse_module(""), target_machine())
    engine.add_object_file(llvm().ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine, engine.get_function_address(ENTRY)
