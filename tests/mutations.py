"""Mutation testing: change the product at random, one place at a time, and see whether a test
fails.

``python -m tests.mutations --count 40 --seed 1`` runs the quick tests once and records which lines
each reaches (on Python 3.12 or later), then makes each change in a copy of the working tree and
runs the tests that reach its line. Of a script, it runs all tests that run scripts in Node.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from benchmarks.node import executable

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("engine", "app")
SCRIPTS = "assets/js"
RECORD = "POLHODE_REACH"
"""The environment variable with the folder in which a test process records what its tests reach."""
SELECTION = "POLHODE_SELECTION"
"""The environment variable with the file that lists the tests to run."""
TABLE = ROOT / "docs" / "mutations.json"
"""What the documentation shows."""
SECONDS = 150.0
"""Tests of one mutation take at most this long without it; the slowest of them are left out."""

HANGS = 700.0
"""Seconds after which the tests of one mutation hang."""

# -------------------------------------------------------------------------------------------------
# what tests reach


class Reach:
    """A pytest plugin that records the lines of the product that run, or are compiled, during each
    test.
    """

    def __init__(self, folder: str) -> None:
        self._path = Path(folder, f"{os.getpid()}.json")
        self._found: dict[str, set[str]] = defaultdict(set)
        self._seconds: dict[str, float] = {}
        self._failed: set[str] = set()
        self._test = self._file = ""
        self._roots = tuple(f"{ROOT / package}{os.sep}" for package in PACKAGES)
        watch = sys.monitoring
        watch.use_tool_id(watch.COVERAGE_ID, "reach")
        watch.register_callback(watch.COVERAGE_ID, watch.events.LINE, self._note_line)
        watch.set_events(watch.COVERAGE_ID, watch.events.LINE)
        self._watch_compiler()

    def _note_line(self, code: CodeType, line: int) -> Any:
        if self._test and code.co_filename.startswith(self._roots):
            self._found[self._test].add(f"{code.co_filename[len(str(ROOT)) + 1 :]}:{line}")
        return sys.monitoring.DISABLE

    def _watch_compiler(self) -> None:
        """Compiled lines never run in Python: they count when a kernel's key is computed from their
        code.
        """
        from engine.compiler import fingerprint

        feed = fingerprint._feed_code

        def note_and_feed(update: Any, code: CodeType, *docstring: Any) -> None:
            for *_, line in code.co_lines():
                if line is not None:
                    self._note_line(code, line)
            feed(update, code, *docstring)

        fingerprint._feed_code = note_and_feed

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._test = nodeid
        file = nodeid.partition("::")[0]
        if file != self._file:
            self._file = file
            forget_results()
        self._seconds[nodeid] = -time.monotonic()
        sys.monitoring.restart_events()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed:
            self._failed.add(report.nodeid)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self._test = ""
        self._seconds[nodeid] += time.monotonic()

    def pytest_sessionfinish(self) -> None:
        sys.monitoring.set_events(sys.monitoring.COVERAGE_ID, 0)
        passed = {test: self._seconds[test] for test in self._found if test not in self._failed}
        places: dict[str, list[int]] = defaultdict(list)
        for number, test in enumerate(passed):
            for place in self._found[test]:
                places[place].append(number)
        if passed:
            self._path.write_text(json.dumps({"seconds": passed, "places": places}))


def forget_results() -> None:
    """Empty the product's caches, so that each file of tests reaches what it needs."""
    import engine
    from engine.kernels import build

    build._kernels.clear()
    for problem in engine.problems(None):
        problem._results.clear()
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in PACKAGES:
            for thing in list(vars(module).values()):
                if (
                    hasattr(thing, "cache_clear")
                    and getattr(thing, "__module__", "").partition(".")[0] in PACKAGES
                ):
                    thing.cache_clear()


@dataclass
class Reached:
    """The tests that pass, with their seconds, and those that reach each line (file:line)."""

    seconds: dict[str, float]
    tests: dict[str, set[str]]


