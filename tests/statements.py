"""Sentences on methods, problems and presets, and their evidence.

`python tests/statements.py` prints all of them, with what was measured.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import evidence_measures

import engine
from app.state.presets import ALL_PRESETS
from engine.text import SPACES
from engine.text.evidence import Declared, Evidence, InRange
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
    for space in SPACES:
        for method in engine.algorithms(space):
            yield Sentence(f"{space} {method.key} summary", method.summary, method.key, space)
            for i, text in enumerate(method.why, 1):
                yield Sentence(f"{space} {method.key} why {i}", text, method.key, space)
        for problem in engine.problems(space):
            own = problem, problem.dt, round(problem.duration / problem.dt)
            yield Sentence(f"problem {problem.key}", problem.summary, space=space, here=own)
    for preset in ALL_PRESETS:
        choice = preset.choice
        own = choice.build_problem(), choice.dt, choice.steps
        yield Sentence(f"preset {preset.key}", preset.sentence, space=choice.space, here=own)


ALL = list(sentences())
MEASURED = [one for one in ALL if isinstance(one.text, Told) and one.text.marks]

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


METHOD_NAMES = re.compile(
    "|".join(
        re.escape(method.short)
        for method in engine.algorithms(None)
        if re.search(r"\d", method.short)
    )
)
"""Names of methods that contain a number."""


def find_unmeasured(text: str) -> list[str]:
    """Return the words of the lexicon outside all brackets."""
    left = re.sub(r"\[[^]]*\]", " ", text.written) if isinstance(text, Told) else text
    for known in (METHOD_NAMES, SETTING, FORMULA):
        left = known.sub(" ", left)
    return [match[0] for match in LEXICON.finditer(left)]


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
    """Whether a method declares so, which tests/algorithms/test_methods.py measures."""
    kept = all(method.conserves.get(name) == motion for name, motion in piece.kept)
    lost = not any(name in method.conserves for name in piece.lost)
    other = all(getattr(method.promises, name) == value for name, value in piece.other)
    words = [
        *(f"keeps {name} ({motion})" for name, motion in piece.kept),
        *(f"not {name}" for name in piece.lost),
    ]
    return (
        kept and lost and other,
        f"{method.label} declares {', '.join([*words, *map(str, piece.other)])}",
    )


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
