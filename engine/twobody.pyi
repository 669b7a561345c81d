# For type checkers: at runtime, `engine` gives this name to the package.
from .problems.two_bodies import *
