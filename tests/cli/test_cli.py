"""The command `polhode` for people and scripts: its output, its exit codes, and every refusal."""

from __future__ import annotations

import contextvars
import dataclasses
import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
from covering import first
from steady_clock import steady_clock
from timeouts import TIMEOUT, wait_until

import engine
from engine import studies
from engine.algorithms import FixedStep
from engine.algorithms.core.description import describe_invariants
from engine.algorithms.core.method import QUANTITIES
from engine.cli import cards, console, run
from engine.cli import command as cli
from engine.cli.bench import bench
from engine.compiler import notices
from engine.parameters.names import fold
from engine.simulation import execute, timing
from engine.simulation.progress_bar import ProgressBar
from engine.studies.core import executor
from engine.text import SPACES
from engine.text.formatting import format_measured, show

ROOT = Path(engine.__file__).resolve().parents[1]
METHODS = [method.key for method in engine.algorithms()]
PROBLEMS = [problem.key for problem in engine.problems()]
FURTHER = [method for method in engine.algorithms(None) if method.space != "so3"]
OTHERS = [problem.key for problem in engine.problems(None) if problem.space != "so3"]


@pytest.fixture(autouse=True)
def plain_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process runs plain Python, since its runs are short. Other processes compile as
    always.
    """
    monkeypatch.setenv("POLHODE_PLAIN", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture
def machine_code(plain_python: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile kernels, for a test of a hundred thousand steps."""
    monkeypatch.delenv("POLHODE_PLAIN")


