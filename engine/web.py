"""Runs without Python: a method's kernel as a WebAssembly module, with what whoever calls it has to know.

>>> made = engine.web.module("slow-top", "NMB")
>>> made.code[:4], made.header["series"]["energy"]
(b'\\x00asm', Place(at=13, size=1, squared=False))

`assets/engine.js` runs such modules, in browsers and in Node.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from .compiler import cache
from .kernels import build, layout
from .kernels.layout import Place
from .kernels.parts import Parts
from .plan import ENDINGS, WHAT_BLOWS_UP
from .problems.problem import Posed, posed
from .simulate import planned
from .systems import system_of

LEDGER = ("STEP", "OUTCOME", "UNSOLVED", "BAD_TORQUE", "NEWTON_ITERATIONS", "TORQUE_EVALUATIONS", "UNCORRECTED")
OUTCOMES = ("RUNNING", "CANCELLED")
MEMORY = ("parameters", "state", "ledger", "last", "extrema")


@dataclass(frozen=True, eq=False)
class Module:
    """A WebAssembly module that exports one function, "run", and what there is to know of it, as JSON takes it."""

    code: bytes
    header: dict[str, Any]

    def __repr__(self) -> str:
        return f"<module of {self.header['method']} on {self.header['problem']}: {len(self.code):,} bytes>"


def module(
    problem: str | Posed,
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
    """The kernel of a method on a problem, and what a run of `engine.simulate` with these arguments gives it.

    Raises
    ------
    ValueError
        In one sentence, where there is no such module: the method does not go by steps of one size, say, or a torque
        of the caller's own calls NumPy.
    """
    body, plan = planned(problem, method, dt, duration, steps, None, None, energy_correction, compose, options)
    if plan.method.solve is not None:
        raise ValueError(f"{plan.method.label} does not go by steps of one size, and so there is no module of it")
    system = system_of(body).portable
    parts, setting, places = system.kernel(body, plan.method, plan.dt)
    header = {
        "problem": body.label,
        "method": plan.method.label,
        "dt": plan.dt,
        "steps": plan.steps,
        "memory": _lengths(setting.memory[1]),
        "observed": setting.layout.observed,
        "parameters": setting.parameters.tolist(),
        "initial": setting.initial.tolist(),
        "series": places,
        "axes": system.axes_of(body),
        "ledger": {name.lower(): getattr(layout, name) for name in LEDGER},
        "outcomes": {name.lower(): getattr(layout, name) for name in OUTCOMES},
        "states": layout.STATES,
        "endings": ENDINGS,
        "what": WHAT_BLOWS_UP[getattr(body, "torque", None) is not None],
        "messages": plan.messages,
    }
    return Module(_kept(parts), header)


def beginning(problem: str | Posed, /) -> Module:
    """How a run begins, from numbers that a person may change: moments, Ω₀, R₀, the weight of a top …

    The function takes the places of these numbers, the step, and the places of a kernel's parameters and its state.
    """
    from .compiler import wasm  # imported when something is compiled, and not before

    body = posed(problem)
    system = system_of(body).portable
    chosen: dict[str, Place] = {}
    given = []
    for name, (parameter, values) in system.given_of(body).items():
        place = Place(sum(each.size for each in chosen.values()), len(values))
        if parameter in body.specific and _text(system.beginning(body, chosen | {name: place})) is None:
            continue  # what acts depends on it in another way than by numbers: it stays what it is
        chosen[name] = place
        given.append({"name": name, "at": place.at, "value": values, "low": parameter.low, "high": parameter.high})
    text = _text(system.beginning(body, chosen))
    if text is None:
        raise ValueError(f"what acts on {body.label} cannot be compiled, and so it begins only as it is declared")
    return Module(wasm.module(text), {"problem": body.label, "method": "any method", "given": given})


def _text(begins: Any) -> str | None:
    """The function as LLVM's text; None if it cannot be compiled."""
    from .compiler import program
    from .compiler.refusal import NotCompiled

    try:
        return program.text_of(begins, ("real*", "real", "real*", "real*"), fused=False)
    except NotCompiled:
        return None


def _kept(parts: Parts) -> bytes:
    """The module of a kernel, from the cache or made now."""
    from .compiler import wasm

    key = parts.key(wasm.environment())
    code = cache.load(key)
    if code is None:
        code = wasm.module(build.text_of(parts, fused=False))
        cache.store(key, code)
    return code


def _lengths(places: tuple[int, ...]) -> dict[str, int]:
    """How many numbers each part of a run's memory has, in their order."""
    return {part: end - begin for part, (begin, end) in zip(MEMORY, pairwise(places), strict=True)}
