"""Compiling kernels before anybody waits for them: all methods on all kinds of torque, in parallel, kept on disk."""

from __future__ import annotations

import itertools
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from . import plugins
from .algorithms.method import Method
from .algorithms.method import find as find_method
from .algorithms.method import registered as all_methods
from .checks import whole_number
from .compiler import build, cache
from .compiler.build import Parts
from .exact import actions_run
from .exact.reference import METHOD as REFERENCE
from .problems.problem import Action, Posed, Problem, posed
from .problems.problem import find as find_problem
from .problems.problem import registered as all_problems
from .simulate import in_principal_axes, misfit, parts_of, watching_parts
from .twobody import setting as pair
from .twobody.problem import TwoBodies

OWN_TORQUES = {"a torque of one's own": False, "a torque and potential of one's own": True}
"""The kinds of torque that a caller brings, and whether a potential comes with it."""

WATCHING = "the watching of an adaptive method's states"
"""Stands for a method whose kernel only observes."""

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
            return "Numba is not installed or switched off, so nothing is compiled: methods run as plain Python."
        time_taken = f" in {self.seconds:.1f} s" if self.compiled else ""
        text = f"Kernels: {self.already} there already, {self.compiled} compiled{time_taken}"
        if self.failed:
            name, reason = self.failed[0]
            text += f", {len(self.failed)} not: {name} ({reason})" + (" and others" if len(self.failed) > 1 else "")
        return f"{text}; kept in {self.directory}."


class Kernel(NamedTuple):
    """One kernel by names, as they can be sent to another process."""

    method: str
    torque: str

    def __str__(self) -> str:
        return f"{self.method} on {self.torque}"

    def parts(self) -> Parts:
        """What it is made of."""
        if self.torque in OWN_TORQUES:
            return parts_of(find_method(self.method), Action(build.pointer_field(OWN_TORQUES[self.torque])))
        problem = posed(self.torque)
        if isinstance(problem, TwoBodies):
            if self.method == WATCHING:
                return pair.watching_parts(problem)
            return pair.parts_of(find_method(self.method, space=problem.space), problem)
        return parts_of(find_method(self.method), problem.action(problem.dt))


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
    chosen, for_two = ([m for m in every if m.space == space] for space in ("so3", "se3"))
    wanted = None if problems is None else [posed(problem) for problem in problems]
    pairs = all_problems("se3") if wanted is None else [p for p in wanted if isinstance(p, TwoBodies)]
    bodies = None if wanted is None else [p for p in wanted if isinstance(p, Problem)]
    if any(method.step is None for method in chosen):  # their states are watched, or come from a reference run
        chosen += [find_method("EXACT"), find_method(REFERENCE)]
    at_most = _processors() if jobs is None else whole_number(jobs, "jobs", 1, 10_000)
    kernels = _distinct(chosen, _torques(bodies)) | _of_pairs(for_two, pairs)
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
    if isinstance(problem, TwoBodies):
        wanted = _wanted_for_two(problem, methods)
    else:
        assert isinstance(problem, Problem)
        wanted = _wanted(problem, methods, h)
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
        if cancel is not None and cancel.is_set():
            return False
        if told is not None:
            told(i, len(kernels), label)
        build.compiled(parts)
    return not (cancel is not None and cancel.is_set())


def _wanted(problem: Problem, methods: Iterable[Method], h: float) -> Iterator[tuple[str, Parts]]:
    """The kernels of runs of one body, also those that are there."""
    for method in methods:
        action = problem.action(problem.dt if method.adaptive else h)
        if problem.torque is not None or misfit(method, action.field) is not None:
            continue
        action = in_principal_axes(problem, action)
        yield method.label, parts_of(method, action)
        if method.solve is not None:
            yield method.label, watching_parts(action)
    if problem.torque is None:
        reference = find_method(REFERENCE)
        for action in actions_run(problem, h):
            yield FOR_REFERENCE, parts_of(reference, action)


def _wanted_for_two(problem: TwoBodies, methods: Iterable[Method]) -> Iterator[tuple[str, Parts]]:
    """The same of two bodies."""
    for method in methods:
        yield method.label, pair.parts_of(method, problem)
        if method.solve is not None:
            yield method.label, pair.watching_parts(problem)


def _processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _torques(problems: Iterable[str | Problem] | None) -> dict[str, Action]:
    """Every kind of torque of the problems, by a name that leads to it again."""
    found: dict[str, Action] = {}
    for problem in all_problems() if problems is None else map(find_problem, problems):
        if problem.torque is not None:
            found |= _own(problem.potential is not None)
            continue
        choices = {p.name: p.choices for p in problem.specific if p.choices}
        for values in itertools.product(*choices.values()):
            variant = problem.replace(**dict(zip(choices, values, strict=True)))
            found[variant.label] = variant.action(variant.dt)
    if problems is None:
        found |= _own(False) | _own(True)
    return found


def _own(with_potential: bool) -> dict[str, Action]:
    """The torque of a caller's own, by its name."""
    return {
        name: Action(build.pointer_field(potential))
        for name, potential in OWN_TORQUES.items()
        if potential == with_potential
    }


def _distinct(methods: Sequence[Method], torques: dict[str, Action]) -> dict[Kernel, Parts]:
    """The kernels that are needed, each once: problems share fields, as all tops do gravity."""
    by_key: dict[str, tuple[Kernel, Parts]] = {}
    for method in methods:
        for name, action in torques.items():
            if misfit(method, action.field) is None:
                parts = parts_of(method, action)
                by_key.setdefault(parts.key(), (Kernel(method.label, name), parts))
    return dict(by_key.values())


def _of_pairs(methods: Sequence[Method], problems: Sequence[TwoBodies]) -> dict[Kernel, Parts]:
    """The kernels for two bodies: one for each method and each kind of gravity, by a problem that has it."""
    known = {problem.attraction: problem.key for problem in all_problems("se3")}
    kinds = {known[problem.attraction]: problem for problem in problems}
    kernels = {Kernel(m.label, key): pair.parts_of(m, problem) for m in methods for key, problem in kinds.items()}
    if any(method.adaptive for method in methods):
        kernels |= {Kernel(WATCHING, key): pair.watching_parts(problem) for key, problem in kinds.items()}
    return kernels


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
