"""Styles: one scale of spaces, no small type, one family of letters."""

from __future__ import annotations

import re

import pytest

from app.asset_files import ASSETS

STYLES = sorted(path for path in (ASSETS / "styles").glob("*.css") if path.name != "print.css")
SCALE = {0, 1, 2, 4, 8, 12, 16, 24, 32, 34}
"""Pixels of paddings, margins and gaps; 34 is the room for the arrow of a field."""
SMALLEST = 12
FAMILIES = ("inherit", "--bokeh-base-font", "monospace", "Math", "Inter")


@pytest.mark.parametrize("path", STYLES, ids=lambda path: path.stem)
def test_spaces_are_of_one_scale_and_type_is_large_enough(path):
    text = path.read_text(encoding="utf-8")
    spaces = re.findall(r"(?<![\w-])(?:padding|margin|gap|row-gap|column-gap)(?:-[a-z-]+)?: ?([^;}]+)", text)
    sizes = {
        float(size) for value in spaces for size in re.findall(r"\b([\d.]+)px", re.sub(r"calc\(.*\)", "", value))
    }
    assert sizes <= SCALE, sizes - SCALE
    fonts = re.findall(r"(?<![\w-])font(?:-size)?: ?([^;}]+)", text)
    assert all(
        float(size) >= SMALLEST for value in fonts for size in re.findall(r"\b([\d.]+)px", value.partition("/")[0])
    )
    assert all(any(name in value for name in FAMILIES) for value in fonts if re.search(r"[a-z]{4,}", value)), fonts
