"""Meshes of bodies with the inertia of the problem, and of the surfaces around them.

A mesh is in the frame of the body and about as large as the unit ball. The `tint` of a vertex is
the part of white in its colour, so that a spin about an axis of symmetry is visible. Only uploaded
meshes need PyVista, which takes half a second to import.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..state.view import SHAPES

if TYPE_CHECKING:
    import pyvista

    from engine.problems import Masses

Floats = NDArray[np.float32]
Moments = tuple[float, float, float]

SHARP = 30.0
"""Smallest angle between the faces of an edge that is drawn, in degrees."""
THINNEST = 0.07
"""Thickness of a flat body, relative to its largest side."""
MOST_DRAWN = 40_000
"""Largest number of drawn faces of an uploaded mesh."""
MOST_EDGES = 6_000
MOST_BALLS = 200
"""Largest number of drawn point masses of a body."""
FEW_BALLS = 8
"""Largest number of masses whose balls are fine."""
BALLS_FILL = 0.95
"""The radius of one of n balls times ∛n, relative to the radius of the body."""


class Surface(NamedTuple):
    """A mesh: (n, 3) points and normals, (n,) tint, (m, 3) triangles, (k, 2, 3) edges."""

    points: Floats
    normals: Floats
    tint: Floats
    triangles: NDArray[np.uint32]
    edges: Floats


NO_EDGES: Floats = np.empty((0, 2, 3), np.float32)


def _make_surface(
    points: Any, normals: Any, tint: Any, triangles: Any, edges: Any = NO_EDGES
) -> Surface:
    """A surface of 32-bit numbers, with one tint or one for each point."""
    floats = (
        np.asarray(part, np.float32)
        for part in (points, normals, np.broadcast_to(tint, len(points)), edges)
    )
    places, across, tints, lines = map(np.ascontiguousarray, floats)
    return Surface(places, across, tints, np.asarray(triangles, np.uint32), lines)


@functools.lru_cache(maxsize=64)
def build_body(shape: str, moments: Moments, along: tuple[int, int] = (2, 1)) -> Surface:
    """A body of this shape in its principal axes, with these principal moments up to a common
    factor. A top points `along` one of them, given by its number and the sense, 1 or −1.

    The moments of a top are about its tip, those of other shapes about the centre of mass. Moments
    of a flat body, or of no body, give the nearest shape of some thickness.
    """
    if shape not in SHAPES:
        raise ValueError(f"a body's shape is one of {', '.join(SHAPES)}; got {shape!r}")
    if shape == "top":
        return _fit(_top(*along), moments, about_origin=True)
    return _fit(_plain(shape, _long_to_short(moments)), moments, about_origin=False)


@functools.lru_cache(maxsize=32)
def _plain(shape: str, order: tuple[int, int, int]) -> Surface:
    """A shape before it is fitted to moments; `order` lists the axes from the longest side to the
    shortest.
    """
    made = {"book": _book, "racket": _racket, "T-handle": _t_handle}
    if shape in made:
        return made[shape](*order)
    if shape == "ellipsoid":
        return _ball(np.ones(3))
    return _block(-np.ones(3), np.ones(3))


@functools.lru_cache(maxsize=64)
def inertia_ellipsoid(moments: Moments) -> Surface:
    """The ellipsoid of constant Ω·JΩ in principal axes, with longest semi-axis 1, and its meridians
    and parallels.
    """
    axes = 1 / np.sqrt(moments)
    axes = axes / axes.max()
    return _ball(axes, tint=0.0)._replace(edges=_graticule(axes))


@functools.lru_cache(maxsize=32)
def build_masses(body: Masses) -> Surface:
    """A body of point masses in its own units: a ball for each mass, and the rod of a dumbbell."""
    count = min(len(body.masses), MOST_BALLS)
    places = body.positions[np.linspace(0, len(body.masses) - 1, count).astype(int)]
    radius = ball_radius(body)
    ball = _ball(np.ones(3), rows=16 if count <= FEW_BALLS else 6)
    parts = [
        ball._replace(points=np.asarray(radius * ball.points + place, np.float32))
        for place in places
    ]
    if body.half_length is not None:
        parts.append(_rod((places[0] + places[1]) / 2, places[0] - places[1], 0.22 * radius))
    return _join(parts)


def ball_radius(body: Masses) -> float:
    """The radius of the ball of a mass: its own, or a size with which all balls about fill the
    body.
    """
    count = min(len(body.masses), MOST_BALLS)
    return body.radius or BALLS_FILL * float(
        np.linalg.norm(body.positions, axis=1).max()
    ) / count ** (1 / 3)


@functools.lru_cache(maxsize=1)
def unit_sphere() -> Surface:
    """The unit sphere with its meridians and parallels."""
    return inertia_ellipsoid((1.0, 1.0, 1.0))


@functools.lru_cache(maxsize=1)
def disc() -> Surface:
    """The unit disc about e3, with three rings as edges."""
    circle = _circle(96, np.eye(3)[:2])
    return _face(
        circle, np.concatenate([_outline(radius * circle) for radius in (1 / 3, 2 / 3, 1.0)])
    )


def build_own(vertices: NDArray[Any], triangles: NDArray[Any], centre: NDArray[Any]) -> Surface:
    """An uploaded mesh in the frame of the body about its centre of mass, as large as other meshes.

    A mesh of many faces is reduced to about `MOST_DRAWN`; one with more than `MOST_EDGES` edges
    loses them.
    """
    import pyvista

    about = np.asarray(vertices, float) - centre
    faces = np.column_stack([np.full(len(triangles), 3), triangles]).ravel()
    poly = pyvista.PolyData(about / np.linalg.norm(about, axis=1).max(), faces)
    if len(triangles) > MOST_DRAWN:
        poly = poly.decimate(1 - MOST_DRAWN / len(triangles))
    surface = _of_mesh(poly)
    return (
        surface if len(surface.edges) <= MOST_EDGES else surface._replace(edges=surface.edges[:0])
    )


def rotate_surface(surface: Surface, rotation: NDArray[Any]) -> Surface:
    """The surface rotated by a matrix."""
    if np.array_equal(rotation, np.eye(3)):
        return surface
    turn = np.asarray(rotation, np.float32).T
    return surface._replace(
        points=surface.points @ turn,
        normals=surface.normals @ turn,
        edges=np.ascontiguousarray(surface.edges @ turn),
    )


def _fit(surface: Surface, moments: Moments, about_origin: bool) -> Surface:
    """The surface stretched along the axes until ∫x², ∫y², ∫z² over its inside have the ratios of
    the moments.
    """
    corners = surface.points[surface.triangles].astype(float)
    volumes = np.linalg.det(corners) / 6
    sums = corners.sum(axis=1)
    centre = np.zeros(3) if about_origin else volumes @ sums / (4 * volumes.sum())
    squares = volumes @ (sums**2 + (corners**2).sum(axis=1)) / (20 * volumes.sum()) - centre**2
    J1, J2, J3 = moments
    wanted = np.array([J2 + J3 - J1, J3 + J1 - J2, J1 + J2 - J3])
    stretch = np.sqrt(np.maximum(wanted, THINNEST**2 * wanted.max()) / squares)
    stretch /= np.linalg.norm(stretch * (surface.points - centre), axis=1).max()
    normals = surface.normals / stretch
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    points, edges = ((places - centre) * stretch for places in (surface.points, surface.edges))
    return _make_surface(points, normals, surface.tint, surface.triangles, edges)


def _face(polygon: NDArray[Any], edges: NDArray[Any], tint: float = 0.0) -> Surface:
    """A flat convex face with these edges; its corners are anticlockwise as seen from outside."""
    n = len(polygon)
    normal = np.cross(polygon[1] - polygon[0], polygon[2] - polygon[1])
    normals = np.broadcast_to(normal / np.linalg.norm(normal), (n, 3))
    return _make_surface(polygon, normals, tint, [(0, i, i + 1) for i in range(1, n - 1)], edges)


def _block(low: NDArray[Any], high: NDArray[Any], tint: float = 0.0) -> Surface:
    """A box between two corners, with two faces and four edges for each axis."""
    parts = []
    for axis in range(3):
        bottom = np.tile(low, (4, 1))
        bottom[[1, 2], axis - 2] = high[axis - 2]
        bottom[[2, 3], axis - 1] = high[axis - 1]
        top = bottom.copy()
        top[:, axis] = high[axis]
        parts += [
            _face(top, np.stack([bottom, top], axis=1), tint),
            _face(bottom[::-1], NO_EDGES, tint),
        ]
    return _join(parts)


def _book(long: int, wide: int, thin: int) -> Surface:
    """A book: two boards and a spine around the pages."""
    half = np.empty(3)
    half[[long, wide, thin]] = 1.0, 0.7, 0.16
    leaves = half.copy()
    leaves[[long, wide]] *= 0.95
    leaves[thin] -= 0.025  # a board
    parts = [_block(-leaves, leaves, tint=1.0)]
    for side in (1, -1):
        low, high = -half, half.copy()
        low[thin], high[thin] = sorted((side * half[thin], side * leaves[thin]))
        parts.append(_block(low, high))
    low, high = -half, half.copy()
    low[thin] = -leaves[thin]
    high[thin] = leaves[thin]
    high[wide] = -leaves[wide]
    parts.append(_block(low, high))
    return _join(parts)


def _rod(
    centre: NDArray[Any], along: NDArray[Any], radius: float, tint: float = 0.0, around: int = 36
) -> Surface:
    """A cylinder along a vector, with rounded rims."""
    length = float(np.linalg.norm(along))
    turn = np.linspace(0, np.pi / 2, 2 + around // 7)
    first = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
    first /= np.linalg.norm(first)
    rim = 0.25 * radius * (np.stack([np.sin(turn), np.cos(turn)], axis=-1) - 1) + (
        radius,
        length / 2,
    )
    end = np.concatenate([rim[::-1], [(0.0, rim[0, 1])]])
    axes = np.stack([first, np.cross(along, first) / length, along / length])
    rod = _lathe(np.concatenate([end[::-1] * (1, -1), end]), axes, tint, around)
    return rod._replace(points=np.asarray(rod.points + centre, np.float32))


def _t_handle(long: int, middle: int, _: int) -> Surface:
    """A T-handle: a bar with tinted ends, and a stem with a tinted tip."""
    bar, stem = np.eye(3)[[long, middle]]
    ends = [
        (0.79 * bar, 0.2 * bar, 0.185),
        (-0.79 * bar, 0.2 * bar, 0.185),
        (1.02 * stem, 0.14 * stem, 0.15),
    ]
    caps = [_rod(*end, tint=0.75) for end in ends]
    return _join([_rod(0 * bar, 1.5 * bar, 0.17), _rod(0.6 * stem, 0.9 * stem, 0.135), *caps])


def _racket(long: int, wide: int, thin: int) -> Surface:
    """A racket: a hoop with strings, a throat of two arms, a shaft, and a tinted grip with its
    butt.
    """
    around = 14
    rows = 60
    middle = 0.45
    half_length = 0.5
    half_width = 0.42
    thick = 0.036
    along, across, through = np.eye(3)[[long, wide, thin]]
    turn = np.linspace(0, 2 * np.pi, rows + 1)[:, None]
    hoop = middle * along + half_length * np.cos(turn) * along + half_width * np.sin(turn) * across
    out = np.cos(turn) * half_width * along + np.sin(turn) * half_length * across
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    angles = np.linspace(0, 2 * np.pi, around, endpoint=False)
    rings = hoop[:, None] + thick * (
        np.cos(angles)[:, None] * out[:, None] + np.sin(angles)[:, None] * through
    )
    quads, *_ = _weave(rows, around)
    handed = np.linalg.det([along, across, through]) > 0  # the orientation of the surface
    parts = [
        _smooth(rings.reshape(-1, 3), quads[:, ::-1] if handed else quads, np.zeros(len(quads)))
    ]
    for at in np.linspace(-0.84, 0.84, 9):
        reach = 2 * np.sqrt(1 - at**2)
        parts.append(
            _rod((middle + at * half_length) * along, reach * half_width * across, 0.007, 0.9, 6)
        )
        parts.append(
            _rod(
                middle * along + at * half_width * across,
                reach * half_length * along,
                0.007,
                0.9,
                6,
            )
        )
    for side in (-0.26, 0.26):
        parts.append(_rod(-0.17 * along + side / 2 * across, 0.42 * along + side * across, 0.03))
    parts += [
        _rod(-0.42 * along, 0.16 * along, 0.045),
        _rod(-0.98 * along, 0.05 * along, 0.068, tint=0.6),
    ]
    return _join([*parts, _rod(-0.73 * along, 0.5 * along, 0.055, tint=0.6)])


_PROFILE = np.array(
    [
        (0, 0),
        (0.02, 0.04),
        (0.06, 0.14),
        (0.16, 0.3),
        (0.34, 0.46),
        (0.5, 0.56),
        (0.56, 0.6),
        (0.57, 0.64),
    ]
    + [
        (0.55, 0.68),
        (0.46, 0.71),
        (0.28, 0.74),
        (0.12, 0.77),
        (0.065, 0.82),
        (0.055, 0.9),
        (0.055, 1.07),
    ]
    + [(0.05, 1.1), (0.03, 1.115), (0, 1.12)]
)
"""Radius and height of the top, from its tip to the end of its stem."""


def _top(axis: int, sense: int) -> Surface:
    """A top with its axis along a coordinate axis, or against it, in six sectors."""
    bands = np.arange(len(_PROFILE) - 1)
    across = np.roll(np.eye(3), -axis - 1, axis=0)[:2]
    return _lathe(
        _PROFILE,
        np.array([*across[::sense], sense * np.eye(3)[axis]]),
        0.72 * np.outer((bands > 2) & (bands < 11), np.arange(72) // 12 % 2),
        72,
    )


def _lathe(profile: NDArray[Any], axes: NDArray[Any], tint: Any, around: int) -> Surface:
    """A smooth surface of revolution about the last of three axes, from (n, 2) radii and
    heights.
    """
    circle = _circle(around, axes[:2])
    points = profile[:, :1, None] * circle + profile[:, 1:, None] * axes[2]
    quads, *_ = _weave(len(profile) - 1, around)
    return _smooth(
        points.reshape(-1, 3), quads, np.broadcast_to(tint, (len(profile) - 1, around)).ravel()
    )


def _weave(rows: int, around: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The quads between rings of points about e3, with the ring of each and its place in the
    ring.
    """
    i, j = (one.ravel() for one in np.meshgrid(np.arange(rows), np.arange(around), indexing="ij"))
    here = i * around + j
    right = i * around + (j + 1) % around
    return np.stack([here, right, right + around, here + around], axis=-1), i, j


