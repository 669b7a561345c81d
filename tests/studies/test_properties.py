"""Measured properties: they match known facts, and reveal every false declaration."""

from __future__ import annotations

import json
import threading
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from covering import few, first

import engine
from engine.algebra import Mat3, Vec3, dot, e1, e2, e3, exp, exp_about
from engine.algorithms import FixedStep
from engine.algorithms.core.euler import start_with_torque
from engine.algorithms.mr import turn
from engine.cli.cards import properties_card
from engine.cli.console import Style
from engine.simulation import timing
from engine.simulation.provenance import collect_versions
from engine.studies import properties, property_table
from engine.studies.all_properties import variants
from engine.studies.core import measurements
from engine.studies.core.stored import stored_speeds
from engine.studies.properties import GROUPS, QUICK, why_unmeasured
from engine.text.formatting import format_powers

# -------------------------------------------------------------------------------------------------
# slopes and lines


def powers(steps, order, beginning=0.0, plateau=0.0):
    """Errors of a method with a beginning that is not asymptotic, and a plateau of roundoff."""
    noise = np.random.default_rng(1).uniform(0.5, 1.5, len(steps))
    return steps**order * (1 + beginning * steps**2) + plateau * noise


STEPS = 2.0 ** (-np.arange(24) / 2)


@pytest.mark.parametrize("order, beginning", [(1, 30.0), (2, 30.0), (4, 30.0), (8, 3.0)])
def test_a_slope_leaves_out_the_beginning_and_the_plateau(order, beginning):
    errors = powers(STEPS, order, beginning, plateau=1e-14)
    slope = measurements.slope(STEPS, errors, 1e-12)
    assert slope.value == pytest.approx(order, abs=0.1) and slope.points == 5
    everything = np.polyfit(np.log(STEPS), np.log(errors), 1)[0]
    assert abs(everything - order) > 0.15
    assert abs(slope.value - order) <= slope.uncertainty + 0.05


def test_a_slope_needs_three_points():
    assert measurements.slope([1.0, 0.5], [1.0, 0.25], 1e-12) is None
    assert measurements.slope([1.0, 0.5, 0.25], [1.0, 0.25, 1e-13], 1e-12) is None
    assert measurements.slope([1.0, 0.5, 0.25], [1.0, 0.25, 0.0625], 1e-12).value == pytest.approx(
        2.0
    )


@pytest.mark.parametrize(("errors", "visible"), [
    ([1.2, 0.9, 0.6, 0.305, 0.3], 0.1),  # a part of the error does not go to zero: the smallest step counts
    ([1.2, 0.9, 0.3, 0.6, 0.3], 0.0),
    ([1.2, 0.9, 0.009, 0.1, 0.008], 0.3),
])  # fmt: skip
def test_the_largest_step_with_a_small_error(errors, visible, monkeypatch):
    steps = np.array([0.5, 0.4, 0.3, 0.2, 0.1])
    monkeypatch.setattr(
        measurements, "measure_errors", lambda *_: np.array([steps, errors, errors])
    )
    found, note = measurements.visible_step(engine.algorithm("NMB"), "free")
    assert (found, bool(note)) == (visible, not visible)


def test_the_constant_of_an_error_is_found():
    constant, off = measurements.slope(
        STEPS, 0.3 * powers(STEPS, 4, plateau=1e-14), 1e-12
    ).constant(4)
    assert constant == pytest.approx(0.3, rel=0.05) and off < 0.05 * constant
    slope = measurements.slope([1.0, 0.5, 0.25], [1.0, 0.25, 0.0625], 1e-12)
    assert slope.constant(3) == (pytest.approx(2.0), pytest.approx(2.0)), (
        "twice as much at the smallest step"
    )


@pytest.mark.exhaustive
def test_error_constants_are_those_of_the_errors():
    found = properties("NMB", which=["order"])
    constants = {
        (f.property, f.on): f.value
        for f in found.findings
        if f.property.startswith("error constant")
    }
    steps, *errors = measurements.measure_errors(engine.algorithm("NMB"), "free")
    for part, found in zip(("attitude", "momentum"), errors, strict=True):
        ratio = found[-4] / steps[-4] ** 2
        assert constants[f"error constant of the {part}", "free"] == pytest.approx(ratio, rel=1e-3)
    lines = properties("NMB", which=["order"]).of("error constant of the attitude")
    assert [line.on for line in lines] == list(measurements.OF_ORDER)
    assert all(
        float(line.measured.split()[0]) == pytest.approx(line.value, rel=1e-2) for line in lines
    )


