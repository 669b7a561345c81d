"""Recordings that visitors choose: how they are read, their bounds and links, and what the page shows
of them.
"""

from __future__ import annotations

import gc
import json
import threading
import weakref
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
from page_driver import record_messages, send_message, visible_text

import engine
from app.pages.lab import LabPage, open_lab
from app.state import recordings
from app.state.choice import FIRST, Choice, choose_problem, choose_recording, validate
from app.state.downloads import zip_runs
from app.state.given_rates import GROUPS, LEDGER, narrate
from app.state.history import History
from app.state.links import link, read_query
from app.state.reader import REFUSED
from app.state.recordings import Reading, Recording, Recordings, Unread, read_recording
from app.state.results import Results, compute
from app.views.dialogs.downloads_menu import NO_DEMO, make_file
from engine.kernels import Cancelled
from engine.problems import Columns
from engine.problems.given_rates.samples import make_samples

AXES = tuple(f"Gyroscope {axis} (rad/s)" for axis in "xyz")
COLUMNS = Columns(("Time (s)", *AXES), ("Time (s)", *AXES), "rad/s", "s")
T = np.arange(401) / 200
RATES = np.column_stack([3 * np.sin(7 * T), 2 * np.cos(5 * T), np.ones_like(T)])


def write_flight(head: str) -> bytes:
    """Return two seconds of a turning body as CSV."""
    rows = np.column_stack([T, RATES])
    return "\n".join([head, *(",".join(map(repr, row)) for row in rows.tolist()), ""]).encode()


FLIGHT = write_flight(",".join(COLUMNS.names))


def make_recording(rows: int = 401, name: str = "flight.csv") -> Recording:
    """Return the recording of this motion, without a file."""
    return Recording(name, make_samples(T[:rows], RATES[:rows]), COLUMNS, Reading())


def make_choice(recording: Recording | None = None) -> Choice:
    return validate(choose_recording(recording or make_recording()))


@pytest.fixture(scope="module")
def results() -> Results:
    return compute(make_choice())


def test_a_file_is_read_in_a_process_of_its_own() -> None:
    found = read_recording("../my flight?.csv", FLIGHT, Reading())
    assert (found.name, found.columns) == ("_my flight_.csv", COLUMNS)
    np.testing.assert_array_equal(found.samples.values, RATES)
    with pytest.raises(ValueError):
        found.samples.values[0, 0] = 1.0
    assert found.describe()[0] == "401 rows in 2 s, 200 Hz."
    chosen = Reading(AXES[:1] + AXES[1:] + ("Time (s)",), "deg/s", "ms", (0.0, 1.0))
    assert Reading.of(chosen.query()) == chosen
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        read_recording("flight.csv", FLIGHT, Reading(), cancel)


def test_a_file_without_known_columns_is_refused_with_their_names() -> None:
    with pytest.raises(Unread, match=r"choose the time, x, y and z\.$") as refusal:
        read_recording("w.csv", write_flight("when,a,b,c"), Reading())
    assert refusal.value.columns.names == ("when", "a", "b", "c")
    assert refusal.value.fields == ("columns",)
    fast = write_flight("when,a,b,c").replace(b"\n0.0,0.0,", b"\n0.0,500,")
    with pytest.raises(Unread, match="state rad/s, deg/s, rad or deg") as refusal:
        read_recording("w.csv", fast, Reading(("when", "a", "b", "c")))
    assert refusal.value.fields == ("unit",)
    with pytest.raises(Unread, match=r"ends in \.csv, \.tsv, \.txt or \.zip; 'a\.png' does not"):
        read_recording("a.png", FLIGHT, Reading())


def test_a_part_of_a_file_with_too_many_rows_can_be_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("resource.setrlimit", lambda *_: None)  # it would bound this process
    monkeypatch.setattr(recordings, "MOST_ROWS", 100)
    Path(recordings.INTO).mkdir()
    Path("flight.csv").write_bytes(FLIGHT)
    assert recordings.main("flight.csv", "{}") == REFUSED
    assert "has 401 rows, and this page takes 100: choose a part" in capsys.readouterr().out
    assert recordings.main("flight.csv", json.dumps({"part": [0.5, 0.9]})) == 0
    with np.load(Path(recordings.INTO, recordings.MADE)) as made:
        assert len(made["t"]) == 81


