"""The answers to threads on the page Engines are those that the rules give."""

from __future__ import annotations

import re

import pytest

from app.state.pages.engine_question import read_query
from app.state.pages.threads import THREADS, recorded_figures
from app.views.tables.verdict_table import threads_html

NAMES = [thread.name for thread in THREADS]
ROUNDOFF = 1e-11
"""Below which a change is roundoff, which another processor makes otherwise."""


def check(thread):
    """Compare the recorded figures of a thread with what its rules do."""
    recorded = recorded_figures()[thread.name]
    assert thread.measure() == pytest.approx(recorded, rel=1e-6, abs=ROUNDOFF)


@pytest.mark.parametrize("thread", [one for one in THREADS if one.duration <= 10][:3])
def test_some_answers_are_those_of_the_rules(thread):
    check(thread)


@pytest.mark.exhaustive
@pytest.mark.parametrize("thread", THREADS, ids=NAMES)
def test_an_answer_is_that_of_the_rules(thread):
    check(thread)


def test_every_thread_has_its_figures_and_is_listed_once():
    assert list(recorded_figures()) == NAMES and len(set(NAMES)) == len(NAMES)
    for thread in THREADS:
        assert len(recorded_figures()[thread.name]) == len(thread.rules) == thread.says.count("{}")


def test_no_answer_has_a_typed_figure():
    """Digits come from measurements; what else is a number is a name."""
    for thread in THREADS:
        assert not re.search(r"[0-9]", thread.says), thread.name


def test_sentences_are_short():
    for thread in THREADS:
        for sentence in (thread.asks, *thread.answer.split(". ")):
            assert len(sentence.split()) <= 22, sentence


@pytest.mark.parametrize("thread", THREADS, ids=NAMES)
def test_its_link_opens_its_first_rule_in_its_setting(thread):
    query = {name: word for name, word in thread.query.items() if name != "page"}
    question, notices = read_query(query)
    assert not notices
    assert question.choice.algorithms[0].label == question.rule.label
    assert question.body == thread.body
    assert round(1 / question.choice.dt) == thread.rate
    assert question.choice.duration == thread.duration


def test_the_page_lists_them():
    html = threads_html()
    for thread in THREADS:
        assert thread.url in html and thread.name in html
    assert html.count("<li>") == len(THREADS)
