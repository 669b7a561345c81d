"""The program of a method: its functions, and a run of a body as an example."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..algebra import Diag3, Mat3, Vec3, dot, rotation_of
from ..algorithms.core import CORRECTIONS, FixedStep, Method, euler_ratios
from ..kernels import given_rates, one_body
from .tidy import drop_unread_fields
from .tree import (
    Assign,
    Block,
    Body,
    Const,
    Expr,
    For,
    Function,
    Make,
    Name,
    Print,
    Return,
    Unwritable,
)  # fmt: skip
from .walk import Named, OwnTorque, Walker

R, VELOCITY, T, H = Name(Mat3, "R"), Name(Vec3, "Ω"), Name(float, "t"), Name(float, "h")
BODY, STEPS = Name(Body, "body"), Name(int, "steps")


@dataclass(frozen=True)
class Example:
    """The run of a program: a body in principal axes, its start, and the frames.

    `own` are functions in place of those that the user fills in, written with values of
    `engine.algebra`.
    """

    moments: Sequence[float] = (1.0, 2.0, 3.0)
    Omega0: Sequence[float] = (0.1, 2.0, 0.1)
    R0: Sequence[float] = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    dt: float = 1 / 60
    steps: int = 600
    own: dict[str, Callable[..., Any]] = field(default_factory=dict)


@dataclass
class MethodProgram:
    """What a language writes: the example, which calls the functions; the fields of the body; and
    the step.
    """

    method: Method
    main: Block
    fields: dict[str, type]
    step: Function
    single_step: Function


@dataclass(frozen=True, eq=False)
class Assembly:
    """What the functions of a program are made of, known when they are written.

    Attributes
    ----------
    stages, correct : the parts of a step, and the correction of the energy.
    rotation, velocity : what makes R and Ω of the variables that the method carries, if these are others.
    zero : t at the start.
    """

    step: Callable[..., Any]
    start: Callable[..., Any] | None
    options: tuple[Any, ...]
    stages: tuple[tuple[float, float], ...]
    correct: Callable[..., Any] | None
    substeps: int
    rotation: Callable[..., Any] | None
    velocity: Callable[..., Any] | None
    of_rates: bool
    zero: Expr = field(default_factory=lambda: Const(float, 0.0))

    @property
    def in_parts(self) -> bool:
        """Whether a step is more than one of the method."""
        return len(self.stages) > 1 or self.correct is not None


# -------------------------------------------------------------------------------------------------
# functions of programs, which the walk reads


def main(of: Assembly, steps: int, J: Diag3, h: float, R: Mat3, Ω: Vec3) -> Any:
    """The example."""
    body = make_body(J)
    if of.correct is not None:
        body = Body(body.J, body.Jinv, body.ratios, find_energy(body.J, Ω), Vec3(0.0, 0.0, 0.0))
    state: Any = (R,) if of.of_rates else (R, Ω)
    if of.start is not None:
        if of.substeps > 1:
            body = hold(body, of.zero, *state)
        state = of.start(body, of.zero, h, *state, *of.options)
    for k in range(steps):
        state = advance(of, body, float(k) * (float(of.substeps) * h), h, state)
    return show(of, body, state)


def advance(of: Assembly, body: Any, t: float, h: float, state: Any) -> Any:
    """A frame, a step in parts or a step."""
    return frame(of, body, t, h, state) if of.substeps > 1 else take_step(of, body, t, h, state)


def frame(of: Assembly, body: Any, t: float, h: float, state: Any) -> Any:
    """Several steps."""
    shown = show(of, body, state)
    body = hold(body, t, *shown)
    if of.start is not None and len(state) > 2:
        state = of.start(body, t, h, *shown, *of.options)
    for i in range(of.substeps):
        state = take_step(of, body, t + float(i) * h, h, state)
    return state


def take_step(of: Assembly, body: Any, t: float, h: float, state: Any) -> Any:
    """A step in parts or a step."""
    return (
        step_in_parts(of, body, t, h, state)
        if of.in_parts
        else of.step(body, t, h, *state, *of.options)
    )


def step_in_parts(of: Assembly, body: Any, t: float, h: float, state: Any) -> Any:
    """Steps of a composition, and the energy correction."""
    for begin, size in of.stages:
        state = of.step(body, t + begin * h, size * h, *state, *of.options)
    if of.correct is not None:
        state = of.correct(body, state, body.energy)
    return state


def show(of: Assembly, body: Any, state: Any) -> Any:
    """R and Ω of a state; R alone if rates are given."""
    R = state[0] if of.rotation is None else of.rotation(state[0])
    if of.of_rates:
        return (R,)
    Ω = state[1] if of.velocity is None else of.velocity(body, R, state[1])
    return R, Ω


def hold(body: Any, t: Any, R: Mat3, Ω: Vec3) -> Any:
    """The body with the torque that is held."""
    return Body(body.J, body.Jinv, body.ratios, body.energy, hold_torque(body, t, R, Ω))


def make_body(J: Diag3) -> Any:
    """The body with these principal moments of inertia."""
    return Body(J, J.inv, euler_ratios(J), 0.0, Vec3(0.0, 0.0, 0.0))


def find_energy(J: Diag3, Ω: Vec3) -> float:
    """The kinetic energy."""
    return 0.5 * dot(Ω, J @ Ω)


def hold_torque(body: Any, t: float, R: Mat3, Ω: Vec3) -> Vec3:
    """The torque in space at the start of a frame, which is held over its steps."""
    return R @ body.applied(t, R, Ω)


def see_velocity(body: Any, _: Mat3, Π: Vec3) -> Vec3:
    """The angular velocity in the body's axes, of its momentum there."""
    return body.Jinv @ Π


