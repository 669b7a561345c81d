"""A progress bar on stderr, for the shell and for studies that take long."""

from __future__ import annotations

import shutil
import sys
import time
from contextlib import ExitStack

from ..compiler import notices
from ..text.formatting import format_with_prefix

QUIET_AT_FIRST = 0.3
"""Seconds of silence at the beginning."""


class ProgressBar:
    """Progress on stderr: one line on a terminal, a line now and then elsewhere.

    `shown` None means on terminals only. The bar also names what is being compiled. It estimates
    the time that is left, unless the parts are not `even`.
    """

    ON_TERMINAL = 0.1
    ELSEWHERE = 5.0

    def __init__(self, unit: str, shown: bool | None = None, even: bool = True) -> None:
        self.stream = sys.stderr
        self.unit = unit
        self.even = even
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
        if self.shown and self.terminal:
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
        if self.shown:
            self._write(
                f"\r{notices.describe_compiling(name)} …\x1b[K"
                if name
                else self._standing or "\r\x1b[K"
            )

    def _words(self, done: float, total: int, now: float) -> str:
        words = f"{int(100 * done / total):3d} %  {int(done):,} of {total:,} {self.unit}"
        before, begun = self.first or (done, now)
        if self.even and done > before and now > begun:
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


def _clock(seconds: float) -> str:
    """Write a duration like the time of day: 0:07, 12:30, 3:02:11"""
    minutes, s = divmod(round(seconds), 60)
    hours, m = divmod(minutes, 60)
    return f"{hours}:{m:02}:{s:02}" if hours else f"{m}:{s:02}"
