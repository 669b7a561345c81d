"""Mistakes in arguments, by the names of these."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class ArgumentError(ValueError):
    """A mistake in arguments, or the lack of one.

    The message has an example of each argument that has one. A form shows `why` without these, and
    marks the fields of `arguments`.
    """

    def __init__(self, why: str, *names: str, **examples: str) -> None:
        such = " ".join(f"{name}={example}" for name, example in examples.items())
        super().__init__(f"{why}, as in {such}" if such else why)
        self.why = why
        self.arguments = (*names, *examples)


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Name the argument that a `ValueError` is about."""
    try:
        yield
    except ValueError as error:
        raise ArgumentError(str(error), name) from None
