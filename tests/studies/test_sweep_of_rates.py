"""Sweeps over given rates: their own parameters, those of a sensor, and their own measures."""

from __future__ import annotations

import numpy as np
import pytest

from engine.studies import sweep


def test_a_sweep_maps_the_error_over_cone_and_step() -> None:
    """The error of an exponential grows with the square of the cone; Magnus's with its fourth power
    of the step.
    """
    data = sweep(
        "coning",
        ["EXP(rate=mean)", "MAGNUS"],
        over={"dt": [0.001, 0.002], "cone": [1.0, 2.0]},
        measure=["attitude", "orthogonality", "error3", "seconds"],
        duration=0.2,
    )
    error = data["attitude"].values
    np.testing.assert_allclose(error[0, :, 1] / error[0, :, 0], 4.0, rtol=0.01)
    np.testing.assert_allclose(error[:, 1] / error[:, 0], [[4.0] * 2, [16.0] * 2], rtol=0.05)
    np.testing.assert_allclose(data["error3"].values[0], error[0], rtol=0.01)
    assert (data["orthogonality"].values < 1e-13).all() and (data["status"].values == 0).all()


def test_a_sweep_varies_the_sample_rate_of_a_sensor() -> None:
    """A step that does not fit the samples is refused; the others have smaller errors at finer
    samples.
    """
    data = sweep(
        "coning(sensor=sampled)",
        ["CONING(samples=2)"],
        over={"sample_rate": [300.0, 500.0, 1000.0]},
        measure="attitude",
        dt=0.004,
        duration=0.2,
    )
    (error,) = data["attitude"].values
    assert np.isnan(error[0]) and error[1] > error[2]


@pytest.mark.parametrize("measure", ["energy", "pi", "fli"])
def test_measures_of_bodies_are_refused(measure: str) -> None:
    with pytest.raises(ValueError, match=f"{measure} is measured of one body.* there are attitude"):
        sweep("coning", "MAGNUS", over={"dt": [0.001]}, measure=measure)
