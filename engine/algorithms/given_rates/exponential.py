"""EXP: one exponential of the angle of an update, for a rate that is held over its interval.

With the rate in the middle it is the Magnus expansion of order 2 and the method of Crouch and
Grossman of order 2; with the mean it is the first term of Bortz's rotation vector. GTSAM's
preintegration on the manifold holds a sample, commit 0ffe6c93, gtsam/navigation/PreintegratedRotation.cpp,
lines 72 to 106. Two of OpenVINS's three choices hold the mean of two samples, commit 69488123,
ov_msckf/src/state/Propagator.cpp, lines 482 to 505 (discrete, on the quaternion) and 667 to 681
(analytical); its default is `openvins`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...algebra import Mat3, times_exp
from ...text import bibtex, declares, keeps
from ..core import Gyro, method
from .turns import RATE, ROTATION, promise_rate


def promise(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """What the chosen rate makes of it."""
    return promise_rate(chosen)


@method(
    key="EXP",
    name="Exponential of the rate",
    short="Exponential",
    variants={
        "gtsam-manifold": {},
        "openvins-discrete": {"rate": "trapezoid"},
        "openvins-analytical": {"rate": "trapezoid"},
        "CG2": {"rate": "middle"},
    },
    family="Magnus",
    reference=bibtex(
        "IserlesMuntheKaasNorsettZanna2000",
        "Forster2017",
        "GenevaEckenhoffLeeYangHuang2020",
        "CrouchGrossman1993",
    ),
    options=(RATE,),
    conserves=ROTATION,
    **promise({}),
    given_options=promise,
    evidence=(
        keeps(orthogonality="always"),
        declares(order=(1,)),
        tuple(
            declares(of=f"EXP(rate={rate})", order=(2,), reversible=True)
            for rate in ("middle", "trapezoid", "mean")
        ),
    ),
)
def step(gyro: Gyro, t: float, h: float, R: Mat3, rate: Any) -> tuple[Mat3]:
    r"""The turn of a constant rate: [R stays a rotation], and a constant rate has no error.

    .. math::
        R_{n+1} = R_n \exp(\theta), \quad \theta = h\,\omega(t_{n+1}) \text{, or another rate times } h

    - The exponential is the exact motion of a rate that does not change, however long the step is.
    - With the rate of one end it is of order [one].
    - With the rate in the middle, or with a mean, the order is [two, and a step back undoes the
      step]. What remains is that the direction of the rate changes within the step: coning.
    """
    return (times_exp(R, rate(gyro, t, h)),)
