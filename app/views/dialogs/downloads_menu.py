"""The menu Export: a link, Python, the run files, a live demo, and HTML to embed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import panel as pn

import engine

from ...asset_files import render_template
from ...compat.sessions import has_address
from ...demos.live import build_demo
from ...server.worker import TEXTS, Progress, Task, Worker
from ...state import Choice, Results, View, link
from ...state.downloads import write_citation, zip_runs
from .embed import EmbedDialog
from .html_block import HtmlBlock


def demo_file(results: Results) -> str:
    """Return the file name of a live demo."""
    return f"{results.problem.key}-demo.html"


NO_DEMO = "A live demo does not hold a recording; save the runs instead."
NO_FRAME = "A frame shows a link, which does not hold a recording."


class File(NamedTuple):
    """A file to save, with its media type."""

    name: str
    content: bytes | str
    kind: str


def make_file(
    results: Results, what: str, value: str, cancel: engine.Cancellation, _: Progress
) -> File | str:
    """Return the file of an entry of the menu, or the reason why there is none."""
    key = results.problem.key
    try:
        if what == "demo":
            if results.choice.recording is not None:
                return NO_DEMO
            demo = build_demo(results.choice).html
            return File(demo_file(results), demo, "text/html;charset=utf-8")
        if what == "cite":
            return File(f"{key}.bib", write_citation(results.choice), "text/plain;charset=utf-8")
        runs = zip_runs(results, value, cancel=cancel)
        return File(f"{key}-{value}.zip", runs, "application/zip")
    except ValueError as error:
        return str(error)


class DownloadsMenu:
    """The menu; `make_link` returns the link to a choice, and `get_view` how the page shows it."""

    def __init__(
        self, make_link: Callable[[Choice], str] = link, get_view: Callable[[], View] = View
    ) -> None:
        self._make_link = make_link
        self._get_view = get_view
        self.panel = HtmlBlock(self._on_ask, style="menu")
        self.panel.sizing_mode = None
        self.dialogs = pn.Row(margin=0)
        self._embed = EmbedDialog()
        self._results: Results | None = None
        self._worker = Worker(TEXTS)
        self.offer_results(True)

    def offer_results(self, on: bool) -> None:
        """Offer the runs and what shows them, or only what a lesson's open question shows."""
        self.panel.html = render_template("export", has_results=on)

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
            self._save(what, value)

    def _open_embed(self) -> None:
        """Open the dialog Embed, which is sent to the browser the first time."""
        results = self._results
        if results is not None and results.choice.recording is not None:
            self.panel.show_message(NO_FRAME)
        elif results is not None:
            self._embed.open(results, demo_file(results), has_address(), self._get_view())
            self.dialogs.objects = [self._embed]
        self.panel.acknowledge()

    def _save(self, what: str, value: str) -> None:
        """Make a file beside the page, and have the browser save it."""
        results = self._results
        if results is None or not results.runs:
            self.panel.show_message("There is no run to export.")
            return
        work = partial(make_file, results, what, value)
        self._worker.start(Task(work, self._send_file, on_error=self._show_error))

    def _send_file(self, made: File | str | None) -> None:
        """Have the browser save a file, or show why there is none."""
        if isinstance(made, File):
            self.panel.save(*made)
        else:
            self.panel.show_message(made or "The export was stopped.")

    def _show_error(self, error: Exception) -> None:
        self.panel.show_message(f"The export failed: {error}")
