"""The page Engines: pick an engine, and see what its rule does with a free body, what cures it, and both to paste."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import panel as pn

from engine.wording import short

from ..bridge import Bridge
from ..component import has_address
from ..following import Following
from ..model import engines
from ..model.engines import Asked, Told
from ..model.programs import PROGRAMS
from ..model.results import AWAITED, Results
from ..model.session import Choice, Refused
from ..model.view import AUTO
from ..shell import card, whole_page
from ..takeaway import link, polhode_version
from ..views import verdict
from ..views.appearance import Appearance
from ..views.body import Body3D
from ..views.form import Form
from ..views.notice import Notice
from ..views.picker import Groups, Picker
from ..views.plots import TimePlots
from ..views.sheet import Sheet
from ..views.takeaway import Takeaway

HEIGHT = 520
"""Pixels of the picture in space."""
LONG = {"max-height": "none"}


class Engines:
    """The page of one visitor: what is asked, and what came of it.

    Attributes
    ----------
    asked : the program, its flags, its frames and the body.
    told : what is shown of it; nothing before the first run.
    """

    def __init__(self, asked: Asked, notices: Sequence[str] = ()) -> None:
        self.asked = asked
        self.told: Told | None = None
        self.bridge = Bridge()
        self._following = Following(self.bridge, self._show, self._address, self._fail)
        self.worker = self._following.worker
        self._notice = Notice(notices)
        self.programs = Picker(
            self._new_program,
            label="Engine",
            groups=programs(),
            search=True,
            placeholder="Find: Jolt, Unity, MuJoCo, LAMMPS",
            about="type an engine's name, or that of what is built on it.",
        )
        self._program = Sheet(style="about", margin=(4, 12, 10, 12))
        self.form = Form(self._typed)
        self._begins = Sheet(self._begin, style="card engines", margin=0)
        self._verdict = Sheet(style="verdict ledger", margin=0)
        self._appearance = Appearance()
        self._body = Body3D(appearance=self._appearance)
        self.plots = TimePlots(engines.GROUPS)
        self._cure = Sheet(style="card engines", margin=0)
        self._listings = Sheet(style="card engines", margin=0)
        self.takeaway = Takeaway(lambda _: link(self.asked))
        self._body.panel.playing = True
        self._say()
        self._following.heading.name(asked.title, self._setting(asked))
        self._following.begin(self.asked.tried())

    # ------------------------------------------------------------------ asking

    def _new_program(self, key: str) -> None:
        self._take(engines.of_program(key, self.asked.choice))

    def _typed(self, name: str, text: str, _: bool) -> None:
        try:
            self._take(self.asked.changed(name, text))
        except Refused as refused:
            self.form.refuse(refused.field, str(refused))

    def _begin(self, _: str, key: str) -> None:
        for one in engines.beginnings():
            if one.key == key:
                self._take(one.asked)

    def _take(self, asked: Asked) -> None:
        changed, self.asked = asked != self.asked, asked
        with pn.io.hold():
            self._say()
            if changed:
                self._following.follow(asked.tried())

    def _say(self) -> None:
        """Let the widgets say what is asked."""
        self.form.say(self.asked.fields(), self.asked.says())
        self.form.accept()
        self._begins.html = verdict.begins(self.asked)
        self._program.html = verdict.picked(self.asked)
        shape = next((one.shape for one in engines.BODIES if one.key == self.asked.body), AUTO)
        self._appearance.shape = shape
        self._body.panel.body = shape

    # ------------------------------------------------------------------ showing

    def _show(self, results: Results) -> None:
        """All that is seen follows."""
        asked = self.asked
        found = engines.told(asked, results)
        heading = self._following.heading
        with pn.io.hold():
            heading.name(asked.title, self._setting(asked))
            self.told = found
            shown = found.results if found is not None else results
            self.plots.show(shown)
            self._body.show(shown)
            self.takeaway.show(shown)
            if found is not None:
                self._verdict.html = verdict.table(found)
                self._cure.html = verdict.cure(found, link(shown.choice))
                html, texts = verdict.listing(found)
                self._listings.param.update(html=html, texts=texts)
                said = engines.verdict(found)
            else:
                said = AWAITED if results.awaited else "There is no run of a step to be told of."
                self._verdict.html = f"<h2>{said}</h2>"
                self._cure.html = self._listings.html = ""
            told = [asked.title, self._setting(asked), said]
            self.bridge.tell(shown, polhode_version(), self._address(results.choice), told)

    def _setting(self, asked: Asked) -> str:
        body = next((one.title for one in engines.BODIES if one.key == asked.body), "a body of your own")
        return f"{engines.rate(asked.choice.dt)} · {short(asked.choice.duration)} s · {body}"

    def _address(self, _: Choice) -> str:
        """The link to what is asked, if the page has an address of its own."""
        return link(self.asked) if has_address() else ""

    def _fail(self, error: Exception) -> None:
        self._notice.tell([f"This could not be computed: {error}"])

    # ------------------------------------------------------------------ the page

    def page(self) -> pn.Template:
        """The whole page, to be served."""
        side = pn.Column(self.programs, self._program, self.form, sizing_mode="stretch_width", margin=(10, 0, 0, 0))
        tools = pn.Row(self.takeaway.panel, self.takeaway.dialogs, margin=0)
        views = pn.FlexBox(
            card(self.plots.panel, styles=_wide(1.25, 520)),
            card(self._body.panel, height=HEIGHT, styles=_wide(1.0, 400)),
            align_items="flex-start",
            sizing_mode="stretch_width",
            margin=0,
            styles=LONG,
        )
        main = pn.Column(
            self._notice, self._following.heading.panel, self._begins, card(self._verdict), views, card(self._cure),
            card(self._listings), self.bridge,
            sizing_mode="stretch_width", margin=0, styles=LONG,
        )  # fmt: skip
        return whole_page("engines", main, side, tools)


def _wide(grow: float, width: int) -> dict[str, str]:
    """So wide where there is room for that."""
    return {"flex": f"{grow} 1 {width}px", "min-width": f"min({width}px, 100% - 12px)", **LONG}


def programs() -> Groups:
    """The engines and codes to be picked from, each with its flags."""
    groups: dict[str, list[tuple[str, ...]]] = {}
    for one in PROGRAMS.values():
        groups.setdefault(one.group, []).append((one.key, one.title, one.flags, "", one.words))
    return list(groups.items())


def page(query: Mapping[str, str], notices: Sequence[str] = ()) -> pn.Template:
    """The page that a link's query asks for; `notices` has what of the link could not be read."""
    asked, more = engines.from_query(query)
    return Engines(asked, [*notices, *more]).page()
