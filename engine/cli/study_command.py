"""`polhode study`: a subcommand for each study, generated from its declaration."""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress
from functools import partial
from typing import Any

from ..parameters.names import split_names
from ..parameters.parameter import Number, Numbers, OneOf, Parameter, Switch, Text, Whole
from ..text.formatting import join_words
from . import arguments
from .arguments import Command, Parser
from .console import (
    DONE,
    Style,
    check_out,
    end_measuring,
    find_width,
    format_frame,
    pairs,
    print_notice,
    report_rows,
    spell_option,
    wrapped,
)

FLAGS = ("--json", "--progress", "--quiet", "--processes", "--energy-correction")
"""Options without a value."""
TYPED: dict[type, str] = {Whole: "N", Number: "X", Numbers: "X,…", OneOf: "WORD", Text: "FILE"}
"""The value of an option in its help, by the kind of the parameter."""


def _list_studies() -> list[str]:
    from .. import studies  # imported here, so that other commands start sooner

    return pairs([(study.key, study.sentence) for study in studies.registered()], "  ")


def _declare_any(parser: Parser) -> None:
    parser.add_argument("words", nargs="*", metavar="STUDY PROBLEM [METHOD …]")
    parser.epilog = "\n".join(
        ["studies:", *_list_studies(), "", "`polhode study NAME --help` shows its options."]
    )


def _run(args: argparse.Namespace) -> int:
    if args.words[:1] == ["list"]:
        print("\n".join(_list_studies()))
        return DONE
    raise _needs_problem("STUDY")


def _needs_problem(name: str) -> ValueError:
    from .. import studies

    there = ", ".join(study.key for study in studies.registered())
    example = f"`polhode study {name} free NMB`"
    return ValueError(f"study needs its name and a problem, as in {example}; there are {there}")


STUDY = Command(
    _run,
    _declare_any,
    "STUDY PROBLEM [METHOD …] [options]",
    "measure errors, cost, limits, or many starts",
)


def find_studies() -> dict[str, Command]:
    """Return a command for each study, `study convergence` and so on."""
    from .. import studies

    return {
        f"study {study.key}": Command(
            partial(_run_study, study),
            partial(_declare_study, study),
            f"PROBLEM {'METHOD' if study.most == 1 else 'METHOD …'} [options]",
            study.sentence,
        )
        for study in studies.registered()
    }


def join_name(argv: list[str]) -> list[str]:
    """Return the arguments with the name of the study, which may stand anywhere, joined to the
    command.
    """
    from .. import studies

    at = argv.index("study")
    for i, word in enumerate(argv[at + 1 :], at + 1):
        before = argv[i - 1]
        if word.startswith("-") or (
            before.startswith("--") and "=" not in before and before not in FLAGS
        ):
            continue
        if word == "list":
            break
        with suppress(ValueError):
            return [
                *argv[:at],
                f"study {studies.find(word).key}",
                *argv[at + 1 : i],
                *argv[i + 1 :],
            ]
        if i == at + 1:
            studies.find(word)  # which raises a sentence with the nearest names
    return argv


def _declare_study(study: Any, parser: Parser) -> None:
    parser.add_argument(
        "problem", nargs="?", metavar="PROBLEM", help="like free, or soft-wall(sign=as-printed)"
    )
    words = (
        "one"
        if study.most == 1
        else f"by default {study.without}"
        if study.without
        else "one or several"
    )
    parser.add_argument("methods", nargs="*", metavar="METHOD", help=words)
    for argument in study.arguments:
        _declare_argument(parser, argument)
    for old, new in study.old_words.items():
        parser.add_argument(
            spell_option(old), dest=study.argument(new).name, help=argparse.SUPPRESS
        )
    if study.takes_executor:
        parser.add_argument(
            "--scheduler", metavar="ADDRESS", help="a Dask cluster, like tcp://host:8786"
        )
        parser.add_argument(
            "--processes", action="store_true", help="run in processes, not threads"
        )
    arguments.declare_settings(parser)
    arguments.declare_rows(parser, study.result.endings)


def _declare_argument(parser: Parser, argument: Parameter) -> None:
    kind = argument.kind
    more = dict[str, Any]()
    metavar = next((words for of, words in TYPED.items() if isinstance(kind, of)), kind.example)
    if isinstance(kind, Switch):
        metavar = "ON"
        more = {"nargs": "?", "const": "on"}
    if kind.separator:
        more = {"action": "append"}
    choices = (
        f": {join_words(argument.choices, 'or')}"
        if len(argument.choices) and metavar != "ON"
        else ""
    )
    default = "" if argument.default is None else f" ({argument.format(argument.default)})"
    words = f"{argument.about}{choices}{default}{'; repeatable' if kind.separator else ''}"
    parser.add_argument(
        spell_option(argument.name),
        metavar=metavar,
        help=words.replace("%", "%%"),
        **more,
    )


def _run_study(study: Any, args: argparse.Namespace) -> int:
    if args.problem is None:
        raise _needs_problem(study.key)
    options = _read_options(study, args)
    methods = [name for word in args.methods for name in split_names(word)]
    study.check_methods(methods)
    problem = arguments.find_changed_problem(args.problem, args.set)
    check_out(args, study.result.endings)
    with arguments.working(args, study.unit, f"{study.key} on {problem.label}: preparing …") as (
        cancel,
        bar,
        received,
    ):
        if bar.shown and study.takes_executor and args.scheduler:
            from ..studies.core import find_dashboard

            if dashboard := find_dashboard(args.scheduler):
                print_notice(f"the cluster's dashboard is at {dashboard}")
        found = study.run(problem, methods, progress=bar, cancel=cancel, **options)
    summary = found.summary_frame()
    lines = (
        [*format_frame(summary, Style(sys.stdout)), "", *_fit(found.conclusion)]
        if len(summary)
        else []
    )
    return end_measuring(received, report_rows(found.to_frame(), lines, args, found.save))


def _fit(text: str) -> list[str]:
    """Return a text as lines that fit the terminal."""
    return [text] if find_width() is None else wrapped(text)


def _read_options(study: Any, args: argparse.Namespace) -> dict[str, Any]:
    """Read the arguments of a study."""
    options: dict[str, Any] = {}
    for argument in study.arguments:
        text = getattr(args, argument.name)
        if text is not None:
            options[argument.name] = argument.read_text(
                argument.kind.separator.join(text) if argument.kind.separator else text
            )
    for argument in study.needed():
        if argument.name not in options:
            option = spell_option(argument.name)
            example = f"polhode study {study.key} {args.problem} {option} {argument.kind.example}"
            raise ValueError(
                f"{study.key} needs {option}, {argument.doc.partition(':')[0]}; as in `{example}`"
            )
    if study.takes_executor:
        if args.scheduler and args.processes:
            raise ValueError("give --scheduler or --processes, not both")
        options["executor"] = args.scheduler or ("processes" if args.processes else None)
    return options
