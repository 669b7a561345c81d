"""Custom torques: plain Python or compiled, with and without a potential, and their errors."""

from __future__ import annotations

import ast
import linecache
import math
from itertools import product

import numpy as np
import pytest
from covering import covering, first

import engine
from engine import studies
from engine.algorithms.core import FixedStep, RateSolver
from engine.compiler import notices
from engine.kernels import evaluate_torque
from engine.parameters.validation import check_attitude

STRENGTH = 20.0


def top_torque(t, R):
    return (-STRENGTH * R[1, 2], STRENGTH * R[0, 2], 0.0)


def top_potential(t, R):
    return STRENGTH * R[2, 2]


def body(torque=top_torque, potential=top_potential, **more):
    top = engine.problem("slow-top")
    given = {"J": top.J, "R0": top.R0, "Omega0": top.Omega0, "dt": 0.01, "duration": 2.0} | more
    return engine.Problem(torque=torque, potential=potential, **given)


@pytest.mark.parametrize(
    ("method", "compiled"),
    covering(
        product((m.key for m in engine.algorithms()), (False, True)),
        by=lambda method, compiled: (
            not isinstance(engine.algorithm(method), FixedStep) and method,
            compiled,
        ),
    ),
)
def test_a_top_of_one_s_own_is_the_built_in_one(method, compiled):
    torque = engine.torque(top_torque) if compiled else top_torque
    potential = engine.potential(top_potential) if compiled else top_potential
    rates = engine.algorithm(method).promises.needs_rates
    if rates == 3 or (rates and not compiled):
        with pytest.raises(ValueError, match="does not give"):
            engine.simulate(body(torque, potential), method)
        return
    own = engine.simulate(body(torque, potential), method, dt=0.01)
    built_in = engine.simulate("slow-top", method, dt=0.01, duration=2.0)
    assert own.status == "done"
    # Off the rotations, Rᵀt of a torque in space and one written in the body are no longer the
    # same.
    off = dict.fromkeys(("DOP853", "RK45", "RADAU", "LSODA"), 1e-5)
    off |= {"RK4-MATRIX": 1e-6, "RK4-QUAT": 1e-6, "RK2-MATRIX": 1e-2, "IMR-MATRIX": 1e-3}
    tolerance = {"HSTAGM": 5e-10, **off}.get(method, 1e-11)
    np.testing.assert_allclose(own.R, built_in.R, rtol=0, atol=tolerance)
    np.testing.assert_allclose(own.energy, built_in.energy, rtol=max(1e-9, tolerance))
    assert own.problem.invariants == ("energy",)


TILTED = ((2.0, 0.1, 0.3), (0.1, 2.5, -0.2), (0.3, -0.2, 3.0))
IN_TIME = "(1+0.5*sin(2*t))*cross(R[:,2]+0.2*R[:,0], e3) + exp(-0.3*t)*cos(R[0,1])*e1"


@pytest.mark.parametrize("method", ["BUSS3", "BUSS4"])
def test_the_rates_of_a_formula_give_buss_s_methods_their_order(method):
    """A formula of the time, on a body whose axes are not its principal ones; the exact motion is a
    reference run.
    """
    body = engine.problem(
        "custom(torque=formula)",
        J=TILTED,
        R0=(0.3, 0.2, -0.5),
        Omega0=(1, 2, -0.7),
        formula=IN_TIME,
    )
    end = engine.exact(body, [2.0])
    off = []
    for steps in (40, 80, 160):
        run = engine.simulate(body, method, dt=2 / steps, steps=steps)
        off.append([np.linalg.norm(run.R[-1] - end.R[0]), np.linalg.norm(run.Pi[-1] - end.Pi[0])])
    np.testing.assert_allclose(
        np.log2(np.divide(off[:-1], off[1:])), engine.algorithm(method).order[0], atol=0.06
    )
    single = engine.simulate(body, method, dt=0.0125, steps=160, precision="single")
    assert np.abs(single.R[-1] - end.R[0]).max() < 1e-4


