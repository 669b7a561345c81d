"""Data of the player: the computed runs, closed surfaces, and a visitor's mesh or its refusal."""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import types
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from covering import covering, first
from drawing import answered, carried_out, painted, scene_of
from page_driver import send_message
from scipy.spatial.transform import Rotation
from timeouts import TIMEOUT

import engine
from app.asset_files import SCRIPTS, bundle_script
from app.scene import meshes, one_body, packing, polhode, two_bodies, upload
from app.scene import player as component
from app.scene.sound import NO_SOUND
from app.state import reader
from app.state.choice import Choice
from app.state.results import compute
from app.views.controls.appearance import AUTO, OWN, Appearance
from app.views.pictures.body_scene import Body3D, describe_mesh
from app.views.pictures.momentum_sphere import Momentum3D
from app.views.pictures.poinsot import Poinsot3D
from engine.exact import exact
from engine.kernels import Cancelled
from engine.parameters.formula import Formula
from engine.simulation import to_quaternions
from engine.text.formatting import format_ordinal

CHOICE = Choice("free", ("NMB", "RK4-MATRIX"), 0.5, 20.0)
MOMENTS = [(0.9144, 1.098, 1.66), (1.0, 1.0, 0.5), (3.0, 1.0, 2.5)]

CUBE = """v 0 0 0
v 1 0 0
v 1 2 0
v 0 2 0
v 0 0 3
v 1 0 3
v 1 2 3
v 0 2 3
f 1 4 3 2
f 5 6 7 8
f 1 2 6 5
f 3 4 8 7
f 2 3 7 6
f 1 5 8 4
"""
"""A block of 1 × 2 × 3."""


@pytest.fixture(scope="module")
def results():
    return compute(CHOICE)


