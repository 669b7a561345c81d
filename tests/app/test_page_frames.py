"""The HTML of pages, which is sent before their documents are made."""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs

import pytest
from bokeh.document import Document
from bokeh.models import Div
from bokeh.server.contexts import ApplicationContext
from bokeh.util.token import get_session_id
from panel.io.application import Application
from panel.io.handlers import ScriptHandler
from panel.io.server import AutoloadJsHandler, DocHandler
from server_process import Server, Visitor, run_visit, start_server
from timeouts import OF_REQUESTS, TIMEOUT
from tornado.httpclient import AsyncHTTPClient

from app.browser.page_links import OPENS, PAGES, THEME
from app.compat.sessions import serialize_ahead
from app.pages.routes import open_page
from app.server import page_frames, serve
from app.server.counts import SharedCounts
from app.server.http import Kernels, VisitorLimit
from app.server.page_frames import name_document, name_frame
from app.server.page_queue import PageQueue
from app.state import LABS, lessons
from app.state.links import link

OPTIONS = serve.Options(port=0, show=False)
ADDRESSES = [
    "",
    *(f"?page={page}" for page in (*PAGES, "start", "kitchen")),
    *(
        "?dt=0.1",
        "?page=lab&problem=book-toss&methods=MR2",
        "?page=studies&study=energy",
        "?page=methods&open=NMB",
    ),
    *(link(preset.choice) for lab in LABS.values() for preset in lab.presets[1:3]),
    *(f"?lesson={key}" for space in LABS for key in list(lessons.list_outlines(space))[:1]),
    *(
        f"?{words}"
        for words in ("show=energy", "show=energy&caption=1", "show=pi&controls=dt", "show=poinsot")
    ),
    *("?controls=none", "?show=nothing", "?page=two-bodies&show=energy", "?lesson=none&caption=1"),
]


def read_arguments(address: str) -> dict[str, list[bytes]]:
    return {
        word: [text.encode() for text in texts]
        for word, texts in parse_qs(address.strip("?")).items()
    }


@pytest.mark.exhaustive
def test_pages_with_the_same_name_have_the_same_html() -> None:
    found: dict[Any, list[Any]] = defaultdict(list)
    for address in ADDRESSES:
        template, title = open_page(address)
        variables = template.server_doc(Document()).template_variables
        frame = {
            name: value for name, value in variables.items() if isinstance(value, str | bool | list)
        }
        assert {"here", "about", "beside", "lesson", "nonce", "pages"} <= frame.keys()
        del frame["nonce"]
        if frame["alone"]:
            del frame["imports"]  # which the browser may fetch ahead
        found[name_frame(read_arguments(address), {})].append((title, frame))
    assert max(map(len, found.values())) >= 3
    for name, frames in found.items():
        assert all(frame == frames[0] for frame in frames), name


def test_what_else_html_depends_on_is_in_its_name() -> None:
    names = [
        name_frame({}, cookies)
        for cookies in ({}, {THEME: "dark"}, {THEME: "light"}, {OPENS: "lab"})
    ]
    assert len(set(names)) == len(names)
    assert name_frame({}, {"another": "cookie"}) == names[0]
    kinds = (
        "show=energy",
        "show=body",
        "show=body&controls=none",
        "show=energy,body&controls=none",
    )
    shown = [name_frame(read_arguments(f"?page=lab&{words}"), {}) for words in ("dt=0.1", *kinds)]
    assert len(set(shown)) == len(shown)


@pytest.mark.parametrize(
    ("address", "same"),
    [
        ("?show=energy&caption={}", "?show=energy"),
        ("?show=energy,{}&J=1,2,{}", "?show=energy"),
        ("?caption={}&play=no", "?page=lab"),
        ("?page={}", "?page=lab"),
        ("?lesson={}", "?page=lab"),
        ("?problem=slow-top&dt=0.{}", "?page=lab"),
        ("?page=methods&open={}", "?page=methods"),
    ],
)
def test_words_that_anybody_can_invent_need_no_html_of_their_own(address: str, same: str) -> None:
    names = {name_frame(read_arguments(address.format(i, i)), {THEME: f"{i}"}) for i in range(5)}
    assert names == {name_frame(read_arguments(same), {})}


