"""Sentences on methods, problems and presets: every figure, comparison and "always" is measured."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import evidence_measures
import pytest
from covering import covering
from sentences import (
    LONGEST_IN_DOCUMENTATION,
    RETIRED,
    find_faults,
    find_long_sentences,
    find_retired,
    list_paragraphs,
)
from statements import ALL, MEASURED, Sentence, evaluate, find_unmeasured

import engine
from app.state import presets
from app.state.pages import method_table
from engine import papers
from engine.algorithms import describe_method, use_short_names
from engine.text.evidence import (
    FREE,
    HERE,
    RANDOM,
    InRange,
    declares,
    measures,
    round_to_two_digits,
    sentence,
)
from engine.text.evidence import Sentence as Told
from engine.text.glossary import GLOSSARY


def test_what_is_stated_carries_a_measurement() -> None:
    assert [(one.place, words) for one in ALL if (words := find_unmeasured(one.text))] == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It ends a hundred times nearer.", ["hundred", "times", "nearer"]),
        ("Energy drifts, and it is the cheapest of 4.", ["drifts", "cheapest", "4."]),
        (sentence("Energy [swings] and never drifts.", declares()), ["never", "drifts"]),
        ("In 400 steps of 0.05 rad it turns by x³/12, with Δt = 0.5.", []),
    ],
)
def test_a_statement_without_a_measurement_is_found(text: str, words: list[str]) -> None:
    assert find_unmeasured(text) == words


# ----------------------------------------------------------------- the measurements

NAMES = {
    "asymmetric-top": "asymmetric top",
    "slow-top": "slow",
    "fast-top": "fast",
    "lagrange-top": "Lagrange",
}
NAMES |= {"book-toss": "book toss"}


def names_a_body(one: Sentence, body: str) -> bool:
    """Return whether a sentence names a body, or belongs to one."""
    return NAMES.get(body, body) in one.text or one.place.endswith(
        (body, f"{body.removesuffix('-top')} why")
    )


def ranges() -> Iterator[tuple[Sentence, str, InRange]]:
    """Each measurement of more than the setting at which its sentence stands, with the words that
    it proves.
    """
    for one in MEASURED:
        assert isinstance(one.text, Told)
        for words, proof in one.text.marks:
            yield from (
                (one, words, piece)
                for piece in proof
                if isinstance(piece, InRange) and piece.on != HERE
            )


def test_each_range_is_of_a_quantity_that_tests_measure() -> None:
    pieces = [
        (one.place, piece)
        for one in MEASURED
        for _, proof in one.text.marks
        for piece in proof
        if isinstance(piece, InRange)
    ]
    assert pieces
    for place, piece in pieces:
        assert piece.what in evidence_measures.QUANTITIES, place


def test_what_is_measured_is_not_told_of_one_body_alone() -> None:
    """Evidence covers at least three bodies, or the sentence names its bodies; a preset concerns
    itself.
    """
    for one, words, piece in ranges():
        assert len(piece.on) >= 3 or all(names_a_body(one, body) for body in piece.on), (
            one.place,
            words,
            piece.on,
        )


def test_a_range_names_the_bodies_that_it_was_measured_on() -> None:
    """A range reads as a law; of more bodies a typical value, or a bound, is stated."""
    for one, words, piece in ranges():
        if piece.typical:
            of_all = "random bodies" if piece.written else "most free bodies"
            assert of_all in one.text.lower(), (one.place, words)
        elif piece.written and piece.figure != round_to_two_digits(piece.low):
            assert all(names_a_body(one, body) for body in piece.on), (one.place, words)


def kind(one: Sentence) -> tuple[str]:
    """The space and the family of a method; of other texts, where they stand."""
    family = (
        f"{one.space} {engine.algorithm(one.method, space=one.space).family}"
        if one.method
        else one.place.partition(" ")[0]
    )
    return (family,)


FACTOR = 2.0
"""The largest ratio of the medians of two draws of bodies."""


TYPICAL = [(one, piece) for one, _, piece in ranges() if piece.typical]


@pytest.mark.parametrize(
    ("one", "piece"),
    covering(TYPICAL, by=lambda one, _: kind(one)),
    ids=lambda x: getattr(x, "place", ""),
)
def test_a_typical_value_holds_on_other_bodies(one: Sentence, piece: InRange) -> None:
    others = replace(piece, on=evidence_measures.OTHERS)
    median = statistics.median(evidence_measures.values(others, one.method).values())
    if piece.written:
        assert piece.low / FACTOR <= median <= piece.low * FACTOR
    else:
        assert piece.low <= median <= piece.high


OF_FREE_BODIES = [
    (one, piece)
    for one, _, piece in ranges()
    if not piece.typical and not piece.written and set(FREE) <= set(piece.on)
]
"""Statements on free bodies that name no bodies."""
FEW_BODIES = [
    name for name in (*RANDOM, *evidence_measures.OTHERS) if evidence_measures.turns_steadily(name)
][:10]


@pytest.mark.parametrize(
    ("one", "piece"),
    covering(OF_FREE_BODIES, by=lambda one, _: kind(one)),
    ids=lambda x: getattr(x, "place", ""),
)
def test_what_is_said_of_free_bodies_holds_on_random_ones(one: Sentence, piece: InRange) -> None:
    found = evidence_measures.values(replace(piece, on=tuple(FEW_BODIES)), one.method)
    assert piece.holds(found.values()), found


def test_when_a_body_turns_over_is_measured_on_the_exact_motion() -> None:
    of = {
        (one.place, piece.of)
        for one in MEASURED
        if isinstance(one.text, Told)
        for _, proof in one.text.marks
        for piece in proof
        if isinstance(piece, InRange) and piece.what == "first flip"
    }
    assert {method for _, method in of} == {"EXACT"}, of


OF_A_STEP = ("energy", "attitude", "orthogonality")
"""Quantities whose figures depend on the step."""


def test_a_figure_says_with_which_step() -> None:
    for one, words, piece in ranges():
        if piece.written and piece.what in OF_A_STEP:
            step = (
                ("Δt = ", "h = ", "rtol = ")
                if piece.dt or one.space == "se3" or "rtol" in piece.of
                else ()
            )
            assert any(word in one.text for word in (*step, f"{piece.turn:g} rad")), (
                one.place,
                words,
            )


@pytest.mark.parametrize("one", covering(MEASURED, by=kind), ids=lambda one: one.place)
def test_what_is_stated_holds(one: Sentence) -> None:
    assert isinstance(one.text, Told)
    for words, proof in one.text.marks:
        for piece in proof:
            holds, found = evaluate(piece, one)
            assert holds, f"{words!r}: {found}"


def test_a_measurement_can_fail() -> None:
    better = measures("energy", FREE, 0, 0.5, of="BUSS2-AUG", over="BUSS2")
    assert not better.holds(evidence_measures.values(better).values())
    text = sentence(
        "It ends [{} times] as far off.", measures("attitude", FREE, 90, 110, of="ELN", over="NMB")
    )
    ((_, (hundred,)),) = text.marks
    assert text == "It ends 90 to 110 times as far off."
    assert isinstance(hundred, InRange) and not hundred.holds(
        evidence_measures.values(hundred).values()
    )
    assert not measures("energy", FREE, 0, 1).holds([0.5, math.nan])


def test_evidence_is_given_for_each_mark() -> None:
    with pytest.raises(ValueError, match="0 pieces of evidence for 1 marks"):
        sentence("It [never] drifts.")


def test_what_a_figure_s_text_says_is_measured_by_claims() -> None:
    for figure in papers.figures():
        assert figure.claims or not find_unmeasured(figure.see), (figure.key, figure.see)


SHOWN = [
    *((one.place, use_short_names(str(one.text), one.space)) for one in ALL),
    *((m.key, o.doc) for m in engine.algorithms(None) for o in m.options),
    *((m.key, value) for m in engine.algorithms(None) for _, value in describe_method(m)),
    *((term.word, term.meaning) for terms in GLOSSARY.values() for term in terms),
]
"""What cards, lists, menus and the glossary show, with its place."""


def test_what_the_page_shows_as_plain_text_has_no_marks_of_documentation() -> None:
    assert [(place, text) for place, text in SHOWN if "`" in text] == []


def test_sentences_of_cards_lists_menus_and_the_glossary_are_short_and_in_today_s_words() -> None:
    assert [(place, found) for place, text in SHOWN if (found := find_faults(text))] == []


ROOT = Path(__file__).parents[2]
FOLDERS = "start", "how-to", "explained"
PAGES = [
    *(ROOT / name for name in ("README.md", "docs/index.md")),
    *(ROOT / f"docs/reference/{name}.md" for name in ("page", "conventions")),
    *(page for folder in FOLDERS for page in sorted((ROOT / "docs" / folder).glob("*.md"))),
]
"""Pages of the documentation that people read from top to bottom."""


def test_sentences_of_the_documentation_are_short() -> None:
    assert len(PAGES) > 20
    long = {
        page.name: found
        for page in PAGES
        for text in list_paragraphs(page.read_text("utf-8"))
        if (found := find_long_sentences(text, LONGEST_IN_DOCUMENTATION))
    }
    assert long == {}
    text = "# Title\n\n| a | b |\n\n- [One](page.md) two.\n- Three\n  four.\n\n```py\ncode\n```\n"
    assert list_paragraphs(text) == ["- [One] two.", "- Three four."]


TEACHING = Path(presets.__file__).with_name("teaching.toml").read_text("utf-8")
OF_THE_LAB = [
    *((one.place, str(one.text)) for one in ALL if not one.place.startswith("preset")),
    ("presets for teaching", TEACHING),
    ("columns of the catalogue", f"{method_table.COLUMNS} {method_table.write_notes()}"),
]
"""Sentences that have no time from an engine or from a paper."""


def test_pages_call_methods_by_their_short_names() -> None:
    """Texts of methods, problems and presets; text with names of papers is quoted from these."""
    keys = {method.key for method in engine.algorithms(None) if method.key != method.short}
    named = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, keys))})(?![\w-])")
    shown = [(one.place, use_short_names(str(one.text), one.space)) for one in ALL if one.method]
    shown += [(one.place, str(one.text)) for one in ALL if not one.method]
    assert [(place, found[0]) for place, text in shown if (found := named.search(text))] == []
    assert use_short_names("DMV, LIEMID-EA and MR2's", "so3") == (
        "Moser–Veselov, Alternating impulses and McLachlan–Reich's"
    )


FORMER = """\
NMB: not within 10⁻⁶ with Δt = 0.0156 (error 2.3·10⁻⁵) in 278 µs, and PDMV is in 20.3 µs.
after 100 on free take PDMV
the body has 4.66·10⁻⁵ times its first energy and 0.00672 times its first |L|
axis of a spin with this energy: none
MR2 in 1,000,000 steps: no drift, the energy from −0.00579 to 0.00034.
NMB runs at every Δt of the ladder. It does again in windows up to 2.973.
MR2 conserves it best; the others reach 150, where the wobble is gone.
The counts give the table, except for one misprint
MR2(axes=231) with it does within 10⁻³ rad
the claim runs all
K of MR2 swings, by 1.17 %; that of CG3 goes off by 93.9 %
energy is off by more than all of it
until numbers end, at a fifth of the run
turns over as it should, but not when it should
the exact one has no colour
Of long runs each 6th state is drawn.
Trails last 6.7
It computes momentum from a balance of rates in the body's frame
which carries the acceleration that belongs to its velocity
a least order leaves them out
converges with order 2.00 ± 0.00 in attitude
Two copies that part
RK4 loses energy, and they do not
Reset to the problem of the source
Set up as I see it
For drift
The |Π| sphere, Sphere 2D and Paths 2D
Runge–Kutta 4 lost 7 % of the energy, and Buss 1 ended with 69 % more energy.
the torque leaves 217 % of the first energy
At t = 20, the energy rises to 3.6·10²⁶² times the first.
Rapier, in Node was run as rapier3d
its axis nods between two heights
SEMI-EULER(gyrosco…"""


@pytest.mark.parametrize("former", FORMER.split("\n"))
def test_forms_that_were_replaced_are_found(former: str) -> None:
    assert find_retired(former)


def test_each_retired_form_has_an_example() -> None:
    assert [form for form in RETIRED if not re.search(form, FORMER)] == []


def test_times_without_a_source_in_seconds_are_in_units_of_time() -> None:
    assert [place for place, text in OF_THE_LAB if re.search(r"[\d}] s\b|\bseconds", text)] == []