def attitudes(q):
    w, x, y, z = np.moveaxis(np.asarray(q, float), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def test_times_without_an_even_spacing_travel_themselves():
    even, _ = packing.unpack(
        one_body.build_scene(compute(Choice("free", ("NMB",), 0.3, 10.0)), "body")
    )
    packed = one_body.build_scene(compute(Choice("free", ("NMB",), 0.01, 90.01)), "body")
    uneven, _ = packing.unpack(packed)
    assert "t" not in even["motions"][0] and "t" in uneven["motions"][0]
    assert scene_of(packed)["tracks"][0]["t"][-3:] == pytest.approx([90.0 - 0.03, 90.0, 90.01])


@pytest.mark.parametrize("kind", ["poinsot", "body"])
def test_the_tracks_are_the_runs(results, kind):
    made = scene_of(one_body.build_scene(results, kind))
    assert [(track["method"], track["label"]) for track in made["tracks"]] == [
        ("NMB", "Explicit Newmark"),
        ("RK4-MATRIX", "Matrix Runge–Kutta 4"),
        ("exact", "exact"),
    ]
    for track, line in zip(made["tracks"], results.runs, strict=False):
        q = track["q"]
        assert track["n"] == len(q) == len(line.run)
        np.testing.assert_allclose(track["t"], line.run.t, rtol=1e-6)
        np.testing.assert_allclose(
            track["Omega"], line.run.Omega, atol=2e-5
        )  # 16 bits of the largest
        if line.label == "NMB":  # whose attitudes are rotations
            np.testing.assert_allclose(attitudes(q), line.run.R, atol=1e-6)
        assert (np.einsum("ni,ni->n", q[1:], q[:-1]) > 0).all()  # no way round the far side
    assert made["duration"] == 20.0


BEFORE = json.loads(
    (Path(__file__).parents[1] / "data" / "scenes.json").read_text(encoding="utf-8")
)
"""Scenes without their captions: motions and curves as an earlier version of the project built them in
Python, and the sizes and the camera of the picture as they are now.
"""
TILTED = {"J": ((2.0, 0.3, 0.1), (0.3, 1.6, -0.2), (0.1, -0.2, 1.2))}
CASES = {
    "free": CHOICE,
    "slow": Choice("slow-top", ("NMB", "ELN"), 0.02, 4.0),
    "tilted": Choice("free", ("NMB",), 0.1, 10.0).with_changes(**TILTED),
    "dumbbells": Choice("dumbbells", ("LGVI", "RK2"), 0.01, 3.0, space="se3"),
}
MAKE = "return buildScene(said.facts, said.motions.map(({R, ...motion}) => ({...motion, q: computeQuaternions(R)})));"


def motions_of(found, frame):
    """The motions with all digits, as a script in the browser would have them."""
    if found.choice.space == "so3":
        lines = [
            {
                "label": line.label,
                "colour": line.colour,
                "t": line.run.t,
                "R": line.run.R,
                "Omega": line.run.Omega,
            }
            for line in found.runs
        ]
        exact = found.exact
        last = {
            "label": "exact",
            "colour": "#7A8591",
            "exact": True,
            "t": exact.t,
            "R": exact.R,
            "Omega": exact.Omega,
        }
        return [*lines, last]
    bodies = []
    for line in found.runs:
        run = line.run
        still = np.broadcast_to(np.eye(3), line.run.R.shape)
        space = frame == two_bodies.INERTIAL
        turns = (run.R1, run.R2) if space else (run.R, still)
        places = two_bodies.list_places(run, run.problem, frame)
        for R, Omega, x in zip(turns, (run.Omega1, run.Omega2), places, strict=True):
            bodies.append(
                {
                    "label": line.label,
                    "colour": line.colour,
                    "t": run.t,
                    "R": R,
                    "Omega": Omega,
                    "x": x,
                }
            )
    return bodies


@pytest.mark.parametrize("name", first(BEFORE, 3))
def test_scenes_are_what_they_were(name):
    case, kind = name.split(" ", 1)
    found = compute(CASES[case])
    facts = (one_body if found.choice.space == "so3" else two_bodies).list_facts(found, kind)
    made = answered(MAKE, facts=facts, motions=motions_of(found, kind))
    last = made["tracks"][-1]
    if last["exact"]:
        made["exact"] = {
            part: np.reshape(last[part], (last["n"], -1))[[1, 150, -1]].tolist()
            for part in ("q", "Omega")
        }
    for part in made["parts"]:
        if "points" in part:
            part["points"] = np.reshape(part["points"], (-1, 3))[[0, 50, 200]].tolist()
    near({key: made[key] for key in made if key not in ("tracks", "caption")}, BEFORE[name])


def near(made, before):
    """Compare words exactly, and numbers to a part in a million."""
    if isinstance(before, dict):
        assert set(made) == set(before)
        for key in before:
            near(made[key], before[key])
    elif isinstance(before, list):
        assert len(made) == len(before)
        for one, other in zip(made, before, strict=True):
            near(one, other)
    elif isinstance(before, float):
        assert made == pytest.approx(before, rel=1e-6, abs=1e-6)
    else:
        assert made == before


def test_the_exact_motion_is_exact_between_its_rows_too(results):
    track = scene_of(one_body.build_scene(results, "body"))["tracks"][-1]
    assert track["n"] > len(results.exact.t)
    motion = exact(results.problem, track["t"].astype(float))
    np.testing.assert_allclose(attitudes(track["q"]), motion.R, atol=2e-4)


def test_half_turns_have_their_quaternions():
    R = np.array(
        [np.diag([1.0, -1, -1]), np.diag([-1.0, 1, -1]), np.diag([-1.0, -1, 1]), np.eye(3)]
    )
    np.testing.assert_allclose(attitudes(to_quaternions(R)), R, atol=1e-15)
    q = np.reshape(answered("return computeQuaternions(said.R);", R=R), (-1, 4))
    np.testing.assert_allclose(attitudes(q), R, atol=1e-15)


def test_quaternions_in_the_browser_are_those_of_python():
    """After a blow-up, the values of the row before."""
    rotvec = np.cumsum(np.random.default_rng(3).normal(size=(200, 3)), axis=0)
    R = Rotation.from_rotvec(rotvec).as_matrix()
    q = np.reshape(answered("return computeQuaternions(said.R);", R=R), (-1, 4))
    np.testing.assert_allclose(q, to_quaternions(R), atol=1e-14)
    blown = "const R = Float64Array.from(said.R); R.fill(NaN, 9); R.fill(Infinity, 18); return computeQuaternions(R);"
    assert np.reshape(answered(blown, R=R[:4]), (-1, 4)).tolist() == [q[0].tolist()] * 4


def test_parts_follow_tracks_that_are_there_and_meshes_that_are_sent(results):
    for kind in ("poinsot", "body", "momentum"):
        header = scene_of(one_body.build_scene(results, kind))
        drawn = packing.unpack(one_body.pack_shapes(results, kind))[0]["meshes"]
        layers = {layer["key"] for layer in header["layers"]}
        for part in header["parts"]:
            assert part.get("of", 0) < len(header["tracks"])
            assert part["kind"] != "mesh" or part["mesh"] in drawn
            assert part.get("layer", next(iter(layers))) in layers
        ghosts = [part["of"] for part in header["parts"] if part.get("when") == "ghost"]
        assert ghosts == ([0, 1, 2] if kind == "body" else [])


def paint(results, kind, answer):
    """Paint a scene at half its time, and return an answer on the list `drawn`."""
    packed = one_body.build_scene(results, kind)
    shapes = one_body.pack_shapes(results, kind)
    return painted(
        f"const drawn = paint(said); return {answer};", packed=packed, shapes=shapes, time=10.0
    )


@pytest.mark.parametrize(
    ("choice", "shown"),
    [
        (Choice("free", ("SEMI-EULER",), 1.5, 30.0), ["π", "Ω"]),
        (Choice("free", ("SEMI-EULER",), 1.5, 100.0), []),  # it blows up
        (Choice("slow-top", ("NMB",), 0.01, 0.1).with_changes(Omega0=(0.0, 0.0, 0.0)), []),
    ],
)
def test_only_arrows_that_are_drawn_have_names(choice, shown):
    found = compute(choice)
    time = 0.0 if dict(choice.changes) else choice.duration
    packed = one_body.build_scene(found, "body")
    shapes = one_body.pack_shapes(found, "body")
    names = painted("return paintNames(said);", packed=packed, shapes=shapes, time=time)
    assert {"Ω", "π"} & set(names) == set(shown)
    assert len({"e₁", "e₂", "e₃"} & set(names)) >= 2, "the body hides one at most"


def test_the_name_of_an_arrow_behind_the_body_is_hidden_with_its_tip():
    found = compute(Choice("free", ("NMB",), 0.1, 1.0).with_changes(J=(1.0, 2.0, 2.8)))
    packed = one_body.build_scene(found, "body")
    shapes = one_body.pack_shapes(found, "body", "box")
    up = np.reshape(scene_of(packed)["up"], (3, 3))
    x, y, z = up[:, 1]
    toward = [np.arctan2(y, x) + 0.15, np.arcsin(z) - 0.15, 1.0]
    before, behind = (
        painted("return paintNames(said);", packed=packed, shapes=shapes, time=0.0, camera=camera)
        for camera in (toward, [toward[0] + np.pi, -toward[1], 1.0])
    )
    assert "e₂" in before and "e₂" not in behind


def test_a_point_is_behind_a_surface_if_that_is_on_the_way_to_the_eye():
    script = """
        const triangle = {points: [-1, -1, 0, 1, -1, 0, 0, 2, 0], triangles: [0, 1, 2]};
        return said.places.map(place => hides(triangle, place, [0, 0, 5]));
    """
    behind, before, touching, beside = answered(
        script, places=[[0, 0, -1], [0, 0, 1], [0, 0, 0], [3, 0, -1]]
    )
    assert behind and not before and not touching and not beside


def test_the_legend_says_what_each_arrow_is(results):
    packed = one_body.build_scene(results, "body")
    shapes = one_body.pack_shapes(results, "body")
    said = functools.partial(painted, "return listMeanings(said);", packed=packed, shapes=shapes)
    spin = ["Ω", "angular velocity", "#E69F00"]
    momentum = ["π", "momentum", "#56B4E9"]
    assert said(time=0.0) == [spin, momentum]
    assert said(time=0.0, hidden=["vectors"]) == []


@pytest.mark.parametrize("kind", ["body", "momentum", "poinsot"])
def test_every_named_arrow_is_in_the_legend_or_an_axis(results, kind):
    parts = scene_of(one_body.build_scene(results, kind))["parts"]
    named = [part for part in parts if part["kind"] == "arrow" and part["label"]]
    assert named and all("means" in part or part["label"][0] == "e" for part in named)


def test_the_camera_comes_near_where_two_bodies_meet_and_moves_without_jumps():
    found = compute(Choice("dumbbells(case=DB2)", ("LGVI",), 0.002, 30.0, space="se3"))
    packed = two_bodies.build_scene(found)
    shapes = two_bodies.pack_shapes(found.problem)
    times = np.linspace(0.0, 30.0, 601)
    seen = painted("return followPair(said);", packed=packed, shapes=shapes, times=times.tolist())
    far = np.array(seen)
    meeting = far[np.searchsorted(times, 9.0)]
    assert meeting < 0.25 * far[-1]
    assert np.abs(np.diff(np.log(far))).max() < 0.08


def test_a_picture_in_which_nothing_changes_is_not_drawn_again(results):
    packed = one_body.build_scene(results, "body")
    shapes = one_body.pack_shapes(results, "body")
    first, next_one, asked = painted(
        "return countFrames(said);", packed=packed, shapes=shapes, time=1.0
    )
    assert first == asked > 0 == next_one


@pytest.mark.parametrize(("size", "beside"), [((1280, 720), True), ((500, 900), False)])
def test_a_frame_beside_or_below_the_scene_waits_for_an_answer(size, beside):
    calls = painted("return recordStage(said);", size=size, hidden=["plots"])
    ((_, left, top, width, height),) = (call for call in calls if call[0] == "strokeRect")
    assert left >= size[0] / 2 if beside else top > 0.4 * size[1]
    assert size[0] / 3 < width < size[0] - left and size[1] / 3 < height < size[1] - top
    places = {call[1]: call[2:] for call in calls if call[0] == "fillText"}
    x, y = places["Predict first"]
    assert left < x < left + width and top < y < top + height


def test_a_motion_that_begins_plays():
    assert painted("clock.begin(); return clock.playing;")


def test_lines_and_surfaces_have_one_scale_of_depths(results):
    lines, surfaces = paint(
        results,
        "body",
        "['depth', 'projection'].map(name => drawn.filter(one => name in one).map(one => one[name]))",
    )
    assert lines and {projection[14] for projection in surfaces} == set(lines)


def test_a_translucent_body_lies_behind_the_solid_one_where_they_coincide(results):
    found = paint(
        results,
        "body",
        "drawn.filter(one => 'glass' in one).map(one => [one.colour[3], findDepth(one, 5)])",
    )
    solid = [depth for opacity, depth in found if opacity == 1.0]
    ghosts = [depth for opacity, depth in found if opacity < 1.0]
    assert len(ghosts) == 2 and set(solid) == {0.0}
    assert min(ghosts) > 100 / 2**24, (
        "more than roundoff in the buffer of depths, which would let both flicker"
    )


@pytest.mark.parametrize("problem", ["free", "slow-top"])
def test_the_floor_and_the_shadows_on_it_fade_towards_the_edge_of_the_canvas(problem):
    results = compute(Choice(problem, ("NMB", "DMV"), 0.01, 20.0))
    places = "[[200, 150], [0, 150], [400, 150], [200, 0], [200, 20]].map(place => findFlatStrength(one, ...place))"
    flat = paint(
        results,
        "body",
        f"drawn.filter(one => 'rings' in one).map(one => [one.rings, one.model[14], {places}])",
    )
    (rings, height, _), *shadows = flat
    assert rings > 0 and shadows
    for ringed, at, (middle, left, right, bottom, near) in flat:
        assert (middle, left, right, bottom) == (1, 0, 0, 0) and 0 < near < 1, "no straight cut"
        assert (ringed, at) == (rings, height) or (ringed, at) == (
            0,
            pytest.approx(height, abs=0.02),
        )


@pytest.mark.parametrize("kind", ["poinsot", "body", "momentum"])
def test_a_trail_is_the_fainter_the_older_it_is(results, kind):
    ages = "[0, 0.25, 0.5, 0.75, 1].map(part => findStrength(one, part * (one.tail || one.fade)))"
    trails = paint(results, kind, f"drawn.filter(one => one.line && one.timed).map(one => {ages})")
    assert trails
    for strengths in trails:
        assert strengths[0] == 1.0 and strengths[-1] <= 0.4
        assert all(old < young for young, old in pairwise(strengths))


def test_a_method_that_leaves_its_polhode_has_points_off_it():
    results = compute(Choice("free", ("NMB", "CG2"), 1.0, 100.0))
    problem = results.problem
    moments, axes = problem.principal
    curve = (polhode.momentum_loop(moments, axes.T @ problem.Pi0) / moments) @ axes.T
    np.testing.assert_allclose(
        np.einsum("ni,ij,nj->n", curve, problem.J, curve), curve[0] @ problem.J @ curve[0]
    )
    np.testing.assert_allclose(
        np.linalg.norm(curve @ problem.J, axis=1), np.linalg.norm(problem.Pi0)
    )
    (loop,) = [
        part["points"]
        for part in scene_of(one_body.build_scene(results, "poinsot"))["parts"]
        if "points" in part
    ]
    scale = np.sqrt(moments.min() / (problem.Omega0 @ problem.J @ problem.Omega0))
    np.testing.assert_allclose(np.reshape(loop, (-1, 3)), scale * curve, atol=1e-6)
    off = [
        np.abs(np.linalg.norm(x.run.Omega[:, None] - curve, axis=-1)).min(1).max()
        for x in results.runs
    ]
    assert off[0] < 0.02 and off[1] > 0.2


def test_a_long_run_is_thinned_and_that_is_said():
    results = compute(Choice("free", ("NMB",), 0.01, 90.0))
    header = scene_of(one_body.build_scene(results, "body"))
    track = header["tracks"][0]
    rows = len(results.runs[0].run)
    assert rows > packing.MOST_SAMPLES >= track["n"] - 1
    assert track["t"][-1] == pytest.approx(90.0)
    assert f"every {format_ordinal(-(-rows // packing.MOST_SAMPLES))} state" in header["caption"]


TYPED = Choice("custom(torque=formula)", ("RKMK", "CG2"), 0.1, 5.0).with_changes(
    formula="-0.1*R@Omega + sin(2*t)*e1"
)


def torque_arrows(header):
    return [part for part in header["parts"] if part.get("curve") == "torque"]


@pytest.mark.parametrize("kind", ["body", "poinsot"])
def test_a_typed_torque_has_an_arrow_along_each_motion(kind):
    results = compute(TYPED)
    header = scene_of(one_body.build_scene(results, kind))
    (arrow,) = torque_arrows(header)
    assert {"key": "torque", "label": "Torque", "on": True} in header["layers"]
    for track, line in zip(header["tracks"], results.runs, strict=False):
        run = line.run
        torque = -0.1 * np.einsum("nij,nj->ni", run.R, run.Omega)
        torque[:, 0] += np.sin(2 * run.t)
        np.testing.assert_allclose(np.reshape(track["torque"], (-1, 3)), torque, atol=1e-4)
    assert len(header["tracks"]) == 3  # with the exact motion
    largest = np.linalg.norm(np.reshape(header["tracks"][0]["torque"], (-1, 3)), axis=1).max()
    assert 0.8 < arrow["scale"] * largest < 1.2
    for free in (CHOICE, Choice("slow-top", ("NMB",), 0.01, 1.0)):
        assert not torque_arrows(scene_of(one_body.build_scene(compute(free), kind)))


def test_the_arrow_of_a_torque_is_in_space_between_rows():
    """However the body is turned there."""
    points = answered(
        """
        const track = new Track({n: 2, t: [0, 1], q: Float32Array.of(1, 0, 0, 0, 0, 1, 0, 0), Omega: [0, 0, 0, 3, 0, 0],
            torque: Float32Array.of(1, 0, 0, 0, 0, 2)});
        return [0, 0.5, 1].map(f => track.vector({curve: "torque", scale: 2}, 0, f));"""
    )
    assert points == [[2, 0, 0], [1, 0, 2], [0, 0, 4]]


def test_a_torque_that_is_typed_is_shown_before_it_is_entered():
    picture = Body3D()
    picture.preview_torque(Formula("e1"))  # without a motion
    picture.show(compute(TYPED))
    picture.preview_torque(Formula("0.2*e3", frame="body"))
    header = scene_of(picture.panel.scene)
    (arrow,) = torque_arrows(header)
    assert arrow["scale"] == pytest.approx(1.1 / 0.2, rel=1e-3)
    (track, *_), run = header["tracks"], picture._results.runs[0].run
    np.testing.assert_allclose(
        np.reshape(track["torque"], (-1, 3)), 0.2 * run.R[:, :, 2], atol=1e-4
    )


def draw_curves(choice):
    header = scene_of(one_body.build_scene(compute(choice), "poinsot"))
    return [
        part for part in header["parts"] if "of" in part and part["kind"] in ("line", "points")
    ], header


def test_rows_more_than_half_a_turn_apart_are_not_joined():
    """A straight line between the points would pass through the ellipsoid, while ω stays on it."""
    found, header = draw_curves(dataclasses.replace(CHOICE, methods=("NMB",), duration=1e5))
    assert {part["kind"] for part in found} == {"points"}
    assert {part["curve"] for part in found} == {"Omega", "omega"}
    for part in found:
        assert 1000 < header["tracks"][part["of"]]["n"] / part["stride"] <= 2000
    assert "Their curves are drawn as points." in header["caption"]


def test_of_a_long_curve_the_part_about_the_time_is_drawn():
    found, header = draw_curves(Choice("asymmetric-top", ("NMB",), 0.01, 200.0))
    axis = [part for part in found if part["curve"] == "axis"]
    assert len(axis) > 2 and all(part["timed"] and 0 < part["recent"] < 25 for part in axis)
    assert "Long curves fade with age." in header["caption"]
    found, header = draw_curves(dataclasses.replace(CHOICE, duration=50.0))
    assert all("recent" not in part for part in found) and "Long curves" not in header["caption"]


@pytest.mark.parametrize("curve", ["axis", "pi", "omega", "Pi"])
def test_the_length_of_a_curve_is_told_from_the_motion_in_the_body(curve):
    """Compared with the path in space of a symmetric top in steady rotation."""
    run = compute(Choice("fast-top", ("RKMK",), 0.001, 0.5)).runs[0].run
    vectors = {
        "axis": np.array([0.0, 0.0, 1.0]) + 0 * run.Omega,
        "pi": run.Pi,
        "Pi": run.Pi,
        "omega": run.Omega,
    }[curve]
    path = vectors if curve == "Pi" else polhode.to_space(run.R, vectors)
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    found = polhode.path_length(curve, (0.0, 0.0, 1.0), run.t, run.Omega, run.problem.J)
    assert found == pytest.approx(len(steps) * np.median(steps), rel=0.05)
    body = "return measureCurve({n: said.t.length, ...said}, said.curve, [0, 0, 1]);"
    curve = "Omega" if curve == "omega" else curve
    assert answered(body, t=run.t, Omega=run.Omega, J=run.problem.J, curve=curve) == pytest.approx(
        found
    )


def test_a_motion_that_ended_early_says_so():
    header = scene_of(
        one_body.build_scene(compute(Choice("free", ("DMV", "NMB"), 4.0, 40.0)), "body")
    )
    stopped, other = header["tracks"][:2]
    assert stopped["ended"] == "no solution found from t = 0 on" and stopped["t"].tolist() == [0]
    assert other["ended"] == "" and header["duration"] == 40


def test_nothing_to_turn_is_a_sentence(results):
    nothing = dataclasses.replace(results, lines=(), exact=None)
    header = scene_of(one_body.build_scene(nothing, "body"))
    assert header["tracks"] == [] and header["note"].startswith("No motion")


def test_the_exact_motion_alone_is_shown_once():
    made = scene_of(one_body.build_scene(compute(Choice("free", ("EXACT",), 0.1, 10.0)), "body"))
    assert [track["label"] for track in made["tracks"]] == ["Exact motion"]
    assert made["caption"] == "The curve is the latest path of the tip of e₂ in space."


def test_with_torque_the_axis_and_momentum_leave_traces():
    header = scene_of(
        one_body.build_scene(compute(Choice("slow-top", ("NMB",), 0.01, 1.0)), "poinsot")
    )
    assert {part["curve"] for part in header["parts"] if part["kind"] == "line"} == {
        "axis",
        "omega",
        "pi",
    }


def test_the_edges_of_the_disc_are_three_rings_on_it():
    disc = meshes.disc()
    radii = np.linalg.norm(disc.edges, axis=-1)
    assert np.unique(radii.round(5)) == pytest.approx([1 / 3, 2 / 3, 1], abs=1e-5)
    assert np.linalg.norm(disc.points, axis=1).max() == pytest.approx(1)


@pytest.mark.parametrize("shape", meshes.SHAPES)
@pytest.mark.parametrize("moments", MOMENTS)
def test_a_shape_is_closed_and_has_the_moments_it_stands_for(shape, moments):
    surface = meshes.build_body(shape, moments)
    assert boundary(surface) == 0
    assert np.linalg.det(surface.points[surface.triangles]).sum() / 6 > 0.01  # wound to the outside
    np.testing.assert_allclose(np.linalg.norm(surface.normals, axis=1), 1, atol=1e-5)
    assert np.linalg.norm(surface.points, axis=1).max() == pytest.approx(1, abs=1e-6)
    np.testing.assert_allclose(
        principal(surface) / principal(surface)[0], np.array(moments) / moments[0], rtol=1e-5
    )


@pytest.mark.parametrize("shape", first(["box", "prism"]))
def test_a_shape_has_the_edges_and_normals_that_pyvista_finds(shape):
    made = meshes.build_body(shape, MOMENTS[0])
    found = meshes.build_own(made.points, made.triangles, np.zeros(3))
    lengths = [np.linalg.norm(one.edges[:, 1] - one.edges[:, 0], axis=1) for one in (made, found)]
    assert len(lengths[0]) == len(lengths[1])
    np.testing.assert_allclose(np.sort(lengths[0]), np.sort(lengths[1]), atol=1e-5)
    near = np.linalg.norm(found.points[:, None] - made.points, axis=2) < 1e-5
    along = found.normals @ made.normals.T
    assert np.where(near, along, -1).max(axis=0).min() > 0.99
    assert np.where(near, along, -1).max(axis=1).min() > 0.99


@pytest.mark.exhaustive
def test_only_meshes_that_people_bring_take_pyvista():
    code = (
        "import sys; sys.modules['pyvista'] = None\n"
        "from app.state.choice import FIRST\nfrom app.pages.lab import open_lab\nfrom app.scene import meshes\n"
        "print(*(len(open_lab(FIRST[space]).main()) for space in FIRST))\n"
        "print(*(len(meshes.build_body(shape, (1.0, 2.0, 2.5)).points) for shape in meshes.SHAPES))"
    )
    root = Path(meshes.__file__).parents[2]
    subprocess.run([sys.executable, "-c", code], check=True, cwd=root)


@pytest.mark.parametrize(
    ("shape", "moments"),
    covering(
        product([*meshes.SHAPES, "inertia"], [(0.95, 1.05, 1.6), (0.9, 1.2, 2.1), (0.9, 1.2, 2.5)])
    ),
)
def test_a_mesh_is_drawn_out_for_other_moments(shape, moments):
    """Bounds also hold for surfaces without thickness and for those of no possible body."""
    make = (
        meshes.inertia_ellipsoid
        if shape == "inertia"
        else functools.partial(meshes.build_body, shape)
    )
    name = "ellipsoid" if shape == "inertia" else "body"
    factors = answered("return stretchFactors(...said.given);", given=[name, MOMENTS[0], moments])
    points = make(MOMENTS[0]).points * factors
    np.testing.assert_allclose(
        points / np.linalg.norm(points, axis=1).max(), make(moments).points, atol=1e-6
    )


def test_orbits_on_the_momentum_sphere_have_one_energy_each_and_the_separatrix_that_of_the_middle_axis():
    moments = np.array([1.0, 2.0, 3.5])
    found = answered("return listOrbits([...said.moments]);", moments=moments)
    for name, count in (("orbits", 20), ("separatrix", 2)):
        assert len(found[name]) == count
        for loop in np.array(found[name]):
            np.testing.assert_allclose(np.linalg.norm(loop, axis=1), 1, atol=1e-9)
            np.testing.assert_allclose(loop[0], loop[-1], atol=1e-12)
            energies = (loop**2 / moments).sum(axis=1)
            assert np.ptp(energies) < 1e-9
            assert (abs(energies[0] - 0.5) < 1e-9) == (name == "separatrix")
    for moments in (
        [1.0, 1.0, 2.0],
        [2.0, 1.0, 2.0],
        [1.0, 1.0, 1.0],
    ):  # equal moments have circles, or nothing
        found = answered("return listOrbits([...said.moments]);", moments=np.array(moments))
        assert found["separatrix"] == [] and len(found["orbits"]) == (
            0 if len(set(moments)) == 1 else 10
        )


def test_the_start_on_the_sphere_is_where_the_ray_of_the_pointer_meets_it():
    calls = ("[0.1, 0, -1], 1, 1", "[0.1, 0, -1], 1, -1", "[1, 0, -1], 1, 1")
    near, far, rim = answered(
        "return [" + ", ".join(f"meetSphere([0, 0, 5], {call})" for call in calls) + "];"
    )
    for point in (near, far, rim):
        assert np.linalg.norm(point) == pytest.approx(1)
    assert near[2] > 0 > far[2] and near[0] == pytest.approx(0.1 * (5 - near[2]))
    np.testing.assert_allclose(rim, [0.5**0.5, 0, 0.5**0.5], atol=1e-12)


def test_views_side_by_side_fill_the_canvas_and_names_do_not_overlap():
    for n, size, columns in (
        (2, (800, 400), 2),
        (2, (300, 700), 1),
        (3, (900, 320), 3),
        (4, (500, 480), 2),
    ):
        boxes = answered("return dividePanes(...said.given);", given=np.array([n, *size]))
        assert len({box["left"] for box in boxes}) == columns
        assert sum(box["width"] * box["height"] for box in boxes) == pytest.approx(
            size[0] * size[1]
        )
    at = [[50, 2], [52, 4], [51, 3], [100, 80]]  # three names at the upper border
    script = f"const names = {at}.map(([x, y]) => ({{x, y}})); "
    script += "spreadNames(names, {left: 0, top: 0, width: 200, height: 100}); return names.map(({x, y}) => [x, y]);"
    spread = np.array(answered(script))
    apart = np.abs(spread[:, None] - spread)[np.triu_indices(4, 1)]
    assert ((apart[:, 0] > 25.5) | (apart[:, 1] > 17.5)).all() and spread.min() >= 9
    np.testing.assert_allclose(spread[3], at[3])


def test_an_arrow_ends_within_the_picture():
    eye, wide = 5.0, 3.0
    view = np.array([[wide, 0, 0, 0], [0, wide, 0, 0], [0, 0, -1, 0], [0, 0, -1, eye]])
    tips = (
        np.random.default_rng(3).normal(size=(200, 3)) * np.repeat([0.1, 1, 10, 1000], 50)[:, None]
    )
    tips = np.concatenate([tips, [[0, 0, 4.0], [0.2, 0.1, 0]]])
    foot = [0.1, -0.2, 0.3]
    seen = np.array(
        answered(
            "return said.tips.map(tip => findSeenPart(said.view, said.foot, tip));",
            tips=tips.tolist(),
            view=view.T.ravel().tolist(),
            foot=foot,
        )
    )

    def project(points):
        x, y, _, deep = view @ np.column_stack([points, np.ones(len(points))]).T
        return np.maximum(np.abs(x), np.abs(y)) / deep, deep

    ends = foot + seen[:, None] * (tips - foot)
    place, deep = project(ends)
    assert (seen > 0).all() and (place < 0.95).all() and (deep > 2).all()
    fits, far = project(tips)
    assert (seen[(fits < 0.94) & (far > eye / 2)] == 1).all() and (seen < 1).sum() > 100


def test_a_start_is_dragged_on_the_sphere_in_3d_and_a_body_at_rest_explains_why_not():
    heard = []
    picture = Momentum3D(on_turn=lambda Omega0, held: heard.append((Omega0, held)))
    found = compute(CHOICE)
    picture.show(found)
    before = found.problem.Pi0
    np.testing.assert_allclose(
        scene_of(picture.panel.scene)["start"], before / np.linalg.norm(before), atol=1e-9
    )
    Omega0 = answered(
        "const {facts, motions} = readMotions(said.packed);"
        "return findSpin(buildScene(facts, motions).body, [0, 1, 1]);",
        packed=picture.panel.scene,
    )
    after = found.problem.replace(Omega0=Omega0).Pi0
    np.testing.assert_allclose(
        after, np.linalg.norm(before) * np.array([0, 0.5**0.5, 0.5**0.5]), atol=1e-4
    )
    for start in ("0, 1, 1", [0, 1, 1], None):
        send_message(picture.panel, {"start": start, "held": True})
    assert heard == [("0, 1, 1", True)]
    picture.show(compute(CHOICE.with_changes(Omega0=(0.0, 0.0, 0.0))))
    send_message(picture.panel, {"start": "0, 1, 1"})
    assert len(heard) == 1 and "at rest" in picture.panel.turnable


def boundary(surface):
    """Return the number of edges that are not used equally often in both directions; equal points
    are one.
    """
    _, same = np.unique(np.round(surface.points, 5), axis=0, return_inverse=True)
    faces = same.reshape(-1)[surface.triangles]
    runs = np.zeros((same.max() + 1, same.max() + 1), int)
    np.add.at(runs, (faces.ravel(), np.roll(faces, -1, axis=1).ravel()), 1)
    return np.count_nonzero(runs != runs.T)


def principal(surface):
    """Return the moments of the enclosed body about the origin, by Gauss points of its
    tetrahedra.
    """
    corners = np.concatenate(
        [surface.points[surface.triangles], np.zeros((len(surface.triangles), 1, 3))], axis=1
    )
    a, b = (5 - 5**0.5) / 20, (5 + 3 * 5**0.5) / 20  # the four-point rule, exact for squares
    points = (np.full((4, 4), a) + (b - a) * np.eye(4)) @ corners
    volumes = np.linalg.det(corners[:, :3]) / 6
    xx, yy, zz = np.einsum("t,tpi->i", volumes, points**2) / 4
    return np.array([yy + zz, zz + xx, xx + yy])


@pytest.mark.parametrize("key", [problem.key for problem in engine.problems()])
def test_the_drawn_body_of_each_problem_has_its_moments(key):
    """The squares ∫x², ∫y², ∫z² over the body follow from the moments; a body has some thickness."""
    problem = engine.problem(key)
    results = types.SimpleNamespace(problem=problem, choice=types.SimpleNamespace(dt=problem.dt))
    axes, along, sense = one_body.find_drawn_axes(results)
    moments = np.diag(axes.T @ problem.J @ axes)
    surface = meshes.build_body(
        one_body.choose_shape(problem), tuple(map(float, moments)), (along, sense)
    )
    found, wanted = (J.sum() / 2 - J for J in (principal(surface), moments))
    thinnest = meshes.THINNEST**2 * wanted.max()
    np.testing.assert_allclose(
        found / found.max(), np.maximum(wanted, thinnest) / wanted.max(), rtol=1e-3
    )


def test_an_impossible_body_is_drawn_with_some_thickness():
    for moments in [(1.0, 1.0, 2.0), (1.0, 1.0, 3.0)]:
        assert np.ptp(meshes.build_body("box", moments).points, axis=0).min() > 0.05


def test_an_unknown_shape_is_refused():
    with pytest.raises(ValueError, match="T-handle"):
        meshes.build_body("teapot", MOMENTS[0])


def test_the_inertia_ellipsoid_is_one():
    points, normals, *_ = meshes.inertia_ellipsoid(MOMENTS[0])
    np.testing.assert_allclose((points**2) @ np.array(MOMENTS[0]), min(MOMENTS[0]), rtol=1e-5)
    upright = points * MOMENTS[0] / np.linalg.norm(points * MOMENTS[0], axis=1, keepdims=True)
    assert (upright * normals).sum(axis=1).min() > 0.995


@pytest.fixture(scope="module")
def block(tmp_path_factory):
    """The cube as the reading process returns it, read once; it leaves no file."""
    folder = tmp_path_factory.mktemp("reading")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(folder))
        found = upload.read_mesh("block.OBJ", CUBE.encode())
    assert os.listdir(folder) == []
    return found


