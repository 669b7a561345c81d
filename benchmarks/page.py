"""Waiting times of the page: change to paint in Chromium, many visitors, memory, loading, playback.

``python -m benchmarks.page`` serves the page as ``polhode serve`` does and uses it by its own
widgets, as a person does: arrow keys on sliders, clicks in menus, numbers typed. A latency is
``painted − changed`` of ``window.polhode``: from the event in the browser to the frame in which new
curves are drawn, of the browser's own runs or the server's; beside it stand the frame with all
numbers of the server, and the last call that drew anything on a canvas for that change, which the
benchmark sees for itself. Needs playwright and a Chromium.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import itertools
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlencode, urlsplit
from urllib.request import urlopen

from app.server.serve import DEFLATE_LEVEL

from ._table import host, table, write_json

ROOT = Path(__file__).resolve().parents[1]
SERVE = """import sys
from app.server.serve import main
sys.exit(main(port=0, show=False, visitors=1000, processes=int(sys.argv[1])))"""
FLAGS = [
    "--headless", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--disable-accelerated-2d-canvas",
    "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-renderer-backgrounding",
    "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows",
]  # fmt: skip
"""WebGL in software, no background requests of the browser, and hidden pages keep running."""

SETTING = {"problem": "free", "methods": "NMB,AKW", "dt": "0.05", "duration": "100"}
"""Two methods at 2 000 steps."""
TOPS = ("Fast top", "Asymmetric top", "Lagrange's top")
"""Problems whose Δt and duration also make 2 000 steps, by their names in the menu."""
FOUR = {"problem": "free", "methods": "NMB,AKW,MR2,DMV", "dt": "0.5", "duration": "100"}
NEW = ("Book toss", "Coulomb pull and a soft wall")
"""Four methods, and problems that are new to them, by their names in the menu."""
SLIDER = "Δt by powers of ten"
WARMING = 12
"""Changes of each kind that are not counted, to compile kernels and warm up the browser."""
FOLLOWED = """before => {
  const {revision, changed, painted} = window.polhode;
  return revision > before && painted - changed;
}"""
"""The milliseconds from a change to its first paint, once that has come; the next paint may follow
soon.
"""
READING = 200
"""Milliseconds for which a person at least looks at an entry of a list before choosing it."""
MISSED = 120_000
"""Milliseconds after which a change counts as lost."""

TARGETS = {
    "change → painted, median": 100.0,
    "change → painted, p95": 200.0,
    "visitors, p95": 400.0,
    "hall, p95": 60.0,
    "hall, CPU": 30.0,
    "cold page": 2500.0,
    "first curves": 1500.0,
    "a new problem": 1000.0,
    "page's own kB": 300.0,
    "longest task in playback": 150.0,
    "change during a study, p95": 300.0,
    "stop of a study": 100.0,
    "first picture of a map": 500.0,
    "map of 10,000 points": 5000.0,
}
"""Targets in milliseconds, kB, and per cent of a core."""

WATCH = """
  window.lastDrawn = 0;
  const drawn = () => { window.lastDrawn = performance.now(); };
  for (const [Kind, names] of [
    [CanvasRenderingContext2D, ["stroke", "fill", "fillText", "drawImage", "putImageData"]],
    [WebGL2RenderingContext, ["drawArrays", "drawElements", "drawArraysInstanced", "drawElementsInstanced"]],
  ]) for (const name of names) {
    const before = Kind.prototype[name];
    Kind.prototype[name] = function (...given) { drawn(); return before.apply(this, given); };
  }
  window.longTasks = [];
  new PerformanceObserver(list => {
    for (const task of list.getEntries()) window.longTasks.push([task.startTime, task.duration]);
  }).observe({type: "longtask"});
"""
"""Record the times of drawing on a canvas, and long tasks."""
PATIENCE = 120.0
"""Seconds that a simulated visitor waits for the page."""


def quantile(values: Sequence[float], part: float) -> float:
    """Return a quantile of the values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(part * (len(ordered) - 1)))]


# -------------------------------------------------------------------------------------------------
# server and browser


@dataclass(frozen=True)
class Server:
    """A running server: its address and its process, which may have others below it."""

    url: str
    pid: int

    def link(self, **query: str) -> str:
        """The page's address with a choice."""
        return f"{self.url}?{urlencode(query)}"

    def _files(self) -> list[Path]:
        """The directory in /proc of each process."""
        below = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        return [Path("/proc", str(pid)) for pid in (self.pid, *below)]

    def memory(self) -> float:
        """The memory of all processes, in MB; what they share counts once."""
        found = re.findall(
            r"\nPss:\s+(\d+) kB", "".join((at / "smaps_rollup").read_text() for at in self._files())
        )
        assert found
        return sum(map(int, found)) / 1024

    def cpu(self) -> float:
        """Seconds of processor time so far."""
        fields = [(at / "stat").read_text().rpartition(")")[2].split() for at in self._files()]
        return sum(int(x[11]) + int(x[12]) for x in fields) / os.sysconf("SC_CLK_TCK")

    def visitors(self) -> int:
        """The number of sessions."""
        with urlopen(f"{self.url}liveness") as answer:
            return int(json.load(answer)["visitors"])


