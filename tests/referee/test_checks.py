"""Check cases for other projects: an integrator of SciPy and the written equations give the same states."""

from __future__ import annotations

import csv
import json
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import engine
from engine.cli import command
from engine.referee.checks import BODY, COLUMNS, LARGEST, METHODS, list_cases

NEAR = 3e-10
"""What SciPy's integrator leaves with a tolerance of 1e-12."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The written cases."""
    place = tmp_path_factory.mktemp("checks") / "cases"
    assert command.main(["checks", "--out", str(place), "--quiet"]) == 0
    return place


@pytest.fixture(scope="module")
def cases(folder: Path) -> list[dict[str, Any]]:
    """The cases of the JSON file."""
    found = json.loads((folder / "checks.json").read_text(encoding="utf-8"))
    return list(found["cases"])


def find_torque(case: dict[str, Any], t: float, R: np.ndarray) -> np.ndarray:
    """The torque in the body's frame by the formulas of README.md."""
    acts = case["torque"]
    if acts["kind"] == "heavy top":
        return np.cross(R[2], acts["weight"])
    if acts["kind"] == "gravity gradient":
        n = acts["orbital_rate"]
        r = R.T @ [np.cos(n * t), np.sin(n * t), 0.0]
        return 3 * n**2 * np.cross(r, np.array(case["J"]) @ r)
    return np.zeros(3)


