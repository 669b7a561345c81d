"""The ledger and the method card, without a browser."""

from __future__ import annotations

import csv
import dataclasses
import functools
import html
import html.parser
import io
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from covering import first, some
from page_driver import send_message
from sentences import find_faults
from special_states import STATES

import engine
from app.state import lessons
from app.state.choice import FIRST, Choice, validate
from app.state.excerpt import SIMPLE
from app.state.labs import LABS
from app.state.narration import narrate
from app.state.one_body import GROUPS, LEDGER, list_columns, main_invariants
from app.state.results import compute
from app.state.simple import FIRST_SEEN, RUNGE_KUTTA, SYMPLECTIC, name_plainly, tell_energies
from app.views.dialogs.html_block import HtmlBlock
from app.views.plots.time_plots import describe_curves
from app.views.tables import ledger_table, method_card
from app.views.tables.highlighting import split_code
from engine.algorithms.core.description import find_sources
from engine.text.formatting import format_measured

FREE = Choice("free", ("NMB", "AKW", "DMV"), 0.5, 100.0)
TOP = Choice("slow-top", ("NMB", "AKW", "HSTAGM", "BUSS3+E"), 0.05, 100.0)
TOO_FAR = Choice("free", ("DMV", "NMB"), 4.0, 100.0)


@functools.cache
def results_of(choice):
    return compute(validate(choice))


def rows_of(choice):
    return LEDGER.table(results_of(choice)).rows


def row_of(choice, label):
    return next(row for row in rows_of(choice) if row.label == label)


class Balanced(html.parser.HTMLParser):
    """Follows the tags, and keeps the ids and the text."""

    VOID = ("br", "input", "mspace", "meta", "link")

    def __init__(self, text):
        super().__init__()
        self.open = []
        self.ids = []
        self.text = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.mark.exhaustive
def test_with_32_bits_kept_is_what_is_promised_and_as_near_as_their_roundoff_may_leave_it():
    """Roundoff may be biased, as that of MR2's momentum; and it may hide a change, as that of
    RKMK's energy.
    """
    labels = [f"{m}(precision=single)" for m in ("MR2", "RKMK", "DMV", "BUSS2")]
    choice = Choice("free", tuple(labels), 1 / 60, 1000.0)
    MR2, RKMK, DMV, BUSS2 = (row_of(choice, label) for label in labels)
    assert MR2.cell("momentum").value > 1e-4 and MR2.cell("momentum").text == "32-bit roundoff"
    assert RKMK.cell("energy").value < 1e-4 and not RKMK.cell("energy").exact
    assert all(
        row.cell("momentum").exact and row.cell("orthogonality").exact
        for row in (MR2, RKMK, DMV, BUSS2)
    )
    assert (
        DMV.cell("energy").exact and not MR2.cell("energy").exact and not BUSS2.cell("energy").exact
    )
    said = LEDGER.table(results_of(choice)).conclusion
    assert said.startswith("All keep energy within ")
    assert f", {DMV.name} to 32-bit roundoff. All keep momentum to 32-bit roundoff." in said


def test_conserved_is_exact_and_the_rest_is_not():
    for label in ("AKW", "DMV"):
        assert row_of(FREE, label).cell("energy").exact
        assert row_of(FREE, label).cell("momentum").exact
    newmark = row_of(FREE, "NMB")
    assert newmark.cell("energy").value == pytest.approx(2.88e-3, rel=0.01)
    assert not newmark.cell("energy").exact
    assert newmark.cell("drift").text == "none"
    assert newmark.cell("attitude").value == pytest.approx(0.0234, rel=0.01)


def test_a_small_error_is_not_roundoff():
    cell = row_of(Choice("free", ("CF4",), 0.02, 20.0), "CF4").cell("energy")
    assert 1e-11 < cell.value < 1e-10 and not cell.exact


def test_the_best_is_marked():
    assert row_of(FREE, "NMB").cell("attitude").best
    assert not row_of(FREE, "DMV").cell("attitude").best
    assert row_of(FREE, "AKW").cell("energy").best and row_of(FREE, "DMV").cell("energy").best
    assert not any(
        row_of(FREE, label).cell("orthogonality").best for label in ("NMB", "AKW", "DMV")
    )


def test_only_finished_runs_can_be_the_best():
    stopped, newmark = rows_of(TOO_FAR)
    assert not any(cell.best for cell in (*stopped.cells.values(), *newmark.cells.values()))


