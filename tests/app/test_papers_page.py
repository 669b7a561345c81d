"""The page Papers: the gallery is complete, links lead to figures, and each figure shows its
computed values.
"""

from __future__ import annotations

import asyncio
import html
import math
import re
import threading
import xml.etree.ElementTree as ET
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
from bokeh.models import CustomJSTickFormatter, HoverTool
from covering import first
from page_driver import press, send_message, visible_parts
from timeouts import TIMEOUT

import app
import engine
from app.charts.paper_figures import draw_picture, draw_plots
from app.charts.style import COLOURS, choose_looks
from app.charts.thumbnails import load_thumbnails
from app.pages.papers_page import UNKNOWN, Papers
from app.pages.routes import open_page
from app.state.links import link, read_query
from app.state.pages import paper_gallery
from app.state.pages.paper_gallery import OTHERS, Item, cite_paper, find_choice, write_snippet
from app.state.presets import PRESETS
from app.state.results import COLOURS as OF_LAB
from app.views.dialogs.notice import Notice
from app.views.tables import gallery_cards as cards
from app.views.tables.reproduction import claims_html, downloads_html, format_figure
from engine import papers
from engine.papers import Cell, Drawn
from engine.studies.core.stored import recorded_with
from engine.text.formatting import capitalise

QUICK = "krysl-endres-figure-4"
FIGURES = [figure.key for figure in papers.figures()]


@pytest.fixture(scope="module")
def shown() -> str:
    return cards.gallery_html(paper_gallery.list_items())


@pytest.mark.parametrize("key", FIGURES)
def test_each_figure_has_a_card_with_all_that_is_recorded(shown: str, key: str) -> None:
    figure = papers.find_figure(key)
    (card,) = [
        part for part in re.findall(r"<li .*?</li>", shown, re.S) if f'data-open="{key}"' in part
    ]
    text = html.unescape(re.sub(r"\s+", " ", card))
    for words in (capitalise(figure.where), figure.title, figure.see):
        assert " ".join(words.split()) in text
    drawn = re.findall(r'<path stroke=.*? d="(.*?)"', card)
    assert drawn == [path for _, path in load_thumbnails()[key]]
    recorded = {m.claim.key: m for m in papers.load_verdicts().measured}
    for claim in figure.claims:
        several = len(recorded[claim].claim.paper) > 1
        assert (
            f"{recorded[claim].holding} of {len(recorded[claim].claim.paper)} hold" in text
        ) == several
        assert f"title='{recorded[claim].claim.says}'" in text, "the badge says what it is of"
        if len(figure.claims) > 1:
            assert capitalise(recorded[claim].claim.where) in text
        assert f"</svg>{recorded[claim].verdict}</span>" in card
    assert f'data-head="{key}"' in shown
    assert cite_paper(figure.reference).full in html.unescape(shown)


def test_names_of_files_stay_as_they_are(shown: str) -> None:
    files = {claim.where for claim in papers.all() if "/" in claim.where}
    assert len(files) > 5 and all(where in html.unescape(shown) for where in files)


def test_the_summary_counts_every_claim_once(shown: str) -> None:
    counted = paper_gallery.count_verdicts(papers.load_verdicts().measured)
    assert sum(counted.values()) == len(papers.all())
    for verdict, n in counted.items():
        assert re.search(
            rf"<b>{n}</b><span class='badge {verdict}'><svg .*?</svg>{verdict}</span>", shown
        )
    assert recorded_with() in shown


def test_a_claim_without_a_figure_has_a_card_of_its_own() -> None:
    (measured,) = (m for m in papers.load_verdicts().measured if m.claim.key == "terze-scheme")
    item = Item(None, (measured,))
    text = cards.gallery_html([item])
    assert "1 of them without a figure" in text
    assert 'data-open="terze-scheme"' in text
    assert "Open in the lab" not in claims_html(item, {}, {})
    assert measured.claim.says in html.unescape(claims_html(item, {}, {}))


def test_every_claim_is_reached_by_its_key() -> None:
    for claim in papers.all():
        item = paper_gallery.find_item(claim.key)
        assert item is not None and claim.key in {m.claim.key for m in item.recorded} | {item.key}


