"""WebAssembly kernels, run by `assets/js/core/engine.js` in Node, equal the engine."""

from __future__ import annotations

from itertools import cycle, product
from math import exp
from pathlib import Path

import numpy as np
import pytest
from covering import covering, first

import engine
from benchmarks.node import Node, executable
from engine import web
from engine.algorithms import FixedStep
from engine.algorithms.core import OwnSteps
from engine.algorithms.core.method import all_methods
from engine.compiler import cache, wasm
from engine.text.formatting import show

from .test_kernels import KINDS, PROBLEMS, fits, with_a_third_field

STEPS = 20
CLOSE = 1e-11
"""The processor rounds fused operations once and WebAssembly twice, and library functions differ.
"""

pytestmark = pytest.mark.skipif(executable() is None, reason="there is no Node")


@pytest.fixture(scope="module")
def node():
    one = Node()
    yield one
    one.close()


def series_of(run, name):
    """Return a run's series or observed quantities as (n, components)."""
    values = run.observed[name] if name in run.observed else getattr(run, name)
    return np.reshape(values, (len(run), -1))


def apart(answer, run):
    """Return the largest difference of any series, relative to its largest value or to 1."""
    worst = 0.0
    for name, values in answer["series"].items():
        ours = series_of(run, name)
        theirs = np.reshape(np.array(values, dtype=float), ours.shape)
        assert np.array_equal(np.isnan(ours), np.isnan(theirs)), name
        worst = max(worst, np.nanmax(np.abs(ours - theirs)) / max(1.0, np.nanmax(np.abs(ours))))
    return worst


def compare_runs(node, problem, method, **how):
    """Run a module in Node and the same with the engine; return both results."""
    made = web.module(problem, method, **how)
    run = engine.simulate(problem, method, **how)
    tracked = next(name for name in ("energy", "norm") if name in run.extrema)
    answer = node.ask(made, series=list(made.header["series"]), extrema=[tracked])
    assert set(made.header["series"]) >= {*run.motion, *run.observed} - {"orthogonality"}
    assert (answer["status"], answer["done"]) == (run.status, run.cost.steps)
    assert answer["newtonIterations"] == pytest.approx(run.cost.newton_iterations, rel=0.02)
    assert answer["torqueEvaluations"] == pytest.approx(run.cost.torque_evaluations, rel=0.02)
    np.testing.assert_array_equal(answer["t"], run.t)
    for which, value in run.extrema[tracked]._asdict().items():
        assert answer["extrema"][tracked][which] == pytest.approx(value, rel=CLOSE, abs=CLOSE)
    assert answer["extrema"][tracked]["deviation"] == pytest.approx(
        run.deviation(tracked), rel=0, abs=CLOSE
    )
    assert apart(answer, run) < CLOSE
    return answer, run


LAST_DIGIT = np.finfo(float).eps
FUSED = 100.0
"""The largest effect of fused operations in all steps, in units of that of the start's last digit.
"""


@pytest.mark.parametrize("method", first(["MIDPOINT-HELD", "BUSS1"]))
def test_a_motion_that_amplifies_roundoff_differs_by_no_more_than_that(node, method, monkeypatch):
    """At the soft wall, steps as long as the problem's multiply a last digit by 10¹⁵ within 10 s.

    There machine code and WebAssembly go different ways, since only one fuses operations. They
    differ by what starts differ by in their last digit, and WebAssembly is plain Python bit for
    bit, well into that.
    """
    wall = engine.problem("soft-wall")
    run = engine.simulate(wall, method)
    every_way = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, -1, 1]])
    others = [
        engine.simulate(wall.replace(Omega0=wall.Omega0 + LAST_DIGIT * way), method)
        for way in every_way
    ]
    spread = np.max([np.abs(other.R - run.R).max(axis=(1, 2)) for other in others], axis=0)
    answer = node.ask(web.module(wall, method), series=["R"])
    R = np.reshape(answer["series"]["R"], run.R.shape)
    moved = np.maximum.accumulate(np.maximum(spread, LAST_DIGIT))
    assert (np.abs(R - run.R).max(axis=(1, 2)) <= FUSED * moved).all()
    assert moved[run.t <= 5.0].max() < 1e-12 and moved[-1] > 0.1
    monkeypatch.setenv("POLHODE_PLAIN", "1")
    np.testing.assert_array_equal(R[:161], engine.simulate(wall, method, steps=160).R)


