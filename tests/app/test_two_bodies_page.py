"""The page Two bodies without a browser: choices and links, plots, the ledger, scenes, and
downloads.
"""

from __future__ import annotations

import dataclasses
import io
import re
import zipfile
from random import Random
from urllib.parse import parse_qsl

import numpy as np
import pytest
from covering import first
from drawing import scene_of
from page_driver import send_message, visible_text

import app
import engine
from app.browser.addresses import read_query
from app.browser.page_links import PAGES
from app.browser.script_api import ScriptApi
from app.pages.lab import LabPage, open_lab
from app.pages.routes import open_page
from app.scene import meshes, packing
from app.scene import two_bodies as pair
from app.state.choice import FIRST, Choice, Refusal, validate
from app.state.downloads import zip_runs
from app.state.links import link
from app.state.links import read_query as read_link
from app.state.presets import list_presets
from app.state.presets.surprise import surprise_of_two
from app.state.results import Results, compute
from app.state.two_bodies import GROUPS, LEDGER
from app.views.controls.switches import Switches
from app.views.pictures.two_bodies import TwoBodies3D
from app.views.plots.time_plots import describe_curves
from app.views.tables.method_card import method_html
from engine.algorithms import FixedStep
from engine.simulation import to_quaternions

PRESETS = list_presets("se3")
SHORT = Choice("dumbbells", ("LGVI", "RK2"), 0.01, 3.0, space="se3")


@pytest.fixture(scope="module")
def results() -> Results:
    return compute(SHORT)


@pytest.fixture
def page() -> LabPage:
    return open_lab(SHORT)


# -------------------------------------------------------------------------------------------------
# choosing


def test_the_first_choice_holds():
    assert validate(FIRST["se3"]) == FIRST["se3"]
    assert FIRST["se3"].steps == 15_000


@pytest.mark.parametrize(
    ("problem", "methods", "space", "words"),
    [
        ("free", ("LGVI",), "se3", "one body"),
        ("dumbbells", ("NMB",), "so3", "two bodies"),
        ("dumbbells", ("NMB",), "se3", "one body"),
        ("free", ("LGVI",), "so3", "two bodies"),
    ],
)
def test_what_is_for_another_number_of_bodies_is_refused(problem, methods, space, words):
    with pytest.raises(Refusal, match=words):
        validate(Choice(problem, methods, 0.01, 1.0, space=space))


def test_a_name_of_both_means_the_one_for_two():
    run = compute(dataclasses.replace(SHORT, methods=("DOP853",))).lines[0].run
    assert run.method.space == "se3"


@pytest.mark.parametrize("case", ["DB1", "DB2", "DB4"])
def test_a_link_leads_to_the_same(case):
    label = engine.problem(case).label
    choice = validate(
        dataclasses.replace(SHORT, problem=label).with_changes(
            Omega1=(1, 2, 3.5), m1=2, R2=(0.1, 0, 0.2)
        )
    )
    words = dict(parse_qsl(link(choice).lstrip("?")))
    assert words.pop("page") == "two-bodies"
    again, _, notices = read_query(words, "se3")
    assert (again, notices) == (choice, [])


def test_nonsense_in_a_link_is_told_and_left_out():
    choice, notices = read_link(
        {"problem": "slow-top", "methods": "LGVI,NMB", "Omega1": "a,b"}, "se3"
    )
    assert (choice.problem, choice.methods) == ("dumbbells", ("LGVI",))
    assert len(notices) == 3


def test_bodies_of_many_masses_and_adaptive_steps_count_for_more():
    dumbbells = FIRST["se3"]
    assert dumbbells.effort == 3 * 15_000
    rubble = dataclasses.replace(dumbbells, problem="two-bodies")
    assert rubble.effort == 40 * dumbbells.effort
    assert (
        not dumbbells.adaptive
        and dataclasses.replace(dumbbells, methods=("LGVI", "DOP853")).adaptive
    )


