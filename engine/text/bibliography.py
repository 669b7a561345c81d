"""The bibliography of the project: BibTeX entries by their keys."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path


@cache
def _read_entries() -> dict[str, str]:
    text = Path(__file__).with_name("references.bib").read_text(encoding="utf-8")
    return {
        found[1]: found[0].strip()
        for found in re.finditer(r"^@\w+\{([^,]+),(?:\n  .*)+", text, re.MULTILINE)
    }


def bibtex(*keys: str) -> str:
    """Return the entries of `references.bib` with these keys."""
    return "\n".join(_read_entries()[key] for key in keys)
