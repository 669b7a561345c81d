"""The page Which method?: every question has an answer that fits, in short sentences, with links
that open.
"""

from __future__ import annotations

import itertools
import re
from threading import Event

import numpy as np
import pytest
from covering import covering

import engine
from app.browser.addresses import read_address
from app.browser.addresses import read_query as read_setting
from app.pages.routes import open_page
from app.pages.which_page import Search, WhichMethod
from app.state import links
from app.state.pages import method_table, study_forms, which_method
from app.state.pages.which_method import (
    ALLOWED,
    CHEAP,
    GOALS,
    MENUS,
    Answer,
    MethodQuestion,
    describe_trial,
    draw_answer,
    drifts,
    find_answer,
    find_answers,
    find_asked,
    link_lab,
    link_methods,
    list_candidates,
    list_more_links,
    measure_errors,
    read_query,
    write_answer,
)
from engine.algorithms import HOLDS

QUESTIONS = [MethodQuestion(*words) for words in itertools.product(*MENUS.values())]
ROUNDOFF = 1e-9
LONGEST_SENTENCE = 22
"""Words."""


def named(question: MethodQuestion) -> str:
    return "-".join((question.acts, question.keep, question.exact))


each = pytest.mark.parametrize(
    "question",
    covering(QUESTIONS, by=lambda question: (question.acts, question.keep, question.exact)),
    ids=named,
)


def declares(answer: Answer) -> bool:
    """Whether the method of an answer declares what the question asks for."""
    question = answer.question
    keeps = answer.best.method.conserves
    tops = question.acts in ("gravity", "torque")
    if question.keep == "shape":
        return answer.best.method.symplectic
    if question.keep == "energy":
        return keeps.get("energy") in HOLDS["tops" if tops else "free"]
    if question.keep == "momentum" and question.acts == "bodies":
        return keeps.get("linear_momentum") == keeps.get("angular_momentum") == "always"
    if question.keep == "momentum" and question.acts == "gravity":
        return keeps.get("pi_e3") in HOLDS["tops"]
    return question.keep == "nothing" or keeps.get("pi") in HOLDS["free"]


@each
def test_every_question_has_an_answer_that_fits(question: MethodQuestion) -> None:
    answer = find_answer(question)
    run = answer.best.run
    assert run.status == "done"
    assert answer.best.method.key != answer.other.method.key
    assert declares(answer) == answer.kept
    assert answer.kept or (question.keep == "energy" and answer.best.method.symplectic)
    if question.exact in GOALS:
        assert measure_errors(run, question.motion).max() <= GOALS[question.exact]
    else:
        assert not drifts(answer.best.method, question.motion)
        assert drifts(answer.other.method, question.motion)


@each
def test_what_an_answer_keeps_is_kept_in_its_run(question: MethodQuestion) -> None:
    answer = find_answer(question)
    run = answer.best.run
    if not answer.kept:
        assert run.deviation("energy") < 0.01
    elif question.keep == "energy":
        assert run.deviation("energy") < ROUNDOFF
    elif question.keep == "momentum" and question.acts in ("nothing", "gravity"):
        assert run.deviation("pi" if question.acts == "nothing" else "pi_e3") < ROUNDOFF
    elif question.keep == "momentum" and question.acts == "bodies":
        assert run.deviation("angular_momentum") < ROUNDOFF


@each
def test_an_answer_is_the_cheapest_of_those_that_were_tried(question: MethodQuestion) -> None:
    answer = find_answer(question)
    candidates, _ = list_candidates(question)
    assert answer.best.method in candidates and answer.count == len(candidates)
    if question.exact == CHEAP and question.space == "so3":
        time = question.motion.time
        times = [method_table.time_cell(method, time).sort for method in candidates]
        assert method_table.time_cell(answer.best.method, time).sort == min(times)  # type: ignore[type-var]


@each
def test_sentences_are_short(question: MethodQuestion) -> None:
    answer = find_answer(question)
    text = " ".join([*write_answer(answer), describe_trial(answer)])
    for sentence in re.split(r"(?<=\.)\s", text):
        assert len(sentence.split()) <= LONGEST_SENTENCE, sentence
        assert sentence.endswith(".") and "nan" not in sentence and "inf " not in sentence


@each
def test_the_figure_shows_both_methods(question: MethodQuestion) -> None:
    answer = find_answer(question)
    chart = draw_answer(answer)
    asked = find_asked(question)
    assert tuple(chart.names) == answer.names + (ALLOWED,) * (asked is None)
    assert not chart.guides, "no words lie on curves"
    best = chart.curves[0]
    label = chart.axes[0].y.label
    assert len(best.x) == len(best.y) > 100 and np.isfinite(best.y).all()
    if question.keep in ("energy", "momentum"):
        assert asked is not None and question.keep in asked.key + asked.name
    if asked is None:
        assert label == "attitude error, rad"
        assert best.y.max() <= GOALS[question.exact] == chart.curves[2].y[0]
        return
    values = answer.best.run.quantity(asked.key)
    what, right = "change", values[0]
    if (question.acts, question.keep) == ("torque", "momentum"):
        assert "Only your torque changes the momentum. " in " ".join(write_answer(answer))
        if question.exact in GOALS:
            end = question.motion.choice.duration
            exact = engine.exact(question.motion.choice.build_problem(), [0.0, end])
            what, right = "error", exact.pi[-1]
    else:
        assert asked.key in question.motion.choice.build_problem().invariants
    change = np.linalg.norm(np.atleast_1d(values[-1] - right)) / np.linalg.norm(values[0])
    assert label == f"{what} of the {asked.name}, %"
    assert best.y[-1] == pytest.approx(100 * change, rel=1e-4)


