"""The structure of the code stays within its targets; `python tests/test_structure.py` prints the figures."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = "engine", "app"
CATALOGUES = {"algorithms", "problems", "studies", "papers"}
"""Packages with one file for each method, problem, study or paper."""
STARTS = {"__init__.py", "__main__.py", "main.py"}
PARTICIPLES = frozenset(
    """
    told drawn asked kept given made found seen shown written chosen taken measured listed posed read said sent served
    joined fetched left begun done built known put meant marked counted packed declared offered answered solved stated
    held loaded opened named called carried computed worked placed filled spelled looked picked wanted awaited
    """.split()  # noqa: SIM905
)
"""No function has one of these as its name: functions are verbs."""
TARGETS = {
    "modules at the top level of engine": 2,
    "modules at the top level of app": 2,
    "modules in the largest folder": 16,
    "file names used more than once": 6,
    "functions named by a participle": 0,
    "public functions that return Any": 10,
    "functions of 60 or more lines": 6,
    "functions with more than 8 arguments": 8,
    "modules of the engine that the app imports": 20,
    "lines in the longest script": 500,
    "lines in README.md": 180,
    "lines in CONTRIBUTING.md": 120,
    "lines of code": 35_000,
}

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def trees() -> dict[Path, ast.Module]:
    """The syntax tree of every file, by its path from the root."""
    files = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    return {path.relative_to(ROOT): ast.parse(path.read_text(encoding="utf-8")) for path in files}


def functions() -> Iterator[tuple[Path, Function]]:
    """Every function, nested ones and methods too, with its file."""
    for path, tree in trees().items():
        yield from ((path, node) for node in ast.walk(tree) if isinstance(node, Function))


def count_arguments(function: Function) -> int:
    takes = function.args
    return len(takes.posonlyargs) + len(takes.args) + len(takes.kwonlyargs)


def count_lines(path: Path) -> int:
    """Lines of code, without blank lines, comments, docstrings and the strings that document constants."""
    documented: set[int] = set()
    for node in ast.walk(trees()[path]):
        for part in node.body if isinstance(getattr(node, "body", None), list) else ():
            match part:
                case ast.Expr(value=ast.Constant(value=str())):
                    documented |= set(range(part.lineno, (part.end_lineno or 0) + 1))
    lines = (line.strip() for line in (ROOT / path).read_text(encoding="utf-8").splitlines())
    return sum(bool(line) and line[0] != "#" and i not in documented for i, line in enumerate(lines, 1))


def imported_by_the_app() -> set[str]:
    """Modules of the engine, without the engine itself."""
    modules = {".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in trees()}
    names = set()
    for path, tree in trees().items():
        for node in ast.walk(tree) if path.parts[0] == "app" else ():
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names |= {
                    full if (full := f"{node.module}.{alias.name}") in modules else node.module or ""
                    for alias in node.names
                }
    return {name for name in names if name.startswith("engine.")}


@cache
def details() -> dict[str, list[str]]:
    """What counts towards each figure."""
    files = list(trees())
    flat = {
        package: [p.name for p in files if p.parent == Path(package) and p.name not in STARTS] for package in PACKAGES
    }
    folders = Counter(p.parent for p in files if p.name != "__init__.py" and p.parent.name not in CATALOGUES)
    largest, _ = folders.most_common(1)[0]
    names = Counter(p.name for p in files if p.name not in STARTS - {"main.py"})
    scripts = {path: path.read_text(encoding="utf-8").count("\n") for path in (ROOT / "assets").rglob("*.js")}
    every = [(f"{path}:{f.lineno} {f.name}", path, f) for path, f in functions()]
    steps = {"algorithms", "kernels", "two_bodies"}
    return {
        "modules at the top level of engine": flat["engine"],
        "modules at the top level of app": flat["app"],
        "modules in the largest folder": [str(p) for p in files if p.parent == largest and p.name != "__init__.py"],
        "file names used more than once": [name for name, count in names.items() if count > 1],
        "functions named by a participle": [at for at, _, f in every if f.name.strip("_") in PARTICIPLES],
        "public functions that return Any": [
            at for at, _, f in every if f.name[0] != "_" and isinstance(f.returns, ast.Name) and f.returns.id == "Any"
        ],
        "functions of 60 or more lines": [at for at, _, f in every if (f.end_lineno or 0) - f.lineno >= 60],
        "functions with more than 8 arguments": [
            at for at, path, f in every if count_arguments(f) > 8 and not steps & set(path.parts)
        ],
        "modules of the engine that the app imports": sorted(imported_by_the_app()),
        "lines in the longest script": [""] * max(scripts.values()),
        **{
            f"lines in {name}": (ROOT / name).read_text(encoding="utf-8").splitlines()
            for name in ("README.md", "CONTRIBUTING.md")
        },
        "lines of code": [""] * sum(map(count_lines, files)),
    }


@pytest.mark.exhaustive
@pytest.mark.parametrize("figure", TARGETS)
def test_a_figure_is_within_its_target(figure: str) -> None:
    found = details()[figure]
    assert len(found) <= TARGETS[figure], [one for one in found if one]


if __name__ == "__main__":
    for figure, target in TARGETS.items():
        print(f"{figure:45} {len(details()[figure]):6}  target {target}")
