"""The lab without a server: a page on which a visitor chooses a problem and methods, which run in
the browser.

It consists of texts in a folder of demos: for each problem its demo without methods, for each of its methods
a text with the kernel, and a list of all. The script `assets/js/demo/assemble.js` assembles the page
of the choice in the address.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import Any

import engine
from engine.problems import find_problem

from ..asset_files import SCRIPTS, bundle_script, read_html, read_styles, strip_comments
from ..state.choice import MOST_METHODS, choose_problem
from ..state.labs import LABS
from ..state.ledger import EXACT
from ..state.pages.choice_lists import list_methods, list_problems
from ..state.results import COLOURS
from .demo_folder import DemoFolder
from .live import Demo, build_demo, build_modules

NAME = "lab"
TITLE = "The lab without a server · Polhode"

Pairs = Mapping[str, Sequence[str]]
"""Methods by the problems on which they may run."""


def list_pairs() -> dict[str, list[str]]:
    """Each problem with all methods that take steps of one size; some may not run on it. Of given
    rates it has variants too, such as the updates of flight controllers.
    """
    methods = {
        space: [
            name
            for method in engine.algorithms(space)
            if not method.adaptive and method.key != EXACT
            for name in (method.key, *(method.variants if lab.offers_variants else ()))
        ]
        for space, lab in LABS.items()
    }
    return {
        problem.key: methods[problem.space] for space in LABS for problem in engine.problems(space)
    }


def add_lab(
    folder: DemoFolder,
    pairs: Pairs,
    help_page: str = "",
    progress: Callable[[], Any] = lambda: None,
) -> None:
    """Add the lab with these pairs to a folder of demos; `progress` is called after each pair.

    `help_page` is the address of the documentation, if there is one.
    """
    available: dict[str, dict[str, Sequence[str]]] = {}
    for key, labels in pairs.items():
        chosen = choose_problem(key)
        choice = replace(chosen, methods=())
        demo = build_demo(choice)
        folder.add_texts({**demo.texts, f"{NAME}-{key}": demo.page})
        ready = []
        for label in labels:
            try:
                (line,) = build_modules(replace(choice, methods=(label,))).data
            except ValueError:  # the method does not run on this problem, or in no browser
                pass
            else:
                folder.add_texts({f"{NAME}-{key}-{label}": json.dumps(line, ensure_ascii=False)})
                ready.append(label)
            progress()
        first = [label for label in chosen.methods if label in ready] or ready[:1]
        available[key] = {"methods": ready, "first": first}
    script = strip_comments(bundle_script(SCRIPTS / "demo/lab.js")).replace(
        "</script", "<\\/script"
    )
    install = (
        f"; its <a href='{escape(help_page)}'>documentation</a> explains the installation"
        if help_page
        else ""
    )
    controls = read_html(
        "lab", STYLE=read_styles("field", "picker"), SCRIPT=script, INSTALL=install
    )
    parts = {
        "problems": [group for space in LABS for group in _keep(list_problems(space), available)],
        "methods": {
            key: _keep(list_methods(find_problem(key).space), one["methods"])
            for key, one in available.items()
        },
        "available": available,
        "colours": COLOURS[:MOST_METHODS],
        "controls": controls,
    }
    folder.add(NAME, Demo(TITLE, json.dumps(parts, ensure_ascii=False), {}))


def _keep(groups: Any, keys: Any) -> list[Any]:
    """The groups of a picker with the entries of these keys only."""
    kept = [(name, [entry for entry in entries if entry[0] in keys]) for name, entries in groups]
    return [(name, entries) for name, entries in kept if entries]
