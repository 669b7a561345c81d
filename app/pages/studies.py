"""The page Studies: what is measured of methods beyond one run, drawn while it is measured."""

from __future__ import annotations

import itertools
import math
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from html import escape
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import panel as pn

import engine
from engine.wording import elapsed, sentence, short

from ..bridge import Bridge
from ..charts.look import COLOURS
from ..model import studies
from ..model.downsample import evenly
from ..model.entries import FormField, said
from ..model.session import Refused
from ..model.studies import Asked, head
from ..shell import card, whole_page
from ..takeaway import link, polhode_version
from ..views import lists
from ..views.chart import ChartView
from ..views.form import Form
from ..views.methods import chips, picker
from ..views.notice import Notice
from ..views.picker import Picker
from ..views.sheet import Sheet
from ..views.working import NOTHING_CAME, OLD_IS_SEEN, Heading
from ..worker import Along, Task, Worker, is_served

DRAWN_EACH = 0.4
"""Seconds between two drawings while points come."""
MOST_ROWS = 400
"""That a page shows of a table; its file has all."""


def titles() -> dict[str, str]:
    """The studies' keys by their titles."""
    return {study.title: key for key, study in studies.offered().items()}


def page(query: Mapping[str, str], notices: Sequence[str] = ()) -> pn.Template:
    """The page that a link's query asks for; `notices` has what of the link could not be read."""
    asked, more = studies.from_query(query)
    return Studies(asked, [*notices, *more]).page()


@dataclass
class Underway:
    """A study while it is carried out on another thread.

    Attributes
    ----------
    counted : how many of its parts are done, and how many there are.
    words : what is being done besides.
    rows : those that have been told.
    """

    asked: Asked
    counted: tuple[int, int] = (0, 0)
    words: str = ""
    rows: list[Mapping[str, Any]] = field(default_factory=list)
    begun: float = field(default_factory=time.monotonic)
    read: tuple[float, int] = (-math.inf, 0)

    @property
    def seconds(self) -> float:
        """Since it was asked for."""
        return time.monotonic() - self.begun

    @property
    def far(self) -> str:
        """In words."""
        done, total = self.counted
        return f"{done:,} of {total:,}, {self.seconds:.0f} s" if total else ""

    def carry_out(self, cancel: threading.Event, along: Along) -> Any:
        """Do it, and note how far it is."""

        def progress(done: int, total: int, row: Mapping[str, Any] | None = None, words: str = "") -> None:
            if row is not None:
                self.rows.append(row)
            self.counted = done, total
            along(done / max(total, 1), words)

        return self.asked.carry_out(progress, cancel)

    def news(self, pause: float) -> list[Mapping[str, Any]]:
        """All rows, if there are new ones and the last were given so many seconds ago; or else none."""
        then, count = self.read
        if len(self.rows) == count or self.seconds - then < pause:
            return []
        self.read = self.seconds, len(self.rows)
        return list(self.rows)


