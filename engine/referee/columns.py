"""The columns of a trajectory by their names: the time, the attitude, the angular velocity and the inertia."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import NamedTuple

from ..problems.given_rates.columns import (
    ANGLE_UNITS,
    ENDINGS,
    RATE_UNITS,
    SPELLINGS,
    TIME_UNITS,
    parse_brackets,
)
from ..text.formatting import join_words, quote

TIME = re.compile(
    r"t|(date|sim|simulation|elapsed|fixed|game|mission|gps|missionelapsed|time)?time|(time)?stamp|seconds"
    r"|secondselapsed|elapsed|utc|tai|met|date|epoch"
)
COUNT = re.compile(r"n|(frame|step|tick|row|sample)s?(no|number|index|id|count)?|iteration|index")
"""Numbers of rows or frames."""
INERTIA = re.compile(r"i|j|inertia|moi|momentsofinertia")
QUATERNION = re.compile(
    r"q|q[a-z]{2}|e|ep|q?pos|.*(quat|quaternion|orientation|rotation|rot|attitude|eulerparameters?)"
)
ROTATION_VECTOR = re.compile(r".*(rotvec|rotationvector|axisangle|expmap)|rv")
EULER = re.compile(r".*(euler|eul|eulerangles?|rpy)|angles?")
UNCLEAR = re.compile(r"r|rot|rotation|orientation|attitude|theta")
"""Three columns with such names are a rotation vector or Euler angles."""
RODRIGUES = re.compile(r".*(mrp|sigma.*)")
VELOCITY = re.compile(
    r".*(omega|ω|angvel|angularvel|angularvelocity|angularrates?|rotvel|rotationalvelocity|avel|gyro)|w|rates?"
)
MATRIX = re.compile(
    r"r|rot|rotation|m|a|c|dcm|mat|xmat|matrix|.*(rotation|attitude|orientation)matrix"
)
FRAMES = {
    "body": "body", "local": "body", "b": "body",
    "world": "space", "global": "space", "space": "space", "spatial": "space", "inertial": "space",
}  # fmt: skip
"""Words of names that say in which frame a velocity is."""
ANGLES_BY_NAME = (
    ("roll", "pitch", "yaw"),
    ("bank", "elevation", "heading"),
    ("phi", "theta", "psi"),
)
"""Euler angles about x, y and z, whose order is unknown."""
SYMMETRIC = ("xx", "yy", "zz", "xy", "xz", "yz")
"""The entries of an inertia."""
RATES_BY_NAME = (
    ("p", "q", "r"),
    ("rollrate", "pitchrate", "yawrate"),
    ("rollspeed", "pitchspeed", "yawspeed"),
)
"""Velocities in the body's frame."""
NAMED_ANGLES = {name for names in ANGLES_BY_NAME for name in names}
ORDERS = tuple("".join(one) for one in permutations("XYZ")) + tuple(
    f"{a}{b}{a}" for a in "XYZ" for b in "XYZ" if a != b
)
"""The orders of Euler angles as factors of R: first six of three axes, then six with the first axis twice."""


class Column(NamedTuple):
    """A column: its place, its name in the file, the letters and the mark in that (an axis or
    numbers), the frame and the unit; these may be empty.
    """

    place: int
    written: str
    name: str
    mark: str
    frame: str
    unit: str


class Group(NamedTuple):
    """Columns that belong together, with what they are: a time, a count, a velocity, an inertia, or a
    kind of attitude.
    """

    kind: str
    columns: tuple[Column, ...]

    @property
    def is_attitude(self) -> bool:
        """Whether they are one."""
        return self.kind not in ("time", "count", "velocity", "inertia")

    @property
    def places(self) -> list[int]:
        """Their places in a row."""
        return [column.place for column in self.columns]

    @property
    def unit(self) -> str:
        """The unit that the file states, or an empty text."""
        return self.columns[0].unit

    def __str__(self) -> str:
        written = [quote(column.written) for column in self.columns]
        return join_words(written) if len(written) < 4 else f"{written[0]} to {written[-1]}"


