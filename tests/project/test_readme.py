"""README, CONTRIBUTING and the documentation: their Python and their commands run, and their paths
exist.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import linecache
import re
import shlex
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from statements import find_unmeasured

import engine
from engine import papers
from engine.cli import command as cli
from engine.kernels import compiles
from engine.studies import MEASURES
from engine.studies.core.measurements import KEPT, LONG, LOST

ROOT = Path(engine.__file__).resolve().parents[1]
PAGES = [
    name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md") if (ROOT / name).exists()
]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SWEEPS = (ROOT / "docs" / "how-to" / "sweep.md").read_text(encoding="utf-8")

SHELL = (ROOT / "docs" / "how-to" / "shell.md").read_text(encoding="utf-8")

Block = tuple[int, str]
"""The number of the line before a block's first one, and its text."""


def blocks(text: str, language: str) -> list[Block]:
    """The fenced blocks of one language."""
    found = re.finditer(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(text[: match.start(1)].count("\n"), match[1]) for match in found]


def marked_block(text: str, marker: str) -> str:
    """The fenced block that follows a marker."""
    match = re.search(rf"^<!-- {marker} -->\n```\w+\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert match is not None, f"there is no block after <!-- {marker} -->"
    return match[1]


def shell(line: str) -> str:
    """Return the output of a command, which must succeed."""
    program, *arguments = shlex.split(line, comments=True)
    assert program == "polhode"
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert cli.main(arguments) == 0, line
    return out.getvalue()


# ----------------------------------------------------------------- Python


def execute(page: str, block: Block, names: dict[str, Any]) -> int:
    """Run a block and check each line that ends in `# → value`; return the number of checked
    values.
    """
    start, text = block
    checked = 0
    cell = f"<{page}, line {start + 1}>"
    linecache.cache[cell] = (
        0,
        None,
        ["\n"] * start + text.splitlines(keepends=True),
        cell,
    )  # as a notebook does
    tree = ast.increment_lineno(ast.parse(text), start)
    lines = [""] * start + text.splitlines()
    for statement in tree.body:
        _, arrow, promised = lines[(statement.end_lineno or 0) - 1].partition("# → ")
        if arrow:
            assert isinstance(statement, ast.Expr), (
                f"{page}:{statement.lineno}: only an expression has a value"
            )
            value = eval(compile(ast.Expression(statement.value), cell, "eval"), names)
            value = value.item() if isinstance(value, np.generic) else value
            assert repr(value) == promised, f"{page}:{statement.lineno}"
            checked += 1
        else:
            exec(compile(ast.Module([statement], []), cell, "exec"), names)
    return checked


WITH_PYTHON = {
    "README.md": 3, "docs/start/first-run.md": 4, "docs/how-to/run.md": 4, "docs/how-to/torque.md": 2,
    "docs/how-to/body.md": 2, "docs/how-to/method.md": 1, "docs/how-to/sweep.md": 4, "docs/how-to/choose.md": 1,
    "docs/how-to/engines.md": 1, "docs/how-to/two-bodies.md": 3, "docs/reference/compiled.md": 3,
    "docs/how-to/gyroscope.md": 4, "docs/how-to/judge.md": 2,
}  # fmt: skip
"""The pages whose blocks run one after the other, with the number of values that they state."""
NOTEBOOKS = {"docs/how-to/notebooks.md", "docs/reference/page.md"}
"""Their Python runs in a notebook, which tests/app does."""
LONG_PAGES = {
    "docs/how-to/choose.md",
    "docs/how-to/two-bodies.md",
    "docs/how-to/gyroscope.md",
    "docs/how-to/engines.md",
    "docs/how-to/judge.md",
    "docs/how-to/sweep.md",
}


@pytest.mark.usefixtures("for_a_while")
@pytest.mark.parametrize(
    "file",
    [pytest.param(p, marks=pytest.mark.exhaustive if p in LONG_PAGES else ()) for p in WITH_PYTHON],
)
def test_the_python_of_a_page_runs(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Replace a page's mesh by a sphere, and hvPlot by plots of xarray."""
    if "hvplot" in (text := (ROOT / file).read_text(encoding="utf-8")):
        pytest.importorskip("hvplot", reason="hvplot is not installed: pip install hvplot")
    if "asteroid.stl" in text:
        import pyvista

        pyvista.Sphere().save(tmp_path / "asteroid.stl")
    if file.endswith("compiled.md") and not compiles():
        pytest.skip("nothing is compiled here")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": Path(file).stem}
    assert sum(execute(file, block, names) for block in blocks(text, "python")) == WITH_PYTHON[file]


def test_every_page_with_python_is_run() -> None:
    pages = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "docs").rglob("*.md"))]
    written = [
        page
        for page in pages
        if not page.startswith(("docs/methods/", "docs/problems/", "docs/_build"))
    ]
    others = {
        "docs/studies.md",
        "docs/papers.md",
        "docs/shell.md",
        "docs/index.md",
        "docs/developer/adding.md",
    }
    found = {
        page for page in written if blocks((ROOT / page).read_text(encoding="utf-8"), "python")
    } - others
    assert found - {"docs/reference/scripting.md"} - NOTEBOOKS <= set(WITH_PYTHON)


