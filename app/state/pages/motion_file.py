"""Motions of other engines that visitors choose, and the verdicts on them.

As a module, it judges one file in a process of its own.
"""

from __future__ import annotations

import json
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import engine
from engine.algorithms import PRECISION, PROGRAMS, name_method
from engine.export.files import to_strict_json
from engine.parameters.argument_error import naming
from engine.referee.cures import choose_name
from engine.referee.matches import STOPPED
from engine.text.formatting import format_count, format_step, join_words

from ..choice import validate
from ..form_fields import FormField, parse_numbers
from ..reader import MEMORY_IS_UP, limit_resources, read_beside, refuse
from .engine_question import EngineQuestion, call_by_program
from .file_motion import STATED, FileMotion, Origin, thin_motion

LARGEST = 20 * 2**20
"""Largest number of bytes of a file."""
FORMATS = (".csv", ".tsv", ".txt", ".zip", ".parquet")
SEARCH = 20.0
"""Seconds of processor time that the search for a rule may take."""
LONGER = f"The page searches for {SEARCH:.0f} s of computing; polhode judge, on your own machine, searches on."
MADE, MOTION = "verdict.json", "motion.npz"
SEARCHES = "search"
"""The argument with which the process searches for the rule; else it is empty."""
MOST_NAMED = 3
"""Names of one rule in a title."""
AS_FOUND = ""
FIELDS = (
    FormField(
        "J", "Moments of inertia", "Three moments or nine numbers, in the axes of the file; only their ratios count.",
        placeholder="estimated from the motion",
    ),
    FormField(
        "columns", "Columns", "The names of all columns, in order, if the file has none or others.",
        placeholder="such as t, qw, qx, qy, qz, wx, wy, wz",
    ),
    FormField(
        "euler", "Euler angles", "Their order, as factors of R, such as ZYX; none for a rotation vector.",
        placeholder="as found", half=True,
    ),
    FormField(
        "dt", "Step", "The step between rows, if the file has no times.", placeholder="1/60", half=True
    ),
    FormField(
        "frame", "Angular velocity", "The frame of the angular velocity.", "menu",
        options=(AS_FOUND, "body", "space", "none"),
        words=("as found", "in the body's frame", "in space", "left out"), half=True,
    ),
    FormField(
        "inverse", "Attitude", "Whether the attitude turns the body to space, or space to the body.", "menu",
        options=(AS_FOUND, "off", "on"),
        words=("as found", "body to space", "space to body"), half=True,
    ),
)  # fmt: skip
"""What a person can state of a file."""


def read_stated(words: Mapping[str, str]) -> dict[str, str]:
    """What the words of a link state of a file, by the names of fields."""
    return {one.name: words[STATED + one.name] for one in FIELDS if words.get(STATED + one.name)}


