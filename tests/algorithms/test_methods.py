"""Measurements of every method's declaration: order, conservation and its limits, reversibility,
symplecticity.

All tests run over the registry, so a new method is tested the day it is added.
"""

from __future__ import annotations

import functools
import inspect

import numpy as np
import pytest
from covering import covering, first

import engine
from engine.algorithms import FixedStep
from engine.algorithms.core.method import MOTIONS, QUANTITIES
from engine.parameters.parameter import Number, Parameter
from engine.studies import Properties, properties
from engine.studies.core import measurements

VARIANTS = [
    "AKW(torque=half)",
    "RK4-QUAT(renormalise=yes)",
    "ABAM(variant=as-run)",
    "BUSS3(tail=False)",
]
VARIANTS += [f"MR2(axes={axes})" for axes in ("132", "213", "231", "312", "321")] + [
    "MR2(trig=cayley)"
]
VARIANTS += ["TRAPM(zeta=0.25)", "SQ-M(beta=0.1)", "SQ-M(gamma=0.7)", "SW-BUSS(variant=as-run)"]
VARIANTS += ["SQ-M(turns=three)", "GEN-ALPHA(turns=three)"]
VARIANTS += [
    "RK4-AVG(mean=quaternion)",
    "MR2*yoshida4",
    "KDK*suzuki4",
    "AKW*kahan-li6",
    "VLV*kahan-li8",
]
VARIANTS += [
    f"RKMK(tableau={name})"
    for name in ("euler", "midpoint", "heun", "kutta3", "butcher6", "dop853")
]
VARIANTS += ["DMV(solver=cayley)", "DMV(solver=quaternion)", "PDMV(order=6)", "PDMV(order=8)"]
VARIANTS += ["RK-QUAT(renormalise=yes)", "RK-QUAT(tableau=rk4)"]
VARIANTS += [
    "SEMI-EULER(gyroscopic=off)",
    "SEMI-EULER(velocity=turn)",
    "RESTORED(gyroscopic=after, map=cay)",
]
VARIANTS += [
    "NEWTON-1(torque=first, turn=before)",
    "NEWTON-1(torque=together)",
    "RK-MEAN(tableau=heun)",
]
VARIANTS += ["RESTORED(damping=0.05)", "SEMI-EULER(damping=0.1, damped=power)"]
VARIANTS += ["FINCHAM(attitude=start)", "SPIRAL(form=verlet)", "SPIRAL(form=synchronous)"]
VARIANTS += ["GAUSS(stages=1)", "GAUSS(stages=3)"]
VARIANTS += [
    f"LOW-STORAGE(tableau={s})" for s in ("berland", "yan", "williamson", "luscher", "ralston")
]
VARIANTS += [
    "OMELYAN(solution=rounds)",
    "KEK*yoshida4",
    "HALVES(half=euler)",
    "HALVES(half=left-out)",
]
METHODS = [
    m.key for m in engine.algorithms() if isinstance(m, FixedStep) and m.space == "so3"
] + VARIANTS
EACH = covering(METHODS, by=lambda method: (engine.algorithm(method).key,))
"""The quick tests take each method with one set of options."""
FAMILIES = covering(METHODS, by=lambda method: (engine.algorithm(method).family,))
"""Here they take one method of each family."""


@functools.cache
def measure(method, *which):
    """What was measured of a method."""
    return properties(method, which=which)


def on_what_fits(keys, by=lambda method, key: (method.key, key)):
    """Each method on each problem where it can be measured."""
    cases = [
        (method, key)
        for method in METHODS
        for key in keys
        if not measurements.why_not(engine.algorithm(method), key)
    ]
    return covering(cases, by=lambda method, key: by(engine.algorithm(method), key))


