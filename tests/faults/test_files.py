"""Undamaged files with missing information."""

from __future__ import annotations

from pathlib import Path

import pytest
from bombs import check_refused, make_bombs
from trials import check_sentence

import app
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


def test_a_mesh_does_not_declare_more_than_it_has(tmp_path: Path) -> None:
    """Its reader allocates memory for what the header declares, and may crash."""
    for form in ("ascii", "binary_little_endian"):
        (tmp_path / "body.ply").write_text(
            f"ply\nformat {form} 1.0\nelement vertex 1000000000000\nproperty float x\n"
            "property float y\nproperty float z\nelement face 4\n"
            "property list uchar int vertex_indices\nend_header\n0 0 0\n"
        )
        with pytest.raises(ValueError, match="1,000,000,000,000 elements 'vertex'") as refused:
            engine.body.from_mesh(tmp_path / "body.ply", mass=1.0)
        check_sentence(refused.value)


def test_a_lesson_is_read_no_further_than_its_bound(tmp_path: Path) -> None:
    """Also if it, or a picture beside it, is a file of some terabytes."""
    with (tmp_path / "own.md").open("wb") as file:
        file.write(b"# A lesson\n\n")
        file.truncate(2**42)
    with pytest.raises(ValueError, match=r"characters, and a lesson may have") as refused:
        app.lesson(str(tmp_path / "own.md"))
    check_sentence(refused.value)
    with (tmp_path / "huge.png").open("wb") as file:
        file.truncate(2**42)
    (tmp_path / "own.md").write_text("# A\n\n## One\n\n![a picture](huge.png)\n")
    with pytest.raises(ValueError, match="pictures of a lesson have at most") as refused:
        app.lesson(str(tmp_path / "own.md"))
    check_sentence(refused.value)


def test_each_description_that_no_run_has_is_refused(tmp_path: Path) -> None:
    """Those of the trial of exploding files, also if they lie about what they unpack to, and that
    file by file the right one is loaded.
    """
    for name, write in make_bombs(tmp_path):
        if name.startswith(("lies-", "lies.")):
            write(tmp_path / name)
            check_refused(tmp_path / name)
    assert len(engine.load(tmp_path / "run.csv")) == 61
