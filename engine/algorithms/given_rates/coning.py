"""CONING: the rotation vector of an update from the increments of the angle, with a coning
correction, as Miller, Ignagni and Savage have it, and PX4 and ArduPilot.

Between attitude updates Bortz's equation is close to φ˙ = ω + ½ α × ω, where α is the integral of ω
(Miller). An interval has N samples, the increments θ₁ … θ_N, and its correction is a sum of products
θᵢ × θⱼ. In coning motion a product depends only on the distance j − i. So N − 1 numbers, one for
each distance, make the drift fall with the power 2N of the coning frequency times the interval
between samples (`find_distance_weights`), or N numbers with the power 2N + 2 if the last sample of the
interval before is used as well (Ignagni). They are those of Miller for three samples, and of Lee et
al. and Ignagni for four. How the products of one distance share their number, does not matter to
coning: equally, as Miller's, or all to those with the last sample (Ignagni 1996). A third set is exact
for rates that are polynomials of degree N − 1.

An attitude update takes one interval (single speed) or several, over which it sums
½ α × Δα and the corrections of the intervals (two speeds). Savage's algorithm is that of one
sample with the one before, in several intervals: the sum of ½ (α + ⅙ Δα before) × Δα.

PX4 names that algorithm as its source, but takes α without the last Δα, because `_last_alpha` is stored
before Δα is added: commit 4f586bae, src/modules/sensors/vehicle_imu/Integrator.hpp, lines 126 and 167
to 172; the product ½ Δα × Δα of neighbours within an update is missing. Its quaternion is normalised:
commit 1e944a5a, src/modules/ekf2/EKF/output_predictor/output_predictor.cpp, lines 198 to 205. ArduPilot
adds each correction to α at once: commit 010cfbed,
libraries/AP_InertialSensor/AP_InertialSensor_Backend.cpp, lines 73 to 88, and commit 003a5c9c,
`NavEKF3_core::calcOutputStates` in libraries/AP_NavEKF3/AP_NavEKF3_core.cpp. Both integrate samples of
the rate by the trapezoidal rule, as the increments of sampled rates are here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import factorial
from typing import Any

from ...algebra import Mat3, Quat, Vec3, cross, quaternion_exp, quaternion_of
from ...parameters.parameter import OneOf, Parameter
from ...text import bibtex, declares, keeps, measures
from ...text.evidence import CONES
from ...text.formatting import format_count
from ..core import Gyro, method, offer
from .turns import RENORMALISE, ROTATION, find_meaning

Row = list[Fraction]
Products = tuple[tuple[int, int, float], ...]
"""(i, j, weight) of the products θᵢ × θⱼ in a correction, where θ₀ is the sample before."""


def solve(matrix: list[Row], right: Row) -> Row:
    """The solution of linear equations, exact, by elimination."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for i in range(len(rows)):
        pivot = next(k for k in range(i, len(rows)) if rows[k][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [entry / rows[i][i] for entry in rows[i]]
        for k, row in enumerate(rows):
            if k != i:
                rows[k] = [a - row[i] * b for a, b in zip(row, rows[i], strict=True)]
    return [row[-1] for row in rows]


def find_distance_weights(samples: int, before: int) -> Row:
    """The weights of the products of each distance, 1 to samples + before − 1, in coning motion.

    With λ the phase of a sample, coning adds ½ (Nλ − sin Nλ) to the rotation vector, and the
    product of samples at the distance j is 2 sin jλ − sin (j+1)λ − sin (j−1)λ. The weights cancel as
    many of the odd powers of λ as there are weights.
    """
    count = samples + before - 1
    powers = [2 * k + 3 for k in range(count)]
    signs = {power: Fraction((-1) ** (power // 2), factorial(power)) for power in powers}
    matrix = [
        [
            signs[power] * (2 * j**power - (j + 1) ** power - (j - 1) ** power)
            for j in range(1, count + 1)
        ]
        for power in powers
    ]
    return solve(matrix, [-signs[power] * samples**power / 2 for power in powers])


def share_equally(samples: int, before: int) -> Products:
    """Every pair of samples of the interval; a distance that reaches the sample before has one."""
    found = []
    for distance, weight in enumerate(find_distance_weights(samples, before), 1):
        first = range(1, samples - distance + 1) or range(1)
        found += [(i, i + distance, float(weight / len(first))) for i in first]
    return tuple(found)


def take_last(samples: int, before: int) -> Products:
    """Only the products with the last sample."""
    weights = enumerate(find_distance_weights(samples, before), 1)
    return tuple((samples - distance, samples, float(weight)) for distance, weight in weights)


def fit_polynomial(samples: int, before: int) -> Products:
    """The products of ½ ∫ α × ω for the rate whose polynomial of least degree has these increments.

    Within the interval α = Σ Lᵢ θᵢ, and Lᵢ grows by 1 in the sample i and by 0 in the others.
    """
    numbers = range(1 - before, samples + 1)
    degrees = range(1, len(numbers) + 1)
    grown = [[Fraction(i**d - (i - 1) ** d) for d in degrees] for i in numbers]
    L = [solve(grown, [Fraction(int(i == k)) for k in numbers]) for i in numbers]

    def enclosed(a: Row, b: Row) -> Fraction:
        """½ ∫ (a b' − b a') over the interval."""
        return (
            sum(
                (
                    (a[d - 1] * b[e - 1] - b[d - 1] * a[e - 1])
                    * Fraction(e, d + e)
                    * samples ** (d + e)
                    for d in degrees
                    for e in degrees
                ),
                Fraction(0),
            )
            / 2
        )

    return tuple(
        (i, j, float(enclosed(L[i - numbers[0]], L[j - numbers[0]])))
        for i in numbers
        for j in numbers
        if i < j
    )


CORRECTIONS: dict[str, Callable[[int, int], Products]] = {
    "coning": share_equally,
    "last": take_last,
    "polynomial": fit_polynomial,
}
MOST_SAMPLES = 4


def offer_numbers(
    name: str, doc: str, label: str, numbers: Sequence[int], default: int, what: str
) -> Parameter:
    """An option that offers these numbers of something."""
    kind = OneOf({str(n): n for n in numbers}, {str(n): format_count(n, what) for n in numbers})
    return Parameter(name, kind, doc, str(default), label=label)


SAMPLES = offer_numbers(
    "samples",
    "the number of increments of the angle in an interval",
    "Samples in an interval",
    range(1, MOST_SAMPLES + 1),
    2,
    "sample",
)
BEFORE = offer(
    "before",
    "whether the correction also uses the last increment of the interval before",
    "Increment before",
    {"no": (0, "not used"), "yes": (1, "used")},
    brief="the increment before",
)
INTERVALS = offer_numbers(
    "intervals",
    "the number of intervals in an attitude update; more than one makes two speeds",
    "Intervals in an update",
    (1, 2, 4, 8),
    1,
    "interval",
)
CORRECTION = offer(
    "correction",
    "what the correction is exact for, and which products of increments it takes",
    "Coning correction",
    {
        "coning": (share_equally, "for coning, with all products"),
        "last": (take_last, "for coning, with products of the last increment"),
        "polynomial": (fit_polynomial, "for rates that are polynomials"),
    },
    brief="{value} correction",
)
SUMS = offer(
    "sums",
    "how intervals are summed: corrections apart from the angle α, together with it, or with a late α",
    "Sums of an update",
    {
        "apart": ("apart", "apart, as Savage"),
        "together": ("together", "together, as ArduPilot"),
        "late": ("late", "with α late by an interval, as PX4"),
    },
    brief="sums {value}",
)


def make_sum(samples: int, before: int, intervals: int, products: Products, sums: str) -> Any:
    """(gyro, t, h, increment before) → the rotation vector of an update, and its last increment."""
    count = samples * intervals
    starts = tuple(tuple(range(i, i + samples)) for i in range(0, count, samples))

    def find_rotation(gyro: Gyro, t: float, h: float, last: Vec3) -> tuple[Vec3, Vec3]:
        part = h / count
        α, β = Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0)
        before = α
        for numbers in starts:
            θ = (last, *[gyro.increment(t + i * part, part) for i in numbers])
            Δα = θ[1]
            for one in θ[2:]:
                Δα = Δα + one
            coning = 0.5 * cross(before if sums == "late" else α, Δα)
            before = α
            for i, j, weight in products:
                coning = coning + weight * cross(θ[i], θ[j])
            α, β = (α + Δα + coning, β) if sums == "together" else (α + Δα, β + coning)
            last = θ[-1]
        return α + β, last

    return find_rotation


def start_with_no_increment(
    gyro: Gyro, t: float, h: float, R: Mat3, *options: Any
) -> tuple[Quat, Vec3]:
    """The first state; there is no increment before the first."""
    return quaternion_of(R), Vec3(0.0, 0.0, 0.0)


def make_step(find_rotation: Any, before: int) -> Any:
    """The step of an attitude update, which carries the last increment if it uses it."""
    nothing = Vec3(0.0, 0.0, 0.0)

    def step(gyro: Gyro, t: float, h: float, q: Quat, renormalise: Any) -> tuple[Quat]:
        r"""One exponential of the sum of increments and a correction for coning. Its quaternion [keeps
        its length].

        .. math::
            \phi = \sum_i \theta_i + \sum_{i<j} k_{ij}\, \theta_i \times \theta_j, \quad
            \theta_i = \int \omega\,dt \text{ over a sample}, \quad q_{n+1} = q_n \otimes e^{\phi/2} \\
            k_{12} = \tfrac23; \qquad k_{12} = k_{23} = \tfrac{27}{40},\; k_{13} = \tfrac{9}{20}; \qquad
            k_{12} = k_{23} = k_{34} = \tfrac{214}{315},\; k_{13} = k_{24} = \tfrac{46}{105},\;
            k_{14} = \tfrac{18}{35} \\
            \text{two speeds:}\quad \phi = \alpha + \sum_l \left(\tfrac12 \alpha_{l-1} \times \Delta\alpha_l
            + \text{the correction of the interval } l\right)

        - The correction is the integral of ½ α × ω, from the products of increments. It is exact for
          rates that are linear in the time, and so are its numbers for coning.
        - Bortz's equation has further terms. In an interval they cancel up to the fifth power of its
          length. [With all products the order is four, from two samples on].
        - In coning of a small angle [the drift falls with the power 2N of the interval]. It comes from
          the integral of ½ α × ω.
        """
        φ, _ = find_rotation(gyro, t, h, nothing)
        return (renormalise(q @ quaternion_exp(φ)),)

    def step_with_history(
        gyro: Gyro, t: float, h: float, q: Quat, θ: Vec3, renormalise: Any
    ) -> tuple[Quat, Vec3]:
        φ, θ = find_rotation(gyro, t, h, θ)
        return renormalise(q @ quaternion_exp(φ)), θ

    return step_with_history if before else step


def promise(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The step of these numbers, and what it is given."""
    samples, before, intervals, correct, sums = (
        find_meaning(chosen, option) for option in (SAMPLES, BEFORE, INTERVALS, CORRECTION, SUMS)
    )
    products = correct(samples, before)
    if samples + before == 1 or (sums == "late" and intervals > 1):
        order = 2
    else:
        compressed = correct is take_last and samples > 2
        order = 3 if before or compressed or (sums == "together" and intervals > 1) else 4
    count = samples * intervals
    return {
        "step": make_step(make_sum(samples, before, intervals, products, sums), before),
        "start": start_with_no_increment if before else None,
        "increments": count,
        "torque_evaluations": count,
        "order": (order,),
        "reversible": not before and order != 3,
        "has_history": "the increment before" if before else None,
        "of_one_step": bool(before),
    }


DEFAULTS = promise({})
SAVAGE = {"samples": "1", "before": "yes", "intervals": "4"}
CONING = method(
    key="CONING",
    name="Rotation vector with a coning correction",
    short="Coning correction",
    variants={
        "miller": {"samples": "3"},
        "savage": SAVAGE,
        "px4": SAVAGE | {"renormalise": "yes", "sums": "late"},
        "ardupilot": SAVAGE | {"renormalise": "yes", "sums": "together"},
    },
    family="Rotation vector",
    reference=bibtex(
        "Miller1983",
        "LeeYoonMarkTazartes1990",
        "Ignagni1990",
        "Ignagni1996",
        "Savage1998",
        "PX42026",
        "ArduPilot2026",
    ),
    options=(SAMPLES, BEFORE, INTERVALS, CORRECTION, SUMS, RENORMALISE),
    conserves=ROTATION,
    **{name: value for name, value in DEFAULTS.items() if name != "step"},
    given_options=promise,
    evidence=(
        keeps(orthogonality="always"),
        (
            declares(order=(4,)),
            declares(of="CONING(samples=3)", order=(4,)),
            declares(of="CONING(samples=4)", order=(4,)),
            declares(of="CONING(samples=1)", order=(2,)),
            declares(of="CONING(samples=3, correction=last)", order=(3,)),
        ),
        tuple(
            measures(
                "power of the drift",
                CONES,
                2 * samples - 0.35,
                2 * samples + 0.1,
                of=f"CONING(samples={samples})",
                dt=0.002 * samples,
            )
            for samples in range(1, MOST_SAMPLES + 1)
        ),
    ),
)(DEFAULTS["step"])
