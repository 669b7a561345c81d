"""Explicit Runge–Kutta tableaux, and chains of their stages.

DOP853's tableau is that of Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I (1993), as in their
Fortran code and SciPy; it contains the method of order eight, without its estimates of the error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ...algebra import Mat3, Quat, Vec3, Weights, Zero3, combination
from ...parameters.parameter import OneOf, Parameter


@dataclass(frozen=True)
class Tableau:
    """An explicit Runge–Kutta tableau: rows of a, weights b; the nodes c are the sums of the rows."""

    order: int
    a: tuple[tuple[float, ...], ...]
    b: tuple[float, ...]
    name: str = ""

    @property
    def c(self) -> tuple[float, ...]:
        """The nodes."""
        return tuple(float(sum(row)) for row in self.a)


DOP853 = Tableau(
    8,
    (
        (),
        (0.05260015195876773,),
        (0.0197250569845379, 0.0591751709536137),
        (0.02958758547680685, 0.0, 0.08876275643042054),
        (0.2413651341592667, 0.0, -0.8845494793282861, 0.924834003261792),
        (0.037037037037037035, 0.0, 0.0, 0.17082860872947386, 0.12546768756682242),
        (0.037109375, 0.0, 0.0, 0.17025221101954405, 0.06021653898045596, -0.017578125),
        (0.03709200011850479, 0.0, 0.0, 0.17038392571223998, 0.10726203044637328, -0.015319437748624402,
         0.008273789163814023),
        (0.6241109587160757, 0.0, 0.0, -3.3608926294469414, -0.868219346841726, 27.59209969944671,
         20.154067550477894, -43.48988418106996),
        (0.47766253643826434, 0.0, 0.0, -2.4881146199716677, -0.590290826836843, 21.230051448181193,
         15.279233632882423, -33.28821096898486, -0.020331201708508627),
        (-0.9371424300859873, 0.0, 0.0, 5.186372428844064, 1.0914373489967295, -8.149787010746927,
         -18.52006565999696, 22.739487099350505, 2.4936055526796523, -3.0467644718982196),
        (2.273310147516538, 0.0, 0.0, -10.53449546673725, -2.0008720582248625, -17.9589318631188,
         27.94888452941996, -2.8589982771350235, -8.87285693353063, 12.360567175794303, 0.6433927460157636),
    ),
    (0.054293734116568765, 0.0, 0.0, 0.0, 0.0, 4.450312892752409, 1.8915178993145003, -5.801203960010585,
     0.3111643669578199, -0.1521609496625161, 0.20136540080403034, 0.04471061572777259),
    "Dormand–Prince, order 8",
)  # fmt: skip
"""The eighth-order method of DOP853, of twelve stages, to the digits of a double."""
TABLEAUX = {
    "euler": Tableau(1, ((),), (1.0,), "Euler"),
    "midpoint": Tableau(2, ((), (1 / 2,)), (0.0, 1.0), "midpoint"),
    "heun": Tableau(2, ((), (1.0,)), (1 / 2, 1 / 2), "Heun"),
    "kutta3": Tableau(3, ((), (1 / 2,), (-1.0, 2.0)), (1 / 6, 2 / 3, 1 / 6), "Kutta, order 3"),
    "rk4": Tableau(
        4, ((), (1 / 2,), (0.0, 1 / 2), (0.0, 0.0, 1.0)), (1 / 6, 1 / 3, 1 / 3, 1 / 6), "classical, order 4"
    ),
    # Butcher's sixth-order tableau of seven stages.
    "butcher6": Tableau(
        6,
        (
            (),
            (1 / 3,),
            (0.0, 2 / 3),
            (1 / 12, 1 / 3, -1 / 12),
            (-1 / 16, 9 / 8, -3 / 16, -3 / 8),
            (0.0, 9 / 8, -3 / 8, -3 / 4, 1 / 2),
            (9 / 44, -9 / 11, 63 / 44, 18 / 11, 0.0, -16 / 11),
        ),
        (11 / 120, 0.0, 27 / 40, 27 / 40, -4 / 15, -4 / 15, 11 / 120),
        "Butcher, order 6",
    ),
    "dop853": DOP853,
}

End = tuple[Mat3 | Quat | Vec3, Vec3 | Zero3]
"""The result of a step: its end state, or the sums h Σ bᵢ Kᵢ and h Σ bᵢ Lᵢ."""
Stage = Callable[..., End]
"""(body, t, h, X, Y, K, L) → the result of the step from the state X, Y at its start; K, L are the slopes so far."""


def chain_stages(
    tableau: Tableau, first: Callable[[Stage], Stage], later: Callable[..., Stage], last: Callable[[Weights], Stage]
) -> Callable[..., End]:
    """The stages of a step, from the state at its start.

    first, later : make the stage at the start of the step, and any later one from its row of a and its node. A stage
        appends its slopes to K and L and calls the next stage, which is the last argument.
    last : makes the end of the step from the weights b.
    """
    chain = last(Weights(tableau.b))
    for row, c in reversed(list(zip(tableau.a, tableau.c, strict=True))):
        chain = later(Weights(row), c, chain) if row else first(chain)

    def stages(body: Any, t: float, h: float, X: Any, Y: Any) -> End:
        return chain(body, t, h, X, Y, (), ())

    return stages


def tableau_option(first: Callable[[Stage], Stage], later: Callable[..., Stage], default: str) -> Parameter:
    """The option for the tableau of a method; its value is a function that returns h Σ bᵢ Kᵢ and h Σ bᵢ Lᵢ."""
    steps = {key: chain_stages(tableau, first, later, sum_slopes) for key, tableau in TABLEAUX.items()}
    kind = OneOf(steps, {key: tableau.name for key, tableau in TABLEAUX.items()})
    return Parameter("tableau", kind, "the Runge–Kutta tableau", default, label="Tableau")


def promise_tableau(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """Order and cost of the chosen tableau; nothing else than declared if none is chosen."""
    if "tableau" not in chosen:
        return {}
    tableau = TABLEAUX[chosen["tableau"]]
    return {"order": (tableau.order, tableau.order), "torque_evaluations": len(tableau.b)}


def sum_slopes(b: Weights) -> Stage:
    """The end of a step: the sums of the slopes."""

    def sums(body: Any, t: float, h: float, X: Any, Y: Any, K: Any, L: Any) -> End:
        return h * combination(b, K), h * combination(b, L)

    return sums