def test_steps_are_bounded_by_what_they_take():
    validate(dataclasses.replace(SHORT, dt=1e-4, duration=1e5))
    with pytest.raises(Refusal, match="That takes 10⁹ steps, and at most"):
        validate(dataclasses.replace(SHORT, problem="two-bodies", dt=1e-4, duration=1e5))


@pytest.mark.parametrize("preset", first(PRESETS), ids=lambda preset: preset.key)
def test_presets_run_and_end_as_said(preset):
    assert validate(preset.choice) == preset.choice
    again, notices = read_link(
        {key: text for key, text in preset.choice.query().items() if key != "page"}, "se3"
    )
    assert (again, notices) == (preset.choice, [])
    ended = {one.label: one.run.status for one in compute(preset.choice).runs}
    assert ended == {method: preset.ends.get(method, "done") for method in preset.choice.methods}


def test_what_presets_say_of_energy_is_so():
    by_key = {
        preset.key: compute(preset.choice)
        for preset in PRESETS
        if preset.key in ("lgvi4", "collision")
    }
    two, four = (row.cell("energy").value for row in LEDGER.table(by_key["lgvi4"]).rows)
    assert 60 < two / four < 80
    for one in by_key["collision"].runs:
        assert one.run.extrema["distance"].min < one.run.problem.contact


@pytest.mark.parametrize("seed", first(range(12), 3))
def test_a_surprise_is_allowed_and_runs(seed):
    choice = surprise_of_two(Random(seed))
    assert validate(choice) == choice and 2 <= len(choice.methods) <= 3
    assert all(len(one.run) > 10 for one in compute(choice).runs)


# -------------------------------------------------------------------------------------------------
# sentences


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("problem", ["dumbbells", "two-bodies"])
def test_every_group_has_four_plots(problem, group):
    found = compute(dataclasses.replace(SHORT, problem=problem, dt=0.02, duration=0.4))
    quantities = GROUPS[group].quantities(found, "Ω")
    assert len({quantity.title for quantity in quantities}) == 4
    for quantity in quantities:
        for one in found.runs:
            curve = quantity.values(one, relative=True)
            if curve is None:
                assert quantity.against_exact and found.exact is None
                continue
            t, y = curve
            assert len(t) == len(y) >= 20 and np.isfinite(y).all()


@pytest.mark.parametrize("methods", [("LGVI", "RK2"), ("LGVI", "TAYLOR"), ("LGVI",)])
def test_bodies_without_an_exact_motion_have_no_errors_and_the_reason_is_shown(methods):
    """No method of the second order stands in for the exact motion."""
    choice = dataclasses.replace(SHORT, problem="two-bodies", methods=methods, duration=0.4)
    for exact in (False, True):
        found = compute(choice, exact=exact)
        assert not found.exact_is_pending
        assert all(line.error is None for line in found.runs)
        said = describe_curves(found)
        assert "needs a Taylor series of the gravity, which only two dumbbells have." in said
        assert "recording" not in said


def test_the_plots_show_what_the_run_has(results):
    run = results.runs[1].run
    energy, linear, angular, attitude = (
        q.values(results.runs[1], True)[1] for q in GROUPS["What is kept"][0](results, "")
    )
    assert energy == pytest.approx((run.energy - run.energy[0]) / abs(run.energy[0]))
    assert linear == pytest.approx(
        np.linalg.norm(run.linear_momentum - run.linear_momentum[0], axis=1)
    )
    whole = np.linalg.norm(run.angular_momentum[0])
    assert angular == pytest.approx(
        np.linalg.norm(run.angular_momentum - run.angular_momentum[0], axis=1) / whole
    )
    off = engine.error(run)
    assert attitude.tolist() == np.maximum(off.attitude1, off.attitude2).tolist()
    *_, place, orthogonality = (
        q.values(results.runs[1], True)[1] for q in GROUPS["Attitude and place"][0](results, "")
    )
    assert place.tolist() == off.place.tolist()
    assert orthogonality.tolist() == run.orthogonality.tolist()
    distance = GROUPS["Orbit"][0](results, "")[0].values(results.runs[1], True)[1]
    assert distance == pytest.approx(np.linalg.norm(run.x1 - run.x2, axis=1))


