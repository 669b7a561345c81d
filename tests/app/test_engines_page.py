"""The page Engines: what an engine's rule does to a free body, the rule that cures it, and both as
text to paste.
"""

from __future__ import annotations

import contextlib
import io
import math
import re
from urllib.parse import parse_qsl

import numpy as np
import pytest
from body_axes import AXES, describe_in_axes
from covering import covering, first
from page_driver import press, send_message, visible_text
from sentences import find_faults

import engine
from app.charts.style import COLOURS
from app.pages.engines_page import Engines
from app.state.choice import Refusal
from app.state.links import link
from app.state.pages import engine_verdict, study_forms
from app.state.pages.engine_question import (
    BODIES,
    EXAMPLES,
    SIX,
    EngineQuestion,
    choose_program,
    query_of_six,
    read_query,
)
from app.state.pages.engine_verdict import Outcome, describe_source, judge
from app.state.results import compute
from app.views.controls.method_picker import chips_html
from app.views.dialogs.opening import opening_html
from app.views.tables import verdict_table
from engine import studies
from engine.algebra import exp
from engine.algorithms import PROGRAMS, FixedStep
from engine.algorithms.core.description import WHERE_USED
from engine.programs import LANGUAGES, PASTED, find_shapes
from engine.referee.cures import MOST_COST, list_candidates
from engine.studies.replacements import holds_energy, step_time
from engine.text.formatting import format_measured


def outcome_of(asked: EngineQuestion) -> Outcome:
    """The outcome of a question."""
    found = judge(asked, compute(asked.with_candidates()))
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
    assert rules - offered == {"NEWTON-1", "OMELYAN"}, "no program uses these rules"
    for program in PROGRAMS.values():
        assert (
            describe_source(program).count(": ") == 1
            and re.search(r", (commit [0-9a-f]+|[0-9.]+): ", describe_source(program))
            and isinstance(program.method, FixedStep)
        )


@pytest.mark.parametrize(("key", "words"), [
    ("rapier", ["Rapier, in Python: rapier3d 0.36.1 made 600 steps of 1/60 s with 32 bits", "0.003 rad/s", "2.0·10⁻⁷"]),
    ("box3d", ["Box3D, in robox3d: robox3d 0.1.0 made 600 steps", "2.1·10⁻⁷", "precision=single"]),
    ("physx", ["PhysX, eENABLE_GYROSCOPIC_FORCES: physx-js-webidl 2.7.3 made 600 steps of 1/60 s with 32 bits"]),
    ("simbody", ["Simbody, Verlet: simbody 3.7 made 600 steps", "joints integrate Euler angles"]),
    ("mujoco-rk4", ["MuJoCo, RK4: mujoco 4.0.0 made 600 steps of 1/60 s with 64 bits", "by 10⁻¹⁴"]),
    ("mujoco-rk4-mean", ["MJX, RK4: mujoco-mjx 3.17.0 made 600 steps of 1/60 s with 64 bits"]),
    ("godot", ["Only its source was read: no run of"]),
])  # fmt: skip
def test_the_page_tells_which_engine_was_run_and_how_far_it_agrees(key, words):
    asked = choose_program(key).with_entry("duration", "1")
    report = verdict_table.cure_html(outcome_of(asked), "")
    for some in words:
        assert some in report


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("key", "words"),
    [
        (
            "jolt",
            [
                "the energy falls to less than 0.01 % of the first",
                "damping alone reduces the momentum to 0.67 % of the first",
            ],
        ),
        ("rapier", ["the energy rises to 106.6 % of the first. The momentum stays within 0.1 %"]),
        ("box3d", ["the energy falls to 71 % of the first. The momentum falls to 88 %"]),
        (
            "ode",
            [
                "the energy falls to 88 % of the first. The momentum rises to 104.7 %",
                "By t = 11 s, it has stopped",
                "phase at t = 19 s",
            ],
        ),
        (
            "godot",
            [
                "falls to less than 0.01 % of the first",
                "turns by up to 34°",
                "no rigid body moves like this",
            ],
        ),
        (
            "pybullet",
            [
                "falls to less than 0.01 % of the first",
                "damping, 0.04 per second at rest and more at speed, slows",
                "steps of 1/240 s",
            ],
        ),
        ("mujoco-euler", ["blows up", "Its energy has doubled at t = 31.6 s"]),
        (
            "mujoco-midpoint",
            [
                "energy stays within 0.1 % of the first. The momentum stays within 0.1 % of the first and turns "
                "by less than 0.1°. Its final attitude is off by 0.7"
            ],
        ),
    ],
)
def test_the_verdict_has_the_figures_of_the_study(key, words):
    found = outcome_of(choose_program(key))
    told_of_it = engine_verdict.write_verdict(found)
    for some in words:
        assert some in told_of_it
    (*_, last) = studies.engines(found.rule.run.problem, found.rule.label).rows
    if key != "mujoco-euler":  # of which the study keeps no state near the end
        assert (last.energy, last.length, last.axis) == (
            found.rule_end.energy,
            found.rule_end.length,
            found.rule_end.axis,
        )


