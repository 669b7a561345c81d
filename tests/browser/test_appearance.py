"""The look of the page, and its use without a mouse: sizes, themes, names, contrast, keyboard."""

from __future__ import annotations

import importlib.util
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from conftest import GLIDING, PATIENCE, assert_runs
from covering import first

expect = pytest.importorskip("playwright.sync_api").expect

PHONE = 390
"""The width at which pages open; the tests resize them to the other `SIZES`."""
SIZES = [(1440, 900), (1920, 1080), (PHONE, 844), (360, 740)]

CONTROLS = """() => {
    const found = [];
    const visit = root => {
        for (const e of root.querySelectorAll("*")) {
            if (e.shadowRoot) visit(e.shadowRoot);
            if (!e.matches("button, input, select, textarea, a[href], summary, [role=tab], [role=combobox]"))
                continue;
            const box = e.getBoundingClientRect(), style = getComputedStyle(e);
            if (!box.width || !box.height) continue;
            if (!e.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
            if (style.clipPath !== "none" || style.position === "fixed") continue;
            const name = (e.getAttribute("aria-label") || e.textContent || e.id || e.tagName).trim().slice(0, 40);
            found.push({name, e, box: [box.left, box.top, box.right, box.bottom]});
        }
    };
    visit(document);
    const within = (a, b) => {
        for (let e = b; e; e = e.parentNode || e.host) if (e === a) return true;
        return false;
    };
    const label = e => e.closest("label");
    const overlaps = [];
    found.forEach((a, i) => found.slice(i + 1).forEach(b => {
        if (within(a.e, b.e) || within(b.e, a.e) || (label(a.e) && label(a.e) === label(b.e))) return;
        const width = Math.min(a.box[2], b.box[2]) - Math.max(a.box[0], b.box[0]);
        const height = Math.min(a.box[3], b.box[3]) - Math.max(a.box[1], b.box[1]);
        if (width > 2 && height > 2) overlaps.push([a.name, b.name, Math.round(width), Math.round(height)]);
    }));
    return overlaps;
}"""
"""Return pairs of overlapping controls."""


BEGUN = f"""() => new Promise(resolve => {{
    const found = new Set(), revision = window.polhode.revision;
    const look = () => {{
        for (const {{effect}} of ({GLIDING})()) found.add(effect.target.className);
        if (window.polhode.revision > revision) resolve([...found]);
        else requestAnimationFrame(look);
    }};
    look();
}})"""
"""Record the animations that start before a change is painted."""


@pytest.fixture
def dark(lab: Any) -> Iterator[Any]:
    """The page in the dark theme."""
    lab.open(anew=True)
    switch_theme(lab)
    yield lab
    lab.page.context.clear_cookies()
    lab.forget()


def switch_theme(lab: Any) -> None:
    before = ground(lab)
    lab.button("Toggle theme").click()
    lab.page.wait_for_function(
        "before => getComputedStyle(document.body).backgroundColor !== before", arg=before
    )
    lab.page.mouse.move(0, 0)
    lab.still()  # colours fade into each other, and contrasts are those of the end


def ground(lab: Any) -> str:
    colour: str = lab.page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    return colour


def check_sizes(
    lab: Any, theme: str, name: str = "page", act: Callable[[], object] = lambda: None, **start: str
) -> None:
    """Fail unless the page fits each size; `act` prepares it for its screenshot."""
    page = lab.page
    try:
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            if width == PHONE:
                lab.open(anew=True, **start)
            lab.settled()
            page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")
            act()
            lab.screenshot(f"{name}-{width}x{height}-{theme}")
            assert page.evaluate(CONTROLS) == [], (width, height)
            last = lab.button("Toggle theme").bounding_box()
            assert last["x"] + last["width"] <= width, "the bar is longer than the page is wide"
    finally:
        page.set_viewport_size({"width": 1440, "height": 900})
        lab.forget()


@pytest.mark.exhaustive
def test_the_page_fits_projector_laptop_and_phone(lab: Any) -> None:
    lab.open()
    check_sizes(lab, "light")


def test_the_theme_is_remembered(dark: Any) -> None:
    colour = ground(dark)
    dark.load(dark.page.url)
    assert ground(dark) == colour


def list_violations(page: Any) -> list[str]:
    """Return findings of axe-core that are serious or critical, by rule and place."""
    from axe_playwright_python.sync_playwright import Axe

    return [
        f"{rule['id']}: {node['target']} {node['html'][:200]} {node.get('failureSummary', '')[:300]}"
        for rule in Axe().run(page).response["violations"]
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
    ]


