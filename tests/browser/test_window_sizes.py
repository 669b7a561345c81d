"""Layout on a projector, a laptop, a phone and paper."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from covering import first

from app.browser import page_links

expect = pytest.importorskip("playwright.sync_api").expect

WIDTHS = (1440, 1024, 390)
LONG_NAMES = {"problem": "slow-top", "methods": "NMB,MR2(axes=231),AKW*kahan-li8", "duration": "2"}
LOST_PHASE = {
    "problem": "kovalevskaya-top",
    "methods": "NMB,AKW,RK4-QUAT,LINEAR-EULER",
    "dt": "0.05",
    "duration": "100",
}
PAGES = [LONG_NAMES, {"page": "two-bodies", "duration": "2"}, LOST_PHASE]

CUT = """() => {
    const cut = [];
    const visit = root => {
        for (const e of root.querySelectorAll("*")) {
            if (e.shadowRoot) visit(e.shadowRoot);
            if (!e.matches(".plot-head")) continue;
            const ends = Math.min(e.getBoundingClientRect().right, document.documentElement.clientWidth);
            for (const b of e.querySelectorAll(".take button:not([hidden])"))
                if (b.getBoundingClientRect().right > ends) cut.push(b.getAttribute("aria-label"));
            const title = e.querySelector("h3");
            if (title.scrollWidth > title.clientWidth) cut.push(title.textContent);
        }
    };
    visit(document);
    return cut;
}"""
"""Return truncated titles of plots, and download buttons outside their plot's head."""


@pytest.fixture
def resized(lab: Any) -> Iterator[Any]:
    yield lab
    lab.page.emulate_media(media="screen")
    lab.page.set_viewport_size({"width": 1440, "height": 900})
    lab.forget()


@pytest.mark.exhaustive
@pytest.mark.parametrize("query", first(PAGES))
def test_heads_of_plots_and_the_ledger_are_whole(resized: Any, query: dict[str, str]) -> None:
    page = resized.page
    resized.open(**query)
    ledger = page.get_by_role("region", name="Ledger")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(
            f"() => !({CUT})().length"
        )  # as soon as it is laid out for this width
        room, wide = ledger.evaluate("e => [e.clientWidth, e.scrollWidth]")
        assert wide <= room, f"the ledger is cut at {width}"


def test_each_page_is_in_the_bar_in_any_window(resized: Any) -> None:
    page = resized.page
    resized.open(**LONG_NAMES)
    links = page.get_by_role("navigation", name="Pages").get_by_role("link")
    expect(links).to_have_count(len(page_links.PAGES))
    for width in (*WIDTHS, 800):
        page.set_viewport_size({"width": width, "height": 844})
        for link in links.all():
            expect(link).to_be_in_viewport(ratio=1)


def test_the_picture_has_more_than_half_of_any_window(resized: Any) -> None:
    page = resized.page
    resized.open(**LONG_NAMES)
    picture = page.get_by_role("application")
    sidebar = resized.button("Toggle sidebar")
    for width, is_open in ((600, False), (768, False), (899, False), (900, True)):
        page.set_viewport_size({"width": width, "height": 900})
        expect(sidebar).to_have_attribute("aria-expanded", str(is_open).lower())
        resized.settled()
        assert picture.bounding_box()["width"] > 0.55 * width, width
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    page.set_viewport_size({"width": 768, "height": 900})
    sidebar.click()
    expect(resized.entry("Δt")).to_be_in_viewport()
    expect(picture).to_be_in_viewport()
    page.keyboard.press("Escape")
    expect(resized.entry("Δt")).to_be_hidden()


STRETCHED = """() => new Promise(done => {
    const {clock, plots} = globalThis[Symbol.for("polhode.page")];
    const canvases = [...[...clock.players].map(({canvas}) => canvas), ...[...plots].map(({canvas}) => canvas)];
    const before = canvases.map(({clientWidth}) => clientWidth);
    // Observers are called in the order in which they were made, before the browser paints.
    const seen = new ResizeObserver(() => {
        if (canvases.some(({clientWidth}, i) => clientWidth === before[i])) return;
        seen.disconnect();
        done(canvases.map(({width, height, clientWidth, clientHeight}) =>
            width / height / (clientWidth / clientHeight)));
        document.querySelector("main").style.paddingRight = "";
    });
    canvases.forEach(canvas => seen.observe(canvas));
    document.querySelector("main").style.paddingRight = "200px";
})"""
"""Narrow the views, and return by how much the browser stretches each picture in the next frame."""