def test_an_energy_is_doubled_when_it_exceeds_twice_that_of_the_start():
    body = engine.Problem(J=(1, 2, 3), Omega0=(2, 2, 2))
    run = engine.simulate(body, "mujoco-euler", dt=0.5, steps=100)
    assert run.status == "diverged"
    before, after = run.energy[[2, 3]] / run.energy[0]
    assert before <= 2 < after
    assert "Its energy has doubled at t = 1.5 s" in engine_verdict.describe_early_end(run)


@pytest.mark.parametrize(
    ("key", "body"),
    covering(
        [(key, body.key) for body in BODIES for key in PROGRAMS], by=lambda key, body: (body,)
    ),
)
def test_sentences_of_a_verdict_are_short(key, body):
    found = outcome_of(choose_program(key).with_entry("body", body).with_entry("duration", "10"))
    said = f"{engine_verdict.write_verdict(found)} {engine_verdict.explain_cure(found)}"
    assert find_faults(said) == []


@pytest.mark.parametrize("title", first(studies.find("engines").presets))
def test_sentences_on_several_engines_are_short(title):
    words = study_forms.list_presets(studies.find("engines"))[title]
    asked, _ = study_forms.read_query(
        {name: text for name, text in words.items() if name != "page"}
    )
    found = asked.about.function(asked.build_problem(), list(asked.methods), **asked.values())
    assert find_faults(found.conclusion) == []


def test_the_opening_view_leads_to_an_engine_as_it_comes_and_a_link_names_its_engine():
    (query,) = re.findall(r"\?page=engines([^\"]*)\"", opening_html())
    asked, notices = read_query(dict(parse_qsl(query)))
    assert (asked.title, notices) == ("Bullet (implicit gyroscopic force, as it comes)", [])
    assert read_query({"methods": "jolt(damping=0)"})[0].title == "Jolt, changed"
    assert read_query({"methods": "SEMI-EULER"})[0].title == "Semi-implicit Euler"


def test_the_studies_name_the_engines_of_a_rule():
    html = chips_html(SIX, COLOURS)
    for name in ("Jolt", "Bullet", "ODE", "Rapier", "Box3D", "Avian"):
        assert f"<b>{name}</b>" in html and re.search(f" {name}[:,]", html)
    assert "<b>Explicit Newmark</b> <span>NMB</span>" in chips_html(["NMB", "AKW"], COLOURS)


@pytest.mark.parametrize("key", first(["bepu-momentum", "yade-fincham", "woo", "liggghts-3"], 2))
def test_the_exact_motion_tumbles_only_where_it_stays_near_no_axis(key):
    found = outcome_of(choose_program(key).with_entry("body", "stable"))
    told_of_it = engine_verdict.write_verdict(found)
    assert (
        "it spins about its axis of least inertia. The exact motion stays within 9.9° of its axis of greatest"
        in (told_of_it)
    )
    assert (
        "tumbl" not in told_of_it
        and engine_verdict.table_row(found.rule, found.rule_end)["stopped"] == "never"
    )


