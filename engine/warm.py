"""Compiling kernels before anybody waits for them: several at a time, on threads, since LLVM needs no lock."""

from __future__ import annotations

import contextlib
import contextvars
import os
import threading
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from .algorithms.method import Method, all_methods, find_method
from .cancelling import cancelled
from .checks import whole_number
from .compiler import cache
from .exact import kernels_of_reference
from .exact.reference import METHOD as REFERENCE
from .kernels import build
from .kernels.parts import Parts
from .problems.problem import Posed, posed
from .systems import SYSTEMS, system_of
from .wording import listed

FOR_REFERENCE = "the exact motion"
"""Stands for the method of reference runs, which nobody asked for."""

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
    """One kernel by names: of those that a run compiles, which."""

    space: str
    method: str
    torque: str
    which: int = 0

    def __str__(self) -> str:
        return f"{self.method} on {self.torque}"


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
    jobs : how many are compiled at a time; one for each processor if not given.
    progress : called with (kernels done, kernels in all, the name of the last) after each.
    """
    begun = time.perf_counter()
    every = [find_method(method) for method in (all_methods(None) if methods is None else methods)]
    if any(method.step is None and method.rates is None for method in every):  # then its states may be a reference's
        every.append(find_method(REFERENCE))
    chosen = _by_space(every)
    wanted = None if problems is None else _by_space(posed(problem) for problem in problems)
    at_most = processors() if jobs is None else whole_number(jobs, "jobs", 1, 10_000)
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
    at_most = max(1, min(at_most, len(missing)))
    parts_missing = [kernels[kernel] for kernel in missing]
    with contextlib.closing(_at_the_same_time(_keep, parts_missing, at_most)) as reasons:
        for done, (kernel, reason) in enumerate(zip(missing, reasons, strict=True), start=there + 1):
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
    """Compile these, one for each processor at a time; whether all are there, as they are unless it was cancelled.

    `told` is called before each, and after it while others are under way: with how many are there already, counted
    from 1, how many there are to be, and the labels of those that are compiled just then; of more than two the first
    "and others". Without it the labels are told to who listens (see `compiler/telling.py`).
    """
    done, under_way, one_at_a_time = 0, list[str](), threading.Lock()

    def tell() -> None:
        if told is not None and under_way:
            first, *others = dict.fromkeys(label for label, _ in kernels if label in under_way)
            told(done + 1, len(kernels), listed([first, *(others if len(others) < 2 else ["others"])]))

    def made(asked: tuple[contextvars.Context, tuple[str, Parts]]) -> None:
        nonlocal done
        context, (label, parts) = asked
        with one_at_a_time:
            if cancelled(cancel):
                return
            under_way.append(label)
            tell()
        context.run(build.compiled, parts, label if told is None else "")
        with one_at_a_time:
            under_way.remove(label)
            done += 1
            tell()

    longest_first = sorted(kernels, key=lambda kernel: kernel[0] != FOR_REFERENCE)  # so that none is waited for alone
    asked = [(contextvars.copy_context(), kernel) for kernel in longest_first]
    for _ in _at_the_same_time(made, asked, processors()):
        pass
    return not cancelled(cancel)


def _by_space(what: Iterable[Any]) -> dict[str, list[Any]]:
    """Methods or problems by what they are for."""
    found: dict[str, list[Any]] = {space: [] for space in SYSTEMS}
    for one in what:
        found[one.space].append(one)
    return found


def processors() -> int:
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


def _at_the_same_time(work: Callable[[Any], Any], things: Sequence[Any], at_most: int) -> Generator[Any, None, None]:
    """What comes of the work on each, in their order, on so many threads; closed, it drops what is not begun."""
    from concurrent.futures import ThreadPoolExecutor  # imported here, so that `import engine` need not

    with ThreadPoolExecutor(at_most) as pool:
        yield from pool.map(work, things)


def _keep(parts: Parts) -> str | None:
    """Compile one kernel and keep it; the reason if that does not succeed."""
    try:
        cache.store(parts.key(), build.object_code(parts))
    except Exception as error:
        return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
    return None if cache.holds(parts.key()) else "it could not be written to the cache"
