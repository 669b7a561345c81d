"""Properties of a method, measured and declared, with a sentence for each contradiction.

>>> from engine.studies import properties
>>> properties("MR2", quick=True).contradictions
()

The measurements do not read the declaration. A custom method can be measured before it is
registered, too.
"""

from __future__ import annotations

import dataclasses
import functools
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ..algorithms.core import HOLDS, FixedStep, Method, find_method
from ..kernels import is_cancelled
from .core import Frame, measurements
from .core import measurements as measure

QUICK = ("order", "conservation", "reversibility", "symplecticity", "largest_step", "work")
SLOW = ("drift", "speed")
"""Left out of a quick measurement: a million steps, and speed, which needs an idle machine."""
GROUPS = QUICK + SLOW

WHERE = {"free": "the free body", "tops": "an asymmetric top", "symmetric tops": "a symmetric top"}


@dataclass(frozen=True)
class Finding:
    """One measured property with its declaration; a contradiction is a sentence, or empty."""

    property: str
    on: str
    measured: str
    declared: str = ""
    value: float | None = None
    uncertainty: float | None = None
    contradiction: str = ""


@dataclass(frozen=True, eq=False)
class Properties:
    """The measured properties of a method; what was left out, or not reached before a cancellation,
    is empty.

    `note` says why a method cannot be measured at all, like one that chooses its own steps.
    """

    method: Method
    order: tuple[measurements.Order, ...] = ()
    conservation: tuple[measurements.Conservation, ...] = ()
    reversibility: tuple[measurements.Reversibility, ...] = ()
    symplecticity: tuple[measurements.Symplecticity, ...] = ()
    largest_step: tuple[measurements.LargestStep, ...] = ()
    work: tuple[measurements.Work, ...] = ()
    drift: tuple[measurements.Drift, ...] = ()
    speed: tuple[measurements.Speed, ...] = ()
    note: str = ""

    @functools.cached_property
    def findings(self) -> tuple[Finding, ...]:
        """All measurements, line by line."""
        if self.note:
            return (Finding("all properties", "", self.note),)
        return (
            *_of_order(self),
            *_of_conservation(self),
            *_of_reversibility(self),
            *_of_symplecticity(self),
            *(
                Finding("largest step", "free", str(found), value=found.dt)
                for found in self.largest_step
            ),
            *_of_work(self),
            *_of_drift(self),
            *_of_speed(self),
        )

    @property
    def contradictions(self) -> tuple[str, ...]:
        """A sentence for each disagreement of declaration and measurement."""
        return tuple(finding.contradiction for finding in self.findings if finding.contradiction)

    def of(self, name: str) -> tuple[Finding, ...]:
        """Return the findings of one property."""
        return tuple(finding for finding in self.findings if finding.property == name)

    def to_frame(self) -> Frame:
        """Return the findings as a pandas table."""
        import pandas as pd

        return pd.DataFrame([dataclasses.asdict(finding) for finding in self.findings])

    def __repr__(self) -> str:
        wrong = len(self.contradictions)
        return f"<properties of {self.method.label}: {len(self.findings)} findings, {wrong} contradictions>"


def properties(
    method: str | Method,
    /,
    *,
    quick: bool = False,
    cancel: threading.Event | None = None,
    progress: Callable[[int, int], Any] | None = None,
    which: Iterable[str] | None = None,
) -> Properties:
    """Measure the properties of a method.

    Parameters
    ----------
    method : a key or an alias, with options if there are any, or a method, registered or not.
    quick : leave out the drift over a million steps, and the speed.
    cancel : an event; if another thread sets it, the function returns what was measured until then.
    progress : called with (measurements done, measurements in all) after each.
    which : the groups to measure, of `GROUPS`; by default all, or those of a quick measurement.

    Quick and compiled, this takes less than a tenth of a second, in full about one.
    """
    measured = find_method(method, space="so3")
    groups = choose_groups(which, quick)
    note = why_unmeasured(measured)
    if note:
        return Properties(measured, note=note)
    measurements = [one for group in groups for one in _measurements(measured, group, cancel)]
    found: dict[str, Any] = {}
    for done, (group, measurement) in enumerate(measurements, start=1):
        records = measurement()
        if is_cancelled(cancel):
            break
        found[group] = found.get(group, ()) + records
        if progress is not None:
            progress(done, len(measurements))
    return Properties(measured, **found)


