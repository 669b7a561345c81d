"""The architecture: imports point down and have no cycles, and functions are verbs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]

LAYERS = {
    "engine": (
        "algebra", "text", "parameters", "compiler", "problems", "algorithms", "kernels", "simulation", "quantities",
        "exact", "export", "programs", "studies", "referee", "papers", "plugins", "cli",
    ),
    "app": (
        "asset_files", "compat", "state", "charts", "browser", "scene", "server", "demos", "views", "pages",
    ),
}  # fmt: skip
"""From the bottom to the top: a package imports the packages before it, also within functions and
for types.

`__init__` and what starts the program (`__main__`, `main`, `app_hooks`) stand above all of them.
"""
OUTSIDE = {
    "panel": {"browser", "charts", "compat", "demos", "pages", "scene", "server", "views"},
    "bokeh": {"browser", "charts", "compat", "pages", "server", "views"},
    "holoviews": {"charts"},
    "pyvista": {"problems", "scene"},
    "llvmlite": {"compiler"},
}
"""The packages that may import what is slow to import or has no part in the others."""
NEVER = {"panel", "bokeh", "holoviews", "app", "param", "matplotlib"}
"""What the engine does not import."""
PARTICIPLES = frozenset(
    [
        "told",
        "drawn",
        "asked",
        "kept",
        "given",
        "made",
        "found",
        "seen",
        "shown",
        "written",
        "chosen",
        "taken",
        "measured",
        "listed",
        "posed",
        "read",
        "said",
        "sent",
        "served",
        "joined",
        "fetched",
        "left",
        "begun",
        "done",
        "built",
        "known",
        "put",
        "meant",
        "marked",
        "counted",
        "packed",
        "declared",
        "offered",
        "answered",
        "solved",
        "stated",
        "held",
        "loaded",
        "opened",
        "named",
        "called",
        "carried",
        "computed",
        "worked",
        "placed",
        "filled",
        "spelled",
        "looked",
        "picked",
        "wanted",
        "awaited",
    ]
)
"""No function has one of these as its name: functions are verbs."""


@cache
def modules() -> dict[str, Path]:
    """The project's modules by their dotted names."""
    files = [path for package in LAYERS for path in sorted((ROOT / package).rglob("*.py"))]
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in files
    }


@cache
def list_nodes(name: str) -> list[ast.AST]:
    """The syntax tree of a module, node by node."""
    return list(ast.walk(ast.parse(modules()[name].read_text(encoding="utf-8"))))


@cache
def imports(name: str) -> set[str]:
    """The modules and packages that a module imports, also within functions and for types."""
    return set(find_imports(name))


def find_imports(name: str) -> Iterator[str]:
    """Yield them, statement by statement."""
    path = modules()[name]
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in list_nodes(name):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = (
                ".".join(package.split(".")[: len(package.split(".")) - node.level + 1])
                if node.level
                else ""
            )
            start = ".".join(part for part in (base, node.module) if part)
            yield from (
                one if (one := f"{start}.{alias.name}") in modules() else start
                for alias in node.names
            )


def layer_of(name: str) -> tuple[str, int]:
    """The package that a module belongs to, with its place in the order of the layers; at the end
    if it has none.
    """
    top, _, rest = name.partition(".")
    layer = rest.partition(".")[0]
    return layer, LAYERS[top].index(layer) if layer in LAYERS[top] else len(LAYERS[top])


def test_every_package_has_a_layer() -> None:
    for top, layers in LAYERS.items():
        found = {path.name for path in (ROOT / top).iterdir() if (path / "__init__.py").exists()}
        assert found <= set(layers)


def test_imports_point_down() -> None:
    for name in modules():
        for one in imports(name) & modules().keys():
            if one.partition(".")[0] == name.partition(".")[0] != one:
                assert layer_of(one)[1] <= layer_of(name)[1], f"{name} imports {one}"


def test_imports_have_no_cycles() -> None:
    waiting = {
        name: {one for one in imports(name) if one in modules()} - {name} for name in modules()
    }
    while free := {name for name, needs in waiting.items() if not needs}:
        waiting = {name: needs - free for name, needs in waiting.items() if name not in free}
    assert not waiting, f"in or above a cycle: {sorted(waiting)}"


def test_what_is_heavy_is_imported_in_few_packages() -> None:
    for name in modules():
        packages = {one.partition(".")[0] for one in imports(name)}
        assert not (name.startswith("engine") and NEVER & packages), name
        for package, allowed in OUTSIDE.items():
            if package in packages and layer_of(name)[1] < len(LAYERS[name.partition(".")[0]]):
                assert layer_of(name)[0] in allowed, f"{name} imports {package}"


def test_a_view_computes_nothing() -> None:
    for path in (ROOT / "app" / "views").rglob("*.py"):
        assert "simulate(" not in path.read_text(encoding="utf-8"), path.name


def test_the_documentation_knows_the_page_by_its_demos_alone() -> None:
    for path in (ROOT / "docs").glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {
            a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names
        }
        names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        known = {"app", "app.demos.demo_folder"} if path.name == "demos.py" else set()
        assert {name for name in names if name.split(".")[0] == "app"} == known, path.name


def test_functions_are_verbs() -> None:
    for name in modules():
        for node in list_nodes(name):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                assert node.name.strip("_") not in PARTICIPLES, f"{name}:{node.lineno} {node.name}"