def test_a_run_that_ends_early_says_where_and_why():
    stopped = row_of(TOO_FAR, "DMV")
    assert stopped.status == "no solution at step 1"
    assert stopped.why == results_of(TOO_FAR).lines[0].run.message
    assert stopped.why in " ".join(
        Balanced(ledger_table.panel_html(LEDGER.table(results_of(TOO_FAR)))).text
    )


def test_a_method_that_does_not_fit_says_why():
    misfit = row_of(TOP, "BUSS3+E")
    assert misfit.status == "does not fit"
    assert "free bodies" in misfit.why
    pushed = Choice("custom(torque=formula)", ("BUSS5",), 0.1, 1.0).with_changes(formula="0.5*e1")
    assert row_of(pushed, "BUSS5").why.startswith(
        "Buss 5 needs the torque's higher rates of change"
    )


def test_the_vertical_momentum_stands_for_tops():
    heads = [column.head for column in list_columns(results_of(TOP))]
    assert "max\n|Δ(π·e₃)|" in heads
    assert row_of(TOP, "AKW").cell("momentum").exact
    assert row_of(TOP, "HSTAGM").cell("drift").text == "unsteady"


def test_what_torque_changes_is_not_held_against_a_method():
    toss = Choice("book-toss", ("NMB",), 0.05, 10.0)
    assert row_of(toss, "NMB").cell("energy").value is None
    assert row_of(toss, "NMB").cell("momentum").value is None


def test_the_sum_is_told_in_a_sentence():
    def said(choice):
        return LEDGER.table(results_of(choice)).conclusion

    assert said(FREE) == (
        "All keep energy within 0.29 %, Implicit midpoint and Moser–Veselov to roundoff. "
        "Implicit midpoint and Moser–Veselov keep momentum. "
        "Moser–Veselov loses phase: its attitude ends unrelated to the exact one. "
        "Explicit Newmark ends nearest to the exact motion, 0.023 rad off."
    )
    assert "Moser–Veselov finds no solution" in said(TOO_FAR)
    assert said(TOP).startswith(
        "Explicit Newmark and Implicit midpoint keep energy within 1.9 %, Implicit midpoint to roundoff. "
        "Implicit midpoint and Staggered momentum keep momentum about the vertical. "
        "Explicit Newmark and Implicit midpoint keep momentum about the body's axis. "
    )
    reaches = "The energy error of Staggered momentum reaches 14000 times the first energy."
    assert reaches in said(TOP)
    assert "Buss 3 with energy correction does not fit this problem" in said(TOP)


def test_a_steady_drift_is_told_with_its_sign():
    falling = Choice("asymmetric-top", ("KB",), 0.05, 5000.0)
    cell = row_of(falling, "KB").cell("drift")
    run = results_of(falling).lines[0].run
    half = len(run) // 2
    fell = (run.energy[half:].mean() - run.energy[:half].mean()) / abs(run.energy[0])
    assert np.sign(cell.value) == np.sign(fell) == -1
    assert cell.value * run.t[-1] / 2 == pytest.approx(fell, rel=0.5)
    assert cell.text.startswith("−")


@pytest.mark.parametrize("choice", [FREE, TOP, TOO_FAR], ids=["free", "top", "too far"])
def test_the_table_is_well_formed(choice):
    found = rows_of(choice)
    page = Balanced(ledger_table.panel_html(LEDGER.table(results_of(choice))))
    assert not page.open
    assert len(page.ids) == len(set(page.ids))
    for row in found:
        assert row.name in page.text


def test_the_csv_has_every_digit():
    found = rows_of(FREE)
    head, *lines = csv.reader(io.StringIO(ledger_table.format_csv(LEDGER.table(results_of(FREE)))))
    assert [line[0] for line in lines] == ["NMB", "AKW", "DMV"]
    at = head.index("max |ΔE/E₀|")
    assert float(lines[0][at]) == found[0].cell("energy").value
    assert all(len(line) == len(head) for line in lines)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (0.0234, "0.023"),
        (1.81, "1.8"),
        (2.94e-5, "2.9·10⁻⁵"),
        (-1.25e6, "−1.3·10⁶"),
        (9.97, "10"),
        (float("inf"), "∞"),
        (float("nan"), "–"),
    ],
)
def test_numbers_have_sensible_digits(value, text):
    assert format_measured(value) == text


