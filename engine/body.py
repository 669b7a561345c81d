"""Rigid bodies: mass properties from shapes, from closed meshes, and from a throw.

Use any consistent units: lengths L and masses M give inertias in M·L². Invalid input raises
``ValueError`` (a missing file, ``FileNotFoundError``) with one sentence and the numbers.
"""

from .problems.given_rates.throw import ThrownBody, from_rates
from .problems.mass_properties import (
    Body,
    InsideOut,
    Mesh,
    box,
    check_inertia,
    compose,
    count_windings,
    cylinder,
    dumbbell,
    ellipsoid,
    from_mesh,
    principal_axes,
    t_handle,
)

__all__ = [
    "Body", "InsideOut", "Mesh", "ThrownBody", "box", "check_inertia", "compose", "count_windings", "cylinder",
    "dumbbell", "ellipsoid", "from_mesh", "from_rates", "principal_axes", "t_handle",
]  # fmt: skip
