"""The menu Export: a link, Python, the run files, a live demo, and HTML to embed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

import panel as pn

from ...asset_files import read_html
from ...compat.sessions import has_address, run_on_page
from ...demos.live import build_demo
from ...state import Choice, Results, View, link
from ...state.downloads import write_citation, zip_runs
from .embed import EmbedDialog
from .sheet import Sheet


def demo_file(results: Results) -> str:
    """Return the file name of a live demo."""
    return f"{results.problem.key}-demo.html"


class DownloadsMenu:
    """The menu; `make_link` returns the link to a choice, and `get_view` how the page shows it."""

    def __init__(
        self, make_link: Callable[[Choice], str] = link, get_view: Callable[[], View] = View
    ) -> None:
        self._make_link, self._get_view = make_link, get_view
        self.panel = Sheet(self._on_ask, style="menu", html=read_html("export"))
        self.panel.sizing_mode = None
        self.dialogs = pn.Row(margin=0)
        self._embed = EmbedDialog()
        self._results: Results | None = None

    def show(self, results: Results) -> None:
        """Export these results from now on."""
        self._results = results
        self.panel.texts = {
            "link": self._make_link(results.choice),
            "snippet": results.choice.snippet(),
        }

    def update_link(self, choice: Choice) -> None:
        """Make the link again, after a change of the view."""
        self.panel.texts = self.panel.texts | {"link": self._make_link(choice)}

    def _on_ask(self, what: str, value: str) -> None:
        if what == "embed":
            self._open_embed()
        else:
            pn.state.execute(partial(self._save, what, value))

    def _open_embed(self) -> None:
        """Open the dialog Embed, which is sent to the browser the first time."""
        results = self._results
        if results is not None:
            self._embed.open(results, demo_file(results), has_address(), self._get_view())
            self.dialogs.objects = [self._embed]
        self.panel.acknowledge()

    async def _save(self, what: str, value: str) -> None:
        """Make a file on another thread, and have the browser save it."""
        results = self._results
        if results is None or not results.runs:
            await run_on_page(partial(self.panel.show_message, "There is no run to export."))
            return
        key = results.problem.key
        makers: dict[str, tuple[Callable[[], bytes | str], str, str]] = {
            "demo": (
                lambda: build_demo(results.choice).html,
                demo_file(results),
                "text/html;charset=utf-8",
            ),
            "cite": (
                partial(write_citation, results.choice),
                f"{key}.bib",
                "text/plain;charset=utf-8",
            ),
        }
        runs = partial(zip_runs, results, value), f"{key}-{value}.zip", "application/zip"
        make, file, kind = makers.get(what, runs)
        try:
            act = partial(self.panel.save, file, await asyncio.to_thread(make), kind)
        except ValueError as error:
            act = partial(self.panel.show_message, str(error))
        await run_on_page(act)
