"""What operators need of `polhode serve`: metrics, probes, a log for machines, an orderly end, a
shared secret.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

import pytest
import yaml
from bokeh.util.token import get_session_id
from optional import require_optional
from server_process import Server, Visitor, run_visit, start_server
from timeouts import OF_REQUESTS, TIMEOUT, wait_until
from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect

from app.browser.page_links import BACK, PUBLIC_URL
from app.server import serve
from app.server.counts import BINS, HISTOGRAMS, REASONS, SECONDS, SharedCounts, read_memory
from app.server.http import PROBES
from app.server.password import MOST_ATTEMPTS
from engine.cli import command as cli

ROOT = Path(__file__).parents[2]
QUICK = "--no-warm", "--port", "0"
SMALL = "?problem=free&methods=NMB&dt=0.5&duration=10"
LINE = re.compile(r'polhode_[a-z_]+(?:\{(?:le|reason)="[^"]+"\})? -?[0-9.]+')


def read_metrics(text: str) -> dict[str, float]:
    """Return the numbers of a report, whose lines all have Prometheus' form."""
    found: dict[str, float] = {}
    described: set[str] = set()
    for line in text.splitlines():
        if line.startswith("#"):
            _, word, name, rest = line.split(" ", 3)
            assert word in ("HELP", "TYPE") and rest
            described.add(name)
            continue
        assert LINE.fullmatch(line), line
        name, value = line.rsplit(" ", 1)
        family = re.sub(r"_(bucket|sum|count)$", "", name.partition("{")[0])
        assert family in described, f"{name} is not described"
        assert name not in found
        found[name] = float(value)
    return found


@pytest.fixture(scope="module")
def lab() -> Iterator[Server]:
    with start_server(
        *QUICK, "--visitors", "1", "--access-log", "--json-log", "--drain", "2000"
    ) as started:
        yield Server(started)


def test_the_counts_of_all_processes_are_added() -> None:
    counts = SharedCounts(2)
    for number, seconds in enumerate((0.02, 100.0)):
        counts.number = number
        counts.observe("waiting_seconds", seconds)
        counts.set("visitors", 3 + number)
        counts.refuse("host")
    counts.replaced = 2
    found = read_metrics(counts.report(most=10))
    assert found["polhode_visitors"] == 7 and found["polhode_seats"] == 20
    assert (
        found['polhode_refusals_total{reason="host"}'] == 2 and found["polhode_restarts_total"] == 2
    )
    bins = [found[f'polhode_waiting_seconds_bucket{{le="{bound}"}}'] for bound in BINS]
    assert bins == [sum(seconds <= bound for seconds in (0.02, 100.0)) for bound in SECONDS] + [2]
    assert found["polhode_waiting_seconds_sum"] == pytest.approx(100.02)


def test_a_bound_of_a_bin_belongs_to_it() -> None:
    counts = SharedCounts(1)
    counts.observe("answer_seconds", SECONDS[1])
    found = read_metrics(counts.report(1))
    assert found[f'polhode_answer_seconds_bucket{{le="{SECONDS[0]}"}}'] == 0
    assert found[f'polhode_answer_seconds_bucket{{le="{SECONDS[1]}"}}'] == 1


def test_memory_is_told_also_where_there_are_no_files_of_processes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Path, "read_text", lambda *_: Path("/nowhere").read_bytes())
    assert read_memory(os.getpid()) > 10e6
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert read_memory(gone.pid) == 0
    counts = SharedCounts(2)
    counts.set("process", os.getpid())
    assert read_metrics(counts.report(1))["polhode_memory_bytes"] > 10e6


