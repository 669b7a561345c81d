"""The static site in a browser: under a sub-path without requests to other hosts, and unpacked,
from the disk.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import small_site
from covering import first
from test_demos import Shown, served

import engine
from app.demos import live
from app.state.presets import PRESETS

expect = pytest.importorskip("playwright.sync_api").expect

ROOM_LEFT = """() => {
    const {scrollWidth, scrollHeight} = document.documentElement;
    return [scrollWidth - innerWidth, scrollHeight - innerHeight];
}"""
"""Return how far a page exceeds its window."""
METHOD_PAGE = f"docs/methods/{small_site.METHOD}.html"
PRESET = PRESETS[0]
WINDOWS: dict[str, dict[str, Any]] = {
    "wide": {"viewport": {"width": 1280, "height": 700}},
    "narrow": {"viewport": {"width": 390, "height": 700}, "color_scheme": "dark"},
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: Any) -> Path:
    folder: Path = tmp_path_factory.mktemp("site")
    assert (
        small_site.make_site(
            folder / "some" / "where", PRESETS[:2], tmp_path_factory.mktemp("work")
        )
        == []
    )
    return folder


@pytest.fixture
def visited(
    browser: Any, site: Path, request: pytest.FixtureRequest
) -> Iterator[tuple[Shown, str]]:
    """A visitor and the site's address; every request of the browser must succeed."""
    with served(site) as address:
        window = WINDOWS.get(getattr(request, "param", ""), {})
        visitor = Shown(browser, accept_downloads=True, **window)
        visitor.context.set_offline(False)
        yield visitor, f"{address}/some/where/"
        visitor.context.close()
        own = (f"{address}/some/where/", "data:", "blob:")
        assert [url for url in visitor.asked if not url.startswith(own)] == []
        assert visitor.wrong == []


@pytest.mark.parametrize("visited", first(WINDOWS), indirect=True)
@pytest.mark.parametrize("page", first([METHOD_PAGE, "index.html"]))
def test_a_demo_runs_within_a_page_when_it_comes_into_view(
    visited: tuple[Shown, str], page: str
) -> None:
    visitor, address = visited
    visitor.page.goto(address + page)
    frame = visitor.page.locator("iframe")
    frame.scroll_into_view_if_needed()
    inside = visitor.page.frames[1]
    visitor.settled(inside)
    assert set(inside.evaluate("() => polhodeDemo.runs.map(({run}) => run.status)")) == {"done"}
    expect(frame.content_frame.locator("#refused")).to_have_text("")
    assert inside.evaluate(ROOM_LEFT) == [0, 0], "it fits"
    assert visitor.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.mark.exhaustive
@pytest.mark.parametrize("visited", ["wide"], indirect=True)
def test_the_verdicts_on_the_papers_are_visible_without_scrolling_sideways(
    visited: tuple[Shown, str],
) -> None:
    visitor, address = visited
    visitor.page.set_viewport_size({"width": 1440, "height": 900})
    visitor.page.goto(f"{address}docs/papers.html")
    table = visitor.page.locator(".table-wrapper")
    expect(table.get_by_role("columnheader", name="verdict")).to_be_in_viewport()
    assert table.evaluate("wrapper => wrapper.scrollWidth - wrapper.clientWidth") <= 0


@pytest.mark.exhaustive
@pytest.mark.parametrize("visited", ["narrow"], indirect=True)
def test_in_a_narrow_window_the_fields_of_the_lab_follow_its_first_picture(
    visited: tuple[Shown, str],
) -> None:
    visitor, address = visited
    page = visitor.page
    page.goto(f"{address}demos/lab.html")
    visitor.settled()
    first, other = (page.locator(".views > *").nth(i).bounding_box()["y"] for i in (0, 1))
    fields = page.get_by_role("region", name="What is computed").bounding_box()["y"]
    assert first < fields < other
    assert fields < 700, "they begin in the window"


@pytest.mark.exhaustive
def test_the_frame_of_a_method_waits_for_its_turn(visited: tuple[Shown, str]) -> None:
    visitor, address = visited
    visitor.page.goto(address + METHOD_PAGE)
    expect(visitor.page.locator("iframe")).to_have_attribute("loading", "lazy")


@pytest.mark.exhaustive
@pytest.mark.parametrize("visited", ["narrow"], indirect=True)
def test_a_card_of_the_gallery_leads_to_its_demo_and_saves_it(
    visited: tuple[Shown, str], tmp_path: Path
) -> None:
    visitor, address = visited
    page = visitor.page
    page.goto(address)
    page.get_by_role("link", name="Gallery").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    with page.expect_download() as saved:
        page.get_by_role("link", name="Download").first.click()
    file = tmp_path / saved.value.suggested_filename
    saved.value.save_as(file)
    assert (file.name, file.read_text(encoding="utf-8")) == (
        f"{PRESET.key}.html",
        live.build_demo(PRESET.choice).html,
    )
    page.get_by_role("link", name=PRESET.title, exact=True).click()
    visitor.settled()
    assert visitor.runs()[0]["method"] == PRESET.choice.methods[0]


