"""Compiling kernels before anybody waits for them: all methods on all kinds of torque, in parallel, kept on disk."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from . import plugins
from .algorithms.method import Method
from .algorithms.method import find as find_method
from .algorithms.method import registered as all_methods
from .cancelling import cancelled
from .checks import whole_number
from .compiler import cache
from .exact import kernels_of_reference
from .exact.reference import METHOD as REFERENCE
from .kernels import build
from .kernels.parts import Parts
from .problems.problem import Posed, posed
from .systems import SYSTEMS, system_of

FOR_REFERENCE = "what the exact motion takes"
"""Stands for the method of reference runs, which nobody asked for."""

MOST_JOBS = 60

Progress = Callable[[int, int, str], Any]


@dataclass(frozen=True)
class WarmReport:
    """What `warm` found and did: numbers of kernels, and what could not be compiled or kept, with the reason."""

    already: int
    compiled: int
    failed: tuple[tuple[str, str], ...]
    seconds: float
    jobs: int
    directory: Path
    compiles: bool = True

    def __str__(self) -> str:
        if not self.compiles:
            return "Compiling is switched off, or llvmlite is not installed: methods run as plain Python."
        time_taken = f" in {self.seconds:.1f} s" if self.compiled else ""
        text = f"Kernels: {self.already} there already, {self.compiled} compiled{time_taken}"
        if self.failed:
            name, reason = self.failed[0]
            text += f", {len(self.failed)} not: {name} ({reason})" + (" and others" if len(self.failed) > 1 else "")
        return f"{text}; kept in {self.directory}."


class Kernel(NamedTuple):
    """One kernel by names, as they can be sent to another process: of those that a run compiles, which."""

    space: str
    method: str
    torque: str
    which: int = 0

    def __str__(self) -> str:
        return f"{self.method} on {self.torque}"

    def parts(self) -> Parts:
        """What it is made of."""
        system = SYSTEMS[self.space]
        problem = system.kinds()[self.torque]
        return system.kernels(problem, find_method(self.method, space=self.space), problem.dt)[self.which]


def warm(
    methods: Iterable[str | Method] | None = None,
    problems: Iterable[str | Posed] | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> WarmReport:
    """Compile kernels into the cache on disk, so that no later run waits for one.

    Parameters
    ----------
    methods : keys, aliases or methods, options included; all methods with their default options if not given.
    problems : keys, aliases or problems, of which every kind of torque is taken; if not given, all problems, and the
        torques that callers bring.
    jobs : how many processes compile; one for each processor if not given. In a script, more than one needs the usual
        `if __name__ == "__main__":` around the call.
    progress : called with (kernels done, kernels in all, the name of the last) after each.
    """
    begun = time.perf_counter()
    every = [find_method(method) for method in (all_methods(None) if methods is None else methods)]
    if any(method.step is None and method.rates is None for method in every):  # then its states may be a reference's
        every.append(find_method(REFERENCE))
    chosen = _by_space(every)
    wanted = None if problems is None else _by_space(posed(problem) for problem in problems)
    at_most = _processors() if jobs is None else whole_number(jobs, "jobs", 1, 10_000)
    kernels: dict[Kernel, Parts] = {}
    for space, system in SYSTEMS.items():
        kinds = system.kinds(None if wanted is None else wanted[space])
        kernels |= distinct(chosen[space], kinds)
    folder = cache.directory()
    if not build.compiles():
        return WarmReport(0, 0, (), 0.0, 0, folder, compiles=False)
    missing = [kernel for kernel, parts in kernels.items() if not cache.holds(parts.key())]
    there, failed = len(kernels) - len(missing), []
    if progress is not None and there:
        progress(there, len(kernels), "")
    at_most = max(1, min(at_most, len(missing), MOST_JOBS))
    for done, (kernel, reason) in enumerate(_made(missing, at_most), start=there + 1):
        if reason is not None:
            failed.append((str(kernel), reason))
        if progress is not None:
            progress(done, len(kernels), str(kernel))
    seconds = time.perf_counter() - begun
    return WarmReport(there, len(missing) - len(failed), tuple(failed), seconds, at_most, folder)


def missing(problem: Posed, methods: Iterable[Method], dt: float | None = None) -> list[tuple[str, Parts]]:
    """What first runs of methods on a problem, and the exact motion beside them, would wait for the compiler to make.

    Each kernel comes with the label of its method, or what it is for if nobody asked for its method. `dt` is the step
    that is meant; the problem's own if not given.
    """
    if not build.compiles():
        return []
    h = problem.dt if dt is None else dt
    system = system_of(problem)
    wanted = [(method.label, parts) for method in methods for parts in system.kernels(problem, method, h)]
    wanted += [(FOR_REFERENCE, parts) for parts in kernels_of_reference(problem, h)]
    found: dict[Parts, str] = {}
    for label, parts in wanted:
        if parts not in found and not build.at_hand(parts):
            found[parts] = label
    return [(label, parts) for parts, label in found.items()]


def make(
    kernels: Sequence[tuple[str, Parts]],
    told: Callable[[int, int, str], Any] | None = None,
    cancel: threading.Event | None = None,
) -> bool:
    """Compile these in this thread, one after the other; whether all are there, as they are unless it was cancelled.

    `told` is called before each with its number, from 1, how many there are, and the label of its method.
    """
    for i, (label, parts) in enumerate(kernels, start=1):
        if cancelled(cancel):
            return False
        if told is not None:
            told(i, len(kernels), label)
        build.compiled(parts)
    return not cancelled(cancel)


def _by_space(what: Iterable[Any]) -> dict[str, list[Any]]:
    """Methods or problems by what they are for."""
    found: dict[str, list[Any]] = {space: [] for space in SYSTEMS}
    for one in what:
        found[one.space].append(one)
    return found


def _processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def distinct(methods: Sequence[Method], problems: Mapping[str, Posed]) -> dict[Kernel, Parts]:
    """The kernels that methods of one space need, each once: problems share fields, as all tops do gravity."""
    by_key: dict[str, tuple[Kernel, Parts]] = {}
    for method in methods:
        for name, problem in problems.items():
            for i, parts in enumerate(system_of(method).kernels(problem, method, problem.dt)):
                by_key.setdefault(parts.key(), (Kernel(method.space, method.label, name, i), parts))
    return dict(by_key.values())


def _make(kernel: Kernel) -> str | None:
    """Compile one kernel and keep it; the reason if that does not succeed."""
    try:
        parts = kernel.parts()
        build.compiled(parts)
    except Exception as error:
        return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
    return None if cache.holds(parts.key()) else "it could not be written to the cache"


def _made(kernels: Sequence[Kernel], jobs: int) -> Iterator[tuple[Kernel, str | None]]:
    """Make kernels, and give each as it is finished.

    What another process fails at is tried once more in this one: a worker may have been killed, or could not start,
    or does not know a method that was registered here only.
    """
    left = list(kernels)
    if jobs > 1:
        import multiprocessing  # imported here, so that `import engine` need not
        from concurrent.futures import ProcessPoolExecutor, as_completed
        from concurrent.futures.process import BrokenProcessPool

        left = []
        spawn = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(jobs, spawn, _begin_worker, (plugins.loaded(),)) as pool:
            try:
                tasks = {pool.submit(_make, kernel): kernel for kernel in kernels}
                for task in as_completed(tasks):
                    broken = isinstance(task.exception(), BrokenProcessPool)
                    if broken or task.result() is not None:
                        left.append(tasks[task])
                    else:
                        yield tasks[task], None
            except BaseException:  # Ctrl-C: leaving the pool would wait for all that is left to compile
                for worker in list(pool._processes.values()):
                    worker.kill()
                raise
    for kernel in left:
        yield kernel, _make(kernel)


def _begin_worker(files: Sequence[Path]) -> None:
    """In a worker: know the methods of one's own that the parent has loaded from files."""
    _obey_parent()
    for file in files:
        plugins.load(file)


def _obey_parent() -> None:
    """In a worker: leave Ctrl-C, which reaches every process of a terminal, to the parent, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
