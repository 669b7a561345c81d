"""The page: choose on the left, and everything else follows; one `Explorer` for each visitor."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from html import escape
from random import Random
from typing import Any
from urllib.parse import parse_qsl, urlencode

import panel as pn
import panel_material_ui as pmui
import param
from bokeh.events import ConnectionLost
from bokeh.models import CustomJS
from bokeh.settings import settings
from panel.reactive import Syncable
from panel.util import edit_readonly

import engine
from engine.run import Lazily

from . import presets, session
from .bridge import Bridge
from .results import Results, compute
from .session import Choice, History
from .takeaway import polhode_version
from .thin import ordinal
from .views.body import Body3D
from .views.caption import caption
from .views.card import Card
from .views.chooser import Chooser
from .views.flat import FlatPoinsot
from .views.guise import Guise
from .views.help import Help
from .views.ledger import Ledger
from .views.plots import TimePlots
from .views.poinsot import Poinsot3D
from .views.sheet import Sheet
from .views.sphere import MomentumSphere
from .views.switches import Switches
from .views.takeaway import Takeaway

if hasattr(Syncable, "_debounce"):
    # Panel waits so many milliseconds for a widget's next change before it tells of one; by itself it waits 50, which
    # is half of what a change may take until it is seen. What comes while the server works is read together after it.
    Syncable._debounce = 2
# With each change Panel asks models for what they do not have, and Bokeh would look for similar names: milliseconds.
settings.perform_error_diagnostics = False

AT_ONCE = 150_000
"""Steps, of all methods together, that are computed before the page answers; more are computed beside it."""
GESTURE = 1.0
"""Seconds within which the moves of a slider are one gesture, which one undo takes back."""
LONG_GESTURE = 30.0
"""The same while it is held."""
TOLD_EACH = 0.1
"""Seconds between two looks at the progress of a long run."""
COMPILED: set[tuple[str, str]] = set()
"""The problems and methods that have run here, whose kernels are at hand."""
WORKERS = ThreadPoolExecutor(max_workers=4, thread_name_prefix="runs")
"""What computes long runs for all visitors; kernels leave the interpreter free meanwhile."""

SCENE_HEIGHT = 520
"""Pixels of the pictures in space."""
MOST_NOTICES = 6
ALONE = ("Poinsot", "body", "sphere", "flat")
"""What the pictures in space are called where one of them is shown alone."""
THEMES = ("light", "dark")
THEME = "polhode-theme"
"""The cookie in which a visitor's theme is kept."""

LEGEND = """
.legend { padding: 6px 12px 8px; min-height: 24px; font-size: 13px; display: flex; flex-wrap: wrap; gap: 4px 14px; }
.legend i { width: 10px; height: 10px; border-radius: 50%; display: inline-block; margin-right: 6px; }
"""


