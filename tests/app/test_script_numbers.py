"""Scripts read and write numbers as the engine does."""

from __future__ import annotations

import json

import numpy as np
import pytest
from covering import first
from drawing import answered, carried_out

from app.charts.bokeh import (
    FORMAT_EXPONENT_TICK,
    FORMAT_LINEAR_TICK,
    FORMAT_LOG_TICK,
    FORMAT_VALUE,
)
from engine.parameters.parameter import Step
from engine.parameters.validation import check_inertia, entries_of
from engine.studies.core import describe_trend
from engine.text.formatting import format_measured, show

NUMBERS = [
    0.0,
    1.0,
    0.5,
    -3.0,
    1010.0,
    9.99e3,
    1e4,
    1e9,
    2.5e-6,
    1e-4,
    2.9e-4,
    0.00123,
    0.0234,
    1.8,
    99.6,
    -7.25e-11,
    123456.0,
]


def test_numbers_are_written_as_in_python():
    given, measured = answered(
        "return [said.x.map(x => formatNumber(x)), said.x.map(formatMeasured)];", x=NUMBERS
    )
    assert given == [show(x) for x in NUMBERS]
    assert measured == [format_measured(x) for x in NUMBERS]


def test_trends_of_curves_are_described_as_in_python():
    t = np.linspace(0.0, 40.0, 400)
    noise = np.random.default_rng(1).normal(size=400)
    curves = [
        slope * t + swing * noise
        for slope in (0.0, 3e-9, -2e-4)
        for swing in (0.0, 1e-9, 1e-4, 0.1)
    ]
    curves += [np.abs(1e-3 * noise), np.abs(1e-3 * noise)[:40], 1e-17 * noise, np.sin(t) + t / 90]
    words = [describe_trend(t[: len(y)], y, 1e-14) for y in curves]
    body = "return said.curves.map(y => describeTrend(said.t.subarray(0, y.length), Float64Array.from(y), 1e-14));"
    assert answered(body, t=t, curves=[y.tolist() for y in curves]) == words
    assert {"roundoff", "exactly 0"} < set(words) and any("per t" in text for text in words)


def test_a_step_is_read_as_in_python():
    texts = ["0.01", "1/60", " 60 Hz", "240hz", "1e-3", "2.5 / 3", "0.5Hz"]
    found = answered("return said.texts.map(text => parseStep(text));", texts=texts)
    assert found == pytest.approx([Step().parse(text, "Δt") for text in texts], rel=1e-15)


def test_a_text_without_a_step_is_refused_as_in_python():
    texts = ["", "x", "1/", "/60", "1/x", "1/0", "1/2/3", "Hz", "60 kHz"]
    for text in texts:
        with pytest.raises(ValueError):
            Step().parse(text, "Δt")
    assert all(
        answered("return said.texts.map(text => Number.isNaN(parseStep(text)));", texts=texts)
    )


@pytest.mark.parametrize(
    "text", first(["1, 2, 2.5", "1; 2; 2.5", "1 2 2.5", "[1,2,2.5]", "(1, 2, 2.5)"], 2)
)
def test_a_list_of_numbers_is_read_as_in_python(text):
    assert answered("return parseList(said.text);", text=text) == [
        float(entry) for entry in entries_of(text)
    ]


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
        FORMAT_EXPONENT_TICK: [{"tick": tick} for tick in (-16, 0, 3, -0.3010299957, 7.5)],
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
        ["10⁻¹⁶", "10⁰", "10³", "0.5", "3.2·10⁷"],
        [show(value) for value in NUMBERS],
    ]
