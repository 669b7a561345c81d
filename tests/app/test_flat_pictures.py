"""The pictures in 2D and their geometry: level curves, polhodes, herpolhodes, and the points of the
runs.
"""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from bokeh.models import ColumnDataSource, MultiLine, Range1d
from bokeh.plotting import figure
from covering import first
from drawing import answered, carried_out
from page_driver import send_message, visible_figures, visible_parts, visible_text

import engine
from app.asset_files import SCRIPTS, bundle_script
from app.pages.lab import open_lab
from app.scene import polhode
from app.state.choice import Choice, choose_problem
from app.state.excerpt import Excerpt
from app.state.one_body import GROUPS
from app.state.results import Results, compute
from app.views.controls.handle import Handle
from app.views.pictures.flat_picture import AXES, BACK, FRONT
from app.views.pictures.flat_poinsot import FlatPoinsot
from app.views.pictures.momentum_sphere import MomentumSphere
from app.views.plots.time_plots import TimePlots
from engine.text.formatting import format_setting

FREE = Choice("free", ("NMB", "AKW", "DMV"), 0.5, 100.0)


@pytest.fixture(scope="module")
def free() -> Results:
    return compute(FREE)


def points(drawn: figure, name: str) -> dict[str, np.ndarray]:
    """Those of a method; a line is drawn in pieces, each with the time of its end."""
    found = dict(drawn.select_one({"name": name}).data_source.data)
    if "xs" in found:
        for key in ("x", "y"):
            pieces = found[key + "s"]  # each starts where the one before ends
            found[key] = np.concatenate([pieces[0][:1], *(piece[1:] for piece in pieces)])
    return found


def lines(drawn: figure) -> list[ColumnDataSource]:
    """Of the curves behind the points."""
    found = [r.data_source for r in drawn.renderers if isinstance(r.glyph, MultiLine)]
    return [source for source in found if "t" not in source.data]


MOMENTS = [
    np.array([0.9144, 1.098, 1.66]),
    np.array([1.66, 0.9144, 1.098]),
    np.array([1.0, 1.0, 2.0]),
]


@pytest.mark.parametrize("moments", MOMENTS)
def test_level_curves_lie_on_the_sphere_and_keep_their_energy(moments: np.ndarray) -> None:
    found = polhode.energy_levels(moments)
    assert len(found) >= 10
    for n in found:
        np.testing.assert_allclose(np.linalg.norm(n, axis=1), 1, atol=1e-12)
        assert np.ptp((n**2 / moments).sum(axis=1)) < 1e-12


def test_a_ball_has_no_level_curves() -> None:
    assert polhode.energy_levels(np.ones(3)) == []


@pytest.mark.parametrize("seed", range(8))
def test_the_exact_motion_stays_on_its_polhode(seed: int) -> None:
    rng = np.random.default_rng(seed)
    body = engine.problem("free").replace(Omega0=tuple(rng.normal(size=3)))
    loop = polhode.momentum_loop(np.diag(body.J), body.Pi0)
    motion = engine.exact(body, np.linspace(0, 50, 60))
    nearest = np.linalg.norm(loop[None] - motion.Pi[:, None], axis=2).min(axis=1)
    assert nearest.max() < 0.05 * np.linalg.norm(body.Pi0)


@pytest.mark.exhaustive
@pytest.mark.parametrize("Omega0", [((0, 0, 0),), ((0, 0, 1),), ((1, 0, 0),), ((0, 1, 0),)])
def test_bodies_in_equilibrium_can_be_seen(Omega0: tuple[float, ...]) -> None:
    results = compute(FREE.with_changes(Omega0=Omega0))
    sphere = MomentumSphere()
    flat = FlatPoinsot()
    sphere.show(results)
    flat.show(results)
    for root in (sphere.panel.get_root(), flat.panel.get_root()):
        ranges = [(r.start, r.end) for r in root.select({"type": Range1d})]
        assert ranges and np.isfinite(ranges).all() and all(start != end for start, end in ranges)


def test_the_direction_of_sight_is_a_frame() -> None:
    for projection in (
        *(polhode.look_along(k) for k in range(3)),
        polhode.look_down(np.array([0.3, 2.0, -1.0])),
    ):
        np.testing.assert_allclose(
            np.cross(projection.right, projection.up), projection.near, atol=1e-15
        )


