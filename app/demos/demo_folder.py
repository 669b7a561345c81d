"""A folder of live demos that share their scripts and kernels.

Each demo is a small page that assembles the same page as the single file
(`assets/js/demo/assemble.js`). Its scripts are classic scripts, not modules, because browsers also
load these from the disk.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from pathlib import Path

from ..asset_files import SCRIPTS, bundle_script, render_page
from .live import POLICY, Demo


class DemoFolder:
    """A folder of demos, which is created if it does not exist."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._write(
            "assemble.js", f"(() => {{\n{bundle_script(SCRIPTS / 'demo/assemble.js')}}})();\n"
        )

    def add(self, name: str, demo: Demo) -> None:
        """Add a demo as `name`.html; shared files that exist stay."""
        self.add_texts(
            {
                key: text
                for key, text in demo.texts.items()
                if not (self.folder / f"{key}.js").exists()
            }
        )
        self.add_texts({name: demo.page})
        self._write(
            f"{name}.html",
            render_page("assembled-demo", demo.title, POLICY.format("'self'"), DEMO=escape(name)),
        )

    def add_texts(self, texts: Mapping[str, str]) -> None:
        """Write texts that pages are assembled from."""
        for key, text in texts.items():
            self._write(
                f"{key}.js",
                f"polhodeText({json.dumps(key)}, {json.dumps(text, ensure_ascii=False)});\n",
            )

    def _write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")
