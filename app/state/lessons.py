"""Lessons: steps beside the lab, which may set it up, ask a question, and hide what would answer
it.

A lesson is Markdown with a few commands, each at the start of a line (docs/how-to/teach.md).
Lessons may come from anywhere: nothing in them is executed, HTML is shown as text, and pictures are
part of the text.
"""

from __future__ import annotations

import base64
import functools
import math
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml

from engine.problems import DT
from engine.quantities import list_quantities
from engine.text.formatting import join_words

from ..asset_files import ASSETS
from .choice import Choice
from .labs import LABS, Lab
from .links import read_query
from .pages.equations import mathml
from .results import EXACT_LABEL
from .view import LONGEST_LINK, match_word, parse_camera

FOLDER = ASSETS / "lessons"
LONGEST, LARGEST_PICTURES, LONGEST_EQUATION = 60_000, 400_000, 500
"""Largest numbers of characters of a lesson without its pictures, of all its pictures, and of an
equation.
"""
LONGEST_NOTE = 60
"""Characters of a note in the plots."""
MOST_LINES, MOST_COLUMNS = 2_000, 12
"""Largest numbers of lines, and of columns of a table: Markdown pads each row to the width of the
head.
"""
LONGEST_READING = 1.0
"""Seconds of processor time for reading a lesson."""
MOST_STEPS = 40
MOST_ANSWERS = 8
MOST_ERRORS = 40
MAY_BE_HIDDEN = ("picture", "plots", "table")
"""The parts of the lab that a step may hide until its question is answered; of the picture, the
start is shown.
"""


class NoLesson(ValueError):
    """A text that is no lesson: the errors, each a line and a sentence."""

    def __init__(self, *errors: tuple[int, str]) -> None:
        self.errors = sorted(errors)[:MOST_ERRORS]
        super().__init__("\n".join(self.describe("The lesson")))

    def describe(self, file: str) -> list[str]:
        """The errors with the name of the file and their lines."""
        return [f"{file}, line {line}: {why}" for line, why in self.errors]


