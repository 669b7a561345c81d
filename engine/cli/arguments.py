"""Arguments of the shell: the parser, and options that several commands share."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple, NoReturn

from ..kernels import Cancellation
from ..parameters.parameter import parse_number
from ..problems.problem import AnyProblem, find_problem
from ..simulation.progress_bar import ProgressBar
from ..text import quote
from .console import ended_by_signals

Run = Callable[[argparse.Namespace], int]
Declares = argparse._ActionsContainer
"""A parser, or a group of its arguments."""


class Parser(argparse.ArgumentParser):
    """A parser that raises one sentence for what is wrong."""

    @property
    def options(self) -> list[str]:
        """The names of all options."""
        return [name for action in self._actions for name in action.option_strings]

    def error(self, message: str) -> NoReturn:
        """Raise the message as one sentence."""
        words = message.removeprefix("argument ").partition(" (choose from")[
            0
        ]  # --help has the choices
        option, expected, _ = words.partition(": expected ")
        raise ValueError(
            f"{option}{' needs a value' if expected else ''}; see `{self.prog} --help`"
        )


class Command(NamedTuple):
    """What a command does, which arguments it takes, its usage and its help."""

    run: Run
    declare: Callable[[Parser], None]
    usage: str
    words: str


def refuse_words(left: Sequence[str], parser: Parser) -> ValueError:
    """Return what to say of words that the parser did not understand."""
    see = f"see `{parser.prog} --help`"
    wrong = [word.partition("=")[0] for word in left if word.startswith("-")]
    if not wrong:
        return ValueError(f"{quote(left[0])} is one argument too many; {see}")
    near = difflib.get_close_matches(wrong[0], parser.options, n=1)
    return ValueError(
        f"{parser.prog} has no option {wrong[0]}; {f'the nearest is {near[0]}' if near else see}"
    )


def declare_problem(parser: Parser) -> None:
    """Declare the problem to run."""
    parser.add_argument(
        "problem", nargs="?", metavar="PROBLEM", help="like slow-top, or soft-wall(sign=as-printed)"
    )


def declare_duration(parser: Declares) -> None:
    """Declare how long to run."""
    parser.add_argument("--duration", metavar="T", help="the duration, in the problem's time")


def declare_settings(parser: Declares) -> None:
    """Declare the option that sets parameters of the problem."""
    words = "a parameter of the problem, like Omega0=0,0,4; repeatable"
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help=words)


def declare_progress(parser: Declares, quiet: str = "no progress") -> None:
    """Declare whether progress is shown."""
    words = "show progress even if stderr is not a terminal"
    parser.add_argument("--progress", action="store_true", help=words)
    parser.add_argument("--quiet", action="store_true", help=quiet)


def declare_rows(parser: Parser, endings: Sequence[str] = (".csv",)) -> None:
    """Declare what to do with measured rows, and the progress."""
    parser.add_argument(
        "--out", metavar=f"FILE{'|'.join(endings)}", help="save the rows; - prints CSV"
    )
    parser.add_argument("--json", action="store_true", help="print the rows as JSON, for scripts")
    declare_progress(parser)


@contextmanager
def working(
    args: argparse.Namespace, unit: str, note: str
) -> Iterator[tuple[Cancellation, ProgressBar, list[int]]]:
    """Yield what ends long work, its progress bar, and the signals received."""
    cancel, shown = (
        Cancellation(),
        False if args.quiet else args.progress or None,
    )  # None leaves it to the terminal
    with ended_by_signals(cancel) as received, ProgressBar(unit, shown) as bar:
        bar.note(note)
        yield cancel, bar, received


def read_number(text: str | None, name: str) -> float | int | None:
    """Read a number; the engine checks its bounds."""
    if text is None:
        return None
    with suppress(ValueError):
        return int(text)
    return parse_number(text, name)


def read_assignments(given: Iterable[str], option: str) -> dict[str, str]:
    """Read options like NAME=VALUE; the engine checks the names."""
    values: dict[str, str] = {}
    for text in given:
        name, _, value = (part.strip() for part in text.partition("="))
        if not (name and value):
            raise ValueError(f"{option} is followed by NAME=VALUE; got {quote(text)}")
        if name in values:
            raise ValueError(f"{name} is given twice, as {values[name]} and as {value}")
        values[name] = value
    return values


def find_changed_problem(name: str, settings: Iterable[str]) -> AnyProblem:
    """Return the problem with the parameters of --set."""
    problem: AnyProblem = find_problem(name)
    return find_problem(problem, **problem.read_text(read_assignments(settings, "--set")))