@pytest.mark.parametrize(
    ("key", "spin", "exact"),
    first(
        [
            ("ode", "3, 0.3, 0.2", "16° of its axis of least"),
            ("jolt", "0.6, 0.9, 9", "5° of its axis of greatest"),
            ("avian", "2, 2, 20", "6° of its axis of greatest"),
        ]
    ),
)
def test_exact_motion_that_wobbles_about_an_axis_does_not_tumble(key, spin, exact):
    found = outcome_of(choose_program(key).with_entry("Omega0", spin))
    told_of_it = engine_verdict.write_verdict(found)
    assert (
        f"The exact motion stays within {exact} inertia" in told_of_it and "tumbl" not in told_of_it
    )
    study = studies.engines(found.rule.run.problem, found.rule.label).conclusion
    assert (
        re.search(r"From t = [\d.]+ on, it stays near one of its axes\.", study)
        and "tumbl" not in study
    )


def test_exact_motion_that_stays_near_no_axis_tumbles_on():
    assert "The exact motion keeps tumbling" in engine_verdict.write_verdict(
        outcome_of(choose_program("ode"))
    )


NAMED_AXES = [
    (
        "bepu-momentum",
        (1, 1, 2),
        (0.9, 0.6, 3),
        "an axis of least inertia. The exact motion stays within 10° of its axis of greatest inertia",
    ),
    ("bepu-momentum", (2, 2, 1), (0.9, 0.6, 3), "and spins about its axis of least inertia"),
    ("ode", (2, 2, 1), (0.9, 0.6, 3), "and spins about an axis of greatest inertia"),
    ("ode", (1, 1, 2), (3, 1, 1), "and spins about its axis of greatest inertia"),
    ("mujoco-euler", (1, 1, 2), (0.3, 0.2, 3), "that of a spin about an axis of least inertia"),
    ("bepu-momentum", (1, 2, 2.8), (0.9, 0.6, 3), "it spins about its axis of least inertia"),
]
"""A program, moments, an angular velocity, and how the verdict names an axis."""


@pytest.mark.parametrize(
    ("case", "axes"), covering((case, axes) for axes in AXES for case in NAMED_AXES)
)
def test_an_axis_that_shares_its_moment_is_one_of_several(case, axes):
    program, J, spin, words = case
    body = describe_in_axes(engine.Problem(J=J, Omega0=spin), axes)
    asked = choose_program(program)
    for name in ("J", "Omega0"):
        asked = asked.with_entry(name, ", ".join(map(repr, getattr(body, name).ravel().tolist())))
    assert words in engine_verdict.write_verdict(outcome_of(asked))


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize(("J", "spin"), [((1, 1, 2), (1, 1, 0)), ((2, 2, 2), (1, 1, 1))])
def test_a_steady_spin_about_an_axis_between_those_of_equal_moments_does_not_tumble(J, spin, axes):
    body = describe_in_axes(engine.Problem(J=J, Omega0=spin), axes)
    (*_, last) = studies.engines(body, "MR2", duration=10).rows
    assert last.exact_angle < 1e-6 and not last.should_tumble
    assert (last.axis, last.exact_axis) == (("least", "least") if J[2] != J[0] else ("", ""))


def test_an_axis_is_not_named_where_the_energy_fits_two_of_them():
    asked = choose_program("bepu-momentum").with_entry("J", "1, 1.000001, 2")
    found = outcome_of(asked.with_entry("Omega0", "0.9, 0.6, 3"))
    assert found.rule_end.axis == "" and found.rule_end.energy > 1.9
    assert "inertia" not in engine_verdict.write_verdict(found)


def test_any_axis_of_a_spherical_body_has_the_energy():
    found = outcome_of(choose_program("bullet").with_entry("J", "2, 2, 2"))
    assert "inertia" not in engine_verdict.write_verdict(found)
    assert engine_verdict.table_row(found.rule, found.rule_end)["axis"] == "any axis"


