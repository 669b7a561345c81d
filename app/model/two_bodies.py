"""What is plotted and told of two bodies: what methods keep of both together, how they go around each other and turn.

Nothing here knows how it is drawn.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.checks import Array

from .ledger import (
    DRIFT,
    ENERGY,
    NEWTON,
    NO_ROTATION,
    SPEED,
    Ledger,
    LedgerCell,
    LedgerColumn,
    costs,
    deviation,
    energies,
    roundoff,
    told,
)
from .quantities import ORTHOGONALITY, Group, Quantity, energy, length, vector_departure
from .results import Ran, Results, scale

# ------------------------------------------------------------------------------------------------- the plots


def kept(results: Results) -> list[Quantity]:
    """Energy and both momenta, which all motions keep, and that R₁ and R₂ are rotations."""
    return [
        energy(results),
        vector_departure("Linear momentum error", "p", "linear_momentum", whole("linear", results)),
        vector_departure("Angular momentum error", "π", "angular_momentum", whole("angular", results)),
        ORTHOGONALITY,
    ]


def whole(which: str, results: Results) -> float:
    """The length of the linear or the angular momentum at the start."""
    return next((float(length(line.run.motion[f"{which}_momentum"][:1])[0]) for line in results.runs), 0.0)


def plain(title: str, symbol: str, series: Callable[[Ran], Array], *, steps: bool = False) -> Quantity:
    """Something that is drawn as it is; what is told of steps begins with the first."""
    first = 1 if steps else 0
    return Quantity(title, symbol, lambda line: (line.run.t[first:], series(line)[first:]), error=False)


ORBIT = [
    plain("Distance of the centres", "‖x₁ − x₂‖", lambda line: length(line.run.x1 - line.run.x2)),
    plain("Nearest masses", "least distance of a mass of one from one of the other", lambda line: line.run.distance),
    plain("Relative speed", "‖v₁ − v₂‖", lambda line: length(line.run.v1 - line.run.v2)),
    plain("Energy", "E", lambda line: line.run.energy),
]
ROTATION = [
    plain("Angular velocity of body 1", "|Ω₁|", lambda line: length(line.run.Omega1)),
    plain("Angular velocity of body 2", "|Ω₂|", lambda line: length(line.run.Omega2)),
    plain("Rotation of body 1 per step", "angle, °", lambda line: np.degrees(line.run.increment1), steps=True),
    plain("Rotation of body 2 per step", "angle, °", lambda line: np.degrees(line.run.increment2), steps=True),
]

GROUPS = {
    "What is kept": Group(lambda results, vector: kept(results)),
    "Orbit": Group(lambda results, vector: ORBIT, ()),
    "Rotation": Group(lambda results, vector: ROTATION, ()),
}

# ------------------------------------------------------------------------------------------------- the ledger

COLUMNS = (
    ENERGY,
    DRIFT,
    LedgerColumn("linear", "max\n|Δp|"),
    LedgerColumn("angular", "max\n|Δπ|/|π₀|"),
    NO_ROTATION,
    LedgerColumn("torques", "forces\na step"),
    NEWTON,
    SPEED,
)


def cells(one: Ran, results: Results) -> dict[str, LedgerCell]:
    """A method's numbers, by the keys of the columns."""
    run = one.run
    found = energies(run)
    # What roundoff is relative to is what is summed: body 1's own momenta, where it has the most of them.
    first = run.problem.body1.mass * run.v1
    own, turning = length(first).max(), length(np.cross(run.x1, first)).max()
    π0 = scale(whole("angular", results))
    found["linear"] = told(deviation(run, "linear_momentum"), roundoff(run) * max(own, 1.0))
    found["angular"] = told(deviation(run, "angular_momentum") / π0, roundoff(run) * max(turning / π0, 1.0))
    found["orthogonality"] = told(float(run.extrema["orthogonality"].max), roundoff(run))
    return found | costs(run)


def kept_here(results: Results) -> list[tuple[str, str]]:
    """What the motion keeps, of what the ledger tells: the keys of the cells, and in words."""
    return [("energy", "energy"), ("linear", "linear momentum"), ("angular", "angular momentum")]


LEDGER = Ledger(lambda results: COLUMNS, cells, kept_here)
