"""Scripts of Godot: in GDScript, for versions 3 and 4, and in C#, for version 4."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...algebra import Mat3
from ..language import ATOM
from ..tree import Call, Name
from .shape import ASLEEP, VECTORS, Shape
from .unity import CSharpScript

AXES = "xyz"
GODOT = (
    "Godot calls it before each step of the physics. It then damps the velocity, adds the torque, and turns the body "
    "by the velocity."
)


class Godot(Shape):
    key, title, suffix = "godot", "Godot (GDScript)", ".gd"
    engine, programs = "Godot", ("godot",)
    paste = ("Paste it into the script of a RigidBody3D (in Godot 3, a RigidBody).", GODOT)
    given = "state.inverse_inertia", "state.step", "omega"
    mark, end, open, close, counter = "#", "", ":", "", "_i"
    inside, nested = 1, False
    operators = {"not": "not "}
    calls, functions = ("{}", "{}"), {"isnan": "is_nan"}
    nothing, choice = ("NAN", "INF"), "{yes} if {test} else {no}"
    begins, parameter = ("var {name}", "var {name}"), "{name}: {kind}"
    kinds = dict.fromkeys(VECTORS, "Vector3") | {Mat3: "Basis", bool: "bool", int: "int"}
    literal, together, kinds_together = "{kind}({parts})", "[{}]", "Array"
    reals, numbers = ("float", "float"), ("{}", "{}")
    heads = {
        "if": "if {}", "while": "while {}", "for": "for {} in range({})",
        "function": "func {name}({given}) -> {result}",
    }  # fmt: skip
    fields = {Mat3: {f"{a}{b}": f".{b}.{a}" for a in AXES for b in AXES}}
    natives = {
        "cross": ("{}.cross({})", ATOM),
        "dot": ("{}.dot({})", ATOM),
        "norm": ("{}.length()", ATOM),
    }
    run = (
        (
            f"# {ASLEEP}",
            "const SLOWEST = 0.01",
            "",
            "func _integrate_forces(state):",
            "    var v = state.angular_velocity",
            "    if v.length() < SLOWEST:",
            "        return",
            "    var axes = state.principal_inertia_axes",
            "    var omega = Vector3(axes.x.dot(v), axes.y.dot(v), axes.z.dot(v))",
        ),
        (
            "    var d = changed - omega",
            "    state.angular_velocity = v + axes.x * d.x + axes.y * d.y + axes.z * d.z",
        ),
    )

    def kind(self, kind: type) -> str:
        return super().kind(kind) if kind in self.kinds or kind is float else "Dictionary"

    def make(self, kind: type, given: Sequence[str]) -> str:
        if kind is Mat3:  # by columns
            columns = [f"Vector3({', '.join(given[i::3])})" for i in range(3)]
            return f"Basis({', '.join(columns)})"
        if kind in VECTORS:
            return f"Vector3({', '.join(given)})"
        pairs = zip(self.members[kind], given, strict=True)
        return f"{{{', '.join(f'{name} = {value}' for name, value in pairs)}}}"

    def assign_all(
        self, targets: Sequence[Name | None], value: Call, begins: bool
    ) -> Iterator[str]:
        yield f"var found = {self.write(value)}"
        for i, target in enumerate(targets):
            if target is not None:
                yield self.assign(target, f"found[{i}]", begins)


class GodotCSharp(CSharpScript):
    key, title = "godot-csharp", "Godot (C#)"
    engine, programs = "Godot", ("godot",)
    paste = ("Save it as GyroscopicBody.cs, and attach it to a RigidBody3D of Godot 4.", GODOT)
    given = "state.InverseInertia", "state.Step", "Omega"
    first_lines = ("using System;", "using Godot;")
    fields = {kind: {name: f".{name.upper()}" for name in AXES} for kind in VECTORS}
    natives = {
        "cross": ("{}.Cross({})", ATOM),
        "dot": ("{}.Dot({})", ATOM),
        "norm": ("{}.Length()", ATOM),
    }
    head_of_class = "public partial class GyroscopicBody : RigidBody3D {"
    run = (
        (
            f"    // {ASLEEP}",
            "const float Slowest = 0.01f;",
            "",
            "public override void _IntegrateForces(PhysicsDirectBodyState3D state) {",
            "    if (state.AngularVelocity.Length() < Slowest) {",
            "        return;",
            "    }",
            "    Basis axes = state.PrincipalInertiaAxes;",
            "    Vector3 Omega = axes.Transposed() * state.AngularVelocity;",
        ),
        ("    state.AngularVelocity += axes * (changed - Omega);", "    }", "}"),
    )
