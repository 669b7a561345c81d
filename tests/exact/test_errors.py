"""`error`: along a run, against the exact motion or another run."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest

import engine
from engine.exact import describe_attitude_errors, exact, find_closed_form
from engine.exact.errors import describe_lost_phase, error
from engine.parameters.validation import check_attitude


@pytest.fixture(scope="module")
def run():
    return engine.simulate("slow-top", "MR2", dt=0.01, duration=2, every=3)


def change(run, **series):
    return run.replace(motion=dict(run.motion) | series)


def turn_attitudes(run, *turn):
    return change(run, R=check_attitude(turn) @ run.R)


def test_of_a_run_against_itself_there_is_none(run):
    errors = error(run, run)
    assert max(errors.worst) < 3e-16
    assert errors.reference_estimate is None and "MR2" in errors.reference
    assert len(errors) == len(run)


@pytest.mark.parametrize("angle", [1e-15, 1e-12, 1e-6, 0.1, 1.5, 3.0, np.pi - 1e-9, np.pi])
def test_the_angle_of_a_turn_is_told_to_roundoff(run, angle):
    errors = error(turn_attitudes(run, 0.6 * angle, 0.0, 0.8 * angle), run)
    np.testing.assert_allclose(errors.attitude, angle, rtol=0, atol=1e-15)
    np.testing.assert_allclose(errors.spectral, 2 * np.sin(angle / 2), rtol=0, atol=6e-15)
    np.testing.assert_array_equal(errors.Pi, 0.0)


def test_a_matrix_that_is_no_rotation_has_the_angle_of_the_nearest(run):
    stretch = np.diag([1.1, 0.9, 1.2])
    off = turn_attitudes(run, 0.0, 0.02, 0.0)
    errors = error(change(off, R=off.R @ stretch, orthogonality=np.full(len(run), 0.5)), run)
    np.testing.assert_allclose(errors.attitude, 0.02, rtol=0, atol=1e-15)
    expected = [
        np.linalg.norm(R @ stretch - exactly, 2) for R, exactly in zip(off.R, run.R, strict=True)
    ]
    np.testing.assert_allclose(errors.spectral, expected, rtol=1e-14)


@pytest.mark.parametrize("times, known", [(0.5, False), (2.0, True)])
def test_a_momentum_error_is_known_if_it_exceeds_that_of_the_reference(times, known):
    """The estimate is relative to the largest momentum, 40 here."""
    run = engine.simulate("book-toss", "DOP853", dt=0.01, duration=4)
    reference = exact(run.problem, run.t)
    off = times * 40 * reference.estimates.momentum[:, None] * np.array([0.6, 0.0, 0.8])
    errors = error(
        change(run, Omega=np.linalg.solve(run.problem.J, (reference.Pi + off).T).T), reference
    )
    assert np.isfinite(errors.Pi[-1]) == known


def test_momenta_in_the_body_and_in_space(run):
    other = change(run, Omega=run.Omega + [0.0, 3e-3, 0.0], pi=run.pi + [1e-5, 0.0, 0.0])
    errors = error(other, run)
    np.testing.assert_allclose(errors.Pi, 5 * 3e-3, rtol=1e-11)
    np.testing.assert_allclose(errors.pi, 1e-5, rtol=1e-9)
    assert errors.worst.Pi == errors.Pi.max() and errors.last.pi == errors.pi[-1]


@pytest.mark.parametrize("key", ["free", "slow-top", "asymmetric-top"])
def test_errors_against_the_exact_motion_fall_with_the_order(key):
    p = engine.problem(key)
    worst = []
    for dt in (p.dt / 4, p.dt / 8):
        errors = error(engine.simulate(p, "RKMK(tableau=rk4)", dt=dt, duration=4))
        assert max(errors.reference_estimate) < 1e-12
        worst.append(errors.worst)
    orders = np.log2(np.divide(*worst))
    # RKMK keeps π of a free body, in which no order can be seen.
    np.testing.assert_allclose(orders[: 3 if key == "free" else 4], 4, atol=0.4)


def test_any_reference_serves_at_the_times_that_both_have(run):
    fine = engine.simulate("slow-top", "RKMK(tableau=butcher6)", dt=0.0025, duration=2, every=2)
    errors = error(run, fine)
    np.testing.assert_allclose(errors.t, run.t[np.isclose(run.t / 0.005, np.rint(run.t / 0.005))])
    motion = exact("slow-top", run.t[::-2])
    backwards = error(run, motion)
    assert len(backwards) == len(motion.t)
    np.testing.assert_allclose(
        backwards.attitude, error(run).attitude[np.isin(run.t, motion.t)], rtol=0, atol=1e-13
    )
    assert len(error(run, exact("slow-top", run.t[5]))) == 1
    with pytest.raises(ValueError, match="no rows at a common time"):
        error(run, engine.simulate("slow-top", "MR2", dt=np.pi / 100, duration=2))
    with pytest.raises(
        ValueError, match=r"a reference is a run, or what engine\.exact returns; got str"
    ):
        error(run, "slow-top")


def test_a_run_of_no_steps_has_no_error():
    for key in ("free", "asymmetric-top", "book-toss"):
        assert max(error(engine.simulate(key, "MR2", steps=0)).worst) < 1e-15


@pytest.mark.exhaustive
def test_a_last_row_out_of_step_with_the_others():
    for every, steps in ((7, 100), (1000, 600_001)):
        run = engine.simulate(
            "soft-wall(sign=as-printed)",
            "RKMK(tableau=butcher6)",
            dt=2e-5,
            steps=steps,
            every=every,
        )
        assert len(run) == steps // every + 2
        assert error(run).worst.attitude < 1e-10


def test_the_book_is_kicked_for_a_step_of_its_own_run():
    for dt in (0.1, 0.05):
        errors = error(engine.simulate("book-toss", "RKMK(tableau=rk4)", dt=dt, duration=1.9))
        assert max(errors.worst) < 1e-9
    # Once the kick is over, a run differs by what it makes of the switching times, which fall on
    # its steps.
    late = error(engine.simulate("book-toss", "RKMK(tableau=rk4)", dt=0.001, duration=2.1))
    assert late.worst.pi < 0.05


def test_an_adaptive_run_is_told_by_the_problem_s_own_step():
    run = engine.simulate("book-toss", "DOP853", rtol=1e-12, atol=1e-12, duration=4, samples=40)
    assert max(error(run).worst) < 1e-6


def test_what_the_reference_cannot_tell_is_no_error():
    run = engine.simulate("asymmetric-top", "MR4", dt=0.05, duration=300)
    errors = error(run)
    known = errors.against.is_known
    assert np.isnan(errors.attitude[~known]).all() and np.isnan(errors.pi[~known]).all()
    shown = np.isfinite(errors.attitude)
    estimate = errors.against.estimates.attitude
    assert (
        errors.attitude[shown & (estimate > 1e-10)] > estimate[shown & (estimate > 1e-10)]
    ).all()
    assert np.isfinite(
        errors.attitude[known][100:]
    ).all()  # the reference is far better than the method
    assert np.isnan(errors.last.attitude) and errors.worst.attitude > 0.1
    assert errors.message.startswith("From t = ") and errors.message.endswith("may be as far off.")
    fine = error(engine.simulate("asymmetric-top", "RKMK(tableau=dop853)", dt=0.01, duration=100))
    assert np.isnan(fine.last.attitude)  # it is as good as the reference
    assert error(engine.simulate("slow-top", "MR4")).message == ""


@pytest.mark.parametrize(
    ("unknown", "words"),
    [
        (slice(20, None), "From t = {:.4g} on, the attitude error is not known. "),
        (slice(20, 30), "At some times from t = {:.4g} on, the attitude error is not known. "),
    ],
)
def test_it_is_told_whether_an_error_is_known_again_later(run, unknown, words):
    motion = exact(run.problem, run.t)
    off = np.zeros(len(run))
    off[unknown] = 1.0
    errors = error(
        run, dataclasses.replace(motion, estimates=motion.estimates._replace(attitude=off))
    )
    assert errors.message == words.format(run.t[20]) + "The reference may be as far off."


def test_it_reads_well(run):
    said = repr(error(run))
    assert said.startswith(f"<errors at {len(run)} times, at worst attitude ")
    assert said.endswith("against the symmetric top in theta functions>")


@pytest.mark.exhaustive
@pytest.mark.parametrize(("problem", "method", "dt", "duration", "is_lost"), [
    ("free", "NMB", 0.5, 100, False), ("free", "DMV", 0.5, 100, True), ("free", "MR2", 0.5, 1000, True),
    ("slow-top", "NMB", 0.05, 60, False), ("slow-top", "MR2", 0.05, 60, True), ("prism", "AKW", 0.004, 40, True),
    ("fast-top", "NMB", 0.005, 20, False), ("kovalevskaya-top", "CG3", 0.1, 300, True),
])  # fmt: skip
def test_phase_is_lost_once_the_attitude_error_spans_its_whole_range(
    problem, method, dt, duration, is_lost
):
    found = error(engine.simulate(problem, method, dt=dt, duration=duration))
    lost = found.t >= found.phase_lost
    assert lost.any() == is_lost and (found.attitude[~lost] <= 0.9 * np.pi).all()
    if is_lost:
        assert found.attitude[lost][0] > 0.9 * np.pi, "the first error of all that is as large"


def test_attitude_errors_are_ranked_only_while_the_phase_is_kept():
    said = describe_attitude_errors({"A": 0.5, "B": np.nan, "C": 1e-9})
    assert said == [
        "Final attitude errors: C 1.0·10⁻⁹ and A 0.50 rad.",
        "B loses phase. Its attitude error wanders between 0 and π, so it is not ranked.",
    ]
    assert describe_attitude_errors({"A": 0.5}) == ["Final attitude error: 0.50 rad."]
    assert describe_attitude_errors({"A": 0.5, "B": None}) == ["Final attitude error: A 0.50 rad."]
    assert describe_attitude_errors({}) == []


def test_the_sentence_on_lost_phase_says_where():
    assert describe_lost_phase([]) == ""
    said = describe_lost_phase(["A", "B"], " with larger steps")
    assert said == (
        "A and B lose phase with larger steps. "
        "Their attitude errors then wander between 0 and π, so they are not ranked."
    )


# -------------------------------------------------------------------------------------------------
# flips


FLIPPING = {"J": (1.0, 2.0, 3.0), "Omega0": (0.01, 1.0, 0.02)}
ORDERS = list(itertools.permutations(range(3)))


def count_flips(body, method, dt, duration):
    found = error(engine.simulate(body, method, dt=dt, duration=duration)).flips
    return found and tuple(map(len, found))


@pytest.mark.parametrize("method", ["LINEAR-EULER", "DMV"])
def test_flips_are_those_of_the_body_in_each_order_of_its_axes_and_in_other_axes(method):
    """Twice a period, as the closed form has it; in an odd order, the reversed velocity mirrors the
    motion.
    """
    J, Ω = (np.array(FLIPPING[name]) for name in ("J", "Omega0"))
    body = engine.Problem(**FLIPPING)
    own, exact = count_flips(body, method, 0.4, 200)
    assert exact == 12 and own == {"LINEAR-EULER": 0, "DMV": 13}[method]
    assert abs(exact - 400 / find_closed_form(body).period) <= 1
    for order in ORDERS:
        sign = round(np.linalg.det(np.eye(3)[list(order)]))
        turned = engine.Problem(J=J[list(order)], Omega0=sign * Ω[list(order)])
        assert count_flips(turned, method, 0.4, 200) == (own, exact)
    Q = engine.problem("free", R0=(0.3, -0.7, 1.1)).R0
    if method == "DMV":
        full = engine.Problem(J=Q @ np.diag(J) @ Q.T, Omega0=Q @ Ω)
        assert count_flips(full, method, 0.4, 200) == (own, exact)


@pytest.mark.parametrize(("changes", "dt"), [
    ({"Omega0": (0, 0, 0)}, 0.4), ({"Omega0": (0, 1, 0)}, 0.4), ({"Omega0": (1, 0, 0)}, 0.4),
    ({"Omega0": (1e-9, 1, 1e-9)}, 0.4), ({"J": (2, 2, 2)}, 0.4), ({"J": (1, 2, 2)}, 0.4), ({"J": (1, 1, 2)}, 0.4),
    ({"J": (2, 2 + 2e-12, 2 - 2e-12)}, 0.4), ({"Omega0": (1, 0.1, 0.1)}, 0.4), ({"Omega0": (0.1, 0.1, 1)}, 0.4),
    ({"J": (1.5, 2.5, 3.0), "Omega0": (1, 0, 1)}, 0.4), ({"J": (1.5, 2.5, 3.0), "Omega0": (0.5, -1, 0.5)}, 0.4),
    ({}, 2.0),
])  # fmt: skip
def test_flips_are_not_counted_where_they_mean_nothing(changes, dt):
    """At rest, in steady spins, on the separatrix, of bodies without a middle axis, near another
    axis, and where a body turns too far between two rows.
    """
    body = engine.Problem(**FLIPPING | changes)
    for method in ("MR2", "RK4-QUAT", "LINEAR-EULER"):
        run = engine.simulate(body, method, dt=dt, duration=100)
        if run.status == "done":
            assert error(run).flips is None
    assert error(engine.simulate("slow-top", "MR2", steps=10)).flips is None
