"""The site of static files: its links resolve within it, and what is missing is said."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

import engine
from app import static_site
from app.model.presets import OF_TWO_BODIES, PRESETS
from engine.shell.cli import main

FEW = (PRESETS[0], PRESETS[-1], OF_TWO_BODIES[0])


@pytest.fixture
def without_documentation(monkeypatch, tmp_path):
    monkeypatch.setattr(static_site, "DOCS", tmp_path / "nowhere")


class Links(HTMLParser):
    """The addresses that a page leads to."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        self.found += [value for name, value in attributes if name in ("href", "src") and value]


def broken(folder):
    """Links of the site's own pages that lead nowhere, or out of it."""
    return [
        f"{page.name}: {link}"
        for page in (folder / "index.html", folder / "gallery" / "index.html")
        for link in Links(page).found
        if not link.startswith("data:")
        and (re.match(r"\w+:|/", link) or not (page.parent / unquote(link).partition("#")[0]).is_file())
    ]


@pytest.mark.usefixtures("without_documentation")
def test_its_links_resolve_within_it(tmp_path):
    heard = []
    missing = static_site.made(tmp_path / "site", FEW, lambda *done: heard.append(done))
    assert missing == ["The documentation is made in Polhode's own folder alone, and is left out."]
    assert heard == [(1, 3), (2, 3), (3, 3)]
    assert broken(tmp_path / "site") == []
    gallery = (tmp_path / "site" / "gallery" / "index.html").read_text(encoding="utf-8")
    for preset in FEW:
        assert preset.title in unescape(gallery) and preset.sentence in unescape(gallery)
        assert f"{preset.key}.html" in gallery
    assert gallery.count("<svg ") == 3 + gallery.count("<svg x=") and "<!--" not in gallery
    assert unescape(gallery).count('<iframe sandbox="allow-scripts"') == 3
    (tmp_path / "site" / "gallery" / f"{FEW[0].key}.html").unlink()
    assert len(broken(tmp_path / "site")) == 3, "a link that leads nowhere is seen"


@pytest.mark.usefixtures("without_documentation")
def test_it_is_made_anew_where_it_was_and_nowhere_else(tmp_path):
    static_site.made(tmp_path / "site", FEW[:1])
    static_site.made(tmp_path / "site", FEW[:1])
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").write_text("")
    with pytest.raises(ValueError, match="holds something else"):
        static_site.made(tmp_path / "other", FEW)


def test_every_preset_has_a_name_of_its_own():
    keys = [preset.key for preset in (*PRESETS, *OF_TWO_BODIES)]
    assert len(set(keys)) == len(keys)


def test_a_picture_shows_how_the_energy_departs():
    preset = PRESETS[0]
    drawing = static_site.picture(preset)
    assert drawing.count("<polyline") == len(preset.choice.methods)
    assert engine.algorithm(preset.choice.methods[0]).label in drawing


@pytest.mark.usefixtures("without_documentation")
def test_the_command_makes_it(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(static_site.made, "__defaults__", (FEW[:1], *static_site.made.__defaults__[1:]))
    assert main(["site", str(tmp_path / "site"), "--quiet"]) == 0
    told = capsys.readouterr()
    assert "MB of static files" in told.out and "is left out" in told.err
    assert main(["site"]) == 2 and "site needs a folder" in capsys.readouterr().err
