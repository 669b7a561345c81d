"""Mass properties: closed formulas against mesh integrals, invariances, and the text of every
refusal.
"""

from __future__ import annotations

import re
import subprocess
import sys
from fractions import Fraction
from math import pi
from pathlib import Path

import numpy as np
import pytest
from covering import few
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import engine.problems.mass_properties
from engine.problems.mass_properties import (
    Body,
    InsideOut,
    box,
    check_inertia,
    compose,
    cylinder,
    dumbbell,
    ellipsoid,
    from_mesh,
    principal_axes,
    t_handle,
)

CUBE_CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
CUBE_FACES = np.array(
    [
        *([0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5]),
        *([0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6]),
        *([0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]),
    ]
)
FLIPPED = CUBE_FACES[:, ::-1]


def cube(size=(1.0, 1.0, 1.0), middle=(0.0, 0.0, 0.0)):
    return (CUBE_CORNERS - 0.5) * size + middle


def join_meshes(*shells):
    """Join several (vertices, faces) into one mesh."""
    offsets = np.cumsum([0] + [len(vertices) for vertices, _ in shells[:-1]])
    faces = [shell[1] + offset for shell, offset in zip(shells, offsets, strict=True)]
    return np.concatenate([shell[0] for shell in shells]), np.concatenate(faces)


def prism(sides, radius, height):
    """A regular prism about e3, standing for a cylinder."""
    angle = 2 * pi * np.arange(sides) / sides
    ring = np.column_stack(
        [radius * np.cos(angle), radius * np.sin(angle), np.full(sides, -height / 2)]
    )
    rise = np.array([0, 0, height])
    vertices = np.vstack([ring, ring + rise, [-rise / 2, rise / 2]])
    a = np.arange(sides)
    b = (a + 1) % sides
    bottom, top = np.full(sides, 2 * sides), np.full(sides, 2 * sides + 1)
    corners = (
        (a, b, b + sides),
        (a, b + sides, a + sides),
        (bottom, b, a),
        (top, a + sides, b + sides),
    )
    return vertices, np.concatenate([np.column_stack(face) for face in corners])


def quaternion_rotation(q):
    w, x, y, z = np.asarray(q) / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


ROTATIONS = (
    arrays(float, 4, elements=st.floats(-1, 1))
    .filter(lambda q: np.linalg.norm(q) > 0.1)
    .map(quaternion_rotation)
)
SHIFTS = arrays(float, 3, elements=st.floats(-10, 10))
# Second moments of the mass, d = ∫x², …, give every admissible set of principal moments.
MOMENTS = arrays(float, 3, elements=st.floats(0.01, 10)).map(lambda d: d.sum() - d)


# Shapes


def test_shapes_have_the_textbook_inertia():
    np.testing.assert_allclose(box(1, 2, 3, mass=12).J, np.diag([13, 10, 5]), rtol=1e-15)
    np.testing.assert_allclose(cylinder(2, 6, mass=3).J, np.diag([12, 12, 6]), rtol=1e-15)
    np.testing.assert_allclose(ellipsoid(1, 2, 3, mass=5).J, np.diag([13, 10, 5]), rtol=1e-15)
    # Two balls: (2/5) m r² each, plus the reduced mass 2·3/5 times the squared distance across e1.
    own = 0.4 * (2 * 0.5**2 + 3 * 1**2)
    body = dumbbell(2, 3, 4, 0.5, 1)
    np.testing.assert_allclose(body.J, np.diag([own, own + 1.2 * 16, own + 1.2 * 16]), rtol=1e-15)
    np.testing.assert_allclose(body.centre, [0.4, 0, 0], atol=1e-15)
    assert body.mass == 5


def test_mass_comes_from_density_or_is_one():
    assert (
        box(2, 3, 4).mass == cylinder(2, 3).mass == ellipsoid(1, 2, 3).mass == t_handle().mass == 1
    )
    assert box(2, 3, 4, density=0.5).mass == 12
    assert cylinder(2, 3, density=2).mass == pytest.approx(24 * pi)
    assert ellipsoid(1, 2, 3, density=2).mass == pytest.approx(16 * pi)
    assert t_handle(2, 0.5, 3, 1, density=2).mass == pytest.approx(7 * pi)
    np.testing.assert_allclose(box(2, 3, 4, density=0.5).J, 12 * box(2, 3, 4).J, rtol=1e-15)