@engine.torque
def functions_of_two(t, R):
    """In which each function counts by its first and second derivative."""
    turn = math.atan2(2.0 + R[0, 1] * t, 1.0 + t * t)
    rest = math.fmod(5.0 + R[1, 1] * t, 3.0 + 0.2 * R[0, 2]) + math.copysign(R[2, 2], -2.0 - t)
    return (3.0 * turn, rest, math.pow(2.0 + R[0, 1], 0.5 + R[1, 1]) + 2.0**t + (1.0 + t) ** 2.5)


@engine.torque
def rarer_functions(t, R):
    x = 2.0 + R[0, 1] * t
    roots = math.cbrt(x) + math.log2(x)
    return (2.0 * roots, math.log10(x) + math.log1p(x), math.expm1(R[1, 1] * t))


@pytest.mark.parametrize("torque", [functions_of_two, rarer_functions])
def test_functions_in_a_torque_have_the_rates_that_give_buss_s_methods_their_order(torque):
    body = engine.Problem(
        J=TILTED, R0=(0.3, 0.2, -0.5), Omega0=(0.5, 0.8, -0.4), torque=torque, dt=0.01, duration=0.5
    )
    end = engine.exact(body, [0.5])
    for method in ("BUSS3", "BUSS4"):
        runs = [engine.simulate(body, method, dt=0.5 / n, steps=n) for n in (40, 80)]
        off = [np.linalg.norm(run.Pi[-1] - end.Pi[0]) for run in runs]
        order = engine.algorithm(method).order[1]
        assert np.log2(off[0] / off[1]) == pytest.approx(order, abs=0.15), method


@pytest.mark.parametrize("method", ["BUSS3", "BUSS4"])
def test_the_rates_of_a_formula_are_those_of_the_built_in_top(method):
    top = engine.problem("slow-top")
    given = {
        "J": top.J,
        "R0": top.R0,
        "Omega0": top.Omega0,
        "formula": f"{STRENGTH}*cross(e3, R[:,2])",
    }
    own = engine.simulate(
        engine.problem("custom(torque=formula)", **given), method, dt=0.01, steps=200
    )
    built_in = engine.simulate(top, method, dt=0.01, steps=200)
    np.testing.assert_allclose(own.R, built_in.R, rtol=0, atol=1e-13)
    assert own.cost.torque_evaluations == built_in.cost.torque_evaluations  # rates do not count


@pytest.mark.exhaustive
def test_a_step_with_the_rates_of_a_formula_has_derivatives_itself():
    body = engine.problem("custom(torque=formula)", J=TILTED, Omega0=(1, 2, -0.7), formula=IN_TIME)
    h, d = 0.1, 1e-5
    ahead, behind = (engine.simulate(body, "BUSS4", dt=h + x, steps=1).Pi[-1] for x in (d, -d))
    found = engine.differentiate_step(body, "BUSS4", dt=h).by_dt[3:]
    np.testing.assert_allclose(found, (ahead - behind) / (2 * d), rtol=0, atol=1e-9)


def test_without_a_potential_the_energy_is_the_kinetic_one():
    run = engine.simulate(body(potential=None), "MR2")
    kinetic = 0.5 * np.einsum("ni,ij,nj->n", run.Omega, run.problem.J, run.Omega)
    np.testing.assert_allclose(run.energy, kinetic, rtol=1e-13)
    assert run.problem.invariants == () and run.casimirs == {}


def test_a_potential_of_the_attitude_alone():
    one = engine.simulate(body(potential=lambda R: STRENGTH * R[2, 2]), "MR2")
    np.testing.assert_array_equal(one.energy, engine.simulate(body(), "MR2").energy)

    @engine.potential
    def potential(R):
        return STRENGTH * R[2, 2]

    np.testing.assert_array_equal(
        engine.simulate(body(potential=potential), "MR2").energy, one.energy
    )


def test_a_decorated_torque_is_still_a_function():
    @engine.torque
    def torque(t, R):
        """Mine."""
        return 0.0, 0.0, t

    assert torque(2.0, np.eye(3)) == (0.0, 0.0, 2.0) and torque.__doc__ == "Mine."
    run = engine.simulate(
        engine.Problem(J=(1, 1, 2), Omega0=(0, 0, 0), torque=torque), "RKMK", dt=0.01, duration=1
    )
    assert run.Omega[-1, 2] == pytest.approx(0.25, rel=1e-13)  # ∫ t dt / J₃, which RK4 sums exactly


