"""The papers' figures: a gallery, and each of them computed live beside what the paper says of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

import panel as pn

from engine import papers
from engine.papers import Drawn, Measured

from ..bridge import Bridge
from ..model import gallery
from ..model.gallery import Item
from ..reproduced import picture, plots
from ..shell import card, whole_page
from ..takeaway import polhode_version
from ..views.gallery import Gallery
from ..views.notice import Notice
from ..views.plots import PICTURES
from ..views.plots import picture as as_picture
from ..views.reproduction import below, beside, computed
from ..views.sheet import Sheet
from ..views.working import Working
from ..worker import Along, Task, Worker, is_served

UNKNOWN = "There is no figure and no claim of this name; here are all that there are."


class Papers:
    """The page of one visitor: the gallery, what of it is open, and what was computed for that.

    Attributes
    ----------
    item : what is open, if anything is.
    drawn : its figure, once it is computed.
    measured : of its claims, those that were measured again.
    """

    def __init__(self, opened: str = "", notices: Sequence[str] = ()) -> None:
        self.item: Item | None = None
        self.drawn: Drawn | None = None
        self.measured: dict[str, Measured] = {}
        self._failed: dict[str, str] = {}
        self.worker = Worker()
        self.bridge = Bridge()
        found = gallery.find(opened) if opened else None
        self.gallery = Gallery(found.key if found else "")
        self.notices = [*notices, *([UNKNOWN] if opened and found is None else [])]

        self.said = Sheet(style="reproduction", margin=0)
        self.plots = pn.Column(sizing_mode="stretch_width", margin=0)
        self.below = Sheet(self._asked, style="reproduction", margin=0)
        self.about = Sheet(self._asked, style="badges reproduction", margin=0)
        self._computing = Working(self.worker.stop, "Computing the figure")
        self._measuring = Working(self.worker.stop, "Measuring the claim")
        self._figure = card(self.said, self._computing.panel, self.plots, self.below, styles=WIDE)
        self._details = pn.FlexBox(
            self._figure,
            card(self._measuring.panel, self.about, styles=BESIDE),
            flex_wrap="wrap",
            sizing_mode="stretch_width",
            visible=False,
            margin=0,
            styles={"max-height": "none", "align-items": "flex-start"},
        )
        self.gallery.param.watch(lambda event: self.open(event.new), "opened")
        if not found:
            self._tell("")
        elif is_served():
            pn.state.onload(lambda: self.open(found.key))
        else:
            self.open(found.key)

    def page(self) -> pn.Template:
        """The whole page, to be served."""
        main = pn.Column(
            Notice(self.notices), self.gallery, self._details, self.bridge,
            sizing_mode="stretch_width", margin=0, styles={"max-height": "none"},
        )  # fmt: skip
        return whole_page("papers", main)

    # ------------------------------------------------------------------ what is open

    def open(self, key: str) -> None:
        """Show a figure and compute it, or with no key the gallery; what was computed before is given up."""
        self.worker.drop()
        self.item = gallery.find(key) if key else None
        self.drawn, self.measured, self._failed = None, {}, {}
        with pn.io.hold():
            self.plots.objects, self.below.html, self.said.html = [], "", ""
            self._details.visible = self.item is not None
            self._figure.visible = self.item is not None and self.item.figure is not None
            self._show_claims()
        if self.item is None or self.item.figure is None:
            self._tell("")
        else:
            self.below.texts = {"snippet": gallery.snippet(self.item)}
            self.compute()

    def compute(self) -> None:
        """Compute the figure that is open, on another thread."""
        assert self.item is not None and self.item.figure is not None
        figure = self.item.figure
        self.said.html = ""
        self._start(
            self._computing,
            lambda cancel, along: figure.curves(along, cancel),
            self._show_figure,
            lambda error: self._say(f"<span class=error>This could not be computed: {escape(str(error))}</span>"),
        )

    def measure(self, key: str) -> None:
        """Measure a claim again."""
        claims = [m.claim for m in self.item.recorded if m.claim.key == key] if self.item else []
        if not claims:
            return
        self._start(
            self._measuring,
            lambda cancel, along: claims[0].measure(cancel, along),
            self._show_verdict,
            lambda error: self._show_claims({key: str(error)}),
        )

    def _start(
        self,
        working: Working,
        compute: Callable[[threading.Event, papers.claim.Progress], Any],
        done: Callable[[Any], Any],
        failed: Callable[[Exception], Any],
    ) -> None:
        def work(cancel: threading.Event, along: Along) -> Any:
            return compute(cancel, lambda part, of: along(part / of))

        def came(result: Any) -> None:
            if result is None:  # it was stopped before it began
                self._tell("stopped")
            else:
                done(result)

        self._tell("computing")
        self.worker.start(Task(work, came, working.tell, failed, working.hide))
        working.tell(0.0)

    # ------------------------------------------------------------------ showing

    def _show_figure(self, drawn: Drawn) -> None:
        self.drawn = drawn
        with pn.io.hold():
            frames = plots(drawn) if drawn.curves else []
            self.plots.objects = [pn.pane.Bokeh(x, sizing_mode="stretch_width", margin=(6, 10)) for x in frames]
            self.below.html = below(drawn)
            self._say(computed(drawn))
            self._tell("computed" if drawn.finished else "stopped")

    def _show_verdict(self, measured: Measured) -> None:
        self.measured[measured.claim.key] = measured
        self._show_claims()
        self._tell("measured" if measured.finished else "stopped")

    def _show_claims(self, failed: Mapping[str, str] | None = None) -> None:
        self._failed = dict(failed or {})
        self.about.html = beside(self.item, self.measured, self._failed) if self.item else ""

    def _say(self, html: str) -> None:
        self.said.html = f"<div class=part><p class=said>{html}</p></div>"

    def _tell(self, state: str) -> None:
        """Scripts are told what is open and what was computed."""
        drawn = self.drawn
        page = {
            "open": self.item.key if self.item else "",
            "state": state,
            "curves": len(drawn.curves) if drawn else 0,
            "cells": len(drawn.cells) if drawn else 0,
            "measured": {key: m.verdict for key, m in self.measured.items()},
        }
        self.bridge.say(page, polhode_version())

    # ------------------------------------------------------------------ what is asked for

    def _asked(self, what: str, value: str) -> None:
        if what == "again" and self.item is not None:
            self.compute()
        elif what == "measure":
            self.measure(value)
        elif what in ("data", "table") and self.drawn is not None:
            frame = self.drawn.to_frame() if what == "data" else self.drawn.to_table()
            self.below.save(f"{self.drawn.figure.key}-{what}.csv", frame.to_csv(index=False), "text/csv")
        elif what in PICTURES and self.drawn is not None:
            taken = as_picture(what, picture(self.drawn), self.drawn.figure.key)
            self.below.save(taken["name"], taken["text"], taken["type"])


WIDE = {"flex": "1.35 1 520px", "min-width": "min(520px, 100% - 12px)", "max-height": "none"}
BESIDE = {"flex": "1 1 400px", "min-width": "min(400px, 100% - 12px)", "max-height": "none"}


def page(query: Mapping[str, str], notices: Sequence[str] = ()) -> pn.Template:
    """The page that a link asks for: `open` names a figure or a claim; `notices`, what of it could not be read."""
    return Papers(query.get("open", "")[:60], notices).page()
