"""The widgets: problem, methods, Δt, duration, and what each of these can be told besides."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import panel as pn

import engine
from engine.algorithms.composition import COMPOSITIONS
from engine.body import Body
from engine.problems import Posed, posed
from engine.problems.problem import DT, DURATION
from engine.spec import OneOf, Parameter, Switch
from engine.wording import sentence

from ..model import session
from ..model.entries import DOUBLE, HALVE, SLIDERS, FormField, entry, numbers, said
from ..model.excerpt import WHOLE, Excerpt
from ..model.results import COLOURS
from ..model.session import Choice, Refused
from ..model.subject import SUBJECTS
from . import lists
from .form import Form
from .methods import chips, picker
from .picker import Picker
from .shapes import Shapes
from .sheet import Sheet

PLAIN = "none"
"""Stands for no composition."""
OF_A_RUN = (DT.name, DURATION.name)


class Chooser:
    """All that a person can choose.

    `changed(choice, dragging)` is called with each new choice that holds, `released()` when a slider is let go.
    An excerpt has some of the fields alone.
    """

    def __init__(
        self,
        choice: Choice,
        changed: Callable[[Choice, bool], Any],
        released: Callable[[], Any] = lambda: None,
        excerpt: Excerpt = WHOLE,
    ) -> None:
        self.choice, self._changed, self._released, self._excerpt = choice, changed, released, excerpt
        self._shown: Choice | None = None
        self.problem = Picker(
            self._new_problem,
            label="Problem",
            groups=lists.problems(choice.space),
            about="What moves: a body, how it starts, and the torque on it.",
        )
        self._about = Sheet(style="about", margin=(-4, 12, 4, 12))
        self.cases = Form(self._new_option)
        self.methods = picker(self._add, choice.space, "Up to four")
        # Room for three, so that nothing below moves when a third comes.
        room = {"min-height": "81px"}
        self._chosen = Sheet(self._remove, "chips", styles=room, margin=(-4, 10, 0, 12))
        self.form = Form(self._typed, released)
        self.shapes = Shapes(self.take_body)
        self.options = Form(
            self._new_method_option,
            title=SUBJECTS[choice.space].options,
            folded=True,
        )
        self.options.param.watch(lambda _: self._show_method_options(), "folded")
        shapes = [self.shapes.form] if SUBJECTS[choice.space].shaped else []
        parts = [
            *([self.problem, self._about, self.cases] if excerpt.asks("problem") else []),
            *([self.methods, self._chosen] if excerpt.asks("methods") else []),
            self.form,
            *([*shapes, self.options] if excerpt.controls is None else []),
        ]
        self.panel = pn.Column(*parts, sizing_mode="stretch_width", margin=(10, 0, 0, 0))
        self.show(choice)

    # ------------------------------------------------------------------ what is shown

    def show(self, choice: Choice) -> None:
        """Let the widgets say what is chosen."""
        shown, self._shown, self.choice = self._shown, choice, choice
        problem = choice.built()
        self.problem.value = problem.key
        times = {"dt": numbers(choice.dt), "duration": numbers(choice.duration)}
        if shown is None or shown.problem != choice.problem:
            self._about.html = f"<div class='about'>{problem.summary}</div>"
            self._show_cases(problem)
            fields = [*SLIDERS, *map(entry, _asked(problem))]
            asked = [field for field in fields if self._excerpt.asks(field.name)]
            self.form.ask(asked, times | self._parameters(problem))
        else:
            again = shown.changes != choice.changes
            self.form.fill(times | (self._parameters(problem) if again else {}))
            self.form.accept()
        if shown is None or shown.methods != choice.methods:
            self._chosen.html = chips(choice.methods, COLOURS, choice.space)
            self._show_method_options()
        self.problem.wrong = self.methods.wrong = ""
        for name, words in problem.remarks.items():
            if name in self.form.values:
                self.form.refuse(name, words)

    def refuse(self, refused: Refused) -> None:
        """Say at the widget why something cannot be had."""
        parameter = self.choice.built().declared.get(refused.field)
        words = str(refused)
        if parameter:
            words = re.sub(rf"\b{parameter.name}\b", parameter.title, words, count=1, flags=re.IGNORECASE)
        asked = {"methods": self.methods, "problem": self.problem}.get(refused.field)
        if asked is not None:
            asked.wrong = words
        else:
            (self.cases if refused.field in self.cases.values else self.form).refuse(refused.field, words)

    # ------------------------------------------------------------------ changes

    def _set(self, name: str, value: Any, dragging: bool = False) -> None:
        self._propose(dataclasses.replace(self.choice, **{name: value}), dragging, name)

    def take_body(self, body: Body) -> None:
        """A shape's or a mesh's inertia is the body's from now on; `Refused` if the problem has no such body."""
        choice = session.checked(self.choice.with_changes(J=body.J))
        if choice != self.choice:
            self.show(choice)
            self._changed(choice, False)

    def dragging(self, name: str) -> Callable[[Any, bool], None] | None:
        """What is told a parameter of the problem that is dragged in a picture, and whether it is held still.

        None, if what is shown does not ask for it.
        """

        def dragged(value: Any, held: bool) -> None:
            self._propose(self.choice.with_changes(**{name: value}), dragging=True, field=name)
            if not held:
                self._released()

        return dragged if self._excerpt.asks(name) else None

    def _add(self, key: str) -> None:
        """Another method."""
        self._set("methods", (*self.choice.methods, key))

    def _remove(self, _: str, label: str) -> None:
        """One method less."""
        self._set("methods", tuple(method for method in self.choice.methods if method != label))

    def _typed(self, name: str, text: str, dragging: bool) -> None:
        """A time, or a parameter of the problem."""
        if name in (HALVE, DOUBLE):
            self._set("dt", self.choice.dt * (0.5 if name == HALVE else 2))
            return
        parameter = self.choice.built().declared[name]
        try:
            value = parameter.typed(text) if text.strip() or name in OF_A_RUN else None
        except ValueError as error:
            self.refuse(Refused(name, sentence(str(error))))
            return
        if name in OF_A_RUN:
            self._set(name, value, dragging)
        else:
            self._propose(self.choice.with_changes(**{name: value}), field=name)

    def _propose(self, choice: Choice, dragging: bool = False, field: str = "") -> None:
        try:
            choice = session.checked(choice)
        except Refused as refused:
            self.refuse(Refused(field, str(refused)) if field and refused.field == "problem" else refused)
            return
        changed = choice != self.choice
        with pn.io.hold():  # what is shown here and what comes of it reach the browser as one
            self.show(choice)
            if changed:
                self._changed(choice, dragging)

    def _new_problem(self, key: str) -> None:
        self._propose(session.of_problem(key, self.choice))

    def _new_option(self, name: str, value: str, _: bool) -> None:
        before = posed(self.choice.problem)
        try:
            after = before.replace(**before.typed({name: value}))
        except ValueError:
            return
        # What the option settles is its own from now on.
        changes = tuple((p, x) for p, x in self.choice.changes if np.array_equal(before.value(p), after.value(p)))
        self._propose(dataclasses.replace(self.choice, problem=after.label, changes=changes))

    def _new_method_option(self, name: str, text: str, _: bool) -> None:
        """An option of a method, or what it is composed or corrected by; `name` begins with the method's number."""
        i, _blank, name = name.partition(" ")
        try:
            method = _changed(self.choice.method(self.choice.methods[int(i)]), name, text)
        except ValueError as error:
            self.options.refuse(f"{i} {name}", sentence(str(error)))
            return
        self.options.accept()
        labels = list(self.choice.methods)
        labels[int(i)] = method.label
        self._set("methods", tuple(labels))

    # ------------------------------------------------------------------ parts

    def _show_cases(self, problem: Posed) -> None:
        """The choices that change which problem it is, such as the soft wall's sign."""
        cases = [p for p in problem.specific if p.choices and p.matters(problem.values)]
        self.cases.ask(list(map(entry, cases)), {p.name: said(p, problem.values[p.name]) for p in cases})

    def _parameters(self, problem: Posed) -> dict[str, str]:
        return {p.name: said(p, problem.value(p.name)) for p in _asked(problem)}

    def _show_method_options(self) -> None:
        """For each method what can be asked of it, and what it can be composed or corrected by; none while folded."""
        fields: list[FormField] = []
        values: dict[str, str] = {}
        labels = () if self.options.folded else self.choice.methods
        for i, (label, colour) in enumerate(zip(labels, COLOURS, strict=False)):
            fields.append(FormField(f"{i} ", label, kind="words", colour=colour))
            for option, value in _options(self.choice.method(label), self.choice.built()):
                fields.append(dataclasses.replace(entry(option), name=f"{i} {option.name}"))
                values[fields[-1].name] = said(option, value)
        self.options.ask(fields, values)


