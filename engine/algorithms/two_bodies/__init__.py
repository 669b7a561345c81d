"""Methods for two bodies on SE(3), one file for each method or family."""

from . import dop853, lgm, lgvi, runge_kutta, taylor
