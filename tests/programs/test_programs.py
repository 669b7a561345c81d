"""Programs: a method in several languages ends where the engine does; and pseudo-code."""

from __future__ import annotations

import contextlib
import io
import re
import shutil
import subprocess
import sys
from collections import ChainMap
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from math import cos, sin
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from covering import covering, first
from optional import require_optional

import engine
from engine.algebra import Vec3, cross, exp
from engine.algorithms import FixedStep, Method
from engine.programs import LANGUAGES, Example, Unwritable, write_pseudo_code

MOMENTS = (1.0, 2.0, 2.8)
OMEGA = (1.2, 1.9, 1.5)
DT = 1 / 20
STEPS = 15
HALF_A_TURN = np.diag([1.0, -1.0, -1.0])
FREE_ONLY = ("BUSS5", "BUSS6")
RATES = ("BUSS3", "BUSS3-FALSE", "BUSS4")
METHODS = [m for m in engine.algorithms() if isinstance(m, FixedStep)]
NAMES = [name for m in METHODS for name in (m.key, *m.variants)]
NUMBERS = {
    "damping": 0.5, "max_speed": 2.0, "max_component": 1.5, "max_turn": 0.08,
    "beta": 0.3, "gamma": 0.6, "zeta": 0.4, "alpha_m": 0.3,
    "alpha_f": 0.4, "radius": 0.5,
}  # fmt: skip
"""A value of each option that is a number, other than its default; the limits change each step of
the motion here.
"""
PUT_TOGETHER = (
    "MR2*yoshida4", "KDK*suzuki4", "BUSS3+E", "AKW*kahan-li6", "CF4+E", "LOW-STORAGE+E",
    "SEMI-EULER(damping=0.5, max_speed=2)", "RESTORED(gyroscopic=after, map=cay, damping=0.5, max_turn=0.08)",
)  # fmt: skip
SINGLE_AND_DIVIDED = (
    "KDK",
    "MR2(trig=cayley)",
    "BUSS5",
    "HALVES",
    "RK-QUAT",
    "SW-BUSS",
    "FINCHAM",
    "IMID",
)

TOOLS: dict[str, tuple[str, ...]] = {
    "python": (), "c": ("gcc",), "cpp": ("g++",), "csharp": ("mcs", "mono"), "rust": ("rustc",),
    "javascript": ("node",), "matlab": ("octave-cli",), "glsl": ("glslangValidator",),
}  # fmt: skip
"""The programs that compile and run each language."""
STRICT = ("-O1", "-Wall", "-Wextra", "-Werror", "-pedantic")


def combinations(key: str) -> list[Method]:
    """The method with each choice of its options, 64 and 32 bits, one and three steps in a
    frame.
    """
    method = engine.algorithm(key)
    numbers = {o.name: NUMBERS[o.name] for o in method.options if not o.choices}
    chosen = [[{o.name: value} for value in o.choices] for o in method.options if o.choices]
    limits = [{}, numbers] if numbers else [{}]
    if {"max_speed", "max_turn"} <= numbers.keys():  # the smaller one hides the other
        limits.append({**numbers, "max_turn": 0.0})
    how = [[{"precision": "double"}, {"precision": "single"}], [{"substeps": 1}, {"substeps": 3}]]
    return [method.with_options(**ChainMap(*each)) for each in product(*chosen, limits, *how)]


# -------------------------------------------------------------------------------------------------
# torques: for the engine as formulas, for programs with values of the algebra

FORMULA = "2*cross(R[:,2], e3) + (0.3*cos(t), 0.5, 0.4)"
DRAG = f"{FORMULA} - 0.1*R@Omega"


def torque(t, R):
    """A spring that pulls the third axis to the vertical, and a push that turns."""
    return R.T @ (
        2.0 * cross(Vec3(R.xz, R.yz, R.zz), Vec3(0.0, 0.0, 1.0)) + Vec3(0.3 * cos(t), 0.5, 0.4)
    )


