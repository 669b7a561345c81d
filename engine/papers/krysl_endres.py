"""Krysl and Endres, Explicit Newmark/Verlet algorithm for the rotational dynamics of rigid bodies.

No claim is about LS, the implicit algorithm of Lewis and Simo, because the paper does not give its
equations. SW-C1 and the other conserving methods are compared with NMB instead.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..algebra import Mat3, orthonormalise
from ..algorithms.core.method import find_method
from ..parameters.validation import Array
from ..problems.problem import Problem, find_problem
from ..simulation.one_body import Run
from ..studies.core.measurements import Stepper, form_defects
from .claim import Bench, Value, claim
from .shared_measures import find_drift, find_step_angles, measure_errors
from .variants import CG_RK4_BODY, NMS

FREE_DURATION = 100.0
FREE_STEPS = (4.0, 2.0, 1.0, 0.5)
"""The steps of Figures 1 and 2."""


def find_energy_range(run: Run) -> float:
    """The range of the energy over every step, in per cent of the first energy."""
    energy = run.extrema["energy"]
    return 100 * float((energy.max - energy.min) / abs(run.energy[0]))


def find_energy_error(run: Run) -> float:
    """The largest energy error, in per cent of the first energy."""
    energy = run.extrema["energy"]
    return 100 * float(
        max(energy.max - run.energy[0], run.energy[0] - energy.min) / abs(run.energy[0])
    )


@claim(key="krysl-endres-figure-1")
def figure_1(bench: Bench) -> Iterator[tuple[str, Value]]:
    """Range of the energy over 100 units of time; least and largest in the first 100 000 steps of
    0.5 and in as many after a million, relative; range of the modified energy.
    """
    for dt in (5.0, *FREE_STEPS):
        run = bench.simulate("free", "NMB", dt=dt, duration=FREE_DURATION)
        yield f"range, dt={dt:g} (%)", find_energy_range(run)
    A = np.linalg.solve(run.problem.J, np.cross(run.Pi, run.Omega).T).T
    modified = run.energy + run.dt**2 / 8 * np.einsum("ni,ij,nj->n", A, run.problem.J, A)
    yield "range of E + h²/8 A·JA", float(np.ptp(modified))
    long = bench.simulate("free", "NMB", dt=0.5, steps=1_000_000, samples=1)
    onwards = find_problem("free", Problem).replace(R0=long.R[-1], Omega0=long.Omega[-1])
    first, last = (
        bench.simulate(problem, "NMB", dt=0.5, steps=100_000, samples=1).extrema["energy"]
        for problem in ("free", onwards)
    )
    change = max(abs(first.min - last.min), abs(first.max - last.max)) / long.energy[0]
    yield "change of the extremes after a million steps", float(change)


@claim(key="krysl-endres-figure-2")
def figure_2(bench: Bench) -> Iterator[tuple[str, Value]]:
    """Least and largest |h (Ω + h/2 A)| of NMB over 100 units of time."""
    for dt in FREE_STEPS:
        degrees = np.degrees(
            find_step_angles(bench.simulate("free", "NMB", dt=dt, duration=FREE_DURATION))
        )
        yield f"least, dt={dt:g} (°)", float(degrees.min())
        yield f"largest, dt={dt:g} (°)", float(degrees.max())


@claim(key="krysl-endres-figure-3")
def figure_3(bench: Bench) -> Iterator[tuple[str, Value]]:
    """Extremes of |Π| over 100 units of time, and how runs end."""
    run = bench.simulate("free", "NMB", dt=5.0, duration=FREE_DURATION)
    size = run.extrema["pi_norm"]
    yield "least |Π|, NMB, dt=5 (of the first)", float(size.min / np.linalg.norm(run.Pi[0]))
    yield "largest |Π|, NMB, dt=5 (of the first)", float(size.max / np.linalg.norm(run.Pi[0]))
    for method, dt in (("AKW", 5.0), ("DMV", 5.0), ("DMV4", 5.0), ("DMV", 1.1), ("DMV", 1.0)):
        yield f"{method}, dt={dt:g}", bench.simulate("free", method, dt=dt, steps=20).status


FINEST = 1 / 256
"""The smallest step of Figures 4 and 5."""


def measure_free_errors(bench: Bench, *methods: str) -> dict[str, tuple[float, float]]:
    """Errors of attitude and momentum of the free body at t = 100 with the smallest step."""
    bench.prepare("free", methods)
    end = bench.find_exact_end("free", FREE_DURATION)
    return {m: measure_errors(bench, "free", m, FINEST, FREE_DURATION, end) for m in methods}


@claim(key="krysl-endres-figure-4")
def figure_4(bench: Bench) -> Iterator[tuple[str, Value]]:
    """‖R − R*‖₂ at t = 100 with dt = 1/256."""
    attitude = {
        m: e[0]
        for m, e in measure_free_errors(
            bench, "NMB", "AKW", "SW", "SW-C1", "HSTAGM", "IMID"
        ).items()
    }
    exponential = attitude.pop("IMID")
    yield from attitude.items()
    yield "AKW / NMB", attitude["AKW"] / attitude["NMB"]
    yield "AKW with exp / NMB", exponential / attitude["NMB"]


@claim(key="krysl-endres-figure-5")
def figure_5(bench: Bench) -> Iterator[tuple[str, Value]]:
    """|Π − Π*| at t = 100 with dt = 1/256."""
    errors = measure_free_errors(bench, "AKW", "NMB", "SW", "HSTAGM", "SW-C1", "MR2", "DMV", "DMV4")
    momentum = {m: e[1] for m, e in errors.items()}
    yield from momentum.items()
    yield "NMB / AKW", momentum["NMB"] / momentum["AKW"]
    yield "place of NMB of seven", rank("NMB", {m: e for m, e in momentum.items() if m != "DMV4"})


def rank(method: str, errors: dict[str, float]) -> int:
    """The method's place by its error, the best being the first."""
    return sorted(errors, key=errors.__getitem__).index(method) + 1


