"""Damaged and odd files of motions: what is read of each, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import engine
from engine.algorithms import FixedStep
from engine.referee.reading import read_trajectory
from engine.text.csv_tables import is_number, read_number

Array = NDArray[np.float64]
Columns = Mapping[str, Array | list[str]]
Changes = Callable[[], Columns]

ENGINES = Path(__file__).parents[1] / "data" / "engines"
J = (1.0, 2.2, 2.6)
BODY = engine.problem("free").replace(J=J, Omega0=(1.2, 2.0, -0.7), R0=(0.3, -0.5, 0.9))
RUN = engine.simulate(BODY, "rapier", dt=1 / 60, duration=5)
COUNT = len(RUN.t)
IN_SPACE = np.einsum("nij,nj->ni", RUN.R, RUN.Omega)
FLIP = np.diag([1.0, 1.0, -1.0])
"""Turns right-handed axes into left-handed ones."""


def find_quaternions(R: Array) -> Array:
    """Quaternions (n, 4), w first, that do not jump between q and −q."""
    found = Rotation.from_matrix(R).as_quat(scalar_first=True)
    found[1:] *= np.cumprod(np.sign((found[1:] * found[:-1]).sum(axis=1)))[:, None]
    return np.asarray(found)


def list_columns(R: Array = RUN.R, velocity: Array = RUN.Omega, t: Array = RUN.t) -> Columns:
    quaternions = dict(zip(("qw", "qx", "qy", "qz"), find_quaternions(R).T, strict=True))
    return {"t": t} | quaternions | dict(zip(("wx", "wy", "wz"), velocity.T, strict=True))


def list_unreal() -> Columns:
    """Unreal's Euler angles in degrees, whose roll and pitch turn the other way."""
    yaw, pitch, roll = np.degrees(np.unwrap(Rotation.from_matrix(RUN.R).as_euler("ZYX").T))
    names = [f"AngularVelocity.{axis}" for axis in "XYZ"]
    velocity = dict(zip(names, np.degrees(IN_SPACE).T, strict=True))
    return {"t": RUN.t, "Roll": -roll, "Pitch": -pitch, "Yaw": yaw} | velocity


def list_matrices(R: Array) -> Columns:
    entries = {f"r{i + 1}{j + 1}": R[:, i, j] for i in range(3) for j in range(3)}
    velocity = dict(zip(("wx", "wy", "wz"), RUN.Omega.T, strict=True))
    return {"t": RUN.t} | entries | velocity


def change(**columns: Array | list[str]) -> Columns:
    return dict(list_columns()) | columns


def change_rows(rows: slice, value: float, *names: str) -> Columns:
    """Columns with other values in some rows."""
    columns = {name: np.array(column, float) for name, column in list_columns().items()}
    for name in names or ("qw", "qx", "qy", "qz", "wx", "wy", "wz"):
        columns[name][rows] = value
    return columns


def rename(*names: str) -> Columns:
    return dict(zip(names, list_columns().values(), strict=True))


def list_dates(form: str) -> list[str]:
    first = datetime(2024, 12, 31, 23, 59, 58, tzinfo=UTC)  # the year ends in the motion
    return [(first + timedelta(seconds=t)).strftime(form) for t in RUN.t.tolist()]


def write(
    path: Path, columns: Columns, separator: str = ",", names: bool = True, before: str = ""
) -> Path:
    """Write columns, with a line before them."""
    texts = [[x if isinstance(x, str) else f"{x:.9g}" for x in c] for c in columns.values()]
    lines = [before] * bool(before) + [separator.join(columns)] * names
    lines += [separator.join(row) for row in zip(*texts, strict=True)]
    path.write_text("\n".join(lines) + "\n")
    return path


