"""Numbers as a person types and reads them."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.checks import entries_of


def number(value: float) -> str:
    """A number as a person types it."""
    return f"{value:.8g}"


def numbers(value: Any) -> str:
    """Several, with commas between them."""
    return ", ".join(map(number, np.ravel(value).tolist()))


def typed(text: str) -> tuple[float, ...]:
    """What a person typed, as numbers; `ValueError` in one sentence if it is none."""
    try:
        return tuple(float(part) for part in entries_of(text)) if text.strip() else ()
    except ValueError:
        raise ValueError("numbers with commas between them are wanted here, like 0.9, 1.1, 1.7") from None


def sentence(words: str) -> str:
    """Words as a sentence: with a capital, and a full stop."""
    ended = words if words.endswith(("?", "!")) else f"{words.rstrip('.')}."
    return f"{ended[:1].upper()}{ended[1:]}" if words else ""
