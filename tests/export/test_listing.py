"""Programs to paste: a step in standalone Python equals the method; and pseudo-code."""

from __future__ import annotations

import contextlib
import io
from collections import ChainMap
from itertools import product
from typing import Any

import numpy as np
import pytest
from covering import covering, first

import engine
from engine.algebra import exp, log
from engine.algorithms import FixedStep, Method
from engine.export.program import NotInlined, count_lines, write_pseudo_code, write_python

MOMENTS = (1.0, 2.0, 2.8)
OMEGA = (1.2, 1.9, 1.5)
DT = 1 / 20
STEPS = 15
HALF_A_TURN = np.diag([1.0, -1.0, -1.0])
WRITTEN = (
    "NMB", "ELN", "SW", "KDK", "VLV", "LIEMID-E1", "LIEMID-E2", "LIEMID-EA", "MR2", "MR4", "KB", "TERZE", "CF4",
    "RKMK", "BUSS1", "BUSS2", "BUSS2-AUG", "BUSS5", "BUSS6", "SW-BUSS", "CARRIED", "OSCULATING", "SEMI-EULER",
    "RK-MEAN", "RK-VECTOR", "MIDPOINT-HELD", "VERLET-QUAT", "NEWTON-1", "LINEAR-EULER", "RESTORED", "MOREAU-JEAN",
    "VERLET-LAGGED", "HALVES", "VERLET-SINE", "OMELYAN", "SPIRAL", "RICHARDSON", "FINCHAM", "ZHAO-WACHEM",
    "HIROTA-KIMURA",
    "RK4-MATRIX", "RK2-MATRIX", "RK4-QUAT", "RK-QUAT",
)  # fmt: skip
LONG = ("LIEMID-EA", "MR4", "BUSS5", "BUSS6", "RK-QUAT")
"""Those of more than 30 lines."""
NAMES = tuple(name for key in WRITTEN for name in (key, *engine.algorithm(key).variants))
NUMBERS = {
    "damping": 0.5, "max_speed": 2.0, "max_component": 1.5, "max_turn": 0.08,
    "beta": 0.3, "gamma": 0.6, "zeta": 0.4, "alpha_m": 0.3,
    "alpha_f": 0.4,
}  # fmt: skip
"""A value of each option that is a number, other than its default; the limits change each step of
the motion here.
"""
LIMITED = (
    "SEMI-EULER(damping=0.5, max_speed=2)", "RESTORED(damping=0.5, max_speed=2)",
    "RESTORED(gyroscopic=after, map=cay, damping=0.5, max_turn=0.08)", "NEWTON-1(max_turn=0.08)",
)  # fmt: skip
SINGLE_AND_DIVIDED = (
    "KDK",
    "MR2(trig=cayley)",
    "BUSS5",
    "HALVES",
    "RK-QUAT",
    "SW-BUSS",
    "FINCHAM",
    "LIEMID-E1",
)


def combinations(key: str) -> list[Method]:
    """The method with each choice of its options, 64 and 32 bits, one and three steps in a
    frame.
    """
    method = engine.algorithm(key)
    numbers = {o.name: NUMBERS[o.name] for o in method.options if not o.choices}
    chosen = [[{o.name: value} for value in o.choices] for o in method.options if o.choices]
    limits = [{}, numbers] if numbers else [{}]
    if {"max_speed", "max_turn"} <= numbers.keys():  # the smaller one hides the other
        limits.append({**numbers, "max_turn": 0.0})
    how = [[{"precision": "double"}, {"precision": "single"}], [{"substeps": 1}, {"substeps": 3}]]
    found = [method.with_options(**ChainMap(*each)) for each in product(*chosen, limits, *how)]
    assert len(found) >= 4
    return found


def in_space(t: Any, R: Any) -> Any:
    """A torque in space that is large enough to matter."""
    return np.array([0.3 * np.cos(t), 0.5, 0.4]) + R @ np.array([0.2, 0.0, 0.1])


def with_drag(t: Any, R: Any, Ω: Any) -> Any:
    """The same with drag, for methods that take it."""
    return in_space(t, R) - 0.1 * (R @ Ω)