@pytest.mark.parametrize(
    ("method", "key"),
    on_what_fits(
        sorted(measurements.OF_ORDER, key=lambda key: key == "free"),
        # With a torque, and on a free body where the declaration differs there.
        by=lambda method, key: ((method.key, method.order_on(free=key == "free")),),
    ),
)
def test_order(method, key):
    if method.startswith("KEK") and key == "free":  # exact, so that there is no slope
        assert max(measurements.measure_errors(engine.algorithm(method), key)[1]) <= 5e-11
        return
    record = measurements.order(engine.algorithm(method), key)
    declared = engine.algorithm(method).order_on(free=key == "free")
    assert not record.note
    for slope, order in zip((record.attitude, record.momentum), declared, strict=True):
        assert slope is not None, "too few points above roundoff"
        # High orders reach their range of powers only where roundoff begins.
        assert slope.value == pytest.approx(order, abs=max(0.15, 0.06 * order)), slope


@pytest.mark.parametrize(("method", "key"), on_what_fits(measurements.MOTIONS.values()))
def test_what_is_kept_and_what_is_not(method, key):
    (motion,) = (motion for motion, problem in measurements.MOTIONS.items() if problem == key)
    record = measurements.conservation(engine.algorithm(method), motion)
    assert set(record.deviations) == set(measurements.KEPT_BY_THE_MOTION[motion])
    for finding in Properties(engine.algorithm(method), conservation=(record,)).findings:
        assert finding.measured.startswith(f"{finding.declared} ("), finding


@pytest.mark.parametrize(
    "method",
    covering(
        [
            key
            for key in METHODS
            if not key.startswith(("RK4-MATRIX", "RK2-MATRIX", "RK4-QUAT", "RK-QUAT"))
        ],
        by=lambda method: (engine.algorithm(method).key,),
    ),
)
def test_a_step_that_starts_by_itself_goes_on_alike_from_any_state(method):
    """The others lose orthogonality or length, which a start restores."""
    run = engine.simulate("free", method, dt=0.2, steps=6)
    again = engine.simulate(
        run.problem.replace(R0=run.R[5], Omega0=run.Omega[5]), method, dt=0.2, steps=1
    )
    differs = max(np.abs(again.R[1] - run.R[6]).max(), np.abs(again.Pi[1] - run.Pi[6]).max())
    assert (differs < 1e-9) == engine.algorithm(method).self_starting, differs


@pytest.mark.parametrize("method", first(METHODS, 6))
def test_reversibility(method):
    """Run, reverse the spin, and run back: a reversible method returns to its start."""
    found = measure(method, "reversibility")
    assert not found.contradictions
    assert {record.verdict for record in found.reversibility if not record.note} <= {
        "reversible", "reversible with all it carries", "not reversible",
    }  # fmt: skip


@pytest.mark.parametrize("method", FAMILIES)
def test_symplecticity(method):
    found = measure(method, "symplecticity")
    (record,) = found.symplecticity
    assert not found.contradictions
    assert record.verdict != "undecided"
    if record.note:
        assert (
            not found.method.self_starting
            or found.method.carries[0] == "q"
            or method.endswith("-MATRIX")
        ), record.note


def test_nmb_is_not_symplectic_by_a_defect_of_third_order():
    """Krysl and Endres's open question: it is not symplectic, and does not conserve the volume
    either.
    """
    (record,) = measure("NMB", "symplecticity").symplecticity
    assert record.verdict == "not symplectic"
    assert record.order.value == pytest.approx(3, abs=0.05) and record.order.points >= 5
    assert record.volume_order.value == pytest.approx(3, abs=0.05)


NOT_THE_EXPONENTIAL = {
    *("DMV", "LS", "MLEOK", "DMV4", "PDMV4", "PDMV", "AKW", "KDK", "ELN", "SVQ-TLN", "VLV"),
    *(
        "RK4-QUAT",
        "RK-QUAT",
        "RK-MRP",
        "AB-QUAT",
        "ALPHA-QUAT",
        "RK4-MATRIX",
        "RK2-MATRIX",
        "IMR-MATRIX",
        "LINEAR-EULER",
        "VERLET-QUAT",
    ),
    *(
        "RICHARDSON",
        "FINCHAM",
        "OMELYAN",
        "HALVES",
        "VERLET-SINE",
        "HIROTA-KIMURA",
        "SPHERICAL-MIDPOINT",
    ),
}
"""Methods whose rotation is only near the exact one."""


