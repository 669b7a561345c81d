"""What the pages say about one engine agrees, and each engine is shown as it comes.

A place is a text in which engines are named: a preset, a lesson, a claim, a figure, a verdict, a
page of the documentation. The truth is the engine's rule: the sign of the change of a free body's
energy in 100 s at 60 Hz, and the declared orders.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import engine
from app.state.lessons import read_texts
from app.state.pages.engine_question import EXAMPLES, PROGRAM, SIX, choose_program
from app.state.pages.engine_verdict import judge, write_verdict
from app.state.presets import PRESETS
from app.state.results import compute
from app.views.dialogs.opening import opening_html
from engine import papers, studies
from engine.algorithms import PROGRAMS, Program

ROOT = Path(__file__).parents[2]
BODY = engine.Problem(J=(1.0, 2.0, 2.8), Omega0=(1.2, 1.9, 1.5))
SMALL = 1e-3
TITLES = sorted({program.title for program in PROGRAMS.values()}, key=len, reverse=True)
NAMES = re.compile(rf"\b(?:{'|'.join(map(re.escape, TITLES))})\b(?!'s method|'s method)")
SAYS = {
    "gains": re.compile(r"\b(?:gains?|grows?|rises?|goes up)\b"),
    "blows up": re.compile(r"\bblows? up\b"),
    "loses": re.compile(r"\b(?:loses?|lost|falls?|fell|brakes?)\b"),
}
ORDERS = {"first": "one", "second": "two", "third": "three", "fourth": "four"}
SAYS_ORDER = {
    f"{word} order": re.compile(rf"\b{word}[ -]order\b|\border (?:is )?{number}\b")
    for word, number in ORDERS.items()
}
OPPOSITES = {
    "gains": "loses",
    "blows up": "loses",
    "loses": "gains",
    **{f"{word} order": f"{'first' if word == 'third' else 'third'} order" for word in ORDERS},
}
ENERGY = re.compile(r"\benergy\b|\bblows? up\b")
PART = re.compile(
    rf"(\d+(?:\.\d+)?) %(?: of its first energy)? with ({'|'.join(map(re.escape, TITLES))})'s"
)
"""The energy as a percentage of the first, by an engine's step."""
CLAUSE = re.compile(
    r"[.;:?](?=\s|$)|, (?:where|but|while|and|with)\b| and (?=gains|loses)|\n\n|\n(?=\|)"
)
"""What ends a clause, also the end of a row of a table."""
COMMON = {
    "comes",
    "came",
    "gyroscopic",
    "term",
    "force",
    "from",
    "until",
    "with",
    "steps",
    "size",
    "and",
    "are",
    "fix",
    "for",
    "has",
    "one",
    "that",
}
"""Words of flags that do not choose among them."""


@functools.cache
def find_changes(key: str) -> set[str]:
    """The words for what a program's rule does to the energy."""
    run = engine.simulate(BODY, key, dt="1/60", duration=100, samples=1)
    ratio = run.energy[-1] / run.energy[0]
    if run.status != "done":
        return {"gains", "blows up"}
    return {"gains"} if ratio > 1 + SMALL else {"loses"} if ratio < 1 - SMALL else set()


@functools.cache
def find_truths(key: str) -> set[str]:
    """The words for what a program's rule does to the energy, and for its orders."""
    method = PROGRAMS[key].method
    orders = {*(method.order or ()), *(method.order_on(free=True) or ())}
    words = dict(enumerate(ORDERS, start=1))
    return find_changes(key) | {f"{words[one]} order" for one in orders if one in words}


def choose(place: str, title: str, clause: str) -> list[Program]:
    """The programs that a clause can mean by a title: those whose flags it names, or else those of
    the method whose card it is, or the engine as it comes.
    """
    own = [program for program in PROGRAMS.values() if program.title == title]
    named = [
        program
        for program in own
        if any(
            word in clause
            for word in re.findall(r"[A-Za-z_]\w{2,}", program.flags)
            if word not in COMMON
        )
    ]
    as_it_comes = [program for program in own if "as it c" in program.flags]
    on_its_card = [program for program in own if place == f"method {program.method.key}"]
    return named or on_its_card or as_it_comes or own


def split_clauses(text: str) -> list[str]:
    """The clauses of a text, whose lines may break anywhere."""
    return CLAUSE.split(re.sub(r"(?<!\n)\n(?![\n|])", " ", text))


def list_statements(texts: Mapping[str, str]) -> Iterator[tuple[str, str, str, str]]:
    """Place, title, what a clause says of the energy or of the order, and the clause."""
    for place, text in texts.items():
        for part, title in PART.findall(text):
            yield (
                place,
                title,
                "loses" if float(part) < 100 else "gains",
                f"{part} % with {title}'s",
            )
        for clause in split_clauses(text):
            words = SAYS_ORDER | (SAYS if ENERGY.search(clause) else {})
            for title in dict.fromkeys(NAMES.findall(clause)):
                for says, pattern in words.items():
                    if pattern.search(clause):
                        yield place, title, says, clause.strip()


