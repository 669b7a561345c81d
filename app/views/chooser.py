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

from .. import session
from ..results import COLOURS
from ..session import Choice, Refused

NARROW = {"minWidth": "34px", "padding": "6px 4px"}
ABOUT = ".about { font-size: 12px; line-height: 1.35; opacity: .78; margin: 0 }"

PLAIN = "none"
"""Stands for no composition."""


def numbers(value: Any) -> str:
    """Numbers as a person types them."""
    return ", ".join(f"{x:.8g}" for x in np.ravel(value).tolist())


def typed(text: str) -> tuple[float, ...]:
    """What a person typed, as numbers; `ValueError` in one sentence if it is none."""
    parts = [part for part in text.replace(";", ",").replace("(", " ").replace(")", " ").split(",") if part.strip()]
    try:
        return tuple(float(part) for part in parts)
    except ValueError:
        raise ValueError("numbers with commas between them are wanted here, like 0.9, 1.1, 1.7") from None


class Chooser:
    """All that a person can choose; `changed(choice, dragging)` is called with each new choice that holds."""

    def __init__(self, choice: Choice, changed: Callable[[Choice, bool], Any]) -> None:
        self.choice, self._changed, self._quiet = choice, changed, False
        groups: dict[str, dict[str, str]] = {}
        for problem in engine.problems():
            groups.setdefault(problem.group, {})[problem.name] = problem.key
        self.problem = pmui.Select(
            label="Problem", groups=groups, size="small", sizing_mode="stretch_width",
            description="What moves: a body, how it starts, and the torque on it.",
        )  # fmt: skip
        self._about = pn.pane.HTML(sizing_mode="stretch_width", margin=(-4, 12, 4, 12), stylesheets=[ABOUT])
        self._problem_options = pn.Column(sizing_mode="stretch_width", margin=0)
        self.methods = pmui.MultiChoice(
            label="Methods", max_items=session.MOST_METHODS, visual_size="small", searchable=True,
            sizing_mode="stretch_width", options=self._method_names(choice.methods),
            description="Up to four; search by key, name, family or another name.",
        )  # fmt: skip
        self.dt, self._dt_slider = self._number("Δt", "the step, in the problem's unit of time", "dt", -4, 1)
        self.duration, self._duration_slider = self._number(
            "Duration", "how long to run, in the problem's unit of time", "duration", -1, 5
        )
        halve = pmui.Button(label="½×", size="small", variant="text", sx=NARROW, margin=0, description="Halve Δt")
        double = pmui.Button(label="2×", size="small", variant="text", sx=NARROW, margin=0, description="Double Δt")
        halve.on_click(lambda _: self._set("dt", self.choice.dt / 2))
        double.on_click(lambda _: self._set("dt", self.choice.dt * 2))
        self._parameters = pn.Column(sizing_mode="stretch_width", margin=0)
        self._method_options = pn.Column(sizing_mode="stretch_width", margin=0)
        self._details = pmui.Details(
            self._method_options, title="Energy correction, composition, options", collapsed=True,
            sizing_mode="stretch_width", outlined=False, margin=(4, 0),
        )  # fmt: skip
        self._fields: dict[str, Any] = {}
        self.panel = pn.Column(
            self.problem,
            self._about,
            self._problem_options,
            self.methods,
            pn.Row(self.dt, halve, double, sizing_mode="stretch_width", margin=0),
            self._dt_slider,
            self.duration,
            self._duration_slider,
            self._parameters,
            self._details,
            sizing_mode="stretch_width",
        )
        self.problem.param.watch(lambda event: self._new_problem(event.new), "value")
        self.methods.param.watch(lambda event: self._set("methods", tuple(event.new)), "value")
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
        shown = getattr(self, "_shown", None)
        self.choice, self._shown = choice, choice
        problem = choice.built()
        with self._silently():
            self.problem.value = problem.key
            if shown is None or set(choice.methods) - set(self.methods.options.values()):
                self.methods.options = self._method_names(choice.methods)
            self.methods.value = list(choice.methods)
            for name, widget, slider in (
                ("dt", self.dt, self._dt_slider),
                ("duration", self.duration, self._duration_slider),
            ):
                value = getattr(choice, name)
                if widget.value != value:
                    widget.value = value
                exponent = math.log10(value) if value > 0 else slider.start
                if abs(slider.value - exponent) > 1e-6:
                    slider.value = min(max(exponent, slider.start), slider.end)
            if shown is None or shown.problem != choice.problem:
                self._about.object = f"<div class='about'>{problem.summary}</div>"
                self._build_problem_options(problem)
                self._build_parameters(problem)
            elif shown.changes != choice.changes:
                self._fill_parameters(problem)
            if shown is None or shown.methods != choice.methods:
                self._build_method_options(choice.methods)
        self._clear()

    def refuse(self, refused: Refused) -> None:
        """Say at the widget why something can not be had."""
        widget = {"dt": self.dt, "duration": self.duration, "methods": self.methods, "problem": self.problem}.get(
            refused.field, self._fields.get(refused.field)
        )
        if widget is not None and "error_state" in widget.param:
            widget.param.update(error_state=True, helper_text=str(refused))

    def _clear(self) -> None:
        for widget in (self.dt, self.duration, self.methods, self.problem, *self._fields.values()):
            if "error_state" in widget.param and widget.error_state:
                widget.param.update(error_state=False, helper_text="")

    # ------------------------------------------------------------------ changes

    def _set(self, name: str, value: Any, dragging: bool = False) -> None:
        if not self._quiet:
            self._propose(dataclasses.replace(self.choice, **{name: value}), dragging, name)

    def _set_number(self, name: str, value: float | None) -> None:
        if value is not None:
            self._set(name, float(value))

    def _propose(self, choice: Choice, dragging: bool = False, field: str = "") -> None:
        try:
            choice = session.checked(choice)
        except Refused as refused:
            self.refuse(Refused(field, str(refused)) if field and refused.field == "problem" else refused)
            return
        if choice != self.choice:
            self.show(choice)
            self._changed(choice, dragging)
        else:
            self._clear()

    def _new_problem(self, key: str) -> None:
        if not self._quiet and key is not None:
            self._propose(session.of_problem(key, self.choice))

    # ------------------------------------------------------------------ parts

    def _number(self, label: str, doc: str, field: str, low: float, high: float) -> tuple[Any, Any]:
        """An entry for exact numbers, and a slider for their logarithm."""
        entry = pmui.FloatInput(
            label=label, value=getattr(self.choice, field), size="small", sizing_mode="stretch_width",
            description=f"{doc[0].upper()}{doc[1:]}.", mode="",
        )  # fmt: skip
        slider = pmui.FloatSlider(
            label=f"{label} by powers of ten", start=low, end=high, step=0.01, show_value=False, size="small",
            sizing_mode="stretch_width", margin=(-14, 18, 0, 18), tooltips=False, sx={"& label": {"display": "none"}},
            value=min(max(math.log10(getattr(self.choice, field) or 10**low), low), high),
        )  # fmt: skip
        entry.param.watch(lambda event: self._set_number(field, event.new), "value")
        slider.param.watch(lambda event: self._set(field, rounded(10**event.new), dragging=True), "value")
        return entry, slider

    def _method_names(self, chosen: tuple[str, ...]) -> dict[str, str]:
        """What is offered: every method under a text that has all its names, and those chosen with options."""
        names = {}
        for method in engine.algorithms():
            if method.space == "so3":
                told = [method.key, method.name, method.family, ", ".join(method.aliases)]
                names[" · ".join(part for part in told if part)] = method.key
        for label in chosen:
            if label not in names.values():
                names[f"{label} · {engine.algorithm(label).name}"] = label
        return names

    def _build_problem_options(self, problem: engine.Problem) -> None:
        """The choices that change which problem it is, such as the soft wall's sign."""
        widgets = []
        for parameter in (p for p in problem.specific if p.choices):
            widget = pmui.Select(
                label=parameter.name, options=list(parameter.choices), value=problem.values[parameter.name],
                size="small", sizing_mode="stretch_width", description=parameter.doc,
            )  # fmt: skip
            widget.param.watch(lambda event, name=parameter.name: self._new_option(name, event.new), "value")
            widgets.append(widget)
        self._problem_options.objects = widgets

    def _new_option(self, name: str, value: str) -> None:
        if not self._quiet:
            changed = self.choice.built().replace(**{name: value})
            self._propose(dataclasses.replace(self.choice, problem=changed.label))

    def _build_parameters(self, problem: engine.Problem) -> None:
        """An entry for each parameter of the problem."""
        self._fields = {}
        names = {"J": "Inertia J₁, J₂, J₃", "Omega0": "Angular velocity Ω₀", "R0": "Attitude R₀, a rotation vector"}
        specific = [p.name for p in problem.specific if not p.choices]
        for name in (*session.COMMON, *specific):
            parameter = problem.parameters[name]
            told = f"{parameter.doc[0].upper()}{parameter.doc[1:]}."
            entry = pmui.TextInput(
                label=names.get(name, name), size="small", sizing_mode="stretch_width", description=told
            )
            entry.param.watch(lambda event, name=name: self._new_parameter(name, event.new), "value")
            self._fields[name] = entry
        self._parameters.objects = list(self._fields.values())
        self._fill_parameters(problem)

    def _fill_parameters(self, problem: engine.Problem) -> None:
        for name, entry in self._fields.items():
            entry.value = numbers(_shown_value(problem, name))

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

    def _build_method_options(self, labels: tuple[str, ...]) -> None:
        """For each method its options, the energy correction and the compositions that fit."""
        parts: list[Any] = []
        for i, (label, colour) in enumerate(zip(labels, COLOURS, strict=False)):
            method = engine.algorithm(label)
            dot = f"<span style='color:{colour}'>●</span>"
            parts.append(
                pn.pane.HTML(
                    f"<div class='about'>{dot} <b>{label}</b></div>", margin=(6, 10, 0, 10), stylesheets=[ABOUT]
                )
            )
            parts += self._options_of(i, method)
        self._method_options.objects = parts

    def _options_of(self, i: int, method: engine.Method) -> list[Any]:
        widgets: list[Any] = []
        for option in method.options:
            value = method.option_values()[option.name]
            common = {"label": option.name, "value": value, "size": "small", "description": option.doc}
            if isinstance(option, Named):
                widget = pmui.Select(options=list(option.choices), **common)
            else:
                widget = pmui.FloatInput(start=option.low, end=option.high, mode="", **common)
            widget.param.watch(lambda event, name=option.name: self._new_method(i, **{name: event.new}), "value")
            widgets.append(widget)
        base = engine.algorithm(method.key, **dict(method.chosen))
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
                description="A symmetric composition to order four, six or eight.",
            )  # fmt: skip
            select.param.watch(lambda event: self._new_method(i, compose=event.new), "value")
            widgets.append(select)
        for widget in widgets:
            widget.sizing_mode = "stretch_width"
        return widgets

    def _new_method(self, i: int, energy: bool | None = None, compose: str | None = None, **options: Any) -> None:
        if self._quiet:
            return
        before = engine.algorithm(self.choice.methods[i])
        method = engine.algorithm(before.key, **(dict(before.chosen) | options))
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


def _fits(ask: Callable[[], Any]) -> bool:
    try:
        ask()
    except ValueError:
        return False
    return True


def _shown_value(problem: engine.Problem, name: str) -> Any:
    if name == "J":
        return np.diag(problem.J) if np.array_equal(problem.J, np.diag(np.diag(problem.J))) else problem.J
    if name == "R0":
        from engine.algebra import Mat3, log

        return list(log(Mat3(*problem.R0.ravel())))
    return problem.Omega0 if name == "Omega0" else problem.values[name]


def rounded(value: float) -> float:
    """A slider's value with two digits, as in 0.025."""
    return float(f"{value:.2g}")