STEPPING = [method for method in all_methods("so3") if isinstance(method, FixedStep)]


TOPS_AND_OTHERS = [
    (method, name) for method, name in with_a_third_field(STEPPING) if name != "free"
]
"""For the free body, `test_every_field` tests one method."""


@pytest.mark.parametrize(
    ("method", "name"),
    covering(
        TOPS_AND_OTHERS,
        by=lambda method, name: (method.implicit, method.self_starting, method.carries[0]),
    ),
    ids=lambda x: getattr(x, "label", x),
)
def test_one_body(node, method, name):
    compare_runs(node, PROBLEMS[name], method, steps=STEPS)


def fields_each_with_a_method():
    turn = cycle(
        engine.algorithm(key)
        for key in ("NMB", "MR2", "AKW*suzuki4", "RKMK(tableau=dop853)", "DMV")
    )
    for name in PROBLEMS:
        yield next(method for method in turn if fits(method, name)), name


@pytest.mark.parametrize(
    ("method", "name"),
    first(list(fields_each_with_a_method())),
    ids=lambda x: getattr(x, "label", x),
)
def test_every_field(node, method, name):
    compare_runs(node, PROBLEMS[name], method, steps=100)


@pytest.mark.parametrize(
    ("key", "name"),
    covering(
        product(
            [m.key for m in all_methods("se3") if isinstance(m, FixedStep)],
            ["dumbbells", "two-bodies"],
        ),
        by=lambda key, name: (name,),
    ),
)
def test_two_bodies(node, key, name):
    compare_runs(node, name, key, steps=STEPS)


@pytest.mark.exhaustive
def test_steps_of_two_bodies_of_a_methods_own_size(node):
    """Of point masses, whose gravity has no series, there is no module."""
    how = {"duration": 0.5, "dt": 0.05}
    run = engine.simulate("dumbbells", "TAYLOR", **how)
    answer = node.ask(web.module("dumbbells", "TAYLOR", **how), series=["R1", "R2", "x1", "x2"])
    assert answer["status"] == run.status == "done"
    assert apart(answer, run) < CLOSE
    with pytest.raises(ValueError, match="TAYLOR needs a Taylor series of the gravity"):
        web.module("two-bodies", "TAYLOR", **how)


@pytest.mark.parametrize("frame", ["body", "space"])
@pytest.mark.parametrize("rate", ["", "(sin(3*t), 0.5*cos(5*t), 1)"])
def test_given_rates(node, rate, frame):
    """Of a problem, and of a function of the caller's, which is written into the kernel."""
    problem = engine.Problem(rate=rate) if rate else engine.problem("coning")
    compare_runs(node, problem.replace(frame=frame), "RK4-QUAT", steps=STEPS)


@pytest.mark.parametrize(
    "key, changes",
    [
        ("coning", {"frequency": 20.0, "R0": (0.1, 0.2, 0.0)}),
        ("slew", {"angle": 30.0, "about": (1.0, 0.0, 2.0)}),
        ("random-rates", {"R0": (0.1, 0.2, 0.3)}),
    ],
)
def test_the_numbers_of_given_rates_change_in_a_browser(node, key, changes):
    """Those that compiled code computes; a kernel has the others."""
    beginning = web.beginning(key)
    run = engine.simulate(engine.problem(key, **changes), "RK4-QUAT", steps=50)
    given = {name: list(np.ravel(value)) for name, value in changes.items()}
    assert {*given} <= {one["name"] for one in beginning.header["given"]}
    assert {*web.list_numbers(key)} == {one["name"] for one in beginning.header["given"]}
    module = web.module(key, "RK4-QUAT", steps=50)
    answer = node.ask(module, beginning, asked={"given": given}, series=["R"])
    assert apart(answer, run) < CLOSE


def test_a_rate_that_cannot_be_compiled_has_no_module():
    with pytest.raises(ValueError, match="the rate cannot be compiled"):
        web.module(engine.Problem(rate=lambda t: eval("t")), "RK4-QUAT")