@pytest.mark.parametrize("method", first(METHODS, 4))
def test_rows_are_the_same_whichever_are_kept(method):
    """Bit for bit: steps before and after a stored row must round alike."""
    for key in ("free", "lagrange-top"):
        if measurements.why_not(engine.algorithm(method), key):
            continue
        every = engine.simulate(key, method, steps=60, every=1)
        for stride in (7, 59, 1000):
            some = engine.simulate(key, method, steps=60, every=stride)
            at = np.searchsorted(every.t, some.t)
            for name in ("R", "Omega", "pi", "energy", "orthogonality", "increment"):
                np.testing.assert_array_equal(
                    getattr(some, name), getattr(every, name)[at], err_msg=f"{key} {name}"
                )


@pytest.mark.parametrize("method", FAMILIES)
def test_a_steady_spin_about_an_axis(method):
    """About a principal axis the attitude is exp(t Ω) to roundoff, except for maps other than the
    exponential.
    """
    m = engine.algorithm(method)
    spin = np.array([0.0, 0.0, 0.9])
    run = engine.simulate(engine.Problem(J=(1.0, 2.0, 2.5), Omega0=spin), m, dt=0.8, steps=20)
    c, s = np.cos(14.4), np.sin(14.4)
    off = np.abs(run.R[-1] - [[c, -s, 0], [s, c, 0], [0, 0, 1]]).max()
    exact = m.key not in NOT_THE_EXPONENTIAL and "cay" not in (
        m.chosen.get("trig", "")[:3],
        m.chosen.get("map"),
    )
    slows = m.chosen.get("velocity") == "turn" or m.chosen.get("damping", 0.0) > 0.0
    rounded = m.chosen.get("tableau") == "berland"  # its coefficients have twelve digits
    assert (off <= (1e-12 if rounded else 1e-13)) if exact and not slows else (off > 1e-12), off
    assert (np.abs(run.Omega[-1] - spin).max() <= 1e-13) is not slows


def test_the_velocity_of_xpbd_slows_a_steady_spin():
    """2/h sin(x/2) in place of x/h; by the Cayley map the turn is of 2 atan(x/2)."""
    spin = engine.Problem(J=(1.0, 2.0, 2.5), Omega0=(0.0, 0.0, 0.9))
    for options, after in (({}, 2 / 0.8 * np.sin(0.36)), ({"map": "cay"}, 0.9 / np.hypot(1, 0.36))):
        run = engine.simulate(
            spin, engine.algorithm("SEMI-EULER", velocity="turn", **options), dt=0.8, steps=1
        )
        assert run.Omega[-1, 2] == pytest.approx(after, rel=1e-14)


def test_an_option_that_nothing_takes_is_refused():
    def step(body, t, h, R, Π):
        return R, Π

    with pytest.raises(ValueError, match="ODD: step does not take odd, and nothing else does"):
        FixedStep.declare(
            key="ODD",
            order=(1, 1),
            step=step,
            options=(Parameter("odd", Number(), "nothing", 0.0),),
        )


@pytest.mark.parametrize("m", engine.algorithms(), ids=lambda m: m.key)
def test_every_method_tells_what_it_is(m):
    assert m.name and m.summary and m.equations and m.family
    assert "@" in m.reference and "year" in m.reference
    function = m.function
    assert inspect.getmodule(function).__doc__ and function.__doc__
    assert set(m.conserves) <= set(QUANTITIES) and set(m.conserves.values()) <= set(MOTIONS)
    for alias in (m.key, *m.aliases, m.key.lower()):
        assert engine.algorithm(alias).key == m.key
    for name, options in m.variants.items():
        variant = engine.algorithm(name)
        assert variant.key == m.key and variant.chosen == m.with_options(**options).chosen
    for option in m.options:
        assert option.doc
        values = option.choices or (option.low, option.high)
        for value in values:
            chosen = engine.algorithm(m.key, **{option.name: value})
            assert engine.algorithm(chosen.label).chosen == chosen.chosen


