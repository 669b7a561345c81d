"""What becomes of a free body by the rule of an engine, relative to the start; and its flips."""

from __future__ import annotations

from math import pi

from ..algebra import Mat3, Vec3
from .formulas import angle_between, ratio, turn
from .quantity import DEGREES, quantity

VERDICT = "What becomes of it"
PERCENT = 100.0
"""The factor of percentages."""
LEAVES = 500.0
"""Percentage of the first energy, or of the first momentum, at which a curve ends."""
ALIKE = 1e-12
"""The product of the differences from the middle moment to the two others, relative to its square,
below which a body has no middle axis.
"""


for _name, _title in (("energy", "Energy"), ("pi_norm", "Length of the momentum")):
    quantity(
        key=f"{_name}-ratio",
        title=_title,
        symbol="% of the first",
        reads=(_name, f"{_name}0"),
        groups=(VERDICT,),
        error=False,
        factor=PERCENT,
        limit=LEAVES,
        exact=100.0,
    )(ratio)
quantity(
    key="swing",
    title="Direction of the momentum",
    symbol="angle from the first, °",
    reads=("π0", "π"),
    groups=(VERDICT,),
    error=False,
    factor=DEGREES,
    exact=0.0,
)(turn)
quantity(
    key="attitude-degrees",
    title="Attitude",
    symbol="angle to the exact motion, °",
    reads=("R", "R_exact"),
    groups=(VERDICT,),
    error=False,
    factor=DEGREES,
    exact=0.0,
)(angle_between)


@quantity(
    key="middle-axis",
    title="Angle from the middle axis to the momentum",
    symbol="°",
    groups=(),
    error=False,
    factor=DEGREES,
    means="The angle between Π and the middle axis; 90° if a body has none. A flip takes it to 180° or back to 0°.",
)
def middle_axis_angle(J: Mat3, axes: Mat3, Ω: Vec3) -> float:
    """The angle between Π and the middle axis."""
    inertia = axes.T @ J @ axes
    Π = axes.T @ (J @ Ω)
    x = inertia.xx
    y = inertia.yy
    z = inertia.zz
    angle = pi / 2
    if (x - y) * (z - x) > ALIKE * x * x:
        angle = turn(Vec3(1.0, 0.0, 0.0), Π)
    if (y - x) * (z - y) > ALIKE * y * y:
        angle = turn(Vec3(0.0, 1.0, 0.0), Π)
    if (z - x) * (y - z) > ALIKE * z * z:
        angle = turn(Vec3(0.0, 0.0, 1.0), Π)
    return angle
