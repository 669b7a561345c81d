"""What the README and CONTRIBUTING say holds: their Python and their commands run, their tables and paths are right.

`python tests/test_readme.py` writes the README's tables anew from what is registered.
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
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from test_sentences import unmeasured

import engine
from engine import papers
from engine.algorithms.method import QUANTITIES
from engine.kernels import build
from engine.shell import cli
from engine.studies import MEASURES
from engine.studies.measure import KEPT, LONG, LOST

ROOT = Path(engine.__file__).resolve().parents[1]
PAGES = [name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md") if (ROOT / name).exists()]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SWEEPS = (ROOT / "docs" / "sweeps.md").read_text(encoding="utf-8")

Block = tuple[int, str]
"""The number of the line before a block's first one, and its text."""


def blocks(text: str, language: str) -> list[Block]:
    """The fenced blocks of one language."""
    found = re.finditer(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(text[: match.start(1)].count("\n"), match[1]) for match in found]


def marked(text: str, marker: str) -> str:
    """The fenced block that follows a marker."""
    match = re.search(rf"^<!-- {marker} -->\n```\w+\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert match is not None, f"there is no block after <!-- {marker} -->"
    return match[1]


def shell(line: str) -> str:
    """What a command prints, which must succeed."""
    program, *arguments = shlex.split(line, comments=True)
    assert program == "polhode"
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert cli.main(arguments) == 0, line
    return out.getvalue()


# ----------------------------------------------------------------- Python


def execute(page: str, block: Block, names: dict[str, Any]) -> int:
    """Run a block; where a line ends in `# → value`, its expression must have that value. Returns how many did."""
    start, text = block
    checked = 0
    cell = f"<{page}, line {start + 1}>"
    linecache.cache[cell] = (0, None, ["\n"] * start + text.splitlines(keepends=True), cell)  # as a notebook does
    tree = ast.increment_lineno(ast.parse(text), start)
    lines = [""] * start + text.splitlines()
    for statement in tree.body:
        _, arrow, promised = lines[(statement.end_lineno or 0) - 1].partition("# → ")
        if arrow:
            assert isinstance(statement, ast.Expr), f"{page}:{statement.lineno}: only an expression has a value"
            value = eval(compile(ast.Expression(statement.value), cell, "eval"), names)
            value = value.item() if isinstance(value, np.generic) else value
            assert repr(value) == promised, f"{page}:{statement.lineno}"
            checked += 1
        else:
            exec(compile(ast.Module([statement], []), cell, "exec"), names)
    return checked


@pytest.mark.usefixtures("for_a_while")
def test_the_readme_s_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "readme"}
    found = blocks(README, "python")
    assert len(found) >= 5
    assert sum(execute("README.md", block, names) for block in found) >= 3


@pytest.mark.exhaustive
@pytest.mark.usefixtures("for_a_while")
def test_the_guide_s_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One block after the other, as a reader would; the mesh that it names is a sphere."""
    import pyvista

    monkeypatch.chdir(tmp_path)
    pyvista.Sphere().save("asteroid.stl")
    names: dict[str, Any] = {"__name__": "guide"}
    found = blocks((ROOT / "docs" / "guide.md").read_text(encoding="utf-8"), "python")
    assert sum(execute("guide.md", block, names) for block in found) >= 1


@pytest.mark.usefixtures("for_a_while")
def test_the_python_on_sweeps_runs() -> None:
    """Plots by hvPlot are of the kinds that xarray's users know."""
    pytest.importorskip("hvplot", reason="hvplot is not installed: pip install hvplot")
    names: dict[str, Any] = {"__name__": "sweeps"}
    found = blocks(SWEEPS, "python")
    assert sum(execute("sweeps.md", block, names) for block in found) == 4


def test_the_table_of_measures_is_that_of_the_engine() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", SWEEPS, re.MULTILINE))
    said = {m.name: f"{m.doc} ({m.unit})" if m.unit and m.unit not in m.doc else m.doc for m in MEASURES.values()}
    assert rows == said


