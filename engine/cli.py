"""The command `polhode`: what methods and problems there are, runs of them, and the speed of this machine.

What the caller got wrong is one sentence on stderr and exit code 2. A method that finds no solution or blows up is a
result and no error: exit code 0, or 3 with --check. A run ended by Ctrl-C is reported and saved as far as it came:
exit code 130.
"""

from __future__ import annotations

import argparse
import difflib
import inspect
import json
import math
import os
import shutil
import signal
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn, TextIO

import numpy as np

from . import files
from .algebra import Mat3, log
from .algorithms.method import MOTIONS, QUANTITIES, Choice, Method, Option
from .algorithms.method import find as find_method
from .algorithms.method import registered as all_methods
from .compiler.driver import Cancellation
from .files import writable
from .names import folded, parsed, unknown
from .problems.problem import Parameter, Problem
from .problems.problem import find as find_problem
from .problems.problem import registered as all_problems
from .run import Run
from .simulate import simulate

DONE, MACHINE_ERROR, USAGE_ERROR, CHECK_FAILED, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 3, 130, 141
"""Exit codes."""

RELATIVE = ("energy", "casimir")
"""The invariants whose deviation is told relative to the initial value."""


TEXT_WIDTH = 100

EXAMPLES = """\
examples:
  polhode list
  polhode show MR2
  polhode run slow-top NMB --dt 0.01 --duration 100 --out run.parquet
  polhode run "soft-wall(sign=as-printed)" "MR2(axes=231)" --steps 1e6 --samples 1000
  polhode run lagrange-top AKW --set Omega0=0,0,4 --set gravity=15
"""

EXIT_CODES = """\
exit codes: 0 done, also if the method found no solution or blew up (3 with --check); 1 a file could not be written;
2 something was not understood; 130 ended by Ctrl-C, with what was computed reported and saved.
"""


# ------------------------------------------------------------------------------------------------- from start to end


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments, or those of the process, and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        _print_whatever_comes(stream)
    try:
        code = _dispatch(sys.argv[1:] if argv is None else list(argv))
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except SystemExit as end:  # argparse has printed its help
        return end.code if isinstance(end.code, int) else DONE
    except BrokenPipeError:
        _abandon_stdout()
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return _complain("interrupted", INTERRUPTED)
    except ValueError as error:
        return _complain(error, USAGE_ERROR)
    except MemoryError:
        return _complain("the memory does not suffice; keep less with --every or --samples", MACHINE_ERROR)
    except OSError as error:
        _abandon_stdout()
        return _complain(_reason(error), MACHINE_ERROR)


def _dispatch(argv: list[str]) -> int:
    if argv and not argv[0].startswith("-") and argv[0] not in COMMANDS:
        raise unknown("command", argv[0], COMMANDS)
    parser, parsers = _parsers()
    args, left = parser.parse_known_args(argv)
    if args.command is None and not left:
        print(_version() if args.version else parser.format_help().rstrip())
        return DONE
    if left:
        raise _not_understood(left, parsers.get(args.command, parser))
    command: Callable[[argparse.Namespace], int] = args.function
    return command(args)


def _complain(what: object, code: int) -> int:
    """One sentence on stderr, on one line whatever it quotes."""
    with suppress(OSError):
        print(f"polhode: {' '.join(str(what).split())}", file=sys.stderr, flush=True)
    return code


def _reason(error: OSError) -> str:
    """An error of the operating system in words."""
    words = error.strerror or str(error)
    return f"{error.filename}: {words}" if error.filename else words


def _print_whatever_comes(stream: Any) -> None:
    """Let a stream that can not encode a character print another in its place."""
    if hasattr(stream, "reconfigure") and "utf" not in (stream.encoding or "").lower():
        stream.reconfigure(errors="replace")


def _abandon_stdout() -> None:
    """Nobody reads on: give the interpreter something that it can flush on its way out."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _version() -> str:
    """The versions in one line."""
    from .bench import versions

    return _versions_line(versions())


def _versions_line(versions: Mapping[str, str | None]) -> str:
    names = {"python": "Python", "numpy": "NumPy", "numba": "Numba"}
    rest = ", ".join(f"{name} {versions[key] or 'not installed'}" for key, name in names.items())
    return f"polhode {versions['polhode'] or 'from a folder'} ({rest})"


# ------------------------------------------------------------------------------------------------- arguments


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, and leaves the end to `main`."""

    def error(self, message: str) -> NoReturn:
        words = message.removeprefix("argument ")
        for number in ("one argument", "at least one argument"):
            if words.endswith(f": expected {number}"):
                words = f"{words.partition(':')[0].rpartition('/')[2]} needs a value"
        raise ValueError(f"{words}; see `{self.prog} --help`")


