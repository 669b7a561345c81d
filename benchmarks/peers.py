"""Time to the final attitude of seven motions: the engine against other integrators.

``python -m benchmarks.peers`` times each motion of `motions` at the coarsest step or tolerance that
brings the final attitude to within 1e-6, 1e-8, 1e-10 and 1e-12 rad of its reference. Peers that are
not installed are left out: ``pip install numba numbalsoda heyoka diffrax mujoco exudyn sdof``
(numbalsoda needs a Fortran compiler). With Numba, SciPy has a compiled right-hand side too.

All integrate the same equations and return only the final state; general integrators have them in
two formulations, the quaternion and Ω, or two rows of R and Ω. MuJoCo, Exudyn and sdof integrate
the free body. `benchmarks.batches` compares many starts side by side.

Preparation is not timed: compiled right-hand sides, models, jitted solvers, the engine's prepared
runs. The engine's time is that of the public call of a prepared run with a new initial velocity; the
table also shows the seconds in its kernel, which tracks every invariant. The table shows the three
fastest of the engine's methods, among those of `OWN` or among all with ``--methods all``. An
integrator whose call takes a quarter of a second and misses an accuracy is left out of it. All seven
motions take about ten minutes on a quiet machine.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import io
import itertools
import math
import statistics
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import engine
from engine.algorithms import FixedStep
from engine.parameters.validation import Array

from . import motions
from ._table import find_version, host, paired_ratio, table, write_json
from .motions import TASKS, Formulation, Task, list_formulations, matrix, prepare_heyoka

# ---------------------------------------------------------------------------------------------- the
# task

J = J1, J2, J3 = (0.9144, 1.098, 1.66)
OMEGA0 = (0.45549, 0.82623, 0.03476)
END = 100.0
TARGETS = (1e-6, 1e-8, 1e-10, 1e-12)
OWN = ("TAYLOR", "RKMK853", "PDMV", "RK-QUAT(tableau=dop853)")
"""The engine's methods that are compared if no others are named."""
OWN_LIMIT = 0.05
"""Seconds that a call of one of the engine's methods may take, which are many."""
ROUNDS_SECONDS = 0.5
"""About the most seconds of a contestant's calls in all rounds."""
RECORD = Path(__file__).parents[1] / "docs" / "peers.json"
"""The figures of the documentation."""
START = (1.0, 0.0, 0.0, 0.0, *OMEGA0)
"""The state that peers integrate: attitude as a quaternion (w, x, y, z), body angular velocity."""

# By `recompute()`: Taylor series of order 60 in 60 decimals, 200 steps. Order 50 with 320 steps
# agrees in 58 decimals, SciPy's DOP853 at rtol 3e-14 in 13.
REFERENCE = (
    "0.93577514808309028113795802775614306186881170190598",
    "-0.30547678777252397764921975716526410880720595899868",
    "-0.13960465463153249979019383522538231163893703488515",
    "0.10732821049221556991077921186954276346949007769738",
    "0.72350022293609501405129404447249426836294549898905",
    "0.57753252189324590797367392004754872201667128215264",
    "0.24097877763820048769205646306425284612998405348334",
)
"""The state at the end, correct in 50 digits."""


def recompute(digits: int = 50) -> list[Any]:
    """Compute the reference state again, as mpmath numbers."""
    from mpmath import fdot, mp, mpf

    order = int(1.2 * digits)
    steps = 200
    with mp.workdps(digits + 10):
        h = mpf(END) / steps
        j1, j2, j3 = (mpf(repr(moment)) for moment in J)
        k = ((j2 - j3) / j1, (j3 - j1) / j2, (j1 - j2) / j3)
        state = [mpf(repr(value)) for value in START]
        for _ in range(steps):
            series = [[value] for value in state]
            for n in range(order):
                a, b, c = (terms[::-1] for terms in series[4:])
                W, X, Y, Z, A, B, _ = series
                slope = (
                    (-fdot(X, a) - fdot(Y, b) - fdot(Z, c)) / 2,
                    (fdot(W, a) + fdot(Y, c) - fdot(Z, b)) / 2,
                    (fdot(W, b) + fdot(Z, a) - fdot(X, c)) / 2,
                    (fdot(W, c) + fdot(X, b) - fdot(Y, a)) / 2,
                    k[0] * fdot(B, c),
                    k[1] * fdot(A, c),
                    k[2] * fdot(A, b),
                )
                for terms, value in zip(series, slope, strict=True):
                    terms.append(value / (n + 1))
            state = [
                functools.reduce(lambda s, term: s * h + term, reversed(terms)) for terms in series
            ]
        return state


