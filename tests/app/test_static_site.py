"""The static site: its links resolve within it, and it reports missing parts."""

from __future__ import annotations

import errno
import json
import re
import shutil
import xml.etree.ElementTree as ET
import zipfile
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from unittest import mock
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest
import small_site

import engine
from app.demos import live, static_lab, static_site
from app.demos.demo_folder import DemoFolder
from app.state.choice import choose_problem
from app.state.labs import LABS
from app.state.presets import ALL_PRESETS, PRESETS, list_presets
from app.state.results import COLOURS
from engine.cli.command import main

FEW = (PRESETS[0], PRESETS[-1], list_presets("se3")[0])


every_pair = static_lab.list_pairs


@pytest.fixture(autouse=True)
def small_lab(monkeypatch):
    monkeypatch.setattr(static_lab, "list_pairs", lambda: small_site.PAIRS)


@pytest.fixture
def without_documentation(monkeypatch):
    monkeypatch.setattr(static_site, "find_documentation", lambda: None)


class Links(HTMLParser):
    """The addresses that a page links to, except papers, and those that it loads."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = [value for name, value in attributes if name in ("href", "src") and value]
        self.found += [
            value for value in given if not (tag == "a" and value.startswith("https://"))
        ]


def broken(folder):
    """Return broken links of the site's pages, loads from other hosts, and texts that demos
    lack.
    """
    links = [
        (page, urlsplit(link)) for page in folder.rglob("*.html") for link in Links(page).found
    ]
    found = [
        f"{page.name}: {link.geturl()}"
        for page, link in links
        if link.scheme != "data"
        and (
            link.scheme
            or link.path.startswith("/")
            or not (page.parent / unquote(link.path or page.name)).is_file()
        )
    ]
    for page in (folder / "demos").glob("*.html"):
        text = read_script(page.with_suffix(".js"))
        found += [
            f"{page.name}: {name}"
            for name in MARK.findall(text)
            if not page.with_name(f"{name}.js").is_file()
        ]
    return found


MARK = re.compile(r"<!--(\w+)-->")


def read_script(script):
    """Return the text that a script of the folder provides."""
    name, text = json.loads(
        f"[{script.read_text(encoding='utf-8').strip()[len('polhodeText(') : -len(');')]}]"
    )
    assert name == script.stem
    return text


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site") / "some" / "where"
    assert small_site.make_site(folder, FEW, tmp_path_factory.mktemp("work")) == []
    return folder


@pytest.mark.exhaustive
def test_all_links_and_frames_resolve_within_it(site, tmp_path):
    assert broken(site) == []
    pages = {page.relative_to(site).as_posix(): Links(page).found for page in site.rglob("*.html")}
    assert {
        f"docs/{name}"
        for name in ("index.html", "methods/index.html", "problems/index.html", "papers.html")
    } <= {*pages["index.html"]}
    framed = [
        link
        for link in pages[f"docs/methods/{small_site.METHOD}.html"]
        if link.startswith("../../demos/")
    ]
    assert len(framed) == 2, "in a frame, and as a link"
    assert "../index.html" in pages["docs/index.html"] and "polhode.zip" in pages["index.html"]
    copy = shutil.copytree(site, tmp_path / "copy")
    (copy / "demos" / f"{FEW[0].key}.html").unlink()
    next(
        script
        for script in (copy / "demos").glob("*.js")
        if script.stem in read_script(copy / "demos" / "first.js")
    ).unlink()
    assert len(broken(copy)) > 3, "the check finds missing files"


@pytest.mark.exhaustive
def test_demos_share_what_they_have_alike_and_are_whole(site):
    for preset in FEW:
        page = read_script(site / "demos" / f"{preset.key}.js")
        assert len(page) < 50_000
        whole = MARK.sub(lambda found: read_script(site / "demos" / f"{found[1]}.js"), page)
        assert whole == live.build_demo(preset.choice).html
    sizes = [len(live.build_demo(preset.choice).html) for preset in FEW]
    assert sum(file.stat().st_size for file in (site / "demos").iterdir()) < sum(sizes)


def test_the_lab_offers_each_problem_and_each_method_with_fixed_steps():
    pairs = every_pair()
    browsers = [problem for space in LABS for problem in engine.problems(space)]
    assert set(pairs) == {problem.key for problem in browsers}
    for key, labels in pairs.items():
        every = engine.algorithms(engine.problem(key).space)
        assert {method.key for method in every} - set(labels) == {
            method.key for method in every if method.adaptive or method.key == "EXACT"
        }


def test_the_lab_has_the_updates_of_flight_controllers(tmp_path):
    updates = {"px4", "ardupilot", "betaflight", "INAV"}
    assert updates <= set(every_pair()["coning"])
    static_lab.add_lab(DemoFolder(tmp_path), {"coning": sorted(updates)})
    parts = json.loads(read_script(tmp_path / "lab.js"))
    assert set(parts["available"]["coning"]["methods"]) == updates
    assert {entry[0] for _, entries in parts["methods"]["coning"] for entry in entries} == updates


def test_the_lab_begins_with_methods_that_fit_each_problem(tmp_path):
    static_lab.add_lab(DemoFolder(tmp_path), {"gyrostat": ["NMB", "CG2", "GAUSS", "RK-MEAN"]})
    available = json.loads(read_script(tmp_path / "lab.js"))["available"]
    assert available == {
        "gyrostat": {"methods": ["CG2", "GAUSS", "RK-MEAN"], "first": ["RK-MEAN", "GAUSS"]}
    }


def test_the_lab_lists_what_runs_and_has_a_text_for_each(tmp_path):
    heard = []
    pairs = {"free": ["NMB", "DOP853", "RK4-QUAT"], "slow-top": ["NMB"]}
    static_lab.add_lab(DemoFolder(tmp_path), pairs, "../docs/index.html", lambda: heard.append(1))
    parts = json.loads(read_script(tmp_path / "lab.js"))
    assert len(heard) == 4
    assert parts["available"] == {
        "free": {"methods": ["NMB", "RK4-QUAT"], "first": ["NMB"]},
        "slow-top": {"methods": ["NMB"], "first": ["NMB"]},
    }
    assert [entry[0] for _, entries in parts["problems"] for entry in entries] == [
        "free",
        "slow-top",
    ]
    assert {entry[0] for _, entries in parts["methods"]["free"] for entry in entries} == {
        "NMB",
        "RK4-QUAT",
    }
    assert "../docs/index.html" in parts["controls"] and (tmp_path / "lab.html").is_file()
    for key, one in parts["available"].items():
        demo = live.build_demo(replace(choose_problem(key), methods=tuple(one["methods"])))
        lines = [
            json.loads(read_script(tmp_path / f"lab-{key}-{label}.js")) for label in one["methods"]
        ]
        whole = MARK.sub(
            lambda found: read_script(tmp_path / f"{found[1]}.js"),
            read_script(tmp_path / f"lab-{key}.js"),
        )
        expected = read_data(demo.html)
        assert read_data(whole) | {"lines": lines} == expected | {
            "lines": [line | {"colour": COLOURS[0]} for line in expected["lines"]]
        }


def read_data(page):
    """Return the data in the page of a demo."""
    return json.loads(re.search(r'<script type="application/json" id="data">([^<]*)<', page)[1])


@pytest.mark.exhaustive
def test_the_archive_holds_all_of_it(site):
    with zipfile.ZipFile(site / "polhode.zip") as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    files = [file for file in site.rglob("*") if file.is_file() and file.name != "polhode.zip"]
    assert {f"polhode/{file.relative_to(site).as_posix()}" for file in files} == set(held)
    assert not [name for name in held if name.endswith((".doctree", ".pickle"))], (
        "what Sphinx builds with stays out"
    )
    assert (
        b"polhode.zip" not in held["polhode/index.html"]
        and b"docs/papers.html" in held["polhode/index.html"]
    )


@pytest.mark.exhaustive
@pytest.mark.usefixtures("without_documentation")
def test_without_documentation_the_gallery_is_there(tmp_path):
    heard = []
    missing = static_site.write_site(
        tmp_path / "site", FEW, lambda *done: heard.append(done), ["poinsot"]
    )
    assert missing == [
        "The documentation is left out: run this in the project's folder, which has its sources."
    ]
    of = len(FEW) + sum(map(len, small_site.PAIRS.values()))
    assert heard == [(done, of) for done in range(1, of + 1)]
    assert broken(tmp_path / "site") == []
    assert "demos/lesson-poinsot.html" in (tmp_path / "site" / "index.html").read_text(
        encoding="utf-8"
    )
    gallery = (tmp_path / "site" / "gallery" / "index.html").read_text(encoding="utf-8")
    for preset in FEW:
        assert preset.title in unescape(gallery) and preset.sentence in unescape(gallery)
        assert f"../demos/{preset.key}.html" in gallery
    assert gallery.count("<svg ") == 3 + gallery.count("<svg x=") and "<!--" not in gallery
    assert unescape(gallery).count('<iframe sandbox="allow-scripts"') == 3
    identifiers = re.findall(r"id='([^']*)'", gallery)
    assert all(re.fullmatch("[a-z0-9_.-]+", name) for name in identifiers), identifiers
    assert set(re.findall(r"href='#([^']*)'", gallery)) <= set(identifiers)


def test_an_installed_lab_finds_the_documentation_in_the_working_directory(monkeypatch, tmp_path):
    sources = Path(__file__).parents[2] / "docs"
    assert static_site.find_documentation() == sources
    monkeypatch.setattr(static_site, "PROJECT", tmp_path / "site-packages")
    monkeypatch.chdir(sources.parent)
    assert static_site.find_documentation() == sources
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "conf.py").write_text("")  # of another project
    monkeypatch.chdir(tmp_path)
    assert static_site.find_documentation() is None


@pytest.mark.exhaustive
@pytest.mark.usefixtures("without_documentation")
def test_it_is_made_anew_where_it_was_and_nowhere_else(tmp_path):
    static_site.write_site(tmp_path / "site", FEW[:1], taught=())
    static_site.write_site(tmp_path / "site", FEW[:1], taught=())
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").write_text("")
    with pytest.raises(ValueError, match="contains other files"):
        static_site.write_site(tmp_path / "other", FEW)


@pytest.mark.parametrize("there", [False, True])
@pytest.mark.usefixtures("without_documentation")
def test_a_full_disk_leaves_what_was_there(tmp_path, monkeypatch, there):
    folder = tmp_path / "site"
    if there:
        folder.mkdir()
        for name in (static_site.MARK, "index.html"):
            (folder / name).write_text("earlier")
    before = sorted(folder.rglob("*"))
    full = OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(static_site, "_pack", mock.Mock(side_effect=full))
    with pytest.raises(OSError, match="No space left on device") as raised:
        static_site.write_site(folder, FEW[:1], taught=(), pairs={})
    assert raised.value.filename == str(folder)
    assert sorted(folder.rglob("*")) == before and folder.exists() == there


def test_every_preset_has_a_name_of_its_own():
    keys = [preset.key for preset in ALL_PRESETS]
    assert len(set(keys)) == len(keys)


def test_a_picture_shows_how_the_energy_departs():
    preset = PRESETS[0]
    drawing = static_site.draw_picture(preset)
    assert drawing.count("<polyline") == len(preset.choice.methods)
    assert engine.algorithm(preset.choice.methods[0]).label in drawing
    frame = ET.fromstring(drawing).find("{*}svg")
    lines = frame.findall("{*}polyline")
    points = np.array([pair.split(",") for line in lines for pair in line.get("points").split()])
    x, y = points.astype(float).T
    assert x.min() == 0 and x.max() == pytest.approx(float(frame.get("width")))
    height = float(frame.get("height"))
    y = y[x > 0]  # at the start the error is zero, which has no logarithm
    inside = (y >= 0) & (y <= height)
    assert inside.mean() > 0.9 and np.ptp(y[inside]) > height / 2


@pytest.mark.usefixtures("without_documentation")
@pytest.mark.exhaustive
def test_the_command_makes_it(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(
        static_site.write_site, "__defaults__", (FEW[:1], *static_site.write_site.__defaults__[1:])
    )
    assert main(["site", str(tmp_path / "site"), "--quiet"]) == 0
    report = capsys.readouterr()
    assert "MB of static files" in report.out and "is left out" in report.err
    assert main(["site"]) == 2 and "site needs a folder" in capsys.readouterr().err
