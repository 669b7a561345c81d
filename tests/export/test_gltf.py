"""Animations as glTF: the file's structure, its motion and its bodies."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import engine
from engine.cli import command
from engine.export.gltf import UP

KINDS = {5126: np.float32, 5123: np.uint16}
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}


def read(path: Path) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Return the description of a binary file, and the numbers of each accessor."""
    data = path.read_bytes()
    assert data[:4] == b"glTF"
    version, length, text_length = np.frombuffer(data[4:16], "<u4")
    assert (version, length, data[16:20]) == (2, len(data), b"JSON")
    about = json.loads(data[20 : 20 + text_length])
    rest = data[20 + text_length :]
    assert rest[4:8] == b"BIN\0" and np.frombuffer(rest[:4], "<u4")[0] == len(rest) - 8
    assert about["buffers"] == [{"byteLength": len(rest) - 8}]
    numbers = []
    for accessor in about["accessors"]:
        view = about["bufferViews"][accessor["bufferView"]]
        part = rest[8 + view["byteOffset"] :][: view["byteLength"]]
        values = np.frombuffer(part, KINDS[accessor["componentType"]]).reshape(
            accessor["count"], -1
        )
        assert view["byteOffset"] % 4 == 0 and values.shape[1] == WIDTHS[accessor["type"]]
        np.testing.assert_array_equal(accessor["min"], values.min(axis=0))
        np.testing.assert_array_equal(accessor["max"], values.max(axis=0))
        numbers.append(values.astype(float))
    return about, numbers


def motion_of(
    about: dict[str, Any], numbers: list[np.ndarray], node: int, path: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return the times and values of one channel of the animation."""
    (one,) = about["animations"]
    (sampler,) = (
        c["sampler"] for c in one["channels"] if c["target"] == {"node": node, "path": path}
    )
    found = one["samplers"][sampler]
    return numbers[found["input"]][:, 0], numbers[found["output"]]


def moments_of(points: np.ndarray, mass: float) -> np.ndarray:
    """The principal moments of a uniform cuboid with these corners."""
    squares = np.ptp(points, axis=0) ** 2
    return mass / 12 * (squares.sum() - squares)


@pytest.mark.parametrize(
    ("problem", "changes"),
    [
        ("free", {}),
        ("slow-top", {"J": (1, 2, 2.5)}),
        ("free", {"J": (2, 0.1, 0, 0.1, 3, 0.2, 0, 0.2, 4)}),
    ],
)
def test_a_body_turns_as_in_the_run(problem: str, changes: dict[str, Any], tmp_path: Path) -> None:
    run = engine.simulate(engine.problem(problem).replace(**changes), "NMB", duration=3)
    about, numbers = read(run.save(tmp_path / "run.glb"))
    t, q = motion_of(about, numbers, 1, "rotation")
    np.testing.assert_allclose(t, run.t, rtol=1e-6)
    moments, axes = run.problem.principal
    np.testing.assert_allclose(Rotation.from_quat(q).as_matrix(), run.R @ axes, atol=1e-6)
    assert (
        np.sum(q[1:] * q[:-1], axis=1) > 0
    ).all()  # a viewer that interpolates takes the short way
    place = about["meshes"][0]["primitives"][0]["attributes"]["POSITION"]
    found = moments_of(numbers[place], 1.0)
    np.testing.assert_allclose(found / found.sum(), moments / moments.sum(), rtol=1e-5)
    np.testing.assert_allclose(Rotation.from_quat(UP).apply([0, 0, 1]), [0, 1, 0], atol=1e-15)


def test_the_faces_look_outwards(tmp_path: Path) -> None:
    about, numbers = read(engine.simulate("free", "NMB", steps=2).save(tmp_path / "run.GLB"))
    (part,) = about["meshes"][0]["primitives"]
    points, normals = (numbers[part["attributes"][name]] for name in ("POSITION", "NORMAL"))
    corners = numbers[part["indices"]].astype(int).reshape(-1, 3)
    a, b, c = (points[corners[:, i]] for i in range(3))
    across = np.cross(b - a, c - a)
    across /= np.linalg.norm(across, axis=1)[:, None]
    np.testing.assert_allclose(across, normals[corners[:, 0]], atol=1e-6)
    assert (np.sum(across * a, axis=1) > 0).all()


def test_two_bodies_move_and_turn(tmp_path: Path) -> None:
    run = engine.simulate("dumbbells", "LGVI", duration=1)
    about, numbers = read(run.save(tmp_path / "run.glb"))
    for body in (1, 2):
        _, x = motion_of(about, numbers, body, "translation")
        _, q = motion_of(about, numbers, body, "rotation")
        np.testing.assert_allclose(x, getattr(run, f"x{body}"), atol=1e-6)
        axes = getattr(run.problem, f"body{body}").principal[1]
        np.testing.assert_allclose(
            Rotation.from_quat(q).as_matrix(), getattr(run, f"R{body}") @ axes, atol=1e-6
        )


def test_a_table_has_quaternions_if_wanted() -> None:
    run = engine.simulate("slow-top", "NMB", duration=3)
    frame = run.to_frame(quaternions=True)
    q = frame[["q_x", "q_y", "q_z", "q_w"]].to_numpy()
    np.testing.assert_allclose(Rotation.from_quat(q).as_matrix(), run.R, atol=1e-14)
    assert list(run.to_frame()) == [name for name in frame if not name.startswith("q_")]
    assert {"q1_w", "q2_z"} <= set(
        engine.simulate("dumbbells", "LGVI", steps=3).to_frame(quaternions=True)
    )


@pytest.mark.parametrize("problem", ["fast-top", "DB4"])
def test_rows_that_hide_turns_are_reported(problem: str, tmp_path: Path) -> None:
    """A viewer takes the shorter way between two rows, so that a wheel seems to turn backwards."""
    method = "LGVI" if problem == "DB4" else "MR2"
    finest = engine.simulate(problem, method, steps=2000)
    speeds = finest.Omega if problem == "fast-top" else finest.Omega1
    half = np.pi / np.linalg.norm(speeds, axis=1).max() / finest.dt
    for rows, hidden in ((max(1, int(0.9 * half)), False), (int(1.3 * half), True)):
        run = engine.simulate(problem, method, steps=4 * rows, every=rows)
        with warnings.catch_warnings(record=True) as noticed:
            warnings.simplefilter("always")
            run.save(tmp_path / "run.glb")
        assert bool(noticed) == hidden
        if hidden:
            assert "store more rows" in str(noticed[0].message)
            assert noticed[0].filename == __file__


def test_the_shell_reports_hidden_turns_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.glb"
    command.main(["run", "fast-top", "MR2", "--every", "48", "--out", str(path)])
    assert (
        f"polhode: {path}: between two rows a body turns by up to 12 rad" in capsys.readouterr().err
    )
