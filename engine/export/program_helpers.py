"""Functions of programs to paste, which need NumPy alone; a program contains the source of those
that it calls.
"""

import numpy as np
from numpy import cross
from numpy.linalg import norm


def hat(v):
    """The matrix of v ×."""
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def rodrigues(v, a, b):
    """1 + a v× + b (v×)²"""
    return np.eye(3) + a * hat(v) + b * hat(v) @ hat(v)


def exp(v):
    """The rotation about v by |v| radians."""
    x = norm(v)
    if x < 1e-4:
        return rodrigues(v, 1 - x**2 / 6, 0.5 - x**2 / 24)
    return rodrigues(v, np.sin(x) / x, (1 - np.cos(x)) / x**2)


def cay(v):
    """The rotation about v by 2 atan(|v|/2): a linear step of the quaternion, made a unit."""
    return rodrigues(v, 1 / (1 + v @ v / 4), 0.5 / (1 + v @ v / 4))


def dexp_matrix(v):
    """The matrix that takes the rate of v to the angular velocity of exp(v)."""
    x = norm(v)
    if x < 1e-4:
        return rodrigues(v, 0.5, 1 / 6)
    return rodrigues(v, 2 * np.sin(x / 2) ** 2 / x**2, (x - np.sin(x)) / x**3)


def dexpinv_coefficient(x2):
    """(1 − x/2 cot x/2)/x² of x²."""
    if x2 < 1e-2:
        return 1 / 12 + x2 / 720 + x2**2 / 30240
    x = np.sqrt(x2)
    return (1 - x / 2 / np.tan(x / 2)) / x2


def dexpinv_slope(x2, c):
    """Twice the derivative by x² of dexpinv_coefficient(x²), which is c."""
    return 1 / 360 + x2 / 7560 if x2 < 1e-4 else (0.25 - 3 * c + x2 * c**2) / x2


def dexpinv(v, w):
    """The rate of v for which exp(v) turns by w."""
    return w - cross(v, w) / 2 + dexpinv_coefficient(v @ v) * cross(v, cross(v, w))


def product(q, p):
    """Of quaternions (x, y, z, w); a vector is one without w."""
    p = np.append(p, np.zeros(4 - len(p)))
    v = q[3] * p[:3] + p[3] * q[:3] + cross(q[:3], p[:3])
    return np.append(v, q[3] * p[3] - q[:3] @ p[:3])


def rotation_of(q):
    """The rotation of a unit quaternion (x, y, z, w)."""
    v, w = q[:3], q[3]
    return (w**2 - v @ v) * np.eye(3) + 2 * w * hat(v) + 2 * np.outer(v, v)


def quaternion_of(R):
    """The quaternion (x, y, z, w) of a rotation, its scalar not negative."""
    v = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    products = np.block(
        [[R + R.T + (1 - np.trace(R)) * np.eye(3), v[:, None]], [v, 1 + np.trace(R)]]
    )
    q = products[np.argmax(np.diag(products))]
    return np.copysign(1, q[3]) * q / norm(q)
