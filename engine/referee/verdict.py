"""The verdict on a motion that any engine computed: what it conserves, how far it is from the exact motion,
which rule made it, and which rule stays nearer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..parameters.validation import Array
from ..studies.engines import (
    SMALL,
    describe_change,
    describe_end,
    format_angle,
)
from ..studies.replacements import holds_energy
from ..text.formatting import (
    finish_sentence,
    format_measured,
    join_words,
    show,
)
from .comparison import Compared
from .cures import Cure
from .matches import Matches
from .trajectory import Trajectory

UNSURE, UNSURE_TURN = 0.01, math.radians(1.0)
"""The largest doubts, relative and in radians, with which a value that does not change more is known."""


@dataclass(frozen=True, eq=False)
class Verdict:
    """The verdict on a motion.

    Attributes
    ----------
    trajectory : the motion as it was read, in the axes of the moments.
    compared : the motion beside the exact one.
    matches : the rules that reproduce it, and the nearest others.
    cure : a rule that stays nearer to the exact motion; None if none was looked for or found.
    objection : which other moments fit the motion, in a sentence; empty if the stated ones do.
    """

    trajectory: Trajectory
    compared: Compared
    matches: Matches
    cure: Cure | None = None
    objection: str = ""

    @property
    def rules(self) -> list[str]:
        """The names of the rule that reproduces the motion to its rounding; empty if none does, or if
        several do that differ.
        """
        return list(self.matches.rules)

    @property
    def dt(self) -> float:
        """The step in s, but for gaps; nan if the times are uneven."""
        return self.trajectory.dt

    @property
    def energy(self) -> float:
        """The last energy over the first one."""
        return self.compared.end.energy

    @property
    def momentum(self) -> float:
        """The last length of the momentum over the first one."""
        return self.compared.end.length

    @property
    def direction(self) -> float:
        """The largest angle in rad by which the momentum has turned in space."""
        return self.compared.end.swung

    @property
    def attitude(self) -> float:
        """The final angle in rad from the exact attitude; nan if it is not known."""
        return self.compared.end.attitude

    @property
    def stopped(self) -> float:
        """The time in s at which the body came to stay near one of its axes; nan if it did not."""
        return self.compared.end.stopped

    @property
    def is_conserved(self) -> bool:
        """Whether energy and momentum stay the same as far as the numbers show."""
        compared = self.compared
        return bool(
            np.abs(compared.energy - 1).max() <= compared.energy_doubt
            and np.abs(compared.momentum - 1).max() <= compared.momentum_doubt
            and compared.end.swung <= compared.direction_doubt
        )

    @property
    def moments(self) -> Array:
        """(3,) the moments; if they were estimated, their ratios to the largest one."""
        assert self.trajectory.J is not None
        return self.trajectory.J

    @property
    def moment_errors(self) -> Array:
        """(3,) the errors of estimated moments; 0 of given ones."""
        return self.trajectory.moment_errors

    @property
    def remarks(self) -> list[str]:
        """How the motion was read, in sentences."""
        own = self.trajectory
        rounding = f"the attitude is rounded to {format_measured(own.attitude_rounding)} rad"
        if own.Omega is not None:
            velocity = format_measured(own.velocity_rounding)
            rounding += f", and the angular velocity to {velocity} rad/s"
        return [finish_sentence(remark) for remark in (*own.remarks, rounding)]

    @cached_property
    def sentences(self) -> list[str]:
        """The verdict in sentences."""
        objection = [self.objection] if self.objection else []
        motion = self._describe_motion()
        return [*objection, *motion, *self.matches.sentences, *self._describe_cure()]

    def __repr__(self) -> str:
        return f"<verdict: {' '.join(self.sentences)}>"

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as plain values, for JSON."""
        compared = self.compared
        matches = self.matches
        return {
            "rules": self.rules,
            "possible": list(matches.possible),
            "nearest": [{"name": near.name, "distance": near.distance} for near in matches.nearest],
            "precision": matches.precision,
            "substeps": matches.substeps,
            "fitted": {name: list(pair) for name, pair in matches.numbers.items()},
            "dt": self.dt,
            "rows": len(self.trajectory.t),
            "duration": float(self.trajectory.t[-1]),
            "moments": self.moments,
            "moment_errors": self.moment_errors,
            "energy": self.energy,
            "energy_doubt": compared.energy_doubt,
            "momentum": self.momentum,
            "momentum_doubt": compared.momentum_doubt,
            "direction": self.direction,
            "direction_doubt": compared.direction_doubt,
            "attitude": self.attitude,
            "attitude_doubt": float(compared.attitude_doubt[-1]),
            "phase_lost": compared.end.phase_lost,
            "stopped": self.stopped,
            "free": self.is_free,
            "objection": self.objection,
            "attitude_rounding": self.trajectory.attitude_rounding,
            "velocity_rounding": self.trajectory.velocity_rounding,
            "cure": "" if self.cure is None else self.cure.method.label,
            "cure_attitude": math.nan if self.cure is None else self.cure.attitude,
            "cure_reason": "" if self.cure is None else self.cure.why,
            "remarks": self.remarks,
            "sentences": self.sentences,
        }

    def _describe_motion(self) -> Iterator[str]:
        """Yield what the motion conserves, what becomes of it, and how far it is off."""
        compared, end = self.compared, self.compared.end
        duration = show(float(self.trajectory.t[-1]), 3)
        unknown = self._list_unknown()
        if self.is_conserved and not unknown:
            limit = format_measured(max(compared.energy_doubt, compared.momentum_doubt))
            turn = format_measured(math.degrees(compared.direction_doubt))
            yield (
                f"In {duration} s, energy and momentum stay the same as far as the file shows, "
                f"to {limit} of the first and {turn}°."
            )
        else:
            energy, momentum = (
                _describe_change(ratio, float(np.abs(values - 1).max()), limit)
                for ratio, values, limit in (
                    (end.energy, compared.energy, compared.energy_doubt),
                    (end.length, compared.momentum, compared.momentum_doubt),
                )
            )
            known = [f"the energy {energy}"] if "energy" not in unknown else []
            changes = [momentum] if "momentum" not in unknown else []
            if "direction of the momentum" not in unknown:
                changes.append(_describe_turn(end.swung, compared.direction_doubt))
            if changes:
                known.append(f"the momentum {' and '.join(changes)}")
            if known:
                yield f"In {duration} s, {known[0]}."
            yield from (f"{sentence[0].upper()}{sentence[1:]}." for sentence in known[1:])
        yield from describe_end(compared.body, end)
        is_turned = end.swung > max(compared.direction_doubt, UNSURE_TURN)
        if is_turned and not self._is_explained:
            yield "A torque, as by gravity, contact or drag, turns the momentum, too; the verdict supposes a free body."
        if self._is_attitude_hidden and "final attitude" not in unknown:
            limits = (
                "numbers and the errors of its moments" if self.moment_errors.any() else "numbers"
            )
            doubt = math.degrees(float(compared.attitude_doubt[-1]))
            yield f"Its final attitude is right as far as the {limits} show, to {format_measured(doubt)}°."
        if unknown:
            listed = join_words(f"the {what} (± {limit})" for what, limit in unknown.items())
            are = "is" if len(unknown) == 1 else "are"
            why = (
                "the moments are uncertain; state them"
                if self.moment_errors.any()
                else "the rows and their digits are too few"
            )
            yield f"This motion does not show whether {listed} {are} right: {why}."
        if compared.keeps_direction:
            yield (
                "Its angular velocity keeps its direction in space, so the engine leaves out the gyroscopic term: "
                "even in small steps no rigid body with these moments moves like this."
            )

    @property
    def _is_explained(self) -> bool:
        """Whether a rule, other moments or a missing gyroscopic term explain that the momentum turns."""
        matches = self.matches
        is_known = matches.rules or matches.possible or self.objection
        return bool(is_known or self.compared.keeps_direction)

    @property
    def is_free(self) -> bool:
        """Whether the motion may be that of a free body: no torque is needed to explain it."""
        return self._is_explained or not self.compared.is_driven

    @property
    def refusal(self) -> str:
        """Why no cure is offered, as a clause; empty if the motion may have one."""
        if not self.is_free:
            return "the momentum turns by more than errors of small steps explain, as under a torque or by noise"
        return (
            "it would be computed with moments that do not fit the motion" if self.objection else ""
        )

    @property
    def _is_attitude_hidden(self) -> bool:
        """Whether the error of the final attitude is too small to be known."""
        end = self.compared.end
        return not math.isfinite(end.attitude) and not end.phase_lost >= 0

    def _list_unknown(self) -> dict[str, str]:
        """What is in large doubt and changes by no more, with its doubt."""
        compared = self.compared
        found = {}
        for what, values, doubt in (
            ("energy", compared.energy, compared.energy_doubt),
            ("momentum", compared.momentum, compared.momentum_doubt),
        ):
            if max(float(np.abs(values - 1).max()), UNSURE) <= doubt:
                found[what] = f"{format_measured(100 * doubt)} %"
        turns = {"direction of the momentum": (compared.end.swung, compared.direction_doubt)}
        if self._is_attitude_hidden:
            turns["final attitude"] = 0.0, float(compared.attitude_doubt[-1])
        for what, (turn, doubt) in turns.items():
            if max(turn, UNSURE_TURN) <= doubt:
                found[what] = f"{format_measured(math.degrees(doubt))}°"
        return found

    def _describe_cure(self) -> Iterator[str]:
        """Yield which rule to take instead, or why none is proposed."""
        if self.refusal:
            yield f"No cure is offered: {self.refusal}."
        if self.cure is None:
            return
        method, off, why = self.cure
        momentum = "the momentum" if "pi" in method.conserves else "the length of the momentum"
        energy = ", but the energy may drift"
        if holds_energy(method):
            energy = f" and the energy{'' if 'energy' in method.conserves else ' but for swings'}"
        yield f"To cure it, take {method.name} ({method.label}). {why}"
        yield f"At the same step it conserves {momentum}{energy}."
        limits = ["cap" if name != "damping" else name for name in self.matches.numbers]
        if limits:
            without = join_words(f"the {limit}" for limit in dict.fromkeys(limits))
            yield f"It is judged without {without} of the file's rule."
        if math.isfinite(off):
            yield f"Its final attitude is then off by {format_angle(off)}."


def _describe_change(ratio: float, largest: float, doubt: float) -> str:
    """Return how a value changed whose last ratio and largest change are given; smaller changes than
    the doubt are not known.
    """
    if largest <= doubt:
        return f"stays the same as far as the file shows, to {format_measured(doubt)} of the first"
    if abs(ratio - 1) < SMALL:
        if largest > UNSURE:
            return (
                f"comes back after changes of up to {format_measured(100 * largest)} % of the first"
            )
        return f"stays within {format_measured(largest)} of the first"
    return describe_change(ratio)


def _describe_turn(swung: float, doubt: float) -> str:
    """Return how far the momentum has turned."""
    if swung <= doubt:
        return f"keeps its direction as far as the file shows, to {format_measured(math.degrees(doubt))}°"
    return f"turns by up to {format_measured(math.degrees(swung))}°"
