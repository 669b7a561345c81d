"""Methods for an attitude with given rates, one file for each method or family."""

from . import (
    coning,
    crouch_grossman,
    euler,
    exponential,
    flight_software,
    magnus,
    picard_chebyshev,
    rkmk853,
    runge_kutta,
    symplectic,
    wilcox,
)