def test_speeds_are_recorded_of_what_steps():
    report = stored_speeds()
    assert report["processor"] and report["versions"].keys() == collect_versions().keys()
    stepping = [method.key for method in engine.algorithms() if isinstance(method, FixedStep)]
    assert list(report["methods"]) == stepping, (
        "run `python docs/measure.py --speed`, with the new keys"
    )
    assert all(1 < ns < 1e6 for found in report["methods"].values() for ns in found.values())


def test_without_a_largest_step_the_largest_that_was_tried_is_named():
    assert str(measurements.LargestStep(np.inf)) == f"any, up to {max(measurements.TRIED):.4g}"


def test_an_error_that_does_not_fall_has_no_slope():
    errors = np.where(np.arange(24) % 2, 1e-3, 1e-4)
    assert measurements.slope(STEPS, errors, 1e-12) is None
    assert measurements.find_roundoff(STEPS, errors, 1e-12) == (
        pytest.approx(1.0),
        pytest.approx(1e-4),
    )


@pytest.mark.parametrize("ratio", [1, 2])
@pytest.mark.parametrize("order", [1, 2, 4, 8])
def test_a_slope_ends_where_roundoff_begins_whatever_its_size(order, ratio):
    """Roundoff that grows with the number of steps, far above the floor of the reference."""
    steps = 2.0 ** (-np.arange(28) / 2)[::ratio]
    wrong = 0
    cases = few(100) * 3
    for case in range(cases):
        noise = np.random.default_rng(case).lognormal(0.0, 0.5, len(steps))
        roundoff = 3e-13 * noise * steps ** -(0.5, 1.0, 2.0)[case % 3]
        found = measurements.slope(steps, 0.1 * steps**order + roundoff, 1e-15)
        certain = found.uncertainty <= measurements.NEAR
        wrong += not certain or abs(found.value - order) > 0.2 + 2 * found.uncertainty
    assert wrong <= 0.03 * cases


def test_a_line_s_uncertainty_allows_for_blocks_that_resemble_their_neighbours():
    """Nearly all slopes through correlated noise are within five of their uncertainties of zero."""
    random = np.random.default_rng(2)
    within = plainly = 0
    for _ in range(200):
        noise = random.normal(size=measurements.BLOCKS)
        for i in range(1, len(noise)):
            noise[i] += 0.7 * noise[i - 1]
        value, uncertainty = measurements.line(noise)
        within += abs(value) <= measurements.CERTAIN * uncertainty
        x = np.arange(len(noise)) - (len(noise) - 1) / 2
        left = noise - noise.mean() - value * x
        plainly += abs(value) <= 2 * np.sqrt(left @ left / (len(x) - 2) / (x @ x))
    assert within >= 198 > plainly
    assert measurements.line(0.5 * np.arange(64) + random.normal(size=64))[0] == pytest.approx(
        0.5, abs=0.05
    )


def test_a_slope_of_huge_values_is_that_of_small_ones_and_overflowed_values_have_none() -> None:
    """Numbers of a run that blows up, whose squares overflow."""
    values = np.random.default_rng(3).normal(size=64) + np.arange(64)
    slope, uncertainty = measurements.line(values)
    huge = np.ldexp(values, 900)
    assert measurements.line(huge) == (np.ldexp(slope, 900), np.ldexp(uncertainty, 900))
    assert measurements.line(np.zeros(64)) == (0.0, 0.0)
    values[-1] = np.inf
    assert np.isnan(measurements.line(values)).all()


# -------------------------------------------------------------------------------------------------
# known facts


@pytest.mark.exhaustive
def test_what_is_known_of_some_methods():
    def verdict(method):
        (record,) = properties(method, which=["symplecticity"]).symplecticity
        return record.verdict, record.note

    assert verdict("DMV") == verdict("MR4") == verdict("VLV*yoshida4") == ("symplectic", "")
    assert verdict("PDMV4") == verdict("DMV4") == ("volume only", "")
    assert verdict("NMB") == ("not symplectic", "")
    assert verdict("SW") == ("not measured", "its step needs more than R and Π")
    assert verdict("RK4-MATRIX") == (
        "not measured",
        "not a map of T*SO(3): R does not stay a rotation",
    )
    for method in ("SW", "HSTAGM"):
        for record in properties(method, which=["reversibility"]).reversibility:
            assert record.verdict == "reversible with all it carries"
            assert record.restarted >= 1e-6 and record.carried <= 1e-13
    free, top = properties("LIEMID-E1", which=["reversibility"]).reversibility
    assert (free.verdict, top.verdict) == ("reversible", "not reversible")


