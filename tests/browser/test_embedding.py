"""Parts of the page in a frame of another site's page."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from conftest import PATIENCE
from test_appearance import violations

expect = pytest.importorskip("playwright.sync_api").expect


class Course:
    """A page of another site, in its own window."""

    def __init__(self, browser: Any) -> None:
        self.context = browser.new_context(
            viewport={"width": 1000, "height": 900}, reduced_motion="no-preference"
        )
        self.context.set_default_timeout(PATIENCE)
        self.page = self.context.new_page()
        self.wrong: list[str] = []
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on(
            "console",
            lambda message: self.wrong.append(message.text) if message.type == "error" else None,
        )

    def open(self, host: str, line: str) -> Any:
        """Open a page of another site with this HTML, and return its frame."""
        self.page.goto(f"http://{host}/?{urlencode({'line': line})}")
        return self.page.frames[1]


@pytest.fixture
def course(browser: Any) -> Iterator[Course]:
    made = Course(browser)
    yield made
    made.context.close()


def there(frame: Any) -> None:
    frame.wait_for_function("() => window.polhode?.revision >= 1")


def test_a_frame_of_another_site_shows_only_these_parts(
    course: Course, server: str, site: str
) -> None:
    words = "problem=free&methods=NMB,AKW&show=poinsot,energy&controls=dt&caption=Watch+%3Cb%3Ethis%3C/b%3E"
    frame = course.open(site, f'<iframe src="{server}?{words}" width="900" height="600"></iframe>')
    there(frame)
    expect(frame.get_by_text("Watch <b>this</b>")).to_be_visible()
    expect(frame.get_by_role("application", name="Poinsot's construction in 3D")).to_be_visible()
    expect(frame.get_by_text("Energy error", exact=True)).to_be_visible()
    expect(frame.get_by_text("Attitude error", exact=True)).to_have_count(0)
    expect(frame.get_by_role("region", name="Ledger")).to_have_count(0)
    expect(frame.get_by_role("navigation")).to_have_count(0)
    expect(frame.get_by_role("textbox")).to_have_count(1)
    expect(frame.get_by_role("button", name="Pause")).to_be_visible()  # it plays automatically
    assert frame.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    before = frame.evaluate("() => window.polhode.revision")
    frame.get_by_role("button", name="Halve Δt").click()
    frame.wait_for_function("before => window.polhode.revision > before", arg=before)
    frame.wait_for_url("**dt=0.25*")
    with course.context.expect_page() as opened:
        frame.get_by_role("link", name="Open in Polhode").click()
    opened.value.wait_for_function("() => window.polhode?.revision >= 1")
    assert opened.value.evaluate("() => window.polhode.choice.dt") == 0.25
    assert opened.value.get_by_role("navigation", name="Pages").count() > 0
    assert course.wrong == []


@pytest.mark.exhaustive
def test_the_dialog_gives_a_line_that_shows_only_these_parts(
    course: Course, lab: Any, site: str
) -> None:
    lab.open()
    lab.button("Export").press("Enter")
    lab.button("Embed …").press("Enter")
    dialog = lab.page.get_by_role("dialog", name="Embed")
    dialog.get_by_role("checkbox", name="Poinsot's construction").uncheck()
    dialog.get_by_role("checkbox", name="From above").check()
    dialog.get_by_role("checkbox", name="Methods").check()
    dialog.get_by_role("textbox", name="Caption").fill('"A" & <b>')
    dialog.get_by_role("checkbox", name="Play at once").uncheck()
    dialog.get_by_role("combobox", name="Ratio").select_option("4 : 3")
    line = lab.clipboard(dialog.get_by_role("button", name="Copy: From this server").click)
    seen = lab.page.frame_locator("iframe[title=Preview]")
    for shown in (seen, course.open(site, line)):
        expect(shown.get_by_text('"A" & <b>')).to_be_visible()
        expect(shown.get_by_text("Energy error", exact=True)).to_be_visible()
        expect(shown.get_by_role("combobox", name="Methods")).to_be_visible()
        expect(shown.get_by_role("img", name="momentum sphere")).to_be_visible()
        expect(shown.get_by_role("application")).to_have_count(0)
        expect(shown.get_by_role("navigation")).to_have_count(0)
    assert course.wrong == []
    frame = course.page.get_by_title(
        "Freely spinning body: Explicit Newmark, Implicit midpoint"
    ).bounding_box()
    assert frame["width"] == pytest.approx(960) and frame["height"] == pytest.approx(720)
    of_file = dialog.get_by_role("textbox", name="From a file, without a server")
    expect(of_file).to_have_value(
        re.compile(r'src="free-demo.html#show=energy&amp;controls=methods,dt&amp;')
    )
    expect(dialog.get_by_text("It has no sphere.")).to_be_visible()
    assert importlib.util.find_spec("axe_playwright_python") is None or violations(lab) == []
    assert lab.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    lab.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(lab.page.locator("iframe")).to_have_count(0)
    assert lab.focused() == "Export"


FITS = """() => {
    const main = document.querySelector("main"), page = document.documentElement;
    return main.scrollHeight <= main.clientHeight
        && page.scrollHeight <= innerHeight && page.scrollWidth <= innerWidth;
}"""
"""Return whether all of the page is visible without scrolling."""


@pytest.mark.exhaustive
def test_by_default_it_shows_a_scene_and_a_plot_and_crops_neither(
    course: Course, lab: Any, site: str
) -> None:
    lab.open()
    lab.button("Export").press("Enter")
    lab.button("Embed …").press("Enter")
    dialog = lab.page.get_by_role("dialog", name="Embed")
    line = lab.clipboard(dialog.get_by_role("button", name="Copy: From this server").click)
    expect(
        lab.page.frame_locator("iframe[title=Preview]").get_by_text("Energy error", exact=True)
    ).to_be_visible()
    course.open(site, line)
    for page in (lab.page, course.page):
        frame = page.frames[1]
        there(frame)
        expect(
            frame.get_by_role("application", name="Poinsot's construction in 3D")
        ).to_be_visible()
        expect(frame.get_by_text("Energy error", exact=True)).to_be_visible()
        expect(frame.get_by_role("textbox")).to_have_count(1)  # the step
        frame.wait_for_function(FITS)
    preview, around = (
        lab.page.locator(name).bounding_box()
        for name in ("iframe[title=Preview]", ".embedding .frame")
    )
    assert preview["x"] >= around["x"] and preview["y"] >= around["y"]
    assert preview["x"] + preview["width"] <= around["x"] + around["width"] + 1
    assert preview["y"] + preview["height"] <= around["y"] + around["height"] + 1
    lab.page.keyboard.press("Escape")


def test_a_site_that_is_not_named_gets_nothing(course: Course, server: str, site: str) -> None:
    with course.page.expect_console_message(lambda message: "frame-ancestors" in message.text):
        frame = course.open(
            site.replace("127.0.0.1", "localhost"), f'<iframe src="{server}?show=energy"></iframe>'
        )
    frame.wait_for_url("chrome-error://chromewebdata/")


@pytest.mark.exhaustive
def test_words_that_mean_nothing_get_a_sentence(lab: Any) -> None:
    lab.page.goto(f"{lab.server}?show=energy,<i>moon</i>&controls=none&play=perhaps")
    there(lab.page)
    report = lab.page.get_by_role("alert")
    expect(report).to_contain_text("show: there is no <i>moon</i> here")
    expect(report).to_contain_text("play is yes or no")
    expect(lab.page.get_by_role("textbox")).to_have_count(0)
    lab.forget()