def test_the_ledger_tells_what_each_method_keeps(results):
    lgvi, rk2 = LEDGER.table(results).rows
    assert (
        lgvi.cell("linear").exact
        and lgvi.cell("angular").exact
        and lgvi.cell("orthogonality").exact
    )
    assert not (
        rk2.cell("linear").exact or rk2.cell("angular").exact or rk2.cell("orthogonality").exact
    )
    assert (lgvi.cell("torques").text, rk2.cell("torques").text) == ("1", "2")
    words = LEDGER.table(results).conclusion
    assert (
        words == "Lie group variational keeps energy within 0.0075 %, linear momentum and angular "
        "momentum. Explicit midpoint keeps none. Explicit midpoint loses phase: its attitude ends "
        "unrelated to the exact one. The attitude of Lie group variational ends 0.16 rad off."
    )
    assert (lgvi.cell("attitude").text, rk2.cell("attitude").lost) == ("0.16", "phase")


@pytest.mark.parametrize(
    "changes", [{"drift": (100, 0, 0)}, {"m1": 1e5, "m2": 1e5, "V": (0, 0, 0), "X": (10, 0, 0)}]
)
def test_roundoff_of_large_momenta_is_roundoff(changes):
    found = compute(dataclasses.replace(FIRST["se3"], methods=("LGVI",)).with_changes(**changes))
    (lgvi,) = LEDGER.table(found).rows
    assert lgvi.cell("linear").exact and lgvi.cell("angular").exact


def test_of_no_steps_nothing_is_told():
    assert LEDGER.table(compute(dataclasses.replace(SHORT, duration=0.0))).conclusion == ""


@pytest.mark.parametrize("method", engine.algorithms("se3"), ids=lambda method: method.key)
def test_every_method_has_its_card(method):
    assert "Forces a step" in method_html(method.key, "se3")
    text = method_html(method.key, "se3")
    assert "<math" in text
    assert not isinstance(method, FixedStep) or "def " in re.sub("<.*?>", "", text)


# -------------------------------------------------------------------------------------------------
# scenes


@pytest.mark.parametrize("frame", [pair.INERTIAL, pair.RELATIVE])
def test_a_scene_has_both_bodies_of_each_method(results, frame):
    tracks = scene_of(pair.build_scene(results, frame))["tracks"]
    methods = ["LGVI", "LGVI", "RK2", "RK2", "exact", "exact"]
    assert [track["method"] for track in tracks] == methods
    assert [track["exact"] for track in tracks] == [method == "exact" for method in methods]
    for motion, of in ((results.runs[0].run, tracks[:2]), (results.exact, tracks[4:])):
        seen = (motion.x1, motion.x2) if frame == pair.INERTIAL else (motion.X, 0 * motion.X)
        turns = (
            (motion.R1, motion.R2)
            if frame == pair.INERTIAL
            else (motion.R, np.broadcast_to(np.eye(3), motion.R.shape))
        )
        for track, x, R in zip(of, seen, turns, strict=True):
            assert np.abs(track["x"] - x).max() < 1e-4
            assert np.abs(np.einsum("ni,ni->n", track["q"], to_quaternions(R))).min() > 1 - 1e-6
    moments = [tracks[k]["J"] for k in (0, 1)]
    bodies = results.problem.body1, results.problem.body2
    assert moments == [body.J.ravel().tolist() for body in bodies]