END_STATE = np.array([float(value) for value in REFERENCE])
R_END = matrix(END_STATE[:4])


def attitude_error(final: Any, wanted: Array = R_END) -> float:
    """The angle in rad from a reference, of a free body's end, to a final attitude or state."""
    return motions.attitude_error(final, wanted)


# ---------------------------------------------------------------------------------------- the
# contestants


@dataclass(frozen=True)
class Contestant:
    """An integrator with one setting: the number of steps, or a tolerance (relative and absolute
    alike).
    """

    name: str
    package: str
    knob: str
    solve: Callable[[Any], Any]
    final: Callable[[Any], Any]
    """The final attitude or state in what `solve` returns; not timed."""


SETTINGS: dict[str, Sequence[Any]] = {
    "steps": [round(40 * 2 ** (k / 8)) for k in range(160)],
    "tolerance": [10 ** (-3 - k / 8) for k in range(86)],
}
"""From coarse to fine; eight settings make a factor of 2 or 10."""


def same(result: Any) -> Any:
    """For those that return the state."""
    return result


def ours(task: Task, names: Sequence[str]) -> Iterator[Contestant]:
    """The engine's methods of these names, or all of them in all their variants, corrected and
    composed.
    """
    problem = task.problem
    velocity = tuple(map(float, problem.Omega0))

    def final(run: Any) -> Any:
        return run.R[-1] if run.status == "done" else np.full((3, 3), np.nan)

    def contestant(method: Any) -> Contestant:
        @functools.cache
        def prepared(steps: int) -> Any:
            return engine.prepared(problem, method, dt=task.end / steps, steps=steps, samples=1)

        def by_steps(steps: int) -> Any:
            return prepared(steps)(Omega0=velocity)

        @functools.cache
        def prepared_to(tol: float) -> Any:
            return engine.prepared(
                problem, method, duration=task.end, rtol=tol, atol=tol, samples=1
            )

        def to_tolerance(tol: float) -> Any:
            return prepared_to(tol)(Omega0=velocity)

        knob, solve = ("tolerance", to_tolerance) if method.adaptive else ("steps", by_steps)
        return Contestant(f"Polhode {method.label}", "engine", knob, solve, final)

    for name in variants() if "all" in names else names:
        try:
            method = engine.algorithm(name)
            if not method.adaptive:  # refused where the torque needs another method
                engine.prepared(problem, method, dt=task.end / 40, steps=40, samples=1)
        except ValueError:
            continue  # the correction or the composition does not fit
        yield contestant(method)


def variants() -> Iterator[str]:
    """Return the names of all integrators of the engine with every choice of their options, without
    EXACT.
    """
    for method in engine.algorithms():
        if not isinstance(method, FixedStep) and not method.adaptive:
            continue
        choices = [
            [f"{o.name}={choice}" for choice in o.choices]
            for o in method.options
            if hasattr(o, "choices")
        ]
        for chosen in itertools.product(*choices):
            name = f"{method.key}({','.join(chosen)})" if chosen else method.key
            yield from (name, f"{name}+E")
        yield from (
            f"{method.key}*{scheme}" for scheme in ("yoshida4", "suzuki4", "kahan-li6", "kahan-li8")
        )


