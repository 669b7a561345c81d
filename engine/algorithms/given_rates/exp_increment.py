"""The exponential of one increment: Magnus's series, cut after its first term."""

from __future__ import annotations

from ...algebra import Mat3, exp
from ...text import bibtex
from ..core import Gyro, method


@method(
    key="EXP-INCREMENT",
    name="Exponential of the increment",
    family="Runge–Kutta on the group",
    order=(2,),
    increments=1,
    torque_evaluations=1,
    conserves={"orthogonality": "always"},
    reversible=True,
    reference=bibtex("IserlesMuntheKaasNorsettZanna2000"),
)
def step(gyro: Gyro, t: float, h: float, R: Mat3) -> tuple[Mat3]:
    r"""A turn by the integral of the angular velocity, as an integrating gyroscope delivers it.

    .. math::
        R_{n+1} = R_n \exp \int_{t_n}^{t_n + h} \omega\,dt

    - A gyroscope that integrates delivers this integral, so that the step has no error of
      quadrature. It is exact while the axis of the rotation stays.
    - Where the axis moves, the step lacks what the change of the axis adds. Under coning this always
      has the same direction, and the attitude drifts about the axis of the cone.
    - A step back has the opposite integral, and undoes the step. A product of rotations is a
      rotation.
    """
    return (R @ exp(gyro.increment(t, h)),)