def _parsers() -> tuple[_Parser, dict[str, _Parser]]:
    """The parser of the command, and those of its subcommands."""
    plain = argparse.RawDescriptionHelpFormatter
    main_parser = _Parser(
        prog="polhode",
        description="How time integrators treat a rotating rigid body.",
        usage="polhode COMMAND …",
        epilog=EXAMPLES + "\n`polhode COMMAND --help` tells more of a command.",
        formatter_class=plain,
        allow_abbrev=False,
    )
    main_parser.add_argument("--version", action="store_true", help="print the versions and end")
    subparsers = main_parser.add_subparsers(dest="command", metavar="COMMAND", title="commands", prog="polhode")
    parsers: dict[str, _Parser] = {}
    for name, (function, declare, words) in COMMANDS.items():
        parsers[name] = subparsers.add_parser(
            name, help=words, description=f"{words[0].upper()}{words[1:]}.", formatter_class=plain, allow_abbrev=False
        )
        parsers[name].set_defaults(function=function)
        declare(parsers[name])
    return main_parser, parsers


def _not_understood(left: Sequence[str], parser: argparse.ArgumentParser) -> ValueError:
    """What to say of arguments that nobody wanted."""
    wrong = next((word for word in left if word.startswith("-")), left[0])
    if not wrong.startswith("-"):
        return ValueError(f"{wrong!r} is one argument too many; see `{parser.prog} --help`")
    wrong = wrong.partition("=")[0]
    options = [name for action in parser._actions for name in action.option_strings if name.startswith("--")]
    near = difflib.get_close_matches(wrong, options, n=2, cutoff=0.5)
    hint = f"the nearest is {' or '.join(near)}" if near else f"see `{parser.prog} --help`"
    return ValueError(f"{parser.prog} has no option {wrong}; {hint}")


def _number(text: str | None, name: str) -> float | int | None:
    """A number as it was typed; the engine says which ones make sense."""
    if text is None:
        return None
    with suppress(ValueError):
        return int(text)
    with suppress(ValueError):
        return float(text)
    raise ValueError(f"{name} must be a number; got {text!r}")


def _assignments(given: Iterable[str], option: str, known: Iterable[str], owner: str) -> dict[str, str]:
    """The values that were given as NAME=VALUE, all of whose names are known."""
    names = list(known)
    values: dict[str, str] = {}
    for text in given:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals and value):
            raise ValueError(f"{option} is followed by NAME=VALUE; got {text!r}")
        if name not in names:
            kind = "parameter" if option == "--set" else "option"
            raise ValueError(f"{owner} has no {kind} {name!r}; it has {', '.join(names) or 'none'}")
        if name in values:
            raise ValueError(f"{name} is given twice, as {values[name]} and as {value}")
        values[name] = value
    return values


def _chosen_problem(name: str, settings: Iterable[str]) -> Problem:
    """The problem with the parameters of --set."""
    problem = find_problem(name)
    parameters = problem.parameters
    given = _assignments(settings, "--set", parameters, problem.key)
    return problem.replace(**{key: _parameter_value(parameters[key], text) for key, text in given.items()})


def _parameter_value(parameter: Parameter, text: str) -> Any:
    """A parameter's value as it was typed: a word, a number, or numbers with commas between them."""
    if parameter.choices:
        return text
    if not isinstance(parameter.default, tuple | list):
        return _number(text, parameter.name)
    numbers = [_number(part.strip(), f"{parameter.name}: a component") for part in text.strip("()[] ").split(",")]
    counts = {"J": (3, 9), "R0": (3, 4, 9)}.get(parameter.name, (3,))
    if len(numbers) not in counts:
        needed = " or ".join(map(str, counts))
        raise ValueError(f"{parameter.name} takes {needed} numbers with commas between them; got {len(numbers)}")
    return [numbers[i : i + 3] for i in (0, 3, 6)] if len(numbers) == 9 else numbers


def _chosen_method(name: str, options: Iterable[str]) -> Method:
    """The method with the options of --option."""
    method = find_method(name)
    given = _assignments(options, "--option", [option.name for option in method.options], method.key)
    return method.with_options(**given) if given else method


# ------------------------------------------------------------------------------------------------- what is printed


