"""The full two-body problem on SE(3): two rigid bodies under their mutual gravity, and methods for them.

>>> import engine
>>> run = engine.simulate("dumbbells", "LGVI", duration=30)
>>> asteroid = engine.twobody.Masses(masses=(1, 2, 3, 1), positions=((1, 0, 0), (0, 1, 0), (0, 0, 1), (-1, -1, 0)))
>>> pair = engine.problem("two-bodies", body1=asteroid)
"""

from . import adaptive, lgm, lgvi, portable, runge_kutta
from .masses import Masses, dumbbell, filled
from .problem import TwoBodies
from .run import TwoBodyRun, run_of
from .setting import kernels, kinds, why_not

run_type = TwoBodyRun
has_exact = False

__all__ = [
    "Masses", "TwoBodies", "TwoBodyRun", "adaptive", "dumbbell", "filled", "has_exact", "kernels", "kinds", "lgm",
    "lgvi", "portable", "run_of", "run_type", "runge_kutta", "why_not",
]  # fmt: skip
