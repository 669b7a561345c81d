"""Claims and figures of the papers as data, and their measurement.

`all()` returns the claims, `figures()` the figures and tables and `comparisons()` the numbers of
others; `find`, `find_figure` and `find_comparison` one of them. `verdicts` measures claims.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, TypeVar

from ..kernels import Cancelled
from ..parameters.names import fold, unknown_name
from ..studies.core import Axes, Axis, Curve, Frame, stored_verdicts
from .claim import Claim, Measured, Progress
from .comparison import AGREES, DIFFERS, WRONG, Compared, Comparison, read_comparisons
from .figure import Cell, Drawn, Figure, LabSetting

Kind = TypeVar("Kind", Claim, Figure, Comparison)

_claims: dict[str, Claim] = {}
_figures: dict[str, Figure] = {}
for _module in iter_modules(__path__):
    for _value in vars(import_module(f"{__name__}.{_module.name}")).values():
        if isinstance(_value, Claim):
            _claims[_value.key] = _value
        elif isinstance(_value, Figure):
            _figures[_value.key] = _value


def all() -> list[Claim]:
    """Every claim, paper by paper."""
    return list(_claims.values())


def find(key: str) -> Claim:
    """The claim with this key."""
    return _find("claim", key, _claims)


def figures() -> list[Figure]:
    """Every figure and table, paper by paper; nothing is computed yet."""
    return list(_figures.values())


def find_figure(key: str) -> Figure:
    """The figure with this key."""
    return _find("figure", key, _figures)


def comparisons() -> list[Comparison]:
    """The numbers that others published, source by source; nothing is computed yet."""
    return list(read_comparisons().values())


def find_comparison(key: str) -> Comparison:
    """The comparison with this key."""
    return _find("comparison", key, read_comparisons())


def compare(
    chosen: Iterable[str | Comparison] | None = None,
    cancel: threading.Event | None = None,
    progress: Progress | None = None,
) -> dict[Comparison, tuple[Compared, ...]]:
    """Compare with the numbers of others, all by default; `progress` receives (comparisons done, in
    all).

    If cancelled, the result has those done so far.
    """
    every = (
        comparisons()
        if chosen is None
        else [find_comparison(c) if isinstance(c, str) else c for c in chosen]
    )
    done: dict[Comparison, tuple[Compared, ...]] = {}
    with suppress(Cancelled):
        for one in every:
            done[one] = one.compare(cancel)
            if progress is not None:
                progress(len(done), len(every))
    return done


def _find(what: str, key: str, known: Mapping[str, Kind]) -> Kind:
    found = {fold(name): one for name, one in known.items()}.get(fold(key))
    if found is None:
        raise unknown_name(what, key, known, known)
    return found


@dataclass(frozen=True, eq=False)
class Verdicts:
    """The verdicts on measured claims."""

    measured: tuple[Measured, ...]
    finished: bool = True

    def rows(self) -> list[dict[str, object]]:
        """A row for each claim: key, source, place, statement, number of requirements that hold,
        verdict.
        """
        return [
            {
                "claim": m.claim.key,
                **{name: getattr(m.claim, name) for name in ("source", "where", "says")},
                "holds": f"{m.holding} of {len(m.claim.paper)}",
                "verdict": m.verdict,
                "reason": m.claim.reason,
                "seconds": round(m.seconds, 2),
            }
            for m in self.measured
        ]

    def to_frame(self) -> Frame:
        """The rows as a pandas table."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def to_markdown(self) -> str:
        """The rows as a table for a page of text."""
        rows = self.rows()
        if not rows:
            return ""
        lines = [list(rows[0]), ["---"] * len(rows[0])]
        lines += [[str(cell).replace("|", "\\|") for cell in row.values()] for row in rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def verdicts(
    claims: Iterable[str | Claim] | None = None,
    cancel: threading.Event | None = None,
    progress: Progress | None = None,
) -> Verdicts:
    """Measure claims, all by default; `progress` receives (claims done, claims in all), fractions
    within a claim.
    """
    chosen = all() if claims is None else [c if isinstance(c, Claim) else find(c) for c in claims]
    done: list[Measured] = []

    def within(part: float, of: int) -> None:
        if progress is not None and part < of:
            progress(len(done) + part / of, len(chosen))

    for claim in chosen:
        measured = claim.measure(cancel, within)
        if not measured.finished:
            return Verdicts(tuple(done), finished=False)
        done.append(measured)
        if progress is not None:
            progress(len(done), len(chosen))
    return Verdicts(tuple(done))


def load_verdicts() -> Verdicts:
    """The recorded verdicts on all claims (`python docs/measure.py --papers`), without
    measuring.
    """
    records = stored_verdicts()["claims"]
    return Verdicts(tuple(_from_record(_claims[key], record) for key, record in records.items()))


def _from_record(claim: Claim, record: Mapping[str, Any]) -> Measured:
    infinite = {str(value): value for value in (math.inf, -math.inf, math.nan)}
    return Measured(
        claim,
        {name: infinite.get(v, v) for name, v in record["measured"].items()},
        record["seconds"],
    )
