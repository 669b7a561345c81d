"""Lessons without a server: the text beside live demos of its settings, in one file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..asset_files import SCRIPTS, bundle_script, read_styles, render_page, strip_comments
from ..state import AUTO, list_parts
from ..state.ledger import EXACT
from ..state.lessons import (
    LARGEST_PICTURES,
    LONGEST,
    Lesson,
    NoLesson,
    embed_pictures,
    find_lesson,
    parse_lesson,
    read_texts,
)
from .live import POLICY, Demo, Share, build_demo

SEPARATE = ("attitude", "orthogonality")
"""Plots that are not of invariants."""


def read_lesson(name: str) -> Lesson:
    """The lesson of a file, with the pictures beside it, or the bundled one of this name."""
    if name in read_texts():
        return find_lesson(name)
    path = Path(name)
    with path.open(encoding="utf-8") as file:
        text = file.read(LONGEST + LARGEST_PICTURES + 1)  # more than that is refused
    try:
        return parse_lesson(embed_pictures(text, path.parent))
    except NoLesson as error:
        raise ValueError("\n".join(error.describe(path.name))) from error


def build_lesson(lesson: Lesson) -> Demo:
    """The page of a lesson, which shows for each step the demo of its setting."""
    pages: list[str] = []
    texts: dict[str, str] = {}
    settings: list[dict[str, Any]] = []
    setting: dict[str, Any] = {"page": -1}
    for step in lesson.steps:
        if step.choice is not None:
            choice = step.choice
            demo = build_demo(choice, step.look.get("shape", AUTO))
            texts |= demo.texts
            pages += [] if demo.page in pages else [demo.page]
            kept = [
                one.word
                for one in list_parts(choice)
                if one.plot and one.page and one.word not in SEPARATE
            ]
            setting = {"page": pages.index(demo.page), "space": choice.space, "kept": kept}
            setting["alone"] = choice.methods == (EXACT,)
            setting |= {"look": dict(step.look), "hidden": step.hidden}
        settings.append(setting)
    shared = Share()
    packed = [f"{json.dumps(name)}:{shared.add(_quote(text))}" for name, text in texts.items()]
    rest = {"lesson": lesson.as_data(), "settings": settings, "pages": pages}
    data = f'{_quote(rest)[:-1]},"texts":{{{",".join(packed)}}}}}'
    own = {
        "STYLE": read_styles("standalone", "lesson-file"),
        "LESSON_STYLE": shared.add(read_styles("html-block", "lesson", "prose")),
        "SCRIPT": shared.add(
            strip_comments(bundle_script(SCRIPTS / "demo/lesson-file.js", lazy=False))
        ),
        "DATA": data,
    }
    return Demo(
        lesson.title, render_page("lesson", lesson.title, POLICY.format(""), **own), shared.texts
    )


def _quote(value: object) -> str:
    """JSON for a script element."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
