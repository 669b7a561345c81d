"""Motions of other engines on the page Engines: the verdict in place, and what is asked for."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from page_driver import press, send_message, visible_text

from app.pages.engines_page import Engines
from app.state.pages import motion_file
from app.state.pages.engine_question import choose_program
from app.state.pages.motion_file import Judged, judge_file
from engine.kernels import Cancelled

BULLET = Path(__file__).parents[1] / "data" / "engines" / "bullet-in-ammo-js.csv"
NUMBERS = {
    "rules": ["bullet", "NEWTON-1"],
    "possible": [],
    "dt": 1 / 60,
    "rows": 121,
    "duration": 2.0,
    "moments": [1.0, 2.0, 2.8],
    "remarks": ["The angular velocity is in space."],
    "sentences": ["In 2 s, the energy falls to 96.8 % of the first."],
}
JUDGED = Judged("motion.csv", NUMBERS, (1.2, 1.9, 1.5))


def send_file(page: Engines, name: str = "motion.csv", **more: Any) -> None:
    """Send a file as the browser does."""
    part = {"name": name, "part": 0, "parts": 1, "data": b"t", "again": False, "words": ""}
    send_message(page.motion.file, part | more)


def test_the_question_has_the_rule_and_the_body_of_the_file() -> None:
    question = JUDGED.question
    assert question is not None
    assert (question.program, question.title) == ("bullet", choose_program("bullet").title)
    assert question.choice.dt == 1 / 60 and question.choice.duration == 10.0
    assert dict(question.choice.changes)["J"] == (1.0, 2.0, 2.8)
    plain = Judged("motion.csv", NUMBERS | {"rules": ["NMB"]}, JUDGED.Omega0).question
    assert plain is not None and plain.program == ""
    assert Judged("motion.csv", NUMBERS | {"rules": []}, JUDGED.Omega0).question is None


def test_a_file_is_judged_again_as_a_person_states_it(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Mapping[str, str]] = []

    def judge(name: str, data: bytes, stated: Mapping[str, str], _: object) -> Judged:
        given.append(stated)
        if not stated:
            raise ValueError("The motion does not show the order; state it by the field Columns.")
        return JUDGED

    monkeypatch.setattr("app.views.controls.motion_file.judge_file", judge)
    page = Engines(choose_program("jolt"))
    send_file(page)
    assert page.motion.file.wrong and "does not show the order" in page.motion.file.said
    assert not page.motion.form.folded and not page.motion.verdict.visible
    send_message(page.motion.form, {"name": "J", "text": "1, 2, 2.8"})
    send_file(page, again=True)
    assert given == [{}, {"J": "1, 2, 2.8"}]
    assert page.motion.file.facts == NUMBERS["remarks"]
    assert "Its rule: bullet, NEWTON-1" in visible_text(page.motion.verdict)
    assert "falls to 96.8 %" in visible_text(page.motion.verdict)
    press(page.motion.verdict, "rule")
    assert page.question == JUDGED.question
    send_file(page)
    assert given[-1] == {}, "another file is read as it is"


@pytest.mark.parametrize(
    ("name", "content", "needs"),
    [
        (
            "motion.exe",
            b"",
            "The name of a motion ends in .csv or .parquet; 'motion.exe' does not.",
        ),
        ("motion.csv", b"a, b, c, d\n", "name all columns by the field Columns"),
        ("motion.parquet", b"PAR1", "'motion.parquet' is no Parquet file"),
    ],
)
def test_odd_files_get_one_sentence(name: str, content: bytes, needs: str) -> None:
    with pytest.raises(ValueError, match=needs):
        judge_file(name, content, {})


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
