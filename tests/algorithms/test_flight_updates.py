"""Updates of flight and estimation software beside transcriptions of the programs in NumPy, which share
no code with the methods; and their roundoff in 32 bits.

The transcriptions follow the files at the commits that the modules of the methods name, operation by
operation, in the precision of their arguments.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from covering import first
from plain_gyro import Sampled, advance, angle, attitude, length

import engine
from engine.problems.given_rates.samples import Samples

INTERVAL = 0.001
UPDATES = 200


def make_angles(samples, size=1.0):
    """(n, 3) integrated angles of a motion with coning, in radians."""
    t = INTERVAL * (np.arange(samples) + 0.5)
    rates = [3 * np.sin(60 * t), 3 * np.cos(60 * t + 0.3), 0.5 + np.sin(7 * t)]
    return size * INTERVAL * np.stack(rates, axis=1)


class Numbers:
    """Functions and the first state in one precision."""

    def __init__(self, kind):
        self.kind = kind
        self.q = np.array([1, 0, 0, 0], kind)
        self.zero = np.zeros(3, kind)

    def times(self, p, q):
        """Hamilton's product."""
        w, x, y, z = p
        a, b, c, d = q
        return np.array(
            [
                w * a - x * b - y * c - z * d,
                w * b + x * a + y * d - z * c,
                w * c - x * d + y * a + z * b,
                w * d + x * c - y * b + z * a,
            ],
            self.kind,
        )

    def unit(self, q):
        return q / np.sqrt(np.sum(q * q, dtype=self.kind))

    def from_axis_angle(self, v):
        size = np.sqrt(np.sum(v * v, dtype=self.kind))
        half = size / self.kind(2)
        return np.array([np.cos(half), *(v / size * np.sin(half))], self.kind)


def fly_px4(angles, of):
    """IntegratorConing::put and reset, four samples for each OutputPredictor::calculateOutputStates."""
    q, half, sixth = of.q, of.kind(0.5), of.kind(1 / 6)
    alpha, beta, last_alpha, last_delta = of.zero, of.zero, of.zero, of.zero
    for n, delta in enumerate(angles, 1):
        beta = beta + np.cross(last_alpha + last_delta * sixth, delta) * half
        last_delta = delta
        last_alpha = alpha
        alpha = alpha + delta
        if n % 4 == 0:
            q = of.unit(of.times(q, of.from_axis_angle(alpha + beta)))
            alpha, beta, last_alpha = of.zero, of.zero, of.zero
    return q


def accumulate_ardupilot(angles, of):
    """_notify_new_gyro_raw_sample, four samples for each angle that is handed on."""
    sum_of_angles, last = of.zero, of.zero
    for n, delta in enumerate(angles, 1):
        coning = np.cross(sum_of_angles + last * of.kind(1 / 6), delta) * of.kind(0.5)
        sum_of_angles = sum_of_angles + (delta + coning)
        last = delta
        if n % 4 == 0:
            yield sum_of_angles
            sum_of_angles = of.zero


def fly_ardupilot(angles, of):
    """NavEKF3_core::calcOutputStates: from_axis_angle, the product and normalize."""
    q = of.q
    for turn in accumulate_ardupilot(angles, of):
        q = of.unit(of.times(q, of.from_axis_angle(turn)))
    return q


def fly_dcm(angles, of):
    """Matrix3::rotate and Matrix3::normalize."""
    a, b, c = np.eye(3, dtype=of.kind)
    for g in accumulate_ardupilot(angles, of):
        a, b, c = (row + np.cross(row, g) for row in (a, b, c))
        error = np.dot(a, b)
        t0, t1 = a - b * (of.kind(0.5) * error), b - a * (of.kind(0.5) * error)
        a, b, c = map(of.unit, (t0, t1, np.cross(t0, t1)))
    return np.array([a, b, c])


def fly_betaflight(angles, of):
    """imuMahonyAHRSupdate without acceleration and heading."""
    w, x, y, z = of.q
    for gx, gy, gz in angles * of.kind(0.5):
        w, x, y, z = of.unit(
            np.array(
                [
                    w + (-x * gx - y * gy - z * gz),
                    x + (w * gx + y * gz - z * gy),
                    y + (w * gy - x * gz + z * gx),
                    z + (w * gz + x * gy - y * gx),
                ],
                of.kind,
            )
        )
    return np.array([w, x, y, z], of.kind)