def test_a_mesh_gives_its_body(block):
    np.testing.assert_allclose(block.body.J, np.diag([13, 10, 5]) / 12, atol=1e-12)
    np.testing.assert_allclose(block.body.centre, (0.5, 1, 1.5), atol=1e-12)
    assert (block.drawn, block.faces, block.body.name) == (12, 12, "block")
    assert np.linalg.norm(block.surface.points, axis=1).max() == pytest.approx(1)
    assert "12 faces" in describe_mesh(block)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "data", "words"),
    first(
        [
            ("open.obj", CUBE[: CUBE.rindex("f")].encode(), "The mesh is not closed: 4 of its"),
            ("notes.txt", b"hello", "ends in .stl, .ply or .obj"),
            ("large.stl", bytes(upload.LARGEST + 1), "at most 20 MB"),
            ("empty.stl", b"", "'empty.stl' is not a mesh file that can be read"),
            # What makes the reading library crash, or ask for more memory than there is.
            (
                "crash.ply",
                b"ply\nformat ascii 1.0\nelement vertex 99999999999\nproperty float x\nproperty float y\n"
                b"property float z\nelement face 10\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n",
                "'crash.ply' declares 99,999,999,999 elements 'vertex', more than it has bytes.",
            ),
        ],
        2,
    ),
)
def test_a_mesh_that_can_not_be_had_is_refused_in_words(name, data, words):
    with pytest.raises(ValueError, match=words.replace(".", r"\.")) as refusal:
        upload.read_mesh(name, data)
    assert "\n" not in str(refusal.value) and str(refusal.value).endswith(".")