def test_a_pair_that_drifts_is_seen_about_its_centre():
    drifting = compute(SHORT.with_changes(drift=(1, 0, 2)))
    assert np.linalg.norm(drifting.runs[0].run.x1[-1]) > 5
    for still, moving in zip(
        *(scene_of(pair.build_scene(found))["tracks"] for found in (compute(SHORT), drifting)),
        strict=True,
    ):
        assert np.abs(still["x"] - moving["x"]).max() < 1e-3


def test_each_part_of_a_scene_has_its_track_and_its_mesh(results):
    for frame in (pair.INERTIAL, pair.RELATIVE):
        header = scene_of(pair.build_scene(results, frame))
        there = packing.unpack(pair.pack_shapes(results.problem))[0]["meshes"]
        for part in header["parts"]:
            assert part.get("of", 0) < len(header["tracks"])
            assert part.get("mesh", "disc") in there
            assert part.get("layer") is None or part["layer"] in [
                layer["key"] for layer in header["layers"]
            ]


def test_the_angular_momentum_points_upwards(results):
    up = np.reshape(scene_of(pair.build_scene(results))["up"], (3, 3))
    momentum = results.runs[0].run.angular_momentum[0]
    assert up @ momentum == pytest.approx([0, 0, np.linalg.norm(momentum)])


@pytest.mark.parametrize("case", ["DB4", "DB1", "two-bodies"])
@pytest.mark.parametrize("frame", [pair.INERTIAL, pair.RELATIVE])
def test_bound_bodies_stay_in_the_picture(case, frame):
    found = compute(Choice(engine.problem(case).label, ("LGVI",), 0.01, 20.0, space="se3"))
    run = found.runs[0].run
    farthest = np.linalg.norm(run.x1 if frame == pair.INERTIAL else run.X, axis=1).max()
    assert 0.7 * farthest < pair.find_reach(found, frame) < 2.0 * farthest


def test_a_step_changes_little_of_the_picture():
    sizes = {
        pair.find_reach(compute(dataclasses.replace(SHORT, dt=dt)))
        for dt in (0.008, 0.009, 0.01, 0.011)
    }
    assert len(sizes) == 1


def test_what_flies_away_or_blows_up_leaves_the_rest_its_digits():
    wild = compute(dataclasses.replace(SHORT, methods=("RK2", "LGVI"), dt=0.016, duration=30.0))
    run = wild.runs[0].run
    assert run.status == "diverged"
    track = scene_of(pair.build_scene(wild))["tracks"][0]
    half = len(track["x"]) // 2
    assert np.abs(track["x"][:half] - run.x1[:half]).max() < 5e-3
    assert (
        np.abs(track["Omega"][:half] - run.Omega1[:half]).max()
        < 0.02 * np.abs(run.Omega1[:half]).max()
    )
    assert pair.find_reach(wild) == pair.find_reach(
        compute(dataclasses.replace(wild.choice, methods=("LGVI",)))
    )
    parting = compute(dataclasses.replace(SHORT, problem="dumbbells(case=DB2)", duration=30.0))
    assert np.linalg.norm(parting.runs[0].run.X, axis=1).max() > 8
    assert pair.find_reach(parting) < 6


@pytest.mark.parametrize("changes", [{"X": (0, 0, 0)}, {"X": (1e-200, 0, 0)}, {"V": (0, 0, 0)}])
def test_bodies_within_each_other_and_at_rest_are_seen_as_well(changes):
    found = compute(validate(SHORT.with_changes(**changes)))
    for frame in (pair.INERTIAL, pair.RELATIVE):
        header = scene_of(pair.build_scene(found, frame))
        assert np.isfinite(header["tracks"][0]["x"]).all() and pair.find_reach(found, frame) > 0.2
    assert "relative to body 2" in header["caption"]


