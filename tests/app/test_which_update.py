"""The question for a gyroscope's update: the answer fits the samples, and its figures are those of a
run of one's own.
"""

from __future__ import annotations

import itertools
import re
from threading import Event

import numpy as np
import pytest
from covering import first
from page_driver import visible_html

import engine
from app.browser.addresses import read_address
from app.browser.addresses import read_query as read_setting
from app.pages.routes import open_page
from app.pages.which_page import WhichMethod, read_question
from app.state import LABS, Choice, links
from app.state.pages import study_forms
from app.state.pages.which_method import MethodQuestion
from app.state.pages.which_update import (
    ALIKE,
    MENUS,
    NEGLIGIBLE,
    UpdateQuestion,
    ask_about,
    describe_trial,
    draw_answer,
    find_update,
    find_updates,
    list_updates,
    make_reply,
    write_answer,
)

QUESTIONS = [
    UpdateQuestion(*words) for words in itertools.product(*(m.words for m in MENUS.values()))
]
TRIED = sorted(
    QUESTIONS, key=lambda one: one not in (UpdateQuestion(), UpdateQuestion(given="angles"))
)
LONGEST_SENTENCE = 22
"""Words."""

each = pytest.mark.parametrize(
    "question", first(TRIED), ids=lambda one: "-".join(one.values.values())
)


@each
def test_an_answer_fits_the_samples_and_is_about_as_exact_as_the_best(
    question: UpdateQuestion,
) -> None:
    answer = find_update(question)
    best = answer.best
    assert (question.bits == "32") == best.update.method.single
    fitting = [(one.method.label, one.samples) for one in list_updates(question)]
    assert (best.update.method.label, best.update.samples) in fitting
    assert answer.count == len(fitting) > answer.tried > 8
    assert best.worst <= max(NEGLIGIBLE, ALIKE * answer.other.worst)
    choice = answer.choice
    run = engine.simulate(choice.build_problem(), best.update.method, dt=choice.dt, duration=0.2)
    assert run.status == "done" and run.dt == best.update.samples / float(question.rate)


def test_answers_before_the_last_are_the_best_so_far() -> None:
    done: list[float] = []
    found = list(find_updates(UpdateQuestion(), Event(), done.append))
    assert len(found) > 2 and found[-1].tried == len(done) and done == sorted(done)
    for answer in found:
        assert answer.is_final == (answer is found[-1])
        assert ("were run so far" in describe_trial(answer)) != answer.is_final
        assert answer.best.worst <= max(NEGLIGIBLE, ALIKE * answer.other.worst)
        assert all(
            len(words.split()) <= LONGEST_SENTENCE for words in describe_trial(answer).split(".")
        )
    stop = Event()
    assert len(list(find_updates(UpdateQuestion(), stop, lambda _: stop.set()))) == 1


@each
def test_the_figures_are_those_of_a_run(question: UpdateQuestion) -> None:
    answer = find_update(question)
    choice = answer.choice
    assert draw_answer(answer).axes[0].x.label == "t, s"
    for curve, label, tried in zip(
        draw_answer(answer).curves, choice.methods, (answer.best, answer.other), strict=True
    ):
        run = engine.simulate(
            choice.build_problem(), label, dt=choice.dt, duration=float(curve.x[-1]), samples=7
        )
        error = engine.error(run)
        assert np.degrees(error.attitude[-1]) == pytest.approx(curve.y[-1], rel=1e-6, nan_ok=True)
        assert tried.worst == pytest.approx(np.radians(np.nanmax(curve.y)))


@each
def test_the_reply_is_short_and_its_links_open(question: UpdateQuestion) -> None:
    answer = find_update(question)
    reply = make_reply(answer)
    text = " ".join([*write_answer(answer), describe_trial(answer)])
    assert reply.sentences[0].startswith(
        f"At {MENUS['rate'].words[question.rate]} in {question.bits} bits, under "
    )
    for sentence in re.split(r"(?<=\.)\s", text):
        assert len(sentence.split()) <= LONGEST_SENTENCE, sentence
        assert sentence.endswith(".") and "nan" not in sentence and "inf " not in sentence
    lab, study = map(read_address, reply.ways.values())
    choice, _, notices = read_setting(lab.query, "rates")
    assert (choice, lab.page, notices) == (answer.choice, "gyroscope", [])
    asked, notices = study_forms.read_query(study.query)
    assert notices == [] and asked.methods == choice.methods
    assert asked.build_problem().dt == choice.dt
    asked.check_effort()


@pytest.mark.exhaustive
def test_more_increments_are_better_under_coning_and_a_slew_needs_none() -> None:
    coned = find_update(UpdateQuestion(given="angles", bits="64"))
    assert coned.best.update.method.key == "CONING" and coned.other.worst > 1000 * coned.best.worst
    slewed = find_update(UpdateQuestion(motion="slew", given="angles", bits="64"))
    assert slewed.best.update.samples == 1 and slewed.best.worst < NEGLIGIBLE


def test_too_few_samples_are_named() -> None:
    answer = find_update(UpdateQuestion(rate="200"))
    assert "the samples are too few" in " ".join(write_answer(answer))


def test_the_question_is_in_the_link() -> None:
    question = UpdateQuestion("hand", "200", "64", "angles")
    address = read_address(links.link(question))
    assert address.page == "which" and read_question(address.query) == (question, [])
    found, notices = read_question({"acts": "gyroscope", "rate": "7", "bits": "64"})
    assert found == UpdateQuestion(bits="64") and notices == ["rate: there is no '7' here."]


@pytest.mark.parametrize(("problem", "methods", "dt", "changes", "question"), [
    ("coning", ("EXP",), 0.001, {}, UpdateQuestion(bits="64", given="angles")),
    ("drone-flip(sensor=sampled)", ("EXP(precision=single)",), 0.001, {"sample_rate": 7000.0},
     UpdateQuestion("flip", "8000", "32", "samples")),
    ("spinning-cone(sensor=integrated)", ("CONING",), 0.01, {"sample_rate": 180.0},
     UpdateQuestion("coning", "200", "64", "angles")),
])  # fmt: skip
def test_the_gyroscope_s_page_leads_to_the_nearest_question(
    problem, methods, dt, changes, question
):
    choice = Choice(problem, methods, dt, 1.0, space="rates").with_changes(**changes)
    assert ask_about(choice) == question
    address, words = LABS["rates"].advise(choice)
    assert read_question(read_address(address).query) == (question, [])
    assert words == f"Which update should I use at {MENUS['rate'].words[question.rate]}?"
    page = open_page(links.link(choice))[0]
    assert words in visible_html(page)


def test_the_page_changes_its_menus_with_what_acts() -> None:
    page = WhichMethod(MethodQuestion())
    page.form.enter("acts", "gyroscope")
    assert page.question == UpdateQuestion()
    assert list(page.form.values) == ["acts", "motion", "rate", "bits", "given"]
    assert page.api.state["choice"]["acts"] == "gyroscope" and "Betaflight" in page._words.html
    page.form.enter("given", "angles")
    page.form.enter("given", "sounds")
    assert page.question == UpdateQuestion(given="angles")
    assert page._make_download("csv")["text"].startswith("method,t,error")
    page.form.enter("acts", "gravity")
    assert page.question == MethodQuestion("gravity") and "keep" in page.form.values
