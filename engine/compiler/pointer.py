"""The fields of torques of the caller's own, which kernels reach by a C pointer."""

from __future__ import annotations

from typing import Any

from ..field import Field


def _called_by_pointer(*_: Any) -> Any:
    """Stands for a function that is reached by its pointer; compiling puts the call in its place."""
    raise NotImplementedError


POINTER = Field("user", _called_by_pointer, own_axes=True)
POINTER_WITH_POTENTIAL = Field("user with potential", _called_by_pointer, _called_by_pointer, own_axes=True)


def pointer_field(with_potential: bool) -> Field:
    """The field of a torque of the caller's own, reached by a C pointer."""
    return POINTER_WITH_POTENTIAL if with_potential else POINTER
