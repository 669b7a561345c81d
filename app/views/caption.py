"""Words under a picture."""

from __future__ import annotations

from bokeh.models import Div


def caption(height: int) -> Div:
    """A place for words, of at least this height. Bokeh's own: Panel's panes renew their styles with each text."""
    styles = {
        "font": "12px/1.5 var(--bokeh-base-font, sans-serif)",
        "opacity": "0.8",
        "min-height": f"{height}px",
        "padding": "2px 12px 8px",
        "box-sizing": "border-box",
    }
    return Div(styles=styles, sizing_mode="stretch_width", margin=0, disable_math=True)
