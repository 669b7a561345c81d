"""Dragging in the pictures, which changes the start of a motion."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from conftest import FLAGS, PATIENCE, UNANSWERED, Lab, assert_runs
from covering import first

import engine
from app.asset_files import ASSETS, SCRIPTS
from app.views.pictures.poinsot import NO_TURNING
from engine.text.formatting import format_setting

expect = pytest.importorskip("playwright.sync_api").expect


def middle(part: Any) -> tuple[float, float]:
    box = part.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


PLACE = """t => {
    const plots = [...globalThis[Symbol.for('polhode.page')].plots];
    const {picture, across} = plots.find(({title}) => title === "Energy error");
    return picture.getBoundingClientRect().left + across(t);
}"""
"""Where a time is in the plot of the energy error, in pixels of the window."""


def back(lab: Any) -> None:
    """Return to the picture with which the other tests begin."""
    lab.choose("Picture", "Poinsot")
    lab.page.wait_for_function("() => window.polhode.player.attitude")
    lab.settled()


@pytest.mark.exhaustive
def test_the_start_is_dragged_on_the_momentum_sphere(lab: Any) -> None:
    lab.open()
    lab.choose("Picture", "From above")
    start = lab.page.get_by_role("slider", name="Start Π₀")
    mouse = lab.page.mouse
    field = lab.entry("Angular velocity Ω₀")
    start.focus()
    lab.settled()
    (x, y) = middle(start)
    before = field.input_value()
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
    assert np.linalg.norm(body.Pi0) == pytest.approx(
        np.linalg.norm(engine.problem("free").Pi0), rel=1e-4
    )
    assert start.get_attribute("aria-valuetext") == format_setting(
        "Omega0", state["choice"]["changes"]["Omega0"]
    )
    lab.undo()
    expect(field).to_have_value(before)
    np.testing.assert_allclose(middle(start), (x, y), atol=1)
    start.press("Shift+ArrowLeft")
    expect(field).not_to_have_value(before)
    lab.settled()
    assert lab.undo()["choice"]["changes"] == {}
    back(lab)


@pytest.mark.exhaustive
def test_the_body_is_turned_by_hand_where_that_matters(lab: Any) -> None:
    lab.open(problem="lagrange-top", methods="NMB,AKW")
    picture = lab.page.get_by_role("application").first
    turn = lab.button("Turn")
    mouse = lab.page.mouse
    field = lab.entry("Attitude R₀, a rotation vector")
    before = field.input_value()
    turn.click()
    expect(lab.page.get_by_text("You turn the body, not the view")).to_be_visible()
    x, y = middle(picture)
    mouse.move(x, y)
    mouse.down()
    lab.after(lambda: mouse.move(x + 60, y, steps=3))
    expect(field).not_to_have_value(before)  # while it is held
    lab.after(lambda: mouse.move(x + 60, y - 40, steps=3))
    mouse.up()
    state = lab.settled()
    turned = engine.problem("lagrange-top", R0=state["choice"]["changes"]["R0"]).R0
    np.testing.assert_allclose(state["player"]["attitude"], turned.ravel(), atol=1e-6)
    lab.undo()
    expect(field).to_have_value(before)
    turn.click()
    picture.focus()
    lab.page.keyboard.down("r")
    expect(turn).to_have_attribute("aria-pressed", "true")
    lab.after(lambda: picture.press("Shift+ArrowLeft"))
    lab.page.keyboard.up("r")
    expect(turn).to_have_attribute("aria-pressed", "false")
    assert lab.undo()["choice"]["changes"] == {}
    lab.open()
    turn.dispatch_event("click")
    expect(lab.page.get_by_text(NO_TURNING)).to_be_visible()
    turn.dispatch_event("click")


def test_the_wheel_with_alt_changes_the_step_over_a_plot_and_a_double_click_takes_the_body_to_a_time(
    lab: Any,
) -> None:
    lab.open()
    page = lab.page
    field = lab.entry("Δt")
    frame = page.get_by_role("img", name="Energy error")
    frame.scroll_into_view_if_needed()
    x, y = middle(frame)
    page.mouse.move(x, y)
    scrolled = (
        "() => [document.scrollingElement.scrollTop, document.getElementById('views').scrollTop]"
    )
    before = page.evaluate(scrolled)
    page.keyboard.down("Alt")
    page.mouse.wheel(0, 200)
    page.keyboard.up("Alt")
    expect(field).to_have_value("0.4")  # two notches of a twentieth of a power of ten
    assert lab.settled()["choice"]["dt"] == 0.4 and page.evaluate(scrolled) == before
    assert lab.undo()["choice"]["dt"] == 0.5
    page.mouse.dblclick(page.evaluate(PLACE, 25), y)
    page.wait_for_function(
        "() => Math.abs(window.polhode.player.time - 25) <= 0.5"
    )  # at the next state
    page.get_by_role("application").first.focus()
    page.keyboard.press("Home")


LOUDNESS = "globalThis[Symbol.for('polhode.page')].clock.sound?.loudness.gain.value"
NOTE_LOUDEST = """() => {
    const {gain} = globalThis[Symbol.for('polhode.page')].clock.sound.loudness, {setTargetAtTime} = gain;
    window.loudest = 0;
    gain.setTargetAtTime = function (value, ...when) {
        window.loudest = Math.max(window.loudest, value);
        return setTargetAtTime.call(this, value, ...when);
    };
}"""
"""Note the loudness that is asked for: it may have faded before a busy browser reads it."""


@pytest.mark.exhaustive
def test_what_is_seen_is_heard_while_it_plays_if_that_is_wanted(lab: Any) -> None:
    lab.open()
    page = lab.page
    sound = lab.button("Sound")
    expect(sound).to_have_attribute("aria-pressed", "false")
    assert page.evaluate(f"() => {LOUDNESS}") is None
    sound.click()
    expect(sound).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text("A voice for each method")).to_be_visible()
    assert page.evaluate(f"() => {LOUDNESS}") == 0
    lab.button("Play").click()
    page.wait_for_function(f"() => {LOUDNESS} > 0.05")
    lab.button("Pause").click()
    page.wait_for_function(f"() => {LOUDNESS} < 0.001")
    page.evaluate(NOTE_LOUDEST)
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => window.loudest > 0.05")
    page.wait_for_function(f"() => {LOUDNESS} < 0.001")  # it has been moved, and stands still
    lab.choose("Picture", "Body in space")
    expect(lab.button("Sound")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("application").first.press("t")
    expect(lab.button("Sound")).to_have_attribute("aria-pressed", "false")
    assert page.evaluate(f"() => {LOUDNESS}") is None
    page.get_by_role("application").first.press("Home")
    back(lab)


SHOWN = """() => {
    const {choice, runs} = window.polhode, plots = [...globalThis[Symbol.for('polhode.page')].plots];
    return {
        dt: choice.dt, ends: runs.map(({R}) => R), statuses: runs.map(({status}) => status),
        marks: plots.map(({shown}) => shown.marks.map(({why}) => why)),
        last: plots.flatMap(({curves}) => curves.map(({y}) => y.at(-1))),
        ranges: plots.map(({ends: [, end]}) => end),
    };
}"""
"""What the page shows of its runs: Δt, the last states, how they ended, the ends of curves and of
axes.
"""


ENDED = ("statuses", "marks")


HOLD_MESSAGES = """() => {
    const {send} = WebSocket.prototype, waiting = [], stopped = performance.now();
    WebSocket.prototype.send = function (...data) { waiting.push(() => send.apply(this, data)); };
    performance.now = () => stopped;
    window.releaseMessages = () => {
        WebSocket.prototype.send = send;
        delete performance.now;
        for (const act of waiting) act();
    };
}"""
"""Have messages to the server wait, so that it cannot answer, and stop the clock, so that no run takes
longer than the page waits for it.
"""


READY = """() => {
    const page = globalThis[Symbol.for('polhode.page')];
    page.request('prepare drag');
    return page.request('drag', {}) && page.request('forget drag');
}"""
"""Ask for the kernels, and see whether the browser can use them; it then shows the server's runs
again.
"""


def await_kernels(lab: Any) -> None:
    """Wait until the browser can compute the runs."""
    lab.page.wait_for_function(READY)
    lab.settled()


DRAGGED = {
    "step": {"problem": "slow-top", "methods": "NMB,AKW", "dt": "0.02", "duration": "40"},
    "start": {
        "problem": "free",
        "methods": "NMB,AKW",
        "dt": "0.05",
        "duration": "50",
        "J": "2,1,2.5",
        "Omega0": "0.5,1,2",
    },
    "attitude": {"problem": "lagrange-top", "methods": "MR2,EXACT", "dt": "0.02", "duration": "20"},
    "rates": {
        "page": "gyroscope",
        "problem": "coning",
        "methods": "EXP,CONING",
        "dt": "0.002",
        "duration": "1",
    },
}
FIELDS = {
    "start": "Angular velocity Ω₀",
    "attitude": "Attitude R₀, a rotation vector",
    "rates": "Δt, s",
}
"""The field that shows what is dragged; otherwise Δt."""


NOTE_STACKS = """() => {
    Error.stackTraceLimit = Infinity;
    const stacks = window.stacks = new Set(), replaced = [];
    // A kernel's memory is filled before a run, and a curve is stroked.
    for (const [of, name] of [[Float64Array.prototype, "fill"], [CanvasRenderingContext2D.prototype, "stroke"]]) {
        const act = of[name];
        replaced.push(() => { of[name] = act; });
        of[name] = function (...given) {
            stacks.add(new Error().stack);
            return act.apply(this, given);
        };
    }
    window.stopNoting = () => { for (const restore of replaced) restore(); };
}"""
"""Note which functions lead to a run and to a curve."""
CURVES = (
    "() => ['start', 'drawPlot'].every(name => [...window.stacks].some(one => one.includes(name)))"
)
MOST_FILES = 10
"""Scripts that a drag passes through."""


def test_the_documented_path_of_a_drag(lab: Any) -> None:
    """The functions of the page's table lead to the runs and to the curves, and those between them
    stand in the same files.
    """
    page = lab.page
    text = (ASSETS.parent / "docs" / "developer" / "path.md").read_text(encoding="utf-8")
    documented = re.findall(r"^\| `(\w+)` \| `assets/js/([\w/-]+\.js)` \|", text, re.MULTILINE)
    lab.open(**DRAGGED["step"])
    slider = page.get_by_role("slider", name="Δt by powers of ten")
    slider.focus()
    await_kernels(lab)
    (x, y) = middle(slider)
    page.mouse.move(x, y)
    page.mouse.down()
    lab.settled()
    page.evaluate(NOTE_STACKS)
    page.mouse.move(x + 3, y)
    page.wait_for_function(CURVES)
    stacks = "\n".join(page.evaluate("() => [...window.stacks]"))
    page.evaluate("() => window.stopNoting()")
    page.mouse.up()
    lab.settled()
    entered = re.findall(r"^ *at (?:([\w.]+) )?.*/js/([\w/-]+\.js)", stacks, re.MULTILINE)
    names = {name.rpartition(".")[2] for name, _ in entered if name}
    assert {name for name, _ in documented} <= names
    # A component's script comes in one file with the modules that it alone imports.
    files = {file for _, file in (*documented, *entered)}
    scripts = "\n".join((SCRIPTS / file).read_text(encoding="utf-8") for file in files)
    defined = re.findall(r"\b(?:function|const) (\w+)|^ +(?:async )?(\w+)\(", scripts, re.MULTILINE)
    assert names <= {name for pair in defined for name in pair}
    assert len(files) <= MOST_FILES


@pytest.mark.parametrize("what", first(DRAGGED))
def test_the_browser_computes_what_a_person_drags(lab: Any, what: str) -> None:
    page = lab.page
    lab.open(**DRAGGED[what])
    ledger = page.get_by_role("region", name="Ledger")
    label = FIELDS.get(what, "Δt")
    slider = page.get_by_role("slider", name=f"{label} by powers of ten")
    if what == "start":
        lab.choose("Picture", "Momentum sphere")
        slider = page.get_by_role("slider", name="Start Π₀")
    if what == "attitude":
        lab.choose("Picture", "Body")
        slider = page.get_by_role("application", name="The body in space")
        slider.wait_for()
        page.get_by_role("button", name="Turn", exact=True).click()
        expect(slider).to_have_css("touch-action", "none")  # its script has come
    field = lab.entry(label)
    slider.focus()
    await_kernels(lab)
    x, y = middle(slider)
    page.mouse.move(x, y)
    page.mouse.down()  # which moves the slider of Δt
    lab.settled()
    page.evaluate(HOLD_MESSAGES)
    before = page.evaluate(SHOWN)
    written = field.input_value()
    for step in (3, 9):
        page.mouse.move(x + step, y + step)
        page.wait_for_function("R => window.polhode.runs[0].R[0] !== R", arg=before["ends"][0][0])
        own = page.evaluate(SHOWN)
        assert (own["dt"] != before["dt"]) is (what in ("step", "rates"))
        expect(field).not_to_have_value(written)
        written = field.input_value()
        expect(ledger).to_have_css("opacity", "0.45")  # the server has not answered
        before = own
    page.evaluate("() => window.releaseMessages()")
    page.mouse.up()
    expect(ledger).to_have_css("opacity", "1")
    lab.settled()
    expect(field).to_have_value(written)
    server = page.evaluate(SHOWN)
    assert server["dt"] == own["dt"]
    assert [server[name] for name in ENDED] == [own[name] for name in ENDED]
    np.testing.assert_allclose(server["ends"], own["ends"], rtol=0, atol=1e-9)
    last, roundoff = np.array(own["last"]), -12  # WebAssembly and machine code round differently
    np.testing.assert_allclose(
        np.array(server["last"])[last > roundoff], last[last > roundoff], rtol=1e-6
    )
    np.testing.assert_allclose(server["ranges"], own["ranges"], rtol=1e-10)


CURVES_ON_SCREEN = """() => [...globalThis[Symbol.for('polhode.page')].plots].flatMap(({title, curves}) =>
    curves.map(({label, t, y}) => [title, label, t.at(-1), y.at(-1)]))"""
"""The plot and the label of each curve, and its last point."""


@pytest.mark.parametrize("group", first(["Motion", "What is kept"], 2))
def test_the_exact_motion_is_drawn_while_a_person_drags(lab: Any, group: str) -> None:
    """And the errors against it, also of a method that chooses its steps; the server's are the
    same.
    """
    page = lab.page
    lab.open(problem="kovalevskaya-top", methods="MR2,TAYLOR", dt="0.05", duration="40")
    lab.choose("Plots", group)
    lab.settled()
    slider = page.get_by_role("slider", name="Δt by powers of ten")
    slider.focus()
    await_kernels(lab)
    page.evaluate(HOLD_MESSAGES)
    before = page.evaluate(SHOWN)
    slider.press("PageDown")
    page.wait_for_function("R => window.polhode.runs[0].R[0] !== R", arg=before["ends"][0][0])
    expect(page.locator("[data-old]").first).to_be_attached()  # the server has not answered
    own = page.evaluate(CURVES_ON_SCREEN)
    page.evaluate("() => window.releaseMessages()")
    expect(page.locator("[data-old]")).to_have_count(0)
    lab.settled()
    server = page.evaluate(CURVES_ON_SCREEN)
    assert [curve[:2] for curve in own] == [curve[:2] for curve in server]
    labels = {curve[1] for curve in own}
    assert ("exact" in labels) == (group == "Motion")
    for (*_, t, y), (*_, t_server, y_server) in zip(own, server, strict=True):
        assert t == t_server > 39.0
        assert y == pytest.approx(y_server, rel=1e-4, abs=1e-6)


VECTORS = """() => WebAssembly.validate(new Uint8Array(
    [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11]
))"""
"""Whether a module may have vectors of 128 bits, as the exact motion's has."""


