"""Quantities: what plots over time show, each a function of a row of a run, which is compiled for
the server and for browsers.

A file for each subject; their order is that of the plots.
"""

from . import conserved, errors, free_bodies, given_rates, motion, two_bodies
from .conserved import CONSERVED, energy, momentum_error
from .errors import attitude_error, body_momentum_error, spectral_error
from .evaluation import Formula, evaluate, make_key, make_object_code, write_text
from .formulas import angle_between
from .free_bodies import VERDICT, middle_axis_angle
from .given_rates import DEGREES_AN_HOUR
from .listing import compile_quantities, list_own_groups, list_quantities
from .quantity import LEAST, OWN_GROUP, Between, Quantity, all_quantities, quantity
from .two_bodies import pair_attitude_error, pair_attitude_errors, place_error
