"""What the browser computes while a person drags: its kernels and its points are those of the
server.
"""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from covering import first
from drawing import answered
from timeouts import TIMEOUT

import engine
from app.charts.scales import to_axis
from app.charts.style import BAND_OPACITY, EXACT_OPACITY
from app.demos.live import list_runs, list_scenes
from app.pages.lab import LabPage, open_lab
from app.scene import one_body, two_bodies
from app.server.http import Kernels
from app.state import LABS
from app.state.choice import FIRST, Choice, choose_problem, validate
from app.state.pages import engine_verdict
from app.state.pages.engine_question import choose_program
from app.state.results import Results, compute
from app.state.view import VECTORS
from app.views.plots.local_runs import build, build_once, describe_setting
from engine.problems.problem import all_problems


def read_setting(page: LabPage) -> dict[str, Any]:
    """The setting on screen, as the browser reads it."""
    setting: dict[str, Any] = json.loads(page.local.setting)
    return setting


def explorer(**changes: Any) -> LabPage:
    return open_lab(validate(replace(FIRST["so3"], **changes)))


@pytest.mark.parametrize("log", first([True, False]))
def test_the_browser_s_points_are_on_the_server_s_axes_and_have_their_extremes(log: bool) -> None:
    rng = np.random.default_rng(3)
    drawn = [rng.standard_normal(n) * 10.0 ** rng.uniform(-15, 3) for n in (1, 40, 900)] + [
        np.zeros(5)
    ]
    said = {"log": log, "drawn": [{"numbers": y.tolist()} for y in drawn]}
    found = answered(
        "return said.drawn.map(y => [y.map(x => toAxis(x, said.log)), thin(y.map((_, i) => i), y, said.log)]);",
        **said,
    )
    for y, (placed, points) in zip(drawn, found, strict=True):
        np.testing.assert_allclose(placed, to_axis(y, log), rtol=1e-14)
        assert len(points["t"]) <= 702
        kept = np.array(points["y"])
        y = to_axis(y, log)
        np.testing.assert_allclose(
            [kept.min(), kept.max(), kept[-1]], [y.min(), y.max(), y[-1]], rtol=1e-6
        )


def test_a_browser_gets_the_kernels_of_the_setting_and_a_plan_of_each_plot() -> None:
    page = explorer(methods=("NMB", "EXACT"))
    before = read_setting(page)
    assert before["key"]
    assert (before["dt"], before["duration"]) == (
        page.explorer.history.now.dt,
        page.explorer.history.now.duration,
    )
    found = list_runs(page.explorer.history.now)
    assert [(line["method"], line["module"] is None) for line in found["lines"]] == [
        ("NMB", False),
        ("EXACT", True),
    ]
    plans = json.loads(page.plots.canvas.plans)
    assert [look["opacity"] for look in plans["looks"]] == [EXACT_OPACITY, *[None] * 4]
    assert all(
        [(curve["slot"], curve["label"]) for curve in plan["curves"]]
        == [
            (1, "Explicit Newmark"),
            (2, "Exact motion"),
        ]
        for plan in plans["plots"]
    )
    assert [plan["key"] for plan in plans["plots"]] == ["energy", "pi", "casimir", "attitude"]
    page.chooser.form.enter("dt", "0.25")
    page.chooser.form.enter("Omega0", "1,2,3")
    now = read_setting(page)
    assert (now["key"], now["dt"], now["given"]["Omega0"]) == (before["key"], 0.25, [1, 2, 3])
    page.chooser.form.enter("J", "1,2,2.5")
    assert read_setting(page)["key"] == before["key"]
    page.explorer.choose(
        page.explorer.history.now.with_changes(J=(2.0, 0.1, 0.0, 0.1, 2.5, 0.0, 0.0, 0.0, 3.0))
    )
    assert read_setting(page)["key"] != before["key"]  # its kernels have other axes