@pytest.mark.exhaustive
def test_a_browser_without_vectors_shows_the_same(
    lab: Any, browser_type: Any, browser_type_launch_args: dict[str, Any]
) -> None:
    """There the server computes what the browser cannot. V8 has no vectors without SSE 4.1."""
    setting = {
        "problem": "kovalevskaya-top",
        "methods": "MR2,TAYLOR",
        "dt": "0.05",
        "duration": "40",
    }

    def change(one: Any) -> list[Any]:
        one.open(anew=True, **setting)
        one.choose("Plots", "Motion")
        one.settled()
        slider = one.page.get_by_role("slider", name="Δt by powers of ten")
        slider.focus()
        slider.press("PageDown")
        one.page.wait_for_function("dt => window.polhode.choice.dt !== dt", arg=0.05)
        expect(one.page.locator("[data-old]")).to_have_count(0)
        one.settled()
        found: list[Any] = one.page.evaluate(CURVES_ON_SCREEN)
        return found

    flags = [flag.replace("--js-flags=", "--js-flags=--no-enable-sse4-1 ") for flag in FLAGS]
    launched = browser_type.launch(**browser_type_launch_args | {"args": flags})
    try:
        context = launched.new_context(viewport={"width": 1440, "height": 900})
        context.set_default_timeout(PATIENCE)
        context.add_init_script(UNANSWERED)
        without = Lab(context.new_page(), lab.server)
        found = change(without)
        assert not without.page.evaluate(VECTORS)
        assert not without.errors
    finally:
        launched.close()
    wanted = change(lab)
    assert lab.page.evaluate(VECTORS)
    assert "exact" in {label for _, label, *_ in found}
    assert [curve[:3] for curve in found] == [curve[:3] for curve in wanted]
    assert [y for *_, y in found] == pytest.approx([y for *_, y in wanted], rel=1e-4, abs=1e-6)


