"""Physics engines, run: how far the lab's rules reproduce a free body.

``python -m benchmarks.engines`` runs a free body with each engine that is installed, in the engine's
own precision, for 600 steps of 1/60 s, and compares it with the rule of its name. It prints the
largest differences of an element of R and of a component of the angular velocity in the body's
frame: after one step from each state of the engine, and after all steps from its first.

With ``--record`` it writes the engines' final states to ``tests/data/engines/states.json``
and the first rows of each motion, as the engine has them, to a CSV file beside it. Tests compare
the rules with them. The page Engines has the differences from
`engine/algorithms/core/programs.toml`. Engines that are not installed keep their entries there::

    pip install mujoco mujoco-mjx pybullet newton dartpy exudyn panda3d rapier3d robox3d opensim \\
        drake brax jsbsim bsk mujoco-warp genesis-world torch
    npm install --prefix FOLDER ammo.js ammojs-typed cannon-es jolt-physics physx-js-webidl \\
        @dimforge/rapier3d-compat @babylonjs/havok oimo crashcat
    apt install libsimbody-dev pkgconf g++
    python -m benchmarks.engines --node FOLDER --record

``--only WORD`` runs those whose name contains a word.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import numpy as np

import engine
from engine.parameters.validation import Array

from . import engine_runs as runs
from ._table import find_version, table
from .engine_runs import OMEGA0, STEP, STEPS, Engine, J, Row

RECORD = Path(__file__).parents[1] / "tests" / "data" / "engines"
STATES = RECORD / "states.json"
ROWS = 120
"""Steps of a motion that its file has."""
HEADERS = (
    "engine",
    "package",
    "bits",
    "rule",
    "R, a step",
    "Ω, a step",
    "R at the end",
    "Ω at the end",
)
DIGITS = {32: 9, 64: 17}
"""Digits that tell the numbers of so many bits apart."""


def rotate(attitude: Array) -> Array:
    """The rotation of a quaternion, which is made a unit; a rotation matrix as it is."""
    if attitude.shape == (3, 3):
        return attitude
    q = attitude / np.linalg.norm(attitude)
    vector = q[1:]
    hat = np.cross(vector, np.eye(3)).T
    return np.eye(3) + 2 * q[0] * hat + 2 * (np.outer(vector, vector) - vector @ vector * np.eye(3))


@dataclass(frozen=True)
class Trial:
    """An engine with its setting: the name of its rule in the lab, its package, and the bits of its
    numbers.
    """

    engine: str
    rule: str
    package: str
    bits: int
    run: Callable[[], Engine] | None = None
    """None for a package of Node."""
    frame: str = "space"
    """Where it has its angular velocity, in space or in the body."""

    @property
    def file(self) -> Path:
        """The first rows of its motion."""
        return RECORD / (re.sub(r"[^a-z0-9]+", "-", self.engine.lower()).strip("-") + ".csv")


JSBSIM = (
    ("trapezoidal", "jsbsim-trapezoidal", (2, 2)),
    ("Adams–Bashforth 2", "jsbsim-ab2", (3, 3)),
    ("Adams–Bashforth 3", "jsbsim-ab3", (4, 4)),
    ("Adams–Bashforth 4", "jsbsim-ab4", (5, 5)),
    ("Adams–Bashforth 5", "jsbsim-ab5", (9, 9)),
    ("Buss 1", "jsbsim-buss1", (1, 6)),
    ("Buss 2", "jsbsim-buss2", (1, 7)),
    ("local linearization", "jsbsim-linear", (1, 8)),
    ("Adams–Bashforth 2 and Buss 2", "jsbsim-buss2(rate=ab2)", (3, 7)),
)
"""JSBSim's other integrators of rotations, with their numbers for rate and position."""