BOUNDS = """
import resource as r
from app.scene import upload

def read(*_, **__):
    print([r.getrlimit(kind)[0] for kind in (r.RLIMIT_AS, r.RLIMIT_CPU, r.RLIMIT_CORE)], flush=True)
    r.setrlimit(r.RLIMIT_CPU, (1, r.getrlimit(r.RLIMIT_CPU)[1]))
    while True:
        pass

upload.mass_properties.from_mesh = read
upload.main("mesh.obj")
"""


@pytest.mark.exhaustive
def test_the_process_that_reads_a_mesh_is_bounded(monkeypatch):
    environment = (
        os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))} | reader.ONE_THREAD
    )
    done = subprocess.run(
        [sys.executable, "-c", BOUNDS], env=environment, capture_output=True, text=True
    )
    assert done.stdout.strip() == str([reader.MEMORY, reader.LONGEST, 0]), done.stderr
    assert done.returncode == reader.TIME_IS_UP
    monkeypatch.setattr(reader, "run_reader", lambda *_: done)
    with pytest.raises(ValueError, match="takes more than 30 seconds to read; take a simpler mesh"):
        upload.read_mesh("block.obj", CUBE.encode())


@pytest.mark.parametrize(
    ("bound", "words"),
    [("MEMORY", "'block.obj' takes too much memory"), ("LONGEST", "takes more than 0 seconds")],
)
def test_a_mesh_is_bounded_also_where_the_system_sets_no_limits(
    bound, words, monkeypatch, tmp_path
):
    """The process that reads it sets itself no limits, and does not end."""
    (tmp_path / "sitecustomize.py").write_text("while True: pass")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(reader, bound, 0)
    monkeypatch.setattr(reader, "CHECK_EVERY", 0.01)
    with pytest.raises(ValueError, match=f"{words} to read; take a simpler mesh"):
        upload.read_mesh("block.obj", CUBE.encode())


