"""The path of a command through the engine, as `docs/developer/command-path.md` describes it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from entered_files import list_entered, list_entered_files

from engine.cli.command import main
from engine.kernels import compiles

PATH = Path(__file__).parents[2] / "docs" / "developer" / "command-path.md"
PAGE = PATH.read_text(encoding="utf-8")
MAP = "study map free NMB"
MOST_FILES = {MAP: 25, "run slow-top NMB": 20, "study convergence free NMB --duration 1": 32}
"""The files between a repeated command and what it prints."""

pytestmark = pytest.mark.skipif(
    not compiles(), reason="in plain Python a run also enters the method's files"
)


@pytest.mark.parametrize("words", MOST_FILES)
def test_a_repeated_command_passes_through_few_files(
    words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    files = list_entered_files(lambda: main(words.split()))
    assert "NMB" in capsys.readouterr().out
    assert len(files) <= MOST_FILES[words], "\n".join(files)
    assert f"| `polhode {words}` | {MOST_FILES[words]} |" in PAGE


def test_a_map_passes_through_the_documented_functions_in_their_order() -> None:
    documented = re.findall(r"^\| `([\w.]+)` \| `([\w./]+\.py)` \|", PAGE, re.MULTILINE)
    entered = [
        (name.rpartition("<locals>.")[2], file)
        for name, file in list_entered(lambda: main(MAP.split()))
    ]
    assert documented and [one for one in entered if one in documented] == documented