CENTRE = np.array([0.1, 0.2, 1.0])
STIFFNESS = np.diag([1.0, 2.0, 3.0])


def weigh(t, R):
    return np.cross(R @ CENTRE, [0, 0, -1.0])


def drag(t, R, Omega):
    speed = np.sqrt(np.sum(np.square(Omega)))
    return -0.1 * np.tanh(speed) * R.dot(Omega) + np.maximum(0.0, R[:, 2]) - np.clip(R[0], 0.0, 0.2)


def fill_in(t, R, Omega):
    T = np.zeros(3)
    T[2] = math.sin(t)
    T[:2] += 0.1 * Omega[:2]
    T += -0.2 * (R @ Omega)
    return T


def sum_up(t, R, Omega):
    T = np.zeros(3)
    for i in range(3):
        for j in range(3):
            T[i] += 0.1 * STIFFNESS[i, j] * Omega[j]
    if R[2, 2] > 0.2:
        T[0] = 1.0
    return R @ T


def twist(t, R):
    A = R @ np.array([[1, 0, 0], [0, 2, 0], [0, 0, 3]], dtype=float) @ R.T
    return np.array([A[1, 2] - 0.5 * A[2, 0], A[2, 0], np.trace(A)]) + np.outer(CENTRE, CENTRE)[0]


def point(t, R):
    down = R.T @ np.array([0.0, 0.0, -1.0])
    return R @ (np.cross(CENTRE, down) / np.linalg.norm(CENTRE - down))


OF_NUMPY = [weigh, drag, fill_in, sum_up, twist, point]


@pytest.mark.parametrize("torque", OF_NUMPY, ids=lambda f: f.__name__)
def test_a_compiled_torque_computes_with_small_arrays_as_numpy_does(torque):
    compiled = engine.torque(torque)
    plain = engine.Problem(J=(1, 2, 3), R0=(0.2, 0.4, 0.1), Omega0=(0.1, 1, 2), torque=torque)
    runs = [
        engine.simulate(problem, "RKMK", dt=0.01, steps=200)
        for problem in (plain, plain.replace(torque=compiled))
    ]
    assert compiled.refusal == ""
    np.testing.assert_allclose(runs[0].R, runs[1].R, rtol=0, atol=1e-13)
    np.testing.assert_allclose(runs[0].Omega, runs[1].Omega, rtol=0, atol=1e-13)


def change_another_name(t, R):
    T = np.zeros(3)
    same = T
    T[0] = 0.1
    return same


def change_a_part(t, R):
    T = np.zeros(3)
    part = T[:2]
    part[0] = 0.1
    return T


def change_what_is_given(t, R):
    R[0, 0] = 0.1
    return R[0]


def change_whole_numbers(t, R):
    T = np.array([0, 0, 0])
    T[0] = 0.9  # NumPy writes 0
    return T


def invert(t, R):
    return np.linalg.inv(R)[0]


def look_up(t, R):
    return tuple({"x": 0.0, "y": 0.0, "z": t}[k] for k in "xyz")


@pytest.mark.parametrize(
    ("torque", "why"),
    [
        (change_another_name, "an array can change in compiled code if NumPy has just made it"),
        (change_a_part, "an array can change in compiled code if NumPy has just made it"),
        (change_what_is_given, "an array can change in compiled code if NumPy has just made it"),
        (change_whole_numbers, "an array of whole numbers cannot be changed; write 0.0 for 0"),
        (invert, "NumPy's inv cannot be compiled here"),
        (look_up, "a dictionary cannot be compiled"),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_a_torque_that_cannot_be_compiled_runs_as_plain_python_and_the_run_says_why(torque, why):
    problem = engine.Problem(J=(1, 2, 3), Omega0=(0.1, 1, 2), torque=torque)
    plain = engine.simulate(problem, "MR2", dt=0.01, steps=20)
    run = engine.simulate(problem.replace(torque=engine.torque(torque)), "MR2", dt=0.01, steps=20)
    assert run.status == "done" and plain.message == ""
    assert f"The torque runs as plain Python: {why}" in run.message
    np.testing.assert_array_equal(run.R, plain.R)


def test_who_waits_is_told_which_function_of_their_own_is_compiled(monkeypatch, tmp_path):
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))

    @engine.torque
    def spring(t, R):
        return 2.0 * R[1, 2], -2.0 * R[0, 2], 0.0

    @engine.potential
    def height(R):
        return -2.0 * R[2, 2]

    heard: list[str] = []
    problem = engine.Problem(torque=spring, potential=height)
    with notices.listen(heard.append):
        for _ in range(2):
            engine.simulate(problem, "MR2", steps=1)
    functions = [name for name in heard if name.startswith("the ")]
    assert functions == ["the torque spring", "the potential height"]
    assert heard.count("") * 2 == len(heard)


