"""Unfused machine code equals plain Python bit for bit: every method, in every kind of field."""

from __future__ import annotations

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, product

import numpy as np
import pytest
from covering import covering, first

import engine
from engine.algorithms import Solver
from engine.algorithms.core.composition import COMPOSITIONS
from engine.algorithms.core.method import all_methods
from engine.compiler import native
from engine.kernels import build, make_parts, make_watcher
from engine.kernels.advance import advance
from engine.kernels.batch import Batch
from engine.kernels.custom_torque import Called
from engine.kernels.driver import ReadyKernel, RunMemory, drive
from engine.kernels.layout import INERTIA, OWN_SIZE, OWN_STEP, OWN_STEPS, PARAMETERS
from engine.simulation import one_body as one_body
from engine.simulation import two_bodies as two_bodies

STEPS = 20
STEPS_OF_TWO = 5
EVERY = 4


def variants(method):
    """A method with each choice of each of its options, and the bounds of its numbers, one at a
    time.
    """
    values = [(o.name, value) for o in method.options for value in (o.choices or (o.low, o.high))]
    every = [
        method,
        *(
            engine.algorithm(method.key, space=method.space, **{name: value})
            for name, value in values
        ),
    ]
    return list({variant.label: variant for variant in every}.values())


def stepping(space):
    return [
        variant
        for method in all_methods(space)
        if not isinstance(method, Solver)
        for variant in variants(method)
    ]


def pull(t, R):
    return 0.3 * R[2, 1], -0.2 * R[2, 0] + 0.1 * t, 0.05


def fall(t, R):
    return -0.3 * R[1, 2], 0.3 * R[0, 2], 0.0


def height(t, R):
    return 0.3 * R[2, 2] - t


KINDS = one_body.list_kinds(engine.problems())
"""A problem of each kind of field."""
OWN = {
    "own torque": engine.Problem(J=(1, 2, 3), Omega0=(0.3, 2, 0.1), torque=pull),
    "own potential": engine.Problem(
        J=(1, 2, 3), Omega0=(0.3, 2, 0.1), torque=fall, potential=height
    ),
    "own in other axes": engine.Problem(
        J=[[2, 0.1, 0], [0.1, 3, 0.2], [0, 0.2, 4]], torque=fall, potential=height
    ),
}
TURNED = {"turned top": engine.problem("slow-top").replace(R0=(0.2, 0.1, 0.3))}
PROBLEMS = KINDS | OWN | TURNED
ALWAYS = ("free", "slow-top")


def fits(method, name):
    """Whether it runs in plain Python too, whose `math` does not know the dual numbers of rates."""
    problem = PROBLEMS[name]
    with_rates = (
        method.promises.needs_rates == 0 or problem.action(problem.dt).field.rate2 is not None
    )
    return with_rates and one_body.why_not(problem, method, problem.dt) is None


def with_a_third_field(methods):
    """Each method on `free`, on `slow-top`, and on one more kind of field, in rotation."""
    others = [name for name in PROBLEMS if name not in ALWAYS]
    turn = cycle(range(len(others)))
    for method in methods:
        start = next(turn)
        third = next((name for name in others[start:] + others[:start] if fits(method, name)), None)
        yield from (
            (method, name) for name in (*ALWAYS, third) if name is not None and fits(method, name)
        )


def compositions():
    """A method with each kind of state, composed in every way; and the energy corrections."""
    for key in ("NMB", "MR2", "AKW"):
        yield from (engine.algorithm(f"{key}*{name}") for name in COMPOSITIONS)
    yield from (engine.algorithm(key) for key in ("BUSS3+E", "MR2+E", "ABAM+E", "RKMK+E"))


CASES = list(with_a_third_field([*stepping("so3"), *compositions()]))


def unfused(kernel, parts, improved=True):
    """The same kernel with machine code in which no product and sum are one operation.

    What LLVM has improved takes some seven times as long to be made as code that stands as it was
    written.
    """
    text = build.text_of(parts, fused=False)
    code = build.compile_text(parts, text) if improved else as_written(text)
    return dataclasses.replace(kernel, advance=build.PROTOTYPE(native.link(code)), by_pointer=True)


def as_written(text):
    """Machine code of a module's text, without LLVM's optimizations."""
    machine = native.target_machine(*native.processor(), effort=0)
    module = native.parse_module(text)
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    module.verify()
    return native.emit_code(module, machine)


def one_body_both_ways(problem, method, improved=True, **how):
    """The kernel of plain Python, that of machine code, and the addresses of the caller's
    functions.
    """
    action = one_body.find_action(problem, method, problem.dt)[0]
    pointers = (0, 0)
    if problem.torque is not None:
        called = Called(problem.torque, problem.potential)
        pointers = called.pointers()
        KEPT.append(called)
    plain = one_body.prepare_kernel(problem, method, action, False, **how)
    turned = one_body.turn_to_principal_axes(problem, action)
    parts = make_parts(method, turned.field, how.get("tracked", True))
    if how.get("side_by_side"):
        parts = parts.for_batches(True, how.get("varied", False))
    return plain, unfused(plain, parts, improved), pointers


