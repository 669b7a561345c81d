"""Formatting of numbers, times and lists for people."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import engine
from engine.parameters.names import unknown_name
from engine.text.formatting import (
    capitalise,
    finish_sentence,
    format_count,
    format_entries,
    format_measured,
    format_ordinal,
    format_powers,
    format_seconds,
    format_setting,
    format_sign,
    format_signs,
    format_step,
    format_with_prefix,
    join_words,
    show,
)

ROOT = Path(engine.__file__).resolve().parents[1]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (format_measured(0.02345), "0.023"),
        (format_measured(-2.9e-4), "−2.9·10⁻⁴"),
        (format_measured(1e6), "1.0·10⁶"),
        (format_measured(1234, 4), "1,234"),
        (format_measured(0.0), "0"),
        (format_measured(float("inf")), "∞"),
        (format_measured(float("nan")), "–"),
        (show(0.5), "0.5"),
        (show(1010, 3), "1010"),
        (show(1e9), "10⁹"),
        (show(-1e-15), "−10⁻¹⁵"),
        (show(-2.5e7, 3), "−2.5·10⁷"),
        (show(-1010.0, 2), "−1000"),
        (show(-0.0), "0"),
        (show(float("-inf")), "−inf"),
        (show(2.5e-6), "2.5·10⁻⁶"),
        (show(123456.0), "123456"),
        (show(float("nan")), "nan"),
        (show(999.9, 3), "1000"),
        (format_ordinal(1), "1st"),
        (format_ordinal(2), "2nd"),
        (format_ordinal(3), "3rd"),
        (format_ordinal(11), "11th"),
        (format_ordinal(112), "112th"),
        (format_ordinal(1000), "1,000th"),
        (join_words(["A"]), "A"),
        (join_words(["A", "B"]), "A and B"),
        (join_words([]), ""),
        (join_words(["A", "B", "C"]), "A, B and C"),
        (join_words("AB", "or"), "A or B"),
        (format_seconds(1.01), "1.01 s"),
        (format_seconds(0.9996), "1 s"),
        (format_seconds(0.0123), "12.3 ms"),
        (format_seconds(4.5e-5), "45 µs"),
        (format_seconds(1234.0), "1230 s"),
        (format_seconds(1.5e-7), "150 ns"),
        (format_seconds(0.0), "0 ns"),
        (format_powers("kept (7.9e-15), drifts, +1.1e-08 per step"), "kept (7.9·10⁻¹⁵), drifts, +1.1·10⁻⁸ per step"),
        (format_powers("drifts, -1.1e-08 per step"), "drifts, −1.1·10⁻⁸ per step"),
        (format_powers("1.70e-02 ± 1e-08 · Δt^2"), "0.0170 ± 1·10⁻⁸ · Δt²"),
        (format_powers("kept (0.0e+00, Δt^3.01 ± 0.02)"), "kept (0, Δt to the power 3.01 ± 0.02)"),
        (format_step(0.05), "0.05"),
        (format_step(1 / 60), "1/60"),
        (format_step(1 / 256), "1/256"),
        (format_step(0.7 / 3), "0.233333"),
        (format_step(0.0), "0"),
        (format_sign("Omega0"), "Ω₀"),
        (format_sign("m1"), "m₁"),
        (format_sign("rotor"), "rotor"),
        (format_signs("MR4, T=40, ε=1e-06"), "MR4, T = 40, ε = 10⁻⁶"),
        (format_signs("energy range, NMB, td=2, dt=0.05 (%)"), "energy range, NMB, td = 2, Δt = 0.05 (%)"),
        (format_setting("Omega0", (0.1, 3.0, 0.0)), "Ω₀ = (0.1, 3, 0)"),
        (format_entries((0.1, -3e-7, 0.0)), "(0.1, −3·10⁻⁷, 0)"),
        (format_setting("rotor", (-1.5, 0.0, 1.0)), "rotor = (−1.5, 0, 1)"),
        (format_setting("Mgl", 20.0), "Mgl = 20"),
        (format_setting("formula", "e3"), "formula = e3"),
        (capitalise("section 3.1"), "Section 3.1"),
        (capitalise("doc/src/fix_rigid.rst"), "doc/src/fix_rigid.rst"),
        (finish_sentence("rows.csv has no such column"), "rows.csv has no such column."),
        (format_count(1, "row"), "1 row"),
        (format_count(3000, "row"), "3,000 rows"),
        (format_count(2.5, "row"), "2.5 rows"),
        (format_with_prefix(12_345_678), "12.3 M"),
        (format_with_prefix(7), "7"),
    ],
)  # fmt: skip
def test_it_is_written_as_it_is_read(written: str, expected: str) -> None:
    assert written == expected


def test_an_unknown_name_gets_those_that_begin_with_it_and_no_more_than_five() -> None:
    with pytest.raises(
        ValueError, match="the nearest names are RK4-AVG, RK4-QUAT, RK4-MATRIX"
    ) as caught:
        engine.algorithm("RK4")
    assert len(str(caught.value)) < 120
    for name in ("xyz", "Runge Kutta", "symplectic", "A"):
        with pytest.raises(ValueError, match=r"the nearest names? (?:is|are) ") as caught:
            engine.algorithm(name)
        assert str(caught.value).count(",") <= 4, name


def test_an_unknown_name_among_few_gets_them_all() -> None:
    said = str(unknown_name("colour", "xyz", ["red", "green"], ["red", "green"]))
    assert said == "there is no colour 'xyz'; there are red and green"


SPOKEN = [*(ROOT / "engine").rglob("*.py"), *(ROOT / "app").rglob("*.py")]


def texts(path: Path) -> list[tuple[int, str]]:
    """Every text of a file, with its line."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return [
        (node.lineno, node.value)
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def test_cannot_is_one_word() -> None:
    spoken = [
        path
        for path in SPOKEN
        if "compiler" not in path.parts and "can not" in path.read_text("utf-8")
    ]
    assert [
        (path, line)
        for path in spoken
        for line, text in texts(path)
        if re.search(r"\bcan not\b", text)
    ] == []


