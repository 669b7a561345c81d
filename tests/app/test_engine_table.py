"""The table of all engines on the page Engines."""

from __future__ import annotations

import math
import re
from typing import Any
from urllib.parse import parse_qsl

import pytest
from covering import first
from page_driver import find_offers, press, stop_when, visible_text

import engine
from app.pages.engines_page import Engines
from app.state.pages.engine_question import choose_program
from app.state.pages.engine_table import (
    COLUMNS,
    comes_so,
    find_rows,
    find_setting,
    list_programs,
    read_order,
    read_recorded_rows,
    sort_rows,
)
from engine.algorithms import PROGRAMS, Program

SETTING = find_setting()
FEW = [PROGRAMS["bullet"], PROGRAMS["ode"]]


def find_cells(html: str) -> list[list[str]]:
    """The texts of the cells of each row in a table."""
    rows = re.findall(r"<tr.*?>(.*?)</tr>", html, re.S)
    return [
        [re.sub(r"<.*?>", " ", cell).strip() for cell in re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row, re.S)]
        for row in rows
    ]  # fmt: skip


def test_each_engine_has_a_recorded_row_as_it_comes_and_one_for_each_rule() -> None:
    rows = read_recorded_rows()
    assert list(rows) == list(PROGRAMS), "python -m app.state.pages.engine_table records them"
    shown = list_programs(whole=False)
    assert shown == [program for program in PROGRAMS.values() if comes_so(program)]
    assert {program.title for program in shown} == {one.title for one in PROGRAMS.values()}
    assert {"jolt-default", "bullet", "ode", "mujoco-euler"} <= {one.key for one in shown}
    assert not {"jolt", "bullet-explicit", "mujoco-rk4"} & {one.key for one in shown}


@pytest.mark.parametrize("program", first(PROGRAMS.values(), 2), ids=lambda one: one.key)
def test_recorded_rows_are_those_of_the_rules(program: Program) -> None:
    computed = find_rows(SETTING, [program])
    assert computed is not None
    (row,) = computed.values()
    recorded = read_recorded_rows()[program.key]
    assert row.texts == recorded.texts
    assert row.values.keys() == recorded.values.keys()


@pytest.mark.parametrize("key", first(["rapier", "mujoco-euler", *PROGRAMS], 2))
def test_a_row_says_what_the_page_says_of_its_engine(key: str) -> None:
    page = Engines(choose_program("ode"))
    shown = page.page()
    assert "All engines, as they come <small>" in visible_text(page.table.panel)
    press(shown, "rules")
    assert "All engines, with their flags <small>" in visible_text(page.table.panel)
    press(shown, "engine", key)
    assert page.question == choose_program(key)
    assert page.outcome is not None
    html = page.table.panel.html
    assert re.findall(r"data-ask='engine' value='([^']*)' aria-current", html) == [key]
    row = read_recorded_rows()[key]
    of_rule, *of_cure, _ = find_cells(page._verdict.html)[1:]
    assert row.texts["energy"] == of_rule[1]
    if page.outcome.cure is None:
        assert row.texts["cure"] == "–"
    else:
        assert row.texts["cure"] == f"{page.outcome.cure.run.method.short}: {of_cure[0][1]}"
        assert row.texts["cost"].removesuffix(" ×") in visible_text(page._cure) or (
            "at the same cost" in visible_text(page._cure)
        )
    assert "blows up" in row.texts["motion"] or "blows up" not in visible_text(page._verdict)


def test_the_table_tells_the_motion_and_its_cause() -> None:
    texts = {key: row.texts for key, row in read_recorded_rows().items()}
    assert texts["ode"]["motion"] == "stops tumbling at 11 s"
    assert texts["mujoco-euler"]["motion"] == texts["mujoco-euler"]["energy"] == "blows up"
    assert texts["bepu-default"]["motion"] == "unlike any rigid body"
    assert texts["mujoco-midpoint"]["motion"].startswith("tumbles on, off by 0.7")
    assert texts["jolt-default"]["cause"] == "angular damping, 0.05 per second"
    assert texts["bepu-default"]["cause"] == "no gyroscopic term"
    assert texts["bullet"]["cause"] == engine.algorithm("bullet").short
    assert texts["mujoco-midpoint"]["cause"] == "–"