KEPT: list[Called] = []
"""References to callbacks, which ctypes would otherwise discard."""


def assert_equal(one, other):
    """All fields of two outcomes but the time that they took."""
    for field in dataclasses.fields(one):
        if field.name != "seconds":
            a, b = getattr(one, field.name), getattr(other, field.name)
            np.testing.assert_array_equal(
                b, a, err_msg=field.name, strict=isinstance(a, np.ndarray)
            )


def named(x):
    return getattr(x, "label", x)


IN_SINGLES = (
    *(
        "SEMI-EULER",
        "RESTORED",
        "RK-MEAN",
        "NMB",
        "DMV",
        "DMV(solver=cayley)",
        "AKW(torque=half)",
        "RKMK",
        "MR2",
    ),
    *("RK4-QUAT(renormalise=yes)", "BUSS3+E", "ABAM", "LIEMID-E1", "IMR-MATRIX"),
)
"""One step of each kind: with every kind of state, with roots and with functions of the C library.
"""
DIVIDED = ("SEMI-EULER(substeps=3)", "NMB(substeps=5)", "DMV(substeps=5, precision=single)")


@pytest.mark.parametrize(
    "method, name", covering(CASES, by=lambda method, name: (method.family,)), ids=named
)
def test_one_body(method, name):
    """For one of the three fields of each method, LLVM optimizes the code, as it does for users."""
    problem = PROBLEMS[name]
    plain, compiled, pointers = one_body_both_ways(problem, method, improved=name not in ALWAYS)
    outcomes = [drive(kernel, problem.dt, STEPS, EVERY, pointers) for kernel in (plain, compiled)]
    assert outcomes[0].last_row == STEPS and np.isfinite(outcomes[0].rows[:, :-1]).all()
    assert_equal(*outcomes)


@pytest.mark.parametrize(
    ("method", "name"),
    covering(
        product((*(f"{one}:single" for one in IN_SINGLES), *DIVIDED), ("free", "slow-top")),
        by=lambda method, name: (method.endswith(":single"), name),
    ),
)
def test_steps_with_32_bits_and_over_a_frame(method, name):
    """Steps of one radian and more, which also call the C library."""
    label, _, precision = method.partition(":")
    method = engine.algorithm(label, precision=precision or "double")
    problem = PROBLEMS[name]
    if not fits(method, name):
        return
    plain, compiled, _ = one_body_both_ways(problem, method)
    outcomes = [drive(kernel, problem.dt, STEPS, EVERY) for kernel in (plain, compiled)]
    assert_equal(*outcomes)


def test_every_kind_of_field_is_met():
    met = {name for _, name in CASES}
    assert met == set(PROBLEMS)
    assert len({PROBLEMS[name].action(0.1).field for name in met & set(KINDS)}) > 5


@pytest.mark.parametrize("method, name, dt", first([
    ("DMV", "free", 1.1), ("LIEMID-E1", "slow-top", 1.0), ("RK4-MATRIX", "free", 5.0), ("NMB", "slow-top", 2.0),
    ("MR2", "magnet", 40.0), ("BUSS3+E", "free", 1.5),
]))  # fmt: skip
def test_runs_end_at_the_same_step_in_the_same_way(method, name, dt):
    plain, compiled, _ = one_body_both_ways(PROBLEMS[name], engine.algorithm(method))
    assert_equal(*(drive(kernel, dt, 60, EVERY) for kernel in (plain, compiled)))


PAIRS = [
    (method, key)
    for method in stepping("se3")
    for key, pair in two_bodies.list_kinds().items()
    if two_bodies.why_not(pair, method, pair.dt) is None
]


@pytest.mark.parametrize("method, key", covering(PAIRS, by=lambda method, key: (key,)), ids=named)
def test_two_bodies(method, key):
    problem = engine.problem(key)
    plain = two_bodies.prepare_kernel(problem, method, False)
    compiled = unfused(plain, make_parts(method, problem.attraction))
    assert_equal(*(drive(kernel, problem.dt, STEPS_OF_TWO, 2) for kernel in (plain, compiled)))


SIDE_BY_SIDE = [
    engine.algorithm(key)
    for key in ("MR2", "NMB", "AKW", "HSTAGM", "RK-QUAT", "MR2*suzuki4", "BUSS3+E")
]
BATCHES = [
    (m, name) for m in SIDE_BY_SIDE for name in (*ALWAYS, "own in other axes") if fits(m, name)
]