def see_spatial(body: Any, R: Mat3, π: Vec3) -> Vec3:
    """The angular velocity in the body's axes, of its spatial momentum."""
    return body.Jinv @ (R.T @ π)


# -------------------------------------------------------------------------------------------------
# the program


class Writer:
    """Writes the functions of a method, once for all examples."""

    def __init__(self, method: Method, own: Mapping[str, Callable[..., Any]]) -> None:
        if not isinstance(method, FixedStep) or method.space not in ("so3", "rates"):
            raise Unwritable(f"{method.label} {explain(method)}")
        self._method = method
        self._of = put_together(method)
        of_velocity = method.promises.torque_of_velocity
        names = name_functions(method, self._of)
        self._walker = Walker(
            method.single, OwnTorque(of_velocity), method.substeps > 1, own, names
        )
        try:
            given = [self._of, STEPS, Name(Diag3, "J"), H, R, VELOCITY]
            self._main = self._walker.write(main, given).function
        except Unwritable:
            raise
        except Exception as error:  # a method of your own may have any form
            raise Unwritable(f"the step of {method.label} cannot be written: {error}") from error

        self._fields = drop_unread_fields(self._main.body)

    def write(self, example: Example) -> MethodProgram:
        """The program with this example."""
        *body, last = self._main.body
        assert isinstance(last, Return)
        steps = Const(int, example.steps)
        values = {"h": Const(float, example.dt / self._method.substeps)} | {
            name: Make(kind, tuple(Const(float, float(x)) for x in given))
            for name, kind, given in (
                ("J", Diag3, example.moments), ("R", Mat3, example.R0), ("Ω", Vec3, example.Omega0),
            )
        }  # fmt: skip
        given = [one for one in self._main.parameters if one.name in values]
        block: Block = [Assign([one], values[one.name]) for one in given]
        block += [For(s.at, steps, s.body) if isinstance(s, For) else s for s in body]
        block.append(Print([x for one in last.values for x in one]))
        functions = {one.name: one for one in self._walker.functions}
        once = next(one for one in functions.values() if one.origin is self._of.step)
        step = functions.get("frame", functions["step"])
        return MethodProgram(self._method, block, self._fields, step, once)


def put_together(m: FixedStep) -> Assembly:
    """What the program of a method is made of."""
    kind = m.carries[-1] if m.space == "rates" else m.carries[1]
    return Assembly(
        step=m.step,
        start=m.state.start or find_start(m),
        options=tuple(o.meaning(v) if o.choices else v for o, v in m.step_arguments),
        stages=m.stages if m.composition else ((0.0, 1.0),),
        correct=CORRECTIONS[kind] if m.energy_correction else None,
        substeps=m.substeps,
        rotation=rotation_of if m.carries[0] == "q" else None,
        velocity={"Π": see_velocity, "π": see_spatial}.get(kind),
        of_rates=m.space == "rates",
    )


def name_functions(m: FixedStep, of: Assembly) -> dict[Any, Named]:
    """The names of functions in the program, of their results, and what they do."""
    doc = "One step of size h"
    parts = f": {len(of.stages)} steps of {m.key}" if m.composition else ""
    corrected = ", and the energy correction" if m.energy_correction else ""
    once = f"{m.step.__name__}_once" if of.in_parts else "step"
    held = f"One frame: {m.substeps} steps of size h, over which the torque of its start is held in space."
    return {
        main: Named("main", ("R",) if of.of_rates else ("R", "Ω")),
        frame: Named("frame", m.carries, held),
        step_in_parts: Named("step", m.carries, f"{doc}{parts}{corrected}."),
        of.step: Named(once, m.carries, f"{doc}."),
        of.start: Named("start", m.carries),
        of.correct: Named("correct_energy", m.carries),
        make_body: Named("make_body"),
        find_energy: Named("find_energy"),
        hold_torque: Named("hold_torque"),
        see_velocity: Named("velocity_of"),
        see_spatial: Named("velocity_of"),
    }


@dataclass(frozen=True)
class _Key:
    label: str
    step: Callable[..., Any]
    own: tuple[tuple[str, Callable[..., Any]], ...]
    method: Method = field(compare=False)


@functools.lru_cache(maxsize=128)
def _assemble(key: _Key) -> Writer:
    return Writer(key.method, dict(key.own))


def assemble(method: Method, example: Example) -> MethodProgram:
    """The program of a method; `Unwritable` if there is none."""
    own = tuple(sorted(example.own.items()))
    return _assemble(_Key(method.label, method.function, own, method)).write(example)


def find_start(method: Method) -> Callable[..., Any] | None:
    """What makes the first state of a method that declares no start; None if that is R and Ω, or R."""
    if method.space == "rates":
        return given_rates.STARTS["q"] if method.carries[0] == "q" else None
    return one_body.STARTS[method.carries[1]] if method.carries[1] != "Ω" else None


def explain(method: Method) -> str:
    """Why a method has no program."""
    if method.space == "se3":
        return "moves two bodies, and programs move one"
    if method.adaptive:
        return "chooses its steps by a tolerance, and programs have steps of one size"
    return "is the exact motion by a solver of the engine, and not a step"
