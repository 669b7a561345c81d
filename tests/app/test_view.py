"""How a page is looked at: the same words in links, presets and lessons, and the address that keeps up with it."""

from __future__ import annotations

from itertools import chain

import pytest
from visiting import sends

import engine
from app.model import lessons, view
from app.model.excerpt import Excerpt
from app.model.presets import OF_TWO_BODIES, PRESETS
from app.model.session import WORDS, Choice
from app.model.subject import SUBJECTS
from app.model.view import View
from app.page import Explorer, view_of
from app.player.component import Player
from app.takeaway import link

RACKET = next(preset for preset in PRESETS if preset.key == "racket")


def test_a_link_has_what_is_not_as_a_page_begins():
    assert View().query() == {}
    looked = View("sphere", "axis 1", "Motion", "Linear", "Absolute", "Π", "1/4", "racket", (-0.9, 0.2, 1.05))
    assert looked.query()["camera"] == "-0.9,0.2,1.05" and set(looked.query()) == set(view.WORDS)
    assert view_of(looked.query()) == (looked, [])
    assert view_of({"picture": "SPHERE", "plots": "motion"}) == (View("sphere", plots="Motion"), [])
    for preset in PRESETS:
        assert view_of(preset.view.query()) == (preset.view, [])
    for preset in OF_TWO_BODIES:
        assert view_of(preset.view.query(), "se3") == (preset.view, [])


@pytest.mark.parametrize("word, text, said", [
    ("picture", "top", "picture: it cannot be 'top'; it is Poinsot, body, sphere or flat."),
    ("speed", "0", "speed: it cannot be '0'; it is “fit”, or a number such as 2 or 1/4."),
    ("camera", "1,2", "camera: it cannot be '1,2'; it is azimuth, elevation up to 1.5"),
    ("camera", "nan,0,1", "camera: it cannot be"),
    ("camera", "0,1.6,1", "camera: it cannot be"),
    ("axis", "x" * 99, f"axis: it cannot be '{'x' * 40}'; it is Log or Linear."),
])  # fmt: skip
def test_what_a_view_cannot_be_is_told(word, text, said):
    found, (notice,) = view_of({word: text})
    assert found == View() and said in notice


def test_words_of_a_link_are_no_parameters():
    own = chain.from_iterable(problem.declared for space in SUBJECTS for problem in engine.problems(space))
    assert not set(own) & (set(WORDS) - {"dt", "duration"})
    for subject in SUBJECTS.values():
        words = [word for known in view.choices(subject).values() for word in known]
        assert len(words) == len(set(words)), "a lesson tells them by themselves"


def test_a_page_is_opened_as_its_link_says_and_tells_how_it_is_looked_at():
    lab = Explorer(RACKET.choice, seen=RACKET.view)
    assert lab.view == RACKET.view
    (player,) = lab.main().select(Player)
    assert player.look == [1, "1/2", [-0.9, 0.2, 1.05], True]

    def browser(name, value):
        assert player.takes(name, value)
        setattr(player, name, value)

    before = lab.bridge.state
    browser("camera", [0.5, 0.25, 2.0])
    browser("speed", "4")
    assert lab.bridge.state == before, "nothing is computed for that"
    browser("body", "book")
    lab.plots.axis = "Linear"
    now = View("body", plots="Motion", axis="Linear", speed="4", shape="book", camera=(0.5, 0.25, 2.0))
    assert lab.view == now and lab.takeaway.panel.texts["link"] == link(RACKET.choice, view=now)
    lab.undo()
    assert lab.view == now
    lab._pictures.chosen = ["|Π| sphere"]
    assert lab.view.picture == "sphere" and lab.view.camera == ()
    lab._pictures.chosen = ["Body in space"]
    assert lab.view == now
    for name, value in (("camera", [1, 2]), ("camera", ["a", 0, 1]), ("camera", "0,0,1"), ("speed", "-1")):
        assert not player.takes(name, value)
    lab._picked("racket")
    assert lab.view == RACKET.view and player.look[0] == 2


def test_what_is_seen_along_is_kept_for_motions_with_torque_and_without():
    seen = View("flat", along="ω")
    lab = Explorer(Choice("slow-top", ("NMB",), 0.01, 1), seen=seen)
    assert lab.view == seen
    assert Explorer(seen=View("sphere", along="axis 1")).view == View("sphere", along="axis 1")
    part = Explorer(seen=View(plots="Motion"), shown=Excerpt(("energy",)))
    assert part.view == View(), "it has no such plots"


def test_a_lesson_takes_a_link_with_its_view():
    text = "# A\n## B\nw\nLab: ?problem=free&methods=NMB&picture=body&camera=0,0.5,2&speed=1/4\n"
    text += "Look: Linear, absolute\n"
    lab = Explorer()
    lab.plots.vector = "Π"
    sends(lab._lesson, {"text": text})
    sends(lab._lesson, {"step": 0, "answered": False, "entered": True})
    assert lab.view == View("body", axis="Linear", errors="Absolute", vector="Π", speed="1/4", camera=(0, 0.5, 2))
    with pytest.raises(lessons.NoLesson, match="Line 4 of the lesson: picture: it cannot be 'head'"):
        lessons.parsed(text.replace("picture=body", "picture=head"))