def ends_where_the_method_does(method: Method, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare R and Ω at the end of the program and of the run, which is plain Python."""
    free = method.key in ("BUSS5", "BUSS6")
    torque, given = (
        (with_drag, "t, R, Ω") if method.promises.torque_of_velocity else (in_space, "t, R")
    )
    program = write_python(method, MOMENTS, OMEGA, DT, STEPS, HALF_A_TURN)
    if not free:
        program = program.replace("[0.0, 0.0, 0.0]", f"R.T @ {torque.__name__}({given})", 1)
    names: dict[str, Any] = {torque.__name__: torque}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(program, method.label, "exec"), names)
    body = engine.Problem(J=MOMENTS, R0=HALF_A_TURN, Omega0=OMEGA, torque=None if free else torque)
    monkeypatch.setenv("POLHODE_PLAIN", "1")
    run = engine.simulate(body, method, dt=DT, steps=STEPS)
    near = 3e-5 if method.single else 1e-10
    assert names["t"] == pytest.approx(run.t[-1])
    for name, there in (("R", run.R), ("Ω", run.Omega)):
        assert names[name].dtype == (np.float32 if method.single else np.float64)
        np.testing.assert_allclose(names[name], there[-1], rtol=0, atol=near, err_msg=name)


@pytest.mark.parametrize("name", covering(NAMES, by=lambda name: (engine.algorithm(name).family,)))
def test_a_program_ends_where_the_method_does(name, monkeypatch):
    method = engine.algorithm(name)
    ends_where_the_method_does(method, monkeypatch)
    assert method.key in LONG or count_lines(method) < 30
    steps = write_pseudo_code(method).partition("each step")[2].partition("\n\n")[0]
    assert not set("@*'\"") & set(steps) and all(
        line.partition(" ← ")[0].strip() for line in steps.splitlines()
    )


@pytest.mark.parametrize("name", first([*SINGLE_AND_DIVIDED, *LIMITED], 4))
def test_a_program_has_the_precision_of_the_run_and_holds_the_torque_over_a_frame(
    name, monkeypatch
):
    method = engine.algorithm(name).with_options(precision="single", substeps=3)
    ends_where_the_method_does(method, monkeypatch)
    assert "Numbers have 32 bits." in write_pseudo_code(method)


@pytest.mark.exhaustive
@pytest.mark.parametrize("key", WRITTEN)
def test_a_program_ends_where_the_method_does_with_each_option(key, monkeypatch):
    for method in combinations(key):
        ends_where_the_method_does(method, monkeypatch)


@pytest.mark.parametrize("key", [m.key for m in engine.algorithms() if m.key not in WRITTEN])
def test_a_method_is_refused_or_its_program_ends_where_it_does(key, monkeypatch):
    """Also a new method, whether it can be inlined or not."""
    found = engine.algorithm(key)
    for method in combinations(key) if isinstance(found, FixedStep) else [found]:
        try:
            write_python(method, MOMENTS, OMEGA, DT, 1)
        except NotInlined:
            continue
        ends_where_the_method_does(method, monkeypatch)


def test_vlv_is_written_with_the_exponential_too(monkeypatch):
    ends_where_the_method_does(engine.algorithm("dart-variational"), monkeypatch)


def test_a_refusal_has_its_reason():
    for name, said in (
        ("PDMV", "If"),
        ("MR2*yoshida4", "more than one step"),
        ("IMID", "torque_tangent"),
    ):
        with pytest.raises(NotInlined, match=said):
            write_python(engine.algorithm(name), MOMENTS, OMEGA, DT, 1)


def test_a_step_that_needs_a_name_which_no_program_defines_is_refused(for_a_while):
    @engine.method(key="LOG-TURN", order=(1, 1), torque_evaluations=0)
    def step(body, t, h, R, Ω):
        """One step."""
        return R @ exp(log(exp(h * Ω))), Ω

    with pytest.raises(NotInlined, match="LOG-TURN needs log, which no program defines"):
        write_python(step, MOMENTS, OMEGA, DT, 1)


def test_newtons_method_that_fails_ends_the_program():
    program = write_python(engine.algorithm("LIEMID-E1"), MOMENTS, OMEGA, 40.0, 3)
    with pytest.raises(ArithmeticError, match="Newton"):
        exec(compile(program, "a large step", "exec"), {})


def test_a_step_of_so_many_a_second_is_written_as_a_fraction() -> None:
    method = engine.algorithm("MR2")
    written = [write_python(method, MOMENTS, OMEGA, dt, 7).replace(" ", "") for dt in (1 / 60, 0.3)]
    assert "range(1)" not in "".join(written)  # a step that is not divided has no loop
    assert ["1/60" in text for text in written] == [True, False]
    assert ["0.3" in text for text in written] == [False, True]
