"""Words under a picture."""

from __future__ import annotations

from .sheet import Sheet


def caption(height: int) -> Sheet:
    """A place for words, of at least this height; new words lay out no more than themselves."""
    return Sheet(style="caption", styles={"min-height": f"{height}px"}, margin=0)
