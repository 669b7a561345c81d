"""The widgets of the lab: problem, methods, Δt, duration, and their options."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import panel as pn

import engine
from engine.algorithms import COMPOSITIONS
from engine.parameters.formula import Formula, find_error
from engine.parameters.parameter import FormulaText, OneOf, Parameter, Switch
from engine.problems import DT, DURATION, AnyProblem, Body
from engine.simulation import SYSTEMS
from engine.text.formatting import capitalise, finish_sentence, format_sign, join_words

from ...state import COLOURS, LABS, WHOLE, Excerpt, links
from ...state.choice import (
    Choice,
    Refusal,
    choose_problem,
    choose_recording,
    list_parameters,
    validate,
)
from ...state.example_torques import EXAMPLE_TORQUES
from ...state.fitting import find_misfits
from ...state.form_fields import DOUBLE, HALVE, FormField, format_value, make_field, make_sliders
from ...state.pages import choice_lists
from ...state.recordings import Recording, Recordings
from ..dialogs.html_block import HtmlBlock
from .form import EXAMPLE, Form
from .method_picker import chips_html, make_picker
from .picker import Picker
from .recording_file import RecordingChooser
from .shapes import Shapes

PLAIN = "none"
"""The option without a composition."""
TIMES = (DT.name, DURATION.name)


class Chooser:
    """The widgets for a choice; an excerpt shows some of them.

    `on_change(choice, dragging)` receives each new valid choice; `on_release()` is called at the
    end of a gesture. `preview_torque` receives each torque that a person types before it is entered,
    `forget_recordings` those that make room for another, and `notify` what a link has that is refused.
    """

    def __init__(
        self,
        choice: Choice,
        on_change: Callable[[Choice, bool], Any],
        on_release: Callable[[], Any] = lambda: None,
        excerpt: Excerpt = WHOLE,
    ) -> None:
        self.choice = choice
        self._on_change = on_change
        self._on_release = on_release
        self._excerpt = excerpt
        self._shown: Choice | None = None
        self.preview_torque: Callable[[Formula], Any] = lambda torque: None
        self.forget_recordings: Callable[[Collection[Recording]], Any] = lambda left: None
        self.notify: Callable[[Sequence[str]], Any] = lambda notices: None
        self.problem = Picker(
            self._set_problem,
            label="Problem",
            groups=choice_lists.list_problems(choice.space),
            about="The body, its initial state, and the torque on it.",
        )
        self._about = HtmlBlock(style="hint", margin=(0, 12, 4, 12))
        self.recordings = Recordings()
        self.recording = RecordingChooser(self._set_recording)
        examples = {"formula": [[one.words, one.formula] for one in EXAMPLE_TORQUES]}
        self.cases = Form(self._enter, on_release, on_check=self._follow_typing, examples=examples)
        self.methods = make_picker(self._add_method, choice.space, "Up to four")
        # The height of three methods, so that a third one moves nothing below.
        room = {"min-height": "81px"}
        self._chips = HtmlBlock(self._remove_method, "method-list", styles=room, margin=(0, 12))
        self.form = Form(self._enter, on_release)
        self.shapes = Shapes(self.set_body)
        self.options = Form(
            self._set_method_option, title=LABS[choice.space].method_options, folded=True
        )
        self.options.param.watch(lambda _: self._show_method_options(), "folded")
        shapes = [self.shapes.form] if LABS[choice.space].has_shapes else []
        takes_recordings = LABS[choice.space].takes_recordings and excerpt.controls is None
        parts = [
            *([self.problem, self._about] if excerpt.asks("problem") else []),
            *([self.recording.panel] if takes_recordings else []),
            self.cases,
            *([self.methods, self._chips] if excerpt.asks("methods") else []),
            self.form,
            *([*shapes, self.options] if excerpt.controls is None else []),
        ]
        self.panel = pn.Column(*parts, sizing_mode="stretch_width", margin=(8, 0, 0, 0))
        self.show(choice)

    # ------------------------------------------------------------------ what is shown

    def show(self, choice: Choice) -> None:
        """Show a choice in the widgets."""
        shown = self._shown
        self._shown = choice
        self.choice = choice
        problem = choice.build_problem()
        self.problem.value = choice.recording.key if choice.recording else problem.key
        times = {"dt": DT.format(choice.dt), "duration": DURATION.format(choice.duration)}
        self._about.html = f"<div class='about'>{describe_problem(choice)}</div>"
        if shown is None or shown.source != choice.source:
            of_case, others = _sort_parameters(problem)
            values = _format_values(problem) | times
            self._set_fields(self.cases, map(_make_field, of_case), values)
            self._set_fields(self.form, [*make_sliders(problem), *map(_make_field, others)], values)
        else:
            changes = _format_values(problem) if shown.changes != choice.changes else {}
            for form in (self.cases, self.form):
                form.set_values(changes | times)
                form.clear_errors()
        self.cases.notes = _list_notes(problem)
        if LABS[choice.space].fits_by_step and (
            shown is None or (shown.source, shown.dt) != (choice.source, choice.dt)
        ):
            self._offer_fitting(problem, choice.dt)
        if shown is None or shown.methods != choice.methods:
            self._chips.html = chips_html(choice.methods, COLOURS, choice.space)
            self._show_method_options()
        for picker in (self.problem, self.methods):
            if picker.wrong:
                picker.wrong = ""
        for name, words in problem.remarks.items():
            if (found := self._find_form(name)) is not None:
                found.show_error(name, words)

    def _offer_fitting(self, problem: AnyProblem, dt: float) -> None:
        """Offer the methods that fit a problem with this step."""
        why_not = SYSTEMS[problem.space].why_not
        groups = choice_lists.list_methods(
            problem.space, lambda method: why_not(problem, method, dt) is None
        )
        if groups != self.methods.groups:
            self.methods.groups = groups

    def show_error(self, refusal: Refusal) -> None:
        """Show the reason of a refusal at its widget."""
        parameter = self.choice.build_problem().declarations.get(refusal.field)
        words = str(refusal)
        if parameter:
            words = re.sub(
                rf"\b{parameter.name}\b", parameter.title, words, count=1, flags=re.IGNORECASE
            )
        picker = {"methods": self.methods, "problem": self.problem}.get(refusal.field)
        if picker is not None:
            picker.wrong = words
        else:
            (self._find_form(refusal.field) or self.form).show_error(refusal.field, words)

    def _find_form(self, name: str) -> Form | None:
        """Return the form that has a field, if there is one."""
        return next((form for form in (self.cases, self.form) if form.has(name)), None)

    def _set_fields(
        self, form: Form, fields: Iterable[FormField], values: Mapping[str, str]
    ) -> None:
        """Give a form those of these fields that the excerpt shows."""
        shown = [field for field in fields if self._asks(field)]
        form.set_fields(shown, {field.name: values[field.name] for field in shown})

    def _asks(self, field: FormField) -> bool:
        return self._excerpt.asks("problem" if field.kind in ("menu", "switch") else field.name)

    # ------------------------------------------------------------------ changes

    def set_body(self, body: Body) -> None:
        """Give the problem the inertia of a shape or a mesh; `Refusal` if it cannot have it."""
        choice = validate(self.choice.with_changes(J=body.J))
        if choice != self.choice:
            self.show(choice)
            self._on_change(choice, False)

    def drag_handler(self, name: str) -> Callable[[str, bool], None] | None:
        """Return what receives the text of a parameter that is dragged in a picture, and whether it
        is still held.

        None, if the excerpt does not show the parameter.
        """

        def drag(text: str, held: bool) -> None:
            self.form.enter(name, text, dragging=True)
            if not held:
                self._on_release()

        return drag if self._excerpt.asks(name) else None

    def _add_method(self, key: str) -> None:
        self._choose_methods(*self.choice.methods, key)

    def _remove_method(self, _: str, label: str) -> None:
        self._choose_methods(*(method for method in self.choice.methods if method != label))

    def _choose_methods(self, *labels: str) -> None:
        self._choose(self.choice.change("methods", labels), field="methods")

    def _enter(self, name: str, text: str, dragging: bool) -> None:
        """Change a time, or a parameter of the problem."""
        if name == EXAMPLE:
            if text.isdecimal() and int(text) < len(EXAMPLE_TORQUES):
                self._choose(EXAMPLE_TORQUES[int(text)].choose(self.choice))
            return
        if name in (HALVE, DOUBLE):
            self._choose(
                self.choice.change("dt", self.choice.dt * (0.5 if name == HALVE else 2)), field="dt"
            )
            return
        parameter = self.choice.build_problem().declarations[name]
        if parameter.choices:
            self._set_problem_option(name, text)
            return
        if (error := self._find_error(name, text)) is not None:
            self._show_place(name, text, error)
            return
        try:
            value = parameter.read_text(text) if text.strip() or name in TIMES else None
        except ValueError as error:
            self.show_error(Refusal(name, finish_sentence(str(error))))
            return
        self._choose(self.choice.change(name, value), dragging, name)

    def _choose(self, choice: Choice, dragging: bool = False, field: str = "") -> None:
        try:
            choice = validate(choice)
            if (choice.source, choice.changes) != (self.choice.source, self.choice.changes):
                choice = choice.with_fitting_methods()
        except Refusal as refusal:
            self.show_error(
                Refusal(field, str(refusal)) if field and refusal.field == "problem" else refusal
            )
            return
        changed = choice != self.choice
        with pn.io.hold():  # the widgets and the results reach the browser together
            self.show(choice)
            if changed:
                self._on_change(choice, dragging)

    def _set_problem(self, key: str) -> None:
        recording = self.recordings.find(key)
        if recording is not None:
            self._choose(choose_recording(recording, self.choice))
        else:
            self._choose(choose_problem(key, self.choice))

    def _set_recording(self, recording: Recording, words: Mapping[str, str]) -> None:
        """Choose a recording, with the settings of a link if it names them."""
        left = self.recordings.add(recording)
        entries = [(one.key, one.name, " ".join(one.describe()[:1])) for one in self.recordings]
        own = (OWN_RECORDINGS, [(*entry, choice_lists.PICTURES["rates"]) for entry in entries])
        self.problem.groups = [*choice_lists.list_problems(self.choice.space), own]
        if words:
            query = {name: text for name, text in words.items() if name != "page"}
            choice, notices = links.read_query(query, self.choice.space, recording)
        else:
            choice, notices = choose_recording(recording, self.choice), []
        self._choose(choice)
        self.forget_recordings(left)
        if notices:
            self.notify(notices)

    def _follow_typing(self, name: str, text: str) -> None:
        """Show the torque that a person types in the picture; or where the formula is wrong, unless
        that is at its end, where it goes on.
        """
        error = self._find_error(name, text)
        if error is not None and error[2] < len(text):
            self._show_place(name, text, error)
            return
        self.cases.clear_errors(name)
        if error is None and text.strip():
            torque = _read_torque(self.choice.build_problem(), {name: text})
            if torque is not None:
                self.preview_torque(torque)

    def _find_error(self, name: str, text: str) -> tuple[str, int, int] | None:
        """Return why a text is no formula, and the ends of the wrong part; None if it is one, or if
        the field takes none.
        """
        kind = self.choice.build_problem().declarations[name].kind
        if not isinstance(kind, FormulaText) or not text.strip():
            return None
        return find_error(text, kind.result)

    def _show_place(self, name: str, text: str, error: tuple[str, int, int]) -> None:
        words, start, end = error
        self.cases.show_error(name, finish_sentence(capitalise(words)), (text, start, end))

    def _set_problem_option(self, name: str, value: str) -> None:
        before = self.choice.original
        try:
            after = before.replace(**before.read_text({name: value}))
        except ValueError:
            return
        # The option replaces changes of the parameters that it sets.
        changes = tuple(
            (p, x)
            for p, x in self.choice.changes
            if np.array_equal(before.value(p), after.value(p))
        )
        self._choose(dataclasses.replace(self.choice, problem=after.label, changes=changes))

    def _set_method_option(self, name: str, text: str, _: bool) -> None:
        """Change an option of a method, its composition or correction; `name` begins with the
        method's number.
        """
        i, _blank, name = name.partition(" ")
        try:
            method = _change_method(self.choice.algorithms[int(i)], name, text)
        except ValueError as error:
            self.options.show_error(f"{i} {name}", finish_sentence(str(error)))
            return
        self.options.clear_errors()
        before = self.choice.methods
        self._choose_methods(*before[: int(i)], method.given_name, *before[int(i) + 1 :])

    # ------------------------------------------------------------------ parts

    def _show_method_options(self) -> None:
        """Show each method's options, compositions and corrections, unless they are folded."""
        fields: list[FormField] = []
        values: dict[str, str] = {}
        methods = () if self.options.folded else self.choice.algorithms
        names = self.choice.names.values()
        for i, (method, name, colour) in enumerate(zip(methods, names, COLOURS, strict=False)):
            fields.append(FormField(f"{i} ", name, kind="words", colour=colour))
            for option, value in _list_options(method, self.choice.build_problem()):
                fields.append(dataclasses.replace(make_field(option), name=f"{i} {option.name}"))
                values[fields[-1].name] = format_value(option, value)
        self.options.set_fields(fields, values)