def record_reach(folder: Path) -> None:
    """Run the quick tests and record what they reach."""
    environment = os.environ | {RECORD: str(folder), "POLHODE_CACHE_DIR": str(folder / "kernels")}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        "2",
        "-p",
        "tests.mutations",
        "--ignore=tests/browser",
    ]
    subprocess.run(command, cwd=ROOT, env=environment, check=False)


def read_reach(folder: Path) -> Reached:
    """Return what the test processes recorded."""
    reached = Reached({}, defaultdict(set))
    for path in sorted(folder.glob("*.json")):
        found = json.loads(path.read_text())
        names = list(found["seconds"])
        reached.seconds |= found["seconds"]
        for place, numbers in found["places"].items():
            reached.tests[place].update(names[number] for number in numbers)
    return reached


class Selection:
    """A pytest plugin that runs the listed tests in their order."""

    def __init__(self, path: str) -> None:
        self._order = {test: place for place, test in enumerate(json.loads(Path(path).read_text()))}

    @pytest.hookimpl(wrapper=True)
    def pytest_collection_modifyitems(
        self, items: list[pytest.Item]
    ) -> Generator[None, None, None]:
        yield
        items[:] = sorted(
            (i for i in items if i.nodeid in self._order), key=lambda i: self._order[i.nodeid]
        )


def pytest_configure(config: Any) -> None:
    """Record or select, where this file is loaded as a plugin."""
    if (folder := os.environ.get(RECORD)) and hasattr(config, "workerinput"):
        config.pluginmanager.register(Reach(folder))
    if path := os.environ.get(SELECTION):
        config.pluginmanager.register(Selection(path))


# -------------------------------------------------------------------------------------------------
# what is mutated


@dataclass(frozen=True)
class Mutation:
    """Another text for a part of a file, on these lines of the named function, or of the module."""

    path: str
    function: str
    lines: tuple[int, int]
    at: tuple[int, int]
    before: str
    after: str

    @property
    def change(self) -> str:
        """The texts before and after, without the line ends that formatting puts into them."""
        return f"{' '.join(self.before.split())} → {' '.join(self.after[1:-1].split())}"

    def __str__(self) -> str:
        return f"{self.path}:{self.lines[0]} {self.function}: {self.change}"

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
WITHOUT_BEHAVIOUR = ("dataclass", "functools.cache", "functools.lru_cache", "cache", "lru_cache")
"""Decorators whose arguments only guard or hasten."""


def change(node: ast.AST) -> ast.expr | None:
    """Return the mutated expression: a constant, a sign, an operator, a comparison, the order of
    two arguments, or nothing in place of a statement.
    """
    match node:
        case ast.Expr(ast.Call() | ast.Await()) | ast.AugAssign():
            return ast.Constant(None)
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
        case ast.Call(ast.Name("max" | "min")):
            return None  # the order does not matter
        case ast.Call(function, [first, second, *more], keywords):
            starred = isinstance(first, ast.Starred) or isinstance(second, ast.Starred)
            same = ast.dump(first) == ast.dump(second)
            return None if starred or same else ast.Call(function, [second, first, *more], keywords)
    return None


