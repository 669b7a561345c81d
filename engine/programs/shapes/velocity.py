"""What an engine's function for the gyroscopic term can hold of a method: its new velocity.

Such a function has the attitude and the angular velocity ω of a body, and changes ω. The engine then
adds the impulses of torques and contacts, damps and caps ω, and turns the body by exp(Δt ω), with the
ω that it hands on. So a method fits if the free body turns by exp(h Ω) with the Ω that is handed on,
and if this Ω depends on the one before alone. Then the function and the engine's own turn are the
method's step, and what is measured of the method holds for both.

A method that turns by another velocity does not fit, because the engine has no place for it. It could
be kept beside the body, but contacts and other scripts change ω alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...algebra import Diag3, Vec3, Zero3
from ...algorithms.core import FixedStep, Method
from ...algorithms.core.programs import LEAST
from ...text.formatting import join_words
from ..method_program import BODY, VELOCITY, H, MethodProgram, R, T, explain
from ..tidy import drop_unread, drop_unused_parameters, tidy
from ..tree import (
    Assign,
    Binary,
    Block,
    Body,
    Call,
    Const,
    Expr,
    Field,
    Function,
    If,
    Make,
    Name,
    Return,
    Unwritable,
    all_expressions,
    get_field,
)  # fmt: skip
from ..walk import OwnTorque, Walker

MOMENTS = {"J": Name(Diag3, "J"), "Jinv": Name(Diag3, "Jinv")}
CHANGED = Name(Vec3, "changed")


class FreeWalker(Walker):
    """Writes functions of methods for the free body."""

    def _call_own(self, name: str, *given: object) -> Zero3:  # type: ignore[override]
        """No torque."""
        return Zero3()


def invert(d: Diag3) -> Diag3:
    """The inverse of each moment; zero for zero, which stands for an axis that is locked."""
    return Diag3(
        1.0 / d.x if d.x > 0.0 else 0.0,
        1.0 / d.y if d.y > 0.0 else 0.0,
        1.0 / d.z if d.z > 0.0 else 0.0,
    )


def find_ratios(J: Diag3, Jinv: Diag3) -> Diag3:
    """(J₂ − J₃)/J₁, (J₃ − J₁)/J₂, (J₁ − J₂)/J₃."""
    return Diag3((J.y - J.z) * Jinv.x, (J.z - J.x) * Jinv.y, (J.x - J.y) * Jinv.z)


def leave_to_engine(method: Method) -> Method:
    """The method without damping, caps and steps in a frame, which the engine has itself, and with
    numbers of 32 bits.
    """
    own = {one.name for one in method.all_options}
    least = {name: value for name, value in LEAST.items() if name in own}
    return method.with_options(**least, precision="single")


def write_velocity(method: Method, has: str, given: Sequence[Name], engine: str) -> MethodProgram:
    """The function of a method's new velocity, and a call of it.

    Parameters
    ----------
    has : what the engine has, "J" or "Jinv".
    given : the engine's variables with that, with the step, and with Ω about the principal axes.
    """
    if not isinstance(method, FixedStep) or method.space != "so3":
        raise Unwritable(f"{method.label} {explain(method)}")
    if method.composition is not None or method.energy_correction:
        raise Unwritable(f"{method.label} has steps of several parts, and {engine} has one part")
    if method.carries != ("R", "Ω"):
        raise Unwritable(
            f"{method.label} hands on {join_words(method.carries[1:])} from step to step, and {engine} "
            "hands on only the angular velocity by which it turned the body"
        )
    bare = leave_to_engine(method)
    assert isinstance(bare, FixedStep)
    walker = FreeWalker(True, OwnTorque(bare.promises.torque_of_velocity), False, {})
    options = [o.meaning(v) if o.choices else v for o, v in bare.step_arguments]
    step, _, _ = walker.write(bare.step, [BODY, T, H, R, VELOCITY, *options], "step")
    if not keep_velocity(step):
        raise Unwritable(
            f"{method.label} does not turn a free body by exp(h Ω) with the Ω that it hands on, and {engine} does"
        )
    if not any(one.type is Body for one in step.parameters):
        raise Unwritable(
            f"{method.label} does not change the velocity of a free body, so there is nothing to paste"
        )
    inverted, _, _ = walker.write(invert, [MOMENTS[has]], "invert")
    ratios, _, _ = walker.write(find_ratios, [*MOMENTS.values()], "find_ratios")
    other = next(one for name, one in MOMENTS.items() if name != has)
    nothing = Const(float, 0.0)
    none = Make(Vec3, (nothing,) * 3)
    parts = {**MOMENTS, "ratios": Call(Diag3, ratios, (*MOMENTS.values(),))}
    read = {
        x.name
        for one in (step, *walker.functions)
        for x in all_expressions(one.body)
        if isinstance(x, Field) and x.of.type is Body
    }
    body = Make(Body, (*(x if name in read else none for name, x in parts.items()), nothing, none))
    known = {"body": BODY, "h": H, "Ω": VELOCITY}
    x = get_field(CHANGED, "x")
    change = Function(
        "change_velocity",
        [MOMENTS[has], H, VELOCITY],
        [Vec3],
        ["Ω"],
        [
            Assign([other], Call(Diag3, inverted, (MOMENTS[has],))),
            Assign([BODY], body),
            Assign([CHANGED], Call(Vec3, step, tuple(known[one.name] for one in step.parameters))),
            # where Newton's method finds no solution, the velocity stays
            *([If(Binary(bool, "!=", x, x), [Return([VELOCITY])], [])] if bare.implicit else []),
            Return([CHANGED]),
        ],
        "The angular velocity after a step, about the principal axes.",
    )
    drop_unread(change.body)
    main: Block = [Assign([CHANGED], Call(Vec3, change, tuple(given)))]
    return MethodProgram(bare, main, change, step)


def keep_velocity(step: Function) -> bool:
    """Leave of a step what finds the velocity; return whether the turn is the engine's."""
    last = step.body[-1]
    assert isinstance(last, Return)
    turned, velocity = last.values
    last.values = [velocity]
    step.results, step.result_names = [Vec3], ["Ω"]
    step.doc = "The velocity after a step of the size h."
    own = turns_by(find_value(turned, step), velocity)
    tidy(step)
    drop_unused_parameters(step)
    return own and {one.name for one in step.parameters} <= {"body", "h", "Ω"}


def find_value(x: Expr, function: Function) -> Expr:
    """What a variable is assigned, if that is done once."""
    found = [
        one.value
        for one in function.body
        if isinstance(one, Assign) and [repr(x)] == [repr(target) for target in one.targets]
    ]
    return found[0] if len(found) == 1 else x


def turns_by(turned: Expr, velocity: Expr) -> bool:
    """Whether an attitude is R exp(h Ω) with this velocity."""
    match turned:
        case Binary(op="@", left=Name(name="R"), right=Call(function=Function() as f, given=(v,))):
            expected = Binary(Vec3, "*", H, velocity, getattr(v, "function", None))
            return f.algebra_name == "exp" and repr(v) == repr(expected)
    return False