class Style:
    """Colours for a terminal, and nothing anywhere else or where NO_COLOR is set."""

    def __init__(self, stream: Any) -> None:
        self.on = bool(
            stream is not None
            and stream.isatty()
            and not os.environ.get("NO_COLOR")
            and os.environ.get("TERM") != "dumb"
        )

    def _with(self, code: int, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.on else text

    def bold(self, text: str) -> str:
        """For headings and names."""
        return self._with(1, text)

    def dim(self, text: str) -> str:
        """For what need not be read."""
        return self._with(2, text)

    def good(self, text: str) -> str:
        """For what went as it should."""
        return self._with(32, text)

    def bad(self, text: str) -> str:
        """For what did not."""
        return self._with(31, text)


def columns(rows: Sequence[Sequence[str]], align: str, gap: str = "  ") -> list[str]:
    """Rows of cells as aligned lines; `align` has a `<` or `>` for each column."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [
        gap.join(f"{cell:{side}{width}}" for cell, side, width in zip(row, align, widths, strict=True)).rstrip()
        for row in rows
    ]


def _pairs(pairs: Iterable[tuple[str, str]], indent: str = "") -> list[str]:
    """Names with what is to be said of them, wrapped beside the names."""
    given = list(pairs)
    width = max((len(name) for name, _ in given), default=0) + 2
    lines = []
    for name, text in given:
        room = max(40, TEXT_WIDTH - len(indent) - width)
        parts = [part for line in text.splitlines() for part in textwrap.wrap(line, room) or [""]] or [""]
        lines += [f"{indent}{head:{width}}{part}".rstrip() for head, part in zip([name, *[""] * len(parts)], parts)]  # noqa: B905
    return lines


def _print_json(value: Any, file: TextIO | None = None) -> None:
    """Strict JSON: what is no number becomes null."""
    print(json.dumps(_strict(value), allow_nan=False, indent=2), file=file)


def _strict(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _strict(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _strict(value.tolist())
    if isinstance(value, list | tuple):
        return [_strict(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value) if isinstance(value, Path) else value


def _several(numbers: Any, digits: int = 6) -> str:
    """A vector in brackets."""
    return f"({', '.join(f'{x + 0.0:.{digits}g}' for x in numbers)})"


def _clock(seconds: float) -> str:
    """A time of day's form: 0:07, 12:30, 3:02:11."""
    minutes, s = divmod(round(seconds), 60)
    hours, m = divmod(minutes, 60)
    return f"{hours}:{m:02}:{s:02}" if hours else f"{m}:{s:02}"


class Bar:
    """Progress on stderr: one line that is written anew on a terminal, a line now and then elsewhere."""

    QUIET_AT_FIRST = 0.3
    ON_TERMINAL, ELSEWHERE = 0.1, 5.0

    def __init__(self, unit: str, shown: bool | None = None) -> None:
        self.stream, self.unit = sys.stderr, unit
        self.terminal = self.stream is not None and self.stream.isatty()
        self.shown = self.terminal if shown is None else shown and self.stream is not None
        self.next = time.monotonic() + (self.QUIET_AT_FIRST if self.terminal else 0.0)
        self.first: tuple[int, float] | None = None  # from here the rate is taken; before, something may be compiled
        self.written = False

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self.written and self.terminal:
            self._write("\r\x1b[K")

    def __call__(self, done: int, total: int, *_: object) -> None:
        """So much of so much is done."""
        now = time.monotonic()
        self.first = self.first or (done, now)
        last = done == total and self.written and not self.terminal
        if not self.shown or (now < self.next and not last):
            return
        self.next = now + (self.ON_TERMINAL if self.terminal else self.ELSEWHERE)
        self._show(self._words(done, total, now), done / total if total else 1.0)

    def note(self, text: str) -> None:
        """Say what takes a while, on a terminal only."""
        if self.shown and self.terminal:
            self._write(f"\r{text}\x1b[K")

    def _words(self, done: int, total: int, now: float) -> str:
        words = f"{100 * done // total if total else 100:3d} %  {done:,} of {total:,} {self.unit}"
        before, begun = self.first or (done, now)
        if done > before and now > begun:
            rate = (done - before) / (now - begun)
            words += f"  {_prefixed(rate)}/s  {_clock((total - done) / rate)} left"
        return words

    def _show(self, words: str, part: float) -> None:
        if not self.terminal:
            self._write(f"{words}\n")
            return
        room = min(28, shutil.get_terminal_size().columns - len(words) - 4)
        full, empty = "━─" if "utf" in (self.stream.encoding or "").lower() else "#-"
        filled = round(part * room)
        bar = f"{full * filled}{empty * (room - filled)} " if room >= 6 else ""
        self._write(f"\r{bar}{words}\x1b[K")

    def _write(self, text: str) -> None:
        self.written = True
        try:
            self.stream.write(text)
            self.stream.flush()
        except OSError:  # nobody looks any more; the run goes on
            self.shown = False


def _prefixed(number: float) -> str:
    """A number with a prefix, for a unit to follow: 12.3 M"""
    for factor, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= factor:
            return f"{number / factor:.3g} {prefix}"
    return f"{number:.3g}"


# ------------------------------------------------------------------------------------------------- list


def _declare_list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", nargs="?", metavar="methods|problems", help="one of them; both if it is left out")
    parser.add_argument("--json", action="store_true", help="all that is declared of each, for scripts")


def list_command(args: argparse.Namespace) -> int:
    """`polhode list`"""
    kinds = ("methods", "problems")
    if args.what is not None and args.what not in kinds:
        raise unknown("list of", args.what, kinds)
    wanted = [kind for kind in kinds if args.what in (None, kind)]
    if args.json:
        about = {
            "methods": [about_method(method) for method in all_methods()],
            "problems": [about_problem(problem) for problem in all_problems()],
        }
        _print_json({kind: about[kind] for kind in wanted})
        return DONE
    style = Style(sys.stdout)
    tables = {"methods": _table_of_methods, "problems": _table_of_problems}
    print("\n\n".join("\n".join(tables[kind](style)) for kind in wanted))
    return DONE


def about_method(method: Method) -> dict[str, Any]:
    """All that is declared of a method."""
    own = (
        "key", "name", "aliases", "family", "summary", "torque_evaluations", "implicit", "self_starting",
        "reversible", "symplectic", "needs_rates", "reference",
    )  # fmt: skip
    return {name: getattr(method, name) for name in own} | {
        "label": method.label,
        "equations": inspect.cleandoc(method.equations),
        "order": dict(zip(("attitude", "momentum"), method.order, strict=True)),
        "conserves": dict(method.conserves),
        "options": [_about_option(option, method.option_values()[option.name]) for option in method.options],
        "takes_energy_correction": _why_no_correction(method) is None,
    }


def _about_option(option: Option, value: Any) -> dict[str, Any]:
    about = {"name": option.name, "doc": option.doc, "default": option.default, "value": value}
    if isinstance(option, Choice):
        return about | {"choices": list(option.choices)}
    return about | {"low": option.low, "high": option.high}


def _why_no_correction(method: Method) -> str | None:
    """Why the energy correction does not fit a method, or None."""
    try:
        method.with_energy_correction()
    except ValueError as error:
        return str(error)
    return None


def about_problem(problem: Problem) -> dict[str, Any]:
    """All that is declared of a problem."""
    own = ("key", "name", "aliases", "group", "summary", "J", "R0", "Omega0", "Pi0", "dt", "duration", "invariants")
    return {name: getattr(problem, name) for name in (*own, "reference")} | {
        "label": problem.label,
        "equations": inspect.cleandoc(problem.equations),
        "parameters": [
            {name: getattr(p, name) for name in ("name", "doc", "unit", "default", "low", "high", "choices")}
            for p in problem.parameters.values()
        ],
    }


def _table_of_methods(style: Style) -> list[str]:
    head = ("", "order R/Π", "torques", "solves", "reversible", "symplectic", "")
    methods = all_methods()
    rows = [head, *(_method_row(method) for method in methods)]
    title, *lines = columns(rows, "<<><<<<")
    out = [style.bold(f"{len(methods)} methods"), style.dim(title)]
    for i, (method, line) in enumerate(zip(methods, lines, strict=True)):
        if i == 0 or methods[i - 1].family != method.family:
            out.append(style.bold(method.family))
        out.append(line)
    if any(_conditional(method) for method in methods):
        out.append(style.dim("(yes): under a condition; `polhode show NAME` tells it."))
    return out


def _method_row(method: Method) -> tuple[str, ...]:
    torques = "varies" if method.torque_evaluations is None else str(method.torque_evaluations)
    return (
        f"  {method.key}",
        "/".join(map(str, method.order)),
        torques,
        "implicit" if method.implicit else "explicit",
        "(yes)" if _conditional(method) else "yes" if method.reversible else "–",
        "yes" if method.symplectic else "–",
        method.name,
    )


def _conditional(method: Method) -> bool:
    return isinstance(method.reversible, str)


def _table_of_problems(style: Style) -> list[str]:
    problems = sorted(all_problems(), key=_place_of_group)
    rows = [("", "dt", "duration", "")]
    rows += [(f"  {p.key}", f"{p.dt:g}", f"{p.duration:g}", p.name) for p in problems]
    title, *lines = columns(rows, "<>><")
    out = [style.bold(f"{len(problems)} problems"), style.dim(title)]
    for i, (problem, line) in enumerate(zip(problems, lines, strict=True)):
        if i == 0 or problems[i - 1].group != problem.group:
            out.append(style.bold(problem.group))
        out.append(line)
    return out


def _place_of_group(problem: Problem) -> int:
    """Groups stand in the order in which the catalogue first meets them."""
    return list(dict.fromkeys(p.group for p in all_problems())).index(problem.group)


# ------------------------------------------------------------------------------------------------- show


def _declare_show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="a method or a problem, like MR2 or slow-top")
    parser.add_argument("--as", dest="kind", metavar="method|problem", help="which one, where a name is both")
    parser.add_argument("--source", action="store_true", help="add the source of the step, or of the torque")
    parser.add_argument("--json", action="store_true", help="all that is declared, for scripts")


