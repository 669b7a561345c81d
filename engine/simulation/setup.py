"""Setups: the kernels of one request, and the custom torque that they call."""

from __future__ import annotations

from ..kernels.driver import Outcome, ReadyKernel
from .result import RowFormat


class Setup:
    """The kernels of a request and what belongs to them; one body and two have a subclass each.

    Attributes
    ----------
    format : where each series stands in the rows of the kernels.
    pointers : the addresses of a custom torque and its potential as C functions, 0 for none.
    jumps : the times at which the torque jumps.
    custom_torque : whether a custom torque acts.
    """

    format: RowFormat
    pointers: tuple[int, int] = (0, 0)
    jumps: tuple[float, ...] = ()
    custom_torque: bool = False

    def kernel(self, *, watching: bool = False) -> ReadyKernel:
        """The kernel that makes the steps or computes the rates; or the one that observes given states."""
        raise NotImplementedError

    def describe_failure(self, outcome: Outcome) -> str:
        """The error that a custom torque raised, in words; empty if none."""
        return ""

    def remarks(self, outcome: Outcome) -> list[str]:
        """Sentences on the motion."""
        return []
