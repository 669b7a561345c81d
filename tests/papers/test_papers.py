"""Every claim of the papers, measured, and the form in which they are declared."""

from __future__ import annotations

import json
import math
import threading
from pathlib import Path

import pytest
from covering import covering
from sentences import find_faults
from steady_clock import steady_clock
from timeouts import TIMEOUT

import engine
from engine import papers
from engine.compiler.notices import listen
from engine.exact import warm_up
from engine.kernels import build
from engine.papers import claim as form
from engine.papers.claim import (
    Bench,
    Between,
    Claim,
    Is,
    Near,
    Printed,
    at_least,
    at_most,
    read_check,
)
from engine.simulation.provenance import collect_versions
from engine.studies.core.stored import stored_verdicts
from engine.studies.core.study import PRESETS

FIGURES = json.loads(
    (Path(__file__).parents[1] / "data" / "claim_figures.json").read_text(encoding="utf-8")
)
"""By claim, the recorded values of figures where they say more than the paper requires."""
LONG = {"buss-long-run", "mujoco-single-precision"}
"""Claims that take half a minute are tested as recorded, and at a part of their length."""
SLOW = {"integrals-of-integrable-tops", "lee-four-forms", "engines-kept"}
"""The quick tests take other claims, one for each verdict."""


def expected_checks(claim: Claim) -> dict[str, Near | Between | Is]:
    """The checks of a claim's figures in the file."""

    def check(entry):
        if "is" in entry:
            return Is(entry["is"])
        if "near" in entry:
            return Near(**{"value" if key == "near" else key: x for key, x in entry.items()})
        return Between(entry.get("low", -math.inf), entry.get("high", math.inf))

    return {name: check(entry) for name, entry in FIGURES.get(claim.key, {}).items()}


def surprises(measured: papers.Measured) -> dict[str, float | str]:
    """Return the figures that differ from their recorded values."""
    checks = {**measured.claim.paper, **expected_checks(measured.claim)}
    return {name: value for name, value in measured.values.items() if not checks[name].holds(value)}


@pytest.mark.parametrize(
    ("words", "check"),
    [
        ("at least 0.1", Between(0.1, math.inf)),
        ("at most 1e-06", Between(-math.inf, 1e-6)),
        ("-0.001 to 0.001", Between(-0.001, 0.001)),
        ("1 to 10: an order of magnitude", Between(1.0, 10.0, "an order of magnitude")),
        ("2 ± 30 %", Near(2.0, 0.3)),
        ("no-solution", Is("no-solution")),
        (7, Is(7)),
    ],
)
def test_requirements_are_read_from_words(words, check):
    assert read_check(words) == check


def test_the_file_has_figures_of_claims_that_there_are():
    assert set(FIGURES) <= {claim.key for claim in papers.all()}
    for claim in papers.all():
        assert set(expected_checks(claim)) <= set(claim.names), claim.key
        assert set(claim.names) == {*claim.paper, *expected_checks(claim)}, claim.key


A_STEP = {"LGVI": 370e-9, "LGM": 240e-9, "RK2": 180e-9, "SRK": 1550e-9}
"""Seconds of a step of dumbbells, as measured on a quiet machine."""
A_FORCE = 8e-6
"""The same of a force between bodies of many masses."""


def time_run(run):
    """Return the seconds that a run would take on that machine."""
    forces = run.cost.force_evaluations if run.problem.key == "two-bodies" else 0
    return A_STEP.get(run.method.key, 0.0) * run.cost.steps + A_FORCE * forces


@pytest.mark.parametrize(
    "claim",
    covering(
        sorted((c for c in papers.all() if c.key not in LONG), key=lambda c: c.key in SLOW),
        by=lambda claim: (claim.recorded_verdict,),
    ),
    ids=lambda c: c.key,
)
def test_claim(claim):
    """The figures are as expected, there are no others, and the verdict follows from them. A busy
    machine decides no comparison of times.
    """
    reports = []
    with steady_clock(time_run):
        measured = claim.measure(progress=lambda done, of: reports.append((done, of)))
    assert set(measured.values) == set(claim.names)
    assert not surprises(measured)
    assert measured.verdict == claim.recorded_verdict
    of = len(claim.names)
    assert [done for done, _ in reports if isinstance(done, int)] == [i + 1 for i in range(of)]
    assert reports == sorted(reports) and {total for _, total in reports} == {of}


def test_the_long_run_is_within_its_bounds_from_the_beginning_and_can_be_cancelled(monkeypatch):
    monkeypatch.setattr(papers.buss, "LONG_RUN", 2_000_000)
    claim = papers.find("buss-long-run")
    reports = []
    measured = claim.measure(progress=lambda done, of: reports.append(done))
    assert set(measured.values) == set(claim.names)
    assert not {name for name in surprises(measured) if "at the end" not in name}
    assert any(not isinstance(done, int) for done in reports), "it reports no progress within a run"
    monkeypatch.setattr(papers.buss, "LONG_RUN", 2_000_000_000)
    cancel = threading.Event()
    assert not claim.measure(cancel, lambda done, of: cancel.set()).values