def show_command(args: argparse.Namespace) -> int:
    """`polhode show`"""
    if args.name is None:
        raise ValueError("show needs a name, as in `polhode show MR2`; `polhode list` has them all")
    found = _named(args.name, args.kind)
    if args.json:
        _print_json(about_method(found) if isinstance(found, Method) else about_problem(found))
        return DONE
    style = Style(sys.stdout)
    lines = _method_card(found, style) if isinstance(found, Method) else _problem_card(found, style)
    if args.source:
        lines += _source(found, style)
    print("\n".join(lines))
    return DONE


def _named(text: str, kind: str | None) -> Method | Problem:
    """The method or problem of this name."""
    names = {
        "method": [name for method in all_methods() for name in (method.key, *method.aliases)],
        "problem": [name for problem in all_problems() for name in (problem.key, *problem.aliases)],
    }
    if kind is not None and kind not in names:
        raise ValueError(f"--as is followed by method or problem; got {kind!r}")
    meant = {folded(text)}
    with suppress(ValueError):
        meant.add(folded(parsed(text)[0]))
    kinds = [each for each in names if kind in (None, each) and meant & {folded(name) for name in names[each]}]
    if len(kinds) == 2:
        raise ValueError(f"{text!r} is a method and a problem; say which with --as method or --as problem")
    if not kinds:
        raise unknown(kind or "method or problem", text, names[kind] if kind else names["method"] + names["problem"])
    return find_method(text) if kinds == ["method"] else find_problem(text)


