"""The page Methods in the browser: filters, sorting, the card, the comparison, the address, the
look.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from test_appearance import CONTROLS, PHONE, SIZES, needs_axe, switch_theme, violations

import engine

expect = pytest.importorskip("playwright.sync_api").expect

METHODS = engine.algorithms()


@pytest.fixture
def methods(lab: Any) -> Iterator[Any]:
    """The page without filters: a new page for each test, since the address follows with a
    delay.
    """
    lab.open(page="methods")
    yield lab
    lab.forget()


def go_to(lab: Any, **query: str) -> None:
    """Open the page by a link."""
    lab.load(f"{lab.server}?{urlencode({'page': 'methods'} | query)}")


def keys(lab: Any) -> list[str]:
    """Return the visible methods from the top, as soon as the table is there."""
    expect(count(lab)).to_be_visible()
    found: list[str] = lab.page.locator(".methods tbody tr:visible .who b").all_inner_texts()
    return found


def count(lab: Any) -> Any:
    return lab.page.locator(".count")


def name_of(lab: Any, key: str) -> Any:
    """The button that opens a method's card."""
    return lab.page.get_by_role("button", name=re.compile(rf"^{re.escape(key)}\s"))


def having(**properties: Any) -> list[str]:
    """The methods that declare this, in the catalogue's order."""
    return [
        m.key
        for m in METHODS
        if all(getattr(m, name) == value for name, value in properties.items())
    ]


def test_all_methods_are_there(methods: Any) -> None:
    assert keys(methods) == [method.key for method in METHODS]
    expect(count(methods)).to_have_text(f"{len(METHODS)} methods")


def test_typing_finds_by_key_alias_name_and_family(methods: Any) -> None:
    search = methods.page.get_by_role("searchbox", name="Search")
    for words, key in (("lp2", "MR2"), ("crouch-grossman third", "CG3"), ("koziara bicanic", "KB")):
        search.fill(words)
        assert keys(methods) == [key], words
    expect(count(methods)).to_have_text(f"1 of {len(METHODS)} methods")
    search.fill("taylor")
    assert set(keys(methods)) == {*having(family="Taylor"), "TAYLOR"}
    search.fill("no such thing")
    expect(methods.page.get_by_text("No method matches.")).to_be_visible()
    methods.button("Clear filters").click()
    assert len(keys(methods)) == len(METHODS)
    assert methods.focused() == "Search"


def test_filters_work_together(methods: Any) -> None:
    page = methods.page
    page.get_by_role("checkbox", name="symplectic").check()
    assert keys(methods) == having(symplectic=True)
    page.get_by_label("A step is").select_option("explicit")
    assert keys(methods) == [
        key for key in having(symplectic=True, implicit=False) if key != "EXACT"
    ] + ["EXACT"]
    page.get_by_label("Order at least").select_option("4")
    assert keys(methods) == ["MR4"]
    page.get_by_role("checkbox", name="keeps E on free bodies").check()
    assert keys(methods) == []
    words = "Filtered: order at least 4, explicit steps, keeps E on free bodies, symplectic"
    expect(page.get_by_text(words)).to_be_visible()
    methods.button("Clear filters").click()
    expect(page.get_by_text("Filtered:")).to_be_hidden()
    page.get_by_role("checkbox", name="keeps E on heavy tops").check()
    assert "AKW" in keys(methods) and len(keys(methods)) < 5


@pytest.mark.exhaustive
def test_columns_are_sorted_by_the_keyboard(methods: Any) -> None:
    head = methods.page.get_by_role("columnheader", name="ns a step, free")
    expect(head).to_have_attribute("aria-sort", "none")
    head.get_by_role("button").focus()
    methods.page.keyboard.press("Enter")
    expect(head).to_have_attribute("aria-sort", "ascending")

    def figures() -> list[int]:
        return [int(text) for text in methods.page.locator("td.ns").all_inner_texts() if text]

    assert figures() == sorted(figures())
    assert keys(methods)[-1] == "EXACT", "what has no figure comes last"
    methods.page.keyboard.press("Space")
    expect(head).to_have_attribute("aria-sort", "descending")
    assert figures() == sorted(figures(), reverse=True)
    methods.page.keyboard.press("Enter")
    expect(head).to_have_attribute("aria-sort", "none")
    assert keys(methods) == [method.key for method in METHODS]


