"""Custom methods: from a notebook's cell, from a file, and from an installed package."""

from __future__ import annotations

import json
import linecache
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from page_driver import visible_curves, visible_html, visible_text
from timeouts import TIMEOUT

import app
import engine
import engine.studies
from app.pages.routes import open_page
from app.pages.studies_page import Studies
from app.state.pages import study_forms
from app.views.controls.picker import Picker
from engine import plugins
from engine.cli import command as cli
from engine.exact.warm_up import list_distinct_kernels
from engine.kernels import compiles
from engine.quantities import all_quantities

ROOT = Path(engine.__file__).resolve().parents[1]

MINE = '''\
import engine
from engine.algebra import exp


@engine.method(key="MINE", order=(1, 1), conserves={"pi": "free", "orthogonality": "always"})
def step(body, t, h, R, Π):
    """A kick, then a turn."""
    Π = Π + h * body.torque(t, R)
    E = exp(h * (body.Jinv @ Π))
    return R @ E, E.T @ Π
'''
STUDY = """\
from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

import engine
from engine.studies.core.charts import Axes, Axis
from engine.parameters.parameter import Number, Parameter
from engine.studies import StudyResult, study


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Spins(StudyResult):
    rows: list
    plots = ((Axes(Axis("t"), Axis("spin")), "t", "spin"),)
    conclusion = "All of them spin."

    def to_frame(self):
        return pd.DataFrame(self.rows, columns=["method", "t", "spin"])



@study(
    key="spins",
    title="Spins of my own",
    sentence="How fast bodies spin.",
    arguments=(Parameter("until", Number(0.1, 100.0), "until when", label="Until"),),
    row_keys=("method", "t"),
)
def spins(problem, methods, until: float = 1.0, *, progress=None, cancel=None) -> Spins:
    \"\"\"Run them.\"\"\"
    rows = []
    for method in methods:
        run = engine.simulate(problem, method, duration=until)
        rows.append({"method": method, "t": run.t[-1], "spin": abs(run.Omega[-1]).max()})
        if progress is not None:
            progress(len(rows), len(methods), rows[-1])
    return Spins(problem=engine.problem(problem) if isinstance(problem, str) else problem, rows=rows)
"""
PROBLEM = """\
from engine.algebra import Vec3, cross
from engine.parameters.parameter import Number, Parameter
from engine.problems.field import Field
from engine.problems.problem import Action, problem


def torque(t, R, p):
    return p[0] * cross(Vec3(0.0, 0.0, 1.0), Vec3(R.zx, R.zy, R.zz))


def potential(t, R, p):
    return -p[0] * R.zz


SPRING = Field("spring", torque, potential)


@problem(
    key="sprung",
    name="Sprung top",
    summary="A top that stands up again.",
    aliases=("on a spring",),
    J=(1.0, 1.0, 2.0),
    R0=(0.5, 0.0, 0.0),
    Omega0=(0.0, 0.0, 3.0),
    dt=0.01,
    duration=20.0,
    equations="T = k e_3",
    invariants=("energy", "pi_e3"),
    specific=(Parameter("k", Number(0.0, 1e6), "strength of the spring", 2.0),),
)
def sprung(values, dt):
    return Action(SPRING, (values["k"],))
"""
QUANTITY = """\
from engine.algebra import Vec3
from engine.quantities import quantity


@quantity(key="spin_up", title="Spin of the figure axis", symbol="Ω₃")
def spin_up(Ω: Vec3) -> float:
    return Ω.z
"""
REGISTERED = {
    "stones": """\
import engine
from engine.problems.problem import register

stone = engine.twobody.dumbbell(1.0, 0.5)
register(engine.twobody.TwoBodies(key="stones", name="Two stones", body1=stone, body2=stone, X=(3, 0, 0)))
""",
    "BRICK": """\
import engine
from engine.problems.problem import register

register(engine.Problem(key="BRICK", name="A brick", J=(1, 2, 2.5), Omega0=(0.1, 2, 0)))
""",
    "OURS": """\
import engine
from engine.algorithms.core import register

register(engine.algorithm("MR2").redeclare(key="OURS", name="Ours", aliases=(), variants={}))
""",
}
"""Plugins that register what no function of their own declares."""
DOUBLE_KICK = MINE.replace("Π + h *", "Π + 2 * h *")