@pytest.mark.exhaustive
@pytest.mark.parametrize("processes", ["1", "2"])
def test_a_page_that_was_sent_before_is_sent_at_once_with_its_own_token(processes: str) -> None:
    def read(html: str) -> tuple[str, ...]:
        own = re.findall(r'"token":"([\w.-]+)"', html)[0], re.findall(r"'nonce-([\w-]+)'", html)[0]
        for secret in own:
            html = html.replace(secret, "")
        return re.sub(r"p\d{4,}|[\da-f-]{36}", "", html), *own

    async def visit(served: Server) -> None:
        await Visitor.of_page(served, "?page=papers")
        assert served.liveness()["visitors"] == 1

    with start_server("--processes", processes, "--no-warm", "--port", "0") as started:
        served = Server(started)
        pages = [served.ask("/?page=papers") for _ in range(5)]
        assert {page.status for page in pages} == {200}
        assert {page.headers["Cache-Control"] for page in pages} == {"no-store"}
        html, tokens, nonces = zip(*(read(page.text) for page in pages), strict=True)
        assert len(set(html)) == 1 and len(set(tokens)) == len(set(nonces)) == len(pages)
        run_visit(visit(served))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A server of this process, which has sent no page yet."""
    limit = VisitorLimit(1, SharedCounts(1))
    application = Application(limit, ScriptHandler(filename=str(serve.PAGE)))
    monkeypatch.setattr(DocHandler, "get", DocHandler.get)
    monkeypatch.setattr(DocHandler, "head", DocHandler.head)
    monkeypatch.setattr(AutoloadJsHandler, "get_session", AutoloadJsHandler.get_session)
    create = "create_session_if_needed"
    monkeypatch.setattr(ApplicationContext, create, getattr(ApplicationContext, create))
    monkeypatch.setattr(page_frames, "_frames", {})
    monkeypatch.setattr(page_frames, "_ready", {})
    monkeypatch.setattr(Kernels, "offered", Kernels.offered)
    page_frames.install()
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    server = serve._listen(application, limit, OPTIONS)
    yield SimpleNamespace(server=server, application=application, limit=limit)
    server.stop()
    asyncio.set_event_loop(None)
    loop.close()


@pytest.mark.exhaustive
def test_requests_that_nobody_connects_for_make_few_documents(server: Any) -> None:
    addresses = (
        "/?page=methods",
        "/?show=energy&caption={}",
        "/?page=methods&open={}",
        "/autoload.js?bokeh-autoload-element={}",
    )

    async def request_often() -> None:
        for i in range(5 * page_frames.MOST_PREPARED):
            for address in addresses:
                await fetch(server, address.format(i))
        while page_frames._expected:
            await asyncio.sleep(0.05)

    server.server.io_loop.run_sync(request_often)
    assert len(server.limit.waiting) <= page_frames.MOST_PREPARED
    made = sum(server.limit.counts.list_each("sessions_total"))
    assert made <= page_frames.MOST_PREPARED, "also of the HTML that is made"


@pytest.mark.parametrize("address", ["/?page=papers", "/autoload.js?bokeh-autoload-element=x"])
def test_a_request_that_finds_no_room_may_be_repeated_later(
    server: Any, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setattr(page_frames, "QUEUE", PageQueue(0))

    async def ask() -> tuple[int, str]:
        url = f"http://localhost:{server.server.port}{address}"
        answer = await AsyncHTTPClient().fetch(url, raise_error=False, **OF_REQUESTS)
        return answer.code, answer.headers["Retry-After"]

    assert server.server.io_loop.run_sync(ask) == (503, "60")


async def fetch(server: Any, address: str, **headers: str) -> str:
    """Return the session of a page."""
    url = f"http://localhost:{server.server.port}{address}"
    page = await AsyncHTTPClient().fetch(url, headers=headers, **OF_REQUESTS)
    found = re.search(r'"token":\s*"([\w.-]+)"', page.body.decode())
    assert found
    return str(get_session_id(found[1]))


def make_first_pages(server: Any) -> None:
    serve._make_first_pages(server.server, server.application, OPTIONS.allowed[0])


@pytest.mark.exhaustive
def test_the_first_pages_are_made_before_anybody_comes(
    server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_first_pages(server)
    assert len(page_frames._frames) == len(page_frames._ready) == len(page_frames.FIRST_PAGES)
    monkeypatch.setattr(page_frames, "make_page", lambda *_: pytest.fail("a page was made again"))
    sessions = [
        server.server.io_loop.run_sync(partial(fetch, server, address))
        for address in ("/", "/?page=lab")
    ]
    assert sessions == [session.id for session in server.server.get_sessions("/")]
    assert list(server.limit.waiting) == sessions and not page_frames._ready


@pytest.mark.exhaustive
def test_a_document_that_is_ready_goes_to_one_visitor_and_another_is_made(
    server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = "/?page=lab"
    monkeypatch.setattr(page_frames, "FIRST_PAGES", {"lab": address})
    monkeypatch.setattr(page_frames, "IDLE", 0.0)
    make_first_pages(server)
    (ready,) = server.server.get_sessions("/")
    asked = []
    with monkeypatch.context() as patch:
        patch.setattr(Document, "to_json", lambda self: asked.append(self))
        assert ready.document.to_json() and not asked, "it was serialized before"
        ready.document.to_json()
    assert asked == [ready.document], "but only once"

    async def visit() -> tuple[str, str, str]:
        other = await fetch(server, f"{address}&dt=0.1")
        first = await fetch(server, address, Cookie=f"{OPENS}=papers; {THEME}=dark")
        second = await fetch(server, address)
        return other, first, second

    other, first, second = server.server.io_loop.run_sync(visit)
    assert len({other, first, second}) == 3 and ready.id == second, (
        "with another theme, the HTML is made first"
    )

    async def wait() -> None:
        page_frames.keep_ready(server.server, server.application, OPTIONS.allowed[0])
        while not page_frames._ready:
            await asyncio.sleep(0.05)

    server.server.io_loop.run_sync(wait, timeout=TIMEOUT)
    assert not {session.id for session in page_frames._ready.values()} & {other, first, second}


@pytest.mark.exhaustive
def test_a_page_that_fails_is_ready_for_nobody(
    server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_first_pages(server)
    frames = dict(page_frames._frames)
    (script,) = [
        handler for handler in server.application.handlers if isinstance(handler, ScriptHandler)
    ]
    monkeypatch.setattr(type(script), "failed", True)
    monkeypatch.setattr(type(script), "error", "out of memory")
    page_frames._ready.clear()
    with pytest.raises(OSError, match="out of memory"):
        make_first_pages(server)
    assert not page_frames._ready and page_frames._frames == frames


def test_a_change_of_a_document_is_sent_although_it_was_serialized_before() -> None:
    document = Document()
    document.add_root(Div(text="before"))
    serialize_ahead(document)
    document.roots[0].text = "after"
    assert "after" in str(document.to_json())


def test_a_document_is_for_whoever_opens_its_page_without_more_words() -> None:
    assert [
        name_document(read_arguments(address), {})
        for address in ("", "?page=lab", "?page=lab&dt=0.1")
    ] == [
        "start",
        "lab",
        "",
    ]
    assert name_document({}, {OPENS: "lab", THEME: "dark"}) == "lab"
    assert name_document(read_arguments("?page=start"), {OPENS: "lab"}) == "start"
