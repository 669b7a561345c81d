"""What a notebook receives: the libraries once, cells with a document and a still picture, and
answers to messages.
"""

from __future__ import annotations

import base64
import json
import re
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from urllib.parse import unquote

import holoviews as hv
import panel as pn
import pytest
from covering import first

import app
from app.compat import notebook_cells
from app.scene.player import Player
from app.views.controls.form import Form

CHOICE: dict[str, Any] = {"problem": "free", "methods": ["NMB", "AKW"], "dt": 0.5, "duration": 20}
MOST = 300_000
"""Bytes that the page may take in a cell."""


class Comm:
    """A connection to the browser, which records what it sends."""

    made: list[Comm]

    def __init__(self, **_: Any) -> None:
        self.sent: list[Any] = []
        self.made.append(self)

    def on_msg(self, act: Any) -> None:
        self.receive = act

    def send(self, data: Any = None, metadata: Any = None, buffers: Any = ()) -> None:
        if data:
            self.sent.append(json.loads(data))


class Notebook:
    """A Jupyter notebook without a browser."""

    def __init__(self) -> None:
        self.cell = "first"
        self.run = 1
        self.displayed: list[str] = []
        self.targets: dict[str, Any] = {}
        manager = SimpleNamespace(register_target=self.targets.__setitem__, targets=self.targets)
        kernel = SimpleNamespace(comm_manager=manager, get_parent=self.describe_run)
        self.modules = {
            name: ModuleType(name) for name in ("IPython", "IPython.display", "ipykernel.comm")
        }
        python, display, comm = self.modules.values()
        vars(python).update(get_ipython=lambda: SimpleNamespace(kernel=kernel))
        vars(display).update(HTML=str, display=lambda *shown, **_: self.displayed.extend(shown))
        vars(comm).update(Comm=Comm)

    def describe_run(self) -> dict[str, Any]:
        return {"metadata": {"cellId": self.cell}, "header": {"msg_id": str(self.run)}}

    def open(self, cell: dict[str, Any]) -> tuple[Comm, Comm]:
        """Open the connections of a cell as its browser does: what it sends, and what the kernel
        sends.
        """
        (manager,) = (root for root in cell["doc"]["roots"] if root["name"].endswith("CommManager"))
        to_kernel = Comm()
        self.targets[manager["attributes"]["client_comm_id"]](to_kernel, {})
        return to_kernel, Comm.made[-1]


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Iterator[Notebook]:
    found = Notebook()
    for name, module in found.modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(Comm, "made", [], raising=False)
    monkeypatch.setattr(notebook_cells, "_receiver", None)
    yield found


def unpack(text: str) -> Any:
    return json.loads(zlib.decompress(base64.b64decode(text)))


def read_libraries(script: str) -> Any:
    packed = re.search(r'\("([A-Za-z0-9+/=]{1000,})", ', script)
    assert packed is not None
    return unpack(packed[1])


def show(view: Any) -> dict[str, Any]:
    """Return what a notebook shows of a view: its HTML, the still picture, and the document."""
    bundle, metadata = view._repr_mimebundle_()
    html = bundle["text/html"]
    still = re.search(r'src="data:image/svg\+xml,(.*?)"', html)
    packed = re.search(r'text/plain">(.*?)</script', html)
    assert still is not None and packed is not None
    assert list(metadata) == list(set(bundle) - {"text/html"})
    return {"html": html, "still": unquote(still[1]), "doc": unpack(packed[1])["document"]}


def messages(changes: list[dict[str, Any]]) -> dict[str, Any]:
    data = {
        "header": {"msgid": "1", "msgtype": "PATCH-DOC"},
        "metadata": {},
        "content": {"events": changes},
    }
    return {"content": {"data": data}, "buffers": []}


def test_a_notebook_receives_the_libraries_once_and_keeps_its_settings(notebook, monkeypatch):
    monkeypatch.setattr(
        pn.extension, "__call__", lambda *_, **__: pytest.fail("the settings were replaced")
    )
    monkeypatch.setattr(
        hv.extension, "__call__", lambda *_, **__: pytest.fail("the settings were replaced")
    )
    for cell, run in (("first", 1), ("first", 1), ("second", 2)):
        notebook.cell = cell
        notebook.run = run
        app.figure(**CHOICE)
        assert len(notebook.displayed) == 1
    notebook.cell = "first"
    notebook.run = 3
    app.figure(**CHOICE)
    assert len(notebook.displayed) == 2, "the output of the cell that holds them was replaced"
    libraries = read_libraries(notebook.displayed[0])
    assert len(libraries["libraries"]) >= 4 and len(notebook.displayed[0]) < 1_200_000