Ask = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Has a page build all that its browser asks for, and returns what it sends."""
    sent: list[dict[str, Any]] = []

    def ask(page: LabPage, *asked: dict[str, Any]) -> list[dict[str, Any]]:
        monkeypatch.setattr(
            page.local, "_send", lambda said: sent.append(json.loads(said["kernels"]))
        )

        async def visit() -> None:
            others = asyncio.all_tasks()
            for data in asked:
                page.local._receive(data)
            async with asyncio.timeout(TIMEOUT):
                while asyncio.all_tasks() != others:
                    await asyncio.sleep(0.01)

        asyncio.run(visit())
        return sent

    return ask


def test_a_browser_gets_the_kernels_with_the_method_that_a_person_points_to_last(ask: Ask) -> None:
    page = explorer(methods=("NMB", "AKW"))
    sent = ask(
        page, *({"method": method} for method in ("NMB", "no such method", "ELN", None, "DMV"))
    )
    sent.sort(key=lambda said: str(said["name"]))
    assert [said["name"] for said in sent] == ["", "DMV"]  # the first is of the setting on screen
    assert sent[0]["key"] == read_setting(page)["key"]
    assert [line["method"] for line in sent[1]["lines"]] == ["NMB", "AKW", "DMV"]
    page.chooser._add_method("DMV")
    assert sent[1]["key"] == read_setting(page)["key"]


@pytest.mark.parametrize(
    "key", first(["free", "slow-top", "soft-wall", "prism", "goryachev-chaplygin-top"], 2)
)
@pytest.mark.parametrize("group", ["What is kept", "Motion", "Steps"])
def test_a_browser_gets_the_plots_and_the_scene_of_the_problem_that_a_person_points_to(
    ask: Ask, key: str, group: str
) -> None:
    """They are those that the page shows once the problem is chosen."""
    page = explorer(problem="lagrange-top", methods=("NMB", "AKW"))
    page.plots.group = group
    compute(validate(choose_problem(key, page.explorer.history.now)))
    sent = ask(page, {"problem": key})
    view = sent[0]["view"]
    page.chooser._set_problem(key)
    assert sent[0]["key"] == read_setting(page)["key"]
    plans = json.loads(page.plots.canvas.plans)["plots"]
    assert view["plots"] == [{name: plan[name] for name in view["plots"][0]} for plan in plans]
    assert (
        page.explorer.results is not None
        and view["choice"] == page.explorer.results.choice.as_data()
    )
    assert view["scene"] == json.loads(json.dumps(list_scenes(page.explorer.results, "auto")[0]))


@pytest.mark.parametrize("problem", ["no such problem", "dumbbells", 7])
def test_a_problem_that_the_page_cannot_show_is_not_prepared(ask: Ask, problem: Any) -> None:
    assert not ask(explorer(problem="lagrange-top"), {"problem": problem})


def test_what_no_browser_computes_or_draws_is_left_to_the_server() -> None:
    assert read_setting(explorer(methods=("DOP853",)))["key"] == ""
    page = explorer()
    for picture, able in (
        ("From above", False),
        ("Momentum sphere", True),
        ("Paths", False),
        ("Body in space", True),
    ):
        page.stage.choose(picture)
        assert bool(read_setting(page)["key"]) is able


OPACITIES = """
const seen = {}, g = new Proxy({getLineDash: () => [], measureText: () => ({width: 0})}, {
    get: (own, name) => own[name] ?? (() => { if (name === "stroke") seen[own.strokeStyle] = own.globalAlpha; }),
});
const curves = said.curves.map(([colour, y, opacity]) => ({colour, opacity, y, t: y.map((_, i) => i)}));
drawPlot(g, {left: 0, top: 0, right: 700, bottom: 100}, {
    curves, log: false, times: [0, 600], values: [0, 4], ink: "ink", paper: "", font: "",
});
return said.curves.map(([colour]) => seen[colour]);
"""


def test_a_curve_that_fills_a_band_is_translucent_unless_it_has_an_opacity() -> None:
    line = {"numbers": np.linspace(1.0, 2.0, 600).tolist()}
    band = {"numbers": (2.0 + np.sin(2.0 * np.arange(600.0))).tolist()}
    found = answered(
        OPACITIES, curves=[("a", line), ("b", band), ("c", line, 0.15), ("d", band, 0.15)]
    )
    assert found == [1, BAND_OPACITY, 0.15, 0.15]


@pytest.mark.parametrize(
    ("apart", "rest", "sent"),
    [(16, 100, 1), (50, 100, 1), (120, 240, 2), (400, 800, 2), (600, 100, 3)],
)
def test_a_drag_rests_later_where_its_moves_come_late(apart: int, rest: int, sent: int) -> None:
    """Of moves that a busy computer delays, the server gets the first and the last value."""
    found = answered(
        """
        let now = 0, due = null;
        const sent = [];
        Object.defineProperty(globalThis, "performance", {value: {now: () => now}});
        globalThis.setTimeout = (act, after) => { due = {act, at: now + after}; return due; };
        globalThis.clearTimeout = timer => { if (timer === due) due = null; };
        const moves = sendInTurn(value => sent.push([value, now]), () => true);
        const pass = until => {
            if (due && due.at <= until) { now = due.at; const {act} = due; due = null; act(); }
            now = until;
        };
        for (const value of [1, 2, 3]) { pass(said.apart * value); moves.move(value); moves.receive(); }
        pass(10_000);
        return sent;
        """,
        apart=apart,
    )  # fmt: skip
    assert found[-1] == [3, 3 * apart + rest]
    assert len(found) == sent


def test_modules_come_without_code_where_the_server_sends_that_by_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    choice = validate(replace(FIRST["so3"], methods=("NMB", "EXACT")))
    built = {}
    for offered in (False, True):
        monkeypatch.setattr(Kernels, "offered", offered)
        built[offered] = build_once.__wrapped__(choice)
    for offered, runs in built.items():
        modules = [runs["beginning"], runs["lines"][0]["module"], runs["reference"]["module"]]
        assert [("code" not in module) for module in modules] == [offered] * 3
        assert all(engine.web.load(module["key"]).startswith(b"\0asm") for module in modules)
    assert len(json.dumps(built[True])) < 0.3 * len(json.dumps(built[False]))


METHODS = "NMB", "AKW", "MR2", "RKMK", "RK4-QUAT", "SW-C1"
PROBLEMS = [problem.key for problem in all_problems()]
COMPUTE = """
performance.now = () => 0;  // on a busy machine a run may take longer than the page waits for it
const kernels = await fetchKernels(said.modules);
const dragged = {dt: said.dt, duration: said.duration, given: said.given};
const found = runAtOnce(planDrag(kernels, dragged));
if (!found) return null;
const done = describeRuns(kernels, dragged, found);
"""
IN_BROWSER = """
return done.lines.map(({run}) => ({
    R: run.series("R").slice(-9), status: run.status, failed: run.failedStep,
    energy: Object.values(run.extrema("energy")), error: measure("attitude", run, done).at(-1),
}));
"""


@pytest.mark.parametrize(
    ("problem", "method"),
    first([(problem, method) for method in METHODS for problem in PROBLEMS], 2),
)
def test_the_browser_s_runs_are_those_of_the_server(problem: str, method: str) -> None:
    choice = choose_problem(problem)
    choice = validate(
        replace(choice, methods=(method,), dt=choice.dt / 4, duration=100 * choice.dt)
    )
    results = compute(choice)
    if not results.runs:
        assert read_setting(open_lab(choice))["key"] == ""
        return
    if problem == "book-toss":
        with pytest.raises(ValueError, match="jumps"):
            list_runs(choice)
        return
    (line,) = results.runs
    modules = list_runs(choice)
    given = engine.web.list_numbers(results.problem)
    found = answered(
        COMPUTE + IN_BROWSER, modules=modules, dt=choice.dt, duration=choice.duration, given=given
    )
    if found is None:
        assert not results.is_free  # a free motion is always known
        return
    (run,) = found
    assert (run["status"], run["failed"]) == (line.run.status, line.run.failed_step)
    np.testing.assert_allclose(run["R"], line.run.R[-1].ravel(), rtol=0, atol=1e-10)
    extremes = line.run.extrema["energy"]
    np.testing.assert_allclose(
        run["energy"], extremes, rtol=1e-10, atol=1e-10 * np.abs(extremes).max()
    )
    if line.error is not None:
        np.testing.assert_allclose(run["error"], line.error.attitude[-1], rtol=1e-4, atol=3e-6)


TRUE_MOTION = """
const {run} = done.exactMotion;
return {R: [...run.series("R")], t: [...run.t], own: done.lines.map(({run}) => run.length)};
"""
SMOOTH = ("soft-wall", "asymmetric-top", "kovalevskaya-top", "gyrostat", "free", "fast-top")


def follow(choice: Choice) -> tuple[Results, Any]:
    """What the server and a browser compute of a choice."""
    results = compute(choice)
    given = engine.web.list_numbers(results.problem)
    times = {"dt": choice.dt, "duration": choice.duration}
    modules = list_runs(choice)
    return results, answered(COMPUTE + TRUE_MOTION, modules=modules, given=given, **times)


@pytest.mark.parametrize("problem", first(SMOOTH))
def test_the_browser_s_true_motion_is_the_server_s_as_far_as_both_are_known(problem: str) -> None:
    """They differ by no more than the server's estimate, also where steps are far apart."""
    choice = choose_problem(problem)
    results, found = follow(validate(replace(choice, methods=("RKMK",), dt=5 * choice.dt)))
    exact = results.exact
    assert exact is not None and exact.is_known.all()
    assert found["t"] == pytest.approx(exact.t)
    away = np.reshape(found["R"], exact.R.shape) - exact.R
    assert (
        np.linalg.norm(away, axis=(1, 2)) / np.sqrt(2.0) <= exact.estimates.attitude + 1e-12
    ).all()


