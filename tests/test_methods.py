"""What every method declares, measured: order, what it keeps and what it does not, reversibility, symplecticity.

All tests run over the registry, so a new method is tested the day it is added.
"""

from __future__ import annotations

import functools
import inspect
import itertools

import numpy as np
import pytest

import engine
from engine.algorithms.method import MOTIONS, QUANTITIES, Choice
from engine.simulate import misfit

VARIANTS = ["AKW(torque=half)", "RK4-QUAT(renormalise=yes)", "ABAM(variant=as-run)", "BUSS3(tail=False)"]
VARIANTS += [f"MR2(axes={axes})" for axes in ("132", "213", "231", "312", "321")] + ["MR2(trig=cayley)"]
VARIANTS += ["TRAPM(zeta=0.25)", "SQ-M(beta=0.1)", "SQ-M(gamma=0.7)", "SW-BUSS(variant=as-run)"]
VARIANTS += ["RK4-AVG(mean=quaternion)", "MR2*yoshida4", "KDK*suzuki4", "AKW*kahan-li6", "VLV*kahan-li8"]
VARIANTS += [f"RKMK(tableau={name})" for name in ("euler", "midpoint", "heun", "kutta3", "butcher6")]
METHODS = [m.key for m in engine.algorithms()] + VARIANTS
ROUNDOFF = 2e-11
"""Relative: after thousands of steps roundoff has grown to a few 1e-12 at most (ABAM and HSTAGM amplify it)."""
LOST = 1e-8
"""Relative: what is not kept is off by much more than this."""


@functools.cache
def reference(key: str, dt: float, duration: float):
    run = engine.simulate(key, "RKMK(tableau=butcher6)", dt=dt, duration=duration, samples=1)
    return run.R[-1], run.Pi[-1]


def coarser(m):
    """A method of high order shows its errors at larger steps only."""
    return 4 if m.order[0] >= 5 else 2 if m.composition else 1


def fits(m, key):
    """Whether the method runs on this problem; BUSS5 and BUSS6 are for free bodies."""
    return misfit(m, engine.problem(key).action(0.1).field) is None


def fitted_order(steps, errors):
    """The slope of log error by log step, without the points on the roundoff plateau; at least three are needed."""
    floor = 2e-12
    points = [(np.log(h), np.log(e)) for h, e in zip(steps, errors, strict=True) if e > floor]
    assert len(points) >= 3, "too few points above roundoff"
    x, y = np.array(points[-3:]).T
    return np.polyfit(x, y, 1)[0]


@pytest.mark.parametrize("key, steps, duration", [
    ("free", (0.4, 0.2, 0.1, 0.05, 0.025), 8.0),
    ("slow-top", (0.04, 0.02, 0.01, 0.005, 0.0025), 2.0),
    ("asymmetric-top", (0.04, 0.02, 0.01, 0.005, 0.0025), 2.0),
])  # fmt: skip
@pytest.mark.parametrize("method", METHODS)
def test_order(method, key, steps, duration):
    R, Pi = reference(key, steps[-1] / 8, duration)
    m = engine.algorithm(method)
    if not fits(m, key):
        pytest.skip("not for this problem")
    attitude, momentum = [], []
    order = m.order_on(free=key == "free")
    # Larger steps for high orders, and such that they divide the duration.
    steps = [{6: 4 if key == "free" else 2, 8: 5}.get(order[0], 1) * dt for dt in steps]
    for dt in steps:
        run = engine.simulate(key, m, dt=dt, duration=duration, samples=1)
        attitude.append(np.linalg.norm(run.R[-1] - R, 2))
        momentum.append(np.linalg.norm(run.Pi[-1] - Pi))
    assert fitted_order(steps, attitude) == pytest.approx(order[0], abs=0.35)
    assert fitted_order(steps, momentum) == pytest.approx(order[1], abs=0.35)


