"""The widgets: problem, methods, Δt, duration, and what each of these can be told besides."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import panel as pn

import engine
from engine.algorithms.composition import COMPOSITIONS
from engine.algorithms.method import Choice as Named
from engine.body import Body
from engine.problems import Posed, posed

from ..model import session
from ..model.entries import number, numbers, sentence, typed
from ..model.labels import label as called
from ..model.labels import offered as worded
from ..model.results import COLOURS
from ..model.session import Choice, Refused
from ..model.subject import SUBJECTS
from . import offered
from .form import ON, Field, Form
from .methods import chips
from .picker import Picker
from .shapes import Shapes
from .sheet import Sheet

PLAIN = "none"
"""Stands for no composition."""
HALVE, DOUBLE = "halve", "double"
TIMES = (
    Field(
        "dt", "Δt", "The step, in the problem's unit of time.", "scale", ends=(-4, 1),
        buttons=((HALVE, "½×", "Halve Δt"), (DOUBLE, "2×", "Double Δt")),
    ),
    Field("duration", "Duration", "How long to run, in the problem's unit of time.", "scale", ends=(-1, 5)),
)  # fmt: skip


class Chooser:
    """All that a person can choose.

    `changed(choice, dragging)` is called with each new choice that holds, `released()` when a slider is let go.
    """

    def __init__(
        self, choice: Choice, changed: Callable[[Choice, bool], Any], released: Callable[[], Any] = lambda: None
    ) -> None:
        self.choice, self._changed = choice, changed
        self._shown: Choice | None = None
        self.problem = Picker(
            self._new_problem,
            label="Problem",
            groups=offered.problems(choice.space),
            about="What moves: a body, how it starts, and the torque on it.",
        )
        self._about = Sheet(style="about", margin=(-4, 12, 4, 12))
        self.cases = Form(self._new_option)
        self.methods = Picker(
            self._add,
            label="Methods",
            groups=offered.methods(choice.space),
            search=True,
            placeholder="Add one: key, name or family",
            about="Up to four; type a key, a name, a family or another name.",
        )
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
        self.panel = pn.Column(
            self.problem,
            self._about,
            self.cases,
            self.methods,
            self._chosen,
            self.form,
            *([self.shapes.form] if SUBJECTS[choice.space].shaped else []),
            self.options,
            sizing_mode="stretch_width",
            margin=(10, 0, 0, 0),
        )
        self.show(choice)

    # ------------------------------------------------------------------ what is shown

    def show(self, choice: Choice) -> None:
        """Let the widgets say what is chosen."""
        shown, self._shown, self.choice = self._shown, choice, choice
        problem = choice.built()
        self.problem.value = problem.key
        times = {"dt": number(choice.dt), "duration": number(choice.duration)}
        if shown is None or shown.problem != choice.problem:
            self._about.html = f"<div class='about'>{problem.summary}</div>"
            self._show_cases(problem)
            fields = [*TIMES, *(_entry(name, problem) for name in _names(choice.space, problem))]
            self.form.ask(fields, times | self._parameters(problem))
        else:
            again = shown.changes != choice.changes
            self.form.fill(times | (self._parameters(problem) if again else {}))
            self.form.accept()
        if shown is None or shown.methods != choice.methods:
            self._chosen.html = chips(choice.methods, COLOURS, choice.space)
            self._show_method_options()
        for picker in (self.problem, self.methods):
            picker.wrong = ""

    def refuse(self, refused: Refused) -> None:
        """Say at the widget why something cannot be had."""
        words = str(refused).replace(refused.field, called(refused.field, self.choice.built().key))
        picker = {"methods": self.methods, "problem": self.problem}.get(refused.field)
        if picker is not None:
            picker.wrong = words
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
        try:
            value: Any = _number(text) if name in ("dt", "duration") else typed(text)
        except ValueError as error:
            self.refuse(Refused(name, sentence(str(error))))
            return
        if name in ("dt", "duration"):
            self._set(name, value, dragging)
        else:
            value = (value if len(value) > 1 else value[0]) if value else None
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
        if value not in before.parameters[name].choices:
            return
        after = before.replace(**{name: value})
        was, comes = before.parameters, after.parameters
        # What the option settles is its own from now on.
        changes = tuple((p, x) for p, x in self.choice.changes if np.array_equal(was[p].default, comes[p].default))
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
        cases = [p for p in problem.specific if p.choices]
        fields = [
            Field(
                p.name, called(p.name, problem.key), sentence(p.doc), "menu",
                options=tuple(p.choices), words=[worded(p.name, choice, problem.key) for choice in p.choices],
            )
            for p in cases
        ]  # fmt: skip
        self.cases.ask(fields, {p.name: problem.values[p.name] for p in cases})

    def _parameters(self, problem: Posed) -> dict[str, str]:
        return {name: numbers(_shown_value(problem, name)) for name in _names(self.choice.space, problem)}

    def _show_method_options(self) -> None:
        """For each method its options, the energy correction and the compositions that fit; none while folded."""
        fields: list[Field] = []
        values: dict[str, str] = {}
        labels = () if self.options.folded else self.choice.methods
        for i, (label, colour) in enumerate(zip(labels, COLOURS, strict=False)):
            fields.append(Field(f"{i} ", label, kind="words", colour=colour))
            for field, value in _options(self.choice.method(label), self.choice.built()):
                fields.append(dataclasses.replace(field, name=f"{i} {field.name}"))
                values[fields[-1].name] = value
        self.options.ask(fields, values)


ENERGY, COMPOSITION = "energy correction", "composition"
"""Among a method's options; none of its own has such a name."""


