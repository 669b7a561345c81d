"""DOP853, RK45, RADAU and LSODA: SciPy's solvers, which choose their own steps, on the quaternion
and Ω.

A tolerance takes the place of Δt. They follow the motion as closely as you ask, without regard to
its invariants: energy, momentum and the quaternion's length drift, slowly if the tolerance is
small.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np

from ..algebra import Quat, Vec3, rotation_of
from ..parameters.parameter import Number, Parameter
from ..parameters.validation import Array
from ..problems.problem import AnyProblem
from ..text import TOPS, bibtex, declares, loses, measures, show, times, typically
from .core import Body, angular_acceleration, solver
from .runge_kutta_entries import start_with_quaternion

if TYPE_CHECKING:
    from scipy.integrate import OdeSolver

MOST_STEPS = 500_000
"""The largest number of the solver's own steps in one run: each is stored for the extrema."""
STUCK, NOTHING = 1000, 1e-3
"""A run ends after so many steps in a row of which `MOST_STEPS` would not cover this part of the
rest.
"""
JUST_BEFORE = 1e-8
"""Part of the problem's step by which rates stay clear of the end of a span, where the next span's
torque begins.
"""

TOLERANCES = (
    Parameter(
        "rtol",
        Number(3e-14, 1e-1),
        "the error wanted in each step, relative to the state",
        1e-8,
        label="Relative error in a step",
    ),
    Parameter(
        "atol",
        Number(0.0, 1e-1),
        "the error wanted in each step, absolute",
        1e-10,
        label="Absolute error in a step",
    ),
)
COMPILED_TOLERANCES = (replace(TOLERANCES[0], kind=Number(1e-15, 1e-1)), TOLERANCES[1])
"""Those of compiled methods, which reach roundoff; SciPy's solvers stop short of it."""


def rates(body: Body, t: float, h: float, q: Quat, Ω: Vec3) -> tuple[Quat, Vec3]:
    """dq/dt = ½ q ⊗ Ω and dΩ/dt = J⁻¹ (JΩ × Ω + T)."""
    return 0.5 * (q @ Ω), angular_acceleration(body, body.torque(t, rotation_of(q), Ω), Ω)


View = Callable[[Array], tuple[Array, Array]]
"""(n, size) states → their attitudes and velocities, as the answer to a question takes them."""


def view_quaternions(states: Array) -> tuple[Array, Array]:
    """(n, 3, 3) attitudes and (n, 3) velocities of (n, 7) states; no rotations where |q| is not
    1.
    """
    R = rotation_of(Quat(*states[:, :4].T))
    return np.stack(list(R), axis=-1).reshape(-1, 3, 3), states[:, 4:]


A = TypeVar("A")


class Question(Protocol[A]):
    """A run's question (`engine.simulation.continuous`): the states at some times; `answer` makes
    an A of them.
    """

    problem: AnyProblem
    times: Array
    failed: Any
    start: Callable[[int], Array]
    rates: Callable[[float, Array], Array]
    spans: Callable[[], list[tuple[float, float]]]
    goes_on: Callable[[float], bool]
    answer: Callable[..., A]


def solve(
    question: Question[A],
    solver: str,
    rtol: float,
    atol: float,
    size: int = 7,
    view: View = view_quaternions,
) -> A:
    """Answer a question (`engine.simulation.continuous`) by one of SciPy's solvers; a state is
    `size` numbers.
    """
    return Integration(question, solver, rtol, atol, size).answer(view)


