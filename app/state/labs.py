"""The labs of one body and of two: the plots, the ledger, the presets and the words of a view of
each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from engine.text.formatting import join_words

from . import given_rates, narration, one_body, two_bodies, view
from .choice import Choice
from .ledger import Ledger
from .pages import which_update
from .presets import list_presets
from .presets.preset import Preset
from .presets.surprise import surprise, surprise_of_rates, surprise_of_two
from .quantities import Group, Quantity, add_own_groups
from .results import Results

LONGEST_QUOTE = 40
"""Characters of a refused word that a notice repeats."""


@dataclass(frozen=True)
class Lab:
    """What the lab of one body offers, or that of two bodies.

    Attributes
    ----------
    space : "so3" for one body, "se3" for two.
    page : the key of its page.
    place : where that page is, in words.
    pictures : the names of the pictures in space.
    picture_help : what the pictures show, for the help.
    first_groups : the groups of plots by name, before those that other quantities name.
    invariants : the quantities that a run may conserve, as plots.
    ledger : the table of deviations and costs.
    narrate : tells what moves and how in some results.
    method_options : the title of the options of a method.
    has_shapes : whether a body can take the inertia of a shape.
    fits_by_step : whether methods fit by the step, so that only those that fit are offered.
    fine, adaptive : the methods for the exact motion in a browser: with steps of one size, and with
        its own steps, where there are the series or the rates that it needs.
    error : the key of the error that a demo shows, and its word in links.
    offers_variants : whether the lab without a server has variants of methods.
    advise : of a setting, the link to advice about it, and its words.
    has_simple_view : whether the simple view shows its settings.
    takes_recordings : whether a visitor can choose a recording as the problem.
    presets, surprise : settings to start from, and a random one.
    showcase, invitation : the key of the preset behind the button above the views, and the text of
        the button.
    lesson : the key of the lesson beside it.
    """

    space: str
    page: str
    place: str
    pictures: tuple[str, ...]
    picture_help: str
    first_groups: Mapping[str, Group]
    invariants: Callable[[Results], list[Quantity]]
    ledger: Ledger
    narrate: Callable[[Results], str]
    method_options: str
    has_shapes: bool
    has_simple_view: bool
    presets: Sequence[Preset]
    surprise: Callable[[Random], Choice]
    showcase: str
    invitation: str
    lesson: str
    fine: str
    adaptive: str
    error: str = "attitude"
    fits_by_step: bool = False
    offers_variants: bool = False
    advise: Callable[[Choice], tuple[str, str]] | None = None
    takes_recordings: bool = False

    @property
    def groups(self) -> dict[str, Group]:
        """The groups of plots by name."""
        return add_own_groups(self.first_groups, self.space)

    @property
    def view_words(self) -> dict[str, tuple[str, ...]]:
        """The words of a view by attribute, for attributes with few values; no two attributes share
        a word.
        """
        return {
            "picture": self.pictures,
            "along": (*view.BODY_AXES, *view.TRACES),
            "plots": tuple(self.groups),
            "axis": view.SCALES,
            "errors": view.ERRORS,
            "vector": view.VECTORS,
            "layout": view.LAYOUTS,
            "curves": view.CURVES,
            "shape": (view.AUTO, *view.SHAPES) if self.has_shapes else (view.AUTO,),
        }

    def read_view(self, query: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
        """The attributes of a view that a link sets, and a notice for each word that is refused."""
        values: dict[str, Any] = {}
        notices: list[str] = []
        for name in view.WORDS:
            if name not in query:
                continue
            text = query[name].strip()
            if name in self.view_words:
                value = view.match_word(text, self.view_words[name])
                allowed = join_words(self.view_words[name], "or")
            else:
                parse, allowed = PARSERS[name]
                value = parse(text)
            if value is None:
                notices.append(f"{name}: it cannot be {text[:LONGEST_QUOTE]!r}; it is {allowed}.")
            else:
                values[name] = value
        return values, notices


PARSERS: dict[str, tuple[Callable[[str], Any], str]] = {
    "speed": (view.parse_speed, "“fit”, or a number such as 2 or 1/4"),
    "camera": (
        view.parse_camera,
        f"azimuth, elevation up to {view.STEEPEST:g}, and nearness from {view.FARTHEST:g} to {view.NEAREST:g}, "
        "as -0.9,0.45,1",
    ),
}
"""How the other attributes of a view are read, and which values they take, in words."""

LABS = {
    "so3": Lab(
        space="so3",
        first_groups=one_body.GROUPS,
        ledger=one_body.LEDGER,
        narrate=narration.narrate,
        invariants=one_body.list_invariants,
        presets=list_presets("so3"),
        surprise=surprise,
        page="lab",
        place="in the lab",
        pictures=("Poinsot", "body", "momentum", "sphere", "flat"),
        picture_help="where the dots are where a method puts the body and the curve is where it should be",
        method_options="Energy correction, composition, options",
        has_shapes=True,
        has_simple_view=True,
        showcase="racket",
        invitation="See it flip",
        lesson="tennis-racket",
        fine="RKMK(tableau=dop853)",
        adaptive="TAYLOR",
    ),
    "se3": Lab(
        space="se3",
        first_groups=two_bodies.GROUPS,
        ledger=two_bodies.LEDGER,
        narrate=two_bodies.narrate,
        invariants=two_bodies.list_invariants,
        presets=list_presets("se3"),
        surprise=surprise_of_two,
        page="two-bodies",
        place="on Two bodies",
        pictures=("space", "relative"),
        picture_help="where one method's bodies are solid and the others' translucent, so that you see them part",
        method_options="Composition, options",
        has_shapes=False,
        has_simple_view=False,
        showcase="lee-close",
        invitation="See them meet",
        lesson="two-bodies",
        fine="LGVI4",
        adaptive="TAYLOR",
        error="place",
    ),
    "rates": Lab(
        space="rates",
        first_groups=given_rates.GROUPS,
        ledger=given_rates.LEDGER,
        narrate=given_rates.narrate,
        invariants=given_rates.list_errors,
        presets=list_presets("rates"),
        surprise=surprise_of_rates,
        page="gyroscope",
        place="on Gyroscope",
        pictures=("body", "axis"),
        picture_help="where the solid body turns by one method, the others are translucent, and an axis leaves a trace",
        method_options="Precision, options",
        has_shapes=False,
        has_simple_view=False,
        showcase="coning",
        invitation="See it drift",
        lesson="normalising",
        fine="MAGNUS(order=6)",
        adaptive="RKMK853",
        fits_by_step=True,
        offers_variants=True,
        advise=which_update.advise,
        takes_recordings=True,
    ),
}
"""Labs by the space of a choice."""