def _section(style: Style, title: str, lines: Iterable[str]) -> list[str]:
    body = list(lines)
    return ["", style.bold(title), *body] if body else []


def _indented(text: str) -> list[str]:
    return textwrap.indent(text, "  ").splitlines()


def _latex(text: str) -> list[str]:
    """Equations, with long lines broken between words, which LaTeX does not mind."""
    lines = inspect.cleandoc(text).splitlines()
    wrapped = [textwrap.wrap(line, TEXT_WIDTH - 2, break_long_words=False, break_on_hyphens=False) for line in lines]
    return _indented("\n".join(part for parts in wrapped for part in parts))


def _method_card(method: Method, style: Style) -> list[str]:
    correction = _why_no_correction(method) or f"fits free bodies: {method.key}+E, or --energy-correction"
    torques = "as many as the solver needs" if method.torque_evaluations is None else str(method.torque_evaluations)
    facts = [
        ("also called", ", ".join(method.aliases) or "–"),
        ("family", method.family),
        ("order", "{} for the attitude, {} for the momentum".format(*method.order)),
        ("torque evaluations", f"{torques} per step"),
        ("each step", "solves an equation (implicit)" if method.implicit else "is explicit"),
        ("self-starting", "yes" if method.self_starting else "no"),
        ("reversible", f"yes, {method.reversible}" if _conditional(method) else _yes(method.reversible)),
        ("symplectic", _yes(method.symplectic)),
        ("energy correction", correction.removeprefix("the energy correction ")),
    ]
    if method.energy_correction:
        facts[-1] = ("energy correction", "after each step")
    if method.needs_rates:
        second = " and its second rate" if method.needs_rates > 1 else ""
        facts.append(("needs", f"the torque's rate of change{second}"))
    if method.has_history:
        facts.append(("carries", method.has_history))
    values = method.option_values()
    options = [(f"{option.name} = {values[option.name]}", _option_words(option)) for option in method.options]
    keeps = [(f"  {name}", QUANTITIES[name], MOTIONS[motion]) for name, motion in method.conserves.items()]
    return [
        f"{style.bold(method.label)}  {method.name}",
        *textwrap.wrap(method.summary, TEXT_WIDTH),
        "",
        *_pairs(facts),
        *_section(style, "Options", _pairs(options, "  ")),
        *_section(style, "Keeps", columns(keeps, "<<<") if keeps else ["  nothing to roundoff"]),
        *_section(style, "Equations (LaTeX)", _latex(method.equations)),
        *_section(style, "Reference", _indented(method.reference)),
    ]


def _yes(value: object) -> str:
    return "yes" if value else "no"


def _option_words(option: Option) -> str:
    if isinstance(option, Choice):
        return f"{option.doc}\none of {', '.join(option.choices)}; default {option.default}"
    return f"{option.doc}\nfrom {option.low:g} to {option.high:g}; default {option.default:g}"


def _problem_card(problem: Problem, style: Style) -> list[str]:
    data = [
        ("also called", ", ".join(problem.aliases) or "–"),
        ("group", problem.group),
        ("J", _inertia(problem.J)),
        ("R0", _attitude(problem.R0)),
        ("Omega0", _several(problem.Omega0)),
        ("Pi0", _several(problem.Pi0)),
        ("dt, duration", f"{problem.dt:g}, {problem.duration:g}"),
    ]
    parameters = [_parameter_words(parameter) for parameter in problem.parameters.values()]
    invariants = [(name, QUANTITIES[name]) for name in problem.invariants]
    return [
        f"{style.bold(problem.label)}  {problem.name}",
        *textwrap.wrap(problem.summary, TEXT_WIDTH),
        "",
        *_pairs(data),
        *_section(style, "Parameters (--set NAME=VALUE)", _pairs(parameters, "  ")),
        *_section(style, "Invariants", _pairs(invariants, "  ")),
        *_section(style, "Equations (LaTeX)", _latex(problem.equations)),
        *_section(style, "Reference", _indented(problem.reference)),
    ]


def _inertia(J: Any) -> str:
    if np.array_equal(J, np.diag(np.diag(J))):
        return f"diag{_several(np.diag(J))}"
    return "\n".join(_several(row) for row in J)


def _attitude(R: Any) -> str:
    if np.array_equal(R, np.eye(3)):
        return "identity"
    return f"rotation vector {_several(tuple(log(Mat3(*R.flat))))}"


