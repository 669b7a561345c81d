"""The ledger's cells of errors against the exact motion."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from engine.exact import AttitudeErrors, Flips
from engine.simulation import AnyRun
from engine.text.formatting import format_measured, show

from .ledger import DOES, EXACT, LOST, LedgerCell, LedgerColumn, format_deviation
from .results import Results, RunLine, roundoff

ATTITUDE = LedgerColumn("attitude", "attitude\nerror")
STOPPED = 2.0
"""A body stops flipping if it does not for so many times the longest time that the exact motion takes
to a flip.
"""


def fill_errors(one: RunLine, results: Results) -> dict[str, LedgerCell]:
    """The cell of the attitude error of a method, by its column, if there is one."""
    if one.error is not None and one.error.rows[-1] == len(one.run) - 1:
        return {ATTITUDE.key: attitude_cell(one.run, one.error)}
    if not results.no_exact:
        return {}
    text = "…" if results.exact_is_pending else "–"
    return {ATTITUDE.key: LedgerCell(None, text, results.no_exact)}


def attitude_cell(run: AnyRun, error: AttitudeErrors) -> LedgerCell:
    """The attitude error at the end, unless it is unknown; or what the body does, if the error is
    noise because the phase is lost.
    """
    off = float(error.attitude[-1])
    about = f"{format_measured(math.degrees(off), 3)}° at t = {show(error.t[-1], 6)}"
    if error.phase_lost >= 0:
        since = show(error.phase_lost, 4)
        key, values = describe_flips(error.flips, float(error.t[-1]))
        values = {"t": since} | values
        cell = LedgerCell(
            None,
            LOST[key].format(**values),
            f"{about}. {LOST['noise'].format(t=since)}",
            lost=key,
        )
        if error.flips is None or key not in DOES:
            return cell
        return replace(cell, flips=len(error.flips.reference), does=DOES[key].format(**values))
    if math.isnan(off):
        return LedgerCell(None, "–", error.message)
    return replace(format_deviation(run, off, roundoff(run), run.method.key == EXACT), about=about)


def describe_flips(flips: Flips | None, end: float) -> tuple[str, dict[str, Any]]:
    """What a body does whose phase is lost, as a key of `LOST` with its numbers; "phase" if it flips
    as often as it should, or if that is not known.
    """
    if flips is None:
        return "phase", {}
    own, exact = map(len, flips)
    if not own:
        return "never", {}
    last = flips.run[-1]
    if end - last > STOPPED * np.diff(flips.reference, prepend=0.0).max():
        return "stops", {"t": show(last, 4)}
    if own == exact:
        return "phase", {}
    return "once" if own == 1 else "often", {"own": own, "exact": exact}
