"""Machine code on disk, so that a kernel is compiled once on a machine and then loaded in a millisecond.

What is kept is the object code of one function that calls nothing but the C mathematics library. Loading it takes
LLVM alone: a process that finds all its kernels here does not even import Numba.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import importlib.metadata
import os
import platform
import sys
import tempfile
from pathlib import Path
from typing import Any

ENTRY = "polhode_entry"
"""The symbol under which an object's function is found."""

C_LIBRARY = frozenset(
    f"{name}" for name in (
        "sin", "cos", "sincos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "pow",
        "sqrt", "cbrt", "hypot", "fmod", "floor", "ceil", "fabs", "copysign", "memset", "memcpy",
    )
)  # fmt: skip
"""What an object may call. Anything else might not be there in the next process."""

_engines: list[Any] = []  # keeps loaded code alive


def directory() -> Path:
    """Where kernels are kept: POLHODE_CACHE_DIR, or the user's cache folder."""
    chosen = os.environ.get("POLHODE_CACHE_DIR")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "polhode" / "kernels"


@functools.cache
def _llvm() -> Any:
    """LLVM's bindings, imported when the first kernel is wanted: plain Python runs without them."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


@functools.cache
def target_machine() -> Any:
    """LLVM's description of this processor."""
    llvm = _llvm()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=3, codemodel="jitdefault",
        jit=True,
    )  # fmt: skip


@functools.cache
def environment() -> str:
    """What else machine code depends on: the versions of Python, Numba and LLVM, and the processor."""
    versions = [importlib.metadata.version(name) for name in ("numba", "llvmlite")]
    llvm = _llvm()
    cpu = (llvm.get_default_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())
    return repr((platform.python_version(), versions, cpu))


def load(key: str) -> int | None:
    """The address of the function kept under this key, or None."""
    try:
        content = (directory() / f"{key}.o").read_bytes()
    except OSError:
        return None
    digest, code = content[:32], content[32:]
    if hashlib.sha256(code).digest() != digest:  # cut short, or of another origin
        return None
    return link(code)


def holds(key: str) -> bool:
    """Whether something is kept under this key."""
    return (directory() / f"{key}.o").is_file()


def keeps() -> bool:
    """Whether something can be kept: the folder can be written to, or be made."""
    folder = directory()
    there = next((place for place in (folder, *folder.parents) if place.exists()), folder)
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)


def store(key: str, code: bytes) -> None:
    """Keep object code under a key; where nothing can be written, nothing is kept."""
    folder = directory()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=folder, suffix=".part")
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(code).digest() + code)
        os.replace(name, folder / f"{key}.o")  # a reader sees all of it or nothing
    except OSError:  # the disk is full, say: no half of a kernel takes up what is left of it
        with contextlib.suppress(OSError):
            os.unlink(name)


def link(code: bytes) -> int:
    """Make object code callable, and return its address."""
    llvm, machine = _llvm(), target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _engines.append(engine)
    address: int = engine.get_function_address(ENTRY)
    return address


def object_code(assembly: str, entry: str) -> bytes | None:
    """The object code of one function of an LLVM module, or None if it calls what the C library does not have.

    All other functions become internal, so that optimising once more drops what is not reached: above all the
    error paths, which ask for Python's own functions.
    """
    llvm = _llvm()
    module = llvm.parse_assembly(assembly)
    for function in module.functions:
        if function.name == entry:
            function.name = ENTRY
        elif not function.is_declaration:
            function.linkage = "internal"
    for variable in module.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    tuning = llvm.create_pipeline_tuning_options(speed_level=2)
    tuning.slp_vectorization = tuning.loop_vectorization = False
    builder = llvm.create_pass_builder(target_machine(), tuning)
    builder.getModulePassManager().run(module, builder)
    called = {f.name for f in module.functions if f.is_declaration and not f.name.startswith("llvm.")}
    if not called <= C_LIBRARY or any(variable.is_declaration for variable in module.global_variables):
        return None
    code: bytes = target_machine().emit_object(module)
    return code


def clear() -> int:
    """Forget all kernels on disk; returns how many there were."""
    kept = list(directory().glob("*.o"))
    for path in kept:
        path.unlink(missing_ok=True)
    return len(kept)


def function_type(*arguments: type, result: type | None = None) -> Any:
    """The type of a C function that is called without the GIL."""
    return ctypes.CFUNCTYPE(result, *arguments)
