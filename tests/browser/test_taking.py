"""What can be taken along: a link, Python, run files, a replay; and what the page tells about a method."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from typing import Any

import numpy as np
import pytest
from conftest import PATIENCE, ROOT

import engine

expect = pytest.importorskip("playwright.sync_api").expect


def menu(lab: Any, name: str) -> Any:
    """An entry of the menu, which is opened if it is not."""
    entry = lab.page.get_by_role("button", name=name, exact=True)
    if not entry.is_visible():
        lab.button("Take it along").click()
    return entry


def test_the_link_leads_back(lab: Any) -> None:
    lab.open()
    state = lab.state
    link = lab.clipboard(menu(lab, "Copy link").click)
    assert link.startswith(lab.server)
    assert "version=" in link
    lab.load(link)
    assert lab.state["choice"] == state["choice"]
    assert lab.state["runs"] == state["runs"]
    assert lab.page.get_by_role("alert").count() == 0


def test_the_python_makes_the_same_run(lab: Any) -> None:
    lab.open()
    snippet = lab.clipboard(menu(lab, "Copy Python").click)
    code = f"{snippet}\nimport json\nprint(json.dumps(run.R[-1].ravel().tolist()))\n"
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    end = json.loads(done.stdout.splitlines()[-1])
    np.testing.assert_allclose(end, lab.state["runs"][-1]["R"], rtol=0, atol=1e-12)
    lab.page.keyboard.press("Escape")


def test_the_run_files_hold_the_runs(lab: Any, tmp_path: Any) -> None:
    lab.open()
    state = lab.state
    with zipfile.ZipFile(lab.download(menu(lab, "Download runs (NumPy)").click)) as archive:
        archive.extractall(tmp_path)
    assert (tmp_path / "runs.py").exists()
    for told in state["runs"]:
        (path,) = tmp_path.glob(f"*{told['method']}*.npz")
        run = engine.load(path)
        assert run.R[-1].ravel().tolist() == told["R"]
    lab.page.keyboard.press("Escape")


def test_the_replay_opens_offline_from_a_file(lab: Any, browser: Any) -> None:
    lab.open()
    saved = lab.download(menu(lab, "Download replay (HTML)").click)
    lab.page.keyboard.press("Escape")
    context = browser.new_context(offline=True, viewport={"width": 1200, "height": 800})
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    asked: list[str] = []
    wrong: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(saved.as_uri())
    canvas = page.locator("canvas").first
    expect(canvas).to_be_visible()
    expect(page.locator("body")).to_contain_text("AKW")
    play = page.get_by_role("button", name=re.compile("Play|Pause")).first
    if play.get_attribute("aria-label") == "Play":
        play.click()
    first = canvas.screenshot()
    page.wait_for_function(
        "before => document.querySelector('output, time')?.textContent !== before",
        arg=page.locator("output, time").first.text_content(),
    )
    assert canvas.screenshot() != first
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert wrong == []
    context.close()


def test_the_card_shows_equations_source_and_reference(lab: Any) -> None:
    lab.open()
    page = lab.page
    lab.choose("Method to tell about", "AKW")
    expect(page.get_by_role("heading", name=engine.algorithm("AKW").name)).to_be_visible()
    expect(page.get_by_role("region", name="Equations").locator("math").first).to_be_visible()
    page.get_by_text("Source, as the engine runs it").click()
    expect(page.get_by_role("region", name="Source code")).to_contain_text("def ")
    page.get_by_text("Reference", exact=True).click()
    expect(page.get_by_role("region", name="BibTeX")).to_contain_text("@")
    assert "@" in lab.clipboard(lab.button("Copy BibTeX").click)
    page.get_by_text("What was measured").click()
    expect(page.get_by_role("region", name="Measured properties")).to_be_visible()
    lab.after(lab.button("Double Δt").click)  # what is unfolded stays so, and the method that is told about
    expect(page.get_by_role("heading", name=engine.algorithm("AKW").name)).to_be_visible()
    expect(page.get_by_role("region", name="Source code")).to_be_visible()
    lab.undo()
