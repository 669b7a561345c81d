"""Your own rates, by a formula."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...parameters.formula import Formula
from ...parameters.parameter import FormulaText, Parameter
from ..problem import register
from .given import GivenRates


def read_formula(values: Mapping[str, Any]) -> Formula:
    """The rate that is typed as a formula."""
    return Formula(values["formula"], "rate")


register(
    GivenRates(
        key="given-rates",
        name="Your own rates",
        group="Gyroscopes",
        place=9,
        summary="Any angular velocity that you type as a function of time, in the body or in space.",
        words="gyroscope IMU formula angular velocity",
        dt=0.01,
        duration=10.0,
        specific=(
            Parameter(
                "formula",
                FormulaText(rate=True),
                "the angular velocity, a function of t",
                "(sin(3*t), 0.5*cos(5*t), 1)",
                "rad/s",
                "Angular velocity, a formula",
            ),
        ),
        typed_rate=read_formula,
    )
)