def toss_book(
    bench: Bench, method: str, td: float, dt: float, duration: float = 10.0
) -> tuple[Array, Array, Array]:
    """Energy, spatial momentum and velocity of the book after its release."""
    run = bench.simulate(
        find_problem("book-toss", Problem, td=td), method, dt=dt, duration=duration
    )
    free = run.t > td + 1.5 * dt
    return run.energy[free], run.pi[free], run.Omega[free]


@claim(key="krysl-endres-figures-6-7")
def figures_6_and_7(bench: Bench) -> Iterator[tuple[str, Value]]:
    """Energy, momentum and velocity after the release, up to t = 10."""
    energy, π, Ω = toss_book(bench, "SW", 2.0, 0.05)
    yield "energy, SW, td=2, dt=0.05 (least)", float(energy.min())
    yield "energy, SW, td=2, dt=0.05 (largest)", float(energy.max())
    yield "energy, SW, td=2, dt=0.05 (last / first)", float(energy[-1] / energy[0])
    yield "largest velocity, SW, td=2, dt=0.05", float(np.abs(Ω).max())
    yield "momentum range, SW, td=2, dt=0.05", float(np.ptp(π, axis=0).max())
    energy, _, _ = toss_book(bench, "SW", 2.0, 0.05, 100.0)
    yield "energy, SW, td=2, dt=0.05, t<100 (largest)", float(energy.max())
    energy, π, _ = toss_book(bench, "NMB", 2.0, 0.05)
    yield "energy, NMB, td=2, dt=0.05 (least)", float(energy.min())
    yield "energy, NMB, td=2, dt=0.05 (largest)", float(energy.max())
    yield "energy range, NMB, td=2, dt=0.05 (%)", 100 * float(np.ptp(energy) / energy[0])
    _, later, _ = toss_book(bench, "NMB", 2.0, 0.05, 100.0)
    range_early, range_late = (float(np.ptp(np.linalg.norm(x, axis=1))) for x in (π, later))
    yield "|π| range, NMB, td=2, dt=0.05", range_early
    yield "|π| range, NMB, td=2, dt=0.05, t<100 / t<10", range_late / range_early
    for td, dt in ((2.0, 0.02), (1.0, 0.05)):
        energy, _, _ = toss_book(bench, "SW", td, dt)
        yield f"energy, SW, td={td:g}, dt={dt:g} (least)", float(energy.min())
        yield f"energy, SW, td={td:g}, dt={dt:g} (largest)", float(energy.max())