def _parameter_words(parameter: Parameter) -> tuple[str, str]:
    """A parameter with its value, and its meaning, unit and bounds."""
    name, doc, value = parameter.name, parameter.doc, parameter.default
    if isinstance(value, list):  # matrices stand further up
        return name, doc
    if parameter.choices:
        return f"{name} = {value}", f"{doc}\none of {', '.join(parameter.choices)}"
    unit = f", {parameter.unit}" if parameter.unit and not doc.endswith(")") else ""
    if isinstance(value, tuple):
        return f"{name} = {_several(value)}", f"{doc}{unit}; components up to ±{parameter.high:g}"
    return f"{name} = {value:g}", f"{doc}{unit}; {parameter.low:g} to {parameter.high:g}"


def _source(found: Method | Problem, style: Style) -> list[str]:
    """The source of what the method or the problem does, without its declaration."""
    if isinstance(found, Method):
        functions: list[Any] = [found.step]
    else:
        field = found.action(found.dt).field
        functions = [function for function in (field.torque, field.potential) if function is not None]
    lines = []
    for function in functions:
        try:
            source, first = inspect.getsourcelines(function)
        except (OSError, TypeError):
            lines += _section(style, "Source", ["  not there"])
            continue
        skipped = next((i for i, line in enumerate(source) if line.lstrip().startswith("def ")), 0)
        where = f"Source ({function.__module__}, line {first + skipped})"
        lines += _section(style, where, _indented(textwrap.dedent("".join(source[skipped:]))))
    return lines


# ------------------------------------------------------------------------------------------------- run


_REPEATED: dict[str, Any] = {"action": "append", "default": [], "metavar": "NAME=VALUE"}


def _declare_run(parser: argparse.ArgumentParser) -> None:
    parser.usage = "polhode run PROBLEM METHOD [options]"
    parser.epilog = f"{EXAMPLES}\n{EXIT_CODES}"
    parser.add_argument("problem", nargs="?", metavar="PROBLEM", help="like slow-top, or soft-wall(sign=as-printed)")
    parser.add_argument("method", nargs="?", metavar="METHOD", help="like NMB, MR2(axes=231) or BUSS3+E")
    length = parser.add_argument_group("how long and how fine")
    length.add_argument("--dt", metavar="STEP", help="the step; the problem's own if it is left out")
    length.add_argument("--duration", metavar="T", help="how long, in the problem's time")
    length.add_argument("--steps", metavar="N", help="how many steps, instead of a duration")
    length.add_argument("--every", metavar="K", help="keep each K-th state")
    length.add_argument("--samples", metavar="N", help="keep about N states, evenly")
    what = parser.add_argument_group("what is run")
    what.add_argument("--set", **_REPEATED, help="a parameter of the problem, like Omega0=0,0,4; can be repeated")
    what.add_argument("--option", **_REPEATED, help="an option of the method, like axes=231; can be repeated")
    what.add_argument("--energy-correction", action="store_true", help="correct the energy after each step, if free")
    output = parser.add_argument_group("what comes out")
    repeated_file = _REPEATED | {"metavar": "FILE"}
    output.add_argument("--out", **repeated_file, help="save the run as .parquet, .npz or .csv; can be repeated")
    output.add_argument("--json", action="store_true", help="print the summary as JSON")
    output.add_argument("--check", action="store_true", help="exit with 3 if the run has no solution or diverged")
    output.add_argument("--progress", action="store_true", help="show progress also where stderr is no terminal")
    output.add_argument("--quiet", action="store_true", help="no progress, and no summary unless --json asks for it")


def run_command(args: argparse.Namespace) -> int:
    """`polhode run`"""
    _both_are_there(args.problem, args.method)
    problem = _chosen_problem(args.problem, args.set)
    method = _chosen_method(args.method, args.option)
    numbers = {name: _number(getattr(args, name), name) for name in ("dt", "duration", "steps", "every", "samples")}
    paths = [writable(path) for path in args.out]
    cancel = Cancellation()
    with _ended_by_signals(cancel) as received, Bar("steps", _bar_wanted(args)) as bar:
        bar.note(f"{method.label} on {problem.label}: preparing …")
        run = simulate(
            problem, method, energy_correction=args.energy_correction, cancel=cancel, progress=bar, **numbers  # type: ignore[arg-type]
        )  # fmt: skip
    for i, path in enumerate(paths):
        try:
            run.save(path)
        except OSError as error:
            _report(run, paths[:i], args)
            return _complain(f"{path} could not be written: {_reason(error)}", MACHINE_ERROR)
    _report(run, paths, args)
    if run.status == "cancelled" and received:
        return 128 + received[0]
    return CHECK_FAILED if args.check and run.status != "done" else DONE


def _bar_wanted(args: argparse.Namespace) -> bool | None:
    """Whether progress is shown: as was asked, or None for on terminals only."""
    return False if args.quiet else True if args.progress else None


def _both_are_there(problem: str | None, method: str | None) -> None:
    if problem is None or method is None:
        raise ValueError("run needs a problem and a method, as in `polhode run slow-top NMB`; see `polhode list`")
    try:
        swapped = find_method(problem), find_problem(method)
    except ValueError:
        return
    raise ValueError(f"the problem comes first, then the method: `polhode run {swapped[1].key} {swapped[0].key}`")


