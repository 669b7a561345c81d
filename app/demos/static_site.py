"""The static site: a gallery of all presets as live demos, and the documentation if its sources are
there.

All links are relative, so that the site works in any folder of any static host and needs no other
host.
"""

from __future__ import annotations

import importlib.util
import itertools
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

import engine
from engine import papers

from ..asset_files import read_styles, render_page, render_template
from ..charts.scales import Scale, find_limits, to_axis
from ..charts.svg import Drawing, Stroke
from ..state import COLOURS, FIRST, polhode_version
from ..state.lessons import find_lesson, list_outlines, read_texts
from ..state.pages.paper_gallery import count_verdicts
from ..state.presets import ALL_PRESETS
from ..state.presets.preset import Preset
from . import lessons, live, static_lab
from .demo_folder import DemoFolder

PROJECT = Path(__file__).resolve().parents[2]
"""The project's folder, unless the package is installed elsewhere."""
ROWS = 400
"""Number of rows of the run in a card's picture."""
PICTURE = 420, 170
"""Width and height of a card's picture."""


def write_site(
    folder: Path,
    presets: Iterable[Preset] = ALL_PRESETS,
    progress: Callable[[int, int], Any] = lambda done, of: None,
    taught: Iterable[str] = tuple(read_texts()),
    pairs: static_lab.Pairs | None = None,
) -> list[str]:
    """Write the site with these presets and lessons into a folder; return sentences on what is
    missing.

    The lab of the site has these pairs of problems and methods, by default all. `progress` is
    called with the number of finished demos and pairs, and of all.

    Raises
    ------
    ValueError
        If the folder contains anything but an earlier site.
    OSError
        If the site cannot be written; an earlier site stays as it was.
    """
    if folder.exists() and any(folder.iterdir()) and not (folder / MARK).exists():
        raise ValueError(
            f"{str(folder)!r} contains other files; give a new folder, or one with an earlier site"
        )
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with tempfile.TemporaryDirectory(dir=folder, prefix=MARK) as work:
            missing = _write_parts(Path(work), presets, progress, taught, pairs)
            for part in PARTS:
                shutil.rmtree(folder / part, ignore_errors=True)
            for written in Path(work).iterdir():
                written.replace(folder / written.name)
    except OSError as error:
        if is_new:
            shutil.rmtree(folder)
        raise OSError(error.errno, error.strerror, str(folder)) from error
    return missing


def _write_parts(
    folder: Path,
    presets: Iterable[Preset],
    progress: Callable[[int, int], Any],
    taught: Iterable[str],
    pairs: static_lab.Pairs | None,
) -> list[str]:
    """Write all parts into an empty folder; return sentences on what is missing."""
    (folder / "gallery").mkdir()
    (folder / MARK).write_text("", encoding="utf-8")
    chosen = list(presets)
    demos = DemoFolder(folder / "demos")
    pairs = static_lab.list_pairs() if pairs is None else pairs
    done = itertools.count(1)
    of = len(chosen) + sum(map(len, pairs.values()))
    for preset in chosen:
        demos.add(preset.key, live.build_demo(preset.choice))
        progress(next(done), of)
    help_page = "" if _find_obstacle() else "../docs/index.html"
    static_lab.add_lab(demos, pairs, help_page, lambda: progress(next(done), of))
    demos.add("first", live.build_demo(FIRST["so3"]))
    for key in taught:
        demos.add(f"lesson-{key}", lessons.build_lesson(find_lesson(key)))
    groups: dict[str, list[Preset]] = {}
    for preset in chosen:
        groups.setdefault(preset.heading, []).append(preset)
    cards = render_template("gallery-cards", groups=groups, draw_picture=draw_picture)
    gallery = _page("gallery", "Gallery of live demos · Polhode", "script-src 'self'", CARDS=cards)
    (folder / "gallery" / "index.html").write_text(gallery, encoding="utf-8")
    missing = _write_documentation(folder / "docs")
    ways = {
        "demos": len(chosen),
        "lessons": {key: list_outlines()[key] for key in taught},
    } | _count_documented()
    _write_first_page(folder, has_docs=not missing, archive="", **ways)
    size = _pack(folder)  # the page in the archive has no link to it
    _write_first_page(folder, has_docs=not missing, archive=size, **ways)
    return missing