@pytest.mark.parametrize(
    ("J", "spin", "is_none"),
    [
        ("1, 2, 2.8", "0, 0, 3", True),
        ("2, 2, 2", "1, 2, 3", True),
        ("1, 2, 2.8", "0.01, 3, 0.01", False),
    ],
)
def test_a_gyroscopic_term_that_is_none_may_be_left_out(J, spin, is_none):
    found = outcome_of(choose_program("godot").with_entry("J", J).with_entry("Omega0", spin))
    assert ("no rigid body moves like this" in engine_verdict.write_verdict(found)) != is_none
    assert ("which is zero for this spin" in engine_verdict.write_verdict(found)) == is_none


@pytest.mark.exhaustive
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
    rapier = choose_program("rapier")
    assert rapier.values()[
        "flag substeps"
    ] == "4" and "4 steps in a frame (src/" in verdict_table.cure_html(outcome_of(rapier), "")
    freed = rapier.with_entry("flag substeps", "1").with_entry("flag max_turn", "0")
    assert freed.rule.label == "RESTORED(gyroscopic=after, map=cay, max_turn=0.0)"
    assert freed.rule.given_name == "rapier(max_turn=0.0, substeps=1)"
    assert choose_program("jolt", rapier.choice).rule.substeps == 1, "each engine has its own"
    assert "By default, MuJoCo 3 takes steps of 0.002 s." in engine_verdict.write_verdict(
        outcome_of(choose_program("mujoco-rk4-mean"))
    )
    own = choose_program("mujoco-rk4-mean").with_entry("rate", "500").with_entry("duration", "10")
    assert "By default" not in engine_verdict.write_verdict(outcome_of(own))
    fast = choose_program("rapier").with_entry("Omega0", "0, 0, 300")
    assert "Its limit of 47 rad/s cuts the first angular velocity." in engine_verdict.write_verdict(
        outcome_of(fast)
    )


def test_what_cures_keeps_momentum_costs_the_same_and_is_nearer():
    for program in PROGRAMS.values():
        rule = program.method
        own = step_time(program.method)
        for one in list_candidates(rule):
            assert (
                one.conserves["pi"]
                and min(one.declared.order) >= 2
                and not one.promises.needs_rates
                and not one.promises.has_history
            )
            assert own is None or step_time(one) <= MOST_COST * own
    cured = outcome_of(choose_program("avian").with_entry("flag substeps", "1"))
    assert cured.cure.run.method.key == "MR2" and holds_energy(cured.cure.run.method)
    assert cured.cure_end.attitude < 0.01 * cured.rule_end.attitude
    ns = [step_time(found.run.method) for found in (cured.cure, cured.rule)]
    times = ns[0] / ns[1]
    takes = f"A step takes {format_measured(times)} times as long as one of Length-restoring Euler"
    assert takes in engine_verdict.explain_cure(cured)
    stated = engine_verdict.describe_cost(cured)
    assert float(re.search(r"at ([\d.]+) times the cost", stated)[1]) == pytest.approx(
        times, abs=0.06
    )
    cheap = outcome_of(choose_program("bepu-momentum"))
    assert not holds_energy(cheap.cure.run.method)
    assert (
        "the energy may drift. Kick–drift–kick prevents that for "
        in engine_verdict.explain_cure(cheap)
    )
    sound = outcome_of(choose_program("lammps-rigid"))
    assert sound.cure is None and "None comes nearer" in engine_verdict.explain_cure(sound)