def test_spins_that_begin_at_nothing_have_arrows():
    found = compute(
        dataclasses.replace(SHORT.with_changes(Omega1=(0, 0, 0), Omega2=(0, 0, 0)), duration=20.0)
    )
    arrows = [
        part for part in scene_of(pair.build_scene(found))["parts"] if part.get("curve") == "omega"
    ]
    fastest = max(np.linalg.norm(found.runs[0].run.Omega1, axis=1).max(), 1e-9)
    assert all(0.2 < part["scale"] * fastest < 2.0 for part in arrows)


def test_a_dumbbell_is_drawn_as_large_as_it_is():
    body = engine.problem("dumbbells").body1
    surface = meshes.build_masses(body)
    assert np.abs(surface.points[:, 0]).max() == pytest.approx(body.half_length + body.radius)
    assert np.abs(surface.points[:, 1]).max() == pytest.approx(body.radius, rel=1e-3)


def test_a_body_of_many_masses_is_drawn_with_some():
    body = engine.twobody.Masses(
        np.ones(500), Random(1).sample([(i, i * i % 7, i % 5) for i in range(500)], 500)
    )
    surface = meshes.build_masses(body)
    assert len(surface.points) < 30_000
    few = engine.twobody.Masses(np.ones(10), body.positions[:10])
    assert len(surface.points) == meshes.MOST_BALLS * len(meshes.build_masses(few).points) // 10
    # From the first mass to the last, and a ball's radius beyond.
    reach = np.abs(body.positions).max()
    radius = meshes.ball_radius(body)
    assert 0.95 * reach < np.abs(surface.points).max() <= reach + 1.001 * radius


def test_a_long_run_is_thinned_and_says_so():
    found = compute(dataclasses.replace(SHORT, dt=0.001))
    header = scene_of(pair.build_scene(found))
    assert header["tracks"][0]["n"] <= pair.MOST_SAMPLES + 1
    assert "show every 3rd state" in header["caption"]


def test_a_motion_that_ends_early_says_so():
    found = compute(dataclasses.replace(SHORT, dt=0.4))
    header = scene_of(pair.build_scene(found))
    assert "no solution" in header["tracks"][0]["ended"]


def test_meshes_are_sent_for_other_bodies_only(results):
    view = TwoBodies3D(pair.INERTIAL)
    view.show(results)
    first = view.panel.shapes
    view.show(compute(dataclasses.replace(SHORT, dt=0.02)))
    assert view.panel.shapes is first
    view.show(compute(SHORT.with_changes(l1=0.5)))
    assert view.panel.shapes != first


# -------------------------------------------------------------------------------------------------
# the page


def test_a_change_of_a_widget_is_a_new_run(page):
    page.chooser.form.enter("dt", "0.02")
    end = engine.simulate("dumbbells", "LGVI", dt=0.02, duration=3.0)
    report = page.explorer.api.state["runs"][0]
    assert report["R1"] == end.R1[-1].ravel().tolist() and report["x2"] == end.x2[-1].tolist()
    assert report["R"] == end.R[-1].ravel().tolist()
    page.explorer.undo()
    assert page.chooser.form.values["dt"] == "0.01"


def test_the_case_is_a_widget(page):
    (case,) = page.chooser.cases.fields
    assert case["label"] == "Case"
    page.chooser.cases.enter(case["name"], "DB1")
    assert page.explorer.history.now.problem == "dumbbells(case=DB1)"
    assert page.explorer.results.problem.Omega1.tolist() == [0.0, 0.5, 2.0]
    assert page.chooser.form.values["Omega1"] == "0, 0.5, 2"


def test_another_case_has_its_own_spins_and_the_rest_stays(page):
    page.chooser.form.enter("Omega1", "1, 2, 3")
    page.chooser.form.enter("m1", "2")
    page.chooser.cases.enter("case", "DB1")
    assert page.explorer.results.problem.Omega1.tolist() == [0.0, 0.5, 2.0]
    assert page.explorer.results.problem.body1.mass == 2.0


