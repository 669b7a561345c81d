"""Undo and redo of choices."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from .view import DEFAULT_VIEW, View

C = TypeVar("C")
"""What is chosen: a choice of runs, or a question."""
Entry = tuple[C, View | None]
"""A choice, with the view on the other side of the step to it if that step changes the view."""

GESTURE = 1.0
"""Seconds between two moves of one gesture."""
LONG_GESTURE = 30.0
"""The same while a person holds the slider."""


class History(Generic[C]):
    """The choices so far, at most `most`; a gesture, such as dragging a slider, is one choice."""

    def __init__(self, first: C, most: int = 100) -> None:
        self._past: list[Entry[C]] = [(first, None)]
        self._future: list[Entry[C]] = []
        self._most = most
        self._last_move = -math.inf
        self._moves = 0

    @property
    def now(self) -> C:
        """The current choice."""
        return self._past[-1][0]

    @property
    def past(self) -> tuple[C, ...]:
        """The choices before the current one, the oldest first."""
        return tuple(choice for choice, _ in self._past[:-1])

    @property
    def future(self) -> tuple[C, ...]:
        """The choices that can be redone, the next one last."""
        return tuple(choice for choice, _ in self._future)

    def take_over(self, past: Sequence[C], future: Sequence[C]) -> None:
        """Put choices of an earlier page before all others; those that were undone there can be
        redone, unless something has been chosen here.
        """
        if len(self._past) == 1:
            undone: list[Entry[C]] = [(choice, None) for choice in future]
            self._future = undone[-self._most :]
        before: list[Entry[C]] = [(choice, None) for choice in past]
        self._past = [*before, *self._past][-self._most :]

    def note(self, choice: C, *, dragging: bool = False, left: View | None = None) -> None:
        """Add a choice; a move of the same gesture replaces the last one.

        `left` is the view of the choice before, if the new one comes with a view of its own.
        """
        now = time.monotonic()
        same_gesture = dragging and now - self._last_move < (
            LONG_GESTURE if self._moves else GESTURE
        )
        self._last_move, self._moves = (now, self._moves + 1) if dragging else (-math.inf, 0)
        if choice == self.now:
            return
        if same_gesture and len(self._past) > 1:
            self._past[-1] = choice, None
        else:
            self._past = [*self._past, (choice, left)][-self._most :]
        self._future.clear()

    def amend(self, choice: C) -> None:
        """Put a choice in the place of the current one, which it completes."""
        self._past[-1] = choice, self._past[-1][1]

    def forget(self, is_gone: Callable[[C], bool]) -> None:
        """Leave out the choices that cannot be made any more, except the current one."""
        *past, now = self._past
        self._past = [*(one for one in past if not is_gone(one[0])), now]
        self._future = [one for one in self._future if not is_gone(one[0])]

    def end_gesture(self) -> None:
        """Note that a person releases a slider or a key; a gesture of several moves ends."""
        if self._moves != 1:
            self._last_move = -math.inf
        self._moves = 0

    def undo(self, view: View = DEFAULT_VIEW) -> View | None:
        """Go back to the previous choice, if there is one; return its view if that is not `view`,
        the current one.
        """
        return _move(self._past, self._future, view) if len(self._past) > 1 else None

    def redo(self, view: View = DEFAULT_VIEW) -> View | None:
        """Restore the choice that was undone last; return its view if that is not `view`, the
        current one.
        """
        return _move(self._future, self._past, view) if self._future else None


def _move(entries: list[Entry[C]], to: list[Entry[C]], view: View) -> View | None:
    """Move the last entry; it keeps the current view in place of the one to show."""
    choice, other = entries.pop()
    to.append((choice, view if other else None))
    return other
