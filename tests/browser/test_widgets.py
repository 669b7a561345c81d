"""Choices by the widgets; each test undoes its changes, which also tests undo."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest
from conftest import SEED, assert_runs
from covering import first

import engine
from app.state.presets import PRESETS
from app.state.presets.surprise import surprise

expect = pytest.importorskip("playwright.sync_api").expect


def test_a_step_that_is_typed(lab: Any) -> None:
    lab.open()
    for text, value in (
        ("60 Hz", 1 / 60),
        ("0.25", 0.25),
        ("1e-1", 0.1),
    ):  # one after the other, with Enter
        state = lab.after(lambda text=text: lab.type("Δt", text))
        assert state["choice"]["dt"] == value
        assert state["painted"] > state["changed"] > 0
        assert_runs(state)
    assert [lab.undo()["choice"]["dt"] for _ in range(3)] == [0.25, 1 / 60, 0.5]
    expect(lab.entry("Δt")).to_have_value("0.5")


@pytest.mark.exhaustive
def test_a_step_halved_and_doubled(lab: Any) -> None:
    lab.open()
    state = lab.after(lab.button("Halve Δt").click)
    assert state["choice"]["dt"] == 0.25
    assert_runs(state)
    assert lab.after(lab.button("Double Δt").click)["choice"]["dt"] == 0.5
    expect(lab.entry("Δt")).to_have_value("0.5")


@pytest.mark.exhaustive
def test_a_duration_that_is_typed(lab: Any) -> None:
    lab.open()
    state = lab.after(lambda: lab.type("Duration", "20"))
    assert state["choice"]["duration"] == 20
    assert_runs(state)
    assert lab.undo()["choice"]["duration"] == 50


def test_everything_follows_a_slider_and_one_undo_takes_the_gesture_back(lab: Any) -> None:
    lab.open()
    page = lab.page
    box = page.get_by_role("slider", name="Δt by powers of ten").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    seen = [lab.state["revision"]]
    for i in range(1, 6):
        page.mouse.move(x - 4 * i, y)
        page.wait_for_function("before => window.polhode.revision > before", arg=seen[-1])
        seen.append(lab.state["revision"])  # while it is held
    page.mouse.up()
    state = lab.settled()
    assert state["choice"]["dt"] < 0.4
    expect(lab.entry("Δt")).to_have_value(f"{state['choice']['dt']:g}")
    assert_runs(state)  # the newest request won
    assert lab.undo()["choice"]["dt"] == 0.5
    assert lab.after(lab.button("Redo (Ctrl+Shift+Z)").click)["choice"] == state["choice"]
    assert lab.undo()["choice"]["dt"] == 0.5


def test_another_problem_comes_with_its_step_and_parameters(lab: Any) -> None:
    lab.open()
    page = lab.page
    page.get_by_role("combobox", name="Problem", exact=True).click()
    menu = page.get_by_role("listbox")
    for group in {problem.group for problem in engine.problems()}:
        expect(menu.get_by_text(group, exact=True)).to_be_visible()
    top = menu.get_by_role("option", name="Slow top", exact=True)
    expect(top).to_have_accessible_description(engine.problem("slow-top").summary)
    expect(top.locator("svg")).to_be_visible()
    state = lab.after(top.click)
    expect(menu).to_be_hidden()
    problem = engine.problem("slow-top")
    choice = state["choice"]
    assert (choice["problem"], choice["dt"], choice["duration"]) == (
        "slow-top",
        problem.dt,
        problem.duration,
    )
    assert choice["methods"] == ["NMB", "AKW"]
    assert_runs(state)
    expect(page.get_by_text(problem.summary[:30])).to_be_visible()
    assert lab.undo()["choice"]["problem"] == "free"


def test_a_method_is_searched_for_and_added_and_removed(lab: Any) -> None:
    """By an alias; `test_choice_lists_in_browser` searches by its other names."""
    lab.open()
    state = lab.after(lambda: lab.add("rattle", "DMV"))
    assert state["choice"]["methods"] == ["NMB", "AKW", "DMV"]
    assert_runs(state)
    expect(
        lab.page.get_by_role("table", name=re.compile("conserved")).get_by_role(
            "rowheader", name="Moser–Veselov"
        )
    ).to_be_visible()
    assert lab.after(lab.button("Remove Moser–Veselov").click)["choice"]["methods"] == [
        "NMB",
        "AKW",
    ]


def test_a_family_lists_its_methods_and_a_fifth_method_is_refused_in_words(lab: Any) -> None:
    lab.open(problem="free", methods="NMB,AKW,DMV,ELN", dt="0.5", duration="20")
    page = lab.page
    page.get_by_role("combobox", name="Methods", exact=True).fill("newmark")
    offered = page.get_by_role("option")
    expect(
        offered.filter(visible=True, has_not_text=re.compile("newmark", re.IGNORECASE))
    ).to_have_count(0)
    expect(offered.filter(visible=True).nth(2)).to_be_visible()
    lab.unchanged(lambda: lab.add("TRAP", "TRAP"), page.get_by_text("At most 4 methods"))


@pytest.mark.exhaustive
def test_energy_correction_composition_and_option_of_a_method(lab: Any) -> None:
    lab.open(problem="free", methods="AKW,MR2", dt="0.25", duration="10")
    page = lab.page
    page.get_by_text("Energy correction, composition, options").click()
    switch = page.get_by_role("switch", name="Energy correction").first
    state = lab.after(lambda: switch.press("Space"))
    assert state["choice"]["methods"][0] == "AKW+E"
    assert_runs(state)
    assert lab.undo()["choice"]["methods"][0] == "AKW"

    composition = page.get_by_role("combobox", name="Composition").first
    state = lab.after(lambda: composition.select_option("yoshida4"))
    assert state["choice"]["methods"][0] == "AKW*yoshida4"
    assert_runs(state)

    axes = page.get_by_role("combobox", name="axes").first
    axes.focus()
    state = lab.after(lambda: axes.select_option("231"))
    expect(page.get_by_role("combobox", name="axes").first).to_be_focused()
    assert state["choice"]["methods"] == ["AKW*yoshida4", "MR2(axes=231)"]
    assert_runs(state)


def test_parameters_of_the_problem(lab: Any) -> None:
    lab.open()
    state = lab.after(lambda: lab.type("Inertia J₁, J₂, J₃", "1, 1.5, 2"))
    assert [state["choice"]["changes"]["J"][i] for i in range(3)] == [1, 1.5, 2]
    assert_runs(state)
    state = lab.after(lambda: lab.type("Angular velocity Ω₀", "0, 1, 0.001"))
    assert set(state["choice"]["changes"]) == {"J", "Omega0"}
    assert_runs(state)
    lab.undo()
    assert lab.undo()["choice"]["changes"] == {}
    expect(lab.entry("Inertia J₁, J₂, J₃")).to_have_value("0.9144, 1.098, 1.66")


@pytest.mark.parametrize(
    ("label", "wrong", "words"),
    first([
        ("Δt", "0", "Δt is a number from"),
        ("Δt", "soon", "Δt must be a number"),
        ("Duration", "-3", "The duration is a number from"),
        ("Inertia J₁, J₂, J₃", "one, two", "3 numbers (principal moments) or 9 (matrix), separated by commas"),
        ("Inertia J₁, J₂, J₃", "1, 2, -1", "three positive"),
        ("Angular velocity Ω₀", "1, 2", "Ω₀ takes 3 numbers"),
    ]),
)  # fmt: skip
def test_what_can_not_be_had_is_refused_in_words_at_its_widget(
    lab: Any, label: str, wrong: str, words: str
) -> None:
    lab.open()
    entry = lab.entry(label)
    right = entry.input_value()
    lab.unchanged(lambda: lab.type(label, wrong), lab.page.locator(".wrong").get_by_text(words))
    lab.entry(label).focus()
    frame = lab.page.locator(".wrong fieldset").first
    border, colour = frame.evaluate(
        """e => {
            const about = e.closest(".entry").querySelector(".about");
            return [getComputedStyle(e).border, getComputedStyle(about).color];
        }"""
    )
    assert border == f"2px solid {colour}", "the whole frame is as red as the words"
    expect(frame).to_have_css("outline-style", "none")  # which would cross the label
    expect(entry).to_have_attribute("aria-invalid", "true")
    expect(entry).to_have_accessible_description(re.compile(re.escape(words), re.IGNORECASE))
    lab.after(lab.button("Halve Δt").click)  # a valid change: the widgets show the choice again
    expect(entry).to_have_attribute("aria-invalid", "false")
    lab.undo()
    expect(entry).to_have_value(right)


@pytest.mark.exhaustive
def test_undo_redo_and_reset_by_keys_and_buttons(lab: Any) -> None:
    lab.open(problem="slow-top", methods="NMB", dt="0.02", duration="2")
    page = lab.page
    lab.after(lab.button("Halve Δt").click)
    lab.button("Halve Δt").focus()
    assert lab.after(lambda: page.keyboard.press("Control+z"))["choice"]["dt"] == 0.02
    assert lab.after(lambda: page.keyboard.press("Control+Shift+z"))["choice"]["dt"] == 0.01
    problem = engine.problem("slow-top")
    choice = lab.after(page.get_by_role("button", name=re.compile("^Reset")).first.click)["choice"]
    assert (choice["dt"], choice["duration"], choice["methods"]) == (
        problem.dt,
        problem.duration,
        ["NMB"],
    )
    assert lab.undo()["choice"]["dt"] == 0.01
    assert lab.undo()["choice"]["dt"] == 0.02


@pytest.mark.exhaustive
def test_presets_and_surprises(lab: Any) -> None:
    lab.open()
    page = lab.page
    lab.button("Presets").click()
    item = page.get_by_role("button", name="No solution", exact=True)
    state = lab.after(item.click)
    assert state["choice"]["methods"] == ["NMB", "DMV", "MR2"]
    assert [run["status"] for run in state["runs"]] == ["done", "no-solution", "done"]
    assert_runs(state)
    expect(page.get_by_role("alert")).to_contain_text(
        "it finds none in the first step"
    )  # what is to be seen in it
    lab.button("Presets").click()
    state = lab.after(lab.button("Surprise me").click)
    drawn = surprise(Random(SEED))
    assert (state["choice"]["problem"], state["choice"]["methods"]) == (
        drawn.problem,
        [*drawn.methods],
    )
    assert (state["choice"]["dt"], state["choice"]["duration"]) == (drawn.dt, drawn.duration)
    assert all(run["status"] != "not run" for run in state["runs"])
    assert_runs(state)
    lab.undo()
    assert lab.undo()["choice"]["methods"] == ["NMB", "AKW"]


@pytest.mark.exhaustive
def test_a_slider_goes_by_single_and_by_ten_steps_with_the_keys(lab: Any) -> None:
    lab.open()
    slider = lab.page.get_by_role("slider", name="Δt by powers of ten")
    keys = lab.page.keyboard
    slider.focus()
    for key, dt in (
        ("PageUp", 0.63),
        ("Shift+ArrowUp", 0.79),
        ("ArrowRight", 0.81),
        ("PageDown", 0.65),
    ):
        state = lab.after(lambda key=key: keys.press(key))
        assert state["choice"]["dt"] == dt
        expect(lab.entry("Δt")).to_have_value(f"{dt:g}")
        expect(slider).to_have_attribute("aria-valuetext", f"{dt:g}")
    assert_runs(state)
    lab.forget()


def test_what_is_typed_stays_until_it_can_be_had_and_is_written_as_all_numbers_are(
    lab: Any,
) -> None:
    lab.open()
    entry = lab.entry("Δt")
    keys = lab.page.keyboard
    lab.unchanged(
        lambda: lab.type("Δt", "0.2s"), lab.page.locator(".wrong").get_by_text("must be a number")
    )
    expect(entry).to_have_value("0.2s")  # to be mended
    state = lab.after(lambda: (entry.press("End"), keys.press("Backspace"), keys.press("Enter")))
    assert state["choice"]["dt"] == 0.2
    lab.unchanged(lambda: lab.type("Δt", "2.0e-1"), entry)
    expect(entry).to_have_value("0.2")
    lab.undo()


@pytest.mark.exhaustive
def test_presets_are_reached_by_the_keyboard_alone(lab: Any) -> None:
    lab.open()
    keys = lab.page.keyboard
    button = lab.button("Presets")
    dialog = lab.page.get_by_role("dialog", name="Presets")
    button.focus()
    keys.press("Enter")
    expect(dialog.get_by_role("button", name=PRESETS[0].title, exact=True)).to_be_visible()
    keys.press("ArrowDown")
    assert lab.focused() == PRESETS[0].title
    keys.press("ArrowRight")
    assert lab.focused() == PRESETS[1].title
    keys.press("ArrowUp")
    keys.press("ArrowUp")
    assert lab.focused() == "Search presets"
    keys.press("Escape")
    expect(dialog).to_be_hidden()
    expect(button).to_be_focused()
    keys.press("Enter")
    keys.type("freely spinning")
    choice = lab.after(lambda: keys.press("Enter"))["choice"]
    problem = engine.problem("free")
    assert (choice["dt"], choice["duration"], choice["methods"]) == (
        problem.dt,
        problem.duration,
        ["NMB", "AKW"],
    )
    expect(dialog).to_be_hidden()
    lab.undo()


TYPED = """(field, entered) => {
    const type = text => {
        field.value = text;
        field.dispatchEvent(new Event("input", { bubbles: true }));
    };
    for (const text of entered) {
        type(text);
        field.dispatchEvent(new Event("change", { bubbles: true }));
    }
    type("0.12");
}"""
"""Enters values at once, and begins to type another one."""


def test_answers_to_what_was_typed_leave_alone_what_is_being_typed_next(lab: Any) -> None:
    lab.open()
    entry = lab.entry("Δt")
    for entered in (["0.25", "0.2", "0.25"], ["0.25"], ["0.25", "0.2"]):
        lab.after(lambda entered=entered: entry.evaluate(TYPED, entered))
        assert lab.state["choice"]["dt"] == float(entered[-1])
        expect(entry).to_have_value("0.12")
        lab.after(lambda: entry.dispatch_event("change"))
        assert lab.state["choice"]["dt"] == 0.12
    lab.forget()


NARROWED = """group => {
    const {host} = group.getRootNode(), before = host.style.width;
    host.style.width = "300px";
    const {right} = host.getBoundingClientRect();
    const beyond = [...group.children].filter(tab => tab.getBoundingClientRect().right > right);
    host.style.width = before;
    return beyond.map(tab => tab.textContent);
}"""
"""The tabs beyond a card of 300 pixels."""


def test_tabs_stay_in_a_card_that_is_narrower_than_they_are(lab: Any) -> None:
    """A card may be narrow in a wide window, as in a notebook."""
    lab.open()
    for name in ("Picture", "Plots"):
        group = lab.page.get_by_role("radiogroup", name=name, exact=True)
        assert group.evaluate(NARROWED) == [], name
