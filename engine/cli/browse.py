"""`polhode list`, `show` and `cite`: methods and problems, and their sources."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from typing import Any

from ..algorithms.core.method import Method, all_methods
from ..export.citations import cite, find_cited, parse_entries
from ..parameters.names import unknown_name
from ..problems.problem import all_problems
from ..programs import LANGUAGES, SHAPES, program
from ..text import SPACES, formatting
from . import cards
from .arguments import Command, Parser
from .console import DONE, Style, print_json

KINDS = ("methods", "problems")


def _declare_list(parser: Parser) -> None:
    spaces = formatting.join_words([f"{key} for {one.moves}" for key, one in SPACES.items()])
    parser.add_argument(
        "what", nargs="*", metavar="methods|problems|SPACE",
        help=f"methods or problems alone, or those of one space: {spaces}",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="all declared properties, for scripts")


def _list(args: argparse.Namespace) -> int:
    known = (*KINDS, *SPACES)
    for name in args.what:
        if name not in known:
            raise unknown_name("list of", name, known, known)
    kinds = [kind for kind in KINDS if kind in args.what] or KINDS
    spaces = [space for space in SPACES if space in args.what] or list(SPACES)
    if args.json:
        find: dict[str, Callable[[str], Iterable[Any]]] = {
            "methods": all_methods,
            "problems": all_problems,
        }
        print_json(
            {
                kind: [cards.declaration(one) for space in spaces for one in find[kind](space)]
                for kind in kinds
            }
        )
    else:
        tables = {"methods": cards.method_list, "problems": cards.problem_list}
        print("\n\n".join("\n".join(tables[kind](Style(sys.stdout), spaces)) for kind in kinds))
    return DONE


def _declare_show(parser: Parser) -> None:
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="a method or a problem, like MR2 or slow-top"
    )
    parser.add_argument(
        "--space",
        metavar="SPACE",
        help=f"{formatting.join_words(SPACES, 'or')}: of methods with one name that of this space",
    )
    parser.add_argument(
        "--source", action="store_true", help="add the source of the step, or of the torque"
    )
    parser.add_argument(
        "--language",
        metavar="LANGUAGE",
        help=f"print the method as a program: {', '.join(LANGUAGES)}",
    )
    parser.add_argument(
        "--shape",
        metavar="ENGINE",
        help=f"print what you can paste into an engine: {', '.join(SHAPES)}",
    )
    parser.add_argument(
        "--precision", metavar="PRECISION", help="of the program: double (the default) or single"
    )
    parser.add_argument(
        "--part",
        metavar="PART",
        default="program",
        help="program, or step for its functions alone, without an example",
    )
    parser.add_argument("--json", action="store_true", help="all declared properties, for scripts")


def _show(args: argparse.Namespace) -> int:
    if args.name is None:
        raise ValueError("show needs a name, as in `polhode show MR2`; `polhode list` has them all")
    found = find_cited(args.name, args.space)
    style = Style(sys.stdout)
    if args.language is not None or args.shape is not None:
        if not isinstance(found, Method):
            raise ValueError(f"{found.key} is a problem, and programs are of methods")
        language = args.language or "python"
        print(program(found, language, args.precision, part=args.part, shape=args.shape), end="")
    elif args.json:
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
    _list,
    _declare_list,
    "[methods|problems] [SPACE] [--json]",
    "list the methods and the problems",
)
SHOW = Command(
    _show, _declare_show, "NAME [options]", "show everything about a method or a problem"
)
CITE = Command(
    _cite, _declare_cite, "[NAME …]", "print the BibTeX of methods, problems and Polhode"
)