def test_the_metrics_follow_what_visitors_do(lab: Server) -> None:
    before = read_metrics(lab.ask("/metrics").text)
    assert {f"polhode_{name}_count" for name in HISTOGRAMS} <= before.keys()
    assert {f'polhode_refusals_total{{reason="{reason}"}}' for reason in REASONS} <= before.keys()
    assert before["polhode_memory_bytes"] > 50e6

    async def play() -> dict[str, float]:
        visitor = await Visitor.of_page(lab, SMALL)
        await visitor.document()
        assert (await asyncio.to_thread(lab.ask, "/")).status == HTTPStatus.SERVICE_UNAVAILABLE
        probe = await asyncio.to_thread(lab.ask, "/health/ready")
        assert probe.status == HTTPStatus.SERVICE_UNAVAILABLE
        assert json.loads(probe.text) == {"ready": False, "ending": False}
        await visitor.happen("no such event")
        assert await visitor.answer() == "ERROR"
        return read_metrics((await asyncio.to_thread(lab.ask, "/metrics")).text)

    assert lab.raw(b"GET /", host=b"evil.example.org").startswith(b"HTTP/1.1 421 ")
    after = run_visit(play())
    assert after["polhode_visitors"] == after["polhode_seats"] == 1
    changes = {name: after[name] - before[name] for name in before}
    assert changes["polhode_sessions_total"] == 1
    assert all(changes[f'polhode_refusals_total{{reason="{reason}"}}'] == 1 for reason in REASONS)
    assert (
        changes["polhode_answer_seconds_count"] >= 3 and changes["polhode_answer_seconds_sum"] > 0
    )


def test_probes_answer_without_a_session(lab: Server) -> None:
    before = read_metrics(lab.ask("/metrics").text)["polhode_sessions_total"]
    assert json.loads(lab.ask("/health/live").text)["alive"]
    wait_until(lambda: lab.ask("/health/ready").status == HTTPStatus.OK, "the seat is free")
    assert read_metrics(lab.ask("/metrics").text)["polhode_sessions_total"] == before


def test_the_log_is_json_with_a_line_for_each_request(lab: Server) -> None:
    token = lab.token(SMALL)
    session = get_session_id(token)

    async def forge() -> None:
        content, _, signature = token.rpartition(".")
        visitor = await Visitor.with_token(lab, "bokeh", f"{content}.{signature[::-1]}")
        assert await visitor.hear() is None

    run_visit(forge())
    lab.ask(f"/?bokeh-session-id={session}")
    lab.ask("/nowhere-else")
    wait_until(
        lambda: "/nowhere-else" in lab.started.complaints,
        "the line is written, which is after the answer",
    )
    lines = [json.loads(line) for line in lab.started.complaints.splitlines()]
    assert all(line.keys() >= {"time", "level", "logger", "message"} for line in lines)
    assert any("404 GET /nowhere-else" in line["message"] for line in lines)
    assert any("invalid signature" in line["message"] for line in lines)
    assert session not in lab.started.complaints, "who knows it could open the session"


@pytest.fixture(scope="module")
def ending(lab: Server) -> Server:
    """The server on its way to the end, when its last visitor has just left."""

    async def play() -> None:
        visitor = await Visitor.of_page(lab, SMALL)
        await visitor.document()
        lab.process.send_signal(signal.SIGTERM)
        while (await asyncio.to_thread(lab.ask, "/health/ready")).status == HTTPStatus.OK:
            await asyncio.sleep(0.05)
        assert (await asyncio.to_thread(lab.ask, "/health/live")).status == HTTPStatus.OK
        assert (await asyncio.to_thread(lab.ask, "/")).status == HTTPStatus.SERVICE_UNAVAILABLE
        # Still served, the visitor comes to read why.
        while "This server ends in 2000 s" not in json.dumps(await visitor.document()):
            await asyncio.sleep(0.05)

    run_visit(play())
    return lab


def test_the_end_waits_for_visitors_and_admits_no_others(ending: Server) -> None:
    """The last with this lab, but for the last of this file."""
    assert ending.process.poll() is None


