"""The problems, one file for each kind. Importing this package registers them all."""

from importlib import import_module
from pkgutil import iter_modules

from ..parameters.parameter import Parameter
from .field import Integral
from .mass_properties import Body, InsideOut
from .problem import (
    DT,
    DURATION,
    LENGTH,
    STEP,
    Action,
    AnyProblem,
    Problem,
    all_problems,
    find_problem,
    problem,
    store_in_problem,
)

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

from .given_rates.given import GivenRates  # noqa: E402
from .given_rates.recording import Columns, find_columns, read_samples  # noqa: E402
from .given_rates.samples import Samples  # noqa: E402
from .two_bodies.masses import Masses  # noqa: E402
from .two_bodies.pair import TwoBodies  # noqa: E402

KINDS: dict[str, type[AnyProblem]] = {kind.space: kind for kind in (Problem, TwoBodies, GivenRates)}
"""The kind of problem of each space."""
