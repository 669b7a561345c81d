"""Downloads: a link, Python, run files, a demo; and the method card."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from typing import Any

import numpy as np
import pytest
from conftest import ROOT

import app
import engine

expect = pytest.importorskip("playwright.sync_api").expect


def menu(lab: Any, name: str) -> Any:
    """Return an entry of the menu; open the menu if necessary."""
    entry = lab.page.get_by_role("button", name=name, exact=True)
    if not entry.is_visible():
        lab.button("Export").click()
    return entry


@pytest.mark.exhaustive
def test_the_link_leads_back(lab: Any) -> None:
    lab.open()
    state = lab.state
    link = lab.clipboard(menu(lab, "Copy link").click)
    assert link.startswith(lab.server)
    expect(lab.page.get_by_text("This link works on this computer only.").first).to_be_visible()
    expect(lab.button("Copy link")).to_be_visible()  # its own words again, after “Copied”
    lab.page.evaluate(
        "() => { document.documentElement.dataset.public = 'https://lab.example.org/polhode/'; }"
    )
    assert lab.clipboard(menu(lab, "Copy link").click) == link.replace(
        lab.server, "https://lab.example.org/polhode/"
    )
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
    for report in state["runs"]:
        (path,) = tmp_path.glob(f"*{report['method']}*.npz")
        run = engine.load(path)
        assert run.R[-1].ravel().tolist() == report["R"]
    lab.page.keyboard.press("Escape")


@pytest.mark.exhaustive
def test_the_live_demo_begins_with_what_is_chosen(lab: Any) -> None:
    lab.open()
    saved = lab.download(menu(lab, "Download live demo (HTML)").click)
    lab.page.keyboard.press("Escape")
    choice = lab.state["choice"]
    changes = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in choice["changes"].items()
    }
    times = {name: float(choice[name]) for name in ("dt", "duration")}
    made = app.demo(choice["problem"], choice["methods"], **times, **changes)
    assert saved.read_text(encoding="utf-8") == made.html


def test_the_card_shows_equations_source_and_reference(lab: Any) -> None:
    lab.open()
    page = lab.page
    lab.choose("Method", "Implicit midpoint")
    expect(page.get_by_role("heading", name=engine.algorithm("AKW").name)).to_be_visible()
    expect(page.get_by_role("region", name="Equations").locator("math").first).to_be_visible()
    page.locator("summary", has_text="Source code").click()
    expect(page.get_by_role("region", name="Source code")).to_contain_text("def ")
    page.get_by_text("Reference", exact=True).click()
    expect(page.get_by_role("region", name="BibTeX")).to_contain_text("@")
    assert "@" in lab.clipboard(lab.button("Copy BibTeX").click)
    page.locator("summary", has_text="Measured properties").click()
    expect(page.get_by_role("region", name="Measured properties")).to_be_visible()
    lab.after(
        lab.button("Double Δt").click
    )  # open parts stay open, and the card stays on its method
    expect(page.get_by_role("heading", name=engine.algorithm("AKW").name)).to_be_visible()
    expect(page.get_by_role("region", name="Source code")).to_be_visible()
    lab.undo()
