"""Curves: each point is a run, and powers are those of theory."""

from __future__ import annotations

import numpy as np
import pytest

import engine
from engine.studies import parameter_curve


def test_drifts_of_coning_corrections_follow_the_powers_of_miller() -> None:
    """Without a correction the drift grows with the third power of the frequency, with two increments
    with the fifth, with three with the seventh, which roundoff hides at low ones.
    """
    methods = ["EXP(rate=mean)", "CONING", "CONING(samples=3)"]
    wide = engine.problem("coning", dt=0.002)
    found = parameter_curve(wide, methods, "frequency=log:5:120:12", measure="drift")
    powers = [found.power(method) for method in methods]
    assert [power.value for power in powers if power] == pytest.approx([3, 5, 7], abs=0.25)
    assert "The drift follows the power 3 of frequency." in found.conclusion
    assert found.chart.axes[0].x.label == "Frequency Ω/2π" and found.chart.axes[0].x.log
    row = found.of("CONING")[-1]
    run = engine.simulate("coning(frequency=120)", "CONING", dt=0.002)
    drift = np.degrees(engine.error(run).attitude[-1]) * 3600 / run.t[-1]
    assert (row.x, row.status) == (pytest.approx(120), "done") and row.value == pytest.approx(drift)


def test_a_curve_without_a_power_states_none() -> None:
    found = parameter_curve("free", ["NMB"], "Omega0.z=1:2:6", measure="steps", duration=10.0)
    assert found.power("NMB") is None and "power" not in found.conclusion
    assert len(found.to_frame()) == 6 and not found.chart.axes[0].x.log


@pytest.mark.parametrize(("across", "says"), [
    ("tea=1:2:3", "has no parameter 'tea'"), ("Omega0=1:2:3", "single number|each value"), ("dt=1", "from 2 to"),
])  # fmt: skip
def test_what_is_no_axis_is_refused(across: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        parameter_curve("free", "NMB", across)
