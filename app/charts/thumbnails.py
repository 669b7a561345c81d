"""Thumbnails of presets and of papers' figures, which `tests/draw_thumbnails.py` draws."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from pathlib import Path

SIZE = (2400, 840)
"""Width and height in the units of the paths, about a tenth of a pixel."""
FILE = Path(__file__).with_suffix(".json")

Strokes = Sequence[Sequence[str]]
"""Lines as pairs of a colour and an SVG path; no colour means that of text."""


@functools.cache
def load_thumbnails() -> dict[str, Strokes]:
    """The stored thumbnails, by the keys of the presets and figures."""
    return json.loads(FILE.read_text(encoding="utf-8"))
