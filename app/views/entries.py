"""Entries: what they are for, and numbers as a person types them."""

from __future__ import annotations

from typing import Any

import numpy as np
import panel_material_ui as pmui
import param

TOLD = """
:host { position: relative; }
.MuiFormHelperText-root:not(.Mui-error) { position: absolute; z-index: 9; top: calc(100% + 2px); left: 0; right: 0;
  margin: 0; padding: 5px 9px; border-radius: 6px; background: #33404d; color: #fff; visibility: hidden; opacity: 0;
  pointer-events: none; }
:host(:hover) .MuiFormHelperText-root:not(.Mui-error), :host(:focus-within) .MuiFormHelperText-root:not(.Mui-error) {
  visibility: visible; opacity: 1; transition: opacity .15s .6s, visibility 0s .6s; }
"""
"""What a widget is for is its helper text: read with it, and seen when it is pointed at, without moving anything."""


class TextEntry(pmui.TextInput):
    """A field to type in, which can be told what it says as one change: what is being typed there can be set too.

    By itself it lets nobody set that, and goes through all its parameters to make an exception for itself.
    """

    value_input = param.String(default="", readonly=False, constant=False, doc="What is being typed.")

    @param.depends("value", watch=True, on_init=True)
    def _sync_value_input(self) -> None:
        self.value_input = self.value


def number(value: float) -> str:
    """A number as a person types it."""
    return f"{value:.8g}"


def numbers(value: Any) -> str:
    """Several, with commas between them."""
    return ", ".join(map(number, np.ravel(value).tolist()))


def typed(text: str) -> tuple[float, ...]:
    """What a person typed, as numbers; `ValueError` in one sentence if it is none."""
    parts = [part for part in text.replace(";", ",").replace("(", " ").replace(")", " ").split(",") if part.strip()]
    try:
        return tuple(float(part) for part in parts)
    except ValueError:
        raise ValueError("numbers with commas between them are wanted here, like 0.9, 1.1, 1.7") from None


def told(doc: str) -> dict[str, Any]:
    """What a widget needs to tell its meaning."""
    return {"helper_text": f"{doc[:1].upper()}{doc[1:].rstrip('.')}.", "stylesheets": [TOLD]}


def fill(entry: Any, text: str) -> None:
    """Let an entry, or a menu, say something else; what is being typed changes with it: apart, either is drawn."""
    if entry.value == text:
        return
    if isinstance(entry, TextEntry):
        entry.param.update(value=text, value_input=text)
    else:
        entry.value = text


def refuse(entry: Any, words: str) -> None:
    """Say at an entry why something can not be had; what it is for is kept for `accept`."""
    entry.param.update(error_state=True, helper_text=words, tags=entry.tags or [entry.helper_text])


def accept(entry: Any) -> None:
    """Take back what was said against an entry, if anything was."""
    if "error_state" in entry.param and entry.error_state:
        entry.param.update(error_state=False, helper_text=entry.tags[0], tags=[])
