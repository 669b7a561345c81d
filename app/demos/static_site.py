"""The static site: a gallery of all presets as live demos, and the documentation if its sources are there.

All links are relative, so that the site works in any folder of any static host and needs no other host.
"""

from __future__ import annotations

import importlib.util
import itertools
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Mapping
from html import escape
from itertools import starmap
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

import engine
from engine import papers
from engine.text.formatting import format_step

from ..asset_files import read_html, read_styles, render_page
from ..charts.scales import Scale, find_limits, to_axis
from ..charts.svg import Drawing, Stroke
from ..state import COLOURS, FIRST, polhode_version
from ..state.lessons import find_lesson, read_texts
from ..state.presets import OF_TWO_BODIES, PRESETS
from ..state.presets.preset import Preset
from ..state.topics.paper_gallery import count_verdicts
from . import lessons, live, static_lab
from .shelf import Shelf

DOCS = Path(__file__).resolve().parents[2] / "docs"
"""The sources of the documentation, in the project's folder."""
ROWS = 400
"""Number of rows of the run in a card's picture."""
PICTURE = 420, 170
"""Width and height of a card's picture."""


def write_site(
    folder: Path,
    presets: Iterable[Preset] = (*PRESETS, *OF_TWO_BODIES),
    progress: Callable[[int, int], Any] = lambda done, of: None,
    taught: Iterable[str] = tuple(read_texts()),
    pairs: static_lab.Pairs | None = None,
) -> list[str]:
    """Write the site with these presets and lessons into a folder; return sentences on what is missing.

    The lab of the site has these pairs of problems and methods, by default all. `progress` is called with the number
    of finished demos and pairs, and of all.

    Raises
    ------
    ValueError
        If the folder contains anything but an earlier site.
    """
    if folder.exists() and any(folder.iterdir()) and not (folder / MARK).exists():
        raise ValueError(f"{str(folder)!r} contains other files; give a new folder, or one with an earlier site")
    for part in PARTS:
        shutil.rmtree(folder / part, ignore_errors=True)
    (folder / "gallery").mkdir(parents=True)
    (folder / MARK).write_text("", encoding="utf-8")
    chosen, shelf = list(presets), Shelf(folder / "demos")
    pairs = static_lab.list_pairs() if pairs is None else pairs
    done, of = itertools.count(1), len(chosen) + sum(map(len, pairs.values()))
    for preset in chosen:
        shelf.add(preset.key, live.build_demo(preset.choice))
        progress(next(done), of)
    help_page = "" if _find_obstacle() else "../docs/index.html"
    static_lab.add_lab(shelf, pairs, help_page, lambda: progress(next(done), of))
    shelf.add("first", live.build_demo(FIRST["so3"]))
    for key in taught:
        shelf.add(f"lesson-{key}", lessons.build_lesson(find_lesson(key)))
    groups: dict[str, list[Preset]] = {}
    for preset in chosen:
        groups.setdefault(preset.heading, []).append(preset)
    texts = {"GROUPS": " · ".join(map(_link_to_group, groups)), "CARDS": "".join(starmap(_group, groups.items()))}
    gallery = _page("gallery", "Gallery of live demos · Polhode", "script-src 'self'", **texts)
    (folder / "gallery" / "index.html").write_text(gallery, encoding="utf-8")
    missing = _write_documentation(folder / "docs")
    ways = {
        "DEMOS": str(len(chosen)),
        "DOCS": "" if missing else _link_documentation(),
        "LESSONS": "".join(map(_link_to_lesson, taught)),
    }
    _write_first_page(folder, ways | {"ARCHIVE": ""})
    _write_first_page(folder, ways | {"ARCHIVE": _pack(folder)})  # the page in the archive has no link to it
    return missing


MARK = ".polhode-site"
PARTS = "demos", "docs", "gallery"
ARCHIVE = "polhode.zip"


def _page(name: str, title: str, allowed: str, **texts: str) -> str:
    """A page of the site with these texts."""
    return render_page(
        name, title, allowed, **texts, STYLE=read_styles("standalone", "site"), VERSION=escape(polhode_version())
    )


