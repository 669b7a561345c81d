"""Every registered study: it runs, reports progress, can be cancelled, and has a chart, a form and
a subcommand.
"""

from __future__ import annotations

import inspect
import json
import re
import threading
from urllib.parse import parse_qsl, urlencode

import numpy as np
import pytest
from covering import first
from sentences import find_faults

import engine
from app.state.pages import study_forms as page
from engine import studies
from engine.algorithms import name_methods
from engine.cli import command as cli
from engine.kernels.batch import Batch
from engine.parameters.parameter import Text
from engine.problems import find_problem
from engine.simulation import execute
from engine.studies import Study, StudyResult

EVERY = studies.registered()
CASES = [(study, space) for study in EVERY for space in study.spaces]
ON_THE_PAGE = list(page.list_studies().values())
PROBLEMS = {"so3": "free", "se3": "DB4", "rates": "coning"}
METHODS = {"se3": ("LGVI", "RK2"), "rates": ("EXP", "CONING")}
"""The methods of small studies in spaces besides the first of a study."""
VALUES = {
    "so3": {
        "duration": 2.0,
        "dts": (0.5, 0.25, 0.125),
        "steps": 50_000,
        "within": 0.01,
        "members": 20,
        "budget": 1e3,
        "across": "dt=0.1:0.5:5",
        "up": "Omega0.z=1:2:4",
        "over": "dt=0.1:0.5:5; Omega0.z=1:2:4",
    },
    "se3": {"duration": 0.1, "dts": (0.004, 0.002), "over": "dt=0.002:0.004:2; m1=1:2:2"},
    "rates": {
        "duration": 0.1,
        "dts": (0.002, 0.001, 0.0005),
        "within": 1e-3,
        "budget": 1e3,
        "across": "dt=0.001:0.004:5",
        "up": "cone=1:4:4",
        "over": "dt=0.001:0.004:5; cone=1:4:4",
    },
}
"""Arguments with which every study takes a moment; each study uses those that it has."""


def small(study: Study, space: str = "") -> dict:
    """The arguments of a small study besides the problem."""
    of_space = VALUES[space or study.spaces[0]]
    values = {a.name: of_space[a.name] for a in study.arguments if a.name in of_space}
    if study.key == "sweep":  # which takes a duration or steps
        values.pop("steps", None)
    return values


def few(study: Study, space: str = "") -> tuple[str, ...]:
    """The methods of a small study."""
    methods = study.example if space in ("", study.spaces[0]) else METHODS[space]
    return methods[: 1 if study.most == 1 else 2]


def done(study: Study, space: str = "", **given) -> StudyResult:
    problem = PROBLEMS[space or study.spaces[0]]
    return study.run(problem, few(study, space), **small(study, space) | given)


MADE: dict[str, list[int]] = {}
"""The steps that the runs of each study made."""


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"{case[0].key}-{case[1]}")
def whole(request):
    study, space = request.param
    reports = []
    MADE[study.key] = made = list[int]()

    def count_made_steps(*given, drive=execute.__globals__["drive"], **named):
        outcome = drive(*given, **named)
        made.append(outcome.steps)
        return outcome

    def advanced(batch, blocks, steps, *rest, advance=Batch._advance):
        before = batch.steps.sum()
        advance(batch, blocks, steps, *rest)
        made.append(int(batch.steps.sum() - before))

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(execute.__globals__, "drive", count_made_steps)
        patch.setattr(Batch, "_advance", advanced)
        return study, done(study, space, progress=lambda *now: reports.append(now)), reports


STEPS_TOO_LARGE = [
    ("edge", "slow-top", ("DMV", "NMB", "HSTAGM"), {"duration": 20.0, "within": 0.01}),
    ("ensemble", "free", ("DMV",), {"duration": 50.0, "dt": 2.0, "members": 20}),
    ("long-run", "free", ("DMV", "RK4-QUAT"), {"steps": 50_000, "dt": 2.0}),
    ("advise", "free", ("AKW", "DMV"), {"duration": 20.0, "within": 1e-3, "error": "energy"}),
    (
        "convergence",
        "free",
        ("DMV", "NMB", "EXACT"),
        {"duration": 100.0, "dts": (4.0, 2.0, 1.0, 0.5)},
    ),
    ("convergence", "slow-top", ("NMB", "DMV", "MR2"), {"duration": 10.0, "dts": (0.5, 0.2, 0.1)}),
    (
        "map",
        "free",
        ("DMV", "NMB"),
        {"duration": 10.0, "across": "dt=0.1:3:5", "up": "Omega0.z=1:2:4"},
    ),
    ("edge", "free", ("DMV", "NMB", "AKW"), {"duration": 50.0, "within": 0.01}),
    ("steps-to-accuracy", "slow-top", ("NMB", "SW", "RKMK"), {"duration": 5.0}),
    ("work-precision", "slow-top", ("NMB", "MR2", "CF4"), {"duration": 2.0}),
    ("advise", "slow-top", ("CF4", "BUSS4", "NMB"), {"duration": 1.0, "within": 1e-3}),
]


