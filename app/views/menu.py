"""Menus that open below a button of a bar."""

STYLE = """
.opens { white-space: nowrap; vertical-align: top; min-height: 34px; }
.sheet .opens { border: 0; font-size: 13px; font-weight: 500; line-height: 1.6; padding: 5px 7px; border-radius: 6px; color: var(--accent); }
.sheet .opens:hover { background: color-mix(in srgb, var(--accent) 9%, transparent); }
.opens::after { content: ""; display: inline-block; margin-left: 8px; vertical-align: 2px; border: 4px solid transparent; border-top-color: currentColor; border-bottom: 0; }
.menu { position: fixed; inset: auto; margin: 0; padding: 6px; border: 1px solid var(--line); border-radius: 10px; width: 330px; max-width: 94vw; max-height: calc(100vh - 70px); overflow-y: auto; box-sizing: border-box; background: var(--panel-surface-color, Canvas); color: var(--panel-on-surface-color, CanvasText); box-shadow: 0 8px 28px #0004; }
.sheet .menu button { display: block; width: 100%; text-align: left; border: 0; padding: 7px 10px; font-size: 13px; white-space: normal; }
.menu h4 { margin: 10px 10px 2px; font-size: 11.5px; font-weight: 600; opacity: .72; }
.menu p { margin: 0; padding: 0 10px; font-size: 12px; }
.menu p:not(:empty) { padding: 6px 10px; }
@media (max-width: 599px) { .sheet .opens { padding: 5px 4px; font-size: 12px; } .opens::after { display: none; } }
@media (forced-colors: active) { .opens::after { forced-color-adjust: none; border-top-color: CanvasText; } }
"""  # noqa: E501
