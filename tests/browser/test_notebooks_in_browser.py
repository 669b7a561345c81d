"""Notebooks without a network: JupyterLab with a kernel, a file by nbconvert, a saved view, and
marimo.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import timeouts
from optional import require_optional

ROOT = Path(__file__).resolve().parents[2]
CELLS = {
    "page": 'import app\napp.explorer("free", ["NMB", "AKW"], dt=0.5, duration=20)',
    "ledger": 'app.explorer("free", "NMB", dt=0.5, duration=20, view="ledger")',
    "plots": 'app.figure("free", "NMB", dt=0.5, duration=20)',
    "long": 'page = app.explorer("slow-top", "NMB", dt=0.001, duration=100)\npage',
    "paper": 'app.paper_figure("krysl-endres-figure-4")',
}
MOST = 1_000_000
"""Bytes that a notebook may have besides the libraries."""
NOISE = re.compile(r"GPU stall due to ReadPixels|ERR_NAME_NOT_RESOLVED|MathJax")
"""What screenshots cause, and what the page of nbconvert itself reports: it loads scripts from
elsewhere.
"""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def is_there(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except OSError:
        return False


def environment(folder: Path) -> dict[str, str]:
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    own = {f"JUPYTER_{name}_DIR": str(folder / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    own |= {
        "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"),
        "IPYTHONDIR": str(folder / "ipython"),
    }
    return (
        os.environ
        | own
        | {"PYTHONPATH": path, "XDG_CONFIG_HOME": str(folder), "XDG_CACHE_HOME": str(folder)}
    )


@contextlib.contextmanager
def serve(folder: Path, url: str, *command: str) -> Iterator[None]:
    """Run a module of Python as a server, which answers at this address."""
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", *command],
            env=environment(folder),
            stdout=log,
            stderr=log,
            cwd=folder,
        )
        try:
            timeouts.wait_until(lambda: is_there(url), command[0])
            yield
        finally:
            process.terminate()
            process.wait(timeouts.TIMEOUT)


def write_notebook(path: Path, *cells: str) -> Path:
    code = [
        {
            "cell_type": "code",
            "id": f"cell-{i}",
            "source": text,
            "metadata": {},
            "outputs": [],
            "execution_count": None,
        }
        for i, text in enumerate(cells)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    content = {
        "cells": code,
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


class Visit:
    """A page of a browser, with what its console reports and what it asks of other hosts."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.reports: list[str] = []
        self.elsewhere: list[str] = []
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.reports.append(str(error)))
        page.on("request", lambda request: self._hear(request.url))

    def _note(self, message: Any) -> None:
        if message.type in ("error", "warning") and not NOISE.search(message.text):
            self.reports.append(f"{message.text} {message.location}")

    def _hear(self, url: str) -> None:
        if urlsplit(url).hostname not in (None, "localhost", "127.0.0.1"):
            self.elsewhere.append(url)

    def screenshot(self, name: str) -> None:
        if folder := os.environ.get("POLHODE_SCREENSHOTS"):
            self.page.screenshot(path=Path(folder) / f"{name}.png")