def _options(method: engine.Method, problem: Posed) -> list[tuple[Field, str]]:
    """A method's options, the energy correction and the compositions where they fit, and what each says."""
    found = []
    values = method.option_values()
    for option in method.options:
        if isinstance(option, Named):
            words = [worded(option.name, choice, method.key) for choice in option.choices]
            name, about = called(option.name, method.key), sentence(option.doc)
            field = Field(option.name, name, about, "menu", options=tuple(option.choices), words=words)
        else:
            field = Field(option.name, called(option.name, method.key), sentence(option.doc))
        value = values[option.name]
        found.append((field, value if isinstance(value, str) else number(value)))
    base = engine.algorithm(method.key, space=method.space, **dict(method.chosen))
    if method.energy_correction or (_fits(base.with_energy_correction) and _is_free(problem)):
        about = "Buss's correction after each step, for free bodies."
        field = Field(ENERGY, "Energy correction", about, "switch")
        found.append((field, ON if method.energy_correction else ""))
    if _fits(lambda: base.composed("yoshida4")):
        about = "A symmetric composition to order four, six or eight."
        keys = (PLAIN, *COMPOSITIONS)
        words = [worded(COMPOSITION, key) for key in keys]
        field = Field(COMPOSITION, "Composition", about, "menu", options=keys, words=words)
        found.append((field, method.composition.key if method.composition else PLAIN))
    return found


def _changed(before: engine.Method, name: str, text: str) -> engine.Method:
    """The method with something else chosen; `ValueError` in one sentence if it cannot be."""
    chosen = dict(before.chosen)
    option = next((option for option in before.options if option.name == name), None)
    if option is not None:
        chosen[name] = text if isinstance(option, Named) else _number(text)
    method = engine.algorithm(before.key, space=before.space, **chosen)
    if text == ON if name == ENERGY else before.energy_correction:
        method = method.with_energy_correction()
    by = text if name == COMPOSITION else before.composition.key if before.composition else PLAIN
    return method if by == PLAIN else method.composed(by)


def _entry(name: str, problem: Posed) -> Field:
    return Field(name, called(name, problem.key), sentence(problem.parameters[name].doc))


def _names(space: str, problem: Posed) -> tuple[str, ...]:
    """The parameters that are typed, of those that matter."""
    typed = (p.name for p in problem.specific if not p.choices and p.matters(problem.values))
    return (*session.COMMON[space], *typed)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError("a number is wanted here, like 0.05 or 1e-3") from None


def _is_free(problem: Posed) -> bool:
    """Whether no torque acts on a body, so that the energy correction can be had."""
    return not session.fitting(("BUSS3+E",), problem)


def _fits(ask: Callable[[], Any]) -> bool:
    try:
        ask()
    except ValueError:
        return False
    return True


def _shown_value(problem: Any, name: str) -> Any:
    if name == "J":
        return np.diag(problem.J) if np.array_equal(problem.J, np.diag(np.diag(problem.J))) else problem.J
    if name in ("R0", "R1", "R2"):
        from engine.algebra import Mat3, log

        return list(log(Mat3(*getattr(problem, name).ravel())))
    return problem.values[name] if name in problem.values else getattr(problem, name)
