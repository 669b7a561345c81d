"""Words and triangles of slopes are placed where they cover neither data nor each other."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from covering import first

from engine.studies import convergence, long_run
from engine.studies.core import Axes, Axis, Chart, Curve, Guide, find_span
from engine.studies.core.placement import (
    CELLS,
    LETTER,
    WORD,
    align_words,
    draw_floor,
    draw_slopes,
    measure_cover,
)

LOGARITHMIC = Axes(Axis("Δt", log=True), Axis("error", log=True))


def test_the_cover_of_a_shape_is_what_its_cells_weigh():
    random = np.random.default_rng(3)
    taken = random.random((9, 8))
    shape = random.random((3, 2))
    found = measure_cover(taken, shape)
    assert found.shape == (7, 7)
    for i, j in itertools.product(range(7), repeat=2):
        assert found[i, j] == pytest.approx((taken[i : i + 3, j : j + 2] * shape).sum())


def list_marks(chart, plot):
    """Return points along the curves of a frame, as parts of it, half a cell apart."""
    parts = []
    curves = chart.of(plot)
    for axis, name in zip((chart.axes[plot].x, chart.axes[plot].y), "xy", strict=True):
        low, high = find_span(axis, [getattr(curve, name) for curve in curves])
        scale = np.log10 if axis.log else np.asarray
        parts.append(
            [(scale(getattr(c, name)) - scale(low)) / (scale(high) - scale(low)) for c in curves]
        )
    points = []
    for x, y in zip(*parts, strict=True):
        for i in range(len(x) - 1):
            along = np.linspace(0, 1, 2 * CELLS)[:, None]
            points.append([x[i], y[i]] + along * [x[i + 1] - x[i], y[i + 1] - y[i]])
    return np.concatenate(points)


def find_boxes(chart, plot):
    """Return the words and triangles of a frame with their ends: left, low, right and top."""
    spans = [
        find_span(axis, [getattr(curve, name) for curve in chart.of(plot)])
        for axis, name in zip((chart.axes[plot].x, chart.axes[plot].y), "xy", strict=True)
    ]

    def place(values, k):
        axis = (chart.axes[plot].x, chart.axes[plot].y)[k]
        scale = math.log10 if axis.log else float
        low, high = map(scale, spans[k])
        return [
            float(value > 0) if math.isinf(value) else (scale(value) - low) / (high - low)
            for value in values
        ]

    found = {}
    for guide in chart.guides_of(plot):
        x, y = place(guide.x, 0), place(guide.y, 1)
        if guide.text and 0 <= y[-1] <= 1:
            ends, below = align_words(guide.text, x[-1], y[-1])
            wide = LETTER * len(guide.text)
            left, low = x[-1] - ends * wide, y[-1] - below * WORD
            found[guide.text] = (left, low, left + wide, low + WORD)
        elif len(x) == 4:
            found["triangles"] = (min(x), min(y), max(x), max(y))
    return found


def assert_nothing_is_covered(chart, plot):
    boxes = find_boxes(chart, plot)
    marks = list_marks(chart, plot)
    for name, (left, low, right, top) in boxes.items():
        x, y = marks.T
        inside = (x > left) & (x < right) & (y > low) & (y < top)
        if name == "triangles":  # the half below the longest side
            inside &= y - low < (top - low) / (right - left) * (x - left)
        assert not inside.any(), f"{name} covers data in frame {plot}"
        assert left > -1e-9 and low > -1e-9 and right < 1 + 1e-9 and top < 1 + 1e-9, name
    for (a, one), (b, other) in itertools.combinations(boxes.items(), 2):
        wide = min(one[2], other[2]) - max(one[0], other[0])
        high = min(one[3], other[3]) - max(one[1], other[1])
        assert wide < 1e-9 or high < 1e-9, f"{a} covers {b} in frame {plot}"


CASES = [
    ("free", ("RK4-QUAT", "MR2", "CG3", "SEMI-EULER"), None, None),
    ("free", ("NMB", "AKW", "MR4"), None, None),
    ("slow-top", ("NMB", "RK4-QUAT"), None, None),
    ("free", ("DMV", "NMB"), (4.0, 2.0, 0.5, 0.25, 0.125), 20.0),
    ("free", ("NMB", "MR2"), (0.5, 0.25, 0.125, 0.0625), 5.0),
    ("slow-top", ("CF4", "RK-QUAT", "NMB"), None, 20.0),
    ("lagrange-top", ("SW", "HSTAGM", "AKW", "NMB"), None, None),
]


@pytest.mark.parametrize(("problem", "methods", "dts", "duration"), first(CASES, 4))
def test_words_of_a_convergence_cover_neither_data_nor_each_other(problem, methods, dts, duration):
    chart = convergence(problem, list(methods), dts, duration=duration).chart
    for plot in range(3):
        assert_nothing_is_covered(chart, plot)
    names = {guide.text for guide in chart.guides_of(0)}
    slopes = (2, 9) if "RK-QUAT" in methods else (1, 2, 4)  # of its orders, if one is higher
    assert {f"slope {slope}" for slope in slopes} <= names


def test_triangles_shrink_or_vanish_with_the_room_and_lie_in_the_lower_right_corner_if_they_can():
    dt = 10.0 ** np.linspace(-3, 0, 13)
    rising = Curve("A", dt, 1e-2 * dt**4)
    free = Chart((LOGARITHMIC,), (rising,))

    def fill(*powers):
        flat = [Curve(f"{k}", dt, np.full(13, 10.0**-k)) for k in powers]
        return Chart((LOGARITHMIC,), (rising, *flat))

    assert draw_slopes(fill(4, 7, 10, 13)) == [], "names would not stand at their rays"
    crowded = fill(4, 8, 12)
    sizes = []
    for chart in (free, crowded):
        chart = chart.with_guides(*draw_slopes(chart))
        assert_nothing_is_covered(chart, 0)
        left, low, right, _ = find_boxes(chart, 0)["triangles"]
        sizes.append(right - left)
        at = {guide.text: guide.y[0] for guide in chart.guides if guide.text}
        tips = [guide.y[0] for guide in chart.guides if len(guide.x) == 4]
        assert at["slope 1"] == pytest.approx(tips[0]) and at["slope 4"] == pytest.approx(tips[2])
        if chart.curves == (rising,):
            assert right > 0.7 and low < 0.05
    assert sizes[1] < sizes[0]


@pytest.mark.parametrize("clear", [0.0, 0.1, 0.4, 0.75])
def test_roundoff_has_its_name_where_no_mark_is(clear):
    """Methods that reach roundoff at different steps leave one part of the line free."""
    parts = np.linspace(0.0, 1.0, 81)
    free = (parts > clear - 0.02) & (parts < clear + 0.28)
    x, y = 10.0 ** (-4 + 3 * parts), np.where(free, 1e-13, 2e-12)
    points = Curve("A", x, y, line=False), Curve("B", x[[0, -1]], np.array([1e-12, 1e-3]))
    chart = Chart((LOGARITHMIC,), points)
    line, name = draw_floor(chart, 0, 1e-12)
    assert (line.text, line.y, name.text) == ("", (1e-12, 1e-12), "roundoff")
    assert 1e-12 < name.y[0] < 2e-12, "just above the line"
    assert clear - 0.05 < (math.log10(name.x[0]) + 4) / 3 < clear + 0.1


def test_the_words_of_a_long_run_keep_clear_of_each_other_and_of_the_means():
    chart = long_run("free", ["NMB", "TERZE", "MR2", "AKW"], 40_000).chart
    assert len(chart.guides) == 4
    lines = chart._replace(curves=tuple(c for c in chart.curves if c.under is None))
    boxes = find_boxes(chart, 0)
    for (a, one), (b, other) in itertools.combinations(boxes.items(), 2):
        wide = min(one[2], other[2]) - max(one[0], other[0])
        high = min(one[3], other[3]) - max(one[1], other[1])
        assert wide < 1e-9 or high < 1e-9, f"{a} covers {b}"
    assert lines.curves


def test_a_point_alone_has_no_triangles():
    chart = Chart(
        (LOGARITHMIC,), (Curve("A", np.ones(1), np.ones(1)), Curve("B", np.ones(0), np.ones(0)))
    )
    assert draw_slopes(chart) == []
    assert isinstance(draw_floor(chart, 0, 1e-12)[1], Guide)