@pytest.mark.exhaustive
def test_drift():
    """Reversible methods have none on the free body, which is integrable, and symplectic ones none
    at all.
    """

    def verdicts(method):
        return [record.verdict for record in properties(method, which=["drift"]).drift]

    assert verdicts("MR2") == verdicts("DMV") == ["no drift", "no drift"]
    free, top = verdicts("NMB")
    assert free == "no drift" and top.startswith(("changes by ", "drifts, "))
    free, top = properties("RKMK", which=["drift"]).drift
    assert free.verdict.startswith("changes by 3.") and free.verdict.endswith(", at no steady rate")
    assert top.verdict.startswith("drifts, -")
    assert -top.slope * top.steps == pytest.approx(0.02, abs=0.005)
    assert verdicts("RK2-MATRIX")[0].startswith("ends after ")


def test_the_largest_step():
    """DMV's equation ends where sin θ = h |ω| reaches one; |ω| is 0.94 here. An explicit method has
    no such end.
    """
    (dmv,) = properties("DMV", which=["largest_step"]).largest_step
    assert 1.0 < dmv.dt < 1.1 and dmv.status == "no-solution"
    (mr2,) = properties("MR2", which=["largest_step"]).largest_step
    assert mr2.dt == np.inf and str(mr2) == "any, up to 1159"
    (rk4,) = properties("RK4-MATRIX", which=["largest_step"]).largest_step
    assert rk4.status == "diverged"


def test_work_and_speed():
    found = properties("NMB", which=["work", "speed"])
    free, top = found.work
    assert (free.torque_evaluations, top.torque_evaluations) == (0, 1)
    assert 1 <= top.newton_iterations <= 4
    for speed in found.speed:
        assert 0 < speed.minimum <= speed.median and speed.repetitions == timing.REPETITIONS


# -------------------------------------------------------------------------------------------- false
# declarations


@pytest.mark.exhaustive
def test_every_lie_is_found(for_a_while, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)  # rows of the report are not wrapped
    truth = engine.algorithm("NMB")
    engine.method(
        key="LIAR", start=truth.state.start, order=(3, 2), torque_evaluations=2, symplectic=True, reversible=False,
        conserves={"energy": "always", "gamma_norm": "always", "pi_chi": "symmetric tops"},
    )(truth.step)  # fmt: skip
    found = properties("liar", quick=True)
    lies = {(f.property, f.on) for f in found.findings if f.contradiction}
    assert lies == {
        *(("order of the attitude", key) for key in measurements.OF_ORDER),
        *(("conservation of energy", motion) for motion in measurements.MOTIONS),
        *(("conservation of orthogonality", motion) for motion in measurements.MOTIONS),
        ("reversibility", "asymmetric-top"),
        ("symplecticity", "asymmetric-top"),
        ("torque evaluations a step", "slow-top"),
    }
    sentences = "\n".join(found.contradictions)
    assert "LIAR declares order 3 of the attitude; on free it is 2.00" in sentences
    assert "LIAR declares energy kept on the free body; it is off by 2.9e-03." in sentences
    assert (
        "LIAR keeps orthogonality on a symmetric top" in sentences
        and "does not declare it." in sentences
    )
    assert "LIAR is symplectic as declared; a step is not symplectic" in sentences
    assert "LIAR declares 2 torque evaluations a step; on slow-top there are 1." in sentences
    (row,) = [
        row
        for row in property_table(["LIAR"], quick=True).to_markdown().splitlines()
        if "| LIAR |" in row
    ]
    assert row.count("✗") == 11
    report = properties_card(found, Style(None))
    assert sum(line.endswith("✗") for line in report) == len(lies)
    assert report[-len(lies) :] == [format_powers(one) for one in found.contradictions]