@contextmanager
def start_server(processes: int = 1, **environment: str) -> Iterator[Server]:
    """Start a server with so many processes, with these changes to its environment."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    environment = os.environ | {"PYTHONPATH": path} | environment
    command = [sys.executable, "-c", SERVE, str(processes)]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        if "http://" not in said:
            raise SystemExit("the server did not start")
        yield Server(said.split()[3], process.pid)
    finally:
        process.terminate()
        process.wait(120)
        if process.stdout is not None:
            process.stdout.close()


@asynccontextmanager
async def slow_link(server: Server, port: int, seconds: float) -> AsyncIterator[Server]:
    """The server at another port of this machine, behind a link that delays everything by `seconds`
    each way.
    """
    loop = asyncio.get_running_loop()

    async def deliver(
        waiting: asyncio.Queue[tuple[float, bytes]], writer: asyncio.StreamWriter
    ) -> None:
        while True:
            due, data = await waiting.get()
            await asyncio.sleep(due - loop.time())
            if not data:
                return writer.close()
            writer.write(data)

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        delivering = asyncio.ensure_future(deliver(waiting, writer))
        with suppress(ConnectionError):
            while data := await reader.read(1 << 16):
                waiting.put_nowait((loop.time() + seconds, data))
        waiting.put_nowait((loop.time() + seconds, b""))
        await delivering

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_server, to_server = await asyncio.open_connection(
            "localhost", urlsplit(server.url).port
        )
        await asyncio.gather(
            carry(reader, to_server), carry(from_server, writer), return_exceptions=True
        )

    async with await asyncio.start_server(connect, "localhost", port):
        yield replace(server, url=f"http://localhost:{port}/")


@asynccontextmanager
async def browsing() -> AsyncIterator[Any]:
    """A Chromium."""
    from playwright.async_api import async_playwright

    chromium = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        try:
            yield browser
        finally:
            for context in browser.contexts:
                await context.close()
            await browser.close()


async def open_page(
    browser: Any, url: str, prepare: Callable[[Any], Awaitable[Any]] | None = None
) -> Any:
    """Open the page in its own window and wait until it is quiet; `prepare` receives the empty
    page.
    """
    # This disables autoplay, so that the page draws only in response to changes.
    context = await browser.new_context(
        viewport={"width": 1440, "height": 900}, reduced_motion="reduce"
    )
    await context.add_init_script(WATCH)
    page = await context.new_page()
    page.set_default_timeout(60_000)
    if prepare is not None:
        await prepare(page)
    await page.goto(url)
    # The default, polling every frame, would make the browser paint frames.
    await page.wait_for_function("() => window.polhode?.revision >= 1", polling=50)
    await quiet(page)
    return page


async def quiet(page: Any, milliseconds: int = 250) -> None:
    """Wait until the page has stopped drawing."""
    await page.wait_for_function(
        "quiet => window.lastDrawn && performance.now() - Math.max(window.lastDrawn, window.polhode.painted) > quiet",
        arg=milliseconds,
        polling=50,
    )


# -------------------------------------------------------------------------------------------------
# changes

Change = Callable[[], Awaitable[Any]]


async def slider_keys(page: Any, name: str) -> AsyncIterator[Change]:
    """Press arrow keys on a slider, to and fro, so that the number of steps stays about the
    same.
    """
    slider = page.get_by_role("slider", name=name)
    await slider.focus()
    for key in itertools.cycle(["ArrowLeft"] * 5 + ["ArrowRight"] * 5):
        yield partial(page.keyboard.press, key)


async def type_numbers(page: Any, name: str, values: Sequence[str]) -> AsyncIterator[Change]:
    """Type numbers into an entry, each with Enter."""
    entry = page.get_by_role("textbox", name=re.compile(f"^{name}"))
    for value in itertools.cycle(values):
        await entry.blur()
        await entry.fill(value)
        yield partial(entry.press, "Enter")


async def problem(page: Any, name: str) -> Any:
    """Return a problem of the menu; open the menu first."""
    await page.get_by_role("combobox", name=re.compile("^Problem")).click()
    item = page.get_by_role("option", name=name, exact=True)
    await item.wait_for()
    return item


async def problems(page: Any) -> AsyncIterator[Change]:
    """Choose problems from the menu by clicks."""
    for name in itertools.cycle(TOPS):
        item = await problem(page, name)
        await item.hover()
        await page.wait_for_timeout(READING)
        yield item.click
        await item.wait_for(state="hidden")


async def methods(page: Any) -> AsyncIterator[Change]:
    """Search for a third method, add it, and remove it again."""
    search = page.get_by_role("combobox", name="Methods")
    while True:
        await search.fill("ELN")
        await page.get_by_role("option", name=re.compile(" · ELN$")).wait_for()
        await search.press("ArrowDown")
        await page.wait_for_timeout(READING)
        yield partial(search.press, "Enter")
        yield page.get_by_role("button", name=re.compile("^Remove Explicit Lie")).click


async def drag_start(page: Any) -> AsyncIterator[Change]:
    """Drag the start of the motion over the momentum sphere, to and fro."""
    sphere = page.get_by_role("radio", name="Momentum sphere")
    await page.locator("label").filter(has=sphere).click()
    start = page.get_by_role("slider", name=re.compile("^Start Π₀"))
    await start.focus()
    await quiet(page)
    async for change in hold_part(page, start):
        yield change


async def turn_body(page: Any) -> AsyncIterator[Change]:
    """Turn the body by hand, to and fro."""
    await page.get_by_role("button", name="Turn", exact=True).click()
    async for change in hold_part(page, page.get_by_role("application").first):
        yield change


async def hold_part(page: Any, part: Any) -> AsyncIterator[Change]:
    """Drag the middle of a part to and fro."""
    box = await part.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    await page.mouse.move(x, y)
    await page.mouse.down()
    for i in itertools.cycle((1, 2, 3, 2)):
        yield partial(page.mouse.move, x - 12 * i, y + 12)


Kinds = dict[str, tuple[Callable[[Any], AsyncIterator[Change]], dict[str, str]]]
KINDS: Kinds = {
    "Δt, slider": (lambda page: slider_keys(page, SLIDER), SETTING),
    "Δt, typed": (
        lambda page: type_numbers(page, "Δt", ("0.051", "0.049", "0.0505", "0.05")),
        SETTING,
    ),
    "duration, typed": (
        lambda page: type_numbers(page, "Duration", ("101", "99", "100.5", "100")),
        SETTING,
    ),
    "problem": (problems, SETTING | {"problem": "lagrange-top"}),
    "method": (methods, SETTING),
    "Ω₀, dragged": (drag_start, SETTING),
    "R₀, turned": (turn_body, SETTING | {"problem": "lagrange-top"}),
}


def list_drags() -> Kinds:
    """Changes of the step and of the start, with the errors against the exact motion on screen."""
    step = partial(slider_keys, name=SLIDER)
    start = {
        "Ω₀": ("Angular velocity Ω₀", ("0.5, 0.6, 1", "0.5, 0.61, 1", "0.5, 0.62, 1.01")),
        "R₀": ("Attitude R₀", ("0.4, 0.1, 0", "0.41, 0.1, 0", "0.42, 0.11, 0")),
    }
    pair = {"Ω₁": ("Angular velocity Ω₁", ("0.1, 0.2, 0.3", "0.11, 0.2, 0.3", "0.12, 0.21, 0.3"))}
    found: Kinds = {}
    for key, setting, starts in (
        ("asymmetric-top", {"methods": "NMB,AKW"}, start),
        ("kovalevskaya-top", {"methods": "NMB,AKW"}, start),
        ("dumbbells", {"page": "two-bodies", "methods": "LGVI,RK2", "dt": "0.005"}, pair),
    ):
        on_screen = {"problem": key, **setting}
        found[f"{key}, Δt"] = step, on_screen
        for name, (label, values) in starts.items():
            found[f"{key}, {name}"] = partial(type_numbers, name=label, values=values), on_screen
    return found


async def latencies(
    page: Any, server: Server, name: str, kind: Callable[[Any], AsyncIterator[Change]], count: int
) -> dict[str, list[float]]:
    """Return milliseconds from each change to its paint and to the last drawing on a canvas, and
    processor time.
    """
    found: dict[str, list[float]] = {
        "first": [],
        "painted": [],
        "drawn": [],
        "server_cpu": [],
        "window_cpu": [],
    }
    changes = kind(page)
    metrics = await page.context.new_cdp_session(page)
    await metrics.send("Performance.enable", {"timeDomain": "threadTicks"})

    async def window_cpu() -> float:
        metrics_now = (await metrics.send("Performance.getMetrics"))["metrics"]
        return float(
            next(metric["value"] for metric in metrics_now if metric["name"] == "TaskDuration")
        )

    warming = min(WARMING, count)
    for i in range(warming + count):
        change = await anext(changes)
        await quiet(page)
        before = await page.evaluate("() => window.polhode.revision")
        cpu = server.cpu(), await window_cpu()
        await change()
        try:
            followed = await page.wait_for_function(FOLLOWED, arg=before, polling=5, timeout=MISSED)
        except Exception as error:  # playwright's, which is imported only where it is needed
            raise SystemExit(f"the page did not follow change {i} of {name}") from error
        first = await followed.json_value()
        await quiet(page, 150)
        times = await page.evaluate(
            "() => [window.polhode.changed, window.polhode.painted, window.lastDrawn]"
        )
        spent = server.cpu() - cpu[0], await window_cpu() - cpu[1]
        if i >= warming:
            figures = (
                first,
                times[1] - times[0],
                times[2] - times[0],
                1000 * spent[0],
                1000 * spent[1],
            )
            for values, value in zip(found.values(), figures, strict=True):
                values.append(value)
    return found


async def measure_changes(server: Server, kinds: Kinds, count: int) -> list[dict[str, Any]]:
    """Measure these kinds of changes by one visitor."""
    results = []
    for name, (kind, setting) in kinds.items():
        async with browsing() as browser:
            page = await open_page(browser, server.link(**setting))
            results.append({"case": name} | await latencies(page, server, name, kind, count))
    return results


# -------------------------------------------------------------------------------------------------
# visitors


class Wire:
    """A simulated visitor: it sends the server what a browser would, and reads all answers.

    Real visitors' browsers draw on their own machines, so these visitors draw nothing.
    """

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self.form = ""
        self.dt = 0.0
        self.run_button, self.lesson = "", ""
        """The components with the button Run and with a lesson."""

    @classmethod
    async def open(cls, url: str) -> Self:
        """Fetch the page, and the document that it shows."""
        from tornado.httpclient import AsyncHTTPClient, HTTPRequest
        from tornado.websocket import websocket_connect

        html = (
            await AsyncHTTPClient().fetch(url, connect_timeout=PATIENCE, request_timeout=PATIENCE)
        ).body.decode()
        token = re.search(r'"token":\s*"([^"]+)"', html)
        assert token is not None
        address = url.partition("?")[0].replace("http://", "ws://") + "ws"
        origin = {"Origin": url.partition("/?")[0]}
        request = HTTPRequest(
            address, headers=origin, connect_timeout=PATIENCE, request_timeout=PATIENCE
        )
        connection = await websocket_connect(
            request, subprotocols=["bokeh", token[1]], max_message_size=100_000_000
        )
        assert connection.protocol is not None and connection.protocol.stream is not None
        connection.protocol.stream.set_nodelay(True)  # as browsers do
        wire = cls(connection)
        for _ in range(3):  # the server greets in three parts
            await connection.read_message()
        await wire.say("PULL-DOC-REQ", {})
        for found in models(json.loads(await wire.hear('{"doc"'))):
            data = found["attributes"].get("data")
            if found["attributes"].get("class_name") == "LessonPanel":
                wire.lesson = found["id"]
            if "data-ask='run'" in str(data):
                wire.run_button = found["id"]
            values = data.get("attributes", {}).get("values") if isinstance(data, dict) else None
            said = dict(values["entries"]) if isinstance(values, dict) else {}
            if said.get("dt"):  # a study may leave it open
                wire.form = found["id"]
                wire.dt = float(said["dt"])
        await wire.tell(
            "document_ready"
        )  # until then the server lets whatever happens in a browser wait
        return wire

    async def hear(self, words: str) -> str:
        """Read until a part of a message contains these words, and return that part."""
        while (frame := await self.connection.read_message()) is not None:
            if isinstance(frame, str) and words in frame:
                return frame
        raise SystemExit("the server has closed the connection")

    async def say(self, kind: str, content: dict[str, Any]) -> str:
        """Send a message; return its number, which its answer repeats."""
        number = f"{time.monotonic_ns()}"
        for part in ({"msgid": number, "msgtype": kind}, {}, content):
            await self.connection.write_message(json.dumps(part))
        return number

    async def move(self, by: int) -> str:
        """Move the slider of Δt by hundredths of a power of ten; return the number of the
        message.
        """
        self.dt *= 10 ** (by / 100)
        return await self.send(self.form, name="dt", text=f"{self.dt:.8g}", moved=True)

    async def send(self, component: str, **data: Any) -> str:
        """Send a message as the script of a component does; return the number of the message."""
        entries = {"type": "map", "entries": list(map(list, data.items()))}
        return await self.tell("data_event", ["model", {"id": component}], ["data", entries])

    async def tell(self, name: str, *entries: Any) -> str:
        """Send an event of the browser; return the number of the message."""
        message = {"type": "event", "name": name, "values": {"type": "map", "entries": entries}}
        event = {"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": message}
        return await self.say("PATCH-DOC", {"events": [event]})

    async def listen(self) -> None:
        """Read until the connection is closed."""
        while await self.connection.read_message() is not None:
            pass


def models(part: Any) -> Iterator[dict[str, Any]]:
    """Yield all models of a document."""
    if isinstance(part, dict):
        if "id" in part and "attributes" in part:
            yield part
        for value in part.values():
            yield from models(value)
    elif isinstance(part, list):
        for value in part:
            yield from models(value)


async def measure_visitors(
    server: Server, visitors: int, windows: int, seconds: float
) -> dict[str, Any]:
    """Measure latencies in the windows while `visitors` others each make a change every second."""
    found: list[float] = []
    made = 0
    url = server.link(**SETTING)

    async def look(page: Any, number: int) -> None:
        nonlocal made
        await asyncio.sleep(number / visitors)
        changes = slider_keys(page, SLIDER)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            begun = time.monotonic()
            change = await anext(changes)
            before = await page.evaluate("() => window.polhode.revision")
            await change()
            made += 1
            await page.wait_for_function(FOLLOWED, arg=before, polling=50, timeout=MISSED)
            found.append(
                await page.evaluate("() => window.polhode.painted - window.polhode.changed")
            )
            await asyncio.sleep(max(0.0, 1.0 - (time.monotonic() - begun)))

    async def speak(wire: Wire, number: int) -> None:
        nonlocal made
        await asyncio.sleep(number / visitors)
        for i in range(round(seconds)):
            await wire.move(-1 if i % 10 < 5 else 1)
            made += 1
            await asyncio.sleep(1.0)

    async with browsing() as browser:
        pages = [await open_page(browser, url) for _ in range(windows)]
        wires = [await Wire.open(url) for _ in range(visitors - windows)]
        listening = [asyncio.ensure_future(wire.listen()) for wire in wires]
        await asyncio.sleep(1)
        cpu = server.cpu()
        here = [look(page, i) for i, page in enumerate(pages)]
        await asyncio.gather(*here, *(speak(wire, windows + i) for i, wire in enumerate(wires)))
        each = 1000 * (server.cpu() - cpu) / made
        for wire in wires:
            wire.connection.close()
        await asyncio.gather(*listening)
    return {
        "visitors": visitors,
        "windows": windows,
        "changes": made,
        "painted": found,
        "server_cpu": each,
    }


# -------------------------------------------------------------------------------------------------
# a lecture hall

RECORD = """() => {
  const seen = window.seen = [];
  let moved = 0;
  document.addEventListener("input", () => { moved = performance.now(); }, {capture: true});
  globalThis[Symbol.for("polhode.page")].offer("show runs", () => {
    const changed = moved, note = () => seen.push(performance.now() - changed);
    requestAnimationFrame(() => requestAnimationFrame(note));
  });
}"""
"""Keep the time from each move to the frame after the one that draws it: tasks may wait while all
frames are late.
"""
HALL = {"everything": {}, "without the scene": {"show": "energy,pi,attitude", "controls": "dt"}}
"""What the browsers in the hall show: the scene takes a machine without a graphics card most of a
frame.
"""


async def measure_hall(
    server: Server, visitors: int, windows: int, seconds: float, each: float
) -> dict[str, Any]:
    """Measure latencies in the windows, and the server, while all visitors drag Δt.

    A browser computes a drag by itself, and tells the server the value at rest: here every `each`
    seconds, at which the others, without a browser, send a value.
    """
    end = 0.0

    async def drag(page: Any) -> None:
        slider = page.get_by_role("slider", name=SLIDER)
        box = await slider.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        await page.mouse.move(x, y)  # which fetches the kernels
        await page.wait_for_timeout(1500)
        await page.evaluate(RECORD)
        while time.monotonic() < end:
            await page.mouse.move(x, y)
            await page.mouse.down()
            until = min(end, time.monotonic() + each)
            for k in itertools.cycle([*range(20), *range(20, 0, -1)]):
                if time.monotonic() > until:
                    break
                await page.mouse.move(x - k, y)
                await asyncio.sleep(0.016)
            await page.mouse.up()

    async def rest(wire: Wire, number: int) -> None:
        await asyncio.sleep(each * number / visitors)
        for way in itertools.cycle((-1, 1)):
            if time.monotonic() > end:
                break
            await wire.move(way)
            await asyncio.sleep(each)

    found: dict[str, Any] = {}
    wires = [await Wire.open(server.link(**SETTING)) for _ in range(visitors - windows)]
    listening = [asyncio.ensure_future(wire.listen()) for wire in wires]
    for case, words in HALL.items():
        async with browsing() as browser:
            pages = [
                await open_page(browser, server.link(**SETTING, **words)) for _ in range(windows)
            ]
            await asyncio.sleep(3)
            cpu = server.cpu()
            memory = server.memory()
            end = time.monotonic() + seconds
            await asyncio.gather(
                *map(drag, pages), *(rest(wire, i) for i, wire in enumerate(wires))
            )
            spent = 100 * (server.cpu() - cpu) / seconds
            seen = [await page.evaluate("() => window.seen") for page in pages]
        painted = list(itertools.chain.from_iterable(seen))
        found[case] = {
            "painted": painted,
            "cpu_percent": spent,
            "memory": [memory, server.memory()],
        }
        found[case]["changes_per_second"] = len(painted) / windows / seconds
    for wire in wires:
        wire.connection.close()
    await asyncio.gather(*listening)
    return found


# -------------------------------------------------------------------------------------------------
# memory


async def measure_sessions(server: Server, sessions: int) -> dict[str, float]:
    """Return the memory of the server's process before, with `sessions` sessions open, and after
    they are closed.
    """
    async with browsing() as browser:
        first = await open_page(browser, server.link(**SETTING))
        await first.context.close()
    await gone(server)
    before = server.memory()
    async with browsing() as browser:
        for _ in range(sessions):
            await open_page(browser, server.link(**SETTING))
        during = server.memory()
    await gone(server)
    return {"before": before, "open": during, "closed": server.memory(), "sessions": sessions}


async def gone(server: Server) -> None:
    """Wait until the server has discarded its sessions."""
    while server.visitors():
        await asyncio.sleep(1)
    await asyncio.sleep(2)


# -------------------------------------------------------------------------------------------------
# loading, playback


async def measure_loading(server: Server, rounds: int) -> dict[str, Any]:
    """Measure milliseconds to the first paint of runs in a browser with an empty cache, and bytes
    by origin.

    The opening view and the lab are opened on a server that has been idle, and the lab also two
    seconds after another visitor has fetched it. Bytes are counted in a separate load, because
    recording frames takes time.
    """
    milliseconds: dict[str, list[float]] = defaultdict(list)
    lab = {"page": "lab"}
    cases: list[tuple[str, dict[str, str]]] = [
        ("opening view", {}),
        ("lab", lab),
        ("lab, as a second visitor", lab),
    ]
    for case, query in cases * rounds:
        await asyncio.sleep(6.0)  # an idle server makes the next documents, one after the other
        if "second" in case:
            with urlopen(server.link(**query)) as page:
                page.read()
            await asyncio.sleep(2.0)
        async with browsing() as browser:
            page = await open_page(browser, server.link(**query))
            await quiet(page, 1000)
            milliseconds[case].append(await page.evaluate("() => window.polhode.painted"))
    sizes = await measure_bytes(server)
    return {
        "milliseconds": milliseconds,
        "panel_kB": sum(sizes["Panel"].values()) / 1000,
        "page_kB": sum(sizes["page"].values()) / 1000,
        "page_bytes": {
            url.rpartition("/")[2].partition("?")[0] or "HTML": n
            for url, n in sizes["page"].items()
        },
    }


async def measure_first() -> dict[str, float]:
    """Measure the milliseconds that the first visitor waits for a kernel, on a server with an empty
    cache.

    For the page as it opens and for a link with four methods, from the first thing that the browser
    painted to the first curves; then, with the four methods, from the choice of a problem to its
    curves.
    """
    found: dict[str, float] = {}

    async def curves(browser: Any, case: str, server: Server, **query: str) -> Any:
        page = await open_page(browser, server.link(**query))
        frame = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
        found[case] = await page.evaluate(f"() => window.polhode.painted - {frame}")
        return page

    async with browsing() as browser:
        with (
            tempfile.TemporaryDirectory() as cache,
            start_server(POLHODE_CACHE_DIR=cache) as server,
        ):
            await curves(browser, "the page as it opens", server)
        with (
            tempfile.TemporaryDirectory() as cache,
            start_server(POLHODE_CACHE_DIR=cache) as server,
        ):
            page = await curves(browser, "a link with four methods", server, **FOUR)
            for name in NEW:
                item = await problem(page, name)
                before = await page.evaluate("() => window.polhode.revision")
                await item.click()
                await page.wait_for_function(FOLLOWED, arg=before, polling=20, timeout=MISSED)
                await quiet(page)
                found[name] = await page.evaluate(
                    "() => window.polhode.painted - window.polhode.changed"
                )
    return found


async def measure_bytes(server: Server) -> dict[str, dict[str, int]]:
    """Return the bytes of a first load, Panel's and the page's own, by address.

    The browser reports the contents of websocket frames, not their compressed size, so they are
    deflated here.
    """
    urls: dict[str, str] = {}
    sizes: dict[str, dict[str, int]] = {"Panel": {}, "page": {}}
    deflater: list[Any] = []

    def add(url: str, length: int) -> None:
        whose = "Panel" if "/static/" in url and "/extensions/polhode/" not in url else "page"
        sizes[whose][url] = sizes[whose].get(url, 0) + length

    def note_agreement(event: Any) -> None:
        names = {name.lower(): value for name, value in event["response"]["headers"].items()}
        if "permessage-deflate" in names.get("sec-websocket-extensions", ""):
            deflater[:] = [zlib.compressobj(DEFLATE_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)]

    def note_frame(frame: str | bytes) -> None:
        hold_part = frame.encode() if isinstance(frame, str) else frame
        length = len(hold_part)
        panels = of_panel(frame) / max(1, len(hold_part))
        for one in deflater:
            length = len(one.compress(hold_part)) + len(one.flush(zlib.Z_SYNC_FLUSH))
        add("websocket", round(length * (1 - panels)))
        add("websocket/static/", round(length * panels))

    def note_response(event: Any) -> None:
        urls[event["requestId"]] = event["response"]["url"]

    def note_end(event: Any) -> None:
        url = urls.get(event["requestId"], "")
        if url.startswith("http"):
            add(url, int(event["encodedDataLength"]))

    async def listen(page: Any) -> None:
        network = await page.context.new_cdp_session(page)
        await network.send("Network.enable")
        network.on("Network.responseReceived", note_response)
        network.on("Network.loadingFinished", note_end)
        network.on("Network.webSocketHandshakeResponseReceived", note_agreement)
        page.on("websocket", lambda socket: socket.on("framereceived", note_frame))

    async with browsing() as browser:
        await quiet(await open_page(browser, server.url, listen), 1000)
    return sizes


def of_panel(frame: str | bytes) -> int:
    """Return the bytes of the frame in which Panel describes its classes of widgets and their
    scripts.
    """
    if not (isinstance(frame, str) and frame.startswith('{"doc"')):
        return 0
    document = json.loads(frame)["doc"]
    maps: list[Any] = []

    def look(value: Any) -> None:
        if isinstance(value, dict):
            maps.extend(value[key] for key in ("importmap", "css_bundle") if key in value)
            value = list(value.values())
        for part in value if isinstance(value, list) else []:
            look(part)

    look(document["roots"])
    return len(json.dumps([document["defs"], maps], separators=(",", ":")))


async def measure_playback(server: Server, seconds: float) -> dict[str, float]:
    """Measure long tasks in the browser, frames per second, and the server's processor time during
    playback.
    """
    async with browsing() as browser:
        page = await open_page(browser, server.link(**SETTING))
        play = page.get_by_role("button", name="Play").first
        await play.click()
        await page.wait_for_function("() => window.polhode.player.playing")
        await page.wait_for_timeout(500)
        cpu = server.cpu()
        frames, longest, long = await page.evaluate(
            """async seconds => {
              const begun = performance.now();
              let frames = 0;
              while (performance.now() - begun < 1000 * seconds) {
                await new Promise(requestAnimationFrame);
                frames++;
              }
              const tasks = window.longTasks.filter(([start]) => start > begun).map(([, duration]) => duration);
              return [frames / (performance.now() - begun) * 1000, Math.max(0, ...tasks), tasks.length];
            }""",
            seconds,
        )
        return {
            "frames_per_second": frames,
            "longest_task_ms": longest,
            "long_tasks": long,
            "server_cpu_percent": 100 * (server.cpu() - cpu) / seconds,
        }


# -------------------------------------------------------------------------------------------------
# a study

STUDY = {
    "page": "studies",
    "study": "long-run",
    "problem": "free",
    "methods": "MR2",
    "steps": "2e8",
}
STOPPED = """async stop => {
  const begun = performance.now();
  stop.click();
  while (!stop.disabled) await new Promise(resolve => setTimeout(resolve, 1));
  return performance.now() - begun;
}"""


async def measure_study(server: Server, count: int) -> dict[str, list[float]]:
    """Measure milliseconds of a changed entry during a run of 200 million steps, and from Stop to
    its report.
    """
    found: dict[str, list[float]] = {"painted": [], "stopped": []}
    async with browsing() as browser:
        page = await (await browser.new_context(viewport={"width": 1440, "height": 900})).new_page()
        await page.goto(server.link(**STUDY))
        await page.wait_for_function("() => window.polhode?.revision >= 1")
        entry = page.get_by_role("textbox", name="Δt", exact=True)
        stop = page.get_by_role("button", name="Stop", exact=True)
        values = itertools.cycle(["0.1", "0.2", "0.3"])
        while len(found["painted"]) < count:
            await page.get_by_role("button", name="Run", exact=True).click()
            await page.get_by_role("status").filter(has_text="of 200,000,000").wait_for()
            for _ in range(min(10, count)):
                before = await page.evaluate("() => window.polhode.revision")
                await entry.fill(next(values))
                await entry.press("Enter")
                await page.wait_for_function(FOLLOWED, arg=before, polling=20)
                changed, painted = await page.evaluate(
                    "() => [window.polhode.changed, window.polhode.painted]"
                )
                found["painted"].append(painted - changed)
            found["stopped"].append(await (await stop.element_handle()).evaluate(STOPPED))
    return found


# -------------------------------------------------------------------------------------------------
# a map

MAP = {
    "page": "studies", "study": "map", "problem": "free", "methods": "NMB", "duration": "100",
    "across": "dt=log:0.001:0.1:200", "up": "Omega0.z=1:5:200",
}  # fmt: skip
"""About 900 million steps, which take longer than the changes."""
ROUND = 20
"""Changes in a turn, after some to warm up."""


async def measure_map(server: Server, count: int) -> dict[str, list[float]]:
    """Measure milliseconds of a changed Δt in the lab, in turn with and without another visitor's
    map.

    Of 20 changes each the medians were 60 ms alone and 92 ms during a map, and 95 % took up to 106
    and 145 ms, on two cores of an AMD EPYC at a load of 2.4.
    """
    found: dict[str, list[float]] = {"alone": [], "during": []}
    async with browsing() as browser:
        lab = await open_page(browser, server.link(**SETTING))
        other = await (
            await browser.new_context(viewport={"width": 1440, "height": 900})
        ).new_page()
        await other.goto(server.link(**MAP))
        await other.wait_for_function("() => window.polhode?.revision >= 1")
        stop = other.get_by_role("button", name="Stop", exact=True)
        while len(found["during"]) < count:
            for name, values in found.items():
                if name == "during":
                    await other.get_by_role("button", name="Run", exact=True).click()
                    await stop.wait_for()
                values += (await latencies(lab, server, *slider_of_dt(), min(ROUND, count)))[
                    "painted"
                ]
                if name == "during":
                    await stop.click()
                    await stop.wait_for(state="hidden")
    return found


PICTURES = {
    "the largest energy error": {"measure": "energy"},
    "the attitude error, step and spin": {"measure": "attitude"},
    "the attitude error, inertia and spin": {"measure": "attitude", "across": "J.x=0.8:1.2:100"},
}
PICTURE = {
    "page": "studies", "study": "map", "problem": "free", "methods": "NMB", "across": "dt=log:0.01:1:100",
    "up": "Omega0.z=1:5:100",
}  # fmt: skip
"""10,000 points, with another duration in each round, so that nothing is cached."""
SEEN = """async run => {
  const begun = performance.now();
  let first = 0;
  run.click();
  while (!window.polhode.choice.measured) {
    if (!first && window.lastDrawn > begun) first = window.lastDrawn;
    await new Promise(resolve => setTimeout(resolve, 5));
  }
  return [(first || window.polhode.painted) - begun, performance.now() - begun];
}"""


async def measure_pictures(server: Server, rounds: int) -> dict[str, list[list[float]]]:
    """Measure milliseconds from Run to the first picture of a map and to the complete map."""
    found: dict[str, list[list[float]]] = {name: [] for name in PICTURES}
    async with browsing() as browser:
        for name, words in PICTURES.items():
            context = await browser.new_context(viewport={"width": 1440, "height": 900})
            await context.add_init_script(WATCH)
            page = await context.new_page()
            await page.goto(server.link(**(PICTURE | words), duration="5"))
            await page.wait_for_function("() => window.polhode?.revision >= 1")
            entry = page.get_by_role("textbox", name="Duration", exact=True)
            run = await page.get_by_role("button", name="Run", exact=True).element_handle()
            for i in range(rounds + 1):
                await entry.fill(f"{5 + 0.01 * (i + 1):g}")
                await entry.press("Enter")
                await page.wait_for_function("() => !window.polhode.choice.measured")
                times = await run.evaluate(SEEN)
                await quiet(page)
                if i:
                    found[name].append(times)
            await context.close()
    return found


def slider_of_dt() -> tuple[str, Callable[[Any], AsyncIterator[Change]]]:
    """The first kind of change."""
    name, (kind, _) = next(iter(KINDS.items()))
    return name, kind


# -------------------------------------------------------------------------------------------------
# the command line


def verdict(value: float, target: str) -> list[str]:
    """Format a target, and whether it is met."""
    return [f"≤ {TARGETS[target]:g}", "met" if value <= TARGETS[target] else "missed"]


async def loading(server: Server, given: argparse.Namespace) -> tuple[Any, str]:
    """Print a table of loading times."""
    found = await measure_loading(server, 1 if given.quick else 5)
    cold = {case: statistics.median(values) for case, values in found["milliseconds"].items()}
    rows = [
        *(
            [f"cold page: {case}, ms", f"{x:.0f}", *verdict(x, "cold page")]
            for case, x in cold.items()
        ),
        [
            "the page's own, kB",
            f"{found['page_kB']:.0f}",
            *verdict(found["page_kB"], "page's own kB"),
        ],
        ["Panel's, kB", f"{found['panel_kB']:.0f}", "", ""],
    ]
    return found, table(("loading", "", "target", ""), rows)


async def first(_: Server, given: argparse.Namespace) -> tuple[Any, str]:
    """Print a table of the first visitor's waiting times."""
    rounds = [await measure_first() for _ in range(1 if given.quick else 5)]
    found = {case: [each[case] for each in rounds] for case in rounds[0]}
    rows = []
    for case, values in found.items():
        target = "a new problem" if case in NEW else "first curves"
        middle = statistics.median(values)
        rows.append([case, *(f"{x:.0f}" for x in (middle, max(values))), *verdict(middle, target)])
    return found, table(("nothing compiled yet, ms", "median", "max", "target", ""), rows)


