"""Lessons: reading, refusals, protection against markup, the effect of a step, and the facts that
they state.
"""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import cache
from html import unescape
from itertools import combinations, count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from covering import first
from drawing import answered
from page_driver import press, send_message, visible_text
from timeouts import TIMEOUT

import app
import engine
from app.browser.addresses import find_lesson
from app.pages.lab import open_lab
from app.pages.routes import open_page
from app.server import worker
from app.state import lessons
from app.state.choice import FIRST, Choice
from app.state.labs import LABS
from app.state.narration import FLIPS
from app.state.pages.engine_question import choose_program
from app.state.presets import PRESETS
from app.state.results import compute
from app.views.dialogs import lesson_panel
from app.views.dialogs.bar import Bar
from app.views.tables.headline import Headline
from app.views.tables.verdict_table import introduction_html
from engine.algorithms import PROGRAMS
from engine.cli import page as entry_points
from engine.cli.command import main
from engine.kernels import Cancelled
from engine.programs import write_pseudo_code

TEXT = """# A lesson
What it is about,
in two lines.

## First
Some *words*.
Lab: ?problem=slow-top&methods=NMB,MR2&dt=1/60&duration=2
Look: sphere, motion, linear

## Second
Hide: Plots, table
Question: What **next**?
- [ ] this
- [x] that
Reveal: Because.

More of it.
"""


def test_a_lesson_is_read():
    lesson = lessons.parse_lesson(TEXT)
    first, second = lesson.steps
    assert (lesson.title, lesson.about) == ("A lesson", "<p>What it is about,\nin two lines.</p>")
    assert (first.title, first.words) == ("First", "<p>Some <em>words</em>.</p>")
    assert (first.choice.problem, first.choice.methods, first.choice.dt) == (
        "slow-top",
        ("NMB", "MR2"),
        1 / 60,
    )
    assert first.look == {"picture": "sphere", "plots": "Motion", "axis": "Linear"}
    assert (second.choice, second.hidden) == (None, ("plots", "table"))
    assert (second.question, second.answers, second.right) == (
        "What <strong>next</strong>?",
        ("this", "that"),
        1,
    )
    assert second.reveal == "<p>Because.</p>\n<p>More of it.</p>"


def test_a_part_of_a_text_shows_a_moment():
    text = TEXT.replace(
        "Reveal: Because.",
        "Reveal: Because.\nAt: 0.5, MR2, <b>\"'here</b>, it turns\nIt *turns*.\n"
        "At: 2\nCamera: -0.9, 0.42,1.5\nThe end.",
    )
    _, step = lessons.parse_lesson(text).steps
    begin = '<section class="moment" tabindex="0"'
    note = "&lt;b&gt;&quot;&#x27;here&lt;/b&gt;, it turns"
    assert step.reveal == (
        "<p>Because.</p>\n"
        f'{begin} data-at="0.5" data-of="McLachlan–Reich" data-note="{note}"><p>It <em>turns</em>.</p></section>\n'
        f'{begin} data-at="2.0" data-of="" data-note="" data-camera="-0.9,0.42,1.5"><p>The end.</p>\n'
        "<p>More of it.</p></section>"
    )


def test_numbers_and_names_in_a_text_act_on_the_lab():
    text = TEXT.replace(
        "Some *words*.",
        "Δt = [1/60](drag:dt), [Ω](<show:angular VELOCITY>), [it](show:mr2), [page](https://example.org).",
    )
    words = lessons.parse_lesson(text).steps[0].words
    named = engine.algorithm("MR2").short
    assert (
        '<span class="drag" role="slider" tabindex="0" aria-label="Time step Δt"'
        f' aria-valuenow="{1 / 60}" aria-valuetext="1/60"'
    ) in words
    assert ">1/60</span>, " in words
    assert '<button type="button" class="show" data-show="Angular velocity">Ω</button>' in words
    assert f'<button type="button" class="show" data-show="{named}">it</button>' in words
    assert (
        '<a href="https://example.org" target="_blank" rel="noopener noreferrer">page</a>' in words
    )


