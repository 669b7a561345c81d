"""Links and run files."""

from __future__ import annotations

import functools
import io
import zipfile
from urllib.parse import parse_qsl

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from visiting import press

import engine
from app import takeaway
from app.model import excerpt
from app.model.results import compute
from app.model.session import Choice, checked, from_query
from app.model.view import View
from app.player.packing import quaternions
from app.takeaway import TooLarge, link, run_files
from app.views import embed
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
        "cite.bib",
    }
    cited = saved["cite.bib"].read_text(encoding="utf-8")
    head, _, bibtex = cited.partition("\n\n")
    assert "Omega0 = 0,0,4" in head and link(TOP) in head and "@" not in head
    assert bibtex.strip() == engine.cite(TOP.built(), *TOP.methods) and "Buss2000" in bibtex
    run = engine.load(saved[f"slow-top_NMB.{ending}"])
    np.testing.assert_array_equal(run.R, results.runs[0].run.R)
    assert saved["runs.py"].read_text(encoding="utf-8") == TOP.snippet()


def test_a_download_has_bounds():
    with pytest.raises(TooLarge, match="MB"):
        run_files(results_of(FREE), "csv", most=1000)
    with pytest.raises(ValueError, match="parquet"):
        run_files(results_of(FREE), "exe")


def rotation(q):
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


@given(st.lists(st.tuples(*[st.floats(-4, 4)] * 3), min_size=1, max_size=30))
def test_quaternions_are_the_rotations(vectors):
    R = np.array([np.reshape(list(engine.problem("free").replace(R0=v).R0.ravel()), (3, 3)) for v in vectors])
    q = quaternions(R)
    for one, matrix in zip(q, R, strict=True):
        np.testing.assert_allclose(rotation(one), matrix, atol=1e-12)
    assert ((q[1:] * q[:-1]).sum(axis=1) >= -1e-12).all()


def test_the_menu_offers_the_link_and_the_snippet():
    menu = Takeaway()
    menu.show(results_of(TOP))
    assert menu.panel.texts == {"link": link(TOP), "snippet": TOP.snippet()}


@pytest.mark.parametrize("choice", [FREE, TOP], ids=["free", "top"])
def test_what_can_be_embedded_is_what_a_link_can_show(choice):
    results = results_of(choice)
    told = embed.told(results, "demo.html", served=True)
    words = {name: ",".join(word for word, _ in told[part]) for name, part in WORDS_OF.items()}
    shown, notices = excerpt.from_query(words, choice)
    assert notices == [] and len(shown.show) == len(told["parts"]) and set(told["show"]) <= set(shown.show)
    assert ("pi" in shown.show) == (choice is FREE), "of the plots those of what the motion keeps"
    assert from_query(told["query"]) == (choice, [])
    assert embed.told(results, "demo.html", served=False)["query"] is None
    assert embed.told(results, "demo.html", True, View("body"))["query"]["picture"] == "body"
    menu = Takeaway()
    menu.show(results)
    assert not len(menu.dialogs)
    press(menu.panel, "embed")
    press(menu.panel, "embed")
    assert list(menu.dialogs) == menu.dialogs.select(embed.Embed) and len(menu.dialogs) == 1


WORDS_OF = {"show": "parts", "controls": "controls"}