RETIRED = {
    r"\b(true|real) (motion|solution|attitude|path|\{)s?": "exact motion",
    r"\bexact (solution|trajectory|trajectories)\b": "exact motion",
    r"\btruth(?! value)": "exact motion",
    r"(?<!angular )\bmomentum in space\b|\bspace momentum\b": "spatial momentum",
    r"\bmomentum in the body\b(?!')": "body momentum",
    r"\bvertical momentum\b": "momentum about the vertical",
    r"\bmomentum (about|along) (the|its) (top's |own )?axis\b": "momentum about the body's axis",
    r"\|Π\| flat|\bflat views\b": "sphere in 2D, paths in 2D",
    r"\b(topics|shelf|seldom)\b": "pages, a folder of demos, rarely",
    r"\btold\b": "a noun for what it is: a message, sentences, a report",
    r"(?<!style )(?<!style-)\bsheets?\b(?!\._update)": "HtmlBlock",
}
"""Words that the project does not use for what the field, or the project itself, calls otherwise."""
WORDED = ("engine", "app", "assets", "docs", "benchmarks", "README.md", "CONTRIBUTING.md")
SPOKEN_ELSEWHERE = {
    "docs/developer/style.md",  # which lists what not to write
}


def find_worded() -> list[Path]:
    """Return the files of code, text and data that people wrote."""
    kinds = {".py", ".js", ".mjs", ".css", ".html", ".jinja", ".md", ".toml"}
    files = [path for top in WORDED for path in (ROOT / top, *(ROOT / top).rglob("*"))]
    return [
        path
        for path in files
        if path.suffix in kinds
        and not {"compiler", "node_modules", "_build"} & set(path.parts)
        and path.relative_to(ROOT).as_posix() not in SPOKEN_ELSEWHERE
    ]


def test_one_word_for_one_thing() -> None:
    found = []
    for path in find_worded():
        text = " ".join(path.read_text(encoding="utf-8").split())
        for pattern, better in RETIRED.items():
            found += [
                f"{path.relative_to(ROOT)}: {text[max(0, at.start() - 40) : at.end() + 40]!r}, better: {better}"
                for at in re.finditer(pattern, text, re.IGNORECASE)
            ]
    assert found == []