@pytest.mark.parametrize("column", COLUMNS)
def test_a_column_sorts_both_ways_and_rows_without_a_value_come_last(column: str) -> None:
    rows = [*read_recorded_rows().values()]
    values = [row.values.get(column) for row in sort_rows(rows, column)]
    known = [value for value in values if value is not None]
    assert values == [*sorted(known), *[None] * (len(values) - len(known))]
    down = [row.values.get(column) for row in sort_rows(rows, f"-{column}")]
    assert down == [*sorted(known, reverse=True), *[None] * (len(values) - len(known))]


def test_a_click_on_a_head_sorts_the_table() -> None:
    page = Engines(choose_program("bullet"))
    shown = page.page()
    press(shown, "order", "energy")
    assert "class='energy' aria-sort='ascending'" in page.table.panel.html
    assert find_cells(page.table.panel.html)[1][0].startswith("Godot Physics")
    press(shown, "order", "-energy")
    assert "class='energy' aria-sort='descending'" in page.table.panel.html
    assert find_cells(page.table.panel.html)[1][1] == "blows up"


def test_a_link_holds_the_order_of_the_table() -> None:
    page = Engines(choose_program("bullet"), order="-energy")
    shown = page.page()
    assert "class='energy' aria-sort='descending'" in page.table.panel.html
    assert "sort=-energy" in page.make_link(page.question.choice)
    press(shown, "order", "cost")
    press(shown, "engine", "ode")
    words = dict(parse_qsl(page.make_link(page.question.choice).removeprefix("?")))
    assert (words["engine"], words["sort"]) == ("ode", "cost")
    assert read_order("-motion") == ("-motion", []) and read_order("") == ("", [])
    assert read_order("moon") == ("", ["sort: the table has no column 'moon'."])


def test_the_table_of_another_body_is_computed_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.views.tables.engine_table.list_programs", lambda whole: FEW)
    page = Engines(choose_program("bullet"))
    shown = page.page()
    first_rows = find_cells(page.table.panel.html)
    page.form.enter("duration", "10")
    text = visible_text(page.table.panel)
    assert (
        "as they come <small>still for 60 Hz · 100 s" in text and "Compute for 60 Hz · 10 s" in text
    )
    assert find_cells(page.table.panel.html) == first_rows
    press(shown, "compute")
    text = visible_text(page.table.panel)
    assert "as they come <small>60 Hz · 10 s" in text and "Compute for" not in text
    _, bullet, _ = find_cells(page.table.panel.html)
    assert page.outcome is not None
    assert bullet[1] == find_cells(page._verdict.html)[1][1]
    assert math.isclose(page.outcome.rule.run.t[-1], 10.0)
    page.form.enter("duration", "100")
    assert find_cells(page.table.panel.html) == first_rows, "they are recorded"
    page.form.enter("flag precision", "single")
    assert "Compute for 60 Hz · 100 s · A block that tumbles · 32 bits" in visible_text(shown)


def test_a_computation_that_is_stopped_leaves_the_rows_and_can_be_continued(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("app.views.tables.engine_table.list_programs", lambda whole: FEW)
    page = Engines(choose_program("bullet"))
    shown = page.page()
    page.form.enter("duration", "10")
    before = find_cells(page.table.panel.html)
    stop_when(page.table.panel)
    press(shown, "compute")
    text = visible_text(page.table.panel)
    assert "Stopped." in text and "as they come <small>still for 60 Hz · 100 s" in text
    assert find_cells(page.table.panel.html) == before
    assert find_offers(shown, "compute")


def test_while_a_table_is_computed_it_can_be_sorted_stopped_and_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = Engines(choose_program("bullet"))
    shown = page.page()
    page.form.enter("duration", "10")

    def find(*given: Any) -> Any:
        given[-1](1, 2)
        press(shown, "order", "energy")
        assert "Computing all engines … 50 %" in visible_text(page.table.panel)
        assert find_offers(shown, "stop") and not find_offers(shown, "compute")
        page.form.enter("duration", "100")
        return read_recorded_rows()

    monkeypatch.setattr("app.views.tables.engine_table.find_rows", find)
    press(shown, "compute")
    text = visible_text(page.table.panel)
    assert "as they come <small>60 Hz · 100 s" in text and "Computing" not in text
    assert not find_offers(shown, "stop")


def test_a_comparison_that_is_cancelled_has_no_rows() -> None:
    cancel = engine.Cancellation()
    setting = choose_program("bullet").with_entry("duration", "10").choice

    def stop(done: int, _: int) -> None:
        if done == 1:
            cancel.set()

    assert find_rows(setting, FEW, cancel, stop) is None