@pytest.mark.parametrize("old, new, said", [
    ("Some *words*.", "\n[0.02](drag:dt)", "line 7: the words of a link to “drag:dt” are the Δt of “Lab:”, 1/60; got"),
    ("Some *words*.", "[2](drag:duration)", "The lesson, line 6: “drag:” knows no 'duration'; there are dt."),
    ("Some *words*.", "[x](show:energy)", "line 6: “show:” knows no 'energy'; there are NMB, MR2, exact, Angular"),
    ("Because.", "Because\n[0.1](drag:dt)", "line 16: the words of a link to “drag:dt”"),
    ("Lab: ", "[1/60](drag:dt) ", "The lesson, line 7: “drag:” needs a “Lab:” before it"),
    ("this", "[this](show:NMB)", "The lesson, line 13: “show:” belongs in the text of a step."),
    ("in two lines", "[in](drag:dt)", "The lesson, line 3: “drag:” belongs in the text of a step."),
    ("# A lesson", "A lesson", "The lesson, line 1: it begins with its title"),
    ("## First\nSome *words*.\n", "", "The lesson, line 8: what is hidden or revealed waits"),
    ("?problem=slow-top", "?problem=slow-tip", "The lesson, line 7: problem: "),
    ("?problem=slow-top&methods=NMB,MR2&dt=1/60&duration=2", "?", "The lesson, line 7: “Lab:” needs a setting"),
    ("sphere", "sphare", "The lesson, line 8: “Look:” knows no 'sphare'; there are Poinsot, body, momentum"),
    ("Plots", "Plot", "The lesson, line 11: “Hide:” knows no 'Plot'; there are picture, plots, table."),
    ("[ ] this", "[x] this", "The lesson, line 10: of the answers to a question one is right"),
    ("Question: What **next**?\n", "", "The lesson, line 10: what is hidden or revealed waits"),
    ("Reveal:", "Question: And?\nReveal:", "The lesson, line 15: a step has one “Question:”."),
    ("- [ ] this\n", "- [ ] this\n" * 8, "The lesson, line 10: a question has at most 8 answers."),
    ("Some *words*.", "At: 1", "The lesson, line 6: “At:” needs a “Lab:” before it"),
    ("Reveal:", "At: 3\nReveal:", "The lesson, line 15: “At:” takes a time from 0 to 2, the duration; got '3'."),
    ("Reveal:", "At: nan\nReveal:", "The lesson, line 15: “At:” takes a time from 0 to 2"),
    ("Reveal:", "At: 1, RK2\nReveal:", "The lesson, line 15: “At:” knows no 'RK2'; there are NMB, MR2, exact."),
    ("Reveal:", f"At: 1, , {'a' * 61}\nReveal:", "The lesson, line 15: a note has at most 60 characters"),
    ("Reveal:", "Camera: 0,0,1\nReveal:", "The lesson, line 15: a “Camera:” belongs to the “At:” before it."),
    ("Reveal:", "At: 1\nCamera: 0,9,1\nReveal:", "The lesson, line 16: “Camera:” takes azimuth, elevation"),
    ("## First", "## First\n" * 40 + "## First", "a lesson has at most 40 steps."),
    ("Because", "Because" * 10_000, "it has 70,2"),
])  # fmt: skip
def test_what_is_no_lesson_is_refused_with_the_line(old, new, said):
    assert old in TEXT
    text = TEXT.replace(old, new, 1)
    if said.startswith("The lesson, line 8: what"):
        text = text.replace("Question: What **next**?\n", "")
    with pytest.raises(lessons.NoLesson) as refused:
        lessons.parse_lesson(text)
    assert said in str(refused.value)


@pytest.mark.parametrize("text", ["", "\n", "# Only a title", "## A step and no title"])
def test_nothing_much_is_no_lesson(text):
    with pytest.raises(lessons.NoLesson):
        lessons.parse_lesson(text)


@pytest.mark.parametrize("nasty", [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[click](javascript:alert(1))",
    "![[picture]](https://elsewhere.example/a.png)", "[x](data:text/html,<script>alert(1)</script>)",
])  # fmt: skip
def test_nothing_in_a_lesson_is_obeyed(nasty):
    text = TEXT.replace("Some *words*", nasty).replace("this", nasty).replace("Because", nasty)
    text = text.replace("What **next**?", nasty)
    for step in lessons.parse_lesson(text).steps:
        for shown in (step.words, step.question, *step.answers, step.reveal):
            assert not any(
                word in shown for word in ("<script", "<img", 'href="javascript', 'href="data')
            ), shown
    lesson = lessons.parse_lesson(text.replace("# A lesson", f"# {nasty}", 1))
    assert lesson.title == nasty  # which the script of the page puts in as text


def in_step(text):
    return f"# A lesson\n\n## First\n{text}"


def table(columns, rows):
    return "|a" * columns + "\n" + "|-" * columns + "\n" + "x\n" * rows + "\n"


@pytest.mark.parametrize("text, said", [
    (table(100, 300), "The lesson, line 4: a table has at most 12 columns"),
    ("> " + table(14, 300).replace("\n", "\n> "), "The lesson, line 4: a table has at most 12 columns"),
    (table(10, 1990) * 2, "The lesson, line 2001: a lesson has at most 2,000 lines; this has 3,"),
    (f"Lab: ?dt=1{' ' * 50_000}x", "The lesson, line 4: “Lab:” takes at most 4,000 characters"),
])  # fmt: skip
def test_what_would_take_long_is_refused_before_it_is_read(text, said):
    with pytest.raises(lessons.NoLesson) as refused:
        lessons.parse_lesson(in_step(text))
    assert said in str(refused.value)


LARGEST = [
    table(12, 1990), "[" * 59_000, "*_" * 29_000, "Question: " + "![" * 29_000, "> - " * 14_000, "$x$ " * 14_000
]  # fmt: skip
"""The slowest content that a lesson may have."""


@pytest.mark.parametrize("text", first(LARGEST, 2))
def test_a_lesson_is_read_within_its_time(text, monkeypatch):
    """The speed of the machine is unknown, so a second here is ten thousand readings of the
    clock.
    """
    ticks = count()
    monkeypatch.setattr(lessons.time, "thread_time", lambda: next(ticks) / 10_000)
    with suppress(lessons.NoLesson) if "|" not in text else nullcontext():
        lessons.parse_lesson(in_step(text))
    assert next(ticks) <= 10_000 + 3


def test_what_takes_too_long_is_refused_with_its_step(monkeypatch):
    monkeypatch.setattr(lessons, "LONGEST_READING", -1.0)
    with pytest.raises(
        lessons.NoLesson, match="The lesson, line 4: from here on it takes too long to read"
    ):
        lessons.parse_lesson(in_step("Words."))


@pytest.mark.parametrize("text", ["$$\\Omega$$", "Lab: ?problem=free"])
def test_equations_and_settings_are_read_within_the_time_of_a_lesson(text, monkeypatch):
    """The reader checks the time at each of them, besides the rules for Markdown."""
    read = []
    monkeypatch.setattr(lessons.Markdown, "check_time", lambda _, line: read.append(line))
    monkeypatch.setattr(lessons.Markdown, "_go_on", lambda *_: False)
    lessons.parse_lesson(in_step(text))
    assert read == [4] * (2 if "$" in text else 1)


@pytest.fixture
def unhurried(monkeypatch):
    """No lesson is refused because the machine is slow."""
    monkeypatch.setattr(lessons, "LONGEST_READING", TIMEOUT)


