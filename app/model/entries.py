"""Numbers as a person types and reads them."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.checks import entries_of


def numbers(value: Any) -> str:
    """One number as a person types it, or several with commas between them."""
    return ", ".join(f"{x:.8g}" for x in np.ravel(value).tolist())


def typed(text: str) -> tuple[float, ...]:
    """What a person typed, as numbers; `ValueError` in one sentence if it is none."""
    try:
        return tuple(float(part) for part in entries_of(text)) if text.strip() else ()
    except ValueError:
        raise ValueError("numbers with commas between them are wanted here, like 0.9, 1.1, 1.7") from None