def find_contradictions(texts: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Statements that no rule of the engine bears out, each with its place."""
    return [
        (place, title, clause)
        for place, title, says, clause in list_statements(texts)
        if not any(says in find_truths(program.key) for program in choose(place, title, clause))
    ]


def say_the_opposite(says: str, clause: str) -> str:
    """A clause that says the opposite of what it says."""
    if part := re.match(r"\d+(?:\.\d+)?(?= % with )", clause):
        return f"{10_000 / float(part[0])}{clause[part.end() :]}"
    return (SAYS | SAYS_ORDER)[says].sub(OPPOSITES[says], clause)


def read_verdict(program: Program) -> str:
    """The verdict of the page Engines, with the engine's name in each clause."""
    question = choose_program(program.key)
    outcome = judge(question, compute(question.with_candidates()))
    assert outcome is not None
    return f"{program.title} — {write_verdict(outcome)}"


def read_all_texts() -> dict[str, str]:
    """Every text that may name an engine."""
    texts = {f"preset {one.key}": f"{one.title}. {one.sentence}" for one in PRESETS}
    texts |= {f"lesson {key}": text for key, text in read_texts().items()}
    texts |= {f"claim {one.key}": f"{one.says} {one.reason}" for one in papers.all()}
    texts |= {f"figure {one.key}": f"{one.title}. {one.see}" for one in papers.figures()}
    texts |= {f"method {one.key}": " ".join((one.summary, *one.why)) for one in engine.algorithms()}
    texts |= {f"example {one.key}": one.title for one in EXAMPLES}
    texts |= {f"page Engines, {key}": read_verdict(PROGRAMS[key]) for key in SIX}
    texts["study engines"] = studies.engines(BODY, list(SIX)).conclusion.replace(": at", " at")
    return texts | {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
        for path in (ROOT / "docs").rglob("*.md")
    }


def test_no_page_says_of_an_engine_what_another_page_shows_otherwise() -> None:
    texts = read_all_texts()
    assert find_contradictions(texts) == []
    report = {
        (place.partition(" ")[0], title, says.partition(" ")[2] or "energy")
        for place, title, says, _ in list_statements(texts)
    }
    assert report >= {
        ("preset", "Bullet", "energy"),
        ("preset", "ODE", "energy"),
        ("page", "Rapier", "energy"),
        ("study", "ODE", "energy"),
        ("example", "MuJoCo 3", "order"),
        ("claim", "PFC", "order"),
        ("method", "Yade", "order"),
        ("docs/how-to/engines.md", "MuJoCo", "order"),
    }


def test_each_statement_would_be_found_if_a_page_said_the_opposite() -> None:
    for place, title, says, clause in list_statements(read_all_texts()):
        changed = {place: say_the_opposite(says, clause)}
        assert title in {found for _, found, _ in find_contradictions(changed)}, (place, clause)


@pytest.mark.parametrize(
    ("text", "is_wrong"),
    [
        ("Bullet gains energy.", True),
        ("A body loses energy by Bullet's step.", False),
        ("With Bullet's explicit step the energy grows.", False),
        ("PyBullet loses energy as it comes, where Bullet gains energy.", True),
        ("MuJoCo's RK4 loses energy.", True),
        ("Kamino, of Newton, blows up.", True),
        ("MuJoCo's RK4 is of second order.", True),
        ("MuJoCo 3's RK4 is of second order.", False),
        ("The order is two, as in ODE.", True),
    ],
)
def test_a_contradiction_is_found(text: str, is_wrong: bool) -> None:
    assert bool(find_contradictions({"here": text})) is is_wrong


def is_as_it_comes(name: str) -> bool:
    """Whether a method is the only rule of an engine, or its default, by the engine's name."""
    program = PROGRAMS.get(name)
    if program is None:
        return False
    own = [one for one in PROGRAMS.values() if one.title == program.title]
    return "as it comes" in program.flags or own == [program]


def test_sets_of_engines_show_each_as_it_comes() -> None:
    assert all(map(is_as_it_comes, SIX)) and is_as_it_comes(PROGRAM)
    for title, words in studies.find("engines").presets.items():
        names = words["methods"].split(",")
        assert all(map(is_as_it_comes, names)), title


def test_the_opening_view_names_no_engine_and_leads_to_one_as_it_comes() -> None:
    start = next(preset for preset in PRESETS if preset.key == "start")
    assert not NAMES.search(f"{start.title} {start.sentence}")
    assert {PROGRAMS[name].title for name in start.choice.methods if name in PROGRAMS} == set()
    assert not re.search(r"page=engines[^\"]*(?:methods|engine)=", opening_html())


def test_presets_and_lessons_that_name_an_engine_show_one_of_its_rules() -> None:
    for preset in PRESETS:
        shown = {method.key for method in preset.choice.algorithms}
        for title in NAMES.findall(str(preset.sentence)):
            rules = {one.method.key for one in PROGRAMS.values() if one.title == title}
            assert rules & shown, (preset.key, title)
    for key, text in read_texts().items():
        for name in re.findall(r"methods=([^&\s]+)", text):
            for one in name.split(","):
                program = PROGRAMS.get(one)
                assert program is None or is_as_it_comes(one), (key, one)
