"""The referee: motions of free bodies that any engine computed, read and judged."""

from .judging import judge
from .matches import Matches
from .rules import find_rules
from .trajectory import Trajectory
from .verdict import Verdict

__all__ = ["Matches", "Trajectory", "Verdict", "find_rules", "judge"]