async def playback(server: Server, given: argparse.Namespace) -> tuple[Any, str]:
    """Print a table of the cost of playback."""
    seconds = 3.0 if given.quick else 10.0
    found = await measure_playback(server, seconds)
    longest = found["longest_task_ms"]
    rows = [
        ["longest task, ms", f"{longest:.0f}", *verdict(longest, "longest task in playback")],
        ["tasks over 50 ms", f"{found['long_tasks']:.0f}", "", ""],
        ["frames a second", f"{found['frames_per_second']:.0f}", "", ""],
        ["server's CPU, %", f"{found['server_cpu_percent']:.1f}", "", ""],
    ]
    return found, table((f"playback, {seconds:g} s", "", "target", ""), rows)


async def changes(server: Server, given: argparse.Namespace) -> tuple[Any, str]:
    """Print a table of latencies."""
    return await print_latencies(server, given, KINDS)


async def drags(server: Server, given: argparse.Namespace) -> tuple[Any, str]:
    """Print a table of those with an exact motion that has no formula."""
    return await print_latencies(server, given, list_drags())


async def print_latencies(
    server: Server, given: argparse.Namespace, kinds: Kinds
) -> tuple[Any, str]:
    """Print a table of the latencies of these kinds of changes."""
    async with (
        slow_link(server, given.port, given.delay / 2000)
        if given.delay
        else nullcontext(server) as there
    ):
        results = await measure_changes(there, kinds, 1 if given.quick else given.changes)
    rows = []
    for result in results:
        first = result["first"]
        painted = result["painted"]
        drawn = result["drawn"]
        middle = statistics.median(first)
        most = quantile(first, 0.95)
        met = (
            middle <= TARGETS["change → painted, median"]
            and most <= TARGETS["change → painted, p95"]
        )
        cpu = [statistics.fmean(result[name]) for name in ("server_cpu", "window_cpu")]
        last = (statistics.median(values) for values in (painted, drawn))
        figures = middle, most, max(first), *last, *cpu
        rows.append([result["case"], *(f"{x:.0f}" for x in figures), "met" if met else "missed"])
    heads = [
        "change → painted, ms",
        "median",
        "p95",
        "max",
        "all numbers",
        "drawn",
        "server CPU",
        "window CPU",
    ]
    return results, table([*heads, "≤ 100, p95 ≤ 200"], rows)


