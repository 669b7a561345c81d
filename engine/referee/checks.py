"""Check cases for the tests of other projects: exact states of twelve motions, and what methods of known
order reach.
"""

from __future__ import annotations

import csv
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..exact.errors import error
from ..exact.motion import Motion, exact
from ..kernels import is_cancelled
from ..kernels.custom_torque import torque
from ..parameters.validation import Array
from ..problems.problem import Problem, find_problem
from ..simulation import simulate
from ..simulation.provenance import format_versions

FILES = Path(__file__).parent / "check_files"
ROWS = 11
"""States of a case."""
METHODS = {
    1: ("SEMI-EULER",),
    2: ("RKMK(tableau=heun)", "RK-QUAT(tableau=heun)"),
    4: ("RKMK(tableau=rk4)", "RK4-QUAT"),
}
"""The methods by their order; for each case, the errors of the worst are stated. One that turns by
exp follows a fast spin much better than one on quaternions.
"""
BOUND = 10.0
"""How many times their error another method of this order may leave."""
LARGEST = 0.5
"""The largest bound in rad: a larger one tests little, and one above π nothing."""
STEPS = {"fast-spin": 3200, "fast-top": 1600}
"""The fewest steps of cases whose bounds a body without gyroscopic term would meet with fewer."""
FEWEST = 200
"""The fewest steps of the others."""
DIGITS = 15
COLUMNS = (
    "t", *(f"R{i}{j}" for i in "123" for j in "123"), "qw", "qx", "qy", "qz", "Omega1", "Omega2", "Omega3",
    "pi1", "pi2", "pi3", "attitude_error", "momentum_error",
)  # fmt: skip
BODY = (
    "case", *(f"J{i}{j}" for i in "123" for j in "123"), "weight1", "weight2", "weight3", "orbital_rate",
)  # fmt: skip
PARTS = ("t", "R", "q", "Omega", "pi", "attitude_error", "momentum_error")
"""What a state has."""
ORBITAL_RATE = 0.5
SATELLITE = (2.0, 3.0, 4.0)


@torque
def pull_by_gradient(t: float, R: Any) -> Any:
    """The torque of a gravity gradient in space, 3n² r × R J Rᵀ r."""
    r = np.array([np.cos(ORBITAL_RATE * t), np.sin(ORBITAL_RATE * t), 0.0])
    Jr = np.array(SATELLITE) * (R.T @ r)
    return 3.0 * ORBITAL_RATE**2 * np.cross(r, R @ Jr)


@dataclass(frozen=True)
class Case:
    """A motion to test against.

    Attributes
    ----------
    name, about : its name, and what it tests.
    problem : the body, its start and what acts on it.
    duration : to the last state.
    torque : what acts on it, with its numbers.
    """

    name: str
    about: str
    problem: Problem
    duration: float
    torque: dict[str, Any] = field(default_factory=lambda: {"kind": "none"})


def throw(J: Any, Omega0: Sequence[float], R0: Any = (0.3, -0.2, 0.1)) -> Problem:
    """A free body."""
    return Problem(J=J, Omega0=Omega0, R0=R0)


def stand(key: str) -> tuple[Problem, dict[str, Any]]:
    """A heavy top of the catalogue, and its torque for a file."""
    top = find_problem(key, Problem)
    return top, {"kind": "heavy top", "weight": list(top.action(1.0).numbers)}


def list_cases() -> list[Case]:
    """The twelve cases."""
    moments = (1.0, 2.0, 2.8)
    inertia = [[2.0, 0.3, -0.2], [0.3, 2.5, 0.4], [-0.2, 0.4, 3.0]]
    satellite = Problem(
        J=SATELLITE, Omega0=(0.2, 0.1, 0.6), R0=(0.1, 0.2, 0.0), torque=pull_by_gradient
    )
    slow, slow_torque = stand("slow-top")
    fast, fast_torque = stand("fast-top")
    skew, skew_torque = stand("asymmetric-top")
    free: dict[str, tuple[str, Any, Sequence[float], float]] = {
        "tumbling-least": (
            "tumbles about its axis of least inertia",
            moments,
            (2.0, 0.6, 0.5),
            5.0,
        ),
        "tumbling-greatest": ("tumbles about that of greatest", moments, (0.5, 0.6, 2.0), 5.0),
        "flipping": ("flips about its middle axis", moments, (0.1, 2.5, 0.05), 6.0),
        "near-separatrix": ("stays long near its unstable axis", moments, (1e-3, 2.0, 1e-3), 10.0),
        "fast-spin": ("spins fast, with a wobble", moments, (0.5, 0.3, 40.0), 1.0),
        "oblate": ("is symmetric and flat", (2.0, 2.0, 3.5), (0.7, 0.2, 2.0), 5.0),
        "prolate": ("is symmetric and long", (3.0, 3.0, 0.8), (0.7, 0.2, 2.0), 5.0),
        "products-of-inertia": ("has a full matrix of inertia", inertia, (1.2, 0.4, -0.8), 5.0),
    }
    cases = [
        Case(name, f"a free body that {does}", throw(J, Omega0), duration)
        for name, (does, J, Omega0, duration) in free.items()
    ]  # fmt: skip
    orbit = {"kind": "gravity gradient", "orbital_rate": ORBITAL_RATE}
    return [
        *cases,
        Case("heavy-top", "a symmetric heavy top that falls", slow, 3.0, slow_torque),
        Case("fast-top", "a symmetric heavy top that spins fast", fast, 1.0, fast_torque),
        Case("asymmetric-top", "a heavy top of unequal moments", skew, 3.0, skew_torque),
        Case("gravity-gradient", "a satellite on a circular orbit", satellite, 6.0, orbit),
    ]