def find_inverse_root(x, rounds=2):
    """Of a 32-bit number from its bits, and Newton steps, as Madgwick and Mahony."""
    x = np.float32(x)
    y = np.array(0x5F3759DF - (x.view(np.int32) >> 1), np.int32).view(np.float32)
    for _ in range(rounds):
        y = np.float32(y * (np.float32(1.5) - np.float32(0.5) * x * y * y))
    return y


def find_inverse_root_of_fusion(x):
    """FusionFastInverseSqrt."""
    x = np.float32(x)
    y = np.array(0x5F1F1412 - (x.view(np.int32) >> 1), np.int32).view(np.float32)
    return np.float32(y * (np.float32(1.69000231) - np.float32(0.714158168) * x * y * y))


def fly_filter(angles, of, inverse_root):
    """Madgwick's updateIMU, Mahony's and FusionAhrsUpdate without corrections, by a root of the bits."""
    q = of.q
    for half in angles * of.kind(0.5):
        q = q + of.times(q, np.array([0, *half], of.kind))
        q = q * of.kind(inverse_root(np.sum(q * q, dtype=of.kind)))
    return q


def fly_inav(angles, of):
    """imuMahonyAHRSupdate of INAV without corrections, with its polynomial for sine and cosine."""

    def sine(x):
        coefficients = [-1.666665710e-1, 8.333017292e-3, -1.980661520e-4, 2.600054768e-6]
        if x > np.pi / 2:
            x = of.kind(np.pi) - x
        square, total = x * x, of.kind(0)
        for c in reversed(coefficients):
            total = of.kind(c) + square * total
        return x + x * square * total

    q, one, two = of.q, of.kind(1), of.kind(2)
    for theta in angles * of.kind(0.5):
        square = np.sum(theta * theta, dtype=of.kind)
        if square * square < of.kind(24.0e-6):
            delta = np.array([one - square / two, *(theta * (one - square / of.kind(6)))], of.kind)
        else:
            size = np.sqrt(square)
            cosine = sine(size + of.kind(0.5 * np.pi))
            delta = np.array([cosine, *(theta * (sine(size) / size))], of.kind)
        q = of.times(q, delta)
        q = q * ((of.kind(3) - np.sum(q * q, dtype=of.kind)) * of.kind(0.5))
    return q


def hat(v):
    x, y, z = v
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], v.dtype)


def expmap(v):
    """Rodrigues' formula."""
    size, W = np.linalg.norm(v), hat(v)
    return np.eye(3) + np.sin(size) / size * W + (1 - np.cos(size)) / size**2 * W @ W


def fly_gtsam(angles, of):
    """TangentPreintegration::UpdatePreintegrated, four samples for each preintegration, by the inverse of
    the right Jacobian as a matrix.
    """
    R, theta = np.eye(3), of.zero
    for n, turn in enumerate(angles, 1):
        size = np.linalg.norm(theta)
        J = np.eye(3)
        if size:
            W = hat(theta)
            J = J - (1 - np.cos(size)) / size**2 * W + (size - np.sin(size)) / size**3 * W @ W
        theta = theta + np.linalg.solve(J, turn)
        if n % 4 == 0:
            R, theta = R @ expmap(theta), of.zero
    return R


def fly_gtsam_manifold(angles, of):
    """PreintegratedRotation::integrateGyroMeasurement."""
    R = np.eye(3)
    for turn in angles:
        R = R @ expmap(turn)
    return R


def omega(w):
    """OpenVINS's Omega; its quaternions have the scalar last and are those of space to body."""
    found = np.zeros((4, 4))
    found[:3, :3], found[:3, 3], found[3, :3] = -hat(w), w, -w
    return found


def multiply_jpl(q, p):
    """quat_multiply, of unit length and with a positive scalar."""
    matrix = np.zeros((4, 4))
    matrix[:3, :3], matrix[:3, 3], matrix[3, :3] = q[3] * np.eye(3) - hat(q[:3]), q[:3], -q[:3]
    matrix[3, 3] = q[3]
    found = matrix @ p
    return found / np.linalg.norm(found) * (-1 if found[3] < 0 else 1)


