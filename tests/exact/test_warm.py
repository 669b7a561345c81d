"""`warm`: the list of kernels, parallel compilation, and the cache."""

from __future__ import annotations

import dataclasses
import os
import re
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from covering import first
from timeouts import TIMEOUT

import engine
from engine.cli import command as cli
from engine.compiler import cache, native, notices
from engine.exact.warm_up import (
    FOR_REFERENCE,
    Kernel,
    compile_kernels,
    find_missing_kernels,
    list_distinct_kernels,
)
from engine.kernels import build, compiles, make_parts
from engine.kernels.parts import Parts
from engine.simulation.one_body import CUSTOM_TORQUES
from engine.simulation.systems import SYSTEMS

ROOT = Path(engine.__file__).resolve().parents[1]


WARM = [sys.executable, "-m", "engine", "warm"]


def environment(folder: Path) -> dict[str, str]:
    """The environment of another process, which compiles, finds the engine, and has its own
    cache.
    """
    kept = {name: value for name, value in os.environ.items() if name != "POLHODE_PLAIN"}
    return kept | {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "POLHODE_CACHE_DIR": str(folder)}


def warm(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`polhode warm` in another process."""
    command = [*WARM, *arguments]
    return subprocess.run(
        command,
        env=environment(folder),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=TIMEOUT,
    )


@pytest.mark.exhaustive
def test_without_a_compiler_it_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLHODE_PLAIN", "1")
    assert cli.main(["warm"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("Compiling is switched off") and out.count("\n") == 1 and err == ""
    assert not engine.warm().compiles


@pytest.mark.exhaustive
def test_there_is_a_kernel_for_each_method_and_field() -> None:
    kinds = SYSTEMS["so3"].list_kinds()
    kernels = list_distinct_kernels(engine.algorithms(), kinds)
    on = [kernel.torque for kernel in kernels if kernel.method == "RKMK"]
    assert {"free", "soft-wall", "magnet", "custom(torque=body)", *CUSTOM_TORQUES.values()} <= set(
        on
    )
    assert "fast-top" not in on, "all tops share one field, and so one kernel"
    fields = {parts.field.name for parts in kernels.values()}
    assert len(on) == len(fields)
    assert Kernel("so3", "BUSS4", "magnet") in kernels, "the rates of its torque are derived"
    of_velocity = CUSTOM_TORQUES[True, False]
    assert Kernel("so3", "NMB", of_velocity) not in kernels, (
        "it is made for torques of time and attitude"
    )
    assert len(list_distinct_kernels([engine.algorithm("BUSS3+E")], kinds)) == 1
    watching = [kernel for kernel in kernels if kernel.which]
    assert len(watching) == len(fields), (
        "what watches states is the same for every method that has its own steps"
    )


def test_kernels_for_two_bodies() -> None:
    kernels = list_distinct_kernels(engine.algorithms("se3"), SYSTEMS["se3"].list_kinds())
    assert (
        len({parts.key() for parts in kernels.values()})
        == len(kernels)
        == 2 * len(engine.algorithms("se3")) - 1 + 2
    ), "TAYLOR takes dumbbells alone"
    assert Kernel("se3", "SRK", "two-bodies") in kernels
    assert {kernel.torque for kernel in kernels if kernel.which} == {"dumbbells", "two-bodies"}
    report = engine.warm(["LGVI"], ["DB1", "dumbbells"], jobs=1)
    assert report.already + report.compiled == 1 and not report.failed


def test_kinds_of_what_a_caller_brings_are_known_by_names_to_all() -> None:
    turned = [[1.5, 0.2, 0.0], [0.2, 2.0, 0.0], [0.0, 0.0, 2.2]]
    own = engine.Problem(J=turned, torque=lambda t, R: R[0])
    asked = SYSTEMS["so3"].list_kinds(
        [own, engine.Problem(J=turned), engine.problem("slow-top", Omega0=(0, 0, 9))]
    )
    every = SYSTEMS["so3"].list_kinds()
    assert list(asked) == [CUSTOM_TORQUES[False, False], "custom", "slow-top"]
    for name, problem in asked.items():
        parts = SYSTEMS["so3"].list_kernels(problem, engine.algorithm("NMB"), problem.dt)
        assert parts == SYSTEMS["so3"].list_kernels(
            every[name], engine.algorithm("NMB"), problem.dt
        )


@pytest.mark.exhaustive
def test_the_kernels_of_every_problem_are_among_those_that_are_warmed() -> None:
    for space, system in SYSTEMS.items():
        methods = engine.algorithms(space)
        kinds = system.list_kinds()
        keys = {parts.key() for parts in list_distinct_kernels(methods, kinds).values()}
        for problem in engine.problems(space):
            for method in methods:
                assert {
                    parts.key()
                    for parts in SYSTEMS[problem.space].list_kernels(problem, method, problem.dt)
                } <= keys


@pytest.mark.exhaustive
def test_it_fills_the_cache_and_finds_it_again(tmp_path: Path) -> None:
    arguments = ["--methods", "NMB", "MR2", "--problems", "free", "--jobs", "2"]
    first = warm(tmp_path, *arguments)
    assert first.returncode == 0 and first.stderr.splitlines()[-1].startswith(
        "100 %  2 of 2 kernels"
    )
    report = rf"Kernels: 0 already in the cache, 2 compiled in [\d.]+ s; the cache is {re.escape(str(tmp_path))}\.\n"
    assert re.fullmatch(report, first.stdout)
    assert len(list(tmp_path.glob("*.o"))) == 2
    second = warm(tmp_path, *arguments, "--quiet")
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")
    third = warm(tmp_path, *arguments)
    assert (
        third.stdout == f"Kernels: 2 already in the cache, 0 compiled; the cache is {tmp_path}.\n"
    )
    assert len(list(tmp_path.glob("*.o"))) == 2, "a kernel is kept under another name each time"


def test_what_can_not_be_kept_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("POLHODE_PLAIN", "0")
    monkeypatch.setattr("engine.kernels.driver._llvm_is_there", lambda: True)
    monkeypatch.setattr(build, "object_code", lambda parts: b"")
    monkeypatch.setattr(cache, "store", lambda key, code: None)
    assert cli.main(["warm", "--methods", "NMB", "--problems", "free", "--quiet"]) == 1
    out, err = capsys.readouterr()
    report = "0 already in the cache, 0 compiled, 1 failed: NMB on free (it could not be written to the cache)"
    assert out == "" and err == f"polhode: Kernels: {report}; the cache is {tmp_path}.\n"


@pytest.mark.exhaustive
@pytest.mark.skipif(sys.platform == "win32", reason="signals of another kind")
def test_an_interrupt_ends_it(tmp_path: Path) -> None:
    with subprocess.Popen(
        [*WARM, "--jobs", "2"],
        env=environment(tmp_path),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        try:
            assert process.stderr is not None
            report = re.match(r" +0 %  1 of ([\d,]+) ", process.stderr.readline())
            assert report
            os.killpg(process.pid, signal.SIGINT)
            said = "polhode: interrupted; what is compiled so far is kept, and the next time it goes on\n"
            assert process.stderr.read() == said
            assert process.wait(TIMEOUT) == 130
            assert len(list(tmp_path.glob("*.o"))) < int(report[1].replace(",", "")), (
                "it went on compiling"
            )
        finally:
            process.kill()


@pytest.mark.parametrize(
    "problem",
    first([engine.problem("coning", sensor="sampled"), *engine.problems(None)], 4),
    ids=lambda problem: problem.label,
)
def test_what_runs_would_compile_first_is_known(
    problem: engine.Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs and the exact motion compile what `find_missing_kernels` names while the cache is
    empty.
    """
    if problem.space == "so3":
        turned = [[1.5, 0.2, 0.0], [0.2, 2.0, 0.0], [0.0, 0.0, 2.2]]
        problem = problem.replace(J=turned) if problem.key == "asymmetric-top" else problem
    chosen = {"so3": ["CF4", "DOP853"], "se3": ["LGVI"], "rates": ["MAGNUS"]}
    labels = chosen[problem.space]
    if problem.space == "rates" and problem.interval is not None:
        labels = ["EXP(rate=mean)"]
    methods = [engine.algorithm(label, space=problem.space) for label in labels]
    asked: set[Parts] = set()
    compiled = build.compile_kernel
    monkeypatch.setattr(
        build, "compile_kernel", lambda parts, name="": asked.add(parts) or compiled(parts, name)
    )
    with monkeypatch.context() as nothing:
        nothing.setattr(build, "is_loaded", lambda parts: False)
        named = find_missing_kernels(problem, methods)
    problem = problem.replace()  # which has no kernels yet
    for method in methods:
        run = engine.simulate(problem, method, dt=problem.dt, duration=20 * problem.dt)
    if problem.space != "se3":
        engine.exact(problem, run.t)
    assert asked <= {parts for _, parts in named}
    assert {label for label, _ in named} <= {*labels, FOR_REFERENCE}
    for _, parts in named:
        compiled(parts)
    assert find_missing_kernels(problem, methods) == [], "they are there now"


COLD = """
import threading
import engine
from engine.compiler import notices
from engine.exact.warm_up import compile_kernels, find_missing_kernels
problem, methods = engine.problem("free"), [engine.algorithm("NMB"), engine.algorithm("MR2")]
reports, stop = [], threading.Event()
kernels = find_missing_kernels(problem, methods)
compile_kernels(kernels, lambda *words: (reports.append(words), stop.set()), stop)
print(reports, [label for label, _ in find_missing_kernels(problem, methods)])
heard = []
with notices.listen(heard.append):
    for label in ("NMB", "MR2", "MR2"):
        engine.simulate(problem, label, steps=10)
print(heard, find_missing_kernels(problem, methods))
"""


@pytest.mark.exhaustive
def test_who_waits_is_told_what_is_compiled_and_can_stop_it(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", COLD],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )
    assert done.stdout.splitlines() == ["[(1, 2, 'NMB')] ['MR2']", "['MR2', ''] []"], done.stderr


def two_kernels() -> list[tuple[str, Parts]]:
    """Kernels with different parts."""
    free = engine.problem("free").action(0.1)
    return [
        (name, dataclasses.replace(make_parts(engine.algorithm(name), free.field), tracked=False))
        for name in ("NMB", "SW")
    ]


def test_two_are_compiled_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both wait in the compiler for each other; the notice names both, then the remaining one."""
    both = threading.Barrier(2)
    one_is_there = threading.Event()
    reports: list[str] = []

    def slowly(parts: Parts, name: str = "") -> None:
        both.wait(TIMEOUT)
        if parts is kernels[1][1]:
            assert one_is_there.wait(TIMEOUT)

    def tell(number: int, of: int, labels: str) -> None:
        reports.append(notices.describe_compiling(labels, number, of))
        if number == 2:
            one_is_there.set()

    kernels = two_kernels()
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    monkeypatch.setattr(build, "compile_kernel", slowly)
    assert compile_kernels(kernels, tell)
    assert reports[1:] == ["Compiling NMB and SW, once (1 of 2)", "Compiling SW, once (2 of 2)"]


def test_of_many_that_are_compiled_at_the_same_time_one_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The notice fits on its line."""
    every = threading.Barrier(3)
    reports: list[str] = []
    kernels = [*two_kernels(), (FOR_REFERENCE, two_kernels()[0][1])]
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2}, raising=False)
    monkeypatch.setattr(build, "compile_kernel", lambda parts, name="": every.wait(TIMEOUT))
    assert compile_kernels(
        kernels, lambda number, of, labels: reports.append(f"{labels} ({number} of {of})")
    )
    assert reports[2] == "NMB and others (1 of 3)"