def test_each_system_sets_the_limits_that_it_has(monkeypatch):
    """macOS refuses to limit the address space, and Windows has no such module."""
    limits = {}

    def setrlimit(kind, limit):
        if kind == "AS":
            raise ValueError("current limit exceeds maximum limit")
        limits[kind] = limit

    kinds = {f"RLIMIT_{kind}": kind for kind in ("AS", "CPU", "CORE")}
    monkeypatch.setitem(
        sys.modules, "resource", types.SimpleNamespace(**kinds, setrlimit=setrlimit)
    )
    reader.limit_resources()
    assert limits == {"CPU": (reader.LONGEST, reader.LONGEST + 1), "CORE": (0, 0)}
    monkeypatch.setitem(sys.modules, "resource", None)
    reader.limit_resources()


def test_reading_a_mesh_ends_when_its_visitor_has_left():
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        upload.read_mesh("block.obj", CUBE.encode(), cancel=cancel)


def test_the_process_that_reads_a_mesh_leaves_half_of_a_container_to_the_server():
    compose = (Path(upload.__file__).parents[2] / "compose.yaml").read_text()
    of_the_server = compose[compose.index("  polhode:\n") : compose.index("  scheduler:\n")]
    (gigabytes,) = re.findall(r"mem_limit: (\d+)g", of_the_server)
    assert int(gigabytes) * 2**30 >= 2 * reader.MEMORY