def torque_with_drag(t, R, Ω):
    """The same with drag."""
    return torque(t, R) - 0.1 * (R.T @ (R @ Ω))


def spring(t, R):
    """The spring alone."""
    return 2.0 * cross(Vec3(0.0, 0.0, 1.0), Vec3(R.zx, R.zy, R.zz))


def spring_rate(t, R, Ω):
    """Its rate."""
    return 2.0 * cross(cross(Ω, Vec3(0.0, 0.0, 1.0)), Vec3(R.zx, R.zy, R.zz))


def spring_rate2(t, R, Ω, A):
    """Its second rate."""
    e = Vec3(0.0, 0.0, 1.0)
    return 2.0 * cross(cross(Ω, cross(Ω, e)) + cross(A, e), Vec3(R.zx, R.zy, R.zz))


def spring_potential(t, R):
    """Its potential energy."""
    return -2.0 * R.zz


def choose_torque(method: Method) -> tuple[str, dict[str, Callable[..., Any]]]:
    """A torque for a method: as a formula, and as functions of a program."""
    if method.key in FREE_ONLY or method.energy_correction:
        return "", {}
    if method.key in RATES or method.key == "DISCRETE-GRADIENT":
        own = {
            "torque": spring,
            "torque_rate": spring_rate,
            "torque_rate2": spring_rate2,
            "potential": spring_potential,
        }
        return "2*cross(R[:,2], e3)", own
    return (
        (DRAG, {"torque": torque_with_drag})
        if method.promises.torque_of_velocity
        else (FORMULA, {"torque": torque})
    )


def run_engine(method: Method) -> np.ndarray:
    """R and Ω at the end of the run."""
    return run_label(method.label)


@cache
def run_label(label: str) -> np.ndarray:
    """The same, in plain Python; compiled with a torque whose rates the method needs."""
    method = engine.algorithm(label)
    formula, _ = choose_torque(method)
    given = {
        "torque": "formula",
        "formula": formula,
        "potential": "-2*R[2,2]"
        if formula.startswith("2*cross(R[:,2], e3)") and formula.endswith("e3)")
        else "",
    }
    body = engine.problem("custom", **(given if formula else {})).replace(
        J=MOMENTS, R0=HALF_A_TURN, Omega0=OMEGA
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POLHODE_PLAIN", "" if method.key in RATES else "1")
        run = engine.simulate(body, method, dt=DT, steps=STEPS)
    assert run.status == "done"
    return np.concatenate([run.R[-1].ravel(), run.Omega[-1]])


def write(method: Method, language: str) -> str:
    """The program of the same run."""
    _, own = choose_torque(method)
    example = Example(MOMENTS, OMEGA, tuple(HALF_A_TURN.ravel()), DT, STEPS, own)
    return engine.program(method, language, example=example)


def run_python(text: str) -> np.ndarray:
    """R and Ω at the end of a program in Python, run here."""
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(text, "a program", "exec"), names)
    return np.concatenate([names["R"].ravel(), names["Ω"]])


def list_commands(language: str, path: Path) -> Iterator[list[str]]:
    """The commands that compile and run a program."""
    out = str(path.with_suffix(".out"))
    match language:
        case "c":
            yield from (["gcc", "-std=c11", *STRICT, str(path), "-o", out, "-lm"], [out])
        case "cpp":
            yield from (["g++", "-std=c++17", *STRICT, str(path), "-o", out], [out])
        case "rust":
            yield from (
                ["rustc", "--edition", "2021", "-D", "warnings", str(path), "-o", out],
                [out],
            )
        case "csharp":
            yield from (["mcs", "-warnaserror", "-warn:4", f"-out:{out}", str(path)], ["mono", out])
        case "javascript":
            yield ["node", str(path)]
        case "matlab":
            yield ["octave-cli", "--norc", "-q", "--eval", f"cd('{path.parent}'); {path.stem}"]
        case "glsl":
            yield ["glslangValidator", "-S", "comp", str(path)]
        case "python":
            yield [sys.executable, "-W", "error", str(path)]