@pytest.mark.parametrize(
    ("bad", "compiled", "method"),
    covering(
        product(
            [math.nan, math.inf],
            [False, True],
            ["MR2", "NMB", "AKW", "DMV", "RKMK", "HSTAGM", "ABAM", "RK4-QUAT"],
        ),
        by=lambda bad, compiled, method: (bad, compiled),
    ),
)
def test_a_torque_that_is_not_finite_ends_the_run(method, compiled, bad):
    def torque(t, R):
        return 0.0, 0.0, (bad if t > 1.004 else 0.1)

    run = engine.simulate(body(engine.torque(torque) if compiled else torque, None), method)
    assert run.status == "diverged", run.message
    assert 100 <= run.failed_step <= 102 and run.t[-1] == pytest.approx(
        0.01 * (run.failed_step - 1)
    )
    assert np.isfinite(run.Omega).all() and "no longer finite" in run.message


@pytest.mark.parametrize("method", ["MR2", "NMB", "RKMK"])
def test_a_torque_that_raises_ends_the_run(method):
    def torque(t, R):
        if t > 1.004:
            raise RuntimeError("out of fuel")
        return 0.0, 0.0, 0.1

    run = engine.simulate(body(torque, None), method)
    assert run.status == "diverged" and run.failed_step in (100, 101)
    assert "RuntimeError: out of fuel" in run.message and f"step {run.failed_step}" in run.message


def test_an_interrupt_in_a_torque_is_an_interrupt():
    def torque(t, R):
        if t > 0.5:
            raise KeyboardInterrupt
        return 0.0, 0.0, 0.1

    with pytest.raises(KeyboardInterrupt):
        engine.simulate(body(torque, None), "MR2")


def test_a_torque_that_depends_on_time():
    run = engine.simulate(
        engine.Problem(J=(1, 1, 1), Omega0=(0, 0, 0), torque=lambda t, R: (0, 0, math.cos(t))),
        "RKMK",
        dt=0.01,
        duration=3.0,
    )
    np.testing.assert_allclose(run.Omega[:, 2], np.sin(run.t), atol=1e-10)


def test_the_attitude_a_torque_sees_is_its_own():
    """A torque may keep or change the array that it is given."""
    seen = []

    def torque(t, R):
        seen.append(R)
        value = R[2, 2]
        R[:] = 0.0
        return 0.0, 0.0, value

    run = engine.simulate(body(torque, None), "MR2", steps=5)
    assert run.status == "done" and len({id(R) for R in seen}) == len(seen)
    np.testing.assert_allclose(
        run.R.transpose(0, 2, 1) @ run.R, np.broadcast_to(np.eye(3), (6, 3, 3)), atol=1e-14
    )


@pytest.mark.parametrize("torque, says", [
    (lambda t, R: 1.0, "three numbers"),
    (lambda t, R: (1.0, 2.0), "three numbers"),
    (lambda t, R: "abc", "three numbers"),
    (lambda t, R: None, "three numbers"),
    (lambda R: (0, 0, 1), "must take"),
    (3.0, "function"),
])  # fmt: skip
def test_wrong_torques(torque, says):
    with pytest.raises(ValueError, match=says) as caught:
        engine.simulate(engine.Problem(torque=torque), "MR2", steps=1)
    assert "\n" not in str(caught.value)


def endless(t, R):
    return endless(t, R)