@claim(key="krysl-endres-figure-8")
def figure_8(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The largest error of energy, π·e3 and π·χ, and the change of the mean energy."""
    for dt in (0.05, 0.025):
        run = bench.simulate("lagrange-top", "NMB", dt=dt, duration=100.0)
        yield f"energy error, dt={dt:g} (%)", find_energy_error(run)
        if dt == 0.05:
            yield "drift, dt=0.05 (%)", find_drift(run.energy)
            for name, symbol in (("pi_e3", "π·e3"), ("pi_chi", "π·χ")):
                yield (
                    f"change of {symbol}, dt=0.05",
                    float(np.abs(run.observed[name] - run.observed[name][0]).max()),
                )
    for spin in (15, 20, 25):
        top = find_problem("lagrange-top", Problem, Omega0=(0, 0, spin))
        yield (
            f"energy error, spin {spin}, dt=0.05 (%)",
            find_energy_error(bench.simulate(top, "NMB", dt=0.05, duration=100.0)),
        )


@claim(key="krysl-endres-crouch-grossman")
def crouch_grossman(bench: Bench) -> Iterator[tuple[str, Value]]:
    """Energy error up to t = 100 with steps of 0.05; ‖R − R*‖₂ at t = 10, and its slope between
    0.05 and 0.0125.
    """
    end = bench.find_exact_end("lagrange-top", 10.0)
    found: dict[str, Array] = {}
    for method in (find_method("NMB"), find_method("CG-RK4"), CG_RK4_BODY):
        energy = find_energy_error(bench.simulate("lagrange-top", method, dt=0.05, duration=100.0))
        yield f"energy error, {method.key} (%)", energy
        errors = [
            measure_errors(bench, "lagrange-top", method, dt, 10.0, end)[0] for dt in (0.05, 0.0125)
        ]
        for dt, error in zip((0.05, 0.0125), errors, strict=True):
            yield f"attitude error, {method.key}, dt={dt:g}", error
        slope = float(np.log2(errors[0] / errors[1]) / 2)
        yield f"slope, {method.key}", slope
        found[method.key] = np.array([np.log2(energy), *np.log2(errors), slope])
    newmark = found.pop("NMB")
    agreeing = [
        bool((np.abs(other - newmark) <= (1.0, 1.0, 1.0, 0.3)).all()) for other in found.values()
    ]
    yield "readings that agree within a factor of two and 0.3 of the slope", sum(agreeing)


@claim(key="krysl-endres-figure-9")
def figure_9(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The largest change of (RΠ)·(Rχ) in 2000 steps of 0.05."""
    changes = [
        float(np.abs(series - series[0]).max()) for _, _, series in follow_axis_momentum(bench)
    ]
    yield "change of π·χ, R as multiplied", changes[0]
    yield "change of π·χ, R orthogonalised", changes[1]
    yield "orthogonalised / as multiplied", changes[1] / changes[0]


def follow_axis_momentum(bench: Bench) -> Iterator[tuple[str, Array, Array]]:
    """Name, times and (RΠ)·(Re3) of Lagrange's top, in 2000 steps of 0.05."""
    steps = 2000
    run = bench.simulate("lagrange-top", "NMB", dt=0.05, steps=steps)
    yield "R as multiplied", run.t, find_axis_momentum(run.R, run.Pi)
    top = run.problem
    R = [run.R[0]]
    Π = [run.Pi[0]]
    for _ in range(steps):
        step = bench.simulate(top, "NMB", dt=0.05, steps=1)
        R.append(np.array(list(orthonormalise(Mat3(*step.R[-1].ravel())))).reshape(3, 3))
        Π.append(step.Pi[-1])
        top = top.replace(R0=R[-1], Pi0=Π[-1])
    yield "R orthogonalised", run.t, find_axis_momentum(np.array(R), np.array(Π))


def find_axis_momentum(R: Array, Π: Array) -> Array:
    """(RΠ)·(Re3)"""
    return np.asarray(np.einsum("nij,nj,ni->n", R, Π, R[:, :, 2]))


@claim(key="krysl-endres-figure-10")
def figure_10(bench: Bench) -> Iterator[tuple[str, Value]]:
    """‖R − R*‖₂ and |Π − Π*| at t = 10."""
    end = bench.find_exact_end("fast-top", 10.0)
    for dt in (0.005, 0.0025, 0.00125):
        methods = ("SW", "HSTAGM", "NMB", "AKW")
        errors = {m: measure_errors(bench, "fast-top", m, dt, 10.0, end) for m in methods}
        for i, what in enumerate(("attitude", "momentum")):
            yield f"SW / HSTAGM, {what}, dt={dt:g}", errors["SW"][i] / errors["HSTAGM"][i]
            if dt == 0.0025:
                yield f"SW, {what}, dt={dt:g}", errors["SW"][i]
                yield f"HSTAGM, {what}, dt={dt:g}", errors["HSTAGM"][i]
                yield f"NMB / SW, {what}, dt={dt:g}", errors["NMB"][i] / errors["SW"][i]
        if dt == 0.0025:
            yield f"AKW / NMB, attitude, dt={dt:g}", errors["AKW"][0] / errors["NMB"][0]


@claim(key="krysl-endres-figures-11-12")
def figures_11_and_12(bench: Bench) -> Iterator[tuple[str, Value]]:
    """Errors at t = 10 with dt = 1/640; the time when HSTAGM's energy is first off by 100 %
    (infinite if it is not by t = 40), and its range in 100 000 steps of the free body.
    """
    end = bench.find_exact_end("slow-top", 10.0)
    errors = {m: measure_errors(bench, "slow-top", m, 1 / 640, 10.0, end) for m in ("NMB", "AKW")}
    for i, what in enumerate(("attitude", "momentum")):
        yield f"NMB, {what}", errors["NMB"][i]
        yield f"AKW, {what}", errors["AKW"][i]
        yield f"NMB / AKW, {what}", errors["NMB"][i] / errors["AKW"][i]
    for dt in (0.1, 0.05, 0.025, 0.0125):
        run = bench.simulate("slow-top", "HSTAGM", dt=dt, duration=40.0)
        beyond = run.t[np.abs(run.energy - run.energy[0]) > abs(run.energy[0])]
        time = float(beyond[0]) if len(beyond) else np.inf
        yield f"HSTAGM's energy off by 100 %, slow-top, dt={dt:g} (t)", time
    yield (
        "HSTAGM's energy range, free, dt=0.5 (%)",
        find_energy_range(bench.simulate("free", "HSTAGM", dt=0.5, steps=100_000)),
    )


COMPARED = ("NMB", "AKW", "SW", "HSTAGM")
"""The methods of Figures 10, 11 and 13."""
OF_SYMMETRY = ("NMB", "NMS", "SW", "AKW", "SW-C1", "MR2", "DMV", "TERZE")


@claim(key="krysl-endres-figure-13")
def figure_13(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The place by ‖R − R*‖₂ and |Π − Π*| among four methods with dt = 1/320, and the least R₃₃ up
    to t = 100.
    """
    for sign, times in (
        ("as-printed", (5.0, 10.0, 20.0, 50.0, 100.0)),
        ("physical", (10.0, 20.0, 50.0)),
    ):
        wall = find_problem("soft-wall", Problem, sign=sign)
        for T in times:
            end = bench.find_exact_end(wall, T, 1e-7)
            errors = {m: measure_errors(bench, wall, m, 1 / 320, T, end) for m in COMPARED}
            for i, what in enumerate(("attitude", "momentum")):
                named = {m: e[i] for m, e in errors.items()}
                yield f"place of NMB, {what}, {sign}, T={T:g}", rank("NMB", named)
                for m in COMPARED[:3]:
                    if (sign, T) == ("as-printed", 20.0) or (sign, T, what) == (
                        "physical",
                        10.0,
                        "momentum",
                    ):
                        yield f"{m}, {what}, {sign}, T={T:g}", named[m]
        lowest = bench.simulate(wall, "NMB", dt=0.01, duration=100.0).R[:, 2, 2].min()
        yield f"least height, {sign}", float(lowest)


@claim(key="krysl-endres-equivalence")
def equivalence(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The largest difference of any entry of R in 200 steps."""
    for problem in ("free", "slow-top", "book-toss"):
        body, space = (bench.simulate(problem, m, dt=0.05, steps=200) for m in ("NMB", NMS))
        yield f"difference, {problem}", float(np.abs(body.R - space.R).max())


@claim(key="krysl-endres-symmetry")
def symmetry(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The difference after 20 steps of 0.05 forwards and back on the asymmetric top, with the whole
    state.
    """
    top = find_problem("asymmetric-top", Problem)
    for name in OF_SYMMETRY:
        yield name, return_to_start(name)
    there = bench.simulate(top, "SW", dt=0.05, steps=20)
    back = bench.simulate(
        top.replace(R0=there.R[-1], Omega0=-there.Omega[-1]), "SW", dt=0.05, steps=20
    )
    yield "SW, started anew", float(np.abs(back.R[-1] - top.R0).max())


def return_to_start(name: str) -> float:
    """The difference after 20 steps of 0.05 on the asymmetric top forwards and back, in plain
    Python.
    """
    method = NMS if name == "NMS" else find_method(name)
    return Stepper(method, find_problem("asymmetric-top", Problem)).there_and_back(0.05, 20)


NO_STEP = (np.nan, np.nan)
"""The defects of a step that has no solution."""


@claim(key="krysl-endres-symplectic")
def symplectic(bench: Bench) -> Iterator[tuple[str, Value]]:
    """Defects of the one-step map on the asymmetric top; the largest difference of mean energies of
    tenths of a run of a million steps of 0.05.
    """
    top = find_problem("asymmetric-top", Problem)
    for name in ("NMB", "MR2", "DMV"):
        stepper = Stepper(find_method(name), top)
        form, volume = form_defects(stepper, 0.05) or NO_STEP
        yield f"defect of the form, {name}, dt=0.05", float(form)
        if name == "NMB":
            yield f"defect of the volume, {name}, dt=0.05", float(volume)
            halved, _ = form_defects(stepper, 0.025) or NO_STEP
            yield f"order of the defect, {name}", float(np.log2(form / halved))
        run = bench.simulate(top, name, dt=0.05, steps=1_000_000, samples=100_000)
        yield f"drift in a million steps, {name} (%)", find_drift(run.energy)


INTEGRABLE = {
    "free": (2.0, 0.5),
    "lagrange-top": (0.05,),
    "fast-top": (0.005,),
    "slow-top": (0.01,),
}
"""Problems without chaos, and steps for SW."""


@claim(key="krysl-endres-drift-of-sw")
def drift_of_sw(bench: Bench) -> Iterator[tuple[str, Value]]:
    """The largest difference of mean energies of tenths of 100 000 steps, a million on the
    asymmetric top; of the book after its release, 2000 steps with dt = 0.05.
    """
    found = {}
    for problem, steps in INTEGRABLE.items():
        for dt in steps:
            run = bench.simulate(problem, "SW", dt=dt, steps=100_000)
            found[f"{problem}, dt={dt:g} (%)"] = find_drift(run.energy)
    for dt, duration in ((0.02, 2000.0), (0.05, 100.0)):
        found[f"book-toss, dt={dt:g} (%)"] = find_drift(
            toss_book(bench, "SW", 2.0, dt, duration)[0]
        )
    run = bench.simulate("asymmetric-top", "SW", dt=0.05, steps=1_000_000, samples=100_000)
    found["asymmetric-top, dt=0.05 (%)"] = find_drift(run.energy)
    yield from found.items()
    yield "least drift (%)", min(found.values())
