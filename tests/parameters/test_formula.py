"""Formulas for a torque: their meaning, refusals with their places, and that no Python of theirs
runs.
"""

from __future__ import annotations

import contextlib
import gc
import math
import pickle
import re
import weakref

import numpy as np
import pytest
from covering import first
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine.kernels.custom_torque import Called, _compiled_formula
from engine.parameters.formula import (
    DEEPEST,
    FUNCTIONS,
    LONGEST,
    MEANINGS,
    MOST,
    NAMES,
    Formula,
    NotAFormula,
    find_error,
)
from engine.parameters.validation import check_attitude

R = check_attitude((0.3, -0.5, 0.9))
OMEGA = np.array([0.7, -1.1, 0.4])
T = 0.6
E1, E2, E3 = np.eye(3)


def value(text, kind="vector"):
    formula = Formula(text, kind)
    return formula(T, R, OMEGA) if formula.of_velocity else formula(T, R)


VECTORS = {
    "2*cross(R[:, 2], e3)": 2 * np.cross(R[:, 2], E3),
    "-0.1*R@Omega": -0.1 * R @ OMEGA,
    "-0.1*R@Ω": -0.1 * R @ OMEGA,
    "(0, 0, sin(2*pi*t))": (0, 0, math.sin(2 * math.pi * T)),
    "[R[0, 1], R[-1, 0], Omega[-1]]": (R[0, 1], R[2, 0], OMEGA[2]),
    "R.T[0] - R[:,0]": np.zeros(3),
    "R.T @ e1": R[0],
    "R[1] + R[1, :]": 2 * R[1],
    "e1/2 + e2*3 - -e3": (0.5, 3, 1),
    "R@R.T@(1, 2, 3)": (1, 2, 3),
    "(R*2 - R)@e2": R[:, 1],
    "(2*R + -R)@e2": R[:, 1],
    "1e-3*e1 + .5e1*e2 + 3.*e3": (1e-3, 5, 3),
    "max(t, 1)*e1 + min(t, 1)*e2 + abs(-t)*e3": (1, T, T),
}
NUMBERS = {
    "-2*R[2,2]": -2 * R[2, 2],
    "2^3^2": 512,
    "2**-1": 0.5,
    "-2^2": -4,
    "1 - 2 - 3": -4,
    "8/4/2": 1,
    "2 + 3*4": 14,
    "dot(R[0], e1) + R[0]@e1": 2 * R[0, 0],
    "norm((3, 4, 0))": 5,
    "((((t))))": T,
    "atan2(R[1,0], R[0,0])": math.atan2(R[1, 0], R[0, 0]),
    "sqrt(2)*exp(-t)*log(2)*tanh(t)": math.sqrt(2) * math.exp(-T) * math.log(2) * math.tanh(T),
}


