"""One body and two: what the rest of the engine asks of either, and how a problem leads to its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from . import onebody, twobody
from .algorithms.method import Method
from .kernels.driver import Setting
from .kernels.layout import Place
from .kernels.parts import Parts
from .plan import Plan
from .problems.problem import Posed
from .run import AnyRun
from .spec import Parameter


class System(Protocol):
    """What moves; `engine.onebody` and `engine.twobody` are the two that there are.

    Problems and methods are those of its space; `run_type` is the class of its runs, and `has_exact` tells whether
    there is an exact motion (`engine.exact`) to compare them with.
    """

    run_type: type[Any]
    has_exact: bool

    def run_of(self, problem: Any, plan: Plan) -> AnyRun:
        """The run that a plan makes of a problem."""

    def why_not(self, problem: Any, method: Method, dt: float) -> str | None:
        """Why the method cannot run on the problem with the step dt, as the end of a sentence; None if it can."""

    def kernels(self, problem: Any, method: Method, dt: float) -> list[Parts]:
        """What such a run compiles: nothing if the method cannot run."""

    def kinds(self, problems: Iterable[Any] | None = None) -> Mapping[str, Posed]:
        """A problem for each kind of torque or gravity among these, by names that every process knows.

        Without problems, for every kind that there is.
        """

    @property
    def portable(self) -> Portable:
        """What of its runs is written into WebAssembly."""


class Portable(Protocol):
    """What a run without Python is made of (see `web.py`)."""

    def kernel(self, problem: Any, method: Method, dt: float) -> tuple[Parts, Setting, Mapping[str, Place]]:
        """What a kernel is made of that calls nothing of this process, what it is given, where a row has what."""

    def axes_of(self, problem: Any) -> dict[str, list[float]]:
        """The series that a kernel has in principal axes, and those axes, by rows, as columns."""

    def given_of(self, problem: Any) -> dict[str, tuple[Parameter, list[float]]]:
        """What a run begins with, in numbers, by the names of parameters."""

    def beginning(self, problem: Any, chosen: Mapping[str, Place]) -> Callable[..., None]:
        """A function (given, dt, parameters, initial) that writes what a kernel is given."""


SYSTEMS: dict[str, System] = {"so3": onebody, "se3": twobody}
"""By the space that a method or a problem names."""


def system_of(what: Method | Posed) -> System:
    """The system of a problem or of a method."""
    return SYSTEMS[what.space]
