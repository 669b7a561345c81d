"""Lessons as a student takes them, also by keyboard alone, and a teacher's lesson from a file and a
link.
"""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from covering import covering, first
from test_appearance import list_violations, needs_axe, violations
from test_demos import FROM_HERE, Shown
from test_dragging import HOLD_MESSAGES, await_kernels

import app
import engine
from app.state import lessons

expect = pytest.importorskip("playwright.sync_api").expect

OWN = """# Two questions

## First

Lab: ?problem=free&methods=MR2&dt=0.25&duration=20
Hide: table, plots
Question: What do you expect?
Reveal: Something <b>else</b>.

## Second

The end.
"""

PICTURED = OWN.replace("The end.", "The end, ![a dot](pictures/dot.png).").replace(
    "duration=20", "duration=100"
)
DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
"""A pixel."""

FOCUSED = """() => {
    let e = document.activeElement;
    while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
    return e?.type ?? "";
}"""


@pytest.fixture
def taught(lab: Any) -> Any:
    yield lab
    lab.page.evaluate("() => localStorage.clear()")
    lab.forget()


def at(lab: Any, key: str, number: int) -> None:
    """Wait until a step is visible and the lab is set up for it."""
    lesson = lessons.find_lesson(key)
    step = lesson.steps[number]
    expect(lab.page.get_by_role("heading", level=3, name=step.title, exact=True)).to_be_visible()
    expect(lab.page.get_by_role("navigation", name="Steps")).to_contain_text(
        f"{number + 1} of {len(lesson.steps)}"
    )
    if step.choice is not None:
        methods = ",".join(step.choice.methods)
        lab.page.wait_for_function(
            """([methods, dt, duration]) => {
                const {methods: now, ...choice} = window.polhode?.choice ?? {};
                return now?.join() === methods && Math.abs(choice.dt / dt - 1) < 1e-9 && choice.duration === duration;
            }""",
            arg=[methods, step.choice.dt, step.choice.duration],
            polling=50,
        )


def features(key: str) -> tuple[object, ...]:
    """What the walk through a lesson may meet."""
    lesson = lessons.find_lesson(key)
    hidden = {part for step in lesson.steps for part in step.hidden}
    asked = [step for step in lesson.steps if step.question]
    return (
        lesson.space,
        "picture" in hidden,
        "table" in hidden,
        all(step.answers for step in asked),
        all(step.choice for step in lesson.steps),
    )


WALKED = [case.values[0] for case in covering(lessons.read_texts(), by=features) if not case.marks]
"""Lessons that show every feature; `tests/app/test_lessons.py` runs each step of all lessons."""


@pytest.mark.parametrize("key", first(WALKED))
def test_a_lesson_can_be_walked_through(taught: Any, key: str) -> None:
    page = taught.page
    taught.load(f"{taught.server}?lesson={key}")
    table = page.get_by_role("region", name="Ledger")
    for number, step in enumerate(lessons.find_lesson(key).steps):
        at(taught, key, number)
        assert taught.errors == []
        if "table" in step.hidden:
            expect(table).to_be_hidden()
        if "picture" in step.hidden:
            expect(page.get_by_role("heading", name="Predict first")).to_be_visible()
            expect(taught.button("Play")).to_be_disabled()
            assert page.evaluate("() => window.polhode.player.time") == 0
        if step.answers:
            page.get_by_role("group").get_by_role("radio").nth(step.right).check()
        elif step.question:
            page.get_by_role("textbox", name="What you expect").fill("It turns over")
        if step.question:
            taught.button("Answer").click()
            expect(page.locator(".reveal")).to_be_focused()
            assert ("Yes." in page.locator(".reveal").inner_text()) == (step.right >= 0)
        expect(table).to_be_visible()
        if number + 1 < len(lessons.find_lesson(key).steps):
            taught.button("Next →").click()
    words = f"methods={quote(','.join(step.choice.methods), safe='(),')}&" if step.choice else ""
    expect(page).to_have_url(re.compile(f"{re.escape(words)}.*lesson={key}"))
    taught.button("Close the lesson").click()
    expect(page.get_by_role("region", name="Lesson")).to_be_hidden()
    expect(table).to_be_visible()


LONG_WORD = "Donaudampfschifffahrtsgesellschaft" * 4
OVERFLOWS = """() => {
    const found = [];
    const visit = root => root.querySelectorAll("*").forEach(e => {
        if (e.shadowRoot) visit(e.shadowRoot);
        const {display, overflowX} = getComputedStyle(e);
        if (display !== "inline" && overflowX === "visible" && e.clientWidth && e.scrollWidth > e.clientWidth + 1)
            found.push(e.tagName);
    });
    visit(document.querySelector(".taught"));
    return found;
}"""


