"""Runs without Python: a method's kernel as a WebAssembly module, with all that its caller needs.

>>> made = engine.web.module("slow-top", "NMB")
>>> made.code[:4], made.header["series"]["energy"]
(b'\\x00asm', Place(at=13, size=1, squared=False))

`assets/js/core/engine.js` runs such modules, in browsers and in Node.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from math import isfinite
from typing import Any, Protocol

from ..algorithms import name_method
from ..algorithms.core import Method, Solver
from ..compiler import cache
from ..kernels import Parts, Place, ReadyKernel, build, layout
from ..parameters.parameter import Parameter
from ..problems.problem import AnyProblem, find_problem
from ..quantities import Quantity, make_key, write_text
from ..simulation import ENDINGS, Steps, make_request, name_blown_up
from . import given_rates, one_body, two_bodies


class Portable(Protocol):
    """The functions that export a run, for one body or for two."""

    def make_kernel(
        self, problem: Any, method: Method, dt: float
    ) -> tuple[Parts, ReadyKernel, Mapping[str, Place]]:
        """The parts of a kernel that calls nothing of this process, the kernel, and the places in
        its rows.
        """

    def list_axes(self, problem: Any) -> dict[str, list[float]]:
        """The series that a kernel stores in principal axes, and these axes, row by row, as
        columns.
        """

    def list_start(self, problem: Any) -> dict[str, tuple[Parameter, list[float]]]:
        """The parameters of a start by name, with their numbers."""

    def make_start_writer(self, problem: Any, chosen: Mapping[str, Place]) -> Callable[..., None]:
        """A function (given, dt, parameters, initial) that writes a kernel's parameters and initial
        state.
        """


PORTABLE: dict[str, Portable] = {"so3": one_body, "se3": two_bodies, "rates": given_rates}
"""Implementations by the space of a problem."""
LEDGER = (
    "STEP",
    "OUTCOME",
    "UNSOLVED",
    "BAD_TORQUE",
    "NEWTON_ITERATIONS",
    "TORQUE_EVALUATIONS",
    "UNCORRECTED",
)
OUTCOMES = ("RUNNING", "CANCELLED")
WASM = b"\0asm"
"""What a module begins with."""
MEMORY = ("parameters", "state", "ledger", "last", "extrema")


@dataclass(frozen=True, eq=False)
class Module:
    """A WebAssembly module that exports one function, "run", its description for JSON, and its key
    for `load`.
    """

    code: bytes
    header: dict[str, Any]
    key: str

    def __repr__(self) -> str:
        return f"<module of {self.header['method']} on {self.header['problem']}: {len(self.code):,} bytes>"


def module(
    problem: str | AnyProblem,
    method: str | Any,
    /,
    *,
    dt: float | None = None,
    duration: float | None = None,
    steps: int | None = None,
    energy_correction: bool = False,
    compose: str | None = None,
    **options: Any,
) -> Module:
    """The kernel of a method on a problem, with all that `engine.simulate` with these arguments
    passes to it.

    Raises
    ------
    ValueError
        In one sentence, if there is no such module: the method is a solver of SciPy's, say, or a
        custom torque cannot be compiled.
    """
    from ..compiler import wasm  # imported only to compile

    request = make_request(
        problem, method, Steps(dt, duration, steps), energy_correction, compose, options
    )
    body = request.problem
    if isinstance(request.method, Solver):
        raise ValueError(f"{request.method.label} does not step in a kernel, so it has no module")
    system = PORTABLE[body.space]
    numbers = [option.name for option, _ in request.method.step_arguments if not option.choices]
    parts, kernel, places = system.make_kernel(body, request.method, request.dt)
    header = {
        "problem": body.label,
        "method": request.method.label,
        "name": name_method(request.method),
        "dt": request.dt,
        "steps": request.steps,
        "memory": _measure_memory(kernel.memory[1]),
        "observed": kernel.row.observed,
        "parameters": kernel.parameters.tolist(),
        "options": {name: layout.OPTION_NUMBERS + i for i, name in enumerate(numbers)},
        "end": layout.STOPS,
        "initial": kernel.initial.tolist(),
        "series": places,
        "axes": system.list_axes(body),
        "ledger": {name.lower(): getattr(layout, name) for name in LEDGER},
        "outcomes": {name.lower(): getattr(layout, name) for name in OUTCOMES},
        "states": layout.STATES,
        "endings": ENDINGS,
        "what": name_blown_up(body.custom),
        "messages": list(request.messages),
    }
    return _make_module(
        header,
        parts.key(wasm.environment()),
        lambda: build.text_of(parts, fused=False, register=wasm.REGISTER),
    )


def beginning(problem: str | AnyProblem, /) -> Module:
    """The start of a run, from numbers that a user can change: moments, Ω₀, R₀, the weight of a top
    …

    The function takes the places of these numbers, the step, and the places of a kernel's
    parameters and its state.
    """
    from ..compiler import wasm  # imported only to compile

    body = find_problem(problem)
    system = PORTABLE[body.space]
    chosen: dict[str, Place] = {}
    given = []
    for name, (parameter, values) in system.list_start(body).items():
        place = Place(sum(each.size for each in chosen.values()), len(values))
        if (
            parameter in body.specific
            and _compile_text(system.make_start_writer(body, chosen | {name: place})) is None
        ):
            continue  # the action depends on it other than by numbers, so it stays constant
        chosen[name] = place
        given.append(
            {
                "name": name,
                "at": place.at,
                "value": values,
                "low": parameter.low,
                "high": parameter.high,
            }
        )
    text = _compile_text(system.make_start_writer(body, chosen))
    if text is None:
        raise ValueError(
            f"the action on {body.label} cannot be compiled, so its start cannot change"
        )
    header = {"problem": body.label, "method": "any method", "given": given}
    return _make_module(
        header, sha256((text + wasm.environment()).encode()).hexdigest()[:40], lambda: text
    )


def quantities(chosen: Sequence[Quantity], /) -> Module:
    """Quantities, which `assets/js/core/quantities.js` computes of runs in browsers.

    Raises
    ------
    ValueError
        In one sentence, if a function cannot be compiled.
    """
    from ..compiler import wasm  # imported only to compile

    formulas = {one.formula.key: one.formula for one in chosen}
    numbers = {key: i for i, key in enumerate(formulas)}
    described = {
        one.key: {
            "formula": numbers[one.formula.key],
            "reads": [
                (reading.series, reading.of, reading.component or 0) for reading in one.readings
            ],
            **({"divisor": one.divisor} if one.divisor else {}),
            **({"factor": one.factor} if one.factor != 1.0 else {}),
            **({"limit": one.limit} if isfinite(one.limit) else {}),
        }
        for one in chosen
    }
    header = {"problem": "any problem", "method": "any method", "quantities": described}
    distinct = list(formulas.values())
    key = make_key(distinct, wasm.environment())
    return _make_module(header, key, lambda: write_text(distinct, fused=False))


def list_numbers(problem: str | AnyProblem, /) -> dict[str, list[float]]:
    """The numbers of a problem by name; `beginning` reads those that its action takes as
    numbers.
    """
    body = find_problem(problem)
    return {name: values for name, (_, values) in PORTABLE[body.space].list_start(body).items()}


def _compile_text(writer: Any) -> str | None:
    """The function as LLVM text; None if it cannot be compiled."""
    from ..compiler.frontend import compilation
    from ..compiler.frontend.refusal import NotCompiled

    try:
        return compilation.text_of(writer, ("real*", "real", "real*", "real*"), fused=False)
    except NotCompiled:
        return None


def load(key: str) -> bytes | None:
    """The code of a module by its key; None if the cache has none."""
    code = cache.load(key)
    return code if code is not None and code.startswith(WASM) else None


def _make_module(header: dict[str, Any], key: str, write: Callable[[], str]) -> Module:
    """A module from the cache, or compiled now from the LLVM text that `write` returns."""
    from ..compiler import wasm  # imported only to compile

    code = load(key)
    if code is None:
        code = wasm.module(write())
        cache.store(key, code)
    return Module(code, header, key)


def _measure_memory(places: tuple[int, ...]) -> dict[str, int]:
    """The size of each part of a run's memory, in order."""
    return {part: end - begin for part, (begin, end) in zip(MEMORY, pairwise(places), strict=True)}
