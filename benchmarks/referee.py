"""How many of sixty motions the referee names rightly: `python -m benchmarks.referee [--every N]`.

Fifty are of the lab's rules: twenty in 32 bits, ten with damping or caps, ten with substeps, ten plain.
Ten are of rules that the catalogue does not have. Each is written as a file with as many digits as its
numbers have, and read again.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import engine
from engine.algorithms.core import find_method
from engine.referee import Matches, find_rules
from engine.referee.reading import read_trajectory

Array = NDArray[np.floating]
ROWS = 200
FRAME = 1 / 60
PLAIN = (
    "bullet", "ode", "mujoco-rk4", "simbody", "bepu-momentum", "MR2", "RK4-QUAT", "chrono-hht", "DMV", "CF4"
)  # fmt: skip
SINGLE = (
    "bullet", "ode", "ode-finite", "bepu", "bepu-default", "xpbd", "xpbd-turn", "mujoco-euler", "kamino",
    "kamino-moreau", "chrono-leapfrog", "lammps", "espresso", "pfc", "fincham", "spiers", "simbody", "mujoco-midpoint",
    "rapier", "box3d",
)  # fmt: skip
LIMITED = (
    "jolt", "physx", "jolt-default", "godot", "cannon-es", "pybullet", "newton-physics", "jolt(damping=0.31)",
    "jolt(damping=0, max_speed=2.6)", "rapier(substeps=1, max_turn=0.044)",
)  # fmt: skip
DIVIDED = (
    "rapier", "box3d", "avian", "bullet(substeps=2)", "ode(substeps=3)", "mujoco-euler(substeps=8)", "bepu(substeps=5)",
    "MR2(substeps=10)", "mujoco-midpoint(substeps=2)", "xpbd(substeps=20)",
)  # fmt: skip


class Case(NamedTuple):
    """A motion: the name of its rule, empty if the catalogue has none, its kind, and its states."""

    rule: str
    kind: str
    t: Array
    R: Array
    Omega: Array
    J: tuple[float, float, float]


def draw_body(seed: int) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Three moments of a body and its angular velocity, about none of its axes."""
    chance = np.random.default_rng(seed)
    points = chance.uniform(0.5, 1.5, 3)
    J = tuple((points.sum() - points).round(3).tolist())
    Omega = chance.uniform(0.6, 2.0, 3) * chance.choice([-1.0, 1.0], 3)
    return J, tuple((Omega * 2.7 / np.linalg.norm(Omega)).tolist())


def list_cases() -> Iterator[Case]:
    """Yield the motions of the lab's rules, and then those of others."""
    kinds = {"plain": PLAIN, "32 bits": SINGLE, "damping or cap": LIMITED, "substeps": DIVIDED}
    seed = 0
    for kind, rules in kinds.items():
        for rule in rules:
            seed += 1
            J, Omega = draw_body(seed)
            body = engine.Problem(J=J, Omega0=Omega)
            precision = "single" if kind == "32 bits" else "double"
            run = engine.simulate(body, rule, dt=FRAME, steps=ROWS, precision=precision)
            yield Case(rule, kind, run.t, run.R, run.Omega, J)
    for step in OTHERS:
        seed += 1
        J, Omega = draw_body(seed)
        yield Case("", "no rule", *compute_other(step, J, Omega), J)


def write_case(case: Case, path: Path) -> None:
    """Write a motion with as many digits as its numbers have."""
    quaternions = Rotation.from_matrix(case.R).as_quat(scalar_first=True)
    values = np.concatenate([quaternions, case.Omega], axis=1)
    text = "%.9g" if case.kind == "32 bits" else "%.17g"
    if case.kind == "32 bits":
        values = values.astype(np.float32)
    table = np.concatenate([case.t[:, None], values], axis=1)
    np.savetxt(
        path, table, delimiter=",", header="t,qw,qx,qy,qz,wx,wy,wz", comments="",
        fmt=["%.12g", *[text] * 7],
    )  # fmt: skip


def judge_case(case: Case, folder: Path) -> Matches:
    """Find the rule of a motion from its file."""
    path = folder / "motion.csv"
    write_case(case, path)
    return find_rules(read_trajectory(path, case.J, frame="body"))


def is_right(rule: str, found: Matches) -> bool:
    """Whether a name is that of the rule, or the same method and substeps by another name."""
    if rule in found.rules:
        return True
    wanted = find_method(rule)
    return any(find_method(name).label == wanted.label for name in found.rules)