ENERGY = Parameter(
    "energy correction",
    Switch(),
    "Buss's correction after each step, for free bodies",
    label="Energy correction",
)
COMPOSITION = Parameter(
    "composition",
    OneOf(
        dict.fromkeys((PLAIN, *COMPOSITIONS)),
        {c.key: f"{c.name}, order {c.order}" for c in COMPOSITIONS.values()},
    ),
    "a symmetric composition to order four, six or eight",
    label="Composition",
)
"""Shown among a method's options, none of which has such a name."""


MIXED = (
    "Omega has components in the body here, and the torque in space. Write R@Omega, or fix the "
    "axes of the torque in the body."
)
OWN_RECORDINGS = "Your recordings"
"""The group of problems with recordings that the visitor has chosen."""
OWN_GROUP = "Your own"
"""The group of the problem whose note holds for any values."""


def describe_problem(choice: Choice) -> str:
    """Return the note on a problem, or what is changed of the problem that the note is about."""
    problem = choice.build_problem()
    if not choice.changes or problem.group == OWN_GROUP:
        return problem.summary
    return finish_sentence(
        f"changed from the original: {join_words(format_sign(name) for name, _ in choice.changes)}"
    )


def _list_options(method: engine.Method, problem: AnyProblem) -> list[tuple[Parameter, Any]]:
    """Return a method's options, and the correction and compositions that fit it, with their
    values.
    """
    options = [
        (option, method.chosen.get(option.name, option.default)) for option in method.all_options
    ]
    base = engine.algorithm(method.key, space=method.space, **dict(method.chosen))
    if method.energy_correction or (
        _fits(base.with_energy_correction) and not find_misfits(("BUSS3+E",), problem)
    ):
        options.append((ENERGY, method.energy_correction))
    if _fits(lambda: base.compose("yoshida4")):
        options.append((COMPOSITION, method.composition.key if method.composition else PLAIN))
    return options