def test_t_handle_default_turns_over_about_its_stem():
    moments, axes = t_handle().principal()
    assert moments[0] < 0.9 * moments[1] < 0.81 * moments[2]
    np.testing.assert_array_equal(axes, np.eye(3))


def test_t_handle_is_its_two_cylinders_meshes():
    bar_length = 1.2
    bar_radius = 0.15
    stem_length = 0.7
    stem_radius = 0.1
    bar = prism(1000, bar_radius, bar_length)
    stem = prism(1000, stem_radius, stem_length)
    along_e1 = np.column_stack([bar[0][:, 2], bar[0][:, 0], bar[0][:, 1]])
    along_e2 = np.column_stack([stem[0][:, 1], stem[0][:, 2], stem[0][:, 0]])
    along_e2 = along_e2 + np.array([0, bar_radius + stem_length / 2, 0])
    meshed = from_mesh(join_meshes((along_e1, bar[1]), (along_e2, stem[1])), density=2)
    formula = t_handle(bar_length, bar_radius, stem_length, stem_radius, density=2)
    assert formula.mass == pytest.approx(meshed.mass, rel=2e-5)
    np.testing.assert_allclose(formula.centre, meshed.centre, atol=1e-6)
    np.testing.assert_allclose(formula.J, meshed.J, rtol=3e-5, atol=1e-12)


def test_composing_halves_makes_the_whole():
    half = box(1, 2, 3, density=5)
    whole = compose(half.place((3.5, 4, 5)), half.place((4.5, 4, 5)), name="whole")
    direct = box(2, 2, 3, density=5)
    assert (whole.name, whole.mesh) == ("whole", None)
    assert whole.mass == pytest.approx(direct.mass)
    np.testing.assert_allclose(whole.centre, [4, 4, 5])
    np.testing.assert_allclose(whole.J, direct.J, rtol=1e-13, atol=1e-12)


def test_composing_meshes_keeps_the_surface():
    middles = (0, 0, 0), (3, 1, 0), (0, 5, 1)
    parts = [from_mesh((cube(middle=middle), CUBE_FACES), density=1) for middle in middles]
    whole = compose(parts[0], parts[1].place((0, 0, 2)), parts[2])
    again = from_mesh(whole.mesh, density=1)
    assert again.mass == pytest.approx(3)
    np.testing.assert_allclose(again.centre, [1, 2, 1])
    np.testing.assert_allclose(again.J, whole.J, rtol=1e-14, atol=1e-14)
    assert compose(parts[0], box(1, 1, 1)).mesh is None


@settings(max_examples=few(50))
@given(ROTATIONS, SHIFTS)
def test_placing_carries_the_inertia_along(rotation, shift):
    body = t_handle()
    moved = body.place(shift, rotation)
    np.testing.assert_allclose(moved.J, rotation @ body.J @ rotation.T, atol=1e-15)
    np.testing.assert_allclose(moved.centre, rotation @ body.centre + shift, atol=1e-13)
    np.testing.assert_allclose(np.sort(moved.principal()[0]), body.principal()[0], rtol=1e-12)


