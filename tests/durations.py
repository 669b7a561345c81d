"""The duration of the tests of each file, by which processes share them."""

from __future__ import annotations

import json
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
            self.used = processor_seconds()  # less, if a process ended whose parent had ended
            seconds = max(0.0, self.used - before)
            report.user_properties.append(("processor seconds", seconds))
        return report


class Recording:
    """Stores what the reports of all workers say."""

    def __init__(self) -> None:
        self._measured: dict[str, list[float]] = defaultdict(list)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for _, seconds in report.user_properties if report.when == "teardown" else ():
            self._measured[file_of(report.nodeid)].append(float(str(seconds)))

    def pytest_sessionfinish(self) -> None:
        means = {file: round(sum(used) / len(used), 4) for file, used in self._measured.items()}
        recorded = {file: seconds for file, seconds in RECORDED.items() if Path(file).exists()}
        text = json.dumps(recorded | means, indent=0, sort_keys=True)
        FILE.write_text(f"{text}\n", encoding="utf-8")
