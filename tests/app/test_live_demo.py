"""Live demos: the contents of the file. Browser tests cover its behaviour."""

from __future__ import annotations

import base64
import json
import re
import zlib
from itertools import product
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
from covering import covering, first
from drawing import ELEMENTS, ENTRY, answered, carried_out

import app
import engine
from app.asset_files import bundle_script
from app.charts.downsample import is_band
from app.charts.scales import to_axis
from app.charts.style import BAND_OPACITY
from app.demos import live
from app.state.choice import Choice, validate
from app.state.labs import LABS
from app.state.results import compute
from engine.cli.command import main

TWO = Choice("slow-top", ("NMB", "DMV"), 0.01, 10.0)
MOST_BYTES = 310_000


def demo_data(demo):
    """The data that a demo carries."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', demo.html, re.S)
    return json.loads(found[1])


@pytest.mark.parametrize(
    "choice",
    covering(
        [
            Choice("slow-top", ("NMB", "DMV", "MR2", "AKW"), 0.01, 10.0),
            Choice("free", ("NMB", "AKW", "DMV", "BUSS3+E"), 0.5, 100.0),
            Choice("magnet", ("NMB", "MR2", "MR4", "RKMK"), 0.25, 10.0),
            Choice("dumbbells", ("LGVI", "RK2"), 0.002, 30.0, space="se3"),
        ],
        by=lambda choice: (choice.space,),
    ),
    ids=lambda choice: choice.problem,
)
def test_it_is_small_and_needs_nothing_from_outside(choice):
    demo = live.build_demo(validate(choice))
    assert len(demo.html.encode()) <= MOST_BYTES
    head, _, script = demo.html.partition('<script type="application/json"')
    assert "default-src 'none'" in head and "<!--" not in demo.html
    assert not re.search(
        r"""(src|href)\s*=\s*["']?http|@import|url\(|fetch\(|XMLHttp|WebSocket|\beval\(""", script
    )
    data = demo_data(demo)
    assert {m["method"]: m["label"] for m in data["lines"]} == choice.names
    assert bool(data["means"]) == (choice.space == "so3"), "the words explain pictures of one body"
    for one in (*data["lines"], data["reference"], data["beginning"]):
        code = one["module"]["code"] if "module" in one else one["code"]
        assert zlib.decompress(base64.b64decode(code))[:4] == b"\0asm"


def test_it_begins_with_what_was_chosen():
    data = demo_data(app.demo("slow-top", ["NMB"], dt=0.02, duration=5, Omega0=(0, 0, 9), Mgl=30))
    given = {one["name"]: one["value"] for one in data["beginning"]["header"]["given"]}
    assert (data["dt"], data["duration"]) == (0.02, 5)
    assert given["Omega0"] == [0, 0, 9] and given["Mgl"] == [30]
    assert [field["name"] for field in data["fields"]] == [
        "dt",
        "duration",
        "J",
        "Omega0",
        "R0",
        "Mgl",
    ]
    assert [field["label"] for field in data["fields"]][:2] == ["Δt", "Duration"]


def test_what_no_browser_runs_is_left_out_and_said():
    data = demo_data(app.demo("free", ["MR2", "DOP853"]))
    assert [method["method"] for method in data["lines"]] == ["MR2"]
    assert data["refused"] == [
        "Dormand–Prince 8: DOP853 takes no steps of one size, as those of a demo."
    ]
    with pytest.raises(
        ValueError, match=r"None of these methods runs in a browser\. Dormand–Prince 8: "
    ):
        app.demo("free", "DOP853")


def test_the_exact_motion_needs_no_method():
    demo = app.demo("free", "EXACT")
    data = demo_data(demo)
    assert (data["lines"], data["refused"]) == ([], []) and demo.title.endswith(
        ": the exact motion"
    )
    motion = [one["title"] for one in data["motions"] if one["part"] == "motion"]
    assert motion[-1] == "Angular velocity |Ω|"


def test_text_is_escaped(monkeypatch):
    problem = engine.problem("free").replace()
    object.__setattr__(problem, "name", "</script><b>")
    object.__setattr__(problem, "summary", "</script><b>")
    monkeypatch.setattr(Choice, "build_problem", lambda self: problem)
    assert "</script><b>" not in live.build_demo(Choice("free", ("MR2",), 0.5, 20.0)).html


