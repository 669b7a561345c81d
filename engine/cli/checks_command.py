"""`polhode checks`: check cases for the tests of other projects."""

from __future__ import annotations

import argparse
from pathlib import Path

from .arguments import Command, Parser, declare_progress, working
from .console import DONE, end_measuring


def _declare(parser: Parser) -> None:
    parser.add_argument(
        "--out", metavar="FOLDER", help="the folder to write, made if it is missing"
    )
    declare_progress(parser)


def _run(args: argparse.Namespace) -> int:
    if args.out is None:
        raise ValueError("checks needs a folder to write, as in `polhode checks --out checks`")
    folder = Path(args.out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise ValueError(f"--out needs a folder; {args.out!r} is a file") from error
    except OSError as error:
        raise ValueError(f"{args.out!r} cannot be made: {error.strerror}") from error
    from ..referee.checks import write_checks  # imported here, so that other commands start sooner

    with working(args, "cases", "preparing …") as (cancel, bar, received):
        files = write_checks(folder, bar, cancel)
    if not received:
        print(f"{folder}: {len(files)} files; begin with {folder / 'README.md'}.")
    return end_measuring(received, DONE)


CHECKS = Command(
    _run, _declare, "--out FOLDER", "write exact motions for the tests of other projects"
)
