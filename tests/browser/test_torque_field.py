"""The field of a typed torque: names that complete, errors at their place, examples, and methods in
place of those that do not fit.
"""

from __future__ import annotations

from typing import Any

import pytest
from conftest import assert_runs
from test_appearance import needs_axe, violations
from timeouts import wait_until

expect = pytest.importorskip("playwright.sync_api").expect

OPEN = {
    "problem": "custom(torque=formula)",
    "methods": "NMB,RKMK",
    "dt": "0.05",
    "duration": "5",
}
POINTED_AT = """field => field.getRootNode().getElementById(field.getAttribute("aria-activedescendant"))
    ?.querySelector("b").textContent"""


def torque(lab: Any) -> Any:
    return lab.page.get_by_role("combobox", name="Torque, a formula", exact=True)


def test_a_torque_is_typed_by_the_keyboard_alone(lab: Any) -> None:
    """Names complete; a method that does not fit is replaced, and Undo takes that back."""
    lab.open(**OPEN)
    field, keys = torque(lab), lab.page.keyboard
    names = lab.page.get_by_role("listbox", name="Names").get_by_role("option")
    field.fill("")
    keys.type("-0.1*om")
    expect(names).to_have_count(1)
    expect(field).to_have_attribute("aria-expanded", "true")
    keys.press("ArrowDown")
    assert field.evaluate(POINTED_AT) == "Omega"
    keys.press("Enter")
    expect(field).to_have_value("-0.1*Omega")
    expect(field).to_have_attribute("aria-expanded", "false")
    keys.type(" + si")
    keys.press("ArrowDown")
    keys.press("ArrowDown")
    assert field.evaluate(POINTED_AT) == "sinh"
    keys.press("ArrowUp")
    keys.press("Enter")
    keys.type("2*t)*e1")
    expect(field).to_have_value("-0.1*Omega + sin(2*t)*e1")
    state = lab.after(lambda: keys.press("Enter"))
    assert_runs(state)
    assert len(state["runs"]) == 2 and "NMB" not in state["choice"]["methods"]
    notice = lab.page.get_by_role("alert").filter(has_text="replaces Explicit Newmark")
    expect(notice).to_be_visible()
    state = lab.after(notice.get_by_role("button", name="Undo").click)
    assert state["choice"]["methods"] == ["NMB", "RKMK"]
    expect(notice).to_have_count(0)


def test_an_error_is_underlined_and_names_are_explained_where_they_are_typed(lab: Any) -> None:
    lab.open(**OPEN)
    field, keys = torque(lab), lab.page.keyboard
    field.fill("")
    keys.type("R[:,2] + sin(2*q)*e1")
    underlined = field.locator("xpath=..").locator("u")
    expect(underlined).to_have_text("q")
    error = lab.page.get_by_text("'q' is not known")
    expect(error).to_be_visible()
    place, whole = underlined.bounding_box(), field.bounding_box()
    assert whole["x"] < place["x"] < whole["x"] + whole["width"] / 2
    assert whole["y"] < place["y"] < whole["y"] + whole["height"]
    expect(lab.page.get_by_text("e1: the vector (1, 0, 0)")).to_be_visible()
    keys.press("Home")
    for _ in range(2):
        keys.press("ArrowRight")
    expect(lab.page.get_by_text("Places count from 0")).to_be_visible()
    for _ in range(14):
        keys.press("ArrowRight")
    keys.press("Backspace")
    keys.type("t")
    expect(underlined).to_have_count(0)
    expect(error).to_have_count(0)
    keys.press("Escape")
    lab.after(lambda: keys.press("Enter"))
    lab.undo()


PLACE = """field => {
    const [place, whole] = [field.parentNode.querySelector("u"), field].map(e => e.getBoundingClientRect());
    return (place.x - whole.x) / whole.width;
}"""
"""Where the line below an error begins, as a part of the field; each scrolling makes it anew."""


def test_the_place_of_an_error_moves_with_a_long_formula(lab: Any) -> None:
    lab.open(**OPEN)
    field, keys = torque(lab), lab.page.keyboard
    field.fill("")
    keys.type("cross(R[:,2], e1) + sin(2*t)*e1 + 0.1*R@Omega + q*e1 + e2")
    underlined = field.locator("xpath=..").locator("u")
    expect(underlined).to_have_text("q")
    wait_until(lambda: 0.5 < field.evaluate(PLACE) < 1.0, "the error is underlined at its place")
    keys.press("Home")
    wait_until(lambda: field.evaluate(PLACE) > 1.0, "the line moves with the text")
    field.fill("e1")
    lab.after(lambda: keys.press("Enter"))
    lab.undo()


def test_an_example_is_a_click(lab: Any) -> None:
    """Also while something wrong is typed."""
    lab.open(**OPEN)
    torque(lab).fill("e1 e2")
    state = lab.after(lab.button("Friction").click)
    assert state["choice"]["problem"] == "custom(torque=formula, frame=body)"
    assert state["choice"]["changes"]["formula"] == "-0.1*Omega"
    expect(torque(lab)).to_have_value("-0.1*Omega")
    expect(torque(lab)).to_have_attribute("aria-invalid", "false")
    axes = lab.page.get_by_role("combobox", name="Axes of the torque")
    expect(axes).to_have_value("body")
    lab.undo()


@needs_axe
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_an_error_and_in_the_list_of_names(
    lab: Any, theme: str
) -> None:
    lab.open(**OPEN)
    lab.page.emulate_media(color_scheme=theme)
    field = torque(lab)
    field.fill("q*e1 + e2")
    expect(lab.page.get_by_text("'q' is not known")).to_be_visible()
    assert violations(lab) == []
    field.press("End")
    field.press("Space")
    field.press("ArrowDown")
    expect(lab.page.get_by_role("option", name="Omega")).to_be_visible()
    assert violations(lab) == []
    field.press("Escape")
    field.fill(lab.state["choice"]["changes"].get("formula", "2*cross(R[:,2], e3)"))
    field.press("Enter")
    lab.page.emulate_media(color_scheme="light")
