"""Rules that an engine could use instead of its own."""

from __future__ import annotations

import math

from ..algorithms.core import FixedStep, Method
from ..algorithms.core.method import all_methods
from .core import stored_speeds


def can_replace(m: Method) -> bool:
    """Return whether a rule asks for the torque alone, keeps no history, is at least of second order
    with a torque, and conserves the momentum of a free body in space.
    """
    if m.order is None or min(m.order) < 2 or m.conserves.get("pi") is None:
        return False
    return not (
        m.promises.needs_rates
        or m.promises.has_history
        or not m.self_starting
        or step_time(m) is None
    )


def holds_energy(m: Method) -> bool:
    """Return whether the method declares that the energy of a free body does not drift."""
    return "energy" in m.conserves or m.symplectic


def step_time(m: Method) -> float | None:
    """Return the recorded time of a step with a torque in ns, for the method's default options."""
    return stored_speeds()["methods"].get(m.key, {}).get("slow-top")


def list_replacements() -> list[Method]:
    """Return the rules that could replace any other and whose energy does not drift, the cheapest
    first.
    """
    found = [
        m for m in all_methods() if isinstance(m, FixedStep) and can_replace(m) and holds_energy(m)
    ]
    return sorted(found, key=lambda m: step_time(m) or math.inf)