TRIALS = (
    Trial("MuJoCo, Euler", "mujoco-euler", "mujoco", 64, lambda: runs.run_mujoco("Euler"), "body"),
    Trial("MuJoCo, RK4", "mujoco-rk4", "mujoco", 64, lambda: runs.run_mujoco("RK4"), "body"),
    Trial(
        "MuJoCo, implicit",
        "mujoco-implicit",
        "mujoco",
        64,
        lambda: runs.run_mujoco("implicit"),
        "body",
    ),
    Trial(
        "MuJoCo, implicitfast",
        "mujoco-implicitfast",
        "mujoco",
        64,
        lambda: runs.run_mujoco("implicitfast"),
        "body",
    ),
    Trial(
        "MuJoCo, discrete",
        "mujoco-discrete",
        "mujoco",
        64,
        lambda: runs.run_mujoco("discrete"),
        "body",
    ),
    Trial("MJX, Euler", "mujoco-euler", "mujoco-mjx", 64, lambda: runs.run_mjx("Euler"), "body"),
    Trial(
        "MJX, implicitfast",
        "mujoco-euler",
        "mujoco-mjx",
        64,
        lambda: runs.run_mjx("implicitfast"),
        "body",
    ),
    Trial("MJX, RK4", "mujoco-rk4-mean", "mujoco-mjx", 64, lambda: runs.run_mjx("RK4"), "body"),
    Trial("PyBullet", "pybullet", "pybullet", 64, lambda: runs.run_pybullet(False)),
    Trial(
        "PyBullet, angularDamping=0",
        "pybullet(damping=0)",
        "pybullet",
        64,
        lambda: runs.run_pybullet(False, 0.0),
    ),
    Trial(
        "PyBullet, useMaximalCoordinates", "bullet", "pybullet", 64, lambda: runs.run_pybullet(True)
    ),
    Trial("Bullet, in ammo.js", "bullet", "ammo.js", 32),
    Trial("ammojs-typed", "ammojs-typed", "ammojs-typed", 32),
    Trial("Jolt", "jolt-default", "jolt-physics", 32),
    Trial("Jolt, mApplyGyroscopicForce", "jolt", "jolt-physics", 32),
    Trial("PhysX", "physx-default", "physx-js-webidl", 32),
    Trial("PhysX, eENABLE_GYROSCOPIC_FORCES", "physx", "physx-js-webidl", 32),
    Trial("Rapier, in Node", "rapier", "@dimforge/rapier3d-compat", 32),
    Trial("Rapier, in Python", "rapier", "rapier3d", 32, runs.run_rapier),
    Trial("Box3D, in robox3d", "box3d", "robox3d", 32, runs.run_box3d),
    Trial("cannon-es", "cannon-es", "cannon-es", 64),
    Trial("ODE, in Panda3D", "ode", "panda3d", 32, runs.run_ode),
    Trial(
        "Newton, SemiImplicit",
        "newton-physics",
        "newton",
        32,
        lambda: runs.run_newton("SolverSemiImplicit"),
    ),
    Trial("Newton, XPBD", "xpbd", "newton", 32, lambda: runs.run_newton("SolverXPBD")),
    Trial("Newton, Kamino", "kamino", "newton", 32, lambda: runs.run_newton("SolverKamino")),
    Trial("DART", "dart", "dartpy", 64, runs.run_dart),
    Trial("Exudyn, generalized α", "exudyn-alpha", "exudyn", 64, runs.run_exudyn_alpha, "body"),
    Trial(
        "Exudyn, generalized α, relativeTolerance=1e-14",
        "exudyn-alpha",
        "exudyn",
        64,
        lambda: runs.run_exudyn_alpha(1e-14),
        "body",
    ),
    Trial("Exudyn, explicit RK44", "exudyn", "exudyn", 64, runs.run_exudyn, "body"),
    Trial("Simbody, Verlet", "simbody", "simbody", 64, runs.run_simbody, "body"),
    Trial(
        "Simbody, Verlet, setAccuracy(1e-9)",
        "simbody",
        "simbody",
        64,
        lambda: runs.run_simbody(1e-9),
        "body",
    ),
    Trial("OpenSim, Verlet", "simbody", "opensim", 64, runs.run_opensim),
    Trial(
        "Newton, Featherstone",
        "newton-featherstone",
        "newton",
        32,
        lambda: runs.run_newton("SolverFeatherstone"),
    ),
    Trial("Newton, MuJoCo", "newton-mujoco", "newton", 32, lambda: runs.run_newton("SolverMuJoCo")),
    Trial("Drake, discrete", "drake", "drake", 64, runs.run_drake),
    Trial("Brax, generalized", "brax", "brax", 64, lambda: runs.run_brax("generalized"), "body"),
    Trial("Brax, positional", "brax-positional", "brax", 64, lambda: runs.run_brax("positional")),
    Trial("Brax, spring", "brax-spring", "brax", 64, lambda: runs.run_brax("spring")),
    Trial("JSBSim", "jsbsim", "jsbsim", 64, runs.run_jsbsim, "body"),
    *(
        Trial(f"JSBSim, {setting}", rule, "jsbsim", 64, partial(runs.run_jsbsim, *numbers), "body")
        for setting, rule, numbers in JSBSIM
    ),
    Trial("Basilisk", "basilisk", "bsk", 64, runs.run_basilisk, "body"),
    Trial("Genesis, precision 64", "genesis", "genesis-world", 64, runs.run_genesis, "body"),
    Trial("Havok, in Babylon.js", "havok", "@babylonjs/havok", 32),
    Trial("oimo", "oimo", "oimo", 64),
    Trial("crashcat", "crashcat", "crashcat", 64),
)


def find_number(trial: Trial, folder: Path) -> str | None:
    """The version of an engine's package, or None if it is not installed."""
    if trial.run is not None:
        return find_version(trial.package) or find_library(trial.package)
    place = folder / "node_modules" / trial.package / "package.json"
    if not place.exists():
        return None
    number: str = json.loads(place.read_text(encoding="utf-8"))["version"]
    return number


def find_library(name: str) -> str | None:
    """The version of a library that pkg-config knows, or None."""
    if shutil.which("pkg-config") is None:
        return None
    words = ["pkg-config", "--modversion", name]
    found = subprocess.run(words, check=False, capture_output=True, text=True)
    return found.stdout.strip() or None


