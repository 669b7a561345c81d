"""Lessons: steps beside the lab, which may set it up, ask a question, and hide what would answer it.

A lesson is Markdown with a few commands, each at the start of a line (docs/how-to/teach.md). Lessons may come from
anywhere: nothing in them is executed, and HTML is shown as text.
"""

from __future__ import annotations

import functools
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from markdown_it import MarkdownIt

from ..asset_files import ASSETS
from .choice import Choice
from .links import read_query
from .subject import SUBJECTS
from .view import LONGEST_LINK, match_word

FOLDER = ASSETS / "lessons"
LAB = SUBJECTS["so3"]
LONGEST = 60_000
"""Largest number of characters of a lesson."""
MOST_LINES, MOST_COLUMNS = 2_000, 12
"""Largest numbers of lines, and of columns of a table: Markdown pads each row to the width of the head."""
LONGEST_READING = 1.0
"""Seconds of processor time for reading a lesson."""
MOST_STEPS, MOST_ANSWERS = 40, 8
MAY_BE_HIDDEN = ("picture", "plots", "table")
"""The parts of the lab that a step may hide until its question is answered."""


class NoLesson(ValueError):
    """A text that is no lesson, with the line at fault."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"Line {line} of the lesson: {why}")


@dataclass(frozen=True)
class Step:
    """One step of a lesson; its texts are HTML.

    Attributes
    ----------
    title, words : its heading and its text.
    choice : the setting of the lab when the step is entered; None leaves it as it is.
    look : the attributes of the `View` that change.
    question, answers : the question and its answers; without answers, the reader writes a few words.
    right : the index of the right answer, or -1.
    hidden : the parts that are hidden until the question is answered, of `MAY_BE_HIDDEN`.
    reveal : the text that then appears.
    """

    title: str
    words: str = ""
    choice: Choice | None = None
    look: Mapping[str, Any] = field(default_factory=dict)
    question: str = ""
    answers: tuple[str, ...] = ()
    right: int = -1
    hidden: tuple[str, ...] = ()
    reveal: str = ""

    def as_data(self) -> dict[str, Any]:
        """The step for the browser."""
        names = ("title", "words", "question", "answers", "right", "hidden", "reveal")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Lesson:
    """A lesson; `key` is its name in a link, empty for a visitor's own lesson."""

    key: str
    title: str
    about: str
    steps: tuple[Step, ...]


@functools.cache
def read_texts() -> dict[str, str]:
    """The texts of the bundled lessons by name, in the order of the numbers that begin their files' names."""
    paths = sorted(FOLDER.glob("*.md"))
    return {path.stem.partition("-")[2]: path.read_text(encoding="utf-8") for path in paths}


def titles() -> dict[str, str]:
    """The titles of the bundled lessons by name."""
    return {key: _first_line(text) for key, text in read_texts().items()}


def _first_line(text: str) -> str:
    return text.partition("\n")[0].removeprefix("# ").strip()


@functools.cache
def find_lesson(key: str) -> Lesson:
    """The bundled lesson of this name, or a `ValueError`."""
    texts = read_texts()
    if key not in texts:
        raise ValueError(f"There is no lesson {key[:40]!r}; there are {', '.join(texts)}.")
    return parse_lesson(texts[key], key)


# ------------------------------------------------------------------------------------------------- reading one

WORD = re.compile(r"(Lab|Look|Hide|Question|Reveal):\s*+(.*)")
ANSWER = re.compile(r"[-*] \[([ xX])\] ++(.*)")
Lines = Sequence[tuple[int, str]]
"""Lines with their numbers, from 1 on."""


def parse_lesson(text: str, key: str = "") -> Lesson:
    """A lesson from its text, or `NoLesson`."""
    if len(text) > LONGEST:
        raise NoLesson(1, f"it has {len(text):,} characters, and a lesson may have {LONGEST:,}.")
    lines = list(enumerate(text.splitlines(), 1))
    if len(lines) > MOST_LINES:
        raise NoLesson(MOST_LINES + 1, f"a lesson has at most {MOST_LINES:,} lines; this has {len(lines):,}.")
    for number, line in lines:
        if line.count("|") > MOST_COLUMNS + 1:
            raise NoLesson(number, f"a table has at most {MOST_COLUMNS} columns, and a line {MOST_COLUMNS + 1} “|”.")
    starts = [i for i, (_, line) in enumerate(lines) if line.startswith("## ")]
    if not lines or not lines[0][1].startswith("# "):
        raise NoLesson(1, "it begins with its title, as “# The tennis racket”.")
    if not starts:
        raise NoLesson(len(lines), "it has no step; each begins with a heading, as “## Three spins”.")
    if len(starts) > MOST_STEPS:
        raise NoLesson(lines[starts[MOST_STEPS]][0], f"a lesson has at most {MOST_STEPS} steps.")
    parts = [lines[start:end] for start, end in zip(starts, [*starts[1:], len(lines)], strict=True)]
    about = " ".join(line for _, line in lines[1 : starts[0]]).strip()
    markdown = Markdown()
    return Lesson(key, _first_line(text), about, tuple(_step(part, markdown) for part in parts))