def test_computed_points_stand_where_the_runs_put_them(free: Results) -> None:
    view = MomentumSphere()
    view.show(free)
    (picture,) = visible_figures(view.panel)
    data = points(picture, "Explicit Newmark")
    np.testing.assert_allclose(np.c_[data["x"], data["y"]], free.lines[0].run.Pi[:, :2], atol=1e-6)
    view.switches.chosen = ["axis 1"]
    data = points(picture, "Explicit Newmark")
    np.testing.assert_allclose(np.c_[data["x"], data["y"]], free.lines[0].run.Pi[:, 1:], atol=1e-6)


def test_what_lies_behind_is_pale(free: Results) -> None:
    view = MomentumSphere()
    view.show(free)
    near = free.lines[0].run.Pi[:, 2]
    alpha = points(visible_figures(view.panel)[0], "Explicit Newmark")["alpha"]
    assert set(np.sign(near)) == {-1, 1}
    np.testing.assert_allclose(alpha, np.where(near > 0, FRONT, BACK), rtol=1e-6)


def test_a_method_that_is_taken_out_leaves_no_points(free: Results) -> None:
    view = MomentumSphere()
    view.show(free)
    view.show(compute(dataclasses.replace(FREE, methods=("NMB",))))
    (picture,) = visible_figures(view.panel)
    assert [len(points(picture, name)["x"]) > 0 for name in FREE.names.values()] == [
        True,
        False,
        False,
    ]


def test_a_picture_stays_as_it_is_zoomed(free: Results) -> None:
    view = MomentumSphere()
    view.show(free)
    (picture,) = visible_figures(view.panel)
    picture.x_range.update(start=0.1, end=0.2)
    view.show(compute(FREE.with_changes(Omega0=(3, 0, 1))))
    assert (picture.x_range.start, picture.x_range.end) == (
        0.1,
        0.2,
    ) and picture.x_range.reset_end > 1


def test_what_was_chosen_with_torque_and_without_comes_back_with_it(free: Results) -> None:
    top = compute(dataclasses.replace(choose_problem("slow-top"), duration=2.0))
    view = FlatPoinsot()
    view.show(free)
    view.switches.chosen = ["axis 1"]
    view.show(top)
    assert view.option == "π"
    view.switches.chosen = ["ω"]
    for results, chosen in ((free, "axis 1"), (top, "ω")):
        view.show(results)
        assert view.option == chosen


def test_the_outline_of_the_polhode_is_that_of_the_energy_ellipsoid(free: Results) -> None:
    view = FlatPoinsot()
    view.show(free)
    view.switches.chosen = ["axis 3"]
    left, _ = visible_figures(view.panel)
    (x,), (y,) = (lines(left)[2].data[name] for name in ("xs", "ys"))
    body = free.problem
    a, b, _ = np.sqrt(body.Omega0 @ body.Pi0 / body.principal[0])
    np.testing.assert_allclose((x / a) ** 2 + (y / b) ** 2, 1, rtol=1e-5)


def test_the_herpolhode_lies_in_the_invariable_plane_between_its_circles(free: Results) -> None:
    body = free.problem
    _, ω = polhode.herpolhode(body, 100.0)
    pi = body.R0 @ body.Pi0
    heights = ω @ pi / np.linalg.norm(pi)
    np.testing.assert_allclose(heights, body.Omega0 @ body.Pi0 / np.linalg.norm(pi), rtol=1e-10)


def test_flat_views_change_with_the_torque(free: Results) -> None:
    top = compute(dataclasses.replace(choose_problem("slow-top"), duration=2.0))
    view = FlatPoinsot()
    view.show(free)
    of_free = visible_figures(view.panel)
    view.show(top)
    of_top = visible_figures(view.panel)
    assert len(of_free) == len(of_top) == 2 and not {f.id for f in of_free} & {f.id for f in of_top}
    view.show(free)
    assert visible_figures(view.panel) == of_free and view.switches.sets[0][2] == AXES
    view.show(top)
    tip = points(of_top[0], top.lines[0].name)
    np.testing.assert_allclose(np.c_[tip["x"], tip["y"]], top.lines[0].run.R[:, :2, 2], atol=1e-6)


