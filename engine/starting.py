"""While the command `polhode` imports what it stands on, Ctrl-C ends it with a sentence, and without a traceback."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import PurePath
from typing import Any

INTERRUPTED = 130
"""The exit code of a command that Ctrl-C has ended."""


def _end(*_: Any) -> None:
    """End at once: an import that is cut short may raise anything."""
    os.write(2, b"polhode: interrupted\n")
    os._exit(INTERRUPTED)


def begin() -> None:
    """Take over Ctrl-C, if this process is the command, and no process or thread of a program that imports it."""
    program = sys.orig_argv[1:]
    is_command = program[:2] == ["-m", "engine"] or PurePath(*program[:1]).stem == "polhode"
    in_main = threading.current_thread() is threading.main_thread()
    if is_command and in_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def end() -> None:
    """Give Ctrl-C back, where it was taken over."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)