@pytest.mark.usefixtures("unhurried")
def test_each_row_of_a_table_lets_the_page_answer_first(lab, monkeypatch):
    pauses = []
    monkeypatch.setattr(worker, "make_pause", lambda: lambda: pauses.append(1))

    async def visit():
        send_message(lab.lesson, {"text": in_step(table(2, 300))})
        async with asyncio.timeout(TIMEOUT):
            while not lab.lesson.content:
                await asyncio.sleep(0.001)

    asyncio.run(visit())
    rows = 300
    cells = 300
    texts = 300
    assert len(pauses) > rows + cells + texts


@pytest.mark.usefixtures("unhurried")
def test_the_page_goes_on_while_a_lesson_is_read(lab):
    async def visit():
        send_message(lab.lesson, {"text": in_step(table(12, 600))})
        turns = 0
        while not lab.lesson.content:
            await asyncio.sleep(0)
            turns += 1
        return turns

    assert asyncio.run(visit()) > 20


@pytest.mark.usefixtures("unhurried")
def test_of_two_lessons_the_newest_opens(lab):
    async def visit():
        for text in (in_step(table(12, 600)), TEXT):
            send_message(lab.lesson, {"text": text})
        while not lab.lesson.content:
            await asyncio.sleep(0.001)

    asyncio.run(visit())
    assert lab.lesson.lesson.steps[1].title == "Second"


@pytest.mark.usefixtures("unhurried")
def test_of_many_lessons_only_the_newest_waits(lab, monkeypatch):
    """And reading one stops when a newer one arrives."""
    read = []
    parse_lesson = lessons.parse_lesson

    def note(text, **options):
        read.append(text)
        return parse_lesson(text, **options)

    monkeypatch.setattr(lessons, "parse_lesson", note)

    async def visit():
        for text in [in_step(table(12, 600))] * 50 + [TEXT]:
            send_message(lab.lesson, {"text": text})
        while not lab.lesson.content:
            await asyncio.sleep(0.001)

    asyncio.run(visit())
    assert len(read) <= 2 and read[-1] == TEXT
    cancel = engine.Cancellation()
    cancel.set()
    with pytest.raises(Cancelled):
        lesson_panel.parse(TEXT, cancel, print)


PNG = "data:image/png;base64,iVBORw0KGgo="


def test_every_error_is_told_with_its_line():
    text = (
        TEXT.replace("sphere", "sphare")
        .replace("Plots", "Plot")
        .replace("Because", "$\\frc{1}{2}$ and ![a](b.png)")
    )
    text = text.replace(
        "in two lines.",
        "![c](https://elsewhere.example/c.png), ![d](data:image/svg+xml;base64,AAAA)",
    )
    text = text.replace("- [x] that\n", "- [x] that\nHint: It is right.\n")
    with pytest.raises(lessons.NoLesson) as refused:
        lessons.parse_lesson(text)
    said = refused.value.describe("own.md")
    for start, part in zip(said, (
        "own.md, line 3: a lesson loads no pictures from elsewhere", "own.md, line 3: a picture as data is PNG",
        "own.md, line 8: “Look:” knows no 'sphare'", "own.md, line 11: “Hide:” knows no 'Plot'",
        "own.md, line 15: a “Hint:” follows a wrong answer",
        "own.md, line 16: the equation “\\frc{1}{2}”: Unknown command",
        "own.md, line 16: the picture 'b.png' is missing",
    ), strict=True):  # fmt: skip
        assert start.startswith(part), start


def test_equations_and_pictures_are_shown():
    text = TEXT.replace(
        "Some *words*", f'For \\$5 and $6, $E = mc^2$: ![*a* "b"]({PNG})\n\n$$\\frac12$$'
    )
    text = text.replace("- [ ] this\n", "- [ ] this\nHint: See $x$.\n")
    first, second = lessons.parse_lesson(text).steps
    assert (
        "For $5 and $6, <math><mi>E</mi>" in first.words and '<math display="block">' in first.words
    )
    assert f'<img src="{PNG}" alt="a &quot;b&quot;" />' in first.words
    assert second.hints == ("See <math><mi>x</mi></math>.", "")
    many = TEXT.replace("Because", f"![a]({PNG[:-1] + 'A' * lessons.LARGEST_PICTURES})")
    with pytest.raises(
        lessons.NoLesson, match="the pictures of a lesson have at most 400,000 characters"
    ):
        lessons.parse_lesson(many)


def test_links_open_a_window_of_their_own():
    assert 'target="_blank" rel="noopener noreferrer"' in lessons.Markdown((), []).render(
        ["[there](https://example.org)"], 1
    )


# -------------------------------------------------------------------------------------------------
# in the lab


@pytest.fixture
def lab():
    return open_lab()


def enters(lab, step, answered=False, entered=True):
    send_message(lab.lesson, {"step": step, "answered": answered, "entered": entered})


EVERYTHING = {"headline", "picture", "card", "plots", "table"}


def shown(lab):
    return {name for name, framed in lab._cards.items() if framed.visible}


def test_a_step_sets_the_lab_up_and_hides_what_would_answer_its_question(lab):
    lab.main()
    send_message(lab.lesson, {"text": TEXT})
    report = json.loads(lab.lesson.content)
    assert [step["title"] for step in report["steps"]] == ["First", "Second"]
    enters(lab, 0)
    assert lab.explorer.history.now == lessons.parse_lesson(TEXT).steps[0].choice
    assert (lab.stage.switches.chosen, lab.plots.group, lab.plots.axis) == (
        ["From above"],
        "Motion",
        "Linear",
    )
    assert shown(lab) == EVERYTHING
    enters(lab, 1)
    assert shown(lab) == {"picture", "wait"} and not lab.headline.visible, (
        "the headline would reveal it"
    )
    assert lab.ledger.conclusion not in lab.explorer.api.state["said"]
    enters(lab, 1, answered=True, entered=False)
    assert shown(lab) == EVERYTHING and lab.headline.visible
    assert lab.ledger.conclusion in lab.explorer.api.state["said"]
    enters(lab, 1)
    send_message(lab.lesson, {"left": True})
    assert shown(lab) == EVERYTHING and lab.lesson.content == ""
    lab.explorer.undo()
    assert lab.explorer.history.now == open_lab().explorer.history.now


