"""A figure or a table of a paper, as data: what was plotted, computed anew, beside the paper's own numbers.

A figure is declared around the function that computes it. The function yields curves, and for a table its cells;
`count` says how many, so that progress can be told. Nothing here draws.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..charts import Axes, Curve
from .claim import Bench, Claim, OfPaper, Progress, Value, collected

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Cell:
    """A number that the paper prints in a table, beside the one measured; `why` is said of one that does not hold."""

    row: str
    column: str
    paper: str
    measured: Value
    holds: bool
    why: str = ""


@dataclass(frozen=True)
class LabSetting:
    """What opens the same runs elsewhere: a problem, parameters that differ from its own, methods, step, duration."""

    problem: str
    methods: tuple[str, ...]
    dt: float
    duration: float
    parameters: Mapping[str, Any] = field(default_factory=dict)


Draw = Callable[[Bench], Iterator[Curve | Cell]]


@dataclass(frozen=True, eq=False)
class Figure(OfPaper):
    """A figure or a table.

    Attributes
    ----------
    title : what it is about.
    plotted : what the paper plots, with which data.
    see : what there is to see, in a sentence.
    axes : the frames of its plots.
    setting : what the lab, or the page of two bodies, is opened with, to see the same.
    claims : the keys of the claims that it bears on.
    count : how many curves and cells there are.
    """

    title: str
    plotted: str
    see: str
    axes: tuple[Axes, ...]
    setting: LabSetting
    claims: tuple[str, ...]
    count: int

    def __repr__(self) -> str:
        return f"<figure {self.key}: {self.title}>"

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that the lab is opened with."""
        return self.setting.methods

    def curves(self, progress: Progress | None = None, cancel: threading.Event | None = None) -> Drawn:
        """Compute it; `progress` is called with (curves and cells done, in all). If cancelled, what there is."""
        found, seconds, finished = collected(self.by, self.count, cancel, progress)
        cells = tuple(item for item in found if isinstance(item, Cell))
        return Drawn(self, tuple(item for item in found if isinstance(item, Curve)), cells, seconds, finished)


@dataclass(frozen=True, eq=False)
class Drawn:
    """A figure that was computed: its curves, and the cells of a table."""

    figure: Figure
    curves: tuple[Curve, ...]
    cells: tuple[Cell, ...]
    seconds: float
    finished: bool = True

    def of(self, plot: int) -> tuple[Curve, ...]:
        """The curves of one plot."""
        return tuple(curve for curve in self.curves if curve.plot == plot)

    def to_frame(self) -> pd.DataFrame:
        """A pandas table with a row for each point: the plot's name, the curve, x, y, and if the paper prints it."""
        import pandas as pd

        frames = [
            pd.DataFrame(
                {"plot": self.figure.axes[c.plot].name, "curve": c.name, "x": c.x, "y": c.y, "paper": c.paper}
            )
            for c in self.curves
        ]
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=COLUMNS)

    def to_table(self) -> pd.DataFrame:
        """A pandas table with a row for each cell: what the paper prints, what was measured, and whether it holds."""
        import pandas as pd

        return pd.DataFrame([vars(cell) for cell in self.cells])


COLUMNS = ["plot", "curve", "x", "y", "paper"]


def figure(shows: Claim | None = None, **declaration: Any) -> Callable[[Draw], Figure]:
    """Declare a figure; the function below computes it, and its docstring says how.

    That it `shows` a claim gives it the claim's key, paper and place, unless it is declared to have others.
    """
    if shows is not None:
        of_claim = {"key": shows.key, "reference": shows.reference, "where": shows.where, "claims": (shows.key,)}
        declaration = of_claim | declaration
    return lambda by: Figure(by=by, **declaration)