def test_long_words_of_a_lesson_are_broken(taught: Any) -> None:
    page = taught.page
    text = (
        f"# {LONG_WORD}\n{LONG_WORD}\n\n## {LONG_WORD}\n\nSay **{LONG_WORD}** and `{LONG_WORD}`.\n"
    )
    text += f"\n| a | {LONG_WORD} |\n|---|---|\n| b | {LONG_WORD} |\n\n"
    text += f"Question: {LONG_WORD}?\n- [ ] {LONG_WORD}\nHint: {LONG_WORD}\n- [x] Yes\nReveal: {LONG_WORD}\n"
    taught.load(f"{taught.server}?problem=free")
    taught.button("Lessons").click()
    page.get_by_role("menuitem", name="Write a lesson").click()
    taught.entry("Text of the lesson").fill(text)
    expect(page.get_by_role("heading", level=3, name=LONG_WORD)).to_be_visible()
    taught.button("Close the editor").click()
    page.get_by_role("radio", name=LONG_WORD).check()
    taught.button("Answer").click()
    expect(page.get_by_text("Not quite.")).to_be_visible()
    try:
        for width in (1440, 390):
            page.set_viewport_size({"width": width, "height": 900})
            page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")
            assert page.evaluate(OVERFLOWS) == []
    finally:
        page.set_viewport_size({"width": 1440, "height": 900})


@pytest.mark.exhaustive
def test_a_lesson_of_the_list_begins_and_its_link_continues(taught: Any) -> None:
    page = taught.page
    key = "tennis-racket"
    for where in ("?lesson=" + key, "?page=start"):
        page.emulate_media(reduced_motion="no-preference")
        taught.load(f"{taught.server}{where}")
        if "start" in where:
            page.get_by_role("button", name="I teach").click()
            expect(taught.button("Close")).to_be_focused()
            page.get_by_role("link", name=lessons.list_outlines()[key].title).click()
        at(taught, key, 0)
        assert "#" not in page.url
        page.wait_for_function("() => window.polhode.player.playing")  # as its text says
        page.emulate_media(reduced_motion="reduce")
        tops = [taught.button("Next →").bounding_box()]
        taught.button("Next →").click()
        at(taught, key, 1)
        tops.append(taught.button("Skip →").bounding_box())
        assert tops[0]["y"] == tops[1]["y"]
    page.reload()
    at(taught, key, 1)
    link = taught.clipboard(taught.button("Copy link").click)
    assert link.endswith(f"/?lesson={key}")
    message = page.locator(".lesson .shared")
    expect(message).to_contain_text("Copied. This link works on this computer only.")
    expect(message).to_have_role("status")
    taught.button("Lessons").click()
    page.get_by_role("menuitem", name=lessons.list_outlines()[key].title).click()
    at(taught, key, 0)
    taught.button("Lessons").click()
    other = next(iter(lessons.list_outlines("se3")))
    page.get_by_role("menuitem", name=lessons.list_outlines()[other].title).click()
    at(taught, other, 0)


def test_a_link_to_a_step_opens_it(taught: Any) -> None:
    """Also while the lesson is open; a reload then continues where the reader is."""
    page = taught.page
    key = "tennis-racket"
    taught.load(f"{taught.server}?lesson={key}#3")
    at(taught, key, 2)
    assert "#" not in page.url
    page.evaluate("() => { location.hash = '#2'; }")
    at(taught, key, 1)
    page.reload()
    at(taught, key, 1)
    page.evaluate("() => { location.hash = '#99'; }")
    at(taught, key, 1)