def test_a_copied_link_opens_the_lesson_too(lab):
    """A visitor's own lesson has no key: the browser appends its text."""
    links = lab.downloads.panel
    assert "lesson=" not in links.texts["link"]
    press(lab.bar, "lesson", "poinsot")
    enters(lab, 0)
    assert "&lesson=poinsot&" in links.texts["link"]
    send_message(lab.lesson, {"left": True})
    assert "lesson=" not in links.texts["link"]


def test_what_a_preset_tells_is_over_when_a_step_sets_the_lab_up(lab):
    page = lab.main()
    press(page, "flip")
    assert "Throw a racket" in visible_text(page)
    send_message(lab.lesson, {"text": TEXT})
    enters(lab, 0)
    assert "Throw a racket" not in visible_text(page)


NONSENSE: list[Any] = [
    {"step": 2}, {"step": -1}, {"step": "0"}, {"step": True}, {"step": 0.0}, {"left": 1}, {"text": 3}, "step", {},
]  # fmt: skip


def test_nonsense_from_a_browser_does_nothing(lab):
    send_message(lab.lesson, {"text": TEXT})
    before = lab.explorer.history.now
    for message in NONSENSE:
        send_message(lab.lesson, message)
        assert lab.explorer.history.now == before and lab.lesson.lesson is not None, message


def test_what_is_wrong_with_a_lesson_of_ones_own_is_told(lab):
    lab.main()
    send_message(lab.lesson, {"text": TEXT})
    enters(lab, 1)
    send_message(lab.lesson, {"text": "Dear students,", "file": "letter.md"})
    report = json.loads(lab.lesson.content)
    assert (
        report["file"] == "letter.md"
        and "letter.md, line 1: it begins with its title" in report["errors"][0]
    )
    assert lab.lesson.lesson is None and shown(lab) == EVERYTHING, "the lesson before is closed"


@pytest.mark.exhaustive
def test_a_link_opens_a_lesson_with_its_own_first_setting_or_with_the_link_s():
    lesson, said = find_lesson({"lesson": "tennis-racket"})
    assert said == []
    lab = open_lab(lesson=lesson)
    assert lab.explorer.history.now == lesson.steps[0].choice
    own = replace(lab.explorer.history.now, dt=0.125)
    lab = open_lab(own, lesson=lesson, keeps_choice=True)
    enters(lab, 1)
    assert lab.explorer.history.now == own
    enters(lab, 2)
    assert lab.explorer.history.now == lesson.steps[2].choice
    assert find_lesson({"lesson": "nonsense"})[1] == [
        f"There is no lesson 'nonsense'; there are {', '.join(lessons.read_texts())}."
    ]
    assert open_page("?lesson=order")[1] == "Polhode"


# -------------------------------------------------------------------------------------------------
# facts


@cache
def run_step(key, number):
    """The runs of a step of a lesson, by their methods."""
    results = compute(lessons.find_lesson(key).steps[number - 1].choice)
    assert all(line.run.status == "done" for line in results.runs)
    return {line.label: line for line in results.runs}


def off(line):
    """The end error of the attitude."""
    return line.error.attitude[-1]


def energy(line):
    """The energy's largest deviation, relative to the first, and where it ends."""
    first = line.run.energy[0]
    return line.run.deviation("energy") / first, line.run.extrema["energy"].last / first


def turnings(line):
    """Times at which Ω₂ changes its sign."""
    return line.run.t[1:][np.diff(np.sign(line.run.Omega[:, 1])) != 0]


@pytest.mark.parametrize("key", first(lessons.read_texts(), 3))
def test_every_lesson_is_whole(key):
    lesson = lessons.find_lesson(key)
    assert lesson.title == lessons.list_outlines(lesson.space)[key].title and lesson.about
    for number, step in enumerate(lesson.steps, 1):
        assert step.words and (not step.question or step.reveal), step.title
        if step.choice is not None:
            run_step(key, number)
    assert any(step.question for step in lesson.steps)


def test_lists_say_whom_a_lesson_is_for_and_how_long_it_takes():
    outlines = lessons.list_outlines()
    assert set(outlines) == set(lessons.read_texts())
    for space in LABS:
        for key, outline in lessons.list_outlines(space).items():
            assert lessons.find_lesson(key).space == space and outline == outlines[key]
    for key, outline in outlines.items():
        assert outline.level and outline.level == lessons.find_lesson(key).level
        assert outline.level not in lessons.find_lesson(key).about
        assert f"{outline.title} <small>{outline.audience}" in menu_of_lessons(key)


def menu_of_lessons(key):
    """The menu of the lab that has this lesson."""
    space = lessons.find_lesson(key).space
    return unescape(Bar({}, space, "").html)


def test_a_longer_lesson_takes_more_minutes():
    text = lessons.read_texts()["tennis-racket"]
    first, _, rest = text.partition("\n## ")
    minutes = [lessons._estimate_minutes(first + n * f"\n## {rest}") for n in (0, 1, 3)]
    assert minutes[0] < minutes[1] < minutes[2] and all(m % 5 == 0 for m in minutes)


def test_a_level_stands_once_and_is_short():
    def read(*levels):
        lines = [f"Level: {level}" for level in levels]
        return lessons.parse_lesson("\n".join(["# Tea", *lines, "## Milk", "First."]))

    assert (read().level, read("School").level) == ("", "School")
    with pytest.raises(lessons.NoLesson, match="line 3: a lesson has one “Level:”"):
        read("School", "Graduate")
    with pytest.raises(lessons.NoLesson, match="at most 40 characters; this has 41"):
        read(41 * "x")


