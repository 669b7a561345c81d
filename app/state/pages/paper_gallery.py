"""The gallery of the papers' figures and claims, with the recorded verdicts."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from engine import papers
from engine.export.citations import list_authors, parse_bibtex, parse_entries
from engine.papers import Claim, Figure, LabSetting, Measured

from ..choice import Choice, validate
from ..presets.preset import choice

OTHERS = "others"
"""The key of the numbers of others, which the page shows in place of a figure."""


@dataclass(frozen=True, eq=False)
class Item:
    """An item of the gallery: a figure with the claims that it bears on, or a claim without a
    figure.
    """

    figure: Figure | None
    recorded: tuple[Measured, ...]

    @property
    def about(self) -> Figure | Claim:
        """The figure, or the claim if there is none."""
        return self.figure or self.recorded[0].claim

    @property
    def key(self) -> str:
        """Its name in a link."""
        return self.about.key

    @property
    def title(self) -> str:
        """Its title."""
        return self.figure.title if self.figure else self.recorded[0].claim.key

    @property
    def see(self) -> str:
        """What the figure shows, or the reason of the verdict."""
        return self.figure.see if self.figure else self.recorded[0].claim.reason


@dataclass(frozen=True)
class Paper:
    """A citation of a paper, in short and in full."""

    key: str
    short: str
    full: str
    doi: str


@functools.lru_cache(maxsize=1)
def list_items() -> tuple[Item, ...]:
    """Every figure, and then every claim without a figure, with the recorded verdicts."""
    recorded = {m.claim.key: m for m in papers.load_verdicts().measured}
    figures = papers.figures()
    shown = {key for figure in figures for key in figure.claims}
    with_figure = [
        Item(figure, tuple(recorded[key] for key in figure.claims)) for figure in figures
    ]
    return (*with_figure, *(Item(None, (m,)) for key, m in recorded.items() if key not in shown))


def find_item(key: str) -> Item | None:
    """The item of this key, or the first item with the claim of this key."""
    by_claim = (item for item in list_items() if any(m.claim.key == key for m in item.recorded))
    return next((item for item in list_items() if item.key == key), next(by_claim, None))


@functools.lru_cache(maxsize=64)
def cite_paper(reference: str) -> Paper:
    """The citation of a paper from its BibTeX."""
    (entry,) = parse_entries(reference)
    fields = {name: parse_bibtex(value) for name, value in entry.fields.items()}
    last = [name.partition(", ")[0] for name in fields["author"].split(" and ")]
    short = f"{' and '.join(filter(None, [', '.join(last[:-1]), last[-1]]))} {fields['year']}"
    place = " ".join(fields[name] for name in ("journal", "volume") if name in fields)
    archive = f"{fields['archiveprefix']}:{fields['eprint']}" if "eprint" in fields else ""
    parts = [list_authors(entry), fields["title"], place, fields.get("pages", ""), archive]
    return Paper(
        entry.key,
        short,
        f"{', '.join(filter(None, parts))} ({fields['year']}).",
        entry.fields.get("doi", ""),
    )


def count_verdicts(verdicts: Sequence[Measured]) -> dict[str, int]:
    """The number of claims for each verdict."""
    words = [m.verdict for m in verdicts]
    return {
        word: words.count(word)
        for word in (papers.claim.REPRODUCED, papers.claim.PARTLY, papers.claim.REFUTED)
    }


def find_choice(setting: LabSetting) -> Choice:
    """The choice of the lab, or of the page Two bodies, that shows the same motion."""
    return validate(
        choice(setting.problem, setting.methods, setting.dt, setting.duration, **setting.parameters)
    )


def write_snippet(item: Item) -> str:
    """A Python program that computes a figure and measures its claims."""
    lines = ["from engine import papers", ""]
    if item.figure:
        lines += [
            f"drawn = papers.find_figure({item.figure.key!r}).curves()",
            "print(drawn.to_frame())",
        ]
        lines += ["print(drawn.to_table())  # what the paper prints, beside what was measured"]
    for m in item.recorded:
        lines += [
            "",
            f"measured = papers.find({m.claim.key!r}).measure()",
            "print(measured.verdict)",
        ]
        lines += ["print(measured.to_frame())"]
    if item.figure:
        lines += ["", "# In a notebook, the plots as the page draws them:"]
        lines += [f"# import app; app.paper_figure({item.figure.key!r})"]
    return "\n".join(lines) + "\n"
