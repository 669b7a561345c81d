"""Sets of radio buttons in a row: tabs, and switches as small as they can be."""

from __future__ import annotations

from typing import Any, ClassVar

import param
from panel.custom import JSComponent

from ..player import ASSETS, component

__all__ = ["Switches"]
assert component  # Its import has the files of assets/ served.

STYLE = """
:host { display: block; --line: color-mix(in srgb, currentColor 25%, transparent); }
.sets { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 10px; padding: 0 12px;
  font: 13px/1.4 var(--bokeh-base-font, sans-serif); color: var(--panel-on-surface-color, inherit); }
label { cursor: pointer; white-space: nowrap; position: relative; }
label:has(:focus-visible) { outline: 2px solid var(--panel-primary-color, currentColor); outline-offset: -2px; }
input { position: absolute; opacity: 0; inset: 0; margin: 0; cursor: pointer; }
[hidden] { display: none !important; }
.tabs { display: flex; flex: 1; }
.tabs label { padding: 10px 12px 8px; border-bottom: 2px solid transparent; }
.tabs label:first-child { margin-left: -12px; }
.tabs label:has(:checked) { border-color: currentColor; color: var(--panel-primary-color, inherit);
  text-shadow: .4px 0 currentColor; }
.with-name { display: flex; align-items: center; font-size: 12px; }
.with-name span { opacity: .8; margin-right: 8px; }
:is(.switch, .named) { display: flex; border: 1px solid var(--line); border-radius: 6px; overflow: hidden;
  font-size: 12px; }
:is(.switch, .named) label { padding: 2px 8px; }
:is(.switch, .named) label + label { border-left: 1px solid var(--line); }
:is(.switch, .named) label:has(:checked) { background: color-mix(in srgb, currentColor 12%, transparent); }
"""


class Switches(JSComponent):
    """Sets of radio buttons; each is (name, what it is about, what can be chosen, how it looks).

    It looks like "tabs", a "switch", or is "named": a switch with its name beside it.
    """

    sets = param.List(doc="The sets.")
    chosen = param.List(doc="What is chosen of each.")
    useful = param.List(doc="Names of those that do something as things stand; the others are hidden.")
    pictures = param.List(doc="Models of figures, each with its words for those who do not see it.")

    _bundle = ASSETS / "switches.js"
    _stylesheets: ClassVar[list[str]] = [STYLE]

    def __init__(self, **params: Any) -> None:
        if "sets" in params:
            params.setdefault("useful", [name for name, *_ in params["sets"]])
        super().__init__(**params)
