"""A session as a browser sends it; `python tests/faults/recording.py` records it again in
Chromium.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SESSION = HERE.parent / "data" / "session.json"
"""The contents of its messages; each model is named by its kind and its number within that kind."""


def number_models(document: Any) -> dict[str, str]:
    """Return the models of a document by their kind and their number within that kind, as `Switches
    3`.
    """
    from benchmarks.page import models

    seen: Counter[str] = Counter()
    found = {}
    for model in models(document):
        kind = model["attributes"].get("class_name") or model.get("name") or model.get("type")
        found[f"{kind} {seen[kind]}"] = str(model["id"])
        seen[kind] += 1
    return found


def rename_models(content: Any, name: Callable[[str], str]) -> Any:
    """Return a message with its models renamed."""
    if isinstance(content, dict):
        return {
            key: name(value)
            if key == "id" and isinstance(value, str)
            else rename_models(value, name)
            for key, value in content.items()
        }
    return [rename_models(one, name) for one in content] if isinstance(content, list) else content


def record() -> list[Any]:
    """Visit the lab, and do what a visitor does."""
    from playwright.sync_api import sync_playwright
    from server_process import Server, start_server

    from tests.browser.conftest import CHROMIUM, FLAGS

    sent: list[Any] = []
    document: list[Any] = []

    def hear(frame: Any) -> None:
        if isinstance(frame, str) and frame.startswith('{"doc"'):
            document.append(json.loads(frame)["doc"])

    def note(frame: Any) -> None:
        if isinstance(frame, str) and frame.startswith('{"events"'):
            sent.append(json.loads(frame))

    with start_server("--no-warm", "--port", "0") as started, sync_playwright() as playwright:
        served = Server(started)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page()
        page.on(
            "websocket",
            lambda socket: (socket.on("framesent", note), socket.on("framereceived", hear)),
        )
        page.goto(f"http://localhost:{served.port}/")
        page.wait_for_function("() => window.polhode?.revision >= 1", timeout=120_000)
        for button in page.get_by_role("button").all()[:40]:
            if button.is_visible() and button.is_enabled():
                button.click(timeout=2_000, no_wait_after=True, force=True)
                page.wait_for_timeout(100)
                page.keyboard.press("Escape")
        for field in page.get_by_role("textbox").all()[:12]:
            if field.is_visible():
                field.fill("0.3")
                field.press("Enter")
        page.wait_for_timeout(1_000)
        browser.close()
    names = {key: name for name, key in number_models(document[0]).items()}
    different = {
        json.dumps(rename_models(one, lambda key: names.get(key, key))): None for one in sent
    }
    return [json.loads(one) for one in different]


if __name__ == "__main__":
    sys.path[:0] = [str(HERE.parent), str(HERE.parent / "app"), str(HERE.parents[1])]
    SESSION.write_text(
        "[\n" + ",\n".join(json.dumps(one) for one in record()) + "\n]\n", encoding="utf-8"
    )
