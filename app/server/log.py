"""The server's log: one line for each record, and each traceback once.

Log lines contain visitors' texts, so each line has a bounded length and no control characters.
"""

from __future__ import annotations

import json
import logging
import re
import time
import traceback
import warnings
from collections.abc import Callable
from datetime import UTC, datetime

from tornado.websocket import WebSocketClosedError

from ..compat.server import CONNECTION_LOG, KNOWN_REFERENCE, LATE_MESSAGE, REQUEST_LOGS

LONGEST = 400
"""Characters of a line."""
MOST_PLACES = 200
"""Places in the code whose tracebacks are written in full, in the life of a process."""
REPORT_EVERY = 60.0
"""Seconds between two lines about messages to visitors who have left."""


class LateMessages(logging.Filter):
    """Counts messages to visitors who have left, which are nobody's fault, and reports them once a
    minute.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._count = 0
        self._reported = -REPORT_EVERY

    def filter(self, record: logging.LogRecord) -> bool:
        """Pass all other records, and one of these a minute, with their number since the last."""
        error = record.exc_info[1] if record.exc_info else None
        if record.msg != LATE_MESSAGE and not isinstance(error, WebSocketClosedError):
            return True
        self._count += 1
        if self._clock() - self._reported < REPORT_EVERY:
            return False
        number, self._count, self._reported = self._count, 0, self._clock()
        record.msg = f"visitors have left: {number} message{'s' if number != 1 else ''} could not be sent to them"
        record.args = ()
        record.exc_info = None
        return True


SECRETS = re.compile(r"[A-Za-z0-9]{44}[\w.-]*|(?<=bokeh-token=)[^&\s]+")
"""Ids of sessions, and tokens: who knows one can open the session."""


class Short(logging.Filter):
    """Makes each record one line without ids of sessions; only the first record of a place in the code keeps its
    traceback.
    """

    def __init__(self) -> None:
        super().__init__()
        self._places: dict[str, int] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Shorten a record once, however many handlers receive it."""
        if getattr(record, "short", False):
            return True
        record.short = True
        text = record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            text += f" [{type(error).__name__}: {error}]"
            where = traceback.extract_tb(error.__traceback__)[-1:]
            times = self._count(f"{type(error)} {where}")
            if times > 1:
                text += f" (the same place for the {times}th time)"
                record.exc_info = record.exc_text = None
        record.msg = format_line(text)
        record.args = ()
        return True

    def _count(self, place: str) -> int:
        if place not in self._places and len(self._places) >= MOST_PLACES:
            return MOST_PLACES
        self._places[place] = self._places.get(place, 0) + 1
        return self._places[place]


def format_line(text: str) -> str:
    """Return a text as one line of bounded length without control characters."""
    text = SECRETS.sub("…", text[: 4 * LONGEST])
    plain = "".join(x if x.isprintable() else f"\\x{ord(x):02x}" for x in " ".join(text.split()))
    return plain if len(plain) <= LONGEST else f"{plain[:LONGEST]} …"


SHORT = Short()
LATE = LateMessages()


class JsonLines(logging.Formatter):
    """Formats each record as a JSON object in one line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        said = {
            "time": moment,
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            said["traceback"] = self.formatException(record.exc_info)
        return json.dumps(said, ensure_ascii=False)


def begin(json_lines: bool = False) -> None:
    """Write the log to the standard error, in short lines."""
    global formatter
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    formatter = JsonLines() if json_lines else None
    keep_short()


formatter: logging.Formatter | None = None
"""Of all lines of this process, if not each logger's own."""


def show_requests(all_of_them: bool) -> None:
    """Log each request from now on, or none that is merely refused."""
    for name, level in REQUEST_LOGS.items():
        logging.getLogger(name).setLevel(logging.INFO if all_of_them else level)


def keep_short() -> None:
    """Shorten all that this process logs from now on, and leave out a warning that no visitor can
    prevent.
    """
    warnings.filterwarnings("ignore", KNOWN_REFERENCE)
    for logger in (
        logging.root,
        *logging.root.manager.loggerDict.values(),
    ):  # some libraries have their own handlers
        for handler in getattr(logger, "handlers", ()):
            if SHORT not in handler.filters:
                handler.addFilter(SHORT)
            if formatter:
                handler.setFormatter(formatter)
    for name in (
        CONNECTION_LOG,
        "asyncio",
    ):  # asyncio reports the exceptions of tasks that nobody awaits
        logging.getLogger(name).addFilter(LATE)
