"""Objects that functions are handed."""

from __future__ import annotations


class Record:
    """An object with slots that its `__init__` fills and nothing changes later, so that it can be in registers."""

    __slots__: tuple[str, ...] = ()
