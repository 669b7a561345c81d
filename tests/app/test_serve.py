"""`polhode serve`, started as a person starts it: who gets the page, who does not, and how it ends."""

from __future__ import annotations

import gzip
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pytest
from bokeh.util.token import get_token_payload
from waiting import PATIENCE

from app import serve

PROGRAM = """
import sys
from importlib.metadata import EntryPoint
from engine import cli
cli.entry_points = lambda **_: [EntryPoint("serve", "app.serve:main", "polhode.commands")]  # as if installed
sys.exit(cli.main(["serve", "--no-show", *sys.argv[1:]]))
"""
OUTSIDE = re.compile(r"""(?:src|href|action)=["']?(?:https?:)?//|url\(["']?(?:https?:)?//|@import""")


class Answer(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    text: str


class Served:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.said = process.stdout.readline()
        found = re.search(r"http://localhost:(\d+)/", self.said)
        assert found, self.said + process.communicate()[1]
        self.port = int(found[1])

    def ask(self, path: str, **headers: str) -> Answer:
        connection = http.client.HTTPConnection("localhost", self.port, timeout=PATIENCE)
        try:
            connection.request("GET", path, headers={name.replace("_", "-"): x for name, x in headers.items()})
            answer = connection.getresponse()
            data = b"" if answer.status == 101 else answer.read()
            unpacked = gzip.decompress(data) if answer.headers["Content-Encoding"] == "gzip" else data
            return Answer(answer.status, answer.headers, unpacked.decode())
        finally:
            connection.close()

    def connect(self, origin: str) -> int:
        upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec_WebSocket_Version": "13"}
        return self.ask("/ws", Origin=origin, Sec_WebSocket_Key="c2l4dGVlbiBieXRlcy4u", **upgrade).status

    def end(self, number: signal.Signals) -> tuple[int, str]:
        self.process.send_signal(number)
        _, complaints = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, complaints


@contextmanager
def serving(*options: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *options],
        cwd=serve.PAGE.parents[1],
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def lab() -> Iterator[Served]:
    with serving(
        "--no-warm", "--port", "0", "--visitors", "1", POLHODE_ORIGINS="lab.example.org, 192.168.1.7:8080"
    ) as process:
        yield Served(process)


def test_it_tells_that_it_is_alive_and_makes_no_session_of_that(lab: Served) -> None:
    before, again = lab.ask("/liveness"), lab.ask("/liveness")
    assert before.status == 200 and json.loads(before.text)["alive"] is True
    assert json.loads(again.text) == json.loads(before.text)


def test_a_page_that_is_not_there_is_told_in_a_sentence(lab: Served) -> None:
    for path in ("/nowhere", "/app", "/static/nothing.js"):
        answer = lab.ask(path)
        assert answer.status == 404
        assert serve.SENTENCES[404] in answer.text and "· Polhode</title>" in answer.text
        assert not OUTSIDE.search(answer.text)


def test_scripts_travel_compressed_to_who_can_unpack_them(lab: Served) -> None:
    script = "/static/js/bokeh.min.js"
    plain, packed = lab.ask(script), lab.ask(script, Accept_Encoding="gzip")
    assert (plain.headers["Content-Encoding"], packed.headers["Content-Encoding"]) == (None, "gzip")
    assert packed.text == plain.text and "Bokeh" in plain.text


def test_one_is_let_in_and_the_next_is_told_that_the_lab_is_full(lab: Served) -> None:
    page = lab.ask("/?problem=free&methods=NMB&dt=0.5&duration=10")
    assert page.status == 200 and "<title>Polhode</title>" in page.text
    assert not OUTSIDE.search(page.text)
    token = re.search(r'"token":"([^"]+)"', page.text)
    assert token, "the page has no token to connect with"
    left = get_token_payload(token[1])["session_expiry"] - time.time()
    assert 0 < left <= serve.PATIENCE, "a page could connect when its session is gone, past the limit"
    full = lab.ask("/")
    assert full.status == 503 and full.headers["Retry-After"] == "60"
    assert serve.FULL in full.text and not OUTSIDE.search(full.text)
    assert json.loads(lab.ask("/liveness").text) == {"alive": True, "visitors": 1, "most": 1}


def test_only_pages_of_the_named_hosts_connect(lab: Served) -> None:
    welcome = [f"localhost:{lab.port}", f"127.0.0.1:{lab.port}", "lab.example.org:80", "192.168.1.7:8080"]
    foreign = ["evil.example.org", "localhost:1", "lab.example.org.evil.org", "192.168.1.7:80"]
    assert [lab.connect(f"http://{host}") for host in welcome] == [101] * len(welcome)
    assert [lab.connect(f"http://{host}") for host in foreign] == [403] * len(foreign)


def test_a_request_that_brings_a_lot_is_refused_unread(lab: Served) -> None:
    connection = http.client.HTTPConnection("localhost", lab.port, timeout=PATIENCE)
    connection.putrequest("POST", "/")
    connection.putheader("Content-Length", str(serve.LARGEST_BODY + 1))
    connection.endheaders()
    assert connection.getresponse().status in (400, 413)
    connection.close()


def test_a_port_in_use_is_told_in_a_sentence(lab: Served) -> None:
    with serving("--no-warm", "--port", str(lab.port)) as process:
        said, complaints = process.communicate(timeout=PATIENCE)
        assert process.returncode in (1, 2)
    assert said == ""
    assert complaints == f"polhode: port {lab.port} is in use; choose another with --port\n"


@pytest.mark.parametrize("origin", ["*", "*.example.org", "http://lab.example.org", "lab.example.org/page", "a b"])
def test_an_origin_is_one_host(origin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"an origin is a host, like lab\.example\.org"):
        serve.main(port=0, show=False, warm=False, origins=[origin])
    if " " not in origin:
        monkeypatch.setenv(serve.ORIGINS, f"lab.example.org,{origin}")
        with pytest.raises(ValueError, match=r"an origin is a host, like lab\.example\.org"):
            serve.main(port=0, show=False, warm=False)


@pytest.mark.parametrize(
    ("name", "value"), [("port", 65536), ("port", 1.5), ("processes", 0), ("visitors", 0), ("threads", 1000)]
)
def test_numbers_have_bounds(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"{name} must be a whole number from"):
        serve.main(show=False, warm=False, **{name: value})


def test_a_host_without_a_port_stands_for_the_usual_one_and_the_servers() -> None:
    assert serve.websocket_origins(["Lab.Example.org/"], 5006) == [
        "localhost:5006",
        "127.0.0.1:5006",
        "lab.example.org:80",
        "lab.example.org:5006",
        "localhost:80",
    ]
    assert serve.websocket_origins([], 5006, "0.0.0.0") == ["localhost:5006", "127.0.0.1:5006"]
    assert serve.websocket_origins(["lab.example.org:8443"], 80, "::")[2:] == ["lab.example.org:8443"]


def test_the_error_pages_need_nothing_from_elsewhere() -> None:
    for code in (400, 403, 404, 405, 500, 503, 599):
        page = serve.error_page(code)
        assert f"<title>{code} · Polhode</title>" in page
        assert not OUTSIDE.search(page)
        assert ("http-equiv" in page) == (code == 503), "only a full lab is asked again"


def test_a_service_manager_starts_and_ends_it_cleanly() -> None:
    """With all that is made ready before the first visitor comes."""
    with serving("--port", "0") as process:
        server = Served(process)
        assert server.ask("/liveness").status == 200
        assert server.end(signal.SIGTERM) == (0, "")


def test_ctrl_c_ends_it_with_its_visitors(lab: Served) -> None:
    """The last with this lab."""
    code, complaints = lab.end(signal.SIGINT)
    assert code == 0
    assert not re.search("KeyboardInterrupt|never awaited|was destroyed", complaints)
