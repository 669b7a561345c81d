"""Undamaged files with missing information."""

from __future__ import annotations

from pathlib import Path

import pytest
from trials import check_sentence

import engine


def test_what_describes_another_thing_is_no_run(tmp_path: Path) -> None:
    for about in (
        "[]",
        "{}",
        '{"format": 1}',
        '{"format": 1, "problem": {"key": 3}}',
        '{"format": 2, "provenance": 3}',
    ):
        (tmp_path / "run.csv").write_text(f"# polhode {about}\nt\n1.0\n")
        with pytest.raises(ValueError) as refused:
            engine.load(tmp_path / "run.csv")
        check_sentence(refused.value)
