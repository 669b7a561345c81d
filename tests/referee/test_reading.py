"""Reading of trajectories: conventions are found by the motion, odd files get one plain sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import engine
from engine.referee.reading import read_trajectory
from engine.simulation import Run

Array = NDArray[np.float64]
Columns = dict[str, Array]
Write = Callable[..., Path]

BODY = engine.problem("free").replace(
    J=(1.0, 2.2, 2.6), Omega0=(1.2, 2.0, -0.7), R0=(0.3, -0.5, 0.9)
)
RUN = engine.simulate(BODY, "ode", dt=1 / 60, duration=3)
LONGER = engine.simulate(BODY, "ode", dt=1 / 60, duration=8)
DEGREES = 180 / np.pi


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes columns to a file, as CSV."""

    def write_columns(columns: Columns, form: str = "%.17g", names: bool = True) -> Path:
        path = tmp_path / "motion.csv"
        with path.open("w") as file:
            if names:
                file.write(",".join(columns) + "\n")
            np.savetxt(file, np.stack(list(columns.values()), axis=1), fmt=form, delimiter=",")
        return path

    return write_columns


def list_columns(
    kind: str, frame: str = "body", inverse: bool = False, factor: float = 1.0, run: Run = RUN
) -> Columns:
    """Return the columns of a run by the customs of engines."""
    turned = Rotation.from_matrix(np.swapaxes(run.R, 1, 2) if inverse else run.R)
    columns = {"t": run.t} | list_attitude(kind, turned, factor)
    if frame:
        omega = run.Omega if frame == "body" else np.einsum("nij,nj->ni", run.R, run.Omega)
        columns |= dict(zip(("wx", "wy", "wz"), factor * omega.T, strict=True))
    return columns


def list_attitude(kind: str, turned: Rotation, factor: float) -> Columns:
    """Return the columns of attitudes."""
    if kind in ("wxyz", "xyzw"):
        return {f"q{i}": column for i, column in enumerate(find_quaternions(kind, turned).T)}
    if kind == "quaternion":
        return {
            f"q{axis}": column
            for axis, column in zip("wxyz", find_quaternions("wxyz", turned).T, strict=True)
        }
    if kind == "matrix":
        matrices = turned.as_matrix()
        return {f"r{i + 1}{j + 1}": matrices[:, i, j] for i in range(3) for j in range(3)}
    if kind == "vector":
        return dict(zip(("rx", "ry", "rz"), factor * turned.as_rotvec().T, strict=True))
    names = ("phi", "theta", "psi") if kind == "ZXZ" else ("roll", "pitch", "yaw")
    angles = factor * turned.as_euler(kind).T
    if kind == "ZXZ":
        return dict(zip(names, angles, strict=True))
    by_axis = dict(zip(kind, angles, strict=True))
    return {name: by_axis[axis] for name, axis in zip(names, "XYZ", strict=True)}


def find_quaternions(order: str, turned: Rotation) -> Array:
    quaternions: Array = turned.as_quat()
    return quaternions if order == "xyzw" else np.roll(quaternions, 1, axis=1)


