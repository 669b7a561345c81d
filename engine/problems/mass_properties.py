"""Mass properties of a rigid body: mass, centre of mass and inertia, from shapes or a closed mesh.

Use any consistent units: lengths L and masses M give inertias in M·L². Invalid input raises
``ValueError`` (a missing file, ``FileNotFoundError``) with one sentence and the numbers.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations, product
from math import pi
from pathlib import Path
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..parameters.validation import (
    LARGEST,
    ROUNDOFF,
    SMALLEST,
    Array,
    check_inertia,
    check_positive,
    check_reals,
    check_rotation,
    check_vector,
    is_diagonal,
)
from ..text.formatting import show

if TYPE_CHECKING:
    import pyvista

__all__ = [
    "Body", "InsideOut", "Mesh", "box", "check_inertia", "compose", "cylinder", "dumbbell", "ellipsoid",
    "from_mesh", "principal_axes", "t_handle",
]  # fmt: skip

AnyArray = TypeVar("AnyArray", bound=NDArray[Any])

MERGE_DISTANCE = (
    1e-6  # relative to the bounding box: above single precision's spacing, below any real edge
)
MAX_TRIANGLES = 2_000_000
MAX_SHELLS = 1_000
LONGEST_HEADER = 2**16  # bytes of a PLY file

# The 24 right-handed ways of naming and signing three axes.
_RELABELLINGS = [
    relabelling
    for order in permutations(range(3))
    for signs in product((1.0, -1.0), repeat=3)
    if np.linalg.det(relabelling := np.array(signs) * np.eye(3)[list(order)]) > 0
]
_E3_TO_E1 = np.roll(np.eye(3), 1, axis=0)  # the rotation e1 → e2 → e3 → e1
_E3_TO_E2 = _E3_TO_E1.T


class Mesh(NamedTuple):
    """A closed triangulated surface, wound counter-clockwise seen from outside.

    ``vertices`` is (n, 3), a length; ``triangles`` is (m, 3), integer indices into it.
    """

    vertices: Array
    triangles: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body that can turn about any axis.

    Parameters
    ----------
    name : str
        The body's name.
    mass : float
        Mass.
    J : array_like, (3, 3) or (3,)
        Inertia about the centre of mass, in the body's axes; anything `check_inertia` accepts.
        Stored as a read-only (3, 3) array, with products of inertia that are roundoff as zeros.
    centre : array_like, (3,)
        Centre of mass in the same axes, from the body's origin; read-only.
    mesh : Mesh or None
        The surface, in the same axes and about the same origin, of a body that was made from one.
    """

    name: str
    mass: float
    J: Array
    centre: Array = field(default_factory=lambda: np.zeros(3))
    mesh: Mesh | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", check_positive(self.mass, "mass"))
        object.__setattr__(self, "J", _freeze(_remove_noise(check_inertia(self.J))))
        object.__setattr__(self, "centre", _freeze(check_vector(self.centre, "the centre of mass")))

    def principal(self) -> tuple[Array, Array]:
        """Principal moments (3,) and principal axes (3, 3), in the order of `principal_axes`."""
        return principal_axes(self.J)

    def place(
        self, position: ArrayLike = (0.0, 0.0, 0.0), rotation: ArrayLike | None = None
    ) -> Body:
        """The same body elsewhere: every point x of it goes to ``rotation @ x + position``.

        Parameters
        ----------
        position : array_like, (3,)
            Where the body's origin goes, a length.
        rotation : array_like, (3, 3), optional
            Proper rotation matrix; identity if omitted.
        """
        shift = check_vector(position, "the position")
        turn = np.eye(3) if rotation is None else check_rotation(rotation)
        mesh = self.mesh and Mesh(_freeze(self.mesh.vertices @ turn.T + shift), self.mesh.triangles)
        return replace(self, J=turn @ self.J @ turn.T, centre=turn @ self.centre + shift, mesh=mesh)

    placed = place
    """The name of `place` in earlier versions."""


