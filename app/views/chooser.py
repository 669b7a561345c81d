"""The widgets: problem, methods, Δt, duration, and what each of these can be told besides."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

import numpy as np
import panel as pn
import panel_material_ui as pmui

import engine
from engine.algorithms.composition import COMPOSITIONS
from engine.algorithms.method import Choice as Named
from engine.body import Body
from engine.problems import Posed, posed

from .. import session
from ..results import COLOURS
from ..session import Choice, Refused
from . import offered
from .entries import TextEntry, accept, fill, number, numbers, refuse, told, typed
from .methods import CHIPS, ROOM, chips
from .picker import Picker
from .shapes import Shapes
from .sheet import Sheet

NARROW = {"minWidth": "34px", "padding": "6px 4px"}
ABOUT = ".about { font-size: 12px; line-height: 1.35; opacity: .78; margin: 0 }"

NAMES = {
    "J": "Inertia J₁, J₂, J₃",
    "Omega0": "Angular velocity Ω₀",
    "R0": "Attitude R₀, a rotation vector",
    "Omega1": "Angular velocity Ω₁",
    "Omega2": "Angular velocity Ω₂",
    "X": "Place of body 1, from body 2",
    "V": "Velocity of body 1, from body 2",
    "R1": "Attitude R₁, a rotation vector",
    "R2": "Attitude R₂, a rotation vector",
    "G": "Constant of gravity G",
    "drift": "Velocity of the centre of mass",
    **{f"{letter}{i}": f"{what} of dumbbell {i}" for i in "12" for letter, what in (("m", "Mass"), ("l", "Length"))},
    "case": "Case",
}
"""What parameters are called on the page."""
PLAIN = "none"
"""Stands for no composition."""


class Chooser:
    """All that a person can choose.

    `changed(choice, dragging)` is called with each new choice that holds, `released()` when a slider is let go.
    """

    def __init__(
        self, choice: Choice, changed: Callable[[Choice, bool], Any], released: Callable[[], Any] = lambda: None
    ) -> None:
        self._released = released
        self.choice, self._changed, self._quiet = choice, changed, False
        self._shown: Choice | None = None
        self.problem = Picker(
            self._new_problem,
            label="Problem",
            groups=offered.problems(choice.space),
            helper_text="What moves: a body, how it starts, and the torque on it.",
        )
        self._about = Sheet(style=ABOUT, margin=(-4, 12, 4, 12))
        self._problem_options = pn.Column(sizing_mode="stretch_width", margin=0)
        self.methods = Picker(
            self._add,
            label="Methods",
            groups=offered.methods(choice.space),
            search=True,
            placeholder="Add one: key, name or family",
            helper_text="Up to four; type a key, a name, a family or another name.",
        )
        self._chosen = Sheet(self._remove, CHIPS + ROOM, margin=(-4, 10, 0, 12))
        self.dt, self._dt_slider = self._number("Δt", "the step, in the problem's unit of time", "dt", -4, 1)
        self.duration, self._duration_slider = self._number(
            "Duration", "how long to run, in the problem's unit of time", "duration", -1, 5
        )
        narrow: dict[str, Any] = {"size": "small", "variant": "text", "sx": NARROW, "margin": 0, "align": "center"}
        halve = pmui.Button(label="½×", description="Halve Δt", **narrow)
        double = pmui.Button(label="2×", description="Double Δt", **narrow)
        halve.on_click(lambda _: self._set("dt", self.choice.dt / 2))
        double.on_click(lambda _: self._set("dt", self.choice.dt * 2))
        self._parameters = pn.Column(sizing_mode="stretch_width", margin=0)
        self._shapes = Shapes(self.take_body)
        self._method_options = pn.Column(sizing_mode="stretch_width", margin=0)
        self._details = pmui.Details(
            self._method_options,
            title="Energy correction, composition, options" if choice.space == "so3" else "Composition, options",
            collapsed=True,
            outlined=False,
            sizing_mode="stretch_width",
            margin=(4, 0),
            sx={"& .MuiTypography-root": {"fontSize": 13}},
        )
        self._details.param.watch(lambda _: self._build_method_options(), "collapsed")
        self._fields: dict[str, Any] = {}
        self._entries: dict[tuple[str, str], Any] = {}
        self.panel = pn.Column(
            self.problem,
            self._about,
            self._problem_options,
            self.methods,
            self._chosen,
            pn.Row(self.dt, halve, double, sizing_mode="stretch_width", margin=(8, 0, 0, 0), align="center"),
            self._dt_slider,
            self.duration,
            self._duration_slider,
            self._parameters,
            *([self._shapes.panel] if choice.space == "so3" else []),
            self._details,
            sizing_mode="stretch_width",
            margin=(10, 0, 0, 0),
        )
        self.show(choice)

    # ------------------------------------------------------------------ what is shown

    @contextmanager
    def _silently(self) -> Any:
        before, self._quiet = self._quiet, True
        try:
            yield
        finally:
            self._quiet = before

    def show(self, choice: Choice) -> None:
        """Let the widgets say what is chosen, without that being a change."""
        shown, self._shown, self.choice = self._shown, choice, choice
        problem = choice.built()
        with self._silently():
            self.problem.value = problem.key
            for name, widget, slider in (
                ("dt", self.dt, self._dt_slider),
                ("duration", self.duration, self._duration_slider),
            ):
                value = getattr(choice, name)
                fill(widget, number(value))
                if rounded(10 ** (slider.value / 100)) != value:
                    place = round(100 * math.log10(value)) if value > 0 else slider.start
                    slider.value = min(max(place, slider.start), slider.end)
            if shown is None or shown.problem != choice.problem:
                self._about.html = f"<div class='about'>{problem.summary}</div>"
                self._build_problem_options(problem)
                self._build_parameters(problem)
            elif shown.changes != choice.changes or any(entry.error_state for entry in self._fields.values()):
                self._fill_parameters(problem)
            if shown is None or shown.methods != choice.methods:
                self._chosen.html = chips(choice.methods, COLOURS, choice.space)
                self._build_method_options()
        self._clear()

    def refuse(self, refused: Refused) -> None:
        """Say at the widget why something can not be had."""
        widget = {"dt": self.dt, "duration": self.duration, "methods": self.methods, "problem": self.problem}.get(
            refused.field, self._fields.get(refused.field)
        )
        if widget is not None and "error_state" in widget.param:
            words = str(refused).replace(refused.field, NAMES.get(refused.field, refused.field))
            refuse(widget, words)

    def _clear(self) -> None:
        for widget in (self.dt, self.duration, self.methods, self.problem, *self._entries.values()):
            accept(widget)

    # ------------------------------------------------------------------ changes

    def _set(self, name: str, value: Any, dragging: bool = False) -> None:
        if not self._quiet:
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

    def _number_typed(self, name: str, text: str) -> None:
        if self._quiet:
            return
        try:
            self._set(name, float(text))
        except ValueError:
            self.refuse(Refused(name, "A number is wanted here, like 0.05 or 1e-3."))

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

    # ------------------------------------------------------------------ parts

    def _number(self, label: str, doc: str, field: str, low: int, high: int) -> tuple[Any, Any]:
        """An entry for exact numbers, and a slider for their logarithm."""
        entry = TextEntry(label=label, size="small", sizing_mode="stretch_width", **told(doc))
        # In hundredths of a power of ten: Shift and the page keys move sliders by ten of their units.
        slider = pmui.IntSlider(
            label=f"{label} by powers of ten", start=100 * low, end=100 * high, show_value=False, size="small",
            sizing_mode="stretch_width", margin=(-14, 18, 0, 18), tooltips=False, sx={"& label": {"display": "none"}},
        )  # fmt: skip
        # With each move Panel would tell all that shows whether the server is busy, of which there is nothing here.
        slider._busy__ignore = ["value", "value_throttled"]
        entry.param.watch(lambda event: self._number_typed(field, event.new), "value")
        slider.param.watch(lambda _: self._released(), "value_throttled")
        slider.param.watch(lambda event: self._set(field, rounded(10 ** (event.new / 100)), dragging=True), "value")
        return entry, slider

    def _build_problem_options(self, problem: Posed) -> None:
        """The choices that change which problem it is, such as the soft wall's sign."""
        widgets = []
        for name, parameter in ((p.name, p) for p in problem.specific if p.choices):
            widget = pmui.Select(
                label=NAMES.get(name, name), options=list(parameter.choices), value=problem.values[name],
                size="small", sizing_mode="stretch_width", **told(parameter.doc),
            )  # fmt: skip
            widget.param.watch(lambda event, name=name: self._new_option(name, event.new), "value")
            widgets.append(widget)
        _put(self._problem_options, widgets)

    def _new_option(self, name: str, value: str) -> None:
        if not self._quiet:
            before = posed(self.choice.problem)
            after = before.replace(**{name: value})
            was, comes = before.parameters, after.parameters
            # What the option settles is its own from now on.
            changes = tuple(
                (p, x) for p, x in self.choice.changes if np.array_equal(was[p].default, comes[p].default)
            )
            self._propose(dataclasses.replace(self.choice, problem=after.label, changes=changes))

    def _build_parameters(self, problem: Posed) -> None:
        """An entry for each parameter of the problem; those that were made for another are used again."""
        names = (*session.COMMON[self.choice.space], *(p.name for p in problem.specific if not p.choices))
        self._fields = {name: self._entry(name, problem.parameters[name].doc) for name in names}
        wanted, there = list(self._fields.values()), self._parameters.objects
        if [entry for entry in there if entry in wanted] != wanted:
            self._parameters.objects = wanted + [entry for entry in there if entry not in wanted]
        for entry in self._parameters.objects:
            # A style hides it; if it were gone or invisible for Bokeh, all of the page would be laid out anew.
            entry.styles = {} if entry in wanted else {"display": "none"}
        self._fill_parameters(problem)

    def _entry(self, name: str, doc: str) -> Any:
        if (name, doc) not in self._entries:
            label = NAMES.get(name, name)
            entry = TextEntry(label=label, size="small", sizing_mode="stretch_width", **told(doc))
            entry.param.watch(lambda event: self._new_parameter(name, event.new), "value")
            self._entries[name, doc] = entry
        return self._entries[name, doc]

    def _fill_parameters(self, problem: Posed) -> None:
        for name, entry in self._fields.items():
            fill(entry, numbers(_shown_value(problem, name)))

    def _new_parameter(self, name: str, text: str) -> None:
        if self._quiet:
            return
        try:
            value = typed(text)
        except ValueError as error:
            self.refuse(Refused(name, f"{str(error)[0].upper()}{str(error)[1:]}."))
            return
        if value:
            self._propose(self.choice.with_changes(**{name: value if len(value) > 1 else value[0]}), field=name)
        else:
            self._propose(self.choice.with_changes(**{name: None}), field=name)

    def _build_method_options(self) -> None:
        """For each method its options, the energy correction and the compositions that fit; none while folded."""
        parts: list[Any] = []
        labels = () if self._details.collapsed else self.choice.methods
        for i, (label, colour) in enumerate(zip(labels, COLOURS, strict=False)):
            method = self.choice.method(label)
            dot = f"<span style='color:{colour}'>●</span>"
            parts.append(
                pn.pane.HTML(
                    f"<div class='about'>{dot} <b>{label}</b></div>", margin=(6, 10, 0, 10), stylesheets=[ABOUT]
                )
            )
            parts += self._options_of(i, method)
        _put(self._method_options, parts)

    def _options_of(self, i: int, method: engine.Method) -> list[Any]:
        widgets: list[Any] = []
        for option in method.options:
            value = method.option_values()[option.name]
            common = {"label": option.name, "value": value, "size": "small", **told(option.doc)}
            if isinstance(option, Named):
                widget = pmui.Select(options=list(option.choices), **common)
            else:
                widget = pmui.FloatInput(start=option.low, end=option.high, mode="", **common)
            widget.param.watch(lambda event, name=option.name: self._new_method(i, **{name: event.new}), "value")
            widgets.append(widget)
        base = engine.algorithm(method.key, space=method.space, **dict(method.chosen))
        if _fits(base.with_energy_correction):
            switch = pmui.Switch(
                label="Energy correction", value=method.energy_correction, size="small",
                description="Buss's correction after each step, for free bodies.",
            )  # fmt: skip
            switch.param.watch(lambda event: self._new_method(i, energy=event.new), "value")
            widgets.append(switch)
        if _fits(lambda: base.composed("yoshida4")):
            select = pmui.Select(
                label="Composition", options=[PLAIN, *COMPOSITIONS], size="small",
                value=method.composition.key if method.composition else PLAIN,
                **told("A symmetric composition to order four, six or eight."),
            )  # fmt: skip
            select.param.watch(lambda event: self._new_method(i, compose=event.new), "value")
            widgets.append(select)
        for widget in widgets:
            widget.sizing_mode = "stretch_width"
        return widgets

    def _new_method(self, i: int, energy: bool | None = None, compose: str | None = None, **options: Any) -> None:
        if self._quiet:
            return
        before = self.choice.method(self.choice.methods[i])
        method = engine.algorithm(before.key, space=before.space, **(dict(before.chosen) | options))
        if before.energy_correction if energy is None else energy:
            method = method.with_energy_correction()
        name = (before.composition.key if before.composition else PLAIN) if compose is None else compose
        try:
            method = method if name == PLAIN else method.composed(name)
        except ValueError as error:
            self.refuse(Refused("methods", f"{str(error)[0].upper()}{str(error)[1:]}."))
            return
        labels = list(self.choice.methods)
        labels[i] = method.label
        self._set("methods", tuple(labels))


def _put(column: pn.Column, parts: list[Any]) -> None:
    """The parts of a column, where they are others: to lay it out is much work in the browser."""
    if column.objects != parts:
        column.objects = parts


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


def rounded(value: float) -> float:
    """A slider's value with two digits, as in 0.025."""
    return float(f"{value:.2g}")
