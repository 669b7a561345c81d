"""A body in other axes: its axes numbered anew, and axes that are not the principal ones."""

from __future__ import annotations

import itertools

import numpy as np

import engine


def relabellings():
    """Rotations from the first axes to the others, by name."""
    for order in itertools.permutations(range(3)):
        P = np.eye(3)[list(order)]
        yield "".join(str(i + 1) for i in order), P * np.linalg.det(P)
    x, y, z = 0.3, -0.7, 0.4
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    yield "oblique", np.linalg.solve(np.eye(3) - skew, np.eye(3) + skew)


AXES = dict(relabellings())
OTHERS = list(AXES)[1:]
START = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])
TOP = engine.problem("asymmetric-top", R0=START)
KOVALEVSKAYA = engine.problem("kovalevskaya-top", R0=START)


def describe_in_axes(body, name):
    """The same body and start, seen from other body axes."""
    Q = AXES[name]
    changed = {"J": Q @ body.J @ Q.T, "R0": body.R0 @ Q.T, "Omega0": Q @ body.Omega0}
    if "chi" in body.values:
        changed["chi"] = Q @ np.array(body.values["chi"])
    return body.replace(**changed)
