"""Live demos in a browser: from the disk, in a frame of another page, by keyboard, with odd
addresses.
"""

from __future__ import annotations

import http.server
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import PATIENCE, TWO_FRAMES
from covering import first
from test_appearance import list_violations, needs_axe
from timeouts import wait_until

import app
import engine

expect = pytest.importorskip("playwright.sync_api").expect

WHOLE = "() => Boolean(globalThis.polhodeDemo?.exactMotion)"
"""Whether the runs and the exact motion are complete."""
RUNS = """() => polhodeDemo.runs.map(({method, run}) => ({
    method, status: run.status, done: run.done, energy: run.deviation("energy"),
    R: [...run.series("R" in run.header.series ? "R" : "R1")].slice(-9),
}))"""
FROM_HERE = ("file:", "data:", "blob:", "about:", "http://127")
WITHOUT_WEBGL = """
const get = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
    return kind.startsWith("webgl") ? null : get.call(this, kind, ...more);
};"""
FRAME = """<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><body style="margin:0">
<iframe sandbox="allow-scripts" style="width:390px;height:800px;border:0" srcdoc="{}"></iframe>"""


class Shown:
    """A demo in a page of a context that is offline."""

    def __init__(self, browser: Any, **how: Any) -> None:
        self.context = browser.new_context(offline=True, reduced_motion="reduce", **how)
        self.context.set_default_timeout(PATIENCE)
        self.page = self.context.new_page()
        self.asked: list[str] = []
        self.wrong: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on(
            "console",
            lambda message: self.wrong.append(message.text) if message.type == "error" else None,
        )
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))

    def open(self, file: Path, words: str = "") -> Any:
        """Open a demo, with words behind the #."""
        self.page.goto("about:blank")
        self.page.goto(file.as_uri() + (f"#{words}" if words else ""))
        self.settled()
        return self.page

    def settled(self, frame: Any = None) -> None:
        """Wait for a condition; the page's policy forbids Playwright's own polling."""
        where = frame or self.page
        where.locator("#ledger").wait_for(state="attached")  # a frame may still be navigating
        for _ in range(PATIENCE // 50):
            if where.evaluate(WHOLE):
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(
            f"it does not come to rest: {where.evaluate('document.body.innerText')[:300]}, {self.wrong}"
        )

    def type(self, label: str, text: str) -> None:
        """Type into a field, and wait for the answer."""
        field = self.page.get_by_role("textbox", name=label, exact=True)
        field.fill(text)
        field.press("Enter")
        self.page.evaluate(TWO_FRAMES)  # until the entry before is answered
        self.settled()

    def runs(self) -> list[dict[str, Any]]:
        """Return the outcome of each method."""
        found: list[dict[str, Any]] = self.page.evaluate(RUNS)
        return found

    def check(self) -> None:
        """The page sent no request to another host and logged no error."""
        assert [url for url in self.asked if not url.startswith(FROM_HERE)] == []
        assert self.wrong == []


@pytest.fixture(scope="module")
def folder(tmp_path_factory: Any) -> Path:
    made: Path = tmp_path_factory.mktemp("demos")
    app.demo("slow-top", ["NMB", "DMV"], dt=0.01, duration=5).save(made / "top.html")
    app.demo("free", ["MR2", "DMV"], dt=0.1, duration=20).save(made / "free.html")
    app.demo("dumbbells", ["LGVI", "RK2"], dt=0.002, duration=2).save(made / "two.html")
    return made


@pytest.fixture(scope="module")
def window(browser: Any) -> Iterator[Shown]:
    made = Shown(browser)
    yield made
    made.context.close()


@pytest.fixture
def demo(window: Shown) -> Iterator[Shown]:
    """One page for many tests, each of which opens its own demo: a new page takes as long as a
    demo.
    """
    for heard in (window.asked, window.wrong):
        heard.clear()
    yield window
    window.check()


@pytest.fixture
def shown(browser: Any) -> Iterator[Callable[..., Shown]]:
    """Creates separate pages."""
    open_ones: list[Shown] = []

    def make(**how: Any) -> Shown:
        open_ones.append(Shown(browser, **how))
        return open_ones[-1]

    yield make
    for one in open_ones:
        one.context.close()
        one.check()


def test_it_opens_from_the_disk_with_the_engines_runs(shown: Any, folder: Path) -> None:
    demo = shown(viewport={"width": 1280, "height": 900})
    page = demo.open(folder / "top.html")
    for report in demo.runs():
        run = engine.simulate("slow-top", report["method"], dt=0.01, duration=5)
        np.testing.assert_allclose(report["R"], run.R[-1].ravel(), atol=1e-11)
        assert report["energy"] == pytest.approx(run.deviation("energy"), rel=1e-6)
    expect(page.get_by_role("table")).to_contain_text("Explicit Newmark")
    expect(page.get_by_role("heading", name="Attitude error")).to_be_visible()
    error = page.evaluate("() => polhodeDemo.exactMotion.most")
    assert error < 1e-11
    assert len(page.get_by_role("application").all()) == 2


@pytest.mark.exhaustive
def test_a_body_that_begins_at_rest_is_followed_as_finely_as_it_comes_to_turn(
    demo: Shown, tmp_path: Path
) -> None:
    page = demo.open(
        app.demo("book-toss", "NMB", dt=0.05, duration=10).save(tmp_path / "book.html")
    )
    R, apart = page.evaluate(
        "() => [[...polhodeDemo.exactMotion.run.series('R')].slice(-9), polhodeDemo.exactMotion.most]"
    )
    off = np.linalg.norm(np.reshape(R, (3, 3)) - engine.exact("book-toss", 10.0, dt=0.05).R)
    assert off < 2 * apart < 0.05


def test_a_change_runs_the_methods_anew(demo: Shown, folder: Path) -> None:
    page = demo.open(folder / "top.html")
    demo.type("Δt", "50 Hz")
    demo.type("Angular velocity Ω₀", "0.1, 0, 7")
    demo.type("Weight × arm Mgl", "25")
    changed = engine.problem("slow-top").replace(Omega0=(0.1, 0, 7), Mgl=25)
    for report in demo.runs():
        run = engine.simulate(changed, report["method"], dt=0.02, duration=5)
        np.testing.assert_allclose(report["R"], run.R[-1].ravel(), atol=1e-10)
    address = "#dt=0.02&Omega0=0.1,0,7&Mgl=25"
    page.wait_for_function("address => location.hash === address", arg=address)
    expect(page.locator("#snippet")).to_contain_text("Omega0=[0.1, 0, 7], Mgl=25")
    expect(page.locator("#link")).to_contain_text("dt=0.02")
    other = demo.open(folder / "top.html", address[1:])
    assert other.evaluate("() => polhodeDemo.state.given.Mgl") == [25]
    other.get_by_role("button", name="Reset").click()
    demo.settled()
    assert other.evaluate("() => polhodeDemo.state.dt") == 0.01


@pytest.mark.exhaustive
def test_the_slider_by_keyboard_alone(demo: Shown, folder: Path) -> None:
    page = demo.open(folder / "free.html")
    slider = page.get_by_role("slider", name="Δt by powers of ten")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.shadowRoot?.activeElement?.type") == "range":
            break
    expect(slider).to_be_focused()
    page.keyboard.press("PageUp")
    page.wait_for_function("() => Math.abs(polhodeDemo.state.dt / 0.13 - 1) < 0.02")
    demo.settled()
    page.get_by_role("checkbox", name="Moser–Veselov").press("Space")
    demo.settled()
    assert [report["method"] for report in demo.runs()] == ["MR2"]


@pytest.mark.parametrize(
    ("words", "said"),
    first([
        ("dt=<img src=x onerror=alert(1)>", "Δt takes a number"),
        ("dt=0.0001&duration=10000", "steps; a demo makes at most"),
        ("dt=0", "Δt must be from"),
        ("dt=1/", "Δt takes a number"),
        ("dt=1/x", "Δt takes a number"),
        ("methods=NOPE", "This page has no method NOPE"),
        ("nonsense=<b>1</b>", "is unknown here"),
        ("show=<b>moon</b>", "show: there is no <b>moon</b> here; there are poinsot, body"),
        ("controls=dt,Mgl", "controls: there is no Mgl here; there are methods, dt"),
        ("Omega0=1,2", "takes 3 numbers"),
        ("J=1,1,9", "No body has these moments"),
    ], 2),
)  # fmt: skip
def test_odd_words_behind_the_address_get_a_sentence(
    demo: Shown, folder: Path, words: str, said: str
) -> None:
    page = demo.open(folder / "free.html", words)
    expect(page.locator("#refused")).to_contain_text(said)
    assert page.locator("#refused *").count() == 0, "nothing of it is taken for markup"
    assert page.evaluate("() => polhodeDemo.runs.length") == 2


def test_a_wrong_entry_is_told_at_its_field(demo: Shown, folder: Path) -> None:
    page = demo.open(folder / "free.html")
    demo.type("Inertia J₁, J₂, J₃", "1, 1, 5")
    expect(page.get_by_role("alert")).to_contain_text("No body has these moments")
    assert (
        page.evaluate("() => polhodeDemo.state.given.J")
        == engine.problem("free").principal[0].tolist()
    )


@pytest.mark.exhaustive
def test_words_choose_what_is_shown(demo: Shown, folder: Path) -> None:
    page = demo.open(
        folder / "free.html", "show=poinsot,energy&controls=dt&caption=Watch <b>this</b>"
    )
    expect(page.get_by_text("Watch <b>this</b>")).to_be_visible()
    expect(page.get_by_role("heading", name="Poinsot's construction")).to_be_visible()
    expect(page.get_by_role("heading", name="The body")).to_be_hidden()
    expect(page.get_by_role("heading", name="Energy")).to_be_visible()
    expect(page.get_by_role("heading", name="Attitude error")).to_be_hidden()
    expect(page.get_by_role("textbox", name="Δt")).to_be_visible()
    expect(page.get_by_role("textbox", name="Duration")).to_have_count(0)


@pytest.mark.exhaustive
def test_the_dialog_embed_gives_a_line_and_shows_what_it_is(shown: Any, folder: Path) -> None:
    demo = shown(viewport={"width": 1280, "height": 900})
    page = demo.open(folder / "free.html", "dt=0.05")
    page.get_by_role("button", name="Embed …").click()
    dialog = page.get_by_role("dialog", name="Embed")
    dialog.get_by_role("checkbox", name="Poinsot's construction").uncheck()
    dialog.get_by_role("checkbox", name="Orthogonality").check()
    dialog.get_by_role("textbox", name="Caption").fill('An "odd" <b>caption</b>')
    line = dialog.get_by_role("textbox", name="A line of HTML")
    expect(line).to_have_value(
        re.compile('^<iframe sandbox="allow-scripts" src="free.html#show=energy,orthogonality&')
    )
    seen = page.frame_locator("iframe[title=Preview]")
    expect(seen.get_by_text('An "odd" <b>caption</b>')).to_be_visible()
    expect(seen.get_by_role("heading", name="Orthogonality")).to_be_visible()
    expect(seen.get_by_role("heading", name="Poinsot's construction")).to_be_hidden()
    expect(seen.get_by_role("textbox", name="Δt")).to_have_value("0.05")
    expect(seen.get_by_role("textbox", name="Duration")).to_have_count(0)


@pytest.mark.exhaustive
def test_a_long_run_goes_to_a_worker_and_can_be_stopped(demo: Shown, folder: Path) -> None:
    page = demo.open(folder / "free.html", "dt=0.0001&duration=100")
    assert [report["done"] for report in demo.runs()] == [1_000_000] * 2
    assert len(page.workers) == 1
    field = page.get_by_role("textbox", name="Duration", exact=True)
    field.fill("1900")
    field.press("Enter")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("table")).to_contain_text("Cancelled after")