class Studies:
    """The page of one visitor: what is asked, how far it is, and what came of it."""

    def __init__(self, asked: Asked | None = None, notices: list[str] | None = None) -> None:
        self._drawn: Asked | None = None
        self.asked = asked or studies.first()
        self.result: Any = None
        self._shown: Asked = self.asked
        self._before: dict[str, Asked] = {}
        self.worker = Worker()
        self._heading = Heading(self.worker.stop, "Measuring", self.run)
        self._heading.name(title(self.asked), ", ".join(self.asked.methods))
        self._bridge = Bridge()
        self._notice = Notice(notices or [])
        self._build_widgets()
        self._chart = ChartView(self._taken, self._picked)
        self._spot = Sheet(self._find, style="found")
        self._concluded = Sheet(self._asked_for, style="found")
        self._rows = Sheet(style="found")
        self._show_asked()
        if self.asked.quick:
            if is_served():
                pn.state.onload(self.run)
            else:
                self.run()
        else:
            self._say("Press Run.")
            self._tell()

    def _build_widgets(self) -> None:
        about, offered_here = "What is to be found out.", tuple(titles())
        self.study = Form(
            self._new_study,
            fields=[FormField("study", "Study", about, "menu", options=offered_here)],
            values={"study": offered_here[0]},
        )
        self.problem = Picker(self._new_problem, label="Problem", groups=lists.problems(), about="What moves.")
        self.methods = picker(self._add)
        self._sentence = Sheet(style="about", margin=(-4, 12, 4, 12))
        self._changes = Sheet(self._as_named, style="about", margin=(-4, 12, 4, 12))
        self._chips = Sheet(self._remove, "chips", margin=(-4, 10, 6, 12))
        self.form = Form(self._type)
        self._fault = Sheet(style="asking", margin=(0, 12))
        self._doing = Sheet(self._do, style="about asking", margin=(4, 12))

    # ------------------------------------------------------------------ asking

    def _show_asked(self) -> None:
        """Let the widgets say what is asked, without that being a change."""
        study = self.asked.about
        colours = itertools.cycle(COLOURS) if study.coloured else itertools.repeat("currentColor")
        self.study.fill({"study": study.title})
        self.problem.value = engine.problem(self.asked.problem).key
        self._sentence.html = f"<div class='about'>{escape(study.sentence)}{begun_with(study)}</div>"
        self._changes.html = changes(self.asked)
        self._chips.html = chips(self.asked.methods, colours)
        self.form.say(*self.asked.form())
        self.form.accept()
        for name, words in self.asked.misfits().items():
            self.form.refuse(name, words)
        self._fault.html = "<p role='alert'></p>"

    def _new_study(self, _: str, title: str, _dragging: bool) -> None:
        """Another study: of the same problem and methods, with what was asked of it before."""
        key = titles().get(title)
        if key is None:
            return
        self._before[self.asked.study] = before = self.asked
        new = self._before.get(key) or studies.first(key)
        several = [one for one in (before, *reversed(self._before.values())) if one.about.most > 1]
        methods = several[0].methods if new.about.most > 1 and several else new.methods
        self.asked = replace(new, problem=before.problem, changes=before.changes, methods=methods)
        self._changed()

    def _new_problem(self, key: str) -> None:
        self.asked = replace(self.asked, problem=key, changes=())
        self._changed()

    def _as_named(self, *_: str) -> None:
        """The problem as its name has it, without what a setting of the lab changed."""
        self._new_problem(self.asked.problem)

    def _add(self, key: str) -> None:
        """Another method; where one is enough, in place of it."""
        before = self.asked.methods if self.asked.about.most > 1 else ()
        self._choose([*before, key])

    def _remove(self, _: str, label: str) -> None:
        self._choose([method for method in self.asked.methods if method != label])

    def _choose(self, labels: list[str]) -> None:
        try:
            self.asked = studies.with_methods(self.asked, labels)
        except ValueError as refused:
            self._refuse(str(refused))
        else:
            self._changed()

    def _type(self, name: str, text: str, _: bool) -> None:
        try:
            self.asked = self.asked.with_entry(name, text)
            self.asked.check()
        except Refused as refused:
            self.form.refuse(name, str(refused))
        else:
            self._changed()

    def _changed(self) -> None:
        with pn.io.hold():
            self._show_asked()
            self._tell()
            self._say("" if self._is_measured else "Press Run.")

    @property
    def _is_measured(self) -> bool:
        """Whether what is shown is what is asked."""
        return self.result is not None and self.asked == self._shown

    def _refuse(self, words: str) -> None:
        self._fault.html = f"<p role='alert'>{escape(words)}</p>"

    def _say(self, words: str) -> None:
        """Below the button what there is to say of it."""
        self._doing.html = (
            "<div class='row'><button id='run' data-ask='run'>Run</button></div>"
            f"<p class='about' role='status'>{escape(words)}</p>"
        )

    def _do(self, what: str, _: str) -> None:
        if what == "run":
            self.run()

    # ------------------------------------------------------------------ carrying out

    def run(self) -> None:
        """Carry out what is asked; what is under way is given up for it. What is in question is settled first."""
        for words in self.form.wrong.values():
            self._say(f"Not begun: {words}")
            return
        work, self._drawn = Underway(self.asked), None
        self._refuse("")
        self._say("")
        self._doing.answer()
        self._bridge.expect(link(work.asked) if is_served() else "")
        along = partial(self._along, work)
        self.worker.start(
            Task(work.carry_out, partial(self._done, work), along, partial(self._fail, work), self._heading.hide)
        )

    def _along(self, work: Underway, part: float, words: str = "") -> None:
        """Tell how far it is, and draw the points that have come, now and then."""
        rows = work.news(DRAWN_EACH) if work.asked.about.told_by else []
        with pn.io.hold():
            self._heading.tell(part, words, work.far)
            if rows:
                self._name(work.asked)
                self._chart.show(work.asked.about.chart(studies.live(work.asked.about, rows)), work.asked.told())

    def _name(self, asked: Asked) -> None:
        """What is drawn from now on is what comes of this, and nothing of what was there before is left."""
        if self._drawn is not asked:
            self._drawn = asked
            self._heading.name(title(asked), ", ".join(asked.methods))
            self._concluded.html = self._rows.html = self._spot.html = ""
        self._bridge.arrived()

    def _done(self, work: Underway, result: Any) -> None:
        if result is None:
            self._heading.left(NOTHING_CAME if self.result is None else OLD_IS_SEEN)
        else:
            self._show(work.asked, result, work.seconds)

    def _fail(self, work: Underway, error: Exception) -> None:
        words = str(error) if isinstance(error, ValueError) else f"this could not be measured: {error}"
        self._refuse(sentence(words))
        self._say("")
        self._bridge.arrived()
        self._tell()

    # ------------------------------------------------------------------ showing

    def _show(self, asked: Asked, result: Any, seconds: float = 0.0) -> None:
        self.result, self._shown = result, asked
        with pn.io.hold():
            self._name(asked)
            self._chart.show(asked.about.chart(result.drawn()), asked.told())
            self._concluded.html, self._rows.html = conclusion(asked, result), table(result)
            if isinstance(result, engine.studies.Map):
                self._spot.html = spot("")
            self._concluded.texts = {"snippet": asked.snippet(), "link": link(asked)}
            stopped = "" if result.finished else "Stopped: this is what was measured until then. "
            changed = "What is asked has changed since: press Run." if asked != self.asked else ""
            self._say(f"{stopped}{changed}" or f"Measured in {elapsed(seconds)}.")
            self._tell(f"{title(asked)}. {stopped}{result.conclusion}")

    def _picked(self, plot: int, x: float, y: float) -> None:
        """What lies at a place of a map."""
        if isinstance(self.result, engine.studies.Map):
            self._point_at(self.result.methods[plot], x, y)

    def _find(self, what: str, _: str) -> None:
        """The largest or the least value of a map."""
        self._spot.answer()
        if isinstance(self.result, engine.studies.Map) and what in ("largest", "least"):
            place = studies.extreme(self.result, what == "largest")
            if place is not None:
                self._point_at(*place)

    def _point_at(self, method: str, x: float, y: float) -> None:
        found = studies.spot(self.result, method, x, y)
        if found is not None:
            self._spot.html = spot(found.words, link(found.choice) if found.choice is not None else "")

    def _tell(self, said: str = "") -> None:
        """Have the address, and what scripts may ask of the page, follow; `said` is read out."""
        asked = self.asked
        choice = {"study": asked.study, "fields": dict(asked.texts), "measured": self._is_measured}
        choice |= asked.as_data()
        self._bridge.say(choice, polhode_version(), link(asked) if is_served() else "", said=[said] if said else [])

    def _asked_for(self, what: str, _: str) -> None:
        if what == "csv" and self.result is not None:
            file = self._taken(what)
            self._concluded.save(file["name"], file["text"], file["type"])

    def _taken(self, want: str) -> dict[str, Any]:
        """The table or the file of the rows."""
        if self.result is None:
            return {}
        frame = told(self.result)
        if want == "csv":
            return {"name": f"{self._shown.study}.csv", "text": frame.to_csv(index=False), "type": "text/csv"}
        rows, fewer = as_text(frame)
        return {
            "caption": f"{self._shown.about.title}. {fewer}",
            "columns": list(map(head, frame.columns)),
            "rows": rows,
        }

    # ------------------------------------------------------------------ the page

    def page(self) -> pn.Template:
        """The whole page, to be served."""
        side = pn.Column(
            self.study,
            self._sentence,
            self.problem,
            self._changes,
            self.methods,
            self._chips,
            self.form,
            self._fault,
            self._doing,
            sizing_mode="stretch_width",
            margin=(10, 0, 0, 0),
        )
        main = pn.Column(
            self._notice,
            self._heading.panel,
            card(self._concluded, self._chart.panel, self._spot),
            card(self._rows),
            self._bridge,
            sizing_mode="stretch_width",
            margin=0,
            styles={"max-height": "none"},
        )
        return whole_page("studies", main, side)