ALL = slice(None)
SIGNS = np.where(np.arange(COUNT) // 7 % 2, -1.0, 1.0)
QUATERNIONS = ("qw", "qx", "qy", "qz")
SIGNED = {name: SIGNS * np.asarray(list_columns()[name]) for name in QUATERNIONS}
LONGER = {
    name: np.linspace(1, 1.3, COUNT) * np.asarray(list_columns()[name]) for name in QUATERNIONS
}
KEPT = np.delete(np.arange(COUNT), [100, 101, 150])
READ: dict[str, tuple[Changes, Array | slice, str]] = {
    "a quaternion of the other hand": (
        lambda: list_columns(np.swapaxes(RUN.R, 1, 2)), ALL, "turns space to the body"
    ),
    "transposed matrices": (
        lambda: list_matrices(np.swapaxes(RUN.R, 1, 2)), ALL, "turns space to the body"
    ),
    "degrees": (lambda: list_columns(velocity=np.degrees(RUN.Omega)), ALL, "in deg/s"),
    "a wrong order of names": (
        lambda: rename("t", "qx", "qy", "qz", "qw", "wx", "wy", "wz"),
        ALL,
        "w, x, y and z in 'qx', 'qy', 'qz' and 'qw', unlike their names",
    ),
    "gaps": (
        lambda: {name: np.asarray(c)[KEPT] for name, c in list_columns().items()},
        KEPT,
        "rows are missing after t = 1.65 s and in 1 other place",
    ),
    "repeated rows": (
        lambda: {name: np.repeat(c, 2) for name, c in list_columns().items()},
        ALL,
        "left out: 301 rows with the time of the row before",
    ),
    "rows of which the engine computes each third": (
        lambda: {name: np.repeat(c, 3) for name, c in list_columns().items()}
        | {"t": np.arange(3 * COUNT) / 180},
        ALL,
        "repeat the attitude of the row before",
    ),
    "no numbers": (
        lambda: change_rows(slice(50, 53), np.nan, "qx"),
        np.delete(np.arange(COUNT), [50, 51, 52]),
        "left out: 3 rows without numbers",
    ),
    "an overflow": (
        lambda: change_rows(slice(200, None), np.inf), slice(200), "the numbers end after row 200"
    ),
    "jumps between q and −q": (lambda: change(**SIGNED), ALL, "turns the body to space"),
    "quaternions of other lengths": (lambda: change(**LONGER), ALL, "have lengths from 1 to 1.3"),
    "quaternions of one other length": (
        lambda: change(**{name: 2 * np.asarray(list_columns()[name]) for name in QUATERNIONS}),
        ALL,
        "the quaternions have length 2, and are normalised",
    ),
    "a quaternion of zeros": (
        lambda: change_rows(slice(1), 0.0, *QUATERNIONS),
        slice(1, None),
        "left out: 1 row without numbers",
    ),
    "times that decrease": (
        lambda: {name: c[::-1] for name, c in list_columns().items()},
        ALL,
        "the times decrease, so the rows are read from the last one on",
    ),
    "two motions": (
        lambda: {name: np.tile(c, 2) for name, c in list_columns().items()},
        ALL,
        "the times go back after row 301; only the motion before that is judged",
    ),
    "huge integers": (
        lambda: change(t=[f"{1700000000000000000 + round(1e9 * t)}" for t in RUN.t]),
        ALL,
        "the time is in ns",
    ),
    "rounded times": (
        lambda: change(t=RUN.t.round(2)), ALL, "rounded, by up to 0.0033 s; the step is taken as 1/60 s"
    ),
    "dates": (
        lambda: change(t=list_dates("%Y-%m-%dT%H:%M:%S.%f+00:00")), ALL, "the step is taken as 1/60 s"
    ),
    "dates with the day of the year": (
        lambda: change(t=list_dates("%Y-%jT%H:%M:%S.%fZ")), ALL, "the step is taken as 1/60 s"
    ),
    "mirrored axes": (
        lambda: list_columns(FLIP @ RUN.R @ FLIP, -RUN.Omega @ FLIP), ALL, "in the body's frame"
    ),
    "mirrored axes of the attitude alone": (
        lambda: list_columns(FLIP @ RUN.R @ FLIP, IN_SPACE),
        ALL,
        "only with the opposite sign of 'wx' and 'wy', as in a file that mixes left-handed and",
    ),
    "a velocity that is mirrored like a position": (
        lambda: list_columns(FLIP @ RUN.R @ FLIP, IN_SPACE @ FLIP),
        ALL,
        "only with the opposite sign of 'wx', 'wy' and 'wz'",
    ),
    "Unreal's Euler angles": (
        list_unreal, ALL, "opposite sign of 'AngularVelocity.X' and 'AngularVelocity.Y'"
    ),
    "moments in columns": (
        lambda: change(Ixx=np.full(COUNT, 1.0), Iyy=np.full(COUNT, 2.2), Izz=np.full(COUNT, 2.6)),
        ALL,
        "the inertia is that of 'Ixx', 'Iyy' and 'Izz'",
    ),
}  # fmt: skip
MIRRORED = {name for name in READ if "mirrored" in name or "Unreal" in name}


@pytest.mark.parametrize("case", READ)
def test_what_is_irregular_is_stated(case: str, tmp_path: Path) -> None:
    columns, rows, remark = READ[case]
    found = read_trajectory(write(tmp_path / "motion.csv", columns()))
    assert remark in " ".join(found.remarks)
    assert found.dt == 1 / 60
    assert found.Omega is not None
    R, Omega = RUN.R, RUN.Omega
    if case in MIRRORED:
        # Unreal's angles are those of axes that a half turn about z turns, which mirrors alike.
        R, Omega = FLIP @ R @ FLIP, -Omega @ FLIP
    np.testing.assert_allclose(found.R, R[rows], atol=2e-8)
    np.testing.assert_allclose(found.Omega, Omega[rows], atol=1e-7)
    if case == "moments in columns":
        np.testing.assert_allclose(found.J, J)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2026-142T12:00:00.5", "2026-05-22T12:00:00.5Z"),
        ("2024366 235959+02:00", "2024-12-31T23:59:59+02:00"),
        ("2025-366T00:00:00", None),
        ("2025-000T00:00:00", None),
    ],
)
def test_days_of_a_year_are_those_that_it_has(text: str, same: str | None) -> None:
    assert is_number(text) == (same is not None)
    if same is not None:
        assert read_number(text) == datetime.fromisoformat(same).timestamp()


