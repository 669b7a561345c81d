"""All parts follow a change; the page stays responsive in a long run; a failing method disturbs no
other.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from conftest import assert_runs

import engine

expect = pytest.importorskip("playwright.sync_api").expect

PICTURES = ("Energy error", "Attitude error")
SLOW = "RKMK(tableau=dop853)"
"""A method whose long runs take minutes unless stopped."""


def looks(lab: Any) -> dict[str, bytes]:
    """Return screenshots of all parts that follow a change."""
    page = lab.page
    parts = {name: page.get_by_role("img", name=re.compile(f"^{name}")) for name in PICTURES}
    parts["scene"] = page.get_by_role("application").first
    parts["ledger"] = page.get_by_role("region", name="Ledger")
    return {name: part.screenshot() for name, part in parts.items()}


def test_plots_scene_and_ledger_are_painted_when_the_page_says_so(lab: Any) -> None:
    lab.open()
    before = looks(lab)
    revision = lab.state["revision"]
    lab.type("Δt", "2")
    lab.page.wait_for_function(
        "before => window.polhode.revision > before && !window.polhode.pending", arg=revision
    )
    after = looks(lab)
    assert [name for name in before if before[name] == after[name]] == []
    lab.undo()


@pytest.mark.exhaustive
def test_nothing_jumps_when_data_change(lab: Any) -> None:
    lab.open()
    page = lab.page
    parts = [
        *(page.get_by_role("img", name=re.compile(f"^{name}")) for name in PICTURES),
        page.get_by_role("application").first,
        page.get_by_role("region", name="Ledger"),
        lab.entry("Δt"),
        lab.entry("Inertia J₁, J₂, J₃"),
    ]

    def find_places() -> list[list[float]]:
        return [list(part.bounding_box().values()) for part in parts]

    before = find_places()
    for dt in ("2", "0.01", "0.3"):
        lab.after(lambda dt=dt: lab.type("Δt", dt))
        np.testing.assert_allclose(
            find_places(), before, atol=0.5
        )  # a page that was scrolled may move by less
    for _ in range(3):
        lab.undo()


def test_a_long_run_shows_how_far_it_is_and_can_be_stopped(lab: Any) -> None:
    lab.open(problem="free", methods=SLOW, dt="0.5", duration="1000")
    page = lab.page
    revision = lab.state["revision"]
    lab.type("Δt", "1e-5")  # 10⁸ steps
    stop = lab.button("Stop")
    expect(stop).to_be_visible()
    expect(page.get_by_role("progressbar").filter(visible=True).first).to_have_attribute(
        "value", re.compile("[1-9]")
    )
    lab.choose("Plots", "Motion")  # the server answers meanwhile
    expect(page.get_by_role("heading", name="Energy error")).to_have_count(0)
    assert lab.state["revision"] == revision
    state = lab.after(stop.click)
    (run,) = state["runs"]
    assert run["status"] == "cancelled"
    assert 0 < run["t"] < 1000
    expect(stop).to_be_hidden()
    expect(page.get_by_role("region", name="Ledger")).to_contain_text("stopped")
    lab.choose("Plots", "What is kept")
    expect(page.get_by_role("heading", name="Energy error")).to_be_visible()
    state = lab.after(lambda: lab.type("Δt", "0.25"))
    assert_runs(state)
    lab.button("Undo (Ctrl+Z)").click()
    expect(stop).to_be_visible()  # the long run again, which a newer request takes the place of
    state = lab.after(lambda: lab.type("Δt", "0.2"))
    assert state["choice"]["dt"] == 0.2
    assert_runs(state)
    expect(stop).to_be_hidden()


@pytest.mark.exhaustive
def test_a_link_to_a_long_run_leaves_the_page_alive(lab: Any) -> None:
    lab.page.goto(f"{lab.server}?problem=free&methods={SLOW}&dt=1e-5&duration=1000")
    stop = lab.button("Stop")
    stop.click()
    lab.page.wait_for_function(
        "() => window.polhode?.revision >= 1 && window.polhode.runs[0]?.status === 'cancelled'"
    )


@pytest.mark.exhaustive
def test_a_method_without_a_solution_ends_there_and_the_others_go_on(lab: Any) -> None:
    lab.open(problem="free", methods="DMV,NMB", dt="4", duration="100")
    state = lab.state
    dmv, nmb = state["runs"]
    assert (dmv["status"], nmb["status"]) == ("no-solution", "done")
    assert dmv["t"] < nmb["t"] == 100
    assert_runs(state)
    page = lab.page
    ledger = page.get_by_role("region", name="Ledger")
    expect(ledger.get_by_role("rowheader", name=re.compile("Moser–Veselov"))).to_contain_text(
        "no solution"
    )
    expect(ledger.get_by_role("rowheader", name=re.compile("Explicit Newmark"))).to_contain_text(
        "done"
    )
    run = engine.simulate("free", "DMV", dt=4, duration=100)
    expect(page.locator("body")).to_contain_text(run.message[:40])

    lab.choose("Motion that the solid body follows", "Moser–Veselov")
    page.get_by_role("application").first.focus()
    page.keyboard.press("End")
    page.wait_for_function("() => window.polhode.player.time === 100")
    player = lab.state["player"]
    assert player["solid"] == "DMV"
    np.testing.assert_allclose(
        player["attitude"], dmv["R"], atol=1e-6
    )  # the body stays where its run ended
    page.keyboard.press("Home")
