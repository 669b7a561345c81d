"""Motions of other engines on the page Engines: the verdict in place, and what is asked for."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
from covering import first
from page_driver import press, send_message, visible_text

import engine
from app.pages.engines_page import Engines
from app.scene.packing import unpack
from app.state.links import link
from app.state.pages import motion_file
from app.state.pages.engine_question import choose_program, read_query
from app.state.pages.engine_verdict import judge as judge_runs
from app.state.pages.file_motion import COLOUR, FileMotion, Origin, thin_motion
from app.state.pages.motion_file import Judged, judge_file, read_stated
from app.state.reader import REFUSED, Refused
from app.state.results import compute
from engine.kernels import Cancelled
from engine.referee import Verdict
from engine.referee.matches import STOPPED
from engine.studies.engines import measure_at
from engine.studies.replacements import holds_energy

BULLET = Path(__file__).parents[1] / "data" / "engines" / "bullet-in-ammo-js.csv"
NUMBERS = {
    "rules": ["bullet", "NEWTON-1"],
    "possible": [],
    "nearest": [],
    "precision": "double",
    "dt": 1 / 60,
    "rows": 121,
    "duration": 2.0,
    "free": True,
    "objection": "",
    "moments": [1.0, 2.0, 2.8],
    "remarks": ["The angular velocity is in space."],
    "sentences": ["In 2 s, the energy falls to 96.8 % of the first."],
}


def make_motion(
    R0: object = (0.1, 0.2, 0.3), name: str = "motion.csv", **stated: str
) -> FileMotion:
    """A motion by Bullet's rule, as a file has it that is read as stated."""
    body = engine.Problem(J=(1, 2, 2.8), R0=R0, Omega0=(1.2, 1.9, 1.5))
    run = engine.simulate(body, "bullet", dt=1 / 60, steps=120)
    assert isinstance(run, engine.Run)
    end = measure_at(run, engine.error(run), 120)
    origin = Origin(name, 0, tuple(stated.items()))
    return FileMotion(origin, body, run.t, run.R, run.Omega, 1 / 60, 1, end)


JUDGED = Judged(NUMBERS, make_motion())
READ = Judged(NUMBERS | {"rules": []}, make_motion(), awaits_rule=True)


def judge_rule(name: str, *tried: str) -> tuple[Verdict, Judged]:
    """The verdict on the motion by a rule among those tried, for Python and for the page."""
    body = engine.problem("free").replace(
        J=(1, 2.2, 2.6), Omega0=(1.2, 2.0, -0.7), R0=(0.3, -0.5, 0.9)
    )
    run = engine.simulate(body, name, dt=1 / 60, duration=5)
    verdict = engine.judge(run, body.J, methods=tried)
    arrays = {key: np.asarray(value) for key, value in thin_motion(verdict).items()}
    motion = FileMotion.from_arrays(Origin("motion.csv", 0, ()), arrays)
    return verdict, Judged(verdict.to_json(), motion)


def send_file(page: Engines, name: str = "motion.csv", **more: Any) -> None:
    """Send a file as the browser does."""
    part = {"name": name, "part": 0, "parts": 1, "data": b"t", "again": False, "words": ""}
    send_message(page.motion.file, part | more)


@pytest.mark.parametrize(
    ("name", "tried", "reason"),
    [
        ("rapier", "rapier", "A step takes 1.5 times as long as one of Length-restoring Euler."),
        ("jolt", "jolt", "you can paste it into the engine's own function."),
        ("bullet", "bullet", "A step takes 1.1 times as long as one of Implicit Euler."),
        ("ode", "rapier", "as one of Length-restoring Euler."),  # which is the nearest rule
    ],
)
def test_the_verdict_and_the_page_propose_one_cure(name: str, tried: str, reason: str) -> None:
    verdict, judged = judge_rule(name, tried)
    question = judged.ask(choose_program("avian"))
    outcome = judge_runs(question, compute(question.with_candidates()))
    assert verdict.cure is not None and outcome is not None
    assert outcome.cure is not None and outcome.cure_end is not None
    assert verdict.cure.method.label == judged.numbers["cure"] == outcome.cure.run.method.label
    assert verdict.cure.attitude == pytest.approx(outcome.cure_end.attitude_rank, rel=1e-4)
    assert verdict.cure.why == judged.numbers["cure_reason"]
    assert verdict.cure.why.endswith(reason)
    proposed = " ".join(verdict.sentences)
    method = verdict.cure.method
    assert f"To cure it, take {method.name} ({method.label}). {verdict.cure.why}" in proposed
    assert ("the energy may drift" in proposed) != holds_energy(method)