def right_hand_sides(task: Task, form: Formulation) -> dict[str, Any]:
    """f(t, y) for SciPy: in Python, and compiled where Numba is installed."""
    rates = form.rates(math.sin)

    def python(t: float, y: Array) -> tuple[Any, ...]:
        return rates(t, *y.tolist())

    if find_spec("numba") is None:
        return {"Python": python}
    from numba import njit

    fast = njit(form.rates(math.sin, njit))
    if len(form.variables) == 7:

        def array(t: float, y: Array) -> Array:
            return np.array(fast(t, y[0], y[1], y[2], y[3], y[4], y[5], y[6]))

    else:

        def array(t: float, y: Array) -> Array:
            return np.array(fast(t, y[0], y[1], y[2], y[3], y[4], y[5], y[6], y[7], y[8]))

    return {"Python": python, "Numba": njit(array)}


def scipy(task: Task) -> Iterator[Contestant]:
    """solve_ivp, and SciPy's compiled LSODA and DOP853 behind its older interfaces."""
    from scipy.integrate import ode, odeint, solve_ivp

    def by_solve_ivp(f: Any, start: Array, method: str) -> Callable[[float], Any]:
        return lambda tol: solve_ivp(f, (0.0, task.end), start, method=method, rtol=tol, atol=tol)

    def by_odeint(f: Any, start: Array) -> Callable[[float], Any]:
        times = (0.0, task.end)
        return lambda tol: odeint(
            f, start, times, tfirst=True, rtol=tol, atol=tol, mxstep=1_000_000
        )[-1]

    def by_ode(f: Any, start: Array) -> Callable[[float], Any]:
        return lambda tol: (
            ode(f)
            .set_integrator("dop853", rtol=tol, atol=tol, nsteps=1_000_000)
            .set_initial_value(start)
            .integrate(task.end)
        )

    for form in list_formulations(task):
        for kind, f in right_hand_sides(task, form).items():
            for method in ("DOP853", "LSODA", "Radau"):
                yield Contestant(
                    f"SciPy {method}, {kind} rhs, {form.name}",
                    "scipy",
                    "tolerance",
                    by_solve_ivp(f, form.start, method),
                    lambda solution: solution.y[:, -1],
                )
            if kind == "Numba":
                older = {"odeint": by_odeint, "ode(dop853)": by_ode}
                for name, make in older.items():
                    yield Contestant(
                        f"SciPy {name}, {kind} rhs, {form.name}",
                        "scipy",
                        "tolerance",
                        make(f, form.start),
                        same,
                    )


def numbalsoda(task: Task) -> Iterator[Contestant]:
    """LSODA and DOP853 in C++ and Fortran, called from compiled code."""
    import numbalsoda as package
    from numba import carray, cfunc, njit

    def fill_rates(fast: Any, size: int) -> Callable[..., None]:
        def rhs(t: Any, u: Any, du: Any, p: Any) -> None:
            rates = fast(t, carray(u, (size,)))
            for i in range(size):
                du[i] = rates[i]

        return rhs

    times = np.array([0.0, task.end])
    for form in list_formulations(task):
        callback = cfunc(package.lsoda_sig)(
            fill_rates(right_hand_sides(task, form)["Numba"], len(form.variables))
        )
        pointer = callback.address
        for name in ("lsoda", "dop853"):
            integrate = getattr(package, name)

            def last(
                u: Any, t: Any, tol: float, integrate: Any = integrate, pointer: Any = pointer
            ) -> Any:
                states, success = integrate(pointer, u, t, rtol=tol, atol=tol)
                return states[-1] if success else np.full(u.size, np.nan)

            jitted = njit(last)

            def solve(
                tol: float, jitted: Any = jitted, keep: Any = callback, start: Array = form.start
            ) -> Any:
                return jitted(start, times, tol)

            yield Contestant(
                f"numbalsoda {name}, {form.name}", "numbalsoda", "tolerance", solve, same
            )