def test_the_energy_correction(node):
    compare_runs(node, "free", "BUSS3", energy_correction=True, steps=200)


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore:The torque is not that of the potential")
def test_own_torques_are_written_into_the_kernel(node):
    @engine.torque
    def pull(t, R):
        return 0.3 * R[2, 1], -0.2 * R[2, 0] + 0.1 * t, 0.05

    @engine.potential
    def height(R):
        return 0.3 * R[2, 2]

    problem = engine.Problem(
        J=[[2, 0.1, 0], [0.1, 3, 0.2], [0, 0.2, 4]], torque=pull, potential=height
    )
    compare_runs(node, problem, "NMB", steps=50, dt=0.05)

    @engine.torque
    def drag(t, R, Omega):
        return tuple(
            -0.3 * (R[i, 0] * Omega[0] + R[i, 1] * Omega[1] + R[i, 2] * Omega[2]) for i in (0, 1, 2)
        )

    compare_runs(node, problem.replace(torque=drag), "RKMK", steps=50, dt=0.05)


def test_a_torque_with_small_arrays_runs_in_a_browser(node):
    def pull(t, R):
        return 0.5 * np.cross(R[:, 2], (0.0, 0.0, 1.0)) + np.array([np.arctan(R[0, 2]), 0.0, 0.0])

    problem = engine.Problem(J=(1, 2, 3), Omega0=(0.1, 1, 2), torque=pull)
    compare_runs(node, problem, "NMB", steps=50, dt=0.05)


def test_a_torque_that_cannot_be_compiled_has_no_module():
    problem = engine.Problem(torque=lambda t, R: np.linalg.inv(R)[0])
    with pytest.raises(ValueError, match=r"the torque cannot be compiled: NumPy's inv"):
        web.module(problem, "NMB")


def test_steps_with_32_bits_over_frames(node):
    how = {"precision": "single", "substeps": 3, "steps": 200}
    run = engine.simulate("slow-top", "NMB", **how)
    answer = node.ask(web.module("slow-top", "NMB", **how), series=["R"])
    assert 1e-8 < apart(answer, run) < 1e-4, (
        "the engine's machine code fuses products and sums, and this does not"
    )


@pytest.mark.parametrize("key", ["EXACT", "DOP853"])
def test_methods_that_do_not_step_in_a_kernel_have_no_module(key):
    with pytest.raises(ValueError, match=f"{key}.* does not step in a kernel"):
        web.module("free", key)


OWN_STEPS = [method for method in all_methods("so3") if isinstance(method, OwnSteps)]
TAYLOR = engine.algorithm("TAYLOR")


@pytest.mark.parametrize(
    ("method", "name"),
    first(
        [
            (TAYLOR, "slow-top"),
            *((one, name) for one, name in product(OWN_STEPS, PROBLEMS) if fits(one, name)),
        ],
        1,
    ),
    ids=lambda x: getattr(x, "label", x),
)
def test_steps_of_a_methods_own_size(node, method, name):
    """They are the engine's, for any number of rows: wide and narrow ones, and in slices."""
    problem = PROBLEMS[name]
    for rows, slices in ((3, None), (200, 0)):
        how = {"duration": 2.0, "dt": 2.0 / rows}
        made = web.module(problem, method, **how)
        run = engine.simulate(problem, method, **how)
        answer = node.ask(made, series=["R", "Omega", "energy"], extrema=["energy"], slices=slices)
        assert (answer["status"], answer["done"]) == (run.status, rows)
        assert apart(answer, run) < CLOSE
        deviation = answer["extrema"]["energy"]["deviation"]
        assert deviation == pytest.approx(run.deviation("energy"), rel=0, abs=CLOSE)


@pytest.mark.parametrize("name", first(["slow-top", "free", "magnet"]))
def test_numbers_do_not_depend_on_vectors(node, name, monkeypatch):
    """Without vectors of 128 bits, a module computes the same, bit for bit."""
    how = {"duration": 2.0, "dt": 0.05}
    found = []
    for features in (wasm.FEATURES, wasm.FEATURES.replace(",+simd128", "")):
        monkeypatch.setattr(wasm, "FEATURES", features)
        wasm.environment.cache_clear()
        found.append(web.module(name, TAYLOR, **how))
    wasm.environment.cache_clear()
    vectors, scalars = found
    assert vectors.code != scalars.code
    assert len(vectors.code) < 100_000
    assert node.ask(vectors, series=["R", "Omega"]) == node.ask(scalars, series=["R", "Omega"])


