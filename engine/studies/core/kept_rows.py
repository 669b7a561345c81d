"""Files that keep the rows of a study, so that it can resume."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...text.formatting import quote

Row = dict[str, Any]


class Store:
    """A file of JSON lines: the setting of a study in the first, then a row a line as each is
    measured.
    """

    rows: dict[str, Row]

    def __init__(self, path: str | Path, setting: Mapping[str, Any]) -> None:
        self.path = Path(path)
        self.rows = {}
        head = json.dumps({"setting": dict(setting)}, sort_keys=True, default=str)
        try:
            if self.path.is_dir():
                raise ValueError(f"{quote(str(path), 140)} is a folder; rows are kept in a file")
            if not self.path.exists() or not self.path.stat().st_size:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self.path.write_text(f"{head}\n", encoding="utf-8")
                return
        except OSError as error:
            raise ValueError(
                f"{quote(str(path), 140)} cannot be written: {error.strerror}"
            ) from error
        text = self.path.read_text(encoding="utf-8")
        first, *lines = text.splitlines()
        if first != head:
            raise ValueError(
                f"{self.path} holds another study, or one of another version; name a new file"
            )
        for line in lines:
            with suppress(ValueError):  # the last line, if the machine stopped while it was written
                entry = json.loads(line)
                self.rows[entry["part"]] = entry["row"]
        if not text.endswith("\n"):
            self._append("")

    def add(self, part: str, row: Row) -> None:
        """Keep a row."""
        self._append(json.dumps({"part": part, "row": row}))

    def _append(self, line: str) -> None:
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(f"{line}\n")
        except OSError as error:  # an error on closing names no file
            raise OSError(error.errno, error.strerror, str(self.path)) from error
