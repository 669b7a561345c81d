"""The referee: motions of free bodies that any engine computed, read and judged."""

from .trajectory import Trajectory
from .verdict import Verdict, judge

__all__ = ["Trajectory", "Verdict", "judge"]
