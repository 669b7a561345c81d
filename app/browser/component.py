"""The base class of the page's components."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from ..compat.components import ScriptComponent


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
