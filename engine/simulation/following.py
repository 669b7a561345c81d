"""Following a motion from one given time to the next, by a method that chooses its own steps."""

from __future__ import annotations

import threading

import numpy as np

from ..algorithms.core import OwnSteps
from ..kernels import NEVER, Cancelled, Failed, RunMemory, layout
from ..parameters.validation import Array
from ..problems.problem import AnyProblem
from .endings import name_blown_up
from .request import RunRequest
from .systems import SYSTEMS


class Follower:
    """A motion under way: `follow` leads it to further times, until `end`.

    Attributes
    ----------
    first : (width,) the row at t = 0.
    failure : why the motion ends before a time, as a clause; empty while it goes on.
    """

    def __init__(
        self, problem: AnyProblem, method: OwnSteps, end: float, cancel: threading.Event | None
    ) -> None:
        self._setup = SYSTEMS[problem.space].set_up(
            RunRequest(problem, method, end, 1, 1), brief=True
        )
        kernel = self._setup.kernel
        self._memory = RunMemory.of(kernel, self._setup.pointers, 1, end)
        self._cancel = cancel or NEVER
        self._arguments = self._memory.arguments(kernel.by_pointer, self._cancel)
        self.failure = ""
        with np.errstate(all="ignore"):
            kernel.advance(*self._arguments, 0.0, 0, 1)
        self.first = self._memory.rows[0].copy()
        self._last = self._memory.last

    @property
    def compiled(self) -> bool:
        """Whether no step calls Python."""
        torque = self._setup.torque
        return self._setup.kernel.by_pointer and (torque is None or torque.is_compiled)

    @property
    def steps(self) -> int:
        """The steps so far."""
        return int(self._memory.ledger[layout.CHOSEN_STEPS])

    def find_series(self, rows: Array, name: str) -> Array:
        """(n, …) a series in rows."""
        return self._setup.format.find_series(rows, name)

    def follow(self, times: Array) -> Array:
        """(n, width) the rows at these times, which ascend; fewer if the motion ends before."""
        ledger = self._memory.ledger
        rows = np.full((len(times), len(self.first)), np.nan)
        with np.errstate(all="ignore"):
            for i, t in enumerate(times.tolist()):
                if self._cancel.is_set():
                    raise Cancelled
                ledger[layout.STEP] = 0  # a step of length t leads to the time t
                try:
                    self._setup.kernel.advance(*self._arguments, t, 1, 1)
                except (ZeroDivisionError, OverflowError, ValueError):
                    break  # plain Python, where compiled code has inf and nan
                rows[i] = self._last
        is_finite = np.isfinite(rows).all(axis=1)
        if is_finite.all() and not ledger[layout.FAILED]:
            return rows
        self.failure = self._describe_failure()
        return rows[: int(np.argmin(np.append(is_finite, False)))]

    def _describe_failure(self) -> str:
        ledger = self._memory.ledger
        torque = self._setup.torque
        failed = Failed.of(ledger)
        if torque is not None and (failure := torque.describe_failure(failed)):
            return f"the {failure}"
        if ledger[layout.UNSOLVED]:
            return "steps that meet its tolerance become too small or too many"
        return f"{name_blown_up('' if torque is None else torque.kind)} is no longer finite"
