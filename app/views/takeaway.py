"""What can be taken along, in a menu: a link, a snippet, the run files, a live demo, a line of HTML."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

import panel as pn

from ..component import has_address, on_page
from ..live import made
from ..model.results import Results
from ..model.session import Choice
from ..model.view import View
from ..takeaway import citation, link, run_files, runs
from .embed import Embed
from .sheet import Sheet

HTML = """
<button class="opens" popovertarget="menu" id="take" aria-haspopup="true">Take it along</button>
<div popover class="menu" id="menu" role="group" aria-label="Take it along">
<button data-copy="link" data-absolute id="take-link"><span>Copy link</span></button>
<button data-copy="snippet" id="take-python">Copy Python</button>
<button data-ask="cite" id="take-cite">Cite this page (BibTeX)</button>
<button data-ask="runs" value="parquet" id="take-parquet">Download runs (Parquet)</button>
<button data-ask="runs" value="csv" id="take-csv">Download runs (CSV)</button>
<button data-ask="runs" value="npz" id="take-npz">Download runs (NumPy)</button>
<button data-does="picture" id="take-picture">Save picture of scene and plots (PNG)</button>
<button data-does="video" id="take-video" popovertarget="menu"
popovertargetaction="hide">Record video of the motion</button>
<button data-does="print" id="take-print" popovertarget="menu" popovertargetaction="hide">Print on one page …</button>
<button data-ask="demo" id="take-demo">Download live demo (HTML)</button>
<button data-ask="embed" id="take-embed" popovertarget="menu" popovertargetaction="hide"
aria-haspopup="dialog">Embed …</button>
<p data-said></p>
</div>
"""


def demo_file(results: Results) -> str:
    """What the file of a live demo is called."""
    return f"{results.problem.key}-demo.html"


class Takeaway:
    """The menu of what can be taken along.

    `linked` makes the link to a choice, and `looked` tells how the page is looked at, for parts of it.
    """

    def __init__(self, linked: Callable[[Choice], str] = link, looked: Callable[[], View] = View) -> None:
        self._linked, self._looked = linked, looked
        self.panel = Sheet(self._asked, style="menu", html=HTML)
        self.panel.sizing_mode = None
        self.dialogs = pn.Row(margin=0)
        self._embed = Embed()
        self._results: Results | None = None

    def show(self, results: Results) -> None:
        """Have other results taken along."""
        self._results = results
        self.panel.texts = {"link": self._linked(results.choice), "snippet": results.choice.snippet()}

    def tell_link(self, choice: Choice) -> None:
        """The link is another."""
        self.panel.texts = self.panel.texts | {"link": self._linked(choice)}

    def _asked(self, what: str, value: str) -> None:
        if what == "embed":
            self._open()
        else:
            pn.state.execute(partial(self._take, what, value))

    def _open(self) -> None:
        """Open the dialog Embed, which the browser has from the first time on that it is asked for."""
        results = self._results
        if results is not None:
            self._embed.open(results, demo_file(results), has_address(), self._looked())
            self.dialogs.objects = [self._embed]
        self.panel.answer()

    async def _take(self, what: str, value: str) -> None:
        """Make a file beside the page, and have the browser save it."""
        results = self._results
        if results is None or not runs(results):
            await on_page(partial(self.panel.say, "There is no run to take along."))
            return
        make: Callable[[], bytes | str]
        if what == "demo":
            make, file, kind = (lambda: made(results.choice).html), demo_file(results), "text/html;charset=utf-8"
        elif what == "cite":
            make, file, kind = (
                partial(citation, results.choice),
                f"{results.problem.key}.bib",
                "text/plain;charset=utf-8",
            )
        else:
            name = f"{results.problem.key}-{value}.zip"
            make, file, kind = partial(run_files, results, value), name, "application/zip"
        try:
            act = partial(self.panel.save, file, await asyncio.to_thread(make), kind)
        except ValueError as error:
            act = partial(self.panel.say, str(error))
        await on_page(act)
