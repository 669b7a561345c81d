"""The house: imports run one way, the engine knows no page, and what a page is about needs no Panel."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ENGINE = Path(__file__).parents[1] / "engine"
APP = ENGINE.parent / "app"

MAY_IMPORT = {
    "algebra": {"algebra"},
    "names.py": set(),
    "checks.py": {"algebra"},
    "field.py": {"algebra"},
    "body.py": {"checks.py"},
    "formula.py": {"algebra"},
    "spec.py": {"body.py", "checks.py", "formula.py", "names.py"},
    "algorithms": {"algebra", "algorithms", "names.py", "spec.py"},
    "problems": {"algebra", "problems", "field.py", "formula.py", "body.py", "checks.py", "names.py", "spec.py"},
    "compiler": {"algebra", "compiler"},
    "kernels": {"algebra", "compiler", "field.py", "kernels"},
    "torque.py": {"algebra", "compiler", "field.py", "formula.py", "kernels"},
    "continuous.py": {"kernels", "problems"},
    "run.py": {"algorithms", "problems"},
    "plan.py": {"algorithms", "problems", "kernels", "continuous.py", "provenance.py", "run.py", "torque.py"},
    "setting.py": {"algorithms", "checks.py", "kernels"},
    "onebody": {
        "onebody", "setting.py", "spec.py", "algebra", "compiler", "algorithms", "problems", "kernels", "checks.py",
        "field.py", "plan.py", "run.py", "torque.py",
    },
    "twobody": {
        "twobody", "setting.py", "algebra", "algorithms", "problems", "kernels", "body.py", "checks.py", "field.py",
        "plan.py", "run.py", "spec.py",
    },
    "systems.py": {"algorithms", "problems", "kernels", "onebody", "plan.py", "run.py", "spec.py", "twobody"},
    "files.py": {"algorithms", "problems", "run.py", "systems.py"},
    "citations.py": {"algorithms", "problems", "names.py", "run.py", "provenance.py"},
    "unfolded.py": {"algebra", "algorithms"},
    "listing.py": {"algorithms", "unfolded.py"},
    "provenance.py": {"kernels"},
    "plugins.py": {"algorithms", "names.py", "studies"},
    "simulate.py": {"algorithms", "problems", "checks.py", "plan.py", "systems.py"},
    "prepared.py": {
        "algorithms", "problems", "checks.py", "kernels", "onebody", "plan.py", "simulate.py", "systems.py",
        "torque.py",
    },
    "web.py": {"problems", "compiler", "kernels", "plan.py", "simulate.py", "systems.py"},
    "exact": {
        "exact", "algebra", "body.py", "field.py",
        "algorithms", "problems", "kernels", "onebody", "simulate.py", "systems.py", "run.py", "torque.py",
        "checks.py",
    },
}  # fmt: skip
"""What each room may import; the others (studies, papers, the shell) stand on top and may import all of these."""

UPWARDS = {"run.py": {"citations.py", "files.py", "simulate.py"}}
"""The one exception: a run is saved, made again and cited by what stands above it, imported when it is asked for."""

PLAIN = {"cancelling.py", "charts.py", "glossary.py", "spaces.py", "starting.py", "told.py", "wording.py"}
"""What imports nothing of ours, and may be imported by all."""

NEVER = {"panel", "bokeh", "holoviews", "app", "param", "matplotlib"}


def imports(path: Path, inside: bool = True):
    """The rooms and the packages that a file imports, also inside functions if these are not left out."""
    parts, tree = path.relative_to(ENGINE).parts, ast.parse(path.read_text())
    for node in ast.walk(tree) if inside else tree.body:
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield (node.module or "").split(".")[0]
        elif isinstance(node, ast.ImportFrom):
            base = [*parts[:-1]][: len(parts) - node.level] + (node.module or "").split(".")
            names = [base] if node.module else [[*base[:-1], alias.name] for alias in node.names]
            for name in names:
                room = next(part for part in name if part)
                yield room if (ENGINE / room).is_dir() else f"{room}.py"


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_arrows_run_one_way(room):
    files = [ENGINE / room] if room.endswith(".py") else sorted((ENGINE / room).glob("*.py"))
    assert files
    rooms = {path.name for path in ENGINE.iterdir()}
    for path in files:
        for imported in imports(path):
            if imported in rooms:
                above = UPWARDS.get(room, set())
                assert imported in MAY_IMPORT[room] | PLAIN | above | {room}, f"{path} imports {imported}"


@pytest.mark.parametrize("room", UPWARDS)
def test_what_is_imported_upwards_is_imported_where_it_is_asked_for(room):
    assert not UPWARDS[room] & set(imports(ENGINE / room, inside=False))
    assert UPWARDS[room] <= set(imports(ENGINE / room)), "an exception that is none any more"


def test_what_all_may_import_imports_nothing_of_ours():
    for name in PLAIN:
        assert not {path.name for path in ENGINE.iterdir()} & set(imports(ENGINE / name)), name


def test_what_pages_are_about_knows_no_panel():
    """So that it can be tested, and used, without a page."""
    scenes = [path for path in (APP / "player").glob("*.py") if path.name != "component.py"]
    for path in (*(APP / "model").glob("*.py"), *scenes, APP / "takeaway.py"):
        found = {
            name.split(".")[0]
            for node in ast.walk(ast.parse(path.read_text()))
            for name in ([alias.name for alias in node.names] if isinstance(node, ast.Import) else [])
            + ([node.module or ""] if isinstance(node, ast.ImportFrom) else [])
        }
        assert not {"panel", "bokeh", "holoviews", "param", "views"} & found, path.name


def test_charts_are_drawn_in_one_room():
    """A renderer for each of Bokeh, SVG and HoloViews, which knows no view and no page."""
    for path in APP.rglob("*.py"):
        tree = ast.parse(path.read_text())
        found = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        if path.parent.name == "charts":
            assert not {"views", "pages"} & {part for node in found for part in (node.module or "").split(".")}, path
        else:
            assert "bokeh.plotting" not in {node.module for node in found} or path.name == "reproduced.py", path
            assert "holoviews" not in path.read_text().replace("charts.holoviews", ""), path


def test_nothing_of_the_engine_imports_the_shell():
    for path in ENGINE.rglob("*.py"):
        if path.parent.name != "shell" and path.name != "__main__.py":
            assert "shell" not in set(imports(path)), path


def test_studies_know_nothing_of_the_papers():
    for path in (ENGINE / "studies").glob("*.py"):
        if path.name != "papers.py":  # which is there for scripts that know the papers by this name
            assert "papers" not in set(imports(path)), path


def test_a_view_computes_nothing():
    for path in (APP / "views").glob("*.py"):
        assert "simulate(" not in path.read_text(), path.name


def test_the_engine_knows_no_page():
    for path in ENGINE.rglob("*.py"):
        assert not NEVER & set(imports(path)), path


def test_numba_s_internals_stay_in_the_compiler_s_room():
    for path in ENGINE.rglob("*.py"):
        if "compiler" not in path.parts:
            assert not {"numba", "llvmlite"} & set(imports(path)), path


def test_pyvista_is_imported_only_where_a_mesh_is_read():
    users = [path.name for path in ENGINE.rglob("*.py") if "pyvista" in set(imports(path))]
    assert users == ["body.py"]


def test_the_documentation_knows_the_page_by_its_demos_alone():
    for path in (ENGINE.parent / "docs").glob("*.py"):
        names = {
            name
            for node in ast.walk(ast.parse(path.read_text()))
            for name in ([alias.name for alias in node.names] if isinstance(node, ast.Import) else [])
            + ([node.module or ""] if isinstance(node, ast.ImportFrom) else [])
        }
        known = {"app", "app.shelf"} if path.name == "demos.py" else set()
        assert {name for name in names if name.split(".")[0] == "app"} == known, path.name
