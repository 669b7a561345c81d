"""Styles: one scale of spaces, no small type, one family of letters."""

from __future__ import annotations

import re

import pytest
from bokeh import models
from drawing import answered

from app.asset_files import ASSETS, mark_breaks

STYLES = sorted(path for path in (ASSETS / "styles").glob("*.css") if path.name != "print.css")
SCALE = {0, 1, 2, 4, 8, 12, 16, 24, 32, 34}
"""Pixels of paddings, margins and gaps; 34 is the room for the arrow of a field."""
SMALLEST = 12
FAMILIES = ("inherit", "--bokeh-base-font", "monospace", "Math", "Inter")


@pytest.mark.parametrize("path", STYLES, ids=lambda path: path.stem)
def test_spaces_are_of_one_scale_and_type_is_large_enough(path):
    text = path.read_text(encoding="utf-8")
    spaces = re.findall(
        r"(?<![\w-])(?:padding|margin|gap|row-gap|column-gap)(?:-[a-z-]+)?: ?([^;}]+)", text
    )
    sizes = {
        float(size)
        for value in spaces
        for size in re.findall(r"\b([\d.]+)px", re.sub(r"calc\(.*\)", "", value))
    }
    assert sizes <= SCALE, sizes - SCALE
    fonts = re.findall(r"(?<![\w-])font(?:-size)?: ?([^;}]+)", text)
    assert all(
        float(size) >= SMALLEST
        for value in fonts
        for size in re.findall(r"\b([\d.]+)px", value.partition("/")[0])
    )
    assert all(
        any(name in value for name in FAMILIES) for value in fonts if re.search(r"[a-z]{4,}", value)
    ), fonts


def relative_luminance(colour):
    """As WCAG 2.2 defines it, of #rgb or #rrggbb."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def read_variable(text, name):
    """The value of a variable of a style sheet; the light and the dark colour if it has both."""
    value = re.search(rf"{name}: ?([^;}}]+)", text)[1]
    pair = re.fullmatch(r"light-dark\((#\w+), (#\w+)\)", value)
    return pair.groups() if pair else value


def test_the_words_of_plots_are_legible_in_both_themes():
    text = (ASSETS / "styles/page.css").read_text(encoding="utf-8")
    inks, grounds = (read_variable(text, name) for name in ("--plot-ink", "--panel-surface-color"))
    for ink, ground in zip(inks, grounds, strict=True):
        dark, light = sorted(map(relative_luminance, (ink, ground)))
        assert (light + 0.05) / (dark + 0.05) >= 4.5
    for part in (models.LinearAxis, models.Legend, models.ColorBar, models.Title):
        names = {name for name in part.properties() if name.endswith("text_color")} - {
            "title_text_color"
        }
        for name in names:  # which Bokeh reads before the property
            assert read_variable(text, f"--bk-{name.replace('_', '-')}") == "var(--plot-ink)"


def test_words_at_guides_have_the_ink_of_the_theme():
    """Bokeh's glyphs read no styles, so a script sets their colour."""
    body = """
        globalThis.getComputedStyle = () => ({getPropertyValue: name => (name === "--plot-ink" ? said.ink : "")});
        const create = type => ({type, setv(values) { Object.assign(this, values); }});
        const glyphs = ["Line", "Text"].map(create);
        colourText({model: {renderers: glyphs.map(glyph => ({glyph}))}, el: null});
        return glyphs.map(({text_color}) => text_color?.value ?? null);
    """
    assert answered(body, ink="rgb(155, 155, 155)") == [None, "rgb(155, 155, 155)"]
    assert answered(body, ink="") == [None, None], "a notebook has no such style"


def test_long_names_break_between_their_words() -> None:
    assert mark_breaks("EULER_IMPLICIT <b>") == "EULER_<wbr>IMPLICIT &lt;b&gt;"
    assert mark_breaks("QuaternionIntegrator.jl") == "Quaternion<wbr>Integrator.jl"
    assert mark_breaks("McLachlan–Reich by MuJoCo") == "McLachlan–Reich by MuJoCo"