def one_after_another(t, R):
    yield from (0.0, 0.0, 0.1)


class Silent(Exception):
    """An error whose text cannot be printed."""

    def __str__(self):
        raise RuntimeError("no words")


class Wild:
    """Raises an error for any attribute."""

    def __float__(self):
        raise ArithmeticError("two\nlines")

    __iter__ = __array__ = __repr__ = __float__


def raising(error):
    def torque(t, R):
        raise error

    return torque


def giving(value):
    return lambda t, R: value


RAISING = {
    "endless": (endless, "RecursionError: maximum recursion depth exceeded"),
    "lines": (raising(RuntimeError("out\nof\0fuel")), "RuntimeError: out of fuel"),
    "silent": (raising(Silent()), "the torque raised Silent."),
    "empty": (raising(AssertionError()), "the torque raised AssertionError."),
    "a book": (raising(RuntimeError("fuel " * 9999)), "RuntimeError: fuel fuel"),
    "stop": (raising(StopIteration(3)), "StopIteration: 3"),
    "memory": (raising(MemoryError()), "MemoryError"),
    "nan": (giving((math.nan, 0, 0)), "no longer finite"),
    "inf": (giving((0, -math.inf, 0)), "no longer finite"),
}
REFUSED = {
    "none": giving(None),
    "text": giving("123"),
    "texts": giving(("1", "2", "3")),
    "bytes": giving((b"1", b"2", b"3")),
    "complex": giving(np.zeros(3) + 1j),
    "two": giving((1.0, 2.0)),
    "four": giving(np.zeros(4)),
    "ragged": giving((1.0, (2.0, 3.0), 4.0)),
    "column": giving(np.ones((3, 1))),
    "matrix": giving(np.ones((3, 3))),
    "objects": giving(np.array([object()] * 3)),
    "too large": giving((10**400, 0, 0)),
    "too large to be written": giving((10**5000, 0, 0)),
    "wild": giving(Wild()),
    "three wild": giving((Wild(), Wild(), Wild())),
}
"""Invalid values of a torque at any call: the first is before the run, the others come from the
kernel.
"""


def late(torque):
    return lambda t, R: (0.0, 0.0, 0.1) if t < 0.055 else torque(t, R)


def spun(torque, method):
    return engine.simulate(
        engine.Problem(J=(1, 1, 2), Omega0=(0, 0.1, 3), torque=torque), method, dt=0.01, steps=10
    )


def is_a_sentence(text):
    return text.isprintable() and 0 < len(text) < 400


@pytest.mark.parametrize("method", ["MR2", "NMB", "RKMK", "RADAU", "LSODA", "DOP853"])
@pytest.mark.parametrize("name", RAISING)
def test_a_run_ends_at_once_where_a_torque_is_none(name, method):
    torque, says = RAISING[name]
    run = spun(torque, method)
    assert run.status == "diverged" and is_a_sentence(run.message), run.message
    assert len(run) == 1 and says in run.message, run.message


@pytest.mark.parametrize("method", ["MR2", "NMB", "RKMK", "LSODA"])
@pytest.mark.parametrize("name", RAISING)
def test_a_run_ends_where_its_torque_does(name, method):
    torque, says = RAISING[name]
    run = spun(late(torque), method)
    assert run.status == "diverged" and is_a_sentence(run.message) and says in run.message, (
        run.message
    )
    assert 0.03 < run.t[-1] < 0.07 and np.isfinite(run.Omega).all()


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_torque_is_refused_in_a_sentence(name):
    with pytest.raises(ValueError, match="must return three numbers; it returned") as refused:
        spun(REFUSED[name], "MR2")
    assert is_a_sentence(str(refused.value))


@pytest.mark.parametrize("method", ["MR2", "NMB"])
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_torque_any_more_ends_the_run(name, method):
    run = spun(late(REFUSED[name]), method)
    assert (
        run.status == "diverged"
        and "the torque raised" in run.message
        and is_a_sentence(run.message)
    )
    assert run.t[-1] == pytest.approx(0.05)


