"""The table of all methods: searched, filtered, sorted and compared in the browser, which has all of it at once."""

from __future__ import annotations

from typing import Any, ClassVar

import param

import engine

from ..component import ASSETS, Component
from ..model.catalogue import Shown, as_json
from .sheet import STYLE as SHEET_STYLE

__all__ = ["Catalogue"]

STYLE = """
.filters { display: flex; flex-wrap: wrap; gap: 10px 14px; align-items: end; padding: 12px 14px 10px; }
.field { display: flex; flex-direction: column; gap: 3px; font-size: 12px; }
.field.wide { flex: 1 1 220px; max-width: 360px; }
.field :is(input, select) { font: inherit; font-size: 13px; color: inherit; background: var(--paper);
  border: 1px solid var(--edge); border-radius: 6px; padding: 0 8px; height: 32px; box-sizing: border-box; min-width: 0; width: 100%; }
.toggles { display: flex; flex-wrap: wrap; gap: 6px; border: 0; margin: 0; padding: 0; min-width: 0; }
.toggles label { display: inline-flex; align-items: center; gap: 6px; height: 30px; padding: 0 11px 0 8px; border: 1px solid var(--edge);
  border-radius: 99px; cursor: pointer; white-space: nowrap; }
.toggles label:hover { background: var(--soft); }
.toggles label:has(:checked) { border-color: var(--accent); background: color-mix(in srgb, var(--accent) 12%, transparent); }
input[type=checkbox] { accent-color: var(--accent); width: 15px; height: 15px; margin: 0; cursor: pointer; }
input[type=checkbox]:disabled { cursor: not-allowed; }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 18px; padding: 0 14px 8px; }
.bar .count { font-weight: 600; font-variant-numeric: tabular-nums; }
.marks { display: flex; flex-wrap: wrap; gap: 2px 14px; font-size: 12px; margin: 0; padding: 0; list-style: none; }
.sheet a { color: var(--accent); }
.reading { font-size: 12px; padding: 0 14px 8px; }
.reading summary { cursor: pointer; width: max-content; }
.reading dl { display: grid; grid-template-columns: max-content minmax(0, 80ch); gap: 4px 14px; margin: 6px 0 4px; }
.reading dt { font-weight: 600; } .reading dd { margin: 0; }
.region { overflow: auto; max-height: max(360px, calc(100vh - 262px)); border-top: 1px solid var(--line); position: relative; }
.region:focus-visible { outline-offset: -2px !important; }
table { border-collapse: separate; border-spacing: 0; font-size: 13px; width: 100%; }
:is(th, td) { padding: 4px 8px; text-align: left; font-weight: 400; border-bottom: 1px solid var(--line); white-space: nowrap; position: relative; }
.methods thead { position: sticky; top: 0; z-index: 3; }
.methods thead :is(th, td) { background: var(--paper); }
.methods thead th { font-size: 12px; padding: 2px 3px; vertical-align: bottom; }
.methods thead .groups th { border-bottom: 0; padding: 5px 8px 0; font-weight: 500; opacity: 1; color: var(--faint); }
.methods thead .groups th[colspan] { text-align: center; }
.methods thead .groups th[colspan] span { margin: 0 6px; display: block; border-bottom: 1px solid var(--line); }
.methods :is(th, td).first { border-left: 1px solid var(--line); }
.sheet thead button { border: 0; padding: 4px 5px; font-weight: 600; width: 100%; text-align: inherit; border-radius: 4px; }
thead .mark button { text-align: center; } thead .number button { text-align: right; }
thead button::after { content: ""; display: inline-block; width: .9em; text-align: right; font-size: 9px; }
thead [aria-sort=ascending] button::after { content: "▲"; } thead [aria-sort=descending] button::after { content: "▼"; }
thead :is([aria-sort=ascending], [aria-sort=descending]) button { color: var(--accent); }
.methods :is(th[scope=row], .corner) { position: sticky; left: 0; background: var(--paper); z-index: 2; }
.methods th[scope=row] { border-right: 1px solid var(--line); }
.who { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0 9px; align-items: center; width: 250px; }
.sheet .who button { border: 0; padding: 1px 4px; margin: 0; text-align: left; min-width: 0; font-size: 13px; overflow: hidden; text-overflow: ellipsis; }
.who b { font-weight: 600; } .who button:hover b { text-decoration: underline; text-underline-offset: 3px; }
.who button span { display: block; font-size: 12px; color: var(--faint); overflow: hidden; text-overflow: ellipsis; }
.who .tick { display: grid; place-items: center; width: 24px; height: 24px; cursor: pointer; }
.methods tbody tr:hover :is(th, td) { background: color-mix(in srgb, var(--ink) 4%, var(--paper)); }
.methods tbody tr.open :is(th, td) { background: color-mix(in srgb, var(--accent) 11%, var(--paper)); }
td.mark { text-align: center; } td.number { text-align: right; font-variant-numeric: tabular-nums; }
td.family { white-space: normal; min-width: 84px; line-height: 1.25; }
td.order { font-variant-numeric: tabular-nums; }
td small { font-size: 11px; color: var(--faint); }
td.mark small { display: block; line-height: 1.1; white-space: normal; }
td.number small { display: inline-block; min-width: 2.6em; text-align: left; padding-left: 3px; }
td.order small { padding-left: 6px; }
.is-lost { color: var(--faint); } .is-kept b, .is-declared b { font-weight: 700; font-size: 14px; }
.is-wrong { font-weight: 700; text-decoration: underline wavy; }
.nobody { padding: 26px 14px; text-align: center; }
.comparison { border-top: 1px solid var(--line); padding: 12px 14px 14px; }
.comparison h2 { font-size: 15px; font-weight: 600; margin: 0; outline: 0; }
.comparison .head { display: flex; flex-wrap: wrap; gap: 6px 14px; align-items: center; margin-bottom: 8px; }
.comparison .scroll { overflow-x: auto; }
.comparison :is(th, td) { vertical-align: top; padding: 4px 14px 4px 0; white-space: normal; }
.comparison table { table-layout: fixed; --name: 190px; min-width: calc(var(--name) + var(--compared) * 118px); }
.comparison thead td { width: var(--name); box-sizing: border-box; }
.comparison td span { color: var(--faint); } .comparison thead b { display: block; font-weight: 600; }
.comparison thead span { font-size: 12px; color: var(--faint); }
.comparison th[scope=row] { color: var(--faint); }
.comparison tr.differs th[scope=row] { color: inherit; } .comparison tr.differs td b { font-weight: 600; }
.comparison td b { font-weight: 400; } .comparison td small { display: block; }
.comparison td b + i { font-style: normal; font-size: 12px; padding-left: 4px; }
.comparison .sign { display: inline-block; width: 1.3em; font-weight: 700; color: var(--accent); }
@container (max-width: 1150px) {
  .methods tbody :is(th, td) { padding-left: 5px; padding-right: 5px; } .methods thead th { padding-left: 0; padding-right: 0; }
  .who { width: 190px; } td.order small { display: block; padding: 0; white-space: nowrap; line-height: 1.1; }
}
@container (max-width: 599px) {
  .comparison table { --name: 104px; } .comparison :is(th, td) { padding-right: 8px; }
  .field { flex: 1 1 27%; } .field.wide { flex: 1 1 100%; max-width: none; }
  .who { width: 128px; gap: 0 4px; } .who button b { font-size: 12.5px; }
  .who button span { white-space: normal; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; line-height: 1.25; font-size: 11px; }
  .reading dl { grid-template-columns: 1fr; gap: 0; } .reading dd { margin-bottom: 6px; }
  .region { max-height: 70vh; }
}
.sheet { container-type: inline-size; --ink: var(--panel-on-surface-color, currentColor); --paper: var(--panel-surface-color, #fff); color: var(--ink);
  --edge: color-mix(in srgb, currentColor 45%, transparent); --faint: color-mix(in srgb, var(--ink) 76%, var(--paper)); }
[hidden] { display: none !important; }
"""  # noqa: E501


class Catalogue(Component):
    """The table; what is filtered, sorted, open and compared is in the page's address."""

    data = param.String(doc="The table and what is shown of it at first, as JSON.")
    opened = param.String(default="", doc="The key of the method whose card is open.")

    _bundle = ASSETS / "catalogue.js"
    _stylesheets: ClassVar = [SHEET_STYLE, STYLE]

    def __init__(self, shown: Shown, **params: Any) -> None:
        super().__init__(data=as_json(shown), opened=shown.open, sizing_mode="stretch_width", **params)

    def takes(self, name: str, value: Any) -> bool:
        """The method whose card was opened, if any."""
        return name == "opened" and value in ("", *(method.key for method in engine.algorithms()))
