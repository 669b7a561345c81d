"""Setups: the kernels of one request, the format of their rows, and the custom torque that they
call.
"""

from __future__ import annotations

from typing import NamedTuple

from ..kernels import Called, ReadyKernel
from .result import RowFormat


class Setup(NamedTuple):
    """What the execution of a request needs; one body and two make it each in their own way.

    Attributes
    ----------
    kernel : makes the steps, or computes the rates of a method that chooses its own steps.
    observer : observes the states of a method without steps of one size; None for all other
        methods.
    format : where each series stands in the rows of the kernels.
    pointers : the addresses of a custom torque and its potential as C functions, 0 for none.
    jumps : the times at which the torque jumps.
    torque : the custom torque, if one acts.
    """

    kernel: ReadyKernel
    observer: ReadyKernel | None
    format: RowFormat
    pointers: tuple[int, int] = (0, 0)
    jumps: tuple[float, ...] = ()
    torque: Called | None = None
