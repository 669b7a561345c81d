"""The executor of studies: order, parallel runs, progress, cancellation, storing and resuming."""

from __future__ import annotations

import errno
import json
import threading
from pathlib import Path

import pytest
from timeouts import TIMEOUT

from engine.exact import Cancelled
from engine.studies.core.executor import Executor
from engine.studies.core.kept_rows import Store


def square(part):
    return {"square": part * part}


def test_rows_come_in_the_order_of_the_parts():
    second = threading.Event()

    def measure(part):
        if part == 0:  # the first is done after the second
            assert second.wait(TIMEOUT)
        return square(part)

    reports = []

    def progress(done, total, row):
        reports.append((done, total, row["square"]))
        if row["square"] == 1:
            second.set()

    rows, finished = Executor(progress, workers=3).carry_out(range(5), measure)
    assert finished and [row["square"] for row in rows] == [0, 1, 4, 9, 16]
    assert [(done, total) for done, total, _ in reports] == [(k, 5) for k in range(1, 6)]
    assert sorted(reports, key=lambda words: words[2]) != reports


def test_parts_are_done_at_the_same_time():
    both = threading.Barrier(2, timeout=TIMEOUT)

    def measure(part):
        both.wait()
        return square(part)

    assert Executor(workers=2).carry_out(range(2), measure)[1]


def test_cancelled_it_gives_what_there_is_and_begins_nothing():
    cancel = threading.Event()
    begun = []

    def measure(part):
        begun.append(part)
        if part == 2:
            cancel.set()
            raise Cancelled
        return square(part)

    rows, finished = Executor(cancel=cancel, workers=1).carry_out(range(100), measure)
    assert not finished and [row["square"] for row in rows] == [0, 1] and begun == [0, 1, 2]


def test_an_error_of_a_part_is_the_study_s():
    with pytest.raises(ZeroDivisionError):
        Executor(workers=1).carry_out([1, 0], lambda part: {"inverse": 1 / part})


def test_what_is_kept_is_not_measured_again(tmp_path):
    kept = tmp_path / "new" / "study.jsonl"
    measured = []

    def measure(part):
        measured.append(part)
        return square(part)

    Executor(keep=kept).carry_out(range(3), measure, {"study": "squares"})
    reports = []
    executor = Executor(lambda *words: reports.append(words[0]), keep=kept)
    rows, finished = executor.carry_out(range(5), measure, {"study": "squares"})
    assert finished and [row["square"] for row in rows] == [0, 1, 4, 9, 16]
    assert sorted(measured) == [0, 1, 2, 3, 4] and reports == [1, 2, 3, 4, 5]
    assert len(kept.read_text().splitlines()) == 6


def test_a_line_cut_off_is_measured_again(tmp_path):
    kept = tmp_path / "study.jsonl"
    Executor(workers=1, keep=kept).carry_out(range(3), square)
    kept.write_text(kept.read_text()[:-9])
    assert set(Store(kept, {}).rows) == {"0", "1"}
    assert Executor(workers=1, keep=kept).carry_out(range(3), square)[1]
    assert [json.loads(line)["row"]["square"] for line in kept.read_text().splitlines()[-1:]] == [4]


def test_another_study_s_file_is_refused(tmp_path):
    kept = tmp_path / "study.jsonl"
    Executor(keep=kept).carry_out(range(3), square, {"study": "squares"})
    with pytest.raises(ValueError, match="holds another study"):
        Executor(keep=kept).carry_out(range(3), square, {"study": "cubes"})


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no disk that is always full")
def test_a_file_that_can_not_be_written_any_more_is_named(tmp_path):
    store = Store(tmp_path / "kept", {})
    store.path = Path("/dev/full")
    with pytest.raises(OSError) as refused:
        store.add("1", {"x": 1.0})
    assert (refused.value.errno, refused.value.filename) == (errno.ENOSPC, str(store.path))