class Explorer:
    """The page of one visitor: what is chosen, what was computed, and the views that show it."""

    def __init__(self, choice: Choice | None = None, notices: list[str] | None = None) -> None:
        self.history = History(choice or Choice())
        self.results: Results | None = None
        self._wanted: Choice | None = None
        self._cancel = engine.Cancellation()
        self._busy = False
        self._last_change = 0.0
        self._held = False
        self._page: pmui.Page | None = None

        self.chooser = Chooser(self.history.now, self._chosen, self._released)
        self.bridge = Bridge()
        self.plots, self.ledger, self.card = TimePlots(), Ledger(), Card()
        guise = Guise()
        pictures: dict[str, Callable[[], Any]] = {
            "Poinsot": partial(Poinsot3D, guise),
            "Body in space": partial(Body3D, self.chooser.take_body, guise),
            "|Π| sphere": MomentumSphere,
            "Flat views": FlatPoinsot,
        }
        self.scenes = Lazily(pictures, lambda name: pictures[name]())
        self.takeaway = Takeaway()
        self.help = Help()
        self._stop = pmui.Button(label="Stop", size="small", variant="outlined", on_click=lambda _: self.stop())
        self._progress = pmui.LinearProgress(value=0, variant="determinate", sizing_mode="stretch_width")
        self._working = pn.Row(self._progress, self._stop, visible=False, sizing_mode="stretch_width", margin=0)
        self._status, self._legend = caption(24), Sheet(style=LEGEND, margin=0)
        self._notices = pn.Column(sizing_mode="stretch_width", margin=0)
        first = next(iter(self.scenes))
        self._pictures = Switches(
            sets=[("Picture", "What is shown in space", list(self.scenes), "tabs")], chosen=[first], margin=0
        )
        self._stage = pn.Column(self.scenes[first].panel, sizing_mode="stretch_both", margin=0)
        self._pictures.param.watch(lambda _: self._set_the_stage(), "chosen")
        self.bridge.param.watch(lambda _: self.undo(), "undo")
        self.bridge.param.watch(lambda _: self.redo(), "redo")
        self.bridge.param.watch(lambda _: self.help.toggle(), "help")
        self.bridge.param.watch(lambda event: self._opened(**event.new), "window")
        self.notice(notices or [])
        if self._is_short(self.history.now) or not _is_served():
            self._compute(self.history.now)
        else:
            pn.state.onload(lambda: self._follow(self.history.now))

    # ------------------------------------------------------------------ choosing

    def _chosen(self, choice: Choice, dragging: bool) -> None:
        """A visitor has chosen something."""
        now = time.monotonic()
        since = now - self._last_change
        self.history.note(choice, same_gesture=dragging and since < (LONG_GESTURE if self._held else GESTURE))
        self._last_change, self._held = (now, True) if dragging else (0.0, False)
        self._follow(choice)

    def _released(self) -> None:
        """A slider is let go."""
        self._held = False

    def choose(self, choice: Choice) -> None:
        """Take a whole setting, as a preset or a link has it."""
        choice = session.checked(choice)
        self.history.note(choice)
        self._go_to(choice)

    def undo(self) -> None:
        """Take the last change back."""
        self._go_to(self.history.undo())

    def redo(self) -> None:
        """Make it again."""
        self._go_to(self.history.redo())

    def reset(self) -> None:
        """The problem as its source has it."""
        self.choose(session.of_problem(self.history.now.built().key, self.history.now))

    def _go_to(self, choice: Choice) -> None:
        with pn.io.hold():
            self.chooser.show(choice)
            self._follow(choice)

    # ------------------------------------------------------------------ computing

    def _follow(self, choice: Choice) -> None:
        """Compute what is chosen: at once if that is short, or else beside the page; the newest request wins."""
        self._cancel.set()
        if not self._busy and (self._is_short(choice) or not _is_served()):
            self._compute(choice)
        else:
            self._wanted = choice
            if not self._busy:
                self._busy = True
                pn.state.execute(self._compute_beside)

    def _is_short(self, choice: Choice) -> bool:
        """Whether a choice is computed in less time than a person notices: few steps, and nothing to compile."""
        known = all((choice.problem, label) in COMPILED for label in choice.methods)
        return known and choice.steps * len(choice.methods) <= AT_ONCE

    def _compute(self, choice: Choice) -> None:
        self._cancel = engine.Cancellation()
        self._show(compute(choice, self._cancel))

    async def _compute_beside(self) -> None:
        """Compute in another thread until nothing newer is wanted; tell how far it is."""
        loop = asyncio.get_running_loop()
        try:
            while self._wanted is not None:
                choice, self._wanted = self._wanted, None
                self._cancel = engine.Cancellation()
                done: deque[float] = deque([0.0], maxlen=1)
                job = loop.run_in_executor(WORKERS, partial(compute, choice, self._cancel, done.append))
                while not (await asyncio.wait({job}, timeout=TOLD_EACH))[0]:
                    self._progress.value = round(100 * done[0])
                    self._working.visible = True
                results = job.result()
                if self._wanted is None:
                    self._show(results)
        except Exception as error:
            self.notice([f"This could not be computed: {error}"])
            raise
        finally:
            self._busy = False
            self._working.visible = False

    def stop(self) -> None:
        """End a long run where it is."""
        self._wanted = None
        self._cancel.set()

    # ------------------------------------------------------------------ showing

    @property
    def _scene(self) -> Any:
        return self.scenes[self._pictures.chosen[0]]

    def _set_the_stage(self) -> None:
        """Only the picture that is seen is in the browser."""
        self._show_again(self._scene)
        self._stage.objects = [self._scene.panel]

    def _show(self, results: Results) -> None:
        """Everything that is in view follows; what is hidden follows when it is shown."""
        self.results = results
        COMPILED.update((results.choice.problem, label) for label in results.choice.methods)
        with pn.io.hold():
            for view in (self.plots, self._scene, self.ledger, self.card, self.takeaway):
                view.show(results)
            self._status.html = self._said(results)
            self._legend.html = _legend(results)
            words = results.choice.query() | {"version": polhode_version()}
            own_window = pn.state.location is not None and pn.state.curdoc is not None
            self.bridge.tell(results, polhode_version(), f"?{urlencode(words)}" if own_window else "")

    def _show_again(self, view: Any) -> None:
        if self.results is not None:
            with pn.io.hold():
                view.show(self.results)

    def _said(self, results: Results) -> str:
        choice = results.choice
        n = len(results.runs)
        kept = f" · each {ordinal(choice.every())} state is kept" if choice.every() > 1 else ""
        return f"{choice.steps:,} steps × {n} method{'s' if n != 1 else ''} · {1000 * results.seconds:.3g} ms{kept}"

    def notice(self, texts: list[str]) -> None:
        """Tell of something at the top of the page, until it is closed."""
        told = " ".join(texts[:MOST_NOTICES]) + (" …" if len(texts) > MOST_NOTICES else "")
        note = pmui.Alert(object=plain(told), severity="info", closeable=True, sizing_mode="stretch_width")
        self._notices.objects = [note] if texts else []

    # ------------------------------------------------------------------ the page

    def page(self) -> pmui.Page:
        """The whole page, to be served."""
        side = [self.chooser.panel, self._working, self._status]
        self._page = pmui.Page(
            title="Polhode",
            site_url="#",
            sidebar=side,
            sidebar_width=320,
            header=[self._header()],
            main=[self.main()],
            theme_config={"light": _theme("#0b5cad"), "dark": _theme("#7db4f0")},
            sx=CALM,
            sidebar_resizable=False,
            dark_theme=pn.state.cookies.get(THEME) == "dark",
            meta_description="How time integrators treat a rotating rigid body.",
        )
        with edit_readonly(self._page):
            # By itself it follows the server's being busy, for which the server keeps it, and all that belongs to it,
            # for ever; and each time it goes through all models of the page, most of the time that an answer took.
            self._page.busy = param.rx(False)
        document = pn.state.curdoc
        if document is not None:
            document.js_on_event(ConnectionLost, CustomJS(code=LOST))
            pn.state.on_session_destroyed(lambda _: self.stop())
        self._page.param.watch(lambda event: setattr(self.bridge, "theme", THEMES[event.new]), "dark_theme")
        return self._page

    def _opened(self, dark: bool = False, narrow: bool = False) -> None:
        """A window shows the page: in the theme that its visitor prefers, and with room for the views."""
        if self._page is not None:
            if dark and THEME not in pn.state.cookies:
                self._page.dark_theme = True
            if narrow:
                self._page.sidebar_open = False

    def in_notebook(self) -> pn.Row:
        """The widgets beside the views."""
        side = pn.Column(self._header(), self.chooser.panel, self._working, self._status, width=320)
        return pn.Row(side, self.main(), sizing_mode="stretch_width")

    def alone(self, name: str) -> pn.viewable.Viewable:
        """One of the views, with what it needs."""
        views: dict[str, Any] = {"plots": self.plots, "ledger": self.ledger, "card": self.card}
        pictures = dict(zip(ALONE, self.scenes, strict=True))
        if name not in views | pictures:
            raise ValueError(f"there is no view {name!r}; there are {', '.join(views | pictures)}")
        view = self.scenes[pictures[name]] if name in pictures else views[name]
        self._show_again(view)
        return pn.Column(view.panel, self.bridge, sizing_mode="stretch_width", min_height=SCENE_HEIGHT)

    def main(self) -> pn.Column:
        """The views, without the widgets."""
        left = pn.Column(
            _card(self._pictures, self._stage, height=SCENE_HEIGHT),
            _card(self.card.panel),
            styles={"flex": "1 1 440px", "min-width": "min(440px, 100%)", "max-height": "none"},
        )
        right = pn.Column(
            _card(self._legend, self.plots.panel),
            _card(self.ledger.panel),
            styles={"flex": "1.25 1 520px", "min-width": "min(520px, 100%)", "max-height": "none"},
        )
        # On a narrow window one is below the other, and the page is as long as both.
        long = {"max-height": "none"}
        both = pn.FlexBox(left, right, flex_wrap="wrap", sizing_mode="stretch_width", margin=0, styles=long)
        return pn.Column(
            self._notices, both, self.bridge, self.help.panel, sizing_mode="stretch_width", margin=0, styles=long
        )

    def _header(self) -> pn.Row:
        groups: dict[str, list[dict[str, Any]]] = {}
        for preset in presets.PRESETS:
            groups.setdefault(preset.group, []).append({"label": preset.title, "key": preset.key})
        items: list[dict[str, Any] | None] = [
            {"label": "Surprise me", "key": ""},
            {"label": "This problem as its source has it", "key": RESETS},
        ]
        for group, entries in groups.items():
            items += [None, *({"label": f"{group}: {entry['label']}", "key": entry["key"]} for entry in entries)]
        small = {"fontSize": "12px"}
        menu = pmui.MenuButton(label="Presets", items=items, size="small", variant="text", margin=0, sx=small)
        menu.on_click(lambda item: self._preset(item.get("key", "")))
        return pn.Row(
            pn.HSpacer(),
            menu,
            self.takeaway.panel,
            _button(UNDO, "Undo (Ctrl+Z)", self.undo),
            _button(REDO, "Redo (Ctrl+Shift+Z)", self.redo),
            _button(RESET, "Reset: the problem as its source has it", self.reset, stylesheets=[WIDE_ONLY]),
            _button(HELP, "Help and keys (?)", self.help.toggle),
            sizing_mode="stretch_width",
            styles={"align-items": "center"},
            margin=0,
        )

    def _preset(self, key: str) -> None:
        if key == RESETS:
            return self.reset()
        found = [preset for preset in presets.PRESETS if preset.key == key]
        self.choose(found[0].choice if found else presets.surprise(Random()))
        self.notice([f"{found[0].title}. {found[0].sentence}"] if found else [])


