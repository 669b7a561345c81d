"""What a link shows of a page or a live demo: some parts and fields alone, a caption, whether it plays by itself.

The words stand in a page's address behind the `?`, and in a demo's behind the `#`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from engine.wording import listed

from .session import Choice, asked_of

WORDS = ("show", "controls", "caption", "play")
"""Of a link; nothing of what they say is part of a choice."""
NO_CONTROLS = "none"
LONGEST_CAPTION = 300
"""Characters of a caption that are looked at."""
MOST_TOLD = 40
"""Characters of a name that is not known."""


@dataclass(frozen=True)
class Part:
    """A part that can be shown alone: what links and people call it, whether it is a plot, and who has it."""

    word: str
    title: str
    plot: bool = False
    page: bool = True
    demo: bool = True


ENERGY = Part("energy", "Energy error", plot=True)
ORTHOGONALITY = Part("orthogonality", "Orthogonality", plot=True)
LEDGER = Part("ledger", "Table of what each method kept and lost")
CARD = Part("card", "What a method is", demo=False)
ABOUT = Part("about", "Python, citation and link", page=False)

PARTS = {
    "so3": (
        Part("poinsot", "Poinsot's construction"),
        Part("body", "Body in space"),
        Part("sphere", "|Π| sphere", demo=False),
        Part("flat", "Flat views", demo=False),
        ENERGY,
        Part("pi", "Momentum error", plot=True),
        Part("pi_e3", "Momentum about the vertical", plot=True),
        Part("pi_chi", "Momentum about the body's axis", plot=True),
        Part("casimir", "Casimir", plot=True),
        ORTHOGONALITY,
        Part("attitude", "Attitude error", plot=True),
        LEDGER,
        CARD,
        ABOUT,
    ),
    "se3": (
        Part("space", "Both bodies in space"),
        Part("relative", "As seen from body 2", demo=False),
        ENERGY,
        Part("linear_momentum", "Linear momentum error", plot=True),
        Part("angular_momentum", "Angular momentum error", plot=True),
        ORTHOGONALITY,
        Part("attitude", "Place error", plot=True, page=False),
        LEDGER,
        CARD,
        ABOUT,
    ),
}
"""By the space of a choice. Of a quantity there is a plot where the motion keeps it."""


def parts(choice: Choice) -> tuple[Part, ...]:
    """Those that can be shown of a choice: a problem's further integrals are plotted too."""
    further = (Part(one.key, one.title, plot=True) for one in choice.built().integrals)
    return (*PARTS[choice.space], *further)


@dataclass(frozen=True)
class Excerpt:
    """What is shown: with no parts in `show` all of them, with None for `controls` all fields.

    `play` is whether it plays by itself, as it does if it is not told.
    """

    show: tuple[str, ...] = ()
    controls: tuple[str, ...] | None = None
    caption: str = ""
    play: bool | None = None

    @property
    def alone(self) -> bool:
        """Whether parts stand alone, without the bar and the other pages."""
        return bool(self.show) or self.controls is not None

    @property
    def plays(self) -> bool:
        """Whether it plays by itself."""
        return self.play is not False

    def has(self, part: str) -> bool:
        """Whether a part is shown."""
        return not self.show or part in self.show

    def asks(self, field: str) -> bool:
        """Whether a field is there."""
        return self.controls is None or field in self.controls

    def query(self) -> dict[str, str]:
        """The words of a link."""
        words = {"show": ",".join(self.show)}
        words["controls"] = "" if self.controls is None else ",".join(self.controls) or NO_CONTROLS
        words |= {"caption": self.caption, "play": {None: "", True: "yes", False: "no"}[self.play]}
        return {name: text for name, text in words.items() if text}


WHOLE = Excerpt()


def fields(choice: Choice) -> dict[str, str]:
    """The fields that can be asked for, by their names in a link, and what a person calls them."""
    own = {name: p.title for name, p in asked_of(choice.built()).items() if p.matters(choice.built().values)}
    return {"problem": "Problem", "methods": "Methods", "dt": "Δt", "duration": "Duration"} | own


def from_query(query: Mapping[str, str], choice: Choice) -> tuple[Excerpt, list[str]]:
    """What of the page a link shows, and what of that cannot be had; for this nothing stands in."""
    notices: list[str] = []

    def known(word: str, names: Iterable[str]) -> tuple[str, ...]:
        asked = [name for name in map(str.strip, query.get(word, "").split(",")) if name]
        wrong = [name[:MOST_TOLD] for name in asked if name not in names]
        if wrong:
            notices.append(f"{word}: there is no {listed(wrong[:3], 'or')} here; there are {listed(list(names))}.")
        return tuple(dict.fromkeys(name for name in asked if name in names))

    show = known("show", [part.word for part in parts(choice) if part.page])
    controls: tuple[str, ...] | None = ()
    if query.get("controls", "").strip() != NO_CONTROLS:
        controls = known("controls", fields(choice)) or None
    play = query.get("play", "")
    if play not in ("", "yes", "no"):
        notices.append(f"play is yes or no; got {play[:MOST_TOLD]!r}.")
    plays = {"yes": True, "no": False}.get(play)
    return Excerpt(show, controls, query.get("caption", "")[:LONGEST_CAPTION], plays), notices


def of_demos(choice: Choice) -> Sequence[tuple[str, str]]:
    """The parts of a live demo: what links and people call them."""
    return [(part.word, part.title) for part in parts(choice) if part.demo]