def heyoka(task: Task) -> Iterator[Contestant]:
    """Taylor series compiled by LLVM; the order follows the tolerance, so each tolerance has its
    integrator.
    """
    for form in list_formulations(task):
        solve = prepare_heyoka(form, task.end)
        yield Contestant(f"heyoka, {form.name}", "heyoka", "tolerance", solve, same)


def diffrax(task: Task) -> Iterator[Contestant]:
    """Runge–Kutta methods in JAX, double precision, one jitted call."""
    import diffrax as package
    import jax

    jax.config.update("jax_enable_x64", True)

    def solver(method: Any, form: Formulation) -> Callable[[float], Any]:
        start = jax.numpy.array(form.start)
        rates = form.rates(jax.numpy.sin)

        def rhs(t: Any, y: Any, args: Any) -> Any:
            return jax.numpy.stack(rates(t, *y))

        def last(tol: Any) -> Any:
            control = package.PIDController(rtol=tol, atol=tol)
            return package.diffeqsolve(
                package.ODETerm(rhs), method, 0.0, task.end, 0.1, start,
                saveat=package.SaveAt(t1=True), stepsize_controller=control, max_steps=None,
                throw=False,
            ).ys[-1]  # fmt: skip

        jitted = jax.jit(last)
        return lambda tol: jax.block_until_ready(jitted(tol))

    for form in list_formulations(task):
        for name in ("Dopri8", "Dopri5", "Tsit5", "Kvaerno5"):
            yield Contestant(
                f"diffrax {name}, {form.name}",
                "diffrax",
                "tolerance",
                solver(getattr(package, name)(), form),
                same,
            )


def mujoco(task: Task) -> Iterator[Contestant]:
    """A ball joint without gravity; of MuJoCo's integrators only RK4 is of high order."""
    import mujoco as package

    if task.key != "free":
        return
    package.set_mju_user_warning(
        lambda message: None
    )  # a step that is too large would write a log file
    model = package.MjModel.from_xml_string(
        f"""<mujoco><option gravity="0 0 0" integrator="RK4"><flag contact="disable" constraint="disable"/></option>
        <worldbody><body><joint type="ball"/><inertial pos="0 0 0" mass="1" diaginertia="{J1} {J2} {J3}"/></body>
        </worldbody></mujoco>"""
    )
    data = package.MjData(model)

    def solve(steps: int) -> Any:
        model.opt.timestep = END / steps
        package.mj_resetData(model, data)
        data.qpos[:] = START[:4]
        data.qvel[:] = OMEGA0
        package.mj_step(model, data, nstep=steps)
        return data.qpos

    yield Contestant("MuJoCo RK4", "mujoco", "steps", solve, same)


def exudyn(task: Task) -> Iterator[Contestant]:
    """A rigid body with a Lie-group node, explicit solvers."""
    import exudyn as package
    from exudyn.utilities import RigidBodyInertia

    if task.key != "free":
        return
    container = package.SystemContainer()
    system = container.AddSystem()
    body = system.CreateRigidBody(
        inertia=RigidBodyInertia(mass=1.0, inertiaTensor=np.diag(J)),
        nodeType=package.NodeType.RotationRotationVector,
        initialAngularVelocity=list(OMEGA0),
    )
    system.Assemble()
    settings = package.SimulationSettings()
    settings.solution.file.write = False
    control = settings.timeIntegration
    control.verboseMode = 0
    control.endTime = END
    control.explicit.computeEndOfStepAccelerations = False

    def solver(name: str, adaptive: bool) -> Callable[[Any], Any]:
        kind = getattr(package.DynamicSolverType, name)

        def solve(setting: Any, keep: Any = container) -> Any:
            control.automaticStepSize = adaptive
            control.numberOfSteps = 100 if adaptive else setting
            if adaptive:
                control.relativeTolerance = control.absoluteTolerance = setting
            system.SolveDynamic(settings, solverType=kind)
            return system

        return solve

    def final(result: Any) -> Any:
        R = result.GetObjectOutputBody(
            body, package.OutputVariableType.RotationMatrix, [0.0, 0.0, 0.0]
        )
        return np.reshape(R, (3, 3))

    yield Contestant("Exudyn RK67", "exudyn", "steps", solver("RK67", False), final)
    yield Contestant("Exudyn RK44", "exudyn", "steps", solver("RK44", False), final)
    yield Contestant("Exudyn DOPRI5", "exudyn", "tolerance", solver("DOPRI5", True), final)


