"""The program of a method: its functions, and a run of a body as an example."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..algebra import Diag3, Mat3, Vec3, dot, rotation_of
from ..algorithms.core import CORRECTIONS, FixedStep, Method, euler_ratios
from ..kernels.one_body import STARTS
from .tidy import name_results
from .tree import (
    Assign,
    Binary,
    Block,
    Body,
    Call,
    Const,
    Expr,
    For,
    Function,
    Make,
    Name,
    Print,
    Return,
    Unwritable,
    fields_of,
    get_field,
)  # fmt: skip
from .walk import OwnTorque, Walker

R, VELOCITY, T, H = Name(Mat3, "R"), Name(Vec3, "Ω"), Name(float, "t"), Name(float, "h")
BODY = Name(Body, "body")


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
    """What a language writes: the example, which calls the functions, and the step."""

    method: Method
    main: Block
    step: Function
    single_step: Function


def make_body(J: Diag3) -> Any:
    """The body with these principal moments of inertia."""
    return Body(J, J.inv, euler_ratios(J), 0.0, Vec3(0.0, 0.0, 0.0))


def find_energy(J: Diag3, Ω: Vec3) -> float:
    """The kinetic energy."""
    return 0.5 * dot(Ω, J @ Ω)


def hold_torque(body: Any, t: float, R: Mat3, Ω: Vec3) -> Vec3:
    """The torque in space at the start of a frame, which is held over its steps."""
    return R @ body.applied(t, R, Ω)


def see_velocity(body: Any, Π: Vec3) -> Vec3:
    """The angular velocity in the body's axes, of its momentum there."""
    return body.Jinv @ Π


def see_spatial(body: Any, R: Mat3, π: Vec3) -> Vec3:
    """The angular velocity in the body's axes, of its spatial momentum."""
    return body.Jinv @ (R.T @ π)