# ---------------------------------------------------------------- rules that the catalogue does not have

State = tuple[Rotation, Array]


def compute_other(
    step: Callable[[Array, float, Rotation, Array], State],
    J: tuple[float, ...],
    Omega: tuple[float, ...],
) -> tuple[Array, Array, Array]:
    """Times and states of a rule written here."""
    R = Rotation.identity()
    velocity = np.array(Omega)
    rows = [(R.as_matrix(), velocity)]
    for _ in range(ROWS):
        R, velocity = step(np.array(J), FRAME, R, velocity)
        rows.append((R.as_matrix(), velocity))
    t = FRAME * np.arange(ROWS + 1)
    return t, np.array([row[0] for row in rows]), np.array([row[1] for row in rows])


def accelerate(J: Array, Omega: Array) -> Array:
    """Euler's equations."""
    return np.asarray(np.cross(J * Omega, Omega) / J)


def make_quaternion_rule(
    *rows: tuple[float, ...],
) -> Callable[[Array, float, Rotation, Array], State]:
    """A Runge–Kutta method on quaternion and velocity, by the rows of its tableau, the weights last."""

    def step(J: Array, h: float, R: Rotation, Omega: Array) -> State:
        def slope(y: Array) -> Array:
            w, v, Ω = y[0], y[1:4], y[4:]
            turned = np.concatenate([[-0.5 * v @ Ω], 0.5 * (w * Ω + np.cross(v, Ω))])
            return np.concatenate([turned, accelerate(J, Ω)])

        y = np.concatenate([R.as_quat(scalar_first=True), Omega])
        slopes = [slope(y)]
        for row in rows[:-1]:
            slopes.append(slope(y + h * sum(a * k for a, k in zip(row, slopes, strict=True))))
        y = y + h * sum(b * k for b, k in zip(rows[-1], slopes, strict=True))
        return Rotation.from_quat(y[:4], scalar_first=True), y[4:]

    return step


def make_explicit_rule(
    gyroscopic: float = 1.0, turn: float = 1.0, new: float = 1.0
) -> Callable[[Array, float, Rotation, Array], State]:
    """An explicit step with a part of the gyroscopic term, that turns by a part of a mean velocity."""

    def step(J: Array, h: float, R: Rotation, Omega: Array) -> State:
        later = Omega + h * gyroscopic * accelerate(J, Omega)
        mean = (1 - new) * Omega + new * later
        return R * Rotation.from_rotvec(h * turn * mean), later

    return step


OTHERS = (
    make_quaternion_rule((2 / 3,), (1 / 4, 3 / 4)),
    make_quaternion_rule((1.0,), (1 / 4, 1 / 4), (1 / 6, 1 / 6, 2 / 3)),
    make_quaternion_rule((1 / 3,), (-1 / 3, 1.0), (1.0, -1.0, 1.0), (1 / 8, 3 / 8, 3 / 8, 1 / 8)),
    make_quaternion_rule((1 / 3,), (0.0, 2 / 3), (1 / 4, 0.0, 3 / 4)),
    make_quaternion_rule((1 / 2,), (0.0, 3 / 4), (2 / 9, 1 / 3, 4 / 9)),
    make_explicit_rule(gyroscopic=0.9),
    make_explicit_rule(gyroscopic=1.02),
    make_explicit_rule(turn=1.0005),
    make_explicit_rule(new=0.7),
    make_explicit_rule(gyroscopic=0.5, new=0.5),
)


def main() -> None:
    """Print what each motion is taken for, and count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="take every so many of the motions")
    counts: Counter[tuple[str, str]] = Counter()
    chosen = list(list_cases())[:: parser.parse_args().every]
    with tempfile.TemporaryDirectory() as folder:
        for case in chosen:
            found = judge_case(case, Path(folder))
            right = is_right(case.rule, found) if case.rule else not found.rules
            outcome = "rightly" if right else "wrongly" if found.rules else "not named"
            counts[case.kind, outcome] += 1
            names = ", ".join(found.rules[:3] or found.possible[:3])
            print(f"{case.kind:15} {case.rule or 'none':34} {outcome:10} {names}", flush=True)
    for kind in dict.fromkeys(case.kind for case in chosen):
        of_kind = {outcome: n for (one, outcome), n in counts.items() if one == kind}
        print(f"{kind}: {', '.join(f'{n} {outcome}' for outcome, n in sorted(of_kind.items()))}")
    sys.exit(any(outcome == "wrongly" for _, outcome in counts))


if __name__ == "__main__":
    main()
