"""Live demos in the documentation: a directive that builds one, and a frame that loads it when
visible.
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import app as page
import engine
from app.demos.demo_folder import DemoFolder

PARTS = {"so3": "poinsot,energy,attitude", "se3": "space,energy,attitude"}
"""The parts of a demo in a frame, by the space of the problem."""


class LiveDemo(SphinxDirective):
    """The directive `demo`: a problem and methods, and below them the caption."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar = {"dt": float, "duration": float}

    def run(self) -> list[nodes.Node]:
        """Return the frame, its caption, and a link to the whole demo."""
        problem, *methods = self.arguments[0].split()
        demo = page.demo(problem, methods, **self.options)
        name = re.sub(
            r"[^\w.-]+",
            "-",
            " ".join([problem, *methods, *(f"{k}{x:g}" for k, x in self.options.items())]),
        )
        DemoFolder(Path(self.env.app.outdir) / self.config.demos).add(name, demo)
        address = f"{'../' * self.env.docname.count('/')}{self.config.demos}/{name}.html"
        words = f"#show={PARTS[engine.problem(problem).space]}&controls=dt,methods&caption=&play=no"
        frame = f'<iframe loading="lazy" src="{escape(address + words)}" title="Live: {escape(demo.title)}"></iframe>'
        whole = (
            f'<p><a href="{escape(address)}">The whole demo</a>, with all that can be changed.</p>'
        )
        node = nodes.container("", nodes.raw("", frame, format="html"), classes=["demo"])
        self.state.nested_parse(self.content, self.content_offset, node)
        node += nodes.raw("", whole, format="html")
        return [node]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive and the folder of the demos, relative to these pages."""
    app.add_config_value("demos", "demos", "html", str)
    app.add_directive("demo", LiveDemo)
    return {"parallel_read_safe": True}
