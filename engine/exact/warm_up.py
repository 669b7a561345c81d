"""Compile kernels before they are needed: several at a time, on threads, since LLVM needs no
lock.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import os
import threading
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ..algorithms.core import Method, Solver, all_methods, find_method
from ..compiler import cache
from ..kernels import Parts, build, compiles, is_cancelled
from ..parameters.parameter import Whole
from ..problems.problem import AnyProblem, find_problem
from ..quantities import all_quantities, make_key, make_object_code
from ..simulation.systems import SYSTEMS
from ..text.formatting import join_words
from .motion import list_reference_kernels

FOR_REFERENCE = "the exact motion"
"""In place of a method's label, for the kernels of reference runs."""

Progress = Callable[[int, int, str], Any]


@dataclass(frozen=True)
class WarmReport:
    """The numbers of kernels that `warm` found and compiled, and the failures with their
    reasons.
    """

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
        text = f"Kernels: {self.already} already in the cache, {self.compiled} compiled{time_taken}"
        if self.failed:
            name, reason = self.failed[0]
            text += f", {len(self.failed)} failed: {name} ({reason})"
            text += " and others" if len(self.failed) > 1 else ""
        return f"{text}; the cache is {self.directory}."


class Kernel(NamedTuple):
    """The name of a kernel; `which` counts those of one run."""

    space: str
    method: str
    torque: str
    which: int = 0

    def __str__(self) -> str:
        return f"{self.method} on {self.torque}"


