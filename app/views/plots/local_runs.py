"""Runs in the browser while a person drags, by the same kernels as WebAssembly."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from typing import Any

import panel as pn
import param

from engine.parameters.validation import rotation_vector

from ...browser.component import Component
from ...compat.sessions import run_on_page
from ...demos.live import list_runs
from ...server.threads import make_threads
from ...state.choice import Choice
from ...state.results import Results

BUILDERS = make_threads("modules", 1)
"""A thread that builds modules, for all visitors."""


class LocalRuns(Component):
    """An invisible component that sends the kernels of the setting on screen when a person is about to drag.

    The browser then computes the plots and the picture during the drag, and the server when the drag rests.
    """

    setting = param.String(
        default='{"key": ""}',
        doc="""What is on screen, as JSON: `key`, the setting without what is dragged, or empty if browsers cannot
        compute it; `dt`, `duration` and `start`, which are dragged; `answers`, how often the server has computed.""",
    )
    kernels = param.String(default="", doc="The modules of a setting with its key, as JSON.")

    script = "controls/local-runs.js"

    def __init__(self, **params: Any) -> None:
        super().__init__(**({"width": 0, "height": 0, "margin": 0} | params))
        self._choice: Choice | None = None
        self._key = self._built = ""
        self._answers = 0

    def show(self, results: Results, can_draw: bool) -> None:
        """Take the setting of new results; `can_draw` says whether browsers can draw all that is on screen."""
        choice = self._choice = results.choice
        able = can_draw and choice.space == "so3" and not choice.adaptive and len(results.runs) == len(choice.methods)
        problem = results.problem
        fixed = {name: text for name, text in choice.write_changes().items() if name not in ("Omega0", "R0")}
        start = {"Omega0": problem.Omega0, "R0": rotation_vector(problem.R0)} if able else {}
        self._key = repr((choice.problem, fixed, choice.methods)) if able else ""
        self._answers += 1
        setting = {"key": self._key, "dt": choice.dt, "duration": choice.duration, "answers": self._answers}
        self.setting = json.dumps(setting | {"start": {name: vector.tolist() for name, vector in start.items()}})

    def _receive(self, data: Any) -> None:
        """Build the modules that the browser asks for."""
        if self._choice is not None and isinstance(data, dict) and data.get("wanted") == self._key != self._built:
            self._built = self._key
            pn.state.execute(partial(self._build, self._choice, self._key))

    async def _build(self, choice: Choice, key: str) -> None:
        try:
            kernels = await asyncio.get_running_loop().run_in_executor(BUILDERS, list_runs, choice)
        except ValueError:  # no browser can run them
            return
        await run_on_page(partial(setattr, self, "kernels", json.dumps({"key": key} | kernels)))
