"""A script of Unity, in C#."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from ...algebra import Diag3
from ..language import ATOM
from ..languages.csharp import CSharp
from ..tree import Binary, Function
from .shape import ASLEEP, VECTORS, Shape


class CSharpScript(Shape, CSharp):
    """A script in C#, whose types and functions are in its class."""

    kinds = dict.fromkeys(VECTORS, "Vector3")
    head_of_class: ClassVar[str]

    def structure(self, kind: type, fields: dict[str, type]) -> Iterator[str]:
        yield from (f"    {line}" if line else "" for line in super().structure(kind, fields))

    def owner(self, function: Function) -> type:
        return next(p.type for p in function.parameters if p.type not in (*VECTORS, float))

    def arrange(
        self, head: list[str], types: list[list[str]], functions: list[list[str]], main: list[str]
    ) -> list[list[str]]:
        return [head, [self.head_of_class], *types, *functions, main]


class Unity(CSharpScript):
    key, title = "unity", "Unity (C#)"
    engine, programs = "Unity", ("physx-default",)
    paste = (
        "Save it as GyroscopicTerm.cs and add it to a Rigidbody. FixedUpdate runs before each step of the physics.",
        "Unity then adds the torque, damps the velocity by angularDrag (angularDamping from version 6 on), caps it at "
        "maxAngularVelocity, which is 50 rad/s (before, 7 rad/s) unless you set it, and turns the body by it.",
    )
    has, given = "J", ("body.inertiaTensor", "Time.fixedDeltaTime", "Omega")
    first_lines = ("using System;", "using UnityEngine;")
    natives = {
        "cross": ("Vector3.Cross({}, {})", ATOM),
        "dot": ("Vector3.Dot({}, {})", ATOM),
        "norm": ("{}.magnitude", ATOM),
    }
    head_of_class = "[RequireComponent(typeof(Rigidbody))]\npublic sealed class GyroscopicTerm : MonoBehaviour {"
    run = (
        (
            f"    // {ASLEEP}",
            "public float slowest = 0.01f;",
            "",
            "void FixedUpdate() {",
            "    Rigidbody body = GetComponent<Rigidbody>();",
            "    if (body.isKinematic || body.angularVelocity.magnitude < slowest) {",
            "        return;",
            "    }",
            "    Quaternion axes = body.rotation * body.inertiaTensorRotation;",
            "    Vector3 Omega = Quaternion.Inverse(axes) * body.angularVelocity;",
        ),
        ("    body.angularVelocity += axes * (changed - Omega);", "    }", "}"),
    )

    def operation(self, x: Binary) -> tuple[str, int]:
        if x.op == "@" and x.left.type is Diag3 and self.is_native(x):
            return f"Vector3.Scale({self.write(x.left)}, {self.write(x.right)})", ATOM
        return super().operation(x)