async def visitors(server: Server, given: argparse.Namespace) -> tuple[Any, str]:
    """Print a table of latencies with several visitors."""
    found = await measure_visitors(
        server, given.visitors, given.windows, 5.0 if given.quick else 30.0
    )
    painted = found["painted"]
    figures = statistics.median(painted), quantile(painted, 0.95), max(painted), found["server_cpu"]
    row = [f"{given.visitors}, {given.windows} in a window", *(f"{x:.0f}" for x in figures)]
    heads = ("visitors at once, ms", "median", "p95", "max", "server CPU", "target p95", "")
    return found, table(heads, [[*row, *verdict(figures[1], "visitors, p95")]])


async def hall(server: Server, given: argparse.Namespace) -> tuple[Any, str]:
    """Print a table of latencies while a lecture hall drags."""
    count, windows, seconds = (3, 1, 2.0) if given.quick else (given.visitors, given.windows, 60.0)
    found = await measure_hall(server, count, windows, seconds, given.each)
    rows = []
    for case, one in found.items():
        figures = (
            statistics.median(one["painted"]),
            quantile(one["painted"], 0.95),
            one["cpu_percent"],
            *one["memory"],
        )
        row = [case, *(f"{x:.0f}" for x in figures), f"{one['changes_per_second']:.1f}"]
        rows.append([*row, *verdict(figures[1], "hall, p95"), *verdict(figures[2], "hall, CPU")])
    heads = [
        f"{count} drag, {windows} in a window",
        "median, ms",
        "p95",
        "server CPU, %",
        "MB",
        "at the end",
    ]
    return found, table([*heads, "changes/s", "p95", "", "CPU", ""], rows)