def compute_case(case: Case) -> dict[str, Any]:
    """The content of a case: states with their errors, and the errors of methods."""
    t = np.linspace(0.0, case.duration, ROWS)
    motion = exact(case.problem, t)
    states = [dict(zip(PARTS, row, strict=True)) for row in _list_states(motion)]
    steps = _find_steps(case)
    orders = [_measure_order(case, order, steps) for order in METHODS]
    return {
        "name": case.name,
        "about": case.about,
        "J": case.problem.J.tolist(),
        "torque": case.torque,
        "states": states,
        "orders": orders,
    }


def _list_states(motion: Motion) -> Iterator[tuple[Any, ...]]:
    """Yield time, attitude as matrix and quaternion, velocity, momentum and errors of each state."""
    for i, time in enumerate(motion.t):
        yield (
            round_number(time),
            round_numbers(motion.R[i]),
            round_numbers(find_quaternion(motion.R[i])),
            round_numbers(motion.Omega[i]),
            round_numbers(motion.pi[i]),
            float(f"{motion.estimates.attitude[i]:.1e}"),
            float(f"{motion.estimates.momentum[i]:.1e}"),
        )


def find_quaternion(R: Array) -> Array:
    """Return the quaternion (w, x, y, z) of a rotation, with w ≥ 0."""
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_matrix(R).as_quat(canonical=True, scalar_first=True))


def round_number(x: float) -> float:
    """Return a number with 15 digits."""
    return float(f"{float(x):.{DIGITS}g}")


def round_numbers(values: Array) -> Any:
    """Return numbers with 15 digits, as lists."""
    return [round_number(x) if np.ndim(x) == 0 else round_numbers(x) for x in values]


def _measure_error(case: Case, method: str, steps: int) -> float:
    """The final error of a method after so many steps."""
    run = simulate(case.problem, method, dt=case.duration / steps, steps=steps, samples=1)
    return float(f"{error(run).attitude[-1]:.3g}")


def _find_steps(case: Case) -> tuple[int, int]:
    """The numbers of steps for which errors are stated: so many that no bound is too large."""
    steps = STEPS.get(case.name, FEWEST)
    while BOUND * _measure_error(case, METHODS[1][0], steps) > LARGEST:
        steps *= 2
    return steps, 2 * steps


def _measure_order(case: Case, order: int, steps: tuple[int, int]) -> dict[str, Any]:
    """The final errors of the worst method for each number of steps, and the power of the step in
    them.
    """
    methods = METHODS[order]
    found = {method: [_measure_error(case, method, count) for count in steps] for method in methods}
    method = max(methods, key=lambda one: found[one][0])
    errors = found[method]
    return {
        "order": order,
        "method": method,
        "steps": list(steps),
        "errors": errors,
        "bounds": [float(f"{BOUND * one:.3g}") for one in errors],
        "power": round(float(np.log2(errors[0] / errors[1])), 2),
    }


def write_checks(
    folder: str | Path,
    progress: Callable[[int, int], Any] | None = None,
    cancel: threading.Event | None = None,
) -> list[Path]:
    """Write the check cases into a folder; return the files, none if `cancel` was set.

    They are JSON and CSV, a page that explains them, a plugin for pytest and a header for C++.
    """
    place = Path(folder)
    cases = list_cases()
    computed = []
    for done, case in enumerate(cases, start=1):
        if is_cancelled(cancel):
            return []
        computed.append(compute_case(case))
        if progress is not None:
            progress(done, len(cases))
    source = format_versions().splitlines()[0]
    files = [
        _write_json(
            place / "checks.json", {"source": source, "licence": "CC0-1.0", "cases": computed}
        )
    ]
    for content in computed:
        rows = [_flatten(state) for state in content["states"]]
        files.append(_write_table(place / f"{content['name']}.csv", COLUMNS, rows))
    files.append(_write_table(place / "cases.csv", BODY, list(_list_bodies(computed))))
    head = ("case", "order", "method", "steps", "dt", "attitude_error", "bound")
    files.append(_write_table(place / "orders.csv", head, list(_list_errors(computed))))
    for file in sorted(FILES.glob("*.*")):
        text = file.read_text(encoding="utf-8").replace("VERSION", source)
        (place / file.name).write_text(text, encoding="utf-8")
        files.append(place / file.name)
    return files


def _flatten(state: dict[str, Any]) -> list[str]:
    """The numbers of a state in the order of the columns."""
    return [f"{x:.{DIGITS}g}" for value in state.values() for x in np.ravel(value)]


def _list_bodies(cases: Sequence[dict[str, Any]]) -> Iterator[list[Any]]:
    """Yield the rows of the table of bodies; what does not act is zero."""
    for case in cases:
        weight = case["torque"].get("weight", (0.0, 0.0, 0.0))
        rate = case["torque"].get("orbital_rate", 0.0)
        yield [case["name"], *np.ravel(case["J"]).tolist(), *weight, rate]


def _list_errors(cases: Sequence[dict[str, Any]]) -> Iterator[list[Any]]:
    """Yield the rows of the table of errors."""
    for case in cases:
        duration = case["states"][-1]["t"]
        for row in case["orders"]:
            for steps, off, bound in zip(row["steps"], row["errors"], row["bounds"], strict=True):
                yield [
                    case["name"],
                    row["order"],
                    row["method"],
                    steps,
                    duration / steps,
                    off,
                    bound,
                ]


def _write_json(path: Path, content: dict[str, Any]) -> Path:
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return path


def _write_table(path: Path, head: Sequence[str], rows: Sequence[Sequence[Any]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)
    return path