def run_program(language: str, text: str, folder: Path) -> np.ndarray:
    """R and Ω at the end of a program; empty for a shader, which is only compiled."""
    require_optional(*TOOLS[language])
    path = folder / f"example{LANGUAGES[language].suffix}"
    path.write_text(text, "utf-8")
    said = ""
    for command in list_commands(language, path):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0 and "warning" not in done.stderr, (
            f"{command}\n{done.stdout}{done.stderr}"
        )
        said = done.stdout
    return np.array([] if language == "glsl" else re.sub(r"[][]", " ", said).split(), dtype=float)


def ends_where_the_engine_does(method: Method, language: str, folder: Path) -> None:
    """Compare the end of the program with that of the engine's run."""
    text = write(method, language)
    found = run_python(text) if language == "python" else run_program(language, text, folder)
    if language != "glsl":
        near = 5e-5 if method.single else 1e-12
        np.testing.assert_allclose(
            found, run_engine(method), rtol=0, atol=near, err_msg=method.label
        )


# -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", covering(NAMES, by=lambda name: (engine.algorithm(name).family,)))
def test_a_program_in_python_ends_where_the_engine_does(name, tmp_path):
    ends_where_the_engine_does(engine.algorithm(name), "python", tmp_path)


@pytest.mark.parametrize("name", first([*SINGLE_AND_DIVIDED, *PUT_TOGETHER], 3))
def test_a_program_has_the_precision_the_frames_and_the_parts_of_the_method(name, tmp_path):
    method = engine.algorithm(name)
    if name in SINGLE_AND_DIVIDED:
        method = method.with_options(precision="single", substeps=3)
        assert "Numbers have 32 bits." in write_pseudo_code(method)
    ends_where_the_engine_does(method, "python", tmp_path)


@pytest.mark.exhaustive
@pytest.mark.parametrize("key", [m.key for m in METHODS])
def test_a_program_ends_where_the_engine_does_with_each_option(key, tmp_path):
    for method in combinations(key):
        ends_where_the_engine_does(method, "python", tmp_path)


COMPILED = [
    (language, name)
    for language in TOOLS
    for name in ("KEK", *(m.key for m in METHODS if m.key != "KEK"), *PUT_TOGETHER)
]


@pytest.mark.parametrize(
    ("language", "name"),
    covering(
        COMPILED, by=lambda language, name: (language if language in ("c", "javascript") else "",)
    ),
)
def test_a_program_compiles_without_warnings_and_ends_where_the_engine_does(
    language, name, tmp_path
):
    method = engine.algorithm(name)
    if language == "glsl":
        method = method.with_options(precision="single")
    ends_where_the_engine_does(method, language, tmp_path)


@pytest.mark.exhaustive
@pytest.mark.parametrize("language", [one for one in TOOLS if one not in ("python", "javascript")])
@pytest.mark.parametrize("name", SINGLE_AND_DIVIDED)
def test_programs_of_32_bits_and_frames_compile(language, name, tmp_path):
    method = engine.algorithm(name).with_options(precision="single", substeps=3)
    ends_where_the_engine_does(method, language, tmp_path)


ALONE: dict[str, str] = {
    "c": "gcc -std=c11 -Wall -Wextra -Werror -pedantic -c {0}",
    "cpp": "g++ -std=c++17 -Wall -Wextra -Werror -pedantic -fno-exceptions -fno-rtti -c {0}",
    "rust": "rustc --edition 2021 -D warnings --crate-type lib {0}",
    "csharp": "mcs -warnaserror -warn:4 -target:library {0}",
    "javascript": "node --input-type=module --check",
    "matlab": "octave-cli --norc -q --eval imid().step;",
}
"""The commands that compile the functions of a program without its example."""