@each
def test_the_words_tell_the_largest_change_of_the_energy_in_the_figure(
    question: MethodQuestion,
) -> None:
    answer = find_answer(question)
    if question.exact == CHEAP and question.keep != "momentum":
        drawn = float(draw_answer(answer).curves[0].y.max())
        told = re.search(r"its energy stays within ([\d.]+) % of", " ".join(write_answer(answer)))
        assert drawn < ROUNDOFF if told is None else drawn <= 1.01 * float(told[1])


def test_your_own_torque_acts_in_its_runs() -> None:
    for exact in MENUS["exact"]:
        problem = MethodQuestion("torque", "momentum", exact).motion.choice.build_problem()
        assert problem.torque is not None and "pi" not in problem.invariants


@each
def test_attitudes_are_in_radians_and_times_have_no_unit(question: MethodQuestion) -> None:
    answer = find_answer(question)
    text = " ".join(write_answer(answer))
    assert "°" not in text and not re.search(r"\d s\b", text)
    assert draw_answer(answer).axes[0].x.label == "t"


@each
def test_links_lead_to_the_answer(question: MethodQuestion) -> None:
    answer = find_answer(question)
    lab = read_address(link_lab(answer))
    choice, _, notices = read_setting(lab.query, question.space)
    assert (choice, lab.notices, notices) == (answer.choice, [], [])
    methods = read_address(link_methods(question))
    if question.space == "se3":
        assert methods.page == "two-bodies" and not read_setting(methods.query, "se3")[2]
        return
    state, notices = method_table.read_query(methods.query)
    assert methods.page == "methods" and not notices
    row = next(row for row in method_table.list_rows() if row.key == answer.best.method.key)
    assert set(state.having) <= set(row.has), "the filtered table has the answer"
    study, comparison = (read_address(address) for address in list_more_links(answer).values())
    asked, notices = study_forms.read_query(study.query)
    assert not notices and asked.methods == answer.choice.methods
    asked.check_effort()
    compared, notices = method_table.read_query(comparison.query)
    assert not notices and answer.best.method.key in compared.compare


RACES = [
    MethodQuestion("nothing", "momentum", "picture"),  # whose first answer is not the last
    MethodQuestion("nothing", "energy", CHEAP),
]


@pytest.mark.parametrize("question", RACES, ids=named)
def test_answers_before_the_last_are_the_best_so_far(question: MethodQuestion) -> None:
    done: list[float] = []
    found = list(find_answers(question, Event(), lambda part, _="": done.append(part)))
    assert [answer.is_final for answer in found] == [False] * (len(found) - 1) + [True]
    costs = [answer.best.cost for answer in found]
    assert costs == sorted(costs, reverse=True)
    assert done == sorted(done) and all(0.0 <= part <= 1.0 for part in done)
    for answer in found:
        assert ("tried so far" in describe_trial(answer)) != answer.is_final
        assert all(
            len(words.split()) <= LONGEST_SENTENCE for words in describe_trial(answer).split(".")
        )
    if question.exact in GOALS:
        assert len({answer.best.method.key for answer in found}) > 1 and len(set(done)) > 3


def test_a_method_that_costs_more_by_the_record_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """So its kernel need not be compiled."""
    run = []
    attempt = which_method._try
    monkeypatch.setattr(
        which_method, "_try", lambda method, *rest: run.append(method.key) or attempt(method, *rest)
    )
    answer = find_answer(MethodQuestion())
    assert run == [answer.best.method.key, answer.other.method.key]


def test_a_search_that_is_stopped_leaves_the_best_so_far() -> None:
    stop = Event()
    search = Search(RACES[0])
    reply = search.run(stop, lambda part, _="": stop.set() if part > 0.2 else None)
    assert reply is not None and reply is search.take_newest() and "so far" in reply.trial
    assert search.take_newest() is None
    page = WhichMethod(MethodQuestion())
    search.newest = reply
    page._show_progress(search, 0.4, "Compiling AKW, once")
    assert reply.name in page._words.html and "so far" in page._words.html
    assert (
        "Compiling Implicit midpoint, once …" in page._heading.panel.html
        and "40 %" in page._heading.panel.html
    )


def test_the_choice_is_in_the_link() -> None:
    question = MethodQuestion("gravity", "energy", CHEAP)
    address = read_address(links.link(question))
    assert address.page == "which"
    assert read_query(address.query) == (question, [])
    found, notices = read_query({"acts": "wind", "keep": "energy", "colour": "red"})
    assert found == MethodQuestion(keep="energy") and len(notices) == 2


def test_the_page_answers_a_change() -> None:
    page = WhichMethod(MethodQuestion())
    assert page.api.state["choice"]["method"] == "RK4-QUAT"
    page.form.enter("keep", "shape")
    page.form.enter("exact", CHEAP)
    page.form.enter("acts", "gravity")
    assert page.question == MethodQuestion("gravity", "shape", CHEAP)
    method = engine.algorithm(page.api.state["choice"]["method"])
    assert method.symplectic and method.name in [m.name for m in engine.algorithms()]
    assert "McLachlan–Reich" in page._words.html and "All methods that fit" in page._words.html
    page.form.enter("acts", "the moon")
    assert page.question.acts == "gravity"
    assert page._make_download("csv")["text"].startswith("method,t,error")
    assert page._make_download("table")["rows"]


def test_the_first_view_and_methods_lead_to_the_question() -> None:
    from app.pages.methods_page import HEADING
    from app.views.dialogs.opening import opening_html

    for html in (HEADING, opening_html()):
        assert "href='?page=which'" in html or 'href="?page=which"' in html
    _, title = open_page("?page=which&keep=energy")
    assert title == "Which method? · Polhode"
