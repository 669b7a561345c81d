"""The rules of particle codes beside their sources, repeated here, and their effect on a free body
in 100 s.
"""

from __future__ import annotations

import numpy as np
import pytest
from covering import first

import engine

J = np.array((1.0, 2.0, 2.8))
TUMBLING = engine.Problem(J=J, Omega0=(1.2, 1.9, 1.5))
FIRST = float(TUMBLING.Omega0 @ TUMBLING.Pi0) / 2
MOST = float(TUMBLING.Pi0 @ TUMBLING.Pi0) / 2
"""The energy of a spin about the axis of least inertia with the same momentum."""
ABOVE = np.array((0.2, 0.0, 0.7))


def weight(t, R):
    """The torque in space of a weight off the body's fixed point."""
    return np.cross(R @ ABOVE, (0.0, 0.0, -2.0))


TOP = engine.Problem(J=J, Omega0=(1.2, 1.9, 1.5), torque=weight)


def times(p, q):
    """Hamilton's product; a vector has no scalar part."""
    p, q = ((0.0, *x) if len(x) == 3 else tuple(x) for x in (p, q))
    v, w = np.array(p[1:]), np.array(q[1:])
    return np.array([p[0] * q[0] - v @ w, *(p[0] * w + q[0] * v + np.cross(v, w))])


def unit(q):
    return q / np.linalg.norm(q)


def rotation(q):
    """Its columns are the body's axes in space."""
    conjugate = q * (1, -1, -1, -1)
    return np.column_stack([times(times(q, axis), conjugate)[1:] for axis in np.eye(3)])


def no_squish(h, steps):
    """LAMMPS's src/RIGID/fix_rigid_nh.cpp: the quaternion's momentum p turns with it."""
    permuted = ([1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0])
    signs = ((-1, 1, 1, -1), (-1, -1, 1, 1), (-1, 1, -1, 1))
    q = np.array((1.0, 0.0, 0.0, 0.0))
    p = 2 * times(q, TOP.Pi0)
    for _ in range(steps):
        p = p + h * times(q, rotation(q).T @ weight(0, rotation(q)))
        for k, δ in ((2, h / 2), (1, h / 2), (0, h), (1, h / 2), (2, h / 2)):
            turned = [x[permuted[k]] * signs[k] for x in (q, p)]
            φ = δ * (p @ turned[0]) / (4 * J[k])
            q, p = (np.cos(φ) * x + np.sin(φ) * y for x, y in zip((q, p), turned, strict=True))
        p = p + h * times(q, rotation(q).T @ weight(0, rotation(q)))
    return rotation(q), times(q * (1, -1, -1, -1), p)[1:] / 2


def richardson(h, steps):
    """LAMMPS's src/math_extra.cpp, with ω in space."""

    def rate(q):
        return times(rotation(q) @ ((rotation(q).T @ π) / J), q)

    q, π = np.array((1.0, 0.0, 0.0, 0.0)), TOP.Pi0
    for _ in range(steps):
        π = π + h / 2 * weight(0, rotation(q))
        full = unit(q + h / 2 * rate(q))
        half = unit(q + h / 4 * rate(q))
        half = unit(half + h / 4 * rate(half))
        q = unit(2 * half - full)
        π = π + h / 2 * weight(0, rotation(q))
    return rotation(q), rotation(q).T @ π


def fincham(at_the_start, made_a_unit, h, steps):
    """From a momentum half a step earlier; with the attitude at the start, Yade's
    pkg/dem/NewtonIntegrator.cpp.
    """
    q = np.array((1.0, 0.0, 0.0, 0.0))
    π = TOP.Pi0 - h / 2 * weight(0, np.eye(3))
    for _ in range(steps):
        A, M = rotation(q).T, weight(0, rotation(q))
        half = q + h / 4 * times(q, A @ (π + h / 2 * M) / J)
        half = unit(half) if made_a_unit else half
        π = π + h * M
        if not at_the_start:
            A = rotation(half).T
        q = unit(q + h / 2 * times(half, A @ π / J))
    return rotation(q), rotation(q).T @ (π + h / 2 * weight(0, rotation(q)))


