"""Numbers, times and lists as a person reads them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import engine
from engine.names import unknown
from engine.wording import counted, elapsed, in_digits, listed, ordinal, prefixed, short, spelled

ROOT = Path(engine.__file__).resolve().parents[1]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (in_digits(0.02345), "0.023"), (in_digits(-2.9e-4), "−2.9·10⁻⁴"), (in_digits(1e6), "1.0·10⁶"),
        (in_digits(1234, 4), "1,234"),
        (in_digits(0.0), "0"), (in_digits(float("inf")), "∞"), (in_digits(float("nan")), "–"),
        (short(0.5), "0.5"), (short(1010, 3), "1010"), (short(1e9), "10⁹"), (short(-1e-15), "-10⁻¹⁵"),
        (short(2.5e-6), "2.5·10⁻⁶"), (short(123456.0), "123456"), (short(float("nan")), "nan"),
        (short(999.9, 3), "1000"),
        (ordinal(1), "1st"), (ordinal(2), "2nd"), (ordinal(3), "3rd"), (ordinal(11), "11th"), (ordinal(112), "112th"),
        (ordinal(1000), "1,000th"), (listed(["A"]), "A"), (listed(["A", "B"]), "A and B"), (listed([]), ""),
        (listed(["A", "B", "C"]), "A, B and C"), (listed("AB", "or"), "A or B"),
        (elapsed(1.01), "1.01 s"), (elapsed(0.9996), "1 s"), (elapsed(0.0123), "12.3 ms"), (elapsed(4.5e-5), "45 µs"),
        (elapsed(1234.0), "1230 s"), (elapsed(1.5e-7), "150 ns"), (elapsed(0.0), "0 ns"),
        (spelled("kept (7.9e-15), drifts, +1.1e-08 per step"), "kept (7.9·10⁻¹⁵), drifts, +1.1·10⁻⁸ per step"),
        (counted(1, "row"), "1 row"), (counted(3000, "row"), "3,000 rows"), (counted(2.5, "row"), "2.5 rows"),
        (prefixed(12_345_678), "12.3 M"), (prefixed(7), "7"),
    ],
)  # fmt: skip
def test_it_is_written_as_it_is_read(written: str, expected: str) -> None:
    assert written == expected


def test_an_unknown_name_gets_those_that_begin_with_it_and_no_more_than_five() -> None:
    with pytest.raises(ValueError, match="the nearest names are RK4-AVG, RK4-QUAT, RK4-MATRIX") as caught:
        engine.algorithm("RK4")
    assert len(str(caught.value)) < 120
    for name in ("xyz", "Runge Kutta", "symplectic", "A"):
        with pytest.raises(ValueError, match=r"the nearest names? (?:is|are) ") as caught:
            engine.algorithm(name)
        assert str(caught.value).count(",") <= 4, name


def test_an_unknown_name_among_few_gets_them_all() -> None:
    said = str(unknown("colour", "xyz", ["red", "green"], ["red", "green"]))
    assert said == "there is no colour 'xyz'; there are red and green"


SPOKEN = [*(ROOT / "engine").rglob("*.py"), *(ROOT / "app").rglob("*.py")]
RECORDED = {"measure.py", "properties.py", "table.py"}
"""What they write stands in files of recorded measurements."""


def texts(path: Path) -> list[tuple[int, str]]:
    """Every text of a file, with its line."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return [
        (node.lineno, node.value) for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


@pytest.mark.parametrize("path", SPOKEN, ids=lambda path: str(path.relative_to(ROOT)))
def test_cannot_is_one_word(path: Path) -> None:
    assert [line for line, text in texts(path) if re.search(r"\bcan not\b", text)] == [] or "compiler" in path.parts