def test_two_bodies(demo: Shown, folder: Path) -> None:
    page = demo.open(folder / "two.html")
    for report in demo.runs():
        run = engine.simulate("dumbbells", report["method"], dt=0.002, duration=2)
        np.testing.assert_allclose(report["R"], run.R1[-1].ravel(), atol=1e-10)
    expect(page.get_by_role("heading", name="Place error")).to_be_visible()
    demo.type("Constant of gravity G", "0.3")
    run = engine.simulate(engine.problem("dumbbells").replace(G=0.3), "LGVI", dt=0.002, duration=2)
    np.testing.assert_allclose(demo.runs()[0]["R"], run.R1[-1].ravel(), atol=1e-10)


def test_it_plays_and_the_cursors_go_along(demo: Shown, folder: Path) -> None:
    page = demo.open(folder / "free.html")
    page.get_by_role("button", name="Play", exact=True).first.click()
    values = page.locator(".values").first
    expect(values).not_to_have_text(values.inner_text())
    page.get_by_role("button", name="Pause").first.click()


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a plain file server."""
    handler = partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.fixture
def elsewhere(folder: Path) -> Iterator[str]:
    """The address of another host whose page frames a demo that may only run scripts."""
    demo = escape((folder / "free.html").read_text(encoding="utf-8"))
    (folder / "frame.html").write_text(FRAME.format(demo), encoding="utf-8")
    with served(folder) as address:
        yield address


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A handler that logs no requests."""

    def log_message(self, *_: Any) -> None:
        pass