@pytest.mark.exhaustive
def test_prometheus_reads_the_metrics_while_visitors_work(tmp_path: Path) -> None:
    require_optional("prometheus", "promtool")
    with socket.create_server(("localhost", 0)) as free:
        at = free.getsockname()[1]
    with start_server(*QUICK) as started:
        server = Server(started)
        lint = ["promtool", "check", "metrics"]
        report = subprocess.run(
            lint, input=server.ask("/metrics").text, capture_output=True, text=True, check=False
        )
        assert report.returncode == 0 and not report.stderr, report
        job = {"job_name": "polhode", "static_configs": [{"targets": [f"localhost:{server.port}"]}]}
        settings = {"global": {"scrape_interval": "1s"}, "scrape_configs": [job]}
        (tmp_path / "settings.yml").write_text(json.dumps(settings))
        options = {
            "config.file": "settings.yml",
            "storage.tsdb.path": "data",
            "web.listen-address": f"localhost:{at}",
        }
        command = ["prometheus", *(f"--{name}={value}" for name, value in options.items())]
        prometheus = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL)

        async def ask(query: str) -> float:
            url = f"http://localhost:{at}/api/v1/query?{urlencode({'query': query})}"
            with suppress(OSError, HTTPClientError):
                found = json.loads((await AsyncHTTPClient().fetch(url)).body)["data"]["result"]
                return float(found[0]["value"][1]) if found else math.nan
            return math.nan

        async def play() -> None:
            visitors = [await Visitor.of_page(server, SMALL) for _ in range(5)]
            quantile = (
                "histogram_quantile(0.95, sum by (le) (rate(polhode_answer_seconds_bucket[1m])))"
            )
            while await ask("polhode_visitors") != 5 or not 0 < await ask(quantile) < 60:
                for visitor in visitors:
                    await visitor.document()
                await asyncio.sleep(0.5)

        try:
            run_visit(play())
        finally:
            prometheus.terminate()
            prometheus.wait()


@pytest.mark.exhaustive
def test_the_end_comes_after_the_time_for_visitors() -> None:
    with start_server(*QUICK, "--drain", "1") as started:
        server = Server(started)

        async def play() -> None:
            await Visitor.of_page(server, SMALL)
            server.process.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(server.process.wait, TIMEOUT) == 0

        run_visit(play())


@pytest.mark.exhaustive
@pytest.mark.parametrize("processes", ["1", "2"])
def test_a_visitor_whose_connection_breaks_at_the_end_may_come_back(processes: str) -> None:
    with start_server(*QUICK, "--processes", processes, "--drain", "600") as started:
        server = Server(started)

        async def play() -> None:
            visitor = await Visitor.of_page(server, SMALL)
            await visitor.document()
            server.process.send_signal(signal.SIGTERM)
            while (await asyncio.to_thread(server.ask, "/health/ready")).status == HTTPStatus.OK:
                await asyncio.sleep(0.05)
            visitor.leave()
            assert (await asyncio.to_thread(server.ask, "/")).status == 503
            back = f"{BACK}=1"
            page = await asyncio.to_thread(partial(server.ask, f"/{SMALL}", Cookie=back))
            token = re.search(r'"token":"([^"]+)"', page.text)
            assert page.status == HTTPStatus.OK and token
            again = await Visitor.with_token(server, "bokeh", token[1], cookie=back)
            assert await again.hear() is not None
            again.leave()
            assert await asyncio.to_thread(server.process.wait, TIMEOUT) == 0

        run_visit(play())


@pytest.mark.exhaustive
def test_several_processes_give_visitors_their_time() -> None:
    with start_server(*QUICK, "--processes", "2", "--drain", "3600") as started:
        server = Server(started)

        async def play() -> None:
            visitor = await Visitor.of_page(server, SMALL)
            await visitor.document()
            server.process.send_signal(signal.SIGTERM)
            await asyncio.sleep(2.0)
            assert server.process.poll() is None
            await visitor.document()
            visitor.leave()
            assert await asyncio.to_thread(server.process.wait, TIMEOUT) == 0

        run_visit(play())


@pytest.mark.exhaustive
def test_servers_with_the_same_secret_accept_each_others_pages() -> None:
    secret = "s" * serve.SHORTEST_SECRET
    with (
        start_server(*QUICK, POLHODE_SECRET=secret) as one,
        start_server(*QUICK, POLHODE_SECRET=secret) as two,
        start_server(*QUICK, POLHODE_SECRET=secret[1:] + "t") as other,
    ):
        token = Server(one).token(SMALL)

        async def connect(server: Server) -> str | bytes | None:
            return await (await Visitor.with_token(server, "bokeh", token)).hear()

        assert run_visit(connect(Server(two))) is not None
        assert run_visit(connect(Server(other))) is None


def read_recipe(language: str, replacements: dict[str, str]) -> str:
    """Return a part of the page on deployment, for this machine."""
    (text,) = re.findall(
        rf"```{language}\n(.*?)```", (ROOT / "docs/how-to/deploy.md").read_text(), re.DOTALL
    )
    for here, there in replacements.items():
        assert here in text
        text = text.replace(here, there)
    return str(text)


