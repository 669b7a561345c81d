"""Time to the attitude of a free body: the engine against other integrators.

``python -m benchmarks.peers`` times the problem ``free``, from t = 0 to 100, at the coarsest step
or tolerance that brings the final attitude to within 1e-6 and 1e-10 rad of the reference. Peers
that are not installed are left out: ``pip install numba numbalsoda heyoka diffrax mujoco exudyn
sdof`` (numbalsoda needs a Fortran compiler). With Numba, SciPy has a compiled right-hand side too.

All integrate the same equations and return only the final state. Preparation is not timed: compiled
right-hand sides, models, jitted solvers, the engine's prepared runs. The engine's time is that of
the public call of a prepared run with a new initial velocity; the table also shows the seconds in
its kernel, which tracks every invariant. The table shows the engine's three fastest methods; PDMV
has its high order on free bodies only, RK-QUAT and RKMK always.
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
from typing import Any

import numpy as np

import engine
from engine.algorithms import FixedStep
from engine.parameters.validation import Array

from ._table import find_version, host, paired_ratio, table, write_json

# ---------------------------------------------------------------------------------------------- the
# task

J = J1, J2, J3 = (0.9144, 1.098, 1.66)
OMEGA0 = (0.45549, 0.82623, 0.03476)
END = 100.0
TARGETS = (1e-6, 1e-10)
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


def slopes(w: Any, x: Any, y: Any, z: Any, a: Any, b: Any, c: Any) -> tuple[Any, ...]:
    """The equations of motion: q' = q Ω / 2, J Ω' = JΩ × Ω, for numbers, traced arrays or
    symbols.
    """
    return (
        0.5 * (-x * a - y * b - z * c),
        0.5 * (w * a + y * c - z * b),
        0.5 * (w * b + z * a - x * c),
        0.5 * (w * c + x * b - y * a),
        ((J2 - J3) / J1) * b * c,
        ((J3 - J1) / J2) * c * a,
        ((J1 - J2) / J3) * a * b,
    )


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


def matrix(q: Sequence[float] | Array) -> Array:
    """The rotation matrix of a quaternion (w, x, y, z) of any length."""
    w, x, y, z = np.asarray(q, dtype=float) / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


END_STATE = np.array([float(value) for value in REFERENCE])
R_END = matrix(END_STATE[:4])


def attitude_error(final: Any) -> float:
    """The angle in rad from the reference to a final 3×3 attitude, or to a state that begins with a
    quaternion.
    """
    final = np.asarray(final, dtype=float)
    if not np.isfinite(final).all():
        return math.inf
    R = final if final.shape == (3, 3) else matrix(final[:4])
    # ‖R − R'‖ = 2√2 sin(θ/2), which is exact for small angles too; what is not a rotation is only
    # further away.
    return 2 * math.asin(min(1.0, float(np.linalg.norm(R - R_END)) / math.sqrt(8)))


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


def ours(names: Sequence[str]) -> Iterator[Contestant]:
    """The engine's methods of these names, or all of them in all their variants, corrected and
    composed.
    """
    problem = engine.problem("free")

    def final(run: Any) -> Any:
        return run.R[-1] if run.status == "done" else np.full((3, 3), np.nan)

    def contestant(method: Any) -> Contestant:
        @functools.cache
        def prepared(steps: int) -> Any:
            return engine.prepared(problem, method, dt=END / steps, steps=steps, samples=1)

        def by_steps(steps: int) -> Any:
            return prepared(steps)(Omega0=OMEGA0)

        @functools.cache
        def prepared_to(tol: float) -> Any:
            return engine.prepared(problem, method, duration=END, rtol=tol, atol=tol, samples=1)

        def to_tolerance(tol: float) -> Any:
            return prepared_to(tol)(Omega0=OMEGA0)

        knob, solve = ("tolerance", to_tolerance) if method.adaptive else ("steps", by_steps)
        return Contestant(f"Polhode {method.label}", "engine", knob, solve, final)

    for name in names or variants():
        try:
            method = engine.algorithm(name)
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


@functools.cache
def compile_slopes() -> Any:
    """The equations compiled by Numba."""
    from numba import njit

    return njit(slopes)


@functools.cache
def right_hand_sides() -> dict[str, tuple[Any, Any]]:
    """f(t, y) and its Jacobian for SciPy: in Python, and compiled where Numba is installed."""

    def python(t: float, y: Array) -> tuple[Any, ...]:
        return slopes(*y.tolist())

    if find_spec("numba") is None:
        return {"Python": (python, None)}
    from numba import njit

    fast = compile_slopes()

    def array(t: float, y: Array) -> Array:
        return np.array(fast(y[0], y[1], y[2], y[3], y[4], y[5], y[6]))

    f: Any = njit(array)

    def jacobian(t: float, y: Array) -> Array:
        columns = np.empty((7, 7))
        for i in range(7):
            e = np.zeros(7)
            e[i] = 1.0
            columns[:, i] = 0.5 * (f(t, y + e) - f(t, y - e))  # exact, for f is quadratic
        return columns

    return {"Python": (python, None), "Numba": (f, njit(jacobian))}


def scipy() -> Iterator[Contestant]:
    """solve_ivp, and SciPy's compiled LSODA and DOP853 behind its older interfaces."""
    from scipy.integrate import ode, odeint, solve_ivp

    start = np.array(START)

    def by_solve_ivp(kind: str, method: str) -> Callable[[float], Any]:
        f, jacobian = right_hand_sides()[kind]
        extra = {"jac": jacobian} if method == "Radau" and jacobian else {}
        return lambda tol: solve_ivp(
            f, (0.0, END), start, method=method, rtol=tol, atol=tol, **extra
        )

    def by_odeint(tol: float) -> Any:
        f, _ = right_hand_sides()["Numba"]
        return odeint(f, start, (0.0, END), tfirst=True, rtol=tol, atol=tol, mxstep=1_000_000)[-1]

    def by_ode(tol: float) -> Any:
        f, _ = right_hand_sides()["Numba"]
        return (
            ode(f)
            .set_integrator("dop853", rtol=tol, atol=tol, nsteps=1_000_000)
            .set_initial_value(start)
            .integrate(END)
        )

    kinds = right_hand_sides()
    for method, kind in itertools.product(("DOP853", "LSODA", "Radau"), kinds):
        name = f"SciPy {method}, {kind} rhs"
        yield Contestant(
            name,
            "scipy",
            "tolerance",
            by_solve_ivp(kind, method),
            lambda solution: solution.y[:, -1],
        )
    if "Numba" in kinds:
        yield Contestant("SciPy odeint, Numba rhs", "scipy", "tolerance", by_odeint, same)
        yield Contestant("SciPy ode(dop853), Numba rhs", "scipy", "tolerance", by_ode, same)


