"""Recordings of gyroscopes: each program's columns are found, and what is irregular is stated."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import engine
from engine.problems.given_rates.recording import Columns, find_columns, read_samples
from engine.problems.given_rates.samples import Samples
from engine.text import csv_tables

Array = NDArray[np.float64]
Write = Callable[..., Path]

COUNT = 100
TIMES = np.arange(COUNT) / 128
RATES = np.random.default_rng(1).integers(-900, 900, (COUNT, 3)) / 256
"""In rad/s, of numbers that a decimal fraction writes exactly."""
PHYPHOX = '"Time (s)","Gyroscope x (rad/s)","Gyroscope y (rad/s)","Gyroscope z (rad/s)"'
ROWS = np.column_stack([TIMES, RATES])


def write_table(head: str, rows: Array, separator: str = ",") -> str:
    """Return a table as text."""
    lines = [separator.join(repr(float(number)) for number in row) for row in rows]
    return "\n".join([head, *lines, ""])


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file, and returns its path."""

    def write_file(text: str | bytes, name: str = "flight.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write_file


def assert_recorded(samples: Samples, rates: Array = RATES) -> None:
    """Check the times and the rates."""
    np.testing.assert_allclose(samples.t, TIMES, rtol=0, atol=1e-9)
    np.testing.assert_allclose(samples.values, rates, rtol=1e-14)


def swap(columns: Sequence[int], factors: Sequence[float]) -> Array:
    """Return the rows with columns in another order, each times a factor."""
    return ROWS[:, columns] * np.array(factors)


NANOSECONDS = 1_718_030_736_000_000_000
DEGREES = np.pi / 180

PROGRAMS = {
    "phyphox": ("Raw Data.csv", f'{PHYPHOX},"Absolute (rad/s)"', swap((0, 1, 2, 3, 0), [1] * 5), 1.0),
    "Sensor Logger": (
        "Gyroscope.csv",
        "time,seconds_elapsed,z,y,x",
        swap((0, 0, 3, 2, 1), [1] * 5) + np.array([NANOSECONDS, 0, 0, 0, 0]),
        1.0,
    ),
    "blackbox_decode": (
        "LOG00001.01.csv",
        "loopIteration, time (us), gyroADC[0] (deg/s), gyroADC[1] (deg/s), gyroADC[2] (deg/s), axisP[0]",
        swap((0, 0, 1, 2, 3, 3), [128, 1e6, 1, 1, 1, 9]),
        DEGREES,
    ),
    "Blackbox Explorer": (
        "btfl_001.csv",
        '"Product","Blackbox flight data recorder"\n"gyro_scale","0x3f800000"\n'
        '"loopIteration","time","gyroADC[0]","gyroADC[1]","gyroADC[2]"',
        swap((0, 0, 1, 2, 3), [128, 1e6, 1, 1, 1]),
        DEGREES,
    ),
    "PX4, sensor_combined": (
        "log_sensor_combined_0.csv",
        "timestamp,gyro_rad[0],gyro_rad[1],gyro_rad[2],gyro_integral_dt",
        swap((0, 1, 2, 3, 0), [1e6, 1, 1, 1, 0]),
        1.0,
    ),
    "PX4, vehicle_angular_velocity": (
        "log_vehicle_angular_velocity_0.csv",
        "timestamp,timestamp_sample,xyz[0],xyz[1],xyz[2]",
        swap((0, 0, 1, 2, 3), [1e6, 1e6, 1, 1, 1]),
        1.0,
    ),
    "ArduPilot": ("IMU.csv", "TimeUS,I,GyrX,GyrY,GyrZ,T", swap((0, 0, 1, 2, 3, 0), [1e6, 0, 1, 1, 1, 0]), 1.0),
    "suffixes": ("x.csv", "t [ms],gyro_x_dps,gyro_y_dps,gyro_z_dps", ROWS * np.array([1e3, 1, 1, 1]), DEGREES),
    "German": ("x.csv", "Zeit (s);Drehrate x (°/s);Drehrate y (°/s);Drehrate z (°/s)", ROWS, DEGREES),
}  # fmt: skip
"""By program: the name of the file, its first lines, its rows, and its unit in rad/s."""


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_columns_of_each_program_are_found_by_their_names_and_units(
    program: str, write: Write
) -> None:
    name, head, rows, unit = PROGRAMS[program]
    separator = ";" if ";" in head else ","
    samples = read_samples(write(write_table(head, rows, separator), name))
    assert_recorded(samples, RATES * unit)
    assert samples.interval == pytest.approx(1 / 128) and not samples.integrated
    assert len(samples.remarks) == (program == "Sensor Logger"), samples.remarks


def test_columns_in_another_order_are_used_by_their_names_which_is_stated(write: Write) -> None:
    name, head, rows, _ = PROGRAMS["Sensor Logger"]
    samples = read_samples(write(write_table(head, rows), name))
    assert samples.remarks == (
        "the columns are in the order z, y and x, and are used by their names",
    )


def test_integrated_angles_stay_angles(write: Write) -> None:
    head = "timestamp,timestamp_sample,delta_angle[0],delta_angle[1],delta_angle[2]"
    rows = swap((0, 0, 1, 2, 3), [1e6, 1e6, 1 / 128, 1 / 128, 1 / 128])
    samples = read_samples(write(write_table(head, rows), "log_vehicle_imu_0.csv"))
    assert samples.integrated
    np.testing.assert_allclose(samples.values, RATES / 128, rtol=1e-14)
    np.testing.assert_allclose(samples.rates, RATES, rtol=1e-9)


def test_decimal_commas_quotes_and_line_ends_of_windows(write: Write) -> None:
    text = write_table(PHYPHOX.replace(",", ";"), ROWS, ";").replace(".", ",")
    assert_recorded(read_samples(write(text.replace("\n", "\r\n"))))
    quoted = "\n".join(
        ",".join(f'"{field}"' for field in line.split(","))
        for line in write_table("", ROWS).split()
    )
    assert_recorded(read_samples(write(f"{PHYPHOX}\n{quoted}")))


def test_an_archive_has_the_accelerations_too(tmp_path: Path) -> None:
    forces = '"Time (s)","Acceleration x (m/s^2)","Acceleration y (m/s^2)","Acceleration z (m/s^2)"'
    later = ROWS + np.array([0.25, 0, 0, 0])
    with zipfile.ZipFile(tmp_path / "throw.zip", "w") as archive:
        archive.writestr("Accelerometer.csv", write_table(forces, later))
        archive.writestr("Gyroscope.csv", write_table(PHYPHOX, ROWS))
        archive.writestr("meta/device.csv", "property,value\n")
    samples = read_samples(tmp_path / "throw.zip")
    assert_recorded(samples)
    assert samples.accelerations is not None
    np.testing.assert_allclose(samples.accelerations.t, TIMES + 0.25)
    np.testing.assert_allclose(samples.accelerations.values, RATES)


def test_accelerations_in_g_beside_the_rates_but_not_those_without_gravity(write: Write) -> None:
    both = np.column_stack([ROWS, RATES])
    head = f"{PHYPHOX},acc_x (g),acc_y (g),acc_z (g)"
    accelerations = read_samples(write(write_table(head, both))).accelerations
    assert accelerations is not None
    np.testing.assert_allclose(accelerations.values, RATES * 9.80665)
    head = f"{PHYPHOX},Linear Acceleration x (m/s^2),Linear Acceleration y (m/s^2),Linear Acceleration z (m/s^2)"
    assert read_samples(write(write_table(head, both))).accelerations is None


def test_a_person_chooses_columns_and_units(write: Write) -> None:
    path = write(write_table("when,a,b,c", ROWS))
    assert_recorded(read_samples(path, ("when", "a", "b", "c"), "rad/s", "s"))
    assert_recorded(read_samples(path, "1,2,3,4", "°/s", "s"), RATES * DEGREES)
    assert_recorded(read_samples(path, (1, 4, 3, 2), "rad/s", "s"), RATES[:, ::-1])
    angles = read_samples(path, (1, 2, 3, 4), "deg", "s")
    assert angles.integrated and angles.remarks == ()
    bare = write(write_table("", ROWS).lstrip(), "bare.csv")
    assert_recorded(read_samples(bare, (1, 2, 3, 4), "rad/s", "s"))
    with pytest.raises(ValueError, match="states no names of its 4 columns"):
        read_samples(bare)
    with pytest.raises(ValueError, match="'a', 'b' and 'd' are not all among them"):
        read_samples(path, ("when", "a", "b", "d"))
    with pytest.raises(ValueError, match="four columns"):
        read_samples(path, ("when", "a"))


def test_what_a_recording_is_read_by(write: Write) -> None:
    name, head, rows, _ = PROGRAMS["Sensor Logger"]
    found = find_columns(write(write_table(head, rows), name))
    assert found.chosen == ("seconds_elapsed", "x", "y", "z")
    assert (found.unit, found.time_unit) == ("rad/s", "s")
    assert set(found.names) >= set(found.chosen)
    path = write(write_table("when,a,b,c", ROWS))
    names = ("when", "a", "b", "c")
    assert find_columns(path) == Columns(names)
    assert find_columns(path, names, "°/s", "ms") == Columns(names, names, "deg/s", "ms")
    assert find_columns(write(write_table("Time (s),gx,gy,other", ROWS))).chosen == ()
    bare = write(write_table("", ROWS).lstrip(), "bare.csv")
    assert find_columns(bare).names == ("1", "2", "3", "4")
    doubled = write(write_table('when,"a, or b",c,c', ROWS))
    assert find_columns(doubled).names == ("when", "2", "3", "4")
    assert find_columns(write("no table")) == Columns()


def test_a_part_of_a_recording(write: Write) -> None:
    path = write(write_table(PHYPHOX, ROWS))
    part = read_samples(path, part=(10 / 128, 20 / 128))
    np.testing.assert_allclose(part.t, TIMES[:11])
    np.testing.assert_allclose(part.values, RATES[10:21])
    with pytest.raises(ValueError, match="two increasing times"):
        read_samples(path, part=(1, 0))


def spoil(change: Callable[[Array], Array], head: str = PHYPHOX) -> str:
    """Return a table whose rows are changed."""
    return write_table(head, change(ROWS.copy()))


def put(value: float, row: int, column: int) -> Callable[[Array], Array]:
    """Return a change of one number."""

    def change(rows: Array) -> Array:
        rows[row, column] = value
        return rows

    return change


def clip(rows: Array) -> Array:
    """Return rows of a smooth rate whose x is clipped at 3 rad/s."""
    rows[:, 1] = np.clip(4 * np.sin(10 * TIMES), -3, 3)
    return rows


IRREGULAR = {
    "a gap": (
        spoil(lambda rows: np.delete(rows, slice(40, 60), axis=0)),
        "the rows have a gap of 164 ms after t = 0.304688 s, where rows are 7.81 ms apart; a run takes one step "
        "across each gap, with the rates at its ends",
    ),
    "uneven times": (
        spoil(lambda rows: rows + np.outer(np.arange(COUNT) % 2, (0.001, 0, 0, 0))),
        "the rows are unevenly spaced, 6.81 ms to 8.81 ms apart; each step of a run has the length of its interval",
    ),
    "rounded times": (
        spoil(lambda rows: np.column_stack([np.round(TIMES, 5), RATES])),
        "the rows are evenly spaced within 0.096 % of an interval, and taken as even",
    ),
    "repeated rows": (
        spoil(lambda rows: np.repeat(rows, [2 if k in (7, 9) else 1 for k in range(COUNT)], axis=0)),
        "left out: 2 rows equal to the row before, first at t = 0.0546875 s",
    ),
    "a time twice": (
        spoil(lambda rows: np.insert(rows, 8, (TIMES[7], 1, 2, 3), axis=0)),
        "left out: 1 row with the time of the row before and other values, first at t = 0.0546875 s",
    ),
    "nan": (spoil(put(np.nan, 50, 2)), "left out: 1 row without a number for y, first row 51"),
    "an empty field": (
        write_table(PHYPHOX, ROWS).replace(f"\n{TIMES[50]},{RATES[50, 0]},", f"\n{TIMES[50]},,"),
        "left out: 1 row without a number for x, first row 51",
    ),
    "garbage": (
        write_table(PHYPHOX, ROWS).replace("\n0.0625,", "\n??\n1,2\n0.0625,"),
        "left out: 2 lines that are no rows of numbers, first '??'",
    ),
    "degrees called radians": (
        spoil(lambda rows: rows * np.array([1, 57.3, 57.3, 57.3])),
        "the largest rate is 201 rad/s, and gyroscopes measure up to 70 rad/s; the values may be in degrees",
    ),
    "milliseconds called seconds": (
        spoil(lambda rows: rows * np.array([1000, 1, 1, 1])),
        "the sample rate is 0.128 Hz, which suggests that the unit of the time is another one",
    ),
    "clipped": (
        spoil(clip), f"the sensor is at the end of its range: x in {(abs(np.sin(10 * TIMES)) >= 0.75).sum()} rows "
        "at 3 rad/s"
    ),
    "repeated readings": (
        spoil(lambda rows: np.column_stack([TIMES, np.repeat(RATES[::2], 2, axis=0)])),
        "51 % of the rows have the values of the row before, as if the sensor were read more often than it measures",
    ),
    "no units": (
        spoil(lambda rows: rows, "t,wx,wy,wz"),
        "the file states no unit of the rates, 'wx', 'wy' and 'wz', which are taken as rad/s",
    ),
    "two gyroscopes": (
        write_table(f"{PHYPHOX},bias x (deg/s),bias y (deg/s),bias z (deg/s)", np.column_stack([ROWS, RATES])),
        "the rates are 'Gyroscope x (rad/s)', 'Gyroscope y (rad/s)' and 'Gyroscope z (rad/s)'; the file also has "
        "'bias x (deg/s)', 'bias y (deg/s)' and 'bias z (deg/s)'",
    ),
}  # fmt: skip
"""What is irregular, and the remark on it."""


@pytest.mark.parametrize("case", IRREGULAR)
def test_what_is_irregular_is_stated_in_a_sentence(case: str, write: Write) -> None:
    text, remark = IRREGULAR[case]
    assert remark in read_samples(write(text)).remarks


NAMED_DEGREES = "t,gyro_x_dps,gyro_y_dps,gyro_z_dps"
SUSPICION = (
    "the largest rate is 3 deg/s, which is little for a motion; if the numbers are in rad/s, "
    "state that unit"
)


@pytest.mark.parametrize(
    ("rate", "head", "words"),
    [(3.0, NAMED_DEGREES, SUSPICION), (200.0, NAMED_DEGREES, ""), (3.0, PHYPHOX, "")],
    ids=["radians named degrees", "degrees", "radians"],
)
def test_radians_under_the_name_of_degrees_are_suspected(
    rate: float, head: str, words: str, write: Write
) -> None:
    """Of a motion; a sensor at rest has noise alone."""
    t = np.arange(500) / 100
    turning = rate * np.stack([np.cos(t), np.sin(2 * t), np.cos(3 * t)], axis=1)
    noise = 0.01 * rate * np.random.default_rng(4).standard_normal(turning.shape)
    samples = read_samples(write(write_table(head, np.column_stack([t, turning]))))
    assert [one for one in samples.remarks if "little for a motion" in one] == [words][
        : bool(words)
    ]
    factor = 1.0 if head is PHYPHOX else DEGREES
    np.testing.assert_allclose(samples.values, turning * factor, rtol=1e-12)
    at_rest = read_samples(write(write_table(head, np.column_stack([t, noise]))))
    assert not any("little for a motion" in one for one in at_rest.remarks)


REFUSED = {
    "no y": (spoil(lambda rows: rows[:, :4], PHYPHOX.replace("scope y (rad/s)", "scope a (V)")), "no column for y"),
    "no time": (spoil(lambda rows: rows, PHYPHOX.replace("Time (s)", "n")), "no column of times: it has 'n'"),
    "degrees without a unit": (
        spoil(lambda rows: rows * np.array([1, 57.3, 57.3, 57.3]), "t,wx,wy,wz"),
        "no unit of the rates, of which the largest is 201; state rad/s, deg/s, rad or deg, as in unit=deg/s",
    ),
    "milliseconds without a unit": (
        spoil(lambda rows: rows * np.array([1000, 1, 1, 1]), "t,wx,wy,wz"),
        "no unit of the time, whose rows are 7.81 apart; state s, ms, us or ns, as in time_unit=ms",
    ),
    "time that goes back": (
        spoil(lambda rows: rows[[*range(60), *range(40, COUNT)]]),
        "the time goes back in 1 place, first by 148 ms after t = 0.460938 s",
    ),
    "accelerations": (spoil(lambda rows: rows, "time,x,y,z"), "none is known as a rate; choose the time, x, y and z"),
    "bytes": (np.random.default_rng(2).bytes(5000), "is not text in UTF-8"),
    "UTF-16 without a mark": (write_table(PHYPHOX, ROWS).encode("utf-16-le"), "is not text in UTF-8"),
    "prose": ("Dear reader, this, however, is text.\n" * 50, "choose the time, x, y and z"),
    "lines": ("hello\n" * 50, "no line has four columns"),
    "prose below the names": (f"{PHYPHOX}\n" + "one, two, three, four\n" * 50, "is no table of numbers"),
    "names alone": (PHYPHOX, "no rows of numbers"),
    "one row": (write_table(PHYPHOX, ROWS[:1]), "two rows or more; got 1"),
    "nothing": ("", "no line has four columns"),
}  # fmt: skip
"""What cannot be used, and the reason."""


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_used_is_refused_with_the_reason(case: str, write: Write) -> None:
    text, reason = REFUSED[case]
    with pytest.raises(ValueError) as refusal:
        read_samples(write(text))
    assert reason in str(refusal.value)


def test_a_recording_is_a_problem_whose_runs_state_what_is_irregular(write: Write) -> None:
    text, remark = IRREGULAR["a gap"]
    problem = engine.read_rates(write(text))
    assert problem.name == "flight"
    run = engine.simulate(problem, "EXP")
    assert remark[1:] in run.message and len(run.t) == COUNT - 20
    np.testing.assert_allclose(run.Omega, np.delete(RATES, slice(40, 60), axis=0))


def test_swapped_columns_of_time_and_rate_are_refused(write: Write) -> None:
    path = write(write_table(PHYPHOX, ROWS))
    with pytest.raises(ValueError, match="or choose another column as the time"):
        read_samples(path, (2, 1, 3, 4))


def test_files_that_are_missing_or_too_large_are_refused(
    tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ValueError, match="there is no file"):
        read_samples(tmp_path / "none.csv")
    large = tmp_path / "large.csv"
    with large.open("wb") as file:
        file.truncate(50_000_001)
    with pytest.raises(ValueError, match="has 50 MB, and a recording has at most 50 MB"):
        read_samples(large)
    monkeypatch.setattr(csv_tables, "MOST_ROWS", 50)
    with pytest.raises(ValueError, match="more than the 50 rows allowed"):
        read_samples(write(write_table(PHYPHOX, ROWS)))


@pytest.mark.exhaustive
def test_ten_million_rows_in_an_archive(tmp_path: Path) -> None:
    rows = [f",{a},{b},{c}\n" for a, b, c in RATES]
    path = tmp_path / "long.zip"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("Gyroscope.csv", "w", force_zip64=True) as file,
    ):
        file.write(f"{PHYPHOX}\n".encode())
        for second in range(100_000):
            text = "".join(f"{second}.{n:02}{row}" for n, row in enumerate(rows))
            file.write(text.encode())
    samples = read_samples(path)
    assert len(samples) == 10_000_000 and samples.remarks == ()
    assert samples.interval == pytest.approx(0.01)
    np.testing.assert_array_equal(samples.values[-COUNT:], RATES)