def test_a_generator_is_no_torque_before_the_run_and_three_numbers_within():
    with pytest.raises(ValueError, match="must return three numbers; it returned <generator"):
        spun(one_after_another, "MR2")
    np.testing.assert_array_equal(
        spun(late(one_after_another), "MR2").R, spun(late(giving((0.0, 0.0, 0.1))), "MR2").R
    )


FACTORS = (1.0, 2.0, 3.0)


def raises(t, R):
    if t > 0.05:
        raise ValueError("out of fuel")
    return 0.0, 0.0, 0.1


unwritten = {}
exec(
    "def asserts(t, R):\n assert t < 0.05, 'too late'\n return 0.0, 0.0, 0.1", unwritten
)  # else pytest rewrites it
asserts = unwritten["asserts"]


def singular(t, R):
    matrix = np.eye(3) if t < 0.05 else np.zeros((3, 3))
    return np.linalg.inv(matrix)[2]


def beyond_an_array(t, R):
    return 0.0, 0.0, np.ones(3)[0 if t < 0.05 else 10**12]


def beyond_a_tuple(t, R):
    return 0.0, 0.0, FACTORS[int(60 * t)]


def short_of_one(t, R):
    return np.ones(3)[: 3 if t < 0.05 else 2]


def one_over_infinity(t, R):
    return 0.0, 0.0, 1.0 / (1.0 + 1.0 / (1.0 if t < 0.05 else 0.0))


def no_remainder(t, R):
    return 0.0, 0.0, float(5 % (2 if t < 0.05 else 0))


def neither_more_nor_less(t, R):
    return 0.0, 0.0, (0.1 if math.sqrt(0.05 - t) > 0.01 else 0.2)


def too_large_to_matter(t, R):
    return 0.0, 0.0, 1.0 / (1.0 + math.exp(14500.0 * t))


def no_whole_number(t, R):
    return 0.0, 0.0, float(int(math.inf if t > 0.05 else 1.0) == 1)


COMPILED_RAISING = {
    raises: "ValueError: out of fuel",
    asserts: "AssertionError: too late",
    singular: "LinAlgError: Singular matrix",
    beyond_an_array: "IndexError: index 1000000000000 is out of bounds",
    beyond_a_tuple: "IndexError: tuple index out of range",
    short_of_one: "ValueError: not enough values to unpack",
    one_over_infinity: "ZeroDivisionError: float division by zero",
    no_remainder: "ZeroDivisionError: integer",
    neither_more_nor_less: "ValueError:",
    too_large_to_matter: "OverflowError: math range error",
    no_whole_number: "OverflowError: cannot convert float infinity to integer",
}
"""Torques that later have no value, where compiled code returns a number; and the errors of Python.
"""


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "torque",
    covering(
        COMPILED_RAISING,
        by=lambda torque: (COMPILED_RAISING[torque].partition(":")[0],),
    ),
    ids=lambda f: f.__name__,
)
def test_a_compiled_torque_that_raises_ends_the_run_as_a_plain_one_does(torque):
    plain = spun(torque, "MR2")
    compiled = spun(engine.torque(torque), "MR2")
    assert compiled.status == "diverged" and compiled.message.endswith(plain.message)
    assert (
        compiled.failed_step == plain.failed_step in (4, 5, 6)
        and COMPILED_RAISING[torque] in compiled.message
    )
    np.testing.assert_allclose(compiled.R, plain.R, rtol=0, atol=1e-14)


@pytest.mark.parametrize(
    "method",
    first(
        [
            m.key
            for m in engine.algorithms()
            if isinstance(m, FixedStep | RateSolver) and not m.promises.needs_rates
        ],
        2,
    ),
)
def test_no_method_goes_on_without_a_torque(method):
    """Nor a method that retries a step that gives nan; an adaptive one may come nearer."""
    run = spun(engine.torque(neither_more_nor_less), method)
    assert run.status == "diverged" and "the torque raised ValueError:" in run.message
    assert (
        is_a_sentence(run.message) and run.t[-1] < 0.061
    )  # where it sees the torque of the start of a step only