@pytest.mark.exhaustive
def test_the_first_lesson_by_keyboard_alone(taught: Any) -> None:
    """Screenshots record a newcomer's view."""
    page = taught.page
    taught.load(f"{taught.server}?problem=free")
    taught.button("Lessons").focus()
    page.keyboard.press("Enter")
    expect(
        page.get_by_role("menuitem", name=lessons.list_outlines("so3")["tennis-racket"].title)
    ).to_be_focused()
    page.keyboard.press("Enter")
    key = "tennis-racket"
    for number, step in enumerate(lessons.find_lesson(key).steps):
        at(taught, key, number)
        if step.question:
            while page.evaluate(FOCUSED) != "radio":
                page.keyboard.press("Tab")
            for key_pressed in ["ArrowDown"] * step.right or ["Space"]:
                page.keyboard.press(key_pressed)
            page.keyboard.press("Tab")
            assert taught.focused() == "Answer"
            page.keyboard.press("Enter")
            expect(page.locator(".reveal")).to_contain_text("Yes.")
        taught.settled()
        taught.screenshot(f"walk-{number + 1}")
        if number + 1 < len(lessons.find_lesson(key).steps):
            while taught.focused() != "Next →":
                page.keyboard.press("Tab")
            page.keyboard.press("Enter")
            expect(page.locator(".lesson h3")).to_be_focused()
    page.wait_for_function("() => document.getElementById('said').textContent.includes('Buss 1')")
    page.reload()
    at(taught, "tennis-racket", number)  # where it was left


@pytest.mark.exhaustive
def test_a_lesson_of_ones_own_by_a_file_and_by_a_link(taught: Any, tmp_path: Path) -> None:
    page = taught.page
    taught.load(f"{taught.server}?problem=free")
    for text, name in (
        (OWN.replace("MR2", "NMB"), "first.md"),
        (OWN, "own.md"),
        ("Dear students,", "letter.md"),
    ):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        taught.button("Lessons").click()
        with page.expect_file_chooser() as chooser:
            page.get_by_role("menuitem", name="Open a lesson file …").click()
        chooser.value.set_files(path)
        if name != "letter.md":  # of the second nothing but the setting is another
            method = "MR2" if text == OWN else "NMB"
            page.wait_for_function(
                "method => window.polhode.choice.methods.join() === method", arg=method, polling=50
            )
    expect(page.get_by_role("alert")).to_contain_text("letter.md, line 1: it begins with its title")
    expect(page.get_by_role("heading", level=3, name="First")).to_have_count(0)
    with page.expect_file_chooser() as chooser:
        taught.button("Choose the file again").click()
    chooser.value.set_files(tmp_path / "own.md")
    expect(page.get_by_role("heading", level=3, name="First")).to_be_visible()
    expect(page.get_by_role("region", name="Ledger")).to_be_hidden()
    page.wait_for_function("() => window.polhode.choice.methods.join() === 'MR2'")
    page.get_by_role("textbox", name="What you expect").fill("  ")
    taught.button("Answer").click()
    expect(page.locator(".said")).to_have_text("Write a few words first.")
    page.get_by_role("textbox", name="What you expect").fill("nothing much")
    taught.button("Answer").click()
    expect(page.locator(".reveal")).to_have_text("Something <b>else</b>.")
    expect(page.locator(".lesson footer button")).to_have_text(
        ["← Back", "Next →"]
    )  # Edit is in the head
    link = taught.clipboard(taught.button("Copy link").click)
    assert "#lesson=" in link
    taught.button("Export").click()
    exported = taught.clipboard(taught.button("Copy link").last.click)
    assert exported.partition("#")[2] == link.partition("#")[2], "so does a link of the menu Export"
    page.keyboard.press("Escape")
    page.evaluate("() => localStorage.clear()")
    page.goto(f"{taught.server}static/extensions/polhode/icon.svg")
    taught.load(link)
    expect(page.get_by_role("heading", level=2, name="Two questions")).to_be_visible()
    expect(page.get_by_role("textbox", name="What you expect")).to_have_value("")
    taught.button("Skip →").click()
    page.wait_for_function("() => window.polhode.choice.methods.join() === 'MR2'")
    assert "#lesson=" in page.url
    taught.button("Close the lesson").click()
    page.wait_for_function("() => !location.hash")


@pytest.mark.exhaustive
def test_a_lesson_file_is_opened_with_the_pictures_that_it_names(
    taught: Any, tmp_path: Path
) -> None:
    page = taught.page
    taught.open()
    for name, content in (("own.md", PICTURED.encode()), ("dot.png", DOT)):
        (tmp_path / name).write_bytes(content)
    taught.button("Lessons").click()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("menuitem", name="Open a lesson file …").click()
    chooser.value.set_files([tmp_path / "own.md", tmp_path / "dot.png"])
    taught.button("Skip →").click()
    page.wait_for_function(
        "picture => picture.naturalWidth === 1", arg=page.get_by_alt_text("a dot").element_handle()
    )