def test_the_views_show_and_follow():
    table = ledger_table.LedgerTable(LEDGER)
    about = method_card.MethodCard()
    assert isinstance(table.panel, HtmlBlock)
    for choice in (FREE, TOP):
        for view in (table, about):
            view.show(results_of(choice))
        assert all(method in table.panel.html for method in choice.methods)
    about.choose("AKW")
    assert "AKW" in about.panel.texts["bibtex"] or "Cayley" in about.panel.html
    about.show(results_of(FREE))
    assert "value='AKW' checked" in about.panel.html
    about.show(results_of(TOO_FAR))
    assert "value='DMV' checked" in about.panel.html
    about.choose("<script>")
    assert "value='DMV' checked" in about.panel.html
    assert about.panel.texts["program"] == ""
    send_message(about.panel, {"ask": "language", "value": "rust"})
    assert about.panel.texts["program"] == engine.program("DMV", "rust")
    assert "fn step(body: Body" in html.unescape(about.panel.html)


# -------------------------------------------------------------------------------------------------
# the card


@pytest.mark.parametrize("method", engine.algorithms(), ids=lambda m: m.key)
def test_every_method_has_a_card(method):
    page = Balanced(method_card.method_html(method.label))
    assert not page.open
    assert len(page.ids) == len(set(page.ids))
    code = find_sources(method)[0]
    assert code.text.startswith("def ") and code.where.startswith("engine/")
    assert "".join(text for _, text in split_code(code.text)) == code.text
    assert "<math" in method_card.method_html(method.label)


def test_what_was_measured_stands_beside_what_is_declared():
    text = " ".join(Balanced(method_card.method_html("NMB")).text)
    assert "order of the attitude" in text and "2.00" in text


def test_no_attitude_error_is_told_where_the_exact_motion_is_not_known():
    chaos = Choice("asymmetric-top", ("NMB", "MR4", "EXACT"), 0.1, 1000.0)
    results = results_of(chaos)
    assert 60 < results.exact.t[-1] < 250 and results.no_exact.startswith("Beyond t = ")
    for row in rows_of(chaos):
        cell = row.cell("attitude")
        assert cell.value is None and cell.text == "–" and not cell.best and cell.about
    assert "attitude" not in LEDGER.table(results).conclusion
    for quantity in (*main_invariants(results), *GROUPS["Attitude"].quantities(results, "Ω")):
        if "xact" in quantity.symbol or "ₑₓ" in quantity.symbol:
            for line in results.runs:
                t, error = quantity.values(line, False)
                assert t[-1] <= results.exact.t[-1] and np.isfinite(error).all()
    said = describe_curves(results)
    assert "good to 10⁻⁶ rad up to t = " in said and results.no_exact in said
    # A method that is added later finds the same exact motion.
    more = compute(dataclasses.replace(chaos, methods=("NMB", "MR4", "MR2")), before=results)
    assert more.exact is results.exact and more.no_exact == results.no_exact


@pytest.mark.parametrize("given", first([
    {"problem": "custom(torque=space)"},
    {"problem": "custom(torque=body)"},
    {"problem": "slow-top", "changes": (("J", (5.0, 4.0, 1.0)),)},
]))  # fmt: skip
def test_what_the_motion_does_not_keep_is_no_error(given):
    results = results_of(Choice(methods=("NMB", "MR2"), dt=0.01, duration=5.0, **given))
    moved = "slow-top" in given["problem"]
    titles = [quantity.title for quantity in main_invariants(results)]
    assert ("Energy error" in titles) == moved and "Momentum about the body's axis" not in titles
    for row in LEDGER.table(results).rows:
        assert (row.cell("energy").value is not None) == (row.cell("drift").text != "–") == moved
        assert moved or not row.cell("energy").best
    assert moved or "energy" not in LEDGER.table(results).conclusion


def test_a_body_of_one_s_own_on_which_nothing_acts_is_a_free_one():
    results = results_of(Choice("custom", ("MR2",), 0.05, 5.0))
    assert results.is_free and row_of(results.choice, "MR2").cell("momentum").exact
    assert results_of(Choice("slow-top", ("MR2",), 0.05, 5.0, (("Mgl", 0.0),))).is_free