@pytest.mark.parametrize("lie, on", first([
    ({"reversible": True}, "reversibility"),
    ({"reversible": "free"}, "reversibility"),
    ({"reversible": "with its torque carried"}, "reversibility"),
    ({"symplectic": True}, "symplecticity"),
    ({"order": (1, 1)}, "order of the momentum"),
    ({"free_order": (3, 3)}, "order of the momentum"),
    ({"conserves": {}}, "conservation of pi"),
    ({"torque_evaluations": 3}, "torque evaluations a step"),
]))  # fmt: skip
def test_a_lie_about_terze_s_method(lie, on):
    found = properties(engine.algorithm("TERZE").redeclare(**lie), quick=True)
    assert on in {finding.property for finding in found.findings if finding.contradiction}


@pytest.mark.exhaustive
def test_a_method_with_history_can_not_be_called_symplectic():
    (lie,) = properties(
        engine.algorithm("ABAM").redeclare(symplectic=True), quick=True
    ).contradictions
    assert lie == (
        "ABAM declares itself symplectic, and there is no defect to measure: its step needs more than R and Π."
    )


def lie_euler(body, t: float, h: float, R: Mat3, Π: Vec3):
    """The simplest custom method: a kick, then a turn at the resulting rate."""
    Π = Π + h * body.torque(t, R)
    Q = exp(h * (body.Jinv @ Π))
    return R @ Q, Q.T @ Π


def late(body, t: float, h: float, R: Mat3, Π: Vec3, T: Any):
    """MR2 with the torque of t where that of t + h belongs."""
    R, Π = turn(body.Jinv, h / 2, e1, exp_about, R, Π + h / 2 * T)
    R, Π = turn(body.Jinv, h / 2, e2, exp_about, R, Π)
    R, Π = turn(body.Jinv, h, e3, exp_about, R, Π)
    R, Π = turn(body.Jinv, h / 2, e2, exp_about, R, Π)
    R, Π = turn(body.Jinv, h / 2, e1, exp_about, R, Π)
    T = body.torque(t, R)
    return R, Π + h / 2 * T, T


def flat_start(body, t: float, h: float, R: Mat3, Ω: Vec3):
    return R, body.J @ Ω, level(R, body.torque(t, R))


def flat(body, t: float, h: float, R: Mat3, Π: Vec3, T: Any):
    """TERZE without the vertical part of the torque."""
    Q = Π + h / 2 * T
    E = exp(h * (body.Jinv @ (exp(h / 2 * (body.Jinv @ Π)).T @ Q)))
    T = level(R @ E, body.torque(t + h, R @ E))
    return R @ E, E.T @ Q + h / 2 * T, T


def level(R: Mat3, T: Any):
    """The part of a torque that is not vertical in space, also for a free body."""
    Γ = Vec3(R.zx, R.zy, R.zz)
    return T - dot(Γ, T) * Γ


@pytest.mark.exhaustive
@pytest.mark.parametrize("step, start, on", [
    (late, start_with_torque, {"driven"}),
    (flat, flat_start, {"driven", "three-axis"}),
])  # fmt: skip
def test_a_torque_at_a_wrong_time_or_without_its_vertical_part_is_found(
    for_a_while, step, start, on
):
    """Tops cannot reveal it: gravity does not depend on time and has no vertical part."""
    engine.method(key="WRONG", start=start, order=(2, 2), conserves={})(step)
    found = properties("WRONG", which=["order"])
    assert {f.on for f in found.findings} == set(measurements.OF_ORDER)
    assert {f.on for f in found.findings if f.contradiction} == on


@pytest.mark.exhaustive
def test_a_method_of_one_s_own(for_a_while):
    kept = {name: "always" for name in ("orthogonality", "gamma_norm", "pi_e3")}
    kept |= {name: "free" for name in ("pi", "pi_norm", "casimir")}
    own = engine.method(key="MINE", order=(1, 1), torque_evaluations=1, conserves=kept)(lie_euler)
    found = properties("MINE", quick=True)
    assert found.contradictions == ()
    assert found.method is own
    assert {f.measured[:4] for f in found.of("order of the momentum")} <= {"1.00", "0.99", "1.01"}
    assert found.of("symplecticity")[0].measured.startswith("not symplectic")
    assert "MINE" in [row.method.label for row in property_table(which=["work"]).rows]


# -------------------------------------------------------------------------------------------------
# the calls


@pytest.mark.exhaustive
def test_what_is_measured_can_be_chosen():
    assert {group for group in GROUPS if getattr(properties("MR2", quick=True), group)} == set(
        QUICK
    )
    assert {group for group in GROUPS if getattr(properties("MR2", which=["work"]), group)} == {
        "work"
    }
    with pytest.raises(
        ValueError, match="there is no property 'colour'; there are order, conservation"
    ):
        properties("MR2", which=["colour"])