def test_the_browser_s_true_motion_ends_where_it_is_no_longer_known() -> None:
    choice = replace(choose_problem("asymmetric-top"), methods=("NMB",), dt=0.1, duration=200.0)
    results, found = follow(validate(choice))
    exact = results.exact
    assert exact is not None and 140.0 < exact.t[-1] < 190.0
    assert abs(found["t"][-1] - exact.t[-1]) < 20.0
    assert found["own"] == [2001]
    n = min(len(exact.t), len(found["t"]))
    R = np.reshape(found["R"], (-1, 3, 3))[:n]
    away = np.linalg.norm(R - exact.R[:n], axis=(1, 2))
    assert (away <= 2.0 * exact.estimates.attitude[:n]).all()
    assert follow(validate(replace(choice, methods=("NMB", "EXACT"))))[1] is None


def test_a_torque_without_series_is_followed_by_steps_of_one_size() -> None:
    choice = choose_problem("custom").with_changes(torque="formula", formula="abs(2+R[0,1])*e1")
    choice = replace(choice, methods=("NMB",))
    assert list_runs(validate(choice))["reference"]["method"] == LABS["so3"].fine
    results, found = follow(validate(choice))
    assert results.exact is not None
    R = np.reshape(found["R"], (-1, 3, 3))[-1]
    assert np.linalg.norm(R - results.exact.R[-1]) < 1e-5