INSIDE_OUT = "\n".join(
    " ".join(["f", *reversed(line.split()[1:])]) if line.startswith("f") else line
    for line in CUBE.splitlines()
)


@pytest.mark.exhaustive
def test_a_mesh_that_is_inside_out_is_offered_to_be_turned():
    async def visit():
        taken = []
        view = Body3D(taken.append)
        send_message(
            view.panel, {"name": "block.obj", "part": 0, "parts": 1, "data": INSIDE_OUT.encode()}
        )
        while not view.panel.offer:
            await asyncio.sleep(0.02)
        assert taken == [] and "wound the wrong way" in view.panel.said
        send_message(view.panel, {"offer": True})
        assert view.panel.offer == ""
        while not taken:
            await asyncio.sleep(0.02)
        np.testing.assert_allclose(taken[0].J, np.diag([13, 10, 5]) / 12, atol=1e-12)
        send_message(view.panel, {"offer": True})  # nothing is offered any more
        assert len(taken) == 1

    asyncio.run(asyncio.wait_for(visit(), TIMEOUT))


@pytest.mark.exhaustive
def test_of_two_files_the_newest_counts():
    async def visit():
        taken = []
        others = asyncio.all_tasks()
        view = Body3D(taken.append)
        larger = "\n".join(
            line.replace("1", "2") if line.startswith("v") else line for line in CUBE.splitlines()
        )
        for name, text in (("first.obj", larger), ("second.obj", CUBE)):
            send_message(view.panel, {"name": name, "part": 0, "parts": 1, "data": text.encode()})
        while not taken or asyncio.all_tasks() != others:
            await asyncio.sleep(0.02)
        (body,) = taken
        np.testing.assert_allclose(body.J, np.diag([13, 10, 5]) / 12, atol=1e-12)
        assert view.panel.bodies[-1] == [OWN, "second"]

    asyncio.run(asyncio.wait_for(visit(), TIMEOUT))


