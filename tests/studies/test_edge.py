"""The edge of stability: a run below it ends well, one beyond it does not, and windows are
reported.
"""

from __future__ import annotations

import math
import threading

import pytest

import engine
from engine import studies
from engine.studies.core.errors_at_end import energy_error
from engine.text.formatting import show


def end(study, label, dt):
    """A run with one step size, as the study makes it."""
    steps = math.ceil(round(study.duration / dt, 9))
    return engine.simulate(study.problem, label, dt=dt, steps=steps, samples=1)


@pytest.fixture(scope="module")
def study():
    return studies.edge("free", ["DMV", "NMB", "MR2"], within=0.01)


def test_a_step_at_the_edge_runs_and_the_one_beyond_does_not(study):
    edge = study.of("DMV")
    assert edge.dt == pytest.approx(1.06, abs=0.01)
    assert edge.dt < edge.fails_at <= 1.0001 * edge.dt
    assert end(study, "DMV", edge.dt).status == "done"
    failed = end(study, "DMV", edge.fails_at)
    assert (
        failed.status == "no-solution"
        and edge.why == f"it finds no solution in step {failed.failed_step}"
    )
    said = "Moser–Veselov: runs reach the end up to Δt = 1.058. Beyond that, it finds no solution in step"
    assert said in study.conclusion


def test_every_rung_below_the_edge_runs(study):
    for label in ("DMV", "NMB"):
        edge = study.of(label)
        assert all(end(study, label, dt).status == "done" for dt in study.ladder if dt <= edge.dt)
    assert study.of("NMB").dt > 5


def test_the_energy_is_kept_up_to_its_own_edge(study):
    edge = study.of("NMB", "energy")
    assert (
        energy_error(end(study, "NMB", edge.dt))
        <= 0.01
        < energy_error(end(study, "NMB", edge.fails_at))
    )
    assert edge.dt < study.of("NMB").dt
    assert edge.why == "the energy error is larger", "to three digits it is off by the bound"


def test_windows_above_the_edge_are_rungs_that_hold_again(study):
    edge = study.of("MR2", "energy")
    assert edge.window > edge.fails_at and edge.window in study.ladder
    assert energy_error(end(study, "MR2", edge.window)) <= 0.01
    above = [dt for dt in study.ladder if dt > edge.window]
    assert above and all(energy_error(end(study, "MR2", dt)) > 0.01 for dt in above)
    assert "Some larger steps work again, up to Δt = 2.973." in study.conclusion


def test_where_nothing_fails_there_is_no_edge(study):
    edge = study.of("MR2")
    assert edge.dt == study.ladder[-1] == 10.0 and math.isnan(edge.fails_at) and edge.why == ""
    assert (
        "McLachlan–Reich: runs reach the end with all steps tried, up to Δt = 10."
        in study.conclusion
    )


def test_where_the_smallest_fails_nothing_is_narrowed_down():
    found = studies.edge("free", "TERZE", within=1e-12, smallest=0.1, largest=0.4)
    edge = found.of("TERZE", "energy")
    assert (
        math.isnan(edge.dt)
        and edge.fails_at == found.ladder[0] >= 0.1
        and edge.tried == len(found.ladder) == 9
    )
    said = "Δt = 0.1, does not keep the energy error below 10⁻¹². The energy error is "
    assert said in found.conclusion


def test_digits_and_the_sentence_round_down():
    coarse, fine = (
        studies.edge("free", "DMV", smallest=0.5, largest=2.0, digits=n) for n in (1, 6)
    )
    assert fine.of("DMV").fails_at - fine.of("DMV").dt < 1e-5
    assert coarse.of("DMV").tried < fine.of("DMV").tried
    report = float(fine.conclusion.split("Δt = ")[1].split(". ")[0])
    assert report <= fine.of("DMV").dt < report + 1e-5


