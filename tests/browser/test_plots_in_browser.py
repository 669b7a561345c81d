"""The plots: zoom, axes and downloads; the table below them."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pandas as pd
import pytest
from covering import first
from PIL import Image, ImageColor

import engine
from app.state.results import COLOURS

expect = pytest.importorskip("playwright.sync_api").expect

ZOOM = """() => [...globalThis[Symbol.for('polhode.page')].plots]
    .map(({times, ends}) => [...times, ...ends])"""
"""The parts of the axes that the plots over time show."""


def plot(lab: Any, name: str) -> Any:
    return lab.page.get_by_role("img", name=re.compile(f"^{name}"))


def menu_item(lab: Any, name: str, item: str) -> Any:
    """An item of a plot's menu, which is open."""
    lab.button(f"{name}: save or change").click()
    return lab.page.get_by_role("menuitem", name=f"{name}: {item}", exact=True)


def runs() -> dict[str, Any]:
    return {name: engine.simulate("free", name, dt=0.5, duration=50) for name in ("NMB", "AKW")}


def test_zoom_is_kept_when_the_data_change(lab: Any) -> None:
    lab.open()
    page = lab.page
    box = plot(lab, "Energy error").bounding_box()
    x, y = box["x"] + 0.3 * box["width"], box["y"] + 0.3 * box["height"]
    reset = lab.button("Energy error: reset zoom")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y + 20)
    page.mouse.move(x + 120, y + 40)
    page.mouse.up()
    expect(reset).to_be_visible()
    zoomed = page.evaluate(ZOOM)
    assert all(zoom[:2] == zoomed[0][:2] for zoom in zoomed)  # one time axis
    assert 0 < zoomed[0][0] < zoomed[0][1] < 50
    lab.after(lambda: lab.type("Δt", "0.25"))
    kept = page.evaluate(ZOOM)
    assert [zoom[:2] for zoom in kept] == [zoom[:2] for zoom in zoomed]
    assert kept[0][2:] == zoomed[0][2:]
    reset.click()
    expect(reset).to_be_hidden()
    lab.undo()


def test_logarithmic_or_linear_relative_or_absolute(lab: Any) -> None:
    lab.open()
    before = plot(lab, "Energy error").screenshot()
    ranges = lab.page.evaluate(ZOOM)[0][2:]
    lab.choose("Axis", "Linear")
    lab.page.wait_for_function(
        f"before => String(({ZOOM})()[0].slice(2)) !== String(before)", arg=ranges
    )
    linear = lab.page.evaluate(ZOOM)[0][2:]
    assert max(abs(x) for x in linear) < 0.1  # no exponents any more
    lab.settled()
    assert plot(lab, "Energy error").screenshot() != before
    lab.choose("Errors", "Absolute")
    lab.page.wait_for_function(
        f"before => String(({ZOOM})()[0].slice(2)) !== String(before)", arg=linear
    )
    energy = runs()["NMB"].energy
    change = np.abs(energy - energy[0]).max()
    low, high = lab.page.evaluate(ZOOM)[0][2:]
    assert max(-low, high) == pytest.approx(change, rel=0.5)
    lab.choose("Errors", "Relative")
    lab.choose("Axis", "Log")
    lab.page.wait_for_function(
        f"before => String(({ZOOM})()[0].slice(2)) === String(before)", arg=ranges
    )


def test_the_csv_of_a_plot_has_the_numbers_of_the_runs(lab: Any) -> None:
    lab.open()
    saved = lab.download(menu_item(lab, "Energy error", "CSV").click)
    assert saved.name.endswith(".csv")
    table = pd.read_csv(saved, index_col=0)
    for name, run in runs().items():
        np.testing.assert_allclose(table.index, run.t, rtol=1e-14)
        (column,) = (c for c in table.columns if c.startswith(name))
        change = (run.energy - run.energy[0]) / run.energy[0]
        np.testing.assert_allclose(np.abs(table[column]), np.abs(change), rtol=1e-9, atol=1e-16)


def test_the_table_of_a_plot(lab: Any) -> None:
    lab.open()
    menu_item(lab, "Attitude error", "table").click()
    dialog = lab.page.get_by_role("dialog", name="Attitude error, table")
    expect(dialog).to_be_visible()
    last = dialog.get_by_role("row").last.get_by_role("cell").all_inner_texts()
    errors = [engine.error(run).attitude[-1] for run in runs().values()]
    np.testing.assert_allclose([float(x) for x in last], [50, *errors], rtol=1e-4)
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_be_hidden()


