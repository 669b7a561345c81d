"""Quantities: compiled as in plain Python, and equal to NumPy's."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import engine
from app.state.choice import FIRST
from app.state.one_body import main_invariants
from app.state.results import compute
from engine.exact.errors import error
from engine.quantities import Quantity, all_quantities, list_quantities
from engine.quantities.evaluation import compile_formula


def follow(problem: str, method: str, **changes: Any) -> tuple[Any, Any]:
    """A run with the exact motion at its rows; of two bodies with another run."""
    run = engine.simulate(problem, method, **changes)
    if problem == "dumbbells":
        return run, engine.simulate(problem, "LGVI4", **changes)
    return run, engine.exact(run.problem, run.t)


RUNS = {
    "so3": follow("slow-top", "BUSS2", dt=0.05, steps=40),
    "se3": follow("dumbbells", "LGVI", steps=40),
    "rates": follow("coning", "RK4-QUAT", steps=40),
}


@pytest.mark.parametrize("quantity", all_quantities(None), ids=lambda one: f"{one.space}-{one.key}")
@pytest.mark.parametrize("relative", [False, True])
def test_a_quantity_is_the_same_compiled_and_in_plain_python(
    quantity: Quantity, relative: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, exact = RUNS[quantity.space]
    compiled = quantity.values(run, exact, relative=relative)
    monkeypatch.setenv("POLHODE_PLAIN", "1")
    plain = quantity.values(run, exact, relative=relative)
    scale = np.nanmax(np.abs(plain))
    assert compiled.shape == run.t.shape and scale < np.inf
    is_rate = any(reading.series == "t" for reading in quantity.readings)
    unit = quantity.factor / (run.t[1] if is_rate else 1.0)
    np.testing.assert_allclose(compiled, plain, rtol=1e-14, atol=1e-15 * unit + 1e-14 * scale)


def find(key: str, space: str = "so3") -> Quantity:
    return next(one for one in all_quantities(space) if one.key == key)


def test_changes_and_lengths_are_those_of_numpy() -> None:
    run, exact = RUNS["so3"]
    size = np.linalg.norm
    for key, values in {
        "energy": run.energy - run.energy[0],
        "pi_chi": run.observed["pi_chi"] - run.observed["pi_chi"][0],
        "pi": size(run.pi - run.pi[0], axis=1),
        "momentum-error": size(run.pi - exact.pi, axis=1),
        "body-momentum": size(run.Pi - exact.Pi, axis=1),
        "spectral": size(run.R - exact.R, ord=2, axis=(1, 2)),
        "increment": np.degrees(run.increment),
        "pi2-error": run.pi[:, 1] - exact.pi[:, 1],
        "Omega3": run.Omega[:, 2],
        "Pi2": run.Pi[:, 1],
        "Pi-length": size(run.Pi, axis=1),
        "energy-ratio": 100 * run.energy / run.energy[0],
    }.items():
        found = find(key).values(run, exact)
        np.testing.assert_allclose(found, values, rtol=1e-13, atol=1e-14, err_msg=key)
    np.testing.assert_allclose(
        find("energy").values(run, relative=True), run.energy / run.energy[0] - 1.0, atol=1e-13
    )


def nearest(R: Any) -> Any:
    """The nearest rotations by singular values."""
    U, _, Vt = np.linalg.svd(R)
    U[..., -1] *= np.sign(np.linalg.det(U @ Vt))[:, None]
    return U @ Vt


@pytest.mark.parametrize("method", ["RK4-MATRIX", "RK2-MATRIX"])
def test_the_attitude_error_is_that_of_the_nearest_rotation_until_a_run_blows_up(
    method: str,
) -> None:
    """Also where the matrix is a reflection, or has no third direction left."""
    run, exact = follow("free", method, dt=5.0, steps=80)
    assert run.status == "diverged" and np.abs(run.R).max() > 1e50
    assert np.linalg.det(run.R / np.abs(run.R).max(axis=(1, 2), keepdims=True)).min() < 0.0
    turned = exact.R.swapaxes(1, 2) @ nearest(run.R)
    cosine = (np.trace(turned, axis1=1, axis2=2) - 1.0) / 2.0
    angle = find("attitude").values(run, exact)
    np.testing.assert_allclose(np.cos(angle), cosine, atol=1e-11)


def change_energy(*energy: float) -> Any:
    """What a run has of its energy."""
    times = np.arange(len(energy))
    problem = RUNS["so3"][0].problem
    return SimpleNamespace(t=times, energy=np.array(energy), problem=problem)


def test_a_curve_ends_where_it_leaves_its_limit() -> None:
    """And does not come back."""
    values = find("energy-ratio").values(change_energy(2.0, -9.0, 9.0, 10.0, 2.0, 4.0))
    np.testing.assert_array_equal(values, [100.0, -450.0, 450.0, np.nan, np.nan, np.nan])


def test_nan_and_infinity_pass_through() -> None:
    values = find("energy").values(change_energy(1.0, np.inf, np.nan, -np.inf, 3.0))
    np.testing.assert_array_equal(values, [0.0, np.inf, np.nan, -np.inf, 2.0])


def test_a_quantity_that_starts_at_zero_has_no_relative_values() -> None:
    run = engine.simulate(engine.problem("free").replace(Omega0=(0.0, 0.0, 0.0)), "NMB", steps=2)
    assert find("energy").find_divisor(run) is None
    assert not find("energy").values(run, relative=True).any()


def test_quantities_are_those_that_the_motion_conserves() -> None:
    free, top = (engine.problem(key) for key in ("free", "slow-top"))
    assert {"pi", "casimir", "pi1"} <= {one.key for one in list_quantities(free)}
    keys = {one.key for one in list_quantities(top)}
    assert {"pi_e3", "momentum-error", "pi1-error"} <= keys and not {"pi", "pi1"} & keys
    modified = list_quantities(free, [engine.algorithm("HIROTA-KIMURA")])
    assert [one.key for one in modified][1:3] == ["modified-energy", "modified-casimir"]
    kovalevskaya = engine.problem("kovalevskaya-top")
    for one in kovalevskaya.integrals:
        assert one.key in {each.key for each in list_quantities(kovalevskaya, fitting=False)}


def test_a_function_of_another_kind_is_refused() -> None:
    def wrong(Ω: list) -> float:  # type: ignore[type-arg]
        return 0.0

    with pytest.raises(ValueError, match="Ω is a float, a Vec3, a Mat3; it cannot be a list"):
        engine.quantities.quantity(key="wrong", title="", symbol="")(wrong)


def test_errors_are_quantities_against_the_exact_motion() -> None:
    run, exact = RUNS["so3"]
    errors = error(run, exact)
    np.testing.assert_array_equal(errors.attitude[1:], find("attitude").values(run, exact)[1:])


def test_results_come_with_the_compiled_quantities_of_their_plots() -> None:
    """So that drawing them compiles nothing."""
    compile_formula.cache_clear()
    results = compute(FIRST["so3"])
    compiled = compile_formula.cache_info().misses
    for one in main_invariants(results):
        assert one.values(results.runs[0], relative=False) is not None
    assert compile_formula.cache_info().misses == compiled > 0