PROBLEMS = {
    "free": ("free", {"dt": 0.25, "steps": 4000}),
    "tops": ("asymmetric-top", {"dt": 0.02, "steps": 2000}),
    "symmetric tops": ("lagrange-top", {"dt": 0.02, "steps": 2000}),
}
HOLDS = {
    "free": {"always", "free", "tops"},
    "tops": {"always", "tops"},
    "symmetric tops": {"always", "tops", "symmetric tops"},
}
CONSERVED = {
    "free": ("energy", "pi", "pi_norm", "casimir", "orthogonality"),
    "tops": ("energy", "pi_e3", "gamma_norm", "orthogonality"),
    "symmetric tops": ("energy", "pi_e3", "pi_chi", "gamma_norm", "orthogonality"),
}
"""What the exact motion keeps."""


def deviation(run, name):
    """The largest deviation of a quantity from its start, over every step, relative to its size."""
    extrema = run.extrema[name]
    if name == "orthogonality":
        return extrema.max
    start = run.pi[0] if name == "pi" else run.energy[0] if name == "energy" else run.observed[name][0]
    scale = np.linalg.norm(run.pi[0]) if name.startswith("pi") else max(1.0, abs(start))
    return np.max(np.maximum(np.abs(extrema.max - start), np.abs(start - extrema.min))) / scale


@pytest.mark.parametrize("motion", PROBLEMS)
@pytest.mark.parametrize("method", METHODS)
def test_what_is_kept_and_what_is_not(method, motion):
    key, given = PROBLEMS[motion]
    m = engine.algorithm(method)
    if not fits(m, key):
        pytest.skip("not for this problem")
    run = engine.simulate(key, m, dt=coarser(m) * given["dt"], steps=given["steps"])
    assert run.status == "done"
    for name in CONSERVED[motion]:
        kept = m.conserves.get(name) in HOLDS[motion]
        off = deviation(run, name)
        if kept:
            assert off <= ROUNDOFF, f"{name} is declared kept and is off by {off:.2g}"
        else:
            assert off >= LOST, f"{name} is off by {off:.2g} only, and not declared kept"


@pytest.mark.parametrize("method", METHODS)
def test_reversibility(method):
    """Go, turn the spin round, come back: a reversible method returns to where it was."""
    m = engine.algorithm(method)
    if isinstance(m.reversible, str):
        pytest.skip(f"reversible only {m.reversible}, which starting anew loses")
    if m.conserves.get("orthogonality") != "always":
        assert not m.reversible
        return
    problem = engine.problem("asymmetric-top" if fits(m, "asymmetric-top") else "free")
    dt = 0.05 * coarser(m) * (4 if problem.key == "free" else 1)
    there = engine.simulate(problem, m, dt=dt, steps=20)
    turned = problem.replace(R0=there.R[-1], Omega0=-there.Omega[-1])
    back = engine.simulate(turned, m, dt=dt, steps=20)
    defect = max(np.abs(back.R[-1] - problem.R0).max(), np.abs(back.Omega[-1] + problem.Omega0).max())
    assert (defect <= 1e-12) if m.reversible else (defect >= 1e-9), defect


def one_step(m, problem, R, Pi, dt):
    run = engine.simulate(problem.replace(R0=R, Pi0=Pi), m, dt=dt, steps=1)
    return run.R[-1], run.Pi[-1]


def form(Pi):
    """The symplectic form of T*SO(3) in the body's frame: ω((ξ, μ), (η, ν)) = μ·η − ν·ξ − Π·(ξ × η)."""
    x, y, z = Pi
    hat = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.block([[hat, -np.eye(3)], [np.eye(3), np.zeros((3, 3))]])


def symplectic_defect(m, problem, dt):
    """How far the one-step map is from keeping the form; derivatives by differences of order six."""
    from engine.algebra import Mat3, Vec3, exp, log

    R0, Pi0 = problem.R0, problem.Pi0
    R1, Pi1 = one_step(m, problem, R0, Pi0, dt)
    eps = 2e-3
    D = np.zeros((6, 6))
    for j, (k, weight) in itertools.product(range(6), ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))):
        difference = []
        for sign in (1, -1):
            d = np.zeros(6)
            d[j] = sign * k * eps
            turn = np.array(list(exp(Vec3(*d[:3])))).reshape(3, 3)
            R, Pi = one_step(m, problem, R0 @ turn, Pi0 + d[3:], dt)
            difference.append(np.concatenate([list(log(Mat3(*(R1.T @ R).ravel()))), Pi]))
        D[:, j] += weight * (difference[0] - difference[1]) / eps
    # log at R1 is the body's turn to first order; higher orders cancel in central differences to order three,
    # so the difference of order six keeps the first derivative exactly.
    return np.abs(D.T @ form(Pi1) @ D - form(Pi0)).max()


