"""The project's C reference: handwritten methods for comparison with the engine's speed.

``load()`` compiles ``rigid.c`` (see there for the functions and their arguments) and returns a
:class:`Reference`; ``load_two_bodies()`` does the same with ``two_bodies.c``.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

HERE = Path(__file__).resolve().parent
SOURCES = ("rigid.c", "methods.inc", "two_bodies.c", "body.h", "vec3.h")

FUNCTIONS = {
    "MR2": "mr2",
    "MR4": "mr4",
    "NMB": "nmb",
    "AKW": "akw",
    "SW": "sw",
    "DMV": "dmv",
    "RKMK": "rkmk",
    "RK4-QUAT": "rk4_quat",
    "RESTORED": "restored",
    "NEWTON-1": "newton_1",
    "LINEAR-EULER": "linear_euler",
    "HIROTA-KIMURA": "hirota_kimura",
    "SPHERICAL-MIDPOINT": "spherical_midpoint",
    "TOUMA-WISDOM": "touma_wisdom",
}
"""The engine's key of each method, and its name in C."""

INVARIANTS = {
    "free": ("energy", "pi_x", "pi_y", "pi_z", "pi_squared", "Pi_squared", "orthogonality_squared"),
    "top": (
        *("energy", "pi_x", "pi_y", "pi_z", "pi_squared", "Pi_squared", "orthogonality_squared"),
        *("Pi_e3", "Gamma_squared"),
    ),
}
"""Invariants of a tracked run, in the order of its rows and extrema."""

STATUS = ("done", "no-solution", "diverged")

_DOUBLES = np.ctypeslib.ndpointer(dtype=np.float64, flags="C_CONTIGUOUS")


class EndState(NamedTuple):
    """Where a run ended: its status, the attitude and the body angular velocity."""

    status: str
    R: Array
    Omega: Array


class Tracked(NamedTuple):
    """A run with tracked invariants.

    ``rows`` holds (R, Omega, invariants) of every ``every``-th step, ``extrema`` the minima and the
    maxima of the invariants, shape (2, m), over the initial state and all steps.
    """

    status: str
    R: Array
    Omega: Array
    rows: Array
    extrema: Array


