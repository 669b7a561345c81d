"""The page Papers: a gallery of the papers' figures, each recomputed beside the paper's claims."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

import panel as pn

from engine import papers
from engine.papers import Compared, Comparison, Drawn, Measured

from ..browser.script_api import ScriptApi
from ..charts.paper_figures import draw_picture, draw_plots
from ..compat.sessions import is_served
from ..server.worker import Progress, Task, Worker
from ..state.pages import paper_gallery
from ..state.pages.paper_gallery import OTHERS, Item
from ..views.dialogs.html_block import HtmlBlock
from ..views.dialogs.notice import Notice
from ..views.dialogs.progress_notice import ProgressNotice
from ..views.plots.plot_head import PICTURES, picture_file
from ..views.tables.comparison_cards import comparisons_html
from ..views.tables.gallery_cards import Gallery
from ..views.tables.reproduction import claims_html, describe_computation, downloads_html
from .frame import card, column, share_width, side_by_side, whole_page

UNKNOWN = "There is no figure or claim of this name; the page shows all that there are."


class Papers:
    """The page of one visitor: the gallery, and the open figure with its claims.

    Attributes
    ----------
    item : the open figure or claim, if any.
    drawn : its figure, once it is computed.
    measured : its claims that were measured again.
    others : the numbers of others, if they are open.
    """

    def __init__(self, opened: str = "", notices: Sequence[str] = ()) -> None:
        self.item: Item | None = None
        self.drawn: Drawn | None = None
        self.measured: dict[str, Measured] = {}
        self.worker = Worker()
        self.api = ScriptApi()
        item = paper_gallery.find_item(opened) if opened else None
        key = OTHERS if opened == OTHERS else item.key if item else ""
        self.gallery = Gallery(key)
        self.notices = [*notices, *([UNKNOWN] if opened and not key else [])]

        self.status = HtmlBlock(style="reproduction", margin=0)
        self.plots = pn.Column(sizing_mode="stretch_width", margin=0)
        self.downloads = HtmlBlock(self._on_ask, style="reproduction", margin=0)
        self.claims = HtmlBlock(self._on_ask, style="badges reproduction", margin=0)
        self._computing = ProgressNotice(self.worker.stop, "Computing the figure")
        self._measuring = ProgressNotice(self.worker.stop, "Measuring the claim")
        self._figure = card(
            self.status,
            self._computing.panel,
            self.plots,
            self.downloads,
            styles=share_width(1.35, 520),
        )
        claims = card(self._measuring.panel, self.claims, styles=share_width(1, 400))
        self._details = side_by_side(self._figure, claims, visible=False)
        self._comparing = ProgressNotice(self.worker.stop, "Comparing numbers")
        self.others = HtmlBlock(style="badges reproduction", margin=0)
        self._comparison = card(self._comparing.panel, self.others, visible=False)
        self.gallery.param.watch(lambda event: self.open(event.new), "opened")
        if not key:
            self._publish("")
        elif is_served():
            pn.state.onload(lambda: self.open(key))
        else:
            self.open(key)

    def page(self) -> pn.Template:
        """Return the page to be served."""
        return whole_page(
            "papers",
            column(Notice(self.notices), self.gallery, self._details, self._comparison, self.api),
        )

    # ------------------------------------------------------------------ the open figure

    def open(self, key: str) -> None:
        """Open a figure and compute it, or without a key the gallery; a computation under way
        stops.
        """
        self.worker.drop()
        self.item = paper_gallery.find_item(key) if key else None
        self.drawn = None
        self.measured = {}
        with pn.io.hold():
            self.plots.objects = []
            self.downloads.html = ""
            self.status.html = ""
            self._details.visible = self.item is not None
            self._figure.visible = self.item is not None and self.item.figure is not None
            self._show_claims()
            self._comparison.visible = key == OTHERS
            self.others.html = ""
        if key == OTHERS:
            self._compare()
        elif self.item is None or self.item.figure is None:
            self._publish("")
        else:
            self.downloads.texts = {"snippet": paper_gallery.write_snippet(self.item)}
            self.compute()

    def compute(self) -> None:
        """Compute the open figure on another thread."""
        assert self.item is not None and self.item.figure is not None
        figure = self.item.figure
        self.status.html = ""
        self._start(
            self._computing,
            lambda cancel, progress: figure.curves(progress, cancel),
            self._show_figure,
            lambda error: self._show_status(
                f"<span class=error>The computation failed: {escape(str(error))}</span>"
            ),
        )

    def _compare(self) -> None:
        """Compare the numbers of others with the lab's on another thread."""
        self._start(
            self._comparing,
            lambda cancel, progress: papers.compare(None, cancel, progress),
            self._show_others,
            lambda error: self.others.param.update(
                html=f"<p class='part error'>{escape(str(error))}</p>"
            ),
        )

    def measure(self, key: str) -> None:
        """Measure a claim again."""
        claims = [m.claim for m in self.item.recorded if m.claim.key == key] if self.item else []
        if not claims:
            return
        self._start(
            self._measuring,
            lambda cancel, progress: claims[0].measure(cancel, progress),
            self._show_verdict,
            lambda error: self._show_claims({key: str(error)}),
        )

    def _start(
        self,
        notice: ProgressNotice,
        compute: Callable[[threading.Event, papers.claim.Progress], Any],
        on_result: Callable[[Any], Any],
        on_error: Callable[[Exception], Any],
    ) -> None:
        def work(cancel: threading.Event, progress: Progress) -> object:
            return compute(cancel, lambda done, total: progress(done / total))

        def receive(result: Any) -> None:
            if result is None:  # it was stopped before it began
                self._publish("stopped")
            else:
                on_result(result)

        self._publish("computing")
        self.worker.start(Task(work, receive, notice.show_progress, on_error, notice.hide))
        notice.show_progress(0.0)

    # ------------------------------------------------------------------ results

    def _show_figure(self, drawn: Drawn) -> None:
        self.drawn = drawn
        with pn.io.hold():
            figures = draw_plots(drawn) if drawn.curves else []
            self.plots.objects = [
                pn.pane.Bokeh(x, sizing_mode="stretch_width", margin=(8, 12)) for x in figures
            ]
            self.downloads.html = downloads_html(drawn)
            self._show_status(describe_computation(drawn))
            self._publish("computed" if drawn.finished else "stopped")

    def _show_verdict(self, measured: Measured) -> None:
        self.measured[measured.claim.key] = measured
        self._show_claims()
        self._publish("measured" if measured.finished else "stopped")

    def _show_others(self, found: dict[Comparison, tuple[Compared, ...]]) -> None:
        self.others.html = comparisons_html(found)
        self._publish("compared" if len(found) == len(papers.comparisons()) else "stopped")

    def _show_claims(self, errors: Mapping[str, str] | None = None) -> None:
        self.claims.html = claims_html(self.item, self.measured, errors or {}) if self.item else ""

    def _show_status(self, html: str) -> None:
        self.status.html = f"<div class=part><p class=said>{html}</p></div>"

    def _publish(self, state: str) -> None:
        """Publish for scripts what is open and what was computed."""
        drawn = self.drawn
        page = {
            "open": self.item.key if self.item else OTHERS * bool(self._comparison.visible),
            "state": state,
            "curves": len(drawn.curves) if drawn else 0,
            "cells": len(drawn.cells) if drawn else 0,
            "measured": {key: m.verdict for key, m in self.measured.items()},
        }
        self.api.publish(page)

    # ------------------------------------------------------------------ requests

    def _on_ask(self, what: str, value: str) -> None:
        if what == "again" and self.item is not None and self.item.figure is not None:
            self.compute()
        elif what == "measure":
            self.measure(value)
        elif what in ("data", "table") and self.drawn is not None:
            frame = self.drawn.to_frame() if what == "data" else self.drawn.to_table()
            self.downloads.save(
                f"{self.drawn.figure.key}-{what}.csv", frame.to_csv(index=False), "text/csv"
            )
        elif what in PICTURES and self.drawn is not None:
            file = picture_file(what, draw_picture(self.drawn), self.drawn.figure.key)
            self.downloads.save(file["name"], file["text"], file["type"])


def make_page(query: Mapping[str, str], notices: Sequence[str]) -> pn.Template:
    """Return the page of a link: `open` names a figure or claim; `notices` say what else of the
    link was refused.
    """
    return Papers(query.get("open", "")[:60], notices).page()
