"""The player: it plays automatically, shows the attitudes of the runs, and follows the keyboard."""

from __future__ import annotations

import base64
import io
import re
from typing import Any

import numpy as np
import pytest
from conftest import assert_runs
from covering import first
from PIL import Image
from scipy.spatial.transform import Rotation, Slerp

import engine
from app.scene.one_body import list_facts, pack_shapes
from app.state.choice import Choice
from app.state.results import compute

expect = pytest.importorskip("playwright.sync_api").expect


@pytest.fixture
def run() -> Any:
    return engine.simulate("free", "NMB", dt=0.5, duration=50)


DRAWN = """([name, R]) => {
    const {solid, attitude} = window.polhode.player;
    return solid === name && R.every((x, i) => Math.abs(x - attitude[i]) < 1e-5);
}"""
"""Whether the solid body follows a motion and has the right attitude."""

PICTURES = {
    "Body in space": ("application", "body in space"),
    "Momentum sphere": ("application", "momentum sphere"),
    "From above": ("img", "momentum sphere"),
    "Paths": ("img", "polhode|trace of the body's axis"),
    "Poinsot": ("application", "Poinsot|Traces"),
}
"""Return what is visible, and its accessible name."""


TURNING = """async () => {
    const {name: player} = performance.getEntriesByType("resource").find(({name}) => name.includes("/player.js"));
    const {Track} = await import(player.replace("player.js", "track.js")), n = 11, rows = [...Array(n).keys()];
    const q = rows.flatMap(i => [Math.cos(i / 2), 0, 0, Math.sin(i / 2)].map(x => (i % 3 ? x : -x)));
    const [t, turns, Omega] = [rows.map(i => i / 2), q, rows.flatMap(() => [1, 0, 0])].map(x => Float32Array.from(x));
    const track = new Track({n, t, q: turns, Omega});
    const {points, pieces} = track.curve({curve: "omega", scale: 1});
    return [pieces, [...points]];
}"""
"""The drawing of e1 in a body that turns about e3 by one radian per row, with quaternions of either
sign.
"""


def scene(lab: Any) -> Any:
    return lab.page.get_by_role("application").first


def at(lab: Any, time: float) -> dict[str, Any]:
    """Wait until the player reaches a time."""
    lab.page.wait_for_function("t => Math.abs(window.polhode.player.time - t) < 1e-6", arg=time)
    player: dict[str, Any] = lab.state["player"]
    return player


def rewind(lab: Any) -> None:
    """Pause at the beginning."""
    if lab.state["player"]["playing"]:
        lab.button("Pause").first.click()
    scene(lab).focus()
    lab.page.keyboard.press("Home")
    at(lab, 0)
    lab.settled()  # drawn at full quality
    lab.still()


def test_while_it_plays_pixels_change_and_the_attitude_is_the_runs(lab: Any, run: Any) -> None:
    lab.open()
    rewind(lab)
    still = scene(lab).screenshot()
    stays = scene(lab).screenshot() == still
    assert stays
    lab.button("Play").first.click()
    between = Slerp(run.t, Rotation.from_matrix(run.R))
    seen = []
    for _ in range(4):
        last = seen[-1] if seen else 0.0
        lab.page.wait_for_function("t => window.polhode.player.time > t + 0.05", arg=last)
        player = lab.state["player"]
        assert player["playing"]
        assert player["solid"] == "NMB"
        seen.append(player["time"])
        expected = between(player["time"]).as_matrix()
        np.testing.assert_allclose(np.reshape(player["attitude"], (3, 3)), expected, atol=1e-5)
    assert scene(lab).screenshot() != still
    revision = lab.state["revision"]
    lab.button("Pause").first.click()
    lab.page.wait_for_function("() => !window.polhode.player.playing")
    assert lab.state["revision"] == revision
    rewind(lab)


@pytest.mark.exhaustive
def test_keys_play_and_step_from_state_to_state(lab: Any, run: Any) -> None:
    lab.open()
    rewind(lab)
    keyboard = lab.page.keyboard
    for n in (1, 2, 3):
        keyboard.press("ArrowRight")
        player = at(lab, run.t[n])
        np.testing.assert_allclose(np.reshape(player["attitude"], (3, 3)), run.R[n], atol=1e-6)
    keyboard.press("ArrowLeft")
    at(lab, run.t[2])
    keyboard.press("End")
    np.testing.assert_allclose(np.reshape(at(lab, 50)["attitude"], (3, 3)), run.R[-1], atol=1e-6)
    keyboard.press("Home")
    at(lab, 0)
    keyboard.press("Space")
    lab.page.wait_for_function("() => window.polhode.player.playing")
    keyboard.press("Space")
    lab.page.wait_for_function("() => !window.polhode.player.playing")
    rewind(lab)