def sdof(task: Task) -> Iterator[Contestant]:
    """Rotation integrators in NumPy, all of second order; the two fastest for an error."""
    with contextlib.redirect_stdout(io.StringIO()):  # its import prints
        from sdof import rigid

    if task.key != "free":
        return
    nothing = rigid.Source(Torque=lambda t, R: np.zeros(3))

    def solver(step: Any) -> Callable[[int], Any]:
        def solve(steps: int) -> Any:
            h = END / steps
            R = np.eye(3)
            Omega = np.array(OMEGA0)
            Pi = np.diag(J) @ OMEGA0
            state = rigid.State([], [])
            for i in range(steps):
                Pi, Omega, R, state = step(i * h, Pi, Omega, R, h, np.diag(J), nothing, state)
            return R

        return solve

    for name in ("kb_e", "incrso3_liemidea"):
        yield Contestant(f"sdof {name}", "sdof", "steps", solver(getattr(rigid, name)), same)


PEERS: dict[str, Callable[[Task], Iterator[Contestant]]] = {
    "scipy": scipy,
    "numbalsoda": numbalsoda,
    "heyoka": heyoka,
    "diffrax": diffrax,
    "exudyn": exudyn,
    "mujoco": mujoco,
    "sdof": sdof,
}


def peers(task: Task, packages: Sequence[str]) -> tuple[list[Contestant], dict[str, str]]:
    """Return all available peers for a motion, and for each package its version or why it is missing."""
    found: list[Contestant] = []
    status: dict[str, str] = {}
    for package in packages:
        build = PEERS[package]
        try:
            found += build(task)
            status[package] = find_version(package) or "version unknown"
        except ImportError:
            status[package] = "not installed"
        except Exception as error:  # another version of a peer may have another interface
            status[package] = f"fails with {type(error).__name__}: {error}"
    return found, status


# ------------------------------------------------------------------------------------------ the
# measurement


@dataclass(frozen=True)
class TunedContestant:
    """A contestant at the coarsest setting that reaches the target."""

    contestant: Contestant
    setting: Any
    error: float


class Scan:
    """The errors of a contestant by its settings, each of which is tried once for all targets.

    A call of more than `limit` seconds that misses a target ends the search for its setting: finer
    settings take longer.
    """

    def __init__(
        self,
        contestant: Contestant,
        limit: float,
        find_error: Callable[[Any], float] = attitude_error,
    ) -> None:
        self.contestant = contestant
        self._limit = limit
        self._find_error = find_error
        self._found: dict[int, tuple[float, float]] = {}

    def error(self, i: int, target: float) -> float:
        """The error of the i-th setting, which is to be below a target."""
        if i not in self._found:
            if not self._found:
                self._attempt(i)  # compiles
            self._found[i] = self._attempt(i)
            if self._is_over(i, target):  # once more: the machine may have been away
                self._found[i] = self._attempt(i)
        if self._is_over(i, target):
            raise TimeoutError
        return self._found[i][0]

    def coarsest(self, target: float) -> TunedContestant | None:
        """Return the coarsest setting that reaches the target together with the next two finer ones;
        None if none does within the limit.
        """
        settings = SETTINGS[self.contestant.knob]
        last = len(settings) - 2
        try:
            reached = next((i for i in range(0, last, 8) if self.error(i, target) <= target), last)
            for i in range(max(0, reached - 7), last):
                if all(self.error(j, target) <= target for j in (i, i + 1, i + 2)):
                    return TunedContestant(self.contestant, settings[i], self.error(i, target))
        except TimeoutError:
            pass
        return None

    def _attempt(self, i: int) -> tuple[float, float]:
        settings = SETTINGS[self.contestant.knob]
        begun = time.perf_counter()
        found = self._find_error(self.contestant.final(self.contestant.solve(settings[i])))
        return found, time.perf_counter() - begun

    def _is_over(self, i: int, target: float) -> bool:
        error, seconds = self._found[i]
        return error > target and seconds > self._limit


