"""Functions whose derivatives are computed from another form of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Form = TypeVar("Form", bound=Callable[..., Any])

DIFFERENTIABLE: dict[Callable[..., Any], Callable[..., Any]] = {}
"""For each such function, the form with derivatives everywhere."""


def differentiate_as(other: Callable[..., Any]) -> Callable[[Form], Form]:
    """Declare that the derivatives of the function below are those of another one, which computes
    the same in a way that has derivatives at every state.
    """

    def declare(function: Form) -> Form:
        DIFFERENTIABLE[function] = other
        return function

    return declare
