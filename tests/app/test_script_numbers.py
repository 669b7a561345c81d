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
from app.charts.downsample import downsample, is_band
from app.charts.scales import find_limits, find_ticks, format_tick
from app.charts.style import BAND_OPACITY
from app.state.form_fields import format_numbers
from app.state.ledger import format_share
from app.state.quantities import longest_known_part
from app.state.results import grow_roundoff
from app.state.simple import EnergyScale
from engine.exact.errors import find_phase_loss, list_flips, mask_unknown
from engine.parameters.parameter import Number, Step
from engine.parameters.validation import check_inertia, entries_of
from engine.text.formatting import format_measured, show

VECTORS = json.loads((Path(__file__).parents[1] / "data/screen_and_paper.json").read_text("utf-8"))
"""What the page's scripts and Python must both return: of numbers, axes, curves, words and roundoff."""
NUMBERS = [value for value, *_ in VECTORS["numbers"]]


def test_numbers_are_written_alike() -> None:
    found = answered("return said.x.map(x => [x, formatNumber(x), formatMeasured(x)]);", x=NUMBERS)
    assert found == VECTORS["numbers"]
    assert [[x, show(x), format_measured(x)] for x in NUMBERS] == VECTORS["numbers"]


def test_ties_are_rounded_alike() -> None:
    """Away from zero, where the number is exactly between two of so many digits."""
    rounded = VECTORS["rounded"]
    body = "return said.rounded.map(([x, digits]) => [x, digits, formatNumber(x, digits)]);"
    assert answered(body, rounded=rounded) == rounded
    assert [[x, digits, show(x, digits)] for x, digits, _ in rounded] == rounded


ENERGIES = [
    ([2.0, 1.5], 1.5, "75 %"),
    ([8.0, 8.0], 8.1, "101 %"),
    ([80.0, 80.0], 80.4, "101 %"),
    ([-4.0, -3.0], -5.0, "75 %"),
    ([1.0, 1.0], -0.125, "−13 %"),
    ([1.0, 1.0], 12.0, "over 1000 %"),
    ([0.0, 0.5], 0.375, "0.38"),
    ([1e-12, 2500.0], 1906.0, "1900"),
    ([0.0, 0.0], 0.0, "0"),
]
"""Energies of an exact motion, an energy, and how it is shown: a body at rest has no percentage."""


def test_energies_are_shown_alike_and_in_percent_only_of_a_first_one() -> None:
    body = "return said.cases.map(([energies, energy]) => findScale(energies).format(energy));"
    texts = [text for *_, text in ENERGIES]
    assert answered(body, cases=ENERGIES) == texts
    assert [EnergyScale(np.array(some)).format(energy) for some, energy, _ in ENERGIES] == texts


def test_numbers_in_fields_and_links_are_written_alike() -> None:
    """With twelve digits in links, and with eight in fields."""
    plain = VECTORS["plain"]
    body = "return said.x.map(x => [x, formatPlain(x), formatList([x], ',', 8)]);"
    assert answered(body, x=[x for x, *_ in plain]) == plain
    assert [[x, Number().format(x), format_numbers(x)] for x, *_ in plain] == plain


def test_steps_in_fields_and_links_are_written_alike() -> None:
    steps = VECTORS["plain_steps"]
    body = "return said.steps.map(([step]) => [step, formatStep(step)]);"
    assert answered(body, steps=steps) == steps
    assert [[step, Step().format(step)] for step, _ in steps] == steps


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
            return [places, places.map(v => (log ? formatExponentTick : formatLinearTick)(v, places))];
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


def test_moments_of_a_body_are_those_that_the_engine_takes() -> None:
    def is_possible(moments: list[float]) -> bool:
        try:
            return check_inertia(np.array(moments, dtype=float)) is not None
        except ValueError:
            return False

    moments = VECTORS["moments"]
    body = "return said.moments.map(([moments]) => [moments, areMoments(moments)]);"
    assert answered(body, moments=moments) == moments
    assert [[one, is_possible(one)] for one, _ in moments] == moments


def test_counts_a_step_are_written_alike() -> None:
    body = "return said.shares.map(([each]) => [each, formatShare(each)]);"
    assert answered(body, shares=VECTORS["shares"]) == VECTORS["shares"]
    assert [[each, format_share(each)] for each, _ in VECTORS["shares"]] == VECTORS["shares"]


def test_curves_that_fill_bands_are_the_same() -> None:
    bands = VECTORS["bands"]
    curves = [np.sin(one["angle"] * np.arange(one["points"])) for one in bands]
    found = answered("return said.curves.map(y => chooseOpacity(y));", curves=curves)
    opacities = [BAND_OPACITY if one["band"] else 1 for one in bands]
    assert found == opacities
    assert [BAND_OPACITY if is_band(y) else 1 for y in curves] == opacities


def read_numbers(values: list[float | None]) -> np.ndarray:
    """Numbers of JSON, which has null for NaN."""
    return np.array([np.nan if x is None else x for x in values])


READ = "const read = values => Float64Array.from(values, x => x ?? NaN);"