PAIR_MOTION = """
const read = run => Object.fromEntries(["R1", "R2", "x1", "x2"].map(name => [name, [...run.series(name)]]));
return {
    t: [...done.exactMotion.run.t], exact: read(done.exactMotion.run), own: read(done.lines[0].run),
    motions: done.motions.map(({label}) => label),
};
"""


def test_the_browser_s_true_motion_of_two_bodies_is_the_server_s() -> None:
    """And so is the run of TAYLOR, with its own tolerance."""
    choice = replace(choose_problem("dumbbells"), methods=("TAYLOR",), dt=0.05, duration=10.0)
    results = compute(validate(choice))
    given = engine.web.list_numbers(results.problem)
    modules = list_runs(choice)
    times = {"dt": choice.dt, "duration": choice.duration}
    found = answered(COMPUTE + PAIR_MOTION, modules=modules, given=given, **times)
    assert found["t"] == pytest.approx(results.exact.t)
    assert found["motions"] == ["Adaptive Taylor", "exact"]
    for name in ("R1", "R2", "x1", "x2"):
        exact = getattr(results.exact, name)
        off = np.abs(np.reshape(found["exact"][name], exact.shape) - exact)
        least = results.exact.estimates.attitude.reshape(-1, *[1] * (exact.ndim - 1))
        assert (off <= least + 1e-12).all(), name
        run = getattr(results.runs[0].run, name)
        np.testing.assert_allclose(np.reshape(found["own"][name], run.shape), run, atol=1e-9)