def list_sentences(text):
    """The sentences of a lesson, without its settings."""
    lines = (
        line
        for line in text.splitlines()
        if not line.startswith(("Lab:", "Look:", "Hide:", "Level:"))
    )
    words = re.sub(r"^(Question|Hint|Reveal): |^- \[.\] |^#+ ", "", "\n".join(lines), flags=re.M)
    sentences = (part for line in words.splitlines() for part in re.split(r"(?<=[.?!:]) ", line))
    return {sentence for sentence in sentences if len(sentence.split()) >= 5}


def test_a_sentence_of_a_lesson_stands_in_no_other_file():
    """A teacher who changes it changes one file."""
    root = Path(__file__).parents[2]
    own = {path for path in (root / "assets" / "lessons").glob("*.md")}
    sentences = {one for path in own for one in list_sentences(path.read_text(encoding="utf-8"))}
    assert len(sentences) > 100
    others = {
        path
        for folder in ("engine", "app", "assets", "docs", "tests", "benchmarks")
        for kind in ("py", "js", "md", "json", "toml", "css", "html")
        for path in (root / folder).rglob(f"*.{kind}")
        if "_build" not in path.parts
    }
    for path in others - own:
        text = " ".join(path.read_text(encoding="utf-8").split())
        assert not {sentence for sentence in sentences if sentence in text}, path


def test_the_example_of_the_documentation_is_a_lesson():
    text = (Path(__file__).resolve().parents[2] / "docs" / "how-to" / "teach.md").read_text(
        encoding="utf-8"
    )
    example = text.partition("```markdown\n")[2].partition("```")[0]
    assert [step.title for step in lessons.parse_lesson(example).steps] == ["Fast", "Slower"]


def test_the_tennis_racket():
    key = "tennis-racket"
    for number, axis in ((1, 0), (2, 2)):
        run = run_step(key, number)["EXACT"].run
        assert np.abs(run.Omega[:, axis] / run.Omega[0, axis] - 1).max() < 0.01
        assert np.abs(np.delete(run.Omega, axis, 1)).max() < 0.3
    gaps = []
    for number, gap in ((3, 5.5), (5, 8.2)):
        gaps.append(np.diff(turnings(run_step(key, number)["EXACT"])))
        assert gaps[-1] == pytest.approx(gap, abs=0.05)
    times = [
        float(t) for t in re.findall('data-at="(.*?)"', lessons.find_lesson(key).steps[2].reveal)
    ]
    run = run_step(key, 3)["EXACT"].run  # half-way over, upside down, and back
    assert np.interp(times, run.t, run.Omega[:, 1]) == pytest.approx((0, -3, 3), abs=0.05)
    choice = lessons.find_lesson(key).steps[4].choice.with_changes(Omega0=(0.001, 3.0, 0.0))
    gaps.append(np.diff(turnings(compute(choice).runs[0])))
    assert gaps[2] == pytest.approx(10.8, abs=0.07)
    assert np.diff([gap.mean() for gap in gaps]) == pytest.approx(2.7, abs=0.05)
    run = run_step(key, 6)["BUSS1"].run
    assert run.deviation("pi") < 1e-11
    assert (run.energy[0], run.energy[-1]) == pytest.approx((9, 18), rel=1e-3)
    assert np.abs(run.Omega[-1, 1:]).max() < 0.01 * abs(run.Omega[-1, 0])
    run = run_step(key, 6)["MR2"].run
    assert run.deviation("pi") < 1e-11 and np.diff(
        turnings(run_step(key, 6)["MR2"])
    ).mean() == pytest.approx(8.2, abs=0.05)
    assert (np.diff(run_step(key, 6)["BUSS1"].run.energy) > -1e-12).all()


def test_poinsot():
    key = "poinsot"
    run = run_step(key, 2)["EXACT"].run
    at = np.linalg.norm(run.Omega - run.Omega[0], axis=1)
    after = 40 + np.argmin(
        at[40:]
    )  # the polhode closes, and where it does the herpolhode is elsewhere
    in_space = run.R[[0, after]] @ run.Omega[[0, after], :, None]
    assert at[after] < 0.03 and np.linalg.norm(in_space[1] - in_space[0]) > 5 * at[after]
    run = run_step(key, 3)["EXACT"].run
    assert np.ptp(run.Omega[:, 2]) < 1e-12 and np.ptp(np.linalg.norm(run.Omega, axis=1)) < 1e-12
    nmb, akw = (run_step(key, 4)[name] for name in ("NMB", "AKW"))
    moved = np.linalg.norm(nmb.run.pi - nmb.run.pi[0], axis=1).max() / np.linalg.norm(nmb.run.pi[0])
    assert (moved, energy(nmb)[0]) == pytest.approx((0.006, 0.0029), rel=0.05)
    assert energy(akw)[0] < 1e-13 and akw.run.deviation("pi") < 1e-13
    assert (off(nmb), off(akw)) == pytest.approx((0.023, 1.8), rel=0.03)
    exact = engine.simulate("free", "EXACT", dt=0.5, duration=100)
    ends = akw.run
    assert np.linalg.norm(exact.Pi[-1] - ends.Pi[-1]) < 0.05 * np.linalg.norm(ends.Pi[-1])
    turn = ends.R[-1] @ exact.R[-1].T  # in space, and about π, against its sense
    axis = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    assert axis @ ends.pi[0] < -0.99 * np.linalg.norm(axis) * np.linalg.norm(ends.pi[0])