@pytest.mark.exhaustive
def test_words_behind_the_address_reach_a_demo(visited: tuple[Shown, str]) -> None:
    visitor, address = visited
    visitor.page.goto(f"{address}demos/{PRESET.key}.html#dt=0.25")
    visitor.settled()
    assert visitor.page.evaluate("() => polhodeDemo.state.dt") == 0.25


STATES = "() => polhodeDemo.runs.map(({run}) => [...run.series('R').slice(-9)])"


def choose(visitor: Shown, field: str, text: str, option: str) -> None:
    """Choose from a list of the lab, and wait for the page of the choice."""
    box = visitor.page.get_by_role("combobox", name=field, exact=True)
    box.click()
    if text:
        box.fill(text)
    with visitor.page.expect_event("load"):
        visitor.page.get_by_role("option", name=option).first.click()
    visitor.settled()


def check_lab(visitor: Shown, problem: str, methods: list[str]) -> None:
    """The page shows the runs of this choice, and they end as the engine's do."""
    state = visitor.page.evaluate("() => polhodeDemo.state")
    assert state["methods"] == methods == [run["method"] for run in visitor.runs()]
    own = engine.problem(problem)
    assert (state["dt"], state["duration"]) == (own.dt, own.duration)
    for method, R in zip(methods, visitor.page.evaluate(STATES), strict=True):
        run = engine.simulate(own, method, samples=1)
        np.testing.assert_allclose(np.reshape(R, (3, 3)), run.R[-1], rtol=0, atol=1e-10)


@pytest.mark.parametrize("visited", first(WINDOWS), indirect=True)
def test_the_lab_without_a_server_runs_what_a_visitor_chooses(visited: tuple[Shown, str]) -> None:
    visitor, address = visited
    page = visitor.page
    page.goto(address)
    page.get_by_role("link", name="Lab", exact=False).first.click()
    visitor.settled()
    check_lab(visitor, "free", ["NMB", "AKW", "DMV"])
    choose(visitor, "Methods", "quat", "· RK4-QUAT")
    check_lab(visitor, "free", ["NMB", "AKW", "DMV", "RK4-QUAT"])
    page.get_by_role("combobox", name="Methods", exact=True).fill("mr2")
    page.get_by_role("option").first.click()
    expect(page.get_by_text("At most 4 methods can be compared at once")).to_be_visible()
    page.get_by_role("checkbox", name="Implicit midpoint").uncheck()
    expect(page).to_have_url(re.compile("methods=NMB,DMV,RK4-QUAT$"))
    choose(visitor, "Problem", "", "Slow top")
    check_lab(visitor, "slow-top", ["NMB", "RK4-QUAT"])
    expect(page.locator("#refused")).to_have_text(
        "This page has no method DMV; it has NMB, RK4-QUAT."
    )
    with page.expect_event("load"):
        page.go_back()
    visitor.settled()
    check_lab(visitor, "free", ["NMB", "DMV", "RK4-QUAT"])
    assert page.evaluate(ROOM_LEFT)[0] == 0


@pytest.mark.exhaustive
def test_an_address_of_the_lab_without_a_server_opens_its_choice(
    visited: tuple[Shown, str],
) -> None:
    visitor, address = visited
    page = visitor.page
    page.goto(f"{address}demos/lab.html#problem=dumbbells&methods=RK2,NOPE&dt=0.001&duration=2")
    visitor.settled()
    assert (
        visitor.runs()[0]["method"] == "RK2"
        and page.evaluate("() => polhodeDemo.state.dt") == 0.001
    )
    expect(page.locator("#refused")).to_have_text("This page has no method NOPE; it has RK2.")
    page.goto("about:blank")
    page.goto(f"{address}demos/lab.html#problem=toString&methods=__proto__")
    visitor.settled()
    assert [run["method"] for run in visitor.runs()] == ["NMB", "AKW", "DMV"]
    expect(page.locator("#refused")).to_contain_text(
        'The address has "problem", which is unknown here.'
    )
    expect(
        page.get_by_text("need Polhode on a computer; its documentation explains")
    ).to_be_visible()


@pytest.mark.exhaustive
def test_a_demo_that_lacks_a_part_says_so(browser: Any, site: Path, tmp_path: Path) -> None:
    page = tmp_path / "first.html"
    for name in ("first.html", "first.js", "assemble.js"):
        (tmp_path / name).write_bytes((site / "some" / "where" / "demos" / name).read_bytes())
    visitor = Shown(browser)
    visitor.page.goto(page.as_uri())
    expect(visitor.page.get_by_text("This demo cannot be shown: ")).to_be_visible()
    visitor.context.close()


def test_the_archive_works_from_the_disk(browser: Any, site: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(site / "some" / "where" / "polhode.zip") as archive:
        archive.extractall(tmp_path)
    visitor = Shown(browser)
    visitor.page.goto((tmp_path / "polhode" / "index.html").as_uri())
    visitor.settled(visitor.page.frames[1])
    visitor.page.get_by_role("link", name="Methods").click()
    visitor.page.goto((tmp_path / "polhode" / METHOD_PAGE).as_uri())
    visitor.page.locator("iframe").scroll_into_view_if_needed()
    visitor.settled(visitor.page.frames[1])
    visitor.context.close()
    assert (
        [url for url in visitor.asked if not url.startswith(("file:", "data:", "blob:"))]
        == []
        == visitor.wrong
    )