@pytest.mark.usefixtures("for_a_while")
@pytest.mark.skipif(not build.compiles(), reason="nothing is compiled here")
def test_the_python_on_compiled_code_runs() -> None:
    names: dict[str, Any] = {"__name__": "compiled"}
    found = blocks((ROOT / "docs" / "compiled.md").read_text(encoding="utf-8"), "python")
    assert sum(execute("compiled.md", block, names) for block in found) == 3


def test_the_readme_s_bounds_are_those_that_are_measured_by() -> None:
    assert "kept (to 2·10⁻¹¹ over thousands of steps)" in README and KEPT == 2e-11 and LONG >= 2000
    assert "off by more than 10⁻⁸)" in README and LOST == 1e-8


@pytest.mark.parametrize("page", ["README.md", "docs/guide.md", "docs/page.md", "docs/compiled.md"])
def test_a_page_states_of_methods_what_a_benchmark_or_the_catalogue_measures(page: str) -> None:
    """Prose that names a method and states something of it is in the README's figures, or names its measurement."""
    text = (ROOT / page).read_text(encoding="utf-8").partition("<!-- figures -->")
    prose = text[0] + text[2].partition("<!-- end -->")[2]
    prose = re.sub(
        r"^```.*?^```$|^\|.*?$|^<!-- methods -->.*?<!-- end -->$", "", prose, flags=re.MULTILINE | re.DOTALL
    )
    keys = "|".join(re.escape(m.key) for space in ("so3", "se3") for m in engine.algorithms(space))
    for sentence in re.split(r"(?<=[.;:])\s+(?=[A-Z`])|\n\n|\n- ", prose):
        if re.search(rf"(?<![\w`-])(?:{keys})(?![\w-])", re.sub(r"`[^`]*`", "", sentence)):
            assert not unmeasured(" ".join(sentence.split())) or "turns)" in sentence, sentence


@pytest.mark.usefixtures("for_a_while")
def test_contributing_s_method_problem_and_study_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """The examples do what they declare."""
    listed = engine.algorithms, engine.problems, engine.studies.registered
    before = [all_() for all_ in listed]
    for package, block in zip(
        ("engine.algorithms", "engine.problems", "engine.studies"),
        blocks((ROOT / "CONTRIBUTING.md").read_text(), "python"),
        strict=True,
    ):
        module = ModuleType(f"{package}.example")
        module.__package__ = package
        monkeypatch.setitem(sys.modules, module.__name__, module)
        execute("CONTRIBUTING.md", block, vars(module))
    (method,), (problem,), (study,) = (
        [one for one in all_() if one not in known] for all_, known in zip(listed, before, strict=True)
    )
    accurate = engine.simulate(problem, "MR4", dt=0.0025, duration=1.0)
    steps = np.array([0.02, 0.01, 0.005])
    errors = [
        np.abs(engine.simulate(problem, method, dt=dt, duration=1.0).R[-1] - accurate.R[-1]).max() for dt in steps
    ]
    slope = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert slope == pytest.approx(method.order[0], abs=0.2)
    assert np.ptp(accurate.energy) <= 1e-7 * np.abs(accurate.energy).max()  # so the torque is the potential's
    free = engine.simulate("free", method, dt=0.1, steps=1000)
    assert method.conserves["pi"] == "free"
    assert np.abs(free.pi - free.pi[0]).max() <= 1e-12
    assert free.extrema["orthogonality"].max <= 1e-12
    turned = study.function("slow-top", ["NMB", method.key], [0.1, 0.05], duration=1.0)
    run = engine.simulate("slow-top", "NMB", dt=0.1, duration=1.0)
    assert turned.finished and turned.rows[0]["turn"] == np.nanmax(run.increment)
    assert [len(curve.x) for curve in study.chart(turned.drawn()).curves] == [2, 2]
    assert study.effort(problem, ["NMB"], {}) > 0


# ----------------------------------------------------------------- the shell


