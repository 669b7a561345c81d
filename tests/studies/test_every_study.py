"""Every study that is registered: it runs, tells its progress, is cancelled, drawn, and asked for, all in one way."""

from __future__ import annotations

import inspect
import json
import threading
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import numpy as np
import pytest

import engine
from app.model import studies as page
from engine import plan, studies
from engine.kernels.batch import Batch
from engine.problems import find_problem
from engine.shell import cli
from engine.spec import Text
from engine.studies import Result, Study

EVERY = studies.registered()
ON_THE_PAGE = studies.registered("so3")
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
    },
    "se3": {"duration": 0.1, "dts": (0.004, 0.002)},
}
"""With which every study takes a moment; those that it has."""


def small(study: Study) -> dict:
    """What a small study is called with besides the problem."""
    values = {a.name: VALUES[study.space][a.name] for a in study.arguments if a.name in VALUES[study.space]}
    return study.chosen(study.example[: 1 if study.most == 1 else 2]) | values


def done(study: Study, **given) -> Result:
    problem = "free" if study.space == "so3" else "DB4"
    return study.function(problem, **small(study) | given)


MADE: dict[str, list[int]] = {}
"""The steps that the runs of each study made."""


@pytest.fixture(scope="module", params=EVERY, ids=lambda study: study.key)
def whole(request):
    study, told = request.param, []
    MADE[study.key] = made = list[int]()

    def counted(*given, drive=plan.drive, **named):
        outcome = drive(*given, **named)
        made.append(outcome.steps)
        return outcome

    def advanced(batch, blocks, steps, *rest, advance=Batch._advance):
        before = batch.steps.sum()
        advance(batch, blocks, steps, *rest)
        made.append(int(batch.steps.sum() - before))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "drive", counted)
        patch.setattr(Batch, "_advance", advanced)
        return study, done(study, progress=lambda *now: told.append(now)), told


def test_it_makes_no_more_steps_than_it_declares(whole):
    study, _, _ = whole
    given = small(study)
    problem = find_problem("free" if study.space == "so3" else "DB4", space=study.space)
    methods = given.get("methods") or [given["method"]]
    made = sum(MADE[study.key])
    assert 0 < made <= study.effort(problem, methods, given)
    assert study.effort(problem, methods, given, usually=True) <= 1000 * made


def test_it_runs_is_drawn_and_told(whole):
    study, found, _ = whole
    assert isinstance(found, Result) and type(found) is study.result and found.finished
    assert len(found.conclusion) > 20 and len(found.to_frame()) and len(found.shown())
    chart = study.chart(found.drawn())
    assert {drawn.plot for drawn in (*chart.curves, *chart.images)} == set(range(len(chart.axes)))
    assert all(len(curve.x) == len(curve.y) > 0 for curve in chart.curves)
    assert all(image.values.shape == (len(image.y), len(image.x)) for image in chart.images)
    if study.coloured:
        assert chart.names == list(study.example[:2][: study.most])


def test_its_progress_is_told_in_one_way(whole):
    study, found, told = whole
    assert told and all(2 <= len(now) <= 3 and 0 <= now[0] <= now[1] for now in told)
    rows = [now[2] for now in told if len(now) == 3 and now[2] is not None]
    assert rows and all(name in row for row in rows for name in study.told_by)
    live = page.live(study, rows)
    whole_frame = found.drawn()
    assert len(live.drop_duplicates(list(study.told_by))) == len(live) <= len(whole_frame)
    assert set(map(tuple, live[list(study.told_by)].to_numpy())) <= set(
        map(tuple, whole_frame[list(study.told_by)].to_numpy())
    )
    chart = study.chart(live)
    assert any(len(drawn.x) for drawn in (*chart.curves, *chart.images)), "nothing is drawn of what was told"


@pytest.mark.parametrize("study", EVERY, ids=lambda study: study.key)
def test_who_takes_two_numbers_is_told_no_rows(study):
    told = []
    done(study, progress=lambda done, total: told.append((done, total)))
    assert told


@pytest.mark.parametrize("study", EVERY, ids=lambda study: study.key)
def test_cancelled_at_once_it_has_nothing_and_no_nonsense(study):
    cancel = threading.Event()
    cancel.set()
    found = done(study, cancel=cancel)
    assert not found.finished and "nan" not in found.conclusion
    frame = found.drawn()
    assert len(frame) == 0 and set(study.told_by) <= set(frame.columns)
    assert study.chart(frame).curves == ()