@pytest.mark.exhaustive
def test_a_table_whose_plot_has_gone_meanwhile_is_no_error(lab: Any) -> None:
    lab.open(anew=True)
    lab.forget()
    table = menu_item(lab, "Energy error", "table")
    table.evaluate("button => { button.click(); button.getRootNode().host.remove(); }")
    lab.settled()
    expect(lab.page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.parametrize("theme", first(["light", "dark"]))
def test_pictures_of_a_plot(lab: Any, theme: str) -> None:
    """White background in both themes, twice the size of the drawing, with title, axes and
    legend.
    """
    lab.open()
    lab.page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
    png, svg = (lab.download(menu_item(lab, "Energy error", kind).click) for kind in ("PNG", "SVG"))
    lab.page.evaluate("() => { delete document.documentElement.dataset.theme; }")
    for path, kind in ((png, "png"), (svg, "svg")):
        assert path.name.endswith(f"-polhode-free-energy-error.{kind}")
    drawing = ET.parse(svg).getroot()
    text = " ".join(drawing.itertext())
    assert all(
        word in text
        for word in (
            "Energy error",
            "Freely spinning body",
            "Explicit Newmark",
            "Implicit midpoint",
            "Δt = 0.5",
        )
    )
    with Image.open(png) as picture:
        assert picture.size == (2 * int(drawing.get("width")), 2 * int(drawing.get("height")))
        pixels = picture.convert("RGBA")
        counted = {colour: n for n, colour in pixels.getcolors(pixels.width * pixels.height)}
        below = pixels.crop((0, pixels.height - 50, pixels.width, pixels.height)).convert("RGB")
        named = {colour for _, colour in below.getcolors(below.width * below.height)}
    assert counted[255, 255, 255, 255] > 0.85 * pixels.width * pixels.height
    assert {
        ImageColor.getrgb(colour) for colour in COLOURS[:2]
    } <= named  # NMB and AKW, below the plot


@pytest.mark.exhaustive
def test_other_plots_are_seen_when_they_are_chosen(lab: Any) -> None:
    lab.open()
    for group, titles in {"Motion": 2, "Attitude": 2, "Steps": 2}.items():
        lab.choose("Plots", group)
        expect(lab.page.get_by_role("heading", name="Energy error")).to_have_count(0)
        expect(
            lab.page.get_by_role("img", name=re.compile("against time")).nth(titles - 1)
        ).to_be_visible()
    lab.choose("Plots", "What is kept")
    expect(lab.page.get_by_role("heading", name="Energy error")).to_be_visible()


OPEN = """() => [...globalThis[Symbol.for('polhode.page')].plots]
    .map(({title, box: {top, bottom}}) => [title, bottom - top])"""
"""The open plots, and the heights of their frames."""


@pytest.mark.parametrize("query", first([{"problem": "free"}, {"problem": "slow-top"}]))
def test_two_tall_plots_are_open_and_a_click_opens_another(lab: Any, query: dict[str, str]) -> None:
    lab.open(**query)
    page = lab.page
    plots = page.evaluate(OPEN)
    assert [title for title, _ in plots] == ["Energy error", "Attitude error"]
    assert min(height for _, height in plots) >= 110
    switches = page.get_by_role("group", name="Plots on screen").get_by_role("switch")
    expect(switches).to_have_count(4)
    other = switches.nth(1)
    title = other.inner_text()
    expect(plot(lab, title)).to_be_hidden()
    revision = lab.state["revision"]
    other.click()
    expect(other).to_be_checked()
    expect(plot(lab, title)).to_be_visible()
    page.wait_for_function(f"() => ({OPEN})().length === 3")
    assert [name for name, _ in page.evaluate(OPEN)] == ["Energy error", title, "Attitude error"]
    assert lab.state["revision"] == revision, "nothing is computed again"
    lab.after(lambda: lab.type("Δt", "0.02"))
    expect(plot(lab, title)).to_be_visible()
    other.press("Space")
    expect(plot(lab, title)).to_be_hidden()


def test_what_the_curves_are_where_one_points_is_told_over_the_plot(lab: Any) -> None:
    lab.open()
    lab.choose("Plots", "Motion")
    frame = plot(lab, "Angular velocity Ω₁")
    expect(frame).to_be_visible()
    frame.scroll_into_view_if_needed()
    box = frame.bounding_box()
    report = lab.page.locator(".values:visible")
    time = lab.state["player"]["time"]
    lab.page.mouse.move(box["x"] + 0.4 * box["width"], box["y"] + 0.5 * box["height"])
    lab.page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"], steps=3)
    expect(report).to_have_count(1)
    expect(report).to_contain_text("exact")
    t, *values = report.inner_text().splitlines()
    at = float(t.removeprefix("t = "))
    assert 20 < at < 30 and lab.state["player"]["time"] == time, "the body stays where it was"
    assert report.evaluate(
        "e => e.scrollWidth <= e.clientWidth && e.scrollHeight <= e.clientHeight"
    ), "nothing is clipped"
    there = {run.method.short: run.Omega[run.t == at, 0].item() for run in runs().values()}
    there["exact"] = engine.exact("free", at).Omega[0]
    assert [line.rpartition(" ")[0] for line in values] == list(there)
    for line, value in zip(values, there.values(), strict=True):
        assert float(line.rpartition(" ")[2].replace("−", "-")) == pytest.approx(value, rel=1e-5)
    lab.page.mouse.move(5, 5)
    expect(report).to_have_count(0)
    lab.choose("Plots", "What is kept")


def test_a_click_in_a_plot_or_its_dashed_line_takes_the_body_to_a_time(lab: Any) -> None:
    lab.open()
    mouse = lab.page.mouse
    box = plot(lab, "Energy error").bounding_box()
    y = box["y"] + 0.5 * box["height"]
    time = lab.state["player"]["time"]
    mouse.move(box["x"] + 0.3 * box["width"], y)
    mouse.move(box["x"] + 0.5 * box["width"], y, steps=3)
    lab.page.wait_for_timeout(500)
    assert lab.state["player"]["time"] == time, "a pointer that only passes changes nothing"
    mouse.down()
    mouse.up()
    lab.page.wait_for_function(
        "() => window.polhode.player.time > 15 && window.polhode.player.time < 35"
    )
    line = lab.page.locator(".time-cursor").first.bounding_box()
    zoom = lab.page.evaluate(ZOOM)
    mouse.move(line["x"] + 0.5 * line["width"], y)
    mouse.down()
    mouse.move(box["x"] + box["width"] - 30, y, steps=3)
    mouse.up()
    lab.page.wait_for_function("() => window.polhode.player.time > 40")
    assert lab.page.evaluate(ZOOM) == zoom, "nothing was zoomed by it"
    lab.page.get_by_role("application").first.focus()
    lab.page.keyboard.press("Home")


@pytest.mark.exhaustive
def test_of_a_table_only_what_differs_is_drawn_anew(lab: Any) -> None:
    lab.open()
    ledger = lab.page.get_by_role("region", name="Ledger")
    head = ledger.get_by_role("columnheader").first.element_handle()
    cell = ledger.get_by_role("cell").first
    before = cell.element_handle()
    text = before.text_content()
    lab.type("Δt", "0.25")
    expect(cell).not_to_have_text(text)
    assert head.evaluate("e => e.isConnected")
    # Without a method the table is another, with the chosen numbers.
    lab.after(lab.button("Remove Explicit Newmark").click)
    expect(ledger.get_by_role("row")).to_have_count(2)
    expect(ledger.get_by_role("rowheader")).to_contain_text("Implicit midpoint")


def test_the_ledger_tells_and_gives_its_numbers(lab: Any) -> None:
    lab.open()
    ledger = lab.page.get_by_role("region", name="Ledger")
    expect(ledger.get_by_role("row")).to_have_count(3)
    row = ledger.get_by_role("row").filter(
        has=lab.page.get_by_role("rowheader", name=re.compile("Implicit midpoint"))
    )
    expect(row.get_by_role("cell").first).to_contain_text("exact")
    expect(row.get_by_role("cell").first).to_contain_text("best")
    ledger = lab.page.locator("[id^=ledger], .ledger").first
    assert ledger.count()
    saved = lab.download(lab.button("CSV").click)
    table = pd.read_csv(saved, index_col="method")
    for name, run in runs().items():
        assert table.loc[name, "status"] == "done"
        assert table.loc[name, "attitude error"] == pytest.approx(
            engine.error(run).attitude[-1], rel=1e-9
        )
        assert table.loc[name, "torques a step"] == run.cost.torque_evaluations / run.cost.steps
    copied = lab.clipboard(lab.button("Copy").click)
    shown = pd.read_csv(
        io.StringIO(copied.rpartition("\n\n")[0] or copied), sep="\t", index_col="method", nrows=2
    )
    assert list(shown.index) == ["NMB", "AKW"]


def test_roundoff_has_its_word_beside_the_curves_on_a_logarithmic_axis(lab: Any) -> None:
    lab.open()
    words = "[...globalThis[Symbol.for('polhode.page')].plots].flatMap(({words}) => words.map(([text]) => text))"
    for axis, expected in ("Linear", []), ("Log", ["roundoff"] * 2):
        lab.choose("Axis", axis)
        lab.page.wait_for_function(f"words => String({words}) === String(words)", arg=expected)


def press_wheel(lab: Any, key: str, place: tuple[float, float], by: float) -> None:
    lab.page.mouse.move(*place)
    lab.page.keyboard.down(key)
    lab.page.mouse.wheel(0, by)
    lab.page.keyboard.up(key)


WORDS = (
    """() => String([...globalThis[Symbol.for('polhode.page')].plots].map(({words}) => words))"""
)


@pytest.mark.exhaustive
def test_a_word_over_the_curves_is_on_the_ground_of_the_page(lab: Any) -> None:
    """Of the word of a horizon, less is ink than ground."""
    lab.open(problem="asymmetric-top", methods="NMB", dt="0.05", duration="100")
    canvas = plot(lab, "Attitude error").locator("canvas")
    paper = ImageColor.getrgb("#ffffff")
    strip = np.array(Image.open(io.BytesIO(canvas.screenshot())).convert("RGB"))[10:20]
    assert np.mean(np.abs(strip - np.array(paper)).max(axis=-1) > 100) < 0.25
    assert "horizon" in lab.page.evaluate(WORDS)
    lab.forget()


def test_the_wheel_with_ctrl_zooms_the_time_around_the_pointer(lab: Any) -> None:
    lab.open()
    frame = plot(lab, "Energy error")
    frame.scroll_into_view_if_needed()
    box = frame.bounding_box()
    before = lab.page.evaluate(ZOOM)
    press_wheel(lab, "Control", (box["x"] + 0.4 * box["width"], box["y"] + 30), -300)
    reset = lab.button("Attitude error: reset zoom")  # all plots have one time axis
    expect(reset).to_be_visible()
    first, last, *values = lab.page.evaluate(ZOOM)[0]
    assert values == before[0][2:], "the values stay"
    assert last - first == pytest.approx((before[0][1] - before[0][0]) / 2)
    picture = ET.fromstring(
        lab.download(menu_item(lab, "Energy error", "SVG").click).read_text("utf-8")
    )
    assert "50" not in [text.text for text in picture.findall(".//{*}text")], (
        "the picture is zoomed"
    )
    plot(lab, "Attitude error").dblclick()
    expect(reset).to_be_hidden()
    assert lab.page.evaluate(ZOOM) == before


PIXELS = """() => [...globalThis[Symbol.for('polhode.page')].plots].map(({canvas}) => {
    const {width, height} = canvas;
    return canvas.getContext("2d").getImageData(0, 0, width, height).data.reduce((sum, x) => (31 * sum + x) | 0, 0);
})"""
"""A checksum of what each plot shows."""


def test_plots_are_painted_again_in_the_colours_of_another_theme(lab: Any) -> None:
    lab.open()
    before = lab.page.evaluate(PIXELS)
    assert len(set(before)) == 2
    theme = lab.page.locator("#theme")
    theme.click()
    changed = f"before => ({PIXELS})().every((sum, i) => sum !== before[i])"
    lab.page.wait_for_function(changed, arg=before)
    theme.click()
    lab.page.wait_for_function(f"before => String(({PIXELS})()) === String(before)", arg=before)


def test_why_a_run_ended_is_told_at_its_mark(lab: Any) -> None:
    lab.open(methods="NMB,DMV", dt="1.2", duration="120")
    frame = plot(lab, "Energy error")
    frame.scroll_into_view_if_needed()
    lab.settled()
    box = frame.bounding_box()
    x, y = lab.page.evaluate(
        """() => {
            const [{shown: {marks: [{t, y}]}, across, up}] = globalThis[Symbol.for('polhode.page')].plots;
            return [across(t), up(y)];
        }"""
    )
    lab.page.mouse.move(box["x"] + x + 3, box["y"] + y)
    told = lab.page.locator(".values:visible")
    expect(told).to_contain_text("Moser–Veselov ended at t = ")
    expect(told).to_contain_text("has no solution")
    lab.page.mouse.move(5, 5)
    expect(told).to_have_count(0)
