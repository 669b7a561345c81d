"""The time that a visitor's messages may take."""

from __future__ import annotations

from pytest import approx

from app.server import budget
from app.server.budget import Budget, Spending


def test_a_visitor_has_less_time_after_long_changes_and_more_after_a_while() -> None:
    now = [100.0]
    own = Budget(Spending(lambda: now[0]), lambda: now[0])
    assert (own.remaining, own.rest) == (budget.MOST, 0.0)
    own.spend(0.1)
    assert own.remaining == approx(budget.MOST - 0.1)
    assert own.rest == approx(0.1 * budget.REST)
    now[0] += own.rest
    assert own.rest == 0.0
    own.spend(2 * budget.MOST)
    assert own.remaining == budget.LEAST, "a message may always take a little"
    now[0] += 10 * budget.MEMORY
    assert own.remaining > 0.99 * budget.MOST and own.rest == 0.0


def test_a_visitor_rests_longer_the_more_time_others_take() -> None:
    now = [0.0]
    rests = []
    of_all = Spending(lambda: now[0])
    for share in (0.0, 0.3, 0.6):
        now[0] += 100 * budget.MEMORY
        own, other = (Budget(of_all, lambda: now[0]) for _ in range(2))
        other.spend(share * budget.MEMORY)
        own.spend(0.02)
        rests.append(own.rest / 0.02)
    assert rests == approx([budget.REST + budget.CROWD * share for share in (0.0, 0.3, 0.6)])