def principal_axes(J: ArrayLike, of_a_body: bool = True) -> tuple[Array, Array]:
    """Principal moments and axes, in the order that turns the axes as little as possible.

    Parameters
    ----------
    J, of_a_body
        Inertia, anything `check_inertia` accepts.

    Returns
    -------
    moments : ndarray, (3,)
        Principal moments in the order of the axes, which is not sorted.
    Q : ndarray, (3, 3)
        Proper rotation whose columns are the principal axes: ``J = Q @ diag(moments) @ Q.T``.
        It is the one nearest the identity (largest trace) among those that do so to roundoff; a
        diagonal `J` gives its own diagonal and exactly the identity.
    """
    inertia = check_inertia(J, of_a_body)
    if is_diagonal(inertia):
        return np.diag(inertia).copy(), np.eye(3)
    axes = np.linalg.eigh(inertia)[1]
    axes *= np.sign(np.linalg.det(axes))
    axes = max((axes @ relabelling for relabelling in _RELABELLINGS), key=np.trace)
    moments = np.diag(axes.T @ inertia @ axes)
    # Axes with equal moments are arbitrary in their plane: there too, take those nearest the
    # identity (the orthogonal polar factor maximises the trace).
    equal = np.abs(moments[:, None] - moments) <= ROUNDOFF * moments.max()
    left, _, right = np.linalg.svd(np.where(equal, axes.T, 0.0))
    axes = axes @ left @ right
    return np.diag(axes.T @ inertia @ axes).copy(), axes


def rank_moments(moments: ArrayLike) -> list[str]:
    """Return for each moment whether it is the "least", the "middle" or the "greatest" one.

    Equal moments have the same rank, so that the result does not depend on the order of the axes:
    a body with two equal moments has no middle one. The ranks of a spherical body are empty.
    """
    given = np.asarray(moments, float)
    alike = ROUNDOFF * float(given.max())

    def rank(moment: float) -> str:
        is_least = not (given < moment - alike).any()
        is_greatest = not (given > moment + alike).any()
        if is_least == is_greatest:
            return "" if is_least else "middle"
        return "least" if is_least else "greatest"

    return [rank(moment) for moment in given.tolist()]


def box(
    a: float, b: float, c: float, mass: float | None = None, density: float | None = None
) -> Body:
    """Solid box with sides `a`, `b`, `c` along e1, e2, e3; J1 = m (b² + c²) / 12 and so on.

    Here and in the other shapes, give the `mass` or the (uniform) `density`, or neither for a mass
    of 1. The origin is the centre of mass unless the shape says otherwise.
    """
    a, b, c = check_positive(a, "side a"), check_positive(b, "side b"), check_positive(c, "side c")
    total = _find_mass(a * b * c, mass, density)
    return Body("box", total, total / 12 * np.array([b * b + c * c, a * a + c * c, a * a + b * b]))


def cylinder(
    radius: float, height: float, mass: float | None = None, density: float | None = None
) -> Body:
    """Solid cylinder about e3; J1 = J2 = m (3 r² + h²) / 12, J3 = m r² / 2."""
    r, h = check_positive(radius, "radius"), check_positive(height, "height")
    total = _find_mass(pi * r * r * h, mass, density)
    across = (3 * r * r + h * h) / 12
    return Body("cylinder", total, total * np.array([across, across, r * r / 2]))


def ellipsoid(
    a: float, b: float, c: float, mass: float | None = None, density: float | None = None
) -> Body:
    """Solid ellipsoid with semi-axes `a`, `b`, `c` along e1, e2, e3; J1 = m (b² + c²) / 5 and so
    on.
    """
    a, b, c = (
        check_positive(size, f"semi-axis {name}") for size, name in ((a, "a"), (b, "b"), (c, "c"))
    )
    total = _find_mass(4 / 3 * pi * a * b * c, mass, density)
    return Body(
        "ellipsoid", total, total / 5 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    )