def test_no_picture_is_stretched_in_a_frame_of_another_size(resized: Any) -> None:
    resized.open(**LONG_NAMES)
    stretched = resized.page.evaluate(STRETCHED)
    assert len(stretched) >= 3 and all(abs(part - 1) < 0.01 for part in stretched), stretched


def test_a_picture_fills_its_frame(resized: Any) -> None:
    """The frame is little higher than what is in it, also in 2D."""
    page = resized.page
    resized.open(**LONG_NAMES)
    methods = page.get_by_role("radio", name="Explicit Newmark")
    for picture, words in (
        ("Paths", "Left: "),
        ("From above", "Sphere: "),
        ("Body in space", "The curve is the latest path"),
    ):
        resized.choose("Picture", picture)
        caption = page.get_by_text(words)
        expect(caption).to_be_visible()
        resized.settled()
        box = caption.bounding_box()
        below = methods.last.locator("xpath=ancestor::label").bounding_box()
        assert 0 < below["y"] - box["y"] - box["height"] < 80, picture


@pytest.mark.exhaustive
def test_a_phone_has_the_name_and_tabs_side_by_side(resized: Any) -> None:
    page = resized.page
    page.set_viewport_size({"width": 390, "height": 844})
    resized.open(**LONG_NAMES)
    assert page.get_by_role("link", name="Polhode").bounding_box()["width"] > 40
    for tabs, count in {"Picture": 5, "Plots": 4}.items():
        labels = page.get_by_role("radiogroup", name=tabs).locator("label")
        expect(labels).to_have_count(count)
        tops = labels.evaluate_all("labels => labels.map(e => e.getBoundingClientRect().top)")
        assert len(set(tops)) == 1, tabs


def test_a_method_that_a_link_opens_is_in_view_on_a_phone(resized: Any) -> None:
    resized.page.set_viewport_size({"width": 390, "height": 844})
    page = resized.page
    resized.load(f"{resized.server}?page=methods&open=DMV")
    expect(page.get_by_role("heading", name="Discrete Moser–Veselov")).to_be_in_viewport()
    name = page.get_by_role("link", name="Polhode").bounding_box()
    boxes = [
        one.bounding_box()
        for one in page.get_by_role("navigation", name="Pages").get_by_role("link").all()
    ]
    assert name["width"] > 40
    assert all(box["y"] >= name["y"] + name["height"] and box["height"] < 30 for box in boxes), (
        "a line of their own"
    )
    assert all(b["x"] - a["x"] - a["width"] > 4 for a, b in pairwise(boxes)), (
        "with room between them"
    )


@pytest.mark.exhaustive
def test_paper_has_the_setting_the_plots_and_the_ledger_on_white(resized: Any) -> None:
    page = resized.page
    resized.open(**LONG_NAMES)
    page.emulate_media(media="print", color_scheme="dark")
    setting = page.get_by_role("heading", level=1).get_by_text(
        "Explicit Newmark, McLachlan–Reich, Implicit midpoint with Kahan–Li 8 · Δt = 0.01 · to t = 2"
    )
    expect(setting).to_be_visible()
    for seen in (
        page.get_by_role("img", name="Energy error"),
        page.get_by_role("region", name="Ledger"),
    ):
        expect(seen).to_be_visible()  # also below the window, after layout for paper
        within = "e => e.getBoundingClientRect().bottom <= document.documentElement.scrollHeight"
        page.wait_for_function(within, arg=seen.element_handle())
    for not_seen in (
        resized.entry("Δt"),
        resized.button("Energy error: save or change"),
        resized.button("Toggle theme"),
    ):
        expect(not_seen).to_be_hidden()
    ground = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    assert ground == "rgb(255, 255, 255)"


@pytest.mark.exhaustive
def test_a_picture_is_printed_as_it_is_seen(resized: Any) -> None:
    """Also from the browser's menu: paper shows a copy of the WebGL picture."""
    resized.open()
    pictures = resized.page.get_by_role("application").locator("xpath=..").locator("canvas")
    expect(pictures).to_have_count(1)
    resized.page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    inked = """copy => {
        const {data} = copy.getContext("2d").getImageData(0, 0, copy.width, copy.height);
        return data.filter((x, i) => i % 4 === 3 && x).length / data.length * 4;
    }"""
    assert pictures.nth(1).evaluate(inked) > 0.05
    resized.page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    expect(pictures).to_have_count(1)