@pytest.mark.parametrize(("key", "problem", "methods", "values"), first(STEPS_TOO_LARGE, 4))
def test_sentences_of_a_conclusion_are_short_whatever_happens(key, problem, methods, values):
    conclusion = studies.find(key).run(problem, methods, **values).conclusion
    assert find_faults(conclusion) == [] and not re.search(r"\de[-+]\d", conclusion)


def test_it_makes_no_more_steps_than_it_declares(whole):
    study, found, _ = whole
    problem = find_problem(found.problem)
    given = small(study, problem.space)
    methods = few(study, problem.space)
    made = sum(MADE[study.key])
    assert 0 < made <= study.count_steps(problem, methods, given)
    assert study.count_steps(problem, methods, given, usually=True) <= 1000 * made


def test_it_runs_is_drawn_and_told(whole):
    study, found, _ = whole
    assert isinstance(found, StudyResult) and type(found) is study.result and found.finished
    assert len(found.conclusion) > 20 and find_faults(found.conclusion) == []
    assert len(found.to_frame()) and len(found.summary_frame())
    chart = found.chart
    assert {drawn.plot for drawn in (*chart.curves, *chart.images)} == set(range(len(chart.axes)))
    assert all(len(curve.x) == len(curve.y) > 0 for curve in chart.curves)
    assert all(image.values.shape == (len(image.y), len(image.x)) for image in chart.images)
    if study.coloured:
        names = [
            name.partition(" (")[0] for name in chart.names
        ]  # without the engines that have this rule
        space = found.problem.space
        labels = few(study, space)
        assert names == list(name_methods(labels, space=space).values())


def test_its_progress_is_told_in_one_way(whole):
    study, found, report = whole
    assert report and all(2 <= len(now) <= 3 and 0 <= now[0] <= now[1] for now in report)
    rows = [now[2] for now in report if len(now) == 3 and now[2] is not None]
    if not study.row_keys:
        assert not rows
        return
    assert rows and all(name in row for row in rows for name in study.row_keys)
    live = page.latest_rows(study, rows)
    whole_frame = found.chart_frame()
    assert len(live.drop_duplicates(list(study.row_keys))) == len(live) <= len(whole_frame)
    assert set(map(tuple, live[list(study.row_keys)].to_numpy())) <= set(
        map(tuple, whole_frame[list(study.row_keys)].to_numpy())
    )
    chart = study.result.draw_rows(live, found.problem)
    assert any(len(drawn.x) for drawn in (*chart.curves, *chart.images)), (
        "the chart has no points of the rows"
    )


@pytest.mark.parametrize("study", EVERY, ids=lambda study: study.key)
def test_who_takes_two_numbers_is_told_no_rows(study):
    reports = []
    done(study, progress=lambda done, total: reports.append((done, total)))
    assert reports


@pytest.mark.parametrize("study", EVERY, ids=lambda study: study.key)
def test_cancelled_at_once_it_has_nothing_and_no_nonsense(study):
    cancel = threading.Event()
    cancel.set()
    found = done(study, cancel=cancel)
    assert not found.finished and "nan" not in found.conclusion
    frame = found.chart_frame()
    assert len(frame) == 0 or not study.row_keys
    assert set(study.row_keys) <= set(frame.columns)
    assert study.result.draw_chart(frame).curves == found.chart.curves == ()


@pytest.mark.parametrize("study", EVERY, ids=lambda study: study.key)
def test_cancelled_on_the_way_it_gives_what_there_is(study):
    cancel = threading.Event()
    rows = []

    def progress(done, total, row=None):
        if row is not None or (done and not study.row_keys):
            rows.append(row or {})
            cancel.set()

    more = {"steps": 200_000_000} if study.argument("steps") and study.key != "sweep" else {}
    more |= {"workers": 1} if study.takes_workers else {}
    more |= {"over": {"dt": [0.5] * 100_000}} if study.key == "sweep" else {}
    found = done(study, progress=progress, cancel=cancel, **more)
    frame = found.chart_frame()
    assert not found.finished and len(frame) >= 1 and "nan" not in found.conclusion
    assert set(rows[0]) & set(frame.columns) or not study.row_keys


def test_a_result_is_shown_by_its_conclusion_and_in_notebooks_by_its_table(whole):
    _, found, _ = whole
    shown = repr(found)
    assert (
        len(shown) < 400
        and "\n" not in shown
        and "array" not in shown
        and found.problem.label in shown
    )
    assert "<table" in found._repr_html_()