def dumbbell(mass1: float, mass2: float, length: float, radius1: float, radius2: float) -> Body:
    """Two solid balls joined by a massless rod on e1: ball 1 on the negative side, ball 2 on the
    positive.

    `length` is between the balls' centres, the origin halfway. The radii must be positive: two
    points on a line have no inertia about it (see `check_inertia`).
    """
    length = check_positive(length, "length")
    radii = check_positive(radius1, "radius 1"), check_positive(radius2, "radius 2")
    if sum(radii) > length:
        raise ValueError(
            f"the balls of a dumbbell must not overlap; the radii {show(radii[0])} and {show(radii[1])} add up to "
            f"more than the length {show(length)}"
        )
    balls = (ellipsoid(r, r, r, mass=m) for r, m in zip(radii, (mass1, mass2), strict=True))
    ends = (-length / 2, 0, 0), (length / 2, 0, 0)
    return compose(
        *(ball.place(end) for ball, end in zip(balls, ends, strict=True)), name="dumbbell"
    )


def t_handle(
    bar_length: float = 1.0,
    bar_radius: float = 0.1,
    stem_length: float = 0.5,
    stem_radius: float = 0.08,
    mass: float | None = None,
    density: float | None = None,
) -> Body:
    """The T-handle of the Dzhanibekov effect: a cross-bar and a stem of one material, two solid
    cylinders.

    The bar lies along e1 with its middle at the origin; the stem runs along +e2 from where its flat
    end touches the bar's surface (e2 = `bar_radius`), so no material is counted twice. The default
    sizes give J1 < J2 < J3: the stem is the intermediate axis, about which a steady spin turns over
    again and again.
    """
    bar_length = check_positive(bar_length, "bar length")
    bar_radius = check_positive(bar_radius, "bar radius")
    stem_length = check_positive(stem_length, "stem length")
    stem_radius = check_positive(stem_radius, "stem radius")
    bar = cylinder(bar_radius, bar_length, density=1.0).place(rotation=_E3_TO_E1)
    stem = cylinder(stem_radius, stem_length, density=1.0)
    stem = stem.place((0.0, bar_radius + stem_length / 2, 0.0), _E3_TO_E2)
    whole = compose(bar, stem, name="T-handle")
    total = _find_mass(whole.mass, mass, density)
    return replace(whole, mass=total, J=total / whole.mass * whole.J)


def compose(*parts: Body, name: str = "assembly") -> Body:
    """One rigid body from several, each where `Body.place` has put it (parallel-axis theorem).

    Masses add: overlapping parts count twice where they overlap. The result has a mesh if every
    part has one.
    """
    if not parts or not all(isinstance(part, Body) for part in parts):
        raise ValueError(f"an assembly needs one or more bodies; got {shortened(parts)}")
    mass = sum(part.mass for part in parts)
    centre = sum((part.mass * part.centre for part in parts), np.zeros(3)) / mass
    J = np.zeros((3, 3))
    for part in parts:
        arm = part.centre - centre
        J += part.J + part.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    meshes = [part.mesh for part in parts if part.mesh is not None]
    return Body(name, mass, J, centre, _join_meshes(meshes) if len(meshes) == len(parts) else None)


def from_mesh(
    mesh: str | os.PathLike[str] | pyvista.PolyData | tuple[ArrayLike, ArrayLike],
    mass: float | None = None,
    density: float | None = None,
    name: str | None = None,
    turn: bool = False,
) -> Body:
    """The uniform solid inside a closed surface.

    Volume, centre and inertia are the exact integrals over the polyhedron, summed over the
    tetrahedra of its triangles and a point (Blow & Binstock, *How to find the inertia tensor*,
    2004).

    Parameters
    ----------
    mesh : path, pyvista.PolyData, or (vertices, triangles)
        A file PyVista reads (STL, PLY, OBJ, VTP, …), its surface, or arrays (n, 3) of lengths and
        (m, 3) of indices. Faces are wound counter-clockwise seen from outside the material. Points
        closer than 1e-6 of the bounding box's diagonal are one point. Several separate shells, and
        cavities (shells wound the other way inside another), are fine; shells that share an edge,
        or lie in one another's material, are refused. Shells that merely cut through each other
        are not detected and count twice where they overlap.
    mass, density : float
        Exactly one of them.
    name : str, optional
        The file's name if omitted, else "mesh".
    turn : bool
        Whether to turn a mesh that is inside out (faces wound clockwise seen from outside) instead
        of refusing it.
    """
    if mass is None and density is None:
        raise ValueError("a body made from a mesh needs its mass or its density; got neither")
    surface = _merge_points(*_read_arrays(mesh))
    middle, size = _find_bounds(surface.vertices)
    # In a box of unit size about the origin nothing overflows, and little cancels.
    corners = ((surface.vertices - middle) / size)[surface.triangles]
    if turn and _find_volume(corners) < 0:
        # Cavities turn with it, and stay cavities.
        surface = surface._replace(triangles=np.ascontiguousarray(surface.triangles[:, ::-1]))
        corners = corners[:, ::-1]
    volume, centre, J = _integrate_solid(corners)
    _check_shells(surface.triangles, corners)
    total = _find_mass(volume * size * size * size, mass, density)
    name = name or (Path(mesh).stem if isinstance(mesh, str | os.PathLike) else "mesh")
    return Body(name, total, total * size * size * J, middle + size * centre, surface)