class Integration(Generic[A]):
    """A run of one of SciPy's solvers: the states at the wanted times, and its own steps between
    them.
    """

    def __init__(
        self, question: Question[A], solver: str, rtol: float, atol: float, size: int
    ) -> None:
        self.question, self.solver = question, solver
        self.tolerances = {"rtol": rtol, "atol": atol}
        self.state: Array = question.start(size)
        self.rows = [self.state]
        self.between: list[tuple[float, Array]] = []
        self.small_steps = 0
        self.status, self.message = "done", ""

    def answer(self, view: View) -> A:
        """Integrate from one jump of the torque to the next, and return the requested values."""
        for begin, end in self.question.spans():
            self.integrate(begin, end)
            if self.status != "done":
                break
        t, y = np.array([t for t, _ in self.between]), np.array([y for _, y in self.between])
        R, Ω = view(np.array(self.rows))
        between = (t, *view(y.reshape(-1, len(self.state))))
        return self.question.answer(
            R, Ω, between, steps=len(self.between), status=self.status, message=self.message
        )

    def integrate(self, begin: float, end: float) -> None:
        """Make the solver's steps between two jumps of the torque."""
        one = self.make_solver(begin, end)
        while one.status == "running" and self.status == "done":
            self.step(one, end)
        self.state = one.y

    def make_solver(self, begin: float, end: float) -> OdeSolver:
        """SciPy's solver, ready for its first step."""
        from scipy import integrate

        last = end - JUST_BEFORE * self.question.problem.dt

        def rates_before(t: float, y: Array) -> Array:
            return self.question.rates(min(t, last), y)

        make = partial(
            getattr(integrate, self.solver), rates_before, begin, self.state, end, **self.tolerances
        )
        with np.errstate(all="ignore"):
            one = make()
            # LSODA detects a rate that is not finite; the others would try steps of length zero for
            # ever.
            if not np.isfinite(getattr(one, "f", 0.0)).all():
                self.status = "diverged"
            elif not np.isfinite(getattr(one, "h_abs", 0.0)):
                one = make(first_step=min(self.question.problem.dt, end - begin))
        return one

    def step(self, one: OdeSolver, end: float) -> None:
        """Make one step, store the wanted states within it, and find out whether the run goes
        on.
        """
        try:
            with np.errstate(all="ignore"):  # values that are not finite are looked for below
                self.message = one.step() or ""
        except ValueError:  # from Radau's linear algebra, where a rate is not finite
            one.status, self.message = "failed", ""
        failed = self.question.failed
        past = failed is not None and one.t >= failed.t  # shorter steps may come nearer to it
        if one.status == "failed" or past or not np.isfinite(one.y).all():
            self.status = "diverged"
            return
        times = self.question.times
        within = times[len(self.rows) : np.searchsorted(times, one.t, side="right")]
        if len(within):
            self.rows.extend(one.dense_output()(within).T)
        self.between.append((one.t, one.y))
        is_small = (one.t - one.t_old) * MOST_STEPS < NOTHING * (end - one.t)
        self.small_steps = self.small_steps + 1 if is_small else 0
        if not self.question.goes_on(one.t):
            self.status = "cancelled"
        elif one.status == "running" and (
            len(self.between) == MOST_STEPS or self.small_steps == STUCK
        ):
            self.status = "no-solution"
            why = (
                "its steps remain far too small"
                if self.small_steps == STUCK
                else "takes no more in one run"
            )
            steps = f"{len(self.between):,}"
            self.message = (
                f"{self.solver} reached t = {show(one.t)} in {steps} steps of its own, and {why}"
            )


adaptive = partial(
    solver,
    family="Adaptive",
    equations=r"\dot q = \tfrac12 q \otimes \Omega, \quad J\dot\Omega = J\Omega \times \Omega + T",
    rates=rates,
    start=start_with_quaternion,
    options=TOLERANCES,
    torque_of_velocity=True,
    conserves={"pi_chi": "symmetric tops"},
)
"""Declares one of the four solvers."""