@pytest.mark.parametrize("m", engine.algorithms(None), ids=lambda m: f"{m.key}, {m.space}")
def test_every_method_says_why_it_behaves_as_it_does(m):
    assert len(m.why) >= 3
    assert all(sentence[0].isupper() and sentence.endswith(".") for sentence in m.why)
    assert 120 < sum(map(len, m.why)) < 800


@pytest.mark.parametrize(
    "method", [*engine.algorithms(), *engine.algorithms("se3")], ids=lambda m: m.key
)
def test_an_option_chosen_at_its_default_changes_nothing(method):
    declared = (
        "order",
        "implicit",
        "reversible",
        "self_starting",
        "symplectic",
        "conserves",
        "torque_evaluations",
        "why",
    )
    for option in method.options:
        chosen = method.with_options(**{option.name: option.default})
        assert [getattr(chosen, name) for name in declared] == [
            getattr(method, name) for name in declared
        ]


def test_options_may_change_why():
    def step(body, t, h, R, Π):
        return R, Π

    option = Parameter("damped", Number(), "the damping", 0.0)
    why = {"why": ("It is damped.",)}
    mine = FixedStep.declare(
        key="MINE",
        order=(1, 1),
        step=step,
        options=(option,),
        why=("It is free.",),
        given_options=lambda chosen: why,
    )
    assert mine.why == ("It is free.",) and mine.with_options(damped=1.0).why == ("It is damped.",)


@pytest.mark.parametrize("method", EACH)
def test_torque_evaluations_are_counted_as_declared(method):
    assert not measure(method, "work").contradictions


def test_a_variant_is_a_name_for_a_method_with_options():
    assert engine.algorithm("bullet").label == "NEWTON-1(map=clamped)"
    assert engine.algorithm("avian(map=cay)").chosen == {
        "gyroscopic": "after",
        "map": "cay",
        "substeps": 6,
    }
    assert (
        "bullet-implicit" in (names := engine.algorithm("NEWTON-1").other_names)
        and "bullet (map=clamped)" in names
    )
    assert "kamino" in engine.algorithm("RESTORED").other_names, "without options"
    run = engine.simulate("free", "reactphysics3d", steps=1)
    assert run.method.label == "SEMI-EULER(gyroscopic=off, map=cay)"


def test_the_catalogue_s_order():
    families = [m.family for m in engine.algorithms()]
    assert families == sorted(families, key=families.index)
    assert [p.key for p in engine.problems()][:2] == ["free", "book-toss"]


@pytest.mark.parametrize(
    "method", first(["BUSS1", "BUSS2", "BUSS3", "BUSS4", "MR2", "MR4", "RKMK", "ABAM"], 2)
)
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
    ("slow-top", "BUSS2+E", "a torque acts"),
    ("free", "SW+E", "acceleration"),
    ("free", "HSTAGM+E", "second track"),
    ("free", "NMB+E", "acceleration"),
    ("free", "RK4-MATRIX+E", "does not stay one"),
    ("free", "RK4-QUAT+E", "carries q"),
])  # fmt: skip
def test_energy_correction_is_refused_where_it_makes_no_sense(problem, method, why):
    with pytest.raises(ValueError, match=why):
        engine.simulate(problem, method)


@pytest.mark.parametrize("name", first(["yoshida4", "suzuki4", "kahan-li6", "kahan-li8"], 2))
def test_compositions_are_symmetric_and_of_sum_one(name):
    m = engine.algorithm("MR2", axes="231").compose(name)
    begins, parts = zip(*m.composition.stages, strict=True)
    assert sum(parts) == pytest.approx(1.0, abs=1e-14) and parts == parts[::-1]
    np.testing.assert_allclose(np.add(begins, parts)[:-1], begins[1:], rtol=0, atol=1e-15)
    assert engine.algorithm(m.label).label == m.label == f"MR2(axes=231)*{name}"
    one = engine.simulate("free", "MR2(axes=231)", dt=0.1, steps=20, compose=name)
    np.testing.assert_array_equal(one.R, engine.simulate("free", m, dt=0.1, steps=20).R)


