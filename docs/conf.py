"""How Sphinx builds these pages: `sphinx-build -W -n docs docs/_build` from the project's
folder.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
if importlib.util.find_spec("engine") is None:
    sys.path.insert(0, str(HERE.parent))

import pages  # noqa: E402  (it lies beside this file)

project = "Polhode"
author = "the Polhode authors"
copyright = f"2026, {author}"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "mathml", "demos"]
exclude_patterns = ["_build"]
default_role = "literal"  # docstrings mark code by single backticks

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_attr_annotations = False
napoleon_use_ivar = True
python_use_unqualified_type_names = True
# What the standard library, NumPy and pandas have is not linked: no page is fetched while these are
# built.
nitpick_ignore_regex = [("py:.*", r"(?!engine).*")]

man_pages = [("shell", "polhode", "how time integrators treat a rotating rigid body", author, 1)]

html_theme = "furo"
html_title = "Polhode"
html_math_renderer = "mathml"
html_favicon = "../assets/icon.svg"
html_static_path = ["_static", "../assets/fonts/stix-two-math.woff2", "../assets/fonts/OFL.txt"]
html_css_files = ["polhode.css"]
html_copy_source = html_show_sourcelink = False
_STYLE = (HERE.parent / "assets/styles/page.css").read_text(encoding="utf-8")
_FONT = _STYLE.partition("--bokeh-base-font: ")[2].partition(";")[0]
"""The font of the page."""
html_theme_options = {
    "navigation_with_keys": True,
    "light_css_variables": {"font-stack": _FONT, "font-stack--headings": _FONT},
}
templates_path = ["_templates"]
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "site.html",  # the way to the site that these pages are part of, if they are
        *(
            f"sidebar/{part}.html"
            for part in ("search", "scroll-start", "navigation", "scroll-end")
        ),
    ]
}


def _docstring(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Docstrings as Sphinx reads them: |π| is no substitution, and `name : words` has no type
    before the words.
    """
    rows: list[str] = []
    in_list = False
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if re.fullmatch("-{3,}", below):
            in_list = line in ("Parameters", "Attributes")
        around = line.split("`")  # every other part is code
        around[::2] = [words.replace("|", r"\|") for words in around[::2]]
        line = "`".join(around)
        name, is_entry, words = line.partition(" : ")
        rows += [name, f"    {words}"] if in_list and is_entry and name[:1].strip() else [line]
    lines[:] = rows


def setup(app: Sphinx) -> None:
    """The pages that are made from what is registered are written before Sphinx looks for pages."""
    app.connect("builder-inited", lambda app: pages.write(Path(app.srcdir)))
    app.connect("autodoc-process-docstring", _docstring, priority=400)  # before Napoleon