FORMS = {
    "tabs": ("\t", True, ""),
    "semicolons": (";", True, ""),
    "spaces": (" ", True, ""),
    "many spaces behind a comment": ("    ", True, "# by an engine, of two bodies, on a day, at noon"),
    "commas without names": (",", False, ""),
    "spaces without names": (" ", False, ""),
}  # fmt: skip


@pytest.mark.parametrize("case", FORMS)
def test_separators_and_comments_are_found(case: str, tmp_path: Path) -> None:
    separator, names, before = FORMS[case]
    found = read_trajectory(
        write(tmp_path / "motion.csv", list_columns(), separator, names, before)
    )
    np.testing.assert_allclose(found.R, RUN.R, atol=1e-8)
    assert names != ("the columns have no known names" in " ".join(found.remarks))


def test_names_behind_a_mark_and_decimal_commas_are_read(tmp_path: Path) -> None:
    path = write(tmp_path / "motion.csv", list_columns(), ";")
    path.write_text("# " + path.read_text().replace(".", ","))
    np.testing.assert_allclose(read_trajectory(path).R, RUN.R, atol=1e-8)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-8-sig"])
def test_text_of_windows_is_read(encoding: str, tmp_path: Path) -> None:
    path = write(tmp_path / "motion.csv", list_columns())
    mark = "\ufeff" if encoding.endswith("be") else ""
    path.write_bytes((mark + path.read_text()).encode(encoding))
    np.testing.assert_allclose(read_trajectory(path).R, RUN.R, atol=1e-8)


@pytest.mark.parametrize("order", ["wxyz", "xyzw"])
def test_numbers_without_names_show_a_quaternion_and_a_velocity(order: str, tmp_path: Path) -> None:
    """Beside positions and velocities, which are none."""
    quaternion = find_quaternions(RUN.R)
    quaternion = quaternion if order == "wxyz" else np.roll(quaternion, -1, axis=1)
    position = np.column_stack([RUN.t, 2 - RUN.t, -4.9 * RUN.t**2])
    rows = np.column_stack([RUN.t, position, quaternion, position, RUN.Omega])
    path = tmp_path / "motion.txt"
    np.savetxt(path, rows)
    found = read_trajectory(path)
    assert found.Omega is not None
    np.testing.assert_allclose(found.R, RUN.R, atol=1e-12)
    np.testing.assert_allclose(found.Omega, RUN.Omega, atol=1e-12)
    np.savetxt(path, np.column_stack([RUN.t, RUN.R.reshape(-1, 9), RUN.Omega]))
    np.testing.assert_allclose(read_trajectory(path).R, RUN.R, atol=1e-12)


