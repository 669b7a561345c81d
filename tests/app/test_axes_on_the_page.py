"""Sentences and pictures are the same for every order of the body's axes, and for other axes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from body_axes import AXES, KOVALEVSKAYA, OTHERS, START, TOP, describe_in_axes
from covering import covering, first
from drawing import scene_of
from scipy.spatial import KDTree

import engine
from app.scene import one_body, packing
from app.scene.polhode import energy_levels, momentum_loop
from app.state.choice import Choice
from app.state.narration import narrate
from app.state.pages.engine_question import EngineQuestion
from app.state.pages.engine_verdict import judge, write_verdict
from app.state.presets import PRESETS
from app.state.results import compute

RACKET = engine.problem("custom", J=(1.0, 2.0, 2.8), R0=START, Omega0=(0.01, 2.0, 0.02))
BODIES = {
    "racket": RACKET,
    "about the least axis": RACKET.replace(Omega0=(2, 0.1, 0.1)),
    "about the greatest axis": RACKET.replace(Omega0=(0.1, 0.1, 2)),
    "symmetric": RACKET.replace(J=(2, 2, 1), Omega0=(0.3, 0.4, 1)),
    "steady": RACKET.replace(Omega0=(0, 0, 1)),
    "top": TOP,
    "kovalevskaya": KOVALEVSKAYA,
}
FREE = [name for name in BODIES if name not in ("top", "kovalevskaya")]
CASES = covering((body, axes) for axes in OTHERS for body in BODIES)


@pytest.fixture(scope="module")
def seen():
    """The results of a body in some axes, each computed once."""
    found = {}

    def results_of(body, axes, method="RKMK"):
        if (body, axes, method) not in found:
            problem = describe_in_axes(BODIES[body], axes)
            changes = {
                name: np.asarray(getattr(problem, name)).ravel().tolist()
                for name in ("J", "Omega0")
            }
            changes["R0"] = problem.R0.tolist()
            if problem.key != "custom":
                changes["chi"] = list(problem.values["chi"])
            choice = Choice(problem.key, (method,), 0.05, 2.0).with_changes(**changes)
            found[body, axes, method] = compute(choice)
        return found[body, axes, method]

    return results_of


@pytest.mark.parametrize(("body", "axes"), CASES)
def test_the_headline(seen, body, axes):
    assert narrate(seen(body, axes)) == narrate(seen(body, "123"))


@pytest.mark.parametrize(("body", "axes"), covering((b, a) for a in OTHERS for b in FREE))
def test_the_verdict_on_an_engine(seen, body, axes):
    def verdict(axes):
        results = seen(body, axes, "jolt")
        return write_verdict(judge(EngineQuestion("jolt", results.choice), results))

    assert verdict(axes) == verdict("123")


@pytest.mark.parametrize(("body", "axes"), CASES)
def test_curves_on_the_momentum_sphere(seen, body, axes):
    """The same curves in the body, seen from its other axes."""

    def curves(axes):
        problem = seen(body, axes).problem
        moments, principal = problem.principal
        into = AXES[axes].T @ principal
        loop = momentum_loop(moments, principal.T @ problem.Pi0)
        levels = energy_levels(moments)
        return len(levels), loop @ into.T, np.vstack(levels) @ into.T

    (count, loop, levels) = curves(axes)
    (expected_count, expected_loop, expected) = curves("123")
    assert count == expected_count
    size = np.linalg.norm(expected_loop[0])
    assert measure_distance(loop, expected_loop) < 0.02 * size
    assert measure_distance(levels, expected) < 0.03


@pytest.mark.parametrize(("body", "axes"), CASES)
def test_the_body_that_is_drawn(seen, body, axes):
    """The points of its mesh are the same, whatever axes describe them: a top points to its centre
    of mass. A symmetric body without one may be turned about its own axis.
    """

    def find_points(axes):
        header, data = packing.unpack(one_body.pack_shapes(seen(body, axes), "body"))
        at, length, kind, unit = header["meshes"]["body"]["points"]
        points = np.frombuffer(data, f"<{kind}", length, at) * unit
        x, y, z = (points.reshape(-1, 3) @ AXES[axes]).T
        return np.stack([np.hypot(x, y), z] if body == "symmetric" else [x, y, z], axis=1)

    assert measure_distance(find_points(axes), find_points("123")) < 2e-4


@pytest.mark.parametrize("body", first(["symmetric", "racket"]))
def test_the_words_of_the_momentum_sphere(seen, body):
    """They name the axes by their inertia."""
    captions = {
        scene_of(one_body.build_scene(seen(body, axes), "momentum"))["caption"] for axes in AXES
    }
    assert len(captions) == 1
    assert ("least and of greatest inertia" in captions.pop()) == (body == "racket")


@pytest.mark.parametrize(
    ("body", "axes"), covering((b, a) for a in OTHERS for b in ("top", "kovalevskaya"))
)
def test_the_axis_of_a_top_that_is_traced(seen, body, axes):
    def find_axis(axes):
        scene = scene_of(one_body.build_scene(seen(body, axes), "body"))
        found = [
            part["axis"]
            for part in scene["parts"]
            if part.get("layer") == "trace" and "axis" in part
        ]
        assert found and all(one == found[0] for one in found)
        return np.array(found[0]) @ AXES[axes]

    np.testing.assert_allclose(find_axis(axes), find_axis("123"), atol=1e-12)


def measure_distance(found, expected):
    """The largest distance of a point from the nearest one of the other curves."""
    return max(KDTree(a).query(b)[0].max() for a, b in ((found, expected), (expected, found)))


def list_presets():
    """Presets of one body whose problem can be described in other axes."""
    for preset in PRESETS:
        problem = preset.choice.build_problem()
        movable = problem.key in ("custom", "free", "prism", "asymmetric-top")
        if movable and problem.values.get("torque", "free") in ("free", "gravity"):
            yield preset


@pytest.mark.parametrize("axes", ["213", "oblique"])
@pytest.mark.parametrize("preset", first(list_presets(), 3), ids=lambda preset: preset.key)
def test_presets(preset, axes):
    """Their body, its exact motion and the words on it."""
    choice = replace(preset.choice, methods=("RKMK",), duration=min(preset.choice.duration, 5.0))
    problem = choice.build_problem()
    other = describe_in_axes(problem, axes)
    changes = {
        "J": other.J.ravel().tolist(),
        "R0": other.R0.tolist(),
        "Omega0": other.Omega0.tolist(),
    }
    if "chi" in problem.values:
        changes["chi"] = list(other.values["chi"])
    found = compute(choice.with_changes(**changes))
    expected = compute(choice)
    assert narrate(found) == narrate(expected)
    assert one_body.choose_shape(found.problem) == one_body.choose_shape(expected.problem)
    np.testing.assert_allclose(found.exact.R @ AXES[axes], expected.exact.R, atol=1e-6)