def test_a_body_cannot_be_changed():
    body = from_mesh((cube(), CUBE_FACES), mass=1)
    for numbers in (
        body.J,
        body.centre,
        body.mesh.vertices,
        body.mesh.triangles,
        body.place((1, 0, 0)).J,
    ):
        with pytest.raises(ValueError, match="read-only"):
            numbers[0] = 0
    with pytest.raises(AttributeError):
        body.mass = 2
    mine = np.ones(3)
    Body("mine", 1, mine, mine)
    mine[0] = 2  # what the caller gave stays the caller's


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda: box(1, -2, 3),
            "the side b must be a positive number between 10⁻¹⁰⁰ and 10¹⁰⁰; got −2",
        ),
        (lambda: box(1, 2, "3"), "the side c must be a positive number; got '3'"),
        (lambda: box(1, 2, [3]), "the side c must be a positive number; got shape (1,)"),
        (
            lambda: cylinder(0, 1),
            "the radius must be a positive number between 10⁻¹⁰⁰ and 10¹⁰⁰; got 0",
        ),
        (lambda: cylinder(1, True), "the height must be a positive number; got True"),
        (
            lambda: ellipsoid(1, 1, np.nan),
            "the semi-axis c must be a positive number between 10⁻¹⁰⁰ and 10",
        ),
        (
            lambda: ellipsoid(1, 1, 1, mass=np.inf),
            "the mass must be a positive number between 10⁻¹⁰⁰ and 10",
        ),
        (
            lambda: box(1, 1, 1, 2, 3),
            "give the mass or the density, not both; got mass 2 and density 3",
        ),
        (
            lambda: box(1, 1, 1, density=-3),
            "the density must be a positive number between 10⁻¹⁰⁰ and 10¹⁰⁰;",
        ),
        (
            lambda: dumbbell(1, 1, 1, 0, 0.1),
            "the radius 1 must be a positive number between 10⁻¹⁰⁰ and 10¹⁰",
        ),
        (
            lambda: dumbbell(1, 1, 1, 0.5, 0.6),
            "the radii 0.5 and 0.6 add up to more than the length 1",
        ),
        (
            lambda: dumbbell(1, 1, 1, 1e-9, 1e-9),
            "an inertia needs three positive principal moments",
        ),
        (
            lambda: t_handle(stem_length=0),
            "the stem length must be a positive number between 10⁻¹⁰⁰ and 10",
        ),
        (lambda: compose(), "an assembly needs one or more bodies; got ()"),
        (lambda: compose(box(1, 1, 1), 3), "an assembly needs one or more bodies; got (Body("),
        (lambda: Body("b", 1, [1, 1, 3]), "no rigid body has the principal moments (1, 1, 3)"),
        (
            lambda: Body("b", 1, [1, 1, 1], [0, 0]),
            "the centre of mass must be three finite numbers; got shape",
        ),
        (
            lambda: box(1, 1, 1).place([0, np.nan, 0]),
            "the position must be three finite numbers, none beyond",
        ),
        (
            lambda: box(1, 1, 1).place(rotation=np.eye(2)),
            "a proper 3×3 rotation matrix; got shape (2, 2)",
        ),
        (
            lambda: box(1, 1, 1).place(rotation=-np.eye(3)),
            "this one is a reflection (determinant -1)",
        ),
        (
            lambda: box(1, 1, 1).place(rotation=1.1 * np.eye(3)),
            "its columns miss being orthonormal by 0.21",
        ),
        (
            lambda: box(1, 1, 1).place(rotation=np.full((3, 3), np.nan)),
            "rotation matrix; got the entry nan",
        ),
    ],
)
def test_shapes_refuse(make, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        make()


# Inertia


@pytest.mark.parametrize(
    "J",
    [
        [1, 1, 2],
        (3, 4, 5),
        np.array([2, 2, 3], dtype=np.int8),
        [Fraction(1, 3), 0.3, np.float32(0.3)],
    ],
)
def test_three_principal_values_make_a_diagonal_matrix_exactly(J):
    np.testing.assert_array_equal(check_inertia(J), np.diag(np.array(J, dtype=float)))


def test_inertia_matrix_is_made_exactly_symmetric_in_a_new_array():
    given_matrix = np.array([[2, 0.1, 0], [0.1 + 1e-15, 2, 0], [0, 0, 2]])
    checked = check_inertia(given_matrix)
    assert (checked == checked.T).all()
    assert checked is not given_matrix
    np.testing.assert_allclose(checked, given_matrix, rtol=1e-14)


@pytest.mark.parametrize("scale", [1e-99, 1e99])
def test_extreme_but_usable_units_are_accepted(scale):
    np.testing.assert_allclose(
        check_inertia([2 * scale, 3 * scale, 4 * scale]), scale * np.diag([2, 3, 4])
    )


NEEDS = "an inertia needs three principal values or a symmetric 3×3 matrix; got "


@pytest.mark.parametrize(
    ("J", "sentence"),
    [
        (None, NEEDS + "None"),
        ("1, 2, 3", NEEDS + "'1, 2, 3'"),
        (b"123", NEEDS + "b'123'"),
        (5, NEEDS + "the single number 5"),
        ([1, 2], NEEDS + "shape (2,)"),
        ([], NEEDS + "shape (0,)"),
        (np.eye(4), NEEDS + "shape (4, 4)"),
        ([["1", 2, 3]], NEEDS + "'1'"),
        ([1, None, 3], NEEDS + "None"),
        ([True, 2, 3], NEEDS + "True"),
        (np.array([True, True, True]), NEEDS + "True"),
        ([1 + 0j, 1, 1], NEEDS + "(1+0j)"),
        (np.ones(3, dtype=complex), NEEDS + "(1+0j)"),
        ({"J1": 1}, NEEDS + "{'J1': 1}"),
        ([[1, 2, 3], [4, 5]], NEEDS + "[1, 2, 3]"),
        ([np.ones((3, 3)), np.ones((3, 2))], NEEDS + "rows of unequal length"),
        ([10**400, 1, 1], NEEDS + "an integer too large to compute with"),
        ([np.nan, 1, 1], "an inertia needs finite numbers; got (nan)"),
        ([[1, 0, 0], [0, -np.inf, 0], [0, 0, 1]], "an inertia needs finite numbers; got (−inf)"),
        ([1e300, 1e300, 1e300], "between 10⁻¹⁰⁰ and 10¹⁰⁰; got 10³⁰⁰ (choose other units)"),
        ([1e-300, 1e-300, 1e-300], "between 10⁻¹⁰⁰ and 10¹⁰⁰; got 10⁻³⁰⁰ (choose other units)"),
        ([1.5e308, -1.5e308, 1], "between 10⁻¹⁰⁰ and 10¹⁰⁰; got 1.5·10³⁰⁸ (choose other units)"),
        (
            [[1, 0.1, 0], [0.2, 1, 0], [0, 0, 1]],
            "row 1, column 2 is 0.1 but row 2, column 1 is 0.2",
        ),
        (
            [0, 0, 0],
            "three positive principal moments, none below 10⁻¹² of the largest; got (0, 0, 0)",
        ),
        (
            [0, 1, 1],
            "three positive principal moments, none below 10⁻¹² of the largest; got (0, 1, 1)",
        ),
        (
            [1, 1e-20, 1],
            "three positive principal moments, none below 10⁻¹² of the largest; got (1, 10⁻²⁰, 1)",
        ),
        (
            [-1, -1, -1],
            "three positive principal moments, none below 10⁻¹² of the largest; got (−1, −1, −1)",
        ),
        ([[1, 2, 0], [2, 1, 0], [0, 0, 1]], "none below 10⁻¹² of the largest; got (−1, 1, 3)"),
        (
            [1, 3, 1],
            "no rigid body has the principal moments (1, 3, 1): the two smaller ones add up to 2, less than "
            "the largest, 3",
        ),
        ([1, 1, 2.00000001], "add up to 2, less than the largest, 2.00000001"),
        ([[2, 1, 0], [1, 2, 0], [0, 0, 5]], "add up to 4, less than the largest, 5"),
    ],
)
def test_inertia_refuses(J, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)) as refusal:
        check_inertia(J)
    assert "\n" not in str(refusal.value)


