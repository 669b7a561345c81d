"""The sensor between given rates and a method: sample rate, rounding, noise, bias and delay.

It is an option of every problem with given rates; `engine.simulation.sensor` makes its samples.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...parameters.parameter import Number, OneOf, Parameter, Vector, Whole
from ...parameters.validation import Array
from .samples import Flags

WITHOUT = "none"
SENSORS = {
    WITHOUT: "none, the rates themselves",
    "sampled": "samples of the rates",
    "integrated": "angles, integrated over each interval",
}
"""The choices of a sensor."""
ONLY = ("sensor", "sampled", "integrated")
FASTEST = 1e9
TOUCHES = 1e-9
"""A sample that lies so little beyond the range, relative to it, only reaches its end."""

PARAMETERS = (
    Parameter(
        "sensor",
        OneOf(SENSORS, SENSORS),
        "what a method is given: the rates, samples of them, or angles integrated between samples",
        WITHOUT,
        label="Sensor",
    ),
    Parameter(
        "sample_rate",
        Number(1e-6, 1e9),
        "the samples in a second",
        1000.0,
        "Hz",
        "Sample rate",
        only=ONLY,
    ),
    Parameter(
        "bits",
        Whole(0, 32),
        "the bits of a sample, over its whole range; 0 for numbers that are not rounded",
        16,
        "",
        "Bits of a sample",
        only=ONLY,
    ),
    Parameter(
        "range",
        Number(1e-9, FASTEST),
        "the largest rate that the sensor measures; a faster one is clipped",
        float(np.radians(2000.0)),
        "rad/s",
        "Range",
        only=ONLY,
    ),
    Parameter(
        "noise",
        Number(0.0, FASTEST),
        "density of white noise in each axis",
        0.0,
        "rad/√s",
        "Noise density",
        only=ONLY,
    ),
    Parameter(
        "bias", Vector(FASTEST), "a constant error", (0.0, 0.0, 0.0), "rad/s", "Bias", only=ONLY
    ),
    Parameter(
        "delay",
        Vector(FASTEST),
        "by how much each axis lags",
        (0.0, 0.0, 0.0),
        "s",
        "Delay of the axes",
        only=ONLY,
    ),
    Parameter(
        "seed", Whole(0, 2**31), "of the noise", 1, "", "Seed of the noise", only=ONLY
    ),
)  # fmt: skip
"""The parameters of a sensor."""


@dataclass(frozen=True)
class Sensor:
    """A sensor, by the parameters above."""

    integrated: bool
    interval: float
    bits: int
    range: float
    noise: float
    bias: tuple[float, ...]
    delay: tuple[float, ...]
    seed: int

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Sensor | None:
        """The sensor of a problem's values; None if these have none."""
        kind = values.get("sensor", WITHOUT)
        if kind == WITHOUT:
            return None
        own = {name: values[name] for name in ("bits", "range", "noise", "bias", "delay", "seed")}
        return cls(kind == "integrated", 1.0 / values["sample_rate"], **own)

    def measure(self, true: Array) -> Measured:
        """(n, 3) samples, from the true rates, or angles of intervals, at their times."""
        unit = self.interval if self.integrated else 1.0
        noise = np.random.default_rng(self.seed).standard_normal(true.shape)
        # White noise of a density has this deviation in the mean over an interval.
        given = true + unit * (np.array(self.bias) + self.noise / np.sqrt(self.interval) * noise)
        found = given
        least = largest = unit * self.range
        step = 0.0
        if self.bits:
            step = 2.0 * least / 2.0**self.bits
            found = step * np.round(given / step)
            largest = least - step
        measured = np.clip(found, -least, largest)
        clipped = np.abs(found - measured) > TOUCHES * least
        return Measured(measured, clipped, step / unit, (found - given).mean(axis=0) / unit)


class Measured(NamedTuple):
    """What a sensor measures.

    Attributes
    ----------
    values : (n, 3) the samples.
    clipped : (n, 3) which of them the range clips.
    step : the step to which rates are rounded; 0 if they are not.
    shift : (3,) by how much rounding changes the mean of the rates.
    """

    values: Array
    clipped: Flags
    step: float
    shift: Array
