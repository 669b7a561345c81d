"""The referee: motions of free bodies that any engine computed, read and judged."""

from .trajectory import Trajectory

__all__ = ["Trajectory"]
