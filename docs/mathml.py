"""Equations as MathML, converted while the pages are built, so that browsers need no script and no
request.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from math_core import LatexToMathML
from sphinx.application import Sphinx

_convert = LatexToMathML().convert_with_local_state


def mathml(latex: str, display: bool) -> str:
    """Convert LaTeX to MathML; a double backslash ends a row."""
    rows = rf"\begin{{gathered}}{latex}\end{{gathered}}" if r"\\" in latex else latex
    return _convert(rows, displaystyle=display)


def _inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(mathml(node.astext(), display=False))
    raise nodes.SkipNode


def _block(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="equation">{mathml(node.astext(), display=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer `mathml` with Sphinx."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
