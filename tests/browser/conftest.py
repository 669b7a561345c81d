"""The page in Debian's Chromium: one server for all tests, no request to elsewhere, no error in the
console.

Where there is no Chromium, or no pytest-playwright, these tests are skipped and say so; where CI is
true, they fail. POLHODE_SCREENSHOTS names a folder in which screenshots are kept.
"""

from __future__ import annotations

import http.server
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

import numpy as np
import pytest
import timeouts

import engine

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Locator, Page

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
FLAGS = [
    "--headless", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--disable-accelerated-2d-canvas",
    "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-gpu-compositing",
    "--js-flags=--single-threaded", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
]  # fmt: skip
"""WebGL in software only; scripts leave the other processors to the other tests; no other host
resolves, and the browser sends no requests of its own.
"""

SEED = 17
"""Seed of the random settings."""
SERVE = f"""
import sys
from app.pages.explorer import SURPRISES
from app.server.serve import main
SURPRISES.seed({SEED})
sys.exit(main(port=0, show=False, embedders=sys.argv[1:]))
"""
PATIENCE = int(1000 * timeouts.TIMEOUT)
"""Milliseconds after which an expected event counts as missing. What the page's server computes has
the lowest priority, and waits for all other processes of a busy machine.
"""
NOW_AND_THEN = 50
"""Milliseconds between two polls of a loading page: polling every frame would make it paint."""

UNANSWERED = """(() => {
    const unanswered = window.unanswered = new Set(), send = WebSocket.prototype.send;
    const header = data => typeof data === "string" && data.startsWith('{"msgid"') ? JSON.parse(data) : {};
    WebSocket.prototype.send = function (data) {
        const {msgid, msgtype} = header(data);
        if (msgtype === "PATCH-DOC") unanswered.add(msgid);
        if (!this.heard) this.addEventListener("message", ({data}) => unanswered.delete(header(data).reqid));
        this.heard = true;
        return send.call(this, data);
    };
})()"""
"""Records the page's messages until the server has processed them."""

QUIET = "() => !window.unanswered.size && !window.polhode.pending"
"""Whether the server has processed all messages and sent all results."""

DRAWN = """() => ![...(globalThis[Symbol.for('polhode.page')]?.clock?.players ?? [])].some(
    ({settling, visible, scene, lost, panes}) => settling || (visible && scene && !lost && !panes.length)
)"""
"""Whether the scenes in view are drawn and those that stand still have full quality."""

THERE = """() => {
    const {revision, runs, player} = window.polhode ?? {};
    return revision >= 1 && (player.attitude || !runs.some(run => run.R));
}"""
"""Whether the first runs are painted and, if there is a player, its script has arrived."""

TWO_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"

GLIDING = """() => {
    const roots = [document];  // a document does not list the contents of shadow roots
    for (const root of roots)
        root.querySelectorAll("*").forEach(e => { if (e.shadowRoot) roots.push(e.shadowRoot); });
    return roots.flatMap(root => root.getAnimations());
}"""
"""Running animations and transitions."""


def missing() -> str | None:
    """What these tests miss on this machine."""
    if CHROMIUM is None:
        return "there is no Chromium here: apt-get install chromium"
    if importlib.util.find_spec("pytest_playwright") is None:
        return "pytest-playwright is not installed here"
    return None