def find_mutations(path: Path) -> Iterator[Mutation]:
    """Every place of a file that can be changed."""
    data = path.read_bytes()
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    tree = ast.parse(data)
    running = set(running_lines(compile(tree, str(path), "exec")))

    def visit(node: ast.AST, function: str, statement: int) -> Iterator[Mutation]:
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "format_spec"):
                continue  # what only people and tools read
            for child in value if isinstance(value, list) else [value]:
                if not isinstance(child, ast.AST) or isinstance(child, ast.JoinedStr):
                    continue
                if (
                    name == "decorator_list"
                    and isinstance(child, ast.Call)
                    and ast.unparse(child.func) in WITHOUT_BEHAVIOUR
                ):
                    continue
                inner = function
                first = child.lineno if isinstance(child, ast.stmt) else statement
                if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    inner = f"{function}.{child.name}".lstrip(".")
                if (
                    isinstance(child, ast.expr | ast.stmt)
                    and (changed := change(child)) is not None
                ):
                    end_line = child.end_lineno or child.lineno
                    start = starts[child.lineno - 1] + child.col_offset
                    end = starts[end_line - 1] + (child.end_col_offset or 0)
                    lines = (
                        (child.lineno, end_line) if child.lineno in running else (first, end_line)
                    )
                    after = f"({ast.unparse(changed)})"
                    yield Mutation(
                        path.relative_to(ROOT).as_posix(),
                        function,
                        lines,
                        (start, end),
                        data[start:end].decode(),
                        after,
                    )
                yield from visit(child, inner, first)

    yield from visit(tree, "", 1)


def find_script_mutations() -> Iterator[Mutation]:
    """Every place of the scripts that can be changed."""
    scripts = [str(path) for path in sorted((ROOT / SCRIPTS).rglob("*.js"))]
    listed = subprocess.run(
        [str(executable()), "--expose-internals", Path(__file__).with_suffix(".mjs")],
        input=json.dumps(scripts),
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    )
    for file, function, line, start, end, after in json.loads(listed.stdout):
        path = Path(file)
        before = path.read_bytes()[start:end].decode()
        name = path.relative_to(ROOT).as_posix()
        yield Mutation(name, function, (line, line), (start, end), before, f"({after})")


def running_lines(code: CodeType) -> Iterator[int]:
    """Yield the lines with their own instructions."""
    yield from (line for *_, line in code.co_lines() if line)
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from running_lines(part)


def package_of(path: str) -> str:
    """The folder of a file, two levels deep."""
    return "/".join(path.split("/")[:-1][:2])


@dataclass
class Tree:
    """The product's sources: their places to change, and their imports."""

    mutations: dict[str, list[Mutation]]
    importers: dict[str, set[str]]
    functions: dict[str, set[int]]
    """The lines inside functions, of each file of Python."""
    lines: dict[str, int]
    """The number of lines with code, of each file."""


