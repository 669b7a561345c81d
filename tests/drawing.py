"""Scenes as the browser builds them: scripts of assets/js, run by Node."""

from __future__ import annotations

import base64
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.asset_files import bundle_script
from benchmarks.node import executable

ENTRY = Path(__file__).with_name("drawing.js")
PAINTING = ENTRY.with_name("painting.js")
ELEMENTS = """
const nothing = () => {};
const element = () => ({
    style: {}, children: [], classList: {add: nothing, remove: nothing}, append: nothing, after: nothing,
    remove: nothing, addEventListener: nothing, setAttribute: nothing, replaceChildren: nothing,
    appendChild: child => child,
});
const document = Object.assign(element(), {createElement: element, documentElement: element()});
class Observer { observe() {} disconnect() {} }
Object.assign(globalThis, {
    document, window: globalThis, addEventListener: nothing, ResizeObserver: Observer, IntersectionObserver: Observer,
    matchMedia: () => ({matches: false, addEventListener: nothing}),
    getComputedStyle: () => ({color: "rgb(0, 0, 0)"}), location: {search: ""},
    requestAnimationFrame: () => 0, cancelAnimationFrame: nothing,
});
"""
ANSWER = """
const pieces = [];
for await (const piece of process.stdin) pieces.push(piece);
const said = JSON.parse(Buffer.concat(pieces), (_, value) =>
    value?.numbers ? Float64Array.from(value.numbers) : value?.bytes ? Buffer.from(value.bytes, "base64") : value);
const answer = await (async said => { %s })(said);
console.log(JSON.stringify(answer, (_, value) => (ArrayBuffer.isView(value) ? [...value] : value)));
"""


def answered(body: str, **said: Any) -> Any:
    """Return the result of a JavaScript function body with the names of drawing.js and the values
    `said`.
    """
    return json.loads(
        carried_out(bundle_script(ENTRY) + ANSWER % body, json.dumps(said, default=_told))
    )


def painted(body: str, **said: Any) -> Any:
    """Return the result of a JavaScript function body with the names of painting.js and the values
    `said`.
    """
    script = ELEMENTS + bundle_script(PAINTING) + ANSWER % body + "process.exit();"
    return json.loads(carried_out(script, json.dumps(said, default=_told)))


def carried_out(text: str, given: str = "") -> str:
    """Return what a JavaScript module prints."""
    node = executable() or pytest.skip("there is no Node here: pip install playwright")
    with tempfile.NamedTemporaryFile("w", suffix=".mjs", encoding="utf-8") as script:
        script.write(text)
        script.flush()
        done = subprocess.run(
            [node, script.name], input=given, capture_output=True, encoding="utf-8", check=False
        )
    assert done.returncode == 0, done.stderr
    return done.stdout


def scene_of(packed: bytes) -> dict[str, Any]:
    """Return the scene of the player's data."""
    scene: dict[str, Any] = answered(
        "const {facts, motions} = readMotions(said.packed); return buildScene(facts, motions);",
        packed=packed,
    )
    for track in scene["tracks"]:
        for name, width in {"t": 1, "q": 4, "Omega": 3, "x": 3}.items():
            if name in track:
                track[name] = np.reshape(track[name], (-1, width) if width > 1 else -1)
    return scene


def _told(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return {"numbers": np.ravel(value).tolist()}
    return {"bytes": base64.b64encode(value).decode()}