def violations(lab: Any) -> list[str]:
    """Return lasting findings of axe-core."""
    lab.still()
    end = time.monotonic() + PATIENCE / 1000
    while True:  # a new theme reaches the views one after the other
        found = list_violations(lab.page)
        if not found or time.monotonic() > end:
            return found
        lab.page.wait_for_timeout(500)


def check_appearance(
    lab: Any, theme: str, name: str, act: Callable[[], object] = lambda: None, **start: str
) -> None:
    """Fail unless axe finds nothing serious in the page, and it fits each size."""
    lab.open(anew=True, **start)
    try:
        if theme == "dark":
            switch_theme(lab)
        assert violations(lab) == []
        check_sizes(lab, theme, name, act, **start)
    finally:
        lab.page.context.clear_cookies()
        lab.forget()


needs_axe = pytest.mark.skipif(
    importlib.util.find_spec("axe_playwright_python") is None,
    reason="axe-playwright-python is not installed here",
)


@needs_axe
def test_axe_finds_nothing_serious(lab: Any) -> None:
    lab.open()
    assert violations(lab) == []


@pytest.mark.exhaustive
@needs_axe
def test_the_dark_page_fits_them_and_axe_finds_nothing_serious_in_it_nor_in_what_opens(
    dark: Any,
) -> None:
    assert sum(int(x) for x in re.findall(r"\d+", ground(dark))[:3]) < 200
    check_sizes(dark, "dark")
    dark.settled()
    assert violations(dark) == []
    dark.button("drift of E").hover()
    expect(dark.page.get_by_role("tooltip")).to_be_visible()
    assert violations(dark) == []
    dark.button("Presets").click()
    expect(
        dark.page.get_by_role("dialog", name="Presets").get_by_role("button").nth(40)
    ).to_be_attached()
    assert violations(dark) == []
    dark.page.keyboard.press("Escape")


def write_lesson(lab: Any) -> None:
    """Open the editor of a lesson, with an error in its text."""
    lab.button("Lessons").press("Enter")
    lab.page.get_by_role("menuitem", name="Write a lesson").click()
    lab.entry("Text of the lesson").fill("# A draft\n\n## One\n\nLab: ?problem=nobody\n")
    expect(lab.page.get_by_role("button", name=re.compile("^Line 5: .*nobody"))).to_be_visible()


def open_table(lab: Any) -> None:
    """Open the table of a plot."""
    lab.button("Energy error: save or change").click()
    lab.page.get_by_role("menuitem", name="Energy error: table").click()
    expect(lab.page.get_by_role("dialog").get_by_role("table")).to_be_visible()


def open_help(lab: Any) -> None:
    """Open the help."""
    lab.button("Help and keys (?)").click()
    expect(lab.page.get_by_role("dialog")).to_be_visible()


def open_layers(lab: Any) -> None:
    """Open the layers of a scene."""
    lab.page.get_by_title("Layers").locator("visible=true").first.click()
    expect(
        lab.page.get_by_role("group", name="Layers").locator("visible=true").first
    ).to_be_visible()


@pytest.mark.exhaustive
@pytest.mark.parametrize("opens", [write_lesson, open_table, open_help, open_layers])
@needs_axe
def test_axe_finds_nothing_serious_in_what_opens_in_either_theme(lab: Any, opens: Any) -> None:
    lab.open(anew=True)
    opens(lab)
    try:
        for theme in ("dark", "light"):
            lab.page.emulate_media(color_scheme=theme)
            assert violations(lab) == []
        if opens is write_lesson:
            lab.button("Close the editor").click()
            expect(lab.entry("Text of the lesson")).to_be_hidden()
    finally:
        lab.page.emulate_media(color_scheme="light")
        lab.forget()


WITHOUT_RING = """() => {
    const missing = new Set(), seen = new Set();
    const look = chain => chain.map(e => {
        const {outlineStyle, outlineWidth, outlineColor, borderTopWidth} = getComputedStyle(e);
        return borderTopWidth + (outlineStyle === "none" ? "" : outlineWidth + outlineColor);
    }).join();
    const visit = root => root.querySelectorAll("*").forEach(e => {
        if (e.shadowRoot) visit(e.shadowRoot);
        if (e.tabIndex < 0 || e.disabled || !e.checkVisibility()) return;
        const kind = [e.localName, e.type ?? "", e.role ?? "", e.className].join(" "), chain = [];
        for (let at = e; at && chain.length < 4; at = at.parentElement ?? at.getRootNode().host) chain.push(at);
        const before = look(chain);
        e.focus({focusVisible: true});
        if (root.activeElement === e) {
            seen.add(e.type ?? e.localName);
            if (look(chain) === before) missing.add(kind);
        }
        e.blur();
    });
    visit(document);
    return [[...seen], [...missing]];
}"""
"""The kinds of what takes the focus, and what shows it by no outline and no wider border, neither
its own nor one around it.
"""


