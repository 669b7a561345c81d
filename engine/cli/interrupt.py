"""Ctrl-C while the command `polhode` imports its modules: a sentence, and no traceback."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import PurePath
from typing import Any

INTERRUPTED = 130
"""The exit code of a command ended by Ctrl-C."""


def _end(*_: Any) -> None:
    """End at once: an interrupted import may raise anything."""
    os.write(2, b"polhode: interrupted\n")
    os._exit(INTERRUPTED)


def begin() -> None:
    """Take over Ctrl-C, if this process is the command, and not a program that imports the
    engine.
    """
    program = sys.orig_argv[1:]
    is_command = program[:2] == ["-m", "engine"] or PurePath(*program[:1]).stem == "polhode"
    in_main = threading.current_thread() is threading.main_thread()
    if is_command and in_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def end() -> None:
    """Give Ctrl-C back."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)