@dataclass(frozen=True)
class Step:
    """One step of a lesson; its texts are HTML, except the title.

    Attributes
    ----------
    title, words : its heading and its text.
    choice : the setting of the lab when the step is entered; None leaves it as it is.
    look : the attributes of the `View` that change.
    question, answers : the question and its answers; without answers, the reader writes a few
        words.
    hints : for each answer, what a reader sees who chooses it wrongly, before trying again; it may
        be empty.
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
    hints: tuple[str, ...] = ()
    right: int = -1
    hidden: tuple[str, ...] = ()
    reveal: str = ""


@dataclass(frozen=True)
class Lesson:
    """A lesson; `key` is its name in a link, empty for a visitor's own lesson, `about` its
    introduction, and `level` whom it is for, if it says so.
    """

    key: str
    title: str
    about: str
    steps: tuple[Step, ...]
    space: str = "so3"
    level: str = ""

    def as_data(self) -> dict[str, Any]:
        """The lesson for the browser."""
        own = ("choice", "look")
        steps = [
            {name: x for name, x in vars(step).items() if name not in own} for step in self.steps
        ]
        return {"key": self.key, "title": self.title, "about": self.about, "steps": steps}


@functools.cache
def read_texts() -> dict[str, str]:
    """The texts of the bundled lessons by name, in the order of the numbers that begin their files'
    names.
    """
    paths = sorted(FOLDER.glob("*.md"))
    return {path.stem.partition("-")[2]: path.read_text(encoding="utf-8") for path in paths}


@dataclass(frozen=True)
class Outline:
    """What a list tells of a lesson: whom it is for, and about how many minutes it takes."""

    title: str
    level: str
    minutes: int

    @property
    def audience(self) -> str:
        """The level and the minutes, for a list."""
        return " · ".join(filter(None, [self.level, f"{self.minutes} min"]))


@functools.cache
def list_outlines(space: str = "") -> dict[str, Outline]:
    """The outlines of the bundled lessons on one body or on two, or of all, by name."""
    return {
        key: Outline(_first_line(text), _find_level(text), _estimate_minutes(text))
        for key, text in read_texts().items()
        if space in ("", _find_lab(text).space)
    }


def _first_line(text: str) -> str:
    return text.partition("\n")[0].removeprefix("# ").strip()


def _find_level(text: str) -> str:
    found = LEVEL.search(text)
    return found[1] if found else ""


def _estimate_minutes(text: str) -> int:
    """The minutes that a lesson takes, to the next five: time to read its words, to look at each
    step, and to answer each question.
    """
    words = len(text.split()) / WORDS_A_MINUTE
    steps = text.count("\n## ")
    questions = text.count("\nQuestion:")
    return 5 * math.ceil((words + steps + questions) / 5)


def _find_lab(text: str) -> Lab:
    """The lab that a lesson belongs to: its settings name the page, unless that is the first lab."""
    first, *others = LABS.values()
    return next((lab for lab in others if f"page={lab.page}" in text), first)


def _name_pages() -> str:
    """The pages of the labs, as the settings of a lesson name them."""
    _, *others = LABS.values()
    return join_words(["the lab", *(f"“page={lab.page}”" for lab in others)], "or")


@functools.cache
def find_lesson(key: str) -> Lesson:
    """The bundled lesson of this name, or a `ValueError`."""
    texts = read_texts()
    if key not in texts:
        raise ValueError(f"There is no lesson {key[:40]!r}; there are {', '.join(texts)}.")
    return parse_lesson(texts[key], key)


# -------------------------------------------------------------------------------------------------
# reading one

LEVEL = re.compile(r"^Level:[ \t]*+(\S.*)$", re.MULTILINE)
WORDS_A_MINUTE = 150
"""Words of a lesson that are read in a minute."""
LONGEST_LEVEL = 40
"""Characters of a level."""
WORD = re.compile(r"(Lab|Look|Hide|Question|Hint|Reveal|At|Camera):\s*+(.*)")
ANSWER = re.compile(r"[-*] \[([ xX])\] ++(.*)")
DATA = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]++={0,2}")
HANDLE = re.compile(r"(drag|show):(.*)")
DRAGGED = ("dt",)
"""What a number of a text can drag."""
Handle = tuple[str, dict[str, str | int | float]]
"""The element of a handle, and its attributes."""
ReadHandle = Callable[[int, str, str, str], Handle]
"""Returns the handle of a link: from its line, “drag” or “show”, the name after that, and its
words.
"""
PICTURE = re.compile(r"(!\[[^\[\]]*+\]\()([^()\s]*+)")
Lines = Sequence[tuple[int, str]]
"""Lines with their numbers, from 1 on."""


def parse_lesson(text: str, key: str = "", pause: Callable[[], None] = lambda: None) -> Lesson:
    """A lesson from its text, or `NoLesson` with all its errors; `pause` is called repeatedly while
    it reads.
    """
    pictures: list[str] = []

    def take(data: re.Match[str]) -> str:
        pictures.append(data[0])
        return f"picture-{len(pictures)}"

    text = DATA.sub(take, text)
    if len(text) > LONGEST:
        raise NoLesson((1, f"it has {len(text):,} characters, and a lesson may have {LONGEST:,}."))
    lines = list(enumerate(text.splitlines(), 1))
    if len(lines) > MOST_LINES:
        raise NoLesson(
            (MOST_LINES + 1, f"a lesson has at most {MOST_LINES:,} lines; this has {len(lines):,}.")
        )
    if not lines or not lines[0][1].startswith("# "):
        raise NoLesson((1, "it begins with its title, as “# The tennis racket”."))
    starts = [i for i, (_, line) in enumerate(lines) if line.startswith("## ")]
    if not starts:
        raise NoLesson(
            (len(lines), "it has no step; each begins with a heading, as “## Three spins”.")
        )
    if len(starts) > MOST_STEPS:
        raise NoLesson((lines[starts[MOST_STEPS]][0], f"a lesson has at most {MOST_STEPS} steps."))
    reader = Reader(_find_lab(text), pictures, pause)
    lines = [(number, reader.check_line(number, line)) for number, line in lines]
    about = level = ""
    steps = []
    ends = [*starts[1:], len(lines)]
    with reader.collect():
        opening = [line for _, line in lines[1 : starts[0]]]
        level = reader.take_level(opening)
        about = reader.markdown.render(opening, 2)
        steps = [
            reader.read_step(lines[start:end]) for start, end in zip(starts, ends, strict=True)
        ]
    if reader.errors:
        raise NoLesson(*reader.errors)
    return Lesson(key, _first_line(text), about, tuple(steps), reader.lab.space, level)


def embed_pictures(text: str, folder: Path) -> str:
    """The text of a lesson with the pictures that are files beside it."""

    def embed(picture: re.Match[str]) -> str:
        file = folder / picture[2]
        name = picture[2].rpartition(".")[2].lower()
        kind = {"jpg": "jpeg"}.get(name, name)
        if (
            ":" in picture[2]
            or not file.resolve().is_relative_to(folder.resolve())
            or not file.is_file()
        ):
            return picture[0]
        with file.open("rb") as opened:  # more than that is refused
            data = opened.read(LARGEST_PICTURES + 1)
        return f"{picture[1]}data:image/{kind};base64,{base64.b64encode(data).decode()}"

    return PICTURE.sub(embed, text)


class Reader:
    """Reads the steps of a lesson, and collects its errors."""

    def __init__(self, lab: Lab, pictures: Sequence[str], pause: Callable[[], None]) -> None:
        self.lab = lab
        self.errors: list[tuple[int, str]] = []
        self.markdown = Markdown(pictures, self.errors, pause)
        self._choice: Choice | None = None
        self._group = next(iter(lab.groups))

    def check_line(self, number: int, line: str) -> str:
        """Refuse a table that takes long to read, and pictures that are no part of the text; return
        what to read.
        """
        if line.count("|") > MOST_COLUMNS + 1:
            why = f"a table has at most {MOST_COLUMNS} columns, and a line {MOST_COLUMNS + 1} “|”."
            self.errors.append((number, why))
            return ""
        for _, source in PICTURE.findall(line):
            if why := self.markdown.refuse_picture(source):
                self.errors.append((number, why))
        return line

    @contextmanager
    def collect(self) -> Iterator[None]:
        """Collect the errors that are raised inside."""
        try:
            yield
        except NoLesson as error:
            self.errors += error.errors

    def take_level(self, opening: list[str]) -> str:
        """Take the level out of the lines between the title and the first step."""
        found = [(i, level) for i, line in enumerate(opening) if (level := _find_level(line))]
        for place, (i, level) in enumerate(found):
            opening[i] = ""
            if place:
                self.errors.append((i + 2, "a lesson has one “Level:”."))
            elif len(level) > LONGEST_LEVEL:
                why = f"a level has at most {LONGEST_LEVEL} characters; this has {len(level)}."
                self.errors.append((i + 2, why))
        return found[0][1] if found else ""

    def read_step(self, lines: Lines) -> Step:
        """A step from its lines, the first of which is its heading."""
        first, title = lines[0][0], lines[0][1].removeprefix("## ").strip()
        given: dict[str, Any] = {"look": {}}
        read: set[str] = set()
        texts: dict[str, list[str]] = {"words": [], "reveal": []}
        moments: dict[str, dict[int, str]] = {"words": {}, "reveal": {}}
        answers: list[tuple[bool, str]] = []
        hints: dict[int, str] = {}
        into = "words"
        reveals = first
        for number, line in lines[1:]:
            self.markdown.check_time(number)
            word = WORD.fullmatch(line)
            answer = ANSWER.fullmatch(line)
            name, rest = (word[1], word[2].strip()) if word else ("", "")
            texts[into].append(
                "" if word or answer else line
            )  # so that each keeps the number of its line
            with self.collect():
                if name in read:
                    raise NoLesson((number, f"a step has one “{name}:”."))
                read |= {name} - {"", "Hint", "Reveal", "At", "Camera"}
                if name == "Reveal":
                    into, reveals = "reveal", reveals if into == "reveal" else number
                    texts[into].append(rest)
                elif name == "At":
                    moments[into][len(texts[into]) - 1] = self._read_moment(number, rest)
                elif name == "Camera":
                    self._add_camera(number, rest, moments[into])
                elif name == "Question":
                    given["question"] = self.markdown.render_line(rest, number)
                elif name == "Hint":
                    if not answers or answers[-1][0] or into == "reveal":
                        raise NoLesson(
                            (number, "a “Hint:” follows a wrong answer, which it helps with.")
                        )
                    hints[len(answers) - 1] = self.markdown.render_line(rest, number)
                elif name:
                    found = getattr(self, f"_read_{name.lower()}")(number, rest)
                    given["look"] |= found.pop("look", {})
                    given |= found
                elif answer and "question" in given and into == "words":
                    answers.append((answer[1] != " ", self.markdown.render_line(answer[2], number)))
                elif answer:
                    texts[into][-1] = line
        self._group = given["look"].get("plots", self._group)
        with self.collect():
            _check_step(first, given, answers, texts["reveal"])
        right = next((i for i, (is_right, _) in enumerate(answers) if is_right), -1)
        given["answers"] = tuple(text for _, text in answers)
        given["hints"] = tuple(hints.get(i, "") for i in range(len(answers)))
        words, reveal = (
            self._render_moments(texts[name], at, moments[name])
            for name, at in (("words", first + 1), ("reveal", reveals))
        )
        return Step(title=title, words=words, reveal=reveal, right=right, **given)

    def _read_lab(self, line: int, text: str) -> dict[str, Any]:
        """A setting and its view, from a link or from its query."""
        query = text.rpartition("?")[2]
        if len(query) > LONGEST_LINK:
            raise NoLesson(
                (line, f"“Lab:” takes at most {LONGEST_LINK:,} characters; got {len(query):,}.")
            )
        words = dict(parse_qsl(query))
        if not words:
            raise NoLesson((line, "“Lab:” needs a setting, as a link to the lab has it."))
        if words.pop("page", "lab") != self.lab.page:
            raise NoLesson((line, f"all settings of a lesson are on one page, {_name_pages()}."))
        choice, notices = read_query(words, self.lab.space)
        look, more = self.lab.read_view(words)
        if notices or more:
            raise NoLesson(*((line, notice) for notice in notices + more))
        self._choice = choice
        return {"choice": choice, "look": look}

    def _read_look(self, line: int, text: str) -> dict[str, Any]:
        """The attributes of a view that a list of words sets; no two attributes share a word."""
        attributes = {word: name for name, words in self.lab.view_words.items() for word in words}
        return {
            "look": {
                attributes[word]: word for word in _among("Look", text, line, list(attributes))
            }
        }

    def _read_moment(self, line: int, text: str) -> str:
        """The HTML attributes of a time, a method whose curve stands out, and a note in the
        plots.
        """
        time, of, note = (part.strip() for part in (*text.split(",", 2), "", "")[:3])
        if self._choice is None:
            raise NoLesson(
                (line, "“At:” needs a “Lab:” before it, in this step or an earlier one.")
            )
        longest = self._choice.duration
        try:
            at = float(time)
        except ValueError:
            at = math.nan
        if not 0 <= at <= longest:
            raise NoLesson(
                (
                    line,
                    f"“At:” takes a time from 0 to {longest:g}, the duration; got {time[:40]!r}.",
                )
            )
        if of:
            (of,) = _among("At", of, line, [*self._choice.methods, EXACT_LABEL])
            of = self._choice.names.get(of, of)
        if len(note) > LONGEST_NOTE:
            raise NoLesson(
                (line, f"a note has at most {LONGEST_NOTE} characters; this has {len(note)}.")
            )
        return f'data-at="{at!r}" data-of="{escape(of)}" data-note="{escape(note)}"'

    def _add_camera(self, line: int, text: str, moments: dict[int, str]) -> None:
        """Add the camera of the latest moment to its attributes."""
        camera = parse_camera(text)
        if camera is None:
            raise NoLesson(
                (line, f"“Camera:” takes azimuth, elevation and nearness; got {text[:40]!r}.")
            )
        if not moments or "data-camera" in moments[max(moments)]:
            raise NoLesson((line, "a “Camera:” belongs to the “At:” before it."))
        moments[max(moments)] += f' data-camera="{",".join(map(repr, camera))}"'

    def _render_moments(self, lines: Sequence[str], first: int, moments: Mapping[int, str]) -> str:
        """Markdown as HTML, where the text of each moment is a section."""
        parts = []
        for start, end in pairwise(sorted({0, len(lines), *moments})):
            html = self.markdown.render(lines[start:end], first + start, self._read_handle)
            section = f'<section class="moment" tabindex="0" {moments.get(start)}>{html}</section>'
            parts.append(section if start in moments else html)
        return "\n".join(filter(None, parts))

    def _read_handle(self, line: int, word: str, name: str, words: str) -> Handle:
        """A number that drags Δt, or a word that lights up plots or the curves of a method."""
        choice = self._choice
        if choice is None:
            why = f"“{word}:” needs a “Lab:” before it, in this step or an earlier one."
            raise NoLesson((line, why))
        if word == "show":
            return "button", {
                "type": "button",
                "class": "show",
                "data-show": self._find_shown(line, name, choice),
            }
        _among("drag", name, line, DRAGGED)
        step = DT.format(choice.dt)
        if words != step:
            why = f"the words of a link to “drag:dt” are the Δt of “Lab:”, {step}; got {words[:40]!r}."
            raise NoLesson((line, why))
        return "span", describe_handle(choice.dt)

    def _find_shown(self, line: int, name: str, choice: Choice) -> str:
        """The name of this method on its curves, or the beginning of the titles of plots; the case
        does not matter.
        """
        if method := match_word(name, [*choice.methods, EXACT_LABEL]):
            return choice.names.get(method, method)
        titles = [
            one.title
            for one in list_quantities(choice.build_problem(), choice.algorithms)
            if self._group in one.groups
        ]
        for title in titles:
            if name and title.casefold().startswith(name.casefold()):
                return title[: len(name)]
        there = ", ".join([*choice.methods, EXACT_LABEL, *titles])
        raise NoLesson((line, f"“show:” knows no {name[:40]!r}; there are {there}."))

    def _read_hide(self, line: int, text: str) -> dict[str, Any]:
        return {"hidden": tuple(_among("Hide", text, line, MAY_BE_HIDDEN))}


def describe_handle(dt: float) -> dict[str, str | int | float]:
    """The attributes of a number in a text that drags Δt."""
    return {
        "class": "drag",
        "role": "slider",
        "tabindex": 0,
        "aria-label": "Time step Δt",
        "aria-valuenow": dt,
        "aria-valuetext": DT.format(dt),
        "title": "Drag it, or press an arrow key: it is the Δt of the lab",
    }


def _check_step(
    line: int, given: Mapping[str, Any], answers: Sequence[tuple[bool, str]], reveal: Sequence[str]
) -> None:
    """Refuse commands that contradict each other."""
    if len(answers) > MOST_ANSWERS:
        raise NoLesson((line, f"a question has at most {MOST_ANSWERS} answers."))
    if sum(is_right for is_right, _ in answers) > 1:
        raise NoLesson((line, "of the answers to a question one is right, or none is marked."))
    if "question" not in given and ("hidden" in given or any(reveal)):
        raise NoLesson(
            (
                line,
                "what is hidden or revealed waits for the answer to a “Question:”; this step has none.",
            )
        )


def _among(word: str, text: str, line: int, known: Sequence[str]) -> list[str]:
    """The known words in a list, in any case."""
    found = [(x, match_word(x, known)) for x in map(str.strip, text.split(",")) if x]
    unknown = [asked for asked, meant in found if meant is None]
    if unknown:
        raise NoLesson(
            *(
                (line, f"“{word}:” knows no {x[:40]!r}; there are {', '.join(known)}.")
                for x in unknown
            )
        )
    return [meant for _, meant in found if meant]


# -------------------------------------------------------------------------------------------------
# Markdown


class Markdown:
    """Markdown with tables, pictures and equations. HTML stays text, and a link opens a new window.

    A text refers to its `pictures` by number. `errors` receives those of equations. All reading
    together takes at most `LONGEST_READING` of the thread's time, and calls `pause` repeatedly.
    """

    def __init__(
        self,
        pictures: Sequence[str],
        errors: list[tuple[int, str]],
        pause: Callable[[], None] = lambda: None,
    ) -> None:
        self._sources = {f"picture-{i}": data for i, data in enumerate(pictures, 1)}
        self._errors = errors
        self._pause = pause
        self._line = 1
        self._end = time.thread_time() + LONGEST_READING
        self._reader = MarkdownIt("commonmark", {"html": False}).enable("table")
        self._reader.add_render_rule("link_open", _open_elsewhere)
        renderer: Any = self._reader.renderer
        self._renderer = renderer
        rules = {"image": self._show_picture, "equation": _show_equation, "text": self._show_text}
        renderer.rules |= rules
        each_line_of = [
            "paragraph",
            "reference",
            "blockquote",
            "list",
        ]  # tables try the rules for blockquote
        self._reader.block.ruler.before("table", "in_time", self._go_on, {"alt": each_line_of})
        self._reader.inline.ruler.before("text", "in_time", self._go_on)
        self._reader.inline.ruler.after("escape", "equation", _read_equation)

    def check_time(self, line: int) -> None:
        """End a reading that takes too long."""
        self._pause()
        if time.thread_time() > self._end:
            why = "from here on it takes too long to read; take simpler tables, lists and links."
            raise NoLesson((line, why))

    def _go_on(self, *_: Any) -> bool:
        """The first rule at every place of a text: it matches nothing, and checks the time."""
        self.check_time(self._line)
        return False

    def _show_text(self, tokens: Any, i: int, *_: Any) -> str:
        self.check_time(self._line)
        return str(escapeHtml(tokens[i].content))

    def refuse_picture(self, source: str) -> str:
        """Why a picture with this source cannot be shown; empty if it can."""
        if source in self._sources:
            fits = sum(map(len, self._sources.values())) <= LARGEST_PICTURES
            return (
                ""
                if fits
                else f"the pictures of a lesson have at most {LARGEST_PICTURES:,} characters in all."
            )
        if source.startswith("data:"):
            return "a picture as data is PNG, JPEG, GIF or WebP, in base64."
        if ":" in source or source.startswith(("/", "\\")):
            return "a lesson loads no pictures from elsewhere; give the name of a file beside the lesson."
        return f"the picture {source[:60]!r} is missing; choose it together with the lesson's file."

    def render(
        self, lines: Sequence[str], number: int, read_handle: ReadHandle | None = None
    ) -> str:
        """Markdown as HTML, of lines from this number on; without `read_handle`, a handle is an
        error.
        """
        return self._render(self._reader.parse("\n".join(lines)), number, read_handle)

    def render_line(self, text: str, number: int) -> str:
        """A line of Markdown as HTML, without a paragraph around it."""
        return self._render(self._reader.parseInline(text), number)

    def _render(
        self, tokens: Sequence[Any], number: int, read_handle: ReadHandle | None = None
    ) -> str:
        self._line = number
        for block in tokens:
            line = number + (block.map[0] if block.map else 0)
            link = "a"
            for i, token in enumerate(block.children or ()):
                if token.type == "link_open":
                    link = self._make_handle(block.children, i, line, read_handle)
                elif token.type == "link_close":
                    token.tag = link
                if token.type == "equation":
                    line += token.content.count("\n")
                    token.content = self._convert(token, line)
                line += token.type == "softbreak"
        return str(self._renderer.render(tokens, self._reader.options, {})).strip()

    def _make_handle(
        self, tokens: Sequence[Any], i: int, line: int, read_handle: ReadHandle | None
    ) -> str:
        """Make a link a handle if it is one; return its element."""
        link = tokens[i]
        handle = HANDLE.fullmatch(unquote(str(link.attrGet("href"))))
        if handle is None:
            return str(link.tag)
        word, name = handle.groups()
        end = next(at for at in range(i, len(tokens)) if tokens[at].type == "link_close")
        words = self._renderer.renderInlineAsText(tokens[i + 1 : end], self._reader.options, {})
        try:
            if read_handle is None:
                raise NoLesson((line, f"“{word}:” belongs in the text of a step."))
            link.tag, link.attrs = read_handle(line, word, name, words)
        except NoLesson as error:
            self._errors += error.errors
        return str(link.tag)

    def _convert(self, equation: Any, line: int) -> str:
        self.check_time(line)
        if len(equation.content) > LONGEST_EQUATION:
            self._errors.append((line, f"an equation has at most {LONGEST_EQUATION} characters."))
            return ""
        try:
            return mathml(equation.content, display=equation.markup == "$$")
        except ValueError as error:
            self._errors.append((line, f"the equation “{equation.content[:60]}”: {error}"))
            return ""

    def _show_picture(self, tokens: Any, i: int, options: Any, env: Any) -> str:
        """A picture of the text; of any other, the words for it."""
        token = tokens[i]
        renderer = self._renderer
        source = self._sources.get(str(token.attrGet("src")))
        words = renderer.renderInlineAsText(token.children, options, env)
        token.attrs = {"src": source, "alt": words}
        return (
            str(renderer.renderToken(tokens, i, options, env)) if source else str(escapeHtml(words))
        )


def _read_equation(state: Any, silent: bool) -> bool:
    """Match an equation between dollars, as $E = mc^2$; a dollar before a space or after a number
    is a dollar.
    """
    mark = "$$" if state.src.startswith("$$", state.pos) else "$"
    begin = state.pos + len(mark)
    end = state.src.find(mark, begin)
    latex = state.src[begin:end]
    if state.src[state.pos] != "$" or end < 0 or not latex.strip():
        return False
    after = state.src[end + len(mark) : end + len(mark) + 1]
    if mark == "$" and (latex != latex.strip() or after.isdigit()):
        return False
    if not silent:
        token = state.push("equation", "", 0)
        token.markup = mark
        token.content = latex
    state.pos = end + len(mark)
    return True


def _show_equation(tokens: Any, i: int, options: Any, env: Any) -> str:
    return str(tokens[i].content)


def _open_elsewhere(self: Any, tokens: Any, i: int, options: Any, env: Any) -> str:
    if tokens[i].tag == "a":
        tokens[i].attrSet("target", "_blank")
        tokens[i].attrSet("rel", "noopener noreferrer")
    return str(self.renderToken(tokens, i, options, env))