def test_scrubbing_moves_the_time_cursor_of_the_plots(lab: Any, run: Any) -> None:
    lab.open()
    rewind(lab)
    plots = [
        lab.page.get_by_role("img", name=re.compile(f"^{name}"))
        for name in ("Energy error", "Attitude error")
    ]
    before = [plot.screenshot() for plot in plots]
    lab.page.get_by_role("slider", name="Time", exact=True).first.fill("20.25")
    player = at(lab, 20.25)
    halfway = Slerp(run.t, Rotation.from_matrix(run.R))(20.25).as_matrix()
    np.testing.assert_allclose(np.reshape(player["attitude"], (3, 3)), halfway, atol=1e-5)
    assert all(plot.screenshot() != picture for plot, picture in zip(plots, before, strict=True))
    rewind(lab)


def test_the_solid_body_follows_the_motion_that_is_chosen(lab: Any) -> None:
    lab.open()
    rewind(lab)
    lab.page.keyboard.press("End")
    at(lab, 50)
    ends = {
        ("AKW", "Implicit midpoint"): lab.state["runs"][1]["R"],
        ("exact", "exact"): engine.exact("free", [0.0, 50.0], dt=0.5).R[-1].ravel(),
    }
    for (method, name), R in ends.items():
        lab.choose("Motion that the solid body follows", name)
        lab.page.wait_for_function(DRAWN, arg=[method, list(R)])
    lab.choose("Motion that the solid body follows", "Explicit Newmark")
    rewind(lab)


@pytest.mark.exhaustive
def test_variants_of_one_method_stand_below_its_name(lab: Any) -> None:
    labels = ["MR2", "MR2(axes=231)", "MR2(axes=321, trig=cayley)*yoshida4"]
    lab.open(problem="free", methods=",".join(labels), dt="0.5", duration="10")
    motions = lab.page.get_by_role("group", name="Motion that the solid body follows")
    expect(motions.get_by_text("McLachlan–Reich")).to_have_count(1)
    expect(motions.locator(".chip")).to_have_text(
        ["default", "axes 231", "axes 321, turns by the Cayley map and Yoshida 4", "exact"]
    )
    lab.choose("Motion that the solid body follows", "axes 231")
    assert lab.state["player"]["solid"] == labels[1]


@pytest.mark.parametrize(
    "query",
    first([{}, {"problem": "slow-top", "methods": "NMB,ELN", "dt": "0.02", "duration": "4"}]),
)
def test_every_scene_is_drawn_and_follows(lab: Any, query: dict[str, str]) -> None:
    lab.open(**query)
    page = lab.page
    seen = []
    for name, (role, words) in PICTURES.items():
        with_torque = {"Poinsot": "Traces"} if query else {}
        lab.choose("Picture", with_torque.get(name, name))
        picture = page.get_by_role(role, name=re.compile(words)).first
        expect(picture).to_be_visible()
        lab.settled()
        seen.append(picture.screenshot())
        lab.screenshot(
            f"scene-{name.replace(' ', '-').strip('|')}-{lab.state['choice']['problem']}"
        )
        lab.after(lab.button("Double Δt" if len(seen) % 2 else "Halve Δt").click)
        assert picture.screenshot() != seen[-1]
    assert len(set(seen)) == 5


@pytest.mark.exhaustive
def test_a_body_of_ones_own_gives_its_inertia_and_a_bad_one_is_refused_in_words(
    lab: Any, tmp_path: Any
) -> None:
    lab.open(problem="custom", methods="NMB", dt="0.05", duration="2")
    page = lab.page
    lab.choose("Picture", "Body in space")
    page.get_by_title("Shape of the body").click()

    def give(faces: list[str]) -> None:
        a, b, c = 1.0, 2.0, 3.0
        corners = [f"v {x} {y} {z}" for x in (0, a) for y in (0, b) for z in (0, c)]
        mesh = tmp_path / "box.obj"
        mesh.write_text("\n".join([*corners, *(f"f {face}" for face in faces), ""]))
        with page.expect_file_chooser() as chooser:
            page.get_by_role("button", name="Your own mesh").click()
        chooser.value.set_files(mesh)

    box = ["2 4 3 1", "7 8 6 5", "5 6 2 1", "4 8 7 3", "3 7 5 1", "6 8 4 2"]
    lab.unchanged(lambda: give(box[1:]), page.get_by_text(re.compile("not closed")))
    state = lab.after(lambda: give(box))
    J = np.array(state["choice"]["changes"]["J"])
    moments = np.sort(J if J.size == 3 else np.linalg.eigvalsh(J.reshape(3, 3)))
    expected = np.array([1 + 4, 1 + 9, 4 + 9])
    np.testing.assert_allclose(moments / moments[-1], expected / expected[-1], rtol=1e-6)
    assert_runs(state)
    page.get_by_title("Shape of the body").click()
    lab.choose("Picture", "Poinsot")