@settings(max_examples=few(100))
@given(MOMENTS, ROTATIONS)
def test_principal_axes_are_a_rotation_that_rebuilds_the_inertia(moments, rotation):
    J = rotation @ np.diag(moments) @ rotation.T
    found, axes = principal_axes(J)
    np.testing.assert_allclose(axes.T @ axes, np.eye(3), atol=1e-14)
    assert np.linalg.det(axes) > 0
    np.testing.assert_allclose(axes @ np.diag(found) @ axes.T, J, atol=1e-12 * moments.max())
    np.testing.assert_allclose(np.sort(found), np.sort(moments), atol=1e-13 * moments.max())
    # Renaming axes alone brings any rotation within this angle of the identity.
    assert np.trace(axes) >= 1 + 2 * np.cos(np.radians(62.8)) - 1e-9


@given(MOMENTS)
def test_principal_axes_of_a_diagonal_inertia_are_exact(moments):
    found, axes = principal_axes(np.diag(moments))
    np.testing.assert_array_equal(found, moments)
    np.testing.assert_array_equal(axes, np.eye(3))


@settings(max_examples=few(50))
@given(arrays(float, 3, elements=st.floats(-0.1, 0.1)))
def test_principal_axes_follow_a_small_turn_whatever_the_order(vector):
    turn = quaternion_rotation([1, *vector])
    for moments in ([3, 2, 4], [2, 4, 3], [4, 3, 2]):
        found, axes = principal_axes(turn @ np.diag(moments) @ turn.T)
        np.testing.assert_allclose(found, moments, rtol=1e-13)
        np.testing.assert_allclose(axes, turn, atol=1e-12)


