"""A link opens the page with its setting; the page reports what it cannot read."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from conftest import assert_runs
from covering import first
from sentences import find_retired

from app.browser.page_links import PAGES

expect = pytest.importorskip("playwright.sync_api").expect


LINKS = {
    "parameters": {
        "problem": "free",
        "methods": "BUSS3+E",
        "dt": "0.5",
        "duration": "9",
        "J": "1,2,2.5",
        "Omega0": "1,0.1,0",
    },
    "top": {
        "problem": "slow-top",
        "methods": "ELN,NMB,MR2(axes=231)",
        "dt": "0.01",
        "duration": "5",
    },
}


@pytest.mark.parametrize("link", first(LINKS))
def test_a_link_opens_with_exactly_its_runs(lab: Any, link: str) -> None:
    query = LINKS[link]
    state = lab.open(**query).state
    choice = state["choice"]
    assert choice["problem"] == query["problem"]
    assert ",".join(choice["methods"]) == query["methods"]
    assert (choice["dt"], choice["duration"]) == (float(query["dt"]), float(query["duration"]))
    assert all(run["status"] == "done" for run in state["runs"])
    assert_runs(state)
    for name in ("J", "Omega0"):
        assert (name in choice["changes"]) == (name in query)


def test_the_address_is_a_link_to_what_is_chosen(lab: Any) -> None:
    lab.open()
    state = lab.after(lambda: lab.type("Δt", "0.125"))
    lab.page.wait_for_url("**dt=0.125*")
    query = parse_qs(urlsplit(lab.page.url).query)
    assert query["problem"] == [state["choice"]["problem"]]
    assert query["methods"] == [",".join(state["choice"]["methods"])]
    assert query["version"] == [state["version"]]
    lab.load(lab.page.url)
    assert lab.state["choice"] == state["choice"]
    assert lab.state["runs"] == state["runs"]


def test_nonsense_in_a_link_is_told_and_sane_values_stand_in(lab: Any) -> None:
    state = lab.open(
        problem="no-such",
        methods="NMB,XYZ",
        dt="-1",
        duration="__import__('os')",
        J="1,2",
        version="0.0.1",
    ).state
    report = lab.page.get_by_role("alert").inner_text()
    for name in ("problem", "methods", "dt", "duration", "J", "0.0.1"):
        assert name in report
    assert "no-such" in report
    assert "XYZ" in report
    assert_runs(state)
    assert all(run["status"] == "done" for run in state["runs"])
    lab.page.get_by_role("alert").first.get_by_role("button").click()  # a notice can be closed
    assert (
        lab.after(lambda: lab.button("Halve Δt").click())["choice"]["dt"]
        == state["choice"]["dt"] / 2
    )


PUT_IN = """() => new Promise(resolve => {
    document.addEventListener("securitypolicyviolation",
        event => resolve([event.effectiveDirective, window.foreign ?? "did not run"]), {once: true});
    const script = document.createElement("script");
    script.textContent = "window.foreign = 'ran'";
    document.body.append(script);
})"""


ALL_TEXT = """() => {
    const read = node => [node.shadowRoot, ...node.childNodes].map(part =>
        !part || ["STYLE", "SCRIPT", "TEMPLATE"].includes(part.nodeName) ? "" : part.data ?? read(part)).join(" ");
    return read(document.body);
}"""
"""The text of a page, also that which is hidden or in components."""


@pytest.mark.parametrize(
    "shown", first(["lab", "start", *(page for page in PAGES if page != "lab")])
)
def test_each_page_has_one_title_a_way_past_the_bar_and_runs_no_foreign_script(
    lab: Any, shown: str
) -> None:
    """All parts of the page work: the console has no error, as after each test, and the lab refuses
    nothing.
    """
    lab.load(f"{lab.server}?page={shown}")
    assert lab.errors == []
    if shown == "lab":
        assert lab.page.get_by_role("alert").count() == 0
        assert len(lab.state["choice"]["methods"]) >= 2
        assert_runs(lab.state)
    expect(lab.page.get_by_role("heading", level=1)).to_have_count(1)
    text = lab.page.evaluate(ALL_TEXT)
    assert len(text) > 500 and find_retired(text) == []
    lab.page.keyboard.press("Tab")
    assert lab.focused() == "Skip to the views"
    lab.page.keyboard.press("Enter")
    assert lab.page.evaluate("() => document.activeElement.localName") == "main"
    assert lab.page.url.find("#") < 0
    assert lab.page.evaluate(PUT_IN) == ["script-src-elem", "did not run"]
    lab.errors.clear()


@pytest.mark.exhaustive
def test_the_address_keeps_up_with_how_it_is_looked_at(lab: Any) -> None:
    """The page computes nothing for it, and the history does not record each move of the camera."""
    lab.open(
        problem="free",
        methods="NMB",
        dt="0.5",
        duration="50",
        picture="body",
        camera="0.3,0.2,1.5",
        speed="1/4",
    )
    page = lab.page
    places = lab.page.evaluate("() => history.length")
    expect(page.get_by_role("combobox", name="Speed")).to_have_value("1/4")
    page.get_by_role("application").focus()
    before = lab.state["revision"]
    page.keyboard.press("Shift+ArrowRight")
    page.wait_for_url("**camera=0.18,0.2,1.5*")
    page.get_by_role("combobox", name="Speed").select_option("2")
    page.wait_for_url("**speed=2&*")
    lab.choose("Plots", "Motion")
    page.wait_for_url("**plots=Motion*")
    assert lab.settled()["revision"] == before and page.evaluate("() => history.length") == places
    lab.load(page.url)
    expect(page.get_by_role("radio", name="Motion")).to_be_checked()
    query = parse_qs(urlsplit(page.url).query)
    page.get_by_role("application").dblclick()
    lab.choose("Picture", "Poinsot")
    page.wait_for_function("() => !location.search.includes('picture')")
    assert query["camera"] == ["0.18,0.2,1.5"] and "camera" not in parse_qs(
        urlsplit(page.url).query
    )
    lab.forget()