@pytest.mark.parametrize("method", METHODS)
def test_symplecticity(method):
    m = engine.algorithm(method)
    if m.conserves.get("orthogonality") != "always" or (m.carries[2:] and m.carries[2] not in ("T", "A")):
        assert not m.symplectic
        return
    problem = engine.problem("asymmetric-top" if fits(m, "asymmetric-top") else "free")
    defect = symplectic_defect(m, problem, 0.1 * coarser(m) * (4 if problem.key == "free" else 1))
    assert (defect <= 1e-9) if m.symplectic else (defect >= 1e-8), defect


def test_nmb_is_not_symplectic_by_a_defect_of_third_order():
    """Krysl and Endres's open question."""
    m, problem = engine.algorithm("NMB"), engine.problem("asymmetric-top")
    defects = [symplectic_defect(m, problem, dt) for dt in (0.2, 0.1, 0.05)]
    slopes = np.diff(np.log(defects)) / np.log(0.5)
    assert slopes == pytest.approx([3, 3], abs=0.2)


NOT_THE_EXPONENTIAL = {
    *("DMV", "LS", "MLEOK", "DMV4", "PDMV4", "AKW", "KDK", "ELN", "SVQ-TLN", "VLV"),
    *("RK4-QUAT", "RK4-MATRIX", "RK2-MATRIX", "IMR-MATRIX"),
}
"""Methods whose turn by an angle is only near the exact one."""


@pytest.mark.parametrize("method", METHODS)
def test_a_steady_spin_about_an_axis(method):
    """About a principal axis the attitude is exp(t Ω) to roundoff, but for the maps that are not the exponential."""
    m = engine.algorithm(method)
    spin = np.array([0.0, 0.0, 0.9])
    run = engine.simulate(engine.Problem(J=(1.0, 2.0, 2.5), Omega0=spin), m, dt=0.1, steps=100)
    c, s = np.cos(9.0), np.sin(9.0)
    off = np.abs(run.R[-1] - [[c, -s, 0], [s, c, 0], [0, 0, 1]]).max()
    exact = m.key not in NOT_THE_EXPONENTIAL and m.chosen.get("trig") != "cayley"
    assert (off <= 1e-13) if exact else (off > 1e-12), off
    assert np.abs(run.Omega[-1] - spin).max() <= 1e-13


@pytest.mark.parametrize("m", engine.algorithms(), ids=lambda m: m.key)
def test_every_method_tells_what_it_is(m):
    assert m.name and m.summary and m.equations and m.family
    assert "@" in m.reference and "year" in m.reference
    assert inspect.getmodule(m.step).__doc__
    assert m.step.__doc__
    assert set(m.conserves) <= set(QUANTITIES) and set(m.conserves.values()) <= set(MOTIONS)
    for alias in (m.key, *m.aliases, m.key.lower()):
        assert engine.algorithm(alias).key == m.key
    for option in m.options:
        assert option.doc
        values = option.choices if isinstance(option, Choice) else (option.low, option.high)
        for value in values:
            chosen = engine.algorithm(m.key, **{option.name: value})
            assert engine.algorithm(chosen.label).chosen == chosen.chosen


def test_torque_evaluations_are_counted_as_declared():
    for m in engine.algorithms():
        if m.torque_evaluations is None or not fits(m, "slow-top"):
            continue
        short, long = (engine.simulate("slow-top", m, steps=n).cost.torque_evaluations for n in (10, 20))
        assert long - short == 10 * m.torque_evaluations, m.key


def test_the_catalogue_s_order():
    families = [m.family for m in engine.algorithms()]
    assert families == sorted(families, key=families.index)
    assert [p.key for p in engine.problems()][:2] == ["free", "book-toss"]