def test_principal_axes_of_a_symmetric_body_ignore_noise():
    noise = np.array([[0, 1, -2], [1, 0, 3], [-2, 3, 0]]) * 1e-16
    for moments in ([1, 1, 1], [1, 1, 1.5], [1.5, 1, 1], [1, 1.5, 1]):
        found, axes = principal_axes(np.diag(moments) + noise)
        np.testing.assert_allclose(axes, np.eye(3), atol=1e-14)
        np.testing.assert_allclose(found, moments, rtol=1e-14)


def test_principal_axes_refuse_what_no_body_has():
    with pytest.raises(ValueError, match="no rigid body"):
        principal_axes([1, 1, 3])


# Meshes


def test_box_mesh_is_exact():
    meshed = from_mesh((cube((1, 2, 3), (10, -20, 30)), CUBE_FACES), density=2)
    formula = box(1, 2, 3, density=2)
    assert meshed.name == "mesh"
    assert meshed.mass == pytest.approx(formula.mass, rel=1e-12)
    np.testing.assert_allclose(meshed.centre, [10, -20, 30], rtol=1e-12)
    np.testing.assert_allclose(meshed.J, formula.J, rtol=1e-12, atol=1e-12)


def test_tetrahedron_has_its_products_of_inertia():
    # Corner tetrahedron of legs 1: ∫x² = V/10, ∫xy = V/20, centre at 1/4.
    vertices = np.vstack([np.zeros(3), np.eye(3)])
    body = from_mesh((vertices, [[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]]), density=6)
    second = np.full((3, 3), 1 / 20 - 1 / 16) + np.eye(3) / 20
    assert body.mass == pytest.approx(1, rel=1e-14)
    np.testing.assert_allclose(body.centre, np.full(3, 0.25), rtol=1e-14)
    np.testing.assert_allclose(body.J, np.trace(second) * np.eye(3) - second, rtol=1e-13)


def test_ellipsoid_mesh_converges_at_second_order():
    import pyvista

    axes = np.array([1.0, 2.0, 3.0])
    formula = ellipsoid(*axes, density=1)
    errors = []
    for subdivisions in (2, 3, 4):
        sphere = pyvista.Icosphere(nsub=subdivisions)
        vertices = sphere.points / np.linalg.norm(sphere.points, axis=1)[:, None] * axes
        meshed = from_mesh((vertices, sphere.regular_faces), density=1)
        errors.append(
            [
                abs(meshed.mass / formula.mass - 1),
                np.abs(meshed.J - formula.J).max() / formula.J.max(),
            ]
        )
    ratios = np.divide(errors[:-1], errors[1:])
    assert np.max(errors[-1]) < 0.01
    assert ((ratios > 3.5) & (ratios < 4.5)).all()


@settings(max_examples=few(50))
@given(ROTATIONS, SHIFTS)
def test_mesh_integrals_turn_and_move_with_the_mesh(rotation, shift):
    vertices, faces = prism(7, 1.0, 3.0)
    vertices = vertices + 0.2 * vertices**2  # nothing symmetric left
    still = from_mesh((vertices, faces), density=3)
    moved = from_mesh((vertices @ rotation.T + shift, faces), density=3)
    assert moved.mass == pytest.approx(still.mass, rel=1e-12)
    np.testing.assert_allclose(moved.centre, rotation @ still.centre + shift, atol=1e-12)
    np.testing.assert_allclose(moved.J, rotation @ still.J @ rotation.T, atol=1e-11)
    placed = still.place(shift, rotation)
    np.testing.assert_allclose(from_mesh(placed.mesh, mass=still.mass).J, placed.J, atol=1e-11)


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_mesh_size_does_not_matter(scale):
    body = from_mesh((scale * cube((1, 2, 3)), CUBE_FACES), mass=1)
    np.testing.assert_allclose(body.J / scale / scale, box(1, 2, 3).J, rtol=1e-12, atol=1e-12)


