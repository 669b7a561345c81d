"""The static site: a gallery of all presets as live demos, and the documentation if its sources are there.

All links are relative, so that the site works in any folder of any static host and needs no other host.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from html import escape
from itertools import starmap
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

import engine
from engine import papers
from engine.text.formatting import format_step

from ..asset_files import read_styles, render_page
from ..charts.scales import Scale, find_limits, to_axis
from ..charts.svg import Drawing, Stroke
from ..state.choice import FIRST
from ..state.lessons import find_lesson, read_texts
from ..state.links import polhode_version
from ..state.presets import OF_TWO_BODIES, PRESETS
from ..state.presets.preset import Preset
from ..state.results import COLOURS
from ..state.topics.paper_gallery import count_verdicts
from . import lessons, live
from .shelf import Shelf

DOCS = Path(__file__).resolve().parents[2] / "docs"
"""The sources of the documentation, in the project's folder."""
ROWS = 400
"""Number of rows of the run in a card's picture."""
PICTURE = 420, 170
"""Width and height of a card's picture."""
FRAME = '<iframe sandbox="allow-scripts" src="{}" width="720" height="900" style="border:0" title="{}"></iframe>'

Link = tuple[str, str, str]
"""A link of the first page: address, title, and description."""


def write_site(
    folder: Path,
    presets: Iterable[Preset] = (*PRESETS, *OF_TWO_BODIES),
    progress: Callable[[int, int], Any] = lambda done, of: None,
    taught: Iterable[str] = tuple(read_texts()),
) -> list[str]:
    """Write the site with these presets and lessons into a folder; return sentences on what is missing.

    `progress` is called with the number of finished demos and of all demos.

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
    for i, preset in enumerate(chosen):
        shelf.add(preset.key, live.build_demo(preset.choice))
        progress(i + 1, len(chosen))
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
    links = [
        (
            "gallery/index.html",
            "Gallery",
            f"{len(chosen)} live demos: the settings of the papers' figures, and more.",
        ),
        *([] if missing else _link_documentation()),
        *((f"demos/lesson-{key}.html", find_lesson(key).title, "A lesson with live demos.") for key in taught),
    ]
    index = folder / "index.html"
    index.write_text(_first_page(links), encoding="utf-8")
    archive = _pack(folder)  # its first page has no link to the archive itself
    index.write_text(_first_page([*links, archive]), encoding="utf-8")
    return missing


MARK = ".polhode-site"
PARTS = "demos", "docs", "gallery"
ARCHIVE = "polhode.zip"


def _page(name: str, title: str, allowed: str, **texts: str) -> str:
    """A page of the site with these texts."""
    return render_page(
        name, title, allowed, **texts, STYLE=read_styles("standalone", "site"), VERSION=escape(polhode_version())
    )


def _first_page(links: Iterable[Link]) -> str:
    return _page("site", "Polhode", "frame-src 'self'", WAYS="".join(map(_format_link, links)))


def _link_documentation() -> list[Link]:
    verdicts = papers.load_verdicts().measured
    counts = ", ".join(f"{number} {verdict}" for verdict, number in count_verdicts(verdicts).items())
    return [
        ("docs/index.html", "Documentation", "The engine, the page, the shell, and every public name."),
        (
            "docs/methods/index.html",
            "Methods",
            f"{len(engine.algorithms(None))} methods in tables, and of each what it keeps, with a live demo.",
        ),
        (
            "docs/problems/index.html",
            "Problems",
            f"{len(engine.problems(None))} bodies and pairs of bodies, how they start, and what acts on them.",
        ),
        ("docs/papers.html", "Papers", f"{len(verdicts)} claims of the papers, measured: {counts}."),
    ]


def _pack(folder: Path) -> Link:
    """Pack the site into an archive; return the link to it."""
    archive = folder / ARCHIVE
    archive.unlink(missing_ok=True)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for file in sorted(path for path in folder.rglob("*") if path.is_file() and path != archive):
            packed.write(file, Path("polhode") / file.relative_to(folder))
    size = archive.stat().st_size / 1e6
    return (
        ARCHIVE,
        "Download",
        f"All of this as one archive of {size:.1f} MB. Unpacked, it opens from the disk and needs no network.",
    )


def _format_link(link: Link) -> str:
    address, title, sentence = map(escape, link)
    return f"<a href='{address}'><b>{title}</b> {sentence}</a>"


def _link_to_group(group: str) -> str:
    return f"<a href='#{quote(group)}'>{escape(group)}</a>"


def _group(name: str, presets: list[Preset]) -> str:
    return f"<h2 id='{quote(name)}'>{escape(name)}</h2><div class=cards>{''.join(map(_card, presets))}</div>"


def _card(preset: Preset) -> str:
    """The card of a preset: its picture, its sentence, and links to its demo."""
    name, title = quote(preset.key), escape(preset.title)
    address = f"../demos/{name}.html"
    problem, methods = preset.choice.build_problem(), ", ".join(preset.choice.methods)
    frame = escape(FRAME.format(f"{name}.html", preset.title.replace('"', "")))
    return (
        f"<article id='{escape(preset.key)}'>"
        f"<a href='{address}' aria-label='{title}: open the live demo'>{draw_picture(preset)}</a>"
        f"<h3><a href='{address}'>{title}</a></h3><p>{escape(preset.sentence)}</p>"
        f"<p class=how>{escape(problem.name)} · {escape(methods)} · Δt = {format_step(preset.choice.dt)}</p>"
        f"<p><a href='{address}' data-save='{name}'>Download</a></p>"
        f"<details><summary>Embed</summary><code>{frame}</code></details></article>"
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


def _write_documentation(folder: Path) -> list[str]:
    """Build the documentation; return the reason if that fails."""
    if not (DOCS / "conf.py").exists():
        return ["The documentation is left out: its sources are in Polhode's own folder only."]
    if importlib.util.find_spec("sphinx") is None:
        return ["The documentation is left out: it needs Sphinx, `pip install sphinx myst-parser`."]
    with tempfile.TemporaryDirectory() as work:
        place = ("-D", "demos=../demos", "-A", "site=../index.html", "-d", work)
        command = [sys.executable, "-m", "sphinx", "-q", *place, str(DOCS), str(folder)]
        done = subprocess.run(command, capture_output=True, text=True)
    return [] if done.returncode == 0 else [f"The documentation could not be built: {done.stderr.strip()[-300:]}"]