@pytest.fixture(scope="module")
def jupyter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of JupyterLab, and its folder."""
    require_optional(module="jupyterlab")
    folder = tmp_path_factory.mktemp("jupyter")
    port = free_port()
    settings = {
        "ServerApp": {"port": port, "ip": "127.0.0.1", "root_dir": str(folder), "allow_root": True, "password": ""},
        "IdentityProvider": {"token": ""},
        "LabApp": {
            "check_for_updates_class": "jupyterlab.NeverCheckForUpdate", "extension_manager": "readonly",
            "expose_app_in_browser": True,
        },
    }  # fmt: skip
    (folder / "CONFIG").mkdir()
    (folder / "CONFIG" / "jupyter_lab_config.json").write_text(
        json.dumps(settings), encoding="utf-8"
    )
    announcements = '{"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": true}}'
    (folder / "CONFIG" / "labconfig").mkdir()
    (folder / "CONFIG" / "labconfig" / "page_config.json").write_text(
        announcements, encoding="utf-8"
    )
    with serve(folder, f"http://127.0.0.1:{port}/api", "jupyterlab", "--no-browser"):
        yield f"http://127.0.0.1:{port}", folder


RUN = """async () => {
    await window.jupyterapp.restored;
    const {shell, commands} = window.jupyterapp, {context} = shell.currentWidget;
    await context.ready;
    await context.sessionContext.ready;
    await commands.execute("notebook:run-all-cells");
    await context.save();
}"""


@pytest.fixture(scope="module")
def notebook(context: Any, jupyter: tuple[str, Path]) -> Iterator[tuple[Visit, Path]]:
    """A notebook whose cells have run, and its file."""
    url, folder = jupyter
    path = write_notebook(folder / "lab.ipynb", *CELLS.values())
    visit = Visit(context.new_page())
    visit.page.goto(f"{url}/lab/tree/{path.name}")
    visit.page.wait_for_function("() => window.jupyterapp?.shell?.currentWidget?.context")
    visit.page.evaluate(RUN)
    visit.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    yield visit, path
    visit.page.close()


def find_cell(visit: Visit, name: str) -> Any:
    """The cell of this name, scrolled to."""
    cell = visit.page.locator(".jp-Cell").nth(list(CELLS).index(name))
    cell.scroll_into_view_if_needed()
    return cell


def assert_page(place: Any) -> None:
    """The page is live: a table, a moving body and curves, and no still picture."""
    from playwright.sync_api import expect

    expect(place.get_by_text("40 steps × 2 methods")).to_be_visible()
    expect(place.locator("canvas").first).to_be_visible()
    expect(place.get_by_role("img", name="Energy error").first).to_be_visible()


def test_jupyterlab_shows_all_views_without_a_network(notebook: tuple[Visit, Path]) -> None:
    from playwright.sync_api import expect

    visit, path = notebook
    for name in CELLS:
        expect(find_cell(visit, name).locator(".still")).to_have_count(0)
        visit.screenshot(f"notebook-{name}")
    page = find_cell(visit, "page")
    assert_page(page)
    output = page.locator(".jp-OutputArea-output").last
    bar = page.get_by_role("button", name="Help and keys (?)")
    right = output.bounding_box()
    of_bar = bar.bounding_box()
    assert right is not None and of_bar is not None
    assert of_bar["x"] + of_bar["width"] <= right["x"] + right["width"], "the bar is cut off"
    assert (visit.elsewhere, visit.reports) == ([], [])
    assert path.stat().st_size < 1_200_000 + MOST


def test_a_change_in_a_cell_reaches_the_kernel_and_its_own_views_alone(
    notebook: tuple[Visit, Path],
) -> None:
    from playwright.sync_api import expect

    visit, _ = notebook
    page = find_cell(visit, "page")
    field = page.get_by_role("textbox", name="Δt", exact=True)
    field.fill("0.25")
    field.press("Enter")
    expect(page.get_by_text("80 steps × 2 methods")).to_be_visible()
    long = find_cell(visit, "long")
    field = long.get_by_role("textbox", name="Duration", exact=True)
    field.fill("4000")
    field.press("Enter")
    expect(long.get_by_text("4,000,000 steps × 1 method")).to_be_visible()
    assert visit.reports == []


def test_a_notebook_is_live_again_without_its_kernel(
    notebook: tuple[Visit, Path], context: Any
) -> None:
    """It says that nothing answers."""
    from playwright.sync_api import expect

    visit, path = notebook
    url = visit.page.url.partition("?")[0]
    text = path.read_text(encoding="utf-8")
    path.with_name("later.ipynb").write_text(text, encoding="utf-8")
    later = Visit(context.new_page())
    later.page.goto(url.replace(path.name, "later.ipynb"))
    page = later.page.locator(".jp-Cell").first
    assert_page(page)
    assert later.reports == []
    page.get_by_role("button", name="Halve Δt").click()
    expect(page.get_by_text("No kernel answers")).to_be_visible()
    later.page.close()


def test_a_page_of_nbconvert_shows_curves_and_a_still_picture(
    notebook: tuple[Visit, Path], context: Any
) -> None:
    from playwright.sync_api import expect

    _, path = notebook
    command = [sys.executable, "-m", "nbconvert", "--to", "html", path.name]
    subprocess.run(
        command, cwd=path.parent, env=environment(path.parent), check=True, capture_output=True
    )
    html = path.with_suffix(".html")
    visit = Visit(context.new_page())
    visit.page.goto(html.as_uri())
    expect(visit.page.locator(".still")).to_have_count(0)
    assert_page(visit.page)
    visit.screenshot("nbconvert")
    assert visit.reports == []
    visit.page.close()
    still = context.browser.new_context(java_script_enabled=False)
    page = still.new_page()
    page.goto(html.as_uri())
    expect(page.locator(".still img").first).to_be_visible()
    assert page.locator(".still img").count() == len(CELLS)
    still.close()


def test_a_saved_view_is_live_without_a_server(context: Any, tmp_path: Path) -> None:
    import app

    app.explorer("free", ["NMB", "AKW"], dt=0.5, duration=20).save(tmp_path / "page.html")
    visit = Visit(context.new_page())
    visit.page.goto((tmp_path / "page.html").as_uri())
    assert_page(visit.page)
    visit.screenshot("saved")
    assert (visit.elsewhere, visit.reports) == ([], [])
    visit.page.close()


def test_a_table_beside_a_figure_is_shown_without_a_network(context: Any, tmp_path: Path) -> None:
    import holoviews as hv
    import panel as pn
    from playwright.sync_api import expect

    import app
    from app.compat.notebook_cells import Shown

    plots = app.figure("free", "NMB", dt=0.5, duration=20)
    both = plots + hv.Table({"quantity": ["nutation"]}, "quantity")
    Shown(pn.pane.HoloViews(both, backend="bokeh")).save(tmp_path / "page.html")
    visit = Visit(context.new_page())
    visit.page.goto((tmp_path / "page.html").as_uri())
    expect(visit.page.get_by_text("nutation", exact=True)).to_be_visible()
    assert (visit.elsewhere, visit.reports) == ([], [])
    visit.page.close()


MARIMO = """import marimo
app = marimo.App()

@app.cell
def _():
    from app import explorer, figure
    explorer("free", ["NMB", "AKW"], dt=0.5, duration=20)
    return

if __name__ == "__main__":
    app.run()
"""


def test_marimo_shows_the_page_without_a_network(context: Any, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    require_optional(module="marimo")
    (tmp_path / "lab.py").write_text(MARIMO, encoding="utf-8")
    url = f"http://127.0.0.1:{(port := free_port())}"
    run = "run", "lab.py", "--headless", "--no-token", "--port", str(port), "--host", "127.0.0.1"
    with serve(tmp_path, f"{url}/health", "marimo", *run):
        visit = Visit(context.new_page())
        visit.page.goto(url)
        assert_page(visit.page)
        field = visit.page.get_by_role("textbox", name="Δt", exact=True)
        field.fill("0.25")
        field.press("Enter")
        expect(visit.page.get_by_text("80 steps × 2 methods")).to_be_visible()
        visit.screenshot("marimo")
        assert visit.elsewhere == []
        visit.page.close()