def test_coincident_unused_and_shrunk_points_do_no_harm():
    vertices = cube((1, 2, 3))
    faces = CUBE_FACES
    soup = vertices[faces].reshape(-1, 3)
    jitter = 1e-9 * np.random.default_rng(0).standard_normal(soup.shape)
    separate = np.arange(len(soup)).reshape(-1, 3)
    body = from_mesh((np.vstack([soup + jitter, [[1e6, 0, 0]]]), [*separate, [0, 0, 1]]), mass=1)
    assert (len(body.mesh.vertices), len(body.mesh.triangles)) == (8, 12)
    np.testing.assert_allclose(body.J, box(1, 2, 3).J, atol=1e-7)


def test_cavity_is_left_out_and_an_island_in_it_counts():
    outer = (cube((3, 3, 3)), CUBE_FACES)
    inner = (cube((2, 2, 2)), FLIPPED)
    hollow = from_mesh(join_meshes(outer, inner), density=1)
    J = box(3, 3, 3, density=1).J - box(2, 2, 2, density=1).J
    assert hollow.mass == pytest.approx(19)
    np.testing.assert_allclose(hollow.J, J, rtol=1e-13, atol=1e-13)
    island = from_mesh(join_meshes(outer, inner, (cube(), CUBE_FACES)), density=1)
    assert island.mass == pytest.approx(20)
    np.testing.assert_allclose(island.J, J + box(1, 1, 1, density=1).J, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("suffix", [".stl", ".ply", ".obj", ".vtp"])
def test_mesh_files_round_trip(tmp_path, suffix):
    import pyvista

    path = tmp_path / f"brick{suffix}"
    pyvista.Cube(x_length=1, y_length=2, z_length=4, center=(8, 0, 0)).triangulate().save(path)
    body = from_mesh(str(path), density=1)
    assert (body.name, body.mass) == ("brick", pytest.approx(8, rel=1e-6))
    np.testing.assert_allclose(body.centre, [8, 0, 0], atol=1e-6)
    np.testing.assert_allclose(body.J, box(1, 2, 4, density=1).J, rtol=1e-6, atol=1e-6)


def test_polydata_is_triangulated_and_merged():
    import pyvista

    # PyVista's cube is made of quadrilaterals, and its cylinder's caps are separate polygons.
    bricks = from_mesh(pyvista.Cube(x_length=1, y_length=2, z_length=4), density=1, name="brick")
    assert bricks.name == "brick"
    np.testing.assert_allclose(bricks.J, box(1, 2, 4, density=1).J, rtol=1e-6, atol=1e-6)
    rod = from_mesh(
        pyvista.Cylinder(direction=(0, 0, 1), radius=1, height=4, resolution=500), mass=1
    )
    np.testing.assert_allclose(rod.J, cylinder(1, 4).J, rtol=1e-4, atol=1e-6)


def test_a_shell_is_not_in_its_own_material():
    # The apex of the dent sees nearly all directions blocked by its own shell.
    dented = np.vstack([cube(), [[0.1, 0, 0]]]) - [3, 0, 0]
    faces = np.vstack(
        [[[8, a, b] for a, b in ((4, 6), (6, 7), (7, 5), (5, 4))], np.delete(CUBE_FACES, [2, 3], 0)]
    )
    dented[8, 0] = dented[:8, 0].min() + 0.1
    pair = from_mesh(join_meshes((dented, faces), (cube(), CUBE_FACES)), density=1)
    assert pair.mass == pytest.approx(2 - 0.9 / 3)


@settings(max_examples=few(50))
@given(arrays(float, 3, elements=st.floats(-2, 2)), ROTATIONS)
def test_winding_counts_how_often_a_surface_encloses_a_point(point, rotation):
    sizes = np.array([1.0, 2.0, 3.0])
    margin = np.abs(point) - sizes / 2
    if np.abs(margin).min() > 1e-3:  # on a face it is neither
        corners = (cube(sizes) @ rotation.T)[CUBE_FACES]
        winding = engine.body.count_windings(rotation @ point, corners)
        assert winding == pytest.approx(float((margin < 0).all()), abs=1e-9)


@pytest.mark.exhaustive
def test_arrays_need_no_pyvista():
    mesh = (cube().tolist(), CUBE_FACES.tolist())
    code = f"import sys; sys.modules['pyvista'] = None; import engine.body as b; b.from_mesh({mesh}, mass=1)"
    root = Path(engine.__file__).parents[1]
    subprocess.run([sys.executable, "-c", code], check=True, cwd=root)


def cube_with(vertex=None, faces=CUBE_FACES):
    vertices = cube()
    if vertex is not None:
        vertices[3] = vertex
    return vertices, faces


ONE_FLIPPED = np.vstack([CUBE_FACES[:1, ::-1], CUBE_FACES[1:]])
WITH_A_FIN = join_meshes(
    (cube(), CUBE_FACES), (np.array([[0, 0, 2.0]]), np.zeros((0, 3), dtype=int))
)
BOX_ON_A_BOX = join_meshes((cube(), CUBE_FACES), (cube(middle=(0, 0, 1)), CUBE_FACES))
SPECKS = join_meshes(*[(cube(middle=(3 * i, 0, 0)), CUBE_FACES) for i in range(1001)])


@pytest.mark.parametrize(
    ("mesh", "sentence"),
    [
        (cube_with(faces=[]), "the mesh has no faces, only 8 points"),
        ((cube(),), "a mesh given as arrays needs (vertices, triangles); got 1 items"),
        (([1, 2, 3], CUBE_FACES), "the vertices of a mesh need shape (n, 3); got (3,)"),
        (([["a", 0, 0]], CUBE_FACES), "the vertices of a mesh need numbers; got 'a'"),
        (
            cube_with(faces=CUBE_FACES[:, :2]),
            "need integers of shape (m, 3); got int64 of shape (12, 2)",
        ),
        (
            cube_with(faces=CUBE_FACES + 0.5),
            "need integers of shape (m, 3); got float64 of shape (12, 3)",
        ),
        (
            cube_with(faces=CUBE_FACES + 1),
            "a mesh of 8 vertices need indices from 0 to 7; got 1 to 8",
        ),
        (
            cube_with(faces=CUBE_FACES - 1),
            "a mesh of 8 vertices need indices from 0 to 7; got -1 to 6",
        ),
        (
            cube_with([np.nan, 0, 0]),
            "1 of the mesh's 8 vertices are not finite numbers (below 10¹⁰⁰)",
        ),
        (
            cube_with([0, 1e200, 0]),
            "1 of the mesh's 8 vertices are not finite numbers (below 10¹⁰⁰)",
        ),
        (
            cube_with(faces=np.zeros((2_000_001, 3), dtype=int)),
            "the mesh has 2000001 triangles, more than the 2000000 allowed",
        ),
        (
            cube_with(faces=CUBE_FACES[1:]),
            "the mesh is not closed: 3 of its 18 edges have a face on one side",
        ),
        (
            (WITH_A_FIN[0], np.vstack([CUBE_FACES, [[0, 1, 8], [1, 0, 8]]])),
            "the mesh is not the surface of a solid: 1 of its 20 edges join more than two faces",
        ),
        (
            BOX_ON_A_BOX,
            "the mesh is not the surface of a solid: 5 of its 31 edges join more than two faces",
        ),
        (
            cube_with(faces=ONE_FLIPPED),
            "the mesh's faces do not agree on an outside: 3 of its 18 edges join faces wound oppositely",
        ),
        (
            cube_with(faces=FLIPPED),
            "the mesh is inside out: its volume is −0.192 of its bounding box's diagonal",
        ),
        (
            (np.eye(3), [[0, 1, 2], [2, 1, 0]]),
            "the mesh encloses no volume: 0 of its bounding box's diagonal",
        ),
        ((0 * cube(), CUBE_FACES), "the mesh encloses no volume: its bounding box's diagonal is 0"),
        (
            (1e-200 * cube(), CUBE_FACES),
            "the mesh encloses no volume: its bounding box's diagonal is 0",
        ),
        (
            (np.eye(3), [[0, 0, 1]]),
            "the mesh encloses no volume: all its faces have shrunk to lines or points",
        ),
        (
            join_meshes((cube((3, 3, 3)), CUBE_FACES), (cube(), CUBE_FACES)),
            "shell 2 of the mesh's 2 lies inside another one, so its material would count twice. If it is a cavity",
        ),
        (
            join_meshes((cube((3, 3, 3)), CUBE_FACES), (cube(middle=(5, 0, 0)), FLIPPED)),
            "shell 2 of the mesh's 2 is inside out and is no cavity of another one. Reverse",
        ),
        (SPECKS, "the mesh has 1001 separate shells, more than the 1000 allowed"),
        (
            3.5,
            "a mesh must be a surface: a file, a pyvista.PolyData or (vertices, triangles); got float",
        ),
        (
            None,
            "a mesh must be a surface: a file, a pyvista.PolyData or (vertices, triangles); got NoneType",
        ),
    ],
)
def test_meshes_refuse(mesh, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)) as refusal:
        from_mesh(mesh, mass=1)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("name", ["bad.stl", "bad.ply", "bad.vtp", "text.txt", "noextension"])