SCROLLS = """() => {
    const found = [];
    const visit = root => root.querySelectorAll("*").forEach(e => {
        if (e.shadowRoot) visit(e.shadowRoot);
        const {overflowY} = getComputedStyle(e);
        if (overflowY === "auto" && e.scrollHeight > e.clientHeight + 1) found.push(e.className || e.localName);
    });
    visit(document);
    return found;
}"""
"""What scrolls up and down, besides the window."""


def test_one_scrollbar_moves_the_table_and_it_fills_the_window(methods: Any) -> None:
    page = methods.page
    try:
        assert page.evaluate(SCROLLS) == ["region"]
        region = page.get_by_role("region", name="Table of methods").bounding_box()
        assert 860 < region["y"] + region["height"] < 900
        page.get_by_role("checkbox", name="Compare NMB").check()
        page.get_by_role("checkbox", name="Compare ELN").check()
        expect(page.get_by_role("heading", name="2 methods compared")).to_be_visible()
        assert page.evaluate(SCROLLS) == ["region"]
        for width, outer in ((1000, ["main"]), (390, [])):
            page.set_viewport_size({"width": width, "height": 844})
            page.wait_for_function(f"outer => String(({SCROLLS})()) === String(outer)", arg=outer)
    finally:
        page.set_viewport_size({"width": 1440, "height": 900})


def test_a_name_opens_the_card_and_its_end_leads_back(methods: Any) -> None:
    page = methods.page
    for _ in range(2):  # the same card again
        name_of(methods, "DMV").focus()
        page.keyboard.press("Enter")
        card = page.get_by_role("region", name="Method card")
        expect(card).to_contain_text("Discrete Moser–Veselov")
        expect(name_of(methods, "DMV")).to_have_attribute("aria-expanded", "true")
        page.wait_for_url("**open=DMV*")
        assert "DMV" in methods.focused()
        methods.button("Close").click()
        expect(card).to_be_hidden()
        page.wait_for_function("() => !location.search.includes('open')")
        assert methods.focused().startswith("DMV")


@pytest.mark.exhaustive
def test_the_card_s_bibtex_is_copied_and_its_link_opens_the_lab(methods: Any) -> None:
    page = methods.page
    name_of(methods, "DMV").click()
    page.get_by_text("Reference", exact=True).click()
    assert (
        methods.clipboard(methods.button("Copy BibTeX").click).strip() == engine.cite("DMV").strip()
    )
    page.get_by_role("checkbox", name="takes a torque on heavy tops").check()
    page.get_by_role("link", name="Open in the lab").click()
    page.wait_for_function(
        "() => window.polhode?.choice.problem === 'lagrange-top'"
    )  # the problem of the filter
    assert methods.state["choice"]["dt"] == engine.problem("lagrange-top").dt
    assert (
        "DMV" in methods.state["choice"]["methods"]
    )  # beside those that the lab had, if it was open before


