"""The command `polhode`: what methods and problems there are, runs of them, and the speed of this machine.

What the caller got wrong is one sentence on stderr and exit code 2. A method that finds no solution or blows up is a
result and no error: exit code 0, or 3 with --check. A run ended by Ctrl-C is reported and saved as far as it came:
exit code 130.
"""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from .. import plugins, starting
from ..algorithms.method import all_methods, find_method
from ..cancelling import Cancellation
from ..citations import cite, named
from ..files import put, writable
from ..names import unknown
from ..problems.problem import Posed, all_problems, posed
from ..provenance import versions_line
from ..run import AnyRun
from ..simulate import simulate
from ..spec import Number, Numbers, OneOf, Text, Whole
from ..spec import Parameter as Argument
from ..starting import INTERRUPTED
from ..warm import warm
from ..wording import in_brief, listed, quoted, sentence
from . import cards, sweeping
from .bench import bench, table
from .console import (
    ProgressBar,
    Style,
    abandon_stdout,
    as_json,
    columns,
    ended_by_signals,
    pairs,
    print_json,
    print_whatever_comes,
)

if TYPE_CHECKING:
    from ..studies import Study

DONE, MACHINE_ERROR, USAGE_ERROR, CHECK_FAILED, BROKEN_PIPE = 0, 1, 2, 3, 141
"""Exit codes."""

EXAMPLES = """\
examples:
  polhode list
  polhode show MR2
  polhode run slow-top NMB --dt 0.01 --duration 100 --out run.parquet
  polhode run "soft-wall(sign=as-printed)" "MR2(axes=231)" --steps 1e6
  polhode run lagrange-top AKW --set Omega0=0,0,4 --set gravity=15
  polhode cite slow-top NMB
"""

EXIT_CODES = """\
exit codes:
  0    done, also if the method found no solution or blew up
  1    a file could not be written
  2    something was not understood
  3    with --check: no solution found, or blown up
  130  ended by Ctrl-C, with what was computed reported and saved
"""

# ------------------------------------------------------------------------------------------------- from start to end


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments, or those of the process, and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        print_whatever_comes(stream)
    try:
        code = DONE
        starting.end()
        with suppress(SystemExit):  # argparse has printed its help
            code = _dispatch(sys.argv[1:] if argv is None else list(argv))
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except BrokenPipeError:
        abandon_stdout()
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return _complain("interrupted", INTERRUPTED)
    except ValueError as error:
        return _complain(error, USAGE_ERROR)
    except MemoryError:
        return _complain("the memory does not suffice; keep less with --every or --samples", MACHINE_ERROR)
    except OSError as error:
        abandon_stdout()
        return _complain(_reason(error), MACHINE_ERROR)


def _dispatch(argv: list[str]) -> int:
    for word in argv:
        if word.startswith("-") and word.endswith("=--"):  # of which argparse makes a list
            raise ValueError(f"{word[:-3]} needs a value; '--' is none")
    given, argv = _for_every_command().parse_known_args(argv)
    for file in given.plugins:
        plugins.load(file)
    for complaint in plugins.load_installed():
        _complain(complaint, DONE)
    if argv[:1] == ["help"]:  # as other commands have it
        argv = [*argv[1:2], "--help"]
    if argv and not argv[0].startswith("-") and argv[0] not in COMMANDS:
        raise unknown("command", argv[0], COMMANDS, COMMANDS)
    command = next((word for word in argv if word in COMMANDS), None)
    parser, of_commands = parsers(() if command is None else (command,))
    first = argv[0].partition("=")[0] if argv else ""
    if first.startswith("-") and first not in parser.options and command is not None:
        raise ValueError(f"{first} comes after the command, as in `polhode {command} {first}`")
    args, left = parser.parse_known_args(argv)
    if left:
        raise _not_understood(left, of_commands.get(args.command, parser))
    if args.version:
        print(versions_line())
    elif args.command is None:
        parser.print_help()
    else:
        return COMMANDS[args.command].run(args)
    return DONE


def _complain(what: object, code: int) -> int:
    """One sentence on stderr, on one line and not too long whatever it quotes."""
    with suppress(OSError):
        print(f"polhode: {in_brief(str(what))}", file=sys.stderr, flush=True)
    return code


