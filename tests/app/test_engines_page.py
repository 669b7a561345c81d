"""The page Engines: what an engine's rule does with a free body, what cures it, and both to be pasted."""

from __future__ import annotations

import contextlib
import io
from urllib.parse import parse_qsl

import numpy as np
import pytest
from visiting import figures, press, said, sends

import engine
from app.model import engines
from app.model.engines import SAME_COST, Asked, Told, cost, from_query, holds, of_program, told
from app.model.programs import PROGRAMS
from app.model.results import compute
from app.model.session import Refused
from app.pages.engines import Engines
from app.takeaway import link
from app.views import verdict
from engine import studies
from engine.facts import WHERE_USED


def seen(asked: Asked) -> Told:
    """What there is to tell of it."""
    found = told(asked, compute(asked.tried()))
    assert found is not None
    return found


def test_every_rule_of_an_engine_can_be_picked():
    rules = {
        engine.algorithm(name).label
        for m in engine.algorithms()
        if m.family in WHERE_USED
        for name in (m.key, *m.variants)
    }
    offered = {program.method.label for program in PROGRAMS.values()}
    assert rules - offered == {"NEWTON-1", "OMELYAN", "RESTORED"}, "no program has these as they are"
    for program in PROGRAMS.values():
        assert program.where.count(": ") == 1 and "commit" in program.where and program.method.step is not None


@pytest.mark.parametrize(("key", "words"), [
    ("jolt", ["4.66·10⁻⁵ times its energy", "damping of 0.05 a second alone leaves 0.0067 times |L|; it can be"]),
    ("rapier", ["1.066 times its energy", "keeps |L| within 0.1 %"]),
    ("box3d", ["0.7103 times its energy", "0.8776 times its |L|"]),
    ("ode", ["0.8764 times its energy", "1.047 times its |L|", "From t = 10.6 s on it tumbles no more"]),
    ("godot", ["2.027·10⁻⁹ times its energy", "L point up to 34°", "no rigid body's motion"]),
    ("mujoco-euler", ["blows up", "at t = 31.6 s the body has twice its energy"]),
    ("mujoco-midpoint", ["keeps energy and |L| within 0.1 % and has L point where it did, within 0.1°"]),
])  # fmt: skip
def test_the_verdict_has_the_figures_of_the_study(key, words):
    found = seen(of_program(key))
    told_of_it = engines.verdict(found)
    for some in words:
        assert some in told_of_it
    (*_, last) = studies.engines(found.rule.run.problem, found.rule.label).rows
    if key != "mujoco-euler":  # of which the study keeps no state near the end
        assert (last.energy, last.length, last.axis) == (found.became.energy, found.became.length, found.became.axis)


@pytest.mark.parametrize("key", ["bepu-momentum", "yade-fincham", "woo", "liggghts-3"])
def test_the_exact_motion_tumbles_only_where_it_stays_near_no_axis(key):
    found = seen(of_program(key).changed("body", "stable"))
    told_of_it = engines.verdict(found)
    assert "it spins about its axis of least inertia; the exact motion stays within 9.9° of its axis of greatest" in (
        told_of_it
    )
    assert "tumbl" not in told_of_it and engines.row(found.rule, found.became)["stopped"] == "never"


def test_exact_motion_that_wobbles_about_an_axis_does_not_tumble():
    found = seen(of_program("ode").changed("Omega0", "3, 0.3, 0.2"))
    assert "the exact motion stays within 16° of its axis of least inertia" in engines.verdict(found)
    assert "the exact motion goes on tumbling" in engines.verdict(seen(of_program("ode")))


@pytest.mark.parametrize(
    ("J", "spin", "is_none"),
    [("1, 2, 2.8", "0, 0, 3", True), ("2, 2, 2", "1, 2, 3", True), ("1, 2, 2.8", "0.01, 3, 0.01", False)],
)
def test_a_gyroscopic_term_that_is_none_may_be_left_out(J, spin, is_none):
    found = seen(of_program("godot").changed("J", J).changed("Omega0", spin))
    assert ("no rigid body's motion" in engines.verdict(found)) != is_none
    assert ("which is zero for this spin" in engines.verdict(found)) == is_none


