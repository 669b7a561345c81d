"""`polhode list`, `show` and `cite`: methods and problems, and their sources."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from ..algorithms.core.method import all_methods
from ..export.citations import cite, find_cited, parse_entries
from ..parameters.names import unknown_name
from ..problems.problem import all_problems
from . import cards
from .arguments import Command, Parser
from .console import DONE, Style, print_json


def _declare_list(parser: Parser) -> None:
    parser.add_argument(
        "what", nargs="?", metavar="methods|problems", help="one of them; by default both"
    )
    parser.add_argument("--json", action="store_true", help="all declared properties, for scripts")


def _list(args: argparse.Namespace) -> int:
    kinds = ("methods", "problems")
    if args.what is not None and args.what not in kinds:
        raise unknown_name("list of", args.what, kinds, kinds)
    wanted = [args.what] if args.what else kinds
    if args.json:
        everything: dict[str, list[Any]] = {
            "methods": all_methods(None),
            "problems": all_problems(None),
        }
        print_json({kind: [cards.declaration(one) for one in everything[kind]] for kind in wanted})
    else:
        tables = {"methods": cards.method_list, "problems": cards.problem_list}
        print("\n\n".join("\n".join(tables[kind](Style(sys.stdout))) for kind in wanted))
    return DONE


def _declare_show(parser: Parser) -> None:
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="a method or a problem, like MR2 or slow-top"
    )
    parser.add_argument(
        "--space",
        metavar="SPACE",
        help="so3 or se3: of two methods with one name that for one body, or that for two",
    )
    parser.add_argument(
        "--source", action="store_true", help="add the source of the step, or of the torque"
    )
    parser.add_argument("--json", action="store_true", help="all declared properties, for scripts")


def _show(args: argparse.Namespace) -> int:
    if args.name is None:
        raise ValueError("show needs a name, as in `polhode show MR2`; `polhode list` has them all")
    found = find_cited(args.name, args.space)
    style = Style(sys.stdout)
    if args.json:
        print_json(cards.declaration(found))
    else:
        print(
            "\n".join(
                cards.card(found, style) + (cards.source(found, style) if args.source else [])
            )
        )
    return DONE


def _declare_cite(parser: Parser) -> None:
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="methods and problems, like slow-top, BUSS3+E"
    )
    parser.add_argument(
        "--json", action="store_true", help="the entries by their keys, for scripts"
    )


def _cite(args: argparse.Namespace) -> int:
    entries = cite(*args.names)
    if args.json:
        print_json(
            {entry.key: {"kind": entry.kind, **entry.fields} for entry in parse_entries(entries)}
        )
    else:
        print(entries)
    return DONE


LIST = Command(
    _list, _declare_list, "[methods|problems] [--json]", "list the methods and the problems"
)
SHOW = Command(
    _show, _declare_show, "NAME [options]", "show everything about a method or a problem"
)
CITE = Command(
    _cite, _declare_cite, "[NAME …]", "print the BibTeX of methods, problems and Polhode"
)
