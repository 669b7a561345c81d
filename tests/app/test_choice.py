"""Choices of a visitor, and their links."""

from __future__ import annotations

import dataclasses

import pytest
from covering import few
from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from app.browser import addresses
from app.state import choice as session
from app.state.choice import Choice, Refusal, validate
from app.state.fitting import find_misfits
from app.state.form_fields import parse_numbers
from app.state.history import History
from app.state.links import read_query
from app.state.view import View

NAMES = st.sampled_from(
    ["problem", "methods", "dt", "duration", "J", "R0", "Omega0", "Mgl", "version", "theme", "odd"]
)
METHODS = st.lists(
    st.sampled_from(["NMB", "AKW", "MR2(axes=231)", "BUSS3+E", "DMV*yoshida4"]),
    min_size=1,
    max_size=4,
)
ROUND = st.integers(1, 10**6).map(lambda n: n / 1e6)


def try_words(choice: Choice) -> Choice | None:
    try:
        return validate(choice)
    except Refusal:
        return None


@pytest.mark.exhaustive
@settings(max_examples=few(60))
@given(st.dictionaries(NAMES, st.text(max_size=30), max_size=6))
def test_no_link_breaks_the_page(query):
    """Any link gives a valid choice, with notices about what it cannot read."""
    choice, notices = read_query(query)
    assert validate(choice) == choice
    assert all(notice.strip() for notice in notices)
    if "odd" in query:
        assert any("odd" in notice for notice in notices)


@settings(max_examples=few(60))
@given(
    st.sampled_from(["free", "slow-top", "soft-wall(sign=as-printed)", "prism"]),
    METHODS,
    ROUND,
    ROUND,
    st.tuples(ROUND, ROUND, ROUND),
)
def test_a_link_leads_back(problem, methods, dt, duration, Omega0):
    choice = validate(Choice(problem, tuple(methods), dt, duration).with_changes(Omega0=Omega0))
    again, notices = read_query(choice.query())
    assert (again, notices) == (choice, [])


@settings(max_examples=few(60))
@given(st.text(max_size=20), st.lists(st.text(max_size=12), max_size=6), st.floats(), st.floats())
def test_nonsense_is_refused_at_its_widget(problem, methods, dt, duration):
    """Every error is `Refused` and names the field."""
    try:
        choice = validate(Choice(problem, tuple(methods), dt, duration))
    except Refusal as refused:
        assert refused.field in ("problem", "methods", "dt", "duration")
        assert str(refused).endswith(".")
    else:
        assert session.SMALLEST_DT <= choice.dt <= session.LARGEST_DT


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("problem", {"problem": "nowhere"}),
        ("methods", {"methods": ()}),
        ("methods", {"methods": ("NMB", "AKW", "SW", "DMV", "MR2")}),
        ("methods", {"methods": ("NMBX",)}),
        ("dt", {"dt": 0.0}),
        ("dt", {"dt": float("nan")}),
        ("duration", {"duration": -1.0}),
        ("duration", {"dt": 1e-6, "duration": 1e6}),
        ("J", {"changes": (("J", (1.0, 1.0, 3.0)),)}),
        ("Omega0", {"changes": (("Omega0", (1.0, 2.0)),)}),
        ("Mgl", {"problem": "slow-top", "changes": (("Mgl", -1.0),)}),
    ],
)
def test_what_is_out_of_bounds_is_refused(field, change):
    with pytest.raises(Refusal) as refused:
        validate(dataclasses.replace(Choice(), **change))
    assert refused.value.field == field


def test_names_become_labels():
    """Aliases and spellings give the same choice, and a repeated method appears once."""
    assert validate(Choice(methods=("nms", "NMB", "mr2(axes=231)"))).methods == (
        "NMB",
        "MR2(axes=231)",
    )


def test_a_long_link_is_not_read():
    query, notices = addresses.read_words(
        f"?page=studies&problem=slow-top&methods={'NMB,' * addresses.LONGEST_LINK}"
    )
    assert query == {"page": "studies"}
    assert notices == ["The link has more than 4000 characters and was not read."]


def test_another_problem_brings_its_own_step():
    choice, notices = read_query({"problem": "slow-top"})
    top = engine.problem("slow-top")
    assert (choice.dt, choice.duration, notices) == (top.dt, top.duration, [])


def test_two_bodies_are_for_another_page():
    _, notices = read_query({"problem": "dumbbells"})
    assert notices == ["problem: Dumbbells is a problem of two bodies, and this is for one body."]
    _, notices = read_query({"methods": "LGVI"})
    assert len(notices) == 1 and "LGVI moves two bodies, and here is one" in notices[0]