def _reason(error: Exception) -> str:
    """An error in words, above all one of the operating system."""
    words = getattr(error, "strerror", None) or str(error)
    file = getattr(error, "filename", None)
    return f"{file}: {words}" if file else words


# ------------------------------------------------------------------------------------------------- arguments


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, and leaves the end to `main`."""

    @property
    def options(self) -> list[str]:
        """The options that it knows."""
        return [name for action in self._actions for name in action.option_strings]

    def error(self, message: str) -> NoReturn:
        told = message.removeprefix("argument ").partition(" (choose from")[0]  # --help has them
        option, expected, _ = told.partition(": expected ")
        raise ValueError(f"{option}{' needs a value' if expected else ''}; see `{self.prog} --help`")


def _for_every_command() -> _Parser:
    """What may stand anywhere; it is read first, since other arguments may name what a plugin brings."""
    parser = _Parser(prog="polhode", add_help=False, allow_abbrev=False)
    words = "a Python file with methods of your own, which is run; repeatable"
    parser.add_argument("--plugins", action="append", default=[], metavar="FILE", help=words)
    return parser


def parsers(wanted: Sequence[str] | None = None) -> tuple[_Parser, dict[str, _Parser]]:
    """The parser of the command, and those of its subcommands; only those that are wanted know their arguments."""
    shared = [_for_every_command()]
    parser = _Parser(
        prog="polhode",
        description="How time integrators treat a rotating rigid body.",
        usage="polhode COMMAND …",
        epilog=EXAMPLES + "\n`polhode COMMAND --help` tells more of a command.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        parents=shared,
    )
    parser.add_argument("--version", action="store_true", help="print the versions and end")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands", prog="polhode")
    of_commands: dict[str, _Parser] = {}
    for name, command in COMMANDS.items():
        of_commands[name] = commands.add_parser(
            name,
            help=command.words,
            description=sentence(command.words),
            usage=f"polhode {name} {command.usage}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
            parents=shared,
        )
        if wanted is None or name in wanted:
            command.declare(of_commands[name])
    return parser, of_commands


def _not_understood(left: Sequence[str], parser: _Parser) -> ValueError:
    """What to say of arguments that nobody wanted."""
    see = f"see `{parser.prog} --help`"
    wrong = [word.partition("=")[0] for word in left if word.startswith("-")]
    if not wrong:
        return ValueError(f"{quoted(left[0])} is one argument too many; {see}")
    near = difflib.get_close_matches(wrong[0], parser.options, n=1)
    return ValueError(f"{parser.prog} has no option {wrong[0]}; {f'the nearest is {near[0]}' if near else see}")


def _declare_progress(parser: argparse._ActionsContainer, quiet: str = "no progress") -> None:
    parser.add_argument("--progress", action="store_true", help="show progress also where stderr is no terminal")
    parser.add_argument("--quiet", action="store_true", help=quiet)


@contextmanager
def _at_work(args: argparse.Namespace, unit: str, note: str) -> Iterator[tuple[Cancellation, ProgressBar, list[int]]]:
    """Around what takes a while: what ends it, the bar that shows how far it is, and which signals have come."""
    cancel, shown = Cancellation(), False if args.quiet else args.progress or None  # None leaves it to the terminal
    with ended_by_signals(cancel) as received, ProgressBar(unit, shown) as bar:
        bar.note(note)
        yield cancel, bar, received


def _number(text: str | None, name: str) -> float | int | None:
    """A number as it was typed; the engine says which ones make sense."""
    if text is None:
        return None
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    raise ValueError(f"{name} must be a number; got {quoted(text)}")


def _declare_rows(parser: argparse.ArgumentParser) -> None:
    """What can be done with the rows that were measured, and while they are."""
    parser.add_argument("--out", metavar="FILE.csv", help="save the rows")
    parser.add_argument("--json", action="store_true", help="the rows, for scripts")
    _declare_progress(parser)


def _assignments(given: Iterable[str], option: str) -> dict[str, str]:
    """What was given as NAME=VALUE; the engine says which names there are."""
    values: dict[str, str] = {}
    for text in given:
        name, _, value = (part.strip() for part in text.partition("="))
        if not (name and value):
            raise ValueError(f"{option} is followed by NAME=VALUE; got {quoted(text)}")
        if name in values:
            raise ValueError(f"{name} is given twice, as {values[name]} and as {value}")
        values[name] = value
    return values


def _chosen_problem(name: str, settings: Iterable[str]) -> Posed:
    """The problem with the parameters of --set."""
    problem: Posed = posed(name)
    return problem.replace(**problem.typed(_assignments(settings, "--set")))


# ------------------------------------------------------------------------------------------------- list, show, cite


def _declare_list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", nargs="?", metavar="methods|problems", help="one of them; both if it is left out")
    parser.add_argument("--json", action="store_true", help="all that is declared of each, for scripts")


def _list(args: argparse.Namespace) -> int:
    kinds = ("methods", "problems")
    if args.what is not None and args.what not in kinds:
        raise unknown("list of", args.what, kinds, kinds)
    wanted = [args.what] if args.what else kinds
    if args.json:
        everything: dict[str, list[Any]] = {"methods": all_methods(None), "problems": all_problems(None)}
        print_json({kind: [cards.declared(one) for one in everything[kind]] for kind in wanted})
    else:
        tables = {"methods": cards.method_list, "problems": cards.problem_list}
        print("\n\n".join("\n".join(tables[kind](Style(sys.stdout))) for kind in wanted))
    return DONE


def _declare_show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="a method or a problem, like MR2 or slow-top")
    words = "so3 or se3: of two methods with one name that for one body, or that for two"
    parser.add_argument("--space", metavar="SPACE", help=words)
    parser.add_argument("--source", action="store_true", help="add the source of the step, or of the torque")
    parser.add_argument("--json", action="store_true", help="all that is declared, for scripts")


def _show(args: argparse.Namespace) -> int:
    if args.name is None:
        raise ValueError("show needs a name, as in `polhode show MR2`; `polhode list` has them all")
    found, style = named(args.name, args.space), Style(sys.stdout)
    if args.json:
        print_json(cards.declared(found))
    else:
        print("\n".join(cards.card(found, style) + (cards.source(found, style) if args.source else [])))
    return DONE


def _declare_cite(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="what was used, like slow-top, BUSS3+E, MR2*yoshida4"
    )


def _cite(args: argparse.Namespace) -> int:
    print(cite(*args.names))
    return DONE


# ------------------------------------------------------------------------------------------------- run


def _declare_run(parser: argparse.ArgumentParser) -> None:
    parser.epilog = f"{EXAMPLES}\n{EXIT_CODES}"
    parser.add_argument("problem", nargs="?", metavar="PROBLEM", help="like slow-top, or soft-wall(sign=as-printed)")
    parser.add_argument("method", nargs="?", metavar="METHOD", help="like NMB, MR2(axes=231) or BUSS3+E")
    length = parser.add_argument_group("how long and how fine")
    length.add_argument("--dt", metavar="STEP", help="the step; the problem's own if it is left out")
    length.add_argument("--duration", metavar="T", help="how long, in the problem's time")
    length.add_argument("--steps", metavar="N", help="how many steps, instead of a duration")
    length.add_argument("--every", metavar="K", help="keep each K-th state")
    length.add_argument("--samples", metavar="N", help="keep about N states, evenly")
    repeated: dict[str, Any] = {"action": "append", "default": []}
    what = parser.add_argument_group("what is run")
    what.add_argument("--set", **repeated, metavar="NAME=VALUE", help="a parameter, like Omega0=0,0,4; repeatable")
    what.add_argument("--option", **repeated, metavar="NAME=VALUE", help="the method's, like axes=231; repeatable")
    what.add_argument("--precision", metavar="WORD", help="single for numbers of 32 bits, as in engines")
    what.add_argument("--substeps", metavar="N", help="divide each step, as a frame, into N with the torque held")
    what.add_argument("--energy-correction", action="store_true", help="correct the energy after each step, if free")
    output = parser.add_argument_group("what comes out")
    output.add_argument("--out", **repeated, metavar="FILE", help="save as .parquet, .npz or .csv; repeatable")
    output.add_argument("--json", action="store_true", help="print the summary as JSON")
    output.add_argument("--check", action="store_true", help="exit with 3 if the run found no solution or diverged")
    _declare_progress(output, "no progress, and no summary unless --json asks for it")


def _run(args: argparse.Namespace) -> int:
    _both_are_there(args.problem, args.method)
    problem = _chosen_problem(args.problem, args.set)
    asked = [f"{name}={value}" for name in ("precision", "substeps") if (value := getattr(args, name)) is not None]
    chosen = _assignments([*args.option, *asked], "--option")
    method = find_method(args.method, space=problem.space, **chosen)
    lengths = ("duration", "steps", "every", "samples")
    numbers: dict[str, Any] = {name: _number(getattr(args, name), name) for name in lengths} | {"dt": args.dt}
    paths = [writable(path) for path in args.out]
    with _at_work(args, "steps", f"{method.label} on {problem.label}: preparing …") as (cancel, bar, received):
        correct = args.energy_correction
        run = simulate(problem, method, energy_correction=correct, cancel=cancel, progress=bar, **numbers)
    for i, path in enumerate(paths):
        try:
            run.save(path)
        except (OSError, ValueError) as error:
            _report(run, paths[:i], args)
            return _complain(f"{path} was not saved: {_reason(error)}", MACHINE_ERROR)
    _report(run, paths, args)
    if run.status == "cancelled" and received:
        return 128 + received[0]
    return CHECK_FAILED if args.check and run.status != "done" else DONE


def _both_are_there(problem: str | None, method: str | None) -> None:
    if problem is None or method is None:
        raise ValueError("run needs a problem and a method, as in `polhode run slow-top NMB`; see `polhode list`")
    try:
        swapped = posed(method), find_method(problem)  # few problems have names to be compared with, many methods
    except ValueError:
        return
    raise ValueError(f"the problem comes first, then the method: `polhode run {swapped[0].key} {swapped[1].key}`")


def _report(run: AnyRun, paths: Sequence[Path], args: argparse.Namespace) -> None:
    about = cards.about_run(run, paths)
    if args.json:
        print_json(about)
    elif not args.quiet:
        print("\n".join(cards.summary(run, about, args.set, Style(sys.stdout))))


# ------------------------------------------------------------------------------------------------- warm and bench


def _declare_warm(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--methods", nargs="+", metavar="NAME", help="these methods; all if it is left out")
    parser.add_argument("--problems", nargs="+", metavar="NAME", help="the torques of these; all if it is left out")
    parser.add_argument(
        "--jobs", metavar="N", help="how many are compiled at a time; one per processor if it is left out"
    )
    parser.add_argument("--quiet", action="store_true", help="say nothing unless something goes wrong")


def _warm(args: argparse.Namespace) -> int:
    jobs: Any = _number(args.jobs, "jobs")
    try:
        with ProgressBar("kernels", not args.quiet) as bar:
            bar.note("compiling …")
            report = warm(args.methods, args.problems, jobs, bar)
    except KeyboardInterrupt:
        return _complain("interrupted; what is compiled so far is kept, and the next time it goes on", INTERRUPTED)
    if report.failed:
        return _complain(report, MACHINE_ERROR)
    if not args.quiet:
        print(report)
    return DONE


def _declare_bench(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="METHOD", help="these methods; all if it is left out")
    parser.add_argument("--json", metavar="FILE", help="write the numbers to a .json file, too")
    _declare_progress(parser)


def _bench(args: argparse.Namespace) -> int:
    path = None if args.json is None else writable(args.json, (".json",))
    with _at_work(args, "measurements", "preparing …") as (cancel, bar, received):
        result = bench(args.names or None, bar, cancel)
    code = _saved(path, lambda file: file.write_text(as_json(result), encoding="utf-8"))
    print("\n".join(table(result, Style(sys.stdout))))
    return _ended(received, code)


# ------------------------------------------------------------------------------------------------- serve


def _declare_serve(parser: argparse.ArgumentParser) -> None:
    switch: dict[str, Any] = {"action": argparse.BooleanOptionalAction}
    parser.add_argument("--port", default="5006", metavar="N", help="where it listens (5006); 0 for any that is free")
    words = "the interface it listens on (localhost); 0.0.0.0 for all"
    parser.add_argument("--address", default="localhost", metavar="HOST", help=words)
    words = "a host, as browsers know this one, whose pages may connect; repeatable; also $POLHODE_ORIGINS"
    parser.add_argument("--origin", action="append", default=[], metavar="HOST", help=words)
    words = "a site whose pages may show this one in a frame, like https://course.example; repeatable"
    parser.add_argument("--embed-in", action="append", default=[], metavar="HOST", help=words)
    parser.add_argument("--show", **switch, default=True, help="open a browser")
    words = "compile all methods first, or nothing; what the first page needs if it is left out"
    parser.add_argument("--warm", **switch, help=words)
    parser.add_argument("--processes", default="1", metavar="N", help="how many share the port (1)")
    parser.add_argument(
        "--threads", metavar="N", help="of each process, for the events of visitors; none if left out"
    )
    parser.add_argument("--visitors", default="100", metavar="N", help="how many at once, in each process (100)")
    words = "of a Dask cluster that makes the runs of maps, like tcp://host:8786; also $POLHODE_SCHEDULER"
    parser.add_argument("--scheduler", metavar="ADDRESS", help=words)


def _of_the_page(name: str) -> Callable[..., Any]:
    """What the page does for a command. It is another package, which announces itself: the engine knows none."""
    announced = list(entry_points(group="polhode.commands", name=name))
    if not announced:
        raise ValueError("the page is not installed here; `pip install .` in Polhode's folder installs it")
    try:
        function: Callable[..., Any] = announced[0].load()
    except ModuleNotFoundError as error:
        raise ValueError(
            f"the page needs {error.name}, which is not installed; `pip install {error.name}`"
        ) from error
    return function


def _serve(args: argparse.Namespace) -> int:
    main = _of_the_page("serve")
    numbers = {name: _number(getattr(args, name), name) for name in ("port", "processes", "threads", "visitors")}
    hosts = {"address": args.address, "origins": args.origin, "embedders": args.embed_in}
    return int(main(show=args.show, warm=args.warm, scheduler=args.scheduler, **hosts, **numbers))


# ------------------------------------------------------------------------------------------------- demo


def _declare_demo(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("problem", nargs="?", metavar="PROBLEM", help="like slow-top, or soft-wall(sign=as-printed)")
    parser.add_argument("methods", nargs="*", metavar="METHOD", help="at most four; those of the page if left out")
    parser.add_argument("--out", metavar="FILE", help="the file to write, whose name ends in .html; PROBLEM.html")
    parser.add_argument("--dt", metavar="STEP", help="the step that it begins with; the problem's own if left out")
    parser.add_argument("--duration", metavar="T", help="how long, in the problem's time")
    words = "a parameter, like Omega0=0,0,4; repeatable"
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help=words)


def _demo(args: argparse.Namespace) -> int:
    if args.problem is None:
        raise ValueError("demo needs a problem, as in `polhode demo slow-top NMB DMV --out demo.html`")
    problem: Posed = posed(args.problem)
    path = writable(args.out or f"{problem.key}.html", (".html",))
    make = _of_the_page("demo")
    times = {"dt": args.dt, "duration": _number(args.duration, "duration")}
    made = make(args.problem, args.methods, **times, **problem.typed(_assignments(args.set, "--set")))
    code = _saved(path, made.save)
    if code == DONE:
        print(f"{path}: {path.stat().st_size / 1000:,.0f} kB; it opens in any browser, without a network.")
    return code


def _declare_site(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help="a new one, or one with a site made before")
    _declare_progress(parser)


def _site(args: argparse.Namespace) -> int:
    if args.folder is None:
        raise ValueError("site needs a folder to write, as in `polhode site public`")
    make, folder = _of_the_page("site"), Path(args.folder)
    with ProgressBar("demos", not args.quiet) as bar:

        def progress(done: int, of: int) -> None:
            bar(done, of)
            if done == of:
                bar.note("The documentation is made …")

        missing = make(folder, progress=progress)
    for sentence_of_it in missing:
        _complain(sentence_of_it, DONE)
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    print(f"{folder}: {size / 1e6:,.0f} MB of static files; {folder / 'index.html'} is where to begin.")
    return DONE


# ------------------------------------------------------------------------------------------------- properties


def _declare_properties(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="METHOD", help="these methods; all if it is left out")
    parser.add_argument("--quick", action="store_true", help="without the drift over a million steps, and the speed")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--markdown", action="store_true", help="a table in Markdown; the default for several methods")
    form.add_argument("--html", action="store_true", help="a table in HTML")
    form.add_argument("--json", action="store_true", help="all that was measured, for scripts")
    _declare_progress(parser)


def _properties(args: argparse.Namespace) -> int:
    from ..studies import properties, property_table  # imported here, so that other commands need not wait for it

    methods = [find_method(name) for name in args.names]
    as_lines = len(methods) == 1 and not (args.markdown or args.html or args.json)
    note = f"measuring {', '.join(m.label for m in methods) or 'all methods'} …"
    with _at_work(args, "methods", note) as (cancel, bar, received):
        if as_lines:
            told = "\n".join(
                cards.properties_of(properties(methods[0], quick=args.quick, cancel=cancel), Style(sys.stdout))
            )
        else:
            table = property_table(methods or None, quick=args.quick, cancel=cancel, progress=bar)
            told = table.to_json() if args.json else table.to_html() if args.html else table.to_markdown()
    print(told)
    return _ended(received)


# ------------------------------------------------------------------------------------------------- studies


def _declare_study(parser: argparse.ArgumentParser) -> None:
    from .. import studies  # imported here, so that other commands need not wait for it

    every = studies.registered()
    sentences = [*((study.key, study.sentence) for study in every), ("sweep", sweeping.SENTENCE)]
    parser.epilog = "\n".join(["studies:", *pairs(sentences, "  ")])
    parser.add_argument("study", nargs="?", metavar="STUDY", help=listed([key for key, _ in sentences], "or"))
    parser.add_argument("problem", nargs="?", metavar="PROBLEM")
    without = {study.without: [other.key for other in every if other.without == study.without] for study in every}
    left_out = "; ".join(f"for {listed(keys)} {words}" for words, keys in without.items() if words)
    one = listed(study.key for study in every if study.most == 1)
    parser.add_argument("methods", nargs="*", metavar="METHOD", help=f"one for {one}; if left out, {left_out}")
    for name in dict.fromkeys(argument.name for study in every for argument in study.arguments):
        using = {study.key: argument for study in every for argument in study.arguments if argument.name == name}
        typed = max((TYPED.get(type(a.kind), "ON") for a in using.values()), key=len)  # several before one
        switch: dict[str, Any] = {"nargs": "?", "const": "on"} if typed == "ON" else {}
        parser.add_argument(_spelled(name), metavar=typed, help=_option_words(using), **switch)
    for old in dict.fromkeys(old for study in every for old in study.old_words):
        if not any(argument.name == old for study in every for argument in study.arguments):
            parser.add_argument(_spelled(old), help=argparse.SUPPRESS)
    sweeping.declare(parser)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of the problem")
    _declare_rows(parser)


def _spelled(name: str) -> str:
    """An argument as an option."""
    return f"--{name.replace('_', '-')}"


TYPED: dict[type, str] = {Whole: "N", Number: "X", Numbers: "X,…", OneOf: "WORD", Text: "FILE"}
"""What stands behind an option, by the kind of its value."""


def _option_words(using: Mapping[str, Argument]) -> str:
    """What an option means to which studies."""
    said: dict[str, list[str]] = {}
    for key, argument in using.items():
        own = "" if argument.default is None else f" ({argument.written(argument.default)})"
        words = f", {listed(argument.choices, 'or')}" if argument.choices else ""
        said.setdefault(f"{argument.doc}{words}{own}", []).append(key)
    return "; ".join(f"{', '.join(keys)}: {words}" for words, keys in said.items())


def _study_options(study: Study, args: argparse.Namespace) -> dict[str, Any]:
    """What the study is called with besides problem and methods; refused if it has no use for an option."""
    options: dict[str, Any] = {}
    for name, text in vars(args).items():
        argument = study.argument(name)
        if argument is not None and text is not None:
            options[argument.name] = argument.typed(text)
        elif text is not None and name not in OF_EVERY_STUDY:
            raise ValueError(f"{_spelled(name)} means nothing to the study {study.key}")
    for argument in study.needed():
        if argument.name not in options:
            example = f"polhode study {study.key} {args.problem} {_spelled(argument.name)} {argument.kind.example}"
            raise ValueError(f"{study.key} needs {_spelled(argument.name)}, {argument.doc}; as in `{example}`")
    return options


OF_EVERY_STUDY = (
    "command", "version", "plugins", "study", "problem", "methods", "set", "out", "json", "progress", "quiet",
)  # fmt: skip
"""What the command takes besides the arguments of studies."""


def _study(args: argparse.Namespace) -> int:
    from .. import studies

    if args.study == "sweep" and args.problem is not None:
        return _sweep(args)
    study = studies.find(args.study) if args.study is not None else None
    if study is None or args.problem is None:
        name, there = study.key if study else "STUDY", ", ".join(one.key for one in studies.registered())
        raise ValueError(
            f"study needs its name and a problem, as in `polhode study {name} free NMB`; there are {there}"
        )
    options = _study_options(study, args) | study.chosen(args.methods)
    problem: Posed = _chosen_problem(args.problem, args.set)
    if args.out is not None:
        writable(args.out, (".csv",))
    with _at_work(args, study.unit, f"{study.key} on {problem.label}: preparing …") as (cancel, bar, received):
        found = study.function(problem, progress=bar, cancel=cancel, **options)
    shown = found.shown()
    lines = [*_as_lines(shown, Style(sys.stdout)), "", found.conclusion] if len(shown) else []
    return _ended(received, _told([found.to_frame()], lines, args))


def _sweep(args: argparse.Namespace) -> int:
    from ..studies import sweep

    for name, text in vars(args).items():
        if text is not None and name not in (*OF_EVERY_STUDY, *sweeping.OPTIONS):
            raise ValueError(f"{_spelled(name)} means nothing to the study sweep")
    options = sweeping.asked(args)
    problem = _chosen_problem(args.problem, args.set)
    path = None if args.out is None else writable(args.out, sweeping.ENDINGS)
    try:
        with _at_work(args, "points", f"sweep on {problem.label}: preparing …") as (cancel, bar, received):
            data = sweep(problem, sweeping.methods_of(args.methods), progress=bar, cancel=cancel, **options)
    except OSError as error:  # the store cannot be written any more, or the cluster has gone
        return _complain(_reason(error), MACHINE_ERROR)
    code = _saved(path, lambda file: sweeping.saved(data, file))
    if args.json:
        frame = data.to_dataframe().reset_index()
        print_json(frame.astype(object).where(frame.notna(), None).to_dict("records"))
    else:
        title, *rows = columns(sweeping.summary(data), "<<>>>>")
        print("\n".join([Style(sys.stdout).dim(title), *rows, "", sweeping.conclusion(data)]))
    return _ended(received, code)


def _as_lines(frame: Any, style: Style) -> list[str]:
    """A table as lines, numbers to the right."""
    import pandas as pd

    def cell(x: Any) -> str:
        return "–" if pd.isna(x) else f"{x:.4g}" if isinstance(x, float) else str(x)

    rows = [[cell(x) for x in row] for row in frame.to_numpy(dtype=object)]
    numbers = [pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]
    title, *lines = columns([list(frame.columns), *rows], "".join("<>"[is_number] for is_number in numbers))
    return [style.dim(title), *lines]


# ------------------------------------------------------------------------------------------------- papers


def _declare_papers(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("keys", nargs="*", metavar="KEY", help="these claims with all figures; else all verdicts")
    parser.add_argument(
        "--figures", action="store_true", help="the papers' plots and tables: a list, or KEYs as data"
    )
    _declare_rows(parser)


def _papers(args: argparse.Namespace) -> int:
    from .. import papers  # imported here, so that other commands need not wait for it

    if args.out is not None:
        writable(args.out, (".csv",))
    if args.figures:
        return _figures(args)
    claims = [papers.find(key) for key in args.keys]
    with _at_work(args, "claims", "preparing …") as (cancel, bar, received):
        found = papers.verdicts(claims or None, cancel, bar)
    frames = [one.to_frame().assign(claim=one.claim.key) for one in found.measured] if claims else [found.to_frame()]
    card = cards.claim_card if claims else cards.verdict
    lines = [line for one in found.measured for line in card(one, Style(sys.stdout))]
    return _ended(received, _told(frames, lines, args))


def _figures(args: argparse.Namespace) -> int:
    """The list of figures, or the data of some."""
    import pandas as pd

    from .. import papers

    style = Style(sys.stdout)
    figures = [papers.find_figure(key) for key in args.keys]
    if not figures:
        every = papers.figures()
        frame = pd.DataFrame([cards.about_figure(figure) for figure in every])
        return _told([frame], [line for figure in every for line in (*cards.figure_head(figure, style), "")], args)
    drawn: list[papers.Drawn] = []
    with _at_work(args, "figures", "preparing …") as (cancel, bar, received):
        for figure in figures:
            drawn.append(figure.curves(lambda part, of: bar(len(drawn) + part / of, len(figures)), cancel))
    frames = [one.to_frame().assign(figure=one.figure.key) for one in drawn]
    return _ended(received, _told(frames, [line for one in drawn for line in cards.figure_card(one, style)], args))


# ------------------------------------------------------------------------------------------------- what was measured


def _told(frames: Sequence[Any], lines: Sequence[str], args: argparse.Namespace) -> int:
    """Rows saved, and printed as JSON or as lines; what was measured is printed also if it cannot be saved."""
    import pandas as pd

    frame = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()
    code = _saved(args.out and Path(args.out), lambda file: frame.to_csv(file, index=False))
    if args.json:
        print_json(frame.astype(object).where(frame.notna(), None).to_dict("records"))
    elif lines:
        print("\n".join(lines))
    return code


def _saved(path: Path | None, write: Callable[[Path], object]) -> int:
    """A file written, if one is wanted, or a sentence why not; gives the exit code."""
    try:
        if path:
            put(path, write)
    except OSError as error:
        return _complain(f"{path} was not saved: {error.strerror or error}", MACHINE_ERROR)
    return DONE


def _ended(received: Sequence[int], code: int = DONE) -> int:
    """The exit code, with a word on what was printed if a signal ended the measuring."""
    if not received:
        return code
    return _complain("stopped early; what was measured until then is kept", 128 + received[0])


# ------------------------------------------------------------------------------------------------- the commands


class _Command(NamedTuple):
    """What a command does, what arguments it takes, and the words for it."""

    run: Callable[[argparse.Namespace], int]
    declare: Callable[[argparse.ArgumentParser], None]
    usage: str
    words: str


COMMANDS = {
    "list": _Command(_list, _declare_list, "[methods|problems] [--json]", "list the methods and the problems"),
    "show": _Command(_show, _declare_show, "NAME [options]", "show all there is to know of a method or a problem"),
    "cite": _Command(_cite, _declare_cite, "[NAME …]", "print the BibTeX of methods, problems and Polhode"),
    "run": _Command(_run, _declare_run, "PROBLEM METHOD [options]", "run a method on a problem, and report"),
    "properties": _Command(
        _properties,
        _declare_properties,
        "[METHOD …] [options]",
        "measure orders, what is kept, and cost",
    ),
    "study": _Command(
        _study, _declare_study, "STUDY PROBLEM [METHOD …] [options]", "measure errors, cost, limits, or many starts"
    ),
    "papers": _Command(_papers, _declare_papers, "[KEY …] [options]", "measure what the papers claim, and judge it"),
    "warm": _Command(_warm, _declare_warm, "[options]", "compile the methods now, so that no run waits for it"),
    "serve": _Command(_serve, _declare_serve, "[options]", "open the page in a browser, and serve it"),
    "demo": _Command(
        _demo, _declare_demo, "PROBLEM [METHOD …] [options]", "write a live demo, a file that runs in any browser"
    ),
    "site": _Command(_site, _declare_site, "FOLDER", "write documentation and a gallery of demos as static files"),
    "bench": _Command(_bench, _declare_bench, "[METHOD …] [options]", "time the methods on this machine"),
}
