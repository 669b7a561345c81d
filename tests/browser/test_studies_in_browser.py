"""The page Studies in the browser: start a study, watch its progress, stop it, download its
results.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from conftest import THERE
from test_appearance import CONTROLS, SIZES, needs_axe, switch_theme, violations
from test_plots_in_browser import menu_item

import engine
from engine import studies
from engine.text.formatting import show

expect = pytest.importorskip("playwright.sync_api").expect

QUICK = {
    "page": "studies", "study": "convergence", "problem": "free", "methods": "NMB,MR2", "duration": "5",
    "dts": "0.5,0.25,0.125,0.0625",
}  # fmt: skip
MEASURED = "() => window.polhode.choice.measured"


@pytest.fixture
def quick(lab: Any) -> Any:
    """A study that takes a moment, measured."""
    return lab.open(ready=MEASURED, **QUICK)


def measured(lab: Any) -> None:
    """Wait until the result belongs to the question."""
    lab.page.wait_for_function(MEASURED)
    lab.settled()


def test_a_link_is_measured_drawn_and_told(quick: Any) -> None:
    page = quick.page
    found = studies.convergence("free", ["NMB", "MR2"], [0.5, 0.25, 0.125, 0.0625], duration=5)
    assert found.summary == ""
    for note in found.chart.notes.values():
        expect(page.locator(".legend small").filter(has_text=note).first).to_be_visible()
    expect(
        page.get_by_role("img", name=re.compile("^Attitude error at the end .*against Δt"))
    ).to_be_visible()
    first = page.get_by_role("region", name="Rows").get_by_role("row").nth(1)
    cells = ["Explicit", "Newmark", "0.5", "10", f"{found.rungs[0].attitude:.4g}"]
    assert first.inner_text().split()[:5] == cells
    expect(page).to_have_title("Studies · Polhode")


@pytest.mark.exhaustive
def test_another_question_is_measured_when_run_is_pressed(quick: Any) -> None:
    page = quick.page
    quick.pick("Problem", "Slow top")
    quick.button("Remove McLachlan–Reich").click()
    quick.add("implicit midpoint", "AKW")
    quick.type("Duration", "2")
    expect(page.get_by_role("status").filter(has_text="Press Run.")).to_be_visible()
    quick.button("Run").click()
    measured(quick)
    expect(page.get_by_role("heading", name="Convergence: Slow top")).to_be_visible()
    assert quick.state["choice"]["methods"] == ["NMB", "AKW"]
    page.wait_for_url(re.compile("problem=slow-top.*duration=2"))
    quick.load(page.url)
    measured(quick)
    expect(page.get_by_role("heading", name="Convergence: Slow top")).to_be_visible()


@pytest.mark.exhaustive
def test_by_keyboard_alone(quick: Any) -> None:
    entry = quick.entry("Duration")
    entry.focus()
    entry.press("Control+a")
    quick.page.keyboard.type("3")
    quick.page.keyboard.press("Enter")
    expect(quick.page.get_by_role("status").filter(has_text="Press Run.")).to_be_visible()
    for _ in range(8):
        quick.page.keyboard.press("Tab")
        if quick.focused() == "Run":
            break
    quick.page.keyboard.press("Enter")
    measured(quick)
    assert quick.state["choice"]["fields"]["duration"] == "3"


def test_what_can_not_be_had_is_said_at_the_field(quick: Any) -> None:
    quick.type("Duration", "soon")
    expect(quick.page.get_by_text("Duration must be a number; got 'soon'.")).to_be_visible()
    quick.type("Duration", "4")
    expect(quick.page.get_by_text("Duration must be a number; got 'soon'.")).to_be_hidden()


def test_points_and_progress_come_while_it_works_and_stop_keeps_them(quick: Any) -> None:
    page = quick.page
    quick.load(
        f"{quick.server}?page=studies&study=work-precision&problem=free&methods=NMB,AKW,RKMK,PDMV,RK-QUAT,CF4"
        "&repetitions=100"
    )
    expect(page.get_by_role("status").filter(has_text="Press Run.")).to_be_visible()
    quick.button("Run").click()
    expect(page.get_by_text(re.compile(r"^[\d,]+ of [\d,]+, "))).to_be_visible()
    expect(
        page.get_by_role("img", name=re.compile("against seconds in the kernel"))
    ).to_be_visible()
    quick.button("Stop").click()
    expect(
        page.get_by_role("status").filter(
            has_text=re.compile("^Stopped: the page shows what was measured")
        )
    ).to_be_visible()
    expect(page.get_by_role("region", name="Rows").get_by_role("row").nth(1)).to_be_visible()


@pytest.mark.exhaustive
def test_a_run_of_a_thousand_million_steps_leaves_the_page_alive_and_is_stopped(quick: Any) -> None:
    page = quick.page
    quick.load(
        f"{quick.server}?page=studies&study=long-run&problem=free&methods=RKMK(tableau=dop853)&steps=1e9"
    )
    quick.button("Run").click()
    status = page.get_by_text("of 1,000,000,000")
    expect(status).to_be_visible()
    report = status.inner_text()
    for value in ("0.1", "0.2", "0.3"):
        quick.after(lambda value=value: quick.type("Δt", value))
    expect(status).not_to_have_text(report)
    quick.button("Stop").click()
    expect(quick.button("Stop")).to_be_hidden()  # the run itself would take minutes yet
    expect(page.get_by_text(re.compile(r"^Munthe-Kaas was stopped after .* steps"))).to_be_visible()


def test_what_can_be_taken_along(quick: Any) -> None:
    csv = quick.download(quick.button("Download rows (CSV)").click).read_text()
    assert csv.splitlines()[0].startswith("method,dt,steps,attitude") and len(csv.splitlines()) == 9
    drawing = quick.download(menu_item(quick, "Attitude error at the end", "SVG").click).read_text()
    assert drawing.startswith("<svg") and "against Δt" in drawing
    assert (
        drawing.count('<path d="M5 0a5') == 4 + 1
        and drawing.count('<path d="M1 1h8v8h-8Z') == 4 + 1
    ), "and in the legend"
    assert (
        quick.download(menu_item(quick, "Attitude error at the end", "PNG").click)
        .read_bytes()
        .startswith(b"\x89PNG")
    )
    menu_item(quick, "Attitude error at the end", "table").click()
    dialog = quick.page.get_by_role("dialog")
    expect(dialog.get_by_role("row")).to_have_count(9)
    dialog.get_by_role("button", name="Close").click()
    python = quick.clipboard(quick.button("Copy Python").click)
    found: dict[str, Any] = {}
    exec(python.replace("print", "str"), found)
    assert found["found"].duration == 5.0
    assert "study=convergence" in quick.clipboard(quick.button("Copy link").click)


@pytest.mark.exhaustive
def test_the_pages_lead_to_each_other(quick: Any) -> None:
    page = quick.page
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Lab").first.click()
    page.wait_for_function("() => window.polhode?.choice?.dt")
    expect(page).to_have_title("Polhode")
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Studies").first.click()
    page.wait_for_function("() => window.polhode?.choice?.study")


@pytest.mark.exhaustive
@needs_axe
def test_it_fits_and_can_be_read_in_light_and_dark(quick: Any) -> None:
    page = quick.page
    try:
        for theme in ("light", "dark"):
            if theme == "dark":
                switch_theme(quick)
            for width, height in SIZES:
                page.set_viewport_size({"width": width, "height": height})
                quick.settled()
                page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")
                quick.screenshot(f"studies-{width}x{height}-{theme}")
            page.set_viewport_size({"width": 1440, "height": 900})
            quick.settled()
            assert page.evaluate(CONTROLS) == []
            assert violations(quick) == []
    finally:
        page.set_viewport_size({"width": 1440, "height": 900})
        page.context.clear_cookies()
        quick.forget()


@pytest.mark.exhaustive
@needs_axe
def test_results_of_an_earlier_question_can_be_read(quick: Any) -> None:
    quick.type("Duration", "4")
    expect(quick.page.get_by_text("These results answer the earlier question.")).to_be_visible()
    try:
        for theme in ("dark", "light"):
            quick.page.emulate_media(color_scheme=theme)
            assert violations(quick) == []
    finally:
        quick.page.emulate_media(color_scheme="light")
        quick.forget()


@pytest.mark.exhaustive
def test_every_problem_that_is_offered_is_known_to_the_engine(quick: Any) -> None:
    quick.page.get_by_role("combobox", name="Problem", exact=True).click()
    options = quick.page.get_by_role("listbox").get_by_role("option")
    offered = [*engine.problems(), *engine.problems("rates")]
    expect(options).to_have_count(len(offered))
    for problem in offered:
        expect(options.filter(has_text=problem.summary)).to_have_accessible_name(problem.name)
    quick.page.keyboard.press("Escape")


def test_a_map_comes_coarse_first_and_a_click_opens_that_run(lab: Any) -> None:
    asked = {
        "study": "map",
        "methods": "DMV",
        "across": "dt=log:0.01:1:24",
        "up": "Omega0.z=1:50:24",
        "duration": "2",
    }
    lab.open(ready=MEASURED, page="studies", problem="slow-top", **asked)
    page = lab.page
    said = re.compile(r"points ran to the end; [\d,]+ without a solution. Energy error: median")
    expect(page.locator("#views").get_by_text(said)).to_be_visible()
    canvas = page.get_by_role(
        "img", name=re.compile("^Moser–Veselov: largest energy error.*against Δt")
    ).bounding_box()
    page.mouse.click(canvas["x"] + 0.2 * canvas["width"], canvas["y"] + 0.6 * canvas["height"])
    place = page.get_by_role("status").filter(has_text="Moser–Veselov at dt = ")
    expect(place).to_be_visible()
    page.get_by_role("button", name="Find the largest value").click()
    link = page.get_by_role("link", name="Open in the lab")
    found = studies.parameter_map("slow-top", "DMV", asked["across"], asked["up"], duration=2)
    _, x, y = found.find_extreme(largest=True)
    expect(place).to_contain_text(f"dt = {show(x)}, Omega0.z = {show(y)}")
    link.click()
    page.wait_for_function(f"() => document.title === 'Polhode' && ({THERE})()")
    choice = lab.settled()["choice"]
    assert choice["dt"] == pytest.approx(x, rel=1e-9) and choice["methods"] == ["DMV"]
    assert choice["changes"]["Omega0"][2] == pytest.approx(y, rel=1e-9)


SMALL_MAP = {"page": "studies", "study": "map", "problem": "free", "methods": "NMB", "across": "dt=0.1:0.5:5",
             "up": "Omega0.z=1:2:5", "duration": "2"}  # fmt: skip


@pytest.mark.exhaustive
def test_the_axes_of_a_map_by_keyboard_alone(lab: Any) -> None:
    lab.open(ready=MEASURED, **SMALL_MAP)
    keys = lab.page.keyboard
    page = lab.page
    page.get_by_role("combobox", name="Across", exact=True).focus()
    keys.type("I")
    keys.press("ArrowDown")
    expect(lab.entry("Across, to")).to_have_value("2.48296")
    for name, text in (("Across, from", "0.8"), ("Across, to", "2"), ("Across, points", "4")):
        keys.press("Tab")
        assert lab.focused() == name
        keys.press("Control+a")
        keys.type(text)
    keys.press("Tab")
    assert lab.focused() == "Across, spacing"
    keys.press("ArrowDown")
    lab.type("Up, from", "-1")
    lab.type("Up, points", "1")
    wrong = page.get_by_text("Up, points must be a whole number from 2 to 200")
    expect(wrong).to_be_visible()
    expect(lab.entry("Up, points")).to_have_attribute("aria-invalid", "true")
    lab.type("Up, points", "3")
    expect(wrong).to_be_hidden()
    lab.button("Run").click()
    measured(lab)
    assert lab.state["choice"]["fields"] == {
        "across": "J.y=log:0.8:2:4",
        "up": "Omega0.z=-1:2:3",
        "duration": "2",
    }


@pytest.mark.exhaustive
@needs_axe
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_map_can_be_used_by_all(lab: Any, theme: str) -> None:
    lab.open(ready=MEASURED, **SMALL_MAP | {"up": "Omega0.z=1, 1.5, 2"})
    page = lab.page
    try:
        if theme == "dark":
            switch_theme(lab)
        lab.type("Across, points", "1")
        expect(lab.entry("Across, points")).to_have_attribute("aria-invalid", "true")
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            lab.settled()
            page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")
            lab.screenshot(f"map-{width}x{height}-{theme}")
        page.set_viewport_size({"width": 1440, "height": 900})
        lab.settled()
        assert page.evaluate(CONTROLS) == []
        assert violations(lab) == []
    finally:
        page.set_viewport_size({"width": 1440, "height": 900})
        page.context.clear_cookies()
        lab.forget()