def test_an_engine_s_defaults_are_read_set_and_turned_off():
    for program in PROGRAMS.values():
        chosen = program.method.chosen
        for option, value, where in program.defaults:
            if option == "dt":
                continue  # which is the frame's
            assert chosen.get(option, 1 if option == "substeps" else 0) == value, program.key
            assert where.rpartition(":")[2].isdigit() or "at " in where, "a line, or another commit"
        assert not {"damping", "max_speed", "max_turn", "substeps"} & chosen.keys() - {
            one.option for one in program.defaults
        }
    rapier = of_program("rapier")
    assert rapier.says()["flag substeps"] == "4" and "4 steps in a frame (src/" in verdict.cure(seen(rapier), "")
    freed = rapier.changed("flag substeps", "1").changed("flag max_turn", "0")
    assert freed.rule.label == "RESTORED(gyroscopic=after, map=cay, max_turn=0.0)"
    assert of_program("jolt", rapier.choice).rule.substeps == 1, "each engine has its own"
    assert "By default MuJoCo takes steps of 0.002 s." in engines.verdict(seen(of_program("mujoco-rk4")))
    own = of_program("mujoco-rk4").changed("rate", "500").changed("duration", "10")
    assert "By default" not in engines.verdict(seen(own))
    fast = of_program("rapier").changed("Omega0", "0, 0, 300")
    assert "Its cap of 47.1 rad/s cuts the first velocity." in engines.verdict(seen(fast))


def test_what_cures_keeps_momentum_costs_the_same_and_is_nearer():
    for program in PROGRAMS.values():
        rule, own = program.method, cost(program.method)
        for one in engines.candidates(rule):
            assert (
                one.conserves["pi"]
                and min((one.undivided or one).order) >= 2
                and not one.needs_rates
                and not one.has_history
            )
            assert own is None or cost(one) <= SAME_COST * own
    cured = seen(of_program("jolt").changed("flag damping", "0"))
    assert cured.cure.run.method.key == "MR2" and holds(cured.cure.run.method)
    assert cured.cured.attitude < 0.01 * cured.became.attitude
    ns = [f"{cost(found.run.method):.0f}" for found in (cured.cure, cured.rule)]
    assert f"{ns[0]} ns a step, where RESTORED takes {ns[1]}" in engines.why(cured)
    cheap = seen(of_program("bepu-momentum"))
    assert not holds(cheap.cure.run.method) and "KDK's does not, for " in engines.why(cheap)
    sound = seen(of_program("lammps-rigid"))
    assert sound.cure is None and "no nearer" in engines.why(sound)


def test_what_is_pasted_ends_where_the_run_does():
    asked = of_program("bullet").changed("duration", "10").changed("rate", "30").changed("flag substeps", "2")
    found = seen(asked.changed("J", "1, 0.1, 0, 0.1, 2, 0.2, 0, 0.2, 2.5").changed("Omega0", "1, 2, 0.5"))
    turned = found.rule.run.problem.principal[1]
    for line in (found.rule, found.cure):
        program, signs = engines.listings(line)
        names = {}
        with contextlib.redirect_stdout(io.StringIO()):
            exec(program, names)
        np.testing.assert_allclose(names["R"] @ turned.T, line.run.R[-1], atol=1e-8)
        np.testing.assert_allclose(turned @ names["Ω"], line.run.Omega[-1], atol=1e-8)
        assert "A frame Δt is 2 steps" in signs


def test_a_rule_that_is_not_written_out_is_looked_at_all_the_same():
    asked, notices = from_query({"methods": "MR2*yoshida4"})
    html, texts = verdict.listing(seen(asked))
    assert notices == [] and "Its step is not written out; its source is engine/algorithms/mr.py" in html
    assert not [name for name in texts if name.startswith("rule")]


