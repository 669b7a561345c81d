"""One rigid body with a fixed point: what its kernels are made of, and its runs."""

from . import portable
from .run import Run, run_of
from .setting import kernels, kinds, why_not

run_type = Run
has_exact = True

__all__ = ["Run", "has_exact", "kernels", "kinds", "portable", "run_of", "run_type", "why_not"]
