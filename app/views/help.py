"""Help: what the page is for in three steps, and the keys."""

from __future__ import annotations

import panel as pn
import panel_material_ui as pmui

STEPS = """
1. **Choose** a problem and up to four methods on the left, and drag Δt. Everything on the page follows.
2. **Look** at what each method keeps and what it loses: in the plots, in the table below them, and in the scene,
   where the dots are where a method puts the body and the curve is where it should be.
3. **Take it along**: a link, the same in Python, the data, or a page to show offline.
"""
KEYS = """
| key | |
| --- | --- |
| `?` | this help |
| `Ctrl+Z`, `Ctrl+Shift+Z` | undo, redo |
| `Space` | play and pause, with the scene in focus |
| `←` `→`, `Home` `End` | step by step, to the start, to the end |
| drag, wheel, double click | turn the scene, come nearer, as it was |
"""


class Help:
    """A dialog that `?` opens."""

    def __init__(self) -> None:
        self.panel = pmui.Dialog(
            title="Polhode in three steps",
            close_on_click=True,
            show_close_button=True,
            open=False,
        )

    def toggle(self) -> None:
        """Open it, or close it; what it says is in the page from the first time on that it is read."""
        if not self.panel.objects:
            self.panel.objects = [pn.pane.Markdown(f"{STEPS}\n{KEYS}", sizing_mode="stretch_width")]
        self.panel.open = not self.panel.open