def test_rows_are_kept_and_taken_up_again(tmp_path):
    file = tmp_path / "edges.jsonl"
    reports = []
    first = studies.edge("free", ["DMV", "MR2"], keep=file)
    again = studies.edge(
        "free", ["DMV", "MR2", "NMB"], keep=file, progress=lambda d, n, row: reports.append((d, n))
    )
    assert repr(again.of("DMV")) == repr(first.of("DMV")) and reports == [(1, 3), (2, 3), (3, 3)]
    assert math.isnan(again.of("MR2").fails_at)
    with pytest.raises(ValueError, match="holds another study"):
        studies.edge("free", "DMV", digits=5, keep=file)


def test_all_methods_that_fit_and_why_others_do_not():
    cancel = threading.Event()
    cancel.set()
    found = studies.edge("slow-top", cancel=cancel)
    assert not found.finished and found.edges == () and found.conclusion == ""
    assert list(found.to_frame().columns)[:3] == ["method", "asked", "dt"]
    assert {"BUSS6", "DOP853", "EXACT"} <= set(found.left_out) and "NMB" not in found.left_out


@pytest.mark.parametrize(
    ("given", "options", "says"),
    [
        (("free", []), {}, "at least one method"),
        (("free", "DOP853"), {}, "chooses its own steps"),
        (("free", "EXACT"), {}, "no steps of a given size"),
        (("free", "NMB", -1.0), {}, "duration"),
        (("free", "NMB"), {"within": 0.0}, "within"),
        (("book-toss", "NMB"), {"within": 0.01}, "energy of book-toss is not kept"),
        (("free", "NMB"), {"smallest": 1e-9}, "steps are more than"),
        (("free", "NMB"), {"smallest": 3.0, "largest": 2.0}, "smallest"),
        (("free", "NMB"), {"digits": 12}, "digits"),
    ],
)
def test_what_is_refused(given, options, says):
    with pytest.raises(ValueError, match=says):
        studies.edge(*given, **options)


def test_an_edge_that_was_not_looked_for(study):
    with pytest.raises(ValueError, match="no edge of CF4"):
        study.of("CF4")


def test_the_energy_s_roundoff_at_small_steps_is_no_edge():
    """CF4's energy error on the slow top falls to 10⁻¹³ at Δt = 0.0003, and grows below."""
    found = studies.edge("slow-top", "CF4", 2.0, within=2e-13, smallest=1e-5, largest=0.1)
    at = found.of("CF4", "energy")
    assert 1e-5 <= at.roundoff < 3e-4 < at.dt < at.fails_at < 0.1
    for dt, kept in ((at.dt, True), (at.fails_at, False), (at.roundoff, False)):
        run = engine.simulate("slow-top", "CF4", dt=dt, steps=math.ceil(round(2.0 / dt, 9)))
        assert (energy_error(run) <= 2e-13) == kept
    assert (
        f"With Δt = {show(at.roundoff, 4)} or less, roundoff exceeds the bound." in found.conclusion
    )
    coarse = studies.edge("slow-top", "CF4", 2.0, within=1e-9)
    assert math.isnan(coarse.of("CF4", "energy").roundoff)


@pytest.mark.parametrize(
    ("problem", "method"),
    [
        (engine.problem("free", J=(2, 2, 0.01), Omega0=(0.3, 0.5, 0.9)), "BUSS1"),
        (engine.problem("slow-top", R0=(math.pi, 0, 0), Omega0=(0, 0, 2)), "DMV"),
    ],
)
def test_what_is_no_roundoff_is_not_called_so(problem, method):
    """BUSS1's energy error is about 20 whatever the step; DMV finds no solution with large ones."""
    found = studies.edge(problem, method, 10.0, within=0.01)
    energy = found.of(method, "energy")
    assert math.isnan(energy.roundoff), found.conclusion
    if method == "DMV":
        run = engine.simulate(problem, method, dt=energy.dt, duration=10.0)
        assert run.status == "done" and energy_error(run) < 1e-13 and energy.dt > 0.4