def test_widgets_are_those_of_two_bodies(page):
    fields = set(page.chooser.form.values) - {"dt", "duration"}
    assert fields == {
        "Omega1",
        "Omega2",
        "X",
        "V",
        "R1",
        "R2",
        "G",
        "drift",
        "m1",
        "m2",
        "l1",
        "l2",
    }
    page.chooser.form.enter("Omega1", "1, 2")
    assert "Omega1" in page.chooser.form.wrong
    page.chooser.form.enter("R1", "0, 0, 0.5")
    assert page.explorer.results.problem.R1[0, 0] == pytest.approx(np.cos(0.5))


def test_pictures_are_of_both_frames(page):
    assert page.stage.switches.sets[0][2] == [pair.INERTIAL, pair.RELATIVE]
    shown = page.main()
    (pictures,) = [one for one in shown.select(Switches) if one.sets[0][0] == "Picture"]
    assert SPACE in visible_text(shown) and RELATIVE not in visible_text(shown)
    pictures.chosen = [pair.RELATIVE]
    assert RELATIVE in visible_text(shown) and SPACE not in visible_text(shown)


def test_reset_and_presets_stay_with_two_bodies(page):
    page.explorer.reset()
    assert page.explorer.history.now == dataclasses.replace(FIRST["se3"], methods=SHORT.methods)
    for key in ("lee-3-large", ""):
        send_message(page.presets, {"pick": key})
        assert page.explorer.history.now.space == "se3"


def test_a_link_opens_the_page():
    found, title = open_page("?page=two-bodies&problem=DB1&methods=SRK&dt=0.01&duration=1")
    assert title == "Two bodies · Polhode" and PAGES["two-bodies"] == "Two bodies"
    (api,) = found.select(ScriptApi)
    assert api.state["choice"]["problem"] == "dumbbells(case=DB1)"
    assert [run["method"] for run in api.state["runs"]] == ["SRK"]


PLOTS = "Linear momentum error"
BALANCE = "What each method conserved and lost"
CARD = "Lie group variational integrator"
SPACE = "Two bodies, in space"
RELATIVE = "Two bodies, as seen from body 2"


@pytest.mark.exhaustive
@pytest.mark.parametrize(("view", "there"), first([
    (None, {PLOTS, BALANCE, CARD, SPACE}), ("plots", {PLOTS}), ("space", {SPACE}), ("relative", {RELATIVE}),
    ("ledger", {BALANCE}), ("card", {CARD}),
], 2))  # fmt: skip
def test_the_page_is_had_in_a_notebook(view, there):
    """With all views, or with one view alone."""
    shown = app.explorer("dumbbells", "LGVI", dt=0.02, duration=1, view=view)
    assert {
        words for words in (PLOTS, BALANCE, CARD, SPACE, RELATIVE) if words in visible_text(shown)
    } == there


def test_a_view_of_one_body_is_none_of_two():
    with pytest.raises(ValueError, match="no view"):
        app.explorer("dumbbells", dt=0.02, duration=1, view="Poinsot")


def test_the_plots_are_had_as_a_figure():
    layout = app.figure("DB1", "LGVI", dt=0.02, duration=1, group="Orbit")
    assert len(layout) == 4


# -------------------------------------------------------------------------------------------------
# downloads


def test_the_snippet_gives_the_same(results, capsys):
    exec(SHORT.snippet(), {})
    said = capsys.readouterr().out
    assert "run of LGVI on dumbbells" in said
    assert str(results.runs[0].run.extrema["energy"]) in said


@pytest.mark.parametrize("ending", ["parquet", "npz", "csv"])
def test_run_files_are_the_runs(results, ending, tmp_path):
    with zipfile.ZipFile(io.BytesIO(zip_runs(results, ending))) as archive:
        archive.extractall(tmp_path)
    again = engine.load(tmp_path / f"dumbbells_LGVI.{ending}")
    assert again.x1[-1].tolist() == results.runs[0].run.x1[-1].tolist()
    assert "page=two-bodies" in (tmp_path / "link.txt").read_text()
