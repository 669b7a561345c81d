"""What a person changes by taking hold of it: the start of a motion, in the pictures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import assert_runs

import engine

expect = pytest.importorskip("playwright.sync_api").expect


def middle(part: Any) -> tuple[float, float]:
    box = part.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_the_start_is_dragged_on_the_momentum_sphere(lab: Any) -> None:
    lab.open()
    lab.choose("Picture", "|Π| sphere")
    start, mouse, field = (
        lab.page.get_by_role("slider", name="Start Π₀"),
        lab.page.mouse,
        lab.entry("Angular velocity Ω₀"),
    )
    start.focus()
    lab.settled()
    (x, y), before = middle(start), field.input_value()
    assert min(start.bounding_box()[side] for side in ("width", "height")) >= 24
    mouse.move(x, y)
    mouse.down()
    lab.after(lambda: mouse.move(x - 40, y + 60, steps=3))
    expect(field).not_to_have_value(before)  # while it is held
    lab.after(lambda: mouse.move(x - 90, y + 80, steps=3))
    mouse.up()
    state = lab.settled()
    assert_runs(state)
    np.testing.assert_allclose(middle(start), (x - 90, y + 80), atol=1)
    body = engine.problem("free").replace(Omega0=state["choice"]["changes"]["Omega0"])
    assert np.linalg.norm(body.Pi0) == pytest.approx(np.linalg.norm(engine.problem("free").Pi0), rel=1e-4)
    assert start.get_attribute("aria-valuetext") == f"Ω₀ = {field.input_value()}"
    lab.undo()
    expect(field).to_have_value(before)
    np.testing.assert_allclose(middle(start), (x, y), atol=1)
    start.press("Shift+ArrowLeft")
    expect(field).not_to_have_value(before)
    lab.settled()
    assert lab.undo()["choice"]["changes"] == {}
    lab.choose("Picture", "Poinsot")
