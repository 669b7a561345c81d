"""The terminal: colours, columns, JSON, numbers in words, a progress bar, and Ctrl-C."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import textwrap
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import zip_longest
from typing import Any

from ..compiler import notices
from ..export.files import to_strict_json
from ..text.formatting import format_with_prefix

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
    kept, width = list(range(len(rows[0]))), find_width()
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
    widths, width = [max(map(len, column)) for column in cells], find_width()
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
# numbers


def _clock(seconds: float) -> str:
    """Write a duration like the time of day: 0:07, 12:30, 3:02:11"""
    minutes, s = divmod(round(seconds), 60)
    hours, m = divmod(minutes, 60)
    return f"{hours}:{m:02}:{s:02}" if hours else f"{m}:{s:02}"


# -------------------------------------------------------------------------------------------------
# while it runs


QUIET_AT_FIRST = 0.3
"""Seconds of silence at the beginning."""


class ProgressBar:
    """Progress on stderr: one line on a terminal, a line now and then elsewhere.

    `shown` None means on terminals only. The bar also names what is being compiled.
    """

    ON_TERMINAL, ELSEWHERE = 0.1, 5.0

    def __init__(self, unit: str, shown: bool | None = None) -> None:
        self.stream, self.unit = sys.stderr, unit
        self.terminal = self.stream is not None and self.stream.isatty()
        self.shown = self.terminal if shown is None else shown and self.stream is not None
        self.next = time.monotonic() + (QUIET_AT_FIRST if self.terminal else 0.0)
        self.first: tuple[float, float] | None = (
            None  # the rate counts from here; before, something may be compiled
        )
        self.written = False
        self._standing = ""  # the last line, to write again after a compilation
        self._while_it_stands = ExitStack()

    def __enter__(self) -> ProgressBar:
        self._while_it_stands.enter_context(notices.listen(self._compiling))
        return self

    def __exit__(self, *_: object) -> None:
        self._while_it_stands.close()
        if self.written and self.terminal:
            self._write("\r\x1b[K")

    def __call__(self, done: float, total: int, *_: object) -> None:
        """Show how much is done; the bar shows fractions, the numbers do not."""
        now = time.monotonic()
        self.first = self.first or (done, now)
        last = done == total and self.written and not self.terminal
        if not self.shown or (now < self.next and not last):
            return
        self.next = now + (self.ON_TERMINAL if self.terminal else self.ELSEWHERE)
        words = self._words(done, total, now)
        self._standing = self._line(words, done / total) if self.terminal else f"{words}\n"
        self._write(self._standing)

    def note(self, text: str) -> None:
        """Name what takes a while, on a terminal only."""
        if self.shown and self.terminal:
            self._standing = f"\r{text}\x1b[K"
            self._write(self._standing)

    def _compiling(self, name: str) -> None:
        """Show what is being compiled in the place of the bar or of a note."""
        if self.shown and self.terminal:
            self._write(
                f"\r{notices.describe_compiling(name)} …\x1b[K"
                if name
                else self._standing or "\r\x1b[K"
            )

    def _words(self, done: float, total: int, now: float) -> str:
        words = f"{int(100 * done / total):3d} %  {int(done):,} of {total:,} {self.unit}"
        before, begun = self.first or (done, now)
        if done > before and now > begun:
            rate = (done - before) / (now - begun)
            words += f"  {format_with_prefix(rate)}/s  {_clock((total - done) / rate)} left"
        return words

    def _line(self, words: str, part: float) -> str:
        """Return the bar with the words, as far as they fit."""
        width = shutil.get_terminal_size().columns - 1
        room = min(28, width - len(words) - 3)
        full, empty = "━─" if "utf" in (self.stream.encoding or "").lower() else "#-"
        filled = round(part * room)
        bar = f"{full * filled}{empty * (room - filled)} " if room >= 6 else ""
        return f"\r{(bar + words)[:width]}\x1b[K"

    def _write(self, text: str) -> None:
        self.written = True
        try:
            self.stream.write(text)
            self.stream.flush()
        except OSError:  # the terminal is gone; the run continues
            self.shown = False


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