def test_progress_and_cancelling():
    seen = []
    properties("MR2", quick=True, progress=lambda done, total: seen.append((done, total)))
    assert [done for done, _ in seen] == list(range(1, seen[-1][1] + 1))
    cancel = threading.Event()

    def stop(done, total):
        if done == 2:
            cancel.set()

    found = properties("MR2", quick=True, cancel=cancel, progress=stop)
    assert len(found.order) == 2 and not found.work
    assert property_table(["MR2", "NMB"], quick=True, cancel=cancel).rows == ()


def test_methods_without_a_step_of_their_own_are_told_apart():
    stepless = [m for m in engine.algorithms() if not isinstance(m, FixedStep)]
    for m in stepless:
        found = properties(m)
        assert found.contradictions == ()
        assert [(one.property, one.measured) for one in found.findings] == [
            ("all properties", found.note)
        ]
    assert {properties(m).note for m in stepless} == {
        "not measured, because it chooses its own steps",
        "not measured, because it has no steps of a given size",
    }
    assert (
        why_unmeasured(engine.algorithm("LGVI", space="se3"))
        == "not measured, because it moves two bodies"
    )


@pytest.mark.exhaustive
def test_energy_correction_and_compositions():
    assert properties("BUSS2+E", quick=True).contradictions == ()
    assert properties("NMB*suzuki4", quick=True).contradictions == ()
    assert properties("KEK*kahan-li6", which=["order"]).contradictions == ()


class Outline(HTMLParser):
    """The elements of an HTML fragment; every tag must be closed."""

    def __init__(self, text):
        super().__init__()
        self.open = []
        self.tags = []
        self.texts = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


@pytest.mark.exhaustive
def test_the_table():
    table = property_table(["NMB", "DMV", "SW", "BUSS5", "RK45"], quick=True, threads=2)
    assert [row.method.label for row in table.rows] == ["NMB", "DMV", "SW", "BUSS5", "RK45"]
    assert table.contradictions == ()

    frame = table.to_frame()
    assert frame.loc["NMB", ("order, free", "declared")] == "2/2"
    assert frame.loc["NMB", ("order, free", "measured")] == "2.00 / 2.00"
    assert frame.loc["DMV", ("kept, free", "measured")] == "E, π, |π|, |Π|, RᵀR"
    assert (
        frame.loc["RK45", ("order, free", "measured")]
        == "not measured, because it chooses its own steps"
    )

    head, rule, *rows = table.to_markdown().splitlines()
    for line in (rule, *rows):
        assert line.replace("\\|", "").count("|") == head.count("|")

    outline = Outline(table.to_html())
    scopes = [attrs.get("scope") for tag, attrs in outline.tags if tag == "th"]
    assert scopes.count("row") == 5 and {"col", "colgroup"} < set(scopes) and None not in scopes
    assert "caption" in {tag for tag, _ in outline.tags}
    assert not {"link", "script", "img"} & {tag for tag, _ in outline.tags}
    spans = sum(int(attrs.get("colspan", 0)) for _, attrs in outline.tags)
    assert sum(tag == "td" for tag, _ in outline.tags) == 5 * spans

    data = json.loads(table.to_json())
    assert [row["method"] for row in data] == ["NMB", "DMV", "SW", "BUSS5", "RK45"]
    assert data[0]["contradictions"] == [] and data[0]["findings"][0]["value"] == pytest.approx(
        2.0, abs=0.01
    )


@pytest.mark.exhaustive
def test_variants_are_all_choices_but_the_default():
    assert [m.label for m in variants(engine.algorithm("AKW"))] == ["AKW(torque=half)"]
    labels = [
        row.method.label for row in property_table(["MR2"], with_variants=True, which=["work"]).rows
    ]
    assert len(labels) == 7 and labels[0] == "MR2" and "MR2(trig=cayley)" in labels


def test_measuring_leaves_the_problems_as_they_are():
    """Arguments of a run are kept for the next one, so nothing may write to them."""
    before = engine.simulate("asymmetric-top", "DMV", steps=3)
    properties("DMV", which=["symplecticity", "reversibility", "order"])
    after = engine.simulate("asymmetric-top", "DMV", steps=3)
    np.testing.assert_array_equal(after.R, before.R)
    np.testing.assert_array_equal(after.Omega, before.Omega)