def fly_openvins(rates, dt):
    """predict_mean_rk4, then the rotation from body to space."""
    q = np.array([0.0, 0.0, 0.0, 1.0])
    for w1, w2 in pairwise(rates):
        w, alpha = w1.copy(), (w2 - w1) / dt
        dq0 = np.array([0.0, 0.0, 0.0, 1.0])
        k1 = 0.5 * omega(w) @ dq0 * dt
        w = w + 0.5 * alpha * dt
        dq1 = (dq0 + 0.5 * k1) / np.linalg.norm(dq0 + 0.5 * k1)
        k2 = 0.5 * omega(w) @ dq1 * dt
        dq2 = (dq0 + 0.5 * k2) / np.linalg.norm(dq0 + 0.5 * k2)
        k3 = 0.5 * omega(w) @ dq2 * dt
        w = w + 0.5 * alpha * dt
        dq3 = (dq0 + k3) / np.linalg.norm(dq0 + k3)
        k4 = 0.5 * omega(w) @ dq3 * dt
        dq = dq0 + (k1 + 2 * k2 + 2 * k3 + k4) / 6
        q = multiply_jpl(dq / np.linalg.norm(dq), q)
    x, y, z, s = q
    v = hat(np.array([x, y, z]))
    space_to_body = np.eye(3) - 2 * s * v + 2 * v @ v
    return space_to_body.T


def rotation(q):
    """The matrix of a quaternion of any length."""
    if q.shape == (3, 3):
        return np.asarray(q, float)
    q = np.asarray(q, float)
    v = hat(q[1:] / np.linalg.norm(q))
    return np.eye(3) + 2 * q[0] / np.linalg.norm(q) * v + 2 * v @ v


PROGRAMS = {
    "px4": (fly_px4, 4),
    "ardupilot": (fly_ardupilot, 4),
    "ARDUPILOT-DCM": (fly_dcm, 4),
    "betaflight": (fly_betaflight, 1),
    "INAV": (fly_inav, 1),
    "GTSAM": (fly_gtsam, 4),
    "gtsam-manifold": (fly_gtsam_manifold, 1),
}
SINGLE = ("px4", "ardupilot", "ARDUPILOT-DCM", "betaflight", "INAV")
"""The programs that compute with 32 bits."""


@pytest.mark.parametrize("size", [1.0, 30.0])
@pytest.mark.parametrize("name", PROGRAMS)
def test_transcription(name, size):
    """In 64 bits, also with turns at which INAV takes its polynomials."""
    fly, samples = PROGRAMS[name]
    angles = make_angles(samples * UPDATES, size)
    state = advance(name, Sampled(angles, INTERVAL), samples * INTERVAL, UPDATES)
    expected = rotation(fly(angles, Numbers(np.float64)))
    near = 1e-4 if name == "INAV" and size > 1 else 2e-12
    assert angle(attitude(state), expected) < near


@pytest.mark.parametrize("name", ["madgwick", "mahony", "fusion"])
def test_filters(name):
    """With reciprocal roots from the bits of 32-bit numbers the attitude is the same, but not the length."""
    inverse_root = find_inverse_root_of_fusion if name == "fusion" else find_inverse_root
    angles = make_angles(UPDATES)
    of = Numbers(np.float64)
    q = fly_filter(angles, of, inverse_root)
    state = advance(name, Sampled(angles, INTERVAL), INTERVAL, UPDATES)
    assert angle(attitude(state), rotation(q)) < 1e-13
    off = max(
        abs(x**0.5 * float(inverse_root(x)) - 1) for x in np.linspace(1.0, 1.01, 200, dtype=float)
    )
    assert 1e-7 < abs(np.linalg.norm(q) - 1) <= off < (7e-4 if name == "fusion" else 5e-6)
    assert abs(length(state) - 1) < 1e-15


def test_openvins():
    rates = make_angles(UPDATES + 1) / INTERVAL

    class Line:
        def rate(self, t):
            return engine.algebra.Vec3(*map(float, rates[round(t / INTERVAL)]))

    state = advance("openvins", Line(), INTERVAL, UPDATES)
    assert angle(attitude(state), fly_openvins(rates, INTERVAL)) < 1e-12


def test_px4_takes_alpha_without_the_last_sample():
    """Its file stores `_last_alpha` before `_alpha` grows. With four samples 23/32 of the coning are
    corrected, which is a sum of products of samples; Savage's formula corrects all.
    """
    pairs = [(i, j) for j in range(4) for i in range(j)]
    needed = 4**3 / 12  # of coning in an update, by the cube of the phase of a sample
    savage = sum(0.5 * (j - i) for i, j in pairs) + 4 / 12
    late = savage - sum(0.5 for i, j in pairs if j - i == 1)
    assert savage == pytest.approx(needed)
    assert late / needed == pytest.approx(23 / 32)
    h, phase = 0.004, 0.02
    drifts = []
    for name in ("EXP(rate=mean)", "px4", "savage"):
        samples = 1 if name.startswith("EXP") else 4
        t = h / samples * np.arange(samples * 4000 + 1)
        ω = phase / h
        turns = 0.01 * np.stack([np.sin(ω * t), np.cos(ω * t), 0 * t], axis=1)
        state = advance(name, Sampled(np.diff(turns, axis=0), h / samples), h, 4000)
        R = attitude(state)
        drifts.append(math.atan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1]))
    none, late, savage = drifts
    assert (late - savage) / (none - savage) == pytest.approx(1 - 23 / 32, rel=0.01)