def test_two_methods_are_compared(methods: Any) -> None:
    page = methods.page
    comparison = page.get_by_role("region", name="Comparison", exact=True)
    expect(comparison).to_be_hidden()
    page.get_by_role("checkbox", name="Compare NMB", exact=True).check()
    expect(comparison).to_contain_text("Tick one to three more")
    top = page.get_by_role("checkbox", name="takes a torque on heavy tops")
    for filtered, problem in ((False, "free"), (True, "lagrange-top")):
        top.set_checked(filtered)
        link = comparison.get_by_role("link", name="open it in the lab")
        expect(link).to_have_attribute("href", f"?problem={problem}&methods=NMB")
    top.uncheck()
    page.get_by_role("checkbox", name="Compare AKW", exact=True).check()
    expect(comparison.get_by_role("columnheader")).to_have_text(
        [re.compile("NMB"), re.compile("AKW")]
    )
    energy, chi = (
        comparison.get_by_role("row", name=re.compile(words)) for words in ("keeps E", "keeps π·χ")
    )
    heading = page.get_by_role("heading", name="2 methods compared")
    expect(page.get_by_role("checkbox", name="Compare AKW", exact=True)).to_be_in_viewport()
    expect(page.get_by_text("2 ticked")).to_be_in_viewport()
    expect(heading).not_to_be_in_viewport()
    methods.button("See the comparison").click()
    expect(heading).to_be_in_viewport()
    expect(comparison.get_by_role("link", name="Study these")).to_have_attribute(
        "href", "?page=studies&study=convergence&methods=NMB,AKW"
    )
    expect(energy).to_contain_text("differs")
    expect(energy.get_by_role("cell").nth(1)).to_contain_text("free, tops")
    expect(chi).not_to_contain_text("differs")
    page.wait_for_url("**compare=NMB,AKW*")
    for key in ("DMV", "MR2"):
        page.get_by_role("checkbox", name=f"Compare {key}", exact=True).check()
    expect(page.get_by_role("checkbox", name="Compare LS", exact=True)).to_be_disabled()
    page.get_by_role("link", name="Compare in the lab").click()
    page.wait_for_function("() => window.polhode?.runs.length")
    assert methods.state["choice"]["methods"] == ["NMB", "AKW", "DMV", "MR2"]


@pytest.mark.exhaustive
def test_the_address_leads_back(methods: Any) -> None:
    page = methods.page
    page.get_by_role("combobox", name="Family").select_option("Runge–Kutta on the group")
    page.get_by_role("checkbox", name="keeps π on free bodies").check()
    page.get_by_role("columnheader", name="Order").get_by_role("button").click()
    page.get_by_role("checkbox", name="Compare CF4").check()
    page.get_by_role("checkbox", name="Compare CG4").check()
    name_of(methods, "RKMK").click()
    page.wait_for_url(re.compile("compare=CF4,CG4.*open=RKMK|open=RKMK.*compare=CF4,CG4"))
    shown = keys(methods)
    methods.load(page.url)
    assert keys(methods) == shown
    expect(page.get_by_role("region", name="Method card")).to_contain_text("Munthe-Kaas")
    expect(page.get_by_role("heading", name="2 methods compared")).to_be_visible()
    assert page.get_by_role("alert").count() == 0
    go_to(methods, family="Nobody's", open="<script>")
    expect(page.get_by_role("alert")).to_contain_text("Nobody")
    assert len(keys(methods)) == len(METHODS)


def check_looks(lab: Any, theme: str) -> None:
    page = lab.page
    shown = {"open": "DMV", "compare": "NMB,AKW"}
    go_to(lab, **shown)
    try:
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            if width == PHONE:
                go_to(lab, **shown)
            lab.settled()
            page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")
            lab.screenshot(f"methods-{width}x{height}-{theme}")
            page.locator(".comparison").scroll_into_view_if_needed()
            lab.screenshot(f"methods-compared-{width}x{height}-{theme}")
            name = page.locator(".methods tbody .who b").first
            region = page.locator(".region")
            left = name.bounding_box()["x"]
            region.evaluate("region => { region.scrollLeft = 400; }")
            assert name.bounding_box()["x"] == left, "the names stay in view"
            region.evaluate("region => { region.scrollLeft = 0; }")
    finally:
        page.set_viewport_size({"width": 1440, "height": 900})
    lab.settled()


@pytest.mark.exhaustive
@needs_axe
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_looks_well_and_axe_finds_nothing_serious(methods: Any, theme: str) -> None:
    try:
        if theme == "dark":
            switch_theme(methods)
        check_looks(methods, theme)
        assert violations(methods) == []
        if theme == "light":
            methods.page.set_viewport_size({"width": 1440, "height": 3000})
            go_to(methods)
            overlaps = methods.page.evaluate(CONTROLS)
            assert [
                pair for pair in overlaps if not any("Compare" in name for name in pair[:2])
            ] == []
    finally:
        methods.page.set_viewport_size({"width": 1440, "height": 900})
        methods.page.context.clear_cookies()
        methods.forget()