def test_errors_are_unknown_alike() -> None:
    cases = VECTORS["unknown"]
    body = f"{READ} return said.cases.map(one => maskUnknown(read(one.errors), one.estimates));"
    for one, found in zip(cases, answered(body, cases=cases), strict=True):
        own = mask_unknown(read_numbers(one["errors"]), np.array(one["estimates"]))
        np.testing.assert_array_equal(own, read_numbers(one["known"]))
        assert found == one["known"]


def test_the_longest_known_part_of_a_curve_is_the_same() -> None:
    cases = VECTORS["parts"]
    body = f"{READ} return said.cases.map(([y]) => takeKnown(read(y).map((_, i) => i), read(y)).t);"
    for (y, (begin, end)), found in zip(cases, answered(body, cases=cases), strict=True):
        own = longest_known_part(np.arange(len(y)), read_numbers(y))
        assert found == list(range(begin, end))
        assert (own[0].tolist() if own else []) == found


def test_a_phase_is_lost_at_the_same_time() -> None:
    cases = VECTORS["lost"]
    body = f"{READ} return said.cases.map(([y]) => findPhaseLoss(read(y).map((_, i) => i), read(y)) ?? null);"
    assert answered(body, cases=cases) == [time for _, time in cases]
    for y, time in cases:
        own = find_phase_loss(np.arange(len(y)), read_numbers(y))
        assert (None if np.isnan(own) else own) == time


def test_flips_are_at_the_same_rows() -> None:
    cases = VECTORS["flips"]
    body = f"{READ} return said.cases.map(([angles, end]) => listFlips(read(angles), end));"
    assert answered(body, cases=cases) == [rows for *_, rows in cases]
    for angles, end, rows in cases:
        assert list_flips(read_numbers(angles), end).tolist() == rows


def test_roundoff_grows_alike() -> None:
    cases = VECTORS["roundoff"]
    body = """return said.cases.map(([least, biased, done]) =>
        findRoundoff({roundoff: [least, biased], run: {done}}));"""
    expected = [size for *_, size in cases]
    np.testing.assert_allclose(answered(body, cases=cases), expected, rtol=1e-14)
    own = [grow_roundoff(least, biased, steps) for least, biased, steps, _ in cases]
    np.testing.assert_allclose(own, expected, rtol=1e-14)


def test_a_plot_of_a_demo_has_the_line_at_roundoff_of_its_last_known_curve() -> None:
    """On a logarithmic axis, as in the plots of the lab."""
    body = """return [true, false].map(log => listWords({log, words: [["end", 1, null]], curves: [
        {y: [1, 1], floor: 1e-12}, {y: [1, 1], floor: 1e-5}, {y: [1, NaN], floor: 1}, {y: [1, 1]}]}));"""
    assert answered(body) == [[["roundoff", None, -5], ["end", 1, None]], [["end", 1, None]]]


def test_curves_are_thinned_to_the_same_rows() -> None:
    cases = VECTORS["rows"]
    body = f"{READ} return said.cases.map(one => chooseRows(read(one.y), one.log, one.most));"
    for case, found in zip(cases, answered(body, cases=cases), strict=True):
        y = read_numbers(case["y"])
        own = downsample(np.abs(y) if case["log"] else y, case["most"])
        assert own.tolist() == case["rows"] == found


def test_long_curves_are_thinned_to_the_same_rows() -> None:
    """Of curves that fill bands, have gaps, ended early or are exact."""
    rng = np.random.default_rng(7)
    wave = np.sin(1.3 * np.arange(4000.0)) * rng.uniform(0.5, 1.0, 4000)
    gaps = np.where(rng.uniform(size=3000) < 0.1, np.nan, rng.standard_normal(3000))
    ended = np.where(np.arange(2500) < 900, rng.standard_normal(2500), np.nan)
    curves = [wave, gaps, ended, np.zeros(1000), rng.standard_normal(701), wave[:700]]
    given = [[None if np.isnan(x) else x for x in y] for y in curves]
    body = f"{READ} return said.curves.map(y => chooseRows(read(y), said.log));"
    for log in (True, False):
        found = answered(body, curves=given, log=log)
        own = [downsample(np.abs(y) if log else y).tolist() for y in curves]
        assert found == own


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
    logarithmic = [[2e-12, 1e-12], [0.5, 1.0, 20.0], [1e-3, 1e5], [1e5, 5e5]]
    linear = [[0.5, -1.25], [0.0, 2.5e-6, -5e-6], [1e5, 2e5], [0.0, 99999.0], [1e-3, 4e-3]]
    asked = {
        FORMAT_LINEAR_TICK: [{"tick": tick, "ticks": ticks} for ticks in linear for tick in ticks],
        FORMAT_LOG_TICK: [
            {"tick": tick, "ticks": ticks} for ticks in logarithmic for tick in ticks
        ],
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
        ["2·10⁻¹²", "10⁻¹²", "0.5", "1", "20", "10⁻³", "10⁵", "10⁵", "5·10⁵"],
        [show(value) for value in NUMBERS],
    ]