@pytest.mark.parametrize("method", ["BUSS1", "BUSS2", "BUSS3", "BUSS4", "MR2", "MR4", "RKMK", "ABAM"])
def test_energy_correction(method):
    run = engine.simulate("prism", method, dt=0.004, steps=2000, energy_correction=True)
    plain = engine.simulate("prism", method, dt=0.004, steps=2000)
    assert run.status == "done" and not run.message
    energy = run.extrema["energy"]
    assert (energy.max - energy.min) / run.energy[0] <= 1e-13
    assert np.ptp(plain.energy) > 1e3 * (energy.max - energy.min)
    assert np.abs(run.pi - run.pi[0]).max() <= 1e-12


def test_energy_correction_of_a_steady_spin_leaves_it_alone():
    spin = engine.Problem(J=(1, 2, 3), Omega0=(0, 0, 2.0))
    run = engine.simulate(spin, "BUSS2+E", dt=0.05, steps=100)
    assert run.status == "done" and not run.message
    assert run.extrema["energy"].max == pytest.approx(6.0, rel=1e-14)


@pytest.mark.parametrize("problem, method, why", [
    ("slow-top", "BUSS2+E", "does work"),
    ("free", "SW+E", "acceleration"),
    ("free", "HSTAGM+E", "second track"),
    ("free", "NMB+E", "acceleration"),
    ("free", "RK4-MATRIX+E", "leaves the rotations"),
    ("free", "RK4-QUAT+E", "carries q"),
])  # fmt: skip
def test_energy_correction_is_refused_where_it_makes_no_sense(problem, method, why):
    with pytest.raises(ValueError, match=why):
        engine.simulate(problem, method)


@pytest.mark.parametrize("name", ["yoshida4", "suzuki4", "kahan-li6", "kahan-li8"])
def test_compositions_are_symmetric_and_of_sum_one(name):
    m = engine.algorithm("MR2", axes="231").composed(name)
    begins, parts = zip(*m.composition.stages, strict=True)
    assert sum(parts) == pytest.approx(1.0, abs=1e-14) and parts == parts[::-1]
    np.testing.assert_allclose(np.add(begins, parts)[:-1], begins[1:], rtol=0, atol=1e-15)
    assert engine.algorithm(m.label).label == m.label == f"MR2(axes=231)*{name}"
    one = engine.simulate("free", "MR2(axes=231)", dt=0.1, steps=20, compose=name)
    np.testing.assert_array_equal(one.R, engine.simulate("free", m, dt=0.1, steps=20).R)


def test_yoshida_s_composition_of_mr2_is_mr4():
    one, other = (engine.simulate("slow-top", m, dt=0.01, steps=200) for m in ("MR2*yoshida4", "MR4"))
    np.testing.assert_allclose(one.R, other.R, atol=1e-12)
    assert one.cost.torque_evaluations == other.cost.torque_evaluations


@pytest.mark.parametrize("name, why", [
    ("RKMK*yoshida4", "time-reversible"),
    ("SW*yoshida4", "time-reversible"),
    ("LIEMID-E1*suzuki4", "time-reversible"),
    ("MR4*yoshida4", "of order 4 already"),
    ("MR2*yoshida4*yoshida4", "is not a name"),
    ("MR2*leapfrog", "yoshida4, suzuki4, kahan-li6, kahan-li8"),
])  # fmt: skip
def test_compositions_are_refused_where_they_make_no_sense(name, why):
    with pytest.raises(ValueError, match=why):
        engine.algorithm(name)


def test_methods_that_are_one_and_the_same():
    """As the notes' conjugacies and remarks have it."""
    for one, other, key in (
        ("SQ-M(beta=0)", "NMB", "slow-top"),
        ("LS", "DMV", "slow-top"),
        ("BBTRAP", "SW-C1", "free"),
        ("KDK", "AKW", "free"),
        ("IMR-MATRIX", "AKW", "free"),
    ):
        a, b = (engine.simulate(key, m, dt=0.05, steps=200) for m in (one, other))
        np.testing.assert_allclose(a.R, b.R, atol=1e-11, err_msg=f"{one} and {other}")
