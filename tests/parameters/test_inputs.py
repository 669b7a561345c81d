"""Any input: it works, or one clear sentence explains why not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from covering import few
from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from engine.parameters.names import match_name
from engine.parameters.parameter import Words

ZERO = 0.0
NONSENSE = [
    -1.0, ZERO, math.nan, math.inf, -math.inf, 1e400, "", "0.1", "abc", True, [0.1], (), {}, object(), 1 + 2j,
    np.array([0.1, 0.2]), b"1", "1e", "0x10", "١",
]  # fmt: skip


NO_COUNTS = [
    -1, 0.5, math.nan, math.inf, "7", True, [1], 2**63, np.uint64(2**63), -(2**63), 10**30, -(10**30), 10**400,
]  # fmt: skip


def kind(value):
    """Return a stable name for a test."""
    return type(value).__name__ + (f"-{value}" if isinstance(value, float | str) else "")


def one_sentence(caught):
    text = str(caught.value)
    assert text and "\n" not in text and len(text) < 400, text
    assert not isinstance(caught.value, UnicodeError)


@pytest.mark.parametrize(
    "value", [value for value in NONSENSE if kind(value) not in ("str-0.1", "str-١")], ids=kind
)
def test_a_step_that_is_none(value):
    """Readable text counts as a number."""
    with pytest.raises(ValueError) as caught:
        engine.simulate("free", "MR2", dt=value, steps=1)
    one_sentence(caught)
    assert "dt" in str(caught.value)


@pytest.mark.parametrize("value", [v for v in NONSENSE if v is not ZERO], ids=kind)
def test_a_duration_that_is_none(value):
    with pytest.raises(ValueError) as caught:
        engine.simulate("free", "MR2", duration=value)
    one_sentence(caught)


@pytest.mark.parametrize("name", ["steps", "every", "samples"])
@pytest.mark.parametrize("value", NO_COUNTS, ids=kind)
def test_a_count_that_is_none(name, value):
    with pytest.raises(ValueError) as caught:
        engine.simulate("free", "MR2", **{"steps": 10} | {name: value})
    one_sentence(caught)
    assert name in str(caught.value)


@pytest.mark.parametrize("given, says", [
    ({"steps": 5, "duration": 1.0}, "not both"),
    ({"every": 5, "samples": 3}, "not both"),
    ({"steps": 10**12}, r"10¹² steps .* every=k or samples=n"),
    ({"dt": 1e-10, "duration": 100.0}, r"10¹² steps .* every=k or samples=n"),
    ({"steps": 10**9, "every": 1}, "1,000,000,001 rows|1,000,000,000 rows"),
    ({"dt": 1e-12, "duration": 1e9}, "10²¹ steps"),
    ({"axis": "231"}, "no option 'axis'; its options are axes, trig"),
    ({"axes": "124"}, "axes is one of 123"),
    ({"duratoin": 3.0}, "no argument 'duratoin'; the nearest is duration"),
])  # fmt: skip
def test_what_can_not_be_run(given, says):
    with pytest.raises(ValueError, match=says) as caught:
        engine.simulate("free", "MR2", **given)
    one_sentence(caught)


@pytest.mark.parametrize("name, near", [
    ("MR3", "MR2"), ("nmbb", "NMB"), ("Bus3", "BUSS3"), ("rk4quat", "RK4-QUAT"), ("Simo-Wong", "simo_wong"),
])  # fmt: skip
def test_an_unknown_method_gets_the_nearest_names(name, near):
    with pytest.raises(ValueError, match=near) as caught:
        engine.algorithm(name)
    one_sentence(caught)


@pytest.mark.parametrize("name", ["slow top", "SLOW-TOP", "slow_top", " slow-top "])
def test_spelling_does_not_matter_much(name):
    assert engine.problem(name).key == "slow-top"


@pytest.mark.parametrize(
    "name", ["sloe-top", "", "free(", "free(x)", "free()x", "MR2", "free+E", 3, None, "free(J=1)"]
)
def test_an_unknown_problem(name):
    with pytest.raises(ValueError) as caught:
        engine.problem(name)
    one_sentence(caught)


@pytest.mark.parametrize(
    "name",
    ["", "MR2(", "MR2(axes)", "MR2(axes=)", "MR2)", "MR2(axes=231", 7, None, "MR2*leapfrog9"],
)
def test_a_method_that_is_written_wrongly(name):
    with pytest.raises(ValueError) as caught:
        engine.algorithm(name)
    one_sentence(caught)


def test_options_in_the_name_and_as_keywords_are_the_same():
    one = engine.algorithm("MR2(axes=231, trig=cayley)")
    assert one.chosen == engine.algorithm("lp2", axes=231, trig="Cayley").chosen
    assert engine.algorithm(one.label).chosen == one.chosen
    assert (
        engine.problem("soft-wall(sign=as-printed)").values
        == engine.problem("soft-wall", sign="as-printed").values
    )


BODIES = [
    ({"J": (1, 1, 5)}, "no rigid body"),
    ({"J": (1, 2)}, "shape"),
    ({"J": (1, 2, -3)}, "positive"),
    ({"J": (0, 0, 0)}, "positive"),
    ({"J": "123"}, "inertia"),
    ({"J": np.eye(4)}, "shape"),
    ({"J": [[1, 0.2, 0], [0, 1, 0], [0, 0, 1]]}, "symmetric"),
    ({"J": (1, math.nan, 1)}, "finite"),
    ({"R0": np.zeros((3, 3))}, "orthonormal"),
    ({"R0": -np.eye(3)}, "reflection"),
    ({"R0": (0, 0, 0, 0)}, "length"),
    ({"R0": (1.1e6, 0, 0)}, "in radians"),
    ({"R0": (1.1e6, 0, 0, 0)}, "length"),
    ({"R0": (1, 2)}, "attitude"),
    ({"R0": "up"}, "attitude"),
    ({"Omega0": (1, 2)}, "Omega0"),
    ({"Omega0": (math.inf, 0, 0)}, "Omega0"),
    ({"Omega0": (1e12, 0, 0)}, "Omega0"),
    ({"Omega0": (1, 0, 0), "Pi0": (1, 0, 0)}, "not both"),
    ({"Pi0": "fast"}, "Pi0"),
    ({"dt": 0}, "dt"),
    ({"duration": -1}, "duration"),
]


@pytest.mark.parametrize("changes, says", BODIES, ids=lambda x: str(x)[:40])
def test_bodies_that_are_none(changes, says):
    for make in (
        lambda: engine.Problem(**changes),
        lambda: engine.problem("free").replace(**changes),
    ):
        with pytest.raises(ValueError, match=says) as caught:
            make()
        one_sentence(caught)


@pytest.mark.parametrize("key, changes, says", [
    ("free", {"gravity": 9.81}, "no parameter 'gravity'"),
    ("slow-top", {"mass": -1}, "mass"),
    ("slow-top", {"Mgl": math.nan}, "Mgl"),
    ("slow-top", {"Mgl": 5.0, "length": 3.0}, "one or the other"),
    ("slow-top", {"chi": (0, 0, 1)}, "no parameter 'chi'"),
    ("soft-wall", {"sign": "both"}, "physical, as-printed"),
    ("custom", {"torque": "magic"}, "free, gravity, body, space"),
    ("custom", {"chi": (1, 2)}, "chi"),
    ("book-toss", {"td": -1.0}, "td"),
    ("magnet", {"alpha": "strong"}, "alpha"),
    ("book-toss", {"J": (5.0, 10.0, 1.0)}, "no rigid body"),
])  # fmt: skip
def test_parameters_that_are_refused(key, changes, says):
    with pytest.raises(ValueError, match=says) as caught:
        engine.problem(key).replace(**changes)
    one_sentence(caught)


def test_an_attitude_that_is_typed_to_six_digits_is_brought_onto_a_rotation():
    R = engine.Problem(J=(1, 2, 3), R0=(0.3, -0.5, 0.2)).R0
    typed = engine.Problem(J=(1, 2, 3), R0=np.round(R, 6)).R0
    np.testing.assert_allclose(typed.T @ typed, np.eye(3), rtol=0, atol=1e-15)
    np.testing.assert_allclose(typed, R, rtol=0, atol=1e-6)
    with pytest.raises(ValueError, match="orthonormal"):
        engine.Problem(J=(1, 2, 3), R0=np.round(R, 3))


def test_replace_changes_a_copy():
    top = engine.problem("slow-top")
    changed = top.replace(Omega0=(0, 0, 4), gravity=15.0)
    assert changed.values["Mgl"] == pytest.approx(20.0 * 15.0 / 9.81) and top.values[
        "Mgl"
    ] == pytest.approx(20.0)
    np.testing.assert_array_equal(changed.Omega0, (0, 0, 4))
    assert changed.replace(Mgl=20.0).values["length"] == pytest.approx(20.0 / 15.0)
    np.testing.assert_array_equal(top.replace(Pi0=(5, 10, 3)).Omega0, (1, 2, 3))
    with pytest.raises(ValueError):
        top.J[0, 0] = 3.0


@pytest.mark.parametrize("p", engine.problems(), ids=lambda p: p.key)
def test_every_problem_tells_what_it_is(p):
    assert p.name and p.summary and p.equations and p.group
    assert p.J.shape == p.R0.shape == (3, 3) and p.Omega0.shape == (3,)
    assert engine.problem(p.key.upper()).key == p.key
    for name, parameter in p.parameters.items():
        assert parameter.doc and parameter.name == name
        if parameter.choices:
            for choice in parameter.choices:
                changed = p.replace(**{name: choice})
                assert engine.problem(changed.label).values == changed.values
        elif isinstance(parameter.kind, Words):
            assert (
                p.replace(**{name: parameter.default}).parameters[name].default == parameter.default
            )
        elif name not in ("J", "Pi0") or p.of_a_body:
            np.testing.assert_allclose(np.asarray(p.replace(**{name: parameter.default}).parameters[name].default),
                                       np.asarray(parameter.default), rtol=1e-12)  # fmt: skip
    run = engine.simulate(p, "RKMK", steps=5)
    assert run.status == "done" and set(run.casimirs) <= set(p.invariants)


moments = st.floats(1e-3, 1e3)
component = st.floats(-100, 100)
vector = st.tuples(component, component, component)


@pytest.mark.exhaustive
@settings(max_examples=few(80))
@given(a=moments, b=moments, share=st.floats(0.0, 1.0), R0=vector, Omega0=vector, dt=st.floats(1e-6, 10.0),
       method=st.sampled_from([m.key for m in engine.algorithms()]))  # fmt: skip
def test_any_body_that_is_one_runs_or_tells_why_not(a, b, share, R0, Omega0, dt, method):
    c = abs(a - b) + share * (a + b - abs(a - b))
    if min(a, b, c) < 1e-6 * max(a, b, c):
        return
    run = engine.simulate(
        engine.Problem(J=(a, b, c), R0=R0, Omega0=Omega0), method, dt=dt, steps=30
    )
    assert run.status in ("done", "no-solution", "diverged")
    assert (run.status == "done") == (run.failed_step is None) == (run.message == "")
    assert (
        np.isfinite(run.R).all() and np.isfinite(run.Omega).all() and np.isfinite(run.energy).all()
    )
    assert len(run) == (31 if run.method.adaptive else run.cost.steps + 1)


anything = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.lists(st.floats(), max_size=4),
    st.complex_numbers(), st.binary(max_size=3),
)  # fmt: skip


@settings(max_examples=few(300))
@given(name=st.sampled_from(["J", "R0", "Omega0", "Pi0", "dt", "duration"]), value=anything)
def test_whatever_a_problem_is_given_is_taken_or_refused_in_a_sentence(name, value):
    try:
        changed = engine.problem("free").replace(**{name: value})
    except ValueError as error:
        assert str(error) and "\n" not in str(error) and len(str(error)) < 400
    else:
        assert (
            np.isfinite(changed.J).all()
            and np.isfinite(changed.R0).all()
            and np.isfinite(changed.Omega0).all()
        )


@pytest.mark.parametrize(
    ("arguments", "options", "says"),
    [
        (("NMB", "free"), {}, "the problem comes first, then the method; got the method NMB first"),
        (
            (engine.algorithm("MR2(axes=231)"), "free"),
            {},
            "the problem comes first, then the method; got the method MR2",
        ),
        (
            ("free", "NMB"),
            {"durration": 3},
            "there is no argument 'durration'; the nearest is duration",
        ),
        (("free", "MR2"), {"axis": 231}, "MR2 has no option 'axis'; its options are axes, trig"),
        (
            ("free", "NMB"),
            {"cancel": True},
            "cancel is an engine.Cancellation or a threading.Event; got True",
        ),
        (("free", "NMB"), {"progress": 3}, "progress is a function"),
        (("free", "NMB"), {"steps": 2.5}, "steps must be a whole number from 0 to 10¹⁵; got 2.5"),
        (("free", "NMB"), {"every": True}, "every must be a whole number from 1 to 10¹⁵; got True"),
    ],
)
def test_what_simulate_refuses_is_told_in_its_own_words(arguments, options, says):
    with pytest.raises(ValueError) as refused:
        engine.simulate(*arguments, **options)
    assert str(refused.value).startswith(says)


@pytest.mark.parametrize("value", [3, 3.0, np.int32(3), np.float32(3.0), np.array(3)])
def test_whole_numbers_of_every_make_are_taken(value):
    assert len(engine.simulate("free", "NMB", steps=value)) == 4


ENDLESS = {
    "long": "M" * 3_000_000,
    "brackets": "MR2(" * 200_000,
    "many options": "MR2(" + "axes=231," * 300_000 + ")",
    "spaces": "MR2" + " " * 30_000 + "x",
    "compositions": "MR2" + "*yoshida4" * 100_000,
}


@pytest.mark.parametrize("name", ENDLESS.values(), ids=ENDLESS)
def test_names_that_nobody_can_have_meant_are_refused_at_once(name):
    for ask in (
        engine.algorithm,
        engine.problem,
        lambda name: engine.simulate("free", "MR2", axes=name),
    ):
        with pytest.raises(ValueError, match=r"at most (400|1,000) characters") as caught:
            ask(name)
        one_sentence(caught)


@pytest.mark.parametrize("name", ["J", "R0", "Omega0", "Pi0", "dt"])
@pytest.mark.parametrize(
    "value", [np.zeros((1000, 1000)), [0.0] * 1_000_000, "0" * 1_000_000], ids=type
)
def test_megabytes_for_a_few_numbers_are_refused_unread(name, value):
    with pytest.raises(ValueError) as caught:
        engine.problem("free").replace(**{name: value})
    one_sentence(caught)


def test_other_megabytes():
    for ask in (
        lambda: engine.simulate("free", "MR2", **{"x" * 1_000_000: 1}),
        lambda: engine.load("x" * 1_000_000),
        lambda: engine.exact("free", ["x" * 1_000_000]),
        lambda: engine.exact("free", np.zeros(6_000_000)),
    ):
        with pytest.raises(ValueError) as caught:
            ask()
        one_sentence(caught)


@pytest.mark.parametrize("t", [5e-324, 1e-300, 1e-12])
def test_times_that_are_hardly_any(t):
    motion = engine.exact("asymmetric-top", t)
    np.testing.assert_allclose(motion.R, engine.problem("asymmetric-top").R0, rtol=0, atol=1e-11)


@pytest.mark.parametrize("method", ["DOP853", "RK45"])
def test_steps_that_lead_nowhere_are_given_up_early(method):
    hopeless = engine.Problem(J=(1, 2, 3), torque=lambda t, R: (1e300, 0.0, 1e300))
    run = engine.simulate(hopeless, method, duration=10.0)
    assert run.status in ("no-solution", "diverged") and run.cost.steps < 5000 and run.message
    spring = engine.Problem(
        J=(1, 2, 3), torque=lambda t, R: (1e3 * R[2, 1], 0.0, 0.0), duration=2.0
    )
    assert engine.simulate(spring, method).status == "done"


def test_names_of_options_and_parameters_are_found_in_any_case():
    assert (
        engine.algorithm("MR2(Axes=231)").label
        == engine.algorithm("mr2", AXES="231").label
        == "MR2(axes=231)"
    )
    top = engine.problem("lagrange-top(mgl=15)", omega0=(0, 0, 4))
    assert top.values["Mgl"] == 15 and top.Omega0.tolist() == [0, 0, 4]
    assert engine.problem("Soft-Wall(SIGN=as-printed)").label == "soft-wall(sign=as-printed)"
    assert engine.problem("dumbbells", g=2.0).G == 2.0


@pytest.mark.parametrize(("ask", "name"), [
    (lambda: engine.algorithm("MR2(axes=231,axes=123)"), "axes"),
    (lambda: engine.algorithm("MR2(axes=231,Axes=123)"), "Axes"),
    (lambda: engine.algorithm("MR2", axes=231, Axes=123), "axes"),
    (lambda: engine.problem("free", omega0=(0, 0, 1), Omega0=(0, 0, 2)), "Omega0"),
])  # fmt: skip
def test_an_option_that_is_given_twice_is_refused(ask, name):
    with pytest.raises(ValueError, match=f"{name} is given twice"):
        ask()


def test_of_names_that_differ_in_case_alone_the_one_written_is_meant():
    known = ("G", "g", "Mgl")
    assert [match_name(name, known) for name in ("G", "g", "mgl", "MGL", "x", "M" * 500)] == [
        "G", "g", "Mgl", "Mgl", "x", "M" * 500,
    ]  # fmt: skip
    assert match_name("A_B", ("a-b", "A-b")) == "A_B", "several are alike, so that none is meant"
