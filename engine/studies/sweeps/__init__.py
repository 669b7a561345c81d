"""Sweeps: one request to very many runs, which `engine.studies.sweep` makes.

`axes.py` has what is varied, `measures.py` what is measured. `runner.py` divides the points into
blocks, in order, coarse to fine, or along a boundary (`refined.py`), which the executor of studies
runs by `block.py`; `store.py` keeps the results.
"""

from .axes import MOST_OF_A_MAP, Range, Varied, read_over, read_range, read_values
from .variables import POINTS, Variable, find_variables