def test_more_faces_than_allowed_are_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(upload, "MOST_FACES", 11)
    monkeypatch.setattr("resource.setrlimit", lambda *_: None)  # it would bound this process
    monkeypatch.setattr(
        upload.mass_properties, "MAX_TRIANGLES", upload.mass_properties.MAX_TRIANGLES
    )
    (tmp_path / "mesh.obj").write_text(CUBE)
    assert upload.main("mesh.obj") == upload.REFUSED
    assert capsys.readouterr().out.strip() == "the mesh has 12 triangles, more than the 11 allowed"


def test_a_mesh_of_many_faces_is_drawn_with_fewer(monkeypatch):
    import pyvista

    monkeypatch.setattr(meshes, "MOST_DRAWN", 500)
    ball = pyvista.Sphere(theta_resolution=40, phi_resolution=40)
    surface = meshes.build_own(ball.points, ball.regular_faces, np.zeros(3))
    assert 400 < len(surface.triangles) < 600 < ball.n_cells


@pytest.mark.parametrize(("sides", "edges"), [(11, 33), (13, 26)])
def test_an_edge_is_drawn_where_faces_meet_at_more_than_thirty_degrees(sides, edges):
    """360°/11 is more, and 360°/13 is less."""
    pyvista = pytest.importorskip("pyvista")
    prism = pyvista.Cylinder(resolution=sides).triangulate()
    assert len(meshes.build_own(prism.points, prism.regular_faces, np.zeros(3)).edges) == edges


def test_parts_of_a_file_come_together():
    parts = reader.FileParts(upload.LARGEST, "A mesh")
    assert parts.add({"name": "a.stl", "part": 0, "parts": 2, "data": b"one "}) is None
    assert parts.add({"name": "a.stl", "part": 1, "parts": 2, "data": b"two"}) == (
        "a.stl",
        b"one two",
    )


@pytest.mark.parametrize(
    "message",
    [
        {"name": "a.stl", "part": 1, "parts": 2, "data": b""},
        {"name": "a.stl", "part": 0, "parts": 1, "data": bytes(upload.LARGEST + 1)},
        {"name": 7, "part": 0, "parts": 1, "data": b""},
        {"name": "a.stl", "part": 0, "parts": 1, "data": "text"},
        {},
        None,
    ],
)
def test_what_is_no_part_of_a_file_is_refused(message):
    with pytest.raises(ValueError):
        reader.FileParts(upload.LARGEST, "A mesh").add(message)


