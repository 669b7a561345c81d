"""`window.polhode`, by which scripts and tests read the page, and keyboard shortcuts."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any
from weakref import WeakSet

import panel as pn
import param
from bokeh.document import Document

from ..state import Line, Results, polhode_version
from .component import Component

_present: WeakSet[ScriptApi] = WeakSet()
"""The pages that this process serves; being listed here keeps none of them in memory."""


def notify_visitors(sentence: str, document: Document | None = None) -> None:
    """Show a sentence on every page that this process serves, or on that of a document."""
    for api in list(_present):
        page = api._document
        if page.session_context is None or document not in (None, page):
            continue  # the visitor has left, or it is another page
        show = partial(api.param.update, notice=sentence)
        wait = partial(pn.state.onload, show)  # until the browser listens
        page.add_next_tick_callback(wait)


MOST_PAST = 20
"""The most choices that a page takes over from another view."""


class ScriptApi(Component):
    """An invisible component that maintains the read-only `window.polhode` and handles keys.

    It also fetches the scripts of lecture mode and of other features that few visits need.

    `window.polhode` is {version, choice, revision, changed, painted, runs, pending, player}:
    `revision` increases by one when the runs of a change have been painted; `changed` and `painted`
    are the times of the person's last input before and of that paint, by performance.now(); `runs`
    are {method, status, R, t} with the last state, R row by row, and for two bodies also R1, R2, x1
    and x2, where R is R2ᵀR1; `pending` says whether newer runs or the exact motion follow; `player`
    is {time, attitude, playing, solid, bodies} with the attitude on screen, row by row, and in
    `bodies` the attitude and place of each body.
    """

    results = param.String(default="", doc="`state` as JSON, which costs less than a dictionary.")
    expected = param.Boolean(
        default=False, doc="Whether the results on screen are those of an earlier choice."
    )
    address = param.String(
        default="", doc="The address that the page should have; empty if it has none."
    )
    past = param.List(
        default=[],
        doc="Queries of the choices before this one, which a link to another view takes along.",
    )
    future = param.List(
        default=[], doc="Queries of the choices that can be redone, the next one last, likewise."
    )
    notice = param.String(default="", doc="What the server says to all visitors, above the page.")
    undo = param.Integer(default=0, doc="How often Ctrl+Z was pressed outside a text field.")
    redo = param.Integer(default=0, doc="How often Ctrl+Shift+Z or Ctrl+Y was pressed there.")
    help = param.Integer(default=0, doc="How often ? was pressed there.")

    script = "core/script-api.js"

    def __init__(self, **params: Any) -> None:
        super().__init__(**({"width": 0, "height": 0, "margin": 0} | params))
        self.print_page: Callable[[str], str] = lambda address: ""
        """Returns the page for paper, of a page at this address."""
        self.take_history: Callable[[Sequence[str], Sequence[str]], Any] = lambda past, future: None
        """Takes the queries of choices that a person made in the view before this page, and of those
        that they undid there.
        """
        self._document = pn.state.curdoc
        if self._document is not None:
            _present.add(self)
        self._published = 0
        self.state: dict[str, Any] = {}
        """The number of times that something was published, the version, choice and runs, the
        sentences, and whether a part of the results follows.
        """

    def accepts(self, name: str, value: Any) -> bool:
        """Whether the browser reports a key."""
        return name in ("undo", "redo", "help") and type(value) is int

    def find_field(self, data: dict[str, Any]) -> Hashable:
        """Return the same for all requests for the page on paper."""
        return "print" if "print" in data else None

    def _receive(self, data: Any) -> None:
        """Answer a request for the page on paper, which has the page's address, or take over choices."""
        if not isinstance(data, dict):
            return
        if isinstance(data.get("print"), str):
            self._send({"paper": self.print_page(data["print"])})
        if isinstance(data.get("past"), list):
            self.take_history(_pick_links(data["past"]), _pick_links(data.get("future")))

    def expect_results(self, address: str) -> None:
        """Mark what is on screen as out of date; `address`, unless empty, is the page's already."""
        self.expected = True
        self.set_address(address)

    def set_address(self, address: str) -> None:
        """Change the page's address, unless it has none."""
        if address:
            self.address = address

    def publish_results(self, results: Results, address: str, sentences: Sequence[str]) -> None:
        """Publish results that the views show from now on; see `publish`."""
        self.publish(
            results.choice.as_data(),
            address,
            [describe_end(line) for line in results.lines],
            sentences,
            pending=results.exact_is_pending,
        )

    def publish(
        self,
        choice: Mapping[str, Any],
        address: str = "",
        runs: Sequence[Mapping[str, Any]] = (),
        sentences: Sequence[str] = (),
        *,
        pending: bool = False,
    ) -> None:
        """Publish what the page shows from now on; `pending`, if a part of it follows.

        Screen readers read the sentences, the problem, the setting and the conclusion, once nothing
        has changed for a while; lecture mode shows them as its title.
        """
        self._published += 1
        self.expected = False
        self.set_address(address)
        self.state = {
            "published": self._published,
            "version": polhode_version(),
            "choice": dict(choice),
            "runs": [dict(run) for run in runs],
            "said": list(sentences),
            "pending": pending,
        }
        self.results = json.dumps(self.state)


def _pick_links(links: Any) -> list[str]:
    """The last texts of a list that a browser sent."""
    return (
        [link for link in links[-MOST_PAST:] if isinstance(link, str)]
        if isinstance(links, list)
        else []
    )


ENDS = {"so3": ("R",), "se3": ("R", "R1", "R2", "x1", "x2"), "rates": ("R",)}
"""The published components of a run's last state, by the space of its problem."""


def describe_end(line: Line) -> dict[str, Any]:
    """Return a method's status, and the last state of its run with its time, each None without a
    run.

    A number that has overflowed is None.
    """
    if line.run is None:
        return {"method": line.label, "status": "not run", "R": None, "t": None}
    run = line.run
    last = {name: getattr(run, name)[-1].ravel().tolist() for name in ENDS[run.problem.space]}
    state = {
        name: [x if math.isfinite(x) else None for x in values] for name, values in last.items()
    }
    return {"method": line.label, "status": run.status, "t": float(run.t[-1])} | state
