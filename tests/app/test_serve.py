"""`polhode serve` as a user starts it: which requests get the page, which do not, and how the
server ends.
"""

from __future__ import annotations

import asyncio
import gc
import gzip
import os
import re
import signal
import socket
import sys
import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path
from types import SimpleNamespace

import panel as pn
import pytest
from bokeh.document import Document
from bokeh.util.token import get_token_payload
from covering import first
from server_process import HALVES, PROGRAM, Server, Visitor, run_visit, start_process, start_server
from timeouts import TIMEOUT, wait_until
from tornado.httputil import HTTPHeaders, HTTPServerRequest, RequestStartLine

import engine
from app.asset_files import SCRIPTS, served_script
from app.browser.page_links import PUBLIC_URL
from app.pages import frame
from app.server import http, message_guard, serve
from app.server.hosts import list_hosts
from app.server.http import Compression
from app.state.choice import Choice
from app.state.results import list_kernels
from benchmarks.page import models
from engine.kernels import build, compiles

OUTSIDE = re.compile(
    r"""(?:src|href|action)=["']?(?:https?:)?//|url\(["']?(?:https?:)?//|@import"""
)


@pytest.fixture(scope="module")
def lab() -> Iterator[Server]:
    named = {"POLHODE_ORIGINS": "lab.example.org, 192.168.1.7:8080"}
    with start_server(
        "--no-warm",
        "--port",
        "0",
        "--visitors",
        "1",
        "--embed-in",
        "school.example.org",
        "--embed-in",
        "https://course.example/",
        **named,
    ) as started:
        yield Server(started)


def test_it_tells_that_it_is_alive_and_makes_no_session_of_that(lab: Server) -> None:
    before = lab.liveness()
    again = lab.liveness()
    assert before == again == {"alive": True, "visitors": 0, "most": 1, "workers": 1, "replaced": 0}


def test_a_page_that_is_not_there_is_told_in_a_sentence(lab: Server) -> None:
    for path in ("/nowhere", "/app", "/static/nothing.js"):
        answer = lab.ask(path)
        assert answer.status == 404
        assert http.SENTENCES[404] in answer.text and "· Polhode</title>" in answer.text
        assert not OUTSIDE.search(answer.text)


def test_the_name_of_a_page_leads_to_it(lab: Server) -> None:
    answer = lab.raw(b"GET /engines?engine=bullet")
    assert (
        answer.startswith(b"HTTP/1.1 302 ")
        and b"Location: ./?page=engines&engine=bullet\r\n" in answer
    )


def test_a_kernel_is_sent_by_its_key_and_may_be_kept(lab: Server) -> None:
    made = engine.web.module("free", "MR2")
    head, _, code = lab.raw(f"GET /kernels/{made.key}".encode()).partition(b"\r\n\r\n")
    assert (
        head.startswith(b"HTTP/1.1 200 ")
        and b"Content-Type: application/wasm" in head
        and b"immutable" in head
    )
    assert code == made.code
    for key in ("0" * 40, made.key[:-1], f"{made.key}.o", "../" + made.key):
        assert lab.ask(f"/kernels/{key}").status == 404


def test_an_answer_says_who_may_frame_it_and_what_it_is(lab: Server) -> None:
    for path in ("/liveness", "/static/js/bokeh.min.js", "/nowhere"):
        headers = lab.ask(path).headers
        assert (
            headers["Content-Security-Policy"]
            == "frame-ancestors 'self' school.example.org https://course.example"
        )
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"


NO_PATHS = [
    "/static/%00", "/static/js/%00.js", "/%00", "/static/%ff", "/static/../../../../etc/passwd", "/" + "a" * 3000,
    "/static/extensions/polhode/%2e%2e/%2e%2e/app/serve.py", "/components/os/path/_esm/x", "//evil.example.org/%2f..",
    "*", "http://[/", "/?bokeh-session-id=", "/?bokeh-session-id=%00",
]  # fmt: skip


