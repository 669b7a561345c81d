"""The table of all engines on the page Engines."""

from __future__ import annotations

import math
import re
from urllib.parse import parse_qsl

import pytest
from covering import first
from page_driver import press, visible_text

import engine
from app.pages.engines_page import Engines
from app.state.pages.engine_question import choose_program
from app.state.pages.engine_table import COLUMNS, comes_so, find_rows, read_order, sort_rows
from engine.algorithms import PROGRAMS

SETTING = choose_program("bullet").choice


def find_cells(html: str) -> list[list[str]]:
    """The texts of the cells of each row in a table."""
    rows = re.findall(r"<tr.*?>(.*?)</tr>", html, re.S)
    return [
        [re.sub(r"<.*?>", " ", cell).strip() for cell in re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row, re.S)]
        for row in rows
    ]  # fmt: skip


def test_each_engine_has_a_row_as_it_comes_and_one_for_each_rule() -> None:
    rows = find_rows(SETTING)
    assert [row.program.key for row in rows] == list(PROGRAMS)
    shown = [row.program for row in rows if comes_so(row.program)]
    assert {program.title for program in shown} == {one.title for one in PROGRAMS.values()}
    assert {"jolt-default", "bullet", "ode", "mujoco-euler"} <= {one.key for one in shown}
    assert not {"jolt", "bullet-explicit", "mujoco-rk4"} & {one.key for one in shown}


@pytest.mark.parametrize("key", first(["rapier", "mujoco-euler", *PROGRAMS], 2))
def test_a_row_says_what_the_page_says_of_its_engine(key: str) -> None:
    page = Engines(choose_program("ode"))
    shown = page.page()
    press(shown, "rules")
    press(shown, "engine", key)
    assert page.question == choose_program(key)
    assert page.outcome is not None
    assert re.findall(r"data-ask='engine' value='([^']*)' aria-current", page._table.html) == [key]
    (row,) = (row for row in find_rows(SETTING) if row.program.key == key)
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
    texts = {row.program.key: row.texts for row in find_rows(SETTING)}
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
    rows = find_rows(SETTING)
    values = [row.values.get(column) for row in sort_rows(rows, column)]
    known = [value for value in values if value is not None]
    assert values == [*sorted(known), *[None] * (len(values) - len(known))]
    down = [row.values.get(column) for row in sort_rows(rows, f"-{column}")]
    assert down == [*sorted(known, reverse=True), *[None] * (len(values) - len(known))]


def test_a_click_on_a_head_sorts_the_table() -> None:
    page = Engines(choose_program("bullet"))
    shown = page.page()
    press(shown, "order", "energy")
    assert "class='energy' aria-sort='ascending'" in page._table.html
    assert find_cells(page._table.html)[1][0].startswith("Godot Physics")
    press(shown, "order", "-energy")
    assert "class='energy' aria-sort='descending'" in page._table.html
    assert find_cells(page._table.html)[1][1] == "blows up"


def test_a_link_holds_the_order_of_the_table() -> None:
    page = Engines(choose_program("bullet"), order="-energy")
    shown = page.page()
    assert "class='energy' aria-sort='descending'" in page._table.html
    assert "sort=-energy" in page.make_link(page.question.choice)
    press(shown, "order", "cost")
    press(shown, "engine", "ode")
    words = dict(parse_qsl(page.make_link(page.question.choice).removeprefix("?")))
    assert (words["engine"], words["sort"]) == ("ode", "cost")
    assert read_order("-motion") == ("-motion", []) and read_order("") == ("", [])
    assert read_order("moon") == ("", ["sort: the table has no column 'moon'."])


def test_the_table_follows_the_body_of_the_page() -> None:
    page = Engines(choose_program("bullet"))
    page.form.enter("duration", "10")
    (bullet,) = (one for one in find_cells(page._table.html) if one[0].startswith("Bullet"))
    assert page.outcome is not None
    assert bullet[1] == find_cells(page._verdict.html)[1][1]
    assert math.isclose(page.outcome.rule.run.t[-1], 10.0)


def test_a_comparison_that_is_stopped_has_fewer_rows() -> None:
    cancel = engine.Cancellation()
    setting = choose_program("bullet").with_entry("duration", "7").choice

    def stop(done: int, _: int) -> None:
        if done == 2:
            cancel.set()

    assert len(find_rows(setting, cancel, stop)) == 2