def time_call(entry: TunedContestant, repeats: int) -> tuple[float, float | None]:
    """Return seconds of processor time per call and, if the contestant reports it, seconds in the kernel."""
    solve = entry.contestant.solve
    setting = entry.setting
    begun = time.process_time()
    results = [solve(setting) for _ in range(repeats)]
    seconds = (time.process_time() - begun) / repeats
    has_cost = hasattr(results[0], "cost")
    return seconds, statistics.fmean(run.cost.seconds for run in results) if has_cost else None


def rounds_of(entries: Sequence[TunedContestant], rounds: int) -> list[dict[str, Any]]:
    """Time all contestants in turn, forwards and backwards; cheap calls repeat in each round, and
    those of slow ones are in fewer rounds.
    """
    calls = [min(time_call(entry, 1)[0] for _ in range(2)) for entry in entries]
    repeats = [max(1, min(200, round(0.01 / call))) for call in calls]
    parts = [max(1, min(rounds, int(ROUNDS_SECONDS / call))) for call in calls]
    figures: list[dict[str, Any]] = [{"calls": [], "kernels": []} for _ in entries]
    for k in range(rounds):
        for i in range(len(entries)) if k % 2 == 0 else reversed(range(len(entries))):
            if k >= parts[i]:
                continue
            seconds, kernel = time_call(entries[i], repeats[i])
            figures[i]["calls"].append(seconds)
            if kernel is not None:
                figures[i]["kernels"].append(kernel)
    return figures