def test_unreadable_files_are_refused_by_name(tmp_path, name):
    (tmp_path / name).write_text("no mesh at all")
    with pytest.raises(ValueError, match=re.escape(f"{name}' is not a mesh file that can be read")):
        from_mesh(tmp_path / name, mass=1)


def test_files_without_a_surface_are_refused(tmp_path):
    import pyvista

    with pytest.raises(FileNotFoundError, match=r"there is no mesh file '.*none\.stl'"):
        from_mesh(tmp_path / "none.stl", mass=1)
    with pytest.raises(ValueError, match="is not a mesh file that can be read"):
        from_mesh(tmp_path, mass=1)
    (tmp_path / "empty.obj").write_text("")
    with pytest.raises(ValueError, match="the mesh has no faces, only 0 points"):
        from_mesh(tmp_path / "empty.obj", mass=1)
    pyvista.ImageData(dimensions=(2, 2, 2)).save(tmp_path / "grid.vti")
    with pytest.raises(ValueError, match=r"a mesh must be a surface: .* got ImageData"):
        from_mesh(tmp_path / "grid.vti", mass=1)


def test_a_mesh_needs_exactly_one_of_mass_and_density():
    with pytest.raises(ValueError, match="needs its mass or its density; got neither"):
        from_mesh((cube(), CUBE_FACES))
    with pytest.raises(ValueError, match="not both; got mass 1 and density 2"):
        from_mesh((cube(), CUBE_FACES), mass=1, density=2)
    with pytest.raises(ValueError, match=r"the mass must be a positive number .*; got inf"):
        from_mesh((1e90 * cube(), CUBE_FACES), density=1e90)


