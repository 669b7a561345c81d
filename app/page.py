"""The page: choose on the left, and everything else follows; one `Explorer` for each visitor."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from html import escape
from random import Random
from typing import Any

import panel as pn

import engine
from engine.run import Lazily
from engine.wording import elapsed, ordinal, sentence

from .bridge import Bridge
from .charts.pictures import recorded
from .component import has_address
from .following import Following
from .model import excerpt, lessons, session
from .model.entries import SLIDERS
from .model.excerpt import WHOLE, Excerpt
from .model.lessons import Lesson, Step
from .model.quantities import PLOTS, Group
from .model.results import Results
from .model.seen import seen
from .model.session import Choice, History
from .model.subject import SUBJECTS, Subject
from .model.view import BEGUN, View
from .model.view import from_query as view_from_query
from .player.component import Player
from .shell import card, whole_page
from .takeaway import link, polhode_version
from .views import paper
from .views.appearance import Appearance
from .views.bar import Bar
from .views.card import Card
from .views.chooser import Chooser
from .views.ledger import LedgerView
from .views.lesson import LessonView
from .views.notice import Notice
from .views.picture import FlatView
from .views.pictures import PICTURES
from .views.plots import HIGH, LOW, SWITCHES, TimePlots
from .views.presets import Entry, Groups, Presets
from .views.sheet import Sheet, caption
from .views.switches import Switches
from .views.takeaway import Takeaway
from .views.terms import marked

GESTURE = 1.0
"""Seconds within which the moves of a slider are one gesture, which one undo takes back."""
LONG_GESTURE = 30.0
"""The same while it is held."""
SURPRISES = Random()
"""What all surprises are drawn from; with a seed, the same ones come."""

SCENE_HEIGHT = 520
"""Pixels of the pictures in space."""


class Explorer:
    """The page of one visitor: what is chosen, what was computed, and the views that show it.

    An excerpt shows some of these alone, to stand in a page of another site. With a lesson, its steps stand beside
    the views, and `as_it_is` leaves to the first that is shown what is chosen. `seen` is how it is looked at.
    """

    def __init__(
        self,
        choice: Choice = session.FIRST["so3"],
        notices: Sequence[str] = (),
        shown: Excerpt = WHOLE,
        lesson: Lesson | None = None,
        *,
        as_it_is: bool = False,
        seen: View = BEGUN,
    ) -> None:
        first = lesson.steps[0] if lesson is not None and not as_it_is else Step("")
        choice = first.choice or choice
        self.subject = subject = SUBJECTS[choice.space]
        self._shown = shown
        self.history = History(choice)
        self._last_change = 0.0
        self._held = 0  # so many moves since something was let go

        self.chooser = Chooser(self.history.now, self._chosen, self._released, shown)
        self.bridge = Bridge(self._printed)
        self._following = Following(self.bridge, self._show, self._address, self._tell_failure)
        self.worker, self._heading = self._following.worker, self._following.heading
        self.plots, self.ledger, self.card = self._time_plots(choice.space), LedgerView(subject.ledger), Card()
        self.appearance = Appearance(self.chooser.shapes)
        makers = PICTURES[choice.space](self.chooser, self.appearance)
        words = dict(zip(makers, subject.alone, strict=True))
        pictures = [name for name, word in words.items() if shown.has(word.lower())]
        self._words = {name: words[name] for name in pictures}
        self.scenes = Lazily(pictures, lambda name: self._made(makers[name]()))
        self.takeaway = Takeaway(lambda choice: link(choice, view=self.view), lambda: self.view)
        self.presets = Presets(lambda: _offered(subject), self._picked)
        acts: dict[str, Callable[..., Any]] = {
            "undo": self.undo,
            "redo": self.redo,
            "reset": self.reset,
            "lesson": self._begin,
        }
        self.bar = Bar(acts, lessons.titles() if subject.taught else {}, subject.seen)
        self._lesson = LessonView(self._enter, self._leave, lambda why: self._notice.tell([why]))
        if lesson is not None:
            self._lesson.open(lesson, as_it_is)
        self._hidden = first.hidden
        self._cards: dict[str, pn.Column] = {}
        self._opened = 0
        self._heading.name(self.history.now.built().name)
        self._status, self._legend = caption(24), Sheet(self._step, style="legend", margin=0)
        self._seen = Sheet(lambda *_: self._picked(subject.shown_off), style="seen", margin=0)
        self._notice = Notice(list(notices))
        self._pictures = Switches(
            sets=[("Picture", "What is shown in space", pictures, "tabs")],
            chosen=pictures[:1],
            useful=["Picture"] if len(pictures) > 1 else [],
            margin=0,
        )
        pictured = (self._playing(view.panel) for view in self._scene)
        self._stage = pn.Column(*pictured, sizing_mode="stretch_both", margin=0)
        self._pictures.param.watch(lambda _: self._set_the_stage(), "chosen")
        self.plots.param.watch(self._looked, list(SWITCHES))
        if seen != self.view:
            self._look(seen)
        self.bridge.param.watch(lambda _: self.undo(), "undo")
        self.bridge.param.watch(lambda _: self.redo(), "redo")
        self.bridge.param.watch(lambda _: self.bar.toggle("help"), "help")
        self._following.begin(self.history.now)

    # ------------------------------------------------------------------ choosing

    def _chosen(self, choice: Choice, dragging: bool) -> None:
        """A visitor has chosen something."""
        now = time.monotonic()
        since = now - self._last_change
        if choice.problem != self.history.now.problem:
            self._notice.tell([])
        self.history.note(choice, same_gesture=dragging and since < (LONG_GESTURE if self._held else GESTURE))
        self._last_change, self._held = (now, self._held + 1) if dragging else (0.0, 0)
        self._following.follow(choice)

    def _step(self, _: str, name: str) -> None:
        """Halve or double Δt, where there is no wheel to be turned over the plots."""
        try:
            self.chooser.form.take(name, "")
        finally:
            self._legend.answer()

    def _released(self) -> None:
        """A slider is let go, or a key; one that was dragged is at the end of its gesture."""
        self._last_change, self._held = self._last_change if self._held == 1 else 0.0, 0

    def choose(self, choice: Choice) -> None:
        """Take a whole setting, as a preset or a link has it; what was told of another is over."""
        choice = session.checked(choice)
        self._notice.tell([])
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
            self._following.follow(choice)

    # ------------------------------------------------------------------ lessons

    def _begin(self, key: str) -> None:
        """Open a lesson, or ask for one of the visitor's own."""
        if key == OWN:
            self._lesson.ask_for_a_file()
        else:
            self._lesson.open(lessons.lesson(key))

    def _enter(self, step: Step, answered: bool, set_up: bool) -> None:
        """Show a step of the lesson: what it is about, and not yet what would answer its question."""
        self._hide(() if answered else step.hidden)
        choice = step.choice if set_up and step.choice != self.history.now else None
        if set_up:
            self._look(replace(self.view, **step.look), anew=choice is not None)
        if choice is not None:
            self.choose(choice)
        elif self.results is not None:
            self._tell(self.results)

    def _leave(self) -> None:
        """The lesson is closed."""
        self._hide(())
        if self.results is not None:
            self._tell(self.results)

    def _hide(self, names: Sequence[str]) -> None:
        """Hide these parts of the page, and no others."""
        self._hidden = tuple(names)
        self.ledger.verdict.visible = "table" not in names
        self._seen.visible = not names  # it tells how the body moves, and which method comes nearest
        for name, framed in self._cards.items():
            framed.visible = name not in names

    # ------------------------------------------------------------------ computing

    @property
    def results(self) -> Results | None:
        """What is shown."""
        return self._following.results

    def _tell_failure(self, error: Exception) -> None:
        self._notice.tell([f"This could not be computed: {error}"])

    def stop(self) -> None:
        """End a long run where it is."""
        self.worker.stop()

    # ------------------------------------------------------------------ showing

    @property
    def _scene(self) -> list[Any]:
        """The picture that is seen, if there is one."""
        return [self.scenes[name] for name in self._pictures.chosen]

    def _set_the_stage(self) -> None:
        """Only the picture that is seen is in the browser."""
        for view in self._scene:
            self._show_again(view)
        self._stage.objects = [self._playing(view.panel) for view in self._scene]

    def _playing(self, panel: Any) -> Any:
        """A picture that plays by itself, if it can and that is wanted; it is told so before it is in the browser."""
        if isinstance(panel, Player):
            panel.playing = self._shown.plays
        return panel

    def _show(self, results: Results) -> None:
        """Everything that is in view follows; what is hidden follows when it is shown."""
        with pn.io.hold():
            plots = [self.plots] if self.plots.plots else []
            for view in (*plots, *self._scene, self.ledger, self.card, self.takeaway):
                view.show(results)
            self._status.html = self._said(results)
            self._legend.html = _legend(results, self._shown.asks("dt"))
            self._seen.html = _what_is_seen(results, self.subject)
            self._heading.name(results.problem.name, results.choice.caption())
            self._tell(results)

    def _tell(self, results: Results) -> None:
        """Tell scripts, the address and those who do not see the page what is shown."""
        said = [results.problem.name, results.choice.caption()]
        said += [] if "table" in self._hidden else [self.ledger.conclusion]
        self.bridge.tell(results, polhode_version(), self._address(results.choice), said)

    def _address(self, choice: Choice) -> str:
        """The link to a choice, if the page has an address of its own to be changed; a lesson goes on from there."""
        lesson = self._lesson.lesson
        return link(choice, self._shown, lesson.key if lesson else "", self.view) if has_address() else ""

    def _printed(self, at: str) -> str:
        """What is shown, on one page of paper, with the link to it at this address."""
        results = self.results
        if results is None:
            return ""
        plots = [] if "plots" in self._hidden else [plot for plot in self.plots.plots if plot.panel.visible]
        table = None if "table" in self._hidden else self.subject.ledger.table(results)
        leads = paper.address(at) + link(results.choice, view=self.view)
        return paper.paper(results, [plot.svg(paper.PLOT, setting=False) for plot in plots], table, leads)

    def _show_again(self, view: Any) -> None:
        if self.results is not None:
            with pn.io.hold():
                view.show(self.results)

    def _said(self, results: Results) -> str:
        choice = results.choice
        n, seconds = len(results.runs), sum(line.run.cost.seconds for line in results.runs)
        kept = f" · each {ordinal(choice.every())} state is kept" if choice.every() > 1 else ""
        return f"{choice.steps:,} steps × {n} method{'s' if n != 1 else ''} in {elapsed(seconds)}{kept}"

    # ------------------------------------------------------------------ the page

    def page(self) -> pn.Template:
        """The page, to be served: the whole, or the excerpt, from which a link leads to the whole."""
        if self._shown.alone:
            return whole_page(self.subject.page, self.main(), whole=link(self.history.now))
        told = self._lesson if self.subject.taught else None
        return whole_page(self.subject.page, self.main(), self._beside_the_views(), self._tools(), told)

    def _beside_the_views(self) -> pn.Column:
        parts = self.chooser.panel, self._status
        return pn.Column(*parts, sizing_mode="stretch_width", margin=0)

    def _tools(self) -> pn.Row:
        return pn.Row(self.takeaway.panel, self.presets, self.bar, self.takeaway.dialogs, margin=0)

    def in_notebook(self) -> pn.Row:
        """The widgets beside the views."""
        side = pn.Column(self._tools(), self._beside_the_views(), width=320)
        return pn.Row(side, self.main(), sizing_mode="stretch_width")

    def alone(self, name: str) -> pn.viewable.Viewable:
        """One of the views, with what it needs."""
        views: dict[str, Any] = {"plots": self.plots, "ledger": self.ledger, "card": self.card}
        pictures = dict(zip(self.subject.alone, self.scenes, strict=True))
        if name not in views | pictures:
            raise ValueError(f"there is no view {name!r}; there are {', '.join(views | pictures)}")
        view = self.scenes[pictures[name]] if name in pictures else views[name]
        self._show_again(view)
        above = [self.ledger.verdict] if view is self.ledger else []
        return pn.Column(*above, view.panel, self.bridge, sizing_mode="stretch_width", min_height=SCENE_HEIGHT)

    def main(self) -> pn.Column:
        """The views; in an excerpt those that it has, with its widgets."""
        shown = self._shown
        # Alone no higher than the window, which may be a small frame in another page.
        fits = {"height": f"clamp(260px, 100vh - 150px, {SCENE_HEIGHT}px)"} if shown.alone else {}
        # What follows from the table is the headline of the plots, or its own where there are none.
        told = {"plots": [self._legend, self.plots.panel]} if self.plots.plots else {}
        told |= {"table": [self.ledger.panel]} if shown.has("ledger") else {}
        if shown.has("ledger"):
            next(iter(told.values())).insert(0, self.ledger.verdict)
        self._cards = {name: card(*parts) for name, parts in told.items()}
        if self.scenes:
            self._cards["picture"] = card(self._pictures, self._stage, height=SCENE_HEIGHT, styles=fits)
        self._hide(self._hidden)
        left = [self._cards[name] for name in ("picture",) if name in self._cards]
        left += [card(self.card.panel)] if shown.has("card") else []
        right = [self._cards[name] for name in ("plots", "table") if name in self._cards]
        if shown.alone:
            widgets = [card(self.chooser.panel)] if shown.controls != () else []
            columns = [(1, 220, widgets), (1.6, 320, left), (2, 320, right)]
        else:
            columns = [(1, 440, left), (1.25, 520, right)]
        # On a narrow window one is below the other, and the page is as long as all.
        long = {"max-height": "none"}
        views = pn.Row(
            *(_column(*column) for column in columns if column[-1]),
            sizing_mode="stretch_width",
            margin=0,
            styles=long | {"flex-wrap": "wrap"},
        )
        words = [] if shown.alone else [self._seen]
        words += [Sheet(style="said", margin=0, html=f"<p>{escape(shown.caption)}</p>")] if shown.caption else []
        parts = self._notice, self._heading.panel, *words, views, self.bridge
        return pn.Column(*parts, sizing_mode="stretch_width", margin=0, styles=long)

    def _time_plots(self, space: str) -> TimePlots:
        """All plots, or those of an excerpt, as far as there are such."""
        if not self._shown.show:
            return TimePlots(self.subject.groups)
        others = [part.word for part in excerpt.PARTS[space] if not part.plot]
        asked = [word for word in self._shown.show if word not in others]
        kept = Group(lambda results, _: [x for x in self.subject.kept(results) if x.part in asked])
        return TimePlots({"What is kept": kept}, HIGH if len(asked) < PLOTS - 1 else LOW, most=len(asked))

    def _picked(self, key: str) -> None:
        """A setting to begin with was picked: a preset, a problem, or one that is drawn at random."""
        found = [preset for preset in self.subject.presets if preset.key == key]
        problem = key.removeprefix(PROBLEM)
        with pn.io.hold():
            self._look(found[0].view if found else BEGUN)
            if found:
                self.choose(found[0].choice)
            elif problem != key:
                self.choose(session.of_problem(problem, self.history.now))
            else:
                self.choose(self.subject.surprise(SURPRISES))
        self._notice.tell([f"{sentence(found[0].title)} {found[0].sentence}"] if found else [])

    # ------------------------------------------------------------------ how it is looked at

    @property
    def view(self) -> View:
        """How this page is looked at just now, as presets, lessons and links have it."""
        picture = next(iter(self._pictures.chosen), "")
        shown = self.scenes[picture] if picture else None
        player = shown.panel if shown is not None and isinstance(shown.panel, Player) else None
        return View(
            picture="" if picture == next(iter(self.scenes), "") else self._words[picture],
            along=shown.along if isinstance(shown, FlatView) else "",
            plots="" if self.plots.group == next(iter(self.subject.groups)) else self.plots.group,
            axis=self.plots.axis,
            errors=self.plots.errors,
            vector=self.plots.vector,
            speed=player.speed if player else "",
            shape=self.appearance.told,
            camera=tuple(player.camera) if player else (),
        )

    def _look(self, seen: View, *, anew: bool = True) -> None:
        """Look at it like this; `anew` from its start, at its own speed, and from where it is to be seen from."""
        before = self.view
        self.appearance.shape = seen.shape
        groups = self.plots.param["group"].objects
        group = seen.plots if seen.plots in groups else groups[0]
        self.plots.param.update(group=group, axis=seen.axis, errors=seen.errors, vector=seen.vector)
        named = [name for name, word in self._words.items() if word == seen.picture]
        self._pictures.chosen = named or list(self._words)[:1]
        for shown in self._scene:
            if isinstance(shown, FlatView):
                shown.look(seen.along)
            elif anew or (seen.speed, seen.camera) != (before.speed, before.camera):
                self._opened += 1
                shown.panel.open(self._opened, seen.speed, seen.camera, self._shown.plays)
            if isinstance(shown.panel, Player) and shown.panel.bodies:
                shown.panel.body = seen.shape

    def _made(self, shown: Any) -> Any:
        """A picture that has been made; how it is looked at stands in the address."""
        if isinstance(shown, FlatView):
            shown.switches.param.watch(self._looked, "chosen")
        else:
            shown.panel.param.watch(self._looked, ["camera", "speed", "body"])
        return shown

    def _looked(self, *_: Any) -> None:
        """It is looked at in another way."""
        if self.results is not None:
            self.bridge.tell_address(self._address(self.history.now))
            self.takeaway.tell_link(self.history.now)