@pytest.mark.parametrize("text", VECTORS)
def test_what_a_vector_is(text):
    np.testing.assert_allclose(value(text), VECTORS[text], rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("text", NUMBERS)
def test_what_a_number_is(text):
    assert value(text, "number") == pytest.approx(NUMBERS[text], rel=1e-14)


@pytest.mark.parametrize(("text", "says", "at"), [
    ("", "there is no formula", 0),
    ("  ", "there is no formula", 0),
    ("R*e3", "a matrix is applied by @", 1),
    ("e1*e2", "dot or cross", 2),
    ("e3 + 1", "a vector \\+ a number has no meaning", 3),
    ("foo*e3", "'foo' is not known; there are t, R, Omega", 0),
    ("foo(t)*e3", "no function 'foo'; there are sin", 0),
    ("sin*e3", "sin needs what it is taken of", 0),
    ("cross(e1)", "cross takes a vector and a vector, and not a vector", 0),
    ("sin(1, 2)*e3", "sin takes a number, and not a number, a number", 0),
    ("[1, 2]", "a vector is three numbers", 0),
    ("(1, 2, e3)", "a vector is three numbers", 0),
    ("[1, 2, 3", "] is missing at the end", 8),
    ("(1, 2, 3]", "\\) is missing before ']'", 8),
    ("e3 e3", "'e3' is not expected here", 3),
    ("e3 +", "missing at the end", 4),
    ("*e3", "'\\*' is not expected", 0),
    ("R[3]", "a place is 0, 1 or 2", 2),
    ("R[t]", "a place is 0, 1 or 2", 2),
    ("R[0.5]", "a place is 0, 1 or 2", 2),
    ("R[:, :]@e1", "places are those of", 1),
    ("t[0]*e3", "places are those of", 1),
    ("e3.x*e3", "a vector has no .x", 2),
    ("R.T.T.real", "a matrix has no .real", 5),
    ("1/0*e3", "no finite value", None),
    ("log(-1)*e3", "no finite value", None),
    ("(-1)**0.5*e3", "no finite value", None),
    ("9e999*e3", "no finite value", None),
    ("$", "'\\$' has no meaning", 0),
    ("e3; import os", "';' has no meaning", 2),
    ("'a'", "has no meaning", 0),
    ("2*t", "a torque is a vector, and this is a number", 0),
    ("R", "a torque is a vector, and this is a matrix", 0),
    ("(" * 300 + "t" + ")" * 100, "150 names, numbers and signs", None),
    ("(" * (DEEPEST + 1) + "t" + ")" * (DEEPEST + 1) + "*e3", "within one another", None),
    ("R" + ".T" * 60 + "@e1", "within one another", None),
    ("+".join(["e3"] * (MOST // 2 + 5)), "names, numbers and signs", None),
    (" " * LONGEST + "e3", "at most 500 characters", None),
])  # fmt: skip
def test_what_is_wrong_is_told_with_its_place(text, says, at):
    with pytest.raises(NotAFormula, match=says) as caught:
        Formula(text)
    assert at is None or caught.value.at == at


@pytest.mark.parametrize("text", [
    "__import__('os').system('true')", "R.__class__", "().__class__", "lambda: 0", "t if t else e3", "open(t)",
    "[x for x in R]", "exec(t)", "R.T.__init__", "e3.__dict__", "Omega.memory", "R[0].T", "f(e3)", "t := 1", "e3\x00",
])  # fmt: skip
def test_nothing_of_python_gets_in(text):
    with pytest.raises(NotAFormula):
        Formula(text)


PIECES = [
    *"+-*/@^()[],.: 0123e",
    "R",
    "t",
    "Omega",
    "e3",
    "cross",
    "sin",
    ".T",
    "[:,2]",
    "**",
    "\n",
    "é",
    "²",
]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_any_text_is_a_formula_or_refused_in_a_sentence(text):
    try:
        formula = Formula(text)
    except NotAFormula as refused:
        assert str(refused).isprintable() and 0 <= refused.at <= len(text)
        return
    assert len(formula(T, R, OMEGA) if formula.of_velocity else formula(T, R)) == 3


@pytest.mark.parametrize("text", [
    *VECTORS, "-".join(["t*e3"] * 37), "(" * 38 + "t" + ")" * 38 + "*e3", "sin(" * 36 + "t" + ")" * 36 + "*e3",
    "R" + ".T" * 38 + "@e1", "t" + "**t" * 38 + "*e3", "*".join(["t"] * 74) + "*e3",
])  # fmt: skip
def test_what_is_read_is_compiled_too(text):
    """The deepest and longest formulas; the same numbers as in plain Python."""
    formula = Formula(text)
    address = Called(formula, None).pointers()[0]
    from engine.compiler.primitives import torque_at

    motion = [*R.ravel().tolist(), *OMEGA.tolist()]
    *torque, failed = torque_at(address, T, motion)
    assert failed == 0
    np.testing.assert_allclose(torque, value(text), rtol=1e-13, atol=1e-15)


def test_every_name_and_function_is_told_in_the_documentation():
    from pathlib import Path

    report = (Path(__file__).parents[2] / "docs" / "reference" / "formulas.md").read_text()
    for name in (*NAMES, *FUNCTIONS):
        assert f"`{name}`" in report, name


def test_the_formulas_of_the_documentation_are_what_it_says():
    from pathlib import Path

    page = (Path(__file__).parents[2] / "docs" / "reference" / "formulas.md").read_text()
    rows = re.findall(r"^\| `([^`]+)`(?:, potential `([^`]+)`)? \| (.+) \|$", page, re.M)
    assert len(rows) == 4
    for torque, potential, what in rows:
        run = engine.simulate(
            pulled(formula=torque, potential=potential), "RKMK", dt=0.02, duration=4
        )
        assert ("energy" in run.problem.invariants) == bool(potential)
        lost = (run.energy[0] - run.energy[-1]) / run.energy[0]
        expected = {"spring": 0, "friction": 0.2, "no work": 0}
        for word, least in expected.items():
            if word in what:
                assert lost == pytest.approx(0, abs=1e-6) if least == 0 else lost > least


PULL = {"torque": "formula", "formula": "2*cross(R[:,2], e3)", "potential": "-2*R[2,2]"}
BODY = {"J": (1, 1, 2), "R0": (0.5, 0, 0), "Omega0": (0, 0, 3)}


def pulled(**more):
    return engine.problem("custom", **(PULL | BODY | more))


@pytest.mark.parametrize("method", first(["MR2", "NMB", "AKW", "RKMK", "DMV", "DOP853"], 2))
def test_a_body_under_a_formula_is_that_under_the_function(method):
    function = engine.Problem(
        torque=lambda t, R: 2.0 * np.cross(R[:, 2], E3), potential=lambda R: -2.0 * R[2, 2], **BODY
    )
    how = {} if method == "DOP853" else {"dt": 0.02}
    one = engine.simulate(pulled(), method, duration=4, **how)
    other = engine.simulate(function, method, duration=4, **how)
    np.testing.assert_allclose(one.R, other.R, rtol=0, atol=1e-12)
    np.testing.assert_allclose(one.energy, other.energy, rtol=1e-12)


def test_the_same_without_a_compiler(monkeypatch):
    compiled = engine.simulate(pulled(), "MR2", dt=0.05, steps=20)
    monkeypatch.setenv("POLHODE_PLAIN", "1")
    np.testing.assert_allclose(
        engine.simulate(pulled(), "MR2", dt=0.05, steps=20).R, compiled.R, rtol=0, atol=1e-13
    )


def test_energy_is_promised_where_the_torque_is_that_of_the_potential():
    assert pulled().invariants == ("energy",)
    assert pulled(potential="").invariants == ()
    assert pulled(potential="2*R[2,2]").invariants == ()
    assert pulled(formula="-0.1*R@Omega").invariants == ()
    assert (
        pulled(formula="sin(t)*2*cross(R[:,2], e3)", potential="-sin(t)*2*R[2,2]").invariants == ()
    )
    assert engine.problem("custom").invariants == ("energy", "pi", "pi_norm", "casimir")


@pytest.mark.parametrize("kind", ["formula", "plain", "compiled"])
@pytest.mark.parametrize(("torque", "potential"), [
    ("cross(R[:,0], e2) * 3", "-3*dot(R[:,0], e2)"),
    ("2*R[2,2]*cross(R[:,2], e3)", "-R[2,2]**2"),
    ("exp(-R[2,2]) * cross(R[:,2], e3)", "exp(-R[2,2])"),
    ("1e4*exp(-1e3*(R[2,2]+0.2)**2)*2e3*(R[2,2]+0.2) * cross(R[:,2], e3)", "1e4*exp(-1e3*(R[2,2]+0.2)**2) + 1e6"),
])  # fmt: skip
def test_torques_of_potentials(torque, potential, kind):
    def made(text):
        return body_of(kind, Formula(text), Formula(potential, "number"))

    assert made(torque).invariants == ("energy",) and not made(torque).remarks
    for other in (f"1.01*({torque})", f"-({torque})", f"cos(t)*({torque})"):
        with contextlib.nullcontext() if kind == "formula" else pytest.warns(match="kinetic"):
            wrong = made(other)
        assert wrong.invariants == () and "energy here is the kinetic" in wrong.remarks["potential"]
        assert wrong.replace(Omega0=(0, 1, 0)).remarks == wrong.remarks


def body_of(kind, torque, potential):
    """A body with a formula, or with a function of the same values, plain or compiled."""
    if kind == "formula":
        return pulled(formula=torque.text, potential=potential.text)

    def acts(t, R):
        return torque(t, R)

    def energy(t, R):
        return potential(t, R)

    if kind == "compiled":
        acts = engine.torque(acts)
        energy = engine.potential(energy)
    return engine.Problem(torque=acts, potential=energy)


def test_a_function_that_contradicts_its_potential_is_warned_of_once():
    """A formula's remark stands beside its field, and in the run's message."""
    with pytest.warns(UserWarning, match="not that of the potential.*kinetic energy") as report:
        body = engine.Problem(torque=lambda t, R: (1.0, 0.0, 0.0), potential=lambda R: R[2, 2])
        run = engine.simulate(body.replace(Omega0=(0, 1, 0)), "RKMK", dt=0.02, steps=5)
    assert len(report) == 1 and report[0].filename == __file__
    assert run.messages == (str(report[0].message),)


def test_energy_is_kinetic_where_the_potential_is_of_another_torque():
    wrong = pulled(potential="2*R[2,2]")
    said = wrong.remarks["potential"]
    assert "and the potential gives (" in said
    run = engine.simulate(wrong, "RKMK", dt=0.02, steps=50)
    assert run.messages == (said,)
    np.testing.assert_allclose(run.energy, 0.5 * np.sum(run.Omega * run.Pi, axis=1), rtol=1e-13)
    np.testing.assert_array_equal(
        run.energy, engine.simulate(pulled(potential=""), "RKMK", dt=0.02, steps=50).energy
    )
    right = wrong.replace(potential="-2*R[2,2]")
    assert not right.remarks and right.invariants == ("energy",)


def test_a_wrong_one_is_refused_where_it_is_given():
    with pytest.raises(
        ValueError, match=r"^formula: a matrix \* a vector has no meaning.* \(at '\*e3'\)$"
    ):
        pulled(formula="R*e3")
    with pytest.raises(ValueError, match=r"^potential: a potential depends on R and t, not on Ω"):
        pulled(potential="Omega[0]")
    with pytest.raises(ValueError, match=r"^potential: a potential is a number"):
        pulled(potential="e3")


def test_who_takes_no_velocity_refuses_friction():
    with pytest.raises(ValueError, match="NMB takes torques of time and attitude only"):
        engine.simulate(pulled(formula="-0.1*R@Omega", potential=""), "NMB")
    run = engine.simulate(pulled(formula="-0.1*R@Omega", potential=""), "RKMK", dt=0.02, duration=5)
    # J dω/dt in space: each component of L falls by 0.1 ω; of a spin about the third axis, J₃ = 2.
    assert run.Omega[-1, 2] == pytest.approx(3 * math.exp(-0.05 * 5), rel=1e-8)


def test_a_torque_in_the_body_is_that_in_space_turned():
    turned = engine.problem(
        "custom(torque=formula, frame=body)", formula="-0.1*Omega", Omega0=(1, 2, 3)
    )
    same = turned.replace(frame="space", formula="-0.1*R@Omega")
    runs = [engine.simulate(problem, "RKMK", dt=0.05, steps=100) for problem in (turned, same)]
    np.testing.assert_allclose(runs[0].R, runs[1].R, atol=1e-13)
    assert turned.label == "custom(torque=formula, frame=body)"
    assert same.label == "custom(torque=formula)"
    assert not np.allclose(turned.replace(frame="space").torque(T, R, OMEGA), -0.1 * R @ OMEGA)
    again = pickle.loads(pickle.dumps(turned)).torque
    assert again == turned.torque != Formula("-0.1*Omega")
    np.testing.assert_allclose(again(T, R, OMEGA), -0.1 * R @ OMEGA, atol=1e-15)


def test_a_constant_torque_in_the_body_is_the_moment_of_that_name():
    typed = engine.problem("custom(torque=formula, frame=body)", formula="0.2*e1 + 0.1*e3")
    given = engine.problem("custom(torque=body)", moment=(0.2, 0.0, 0.1))
    ends = [engine.simulate(one, "RKMK", dt=0.05, steps=100).R[-1] for one in (typed, given)]
    np.testing.assert_allclose(*ends, atol=1e-13)


@pytest.mark.parametrize(
    ("text", "mixed"),
    [
        ("-0.1*Omega + sin(2*t)*e1", True),
        ("cross(Omega, e3)", True),
        ("e1 + R@e2 + Ω", True),
        ("-0.1*R@Omega + sin(2*t)*e1", False),
        ("R@(e1 - 0.1*Omega)", False),
        ("norm(Omega)*e1 + Omega[2]*R[:,2]", False),
    ],
)
def test_velocity_in_the_body_as_a_torque_in_space_is_known(text, mixed):
    assert Formula(text).mixes_frames is mixed
    assert not Formula(text, frame="body").mixes_frames


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("-0.1*Omega + sin(2*q)*e1", "q"),
        ("cross(e1)", "cross"),
        ("R[3]", "3"),
        ("e1 # 2", "#"),
        ("2*t", "2*t"),
        ("e1 +", ""),
    ],
)
def test_the_wrong_part_of_a_text_is_found(text, wrong):
    words, start, end = find_error(text)
    assert text[start:end] == wrong and words


def test_a_formula_has_no_wrong_part():
    assert find_error("-0.1*Omega") is None and find_error("R[2,2]", "number") is None


def test_every_name_has_a_meaning():
    assert MEANINGS.keys() - {"["} == (NAMES.keys() | FUNCTIONS.keys()) - {"Ω"}


def test_it_is_saved_and_pickled_with_the_run(tmp_path):
    run = engine.simulate(pulled(), "MR2", dt=0.02, steps=10)
    run.save(tmp_path / "run.npz")
    again = engine.load(tmp_path / "run.npz")
    assert again.problem.values["formula"] == PULL["formula"]
    np.testing.assert_array_equal(again.rerun().R, run.R)
    assert pickle.loads(pickle.dumps(pulled())).torque == Formula(PULL["formula"])


def test_the_code_of_a_formula_goes_with_it():
    """Repeated typing leaves nothing in memory."""
    _compiled_formula.cache_clear()
    called = Called(Formula("0.25*cross(R[:,1], e3)"), None)
    called.pointers()
    code = weakref.ref(called._keep[0])
    assert code() is not None
    del called
    _compiled_formula.cache_clear()
    gc.collect()
    assert code() is None


def test_a_formula_in_the_shell(capsys):
    from engine.cli.command import main

    main(
        [
            "run",
            "custom(torque=formula)",
            "MR2",
            "--set",
            "formula=3*cross(R[:,2], e3)",
            "--steps",
            "5",
        ]
    )
    assert "MR2" in capsys.readouterr().out
