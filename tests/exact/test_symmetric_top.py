"""The symmetric top in closed form, against series in many digits and against itself."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from covering import few
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.exact.symmetric_top import SymmetricTop, find_figure_axis
from engine.parameters.validation import check_attitude

SERIES = json.loads((Path(__file__).parents[1] / "data" / "heavy_tops.json").read_text())
ILL = {"separatrix"}
"""Cases in which the motion magnifies the last digits of the data by a hundred million."""


def top(case):
    return SymmetricTop(case["moments"], case["weight"], case["R0"], case["Omega0"])


@pytest.mark.parametrize("name", sorted(SERIES["tops"].keys() - ILL - {"asymmetric-top"}))
def test_against_series_in_many_digits(name):
    case = SERIES["tops"][name]
    R, Omega, Pi = top(case).at(SERIES["t"])
    rate = np.linalg.norm(case["Omega"], axis=1).max()
    ulps = 8 * np.finfo(float).eps * (1 + rate * SERIES["t"][-1])
    np.testing.assert_allclose(R, case["R"], rtol=0, atol=ulps)
    np.testing.assert_allclose(Omega, case["Omega"], rtol=0, atol=ulps * (1 + rate))
    np.testing.assert_allclose(
        Pi, np.array(case["Omega"]) * case["moments"], rtol=0, atol=5 * ulps * (1 + rate)
    )


def test_the_separatrix_is_as_good_as_its_data():
    case = SERIES["tops"]["separatrix"]
    R, _, _ = top(case).at(SERIES["t"])
    changed, _, _ = top(case | {"Omega0": np.nextafter(case["Omega0"], -9)}).at(SERIES["t"])
    off, owed = (np.abs(R - other).max(axis=(1, 2)) for other in (case["R"], changed))
    assert owed[-1] > 1e-9, "this is not the separatrix"
    assert (off <= 8 * owed + 1e-14).all()


@pytest.mark.parametrize("name", sorted(SERIES["tops"].keys() - {"asymmetric-top"}))
def test_the_motion_begins_at_the_initial_state_and_stays_a_rotation(name):
    case = SERIES["tops"][name]
    R, Omega, _ = top(case).at(np.linspace(0, 50, 300))
    np.testing.assert_allclose(R[0], case["R0"], rtol=0, atol=2e-15)
    np.testing.assert_allclose(
        Omega[0], case["Omega0"], rtol=0, atol=2e-15 * (1 + np.abs(Omega).max())
    )
    np.testing.assert_allclose(
        R.swapaxes(1, 2) @ R, np.broadcast_to(np.eye(3), R.shape), rtol=0, atol=2e-15
    )


number = st.floats(-1, 1).map(lambda x: round(x, 6))
tilt = st.one_of(st.floats(0, 3.14159), st.floats(-12, -1).map(lambda p: 10.0**p))


@settings(max_examples=few(150))
@given(
    ratio=st.floats(0.05, 2.0), weight=st.floats(0, 1).map(lambda p: 20.0 * p**3 + 1e-9), angle=tilt, turns=number,
    Omega0=st.tuples(number, number, st.floats(-6, 6)), axis=st.sampled_from(range(3)),
    sign=st.sampled_from([1, -1]), t=st.floats(0.01, 2),
)  # fmt: skip
def test_any_top_keeps_what_it_keeps_and_flows_on_from_where_it_is(
    ratio, weight, angle, turns, Omega0, axis, sign, t
):
    χ = sign * np.eye(3)[axis]
    J, w = np.where(χ, ratio, 1.0), weight * χ
    upright = np.diag([1.0, sign, sign]) @ np.roll(np.eye(3), 2 - axis, axis=0)
    R0 = check_attitude((0, 0, 3 * turns)) @ check_attitude((angle, 0, 0)) @ upright
    R, Omega, Pi = SymmetricTop(J, w, R0, Omega0).at([0.0, t, 2 * t])
    scale = 1 + np.sum(Pi**2, axis=1).max() + weight
    energy = 0.5 * np.sum(Omega * Pi, axis=1) + R[:, 2] @ w
    vertical = np.einsum("ni,ni->n", R[:, 2], Pi)
    for kept in (energy, vertical, Pi @ χ):
        np.testing.assert_allclose(kept, kept[0], rtol=0, atol=1e-14 * scale * (1 + t))
    assert np.abs(np.linalg.det(R) - 1).max() < 1e-14
    # The roundoff of the state half way grows like the fastest fall from the vertical does.
    grown = np.exp(np.sqrt(weight) * t) * (1 + 7 * t)
    further, _, there = SymmetricTop(J, w, R[1], Omega[1]).at([t])
    np.testing.assert_allclose(further[0], R[2], rtol=0, atol=1e-14 * grown)
    np.testing.assert_allclose(there[0], Pi[2], rtol=0, atol=1e-14 * grown * scale)


def test_a_sleeping_top_sleeps_for_ever_and_backwards():
    for spin in (0.5, 5.0, 50.0):
        R, Omega, _ = SymmetricTop((5, 5, 1), (0, 0, 20), np.eye(3), (0, 0, spin)).at(
            [-1e3, 1.0, 1e6]
        )
        np.testing.assert_allclose(R[:, 2, 2], 1.0, rtol=6e-16)
        np.testing.assert_array_equal(Omega, np.broadcast_to((0, 0, spin), (3, 3)))
        np.testing.assert_allclose(R[:2, 1, 0], np.sin([-1e3 * spin, spin]), rtol=0, atol=1e-11)


def test_the_period_of_a_pendulum():
    from scipy.special import ellipk

    period = 4 * np.sqrt(5 / 20) * ellipk(np.sin(0.5) ** 2)
    hanging = check_attitude((np.pi - 1.0, 0, 0))
    R, Omega, _ = SymmetricTop((5, 5, 1), (0, 0, 20), hanging, (0, 0, 0)).at(
        [period / 2, 1000 * period]
    )
    np.testing.assert_allclose(R[0], check_attitude((np.pi + 1.0, 0, 0)), rtol=0, atol=1e-14)
    np.testing.assert_allclose(R[1], hanging, rtol=0, atol=5e-12)
    np.testing.assert_allclose(Omega, 0, atol=1e-11)


def test_about_which_axis_a_body_is_symmetric():
    np.testing.assert_array_equal(find_figure_axis((5, 5, 1), (0, 0, 20)), (0, 0, 1))
    np.testing.assert_array_equal(find_figure_axis((5, 1, 5), (0, -3, 0)), (0, -1, 0))
    np.testing.assert_allclose(find_figure_axis((2, 2, 2), (3, 0, 4)), (0.6, 0, 0.8), rtol=1e-15)
    assert find_figure_axis((5, 5, 1), (0, 20, 0)) is None  # off the axis of symmetry
    assert find_figure_axis((5, 5, 1), (0, 1e-9, 20)) is None
    assert find_figure_axis((5, 4, 1), (0, 0, 20)) is None
    assert find_figure_axis((5, 5, 1), (0, 0, 0)) is None
    with pytest.raises(ValueError, match="centre of mass on its axis of symmetry"):
        SymmetricTop((5, 4, 1), (0, 0, 20), np.eye(3), (0, 0, 1))
