"""Lee, Leok and McClamroch's Figures 2 and 3, computed anew, with the dumbbells of the problem
`dumbbells`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..exact import Cancelled
from ..studies.core.charts import Axes, Axis, Curve
from ..studies.full_body import METHODS, full_body
from .claim import Bench
from .figure import figure
from .shared_measures import downsample

CASES = ("DB4", "DB1")
VIEWS = {"from above": (0, 1), "from the side": (0, 2)}
STEP = Axis("h", log=True)


@figure(
    key="lee-figure-2",
    axes=tuple(
        Axes(Axis("x"), Axis("xyz"[up]), f"{case}, {view}")
        for case in CASES
        for view, (_, up) in VIEWS.items()
    ),
    count=2 * len(CASES) * len(VIEWS),
)
def figure_2(bench: Bench) -> Iterator[Curve]:
    """Each tenth step."""
    for i, case in enumerate(CASES):
        run = bench.simulate_pair(case, "LGVI", every=10)
        for j, (across, up) in enumerate(VIEWS.values()):
            for name, x in (("body 1", run.x1), ("body 2", run.x2)):
                yield Curve(name, x[:, across], x[:, up], plot=i * len(VIEWS) + j)


@figure(
    key="lee-figure-3",
    axes=(
        Axes(Axis("t"), Axis("energy"), "(a) energy"),
        Axes(STEP, Axis("mean |E − E(0)|", log=True), "(b) energy error"),
        Axes(STEP, Axis("mean ‖RᵀR − 1‖", log=True), "(c) orthogonality error"),
        Axes(STEP, Axis("seconds", log=True), "(d) processor time"),
    ),
    count=4 * len(METHODS),
)
def figure_3(bench: Bench) -> Iterator[Curve]:
    """By `engine.studies.full_body` on DB4, one method after the other; times are the least of
    three runs.
    """
    for method in METHODS:
        study = full_body("DB4", [method], cancel=bench.cancel)
        if not study.finished:
            raise Cancelled
        yield downsample(method, *study.energy[method])
        for plot, what in enumerate(("energy", "orthogonality", "seconds"), 1):
            timed = what == "seconds"
            yield Curve(method, *study.series(method, what), plot=plot, marks=True, timed=timed)