def parse_column(place: int, written: str) -> Column:
    """Return a column by its name."""
    written = written.strip().strip('"').strip()
    name, inside = parse_brackets(written)
    unit = SPELLINGS.get(inside, inside)
    if unit not in (*RATE_UNITS, *ANGLE_UNITS, *TIME_UNITS):
        name, unit = written, ""
    spread = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).casefold()
    for ending in (*ENDINGS, *ANGLE_UNITS, *TIME_UNITS, "sec"):
        if not unit and re.search(rf"[a-z0-9][_ -]{ending}$", spread):
            spread = spread[: -len(ending) - 1]
            unit = SPELLINGS.get(ending, ending)
    tokens = [token for token in re.split(r"[^a-z0-9ωφθψ]+", spread) if token]
    frame = next((FRAMES[token] for token in tokens[:-1] if token in FRAMES), "")
    if tokens and tokens[-1] in FRAMES and tokens[-1] != "b" and len(tokens) > 1:
        frame = FRAMES[tokens[-1]]
    joined = "".join(token for token in tokens if len(tokens) == 1 or token not in FRAMES)
    mark = "" if joined in NAMED_ANGLES else find_mark(joined)
    return Column(place, written, joined.removesuffix(mark), mark, frame, unit)


def find_mark(name: str) -> str:
    """Return the axis or the numbers at the end of a name: x, 0, or 12 and xy of matrices."""
    pair = re.search(r"([0-3]{2}|[xyz]{2})$", name)
    begin = name[:-2]
    if pair and (not begin or MATRIX.fullmatch(begin) or INERTIA.fullmatch(begin)):
        return pair[1]
    found = re.search(r"(\d|[xyzw])$", name)
    return found[1] if found else ""


def find_groups(names: Sequence[str]) -> list[Group]:
    """Return the groups of columns that names show, in the order of the file."""
    columns = [parse_column(place, name) for place, name in enumerate(names)]
    together: dict[tuple[str, str], list[Column]] = {}
    for column in columns:
        together.setdefault((column.name, column.frame), []).append(column)
    found = [
        group
        for (name, _), alike in together.items()
        for group in _find_in(name, {column.mark: column for column in reversed(alike)})
    ]
    bare = {column.written.casefold(): column for column in columns} | {
        column.name: column for column in columns if not column.mark
    }
    for angles in ANGLES_BY_NAME:
        if set(angles) <= bare.keys():
            found.append(Group("Euler angles by name", tuple(bare[one] for one in angles)))
    for rates in RATES_BY_NAME:
        if set(rates) <= bare.keys():
            found.append(
                Group("velocity", tuple(bare[one]._replace(frame="body") for one in rates))
            )
    return sorted(found, key=lambda group: group.columns[0].place)


def _find_in(name: str, marked: dict[str, Column]) -> Iterable[Group]:
    """Yield the groups of columns with the same name, by their marks."""

    def take(marks: Iterable[str]) -> tuple[Column, ...]:
        return tuple(marked[mark] for mark in marks)

    for kind, names in (("time", TIME), ("count", COUNT)):
        if names.fullmatch(name) and "" in marked:
            yield Group(kind, take([""]))
    axes = next((m for m in ("xyz", "123", "012") if set(m) <= marked.keys()), None)
    if INERTIA.fullmatch(name):
        for entries in (SYMMETRIC, SYMMETRIC[:3], tuple(axes or "?")):
            if set(entries) <= marked.keys():
                yield Group("inertia", take(entries))
                return
    for first in "01":
        nine = [f"{int(first) + i}{int(first) + j}" for i in range(3) for j in range(3)]
        flat = [str(int(first) + i) for i in range(9)]
        for marks in (nine, flat):
            if MATRIX.fullmatch(name) and set(marks) <= marked.keys():
                yield Group("matrix", take(marks))
                return
    letters = [a + b for a in "xyz" for b in "xyz"]
    if set(letters) <= marked.keys():
        yield Group("matrix", take(letters))
        return
    four = next((m for m in ("0123", "1234") if set(m) <= marked.keys()), None)
    if set("wxyz") <= marked.keys():
        yield Group("quaternion", take("wxyz"))
    elif QUATERNION.fullmatch(name) and four:
        yield Group("quaternion in an unknown order", take(four))
    elif axes and VELOCITY.fullmatch(name):
        yield Group("velocity", take(axes))
    elif axes and RODRIGUES.fullmatch(name):
        yield Group("modified Rodrigues parameters", take(axes))
    elif axes and ROTATION_VECTOR.fullmatch(name):
        yield Group("rotation vector", take(axes))
    elif axes and EULER.fullmatch(name):
        kind = "Euler angles by name" if axes == "xyz" else "Euler angles in turn"
        yield Group(kind, take(axes))
    elif axes and UNCLEAR.fullmatch(name):
        yield Group("rotation vector or Euler angles", take(axes))