@pytest.mark.parametrize("study", EVERY, ids=lambda study: study.key)
def test_cancelled_on_the_way_it_gives_what_there_is(study):
    cancel, rows = threading.Event(), []

    def progress(done, total, row=None):
        if row is not None:
            rows.append(row)
            cancel.set()

    more = {"steps": 2_000_000_000} if study.argument("steps") else {}
    more |= {"workers": 1} if study.threads else {}
    found = done(study, progress=progress, cancel=cancel, **more)
    assert not found.finished and len(found.drawn()) >= 1 and "nan" not in found.conclusion
    assert set(rows[0]) & set(found.drawn().columns)


def test_a_result_is_shown_by_its_conclusion_and_in_notebooks_by_its_table(whole):
    _, found, _ = whole
    shown = repr(found)
    assert len(shown) < 400 and "\n" not in shown and "array" not in shown and found.problem.label in shown
    assert "<table" in found._repr_html_()


def test_the_shell_has_its_arguments(whole, capsys):
    study, found, _ = whole
    options = cli.parsers()[1]["study"].options
    for name in (*(argument.name for argument in study.arguments), *study.old_words):
        assert f"--{name.replace('_', '-')}" in options
    arguments = ["study", study.key, found.problem.label, *study.example[: 1 if study.most == 1 else 2], "--json"]
    for name, value in small(study).items():
        if argument := study.argument(name):
            arguments += [f"--{name.replace('_', '-')}", argument.written(value)]
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
        assert all(argument.doc in out for argument in study.arguments)


def test_the_readme_has_a_command_for_each():
    readme = (Path(engine.__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    for study in EVERY:
        assert f"$ polhode study {study.key} " in readme


@pytest.mark.parametrize("study", EVERY, ids=lambda study: study.key)
def test_its_docstring_and_its_names(study):
    assert getattr(studies, study.name) is study.function
    assert all(getattr(studies, name) is study.function for name in study.aliases)
    assert studies.find(study.key) is studies.find(study.name) is study
    takes = inspect.signature(study.function).parameters
    for argument in study.arguments:
        assert f"{argument.name} : " in study.function.__doc__
        assert argument in study.needed() or takes[argument.name].default in (argument.default, None)
    assert {"progress", "cancel"} <= set(takes) and "cancel : " in study.function.__doc__


@pytest.mark.parametrize("study", EVERY, ids=lambda study: study.key)
def test_each_argument_is_checked_before_anything_runs(study):
    for argument in study.arguments:
        if argument.high is not None:
            with pytest.raises(ValueError, match=f"^{argument.name} must be"):
                done(study, **{argument.name: np.inf})
    with pytest.raises(TypeError, match="nonsense"):
        done(study, nonsense=1)


@pytest.mark.parametrize("study", [study for study in EVERY if study.old_words], ids=lambda study: study.key)
def test_old_words_mean_what_they_meant(study):
    for old, new in study.old_words.items():
        assert study.argument(old) is study.argument(new) is not None
        value = small(study).get(new)
        if value is not None:
            others = {name: x for name, x in small(study).items() if name != new}
            cancel = threading.Event()
            cancel.set()
            found = study.function("free", **others, **{old: value}, cancel=cancel)
            assert not found.finished


# --- the page ---


@pytest.mark.parametrize("study", ON_THE_PAGE, ids=lambda study: study.key)
def test_the_page_has_its_fields_and_a_link_there_and_back(study):
    asked = page.first(study.key)
    for field in study.fields:
        assert field.title and not isinstance(field.kind, Text), "a stranger names no file"
        if field.name in VALUES["so3"] and field.name != "budget":
            asked = asked.with_text(field.name, field.written(VALUES["so3"][field.name]))
    query = dict(parse_qsl(urlencode(asked.query())))
    assert query.pop("page") == "studies"
    again, notices = page.from_query(query)
    assert notices == [] and again == asked and again.values() == asked.values()
    old = {new: old for old, new in study.old_words.items()}
    again, notices = page.from_query({old.get(name, name): text for name, text in query.items()})
    assert notices == [] and again == asked


@pytest.mark.parametrize("study", ON_THE_PAGE, ids=lambda study: study.key)
def test_the_page_does_what_it_gives_as_python(study, capsys):
    asked = page.with_methods(page.first(study.key), study.example[:1])
    for name in {field.name for field in study.fields} & {"duration", "dts", "steps", "members"}:
        asked = asked.with_text(name, page_text(study, name))
    result = asked.carry_out(lambda *_, **__: None, engine.Cancellation())
    found: dict = {}
    exec(asked.snippet(), found)
    assert type(found["found"]) is type(result) is study.result
    assert list(found["found"].to_frame().columns) == list(result.to_frame().columns)
    assert capsys.readouterr().out.strip()


def page_text(study: Study, name: str) -> str:
    argument = study.argument(name)
    assert argument is not None
    return argument.written(VALUES["so3"][name])
