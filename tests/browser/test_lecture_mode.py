"""Lecture mode by keys and a presenter's remote, and its downloads: a picture and a video."""

from __future__ import annotations

import importlib.util
import io
import re
from typing import Any

import numpy as np
import pytest
from test_appearance import needs_axe, violations
from timeouts import wait_until

pytest.importorskip("playwright.sync_api")
from PIL import Image
from playwright.sync_api import expect


@pytest.fixture
def report(lab: Any) -> Any:
    """The state that lecture mode reports."""
    lab.page.keyboard.press("Escape")
    lab.open(picture="body", problem="free", methods="NMB,AKW", dt="0.5", duration="50")
    lab.button("Play").focus()
    lab.page.keyboard.press("l")
    status = lab.page.get_by_role("dialog", name="Lecture mode").get_by_role("status")
    expect(status).to_have_text("Scene and plots, 1 of 4")
    yield status
    lab.page.keyboard.press("Escape")


@needs_axe
def test_a_lecture_by_keys_alone(lab: Any, report: Any) -> None:
    page = lab.page

    def player():
        return lab.state["player"]

    page.wait_for_url("**&lecture")
    assert page.evaluate("() => document.fullscreenElement?.tagName") == "HTML"
    for key, said in (
        ("PageDown", "The scene, 2 of 4"), ("ArrowDown", "Energy error, 3 of 4"), ("PageUp", "The scene, 2 of 4"),
        ("b", "Blank; any key shows it again"), (".", "The scene"),
        ("m", "Marked: t = 0.0"), ("m", "No time is marked"),
    ):  # fmt: skip
        page.keyboard.press(key)
        expect(report).to_have_text(said)
    for key, time in (("End", 50), ("ArrowLeft", 49.5), ("Home", 0), ("ArrowRight", 0.5)):
        page.keyboard.press(key)
        wait_until(lambda time=time: player()["time"] == time, key)
    page.keyboard.press("t")
    page.keyboard.press("F5")  # a remote's key to begin: the page stays
    page.keyboard.press("Space")
    wait_until(lambda: player()["playing"], "playing")
    page.keyboard.press("Space")
    wait_until(lambda: not player()["playing"], "pausing")
    assert violations(lab) == []
    page.keyboard.press("Escape")
    expect(report).to_have_count(0)
    page.wait_for_function(
        "() => !location.search.includes('lecture') && !document.fullscreenElement"
    )
    assert lab.focused() == "Play", "the focus is where it was"
    sound = lab.button("Sound")
    expect(sound).to_have_attribute("aria-pressed", "true")
    sound.click()
    expect(sound).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("l")
    expect(report).to_have_text("Scene and plots, 1 of 4")


def test_a_time_that_is_clicked_stays_marked_and_stands_in_the_picture(
    lab: Any, report: Any
) -> None:
    for _ in range(2):
        lab.page.keyboard.press("PageDown")
    expect(report).to_have_text("Energy error, 3 of 4")
    lab.settled()  # the plot is drawn a frame after its title
    lab.page.mouse.click(900, 600)
    expect(report).to_contain_text("Marked: t = ")
    marked = lab.settled()["player"]["time"]  # of what is drawn, which is a frame after the mark
    assert 25 < marked < 40 and report.inner_text() == f"Marked: t = {marked:.1f}"
    assert marked % 0.5 == 0, "a mark is at a state"
    lab.page.keyboard.press("Home")
    expect(report).to_have_text(f"Marked: t = {marked:.1f}")
    path = lab.download(lambda: lab.page.keyboard.press("s"))
    assert path.name.endswith("free.png")
    picture = np.asarray(Image.open(io.BytesIO(path.read_bytes())).convert("L"), float)
    assert picture.shape == (1440, 2560)
    columns = np.flatnonzero((picture[700:1200, 300:] < 30).mean(axis=0) > 0.9)
    assert len(columns) >= 3 and np.ptp(columns) < 12, (
        "a line through the plot, at the time that is marked"
    )