def environment(**changes: str) -> dict[str, str]:
    """The environment of another process, which compiles and finds the engine."""
    kept = dict(os.environ)
    for name in ("POLHODE_PLAIN", "PYTHONIOENCODING"):
        kept.pop(name, None)
    return kept | {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"} | changes


def polhode(*arguments: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """Run the command in another process."""
    command = [sys.executable, "-m", "engine", *arguments]
    return subprocess.run(
        command,
        env=environment(**changes),
        capture_output=True,
        encoding="utf-8",
        timeout=TIMEOUT,
        check=False,
    )


def output_of(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    """Return the output of the command; it must end with this exit code and an empty stderr."""
    assert cli.main(list(arguments)) == code
    out, err = capsys.readouterr()
    assert err == ""
    return out


def strict_json(text: str) -> Any:
    """Parse JSON without NaN or Infinity."""

    def refuse(token: str) -> None:
        raise AssertionError(f"{token} is no JSON")

    return json.loads(text, parse_constant=refuse)


# ----------------------------------------------------------------- lists and cards


def test_alone_it_prints_short_help(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    out = output_of(capsys)
    assert all(f"\n    {name} " in out for name in cli.COMMANDS)
    assert len(out.splitlines()) <= 34


@pytest.mark.parametrize("command", [[], *([name] for name in cli.COMMANDS)])
def test_help_is_a_command_as_well(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert output_of(capsys, "help", *command) == output_of(capsys, *command, "--help")


def test_an_adaptive_run_does_not_count_its_steps_against_the_rows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = output_of(capsys, "run", "free", "RADAU", "--steps", "5")
    steps = next(line for line in out.splitlines() if line.startswith("steps"))
    assert re.fullmatch(
        r"steps +\d+ of its own choice, from t = 0 to 2.5; 6 rows kept, one each 0.5", steps
    ), steps
    assert re.search(r"rotation +[\d.]+° to [\d.]+° in each 0.5 of time", out)
    assert (
        strict_json(output_of(capsys, "run", "free", "RADAU", "--steps", "5", "--json"))[
            "steps_wanted"
        ]
        is None
    )


def test_a_recording_takes_the_place_of_the_problem(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "flight.csv"
    path.write_text("t,a,b,c\n0,90,0,0\n10,90,0,0\n20,90,0,0\n50,90,0,0\n")
    units = ("--columns", "t,a,b,c", "--unit", "deg/s", "--time-unit", "ms")
    report = output_of(capsys, "run", "--samples", str(path), "EXP", *units)
    assert "flight by" in report and "gap of 30 ms" in report
    about = json.loads(output_of(capsys, "run", "--samples", str(path), "EXP", *units, "--json"))
    assert about["steps"] == 3 and about["status"] == "done" and about["attitude_error"] is None
    for words in (["free", "EXP"], []):
        assert cli.main(["run", "--samples", str(path), *words]) == 2
        assert "a recording takes the place of the problem" in capsys.readouterr().err


def test_a_run_with_given_rates_has_its_error(capsys: pytest.CaptureFixture[str]) -> None:
    about = json.loads(output_of(capsys, "run", "coning", "px4", "--json"))
    found = engine.error(engine.simulate("coning", "px4"))
    error = about["attitude_error"]
    assert np.isclose(error["degrees"], np.degrees(found.attitude[-1]))
    assert np.isclose(error["drift_degrees_per_hour"], np.linalg.norm(found.drift))
    drift = format_measured(error["drift_degrees_per_hour"])
    assert f"drift {drift} °/h" in output_of(capsys, "run", "coning", "px4")
    assert json.loads(output_of(capsys, "run", "free", "NMB", "--json"))["attitude_error"] is None


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_each_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert output_of(capsys, command, "--help").startswith(f"usage: polhode {command} ")


def test_version_names_what_it_stands_on(capsys: pytest.CaptureFixture[str]) -> None:
    out = output_of(capsys, "--version")
    assert out.startswith("polhode ") and out.count("\n") == 1
    assert f"NumPy {np.__version__}" in out


def test_list_of_methods(capsys: pytest.CaptureFixture[str]) -> None:
    lines = output_of(capsys, "list", "methods").splitlines()
    for space in ("se3", "rates"):
        count = f"{len(engine.algorithms(space))} for {SPACES[space].short}"
        assert lines[0].startswith(f"{len(METHODS)} methods for one body, ") and count in lines[0]
    listed = [line for line in lines if re.match(r"  \S", line)]
    every = engine.algorithms(None)
    assert [line.split()[0] for line in listed] == [method.key for method in every]
    for method, line in zip(every, listed, strict=True):
        fields = line.split(maxsplit=6)
        torques = "varies" if method.torque_evaluations is None else str(method.torque_evaluations)
        reversible = (
            "(yes)" if isinstance(method.reversible, str) else "yes" if method.reversible else "–"
        )
        assert fields == [
            method.key,
            method.order_in_words,
            torques,
            "implicit" if method.implicit else "explicit",
            reversible,
            "yes" if method.symplectic else "–",
            method.name,
        ]
    starts = {line.index(method.name) for method, line in zip(every, listed, strict=True)}
    assert len(starts) == 1, "the names do not stand in one column"
    assert all(
        lines.count(family) == 1 for family in {method.family for method in engine.algorithms()}
    )


def test_list_of_a_space_has_the_names_of_variants(capsys: pytest.CaptureFixture[str]) -> None:
    methods, problems = output_of(capsys, "list", "rates").split("\n\n")
    rows = [line.split()[0] for line in methods.splitlines() if re.match(r"  \S", line)]
    assert rows == [method.key for method in engine.algorithms("rates")]
    also = [line.removeprefix("    also ") for line in methods.splitlines() if "    also " in line]
    names = {name for line in also for name in line.split(", ")}
    assert names == {name for one in engine.algorithms("rates") for name in one.variants}
    assert {"px4", "ardupilot", "betaflight", "mahony", "gtsam-manifold"} <= names
    assert {line.split()[0] for line in problems.splitlines() if line.startswith("  ")} >= {
        "coning"
    }
    assert output_of(capsys, "list", "problems", "rates") == problems
    (coning,) = [
        method
        for method in strict_json(output_of(capsys, "list", "methods", "rates", "--json"))[
            "methods"
        ]
        if method["key"] == "CONING"
    ]
    assert coning["variants"]["px4"] == dict(engine.algorithm("px4").chosen)


def test_list_of_problems(capsys: pytest.CaptureFixture[str]) -> None:
    lines = output_of(capsys, "list", "problems").splitlines()
    rows = {line.split()[0]: line.split(maxsplit=3) for line in lines if line.startswith("  ")}
    for problem in engine.problems(None):
        assert rows[problem.key] == [
            problem.key,
            f"{problem.dt:g}",
            f"{problem.duration:g}",
            problem.name,
        ]
    assert all(
        lines.count(group) == 1 for group in {problem.group for problem in engine.problems()}
    )


def test_list_prints_both_without_being_asked(capsys: pytest.CaptureFixture[str]) -> None:
    both = [output_of(capsys, "list", kind) for kind in ("methods", "problems")]
    assert output_of(capsys, "list") == "\n".join(both)


def test_list_as_json_has_all_that_is_declared(capsys: pytest.CaptureFixture[str]) -> None:
    report = strict_json(output_of(capsys, "list", "--json"))
    assert [method["key"] for method in report["methods"]] == [
        method.key for method in engine.algorithms(None)
    ]
    assert [problem["key"] for problem in report["problems"]] == [*PROBLEMS, *OTHERS]
    assert {method["space"] for method in report["methods"] if method["key"] == "DOP853"} == {
        "so3",
        "se3",
    }
    mr2 = next(method for method in report["methods"] if method["key"] == "MR2")
    assert mr2["order"] == {"attitude": 2, "momentum": 2} and mr2["symplectic"] is True
    assert mr2["options"][0]["choices"] == ["123", "132", "213", "231", "312", "321"]
    assert mr2["conserves"] == dict(engine.algorithm("MR2").conserves)
    top = next(problem for problem in report["problems"] if problem["key"] == "slow-top")
    assert top["J"] == engine.problem("slow-top").J.tolist()
    assert {p["name"] for p in top["parameters"]} == set(engine.problem("slow-top").parameters)
    assert set(strict_json(output_of(capsys, "list", "problems", "--json"))) == {"problems"}


@pytest.mark.parametrize(
    "key, space",
    first([*((key, "so3") for key in METHODS), *((m.key, m.space) for m in FURTHER)], 20),
)
def test_card_of_each_method(key: str, space: str, capsys: pytest.CaptureFixture[str]) -> None:
    method = engine.algorithm(key, space=space)
    out = output_of(capsys, "show", key, "--source", "--space", space)
    words = " ".join(out.split())
    assert out.startswith(f"{key}  {method.name}\n")
    for text in (
        method.summary,
        method.equations,
        method.reference,
        method.family,
        *method.aliases,
    ):
        assert " ".join(text.split()) in words
    for option in method.options:
        default = option.format(option.default)
        assert f"  {option.name} = {default}" in out and f"default {default}" in words
    for quantity in method.conserves:
        assert re.search(rf"^  {quantity} +{re.escape(QUANTITIES[quantity])}", out, re.MULTILINE)
    assert ("  nothing to roundoff" in out) == (not method.conserves)
    if isinstance(method, FixedStep):
        moved = SPACES[method.space].argument
        defined = rf"\n  def {method.step.__name__}\(\s*{moved}: "
        assert re.search(defined, out)
    assert "def " not in output_of(capsys, "show", key, "--space", space)


@pytest.mark.parametrize("key", [*PROBLEMS, *OTHERS])
def test_card_of_each_problem(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    problem = engine.problem(key)
    out = output_of(capsys, "show", key, "--source")
    words = " ".join(out.split())
    assert out.startswith(f"{key}  {problem.name}\n")
    for text in (problem.summary, problem.equations, problem.reference):
        assert " ".join(text.split()) in words
    for name in problem.parameters:
        assert re.search(rf"^  {name}( = |  )", out, re.MULTILINE), name
    for quantity, what in describe_invariants(problem):
        assert f" {quantity} {what}" in words
    assert "\n  def " in out


def test_a_card_follows_what_was_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    assert "axes = 231 " in output_of(capsys, "show", "lp2(axes=231)")
    assert "energy         total energy" not in output_of(capsys, "show", "BUSS3")
    assert "energy         total energy" in output_of(capsys, "show", "BUSS3+E")
    assert "sign = as-printed" in output_of(capsys, "show", "soft-wall(sign=as-printed)")
    assert (
        strict_json(output_of(capsys, "show", "AKW(torque=half)", "--json"))["options"][0]["value"]
        == "half"
    )


def test_what_a_card_shows_of_a_parameter_can_be_given_to_set(
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = output_of(capsys, "show", "magnet")
    shown = dict(re.findall(r"^  (J|R0|Omega0) = \((.*?)\) ", out, re.MULTILINE))
    arguments = [word for name, value in shown.items() for word in ("--set", f"{name}={value}")]
    report = strict_json(
        output_of(capsys, "run", "magnet", "MR2", *arguments, "--steps", "1", "--json")
    )
    problem = engine.problem("magnet")
    for name in ("J", "R0", "Omega0"):
        np.testing.assert_allclose(report["problem_data"][name], getattr(problem, name), atol=1e-5)


def test_no_name_is_that_of_a_method_and_of_a_problem() -> None:
    methods, problems = (
        {fold(name) for one in registered for name in (one.key, *one.aliases)}
        for registered in (engine.algorithms(), engine.problems())
    )
    assert not methods & problems, "show would not know which one is meant"


def test_cite_prints_the_sources_of_what_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    out = output_of(capsys, "cite", "lagrange-top", "MR2*yoshida4")
    keys = re.findall(r"^@\w+\{(\w+),$", out, re.MULTILINE)
    assert keys == ["EngoMarthinsen1998", "McLachlan1993", "Polhode", "Reich1994", "Yoshida1990"]
    assert re.findall(r"^@\w+\{(\w+),$", output_of(capsys, "cite"), re.MULTILINE) == ["Polhode"]
    for names in ((), ("lagrange-top", "MR2*yoshida4")):
        text = output_of(capsys, "cite", *names)
        entries = json.loads(output_of(capsys, "cite", *names, "--json"))
        assert all(
            f"@{entry['kind']}{{{key}," in text and entry["year"] in text
            for key, entry in entries.items()
        )
        assert len(entries) == text.count("\n@") + 1


# ----------------------------------------------------------------- runs


def test_the_summary_as_json_tells_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    report = strict_json(
        output_of(capsys, "run", "fast-top", "NMB", "--steps", "150", "--every", "75", "--json")
    )
    run = engine.simulate("fast-top", "NMB", steps=150)
    assert (report["problem"], report["method"], report["status"], report["message"]) == (
        "fast-top",
        "NMB",
        "done",
        "",
    )
    assert (report["dt"], report["steps"], report["rows"], report["t_end"]) == (
        0.005,
        150,
        3,
        run.t[-1],
    )
    assert list(report["invariants"]) == ["energy", "pi_e3", "pi_chi", "gamma_norm"]
    energy = report["invariants"]["energy"]
    away = np.abs(run.energy - run.energy[0])
    assert (
        energy["initial"] == run.energy[0]
        and energy["last"] == run.energy[-1]
        and energy["relative"]
    )
    assert energy["largest_deviation"] == away.max() / abs(run.energy[0])
    assert energy["largest_deviation"] > 1.02 * away[::75].max() / abs(run.energy[0]), (
        "it covers the rows kept only"
    )
    vertical = report["invariants"]["pi_e3"]
    assert (
        vertical["largest_deviation"]
        == np.abs(run.observed["pi_e3"] - run.observed["pi_e3"][0]).max()
    )
    assert not vertical["relative"] and vertical["promised"] is None
    assert report["invariants"]["pi_chi"]["promised"] == "symmetric tops"
    assert report["orthogonality"]["max"] == run.orthogonality.max()
    degrees = np.degrees(run.increment[75::75])
    assert report["rotation_per_step_degrees"] == {"min": degrees.min(), "max": degrees.max()}
    assert report["cost"]["torque_evaluations"] == run.cost.torque_evaluations
    assert report["cost"]["newton_iterations_per_step"] == run.cost.newton_iterations / 150
    assert report["cost"]["ns_per_step"] > 0


def test_the_printed_summary(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "run.csv"
    out = output_of(
        capsys, "run", "free", "MR2", "--dt", "0.5", "--duration", "20.2", "--out", str(file)
    )
    report = strict_json(
        output_of(capsys, "run", "free", "MR2", "--dt", "0.5", "--duration", "20.2", "--json")
    )
    lines = out.splitlines()
    assert lines[0] == "free · MR2  Freely spinning body by McLachlan–Reich splitting"
    assert lines[1] == "status    done"
    assert (
        lines[2]
        == "          The duration 20.2 is not a whole number of steps of 0.5; the run ends at 20."
    )
    assert "steps     40, dt = 0.5, from t = 0 to 20; 41 rows kept" in lines
    low, high = report["rotation_per_step_degrees"].values()
    assert f"rotation  {low:.4g}° to {high:.4g}° per step" in lines
    assert re.search(
        r"^cost +[\d,]+ ns, 0 torque evaluations per step; [\d.]+ m?s in all$", out, re.MULTILINE
    )
    assert f"file      {file} (" in out
    rows = {line.split()[0]: line for line in lines[lines.index("") + 2 :]}
    assert list(rows) == ["energy", "pi", "pi_norm", "casimir", "orthogonality"]
    energy = report["invariants"]["energy"]
    assert rows["energy"].split() == [
        "energy",
        show(energy["initial"], 9),
        format_measured(energy["largest_deviation"], 3),
        "relative",
        show(energy["last"], 9),
        "–",
    ]
    assert rows["pi"].startswith("pi             (0.4165, 0.9072, 0.057702) ")
    assert rows["pi"].endswith("on free bodies")
    assert rows["orthogonality"].endswith("always")


def test_an_invariant_that_begins_at_zero_is_told_absolutely(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = strict_json(
        output_of(capsys, "run", "free", "MR2", "--set", "Omega0=0,0,0", "--steps", "2", "--json")
    )
    assert report["invariants"]["energy"]["relative"] is False
    assert report["invariants"]["energy"]["largest_deviation"] == 0.0


def test_no_steps_at_all(capsys: pytest.CaptureFixture[str]) -> None:
    report = strict_json(output_of(capsys, "run", "free", "MR2", "--steps", "0", "--json"))
    assert report["rotation_per_step_degrees"] == {"min": None, "max": None}
    assert report["cost"]["ns_per_step"] is None
    assert "rotation  –\ncost      –\n" in output_of(capsys, "run", "free", "MR2", "--steps", "0")


def test_a_study_of_convergence(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "rows.csv"
    command = [
        "study",
        "convergence",
        "free",
        "NMB",
        "--dts",
        "0.5,0.25,0.125,0.0625",
        "--duration",
        "20",
        "--quiet",
    ]
    assert cli.main([*command, "--out", str(out)]) == 0
    report = capsys.readouterr().out
    assert "Explicit Newmark: order 2 in attitude" in report and len(report.splitlines()) == 7
    assert [line.split(",")[2] for line in out.read_text().splitlines()] == [
        "steps",
        "40",
        "80",
        "160",
        "320",
    ]
    assert cli.main([*command, "--json"]) == 0
    assert [row["status"] for row in json.loads(capsys.readouterr().out)] == ["done"] * 4


def test_a_study_as_json_has_every_digit(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [
        "study",
        "convergence",
        "free",
        "CF4",
        "--dts",
        "0.03125,0.015625",
        "--duration",
        "1",
    ]
    report = strict_json(output_of(capsys, *arguments, "--json"))
    rungs = studies.convergence("free", "CF4", [0.03125, 0.015625], duration=1).rungs
    assert report == [vars(rung) for rung in rungs]
    assert 0 < report[0]["attitude"] < 1e-9, "too large to be lost by rounding to ten decimals"


def test_what_a_study_does_not_have_is_a_dash_and_null(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["study", "edge", "free", "AKW", "--duration", "2"]
    title, row, *_ = output_of(capsys, *arguments).splitlines()
    assert title.split()[-3:] == ["window", "roundoff", "tried"]
    assert row.split()[-3:] == ["–", "–", "12"]
    assert strict_json(output_of(capsys, *arguments, "--json"))[0]["window"] is None


@pytest.mark.exhaustive
def test_a_study_of_work_and_precision(capsys: pytest.CaptureFixture[str]) -> None:
    with steady_clock():
        code = cli.main(
            ["study", "work-precision", "slow-top", "CF4", "--duration", "1", "--quiet"]
        )
    assert code == 0
    said = "Commutator-free 4 reaches an error of 10⁻⁹ rad, in "
    assert said in capsys.readouterr().out


@pytest.mark.usefixtures("machine_code")
def test_a_study_of_a_long_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        cli.main(["study", "long-run", "free", "AKW", "--steps", "1e5", "--dts", "0.1", "--quiet"])
        == 0
    )
    assert (
        "Implicit midpoint: the energy stays at roundoff in 100,000 steps."
        in capsys.readouterr().out
    )


def test_verdicts_on_claims(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A claim with all its figures, as lines, as JSON and as a file."""
    out = output_of(capsys, "papers", "buss-figure-3", "krysl-endres-figure-2")
    assert out.startswith("buss-figure-3  partly, 13 of 14 hold, in ")
    assert re.search(r"^  MR2\+E +1\.19 to 1\.21 +1\.30102  no$", out, re.MULTILINE)
    assert "MR2+E: 0.84 and the energy step's 0.46 make 1.30" in out
    assert (
        "\nkrysl-endres-figure-2  reproduced, 2 of 2 hold, in " in out
        and "Figure 2, section 3.1" in out
    )
    path = tmp_path / "figures.csv"
    rows = strict_json(output_of(capsys, "papers", "BUSS-figure-3", "--json", "--out", str(path)))
    assert len(rows) == 14 and {row["claim"] for row in rows} == {"buss-figure-3"}
    assert [row["figure"] for row in rows if not row["holds"]] == ["MR2+E"]
    assert (
        path.read_text(encoding="utf-8").splitlines()[0] == "figure,paper,measured,holds,why,claim"
    )


def test_all_verdicts(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole table, here of two quick claims."""
    from engine import papers

    quick = [papers.find(key) for key in ("buss-figure-3", "krysl-endres-figure-2")]
    monkeypatch.setattr(papers, "all", lambda: quick)
    out = output_of(capsys, "papers")
    assert (
        out.count("\n  says ") == out.count("\n  reason ") == 2
        and "MR4" not in out.split("reason")[1]
    )
    rows = strict_json(output_of(capsys, "papers", "--json"))
    assert [(row["claim"], row["verdict"], row["holds"]) for row in rows] == [
        ("buss-figure-3", "partly", "13 of 14"),
        ("krysl-endres-figure-2", "reproduced", "2 of 2"),
    ]
    assert set(rows[0]) == {
        "claim",
        "source",
        "where",
        "says",
        "holds",
        "verdict",
        "reason",
        "seconds",
    }


@pytest.mark.skipif(sys.platform == "win32", reason="signals of another kind")
def test_verdicts_up_to_an_interrupt(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error output includes what was measured before."""
    from engine import papers

    def interrupted(bench: object) -> Any:
        signal.raise_signal(signal.SIGINT)
        yield "a", 1.0

    first = papers.find("buss-figure-3")
    second = dataclasses.replace(first, key="interrupted", by=interrupted)
    monkeypatch.setattr(papers, "all", lambda: [first, second])
    monkeypatch.setattr(console, "QUIET_AT_FIRST", TIMEOUT)  # no stop takes its time
    assert cli.main(["papers"]) == 130
    out, err = capsys.readouterr()
    assert out.startswith("buss-figure-3  partly") and "interrupted" not in out
    assert err == "polhode: stopped early; what was measured until then is kept\n"


def test_cards_of_claims_have_no_numbers_of_programs() -> None:
    """Steps that no number of suffices for are infinite."""
    from engine import papers

    plain = console.Style(io.StringIO())
    for measured in papers.load_verdicts().measured:
        for line in cards.claim_card(measured, plain):
            assert not re.search(r"\b(?:nan|inf|None)\b|\de[+-]\d", line), line


def test_figures_of_the_papers(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = output_of(capsys, "papers", "--figures")
    assert (
        "krysl-endres-figure-4  Convergence of the attitude, free body\n" in out
        and "buss-figure-7" in out
    )
    listed = strict_json(output_of(capsys, "papers", "--figures", "--json"))
    assert {"figure", "source", "where", "title", "plotted", "see", "claims"} == set(listed[0])
    path = tmp_path / "curves.csv"
    out = output_of(capsys, "papers", "krysl-endres-figure-1", "--figures", "--out", str(path))
    assert re.search(r"^ +energy +Δt = 0\.5 +201 +0 to 100 +0\.4693 to 0\.4707$", out, re.MULTILINE)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "plot,curve,x,y,paper,figure" and len(lines) == 1 + 26 + 51 + 101 + 201


@pytest.mark.parametrize("arguments, words", [
    (["buss-figure-33"], "there is no claim 'buss-figure-33'; the nearest names are buss-figure-3"),
    (["buss-figure-33", "--figures"], "there is no figure 'buss-figure-33'"),
    (["buss-figure-3", "--out", "rows.txt"], ".csv"),
])  # fmt: skip
def test_papers_that_are_refused(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["papers", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and words in err and len(err.splitlines()) == 1


def test_a_study_of_steps_to_accuracies(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["free", "NMB", "MR4", "--within", "0.1,0.01", "--duration", "10"]
    rows = strict_json(output_of(capsys, "study", "steps-to-accuracy", *arguments, "--json"))
    found = studies.steps_to_accuracy("free", ["NMB", "MR4"], [0.1, 0.01], duration=10)
    assert [(row["method"], row["accuracy"], row["steps"]) for row in rows] == [
        (row.method, row.accuracy, row.steps) for row in found.rows
    ]
    assert (
        cli.main(["study", "steps-to-accuracy", "free", "NMB", "--kind", "energy", "--quiet"]) == 2
    )
    assert "attitude, momentum" in capsys.readouterr().err
    assert cli.main(["study", "advise", "free", "--within", "1e-2,1e-3", "--quiet"]) == 2
    assert "within must be a number; got '1e-2,1e-3'" in capsys.readouterr().err


@pytest.mark.exhaustive
def test_a_study_of_the_edge(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["study", "edge", "free", "DMV", "--energy-within", "0.01", "--quiet"]) == 0
    report = capsys.readouterr().out
    assert (
        "Moser–Veselov: runs reach the end up to Δt = 1.058. Beyond that, it finds no solution"
        in report
        and "the energy error stays below 0.01" in report
    )


def test_a_study_of_an_ensemble(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "members.csv"
    command = [
        "study",
        "ensemble",
        "free",
        "MR2",
        "--members",
        "70",
        "--spread",
        "0.2",
        "--seed",
        "3",
        "--dts",
        "0.1",
    ]
    assert cli.main([*command, "--duration", "5", "--out", str(out), "--quiet"]) == 0
    report = capsys.readouterr().out
    assert (
        "McLachlan–Reich: 70 of 70 members run to the end" in report
        and len(report.splitlines()) == 50 + 3
    )
    assert len(out.read_text().splitlines()) == 71


def test_a_sweep(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    asked = [
        "study",
        "sweep",
        "free",
        "NMB,DMV",
        "--over",
        "dt=0.1,1.5",
        "--over",
        "Omega0.z=1:2:3",
    ]
    asked += ["--measure", "energy,steps", "--duration", "6", "--quiet"]
    assert (
        cli.main([*asked, "--out", str(tmp_path / "map.nc"), "--keep", str(tmp_path / "kept")]) == 0
    )
    report = capsys.readouterr().out
    assert (
        "9 of 12 points ran to the end; 3 without a solution." in report
        and len(report.splitlines()) == 1 + 4 + 2
    )
    there = xr.open_dataset(tmp_path / "map.nc", engine="scipy")
    assert dict(there.sizes) == {"algorithm": 2, "dt": 2, "Omega0.z": 3}
    run = engine.simulate("free", "NMB", dt=1.5, duration=6.0)
    assert there["steps"].sel(algorithm="NMB", dt=1.5).values.tolist() == [run.cost.steps] * 3
    assert studies.sweep.status(tmp_path / "kept").finished
    rows = strict_json(output_of(capsys, *asked, "--json", "--out", str(tmp_path / "map.csv")))
    assert len(rows) == 12 and {row["method"] for row in rows} == {"NMB", "DMV"}
    assert len((tmp_path / "map.csv").read_text().splitlines()) == 13


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "sweep needs --over, the parameters to vary; as in `polhode study sweep"),
        (["--over", "dt"], "an axis is a name and its values"),
        (["--over", "dt=1", "--over", "dt=2"], "dt is given twice"),
        (["--over", "dt=0.1", "--refine", "energy=much"], "energy must be a number"),
        (["--over", "dt=0.1", "--scheduler", "tcp://h:1", "--processes"], "not both"),
        (["--over", "dt=0.1", "--scheduler", "tcp://127.0.0.1:9"], "no Dask scheduler answers"),
        (["--over", "dt=0.1", "--out", "map.txt"], "must end in .nc or .csv"),
        (["--over", "dt=0.1", "--members", "3"], "polhode study sweep has no option --members"),
    ],
)
def test_a_sweep_that_makes_no_sense(
    given: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executor, "ANSWERS_WITHIN", 1)
    assert cli.main(["study", "sweep", "free", "NMB", *given, "--quiet"]) == 2
    report = capsys.readouterr().err
    assert said in report and len(report.splitlines()) == 1


def test_a_study_that_advises(capsys: pytest.CaptureFixture[str]) -> None:
    command = [
        "study",
        "advise",
        "slow-top",
        "CF4",
        "BUSS4",
        "--within",
        "1e-4",
        "--duration",
        "1",
        "--quiet",
    ]
    with steady_clock():
        assert cli.main(command) == 0
        assert "For an attitude error of 0.0001 rad, use " in capsys.readouterr().out
        assert cli.main([*command, "--json"]) == 0
    assert {row["method"] for row in json.loads(capsys.readouterr().out)} == {"CF4", "BUSS4"}


@pytest.mark.usefixtures("machine_code")
def test_a_study_of_two_bodies(capsys: pytest.CaptureFixture[str]) -> None:
    study = ["study", "full-body", "DB1"]
    options = ["--duration", "1", "--dts", "0.004,0.002", "--quiet"]
    assert cli.main([*study, "LGVI", "RK2", *options]) == 0
    report = capsys.readouterr().out
    assert (
        "With Δt = 0.002, the mean energy error of Lie group variational is" in report
        and "RK2" in report
    )
    assert cli.main([*study, *options, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["method"] for row in rows} == {"LGVI", "LGM", "RK2", "SRK"}
    assert all(row["orthogonality"] < 1e-12 for row in rows if row["method"] == "LGVI")
    assert cli.main(["study", "full-body", "free", "--quiet"]) == 2
    assert "free is a problem of one body, and this is for two bodies" in capsys.readouterr().err


@pytest.mark.parametrize("study", [s.key for s in studies.registered() if "se3" not in s.spaces])
def test_studies_of_one_body_refuse_two(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    within = ["--within", "1e-4"] if study == "advise" else []
    assert cli.main(["study", study, "dumbbells", "LGVI", *within, "--quiet"]) == 2
    assert (
        "dumbbells is a problem of two bodies, and this is for one body" in capsys.readouterr().err
    )
    assert cli.main(["study", study, "free", "LGVI", *within, "--quiet"]) == 2
    report = capsys.readouterr().err
    assert "LGVI moves two bodies, and here is one" in report and len(report.splitlines()) == 1


def test_a_study_of_nothing_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["study", "convergence", "free", "--quiet"]) == 2
    assert "at least one method" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ["convergence", "free", "NMB", "--steps", "1e6"],
            "polhode study convergence has no option --steps; the nearest is --set",
        ),
        (
            ["long-run", "free", "NMB", "--keep", "x.jsonl"],
            "polhode study long-run has no option --keep",
        ),
        (["long-run", "free", "NMB", "--dts", "0.1,0.2"], "dt must be a number; got '0.1,0.2'"),
        (["edge", "free", "NMB", "--dts", "0.1"], "polhode study edge has no option --dts"),
        (
            ["work-precision", "free", "NMB", "--within", "1e-3"],
            "polhode study work-precision has no option --within",
        ),
        (["ensemble", "free"], "the study ensemble takes one method; got none"),
        (["ensemble", "free", "NMB", "MR2"], "the study ensemble takes one method; got 2"),
        (["ensemble", "free", "NMB", "--members", "few"], "members must be a number; got 'few'"),
        (["advise", "free"], "advise needs --within, the required error; as in"),
        (
            ["advise", "free", "--within", "1e-3", "--kind", "speed"],
            "error is one of attitude, momentum, energy",
        ),
        (["convergence", "free", "NMB", "--out", "x.parquet"], "x.parquet"),
    ],
)
def test_options_that_a_study_has_no_use_for(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["study", *arguments, "--quiet"]) == 2
    assert says in capsys.readouterr().err


def test_parameters_and_options_arrive(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "run.npz"
    settings = ["Omega0=0, 0, 4", "gravity=15", "R0=1,0,0,0", "J=2,0.5,0,0.5,2,0,0,0,1"]
    options = ["axes=231", "trig=cayley"]
    arguments = [word for text in settings for word in ("--set", text)]
    arguments += [word for text in options for word in ("--option", text)]
    out = output_of(
        capsys, "run", "lagrange-top", "MR2", *arguments, "--steps", "1e1", "--out", str(file)
    )
    assert f"with      {', '.join(settings)}\n" in out
    run = engine.load(file)
    assert run.problem.Omega0.tolist() == [0, 0, 4] and run.problem.values["gravity"] == 15.0
    assert run.problem.R0.tolist() == np.eye(3).tolist()
    assert run.problem.J.tolist() == [[2, 0.5, 0], [0.5, 2, 0], [0, 0, 1]]
    assert run.method.option_values() == {"axes": "231", "trig": "cayley"}
    assert run.cost.steps == 10
    wall = ["--set", "sign=as-printed", "--steps", "1", "--out", str(file), "--quiet"]
    assert output_of(capsys, "run", "soft-wall", "MR2", *wall) == ""
    assert engine.load(file).problem.label == "soft-wall(sign=as-printed)"
    report = strict_json(
        output_of(capsys, "run", "free", "BUSS3", "--energy-correction", "--steps", "1", "--json")
    )
    assert report["method"] == "BUSS3+E"


@pytest.mark.parametrize("ending", [".parquet", ".npz", ".CSV"])
def test_what_is_written_can_be_loaded(
    ending: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / f"run{ending}"
    second = tmp_path / "second.npz"
    out = output_of(
        capsys,
        "run",
        "free",
        "NMB",
        "--steps",
        "7",
        "--out",
        str(file),
        "--out",
        str(second),
        "--quiet",
        "--json",
    )
    assert strict_json(out)["files"] == [str(file), str(second)]
    run = engine.load(file)
    assert (run.problem.key, run.method.key, run.cost.steps, len(run)) == ("free", "NMB", 7, 8)
    assert engine.load(second).energy.tolist() == run.energy.tolist()
    assert sorted(tmp_path.iterdir()) == sorted([file, second])


def test_a_run_can_be_piped_as_csv(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = output_of(
        capsys,
        "run",
        "free",
        "NMB",
        "--steps",
        "7",
        "--out",
        "-",
        "--out",
        str(tmp_path / "run.csv"),
    )
    assert out == (tmp_path / "run.csv").read_text()
    (tmp_path / "piped.csv").write_text(out)
    assert len(engine.load(tmp_path / "piped.csv")) == 8


def test_rows_can_be_piped_as_csv(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    arguments = ("study", "convergence", "free", "NMB", "--duration", "1", "--out")
    output_of(capsys, *arguments, str(tmp_path / "rows.csv"))
    assert output_of(capsys, *arguments, "-") == (tmp_path / "rows.csv").read_text()


@pytest.mark.parametrize(
    ("line", "words"),
    first(
        [
            ("polhode ru", ["run"]),
            ("polhode study convergence soft", ["soft-wall"]),
            ("polhode run slow-", ["slow-top"]),
            ("polhode run slow-top LIEMID-E", ["LIEMID-E1", "LIEMID-E2", "LIEMID-EA"]),
            ("polhode study con", ["convergence"]),
            ("polhode study convergence free NMB --dur", ["--duration"]),
            ("polhode show book", ["book-toss"]),
            ("polhode warm --problems dumb", ["dumbbells"]),
        ],
        2,
    ),
)
def test_a_shell_completes_names(line: str, words: list[str], tmp_path: Path) -> None:
    asked = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "|",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(tmp_path / "words"),
    }
    polhode(COMP_LINE=line, COMP_POINT=str(len(line)), COMP_TYPE="9", **asked)
    assert (tmp_path / "words").read_text().replace(" ", "").split("|") == words


def test_quiet_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    assert output_of(capsys, "run", "free", "NMB", "--steps", "3", "--quiet") == ""


@pytest.mark.parametrize(
    ("arguments", "words", "status"),
    [
        (["free", "DMV", "--dt", "1.06"], "status    NO SOLUTION", "no-solution"),
        (
            ["soft-wall", "RK4-MATRIX", "--dt", "1.5", "--duration", "900"],
            "status    DIVERGED",
            "diverged",
        ),
    ],
)
def test_a_run_that_ends_early_is_a_result(
    arguments: list[str],
    words: str,
    status: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    out = output_of(capsys, "run", *arguments)
    problem, method, _, dt, *duration = arguments
    run = engine.simulate(
        problem, method, dt=float(dt), duration=float(duration[1]) if duration else None
    )
    assert words in out and " ".join(run.messages[-1].split()) in " ".join(out.split())
    assert f"steps     {run.cost.steps} of {run.steps}, dt" in out
    file = tmp_path / "run.npz"
    report = strict_json(
        output_of(capsys, "run", *arguments, "--check", "--json", "--out", str(file), code=3)
    )
    assert report["status"] == status == engine.load(file).status
    assert report["failed_step"] == run.failed_step and report["message"] == run.message


def test_check_is_content_with_a_run_that_is_done(capsys: pytest.CaptureFixture[str]) -> None:
    output_of(capsys, "run", "free", "NMB", "--steps", "3", "--check")


# ----------------------------------------------------------------- mistakes of the caller

RUN = ["run", "free", "NMB", "--steps", "3"]
TOO_LONG = "x" * 300 + ".csv"

WRONG = [
    (["lst"], "there is no command 'lst'; the nearest names are list, site, study"),
    (["--foo"], "polhode has no option --foo"),
    (["list", "method"], "there is no list of 'method'; the nearest name is methods"),
    (["list", "rate"], "there is no list of 'rate'; the nearest name is rates"),
    (["show"], "show needs a name"),
    (["show", "MR3"], "there is no method or problem 'MR3'; the nearest names are MR"),
    (["show", "slowtop"], "slow-top"),
    (["show", "MR2(axes=999)"], "axes is one of 123, 132"),
    (["show", "MR2("], "there is no method or problem 'MR2('; the nearest name"),
    (["show", "zzz"], "there is no method or problem 'zzz'; the nearest names are "),
    (["run"], "run needs a problem and a method, as in `polhode run slow-top NMB`"),
    (["run", "free"], "run needs a problem and a method"),
    (["run", "NMB", "free"], "the problem comes first, then the method: `polhode run free NMB`"),
    (["run", "fee", "NMB"], "there is no problem 'fee'; the nearest name is free"),
    (["run", "free", "NMBB"], "there is no method 'NMBB'; the nearest name"),
    (["run", "free", ""], "'' is not a name"),
    (["run", "free", "MR2(axes)"], "should read name=value"),
    ([*RUN, "extra"], "'extra' is one argument too many"),
    ([*RUN, "--duratoin", "3"], "polhode run has no option --duratoin; the nearest is --duration"),
    ([*RUN, "--dura=3"], "polhode run has no option --dura"),
    ([*RUN, "--quiet=3"], "--quiet"),
    ([*RUN, "--dt"], "--dt needs a value"),
    ([*RUN, "--dt", "-0.1"], "dt must be a number from 10⁻¹⁵ to 10¹⁵; got −0.1"),
    ([*RUN, "--dt", "0"], "dt must be a number"),
    ([*RUN, "--dt", "nan"], "dt must be a number from 10⁻¹⁵ to 10¹⁵; got nan"),
    ([*RUN, "--dt", "inf"], "got inf"),
    ([*RUN, "--dt", "1e400"], "got inf"),
    ([*RUN, "--dt", "fast"], "dt must be a number; got 'fast'"),
    ([*RUN, "--dt="], "dt must be a number; got ''"),
    ([*RUN, "--dt", "1\n2"], "dt must be a number"),
    ([*RUN, "--duration", "3"], "the duration or the number of steps, not both"),
    (["run", "free", "NMB", "--duration", "-3"], "duration must be a number from 0"),
    (
        ["run", "free", "NMB", "--steps", "1.5"],
        "steps must be a whole number from 0 to 10¹⁵; got 1.5",
    ),
    (["--json", "list"], "--json comes after the command, as in `polhode list --json`"),
    (
        ["--dt", "0.1", "run", "free", "NMB"],
        "--dt comes after the command, as in `polhode run --dt`",
    ),
    (["help", "lst"], "there is no command 'lst'"),
    (
        ["study"],
        "study needs its name and a problem, as in `polhode study STUDY free NMB`; there are convergence,",
    ),
    (["study", "edge"], "study needs its name and a problem, as in `polhode study edge free NMB`"),
    (
        ["study", "convergences", "free"],
        "there is no study 'convergences'; the nearest name is convergence",
    ),
    (
        ["study", "ensemble", "free", "NMB", "--members", "2.5"],
        "members must be a whole number from 1 to 10⁶",
    ),
    (["study", "ensemble", "free", "NMB", "--seed", "0.5"], "seed must be a whole number"),
    (
        ["study", "ensemble", "free", "NMB", "--seed", str(2**53 + 2)],
        "seed must be a whole number from 0 to 9",
    ),
    (["run", "free", "NMB", "--steps", "-1"], "steps must be a whole number from 0"),
    (["run", "free", "NMB", "--steps", "nan"], "steps must be a whole number"),
    (
        ["run", "free", "NMB", "--steps", "2000000000"],
        "are too many to run without --every k or --samples n",
    ),
    (["run", "free", "NMB", "--duration", "1e15", "--dt", "1e-15"], "can be run"),
    ([*RUN, "--every", "0"], "every must be a whole number from 1"),
    ([*RUN, "--every", "2", "--samples", "2"], "give --every k or --samples n, not both"),
    ([*RUN, "--out", "-", "--json"], "--out - and --json both print; give one of them"),
    ([*RUN, "--samples", "many"], "samples must be a number; got 'many'"),
    (
        [*RUN, "--option", "axes=231"],
        "NMB has no option 'axes'; its options are precision, substeps",
    ),
    (
        ["run", "free", "MR2", "--option", "axis=231"],
        "MR2 has no option 'axis'; its options are axes, trig",
    ),
    (
        ["run", "free", "MR2", "--option", "self=231"],
        "MR2 has no option 'self'; its options are axes, trig",
    ),
    (["run", "free", "MR2", "--option", "axes=111"], "axes is one of 123"),
    (["run", "free", "MR2", "--option", "axes"], "--option is followed by NAME=VALUE; got 'axes'"),
    (["run", "free", "MR2", "--option", "axes=123", "--option", "axes=231"], "axes is given twice"),
    ([*RUN, "--set", "Omega0"], "--set is followed by NAME=VALUE; got 'Omega0'"),
    ([*RUN, "--set", "=3"], "--set is followed by NAME=VALUE"),
    ([*RUN, "--set", "Omega0="], "--set is followed by NAME=VALUE"),
    (
        [*RUN, "--set", "gravity=3"],
        "free has no parameter 'gravity'; its parameters are J, Omega0, R0",
    ),
    ([*RUN, "--set", "self=3"], "free has no parameter 'self'"),
    ([*RUN, "--set", "Omega0=1,2"], "Omega0 takes 3 numbers, separated by commas; got 2"),
    (
        [*RUN, "--set", "Omega0=1,2,z"],
        "Omega0 takes 3 numbers, separated by commas, like 0, 0, 4; got '1,2,z'",
    ),
    ([*RUN, "--set", "Omega0=1,2,nan"], "got (1, 2, nan)"),
    ([*RUN, "--set", "Omega0=1,2,3", "--set", "Pi0=1,2,3"], "give Omega0 or Pi0, not both"),
    ([*RUN, "--set", "J=1,1,5"], "no rigid body has the principal moments (1, 1, 5)"),
    (
        [*RUN, "--set", "J=1,1"],
        "J takes 3 numbers (principal moments) or 9 (matrix), separated by commas; got 2",
    ),
    (
        [*RUN, "--set", "R0=1,1"],
        "R0 takes 3 numbers (rotation vector), 4 (quaternion) or 9 (matrix), separated by",
    ),
    ([*RUN, "--dt", "0,1"], "dt needs a decimal point: 0.1"),
    ([*RUN, "--set", "R0=0,0,0,0"], "a quaternion must have a length"),
    (
        ["run", "slow-top", "NMB", "--set", "gravity=-1"],
        "gravity must be a number from 0 to 10⁹; got −1",
    ),
    (
        ["run", "slow-top", "NMB", "--set", "gravity=nan"],
        "gravity must be a number from 0 to 10⁹; got nan",
    ),
    (
        ["run", "slow-top", "NMB", "--set", "gravity=strong"],
        "gravity must be a number; got 'strong'",
    ),
    (
        ["run", "soft-wall", "NMB", "--set", "sign=other"],
        "sign is one of physical, as-printed; got 'other'",
    ),
    ([*RUN, "--energy-correction"], "the energy correction does not fit NMB"),
    (
        ["run", "slow-top", "BUSS3", "--energy-correction"],
        "the energy correction is for free bodies",
    ),
    (["run", "magnet", "BUSS4"], "BUSS4 needs the torque's second rate of change"),
    ([*RUN, "--out", "run.txt"], "must end in .parquet, .npz, .csv or .glb; got 'run.txt'"),
    ([*RUN, "--out", "run"], "must end in .parquet, .npz, .csv or .glb"),
    ([*RUN, "--out", "{folder}/no/run.csv"], "there is no folder "),
    ([*RUN, "--out", "{folder}/folder.csv"], "is a folder; give the name of a file"),
    ([*RUN, "--out", "{folder}/" + TOO_LONG], "cannot be written: "),
    ([*RUN, "--out", "{folder}/good.csv", "--out", "{folder}/bad.txt"], "must end in"),
    (["cite", "slow-top", "NMBB"], "there is no method or problem 'NMBB'"),
    (["list", "--plugins"], "--plugins needs a value"),
    (["--plugins", "{folder}/no.py", "list"], "there is no plugin file "),
    (["run", "free", "NMB", "--plugins={folder}/folder.csv"], "there is no plugin file "),
    (["warm", "--jobs", "0"], "jobs must be a whole number from 1"),
    (["warm", "--jobs", "two"], "jobs must be a number; got 'two'"),
    (["warm", "--methods"], "--methods needs a value"),
    (["warm", "--methods", "NMBB"], "there is no method 'NMBB'"),
    (["warm", "--problems", "fee"], "there is no problem 'fee'"),
    (["bench", "NMBB"], "there is no method 'NMBB'"),
    (["bench", "NMB", "--json", "numbers.txt"], "must end in .json; got 'numbers.txt'"),
]


@pytest.mark.parametrize(("arguments", "sentence"), WRONG, ids=[" ".join(a)[:60] for a, _ in WRONG])
def test_what_is_wrong_is_one_sentence(
    arguments: list[str],
    sentence: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    (tmp_path / "folder.csv").mkdir()
    before = sorted(tmp_path.iterdir())
    for names in (execute.__globals__, vars(timing)):
        monkeypatch.setitem(names, "drive", lambda *_, **__: pytest.fail("a run was started"))
    code = cli.main([argument.replace("{folder}", str(tmp_path)) for argument in arguments])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert err.startswith("polhode: ") and err.endswith("\n") and err.count("\n") == 1
    assert sentence in err
    assert "Traceback" not in err and "usage:" not in err and "COMMAND" not in err
    assert sorted(tmp_path.iterdir()) == before, "something was left behind"


def test_the_process_too_says_one_sentence() -> None:
    ended = polhode("run", "free", "NMB", "--dt", "-1")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "polhode: dt must be a number from 10⁻¹⁵ to 10¹⁵; got −1\n"


# ----------------------------------------------------------------- failures of the machine


def test_a_file_that_fails_after_the_run_does_not_cost_the_summary(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(self: Any, path: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(engine.Run, "save", fail)
    file = tmp_path / "run.npz"
    assert cli.main([*RUN, "--out", str(file)]) == 1
    out, err = capsys.readouterr()
    assert "status    done" in out and "file " not in out
    assert err == f"polhode: {file} was not saved: No space left on device\n"


@pytest.mark.parametrize("arguments", [
    ["study", "convergence", "free", "NMB", "--dts", "0.5", "--duration", "1", "--out", "rows.csv"],
    ["papers", "buss-figure-3", "--out", "rows.csv"],
    ["bench", "NMB", "--json", "rows.json"],
])  # fmt: skip
def test_a_file_that_fails_does_not_cost_what_was_measured(
    arguments: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    def full(path: Path) -> None:
        path.write_text("the first half")
        raise OSError(28, "No space left on device")

    put = console.write_atomically
    monkeypatch.setattr(console, "write_atomically", lambda path, write: put(path, full))
    monkeypatch.chdir(tmp_path)
    assert cli.main(arguments) == 1
    out, err = capsys.readouterr()
    assert out.count("\n") > 2
    assert err == f"polhode: {arguments[-1]} was not saved: No space left on device\n"
    assert list(tmp_path.iterdir()) == [], "half a file was left"


def test_too_little_memory_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(run, "simulate", fail)
    assert cli.main(RUN) == 1
    assert capsys.readouterr().err.startswith("polhode: the memory does not suffice")


@pytest.mark.skipif(not hasattr(signal, "SIGPIPE"), reason="no pipes that break")
def test_a_broken_pipe_is_quiet() -> None:
    read, write = os.pipe()
    os.close(read)
    process = subprocess.Popen(
        [sys.executable, "-m", "engine", "list"],
        env=environment(),
        stdout=write,
        stderr=subprocess.PIPE,
    )
    os.close(write)
    _, err = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, err) == (141, b"")


@pytest.mark.exhaustive
def test_output_that_can_not_be_encoded_is_replaced() -> None:
    ended = polhode("show", "NMB", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "?R?R ? 1?" in ended.stdout  # ‖RᵀR − 1‖


def test_listing_needs_none_of_the_heavy_libraries() -> None:
    code = (
        "import sys; from engine.cli.command import main; main(['list']); main(['show', 'MR2']); "
        "heavy = {'pandas', 'pyarrow', 'scipy', 'panel', 'bokeh', 'pyvista', 'multiprocessing'}; "
        "sys.exit(', '.join(sorted(heavy & set(sys.modules))) or 0)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")


# ----------------------------------------------------------------- interrupts


ACKNOWLEDGED = "polhode: stopping; once more ends it at once\n"


def interruptible() -> None:
    """In a child, before it becomes Python: enable Ctrl-C, which a background job may have
    disabled.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of another kind")
@pytest.mark.parametrize(("number", "code"), first([(signal.SIGINT, 130), (signal.SIGTERM, 143)]))
def test_an_interrupted_run_is_told_and_saved(number: int, code: int, tmp_path: Path) -> None:
    file = tmp_path / "run.npz"
    steps = [
        "--steps",
        "1000000000000",
        "--every",
        "1000000",
        "--progress",
        "--json",
        "--out",
        str(file),
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "engine", "run", "slow-top", "NMB", *steps],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        preexec_fn=interruptible,
    )
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        assert re.fullmatch(r" *0 %  [\d,]+ of 1,000,000,000,000 steps\n", line), line
        process.send_signal(number)
        out, err = process.communicate(timeout=TIMEOUT)
    finally:
        process.kill()
    assert process.returncode == code
    assert "Traceback" not in err
    assert "polhode:" not in err.replace(ACKNOWLEDGED, "")  # which comes if the stop takes its time
    report = strict_json(out)
    assert report["status"] == "cancelled" and 0 < report["steps"] < 10**12
    assert report["message"].startswith("Cancelled after ")
    run = engine.load(file)
    assert (run.status, run.cost.steps, run.t[-1]) == (
        "cancelled",
        report["steps"],
        report["t_end"],
    )
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of another kind")
@pytest.mark.parametrize("script", [False, True])
def test_an_interrupt_while_it_starts_leaves_no_traceback(script: bool, tmp_path: Path) -> None:
    (tmp_path / "polhode").write_text(
        "import sys\nfrom engine.cli.command import main\nsys.exit(main())\n"
    )
    start = [str(tmp_path / "polhode")] if script else ["-m", "engine"]
    process = subprocess.Popen(
        [
            sys.executable,
            *start,
            "run",
            "slow-top",
            "NMB",
            "--steps",
            "1e12",
            "--every",
            "1e9",
            "--quiet",
        ],
        env=environment() | {"PYTHONPROFILEIMPORTTIME": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=interruptible,
    )
    try:
        assert process.stderr is not None
        while " numpy" not in (line := process.stderr.readline()):
            assert line
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=TIMEOUT)
    finally:
        process.kill()
    assert process.returncode in (
        130,
        -signal.SIGINT,
    )  # the latter if an extension's module met the interrupt
    assert "Traceback" not in err and "Error" not in err


@pytest.mark.exhaustive
def test_a_program_that_imports_the_engine_keeps_its_own_interrupts() -> None:
    said = "import engine, signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    done = subprocess.run(
        [sys.executable, "-c", said],
        env=environment(),
        capture_output=True,
        text=True,
        preexec_fn=interruptible,
    )
    assert done.stdout == "True\n", done.stderr


def test_the_first_signal_ends_the_run_and_the_second_kills() -> None:
    before = signal.getsignal(signal.SIGTERM)
    cancel = engine.Cancellation()
    with console.ended_by_signals(cancel) as received:
        assert not cancel.is_set()
        signal.raise_signal(signal.SIGTERM)
        assert cancel.is_set() and cancel.flag[0] == 1 and received == [signal.SIGTERM]
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    assert signal.getsignal(signal.SIGTERM) == before


def test_a_stop_that_takes_its_time_is_acknowledged(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "QUIET_AT_FIRST", 0.01)
    with console.ended_by_signals(engine.Cancellation()):
        time.sleep(0.1)
        assert capsys.readouterr().err == "", "nothing requested a stop"
    with console.ended_by_signals(engine.Cancellation()):
        signal.raise_signal(signal.SIGINT)
        said: list[str] = []
        wait_until(
            lambda: said.append(capsys.readouterr().err) or "".join(said).endswith("\n"),
            "it is acknowledged",
        )
    assert "".join(said) == ACKNOWLEDGED


def test_what_is_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with console.ended_by_signals(engine.Cancellation()):
            assert signal.getsignal(signal.SIGTERM) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_run_in_another_thread_sets_no_signals(capsys: pytest.CaptureFixture[str]) -> None:
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(cli.main([*RUN, "--quiet"])))
    thread.start()
    thread.join()
    assert codes == [0] and capsys.readouterr().err == ""


def test_an_interrupt_anywhere_else_is_quiet_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "warm", interrupted)
    assert cli.main(["warm"]) == 130
    said = "interrupted; what is compiled so far is kept, and the next time it goes on"
    assert capsys.readouterr().err == f"polhode: {said}\n"


# ----------------------------------------------------------------- terminals


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def test_colours_are_for_terminals_and_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert console.Style(Terminal()).bold("x") == "\x1b[1mx\x1b[0m"
    assert console.Style(io.StringIO()).bold("x") == "x"
    assert console.Style(None).bold("x") == "x"
    monkeypatch.setenv("TERM", "dumb")
    assert console.Style(Terminal()).bold("x") == "x"
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    assert console.Style(Terminal()).bold("x") == "x"


def bar_on(
    stream: Any, monkeypatch: pytest.MonkeyPatch, shown: bool | None = None
) -> tuple[ProgressBar, list[float]]:
    """A bar on a stream, and its manual clock."""
    clock = [100.0]
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    monkeypatch.setenv("COLUMNS", "100")
    return ProgressBar("steps", shown), clock


def test_the_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    bar, clock = bar_on(stream, monkeypatch)
    with bar:
        clock[0] += 0.2
        bar(10_000, 1_000_000)
        assert stream.getvalue() == "", "a short run should not flicker"
        clock[0] += 10
        bar(250_000, 1_000_000)
        words = " 25 %  250,000 of 1,000,000 steps  24 k/s  0:31 left"
        assert stream.getvalue() == f"\r{'━' * 7}{'─' * 21} {words}\x1b[K"
        bar(251_000, 1_000_000)
        assert stream.getvalue().count("\r") == 1, "it is written too often"
    assert stream.getvalue().endswith("\r\x1b[K")


def test_the_bar_in_a_narrow_terminal_and_in_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    stream.encoding = "ascii"
    bar, clock = bar_on(stream, monkeypatch)
    bar(0, 2)
    clock[0] += 4000
    bar(1, 2)
    assert (
        stream.getvalue()
        == f"\r{'#' * 14}{'-' * 14}  50 %  1 of 2 steps  0.00025/s  1:06:40 left\x1b[K"
    )
    monkeypatch.setenv("COLUMNS", "30")
    clock[0] += 1
    bar(1, 2)
    assert stream.getvalue().rpartition("\r")[2].startswith(" 50 %  1 of 2")


def test_the_bar_of_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    bar, clock = bar_on(stream, monkeypatch)
    clock[0] += 1
    bar(1.5, 4)
    assert " 37 %  1 of 4 steps" in stream.getvalue()


def test_the_bar_tells_what_is_compiled_while_it_stands(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))
    stream = Terminal()
    bar, _ = bar_on(stream, monkeypatch)
    with notices.announce("NMB"), bar:
        bar.note("preparing …")
        with notices.announce("DMV"):
            pass
        monkeypatch.setenv("POLHODE_CACHE_DIR", os.devnull)
        with notices.announce("AKW"), notices.announce(""):
            pass
    with notices.announce("MR2"):
        pass
    written = stream.getvalue().removesuffix("\r\x1b[K").replace("\x1b[K", "").split("\r")
    assert written == [
        "",
        "preparing …",
        "Compiling DMV, once …",
        "preparing …",
        "Compiling AKW …",
        "preparing …",
    ]


def test_several_threads_that_compile_are_told_of_until_the_last_is_done() -> None:
    heard: list[str] = []
    with notices.listen(heard.append), ExitStack() as first:
        first.enter_context(notices.announce("DMV"))
        second = contextvars.copy_context()

        def compile_another() -> None:
            with notices.announce("AKW"):
                first.close()

        thread = threading.Thread(target=second.run, args=(compile_another,))
        thread.start()
        thread.join()
    assert heard == ["DMV", "AKW", "AKW", ""]


def test_methods_that_threads_measure_are_told_of_when_they_are_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def compiled(method: Any, **_: Any) -> studies.Properties:
        with notices.announce(method.label):
            return studies.Properties(method, note="not measured")

    monkeypatch.setattr(studies.all_properties, "properties", compiled)
    heard: list[str] = []
    with notices.listen(heard.append):
        studies.property_table(["NMB", "SW"], quick=True)
    assert {"NMB", "SW", ""} == set(heard)


@pytest.mark.parametrize("arguments", [
    ["study", "convergence", "free", "NMB", "--dts", "0.5,0.25", "--duration", "1"],
    ["papers", "buss-figure-3"],
    ["properties", "NMB", "SW", "--quick", "--markdown"],
    ["bench", "NMB"],
])  # fmt: skip
def test_progress_can_be_asked_for_where_there_is_no_terminal(
    arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        studies.all_properties,
        "properties",
        lambda method, **_: studies.Properties(method, note="not measured"),
    )
    assert cli.main([*arguments, "--progress"]) == 0
    assert re.search(r"^100 %  \d+ of \d+ ", capsys.readouterr().err, re.MULTILINE)


def test_the_bar_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    bar, clock = bar_on(stream, monkeypatch)
    clock[0] += 10
    bar(1, 2)
    assert stream.getvalue() == "", "log files get no progress"
    bar, clock = bar_on(stream, monkeypatch, shown=True)
    with bar:
        for done in range(9):
            bar(done, 8)
            clock[0] += 1
        bar.note("compiling")
    assert stream.getvalue().splitlines() == [
        "  0 %  0 of 8 steps",
        " 62 %  5 of 8 steps  1/s  0:03 left",
        "100 %  8 of 8 steps  1/s  0:00 left",
    ]


# ----------------------------------------------------------------- bench


def test_bench(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "numbers.json"
    out = output_of(capsys, "bench", "NMB", "BUSS3+E", "--json", str(file))
    report = strict_json(file.read_text(encoding="utf-8"))
    assert report["unit"] == "ns/step" and report["machine"]["versions"]["numpy"] == np.__version__
    newmark, buss = report["methods"]
    assert all(
        newmark[problem][word] > 100
        for problem in ("free", "slow-top")
        for word in ("untracked", "tracked")
    )
    assert buss["slow-top"] == {"untracked": None, "tracked": None}
    rows = {
        line.split()[0]: line.split()[1:]
        for line in out.splitlines()
        if line.startswith(("NMB", "BUSS3+E"))
    }
    assert rows["NMB"] == [
        f"{newmark[p][w]:.1f}" for p in ("free", "slow-top") for w in ("untracked", "tracked")
    ]
    assert rows["BUSS3+E"][2:] == ["–", "–"]
    assert "plain Python because compiling is switched off, or llvmlite not installed" in out


def test_bench_that_is_stopped_has_the_turns_that_were_made() -> None:
    cancel = threading.Event()
    cases = 4  # free and slow-top, tracked and not

    def stop_in_the_third_turn(done: int, total: int) -> None:
        if done == 3 * cases + 1:
            cancel.set()

    report = bench(["NMB"], stop_in_the_third_turn, cancel)
    assert report["repetitions"] == 2
    assert all(
        ns > 0 for problem in ("free", "slow-top") for ns in report["methods"][0][problem].values()
    )
    report = bench(["NMB"], cancel=cancel)
    assert report["repetitions"] == 0 and report["methods"][0]["free"] == {
        "untracked": None,
        "tracked": None,
    }


@pytest.mark.parametrize("method", ["EXACT", "DOP853"])
def test_bench_has_no_time_of_a_step_where_there_are_none(method: str) -> None:
    """It does not drive a kernel that only tracks invariants, which would read beyond its
    memory.
    """
    (report,) = bench([method])["methods"]
    assert all(
        report[problem] == {"untracked": None, "tracked": None} for problem in ("free", "slow-top")
    )


TABLES: dict[str, tuple[str, ...]] = {
    "list": ("list",),
    "list of problems": ("list", "problems"),
    "run": ("run", "slow-top", "NMB", "--steps", "100"),
    "convergence": ("study", "convergence", "free", "NMB", "CF4", "--duration", "10"),
    "long run": ("study", "long-run", "free", "NMB", "AKW", "--steps", "40000"),
    "papers": ("papers", "--figures"),
}


@pytest.mark.usefixtures("machine_code")
@pytest.mark.parametrize("width", [80, 100])
@pytest.mark.parametrize("what", TABLES)
def test_tables_fit_the_terminal(
    what: str, width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    assert cli.main([*TABLES[what]]) == 0
    said = capsys.readouterr().out.splitlines()
    assert [line for line in said if len(line) > width] == []
    if what == "list":
        named = {line.split()[0] for line in said if line.startswith("  ") and line[2:3].strip()}
        assert {method.key for method in engine.algorithms()} <= named


@pytest.mark.usefixtures("machine_code")
def test_a_narrow_terminal_names_the_columns_that_it_does_not_show(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files and pipes have all of them."""
    monkeypatch.delenv("COLUMNS", raising=False)
    asked = [*TABLES["convergence"]]
    assert cli.main(asked) == 0
    whole = capsys.readouterr().out
    assert "newton_iterations" in whole.splitlines()[0] and "Not shown" not in whole
    monkeypatch.setenv("COLUMNS", "80")
    assert cli.main(asked) == 0
    narrow = capsys.readouterr().out
    assert "newton_iterations" not in narrow.splitlines()[0]
    note = narrow[narrow.index("Not shown") :]
    assert "newton_iterations" in note and "--json" in note


def test_errors_and_remarks_spell_arguments_as_options() -> None:
    said = "give every=k or samples=n, as in every=20; MR2(axes=231), sign=as-printed stay"
    assert console.spell_arguments(said) == (
        "give --every k or --samples n, as in --every 20; MR2(axes=231), sign=as-printed stay"
    )


def test_a_method_with_the_name_of_a_problem_runs_and_may_share_an_option_with_the_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["run", "coning", "CONING", "--steps", "6"]) == 0
    assert cli.main(["run", "coning", "CONING", "--samples", "3"]) == 2
    assert capsys.readouterr().err == (
        "polhode: --samples 3 is an argument of the run and an option of CONING; write CONING(samples=3) "
        "for the option, and --every k to store fewer rows\n"
    )


def test_refusals_of_a_recording_name_the_options_of_the_shell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each names what helps: with that option the next thing is refused, or the run is made."""
    path = tmp_path / "flight.csv"
    path.write_text("n,a,b,c\n" + "".join(f"{10 * k},{k % 3},2,1\n" for k in range(9)))
    given = ["run", "--samples", str(path), "EXP"]
    for helps, options in (
        ("as in --columns 1,2,3,4", ["--columns", "1,2,3,4"]),
        ("as in --time-unit ms", ["--time-unit", "ms"]),
    ):
        assert cli.main(given) == 2
        assert helps in capsys.readouterr().err
        given += options
    assert cli.main(given) == 0
