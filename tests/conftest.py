"""Configuration of all tests: their order, reports of skipped tests, and no time limits."""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Generator, Iterator
from typing import Any

import covering
import durations
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from optional import OPTIONAL

import engine
from engine import plugins

# Store bytecode even if the environment forbids it: otherwise each worker would rewrite all
# assertions each time, and each process that a test starts would compile its imports.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

UNTIL = float(os.environ.get("POLHODE_EXHAUSTIVE_UNTIL", "inf"))
"""Time in seconds since 1970 after which no exhaustive test begins, for machines that are slow."""
TOO_LATE = "the time for exhaustive tests is over"
PART, PARTS = (
    int(number) for number in os.environ.get("POLHODE_EXHAUSTIVE_PART", "0/1").split("/")
)
"""The part of the exhaustive tests that runs, and the number of parts. Each part consists of whole
files.
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record-seconds", action="store_true", help="renew tests/data/seconds.json")


# The same examples each time, without a time limit. To search for new ones:
# --hypothesis-profile=search
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", patient, derandomize=True)
settings.register_profile("search", patient)
settings.load_profile("same")
# Otherwise they also contain constants of the project's modules that earlier tests of this process
# have imported, and so depend on how the processes share the tests.
providers.is_local_module_file = lambda _: False


def pytest_configure(config: pytest.Config) -> None:
    """If CI is true, a warning without an exception in pyproject.toml is an error."""
    if is_name(config.option.keyword):
        config.option.markexpr = ""
    covering.thorough = config.option.markexpr != "not exhaustive"
    if os.environ.get("CI") == "true":
        config.getini("filterwarnings").insert(0, "error")
    if config.getoption("--record-seconds"):
        config.pluginmanager.register(durations.Measuring())
        if not hasattr(config, "workerinput"):  # no worker of pytest-xdist
            config.pluginmanager.register(durations.Recording())


def is_name(keyword: str) -> bool:
    """Whether `-k` names a method, so that all its tests run."""
    methods = engine.algorithms(None)
    return keyword in {name for method in methods for name in (method.key, *method.aliases)}


# Imported and collected objects live until the end, so garbage collection need not visit them.
gc.disable()


def pytest_collection_finish() -> None:
    """From now on garbage collection is rare and covers new objects only."""
    gc.freeze()
    gc.set_threshold(50_000)
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Files that take long run first, so that all processes end together.

    Browser tests run last: once Playwright has started, its event loop runs until the session ends.
    """
    seconds: dict[str, float] = defaultdict(float)
    for item in items:
        seconds[durations.file_of(item.nodeid)] += durations.expected_seconds(item.nodeid)
    if PARTS > 1:
        here = set(sorted(seconds, key=lambda file: -seconds[file])[PART::PARTS])
        runs = [
            not i.get_closest_marker("exhaustive") or durations.file_of(i.nodeid) in here
            for i in items
        ]
        config.hook.pytest_deselected(
            items=[item for item, run in zip(items, runs, strict=True) if not run]
        )
        items[:] = [item for item, run in zip(items, runs, strict=True) if run]
    items.sort(
        key=lambda item: (
            item.nodeid.startswith("tests/browser/"),
            -seconds[durations.file_of(item.nodeid)],
        )
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """File by file, in the order of the items."""
    from by_file import ByFile

    config.option.loadscopereorder = False
    return ByFile(config, log)


@pytest.fixture(autouse=True, scope="session")
def interrupts() -> None:
    """Interrupts work even if a shell's background job made the processes ignore them."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def for_a_while() -> Iterator[None]:
    """Remove the test's declarations after it."""
    with plugins.for_a_while():
        yield


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if time.time() > UNTIL and item.get_closest_marker("exhaustive"):
        pytest.skip(TOO_LATE)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """If CI is true, a test that is skipped because something is missing fails, unless that is
    optional.
    """
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("CI") == "true":
        why = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if TOO_LATE in why or OPTIONAL in why:
            return report
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} may not be left out here: {why}"
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Report what the default omits, and how to run it."""
    if terminalreporter.config.option.markexpr == "not exhaustive":
        terminalreporter.write_line(
            "Not run: the exhaustive tests (all combinations). To run them, add -m exhaustive."
        )