def test_what_no_browser_asks_for_is_answered_in_a_sentence(lab: Server) -> None:
    """Paths outside the served folders, impossible file names, and any methods and headers."""
    lines = [f"GET {path}" for path in NO_PATHS] + [
        f"{method} /" for method in ("POST", "PUT", "TRACE", "X")
    ]
    for line in lines:
        answer = lab.raw(line.encode())
        assert re.match(rb"HTTP/1.1 40[0345] ", answer), (line, answer[:200])
        assert "· Polhode</title>".encode() in answer
    for header in (
        b"Content-Length: -1",
        b"Content-Length: 5\r\nTransfer-Encoding: chunked",
        b"Cookie: \xff=\x01",
    ):
        assert lab.raw(b"GET /liveness", header + b"\r\n").startswith(b"HTTP/1.1 400 ")
    assert lab.raw(b"GET /?a=" + b"a" * (http.LONGEST_ADDRESS + 1)).startswith(b"HTTP/1.1 414 ")
    assert lab.started.complaints == ""


ANSWERS = "/", "/?show=energy", "/autoload.js?bokeh-autoload-element=x", "/health/live", "/metrics", "/lab"  # fmt: skip


def test_a_head_request_has_the_headers_alone(lab: Server) -> None:
    for path in (*ANSWERS, "/static/js/bokeh.min.js", "/nowhere"):
        answers = [lab.raw(f"{method} {path}".encode()) for method in ("GET", "HEAD")]
        heads, contents = zip(*(answer.split(b"\r\n\r\n", 1) for answer in answers), strict=True)
        assert heads[0].split(b"\r\n")[0] == heads[1].split(b"\r\n")[0], path
        assert contents[1] == b""
    assert lab.liveness()["visitors"] == 0


def test_an_answer_of_the_moment_is_sent_whatever_the_browser_has(lab: Server) -> None:
    for path in ANSWERS:
        answer = lab.raw(f"GET {path}".encode(), b"If-None-Match: *\r\n")
        assert re.match(rb"HTTP/1.1 (200|302) ", answer) and b"\r\nEtag:" not in answer, path
    kept = lab.raw(b"GET /static/js/bokeh.min.js", b"If-None-Match: *\r\n")
    assert kept.startswith(b"HTTP/1.1 304 ")


def test_scripts_and_messages_travel_compressed_to_who_can_unpack_them(lab: Server) -> None:
    script = "/static/js/bokeh.min.js"
    plain = lab.ask(script)
    packed = lab.ask(script, Accept_Encoding="gzip")
    assert (plain.headers["Content-Encoding"], packed.headers["Content-Encoding"]) == (None, "gzip")
    assert packed.text == plain.text and "Bokeh" in plain.text
    again = lab.ask(script, Accept_Encoding="gzip")
    assert again.text == plain.text and int(again.headers["Content-Length"]) < len(plain.text) / 3
    assert lab.ask(script, If_None_Match=again.headers["Etag"]).status == 304
    extensions = [
        lab.connect(f"http://localhost:{lab.port}", **asked).headers["Sec-WebSocket-Extensions"]
        for asked in ({}, {"Sec_WebSocket_Extensions": "permessage-deflate"})
    ]
    assert extensions == [None, "permessage-deflate"]


FILE = bytes(range(256)) * 1000


def send(
    *parts: bytes, length: int = len(FILE), tag: str = '"one"', extent: str = ""
) -> tuple[HTTPHeaders, bytes]:
    """Return the headers and the bytes that a browser gets of a file that is read in parts."""
    asked = HTTPHeaders({"Accept-Encoding": "gzip", "Host": "localhost"})
    sent = HTTPHeaders({"Etag": tag, "Content-Type": "text/css", "Content-Length": str(length)})
    if extent:
        sent["Content-Range"] = extent
    transform = Compression(
        HTTPServerRequest(headers=asked, start_line=RequestStartLine("GET", "/", "HTTP/1.1"))
    )
    _, sent, content = transform.transform_first_chunk(200, sent, parts[0], False)
    for part in parts[1:]:
        content += transform.transform_chunk(part, False)
    return sent, content + transform.transform_chunk(b"", True)


def test_a_file_is_compressed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Compression, "kept", {})
    halves = FILE[:100_000], FILE[100_000:]
    first, packed = send(*halves)
    assert gzip.decompress(packed) == FILE
    monkeypatch.setattr(zlib, "compressobj", lambda *_, **__: pytest.fail("compressed again"))
    again, content = send(*halves)
    assert content == packed and again["Content-Length"] == str(len(packed))
    for headers in (first, again):
        assert headers["Content-Encoding"] == "gzip" and headers["Vary"] == "Accept-Encoding"
        assert headers["Etag"] == 'W/"one"', "other browsers get other bytes under this tag"


