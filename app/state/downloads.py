"""Downloads of the runs: a zip file with the run files, the program that makes them, a link and
citations.
"""

from __future__ import annotations

import io
import tempfile
import threading
import zipfile
from pathlib import Path

from engine import cite
from engine.kernels import Cancelled, is_cancelled
from engine.simulation import AnyRun
from engine.text.formatting import join_words, show

from .choice import Choice
from .links import link
from .results import Results

MOST_BYTES = 50_000_000
"""Largest size of a download."""
DIGITS = 22
"""Bytes of a number in a CSV file, with its comma."""
ENDINGS = ("parquet", "npz", "csv")


class TooLarge(ValueError):
    """The files exceed the size of a download."""


def write_citation(choice: Choice) -> str:
    """The setting and its link, and the BibTeX of its sources; BibTeX ignores the lines above the
    entries.
    """
    setting = f"{choice.describe()} · to t = {show(choice.duration)}"
    return f"{setting}\n{link(choice)}\n\n{cite(choice.build_problem(), *choice.algorithms)}\n"


def zip_runs(
    results: Results,
    ending: str,
    most: int = MOST_BYTES,
    cancel: threading.Event | None = None,
) -> bytes:
    """A zip file with each run as .parquet, .npz or .csv, the program that makes them, and what to
    cite.

    Raises
    ------
    Cancelled
        If `cancel` is set meanwhile.
    TooLarge
        If the files hold more than `most` bytes before compression.
    """
    if ending not in ENDINGS:
        raise ValueError(f"runs are saved as {join_words(ENDINGS, 'or')}; got {ending!r}")
    runs = [line.run for line in results.runs]
    size = sum(len(run) * len(run.columns()) for run in runs) * (DIGITS if ending == "csv" else 8)
    if size > most:
        raise TooLarge(
            f"The runs hold {size / 1e6:,.0f} MB as .{ending}, and a download may hold {most / 1e6:,.0f} MB. "
            "The Python snippet makes them on your own machine."
        )
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive,
        tempfile.TemporaryDirectory() as folder,
    ):
        for run in runs:
            if is_cancelled(cancel):
                raise Cancelled
            saved = run.save(Path(folder) / f"{run_file_name(run)}.{ending}")
            archive.write(saved, saved.name)
        archive.writestr("runs.py", results.choice.snippet())
        archive.writestr("link.txt", link(results.choice) + "\n")
        archive.writestr("cite.bib", write_citation(results.choice))
    return packed.getvalue()


def run_file_name(run: AnyRun) -> str:
    """Problem and method, in characters that every file system accepts."""
    name = f"{run.problem.label} {run.method.given_name}"
    return "".join(c if c.isalnum() or c in "+-=." else "_" for c in name).strip("_")