def test_energy_and_momentum_are_not_enough():
    lines = run_step("not-enough", 4)
    for label, error in {"AKW": 1.8, "DMV": 2.4, "SW-C1": 0.29}.items():
        line = lines[label]
        assert energy(line)[0] < 1e-13 and line.run.deviation("pi") < 1e-13
        assert off(line) == pytest.approx(error, rel=0.03)
    for line in run_step("not-enough", 3).values():
        by_time = line.error.attitude[np.searchsorted(line.error.t, (5, 10, 20, 40))] / (
            5,
            10,
            20,
            40,
        )
        assert by_time == pytest.approx(by_time.mean(), rel=0.15), line.label
    ends = [lines[label].run.R[-1] for label in ("AKW", "DMV", "SW-C1")]
    apart = [np.arccos((np.trace(one.T @ other) - 1) / 2) for one, other in combinations(ends, 2)]
    assert max(apart) == pytest.approx(2.3, abs=0.05) and max(apart) > np.pi / 2
    dmv = run_step("not-enough", 3)["DMV"].error.attitude
    assert dmv.max() > 3.1 and dmv[-1] < 2.5
    assert off(lines["NMB"]) == pytest.approx(0.023, rel=0.03)
    assert off(lines["SW-C1"]) / off(lines["NMB"]) == pytest.approx(12, abs=0.5)


def test_order():
    key = "order"
    assert off(run_step(key, 1)["NMB"]) == pytest.approx(0.0031, rel=0.02)
    assert off(run_step(key, 2)["NMB"]) == pytest.approx(0.00079, rel=0.02)
    before = run_step(key, 3)
    choice = lessons.find_lesson(key).steps[2].choice
    after = {line.label: line for line in compute(replace(choice, dt=0.125)).runs}
    for label, factor, error in (
        ("BUSS1", 1.6, 0.51), ("NMB", 4, 0.0002), ("BUSS3", 8, 0.00043), ("RK4-QUAT", 16, 0.000002),
    ):  # fmt: skip
        assert off(before[label]) / off(after[label]) == pytest.approx(factor, rel=0.03)
        assert off(after[label]) == pytest.approx(error, rel=0.03)
    assert off(before["BUSS3"]) > off(before["NMB"])
    lines = run_step(key, 4)
    assert off(lines["AKW"]) / off(lines["NMB"]) == pytest.approx(117, abs=1)


@pytest.mark.exhaustive
def test_why_symplectic():
    key = "symplectic"
    few, many, large, more = (run_step(key, number) for number in (1, 2, 3, 4))
    for lines in (few, many):
        assert energy(lines["MR2"])[0] == pytest.approx(0.0058, rel=0.02)
    assert energy(few["RK4-QUAT"])[0] == pytest.approx(4e-6, rel=0.02)
    assert energy(many["RK4-QUAT"])[1] == pytest.approx(1 - 0.018, abs=0.0005)
    assert (np.diff(few["RK4-QUAT"].run.energy) > 0).any()
    falls = large["RK4-QUAT"].run.energy
    assert (np.diff(falls[::1000]) < 0).all() and energy(large["RK4-QUAT"])[0] > 2 * energy(
        large["MR2"]
    )[0]
    rkmk = more["RKMK"].run
    assert energy(more["RKMK"])[1] == pytest.approx(1 - 0.36, abs=0.005)
    assert (1 - energy(more["RKMK"])[1]) / (1 - energy(more["RK4-QUAT"])[1]) == pytest.approx(
        20, abs=1
    )
    assert rkmk.extrema["orthogonality"].max < 1e-9 and rkmk.deviation("pi_norm") < 1e-9
    assert np.abs(rkmk.Omega[-1, :2]).max() < 0.01 * abs(rkmk.Omega[-1, 2])


def test_which_one_would_you_ship():
    key = "game"
    assert len(turnings(run_step(key, 1)["EXACT"])) > 10
    lines = run_step(key, 5)
    sizes = {
        label: np.linalg.norm(line.run.pi[-1]) / np.linalg.norm(line.run.pi[0])
        for label, line in lines.items()
    }
    for label, of_energy, of_momentum in (
        ("SEMI-EULER", 2.6, 1.6),
        ("NEWTON-1", 0.52, 0.72),
        ("BUSS1", 2.0, 1.0),
    ):
        assert energy(lines[label])[1] == pytest.approx(of_energy, rel=0.02)
        assert sizes[label] == pytest.approx(of_momentum, rel=0.02)
    assert (np.diff(lines["SEMI-EULER"].run.energy) > 0).all()
    run = lines["BUSS1"].run
    assert run.energy.max() <= np.dot(run.pi[0], run.pi[0]) / 2 * (1 + 1e-12)
    assert np.abs(run.Omega[-1, 1:]).max() < 0.01 * abs(run.Omega[-1, 0])
    assert energy(lines["MR2"])[0] == pytest.approx(2e-5, rel=0.05)
    assert off(lines["MR2"]) == pytest.approx(5e-4, rel=0.1)


@pytest.mark.exhaustive
def test_symplectic_or_energy_conserving():
    key = "two-promises"
    for number, errors in ((2, {"MR2": 0.87, "AKW": 0.38}), (3, {"MR2": 0.029, "AKW": 0.070})):
        lines = run_step(key, number)
        assert energy(lines["AKW"])[0] < 1e-13
        for label, error in errors.items():
            assert off(lines[label]) == pytest.approx(error, rel=0.02)
    assert energy(run_step(key, 2)["MR2"])[0] == pytest.approx(0.006, rel=0.02)
    lines = run_step(key, 4)
    assert energy(lines["RK4-QUAT"])[1] == pytest.approx(1 - 0.04, abs=0.0005)
    assert (np.diff(lines["RK4-QUAT"].run.energy[::1000]) < 0).all()
    assert (
        energy(lines["MR2"])[0] == pytest.approx(0.0085, rel=0.02)
        and energy(lines["AKW"])[0] < 1e-12
    )
    rounds = {}
    for label, line in run_step(key, 5).items():
        t, y = line.run.t, line.run.Omega[:, 1]
        at = np.flatnonzero(np.diff(np.sign(y)) != 0)
        zeros = t[at] - y[at] * (t[at + 1] - t[at]) / (y[at + 1] - y[at])
        rounds[label] = np.diff(zeros[::2]).mean()
    assert rounds == pytest.approx({"DMV": 32.8, "EXACT": 34.8}, abs=0.05)
    assert (
        energy(run_step(key, 5)["DMV"])[0] < 1e-13
        and run_step(key, 5)["DMV"].run.deviation("pi") < 1e-13
    )