def test_a_snippet_makes_the_same_runs():
    choice = validate(Choice("slow-top", ("NMB",), 0.01, 0.1).with_changes(Omega0=(0, 0, 4)))
    found: dict[str, object] = {"print": lambda *report: None}
    exec(choice.snippet(), found)
    run = found["run"]
    assert isinstance(run, engine.Run)
    assert (run.problem.Omega0.tolist(), run.dt, run.cost.steps) == ([0, 0, 4], 0.01, 10)


CHOICES = st.integers(1, 5).map(lambda n: Choice(dt=float(n)))


@given(st.lists(st.one_of(CHOICES, st.sampled_from(["undo", "redo"])), max_size=40))
def test_history_goes_back_and_forth(steps):
    """The history is a list with a position."""
    history = History(Choice())
    known = [Choice()]
    at = 0
    for step in steps:
        if step == "undo":
            at = max(at - 1, 0)
            history.undo(View())
        elif step == "redo":
            at = min(at + 1, len(known) - 1)
            history.redo(View())
        elif step != known[at]:
            history.note(step)
            known = [*known[: at + 1], step]
            at = at + 1
        assert history.now == known[at]


def test_one_gesture_is_undone_at_once():
    history = History(Choice())
    for dt in (0.4, 0.3, 0.2):
        history.note(Choice(dt=dt), dragging=True)
    history.undo(View())
    assert history.now == Choice()
    history.redo(View())
    assert history.now == Choice(dt=0.2)


def test_what_completes_a_choice_is_undone_with_it_and_keeps_what_can_be_redone():
    history = History(Choice())
    for dt in (1.0, 2.0):
        history.note(Choice(dt=dt))
    history.undo()
    history.amend(Choice(dt=1.5))
    assert history.past == (Choice(),) and history.future == (Choice(dt=2.0),)
    history.undo()
    history.redo()
    assert history.now == Choice(dt=1.5)


def test_history_forgets_what_is_long_ago():
    history = History(Choice(), most=3)
    for dt in (1.0, 2.0, 3.0, 4.0):
        history.note(Choice(dt=dt))
    history.undo(View()), history.undo(View())
    assert history.now == Choice(dt=2.0)
    history.undo(View())
    assert history.now == Choice(dt=2.0)


def test_what_does_not_fit_says_why():
    found = find_misfits(["NMB", "BUSS3+E"], engine.problem("slow-top"))
    assert list(found) == ["BUSS3+E"]
    assert "free bodies" in found["BUSS3+E"]


@pytest.mark.parametrize(
    "text",
    ["1 2 2.5", "[1,2,2.5]", "1; 2; 2.5", "(1, 2, 2.5)", " 1,2 , 2.5, ", "[1 2 2.5]", "1\t2 2.5"],
)
def test_a_vector_is_taken_as_people_write_it(text):
    """In a link, in a field, and in the shell."""
    choice, notices = read_query({"problem": "free", "J": text})
    assert notices == [] and dict(choice.changes)["J"] == (1.0, 2.0, 2.5)
    assert parse_numbers(text) == (1.0, 2.0, 2.5)
    assert engine.problem("free").read_text({"J": text}) == {"J": (1.0, 2.0, 2.5)}


@pytest.mark.parametrize("text", ["1,,2", "1, two", "1;;2", "1-2"])
def test_what_is_no_list_of_numbers_is_refused(text):
    with pytest.raises(ValueError, match="numbers"):
        parse_numbers(text)
    assert read_query({"problem": "free", "J": text})[1] != []


def test_a_name_that_several_begin_with_leads_to_them():
    (notice,) = read_query({"methods": "RK4"})[1]
    assert "RK4-QUAT" in notice and "RK4-MATRIX" in notice


def test_of_many_names_that_cannot_be_had_one_sentence_is_said():
    choice, notices = read_query({"methods": "NMB," + ",".join(f"X{i}" for i in range(500))})
    assert choice.methods == ("NMB",)
    assert (
        len(notices) == 1
        and "'X0'" in notices[0]
        and notices[0].endswith("and 6 more that cannot be had.")
    )


def test_a_parameter_of_a_link_is_found_in_any_case():
    assert read_query({"problem": "slow-top", "mgl": "15", "OMEGA0": "0,0,4"}) == read_query(
        {"problem": "slow-top", "Mgl": "15", "Omega0": "0,0,4"}
    )


def test_what_a_name_has_in_brackets_holds():
    choice, notices = read_query({"problem": "slow-top(Mgl=5)", "methods": "NMB"})
    assert notices == [] and choice.build_problem().values["Mgl"] == 5.0
    assert read_query(choice.query()) == (choice, [])
    choice, notices = read_query({"problem": "slow-top(Mgl=5)", "mgl": "6", "omega0": "0,0,4"})
    assert notices == [] and dict(choice.changes) == {"Mgl": 6.0, "Omega0": (0.0, 0.0, 4.0)}
