"""Cells of notebooks: the libraries, which a notebook receives once, and for each cell a document
and a still picture.

`pn.extension` would replace the user's settings, and its scripts would come from another host or
with each call of it. What `Shown` overrides and calls of Panel is how a viewable becomes a cell:
Panel has no public name for it.
"""

from __future__ import annotations

import base64
import re
import sys
import zlib
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import bokeh
import panel as pn
from bokeh.core.json_encoder import serialize_json
from bokeh.document import Document
from bokeh.document.callbacks import invoke_with_curdoc
from bokeh.model import Model
from bokeh.models import TableWidget
from bokeh.resources import Resources
from bokeh.settings import settings
from panel.io.model import add_to_doc, patch_cds_msg
from panel.io.notebook import EXEC_MIME, JupyterCommManagerBinary, block_comm, push
from panel.io.resources import DIST_DIR
from panel.models.comm_manager import CommManager
from panel.models.esm import ReactiveESM
from pyviz_comms import PYVIZ_PROXY

from ..asset_files import SCRIPTS, read_styles, render_page, render_template, strip_comments
from .components import CELL, component_of
from .templates import Plain, use_own_looks

MODULES = "controls", "core", "scene"
"""The folders of the scripts that a page in a notebook may import."""
ALLOWED = "script-src 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' blob:; worker-src blob:; font-src data:"
"""The content policy of a saved view: Bokeh and Panel make functions from texts, and modules have
addresses blob:.
"""
TABLES = "bokeh-tables"
"""Bokeh's script of tables, which a composed figure may contain and the page does not."""
OWN_COMMS = ("colab", "ipywidgets", "vscode")
"""Values of `pn.config.comms` for notebooks that Panel itself reaches by widgets."""

_receiver: tuple[str, str] | None = None
"""The cell that holds the libraries, and the message that ran it."""


def begin_notebook() -> None:
    """Send the libraries to the notebook, unless it has them; the cell that holds them needs them
    in each run.
    """
    global _receiver
    if "marimo" in sys.modules:
        _prepare_marimo()
    kernel = _find_kernel()
    if kernel is None or pn.config.comms in OWN_COMMS:
        return
    settings.simple_ids = False  # a notebook has cells of earlier kernels
    parent = kernel.get_parent()
    run = parent["metadata"].get("cellId", ""), parent["header"]["msg_id"]
    if _receiver is None:
        # Jupyter's Panel extension tells this target when a cell is removed.
        JupyterCommManagerBinary.get_client_comm(
            pn.extension._process_comm_msg, "hv-extension-comm"
        )
    if _receiver is None or (run != _receiver and run[0] == _receiver[0] != ""):
        from IPython.display import HTML, display

        _receiver = run
        display(HTML(f"<script>{write_libraries()}</script>"))


def _find_kernel() -> Any:
    """Return the kernel of a Jupyter notebook, or None."""
    return (
        getattr(sys.modules["IPython"].get_ipython(), "kernel", None)
        if "IPython" in sys.modules
        else None
    )


def _prepare_marimo() -> None:
    """Have marimo load the libraries, which it serves itself, in place of those from another
    host.
    """
    from marimo._plugins.ui._impl import from_panel

    extend = from_panel.render_extension
    if extend.__module__ != __name__:

        def render_extension(*args: Any, **kwargs: Any) -> str:
            return write_libraries() + (
                extend(*args, **kwargs) if pn.extension._loaded_extensions else ""
            )

        from_panel.render_extension = render_extension


@cache
def write_libraries() -> str:
    """Return the script that prepares a notebook for its cells."""
    read = partial(Path.read_text, encoding="utf-8")
    panel_script = read(DIST_DIR / "panel.min.js")
    tables = [TABLES] if "widgets/tables" in panel_script else []  # up to Panel 1.9
    packed = _pack({
        "libraries": [*_read_scripts("bokeh", "bokeh-widgets", *tables), panel_script],
        "comms": PYVIZ_PROXY + JupyterCommManagerBinary.js_manager,
        "modules": {
            path.relative_to(SCRIPTS).as_posix(): strip_comments(read(path))
            for name in MODULES
            for path in sorted((SCRIPTS / name).glob("*.js"))
        },
        "styles": {f"css/{path.name}": read(path) for path in sorted((DIST_DIR / "css").glob("*.css"))},
    })  # fmt: skip
    return f'({strip_comments(read(SCRIPTS / "notebook/libraries.js"))})("{packed}", "{bokeh.__version__}")\n'