@pytest.mark.exhaustive
def test_every_kind_of_field_has_a_focus_ring(lab: Any) -> None:
    lab.open(anew=True)
    seen, missing = lab.page.evaluate(WITHOUT_RING)
    assert {"text", "range", "radio", "button", "select-one", "a", "canvas", "summary"} <= {
        x or "a" for x in seen
    }
    assert missing == []
    lab.forget()


@pytest.mark.exhaustive
def test_a_change_by_the_keyboard_alone(lab: Any) -> None:
    lab.open(anew=True)
    page = lab.page
    seen: list[str] = []
    for _ in range(80):
        page.keyboard.press("Tab")
        seen.append(lab.focused())
        if seen[-1] == "Play":
            break
    # The last of each name: a page is called Methods as well.
    order = [
        len(seen) - 1 - seen[::-1].index(name)
        for name in ("Problem", "Methods", "Δt", "Duration", "Play")
    ]
    assert order == sorted(order)
    page.keyboard.press("Space")
    page.wait_for_function("() => window.polhode.player.playing")
    page.keyboard.press("Space")
    page.wait_for_function("() => !window.polhode.player.playing")

    for _ in range(len(seen) - order[2] - 1):
        page.keyboard.press("Shift+Tab")
    assert lab.focused() == "Δt"
    page.keyboard.press("Control+a")
    page.keyboard.type("0.2")
    state = lab.after(lambda: page.keyboard.press("Enter"))
    assert state["choice"]["dt"] == 0.2
    assert_runs(state)

    for _ in range(order[2] - order[0]):
        page.keyboard.press("Shift+Tab")
    assert lab.focused() == "Problem"
    page.keyboard.press("Enter")
    expect(page.get_by_role("listbox")).to_be_visible()
    page.keyboard.press("ArrowDown")
    state = lab.after(lambda: page.keyboard.press("Enter"))
    assert state["choice"]["problem"] == "book-toss"
    assert_runs(state)


@pytest.mark.exhaustive
def test_nothing_takes_frames_by_gliding(lab: Any) -> None:
    lab.open()
    lab.page.mouse.move(0, 0)
    lab.button("Halve Δt").focus()
    lab.still()  # what came with the page, as its styles did, or where the pointer was
    gliding = lab.page.evaluate_handle(f"() => ({{found: ({BEGUN})()}})")
    lab.after(lambda: lab.page.keyboard.press("Enter"))
    assert gliding.evaluate("async gliding => await gliding.found") == []
    lab.undo()


def test_help_is_there_when_it_is_asked_for(lab: Any) -> None:
    lab.open()
    page = lab.page
    lab.button("Halve Δt").focus()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Choose")
    expect(dialog).to_contain_text("Ctrl+Z")
    expect(dialog.get_by_role("button", name="Close")).to_be_focused()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


@pytest.mark.parametrize(
    "label", first(["Δt", "Duration", "Inertia J₁, J₂, J₃", "Angular velocity Ω₀"])
)
def test_a_widget_tells_its_meaning(lab: Any, label: str) -> None:
    lab.open()
    expect(lab.entry(label)).to_have_accessible_description(re.compile(r"\w+ \w+"))


@pytest.mark.exhaustive
def test_on_a_narrow_page_the_widgets_go_when_something_else_is_used(lab: Any) -> None:
    page = lab.page
    try:
        page.set_viewport_size({"width": 390, "height": 844})
        lab.open(anew=True)
        opens = lab.button("Toggle sidebar")
        problem = page.get_by_role("combobox", name="Problem", exact=True)
        expect(problem).to_be_hidden()
        opens.click()
        expect(opens).to_have_attribute("aria-expanded", "true")
        problem.click()
        page.keyboard.press("Escape")  # the list goes, and not what is around it
        expect(problem).to_be_visible()
        page.keyboard.press("Escape")
        expect(problem).to_be_hidden()
        expect(opens).to_be_focused()
        opens.click()
        expect(problem).to_be_visible()
        scene = page.get_by_role("application").first.bounding_box()
        assert scene["y"] > 0, "the picture stays in view"
        for field in (problem, lab.entry("Δt")):
            assert field.bounding_box()["y"] > scene["y"] + scene["height"], "below the picture"
        page.mouse.click(370, scene["y"] + 20)
        expect(problem).to_be_hidden()
        expect(opens).to_have_attribute("aria-expanded", "false")
    finally:
        page.set_viewport_size({"width": 1440, "height": 900})
        lab.forget()