def test_a_player_says_what_is_wrong_with_a_file():
    player = component.Player(lambda name, data: None)
    send_message(player, {"name": "a.stl", "part": 3, "parts": 4, "data": b""})
    assert player.said == "A part of the file did not arrive; please choose it again."


def test_a_view_sends_its_meshes_once(results):
    view = Poinsot3D()
    view.show(results)
    sent = view.panel.shapes
    assert sent and view.panel.scene
    watched = []
    view.panel.param.watch(watched.append, "shapes")
    view.show(compute(dataclasses.replace(CHOICE, dt=0.25)))
    assert watched == []


def test_ones_own_mesh_is_drawn_while_the_problem_has_its_inertia(results, block):
    bodies = []
    appearance = Appearance()
    view = Body3D(bodies.append, appearance)
    view.show(results)
    view.use_mesh(block)
    assert view.panel.body == OWN and view.panel.bodies[-1] == [OWN, "block"]
    assert appearance.choose(results) == (OWN, None)  # the problem still has its own
    [body] = bodies
    changed = compute(CHOICE.with_changes(J=body.J))
    view.show(changed)
    assert appearance.choose(changed)[1] is not None
    view.panel.body = AUTO
    assert appearance.choose(changed) == (AUTO, None)
    view.panel.body = OWN
    assert len(bodies) == 2


def test_a_body_that_the_page_refuses_is_said(block):
    def refuse(body):
        raise ValueError("This inertia cannot be had.")

    view = Body3D(refuse)
    view.use_mesh(block)
    assert view.panel.said == "This inertia cannot be had."


def test_poinsot_s_body_looks_as_the_body_in_space() -> None:
    appearance = Appearance()
    results = compute(Choice("free", ("NMB",), 0.5, 10.0))
    body = Body3D(appearance=appearance)
    poinsot = Poinsot3D(appearance)
    body.show(results)
    poinsot.show(results)
    before = poinsot.panel.shapes
    body.panel.body = "book"
    poinsot.show(results)
    assert poinsot.panel.shapes != before
    body.panel.body = AUTO
    poinsot.show(results)
    assert poinsot.panel.shapes == before


def test_the_body_is_turned_by_hand_in_space_by_a_rotation_vector():
    """Drags turn about the screen's axes, in a picture that is itself rotated by a quarter turn."""
    vector = np.array([0.3, -0.2, 0.5])
    q = [0.5, 0.5, -0.5, 0.5]
    script = "const view = {azimuth: 0, elevation: 0, scene: {up: [0, 1, 0, -1, 0, 0, 0, 0, 1]}};"
    script += f"console.log(JSON.stringify([turnQuaternion({q}, {vector.tolist()}), ...screenAxes(view)]));"
    turned, *axes = json.loads(carried_out(bundle_script(SCRIPTS / "scene/turn-body.js") + script))
    expected = Rotation.from_rotvec(vector) * Rotation.from_quat(np.roll(q, -1))
    found = Rotation.from_quat(np.roll(turned, -1))
    np.testing.assert_allclose(found.as_matrix(), expected.as_matrix(), atol=1e-12)
    np.testing.assert_allclose(axes, [[-1, 0, 0], [0, 0, 1]], atol=1e-12)

    heard = []
    top = Poinsot3D(on_turn=lambda R0, held: heard.append((R0, held)))
    top.show(compute(Choice("lagrange-top", ("NMB",), 0.05, 1.0)))
    R0, none = answered("return said.q.map(findTurn);", q=[turned, [-2, 0, 0, 0]])
    np.testing.assert_allclose(
        Rotation.from_rotvec(R0).as_matrix(), expected.as_matrix(), atol=2e-4
    )
    assert none == [0, 0, 0] and max(len(f"{abs(x):g}") for x in R0) <= 7
    for message in (
        {"start": "0.1, 0.2, 0", "held": True},
        {"start": "0, 0, 0"},
        {"start": turned},
    ):
        send_message(top.panel, message)
    assert heard == [("0.1, 0.2, 0", True), ("0, 0, 0", False)]
    top.show(compute(CHOICE))
    send_message(top.panel, {"start": "0.1, 0.2, 0"})
    assert len(heard) == 2 and "moves alike" in top.panel.turnable


@pytest.mark.exhaustive
def test_the_energy_error_is_heard_as_a_pitch_if_that_is_wanted(results):
    """One whole tone for each power of ten, from the steady tone at roundoff; silence after a run
    has ended.
    """
    picture = Body3D()
    picture.show(results)
    assert picture.panel.heard == b"" and not picture.panel.accepts("sounding", 1)
    assert picture.panel.accepts("sounding", True)
    picture.panel.sounding = True
    header, data = packing.unpack(picture.panel.heard)

    def numbers(array):
        return np.frombuffer(data, "<f4", array[1], array[0])

    for line, voice in zip(results.runs, header["voices"], strict=True):
        error = np.abs(line.run.energy / line.run.energy[0] - 1)
        np.testing.assert_allclose(numbers(voice["t"]), line.run.t, rtol=1e-6)
        there = error > 1e-13
        np.testing.assert_allclose(
            numbers(voice["level"])[there], np.log10(error[there]), atol=2e-3
        )
        assert numbers(voice["level"])[0] == -16
    picture.show(compute(dataclasses.replace(CHOICE, problem="book-toss")))
    header, _ = packing.unpack(picture.panel.heard)
    assert header == {"voices": [], "explanation": NO_SOUND}
    picture.panel.sounding = False
    assert picture.panel.heard == b""

    script = """const track = {t: [0, 1, 3], level: [-16, -8, -4]};
    console.log(JSON.stringify([[-16, -10, -4, -40, 9].map(pitch), [0, 0.5, 2, 3].map(t => levelAt(track, t)),
        [levelAt(track, 3.1), levelAt(track, -1), levelAt({t: [], level: []}, 0)].map(Number.isNaN),
        places(3), places(1)]));"""
    pitches, along, silent, three, one = json.loads(
        carried_out(bundle_script(SCRIPTS / "scene/sound.js") + script)
    )
    np.testing.assert_allclose(pitches, [220, 440, 880, 220, 220 * 2 ** (34 / 12)], rtol=1e-12)
    assert along == [-16, -12, -6, -4] and silent == [True] * 3
    np.testing.assert_allclose(three, [-0.7, 0, 0.7], atol=1e-12)
    assert one == [0]
