"""A step that is written out does what the method does, in Python that stands by itself and in signs."""

from __future__ import annotations

import contextlib
import io
from itertools import chain
from math import cos

import numpy as np
import pytest

import engine
from engine.algebra import Diag3, Mat3, Quat, Vec3
from engine.algorithms.method import Method
from engine.facts import WHERE_USED
from engine.kernels.one_body import euler_ratios
from engine.listing import NotWritten, lines_of, pseudo_code, python

MOMENTS, OMEGA, DT, STEPS = (1.0, 2.0, 2.8), (1.2, 1.9, 1.5), 1 / 20, 15
RULES = dict.fromkeys(
    chain.from_iterable((m.key, *m.variants) for m in engine.algorithms() if m.family in WHERE_USED)
)
OTHERS = ("MR2", "MR2(trig=cayley)", "KDK", "KB", "VLV", "BUSS2", "NMB", "RKMK", "CF4", "MR4")


class Body:
    """What a step is given, in plain Python; in principal axes, with a torque of time, attitude and perhaps Ω."""

    J = Diag3(*MOMENTS)
    Jinv, ratios = J.inv, euler_ratios(J)

    def torque(self, t: float, R: Mat3, Ω: Vec3 | None = None) -> Vec3:
        """Of a size that tells."""
        return R.T @ Vec3(0.3 * cos(t), 0.5, 0.4) + (-0.1 * Ω if Ω is not None else Vec3(0.0, 0.0, 0.0))

    def count_newton(self, iterations: int) -> None:
        """Nothing."""


def ours(t: float, R: np.ndarray, Ω: np.ndarray | None = None) -> np.ndarray:
    """The same torque for the program."""
    return R.T @ np.array([0.3 * np.cos(t), 0.5, 0.4]) - (0.1 * Ω if Ω is not None else 0.0)


def stepped(method: Method) -> list[np.ndarray]:
    """What the method's own step carries in the end."""
    body, R, t = Body(), Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), 0.0
    values = method.option_values()
    options = [option.meaning(values[option.name]) for option in method.handed_on]
    Ω = Vec3(*OMEGA)
    state = method.start(body, t, DT, R, Ω, *options) if method.start else (R, Ω)
    if method.start is None and method.carries[1] == "Π":
        state = R, body.J @ Ω
    for _ in range(STEPS):
        state = method.step(body, t, DT, *state, *options)
        t += DT
    return [np.array([*part][1:] + [part.w] if isinstance(part, Quat) else [*part]) for part in state]


@pytest.mark.parametrize("name", [*RULES, *OTHERS])
def test_a_program_ends_where_the_method_does(name):
    method = engine.algorithm(name)
    program = python(method, MOMENTS, OMEGA, DT, STEPS).replace("np.zeros(3)", "ours(t, R, Ω)", 1)
    names = {"ours": ours}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(program, name, "exec"), names)
    for carried, there in zip(method.carries, stepped(method), strict=True):
        np.testing.assert_allclose(np.ravel(names[carried]), there, rtol=1e-9, atol=1e-11, err_msg=carried)
    assert name == "MR4" or lines_of(method) < 25
    steps = pseudo_code(method).partition("each step")[2].partition("\n\n")[0]
    assert not set("@*'\"") & set(steps) and all(line.partition(" ← ")[0].strip() for line in steps.splitlines())


def test_what_cannot_be_written_out_is_refused_with_the_reason():
    for name, said in (("PDMV", "If"), ("MR2*yoshida4", "more than one step"), ("IMID", "torque_tangent")):
        with pytest.raises(NotWritten, match=said):
            python(engine.algorithm(name), MOMENTS, OMEGA, DT, 1)