@pytest.mark.exhaustive
def test_a_video_is_recorded_or_it_is_told_that_it_cannot_be(lab: Any) -> None:
    lab.load(f"{lab.server}?problem=free&methods=NMB&dt=0.5&duration=1&speed=2&picture=body")

    def record() -> None:
        lab.button("Export").click()
        lab.button("Record video of the motion").click()

    path = lab.download(record)
    assert path.name.endswith("free.webm") and path.read_bytes()[:4] == b"\x1aE\xdf\xa3"
    assert len(path.read_bytes()) > 5_000
    status = lab.page.get_by_role("dialog", name="Lecture mode").get_by_role("status")
    expect(status).to_have_count(0)
    lab.page.evaluate("() => { delete window.MediaRecorder; }")
    record()
    expect(status).to_contain_text("This browser cannot record videos")
    lab.page.keyboard.press("Escape")


@pytest.mark.exhaustive
def test_a_remote_goes_through_a_lesson_that_is_open(lab: Any) -> None:
    lab.load(f"{lab.server}?lesson=tennis-racket&lecture")
    dialog = lab.page.get_by_role("dialog", name="Lecture mode")
    steps = dialog.get_by_role("navigation", name="Steps")
    expect(steps).to_contain_text("1 of 6")
    for key, at in (("PageDown", 2), ("PageUp", 1), ("PageDown", 2), ("PageDown", 3)):
        lab.page.keyboard.press(key)
        expect(steps).to_contain_text(f"{at} of 6")
    expect(
        dialog.get_by_role("button", name="Play (space)")
    ).to_be_disabled()  # until the question is answered
    lab.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    lab.page.wait_for_url("**Omega0=0.1,3,0*")
    expect(
        lab.page.get_by_text("turns over, again and again")
    ).to_be_hidden()  # the answer of the step
    expect(steps.or_(lab.page.get_by_role("navigation", name="Steps"))).to_be_visible()
    lab.page.evaluate("() => localStorage.clear()")


needs_segno = pytest.mark.skipif(
    importlib.util.find_spec("segno") is None,
    reason="segno is not installed here: pip install segno",
)


@pytest.mark.exhaustive
@needs_segno
def test_the_browser_s_own_print_has_the_same_page(lab: Any) -> None:
    """It is ready when the pointer has left for the browser's menu."""
    page = lab.page
    lab.open(picture="body", problem="free", methods="NMB,AKW", dt="0.5", duration="50")
    page.evaluate("() => document.documentElement.dispatchEvent(new MouseEvent('mouseleave'))")
    paper = page.get_by_role("article").filter(has=page.locator("canvas"))
    expect(page.locator("#paper canvas")).to_have_count(1)
    page.emulate_media(media="print")
    expect(paper).to_be_visible()
    expect(page.get_by_role("region", name="Ledger")).to_be_hidden()
    page.emulate_media(media="null")  # otherwise the file would have the media of this window
    expect(paper).to_be_hidden()
    printed = page.pdf(format="A4", prefer_css_page_size=True)
    assert len(re.findall(rb"/Type /Page\b", printed)) == 1
    expect(page.locator("#paper")).to_have_count(0)


@needs_segno
def test_ctrl_p_prints_one_page_with_the_picture(lab: Any) -> None:
    page = lab.page
    lab.open(picture="body", problem="free", methods="NMB,AKW", dt="0.5", duration="50")
    page.evaluate(
        "() => { window.print = () => { window.printed = document.querySelector('#paper canvas'); }; }"
    )
    page.keyboard.press("Control+p")
    page.wait_for_function("() => window.printed")
    drawn = page.evaluate(
        "() => printed.getContext('2d').getImageData(0, 0, 1680, 900).data.filter(x => x < 128).length"
    )
    assert drawn > 50_000, "there is a picture"
    printed = page.pdf(format="A4", prefer_css_page_size=True)
    assert len(re.findall(rb"/Type /Page\b", printed)) == 1
    page.wait_for_function("() => !document.querySelector('#paper')")
