"""Systems: the protocol by which the rest of the engine runs one body, two, or an attitude with
given rates, and its implementations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from ..algorithms.core.method import Method
from ..kernels import Outcome, Parts
from ..problems.problem import AnyProblem
from . import given_rates, one_body, two_bodies
from .given_rates import GivenRatesRun
from .one_body import Run
from .request import RunRequest
from .setup import Setup
from .two_bodies import TwoBodyRun

RunOfSpace = Run | TwoBodyRun | GivenRatesRun
"""A run of any space."""


class System(Protocol):
    """The functions that a run needs; the problems and methods are those of its space."""

    @property
    def run_type(self) -> type[Run] | type[TwoBodyRun] | type[GivenRatesRun]:
        """The class of its runs."""

    def why_not(self, problem: Any, method: Method, dt: float) -> str | None:
        """Why the method cannot run on the problem with the step dt, as the end of a sentence; None
        if it can.
        """

    def find_fitting_dt(self, problem: Any, methods: Iterable[Method], dt: float) -> float:
        """The step nearest to dt that fits all methods, without those that no step fits."""

    def list_kernels(
        self, problem: Any, method: Method, dt: float, *, brief: bool = False
    ) -> list[Parts]:
        """The kernels that such a run compiles, perhaps a `brief` one; none if the method cannot
        run.
        """

    def list_kinds(self, problems: Iterable[Any] | None = None) -> Mapping[str, AnyProblem]:
        """A problem for each kind of torque, gravity or rate among these, by names that are the same in
        every process.

        Without problems, list the kinds of all problems.
        """

    def set_up(self, request: RunRequest, brief: bool = False) -> Setup:
        """The kernels of a request; `ValueError` if the method does not fit the problem.

        The kernel of a `brief` run is compiled soon, and its run has no extrema.
        """

    def list_remarks(self, request: RunRequest, outcome: Outcome) -> list[str]:
        """Sentences on the motion, besides those on how the run ended."""


SYSTEMS: dict[str, System] = {"so3": one_body, "se3": two_bodies, "rates": given_rates}
"""Systems by the space of a method or a problem."""
