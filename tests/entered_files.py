"""The engine's functions that a call enters, and their files."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import engine

ROOT = Path(engine.__file__).resolve().parents[1]


def list_entered(call: Callable[[], Any]) -> list[tuple[str, str]]:
    """Return the functions that a repeated call enters, in order, each with its file, also on
    threads that it starts; imports and what earlier calls store do not count.
    """
    entered = dict[tuple[str, str], None]()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_globals.get("__name__", "").startswith("engine."):
            entered[frame.f_code.co_qualname, frame.f_code.co_filename] = None

    for _ in range(2):  # a problem's store may be full, and emptied by the first
        call()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return [
        (name, Path(file).relative_to(ROOT).as_posix())
        for name, file in entered
        if file.endswith(".py")
    ]


def list_entered_files(call: Callable[[], Any]) -> list[str]:
    """Return the files of the functions that a repeated call enters."""
    return list(dict.fromkeys(file for _, file in list_entered(call)))