def test_options_are_given_to_a_run(node):
    how = {"duration": 5.0, "dt": 0.5}
    made = web.module("slow-top", TAYLOR, **how)
    loose = {"rtol": 1e-4, "atol": 1e-4}
    run = engine.simulate("slow-top", TAYLOR, **loose, **how)
    answer = node.ask(made, asked={"options": loose}, series=["R"])
    assert apart(answer, run) < CLOSE < apart(node.ask(made, series=["R"]), run)


def growing(t, R):
    """A torque that becomes infinite."""
    return exp(8.0 * t), 0.0, 0.0


@pytest.mark.parametrize(
    ("problem", "method", "how"),
    [
        ("free", "DMV", {"dt": 3.0, "steps": 500}),  # no solution
        (
            engine.Problem(J=(1, 2, 3), torque=growing),
            "MR2",
            {"dt": 0.1, "steps": 5000},
        ),  # blows up
        ("slow-top", "NMB", {"dt": 2.0, "steps": 500}),
    ],
)
@pytest.mark.parametrize("slices", [None, 0.05])
def test_runs_end_as_the_engines_do(node, problem, method, how, slices):
    run = engine.simulate(problem, method, **how)
    answer = node.ask(
        web.module(problem, method, **how), series=["energy", "increment"], slices=slices
    )
    assert (answer["status"], answer["message"]) == (run.status, run.message)
    assert (answer["failedStep"], answer["done"]) == (run.failed_step, run.cost.steps)
    assert len(answer["t"]) == len(run)


def test_one_of_these_fails():
    """This ensures that the test above sees a failed step."""
    assert engine.simulate("free", "DMV", dt=3.0, steps=500).status == "no-solution"
    run = engine.simulate(engine.Problem(J=(1, 2, 3), torque=growing), "MR2", dt=0.1, steps=5000)
    assert run.status == "diverged" and 300 < run.failed_step < 5000


@pytest.mark.parametrize("every", [1, 7, 400, 1000])
def test_rows_are_kept_as_asked(node, every):
    run = engine.simulate("slow-top", "MR2", steps=400, every=every)
    answer = node.ask(
        web.module("slow-top", "MR2", steps=400), asked={"every": every}, series=["R", "pi_e3"]
    )
    np.testing.assert_array_equal(answer["t"], run.t)
    assert apart(answer, run) < CLOSE


@pytest.mark.parametrize("slices", [0, 0.3])
def test_a_run_in_slices_is_the_same(node, slices):
    made = web.module("slow-top", "NMB", steps=20_000)
    whole = node.ask(made, asked={"every": 50}, series=["R"], extrema=["energy"])
    assert (
        node.ask(made, asked={"every": 50}, series=["R"], extrema=["energy"], slices=slices)
        == whole
    )


def test_a_cancelled_run_keeps_what_it_has(node):
    answer = node.ask(
        web.module("free", "MR2", steps=10**7),
        asked={"every": 1000},
        cancelAfter=5000,
        series=["energy"],
    )
    assert answer["status"] == "cancelled"
    assert 5000 <= answer["done"] < 10**7
    assert (
        answer["message"]
        == f"Cancelled after {answer['done']} steps, at t = {show(answer['done'] * 0.5)}."
    )
    assert (
        len(answer["series"]["energy"])
        == len(answer["t"])
        == answer["done"] // 1000 + 1 + (answer["done"] % 1000 > 0)
    )


