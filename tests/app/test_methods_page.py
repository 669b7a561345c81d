"""The page Methods: its table shows what is declared and recorded; the meaning of its links."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlencode

import pytest
from page_driver import press, send_message, visible_text
from timeouts import TIMEOUT

import engine
from app.pages.methods_page import Methods, card_html
from app.pages.routes import open_page
from app.state.pages import method_table
from app.state.pages.method_table import (
    COLUMNS,
    LONGEST,
    MARKS,
    MOST_COMPARED,
    SHORT,
    TableState,
    list_rows,
    read_query,
)
from app.views.dialogs.notice import Notice
from app.views.tables.method_card import list_properties
from engine.algorithms import FixedStep
from engine.algorithms.core.method import QUANTITIES
from engine.studies.core import stored as records
from engine.studies.core.stored import stored_properties, stored_speeds
from engine.text.formatting import format_powers

ROOT = Path(__file__).resolve().parents[2]
METHODS = engine.algorithms()
ROWS = {row.key: row for row in list_rows()}


def recorded_words(key: str, name: str, on: str) -> str:
    """Return what is recorded, in the recording's words; an empty text without a record."""
    return next((line[3] for line in stored_properties()[key] if line[:2] == [name, on]), "")


@pytest.mark.parametrize("space", ["so3", "se3"])
def test_a_card_says_when_a_method_keeps_what(space: str) -> None:
    """A rotation is one in every motion; the others are kept where the motion conserves them."""
    for method in engine.algorithms(space):
        words = dict(list_properties(method))["Keeps to roundoff"]
        kept = words.split("; ")
        assert ("‖RᵀR − 1‖, in every motion" in kept) == (
            space == "so3" and method.conserves.get("orthogonality") == "always"
        )
        assert all("whenever" not in one for one in kept if "RᵀR" in one)


def test_there_is_a_row_for_every_method_with_a_cell_for_every_column() -> None:
    assert list(ROWS) == [method.key for method in METHODS]
    for row in ROWS.values():
        assert set(row.cells) == {column.key for column in COLUMNS}, row.key


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.key)
def test_a_row_says_what_is_declared(method: engine.Method) -> None:
    row = ROWS[method.key]
    assert (row.name, row.family, row.aliases) == (method.name, method.family, method.aliases)
    assert row.cells["order"].text == method.order_in_words
    assert row.order == (None if method.order is None else min(method.order))
    assert row.cells["step"].text == ("implicit" if method.implicit else "explicit")
    for quantity in ("energy", "pi", "casimir", "pi_e3", "pi_chi", "orthogonality"):
        cell = row.cells[quantity]
        declared = method.conserves.get(quantity)
        assert (cell.mark != "lost") == (declared is not None), quantity
        assert cell.more in ("", SHORT.get(declared or "", "")), QUANTITIES[quantity]
    assert (row.cells["energy"].more == "free") == (method.conserves.get("energy") == "free")
    assert (
        (row.cells["symplectic"].mark != "lost") == method.symplectic == ("symplectic" in row.has)
    )
    assert (
        (row.cells["reversible"].mark != "lost")
        == bool(method.reversible)
        == ("reversible" in row.has)
    )
    assert ("energy" in row.has) == (method.conserves.get("energy") in ("free", "tops", "always"))
    assert ("tops-energy" in row.has) == (
        method.key in ("AKW", "IMR-MATRIX", "DISCRETE-GRADIENT", "EXACT")
    )
    assert ("torque" in row.has) == (method.key not in ("BUSS5", "BUSS6"))


EXACT_WHEN_FREE = {"KEK"}
"""Methods whose errors on a free body are roundoff, so that they have no error constant."""


@pytest.mark.parametrize(
    "method", [m for m in METHODS if m.key in stored_properties()], ids=lambda method: method.key
)
def test_a_row_says_what_is_recorded(method: engine.Method) -> None:
    cells = ROWS[method.key].cells
    for part in ("attitude", "momentum"):
        report = recorded_words(method.key, f"error constant of the {part}", "free")
        assert (
            (cells[part].sort is None)
            == (not report)
            == (not isinstance(method, FixedStep) or method.key in EXACT_WHEN_FREE)
        )
        if report:
            assert cells[part].sort == float(report.split()[0])
            assert any(format_powers(report) in words for words in cells[part].words)
    assert cells["ns"].sort == stored_speeds()["methods"].get(method.key, {}).get("free")
    measured = recorded_words(method.key, "torque evaluations a step", "slow-top")
    if method.torque_evaluations is not None:
        assert cells["torques"].text == str(method.torque_evaluations)
    elif isinstance(method, FixedStep):
        assert cells["torques"].text == measured
    for quantity, problem in (
        ("energy", "free"),
        ("pi", "free"),
        ("pi_e3", "tops"),
        ("pi_chi", "symmetric tops"),
    ):
        report = recorded_words(method.key, f"conservation of {quantity}", problem)
        if report:
            assert f"{problem}: {format_powers(report)}" in cells[quantity].words
        else:
            assert cells[quantity].mark != "kept"
    for cell in cells.values():
        assert not cell.mark or cell.text == MARKS[cell.mark][0]