def test_the_table_of_measures_is_that_of_the_engine() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", SWEEPS, re.MULTILINE))
    said = {
        m.name: f"{m.doc} ({m.unit})" if m.unit and m.unit not in m.doc else m.doc
        for m in MEASURES.values()
    }
    assert rows == said


def test_the_bounds_are_those_that_the_tests_use() -> None:
    text = (ROOT / "docs" / "explained" / "measured.md").read_text(encoding="utf-8")
    assert "kept (to 2·10⁻¹¹ over thousands of steps)" in text and KEPT == 2e-11 and LONG >= 2000
    assert "off by more than\n  10⁻⁸)" in text and LOST == 1e-8


@pytest.mark.parametrize(
    "file",
    [
        "README.md",
        "docs/reference/page.md",
        "docs/explained/methods.md",
        "docs/how-to/choose.md",
        "docs/reference/compiled.md",
    ],
)
def test_a_page_states_of_methods_what_a_benchmark_or_the_catalogue_measures(file: str) -> None:
    """A statement about a method is among the README's figures, or names its measurement."""
    text = (ROOT / file).read_text(encoding="utf-8").partition("<!-- figures -->")
    prose = text[0] + text[2].partition("<!-- end -->")[2]
    prose = re.sub(
        r"^```.*?^```$|^\|.*?$|^<!-- methods -->.*?<!-- end -->$",
        "",
        prose,
        flags=re.MULTILINE | re.DOTALL,
    )
    keys = "|".join(re.escape(m.key) for space in ("so3", "se3") for m in engine.algorithms(space))
    for sentence in re.split(r"(?<=[.;:])\s+(?=[A-Z`])|\n\n|\n- ", prose):
        if re.search(rf"(?<![\w`-])(?:{keys})(?![\w-])", re.sub(r"`[^`]*`", "", sentence)):
            assert not find_unmeasured(" ".join(sentence.split())) or "turns)" in sentence, sentence