@pytest.mark.parametrize("problem", first(["free", "slow-top"]))
def test_the_names_of_axes_stand_on_them(free: Results, problem: str) -> None:
    results = (
        free
        if problem == "free"
        else compute(dataclasses.replace(choose_problem(problem), duration=2.0))
    )
    names = []
    for view in (MomentumSphere(), FlatPoinsot()):
        view.show(results)
        for drawn in visible_figures(view.panel):
            for source in drawn.select({"type": ColumnDataSource}):
                if "text" in source.data:
                    for x, y, name in zip(
                        *(source.data[key] for key in ("x", "y", "text")), strict=True
                    ):
                        if len(name) == 2:  # a letter and the number of the axis
                            names.append(name)
                            assert (x > 0 and y == 0) or (x == 0 and y > 0), name
    assert len(names) >= 4


def test_curves_that_stay_are_not_sent_again(free: Results) -> None:
    view = MomentumSphere()
    view.show(free)
    sent: list[object] = []
    (picture,) = visible_figures(view.panel)
    for source in lines(picture):
        source.on_change("data", lambda attr, old, new: sent.append(new))
    view.show(compute(dataclasses.replace(FREE, dt=0.25)))
    assert sent == []
    view.switches.chosen = ["axis 1"]
    assert len(sent) >= 2


def test_a_body_at_rest_leaves_nothing_of_the_one_before(free: Results) -> None:
    view = FlatPoinsot()
    view.show(free)
    view.show(compute(FREE.with_changes(Omega0=(0, 0, 0))))
    pictures = visible_figures(view.panel)
    assert len(pictures) == 2 and "at rest" in visible_text(view.panel)
    for picture in pictures:
        assert not any(len(source.data["xs"]) for source in lines(picture))
        assert not any(len(points(picture, name)["x"]) for name in FREE.names.values())


def test_a_vector_that_stays_vertical_is_in_the_middle_of_a_circle_of_radius_1() -> None:
    sleeping = Choice("slow-top", ("NMB",), 0.01, 1.0).with_changes(R0=(0, 0, 0), Omega0=(0, 0, 5))
    view = FlatPoinsot()
    view.show(compute(sleeping))
    assert "the circle has radius 1. Thick" in visible_text(view.panel)


# --- what makes updates quick ---


@pytest.mark.exhaustive
def test_an_update_changes_data_and_builds_nothing() -> None:
    few, many = (compute(dataclasses.replace(FREE, dt=dt)) for dt in (0.5, 0.05))
    for view in (TimePlots(GROUPS), MomentumSphere(), FlatPoinsot()):
        view.show(few)
        root = view.panel.get_root()
        before = {model.id for model in root.references()}
        view.show(many)
        assert {model.id for model in root.references()} == before, type(view).__name__


def test_a_long_path_of_a_top_fades_on_the_momentum_sphere() -> None:
    view = MomentumSphere()
    view.show(compute(Choice("lagrange-top", ("NMB",), 0.05, 100.0)))
    drawn = points(visible_figures(view.panel)[0], "Explicit Newmark")
    assert 80 < drawn["t"][0] < drawn["t"][-1] == 100
    assert drawn["alpha"][0] == 0.0 and drawn["alpha"][-1] > 0.1
    assert "Long paths show their last part" in visible_text(view.panel)


def test_of_a_long_trace_the_last_part_is_drawn() -> None:
    """All rows would fill the disc with lines; the drawn rows follow the motion."""
    view = FlatPoinsot()
    view.show(compute(Choice("slow-top", ("NMB",), 0.01, 2000.0)))
    drawn = points(visible_figures(view.panel)[0], "Explicit Newmark")
    assert 1000 < drawn["t"][0] < drawn["t"][-1] == 2000
    steps = np.hypot(np.diff(drawn["x"]), np.diff(drawn["y"]))
    assert 6 < steps.sum() < 24 and steps.max() < 1
    assert (np.diff(drawn["alpha"]) > 0).all() and drawn["alpha"][0] < 0.1
    for picture in visible_figures(view.panel):
        (exact,) = [s.data for s in lines(picture) if len(s.data["xs"]) > 1]
        assert (np.diff(exact["alpha"]) > 0).all() and exact["alpha"][0] < 0.1
    assert "Long paths show their last part, which fades with age." in visible_text(view.panel)
    short = compute(Choice("slow-top", ("NMB",), 0.01, 2.0))
    view.show(short)
    drawn = points(visible_figures(view.panel)[0], "Explicit Newmark")
    np.testing.assert_allclose([drawn["x"][0], drawn["y"][0]], short.problem.R0[:2, 2], atol=1e-6)
    assert min(drawn["alpha"]) == max(drawn["alpha"])
    assert all(
        len(set(source.data["alpha"])) <= 1 for source in lines(visible_figures(view.panel)[0])
    )
    assert "Long paths" not in visible_text(view.panel)