TOP = DRAGGED["step"]
TWO = {"page": "two-bodies", "methods": "LGVI,RK2", "dt": "0.005", "duration": "10"}
ENGINE = {"page": "engines", "engine": "jolt"}
ENTERED = [
    (TOP, "Δt", "1/40"),
    (TOP, "Duration", "30"),
    (TOP, "Angular velocity Ω₀", "0.1, 0.2, 50"),
    (TOP, "Attitude R₀, a rotation vector", "0.4, 0, 0"),
    (TOP, "Inertia J₁, J₂, J₃", "4, 4, 1.5"),
    (TOP, "Weight × arm Mgl", "18"),
    (TWO, "Δt", "0.004"),
    (TWO, "Place of body 1, from body 2", "0.2, 1.1, 0.1"),
    (ENGINE, "Frame rate", "90"),
    (ENGINE, "Inertia J₁, J₂, J₃", "1, 2, 2.2"),
]


@pytest.mark.parametrize(("query", "label", "text"), first(ENTERED, 1))
def test_the_browser_computes_what_a_person_enters(
    lab: Any, query: dict[str, str], label: str, text: str
) -> None:
    page = lab.page
    lab.open(**query)
    lab.entry(label).focus()
    await_kernels(lab)
    page.evaluate(HOLD_MESSAGES)
    before = page.evaluate(SHOWN)
    lab.type(label, text)
    page.wait_for_function(
        "ends => String(window.polhode.runs[0].R) !== String(ends)", arg=before["ends"][0]
    )
    own = page.evaluate(SHOWN)
    expect(page.locator("[data-old]").first).to_be_attached()  # the server has not answered
    page.evaluate("() => window.releaseMessages()")
    expect(page.locator("[data-old]")).to_have_count(0)
    lab.settled()
    server = page.evaluate(SHOWN)
    assert server["dt"] == own["dt"]
    assert [server[name] for name in ENDED] == [own[name] for name in ENDED]
    np.testing.assert_allclose(server["ends"], own["ends"], rtol=0, atol=1e-9)
    np.testing.assert_allclose(server["ranges"], own["ranges"], rtol=1e-10)