def test_why_does_my_wing_nut_gain_energy():
    key = "wing-nut"
    flips = turnings(run_step(key, 1)["EXACT"])
    assert np.diff(flips) == pytest.approx(8.4, abs=0.05)
    text = lessons.read_texts()[key]
    lines = run_step(key, 6)
    rule, cure = re.findall("```text\n(.*?)```", text, re.DOTALL)
    for code, label in ((rule, "mujoco-euler"), (cure, "MR2")):
        for line in code.splitlines():
            assert f"    {line}\n" in write_pseudo_code(engine.algorithm(label)), (
                "the code of the page Engines"
            )
    assert [one.value for one in PROGRAMS["mujoco-euler"].defaults if one.option == "dt"] == [
        1 / 500
    ]
    euler, bullet, mr2 = lines.values()
    assert (energy(euler)[1], energy(bullet)[1]) == pytest.approx((1.55, 0.70), abs=0.005)
    assert np.linalg.norm(euler.run.pi[-1]) / np.linalg.norm(euler.run.pi[0]) == pytest.approx(
        1.24, abs=0.005
    )
    assert (np.diff(np.linalg.norm(euler.run.pi, axis=1)) > 0).all()
    assert len(turnings(bullet)) == len(flips), "it goes on flipping"
    assert energy(next(iter(run_step(key, 4).values())))[1] == pytest.approx(1.106, abs=0.0005)
    assert energy(mr2)[0] == pytest.approx(2.1e-5, rel=0.02) and off(mr2) == pytest.approx(
        3e-4, rel=0.02
    )


def test_two_bodies():
    key = "two-bodies"
    run = run_step(key, 2)["LGVI"].run
    spins = (run.R1 @ run.Pi1[:, :, None] + run.R2 @ run.Pi2[:, :, None])[:, :, 0]
    whole = np.linalg.norm(run.angular_momentum[0])
    assert np.linalg.norm(spins - spins[0], axis=1).max() / whole == pytest.approx(0.22, abs=0.005)
    assert run.deviation("angular_momentum") < 1e-13
    off_by = {}
    for number in (3, 4, 5):
        for label, line in run_step(key, number).items():
            change = (
                np.linalg.norm(
                    line.run.angular_momentum - line.run.angular_momentum[0], axis=1
                ).max()
                / whole
            )
            off_by[label] = energy(line)[0], change
    for label, (of_energy, of_momentum) in {
        "LGVI": (5.1e-5, 0),
        "RK2": (0.38, 0.034),
        "LGM": (0.0102, 0.0031),
    }.items():
        assert off_by[label] == pytest.approx((of_energy, of_momentum), rel=0.03, abs=1e-12)
    assert run_step(key, 3)["RK2"].run.extrema["orthogonality"].max == pytest.approx(1.9, abs=0.05)
    assert run_step(key, 4)["LGM"].run.extrema["orthogonality"].max < 1e-12
    assert off_by["LGVI"][0] / off_by["LGVI4"][0] == pytest.approx(70, abs=1)
    assert off_by["LGM"][0] / off_by["LGVI"][0] == pytest.approx(200, rel=0.02)


def drift(line):
    """The attitude error at the end over the time, in degrees an hour."""
    return np.degrees(line.error.attitude[-1]) * 3600 / line.error.t[-1]


def test_is_normalising_harmful():
    key = "normalising"
    (long,) = run_step(key, 2).values()
    assert long.run.norm[-1] - 1 == pytest.approx(0.16, abs=0.005)
    assert (long.run.norm[-1] ** 10) == pytest.approx(4.5, abs=0.05)
    off = [line.error.attitude for line in run_step(key, 3).values()]
    assert np.abs(off[0] - off[1]).max() < 1e-12 and off[0][-1] > 0.01
    drifts = [drift(line) for number in (3, 4) for line in run_step(key, number).values()]
    assert drifts == pytest.approx([325] * 5, abs=1)
    cheap, _, single = run_step(key, 4).values()
    assert abs(cheap.run.norm[-1] - 1) == pytest.approx(3e-10, rel=0.2)
    assert 3e-9 < abs(single.run.norm[-1] - 1) < 3e-8
    plain, corrected = map(drift, run_step(key, 5).values())
    assert corrected == pytest.approx(0.8, abs=0.01)
    assert plain / corrected == pytest.approx(400, rel=0.03)


def test_why_does_a_spinning_phone_drift():
    key = "spinning-phone"
    drifts = {
        number: [drift(line) for line in run_step(key, number).values()] for number in range(2, 6)
    }
    assert drifts[2] == pytest.approx([509], abs=1)
    assert np.degrees(run_step(key, 2).popitem()[1].error.attitude[-1]) == pytest.approx(
        1.4, abs=0.05
    )
    assert drifts[3] == pytest.approx([509, 2.5], rel=0.02)
    assert drifts[4] == pytest.approx([2.53, 0.005, 0.0003], rel=0.15)
    assert drifts[5] == pytest.approx([3839, 78], rel=0.01)
    assert drifts[5][0] / drifts[2][0] == pytest.approx(7.5, abs=0.05)
    assert drifts[5][1] / drifts[3][1] == pytest.approx(2**5, rel=0.05)
    assert drifts[5][0] / drifts[5][1] == pytest.approx(50, rel=0.05)