REFUSED: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "no line has four columns"),
    "binary": (bytes(range(256)) * 20, "is not text in UTF-8; save it as CSV"),
    "one row": (b"t,qw,qx,qy,qz\n0,1,0,0,0\n", "at least 4 rows with different times; .* has 1"),
    "frames without a step": (
        b"frame,qw,qx,qy,qz\n0,1,0,0,0\n",
        "has 'frame' and no column of times; give the step of the rows, as in dt=1/60",
    ),
    "numbers beyond all": (
        b"t,qw,qx,qy,qz\n" + b"1e300,1e300,1e300,1e300,1e300\n" * 9,
        "no row has numbers",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_is_refused_with_the_reason(case: str, tmp_path: Path) -> None:
    content, needs = REFUSED[case]
    path = tmp_path / "motion.csv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=needs):
        read_trajectory(path)


def test_reflections_are_refused_before_their_velocity_is_compared(tmp_path: Path) -> None:
    path = write(tmp_path / "motion.csv", list_matrices(RUN.R @ FLIP))
    with pytest.raises(ValueError, match="the matrices are reflections, with determinant −1"):
        read_trajectory(path)


def test_times_of_a_clock_ask_for_the_step() -> None:
    late = np.arange(COUNT) % 2 * 0.6 / 60
    rows = (RUN.t + late, RUN.R, RUN.Omega)
    with pytest.raises(ValueError, match=r"the times of the rows are uneven.*, as in dt=1/60"):
        read_trajectory(rows)
    assert read_trajectory(rows, dt="1/60").dt == 1 / 60


def test_frames_with_a_step_keep_gaps(tmp_path: Path) -> None:
    columns = {"frame": np.arange(COUNT, dtype=float)} | dict(list_columns())
    del columns["t"]
    path = write(tmp_path / "m.csv", {name: np.asarray(c)[KEPT] for name, c in columns.items()})
    np.testing.assert_allclose(read_trajectory(path, dt="60 Hz").t, RUN.t[KEPT], atol=1e-12)


def test_stated_moments_show_the_order_of_a_quaternion_without_velocities(tmp_path: Path) -> None:
    """An order that is wrong turns back the body, with its axes in another order."""
    back = find_quaternions(np.swapaxes(RUN.R, 1, 2))
    names = [f"q_BI_{place}" for place in range(4)]
    columns = {"MET": RUN.t} | dict(zip(names, back.T, strict=True))
    path = write(tmp_path / "motion.csv", columns)
    np.testing.assert_allclose(read_trajectory(path, J).R, RUN.R, atol=1e-8)
    assert "the order of the quaternion" in " ".join(read_trajectory(path).remarks)


@pytest.mark.parametrize(
    "names",
    ["roll_rate,pitch_rate,yaw_rate", "rollspeed,pitchspeed,yawspeed", "p,q,r"],
)
def test_names_of_rates_are_those_in_the_body(names: str, tmp_path: Path) -> None:
    columns = dict(list_columns())
    rates = dict(zip(names.split(","), (columns.pop(f"w{axis}") for axis in "xyz"), strict=True))
    found = read_trajectory(write(tmp_path / "motion.csv", columns | rates))
    assert found.Omega is not None
    np.testing.assert_allclose(found.Omega, RUN.Omega, atol=1e-8)


def test_files_of_engines_are_read_as_they_are() -> None:
    for path in sorted(ENGINES.glob("*.csv")):
        found = read_trajectory(path, (1, 2, 2.8))
        said = " ".join(found.remarks)
        assert found.dt == 1 / 60 and "left out" not in said, path.name
        assert "opposite sign" not in said and "unlike" not in said, path.name


@pytest.mark.exhaustive
def test_motions_of_all_rules_are_read_as_they_are() -> None:
    """Errors of a rule do not look like mirrored axes."""
    for method in engine.algorithms():
        if isinstance(method, FixedStep):
            run = engine.simulate(BODY, method, dt=1 / 60, duration=4)
            found = read_trajectory(dict(list_columns(run.R, run.Omega, run.t)))
            np.testing.assert_allclose(found.R, run.R, atol=0.01, err_msg=method.key)


def judge(body: engine.Problem, tmp_path: Path, J: object) -> str:
    """Return the verdict on a motion in words, without its rule."""
    run = engine.simulate(body, "MR2", dt=1 / 60, duration=5)
    path = write(tmp_path / "motion.csv", list_columns(run.R, run.Omega, run.t))
    return " ".join(engine.judge(path, J, methods=()).sentences)


@pytest.mark.parametrize(
    ("J", "Omega0"),
    [((1, 2.2, 2.6), (0, 0, 2)), ((2, 2, 2), (1.2, 2, -0.7)), ((1, 1, 1.7), (1.2, 2, -0.7))],
    ids=["steady spin", "sphere", "two equal moments"],
)
def test_simple_motions_are_judged(
    J: tuple[float, ...], Omega0: tuple[float, ...], tmp_path: Path
) -> None:
    said = judge(BODY.replace(J=J, Omega0=Omega0), tmp_path, J)
    assert "does not show" not in said and "gyroscopic" not in said
    assert "stay the same as far as the file shows" in said or "stays within" in said


def test_a_torque_is_named_as_what_the_verdict_leaves_out(tmp_path: Path) -> None:
    top = engine.problem("slow-top")
    said = judge(top, tmp_path, np.diag(top.J))
    assert "the energy comes back after changes of up to 30" in said
    assert "A torque, as by gravity, contact or drag, turns the momentum, too" in said
    assert "A torque" not in judge(BODY, tmp_path, J)


def test_a_body_that_comes_to_rest_is_judged() -> None:
    rest = np.zeros((6, 3))
    t = np.arange(COUNT + len(rest)) / 60
    R = np.concatenate([RUN.R, np.repeat(RUN.R[-1:], len(rest), axis=0)])
    verdict = engine.judge((t, R, np.concatenate([RUN.Omega, rest])), J, methods=())
    assert "the energy falls to less than 0.01 % of the first" in " ".join(verdict.sentences)