def acceleration(Ω):
    return np.cross(J * Ω, Ω) / J


def spiral(h, steps):
    """Yade's pkg/dem/NewtonIntegrator.cpp, whose first velocity is half a step behind; computed
    here.
    """

    def faster(Ω, h):
        A = rotation(q).T @ weight(0, rotation(q)) / J
        K1 = h * (A + acceleration(Ω))
        K2 = h * (A + acceleration(Ω + K1))
        return Ω + (K1 + K2 + 4 * h * (A + acceleration(Ω + (K1 + K2) / 4))) / 6

    q = np.array((1.0, 0.0, 0.0, 0.0))
    half = faster(TOP.Omega0, h / 2)
    for _ in range(steps):
        θ = h / 2 * np.linalg.norm(half)
        q = times(q, [np.cos(θ), *np.sin(θ) * unit(half)])
        half, now = faster(half, h), faster(half, h / 2)
    return rotation(q), J * now


def predictor_corrector(h, steps):
    """QuaternionIntegrator.jl's src/QuaternionIntegrator.jl: turns in space, from the left."""

    def turn(ω, t):
        n = np.linalg.norm(ω)
        return np.array([np.cos(n * t / 2), *np.sin(n * t / 2) * ω / n])

    def rate(q, Ω):
        return (rotation(q).T @ weight(0, rotation(q)) - np.cross(Ω, J * Ω)) / J

    q, Ω = np.array((1.0, 0.0, 0.0, 0.0)), TOP.Omega0
    for _ in range(steps):
        A = rate(q, Ω)
        middle = times(turn(rotation(q) @ (Ω + h / 4 * A), h / 2), q)
        half = Ω + h / 2 * A
        q, Ω = times(turn(rotation(middle) @ half, h), q), Ω + h * rate(middle, half)
    return rotation(q), J * Ω


@pytest.mark.parametrize(
    ("name", "written_out"),
    first(
        [
            ("lammps-rigid", no_squish),
            ("lammps", richardson),
            ("fincham", lambda h, steps: fincham(False, True, h, steps)),
            ("liggghts-3", lambda h, steps: fincham(True, True, h, steps)),
            ("yade-fincham", lambda h, steps: fincham(True, False, h, steps)),
            ("yade", spiral),
            ("PCDM", predictor_corrector),
        ]
    ),
)
def test_a_top_moves_as_in_the_source(name, written_out):
    run = engine.simulate(TOP, name, dt=0.05, steps=100, every=100)
    R, Π = written_out(0.05, 100)
    np.testing.assert_allclose(run.R[-1], R, rtol=0, atol=2e-12)
    np.testing.assert_allclose(run.Pi[-1], Π, rtol=0, atol=4e-12)


def test_espresso_s_multiplier_makes_a_turn_by_the_sine():
    """src/core/rotation.cpp: λ of the quaternion's second-order step, and six rounds for the
    velocity.
    """
    h, q, Ω = 0.05, np.array((1.0, 0.0, 0.0, 0.0)), TUMBLING.Omega0
    rate = times(q, Ω) / 2
    second = times(q, acceleration(Ω)) / 2 - rate @ rate * q
    S = rate @ rate, rate @ second, second @ second
    λ = 1 - h**2 / 2 * S[0] - np.sqrt(1 - h**2 * (S[0] + h * (S[1] + h / 4 * (S[2] - S[0] ** 2))))
    q = q + h * (rate + h / 2 * second) - λ * q
    begun = new = Ω + h / 2 * acceleration(Ω)
    for _ in range(6):
        new = begun + h / 2 * acceleration(new)
    run = engine.simulate(TUMBLING, "espresso", dt=h, steps=1)
    np.testing.assert_allclose(run.R[-1], rotation(q), rtol=0, atol=1e-15)
    np.testing.assert_allclose(run.Omega[-1], new, rtol=0, atol=1e-9)


