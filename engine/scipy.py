"""Problems and methods for SciPy's `solve_ivp`, with its events and its dense output.

>>> from scipy.integrate import solve_ivp
>>> from engine.scipy import Motion, Solver
>>> motion = Motion("slow-top")
>>> solve_ivp(motion, (0, 1), motion.start, method=Solver("NMB"), dt=0.01).y.shape
(7, 101)
>>> solve_ivp(motion, (0, 1), motion.start, method="DOP853").success
True
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from scipy.integrate import DenseOutput, OdeSolver
from scipy.interpolate import CubicHermiteSpline

from .algorithms.core.method import Method, find_method
from .parameters.validation import Array
from .problems.problem import Problem, find_problem
from .simulation import Steps, make_request, one_body, simulate, to_quaternions
from .simulation.continuous import Question

__all__ = ["Motion", "Solver"]


class Motion:
    """The rates of (q, Ω), which `solve_ivp` integrates: q is the attitude, scalar first, Ω is in
    the body's frame.

    Attributes
    ----------
    problem : the problem of one body, with the changes.
    start : (7,) the state at time 0.
    """

    def __init__(self, problem: str | Problem, /, **changes: Any) -> None:
        self.problem = find_problem(problem, Problem, **changes)
        request = make_request(self.problem, "DOP853", Steps())
        self._question = Question(request, one_body.set_up(request), None, None)
        Q = self.problem.principal[1]
        w, x, y, z = to_quaternions(Q[None])[0]
        self._into_principal_axes = np.zeros(
            (7, 7)
        )  # q by the product with the quaternion of Q, Ω by Qᵀ
        self._into_principal_axes[:4, :4] = [
            [w, -x, -y, -z],
            [x, w, z, -y],
            [y, -z, w, x],
            [z, y, -x, w],
        ]
        self._into_principal_axes[4:, 4:] = Q.T
        self.start: Array = self._into_principal_axes.T @ self._question.start(7)

    def __call__(self, t: float, state: Array) -> Array:
        """(7,) the rates of a state at time t."""
        rates: Array = self._into_principal_axes.T @ self._question.rates(
            t, self._into_principal_axes @ state
        )
        return rates


def Solver(method: str | Method, /, **options: Any) -> type[OdeSolver]:
    """A method, with its options, as the argument `method` of `solve_ivp`.

    `solve_ivp` takes the step as its argument `dt`; the step becomes a little smaller if the span
    is not a multiple of it. Dense output interpolates between steps by cubic Hermite polynomials.
    """
    chosen = find_method(method, space="so3", **options)
    if chosen.adaptive:
        raise ValueError(
            f"{chosen.label} chooses its own steps, as SciPy's do; Solver is for steps of one size"
        )
    return type(f"Solver({chosen.label})", (_EqualSteps,), {"chosen": chosen})


class _EqualSteps(OdeSolver):  # type: ignore[misc]  # SciPy has no types
    """The steps of a run, which the engine makes all at once, handed out one by one."""

    chosen: ClassVar[Method]
    y: Array

    def __init__(
        self,
        fun: Any,
        t0: float,
        y0: Array,
        t_bound: float,
        vectorized: bool = False,
        dt: float | str | None = None,
    ) -> None:
        if not isinstance(fun, Motion):
            raise ValueError(
                f"{self.chosen.label} needs the problem: give solve_ivp a Motion, as Motion('slow-top')"
            )
        if t0 != 0 or t_bound <= 0:
            raise ValueError("t_span must begin at 0 and end later")
        super().__init__(fun, t0, y0, t_bound, vectorized)
        h = make_request(fun.problem, self.chosen, Steps(dt, steps=1)).dt
        steps = math.ceil(t_bound / h * (1 - 1e-12))
        problem = fun.problem.replace(R0=self.y[:4], Omega0=self.y[4:])
        self._run = simulate(problem, self.chosen, dt=t_bound / steps, steps=steps, every=1)
        q = to_quaternions(self._run.R)
        self._states = np.hstack([math.copysign(1.0, q[0] @ self.y[:4]) * q, self._run.Omega])
        self._row = 0
        self.nfev = self._run.cost.torque_evaluations

    def _step_impl(self) -> tuple[bool, str | None]:
        if self._row + 1 == len(self._states):
            return False, " ".join(self._run.messages)
        self._row += 1
        last = self._row == len(self._states) - 1 and self._run.status == "done"
        self.t = self.t_bound if last else float(self._run.t[self._row])
        self.y = self._states[self._row]
        return True, None

    def _dense_output_impl(self) -> DenseOutput:
        return _Between(self)


class _Between(DenseOutput):  # type: ignore[misc]
    """Cubic polynomials that agree with the states and the rates at both ends of a step."""

    def __init__(self, solver: _EqualSteps) -> None:
        super().__init__(solver.t_old, solver.t)
        times = [solver.t_old, solver.t]
        states = solver._states[solver._row - 1 : solver._row + 1]
        rates = [solver.fun(t, y) for t, y in zip(times, states, strict=True)]
        self._polynomials = CubicHermiteSpline(times, states, rates)

    def _call_impl(self, t: Any) -> Array:
        values: Array = self._polynomials(t).T
        return values