@pytest.mark.exhaustive
@needs_axe
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_a_lesson_in_one_file_begins_without_a_server(
    browser: Any, tmp_path: Path, theme: str
) -> None:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "dot.png").write_bytes(DOT)
    (tmp_path / "own.md").write_text(PICTURED, encoding="utf-8")
    shown = Shown(browser, color_scheme=theme, viewport={"width": 1280, "height": 800})
    page = shown.page
    page.goto(app.lesson(str(tmp_path / "own.md")).save(tmp_path / "own.html").as_uri())
    expect(page.get_by_role("heading", level=3, name="First")).to_be_visible()
    expect(page.locator("#demo")).to_be_visible()
    inside = page.frames[1]
    shown.settled(inside)
    assert inside.evaluate("() => polhodeDemo.runs.map(({method}) => method)") == ["MR2"]
    assert list_violations(page) == []
    page.get_by_role("textbox", name="What you expect").fill("Something")
    page.get_by_role("button", name="Answer").click()
    expect(page.locator(".reveal")).to_have_text("Something <b>else</b>.")
    time = inside.get_by_role("slider", name="Time", exact=True).first
    time.press("End")
    expect(time).to_have_attribute("aria-valuetext", "t = 100.0 of 100")
    page.get_by_role("button", name="Next →").click()
    second = page.get_by_role("heading", level=3, name="Second")
    expect(second).to_be_focused()  # so that screen readers announce the step
    expect(second).to_have_accessible_description("Step 2 of 2")
    assert page.get_by_alt_text("a dot").evaluate("picture => picture.naturalWidth") == 1
    assert shown.wrong == [] and all(url.startswith(FROM_HERE) for url in shown.asked)
    shown.context.close()


@pytest.mark.exhaustive
@needs_axe
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_it_looks_well_and_axe_finds_nothing_serious(taught: Any, theme: str) -> None:
    page = taught.page
    page.emulate_media(color_scheme=theme)
    taught.load(f"{taught.server}?lesson=order")
    at(taught, "order", 0)
    taught.button("Next →").click()
    at(taught, "order", 1)
    for width, height in ((1440, 900), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        expect(taught.button("Skip →")).to_be_in_viewport()
        assert violations(taught) == []
        assert page.evaluate(
            "() => document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        )
        taught.screenshot(f"lesson-{theme}-{width}")
    taught.button("Answer").click()
    expect(page.locator(".said")).to_have_text("Choose one of the answers first.")
    page.get_by_role("group").get_by_role("radio").nth(0).check()
    taught.button("Answer").click()
    hint = lessons.find_lesson("order").steps[1].hints[0].partition("<")[0]
    expect(page.locator(".hint")).to_contain_text(hint.strip())
    expect(page.get_by_role("heading", name="Predict first")).to_be_visible()
    taught.button("Show the answer").click()
    expect(page.locator(".reveal")).to_contain_text("No.")
    expect(taught.button("Next →")).to_be_in_viewport()
    assert violations(taught) == []
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1440, "height": 900})


@pytest.mark.exhaustive
def test_a_lesson_is_written_beside_its_preview(taught: Any) -> None:
    taught.open()
    page = taught.page
    taught.button("Lessons").click()
    page.get_by_role("menuitem", name="Write a lesson").click()
    text = taught.entry("Text of the lesson")
    text.fill("# A draft\n\n## One\n\nLook.\n")
    expect(page.get_by_role("heading", level=3, name="One")).to_be_visible()
    taught.button("+ Step with this setting").click()
    taught.button("+ Question").click()
    expect(page.get_by_role("navigation", name="Steps")).to_contain_text("2 of 2")
    expect(page.get_by_role("radio", name="The right answer")).to_be_visible()
    page.keyboard.type("Which one?")  # in place of the words that are selected
    expect(page.get_by_role("group", name="Which one?")).to_be_visible()
    written = text.input_value()
    setting = "Lab: ?problem=free&methods=NMB,AKW&dt=0.5&duration=50"
    assert written.startswith(
        f"# A draft\n\n## One\n\nLook.\n\n## New step\n\nSay what to look at.\n\n{setting}\n"
    )
    parsed = lessons.parse_lesson(written)
    assert "Which one?" in parsed.steps[1].question
    assert parsed.steps[1].right == 1
    assert parsed.steps[1].hidden == ("picture", "plots", "table"), (
        "the motion waits for the answer"
    )
    saved = taught.download(taught.button("Save as file").click)
    assert saved.name.endswith("a-draft.md")
    assert saved.read_text() == written

    text.fill(written.replace("problem=free", "problem=fee"))
    wrong = page.get_by_role("button", name=re.compile("^Line 11: .*fee"))
    expect(wrong).to_be_visible()
    expect(
        page.get_by_role("heading", level=2, name="A draft")
    ).to_be_visible()  # as before the error
    wrong.click()
    assert text.evaluate("a => a.value.slice(a.selectionStart, a.selectionEnd)").startswith(
        "Lab: ?problem=fee"
    )
    text.fill(written)
    expect(wrong).to_have_count(0)

    link = taught.clipboard(taught.button("Copy link").last.click)
    page.goto(f"{taught.server}static/extensions/polhode/icon.svg")
    taught.load(link)
    expect(page.get_by_role("navigation", name="Steps")).to_contain_text(
        "2 of 2"
    )  # where its reader left it
    taught.button("Edit").click()
    expect(text).to_have_value(written)
    file = {"name": "own.md", "mimeType": "text/markdown", "buffer": OWN.encode()}
    page.get_by_label("The lesson, and the pictures that it names").set_input_files(file)
    expect(text).to_be_hidden()  # it has the text of another lesson
    expect(page.get_by_role("heading", level=2, name="Two questions")).to_be_visible()
    taught.button("Edit").click()
    expect(text).to_have_value(OWN)
    taught.button("Close the lesson").click()
    expect(text).to_be_hidden()


