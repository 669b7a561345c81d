"""How runs end, in sentences."""

from __future__ import annotations

from ..algorithms import name_method
from ..algorithms.core import OwnSteps, Solver
from ..kernels import CANCELLED, DIVERGED, NO_SOLUTION, NOT_FOUND, Called, Outcome
from ..text.formatting import show
from .request import RunRequest

ENDINGS = {
    NO_SOLUTION: "{method} has no solution in step {step}, from t = {t}: {dt} turns the body too far.",
    NOT_FOUND: "{method}: no solution of step {step} was found, from t = {t} with Δt = {dt}.",
    DIVERGED: "In step {step}, from t = {t}, {what} is no longer finite. The run ends at the last valid state.",
    CANCELLED: "Cancelled after {steps} steps, at t = {t}.",
}
"""Sentences by the outcomes of a kernel (`kernels/layout.py`)."""
OWN_STEPS_END = (
    "{method} does not reach the row after t = {t}: steps that meet the tolerance become too small or too many. A "
    "larger tolerance may help, or more samples."
)
"""The sentence where a method chooses its steps in a kernel."""


def name_blown_up(custom: str) -> str:
    """What is no longer finite, where a custom function of this kind acts; empty if none does."""
    return f"the {custom} or the motion" if custom else "the motion"


def describe_ending(request: RunRequest, outcome: Outcome, torque: Called | None) -> list[str]:
    """How a run ended, in sentences; none for a run that is done. `torque` is the custom one, if
    one acts.
    """
    failure = "" if torque is None else torque.describe_failure(outcome.failed)
    n = outcome.uncorrected
    method = request.method
    sentences = (
        [f"After {n} steps the energy could not be corrected and was left as it was."] if n else []
    )
    if outcome.ended not in ENDINGS:
        return sentences
    t = show((outcome.last_row if method.adaptive else outcome.steps) * request.dt)
    if failure:
        return [*sentences, f"In step {outcome.failed_step}, from t = {t}, the {failure}."]
    if outcome.status == "no-solution" and isinstance(
        method, Solver
    ):  # which has given the reason itself
        return sentences
    stuck = outcome.status == "no-solution" and isinstance(method, OwnSteps)
    ending = OWN_STEPS_END if stuck else ENDINGS[outcome.ended]
    sentence = ending.format(
        method=name_method(method),
        what=name_blown_up("" if torque is None else torque.kind),
        steps=outcome.steps,
        step=outcome.failed_step,
        t=t,
        dt=show(request.dt),
    )
    return [*sentences, sentence]