@pytest.mark.exhaustive
def test_precisions_are_within_their_bounds_at_a_tenth_of_the_length(monkeypatch):
    monkeypatch.setattr(papers.physics_engines, "LONG_RUN", 1_000_000)
    measured = papers.find("mujoco-single-precision").measure()
    assert set(measured.values) == set(measured.claim.names) and not surprises(measured)


def test_what_was_recorded_is_of_the_claims_as_they_are():
    """Every claim, every figure, and the verdict that follows; `python docs/measure.py --papers`
    writes it anew.
    """
    assert list(stored_verdicts()["claims"]) == [claim.key for claim in papers.all()]
    assert stored_verdicts()["versions"].keys() == collect_versions().keys()
    for measured in papers.load_verdicts().measured:
        claim = measured.claim
        assert set(measured.values) == set(claim.names), claim.key
        assert (
            measured.verdict
            == stored_verdicts()["claims"][claim.key]["verdict"]
            == claim.recorded_verdict
        ), claim.key
        assert not surprises(measured), claim.key


def test_what_does_not_hold_in_a_table_is_explained_and_nothing_else():
    for measured in papers.load_verdicts().measured:
        failing = {name for name, _, holds in measured.rows() if holds is False}
        assert set(measured.claim.why) <= failing, measured.claim.key
        if measured.claim.source.startswith("Buss"):
            assert set(measured.claim.why) == failing, measured.claim.key


@pytest.mark.parametrize("claim", papers.all(), ids=lambda c: c.key)
def test_every_claim_tells_what_it_is(claim):
    assert claim.says and claim.reason and claim.where and claim.how and claim.paper
    assert claim.source in claim.reference and "year" in claim.reference
    assert papers.find(claim.key.upper()) is claim


@pytest.mark.parametrize("one", [*papers.all(), *papers.figures()], ids=lambda one: one.key)
def test_sentences_of_claims_and_figures_are_short(one):
    is_claim = isinstance(one, Claim)
    texts = (one.says, one.reason, *one.why.values()) if is_claim else (one.plotted, one.see)
    assert find_faults(" ".join(texts)) == []


def test_what_the_paper_requires_and_what_was_measured_agree_with_the_verdict():
    """A recorded verdict cannot stand beside figures that say otherwise."""
    for claim in papers.all():
        usual = expected_checks(claim)
        fixed = [
            name
            for name, check in claim.paper.items()
            if name in usual and disjoint(check, usual[name])
        ]
        assert bool(fixed) == (claim.recorded_verdict != "reproduced"), claim.key


def disjoint(check, measured):
    """Whether the measured figure does not meet the paper's requirement."""
    values = [measured.low, measured.high] if isinstance(measured, Between) else [measured.value]
    return not any(
        check.holds(value)
        for value in values
        if not (isinstance(value, float) and math.isinf(value))
    )


def test_figures_of_buss_as_printed():
    """The size of the tables; the rows of each are known methods."""
    assert [len(papers.find(f"buss-figure-{n}").paper) for n in (3, 4, 5, 6, 7)] == [
        14,
        55,
        28,
        72,
        24,
    ]
    for table in (
        papers.buss.FIGURE_4,
        papers.buss.FIGURE_5,
        papers.buss.FIGURE_6,
        papers.buss.FIGURE_7,
    ):
        for method in table:
            assert engine.algorithm(method).label == method
    assert len(papers.find("buss-rotations").paper) == 8 + 64 + 17
    for rotations, steps in (
        (papers.buss.FIGURE_6_ROTATIONS, papers.buss.FIGURE_6),
        (papers.buss.FIGURE_7_ROTATIONS, papers.buss.FIGURE_7),
    ):
        for method, row in steps.items():
            missing = [number is None for number in row]
            assert missing == [angle is None for angle in rotations.get(method, (None,) * 3)], (
                method
            )


@pytest.mark.parametrize("check, holding, failing, text", [
    (Near(80.0, 0.02), (78.5, 80.0, 81.5), (78.3, 81.7, math.inf, math.nan, "80"), "80 ± 2 %"),
    (Near(-0.4, 0.1), (-0.42, -0.4), (0.4, -0.5), "−0.4 ± 10 %"),
    (Between(1.0, 2.0), (1.0, 2.0), (0.9, 2.1, math.nan, "done"), "1 to 2"),
    (at_least(3.0), (3.0, math.inf), (2.9, math.nan), "at least 3"),
    (at_most(3.0), (3.0, -math.inf), (3.1, math.inf, math.nan), "at most 3"),
    (Printed("82.1054"), (82.10535, 82.1054, 82.10545), (82.1055, 82.1053, "82.1054"), "82.1054"),
    (Printed("150.0"), (149.95, 150.0), (149.9,), "150.0"),
    (Is("no-solution"), ("no-solution",), ("done", 0.0), "no-solution"),
])  # fmt: skip
def test_checks(check, holding, failing, text):
    assert all(check.holds(value) for value in holding)
    assert not any(check.holds(value) for value in failing)
    assert str(check) == text