class InsideOut(ValueError):
    """A mesh whose faces are wound the wrong way, and which could be turned."""


def _find_volume(corners: Array) -> float:
    """The volume within triangles (m, 3, 3); negative if they are wound the wrong way."""
    return float(_triple_product(corners).sum() / 6)


def _integrate_solid(corners: Array) -> tuple[float, Array, Array]:
    """Volume, centre and inertia per unit mass about the centre, of triangles (m, 3, 3) in a unit
    box.
    """
    sixfold = _triple_product(corners)
    volume = _find_volume(corners)
    if abs(volume) <= ROUNDOFF:
        raise ValueError(
            f"the mesh encloses no volume: {show(volume, 3)} of its bounding box's diagonal cubed"
        )
    if volume < 0:
        raise InsideOut(
            f"the mesh is inside out: its volume is {show(volume, 3)} of its bounding box's diagonal cubed. "
            "With turn=True, the vertices of every face are reversed"
        )
    sums = corners.sum(axis=1)
    centre = sixfold @ sums / (24 * volume)
    points = np.concatenate([sums[:, None], corners], axis=1).reshape(-1, 3)
    second = (np.repeat(sixfold, 4)[:, None] * points).T @ points / (120 * volume) - np.outer(
        centre, centre
    )
    return volume, centre, np.trace(second) * np.eye(3) - second


def _check_shells(triangles: NDArray[np.int64], corners: Array) -> None:
    """Refuse a shell in another's material, or a cavity in no material: both would miscount
    silently.
    """
    steps = np.concatenate([triangles[:, :2], triangles[:, 1:]])
    count, shell_of_point = _group_points(steps, int(triangles.max()) + 1)
    if count == 1:
        return
    if count > MAX_SHELLS:
        raise ValueError(
            f"the mesh has {count} separate shells, more than the {MAX_SHELLS} allowed"
        )
    shell_of = shell_of_point[triangles[:, 0]]
    outward = np.bincount(shell_of, _triple_product(corners)) > 0
    order = np.argsort(shell_of, kind="stable")
    shells = np.split(corners[order], np.cumsum(np.bincount(shell_of))[:-1])
    lows = np.array([shell.min(axis=(0, 1)) for shell in shells])
    highs = np.array([shell.max(axis=(0, 1)) for shell in shells])
    for own, shell in enumerate(shells):
        point = shell[0, 0]
        around = np.flatnonzero(((lows <= point) & (point <= highs)).all(axis=1))
        depth = sum(count_windings(point, shells[other]) for other in around if other != own)
        # A touching shell gives a fraction; only clear cases are refused.
        if outward[own] and depth > 0.75:
            raise ValueError(
                f"shell {own + 1} of the mesh's {count} lies inside another one, so its material would count "
                "twice. If it is a cavity, reverse the order of the vertices in its faces"
            )
        if not outward[own] and depth < 0.25:
            raise ValueError(
                f"shell {own + 1} of the mesh's {count} is inside out and is no cavity of another one. "
                "Reverse the order of the vertices in its faces"
            )