def _ball(axes: NDArray[Any], tint: float = 0.6, rows: int = 20) -> Surface:
    """An ellipsoid with `rows` rows of faces from pole to pole, every other octant tinted."""
    around = 2 * rows
    polar = np.linspace(0, np.pi, rows + 1)
    angles = np.linspace(0, 2 * np.pi, around, endpoint=False)
    sphere = _on_sphere(polar[:, None], angles)
    quads, i, j = _weave(rows, around)
    octant = (2 * i // rows + 4 * j // around) % 2
    return _smooth(
        (sphere * axes).reshape(-1, 3), quads[:, [0, 3, 2, 1]], tint * octant
    )  # from the top downwards


def _graticule(axes: NDArray[Any]) -> Floats:
    """Meridians and parallels of an ellipsoid as segments."""
    full = np.linspace(0, 2 * np.pi, 49)
    half = np.linspace(0, np.pi, 25)
    meridians = [_on_sphere(half, longitude) for longitude in np.arange(0, np.pi * 2, np.pi / 6)]
    parallels = [_on_sphere(polar, full) for polar in np.arange(1, 6) * np.pi / 6]
    return np.concatenate([_segments(line * axes) for line in meridians + parallels]).astype(
        np.float32
    )


def _on_sphere(polar: Any, longitude: Any) -> NDArray[Any]:
    """Points (…, 3) of the unit sphere, by their angles from e3 and about e3."""
    places = np.sin(polar) * np.cos(longitude), np.sin(polar) * np.sin(longitude), np.cos(polar)
    return np.stack(np.broadcast_arrays(*places), axis=-1)


def _long_to_short(moments: Moments) -> tuple[int, int, int]:
    """The axes by increasing moment: a body is longest along the axis of the smallest."""
    first, second, third = np.argsort(moments, kind="stable").tolist()
    return first, second, third


def _circle(points: int, across: NDArray[Any]) -> NDArray[Any]:
    """Points (n, 3) of a circle in the plane of two vectors, from the first towards the second."""
    angles = np.linspace(0, 2 * np.pi, points, endpoint=False)
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1) @ across


