"""The page Two bodies in the browser: choices, both frames, the transport, and downloads."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from test_appearance import check_appearance, needs_axe

import engine

expect = pytest.importorskip("playwright.sync_api").expect

START = {
    "page": "two-bodies",
    "problem": "dumbbells",
    "methods": "LGVI,RK2",
    "dt": "0.01",
    "duration": "10",
}

FIRST_SEEN = """() => {
    const roots = [document];
    for (const root of roots)
        root.querySelectorAll("*").forEach(e => { if (e.shadowRoot) roots.push(e.shadowRoot); });
    const title = roots.find(root => root.querySelector("h1")?.textContent);
    return title ? {words: title.querySelector("[role=status]").textContent} : undefined;
}"""
"""Return the text beside the title, as soon as there is one."""


@pytest.fixture
def two(lab: Any) -> Iterator[Any]:
    """The page with the first choice of these tests."""
    lab.open(**START)
    yield lab
    lab.page.evaluate("() => globalThis[Symbol.for('polhode.page')].clock?.set({playing: false})")


def scene(lab: Any) -> Any:
    return lab.page.get_by_role("application").first


def run_of(state: dict[str, Any], method: str, **changes: Any) -> Any:
    """Return the engine's run for the choice that the page reports."""
    choice = state["choice"]
    problem = engine.problem(choice["problem"], **(choice["changes"] | changes))
    return engine.simulate(problem, method, dt=choice["dt"], duration=choice["duration"])


def check(state: dict[str, Any]) -> None:
    """The page's runs end like the engine's."""
    for report in state["runs"]:
        run = run_of(state, report["method"])
        assert (report["status"], report["t"]) == (run.status, pytest.approx(run.t[-1]))
        for name in ("R1", "R2", "x1", "x2", "R"):
            end = getattr(run, name)[-1].ravel()
            np.testing.assert_allclose(
                np.array(report[name], float), end, rtol=0, atol=1e-11 * max(1.0, abs(end).max())
            )


def bodies_at(lab: Any, time: float) -> list[dict[str, Any]]:
    """Return both bodies as drawn at a time."""
    lab.page.evaluate("t => globalThis[Symbol.for('polhode.page')].clock.seek(t)", time)
    lab.page.wait_for_function("t => Math.abs(window.polhode.player.time - t) < 1e-9", arg=time)
    found: list[dict[str, Any]] = lab.state["player"]["bodies"]
    return found


@pytest.mark.exhaustive
def test_the_way_leads_there_and_back(lab: Any) -> None:
    lab.open()
    lab.forget()
    lab.page.get_by_role("link", name="Two bodies").first.click()
    lab.page.wait_for_function("() => window.polhode?.choice.problem === 'dumbbells'")
    expect(lab.page).to_have_title("Two bodies · Polhode")
    check(lab.settled())
    lab.page.get_by_role("link", name="Lab", exact=True).first.click()
    lab.page.wait_for_function("() => window.polhode?.choice.problem === 'free'")


def test_step_duration_case_and_methods_are_followed(two: Any) -> None:
    state = two.after(lambda: two.type("Δt", "0.02"))
    assert state["choice"]["dt"] == 0.02
    check(state)
    state = two.after(lambda: two.pick("Case", "DB1"))
    assert state["choice"]["problem"] == "dumbbells(case=DB1)"
    check(state)
    state = two.after(lambda: two.add("Crouch", "LGM"))
    assert state["choice"]["methods"] == ["LGVI", "RK2", "LGM"]
    check(state)
    state = two.after(lambda: two.type("Angular velocity Ω₂", "1, 0, 2"))
    assert run_of(state, "LGVI").problem.Omega2.tolist() == [1, 0, 2]
    check(state)
    for _ in range(4):
        two.undo()
    assert two.state["choice"]["methods"] == ["LGVI", "RK2"] and two.state["choice"]["dt"] == 0.01


def test_both_bodies_are_drawn_where_the_run_has_them(two: Any) -> None:
    run = run_of(two.state, "LGVI")
    for k in (0, 137, 1000):
        for report, x, R in zip(
            bodies_at(two, run.t[k]), (run.x1, run.x2), (run.R1, run.R2), strict=True
        ):
            np.testing.assert_allclose(report["place"], x[k], atol=2e-4)
            np.testing.assert_allclose(np.reshape(report["attitude"], (3, 3)), R[k], atol=1e-5)


@pytest.mark.exhaustive
def test_seen_from_body_2_that_body_rests(two: Any) -> None:
    run = run_of(two.state, "LGVI")
    two.choose("Picture", "From body 2")
    two.page.wait_for_function("() => window.polhode.player.bodies[1]?.place.every(x => x === 0)")
    first, second = bodies_at(two, run.t[500])
    np.testing.assert_allclose(first["place"], run.X[500], atol=2e-4)
    np.testing.assert_allclose(np.reshape(first["attitude"], (3, 3)), run.R[500], atol=1e-5)
    assert second["attitude"] == np.eye(3).ravel().tolist()
    two.choose("Picture", "In space")
    two.page.wait_for_function("() => window.polhode.player.bodies[1]?.place.some(x => x !== 0)")