@pytest.mark.parametrize("key", ["jolt", "jolt-default", "physx-default", "godot"])
def test_an_engine_with_a_function_to_paste_into_is_cured_by_what_fits_there(key):
    found = outcome_of(choose_program(key).with_entry("duration", "10"))
    shapes = find_shapes(key)
    cure = found.cure.run.method
    assert cure.label == PASTED and holds_energy(cure)
    assert found.cure_end.energy == pytest.approx(1, abs=1e-12)
    assert found.cure_end.length == pytest.approx(1, abs=1e-12)
    assert found.cure_end.attitude < 0.01 < found.rule_end.attitude_rank
    assert "so you can paste it" in engine_verdict.explain_cure(found)
    html, texts = verdict_table.programs_html(found)
    assert texts["cure-program"] == engine.program(PASTED, shape=shapes[0])
    offered = re.findall("id='language-([a-z-]+)'", html)
    assert offered == [*shapes, *LANGUAGES]
    for shape in shapes:
        _, texts = verdict_table.programs_html(found, shape)
        assert texts["cure-program"] == engine.program(PASTED, shape=shape)
    html, texts = verdict_table.programs_html(found, "rust")
    assert "fn change_velocity" not in html and "fn step" in html


def test_other_engines_have_no_shape_and_begin_with_python():
    found = outcome_of(choose_program("bullet").with_entry("duration", "1"))
    html, _ = verdict_table.programs_html(found, "jolt")
    assert re.findall("id='language-([a-z-]+)'", html) == [*LANGUAGES]
    assert "language-python' value='python' checked" in html


def test_of_cures_that_cost_more_only_the_cheapest_is_tried():
    alone = 0
    for rule in engine.algorithms():
        own = step_time(rule)
        candidates = list_candidates(rule)
        if own is None or step_time(candidates[0]) > MOST_COST * own:
            (one,) = candidates
            assert holds_energy(one)
            alone += 1
    assert alone


@pytest.mark.exhaustive
def test_what_is_pasted_ends_where_the_run_does():
    asked = (
        choose_program("bullet")
        .with_entry("duration", "10")
        .with_entry("rate", "30")
        .with_entry("flag substeps", "2")
    )
    found = outcome_of(
        asked.with_entry("J", "1, 0.1, 0, 0.1, 2, 0.2, 0, 0.2, 2.5").with_entry(
            "Omega0", "1, 2, 0.5"
        )
    )
    turned = found.rule.run.problem.principal[1]
    for line in (found.rule, found.cure):
        program = engine.program(line.run.method, example=engine_verdict.make_example(line))
        signs = engine_verdict.describe_step(line)
        names = {}
        with contextlib.redirect_stdout(io.StringIO()):
            exec(program, names)
        np.testing.assert_allclose(names["R"] @ turned.T, line.run.R[-1], atol=1e-8)
        np.testing.assert_allclose(turned @ names["Ω"], line.run.Omega[-1], atol=1e-8)
        assert "A frame Δt is 2 steps" in signs


def test_a_rule_that_is_not_written_out_is_looked_at_all_the_same(for_a_while):
    @engine.method(key="HYPERBOLIC", order=(1, 1), torque_evaluations=0)
    def step(body, t, h, R, Ω):
        """One step."""
        return R @ exp(math.tanh(h) * Ω), Ω

    asked, notices = read_query({"methods": "HYPERBOLIC"})
    html, texts = verdict_table.programs_html(outcome_of(asked))
    assert notices == [] and "The page cannot write out its step; its source is" in html
    assert not [name for name in texts if name.startswith("rule")]


def test_a_link_leads_to_what_was_asked():
    for asked in (
        choose_program("jolt"),
        choose_program("rapier")
        .with_entry("flag substeps", "2")
        .with_entry("flag precision", "single")
        .with_entry("rate", "240 Hz"),
        choose_program("bullet")
        .with_entry("flag map", "exp")
        .with_entry("body", "racket")
        .with_entry("duration", "10"),
        choose_program("ode").with_entry("Omega0", "0, 0.1, 3"),
    ):
        query = dict(parse_qsl(link(asked).removeprefix("?")))
        assert query.pop("page") == "engines"
        assert read_query(query) == (asked, [])
    asked, notices = read_query({"methods": "MR4", "J": "1,2,2.5"})
    assert (asked.title, notices, asked.listed_program) == ("McLachlan–Reich 4", [], None)
    for words, why in (
        ({"engine": "moon"}, "no engine 'moon'"),
        ({"methods": "EXACT"}, "no steps of one size"),
        ({"Omega0": "0,0,0"}, "at rest"),
        ({"problem": "slow-top"}, "this page shows a free body"),
    ):
        asked, notices = read_query(words)
        assert asked == choose_program("bullet") and why in " ".join(notices), words