async def sessions(server: Server, given: argparse.Namespace) -> tuple[Any, str]:
    """Print a table of memory."""
    count = 3 if given.quick else given.sessions
    found = await measure_sessions(server, count)
    each = (found["open"] - found["before"]) / count
    figures = found["before"], found["open"], found["closed"], each
    heads = ("server's memory, MB", "before", "open", "closed", "each")
    return found, table(heads, [[f"{count} sessions", *(f"{x:.1f}" for x in figures)]])


async def study(server: Server, given: argparse.Namespace) -> tuple[Any, str]:
    """Print a table of waiting times during a study."""
    found = await measure_study(server, 3 if given.quick else 100)
    rows = []
    for case, values, part, target in (
        ("a change during a study, ms", found["painted"], 0.95, "change during a study, p95"),
        ("from Stop to its answer, ms", found["stopped"], 1.0, "stop of a study"),
    ):
        figures = statistics.median(values), quantile(values, 0.95), max(values)
        rows.append(
            [case, *(f"{x:.0f}" for x in figures), *verdict(quantile(values, part), target)]
        )
    return found, table(("200 million steps", "median", "p95", "max", "target", ""), rows)


async def map_(server: Server, given: argparse.Namespace) -> tuple[Any, str]:
    """Print a table of waiting times during a map."""
    found = await measure_map(server, 3 if given.quick else min(60, given.changes))
    rows = [
        [
            case,
            *(f"{x:.0f}" for x in (statistics.median(values), quantile(values, 0.95), max(values))),
        ]
        + (verdict(quantile(values, 0.95), "visitors, p95") if case == "during" else ["", ""])
        for case, values in found.items()
    ]
    heads = ("Δt → painted, and a map, ms", "median", "p95", "max", "target", "")
    pictures = await measure_pictures(server, 1 if given.quick else 3)
    drawn = []
    for case, times in pictures.items():
        first, whole = (statistics.median(column) for column in zip(*times, strict=True))
        drawn.append([case, f"{first:.0f}", *verdict(first, "first picture of a map")])
        drawn[-1] += [f"{whole:.0f}", *verdict(whole, "map of 10,000 points")]
    of_pictures = (
        "a map of 10,000 points, ms",
        "first picture",
        "target",
        "",
        "all of it",
        "target",
        "",
    )
    return found | {"pictures": pictures}, f"{table(heads, rows)}\n\n{table(of_pictures, drawn)}"