def _read_scripts(*names: str) -> list[str]:
    """Return scripts of Bokeh."""
    return list(Resources(mode="inline", components=[*names]).js_raw)


def _pack(content: Any) -> str:
    """Return what a browser unpacks, in a fourth of its size."""
    return base64.b64encode(zlib.compress(serialize_json(content).encode(), 9)).decode()


@cache
def _read_look() -> str:
    """Return the styles of the views: the colours of the page, light or dark like the notebook."""
    colours = re.search(r":root \{\s*color-scheme: [a-z ]+;(.*?)\}", read_styles("page"), re.DOTALL)
    assert colours is not None
    return f":host {{{colours[1]}}}\n" + read_styles("notebook")


class Shown(pn.Column):
    """Views that a notebook shows; `draw_still` returns their still picture, as SVG."""

    def __init__(self, *views: Any, draw_still: Callable[[], str] = str, **params: Any) -> None:
        look: dict[str, Any] = {
            "design": Plain,
            "stylesheets": [_read_look()],
            "sizing_mode": "stretch_width",
        }
        super().__init__(*views, tags=[CELL], **look, **params)
        self._draw_still = draw_still

    def _render_model(self, doc: Document | None = None, comm: Any = None) -> Model:
        with use_own_looks():  # from Panel 1.10 on, views have the design of when they are rendered
            model = super()._render_model(doc, comm)
        for esm in model.select({"type": ReactiveESM}):
            if (component := component_of(esm.data)) is not None:
                component.take_script(esm, model)
        return model

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        if _find_kernel() is None or pn.config.comms in OWN_COMMS:
            return super()._repr_mimebundle_(include, exclude)
        document = Document()
        comm = JupyterCommManagerBinary.get_server_comm()
        model = self._render_model(document, comm)
        ref = model.ref["id"]
        manager = CommManager(comm_id=comm.id, plot_id=ref)
        client = JupyterCommManagerBinary.get_client_comm(
            on_msg=partial(self._on_msg, ref, manager), on_open=lambda _: comm.init()
        )
        manager.client_comm_id = client.id
        self._comms[ref] = comm, client
        add_to_doc(model, document, True)
        document.add_root(manager)
        return {"text/html": self._write_cell(document), EXEC_MIME: ""}, {EXEC_MIME: {"id": ref}}

    def _on_msg(self, ref: str, manager: CommManager, message: dict[str, Any]) -> None:
        """Handle a message and answer once: of several changes in it, Panel reports the first
        alone.
        """
        _, root, document, comm = pn.state._views[ref]
        patch_cds_msg(root, message)
        with block_comm(), use_own_looks():
            manager.assemble(message).apply_to_document(document, comm.id)
            held = document.callbacks._held_events
            changes = [event for event in held if getattr(event, "setter", None) == comm.id]
            document.callbacks._held_events = [event for event in held if event not in changes]
            for change in changes:
                if change.callback_invoker is not None:
                    invoke_with_curdoc(document, change.callback_invoker)
        push(document, comm)

    def _write_cell(self, document: Document) -> str:
        """Return the HTML of a cell."""
        still = quote(self._draw_still(), safe=" =:/;,.()")
        tables = _read_scripts(TABLES) if document.select_one({"type": TableWidget}) else []
        content = {"document": document.to_json(deferred=False), "libraries": tables}
        return render_template("notebook-cell", still=still, content=_pack(content))

    def save(self, filename: Any, title: str = "Polhode", **options: Any) -> None:
        """Write a page that needs no server and no network; `options` are those of Panel, which
        writes another.
        """
        if options:
            super().save(filename, title, **options)
            return
        document = Document()
        add_to_doc(self._render_model(document), document)
        libraries = f"<script>{write_libraries()}</script>"
        page = render_page(
            "saved-cell", title, ALLOWED, LIBRARIES=libraries, CELL=self._write_cell(document)
        )
        Path(filename).write_text(page, encoding="utf-8")