def test_a_notebook_shows_it_in_a_frame_that_reaches_nothing():
    demo = live.build_demo(TWO)
    shown = demo._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts"') and "</script>" not in shown
    assert "live demo" in repr(demo) and len(repr(demo)) < 100


def test_the_snippet_is_that_of_the_page():
    data = demo_data(live.build_demo(TWO))
    times = "dt=0.01, duration=10"
    filled = data["snippet"].format(
        problem="engine.problem('slow-top')", methods="['NMB', 'DMV']", times=times
    )
    assert filled == TWO.snippet()


def test_the_command_writes_the_file(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert (
        main(
            [
                "demo",
                "slow-top",
                "NMB",
                "DMV",
                "--out",
                "demo.html",
                "--dt",
                "0.02",
                "--set",
                "Omega0=0,0,9",
            ]
        )
        == 0
    )
    written = (tmp_path / "demo.html").read_text(encoding="utf-8")
    assert written == app.demo("slow-top", ["NMB", "DMV"], dt=0.02, Omega0=(0, 0, 9)).html
    assert "demo.html: " in capsys.readouterr().out
    assert main(["demo", "free"]) == 0 and (tmp_path / "free.html").exists()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ([], "demo needs a problem"),
        (["nope"], "there is no problem 'nope'"),
        (["free", "DOP853"], "None of these methods runs in a browser"),
        (["free", "MR2", "--out", "demo.txt"], "must end in .html"),
        (["free", "MR2", "--dt", "much"], "dt"),
    ],
)
def test_the_command_says_what_is_wrong(arguments, why, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["demo", *arguments]) == 2
    assert why in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("log", [True, False])
def test_curves_that_fill_bands_are_translucent_as_in_the_lab(log):
    """A curve that has its own opacity keeps it, and what overflowed counts no turns."""
    t = np.linspace(0.0, 1.0, 650)
    ended = np.where(t < 0.4, t, np.nan)
    drawn = [
        t,
        np.sin(20 * t),
        np.sin(400 * t),
        np.exp(np.sin(900 * t)),
        np.floor(300 * t) % 2,
        ended,
    ]
    bands = [is_band(to_axis(y[np.isfinite(y)], log)) for y in drawn]
    found = answered(
        """
        const strokes = [], known = {stroke: () => strokes.push(g.globalAlpha), measureText: () => ({width: 1})};
        known.getLineDash = () => [1]; // with dashes, a curve is one stroke
        const g = new Proxy(known, {get: (known, name) => known[name] ?? (() => {})});
        const plain = said.drawn.map(y => ({t: said.t, y: y.map(x => toAxis(x ?? NaN, said.log))}));
        const curves = plain.flatMap(curve => [curve, {...curve, opacity: 0.3}]);
        const axes = {log: said.log, times: [0, 1], values: [-1, 1]};
        drawPlot(g, {left: 0, top: 0, right: 600, bottom: 100}, {curves, ...axes, ink: "", font: ""});
        return strokes.slice(-curves.length);
        """,
        log=log, t=t, drawn=[[None if np.isnan(x) else x for x in y] for y in drawn],
    )  # fmt: skip
    assert found == [opacity for band in bands for opacity in (BAND_OPACITY if band else 1, 0.3)]
    assert bands == [False, False, log, True, True, False]


@pytest.mark.parametrize("time", [0.1, 0.95])
def test_words_over_curves_have_a_ground(time):
    """The ground is drawn after the curves and before the words, and is as wide as they are."""
    drawn = answered(
        """
        const drawn = [], note = name => (...given) => drawn.push([name, g.fillStyle, ...given]);
        const known = {stroke: note("stroke"), fillRect: note("rect"), fillText: note("text")};
        Object.assign(known, {measureText: () => ({width: 80}), getLineDash: () => [1]});
        const g = new Proxy(known, {get: (known, name) => known[name] ?? (() => {})});
        const curves = [{t: [0, 1], y: [1, 1], colour: "red"}], words = [["phase lost", said.time, null]];
        const axes = {log: false, times: [0, 1], values: [-1, 1], words};
        const look = {ink: "black", paper: "white", font: ""};
        drawPlot(g, {left: 0, top: 0, right: 600, bottom: 100}, {curves, ...axes, ...look});
        return drawn.slice(drawn.findLastIndex(([name]) => name === "stroke") + 1);
        """,
        time=time,
    )  # fmt: skip
    (_, ground, left, top, wide, high), (_, ink, words, x, y) = drawn
    assert (ground, ink, words) == ("white", "black", "phase lost")
    assert left <= x and x + 80 <= left + wide and top < y < top + high


