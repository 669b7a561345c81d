"""What can be taken along, in a menu: a link, a snippet, the run files, a live demo."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

import panel as pn

from ..live import made
from ..model.results import Results
from ..takeaway import filename, link, run_files, runs
from .sheet import Sheet

HTML = """
<button class="opens" popovertarget="menu" id="take" aria-haspopup="true">Take it along</button>
<div popover class="menu" id="menu" role="group" aria-label="Take it along">
<button data-copy="link" data-absolute id="take-link"><span>Copy link</span></button>
<button data-copy="snippet" id="take-python">Copy Python</button>
<button data-ask="runs" value="parquet" id="take-parquet">Download runs (Parquet)</button>
<button data-ask="runs" value="csv" id="take-csv">Download runs (CSV)</button>
<button data-ask="runs" value="npz" id="take-npz">Download runs (NumPy)</button>
<button data-ask="demo" id="take-demo">Download live demo (HTML)</button>
<p data-said></p>
</div>
"""


class Takeaway:
    """The menu of what can be taken along."""

    def __init__(self) -> None:
        self.panel = Sheet(self._asked, style="menu", html=HTML)
        self.panel.sizing_mode = None
        self._results: Results | None = None

    def show(self, results: Results) -> None:
        """Have other results taken along."""
        self._results = results
        self.panel.texts = {"link": link(results.choice), "snippet": results.choice.snippet()}

    def _asked(self, what: str, value: str) -> None:
        pn.state.execute(partial(self._take, what, value))

    async def _take(self, what: str, value: str) -> None:
        """Make a file beside the page, and have the browser save it."""
        results = self._results
        if results is None or not runs(results):
            self.panel.say("There is no run to take along.")
            return
        name = filename(runs(results)[0]).partition("_")[0]
        make: Callable[[], bytes | str]
        if what == "demo":
            make, file, kind = (lambda: made(results.choice).html), f"{name}-demo.html", "text/html;charset=utf-8"
        else:
            make, file, kind = partial(run_files, results, value), f"{name}-{value}.zip", "application/zip"
        try:
            self.panel.save(file, await asyncio.to_thread(make), kind)
        except ValueError as error:
            self.panel.say(str(error))