KINDS = ["quaternion", "wxyz", "xyzw", "matrix", "vector", "ZYX", "YXZ", "ZXZ"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("frame", ["body", "space"])
@pytest.mark.parametrize("inverse", [False, True])
def test_velocities_show_the_convention(write: Write, kind: str, frame: str, inverse: bool) -> None:
    factor = DEGREES if inverse else 1.0
    found = read_trajectory(write(list_columns(kind, frame, inverse, factor)))
    assert found.Omega is not None
    np.testing.assert_allclose(found.R, RUN.R, atol=1e-12)
    np.testing.assert_allclose(found.Omega, RUN.Omega, atol=1e-12)
    assert found.dt == 1 / 60


@pytest.mark.parametrize("kind", KINDS)
def test_momentum_shows_the_convention_without_velocities(write: Write, kind: str) -> None:
    found = read_trajectory(write(list_columns(kind, "", factor=DEGREES, run=LONGER)))
    assert found.Omega is None
    np.testing.assert_allclose(found.R, LONGER.R, atol=1e-12)


def test_what_the_motion_does_not_show_is_asked_for_with_the_option(write: Write) -> None:
    spinning = engine.simulate(
        BODY.replace(Omega0=(0, 0, 2.0), R0=(0.3, -0.5, 0.9)), "NMB", dt=0.05, steps=50
    )
    path = write(list_columns("YXZ", "", run=spinning))
    with pytest.raises(
        ValueError, match=r"does not show .*Euler angles.*; state it, as in euler=ZYX"
    ):
        read_trajectory(path)
    found = read_trajectory(path, euler="YXZ")
    np.testing.assert_allclose(found.R, spinning.R, atol=1e-12)
    assert any("which is assumed" in remark for remark in found.remarks)
    turned = read_trajectory(path, euler="zxy", inverse="on")
    np.testing.assert_allclose(turned.R, np.swapaxes(spinning.R, 1, 2), atol=1e-12)


def test_names_and_frames_can_be_stated(write: Write) -> None:
    columns = list_columns("quaternion", "space")
    unnamed = write(columns, names=False)
    found = read_trajectory(unnamed, columns="time,qw,qx,qy,qz,wx,wy,wz")
    np.testing.assert_allclose(found.R, RUN.R, atol=1e-12)
    vectors = write(list_columns("vector"), names=False)
    with pytest.raises(ValueError, match=r"states no names of its 7 columns.* as in columns=t,qw"):
        read_trajectory(vectors)
    with pytest.raises(
        ValueError, match="the angular velocity does not fit the change of the attitude"
    ):
        read_trajectory(write(columns), frame="body")
    assert read_trajectory(write(columns), frame="none").Omega is None


def test_arrays_and_tables_are_read_like_files() -> None:
    quaternions = find_quaternions("wxyz", Rotation.from_matrix(RUN.R))
    vectors = Rotation.from_matrix(RUN.R).as_rotvec()
    motions = [
        (RUN.t, quaternions, RUN.Omega),
        (RUN.t, RUN.R, RUN.Omega),
        [RUN.t, vectors, RUN.Omega],
        list_columns("quaternion"),
        RUN.to_frame(),
        RUN,
    ]
    for motion in motions:
        found = read_trajectory(motion)
        assert found.Omega is not None
        np.testing.assert_allclose(found.R, RUN.R, atol=1e-12)
        np.testing.assert_allclose(found.Omega, RUN.Omega, atol=1e-12)
    with pytest.raises(ValueError, match="an attitude has the shape"):
        read_trajectory((RUN.t, RUN.R[:, 0, :2]))
    with pytest.raises(ValueError, match="no column of times; give the step of the rows"):
        read_trajectory({name: c for name, c in list_columns("quaternion").items() if name != "t"})


def test_parquet_and_saved_runs_are_read(tmp_path: Path) -> None:
    for ending in ("parquet", "csv"):
        path = RUN.save(tmp_path / f"run.{ending}")
        np.testing.assert_allclose(read_trajectory(path).R, RUN.R, atol=1e-12)
    (tmp_path / "none.parquet").write_bytes(b"PAR1 and more")
    with pytest.raises(ValueError, match="is no Parquet file"):
        read_trajectory(tmp_path / "none.parquet")


def test_times_are_even_but_for_their_rounding(write: Write) -> None:
    columns = list_columns("quaternion") | {"t": np.round(RUN.t, 3)}
    found = read_trajectory(write(columns, "%.9f"))
    assert found.dt == 1 / 60
    assert any("the step is taken as 1/60 s" in remark for remark in found.remarks)
    in_ms = list_columns("quaternion") | {"t": 1000 * RUN.t}
    assert read_trajectory(write(in_ms)).dt == pytest.approx(1 / 60)


@pytest.mark.parametrize("decimals", [3, 12])
def test_gaps_leave_the_step(write: Write, decimals: int) -> None:
    columns = list_columns("quaternion") | {"t": np.round(RUN.t, decimals)}
    left = np.delete(np.arange(len(RUN.t)), [7, 40, 41, *range(90, 140)])
    gaps = {name: column[left] for name, column in columns.items()}
    found = read_trajectory(write(gaps))
    assert found.dt == 1 / 60
    np.testing.assert_allclose(found.t, RUN.t[left], atol=1e-12)
    assert "after t = 0.1 s and in 2 other places" in " ".join(found.remarks)
    paused = gaps | {"t": gaps["t"] + 0.0071 * (gaps["t"] > 2)}
    assert read_trajectory(write(paused)).dt == 1 / 60
    uneven = gaps | {"t": gaps["t"] + 0.002 * np.sin(left)}
    found = read_trajectory(write(uneven))
    assert np.isnan(found.dt) and "are uneven: steps from" in " ".join(found.remarks)


@pytest.mark.parametrize(
    ("form", "attitude", "velocity"),
    [("%.17g", 2.2e-16, 4.4e-16), ("%.6f", 1e-6, 5e-7), ("%.3f", 1e-3, 5e-4), ("%.5g", 1e-5, 5e-5)],
)
def test_the_rounding_is_that_of_the_last_place(
    write: Write, form: str, attitude: float, velocity: float
) -> None:
    found = read_trajectory(write(list_columns("quaternion"), form))
    assert found.attitude_rounding == pytest.approx(attitude, rel=0.6)
    assert found.velocity_rounding == pytest.approx(velocity, rel=0.6)


@pytest.mark.parametrize("form", ["%.17g", "%.9g", "shortest"])
def test_numbers_of_32_bits_are_recognised(tmp_path: Path, form: str) -> None:
    columns = list_columns("quaternion")
    rows = np.stack(list(columns.values()), axis=1).astype(np.float32)
    lines = [",".join(str(x) if form == "shortest" else form % x for x in row) for row in rows]
    path = tmp_path / "single.csv"
    path.write_text("\n".join([",".join(columns), *lines]))
    found = read_trajectory(path)
    assert found.attitude_rounding == pytest.approx(2 * 2.0**-25, rel=0.3)
    assert found.velocity_rounding == pytest.approx(2.0**-23, rel=0.3)


def change(place: int, values: object, kind: str = "quaternion") -> Columns:
    """Return columns, of whose rows from a place on some are replaced."""
    columns = {name: column.copy() for name, column in list_columns(kind).items()}
    for column in columns.values():
        column[place:] = values
    return columns


def test_rows_that_are_none_are_left_out_with_a_remark(write: Write) -> None:
    columns = list_columns("quaternion")
    overflow = read_trajectory(write(change(100, np.nan)))
    assert len(overflow.t) == 100
    assert "the numbers end after row 100" in " ".join(overflow.remarks)
    holes = {name: column.copy() for name, column in columns.items()}
    holes["qx"][[50, 51]] = np.nan
    gap = read_trajectory(write(holes))
    assert "left out: 2 rows without numbers" in " ".join(gap.remarks)
    assert "rows are missing after t = 0.8167 s, where steps last" in " ".join(gap.remarks)
    assert gap.dt == 1 / 60
    again = {name: np.concatenate([column, column]) for name, column in columns.items()}
    twice = read_trajectory(write(again))
    assert len(twice.t) == len(RUN.t) and "the times go back" in " ".join(twice.remarks)
    doubled = {name: np.repeat(column, 2) for name, column in columns.items()}
    assert "rows with the time of the row before" in " ".join(
        read_trajectory(write(doubled)).remarks
    )
    held = doubled | {"t": np.arange(2 * len(RUN.t)) / 120}
    frames = read_trajectory(write(held))
    assert frames.dt == 1 / 60 and "step less often" in " ".join(frames.remarks)
    long = {
        name: 3 * column if name.startswith("q") else column for name, column in columns.items()
    }
    assert "length 3" in " ".join(read_trajectory(write(long)).remarks)


@pytest.mark.parametrize(("name", "by"), [("wy", 5.0), ("qx", 0.4)])
@pytest.mark.parametrize("row", [0, 1, 60, 179, 180])
def test_a_row_that_stands_out_from_its_neighbours_is_left_out(
    write: Write, name: str, by: float, row: int
) -> None:
    columns = {name: column.copy() for name, column in list_columns("quaternion").items()}
    columns[name][row] += by
    found = read_trajectory(write(columns))
    assert found.dt == 1 / 60
    np.testing.assert_allclose(found.R, np.delete(RUN.R, row, axis=0), atol=1e-12)
    remarks = " ".join(found.remarks)
    assert f"left out: 1 row far from the neighbours, at t = {row / 60:.4g} s" in remarks
    assert ("rows are missing" in remarks) == (row not in (0, 180))


def test_a_first_velocity_that_the_engine_cuts_stays(write: Write) -> None:
    columns = {name: column.copy() for name, column in list_columns("quaternion").items()}
    for name in ("wx", "wy", "wz"):
        columns[name][0] *= 1.2
    remarks = " ".join(read_trajectory(write(columns)).remarks)
    assert "far from" not in remarks
    columns["wx"][0] *= -1
    remarks = " ".join(read_trajectory(write(columns)).remarks)
    assert "left out: 1 row far from the neighbours, at t = 0 s" in remarks


def test_a_kick_and_a_coarse_motion_stand_out_from_no_neighbours(write: Write) -> None:
    columns = {name: column.copy() for name, column in list_columns("quaternion").items()}
    columns["wy"][60:] += 0.4
    assert "far from" not in " ".join(read_trajectory(write(columns)).remarks)
    few = {name: column[::12] for name, column in list_columns("quaternion").items()}
    assert "far from" not in " ".join(read_trajectory(write(few)).remarks)


def test_a_body_that_falls_asleep_stays_asleep(write: Write) -> None:
    columns = list_columns("quaternion")
    for name, column in columns.items():
        if name != "t":
            column[90:] = column[90] if name.startswith("q") else 0.0
    found = read_trajectory(write(columns))
    assert len(found.t) == len(RUN.t) and found.dt == 1 / 60
    assert "the attitude stays as it is from t = 1.5 on, in 90 rows" in " ".join(found.remarks)


@pytest.mark.parametrize(
    ("content", "needs"),
    [
        ("Dear reader, this is prose, with commas, and words\n", "and no attitude"),
        ("a motion\n", "is no table: no line has four columns"),
        ("", "is no table"),
        ("t,qw,qx,qy,qz\n", "no row has numbers"),
        ("t,qw,qx,qy,qz\n0,1,0,0,0\n", "at least 4 rows with different times; 'odd.csv' has 1"),
        ("t,qw,qx,qy,qz\n" + "0,1,0,0,0\n" * 9, "at least 4 rows with different times"),
        ("t,qw,qx,qy,qz\n0,0,0,0,0\n1,0,0,0,0\n", "no row has numbers"),
        ("t,x,y,z\n0,1,2,3\n", "and no attitude"),
        ("\0\x01\x02", "is not text"),
    ],
)
def test_odd_files_get_one_sentence(tmp_path: Path, content: str, needs: str) -> None:
    path = tmp_path / "odd.csv"
    path.write_text(content)
    with pytest.raises(ValueError, match=needs):
        read_trajectory(path)


def test_reflections_are_refused(write: Write) -> None:
    columns = list_columns("matrix", "")
    columns |= {name: -column for name, column in columns.items() if name.startswith("r3")}
    with pytest.raises(ValueError, match="the matrices are reflections, with determinant −1"):
        read_trajectory(write(columns))


def test_of_a_long_file_the_first_rows_are_judged(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.referee.sources.MOST_ROWS", 100)
    monkeypatch.setattr("engine.text.csv_tables.BLOCK", 4000)
    found = read_trajectory(write(list_columns("quaternion")))
    assert len(found.t) == 100
    assert "more than 100 rows; the first ones are judged" in " ".join(found.remarks)
