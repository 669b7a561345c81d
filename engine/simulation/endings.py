"""How a run ended, in sentences."""

from __future__ import annotations

from ..kernels.driver import Outcome
from ..kernels.layout import CANCELLED, DIVERGED, NO_SOLUTION, NOT_FOUND
from ..text.formatting import show
from .request import RunRequest

ENDINGS = {
    NO_SOLUTION: "{method} has no solution in step {step}, from t = {t}: {dt} turns the body too far.",
    NOT_FOUND: "{method}: no solution of step {step} was found, from t = {t} with Δt = {dt}.",
    DIVERGED: "In step {step}, from t = {t}, {what} is no longer finite; the run ends at the last valid state.",
    CANCELLED: "Cancelled after {steps} steps, at t = {t}.",
}
"""Statuses by the outcomes of a kernel (`kernels/layout.py`)."""
WHAT_BLOWS_UP = {False: "the motion", True: "the torque or the motion"}
"""Reasons without and with a custom torque."""


def describe_ending(request: RunRequest, outcome: Outcome, custom_torque: bool, failure: str) -> list[str]:
    """The sentences; none for a run that is done. `failure` describes the error of a custom torque, if any."""
    n, method = outcome.uncorrected, request.method
    sentences = [f"After {n} steps the energy could not be corrected and was left as it was."] if n else []
    if outcome.ended not in ENDINGS:
        return sentences
    t = show((outcome.last_row if method.adaptive else outcome.steps) * request.dt)
    if failure:
        return [*sentences, f"In step {outcome.failed_step}, from t = {t}, the {failure}."]
    if outcome.status == "no-solution" and method.solve is not None:  # which has given the reason itself
        return sentences
    sentence = ENDINGS[outcome.ended].format(
        method=method.label,
        what=WHAT_BLOWS_UP[custom_torque],
        steps=outcome.steps,
        step=outcome.failed_step,
        t=t,
        dt=show(request.dt),
    )
    return [*sentences, sentence]
