"""The page's components: which changes reach their models, and at what cost."""

from __future__ import annotations

import re
from pathlib import Path

import panel as pn
import pytest
from bokeh.document import Document
from bokeh.models import Div
from covering import first
from drawing import carried_out
from jinja2 import Template
from page_driver import record_messages, send_message
from panel.io.state import set_curdoc
from panel.theme.material import Material

from app.asset_files import ASSETS, SCRIPTS, bundle_script, list_shared_imports, read_styles
from app.browser.component import Component
from app.browser.page_links import PAGES
from app.compat.templates import Plain
from app.pages.frame import whole_page
from app.pages.routes import open_page
from app.scene.player import Player
from app.state.form_fields import FormField
from app.views.controls.form import Form
from app.views.dialogs.html_block import HtmlBlock

BLUE = "p { color: blue }"


@pytest.fixture
def block() -> HtmlBlock:
    return HtmlBlock(html="<p>before</p>", style="hint", design=Material)


def test_a_change_does_not_ask_the_theme(block, monkeypatch):
    model = block.get_root(Document())
    monkeypatch.setattr(Material, "params", lambda *_, **__: pytest.fail("the page read the theme"))
    block.html = "<p>after</p>"
    assert model.data.html == "<p>after</p>"


def test_a_style_stands_with_those_of_the_theme(block):
    model = block.get_root(Document())
    before = len(model.stylesheets)
    block.stylesheets = [BLUE]
    assert BLUE in model.stylesheets
    assert len(model.stylesheets) == before > 3
    assert not [style for style in model.stylesheets if "loading" in str(style)], (
        "none of them is ever loading"
    )


def test_a_page_lets_its_parts_look_as_they_are(monkeypatch):
    """No component fetches a theme's styles, and adding a part does not search the others."""
    document = Document()
    with set_curdoc(document):
        monkeypatch.setattr(pn.config, "design", Plain)
        parts = [HtmlBlock(html=f"<p>{name}</p>") for name in ("main", "beside")]
        monkeypatch.setattr(HtmlBlock, "__repr__", lambda _: pytest.fail("a part was written out"))
        whole_page("lab", *parts).server_doc(document)
    assert len(document.roots) == 2
    # With each change Panel tries names that a model may not have; Bokeh would look for similar
    # ones.
    with pytest.raises(AttributeError, match=r"unexpected attribute 'texd' to Div$"):
        Div(texd="")
    urls = [
        style.url
        for model in document.models
        for style in getattr(model, "stylesheets", [])
        if hasattr(style, "url")
    ]
    assert not [url for url in urls if "/theme/" in url]


APP = {
    path: path.read_text(encoding="utf-8")
    for path in (Path(__file__).parents[2] / "app").rglob("*.py")
}


def test_what_things_look_like_stands_in_files_and_every_file_is_used():
    pattern = r"(?:read_styles|style_file|_styles = |style=|HtmlBlock)[^\n]*"
    calls = [call for text in APP.values() for call in re.findall(pattern, text)]
    named = {
        name
        for call in calls
        for text in re.findall(r'"([a-z -]+)"', call)
        for name in text.split()
    }
    scripts = "".join(path.read_text(encoding="utf-8") for path in SCRIPTS.rglob("*.js"))
    named |= set(re.findall(r"loadStyle\(\"([a-z-]+)\"\)", scripts))
    files = {path.stem for path in (ASSETS / "styles").glob("*.css")}
    assert files - {"page"} <= named
    assert "page.css" in (ASSETS / "html" / "frame.html").read_text(encoding="utf-8")
    css = re.compile(r"^[^\s/*][^{\n]*\{\s+[a-z-]+: [^;{}]+;", re.M)
    assert css.search((ASSETS / "styles" / "ledger.css").read_text())
    assert not [path.name for path, text in APP.items() if css.search(text)]


