"""What methods are called on screen."""

import pytest

import engine
from engine.algorithms import PROGRAMS, join_names, name_method, name_methods, name_variants
from engine.algorithms.core import register

LONGEST = 24
"""Characters of a short name: what fits beside a curve on a phone."""


def check_short(names: list[str]) -> None:
    assert len(set(names)) == len(names), sorted(n for n in names if names.count(n) > 1)
    for name in names:
        assert 2 < len(name) <= LONGEST, name
        assert not set(name) & set("()[]{}|=+*_"), name


@pytest.mark.parametrize("space", ["so3", "se3", "rates"])
def test_each_method_declares_a_short_name_of_its_own(space: str) -> None:
    methods = engine.algorithms(space)
    check_short([m.short for m in methods])
    undeclared = [m.key for m in methods if m.short == m.key]
    assert set(undeclared) <= {"LSODA", "SPIRAL", "INAV", "GTSAM"}, (
        "these names are their usual ones"
    )


def test_each_program_has_a_short_name_that_no_method_has() -> None:
    check_short([one.short for one in PROGRAMS.values()] + [m.short for m in engine.algorithms()])


def test_a_method_made_of_another_is_called_by_its_key(for_a_while: None) -> None:
    own = register(engine.algorithm("MR2").redeclare(key="MINE", aliases=(), variants={}))
    assert (own.short, engine.algorithm("MR2").short) == ("MINE", "McLachlan–Reich")


@pytest.mark.parametrize(
    ("chosen", "names"),
    [
        (["NMB", "AKW", "DMV"], ["Explicit Newmark", "Implicit midpoint", "Moser–Veselov"]),
        (["MR2(axes=231)"], ["McLachlan–Reich"]),
        (["MR2", "MR2(axes=231)"], ["McLachlan–Reich", "McLachlan–Reich with axes 231"]),
        (
            ["MR2(axes=231)", "MR2(axes=321, trig=cayley)"],
            [
                "McLachlan–Reich with axes 231",
                "McLachlan–Reich with axes 321 and turns by the Cayley map",
            ],
        ),
        (
            ["MR2(axes=231, trig=cayley)", "MR2(axes=321, trig=cayley)"],
            ["McLachlan–Reich with axes 231", "McLachlan–Reich with axes 321"],
        ),
        (["DMV", "DMV*yoshida4"], ["Moser–Veselov", "Moser–Veselov with Yoshida 4"]),
        (["BUSS3+E", "BUSS3"], ["Buss 3 with energy correction", "Buss 3"]),
        (
            ["RK4-QUAT(precision=single)", "RK4-QUAT"],
            ["Runge–Kutta 4 with single precision", "Runge–Kutta 4"],
        ),
        (["SQ-M(beta=0.3)", "SQ-M"], ["Simo–Vu-Quoc with β = 0.3", "Simo–Vu-Quoc"]),
        (["RK4-QUAT(precision=single)", "NMB"], ["Runge–Kutta 4", "Explicit Newmark"]),
        (["EXACT"], ["Exact motion"]),
        (
            ["CONING(samples=1)", "CONING(samples=3)"],
            ["Coning correction with 1 sample", "Coning correction with 3 samples"],
        ),
        (
            ["EULER", "EULER(renormalise=yes)", "EULER(renormalise=first)"],
            [
                "Quaternion Euler",
                "Quaternion Euler with normalisation",
                "Quaternion Euler with normalisation to first order",
            ],
        ),
    ],
)
def test_variants_are_told_apart_by_what_differs(chosen: list[str], names: list[str]) -> None:
    assert list(name_methods(chosen).values()) == names
    methods = [engine.algorithm(one) for one in chosen]
    assert name_methods(methods) == dict(zip([m.label for m in methods], names, strict=True))


