"""DOP853, RK45, RADAU and LSODA: SciPy's solvers, which choose their own steps, on the quaternion and Ω.

A tolerance takes the place of Δt. They follow the motion as closely as one likes and know nothing of it: energy,
momentum and the quaternion's length drift, slowly if the tolerance is small.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..algebra import Quat, Vec3, rotation_of
from ..spec import Number, Parameter
from ..told import TOPS, Defined, measured, told
from ..wording import short
from .euler import angular_acceleration
from .method import Method, register
from .runge_kutta_entries import quaternion_start
from .tableaux import HAIRER

MOST_STEPS = 500_000
"""Of the solver's own in one run: each is kept, since what is watched has to see it."""
STUCK, NOTHING = 1000, 1e-3
"""So many steps in a row, of each of which `MOST_STEPS` would not make this part of what is left, are the last."""
JUST_BEFORE = 1e-8
"""Part of the problem's step by which the end of a span is kept away from: there the torque is the next span's."""

TOLERANCES = (
    Parameter(
        "rtol",
        Number(3e-14, 1e-1),
        "the error wanted in each step, relative to the state",
        1e-8,
        label="Relative error in a step",
    ),
    Parameter(
        "atol", Number(0.0, 1e-1), "the error wanted in each step, absolute", 1e-10, label="Absolute error in a step"
    ),
)


def rates(body: Any, t: float, h: float, q: Quat, Ω: Vec3) -> tuple[Quat, Vec3]:
    """dq/dt = ½ q ⊗ Ω and dΩ/dt = J⁻¹ (JΩ × Ω + T)."""
    return 0.5 * (q @ Ω), angular_acceleration(body, body.torque(t, rotation_of(q), Ω), Ω)


def solve(question: Any, solver: str, rtol: float, atol: float, size: int = 7, shown: Any = None) -> Any:
    """The states at the wanted times, by the solver's own interpolation between its steps.

    size : how many numbers it is that change; `shown` makes what the question is answered with of (n, size) states.
    """
    from scipy import integrate

    shown = shown or in_space
    times, state = question.times, question.start(size)
    rows, between = [state], []
    steps, small, status, message = 0, 0, "done", ""
    for begin, end in question.spans():
        last = end - JUST_BEFORE * question.problem.dt
        begun = functools.partial(
            getattr(integrate, solver),
            lambda t, y, last=last: question.rates(min(t, last), y),
            begin, state, end, rtol=rtol, atol=atol,
        )  # fmt: skip
        with np.errstate(all="ignore"):
            one = begun()
            # LSODA sees for itself that a rate is no number; the others would try a step of no length without end.
            if not np.isfinite(getattr(one, "f", 0.0)).all():
                status = "diverged"
            elif not np.isfinite(getattr(one, "h_abs", 0.0)):
                one = begun(first_step=min(question.problem.dt, end - begin))
        while one.status == "running" and status == "done":
            with np.errstate(all="ignore"):  # what is not finite is seen below
                message = _stepped(one)
            past = question.failed is not None and one.t >= question.failed.t  # shorter steps may come nearer to it
            if one.status == "failed" or past or not np.isfinite(one.y).all():
                status = "diverged"
                break
            within = times[len(rows) : np.searchsorted(times, one.t, side="right")]
            if len(within):
                rows.extend(one.dense_output()(within).T)
            between.append((one.t, one.y))
            steps += 1
            small = small + 1 if (one.t - one.t_old) * MOST_STEPS < NOTHING * (end - one.t) else 0
            if not question.goes_on(one.t):
                status = "cancelled"
            elif one.status == "running" and (steps == MOST_STEPS or small == STUCK):
                status = "no-solution"
                why = "and takes no more in one run" if small < STUCK else "and its steps remain far too small"
                message = f"{solver} came to t = {short(one.t)} in {steps:,} steps of its own, {why}"
        state = one.y
    t, y = np.array([t for t, _ in between]), np.array([y for _, y in between]).reshape(-1, size)
    R, Ω = shown(np.array(rows))
    return question.answer(R, Ω, (t, *shown(y)), steps=steps, status=status, message=message)


def _stepped(solver: Any) -> str:
    """Make a step, and say why there is none; Radau's linear algebra raises where a rate is no number."""
    try:
        return solver.step() or ""
    except ValueError:
        solver.status = "failed"
        return ""


def in_space(states: Any) -> tuple[Any, Any]:
    """(n, 3, 3) attitudes and (n, 3) velocities of (n, 7) states, as they are: of no rotation if |q| is not 1."""
    R = rotation_of(Quat(*states[:, :4].T))
    return np.stack(list(R), axis=-1).reshape(-1, 3, 3), states[:, 4:]


SOLVERS = {
    "DOP853": (
        "Dormand and Prince's method of order 8",
        told(
            "Explicit, with [12 stages]; on tops RK45 evaluates the torque [{} times] as often with rtol = 10⁻⁹.",
            Defined("SciPy's DOP853"),
            measured("evaluations", TOPS, 2.2, 3.1, of="RK45(rtol=1e-9)", over="DOP853(rtol=1e-9)"),
        ),
        HAIRER,
    ),
    "RK45": (
        "Dormand and Prince's method of order 5",
        told("Explicit, with [7 stages]; what SciPy takes unless it is told otherwise.", Defined("SciPy's RK45")),
        """@article{DormandPrince1980,
  author  = {Dormand, John R. and Prince, Peter J.},
  title   = {A family of embedded {Runge}--{Kutta} formulae},
  journal = {Journal of Computational and Applied Mathematics},
  volume  = {6}, number = {1}, pages = {19--26}, year = {1980}, doi = {10.1016/0771-050X(80)90013-3}}""",
    ),
    "RADAU": (
        "Radau IIA of order 5",
        "Implicit, for stiff problems; it damps what it does not resolve.",
        """@book{HairerWanner1996,
  author    = {Hairer, Ernst and Wanner, Gerhard},
  title     = {Solving Ordinary Differential Equations {II}: Stiff and Differential-Algebraic Problems},
  publisher = {Springer}, edition = {2}, year = {1996}, doi = {10.1007/978-3-642-05221-7}}""",
    ),
    "LSODA": (
        "Adams and BDF methods of varying order",
        "Multistep, and it changes to its implicit side by itself where a problem turns stiff.",
        """@article{Petzold1983,
  author  = {Petzold, Linda},
  title   = {Automatic selection of methods for solving stiff and nonstiff systems of ordinary differential
             equations},
  journal = {SIAM Journal on Scientific and Statistical Computing},
  volume  = {4}, number = {1}, pages = {136--148}, year = {1983}, doi = {10.1137/0904010}}""",
    ),
}
"""SciPy's names in capitals, with what they are, what to know of them, and who made them."""

for _key, (_name, _summary, _reference) in SOLVERS.items():
    register(
        Method(
            key=_key,
            name=f"{_name}, adaptive",
            family="Adaptive",
            summary=_summary,
            equations=r"\dot q = \tfrac12 q \otimes \Omega, \quad J\dot\Omega = J\Omega \times \Omega + T",
            reference=_reference,
            solve=functools.partial(solve, solver="Radau" if _key == "RADAU" else _key),
            rates=rates,
            start=quaternion_start,
            options=TOLERANCES,
            torque_of_velocity=True,
            implicit=_key in ("RADAU", "LSODA"),
            conserves={"pi_chi": "symmetric tops"},
        )
    )