class Reference:
    """The compiled reference."""

    def __init__(self, path: Path, flags: tuple[str, ...], compiler_version: str) -> None:
        self.path = path
        self.flags = flags
        self.compiler_version = compiler_version
        self.methods = tuple(FUNCTIONS)
        self.problems = tuple(INVARIANTS)
        self._library = ctypes.CDLL(str(path))

    def function(self, method: str, problem: str, tracked: bool = False) -> Callable[..., int]:
        """The C function itself, typed for ctypes; it takes contiguous float64 arrays."""
        arguments: list[Any] = [_DOUBLES, _DOUBLES, ctypes.c_double, ctypes.c_int64]
        if tracked:
            arguments += [ctypes.c_int64, _DOUBLES, _DOUBLES]
        prototype = ctypes.CFUNCTYPE(ctypes.c_int, *arguments)
        return prototype(self.address(method, problem, tracked))

    def address(self, method: str, problem: str, tracked: bool = False) -> int:
        """The C function's address, for compiled callers."""
        if method not in FUNCTIONS:
            raise ValueError(
                f"The C reference has no method {method!r}; it has {', '.join(FUNCTIONS)}."
            )
        if problem not in INVARIANTS:
            raise ValueError(
                f"The C reference has no problem {problem!r}; it has {', '.join(INVARIANTS)}."
            )
        symbol = getattr(self._library, f"{FUNCTIONS[method]}_{problem}" + "_tracked" * tracked)
        address = ctypes.cast(symbol, ctypes.c_void_p).value
        assert address is not None
        return address

    def run(
        self,
        method: str,
        problem: str,
        R: ArrayLike,
        Omega: ArrayLike,
        J: ArrayLike,
        Mgl: float,
        h: float,
        n: int,
    ) -> EndState:
        """Take ``n`` steps of size ``h`` and store only the last state."""
        state, params = _pack(R, Omega, J, Mgl)
        code = self.function(method, problem)(state, params, h, n)
        return EndState(STATUS[code], state[:9].reshape(3, 3), state[9:])

    def run_tracked(
        self,
        method: str,
        problem: str,
        R: ArrayLike,
        Omega: ArrayLike,
        J: ArrayLike,
        Mgl: float,
        h: float,
        n: int,
        every: int = 0,
    ) -> Tracked:
        """Take the same steps, track the invariants after each, and store every ``every``-th row
        (0: none).

        Rows that a run which stopped early did not reach are nan.
        """
        state, params = _pack(R, Omega, J, Mgl)
        count = len(INVARIANTS.get(problem, ()))
        rows = np.full((n // every if every > 0 else 0, 12 + count), np.nan)
        extrema = np.empty((2, count))
        code = self.function(method, problem, tracked=True)(
            state, params, h, n, every, rows, extrema
        )
        return Tracked(STATUS[code], state[:9].reshape(3, 3), state[9:], rows, extrema)


def load(
    flags: Sequence[str] = ("-O3", "-march=native"), cc: str = "gcc", cache: Path | None = None
) -> Reference:
    """Compile the reference, or take it from the cache, and load it."""
    library, version = _compiled("rigid", tuple(flags), cc, cache)
    return Reference(library, tuple(flags), version)


SOLVERS = {"exp": "lgvi_exp", "cayley": "lgvi_cayley"}
"""LGVI's solvers, and their functions in C."""


class TwoBodyReference:
    """The compiled reference for two dumbbells."""

    def __init__(self, path: Path, flags: tuple[str, ...], compiler_version: str) -> None:
        self.flags = flags
        self.compiler_version = compiler_version
        self._library = ctypes.CDLL(str(path))

    def run(
        self, solver: str, state: ArrayLike, params: ArrayLike, h: float, n: int
    ) -> tuple[str, Array]:
        """Take ``n`` steps of size ``h``: the status, and the state (36,) at the end."""
        end = np.array(state, dtype=np.float64)
        prototype = ctypes.CFUNCTYPE(
            ctypes.c_int, _DOUBLES, _DOUBLES, ctypes.c_double, ctypes.c_int64
        )
        function = prototype((SOLVERS[solver], self._library))
        return STATUS[function(end, np.array(params, dtype=np.float64), h, n)], end


def load_two_bodies(
    flags: Sequence[str] = ("-O3", "-march=native"), cc: str = "gcc", cache: Path | None = None
) -> TwoBodyReference:
    """Compile the reference for two bodies, or take it from the cache, and load it."""
    library, version = _compiled("two_bodies", tuple(flags), cc, cache)
    return TwoBodyReference(library, tuple(flags), version)


def _compiled(name: str, flags: tuple[str, ...], cc: str, cache: Path | None) -> tuple[Path, str]:
    """The shared library of one of the sources, and the compiler's version."""
    version = _output([cc, "--version"]).splitlines()[0]
    # The predefined macros name the compiler's version and what -march=native stands for on this
    # machine.
    macros = _output([cc, *flags, "-dM", "-E", "-x", "c", os.devnull])
    key = hashlib.sha256("\0".join((cc, *flags, macros)).encode())
    for source in SOURCES:
        key.update((HERE / source).read_bytes())
    directory = _cache_directory() if cache is None else cache
    directory.mkdir(parents=True, exist_ok=True)
    library = directory / f"{name}-{key.hexdigest()[:20]}.so"
    if not library.exists():
        # Built under a name of its own and then renamed, so that two processes can build at once.
        with tempfile.TemporaryDirectory(dir=directory) as scratch:
            built = Path(scratch) / library.name
            _output(
                [cc, *flags, "-shared", "-fPIC", str(HERE / f"{name}.c"), "-o", str(built), "-lm"]
            )
            built.replace(library)
    return library, version


def _output(command: list[str]) -> str:
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout
    except OSError as error:
        raise RuntimeError(
            f"The C reference needs a C compiler, and {command[0]!r} cannot be run here ({error.strerror})."
        ) from error
    except subprocess.CalledProcessError as error:
        raise RuntimeError(f"{' '.join(command)} failed:\n{error.stderr.strip()}") from error


def _cache_directory() -> Path:
    """Return the user's cache directory; without a writable home, a new temporary one."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    directory = base / "polhode" / "reference"
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="polhode-reference-"))
    return (
        directory
        if os.access(directory, os.W_OK)
        else Path(tempfile.mkdtemp(prefix="polhode-reference-"))
    )


def _pack(R: ArrayLike, Omega: ArrayLike, J: ArrayLike, Mgl: float) -> tuple[Array, Array]:
    state = np.empty(12)
    state[:9] = np.asarray(R, dtype=np.float64).ravel()
    state[9:] = Omega
    params = np.empty(4)
    params[:3] = J
    params[3] = Mgl
    return state, params
