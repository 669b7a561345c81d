"""The pictures of a page, one at a time, with tabs to choose among them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import panel as pn

from engine.parameters.formula import Formula

from ...scene import given_rates, two_bodies
from ...scene.player import Player
from ...state import DEFAULT_VIEW, LAYOUTS, Excerpt, Lab, Results, View
from ..controls.appearance import Appearance
from ..controls.chooser import Chooser
from ..controls.switches import Switches
from .body_scene import Body3D
from .flat_picture import FlatView
from .flat_poinsot import FlatPoinsot
from .given_rates import GivenRates3D
from .momentum_sphere import Momentum3D, MomentumSphere
from .poinsot import TRACES, Poinsot3D
from .two_bodies import TwoBodies3D

Pictures = dict[str, Callable[[], Any]]


def list_one_body(chooser: Chooser, appearance: Appearance) -> Pictures:
    """Return the pictures of one body, which share its appearance."""
    return {
        "Poinsot": partial(Poinsot3D, appearance, chooser.drag_handler("R0")),
        "Body in space": partial(Body3D, chooser.set_body, appearance, chooser.drag_handler("R0")),
        "Momentum sphere": partial(Momentum3D, appearance, chooser.drag_handler("Omega0")),
        "From above": partial(MomentumSphere, chooser.drag_handler("Omega0")),
        "Paths": FlatPoinsot,
    }


def list_two_bodies(*_: Any) -> Pictures:
    """Return the pictures of two bodies: in space, and relative to body 2."""
    return {
        frame: partial(TwoBodies3D, frame) for frame in (two_bodies.INERTIAL, two_bodies.RELATIVE)
    }


def list_given_rates(*_: Any) -> Pictures:
    """Return the pictures of an attitude with given rates: the body, and the trace of its axis."""
    return {label: partial(GivenRates3D, kind) for kind, label in given_rates.LABELS.items()}


PICTURES: dict[str, Callable[[Chooser, Appearance], Pictures]] = {
    "so3": list_one_body,
    "se3": list_two_bodies,
    "rates": list_given_rates,
}
"""Pictures by the space of a choice."""


NO_SIZE: Mapping[str, Any] = {"height": None, "styles": {"min-height": "0"}}
"""The size of a layout that is as high as its contents; Bokeh keeps a style that is not replaced."""


class Stage:
    """The pictures of an excerpt; only the chosen one is in the browser, and each is built when it
    is first shown.

    `on_look` is called when a person looks at them in another way. Pictures in 3D have this `size`,
    parameters of a layout, and those in 2D are as high as their contents; without a size, they fill
    their place.
    """

    def __init__(
        self,
        lab: Lab,
        excerpt: Excerpt,
        chooser: Chooser,
        on_look: Callable[..., Any],
        size: Mapping[str, Any],
    ) -> None:
        self._excerpt = excerpt
        self._on_look = on_look
        self._size = size
        self.appearance = Appearance(chooser.shapes)
        chooser.shapes.ask_mesh = self._ask_mesh
        chooser.preview_torque = self._preview_torque
        self._makers = PICTURES[lab.space](chooser, self.appearance)
        words = zip(self._makers, lab.pictures, strict=True)
        self._words = {title: word for title, word in words if excerpt.has(word.lower())}
        self._pictures: dict[str, Any] = {}
        self._results: Results | None = None
        self._opened = 1
        self._layout = LAYOUTS[0]
        self._start = ""
        self._view = DEFAULT_VIEW
        titles = list(self._words)
        self.switches = Switches(
            sets=[("Picture", "The picture in space", titles, "tabs")],
            chosen=titles[:1],
            useful=["Picture"] if len(titles) > 1 else [],
            margin=0,
        )
        self.panel = pn.Column(sizing_mode="stretch_width" if size else "stretch_both", margin=0)
        self._update()
        self.switches.param.watch(lambda _: self._update(), "chosen")
        self.switches.param.watch(on_look, "chosen")

    def __bool__(self) -> bool:
        """Whether the excerpt has a picture."""
        return bool(self._words)

    @property
    def title(self) -> str:
        """The title of the chosen picture; empty without pictures."""
        return next(iter(self.switches.chosen), "")

    @property
    def can_follow(self) -> bool:
        """Whether a browser can draw its own runs in the chosen picture."""
        return not self.title or isinstance(self.picture().panel, Player)

    def choose(self, title: str) -> None:
        """Choose a picture."""
        self.switches.chosen = [title]

    def picture(self, title: str = "") -> Any:
        """Return a picture, by default the chosen one; None without pictures."""
        title = title or self._start or self.title
        if title and title not in self._pictures:
            picture = self._pictures[title] = self._makers[title]()
            if isinstance(picture, FlatView):
                picture.switches.param.watch(self._on_look, "chosen")
            else:
                picture.panel.param.watch(self._on_look, ["camera", "speed", "body", "layout"])
                picture.panel.param.watch(self._keep_layout, "layout")
        return self._pictures.get(title)

    def find_picture(self, word: str) -> Any:
        """Return the picture of this name in links, showing the results; None if there is none."""
        title = next((title for title, one in self._words.items() if one == word), "")
        picture = self.picture(title) if title else None
        if picture is not None and self._results is not None:
            picture.show(self._results)
        return picture

    def show(self, results: Results) -> None:
        """Show results in the chosen picture."""
        self._results = results
        if self.title:
            self.switches.labels = [] if results.is_free else [["Poinsot", TRACES]]
            self.picture().show(results)

    def hold(self, on: bool) -> None:
        """Show the bodies at their start, in a picture without their motion; or all pictures, from
        the start.
        """
        start = (
            next((title for title, word in self._words.items() if word in ("body", "space")), "")
            if on
            else ""
        )
        if start != self._start:
            self._start = start
            self.switches.visible = not start
            self._update()
            self.look(self._view)

    def _update(self) -> None:
        """Put the chosen picture into the page."""
        picture = self.picture()
        if picture is None:
            return
        if self._results is not None:
            with pn.io.hold():
                picture.show(self._results)
        if isinstance(picture.panel, Player):
            picture.panel.layout = self._layout
            if not picture.panel.look:
                self._open(picture, DEFAULT_VIEW)
        size = NO_SIZE if isinstance(picture, FlatView) else self._size
        self.panel.param.update(objects=[picture.panel], **size)

    def _open(self, picture: Any, view: View) -> None:
        """Start the motion, unless the browser has already started this one in another picture."""
        picture.panel.open(self._opened, view.speed, view.camera, self._excerpt.plays)

    def _ask_mesh(self) -> None:
        """Open the browser's choice of a mesh file, in the picture that draws it."""
        title = next((title for title, word in self._words.items() if word == "body"), "")
        if title:
            self.choose(title)
            self.picture().panel.asked += 1

    def _preview_torque(self, torque: Formula) -> None:
        """Show a torque that a person types in the chosen picture, if it has an arrow for it."""
        picture = self.picture()
        if isinstance(picture, Poinsot3D):
            picture.preview_torque(torque)

    def _keep_layout(self, event: Any) -> None:
        self._layout = event.new

    # ------------------------------------------------------------------ view

    def read_view(self) -> dict[str, Any]:
        """Return the attributes of a `View` that belong to the pictures."""
        picture = self.picture()
        first = next(iter(self._words), "")
        player = (
            picture.panel if picture is not None and isinstance(picture.panel, Player) else None
        )
        return {
            "picture": "" if self.title == first else self._words[self.title],
            "along": picture.along if isinstance(picture, FlatView) else "",
            "speed": player.speed if player else "",
            "camera": tuple(player.camera) if player else (),
            "shape": self.appearance.link_shape,
            "layout": self._layout,
        }

    def look(self, view: View, *, anew: bool = True) -> None:
        """Show the pictures in this way; `anew`, or another picture, speed or camera, restarts the
        motion.
        """
        before = self.read_view()
        self._view = view
        self.appearance.shape = view.shape
        self._layout = view.layout
        titles = list(self._words)
        self.switches.chosen = [
            title for title in titles if self._words[title] == view.picture
        ] or titles[:1]
        picture = self.picture()
        if isinstance(picture, FlatView):
            picture.choose(view.along)
        elif picture is not None:
            kept = ("picture", "speed", "camera")
            if anew or any(getattr(view, name) != before[name] for name in kept):
                self._opened += 1
                self._open(picture, view)
            picture.panel.layout = view.layout
            if picture.panel.bodies:
                picture.panel.body = view.shape
