"""Trajectories of arrays: shapes, steps, and the frame of the principal axes."""

from __future__ import annotations

import numpy as np
import pytest

import engine
from engine.referee.trajectory import make_trajectory

RUN = engine.simulate("free", "NMB", dt=0.01, steps=40)


def test_the_frame_is_that_of_the_principal_axes_of_a_full_inertia() -> None:
    turn = engine.simulate("free", "NMB", dt=0.4, steps=1).R[1]
    J = np.asarray(RUN.problem.J)
    own = make_trajectory(RUN.t, RUN.R @ turn.T, RUN.Omega @ turn.T, turn @ J @ turn.T)
    assert own.J is not None and own.Omega is not None
    pi = np.einsum("nij,nj->ni", own.R, own.J * own.Omega)
    assert np.abs(pi - RUN.pi).max() < 1e-12
    assert np.linalg.det(own.turn) == pytest.approx(1)


def test_steps_are_even_or_nan() -> None:
    assert make_trajectory(RUN.t + 3, RUN.R).dt == pytest.approx(0.01, rel=1e-12)
    assert np.isnan(make_trajectory(RUN.t**2, RUN.R).dt)
    assert np.isnan(make_trajectory(RUN.t[:1], RUN.R[:1]).dt)


@pytest.mark.parametrize(("t", "dt"), [((0, 1, 2, 5, 8), np.nan), ((0, 1, 2, 102, 202), 1.0)])
def test_half_of_the_steps_may_be_much_longer(t: tuple[float, ...], dt: float) -> None:
    np.testing.assert_equal(make_trajectory(t, RUN.R[: len(t)]).dt, dt)


@pytest.mark.parametrize(
    ("t", "R", "Omega", "needs"),
    [
        (RUN.t[:0], RUN.R[:0], None, "t needs one time for each row"),
        (RUN.t, RUN.R[:5], None, r"R needs the shape \(41, 3, 3\)"),
        (RUN.t, RUN.R, RUN.Omega[:5], r"Omega needs the shape \(41, 3\)"),
    ],
)
def test_arrays_of_other_shapes_are_refused(t, R, Omega, needs) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=needs):
        make_trajectory(t, R, Omega)
