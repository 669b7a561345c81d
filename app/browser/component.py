"""The base class of the page's components, with the validation of what a browser sets."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

from ..compat.components import ScriptComponent


def is_direction(value: Any, size: int) -> bool:
    """Whether a value from a browser is a list of `size` numbers with a finite, positive length."""
    numbers = (
        isinstance(value, list)
        and len(value) == size
        and all(type(x) in (int, float) for x in value)
    )
    return numbers and 0 < math.hypot(*value) < math.inf


class Component(ScriptComponent):
    """A component of the page."""

    def accepts(self, name: str, value: Any) -> bool:
        """Whether the browser may set a parameter to this value; by default it may set none."""
        return False

    def find_field(self, data: dict[str, Any]) -> Hashable:
        """Return what a message from the script sets, if a newer message with the same makes this
        one obsolete; None if each message counts.
        """
        return None
