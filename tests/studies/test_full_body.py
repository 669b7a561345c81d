"""The study of Figure 3 of Lee, Leok and McClamroch."""

from __future__ import annotations

import math

import numpy as np
import pytest

import engine
from engine import studies
from engine.studies.full_body import METHODS


@pytest.fixture(scope="module")
def found():
    reports = []
    study = studies.full_body(
        dts=(0.004, 0.002, 0.001),
        progress=lambda done, of: reports.append((done, of)),
        duration=30.0,
    )
    assert reports == [(i + 1, 16) for i in range(16)]
    return study


@pytest.mark.exhaustive
def test_energy_along_a_run(found):
    """(a), at h = 0.002."""
    assert list(found.energy) == list(METHODS) and found.finished
    for name, (t, energy) in found.energy.items():
        assert len(t) == len(energy) == 15_001 and t[-1] == 30.0
        assert energy[0] == pytest.approx(1.9427624019, rel=1e-10), name


@pytest.mark.exhaustive
def test_means_against_the_step(found):
    """(b) and (c): the figures of the problem, the order, and rotations that only RK2 leaves."""
    at = {row.method: row for row in found.tried if row.dt == 0.002}
    for name, energy in (("LGVI", 3.69e-6), ("LGM", 1.30e-4), ("RK2", 1.37e-3), ("SRK", 1.19e-4)):
        assert at[name].energy == pytest.approx(energy, rel=0.01)
        assert (at[name].orthogonality < 1e-12) == (name != "RK2")
    assert found.order("LGVI") == pytest.approx(2.0, abs=0.02)
    dt, seconds = found.series("LGVI", "seconds")
    assert list(dt) == [0.001, 0.002, 0.004] and (seconds > 0).all()


@pytest.mark.exhaustive
def test_forces_against_the_step(found):
    """(d)"""
    at = {row.method: row.force_evaluations for row in found.tried if row.dt == 0.002}
    assert (at["LGVI"], at["LGM"], at["RK2"]) == (15_001, 30_001, 30_001) and at["SRK"] > 60_000


@pytest.mark.exhaustive
def test_the_cost_of_one_and_the_same_error(found):
    """Measured figures beside the paper's 16, 35 and 98, with the reason."""
    factors = {row.method: row for row in found.equal}
    for row in factors.values():
        assert row.energy == pytest.approx(factors["LGVI"].energy, rel=0.03)
    assert factors["LGVI"].force_evaluations == 1.0 and math.isnan(factors["LGVI"].paper)
    for name, forces, paper in (("LGM", 6.2, 16), ("RK2", 14.4, 35), ("SRK", 36.0, 98)):
        assert (
            factors[name].force_evaluations == pytest.approx(forces, rel=0.15)
            and factors[name].paper == paper
        )
    assert "; the paper has 98." in found.conclusion and found.why in found.conclusion
    assert list(found.equal_frame()["method"]) == list(METHODS)
    assert len(found.to_frame()) == 12


def test_cancelled_it_has_what_was_finished():
    cancel = engine.Cancellation()
    study = studies.full_body(
        methods=["LGVI"], dts=(0.02, 0.01, 0.005), duration=5.0, cancel=cancel,
        progress=lambda done, of: cancel.set() if done == 2 else None,
    )  # fmt: skip
    assert not study.finished and len(study.tried) == 2 and not study.equal


def test_what_it_refuses():
    with pytest.raises(ValueError, match="slow-top is a problem of one body"):
        studies.full_body("slow-top")
    with pytest.raises(ValueError, match="NMB moves one body"):
        studies.full_body(methods=["NMB"])
    with pytest.raises(ValueError, match="DOP853 chooses its own steps"):
        studies.full_body(methods=["DOP853"])


def test_runs_that_fail_stand_there_as_such():
    study = studies.full_body(methods=["LGVI", "RK2"], dts=(0.2,), dt=0.01, duration=4.0)
    states = {(row.method, row.dt): row.status for row in study.tried}
    assert states["LGVI", 0.2] == "no-solution" and states["LGVI", 0.01] == "done"
    assert (
        np.isfinite(study.series("LGVI", "energy")[1]).all()
        and len(study.series("LGVI", "energy")[0]) == 1
    )
