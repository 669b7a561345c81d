"""Heavy tops: Lagrange's, fast and slow, and one without symmetry."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import pi, sqrt
from typing import Any

from ..parameters.parameter import Number, Parameter, Vector
from ..parameters.validation import Array
from ..text import HERE, bibtex, measures, sentence, show, swings, wanders
from .problem import Action, problem
from .shared_fields import find_invariants_in_gravity, gravity

TOP_EQUATIONS = (
    r"\dot R = R\,\hat\Omega, \quad J\dot\Omega = J\Omega \times \Omega + T, \quad "
    r"T = Mgl\; \Gamma \times \chi, \quad \Gamma = R^T e_3, \quad V = Mgl\; \Gamma \cdot \chi"
)
STANDARD_GRAVITY = 9.81
GYROSCOPE = "gyroscope spinning toy gravity"
"""Words that find symmetric tops."""

LONG = {"dt": 0.05, "steps": 1_000_000}


def weight_parameters(length: float) -> tuple[Parameter, ...]:
    """The parameters of the weight of a symmetric top, for a mass of 1."""
    return (
        Parameter(
            "Mgl",
            Number(0.0),
            "mass · gravity · length, the largest moment of the weight",
            STANDARD_GRAVITY * length,
            unit="mass·length²/time²",
            label="Weight × arm Mgl",
        ),
        Parameter("mass", Number(0.0), "the body's mass", 1.0, unit="mass", label="Mass M"),
        Parameter(
            "gravity",
            Number(0.0),
            "acceleration of gravity, downwards along −e3",
            STANDARD_GRAVITY,
            unit="length/time²",
            label="Gravity g",
        ),
        Parameter(
            "length",
            Number(0.0),
            "distance of the centre of mass from the fixed point",
            length,
            unit="length",
            label="Arm l, to the centre of mass",
        ),
    )


def lever_parameters(Mg: float, chi: tuple[float, float, float]) -> tuple[Parameter, ...]:
    """The parameters of the weight of a top whose centre of mass is anywhere in the body."""
    return (
        Parameter("Mg", Number(0.0), "the weight", Mg, unit="mass·length/time²", label="Weight Mg"),
        Parameter(
            "chi",
            Vector(),
            "position of the centre of mass in the body",
            chi,
            unit="length",
            label="Centre of mass χ, in the body",
        ),
    )


def settle_weight(values: dict[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Keep Mgl the product of mass, gravity and length: if Mgl is given, the length follows."""
    if "Mgl" not in given:
        return values | {"Mgl": values["mass"] * values["gravity"] * values["length"]}
    pull = values["mass"] * values["gravity"]
    if "length" in given or pull == 0.0:
        if abs(pull * values["length"] - values["Mgl"]) > 1e-12 * values["Mgl"]:
            raise ValueError(
                f"Mgl = {show(values['Mgl'])} is not mass · gravity · length = {show(pull * values['length'])}; "
                "give one or the other"
            )
        return values
    return values | {"length": values["Mgl"] / pull}


def pull_on_axis(values: Mapping[str, Any], dt: float) -> Action:
    """Gravity on a centre of mass on the third body axis."""
    return gravity(values["Mgl"], (0.0, 0.0, 1.0))


def find_invariants(values: Mapping[str, Any], J: Array) -> tuple[str, ...]:
    """What the motion conserves, for a centre of mass on the third body axis."""
    return find_invariants_in_gravity(J, values["Mgl"], (0.0, 0.0, 1.0))


def find_invariants_off_axis(values: Mapping[str, Any], J: Array) -> tuple[str, ...]:
    """What the motion conserves, for a centre of mass anywhere in the body."""
    return find_invariants_in_gravity(J, values["Mg"], values["chi"])


symmetric_top = partial(
    problem,
    group="Krysl & Endres",
    words=GYROSCOPE,
    equations=TOP_EQUATIONS,
    keeps=find_invariants,
    settle=settle_weight,
)

symmetric_top(
    key="lagrange-top",
    name="Lagrange's top",
    place=3,
    summary=sentence(
        "Engø and Marthinsen's top, heavy and slow: it [falls, below the horizontal, and rises again].",
        measures("least R₃₃", HERE, -1, -0.01, of="RK-QUAT"),
    ),
    J=(7 / 8, 7 / 8, 1 / 4),
    R0=(-pi / 16, 0.0, 0.0),
    Omega0=(0.0, 0.0, 1.0),
    dt=0.05,
    duration=100.0,
    specific=weight_parameters(sqrt(3) / 2),
    reference=bibtex("EngoMarthinsen1998"),
)(pull_on_axis)

symmetric_top(
    key="fast-top",
    name="Fast top",
    place=4,
    summary="A symmetric top that spins fast: a quick, small nutation on a slow precession.",
    J=(5.0, 5.0, 1.0),
    R0=(0.3, 0.0, 0.0),
    Omega0=(0.0, 0.0, 50.0),
    dt=0.005,
    duration=10.0,
    specific=weight_parameters(20.0 / STANDARD_GRAVITY),
    reference=bibtex("KryslEndres2005"),
)(pull_on_axis)

symmetric_top(
    key="slow-top",
    name="Slow top",
    place=5,
    summary=sentence(
        "The fast top's body, too slow to stand: it [tips over, below the horizontal]. "
        "Staggered momentum's energy [blows up] on it.",
        measures("least R₃₃", HERE, -1, -0.01, of="RK-QUAT"),
        measures("energy", ("slow-top",), 100, of="HSTAGM", dt=0.05),
    ),
    J=(5.0, 5.0, 1.0),
    R0=(0.05, 0.0, 0.0),
    Omega0=(0.0, 0.0, 5.0),
    dt=0.01,
    duration=10.0,
    specific=weight_parameters(20.0 / STANDARD_GRAVITY),
    reference=bibtex("KryslEndres2005"),
)(pull_on_axis)


@problem(
    key="asymmetric-top",
    name="Asymmetric top",
    group="Chaotic motion",
    words="chaos pendulum",
    summary=sentence(
        "A heavy top without symmetry, whose motion is not integrable. [In a million steps, the energy of the "
        "reversible methods Explicit Newmark and Exponential midpoint wanders]. That of Moser–Veselov, "
        "Lie–Verlet and McLachlan–Reich, which are symplectic, [does not].",
        (wanders(HERE, of="NMB", **LONG), wanders(HERE, of="IMID", **LONG)),
        tuple(one for m in ("DMV", "VLV", "MR2", "MR4") for one in swings(HERE, of=m, **LONG)),
    ),
    J=(2.0, 3.0, 4.5),
    R0=(0.4, 0.2, 0.0),
    Omega0=(0.3, 0.5, 1.0),
    dt=0.05,
    duration=100.0,
    equations=TOP_EQUATIONS,
    keeps=find_invariants_off_axis,
    specific=lever_parameters(10.0, (0.2, 0.1, 1.0)),
)
def asymmetric_top(values: Mapping[str, Any], dt: float) -> Action:
    """Gravity on a centre of mass off the axes: t = (Rχ) × (−Mg e3)."""
    return gravity(values["Mg"], values["chi"])