def _change_method(before: engine.Method, name: str, text: str) -> engine.Method:
    """Return the method with another option; `ValueError` if it does not fit."""
    corrected = before.energy_correction
    by = before.composition.key if before.composition else PLAIN
    method = engine.algorithm(
        before.called or before.key, space=before.space, **dict(before.chosen)
    )
    if name == ENERGY.name:
        corrected = bool(ENERGY.parse(text))
    elif name == COMPOSITION.name:
        by = str(COMPOSITION.parse(text))
    else:
        method = method.with_options(**{name: text})
    method = method.with_energy_correction() if corrected else method
    return method if by == PLAIN else method.compose(by)


def _sort_parameters(problem: AnyProblem) -> tuple[list[Parameter], list[Parameter]]:
    """Return the parameters that have an effect on this problem: the choices of a variant, such as
    the soft wall's sign, with what belongs to one of these; and the others with a field.
    """
    with_effect = [p for p in problem.declarations.values() if p.matters(problem.values)]
    of_case = [p for p in with_effect if p.choices or p.only]
    fields = list_parameters(problem)
    return of_case, [p for p in with_effect if p not in of_case and p.name in fields]


def _make_field(parameter: Parameter) -> FormField:
    """Return the field of a parameter; the names of a formula complete in it."""
    field = make_field(parameter)
    is_formula = isinstance(parameter.kind, FormulaText)
    return dataclasses.replace(field, kind="formula") if is_formula else field


def _read_torque(problem: AnyProblem, changed: Mapping[str, str]) -> Formula | None:
    """Return the typed torque of a problem with changed values, if it has one."""
    if not isinstance(problem, engine.Problem) or problem.typed_torque is None:
        return None
    return problem.typed_torque({**problem.values, **changed})[0]


def _list_notes(problem: AnyProblem) -> dict[str, str]:
    """Return a sentence for each formula that may mean something else than it seems to."""
    torque = _read_torque(problem, {})
    return {"formula": MIXED} if torque is not None and torque.mixes_frames else {}


def _format_values(problem: AnyProblem) -> dict[str, str]:
    """Return the values of a problem as its fields show them."""
    sorted_parameters = itertools.chain(*_sort_parameters(problem))
    return {p.name: format_value(p, problem.value(p.name)) for p in sorted_parameters}


def _fits(make: Callable[[], Any]) -> bool:
    try:
        make()
    except ValueError:
        return False
    return True