def test_the_question_has_the_rule_and_the_body_of_the_file() -> None:
    before = choose_program("jolt")
    question = JUDGED.ask(before)
    assert (question.program, question.title) == ("bullet", choose_program("bullet").title)
    assert question.choice.dt == 1 / 60 and question.choice.duration == 2.0
    assert dict(question.choice.changes)["J"] == (1.0, 2.0, 2.8)
    assert question.motion is JUDGED.motion
    single = Judged(NUMBERS | {"precision": "single"}, JUDGED.motion).ask(before)
    assert single.rule.single
    plain = Judged(NUMBERS | {"rules": ["NMB"]}, JUDGED.motion).ask(before)
    assert plain.program == "" and plain.rule.key == "NMB"
    unknown = NUMBERS | {"rules": []}
    assert Judged(unknown, JUDGED.motion).ask(before).program == "jolt", "it stays"
    possible = unknown | {"possible": ["ode", "bullet"]}
    assert Judged(possible, JUDGED.motion).ask(before).program == "ode"
    nearest = unknown | {"nearest": [{"name": "rapier(damping=0.1)", "distance": 1e-3}]}
    assert Judged(nearest, JUDGED.motion).ask(before).title == "Rapier, changed"
    driven = nearest | {"free": False}
    assert Judged(driven, JUDGED.motion).ask(before).program == "jolt", "a torque has no rule"
    misfit = nearest | {"objection": "The stated moments of inertia do not fit the motion."}
    assert Judged(misfit, JUDGED.motion).ask(before).program == "jolt"


@pytest.mark.parametrize(
    ("changes", "title"),
    [
        ({}, "Its rule: Bullet"),
        (
            {"rules": ["bullet", "ode", "jolt", "box3d", "rapier"]},
            "Its rule: Bullet, ODE, Jolt gyroscopic or 2 other names",
        ),
        ({"rules": [], "possible": ["ode", "jolt"]}, "Several rules are possible"),
        ({"rules": []}, "No rule is named"),
        ({"rules": [], "sentences": [STOPPED]}, "The search for its rule was stopped"),
    ],
)
def test_a_title_has_what_the_search_found(changes: dict[str, Any], title: str) -> None:
    assert Judged(NUMBERS | changes, JUDGED.motion).title == title


def test_a_motion_is_shown_beside_its_rule_in_plots_picture_and_table() -> None:
    page = Engines(choose_program("jolt"))
    shown = page.page()
    page.motion._show_rule(JUDGED)
    text = visible_text(shown)
    assert "motion.csv beside Bullet" in text and "your file" in text
    assert page.outcome is not None
    names = ["motion.csv", "Bullet", "Kick–drift–kick"]
    assert [line.name for line in page.outcome.results.runs][:2] == names[:2]
    for plot in page.plots.plots:
        _, of_file, of_rule, _ = (stroke.y for stroke in plot.strokes)
        np.testing.assert_allclose(of_file, of_rule, atol=1e-6, err_msg=plot.title)
        assert plot.title == "Direction of the momentum" or np.ptp(of_file) > 0
    header, _ = unpack(page._body.panel.scene)
    motions = {motion["label"]: motion for motion in header["motions"]}
    assert next(iter(motions)) == "motion.csv" and motions["motion.csv"]["n"] == 121
    assert motions["exact"]["exact"] is True
    page.tabs.chosen = ["Poinsot"]
    player = page._picture_place.objects[0]
    header, _ = unpack(player.scene)
    drawn = [(motion["label"], motion["colour"]) for motion in header["motions"]]
    assert header["facts"]["kind"] == "poinsot" and drawn[0] == ("motion.csv", COLOUR)
    assert player.look == page._body.panel.look, "at the same time"
    rows = re.findall(r"<th scope='row'>.*?</i>(.*?)<small>.*?</tr>", page._verdict.html)
    assert rows[:2] == names[:2]
    assert "motion.csv" not in page.downloads.panel.texts["snippet"], "it is no run"
    press(shown, "leave")
    assert page.question == replace(JUDGED.ask(choose_program("jolt")), motion=None)
    assert "motion.csv beside" not in visible_text(shown)
    press(shown, "show")
    assert page.question.motion is JUDGED.motion