def test_a_symmetric_mesh_has_no_products_of_inertia_that_are_roundoff(tmp_path: Path) -> None:
    import pyvista

    pyvista.Cylinder(radius=0.1, height=1.0).save(tmp_path / "rod.stl")
    J = engine.body.from_mesh(tmp_path / "rod.stl", density=7800).J
    products = np.abs(J[~np.eye(3, dtype=bool)])
    assert not ((products > 0) & (products <= 1e-14 * J.max())).any()
    turned = engine.body.box(1, 2, 3).place(rotation=[[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    assert np.count_nonzero(turned.J) == 3


@pytest.mark.parametrize("faces", [CUBE_FACES, FLIPPED], ids=["as it should be", "inside out"])
def test_a_mesh_that_is_inside_out_is_turned_if_that_is_wanted(faces):
    right = from_mesh((cube(), CUBE_FACES), mass=2)
    turned = from_mesh((cube(), faces), mass=2, turn=True)
    np.testing.assert_allclose(turned.J, right.J, rtol=1e-14)
    assert turned.mesh is not None and from_mesh(turned.mesh, mass=2).mass == 2


def test_who_is_refused_an_inside_out_mesh_is_told_how_to_turn_it():
    with pytest.raises(InsideOut, match="turn=True"):
        from_mesh(cube_with(faces=FLIPPED), mass=1)
