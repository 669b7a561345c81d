"""Views: the same words in links, presets and lessons, and the address that follows the view."""

from __future__ import annotations

from itertools import chain

import pytest
from page_driver import send_message

import engine
from app.pages.lab import open_lab
from app.pages.routes import read_view
from app.scene.player import Player
from app.state import lessons, view
from app.state.choice import Choice
from app.state.excerpt import Excerpt
from app.state.labs import LABS
from app.state.links import WORDS, link
from app.state.presets import PRESETS, list_presets
from app.state.view import View

RACKET = next(preset for preset in PRESETS if preset.key == "racket")


def test_a_link_has_what_is_not_as_a_page_begins():
    assert View().query() == {}
    camera = (-0.9, 0.2, 1.05)
    looked = View(
        "sphere",
        "axis 1",
        "Motion",
        "Linear",
        "Absolute",
        "Π",
        "1/4",
        "racket",
        "side-by-side",
        camera,
        "Dashed",
    )
    assert looked.query()["camera"] == "-0.9,0.2,1.05" and set(looked.query()) == set(view.WORDS)
    assert read_view(looked.query()) == (looked, [])
    assert read_view({"picture": "SPHERE", "plots": "motion"}) == (
        View("sphere", plots="Motion"),
        [],
    )
    for preset in PRESETS:
        assert read_view(preset.view.query()) == (preset.view, [])
    for preset in list_presets("se3"):
        assert read_view(preset.view.query(), "se3") == (preset.view, [])


@pytest.mark.parametrize("word, text, said", [
    ("picture", "top", "picture: it cannot be 'top'; it is Poinsot, body, momentum, sphere or flat."),
    ("speed", "0", "speed: it cannot be '0'; it is “fit”, or a number such as 2 or 1/4."),
    ("camera", "1,2", "camera: it cannot be '1,2'; it is azimuth, elevation up to 1.5"),
    ("camera", "nan,0,1", "camera: it cannot be"),
    ("camera", "0,1.6,1", "camera: it cannot be"),
    ("axis", "x" * 99, f"axis: it cannot be '{'x' * 40}'; it is Log or Linear."),
])  # fmt: skip
def test_what_a_view_cannot_be_is_told(word, text, said):
    found, (notice,) = read_view({word: text})
    assert found == View() and said in notice


def test_words_of_a_link_are_no_parameters():
    own = chain.from_iterable(
        problem.declarations for space in LABS for problem in engine.problems(space)
    )
    assert not set(own) & (set(WORDS) - {"dt", "duration"})
    for lab in LABS.values():
        words = [word for known in lab.view_words.values() for word in known]
        assert len(words) == len(set(words)), "a lesson names them without their group"


def test_a_page_is_opened_as_its_link_says_and_tells_how_it_is_looked_at():
    lab = open_lab(RACKET.choice, view=RACKET.view)
    assert lab.view == RACKET.view
    (player,) = lab.main().select(Player)
    number, *look = player.look
    assert look == ["1/2", [-0.9, 0.2, 1.05], True]

    def browser(name, value):
        assert player.accepts(name, value)
        setattr(player, name, value)

    before = lab.explorer.api.state
    browser("camera", [0.5, 0.25, 2.0])
    browser("speed", "4")
    assert lab.explorer.api.state == before, "nothing is computed for that"
    browser("body", "book")
    lab.plots.axis = "Linear"
    now = View(
        "body", plots="Motion", axis="Linear", speed="4", shape="book", camera=(0.5, 0.25, 2.0)
    )
    assert lab.view == now and lab.downloads.panel.texts["link"] == link(RACKET.choice, view=now)
    lab.explorer.undo()
    assert lab.view == now
    lab.stage.switches.chosen = ["From above"]
    assert lab.view.picture == "sphere" and lab.view.camera == ()
    lab.stage.switches.chosen = ["Body in space"]
    assert lab.view == now
    browser("layout", "side-by-side")
    lab.stage.switches.chosen = ["From above"]
    lab.stage.switches.chosen = ["Poinsot"]
    assert lab.view.layout == "side-by-side" == lab.stage.picture().panel.layout, (
        "all pictures have it"
    )
    lab.stage.switches.chosen = ["Body in space"]
    browser("layout", "overlaid")
    for name, value in (
        ("layout", "above"),
        ("camera", [1, 2]),
        ("camera", ["a", 0, 1]),
        ("camera", "0,0,1"),
        ("speed", "-1"),
    ):
        assert not player.accepts(name, value)
    lab.explorer.open_preset("racket")
    assert lab.view == RACKET.view and player.look[0] == number + 1


@pytest.mark.exhaustive
def test_what_is_seen_along_is_kept_for_motions_with_torque_and_without():
    seen = View("flat", along="ω")
    lab = open_lab(Choice("slow-top", ("NMB",), 0.01, 1), view=seen)
    assert lab.view == seen
    assert open_lab(view=View("sphere", along="axis 1")).view == View("sphere", along="axis 1")
    part = open_lab(view=View(plots="Motion"), excerpt=Excerpt(("energy",)))
    assert part.view == View(), "it has no such plots"


def test_a_lesson_takes_a_link_with_its_view():
    text = "# A\n## B\nw\nLab: ?problem=free&methods=NMB&picture=body&camera=0,0.5,2&speed=1/4\n"
    text += "Look: Linear, absolute\n"
    lab = open_lab()
    lab.plots.vector = "Π"
    send_message(lab.lesson, {"text": text})
    send_message(lab.lesson, {"step": 0, "answered": False, "entered": True})
    assert lab.view == View(
        "body", axis="Linear", errors="Absolute", vector="Π", speed="1/4", camera=(0, 0.5, 2)
    )
    with pytest.raises(lessons.NoLesson, match="The lesson, line 4: picture: it cannot be 'head'"):
        lessons.parse_lesson(text.replace("picture=body", "picture=head"))


def test_a_preset_s_sentence_disappears_when_its_setting_changes():
    lab = open_lab()
    lab.explorer.open_preset("racket")
    assert "turns over" in lab.explorer.notice.html
    lab.chooser.form.enter("dt", lab.chooser.form.values["dt"])
    assert "turns over" in lab.explorer.notice.html, "the same step again"
    lab.chooser.form.enter("dt", "0.25")
    assert "turns over" not in lab.explorer.notice.html