KNOWN = "asked => globalThis[Symbol.for('polhode.page')].request('prepare choice', asked)"
"""Whether the kernels with a further method, or of another problem, have come."""
COLOURS = """() => [...globalThis[Symbol.for('polhode.page')].plots]
    .flatMap(({curves}) => curves.map(({label, colour}) => [label, colour]))"""


def expect_same_answer(lab: Any, own: dict[str, Any], colours: list[list[str]]) -> None:
    """Have the server answer, and compare what it shows with what the browser has shown."""
    lab.page.evaluate("() => window.releaseMessages()")
    expect(lab.page.locator("[data-old]")).to_have_count(0)
    lab.settled()
    assert lab.page.evaluate(COLOURS) == colours
    server = lab.page.evaluate(SHOWN)
    assert [server[name] for name in ENDED] == [own[name] for name in ENDED]
    np.testing.assert_allclose(server["ends"], own["ends"], rtol=0, atol=1e-9)
    np.testing.assert_allclose(server["ranges"], own["ranges"], rtol=1e-10)


@pytest.mark.parametrize("query", first([TOP, TWO]))
def test_the_browser_shows_a_chosen_method_before_the_server_answers(
    lab: Any, query: dict[str, str]
) -> None:
    """And the runs without a method that a person removes; the others take the colours in their
    order.
    """
    page = lab.page
    lab.open(**query)
    await_kernels(lab)
    methods = query["methods"].split(",")
    more = "LGVI4" if query is TWO else "ELN"
    search = page.get_by_role("combobox", name="Methods")
    search.fill(more)
    page.wait_for_function(KNOWN, arg={"method": more})
    page.evaluate(HOLD_MESSAGES)
    before = page.evaluate(COLOURS)
    search.press("Enter")
    page.wait_for_function("n => window.polhode.runs.length === n", arg=len(methods) + 1)
    own = page.evaluate(SHOWN)
    colours = page.evaluate(COLOURS)
    assert page.evaluate("() => window.polhode.choice.methods") == [*methods, more]
    assert colours != before and engine.algorithm(more).short in dict(colours)
    expect(page.locator("[data-old]").first).to_be_attached()
    expect_same_answer(lab, own, colours)
    await_kernels(lab)
    page.evaluate(HOLD_MESSAGES)
    page.get_by_role(
        "button", name=f"Remove {engine.algorithm(methods[0]).short}", exact=True
    ).click()
    page.wait_for_function("n => window.polhode.runs.length === n", arg=len(methods))
    own = page.evaluate(SHOWN)
    colours = page.evaluate(COLOURS)
    assert engine.algorithm(methods[0]).short not in dict(colours)
    expect_same_answer(lab, own, colours)


