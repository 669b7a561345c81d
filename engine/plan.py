"""What is wanted of a run, of one body or of two, and how a kernel, or the method's own way to solve, makes it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import provenance
from .algorithms.method import Method
from .continuous import Question, answered
from .kernels import build
from .kernels.driver import Floats, Outcome, Setting, drive
from .kernels.layout import CANCELLED, DIVERGED, NO_SOLUTION, NOT_FOUND
from .problems.problem import Posed
from .run import Cost
from .torque import Called
from .wording import short

ENDINGS = {
    NO_SOLUTION: "{method} has no solution in step {step}, from t = {t}: {dt} turns the body too far.",
    NOT_FOUND: "{method}: no solution of step {step} was found, from t = {t} with Δt = {dt}.",
    DIVERGED: "In step {step}, from t = {t}, {what} is no longer finite; the run ends at the last valid state.",
    CANCELLED: "Cancelled after {steps} steps, at t = {t}.",
}
"""How a run ended that did not come to its end, in a person's words."""
WHAT_BLOWS_UP = {False: "the motion", True: "the torque or the motion"}
"""If functions of the caller's own act, or not."""


@dataclass
class Plan:
    """A method, a step, how many of them, and of how many states one is kept; with what there is to say so far.

    `seen` is given what was observed at the rows kept so far, by names, while it goes on; by methods that take steps.
    """

    method: Method
    dt: float
    steps: int
    every: int
    messages: list[str] = field(default_factory=list)
    cancel: threading.Event | None = None
    progress: Callable[[int, int], Any] | None = None
    seen: Callable[[dict[str, Floats]], Any] | None = None
    compiled: bool = True

    def carried_out(
        self,
        problem: Posed,
        setting: Callable[..., Setting],
        pointers: tuple[int, int] = (0, 0),
        jumps: tuple[float, ...] = (),
    ) -> Outcome:
        """Run it, step by step or by the method's own way to solve; `setting` has the kernels."""
        method = self.method
        if method.solve is None:
            kernel = self._noted(setting())
            return drive(kernel, self.dt, self.steps, self.every, pointers, self.cancel, self.progress, self.seen)
        kept = np.unique(np.append(np.arange(0, self.steps + 1, self.every, dtype=np.int64), self.steps))
        rates = setting() if method.adaptive else None
        question = Question(problem, self.dt, kept, jumps, rates, pointers, self.cancel, self.progress)
        answer = method.solve(question, **method.option_values())
        if answer.message and question.failed is None:  # else that is why, and is reported
            self.messages.append(answer.message)
        return answered(question, answer, self._noted(setting(watching=True)), pointers)

    def _noted(self, kernel: Setting) -> Setting:
        """The kernel, and in the messages if it is plain Python where others are compiled."""
        self.compiled = kernel.by_pointer
        if not self.compiled and build.compiles():
            self.messages.append(
                f"{self.method.label} ran as plain Python: only what a file or a notebook's cell holds is compiled."
            )
        return kernel

    def told(self, outcome: Outcome, own: Called | None = None) -> dict[str, Any]:
        """What every run tells besides the motion; `own` are functions of the caller's own."""
        cost = Cost(outcome.steps, outcome.torque_evaluations, outcome.newton_iterations, outcome.seconds)
        return {
            "method": self.method,
            "dt": self.dt,
            "steps": self.steps,
            "every": self.every,
            "t": np.multiply(outcome.kept, self.dt, dtype=float),
            "status": outcome.state,
            "failed_step": outcome.failed_step,
            "messages": (*self.messages, *self._uncorrected(outcome), *self._ending(outcome, own)),
            "cost": cost,
            "provenance": provenance.of_run(self.compiled),
        }

    def _uncorrected(self, outcome: Outcome) -> list[str]:
        """After how many steps the energy correction had no solution, if after any."""
        n = outcome.uncorrected
        return [f"After {n} steps the energy could not be corrected and was left as it was."] if n else []

    def _ending(self, outcome: Outcome, own: Called | None) -> list[str]:
        """How the run ended, in a person's words; nothing if it is done."""
        method, step = self.method, outcome.failed_step
        t = short((outcome.kept[-1] if method.adaptive else outcome.steps) * self.dt)
        if own is not None and own.failure:
            return [f"In step {step}, from t = {t}, the {own.failure.told()}."]
        if outcome.ended not in ENDINGS or (outcome.state == "no-solution" and method.solve is not None):
            return []  # it is done, or the method has said why itself
        known = {
            "method": method.label,
            "what": WHAT_BLOWS_UP[own is not None],
            "steps": outcome.steps,
            "step": step,
            "t": t,
        }
        return [ENDINGS[outcome.ended].format(**known, dt=short(self.dt))]
