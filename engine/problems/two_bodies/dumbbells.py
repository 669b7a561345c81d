"""The two dumbbells of Lee, Leok and McClamroch, and your own two bodies.

The paper prints that m2 = 2 m1, l2 = 2 l1, that the linear momentum is zero and the orbits are near
ellipses, and h = 0.002 over 30 s. Masses, lengths and inertia are those of the authors' earlier
paper. DB2 starts as there, but its bodies fly apart after a close encounter. DB4, where both bodies
tumble fast, and DB1 are chosen here to fit the text.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...parameters.parameter import Number, OneOf, Parameter
from ...text import bibtex, near, sentence
from ..problem import register
from .masses import Masses, dumbbell
from .pair import TwoBodies

CASES: dict[str, dict[str, Any]] = {
    "DB4": {"Omega1": (10.0, 5.0, 10.0), "Omega2": (2.0, 1.0, 3.0)},
    "DB1": {"Omega1": (0.0, 0.5, 2.0), "Omega2": (0.0, 0.0, 0.0)},
    "DB2": {"Omega1": (0.0, 0.0, 9.0), "Omega2": (0.0, 0.0, 0.0)},
}
"""How the bodies tumble; place and velocity are the same in all three."""

INERTIA = {"1": (0.0004, 0.0238, 0.0238), "2": (0.0030, 0.1905, 0.1905)}
MEASURES = {"m1": 1.5, "l1": 0.25, "m2": 3.0, "l2": 0.5}


def make_dumbbell(which: str, mass: float, length: float) -> Masses:
    """A dumbbell like the paper's, its spheres scaled with it: J is proportional to m l²."""
    factor = (mass / MEASURES[f"m{which}"]) * (length / MEASURES[f"l{which}"]) ** 2
    return dumbbell(mass, length, factor * np.array(INERTIA[which]))


def settle_dumbbells(problem: TwoBodies, given: dict[str, Any]) -> dict[str, Any]:
    """The start of a case, and the bodies of new masses and lengths."""
    settled: dict[str, Any] = dict(CASES[given["case"]]) if "case" in given else {}
    for which in "12":
        if f"m{which}" in given or f"l{which}" in given:
            values = dict(problem.values) | given
            settled[f"body{which}"] = make_dumbbell(which, values[f"m{which}"], values[f"l{which}"])
    return settled


dumbbells = TwoBodies(
    key="dumbbells",
    name="Two dumbbells",
    aliases=tuple(CASES),
    group="Lee, Leok & McClamroch",
    summary="Two dumbbells orbit each other. Each turns the other as both tumble.",
    body1=make_dumbbell("1", MEASURES["m1"], MEASURES["l1"]),
    body2=make_dumbbell("2", MEASURES["m2"], MEASURES["l2"]),
    G=1.0 / 4.5,  # so that G m1 m2 = 1
    X=(1.0, 0.0, 0.3),
    V=(0.0, 1.0, 0.0),
    **CASES["DB4"],
    reference=bibtex("LeeLeokMcClamroch2007a", "LeeLeokMcClamroch2007b"),
    specific=(
        Parameter(
            "case",
            OneOf(CASES),
            "how the bodies tumble at the start: DB4 both fast, DB1 slowly, DB2 as in the "
            "authors' first paper, where they meet closely and part",
            "DB4",
            label="Case",
        ),
        *(
            Parameter(
                f"{letter}{body}",
                Number(1e-6, 1e6),
                f"{doc} of dumbbell {body}",
                MEASURES[f"{letter}{body}"],
                unit=doc.partition(" ")[0],
                label=f"{doc.partition(' ')[0].capitalize()} of dumbbell {body}",
            )
            for body in "12"
            for letter, doc in (("m", "mass"), ("l", "length from sphere to sphere"))
        ),
    ),
    settle=settle_dumbbells,
)
register(dumbbells, {case: dumbbells.replace(case=case) for case in CASES})


def _make_heap(mass: float, size: float, phase: float) -> Masses:
    """Forty equal masses in an irregular ellipsoid with axes size, 0.8 size and 0.6 size."""
    i = np.arange(40) + 0.5
    z = 1.0 - i / 20.0
    turn = phase + i * np.pi * (3.0 - np.sqrt(5.0))
    directions = np.column_stack(
        [np.sqrt(1.0 - z**2) * np.cos(turn), np.sqrt(1.0 - z**2) * np.sin(turn), z]
    )
    depth = np.cbrt(0.05 + 0.95 * ((0.618034 * i) % 1.0))
    reach = (
        0.5 * size * depth * (1.0 + 0.2 * np.sin(3.0 * directions[:, 0] + directions[:, 1] + phase))
    )
    return Masses(np.full(40, mass / 40), reach[:, None] * directions * (1.0, 0.8, 0.6))


register(
    TwoBodies(
        key="two-bodies",
        name="Your own two bodies",
        aliases=("binary asteroid",),
        summary=sentence(
            "A pair of irregular bodies of [forty point masses each]. Replace them by your own: body1 and body2 "
            "accept any masses, and engine.twobody.fill makes masses from a mesh.",
            near("masses of a body", 40, of="LGVI"),
        ),
        body1=_make_heap(1.0, 0.4, 0.0),
        body2=_make_heap(2.0, 0.6, 1.0),
        G=1.0 / 3.0,
        X=(1.5, 0.0, 0.2),
        V=(0.0, 0.8, 0.0),
        Omega1=(0.5, 0.3, 1.5),
        Omega2=(0.1, 0.4, 1.0),
        dt=0.01,
        duration=50.0,
        reference=bibtex("LeeLeokMcClamroch2007a"),
    )
)