@pytest.mark.skipif(not compiles(), reason="compiling is switched off, or llvmlite not installed")
@pytest.mark.parametrize(
    "name", ["LLVMPY_RunNewModulePassManager", "LLVMPY_TargetMachineEmitToMemory"]
)
def test_while_llvm_works_others_may_use_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long compilations continue while another thread holds llvmlite's lock."""
    unlocked = native._unlocked
    in_vain = list[str]()

    def holding(held: threading.Event, over: threading.Event) -> None:
        with native.llvm().ffi.lib._lock:
            held.set()
            if not over.wait(TIMEOUT):
                in_vain.append(name)

    def watched(called: str) -> Any:
        def call(*given: Any) -> Any:
            held = threading.Event()
            over = threading.Event()
            other = threading.Thread(target=holding, args=(held, over))
            other.start()
            assert held.wait(TIMEOUT)
            result = unlocked(called)(*given)
            over.set()
            other.join()
            return result

        return call if called == name else unlocked(called)

    monkeypatch.setattr(native, "_unlocked", watched)
    assert build.object_code(two_kernels()[0][1])
    assert not in_vain


@pytest.mark.exhaustive
@pytest.mark.skipif(not compiles(), reason="compiling is switched off, or llvmlite not installed")
def test_compiled_at_the_same_time_they_are_what_they_are_one_by_one() -> None:
    wanted = [parts for _, parts in two_kernels()] * 2
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(build.object_code, wanted)) == [
            build.object_code(parts) for parts in wanted
        ]