def numbalsoda() -> Iterator[Contestant]:
    """LSODA and DOP853 in C++ and Fortran, called from compiled code."""
    import numbalsoda as package
    from numba import cfunc, njit

    fast = compile_slopes()
    start = np.array(START)
    times = np.array([0.0, END])

    def rhs(t: Any, u: Any, du: Any, p: Any) -> None:
        s = fast(u[0], u[1], u[2], u[3], u[4], u[5], u[6])
        for i in range(7):
            du[i] = s[i]

    callback = cfunc(package.lsoda_sig)(rhs)
    pointer = callback.address

    for name in ("lsoda", "dop853"):
        integrate = getattr(package, name)

        def last(u: Any, t: Any, tol: float, integrate: Any = integrate) -> Any:
            states, success = integrate(pointer, u, t, rtol=tol, atol=tol)
            return states[-1] if success else np.full(7, np.nan)

        jitted = njit(last)

        def solve(tol: float, jitted: Any = jitted, keep: Any = callback) -> Any:
            return jitted(start, times, tol)

        yield Contestant(f"numbalsoda {name}", "numbalsoda", "tolerance", solve, same)


def heyoka() -> Iterator[Contestant]:
    """Taylor series compiled by LLVM; the order follows the tolerance, so each tolerance has its
    integrator.
    """
    import heyoka as package

    symbols = package.make_vars(*"wxyzabc")
    system = list(zip(symbols, slopes(*symbols), strict=True))

    @functools.cache
    def integrator(tol: float) -> Any:
        return package.taylor_adaptive(system, list(START), tol=tol)

    def solve(tol: float) -> Any:
        ta = integrator(tol)
        ta.time = 0.0
        ta.state[:] = START
        ta.propagate_until(END)
        return ta.state

    yield Contestant("heyoka Taylor", "heyoka", "tolerance", solve, same)