@pytest.fixture(autouse=True)
def modules_for_a_while(for_a_while: None) -> Iterator[None]:
    """Remove a test's registrations and their modules after it."""
    known = set(sys.modules)
    yield
    for name in set(sys.modules) - known:
        if name.endswith(".py") or name.startswith("plugged"):
            del sys.modules[name]


def write_plugin(folder: Path, text: str, name: str = "mine.py") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def environment(folder: Path, **changes: str) -> dict[str, str]:
    """The environment of another process, which has its own cache."""
    kept = {name: value for name, value in os.environ.items() if name != "POLHODE_PLAIN"}
    return (
        kept
        | {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "POLHODE_CACHE_DIR": str(folder)}
        | changes
    )


# ----------------------------------------------------------------- a notebook, a script, standard
# input

RUN_IT = '\nfor problem in ("free", "slow-top"):\n    print(engine.simulate(problem, "MINE", steps=100).energy[-1])\n'
AS_A_CELL = """
import linecache
linecache.cache["<ipython-input-3>"] = (0, None, {0!r}.splitlines(keepends=True), "<ipython-input-3>")
exec(compile({0!r}, "<ipython-input-3>", "exec"), {{"__name__": "__main__"}})
"""
"""Run a cell as a notebook does."""


@pytest.mark.exhaustive
def test_it_compiles_wherever_it_is_typed_and_is_compiled_once(tmp_path: Path) -> None:
    """A file, `-c`, a cell and standard input use the same two kernels, which are compiled once."""
    script = MINE + RUN_IT
    ways: list[tuple[list[str], str | None]] = [
        (["-c", script], None),
        ([str(write_plugin(tmp_path, script))], None),
        (["-c", AS_A_CELL.format(script)], None),
        (["-"], script),  # which has no source to compile, but finds what was compiled
    ]
    printed = set()
    for arguments, typed in ways:
        ended = subprocess.run(
            [sys.executable, "-W", "error", *arguments],
            env=environment(tmp_path / "cache"), input=typed, capture_output=True, text=True, encoding="utf-8",
        )  # fmt: skip
        assert (ended.returncode, ended.stderr) == (0, "")
        printed.add(ended.stdout)
    assert len(printed) == 1 and len(list((tmp_path / "cache").glob("*.o"))) == 2


@pytest.mark.exhaustive
def test_a_text_that_is_executed_runs_as_plain_python(tmp_path: Path) -> None:
    """Also if Python was started with another text of the same file name."""
    script = f"exec({MINE!r}, {{'__name__': 'typed'}})\nimport engine\nrun = engine.simulate('free', 'MINE', steps=3)"
    printed = subprocess.run(
        [sys.executable, "-W", "error", "-c", script + "\nprint(run.provenance['compiled'], run.message)"],
        env=environment(tmp_path / "cache"), capture_output=True, text=True, encoding="utf-8",
    )  # fmt: skip
    assert (printed.returncode, printed.stderr) == (0, "")
    assert printed.stdout.startswith("False MINE ran as plain Python")


def cell(text: str) -> None:
    linecache.cache["<cell>"] = (0, None, text.splitlines(keepends=True), "<cell>")
    exec(compile(text, "<cell>", "exec"), {"__name__": "__main__"})


def test_a_few_declarations_suffice() -> None:
    cell(MINE)
    mine = engine.algorithm("mine")
    assert (mine.key, mine.name, mine.family) == ("MINE", "MINE", "Your own")
    assert engine.algorithms()[-1] is mine
    run = engine.simulate("free", "MINE+E", dt=0.1, steps=200)
    assert np.abs(run.pi - run.pi[0]).max() < 1e-13 and np.ptp(run.energy) < 1e-13


def test_running_the_cell_again_replaces_the_method() -> None:
    cell(MINE)
    first = engine.algorithm("MINE")
    kept = engine.simulate("slow-top", "MINE", steps=10)
    cell(DOUBLE_KICK)
    assert engine.algorithm("MINE") is not first
    again = engine.simulate("slow-top", "MINE", steps=10)
    assert np.abs(again.Omega - kept.Omega).max() > 1e-3, "the old kernel runs on"
    assert np.array_equal(engine.simulate("slow-top", first, steps=10).Omega, kept.Omega)


