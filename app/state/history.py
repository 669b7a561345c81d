"""Undo and redo of choices."""

from __future__ import annotations

import math
import time

from .choice import Choice

GESTURE = 1.0
"""Seconds between two moves of one gesture."""
LONG_GESTURE = 30.0
"""The same while a person holds the slider."""


class History:
    """The choices so far, at most `most`; a gesture, such as dragging a slider, is one choice."""

    def __init__(self, first: Choice, most: int = 100) -> None:
        self._past: list[Choice] = [first]
        self._future: list[Choice] = []
        self._most = most
        self._last_move = -math.inf
        self._moves = 0

    @property
    def now(self) -> Choice:
        """The current choice."""
        return self._past[-1]

    def note(self, choice: Choice, *, dragging: bool = False) -> None:
        """Add a choice; a move of the same gesture replaces the last one."""
        now = time.monotonic()
        same_gesture = dragging and now - self._last_move < (LONG_GESTURE if self._moves else GESTURE)
        self._last_move, self._moves = (now, self._moves + 1) if dragging else (-math.inf, 0)
        if choice == self.now:
            return
        if same_gesture and len(self._past) > 1:
            self._past[-1] = choice
        else:
            self._past = [*self._past, choice][-self._most :]
        self._future.clear()

    def end_gesture(self) -> None:
        """Note that a person releases a slider or a key; a gesture of several moves ends."""
        if self._moves != 1:
            self._last_move = -math.inf
        self._moves = 0

    def undo(self) -> Choice:
        """Go back to the previous choice, if there is one."""
        if self.can_undo:
            self._future.append(self._past.pop())
        return self.now

    def redo(self) -> Choice:
        """Restore the choice that was undone last."""
        if self.can_redo:
            self._past.append(self._future.pop())
        return self.now

    @property
    def can_undo(self) -> bool:
        """Whether there is a previous choice."""
        return len(self._past) > 1

    @property
    def can_redo(self) -> bool:
        """Whether a choice was undone."""
        return bool(self._future)