def test_a_response_may_end_early(monkeypatch: pytest.MonkeyPatch) -> None:
    failures: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", failures.append)
    asked = HTTPHeaders({"Accept-Encoding": "gzip", "Host": "localhost"})
    sent = HTTPHeaders({"Content-Type": "text/css"})
    line = RequestStartLine("GET", "/", "HTTP/1.1")
    transform = Compression(HTTPServerRequest(headers=asked, start_line=line))
    transform.transform_first_chunk(200, sent, FILE, False)
    del transform
    gc.collect()
    assert not failures


def test_only_whole_files_for_which_there_is_room_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Compression, "kept", {})
    send(FILE[:100_000])  # the browser has left
    part, content = send(FILE[:5000], length=5000, extent="bytes 0-4999/256000")
    assert content == FILE[:5000] and "Content-Encoding" not in part
    assert not Compression.kept
    send(FILE)
    monkeypatch.setattr(Compression, "MOST_KEPT", 1)
    plain, content = send(FILE, tag='"two"')
    assert content == FILE and plain["Content-Length"] == str(len(FILE))
    assert list(Compression.kept) == ['"one"']


def test_scripts_travel_with_their_modules_and_without_comments(lab: Server) -> None:
    for name, core in (
        ("scene/player", "../core/"),
        ("core/script-api", "./"),
        ("scene/lecture", "../core/"),
    ):
        served = lab.ask(f"/static/extensions/polhode/js/{name}.js")
        script = SCRIPTS / f"{name}.js"
        assert served.headers["Content-Length"] == str(len(served.text.encode()))
        assert served.text == served_script(script).decode() and "\n//" not in served.text
        assert set(re.findall('from "(.*?)"', served.text)) >= {f"{core}page.js"}
        assert ("class Clock" in served.text) == name.startswith("scene")
        etag = served.headers["Etag"]
        assert lab.ask(f"/static/extensions/polhode/js/{name}.js", If_None_Match=etag).status == 304
    assert lab.ask("/static/extensions/polhode/js/core/nothing.js").status == 404


@pytest.mark.exhaustive
def test_a_page_needs_nothing_from_elsewhere_and_may_take_minutes_to_connect(lab: Server) -> None:
    page = lab.ask("/?problem=free&methods=NMB&dt=0.5&duration=10")
    assert page.status == 200 and "<title>Polhode</title>" in page.text
    assert not OUTSIDE.search(page.text)
    assert not re.search(r"<script(?![^>]*\b(?:src|nonce)=)", page.text), (
        "the page's policy blocks this script"
    )
    token = re.search(r'"token":"([^"]+)"', page.text)
    assert token, "the page has no token to connect with"
    assert get_token_payload(token[1])["session_expiry"] - time.time() > 5 * serve.SESSION_LIFETIME


@pytest.mark.exhaustive
def test_a_page_has_a_seat_when_it_has_connected_and_the_next_visitor_is_told_that_the_lab_is_full(
    lab: Server,
) -> None:
    async def play() -> None:
        for path in ("/", "/autoload.js?bokeh-autoload-element=x"):  # fetched, and no more
            assert (await asyncio.to_thread(lab.ask, path)).status == 200
        assert lab.liveness()["visitors"] == 0
        late = await asyncio.to_thread(lab.token)
        visitor = await Visitor.of_page(lab, "?problem=free&methods=NMB&dt=0.5&duration=10")
        assert lab.liveness()["visitors"] == lab.liveness()["most"] == 1
        full = await asyncio.to_thread(lab.ask, "/")
        assert full.status == 503 and full.headers["Retry-After"] == "60"
        assert http.FULL in full.text and not OUTSIDE.search(full.text)
        refused = await Visitor.with_token(
            lab, "bokeh", late
        )  # fetched the page while there was a seat
        assert (
            await refused.hear() is None
            and refused.connection.close_code == message_guard.TRY_AGAIN_LATER
        )
        visitor.leave()
        again = await Visitor.with_token(
            lab, "bokeh", visitor.token
        )  # within a minute, to the seat that is kept
        assert await again.hear() is not None
        assert lab.liveness()["visitors"] == 1
        again.leave()
        while (await asyncio.to_thread(lab.ask, "/")).status == 503:  # until the server has noticed
            await asyncio.sleep(0.05)
        other = await Visitor.of_page(lab)
        assert lab.liveness()["visitors"] == 1
        refused = await Visitor.with_token(lab, "bokeh", visitor.token)
        assert (
            await refused.hear() is None
            and refused.connection.close_code == message_guard.TRY_AGAIN_LATER
        )
        other.leave()

    run_visit(play())


