"""The result of a study: a table, a conclusion and a chart."""

from __future__ import annotations

import functools
import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any, ClassVar

from ...algorithms import name_methods
from ...algorithms.core.method import Method, find_method
from ...problems.problem import AnyProblem
from .charts import Chart, Frame, Plot, draw_by_method

LONGEST_LINE = 300
"""Characters of a conclusion in a console."""


def frame_of(rows: Iterable[Any], kind: Any) -> Frame:
    """Return a pandas table of dataclasses of one kind, which gives the columns where there are no
    rows.
    """
    import pandas as pd

    return pd.DataFrame([vars(row) for row in rows], columns=list(kind.__dataclass_fields__))


def name_in_sentences(methods: Iterable[str | Method], space: str) -> dict[str, str]:
    """Return the names of methods on screen by their given names, with what follows a comma in
    parentheses.
    """
    names = name_methods(methods, space=space)
    return {given: re.sub(", (.+)", r" (\1)", name) for given, name in names.items()}


def recognise(method: str | Method, given: Sequence[str], space: str) -> str:
    """The one of these given names that means a method: its own, or else one of the same rule."""
    asked = find_method(method, space=space)
    namesakes = (one for one in given if find_method(one, space=space).label == asked.label)
    return asked.given_name if asked.given_name in given else next(namesakes, asked.given_name)


def call_by_names(frame: Frame, space: str) -> Frame:
    """Return rows whose methods have their names on screen."""
    if "method" not in frame:
        return frame
    names = name_methods(frame["method"].unique(), space=space)
    return frame.assign(method=frame["method"].map(names))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class StudyResult:
    """What a study measured. A notebook shows the table and the conclusion, a console the
    conclusion.

    Attributes
    ----------
    problem : what was simulated.
    finished : False if the study was cancelled.
    left_out : methods that were not measured, each with the reason.
    table : the name of the field with the rows, and the dataclass of a row.
    plots : frames with a curve of two columns for each method.
    endings : of the files that it can be saved as.
    """

    problem: AnyProblem
    finished: bool = True
    left_out: dict[str, str] = field(default_factory=dict)
    table: ClassVar[tuple[str, Any]]
    plots: ClassVar[tuple[Plot, ...]] = ()
    endings: ClassVar[tuple[str, ...]] = (".csv",)

    @classmethod
    def wrap(cls, found: Any, problem: str | AnyProblem) -> StudyResult:
        """Return the result of a study whose function returns `found` of a problem."""
        return found

    @classmethod
    def draw_chart(cls, frame: Frame) -> Chart:
        """Draw `chart_frame()`, or the rows that have come so far while the study runs."""
        return draw_by_method(frame, cls.plots)

    @classmethod
    def draw_rows(cls, frame: Frame, problem: AnyProblem) -> Chart:
        """Draw rows of a problem, whose methods have their names on screen."""
        return cls.draw_chart(call_by_names(frame, problem.space))

    def to_frame(self) -> Frame:
        """Return the rows as a pandas table."""
        return frame_of(*self._rows())

    def save(self, path: Path) -> None:
        """Save the rows as CSV."""
        self.to_frame().to_csv(path, index=False)

    def summary_frame(self) -> Frame:
        """Return the table that the shell prints."""
        return self.to_frame()

    def chart_frame(self) -> Frame:
        """Return the table that the chart shows."""
        return self.summary_frame()

    @property
    def chart(self) -> Chart:
        """The frames, curves and images."""
        return self.draw_rows(self.chart_frame(), self.problem)

    @property
    def conclusion(self) -> str:
        """What the measurements show, in sentences."""
        return " ".join(map(self._conclude, self.methods))

    @property
    def summary(self) -> str:
        """The conclusion, without what the legend of the chart says."""
        return self.conclusion

    def _conclude(self, method: str) -> str:
        """Say in short sentences what the measurements of one method show."""
        raise NotImplementedError

    @property
    def methods(self) -> tuple[str, ...]:
        """The given names of the methods of the rows."""
        return tuple(dict.fromkeys(row.method for row in self._rows()[0]))

    @functools.cached_property
    def names(self) -> dict[str, str]:
        """The names in sentences of the methods of the rows, by their given names."""
        return name_in_sentences(self.methods, self.problem.space)

    @property
    def reasons(self) -> dict[str, str]:
        """Why methods were left out, by their names on screen."""
        names = name_in_sentences(self.left_out, self.problem.space)
        return {names[label]: reason for label, reason in self.left_out.items()}

    def of(self, method: str | Method) -> tuple[Any, ...]:
        """Return the rows of one method."""
        name = recognise(method, self.methods, self.problem.space)
        return tuple(row for row in self._rows()[0] if row.method == name)

    def _rows(self) -> tuple[tuple[Any, ...], Any]:
        name, kind = self.table
        return getattr(self, name), kind

    def __repr__(self) -> str:
        said = textwrap.shorten(self.conclusion, LONGEST_LINE, placeholder=" …")
        return f"<{type(self).__name__} on {self.problem.label}: {said or 'nothing was measured'}>"

    def _repr_html_(self) -> str:
        return (
            f"{self.to_frame().to_html(max_rows=20, index=False)}<p>{escape(self.conclusion)}</p>"
        )