def make_rows(trial: Trial, folder: Path) -> list[Row]:
    """The states of an engine: the first, and one after each step."""
    if trial.run is None:
        return runs.run_node(folder, trial.package, trial.rule)
    read, step = trial.run()
    rows = [read()]
    for _ in range(STEPS):
        step()
        rows.append(read())
    return rows


def find_states(trial: Trial, rows: Sequence[Row]) -> tuple[Array, Array]:
    """The attitudes R, and the angular velocities in the body's frame."""
    R = np.array([rotate(attitude) for attitude, _ in rows])
    ω = np.array([velocity for _, velocity in rows])
    return R, np.einsum("nji,nj->ni", R, ω) if trial.frame == "space" else ω


def take_end(run: object) -> Row:
    """The final attitude and angular velocity of a run."""
    assert isinstance(run, engine.Run)
    return run.R[-1], run.Omega[-1]


def measure_differences(one: Sequence[Row], other: Sequence[Row]) -> tuple[float, float]:
    """The largest differences of attitudes, and of angular velocities."""
    R, Ω = (
        max(float(np.abs(a[part] - b[part]).max()) for a, b in zip(one, other, strict=True))
        for part in (0, 1)
    )
    return R, Ω


def compare_step(rule: str, R: Array, Omega: Array) -> tuple[float, float]:
    """The largest differences of a rule from an engine, in R and Ω, after a step from each of the
    engine's states; of a rule that remembers earlier steps, along the whole from the first state.
    """
    body = engine.Problem(J=J, R0=R[0], Omega0=Omega[0])
    if engine.algorithm(rule).promises.of_one_step:
        run = engine.simulate(body, rule, dt=STEP, steps=len(R) - 1)
        return measure_differences(
            list(zip(run.R, run.Omega, strict=True)), list(zip(R, Omega, strict=True))
        )
    step = engine.prepared(body, rule, dt=STEP, steps=1)
    found = [take_end(step(R0=R[n], Omega0=Omega[n])) for n in range(len(R) - 1)]
    return measure_differences(found, list(zip(R[1:], Omega[1:], strict=True)))


def compare_end(rule: str, R: Array, Omega: Array) -> tuple[float, float]:
    """The same after all steps from the first state."""
    body = engine.Problem(J=J, Omega0=OMEGA0)
    run = engine.simulate(body, rule, dt=STEP, steps=STEPS, every=STEPS)
    return measure_differences([take_end(run)], [(R, Omega)])


def read_rows(trial: Trial) -> list[Row]:
    """The states that a file has."""
    table = np.loadtxt(trial.file, delimiter=",", skiprows=1)[:, 1:]
    shape = (3, 3) if table.shape[1] == 12 else (4,)
    return [runs.row(line[:-3].reshape(shape), line[-3:]) for line in table]


def write_rows(file: TextIO, trial: Trial, rows: Sequence[Row]) -> None:
    """Write the states as the engine has them."""
    names: tuple[str, ...] = ("qw", "qx", "qy", "qz")
    if rows[0][0].shape == (3, 3):
        names = tuple(f"R{i}{k}" for i in (1, 2, 3) for k in (1, 2, 3))
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(("t", *names, "wx", "wy", "wz"))
    for n, (attitude, velocity) in enumerate(rows):
        numbers = (*attitude.ravel(), *velocity)
        writer.writerow([f"{n * STEP:.12g}", *(f"{one:.{DIGITS[trial.bits]}g}" for one in numbers)])


def main() -> None:
    """Run the engines that are installed, and print the differences."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--node", type=Path, default=Path(), help="the folder with engines for Node"
    )
    parser.add_argument("--only", default="", help="run the engines whose name contains this")
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.name}")
    options = parser.parse_args()
    states: dict[str, dict[str, Any]] = {}
    lines: list[Sequence[str]] = []
    for trial in TRIALS:
        number = find_number(trial, options.node)
        if number is None or options.only.lower() not in trial.engine.lower():
            continue
        rows = make_rows(trial, options.node)
        R, Omega = find_states(trial, rows)
        figures = (
            *compare_step(trial.rule, R, Omega),
            *compare_end(trial.rule, R[-1], Omega[-1]),
        )
        states[trial.engine] = {
            "rule": trial.rule,
            "package": f"{trial.package} {number}",
            "bits": trial.bits,
            "frame": trial.frame,
            "file": trial.file.name,
            "R": R[-1].tolist(),
            "Omega": Omega[-1].tolist(),
        }
        state = states[trial.engine]
        lines.append(
            (
                trial.engine,
                state["package"],
                f"{trial.bits}",
                trial.rule,
                *(f"{one:.0e}" for one in figures),
            )
        )
        if options.record:
            with trial.file.open("w", encoding="utf-8") as file:
                write_rows(file, trial, rows[: ROWS + 1])
    print(table(HEADERS, lines))
    if options.record:
        found = json.loads(STATES.read_text(encoding="utf-8")) | states
        kept = {trial.engine: found[trial.engine] for trial in TRIALS if trial.engine in found}
        STATES.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