def _column(grow: float, width: int, parts: Sequence[Any]) -> pn.Column:
    """Cards below each other, at least so many pixels wide where there is room for that."""
    styles = {"flex": f"{grow} 1 {width}px", "min-width": f"min({width}px, 100%)", "max-height": "none"}
    return pn.Column(*parts, styles=styles)


OWN = "own"
"""Among the lessons: one of the visitor's own."""
PROBLEM = "problem "
"""How the key of a problem begins among the presets."""


def _offered(subject: Subject) -> Groups:
    """What there is to begin with: the presets in their groups, the problems, and a surprise."""
    groups: dict[str, list[Entry]] = {}
    pictures = recorded()
    for one in subject.presets:
        entry = one.key, one.title, str(one.sentence), one.words, pictures.get(one.key, ())
        groups.setdefault(one.heading, []).append(entry)
    for problem in engine.problems(subject.space):
        entry = PROBLEM + problem.key, problem.name, str(problem.summary), problem.words, ()
        groups.setdefault("Problems, as their sources have them", []).append(entry)
    groups["By chance"] = [("", "Surprise me", "A body, methods and a step, drawn at random.", "", ())]
    return list(groups.items())


def _what_is_seen(results: Results, subject: Subject) -> str:
    """What moves, in a sentence, and a way to what shows best why one looks."""
    best = next((p for p in subject.presets if p.key == subject.shown_off), None)
    button = f"<button id='flip' data-ask='flip'>{escape(subject.invites)}</button>"
    leads = best is not None and best.choice != results.choice
    return f"<div class='seen'><p>{marked(seen(results))}</p>{button * leads}</div>"