@pytest.mark.exhaustive
def test_it_plays_and_the_other_motion_is_followed(two: Any) -> None:
    bodies_at(two, 0)
    still = scene(two).screenshot()
    scene(two).focus()
    two.page.keyboard.press("Space")
    two.page.wait_for_function("() => window.polhode.player.time > 0.3")
    two.page.keyboard.press("Space")
    two.page.wait_for_function("() => !window.polhode.player.playing")
    assert scene(two).screenshot() != still
    revision = two.state["revision"]
    two.page.get_by_role("radio", name="Explicit midpoint").first.locator(
        "xpath=ancestor::label"
    ).click()
    two.page.wait_for_function("() => window.polhode.player.solid === 'RK2'")
    assert len(two.state["player"]["bodies"]) == 2
    two.page.get_by_role("radio", name="Lie group variational").first.locator(
        "xpath=ancestor::label"
    ).click()
    two.page.wait_for_function("() => window.polhode.player.solid === 'LGVI'")
    assert two.state["revision"] == revision


def test_plots_and_ledger_tell_what_is_kept(two: Any) -> None:
    for title, opens in {
        "Energy error": True,
        "Linear momentum error": False,
        "Angular momentum error": False,
        "Attitude error": True,
    }.items():
        expect(two.page.get_by_role("switch", name=title)).to_be_checked(checked=opens)
        heading = two.page.get_by_role("heading", name=title, exact=True)
        expect(heading).to_have_count(1 if opens else 0)
    ledger = two.page.get_by_role("region", name="Ledger")
    expect(ledger.get_by_role("row", name=re.compile("Lie group variational"))).to_contain_text(
        "exact"
    )
    verdict = re.compile(
        r"Lie group variational keeps energy within [\d.]+ %, linear momentum and angular momentum\."
    )
    expect(two.page.locator("#views").get_by_text(verdict)).to_be_visible()
    two.choose("Plots", "Orbit")
    expect(two.page.get_by_role("heading", name="Distance of the centres")).to_be_visible()
    two.choose("Plots", "What is kept")
    expect(two.page.get_by_role("heading", name="Attitude error")).to_be_visible()


@pytest.mark.exhaustive
def test_a_step_without_solution_is_told_and_the_rest_goes_on(two: Any) -> None:
    state = two.after(lambda: two.type("Δt", "0.25"))
    assert state["runs"][0]["status"] == "no-solution"
    expect(two.page.get_by_role("region", name="Ledger")).to_contain_text("turns the body too far")
    two.undo()


def test_link_runs_and_demo_are_taken_along(two: Any) -> None:
    two.button("Export").click()
    assert "page=two-bodies" in two.clipboard(two.button("Copy link").click)
    with zipfile.ZipFile(two.download(two.button("Download runs (NumPy)").click)) as archive:
        assert {"dumbbells_LGVI.npz", "dumbbells_RK2.npz", "runs.py"} <= set(archive.namelist())
    file = two.download(two.button("Download live demo (HTML)").click)
    two.page.keyboard.press("Escape")
    assert '"method":"LGVI"' in file.read_text(encoding="utf-8")


def test_a_preset_is_taken_and_told(two: Any) -> None:
    two.button("Presets").click()
    state = two.after(two.button("DB1, a slow tumble").click)
    assert state["choice"]["problem"] == "dumbbells(case=DB1)"
    expect(two.page.get_by_role("alert")).to_contain_text("Gravity makes it turn")
    two.forget()


@pytest.mark.exhaustive
def test_sixteen_hundred_pairs_are_computed_beside_the_page(two: Any) -> None:
    state = two.after(lambda: two.pick("Problem", "Your own two bodies"))
    assert state["choice"]["problem"] == "two-bodies" and state["runs"][0]["status"] == "done"
    check(state)
    two.forget()


@pytest.mark.exhaustive
@needs_axe
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_it_fits_and_axe_finds_nothing_serious(lab: Any, theme: str) -> None:
    check_appearance(lab, theme, "two-bodies", lambda: bodies_at(lab, 3.0), **START)


@pytest.mark.exhaustive
def test_what_a_page_does_is_said_as_soon_as_its_title_is_seen(lab: Any) -> None:
    """Before the browser has the whole page, which only then requests the runs; also for the
    lab.
    """
    for query in ("?page=two-bodies&dt=1e-5&duration=60", "?problem=slow-top&dt=1e-6&duration=60"):
        page = lab.page.context.new_page()
        page.goto(lab.server + query, wait_until="commit")
        seen = page.wait_for_function(FIRST_SEEN, polling=5).json_value()
        page.close()
        assert re.match(r"(Computing|Compiling .*) …$", seen["words"]), query
