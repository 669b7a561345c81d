"""Records: immutable objects that functions receive."""

from __future__ import annotations


class Record:
    """An object whose `__init__` fills its slots and that never changes, so that it can live in
    registers.
    """

    __slots__: tuple[str, ...] = ()
