"""Tables of words and numbers in TOML files beside the modules that use them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any


def read_toml(module: str, name: str = "") -> dict[str, Any]:
    """Return the tables beside a module, given as its `__file__`, from the file of its name or of
    another.
    """
    path = Path(module).with_name(f"{name or Path(module).stem}.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))
