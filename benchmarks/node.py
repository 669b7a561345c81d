"""Node, to run the browser's scripts without a browser; requests and answers are lines of JSON."""

from __future__ import annotations

import base64
import functools
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from engine.export.webassembly import Module

ENGINE = Path(__file__).parents[1] / "assets" / "js" / "core" / "engine.js"
SCRIPT = Path(__file__).parent / "node.mjs"


@functools.cache
def executable() -> str | None:
    """Return Node of this machine, or the one in Playwright."""
    if found := shutil.which("node"):
        return found
    try:
        from playwright._impl._driver import compute_driver_executable
    except ImportError:
        return None
    return str(compute_driver_executable()[0])


class Node:
    """One process of Node."""

    def __init__(self) -> None:
        command = [executable(), str(SCRIPT), ENGINE.as_uri()]
        self._process = subprocess.Popen(
            command,  # type: ignore[arg-type]
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, *modules: Module, **question: Any) -> Any:
        """Return the answer; an error there raises one here."""
        packed = [{"code": base64.b64encode(m.code).decode(), "header": m.header} for m in modules]
        stdin = self._process.stdin
        stdout = self._process.stdout
        assert stdin is not None and stdout is not None
        stdin.write(json.dumps({"modules": packed, **question}) + "\n")
        stdin.flush()
        answer = json.loads(stdout.readline())
        if isinstance(answer, dict) and "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def close(self) -> None:
        """End the process."""
        self._process.communicate()
