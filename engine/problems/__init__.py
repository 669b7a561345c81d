"""The problems, a file for each kind; importing this package registers them in the catalogue."""

from . import book_toss, free, magnet, soft_wall, tops
from .problem import Action, Parameter, Posed, Problem, find, posed, problem, registered

__all__ = [
    "Action",
    "Parameter",
    "Posed",
    "Problem",
    "book_toss",
    "find",
    "free",
    "magnet",
    "posed",
    "problem",
    "registered",
    "soft_wall",
    "tops",
]
