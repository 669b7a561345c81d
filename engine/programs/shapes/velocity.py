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
from ..tidy import drop_unread, drop_unread_fields, tidy
from ..tree import (
    Assign,
    Binary,
    Block,
    Body,
    Call,
    Const,
    Expr,
    Function,
    If,
    Make,
    Name,
    Return,
    Unwritable,
    get_field,
    list_targets,
    read_names,
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
    engine : what the function belongs to, as the subject of a sentence.
    """
    walker = FreeWalker(True, OwnTorque(method.promises.torque_of_velocity), False, {})
    step = find_velocity(method, walker, engine)
    change = Function("change_velocity", [MOMENTS[has], H, VELOCITY], [Vec3], ["Ω"])
    change.doc = "The angular velocity after a step, about the principal axes."
    inverted, *_ = walker.write(invert, [MOMENTS[has]], "invert")
    other = next(one for name, one in MOMENTS.items() if name != has)
    known = {"body": BODY, "h": H, "Ω": VELOCITY}
    change.body = [
        Assign([other], Call(Diag3, inverted, (MOMENTS[has],))),
        Assign([BODY], make_body(walker)),
        Assign([CHANGED], Call(Vec3, step, tuple(known[one.name] for one in step.parameters))),
        Return([CHANGED]),
    ]
    if method.implicit:  # where Newton's method finds no solution, the velocity stays
        x = get_field(CHANGED, "x")
        change.body.insert(3, If(Binary(bool, "!=", x, x), [Return([VELOCITY])], []))
    main: Block = [Assign([CHANGED], Call(Vec3, change, tuple(given)))]
    fields = drop_unread_fields(main)
    drop_unread(change.body)
    return MethodProgram(leave_to_engine(method), main, fields, change, step)


def find_velocity(method: Method, walker: FreeWalker, engine: str) -> Function:
    """The function of the velocity after a step; `Unwritable` if the engine cannot hold it."""
    if not isinstance(method, FixedStep) or method.space != "so3":
        raise Unwritable(f"{method.label} {explain(method)}")
    if method.composition is not None or method.energy_correction:
        raise Unwritable(
            f"{method.given_name} has steps of several parts, and {engine} has one part"
        )
    if method.carries != ("R", "Ω"):
        raise Unwritable(
            f"{method.given_name} hands on {join_words(method.carries[1:])} from step to step, and {engine} "
            "hands on only the angular velocity by which it turned the body"
        )
    bare = leave_to_engine(method)
    assert isinstance(bare, FixedStep)
    options = [o.meaning(v) if o.choices else v for o, v in bare.step_arguments]
    step, *_ = walker.write(bare.step, [BODY, T, H, R, VELOCITY, *options], "step")
    fits = turns_as_engines_do(step)
    last = step.body[-1]
    assert isinstance(last, Return)
    last.values = last.values[1:]
    step.results, step.result_names = [Vec3], ["Ω"]
    step.doc = "The velocity after a step of size h."
    tidy(step)
    if not fits or not {one.name for one in step.parameters} <= {"body", "h", "Ω"}:
        raise Unwritable(
            f"{method.given_name} does not turn a free body by exp(h Ω) with the Ω that it hands on, and {engine} does"
        )
    if not any(one.type is Body for one in step.parameters):
        raise Unwritable(
            f"{method.given_name} does not change the velocity of a free body, so there is nothing to paste"
        )
    return step


def make_body(walker: FreeWalker) -> Make:
    """The body, without energy and torque."""
    moments = tuple(MOMENTS.values())
    ratios, *_ = walker.write(find_ratios, moments, "find_ratios")
    zero = Const(float, 0.0)
    return Make(Body, (*moments, Call(Diag3, ratios, moments), zero, Make(Vec3, (zero,) * 3)))


def turns_as_engines_do(step: Function) -> bool:
    """Whether a step ends with R exp(h Ω) and this Ω, where R is the first attitude."""
    *body, last = step.body
    assert isinstance(last, Return)
    turned, velocity = last.values
    if isinstance(turned, Name) and turned.name != "R":
        body, turned = trace(turned, body)
    match turned:
        case Binary(op="@", left=Name(name="R"), right=Call(function=Function() as f, given=(v,))):
            expected = Binary(Vec3, "*", H, velocity, getattr(v, "function", None))
            found = f.algebra_name == "exp" and repr(v) == repr(expected)
            return found and "R" not in _assigned_in(body)
    return False


def trace(x: Name, body: Block) -> tuple[Block, Expr]:
    """What a variable is assigned last, and the statements before, if none after changes that."""
    for i, one in reversed([*enumerate(body)]):
        if isinstance(one, Assign) and [x.name] == [t.name for t in one.targets if t]:
            changed = _assigned_in(body[i + 1 :]) & read_names([one.value])
            return body[:i], x if changed else one.value
    return body, x


def _assigned_in(block: Block) -> set[str]:
    """The variables that statements assign."""
    return {target.name for target in list_targets(block)}
