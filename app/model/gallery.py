"""What the page of the papers tells of each figure before anything is computed, and what can be taken from it."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from engine import papers
from engine.citations import authors, entries, read
from engine.papers import Claim, Figure, LabSetting, Measured

from .preset import choice
from .session import Choice, checked


@dataclass(frozen=True, eq=False)
class Item:
    """What a card of the gallery opens: a figure with the claims that it bears on, or a claim without a figure."""

    figure: Figure | None
    recorded: tuple[Measured, ...]

    @property
    def told(self) -> Figure | Claim:
        """What its key, paper and place are those of."""
        return self.figure or self.recorded[0].claim

    @property
    def key(self) -> str:
        """What it is called in a link."""
        return self.told.key

    @property
    def title(self) -> str:
        """What it is about."""
        return self.figure.title if self.figure else self.recorded[0].claim.key

    @property
    def see(self) -> str:
        """What there is to see, or why it came out so."""
        return self.figure.see if self.figure else self.recorded[0].claim.reason


@dataclass(frozen=True)
class Paper:
    """A paper, as it is cited in a line and in full."""

    key: str
    short: str
    full: str
    doi: str


@functools.lru_cache(maxsize=1)
def items() -> tuple[Item, ...]:
    """Every figure, and after them every claim that none bears on; with what was recorded, nothing is computed."""
    recorded = {m.claim.key: m for m in papers.recorded().measured}
    figures = papers.figures()
    shown = {key for figure in figures for key in figure.claims}
    with_figure = [Item(figure, tuple(recorded[key] for key in figure.claims)) for figure in figures]
    return (*with_figure, *(Item(None, (m,)) for key, m in recorded.items() if key not in shown))


def find(key: str) -> Item | None:
    """The item of this key, or the first that shows the claim of this key."""
    by_claim = (item for item in items() if any(m.claim.key == key for m in item.recorded))
    return next((item for item in items() if item.key == key), next(by_claim, None))


@functools.lru_cache(maxsize=64)
def cited(reference: str) -> Paper:
    """A paper by its BibTeX."""
    (entry,) = entries(reference)
    told = {name: read(value) for name, value in entry.fields.items()}
    last = [name.partition(", ")[0] for name in told["author"].split(" and ")]
    short = f"{' and '.join(filter(None, [', '.join(last[:-1]), last[-1]]))} {told['year']}"
    place = " ".join(told[name] for name in ("journal", "volume") if name in told)
    archive = f"{told['archiveprefix']}:{told['eprint']}" if "eprint" in told else ""
    parts = [authors(entry), told["title"], place, told.get("pages", ""), archive]
    return Paper(entry.key, short, f"{', '.join(filter(None, parts))} ({told['year']}).", entry.fields.get("doi", ""))


def counted(verdicts: Sequence[Measured]) -> dict[str, int]:
    """How many claims there are of each verdict."""
    words = [m.verdict for m in verdicts]
    return {word: words.count(word) for word in (papers.claim.REPRODUCED, papers.claim.PARTLY, papers.claim.REFUTED)}


def choice_of(setting: LabSetting) -> Choice:
    """What the lab, or the page of two bodies, is opened with, to see the same."""
    return checked(choice(setting.problem, setting.methods, setting.dt, setting.duration, **setting.parameters))


def snippet(item: Item) -> str:
    """Python that computes a figure and measures its claims with the engine."""
    lines = ["from engine import papers", ""]
    if item.figure:
        lines += [f"drawn = papers.find_figure({item.figure.key!r}).curves()", "print(drawn.to_frame())"]
        lines += ["print(drawn.to_table())  # what the paper prints, beside what was measured"]
    for m in item.recorded:
        lines += ["", f"measured = papers.find({m.claim.key!r}).measure()", "print(measured.verdict)"]
        lines += ["print(measured.to_frame())"]
    if item.figure:
        lines += ["", "# In a notebook, the plots as the page draws them:"]
        lines += [f"# import app; app.paper_figure({item.figure.key!r})"]
    return "\n".join(lines) + "\n"