def test_a_motion_stays_beside_other_rules_and_goes_with_its_body() -> None:
    page = Engines(choose_program("jolt"))
    page.page()
    page.motion._show_rule(JUDGED)
    send_message(page.programs, {"pick": "ode"})
    page.form.enter("rate", "120")
    page.form.enter("duration", "10")
    assert (page.question.program, page.question.motion) == ("ode", JUDGED.motion)
    page.form.enter("body", "racket")
    assert page.question.motion is None and page.question.body == "racket"
    assert "R0" not in dict(page.question.choice.changes)


def test_a_link_names_a_motion_and_does_not_hold_it() -> None:
    asked = JUDGED.ask(choose_program("jolt"))
    query = dict(parse_qsl(link(asked).removeprefix("?")))
    assert query.pop("page") == "engines" and query["motion"] == "motion.csv"
    found, notices = read_query(query)
    assert notices == [
        "A link does not hold a motion. Choose 'motion.csv' again, and this page shows it."
    ]
    np.testing.assert_allclose(found.choice.build_problem().R0, JUDGED.motion.problem.R0)
    assert found.rule.label == asked.rule.label


def test_a_motion_that_the_page_cannot_run_gets_a_sentence() -> None:
    page = Engines(choose_program("jolt"))
    shown = page.page()
    slow = replace(JUDGED.motion, dt=1e-9)
    page.motion._show_rule(Judged(NUMBERS | {"duration": 2e-9}, slow))
    assert "The page cannot show motion.csv: Δt is a number from" in visible_text(shown)
    assert page.question == choose_program("jolt")


@pytest.mark.parametrize("velocities", [True, False])
def test_the_motion_of_a_long_file_is_thinned_and_lasts_to_its_end(velocities: bool) -> None:
    run = engine.simulate(JUDGED.motion.problem, "bullet", dt=1 / 60, steps=9000)
    assert isinstance(run, engine.Run)
    rows = (run.t, run.R, run.Omega) if velocities else (run.t, run.R)
    verdict = engine.judge(rows, (1, 2, 2.8), methods=())
    made = {name: np.asarray(value) for name, value in thin_motion(verdict).items()}
    motion = FileMotion.from_arrays(Origin("long.csv"), made)
    middle = 0.0 if velocities else run.dt / 2
    assert (len(motion), motion.every, motion.dt) == (
        3001,
        3,
        pytest.approx(1 / 60),
    )
    np.testing.assert_allclose(motion.t[[0, -1]], [middle, 150 - middle])
    assert (motion.end.energy, motion.end.axis) == (verdict.energy, verdict.compared.end.axis)
    np.testing.assert_allclose(motion.energy[-1] / motion.energy[0], verdict.energy)
    np.testing.assert_allclose(motion.pi_norm[-1] / motion.pi_norm[0], verdict.momentum)
    off = np.interp(motion.t, verdict.trajectory.t, verdict.compared.attitude)
    np.testing.assert_allclose(motion.line.error.attitude, off, atol=0.03)
    assert sum(part.nbytes for part in (motion.t, motion.R, motion.Omega)) < 500_000