HEADS = """() => {
    const [{element}] = globalThis[Symbol.for('polhode.page')].plots;
    return [...element.parentElement.querySelectorAll(".picture")].map(({ariaLabel}) => ariaLabel);
}"""
"""The title and formula of each plot, open or not, and the quantity on its other axis."""
MESHES = """() => [...globalThis[Symbol.for('polhode.page')].clock.players].flatMap(({painter: {surfaces}}) =>
    [...surfaces].filter(([name]) => name.startsWith("body")).map(([name, {points}]) => [name, ...points]))"""
"""The points of the bodies' meshes."""
CHOSEN = [
    (TOP, "free", "Freely spinning body"),
    (TOP, "kovalevskaya-top", "Kovalevskaya's top"),
    (TWO | {"problem": "two-bodies"}, "dumbbells", "Two dumbbells"),
]


@pytest.mark.parametrize(("query", "key", "name"), first(CHOSEN))
def test_the_browser_shows_a_chosen_problem_before_the_server_answers(
    lab: Any, query: dict[str, str], key: str, name: str
) -> None:
    """With the titles of its quantities, once the server has compiled it."""
    page = lab.page
    lab.open(**query | {"problem": key})
    lab.open(**query)
    await_kernels(lab)
    field = page.get_by_role("combobox", name=re.compile("^Problem"))
    field.click()
    option = page.get_by_role("option", name=name, exact=True)
    option.hover()
    page.wait_for_function(KNOWN, arg={"problem": key})
    page.evaluate(HOLD_MESSAGES)
    before = page.evaluate(HEADS)
    bodies = page.evaluate(MESHES)
    option.click()
    page.wait_for_function("problem => window.polhode.choice.problem === problem", arg=key)
    own = page.evaluate(SHOWN)
    colours = page.evaluate(COLOURS)
    heads = page.evaluate(HEADS)
    assert heads != before
    meshes = page.evaluate(MESHES)
    assert meshes and meshes != bodies
    expect(field).to_have_text(name)
    expect(page.locator("[data-old]").first).to_be_attached()
    choice = page.evaluate("() => window.polhode.choice")
    expect_same_answer(lab, own, colours)
    assert page.evaluate(HEADS) == heads
    assert page.evaluate(MESHES) == meshes
    assert page.evaluate("() => window.polhode.choice") == choice