class Session:
    expired = False

    def request_expiration(self) -> None:
        self.expired = True


def test_a_seat_that_was_left_is_free_for_others() -> None:
    limit = http.VisitorLimit(2)
    contexts = {name: SimpleNamespace(id=name, session=Session()) for name in "abcd"}
    for context in contexts.values():
        asyncio.run(limit.on_session_created(context))  # type: ignore[arg-type]
    assert limit.admit("a") and limit.admit("b") and limit.is_full and not limit.admit("c")
    limit.leave("b")
    limit.leave("a")
    assert not limit.is_full and limit.admit("a"), "it returns to its own seat"
    assert limit.admit("c") and contexts["b"].session.expired, "the first who left gives way"
    assert limit.present == {"a", "c"} and limit.is_full
    assert not limit.admit("b") and not limit.admit("d") and limit.admit("a")
    limit.leave("a")
    assert limit.admit("d") and not limit.admit("a") and limit.present == {"c", "d"}


def test_at_the_end_only_visitors_who_come_back_are_admitted() -> None:
    limit = http.VisitorLimit(3)
    assert limit.admit("a") and limit.admit("b")
    limit.counts.is_draining = True
    limit.leave("a")
    assert not limit.admit("c") and limit.admit("a")
    assert limit.admit("c", returns=True) and not limit.admit("d", returns=True)


def test_sessions_that_wait_are_few() -> None:
    """A flood of plain requests creates no more sessions than the limit; the newest stay."""
    limit = http.VisitorLimit(1)
    contexts = [SimpleNamespace(id=f"{i}", session=Session()) for i in range(http.MOST_WAITING + 2)]
    for context in contexts:
        asyncio.run(limit.on_session_created(context))  # type: ignore[arg-type]
    assert [context.session.expired for context in contexts] == [True, True] + [
        False
    ] * http.MOST_WAITING
    assert limit.admit("0") and not limit.admit("5")
    asyncio.run(limit.on_session_destroyed(contexts[0]))  # type: ignore[arg-type]
    assert limit.admit("5") and limit.present == {"5"} and "5" not in limit.waiting


def test_only_pages_of_the_named_hosts_connect(lab: Server) -> None:
    welcome = [
        f"localhost:{lab.port}",
        f"127.0.0.1:{lab.port}",
        "lab.example.org:80",
        "192.168.1.7:8080",
    ]
    foreign = ["evil.example.org", "localhost:1", "lab.example.org.evil.org", "192.168.1.7:80"]
    assert [lab.connect(f"http://{host}").status for host in welcome] == [101] * len(welcome)
    assert [lab.connect(f"http://{host}").status for host in foreign] == [403] * len(foreign)


def test_a_request_that_brings_a_lot_is_refused_unread(lab: Server) -> None:
    connection = HTTPConnection("localhost", lab.port, timeout=TIMEOUT)
    connection.putrequest("POST", "/")
    connection.putheader("Content-Length", str(serve.LARGEST_BODY + 1))
    connection.endheaders()
    assert connection.getresponse().status in (400, 413)
    connection.close()


HASTY = """
from app.server import serve, worker
serve.REQUEST_TIMEOUT, worker.LEFT_AFTER = 4.0, 0.5
"""
"""Less patience than usual for requests, and for visitors whose connection is lost."""
WHOLE = b"GET /liveness HTTP/1.1\r\nHost: localhost:%d\r\n\r\n"


@pytest.fixture(scope="module")
def hasty() -> Iterator[Server]:
    with start_process(
        [sys.executable, "-c", HASTY + PROGRAM, "--no-warm", "--port", "0"]
    ) as started:
        yield (served := Server(started))
        assert served.end(signal.SIGTERM) == (0, "")


OFTEN = """
from app.server import serve
serve.PING_INTERVAL = 3.0
"""


@pytest.mark.exhaustive
def test_a_connection_that_does_not_answer_is_closed() -> None:
    command = [sys.executable, "-c", OFTEN + PROGRAM, "--no-warm", "--port", "0"]
    with start_process(command) as started:
        served = Server(started)

        async def play() -> None:
            there = await Visitor.of_page(served, "?page=papers")
            silent = await Visitor.of_page(served, "?page=papers")
            silent.fall_silent()
            while await silent.hear() is not None:
                pass
            await there.document()

        run_visit(play())