def test_the_shell_has_its_arguments(whole, capsys):
    study, found, _ = whole
    options = cli.parsers()[1][f"study {study.key}"].options
    for name in (*(argument.name for argument in study.arguments), *study.old_words):
        assert f"--{name.replace('_', '-')}" in options
    space = found.problem.space
    arguments = ["study", study.key, found.problem.label, *few(study, space), "--json"]
    for name, value in small(study, space).items():
        if argument := study.argument(name):
            arguments += [f"--{name.replace('_', '-')}", argument.format(value)]
    assert cli.main([*arguments, "--quiet"]) == 0
    rows = json.loads(capsys.readouterr().out)
    frame = found.to_frame()
    assert list(rows[0]) == list(frame.columns)
    if "method" in frame:
        assert {row["method"] for row in rows} == set(frame["method"])


def test_the_shell_tells_of_it(capsys):
    assert cli.main(["study", "--help"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    for study in EVERY:
        assert f"{study.key} {study.sentence}" in out
    assert cli.main(["study", "list"]) == 0
    assert "".join(capsys.readouterr().out.split()) in "".join(out.split())


@pytest.mark.parametrize("study", EVERY, ids=lambda study: study.key)
def test_the_shell_has_help_for_it(study, capsys):
    """With its own arguments, and none of another study."""
    assert cli.main(["study", study.key, "--help"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert (
        out.startswith(f"usage: polhode study {study.key} PROBLEM METHOD") and study.sentence in out
    )
    assert all(argument.doc in out for argument in study.arguments)
    of_others = {argument.name for other in EVERY for argument in other.arguments} - {
        a.name for a in study.arguments
    }
    assert not any(f" --{name.replace('_', '-')} " in out for name in of_others)


@pytest.mark.parametrize("study", EVERY, ids=lambda study: study.key)
def test_its_docstring_and_its_names(study):
    assert getattr(studies, study.name) is study.function
    assert all(getattr(studies, name) is study.function for name in study.aliases)
    assert studies.find(study.key) is studies.find(study.name) is study
    takes = inspect.signature(study.function).parameters
    for argument in study.arguments:
        assert f"{argument.name} : " in study.function.__doc__
        assert argument in study.needed() or takes[argument.name].default in (
            argument.default,
            None,
        )
    assert {"progress", "cancel"} <= set(takes) and "cancel : " in study.function.__doc__


@pytest.mark.parametrize("study", EVERY, ids=lambda study: study.key)
def test_each_argument_is_checked_before_anything_runs(study):
    for argument in study.arguments:
        if argument.high is not None:
            with pytest.raises(ValueError, match=f"^{argument.name} must be"):
                done(study, **{argument.name: np.inf})
    with pytest.raises(
        ValueError if study.key == "sweep" else TypeError, match="nonsense"
    ):  # an option of methods
        done(study, nonsense=1)


@pytest.mark.parametrize(
    "study", [study for study in EVERY if study.old_words], ids=lambda study: study.key
)
def test_old_words_mean_what_they_meant(study):
    for old, new in study.old_words.items():
        assert study.argument(old) is study.argument(new) is not None
        value = small(study).get(new)
        if value is not None:
            others = {name: x for name, x in small(study).items() if name != new}
            cancel = threading.Event()
            cancel.set()
            found = study.run("free", few(study), **others, **{old: value}, cancel=cancel)
            assert not found.finished


# --- the page ---


@pytest.mark.parametrize("study", ON_THE_PAGE, ids=lambda study: study.key)
def test_the_page_has_its_fields_and_a_link_there_and_back(study):
    asked = page.first_question(study.key)
    for field in study.fields:
        assert field.title and not isinstance(field.kind, Text), "a stranger names no file"
        if field.name in VALUES["so3"] and field.name != "budget":
            asked = asked.with_text(field.name, field.format(VALUES["so3"][field.name]))
    query = dict(parse_qsl(urlencode(asked.query())))
    assert query.pop("page") == "studies"
    again, notices = page.read_query(query)
    assert notices == [] and again == asked and again.values() == asked.values()
    old = {new: old for old, new in study.old_words.items()}
    again, notices = page.read_query({old.get(name, name): text for name, text in query.items()})
    assert notices == [] and again == asked


@pytest.mark.parametrize("study", ON_THE_PAGE, ids=lambda study: study.key)
def test_the_page_does_what_it_gives_as_python(study, capsys):
    asked = page.with_methods(page.first_question(study.key), study.example[:1])
    for name in {field.name for field in study.fields} & {"duration", "dts", "steps", "members"}:
        asked = asked.with_text(name, page_text(study, name))
    result = asked.run(lambda *_, **__: None, engine.Cancellation())
    found: dict = {}
    exec(asked.snippet(), found)
    assert type(found["found"]) is type(result) is study.result
    assert list(found["found"].to_frame().columns) == list(result.to_frame().columns)
    assert capsys.readouterr().out.strip()


def page_text(study: Study, name: str) -> str:
    argument = study.argument(name)
    assert argument is not None
    return argument.format(VALUES["so3"][name])
