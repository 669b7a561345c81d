"""An estimate of the duration of a test run, before it and now and then during it."""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from typing import Any

import psutil
import pytest

FILE = Path(__file__).parent / "data" / "seconds.json"
"""Average processor seconds of a test in each file, from an empty kernel cache."""

UNKNOWN = 0.1
"""Processor seconds of a test in a file that is not recorded."""

RECORDED: dict[str, float] = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}

BETWEEN_LINES = 20.0
"""Seconds; shorter runs get no estimate."""


def processor_seconds() -> float:
    """Processor seconds of this process and of all that it started."""
    this = psutil.Process()
    used = [this.cpu_times()]
    for child in this.children(recursive=True):
        try:
            used.append(child.cpu_times())
        except psutil.Error:  # it has ended meanwhile
            continue
    return sum(one.user + one.system + one.children_user + one.children_system for one in used)


def file_of(test: str) -> str:
    """The file of a test with this id."""
    return test.partition("::")[0]


def expected_seconds(test: str) -> float:
    """Processor seconds of a test."""
    return RECORDED.get(file_of(test), UNKNOWN)


class Measuring:
    """Record in the report of each test what it used, including fixtures that later tests share."""

    def __init__(self) -> None:
        self.used = 0.0

    def pytest_collection_finish(self) -> None:
        self.used = processor_seconds()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[Any]
    ) -> Generator[None, pytest.TestReport, Any]:
        report = yield
        if call.when == "teardown":
            before = self.used
            self.used = processor_seconds()
            report.user_properties.append(("processor seconds", self.used - before))
        return report


class Progress:
    """Prints the estimate; receives the reports of all workers."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.measured: dict[str, list[float]] = defaultdict(list)
        self.all = self.done = self.began = self.spoke = 0.0

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.begin([item.nodeid for item in session.items])

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        self.begin(ids)

    def begin(self, tests: list[str]) -> None:
        """Print the estimate for these tests; each worker collects the same."""
        if self.all:
            return
        self.all = sum(map(expected_seconds, tests))
        self.began = self.spoke = time.monotonic()
        workers = min(
            self.config.getoption("numprocesses", None) or 1, len(os.sched_getaffinity(0))
        )
        if self.all / workers > BETWEEN_LINES:
            self.say(
                f"{len(tests)} tests, about {minutes(self.all / workers)} on {workers} free processors"
            )

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "teardown":
            return
        self.done += expected_seconds(report.nodeid)
        for _, seconds in report.user_properties:
            self.measured[file_of(report.nodeid)].append(float(str(seconds)))
        now = time.monotonic()
        if now - self.spoke > BETWEEN_LINES and self.done < self.all:
            self.spoke = now
            self.say(f"about {minutes((now - self.began) * (self.all / self.done - 1))} to go")

    def say(self, words: str) -> None:
        """A line between the dots."""
        terminal = self.config.pluginmanager.get_plugin("terminalreporter")
        if terminal:
            terminal.ensure_newline()
            terminal.write_line(words)

    def pytest_sessionfinish(self) -> None:
        if self.measured:
            means = {file: round(sum(used) / len(used), 4) for file, used in self.measured.items()}
            recorded = {file: seconds for file, seconds in RECORDED.items() if Path(file).exists()}
            FILE.write_text(
                json.dumps(recorded | means, indent=0, sort_keys=True) + "\n", encoding="utf-8"
            )


def minutes(seconds: float) -> str:
    """Format a duration for people."""
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.1f} min"
