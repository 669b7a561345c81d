"""Links, run files and replays."""

from __future__ import annotations

import base64
import dataclasses
import functools
import io
import json
import re
import xml.etree.ElementTree as ET
import zipfile
from urllib.parse import parse_qsl

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from app import takeaway
from app.charts.svg import MARGINS
from app.model.quantities import ORTHOGONALITY
from app.model.results import compute
from app.model.session import Choice, checked, from_query
from app.model.subject import SUBJECTS
from app.player.packing import quaternions
from app.takeaway import TooLarge, link, replay, run_files
from app.views.takeaway import Takeaway

FREE = Choice("free", ("NMB", "DMV"), 0.5, 20.0)
TOP = Choice("slow-top", ("BUSS3+E", "NMB", "MR2(axes=231)"), 0.05, 10.0).with_changes(Omega0=(0, 0, 4))
TOO_FAR = Choice("free", ("DMV", "NMB"), 4.0, 20.0)


@functools.cache
def results_of(choice):
    return compute(checked(choice))


@pytest.mark.parametrize("choice", [FREE, TOP, TOO_FAR], ids=["free", "top", "too far"])
def test_a_link_leads_to_the_same_choice(choice):
    query = dict(parse_qsl(link(choice).removeprefix("?")))
    assert query["version"] == takeaway.polhode_version()
    assert from_query(query) == (choice, [])


@pytest.mark.parametrize("ending", takeaway.ENDINGS)
def test_run_files_can_be_read_again(ending, tmp_path):
    results = results_of(TOP)
    with zipfile.ZipFile(io.BytesIO(run_files(results, ending))) as archive:
        assert archive.testzip() is None
        archive.extractall(tmp_path)
    saved = {path.name: path for path in tmp_path.iterdir()}
    assert set(saved) == {
        f"slow-top_NMB.{ending}",
        f"slow-top_MR2_axes=231.{ending}",
        "runs.py",
        "link.txt",
    }
    run = engine.load(saved[f"slow-top_NMB.{ending}"])
    np.testing.assert_array_equal(run.R, results.runs[0].run.R)
    assert saved["runs.py"].read_text(encoding="utf-8") == TOP.snippet()


def test_a_download_has_bounds():
    with pytest.raises(TooLarge, match="MB"):
        run_files(results_of(FREE), "csv", most=1000)
    with pytest.raises(ValueError, match="parquet"):
        run_files(results_of(FREE), "exe")


def told(page):
    """The data that a replay carries."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    return json.loads(found[1])


def floats(text):
    return np.frombuffer(base64.b64decode(text), dtype="<f4")


def rotation(q):
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def test_a_replay_carries_the_runs_and_the_exact_motion():
    results = results_of(FREE)
    data = told(replay(results))
    assert [body["label"] for body in data["bodies"]] == ["NMB", "DMV", "exact"]
    for body, one in zip(data["bodies"], results.runs, strict=False):
        assert body["colour"] == one.colour
        np.testing.assert_allclose(floats(body["t"]), one.run.t, rtol=1e-6)
        last = floats(body["q"]).reshape(-1, 4)[-1].astype(float)
        np.testing.assert_allclose(rotation(last), one.run.R[-1], atol=1e-6)


@pytest.mark.parametrize("choice", [FREE, TOP, TOO_FAR], ids=["free", "top", "too far"])
def test_a_replay_needs_nothing_from_outside(choice):
    page = replay(results_of(choice))
    assert "<!--" not in page
    assert not re.search(r"(src|href)\s*=|@import|url\(|fetch\(|import\(|XMLHttp", page)
    assert "default-src 'none'" in page


def test_a_replay_says_what_stopped():
    page = replay(results_of(TOO_FAR))
    assert results_of(TOO_FAR).lines[0].run.message in page
    assert told(page)["bodies"][0]["stopped"]
    assert told(page)["duration"] == TOO_FAR.duration, "the others go on"


def test_a_replay_says_from_when_on_the_exact_motion_is_not_known():
    results = dataclasses.replace(results_of(FREE), no_exact="Nobody knows it <beyond> t = 3.")
    page = replay(results)
    assert "Nobody knows it &lt;beyond&gt; t = 3." in page and told(page)["bodies"][-1]["stopped"]
    assert not told(replay(results_of(FREE)))["bodies"][-1]["stopped"]


def test_what_a_visitor_typed_is_escaped():
    problem = engine.problem("free")
    results = results_of(FREE)
    named = type(results)(
        results.choice,
        type(problem)(J=problem.J, name="</script><b>"),
        results.lines,
        results.exact,
        "",
        0.0,
    )
    assert "</script><b>" not in replay(named)


@given(st.lists(st.tuples(*[st.floats(-4, 4)] * 3), min_size=1, max_size=30))
def test_quaternions_are_the_rotations(vectors):
    R = np.array([np.reshape(list(engine.problem("free").replace(R0=v).R0.ravel()), (3, 3)) for v in vectors])
    q = quaternions(R)
    for one, matrix in zip(q, R, strict=True):
        np.testing.assert_allclose(rotation(one), matrix, atol=1e-12)
    assert ((q[1:] * q[:-1]).sum(axis=1) >= -1e-12).all()


@pytest.mark.parametrize("values", [[1.0, 2.0, 3.0], [0.02, 0.4, 5.0], [1.0, 1.0, 1.0]])
def test_a_box_has_the_moments(values):
    a, b, c = values
    moments = np.array([b * b + c * c, c * c + a * a, a * a + b * b])
    sides = np.array(takeaway.sides(moments))
    np.testing.assert_allclose(sides, np.maximum(2 * np.array(values) / max(values), 0.2), rtol=1e-9)


@pytest.mark.parametrize("choice", [FREE, TOP, TOO_FAR, Choice("magnet", ("MR2",), 0.25, 10.0)])
def test_plots_are_drawn_within_their_frame(choice):
    results = results_of(choice)
    quantities = SUBJECTS[results.choice.space].replayed(results)
    assert ORTHOGONALITY in quantities
    left, right, _, _ = MARGINS
    across = takeaway.SIZE[0] - left - right
    for quantity in quantities:
        drawing = ET.fromstring(takeaway.drawn(results, quantity))
        lines = drawing.findall(".//{*}polyline")
        assert {line.find("{*}title").text for line in lines} == {
            line.label for line in results.runs if quantity.values(line, True)
        }
        places = np.array([p.split(",") for line in lines for p in line.get("points").split()], dtype=float)
        assert np.isfinite(places).all() and len(places) > 1
        assert places[:, 0].min() >= -0.1 and places[:, 0].max() <= across + 0.1
        down = float(drawing.find("{*}svg").get("height"))
        assert ((places[:, 1] > 0) & (places[:, 1] < down)).mean() > 0.8


def test_the_menu_offers_the_link_and_the_snippet():
    menu = Takeaway()
    menu.show(results_of(TOP))
    assert menu.panel.texts == {"link": link(TOP), "snippet": TOP.snippet()}
