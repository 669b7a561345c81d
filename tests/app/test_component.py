"""The page's own components: what of a change reaches their models, and what it takes."""

from __future__ import annotations

import pytest
from bokeh.document import Document
from panel.theme.material import Material

from app.views.sheet import Sheet

BLUE = "p { color: blue }"


@pytest.fixture
def sheet() -> Sheet:
    return Sheet(html="<p>before</p>", style="p { color: red }", design=Material)


def test_a_change_does_not_ask_the_theme(sheet, monkeypatch):
    model = sheet.get_root(Document())
    monkeypatch.setattr(sheet._design, "params", lambda *_, **__: pytest.fail("the theme was asked"))
    sheet.html = "<p>after</p>"
    assert model.data.html == "<p>after</p>"


def test_a_style_stands_with_those_of_the_theme(sheet):
    model = sheet.get_root(Document())
    before = len(model.stylesheets)
    sheet.stylesheets = [BLUE]
    assert BLUE in model.stylesheets
    assert len(model.stylesheets) == before > 3