@pytest.mark.parametrize(
    "method, name", covering(BATCHES, by=lambda method, name: (name,)), ids=named
)
def test_bodies_side_by_side(method, name):
    """Three bodies with different starts; quick steps, which only compiled code takes, change no
    bit either.
    """
    problem = PROBLEMS[name]
    *kernels, pointers = one_body_both_ways(problem, method, side_by_side=True)
    starts = kernels[0].initial * np.array([[1.0], [1.0], [1.0]])
    starts[:, 9:] += [
        [0.0, 0.0, 0.0],
        [0.1, -0.2, 0.3],
        [30.0, 40.0, 50.0],
    ]  # of which the last turns far in a step
    with ThreadPoolExecutor(1) as pool:
        one, other = (Batch(kernel, starts, problem.dt, pointers) for kernel in kernels)
        for batch in (one, other):
            assert batch.advance(8, pool, 1) and batch.advance(3, pool, 1)
    assert one.steps.max() == 11
    np.testing.assert_array_equal(other._memory[:, :, :3], one._memory[:, :, :3])


@pytest.mark.parametrize("method, name", first(BATCHES), ids=named)
def test_bodies_side_by_side_with_parameters_and_steps_of_their_own(method, name):
    """Each body takes its own number of steps, and moves as it would among similar bodies."""
    problem = PROBLEMS[name]
    *kernels, pointers = one_body_both_ways(problem, method, side_by_side=True, varied=True)
    starts = kernels[0].initial * np.ones((3, 1))
    own = np.empty((3, OWN_SIZE))
    own[:, :PARAMETERS] = kernels[0].parameters
    own[:, OWN_STEPS] = (11, 5, 8)
    own[:, OWN_STEP] = problem.dt * np.array([1.0, 0.5, 1.25])
    own[2, INERTIA : INERTIA + 3] *= (1.0, 1.1, 1.05)
    one, other = (Batch(kernel, starts, 0.0, pointers, own) for kernel in kernels)
    for batch in (one, other):
        assert batch.advance_here(8) and batch.advance_here(3)
    assert one.steps.tolist() == [11, 5, 8]
    np.testing.assert_array_equal(other._memory[:, :, :3], one._memory[:, :, :3])
    alike, _ = one_body_both_ways(problem, method, side_by_side=True)[:2]
    alone = Batch(alike, starts[:2], problem.dt / 2, pointers)
    assert alone.advance_here(5)
    np.testing.assert_array_equal(one._memory[:, :, 1], alone._memory[:, :, 1])


@pytest.mark.parametrize(
    "key, name", [("DOP853", "free"), ("DOP853", "slow-top"), ("EXACT", "free")]
)
def test_states_that_are_only_watched(key, name):
    """For a method that returns states at given times instead of taking steps."""
    problem = PROBLEMS[name]
    method = engine.algorithm(key)
    action, _ = one_body.find_action(problem, method, problem.dt)
    ran = engine.simulate(problem, method, samples=5, duration=1.0)
    assert ran.status == "done"
    plain = one_body.prepare_kernel(problem, method, action, False, watching=True)
    rows = {}
    for kernel in (plain, unfused(plain, make_watcher(action.field))):
        memory = RunMemory.of(kernel, (0, 0), len(ran))
        memory.rows[:, :9] = ran.R.reshape(-1, 9)
        memory.rows[:, 9:12] = ran.Omega
        memory.rows[:, 12] = ran.t
        kernel.advance(*memory.arguments(kernel.by_pointer), 0.1, len(ran), 1)
        rows[kernel.by_pointer] = np.concatenate([memory.rows.ravel(), memory.extrema])
    np.testing.assert_array_equal(rows[True], rows[False])


@pytest.mark.parametrize("method, name", first([
    ("NMB", "slow-top"), ("MR2", "free"), ("DMV", "soft-wall"), ("RKMK", "magnet"), ("BUSS3+E", "free"),
    ("HSTAGM", "free"), ("RK-QUAT", "book-toss"), ("AKW", "asymmetric-top"), ("MR2*yoshida4", "slow-top"),
], 3))  # fmt: skip
def test_fused_kernels_agree_to_roundoff(method, name, monkeypatch):
    """Default kernels with fused operations agree to 1e-12 of the largest velocity over 60
    steps.
    """
    problem = PROBLEMS[name]
    compiled = engine.simulate(problem, method, dt=problem.dt, steps=60)
    monkeypatch.setenv("POLHODE_PLAIN", "1")
    plain = engine.simulate(problem, method, dt=problem.dt, steps=60)
    assert not plain.provenance["compiled"] and compiled.provenance["compiled"]
    tolerance = 1e-12 * max(1.0, np.abs(compiled.Omega).max())
    for series in ("R", "Omega", "energy"):
        np.testing.assert_allclose(
            getattr(plain, series), getattr(compiled, series), rtol=1e-12, atol=tolerance
        )
    assert plain.cost.torque_evaluations == compiled.cost.torque_evaluations


def test_a_setting_is_of_machine_code_where_it_says_so():
    """The two sides of these comparisons differ."""
    plain, compiled, _ = one_body_both_ways(PROBLEMS["free"], engine.algorithm("MR2"))
    assert isinstance(plain, ReadyKernel) and not plain.by_pointer and compiled.by_pointer
    assert plain.advance.func is advance and compiled.advance is not plain.advance
