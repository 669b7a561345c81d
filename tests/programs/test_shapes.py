"""Shapes: a method as the function of an engine moves a body there as the method does."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from covering import covering
from optional import require_optional

import engine
from benchmarks.shapes import measure, run_godot
from engine.programs import PASTED, SHAPES, Unwritable

STAND_INS = Path(__file__).with_name("stand_ins")
MOMENTS = (1.0, 2.0, 2.8)
OMEGA = (1.2, 1.9, 1.5)
AXES = np.array([0.1, -0.5, 0.7, 0.5])
"""A quaternion that turns the body's axes to the principal ones, with its scalar last."""
DT = 1 / 60
STEPS = 600
CURE = "MIDPOINT-HELD(turn=new)"
FITTING = (
    CURE, "jolt", "physx", "SEMI-EULER", "NEWTON-1", "LINEAR-EULER(map=exp)", "mujoco-implicit",
)  # fmt: skip
TOOLS = {"jolt": ("g++",), "unity": ("mcs", "mono"), "godot-csharp": ("mcs", "mono")}
FILES = {"jolt": "jolt.cpp", "unity": "unity.cs", "godot-csharp": "godot.cs"}


def rotate(q: np.ndarray) -> np.ndarray:
    """The rotation matrices of quaternions whose scalar is last."""
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    v, w = q[..., :3], q[..., 3, None, None]
    hat = np.cross(v[..., None, :], np.eye(3)).swapaxes(-1, -2)
    return np.eye(3) + 2 * w * hat + 2 * hat @ hat


