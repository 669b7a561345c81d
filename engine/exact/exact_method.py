"""EXACT: the exact motion as a method, to run, plot and compare like the others."""

from __future__ import annotations

from typing import cast

import numpy as np

from ..algorithms.core import QUANTITIES, Solver, register
from ..algorithms.core.docstring import read_docstring
from ..kernels import Cancelled
from ..problems.problem import Problem
from ..simulation.continuous import Answer, Question
from ..text import bibtex, finish_sentence, measures, show
from .motion import exact
from .reference import describe_loss


def solve(question: Question) -> Answer:
    r"""The free body in Jacobi's elliptic functions and the symmetric top in theta functions.
    [Every other problem has a reference run, in which little but roundoff is lost]. It ends where
    roundoff has grown too much.

    .. math::
        \Pi_i(t) \propto \mathrm{cn},\ \mathrm{sn},\ \mathrm{dn}\,(\lambda t + \varepsilon \mid m), \quad
        \pi \text{ constant} \\
        \psi(t) = \frac{|\pi|}{J_3} t + \text{an elliptic integral of the third kind}

    - Euler found the path of a free body's momentum: the curve where the sphere of |Π| meets the
      ellipsoid of the energy. Jacobi found how fast it moves, in elliptic functions.
    - A symmetric top's attitude has a formula as well, in theta functions. Each state is evaluated
      anew at its time, so that no error adds up.
    - Where the motion has no formula, as with the asymmetric top, a reference run with very small
      steps takes its place. It [loses little but roundoff], and ends when roundoff has grown too
      much.
    """
    problem = cast(Problem, question.problem)
    t = question.times
    dt = question.dt
    Q = problem.principal[1]
    R0, Omega0 = (problem.R0 @ Q)[None], (problem.Omega0 @ Q)[None]

    def report(done: int, total: int) -> None:
        if question.progress is not None:
            question.progress(done * (len(t) - 1) // total, len(t) - 1)

    try:
        motion = exact(problem, t, dt=dt, progress=report, cancel=question.cancel)
    except ValueError as error:  # no reference run gets as far
        return Answer(R0, Omega0, status="no-solution", message=finish_sentence(str(error)))
    except Cancelled:
        return Answer(R0, Omega0, status="cancelled")
    if not motion.is_known.all():
        n = int(motion.is_known.argmin())
        message = finish_sentence(describe_loss(problem, float(t[n - 1])))
        return Answer(motion.R[:n] @ Q, motion.Omega[:n] @ Q, status="no-solution", message=message)
    closed = "reference run" not in motion.how
    since = None
    if len(t) > 1 and question.row_steps[1] > 1:  # the row before is more than a step away
        since = np.full_like(motion.R, np.nan)
        if closed:
            since[1:] = exact(problem, t[1:] - dt, dt=dt).R @ Q
    off = (
        f"This is {motion.how}. Its attitude may be off by {show(motion.estimate.attitude, 1)} rad."
    )
    return Answer(motion.R @ Q, motion.Omega @ Q, since=since, message="" if closed else off)


EVIDENCE = (
    measures("energy", ("asymmetric-top", "soft-wall", "magnet"), 0, 1e-9),
    measures("energy", ("asymmetric-top",), 0, 1e-9),
)
EXACT = register(
    Solver.declare(
        key="EXACT",
        name="The exact motion",
        short="Exact motion",
        family="Exact",
        reference=bibtex("CelledoniFassoSafstromZanna2008"),
        solve=solve,
        torque_evaluations=0,
        torque_of_velocity=True,
        reversible=True,
        symplectic=True,
        conserves=dict.fromkeys(
            (name for name in QUANTITIES if not name.endswith("momentum")), "always"
        ),
        **read_docstring(solve, EVIDENCE),
    )
)
