"""A shelf of live demos: a folder in which they share their scripts, and a kernel with all that run it.

Each is a small page, which puts itself together to what it also is as one file (`assets/shelf.js`), by scripts of the
old kind, not modules: browsers load these from the disk as well.
"""

from __future__ import annotations

import json
from html import escape
from pathlib import Path

from .bundle import ASSETS, alone
from .live import SCRIPTS, Demo


class Shelf:
    """A folder for demos, made if it is not there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._write("shelf.js", (ASSETS / "shelf.js").read_text(encoding="utf-8"))

    def put(self, name: str, demo: Demo) -> None:
        """Add a demo as `name`.html; what it shares and is there already stays."""
        texts = {key: text for key, text in demo.texts.items() if not (self.folder / f"{key}.js").exists()}
        for key, text in (texts | {name: demo.page}).items():
            self._write(f"{key}.js", f"polhodeText({json.dumps(key)}, {json.dumps(text, ensure_ascii=False)});\n")
        self._write(f"{name}.html", alone("shelf", demo.title, SCRIPTS.format("'self'"), DEMO=escape(name)))

    def _write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")