def test_a_file_is_judged_again_as_a_person_states_it(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[Mapping[str, str], bool]] = []

    def judge(name: str, data: bytes, stated: Mapping[str, str], *how: Any) -> Judged:
        *_, search = how
        given.append((stated, search))
        if not stated:
            raise Refused("The motion does not show the order; state it.", ("columns",))
        return JUDGED if search else READ

    monkeypatch.setattr("app.views.controls.motion_file.judge_file", judge)
    page = Engines(choose_program("jolt"))
    send_file(page)
    assert page.motion.file.wrong and "does not show the order" in page.motion.file.said
    assert not page.motion.form.folded and not page.motion.verdict.visible
    assert page.motion.form.wrong == {"columns": "Fill this in, or change it."}
    send_message(page.motion.form, {"name": "J", "text": "1, 2, 2.8"})
    send_file(page, again=True)
    stated = {"J": "1, 2, 2.8"}
    assert given == [({}, False), (stated, False), (stated, True)]
    assert page.motion.file.facts == NUMBERS["remarks"] and not page.motion.file.busy
    assert "Its rule: Bullet</h2>" in visible_text(page.motion.verdict)
    assert "falls to 96.8 %" in visible_text(page.motion.verdict)
    assert page.question == JUDGED.ask(choose_program("jolt")), "at once"
    send_file(page)
    assert given[-1] == ({}, False), "another file is read as it is"


STATES = {"J": "1, 2, 2.8", "inverse": "on"}
LINK = "?page=engines&motion=motion.csv&motion_J=1,+2,+2.8&motion_inverse=on"


def read_as_stated(monkeypatch: pytest.MonkeyPatch, found: Mapping[str, Any] = NUMBERS) -> None:
    """Read each file as the motion by Bullet's rule; the search for its rule finds these numbers."""

    def judge(name: str, data: bytes, stated: Mapping[str, str], *how: Any) -> Judged:
        *_, searches = how
        numbers = found if searches else READ.numbers
        return Judged(numbers, make_motion(name=name, **stated), awaits_rule=not searches)

    monkeypatch.setattr("app.views.controls.motion_file.judge_file", judge)


def state(page: Engines, name: str, text: str) -> None:
    """State something of the file; the browser sends it again."""
    send_message(page.motion.form, {"name": name, "text": text})
    send_file(page, page.motion._name, again=True)


def test_what_is_stated_of_a_file_is_undone_and_redone_with_its_verdict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read_as_stated(monkeypatch)
    page = Engines(choose_program("jolt"))
    shown = page.page()
    api = page.runs.api
    send_file(page)
    state(page, "J", "1, 2, 2.8")
    state(page, "inverse", "on")
    send_message(page.programs, {"pick": "ode"})
    send_file(page, "other.csv")
    assert page.question.program == "bullet", "that of the new file"

    def found() -> tuple[str, str, str, bool]:
        values = page.motion.form.values
        is_shown = "Leave it out" in visible_text(page.motion.verdict)
        return page.question.title, values["J"], values["inverse"], is_shown

    bullet, ode = choose_program("bullet").title, choose_program("ode").title
    steps = [
        (choose_program("jolt").title, "", "", False),
        (bullet, "", "", True),
        (bullet, "1, 2, 2.8", "", True),
        (bullet, "1, 2, 2.8", "on", True),
        (ode, "1, 2, 2.8", "on", True),
        (bullet, "", "", True),
    ]
    assert found() == steps[-1]
    for step in reversed(steps[:-1]):
        api.undo += 1
        assert found() == step
    for step in steps[1:]:
        press(shown, "redo") if step is steps[1] else setattr(api, "redo", api.redo + 1)
        assert found() == step
    assert page.motion.file.said.startswith("other.csv: ") and not page.motion.file.busy
    asked: list[str] = []
    monkeypatch.setattr(page.motion.file, "ask_again", asked.append)
    for _ in range(2):
        press(shown, "undo")
    send_message(page.motion.form, {"name": "J", "text": "1, 2, 3"})
    assert asked == ["motion.csv"], "which the browser sends again"


def test_a_link_or_a_reload_states_the_same_of_a_file_and_keeps_the_setting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = replace(choose_program("ode"), motion=make_motion(**STATES))
    query = dict(parse_qsl(link(asked).removeprefix("?")))
    assert query.pop("page") == "engines" and read_stated(query) == STATES
    question, notices = read_query(query)
    assert question.program == "ode" and len(notices) == 1
    read_as_stated(monkeypatch)
    page = Engines(question, notices)
    shown = page.page()
    send_file(page, "other.csv", again=True, words=LINK)  # which the tab keeps
    assert page.question.motion is None and not page.motion.file.busy
    send_file(page, again=True, words=LINK)
    assert page.question.motion is not None
    assert page.question.motion.origin.stated == tuple(STATES.items())
    assert page.motion.form.values["inverse"] == "on"
    assert page.question.program == "ode" and page.question.choice.duration == 100.0
    assert "does not hold a motion" not in visible_text(shown)
    assert "Its rule: Bullet" in visible_text(shown)
    press(shown, "leave")
    press(shown, "show")
    assert page.question.program == "bullet", "it is asked for"