@pytest.mark.exhaustive
def test_a_connection_on_which_no_request_arrives_is_closed(hasty: Server) -> None:
    """The client sends nothing, half a request, a byte at a time, or nothing after a whole
    request.
    """

    def connect_raw(sent: bytes) -> socket.socket:
        connection = socket.create_connection(("localhost", hasty.port), timeout=TIMEOUT)
        connection.sendall(sent)
        return connection

    for connection in [*map(connect_raw, HALVES), connect_raw(WHOLE % hasty.port)]:
        with connection, suppress(ConnectionResetError):
            while connection.recv(65536):
                pass
    with connect_raw(b"GET / HTTP/1.1\r\n") as connection, pytest.raises(ConnectionError):
        while True:
            connection.sendall(b"x")
            time.sleep(0.05)
    assert hasty.liveness()["alive"]


def threads_at_work(process: int) -> list[int]:
    """Return the computing threads of a process, without the first, which answers visitors."""
    found = []
    for stat in Path(f"/proc/{process}/task").glob("*/stat"):
        with suppress(FileNotFoundError, ProcessLookupError):
            if stat.read_text().rpartition(")")[2].split()[0] == "R" and stat.parent.name != str(
                process
            ):
                found.append(int(stat.parent.name))
    return found


def seconds_of(process: int) -> float:
    """Return the processor time that a process has used, in seconds."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


LONG_WORK = {
    "run": "?problem=free&methods=MR2&dt=1e-6&duration=1000",
    "study": "?page=studies&study=long-run&problem=free&methods=MR2&steps=1e9",
}


@pytest.mark.exhaustive
@pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="the system does not show what threads do"
)
@pytest.mark.skipif(not compiles(), reason="compiling is switched off, or llvmlite not installed")
@pytest.mark.parametrize("work", first(LONG_WORK))
def test_what_is_computed_stops_when_its_visitor_leaves(hasty: Server, work: str) -> None:
    """Within two seconds of work."""
    process = hasty.process.pid

    async def play() -> None:
        visitor = await Visitor.of_page(hasty, LONG_WORK[work])
        for model in models(await visitor.document()):
            if "data-ask='run'" in str(model["attributes"].get("data")):
                await visitor.send_msg(model["id"], {"type": "map", "entries": [["ask", "run"]]})
        await visitor.hear_of("<progress max='100'")
        await asyncio.to_thread(wait_until, lambda: threads_at_work(process), "it is computed")

    run_visit(play())
    before = seconds_of(process)
    wait_until(
        lambda: not any(threads_at_work(process) for _ in range(20)), "nothing is computed any more"
    )
    assert seconds_of(process) - before < 2.0


@pytest.mark.exhaustive
@pytest.mark.skipif(not compiles(), reason="compiling is switched off, or llvmlite not installed")
def test_the_first_visitor_waits_for_no_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the server prints its address, the kernels of the first page are compiled."""
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(build, "_kernels", {})
    assert any(list_kernels(Choice()))
    with start_server("--port", "0", POLHODE_CACHE_DIR=str(tmp_path)) as started:
        started.wait_for("Polhode is at")
        assert not any(list_kernels(Choice()))


@pytest.mark.exhaustive
def test_a_port_in_use_is_told_in_a_sentence(lab: Server) -> None:
    with start_server("--no-warm", "--port", str(lab.port)) as started:
        assert started.process.wait(TIMEOUT) in (1, 2)
        assert started.said == ""
        assert (
            started.complaints
            == f"polhode: port {lab.port} is in use; choose another with --port\n"
        )


IMPATIENT = """
from engine.studies.core import executor
executor.ANSWERS_WITHIN = 1
"""


@pytest.mark.exhaustive
def test_a_cluster_that_does_not_answer_is_told_in_a_sentence() -> None:
    options = "--no-warm", "--port", "0", "--scheduler", "tcp://127.0.0.1:9"
    with start_process([sys.executable, "-c", IMPATIENT + PROGRAM, *options]) as started:
        assert started.process.wait(TIMEOUT) == 2
        assert started.said == ""
        assert started.complaints == "polhode: no Dask scheduler answers at 'tcp://127.0.0.1:9'\n"


