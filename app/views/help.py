"""Help: what the page is for in three steps, and the keys."""

from __future__ import annotations

import panel as pn
import panel_material_ui as pmui

STEPS = """
1. **Choose** a problem and up to four methods on the left, and drag Δt. Everything on the page follows.
2. **Look** at what each method keeps and what it loses: in the plots, in the table below them, and in the scene,
   {seen}.
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
    """A dialog that `?` opens; `seen` are words for what there is to see in the scene."""

    def __init__(self, seen: str) -> None:
        self._seen = seen
        self.panel = pmui.Dialog(
            title="Polhode in three steps",
            close_on_click=True,
            show_close_button=True,
            open=False,
        )

    def toggle(self) -> None:
        """Open it, or close it; what it says is in the page from the first time on that it is read."""
        if not self.panel.objects:
            self.panel.objects = [pn.pane.Markdown(STEPS.format(seen=self._seen) + KEYS, sizing_mode="stretch_width")]
        self.panel.open = not self.panel.open