def test_what_cannot_be_had_is_refused_where_it_was_asked_for():
    asked = choose_program("jolt")
    for field, text in (
        ("rate", "often"),
        ("J", "1, 1, 5"),
        ("Omega0", "0, 0, 0"),
        ("flag substeps", "0"),
        ("rate", "1e9"),
    ):
        with pytest.raises(Refusal) as refused:
            asked.with_entry(field, text)
        assert refused.value.field == field


def test_the_page_follows_what_is_picked_typed_and_begun_with():
    page = Engines(choose_program("jolt"))
    shown = page.page()
    assert "Jolt (mApplyGyroscopicForce)" in visible_text(shown) and len(page.plots.plots) == 4
    assert re.search(r"Time t</\w+>, in s</p>", page.plots._caption.html), "as its sentences say"
    assert "MIDPOINT-HELD(turn=new)" in visible_text(
        shown
    ) and "Six engines over time, with this body" in visible_text(shown)
    send_message(page.programs, {"pick": "ode"})
    assert (
        page.outcome.rule.label == "ode"
        and "The momentum rises to 104.7 % of the first" in visible_text(shown)
    )
    page.form.enter("duration", "10")
    assert page.outcome.rule.run.t[-1] == pytest.approx(10) and "In 10 s" in visible_text(shown)
    press(shown, "cure")
    assert "<h2 id='cure' tabindex='-1' autofocus>" in page._cure.html
    assert "def step(body, t, h, R, Π" in page.listings.texts["cure-program"]
    for language, said in (
        ("csharp", "static (Mat3, Vec3, Vec3) Step(Body body, double t"),
        ("glsl", "GLSL has no sin of 64 bits"),
        ("<b>", "GLSL has no sin of 64 bits"),  # no such language
    ):
        send_message(page.listings, {"ask": "language", "value": language})
        assert said in page.listings.html
    page.form.enter("rate", "never")
    assert "rate" in page.form.wrong and page.question.choice.dt == 1 / 60
    press(shown, "begin", "dzhanibekov")
    assert (
        page.question.body == "middle"
        and "It never tumbles" in visible_text(shown)
        and not page.form.wrong
    )
    cure = page.outcome.cure.run.method
    assert page.runs.api.state["choice"]["methods"] == ["godot(damping=0.0)", cure.label]
    assert cure.label == PASTED
    assert set(page.listings.texts) == {
        f"{key}-{kind}" for key in ("rule", "cure") for kind in ("program", "signs")
    }


def test_what_there_is_to_begin_with_shows_what_it_says():
    says = {one.key: engine_verdict.write_verdict(outcome_of(one.question)) for one in EXAMPLES}
    assert "It never tumbles" in says["dzhanibekov"] and "which is unstable" in says["unstable"]
    assert "it has stopped tumbling" in says["stops"] and "blows up" in says["blows-up"]
    (rk4,) = (one.question for one in EXAMPLES if one.key == "rk4")
    found = outcome_of(rk4)
    assert engine_verdict.table_row(found.rule, found.rule_end)["order"] == "2/4"
    assert "Its attitude has order 2, and its angular velocity order 4." in says["rk4"]


def test_six_engines_lead_to_the_study_with_the_same_body():
    from app.state.pages import study_forms as page

    asked = (
        choose_program("jolt").with_entry("body", "handle").with_entry("flag precision", "single")
    )
    words = query_of_six(asked)
    found, notices = page.read_query({name: text for name, text in words.items() if name != "page"})
    assert notices == [] and len(found.methods) == 6 and found.values()["precision"] == "single"
    np.testing.assert_allclose(found.build_problem().J, asked.choice.build_problem().J)
    assert found.values()["dt"] == 1 / 60