@pytest.mark.usefixtures("for_a_while")
def test_contributing_s_method_problem_quantity_and_study_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The examples have their declared properties."""
    pages = ("CONTRIBUTING.md", "docs/developer/adding.md")
    examples = [
        (name, block)
        for name in pages
        for block in blocks((ROOT / name).read_text(encoding="utf-8"), "python")
    ]
    lists = (
        engine.algorithms,
        engine.problems,
        engine.quantities.all_quantities,
        engine.studies.registered,
    )
    found = []
    for package, list_all, (page, block) in zip(
        ("algorithms", "problems", "quantities", "studies"), lists, examples, strict=True
    ):
        key = block[1].partition('key="')[2].partition('"')[0]
        if not any(one.key == key for one in list_all()):  # if it is pasted, it is declared already
            module = ModuleType(f"engine.{package}.example")
            module.__package__ = f"engine.{package}"
            monkeypatch.setitem(sys.modules, module.__name__, module)
            execute(page, block, vars(module))
        found += [one for one in list_all() if one.key == key]
    method, problem, quantity, study = found
    assert (
        "@" in method.reference
        and len(method.why) >= 3
        and problem.action(0.1).field is problem.action(0.2).field
    )
    assert (
        study.spaces == ("so3",)
        and max(len(line) for _, (_, text) in examples for line in text.splitlines()) <= 118
    )
    accurate = engine.simulate(problem, "MR4", dt=0.0025, duration=1.0)
    steps = np.array([0.02, 0.01, 0.005])
    errors = [
        np.abs(engine.simulate(problem, method, dt=dt, duration=1.0).R[-1] - accurate.R[-1]).max()
        for dt in steps
    ]
    slope = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert slope == pytest.approx(method.order[0], abs=0.2)
    assert (
        np.ptp(accurate.energy) <= 1e-7 * np.abs(accurate.energy).max()
    )  # so the torque is the potential's
    free = engine.simulate("free", method, dt=0.1, steps=1000)
    assert method.conserves["pi"] == "free"
    assert np.abs(free.pi - free.pi[0]).max() <= 1e-12
    assert free.extrema["orthogonality"].max <= 1e-12
    turned = study.function("slow-top", ["NMB", method.key], [0.1, 0.05], duration=1.0)
    run = engine.simulate("slow-top", "NMB", dt=0.1, duration=1.0)
    assert turned.finished and turned.rows[0].turn == np.nanmax(run.increment)
    assert [len(curve.x) for curve in turned.chart.curves] == [2, 2]
    assert study.count_steps(problem, ["NMB"], {}) > 0
    exact = engine.exact("slow-top", run.t)
    errors = np.linalg.norm(run.Omega - exact.Omega, axis=1)
    np.testing.assert_allclose(quantity.values(run, exact), errors, rtol=1e-13)


# ----------------------------------------------------------------- the shell


SHORTER = {
    "work-precision slow-top": "work-precision slow-top NMB CF4 --repetitions 2 --duration 1",
    "--steps 1e8": "--steps 1e6",
    "MR2 CG3 --quantity integral": "MR2 CG3 --quantity integral --steps 1e5",
    "papers buss-figure-6": "papers buss-figure-3",
    "advise slow-top": "advise slow-top NMB AKW",
    "judge motion.csv": f"judge {ROOT / 'tests/data/engines/bullet-in-ammo-js.csv'}",
}
"""Commands of the README, and shorter ones with the same effect."""


@pytest.mark.exhaustive
def test_the_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    quick = [papers.find("buss-figure-3")]
    monkeypatch.setattr(
        papers, "all", lambda: quick
    )  # tests/papers/test_papers.py measures every claim
    lines = [
        line
        for text in (README, SHELL)
        for _, block in blocks(text, "console")
        for line in block.splitlines()
    ]
    assert len(lines) >= 20
    assert all(any(longer in line for line in lines) for longer in SHORTER)
    for line in lines:
        assert line.startswith("$ "), f"{line!r}: only commands, each after a $"
        command = line[2:].partition("#")[0]
        for longer, shorter in SHORTER.items():
            command = command.replace(longer, shorter)
        assert shell(command)
    assert (tmp_path / "run.parquet").exists()


def test_the_run_line_installs_and_opens_the_page() -> None:
    assert (
        marked_block(README, "run line").strip()
        == "pip install -r requirements.lock && pip install --no-deps --no-build-isolation . && panel serve app --show"
    )


def test_the_shell_line_prints_what_the_readme_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")  # the line length without a terminal
    shown = marked_block(README, "output of the shell line").splitlines()
    printed = shell(marked_block(README, "shell line").strip()).splitlines()
    assert len(shown) == len(printed)
    for expected, line in zip(shown, printed, strict=True):
        if not line.startswith("cost"):
            assert same(expected, line), f"\n{expected}\n{line}"


def same(expected: str, line: str) -> bool:
    """Return whether two lines have the same words and, to roundoff, the same numbers."""
    pairs = list(zip(expected.split(), line.split(), strict=False))
    return len(expected.split()) == len(line.split()) and all(
        a == b or near(a, b) for a, b in pairs
    )


POWERS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def near(a: str, b: str) -> bool:
    try:
        x, y = (float(text.replace("·10", "e").translate(POWERS)) for text in (a, b))
    except ValueError:
        return False
    if max(abs(x), abs(y)) < 1e-12:  # roundoff, which another processor does otherwise
        return True
    return x == pytest.approx(
        y, rel=2e-3 if "·" in a else 1e-8
    )  # the last digit may be rounded otherwise


def test_the_test_line_is_one_line_that_installs_and_tests() -> None:
    install, _, test = marked_block(README, "test line").rstrip("\n").rpartition(" && ")
    assert (
        install == "pip install -r constraints.txt && pip install --no-deps --no-build-isolation ."
    )
    assert test.startswith("python -m pytest")


def test_the_two_lines_of_tests_run_each_test_once() -> None:
    """The two commands together run all tests."""
    _, most = marked_block(README, "test line").rstrip("\n").split(" --ignore=")
    assert marked_block(README, "browser line").split()[-1] == most and (ROOT / most).is_dir()


def test_the_lines_that_ci_takes_from_the_readme_are_marked() -> None:
    script = (ROOT / ".ci" / "run").read_text()
    for marker in ("run line", "browser line", "test line"):
        assert f'readme_line "{marker}"' in script
        assert README.count(f"<!-- {marker} -->\n") == 1


def test_the_limits_name_no_precision_since_it_can_be_chosen() -> None:
    limits = README.partition("## Limits\n")[2].lower()
    assert limits and not any(
        precision in limits for precision in ("precision", "double", "single", "64", "32")
    )


# ----------------------------------------------------------------- paths


@pytest.mark.parametrize("file", PAGES)
def test_what_is_linked_and_named_exists(file: str) -> None:
    text = re.sub(
        r"^```.*?^```$",
        "",
        (ROOT / file).read_text(encoding="utf-8"),
        flags=re.MULTILINE | re.DOTALL,
    )
    links = [target for target in re.findall(r"\]\(([^)]+)\)", text) if "://" not in target]
    code = re.findall(r"`([^`\n]+)`", text)
    paths = [
        name
        for name in code
        if re.fullmatch(r"\.?[\w-]+(/[\w.-]*)+|[\w.-]+\.(py|md|toml|yaml)", name)
    ]
    for target in [*links, *paths]:
        assert (ROOT / target.partition("#")[0]).exists(), (
            f"{file} names {target!r}, which is not there"
        )
    assert links or paths or file == "CHANGELOG.md"


@pytest.mark.parametrize("file", PAGES)
def test_modules_that_are_to_be_run_exist(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    for module in re.findall(r"python -m ((?:benchmarks|engine|app)[\w.]*)", text):
        path = ROOT / module.replace(".", "/")
        assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), (
            f"{file} runs {module!r}"
        )


@pytest.mark.parametrize("file", PAGES)
def test_the_names_of_the_engine_that_are_mentioned_exist(file: str) -> None:
    """Names in the text, such as `engine.body.box` and `run.extrema`, exist."""
    run = engine.simulate("free", "MR2", steps=1)
    for name in re.findall(
        r"`(engine(?:\.\w+)+|run\.\w+)[`(\[]", (ROOT / file).read_text(encoding="utf-8")
    ):
        head, *rest = name.split(".")
        at: Any = run if head == "run" else engine
        for part in rest:
            if not hasattr(at, part) and hasattr(
                at, "__path__"
            ):  # a module that is loaded when it is wanted
                importlib.import_module(f"{at.__name__}.{part}")
            assert hasattr(at, part), f"{file} names {name}, which is not there"
            at = getattr(at, part)


def test_every_dependency_has_its_reason() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = [
        *project["dependencies"],
        *(line for extra in project["optional-dependencies"].values() for line in extra),
    ]
    names = {re.split(r"[<>=!~\[ ;]", line)[0] for line in listed} - {project["name"]}
    table = (ROOT / "docs" / "developer" / "dependencies.md").read_text(encoding="utf-8")
    report = {
        name
        for row in re.findall(r"^\| ([\w, -]+) \|", table, re.MULTILINE)
        for name in row.split(", ")
    }
    assert report - {"package"} == names