def test_what_is_replaced_leaves_no_alias_behind() -> None:
    cell(MINE.replace('key="MINE"', 'key="MINE", aliases=("OLD",)'))
    cell(MINE)
    with pytest.raises(ValueError, match="there is no method 'OLD'"):
        engine.algorithm("OLD")


@pytest.mark.parametrize("key", ["MR2", "lp2", "mr2"])
def test_the_catalogue_s_names_are_taken(key: str) -> None:
    mr2 = engine.algorithm("MR2")
    with pytest.raises(ValueError, match=f"the name '{key}' belongs to MR2"):
        cell(MINE.replace("MINE", key))
    assert engine.algorithm("MR2") is mr2


# ----------------------------------------------------------------- files


def test_a_file_gives_its_methods(tmp_path: Path) -> None:
    file = write_plugin(tmp_path, MINE + MINE.replace("MINE", "YOURS"))
    assert [method.key for method in plugins.load(file)] == ["MINE", "YOURS"]
    assert plugins.list_files() == (file,)
    assert engine.simulate("free", "YOURS", steps=10).status == "done"


def test_a_file_that_has_changed_replaces_its_methods(tmp_path: Path) -> None:
    (first,) = plugins.load(write_plugin(tmp_path, MINE))
    (second,) = plugins.load(write_plugin(tmp_path, DOUBLE_KICK))
    assert engine.algorithm("MINE") is second is not first
    assert len(plugins.list_files()) == 1


def test_two_files_do_not_take_each_other_s_names(tmp_path: Path) -> None:
    plugins.load(write_plugin(tmp_path, MINE))
    with pytest.raises(
        ValueError,
        match=r"other\.py, line 5: the name 'MINE' belongs to MINE of .*mine\.py already",
    ):
        plugins.load(write_plugin(tmp_path, MINE, "other.py"))


BROKEN = {
    "x = 1\ny = 1 / 0\n": "mine.py, line 2: ZeroDivisionError: division by zero",
    "\n\ndef f(:\n": "mine.py, line 3: invalid syntax",
    "import nothing_of_this_name\n": "mine.py, line 1: ModuleNotFoundError: No module named 'nothing_of_this_name'",
    "raise SystemExit(3)\n": "mine.py, line 1: SystemExit: 3",
    "x = 1\n": "mine.py declares no method, problem, quantity or study; put the declaration",
    PROBLEM.replace("k e_3", "k").replace(
        "(1.0, 1.0, 2.0)", "(1.0, 1.0, 9.0)"
    ): "mine.py, line 18: no rigid body has the principal",
    PROBLEM.replace(
        '"sprung"', '"slow-top"'
    ): "mine.py, line 18: the name 'slow-top' belongs to slow-top of engine.",
    PROBLEM.replace(
        "on a spring", "free"
    ): "mine.py, line 18: the name 'free' belongs to free of engine.",
    QUANTITY.replace(
        "spin_up", "energy"
    ): "mine.py, line 5: the name 'energy' belongs to energy of engine.",
    QUANTITY.replace("Ω: V", "ω: V"): "mine.py, line 5: there is no series of a run 'ω'",
    QUANTITY.replace(": Vec3", ": list"): "mine.py, line 5: spin_up: Ω is a float, a Vec3",
    MINE.replace("R, Π", "x, R, Π"): "mine.py, line 5: MINE: a state begins with R or q",
    MINE.replace("order=", "ordre="): "mine.py, line 5: TypeError: ",
    MINE.replace('"pi"', '"momentum"'): "mine.py, line 5: MINE: conserves has 'momentum'",
}