SHORTER = {
    "polhode study work-precision": " --repetitions 2 --duration 1",
    "polhode study long-run": " --steps 1e6",
}
"""What is added to lines that take half a minute each."""


def test_the_readme_s_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    quick = [papers.find("buss-figure-3")]
    monkeypatch.setattr(papers, "all", lambda: quick)  # tests/studies/test_papers.py measures every claim
    lines = [line for _, text in blocks(README, "console") for line in text.splitlines()]
    assert len(lines) >= 5
    for line in lines:
        assert line.startswith("$ "), f"{line!r}: only commands, each after a $"
        command = line[2:].partition("#")[0]
        assert shell(command + next((more for lines, more in SHORTER.items() if command.startswith(lines)), ""))
    assert all(any(line[2:].startswith(longer) for line in lines) for longer in SHORTER)
    assert (tmp_path / "run.parquet").exists()


def test_the_run_line_installs_and_opens_the_page() -> None:
    assert marked(README, "run line").strip() == "pip install -c constraints.txt . && panel serve app --show"


def test_the_shell_line_prints_what_the_readme_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")  # the lines' length, where no terminal tells one
    shown = marked(README, "output of the shell line").splitlines()
    printed = shell(marked(README, "shell line").strip()).splitlines()
    assert len(shown) == len(printed)
    for expected, line in zip(shown, printed, strict=True):
        if not line.startswith("cost"):
            assert same(expected, line), f"\n{expected}\n{line}"


def same(expected: str, line: str) -> bool:
    """Whether two lines have the same words, and numbers that agree but for roundoff."""
    pairs = list(zip(expected.split(), line.split(), strict=False))
    return len(expected.split()) == len(line.split()) and all(a == b or near(a, b) for a, b in pairs)


def near(a: str, b: str) -> bool:
    try:
        x, y = float(a), float(b)
    except ValueError:
        return False
    if max(abs(x), abs(y)) < 1e-12:  # roundoff, which another processor does otherwise
        return True
    return x == pytest.approx(y, rel=2e-3 if "e" in a else 1e-8)  # the last digit may be rounded otherwise


def test_the_test_line_is_one_line_that_installs_and_tests() -> None:
    install, test = marked(README, "test line").rstrip("\n").split(" && ")
    assert install == 'pip install -c constraints.txt ".[test]"'
    assert test.startswith("python -m pytest")


def test_the_two_lines_of_tests_run_each_test_once() -> None:
    """What one leaves out is what the other runs."""
    _, most = marked(README, "test line").rstrip("\n").split(" --ignore=")
    assert marked(README, "browser line").split()[-1] == most and (ROOT / most).is_dir()


def test_the_lines_that_ci_takes_from_the_readme_are_marked() -> None:
    script = (ROOT / ".ci" / "run").read_text()
    for marker in ("run line", "browser line", "test line"):
        assert f'readme_line "{marker}"' in script
        assert README.count(f"<!-- {marker} -->\n") == 1


# ----------------------------------------------------------------- tables

SIGNS = QUANTITIES | {"orthogonality": "RᵀR", "energy": "energy", "pi": "π", "pi_e3": "π·e3", "pi_chi": "π·χ"}
SIGNS |= {"pi_norm": "length of π", "casimir": "length of Π", "gamma_norm": "length of Γ"}
FOLLOWS = {"gamma_norm": "orthogonality", "pi_norm": "pi", "casimir": "pi"}
"""What is kept wherever something else is."""
BRACKETS = {"always": "", "free": " (free)", "tops": " (free, tops)", "symmetric tops": " (symmetric tops)"}


def kept(conserves: Mapping[str, str]) -> str:
    """What a method keeps, in a line."""
    said = [
        f"{SIGNS[name]}{BRACKETS[conserves[name]]}"
        for name in ("orthogonality", *(name for name in QUANTITIES if name != "orthogonality"))
        if name in conserves and conserves.get(FOLLOWS.get(name, "")) != conserves[name]
    ]
    return ", ".join(said) or "–"


