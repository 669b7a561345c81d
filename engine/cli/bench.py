"""`polhode bench`: nanoseconds per step on this machine, with and without tracking the
invariants.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..algorithms.core.method import Method, all_methods, find_method
from ..export.files import check_writable
from ..simulation import describe_machine, format_versions
from ..simulation.timing import TIMED_PROBLEMS, TimedCase, time_cases
from .arguments import Command, Parser, declare_progress, working
from .console import Style, as_json, end_measuring, save, table


def bench(
    methods: Iterable[str | Method] | None = None,
    progress: Callable[[int, int], Any] | None = None,
    cancel: threading.Event | None = None,
) -> dict[str, Any]:
    """Time methods on a free body and on a top; return the medians of the turns, and of complete
    ones if cancelled.

    A time is None if the method takes no steps of a given size, does not fit the problem, or does
    not reach the end.
    """
    named = all_methods() if methods is None else methods
    chosen = list(dict.fromkeys(find_method(method, space="so3") for method in named))
    words = {"untracked": False, "tracked": True}
    cases = [
        TimedCase(method, problem, on)
        for method in chosen
        for problem in TIMED_PROBLEMS
        for on in words.values()
    ]
    times = time_cases(cases, progress, cancel)
    medians = {case: statistics.median(found) for case, found in times.items() if found}
    rows = [
        {"method": m.given_name}
        | {
            p: {word: medians.get(TimedCase(m, p, on)) for word, on in words.items()}
            for p in TIMED_PROBLEMS
        }
        for m in chosen
    ]
    turns = max(map(len, times.values()), default=0)
    return {"unit": "ns/step", "repetitions": turns, "machine": describe_machine(), "methods": rows}


def format_table(result: Mapping[str, Any], style: Style) -> list[str]:
    """Return the lines of a table with what `bench` measured."""
    about = result["machine"]
    head = ["", *(f"{problem}{word}" for problem in TIMED_PROBLEMS for word in ("", ", tracked"))]
    rows = [head]
    for row in result["methods"]:
        times = [
            row[problem][word] for problem in TIMED_PROBLEMS for word in ("untracked", "tracked")
        ]
        rows.append([row["method"], *("–" if ns is None else f"{ns:.1f}" for ns in times)])
    how = (
        ""
        if about["compiled"]
        else ", plain Python because compiling is switched off, or llvmlite not installed"
    )
    return [
        style.bold(f"ns per step, median of {result['repetitions']}{how}"),
        style.dim(f"{about['processor']}, {about['processors']} processors; {about['system']}"),
        style.dim(format_versions()),
        "",
        *table(rows, "<" + ">" * (len(head) - 1), style),
        "",
        style.dim("tracked: with every invariant tracked at every step, as in `polhode run`."),
    ]


def _declare_bench(parser: Parser) -> None:
    parser.add_argument("names", nargs="*", metavar="METHOD", help="these methods; by default all")
    parser.add_argument("--json", metavar="FILE", help="write the numbers to a .json file, too")
    declare_progress(parser)


def _run(args: argparse.Namespace) -> int:
    path = None if args.json is None else check_writable(args.json, (".json",))
    with working(args, "measurements", "preparing …") as (cancel, bar, received):
        result = bench(args.names or None, bar, cancel)
    code = save(path, lambda file: file.write_text(as_json(result), encoding="utf-8"))
    print("\n".join(format_table(result, Style(sys.stdout))))
    return end_measuring(received, code)


BENCH = Command(_run, _declare_bench, "[METHOD …] [options]", "time the methods on this machine")