def changes(asked: Asked) -> str:
    """In what the problem differs from the one of its name, and a button that takes that back."""
    problem = asked.built()
    told = "; ".join(f"{p.title}: {said(p, x)}" for name, x in asked.changes if (p := problem.declared[name]))
    button = "<button id='as-named' data-ask='as-named'>As the problem has it</button>"
    return f"<div class='about'>With {escape(told)}.{button}</div>" if told else ""


def title(asked: Asked) -> str:
    """What a study is called, with its problem."""
    return f"{asked.about.title}: {engine.problem(asked.problem).name}"


def conclusion(asked: Asked, result: Any) -> str:
    """What comes of a study, in sentences, and what can be taken along."""
    aside = " ".join(f"{label}: {reason}." for label, reason in result.omitted().items())
    return (
        f"<div class='found'><p>{escape(result.conclusion)}</p>"
        + (f"<p class='quiet'>Left out: {escape(aside)}</p>" if aside else "")
        + "<div class='row'><button id='study-link' data-copy='link' data-absolute>Copy link</button>"
        "<button id='study-python' data-copy='snippet'>Copy Python</button>"
        "<button id='study-csv' data-ask='csv'>Download rows (CSV)</button></div></div>"
    )


def begun_with(study: engine.studies.Study) -> str:
    """Links to settings that a study has to begin with."""
    links = (
        f"<li><a href='?{escape(urlencode(words))}'>{escape(title)}</a></li>"
        for title, words in studies.presets(study).items()
    )
    listed = "".join(links)
    return f"<ul class='presets'>{listed}</ul>" if listed else ""