def test_an_engine_that_a_person_chooses_during_the_search_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = Engines(choose_program("jolt"))
    page.page()

    def judge(name: str, *given: Any) -> Judged:
        if given[-1]:
            send_message(page.programs, {"pick": "ode"})
        return JUDGED if given[-1] else READ

    monkeypatch.setattr("app.views.controls.motion_file.judge_file", judge)
    send_file(page)
    assert page.question.program == "ode" and page.question.motion is JUDGED.motion
    page.undo()
    page.undo()
    assert page.question == choose_program("jolt")


def test_the_verdict_on_the_file_before_is_marked_while_another_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = Engines(choose_program("jolt"))
    page.page()
    page.motion._show_verdict(JUDGED)
    assert "class='card'" in page.motion.verdict.html
    marked: list[bool] = []

    def judge(*_: Any) -> Judged:
        marked.append("class='card old' aria-busy='true'" in page.motion.verdict.html)
        return JUDGED

    monkeypatch.setattr("app.views.controls.motion_file.judge_file", judge)
    send_file(page, "other.csv")
    assert marked == [True, False] and "class='card'" in page.motion.verdict.html


@pytest.mark.parametrize("ends", [Cancelled(), ValueError("It takes more than 30 seconds.")])
def test_a_motion_stays_if_the_search_for_its_rule_ends_early(
    monkeypatch: pytest.MonkeyPatch, ends: Exception
) -> None:
    page = Engines(choose_program("jolt"))

    def judge(*given: Any) -> Judged:
        if given[-1]:
            assert page.motion.file.said.endswith(
                "Searching for its rule, for at most 20 s of computing …"
            )
            assert page.motion.file.busy and page.question.motion is READ.motion
            assert page.question.program == "jolt" and "What becomes" in page.motion.verdict.html
            raise ends
        return READ

    monkeypatch.setattr("app.views.controls.motion_file.judge_file", judge)
    title = "No rule is named"
    if isinstance(ends, Cancelled):
        title = "The search for its rule was stopped"
        with pytest.raises(Cancelled):
            send_file(page)
        page.motion._show_rule(None)  # as a server does
        assert "The search for its rule was stopped." in page.motion.file.said
    else:
        send_file(page)
        assert "failed: It takes more than 30 seconds." in page.motion.file.said
    assert not page.motion.file.busy and page.question.motion is READ.motion
    assert f">{title}</h2>" in page.motion.verdict.html


def test_the_search_for_a_rule_shows_how_much_of_its_time_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = Engines(choose_program("jolt"))
    file = page.motion.file

    def judge(*given: Any) -> Judged:
        *_, progress, searches = given
        assert file.part is None
        progress(0.37)
        assert file.part == (0.37 if searches else None)
        return JUDGED if searches else READ

    monkeypatch.setattr("app.views.controls.motion_file.judge_file", judge)
    send_file(page)
    assert file.part is None and not file.busy
    page.motion._show_search(READ, 0.0, "Waiting for its turn, 2nd in the queue")
    assert file.said.endswith("Δt = 1/60 s. Waiting for its turn, 2nd in the queue …")


def test_a_file_that_has_waited_is_shown_as_being_read(monkeypatch: pytest.MonkeyPatch) -> None:
    page = Engines(choose_program("jolt"))
    said: list[str] = []

    def judge(*given: Any) -> Judged:
        *_, progress, searches = given
        if not searches:
            for words in ("", "Waiting for its turn, 2nd in the queue", ""):
                progress(0.0, words)
                said.append(page.motion.file.said)
        return JUDGED if searches else READ

    monkeypatch.setattr("app.views.controls.motion_file.judge_file", judge)
    send_file(page)
    reading = "Reading motion.csv …"
    assert said == [reading, "Waiting for its turn, 2nd in the queue …", reading]