def prepare_nginx(ports: tuple[int, int], at: int, folder: Path) -> list[str]:
    """Write nginx's recipe for this machine, and return the command that runs it."""
    words = {"5011": f"{ports[0]}", "5012": f"{ports[1]}", "listen 443": f"listen 127.0.0.1:{at}"}
    text = read_recipe("nginx", words | {"lab.example.org": "localhost", "/etc/ssl": f"{folder}"})
    head = f"pid {folder}/pid; error_log {folder}/log; daemon off; events {{}}\nhttp {{ access_log off;\n"
    (folder / "conf").write_text(f"{head}{text}}}")
    return ["nginx", "-e", f"{folder}/log", "-c", f"{folder}/conf"]


def prepare_caddy(ports: tuple[int, int], at: int, folder: Path) -> list[str]:
    """Write Caddy's recipe for this machine with a certificate, and return the command that runs
    it.
    """
    site = f"https://localhost:{at} {{\n    tls {folder}/lab.pem {folder}/lab.key"
    text = read_recipe(
        "caddy", {"lab.example.org {": site, "5011": f"{ports[0]}", "5012": f"{ports[1]}"}
    )
    (folder / "conf").write_text(f"{{\n    admin off\n    auto_https disable_redirects\n}}\n{text}")
    return ["caddy", "run", "--adapter", "caddyfile", "--config", f"{folder}/conf"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("prepare", [prepare_nginx, prepare_caddy])
def test_visitors_of_two_servers_behind_a_proxy_need_no_affinity(
    tmp_path: Path, prepare: Callable[[tuple[int, int], int, Path], list[str]]
) -> None:
    program = prepare.__name__.removeprefix("prepare_")
    require_optional(program, "openssl")
    with socket.create_server(("localhost", 0)) as free:
        at = free.getsockname()[1]
    make = f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout {tmp_path}/lab.key"
    subprocess.run([*make.split(), "-out", f"{tmp_path}/lab.pem"], check=True, capture_output=True)
    home = f"https://localhost:{at}/lab/"
    options = {"POLHODE_SECRET": "s" * serve.SHORTEST_SECRET}
    with (
        start_server(*QUICK, "--public-url", home, **options) as one,
        start_server(*QUICK, "--public-url", home, **options) as two,
    ):
        servers = Server(one), Server(two)
        command = prepare((servers[0].port, servers[1].port), at, tmp_path)
        proxy = subprocess.Popen(
            command, env=os.environ | {"HOME": str(tmp_path)}, stderr=subprocess.DEVNULL
        )
        try:
            client = partial(HTTPRequest, validate_cert=False, **OF_REQUESTS)

            async def visit() -> None:
                page = await AsyncHTTPClient().fetch(client(f"{home}{SMALL}"))
                token = re.search(r'"token":"([^"]+)"', page.body.decode())
                assert token
                request = client(
                    f"{home.replace('https', 'wss')}ws",
                    headers={"Origin": f"https://localhost:{at}"},
                )
                connection = await websocket_connect(request, subprotocols=["bokeh", token[1]])
                Visitor(connection)
                assert await connection.read_message() is not None

            async def begin() -> None:
                while proxy.poll() is None:
                    with suppress(OSError):
                        return await asyncio.to_thread(
                            socket.create_connection(("localhost", at)).close
                        )
                    await asyncio.sleep(0.05)

            async def play() -> None:
                await begin()
                for i in range(12):
                    await visit()  # nginx takes turns: the page comes from one, the connection goes to the other
                    if i == 6:
                        await AsyncHTTPClient().fetch(client(f"{home}health/live"))
                foreign = client(home, headers={"Host": "evil.example.org"})
                refused = await AsyncHTTPClient().fetch(foreign, raise_error=False)
                # Caddy answers for its own host alone, with an empty page.
                assert refused.code == HTTPStatus.MISDIRECTED_REQUEST or not refused.body
                seated = [
                    read_metrics(server.ask("/metrics").text)["polhode_visitors"]
                    for server in servers
                ]
                assert sum(seated) == 12 and min(seated) > 0

            run_visit(play())
        finally:
            proxy.terminate()
            proxy.wait()


def test_systemd_reads_the_service(tmp_path: Path) -> None:
    require_optional("systemd-analyze")
    text = read_recipe("ini", {"/opt/polhode/bin/polhode": sys.executable})
    (tmp_path / "polhode.service").write_text(text)
    verify = ["systemd-analyze", "verify", "--man=no", str(tmp_path / "polhode.service")]
    done = subprocess.run(verify, capture_output=True, text=True, timeout=TIMEOUT)
    said = [line for line in done.stderr.splitlines() if "polhode" in line]
    assert done.returncode == 0 and said == []


MANIFESTS = ROOT / "docs/how-to/kubernetes.yaml"


def test_the_manifests_fit_together_and_to_the_command() -> None:
    deployment, service, ingress, scaler = yaml.safe_load_all(MANIFESTS.read_text())
    pod = deployment["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    program, command, *options = container["command"]
    assert (program, command) == ("polhode", "serve")
    given = cli.parsers()[1]["serve"].parse_args(options)
    assert pod["terminationGracePeriodSeconds"] > float(given.drain)
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        assert container[probe]["httpGet"]["path"].removeprefix(given.prefix) in PROBES
    (port,) = {
        container["ports"][0]["containerPort"],
        service["spec"]["ports"][0]["targetPort"],
        int(given.port),
    }
    assert container["livenessProbe"]["httpGet"]["port"] == port
    (rule,) = ingress["spec"]["rules"]
    (path,) = rule["http"]["paths"]
    assert (
        path["path"] == given.prefix
        and path["backend"]["service"]["name"] == service["metadata"]["name"]
    )
    values = {one["name"]: one.get("value") for one in container["env"]}
    assert values.keys() >= {serve.SECRET, serve.ORIGINS, PUBLIC_URL}
    assert values[PUBLIC_URL] == f"https://{rule['host']}{given.prefix}/"
    assert (
        service["spec"]["selector"].items()
        <= deployment["spec"]["template"]["metadata"]["labels"].items()
    )
    assert scaler["spec"]["scaleTargetRef"]["name"] == deployment["metadata"]["name"]


@pytest.mark.exhaustive
def test_the_manifests_agree_with_the_schemas_of_kubernetes() -> None:
    require_optional(module="kubernetes_validate")
    from kubernetes_validate import validate

    for document in yaml.safe_load_all(MANIFESTS.read_text()):
        validate(document, "1.31", strict=True)


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server below a prefix, with a password."""
    file = tmp_path_factory.mktemp("closed") / "password"
    file.write_text(f"{PASSWORD}\n")
    with start_server(*QUICK, "--prefix", "/school/lab", "--password-file", str(file)) as started:
        yield Server(started)


PASSWORD = "a spinning Top"


def enter(
    server: Server, path: str, password: str, visitor: str = "127.0.0.1"
) -> tuple[int, dict[str, str], str]:
    """Send the form at this address of the server from this one of a visitor; return the status,
    the headers and the text.
    """
    connection = HTTPConnection(
        "127.0.0.1", server.port, timeout=TIMEOUT, source_address=(visitor, 0)
    )
    with closing(connection):
        connection.request("POST", path, urlencode({"password": password}), {"Content-Type": FORM})
        answer = connection.getresponse()
        return answer.status, dict(answer.headers), answer.read().decode()


FORM = "application/x-www-form-urlencoded"


def test_everything_is_below_the_prefix(closed: Server) -> None:
    assert closed.path == "/school/lab/"
    assert closed.ask("/").headers["Location"] == "/school/lab/"
    assert closed.ask("/school/lab/health/ready").status == HTTPStatus.OK
    assert read_metrics(closed.ask("/school/lab/metrics").text)
    assert closed.ask("/health/ready").status == HTTPStatus.NOT_FOUND


def test_who_knows_the_password_is_led_to_the_address(closed: Server) -> None:
    for path in ("", "static/js/bokeh.min.js", "studies", SMALL):
        asked = closed.ask(closed.path + path)
        assert asked.status == HTTPStatus.UNAUTHORIZED and 'type="password"' in asked.text
    assert closed.connect(f"http://localhost:{closed.port}").status == HTTPStatus.UNAUTHORIZED
    status, headers, text = enter(closed, closed.path + SMALL, PASSWORD[:-1])
    assert status == HTTPStatus.UNAUTHORIZED and "Set-Cookie" not in headers
    assert "This is not the password." in text
    status, headers, _ = enter(closed, closed.path + SMALL, PASSWORD)
    assert status == HTTPStatus.SEE_OTHER and headers["Location"] == f"./{SMALL}"
    cookie, *attributes = headers["Set-Cookie"].split("; ")
    assert {"HttpOnly", "SameSite=Lax"} <= set(attributes) and PASSWORD not in cookie
    assert '"token"' in closed.ask(closed.path + SMALL, Cookie=cookie).text
    assert (
        closed.connect(f"http://localhost:{closed.port}", Cookie=cookie).status
        == HTTPStatus.SWITCHING_PROTOCOLS
    )
    assert closed.ask(closed.path, Cookie=cookie[:-1] + "x").status == HTTPStatus.UNAUTHORIZED
    nowhere = closed.ask(f"{closed.path}nowhere", Cookie=cookie)
    assert nowhere.status == HTTPStatus.NOT_FOUND and 'href="/school/lab/"' in nowhere.text
    assert closed.ask("/school/lab", Cookie=cookie).headers["Location"] == "/school/lab/"


def test_nobody_can_try_many_passwords(closed: Server) -> None:
    many = 3 * MOST_ATTEMPTS
    with ThreadPoolExecutor(many) as pool:
        texts = [
            text
            for _, _, text in pool.map(
                lambda _: enter(closed, closed.path, "wrong password"), range(many)
            )
        ]
    checked = sum("This is not the password." in text for text in texts)
    assert checked < many and sum("Too many people" in text for text in texts) == many - checked


@pytest.mark.skipif(sys.platform != "linux", reason="the visitors have several addresses")
def test_wrong_passwords_keep_nobody_else_out(closed: Server) -> None:
    """Neither who knows the password, from any address, nor others who mistype it."""
    strangers = [("wrong password", "127.0.0.2")] * (3 * MOST_ATTEMPTS)
    knowing = [(PASSWORD, "127.0.0.2"), (PASSWORD, "127.0.0.1")] * 3
    tried = [*strangers, *knowing, ("mistyped", "127.0.0.1")]
    with ThreadPoolExecutor(len(tried)) as pool:
        found = list(pool.map(lambda one: enter(closed, closed.path, *one), tried))
    statuses = [status for status, _, _ in found[len(strangers) : -1]]
    assert statuses == [HTTPStatus.SEE_OTHER] * len(knowing)
    assert "This is not the password." in found[-1][2]


@pytest.mark.parametrize(
    ("prefix", "password", "sentence"),
    [
        ("/lab?x", PASSWORD, "a prefix is a path"),
        ("/lab", "short", "at least 8 characters; .* has 5"),
    ],
)
def test_a_wrong_prefix_or_password_is_refused(
    tmp_path: Path, prefix: str, password: str, sentence: str
) -> None:
    (tmp_path / "password").write_text(password)
    with pytest.raises(ValueError, match=sentence):
        serve.main(
            port=0, show=False, warm=False, prefix=prefix, password_file=str(tmp_path / "password")
        )


def test_a_password_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    for name, reason in (
        ("missing", "No such file or directory"),
        ("binary", "it is not text in UTF-8"),
    ):
        with pytest.raises(ValueError, match=f"^the password file cannot be read: {reason}$"):
            serve.main(port=0, show=False, warm=False, password_file=str(tmp_path / name))


def test_a_short_secret_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(serve.SECRET, "short")
    with pytest.raises(ValueError, match="must have at least 32 characters; got 5"):
        serve.main(port=0, show=False, warm=False)


@pytest.mark.parametrize("seconds", [-1.0, float("nan"), 1e9])
def test_the_time_for_visitors_has_bounds(seconds: float) -> None:
    with pytest.raises(ValueError, match="drain must be a number of seconds from 0 to 3600"):
        serve.main(port=0, show=False, warm=False, drain=seconds)


def test_it_ends_before_the_time_for_visitors_is_over(ending: Server) -> None:
    """Some seconds after the last visitor has left, in which other tests run."""
    assert ending.process.wait(TIMEOUT) == 0