CALM = {
    ".MuiAppBar-root": {
        "bgcolor": "primary.contrastText",
        "color": "primary.main",
        "backgroundImage": "none",
        "boxShadow": "none",
        "borderBottom": "1px solid",
        "borderColor": "divider",
        "& .MuiTypography-root": {"color": "text.primary"},
        "& .MuiLinearProgress-root": {"display": "none"},
        "@media (max-width: 599px)": {
            "& .MuiTypography-root": {"display": "none"},
            "& .MuiIconButton-root": {"mr": 0},
        },
    }
}
"""A bar in the colour of paper: the colours belong to the methods. A narrow one has no room for the name."""
WIDE_ONLY = "@media (max-width: 599px) { :host { display: none } }"
LOST = """
if (!document.getElementById("polhode-lost")) {
  const told = Object.assign(document.createElement("div"), {id: "polhode-lost", role: "alert"});
  told.style.cssText = "position:fixed;inset:auto 0 0 0;z-index:9999;padding:12px;text-align:center;"
    + "font:14px/1.5 sans-serif;background:#33404d;color:#fff";
  const again = Object.assign(document.createElement("button"), {textContent: "Load the page again"});
  again.style.cssText = "margin-left:12px;font:inherit;padding:2px 10px";
  again.onclick = () => location.reload();
  told.append("The connection to the server is lost; what is chosen is in the address.", again);
  document.body.append(told);
}
"""
STILL = {"transition": "none"}
RESETS = "reset"
"""Among the presets: the one of the problem that is there."""