@contextmanager
def _ended_by_signals(cancel: Cancellation) -> Iterator[list[int]]:
    """Ctrl-C, or a batch system's SIGTERM, ends the run after the step it is at; a second one kills the process."""
    received: list[int] = []

    def end(number: int, _: object) -> None:
        received.append(number)
        cancel.set()
        signal.signal(number, signal.SIG_DFL)

    before: dict[signal.Signals, Any] = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) is not signal.SIG_IGN:  # as it is for what a shell runs in the background
                before[number] = signal.signal(number, end)
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def about_run(run: Run, paths: Sequence[Path] = ()) -> dict[str, Any]:
    """The summary of a run, for --json and as the ground of what is printed."""
    increments = run.increment[np.isfinite(run.increment)]
    degrees = np.degrees(increments) if increments.size else np.array([np.nan])
    cost = run.cost
    return {
        "problem": run.problem.label,
        "problem_data": files.about_problem(run.problem),
        "method": run.method.label,
        "status": run.status,
        "message": run.message,
        "failed_step": run.failed_step,
        "dt": run.dt,
        "steps": cost.steps,
        "steps_wanted": run.steps,
        "every": run.every,
        "rows": len(run),
        "t_start": run.t[0],
        "t_end": run.t[-1],
        "invariants": {name: _about_invariant(run, name) for name in run.problem.invariants},
        "orthogonality": {"max": run.extrema["orthogonality"].max, "last": run.extrema["orthogonality"].last},
        "rotation_per_step_degrees": {"min": degrees.min(), "max": degrees.max()},
        "cost": {
            "seconds": cost.seconds,
            "ns_per_step": cost.ns_per_step,
            "torque_evaluations": cost.torque_evaluations,
            "newton_iterations": cost.newton_iterations,
            "newton_iterations_per_step": cost.newton_iterations / cost.steps if cost.steps else None,
        },
        "provenance": run.provenance,
        "files": [str(path) for path in paths],
    }


def _about_invariant(run: Run, name: str) -> dict[str, Any]:
    """What became of an invariant, over every step; of a vector, the component that moved most."""
    initial = getattr(run, name)[0] if name in ("energy", "pi") else run.observed[name][0]
    extrema = run.extrema[name]
    deviation = float(np.max(np.abs([extrema.max - initial, extrema.min - initial])))
    relative = name in RELATIVE and initial != 0.0
    return {
        "initial": initial,
        "min": extrema.min,
        "max": extrema.max,
        "last": extrema.last,
        "largest_deviation": deviation / abs(initial) if relative else deviation,
        "relative": relative,
        "promised": run.method.conserves.get(name),
    }


def _report(run: Run, paths: Sequence[Path], args: argparse.Namespace) -> None:
    about = about_run(run, paths)
    if args.json:
        _print_json(about)
    elif not args.quiet:
        print("\n".join(_summary(run, about, args.set, Style(sys.stdout))))


STATUS = {
    "done": "done",
    "no-solution": "NO SOLUTION: the run ended early",
    "diverged": "DIVERGED: the run ended early",
    "cancelled": "cancelled: the run ended early",
}
"""How a run ended, in words."""


KEPT = {
    None: "–", "always": "always", "free": "on free bodies", "tops": "on tops", "symmetric tops": "on symmetric tops",
}  # fmt: skip
"""When a method keeps an invariant, in the fewest words."""


def _summary(run: Run, about: Mapping[str, Any], settings: Sequence[str], style: Style) -> list[str]:
    done, wanted = about["steps"], about["steps_wanted"]
    steps = f"{done:,}" if done == wanted else f"{done:,} of {wanted:,}"
    kept = f"{len(run):,} {'row' if len(run) == 1 else 'rows'} kept"
    if run.every > 1:
        kept += f", one each {run.every:,} steps"
    facts = [
        ("status", "\n".join([STATUS[run.status], *run.messages])),
        *([("with", ", ".join(settings))] if settings else []),
        ("steps", f"{steps}, dt = {run.dt:g}, from t = 0 to {run.t[-1]:.10g}; {kept}"),
        ("rotation", _rotation(about)),
        ("cost", _cost(about)),
        *(("file" if i == 0 else "", f"{path} ({_size(path)})") for i, path in enumerate(about["files"])),
    ]
    status, *rest = _pairs(facts)
    shown = style.good if run.status == "done" else style.bad
    return [
        f"{style.bold(f'{run.problem.label} · {run.method.label}')}  {run.problem.name} by {run.method.name}",
        status.replace(STATUS[run.status], shown(STATUS[run.status])),
        *rest,
        "",
        *_invariants(run, about, style),
    ]


def _rotation(about: Mapping[str, Any]) -> str:
    low, high = about["rotation_per_step_degrees"].values()
    if math.isnan(low):
        return "–"
    return f"{low:.4g}° to {high:.4g}° per step" + (" (at the rows kept)" if about["every"] > 1 else "")


