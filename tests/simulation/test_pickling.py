"""Copies and pickles of methods, problems, runs and studies."""

from __future__ import annotations

import copy
import gc
import pickle
import subprocess
import sys
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from covering import first

import engine
from engine import studies

METHODS = engine.algorithms(None)
PROBLEMS = [*engine.problems(None), engine.problem("coning", sensor="sampled")]
MOVES = {"so3": "CF4", "se3": "LGVI", "rates": "EXP(rate=mean)"}
"""A method of each space."""


def send(value: Any) -> Any:
    """Return a value after pickling and unpickling."""
    return pickle.loads(pickle.dumps(value))


def constant_pull(t: float, R: np.ndarray) -> tuple[float, float, float]:
    return 0.0, 0.1, 0.0


@engine.torque
def compiled_pull(t: float, R: np.ndarray) -> tuple[float, float, float]:
    return 0.0, 0.1, 0.0


@pytest.mark.parametrize("method", METHODS, ids=lambda m: f"{m.space}-{m.key}")
def test_a_registered_method_arrives_as_itself(method: engine.Method) -> None:
    assert send(method) is method
    assert copy.deepcopy(method) is method


@pytest.mark.parametrize(
    "name", ["MR2(axes=231)*yoshida4", "BUSS3+E", "RK45(rtol=1e-8)", "RKMK(tableau=butcher6)"]
)
def test_what_was_chosen_of_a_method_arrives(name: str) -> None:
    method = engine.algorithm(name)
    assert send(method).label == method.label
    assert send(method).option_values() == method.option_values()


@pytest.mark.usefixtures("for_a_while")
def test_a_method_that_was_declared_anew_is_not_taken_for_the_other() -> None:
    def declared() -> engine.Method:
        @engine.method(key="DECLARED-TWICE", order=(1, 1))
        def step(body: Any, t: float, h: float, R: Any, Ω: Any) -> Any:
            return R, Ω

        return step  # type: ignore[return-value]

    first = declared()
    second = declared()
    assert send(second) is second
    with pytest.raises(pickle.PicklingError, match="declared anew"):
        pickle.dumps(first)
    assert copy.deepcopy(first) is first


@pytest.mark.parametrize("problem", first(PROBLEMS, 5), ids=lambda p: p.label)
@pytest.mark.parametrize("copied", [send, copy.deepcopy, copy.copy])
def test_a_copy_of_a_problem_moves_alike(problem: Any, copied: Callable[[Any], Any]) -> None:
    method = MOVES[problem.space]
    other = copied(problem)
    assert other.label == problem.label
    assert other.parameters == problem.parameters
    with pytest.raises(TypeError):
        other.values["Mgl"] = 1.0
    one, two = (engine.simulate(p, method, steps=5) for p in (problem, other))
    assert np.array_equal(one.increment[1:], two.increment[1:])
    if problem.space == "so3":
        with pytest.raises(ValueError, match="read-only"):
            other.J[0, 0] = 7.0


def test_changes_of_a_problem_arrive() -> None:
    problem = engine.problem("soft-wall(sign=as-printed)").replace(Omega0=(0.1, 0.2, 0.3))
    assert send(problem).label == "soft-wall(sign=as-printed)"
    assert np.array_equal(send(problem).Omega0, (0.1, 0.2, 0.3))
    top = send(engine.problem("lagrange-top")).replace(
        gravity=15.0
    )  # settled by a function of the declaration
    assert top.values == engine.problem("lagrange-top").replace(gravity=15.0).values


@pytest.mark.parametrize(
    "torque",
    [constant_pull, compiled_pull, engine.torque(constant_pull)],
    ids=["plain", "compiled", "compiled later"],
)
@pytest.mark.parametrize("copied", [send, copy.deepcopy])
def test_a_run_under_a_torque_of_ones_own_can_be_copied_and_run_again(
    torque: Any, copied: Any
) -> None:
    run = engine.simulate(engine.Problem(J=(1, 1, 2), torque=torque), "MR2", steps=5)
    assert np.array_equal(copied(run).rerun().R, run.R)