STRIDES = """() => {
    const kind = WebGL2RenderingContext.prototype, {vertexAttribPointer, drawArrays} = kind;
    window.strides = [];
    window.dots = 0;
    kind.vertexAttribPointer = function (...given) { strides.push(given[4]); return vertexAttribPointer.apply(this, given); };
    kind.drawArrays = function (mode, first, count) { if (mode === this.POINTS) dots = Math.max(dots, count); return drawArrays.call(this, mode, first, count); };
}"""  # noqa: E501
"""Record calls of WebGL, which draws nothing with strides above 255 bytes."""


@pytest.mark.exhaustive
def test_dots_are_drawn_at_any_rotation_of_a_step(lab: Any) -> None:
    """Large rotations in a step give curves of many pieces, with a different point of each between
    two dots.
    """
    lab.open()
    lab.page.evaluate(STRIDES)
    lab.after(lambda: lab.type("Angular velocity Ω₀", "0.1, 5.6, 0.1"))  # 2.8 rad a step
    lab.page.wait_for_function("() => window.dots > 0")
    strides, dots = lab.page.evaluate("() => [strides, dots]")
    lab.forget()
    assert max(strides) <= 255 and dots >= 101


@pytest.mark.exhaustive
def test_a_curve_is_round_between_the_rows(lab: Any) -> None:
    lab.open()
    pieces, points = lab.page.evaluate(TURNING)
    assert pieces == 5
    turned = np.arange(10 * pieces + 1) / pieces
    expected = np.stack([np.cos(turned), np.sin(turned), 0 * turned], axis=1)
    np.testing.assert_allclose(np.reshape(points, (-1, 3)), expected, atol=1e-6)


BESIDE = """async ([meshes, facts]) => {
    const {name: script} = performance.getEntriesByType("resource").find(({name}) => name.includes("/player.js"));
    const {mount} = await import(script.replace("player.js", "mount.js")), host = document.createElement("div");
    host.id = "made-here";
    const style = document.createElement("style");
    style.textContent = await (await fetch("static/extensions/polhode/styles/player.css")).text();
    host.append(style);
    host.style.cssText = "position: fixed;top: 0;left: 0;width: 420px;height: 560px;z-index: 9;background: #fff";
    document.body.append(host);
    const t = Float64Array.from([0, 25, 50]), Omega = Float64Array.from([1, 2, 3, 1, 2, 3, 1, 2, 3]);
    const q = Float64Array.from([1, 0, 0, 0, 0.8, 0.6, 0, 0, 0.8, 0, 0.6, 0]);
    const motions = [{label: "made here", colour: "#0072B2", t, q, Omega}];
    const feed = mount(host, {shapes: Uint8Array.from(atob(meshes), c => c.charCodeAt())});
    for (const J of [facts.J0, facts.J]) feed.scene({facts: {...facts, J}, motions});
}"""
"""A player of a motion computed in the browser, beside those of the page."""


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["poinsot", "body"])
def test_a_motion_made_in_the_browser_is_drawn_and_another_inertia_stretches_the_meshes(
    lab: Any, kind: str
) -> None:
    """Like the meshes that the server creates for that inertia."""
    lab.open()
    tilt = Rotation.from_rotvec([0.3, -0.2, 0.5]).as_matrix()
    before, after = (
        tilt @ np.diag(moments) @ tilt.T for moments in ([2.0, 2.5, 3.0], [1.2, 2.6, 3.1])
    )
    pictures = []
    for made_for in (before, after):
        results = compute(
            Choice("free", ("NMB",), 0.5, 50.0).with_changes(J=tuple(map(tuple, made_for.tolist())))
        )
        meshes = base64.b64encode(pack_shapes(results, kind, "T-handle")).decode()
        report = list_facts(results, kind) | {
            "J": after.ravel().tolist(),
            "J0": made_for.ravel().tolist(),
        }
        lab.page.evaluate(BESIDE, [meshes, report])
        beside = lab.page.locator("#made-here")
        expect(beside.get_by_text("made here")).to_be_visible()
        lab.settled()
        pictures.append(
            np.asarray(
                Image.open(io.BytesIO(beside.locator(".stage").screenshot())).convert("L"), float
            )
        )
        lab.page.evaluate("() => document.getElementById('made-here').remove()")
    lab.forget()
    assert pictures[0].std() > 5
    assert np.abs(pictures[0] - pictures[1]).mean() < 0.1


