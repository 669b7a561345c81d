"""What steps note in the ledger, of one body, of two, and of an attitude with given rates."""

from __future__ import annotations

from typing import Any

from ..compiler.frontend.record import Record
from . import layout


class Moved(Record):
    """What a step moves, with the ledger of the run."""

    __slots__ = ()

    ledger: Any

    def count_own(self, accepted: int, rejected: int) -> None:
        """Count steps of the method's own choice."""
        self.ledger[layout.CHOSEN_STEPS] += accepted
        self.ledger[layout.REJECTED_STEPS] += rejected

    def count_newton(self, iterations: int) -> None:
        """Count the iterations of an implicit step."""
        self.ledger[layout.NEWTON_ITERATIONS] += iterations

    def not_found(self) -> None:
        """Record that no solution of this step was found; the method then returns nan."""
        self.ledger[layout.UNSOLVED] = layout.NOT_FOUND

    def no_solution(self) -> None:
        """Record that this step is known to have no solution; the method then returns nan."""
        self.ledger[layout.UNSOLVED] = layout.NO_SOLUTION