def _segments(line: NDArray[Any]) -> NDArray[Any]:
    """(n, 3) points of a line as (n − 1, 2, 3) segments."""
    return np.stack([line[:-1], line[1:]], axis=1)


def _outline(polygon: NDArray[Any]) -> NDArray[Any]:
    """The sides of a polygon of n corners, (n, 2, 3)."""
    return _segments(np.concatenate([polygon, polygon[:1]]))


def _smooth(points: NDArray[Any], quads: NDArray[Any], tint: NDArray[Any]) -> Surface:
    """A smooth surface from tinted quads; a normal is the mean of the normals of the adjacent
    quads.
    """
    corners = points[quads]
    flat = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    flat /= np.linalg.norm(flat, axis=1, keepdims=True)
    normals = np.zeros_like(points)
    np.add.at(normals, quads, flat[:, None])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    tints = np.concatenate([tint, tint])
    parts = []
    for value in np.unique(tints):
        used, renumbered = np.unique(triangles[tints == value], return_inverse=True)
        parts.append(_make_surface(points[used], normals[used], value, renumbered.reshape(-1, 3)))
    return _join(parts)


def _of_mesh(poly: pyvista.PolyData) -> Surface:
    """A surface from a PyVista mesh, with split normals and drawn edges where faces meet
    sharply.
    """
    poly = poly.triangulate()
    edges = poly.clean().extract_feature_edges(
        feature_angle=SHARP, boundary_edges=False, non_manifold_edges=False, manifold_edges=False
    )
    split = poly.clean().compute_normals(
        cell_normals=False, split_vertices=True, feature_angle=SHARP, auto_orient_normals=True
    )
    ends = np.asarray(edges.lines).reshape(-1, 3)[:, 1:] if edges.n_lines else np.empty((0, 2), int)
    triangles = np.asarray(split.faces).reshape(-1, 4)[:, 1:]
    lines = np.asarray(edges.points)[ends].reshape(-1, 2, 3)
    return _make_surface(split.points, split.point_data["Normals"], 0.0, triangles, lines)


def _join(parts: Sequence[Surface]) -> Surface:
    """Surfaces joined into one."""
    before = np.cumsum([0, *(len(part.points) for part in parts)])[:-1]
    moved = [
        part._replace(triangles=part.triangles + np.uint32(n))
        for part, n in zip(parts, before, strict=True)
    ]
    return Surface(*(np.concatenate(arrays) for arrays in zip(*moved, strict=True)))