@pytest.mark.parametrize(
    ("chosen", "names"),
    [
        (["godot"], ["Godot"]),
        (["GODOT (precision=single)"], ["Godot"]),
        (["godot", "godot(damping=0)"], ["Godot", "Godot with damping 0"]),
        (["box3d(substeps=1)"], ["Box3D with substeps 1"]),
        (["bullet", "bullet-explicit"], ["Bullet", "Bullet, explicit"]),
        (["mujoco-euler", "SEMI-EULER"], ["MuJoCo Euler", "Semi-implicit Euler"]),
        (["chrono", "mujoco-euler"], ["Chrono", "MuJoCo Euler"]),
        (["no-squish", "hoomd"], ["McLachlan–Reich", "HOOMD-blue"]),
        (["px4", "ardupilot", "betaflight"], ["PX4", "ArduPilot", "Betaflight"]),
        (["px4(renormalise=no)", "px4"], ["PX4 with no normalisation", "PX4"]),
    ],
)
def test_a_rule_that_is_chosen_by_a_program_has_its_name(
    chosen: list[str], names: list[str]
) -> None:
    assert list(name_methods(chosen).values()) == names


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_rule_remembers_the_program_by_which_it_was_chosen(program: str) -> None:
    rule = engine.algorithm(program, precision="single")
    assert name_method(rule) == PROGRAMS[program].short
    again = engine.algorithm(rule.given_name)
    assert (again.label, again.given_name) == (rule.label, rule.given_name)
    assert again.called == program


@pytest.mark.parametrize("space", ["so3", "se3", "rates"])
def test_no_two_variants_have_one_name(space: str) -> None:
    for method in engine.algorithms(space):
        variants = [
            method.with_options(**{option.name: word}).label
            for option in method.all_options
            for word in option.choices
        ]
        names = name_methods([method, *variants], space=space)
        assert len(set(names.values())) == len(names), names
        assert names[method.label] == method.short


@pytest.mark.parametrize(
    ("chosen", "shared", "own", "line"),
    [
        (
            ["NMB", "AKW"],
            "",
            ["Explicit Newmark", "Implicit midpoint"],
            "Explicit Newmark, Implicit midpoint",
        ),
        (["MR2(axes=231)"], "", ["McLachlan–Reich"], "McLachlan–Reich"),
        (
            ["BUSS3", "BUSS4", "BUSS3+E"],
            {"BUSS3": "Buss 3", "BUSS4": "", "BUSS3+E": "Buss 3"},
            ["default", "Buss 4", "energy correction"],
            "Buss 3 (default), Buss 4, Buss 3 (energy correction)",
        ),
        (
            ["MR2", "MR2(axes=231)", "MR2(axes=321, trig=cayley)"],
            "McLachlan–Reich",
            ["default", "axes 231", "axes 321 and turns by the Cayley map"],
            "McLachlan–Reich: default; axes 231; axes 321 and turns by the Cayley map",
        ),
        (
            ["MR2(axes=231)", "MR2(axes=312)", "NMB", "AKW"],
            dict.fromkeys(["MR2(axes=231)", "MR2(axes=312)"], "McLachlan–Reich")
            | {"NMB": "", "AKW": ""},
            ["axes 231", "axes 312", "Explicit Newmark", "Implicit midpoint"],
            "McLachlan–Reich (axes 231; axes 312), Explicit Newmark, Implicit midpoint",
        ),
        (
            ["godot", "godot(damping=0)"],
            "Godot",
            ["default", "damping 0"],
            "Godot: default; damping 0",
        ),
    ],
)
def test_what_variants_share_is_stated_once(
    chosen: list[str], shared: str | dict[str, str], own: list[str], line: str
) -> None:
    found = name_variants(chosen)
    assert list(found.own.values()) == own
    common = shared if isinstance(shared, str) else ""
    assert found.common == common
    assert found.shared == (dict.fromkeys(chosen, common) if isinstance(shared, str) else shared)
    assert found.in_line == line


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        (["NMB", "AKW"], "Explicit Newmark and Implicit midpoint"),
        (["MR2(axes=231)", "MR2(axes=312)"], "McLachlan–Reich with axes 231 and with axes 312"),
        (["MR2", "MR2(axes=231)"], "McLachlan–Reich by default and with axes 231"),
        (["MR2(axes=231)", "MR2"], "McLachlan–Reich with axes 231 and by default"),
        (
            ["MR2(axes=231)", "MR2(axes=312)", "NMB"],
            "McLachlan–Reich with axes 231, with axes 312 and Explicit Newmark",
        ),
        (
            ["NMB", "BUSS3+E", "BUSS4"],
            "Explicit Newmark, Buss 3 with energy correction and Buss 4",
        ),
    ],
)
def test_a_sentence_has_the_name_of_variants_once(chosen: list[str], words: str) -> None:
    assert join_names(name_methods(chosen).values()) == words