OPACITIES = """async () => {
    const page = globalThis[Symbol.for('polhode.page')], seen = {};
    const {prototype} = CanvasRenderingContext2D, {stroke} = prototype;
    prototype.stroke = function () { seen[this.strokeStyle] = this.globalAlpha; stroke.call(this); };
    const [{curves}] = page.plots;
    // Plots that have just appeared are painted once they are laid out.
    for (let frame = 0; frame < 200 && !curves.every(({colour}) => colour.toLowerCase() in seen); frame++) {
        page.request("repaint");
        await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
    }
    prototype.stroke = stroke;
    return Object.fromEntries(curves.map(({label, colour}) => [label, seen[colour.toLowerCase()]]));
}"""
"""The opacity of each curve in the first plot."""


def test_a_text_drives_the_time_and_the_curves(taught: Any) -> None:
    page = taught.page
    taught.load(f"{taught.server}?lesson=poinsot")
    step = lessons.find_lesson("poinsot").steps[3]
    page.get_by_role("button", name=step.title).click()
    page.get_by_role("region", name="Lesson").get_by_role("radio", name="Explicit Newmark").check()
    taught.button("Answer").evaluate(  # before the server has answered
        "button => { const root = button.getRootNode(); button.click(); root.querySelector('.moment').focus(); }"
    )
    first, second = page.locator(".moment").all()
    for part, method, other in ((first, "NMB", "AKW"), (second, "AKW", "NMB")):
        part.focus()
        page.wait_for_function(
            "m => window.polhode.player.time === 100 && window.polhode.player.solid === m",
            arg=method,
        )
        seen = page.evaluate(OPACITIES)
        assert seen[engine.algorithm(method).short] == 1
        assert seen[engine.algorithm(other).short] < 0.2
    note = re.findall('data-note="(.*?)"', step.reveal)[-1]
    expect(page.get_by_text(note, exact=True).first).to_be_visible()
    page.wait_for_function(
        """() => [...globalThis[Symbol.for('polhode.page')].clock.players]
            .some(({camera}) => String(camera) === '-0.9,0.12,1.3')"""
    )
    taught.button("← Back").click()
    page.wait_for_function(
        f"async () => Object.values(await ({OPACITIES})()).every(opacity => opacity > 0.2)"
    )


@pytest.fixture
def read(taught: Any) -> Any:
    """The lesson on orders at its second step, answered."""
    taught.load(f"{taught.server}?lesson=order")
    step = lessons.find_lesson("order").steps[1]
    taught.page.get_by_role("button", name=step.title).click()
    at(taught, "order", 1)
    taught.page.get_by_role("group").get_by_role("radio").nth(step.right).check()
    taught.button("Answer").click()
    taught.settled()
    return taught


