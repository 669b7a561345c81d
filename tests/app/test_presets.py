"""Presets, and random settings."""

from __future__ import annotations

import dataclasses
import re
from random import Random

import numpy as np
import pytest
from covering import covering, first

import engine
from app.state.choice import Choice, validate
from app.state.fitting import find_misfits
from app.state.links import read_query
from app.state.pages.paper_gallery import find_choice
from app.state.presets import PRESETS
from app.state.presets.load import parse_presets
from app.state.presets.preset import of_figure
from app.state.presets.surprise import some_spin, surprise
from app.state.results import compute
from app.state.view import View
from engine import papers
from engine.papers import buss

MOST_STEPS = 20_000
"""Longer runs are cut here: in no preset does the ending of a run depend on its length."""
BY_KEY = {preset.key: preset for preset in PRESETS}


def shorten(choice: Choice) -> Choice:
    return dataclasses.replace(choice, duration=choice.dt * min(choice.steps, MOST_STEPS))


def test_keys_are_names_of_one():
    assert len(BY_KEY) == len(PRESETS)
    assert all(preset.title and preset.sentence.endswith(".") for preset in PRESETS)


@pytest.mark.parametrize("preset", first(PRESETS, 5), ids=lambda preset: preset.key)
def test_presets_are_allowed_and_their_runs_end_as_said(preset):
    assert validate(preset.choice) == preset.choice
    choice = shorten(preset.choice)
    problem = choice.build_problem()
    assert not find_misfits(choice.methods, problem)
    ended = {m: engine.simulate(problem, m, dt=choice.dt, duration=choice.duration, samples=10).status
             for m in choice.methods}  # fmt: skip
    assert ended == {method: preset.ends.get(method, "done") for method in choice.methods}


@pytest.mark.parametrize(
    "preset",
    covering(PRESETS, by=lambda preset: (preset.choice.problem,)),
    ids=lambda preset: preset.key,
)
def test_a_link_leads_to_a_preset(preset):
    choice, notices = read_query(preset.choice.query())
    assert notices == []
    assert dataclasses.replace(choice, dt=preset.choice.dt) == preset.choice
    assert choice.dt == pytest.approx(preset.choice.dt, rel=1e-11)


@pytest.mark.parametrize("figure", papers.figures(), ids=lambda figure: figure.key)
def test_a_preset_takes_what_a_figure_declares(figure):
    assert validate(of_figure(figure.key)) == find_choice(figure.setting)
    changed = of_figure(figure.key, methods="NMB DMV", dt=0.25, problem="free")
    assert (changed.problem, changed.methods, changed.dt) == ("free", ("NMB", "DMV"), 0.25)
    assert changed.duration == figure.setting.duration


@pytest.mark.parametrize(
    "key, said",
    [("racket", 1.15), ("racket-nut", 4.19), ("racket-off", 5.79), ("racket-near", 13.765)],
)
def test_a_flip_is_at_the_time_that_is_said(key, said):
    assert f"{said:g}" in BY_KEY[key].sentence
    body = BY_KEY[key].choice.build_problem()
    before, after = engine.exact(body, [said - 0.005, said + 0.005]).Pi @ body.Pi0
    assert before > 0 > after


def energy_swing(key: str, method: str) -> float:
    choice = BY_KEY[key].choice
    run = engine.simulate(
        choice.build_problem(), method, dt=choice.dt, duration=choice.duration, every=choice.every
    )
    energy = run.extrema["energy"]
    return float((energy.max - energy.min) / abs(run.energy[0]))


@pytest.mark.parametrize(("dt", "swing"), [(4, 0.136), (2, 0.0426), (1, 0.01144), (0.5, 0.002914)])
def test_the_first_figure_swings_as_told(dt, swing):
    assert energy_swing(f"krysl-endres-1-2-dt{dt}", "NMB") == pytest.approx(swing, rel=5e-3)


@pytest.mark.parametrize(("dt", "time"), [(0.1, 11.3), (0.05, 13.0), (0.025, 15.9), (0.0125, 19.9)])
def test_hstagm_goes_astray_when_it_is_told(dt, time):
    choice = BY_KEY[f"krysl-endres-11-12-unstable-dt{dt:g}"].choice
    run = engine.simulate(choice.build_problem(), "HSTAGM", dt=choice.dt, duration=choice.duration)
    beyond = run.t[np.abs(run.energy - run.energy[0]) > abs(run.energy[0])]
    assert beyond[0] == pytest.approx(time, abs=0.06)


def test_eighty_times_nearer():
    results = compute(validate(BY_KEY["krysl-endres-4-dt1-256"].choice))
    off = {line.label: line.error.last.spectral for line in results.lines}
    assert off["AKW"] / off["NMB"] == pytest.approx(80.7, rel=0.01)


