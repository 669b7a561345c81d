"""Mutation testing: change the product at random, one place at a time, and see whether a test fails.

``python tests/mutations.py --count 40 --seed 1`` first runs the tests once and records which functions each of them
reaches (Python 3.12 or later), then applies each mutation in a copy of HEAD and runs the tests that reach it.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("engine", "app")
RECORD = "POLHODE_REACH"
"""The environment variable with the folder in which a test process records what its tests reach."""
MOST_TESTS = 60
"""Tests that are run against one mutation, spread over all that reach it."""
TIME = 900
"""Seconds after which a mutation counts as found: a test that hangs does not pass."""

# ------------------------------------------------------------------------------------------------- what tests reach


class Reach:
    """A pytest plugin that records the functions of the product that run, or are compiled, during each test."""

    def __init__(self, folder: str) -> None:
        self._path = Path(folder, f"{os.getpid()}.json")
        self._found: dict[str, set[str]] = defaultdict(set)
        self._test = ""
        watch = sys.monitoring
        watch.use_tool_id(watch.COVERAGE_ID, "reach")
        watch.register_callback(watch.COVERAGE_ID, watch.events.PY_START, self._begin_function)
        watch.set_events(watch.COVERAGE_ID, watch.events.PY_START)
        self._watch_compiler()

    def _begin_function(self, code: CodeType, _: int) -> Any:
        self._note(code)
        return sys.monitoring.DISABLE

    def _note(self, code: CodeType) -> None:
        if self._test and code.co_filename.startswith(tuple(f"{ROOT / package}{os.sep}" for package in PACKAGES)):
            self._found[self._test].add(f"{Path(code.co_filename).relative_to(ROOT)}:{code.co_firstlineno}")

    def _watch_compiler(self) -> None:
        """A compiled function never starts in Python: it counts when a kernel's key is computed from its code."""
        from engine.compiler import fingerprint

        feed: Callable[..., None] = fingerprint._feed_code

        def note_and_feed(update: Any, code: CodeType) -> None:
            self._note(code)
            feed(update, code)

        fingerprint._feed_code = note_and_feed

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._test = nodeid
        sys.monitoring.restart_events()

    def pytest_runtest_logfinish(self) -> None:
        self._test = ""

    def pytest_sessionfinish(self) -> None:
        self._path.write_text(json.dumps({test: sorted(places) for test, places in self._found.items()}))


def pytest_configure(config: Any) -> None:
    """Record, where this file is loaded as a plugin."""
    if folder := os.environ.get(RECORD):
        config.pluginmanager.register(Reach(folder))


def record_reach(folder: Path, tests: Sequence[str]) -> dict[str, list[str]]:
    """Run the tests and return, for each function (file:line), those that reach it."""
    environment = os.environ | {RECORD: str(folder), "PYTHONPATH": str(ROOT / "tests")}
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "mutations", "--ignore=tests/browser", *tests]
    subprocess.run(command, cwd=ROOT, env=environment, check=False)
    reached: dict[str, list[str]] = defaultdict(list)
    for path in sorted(folder.glob("*.json")):
        for test, places in json.loads(path.read_text()).items():
            for place in places:
                reached[place].append(test)
    return reached


# ------------------------------------------------------------------------------------------------- what is mutated


@dataclass(frozen=True)
class Mutation:
    """Another text for a part of a file, in the function that begins at `line`; line 0 stands for the module."""

    path: str
    line: int
    at: tuple[int, int]
    before: str
    after: str

    @property
    def package(self) -> str:
        """The folder, two levels deep."""
        return "/".join(self.path.split("/")[:-1][:2])

    def __str__(self) -> str:
        return f"{self.path}: {self.before!r} → {self.after!r}"

    def apply(self, folder: Path) -> None:
        """Write the file anew."""
        path = folder / self.path
        data = path.read_bytes()
        start, end = self.at
        assert data[start:end].decode() == self.before
        path.write_bytes(data[:start] + self.after.encode() + data[end:])


SWAPS: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