def test_every_wrong_answer_has_a_hint():
    for key in lessons.read_texts():
        for step in lessons.find_lesson(key).steps:
            for i in range(len(step.answers)):
                assert bool(step.hints[i]) == (i != step.right), f"{key}: {step.title}"


@pytest.mark.parametrize("space", list(LABS))
def test_the_words_above_the_pictures_lead_to_a_lesson(space):
    headline = Headline(LABS[space], lambda: None)
    results = compute(FIRST[space])
    headline.show_results(results, LABS[space].ledger.table(results))
    key = LABS[space].lesson
    assert f"href='?lesson={key}'>Lesson: {lessons.find_lesson(key).title}</a>" in headline.html


def test_the_runs_are_not_exported_before_a_question_is_answered(lab):
    lab.main()
    send_message(lab.lesson, {"text": TEXT})
    for step, is_answered, is_offered in ((0, False, True), (1, False, False), (1, True, True)):
        enters(lab, step, answered=is_answered)
        menu = lab.downloads.panel.html
        assert "Copy link" in menu
        for entry in ("Download runs (CSV)", "Download live demo", "Embed"):
            assert (entry in menu) == is_offered, (entry, step, is_answered)


def test_they_lead_nowhere_on_another_kind_of_problem_or_while_a_lesson_is_open(lab):
    def leads():
        return {words for words in ("See it flip", "?lesson=") if words in lab.headline.html}

    assert len(leads()) == 2
    send_message(lab.lesson, {"text": "# Mine\n\n## One\n\nLook.\n"})
    enters(lab, 0)
    assert not leads()
    send_message(lab.lesson, {"left": True})
    assert len(leads()) == 2
    lab.explorer.choose(Choice("slow-top", ("NMB",), 0.01, 1.0))
    assert not leads()


def test_the_example_of_a_flip_is_not_offered_where_the_body_flips():
    headline = Headline(LABS["so3"], lambda: None)
    steady = FIRST["so3"]
    racket = next(preset.choice for preset in PRESETS if preset.key == LABS["so3"].showcase)
    flips = replace(racket, dt=racket.dt / 2)
    for choice, is_offered in ((steady, True), (flips, False)):
        results = compute(choice)
        headline.show_results(results, LABS["so3"].ledger.table(results))
        assert (FLIPS in headline.html) != is_offered
        assert ("See it flip" in headline.html) == is_offered


def test_the_page_of_engines_leads_to_its_lesson():
    html = introduction_html(choose_program("jolt"))
    assert f"href='?lesson=wing-nut'>Lesson: {lessons.find_lesson('wing-nut').title}</a>" in html


# -------------------------------------------------------------------------------------------------
# in one file


@pytest.mark.exhaustive
def test_a_lesson_in_one_file_has_its_text_and_the_demos_of_its_settings(
    tmp_path, capsys, monkeypatch
):
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    text = TEXT.replace("Some *words*", "![A picture](a.png)").replace(
        "Hide: Plots, table", "Hide: picture, plots, table"
    )
    text = text.replace(
        "Question:", "Lab: ?problem=free&J=1,2,3&methods=EXACT&dt=0.1&duration=20\nQuestion:", 1
    )
    (tmp_path / "own.md").write_text(text, encoding="utf-8")
    html = app.lesson(str(tmp_path / "own.md")).html
    packed = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    data = json.loads(packed[1])
    assert [step["title"] for step in data["lesson"]["steps"]] == ["First", "Second"]
    assert 'src="data:image/png;base64,iVBORw0KGgo="' in data["lesson"]["steps"][0]["words"]
    first, second = data["settings"]
    assert (first["page"], second["page"], first["hidden"]) == (0, 1, [])
    held, seen = answered(
        "return [said.second.hidden, []].map(hidden => writeAddress(said.second, hidden));",
        second=second,
    )
    assert (
        "play=held" in held
        and "show=body&" in held
        and "controls=none" in held
        and "Predict+first" in held
    )
    assert "play" not in seen and "show=poinsot&controls=duration&" in seen, (
        "the exact motion alone"
    )
    shown = "return said.looks.map(plots => writeAddress({...said.first, look: {plots}}, []));"
    for plots, words in zip(
        answered(shown, first=first, looks=["What is kept", "Motion", "Steps"]),
        (
            "poinsot%2Cenergy%2C",
            "poinsot%2Cmotion%2C",
            "poinsot%2Csteps%2Corthogonality%2Cattitude%2C",
        ),
        strict=True,
    ):
        assert f"show={words}" in plots and "ledger&controls=dt%2Cmethods" in plots
    for page in data["pages"]:
        assert set(re.findall(r"<!--(\w+)-->", page)) <= set(data["texts"])
    monkeypatch.setattr(entry_points, "_find_function", lambda name: getattr(app, name))
    monkeypatch.chdir(tmp_path)
    assert main(["lesson", "own.md", "--out", "own.html"]) == 0
    assert (tmp_path / "own.html").read_text(encoding="utf-8") == html
    assert "own.html: " in capsys.readouterr().out


def test_the_command_tells_every_error_with_its_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(entry_points, "_find_function", lambda name: getattr(app, name))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.png").write_bytes(b"")
    (tmp_path / "in").mkdir()
    text = TEXT.replace("sphere", "sphare").replace("Because", "![a](../secret.png)")
    (tmp_path / "in" / "own.md").write_text(text, encoding="utf-8")
    assert main(["lesson", "in/own.md"]) == 2
    said = capsys.readouterr().err
    assert (
        "own.md, line 8: “Look:” knows no 'sphare'" in said
        and "own.md, line 15: the picture '../secret.png'" in said
    )
    assert main(["lesson"]) == 2 and main(["lesson", "nowhere.md"]) != 0
    assert not list(tmp_path.glob("*.html"))
