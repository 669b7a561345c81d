"""Further integrals: exact motions conserve them where they hold and only there, and all reports
include them.
"""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest

import app
import engine
from app.state.choice import Choice
from app.state.excerpt import read_query
from app.state.one_body import LEDGER, list_invariants
from app.state.results import compute
from engine import studies

TOPS = {"kovalevskaya-top": "kovalevskaya", "goryachev-chaplygin-top": "goryachev_chaplygin"}
TILTED = np.array([[1.0, -2.0, 2.0], [2.0, 2.0, 1.0], [-2.0, 1.0, 2.0]]) / 3.0
"""Axes whose third, the symmetry axis, is not one of the body's axes."""


def tilt_inertia(*moments: float) -> list[list[float]]:
    """The inertia with these moments about them."""
    J = TILTED @ np.diag(moments) @ TILTED.T
    return ((J + J.T) / 2).tolist()


CASES: list[tuple[str, dict[str, Any], bool]] = [
    ("kovalevskaya-top", {}, True),
    (
        "kovalevskaya-top",
        {"chi": (0.3, -0.8, 0.0), "R0": (1.5, 0.3, 0.0), "Omega0": (1.0, 0.2, 2.0)},
        True,
    ),
    ("kovalevskaya-top", {"J": (3.0, 3.0, 1.5), "Mg": 2.0}, True),
    ("kovalevskaya-top", {"J": (1.0, 2.0, 2.0), "chi": (0.0, 0.6, 0.8)}, True),
    ("kovalevskaya-top", {"J": (2.0, 1.0, 2.0), "chi": (0.6, 0.0, 0.8)}, True),
    (
        "kovalevskaya-top",
        {"J": tilt_inertia(2.0, 2.0, 1.0), "chi": tuple(TILTED @ (0.6, 0.8, 0.0))},
        True,
    ),
    ("kovalevskaya-top", {"J": (1.0, 2.0, 2.0), "chi": (0.02, 0.6, 0.8)}, False),
    ("kovalevskaya-top", {"J": (2.02, 2.0, 1.0)}, False),
    ("kovalevskaya-top", {"J": (2.0, 2.0, 1.02)}, False),
    ("kovalevskaya-top", {"chi": (1.0, 0.0, 0.02)}, False),
    ("goryachev-chaplygin-top", {}, True),
    (
        "goryachev-chaplygin-top",
        {"chi": (0.3, -0.8, 0.0), "J": (6.0, 6.0, 1.5), "Omega0": (0.5, 1.6, 0.0)},
        True,
    ),
    (
        "goryachev-chaplygin-top",
        {"J": (1.0, 4.0, 4.0), "chi": (0.0, 0.6, 0.8), "Omega0": (0.5, 1.0, 0.0)},
        True,
    ),
    ("goryachev-chaplygin-top", {"J": (4.0, 4.0, 1.02)}, False),
    ("goryachev-chaplygin-top", {"Omega0": (1.0, 0.8, 0.02)}, False),
]


@pytest.mark.parametrize(("key", "changes", "holds"), CASES)
def test_a_top_keeps_it_from_the_right_starts_only(
    key: str, changes: dict[str, Any], holds: bool
) -> None:
    problem = engine.problem(key, **changes)
    name = TOPS[key]
    run = engine.simulate(problem, "RKMK(tableau=dop853)", dt=0.02, duration=20)
    off = run.deviation(name)
    assert (name in problem.invariants) == (name in run.casimirs) == holds
    assert off < 1e-12 * max(1.0, abs(run.first(name))) if holds else off > 1e-3


def test_a_gyrostat_keeps_its_whole_momentum_and_that_of_the_body_is_not_kept() -> None:
    λ = np.array([0.3, -0.2, 0.7])
    run = engine.simulate(
        engine.problem("gyrostat", rotor=λ, R0=(0.3, 0.2, 0.1)), "RKMK(tableau=dop853)", dt=0.02
    )
    total = np.einsum("nij,nj->ni", run.R, run.Pi + λ)
    np.testing.assert_allclose(total, total[:1].repeat(len(total), axis=0), rtol=0, atol=1e-12)
    np.testing.assert_allclose(run.casimirs["total_casimir"], (total**2).sum(axis=1), rtol=1e-13)
    np.testing.assert_allclose(run.casimirs["total_pi_e3"], total[:, 2], rtol=0, atol=1e-13)
    assert np.ptp(run.energy) < 1e-12 and np.ptp(run.observed["casimir"]) > 0.1
    turned = engine.problem(
        "gyrostat", J=[[2.0, 0.3, 0.1], [0.3, 3.0, 0.2], [0.1, 0.2, 4.0]], rotor=λ
    )
    assert (
        engine.simulate(turned, "RKMK(tableau=dop853)", dt=0.02, duration=5).deviation(
            "total_casimir"
        )
        < 1e-11
    )
    with pytest.raises(ValueError, match="gyrostat: MR2 takes torques of time and attitude only"):
        engine.simulate("gyrostat", "MR2")


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("key", "method", "name"),
    [("kovalevskaya-top", "MR2", "kovalevskaya"), ("gyrostat", "RKMK", "total_casimir")],
)
def test_what_tells_of_a_run_has_it(key: str, method: str, name: str, tmp_path: Any) -> None:
    run = engine.simulate(key, method, steps=40)
    one = next(one for one in run.problem.integrals if one.key == name)
    for ending in ("csv", "npz"):
        again = engine.load(run.save(tmp_path / f"run.{ending}"))
        np.testing.assert_array_equal(again.casimirs[name], run.casimirs[name])
    assert name in run.to_frame().columns
    swept = studies.sweep(key, [method], over={"dt": [0.05]}, measure=name, steps=40)
    assert float(swept[name].values.squeeze()) == pytest.approx(
        run.deviation(name) / max(1.0, abs(run.first(name)))
    )
    choice = Choice(key, (method,), 0.05, 2.0)
    results = compute(choice)
    shown = list_invariants(results)[1]
    assert (shown.title, shown.declared.key) == (one.title, name)
    table = LEDGER.table(results)
    assert one.name in table.conclusion and one.words in "".join(
        column.means for column in table.columns
    )
    assert table.rows[0].cell(name).value == pytest.approx(run.deviation(name))
    assert read_query({"show": name}, choice)[0].show == (name,)
    report = json.loads(
        re.search(r'id="data">(.*?)</script>', app.demo(key, method, duration=2).html, re.S)[1]
    )
    assert name in {invariant["key"] for invariant in report["invariants"]}
    assert name in {part[0] for part in report["parts"] if part}


def test_a_long_run_tells_what_becomes_of_it() -> None:
    found = studies.long_run("kovalevskaya-top", ["MR2", "CG2"], 40_000, quantity="integral")
    bounded, lost = found.runs
    assert bounded.drift.verdict == "no drift" and lost.drift.verdict.startswith("drifts")
    assert "Kovalevskaya's integral does not drift in 40,000 steps" in found.conclusion
    with pytest.raises(ValueError, match="lagrange-top keeps no further integral"):
        studies.long_run("lagrange-top", "MR2", 40_000, quantity="integral")


@pytest.mark.parametrize("problem", engine.problems(None), ids=lambda problem: problem.key)
def test_a_title_is_the_name_with_a_capital(problem: Any) -> None:
    for one in problem.integrals:
        assert one.title[0] == one.name[0].upper() and one.title[1:] == one.name[1:]