def read_tree() -> Tree:
    """Read all sources of the product."""
    tree = Tree({}, defaultdict(set), {}, {})
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            tree.mutations[name] = list(find_mutations(path))
            tree.lines[name] = len(set(running_lines(compile(path.read_bytes(), name, "exec"))))
            nodes = list(ast.walk(ast.parse(path.read_bytes())))
            functions = [n for n in nodes if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
            tree.functions[name] = {
                n for f in functions for n in range(f.body[0].lineno, (f.end_lineno or 0) + 1)
            }
            for node in nodes:
                if isinstance(node, ast.ImportFrom):
                    base = path.parents[node.level - 1] if node.level else ROOT
                    folder = base.joinpath(*(node.module or "").split("."))
                    for file in (
                        folder.with_suffix(".py"),
                        *(folder / f"{alias.name}.py" for alias in node.names),
                    ):
                        if file.is_file():
                            tree.importers[file.relative_to(ROOT).as_posix()].add(name)
    for mutation in find_script_mutations():
        tree.mutations.setdefault(mutation.path, []).append(mutation)
    for name in tree.mutations.keys() - tree.lines.keys():
        text = (ROOT / name).read_text(encoding="utf-8")
        tree.lines[name] = len(re.findall(r"^\s*[^\s/*]", text, re.MULTILINE))
    return tree


def runs_scripts(file: str) -> bool:
    """Whether a file of tests runs scripts in Node."""
    text = (ROOT / file).read_text(encoding="utf-8")
    return bool(re.search(r"^(from|import) (drawing|benchmarks\.node)\b", text, re.MULTILINE))


def tests_of(mutation: Mutation, tree: Tree, reached: Reached) -> list[str]:
    """The tests to run, the files with the quickest first.

    They are those that reach the lines; for a declaration, which runs on import, those that reach a
    function of its module or of one that imports it; of a script, those that run scripts. The other
    tests of these files follow, as they share results.
    """
    first, last = mutation.lines
    if mutation.path.startswith(SCRIPTS):
        running = set(filter(runs_scripts, {test.partition("::")[0] for test in reached.seconds}))
        found = {test for test in reached.seconds if test.partition("::")[0] in running}
    elif first in tree.functions[mutation.path]:
        found = {
            test
            for n in range(first, last + 1)
            for test in reached.tests.get(f"{mutation.path}:{n}", ())
        }
    else:
        modules = (mutation.path, *tree.importers[mutation.path])
        found = {
            test
            for m in modules
            for n in tree.functions[m]
            for test in reached.tests.get(f"{m}:{n}", ())
        }
    files = {test.partition("::")[0] for test in found}
    sharing = {test for test in reached.seconds if test.partition("::")[0] in files} - found
    chosen = []
    left = SECONDS
    for group in (found, sharing):
        for test in sorted(group, key=lambda test: (reached.seconds[test], test)):
            if (left := left - reached.seconds[test]) > 0:
                chosen.append(test)
    seconds: Counter[str] = Counter()
    for test in chosen:
        seconds[test.partition("::")[0]] += reached.seconds[test]
    return sorted(
        chosen, key=lambda test: (test not in found, seconds[test.partition("::")[0]], test)
    )


def choose(
    count: int, seed: int, tree: Tree, reached: Reached, only: Iterable[str] = ()
) -> list[Mutation]:
    """Take mutations at random from lines that tests reach: of each package one at least, and more
    by its size.
    """
    chance = random.Random(seed)
    places: dict[str, list[Mutation]] = defaultdict(list)
    size: Counter[str] = Counter()
    for path, mutations in tree.mutations.items():
        package = package_of(path)
        if only and package not in only:
            continue
        size[package] += tree.lines[path]
        places[package] += mutations
    for package in sorted(places):
        chance.shuffle(places[package])
    chosen: list[Mutation] = []
    taken: Counter[str] = Counter()
    while len(chosen) < count:
        left = [package for package in sorted(places) if places[package]]
        package = max(left, key=lambda p: size[p] / taken[p] if taken[p] else float("inf"))
        mutation = places[package].pop()
        if tests_of(mutation, tree, reached):
            chosen.append(mutation)
            taken[package] += 1
    return chosen


# -------------------------------------------------------------------------------------------------
# the verdict


def find_by(mutation: Mutation, tests: list[str], kernels: Path) -> str:
    """Return the test that fails with this mutation and, after the same tests, passes without; ""
    if none does.
    """
    while by := run_tests(mutation, tests, tests, kernels):
        before = tests[: tests.index(by) + 1] if by in tests else tests[:1]
        unsure = run_tests(None, before, tests, kernels)
        if not unsure:
            return by
        print(f"fails without a mutation: {unsure}", flush=True)
        if unsure not in tests:
            raise RuntimeError(f"without a mutation: {unsure}")
        tests = [test for test in tests if test != unsure]
    return ""


def run_tests(
    mutation: Mutation | None, tests: list[str], collected: list[str], kernels: Path
) -> str:
    """Run tests of the files of those collected, in a copy with this mutation; return the first
    that fails, or "".
    """
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "tree")
        cache = Path(temporary, "kernels")
        shutil.copytree(
            ROOT,
            folder,
            ignore=shutil.ignore_patterns(".git", "_build", ".mypy_cache", ".ruff_cache"),
        )
        if kernels.exists():
            shutil.copytree(kernels, cache)
        if mutation:
            for path in (folder / mutation.path).parent.glob(
                f"__pycache__/{Path(mutation.path).stem}.*"
            ):
                path.unlink()
            mutation.apply(folder)
        selection = Path(temporary, "selection.json")
        selection.write_text(json.dumps(tests))
        files = list(dict.fromkeys(test.partition("::")[0] for test in collected))
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-x",
            "-p",
            "no:cacheprovider",
            "-p",
            "tests.mutations",
        ]
        environment = os.environ | {
            SELECTION: str(selection),
            "POLHODE_CACHE_DIR": str(cache),
            "PYTHONPATH": str(folder),
        }
        output = Path(temporary, "output")
        with output.open("w") as file:
            process = subprocess.Popen(
                [*command, *files],
                cwd=folder,
                env=environment,
                stdout=file,
                stderr=file,
                start_new_session=True,
            )
            try:
                code = process.wait(timeout=HANGS)
            except subprocess.TimeoutExpired:
                return "a hang"
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        if code in (0, 5):  # all passed, or none was left
            return ""
        text = output.read_text(errors="replace")
        failed = re.search(r"^(?:FAILED|ERROR) (tests/.*)$", text, re.MULTILINE)
        named = [test for test in tests if failed and failed[1].startswith(test)]
        return max(
            named,
            key=len,
            default=f"the start of the tests, with {code}"
            if code < 0
            else "the import of the tests",
        )