def declared(values, paper, **more):
    def measured_by(bench):
        """As given."""
        yield from values.items()

    reference = "@misc{Someone2000, year = {2000}}"
    return Claim("a", reference, "here", "So it is.", paper, "Why not.", by=measured_by, **more)


@pytest.mark.parametrize("values, verdict", [
    ({"a": 1.0, "b": 2.0}, "reproduced"),
    ({"a": 1.0, "b": 3.0}, "partly"),
    ({"a": 3.0, "b": 3.0}, "refuted"),
])  # fmt: skip
def test_the_verdict_follows_from_the_figures(values, verdict):
    measured = declared(values, {"a": Near(1.0), "b": Near(2.0)}).measure()
    assert measured.verdict == verdict
    frame = measured.to_frame()
    assert (
        frame["holds"].sum()
        == measured.holding
        == {"reproduced": 2, "partly": 1, "refuted": 0}[verdict]
    )
    assert list(frame["paper"]) == ["1 ± 2 %", "2 ± 2 %"]


def test_cancelling_a_measurement():
    cancel = threading.Event()
    claim = papers.find("krysl-endres-figure-1")
    measured = claim.measure(cancel, progress=lambda done, of: cancel.set() if done == 2 else None)
    assert not measured.finished and measured.verdict == "cancelled"
    assert list(measured.values) == ["range, dt=5 (%)", "range, dt=4 (%)"]
    cancel.set()
    assert not papers.find("buss-figure-7").measure(cancel).values
    assert papers.verdicts(cancel=cancel).measured == ()


def test_a_bench_ends_what_is_cancelled():
    cancel = engine.Cancellation()
    cancel.set()
    bench = form.Bench(cancel)
    for ask in (
        lambda: bench.simulate("free", "NMB", steps=1000),
        lambda: bench.find_exact_end("free", 10.0),
        lambda: bench.steps_to_accuracy("free", "NMB", duration=1.0),
    ):
        with pytest.raises(form.Cancelled):
            ask()


def test_the_table_of_verdicts():
    reports = []
    table = papers.verdicts(
        ["buss-figure-5", papers.find("terze-scheme")], progress=lambda *done: reports.append(done)
    )
    assert table.finished and [done for done in reports if isinstance(done[0], int)] == [
        (1, 2),
        (2, 2),
    ]
    assert reports == sorted(reports)
    frame = table.to_frame()
    assert list(frame["claim"]) == ["buss-figure-5", "terze-scheme"]
    assert list(frame["verdict"]) == ["reproduced", "partly"]
    assert list(frame["holds"]) == ["28 of 28", "7 of 8"]
    lines = table.to_markdown().splitlines()
    assert len(lines) == 4 and lines[0].startswith("| claim | source |")
    assert len({line.count(" | ") for line in lines}) == 1
    assert papers.verdicts([]).to_markdown() == ""


def test_an_unknown_claim():
    with pytest.raises(ValueError, match="buss-figure-5"):
        papers.find("buss-figure-55")


@pytest.mark.parametrize("key", ["krysl-endres-figure-5", "buss-figure-5", "notes-magnet"])
def test_what_many_methods_take_is_compiled_several_at_a_time_before_they_run(
    key, monkeypatch, tmp_path
):
    """The progress names what is being measured."""
    both = threading.Barrier(2)
    made = []
    heard = []

    def compiled(parts):
        if len(made) < 2:
            made.append(parts)
            both.wait(TIMEOUT)  # nobody comes by alone
        raise ArithmeticError("it is not compiled here")

    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("POLHODE_PLAIN", "0")
    monkeypatch.setattr("engine.kernels.driver._llvm_is_there", lambda: True)
    monkeypatch.setattr(build, "_kernels", {})
    monkeypatch.setattr("engine.compiler.addresses._addresses", {})
    monkeypatch.setattr(build, "object_code", compiled)
    monkeypatch.setattr(warm_up, "count_processors", lambda: 2)
    with listen(heard.append), pytest.raises(ArithmeticError):
        papers.find_figure(key).curves()
    assert len(made) == 2 and {parts.step for parts in made} == {
        engine.algorithm(label).step for label in heard[:2]
    }


def test_what_is_compiled_for_a_claim_can_be_given_up(monkeypatch):
    cancel = threading.Event()
    cancel.set()
    monkeypatch.setattr(build, "is_loaded", lambda parts: False)
    monkeypatch.setattr(
        build, "compile_kernel", lambda parts, name="": pytest.fail("it was compiled")
    )
    Bench(cancel).prepare("free", ["NMB", "MR2"])


def test_every_text_of_a_data_file_belongs_to_a_claim_a_figure_or_a_study() -> None:
    assert set(form.read_words("claims")) <= {claim.key for claim in papers.all()}
    assert set(form.read_words("figures")) <= {figure.key for figure in papers.figures()}
    assert set(PRESETS) <= {study.key for study in engine.studies.registered()}