@pytest.mark.exhaustive
def test_what_small_steps_alone_keep_is_said_to_stay_within_a_bound():
    fine = Choice("gyrostat", ("RK4-QUAT",), 0.001, 2.0)
    energy = row_of(fine, "RK4-QUAT").cell("energy")
    assert energy.near and not energy.exact and "exact" not in energy.text
    said = LEDGER.table(results_of(fine)).conclusion
    assert "keeps" not in said and said.startswith("With Runge–Kutta 4, energy, ")
    assert "change by at most 10⁻¹²." in said
    promised = row_of(Choice("free", ("DMV",), 0.001, 2.0), "DMV").cell("energy")
    assert promised.exact and not promised.near


def test_an_attitude_error_without_phase_ranks_nothing():
    """The lesson on symplectic methods: after a million steps both attitude errors are noise."""
    choice = lessons.find_lesson("symplectic").steps[1].choice
    assert choice.steps == 1_000_000
    rows = rows_of(choice)
    cells = [row.cell("attitude") for row in rows]
    assert all(
        cell.lost == "phase" and cell.text.startswith("phase lost at t = ") for cell in cells
    )
    assert not any(row.cell("attitude").best for row in rows)
    said = LEDGER.table(results_of(choice)).conclusion
    lost = "Runge–Kutta 4 and McLachlan–Reich lose phase: their attitudes end unrelated to the exact one."
    assert lost in said and "nearest" not in said


def test_the_exact_motion_is_called_so():
    said = LEDGER.table(results_of(Choice("free", ("EXACT", "NMB"), 0.5, 100.0))).conclusion
    assert said.startswith(
        "Explicit Newmark keeps energy within 0.29 %, not momentum. The attitude ends "
    )
    alone = LEDGER.table(results_of(Choice("free", ("EXACT",), 0.5, 100.0))).conclusion
    assert alone == "This is the exact motion."


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (
            Choice("slow-top", ("BUSS1", "RK4-QUAT", "DMV", "SW"), 2.0, 40.0),
            "Buss 1 and Explicit Simo–Wong do not keep energy or momentum about the body's axis.",
        ),
        (
            Choice("magnet", ("NMB", "MR2", "EXACT"), 0.5, 20.0),
            "Explicit Newmark and McLachlan–Reich do not keep energy.",
        ),
        (Choice("magnet", ("NMB", "MR2"), 0.5, 20.0), "Neither keeps energy."),
        (Choice("magnet", ("NMB", "MR2"), 0.25, 20.0), "Both keep energy within 0.74 %."),
        (
            Choice("gyrostat", ("LSODA",), 0.1, 10.0),
            "LSODA keeps energy within 10⁻⁷, not squared total momentum or total momentum about the "
            "vertical.",
        ),
        (
            # The attitude of a pushed sleeping top is not known to the errors of the other two.
            Choice("slow-top", ("NMB", "MR2", "AKW"), 0.01, 10.0).with_changes(R0=(0, 0, 0)),
            "The attitude of Implicit midpoint ends ",
        ),
    ],
)
def test_both_and_none_and_a_single_error_stand_for_all_methods_of_the_table(choice, words):
    assert words in LEDGER.table(results_of(choice)).conclusion


MOST = Choice("free", ("MR2", "DMV", "AKW", "RK4-QUAT"), 0.5, 1000.0)
"""The conclusion on four methods, three of which lose phase, is of five lines."""
OTHERS = [
    Choice(problem.key, methods, times * problem.dt, 100 * times * problem.dt)
    for problem in engine.problems()
    for times in (1, 10)
    for methods in (MOST.methods, ("EXACT", "NMB", "RK4-QUAT(precision=single)", "HSTAGM"))
]


POINTS = Choice("two-bodies", ("LGVI", "TAYLOR"), 0.01, 0.1, space="se3")
"""Bodies of point masses, on which TAYLOR does not run, and whose exact motion is not known."""


@pytest.mark.parametrize(
    "choice", [FREE, TOP, TOO_FAR, MOST, FIRST["se3"], POINTS, *first(OTHERS, 4)]
)
def test_a_sentence_has_at_most_22_words(choice):
    """Of summary and conclusion, and of what stands under the ledger and under the plots."""
    results = results_of(choice)
    table = LABS[choice.space].ledger.table(results)
    errors = [line.error.message for line in results.runs if line.error]
    for said in (LABS[choice.space].narrate(results), table.conclusion, *table.notes, *errors):
        assert find_faults(said) == []
    below = describe_curves(results)
    assert find_faults(below) == [] and "TAYLOR" not in below
    assert [row.why for row in table.rows if find_faults(row.why)] == []