PARTS = {
    part.__name__.strip("_"): part
    for part in (loading, first, playback, changes, drags, visitors, hall, sessions, study, map_)
}


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.page", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument(
        "parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)} (default: all)"
    )
    parser.add_argument("--json", metavar="FILE", help="write all figures")
    parser.add_argument(
        "--changes", type=int, default=200, help="changes of each kind (default %(default)s)"
    )
    parser.add_argument(
        "--delay",
        type=float,
        default=0,
        metavar="MS",
        help="of a slow link to and fro, for the changes",
    )
    parser.add_argument(
        "--visitors", type=int, default=10, help="visitors at once (default %(default)s)"
    )
    parser.add_argument(
        "--windows",
        type=int,
        default=1,
        help="how many of them have a browser on this machine (default %(default)s)",
    )
    parser.add_argument(
        "--each",
        type=float,
        default=20,
        metavar="S",
        help="until a drag in the hall rests (default %(default)s)",
    )
    parser.add_argument(
        "--sessions",
        type=int,
        default=50,
        help="sessions in the measurement of memory (%(default)s)",
    )
    parser.add_argument("--quick", action="store_true", help="a smoke run")
    given = parser.parse_args(arguments)
    if unknown := set(given.parts) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    if importlib.util.find_spec("playwright") is None:
        raise SystemExit("this needs playwright: pip install playwright")
    asyncio.run(run(given))


async def run(given: argparse.Namespace) -> None:
    """Measure the chosen parts, and print the results."""
    results: dict[str, Any] = {}
    with socket.create_server(("localhost", 0)) as listening:
        given.port = listening.getsockname()[1]
    with start_server(POLHODE_ORIGINS=f"localhost:{given.port}") as server:
        for name in given.parts or PARTS:
            results[name], text = await PARTS[name](server, given)
            print(text, end="\n\n", flush=True)
    if given.json:
        write_json(given.json, {"host": host(("polhode", "panel", "bokeh", "numpy")), **results})


if __name__ == "__main__":
    main()