def _legend(results: Results, stepped: bool) -> str:
    """The methods with their colours, once for all plots; and for fingers, if it may be changed, what changes Δt."""
    dots = [f"<span><i style='background:{line.colour}'></i>{escape(line.label)}</span>" for line in results.lines]
    buttons = [
        f"<button data-ask='dt' value='{name}' title='{words}' aria-label='{words}'>{text}</button>"
        for name, text, words in SLIDERS[0].buttons
    ]
    steps = f"<span class='steps'>Δt {''.join(buttons)}</span>" * stepped
    return f"<div class='legend'>{''.join(dots)}{steps}</div>"


def lesson_of(query: Mapping[str, str]) -> tuple[Lesson | None, list[str]]:
    """The lesson that a link asks for, and what has to be said of that."""
    try:
        return (lessons.lesson(query["lesson"]), []) if query.get("lesson") else (None, [])
    except ValueError as error:
        return None, [str(error)]


def view_of(query: Mapping[str, str], space: str = "so3") -> tuple[View, list[str]]:
    """How a link's query has a page looked at, and what of it cannot be had."""
    found, notices = view_from_query(query, SUBJECTS[space])
    return View(**found), notices


def from_query(query: Mapping[str, str], space: str = "so3") -> tuple[Choice, Excerpt, list[str]]:
    """What a link's query asks for, what of it is shown, and what has to be said of that."""
    choice, notices = session.from_query({n: text for n, text in query.items() if n not in excerpt.WORDS}, space)
    shown, more = excerpt.from_query(query, choice)
    notices += more
    here = polhode_version()
    if query.get("version", here) != here:
        notices.append(
            f"This link was made with version {query['version'][:20]}; this is {here}: figures may differ."
        )
    return choice, shown, notices