def test_no_text_is_smaller_than_twelve_pixels():
    for style in (
        *(ASSETS / "styles").glob("*.css"),
        *(ASSETS.parent / "docs" / "_static").glob("*.css"),
    ):
        sizes = re.findall(r"font(?:-size)?: [^;{}]*?([\d.]+)px", style.read_text(encoding="utf-8"))
        assert [size for size in sizes if float(size) < 12] == [], style.name


def test_a_component_carries_its_rules_and_no_comment_on_them():
    style = HtmlBlock(style="hint study-form").stylesheets[0]
    assert style == read_styles("hint", "study-form") and "/*" not in style
    assert ".about {" in style and "#run {" in style


IMPORT = re.compile(r"^import .*", re.M)


def test_a_bundle_runs_each_module_once_and_has_also_what_is_imported_later(tmp_path):
    """Other modules cannot use a name that a module does not export."""
    (tmp_path / "core").mkdir()
    (tmp_path / "core/one.js").write_text(
        'const own = 1;\nconsole.log("once");\nexport function twice(x) {\n  return (1 + own) * x;\n}\n'
    )
    (tmp_path / "two.js").write_text(
        'import {twice as double} from "./core/one.js";\nexport const four = double(2);\n'
    )
    (tmp_path / "three.js").write_text(
        'import {four} from "./two.js";\nimport {twice} from "./core/one.js";\nconst own = 3;\n'
        "console.log(twice(four) + own);\n"
    )
    (tmp_path / "core/four.js").write_text('console.log((await import("../two.js")).four);\n')
    assert carried_out(bundle_script(tmp_path / "three.js")) == "once\n11\n"
    assert carried_out(bundle_script(tmp_path / "core/four.js")) == "once\n4\n"
    assert "two.js" in bundle_script(tmp_path / "core/four.js", lazy=False)
    assert (
        bundle_script(tmp_path / "three.js", shared=tmp_path / "core").count('from "./core/one.js"')
        == 1
    )
    model = Player().get_root(Document())
    assert all(
        f"function {name}" in model.esm for name in ("buildScene", "turnBody")
    ) and not IMPORT.search(model.esm)


def test_every_import_of_the_scripts_can_be_bundled():
    """`asset_files` reads one form of import only; in a bundle, names of modules must be unique."""
    scripts = list(SCRIPTS.rglob("*.js"))
    assert len({script.stem for script in scripts}) == len(scripts)
    assert not [script.name for script in scripts if IMPORT.search(bundle_script(script))]


@pytest.mark.exhaustive
@pytest.mark.parametrize("page", first(PAGES))
def test_what_scripts_import_is_asked_for_with_the_page(page):
    """Of its components and its frame."""
    template = open_page(f"?page={page}")[0]
    expected = list_shared_imports(
        {SCRIPTS / "core/frame.js", *(SCRIPTS / part.script for part in template.select(Component))}
    )
    document = template.server_doc(Document())
    head = Template("{% block postamble %}{% endblock %}")
    html = document.template.render(
        document.template_variables | {"base": head, "bokeh_js": "", "plot_script": ""}
    )
    asked = re.findall(r'rel="modulepreload" href="static/extensions/polhode/(.*?)"', html)
    assert asked == expected and all((ASSETS / script).is_file() for script in asked)
    assert ("js/core/algebra.js" in asked) == (
        page in ("lab", "two-bodies", "gyroscope", "engines")
    )


def test_an_entry_that_leaves_its_own_field_as_it_was_is_answered():
    fields = [FormField(name, name.upper(), "", "text") for name in "ab"]
    form = Form(
        lambda name, text, dragging: form.set_values({"b": text}),
        fields=fields,
        values={"a": "1", "b": "2"},
    )
    heard = record_messages(form)
    send_message(form, {"name": "b", "text": "3"})
    assert form.values == {"a": "1", "b": "3"} and not heard, "the new value is the answer"
    send_message(form, {"name": "b", "text": "3"})
    send_message(form, {"name": "a", "text": "4"})
    assert form.values == {"a": "1", "b": "4"} and heard == [{"answered": "b"}, {"answered": "a"}]