@pytest.mark.exhaustive
def test_what_is_computed_is_what_is_drawn() -> None:
    page = Papers(QUICK)
    again = papers.find_figure(QUICK).curves()
    assert page.drawn is not None and page.item is not None
    assert [curve.name for curve in page.drawn.curves] == [curve.name for curve in again.curves]
    frames = [pane.object for pane in page.plots.objects]
    assert len(frames) == len(again.figure.axes)
    drawn = [
        r.data_source.data for r in frames[0].renderers if r.glyph.__class__.__name__ == "Line"
    ]
    for data, curve in zip(drawn, again.curves, strict=True):
        np.testing.assert_array_equal(data["x"], curve.x)
        np.testing.assert_allclose(data["y"], curve.y, rtol=1e-12)
    assert "Computed in" in page.status.html
    assert page.api.state["choice"] == {
        "open": QUICK, "state": "computed", "curves": len(again.curves), "cells": 0, "measured": {}
    }  # fmt: skip


def test_nothing_is_computed_for_the_gallery(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(papers.Figure, "curves", lambda *_: pytest.fail("computed"))
    assert Papers().drawn is None


@pytest.mark.exhaustive
def test_another_figure_takes_the_place_of_the_first_and_the_gallery_that_of_both() -> None:
    page = Papers(QUICK)
    page.gallery.opened = "buss-figure-5"
    assert page.drawn is not None and page.drawn.figure.key == "buss-figure-5"
    assert "<table>" in page.downloads.html and page.claims in visible_parts(page.page())
    page.gallery.opened = ""
    assert page.item is None and not page.plots.objects
    assert page.claims not in visible_parts(page.page())


def test_of_a_figure_that_was_left_while_it_was_computed_nothing_is_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    left = "buss-figure-5"
    curves = papers.Figure.curves
    begun = threading.Event()
    shown: list[str] = []

    def slow(figure: papers.Figure, along: Any, cancel: threading.Event) -> Drawn:
        if figure.key == left:
            begun.set()
            assert cancel.wait(TIMEOUT)
        return curves(figure, along, None)

    async def visit() -> Papers:
        page = Papers()
        page.downloads.param.watch(lambda event: shown.append(event.new), "html")
        page.open(left)
        assert await asyncio.to_thread(begun.wait, TIMEOUT)
        page.open(QUICK)
        while page.worker.busy:
            await asyncio.sleep(0.01)
        return page

    monkeypatch.setattr(papers.Figure, "curves", slow)
    page = asyncio.run(visit())
    assert page.drawn is not None and page.drawn.figure.key == QUICK
    assert shown == [page.downloads.html] != [""]


@pytest.fixture(scope="module")
def others() -> Papers:
    """The page with the numbers of others."""
    return Papers(OTHERS)


@pytest.mark.parametrize("key", [one.key for one in papers.comparisons()])
def test_each_number_of_others_stands_beside_the_lab_s_with_a_verdict(
    others: Papers, key: str
) -> None:
    text = html.unescape(
        re.search(rf'<section class=part id="{key}".*?</section>', others.others.html, re.S)[0]
    )
    one = papers.find_comparison(key)
    for words in (
        one.title,
        one.about,
        one.where,
        one.known,
        one.terms,
        cite_paper(one.reference).full,
    ):
        assert words in text
    for c in one.compare():
        (block,) = (
            part
            for part in text.split("<article")
            if f">{c.numbers.who} <" in part and c.numbers.what in part
        )
        assert (
            f"</svg>{c.verdict}</span>" in block
            and c.sentence in block
            and c.numbers.because in block
        )
        for at, *texts in c.format_rows():
            assert (
                f"<th scope=row>{at}</th>{''.join(f'<td>{cell}</td>' for cell in texts)}" in block
            )
    query = dict(parse_qsl(re.search(r'class=lab href="\?(.*?)"', text)[1]))
    choice, notices = read_query(query, "so3")
    assert notices == []
    for name in ("J", "Omega0", "R0"):
        np.testing.assert_allclose(
            getattr(choice.build_problem(), name), getattr(one.problem, name), rtol=1e-11
        )


def test_verdicts_on_others_are_counted(others: Papers) -> None:
    counts = re.findall(r"<b>(\d+)</b><span class='badge (\w+)'", others.others.html)
    verdicts = [c.verdict for one in papers.comparisons() for c in one.compare()]
    assert counts == [(str(verdicts.count(word)), word) for word in ("agrees", "differs", "wrong")]
    assert others.notices == [] and others.api.state["choice"]["open"] == OTHERS
    assert others.api.state["choice"]["state"] == "compared"


def test_the_gallery_leads_to_others_and_back(shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert f'data-open="{OTHERS}"' in shown and f'data-head="{OTHERS}"' in shown
    monkeypatch.setattr(papers.Comparison, "compare", lambda *_: ())
    page = Papers()
    assert page.others not in visible_parts(page.page())
    page.gallery.opened = OTHERS
    assert page.others in visible_parts(page.page()) and page.claims not in visible_parts(
        page.page()
    )
    page.gallery.opened = ""
    assert page.others not in visible_parts(page.page())


def test_an_error_of_a_comparison_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    page = Papers()
    task = []
    monkeypatch.setattr(page.worker, "start", task.append)
    page.open(OTHERS)
    task[0].on_error(ArithmeticError("<b>no</b>"))
    assert "&lt;b&gt;no" in page.others.html


TOO_LONG = "The link has more than 4000 characters and was not read."


@pytest.mark.parametrize(
    ("asked", "report"),
    [("kitchen", UNKNOWN), ("<img src=x onerror=alert(1)>", UNKNOWN), ("x" * 5000, TOO_LONG)],
)
def test_nonsense_is_told_kindly(asked: str, report: str) -> None:
    page = Papers(asked)
    assert page.item is None and page.gallery.opened == ""
    assert page.notices == [UNKNOWN]
    assert asked not in page.gallery.html
    shown, title = open_page(f"?page=papers&open={asked}")
    assert title == "Papers · Polhode"
    (notice,) = shown.select(Notice)
    assert report in html.unescape(notice.html)


def test_an_error_is_told_where_the_figure_would_be(monkeypatch: pytest.MonkeyPatch) -> None:
    page = Papers()
    page.open(QUICK)
    task = []
    monkeypatch.setattr(page.worker, "start", task.append)
    page.compute()
    task[0].on_error(ArithmeticError("<b>no</b>"))
    assert "The computation failed: &lt;b&gt;no" in page.status.html
    page.measure(QUICK)
    task[1].on_error(ArithmeticError("no"))
    assert "could not be measured: no" in page.claims.html


@pytest.mark.exhaustive
def test_a_claim_measured_again_stands_beside_what_was_recorded() -> None:
    page = Papers(QUICK)
    assert "measured now" not in page.claims.html
    press(page.page(), "measure", QUICK)
    assert page.measured[QUICK].verdict == "reproduced"
    assert "measured now" in page.claims.html and "as recorded" in page.claims.html
    send_message(page.claims, {"ask": "measure", "value": "no such claim"})
    assert list(page.measured) == [QUICK]
    for key in ("buss-figure-5", QUICK):
        page.gallery.opened = key
    assert "measured now" not in page.claims.html, "only the open figure shows it"


def test_a_figure_has_the_presets_with_its_setting() -> None:
    text = html.unescape(claims_html(paper_gallery.find_item("krysl-endres-figure-1"), {}, {}))
    presets = [preset for preset in PRESETS if preset.figure == "krysl-endres-figure-1"]
    assert len(presets) == 4
    for preset in presets:
        assert f"{preset.title}</a>: {preset.sentence}" in text
        assert link(preset.choice, view=preset.view) in text


def test_a_figure_of_two_bodies_leads_to_their_page() -> None:
    item = paper_gallery.find_item("lee-figure-3")
    assert item is not None
    text = claims_html(item, {}, {})
    assert "Open on Two bodies" in text and "?page=two-bodies&amp;problem=dumbbells" in text
    page = Papers("lee-figure-2")
    assert page.drawn is not None and len(page.plots.objects) == 4


@pytest.mark.parametrize("key", [figure.key for figure in papers.figures()])
def test_the_lab_is_opened_with_the_same_setting(key: str) -> None:
    item = paper_gallery.find_item(key)
    assert item is not None and item.figure is not None
    text = html.unescape(re.search(r'class=lab href="\?(.*?)"', claims_html(item, {}, {}))[1])
    setting = item.figure.setting
    query = dict(parse_qsl(text))
    spaces = {"two-bodies": "se3", "gyroscope": "rates"}
    choice, notices = read_query(query, spaces.get(query.pop("page", ""), "so3"))
    assert notices == []
    assert choice.query() == find_choice(setting).query()
    assert choice.steps == find_choice(setting).steps
    assert choice.dt == pytest.approx(setting.dt, rel=1e-11)
    assert len(choice.methods) == len(setting.methods)


@pytest.mark.parametrize("key", [figure.key for figure in papers.figures()])
def test_the_lab_has_the_methods_that_the_claims_compare(key: str) -> None:
    figure = papers.find_figure(key)
    says = " ".join(papers.find(claim).says for claim in figure.claims)
    space = engine.problem(figure.setting.problem).space
    keys = [m.key for m in engine.algorithms(space=space)]
    named = [name for name in keys if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", says)]
    assert set(named) <= {engine.algorithm(m, space=space).key for m in figure.methods}


def test_a_factor_is_described_as_orders_of_magnitude() -> None:
    item = paper_gallery.find_item("krysl-endres-figure-4")
    assert item is not None
    text = claims_html(item, {}, {})
    assert "<td>two orders of magnitude</td>" in text and "31.6" not in text
    assert "Δt = 1/256" in text


def test_the_snippet_gives_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    item = paper_gallery.find_item(QUICK)
    assert item is not None
    exec(compile(write_snippet(item), "snippet", "exec"), {})
    assert "reproduced" in capsys.readouterr().out


def test_methods_have_the_colours_of_the_lab_and_the_paper_those_of_its_method() -> None:
    drawn = papers.find_figure("buss-figure-5").curves()
    chosen = choose_looks(drawn.curves, drawn.figure.methods)
    for method, colour in zip(drawn.figure.setting.methods, OF_LAB, strict=True):
        assert chosen[method].colour == chosen[f"{method}, paper"].colour == colour
    measured = [chosen[curve.name] for curve in drawn.curves if not curve.paper]
    assert len(set(measured)) == len(measured)
    assert {style.colour for style in measured} <= set(COLOURS)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "key",
    first(["buss-figure-3", "buss-figure-5", "krysl-endres-figure-12", "krysl-endres-symmetry"]),
)
def test_the_axes_are_the_figure_s(key: str) -> None:
    drawn = papers.find_figure(key).curves()
    frames = draw_plots(drawn)
    assert len(frames) == len(drawn.figure.axes)
    for frame, axes in zip(frames, drawn.figure.axes, strict=True):
        assert ("Log" in type(frame.y_scale).__name__) == axes.y.log
        assert frame.yaxis[0].axis_label == axes.y.label
        if axes.x.ticks:
            assert list(frame.xaxis[0].major_label_overrides.values()) == list(axes.x.ticks)


@pytest.mark.parametrize(
    "key", first(["krysl-endres-figure-12", "buss-figure-5", "krysl-endres-symmetry"])
)
def test_a_picture_has_the_whole_figure_its_title_and_where_it_is_from(key: str) -> None:
    figure = papers.find_figure(key)
    drawing = ET.fromstring(draw_picture(figure.curves()))
    words = " ".join(text for text in drawing.itertext() if text.strip())
    assert (
        figure.title in words
        and cite_paper(figure.reference).short in words
        and figure.where in words
    )
    for axes in figure.axes:
        assert axes.x.label in words and all(place in words for place in axes.x.ticks)
    grounds = [
        x for x in drawing.iter("{http://www.w3.org/2000/svg}rect") if x.get("fill") == "#fff"
    ]
    assert sum(int(x.get("height", "")) for x in grounds) == int(drawing.get("height", ""))
    names = {curve.name for curve in figure.curves().curves if not curve.paper}
    assert all(name in words for name in names) and ("as the paper prints" in words) == (
        key == "buss-figure-5"
    )


def test_a_stopped_figure_without_a_curve_is_drawn_as_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = Papers(QUICK)
    assert page.plots.objects
    monkeypatch.setattr(
        papers.Figure, "curves", lambda self, *_: Drawn(self, (), (), 0.1, finished=False)
    )
    press(page.page(), "again")
    assert (
        page.plots.objects == []
        and "Stopped after 100 ms with no curves, of 5." in page.status.html
    )


def test_a_table_marks_what_does_not_hold_and_says_why() -> None:
    cells = (
        Cell("A", "h = 1", "2", 3.0, False, "a <slip>"),
        Cell("B", "h = 1", "> 4", math.inf, True),
    )
    shown = downloads_html(Drawn(papers.figures()[0], (), cells, 1.0))
    assert "✗ 3" in shown and "A, h = 1: a &lt;slip&gt;" in shown and "1 of 2 agree" in shown


def test_numbers_are_written_as_they_are_read() -> None:
    assert [format_figure(x) for x in (12345.0, 82.10526, "none", math.inf)] == [
        "12,345",
        "82.1053",
        "none",
        "∞",
    ]


@pytest.mark.exhaustive
def test_a_notebook_has_the_plots() -> None:
    (grid,) = app.paper_figure("krysl-endres-figure-12", columns=2)
    assert [pane.object.name for pane in grid] == ["free", "slow-top"]
    with pytest.raises(ValueError, match="figure"):
        app.paper_figure("kitchen")


def test_a_figure_writes_no_number_for_programs() -> None:
    """A million steps read 10⁶ on the axis and in the tooltip."""
    frame = draw_plots(papers.find_figure(QUICK).curves())[0]
    assert all(isinstance(axis.formatter, CustomJSTickFormatter) for axis in frame.axis)
    hovers = frame.select({"type": HoverTool})
    assert hovers and all(
        report.endswith("{custom}") for hover in hovers for _, report in hover.tooltips[1:]
    )