@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
def test_what_is_wrong_with_a_file_is_told_with_its_line(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write_plugin(tmp_path, text)
    with pytest.raises(ValueError, match=r"mine\.py") as error:
        plugins.load(file)
    assert BROKEN[text] in str(error.value)
    assert plugins.list_files() == ()
    assert cli.main(["list", "--plugins", str(file)]) == 2
    out, err = capsys.readouterr()
    assert (
        out == "" and err.startswith("polhode: ") and err.count("\n") == 1 and BROKEN[text] in err
    )


@pytest.mark.parametrize(
    ("right", "wrong", "says"),
    [
        (
            "body.Jinv @ Π",
            "body.Jinw @ Π",
            r"'BodyInField' object has no attribute 'Jinw' \(line 9: .*\)",
        ),
        ("Π + h *", "Q + h *", "name 'Q' is not defined"),
        ("return R @ E, E.T @ Π", "return R @ E", r"it has to return what it carries, \(R, Π\)"),
        (
            "E = exp(",
            "E = R[0, 0] * exp(",
            r"a Mat3 has no \[ \]; its parts are xx, .* \(line 9: .*\)",
        ),
    ],
)
def test_a_mistake_in_a_step_is_told_in_one_sentence(
    right: str, wrong: str, says: str, tmp_path: Path
) -> None:
    if not compiles():
        pytest.skip("nothing is compiled here")
    file = write_plugin(tmp_path, MINE.replace(right, wrong))
    (method,) = plugins.load(file)
    with pytest.raises(ValueError, match=says) as refused:
        engine.simulate("free", method, steps=1)
    assert str(refused.value).startswith(f"the step in {file} cannot be compiled: ")
    assert "\n" not in str(refused.value)


def test_a_study_of_one_s_own_is_in_the_shell_and_on_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(write_plugin(tmp_path, STUDY))
    assert cli.main(["study", "--help", "--plugins", file]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "spins How fast bodies spin." in out
    assert cli.main(["study", "spins", "--help"]) == 0
    assert "--until X until when (1)" in " ".join(capsys.readouterr().out.split())
    command = [
        "study",
        "spins",
        "free",
        "NMB",
        "MR2",
        "--until",
        "2",
        "--plugins",
        file,
        "--json",
        "--quiet",
    ]
    assert cli.main(command) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["method"], row["t"]) for row in rows] == [("NMB", 2.0), ("MR2", 2.0)]
    assert cli.main(["study", "spins", "free", "NMB", "--until", "1e9", "--quiet"]) == 2
    assert "until must be a number from 0.1 to 100; got 10⁹" in capsys.readouterr().err
    assert cli.main(["study", "spins", "free", "NMB", "--dts", "1", "--quiet"]) == 2
    assert "polhode study spins has no option --dts" in capsys.readouterr().err

    page = Studies(
        study_forms.read_query({"study": "spins", "methods": "NMB,AKW", "until": "3"})[0]
    )
    assert "Spins of my own" in page.study.fields[0]["options"] and page.form.values == {
        "until": "3"
    }
    shown = page.page()
    assert "All of them spin." in visible_text(shown) and visible_html(shown).count("<tr>") == 1 + 2
    assert [len(curve["x"]) for curve in visible_curves(shown)] == [1, 1]
    found: dict[str, Any] = {}
    exec(page.question.snippet().replace("print", "str"), found)
    assert found["found"].rows == page.result.rows
    assert app.study_figure(page.result) is not None
    (study,) = plugins.load(file)
    assert study is engine.studies.find("spins")


def test_a_problem_of_a_file_is_in_the_shell_and_on_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write_plugin(tmp_path, PROBLEM)
    (declared,) = plugins.load(file)
    assert declared is engine.problem("on a spring") and declared in engine.problems()
    run = engine.simulate("sprung(k=5)", "NMB", steps=100)
    assert run.provenance["compiled"] or not compiles()
    assert np.ptp(run.energy) < 1e-4 < np.ptp(engine.simulate("sprung", "RK4-QUAT", dt=0.5).energy)
    assert engine.load(run.save(tmp_path / "run.csv")).rerun().R.tobytes() == run.R.tobytes()
    given = ["--plugins", str(file)]
    for arguments, told in (
        (["list", "problems"], "sprung"),
        (["show", "sprung"], "strength of the spring"),
        (["run", "sprung", "NMB", "--set", "k=5", "--steps", "3"], "sprung · NMB"),
    ):
        assert cli.main([*arguments, *given]) == 0
        out, err = capsys.readouterr()
        assert told in out and err == "", arguments
    page = open_page("?page=lab&problem=sprung&k=5&methods=NMB")[0]
    assert "Sprung top" in visible_text(page) and "k = 5" in visible_text(page)
    assert "Sprung top" in str([picker.groups for picker in page.select(Picker)])