if os.environ.get("CI") == "true" and missing():
    raise pytest.UsageError(f"the page cannot be tested: {missing()}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    reason = missing()
    for item in items:
        if reason and Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    return {"executable_path": CHROMIUM, "args": FLAGS}


class Site(http.server.BaseHTTPRequestHandler):
    """A page of another site that contains the HTML in its address."""

    def do_GET(self) -> None:
        line = parse_qs(urlsplit(self.path).query).get("line", [""])[0]
        head = "<!doctype html><meta charset='utf-8'><title>A course</title><link rel='icon' href='data:,'>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(f"{head}<body>{line}</body>".encode())

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """The host of another site, whose pages may frame the server's page."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{other.server_port}"
        other.shutdown()


@pytest.fixture(scope="session")
def server(site: str) -> Iterator[str]:
    """The address of a server that serves the page as `polhode serve` does."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    environment = {name: value for name, value in os.environ.items() if name != "POLHODE_PLAIN"}
    with tempfile.TemporaryFile("w+", encoding="utf-8") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", SERVE, site],
            env=environment | {"PYTHONPATH": path},
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        try:
            assert process.stdout is not None
            said = process.stdout.readline()  # it speaks when it is ready
            assert "http://" in said, "the server did not start"
            yield said.split()[3]
        finally:
            process.terminate()
            assert process.wait(timeouts.TIMEOUT) == 0
            process.stdout.close()
            log.seek(0)
            refused = [line for line in log if "refused a browser's message" in line]
    assert not refused, f"what the page's own scripts sent was taken for nonsense: {refused}"


@pytest.fixture(scope="session")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """One for all tests, so that the page's files come from the browser's cache.

    Pictures stand still, except where a test asks for motion.
    """
    context = browser.new_context(
        viewport={"width": 1440, "height": 900},
        permissions=["clipboard-read", "clipboard-write"],
        reduced_motion="reduce",
    )
    context.set_default_timeout(PATIENCE)
    context.add_init_script(UNANSWERED)
    yield context
    context.close()


@pytest.fixture(scope="session", autouse=True)
def patience() -> None:
    """Use the same timeout for expectations and for clicks."""
    if not missing():
        from playwright.sync_api import expect

        expect.set_options(timeout=PATIENCE)


START = {"problem": "free", "methods": "NMB,AKW", "dt": "0.5", "duration": "50"}
"""The start of most tests."""


class Lab:
    """The page as a test uses it: by what is visible, and by `window.polhode`."""

    def __init__(self, page: Page, server: str) -> None:
        self.page = page
        self.server = server
        self.elsewhere: list[str] = []
        self.errors: list[str] = []
        self._opened: tuple[dict[str, str], dict[str, Any]] | None = None
        # Only heard: a page whose requests are routed takes nothing from the browser's cache.
        page.on("request", lambda request: self._note(request.url))
        page.on(
            "console",
            lambda message: self.errors.append(message.text) if message.type == "error" else None,
        )
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def _note(self, url: str) -> None:
        if urlsplit(url).hostname not in (
            None,
            "localhost",
            "127.0.0.1",
        ):  # none is what the page made, as blob:
            self.elsewhere.append(url)

    def open(self, *, anew: bool = False, ready: str = "", **query: str) -> Lab:
        """Open the page by a link, and wait until its runs are painted, with all that follows
        them, and until it is `ready` (a script).

        Loading takes seconds. A page that already shows this link's choice, as after a test that
        undid its changes, is reused unless it is to be opened `anew`.
        """
        query = query or START
        if anew or self._opened is None or self._opened != (query, self.settled()["choice"]):
            self.load(f"{self.server}?{urlencode(query)}")
            if ready:
                self.page.wait_for_function(ready, polling=NOW_AND_THEN)
            self._opened = query, self.settled()["choice"]
        return self

    def forget(self) -> None:
        """Make the next test reload the page."""
        self._opened = None

    def load(self, url: str) -> None:
        """Open the page by an address."""
        self._opened = None
        self.page.goto(url)
        self.page.wait_for_function(THERE, polling=NOW_AND_THEN)

    # ------------------------------------------------------------------ state

    @property
    def state(self) -> dict[str, Any]:
        """The state that `window.polhode` reports."""
        state: dict[str, Any] = self.page.evaluate("() => window.polhode")
        return state

    def after(self, act: Callable[[], Any]) -> dict[str, Any]:
        """Do something, wait until it is painted and the page is quiet, and return the new
        state.
        """
        before = self.state["revision"]
        act()
        self.page.wait_for_function("before => window.polhode.revision > before", arg=before)
        return self.settled()

    def unchanged(self, act: Callable[[], Any], sign: Locator) -> None:
        """Do something, wait for a sign of it, and check that it caused no run."""
        before = self.state
        act()
        sign.wait_for()
        now = self.settled()
        assert (now["revision"], now["choice"]) == (before["revision"], before["choice"])

    def settled(self) -> dict[str, Any]:
        """Return the state when the server has processed all messages and sent all results, and
        nothing new is painted.
        """
        while True:
            revision = self.state["revision"]
            self.page.wait_for_timeout(50)  # for delayed messages, as at the end of a gesture
            self.page.wait_for_function(QUIET)
            self.page.evaluate(TWO_FRAMES)
            self.page.wait_for_function(DRAWN)
            if self.page.evaluate(QUIET) and self.state["revision"] == revision:
                return self.state

    def still(self) -> None:
        """Wait for the end of all animations."""
        self.page.wait_for_function(f"() => !({GLIDING})().length")

    # ------------------------------------------------------------------ widgets

    def entry(self, label: str) -> Locator:
        """A field to type in, by its accessible name."""
        return self.page.get_by_role("textbox", name=label, exact=True)

    def button(self, name: str) -> Locator:
        """A button, by its accessible name."""
        return self.page.get_by_role("button", name=name, exact=True)

    def choose(self, group: str, name: str) -> None:
        """Click one of a set of radio buttons."""
        groups = [
            self.page.get_by_role(role, name=group, exact=True) for role in ("group", "radiogroup")
        ]
        radio = groups[0].or_(groups[1]).get_by_role("radio", name=name)
        radio.locator("xpath=ancestor::label").click()

    def type(self, label: str, text: str) -> None:
        """Type into a field, and Enter."""
        self.entry(label).fill(text)
        self.entry(label).press("Enter")

    def pick(self, label: str, option: str) -> None:
        """Choose from a list by clicks, or from a native menu of the browser."""
        field = self.page.get_by_role("combobox", name=label, exact=True)
        if field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(option)
        else:
            field.click()
            self.page.get_by_role("option", name=option, exact=True).click()

    def add(self, words: str, method: str) -> None:
        """Search for a method by words, and choose the match with this key."""
        self.page.get_by_role("combobox", name="Methods", exact=True).fill(words)
        self.page.get_by_role("option", name=re.compile(f" · {re.escape(method)}$")).click()

    def undo(self) -> dict[str, Any]:
        """Undo a change."""
        return self.after(self.button("Undo (Ctrl+Z)").click)

    def download(self, act: Callable[[], Any]) -> Path:
        """Return the file that the browser saves after an action."""
        with self.page.expect_download() as download:
            act()
        path = Path(download.value.path())
        return path.rename(path.with_name(f"{path.name}-{download.value.suggested_filename}"))

    def clipboard(self, act: Callable[[], Any]) -> str:
        """Return the clipboard after an action."""
        self.page.evaluate("() => navigator.clipboard.writeText('')")
        act()
        self.page.wait_for_function("async () => await navigator.clipboard.readText()")
        text: str = self.page.evaluate("() => navigator.clipboard.readText()")
        return text

    # ------------------------------------------------------------------ appearance

    def focused(self) -> str:
        """Return the accessible name of the focused element, also within shadow roots."""
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
        """Take a screenshot, and store it if POLHODE_SCREENSHOTS names a folder."""
        folder = os.environ.get("POLHODE_SCREENSHOTS")
        path = Path(folder) / f"{name}.png" if folder else None
        return self.page.screenshot(path=path)


def assert_runs(state: dict[str, Any]) -> None:
    """The page's runs equal the engine's for the same choice."""
    choice = state["choice"]
    changes = {
        name: np.reshape(x, (3, 3)) if np.size(x) == 9 else x
        for name, x in choice["changes"].items()
    }
    problem = engine.problem(choice["problem"], **changes)
    assert [run["method"] for run in state["runs"]] == choice["methods"]
    for report in state["runs"]:
        run = engine.simulate(
            problem, report["method"], dt=choice["dt"], duration=choice["duration"], samples=1
        )
        assert report["status"] == run.status
        assert report["t"] == pytest.approx(run.t[-1], rel=1e-15)
        np.testing.assert_allclose(np.reshape(report["R"], (3, 3)), run.R[-1], rtol=0, atol=1e-12)


@pytest.fixture(scope="session")
def shared_lab(context: BrowserContext, server: str) -> Lab:
    """One page for all tests."""
    return Lab(context.new_page(), server)


FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    item.stash[FAILED] = item.stash.get(FAILED, False) or report.failed
    return report


@pytest.fixture
def lab(shared_lab: Lab, request: pytest.FixtureRequest) -> Iterator[Lab]:
    """The page as the previous test left it; a request to another host or an error is a failure."""
    for found in (shared_lab.elsewhere, shared_lab.errors):
        found.clear()
    yield shared_lab
    if request.node.stash[FAILED]:
        shared_lab.forget()
    assert shared_lab.elsewhere == []
    assert shared_lab.errors == []
