"""Scenes as the browser makes them: assets/scene.js, carried out by Node."""

from __future__ import annotations

import base64
import json
import subprocess
from typing import Any

import numpy as np
import pytest

from app.bundle import ASSETS, joined
from benchmarks.node import executable

ANSWER = """
const pieces = [];
for await (const piece of process.stdin) pieces.push(piece);
const said = JSON.parse(Buffer.concat(pieces), (_, value) =>
    value?.numbers ? Float64Array.from(value.numbers) : value?.bytes ? Buffer.from(value.bytes, "base64") : value);
const answer = await (async said => { %s })(said);
console.log(JSON.stringify(answer, (_, value) => (ArrayBuffer.isView(value) ? [...value] : value)));
"""


def answered(body: str, **said: Any) -> Any:
    """What a function's body in JavaScript returns, with the names of assets/scene.js and what is `said`."""
    return json.loads(carried_out(joined(ASSETS / "scene.js") + ANSWER % body, json.dumps(said, default=_told)))


def carried_out(text: str, given: str = "") -> str:
    """What a module in JavaScript writes."""
    node = executable() or pytest.skip("there is no Node here: pip install playwright")
    done = subprocess.run(
        [node, "--input-type=module", "-e", text], input=given, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def scene_of(packed: bytes) -> dict[str, Any]:
    """The scene of what the player is given."""
    scene: dict[str, Any] = answered(
        "const {facts, motions} = given(said.packed); return sceneOf(facts, motions);", packed=packed
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
