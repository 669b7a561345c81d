"""Methods for an attitude with given rates, one file for each method or family."""

from . import exp_increment, quaternion_rk4, rkmk853
