"""What can be taken along: a link and the run files; a live demo is made in `live.py`."""

from __future__ import annotations

import io
import tempfile
import zipfile
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlencode

from engine.citations import cite
from engine.provenance import version_of
from engine.run import AnyRun
from engine.wording import listed

from .model.excerpt import WHOLE, Excerpt
from .model.results import Results
from .model.session import Choice
from .model.view import BEGUN, View

MOST_BYTES = 50_000_000
"""What a download may hold at most."""
DIGITS = 22
"""Bytes that a number takes in a CSV file, with its comma."""
ENDINGS = ("parquet", "npz", "csv")


class Linked(Protocol):
    """What a link can lead to: a choice of the lab, or what another page is asked."""

    def query(self) -> dict[str, str]:
        """The words of the link."""
        ...


class TooLarge(ValueError):
    """What was asked for holds more than a download may."""


def polhode_version() -> str:
    """The version that links and files carry."""
    return version_of() or "from a folder"


def link(asked: Linked, excerpt: Excerpt = WHOLE, lesson: str = "", view: View = BEGUN) -> str:
    """The query that leads to what was chosen, or to an excerpt of it, or asked of a study; with our version."""
    beside = {"lesson": lesson} if lesson else {}
    beside |= view.query()
    return "?" + urlencode(asked.query() | excerpt.query() | beside | {"version": polhode_version()}, safe=",()*")


def citation(choice: Choice) -> str:
    """The BibTeX of all that a setting rests on; which setting that is stands above, where BibTeX reads over it."""
    methods = (choice.method(label) for label in choice.methods)
    return f"{choice.told()} · to t = {choice.duration:g}\n{link(choice)}\n\n{cite(choice.built(), *methods)}\n"


# ------------------------------------------------------------------------------------------------- run files


def run_files(results: Results, ending: str = "parquet", most: int = MOST_BYTES) -> bytes:
    """A zip file with each run as .parquet, .npz or .csv, the snippet that makes them again, and what to cite.

    Raises
    ------
    TooLarge
        If the files would hold more than `most` bytes before they are packed, in one sentence.
    """
    if ending not in ENDINGS:
        raise ValueError(f"runs are saved as {listed(ENDINGS, 'or')}; got {ending!r}")
    size = sum(len(run) * len(run.columns()) for run in runs(results)) * (DIGITS if ending == "csv" else 8)
    if size > most:
        raise TooLarge(
            f"The runs hold {size / 1e6:,.0f} MB as .{ending}, and a download may hold {most / 1e6:,.0f} MB; "
            "the Python snippet makes them on your own machine."
        )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive, tempfile.TemporaryDirectory() as folder:
        for run in runs(results):
            saved = run.save(Path(folder) / f"{filename(run)}.{ending}")
            archive.write(saved, saved.name)
        archive.writestr("runs.py", results.choice.snippet())
        archive.writestr("link.txt", link(results.choice) + "\n")
        archive.writestr("cite.bib", citation(results.choice))
    return packed.getvalue()


def runs(results: Results) -> list[Any]:
    """The runs that there are."""
    return [line.run for line in results.runs]


def filename(run: AnyRun) -> str:
    """Problem and method, in letters that every file system takes."""
    name = f"{run.problem.label} {run.method.label}"
    return "".join(c if c.isalnum() or c in "+-=." else "_" for c in name).strip("_")
