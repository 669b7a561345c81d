"""The printed page: its contents, and what a browser cannot insert into it."""

from __future__ import annotations

import html
import re

import pytest
from covering import first
from page_driver import send_message, visible_parts

from app.pages.lab import open_lab
from app.state.choice import Choice
from app.views.controls.handle import Handle
from app.views.dialogs import print_page

pytest.importorskip("segno", reason="segno is not installed here: pip install segno")
AT = "https://lab.example.org/polhode"


def print_html(lab, at=AT):
    answers = []
    lab.explorer.api._send = answers.append
    send_message(lab.explorer.api, {"print": at})
    (answer,) = answers
    return answer["paper"]


def test_a_page_has_the_setting_the_plots_the_table_and_the_link():
    lab = open_lab(Choice("slow-top", ("NMB", "DMV"), 0.01, 5.0).with_changes(Mgl=15.0))
    page = print_html(lab)
    for words in (
        "<h1>Slow top</h1>",
        "Explicit Newmark (NMB), Moser–Veselov (DMV)",
        "<dd>0.01</dd>",
        "<dd>15</dd>",
        lab.ledger.conclusion,
        "max <br>",
    ):
        assert words in html.unescape(page)
    assert page.count("<div><svg") == 4 and "segno" in page, "four plots and the code"
    assert (
        f"{AT}?problem=slow-top&amp;methods=NMB,DMV&amp;dt=0.01&amp;duration=5&amp;Mgl=15" in page
    )
    assert "<button" not in page and not re.search(r"\son\w+=", page)
    lab.plots.group = "Motion"
    assert "plots=Motion" in print_html(lab) and "Angular velocity" in print_html(lab)
    lab.hide(("plots", "table"))
    page = print_html(lab)
    assert (
        "<div><svg" not in page
        and "segno" in page
        and lab.ledger.conclusion not in page
        and "<table" not in page
    )


@pytest.mark.parametrize("message", first([{"print": 5}, {}, ["print"], "print"]))
def test_what_asks_for_no_page_has_no_answer(message):
    lab = open_lab()
    answers = []
    lab.explorer.api._send = answers.append
    send_message(lab.explorer.api, message)
    assert not answers


def test_numbers_are_written_as_elsewhere_on_the_page_and_in_fields_as_people_type_them():
    lab = open_lab(Choice("free", ("NMB",), 1 / 60, 5.0).with_changes(Omega0=(1e-6, 3.0, 0.5)))
    assert [lab.chooser.form.values[name] for name in ("dt", "Omega0")] == ["1/60", "1e-06, 3, 0.5"]
    page = print_html(lab)
    assert "<dd>1/60</dd>" in page and "<dd>10⁻⁶, 3, 0.5</dd>" in page
    assert "e-0" not in page.partition("<footer>")[0], "which the link alone may have"
    lab.stage.switches.chosen = ["From above"]
    (start,) = (part for part in visible_parts(lab.main()) if isinstance(part, Handle))
    assert start.words == "Ω₀ = (10⁻⁶, 3, 0.5)"


def test_what_is_no_address_is_not_written():
    assert print_page.clean_address(AT) == AT
    lab = open_lab()
    for at in ("javascript:alert(1)", "https://x/?a=b", "a" * 301, "http://x/\n", "<b>"):
        assert print_page.clean_address(at) == "" and "<p>?problem=free" in print_html(lab, at)


@pytest.mark.exhaustive
def test_a_link_to_this_computer_says_so():
    words = "This link works on this computer only."
    for at in ("http://localhost:5006/", "http://127.0.0.1:5006/", "http://[::1]:5006/"):
        assert words in print_html(open_lab(), at)
    assert words not in print_html(open_lab(), "https://lab.example.org/")


def test_a_link_that_is_too_long_has_no_code():
    assert print_page.draw_qr_code("x" * 2900) and print_page.draw_qr_code("x" * 3000) == ""