COUNT_WORKERS = """() => {
    window.worked = 0;
    const {postMessage} = Worker.prototype;
    Worker.prototype.postMessage = function (...data) { window.worked += 1; return postMessage.apply(this, data); };
}"""
MANY = TWO | {"methods": "LGVI,LGVI4,RK4", "dt": "0.001", "duration": "19"}
"""A setting whose runs take longer than a worker leaves to the page."""


@pytest.mark.exhaustive
def test_a_worker_computes_what_would_hold_the_page_up(lab: Any) -> None:
    page = lab.page
    lab.open(**MANY)
    slider = page.get_by_role("slider", name="Δt by powers of ten")
    slider.focus()
    page.evaluate(COUNT_WORKERS)
    await_kernels(lab)
    page.wait_for_function(
        f"() => window.worked || ({READY})() && window.worked"
    )  # a worker gets the kernels
    lab.settled()
    page.evaluate(HOLD_MESSAGES)
    before = page.evaluate(SHOWN)
    slider.press("PageUp")
    page.wait_for_function("dt => window.polhode.choice.dt !== dt", arg=before["dt"])
    own = page.evaluate(SHOWN)
    worked = page.evaluate("() => window.worked")
    assert worked >= 2  # the kernels, and a request
    page.evaluate("() => window.releaseMessages()")
    expect(page.locator("[data-old]")).to_have_count(0)
    lab.settled()
    server = page.evaluate(SHOWN)
    assert server["dt"] == own["dt"] and server["ranges"] == own["ranges"]
    np.testing.assert_allclose(
        server["ends"], own["ends"], rtol=0, atol=1e-7
    )  # which grows with the steps


