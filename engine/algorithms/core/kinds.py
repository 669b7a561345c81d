"""The kinds of methods: with steps of a given size, with steps of their own, and solvers; how a file
declares one.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...parameters.parameter import Parameter
from ...text import SPACES, Proof
from .composition import Composition, find_composition
from .docstring import read_docstring
from .method import Method, register
from .promises import Promises
from .step_options import PRECISION, SUBSTEPS


class _Stepping(Method):
    """What methods have in common whose steps a kernel makes: the names of a step's parameters
    declare the state and the options.
    """

    room: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        names = list(self._takes)
        options = [option.name for option in self.step_parameters]
        unused = [option.name for option in self.options if option.name not in options]
        moved = SPACES[self.space].argument
        if names[:3] != [moved, "t", "h"] or names[len(names) - len(options) :] != options:
            raise ValueError(
                f"{self.key}: step takes ({moved}, t, h, state…, {', '.join(options)}); it has {names}"
            )
        if unused and self.given_options is None:
            raise ValueError(
                f"{self.key}: step does not take {', '.join(unused)}, and nothing else does"
            )
        self.state.check(self.key, self.carries)

    @functools.cached_property
    def _takes(self) -> tuple[str, ...]:
        """The names of the step's parameters, but for its room."""
        names = tuple(inspect.signature(self.function).parameters)
        return names[:-1] if self.room else names

    @functools.cached_property
    def step_parameters(self) -> tuple[Parameter, ...]:
        """The options that the step takes; the others change the declaration by `given_options`."""
        return tuple(option for option in self.options if option.name in self._takes)

    @functools.cached_property
    def carries(self) -> tuple[str, ...]:
        """The names of the variables of the state."""
        return self._takes[3 : len(self._takes) - len(self.step_parameters)]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FixedStep(_Stepping):
    """A method with steps of a given size.

    Attributes
    ----------
    step : `(body, t, h, *state, *options)` → the state one step later. The parameters' names
        declare the state: `R` or `q`, then `Ω`, `Π` or `π`, then further variables; then options.
    """

    step: Callable[..., Any]
    energy_correction: bool = False
    composition: Composition | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.declared.order is None:
            raise ValueError(f"{self.key}: a method with steps of a given size has an order")
        if self.substeps > 1 and (self.composition is not None or self.energy_correction):
            raise ValueError(
                f"{self.label} is composed or corrected, so its steps cannot be divided"
            )

    @property
    def function(self) -> Callable[..., Any]:
        """The step."""
        return self.step

    @functools.cached_property
    def promises(self) -> Promises:
        """What it promises: of a step that is divided, corrected or composed, less or more than
        declared.
        """
        found = self.declared
        if self.substeps > 1:
            found = found.with_held_torque()
        if self.energy_correction:
            found = found.with_energy_correction()
        return found if self.composition is None else found.composed(self.composition)

    @property
    def order_in_words(self) -> str:
        """The order of attitude and momentum, for a table."""
        return "/".join(map(str, self.order or ()))

    @functools.cached_property
    def all_options(self) -> tuple[Parameter, ...]:
        """Its own options and those of its steps."""
        return (*self.options, *self.state.step_options)

    @functools.cached_property
    def fits_lanes(self) -> bool:
        """Whether many bodies can make its steps side by side: those of one size."""
        return True

    @functools.cached_property
    def single(self) -> bool:
        """Whether steps compute with numbers of 32 bits."""
        return bool(PRECISION.meaning(self.chosen.get(PRECISION.name, PRECISION.default)))

    @property
    def substeps(self) -> int:
        """The number of steps in each Δt, over which the torque is held if there are several."""
        return int(self.chosen.get(SUBSTEPS.name, SUBSTEPS.default))

    @property
    def stages(self) -> tuple[tuple[float, float], ...]:
        """The parts of a step: the place of each in the step, and its size."""
        if self.composition is not None:
            return self.composition.stages
        return tuple((i / self.substeps, 1.0 / self.substeps) for i in range(self.substeps))

    def with_energy_correction(self) -> FixedStep:
        """The method with Buss's energy correction after each step; refused where that makes no
        sense.
        """
        if not self.state.has_energy:
            super().with_energy_correction()
        if self.substeps > 1:
            raise ValueError(
                f"the energy correction follows each step, and {self.label} divides a frame into several"
            )
        if self.promises.has_history is not None:
            raise ValueError(
                f"the energy correction does not fit {self.key}, which also carries {self.promises.has_history}"
            )
        if self.carries[0] != "R":
            raise ValueError(
                f"the energy correction turns a rotation matrix; {self.key} carries {self.carries[0]}"
            )
        if self.conserves.get("orthogonality") != "always":
            raise ValueError(
                f"the energy correction needs a rotation, and the R of {self.key} does not stay one"
            )
        return replace(self, energy_correction=True)

    def compose(self, name: str) -> FixedStep:
        """The method composed to a higher order; refused where that makes no sense."""
        composition = find_composition(name)
        promises = self.promises
        if self.composition is not None or self.substeps > 1:
            raise ValueError(f"{self.label} is composed already")
        if promises.reversible is not True:
            raise ValueError(
                f"a symmetric composition needs a time-reversible one-step method; {self.label} is none"
            )
        if promises.of_one_step:
            raise ValueError(
                f"{self.label} also carries {promises.has_history}, but a composition has steps of several sizes"
            )
        if set(promises.order or ()) != {2} or promises.free_order is not None:
            highest = max(promises.free_order or promises.order or ())
            raise ValueError(
                f"these compositions raise order two; {self.label} is of order {highest} already"
            )
        reference = f"{self.reference}\n{composition.reference}"
        return replace(self, composition=composition, reference=reference)


