"""The papers' figures in the browser: opened by mouse, keyboard and link, computed while the page
responds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from test_appearance import CONTROLS, SIZES, needs_axe, switch_theme, violations

from app.state.pages.paper_gallery import find_choice
from engine import papers

expect = pytest.importorskip("playwright.sync_api").expect

QUICK = "krysl-endres-figure-4"
TABLE = "buss-figure-5"
LONG = "buss-long-run"
KEYS = [figure.key for figure in papers.figures()]
AFTER = KEYS[KEYS.index(LONG) + 1]


@pytest.fixture
def gallery(lab: Any) -> Iterator[Any]:
    """The gallery without an open figure."""
    lab.load(f"{lab.server}?page=papers")
    yield lab
    lab.forget()


def card(lab: Any, key: str) -> Any:
    return lab.page.locator(f"a.item[data-open='{key}']")


def wait(lab: Any, key: str, state: str = "computed") -> dict[str, Any]:
    """Wait until the page reports this state of a figure."""
    lab.page.wait_for_function(
        "([key, state]) => window.polhode?.choice.open === key && window.polhode.choice.state === state",
        arg=[key, state],
    )
    report: dict[str, Any] = lab.state["choice"]
    return report


def test_the_numbers_of_others_are_compared_and_fit_the_window(gallery: Any) -> None:
    page = gallery.page
    page.get_by_role("link", name="Others' numbers").click()
    wait(gallery, "others", "compared")
    expect(page.get_by_role("heading", name="Others' numbers", level=1)).to_be_focused()
    for one in papers.comparisons():
        expect(page.get_by_role("heading", name=one.title, exact=True)).to_be_visible()
    assert page.url.endswith("?page=papers&open=others")
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function("() => document.documentElement.scrollWidth === 390")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.go_back()
    expect(page.get_by_role("link", name="Others' numbers")).to_be_focused()


def test_a_card_is_opened_by_a_click_and_back_leads_to_the_gallery(gallery: Any) -> None:
    page = gallery.page
    card(gallery, QUICK).click()
    report = wait(gallery, QUICK)
    figure = papers.find_figure(QUICK)
    assert report["curves"] == figure.count
    expect(page.get_by_role("heading", name=figure.title, level=1)).to_be_focused()
    expect(page.get_by_text("Computed in ")).to_be_visible()
    expect(page.locator("canvas").first).to_be_visible()
    assert page.url.endswith(f"?page=papers&open={QUICK}")
    gallery.settled()
    gallery.screenshot("papers-figure-light")
    page.go_back()
    expect(card(gallery, QUICK)).to_be_focused()
    assert page.url.endswith("?page=papers")
    page.go_forward()
    wait(gallery, QUICK)


@pytest.mark.exhaustive
def test_a_card_is_opened_by_the_keyboard(gallery: Any) -> None:
    page = gallery.page
    page.get_by_role("searchbox", name="Search the figures").focus()
    for _ in range(12):
        page.keyboard.press("Tab")
        if "Figure 4" in gallery.focused():
            break
    page.keyboard.press("Enter")
    wait(gallery, "buss-figure-4")
    page.keyboard.press("Shift+Tab")
    page.get_by_role("link", name="All figures").press("Enter")
    expect(card(gallery, "buss-figure-4")).to_be_focused()


@pytest.mark.exhaustive
def test_a_link_opens_a_figure_and_leads_on_to_the_lab(lab: Any) -> None:
    lab.load(f"{lab.server}?page=papers&open={TABLE}")
    wait(lab, TABLE)
    expect(lab.page.get_by_role("table").first).to_contain_text("BUSS2-AUG")
    lab.page.get_by_role("link", name="Open in the lab").click()
    lab.page.wait_for_function("() => window.polhode?.choice.problem")
    choice = find_choice(papers.find_figure(TABLE).setting)
    report = lab.state["choice"]
    assert (report["problem"], tuple(report["methods"])) == (choice.problem, choice.methods)
    assert (report["dt"], report["duration"]) == pytest.approx((choice.dt, choice.duration))
    lab.forget()


@pytest.mark.exhaustive
def test_a_long_figure_is_stopped_while_the_page_goes_on(gallery: Any) -> None:
    page = gallery.page
    card(gallery, LONG).click()
    stop = page.get_by_role("button", name="Stop", exact=True)
    stop.click()
    report = wait(gallery, LONG, "stopped")
    expect(page.get_by_text("Stopped after")).to_be_visible()
    expect(stop).to_be_hidden()
    figure = papers.find_figure(LONG)
    assert report["curves"] + report["cells"] < figure.count
    page.get_by_role("button", name="Compute again").click()
    stop.wait_for()
    page.get_by_role("link", name=re.compile("→$")).click()  # and the newest wins
    wait(gallery, AFTER)


def test_a_claim_is_measured_again(gallery: Any) -> None:
    card(gallery, QUICK).click()
    wait(gallery, QUICK)
    gallery.page.get_by_role("button", name="Measure the claim again").click()
    report = wait(gallery, QUICK, "measured")
    assert report["measured"] == {QUICK: "reproduced"}
    expect(gallery.page.get_by_text("measured now, in")).to_be_visible()


def test_cards_are_filtered_and_searched(gallery: Any) -> None:
    page = gallery.page
    cards = page.locator("li[data-text]:visible")
    message = page.locator("[data-message]")
    everything = len(papers.figures())
    expect(cards).to_have_count(everything)
    gallery.choose("Verdict", "Refuted")
    refuted = {m.claim.key for m in papers.load_verdicts().measured if m.verdict == "refuted"}
    expect(cards).to_have_count(
        sum(bool(refuted & set(figure.claims)) for figure in papers.figures())
    )
    gallery.choose("Verdict", "All")
    page.get_by_label("Source").select_option("Buss 2000")
    expect(cards).to_have_count(sum(figure.source == "Buss2000" for figure in papers.figures()))
    page.get_by_label("Source").select_option("All papers")
    page.get_by_role("searchbox").fill("wall soft")
    expect(cards).to_have_count(1)
    expect(message).to_have_text(f"1 of {everything} figures and tables")
    page.get_by_role("searchbox").fill("kitchen")
    expect(message).to_have_text("No figure or table matches.")


def test_data_and_pictures_are_taken_along(gallery: Any) -> None:
    card(gallery, TABLE).click()
    wait(gallery, TABLE)
    gallery.settled()
    saved = {
        name: gallery.download(gallery.button(name).click)
        for name in ("Data (CSV)", "Table (CSV)", "SVG", "PNG")
    }
    assert saved["Data (CSV)"].read_text().startswith("plot,curve,x,y,paper")
    assert len(saved["Table (CSV)"].read_text().splitlines()) == 1 + 28
    drawing = saved["SVG"].read_text()
    assert (
        drawing.startswith("<svg")
        and "BUSS2-AUG" in drawing
        and papers.find_figure(TABLE).title in drawing
    )
    assert saved["PNG"].read_bytes().startswith(b"\x89PNG")
    text = gallery.clipboard(gallery.button("Copy Python").click)
    assert f"find_figure('{TABLE}')" in text


@pytest.mark.exhaustive
def test_nonsense_opens_the_gallery_and_says_so(lab: Any) -> None:
    lab.load(f"{lab.server}?page=papers&open=<img src=x onerror=alert(1)>")
    expect(lab.page.get_by_role("alert")).to_contain_text("no figure")
    expect(card(lab, QUICK)).to_be_visible()
    lab.forget()


@pytest.mark.exhaustive
@needs_axe
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_projector_laptop_and_phone_and_axe_finds_nothing_serious(
    gallery: Any, theme: str
) -> None:
    page = gallery.page
    try:
        if theme == "dark":
            switch_theme(gallery)
        assert violations(gallery) == []
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            check(gallery, f"papers-{width}x{height}-{theme}")
        page.set_viewport_size({"width": 1440, "height": 900})
        card(gallery, TABLE).click()
        wait(gallery, TABLE)
        assert violations(gallery) == []
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            check(gallery, f"papers-open-{width}x{height}-{theme}")
        page.set_viewport_size({"width": 1440, "height": 900})
        gallery.load(f"{gallery.server}?page=papers&open=others")
        wait(gallery, "others", "compared")
        assert violations(gallery) == []
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            check(gallery, f"papers-others-{width}x{height}-{theme}")
    finally:
        page.set_viewport_size({"width": 1440, "height": 900})
        page.context.clear_cookies()


def check(lab: Any, name: str) -> None:
    lab.settled()
    lab.page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")
    lab.screenshot(name)
    assert lab.page.evaluate(CONTROLS) == [], name