def test_a_value_that_is_refused_leaves_the_runs_of_the_one_before(lab: Any) -> None:
    lab.open(**DRAGGED["step"])
    lab.entry("Δt").focus()
    await_kernels(lab)
    for text in ("soon", "0", "-1", "1e-9"):
        lab.type("Δt", text)
        expect(lab.page.get_by_role("alert").first).to_be_visible()
        lab.settled()
        expect(lab.page.get_by_role("region", name="Ledger")).to_have_css("opacity", "1")
        assert lab.page.evaluate(SHOWN)["dt"] == 0.02
        lab.type("Δt", "0.02")
    lab.settled()
    before = lab.page.evaluate(SHOWN)
    lab.type("Attitude R₀, a rotation vector", "2e6, 0, 0")
    expect(lab.page.get_by_role("alert").first).to_be_visible()
    lab.settled()
    expect(lab.page.get_by_role("region", name="Ledger")).to_have_css("opacity", "1")
    assert lab.page.evaluate(SHOWN) == before


def test_a_drag_that_ends_where_it_began_leaves_nothing_marked_as_old(lab: Any) -> None:
    page = lab.page
    lab.open(**DRAGGED["step"])
    await_kernels(lab)
    slider = page.get_by_role("slider", name="Δt by powers of ten")
    slider.evaluate("""slider => {
        for (const by of [1, -1]) {
            slider.value = Number(slider.value) + by;
            slider.dispatchEvent(new Event("input", {bubbles: true}));
        }
    }""")
    state = lab.settled()
    expect(page.get_by_role("region", name="Ledger")).to_have_css("opacity", "1")
    assert state["choice"]["dt"] == 0.02 and state["runs"][0]["t"] == 40
