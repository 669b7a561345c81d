"""The lists of problems and methods: by keyboard, by words, in a small window, and refusals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import engine

expect = pytest.importorskip("playwright.sync_api").expect


def problem(lab: Any) -> Any:
    return lab.page.get_by_role("combobox", name="Problem", exact=True)


def methods(lab: Any) -> Any:
    return lab.page.get_by_role("combobox", name="Methods", exact=True)


def options(lab: Any) -> Any:
    """Return the entries of the open list, without those of native menus."""
    return lab.page.get_by_role("listbox").get_by_role("option")


@contextmanager
def window(lab: Any, width: int, height: int) -> Iterator[Any]:
    """Resize the window for the block."""
    lab.page.set_viewport_size({"width": width, "height": height})
    try:
        yield lab.page
    finally:
        lab.page.set_viewport_size({"width": 1440, "height": 900})


POINTED_AT = """field => field.getRootNode().getElementById(field.getAttribute("aria-activedescendant"))
    ?.querySelector("b").textContent"""
"""Return the name of the entry that Enter would choose."""

SPELL = """(field, word) => {
    for (const key of word) field.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, composed: true}));
}"""
"""Type a word without pauses between the letters, since a pause starts a new word."""


def test_a_problem_is_picked_by_the_keyboard_alone(lab: Any) -> None:
    lab.open()
    keys = lab.page.keyboard
    field = problem(lab)
    names = [p.name for p in engine.problems()]
    field.focus()
    keys.press("ArrowDown")
    expect(field).to_have_attribute("aria-expanded", "true")
    assert field.evaluate(POINTED_AT) == "Freely spinning body"  # what is chosen
    keys.press("End")
    assert field.evaluate(POINTED_AT) == names[-1]
    keys.press("Home")
    keys.press("ArrowDown")
    assert field.evaluate(POINTED_AT) == names[1]
    keys.press("Escape")
    expect(options(lab)).to_have_count(0)
    expect(field).to_be_focused()
    keys.press("?")
    expect(lab.page.get_by_role("dialog")).to_contain_text("Ctrl+Z")
    keys.press("Escape")
    expect(lab.page.get_by_role("dialog")).to_have_count(0)
    field.focus()
    field.evaluate(SPELL, "fast t")
    assert field.evaluate(POINTED_AT) == "Fast top"
    lab.page.wait_for_timeout(800)  # another word
    field.evaluate(SPELL, "sl")
    assert field.evaluate(POINTED_AT) == "Slow top"
    state = lab.after(lambda: keys.press("Enter"))
    assert state["choice"]["problem"] == "slow-top"
    expect(field).to_have_text("Slow top")
    expect(field).to_be_focused()
    lab.undo()
    expect(field).to_have_text("Freely spinning body")


def test_words_find_methods_by_any_of_their_names_and_the_key_comes_first(lab: Any) -> None:
    lab.open()
    field = methods(lab)
    for words, first in (
        ("sw", "Explicit Simo–Wong"),
        ("RATTLE", "Moser–Veselov"),
        ("runge group munthe", "Munthe-Kaas"),
        ("rk4-q", "Runge–Kutta 4"),
    ):
        field.fill(words)
        expect(options(lab).first.locator("b")).to_have_text(first)
    field.fill("e")  # each of them has one
    field.press("ArrowDown")
    assert field.evaluate(POINTED_AT) == options(lab).first.locator("b").inner_text()
    field.fill("no such method")
    expect(options(lab)).to_have_count(0)
    expect(lab.page.get_by_text("No method matches “no such method”.")).to_be_visible()
    lab.unchanged(lambda: lab.page.keyboard.press("Enter"), methods(lab))
    field.fill("eln")
    state = lab.after(
        lambda: lab.page.keyboard.press("Enter")
    )  # the first, where none is pointed at
    assert state["choice"]["methods"] == ["NMB", "AKW", "ELN"]
    expect(field).to_have_value("")
    expect(field).to_be_focused()
    state = lab.after(lab.button("Remove Explicit Lie–Newmark").click)
    assert state["choice"]["methods"] == ["NMB", "AKW"]
    expect(field).to_be_focused()  # to go on with
    field.press("ArrowDown")
    expect(options(lab)).not_to_have_count(0)
    lab.page.mouse.click(900, 20)  # somewhere else
    expect(options(lab)).to_have_count(0)


@pytest.mark.exhaustive
def test_tab_goes_on_and_enter_takes_only_what_was_asked_for(lab: Any) -> None:
    lab.open()
    field = methods(lab)
    field.focus()
    field.press("Enter")
    expect(options(lab)).not_to_have_count(0)
    lab.unchanged(lambda: field.press("Enter"), options(lab).first)
    field.press("Tab")
    expect(options(lab)).to_have_count(0)
    assert lab.focused() == "Remove Explicit Newmark"


@pytest.mark.exhaustive
def test_what_is_typed_is_taken_before_a_method_goes(lab: Any) -> None:
    lab.open(problem="free", methods="NMB,AKW", dt="0.5", duration="20")
    lab.entry("Δt").fill("0.25")
    state = lab.after(lab.button("Remove Implicit midpoint").click)
    assert (state["choice"]["dt"], state["choice"]["methods"]) == (0.25, ["NMB"])


@pytest.mark.exhaustive
def test_a_list_goes_with_its_field_when_the_widgets_are_scrolled(lab: Any) -> None:
    lab.open()
    with window(lab, 1440, 500) as page:
        problem(lab).click()
        at = problem(lab).bounding_box()
        top = page.get_by_role("listbox", name="Problem").bounding_box()
        page.mouse.move(at["x"] + 50, at["y"] + 5)
        page.mouse.wheel(0, 40)
        field = problem(lab).element_handle()
        listbox = page.get_by_role("listbox", name="Problem").element_handle()
        page.wait_for_function(
            """([field, at, list, top]) => {
                const moved = field.getBoundingClientRect().top - at;
                return moved < -20 && Math.abs(list.getBoundingClientRect().top - top - moved) <= 1;
            }""",
            arg=[field, at["y"], listbox, top["y"]],
        )
        page.keyboard.press("Escape")


def test_what_is_refused_changes_nothing_and_is_said_at_the_field(lab: Any) -> None:
    lab.open(problem="free", methods="NMB,AKW,DMV,ELN", dt="0.5", duration="20")
    words = lab.page.get_by_role("alert").filter(has_text="At most 4 methods")
    lab.unchanged(lambda: lab.add("TRAP", "TRAP"), words)
    expect(methods(lab)).to_have_attribute("aria-invalid", "true")
    expect(methods(lab)).to_have_accessible_description(re.compile("At most 4 methods"))
    lab.after(lab.button("Remove Explicit Lie–Newmark").click)
    expect(words).to_have_count(0)
    expect(methods(lab)).to_have_attribute("aria-invalid", "false")
    assert lab.after(lambda: lab.add("TRAP", "TRAP"))["choice"]["methods"] == [
        "NMB",
        "AKW",
        "DMV",
        "TRAP",
    ]


@pytest.mark.exhaustive
def test_a_list_stays_within_a_small_window_and_goes_when_the_page_is_used(lab: Any) -> None:
    lab.open()
    with window(lab, 700, 420) as page:
        lab.button("Toggle sidebar").click()
        methods(lab).click()
        box = page.get_by_role("listbox", name="Methods").bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 700
        assert box["y"] >= 0 and box["y"] + box["height"] <= 420
        last = engine.algorithms()[-1].short
        page.keyboard.press("ArrowUp")  # from none to the last, which is scrolled to
        assert methods(lab).evaluate(POINTED_AT) == last
        expect(page.get_by_role("option", name=re.compile(f"^{last} "))).to_be_in_viewport()
        lab.entry("Δt").focus()
        expect(options(lab)).to_have_count(0)
    lab.forget()