def find_styles_elsewhere(cell, libraries):
    urls = set(re.findall(r'"url": "(.*?)"', json.dumps(cell["doc"])))
    assert urls
    return [
        url
        for url in urls
        if not any(url.split("?")[0].endswith(f"/{name}") for name in libraries["styles"])
    ]


def test_a_cell_takes_all_scripts_and_styles_from_the_libraries(notebook):
    cell = show(app.explorer(**CHOICE))
    libraries = read_libraries(notebook.displayed[0])
    document = json.dumps(cell["doc"])
    scripts = re.findall(r'polhode\.modules\\"\)\]\(\\"[\w-]+\\", \\"(.*?)\\"\)', document)
    assert len(scripts) > 10 and set(scripts) <= set(libraries["modules"])
    assert "import {" not in document
    assert find_styles_elsewhere(cell, libraries) == []
    assert len(cell["html"]) < MOST


VIEWS = {
    "figure": lambda: app.figure(**CHOICE),
    "card": lambda: app.explorer(**CHOICE, view="card"),
    "flat": lambda: app.explorer(**CHOICE, view="flat"),
    "paper": lambda: app.paper_figure("krysl-endres-figure-4"),
}


@pytest.mark.parametrize("view", first(VIEWS, 2))
def test_views_take_their_styles_from_the_libraries(notebook, view):
    cell = show(VIEWS[view]())
    assert find_styles_elsewhere(cell, read_libraries(notebook.displayed[0])) == []


def test_a_table_beside_a_figure_brings_its_script(notebook):
    plots = app.figure(**CHOICE)
    (alone, beside) = (
        unpack(re.search(r'text/plain">(.*?)</script', bundle["text/html"])[1])["libraries"]
        for shown in (plots, plots + hv.Table({"x": [1, 2]}))
        for bundle in [shown._repr_mimebundle_()[0]]
    )
    assert alone == [] and any("DataTable" in script for script in beside)


@pytest.mark.parametrize("show_one", [app.explorer, app.figure])
def test_a_cell_has_a_still_picture_of_its_curves(notebook, show_one):
    still = show(show_one(**CHOICE))["still"]
    assert (
        still.startswith("<svg") and still.count("<polyline") >= 4 and ">Explicit Newmark<" in still
    )


def test_what_a_browser_changes_arrives_and_is_answered(notebook):
    """Also several changes in one message, of which Panel handles the first alone."""
    page = app.explorer(**CHOICE)
    cell = show(page)
    browser, kernel = notebook.open(cell)
    (player,) = page.select(Player)
    (model, _), *_ = player._models.values()
    changes = [
        {"kind": "ModelChanged", "model": {"id": model.data.id}, "attr": name, "new": value}
        for name, value in (("speed", "2"), ("camera", [1.0, 0.5, 2.0]))
    ]
    browser.receive(messages(changes))
    assert (player.speed, player.camera) == ("2", [1.0, 0.5, 2.0])
    form = next(iter(page.select(Form)))
    (model, _), *_ = form._models.values()
    data = {"type": "map", "entries": [["name", "dt"], ["text", "0.25"]]}
    values = {"type": "map", "entries": [["model", {"id": model.id}], ["data", data]]}
    event = {"type": "event", "name": "esm_event", "values": values}
    browser.receive(
        messages([{"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": event}])
    )
    assert "dt" in json.dumps(kernel.sent)


def test_a_figure_composes_and_is_still_shown(notebook):
    plots = app.figure(**CHOICE)
    assert isinstance(plots, hv.Layout)
    both = plots + hv.Curve([1, 2, 3])
    assert len(both) == 5 and "text/html" in both._repr_mimebundle_()[0]


def test_a_view_is_saved_as_one_file(tmp_path: Path) -> None:
    app.explorer(**CHOICE).save(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert (
        "default-src 'none'" in text
        and "data:image/svg+xml" in text
        and len(read_libraries(text)["libraries"]) >= 4
    )