def run_project(
    shape: str, label: str, folder: Path, start: tuple[float, ...] = OMEGA
) -> tuple[np.ndarray, np.ndarray]:
    """R of the principal axes and Ω about them after each step of a project into which the function
    is pasted.
    """
    require_optional(*TOOLS[shape])
    out, source = str(folder / "project"), str(STAND_INS / FILES[shape])
    pasted = folder / ("pasted.inl" if shape == "jolt" else "pasted.cs")
    pasted.write_text(engine.program(label, shape=shape), "utf-8")
    if shape == "jolt":
        strict = ["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror"]
        build, run = ["g++", *strict, f"-I{folder}", source, "-o", out], [out]
    else:
        build = ["mcs", "-warnaserror", "-warn:4", f"-out:{out}", source, str(pasted)]
        run = ["mono", out]
    built = subprocess.run(build, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    moments = MOMENTS if shape == "unity" else tuple(1 / one for one in MOMENTS)
    axes = AXES / np.linalg.norm(AXES)
    given = (*moments, *axes, *(rotate(axes) @ start), DT, STEPS)
    rows = subprocess.run([*run, *map(str, given)], capture_output=True, text=True, check=True)
    table = np.array(rows.stdout.split(), float).reshape(STEPS, 7)
    R = rotate(table[:, [1, 2, 3, 0]]) @ rotate(axes)
    return R, np.einsum("nji,nj->ni", R, table[:, 4:])


def bare(label: str) -> str:
    """The method without what the engine does itself."""
    method = engine.algorithm(label)
    own = {one.name for one in method.options}
    least = {"damping": 0.0, "max_speed": 0.0, "max_turn": 0.0}
    return method.with_options(**{k: v for k, v in least.items() if k in own}).label


CASES = [(shape, label) for shape in TOOLS for label in FITTING]


@pytest.mark.parametrize(("shape", "label"), covering(CASES, by=lambda shape, label: TOOLS[shape]))
def test_a_body_moves_in_the_engine_as_by_the_method(shape, label, tmp_path):
    R, Omega = run_project(shape, label, tmp_path)
    body = engine.Problem(J=MOMENTS, Omega0=OMEGA, R0=rotate(AXES))
    step = engine.prepared(body, bare(label), dt=DT, steps=1)
    for n in range(STEPS - 1):
        one = step(R0=R[n], Omega0=Omega[n])
        np.testing.assert_allclose(one.R[-1], R[n + 1], rtol=0, atol=2e-6)
        np.testing.assert_allclose(one.Omega[-1], Omega[n + 1], rtol=0, atol=4e-6)
    run = engine.simulate(body, bare(label), dt=DT, steps=STEPS)
    np.testing.assert_allclose(run.R[1:], R, rtol=0, atol=5e-3)


@pytest.mark.exhaustive
@pytest.mark.parametrize("shape", TOOLS)
def test_a_cure_keeps_the_energy_that_the_engines_rule_loses(shape, tmp_path):
    drift = []
    for label in (CURE, "jolt"):
        folder = tmp_path / label[:4]
        folder.mkdir()
        _, Omega = run_project(shape, label, folder)
        energy = 0.5 * (Omega**2 @ MOMENTS)
        drift.append(np.abs(energy / energy[0] - 1).max())
    assert drift[0] < 1e-5 < 1e-2 < drift[1]


@pytest.mark.exhaustive
def test_a_script_in_gdscript_moves_a_body_of_godot_as_by_the_method():
    require_optional("godot3-server")
    found = run_godot("godot3-server", engine.program(CURE, shape="godot"))
    R_step, Omega_step, R, Omega, energy, momentum = measure(CURE, *found)
    assert R_step < 2e-6 and Omega_step < 4e-6 and max(R, Omega) < 5e-3
    assert energy < 5e-5 and momentum < 2.0


def test_a_function_in_gdscript_takes_its_arguments_in_the_order_of_its_calls():
    text = engine.program("LINEAR-EULER(map=exp)", shape="godot")
    assert "scale_mat3(-h, hat(" in text
    assert "func scale_mat3(factor: float, m: Basis) -> Basis:" in text


@pytest.mark.exhaustive
@pytest.mark.parametrize("shape", TOOLS)
def test_a_script_leaves_slow_bodies_alone_so_that_they_can_sleep(shape, tmp_path):
    R, Omega = run_project(shape, CURE, tmp_path, (0.004, 0.003, 0.005))
    ω = np.einsum("nij,nj->ni", R, Omega)
    assert np.allclose(ω, ω[0], rtol=0, atol=1e-8) is (shape != "jolt")


@pytest.mark.parametrize("shape", SHAPES)
def test_a_method_that_does_not_fit_is_refused_with_the_reason(shape):
    for label, said in (
        ("MR2", "hands on Π and T from step to step, and .* hands on only the angular velocity"),
        ("MIDPOINT-HELD", r"does not turn a free body by exp\(h Ω\) with the Ω that it hands on"),
        ("bepu", r"does not turn a free body by exp\(h Ω\)"),
        ("SEMI-EULER(map=cay)", r"does not turn a free body by exp\(h Ω\)"),
        ("SEMI-EULER(velocity=turn)", r"does not turn a free body by exp\(h Ω\)"),
        ("physx-default", "does not change the velocity of a free body"),
        ("IMID*yoshida4", "has steps of several parts"),
        ("TAYLOR", "chooses its steps by a tolerance"),
        ("EXACT", "is the exact motion"),
    ):
        with pytest.raises(Unwritable, match=said):
            engine.program(label, shape=shape)


def test_what_is_pasted_into_a_file_includes_nothing():
    assert "#include" not in engine.program(CURE, shape="jolt")
    for shape in ("unity", "godot-csharp"):
        assert "Globalization" not in engine.program(CURE, shape=shape)


def test_the_shell_prints_shapes(capsys):
    from engine.cli.command import main

    assert main(["show", CURE, "--shape", "jolt"]) == 0
    assert capsys.readouterr().out == engine.program(CURE, shape="jolt")
    assert main(["show", "MR2", "--shape", "unreal"]) == 2
    assert "there is no shape 'unreal'" in capsys.readouterr().err


@pytest.mark.parametrize("named", [{"language": "c"}, {"precision": "double"}])
def test_a_shape_refuses_another_language_and_precision(named: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="leave out language, precision and example"):
        engine.program(PASTED, shape="jolt", **named)
