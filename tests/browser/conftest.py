"""The page in Debian's Chromium: one server for all tests, no request to elsewhere, no error in the console.

Where there is no Chromium, or no pytest-playwright, these tests are skipped and say so; where CI is true, they fail.
POLHODE_SCREENSHOTS names a folder in which screenshots are kept.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--disable-accelerated-2d-canvas",
    "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
]  # fmt: skip
"""WebGL in software, and nothing that a browser asks of the network by itself."""

SERVE = "import sys; from app.serve import main; sys.exit(main(port=0, show=False))"
PATIENCE = 20_000
"""Milliseconds until what should happen counts as not happening; much for a machine that has other work."""


def missing() -> str | None:
    """What these tests lack here."""
    if CHROMIUM is None:
        return "there is no Chromium here: apt-get install chromium"
    if importlib.util.find_spec("pytest_playwright") is None:
        return "pytest-playwright is not installed here"
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    reason = missing()
    for item in items:
        if reason and Path(__file__).parent in item.path.parents:
            if os.environ.get("CI") == "true":
                raise pytest.UsageError(f"the page can not be tested: {reason}")
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    return {"executable_path": CHROMIUM, "args": FLAGS}


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a server that serves the page as `polhode serve` does."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE], env=environment | {"PYTHONPATH": path}, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        said = process.stdout.readline()  # it speaks when it is ready
        assert "http://" in said, "the server did not start"
        yield said.split()[3]
    finally:
        process.terminate()
        assert process.wait(20) == 0
        process.stdout.close()


@pytest.fixture(scope="session")
def browser_context_args() -> dict[str, Any]:
    return {"viewport": {"width": 1440, "height": 900}}


@pytest.fixture
def context(context: BrowserContext) -> Iterator[BrowserContext]:
    """One that reaches this host only, and in which a request to elsewhere, or an error in a page, is a failure."""
    elsewhere: list[str] = []
    errors: list[str] = []

    def only_here(route: Any) -> None:
        if urlsplit(route.request.url).hostname in ("localhost", "127.0.0.1"):
            route.continue_()
        else:
            elsewhere.append(route.request.url)
            route.abort()

    context.route("**/*", only_here)
    context.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    context.on("weberror", lambda error: errors.append(str(error.error)))
    context.set_default_timeout(PATIENCE)
    yield context
    assert elsewhere == []
    assert errors == []


class Lab:
    """The page as a test uses it."""

    def __init__(self, page: Page, server: str) -> None:
        self.page, self.server = page, server

    def open(self, **query: str) -> Lab:
        """Open the page by a link, and wait until its first runs are painted."""
        self.page.goto(f"{self.server}?{urlencode(query)}" if query else self.server)
        self.page.wait_for_function("() => window.polhode?.revision >= 1")
        return self

    @property
    def state(self) -> dict[str, Any]:
        """What `window.polhode` tells."""
        state: dict[str, Any] = self.page.evaluate("() => window.polhode")
        return state

    def after(self, act: Callable[[], Any]) -> dict[str, Any]:
        """Do something, wait until it has been painted and nothing more follows, and give the new state."""
        before = self.state["revision"]
        act()
        self.page.wait_for_function("before => window.polhode.revision > before", arg=before)
        return self.settled()

    def settled(self) -> dict[str, Any]:
        """The state, once it has been the same for a while."""
        while True:
            revision = self.state["revision"]
            self.page.wait_for_timeout(300)
            if self.state["revision"] == revision:
                return self.state

    def curves(self) -> list[float]:
        """One number for each source of data on the page, which changes with the data."""
        numbers: list[float] = self.page.evaluate(
            """() => Bokeh.documents.flatMap(d => [...d._all_models.values()])
            .filter(m => m.type === "ColumnDataSource")
            .map(m => Object.values(m.data).flatMap(c => Array.from(c)).filter(Number.isFinite)
                .reduce((sum, x, i) => sum + x * Math.cos(i), 0))"""
        )
        return numbers

    def focused(self) -> str:
        """The accessible name of what has the focus, also within shadow roots."""
        name: str = self.page.evaluate(
            """() => {
                let e = document.activeElement;
                while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
                if (!e || e === document.body) return "";
                const root = e.getRootNode();
                const by = e.getAttribute("aria-labelledby")?.split(" ").map(id => root.getElementById(id));
                return e.getAttribute("aria-label") || by?.map(x => x?.textContent).join(" ")
                    || e.labels?.[0]?.textContent || e.textContent || "";
            }"""
        )
        return name.strip()

    def screenshot(self, name: str) -> bytes:
        """A picture of the page, kept if POLHODE_SCREENSHOTS names a folder."""
        folder = os.environ.get("POLHODE_SCREENSHOTS")
        path = Path(folder) / f"{name}.png" if folder else None
        return self.page.screenshot(path=path)


@pytest.fixture
def lab(page: Page, server: str) -> Lab:
    """The page, not opened yet."""
    return Lab(page, server)
