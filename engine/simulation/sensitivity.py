"""`differentiate_step`: exact derivatives of a step, or of several, by the start, the inertia and
the step size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from ..algorithms.core import FixedStep, Method
from ..kernels import (
    NEVER,
    build,
    compiles,
    inline_field,
    is_compiled,
    layout,
    make_parts,
    tangents,
)
from ..parameters.validation import Array
from ..problems.problem import Action, Problem
from . import one_body
from .request import Steps
from .simulate import make_request

DIRECTIONS = 3
"""The directions that a kernel differentiates by at once."""


@dataclass(frozen=True, eq=False)
class StepDerivatives:
    """The state after a step, or several, and its derivatives.

    Rows are the turn δ of R exp(δ) in the body's frame, and Π; columns are those at the start, or
    the moments. If a method leaves the rotations, the turn at the end is that of the rotation
    nearest to its R.

    Attributes
    ----------
    R : (3, 3), the attitude at the end; nan if there is none.
    Pi : (3,), the body momentum there.
    by_R, by_Pi : (6, 3), by a turn of the start, and by its Π.
    by_Omega0 : (6, 3), by the velocity at the start.
    by_J : (6, 3), by the principal moments, with R and Π at the start fixed.
    by_dt : (6,), by the step size.
    """

    R: Array
    Pi: Array
    by_R: Array
    by_Pi: Array
    by_Omega0: Array
    by_J: Array
    by_dt: Array


def differentiate_step(
    problem: str | Problem,
    method: str | Method,
    /,
    *,
    dt: float | None = None,
    steps: int = 1,
    **options: Any,
) -> StepDerivatives:
    """Differentiate the map of one step, or of several, without differences.

    >>> import engine
    >>> engine.differentiate_step("slow-top", "NMB", dt=0.01).by_dt.shape
    (6,)

    `problem` and `method` are as in `simulate`. `ValueError` for a method or a torque that cannot
    be differentiated. A few steps have no derivative at special states: OSCULATING's by the
    velocity at a steady spin of a body without symmetry, DISCRETE-GRADIENT's where a top spins
    about the vertical, and by the moments, where two are equal, those of methods that choose an
    order of axes (DEDICATED, TOUMA-WISDOM); the result is then that of one side.
    """
    request = make_request(
        problem, method, Steps(dt, steps=steps, every=max(1, steps)), options=options
    )
    body = cast(Problem, request.problem)
    stepper = Tangents(body, request.method, request.dt, parameters_too=True)
    Q, J = body.principal[1], np.asarray(body.J)
    into = np.zeros((tangents.SEEDS, tangents.SEEDS))
    into[:3, :3] = into[3:6, 3:6] = Q.T
    into[6:, 6:] = np.eye(4)
    R, Omega, D = stepper.differentiate(request.dt, request.steps, into)
    D[:3] = Q @ D[:3]
    D[3:] = Q @ D[3:]
    return StepDerivatives(
        R @ Q.T, J @ (Q @ Omega), D[:, :3], D[:, 3:6], D[:, 3:6] @ J, D[:, 6:9], D[:, 9]
    )


class Tangents:
    """A method's steps on one problem with their derivatives, in principal axes."""

    def __init__(
        self,
        problem: Problem,
        method: Method,
        dt: float,
        *,
        directions: int = DIRECTIONS,
        parameters_too: bool = False,
    ) -> None:
        reason = find_obstacle(problem, method)
        if reason:
            raise ValueError(
                f"{method.label} on {problem.label} cannot be differentiated: {reason}"
            )
        action = problem.action(dt)
        if problem.torque is not None:
            action = Action(inline_field(problem.torque, problem.acting_potential))
        misfit = one_body.find_misfit(method, action.field)
        if misfit is not None:
            raise ValueError(f"{problem.label}: {misfit}")
        ready = one_body.prepare_kernel(problem, method, action, True)
        action = one_body.turn_to_principal_axes(problem, action)
        parts = make_parts(method, action.field)
        parts = tangents.add_derivatives(parts, directions, parameters_too)
        kernel = build.compile_kernel(parts, method.label)
        self.directions = directions
        if kernel is None:
            raise ValueError(
                f"{method.label} cannot be differentiated: the text of its step cannot be read"
            )
        self._kernel = kernel
        self._parameters = ready.parameters
        self.initial = ready.initial

    def advance(
        self,
        h: float,
        steps: int,
        seeds: Array,
        initial: Array,
        stop: Any = NEVER.flag,
        momentum: float = 1.0,
    ) -> tuple[Array, float]:
        """Make steps of h; write the derivatives to `seeds`, and return R and Ω, and the logarithm
        of the growth, where changes of Π are relative to a `momentum`.
        """
        state = np.zeros(layout.STATE)
        ledger = np.zeros(layout.LEDGER, dtype=np.int64)
        state[: layout.ONE_BODY.size], growth = initial, np.array([momentum])
        arrays = state, self._parameters, ledger, stop, seeds.reshape(-1), np.zeros(1), growth
        with np.errstate(all="ignore"):
            self._kernel(*[array.ctypes.data for array in arrays], h, steps, 1)
        return state[: layout.ONE_BODY.size], float(growth[0])

    def differentiate(
        self, h: float, steps: int, into: Array, initial: Array | None = None
    ) -> tuple[Array, Array, Array]:
        """Return R, Ω and the derivatives of turn and Π in the directions that are the columns of
        `into`.
        """
        columns = []
        end = start = self.initial if initial is None else initial
        for at in range(0, into.shape[1], self.directions):
            seeds = np.zeros((tangents.SEEDS, self.directions))
            some = into[:, at : at + self.directions]
            seeds[: len(some), : some.shape[1]] = some
            end, _ = self.advance(h, steps, seeds, start)
            columns.append(seeds[:6, : some.shape[1]])
        return end[:9].reshape(3, 3), end[9:], np.hstack(columns)


