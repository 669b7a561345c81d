"""Nanoseconds per step and body: many bodies side by side in one kernel, against one body after the
other.

    python -m benchmarks.ensemble [--widths] [--quick] [--json FILE]

Both sides are kernels of the engine on one thread, with the same starts and steps; runs alternate,
and each ratio is the median of the ratios of neighbouring runs. Single runs track every invariant,
as `engine.simulate` does; an ensemble tracks the energy and checks that values are finite. Methods
that iterate gain little from vectors, which the table shows.

`--widths` compares kernels with vectors of the processor's full width and of fewer bits, in turn; with shared
parameters and a shared step, and with those of each body, as in a sweep.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import statistics
from collections.abc import Sequence
from typing import Any

import numpy as np

import engine
from engine.compiler import native
from engine.kernels import build, make_parts
from engine.kernels.batch import Batch
from engine.kernels.driver import ReadyKernel
from engine.kernels.layout import OWN_SIZE, OWN_STEP, OWN_STEPS, PARAMETERS
from engine.simulation.one_body import (
    find_action,
    prepare_kernel,
    turn_to_principal_axes,
)
from engine.studies.ensemble import draw_starts, ensemble

from ._table import host, paired_ratio, table, write_json

METHODS = ("MR2", "SW", "BUSS3", "CF4", "RKMK", "AKW", "NMB")
PROBLEMS = ("free", "slow-top")
MEMBERS = 256
STEPS = 2000
FEW_STEPS, MANY_ROUNDS = 200, 10
"""For the minimum: the factor by which runs are shorter and more numerous, so that few are
disturbed.
"""
SPREAD = 0.1
WIDTHS = {512: "-prefer-256-bit", 256: "+prefer-256-bit", 128: "+prefer-128-bit"}
"""Bits of a vector, with LLVM's option for them."""


def time_both(problem: str, method: str, members: int, steps: int, rounds: int) -> dict[str, Any]:
    """Time both sides in turn, after one round to warm up."""
    body = engine.problem(problem, engine.Problem)
    together: list[float] = []
    alone: list[float] = []
    for i in range(rounds + 1):
        found = ensemble(
            body,
            method,
            members=members,
            spread=SPREAD,
            duration=steps * body.dt,
            samples=1,
            workers=1,
        )
        runs = [
            engine.simulate(found.member(k), method, steps=steps, samples=1) for k in range(members)
        ]
        made = sum(run.cost.steps for run in runs)
        if made != found.made.sum():
            raise SystemExit(
                f"{method} on {problem}: {made} steps alone, {found.made.sum()} together"
            )
        if i:
            together.append(found.ns_per_step)
            alone.append(1e9 * sum(run.cost.seconds for run in runs) / made)
    figures = {"together": statistics.median(together), "alone": statistics.median(alone)}
    return (
        {"method": method, "problem": problem} | figures | {"ratio": paired_ratio(together, alone)}
    )


def by_width(problem: str, method: str, varied: bool, steps: int, rounds: int) -> dict[str, Any]:
    """Return nanoseconds per step and body by the bits of a vector: the minimum of the rounds, in
    turn.
    """
    body = engine.problem(problem, engine.Problem)
    times: dict[int, list[float]] = {}
    for i in range(rounds + 1):
        for bits, kernel in _for_widths(body, engine.algorithm(method), varied):
            batch = _batch(body, kernel, varied, steps)
            before = batch.seconds  # of the first states
            batch.advance_here(steps)
            if not (batch.steps == steps).all():
                raise SystemExit(f"{method} on {problem}: not every body ran to its end")
            if i:
                times.setdefault(bits, []).append(
                    1e9 * (batch.seconds - before) / (MEMBERS * steps)
                )
    least = {bits: min(found) for bits, found in times.items()}
    return {"method": method, "problem": problem, "varied": varied, "by_width": least}


@functools.cache
def _for_widths(body: Any, method: Any, varied: bool) -> list[tuple[int, ReadyKernel]]:
    """Return the kernel of many bodies for each vector width of the processor."""
    name, features = native.processor()
    action, _ = find_action(body, method, body.dt)
    kernel = prepare_kernel(body, method, action, True, side_by_side=True, varied=varied)
    text = build.text_of(
        make_parts(method, turn_to_principal_axes(body, action).field).for_batches(True, varied)
    )
    made = []
    for bits, word in WIDTHS.items():
        if bits == 512 and "+avx512f" not in features.split(","):
            continue
        machine = native.target_machine(name, f"{features},{word}")
        code = native.made_for(machine, text, native.LOOPS_TO_VECTORS)
        made.append((bits, dataclasses.replace(kernel, advance=build.PROTOTYPE(native.link(code)))))
    return made


def _batch(body: Any, kernel: ReadyKernel, varied: bool, steps: int) -> Batch:
    """Return bodies with different starts; if varied, each has its own step and a copy of the
    parameters.
    """
    R0, Omega0 = draw_starts(body, MEMBERS, SPREAD, 1)
    axes = body.principal[1]
    starts = np.concatenate([(R0 @ axes).reshape(-1, 9), Omega0 @ axes], axis=1)
    if not varied:
        return Batch(kernel, starts, body.dt)
    own = np.empty((MEMBERS, OWN_SIZE))
    own[:, :PARAMETERS] = kernel.parameters
    own[:, OWN_STEPS] = steps
    own[:, OWN_STEP] = np.linspace(0.5, 1.0, MEMBERS) * body.dt
    return Batch(kernel, starts, 0.0, own=own)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.ensemble", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--json", metavar="FILE", help="write all figures")
    parser.add_argument("--rounds", type=int, default=7, help="runs of each (default %(default)s)")
    parser.add_argument(
        "--widths", action="store_true", help="by the bits of a vector, and not against one by one"
    )
    parser.add_argument(
        "--quick", action="store_true", help="a smoke run: one method, one round, few members"
    )
    given = parser.parse_args(arguments)

    every = (
        [("free", "MR2")]
        if given.quick
        else [(problem, method) for problem in PROBLEMS for method in METHODS]
    )
    rounds, steps = (1, 100) if given.quick else (given.rounds, STEPS)
    if given.widths:
        many = rounds if given.quick else MANY_ROUNDS * rounds
        results = [
            by_width(p, m, varied, FEW_STEPS, many) for p, m in every for varied in (False, True)
        ]
        bits = list(results[0]["by_width"])
        rows = [
            [f"{row['method']}, {row['problem']}{', own parameters' * row['varied']}"]
            + [f"{row['by_width'][n]:.1f}" for n in bits]
            for row in results
        ]
        print(f"{host()['cpu']}, which LLVM knows as {native.processor()[0]}\n")
        print(table(("ns a step and body", *(f"{n} bits" for n in bits)), rows))
    else:
        results = [time_both(p, m, 64 if given.quick else MEMBERS, steps, rounds) for p, m in every]
        rows = [
            [f"{row['method']}, {row['problem']}"]
            + [f"{row['together']:.1f}", f"{row['alone']:.1f}", f"{row['ratio']:.2f}"]
            for row in results
        ]
        print(table(("ns a step and body", "side by side", "one by one", "ratio"), rows))
    if given.json:
        write_json(
            given.json, {"host": host(), "members": MEMBERS, "steps": STEPS, "results": results}
        )


if __name__ == "__main__":
    main()
