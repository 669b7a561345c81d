"""The recorder in a browser, with synthetic events of the sensors."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_appearance import PHONE, needs_axe, switch_theme, violations

import engine

expect = pytest.importorskip("playwright.sync_api").expect

RECORD = """async ([record, rows]) => {
  record.click();
  await new Promise(done => setTimeout(done));  // until it listens
  for (const [t, x, y, z, ax, ay, az] of rows) {
    const event = new DeviceMotionEvent("devicemotion", {
      rotationRate: {alpha: x, beta: y, gamma: z},
      accelerationIncludingGravity: {x: ax, y: ay, z: az},
    });
    Object.defineProperty(event, "timeStamp", {value: 1000 * t});
    dispatchEvent(event);
  }
}"""
"""Begins a recording, and at once sends events with times in s, rates in degrees per second, and
accelerations in m/s²: a sensor that answers late counts as missing.
"""


def throw_phone() -> list[list[float]]:
    """Return a second in the hand, 0.4 s in free flight, and half a second at rest."""
    toss = engine.Problem(J=(0.8, 0.2, 1), Omega0=(9, 3, 5))
    flight = engine.simulate(toss, "EXACT", dt=0.01, duration=0.4).Omega
    rates = np.degrees(np.concatenate([np.zeros((100, 3)), flight, np.zeros((50, 3))]))
    forces = np.tile([0.0, 0.0, 9.8], (len(rates), 1))
    forces[100 : 100 + len(flight)] = 0.0
    t = 3 + 0.01 * np.arange(len(rates))
    return np.column_stack([t, rates, forces]).tolist()


@pytest.fixture
def recorder(lab: Any) -> Any:
    """Opens the recorder, and leaves the page after the test."""
    lab.load(f"{lab.server}?page=recorder")
    yield lab
    lab.forget()


def record(lab: Any, rows: list[list[float]]) -> None:
    """Record these rows; a browser without a screen denies its sensors."""
    lab.page.evaluate("DeviceMotionEvent.requestPermission = async () => 'granted'")
    button = lab.page.get_by_role("button", name="Record").element_handle()
    lab.page.evaluate(RECORD, [button, rows])
    lab.page.get_by_role("button", name="Stop").click()


def test_a_throw_shows_the_moments_of_the_phone_and_leads_to_its_motion(recorder: Any) -> None:
    page = recorder.page
    record(recorder, throw_phone())
    expect(page.get_by_text("191 rows in 1.9 s.")).to_be_visible()
    page.get_by_role("button", name="Find its moments of inertia").click()
    table = page.locator(".card table")
    expect(table).to_be_visible()
    rows = [row.split("\t") for row in table.inner_text().splitlines()[1:]]
    assert [float(row[1]) for row in rows] == pytest.approx([0.8, 0.2, 1.0], abs=0.01)
    page.get_by_role("link", name="See its motion and polhode in the lab").click()
    page.wait_for_function("() => window.polhode?.choice?.problem === 'free'")
    choice = page.evaluate("() => window.polhode.choice")
    J = np.array(choice["changes"]["J"]).reshape(3, 3)
    np.testing.assert_allclose(J, np.diag([0.8, 0.2, 1.0]), atol=0.02)


def test_a_recording_is_used_on_the_page_gyroscope(recorder: Any) -> None:
    page = recorder.page
    rows = throw_phone()
    record(recorder, rows)
    page.get_by_role("button", name="Use it on Gyroscope").click()
    page.wait_for_function("() => window.polhode?.choice?.problem === 'given-rates'")
    expect(page.get_by_text("191 rows in 1.9 s, 100 Hz.")).to_be_visible()
    choice = page.evaluate("() => window.polhode.choice")
    assert (choice["dt"], choice["duration"]) == pytest.approx((0.01, 1.9))
    rates = page.evaluate("() => window.polhode.runs.map(run => run.status)")
    assert rates == ["done", "done", "done"]


@pytest.mark.exhaustive
def test_a_throw_of_another_app_is_chosen_and_its_fit_can_be_stopped(recorder: Any) -> None:
    page = recorder.page
    head = "Time (s)," + ",".join(
        f"{sensor} {axis} ({unit})"
        for sensor, unit in (("Gyroscope", "deg/s"), ("Acceleration", "m/s^2"))
        for axis in "xyz"
    )
    lines = [",".join(map(repr, row)) for row in throw_phone()]
    file = {
        "name": "throw.csv",
        "mimeType": "text/csv",
        "buffer": "\n".join([head, *lines]).encode(),
    }
    chosen = page.locator("input[type=file][accept*=csv]")
    chosen.set_input_files(file)
    page.locator("#stop").click()
    expect(page.get_by_text("The fit was stopped.")).to_be_visible()
    page.get_by_role("button", name="Continue").click()
    table = page.locator(".card table")
    expect(table).to_be_visible()
    rows = [row.split("\t") for row in table.inner_text().splitlines()[1:]]
    assert [float(row[1]) for row in rows] == pytest.approx([0.8, 0.2, 1.0], abs=0.01)
    chosen.set_input_files(file | {"buffer": b"nothing"})
    expect(page.get_by_text("'throw.csv' is no table")).to_be_visible()


def test_a_recording_is_saved_as_phyphox_does_and_stays_in_the_browser(
    recorder: Any, tmp_path: Path
) -> None:
    page = recorder.page
    sent: list[str] = []
    page.on(
        "websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(str(frame)))
    )
    rows = throw_phone()
    record(recorder, rows)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    download.value.save_as(tmp_path / "recording.csv")
    samples = engine.read_rates(tmp_path / "recording.csv").samples
    assert samples is not None and samples.remarks == ()
    given = np.array(rows)
    np.testing.assert_allclose(samples.t, given[:, 0] - 3, atol=1e-8)
    np.testing.assert_allclose(samples.values, np.radians(given[:, 1:4]), rtol=1e-8)
    assert samples.accelerations is not None
    np.testing.assert_allclose(samples.accelerations.values, given[:, 4:])
    assert not any("Gyroscope" in frame for frame in sent)


def test_what_keeps_a_phone_from_recording_is_said(recorder: Any) -> None:
    page = recorder.page
    page.evaluate("DeviceMotionEvent.requestPermission = async () => 'denied'")
    page.get_by_role("button", name="Record").click()
    expect(page.get_by_text("The browser did not permit the sensors.")).to_be_visible()
    page.evaluate("delete DeviceMotionEvent.requestPermission")
    page.get_by_role("button", name="Record").click()
    expect(page.get_by_text("No gyroscope answers on this device.")).to_be_visible()


def test_a_recording_without_a_flight_says_so(recorder: Any) -> None:
    rows = [[3 + 0.01 * k, 50.0, 20.0 * (k % 7), 0.0, 0.0, 0.0, 9.8] for k in range(200)]
    record(recorder, rows)
    recorder.page.get_by_role("button", name="Find its moments of inertia").click()
    expect(
        recorder.page.get_by_text(re.compile("accelerometer shows no free flight"))
    ).to_be_visible()


@needs_axe
def test_the_recorder_fits_a_phone_and_axe_finds_nothing_serious(recorder: Any) -> None:
    page = recorder.page
    expect(page.get_by_role("heading", name="On a phone")).to_be_visible()
    assert page.locator(".code svg").count() == 1
    try:
        assert violations(recorder) == []
        switch_theme(recorder)
        page.set_viewport_size({"width": PHONE, "height": 844})
        page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")
        assert violations(recorder) == []
        recorder.screenshot("recorder")
    finally:
        page.set_viewport_size({"width": 1440, "height": 900})
        page.context.clear_cookies()
