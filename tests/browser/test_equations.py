"""Equations: all in the included font, and fully visible."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from covering import first

import engine
from app.state.pages.equations import mathml

expect = pytest.importorskip("playwright.sync_api").expect

FONT = "STIX Two Math"
EQUATIONS = {
    thing.key: thing.equations
    for space in ("so3", "se3")
    for thing in (*engine.algorithms(space), *engine.problems(space))
    if thing.equations
}
TOKEN = re.compile(r"<(mi|mn|mo|mtext)\b[^>]*>([^<]+)</\1>")

DRAWN = """async ([tokens, font]) => {
    const host = document.body.appendChild(document.createElement("div"));
    host.id = "tokens";
    host.innerHTML = tokens.map(token => `<math>${token}</math>`).join("");
    for (const math of host.children) math.style.fontFamily = `"${font}", "DejaVu Sans"`;
    await document.fonts.load(`16px "${font}"`);
    await document.fonts.ready;
}"""


@pytest.fixture
def tokens(lab: Any) -> Iterator[list[str]]:
    """Every kind of element in the equations, drawn once on the page."""
    lab.open()
    found = {
        match[0]
        for latex in EQUATIONS.values()
        for match in TOKEN.finditer(mathml(latex))
        if match[2].strip()
    }
    lab.page.evaluate(DRAWN, [sorted(found), FONT])
    yield sorted(found)
    lab.page.evaluate("() => document.getElementById('tokens').remove()")


def fonts(session: Any, selector: str) -> list[set[str]]:
    """The fonts in which the text within each of these elements is drawn."""
    session.send("DOM.enable")
    session.send("CSS.enable")
    root = session.send("DOM.getDocument", {"depth": 0})["root"]["nodeId"]
    nodes = session.send("DOM.querySelectorAll", {"nodeId": root, "selector": selector})["nodeIds"]
    report = [
        session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"] for node in nodes
    ]
    return [
        {f"{font['familyName']}{'' if font['isCustomFont'] else ' of the system'}" for font in x}
        for x in report
    ]


def test_every_character_of_an_equation_is_in_the_font(lab: Any, tokens: list[str]) -> None:
    found = fonts(lab.page.context.new_cdp_session(lab.page), "#tokens > math > *")
    lacking = [
        token for token, drawn_in in zip(tokens, found, strict=True) if not drawn_in <= {FONT}
    ]
    assert len(tokens) > 80 and any(found)
    assert lacking == []


SCRIPTS = """() => {
    const found = [];
    const visit = root => {
        for (const e of root.querySelectorAll("*")) {
            if (e.shadowRoot) visit(e.shadowRoot);
            if (!e.matches(".maths msub")) continue;
            const [base, script] = [...e.children].map(x => x.getBoundingClientRect());
            found.push([getComputedStyle(e).fontFamily, script.bottom - base.bottom, script.height / base.height]);
        }
    };
    visit(document);
    return found;
}"""
"""Return each subscript's font, its depth below its base, and its relative height."""


@pytest.mark.parametrize(
    "query",
    first([{"problem": "free", "methods": "NMB"}, {"page": "two-bodies", "methods": "LGVI"}]),
)
def test_scripts_are_small_and_hang_below(lab: Any, query: dict[str, str]) -> None:
    lab.open(**query)
    lab.page.wait_for_function("() => document.fonts.check('16px \"STIX Two Math\"')")
    lab.page.wait_for_function(f"() => ({SCRIPTS})().length > 5")
    found = lab.page.evaluate(SCRIPTS)
    assert all(FONT in family.split(",")[0] for family, _, _ in found)
    assert all(below > 2 and ratio < 1 for _, below, ratio in found)


@pytest.mark.exhaustive
def test_a_wide_equation_is_scrolled_in_its_own_box(lab: Any) -> None:
    """Nothing is cut off, and the page does not get wider."""
    lab.open(page="two-bodies", methods="LGVI")
    lab.page.set_viewport_size({"width": 390, "height": 844})
    box = lab.page.get_by_role("region", name="Equations")
    inside, room, ends = box.evaluate(
        """box => [box.scrollWidth, box.clientWidth,
            box.querySelector("math").getBoundingClientRect().right - box.getBoundingClientRect().left]"""
    )
    page = lab.page.evaluate("() => [document.documentElement.scrollWidth, innerWidth]")
    lab.page.set_viewport_size({"width": 1440, "height": 900})
    assert inside > room > 250
    assert inside >= ends
    assert page[0] <= page[1]