def test_older_recordings_make_room_and_the_choices_of_them_leave_the_history(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, second, third = (make_recording() for _ in range(3))
    monkeypatch.setattr(recordings, "OF_VISITOR", 2 * first.bytes)
    held = Recordings()
    assert held.add(first) == [] and held.add(second) == []
    history = History(FIRST["rates"])
    for one in (first, second):
        history.note(make_choice(one))
    left = held.add(third)
    history.note(make_choice(third))
    history.forget(lambda choice: choice.recording in left)
    assert left == [first] and held.find(first.key) is None and list(held) == [second, third]
    assert [choice.recording for choice in history.past] == [None, second]


def test_a_full_server_refuses_a_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    held = make_recording()
    monkeypatch.setattr(recordings, "OF_PROCESS", 0)
    with pytest.raises(Unread, match="holds as many recordings as it can"):
        read_recording("flight.csv", FLIGHT, Reading())
    assert held.bytes > 401 * 8 * 3 * 6


def test_a_recording_is_freed_with_its_page() -> None:
    recording = make_recording()
    page = open_lab(make_choice(recording))
    page.explorer.follow(page.explorer.history.now.change("dt", 0.01))
    gone = weakref.ref(recording)
    del recording, page
    gc.collect()
    assert gone() is None


def test_a_link_names_a_recording_and_does_not_hold_it() -> None:
    recording = replace(make_recording(), reading=Reading(unit="deg/s", part=(0.5, 2.0)))
    choice = validate(make_choice(recording).with_changes(R0=(0.1, 0.0, 0.0)).change("dt", 0.01))
    words = dict(parse_qsl(link(choice).lstrip("?")))
    assert words.pop("page") == "gyroscope"
    assert (words["recording"], words["unit"], words["part"]) == ("flight.csv", "deg/s", "0.5,2")
    assert read_query(words, "rates", recording) == (choice, [])
    without, (notice,) = read_query(words, "rates")
    assert without == FIRST["rates"]
    assert notice.startswith("A link does not hold a recording. Choose 'flight.csv' again")


def test_steps_span_whole_intervals_and_runs_end_with_the_recording() -> None:
    choice = validate(make_choice().change("dt", 0.0171))
    assert choice.dt == pytest.approx(0.015) and choice.duration == pytest.approx(1.995)
    longest = validate(choice.change("duration", 100.0))
    assert longest.duration == pytest.approx(1.995)
    coning = validate(make_choice().change("dt", 0.01).change("methods", ("CONING",)))
    assert coning.with_changes(R0=(0.1, 0, 0)).with_fitting_methods().methods == ("CONING",)


def test_the_methods_are_compared_with_the_one_of_the_highest_order(results: Results) -> None:
    assert results.exact is None and results.compared_with == "WILCOX"
    reference = results.runs[2]
    for line in results.runs[:2]:
        expected = engine.error(line.run, reference.run).attitude
        np.testing.assert_array_equal(line.error.attitude, expected)
    assert reference.error is None
    for group in GROUPS:
        for quantity in GROUPS[group].quantities(results, ""):
            assert "error" not in quantity.title.lower() and "exact" not in quantity.symbol
            shown = [quantity.values(line, False) is not None for line in results.runs]
            assert shown == [True, True, not quantity.against_exact]
    table = LEDGER.table(results)
    assert {"difference", "parting"} <= {column.key for column in table.columns}
    assert "They part from Wilcox: Quaternion Euler by" in table.conclusion
    assert not any(row.cell("difference").best for row in table.rows)
    assert narrate(results).startswith("flight: ")
    fewer = compute(results.choice.change("methods", ("EULER", "WILCOX")), before=results)
    assert fewer.runs[0].error.attitude[-1] == results.runs[0].error.attitude[-1]
    alone = compute(results.choice.change("methods", ("EULER",)))
    assert alone.compared_with == "" and "difference" not in str(LEDGER.table(alone).columns)
    assert alone.no_exact.endswith("Add a method to compare two.")
    assert GROUPS["Attitude"].quantities(alone, "")[0].title == "Attitude difference"


def test_exports_of_a_recording(
    results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("flight.csv").write_bytes(FLIGHT)
    exec(results.choice.snippet(), {})
    assert capsys.readouterr().out.count("<run of") == 3
    cancel: Any = None
    assert make_file(results, "demo", "", cancel, lambda *_: None) == NO_DEMO
    assert zip_runs(results, "npz")
    turned = make_choice(results.choice.recording).with_changes(R0=(0.1, 0.0, 0.0))
    written = replace(turned, problem="given-rates(frame=space)").in_python()
    assert written == "engine.read_rates('flight.csv').replace(frame='space', R0=[0.1, 0.0, 0.0])"


def send(page: LabPage, name: str, data: bytes, **more: Any) -> None:
    message = {"name": name, "part": 0, "parts": 1, "data": data} | more
    send_message(page.chooser.recording.file, message)


@pytest.fixture
def read_here(monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[Reading]]:
    """Read files without a process of their own; returns how they were read."""
    how: list[Reading] = []

    def read(name: str, data: bytes, reading: Reading, cancel: object) -> Recording:
        how.append(reading)
        if b"Time" not in data and not reading.columns:
            raise Unread("Choose the columns below.", Columns(("when", "a", "b", "c")))
        columns = reading.columns or COLUMNS.chosen
        found = Columns(columns, columns, reading.unit or "rad/s", reading.time_unit or "s")
        return Recording(name, make_samples(T, RATES), found, reading)

    monkeypatch.setattr("app.views.controls.recording_file.read_recording", read)
    return lambda: how


def test_the_page_shows_a_recording_and_takes_it_back(read_here: Any) -> None:
    page = open_lab(Choice("coning", ("EXP",), 0.001, 0.05, space="rates"))
    send(page, "flight.csv", FLIGHT)
    now = page.explorer.history.now
    assert now.recording is not None and page.chooser.problem.value == now.recording.key
    assert page.chooser.recording.file.facts[0] == "401 rows in 2 s, 200 Hz."
    assert "They part from Wilcox" in visible_text(page.ledger.verdict)
    page.explorer.undo()
    assert page.chooser.problem.value == "coning"
    send_message(page.chooser.problem, {"pick": now.recording.key})
    assert page.explorer.history.now.recording is now.recording
    page.chooser.cases.enter("frame", "space")
    assert page.explorer.results.problem.in_space
    page.chooser.form.enter("dt", "0.05")
    page.explorer.reset()
    assert page.explorer.history.now == choose_recording(now.recording, now)
    send_message(page.chooser.problem, {"pick": "given-rates"})
    assert page.explorer.history.now == choose_problem(
        "given-rates", page.explorer.history.past[-1]
    )


def test_columns_and_units_are_corrected_where_they_are_not_known(read_here: Any) -> None:
    page = open_lab(Choice("coning", ("EXP",), 0.001, 0.05, space="rates"))
    chooser = page.chooser.recording
    heard = record_messages(chooser.file)
    data = write_flight("when,a,b,c")
    send(page, "w.csv", data)
    assert chooser.file.wrong and not chooser.form.folded and chooser.form.visible
    for name, column in zip(("time", "x", "y", "z"), ("when", "a", "b", "c"), strict=True):
        assert heard == []
        chooser.form.enter(name, column)
    assert heard == [{"again": True, "name": ""}]
    send(page, "w.csv", data, again=True)
    assert not chooser.file.wrong and page.explorer.history.now.recording is not None
    chooser.form.enter("unit", "deg/s")
    chooser.form.enter("part", "3, 1")
    assert "increasing" in chooser.form.wrong["part"]
    chooser.form.enter("part", "0.5, 1")
    send(page, "w.csv", data, again=True)
    assert read_here()[-1] == Reading(("when", "a", "b", "c"), "deg/s", "", (0.5, 1.0))


def test_a_link_that_names_the_file_gives_its_settings(read_here: Any) -> None:
    page = open_lab(FIRST["rates"])
    words = "?page=gyroscope&recording=flight.csv&methods=EXP&dt=0.01&unit=deg/s"
    send(page, "other.csv", FLIGHT, again=True, words=words)  # which the tab keeps
    assert read_here() == []
    send(page, "flight.csv", FLIGHT, again=True, words=words)
    now = page.explorer.history.now
    assert (now.methods, now.dt) == (("EXP",), pytest.approx(0.01))
    assert read_here() == [Reading(unit="deg/s")]
