"""Numbers of others beside the lab's, with the verdict on each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.papers import AGREES, DIFFERS, WRONG, Compared, Comparison

from ...asset_files import render_template
from ...state.pages.paper_gallery import cite_paper
from .reproduction import find_place


def comparisons_html(found: Mapping[Comparison, Sequence[Compared]]) -> str:
    """Return the number of verdicts, and a part for each source's numbers of a motion."""
    verdicts = [c.verdict for compared in found.values() for c in compared]
    counts = {word: verdicts.count(word) for word in (AGREES, DIFFERS, WRONG)}
    return render_template(
        "comparisons", found=found, counts=counts, cite_paper=cite_paper, find_place=find_place
    )