@pytest.mark.parametrize("choice", [FREE, TOP, TOO_FAR, MOST, FIRST["se3"]])
def test_the_headline_has_two_lines_of_the_conclusion_with_all_or_the_number_that_keep_invariants(
    choice,
):
    table = LABS[choice.space].ledger.table(results_of(choice))
    assert len(table.headline) <= 112
    left = table.conclusion
    counted = r"(\d of \d|[Aa]ll) keeps? .*"
    for sentence in table.headline.removesuffix(".").split(". "):
        if re.fullmatch(counted, sentence):
            continue
        before, found, left = left.partition(f"{sentence}.")
        assert found and (not before or before.endswith(" ")), "in the order of the conclusion"
    assert " keep" in table.headline
    refers = re.search(r"\. [^.]* (keeps? neither|keeps? none|do not|does not)\.", table.headline)
    assert not refers or table.conclusion.startswith(table.headline[: refers.end()])


def test_the_headline_counts_the_methods_that_keep_what_if_their_names_are_too_long():
    assert LEDGER.table(results_of(MOST)).headline == (
        "The body flips 57 times. All keep energy within 0.58 %, 3 keep momentum, and 2 keep energy to roundoff."
    )
    pair = Choice("dumbbells", ("LGVI", "RK2"), 0.002, 2.0, space="se3")
    assert LABS["se3"].ledger.table(results_of(pair)).headline == (
        "Both keep energy within 0.023 %. Lie group variational keeps linear momentum and angular momentum."
    )


@pytest.mark.parametrize(("methods", "dt", "says", "told"), [
    ((RUNGE_KUTTA, SYMPLECTIC), 0.25,
     "McLachlan–Reich keeps energy within 2 % and momentum. Runge–Kutta 4 keeps neither.",
     "Runge–Kutta 4 ended with 93 % of the first energy, and a symplectic method kept the energy."),
    ((RUNGE_KUTTA, SYMPLECTIC), 0.3,
     "McLachlan–Reich keeps momentum. Runge–Kutta 4 does not. Neither keeps energy.",
     "A symplectic method let the energy swing by 5.4 %."),
    ((RUNGE_KUTTA, "MR4"), 0.05, "Both keep energy within 0.0072 %. McLachlan–Reich 4 keeps momentum.",
     "all methods keep the energy."),
    ((RUNGE_KUTTA, SYMPLECTIC, "MR4"), 0.1, "All keep energy within 0.29 %.",
     "all methods keep the energy."),
    ((RUNGE_KUTTA, SYMPLECTIC, "MR4"), 0.25, "2 of 3 keep momentum, and 1 keeps energy within 2 %.",
     "a symplectic method kept the energy."),
    (("DMV", SYMPLECTIC), 0.1,
     "The body flips 9 times. Both keep energy within 0.29 %, Moser–Veselov to roundoff. Both keep momentum.",
     "all methods keep the energy."),
    (("DMV", SYMPLECTIC, RUNGE_KUTTA, "NMB"), 0.1,
     "The body flips 9 times. 3 of 4 keep energy within 0.29 %, 2 keep momentum, and 1 keeps energy to roundoff.",
     "Moser–Veselov, a symplectic method and Runge–Kutta 4 kept the energy. "
     "Explicit Newmark let the energy swing by 2.7 %."),
])  # fmt: skip
def test_the_headline_keeps_the_energy_where_the_simple_view_does(methods, dt, says, told):
    choice = replace(FIRST_SEEN[SIMPLE][0], methods=methods, dt=dt)
    results = results_of(choice)
    assert LEDGER.table(results).headline.startswith(says)
    assert told in tell_energies(results, name_plainly(results))


def test_what_single_precision_keeps_within_a_bound_is_no_roundoff():
    """Only exact invariants are kept to the roundoff of 32 bits."""
    choice = Choice("free", ("MR2(precision=single)", "DMV", "DMV(precision=single)"), 0.2, 20.0)
    double, single = (choice.names[label] for label in choice.methods[1:])
    said = LEDGER.table(results_of(choice)).conclusion
    assert f" %, {double} to roundoff and {single} to 32-bit roundoff. " in said


