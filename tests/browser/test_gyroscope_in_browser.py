"""The page Gyroscope in the browser: choices, both pictures, what a drag shows, and the sensor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from test_appearance import check_appearance, needs_axe

import engine

expect = pytest.importorskip("playwright.sync_api").expect

START = {
    "page": "gyroscope",
    "problem": "coning",
    "methods": "EXP,CONING",
    "dt": "0.001",
    "duration": "0.5",
}


@pytest.fixture
def gyro(lab: Any) -> Iterator[Any]:
    """The page with the first choice of these tests."""
    lab.open(**START)
    yield lab
    lab.page.evaluate("() => globalThis[Symbol.for('polhode.page')].clock?.set({playing: false})")


def check(state: dict[str, Any]) -> None:
    """The page's runs end like the engine's."""
    choice = state["choice"]
    problem = engine.problem(choice["problem"], **choice["changes"])
    for report in state["runs"]:
        run = engine.simulate(
            problem, report["method"], dt=choice["dt"], duration=choice["duration"]
        )
        assert (report["status"], report["t"]) == (run.status, pytest.approx(run.t[-1]))
        np.testing.assert_allclose(np.array(report["R"], float), run.R[-1].ravel(), atol=1e-11)


def test_step_sensor_and_methods_are_followed(gyro: Any) -> None:
    check(gyro.state)
    state = gyro.after(lambda: gyro.type("Δt, s", "0.002"))
    assert state["choice"]["dt"] == 0.002
    check(state)
    state = gyro.after(lambda: gyro.pick("Sensor", "samples of the rates"))
    assert state["choice"]["problem"] == "coning(sensor=sampled)"
    check(state)
    expect(gyro.page.get_by_label("Bits of a sample")).to_be_visible()
    for _ in range(2):
        gyro.undo()
    assert gyro.state["choice"]["problem"] == "coning" and gyro.state["choice"]["dt"] == 0.001


def test_both_pictures_and_what_is_told(gyro: Any) -> None:
    expect(gyro.page.locator("#views").get_by_text("They drift: Exponential by")).to_be_visible()
    expect(gyro.page.get_by_role("heading", name="Drift", exact=True)).to_be_visible()
    gyro.choose("Picture", "Trace of an axis")
    expect(gyro.page.get_by_text("enlarged", exact=False).first).to_be_visible()
    gyro.choose("Picture", "Body in space")
    ledger = gyro.page.get_by_role("region", name="Ledger")
    expect(ledger).to_contain_text("°/h")


@pytest.mark.exhaustive
@needs_axe
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_and_axe_finds_nothing_serious(lab: Any, theme: str) -> None:
    check_appearance(lab, theme, "gyroscope", **START)
