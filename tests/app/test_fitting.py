"""Methods that do not fit a problem, and the nearest in their place."""

from __future__ import annotations

import pytest
from page_driver import find_offers, press, send_message

import engine
from app.pages.lab import LabPage
from app.pages.studies_page import Studies
from app.state.choice import Choice, choose_problem
from app.state.fitting import (
    describe_replacements,
    find_misfits,
    measure_distance,
    replace_misfits,
)
from app.state.links import read_query
from app.state.pages.study_forms import first_question

FRICTION = engine.problem("custom(torque=formula)", formula="-0.1*Omega + sin(2*t)*e1")


@pytest.mark.parametrize(
    ("methods", "problem", "after"),
    [
        (("DMV", "NMB"), FRICTION, ("GAUSS(stages=1)", "RK-MEAN")),
        (("MR4", "RKMK"), FRICTION, ("GAUSS", "RKMK")),
        (("VERLET-QUAT",), FRICTION, ("RK-MEAN",)),
        (
            ("simbody", "chrono-rk4"),
            FRICTION,
            ("RK-VECTOR(tableau=midpoint)", "chrono-rk4"),
        ),
        (("BUSS3+E", "NMB"), engine.problem("slow-top"), ("BUSS3", "NMB")),
        (("BUSS6",), engine.problem("slow-top"), ("RKMK(tableau=butcher6)",)),
    ],
)
def test_the_nearest_method_that_fits_replaces_one_that_does_not(methods, problem, after):
    assert replace_misfits(methods, problem) == after


@pytest.mark.parametrize("problem", [FRICTION, engine.problem("slow-top")], ids=["Ω", "top"])
def test_every_misfit_has_a_replacement_of_its_own(problem):
    misfits = list(find_misfits([method.key for method in engine.algorithms()], problem))
    for four in (misfits[i : i + 4] for i in range(0, len(misfits), 4)):
        after = replace_misfits([*four, "RKMK"], problem)
        assert not find_misfits(after, problem) and len(set(after)) == len(four) + 1
        assert after[-1] == "RKMK"


def test_the_distance_of_a_method_to_itself_is_the_least():
    dmv, *others = map(engine.algorithm, ("DMV", "VLV", "GAUSS(stages=1)", "GAUSS", "RK4-QUAT"))
    distances = [measure_distance(dmv, other) for other in others]
    assert measure_distance(dmv, dmv) == 0.0 < distances[0]
    assert distances == sorted(distances)


def test_a_lost_order_counts_more_than_one_gained():
    second = engine.algorithm("RKMK(tableau=midpoint)")
    first, third = (engine.algorithm(f"RKMK(tableau={one})") for one in ("euler", "kutta3"))
    assert measure_distance(second, first) > measure_distance(second, third)


def test_a_sentence_names_what_is_replaced_and_why():
    words = describe_replacements(("DMV", "RKMK"), ("GAUSS(stages=1)", "RKMK"), FRICTION)
    assert words == "This torque depends on Ω: Variational Gauss replaces Moser–Veselov."
    top = engine.problem("slow-top")
    assert describe_replacements(("BUSS3+E",), ("BUSS3",), top).startswith("A torque acts: Buss 3")
    samples = engine.problem("coning", sensor="sampled")
    words = describe_replacements(("RKMK853",), ("WILCOX",), samples)
    assert words == "Not every method fits these samples: Wilcox replaces Adaptive Munthe-Kaas 8."
    assert describe_replacements(("NMB",), ("AKW",), top) == ""
    assert describe_replacements(("DMV",), ("DMV",), FRICTION) == ""


def test_another_problem_comes_with_methods_that_fit_it():
    assert not find_misfits(choose_problem("gyrostat").methods, engine.problem("gyrostat"))
    assert choose_problem("slow-top").methods == Choice().methods


def test_a_link_chooses_methods_that_fit_unless_it_names_them():
    query = {"problem": "custom(torque=formula)", "formula": "-0.1*Omega"}
    choice, notices = read_query(query)
    assert notices == [] and not find_misfits(choice.methods, choice.build_problem())
    named, notices = read_query(query | {"methods": "NMB,RKMK"})
    assert notices == [] and named.methods == ("NMB", "RKMK")


def test_a_typed_torque_replaces_methods_in_place_and_can_be_undone():
    lab = LabPage(Choice("custom(torque=formula)", ("NMB", "RKMK"), 0.05, 5.0))
    lab.chooser.cases.enter("formula", "-0.1*Omega + sin(2*t)*e1")
    assert lab.explorer.history.now.methods == ("RK-MEAN", "RKMK")
    assert len(lab.explorer.results.runs) == 2
    notice = lab.explorer.notice
    assert (
        "This torque depends on Ω: One-turn Runge–Kutta replaces Explicit Newmark." in notice.html
    )
    press(notice, "undo")
    assert lab.explorer.history.now.methods == ("NMB", "RKMK")
    assert notice.html == "" and "-0.1*Omega" not in str(lab.chooser.cases.values)


def test_every_way_to_another_problem_says_what_it_replaces():
    lab = LabPage(Choice("free", ("NMB", "RKMK"), 0.05, 5.0))
    lab.explorer.open_preset("problem gyrostat")
    assert "replaces Explicit Newmark" in lab.explorer.notice.html
    assert lab.explorer.history.now.methods == ("RK-MEAN", "RKMK")
    lab.explorer.undo()
    send_message(lab.chooser.problem, {"pick": "gyrostat"})
    assert "replaces Explicit Newmark" in lab.explorer.notice.html


def test_a_study_of_another_problem_takes_methods_that_fit_and_can_be_taken_back():
    page = Studies(first_question("long-run"))
    before = page.question
    send_message(page.problem, {"pick": "gyrostat"})
    assert not find_misfits(page.question.methods, engine.problem("gyrostat"))
    press(page.page(), "undo")
    assert page.question == before and not find_offers(page.page(), "undo")