def choose_groups(which: Iterable[str] | None, quick: bool) -> tuple[str, ...]:
    """Return the groups to measure; `ValueError` for an unknown one."""
    groups = (QUICK if quick else GROUPS) if which is None else tuple(which)
    for group in groups:
        if group not in GROUPS:
            raise ValueError(f"there is no property {group!r}; there are {', '.join(GROUPS)}")
    return groups


def why_unmeasured(method: Method) -> str:
    """Return why a method cannot be measured; empty if it can."""
    if method.space == "so3" and isinstance(method, FixedStep):
        return ""
    why = "it has no steps of a given size"
    if method.space != "so3":
        why = "it moves two bodies"
    elif method.adaptive:
        why = "it chooses its own steps"
    return f"{measurements.NOT_MEASURED}, because {why}"


Measurement = tuple[str, Callable[[], tuple[Any, ...]]]


def _measurements(
    method: Method, group: str, cancel: threading.Event | None
) -> Iterator[Measurement]:
    """Yield the measurements of a group."""
    if group == "speed":
        yield group, lambda: measure.speeds([method], cancel)[0]
        return
    where: dict[str, tuple[Callable[..., Any], Iterable[str]]] = {
        "order": (measure.order, measure.OF_ORDER),
        "conservation": (measure.conservation, measure.MOTIONS),
        "reversibility": (measure.reversibility, measure.OF_REVERSIBILITY),
        "symplecticity": (lambda method, _: measure.symplecticity(method), ("",)),
        "largest_step": (lambda method, _: measure.largest_step(method), ("",)),
        "work": (measure.work, measure.OF_COST),
        "drift": (functools.partial(measure.drift, cancel=cancel), measure.OF_DRIFT),
    }
    function, keys = where[group]
    for key in keys:
        yield group, functools.partial(_tuple_of, function, method, key)


def _tuple_of(function: Callable[..., Any], method: Method, key: str) -> tuple[Any, ...]:
    record = function(method, key)
    return () if record is None else (record,)


# ------------------------------------------------------------------- findings


def _of_order(found: Properties) -> Iterator[Finding]:
    for record in found.order:
        declared = found.method.order_on(free=record.problem == "free") or (0, 0)
        for what, slope, order in zip(
            ("attitude", "momentum"), (record.attitude, record.momentum), declared, strict=True
        ):
            name = f"order of the {what}"
            if slope is None:
                yield Finding(
                    name, record.problem, record.note or "too few points above roundoff", str(order)
                )
                continue
            wrong = abs(slope.value - order) > measure.NEAR + 2 * slope.uncertainty
            yield Finding(
                name, record.problem, str(slope), str(order), slope.value, slope.uncertainty,
                _sentence(found, wrong, f"declares order {order} of the {what}; on {record.problem} it is {slope}"),
            )  # fmt: skip
            if not wrong:
                constant, uncertainty = slope.constant(order)
                yield Finding(
                    f"error constant of the {what}", record.problem,
                    f"{constant:.2e} ± {uncertainty:.0e} · Δt^{order}", "", constant, uncertainty,
                )  # fmt: skip


def _of_conservation(found: Properties) -> Iterator[Finding]:
    for record in found.conservation:
        where = WHERE[record.motion]
        if record.deviations is None:
            yield Finding("conservation", record.motion, record.note)
            continue
        for quantity, off in record.deviations.items():
            verdict = record.verdict(quantity)
            promised = found.method.conserves.get(quantity) in HOLDS[record.motion]
            why = f"declares {quantity} kept on {where}; it is off by {off:.1e}"
            if not promised:
                why = f"keeps {quantity} on {where}, to {off:.1e}, and does not declare it"
            wrong = verdict == ("not kept" if promised else "kept")
            yield Finding(
                f"conservation of {quantity}", record.motion, f"{verdict} ({off:.1e})",
                "kept" if promised else "not kept", off, None, _sentence(found, wrong, why),
            )  # fmt: skip


