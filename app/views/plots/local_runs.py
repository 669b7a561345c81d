"""Runs in the browser while a person drags, by the same kernels as WebAssembly."""

from __future__ import annotations

import asyncio
import functools
import json
from dataclasses import replace
from functools import partial
from typing import Any

import panel as pn
import param

from engine import web

from ...browser.component import Component
from ...compat.sessions import run_on_page
from ...demos.live import list_runs
from ...server.http import Kernels
from ...server.threads import make_threads
from ...state.choice import Choice
from ...state.results import Results

BUILDERS = make_threads("modules", 1)
"""A thread that builds modules, for all visitors."""


@functools.lru_cache(maxsize=64)
def build_once(choice: Choice, colours: tuple[str, ...]) -> dict[str, Any]:
    """Build the modules of a setting once for all visitors; without code, if the server sends that by its key."""
    runs = list_runs(choice, colours)
    lines = [*runs["lines"], *filter(None, [runs["reference"]])]
    for module in [runs["beginning"], *(line["module"] for line in lines if line["module"])]:
        if Kernels.offered and web.load(module["key"]) is not None:
            del module["code"]
    return runs


class LocalRuns(Component):
    """An invisible component that sends the kernels of the setting on screen when a person is about to drag.

    The browser then computes the plots and the picture during the drag, and the server when the drag rests.
    """

    setting = param.String(
        default='{"key": ""}',
        doc="""What is on screen, as JSON: `key`, the setting without what a person changes, or empty if browsers
        cannot compute it; `dt`, `duration` and `given`, the problem's numbers by name; `answers`, how often the
        server has computed.""",
    )
    kernels = param.String(default="", doc="The modules of a setting with its key, as JSON.")

    script = "controls/local-runs.js"

    def __init__(self, **params: Any) -> None:
        super().__init__(**({"width": 0, "height": 0, "margin": 0} | params))
        self._results: Results | None = None
        self._key = self._built = ""
        self._given: dict[str, list[float]] = {}
        self._answers = 0

    def show(self, results: Results, can_draw: bool = True) -> None:
        """Take the setting of new results; `can_draw` says whether browsers can draw the picture on screen."""
        choice = results.choice
        able = can_draw and not choice.adaptive and len(results.runs) == len(choice.methods)
        self._results, self._key, self._given, self._answers = results, "", {}, self._answers + 1
        if able:
            self._given = web.list_numbers(results.problem)
            fixed = {name: text for name, text in choice.write_changes().items() if name not in self._given}
            axes = results.problem.principal[1].tolist() if "J" in self._given else None
            self._key = repr((choice.problem, fixed, axes, choice.methods))
        setting = {"key": self._key, "dt": choice.dt, "duration": choice.duration, "answers": self._answers}
        self.setting = json.dumps(setting | {"given": self._given})

    def _receive(self, data: Any) -> None:
        """Build the modules that the browser asks for."""
        if self._results is not None and isinstance(data, dict) and data.get("wanted") == self._key != self._built:
            self._built = self._key
            pn.state.execute(partial(self._build, self._results, {"key": self._key, "given": self._given}))

    async def _build(self, results: Results, setting: dict[str, Any]) -> None:
        colours, problem = tuple(line.colour for line in results.lines), results.problem
        choice = replace(results.choice, dt=problem.dt, duration=problem.duration)  # on which no kernel depends
        try:
            kernels = await asyncio.get_running_loop().run_in_executor(BUILDERS, build_once, choice, colours)
        except ValueError:  # no browser can run them
            return
        await run_on_page(partial(setattr, self, "kernels", json.dumps(setting | kernels)))