@dataclass(frozen=True)
class Judged:
    """A verdict on the motion of a file: the numbers by the names of `Verdict.to_json`, the motion, and
    whether its rule is still to be searched for.
    """

    numbers: Mapping[str, Any]
    motion: FileMotion
    awaits_rule: bool = False

    @property
    def setting(self) -> str:
        """The rows and the step, in words."""
        dt = self.numbers["dt"]
        step = "uneven steps" if dt is None else f"Δt = {format_step(dt)} s"
        return f"{self.numbers['rows']:,} rows, {step}"

    def ask(self, before: EngineQuestion, keeps_setting: bool = False) -> EngineQuestion:
        """The motion beside the rule that is named, or may be, or is nearest, or else that of the question
        before, on the same body and with the same step; or with the whole setting of that question. A
        `Refusal`, if the page cannot run it.
        """
        problem = self.motion.problem
        R0 = None if np.array_equal(problem.R0, np.eye(3)) else problem.R0
        start = {"J": np.diag(problem.J), "R0": R0, "Omega0": problem.Omega0}
        if keeps_setting:
            return replace(
                before, choice=validate(before.choice.with_changes(**start)), motion=self.motion
            )
        dt = self.motion.dt
        steps = max(1, round(self.numbers["duration"] / dt))
        choice = replace(before.choice, dt=dt, duration=steps * dt).with_changes(**start)
        key = before.program
        if name := self._name_rule():
            key = name.partition("(")[0]
            precision = self.numbers["precision"] or PRECISION.default
            rule = engine.algorithm(name).with_options(precision=precision)
            choice = replace(choice, methods=(call_by_program(rule, key),))
            key = key if key in PROGRAMS else ""
        return EngineQuestion(key, validate(choice), self.motion)

    def end_search(self, why: str) -> Judged:
        """The same after a search that found no rule, with the sentence that says why."""
        sentences = [*self.numbers["sentences"], why]
        return replace(self, numbers={**self.numbers, "sentences": sentences}, awaits_rule=False)

    @property
    def title(self) -> str:
        """Which rule the file shows, by the names of engines, or else of methods."""
        numbers = self.numbers
        if self.awaits_rule:
            return "What becomes of the body"
        if names := numbers["rules"]:
            of_engines = [name for name in names if name.partition("(")[0] in PROGRAMS]
            named = (name_method(engine.algorithm(name)) for name in of_engines or names)
            known = [*dict.fromkeys(named)]
            shown, left = known[:MOST_NAMED], len(known) - MOST_NAMED
            others = [format_count(left, "other name")] if left > 0 else []
            return f"Its rule: {join_words([*shown, *others], 'or')}"
        if numbers["possible"]:
            return "Several rules are possible"
        return STOPPED.rstrip(".") if STOPPED in numbers["sentences"] else "No rule is named"

    def _name_rule(self) -> str:
        """The name of the rule, or of one that may be it; none is near a motion under a torque, or with
        other moments.
        """
        numbers = self.numbers
        is_comparable = numbers["free"] and not numbers["objection"]
        nearest = [near["name"] for near in numbers["nearest"] if is_comparable]
        return choose_name(numbers["rules"], numbers["possible"], nearest)


def judge_file(
    name: str,
    data: bytes,
    given: Mapping[str, str],
    cancel: threading.Event | None = None,
    progress: Callable[[float], Any] = lambda _: None,
    searches: bool = True,
) -> Judged:
    """Return the verdict on the motion in a file, or raise `ValueError` with a sentence, which is
    `Refused` if fields of the page decide; takes about a second, and many more if it `searches` for
    the rule. `cancel` ends the process that judges, and raises `Cancelled`; `progress` receives the
    part of the time for the search that is over.
    """
    suffix = Path(name).suffix.lower()
    if suffix not in FORMATS:
        raise ValueError(f"The name of a motion ends in .csv or .parquet; {name!r} does not.")
    with tempfile.TemporaryDirectory(prefix="polhode-motion-") as folder:
        path = f"motion{suffix}"
        Path(folder, path).write_bytes(data)
        arguments = [path, json.dumps(dict(given)), SEARCHES * searches]
        read_beside(
            __name__, folder, arguments, cancel, name, "write fewer rows",
            on_time=lambda seconds: progress(min(seconds / SEARCH, 1.0)),
        )  # fmt: skip
        numbers = json.loads(Path(folder, MADE).read_text(encoding="utf-8"))
        origin = Origin(name, hash(data), tuple(given.items()))
        with np.load(Path(folder, MOTION)) as made:
            return Judged(numbers, FileMotion.from_arrays(origin, dict(made)), not searches)


class Deadline(threading.Event):
    """Is set once the process has computed for so long."""

    def is_set(self) -> bool:
        """Return whether the time is over."""
        return time.process_time() > SEARCH


def main(path: str, given: str, search: str) -> int:
    """Judge a motion in the current folder, and write the verdict beside it."""
    limit_resources()
    stated = json.loads(given)
    try:
        with naming("J"):
            J = parse_numbers(stated.pop("J", ""))
        inertia = [J[:3], J[3:6], J[6:]] if len(J) == 9 else J or None
        methods = None if search else ()
        verdict = engine.judge(path, inertia, cancel=Deadline(), methods=methods, **stated)
    except ValueError as error:
        return refuse(error)
    except MemoryError:
        return MEMORY_IS_UP
    if not search:
        verdict = replace(verdict, cure=None)  # it follows from the rule
    numbers = verdict.to_json()
    if STOPPED in verdict.sentences:
        numbers["remarks"].append(LONGER)
    np.savez(MOTION, **thin_motion(verdict))
    Path(MADE).write_text(json.dumps(to_strict_json(numbers)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