@pytest.mark.parametrize(
    ("problem", "method"), [("slow-top", "NMB"), ("free", "RK45"), ("dumbbells", "LGVI")]
)
@pytest.mark.parametrize("copied", [send, copy.deepcopy])
def test_a_copy_of_a_run_is_the_run(problem: str, method: str, copied: Any) -> None:
    run = engine.simulate(problem, method, duration=0.1)
    other = copied(run)
    assert repr(other) == repr(run)
    for name, series in run.columns().items():
        assert np.array_equal(other.columns()[name], series, equal_nan=True), name
    assert {name: list(np.ravel(x)) for name, x in other.extrema.items()} == {
        name: list(np.ravel(x)) for name, x in run.extrema.items()
    }
    assert other.cost == run.cost


@pytest.mark.parametrize(
    "torque", [None, compiled_pull, engine.torque(constant_pull)], ids=["free", "named", "made"]
)
def test_a_prepared_run_arrives(torque: Any) -> None:
    prepared = engine.prepared(engine.Problem(J=(1, 1, 2), torque=torque), "MR2", steps=5)
    other = send(prepared)
    for changes in ({}, {"Omega0": (0.1, 0.2, 0.3)}):
        assert np.array_equal(other(**changes).R, prepared(**changes).R)


def test_studies_and_errors_can_be_sent() -> None:
    run = engine.simulate("slow-top", "NMB", duration=1)
    assert send(engine.error(run)).last == engine.error(run).last
    for study in (
        studies.convergence("free", "NMB", [0.5, 0.25], duration=2),
        studies.ensemble("free", "NMB", members=3, duration=1),
        studies.stability_edge("free", "NMB", duration=5),
    ):
        assert send(study).to_frame().equals(study.to_frame())
        assert copy.deepcopy(study).conclusion == study.conclusion


@pytest.mark.exhaustive
def test_another_process_takes_a_run_up() -> None:
    run = engine.simulate("lagrange-top", "MR2(axes=231)", steps=5)
    reads = "import pickle, sys; run = pickle.load(sys.stdin.buffer); print(run.rerun().energy[-1].hex())"
    done = subprocess.run(
        [sys.executable, "-c", reads], input=pickle.dumps(run), capture_output=True
    )
    assert done.stdout.decode().strip() == float(run.energy[-1]).hex(), done.stderr.decode()


def test_the_mappings_of_a_run_show_what_they_hold() -> None:
    run = engine.simulate("slow-top", "NMB", steps=2)
    assert repr(run.extrema).startswith("{'energy': Extrema(min=")


@pytest.mark.parametrize("key", first(["free", "slow-top", "book-toss"]))
def test_what_acts_is_found_once_for_each_step_and_lives_and_travels_with_nothing_else(
    key: str,
) -> None:
    problem = engine.problem(key).replace(dt=0.0078125)
    assert problem.action(0.001) is problem.action(0.001)
    for n in range(100):
        problem.action(0.001 * (n + 1))
    assert len(pickle.dumps(problem)) == len(pickle.dumps(problem.replace())), (
        "a copy begins without"
    )
    alive = weakref.ref(problem)
    del problem
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize(
    ("kind", "methods"),
    first(
        [
            ("slow-top", ("NMB", "DOP853")),
            ("free", ("EXACT", "RADAU")),
            ("custom", ("MR2",)),
            ("dumbbells", ("LGVI",)),
        ]
    ),
)
def test_nothing_keeps_a_problem_that_was_run(kind: str, methods: tuple[str, ...]) -> None:
    class Data:
        """What the caller's torque needs."""

    data = Data()

    def pull(t: float, R: np.ndarray, data: Data = data) -> tuple[float, float, float]:
        return 0.0, 0.1, 0.0

    problem: Any = (
        engine.Problem(torque=pull) if kind == "custom" else engine.problem(kind).replace()
    )
    for method in methods:
        run = engine.simulate(problem, method, steps=5)
        if problem.space == "so3":
            engine.error(run)
    alive = [weakref.ref(thing) for thing in (problem, data)]
    del problem, run, pull, data
    gc.collect()
    assert [ref() for ref in alive] == [None, None]