def test_bodies_of_point_masses_have_runs_and_no_true_motion() -> None:
    choice = replace(choose_problem("two-bodies"), methods=("LGVI",))
    assert list_runs(validate(choice))["reference"] is None


def test_the_browser_runs_methods_that_choose_their_steps() -> None:
    choice = replace(choose_problem("slow-top"), methods=("TAYLOR", "RKMK853"), dt=0.05)
    results = compute(validate(choice))
    given = engine.web.list_numbers(results.problem)
    times = {"dt": choice.dt, "duration": choice.duration}
    for line, run in zip(
        results.runs,
        answered(COMPUTE + IN_BROWSER, modules=list_runs(choice), given=given, **times),
        strict=True,
    ):
        np.testing.assert_allclose(run["R"], line.run.R[-1].ravel(), rtol=0, atol=1e-10)


STATES = """
performance.now = () => 0;  // no run takes too long because the machine stalls
const shown = [], events = {};
Object.assign(globalThis, {document: {createElement: () => ({})}, requestAnimationFrame: act => act()});
page.offer("show runs", ({dt}) => void shown.push(dt));
for (const name of ["runs answered", "restore runs"]) page.offer(name, () => void shown.push(name));
const model = {setting: JSON.stringify(said.setting), send_msg() {}, on: (name, act) => (events[name] = act)};
renderLocalRuns({model});
const acts = {
    drag: dt => page.request("drag", {dt}), rest: () => page.request("drag rests"),
    forget: () => page.request("forget drag"), answer: () => events.setting(),
};
events["msg:custom"]({kernels: said.kernels});
while (!acts.drag(said.setting.dt)) await new Promise(act => setTimeout(act));
acts.forget();
shown.length = 0;
const trace = said.path.map(([name, dt]) => [!!acts[name](dt), page.ahead, shown.splice(0)]);
events.remove();
return trace;
"""
ANSWERED = [False, "", ["runs answered"]]
PATHS: dict[str, list[tuple[str, float, list[Any]]]] = {
    "an answer to an earlier value is not shown while the drag goes on": [
        ("drag", 0.1, [True, "setting", [0.1]]),
        ("answer", 0, [False, "setting", [0.1]]),
        ("drag", 0.2, [True, "setting", [0.2]]),
        ("rest", 0, [True, "setting", []]),
        ("answer", 0, ANSWERED),
    ],
    "a drag goes on after a rest": [
        ("drag", 0.1, [True, "setting", [0.1]]),
        ("rest", 0, [True, "setting", []]),
        ("drag", 0.2, [True, "setting", [0.2]]),
        ("answer", 0, [False, "setting", [0.2]]),
        ("rest", 0, [True, "setting", []]),
        ("answer", 0, ANSWERED),
    ],
    "the server computes what takes the browser too long": [
        ("drag", 1e-7, [False, "", []]),
        ("answer", 0, ANSWERED),
        ("drag", 0.1, [True, "setting", [0.1]]),
        ("drag", 1e-7, [False, "setting", []]),
        ("answer", 0, ANSWERED),
    ],
    "the server's runs come back if it has the value or refuses it": [
        ("drag", 0.1, [True, "setting", [0.1]]),
        ("forget", 0, [True, "", ["restore runs", "runs answered"]]),
        ("forget", 0, [True, "", ["runs answered"]]),
    ],
}