def test_kept_means_declared_and_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {
        ROWS["DMV"].cells[name].mark for name in ("energy", "pi", "symplectic", "reversible")
    } == {"kept"}
    assert {ROWS["EXACT"].cells[name].mark for name in ("energy", "pi", "symplectic")} == {
        "declared"
    }
    assert {ROWS["RK4-MATRIX"].cells[name].mark for name in ("energy", "pi", "symplectic")} == {
        "lost"
    }
    wrong = [list(line) for line in stored_properties()["NMB"]]
    next(line for line in wrong if line[0] == "conservation of energy")[4] = (
        "NMB keeps energy after all."
    )
    monkeypatch.setattr(
        method_table, "stored_properties", lambda: {**records.stored_properties(), "NMB": wrong}
    )
    cell = method_table.build_row(engine.algorithm("NMB")).cells["energy"]
    assert (cell.text, cell.mark) == ("✗", "wrong")
    assert "NMB keeps energy after all." in cell.words


def test_what_is_kept_everywhere_is_sorted_before_what_has_a_condition() -> None:
    ranks = [ROWS[key].cells["energy"].sort for key in ("EXACT", "AKW", "DMV", "SVQ-TLN", "NMB")]
    assert ranks == sorted(ranks) and len(set(ranks)) == 5


def test_a_link_says_what_is_shown() -> None:
    query = {
        "search": "mid", "family": "Midpoint", "order": "2", "step": "implicit", "with": "reversible,energy",
        "sort": "-ns", "open": "AKW", "compare": "AKW,DMV",
    }  # fmt: skip
    shown, notices = read_query(query)
    assert notices == []
    assert shown == TableState(
        "mid", "Midpoint", "2", "implicit", ("energy", "reversible"), "-ns", "AKW", ("AKW", "DMV")
    )
    assert json.loads(method_table.as_json(shown))["shown"]["compare"] == ["AKW", "DMV"]
    assert read_query({}) == (TableState(), [])


def test_a_link_may_name_aliases_and_each_method_once() -> None:
    shown, notices = read_query({"open": "lp2", "compare": "rattle,DMV,,lp2"})
    assert (shown.open, shown.compare, notices) == ("MR2", ("DMV", "MR2"), [])


def test_nonsense_in_a_link_is_told() -> None:
    query = {
        "family": "<b>",
        "order": "-1",
        "step": "sideways",
        "with": "pi,wings",
        "sort": "__class__",
    }
    shown, notices = read_query(query | {"open": "no\x00ne", "compare": "NMB,<script>,LGVI,AKW"})
    assert shown == TableState(having=("pi",), compare=("NMB", "AKW"))
    report = " ".join(notices)
    assert all(f"{word}:" in report for word in (*query, "open", "compare"))


def test_a_link_is_bounded() -> None:
    everything = ",".join(method.key for method in METHODS)
    shown, notices = read_query(
        {"search": "x" * 10_000, "compare": everything, "family": "y" * 10_000}
    )
    assert len(shown.search) == LONGEST
    assert len(shown.compare) == MOST_COMPARED
    assert len(" ".join(notices)) < 300


class Text(HTMLParser):
    """The text of a piece of HTML, and the targets of its links."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text = ""
        self.links = []
        self.feed(html)

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value for name, value in attrs if name == "href"]


def test_a_card_opens_and_closes() -> None:
    methods = Methods({})
    assert not methods.side.visible
    methods.table.opened = "DMV"
    assert methods.side.visible
    card = Text(methods.card.html)
    assert "Discrete Moser–Veselov" in card.text
    assert card.links == ["?problem=free&methods=DMV"]
    assert Text(card_html("RESTORED", False)).links == [
        "?problem=free&methods=RESTORED",
        "?page=engines&methods=RESTORED",
    ]
    assert methods.card.texts["bibtex"].strip() == engine.cite("DMV").strip()
    send_message(methods.card, {"ask": "language", "value": "javascript"})
    assert methods.card.texts["program"] == engine.program("DMV", "javascript")
    press(methods.page(), "close")
    assert not methods.side.visible and methods.table.opened == ""
    methods.table.opened = "<b>nobody</b>"
    assert not methods.side.visible and methods.card.html == ""


def test_a_link_opens_the_page_with_a_card_and_tells_what_it_does_not_know() -> None:
    shown, title = open_page(f"?{urlencode({'page': 'methods', 'open': 'NMB', 'compare': '<i>'})}")
    assert title == "Methods · Polhode" and "Explicit Newmark" in visible_text(shown)
    (notice,) = shown.select(Notice)
    assert "<i>" not in notice.html
    assert "there is no method" in notice.html and "<i>" in visible_text(notice)


LIGHT = """
import sys
from engine.kernels import build

def refused(*_):
    raise AssertionError("the page requested a kernel")

build.compiled = build.plain = build.object_code = refused
from app.pages.routes import open_page
open_page("?page=methods&open=MR2&compare=NMB,AKW")
heavy = {"llvmlite", "pyvista", "vtk", "holoviews", "app.pages.lab", "app.views.pictures.body_scene"}
heavy &= set(sys.modules)
assert not heavy, heavy
"""


@pytest.mark.exhaustive
def test_the_page_needs_no_meshes_and_computes_nothing() -> None:
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    subprocess.run(
        [sys.executable, "-c", LIGHT],
        env=os.environ | {"PYTHONPATH": path},
        check=True,
        timeout=TIMEOUT,
    )