def _write_first_page(folder: Path, ways: Mapping[str, str]) -> None:
    (folder / "index.html").write_text(_page("site", "Polhode", "frame-src 'self'", **ways), encoding="utf-8")


def _link_documentation() -> str:
    verdicts = papers.load_verdicts().measured
    counts = ", ".join(f"{number} {verdict}" for verdict, number in count_verdicts(verdicts).items())
    methods, problems, claims = (str(len(x)) for x in (engine.algorithms(None), engine.problems(None), verdicts))
    return read_html("site-docs", METHODS=methods, PROBLEMS=problems, CLAIMS=claims, VERDICTS=escape(counts))


def _link_to_lesson(key: str) -> str:
    return f"<a href='demos/lesson-{key}.html'><b>{escape(find_lesson(key).title)}</b> A lesson with live demos.</a>"


def _pack(folder: Path) -> str:
    """Pack the site into an archive; return the link to it."""
    archive = folder / ARCHIVE
    archive.unlink(missing_ok=True)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for file in sorted(path for path in folder.rglob("*") if path.is_file() and path != archive):
            packed.write(file, Path("polhode") / file.relative_to(folder))
    size = f"{archive.stat().st_size / 1e6:.1f} MB"
    words = f"All of this as one archive of {size}. Unpacked, it opens from the disk and needs no network."
    return f"<a href='{ARCHIVE}'><b>Download</b> {words}</a>"


def _link_to_group(group: str) -> str:
    return f"<a href='#{quote(group)}'>{escape(group)}</a>"


def _group(name: str, presets: list[Preset]) -> str:
    return f"<h2 id='{quote(name)}'>{escape(name)}</h2><div class=cards>{''.join(map(_card, presets))}</div>"


def _card(preset: Preset) -> str:
    """The card of a preset: its picture, its sentence, and links to its demo."""
    problem, methods = preset.choice.build_problem(), ", ".join(preset.choice.methods)
    return read_html(
        "gallery-card",
        KEY=escape(preset.key),
        NAME=quote(preset.key),
        TITLE=escape(preset.title),
        PLAIN=escape(preset.title.replace('"', "")),
        PICTURE=draw_picture(preset),
        SENTENCE=escape(preset.sentence),
        SETTING=escape(f"{problem.name} · {methods} · Δt = {format_step(preset.choice.dt)}"),
    )


def draw_picture(preset: Preset) -> str:
    """The energy error of each method, in the colours of the demo."""
    problem, strokes = preset.choice.build_problem(), []
    for label, method, colour in zip(preset.choice.methods, preset.choice.algorithms, COLOURS, strict=False):
        run = engine.simulate(problem, method, dt=preset.choice.dt,
                              steps=preset.choice.steps, samples=ROWS)  # fmt: skip
        whole = abs(run.energy[0]) or 1.0
        with np.errstate(all="ignore"):
            strokes.append(Stroke(label, colour, run.t, to_axis((run.energy - run.energy[0]) / whole, log=True)))
    end = max(float(stroke.t[-1]) for stroke in strokes) or 1.0
    values = find_limits([stroke.y for stroke in strokes], log=True)
    across, up = Scale("time t", (0.0, end)), Scale("|ΔE / E₀|", values, log=True)
    return Drawing("Energy", strokes, across, up, size=PICTURE).draw()


def _find_obstacle() -> str:
    """The reason why the documentation cannot be built, if there is one."""
    if not (DOCS / "conf.py").exists():
        return "The documentation is left out: its sources are in Polhode's own folder only."
    if importlib.util.find_spec("sphinx") is None:
        return "The documentation is left out: it needs Sphinx, `pip install sphinx myst-parser`."
    return ""


def _write_documentation(folder: Path) -> list[str]:
    """Build the documentation; return the reason if that fails."""
    if obstacle := _find_obstacle():
        return [obstacle]
    with tempfile.TemporaryDirectory() as work:
        place = ("-D", "demos=../demos", "-A", "site=../index.html", "-d", work)
        command = [sys.executable, "-m", "sphinx", "-q", *place, str(DOCS), str(folder)]
        done = subprocess.run(command, capture_output=True, text=True)
    return [] if done.returncode == 0 else [f"The documentation could not be built: {done.stderr.strip()[-300:]}"]
