"""Excerpts: parts, fields and a caption that a link selects, in the same words for pages and
demos.
"""

from __future__ import annotations

import json
import re
from urllib.parse import parse_qsl

import pytest
from covering import first, some
from page_driver import visible_html

import app
from app.browser.addresses import read_query
from app.pages.lab import LabPage, open_lab
from app.state import excerpt
from app.state.choice import FIRST
from app.state.excerpt import PARTS, WHOLE, Excerpt
from app.state.links import link
from app.views.controls.chooser import Chooser
from app.views.controls.form import Form
from app.views.plots.plot_canvas import PlotCanvas
from app.views.tables.ledger_table import LedgerTable

SPACES = list(FIRST)


def page_of(words: str, space: str = "so3") -> LabPage:
    """The page that a link opens."""
    choice, shown, notices = read_query(dict(parse_qsl(words)), space)
    return open_lab(choice, notices, shown)


def test_a_link_without_words_shows_the_whole_page():
    choice, shown, notices = read_query({"problem": "free"})
    assert (shown, notices) == (WHOLE, []) and not shown.alone and shown.plays
    assert link(choice, shown) == link(choice)


@pytest.mark.parametrize(
    "words",
    [
        "show=energy",
        "show=poinsot,energy&controls=dt,Mgl&caption=Watch the energy&play=no",
        "controls=none",
        "caption=A <b>top</b>&play=yes",
    ],
)
def test_words_are_read_as_they_are_written(words):
    query = {"problem": "slow-top"} | dict(parse_qsl(words))
    choice, shown, notices = read_query(query)
    assert notices == [] and shown.query() == dict(parse_qsl(words))
    again = dict(parse_qsl(link(choice, shown).removeprefix("?")))
    assert read_query(again) == (choice, shown, [])


@pytest.mark.parametrize(
    ("words", "said", "left"),
    [
        (
            "show=moon,energy",
            "show: there is no moon here; there are poinsot, body",
            Excerpt(("energy",)),
        ),
        ("show=about", "show: there is no about here", WHOLE),
        (
            "controls=<b>x</b>",
            "controls: there is no <b>x</b> here; there are problem, methods, dt",
            WHOLE,
        ),
        ("controls=Mgl,dt", "controls: there is no Mgl here", Excerpt(controls=("dt",))),
        ("play=perhaps", "play is yes or no; got 'perhaps'", WHOLE),
        (f"caption={'a' * 1000}", "", Excerpt(caption="a" * excerpt.LONGEST_CAPTION)),
    ],
)
def test_what_is_not_there_gets_a_sentence(words, said, left):
    _, shown, notices = read_query({"problem": "free"} | dict(parse_qsl(words)))
    assert shown == left
    assert (said in notices[0] and len(notices) == 1) if said else not notices


def parts_of(lab: LabPage) -> list[str]:
    """Return the titles of the visible plots."""
    assert lab.main().select(PlotCanvas) == [lab.plots.canvas]
    return [plot.title for plot in lab.plots.plots]


def test_only_these_parts_are_there():
    lab = page_of(
        "problem=free&methods=NMB&duration=5&show=attitude,energy&controls=dt&caption=<b>Look</b>"
    )
    main = lab.main()
    assert parts_of(lab) == ["Energy error", "Attitude error"]
    assert not main.select(LedgerTable) and not lab.stage
    assert [field["name"] for form in main.select(Form) for field in form.fields] == ["dt"]
    assert "&lt;b&gt;Look" in visible_html(main)
    lab.chooser.form.enter("dt", "0.25")
    assert "&caption=" in lab.explorer.api.address or lab.explorer.api.address == ""
    assert lab.explorer.results.choice.dt == 0.25


@pytest.mark.parametrize("space", SPACES)
def test_each_part_can_be_had_alone(space):
    for part in some(part for part in PARTS[space] if part.page):
        lab = page_of(f"duration=1&controls=none&show={part.word}", space)
        seen = [
            len(lab.stage.switches.sets[0][2]),
            len(lab.main().select(PlotCanvas)),
            lab.ledger.panel in list(lab.main().select()),
        ]
        picture = not part.plot and part.word not in ("ledger", "card")
        assert seen == [picture, part.plot, part.word == "ledger"], part
        assert (lab.card.panel in list(lab.main().select())) == (part.word == "card")
        assert not lab.main().select(Form)


def test_a_plot_is_there_where_the_motion_keeps_it():
    free, top = (
        page_of(f"problem={name}&duration=1&show=casimir,pi_e3") for name in ("free", "slow-top")
    )
    assert parts_of(free) == ["Casimir"] and parts_of(top) == ["Momentum about the vertical"]


@pytest.mark.parametrize(
    "words", ["show=poinsot", "show=poinsot&play=no", "play=yes", "", "show=energy"]
)
def test_an_excerpt_plays_if_it_is_not_told_otherwise(words):
    lab = page_of(f"duration=1&{words}")
    assert [panel.look[-1] for panel in lab.stage.panel] == {
        "show=poinsot": [True], "show=poinsot&play=no": [False], "play=yes": [True], "": [True], "show=energy": []
    }[words]  # fmt: skip


def test_every_field_can_be_asked_for_alone():
    choice = read_query({"problem": "slow-top"})[0]
    for name in excerpt.list_fields(choice):
        panel = Chooser(choice, lambda *_: None, excerpt=Excerpt(controls=(name,))).panel
        asked = [field["name"] for form in panel.select(Form) for field in form.fields]
        assert asked == ([] if name in ("problem", "methods") else [name])


@pytest.mark.parametrize(
    ("problem", "methods", "space"),
    first([("free", ["NMB"], "so3"), ("dumbbells", ["LGVI"], "se3")]),
)
def test_a_demo_knows_the_same_words(problem, methods, space):
    html = app.demo(problem, methods, duration=1).html
    report = json.loads(re.search(r'id="data">(.*?)</script>', html, re.S)[1])
    assert report["words"] == list(excerpt.WORDS) and report["longest"] == excerpt.LONGEST_CAPTION
    plots = {part.word for part in PARTS[space] if part.demo and part.plot}
    names = {one["part"] for one in [*report["invariants"], report["error"], *report["motions"]]}
    assert {one["part"] for one in report["motions"]} == (
        {"orbit", "rotation"} if space == "se3" else {"motion", "steps"}
    )
    if space == "so3":
        assert names == plots - {"pi_chi"}  # which only a body with an axis has
    else:
        assert names == plots
    assert {word for word, _ in report["parts"]} == {
        part.word for part in PARTS[space] if part.demo
    }
