"""The comparison of TAYLOR with heyoka: its table is printed."""

from __future__ import annotations

import pytest

from benchmarks import tops


def test_the_table_is_printed(capsys):
    pytest.importorskip("mpmath")
    tops.main(["--problems", "kovalevskaya-top", "--rounds", "2"])
    lines = capsys.readouterr().out.splitlines()
    assert len([line for line in lines if line.startswith("kovalevskaya-top")]) == 4
