"""Cures pasted into engines: how far these then follow the rule, and what it does to the energy.

``python -m benchmarks.shapes`` prints a cure in the shape of an engine's function, puts it into the
engine, builds that where it is compiled, and runs a free body for 600 steps of 1/60 s, whose
principal axes are not its own. It prints the largest differences of an element of R and of a
component of the angular velocity in the body's frame from the rule of the lab, after one step from
each state of the engine and over all steps, the largest change of the energy, and the largest turn
of the momentum in degrees; and the same of the engine as it comes. The engines use 32 bits::

    git clone https://github.com/jrouwe/JoltPhysics FOLDER
    apt install g++ godot3-server
    python -m benchmarks.shapes --jolt FOLDER
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import engine
from engine.parameters.validation import Array
from engine.programs import PASTED

from ._table import table
from .engine_runs import OMEGA0, STEP, STEPS, J
from .engines import measure_differences, rotate, take_end

AXES = np.array([0.7, 0.1, -0.5, 0.5])
"""The quaternion that turns the body's axes to the principal ones, its scalar first."""
JOLT = Path(__file__).with_name("jolt.cpp")
GODOT = Path(__file__).with_name("godot.gd")
BODY = """extends "{base}"
const AXES = Quat({axes})
const OMEGA = Vector3({omega})
var rows = 0

func _integrate_forces(state):
    var j = state.inverse_inertia
    var p = state.principal_inertia_axes.get_rotation_quat()
    var q = state.transform.basis.get_rotation_quat()
    var w = state.angular_velocity
    for one in [j.x, j.y, j.z, p.w, p.x, p.y, p.z, q.w, q.x, q.y, q.z, w.x, w.y, w.z]:
        printraw("row %.9f\\n" % one)
    rows += 1
    if rows > {steps}:
        get_tree().quit()
    {function}
"""
"""The script of Godot's body, which prints a row before each step."""
PROJECT = """config_version=4
[physics]
3d/physics_engine="GodotPhysics"
common/physics_fps=60
"""
HEADERS = ("engine", "rule", "R, a step", "Ω, a step", "R", "Ω", "energy", "momentum")
FLAGS = (
    "-std=c++17", "-O2", "-DNDEBUG", "-pthread", "-msse4.2", "-mpopcnt", "-DJPH_USE_SSE4_1", "-DJPH_USE_SSE4_2",
    "-ffp-contract=off", "-DJPH_OBJECT_STREAM",
)  # fmt: skip
FUNCTION = r"void MotionProperties::ApplyGyroscopicForceInternal\(.*?\n}\n"
"""Jolt's function, to be replaced."""


def build_jolt(folder: Path) -> Path:
    """Jolt's library, compiled unless it is there."""
    library = folder / "libjolt.a"
    if not library.exists():
        sources = sorted((folder / "Jolt").rglob("*.cpp"))
        objects = [folder / "objects" / f"{i}.o" for i in range(len(sources))]
        objects[0].parent.mkdir(exist_ok=True)

        def compile_one(source: Path, made: Path) -> None:
            subprocess.run(["g++", *FLAGS, f"-I{folder}", "-c", source, "-o", made], check=True)

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(compile_one, sources, objects))
        subprocess.run(["ar", "rcs", library, *objects], check=True)
    return library


def run_jolt(folder: Path, pasted: str) -> tuple[Array, Array, Array]:
    """J, and R and Ω about the principal axes after each step of Jolt, with its function replaced if
    one is given.
    """
    library = build_jolt(folder)
    with tempfile.TemporaryDirectory() as place:
        headers = Path(place) / "Jolt" / "Physics" / "Body"
        shutil.copytree(folder / "Jolt" / "Physics" / "Body", headers)
        if pasted:
            inline = headers / "MotionProperties.inl"
            text, count = re.subn(FUNCTION, lambda _: pasted, inline.read_text(), flags=re.DOTALL)
            assert count == 1, "Jolt's function has another form"
            inline.write_text(text)
        system = folder / "Jolt" / "Physics" / "PhysicsSystem.cpp"
        program = str(Path(place) / "program")
        where = [f"-I{place}", f"-I{folder}"]
        subprocess.run(["g++", *FLAGS, *where, JOLT, system, library, "-o", program], check=True)
        axes = AXES / np.linalg.norm(AXES)
        given = (*J, *axes[1:], axes[0], *(rotate(axes) @ OMEGA0), STEP, STEPS)
        ran = subprocess.run([program, *map(str, given)], check=True, capture_output=True)
    table = np.array(ran.stdout.split(), float).reshape(STEPS, 7)
    R = np.array([rotate(q) for q in table[:, :4]]) @ rotate(axes)
    return np.array(J), R, np.einsum("nji,nj->ni", R, table[:, 4:])


