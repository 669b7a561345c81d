"""Figures and tables of papers as data: the plotted quantities, computed anew, beside the paper's
own numbers.

A figure is declared around the function that computes it, which yields curves, and for a table its
cells. `count` is their number, for progress. The app draws them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..studies.core import Axes, Curve, Frame
from .claim import Bench, Claim, PaperItem, Progress, Value, read_words, run_measure


@dataclass(frozen=True)
class Cell:
    """A number that the paper prints in a table, beside the measured one; `why` explains one that
    does not hold.
    """

    row: str
    column: str
    paper: str
    measured: Value
    holds: bool
    why: str = ""


@dataclass(frozen=True)
class LabSetting:
    """The setting of the same runs in the lab: a problem, changed parameters, methods, step and
    duration.
    """

    problem: str
    methods: tuple[str, ...]
    dt: float
    duration: float
    parameters: Mapping[str, Any] = field(default_factory=dict)


Draw = Callable[[Bench], Iterator[Curve | Cell]]


@dataclass(frozen=True, eq=False)
class Figure(PaperItem):
    """A figure or a table.

    Attributes
    ----------
    title : its subject.
    plotted : what the paper plots, with which data.
    see : what the figure shows, in a sentence.
    axes : the frames of its plots.
    setting : the setting that shows the same in the lab, or on the page of two bodies.
    claims : the keys of the claims that it concerns.
    count : the number of curves and cells.
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
        """The methods of the setting."""
        return self.setting.methods

    def curves(
        self, progress: Progress | None = None, cancel: threading.Event | None = None
    ) -> Drawn:
        """Compute it; `progress` receives (curves and cells done, in all). If cancelled, those done
        so far.
        """
        found, seconds, finished = run_measure(self.by, self.count, cancel, progress)
        cells = tuple(item for item in found if isinstance(item, Cell))
        return Drawn(
            self, tuple(item for item in found if isinstance(item, Curve)), cells, seconds, finished
        )


@dataclass(frozen=True, eq=False)
class Drawn:
    """A computed figure: its curves, and the cells of a table."""

    figure: Figure
    curves: tuple[Curve, ...]
    cells: tuple[Cell, ...]
    seconds: float
    finished: bool = True

    def of(self, plot: int) -> tuple[Curve, ...]:
        """The curves of one plot."""
        return tuple(curve for curve in self.curves if curve.plot == plot)

    def to_frame(self) -> Frame:
        """A pandas table with a row for each point: plot, curve, x, y, and whether the paper prints
        it.
        """
        import pandas as pd

        frames = [
            pd.DataFrame(
                {
                    "plot": self.figure.axes[c.plot].name,
                    "curve": c.name,
                    "x": c.x,
                    "y": c.y,
                    "paper": c.paper,
                }
            )
            for c in self.curves
        ]
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=COLUMNS)

    def to_table(self) -> Frame:
        """A pandas table with a row for each cell: the printed and the measured value, and whether
        it holds.
        """
        import pandas as pd

        return pd.DataFrame([vars(cell) for cell in self.cells])


def read_texts(words: Mapping[str, Any]) -> dict[str, Any]:
    """Return the texts of a figure, with the claims and the setting for the lab that stand beside
    them.
    """
    found = {name: tuple(value) if name == "claims" else value for name, value in words.items()}
    if setting := words.get("setting"):
        found["setting"] = LabSetting(**setting | {"methods": tuple(setting["methods"])})
    return found


WORDS = {key: read_texts(words) for key, words in read_words("figures").items()}
COLUMNS = ["plot", "curve", "x", "y", "paper"]


def figure(
    shows: Claim | None = None, *, key: str = "", **declaration: Any
) -> Callable[[Draw], Figure]:
    """Declare a figure; the function below it computes the curves, and its docstring explains how.

    Its texts, setting and claims are declared here or in a file of `words`. A figure that `shows` a
    claim has the claim's key, paper and place unless it has others.
    """
    of_claim: dict[str, Any] = {}
    if shows is not None:
        key = key or shows.key
        of_claim = {"reference": shows.reference, "where": shows.where, "claims": (shows.key,)}
    return lambda by: Figure(key=key, by=by, **of_claim | WORDS.get(key, {}) | declaration)
