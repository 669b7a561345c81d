"""A site of static files: a gallery of all presets as live demos, and the documentation where its sources are.

All links are relative, so that it works in any folder of any static host, and nothing is asked of another one.
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

from . import live
from .bundle import alone, rules
from .charts.axes import limits, on_axis
from .charts.svg import Stroke, svg
from .model.gallery import counted
from .model.preset import Preset
from .model.presets import OF_TWO_BODIES, PRESETS
from .model.results import COLOURS
from .model.session import FIRST
from .shelf import Shelf
from .takeaway import polhode_version

DOCS = Path(__file__).resolve().parents[1] / "docs"
"""The sources of the documentation, beside `app` in Polhode's own folder."""
ROWS = 400
"""Of a run that a card's picture is drawn of."""
PICTURE = 420, 170
"""Of it, in its own units."""
FRAME = '<iframe sandbox="allow-scripts" src="{}" width="720" height="900" style="border:0" title="{}"></iframe>'

Way = tuple[str, str, str]
"""Where a link leads, what it says, and what is there."""


def made(
    folder: Path,
    presets: Iterable[Preset] = (*PRESETS, *OF_TWO_BODIES),
    progress: Callable[[int, int], Any] = lambda done, of: None,
) -> list[str]:
    """Write the site into a folder; what is missing in it is said, in sentences.

    `progress` is told how many of the demos are made, and of how many.

    Raises
    ------
    ValueError
        If the folder holds something else than a site of before.
    """
    if folder.exists() and any(folder.iterdir()) and not (folder / MARK).exists():
        raise ValueError(f"{str(folder)!r} holds something else; give a new folder, or one with a site made before")
    for part in PARTS:
        shutil.rmtree(folder / part, ignore_errors=True)
    (folder / "gallery").mkdir(parents=True)
    (folder / MARK).write_text("", encoding="utf-8")
    chosen, shelf = list(presets), Shelf(folder / "demos")
    for i, preset in enumerate(chosen):
        shelf.put(preset.key, live.made(preset.choice))
        progress(i + 1, len(chosen))
    shelf.put("first", live.made(FIRST["so3"]))
    groups: dict[str, list[Preset]] = {}
    for preset in chosen:
        groups.setdefault(preset.heading, []).append(preset)
    texts = {"GROUPS": " · ".join(map(_way_to, groups)), "CARDS": "".join(starmap(_group, groups.items()))}
    gallery = _page("gallery", "Gallery of live demos · Polhode", "script-src 'self'", **texts)
    (folder / "gallery" / "index.html").write_text(gallery, encoding="utf-8")
    missing = _documentation(folder / "docs")
    ways = [
        (
            "gallery/index.html",
            "Gallery",
            f"{len(chosen)} live demos: the settings of the papers' figures, and more.",
        ),
        *([] if missing else _ways_into_documentation()),
    ]
    index = folder / "index.html"
    index.write_text(_first(ways), encoding="utf-8")
    archive = _packed(folder)  # in which the page does not lead to the archive itself
    index.write_text(_first([*ways, archive]), encoding="utf-8")
    return missing


MARK = ".polhode-site"
PARTS = "demos", "docs", "gallery"
ARCHIVE = "polhode.zip"


def _page(name: str, title: str, allowed: str, **texts: str) -> str:
    """A page of the site, with what is filled into it."""
    return alone(name, title, allowed, **texts, STYLE=rules("alone", "site"), VERSION=escape(polhode_version()))


def _first(ways: Iterable[Way]) -> str:
    """The page that the site begins with."""
    return _page("site", "Polhode", "frame-src 'self'", WAYS="".join(map(_way, ways)))


def _ways_into_documentation() -> list[Way]:
    verdicts = papers.recorded().measured
    counts = ", ".join(f"{number} {verdict}" for verdict, number in counted(verdicts).items())
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


def _packed(folder: Path) -> Way:
    """The whole site as one archive, and the way to it."""
    archive = folder / ARCHIVE
    archive.unlink(missing_ok=True)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for file in sorted(path for path in folder.rglob("*") if path.is_file() and path != archive):
            packed.write(file, Path("polhode") / file.relative_to(folder))
    size = archive.stat().st_size / 1e6
    return (
        ARCHIVE,
        "Take it along",
        f"All of this as one archive of {size:.1f} MB. Unpacked, it opens from the disk and needs no network.",
    )


def _way(way: Way) -> str:
    address, title, sentence = map(escape, way)
    return f"<a href='{address}'><b>{title}</b> {sentence}</a>"


def _way_to(group: str) -> str:
    return f"<a href='#{quote(group)}'>{escape(group)}</a>"


def _group(name: str, presets: list[Preset]) -> str:
    return f"<h2 id='{quote(name)}'>{escape(name)}</h2><div class=cards>{''.join(map(_card, presets))}</div>"


def _card(preset: Preset) -> str:
    """A preset's picture, what there is to see, and ways to its demo."""
    name, title = quote(preset.key), escape(preset.title)
    address = f"../demos/{name}.html"
    methods = ", ".join(preset.choice.methods)
    frame = escape(FRAME.format(f"{name}.html", preset.title.replace('"', "")))
    return (
        f"<article id='{escape(preset.key)}'>"
        f"<a href='{address}' aria-label='{title}: open the live demo'>{picture(preset)}</a>"
        f"<h3><a href='{address}'>{title}</a></h3><p>{escape(preset.sentence)}</p>"
        f"<p class=how>{escape(preset.choice.built().name)} · {escape(methods)} · Δt = {preset.choice.dt:g}</p>"
        f"<p><a href='{address}' data-save='{name}'>Download</a></p>"
        f"<details><summary>Embed</summary><code>{frame}</code></details></article>"
    )


def picture(preset: Preset) -> str:
    """How the energy departs from its start, by each of the methods, in the colours of the demo."""
    problem, strokes = preset.choice.built(), []
    for label, colour in zip(preset.choice.methods, COLOURS, strict=False):
        run = engine.simulate(problem, preset.choice.method(label), dt=preset.choice.dt,
                              steps=preset.choice.steps, samples=ROWS)  # fmt: skip
        whole = abs(run.energy[0]) or 1.0
        with np.errstate(all="ignore"):
            strokes.append(Stroke(label, colour, run.t, on_axis((run.energy - run.energy[0]) / whole, log=True)))
    end = max(float(stroke.t[-1]) for stroke in strokes) or 1.0
    values = limits([stroke.y for stroke in strokes], log=True)
    return svg("Energy", "|ΔE / E₀|", strokes, (0.0, end), values, log=True, size=PICTURE)


def _documentation(folder: Path) -> list[str]:
    """The documentation, where it can be made; else why not."""
    if not (DOCS / "conf.py").exists():
        return ["The documentation is made in Polhode's own folder alone, and is left out."]
    if importlib.util.find_spec("sphinx") is None:
        return ["The documentation needs Sphinx, `pip install sphinx myst-parser`, and is left out."]
    with tempfile.TemporaryDirectory() as work:
        place = ("-D", "demos=../demos", "-A", "site=../index.html", "-d", work)
        command = [sys.executable, "-m", "sphinx", "-q", *place, str(DOCS), str(folder)]
        done = subprocess.run(command, capture_output=True, text=True)
    return [] if done.returncode == 0 else [f"The documentation could not be made: {done.stderr.strip()[-300:]}"]