@pytest.mark.exhaustive
def test_the_start_is_dragged_on_the_momentum_sphere_and_one_undo_takes_it_back() -> None:
    slanted = ((1.0, 0.0, 0.0), (0.0, 2.0, 0.4), (0.0, 0.4, 2.5))
    lab = open_lab(FREE.with_changes(J=slanted))
    lab.stage.switches.chosen = ["From above"]
    body = lab.explorer.history.now.build_problem()
    (start,) = (part for part in visible_parts(lab.main()) if isinstance(part, Handle))
    np.testing.assert_allclose(start.at, body.principal[1].T @ body.Pi0, atol=1e-12)

    def drag(to: list[float], held: bool) -> None:
        spin = "return findSpin({...said.of, Pi0: said.at}, said.to).join();"
        Omega0 = answered(spin, of=start.body, at=start.at, to=to)
        send_message(start, {"start": Omega0, "held": held})

    drag([1, 2, 3], True)
    drag([3, 0, -4], False)
    for no_start in ("x, 0, 0", "1, 2", [1, 2, 3], None):
        send_message(start, {"start": no_start, "held": True})
    now = lab.explorer.history.now.build_problem()
    np.testing.assert_allclose(
        start.at, np.linalg.norm(body.Pi0) * np.array([0.6, 0, -0.8]), atol=1e-4
    )
    np.testing.assert_allclose(now.principal[1].T @ now.Pi0, start.at, atol=1e-12)
    assert (
        start.words == format_setting("Omega0", now.Omega0.tolist())
        and lab.explorer.results is not None
    )
    assert lab.explorer.results.runs[0].run.problem.Omega0.tolist() == now.Omega0.tolist()
    drag([1, 0, 0], True)  # immediately after, but a separate gesture
    drag([0, 1, 0], False)
    lab.explorer.undo()
    assert lab.explorer.history.now.build_problem().Omega0.tolist() == now.Omega0.tolist()
    lab.explorer.undo()
    assert lab.explorer.history.now.build_problem().Omega0.tolist() == body.Omega0.tolist()
    lab.explorer.undo()
    assert lab.explorer.history.now == FREE.with_changes(J=slanted)
    lab.explorer.choose(lab.explorer.history.now.with_changes(Omega0=(0.0, 0.0, 0.0)))
    assert start.at == [] and "starts at rest" in visible_text(lab.main())
    alone = open_lab(FREE, excerpt=Excerpt(show=("sphere",), controls=("dt",)))
    assert not [part for part in visible_parts(alone.main()) if isinstance(part, Handle)]


def test_a_point_is_dragged_under_the_pointer_and_turned_by_keys() -> None:
    seen = polhode.look_along(1)
    axes = [seen.right.tolist(), seen.up.tolist(), seen.near.tolist()]
    calls = [f"pointAt(1, -2, 3, axes, {side})" for side in (1, -1)] + [
        "pointAt(8, -6, 5, axes, 1)"
    ]
    calls += [
        f"$algebra.turnPoint(axes[{i}], axes, [{way}], Math.PI / 6)"
        for i in (0, 2)
        for way in ("1, 0", "0, -1")
    ]
    script = f"const axes = {axes}; console.log(JSON.stringify([{', '.join(calls)}]));"
    found = np.array(
        json.loads(carried_out(bundle_script(SCRIPTS / "controls/handle.js") + script))
    ) @ np.transpose(axes)
    c, s = np.cos(np.pi / 6), 0.5
    expected = [[1, -2, 2], [1, -2, -2], [4, -3, 0], [c, 0, -s], [1, 0, 0], [s, 0, c], [0, -s, c]]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_the_start_of_a_sphere_is_dragged_where_its_page_takes_it():
    spheres = MomentumSphere(), MomentumSphere(lambda *_: None)
    assert [len(sphere.panel.select(Handle)) for sphere in spheres] == [0, 1]
