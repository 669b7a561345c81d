"""Steps of methods with given rates in plain Python, without the engine: a gyroscope of their own,
and attitudes as NumPy arrays.
"""

from __future__ import annotations

import math

import numpy as np

import engine
from engine.algebra import Mat3, Vec3, quaternion_of, rotation_of

NODES, WEIGHTS = np.polynomial.legendre.leggauss(12)
IDENTITY = Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


class PlainGyro:
    """The rate f(t) or, for increments, its integral by Gauss's rule; it counts both."""

    def __init__(self, rate):
        self.f, self.calls, self.places = rate, 0, []

    def rate(self, t):
        self.calls += 1
        self.places.append(t)
        return Vec3(*map(float, self.f(t)))

    def increment(self, t, h):
        self.calls += 1
        turns = [
            w * h / 2 * np.asarray(self.f(t + (x + 1) * h / 2))
            for x, w in zip(NODES, WEIGHTS, strict=True)
        ]
        return Vec3(*map(float, np.sum(turns, axis=0)))


class Sampled:
    """Integrated angles over equal intervals: increments are sums of them, rates their means."""

    def __init__(self, angles, interval):
        self.angles, self.interval = np.asarray(angles), interval

    def increment(self, t, h):
        begin, end = (round(time / self.interval) for time in (t, t + h))
        return Vec3(*map(float, self.angles[begin:end].sum(axis=0)))

    def rate(self, t):
        return Vec3(*map(float, self.angles[round(t / self.interval) - 1] / self.interval))


def find_method(name):
    return engine.algorithm(name, space="rates")


def advance(name, gyro, h, steps, R=IDENTITY):
    """The state after some steps from an attitude."""
    method = find_method(name)
    options = [option.meaning(value) for option, value in method.step_arguments]
    start = method.state.start
    if start is not None:
        state = start(gyro, 0.0, h, R, *options)
    else:
        state = (quaternion_of(R) if method.carries[0] == "q" else R,)
    for i in range(steps):
        state = method.step(gyro, i * h, h, *state, *options)
    return state


def attitude(state):
    """The matrix of a state, of the unit quaternion if it has one."""
    first = state[0]
    if type(first) is not Mat3:
        first = rotation_of(first * (1.0 / math.hypot(*first)))
    return np.array(list(first)).reshape(3, 3)


def length(state):
    """Of the quaternion of a state."""
    return math.hypot(*state[0])


def solve(name, rate, duration, steps):
    """The attitude after steps with a rate f(t)."""
    return attitude(advance(name, PlainGyro(rate), duration / steps, steps))


def angle(A, B):
    """The angle in radians between two attitudes, or the rotations nearest to them."""
    u, _, v = np.linalg.svd(A)
    E = (u @ v).T @ B
    axis = np.array([E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]]) / 2
    return math.atan2(np.linalg.norm(axis), (np.trace(E) - 1) / 2)