@pytest.mark.parametrize(
    "origin", ["*", "*.example.org", "http://lab.example.org", "lab.example.org/page", "a b"]
)
def test_an_origin_is_one_host(origin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"an origin is a host, like lab\.example\.org"):
        serve.main(port=0, show=False, warm=False, origins=[origin])
    if " " not in origin:
        monkeypatch.setenv(serve.ORIGINS, f"lab.example.org,{origin}")
        with pytest.raises(ValueError, match=r"an origin is a host, like lab\.example\.org"):
            serve.main(port=0, show=False, warm=False)


def test_the_public_address_is_printed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(PUBLIC_URL, raising=False)
    for public, said in (
        ("https://lab.example.org/x", "https://lab.example.org/x/, and on this machine at http"),
        ("", "Polhode is at http://localhost:5099/"),
    ):
        options = serve.Options(public_url=public, show=False)
        serve._announce(SimpleNamespace(port=5099), options, "")
        assert said in capsys.readouterr().out


def test_links_begin_with_the_public_address_and_the_server_answers_to_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    options = serve.Options(public_url="https://Lab.example.org/polhode")
    assert (
        options.public == "https://Lab.example.org/polhode/"
        and "lab.example.org:80" in options.allowed
    )
    monkeypatch.setenv(PUBLIC_URL, "http://10.0.0.7:5006")
    assert (
        serve.Options().public == "http://10.0.0.7:5006/"
        and "10.0.0.7:5006" in serve.Options().allowed
    )
    attributes = (
        frame.whole_page("lab", pn.Column()).server_doc(Document()).template_variables["html_attrs"]
    )
    assert attributes == 'data-public="http://10.0.0.7:5006/"'
    assert serve.Options(public_url="").public == ""


@pytest.mark.parametrize(
    "url",
    [
        "lab.example.org",
        "ftp://a.org",
        "https://",
        "https://a.org/?x=1",
        "https://a.org/#x",
        "https://u@a.org",
        'http://a"b',
    ],
)
def test_a_public_address_is_a_web_address(url: str) -> None:
    with pytest.raises(
        ValueError, match=r"a public URL is like https://lab\.example\.org/polhode/"
    ):
        serve.main(port=0, show=False, warm=False, public_url=url)


@pytest.mark.parametrize(
    ("name", "value"),
    [("port", 65536), ("port", 1.5), ("processes", 0), ("visitors", 0)],
)
def test_numbers_have_bounds(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"{name} must be a whole number from"):
        serve.main(show=False, warm=False, **{name: value})


def test_a_host_without_a_port_stands_for_the_usual_one_and_the_servers() -> None:
    assert list_hosts(["Lab.Example.org/"], 5006) == [
        "localhost:5006",
        "127.0.0.1:5006",
        "[::1]:5006",
        "lab.example.org:80",
        "lab.example.org:5006",
        "localhost:80",
    ]
    assert list_hosts([], 5006, "0.0.0.0") == ["localhost:5006", "127.0.0.1:5006", "[::1]:5006"]
    assert list_hosts(["lab.example.org:8443"], 80, "::")[3:] == ["lab.example.org:8443"]
    assert list_hosts(["[fe80::1]:8080"], 80, "fe80::2")[3:] == ["[fe80::1]:8080", "[fe80::2]:80"]


def test_the_error_pages_need_nothing_from_elsewhere() -> None:
    for code in (400, 403, 404, 405, 500, 503, 599):
        page = http.error_page(code)
        assert f"<title>{code} · Polhode</title>" in page
        assert not OUTSIDE.search(page)
        assert ("http-equiv" in page) == (code == 503), "browsers retry only for a full lab"


@pytest.mark.exhaustive
def test_a_service_manager_starts_and_ends_it_cleanly() -> None:
    """With everything that the server prepares before the first visitor."""
    with start_server("--port", "0") as started:
        server = Server(started)
        assert server.ask("/liveness").status == 200
        assert server.end(signal.SIGTERM) == (0, "")


@pytest.mark.exhaustive
def test_ctrl_c_ends_it_with_its_visitors(lab: Server) -> None:
    """The last with this lab."""
    code, complaints = lab.end(signal.SIGINT)
    assert code == 0
    assert not re.search("KeyboardInterrupt|never awaited|was destroyed", complaints)
