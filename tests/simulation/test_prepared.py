"""Prepared runs equal those of `simulate` bit for bit, with the same refusals."""

from __future__ import annotations

import dataclasses
import importlib
import pickle
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

import numpy as np
import pytest
from covering import covering

import engine

prepared = importlib.import_module("engine.simulation.prepared")

OTHER = (0.3, -0.2, 0.9)


def same(one: Any, other: Any) -> None:
    """Check that two runs have the same motion, invariants, words and setting."""
    for name in (*one.motion, "t"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    for name, extrema in other.extrema.items():
        np.testing.assert_array_equal(np.stack(one.extrema[name]), np.stack(extrema), err_msg=name)
    for name, values in other.observed.items():
        np.testing.assert_array_equal(one.observed[name], values, err_msg=name)
    assert one.method.label == other.method.label
    report = ("dt", "steps", "every", "status", "failed_step", "messages", "provenance")
    assert [getattr(one, name) for name in report] == [getattr(other, name) for name in report]
    assert one.cost.newton_iterations == other.cost.newton_iterations
    assert one.cost.torque_evaluations == other.cost.torque_evaluations
    assert one.problem.to_json() == other.problem.to_json()


PREPARED = "NMB", "DMV", "MR4(axes=231)", "RKMK", "HSTAGM", "RK-QUAT", "BUSS3+E", "DOP853"


@pytest.mark.parametrize(
    ("key", "method"), covering(product((p.key for p in engine.problems()), PREPARED))
)
def test_bit_for_bit_what_simulate_gives(key: str, method: str) -> None:
    problem = engine.problem(key)
    try:
        run = engine.prepared(problem, method, dt=0.01, steps=60, every=7)
    except ValueError as refused:
        with pytest.raises(ValueError) as also:
            engine.simulate(problem, method, dt=0.01, steps=60, every=7)
        assert str(also.value) == str(refused)
        return
    same(run(), engine.simulate(problem, method, dt=0.01, steps=60, every=7))
    changed = problem.replace(Omega0=OTHER)
    for given in (OTHER, list(OTHER), np.array(OTHER)):
        same(run(Omega0=given), engine.simulate(changed, method, dt=0.01, steps=60, every=7))
    same(run(dt=0.02), engine.simulate(problem, method, dt=0.02, steps=60, every=7))
    turned = problem.replace(R0=(0.1, 0.2, 0.3), Omega0=OTHER)
    same(
        run(R0=(0.1, 0.2, 0.3), Omega0=OTHER),
        engine.simulate(turned, method, dt=0.01, steps=60, every=7),
    )


def test_by_its_own_durations_and_samples() -> None:
    run = engine.prepared("free", "MR2", duration=20, samples=11)
    same(run(), engine.simulate("free", "MR2", duration=20, samples=11))
    half = engine.problem("free").dt / 2
    same(run(dt=half), engine.simulate("free", "MR2", dt=half, duration=20, samples=11))
    same(
        engine.prepared("free", "MR2", compose="yoshida4")(),
        engine.simulate("free", "MR2", compose="yoshida4"),
    )


def test_a_body_whose_axes_are_not_its_principal_ones() -> None:
    body = engine.Problem(J=[[2, 0.3, 0], [0.3, 1.5, 0.1], [0, 0.1, 1]], Omega0=(0, 1, 0.2))
    run = engine.prepared(body, "NMB", dt=0.05, steps=40)
    same(run(Omega0=OTHER), engine.simulate(body.replace(Omega0=OTHER), "NMB", dt=0.05, steps=40))


@engine.torque
def pull(t: float, R: Any) -> Any:
    return 0.1 * R[1, 2], -0.1 * R[0, 2], 0.0


@pytest.mark.parametrize("torque", [pull, pull.py_func], ids=["compiled", "called back"])
def test_with_a_torque_of_one_s_own(torque: Any) -> None:
    body = engine.Problem(torque=torque)
    run = engine.prepared(body, "MR2", dt=0.05, steps=40)
    same(run(Omega0=OTHER), engine.simulate(body.replace(Omega0=OTHER), "MR2", dt=0.05, steps=40))


def test_two_bodies() -> None:
    run = engine.prepared("DB1", "LGVI", dt=0.01, steps=20)
    same(run(), engine.simulate("DB1", "LGVI", dt=0.01, steps=20))
    same(run(dt=0.02), engine.simulate("DB1", "LGVI", dt=0.02, steps=20))


def test_a_run_that_ends_early_tells_so() -> None:
    run = engine.prepared("free", "DMV", dt=1.1, steps=300)
    fast = (8.0, 1.0, 2.0)
    ended = run(Omega0=fast)
    same(
        ended,
        engine.simulate(engine.problem("free").replace(Omega0=fast), "DMV", dt=1.1, steps=300),
    )
    assert ended.status == "no-solution" and ended.message


def test_where_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = engine.prepared("free", "NMB", dt=0.05, steps=20)(Omega0=OTHER)
    monkeypatch.setenv("POLHODE_PLAIN", "1")
    plain = engine.prepared("free", "NMB", dt=0.05, steps=20)(Omega0=OTHER)
    np.testing.assert_allclose(plain.R, compiled.R, atol=1e-13)
    assert not plain.provenance["compiled"]


TYPED = """
import engine
from engine.algebra import exp

@engine.method(key="TYPED", order=(1, 1))
def step(body, t, h, R, Π):
    E = exp(h * (body.Jinv @ Π))
    return R @ E, E.T @ Π
"""


def test_a_method_without_source(for_a_while: None) -> None:
    """A function typed into Python runs as plain Python, also if prepared."""
    exec(TYPED, {"__name__": "typed"})
    run = engine.prepared("free", "TYPED", dt=0.05, steps=20)(Omega0=OTHER)
    same(
        run,
        engine.simulate(engine.problem("free").replace(Omega0=OTHER), "TYPED", dt=0.05, steps=20),
    )
    assert not run.provenance["compiled"] and "plain Python" in run.message


@pytest.mark.parametrize(
    "wrong",
    [
        (1.0, 2.0),
        (1.0, float("nan"), 0.0),
        "fast",
        (1.0, 2.0, "x"),
        (1e300, 0.0, 0.0),
        1.0,
        np.array(1.0),
        np.eye(3),
    ],
)
def test_what_is_wrong_is_refused_when_it_is_called(wrong: Any) -> None:
    run = engine.prepared("free", "NMB", steps=5)
    with pytest.raises(ValueError, match="Omega0") as refused:
        run(Omega0=wrong)
    with pytest.raises(ValueError, match="Omega0") as also:
        engine.problem("free").replace(Omega0=wrong)
    assert str(refused.value) == str(also.value)
    with pytest.raises((TypeError, ValueError), match="colour"):
        run(colour="red")


def test_runs_are_independent_of_each_other_and_can_be_pickled() -> None:
    run = engine.prepared("free", "NMB", dt=0.05, steps=20)
    first = run(Omega0=OTHER)
    second = run(Omega0=(0.0, 1.0, 0.0))
    assert not np.array_equal(first.R[-1], second.R[-1])
    again = pickle.loads(pickle.dumps(run(Omega0=OTHER)))
    same(again, first)
    assert repr(run) == f"<prepared run of NMB on {first.problem.label}>"
    with pytest.raises(AttributeError, match="no attribute 'colour'"):
        _ = first.colour
    with pytest.raises(dataclasses.FrozenInstanceError):
        first.record = second.record
    same(first.replace(status="diverged").replace(status="done"), first)
    same(pickle.loads(pickle.dumps(first.replace(steps=20))), first)


def test_the_arguments_of_the_kernel_are_packed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = []
    pack = prepared.pack_call
    monkeypatch.setattr(prepared, "pack_call", lambda *given: packed.append(given) or pack(*given))
    run = engine.prepared("free", "NMB", dt=0.05, steps=20)
    first = run(Omega0=OTHER)
    for _ in range(5):
        same(run(Omega0=OTHER), first)
    numbers = np.array(OTHER)
    monkeypatch.setattr(prepared, "make_request", None)  # which only other calls need
    for given in (numbers, list(OTHER), tuple(numbers)):  # the last has NumPy's numbers
        same(run(Omega0=given), first)
    assert len(packed) == 1


def test_threads_may_call_at_the_same_time() -> None:
    run = engine.prepared("free", "NMB", dt=0.05, steps=4000)
    velocities = [(0.1 * i, 1.0, 0.2) for i in range(24)]
    alone = [run(Omega0=velocity) for velocity in velocities]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda velocity: run(Omega0=velocity), velocities))
    for one, other in zip(together, alone, strict=True):
        same(one, other)
