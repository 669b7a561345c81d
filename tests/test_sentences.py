"""Sentences on methods, problems and presets: every figure, comparison and "always" is measured.

`python tests/test_sentences.py` prints all of them, with what was measured.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import evidence_measures
import pytest
from covering import covering

import engine
from app.state.presets import OF_TWO_BODIES, PRESETS
from engine import papers
from engine.text.evidence import (
    FREE,
    HERE,
    RANDOM,
    Declared,
    Evidence,
    InRange,
    declares,
    measures,
    round_to_two_digits,
    sentence,
)
from engine.text.evidence import Sentence as Told


@dataclass(frozen=True)
class Sentence:
    """A text for people, with its method, its space, and its setting."""

    place: str
    text: str
    method: str = ""
    space: str = "so3"
    here: tuple[Any, float, int] | None = None


def sentences() -> Iterator[Sentence]:
    """All of them."""
    for space in ("so3", "se3"):
        for method in engine.algorithms(space):
            yield Sentence(f"{space} {method.key} summary", method.summary, method.key, space)
            for i, text in enumerate(method.why, 1):
                yield Sentence(f"{space} {method.key} why {i}", text, method.key, space)
        for problem in engine.problems(space):
            own = problem, problem.dt, round(problem.duration / problem.dt)
            yield Sentence(f"problem {problem.key}", problem.summary, space=space, here=own)
    for preset in (*PRESETS, *OF_TWO_BODIES):
        choice = preset.choice
        own = choice.build_problem(), choice.dt, choice.steps
        yield Sentence(f"preset {preset.key}", preset.sentence, space=choice.space, here=own)


ALL = list(sentences())
MEASURED = [one for one in ALL if isinstance(one.text, Told) and one.text.marks]

# ----------------------------------------------------------------- what needs a measurement

FIGURES = r"""(?<![\w.])\d[\d,.]*(?!\w)
    | \b(?:ten|twelve|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|(?:hundred|thousand|million)s?|twice
    |times(?!\ Δt))\b"""
COMPARISONS = r"""\b(?:better|worse|best|worst|nearer|nearest|further\ off|farther|faster|fastest|slower|slowest
    |cheaper|cheapest|beats?|fewer|fewest|(?:larger|smaller)\ than|more|less|equal\ to|as\ (?:good|well|bad)\ as)\b"""
UNIVERSALS = r"\b(?:always|never|only|all|none|nothing|every|exactly|rarely|mostly)\b"
BEHAVIOUR = r"""\b(?:drift\w*|grows?|grew|swings?|keeps?|kept|lost|loses?|falls?|creeps?|leaks?|wanders?|blows?
    |runs\ away|stays?\ (?:near|in\ space|where))\b"""
LEXICON = re.compile(
    "|".join((FIGURES, COMPARISONS, UNIVERSALS, BEHAVIOUR)), re.VERBOSE | re.IGNORECASE
)
"""Words of figures, comparisons, universals, and of what a motion does."""

SETTING = re.compile(
    r"""\b\d+\ random\ bodies
    | \b(?:Δt|h|t|ζ|rtol)\ =\ [\d.,/]*\d[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]* | axes=\d+(?:\ as\ with\ \d+)? | \b10⁻[⁰¹²³⁴⁵⁶⁷⁸⁹]\ rad\b
    | [\d,]+\ (?:steps\ )?of\ [\d.]+\ rad | [\d,]+\ steps | \b[\d.]+\ (?:rad|s)\b | [Ff]igures?\ \d+ | body\ \d
    | step\ of\ [\d.]+ | \b(?:MuJoCo|[Vv]ersion)\ \d+(?:\.\d+)*(?:\ to\ \d+(?:\.\d+)*)?""",
    re.VERBOSE,
)
"""Words of the setting in which something is measured."""
FORMULA = re.compile(
    r"""\d\ atan\([^)]*\) | \([^()]*[²νΔ][^()]*\)(?:/2)?
    | \S*[²³₀₁₂₃⁻ΔΩωΠᵀ|]\S*(?:\ [=−]\ 1\b)? | SE\(3\)""",
    re.VERBOSE,
)


def find_unmeasured(text: str) -> list[str]:
    """Return the words of the lexicon outside all brackets."""
    left = re.sub(r"\[[^]]*\]", " ", text.written) if isinstance(text, Told) else text
    for known in (SETTING, FORMULA):
        left = known.sub(" ", left)
    return [match[0] for match in LEXICON.finditer(left)]


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
    """The family of a method; of other texts, where they stand."""
    family = (
        engine.algorithm(one.method, space=one.space).family
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


def evaluate(piece: Evidence, one: Sentence) -> tuple[bool, str]:
    """Return whether a piece of evidence holds, and the measured value."""
    if isinstance(piece, InRange):
        found = evidence_measures.values(piece, one.method, one.space, one.here)
        of = f"{piece.of or one.method}{f' / {piece.over}' if piece.over else ''}"
        numbers = ", ".join(f"{name} {value:.3g}" for name, value in found.items())
        return piece.holds(
            found.values()
        ), f"{piece.what} of {of}, {piece.low:.3g} to {piece.high:.3g}: {numbers}"
    return is_declared(piece, engine.algorithm(piece.of or one.method, space=one.space))


def is_declared(piece: Declared, method: engine.Method) -> tuple[bool, str]:
    """Whether a method declares so, which tests/test_methods.py measures."""
    kept = all(method.conserves.get(name) == motion for name, motion in piece.kept)
    lost = not any(name in method.conserves for name in piece.lost)
    other = all(getattr(method, name) == value for name, value in piece.other)
    words = [
        *(f"keeps {name} ({motion})" for name, motion in piece.kept),
        *(f"not {name}" for name in piece.lost),
    ]
    return (
        kept and lost and other,
        f"{method.label} declares {', '.join([*words, *map(str, piece.other)])}",
    )


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


def report() -> Iterator[str]:
    """Print each text with its evidence, and the number of texts."""
    count = 0
    for one in MEASURED:
        assert isinstance(one.text, Told)
        yield f"{one.place}: {one.text}"
        for words, proof in one.text.marks:
            for piece in proof:
                holds, found = evaluate(piece, one)
                count += 1
                yield f"    {'holds' if holds else 'FAILS'}  {words}  ←  {found}"
    yield f"{len(MEASURED)} of {len(ALL)} texts state something that is measured or declared, with {count} proofs."


if __name__ == "__main__":
    print("\n".join(report()))