CHANGES = [
    ("free", {"J": (1.0, 2.0, 2.5), "Omega0": (0.1, 2.0, 0.3), "R0": (0.3, -0.2, 1.0)}),
    ("slow-top", {"Mgl": 31.0, "Omega0": (0.1, 0.2, 9.0)}),
    ("asymmetric-top", {"Mg": 4.0, "R0": (0.1, 0.2, 0.3)}),
    ("book-toss", {"td": 1.0, "torque": 15.0, "kick": 0.3}),
    ("magnet", {"alpha": 0.7}),
    ("gyrostat", {"rotor": (0.1, -0.4, 0.9), "Omega0": (0.5, 0.1, 0.2)}),
    ("soft-wall", {"Omega0": (0.5, 0.1, 0.2)}),
    ("dumbbells", {"X": (1.5, 0.1, 0.3), "R2": (0.1, 0.2, 0.3), "G": 0.3}),
    ("coning", {"R0": (0.3, -0.2, 1.0)}),
    (
        "two-bodies",
        {"V": (0.0, 0.7, 0.1), "Omega2": (0.1, 0.2, 0.3), "drift": (0.1, 0.0, 0.0), "G": 0.4},
    ),
]


@pytest.mark.parametrize(
    ("name", "changes"), first(CHANGES), ids=lambda x: x if isinstance(x, str) else ""
)
def test_a_run_begins_from_what_is_given(node, name, changes):
    problem = engine.problem(name)
    method = _any(problem)
    begins = web.beginning(problem)
    assert {given["name"] for given in begins.header["given"]} >= set(changes)
    given = {key: list(np.ravel(value)) for key, value in changes.items()}
    run = engine.simulate(problem.replace(**changes), method, steps=100, dt=0.004)
    made = web.module(problem, method, steps=100)
    answer = node.ask(
        made, begins, asked={"dt": 0.004, "given": given}, series=list(made.header["series"])
    )
    assert apart(answer, run) < CLOSE


@pytest.mark.parametrize("name", first(["dumbbells", *KINDS, "two-bodies"], 6))
def test_what_begins_a_run_is_the_problems_own_if_nothing_is_changed(node, name):
    problem = PROBLEMS[name] if name in PROBLEMS else engine.problem(name)
    made = web.module(problem, _any(problem), steps=5)
    begins = web.beginning(problem)
    value = begins.header["given"][1]
    answer = node.ask(
        made, begins, asked={"given": {value["name"]: value["value"]}}, series=["energy"]
    )
    assert answer == node.ask(made, series=["energy"])


def _any(problem):
    return "LGVI" if problem.space == "se3" else "CF4"


def test_in_other_axes_than_the_bodys_own(node):
    problem = engine.problem("asymmetric-top").replace(J=[[2, 0.3, 0], [0.3, 3, 0.2], [0, 0.2, 4]])
    compare_runs(node, problem, "NMB", steps=50)
    begins = web.beginning(problem)
    run = engine.simulate(problem.replace(Omega0=(1, 2, 3)), "NMB", steps=50)
    made = web.module(problem, "NMB", steps=50)
    assert (
        apart(
            node.ask(made, begins, asked={"given": {"Omega0": [1, 2, 3]}}, series=["R", "Omega"]),
            run,
        )
        < CLOSE
    )


def test_a_module_imports_no_more_than_is_supplied():
    made = web.module("slow-top", "NMB")
    (found,) = [
        wasm.imports(content)
        for number, content in wasm.sections(made.code)
        if number == wasm.IMPORTS
    ]
    assert {name for _, name in found} <= wasm.SUPPLIED
    assert made.code[:4] == b"\0asm"


def test_a_module_is_kept_beside_the_machine_code(tmp_path, monkeypatch):
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))
    first = web.module("free", "MR2")
    assert len(list(tmp_path.glob("*.o"))) == 1
    monkeypatch.setattr(wasm, "module", None)
    assert web.module("free", "MR2", dt=0.1).code == first.code


def test_numbers_are_written_as_in_python(node):
    numbers = [
        0.5,
        1010,
        1e9,
        2.5e-6,
        0,
        -3,
        1e-4,
        123456,
        1234567,
        -1e6,
        99999.96,
        1e5 / 3,
        2 / 3,
        -7.25e-11,
    ]
    assert node.ask(numbers=numbers) == [show(float(x)) for x in numbers]


def test_only_modules_are_loaded_by_their_keys(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The cache also has machine code, which nobody else should get."""
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path / "kernels"))
    cache.store("a" * 40, b"machine code")
    assert cache.load("a" * 40) and web.load("a" * 40) is None
    made = web.module("free", "MR2")
    begins = web.beginning("free")
    assert (web.load(made.key), web.load(begins.key)) == (made.code, begins.code)
