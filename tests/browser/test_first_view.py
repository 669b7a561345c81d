"""The first visit: the body moves, and the page introduces itself, explains its words and offers
next steps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from test_appearance import needs_axe, violations

from app.state.presets import PRESETS
from engine.text.glossary import meaning

expect = pytest.importorskip("playwright.sync_api").expect

PAGE = "globalThis[Symbol.for('polhode.page')]"
PLAYS = "() => window.polhode?.player?.playing"
RESTS = "() => window.polhode?.player?.playing === false"
RACKET = next(preset for preset in PRESETS if preset.key == "racket")


@pytest.fixture
def visitor(lab: Any) -> Iterator[Any]:
    """A new tab with autoplay on; the other tests have it off."""
    page = lab.page.context.new_page()
    page.emulate_media(reduced_motion="no-preference")
    yield page
    page.close()


@pytest.mark.exhaustive
def test_the_opening_view_moves_keeps_and_gains_energy_and_leads_on(lab: Any, visitor: Any) -> None:
    page = visitor
    page.goto(lab.server)
    page.wait_for_function(PLAYS)
    expect(page.get_by_role("application")).to_have_count(1)
    expect(page.locator(".energy").get_by_text("Semi-implicit Euler")).to_be_visible()
    expect(page.get_by_text("energy 100 %").first).to_be_visible()
    page.get_by_role("slider", name="Δt by powers of ten").press("End")
    page.wait_for_url("**dt=0.1&**page=start**")
    page.wait_for_function(PLAYS)
    expect(page.get_by_text("energy over 1000 %")).to_be_visible()
    expect(page.locator(".energy.beyond")).to_have_count(1)  # its bar ends in an arrow
    page.get_by_role("button", name="Pause").click()
    page.wait_for_function(RESTS)
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    page.get_by_label("Next time, open").select_option("Engines")
    page.get_by_role("link", name="Skip to the lab").click()
    page.wait_for_url("**page=simple**")
    expect(page.get_by_role("heading", name="Who moves the body?")).to_be_visible()
    page.goto(lab.server)
    expect(page).to_have_title("Engines · Polhode")
    page.get_by_role("link", name="Polhode", exact=True).click()
    page.get_by_label("Next time, open").select_option("this view")
    page.goto(lab.server)
    expect(page.get_by_role("heading", name="Throw a spinning T‑handle")).to_be_visible()


def test_the_body_of_the_opening_view_is_thrown_and_moves_on_while_the_step_is_dragged(
    lab: Any, visitor: Any
) -> None:
    page = visitor
    page.goto(lab.server)
    page.wait_for_function(PLAYS)
    page.wait_for_function(f"() => {PAGE}.request('drag', {{dt: 0.02}})")  # by the browser alone
    page.evaluate(f"() => {PAGE}.request('forget drag')")
    page.evaluate(WATCH_PLAYING)
    slider = page.get_by_role("slider", name="Δt by powers of ten")
    for key in ("PageUp", "PageDown", "PageUp"):
        slider.press(key)
    page.wait_for_url("**dt=0.021&**")
    assert not page.evaluate(HAS_RESTED), "the motion goes on while Δt changes"

    page.wait_for_function(THROWS)
    picture = page.get_by_role("application")
    picture.hover()
    picture.evaluate(DRAG, 2000)  # the hand rests before it lets go
    assert page.evaluate("() => window.polhode.choice.changes.Omega0") == [0.1, 6, 0]
    picture.evaluate(DRAG, 160)
    page.wait_for_function(SPINS, arg=[0.1, 6, 0])
    thrown = page.evaluate("() => window.polhode.choice.changes.Omega0")
    page.get_by_role("button", name="Throw it").click()
    page.wait_for_function(SPINS, arg=thrown)
    page.wait_for_function(PLAYS)


@pytest.mark.exhaustive
@needs_axe
@pytest.mark.parametrize("view", ["start", "simple"])
def test_axe_finds_nothing_serious_in_the_opening_view_and_the_simple_one(
    lab: Any, view: str
) -> None:
    lab.load(f"{lab.server}?page={view}")
    for theme in ("dark", "light"):
        lab.page.emulate_media(color_scheme=theme)
        assert violations(lab) == []


def test_the_simple_view_follows_a_motion_computes_while_it_is_dragged_and_leads_to_the_lab(
    lab: Any,
) -> None:
    lab.load(f"{lab.server}?page=simple")
    page = lab.page
    page.wait_for_function("() => window.polhode?.revision > 0")
    rule, exact = (page.get_by_role("button", name=name) for name in ("Runge–Kutta", "Exact"))
    expect(rule).to_have_attribute("aria-pressed", "true")
    exact.click()
    expect(exact).to_have_attribute("aria-pressed", "true")
    assert page.evaluate("() => window.polhode.player.solid") == "exact"
    page.evaluate(f"() => {PAGE}.clock.seek(30)")
    expect(rule).to_contain_text("energy 93 %")
    page.wait_for_function(f"() => {PAGE}.request('drag', {{dt: 0.2}})")  # by the browser alone
    expect(rule).to_contain_text("energy 97 %")
    page.evaluate(f"() => {PAGE}.request('forget drag')")
    expect(rule).to_contain_text("energy 93 %")
    page.get_by_role("button", name="energy", exact=True).hover()
    expect(page.locator(".bars.lit")).to_have_count(1)
    handle = page.get_by_role("slider", name="Time step Δt", exact=True)
    expect(handle).to_have_text("0.25")
    handle.press("PageDown")  # half a power of ten
    page.wait_for_function("() => window.polhode.choice.dt < 0.1")
    expect(page.get_by_text("all methods keep the energy")).to_be_visible()
    slider = page.get_by_role("slider", name="Δt by powers of ten")
    handle.press("PageUp")
    page.wait_for_url("**dt=0.25&**")
    slider.press("PageDown")
    page.wait_for_url("**dt=0.2&**")
    expect(handle).to_have_text("0.2")
    page.get_by_role("link", name="More").click()
    page.wait_for_function("() => window.polhode?.choice.dt === 0.2")
    expect(page.get_by_role("heading", level=2).filter(has_text="energy").first).to_be_visible()
    page.get_by_role("link", name="Simple view").click()
    expect(page.get_by_role("heading", name="Who moves the body?")).to_be_visible()
    page.wait_for_function("() => window.polhode?.choice.dt === 0.2")
    lab.forget()


@pytest.mark.exhaustive
def test_it_moves_by_itself_until_it_is_stopped_and_leads_to_a_flip(lab: Any, visitor: Any) -> None:
    page = visitor
    page.goto(f"{lab.server}?page=lab")
    page.wait_for_function(PLAYS)
    expect(
        page.get_by_text("A free body: its inertia ellipsoid rolls on the invariable plane")
    ).to_be_visible()
    expect(
        page.get_by_role("heading", level=2).filter(has_text="All keep energy within 0.29 %")
    ).to_be_visible()
    expect(page.get_by_text("Time t, in the problem's unit of time")).to_be_visible()
    assert page.get_by_label("Speed").input_value() == "1"
    page.get_by_role("button", name="See it flip").click()
    page.wait_for_function("() => window.polhode.choice.problem === 'custom'")
    expect(page.get_by_role("radio", name="Body in space")).to_be_checked()
    expect(page.get_by_role("alert")).to_contain_text(RACKET.title)
    expect(page.get_by_role("button", name="See it flip")).to_have_count(0)
    page.wait_for_function(PLAYS)
    page.get_by_role("button", name="Pause").click()
    page.wait_for_function(RESTS)
    page.reload()
    page.wait_for_function(PLAYS)
    page.emulate_media(reduced_motion="reduce")
    page.reload()
    page.wait_for_function(RESTS)
    page.wait_for_function("() => window.polhode.player.attitude")
    assert page.evaluate(RESTS), "a person wants no motion"


DRAG = """(picture, end) => {
    const {left, top, width, height} = picture.getBoundingClientRect();
    const move = (kind, x, timeStamp) => picture.dispatchEvent(Object.defineProperty(
        new PointerEvent(kind, {
            bubbles: true, composed: true, isPrimary: true, pointerId: 1,
            clientX: left + width / 4 + x, clientY: top + height / 2,
        }),
        "timeStamp", {value: timeStamp},
    ));
    move("pointerdown", 0, 0);
    for (const at of [50, 100, 150]) move("pointermove", at, at);
    move("pointerup", 150, end);
}"""
"""Drag the picture for 150 ms, and let go at this time."""
SPINS = """spin => window.polhode.choice.changes.Omega0.join() !== spin.join()"""
THROWS = """() => performance.getEntriesByType("resource").some(({name}) => name.includes("throw-body"))"""
"""Whether the script that catches throws has come."""
WATCH_PLAYING = """() => {
    const {clock} = globalThis[Symbol.for("polhode.page")], {set} = clock;
    clock.rested = false;
    clock.set = function (changes) { set.call(this, changes); clock.rested ||= !this.playing; };
}"""
HAS_RESTED = "() => globalThis[Symbol.for('polhode.page')].clock.rested"


def test_the_motion_goes_on_during_changes_and_a_pause_ends_when_another_opens(
    lab: Any, visitor: Any
) -> None:
    page = visitor
    page.goto(f"{lab.server}?page=lab")
    page.wait_for_function(PLAYS)
    page.evaluate(WATCH_PLAYING)
    slider = page.get_by_role("slider", name="Δt by powers of ten")
    revision = page.evaluate("() => window.polhode.revision")
    for key in ("ArrowLeft", "ArrowLeft", "ArrowRight"):
        slider.press(key)
    page.wait_for_function("before => window.polhode.revision > before", arg=revision)
    assert not page.evaluate(HAS_RESTED), "the motion goes on while Δt changes"

    page.get_by_role("button", name="Pause").click()
    page.wait_for_function(RESTS)
    slider.press("ArrowLeft")
    page.get_by_role("radio", name="Momentum sphere").locator("xpath=ancestor::label").click()
    expect(page.get_by_role("application", name="The momentum sphere")).to_be_visible()
    assert page.evaluate(RESTS), "a pause outlasts changes and other pictures"
    page.get_by_role("button", name="See it flip").click()
    page.wait_for_function("() => window.polhode.choice.problem === 'custom'")
    page.wait_for_function(PLAYS)

    cursor = page.locator(".time-cursor").first
    cursor.click(force=True)  # it moves
    page.wait_for_function(RESTS)
    page.get_by_role("button", name="Presets").click()
    page.get_by_role("searchbox", name="Search presets").fill(RACKET.title)
    page.locator("button.preset").locator("visible=true").first.click()
    page.wait_for_function(PLAYS)
    page.get_by_role("button", name="Pause").click()
    page.wait_for_function(RESTS)
    page.goto(lab.server)
    page.wait_for_function(PLAYS)


CLICK_AT_ONCE = """(() => {
    const seen = (e, what) => (e.matches(what) && e.getClientRects().length ? e : find(e.shadowRoot, what));
    const find = (root, what) => [...root?.querySelectorAll("*") ?? []].map(e => seen(e, what)).find(e => e);
    const look = what => {
        const found = find(document, what);
        if (found) found.click(); else setTimeout(look, 20, what);
    };
    for (const what of ["#reset", "input[value='Momentum sphere']"]) look(what);
})();"""
"""Click elements as soon as they are visible; to look all the time would keep a busy page from loading."""


def test_what_is_clicked_before_the_page_is_loaded_is_done(lab: Any) -> None:
    page = lab.page.context.new_page()
    page.add_init_script(CLICK_AT_ONCE)
    page.goto(f"{lab.server}?problem=free&dt=0.3")
    page.wait_for_function("() => window.polhode?.choice.dt === 0.5")
    expect(page.get_by_role("application", name="The momentum sphere")).to_be_visible()
    page.close()


def test_words_say_what_they_mean_when_they_are_pointed_at_focused_or_touched(lab: Any) -> None:
    lab.open()
    page = lab.page
    tip = page.get_by_role("tooltip")
    drift = page.get_by_role("button", name="drift of E")
    drift.hover()
    expect(tip).to_have_text(meaning("drift of E"))
    page.keyboard.press("Escape")
    expect(tip).to_have_count(0)
    attitude = page.get_by_role("button", name="Attitude error", exact=True)
    attitude.click()
    expect(tip).to_have_text(meaning("attitude error"))
    page.mouse.click(5, 300)
    expect(tip).to_have_count(0)
    first = page.get_by_role("button", name="max |ΔE/E₀|")
    first.focus()
    page.keyboard.press("ArrowRight")
    expect(drift).to_be_focused()
    expect(tip).to_contain_text(meaning("drift of E"))
    page.keyboard.press("ArrowLeft")
    expect(tip).to_contain_text(meaning("max |ΔE/E₀|"))
    page.keyboard.press("ArrowLeft")  # a word of another part of the page
    expect(first).not_to_be_focused()
    expect(page.locator(".term:focus")).to_have_count(1)
    expect(drift).to_have_accessible_description(meaning("drift of E"))
    for word in ("polhode", "herpolhode", "invariable plane"):
        expect(page.get_by_role("button", name=word, exact=True).last).to_be_visible()


REPEATED = """() => {
    const roots = [document];
    for (const root of roots)
        root.querySelectorAll("*").forEach(e => { if (e.shadowRoot) roots.push(e.shadowRoot); });
    return roots.flatMap(root => [...root.querySelectorAll("[title]")])
        .filter(({title, textContent}) => title && title === textContent.trim()).map(({title}) => title);
}"""
"""Tooltips that repeat the text below them."""


def test_a_tooltip_shows_what_is_cut_off_and_repeats_nothing(lab: Any) -> None:
    lab.open(methods="NMB,MR2(axes=231, trig=cayley)", problem="free", dt="0.5", duration="50")
    page = lab.page
    assert page.evaluate(REPEATED) == []
    expect(page.locator(".time-cursor[title]")).to_have_count(0)
    tip = page.get_by_role("tooltip")
    chosen = page.get_by_role("list", name="Chosen methods")
    page.get_by_role("rowheader", name="Explicit Newmark").last.hover()  # all of it is visible
    chosen.get_by_text("axes=231").hover()  # it says more
    expect(tip).to_have_text(
        re.compile(r"^McLachlan–Reich: MR2\(axes=231, trig=cayley\), McLachlan")
    )
    page.keyboard.press("Escape")
    expect(tip).to_have_count(0)


CUT = """() => {
    const roots = [document];
    for (const root of roots)
        root.querySelectorAll("*").forEach(e => { if (e.shadowRoot) roots.push(e.shadowRoot); });
    return roots.flatMap(root => [...root.querySelectorAll("ul[aria-label='Chosen methods'] li *")])
        .filter(e => e.scrollWidth > e.clientWidth + 1 && e.clientWidth).map(e => e.textContent);
}"""
"""Texts of the chosen methods that do not fit."""


def test_the_names_of_chosen_variants_are_whole(lab: Any) -> None:
    variants = "MR2(axes=231),MR2(axes=312, trig=cayley),GAUSS(stages=3)"
    lab.open(methods=variants, problem="free", dt="0.5", duration="50")
    chosen = lab.page.get_by_role("list", name="Chosen methods").get_by_role("listitem")
    expect(chosen).to_have_count(3)
    assert lab.page.evaluate(CUT) == []
    assert chosen.nth(0).inner_text().count("231") == 1, "options stand once"


def test_presets_are_found_by_ordinary_words(lab: Any) -> None:
    lab.open()
    lab.button("Presets").click()
    search = lab.page.get_by_role("searchbox", name="Search presets")
    cards = lab.page.locator("button.preset")
    expect(search).to_be_focused()
    expect(cards.first).to_have_accessible_name(RACKET.title)
    everything = cards.count()
    wanted = {"gyroscope": "Lagrange's top", "sympl": "A million steps", "racket": RACKET.title}
    for words, title in (wanted | dict.fromkeys(("drift", "energy", "game"), "")).items():
        search.fill(words)
        found = cards.locator("visible=true")
        assert 0 < found.count() < everything, words
        expect(found.filter(has_text=re.compile(title)).first).to_be_visible()
    search.fill("no such thing")
    expect(cards.locator("visible=true")).to_have_count(0)
    expect(lab.page.get_by_text("No preset matches.")).to_be_visible()
    lab.page.keyboard.press("Escape")
    expect(search).to_be_hidden()
    expect(lab.button("Presets")).to_be_focused()
    for words, family in (("sympl", "DMV"), ("game", "SEMI-EULER"), ("keeps energy", "AKW")):
        lab.page.get_by_role("combobox", name="Methods", exact=True).fill(words)
        expect(lab.page.get_by_role("option", name=re.compile(f" · {family}$"))).to_have_count(1)
    lab.page.keyboard.press("Escape")
    lab.forget()
