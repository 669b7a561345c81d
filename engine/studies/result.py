"""What all results of studies have in common: how they are shown."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar

from ..problems.problem import Posed

if TYPE_CHECKING:
    import pandas as pd

LONGEST_LINE = 300
"""Characters of a conclusion that a line shows."""


def table_of(rows: Iterable[Any], kind: Any) -> pd.DataFrame:
    """A pandas table with a row for each of these dataclasses; with none it has the columns of their kind."""
    import pandas as pd

    return pd.DataFrame([vars(row) for row in rows], columns=list(kind.__dataclass_fields__))


class Result:
    """What a study found, with a table and a conclusion; a notebook shows both, a console the conclusion.

    `finished` is False if it was cancelled.
    """

    problem: Posed
    table: ClassVar[tuple[str, Any]]
    """The field that has the rows of the table, and the dataclass that they are of; else `to_frame` is its own."""

    def to_frame(self) -> pd.DataFrame:
        """A pandas table of what was measured."""
        field, kind = self.table
        return table_of(getattr(self, field), kind)

    def omitted(self) -> Mapping[str, str]:
        """Methods that are not in it, each with the reason."""
        found: Mapping[str, str] = vars(self).get("left_out", {})
        return found

    def shown(self) -> pd.DataFrame:
        """The table that is printed."""
        return self.to_frame()

    def drawn(self) -> pd.DataFrame:
        """The table that is drawn."""
        return self.shown()

    @property
    def conclusion(self) -> str:
        """What comes of it, in sentences."""
        raise NotImplementedError

    @property
    def methods(self) -> tuple[str, ...]:
        """The labels of the methods of its rows."""
        return tuple(dict.fromkeys(row.method for row in getattr(self, self.table[0])))

    def __repr__(self) -> str:
        said = textwrap.shorten(self.conclusion, LONGEST_LINE, placeholder=" …")
        return f"<{type(self).__name__} on {self.problem.label}: {said or 'nothing was measured'}>"

    def _repr_html_(self) -> str:
        return f"{self.to_frame().to_html(max_rows=20, index=False)}<p>{escape(self.conclusion)}</p>"
