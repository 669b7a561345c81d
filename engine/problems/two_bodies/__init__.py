"""The full two-body problem on SE(3): two rigid bodies under their mutual gravity.

>>> import engine
>>> run = engine.simulate("dumbbells", "LGVI", duration=30)
>>> asteroid = engine.twobody.Masses(masses=(1, 2, 3, 1), positions=((1, 0, 0), (0, 1, 0), (0, 0, 1), (-1, -1, 0)))
>>> pair = engine.problem("two-bodies", body1=asteroid)
"""

from . import dumbbells
from .masses import Masses, dumbbell, fill
from .pair import TwoBodies

__all__ = ["Masses", "TwoBodies", "dumbbell", "dumbbells", "fill", "filled"]

filled = fill
"""The name of `fill` in earlier versions."""