@pytest.mark.parametrize("name", PATHS)
def test_the_browser_s_runs_are_on_screen_until_the_server_has_their_numbers(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each event, whether it is taken, what is marked as old after it, and what is shown."""
    monkeypatch.setattr(Kernels, "offered", False)
    choice = validate(replace(FIRST["so3"], methods=("MR4",), duration=20.0))
    setting = describe_setting(choice) | {"dt": choice.dt, "duration": choice.duration}
    about = {"name": "", "of": setting["key"]}
    kernels = build(choice, about, None, engine.Cancellation(), lambda *_: None)
    path = PATHS[name]
    trace = answered(
        STATES, setting=setting, kernels=kernels, path=[(event, dt) for event, dt, _ in path]
    )
    assert trace == [expected for *_, expected in path]


MEASURED = """
const measureAll = ({run}) => said.measures.map(([key, relative]) => measure(key, run, done, relative));
const describe = facts => describeScene(facts, done.motions, done);
return {lines: done.motions.map(measureAll), scenes: said.facts.map(describe)};
"""
SETTINGS = {
    "top": choose_problem("asymmetric-top"),
    "modified": replace(FIRST["so3"], methods=("NMB", "HIROTA-KIMURA")),
    "two bodies": FIRST["se3"],
    "free": FIRST["so3"],
    "engine": choose_program("mujoco-euler").with_entry("body", "tumbling").choice,
}


@pytest.mark.parametrize("name", first(SETTINGS, 3))
def test_the_browser_measures_what_the_server_does(name: str) -> None:
    """Every quantity of every plot, and the scenes, for other numbers than those that the kernels
    were built for.
    """
    built = replace(SETTINGS[name], duration=200 * SETTINGS[name].dt)
    changes = (
        {"X": (0.8, 0.1, 0.4), "Omega2": (1.0, 3.0, 2.0)}
        if built.space == "se3"
        else {"J": (2.0, 2.5, 3.0)}
    )
    choice = validate(built.with_changes(**changes))
    results = compute(choice)
    pair = choice.space == "se3"
    groups = engine_verdict.GROUPS if name == "engine" else LABS[choice.space].groups
    quantities = [
        q
        for vector in VECTORS
        for group in groups.values()
        for q in group.quantities(results, vector)
    ]
    assert len(quantities) >= (4 if name == "engine" else 12)
    measures = [
        (q.declared.key, relative and q.whole is not None)
        for q in quantities
        for relative in (False, True)
    ]
    facts = (
        [
            two_bodies.list_facts(results, frame)
            for frame in (two_bodies.INERTIAL, two_bodies.RELATIVE)
        ]
        if pair
        else [one_body.list_facts(results, "body")]
    )
    old = {
        "momentum": [0, 0, 1],
        "reach": 1,
        "J": [1, 0, 0, 0, 1, 0, 0, 0, 1],
        "R0": [0] * 9,
        "Omega0": [0] * 3,
    }
    found = answered(
        COMPUTE + MEASURED,
        modules=list_runs(built),
        dt=choice.dt,
        duration=choice.duration,
        given=engine.web.list_numbers(results.problem),
        measures=measures,
        facts=[one | {key: old[key] for key in old if key in one} for one in facts],
    )
    for line, curves in zip(results.lines, found["lines"], strict=False):
        for (q, relative), y in zip(
            ((q, r) for q in quantities for r in (False, True)), curves, strict=True
        ):
            curve = q.values(line, relative)
            if curve is None:
                continue
            t, values = curve
            rows = np.round(t / choice.dt).astype(int)
            known = np.isfinite(values)
            y = np.array([np.nan if x is None else x for x in y])[rows][known]
            scale = max(1.0, np.abs(values[known]).max(initial=0.0))
            near = 3e-6 if q.against_exact else 1e-10
            np.testing.assert_allclose(
                y, values[known], rtol=0, atol=near * scale, err_msg=f"{q.title} of {line.label}"
            )
    for scene, one, frame in zip(
        found["scenes"], facts, (two_bodies.INERTIAL, two_bodies.RELATIVE), strict=False
    ):
        for key in old.keys() & one.keys():
            np.testing.assert_allclose(scene["facts"][key], one[key], rtol=1e-12, atol=1e-12)
        drawn = (
            two_bodies.build_scene(results, frame)
            if pair
            else one_body.build_scene(results, "body")
        )
        server = answered(
            "return readMotions(said.scene).motions;", scene={"bytes": b64encode(drawn).decode()}
        )
        assert len(server) == len(scene["motions"])
        for own, its in zip(scene["motions"], server, strict=True):
            assert (own["label"], len(own["t"])) == (its["label"], len(its["t"]))
            np.testing.assert_allclose(own["q"], its["q"], atol=1e-4)
            for key in ("x", "Omega"):
                if key in its:
                    np.testing.assert_allclose(
                        own[key], its[key], atol=1e-4 * np.abs(its[key]).max()
                    )
