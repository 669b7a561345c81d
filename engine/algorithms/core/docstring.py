"""The description of a method in the docstring of its step.

The first paragraph is the summary, `.. math::` has the equations, and a list says why the method
behaves as it does. Parts of these sentences that state something measurable are in brackets; the
declaration has evidence for each (`engine.text.evidence`).
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any

from ...text.evidence import Proof, prove

MATH = ".. math::"


def read_docstring(step: Callable[..., Any], evidence: Sequence[Proof]) -> dict[str, Any]:
    """The summary, the equations and the reasons in a docstring, with their evidence."""
    summary, *others = re.split(r"\n\n", inspect.getdoc(step) or "")
    equations = next((part.removeprefix(MATH) for part in others if part.startswith(MATH)), "")
    items = "\n".join(part for part in others if part.startswith("- "))
    why = re.split(r"^- ", items, flags=re.MULTILINE)[1:]
    summary, *why = prove([" ".join(text.split()) for text in (summary, *why)], evidence)
    written = {"equations": inspect.cleandoc(equations)} if equations else {}
    return written | {"summary": summary, "why": tuple(why)}
