"""Thumbnails: each preset in the list and each figure of a paper has one, and it is the one that
the script draws.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from draw_thumbnails import draw_figure, draw_thumbnail

from app.charts.thumbnails import SIZE, load_thumbnails
from app.state.presets import ALL_PRESETS
from engine import papers

PRESET = next(preset for preset in ALL_PRESETS if preset.key == "runs-away")
FIGURE = papers.find_figure("krysl-endres-figure-1")
TIMED = papers.find_figure("buss-figure-3")
"""A figure with measured times, which are not in its picture."""
SMOOTH = "kovalevskaya"
"""A preset whose path has no sharp turn."""


def test_every_preset_and_figure_has_a_picture_that_can_be_drawn():
    presets = {preset.key: preset for preset in ALL_PRESETS if preset.is_listed}
    figures = {figure.key: figure for figure in papers.figures()}
    assert not set(presets) & set(figures)
    assert set(load_thumbnails()) == {*presets, *figures}, (
        "python tests/draw_thumbnails.py KEY draws that of a new one"
    )
    for key, strokes in load_thumbnails().items():
        colours = [colour for colour, _ in strokes]
        assert colours[0] == "" and all(colours[1:]), key
        if key in presets:
            assert 3 <= len(colours) <= 2 + len(presets[key].choice.methods), key
        else:
            assert len(figures[key].axes) < len(colours), key
        for _, path in strokes:
            (x, y), *_ = re.findall(r"M(-?\d+) (-?\d+)", path)
            assert 0 <= int(x) <= SIZE[0] and -400 <= int(y) <= SIZE[1] + 400, key


def test_a_picture_is_that_of_its_preset():
    strokes = [list(stroke) for stroke in load_thumbnails()[PRESET.key]]
    assert [list(stroke) for stroke in draw_thumbnail(PRESET)] == strokes
    assert len({path for _, path in strokes[2:]}) == len(PRESET.choice.methods), (
        "of each method a curve"
    )


def test_a_picture_is_that_of_its_figure():
    strokes = [list(stroke) for stroke in load_thumbnails()[FIGURE.key]]
    assert [list(stroke) for stroke in draw_figure(FIGURE)] == strokes
    assert len({colour for colour, _ in strokes[1:]}) == len(FIGURE.curves().curves)


@pytest.mark.exhaustive
def test_a_picture_shows_no_measured_times():
    assert any(curve.timed for curve in TIMED.curves().curves)
    strokes = [list(stroke) for stroke in load_thumbnails()[TIMED.key]]
    assert [list(stroke) for stroke in draw_figure(TIMED)] == strokes


def test_a_smooth_path_has_no_corners():
    moves = np.array(
        re.findall(r"(-?\d+) *(-?\d+)", load_thumbnails()[SMOOTH][1][1].partition("l")[2]), float
    )
    headings = np.arctan2(*moves.T[::-1])
    turns = np.abs((np.diff(headings) + np.pi) % (2 * np.pi) - np.pi)
    assert np.degrees(turns).max() < 30
