"""WebAssembly kernels against machine code, and the waiting times in a live demo.

``python -m benchmarks.web`` makes every method's kernel in every kind of field and has Node run it:
the size of the modules, the largest difference of any series after `STEPS` steps, relative to what
is largest in it or to 1, and nanoseconds a step beside the engine's, both watched, each the least
of a few runs in turn. ``python -m benchmarks.web demo`` opens a demo from the disk in Chromium and
drags its Δt; it needs playwright.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import engine
from engine import web
from engine.algorithms import FixedStep
from engine.algorithms.core.method import Method, all_methods
from engine.simulation.systems import SYSTEMS

from ._table import host, table, write_json
from .node import Node

STEPS = 200
TIMED = 5000
ROUNDS = 3
CHANGES = 60
WARMING = 10
"""Changes that are not counted."""
METHODS, PROBLEM, TIMES = ("NMB", "DMV"), "slow-top", {"dt": 0.005, "duration": 10.0}
"""The demo: two methods, 2 000 steps."""


def cases() -> Iterator[tuple[Method, str, Any]]:
    """Every method with fixed steps, in every kind of field that it supports."""
    for space, system in SYSTEMS.items():
        for method in all_methods(space):
            for name, problem in system.list_kinds([p for p in engine.problems(space)]).items():
                if (
                    isinstance(method, FixedStep)
                    and system.why_not(problem, method, problem.dt) is None
                ):
                    yield method, name, problem


def compare_kernel(node: Node, method: Method, problem: Any) -> dict[str, Any]:
    """Time one kernel in both forms."""
    made = web.module(problem, method, steps=STEPS)
    run = engine.simulate(problem, method, steps=STEPS)
    answer = node.ask(
        made, series=[name for name in made.header["series"] if not name.startswith("increment")]
    )
    apart = 0.0
    for name, values in answer["series"].items():
        ours = np.reshape(run.observed[name] if name in run.observed else getattr(run, name), -1)
        n = min(len(ours), len(values))
        n = (
            n if run.status == "done" else n // 4
        )  # what blows up makes much of roundoff before it ends
        theirs = np.array(values[:n], dtype=float)
        apart = max(
            apart, float(np.nanmax(np.abs(ours[:n] - theirs)) / max(1.0, np.nanmax(np.abs(ours))))
        )
    steps = TIMED if SYSTEMS[method.space] is SYSTEMS["so3"] else TIMED // 10
    node_ns = []
    native_ns = []
    for _ in range(ROUNDS):
        node_ns.append(
            1e6 * node.ask(made, asked={"steps": steps, "every": steps}, timed=5)["best"] / steps
        )
        native_ns.append(
            min(
                engine.simulate(problem, method, steps=steps, every=steps).cost.ns_per_step
                for _ in range(5)
            )
        )
    return {
        "bytes": len(made.code),
        "apart": apart,
        "alike": answer["status"] == run.status and answer["done"] == run.cost.steps,
        "ns": min(node_ns),
        "ratio": min(node_ns) / min(native_ns),
    }


def kernels(quick: bool) -> list[dict[str, Any]]:
    """Print the results by method."""
    node = Node()
    found = []
    try:
        for method, name, problem in list(cases())[:: 40 if quick else 1]:
            found.append(
                {"method": method.label, "field": name} | compare_kernel(node, method, problem)
            )
    finally:
        node.close()
    rows = []
    for label in dict.fromkeys(one["method"] for one in found):
        of_it = [one for one in found if one["method"] == label]
        sizes = [one["bytes"] for one in of_it]
        ratios = [one["ratio"] for one in of_it]
        worst = max(of_it, key=lambda one: one["apart"])
        rows.append([
            label, str(len(of_it)), f"{statistics.median(sizes):,.0f}", f"{worst['apart']:.1e}", worst["field"],
            f"{statistics.median(one['ns'] for one in of_it):.0f}", f"{statistics.median(ratios):.2f}",
        ])  # fmt: skip
    print(
        table(
            ("method", "fields", "bytes", "worst difference", "in", "ns a step", "of native"), rows
        )
    )
    worst = max(found, key=lambda one: one["apart"])
    sizes = [one["bytes"] for one in found]
    ratios = [one["ratio"] for one in found]
    otherwise = sum(not one["alike"] for one in found)
    print(
        f"{len(found)} modules of {min(sizes):,} to {max(sizes):,} bytes, median {statistics.median(sizes):,.0f}"
    )
    print(
        f"worst difference {worst['apart']:.1e} ({worst['method']}, {worst['field']}); {otherwise} end otherwise"
    )
    print(
        f"ns a step of native: median {statistics.median(ratios):.2f}, {min(ratios):.2f} to {max(ratios):.2f}"
    )
    return found


# -------------------------------------------------------------------------------------------------
# the demo

DRAG = """async ([changes, warming]) => {
    const slider = document.getElementById("form").shadowRoot.querySelector("input[type=range]");
    const painted = () => new Promise(done => requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = done;
        channel.port2.postMessage(0);
    }));
    const waits = [], computing = [];
    for (let i = 0; i < changes + warming; i++) {
        const begun = performance.now();
        slider.value = Number(slider.value) + (i % 10 < 5 ? 1 : -1);
        slider.dispatchEvent(new Event("input"));
        await painted();
        if (i >= warming) {
            waits.push(performance.now() - begun);
            computing.push(1000 * polhodeDemo.runs.reduce((sum, {run}) => sum + run.seconds, 0));
        }
        await new Promise(done => setTimeout(done, 80));
    }
    return {waits, computing};
}"""
"""Move a slider, and wait for the next frame."""


def demo(quick: bool) -> dict[str, Any]:
    """Measure opening, from the address to the first curves, and dragging, from the input to its
    paint.
    """
    import shutil

    from playwright.sync_api import sync_playwright

    import app

    from .page import FLAGS

    chromium = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    opening: list[float] = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = app.demo(PROBLEM, METHODS, **TIMES).save(Path(folder) / "demo.html")
        size = file.stat().st_size
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        for _ in range(1 if quick else 7):
            page = browser.new_context(
                viewport={"width": 1280, "height": 900}, reduced_motion="reduce"
            ).new_page()
            begun = time.perf_counter()
            page.goto(file.as_uri())
            while not page.evaluate("() => Boolean(globalThis.polhodeDemo?.runs.length)"):
                time.sleep(0.005)
            opening.append(time.perf_counter() - begun)
            dragged = page.evaluate(DRAG, [10 if quick else CHANGES, WARMING])
            page.context.close()
        browser.close()
    waits = sorted(dragged["waits"])
    computing = sorted(dragged["computing"])
    p95 = waits[int(0.95 * (len(waits) - 1))]
    print(
        f"{size:,} bytes; cold opening to the first curves: median {1e3 * statistics.median(opening):.0f} ms"
    )
    print(f"Δt dragged, input to paint: median {statistics.median(waits):.0f} ms, p95 {p95:.0f}")
    print(f"of it the kernels: median {statistics.median(computing):.2f} ms")
    return {"bytes": size, "opening_seconds": opening, "waits_ms": waits, "kernels_ms": computing}


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.web", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("what", nargs="?", choices=("kernels", "demo"), default="kernels")
    parser.add_argument("--json", metavar="FILE", help="write all figures")
    parser.add_argument("--quick", action="store_true", help="a smoke run")
    given = parser.parse_args(arguments)
    result = demo(given.quick) if given.what == "demo" else kernels(given.quick)
    if given.json:
        write_json(given.json, {"host": host(("polhode", "numpy", "llvmlite")), "results": result})


if __name__ == "__main__":
    main()
