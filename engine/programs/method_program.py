"""The program of a method: its functions, and a run of a body as an example."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..algebra import Diag3, Mat3, Vec3, dot, rotation_of
from ..algorithms.core import CORRECTIONS, FixedStep, Method, euler_ratios
from ..kernels import given_rates, one_body
from .tidy import drop_unread, drop_unused_parameters, name_results
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
    """Puts the functions of a method together."""

    def __init__(self, method: Method, own: Mapping[str, Callable[..., Any]]) -> None:
        if not isinstance(method, FixedStep) or method.space not in ("so3", "rates"):
            raise Unwritable(f"{method.label} {explain(method)}")
        self.method = method
        self._first = [R] if method.space == "rates" else [R, VELOCITY]
        self._options = [o.meaning(v) if o.choices else v for o, v in method.step_arguments]
        self._walker = Walker(
            method.single,
            OwnTorque(method.promises.torque_of_velocity),
            method.substeps > 1,
            own,
        )
        try:
            self._build()
        except Unwritable:
            raise
        except Exception as error:  # a method of your own may have any form
            raise Unwritable(f"the step of {method.label} cannot be written: {error}") from error

    def _function(
        self, function: Any, arguments: Sequence[Any], name: str
    ) -> tuple[Function, Callable[..., Expr]]:
        """A function of the program, and what calls it with such arguments."""
        made, _, takes, _ = self._walker.write(function, arguments, name)
        if made not in self._walker.functions:
            self._walker.functions.append(made)

        def call(*given: Expr) -> Expr:
            return Call(made.results[0], made, tuple(given[i] for i in takes))

        return made, call

    def _build(self) -> None:
        """Write the functions of the method."""
        m = self.method
        parts = m.composition is not None or m.energy_correction
        start = None
        kinds = [Mat3, Vec3][: len(self._first)]
        first = m.state.start or find_start(m)
        if first is not None:
            start, begin = self._function(
                first, [BODY, T, H, *self._first, *self._options], "start"
            )
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
        self.single_step = step
        if parts:
            step, advance = self._compose(step, advance, state)
        if m.substeps > 1:
            step, advance = self._divide(advance, state, begin if start else None)
        self.step = step
        self._calls = advance, state, begin if start else None

    def _whole(
        self, name: str, doc: str, body: Block, state: list[Name], taken: int
    ) -> tuple[Function, Callable[..., Expr]]:
        """A function of the whole state, of which it takes the first variables."""
        made = Function(
            name, [BODY, T, H, *state[:taken]], [one.type for one in state], [one.name for one in state],
            [*body, Return([*state])], doc,
        )  # fmt: skip
        takes = drop_unused_parameters(made)
        self._walker.functions.append(made)
        return made, lambda *given: Call(Mat3, made, tuple(given[i] for i in takes))

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
            len(state),
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
        begins = begin is not None and len(state) > 2
        if begins:
            body.append(Assign([*state], begin(BODY, T, H, *shown)))
        time = operate("+", T, operate("*", Call(float, "float", (at,)), H))
        body.append(For(at, Const(int, n), [Assign([*state], advance(BODY, time, H, *state))]))
        doc = f"One frame: {n} steps of the size h, over which the torque of its start is held in space."
        return self._whole("frame", doc, body, state, 2 if begins else len(state))

    def _see(self, state: list[Name], body: Block) -> list[Expr]:
        """R and Ω of a state; R alone if rates are given."""
        shown: list[Expr] = [*state[: len(self._first)]]
        if state[0].name == "q":
            _, turn = self._function(rotation_of, [state[0]], "")
            shown[0] = turn(state[0])
        if len(shown) > 1 and state[1].name == "Π":
            _, see = self._function(see_velocity, [BODY, state[1]], "velocity_of")
            shown[1] = see(BODY, state[1])
        if len(shown) > 1 and state[1].name == "π":
            _, see = self._function(see_spatial, [BODY, *state[:2]], "velocity_of")
            shown[1] = see(BODY, *state[:2])
        for i, name in enumerate(self._first):
            if shown[i] is not state[i]:
                body.append(Assign([name], shown[i]))
                shown[i] = name
        return shown

    def write(self, example: Example) -> MethodProgram:
        """The program with this example."""
        main = self._write_main(example, *self._calls)
        return MethodProgram(self.method, main, self.step, self.single_step)

    def _write_main(self, example: Example, advance: Any, state: list[Name], begin: Any) -> Block:
        n = self.method.substeps
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
            main.append(Assign([*state], begin(BODY, zero, H, *self._first)))
        time = operate(
            "*", Call(float, "float", (k,)), operate("*", Const(float, float(n)), H) if n > 1 else H
        )
        main.append(
            For(k, Const(int, example.steps), [Assign([*state], advance(BODY, time, H, *state))])
        )
        main.append(Print([x for one in self._see(state, main) for x in one]))
        drop_unread(main)
        return main


@dataclass(frozen=True)
class _Key:
    label: str
    step: Callable[..., Any]
    own: tuple[tuple[str, Callable[..., Any]], ...]
    method: Method = field(compare=False)


@functools.lru_cache(maxsize=128)
def _assemble(key: _Key) -> Assembly:
    return Assembly(key.method, dict(key.own))


def assemble(method: Method, example: Example) -> MethodProgram:
    """The program of a method; `Unwritable` if there is none."""
    own = tuple(sorted(example.own.items()))
    return _assemble(_Key(method.label, method.function, own, method)).write(example)


def operate(sign: str, left: Expr, right: Expr) -> Expr:
    """An operation on real numbers."""
    return Binary(float, sign, left, right)


def scale(k: float, of: Expr) -> Expr:
    """k times a number."""
    return of if k == 1.0 else operate("*", Const(float, k), of)


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
