"""A site of static files: a gallery of all presets as live demos, and the documentation where its sources are.

All links are relative, so that it works in any folder of any static host, and nothing is asked of another one.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from html import escape
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

import engine

from . import live
from .bundle import filled, rules
from .charts.axes import limits, on_axis
from .charts.svg import Stroke, svg
from .model.presets import OF_TWO_BODIES, PRESETS, Preset
from .model.results import COLOURS
from .takeaway import polhode_version

PAGES = files("app")
DOCS = Path(__file__).resolve().parents[1] / "docs"
"""The sources of the documentation, beside `app` in Polhode's own folder."""
ROWS = 400
"""Of a run that a card's picture is drawn of."""
PICTURE = 420, 170
"""Of it, in its own units."""
FRAME = '<iframe sandbox="allow-scripts" src="{}" width="720" height="900" style="border:0" title="{}"></iframe>'


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
    (folder / "gallery").mkdir(parents=True, exist_ok=True)
    (folder / MARK).write_text("", encoding="utf-8")
    chosen = list(presets)
    for i, preset in enumerate(chosen):
        live.made(preset.choice).save(folder / "gallery" / f"{preset.key}.html")
        progress(i + 1, len(chosen))
    _write(folder / "gallery" / "index.html", "gallery.html", CARDS="".join(map(_group, _grouped(chosen))))
    missing = _documentation(folder / "docs")
    link = "" if missing else '<p><a href="docs/index.html">Documentation</a>: guide, methods, problems, API.</p>'
    _write(folder / "index.html", "site.html", DOCS=link, NUMBER=str(len(chosen)))
    return missing


MARK = ".polhode-site"


def _write(path: Path, page: str, **texts: str) -> None:
    """A page of the site, with what is filled into it."""
    of_each = {"STYLE": rules("alone", "site"), "VERSION": escape(polhode_version())}
    path.write_text(filled((PAGES / page).read_text(encoding="utf-8"), texts | of_each), encoding="utf-8")


def _grouped(presets: list[Preset]) -> list[tuple[str, list[Preset]]]:
    return [(name, list(group)) for name, group in groupby(presets, key=lambda preset: preset.group)]


def _group(of: tuple[str, list[Preset]]) -> str:
    name, presets = of
    return f"<h2>{escape(name)}</h2><div class=cards>{''.join(map(_card, presets))}</div>"


def _card(preset: Preset) -> str:
    """A preset's picture, what there is to see, and ways to its demo."""
    file, title = f"{quote(preset.key)}.html", escape(preset.title)
    methods = ", ".join(preset.choice.methods)
    frame = escape(FRAME.format(file, preset.title.replace('"', "")))
    return (
        f"<article id='{escape(preset.key)}'>"
        f"<a href='{file}' aria-label='{title}: open the live demo'>{picture(preset)}</a>"
        f"<h3><a href='{file}'>{title}</a></h3><p>{escape(preset.sentence)}</p>"
        f"<p class=how>{escape(preset.choice.built().name)} · {escape(methods)} · Δt = {preset.choice.dt:g}</p>"
        f"<p class=ways><a href='{file}' download>Download</a></p>"
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
    shutil.rmtree(folder, ignore_errors=True)
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", str(DOCS), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    return [] if done.returncode == 0 else [f"The documentation could not be made: {done.stderr.strip()[-300:]}"]
