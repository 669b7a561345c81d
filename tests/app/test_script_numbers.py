"""Scripts read and write numbers as the engine does."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from drawing import answered, carried_out

import engine
from app.charts.bokeh import (
    FORMAT_LINEAR_TICK,
    FORMAT_LOG_TICK,
    FORMAT_VALUE,
)
from app.charts.scales import find_limits, find_ticks, format_tick
from engine.parameters.parameter import Step
from engine.parameters.validation import check_inertia, entries_of
from engine.studies.core import describe_trend
from engine.text.formatting import format_measured, show

VECTORS = json.loads((Path(__file__).parents[1] / "data/screen_and_paper.json").read_text("utf-8"))
"""What the page's scripts and Python must both return: numbers, steps, ticks, ends of axes, trends."""
NUMBERS = [value for value, *_ in VECTORS["numbers"]]


def test_numbers_are_written_alike() -> None:
    found = answered("return said.x.map(x => [x, formatNumber(x), formatMeasured(x)]);", x=NUMBERS)
    assert found == VECTORS["numbers"]
    assert [[x, show(x), format_measured(x)] for x in NUMBERS] == VECTORS["numbers"]


def test_trends_of_curves_are_described_alike() -> None:
    t, roundoff, curves = VECTORS["trends"].values()
    words = [curve["words"] for curve in curves]
    body = "return said.curves.map(({y}) => describeTrend(said.t, Float64Array.from(y), said.roundoff));"
    assert answered(body, t=np.array(t), curves=curves, roundoff=roundoff) == words
    assert words == [
        describe_trend(np.array(t[: len(curve["y"])]), np.array(curve["y"]), roundoff)
        for curve in curves
    ]


def test_axes_have_the_same_ends() -> None:
    body = "return said.axes.map(({curves, log}) => findLimits(curves.map(y => Float64Array.from(y)), log));"
    axes = VECTORS["limits"]
    ends = [axis["ends"] for axis in axes]
    np.testing.assert_allclose(answered(body, axes=axes), ends, rtol=1e-14)
    own = [find_limits([np.array(y) for y in axis["curves"]], axis["log"]) for axis in axes]
    np.testing.assert_allclose(own, ends, rtol=1e-14)


def test_ticks_are_placed_and_labelled_alike() -> None:
    axes = VECTORS["ticks"]
    found = answered(
        """
        return said.axes.map(({ends, log, most}) => {
            const places = findTicks(ends, log, most);
            return [places, places.map(v => (log ? formatExponentTick(v) : formatLinearTick(v, places)))];
        });
        """,
        axes=axes,
    )
    for axis, (places, texts) in zip(axes, found, strict=True):
        own = find_ticks(axis["ends"], axis["log"], axis["most"])
        for some in (places, own):
            np.testing.assert_allclose(some, axis["places"], rtol=1e-14, atol=1e-300)
        assert texts == [format_tick(value, own, axis["log"]) for value in own] == axis["texts"]


def test_steps_are_counted_alike() -> None:
    for dt, duration, steps in VECTORS["counts"]:
        assert (
            engine.simulate("free", "NMB", dt=dt, duration=duration, samples=1).cost.steps == steps
        )
    body = "return said.counts.map(([dt, duration]) => [dt, duration, countSteps(dt, duration)]);"
    assert answered(body, counts=VECTORS["counts"]) == VECTORS["counts"]


def test_steps_are_read_alike_and_other_texts_refused() -> None:
    found = answered(
        "return said.steps.map(([text]) => [text, parseStep(text)]);", steps=VECTORS["steps"]
    )  # JSON has null for NaN
    for (text, step), (_, own) in zip(VECTORS["steps"], found, strict=True):
        if step is None:
            assert own is None
            with pytest.raises(ValueError):
                Step().parse(text, "Δt")
        else:
            assert own == pytest.approx(step, rel=1e-15)
            assert Step().parse(text, "Δt") == pytest.approx(step, rel=1e-15)


def test_lists_of_numbers_are_read_alike() -> None:
    body = "return said.lists.map(([text]) => [text, parseList(text)]);"
    assert answered(body, lists=VECTORS["lists"]) == VECTORS["lists"]
    assert [
        [text, [float(entry) for entry in entries_of(text)]] for text, _ in VECTORS["lists"]
    ] == VECTORS["lists"]


def test_names_may_have_options():
    assert answered("return parseNames(said.text);", text="NMB, MR2(axes=231,fast), ,RKMK(tableau=dop853)") == [
        "NMB", "MR2(axes=231,fast)", "RKMK(tableau=dop853)",
    ]  # fmt: skip


def test_moments_of_a_body_are_those_that_the_engine_takes():
    def possible(moments):
        try:
            return check_inertia(np.array(moments, dtype=float)) is not None
        except ValueError:
            return False

    tried = [
        [1, 2, 2.5],
        [1, 1, 2],
        [1, 1, 2 + 1e-13],
        [1, 1, 2.1],
        [1, 2, 0],
        [1, 2, -1],
        [3, 1, 1],
    ]
    assert answered("return said.tried.map(areMoments);", tried=tried) == [
        possible(moments) for moments in tried
    ]


def test_values_are_read_at_one_stored_time_of_all_curves_without_interpolation():
    """Of thinned curves, one of which ended early; zeros are exact, and what has ended has no
    value.
    """
    answer = answered(
        """
        const curve = (label, t, y) => ({label, t: Float32Array.from(t), y: Float32Array.from(y)});
        const curves = [curve("A", [0, 1, 1.5, 2, 3, 4], [-99, -5, -6, -7, -99, -9]),
            curve("B", [0, 1, 2], [1, 2, 3]), curve("C", [0, 1, 2, 4], [0, 1, 2, 4])];
        return [1.6, 0.1, 3.2, 9].map(at => {
            const {time, rows} = readRow(curves, at);
            return [time, ...rows.map(({value}) => formatValue(value, true))];
        });
        """
    )
    assert answer == [
        [2, "10⁻⁷", "1000", "100"],
        [0, "exactly 0", "10", "1"],
        [4, "10⁻⁹", "–", "10000"],
        [4, "10⁻⁹", "–", "10000"],
    ]


def test_bokeh_formats_numbers_as_the_page_does():
    linear = [[0.5, -1.25], [0.0, 2.5e-6, -5e-6], [1e5, 2e5], [0.0, 99999.0], [1e-3, 4e-3]]
    asked = {
        FORMAT_LINEAR_TICK: [{"tick": tick, "ticks": ticks} for ticks in linear for tick in ticks],
        FORMAT_LOG_TICK: [{"tick": tick} for tick in (2e-12, 1e-12, 0.5, 1.0, 20.0, 1e5, 5e5)],
        FORMAT_VALUE: [{"value": value} for value in NUMBERS],
    }
    script = """
        import {readFileSync} from "node:fs";
        const answer = (code, calls) => calls.map(
            given => new Function(...Object.keys(given), `"use strict"; ${code}`)(...Object.values(given)));
        const asked = Object.entries(JSON.parse(readFileSync(0, "utf8")));
        console.log(JSON.stringify(asked.map(one => answer(...one))));
    """
    assert json.loads(carried_out(script, json.dumps(asked))) == [
        [
            "0.5",
            "−1.25",
            "0",
            "2.5·10⁻⁶",
            "−5·10⁻⁶",
            "10⁵",
            "2·10⁵",
            "0",
            "99999",
            "0.001",
            "0.004",
        ],
        ["2·10⁻¹²", "10⁻¹²", "0.5", "10⁰", "20", "10⁵", "5·10⁵"],
        [show(value) for value in NUMBERS],
    ]