@pytest.mark.parametrize("name", first(SINGLE, 1))
def test_transcription_in_32_bits(name):
    """Roundoff differs with the order of operations: by a few units of the last place in each update."""
    fly, samples = PROGRAMS[name]
    angles = make_angles(samples * UPDATES).astype(np.float32)
    single = rotation(fly(angles, Numbers(np.float32)))
    double = rotation(fly(angles.astype(float), Numbers(np.float64)))
    state = advance(name, Sampled(angles.astype(float), INTERVAL), samples * INTERVAL, UPDATES)
    assert angle(attitude(state), double) < 2e-12
    assert 1e-9 < angle(single, double) < 1e-5


def record(angles):
    """The problem of a recording of integrated angles."""
    values = np.vstack([np.zeros(3), angles])  # the first interval ends at the second row
    times = INTERVAL * np.arange(len(values))
    return engine.Problem(rate=Samples(times, values, np.zeros_like(values, bool), integrated=True))


@pytest.mark.parametrize("name", first(PROGRAMS, 1))
def test_recording(name):
    """The compiled update of a recording, beside the transcription; in 32 bits they round differently."""
    fly, samples = PROGRAMS[name]
    angles = make_angles(samples * UPDATES)
    exact = rotation(fly(angles, Numbers(np.float64)))
    for bits, near in (("double", 3e-14), ("single", 2e-5)):
        run = engine.simulate(
            record(angles), name, precision=bits, dt=samples * INTERVAL, steps=UPDATES
        )
        assert angle(run.R[-1], exact) < near


def test_recorded_rates():
    """PX4 and ArduPilot integrate samples of the rate by the trapezoidal rule."""
    times = INTERVAL * np.arange(4 * UPDATES + 1)
    rates = np.stack([3 * np.sin(60 * times), np.cos(60 * times), 0.5 + np.sin(7 * times)], axis=1)
    problem = engine.Problem(rate=Samples(times, rates, np.zeros_like(rates, bool)))
    expected = fly_px4(INTERVAL / 2 * (rates[1:] + rates[:-1]), Numbers(np.float64))
    run = engine.simulate(problem, "px4", dt=4 * INTERVAL, steps=UPDATES)
    assert angle(run.R[-1], rotation(expected)) < 3e-14


HOUR = {
    "betaflight": (0.001, 0.3),
    "INAV": (0.001, 0.3),
    "px4": (0.004, 0.03),
    "ardupilot": (0.004, 0.2),
    "openvins": (0.001, 0.2),
}
"""The interval of an update, and the most degrees that 32 bits turn it away in an hour."""


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", HOUR)
def test_an_hour_in_32_bits(name):
    """A cone of 2° at 50 Hz, 1000 samples in a second: against the same update in 64 bits."""
    dt, most = HOUR[name]
    runs = [
        engine.simulate("coning", name, precision=bits, dt=dt, duration=3600, samples=1)
        for bits in ("double", "single")
    ]
    off = math.degrees(angle(runs[1].R[-1], find_nearest(runs[0].R[-1])))
    assert 1e-4 < off < most
    assert abs(runs[1].norm[-1] - 1) < 2e-7


def find_nearest(R):
    """The rotation nearest to a matrix."""
    u, _, v = np.linalg.svd(R)
    return u @ v


@pytest.mark.exhaustive
def test_length_in_32_bits():
    """Products of unit quaternions lose their length by roundoff of one sign; normalising restores it."""
    lengths = [
        engine.simulate(
            "coning",
            "CONING",
            renormalise=how,
            precision="single",
            dt=0.002,
            duration=3600,
            every=1_800_000,
        ).norm[-1]
        for how in ("no", "yes")
    ]
    assert 1e-3 < abs(lengths[0] - 1) < 0.1
    assert abs(lengths[1] - 1) < 2e-7
