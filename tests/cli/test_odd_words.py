"""Odd values for every option and argument of every command: an exit code, and at most one
sentence.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from covering import covering, some
from odd_texts import LONGEST, ODD, SECONDS, abbreviate
from timeouts import limit_processor_time

import engine
from app.server import serve
from engine import studies
from engine.cli import arguments, console, page
from engine.cli import command as cli
from engine.kernels import Cancellation

PLAIN = {
    "list": ["list"],
    "show": ["show", "MR2"],
    "cite": ["cite", "MR2"],
    "run": ["run", "free", "MR2", "--steps", "1"],
    "properties": ["properties", "MR2", "--quick"],
    "papers": ["papers", "buss-figure-3"],
    "warm": ["warm", "--methods", "MR2", "--problems", "free"],
    "serve": ["serve", "--no-warm"],
    "bench": ["bench", "MR2"],
    "checks": ["checks", "--out", "checks"],
}
"""A valid line of each command except `study`."""
FEW = {
    "dts": "0.5",
    "duration": "0.01",
    "steps": "1000",
    "within": "0.1",
    "members": "2",
    "budget": "1",
    "over": "dt=1",
}
STUDIES = {
    study.key: [
        "study", study.key, "DB4" if study.spaces[0] == "se3" else "free", study.example[0],
        *(f"--{argument.name}={FEW[argument.name]}" for argument in study.arguments
          if argument.name in FEW and (study.key, argument.name) != ("sweep", "steps")),
    ]
    for study in studies.registered()
}  # fmt: skip
"""Of each study."""
EXIT_CODES = {console.DONE, console.USAGE_ERROR, console.CHECK_FAILED}


class Cancelled(Cancellation):
    """Set from the start: the tests concern parsing, so valid commands need not run."""

    def __init__(self) -> None:
        super().__init__()
        self.set()


@pytest.fixture(autouse=True)
def nothing_long(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def listens(*_: Any, **__: Any) -> None:
        raise ValueError("it would be served")

    monkeypatch.setenv("POLHODE_PLAIN", "1")
    monkeypatch.setenv(
        "LANGUAGE", "C"
    )  # argparse looks on the disk for a translation of each of its sentences
    monkeypatch.setattr(arguments, "Cancellation", Cancelled)
    monkeypatch.setattr(serve, "SharedCounts", listens)
    for module, name in ((cli, "parsers"), (page, "entry_points")):  # alike each time
        monkeypatch.setattr(module, name, functools.cache(getattr(module, name)))
    monkeypatch.chdir(tmp_path)


def ends(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The command ends with a documented exit code, and with a sentence if something was wrong."""
    shown = " ".join(abbreviate(argument) for argument in arguments)
    with limit_processor_time(SECONDS, shown):
        code = cli.main(arguments)
    report = capsys.readouterr().err
    assert code in EXIT_CODES, (shown, code, report[-LONGEST:])
    if code == console.USAGE_ERROR:
        assert report.startswith("polhode: ") and report.count("\n") == 1, (
            shown,
            report[-LONGEST:],
        )
        assert len(report) <= LONGEST + len("polhode: \n"), (shown, len(report), report[:LONGEST])
    else:
        assert report == "" or "stopped early" in report, (shown, report[-LONGEST:])


LINES = {**PLAIN, **STUDIES}


PARTS = 5
"""Every word with every command; the quick tests take one part of the words for each command, and
of that a fifth.
"""


def each_with_a_part(names: Iterable[str]) -> list[Any]:
    return covering(product(names, range(PARTS)), by=lambda name, part: (part,))


@pytest.mark.parametrize(("name", "part"), each_with_a_part(LINES))
def test_odd_options_end_in_a_sentence(
    name: str, part: int, capsys: pytest.CaptureFixture[str]
) -> None:
    line = LINES[name]
    command = " ".join(line[:2]) if line[0] == "study" else line[0]
    options = [
        name
        for name in cli.parsers()[1][command].options
        if name.startswith("--") and name != "--help"
    ]
    assert options
    for option in options:
        for value in some(ODD[part::PARTS]):
            ends([*line, f"{option}={value}"], capsys)


@pytest.mark.parametrize(("name", "part"), each_with_a_part(LINES))
def test_odd_arguments_end_in_a_sentence(
    name: str, part: int, capsys: pytest.CaptureFixture[str]
) -> None:
    line = LINES[name]
    places = [place for place, word in enumerate(line) if not word.startswith("--")]
    for place in (*places[1:], len(places)):
        for value in some(ODD[part::PARTS]):
            ends([*line[:place], value, *line[place + 1 :]], capsys)


@pytest.mark.parametrize(
    ("key", "part"),
    each_with_a_part(problem.key for problem in engine.problems() + engine.problems("se3")),
)
def test_odd_parameters_end_in_a_sentence(
    key: str, part: int, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = engine.problem(key)
    method = engine.algorithms(problem.space)[0].key
    own = [parameter.name for parameter in problem.specific]
    for name in (
        [*own, "dt"] if key not in ("free", "two-bodies") else problem.parameters
    ):  # what all have, once
        for value in some(ODD[part::PARTS]):
            ends(["run", key, method, "--steps=0", f"--set={name}={value}"], capsys)
    for value in some(ODD[part::PARTS]):
        ends(["run", f"{key}({[*own, 'dt'][0]}={value})", method, "--steps=0"], capsys)


@pytest.mark.parametrize(
    ("key", "part"),
    each_with_a_part(m.key for m in engine.algorithms() + engine.algorithms("se3") if m.options),
)
def test_odd_options_of_methods_end_in_a_sentence(
    key: str, part: int, capsys: pytest.CaptureFixture[str]
) -> None:
    method = engine.algorithm(key)
    problem = engine.problems(method.space)[0].key
    for option in method.options:
        for value in some(ODD[part::PARTS]):
            ends(["run", problem, key, "--steps=0", f"--option={option.name}={value}"], capsys)
            ends(["run", problem, f"{key}({option.name}={value})", "--steps=0"], capsys)


@pytest.mark.parametrize("before", [[], ["help"], ["--set"], ["run"], ["--plugins"]])
def test_odd_commands_end_in_a_sentence(
    before: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for value in some(ODD):
        ends([*before, value], capsys)