def change(node: ast.AST) -> ast.expr | None:
    """Return the mutated expression: a constant, a sign, an operator, a comparison, or the order of two arguments."""
    match node:
        case ast.Constant(value=bool(value)):
            return ast.Constant(not value)
        case ast.Constant(value=int(value)):
            return ast.Constant(value + 1)
        case ast.Constant(value=float(value)):
            return ast.Constant(1.25 * value or 1.0)
        case ast.UnaryOp(op=ast.USub() | ast.Not(), operand=operand):
            return operand
        case ast.BinOp(left, op, right) if type(op) in SWAPS:
            return ast.BinOp(left, SWAPS[type(op)](), right)
        case ast.BoolOp(op, values):
            return ast.BoolOp(SWAPS[type(op)](), values)
        case ast.Compare(left, [op], [right]) if type(op) in SWAPS:
            return ast.Compare(left, [SWAPS[type(op)]()], [right])
        case ast.Call(function, [first, second, *more], keywords):
            swapped = not isinstance(first, ast.Starred) and not isinstance(second, ast.Starred)
            return ast.Call(function, [second, first, *more], keywords) if swapped else None
    return None


def find_mutations(path: Path) -> Iterator[Mutation]:
    """Every place of a file that can be changed."""
    text = path.read_text(encoding="utf-8")
    starts = [0]
    for line in text.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    lines = text.encode()

    def visit(node: ast.AST, line: int) -> Iterator[Mutation]:
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "format_spec"):
                continue  # what is only read by people and tools, or declared once
            for child in value if isinstance(value, list) else [value]:
                if not isinstance(child, ast.AST) or isinstance(child, ast.JoinedStr):
                    continue
                inner = line
                if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                    inner = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
                if isinstance(child, ast.expr) and (changed := change(child)) is not None:
                    start = starts[child.lineno - 1] + child.col_offset
                    end = starts[(child.end_lineno or 1) - 1] + (child.end_col_offset or 0)
                    before = lines[start:end].decode()
                    yield Mutation(
                        str(path.relative_to(ROOT)), line, (start, end), before, f"({ast.unparse(changed)})"
                    )
                yield from visit(child, inner)

    yield from visit(ast.parse(text), 0)


def choose(count: int, seed: int) -> list[Mutation]:
    """Take mutations at random: a package, then a file, then a place, so that small packages count as much."""
    chance = random.Random(seed)
    by_package: dict[str, dict[str, list[Mutation]]] = defaultdict(dict)
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if found := list(find_mutations(path)):
                by_package[found[0].package][found[0].path] = found
    packages = sorted(by_package)
    chance.shuffle(packages)
    chosen: list[Mutation] = []
    while len(chosen) < count:
        files = by_package[packages[len(chosen) % len(packages)]]
        mutation = chance.choice(files[chance.choice(sorted(files))])
        if mutation not in chosen:
            chosen.append(mutation)
    return chosen


def tests_of(mutation: Mutation, reached: dict[str, list[str]]) -> list[str]:
    """The tests that reach a mutation: those of its function, or of any function of its module."""
    found = list(reached.get(f"{mutation.path}:{mutation.line}", ())) if mutation.line else []
    if not found:
        found = [t for place, tests in reached.items() if place.rpartition(":")[0] == mutation.path for t in tests]
    found = list(dict.fromkeys(found))
    return found[:: max(1, -(-len(found) // MOST_TESTS))]


# ------------------------------------------------------------------------------------------------- the verdict


def is_found(mutation: Mutation, tests: Sequence[str]) -> bool:
    """Whether one of the tests fails in a copy with this mutation."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "clone", "--quiet", "--shared", str(ROOT), folder], check=True)
        mutation.apply(Path(folder))
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "", *tests]
        environment = os.environ | {"PYTHONPATH": folder}
        try:
            ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=TIME, text=True)
        except subprocess.TimeoutExpired:
            return True
        return ended.returncode != 0


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=40, help="mutations (default %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="other numbers choose other places")
    parser.add_argument("--reach", type=Path, help="a folder that keeps what the tests reach")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        kept = given.reach / "reach.json" if given.reach else Path(temporary, "reach.json")
        if not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps(record_reach(Path(temporary), ())))
        reached = json.loads(kept.read_text())
    survivors = 0
    for number, mutation in enumerate(choose(given.count, given.seed), 1):
        tests = tests_of(mutation, reached)
        found = bool(tests) and is_found(mutation, tests)
        survivors += not found
        verdict = "found" if found else "survives" if tests else "is reached by no test"
        print(f"{number:3} {verdict:9} of {len(tests):2} tests  {mutation}", flush=True)
    print(f"{given.count - survivors} of {given.count} mutations found")


if __name__ == "__main__":
    main()
