"""`polhode properties` and `papers`: properties of methods, verdicts on papers' claims, and others'
numbers.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from ..algorithms.core.method import find_method
from . import cards
from .arguments import Command, Parser, declare_progress, declare_rows, working
from .console import Style, check_out, end_measuring, report_rows

if TYPE_CHECKING:
    from .. import papers


def _declare_properties(parser: Parser) -> None:
    parser.add_argument("names", nargs="*", metavar="METHOD", help="these methods; by default all")
    parser.add_argument(
        "--quick", action="store_true", help="without the drift over a million steps, and the speed"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--markdown",
        action="store_true",
        help="a table in Markdown; the default for several methods",
    )
    form.add_argument("--html", action="store_true", help="a table in HTML")
    form.add_argument("--json", action="store_true", help="all measurements, for scripts")
    declare_progress(parser)


def _properties(args: argparse.Namespace) -> int:
    from ..studies import (
        properties,
        property_table,
    )  # imported here, so that other commands start sooner

    methods = [find_method(name) for name in args.names]
    as_lines = len(methods) == 1 and not (args.markdown or args.html or args.json)
    note = f"measuring {', '.join(m.label for m in methods) or 'all methods'} …"
    with working(args, "methods", note) as (cancel, bar, received):
        if as_lines:
            found = properties(methods[0], quick=args.quick, cancel=cancel)
            text = "\n".join(cards.properties_card(found, Style(sys.stdout)))
        else:
            table = property_table(methods or None, quick=args.quick, cancel=cancel, progress=bar)
            text = (
                table.to_json()
                if args.json
                else table.to_html()
                if args.html
                else table.to_markdown()
            )
    print(text)
    return end_measuring(received)


def _declare_papers(parser: Parser) -> None:
    parser.add_argument(
        "keys",
        nargs="*",
        metavar="KEY",
        help="these claims with all figures; by default all verdicts",
    )
    parser.add_argument(
        "--figures",
        action="store_true",
        help="the papers' plots and tables: a list, or KEYs as data",
    )
    parser.add_argument(
        "--others", action="store_true", help="numbers that others published, beside the lab's"
    )
    declare_rows(parser)


def _papers(args: argparse.Namespace) -> int:
    from .. import papers  # imported here, so that other commands start sooner

    check_out(args, (".csv",))
    if args.figures:
        return _figures(args)
    if args.others:
        return _others(args)
    import pandas as pd

    claims = [papers.find(key) for key in args.keys]
    with working(args, "claims", "preparing …") as (cancel, bar, received):
        found = papers.verdicts(claims or None, cancel, bar)
    frames = (
        [one.to_frame().assign(claim=one.claim.key) for one in found.measured]
        if claims
        else [found.to_frame()]
    )
    card = cards.claim_card if claims else cards.verdict
    lines = [line for one in found.measured for line in card(one, Style(sys.stdout))]
    frame = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()
    return end_measuring(received, report_rows(frame, lines, args))


def _figures(args: argparse.Namespace) -> int:
    """Print the list of figures, or the data of some."""
    import pandas as pd

    from .. import papers

    style = Style(sys.stdout)
    figures = [papers.find_figure(key) for key in args.keys]
    if not figures:
        every = papers.figures()
        frame = pd.DataFrame([cards.about_figure(figure) for figure in every])
        return report_rows(
            frame, [line for one in every for line in (*cards.figure_head(one, style), "")], args
        )
    curves: list[papers.Drawn] = []
    with working(args, "figures", "preparing …") as (cancel, bar, received):
        for figure in figures:
            curves.append(
                figure.curves(lambda part, of: bar(len(curves) + part / of, len(figures)), cancel)
            )
    frames = [one.to_frame().assign(figure=one.figure.key) for one in curves]
    lines = [line for one in curves for line in cards.figure_card(one, style)]
    return end_measuring(received, report_rows(pd.concat(frames, ignore_index=True), lines, args))


def _others(args: argparse.Namespace) -> int:
    """Print the numbers of others beside the lab's, and the verdict on each."""
    import pandas as pd

    from .. import papers

    with working(args, "comparisons", "preparing …") as (cancel, bar, received):
        found = papers.compare(args.keys or None, cancel, bar)
    rows = [
        {"key": one.key, **row} for one, every in found.items() for c in every for row in c.rows()
    ]
    lines = [
        line
        for one, every in found.items()
        for line in cards.comparison_card(one, every, Style(sys.stdout))
    ]
    return end_measuring(received, report_rows(pd.DataFrame(rows), lines, args))


PROPERTIES = Command(
    _properties, _declare_properties, "[METHOD …] [options]", "measure orders, invariants and cost"
)
PAPERS = Command(
    _papers, _declare_papers, "[KEY …] [options]", "measure what the papers claim, and judge it"
)
