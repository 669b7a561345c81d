"""What holds for all tests: their order, that none is left out unnoticed, and that none hurries."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import progress
import pytest
from hypothesis import HealthCheck, settings

from engine import plugins

BROWSER = Path(__file__).parent / "browser"

# Python's bytecode is kept, also where the environment says that it is not: each worker would rewrite all assertions
# anew each time, and each process that a test starts would compile what it imports.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record-seconds", action="store_true", help="renew tests/data/seconds.json")


# The same examples each time, however long one takes. To look for new ones: --hypothesis-profile=search
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", patient, derandomize=True)
settings.register_profile("search", patient)
settings.load_profile("same")


def pytest_configure(config: pytest.Config) -> None:
    """Where CI is true, a warning that pyproject.toml does not except is an error. The run says how long it takes."""
    if os.environ.get("CI") == "true":
        config.getini("filterwarnings").insert(0, "error")
    if config.getoption("--record-seconds"):
        config.pluginmanager.register(progress.Measuring())
    if not hasattr(config, "workerinput"):  # no worker of pytest-xdist
        config.pluginmanager.register(progress.Progress(config))


# All that is imported and collected stays until the end: looking through it for garbage again and again finds none.
gc.disable()


def pytest_collection_finish() -> None:
    """From now on garbage is collected among what is new, and seldom: there is room for it."""
    gc.freeze()
    gc.set_threshold(50_000)
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The browser's tests come last: once Playwright has begun, its event loop runs until the session ends."""
    items.sort(key=lambda item: BROWSER in item.path.parents)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """File by file, in their order."""
    from by_file import ByFile

    config.option.loadscopereorder = False
    return ByFile(config, log)


@pytest.fixture(autouse=True, scope="session")
def interrupts() -> None:
    """An interrupt is one, also where the tests run in a shell's background, which has their processes ignore it."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def for_a_while() -> Iterator[None]:
    """What the test declares is gone after it."""
    with plugins.for_a_while():
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where CI is true, a test that is skipped for want of something fails."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("CI") == "true":
        why = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome, report.longrepr = "failed", f"{item.nodeid} may not be left out here: {why}"
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what the default leaves out, and how to run it."""
    if terminalreporter.config.option.markexpr == "not exhaustive":
        terminalreporter.write_line(
            "Not run: the exhaustive tests (all combinations). To run them, add -m exhaustive."
        )
