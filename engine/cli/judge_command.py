"""`polhode judge`: the verdict on a motion that another engine computed."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from ..parameters.names import split_names
from ..parameters.validation import entries_of
from ..text.csv_tables import is_number
from ..text.formatting import format_step
from .arguments import Command, Parser, declare_progress, working
from .console import DONE, JUDGED, Style, print_json, wrapped

EXAMPLES = """\
examples:
  polhode judge motion.csv --inertia 1,2,3
  polhode judge motion.csv --columns "t,qw,qx,qy,qz,wx (deg/s),wy (deg/s),wz (deg/s)"
  polhode judge motion.parquet --json
"""


def _declare(parser: Parser) -> None:
    parser.add_argument("file", nargs="?", metavar="FILE", help="a CSV or Parquet file")
    words = "three moments or nine numbers; by default estimated"
    parser.add_argument("--inertia", nargs="+", metavar="MOMENT", help=words)
    for name, words in JUDGED.items():
        parser.add_argument(f"--{name}", metavar="STEP" if name == "dt" else "WORDS", help=words)
    parser.add_argument(
        "--methods", metavar="NAME,…", help="the rules that are tried, or none; by default all"
    )
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON")
    declare_progress(parser)
    parser.epilog = EXAMPLES


def _run(args: argparse.Namespace) -> int:
    from ..referee import judge  # imported here, so that other commands start sooner

    inertia = args.inertia or []
    if args.file is None and len(inertia) > 1 and not is_number(inertia[-1]):
        args.file = inertia.pop()
    if args.file is None:
        raise ValueError("judge needs a file, as in `polhode judge motion.csv --inertia 1,2,3`")
    choices: dict[str, Any] = {name: getattr(args, name) for name in JUDGED}
    if args.methods is not None:
        choices["methods"] = split_names(args.methods) if args.methods != "none" else ()
    with working(args, "comparisons", f"{args.file}: looking for its rule …") as (
        cancel,
        bar,
        received,
    ):
        verdict = judge(
            args.file, _read_inertia(" ".join(inertia)), progress=bar, cancel=cancel, **choices
        )
    code = 128 + received[0] if received else DONE
    if args.json:
        print_json(verdict.to_json())
        return code
    style = Style(sys.stdout)
    step = f"Δt = {format_step(verdict.dt)} s" if verdict.dt == verdict.dt else "uneven steps"
    heading = f"{args.file}: {len(verdict.trajectory.t):,} rows, {step}"
    for title, sentences in ((heading, verdict.sentences), ("how it was read", verdict.remarks)):
        print(style.bold(title))
        for sentence in sentences:
            print("\n".join(f"  {line}" for line in wrapped(sentence, 2)))
    return code


def _read_inertia(text: str) -> list[float] | list[list[float]] | None:
    """Return three moments, or the rows of a matrix, separated by commas or spaces; None of an empty
    text.
    """
    if not text:
        return None
    try:
        numbers = [float(entry) for entry in entries_of(text)]
    except ValueError:
        numbers = []
    if len(numbers) == 9:
        return [numbers[:3], numbers[3:6], numbers[6:]]
    if len(numbers) != 3:
        raise ValueError(f"--inertia needs three moments or nine numbers; got {text!r}")
    return numbers


JUDGE = Command(_run, _declare, "FILE [options]", "judge the motion of any engine")
