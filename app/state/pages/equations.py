"""Equations of methods and lessons: LaTeX as MathML, which a browser shows without a script."""

from __future__ import annotations

import functools
import inspect
import re

from math_core import LatexError, LatexToMathML


@functools.lru_cache(maxsize=1)
def _converter() -> LatexToMathML:
    return LatexToMathML(fancy_error=False, max_expansions=20)


@functools.lru_cache(maxsize=256)
def mathml(latex: str, display: bool = True) -> str:
    """Return LaTeX as MathML, with left-aligned rows; a `ValueError` if it cannot be read."""
    rows = inspect.cleandoc(latex)
    if r"\\" in rows and r"\begin" not in rows:
        rows = r"\begin{aligned}" + re.sub(r"(^|\\\\)", r"\1 & ", rows) + r"\end{aligned}"
    try:
        return _converter().convert_with_local_state(rows, displaystyle=display)
    except LatexError as error:
        raise ValueError(str(error).partition(": ")[2].strip()) from error