def test_yoshida_s_composition_of_mr2_is_mr4():
    one, other = (
        engine.simulate("slow-top", m, dt=0.01, steps=200) for m in ("MR2*yoshida4", "MR4")
    )
    np.testing.assert_allclose(one.R, other.R, atol=1e-12)
    assert one.cost.torque_evaluations == other.cost.torque_evaluations


@pytest.mark.parametrize("name, why", [
    ("RKMK*yoshida4", "time-reversible"),
    ("SW*yoshida4", "time-reversible"),
    ("LIEMID-E1*suzuki4", "time-reversible"),
    ("OMELYAN*yoshida4", "steps of several sizes"),
    ("MR4*yoshida4", "of order 4 already"),
    ("MR2*yoshida4*yoshida4", "is not a name"),
    ("MR2*leapfrog", "yoshida4, suzuki4, kahan-li6, kahan-li8"),
])  # fmt: skip
def test_compositions_are_refused_where_they_make_no_sense(name, why):
    with pytest.raises(ValueError, match=why):
        engine.algorithm(name)


@pytest.mark.parametrize(("J", "Omega0"), [
    ((1, 2, 2.8), (1.2, 1.9, 1.5)),
    ((3, 2, 1.5), (-2.0, -1, 0.3)),
    ((2.8, 1, 2), (-0.3, 2.1, 0.5)),
    ((2, 2, 1), (0.4, 0.5, -3.0)),
    ((1, 2, 2), (0.4, 0.5, -3.0)),
    ((1, 2, 2.9), (1e-9, 0, 2.0)),
    ((1, 2, 2.9), (0.02, 2.0, 0.03)),
    ((2, 2, 2), (1, 2, -3)),
])  # fmt: skip
def test_between_kicks_the_motion_is_exact(J, Omega0):
    """About the axis of least and of largest moment, in any order, of symmetric bodies, and near
    the middle axis.
    """
    body = engine.Problem(J=J, Omega0=Omega0)
    for dt, steps in ((0.03, 100), (0.4, 10), (-0.4, 10)):
        run = engine.simulate(
            body if dt > 0 else body.replace(Omega0=-np.array(Omega0)),
            "KEK",
            dt=abs(dt),
            steps=steps,
        )
        end = engine.exact(run.problem, run.t[-1:])
        np.testing.assert_allclose(run.R[-1], end.R[-1], rtol=0, atol=1e-12)
        np.testing.assert_allclose(run.Omega[-1], end.Omega[-1], rtol=0, atol=1e-12)


def test_exact_free_motions_between_kicks_compose_to_order_six():
    found = measurements.order(engine.algorithm("KEK*kahan-li6"), "asymmetric-top")
    assert (found.attitude.value, found.momentum.value) == pytest.approx((6, 6), abs=0.1)


def test_methods_that_are_one_and_the_same():
    """As stated in the notes' conjugacies and remarks."""
    for one, other, key in (
        ("SQ-M(beta=0)", "NMB", "slow-top"),
        ("LS", "DMV", "slow-top"),
        ("BBTRAP", "SW-C1", "free"),
        ("KDK", "AKW", "free"),
        ("IMR-MATRIX", "AKW", "free"),
        ("MIDPOINT-HELD", "IMID", "free"),
        ("CARRIED", "BUSS1", "free"),
        ("GAUSS(stages=1)", "VLV(map=exp)", "free"),
        ("DISCRETE-GRADIENT", "SW-C1", "free"),
        ("DISCRETE-GRADIENT", "SW-C1", "book-toss"),
    ):
        a, b = (engine.simulate(key, m, dt=0.05, steps=200) for m in (one, other))
        np.testing.assert_allclose(a.R, b.R, atol=1e-11, err_msg=f"{one} and {other}")