def test_a_problem_that_is_declared_again_replaces_the_earlier_one(tmp_path: Path) -> None:
    plugins.load(write_plugin(tmp_path, PROBLEM))
    changed = PROBLEM.replace('aliases=("on a spring",),', "").replace("2.0),)", "3.0),)")
    (again,) = plugins.load(write_plugin(tmp_path, changed))
    assert engine.problem("sprung") is again and again.values["k"] == 3.0
    with pytest.raises(ValueError, match="on a spring"):
        engine.problem("on a spring")
    with pytest.raises(ValueError, match=r"other\.py, line 18: the name 'sprung' belongs to"):
        plugins.load(write_plugin(tmp_path, PROBLEM, "other.py"))


def test_a_problem_of_a_file_is_not_known_where_the_file_is_not_loaded(tmp_path: Path) -> None:
    """As in another process."""
    with plugins.for_a_while():
        plugins.load(write_plugin(tmp_path, PROBLEM))
        sent = pickle.dumps(engine.problem("sprung", k=3.0))
        assert pickle.loads(sent).act is engine.problem("sprung").act
    with pytest.raises(ValueError, match="there is no problem 'sprung'"):
        pickle.loads(sent)


@pytest.mark.parametrize("key", REGISTERED)
def test_what_a_file_registers_without_a_function_of_its_own_belongs_to_it(
    key: str, tmp_path: Path
) -> None:
    plugins.load(write_plugin(tmp_path, REGISTERED[key]))
    (again,) = plugins.load(write_plugin(tmp_path, REGISTERED[key]))
    assert again.key == key and again.module == str(tmp_path / "mine.py")
    with pytest.raises(ValueError, match=rf"the name '{key}' belongs to {key} of .*mine\.py"):
        plugins.load(write_plugin(tmp_path, REGISTERED[key], "other.py"))
    taken = REGISTERED[key].replace(key, {"stones": "dumbbells", "BRICK": "free"}.get(key, "NMB"))
    with pytest.raises(ValueError, match=r"belongs to \S+ of engine\."):
        plugins.load(write_plugin(tmp_path, taken, "third.py"))


def test_other_processes_load_the_files_of_this_one(tmp_path: Path) -> None:
    plugins.load(write_plugin(tmp_path, MINE + PROBLEM + QUANTITY))
    asked: dict[str, Any] = {
        "over": {"k": [1.0, 2.0]},
        "measure": ["spin_up", "energy"],
        "steps": 9,
    }
    here = engine.studies.sweep("sprung", "MINE", **asked)
    assert here.identical(engine.studies.sweep("sprung", "MINE", **asked, executor="processes"))
    write_plugin(tmp_path, DOUBLE_KICK + PROBLEM + QUANTITY)
    with pytest.raises(ValueError, match=r"mine\.py has changed since it was loaded"):
        engine.studies.sweep("sprung", "MINE", **asked, executor="processes")


def test_a_quantity_of_a_file_is_returned_and_listed(tmp_path: Path) -> None:
    (declared,) = plugins.load(write_plugin(tmp_path, QUANTITY))
    assert declared in all_quantities()


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    for path in (tmp_path / "no.py", tmp_path):
        with pytest.raises(ValueError, match="there is no plugin file"):
            plugins.load(path)


# ----------------------------------------------------------------- the shell