def run_demo(choice, call):
    """What a call of a function of demo.js returns in a demo of this choice."""
    given = """
        const pieces = [];
        for await (const piece of process.stdin) pieces.push(piece);
        document.getElementById = () => ({textContent: Buffer.concat(pieces).toString()});
    """
    script = bundle_script(ENTRY.with_name("demo.js"))
    script += f"console.log(JSON.stringify(await {call}));"
    data = json.dumps(demo_data(live.build_demo(choice)))
    return json.loads(carried_out(ELEMENTS + given + script, data))


@pytest.mark.parametrize(
    ("choice", "texts"),
    [
        (
            Choice("slow-top", ("NMB", "MR2"), 0.01, 5.0).with_changes(Mgl=20.0),
            {"dt": "1/60", "Omega0": "0.1, 0, 7", "Mgl": "25", "J": "1, 2, 2.5"},
        ),
        (
            Choice("dumbbells", ("LGVI",), 0.002, 2.0, space="se3"),
            {"duration": "1e-05", "G": "0.3", "X": "1, 0, 0.5"},
        ),
    ],
    ids=["one body", "two bodies"],
)
def test_the_link_and_the_program_of_a_demo_are_those_of_the_page(choice, texts):
    link, program = run_demo(choice, f"writeChoice({json.dumps(list(texts.items()))})")
    expected = choice
    for name, text in texts.items():
        parameter = choice.build_problem().declarations[name]
        expected = expected.change(name, parameter.read_text(text))
    assert dict(parse_qsl(link.removeprefix("?"))) == expected.query()
    begin, _, rest = program.partition("for method in ")
    made: dict[str, Any] = {}
    exec(begin, made)
    for name in texts.keys() - {"dt", "duration"}:
        np.testing.assert_array_equal(
            made["problem"].value(name), expected.build_problem().value(name)
        )
    methods, _, runs = rest.partition(":")
    assert json.loads(methods) == list(expected.methods)
    assert runs == expected.snippet().partition("for method in ")[2].partition(":")[2]


def read_cells(choice):
    """The cells of a demo's ledger by rows and heads, each with its text and title."""
    found = run_demo(choice, "readLedger()")
    return [dict(zip(found["heads"][1:], row, strict=True)) for row in found["rows"]]


def read_ledger(choice):
    """The cells of a demo's ledger by rows, each with its text and title."""
    return [list(row.values()) for row in read_cells(choice)]


@pytest.mark.parametrize(
    "choice",
    first([
        Choice("slow-top", ("NMB", "DMV", "MR2", "AKW"), 0.05, 100.0),
        Choice("dumbbells", ("LGVI", "RK2", "LGM"), 0.01, 5.0, space="se3"),
        Choice("free", ("NMB", "DMV", "MR2", "RK4-QUAT"), 0.5, 100.0),
        Choice("kovalevskaya-top", ("NMB", "MR2"), 0.02, 10.0),
    ], 2),
    ids=lambda choice: choice.problem,
)  # fmt: skip
def test_the_ledger_is_that_of_the_lab(choice):
    """Every cell that both have, but for changes that are roundoff of a method that does not promise
    them.
    """
    choice = validate(choice)
    table = LABS[choice.space].ledger.table(compute(choice))
    for row, found in zip(table.rows, read_cells(choice), strict=True):
        shared = [column for column in table.columns if column.head in found]
        assert len(shared) >= 5
        for column in shared:
            cell = row.cell(column.key)
            text, title = found[column.head]
            assert cell.near or text == cell.text, (row.label, column.head)
            assert not cell.exact or title.split(",")[1:] == cell.about.split(",")[1:]
        assert found["ended"][0] == row.status.split(" at ")[0]


MIDDLE = {"Omega0": (0.01, 1.0, 0.02), "J": (1.0, 2.0, 3.0)}
"""A body that is spun near its middle axis."""