def diffrax() -> Iterator[Contestant]:
    """Runge–Kutta methods in JAX, double precision, one jitted call."""
    import diffrax as package
    import jax

    jax.config.update("jax_enable_x64", True)
    start = jax.numpy.array(START)

    def rhs(t: Any, y: Any, args: Any) -> Any:
        return jax.numpy.stack(slopes(*y))

    def solver(method: Any) -> Callable[[float], Any]:
        def last(tol: Any) -> Any:
            control = package.PIDController(rtol=tol, atol=tol)
            return package.diffeqsolve(
                package.ODETerm(rhs), method, 0.0, END, 0.1, start, saveat=package.SaveAt(t1=True),
                stepsize_controller=control, max_steps=None, throw=False,
            ).ys[-1]  # fmt: skip

        jitted = jax.jit(last)
        return lambda tol: jax.block_until_ready(jitted(tol))

    for name in ("Dopri8", "Dopri5", "Tsit5", "Kvaerno5"):
        yield Contestant(
            f"diffrax {name}", "diffrax", "tolerance", solver(getattr(package, name)()), same
        )


def mujoco() -> Iterator[Contestant]:
    """A ball joint without gravity; of MuJoCo's integrators only RK4 is of high order."""
    import mujoco as package

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


def exudyn() -> Iterator[Contestant]:
    """A rigid body with a Lie-group node, explicit solvers."""
    import exudyn as package
    from exudyn.utilities import RigidBodyInertia

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


def sdof() -> Iterator[Contestant]:
    """Rotation integrators in NumPy, all of second order; the two fastest for an error."""
    with contextlib.redirect_stdout(io.StringIO()):  # its import prints
        from sdof import rigid

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


PEERS: dict[str, Callable[[], Iterator[Contestant]]] = {
    "scipy": scipy,
    "numbalsoda": numbalsoda,
    "heyoka": heyoka,
    "diffrax": diffrax,
    "exudyn": exudyn,
    "mujoco": mujoco,
    "sdof": sdof,
}


def peers() -> tuple[list[Contestant], dict[str, str]]:
    """Return all available peers, and for each package its version or why it is missing."""
    found: list[Contestant] = []
    status: dict[str, str] = {}
    for package, build in PEERS.items():
        try:
            found += build()
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


def coarsest(contestant: Contestant, target: float, limit: float) -> TunedContestant | None:
    """Return the coarsest setting that reaches the target together with the next two finer ones.

    None if none does, or if a call takes longer than `limit` seconds and does not reach it.
    """
    settings = SETTINGS[contestant.knob]

    def attempt(i: int) -> tuple[float, float]:
        begun = time.perf_counter()
        found = attitude_error(contestant.final(contestant.solve(settings[i])))
        return found, time.perf_counter() - begun

    @functools.cache
    def error(i: int) -> float:
        found, seconds = attempt(i)
        if (
            found > target and seconds > limit and attempt(i)[1] > limit
        ):  # twice: the machine may have been away
            raise TimeoutError
        return found

    attempt(0)  # compiles
    try:
        reached = next(
            (i for i in range(0, len(settings) - 2, 8) if error(i) <= target), len(settings) - 1
        )
        for i in range(max(0, reached - 7), len(settings) - 2):
            if all(error(j) <= target for j in (i, i + 1, i + 2)):
                return TunedContestant(contestant, settings[i], error(i))
    except TimeoutError:
        pass
    return None