def _cost(about: Mapping[str, Any]) -> str:
    cost, steps = about["cost"], about["steps"]
    if not steps:
        return "–"
    words = [f"{cost['ns_per_step']:.4g} ns", _counted(cost["torque_evaluations"] / steps, "torque evaluation")]
    if cost["newton_iterations"]:
        words.append(_counted(cost["newton_iterations_per_step"], "Newton iteration"))
    return f"{', '.join(words)} per step; {_seconds(cost['seconds'])} in all"


def _counted(number: float, what: str) -> str:
    shown = f"{number:.3g}"
    return f"{shown} {what}" if shown == "1" else f"{shown} {what}s"


def _seconds(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1 else f"{1e3 * seconds:.3g} ms"


def _size(path: str) -> str:
    size = Path(path).stat().st_size
    return f"{size} bytes" if size < 1000 else f"{_prefixed(size)}B"


def _invariants(run: Run, about: Mapping[str, Any], style: Style) -> list[str]:
    """The table of what was kept."""
    key = run.method.key
    rows: list[tuple[str | None, ...]] = [("", "initial", "largest deviation", "", "last", f"kept by {key}")]
    for name, told in about["invariants"].items():
        rows.append(
            (
                name,
                _value(told["initial"]),
                _deviation(told["largest_deviation"]),
                "relative" if told["relative"] else "",
                _value(told["last"]),
                KEPT.get(told["promised"], told["promised"]),
            )
        )
    told = about["orthogonality"]
    promised = KEPT.get(run.method.conserves.get("orthogonality"))
    rows.append(("orthogonality", "", _deviation(told["max"]), "", _deviation(told["last"]), promised))
    title, *lines = columns([tuple(cell or "" for cell in row) for row in rows], "<>><><")
    return [style.dim(title), *lines]


def _deviation(value: float) -> str:
    return f"{value:.2e}" if value else "0"


def _value(value: Any) -> str:
    return _several(value, 5) if np.ndim(value) else f"{value:.9g}"


# ------------------------------------------------------------------------------------------------- warm


def _declare_warm(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--methods", nargs="+", metavar="NAME", help="these methods; all if it is left out")
    parser.add_argument("--problems", nargs="+", metavar="NAME", help="the torques of these; all if it is left out")
    parser.add_argument("--jobs", metavar="N", help="how many processes compile; one per processor if it is left out")
    parser.add_argument("--quiet", action="store_true", help="say nothing unless something goes wrong")


def warm_command(args: argparse.Namespace) -> int:
    """`polhode warm`"""
    from .warm import warm

    with Bar("kernels", not args.quiet) as bar:
        bar.note("compiling …")
        report = warm(args.methods, args.problems, _number(args.jobs, "jobs"), bar)  # type: ignore[arg-type]
    if report.failed:
        return _complain(report, MACHINE_ERROR)
    if not args.quiet:
        print(report)
    return DONE


# ------------------------------------------------------------------------------------------------- bench


def _declare_bench(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="methods; all if it is left out")
    parser.add_argument("--json", metavar="FILE", help="write the numbers to a .json file, too")
    parser.add_argument("--quiet", action="store_true", help="no progress")


def bench_command(args: argparse.Namespace) -> int:
    """`polhode bench`"""
    from .bench import bench

    path = None if args.json is None else writable(args.json, (".json",))
    with Bar("measurements", False if args.quiet else None) as bar:
        result = bench(args.names or None, bar)
    if path is not None:
        with path.open("w", encoding="utf-8") as file:
            _print_json(result, file)
    print("\n".join(_bench_table(result, Style(sys.stdout))))
    return DONE


def _bench_table(result: Mapping[str, Any], style: Style) -> list[str]:
    machine = result["machine"]
    problems = [name for name in result["methods"][0] if name != "method"]
    head = ["", *(f"{problem}{', tracked' if tracked else ''}" for problem in problems for tracked in (False, True))]
    rows = [head]
    for row in result["methods"]:
        times = [row[problem][word] for problem in problems for word in ("untracked", "tracked")]
        rows.append([row["method"], *("–" if ns is None else f"{ns:.1f}" for ns in times)])
    title, *lines = columns(rows, "<" + ">" * (len(head) - 1))
    how = "" if machine["compiled"] else ", plain Python because Numba is not installed or switched off"
    return [
        style.bold(f"ns per step, median of {result['repetitions']}{how}"),
        style.dim(f"{machine['processor']}, {machine['processors']} processors; {machine['system']}"),
        style.dim(_versions_line(machine["versions"])),
        "",
        style.dim(title),
        *lines,
        "",
        style.dim("tracked: with every invariant watched at every step, as in `polhode run`."),
    ]


COMMANDS: dict[str, tuple[Callable[..., int], Callable[..., None], str]] = {
    "list": (list_command, _declare_list, "list the methods and the problems"),
    "show": (show_command, _declare_show, "show all there is to know of a method or a problem"),
    "run": (run_command, _declare_run, "run a method on a problem, and tell what it kept"),
    "warm": (warm_command, _declare_warm, "compile the methods now, so that no run waits for it"),
    "bench": (bench_command, _declare_bench, "measure how fast the methods are on this machine"),
}
"""The commands: what they do, what arguments they take, and the words for it."""