def warm(
    methods: Iterable[str | Method] | None = None,
    problems: Iterable[str | AnyProblem] | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> WarmReport:
    """Compile kernels into the cache on disk, so that later runs do not wait for them.

    Without arguments, those of the quantities of plots too.

    Parameters
    ----------
    methods : keys, aliases or methods, with options; by default all methods with their default
        options.
    problems : keys, aliases or problems, for whose kinds of torque to compile; by default all
        problems and custom torques.
    jobs : the number of kernels compiled at a time; by default one for each processor.
    progress : called with (kernels done, total, the name of the last) after each.
    """
    begun = time.perf_counter()
    every = [find_method(method) for method in (all_methods(None) if methods is None else methods)]
    chosen = _group_by_space(every)
    wanted = (
        None if problems is None else _group_by_space(find_problem(problem) for problem in problems)
    )
    at_most = count_processors() if jobs is None else Whole(1, 10_000).check(jobs, "jobs")
    kernels: dict[Kernel, tuple[str, Callable[[], bytes]]] = {}
    for space, system in SYSTEMS.items():
        kinds = system.list_kinds(None if wanted is None else wanted[space])
        for kernel, parts in list_distinct_kernels(chosen[space], kinds).items():
            kernels[kernel] = parts.key(), functools.partial(build.object_code, parts)
        if any(isinstance(method, Solver) and not method.adaptive for method in chosen[space]):
            for name, problem in kinds.items():
                for i, parts in enumerate(list_reference_kernels(problem, problem.dt)):
                    kernel = Kernel(space, FOR_REFERENCE, name, i)
                    kernels[kernel] = parts.key(), functools.partial(build.object_code, parts)
    if methods is None and problems is None:
        for one in all_quantities(None):
            kernel = Kernel(one.space, "plots", one.title)
            kernels[kernel] = (
                make_key([one.formula], cache.environment()),
                functools.partial(make_object_code, one.formula),
            )
    folder = cache.directory()
    if not compiles():
        return WarmReport(0, 0, (), 0.0, 0, folder, compiles=False)
    missing = [kernel for kernel, (key, _) in kernels.items() if not cache.holds(key)]
    there = len(kernels) - len(missing)
    failed = []
    if progress is not None and there:
        progress(there, len(kernels), "")
    at_most = max(1, min(at_most, len(missing)))
    tasks = [kernels[kernel] for kernel in missing]
    with contextlib.closing(_map_on_threads(_compile_to_cache, tasks, at_most)) as reasons:
        for done, (kernel, reason) in enumerate(
            zip(missing, reasons, strict=True), start=there + 1
        ):
            if reason is not None:
                failed.append((str(kernel), reason))
            if progress is not None:
                progress(done, len(kernels), str(kernel))
    seconds = time.perf_counter() - begun
    return WarmReport(there, len(missing) - len(failed), tuple(failed), seconds, at_most, folder)


def find_missing_kernels(
    problem: AnyProblem, methods: Iterable[Method], dt: float | None = None
) -> list[tuple[str, Parts]]:
    """The kernels that runs of methods on a problem and its exact motion need, and that are not
    compiled yet.

    Each has the label of its method, or `FOR_REFERENCE`. `dt` is the step of the runs; by default
    the problem's own.
    """
    if not compiles():
        return []
    h = problem.dt if dt is None else dt
    system = SYSTEMS[problem.space]
    wanted = [
        (method.label, parts)
        for method in methods
        for parts in system.list_kernels(problem, method, h)
    ]
    wanted += [(FOR_REFERENCE, parts) for parts in list_reference_kernels(problem, h)]
    found: dict[Parts, str] = {}
    for label, parts in wanted:
        if parts not in found and not build.is_loaded(parts):
            found[parts] = label
    return [(label, parts) for parts, label in found.items()]


def compile_kernels(
    kernels: Sequence[tuple[str, Parts]],
    report: Callable[[int, int, str], Any] | None = None,
    cancel: threading.Event | None = None,
) -> bool:
    """Compile kernels, one for each processor at a time; False if `cancel` was set.

    `report` is called before each, and after it while others are being compiled, with the number of
    the next kernel, their total, and the labels of those being compiled: at most two, or the first
    "and others". Without `report`, listeners receive the labels (see `compiler/notices.py`).
    """
    done = 0
    under_way = list[str]()
    lock = threading.Lock()

    def report_labels() -> None:
        if report is not None and under_way:
            first, *others = dict.fromkeys(label for label, _ in kernels if label in under_way)
            report(
                done + 1,
                len(kernels),
                join_words([first, *(others if len(others) < 2 else ["others"])]),
            )

    def compile_one(task: tuple[contextvars.Context, tuple[str, Parts]]) -> None:
        nonlocal done
        context, (label, parts) = task
        with lock:
            if is_cancelled(cancel):
                return
            under_way.append(label)
            report_labels()
        context.run(build.compile_kernel, parts, label if report is None else "")
        with lock:
            under_way.remove(label)
            done += 1
            report_labels()

    longest_first = sorted(
        kernels, key=lambda kernel: kernel[0] != FOR_REFERENCE
    )  # so that it does not end alone
    tasks = [(contextvars.copy_context(), kernel) for kernel in longest_first]
    for _ in _map_on_threads(compile_one, tasks, count_processors()):
        pass
    return not is_cancelled(cancel)


def _group_by_space(what: Iterable[Any]) -> dict[str, list[Any]]:
    """Methods or problems by their space."""
    found: dict[str, list[Any]] = {space: [] for space in SYSTEMS}
    for one in what:
        found[one.space].append(one)
    return found


def count_processors() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def list_distinct_kernels(
    methods: Sequence[Method], problems: Mapping[str, AnyProblem]
) -> dict[Kernel, Parts]:
    """The kernels that methods of one space need, each once: problems share fields, as all tops
    share gravity.
    """
    by_key: dict[str, tuple[Kernel, Parts]] = {}
    for method in methods:
        for name, problem in problems.items():
            for i, parts in enumerate(
                SYSTEMS[method.space].list_kernels(problem, method, problem.dt)
            ):
                by_key.setdefault(parts.key(), (Kernel(method.space, method.label, name, i), parts))
    return dict(by_key.values())


def _map_on_threads(
    work: Callable[[Any], Any], things: Sequence[Any], at_most: int
) -> Generator[Any, None, None]:
    """The results of the work on each thing, in order; closing the generator drops the work that
    has not begun.
    """
    from concurrent.futures import (
        ThreadPoolExecutor,
    )  # imported here, so that `import engine` need not

    with ThreadPoolExecutor(at_most) as pool:
        yield from pool.map(work, things)


def _compile_to_cache(kernel: tuple[str, Callable[[], bytes]]) -> str | None:
    """Compile one kernel into the cache; return the reason if that fails."""
    key, make = kernel
    try:
        cache.store(key, make())
    except Exception as error:
        return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
    return None if cache.holds(key) else "it could not be written to the cache"