def run_godot(program: str, pasted: str) -> tuple[Array, Array, Array]:
    """The same of Godot 3 with its own physics, by a script that has the function if one is given."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "project.godot").write_text(PROJECT)
        shutil.copy(GODOT, folder)
        (folder / "pasted.gd").write_text(f"extends RigidBody\n\n{pasted}")
        axes = ", ".join(map(repr, (*AXES[1:].tolist(), AXES[0].item())))
        body = BODY.format(
            base="res://pasted.gd",
            axes=axes,
            omega=", ".join(map(repr, OMEGA0)),
            steps=STEPS,
            function="._integrate_forces(state)" if pasted else "",
        )
        (folder / "body.gd").write_text(body)
        words = [program, "--path", place, "-s", GODOT.name, "--fixed-fps", "60"]
        ran = subprocess.run(words, check=True, capture_output=True, text=True)
    numbers = re.findall(r"^row (\S+)$", ran.stdout, flags=re.MULTILINE)
    table = np.array(numbers, float).reshape(-1, 14)
    R = np.array([rotate(q) for q in table[:, 3:7]])
    return 1 / table[0, :3], R, np.einsum("nji,nj->ni", R, table[:, 11:])


def measure(rule: str, J: Array, R: Array, Omega: Array) -> list[float]:
    """The largest differences of a rule from an engine, after a step and over all, the largest change
    of the energy, and the largest turn of the momentum in degrees.
    """
    body = engine.Problem(J=J, R0=R[0], Omega0=Omega[0])
    step = engine.prepared(body, rule, dt=STEP, steps=1)
    found = [take_end(step(R0=R[n], Omega0=Omega[n])) for n in range(len(R) - 1)]
    states = list(zip(R, Omega, strict=True))
    run = engine.simulate(body, rule, dt=STEP, steps=len(R) - 1)
    energy = Omega**2 @ J
    π = np.einsum("nij,nj->ni", R, Omega * J)
    turned = np.degrees(np.arctan2(np.linalg.norm(np.cross(π, π[0]), axis=1), π @ π[0]))
    return [
        *measure_differences(found, states[1:]),
        *measure_differences(list(zip(run.R, run.Omega, strict=True)), states),
        float(np.abs(energy / energy[0] - 1).max()),
        float(turned.max()),
    ]


def main() -> None:
    """Run the engines that are there, with the cure and as they come."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--jolt", type=Path, help="the folder of Jolt's source")
    parser.add_argument("--godot", default="godot3-server", help="Godot 3 without a screen")
    options = parser.parse_args()
    cure = engine.program(PASTED, shape="jolt"), engine.program(PASTED, shape="godot")
    lines: list[Sequence[str]] = []

    def add(name: str, rule: str, found: tuple[Array, Array, Array]) -> None:
        *differences, turned = measure(rule, *found)
        lines.append((name, rule, *(f"{one:.0e}" for one in differences), f"{turned:.2g}°"))

    if options.jolt is not None:
        add("Jolt", "jolt(damping=0, max_speed=0)", run_jolt(options.jolt, ""))
        add("Jolt", PASTED, run_jolt(options.jolt, cure[0]))
    if shutil.which(options.godot) is not None:
        add("Godot 3", "godot(damping=0)", run_godot(options.godot, ""))
        add("Godot 3", PASTED, run_godot(options.godot, cure[1]))
    print(table(HEADERS, lines))


if __name__ == "__main__":
    main()