def compare_rounds(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the median of a/b over the rounds of both."""
    both = min(len(a), len(b))
    return paired_ratio(a[:both], b[:both])


def measure(
    task: Task,
    target: float,
    own: Sequence[Scan],
    others: Sequence[Scan],
    rounds: int,
) -> dict[str, Any]:
    """Return all contestants that reach one target, with the engine's three best, from fast to
    slow.
    """
    scanned = [entry for scan in own if (entry := scan.coarsest(target))]
    scanned.sort(key=lambda entry: min(time_call(entry, 1)[0] for _ in range(15)))
    found = {scan.contestant.name: scan.coarsest(target) for scan in others}
    entries = scanned[:3] + [entry for entry in found.values() if entry]
    figures = rounds_of(entries, rounds)
    engines = figures[: len(scanned[:3])]
    best = min(engines, key=lambda figure: statistics.median(figure["calls"]), default=None)
    results = []
    for entry, figure in zip(entries, figures, strict=True):
        results.append(
            {
                "contestant": entry.contestant.name,
                "package": entry.contestant.package,
                entry.contestant.knob: entry.setting,
                "error": entry.error,
                "seconds": statistics.median(figure["calls"]),
                "kernel_seconds": statistics.median(figure["kernels"])
                if figure["kernels"]
                else None,
                "to_engine": best and compare_rounds(figure["calls"], best["calls"]),
                "to_engine_kernel": compare_rounds(figure["calls"], best["kernels"])
                if best and best["kernels"]
                else None,
            }
            | figure
        )
    results.sort(key=lambda result: result["seconds"])
    return {
        "problem": task.key,
        "target": target,
        "results": results,
        "missed": [name for name, entry in found.items() if entry is None],
        "engine_scan": [
            {"contestant": e.contestant.name, e.contestant.knob: e.setting, "error": e.error}
            for e in scanned
        ],
    }


HEADERS = (
    "problem",
    "contestant",
    "error <",
    "setting",
    "error",
    "µs a call",
    "µs kernel",
    "× engine's call",
    "× its kernel",
)


def format_row(measured: dict[str, Any]) -> list[list[str]]:
    """One target's rows of the table."""
    rows = []
    for r in measured["results"]:
        setting = f"{r['steps']} steps" if "steps" in r else f"tol {r['tolerance']:.1e}"
        times = [
            "" if seconds is None else f"{1e6 * seconds:.1f}"
            for seconds in (r["seconds"], r["kernel_seconds"])
        ]
        ratios = [
            "" if ratio is None else f"{ratio:.3g}"
            for ratio in (r["to_engine"], r["to_engine_kernel"])
        ]
        rows.append(
            [
                measured["problem"],
                r["contestant"],
                f"{measured['target']:.0e}",
                setting,
                f"{r['error']:.1e}",
                *times,
                *ratios,
            ]
        )
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.peers", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--json", metavar="FILE", help="write all figures")
    parser.add_argument(
        "--rounds", type=int, default=11, help="rounds over all contestants (default %(default)s)"
    )
    parser.add_argument(
        "--limit",
        type=float,
        default=0.25,
        help="seconds that a call may take and miss an accuracy (default %(default)g)",
    )
    parser.add_argument(
        "--problems", nargs="+", default=[task.key for task in TASKS], help="only these"
    )
    parser.add_argument(
        "--peers", nargs="*", default=list(PEERS), help="only these packages (default all)"
    )
    parser.add_argument(
        "--methods",
        nargs="+",
        default=OWN,
        help="methods of the engine, or all (default %(default)s)",
    )
    parser.add_argument(
        "--quick", action="store_true", help="a smoke run: a loose target, two methods, two rounds"
    )
    parser.add_argument(
        "--record", action="store_true", help="renew the table and the figure of the documentation"
    )
    given = parser.parse_args(arguments)
    targets, rounds, limit = (
        ((1e-3,), 2, 0.5) if given.quick else (TARGETS, given.rounds, given.limit)
    )
    names = ["RKMK", "NMB"] if given.quick else given.methods

    measured = []
    status: dict[str, str] = {}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter(
            "ignore"
        )  # peers warn of tolerances and steps that are part of the scan
        for task in TASKS:
            if task.key in given.problems:
                others, found = peers(task, given.peers)
                status |= found
                find_error = functools.partial(attitude_error, wanted=motions.reference(task))
                own_limit = min(limit, OWN_LIMIT)
                own = [Scan(one, own_limit, find_error) for one in ours(task, names)]
                scans = [Scan(one, limit, find_error) for one in others]
                measured += [measure(task, target, own, scans, rounds) for target in targets]
    print(table(HEADERS, [row for target in measured for row in format_row(target)]))
    for target in measured:
        if target["missed"]:
            print(
                f"{target['problem']}, not to {target['target']:.0e} within {limit:g} s a call: "
                f"{', '.join(target['missed'])}."
            )
    print("; ".join(f"{package} {what}" for package, what in status.items()))
    if given.json:
        data = {
            "host": host(("polhode", "numpy", "numba", "llvmlite", "jax", *PEERS)),
            "protocol": {"rounds": rounds, "limit_seconds": limit},
            "peers": status,
            "targets": measured,
        }
        write_json(given.json, data)
    if given.record:
        write_json(RECORD, condense(measured))


def condense(measured: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The versions, and the microseconds to each target: of the engine's methods, and of the fastest
    contestants of each other package.
    """
    rows: dict[str, dict[str, dict[str, float]]] = {}
    packages = {r["package"] for target in measured for r in target["results"]}
    for target in measured:
        seen = set()
        for r in target["results"]:  # from fast to slow
            if r["package"] in seen:
                continue
            seen |= {r["package"]} - {"engine"}
            times = rows.setdefault(target["problem"], {}).setdefault(r["contestant"], {})
            times[f"{target['target']:.0e}"] = round(1e6 * r["seconds"], 1)
    return {"host": host(("polhode", *sorted(packages - {"engine"}))), "microseconds": rows}


if __name__ == "__main__":
    main()
