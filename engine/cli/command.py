"""The command `polhode`: what methods and problems there are, runs of them, and the speed of this
machine.

A mistake in the arguments is one sentence on stderr and exit code 2. A method that finds no
solution or blows up is a result and no error: exit code 0, or 3 with --check. A run ended by Ctrl-C
is reported and saved as far as it came: exit code 130.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from .. import plugins
from ..algorithms.core.method import all_methods
from ..parameters.names import unknown_name
from ..problems.problem import all_problems
from ..simulation.provenance import format_versions
from ..text.extras import describe_missing
from ..text.formatting import finish_sentence
from . import (
    bench,
    browse,
    checks_command,
    interrupt,
    judge_command,
    measure,
    page,
    run,
    study_command,
)
from .arguments import Parser, refuse_words
from .console import (
    BROKEN_PIPE,
    DONE,
    MACHINE_ERROR,
    USAGE_ERROR,
    abandon_stdout,
    complain,
    describe_error,
    print_whatever_comes,
)
from .interrupt import INTERRUPTED
from .run import EXAMPLES

COMMANDS = {
    "list": browse.LIST,
    "show": browse.SHOW,
    "cite": browse.CITE,
    "run": run.RUN,
    "properties": measure.PROPERTIES,
    "study": study_command.STUDY,
    "judge": judge_command.JUDGE,
    "papers": measure.PAPERS,
    "checks": checks_command.CHECKS,
    "warm": run.WARM,
    "serve": page.SERVE,
    "demo": page.DEMO,
    "lesson": page.LESSON,
    "site": page.SITE,
    "bench": bench.BENCH,
}
"""The commands in the order of lists."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments, or those of the process, and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        print_whatever_comes(stream)
    try:
        code = DONE
        interrupt.end()
        if "_ARGCOMPLETE" in os.environ:
            _complete_words()
        with suppress(SystemExit):  # argparse has printed its help
            code = _dispatch(sys.argv[1:] if argv is None else list(argv))
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except BrokenPipeError:
        abandon_stdout()
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return complain("interrupted", INTERRUPTED)
    except ValueError as error:
        return complain(error, USAGE_ERROR)
    except ModuleNotFoundError as error:
        return complain(describe_missing(error.name), MACHINE_ERROR)
    except MemoryError:
        return complain(
            "the memory does not suffice; store less with --every or --samples", MACHINE_ERROR
        )
    except OSError as error:
        abandon_stdout()
        return complain(describe_error(error), MACHINE_ERROR)


def _dispatch(argv: list[str]) -> int:
    for word in argv:
        if word.startswith("-") and word.endswith("=--"):  # argparse would make a list of it
            raise ValueError(f"{word[:-3]} needs a value; '--' is none")
    shared, argv = _shared_parser().parse_known_args(argv)
    for file in shared.plugins:
        plugins.load(file)
    for complaint in plugins.load_installed():
        complain(complaint, DONE)
    if argv[:1] == ["help"]:  # as other commands have it
        argv = [*argv[1:], "--help"]
    if argv and not argv[0].startswith("-") and argv[0] not in COMMANDS:
        raise unknown_name("command", argv[0], COMMANDS, COMMANDS)
    command = next((word for word in argv if word in COMMANDS), None)
    if command == "study":
        argv = study_command.join_name(argv)
        command = next(word for word in argv if word.partition(" ")[0] == "study")
    parser, of_commands = parsers(() if command is None else (command,))
    first = argv[0].partition("=")[0] if argv else ""
    if first.startswith("-") and first not in parser.options and command is not None:
        raise ValueError(f"{first} comes after the command, as in `polhode {command} {first}`")
    args, left = parser.parse_known_args(argv)
    if left:
        raise refuse_words(left, of_commands.get(args.command, parser))
    if args.version:
        print(format_versions())
        return DONE
    if args.command is None:
        parser.print_help()
        return DONE
    return args.run(args)


def _shared_parser() -> Parser:
    """Return the parser of --plugins, which runs first: other arguments may name what
    plugins declare.
    """
    parser = Parser(prog="polhode", add_help=False, allow_abbrev=False)
    words = "a Python file with custom methods, problems or studies, which is run; repeatable"
    parser.add_argument("--plugins", action="append", default=[], metavar="FILE", help=words)
    return parser


def parsers(wanted: Sequence[str] | None = None) -> tuple[Parser, dict[str, Parser]]:
    """Return the parser of the command, and those of its subcommands with the wanted arguments, by
    default all.
    """
    shared = [_shared_parser()]
    parser = Parser(
        prog="polhode",
        description="How time integrators treat a rotating rigid body.",
        usage="polhode COMMAND …",
        epilog=EXAMPLES + "\n`polhode COMMAND --help` shows the options of a command.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        parents=shared,
    )
    parser.add_argument("--version", action="store_true", help="print the versions and end")
    subparsers = parser.add_subparsers(
        dest="command", metavar="COMMAND", title="commands", prog="polhode"
    )
    commands = dict(COMMANDS)
    if wanted is None or any(name.startswith("study ") for name in wanted):
        commands |= study_command.find_studies()
    of_commands: dict[str, Parser] = {}
    for name, command in commands.items():
        listed: dict[str, Any] = {"help": command.words} if name in COMMANDS else {}
        of_commands[name] = subparsers.add_parser(
            name,
            **listed,
            description=finish_sentence(command.words),
            usage=f"polhode {name} {command.usage}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
            parents=shared,
        )
        of_commands[name].set_defaults(run=command.run)
        if wanted is None or name in wanted:
            command.declare(of_commands[name])
    return parser, of_commands


def _complete_words() -> None:
    """Tell a shell how the words that somebody types continue, and end:
    `register-python-argcomplete polhode`.
    """
    import argcomplete

    plugins.load_installed()
    studies = study_command.find_studies()
    parser, of_commands = parsers([*COMMANDS.keys() - {"study"}, *studies])
    first: Any = next(action.choices for action in parser._actions if action.dest == "command")
    second = of_commands["study"].add_subparsers().choices
    second["list"] = Parser(add_help=False)
    for name in studies:
        second[name.removeprefix("study ")] = first.pop(name)
    problems, methods = ([one.key for one in found(None)] for found in (all_problems, all_methods))
    words = {"problem": problems, "problems": problems, "name": problems + methods}
    words |= dict.fromkeys(("method", "methods", "names"), methods)
    for action in (
        action for one in of_commands.values() for action in one._actions if action.dest in words
    ):
        action.choices = words[action.dest]
    argcomplete.autocomplete(parser)
