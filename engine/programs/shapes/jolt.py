"""Jolt's function for the gyroscopic term, in C++."""

from __future__ import annotations

from ..language import ATOM
from ..languages.cpp import Cpp
from .shape import VECTORS, Shape

FIELDS = {name: f".Get{name.upper()}()" for name in "xyz"}


class Jolt(Shape, Cpp):
    key, title = "jolt", "Jolt (C++)"
    engine, programs = "Jolt's function", ("jolt", "jolt-default")
    paste = (
        "Paste it in place of MotionProperties::ApplyGyroscopicForceInternal in "
        "Jolt/Physics/Body/MotionProperties.inl. Jolt calls that for bodies with mApplyGyroscopicForce.",
        "Jolt then adds the torque, damps and caps the velocity, and turns the body by it.",
    )
    first_lines, example_lines = (), ()  # the file is within a namespace
    given = "mInvInertiaDiagonal", "inDeltaTime", "Omega"
    kinds = dict.fromkeys(VECTORS, "Vec3")
    fields = dict.fromkeys(VECTORS, FIELDS)
    natives = {
        "cross": ("{}.Cross({})", ATOM),
        "dot": ("{}.Dot({})", ATOM),
        "norm": ("{}.Length()", ATOM),
    }
    run = (
        (
            "void MotionProperties::ApplyGyroscopicForceInternal(QuatArg inBodyRotation, float inDeltaTime)",
            "{",
            "    using namespace gyroscopic_term;",
            "    Quat axes = inBodyRotation * mInertiaRotation;",
            "    Vec3 Omega = axes.InverseRotate(mAngularVelocity);",
        ),
        ("    mAngularVelocity += axes * (changed - Omega);", "}"),
    )

    def arrange(
        self, head: list[str], types: list[list[str]], functions: list[list[str]], main: list[str]
    ) -> list[list[str]]:
        return [head, ["namespace gyroscopic_term {"], *types, *functions, ["}"], main]