def time_call(entry: TunedContestant, repeats: int) -> tuple[float, float | None]:
    """Return seconds per call and, if the contestant reports it, seconds in the kernel."""
    solve = entry.contestant.solve
    setting = entry.setting
    begun = time.perf_counter()
    results = [solve(setting) for _ in range(repeats)]
    seconds = (time.perf_counter() - begun) / repeats
    has_cost = hasattr(results[0], "cost")
    return seconds, statistics.fmean(run.cost.seconds for run in results) if has_cost else None


def rounds_of(entries: Sequence[TunedContestant], rounds: int) -> list[dict[str, Any]]:
    """Time all contestants in turn, forwards and backwards; cheap calls repeat in each round."""
    repeats = [
        max(1, min(200, round(0.01 / min(time_call(entry, 1)[0] for _ in range(3)))))
        for entry in entries
    ]
    figures: list[dict[str, Any]] = [{"calls": [], "kernels": []} for _ in entries]
    for k in range(rounds):
        for i in range(len(entries)) if k % 2 == 0 else reversed(range(len(entries))):
            seconds, kernel = time_call(entries[i], repeats[i])
            figures[i]["calls"].append(seconds)
            if kernel is not None:
                figures[i]["kernels"].append(kernel)
    return figures


def measure(
    target: float,
    own: Sequence[Contestant],
    others: Sequence[Contestant],
    rounds: int,
    limit: float,
) -> dict[str, Any]:
    """Return all contestants that reach one target, with the engine's three best, from fast to
    slow.
    """
    scanned = [entry for c in own if (entry := coarsest(c, target, min(limit, 0.05)))]
    scanned.sort(key=lambda entry: min(time_call(entry, 1)[0] for _ in range(15)))
    found = {c.name: coarsest(c, target, limit) for c in others}
    entries = scanned[:3] + [entry for entry in found.values() if entry]
    figures = rounds_of(entries, rounds)
    engines = [figure for figure in figures if figure["kernels"]]
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
                "to_engine": best and paired_ratio(figure["calls"], best["calls"]),
                "to_engine_kernel": best and paired_ratio(figure["calls"], best["kernels"]),
            }
            | figure
        )
    results.sort(key=lambda result: result["seconds"])
    return {
        "target": target,
        "results": results,
        "missed": [name for name, entry in found.items() if entry is None],
        "engine_scan": [
            {"contestant": e.contestant.name, e.contestant.knob: e.setting, "error": e.error}
            for e in scanned
        ],
    }


HEADERS = (
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
        "--limit", type=float, default=10.0, help="seconds a call may take (default %(default)g)"
    )
    parser.add_argument(
        "--methods", nargs="+", default=[], help="of the engine's methods only these (default all)"
    )
    parser.add_argument(
        "--quick", action="store_true", help="a smoke run: a loose target, two methods, two rounds"
    )
    given = parser.parse_args(arguments)
    targets, rounds, limit = (
        ((1e-3,), 2, 0.5) if given.quick else (TARGETS, given.rounds, given.limit)
    )

    others, status = peers()
    own = list(ours(["RKMK", "NMB"] if given.quick else given.methods))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter(
            "ignore"
        )  # peers warn of tolerances and steps that are part of the scan
        measured = [measure(target, own, others, rounds, limit) for target in targets]
    print(table(HEADERS, [row for target in measured for row in format_row(target)]))
    for target in measured:
        if target["missed"]:
            print(
                f"Not to {target['target']:.0e} within {limit:g} s a call: {', '.join(target['missed'])}."
            )
    print("; ".join(f"{package} {what}" for package, what in status.items()))
    if given.json:
        data = {
            "host": host(("polhode", "numpy", "numba", "llvmlite", "jax", *PEERS)),
            "protocol": {
                "problem": "free",
                "duration": END,
                "rounds": rounds,
                "limit_seconds": limit,
            },
            "peers": status,
            "reference": REFERENCE,
            "targets": measured,
        }
        write_json(given.json, data)


if __name__ == "__main__":
    main()