def integrate(case: dict[str, Any], gyroscopic: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """The last R and Omega by SciPy, with so much of the gyroscopic term."""
    J = np.array(case["J"])

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        R, Omega = y[:9].reshape(3, 3), y[9:]
        x, w, z = Omega
        hat = np.array([[0, -z, w], [z, 0, -x], [-w, x, 0]])
        change = gyroscopic * np.cross(J @ Omega, Omega) + find_torque(case, t, R)
        return np.concatenate([(R @ hat).ravel(), np.linalg.solve(J, change)])

    first, last = case["states"][0], case["states"][-1]
    begin = np.concatenate([np.ravel(first["R"]), first["Omega"]])
    end = solve_ivp(rates, (0.0, last["t"]), begin, "DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    return end[:9].reshape(3, 3), end[9:]


def test_states_are_those_of_the_equations_on_the_page(cases: list[dict[str, Any]]) -> None:
    assert len(cases) == 12
    for case in cases:
        R, Omega = integrate(case)
        first, last = case["states"][0], case["states"][-1]
        near = NEAR * max(1.0, float(np.abs(first["Omega"]).max()))
        assert np.abs(R - last["R"]).max() < near, case["name"]
        assert np.abs(Omega - last["Omega"]).max() < 10 * near, case["name"]


def test_errors_are_stated_and_orders_show(cases: list[dict[str, Any]]) -> None:
    for case in cases:
        assert max(state["attitude_error"] for state in case["states"]) < 1e-12
        assert [row["order"] for row in case["orders"]] == list(METHODS)
        for row in case["orders"]:
            assert row["errors"] == sorted(row["errors"], reverse=True)
            assert row["power"] > row["order"] - 0.2
            assert max(row["bounds"]) <= LARGEST
        for state in case["states"]:
            R = Rotation.from_quat(state["q"], scalar_first=True).as_matrix()
            assert np.abs(R - state["R"]).max() < 1e-14
            momentum = np.array(state["R"]) @ np.array(case["J"]) @ state["Omega"]
            assert np.abs(momentum - state["pi"]).max() < 1e-13 * np.abs(momentum).max()


def test_tables_have_what_the_json_file_has(folder: Path, cases: list[dict[str, Any]]) -> None:
    for case in cases:
        with (folder / f"{case['name']}.csv").open(encoding="utf-8") as file:
            rows = list(csv.reader(file))
        assert tuple(rows[0]) == COLUMNS
        for row, state in zip(rows[1:], case["states"], strict=True):
            assert [float(x) for x in row] == [
                float(x) for part in state.values() for x in np.ravel(part)
            ]
    with (folder / "orders.csv").open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == len(cases) * len(METHODS) * 2
    with (folder / "cases.csv").open(encoding="utf-8") as file:
        bodies = list(csv.reader(file))
    assert tuple(bodies[0]) == BODY
    for row, case in zip(bodies[1:], cases, strict=True):
        acts = case["torque"]
        numbers = [
            *np.ravel(case["J"]),
            *acts.get("weight", [0, 0, 0]),
            acts.get("orbital_rate", 0),
        ]
        assert row[0] == case["name"] and [float(x) for x in row[1:]] == numbers


def test_the_plugin_accepts_an_integrator_and_refuses_a_worse_one(folder: Path) -> None:
    (folder / "conftest.py").write_text('pytest_plugins = ["polhode_checks"]\n')
    (folder / "test_mine.py").write_text(
        "import engine, pytest\n"
        "@pytest.mark.parametrize('order', [2, 4])\n"
        "def test_order(polhode_check, order):\n"
        "    case = polhode_check.case\n"
        "    if case['torque']['kind'] != 'none':\n"
        "        return\n"
        "    start = case['states'][0]\n"
        "    body = engine.Problem(J=case['J'], R0=start['R'], Omega0=start['Omega'])\n"
        "    run = engine.simulate(body, 'MR2', dt=polhode_check.dt, steps=polhode_check.steps)\n"
        "    polhode_check.verify(run.R[-1], run.Omega[-1], order)\n"
    )
    line = [sys.executable, "-m", "pytest", "-q", "-rf", "-p", "no:cacheprovider", "test_mine.py"]
    text = subprocess.run(line, cwd=folder, capture_output=True, text=True).stdout
    failed = [line for line in text.splitlines() if line.startswith("FAILED")]
    assert len(failed) == 8 * 2, text
    assert all("-4]" in line or "[4-" in line for line in failed)


@pytest.fixture(scope="module")
def checks(folder: Path) -> list[Any]:
    """The checks of the plugin."""
    plugin = runpy.run_path(str(folder / "polhode_checks.py"))
    return [plugin["Check"](case, at) for case in plugin["CASES"] for at in (0, 1)]


def accepts(check: Any, R: Any, Omega: Any) -> bool:
    """Whether the plugin accepts a final state of a method of order 1."""
    try:
        check.verify(R, Omega, order=1)
    except AssertionError:
        return False
    return True


def test_each_check_refuses_rest_other_equations_and_what_is_no_rotation(checks: list[Any]) -> None:
    ends = {check.case["name"]: integrate(check.case, gyroscopic=0.0) for check in checks[::2]}
    for check in checks:
        first, last = check.case["states"][0], check.case["states"][-1]
        R, Omega = np.array(last["R"]), np.array(last["Omega"])
        assert accepts(check, R, Omega) and accepts(check, last["R"], last["Omega"])
        assert not accepts(check, first["R"], first["Omega"])
        assert not accepts(check, first["R"], Omega)
        assert not accepts(check, *ends[check.case["name"]])
        assert not accepts(check, R, -Omega) and not accepts(check, R, np.full(3, np.nan))
        for wrong in (
            np.full((3, 3), np.nan),
            1.001 * R,
            -R,
            0 * R,
            R * [1, 1, -1],
            R + [0, 0, 1e-3],
        ):
            assert not accepts(check, wrong, Omega)
            assert check.error(wrong) == np.inf
        one = R.copy()
        one[1, 2] = np.nan
        assert not accepts(check, one, Omega)


USUAL = {
    2: ("RK-QUAT(tableau=midpoint, renormalise=yes)", "RKMK(tableau=midpoint)"),
    4: ("RK4-QUAT", "RKMK", "RK-VECTOR"),
}


def test_usual_methods_reach_the_bounds_of_their_order_in_every_case(checks: list[Any]) -> None:
    """Those on quaternions too, which follow a fast spin much worse than those that turn by exp."""
    problems = {case.name: case.problem for case in list_cases()}
    for check in checks:
        body = problems[check.case["name"]]
        for order, method in ((order, one) for order, some in USUAL.items() for one in some):
            run = engine.simulate(body, method, dt=check.dt, steps=check.steps, samples=1)
            check.verify(run.R[-1], run.Omega[-1], order)


@pytest.mark.exhaustive
def test_a_good_method_with_a_larger_error_constant_misses_bounds_and_shows_its_order(
    checks: list[Any],
) -> None:
    errors = []
    for check in (check for check in checks if check.case["name"] == "flipping"):
        case, start = check.case, check.case["states"][0]
        body = engine.Problem(J=case["J"], R0=start["R"], Omega0=start["Omega"])
        run = engine.simulate(body, "CG4", dt=check.dt, steps=check.steps, samples=1)
        errors.append(check.error(run.R[-1]))
        with pytest.raises(AssertionError):
            check.verify(run.R[-1], run.Omega[-1], order=4)
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.1)


@pytest.mark.skipif(shutil.which("g++") is None, reason="install g++, as with `apt install g++`")
def test_the_header_reads_the_tables(folder: Path, cases: list[dict[str, Any]]) -> None:
    (folder / "main.cpp").write_text(
        '#include "polhode_checks.hpp"\n'
        "#include <cstdio>\n"
        "int main() {\n"
        '    auto rows = polhode::read("near-separatrix.csv");\n'
        '    auto top = polhode::read<polhode::Case>("cases.csv")[10];\n'
        '    auto order = polhode::read<polhode::Order>("orders.csv")[1];\n'
        "    auto R = rows.back().R;\n"
        '    std::printf("%zu %.17g %.3g\\n", rows.size(), rows.back().Omega[1], polhode::angle(R, R));\n'
        '    std::printf("%s %g %g\\n", top.name.c_str(), top.J[8], top.weight[2]);\n'
        '    std::printf("%s %d %d %g\\n", order.name.c_str(), order.order, order.steps, order.bound);\n'
        '    std::printf("%.3f ", polhode::angle(R, rows.front().R));\n'
        "    auto broken = R, mirrored = R;\n"
        "    broken[5] = NAN;\n"
        "    for (int i = 0; i < 9; i += 3) mirrored[i] = -R[i];\n"
        "    for (const auto& wrong : {broken, mirrored, polhode::Matrix{}})\n"
        '        std::printf("%g ", polhode::angle(wrong, R));\n'
        "}\n"
    )
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fno-exceptions"]
    subprocess.run(["g++", *flags, "main.cpp", "-o", "main"], cwd=folder, check=True)
    text = subprocess.run(["./main"], cwd=folder, check=True, capture_output=True, text=True).stdout
    states, top, order, angles = text.splitlines()
    separatrix = cases[3]["states"]
    turned = np.linalg.norm(np.array(separatrix[0]["R"]) - separatrix[-1]["R"]) / np.sqrt(8)
    count, velocity, angle = states.split()
    assert (int(count), float(velocity), float(angle)) == (11, separatrix[-1]["Omega"][1], 0.0)
    assert top == "asymmetric-top 4.5 10"
    reached = cases[0]["orders"][0]
    assert order == f"tumbling-least 1 {reached['steps'][1]} {reached['bounds'][1]:g}"
    assert angles.split() == [f"{2 * np.arcsin(turned):.3f}", "inf", "inf", "inf"]
    (folder / "near-separatrix.csv").rename(folder / "other.csv")
    ended = subprocess.run(["./main"], cwd=folder, capture_output=True, text=True)
    (folder / "other.csv").rename(folder / "near-separatrix.csv")
    assert ended.returncode != 0 and ended.stderr == "cannot open near-separatrix.csv\n"


@pytest.mark.skipif(shutil.which("g++") is None, reason="install g++, as with `apt install g++`")
def test_the_program_of_the_page_fails_each_check_of_a_body_at_rest(folder: Path) -> None:
    page = (folder / "README.md").read_text(encoding="utf-8")
    (folder / "page.cpp").write_text(page.partition("```cpp\n")[2].partition("```")[0])
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror"]
    subprocess.run(["g++", *flags, "page.cpp", "-o", "page"], cwd=folder, check=True)
    assert subprocess.run(["./page"], cwd=folder, capture_output=True).returncode == 24


def test_the_plugin_and_the_header_are_short(folder: Path) -> None:
    for name, most in (("polhode_checks.py", 40), ("polhode_checks.hpp", 60)):
        assert len((folder / name).read_text(encoding="utf-8").splitlines()) <= most


def test_a_missing_folder_and_a_file_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["checks"]) == 2
    assert "needs a folder" in capsys.readouterr().err
    (tmp_path / "file").write_text("")
    assert command.main(["checks", "--out", str(tmp_path / "file")]) == 2
    assert "is a file" in capsys.readouterr().err
