"""What the server writes to its log: a line for each thing, and a traceback once for each place in the code.

Visitors cause what is logged, so that none of it may be as long as they like, and nothing they send may look like a
line of its own or steer a terminal.
"""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Callable

from bokeh.server.views import ws

LONGEST = 400
"""Characters of a line."""
MOST_PLACES = 200
"""Tracebacks that are written in full, as long as the process lives; no visitor finds more places than there are."""

LEFT = "Failed sending message as connection was closed"
"""What Bokeh warns of when a visitor leaves while something is on its way, each time; that is nobody's fault."""
TOLD_EACH = 60.0
"""Seconds between two lines about that."""


class Left(logging.Filter):
    """Counts the messages that came too late for visitors who had left, and tells of them now and then."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock, self._late, self._told = clock, 0, -TOLD_EACH

    def filter(self, record: logging.LogRecord) -> bool:
        """Let all else pass, and of these one a minute, with how many there were since the one before."""
        if record.msg != LEFT:
            return True
        self._late += 1
        if self._clock() - self._told < TOLD_EACH:
            return False
        number, self._late, self._told = self._late, 0, self._clock()
        record.msg = f"visitors have left: {number} message{'s' if number != 1 else ''} could not be sent to them"
        return True


class Short(logging.Filter):
    """Makes each record one line; what explains it in many is written only when it is seen for the first time."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: dict[str, int] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Shorten a record, once, whatever number of handlers it comes to."""
        if getattr(record, "short", False):
            return True
        record.short = True
        text = record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            text += f" [{type(error).__name__}: {error}]"
            where = traceback.extract_tb(error.__traceback__)[-1:]
            times = self._times(f"{type(error)} {where}")
            if times > 1:
                text += f" (the same place for the {times}th time)"
                record.exc_info = record.exc_text = None
        record.msg, record.args = line(text), ()
        return True

    def _times(self, place: str) -> int:
        if place not in self._seen and len(self._seen) >= MOST_PLACES:
            return MOST_PLACES
        self._seen[place] = self._seen.get(place, 0) + 1
        return self._seen[place]


def line(text: str) -> str:
    """A text on one line that is not too long, with nothing in it that a terminal would obey."""
    plain = "".join(x if x.isprintable() else f"\\x{ord(x):02x}" for x in " ".join(text[: 4 * LONGEST].split()))
    return plain if len(plain) <= LONGEST else f"{plain[:LONGEST]} …"


SHORT = Short()
LATE = Left()


def keep_short() -> None:
    """Have all that is logged in this process from now on kept short."""
    for logger in (
        logging.root,
        *logging.root.manager.loggerDict.values(),
    ):  # some libraries have handlers of their own
        for handler in getattr(logger, "handlers", ()):
            if SHORT not in handler.filters:
                handler.addFilter(SHORT)
    logging.getLogger(ws.__name__).addFilter(LATE)