def _step(lines: Lines, markdown: Markdown) -> Step:
    """A step from its lines, the first of which is its heading."""
    markdown.line = lines[0][0]
    title = lines[0][1].removeprefix("## ").strip()
    given: dict[str, Any] = {}
    look: dict[str, Any] = {}
    read: set[str] = set()
    texts: dict[str, list[str]] = {"words": [], "reveal": []}
    answers: list[tuple[bool, str]] = []
    into = "words"
    for number, line in lines[1:]:
        word, answer = WORD.fullmatch(line), ANSWER.fullmatch(line)
        if word and word[1] == "Reveal":
            into = "reveal"
            texts[into].append(word[2])
        elif word:
            if word[1] in read:
                raise NoLesson(number, f"a step has one “{word[1]}:”.")
            read.add(word[1])
            rest = word[2].strip()
            if word[1] == "Question":
                given["question"] = markdown.render_line(rest)
            else:
                found = READ[word[1]](number, rest)
                look |= found.pop("look", {})
                given |= found
        elif answer and "question" in given and into == "words":
            answers.append((answer[1] != " ", markdown.render_line(answer[2])))
        else:
            texts[into].append(line)
    _check_step(lines[0][0], given, answers, texts["reveal"])
    right = next((i for i, (is_right, _) in enumerate(answers) if is_right), -1)
    given |= {name: markdown.render("\n".join(text)) for name, text in texts.items()}
    return Step(title=title, answers=tuple(text for _, text in answers), right=right, look=look, **given)


def _check_step(
    line: int, given: Mapping[str, Any], answers: Sequence[tuple[bool, str]], reveal: Sequence[str]
) -> None:
    """Refuse commands that contradict each other."""
    if len(answers) > MOST_ANSWERS:
        raise NoLesson(line, f"a question has at most {MOST_ANSWERS} answers.")
    if sum(is_right for is_right, _ in answers) > 1:
        raise NoLesson(line, "of the answers to a question one is right, or none is marked.")
    if "question" not in given and ("hidden" in given or any(reveal)):
        raise NoLesson(
            line, "what is hidden or revealed waits for the answer to a “Question:”, which this step lacks."
        )


def _lab(line: int, text: str) -> dict[str, Any]:
    """A setting and its view, from a link or from its query."""
    query = text.rpartition("?")[2]
    if len(query) > LONGEST_LINK:
        raise NoLesson(line, f"“Lab:” takes a setting of at most {LONGEST_LINK:,} characters; got {len(query):,}.")
    words = dict(parse_qsl(query))
    if not words:
        raise NoLesson(line, "“Lab:” needs a setting, as a link to the lab has it.")
    choice, notices = read_query(words)
    look, more = LAB.read_view(words)
    for notice in notices + more:
        raise NoLesson(line, notice)
    return {"choice": choice, "look": look}


def _among(word: str, text: str, line: int, known: Sequence[str]) -> list[str]:
    """The known words in a list, in any case."""
    found = [(x, match_word(x, known)) for x in map(str.strip, text.split(",")) if x]
    for asked, meant in found:
        if meant is None:
            raise NoLesson(line, f"“{word}:” knows no {asked[:40]!r}; there are {', '.join(known)}.")
    return [meant for _, meant in found if meant]


def _look(line: int, text: str) -> dict[str, Any]:
    """The attributes of a view that a list of words sets; no two attributes share a word."""
    attributes = {word: name for name, words in LAB.view_words.items() for word in words}
    return {"look": {attributes[word]: word for word in _among("Look", text, line, list(attributes))}}


READ: dict[str, Callable[[int, str], dict[str, Any]]] = {
    "Lab": _lab,
    "Look": _look,
    "Hide": lambda line, text: {"hidden": tuple(_among("Hide", text, line, MAY_BE_HIDDEN))},
}
"""What a command of a lesson gives to its step, from the rest of its line."""

# ------------------------------------------------------------------------------------------------- Markdown


class Markdown:
    """Markdown with tables. HTML stays text, an image becomes its alternative text, and a link opens a new window.

    `line` is the first line of the step that is read. All reading together takes at most `LONGEST_READING`.
    """

    def __init__(self) -> None:
        self.line = 1
        self._end = time.thread_time() + LONGEST_READING
        self._reader = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
        self._reader.add_render_rule("link_open", _open_elsewhere)
        self._reader.block.ruler.before("table", "in_time", self._go_on)
        self._reader.inline.ruler.before("text", "in_time", self._go_on)

    def _go_on(self, *_: Any) -> bool:
        """The first rule at every place of a text: it matches nothing, and ends a reading that takes too long."""
        if time.thread_time() > self._end:
            raise NoLesson(self.line, "from here on it takes too long to read; take simpler tables, lists and links.")
        return False

    def render(self, text: str) -> str:
        """Markdown as HTML."""
        return str(self._reader.render(text)).strip()

    def render_line(self, text: str) -> str:
        """A line of Markdown as HTML, without a paragraph around it."""
        return str(self._reader.renderInline(text))


def _open_elsewhere(self: Any, tokens: Any, i: int, options: Any, env: Any) -> str:
    tokens[i].attrSet("target", "_blank")
    tokens[i].attrSet("rel", "noopener noreferrer")
    return str(self.renderToken(tokens, i, options, env))