def test_a_link_leads_to_what_was_asked():
    for asked in (
        of_program("jolt"),
        of_program("rapier")
        .changed("flag substeps", "2")
        .changed("flag precision", "single")
        .changed("rate", "240 Hz"),
        of_program("bullet").changed("flag map", "exp").changed("body", "racket").changed("duration", "10"),
        of_program("ode").changed("Omega0", "0, 0.1, 3"),
    ):
        query = dict(parse_qsl(link(asked).removeprefix("?")))
        assert query.pop("page") == "engines"
        assert from_query(query) == (asked, [])
    asked, notices = from_query({"methods": "MR4", "J": "1,2,2.5"})
    assert (asked.title, notices, asked.about) == ("MR4", [], None)
    for words, why in (
        ({"engine": "moon"}, "no engine 'moon'"),
        ({"methods": "EXACT"}, "no steps of one size"),
        ({"Omega0": "0,0,0"}, "at rest"),
        ({"problem": "slow-top"}, "here a free body is looked at"),
    ):
        asked, notices = from_query(words)
        assert asked == of_program("bullet") and why in " ".join(notices), words


def test_what_cannot_be_had_is_refused_where_it_was_asked_for():
    asked = of_program("jolt")
    for field, text in (
        ("rate", "often"),
        ("J", "1, 1, 5"),
        ("Omega0", "0, 0, 0"),
        ("flag substeps", "0"),
        ("rate", "1e9"),
    ):
        with pytest.raises(Refused) as refused:
            asked.changed(field, text)
        assert refused.value.field == field


def test_the_page_follows_what_is_picked_typed_and_begun_with():
    page = Engines(of_program("jolt"))
    shown = page.page()
    assert "Jolt (mApplyGyroscopicForce)" in said(shown) and len(figures(shown)) == 4
    assert "MR2" in said(shown) and "Six engines with this body, without damping" in said(shown)
    sends(page.programs, {"pick": "ode"})
    assert page.told.rule.label == "LINEAR-EULER" and "1.047 times its |L|" in said(shown)
    page.form.take("duration", "10")
    assert page.told.rule.run.t[-1] == pytest.approx(10) and "After 10 s" in said(shown)
    page.form.take("rate", "never")
    assert "rate" in page.form.wrong and page.asked.choice.dt == 1 / 60
    press(shown, "begin", "dzhanibekov")
    assert page.asked.body == "middle" and "It never tumbles" in said(shown) and not page.form.wrong
    assert page.bridge.state["choice"]["methods"] == ["SEMI-EULER(gyroscopic=off, damped=before, damping=0.0)", "MR2"]
    assert set(page._listings.texts) == {f"{key}-{kind}" for key in ("rule", "cure") for kind in ("python", "signs")}


def test_what_there_is_to_begin_with_shows_what_it_says():
    says = {one.key: engines.verdict(seen(one.asked)) for one in engines.beginnings()}
    assert "It never tumbles" in says["dzhanibekov"] and "which is unstable" in says["unstable"]
    assert "it tumbles no more" in says["stops"] and "blows up" in says["blows-up"]
    (rk4,) = (one.asked for one in engines.beginnings() if one.key == "rk4")
    found = seen(rk4)
    assert engines.row(found.rule, found.became)["order"] == "2/4"
    assert "Its attitude is of order 2 in the step, its angular velocity of order 4." in says["rk4"]


def test_six_engines_lead_to_the_study_with_the_same_body():
    from app.model import studies as page

    asked = of_program("jolt").changed("body", "handle").changed("flag precision", "single")
    words = engines.six(asked)
    found, notices = page.from_query({name: text for name, text in words.items() if name != "page"})
    assert notices == [] and len(found.methods) == 6 and found.values()["precision"] == "single"
    np.testing.assert_allclose(found.built().J, asked.choice.built().J)
    assert found.values()["dt"] == 1 / 60