@pytest.mark.exhaustive
def test_in_a_frame_of_another_page_by_touch(shown: Any, elsewhere: str) -> None:
    demo = shown(viewport={"width": 390, "height": 800}, has_touch=True)
    demo.context.set_offline(False)
    demo.page.goto(f"{elsewhere}/frame.html")
    demo.context.set_offline(True)
    frame = demo.page.frames[1]
    demo.settled(frame)
    assert demo.asked == [f"{elsewhere}/frame.html", "about:srcdoc"] or len(demo.asked) == 1
    assert frame.evaluate("document.documentElement.scrollWidth") <= 390
    frame.get_by_role("button", name="Double Δt").tap()
    frame.wait_for_function("() => polhodeDemo.state.dt === 0.2")
    demo.settled(frame)


@needs_axe
@pytest.mark.parametrize("theme", first(["light", "dark"]))
def test_axe_finds_nothing_serious(shown: Any, folder: Path, theme: str) -> None:
    demo = shown(color_scheme=theme, viewport={"width": 1280, "height": 900})
    page = demo.open(folder / "top.html")
    page.get_by_text("Cite", exact=True).click()
    if theme == "dark":
        page.get_by_role("button", name="Embed …").click()
    assert list_violations(page) == []


@pytest.mark.exhaustive
def test_without_webgl_there_is_a_flat_picture(shown: Any, folder: Path) -> None:
    demo = shown()
    demo.context.add_init_script(WITHOUT_WEBGL)
    page = demo.open(folder / "free.html")
    expect(page.get_by_text("cannot draw in space").first).to_be_visible()
    assert len(demo.runs()) == 2


@pytest.mark.parametrize("policy", ["script-src 'self'", "script-src 'self'; style-src 'self'"])
def test_where_its_scripts_are_forbidden_a_demo_says_so(
    browser: Any, folder: Path, policy: str
) -> None:
    """As under a site's Content-Security-Policy without 'unsafe-inline'."""

    class Strict(http.server.SimpleHTTPRequestHandler):
        def end_headers(self) -> None:
            self.send_header("Content-Security-Policy", policy)
            super().end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(Strict, directory=str(folder))
    ) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/free.html")
        words = page.locator("#refused")
        expect(words).to_contain_text("forbids scripts within a page")
        # The words appear after two seconds.
        wait_until(lambda: words.bounding_box()["height"] > 10, "they take room")
        page.close()
        server.shutdown()


def test_where_scripts_run_nothing_is_said_of_them(demo: Shown, folder: Path) -> None:
    assert (
        demo.open(folder / "free.html").evaluate("document.getElementById('refused').textContent")
        == ""
    )
