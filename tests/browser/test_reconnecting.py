"""After the server restarts, the page reconnects automatically and keeps the choice."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

import pytest
from conftest import PATIENCE, ROOT, START, THERE

expect = pytest.importorskip("playwright.sync_api").expect

SERVE = "import sys; from app.server.serve import main; sys.exit(main(port=int(sys.argv[1]), show=False, warm=False))"


@contextmanager
def served(port: int = 0) -> Iterator[int]:
    """The port of a separate server, which the test can stop; 0 is any that is free."""
    command = [sys.executable, "-c", SERVE, str(port)]
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    process = subprocess.Popen(
        command, env=os.environ | {"PYTHONPATH": path}, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        (found,) = re.findall(r"http://localhost:(\d+)", process.stdout.readline())
        yield int(found)
    finally:
        process.terminate()
        process.wait(PATIENCE / 1000)
        process.stdout.close()


@pytest.mark.exhaustive
def test_after_a_restart_of_the_server_the_page_is_as_it_was(context: Any) -> None:
    page = context.new_page()
    page.goto("about:blank")
    with served() as port:
        page.goto(f"http://localhost:{port}?{urlencode(START)}")
        page.wait_for_function(THERE)
        page.get_by_role("textbox", name="Δt", exact=True).fill("0.25")
        page.keyboard.press("Enter")
        page.wait_for_url("**dt=0.25*")
    lost = page.get_by_role("alert").filter(
        has_text="The connection to the server is lost; your choice is kept."
    )
    expect(lost).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_text("Next try in").or_(page.get_by_text("Trying …"))).to_be_visible()
    with served(port):
        expect(lost).to_be_hidden(timeout=PATIENCE)
        page.wait_for_function(f"() => ({THERE})() && window.polhode.choice.dt === 0.25")
        assert page.evaluate("() => window.polhode.choice.methods") == START["methods"].split(",")
        page.close()