def _drawn(path: str) -> str:
    """A line drawing for a button, 24 units wide."""
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="black" stroke-width="2" '
        f'stroke-linecap="round" stroke-linejoin="round"><path d="{path}"/></svg>'
    )


UNDO = _drawn("M8 5 4 9l4 4M4 9h10a5 5 0 0 1 0 10h-4")
REDO = _drawn("M16 5l4 4-4 4M20 9H10a5 5 0 0 0 0 10h4")
RESET = _drawn("M5 5v5h5M5.6 10A7.5 7.5 0 1 1 4.6 14")
HELP = _drawn("M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 18v.01")


def _theme(accent: str) -> dict[str, Any]:
    """One accent, small type, and words as they are written."""
    return {
        "palette": {"primary": {"main": accent}},
        "typography": {"fontSize": 13, "button": {"textTransform": "none"}},
        # A tooltip over a neighbour does not take its clicks.
        "components": {
            "MuiTooltip": {"defaultProps": {"disableInteractive": True}},
            # What glides or fades takes a frame's work each 16 ms just when the answer is computed and drawn.
            "MuiSlider": {"styleOverrides": {"thumb": STILL, "track": STILL}},
            "MuiMenu": {"defaultProps": {"transitionDuration": 0}},
            "MuiButtonBase": {"defaultProps": {"disableTouchRipple": True}},
        },
    }


def plain(text: str) -> str:
    """Words as they are, where Markdown and HTML would be understood: a link's words are those of a stranger."""
    return "".join(c if c.isalnum() or c in " .,:;=()" else f"&#{ord(c)};" for c in text)


def _is_served() -> bool:
    """Whether events go on while something is computed beside them."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _button(icon: str, words: str, act: Callable[[], Any], **params: Any) -> pmui.IconButton:
    button = pmui.IconButton(
        icon=icon, label=words, description=words, size="small", icon_size="20px", color="primary", margin=0, **params
    )
    button.on_click(lambda _: act())
    return button


def _card(*parts: Any, **params: Any) -> pmui.Paper:
    """A part of the page, in a frame of its own."""
    sizing = "stretch_width"
    return pmui.Paper(*parts, sizing_mode=sizing, margin=6, elevation=0, variant="outlined", **params)


def _legend(results: Results) -> str:
    """The methods with their colours, once for all plots."""
    dots = [f"<span><i style='background:{line.colour}'></i>{escape(line.label)}</span>" for line in results.lines]
    return f"<div class='legend'>{''.join(dots)}</div>"


def from_link(search: str) -> tuple[Choice, list[str]]:
    """What a link's query asks for."""
    query = dict(parse_qsl(search.lstrip("?"), keep_blank_values=True)[:60])
    choice, notices = session.from_query(query)
    here = polhode_version()
    if query.get("version", here) != here:
        notices.append(
            f"This link was made with version {query['version'][:20]}; this is {here}: figures may differ."
        )
    return choice, notices