@adaptive(
    key="DOP853",
    name="Dormand and Prince's method of order 8, adaptive",
    short="Dormand–Prince 8",
    reference=bibtex("HairerNorsettWanner1993"),
    evidence=(
        declares(of="RK-QUAT(tableau=dop853)", torque_evaluations=12),
        measures("evaluations", TOPS, 2.2, 3.1, of="RK45(rtol=1e-9)", over="DOP853(rtol=1e-9)"),
        loses("energy", "pi", "orthogonality"),
        typically("energy", "DOP853(rtol=1e-9)", 800, of="DOP853(rtol=1e-6)", steps=400),
    ),
)
def solve_by_dop853(question: Question[A], rtol: float, atol: float) -> A:
    """Explicit, with [12 stages]. With rtol = 10⁻⁹ RK45 evaluates the torque [{} times] as often on
    the slow, fast and Lagrange tops.

    - It makes each step as long as its estimate of the error allows. It [meets the tolerance, not
      the invariants of the motion].
    - So the energy error depends on the tolerance. With rtol = 10⁻⁶ it is [{} times] as large as
      with 10⁻⁹, in the median of random bodies.
    - Its steps change with the motion, which would spoil the long-time behaviour even of a
      reversible method.
    """
    return solve(question, "DOP853", rtol, atol)


@adaptive(
    key="RK45",
    name="Dormand and Prince's method of order 5, adaptive",
    short="Dormand–Prince 5",
    reference=bibtex("DormandPrince1980"),
    evidence=(
        loses("energy", "pi", "orthogonality"),
        typically("energy", "RK45(rtol=1e-9)", 600, of="RK45(rtol=1e-6)", steps=400),
        times("evaluations", "DOP853(rtol=1e-9)", TOPS, 2.2, 3.1, of="RK45(rtol=1e-9)"),
    ),
)
def solve_by_rk45(question: Question[A], rtol: float, atol: float) -> A:
    """Explicit; SciPy's default solver.

    - Two formulas of orders five and four share their stages, and their difference shows how long a
      step may be.
    - These formulas hold for any equations, so energy, momentum and |q| [are not conserved]. With
      rtol = 10⁻⁶ the energy error is [{} times that with 10⁻⁹] in the median of random bodies.
    - DOP853 has a higher order. With rtol = 10⁻⁹, it evaluates [{} times] DOP853's torques on the
      slow, fast and Lagrange tops.
    """
    return solve(question, "RK45", rtol, atol)


@adaptive(
    key="RADAU",
    name="Radau IIA of order 5, adaptive",
    short="Radau",
    reference=bibtex("HairerWanner1996"),
    implicit=True,
    evidence=(
        loses("energy"),
        times("evaluations", "DOP853(rtol=1e-9)", TOPS, 10, 14, of="RADAU(rtol=1e-9)"),
    ),
)
def solve_by_radau(question: Question[A], rtol: float, atol: float) -> A:
    """Implicit, for stiff problems; it damps what it does not resolve.

    - Its implicit stages end at the end of the step, which damps what the step does not resolve.
    - On a spinning body it damps the motion itself, so energy [is not conserved].
    - With a small tolerance that is little, at a high cost, because each step solves for three
      stages at once. With rtol = 10⁻⁹, it evaluates [{} times] DOP853's torques on the slow, fast
      and Lagrange tops.
    """
    return solve(question, "Radau", rtol, atol)


@adaptive(
    key="LSODA",
    name="Adams and BDF methods of varying order, adaptive",
    short="LSODA",
    reference=bibtex("Petzold1983"),
    implicit=True,
    evidence=(
        times("evaluations", "DOP853(rtol=1e-9)", TOPS, 0.73, 0.87, of="LSODA(rtol=1e-9)"),
        loses("energy", "pi", "orthogonality"),
    ),
)
def solve_by_lsoda(question: Question[A], rtol: float, atol: float) -> A:
    """Multistep; it switches to backward differentiation where a problem becomes stiff.

    - It extrapolates the past by polynomials of varying order and step. With rtol = 10⁻⁹ it takes
      [{} times] the evaluations of DOP853 on the slow, fast and Lagrange tops.
    - Each change of order or step leaves an error of the tolerance's size in energy, momentum and
      |q|: they [are not conserved].
    - The equations of a rigid body are not stiff, so it uses its Adams formulas. They are implicit,
      and it solves them by iterating the formula instead of by Newton's method.
    """
    return solve(question, "LSODA", rtol, atol)