@pytest.mark.parametrize(
    ("arguments", "report"),
    [
        (["list", "methods"], "  MINE "),
        (["show", "MINE", "--source"], 'def step(body, t, h, R, Π):\n      """A kick'),
        (["run", "free", "MINE", "--steps", "3"], "free · MINE"),
        (["warm", "--methods", "MINE"], "Compiling is switched off"),
        (["bench", "MINE"], "MINE  "),
        (["cite", "MINE"], "@software{Polhode"),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_every_command_knows_the_file_s_methods(
    arguments: list[str],
    report: str,
    first: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("POLHODE_PLAIN", "1")
    given = ["--plugins", str(write_plugin(tmp_path, MINE))]
    assert cli.main([*given, *arguments] if first else [*arguments, *given]) == 0
    out, err = capsys.readouterr()
    assert report in out and err == ""


@pytest.mark.exhaustive
@pytest.mark.skipif(not compiles(), reason="compiling is switched off, or llvmlite not installed")
def test_the_file_s_methods_are_compiled_beforehand(tmp_path: Path) -> None:
    file = write_plugin(tmp_path, MINE)
    command = [
        "-m",
        "engine",
        "--plugins",
        str(file),
        "warm",
        "--methods",
        "MINE",
        "--problems",
        "free",
        "slow-top",
    ]
    ended = subprocess.run(
        [sys.executable, *command, "--jobs", "2", "--quiet"],
        env=environment(tmp_path / "cache"), capture_output=True, text=True, encoding="utf-8", timeout=TIMEOUT,
    )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (0, "")
    plugins.load(file)
    kept = {path.stem for path in (tmp_path / "cache").glob("*.o")}
    problems = {name: engine.problem(name) for name in ("free", "slow-top")}
    assert kept == {
        parts.key()
        for parts in list_distinct_kernels([engine.algorithm("MINE")], problems).values()
    }


def test_nothing_is_left_of_a_file_that_cannot_be_loaded(tmp_path: Path) -> None:
    file = write_plugin(tmp_path, "import nothing_of_this_name\n")
    before = set(sys.modules)
    with pytest.raises(ValueError, match="line 1: ModuleNotFoundError"):
        plugins.load(file)
    assert set(sys.modules) == before and file not in plugins.list_files()


def test_what_is_declared_for_a_while_is_gone_after_it(tmp_path: Path) -> None:
    mine = write_plugin(tmp_path, MINE)
    study = write_plugin(tmp_path, STUDY, "study.py")
    before = engine.studies.registered(), plugins.list_files()
    with plugins.for_a_while():
        plugins.load(mine)
        plugins.load(study)
        assert (
            engine.algorithm("MINE").key == "MINE" and engine.studies.find("spins").key == "spins"
        )
        assert plugins.list_files() == (*before[1], mine, study)
    with pytest.raises(ValueError, match="MINE"):
        engine.algorithm("MINE")
    assert (engine.studies.registered(), plugins.list_files()) == before


# ----------------------------------------------------------------- installed packages


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Installed packages with one entry point each."""
    monkeypatch.syspath_prepend(tmp_path)
    plugins.look_again()

    def install_packages(module: str, text: str) -> None:
        write_plugin(tmp_path, text, f"{module}.py")
        about = tmp_path / f"{module}-1.2.dist-info"
        about.mkdir()
        write_plugin(about, f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.2\n", "METADATA")
        write_plugin(about, f"[{plugins.GROUP}]\n{module} = {module}\n", "entry_points.txt")

    return install_packages


def test_what_is_installed_is_found_when_a_name_is_not_known(install: Any) -> None:
    install("plugged", MINE)
    assert engine.algorithm("NMB").key == "NMB"
    assert "plugged" not in sys.modules, "a name that is known needs no plugin"
    assert engine.algorithm("MINE").module == "plugged"


def test_a_problem_that_is_installed_is_found_and_listed(install: Any) -> None:
    install("plugged", PROBLEM)
    assert engine.problem("sprung").key == "sprung"
    assert engine.problem("sprung").module == "plugged"
    assert "sprung" in [problem.key for problem in engine.problems()]


def test_what_is_installed_is_listed(install: Any, capsys: pytest.CaptureFixture[str]) -> None:
    install("plugged", MINE)
    assert cli.main(["list", "methods"]) == 0
    out, err = capsys.readouterr()
    assert "\n  MINE " in out and err == ""


def test_a_broken_package_is_named_and_breaks_nothing(
    install: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install("plugged_well", MINE)
    install("plugged_badly", "import nothing_of_this_name\n")
    sentence = (
        "the plugin 'plugged_badly' of plugged_badly 1.2 is left out: "
        "ModuleNotFoundError: No module named 'nothing_of_this_name'"
    )
    assert cli.main(["list", "methods"]) == 0
    out, err = capsys.readouterr()
    assert err == f"polhode: {sentence}\n" and "\n  MINE " in out
    plugins.look_again()
    with pytest.warns(UserWarning, match="plugged_badly") as warned:
        assert engine.algorithms()[-1].key == "MINE"
    assert [str(warning.message) for warning in warned] == [sentence]


def test_plugins_are_looked_for_once(install: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    install("plugged_badly", "import nothing_of_this_name\n")
    assert len(plugins.load_installed()) == 1
    assert plugins.load_installed() == []
