"""The page's own components: what of a change reaches their models, and what it takes."""

from __future__ import annotations

import re
from pathlib import Path

import panel as pn
import pytest
from bokeh.document import Document
from drawing import carried_out
from jinja2 import Template
from panel.io.state import set_curdoc
from panel.theme.material import Material

from app.bundle import ASSETS, joined, rules
from app.component import Component
from app.pages import opened
from app.player.component import Player
from app.shell import PAGES, Plain, whole_page
from app.views.sheet import Sheet

BLUE = "p { color: blue }"


@pytest.fixture
def sheet() -> Sheet:
    return Sheet(html="<p>before</p>", style="about", design=Material)


def test_a_change_does_not_ask_the_theme(sheet, monkeypatch):
    model = sheet.get_root(Document())
    monkeypatch.setattr(Material, "params", lambda *_, **__: pytest.fail("the theme was asked"))
    sheet.html = "<p>after</p>"
    assert model.data.html == "<p>after</p>"


def test_a_style_stands_with_those_of_the_theme(sheet):
    model = sheet.get_root(Document())
    before = len(model.stylesheets)
    sheet.stylesheets = [BLUE]
    assert BLUE in model.stylesheets
    assert len(model.stylesheets) == before > 3
    assert not [style for style in model.stylesheets if "loading" in str(style)], "none of them is ever loading"


def test_a_page_lets_its_parts_look_as_they_are(monkeypatch):
    """No component of it fetches a theme's styles, and no part is looked through for each that is added."""
    document = Document()
    with set_curdoc(document):
        monkeypatch.setattr(pn.config, "design", Plain)
        parts = [Sheet(html=f"<p>{name}</p>") for name in ("main", "beside")]
        monkeypatch.setattr(Sheet, "__repr__", lambda _: pytest.fail("a part was written out"))
        whole_page("lab", *parts).server_doc(document)
    assert len(document.roots) == 2
    urls = [
        style.url for model in document.models for style in getattr(model, "stylesheets", []) if hasattr(style, "url")
    ]
    assert not [url for url in urls if "/theme/" in url]


APP = {path: path.read_text() for path in (Path(__file__).parents[2] / "app").rglob("*.*") if path.suffix != ".pyc"}


def test_what_things_look_like_stands_in_files_and_every_file_is_used():
    calls = [call for text in APP.values() for call in re.findall(r"(?:rules|fetched|style=|Sheet)[^\n]*", text)]
    named = {name for call in calls for text in re.findall(r'"([a-z ]+)"', call) for name in text.split()}
    scripts = "".join(path.read_text(encoding="utf-8") for path in ASSETS.glob("*.js"))
    named |= set(re.findall(r"styles/([a-z]+)\.css", scripts))
    files = {path.stem for path in (ASSETS / "styles").glob("*.css")}
    assert files - {"page"} <= named and "styles/page.css" in "".join(APP.values())
    css = re.compile(r"^[^\s/*][^{\n]*\{ [a-z-]+: [^;{}]+;.*\}$", re.M)
    assert css.search((ASSETS / "styles" / "ledger.css").read_text())
    assert not [path.name for path, text in APP.items() if path.suffix == ".py" and css.search(text)]


def test_a_component_carries_its_rules_and_no_comment_on_them():
    style = Sheet(style="about asking").stylesheets[0]
    assert style == rules("about", "asking") and ".about {" in style and "#run {" in style and "/*" not in style


def test_a_script_has_what_it_imports_with_it_where_there_is_no_server(tmp_path):
    """Also what it imports later; a name that a module does not export is not seen by others."""
    (tmp_path / "one.js").write_text("const own = 1;\nexport function twice(x) {\n  return (1 + own) * x;\n}\n")
    (tmp_path / "two.js").write_text('import {twice as double} from "./one.js";\nexport const four = double(2);\n')
    (tmp_path / "three.js").write_text('import {four} from "./two.js";\nconst own = 3;\nconsole.log(four + own);\n')
    (tmp_path / "four.js").write_text('console.log((await import("./one.js")).twice(await 4));\n')
    assert carried_out(joined(tmp_path / "three.js")) == "7\n" and carried_out(joined(tmp_path / "four.js")) == "8\n"
    model = Player().get_root(Document())
    assert all(f"function {name}" in model.esm for name in ("sceneOf", "turning")) and '"./' not in model.esm


@pytest.mark.parametrize("page", PAGES)
def test_what_scripts_import_is_asked_for_with_the_page(page):
    """Of the page's own components."""
    shown = opened(f"?page={page}")[0].select(Component)
    scripts = {Path(part._bundle) for part in shown}
    imported = {
        name for script in scripts for name in re.findall(r'^import .* from "\./(.*)";$', script.read_text(), re.M)
    }
    document = whole_page(page, Sheet(html="<p>main</p>")).server_doc(Document())
    head = Template("{% block postamble %}{% endblock %}")
    html = document.template.render(document.template_variables | {"base": head, "bokeh_js": "", "plot_script": ""})
    asked = re.findall(r'rel="modulepreload" href="static/extensions/polhode/(.*?)"', html)
    assert len(asked) == len(imported) and set(asked) == imported
    assert ("scene.js" in asked) == (page in ("lab", "two-bodies", "engines"))