MARK = ".polhode-site"
PARTS = "demos", "docs", "gallery"
ARCHIVE = "polhode.zip"


def _page(name: str, title: str, allowed: str, **texts: str) -> str:
    """A page of the site with these texts."""
    return render_page(
        name,
        title,
        allowed,
        **texts,
        STYLE=read_styles("standalone", "site"),
        VERSION=escape(polhode_version()),
    )


def _write_first_page(folder: Path, **ways: Any) -> None:
    page = _page("site", "Polhode", "frame-src 'self'", WAYS=render_template("site-ways", **ways))
    (folder / "index.html").write_text(page, encoding="utf-8")


def _count_documented() -> dict[str, Any]:
    claims = papers.load_verdicts().measured
    methods = len(engine.algorithms(None))
    problems = len(engine.problems(None))
    return {
        "methods": methods,
        "problems": problems,
        "claims": len(claims),
        "verdicts": count_verdicts(claims),
    }


def _pack(folder: Path) -> str:
    """Pack the site into an archive; return its size."""
    archive = folder / ARCHIVE
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for file in sorted(
            path for path in folder.rglob("*") if path.is_file() and path != archive
        ):
            packed.write(file, Path("polhode") / file.relative_to(folder))
    return f"{archive.stat().st_size / 1e6:.1f} MB"


def draw_picture(preset: Preset) -> str:
    """The energy error of each method, in the colours of the demo."""
    problem = preset.choice.build_problem()
    strokes = []
    for label, method, colour in zip(
        preset.choice.methods, preset.choice.algorithms, COLOURS, strict=False
    ):
        run = engine.simulate(problem, method, dt=preset.choice.dt,
                              steps=preset.choice.steps, samples=ROWS)  # fmt: skip
        energy = run.quantity("energy")
        whole = abs(energy[0]) or 1.0
        with np.errstate(all="ignore"):
            strokes.append(
                Stroke(label, colour, run.t, to_axis((energy - energy[0]) / whole, log=True))
            )
    end = max(float(stroke.t[-1]) for stroke in strokes) or 1.0
    values = find_limits([stroke.y for stroke in strokes], log=True)
    across = Scale("time t", (0.0, end))
    up = Scale("|ΔE / E₀|", values, log=True)
    return Drawing("Energy", strokes, across, up, size=PICTURE).draw()


def find_documentation() -> Path | None:
    """The sources of the documentation: beside the package, or in the working directory if that is
    the project's folder.
    """
    for folder in (PROJECT, Path.cwd()):
        if (folder / "docs" / "pages.py").exists() and (folder / "CITATION.cff").exists():
            return folder / "docs"
    return None


def _find_obstacle() -> str:
    """The reason why the documentation cannot be built, if there is one."""
    if find_documentation() is None:
        return "The documentation is left out: run this in the project's folder, which has its sources."
    if importlib.util.find_spec("sphinx") is None:
        return "The documentation is left out: it needs Sphinx, `pip install sphinx myst-parser`."
    return ""


def _write_documentation(folder: Path) -> list[str]:
    """Build the documentation; return the reason if that fails."""
    if obstacle := _find_obstacle():
        return [obstacle]
    with tempfile.TemporaryDirectory() as work:
        place = ("-D", "demos=../demos", "-A", "site=../index.html", "-d", work)
        command = [
            sys.executable,
            "-m",
            "sphinx",
            "-q",
            *place,
            str(find_documentation()),
            str(folder),
        ]
        done = subprocess.run(command, capture_output=True, text=True)
    return (
        []
        if done.returncode == 0
        else [f"The documentation could not be built: {done.stderr.strip()[-300:]}"]
    )