def record(key: str, rows: list[dict[str, Any]], again: bool) -> None:
    """Store a set's results for the documentation.

    A mutation that survived at first stays marked as such, and keeps its answer.
    """
    sets = json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.exists() else {}
    known = {(row["path"], row["function"], row["change"]): row for row in sets.get(key, ())}
    fresh = {}
    for row in rows:
        place = row["path"], row["function"], row["change"]
        fresh[place] = {"at_once": bool(row["by"]), "answer": ""} | known.get(place, {}) | row
    sets[key] = list(((known | fresh) if again else fresh).values())
    TABLE.write_text(json.dumps(sets, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=40, help="mutations (default %(default)s)")
    parser.add_argument(
        "--seed",
        type=int,
        default=1,
        help="other numbers choose other places (default %(default)s)",
    )
    parser.add_argument(
        "--only", nargs="*", default=(), metavar="PACKAGE", help="such as engine/studies"
    )
    parser.add_argument(
        "--numbers", nargs="*", type=int, metavar="NUMBER", help="run only these of the mutations"
    )
    parser.add_argument(
        "--reach", type=Path, help="a folder that keeps what the tests reach, and their kernels"
    )
    parser.add_argument("--list", action="store_true", help="only list the mutations")
    parser.add_argument(
        "--table", action="store_true", help="record the results for the documentation"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.reach or Path(temporary)
        if not list(folder.glob("*.json")):
            folder.mkdir(parents=True, exist_ok=True)
            record_reach(folder)
        reached = read_reach(folder)
        tree = read_tree()
        chosen = list(enumerate(choose(given.count, given.seed, tree, reached, given.only), 1))
        chosen = [(n, m) for n, m in chosen if not given.numbers or n in given.numbers]

        def judge(numbered: tuple[int, Mutation]) -> dict[str, Any]:
            number, mutation = numbered
            tests = tests_of(mutation, tree, reached)
            seconds = sum(reached.seconds[test] for test in tests)
            by = "" if given.list else find_by(mutation, tests, folder / "kernels")
            verdict = "" if given.list else f"found by {by}" if by else "SURVIVES"
            print(
                f"{number:3} {mutation}  {len(tests)} tests, {seconds:.0f} s  {verdict}", flush=True
            )
            return {
                "path": mutation.path,
                "function": mutation.function,
                "change": mutation.change,
                "by": by,
            }

        with ThreadPoolExecutor(2) as pool:
            rows = list(pool.map(judge, chosen))
    if given.table:
        only = " ".join([" --only", *given.only]) if given.only else ""
        record(f"--count {given.count} --seed {given.seed}{only}", rows, bool(given.numbers))
    print(f"{sum(bool(row['by']) for row in rows)} of {len(rows)} mutations found")


if __name__ == "__main__":
    main()
