"""What columns of studies are called on the page."""

from __future__ import annotations

HEADS = {"dt": "Δt", "fails_at": "fails at Δt", "q05": "5 %", "q95": "95 %"}


def head(column: str) -> str:
    """What a column of a study's rows is called."""
    return HEADS.get(column, column.replace("_", " "))
