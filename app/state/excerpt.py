"""Excerpts of a page or of a live demo: chosen parts and fields, a caption, and whether it plays
automatically.

The opening view and the simple view are excerpts of the lab, too.

The words of an excerpt follow the `?` in the address of a page, and the `#` in that of a demo.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engine.quantities import list_own_groups
from engine.text.formatting import join_words

from .choice import Choice, list_parameters

WORDS = ("show", "controls", "caption", "play")
"""The words of an excerpt in a link."""
NO_CONTROLS = "none"
LONGEST_CAPTION = 300
"""Largest number of characters of a caption."""
START = "start"
"""The opening view, in links, and the preset that it shows."""
SIMPLE = "simple"
"""The simple view of the lab, in links."""
LONGEST_QUOTE = 40
"""Characters of an unknown name that a notice repeats."""


@dataclass(frozen=True)
class Part:
    """A part that can be shown alone: its word in links, its title, whether it is a plot, and where
    it exists.
    """

    word: str
    title: str
    plot: bool = False
    page: bool = True
    demo: bool = True


PARTS = {
    "so3": (
        Part("poinsot", "Poinsot's construction"),
        Part("body", "Body in space"),
        Part("momentum", "Momentum sphere", demo=False),
        Part("sphere", "From above", demo=False),
        Part("flat", "Paths", demo=False),
        Part("energy", "Energy error", plot=True),
        Part("pi", "Momentum error", plot=True),
        Part("pi_e3", "Momentum about the vertical", plot=True),
        Part("pi_chi", "Momentum about the body's axis", plot=True),
        Part("casimir", "Casimir", plot=True),
        Part("orthogonality", "Orthogonality", plot=True),
        Part("attitude", "Attitude error", plot=True),
        Part("motion", "Angular velocity", plot=True, page=False),
        Part("steps", "Rotation per step", plot=True, page=False),
        Part("ledger", "Table of what each method kept and lost"),
        Part("card", "What a method is", demo=False),
        Part("about", "Python, citation and link", page=False),
    ),
    "se3": (
        Part("space", "Both bodies in space"),
        Part("relative", "As seen from body 2", demo=False),
        Part("energy", "Energy error", plot=True),
        Part("linear_momentum", "Linear momentum error", plot=True),
        Part("angular_momentum", "Angular momentum error", plot=True),
        Part("orthogonality", "Orthogonality", plot=True),
        Part("attitude", "Attitude error", plot=True, demo=False),
        Part("place", "Place error", plot=True, page=False),
        Part("orbit", "Orbit", plot=True, page=False),
        Part("rotation", "Rotation of the bodies", plot=True, page=False),
        Part("ledger", "Table of what each method kept and lost"),
        Part("card", "What a method is", demo=False),
        Part("about", "Python, citation and link", page=False),
    ),
    "rates": (
        Part("body", "Body in space"),
        Part("axis", "Trace of an axis", demo=False),
        Part("attitude", "Attitude error", plot=True),
        Part("drift", "Drift", plot=True),
        Part("norm", "Length of the quaternion", plot=True),
        Part("orthogonality", "Orthogonality", plot=True),
        Part("motion", "Angular velocity", plot=True, page=False),
        Part("steps", "Rotation per step", plot=True, page=False),
        Part("ledger", "Table of what each method kept and lost"),
        Part("card", "What a method is", demo=False),
        Part("about", "Python, citation and link", page=False),
    ),
}
"""Parts by the space of a choice. An invariant has a plot if the motion conserves it."""


def list_parts(choice: Choice) -> tuple[Part, ...]:
    """The parts for a choice, with the plots of the problem's own integrals, and in demos groups of
    plots that plugins add.
    """
    integrals = (Part(one.key, one.title, plot=True) for one in choice.build_problem().integrals)
    groups = (
        Part(group.lower(), group, plot=True, page=False) for group in list_own_groups(choice.space)
    )
    return (*PARTS[choice.space], *integrals, *groups)


@dataclass(frozen=True)
class Excerpt:
    """A selection: all parts if `show` is empty, all fields if `controls` is None; `play` defaults
    to True.

    `page` is the key of its own page, if it has one.
    """

    show: tuple[str, ...] = ()
    controls: tuple[str, ...] | None = None
    caption: str = ""
    play: bool | None = None
    page: str = ""

    @property
    def alone(self) -> bool:
        """Whether the parts stand alone, without the bar and the other pages."""
        return not self.page and (bool(self.show) or self.controls is not None)

    @property
    def plays(self) -> bool:
        """Whether it plays automatically."""
        return self.play is not False

    def has(self, part: str) -> bool:
        """Whether it shows a part."""
        return not self.show or part in self.show

    def asks(self, field: str) -> bool:
        """Whether it has a field."""
        return self.controls is None or field in self.controls

    def query(self) -> dict[str, str]:
        """The words of a link."""
        if self.page:
            return {"page": self.page}
        words = {"show": ",".join(self.show)}
        words["controls"] = "" if self.controls is None else ",".join(self.controls) or NO_CONTROLS
        words |= {"caption": self.caption, "play": {None: "", True: "yes", False: "no"}[self.play]}
        return {name: text for name, text in words.items() if text}


WHOLE = Excerpt()
VIEWS = {page: Excerpt(("body",), ("dt",), page=page) for page in (START, SIMPLE)}
"""The opening view and the simple view, by their words in links."""


def list_fields(choice: Choice) -> dict[str, str]:
    """The labels of the fields, by their names in a link."""
    own = {
        name: p.title
        for name, p in list_parameters(choice.build_problem()).items()
        if p.matters(choice.build_problem().values)
    }
    return {"problem": "Problem", "methods": "Methods", "dt": "Δt", "duration": "Duration"} | own


def read_query(query: Mapping[str, str], choice: Choice) -> tuple[Excerpt, list[str]]:
    """Return the excerpt of a link, and a notice for each refused part."""
    notices: list[str] = []

    def read_names(word: str, names: Iterable[str]) -> tuple[str, ...]:
        asked = [name for name in map(str.strip, query.get(word, "").split(",")) if name]
        wrong = [name[:LONGEST_QUOTE] for name in asked if name not in names]
        if wrong:
            notices.append(
                f"{word}: there is no {join_words(wrong[:3], 'or')} here; there are {join_words(list(names))}."
            )
        return tuple(dict.fromkeys(name for name in asked if name in names))

    show = read_names("show", [part.word for part in list_parts(choice) if part.page])
    controls: tuple[str, ...] | None = ()
    if query.get("controls", "").strip() != NO_CONTROLS:
        controls = read_names("controls", list_fields(choice)) or None
    play = query.get("play", "")
    if play not in ("", "yes", "no"):
        notices.append(f"play is yes or no; got {play[:LONGEST_QUOTE]!r}.")
    plays = {"yes": True, "no": False}.get(play)
    return Excerpt(show, controls, query.get("caption", "")[:LONGEST_CAPTION], plays), notices