MOST_STEPS = 100_000
"""The largest number of own steps from one row to the next."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class OwnSteps(_Stepping):
    """A method that chooses its steps, in a kernel.

    Attributes
    ----------
    step : `(body, t, h, *state, *options)` → the state after a step of any size towards the row at
        the time t, or beyond; h is the time between rows. The third number of the state is its
        time.
    reach : with the same arguments, the state at the row.
    room : how many numbers of memory both receive as their last argument, if any. The first is nan
        until they write it; they may find all of them forgotten.
    step_together : `(body, t, R, Ω, most, *options)` → R and Ω after a step of bodies side by side,
        and its size, at most `most`; without branches on these. None if it has no such step.
    """

    adaptive = True

    step: Callable[..., Any]
    reach: Callable[..., Any]
    room: int = 0
    step_together: Callable[..., Any] | None = None

    @functools.cached_property
    def fits_lanes(self) -> bool:
        """Whether many bodies can make its steps side by side."""
        return self.step_together is not None

    @property
    def function(self) -> Callable[..., Any]:
        """The step."""
        return self.step

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """The step, the state at a row, and the step of bodies side by side."""
        together = () if self.step_together is None else (self.step_together,)
        return self.step, self.reach, *together


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Solver(Method):
    """A method that answers at given times, without steps of one size.

    Attributes
    ----------
    solve : `(question, **options)` → the states at the times of the question.
    """

    solve: Callable[..., Any]

    @property
    def function(self) -> Callable[..., Any]:
        """The solver."""
        return self.solve

    @property
    def carries(self) -> tuple[str, ...]:
        """The variables of its states."""
        return ("R", "Ω")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RateSolver(Solver):
    """A solver of differential equations, which chooses its steps by a tolerance.

    Attributes
    ----------
    rates : `(body, t, h, q, Ω)` → the rates that it integrates; for two bodies, of their state.
    """

    adaptive = True

    rates: Callable[..., Any]

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """The rates and the solver."""
        return self.rates, self.solve

    @property
    def carries(self) -> tuple[str, ...]:
        """The variables whose rates it integrates."""
        return ("q", "Ω")


def method(
    *, evidence: Sequence[Proof] = (), **declaration: Any
) -> Callable[[Callable[..., Any]], FixedStep]:
    """Declare the function below as the step of a method and register it (see `FixedStep` and
    `Promises` for the declaration).

    Its docstring has the summary, the equations and the reasons, unless the declaration has them
    (see `docstring.py`). `evidence` is for the parts in brackets, in their order.
    """
    return lambda step: register(
        FixedStep.declare(**({"step": step} | read_docstring(step, evidence) | declaration))
    )


def solver(
    *, evidence: Sequence[Proof] = (), **declaration: Any
) -> Callable[[Callable[..., Any]], RateSolver]:
    """Declare the function below as the solver of a method that chooses its steps, as `method`
    does.
    """
    return lambda solve: register(
        RateSolver.declare(**({"solve": solve} | read_docstring(solve, evidence) | declaration))
    )