@pytest.mark.parametrize(
    ("choice", "lost"),
    first(
        [
            (Choice("free", ("NMB", "DMV", "MR2"), 0.5, 100.0), ["", "phase", ""]),
            (Choice("free", ("DMV", "AKW"), 0.5, 200.0), ["often", "phase"]),
            (
                Choice("free", ("BUSS1", "CG3", "MR2"), 0.4, 200.0).with_changes(**MIDDLE),
                ["stops", "stops", ""],
            ),
            (Choice("free", ("LINEAR-EULER",), 0.4, 200.0).with_changes(**MIDDLE), ["never"]),
            (Choice("slow-top", ("AKW",), 0.1, 20.0), ["phase"]),
        ],
        3,
    ),
    ids=lambda given: ",".join(given) if isinstance(given, list) else "",
)
def test_what_a_body_does_at_the_end_is_what_the_lab_s_ledger_says(choice, lost):
    choice = validate(choice)
    expected = [row.cell("attitude") for row in LABS["so3"].ledger.table(compute(choice)).rows]
    found = [row["attitude\nerror"] for row in read_cells(choice)]
    assert [text for text, _ in found] == [x.text for x in expected]
    assert [cell.lost for cell in expected] == lost
    for (_, title), cell in zip(found, expected, strict=True):
        assert not cell.lost or title.endswith(cell.about.partition("; ")[2])


def test_the_exact_motion_is_followed_where_a_body_that_starts_at_rest_turns_fast():
    choice = Choice("slow-top", ("NMB",), 0.01, 400.0)
    choice = validate(choice.with_changes(Omega0=(0.0, 0.0, 0.0)))
    (row,) = LABS["so3"].ledger.table(compute(choice)).rows
    expected = row.cell("attitude").text
    assert expected in [text for text, _ in read_ledger(choice)[0]]


@pytest.mark.exhaustive
def test_what_is_kept_in_32_bits_is_that_of_the_lab_s_ledger():
    """MR2 keeps momentum to biased roundoff, which grows with the steps; RKMK does not keep
    energy.
    """
    choice = validate(
        Choice("free", ("MR2(precision=single)", "RKMK(precision=single)", "MR2"), 0.01, 100.0)
    )
    for row, found in zip(
        LABS["so3"].ledger.table(compute(choice)).rows, read_ledger(choice), strict=True
    ):
        expected = [row.cell(key) for key in ("energy", "momentum")]
        assert [text in ("exact", "32-bit roundoff") for text, _ in found[:2]] == [
            cell.exact for cell in expected
        ]
        assert all(
            text == cell.text
            for (text, _), cell in zip(found[:2], expected, strict=True)
            if cell.exact
        )


def test_an_error_below_that_of_the_true_motion_is_not_known():
    """The second method has the order of a demo's own run for the exact motion, at a finer step."""
    choice = validate(Choice("slow-top", ("NMB", "RKMK(tableau=dop853)"), 0.01, 20.0))
    coarse, fine = read_ledger(choice)
    at = [title for _, title in fine].index(
        "This error is below the uncertainty of the exact motion."
    )
    assert fine[at][0] == "–" and coarse[at] == ["0.0029", ""]


CLOCK = """
    let time = said.begun;
    globalThis.requestAnimationFrame = call => { time += 7; call(); };
    const read = () => Math.floor(10 * time) / 10;
    const start = ({steps}) => ({
        advance() {
            const before = read();
            this.done = Math.min(steps, said.end);
            time += this.done * said.cost / 1e6;
            this.seconds = (read() - before) / 1000;
        },
        result() { return {seconds: this.seconds, done: this.done}; },
    });
"""
"""A kernel with steps of `cost` nanoseconds, and a clock that counts tenths of milliseconds."""


@pytest.mark.parametrize(
    ("cost", "begun"), covering(product([0.5, 38, 250, 4e4], [0.0, 0.03, 0.09]))
)
def test_the_time_of_a_step_does_not_depend_on_the_clock_s_ticks(cost, begun):
    body = f"{CLOCK} return timeStep({{start}}, {{steps: 200}}, () => true);"
    found = answered(body, cost=cost, begun=begun, end=1e12)
    assert found == pytest.approx(cost, rel=0.011)


def test_no_time_is_shown_of_a_method_that_ends_too_soon_or_of_an_older_setting():
    body = f"{CLOCK} return timeStep({{start}}, {{steps: 200}}, () => said.current);"
    assert answered(body, cost=50, begun=0.0, end=300, current=True) is None
    assert answered(body, cost=50, begun=0.0, end=1e12, current=False) is None
