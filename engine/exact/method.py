"""EXACT: the exact motion among the methods, so that it can be run, drawn and compared like them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algorithms.method import QUANTITIES, Method, register
from ..told import measured, told
from ..wording import sentence, short
from . import Cancelled, exact
from .reference import lost_words


def solve(question: Any) -> Any:
    """The exact motion at the wanted times; where it is a reference run, one that is fine enough."""
    _, Q = question.problem.principal
    start = question.problem.R0 @ Q, question.problem.Omega0 @ Q

    def told(done: int, total: int) -> None:
        question.progress(done * (len(question.times) - 1) // total, len(question.times) - 1)

    try:
        progress = told if question.progress is not None else None
        found = exact(question.problem, question.times, dt=question.dt, progress=progress, cancel=question.cancel)
    except ValueError as error:  # no reference run gets as far
        return question.answer(*(x[None] for x in start), status="no-solution", message=sentence(str(error)))
    except Cancelled:
        return question.answer(*(x[None] for x in start), status="cancelled")
    closed = "reference run" not in found.how
    if not found.known.all():
        n = int(found.known.argmin())
        text = sentence(lost_words(question.problem, found.t[n - 1]))
        return question.answer(found.R[:n] @ Q, found.Omega[:n] @ Q, status="no-solution", message=text)
    off = sentence(f"{found.how}; its attitude may be off by {short(found.estimate.attitude, 1)} rad")
    since = None
    if len(question.kept) > 1 and question.kept[1] > 1:  # the rows before are more than a step away
        since = np.full_like(found.R, np.nan)
        if closed:
            since[1:] = exact(question.problem, question.times[1:] - question.dt, dt=question.dt).R @ Q
    return question.answer(found.R @ Q, found.Omega @ Q, since=since, message="" if closed else off)


EXACT = register(
    Method(
        key="EXACT",
        name="The exact motion",
        family="Exact",
        summary=told(
            "The free body in Jacobi's elliptic functions and the symmetric top in theta functions; for [every other "
            "problem a run so fine that little but roundoff is lost], until that has grown too much.",
            measured("energy", ("asymmetric-top", "soft-wall", "magnet"), 0, 1e-9),
        ),
        equations=r"""
            \Pi_i(t) \propto \mathrm{cn},\ \mathrm{sn},\ \mathrm{dn}\,(\lambda t + \varepsilon \mid m), \quad
            \pi \text{ constant} \\
            \psi(t) = \frac{|\pi|}{J_3} t + \text{an elliptic integral of the third kind}""",
        reference="""@article{CelledoniFassoSafstromZanna2008,
  author  = {Celledoni, Elena and Fass{\\`o}, Francesco and S{\\"a}fstr{\\"o}m, Niklas and Zanna, Antonella},
  title   = {The exact computation of the free rigid body motion and its use in splitting methods},
  journal = {SIAM Journal on Scientific Computing},
  volume  = {30}, number = {4}, pages = {2084--2112}, year = {2008}, doi = {10.1137/070704393}}""",
        solve=solve,
        torque_evaluations=0,
        torque_of_velocity=True,
        reversible=True,
        symplectic=True,
        conserves=dict.fromkeys((name for name in QUANTITIES if not name.endswith("momentum")), "always"),
    )
)