def method_rows() -> list[tuple[str, ...]]:
    rows = [("key", "method", "order", "symplectic", "keeps")]
    for m in engine.algorithms():
        order = m.order_in_words
        rows.append((m.key, m.name, order, "yes" if m.symplectic else "–", kept(m.conserves)))
    return rows


def problem_rows() -> list[tuple[str, ...]]:
    rows = [("key", "problem", "group", "the motion keeps")]
    for p in engine.problems():
        keeps = [name for name in p.invariants if FOLLOWS.get(name) not in ("orthogonality", *p.invariants)]
        signs = SIGNS | {one.key: one.symbol for one in p.integrals}
        rows.append((p.key, p.name, p.group, ", ".join(signs[name] for name in keeps) or "–"))
    return rows


def with_tables(text: str) -> str:
    """The README with its tables as they should be."""
    for name, rows in (("methods", method_rows()), ("problems", problem_rows())):
        lines = [f"| {' | '.join(row)} |" for row in rows]
        lines.insert(1, "|---" * len(rows[0]) + "|")
        before, start, rest = text.partition(f"<!-- {name} -->\n")
        _, end, after = rest.partition("<!-- end -->\n")
        assert start and end, f"there is no place for the table of {name}"
        text = "\n".join([before + start, *lines, "", end + after])
    return text


@pytest.mark.parametrize("name, registered", [("methods", engine.algorithms), ("problems", engine.problems)])
def test_the_readme_lists_what_is_registered(name: str, registered: Any) -> None:
    table = README.partition(f"<!-- {name} -->")[2].partition("<!-- end -->")[0]
    keys = re.findall(r"^\| (\S+) \|", table, re.MULTILINE)
    assert keys == ["key", *(item.key for item in registered())], "run `python tests/test_readme.py`"


def test_the_readme_s_tables_say_what_is_declared() -> None:
    for line, expected in zip(README.splitlines(), with_tables(README).splitlines(), strict=False):
        assert line == expected, "run `python tests/test_readme.py`"


# ----------------------------------------------------------------- paths


@pytest.mark.parametrize("file", PAGES)
def test_what_is_linked_and_named_exists(file: str) -> None:
    text = re.sub(r"^```.*?^```$", "", (ROOT / file).read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    links = [target for target in re.findall(r"\]\(([^)]+)\)", text) if "://" not in target]
    code = re.findall(r"`([^`\n]+)`", text)
    paths = [name for name in code if re.fullmatch(r"\.?[\w-]+(/[\w.-]*)+|[\w.-]+\.(py|md|toml|yaml)", name)]
    for target in [*links, *paths]:
        assert (ROOT / target.partition("#")[0]).exists(), f"{file} names {target!r}, which is not there"
    assert paths or file == "CHANGELOG.md"


@pytest.mark.parametrize("file", PAGES)
def test_modules_that_are_to_be_run_exist(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    for module in re.findall(r"python -m ((?:benchmarks|engine|app)[\w.]*)", text):
        path = ROOT / module.replace(".", "/")
        assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), f"{file} runs {module!r}"


@pytest.mark.parametrize("file", PAGES)
def test_the_names_of_the_engine_that_are_mentioned_exist(file: str) -> None:
    """`engine.body.box` and `run.extrema` in the text are there."""
    run = engine.simulate("free", "MR2", steps=1)
    for name in re.findall(r"`(engine(?:\.\w+)+|run\.\w+)[`(\[]", (ROOT / file).read_text(encoding="utf-8")):
        head, *rest = name.split(".")
        at: Any = run if head == "run" else engine
        for part in rest:
            if not hasattr(at, part) and hasattr(at, "__path__"):  # a module that is loaded when it is wanted
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
    table = README.partition("## What it needs")[2].partition("\n## ")[0]
    told = {name for row in re.findall(r"^\| ([\w, -]+) \|", table, re.MULTILINE) for name in row.split(", ")}
    assert told - {"package"} == names


if __name__ == "__main__":
    (ROOT / "README.md").write_text(with_tables(README), encoding="utf-8")