def test_a_run_that_blows_up_keeps_nothing_although_its_roundoff_is_infinite():
    wild = Choice("kovalevskaya-top", ("VERLET-SINE", "SPIRAL"), 0.25, 75.0).with_changes(
        Omega0=(0.0, 0.0, 20.0), R0=(math.pi, 0.0, 0.0)
    )
    said = LEDGER.table(results_of(wild)).conclusion
    assert "blow" in said or "diverge" in said


def test_an_energy_that_begins_at_zero_has_no_percentage():
    """A top on its side at rest: its energy is 0 at first."""
    side = Choice("slow-top", ("HSTAGM", "BUSS1"), 0.4, 40.0).with_changes(
        R0=(math.pi / 2, 0.0, 0.0), Omega0=(0.0, 0.0, 0.0)
    )
    cell = row_of(side, "BUSS1").cell("energy")
    assert cell.from_zero and cell.about == "The first value is 0, so this is the change itself."
    said = LEDGER.table(results_of(side)).conclusion
    assert "The energy error of Buss 1 reaches " in said and "%" not in said and "times" not in said


def test_the_headline_of_many_methods_leaves_the_rest_to_the_small_ledger():
    table = LEDGER.table(results_of(MOST))
    assert "loses phase: its attitude ends unrelated" in table.conclusion
    assert len(table.conclusion) > 200 > len(table.headline)
    shown = ledger_table.LedgerTable(LEDGER)
    shown.show(results_of(MOST))
    assert f"<span>{html.escape(table.headline)}</span>" in shown.verdict.html
    assert f"title='{html.escape(table.conclusion)}'" in shown.verdict.html


def test_the_momentum_about_the_axis_of_a_symmetric_top_is_in_the_ledger():
    """DISCRETE-GRADIENT keeps the momentum about the vertical, and not that about the axis."""
    table = LEDGER.table(results_of(Choice("slow-top", ("DISCRETE-GRADIENT",), 0.05, 50.0)))
    assert "|Δ(π·χ)|" in "".join(column.head for column in table.columns)
    (row,) = table.rows
    assert row.cell("momentum").exact and row.cell("pi_chi").value > 1e-4
    assert "not momentum about the body's axis" in table.conclusion


FLIPS = Choice("custom", ("LINEAR-EULER", "BUSS1", "DMV", "CG3"), 0.4, 200.0)
FLIPS = FLIPS.with_changes(J=(1.0, 2.0, 3.0), Omega0=(0.01, 1.0, 0.02))


def test_a_lost_phase_says_what_the_body_does():
    table = LEDGER.table(results_of(FLIPS))
    assert [row.cell("attitude").text for row in table.rows] == [
        "never flips",
        "stops flipping at t = 10.4",
        "flips 13 times, not 12",
        "stops flipping at t = 116.4",
    ]
    assert table.headline == (
        "The body flips 12 times. With Linearly implicit Euler, it never does. "
        "3 of 4 keep momentum, and 1 keeps energy."
    )
    assert "With Moser–Veselov, it does so 13 times." in table.conclusion
    assert "phase" not in table.conclusion and "nearest" not in table.conclusion


def test_methods_with_the_same_motion_share_a_sentence_and_the_nearest_has_one():
    choice = dataclasses.replace(FLIPS, methods=("DMV", "LS", "MR2", "MR4"))
    said = LEDGER.table(results_of(choice)).conclusion
    names = choice.names
    assert said.startswith(
        f"The body flips 12 times. With {names['DMV']} and {names['LS']}, it does so 13 times. "
    )
    assert f"{names['MR4']} ends nearest to the exact motion, " in said


def choose(body, methods):
    """The choice of a problem's body and start; tops turn from the upright place about the first axis."""
    changes = {"J": np.diag(body.J), "Omega0": body.Omega0}
    if body.torque is None and "pi" in body.invariants:
        return Choice("custom", methods, 0.25, 50.0).with_changes(**changes)
    tilt = math.atan2(body.R0[2, 1], body.R0[2, 2])
    return Choice(body.key, methods, 0.01, 5.0).with_changes(**changes, R0=(tilt, 0.0, 0.0))


@pytest.mark.parametrize("state", some(STATES))
def test_a_special_state_says_nothing_of_flips_in_short_sentences(state):
    for methods in (("LINEAR-EULER", "MR2"), ("RK4-QUAT", "DMV")):
        results = compute(choose(STATES[state], methods))
        said = LEDGER.table(results).conclusion
        assert "flip" not in said and "nan" not in said and "inf" not in said
        assert find_faults(f"{narrate(results)} {said}") == []