def find_obstacle(problem: Any, method: Method) -> str:
    """Return why a method on a problem cannot be differentiated; empty if it can."""
    if not compiles():
        return "dual numbers need compiled kernels, and compiling is switched off or llvmlite is missing"
    if problem.space != "so3":
        return "only the motion of one body is"
    if not isinstance(method, FixedStep) or method.substeps > 1 or method.single:
        return "its steps are adaptive, in frames or of 32 bits"
    if not is_compiled(problem.torque, problem.acting_potential):
        return "write the torque as a formula, or decorate it with engine.torque"
    return ""


def fast_lyapunov_indicator(run: Any) -> float:
    """Return the largest logarithm of the growth of a deviation during the run's motion (Froeschlé
    et al. 1997).

    It grows as the logarithm of time on a regular motion and as time on a chaotic one. The length
    of a deviation is that of the turn and of the change of Π relative to `measure_momentum`. The
    deviation at the start has equal parts along the axes of space, so that the result does not
    depend on the body's axes.
    """
    body = run.problem
    stepper = Tangents(run.problem, run.method, run.dt, directions=1)
    momentum = measure_momentum(run)
    along = 6**-0.5 * (body.R0 @ body.principal[1]).T @ np.ones(3)
    seeds = np.zeros((tangents.SEEDS, 1))
    seeds[:6, 0] = np.concatenate([along, momentum * along])
    start = stepper.initial
    return stepper.advance(run.dt, run.steps, seeds, start, momentum=momentum)[1]


AT_REST = 1e-12
"""The part of a radian by which roundoff of a torque may turn a body that stays at rest."""


def measure_momentum(run: Any) -> float:
    """Return the momentum that a run's changes of momentum are relative to: |Π| at the start; of a
    body that is released from rest, the largest; of one that stays at rest, that of a turn by a
    radian during the run.
    """
    body = run.problem
    first, largest = float(np.linalg.norm(body.Pi0)), float(run.extrema["pi_norm"].max)
    turn = float(body.principal[0].max()) / (float(run.t[-1]) or 1.0)
    return first or (largest if largest > AT_REST * turn else turn)
