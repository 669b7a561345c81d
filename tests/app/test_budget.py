"""The time that a visitor's messages may take."""

from __future__ import annotations

from app.server import budget
from app.server.budget import Budget


def test_a_visitor_has_less_time_after_long_changes_and_more_after_a_while() -> None:
    now = [100.0]
    own = Budget(lambda: now[0])
    assert (own.remaining, own.rest) == (budget.MOST, 0.0)
    own.spend(0.1)
    assert abs(own.remaining - (budget.MOST - 0.1)) < 1e-9
    assert abs(own.rest - 0.1 * budget.REST) < 1e-9
    now[0] += own.rest
    assert own.rest == 0.0
    own.spend(2 * budget.MOST)
    assert own.remaining == budget.LEAST, "a message may always take a little"
    assert abs(own.rest - 2 * budget.MOST * budget.LONG_REST) < 1e-9
    now[0] += 10 * budget.MEMORY
    assert own.remaining > 0.99 * budget.MOST and own.rest == 0.0