def _of_reversibility(found: Properties) -> Iterator[Finding]:
    declared = found.method.reversible
    home = measure.home(found.method) if found.reversibility else ""
    for record in found.reversibility:
        verdict = record.verdict
        if verdict == measurements.NOT_MEASURED:
            yield Finding("reversibility", record.problem, record.note)
            continue
        off = record.restarted if record.carried is None else min(record.restarted, record.carried)
        expected = _expected_reversibility(declared, record.problem)
        # A method may be reversible on a free body only, without declaring it: its kicks are not.
        wrong = verdict not in (expected, "undecided") and (
            bool(declared) or record.problem == home
        )
        yield Finding(
            "reversibility", record.problem, f"{verdict} ({off:.1e})", expected, off, None,
            _sentence(found, wrong, f"is {expected} as declared; on {record.problem} it is {verdict} ({off:.1e})"),
        )  # fmt: skip


def _expected_reversibility(declared: bool | str, problem: str) -> str:
    """Return the verdict to expect from a declaration on a problem."""
    if declared in HOLDS["free"]:  # a promise for some motions
        declared = declared in HOLDS["free" if problem == "free" else "tops"]
    if isinstance(declared, str):
        return "reversible with all it carries"
    return "reversible" if declared else "not reversible"


def _of_symplecticity(found: Properties) -> Iterator[Finding]:
    for record in found.symplecticity:
        promised = found.method.symplectic
        verdict = record.verdict
        declared = "symplectic" if promised else "not symplectic"
        if verdict == measurements.NOT_MEASURED:
            why = f"declares itself symplectic, and there is no defect to measure: {record.note}"
            yield Finding("symplecticity", record.problem, record.note, declared,
                          contradiction=_sentence(found, promised, why))  # fmt: skip
            continue
        wrong = verdict != "undecided" and promised != (verdict == "symplectic")
        yield Finding(
            "symplecticity", record.problem, f"{verdict} ({record.defect:.1e}{_power(record.order)})", declared,
            record.defect, None,
            _sentence(found, wrong, f"is {declared} as declared; a step is {verdict} ({record.defect:.1e})"),
        )  # fmt: skip
        kept = "kept" if record.volume <= measure.SYMPLECTIC else "not kept"
        measured = f"{kept} ({record.volume:.1e}{_power(record.volume_order)})"
        yield Finding("volume", record.problem, measured, value=record.volume)


def _power(slope: measurements.Slope | None) -> str:
    """Return the slope of a defect by the step, in words, if it is certain enough."""
    return "" if slope is None or slope.uncertainty > measure.NEAR else f", Δt^{slope}"


def _of_work(found: Properties) -> Iterator[Finding]:
    for record in found.work:
        if record.note:
            yield Finding("work", record.problem, record.note)
            continue
        promised = found.method.torque_evaluations if record.problem != "free" else None
        made = record.torque_evaluations
        wrong = promised is not None and made != promised
        why = (
            f"declares {promised} torque evaluations a step; on {record.problem} there are {made:g}"
        )
        yield Finding(
            "torque evaluations a step", record.problem, f"{made:g}", "" if promised is None else str(promised),
            made, None, _sentence(found, wrong, why),
        )  # fmt: skip
        newton = record.newton_iterations
        yield Finding("Newton iterations a step", record.problem, f"{newton:.3g}", value=newton)


def _of_drift(found: Properties) -> Iterator[Finding]:
    for record in found.drift:
        if record.note:
            yield Finding("energy drift", record.problem, record.note)
            continue
        yield Finding(
            "energy drift", record.problem, record.verdict, "", record.slope, record.uncertainty
        )


def _of_speed(found: Properties) -> Iterator[Finding]:
    for record in found.speed:
        words = f"{record.minimum:.0f} (median {record.median:.0f} of {record.repetitions})"
        yield Finding("ns per step", record.problem, words, value=record.minimum)


def _sentence(found: Properties, wrong: bool, what: str) -> str:
    return f"{found.method.label} {what}." if wrong else ""