def count_windings(point: Array, corners: Array) -> float:
    """How many times triangles (m, 3, 3) enclose a point (van Oosterom & Strackee 1983)."""
    a, b, c = np.moveaxis(corners - point, 1, 0)
    la, lb, lc = (np.linalg.norm(side, axis=1) for side in (a, b, c))
    dots = (np.einsum("ij,ij->i", *pair) for pair in ((a, b), (b, c), (c, a)))
    below = la * lb * lc + sum(dot * length for dot, length in zip(dots, (lc, la, lb), strict=True))
    return float(np.arctan2(_triple_product(corners - point), below).sum() / (2 * pi))


def _triple_product(corners: Array) -> Array:
    """Six times the signed volume of the tetrahedron each triangle (m, 3, 3) makes with the
    origin.
    """
    return np.vecdot(corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))


def _read_arrays(mesh: Any) -> tuple[Any, Any]:
    """Vertices and triangles, unchecked, of a file, a surface or arrays."""
    if isinstance(mesh, tuple | list):
        if len(mesh) != 2:
            raise ValueError(
                f"a mesh given as arrays needs (vertices, triangles); got {len(mesh)} items"
            )
        return mesh[0], mesh[1]
    import pyvista  # like scipy below, slow to import and only for meshes

    surface = _read_mesh(mesh) if isinstance(mesh, str | os.PathLike) else mesh
    if not isinstance(surface, pyvista.PolyData):
        raise ValueError(
            f"a mesh must be a surface: a file, a pyvista.PolyData or (vertices, triangles); "
            f"got {type(surface).__name__}"
        )
    triangulated = surface.triangulate()
    return np.asarray(triangulated.points), np.reshape(triangulated.regular_faces, (-1, 3))


def _read_mesh(path: str | os.PathLike[str]) -> Any:
    """Read a file by PyVista, without its log on a bad one."""
    import pyvista

    if not Path(path).exists():
        raise FileNotFoundError(f"there is no mesh file {str(path)!r}")
    if Path(path).suffix.lower() == ".ply":
        _check_ply_header(Path(path))
    try:
        with (
            pyvista.vtk_verbosity("off"),
            pyvista.VtkErrorCatcher(raise_errors=True, send_to_logging=False),
        ):
            return pyvista.get_reader(path).read()
    except (ValueError, RuntimeError, OSError) as reason:
        raise ValueError(
            f"{str(path)!r} is not a mesh file that can be read: either damaged, or not of a format such as "
            "STL, PLY, OBJ or VTP"
        ) from reason


def _check_ply_header(path: Path) -> None:
    """Refuse a PLY file that declares more elements than it has bytes: its reader would allocate
    memory for them.
    """
    with path.open("rb") as file:
        header = file.read(LONGEST_HEADER).partition(b"end_header")[0]
    for name, count in re.findall(rb"^element +(\w+) +(\d+)", header, re.MULTILINE):
        if int(count) > path.stat().st_size:
            raise ValueError(
                f"{str(path)!r} declares {int(count):,} elements {name.decode()!r}, more than it has bytes"
            )


def _merge_points(vertices: Any, triangles: Any) -> Mesh:
    """A closed, consistently wound surface, without coincident and unused points; `ValueError` if
    it is not one.
    """
    from scipy.spatial import cKDTree

    points = check_reals(vertices, "the vertices of a mesh need numbers")
    faces = np.asarray(triangles)
    if points.ndim != 2 or points.shape[1] != 3:
        raise ValueError(f"the vertices of a mesh need shape (n, 3); got {points.shape}")
    if faces.size == 0:
        raise ValueError(f"the mesh has no faces, only {len(points)} points")
    if faces.ndim != 2 or faces.shape[1] != 3 or faces.dtype.kind not in "iu":
        raise ValueError(
            f"the triangles of a mesh need integers of shape (m, 3); got {faces.dtype} of shape {faces.shape}"
        )
    if len(faces) > MAX_TRIANGLES:
        raise ValueError(
            f"the mesh has {len(faces)} triangles, more than the {MAX_TRIANGLES} allowed"
        )
    if faces.min() < 0 or faces.max() >= len(points):
        raise ValueError(
            f"the triangles of a mesh of {len(points)} vertices need indices from 0 to {len(points) - 1}; "
            f"got {faces.min()} to {faces.max()}"
        )
    usable = (np.abs(points) <= LARGEST).all(axis=1)
    if not usable.all():
        raise ValueError(
            f"{np.count_nonzero(~usable)} of the mesh's {len(points)} vertices are not finite numbers "
            f"(below {show(LARGEST)})"
        )
    used, faces = np.unique(faces, return_inverse=True)
    points = points[used]
    _, size = _find_bounds(points)
    # Equal points first: pairing a thousand copies of one point would make a million pairs.
    distinct, first, which = np.unique(points, axis=0, return_index=True, return_inverse=True)
    near = cKDTree(distinct).query_pairs(MERGE_DISTANCE * size, output_type="ndarray")
    _, cluster = _group_points(near, len(distinct))
    unique = first[np.unique(cluster, return_index=True)[1]]
    faces = cluster[which.reshape(-1)][faces.reshape(-1, 3)].astype(np.int64)
    a, b, c = faces.T
    faces = faces[
        (a != b) & (b != c) & (c != a)
    ]  # faces shrunk to a line leave their neighbours joined
    if len(faces) == 0:
        raise ValueError(
            "the mesh encloses no volume: all its faces have shrunk to lines or points"
        )
    _check_edges(faces, len(unique))
    return Mesh(_freeze(points[unique]), _freeze(faces))