def test_a_process_reports_the_time_that_it_has_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.state.reader.CHECK_EVERY", 0.01)
    parts: list[float] = []
    judge_file("motion.csv", BULLET.read_bytes(), {}, progress=parts.append, searches=False)
    assert 0 < parts[-1] <= 1 and parts == sorted(parts)


def test_a_motion_that_a_person_leaves_out_stays_out_when_its_rule_is_found() -> None:
    page = Engines(choose_program("jolt"))
    shown = page.page()
    page.motion._show_verdict(READ)
    press(shown, "leave")
    page.motion._show_rule(JUDGED)
    assert page.question.motion is None and page.question.program == "jolt"
    press(shown, "show")
    assert page.question.program == "bullet"


@pytest.mark.parametrize("found", [None, Refused("It has no times.", ("columns",))])
def test_a_motion_goes_when_another_file_is_not_judged(
    monkeypatch: pytest.MonkeyPatch, found: Refused | None
) -> None:
    page = Engines(choose_program("jolt"))
    shown = page.page()
    page.motion._show_verdict(JUDGED)
    monkeypatch.setattr("app.views.controls.motion_file._judge", lambda *_: found)
    send_file(page, "other.csv")
    assert page.question.motion is None and page.question.program == "bullet"
    assert "your file" not in visible_text(shown) and not page.motion.verdict.visible


@pytest.mark.parametrize(
    ("name", "content", "needs"),
    first(
        [
            (
                "motion.exe",
                b"",
                "The name of a motion ends in .csv or .parquet; 'motion.exe' does not.",
            ),
            ("motion.parquet", b"PAR1", "'motion.parquet' is no Parquet file"),
            ("motion.csv", b"a, b, c, d\n", r"Euler angles; name all columns\.$"),
        ],
        2,
    ),
)
def test_odd_files_get_one_sentence(name: str, content: bytes, needs: str) -> None:
    with pytest.raises(ValueError, match=needs):
        judge_file(name, content, {})


SPIN = "".join(f"{t},{t},0,0,1,0,0\n" for t in range(9))


@pytest.mark.parametrize(
    ("content", "given", "field"),
    [
        ("t,a,b,c,d\n0,1,2,3,4\n", {}, "columns"),
        ("qw,qx,qy,qz\n1,0,0,0\n", {}, "dt"),
        ("t,rotvec_x,rotvec_y,rotvec_z,wx,wy,wz\n" + SPIN, {}, "J"),
        ("t,rotvec_x,rotvec_y,rotvec_z,wx,wy,wz\n" + SPIN, {"J": "1, 2"}, "J"),
        ("t,rotvec_x,rotvec_y,rotvec_z,wx,wy,wz\n" + SPIN, {"J": "1, two, 3"}, "J"),
        ("t,rotvec_x,rotvec_y,rotvec_z,wx,wy,wz\n" + SPIN, {"euler": "XXX"}, "euler"),
        ("t,rotvec_x,rotvec_y,rotvec_z,wx,wy,wz\n" + SPIN, {"columns": "t, a"}, "columns"),
    ],
)
def test_a_refusal_names_its_field(
    content: str, given: dict[str, str], field: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(motion_file, "limit_resources", lambda: None)  # for this process
    Path("motion.csv").write_text(content)
    assert motion_file.main("motion.csv", json.dumps(given), "") == REFUSED
    assert json.loads(Path("fields.json").read_text()) == [field]


def test_a_visitor_can_stop() -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        judge_file("motion.csv", BULLET.read_bytes(), {}, cancel)


@pytest.mark.exhaustive
def test_an_engine_is_named_by_its_file() -> None:
    judged = judge_file("motion.csv", BULLET.read_bytes(), {"J": "1, 2, 2.8"})
    assert judged.setting == "121 rows, Δt = 1/60 s"
    assert "bullet" in judged.numbers["rules"] or motion_file.LONGER in judged.numbers["remarks"]
    assert judged.numbers["energy"] == pytest.approx(0.968, abs=1e-3)
