"""What all results of studies have in common: how they are shown."""

from __future__ import annotations

import textwrap
from html import escape
from typing import TYPE_CHECKING

from ..problems.problem import Posed

if TYPE_CHECKING:
    import pandas as pd

LONGEST_LINE = 300
"""Characters of a conclusion that a line shows."""


class Result:
    """What a study found, with a table and a conclusion; a notebook shows both, a console the conclusion."""

    problem: Posed

    def to_frame(self) -> pd.DataFrame:
        """A pandas table of what was measured."""
        raise NotImplementedError

    @property
    def conclusion(self) -> str:
        """What comes of it, in sentences."""
        raise NotImplementedError

    def __repr__(self) -> str:
        said = textwrap.shorten(self.conclusion, LONGEST_LINE, placeholder=" …")
        return f"<{type(self).__name__} on {self.problem.label}: {said or 'nothing was measured'}>"

    def _repr_html_(self) -> str:
        return f"{self.to_frame().to_html(max_rows=20, index=False)}<p>{escape(self.conclusion)}</p>"