ENERGY = Parameter(
    "energy correction", Switch(), "Buss's correction after each step, for free bodies", label="Energy correction"
)
COMPOSITION = Parameter(
    "composition",
    OneOf(
        dict.fromkeys((PLAIN, *COMPOSITIONS)), {c.key: f"{c.name}, order {c.order}" for c in COMPOSITIONS.values()}
    ),
    "a symmetric composition to order four, six or eight",
    label="Composition",
)
"""Among a method's options; none of its own has such a name."""


def _options(method: engine.Method, problem: Posed) -> list[tuple[Parameter, Any]]:
    """A method's options, the energy correction and the compositions where they fit, and their values."""
    found = [(option, method.chosen.get(option.name, option.default)) for option in method.asked]
    base = engine.algorithm(method.key, space=method.space, **dict(method.chosen))
    if method.energy_correction or (
        _fits(base.with_energy_correction) and not session.fitting(("BUSS3+E",), problem)
    ):
        found.append((ENERGY, method.energy_correction))
    if _fits(lambda: base.composed("yoshida4")):
        found.append((COMPOSITION, method.composition.key if method.composition else PLAIN))
    return found


def _changed(before: engine.Method, name: str, text: str) -> engine.Method:
    """The method with something else chosen; `ValueError` in one sentence if it cannot be."""
    corrected, by = before.energy_correction, before.composition.key if before.composition else PLAIN
    method = engine.algorithm(before.key, space=before.space, **dict(before.chosen))
    if name == ENERGY.name:
        corrected = ENERGY.parsed(text)
    elif name == COMPOSITION.name:
        by = COMPOSITION.parsed(text)
    else:
        method = method.with_options(**{name: text})
    method = method.with_energy_correction() if corrected else method
    return method if by == PLAIN else method.composed(by)


def _asked(problem: Posed) -> list[Parameter]:
    """The parameters that are typed, of those that matter."""
    return [p for p in session.asked_of(problem).values() if p.matters(problem.values)]


def _fits(ask: Callable[[], Any]) -> bool:
    try:
        ask()
    except ValueError:
        return False
    return True
