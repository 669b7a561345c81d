"""A small site that is built in seconds: few demos, and a documentation of one method's page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import engine
from app.demos import static_site
from app.state.presets.preset import Preset

DOCS = Path(engine.__file__).resolve().parents[1] / "docs"
METHOD = "DMV"
PAIRS = {
    "free": ["NMB", "AKW", "DMV", "RK4-QUAT", "MR2"],
    "slow-top": ["NMB", "RK4-QUAT"],
    "dumbbells": ["LGVI", "RK2"],
}
"""What the site's lab has."""
CONF = f"""
import runpy, sys
from pathlib import Path

DOCS = Path({str(DOCS)!r})
sys.path.insert(0, str(DOCS))
import engine
import pages

globals().update(runpy.run_path(str(DOCS / "conf.py")))
html_favicon = str(DOCS / html_favicon)
html_static_path = [str(DOCS / path) for path in html_static_path]
templates_path = [str(DOCS / path) for path in templates_path]


def setup(app):  # in place of the one that writes all pages
    method = engine.algorithm({METHOD!r})
    texts = {{
        "index": "# Small\\n\\n```{{toctree}}\\n:glob:\\n\\n*\\n*/*\\n```",
        "papers": "# Papers\\n\\n" + pages.claims_table(pages.papers.load_verdicts().measured),
        "problems/index": "# Problems",
        "methods/index": f"# Methods\\n\\n## {{method.family}}",
        "methods/{METHOD}": pages.method_page(method, ()),
    }}
    for name, text in texts.items():
        file = Path(app.srcdir) / f"{{name}}.md"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
"""


def make_site(folder: Path, presets: Sequence[Preset], work: Path) -> list[str]:
    """Write the site into a folder; `work` is an empty folder for the documentation's sources."""
    (work / "conf.py").write_text(CONF, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(static_site, "find_documentation", lambda: work)
        return static_site.write_site(folder, presets, taught=(), pairs=PAIRS)