def spot(words: str, query: str = "") -> str:
    """What lies at a place of a map, with a link to that run, and two places to begin with."""
    there = f" <a href='{escape(query)}'>Open in the lab</a>" if query else ""
    return (
        f"<div class='found'><p role='status'>{escape(words) or 'Click the map for one of its runs.'}{there}</p>"
        "<div class='row'><button id='largest' data-ask='largest'>Where it is largest</button>"
        "<button id='least' data-ask='least'>Where it is least</button></div></div>"
    )


def told(result: Any) -> pd.DataFrame:
    """The rows of a result; if it was stopped before there were any, those from which it is drawn."""
    frame: pd.DataFrame = result.to_frame()
    return frame if len(frame) else result.drawn()


def as_text(frame: pd.DataFrame) -> tuple[list[list[str]], str]:
    """The rows of a table, not too many of them, and what has to be said if they are not all."""
    shown = frame.iloc[evenly(len(frame), MOST_ROWS)] if len(frame) else frame
    fewer = f"{len(shown)} of {len(frame):,} rows, evenly; the CSV has all." if len(shown) < len(frame) else ""
    return [[_cell(x) for x in row] for row in shown.to_numpy(dtype=object)], fewer


def table(result: Any) -> str:
    """The rows of a study, not too many of them."""
    frame = told(result)
    rows, fewer = as_text(frame)
    words = [frame[name].map(lambda x: isinstance(x, str)).any() for name in frame.columns]
    kinds = [" class='words'" if text else "" for text in words]
    heads, *body = (
        "".join(f"<td{kind}>{escape(cell)}</td>" for kind, cell in zip(kinds, row, strict=True))
        for row in [list(map(head, frame.columns)), *rows]
    )
    heads = heads.replace("<td", "<th scope='col'").replace("</td>", "</th>")
    told_fewer = f"<p class='quiet'>{fewer}</p>" if fewer else ""
    return (
        f"<div class='found'>{told_fewer}"
        "<div class='rows' id='rows' tabindex='0' role='region' aria-label='Rows'><table>"
        f"<thead><tr>{heads}</tr></thead><tbody><tr>{'</tr><tr>'.join(body)}</tr></tbody></table></div></div>"
    )


def _cell(value: Any) -> str:
    """A value as a table has it."""
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return "–"
    return short(value, 4) if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