def test_the_tables_have_their_energies():
    choice = BY_KEY["buss-5-h0.02-1"].choice
    run = engine.simulate(choice.build_problem(), "BUSS3", dt=choice.dt, duration=choice.duration)
    assert run.energy[-1] == pytest.approx(101.390, abs=6e-4)


@pytest.mark.parametrize("key", first(["buss-6-T0.4-N37", "buss-6-T4-N652", "buss-7-T40-N11621"]))
def test_the_third_order_corrected_gets_there_before_the_fourth(key):
    results = compute(validate(BY_KEY[key].choice))
    off = {line.label: line.error.last.attitude for line in results.lines}
    assert off["BUSS3+E"] <= 1e-3 < off["BUSS4"]


@pytest.mark.parametrize("seed", covering(range(40), by=lambda seed: (0,)))
def test_a_surprise_is_sane(seed):
    choice = surprise(Random(seed))
    assert validate(choice) == choice
    assert 1 < len(choice.methods) <= 3 and 100 <= choice.steps <= 3000
    problem = choice.build_problem()
    assert not find_misfits(choice.methods, problem)
    for method in choice.methods:
        run = engine.simulate(problem, method, dt=choice.dt, duration=choice.duration)
        assert run.status in ("done", "no-solution")
        assert len(run) > 20
    assert read_query(choice.query()) == (choice, [])


def test_the_columns_of_a_table_are_the_papers():
    for figure, steps in (("4", buss.FIGURE_4_STEPS), ("5", buss.FIGURE_5_STEPS)):
        choices = [one.choice for one in PRESETS if re.fullmatch(rf"buss-{figure}-h.*-1", one.key)]
        assert tuple((choice.dt, choice.steps + 1) for choice in choices) == steps
    printed = (("6", buss.FIGURE_6_GOALS, buss.FIGURE_6), ("7", buss.FIGURE_7_GOALS, buss.FIGURE_7))
    goals = [(figure, duration) for figure, goals, _ in printed for duration, *_ in goals]
    counts = [n for _, _, rows in printed for n in rows["BUSS3+E"] if n is not None]
    keys = [one.key for one in PRESETS if re.match("buss-[67]", one.key)]
    assert keys == [
        f"buss-{figure}-T{T:g}-N{n}" for (figure, T), n in zip(goals, counts, strict=True)
    ]


SPIN = """
[[preset]]
key = "spin-<x>"
group = "Your own"
cases = [{x = 1, most = 2}]
title = "About axis <x>"
sentence = "It turns by [{} rad]."
evidence = [{near = "attitude", value = "<most>", of = ["NMB", "AKW"]}]
setting = {problem = "custom", methods = "NMB AKW", dt = "1/4", duration = 10}
view = {picture = "body", camera = "1,0.5,2"}
"""


def test_a_preset_is_read_from_its_table():
    (preset,) = parse_presets(SPIN)
    assert (preset.key, preset.heading, preset.title) == ("spin-1", "Your own", "About axis 1")
    assert preset.sentence == "It turns by 2 rad."
    assert [(fact.of, fact.low) for fact in preset.sentence.marks[0][1]] == [("NMB", 2), ("AKW", 2)]
    assert preset.choice == Choice("custom", ("NMB", "AKW"), 0.25, 10.0)
    assert preset.view == View("body", camera=(1.0, 0.5, 2.0))


@pytest.mark.parametrize(
    ("right", "wrong", "why"),
    [
        ('title = "About axis <x>"', "", "title"),
        ("About axis <x>", "About axis <y>", "'y'"),
        ("[[preset]]", "[[preset]]\ncolour = 1", "colour"),
        ("Your own", "My own", "there is no group 'My own'"),
        ("near =", "nearly =", "nearly"),
        ("[{} rad]", "{} rad", "1 pieces of evidence for 0 marks"),
        (
            'evidence = [{near = "attitude", value = "<most>", of = ["NMB", "AKW"]}]',
            "",
            "for 1 marks",
        ),
        ('picture = "body"', 'scene = "body"', "scene"),
        ('problem = "custom"', 'problem = "costume"', "costume"),
    ],
)
def test_a_wrong_table_is_refused_with_its_key(right, wrong, why):
    assert SPIN.count(right) == 1
    with pytest.raises(ValueError, match=r"^preset 'spin-<x>': ") as refused:
        list(parse_presets(SPIN.replace(right, wrong)))
    assert why in str(refused.value)


def test_a_body_spins_in_any_direction_at_the_speed_that_was_drawn():
    spins = np.array([some_spin(Random(seed), 2.0) for seed in range(40)])
    assert np.linalg.norm(spins, axis=1) == pytest.approx(2.0, abs=2e-3)
    assert (spins.max(axis=0) > 1).all() and (spins.min(axis=0) < -1).all()


def test_surprises_differ():
    assert len({surprise(Random(seed)).problem for seed in range(40)}) > 4
