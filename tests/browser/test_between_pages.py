"""From page to page and back: each page keeps its state, and screen readers announce it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from conftest import PATIENCE, THERE
from timeouts import wait_until

expect = pytest.importorskip("playwright.sync_api").expect

SETTING = {
    "problem": "slow-top",
    "methods": "NMB,AKW",
    "dt": "0.02",
    "duration": "3",
    "Omega0": "0,0,4",
}


@pytest.fixture
def set_up(lab: Any) -> Iterator[Any]:
    """The lab with a setting that is not the default."""
    lab.open(anew=True, **SETTING)
    yield lab
    lab.forget()


def way(lab: Any, name: str) -> Any:
    """A link of the bar."""
    return lab.page.get_by_role("banner").get_by_role("link", name=name, exact=True)


def follow(lab: Any, name: str) -> dict[str, Any]:
    """Go to a page, and wait until it reports its state."""
    way(lab, name).click()
    lab.page.wait_for_function(f"name => document.title.startsWith(name) && ({THERE})()", arg=name)
    return lab.state["choice"]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("key", "problem", "methods"), [("DMV", "slow-top", "NMB,AKW,DMV"), ("BUSS5", "free", "BUSS5")]
)
def test_a_method_is_put_into_the_lab_s_setting_if_it_can_run_there(
    set_up: Any, key: str, problem: str, methods: str
) -> None:
    follow(set_up, "Methods")
    set_up.load(f"{set_up.server}?page=methods&open={key}")
    set_up.page.get_by_role("link", name="Open in the lab").click()
    set_up.page.wait_for_function(f"() => document.title === 'Polhode' && ({THERE})()")
    choice = set_up.state["choice"]
    assert (choice["problem"], ",".join(choice["methods"])) == (problem, methods)
    assert choice["changes"] == ({"Omega0": [0, 0, 4]} if problem == "slow-top" else {})


def test_more_and_back_keep_what_can_be_undone(lab: Any) -> None:
    lab.load(f"{lab.server}?page=simple&problem=free&methods=NMB&dt=0.25&duration=10")
    page = lab.page
    slider = page.get_by_role("slider", name="Δt by powers of ten")
    slider.press("PageDown")
    page.wait_for_url("**dt=0.2&**")
    page.get_by_role("link", name="More").click()
    page.wait_for_url("**page=lab**")
    page.wait_for_function("() => window.polhode?.choice.dt === 0.2")
    page.get_by_role("link", name="Simple view").click()
    expect(page.get_by_role("heading", name="Who moves the body?")).to_be_visible()
    page.wait_for_function("() => window.polhode?.choice.dt === 0.2")
    wait_until(lambda: undo(lab) == 0.25, "what was chosen before More is undone")
    lab.forget()


def undo(lab: Any) -> float:
    """Undo by a key, when the server has taken over the past, and return Δt."""
    lab.page.keyboard.press("Control+z")
    dt: float = lab.state["choice"]["dt"]
    return dt


@pytest.mark.exhaustive
def test_the_pages_hand_the_setting_on_and_back(set_up: Any) -> None:
    chosen = set_up.state["choice"]
    study = follow(set_up, "Studies")
    assert (study["problem"], study["methods"], study["changes"]) == (
        "slow-top",
        ["NMB", "AKW"],
        {"Omega0": [0, 0, 4]},
    )
    assert study["fields"]["duration"] == "3"
    set_up.type("Duration", "2")
    set_up.page.wait_for_url("**duration=2*")
    follow(set_up, "Methods")
    assert follow(set_up, "Studies")["fields"]["duration"] == "2", "as it was left"
    way(set_up, "Lab").focus()
    set_up.page.keyboard.press("Enter")
    set_up.page.wait_for_function(f"() => document.title === 'Polhode' && ({THERE})()")
    assert set_up.state["choice"] == chosen
    set_up.after(lambda: set_up.type("Δt", "0.01"))
    set_up.page.wait_for_url("**dt=0.01*")
    with set_up.page.context.expect_page() as opened:
        way(set_up, "Lab").click(modifiers=["Control"])
    other = opened.value
    other.wait_for_function(THERE, timeout=PATIENCE)
    assert other.evaluate("() => window.polhode.choice") == set_up.state["choice"]
    other.close()


@pytest.mark.exhaustive
def test_studies_take_over_the_setting_of_the_last_lab(set_up: Any) -> None:
    way(set_up, "Gyroscope").click()
    set_up.page.wait_for_function(
        f"() => window.polhode?.choice.problem === 'coning' && ({THERE})()"
    )
    choice = set_up.state["choice"]
    study = follow(set_up, "Studies")
    assert (study["study"], study["problem"]) == ("convergence", "coning")
    assert study["methods"] == choice["methods"]
    assert float(study["fields"]["duration"]) == choice["duration"]
    way(set_up, "Lab").click()
    set_up.page.wait_for_function(f"() => document.title === 'Polhode' && ({THERE})()")
    assert follow(set_up, "Studies")["problem"] == "slow-top"


def test_a_change_is_read_out_once_it_has_come_to_rest(set_up: Any) -> None:
    said = set_up.page.locator("#said")
    for dt in ("0.05", "0.04", "0.03"):
        set_up.type("Δt", dt)
    expect(said).to_contain_text("Δt = 0.03", timeout=PATIENCE)
    words = said.inner_text()
    assert (
        words.startswith("Slow top")
        and "Explicit Newmark, Implicit midpoint" in words
        and "Implicit midpoint keeps momentum about the vertical" in words
    )
    first = (
        "Both keep energy within 0.56 %, Implicit midpoint to roundoff. "
        "Both keep momentum about the body's axis."
    )
    assert first in words
    expect(set_up.page.get_by_role("heading", level=2, name=first)).to_be_visible()


def test_an_entry_stays_while_an_earlier_one_is_answered(set_up: Any) -> None:
    seen = set_up.entry("Δt").evaluate("""async field => {
        for (const text of ["0.05", "0.04"]) {
            field.value = text;
            field.dispatchEvent(new Event("change"));
        }
        const seen = new Set();
        const arrived = dt => polhode.choice.dt === dt;
        while (!arrived(0.04)) {
            seen.add(field.value);
            await new Promise(requestAnimationFrame);
        }
        return [...seen, field.value];
    }""")
    assert set(seen) == {"0.04"}


@pytest.mark.exhaustive
def test_a_wheel_scrolls_the_page_until_the_scene_is_asked(lab: Any) -> None:
    lab.open(anew=True)
    page = lab.page
    scene = lab.page.get_by_role("application").first
    box = scene.bounding_box()
    scrolled = "() => document.querySelector('main').scrollTop"
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.wheel(0, 60)
    page.wait_for_function(f"({scrolled})() > 30")
    page.mouse.wheel(0, -200)
    page.wait_for_function(f"({scrolled})() === 0")
    before = scene.screenshot()
    page.mouse.click(x, y)
    page.mouse.wheel(0, 200)
    wait_until(lambda: scene.screenshot() != before, "the scene comes nearer")
    assert page.evaluate(scrolled) == 0
    lab.forget()