def test_a_number_in_a_text_drags_the_step(read: Any) -> None:
    page = read.page
    number = page.get_by_role("slider", name="Time step Δt")
    expect(number).to_have_text("0.25")
    number.scroll_into_view_if_needed()
    await_kernels(read)
    box = number.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.evaluate(HOLD_MESSAGES)
    page.mouse.move(x, y)
    page.mouse.down()
    for to, dt in ((-30, 0.18), (-60, 0.13)):
        page.mouse.move(x + to, y)
        page.wait_for_function("dt => window.polhode.choice.dt === dt", arg=dt)
        expect(number).to_have_text(f"{dt}")
        expect(number).to_have_attribute("aria-valuetext", f"{dt}")
        expect(read.entry("Δt")).to_have_value(f"{dt}")
    page.evaluate("() => window.releaseMessages()")
    read.settled()
    page.mouse.move(x - 80, y)
    page.mouse.up()
    assert read.settled()["choice"]["dt"] == 0.1
    assert read.undo()["choice"]["dt"] == 0.25, "a drag is one change"
    expect(number).to_have_text("0.25")
    number.focus()
    for key, dt in (("ArrowDown", 0.22), ("Shift+ArrowRight", 0.71)):
        page.keyboard.press(key)
        expect(number).to_have_text(f"{dt}")
        page.wait_for_function("dt => window.polhode.choice.dt === dt", arg=dt)
        assert read.settled()["choice"]["dt"] == dt


def test_a_finger_drags_a_number_in_a_text(read: Any) -> None:
    page = read.page
    number = page.get_by_role("slider", name="Time step Δt")
    number.scroll_into_view_if_needed()
    box = number.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch = page.context.new_cdp_session(page)
    for kind, places in (("Start", [0]), ("Move", [20]), ("Move", [40]), ("End", [])):
        points = [{"x": x + to, "y": y} for to in places]
        touch.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})
    expect(number).to_have_text("0.4")
    assert read.settled()["choice"]["dt"] == 0.4
    assert read.undo()["choice"]["dt"] == 0.25


LIT = """() => [...globalThis[Symbol.for('polhode.page')].plots]
    .filter(({element}) => getComputedStyle(element).opacity === "1").map(({title}) => title)"""
"""The titles of the plots that stand out."""


def test_names_in_a_text_light_up_plots_and_curves(read: Any) -> None:
    page = read.page
    everything = page.evaluate(LIT)
    assert len(everything) > 1
    name = page.locator(".reveal").get_by_role("button", name="attitude")
    ways = (
        (name.hover, lambda: page.mouse.move(0, 0)),
        (name.focus, lambda: page.locator(".reveal").focus()),
    )
    for enter, leave in ways:
        enter()
        page.wait_for_function(f"() => ({LIT})().join() === 'Attitude error'")
        leave()
        page.wait_for_function("all => (" + LIT + ")().join() === all.join()", arg=everything)
    switch = page.get_by_role("switch", name="Attitude error", exact=True)
    switch.click()
    shut = page.get_by_role("img", name="Attitude error")
    expect(shut).to_be_hidden()
    name.hover()
    expect(switch).to_have_css("outline-style", "solid")
    assert read.page.evaluate(LIT) == [one for one in everything if one != "Attitude error"]
    name.click()
    expect(shut).to_be_in_viewport()
    page.get_by_role("button", name=lessons.find_lesson("order").steps[2].title).click()
    at(read, "order", 2)
    read.settled()
    page.locator(".words").get_by_role("button", name=engine.algorithm("NMB").short).focus()
    seen = page.evaluate(OPACITIES)
    assert seen[engine.algorithm("NMB").short] == 1
    assert seen[engine.algorithm("BUSS3").short] < 0.2
    read.button("← Back").click()  # the name is gone, with the focus on it
    page.wait_for_function("() => globalThis[Symbol.for('polhode.page')].lit === ''")


def test_in_one_file_a_text_acts_on_the_demo(browser: Any, tmp_path: Path) -> None:
    text = OWN.replace("Hide: table, plots\nQuestion: What do you expect?\nReveal: ", "").replace(
        "Lab:", "Δt is [0.25](drag:dt); see the [energy](show:energy).\nLab:"
    )
    (tmp_path / "own.md").write_text(text, encoding="utf-8")
    shown = Shown(browser)
    page = shown.page
    page.goto(app.lesson(str(tmp_path / "own.md")).save(tmp_path / "own.html").as_uri())
    expect(page.locator("#demo")).to_be_visible()
    inside = page.frames[1]
    shown.settled(inside)
    number = page.get_by_role("slider", name="Time step Δt")
    number.press("ArrowDown")
    expect(number).to_have_text("0.22")
    inside.wait_for_function("() => polhodeDemo.state.dt === 0.22")
    page.get_by_role("button", name="energy").focus()
    lit = inside.locator(".plots section.lit")
    expect(lit.get_by_role("heading")).to_have_text("Energy error")
    number.focus()
    expect(lit).to_have_count(0)
    assert shown.wrong == [] and all(url.startswith(FROM_HERE) for url in shown.asked)
    shown.context.close()