@pytest.mark.parametrize(
    "torque", first([beyond_a_tuple, beyond_an_array]), ids=lambda f: f.__name__
)
def test_a_prepared_run_an_ensemble_and_a_sweep_report_what_a_compiled_torque_raises(torque):
    problem = engine.Problem(J=(1, 1, 2), Omega0=(0, 0.1, 3), torque=engine.torque(torque))
    prepared = engine.prepared(problem, "MR2", dt=0.01, steps=10)
    ensemble = studies.ensemble(problem, "MR2", dt=0.01, duration=0.1, members=70)
    swept = studies.sweep(
        problem, ["MR2"], over={"dt": [0.01, 0.001]}, measure=["energy"], duration=0.1
    )
    assert "IndexError" in prepared(Omega0=(0.0, 0.1, 2.0)).message
    assert set(ensemble.status) == {"diverged"} and "IndexError" in ensemble.message
    assert set(np.ravel(swept.status)) == {2}  # diverged


def low(t, R):
    return FACTORS[int(60 * t)]


def lowest(R):
    return 1.0 / (1.0 + np.linalg.inv(R - R)[0, 0])


@pytest.mark.parametrize(
    ("potential", "says"), first([(low, "IndexError"), (lowest, "LinAlgError")])
)
def test_a_compiled_potential_that_raises_ends_the_run(potential, says):
    run = engine.simulate(body(potential=engine.potential(potential)), "MR2", steps=10)
    assert run.status == "diverged" and f"the potential raised {says}" in run.message
    ahead = engine.simulate(body(potential=engine.potential(potential)), "MR2", steps=0)
    assert (ahead.status == "diverged") is (potential is lowest)


def test_what_only_compiled_code_cannot_do_is_said():
    def torque(t, R):
        return 0.0, 0.0, float(int(1e30 * t) > 1)

    run = spun(engine.torque(torque), "MR2")
    assert run.status == "diverged" and "the torque fails as compiled code" in run.message


def test_what_a_potential_raises_is_told_as_the_potential_s():
    def potential(t, R):
        raise RuntimeError("no ground")

    assert (
        "the potential raised RuntimeError: no ground."
        in engine.simulate(body(potential=potential), "MR2").message
    )


def test_wrong_potentials():
    with pytest.raises(ValueError, match="one number"):
        engine.simulate(body(potential=lambda t, R: (1, 2)), "MR2")
    with pytest.raises(ValueError, match="without its torque"):
        engine.Problem(potential=top_potential)


CELL = """import numpy as np
def pull(t, R):
    return 2.0 * np.cross(R[:, 2], (0.0, 0.0, 1.0))
"""


@pytest.mark.parametrize("at_once", [False, True])
def test_the_torque_of_a_cell_is_compiled_if_the_cell_imports_what_it_calls(at_once, monkeypatch):
    """A notebook compiles each statement of a cell alone, as IPython does."""
    name = f"<a cell, {at_once}>"
    monkeypatch.setitem(linecache.cache, name, (0, None, CELL.splitlines(keepends=True), name))
    statements = ast.parse(CELL).body
    cell = {}
    for part in [statements] if at_once else [[one] for one in statements]:
        exec(compile(ast.Module(part, []), name, "exec"), cell)
    run = engine.simulate(body(engine.torque(cell["pull"]), None), "MR2")
    assert run.message == ""


@pytest.mark.parametrize("compiled", [True, False])
def test_a_torque_is_evaluated_along_a_motion(compiled, monkeypatch):
    """As in plain Python; nan where it has no value."""
    if not compiled:
        monkeypatch.setenv("POLHODE_PLAIN", "1")
    problem = engine.problem(
        "custom(torque=formula, frame=body)", formula="-0.1*Omega + e1/(t-1)", Omega0=(1, 2, 3)
    )
    t = np.array([0.0, 0.5, 1.0])
    R = np.stack([problem.R0, check_attitude((0.3, -0.5, 0.9)), problem.R0])
    Omega = np.array([(1.0, 2.0, 3.0), (0.1, 0.2, -0.3), (1.0, 0.0, 0.0)])
    found = evaluate_torque(problem.torque, t, R, Omega)
    for i in range(2):
        expected = R[i] @ (-0.1 * Omega[i] + np.array([1.0, 0.0, 0.0]) / (t[i] - 1))
        np.testing.assert_allclose(found[i], expected, atol=1e-15)
    assert not np.isfinite(found[2]).all()
