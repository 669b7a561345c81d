"""What a command prints and writes: text, tables, JSON, rows and files, sentences on stderr, and exit
codes; Ctrl-C.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sys
import textwrap
import threading
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..export.files import WRITABLE, check_writable, to_strict_json, write_atomically
from ..simulation.progress_bar import QUIET_AT_FIRST
from ..simulation.request import ARGUMENTS
from ..text.formatting import join_words, shorten, show

if TYPE_CHECKING:
    import pandas as pd

# -------------------------------------------------------------------------------------------------
# streams


def print_whatever_comes(stream: Any) -> None:
    """Let a stream replace characters that it cannot encode."""
    if hasattr(stream, "reconfigure") and "utf" not in (stream.encoding or "").lower():
        stream.reconfigure(errors="replace")


def abandon_stdout() -> None:
    """Give the interpreter a stdout that it can flush at its end; the reader is gone."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Style:
    """Colours for a terminal, and none elsewhere or if NO_COLOR is set."""

    def __init__(self, stream: Any) -> None:
        terminal = stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"
        self.on = terminal and not os.environ.get("NO_COLOR")

    def _with(self, code: int, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.on else text

    def bold(self, text: str) -> str:
        """For headings and names."""
        return self._with(1, text)

    def dim(self, text: str) -> str:
        """For what is less important."""
        return self._with(2, text)

    def good(self, text: str) -> str:
        """For success."""
        return self._with(32, text)

    def bad(self, text: str) -> str:
        """For failure."""
        return self._with(31, text)


# -------------------------------------------------------------------------------------------------
# text


def wrapped(text: str, beside: int = 0) -> list[str]:
    """Wrap a text beside an indent, without breaking words and file names."""
    width = min(100, shutil.get_terminal_size((100, 24)).columns)
    room = max(40, width - beside)
    lines = [
        textwrap.wrap(line, room, break_long_words=False, break_on_hyphens=False)
        for line in text.splitlines()
    ]
    return [part for parts in lines for part in parts]


def spell_option(name: str) -> str:
    """Return an argument's name as an option."""
    return SPELLED.get(name, f"--{name.replace('_', '-')}")


RECORDING = {
    "columns": "the names or numbers of the time, x, y and z",
    "unit": "rad/s, deg/s, or rad or deg of integrated angles",
    "time_unit": "s, ms, us or ns",
}
"""The arguments of `read_rates` for what a recording does not state."""
JUDGED = {
    "columns": "the names of all columns, in order, like t,qw,qx,qy,qz,wx,wy,wz",
    "euler": "the order of Euler angles as factors of R, like ZYX; none for a rotation vector",
    "frame": "that of the angular velocity: body, space, or none to leave it out",
    "inverse": "on if the attitude turns space to the body",
    "dt": "the step between rows, if the file has no times",
}
"""The arguments of `judge` for what a motion does not show."""
SPELLED = {"J": "--inertia"}
"""Options with another name than their argument."""
_OPTIONS = {*ARGUMENTS, *RECORDING, *JUDGED, *SPELLED} - {"progress", "cancel"}
_ARGUMENTS = re.compile(rf"(?<![\w(])({'|'.join(sorted(_OPTIONS))})=([\w./-]+(?:,[\w./-]+)*)")


def spell_arguments(words: str) -> str:
    """Spell the arguments of a run in a sentence as options: every=k becomes --every k."""
    return _ARGUMENTS.sub(lambda found: f"{spell_option(found[1])} {found[2]}", words)


def find_width() -> int | None:
    """Return the number of columns of the terminal, or None if the output goes elsewhere."""
    if os.environ.get("COLUMNS", "").isdecimal() or (sys.stdout and sys.stdout.isatty()):
        return shutil.get_terminal_size((80, 24)).columns
    return None


GAP = 2
"""Spaces between columns."""


def choose_columns(rows: Sequence[Sequence[str]], droppable: Iterable[int]) -> list[int]:
    """Return the columns that fit the terminal with wrapped cells, without the first of
    `droppable` if it must be.
    """
    kept = list(range(len(rows[0])))
    width = find_width()
    least = [max(map(_longest_word, column)) for column in zip(*rows, strict=True)]
    for column in droppable:
        if width is None or sum(least[i] + GAP for i in kept) - GAP <= width:
            break
        kept.remove(column)
    return kept


def columns(rows: Sequence[Sequence[str]], align: str) -> list[str]:
    """Align rows of cells; `align` has a `<` or `>` for each column. On a terminal, cells that do
    not fit are wrapped, and a row has several lines.
    """
    cells = list(zip(*rows, strict=True))
    widths = [max(map(len, column)) for column in cells]
    width = find_width()
    least = [max(map(_longest_word, column)) for column in cells]
    while width is not None and sum(widths) + GAP * (len(widths) - 1) > width and widths != least:
        widest = max(range(len(widths)), key=lambda i: (widths[i] > least[i], widths[i]))
        widths[widest] -= 1
    form = (" " * GAP).join(
        f"{{:{side}{width}}}" for side, width in zip(align, widths, strict=True)
    )
    return ["\n".join(_wrap_row(row, widths, form)) for row in rows]


def _wrap_row(row: Sequence[str], widths: Sequence[int], form: str) -> Iterator[str]:
    """Return the lines of a row."""
    parts = [
        [cell]
        if len(cell) <= width
        else textwrap.wrap(cell, width, break_long_words=False, break_on_hyphens=False)
        for cell, width in zip(row, widths, strict=True)
    ]
    for line in zip_longest(*parts, fillvalue=""):
        yield form.format(*line).rstrip()


def _longest_word(cell: str) -> int:
    """Return the least width of a cell; an indent belongs to the first word."""
    return max(map(len, cell.split()), default=0) + len(cell) - len(cell.lstrip())


def table(rows: Sequence[Sequence[str]], align: str, style: Style) -> list[str]:
    """Align the cells of each column; the first row is the heads of the columns."""
    head, *lines = columns(rows, align)
    return [style.dim(head), *lines]


def pairs(given: Iterable[tuple[str, str]], indent: str = "") -> list[str]:
    """Return names with texts wrapped beside them."""
    entries = list(given)
    width = len(indent) + 2 + max((len(name) for name, _ in entries), default=0)
    lines = []
    for name, text in entries:
        first, *rest = wrapped(text, width) or [""]
        lines.append(f"{indent + name:{width}}{first}".rstrip())
        lines += [" " * width + line for line in rest]
    return lines


def as_json(value: Any) -> str:
    """Return strict JSON: what is no number becomes null."""
    return json.dumps(to_strict_json(value), allow_nan=False, indent=2) + "\n"


def print_json(value: Any) -> None:
    """Print strict JSON."""
    print(as_json(value), end="")


# -------------------------------------------------------------------------------------------------
# rows and files

STDOUT = "-"
"""The file to write that stands for stdout."""


def save(path: Path | None, write: Callable[[Path], object]) -> int:
    """Write a file, if there is a path, or complain; return the exit code."""
    try:
        if path:
            write_atomically(path, write)
    except OSError as error:
        return complain(f"{path} was not saved: {error.strerror or error}", MACHINE_ERROR)
    return DONE


def check_out(args: Namespace, endings: tuple[str, ...] = WRITABLE) -> list[Path]:
    """Return the files of --out, after a check that they can be written: better before the work
    than after it.
    """
    given = [args.out] if isinstance(args.out, str) else args.out or []
    if STDOUT in given and args.json:
        raise ValueError(f"--out {STDOUT} and --json both print; give one of them")
    return [check_writable(path, endings) for path in given if path != STDOUT]


def report_rows(
    frame: pd.DataFrame,
    lines: Sequence[str],
    args: Namespace,
    write: Callable[[Path], object] | None = None,
) -> int:
    """Save rows, and print them as JSON or as lines, also if they cannot be saved; return the exit
    code.
    """
    if args.out == STDOUT:
        frame.to_csv(sys.stdout, index=False)
        return DONE
    code = save(
        args.out and Path(args.out), write or (lambda file: frame.to_csv(file, index=False))
    )
    if args.json:
        print_json(frame.astype(object).where(frame.notna(), None).to_dict("records"))
    elif lines:
        print("\n".join(lines))
    return code


def format_frame(frame: pd.DataFrame, style: Style) -> list[str]:
    """Return a table as lines, numbers to the right."""
    import pandas as pd

    def cell(x: object) -> str:
        return "–" if pd.isna(x) else show(x, 4) if isinstance(x, float) else str(x)

    rows = [list(frame.columns), *([cell(x) for x in row] for row in frame.to_numpy(dtype=object))]
    numbers = [pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]
    kept = choose_columns(rows, range(len(numbers) - 1, 0, -1))
    align = "".join("<>"[numbers[i]] for i in kept)
    lines = table([[row[i] for i in kept] for row in rows], align, style)
    dropped = [str(name) for i, name in enumerate(frame.columns) if i not in kept]
    if dropped:
        note = f"Not shown: {join_words(dropped)}; --json and --out have all columns."
        lines += map(style.dim, wrapped(note))
    return lines


# -------------------------------------------------------------------------------------------------
# while it runs


@contextmanager
def ended_by_signals(cancel: threading.Event) -> Iterator[list[int]]:
    """Let Ctrl-C, or a batch system's SIGTERM, set `cancel`, and a second one kill the process;
    yield the signals.
    """
    received: list[int] = []

    slow = threading.Timer(
        QUIET_AT_FIRST, lambda: print_notice("stopping; once more ends it at once")
    )
    slow.daemon = True

    def end(number: int, _: object) -> None:
        received.append(number)
        cancel.set()
        signal.signal(number, signal.SIG_DFL)
        if len(received) == 1:
            slow.start()

    before: dict[signal.Signals, Any] = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            if (
                signal.getsignal(number) is not signal.SIG_IGN
            ):  # as for what a shell runs in the background
                before[number] = signal.signal(number, end)
    try:
        yield received
    finally:
        slow.cancel()
        for number, handler in before.items():
            signal.signal(number, handler)


def print_notice(words: str) -> None:
    """Print a line on stderr, in the place of a bar."""
    with suppress(OSError, ValueError, AttributeError):
        begin = "\r\x1b[K" if sys.stderr.isatty() else ""
        sys.stderr.write(f"{begin}polhode: {words}\n")
        sys.stderr.flush()


# -------------------------------------------------------------------------------------------------
# how it ends

DONE, MACHINE_ERROR, USAGE_ERROR, CHECK_FAILED, BROKEN_PIPE = 0, 1, 2, 3, 141
"""Exit codes."""
EXIT_CODES = """\
exit codes:
  0    done, also if the method found no solution or blew up
  1    a file could not be written
  2    something was not understood
  3    with --check: no solution found, or blown up
  130  ended by Ctrl-C, with what was computed reported and saved
"""
"""The exit codes in words."""


def complain(what: object, code: int) -> int:
    """Print one sentence on stderr, on one line and not too long, and return the exit code."""
    with suppress(OSError):
        print(f"polhode: {shorten(spell_arguments(str(what)))}", file=sys.stderr, flush=True)
    return code


def describe_error(error: Exception) -> str:
    """Return an error in words, with the file of one of the operating system."""
    words = getattr(error, "strerror", None) or str(error)
    file = getattr(error, "filename", None)
    return f"{file}: {words}" if file else words


def end_measuring(received: Sequence[int], code: int = DONE) -> int:
    """Return the exit code, and say so if a signal ended the measurement."""
    if not received:
        return code
    return complain("stopped early; what was measured until then is kept", 128 + received[0])