def test_the_quaternion_s_midpoint_rule_turns_by_four_arc_tangents():
    spin = engine.Problem(J=J, Omega0=(0.0, 0.0, 3.0))
    turned = engine.simulate(spin, "OMELYAN", dt=0.5, steps=1).increment[-1]
    assert turned == pytest.approx(4 * np.arctan(0.5 * 3 / 4), rel=1e-14)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "rounds"), [("yade-omelyan", 3), ("OMELYAN", 40)])
def test_omelyan_s_leapfrog_goes_from_half_step_to_half_step(name, rounds):
    """As in Yade's pkg/dem/NewtonIntegrator.cpp."""
    h = 0.05
    q = np.array((1.0, 0.0, 0.0, 0.0))
    before = TOP.Omega0
    velocities = []
    for _ in range(100):
        after = before
        A = rotation(q).T @ weight(0, rotation(q)) / J
        for _round in range(rounds if velocities else 40):  # the first is solved for
            after = before + h * (A + (acceleration(before) + acceleration(after)) / 2)
        velocities.append((before + after) / 2)
        a = h**2 * after @ after / 16
        q = ((1 - a) * q + h / 2 * times(q, after)) / (1 + a)
        before = after
    start = TOP.replace(Omega0=velocities[0])
    run = engine.simulate(start, name, dt=h, steps=100)
    np.testing.assert_allclose(run.Omega[:-1], velocities, rtol=0, atol=2e-12)
    np.testing.assert_allclose(run.R[-1], rotation(q), rtol=0, atol=2e-12)


def after_100_s(name):
    """Return the energy relative to the first, and the error of momentum relative to its length."""
    run = engine.simulate(TUMBLING, name, dt="1/60", duration=100, every=6000)
    assert run.status == "done"
    return run.energy[-1] / FIRST, np.linalg.norm(run.pi[-1] - run.pi[0]) / np.linalg.norm(
        TUMBLING.Pi0
    )


@pytest.mark.parametrize(("name", "energy", "keeps_momentum"), [
    ("lammps-rigid", (-2e-4, -5e-5), True),
    ("lammps", (5e-4, 2e-3), True),
    ("fincham", (5e-4, 2e-3), True),
    ("yade-fincham", (0.98 * MOST / FIRST - 1, MOST / FIRST - 1), True),
    ("liggghts-3", (0.98 * MOST / FIRST - 1, MOST / FIRST - 1), True),
    ("OMELYAN", (-1.5e-4, -5e-5), False),
    ("yade-omelyan", (-5e-4, -3e-4), False),
    ("yade", (-2e-4, -5e-5), False),
    ("jaxdem", (-2e-5, -5e-6), False),
    ("espresso", (-2e-4, 2e-4), False),
    ("walton-braun", (-1e-12, 1e-12), False),
    ("pfc", (-0.5, -0.35), False),
    ("mercurydpm", (-1e-12, 1e-12), False),
    ("ZHAO-WACHEM", (1e-4, 1e-3), False),
])  # fmt: skip
def test_what_becomes_of_a_free_body(name, energy, keeps_momentum):
    found, off = after_100_s(name)
    assert energy[0] <= found - 1 <= energy[1]
    assert (off <= 1e-11) == keeps_momentum


def test_an_alias_is_a_method_with_its_options():
    for name, label in (
        ("LAMMPS", "RICHARDSON"), ("hoomd", "MR2(axes=321)"), ("liggghts", "MR2(axes=321)"), ("yade", "SPIRAL"),
        ("jaxdem", "SPIRAL(form=verlet)"), ("mercurydpm-clump", "HALVES(half=euler, map=exp)"),
        ("ls1-mardyn", "FINCHAM"), ("espresso", "VERLET-SINE"),
    ):  # fmt: skip
        assert engine.algorithm(name).label == label