@pytest.mark.parametrize("language", first([*ALONE], 2))
def test_the_functions_alone_compile_without_warnings(language, tmp_path):
    require_optional(*TOOLS[language])
    text = engine.program("IMID", language, part="step")
    path = tmp_path / f"imid{LANGUAGES[language].suffix}"
    path.write_text(text, "utf-8")
    done = subprocess.run(
        ALONE[language].format(path.name).split(),
        input=text, cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0 and "warning" not in done.stderr, done.stderr


def test_the_functions_alone_are_those_of_the_program_without_its_example():
    names: dict[str, Any] = {}
    exec(compile(engine.program("CF4", part="step"), "functions", "exec"), names)
    body = names["make_body"](np.diag(MOMENTS))
    R, Π = names["start"](body, HALF_A_TURN, np.array(OMEGA))
    for k in range(STEPS):
        R, Π = names["step"](body, k * DT, DT, R, Π)
    whole: dict[str, Any] = {}
    example = Example(MOMENTS, OMEGA, tuple(HALF_A_TURN.ravel()), DT, STEPS)
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(engine.program("CF4", example=example), "a program", "exec"), whole)
    np.testing.assert_array_equal(R, whole["R"])
    np.testing.assert_array_equal(names["velocity_of"](body, Π), whole["Ω"])
    assert "h" not in names


def test_programs_in_cpp_have_a_namespace_and_no_globals_where_they_stand_alone():
    text = engine.program("MR2", "cpp", part="step")
    assert "namespace mr2 {" in text and "main(" not in text and "cstdio" not in text


def angular_velocity(t):
    """A rate whose integral is known."""
    return Vec3(0.3 * cos(2.0 * t), 1.1, -0.7 * sin(t))


def angle_turned(t, h):
    """Its integral from t to t + h."""
    return Vec3(0.15 * (sin(2.0 * (t + h)) - sin(2.0 * t)), 1.1 * h, 0.7 * (cos(t + h) - cos(t)))


RATES_GIVEN = [m for m in engine.algorithms("rates") if isinstance(m, FixedStep)]


@pytest.mark.parametrize(
    ("language", "key"),
    first([(one, m.key) for m in RATES_GIVEN for one in ("python", "c", "rust")], 3),
)
def test_a_program_with_given_rates_ends_where_the_engine_does(
    language, key, tmp_path, monkeypatch
):
    method = engine.algorithm(key, space="rates")
    own = {"rate": angular_velocity, "increment": angle_turned}
    text = engine.program(
        method,
        language,
        example=Example(R0=tuple(HALF_A_TURN.ravel()), dt=DT, steps=STEPS, own=own),
    )
    if language == "python":
        names: dict[str, Any] = {}
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(text, "a program", "exec"), names)
        found = names["R"].ravel()
    else:
        found = run_program(language, text, tmp_path)
    given = engine.Problem(rate=lambda t: (0.3 * cos(2.0 * t), 1.1, -0.7 * sin(t)), R0=HALF_A_TURN)
    monkeypatch.setenv("POLHODE_PLAIN", "1")
    run = engine.simulate(given, method, dt=DT, steps=STEPS)
    np.testing.assert_allclose(found, run.R[-1].ravel(), rtol=0, atol=1e-12)


def test_a_refusal_has_its_reason():
    for name, language, said in (
        ("TAYLOR", "c", "chooses its steps by a tolerance"),
        ("EXACT", "c", "is the exact motion"),
        ("MR2(precision=single)", "javascript", "no numbers of 32 bits"),
        ("MR2", "glsl", "no sin of 64 bits"),
        ("MR2", "fortran", "there is no language 'fortran'"),
    ):
        with pytest.raises(ValueError, match=said):
            engine.program(name, language)
    with pytest.raises(Unwritable, match="moves two bodies"):
        engine.program(engine.algorithms("se3")[0])


def test_a_step_that_uses_what_no_language_has_is_refused(for_a_while):
    @engine.method(key="HYPERBOLIC", order=(1, 1), torque_evaluations=0)
    def step(body, t, h, R, Ω):
        """One step."""
        return R, np.tanh(h) * Ω

    with pytest.raises(Unwritable, match="tanh"):
        engine.program(step)


