# For type checkers: at runtime, `engine` gives this name to the module.
from .problems.mass_properties import *
