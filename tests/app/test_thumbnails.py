"""Thumbnails: each preset has one, and it is the one that the script draws."""

from __future__ import annotations

import re

from draw_thumbnails import draw_thumbnail

from app.charts.thumbnails import SIZE, load_thumbnails
from app.state.presets import OF_TWO_BODIES, PRESETS

PRESET = next(preset for preset in PRESETS if preset.key == "runs-away")


def test_every_preset_has_a_picture_that_can_be_drawn():
    presets = {preset.key: preset for preset in (*PRESETS, *OF_TWO_BODIES)}
    assert set(load_thumbnails()) == set(presets), (
        "python tests/draw_thumbnails.py KEY draws that of a new one"
    )
    for key, strokes in load_thumbnails().items():
        colours = [colour for colour, _ in strokes]
        assert colours[0] == "" and 3 <= len(colours) <= 2 + len(presets[key].choice.methods), key
        for _, path in strokes:
            (x, y), *_ = re.findall(r"M(-?\d+) (-?\d+)", path)
            assert 0 <= int(x) <= SIZE[0] and -40 <= int(y) <= SIZE[1] + 40, key


def test_a_picture_is_that_of_its_preset():
    strokes = [list(stroke) for stroke in load_thumbnails()[PRESET.key]]
    assert [list(stroke) for stroke in draw_thumbnail(PRESET)] == strokes
    assert len({path for _, path in strokes[2:]}) == len(PRESET.choice.methods), (
        "of each method a curve"
    )
