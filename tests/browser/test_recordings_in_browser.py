"""A recording on the page Gyroscope in a browser: choosing, dropping, correcting and stopping it, what a
reload does, and a throw's recording from the recorder.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_appearance import CONTROLS, PHONE, SIZES, needs_axe, switch_theme, violations
from test_dragging import HOLD_MESSAGES

import engine

expect = pytest.importorskip("playwright.sync_api").expect

START = {
    "page": "gyroscope",
    "problem": "coning",
    "methods": "EXP",
    "dt": "0.001",
    "duration": "0.1",
}
HEAD = "Time (s),Gyroscope x (rad/s),Gyroscope y (rad/s),Gyroscope z (rad/s)"
DROP = """({name, text}) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([text], name));
  const find = root => {
    const found = root.querySelector(".recording .place");
    if (found) return found;
    for (const element of root.querySelectorAll("*"))
      if (element.shadowRoot) {
        const inner = find(element.shadowRoot);
        if (inner) return inner;
      }
  };
  const place = find(document);
  for (const kind of ["dragenter", "dragover", "drop"])
    place.dispatchEvent(new DragEvent(kind, {dataTransfer: transfer, bubbles: true, cancelable: true}));
}"""
"""Drops a file."""


def write_flight(head: str = HEAD, rows: int = 1001) -> str:
    """Return five seconds of a turning body as CSV."""
    t = np.arange(rows) / 200
    rates = np.column_stack([3 * np.sin(7 * t), 2 * np.cos(5 * t), np.ones_like(t)])
    lines = [",".join(f"{number:.9g}" for number in row) for row in np.column_stack([t, rates])]
    return "\n".join([head, *lines, ""])


@pytest.fixture
def gyro(lab: Any) -> Iterator[Any]:
    """The page Gyroscope, which no other test uses afterwards."""
    lab.open(anew=True, **START)
    expect(lab.page.get_by_role("button", name="Choose a recording …")).to_be_visible()
    yield lab
    lab.page.evaluate("() => sessionStorage.removeItem('polhode-recording')")
    lab.forget()


def choose(lab: Any, name: str, text: str) -> None:
    """Choose a file."""
    lab.page.locator("input[type=file][accept*=csv]").set_input_files(
        {"name": name, "mimeType": "text/csv", "buffer": text.encode()}
    )


def check(state: dict[str, Any], path: Path) -> None:
    """The page's runs end like the engine's."""
    choice = state["choice"]
    problem = engine.read_rates(path)
    for report in state["runs"]:
        run = engine.simulate(
            problem, report["method"], dt=choice["dt"], duration=choice["duration"]
        )
        assert report["status"] == run.status == "done"
        np.testing.assert_allclose(np.array(report["R"], float), run.R[-1].ravel(), atol=1e-11)


def test_a_chosen_file_is_run_and_undone_and_comes_back_after_a_reload(
    gyro: Any, tmp_path: Path
) -> None:
    page = gyro.page
    path = tmp_path / "flight.csv"
    path.write_text(write_flight())
    state = gyro.after(lambda: choose(gyro, "flight.csv", path.read_text()))
    assert [run["method"] for run in state["runs"]] == ["EULER", "EXP(rate=mean)", "WILCOX"]
    check(state, path)
    expect(page.get_by_text("1,001 rows in 5 s, 200 Hz.")).to_be_visible()
    expect(page.get_by_role("heading", name="Attitude difference", exact=True)).to_be_visible()
    expect(page.locator("#views").get_by_text("part from Wilcox")).to_be_visible()
    page.wait_for_url("**recording=flight.csv*")
    gyro.undo()
    assert gyro.state["choice"]["problem"] == "coning"
    gyro.after(lambda: page.keyboard.press("Control+y"))
    state = gyro.after(lambda: gyro.type("Δt, s", "0.01"))
    assert state["choice"]["dt"] == 0.01
    page.wait_for_url("**dt=0.01&*")
    page.reload()
    page.wait_for_function("() => window.polhode?.choice?.dt === 0.01")
    expect(page.get_by_text("does not hold a recording")).to_have_count(0)
    page.get_by_text("Columns and units").click()
    page.get_by_label("Unit of the rates").select_option("deg/s")
    page.wait_for_url("**unit=deg*")


@pytest.mark.exhaustive
def test_a_link_in_another_tab_asks_for_the_file_and_then_has_its_settings(gyro: Any) -> None:
    page = gyro.page
    page.evaluate("() => sessionStorage.clear()")
    query = "page=gyroscope&recording=flight.csv&methods=EXP,INAV&dt=0.01&duration=2"
    gyro.load(f"{gyro.server}?{query}")
    expect(page.get_by_text("A link does not hold a recording.")).to_be_visible()
    state = gyro.after(lambda: choose(gyro, "flight.csv", write_flight()))
    choice = state["choice"]
    assert (choice["methods"], choice["dt"], choice["duration"]) == (["EXP", "INAV"], 0.01, 2)


@pytest.mark.exhaustive
def test_a_dropped_file_without_known_columns_is_read_as_a_person_says(gyro: Any) -> None:
    page = gyro.page
    page.evaluate(DROP, {"name": "notes.csv", "text": write_flight("when,a,b,c")})
    expect(
        page.get_by_text("none is known as a rate; choose the time, x, y and z.")
    ).to_be_visible()
    for label, column in (("Times", "when"), ("Rate x", "a"), ("Rate y", "b"), ("Rate z", "c")):
        page.get_by_label(label, exact=True).select_option(column)
    expect(page.get_by_role("listitem").get_by_text("states no unit of the rates")).to_be_visible()
    state = gyro.after(lambda: page.get_by_label("Unit of the rates").select_option("deg/s"))
    page.wait_for_url("**unit=deg*")
    assert state["choice"]["dt"] == 0.005
    expect(page.get_by_text("are 'a', 'b' and 'c' in deg/s.")).to_be_visible()


@pytest.mark.exhaustive
def test_what_is_no_recording_is_refused_at_its_place(gyro: Any) -> None:
    page = gyro.page
    choose(gyro, "essay.csv", "no table at all")
    expect(page.get_by_text("'essay.csv' is no table: no line has four columns")).to_be_visible()
    page.evaluate(DROP, {"name": "picture.png", "text": "…"})
    expect(page.get_by_text("The name of a recording ends in .csv")).to_be_visible()
    choose(gyro, "large.csv", "0" * (20 * 2**20 + 1))
    expect(
        page.get_by_text("A recording may have at most 20 MB; large.csv has more.")
    ).to_be_visible()
    assert gyro.state["choice"]["problem"] == "coning"


@pytest.mark.exhaustive
def test_the_keyboard_reaches_the_choice_and_the_sending_can_be_stopped(gyro: Any) -> None:
    page = gyro.page
    page.evaluate(HOLD_MESSAGES)  # so that it lasts
    button = page.get_by_role("button", name="Choose a recording …")
    button.focus()
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Enter")
    long = write_flight(rows=40_000)  # more than one message takes
    chooser.value.set_files({"name": "long.csv", "mimeType": "text/csv", "buffer": long.encode()})
    stop = page.get_by_role("button", name="Stop")
    expect(page.get_by_text("Sending long.csv …")).to_be_visible()
    stop.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Stopped.", exact=True)).to_be_visible()
    page.evaluate("() => window.releaseMessages()")
    assert gyro.settled()["choice"]["problem"] == "coning"


@pytest.mark.exhaustive
@needs_axe
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_and_axe_finds_nothing_serious(gyro: Any, theme: str) -> None:
    page = gyro.page
    try:
        if theme == "dark":
            switch_theme(gyro)
        gyro.after(lambda: choose(gyro, "flight.csv", write_flight()))
        page.get_by_text("Columns and units").click()
        assert page.evaluate(CONTROLS) == []
        assert violations(gyro) == []
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            gyro.settled()
            page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")
            gyro.screenshot(f"recording-{width}x{height}-{theme}")
            if width == PHONE:
                page.get_by_role("button", name="Toggle sidebar").click()
                page.get_by_role("button", name="Choose a recording …").scroll_into_view_if_needed()
                gyro.screenshot(f"recording-setting-{width}-{theme}")
    finally:
        page.set_viewport_size({"width": 1440, "height": 900})
        page.context.clear_cookies()
