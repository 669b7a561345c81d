"""Runs in the browser while a person drags, by the same kernels as WebAssembly."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import param

import engine
from engine import Problem, web
from engine.algorithms.core import RateSolver

from ...browser.component import Component
from ...demos.live import list_runs
from ...server.http import Kernels
from ...server.worker import KERNELS, Progress, Task, Worker
from ...state.choice import Choice, choose_problem, validate
from ...state.results import Results


@functools.lru_cache(maxsize=64)
def build_once(choice: Choice) -> dict[str, Any]:
    """Build the modules of a setting once for all visitors; without code, if the server sends that
    by its key.
    """
    runs = list_runs(choice)
    lines = [*runs["lines"], *filter(None, [runs["reference"]])]
    for module in [
        runs["beginning"],
        runs["quantities"],
        *(line["module"] for line in lines if line["module"]),
    ]:
        if Kernels.offered and web.load(module["key"]) is not None:
            del module["code"]
    return runs


class LocalRuns(Component):
    """An invisible component that sends the kernels of the setting on screen when a person is about
    to drag, or those with one more method or of another problem when a person points to it.

    The browser then computes the plots and the picture during the drag, and the server when the
    drag rests. `describe` returns what else the browser draws of another problem; it raises
    `ValueError` if the browser is to wait for the server.
    """

    setting = param.String(
        default='{"key": ""}',
        doc="""What is on screen, as JSON: `key`, the setting without what a person changes, or empty if browsers
        cannot compute it; `dt`, `duration` and `given`, the problem's numbers by name; `answers`, how often the
        server has computed.""",
    )

    script = "controls/local-runs.js"

    def __init__(
        self, describe: Callable[[Choice], dict[str, Any]] | None = None, **params: Any
    ) -> None:
        super().__init__(**({"width": 0, "height": 0, "margin": 0} | params))
        self._describe = describe
        self._choice: Choice | None = None
        self._answers = 0
        self._own = Worker(KERNELS)
        self._others = Worker(KERNELS)

    def show(self, results: Results, can_draw: bool = True) -> None:
        """Take the setting of new results; `can_draw` says whether browsers can draw the picture on
        screen.
        """
        choice = results.choice
        steps = not any(isinstance(method, RateSolver) for method in choice.algorithms)
        able = can_draw and steps and len(results.runs) == len(choice.methods)
        able = able and choice.recording is None  # browsers do not have the samples
        self._choice = choice if able else None
        self._answers = self._answers + 1
        described = describe_setting(choice) if able else {"key": "", "given": {}}
        times = {"dt": choice.dt, "duration": choice.duration, "answers": self._answers}
        self.setting = json.dumps(times | described)

    def _receive(self, data: Any) -> None:
        """Build the modules that the browser asks for."""
        if (now := self._choice) is None or not isinstance(data, dict):
            return
        method, problem = (str(data.get(name) or "") for name in ("method", "problem"))
        choice = now.change("methods", (*now.methods, method)) if method else now
        with suppress(ValueError):
            choice = validate(choose_problem(problem, now) if problem else choice)
            about = {"name": method or problem, "of": describe_setting(now)["key"]}
            if choice.space == now.space and (choice != now or not about["name"]):
                worker = self._others if about["name"] else self._own
                describe = self._describe if problem else None
                worker.start(Task(partial(build, choice, about, describe), self._send_kernels))

    def _send_kernels(self, kernels: str) -> None:
        """Send kernels to the browser; empty if no browser can run them."""
        if kernels:
            self._send({"kernels": kernels})


def build(
    choice: Choice,
    about: dict[str, Any],
    describe: Callable[[Choice], dict[str, Any]] | None,
    cancel: engine.Cancellation,
    _: Progress,
) -> str:
    """Return the kernels of a choice with what else the browser needs, as JSON; empty if no browser
    can run them.
    """
    problem = choice.build_problem()
    plain = replace(choice, dt=problem.dt, duration=problem.duration)  # on which no kernel depends
    if cancel.is_set():
        return ""
    try:
        found = about | describe_setting(choice) | build_once(plain)
        if describe is not None:
            found |= {"view": describe(choice)}
    except ValueError:
        return ""
    return json.dumps(found)


def describe_setting(choice: Choice) -> dict[str, Any]:
    """The numbers of a setting's problem that a person changes, by name, and what its kernels are
    built for.
    """
    problem = choice.build_problem()
    given = web.list_numbers(problem)
    fixed = {name: text for name, text in choice.write_changes().items() if name not in given}
    axes = problem.principal[1].tolist() if isinstance(problem, Problem) else None
    return {"key": repr((choice.problem, fixed, axes, choice.methods)), "given": given}
