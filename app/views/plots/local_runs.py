"""Runs in the browser while a person drags, by the same kernels as WebAssembly."""

from __future__ import annotations

import asyncio
import functools
import json
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import panel as pn
import param

from engine import Problem, web

from ...browser.component import Component
from ...compat.sessions import run_on_page
from ...demos.live import list_runs
from ...server.http import Kernels
from ...server.threads import make_threads
from ...state.choice import Choice, Refusal, validate
from ...state.results import Results

BUILDERS = make_threads("modules", 1)
"""A thread that builds modules, for all visitors."""


@functools.lru_cache(maxsize=64)
def build_once(choice: Choice) -> dict[str, Any]:
    """Build the modules of a setting once for all visitors; without code, if the server sends that by its key."""
    runs = list_runs(choice)
    lines = [*runs["lines"], *filter(None, [runs["reference"]])]
    for module in [runs["beginning"], *(line["module"] for line in lines if line["module"])]:
        if Kernels.offered and web.load(module["key"]) is not None:
            del module["code"]
    return runs


class LocalRuns(Component):
    """An invisible component that sends the kernels of the setting on screen when a person is about to drag, or those
    with one more method when a person points to it.

    The browser then computes the plots and the picture during the drag, and the server when the drag rests.
    """

    setting = param.String(
        default='{"key": ""}',
        doc="""What is on screen, as JSON: `key`, the setting without what a person changes, or empty if browsers
        cannot compute it; `dt`, `duration` and `given`, the problem's numbers by name; `answers`, how often the
        server has computed.""",
    )

    script = "controls/local-runs.js"

    def __init__(self, **params: Any) -> None:
        super().__init__(**({"width": 0, "height": 0, "margin": 0} | params))
        self._choice: Choice | None = None
        self._answers = 0
        self._turn, self._wanted = asyncio.Lock(), ""

    def show(self, results: Results, can_draw: bool = True) -> None:
        """Take the setting of new results; `can_draw` says whether browsers can draw the picture on screen."""
        choice = results.choice
        able = can_draw and not choice.adaptive and len(results.runs) == len(choice.methods)
        self._choice, self._answers = choice if able else None, self._answers + 1
        described = describe_setting(choice) if able else {"key": "", "given": {}}
        times = {"dt": choice.dt, "duration": choice.duration, "answers": self._answers}
        self.setting = json.dumps(times | described)

    def _receive(self, data: Any) -> None:
        """Build the modules that the browser asks for."""
        if self._choice is None or not isinstance(data, dict):
            return
        method = data.get("method")
        with suppress(Refusal):
            more = (method,) if isinstance(method, str) else ()
            choice = validate(self._choice.change("methods", (*self._choice.methods, *more)))
            if not more or choice != self._choice:
                self._wanted = method or self._wanted
                about = {"method": method, "of": describe_setting(self._choice)["key"]}
                pn.state.execute(partial(self._build, choice, about))

    async def _build(self, choice: Choice, about: dict[str, Any]) -> None:
        problem = choice.build_problem()
        plain = replace(choice, dt=problem.dt, duration=problem.duration)  # on which no kernel depends
        async with self._turn:
            if about["method"] not in (None, self._wanted):  # a person points to another one by now
                return
            with suppress(ValueError):  # no browser can run them
                kernels = await asyncio.get_running_loop().run_in_executor(BUILDERS, build_once, plain)
                packed = json.dumps(about | describe_setting(choice) | kernels)
                await run_on_page(partial(self._send, {"kernels": packed}))


def describe_setting(choice: Choice) -> dict[str, Any]:
    """The numbers of a setting's problem that a person changes, by name, and what its kernels are built for."""
    problem = choice.build_problem()
    given = web.list_numbers(problem)
    fixed = {name: text for name, text in choice.write_changes().items() if name not in given}
    axes = problem.principal[1].tolist() if isinstance(problem, Problem) else None
    return {"key": repr((choice.problem, fixed, axes, choice.methods)), "given": given}