class Assembly:
    """Puts the program of a method together."""

    def __init__(self, method: Method, example: Example) -> None:
        if not isinstance(method, FixedStep) or method.space != "so3":
            raise Unwritable(f"{method.label} {explain(method)}")
        self.method = method
        self.example = example
        self._options = [o.meaning(v) if o.choices else v for o, v in method.step_arguments]
        self._walker = Walker(
            method.single,
            OwnTorque(method.promises.torque_of_velocity),
            method.substeps > 1,
            example.own,
        )

    def _function(
        self, function: Any, arguments: Sequence[Any], name: str
    ) -> tuple[Function, Callable[..., Expr]]:
        """A function of the program, and what calls it with such arguments."""
        made, _, takes = self._walker.write(function, arguments, name)
        if made not in self._walker.functions:
            self._walker.functions.append(made)

        def call(*given: Expr) -> Expr:
            return Call(made.results[0], made, tuple(given[i] for i in takes))

        return made, call

    def build(self) -> MethodProgram:
        """The program."""
        m = self.method
        parts = m.composition is not None or m.energy_correction
        first = m.state.start or (STARTS[m.carries[1]] if m.carries[1] != "Ω" else None)
        start = None
        kinds = [Mat3, Vec3]
        if first is not None:
            start, begin = self._function(first, [BODY, T, H, R, VELOCITY, *self._options], "start")
            kinds = start.results
            start.result_names = list(m.carries)
        state = [Name(kind, name) for kind, name in zip(kinds, m.carries, strict=True)]
        step, advance = self._function(
            m.step,
            [BODY, T, H, *state, *self._options],
            f"{m.step.__name__}_once" if parts else "step",
        )
        step.result_names = list(m.carries)
        step.doc = "One step of the size h."
        name_results(step, m.carries)
        single = step
        if parts:
            step, advance = self._compose(step, advance, state)
        if m.substeps > 1:
            step, advance = self._divide(advance, state, begin if start else None)
        main = self._write_main(advance, state, begin if start else None)
        return MethodProgram(m, main, step, single)

    def _whole(
        self, name: str, doc: str, body: Block, state: list[Name]
    ) -> tuple[Function, Callable[..., Expr]]:
        made = Function(
            name, [BODY, T, H, *state], [one.type for one in state], [one.name for one in state],
            [*body, Return([*state])], doc,
        )  # fmt: skip
        self._walker.functions.append(made)
        return made, lambda *given: Call(Mat3, made, given)

    def _compose(
        self, step: Function, advance: Any, state: list[Name]
    ) -> tuple[Function, Callable[..., Expr]]:
        """The parts of a step of a composition, and the energy correction."""
        m = self.method
        body: Block = []
        for begin, size in m.stages:
            at = operate("+", T, scale(begin, H)) if begin else T
            body.append(Assign([*state], advance(BODY, at, scale(size, H), *state)))
        if m.energy_correction:
            _, correct = self._function(
                CORRECTIONS[m.carries[1]],
                [BODY, tuple(state), get_field(BODY, "energy")],
                "correct_energy",
            )
            body.append(Assign([*state], correct(BODY, *state, get_field(BODY, "energy"))))
        doc = "One step of the size h" + (
            f": {len(m.stages)} steps of {m.key}" if m.composition else ""
        )
        return self._whole(
            "step",
            f"{doc}{', and the energy correction' if m.energy_correction else ''}.",
            body,
            state,
        )

    def _divide(
        self, advance: Any, state: list[Name], begin: Any
    ) -> tuple[Function, Callable[..., Expr]]:
        """A frame of several steps, over which the torque is held in space."""
        n = self.method.substeps
        at = Name(int, "i")
        body: Block = []
        shown = self._see(state, body)
        _, hold = self._function(hold_torque, [BODY, T, R, VELOCITY], "hold_torque")
        held = [get_field(BODY, name) for name in fields_of(Body)][:-1]
        body.append(Assign([BODY], Make(Body, (*held, hold(BODY, T, *shown)))))
        if begin is not None and len(state) > 2:
            body.append(Assign([*state], begin(BODY, T, H, *shown)))
        time = operate("+", T, operate("*", Call(float, "float", (at,)), H))
        body.append(For(at, Const(int, n), [Assign([*state], advance(BODY, time, H, *state))]))
        doc = f"One frame: {n} steps of the size h, over which the torque of its start is held in space."
        return self._whole("frame", doc, body, state)

    def _see(self, state: list[Name], body: Block) -> list[Expr]:
        """R and Ω of a state."""
        attitude, velocity = state[:2]
        shown: list[Expr] = [attitude, velocity]
        if attitude.name == "q":
            _, turn = self._function(rotation_of, [attitude], "")
            shown[0] = turn(attitude)
        if velocity.name == "Π":
            _, see = self._function(see_velocity, [BODY, velocity], "velocity_of")
            shown[1] = see(BODY, velocity)
        if velocity.name == "π":
            _, see = self._function(see_spatial, [BODY, attitude, velocity], "velocity_of")
            shown[1] = see(BODY, attitude, velocity)
        for i, name in enumerate((R, VELOCITY)):
            if shown[i] is not state[i]:
                body.append(Assign([name], shown[i]))
                shown[i] = name
        return shown

    def _write_main(self, advance: Any, state: list[Name], begin: Any) -> Block:
        example, n = self.example, self.method.substeps
        _, make = self._function(make_body, [Name(Diag3, "J")], "make_body")
        zero, k = Const(float, 0.0), Name(int, "k")
        numbers = [Make(kind, tuple(Const(float, float(x)) for x in given)) for kind, given in (
            (Diag3, example.moments), (Mat3, example.R0), (Vec3, example.Omega0),
        )]  # fmt: skip
        main: Block = [
            Assign([BODY], make(numbers[0])),
            Assign([H], Const(float, example.dt / n)),
            Assign([R], numbers[1]),
            Assign([VELOCITY], numbers[2]),
        ]
        if self.method.energy_correction:
            _, energy = self._function(find_energy, [Name(Diag3, "J"), VELOCITY], "find_energy")
            given = [get_field(BODY, name) for name in fields_of(Body)]
            given[3] = energy(get_field(BODY, "J"), VELOCITY)
            main.append(Assign([BODY], Make(Body, tuple(given))))
        if begin is not None:
            if n > 1:
                _, hold = self._function(hold_torque, [BODY, T, R, VELOCITY], "hold_torque")
                held = [get_field(BODY, name) for name in fields_of(Body)][:-1]
                main.append(Assign([BODY], Make(Body, (*held, hold(BODY, zero, R, VELOCITY)))))
            main.append(Assign([*state], begin(BODY, zero, H, R, VELOCITY)))
        time = operate(
            "*", Call(float, "float", (k,)), operate("*", Const(float, float(n)), H) if n > 1 else H
        )
        main.append(
            For(k, Const(int, example.steps), [Assign([*state], advance(BODY, time, H, *state))])
        )
        attitude, velocity = self._see(state, main)
        main.append(Print([*attitude, *velocity]))
        return main


def operate(sign: str, left: Expr, right: Expr) -> Expr:
    """An operation on real numbers."""
    return Binary(float, sign, left, right)


def scale(k: float, of: Expr) -> Expr:
    """k times a number."""
    return of if k == 1.0 else operate("*", Const(float, k), of)


def explain(method: Method) -> str:
    """Why a method has no program."""
    if method.space == "se3":
        return "moves two bodies, and programs move one"
    if method.space == "rates":
        return "turns an attitude by given rates, and programs move a body"
    if method.adaptive:
        return "chooses its steps by a tolerance, and programs have steps of one size"
    return "is the exact motion by a solver of the engine, and not a step"