TURNED = """async ([facts]) => {
    const {name: script} = performance.getEntriesByType("resource").find(({name}) => name.includes("/player.js"));
    const {mount} = await import(script.replace("player.js", "mount.js")), host = document.createElement("div");
    document.body.append(host);
    const feed = mount(host), view = [...globalThis[Symbol.for("polhode.page")].clock.players].at(-1);
    const [t, q, Omega] = [[0], [1, 0, 0, 0], [0, 0, 1]].map(x => Float64Array.from(x));
    const motions = [{label: "made here", colour: "#0072B2", t, q, Omega}];
    feed.scene({facts, motions});
    view.orbit(0.3, 0.1);
    view.magnify(2);
    view.hidden.add("body");
    const seen = () => [view.azimuth, view.elevation, view.zoom, view.hidden.has("body")];
    const before = seen(), targets = [0.1, 1, 3].map(spin => {
        feed.scene({facts: {...facts, Omega0: [spin, 1, 0.1]}, motions});
        return view.target.join();
    });
    const after = seen();
    feed.dispose();
    host.remove();
    return {before, after, targets};
}"""
"""Rotate a view by hand, then load scenes of other sizes."""


@pytest.mark.exhaustive
def test_a_view_that_was_turned_stays_so_however_many_scenes_come(lab: Any) -> None:
    lab.open()
    report = list_facts(compute(Choice("free", ("NMB",), 0.5, 50.0)), "poinsot")
    found = lab.page.evaluate(TURNED, [report])
    lab.forget()
    assert found["after"] == found["before"] and found["before"][2:] == [2, True]
    assert len(set(found["targets"])) == 3


HEIGHTS = """() => {
    const {clock: {players, duration}} = globalThis[Symbol.for('polhode.page')], [view] = players;
    const {scene: {parts, up}, tracks, painter} = view;
    const {size} = parts.find(({mesh, when}) => mesh === "body" && when === "solid");
    const {points} = painter.surfaces.get("body");
    const turn = (A, v) => [0, 3, 6].map(r => A[r] * v[0] + A[r + 1] * v[1] + A[r + 2] * v[2]);
    return view.panes.map(pane => {
        const heights = [...Array(41).keys()].map(k => {
            const R = tracks[pane.solid].attitude(duration * k / 40), ys = [];
            for (let i = 0; i < points.length; i += 3)
                ys.push(view.project(turn(up, turn(R, points.slice(i, i + 3))).map(x => size * x), pane).y);
            return Math.max(...ys) - Math.min(...ys);
        });
        return [Math.max(...heights), pane.height];
    });
}"""
"""The largest height of the solid body in pixels during the motion, and the height of its view."""
PANEL = """canvas => {
    for (let part = canvas; ; part = part.getRootNode().host)
        if (part.style.minHeight.includes("vh")) return part.clientHeight;
}"""
"""The height of the panel, with the picture's tabs, buttons and words."""


@pytest.mark.parametrize(
    "query",
    first(
        [
            {"problem": "free", "picture": "body"},
            {"problem": "free"},
            {"problem": "slow-top", "picture": "body"},
            {"problem": "lagrange-top", "picture": "body"},
            {"problem": "free", "picture": "body", "layout": "side-by-side"},
            {"problem": "lagrange-top", "picture": "body", "layout": "side-by-side"},
        ]
    ),
    ids=lambda query: "-".join(query.values()),
)
def test_the_body_fills_a_third_of_its_panel(lab: Any, query: dict[str, str]) -> None:
    lab.open(anew=True, methods="NMB,AKW,DMV", **query)
    panes = lab.page.evaluate(HEIGHTS)
    panel = scene(lab).evaluate(PANEL)
    assert len(panes) == (4 if "layout" in query else 1)
    for body, pane in panes:
        assert body >= (pane if "layout" in query else panel) / 3
        assert body <= pane, "and all of it is in view"


def test_the_picture_grows_with_the_window(lab: Any) -> None:
    page = lab.page
    try:
        lab.open(problem="free")
        areas = []
        for width, height in ((1440, 900), (1920, 1080), (2560, 1440)):
            page.set_viewport_size({"width": width, "height": height})
            lab.settled()
            box = scene(lab).bounding_box()
            areas.append(box["width"] * box["height"])
        assert areas[1] > 1.5 * areas[0] and areas[2] > 1.5 * areas[1]
    finally:
        page.set_viewport_size({"width": 1440, "height": 900})
