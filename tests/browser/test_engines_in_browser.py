"""The page Engines in the browser: keyboard, copying, a phone, both themes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from test_appearance import CONTROLS, PHONE, needs_axe, switch_theme, violations
from test_dragging import HOLD_MESSAGES

expect = pytest.importorskip("playwright.sync_api").expect

BULLET = Path(__file__).parents[1] / "data" / "engines" / "bullet-in-ammo-js.csv"


@needs_axe
def test_an_engine_is_found_followed_and_copied_and_axe_finds_nothing_serious(lab: Any) -> None:
    lab.load(f"{lab.server}?page=engines&engine=jolt&duration=10")
    page = lab.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    expect(page.locator("#verdict")).to_contain_text("In 10 s at 60 Hz")
    field = page.get_by_role("combobox", name="Engine")
    field.focus()
    page.keyboard.type("gazebo")
    state = lab.after(lambda: page.keyboard.press("Enter"))
    assert state["choice"]["methods"][0] == "ode" and len(state["choice"]["methods"]) == 2
    expect(page).to_have_url(re.compile("engine=ode&.*duration=10"))
    lab.after(
        lambda: (
            page.get_by_role("textbox", name="Frame rate").fill("120")
            or page.keyboard.press("Enter")
        )
    )
    expect(page.locator("#verdict")).to_contain_text("at 120 Hz")
    for _ in range(2):
        ways = page.get_by_role("button", name="Its cure, as code")
        ways.focus()
        page.keyboard.press("Enter")
        expect(page.locator("#cure")).to_be_focused()
        expect(page.locator("#cure")).to_be_in_viewport()
    copies = page.get_by_role("button", name="Copy program").last
    assert "def step(body, t, h, R, Π" in lab.clipboard(copies.click)
    page.locator("label", has_text="Rust").click()
    expect(page.locator("#cure-step")).to_contain_text("fn step(body: Body")
    assert "fn step(body: Body" in lab.clipboard(copies.click)
    try:
        page.set_viewport_size(
            {"width": 1440, "height": 5400}
        )  # what is scrolled away lies over nothing
        assert violations(lab) == [] and page.evaluate(CONTROLS) == []
        switch_theme(lab)
        page.set_viewport_size({"width": PHONE, "height": 844})
        page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")
        assert page.locator("#verdict").evaluate("e => e.scrollHeight <= e.clientHeight"), (
            "its last line too"
        )
        assert violations(lab) == []
    finally:
        page.set_viewport_size({"width": 1440, "height": 900})
        page.context.clear_cookies()
        lab.forget()


def test_the_name_of_a_rule_with_many_options_stays_within_its_picture(lab: Any) -> None:
    options = "max_turn=0,damping=0.1,max_speed=9,gyroscopic=before"
    lab.load(f"{lab.server}?page=engines&engine=rapier&methods=rapier({options})&duration=10")
    chip = lab.page.locator(".chips .chip").first
    expect(chip).to_contain_text("Rapier with gyroscopic term before the torque, damping 0.1")
    name, head = (one.bounding_box() for one in (chip, lab.page.locator(".head:has(.chips)").first))
    assert head["x"] <= name["x"] and name["x"] + name["width"] <= head["x"] + head["width"]


def test_all_engines_are_sorted_by_key_and_a_row_opens_its_engine(lab: Any) -> None:
    lab.load(f"{lab.server}?page=engines")
    page = lab.page
    head = page.get_by_role("button", name="Energy, % of the first")
    cells = page.locator("#engines tbody td.energy")
    expect(cells.first).not_to_be_empty()
    head.focus()
    page.evaluate(HOLD_MESSAGES)
    page.keyboard.press("Enter")
    expect(head).to_have_attribute("aria-disabled", "true")
    expect(head).to_be_focused()  # also while the answer is long in coming
    page.evaluate("() => window.releaseMessages()")
    expect(page.locator("#engines th.energy")).to_have_attribute("aria-sort", "ascending")
    for width in (1440, 1024, PHONE):
        page.set_viewport_size({"width": width, "height": 900})
        assert cells.evaluate_all("all => all.every(e => e.scrollWidth <= e.clientWidth)"), width
    page.set_viewport_size({"width": 1440, "height": 900})
    expect(page.locator("#engines tbody tr").first).to_contain_text("Godot Physics")
    expect(head).to_be_focused()
    expect(page).to_have_url(re.compile("sort=energy"))
    lab.load(page.url)
    expect(page.locator("#engines th.energy")).to_have_attribute("aria-sort", "ascending")
    try:
        page.set_viewport_size({"width": PHONE, "height": 844})
        page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")
        assert page.locator("#engines").evaluate("e => e.scrollWidth <= e.clientWidth")
        lab.after(lambda: page.locator("tr:has(#engine-ode)").click())
        expect(page).to_have_url(re.compile("engine=ode"))
        expect(page.locator("#verdict")).to_be_focused()
        expect(page.locator("#verdict")).to_be_in_viewport()
    finally:
        page.set_viewport_size({"width": 1440, "height": 900})
        lab.forget()


@pytest.mark.exhaustive
def test_on_a_phone_an_engine_from_the_field_brings_its_verdict_into_view(lab: Any) -> None:
    page = lab.page
    page.set_viewport_size({"width": PHONE, "height": 844})
    lab.load(f"{lab.server}?page=engines")
    lab.button("Toggle sidebar").click()
    lab.after(lambda: lab.pick("Engine", "Godot Physics"))
    verdict = page.locator("#verdict")
    expect(verdict).to_be_in_viewport(ratio=1)
    heights = [one.bounding_box() for one in (verdict, page.locator("#widgets"))]
    assert heights[0]["y"] + heights[0]["height"] <= heights[1]["y"], "the widgets hide it"
    assert lab.focused() == "Engine", "the field keeps the focus"
    room, wide = page.locator("#became").evaluate("e => [e.clientWidth, e.scrollWidth]")
    assert wide <= room
    page.set_viewport_size({"width": 1440, "height": 900})


def test_what_is_stated_of_a_motion_is_undone_and_comes_back_after_a_reload(lab: Any) -> None:
    lab.load(f"{lab.server}?page=engines&engine=jolt&duration=10")
    page = lab.page
    page.locator("input[type=file][accept*=parquet]").set_input_files(str(BULLET))
    estimates = page.get_by_text("The moments are estimated")
    expect(estimates).to_be_visible()
    page.get_by_text("Moments and columns").click()
    field = page.get_by_role("textbox", name="Moments of inertia")
    field.fill("1, 2, 2.8")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("motion_J=1,"))
    lab.button("Undo (Ctrl+Z)").click()
    expect(field).to_have_value("")
    expect(estimates).to_be_visible()
    page.keyboard.press("Control+y")
    expect(field).to_have_value("1, 2, 2.8")
    expect(estimates).to_have_count(0)
    expect(page).to_have_url(re.compile("motion_J=1,"))
    page.reload()
    page.get_by_text("Moments and columns").click()
    expect(field).to_have_value("1, 2, 2.8")
    expect(page.locator("#became")).to_contain_text("your file")
    expect(page.get_by_text("does not hold a motion")).to_have_count(0)
    field.fill("")
    page.keyboard.press("Enter")
    expect(estimates).to_be_visible()  # what the link states does not return
    page.evaluate("() => sessionStorage.removeItem('polhode-motion')")
    lab.forget()


@needs_axe
def test_a_motion_is_chosen_and_asked_about(lab: Any) -> None:
    lab.load(f"{lab.server}?page=engines&engine=jolt&duration=10")
    page = lab.page
    expect(page.get_by_role("button", name="Judge your engine's motion …")).to_be_visible()
    expect(page.get_by_text("Moments and columns")).to_be_hidden()
    page.locator("input[type=file][accept*=parquet]").set_input_files(
        {"name": "motion.csv", "mimeType": "text/csv", "buffer": b"Dear, all, this, is, prose\n"}
    )
    expect(page.get_by_text("or Euler angles; name all columns.")).to_be_visible()
    expect(page.get_by_label("Columns", exact=True)).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("textbox", name="Columns")).to_be_visible()
    field = page.get_by_role("textbox", name="Moments of inertia")
    page.locator("input[type=file][accept*=parquet]").set_input_files(str(BULLET))
    expect(page.get_by_text("121 rows, Δt = 1/60 s")).to_be_visible()
    expect(page.locator("#judged")).to_be_in_viewport()
    expect(page.locator(".chips .chip").first).to_contain_text(BULLET.name)
    expect(page.locator("#became")).to_contain_text("your file")
    lab.choose("Picture", "Poinsot")
    expect(page.get_by_role("application", name="Poinsot's construction in 3D")).to_be_visible()
    estimates = page.get_by_text("The moments are estimated")
    expect(estimates).to_be_visible()
    field.fill("1, 2, 2.8")
    page.keyboard.press("Enter")
    expect(estimates).to_have_count(0)  # while the file is read again
    expect(page.get_by_text("121 rows, Δt = 1/60 s")).to_be_visible()
    expect(page.locator("#became")).to_contain_text("your file")
    assert violations(lab) == []
    leaves = page.get_by_role("button", name="Leave it out of the plots")
    leaves.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Show it in the plots")).to_be_focused()
    expect(page.locator("#became")).not_to_contain_text("your file")
    page.locator(".recording button", has_text="Stop").evaluate("e => e.click()")
    expect(page.locator("#judged")).not_to_have_text("What becomes of the body")
    expect(page.locator(".recording progress")).to_be_hidden()
    lab.forget()