def turn_by_part(R, Ω, h, part=1.0):
    """R after a part of h."""
    return R @ exp((part * h) * Ω)


def test_arguments_that_are_given_by_name_reach_their_parameters(for_a_while):
    @engine.method(key="BY-NAME", order=(1, 1), torque_evaluations=0)
    def step(body, t, h, R, Ω):
        """One step."""
        return turn_by_part(R, Ω, part=0.5, h=h), Ω

    assert "return R @ exp(0.5 * h * Ω), Ω" in engine.program(step)


def test_where_newtons_method_fails_the_state_is_nan():
    text = engine.program("LIEMID-E1", example=Example(dt=40.0, steps=3))
    assert np.isnan(run_python(text)).any()


@pytest.mark.parametrize("language", ["cpp", "rust"])
def test_conservation_is_stated_for_the_precision(language):
    double = " ".join(re.sub("//", "", engine.program("MR2", language)).split())
    single = " ".join(re.sub("//", "", engine.program("MR2", language, "single")).split())
    assert "Conserved to roundoff: in every motion," in double
    assert "Conserved but for the roundoff of 32 bits, which adds up: in every motion," in single
    assert "to roundoff" not in single


def test_long_lines_are_broken_between_arguments():
    text = engine.program("IMID", "c")
    assert max(map(len, text.splitlines())) <= 100
    assert "m.xz * other.z,\n        m.yx * other.x" in text


def test_a_step_of_so_many_a_second_is_written_as_a_fraction():
    written = [engine.program("MR2", "c", example=Example(dt=dt)) for dt in (1 / 60, 0.3)]
    assert ["h = 1.0 / 60.0;" in text for text in written] == [True, False]
    assert ["h = 0.3;" in text for text in written] == [False, True]


@pytest.mark.parametrize(
    "key", covering([m.key for m in METHODS], by=lambda key: (engine.algorithm(key).family,))
)
def test_pseudo_code_is_in_mathematical_notation(key):
    steps = write_pseudo_code(engine.algorithm(key)).partition("each step")[2].partition("\n\n")[0]
    assert " ← " in steps and not set("@*'\"") & set(steps)


def with_a_plus(body, t, h, R, Ω):
    """A step with a sign that changes nothing."""
    return R, +h * Ω


def with_a_remainder(body, t, h, R, Ω):
    """A step whose operator is another one in other languages."""
    return R, (h % 0.5) * Ω


def with_an_else(body, t, h, R, Ω):
    """A step whose loop has an else."""
    for _ in range(3):
        Ω = h * Ω
    else:
        Ω = Ω + Ω
    return R, Ω


def test_operators_and_loops_that_other_languages_do_not_have_are_refused(for_a_while):
    method = engine.method(key="WITH", order=(1, 1), torque_evaluations=0)
    with pytest.raises(Unwritable, match="the operator % cannot be written"):
        engine.program(method(with_a_remainder))
    with pytest.raises(Unwritable, match="the else of a loop cannot be written"):
        engine.program(method(with_an_else))
    assert "return R, h * Ω" in engine.program(method(with_a_plus))


def test_pseudo_code_transposes_and_inverts_no_more_than_the_step_does():
    assert "gyro (J Jw)ᵀ" in write_pseudo_code(engine.algorithm("SPHERICAL-MIDPOINT"))


def test_the_shell_prints_programs(capsys):
    from engine.cli.command import main

    assert main(["show", "MR2", "--language", "c", "--precision", "single"]) == 0
    assert capsys.readouterr().out == engine.program("MR2", "c", "single")
    assert main(["show", "MR2", "--language", "c", "--part", "step"]) == 0
    assert capsys.readouterr().out == engine.program("MR2", "c", part="step")
    assert shutil.which("gcc") is None or "float" in engine.program("MR2", "c", "single")
