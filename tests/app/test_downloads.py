"""Links and run files."""

from __future__ import annotations

import asyncio
import functools
import io
import threading
import zipfile
from urllib.parse import parse_qsl

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_driver import press, record_messages, send_message
from timeouts import TIMEOUT

import engine
from app.state import downloads, excerpt, links
from app.state.choice import Choice, validate
from app.state.downloads import TooLarge, zip_runs
from app.state.links import link, read_query
from app.state.results import compute
from app.state.view import View
from app.views.dialogs import downloads_menu, embed
from app.views.dialogs.downloads_menu import DownloadsMenu
from engine.kernels import Cancelled
from engine.simulation import to_quaternions

FREE = Choice("free", ("NMB", "DMV"), 0.5, 20.0)
TOP = Choice("slow-top", ("BUSS3+E", "NMB", "MR2(axes=231)"), 0.05, 10.0).with_changes(
    Omega0=(0, 0, 4)
)
TOO_FAR = Choice("free", ("DMV", "NMB"), 4.0, 20.0)


@functools.cache
def results_of(choice):
    return compute(validate(choice))


@pytest.mark.parametrize("choice", [FREE, TOP, TOO_FAR], ids=["free", "top", "too far"])
def test_a_link_leads_to_the_same_choice(choice):
    query = dict(parse_qsl(link(choice).removeprefix("?")))
    assert query["version"] == links.polhode_version()
    assert read_query(query) == (choice, [])


@pytest.mark.parametrize("ending", downloads.ENDINGS)
def test_run_files_can_be_read_again(ending, tmp_path):
    results = results_of(TOP)
    with zipfile.ZipFile(io.BytesIO(zip_runs(results, ending))) as archive:
        assert archive.testzip() is None
        archive.extractall(tmp_path)
    saved = {path.name: path for path in tmp_path.iterdir()}
    assert set(saved) == {
        f"slow-top_NMB.{ending}",
        f"slow-top_MR2_axes=231.{ending}",
        "runs.py",
        "link.txt",
        "cite.bib",
    }
    cited = saved["cite.bib"].read_text(encoding="utf-8")
    head, _, bibtex = cited.partition("\n\n")
    assert "Ω₀ = (0, 0, 4)" in head and link(TOP) in head and "@" not in head
    assert bibtex.strip() == engine.cite(TOP.build_problem(), *TOP.methods) and "Buss2000" in bibtex
    run = engine.load(saved[f"slow-top_NMB.{ending}"])
    np.testing.assert_array_equal(run.R, results.runs[0].run.R)
    assert saved["runs.py"].read_text(encoding="utf-8") == TOP.snippet()


def test_a_download_has_bounds():
    with pytest.raises(TooLarge, match="MB"):
        zip_runs(results_of(FREE), "csv", most=1000)
    with pytest.raises(ValueError, match="parquet"):
        zip_runs(results_of(FREE), "exe")


def test_of_many_exports_only_the_newest_waits(monkeypatch):
    made = []
    results = results_of(FREE)

    def note(*args, **options):
        made.append(args[1])
        return zip_runs(*args, **options)

    monkeypatch.setattr(downloads_menu, "zip_runs", note)

    async def visit():
        menu = DownloadsMenu()
        menu.show(results)
        heard = record_messages(menu.panel)
        for ending in [*["csv"] * 100, "npz"]:
            send_message(menu.panel, {"ask": "runs", "value": ending})
        async with asyncio.timeout(TIMEOUT):
            while not heard:
                await asyncio.sleep(0.001)
        return heard

    (heard,) = asyncio.run(visit())
    assert heard["save"] == "free-npz.zip" and heard["bytes"].startswith(b"PK")
    assert len(made) <= 2 and made[-1] == "npz"


def test_an_export_stops_when_its_visitor_has_left():
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        zip_runs(results_of(FREE), "csv", cancel=cancel)


def rotation(q):
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


@pytest.mark.exhaustive
@given(st.lists(st.tuples(*[st.floats(-4, 4)] * 3), min_size=1, max_size=30))
def test_quaternions_are_the_rotations(vectors):
    R = np.array(
        [np.reshape(list(engine.problem("free").replace(R0=v).R0.ravel()), (3, 3)) for v in vectors]
    )
    q = to_quaternions(R)
    for one, matrix in zip(q, R, strict=True):
        np.testing.assert_allclose(rotation(one), matrix, atol=1e-12)
    assert ((q[1:] * q[:-1]).sum(axis=1) >= -1e-12).all()


def test_the_menu_offers_the_link_and_the_snippet():
    menu = DownloadsMenu()
    menu.show(results_of(TOP))
    assert menu.panel.texts == {"link": link(TOP), "snippet": TOP.snippet()}


@pytest.mark.parametrize("choice", [FREE, TOP], ids=["free", "top"])
def test_what_can_be_embedded_is_what_a_link_can_show(choice):
    results = results_of(choice)
    report = embed.describe(results, "demo.html", served=True)
    words = {name: ",".join(word for word, _ in report[part]) for name, part in WORDS_OF.items()}
    shown, notices = excerpt.read_query(words, choice)
    assert (
        notices == []
        and len(shown.show) == len(report["parts"])
        and set(report["show"]) <= set(shown.show)
    )
    assert ("pi" in shown.show) == (choice is FREE), "of the plots those of what the motion keeps"
    assert read_query(report["query"]) == (choice, [])
    assert embed.describe(results, "demo.html", served=False)["query"] is None
    assert embed.describe(results, "demo.html", True, View("body"))["query"]["picture"] == "body"
    menu = DownloadsMenu()
    menu.show(results)
    assert not len(menu.dialogs)
    press(menu.panel, "embed")
    press(menu.panel, "embed")
    assert list(menu.dialogs) == menu.dialogs.select(embed.EmbedDialog) and len(menu.dialogs) == 1


WORDS_OF = {"show": "parts", "controls": "controls"}