def _check_edges(triangles: NDArray[np.int64], points: int) -> None:
    """Refuse a surface unless each edge joins two faces that run along it in opposite
    directions.
    """
    start, end = triangles.reshape(-1), np.roll(triangles, -1, axis=1).reshape(-1)
    keys = np.minimum(start, end) * points + np.maximum(start, end)
    _, edge, faces = np.unique(keys, return_inverse=True, return_counts=True)
    forward = np.bincount(edge, start < end)
    for bad, sentence in (
        (faces == 1, "the mesh is not closed: {} of its {} edges have a face on one side only"),
        (
            faces > 2,
            "the mesh is not the surface of a solid: {} of its {} edges join more than two faces",
        ),
        (
            forward != 1,
            "the mesh's faces do not agree on an outside: {} of its {} edges join faces wound oppositely",
        ),
    ):
        if bad.any():
            raise ValueError(sentence.format(np.count_nonzero(bad), len(bad)))


def _group_points(pairs: NDArray[Any], count: int) -> tuple[int, NDArray[np.int32]]:
    """The number of groups of `count` points linked in pairs (k, 2), and the group of each."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    links = coo_array(
        (np.ones(len(pairs), dtype=bool), (pairs[:, 0], pairs[:, 1])), shape=(count, count)
    )
    groups, group = connected_components(links, directed=False)
    return groups, group


def _join_meshes(meshes: Sequence[Mesh]) -> Mesh:
    offsets = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes[:-1])])
    triangles = [mesh.triangles + offset for mesh, offset in zip(meshes, offsets, strict=True)]
    vertices = np.concatenate([mesh.vertices for mesh in meshes])
    return Mesh(_freeze(vertices), _freeze(np.concatenate(triangles)))


def _find_bounds(points: Array) -> tuple[Array, float]:
    """Middle of the bounding box and its diagonal, which must be a usable length."""
    low, high = points.min(axis=0), points.max(axis=0)
    size = float(np.linalg.norm(high - low))
    if size < SMALLEST:
        raise ValueError(
            f"the mesh encloses no volume: its bounding box's diagonal is {show(size)}"
        )
    return (low + high) / 2, size


def _find_mass(volume: float, mass: float | None, density: float | None) -> float:
    if mass is not None and density is not None:
        raise ValueError(
            f"give the mass or the density, not both; got mass {mass} and density {density}"
        )
    if density is not None:
        return check_positive(density, "density") * volume
    return 1.0 if mass is None else check_positive(mass, "mass")


NOISE = 1e-14
"""Relative to the largest entry: the roundoff of sums over a mesh and of rotations in zero products
of inertia.
"""


def _remove_noise(J: Array) -> Array:
    """An inertia with zeros for products of inertia that are roundoff."""
    noise = np.abs(J) <= NOISE * np.abs(J).max()
    np.fill_diagonal(noise, False)
    return np.where(noise, 0.0, J)


def _freeze(array: AnyArray) -> AnyArray:
    array.setflags(write=False)
    return array
