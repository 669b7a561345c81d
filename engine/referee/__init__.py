"""The referee: motions of free bodies that any engine computed, read and judged."""

from .rules import Matches, find_rules
from .trajectory import Trajectory
from .verdict import Verdict, judge

__all__ = ["Matches", "Trajectory", "Verdict", "find_rules", "judge"]
