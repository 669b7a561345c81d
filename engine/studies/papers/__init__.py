"""What the papers say, as data, and what comes of it when it is measured."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from ...names import folded, unknown
from .claim import Claim, Measured, Progress

if TYPE_CHECKING:
    import pandas as pd

_claims: dict[str, Claim] = {}
for _module in iter_modules(__path__):
    for _value in vars(import_module(f"{__name__}.{_module.name}")).values():
        if isinstance(_value, Claim):
            _claims[_value.key] = _value


def all() -> list[Claim]:
    """Every claim, paper by paper."""
    return list(_claims.values())


def find(key: str) -> Claim:
    """The claim with this key."""
    found = {folded(name): claim for name, claim in _claims.items()}.get(folded(key))
    if found is None:
        raise unknown("claim", key, _claims, _claims)
    return found


@dataclass(frozen=True, eq=False)
class Verdicts:
    """The verdict on each claim that was measured."""

    measured: tuple[Measured, ...]
    finished: bool = True

    def rows(self) -> list[dict[str, object]]:
        """A row for each claim: key, source, place, what the paper says, how many requirements hold, verdict."""
        return [
            {
                "claim": m.claim.key,
                "source": m.claim.source,
                "where": m.claim.where,
                "says": m.claim.says,
                "holds": f"{m.holding} of {len(m.claim.paper)}",
                "verdict": m.verdict,
                "reason": m.claim.reason,
                "seconds": round(m.seconds, 2),
            }
            for m in self.measured
        ]

    def to_frame(self) -> pd.DataFrame:
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
    """Measure claims, all if none are given; `progress` is called with (claims done, claims in all)."""
    chosen = all() if claims is None else [c if isinstance(c, Claim) else find(c) for c in claims]
    done: list[Measured] = []
    for claim in chosen:
        measured = claim.measure(cancel)
        if not measured.finished:
            return Verdicts(tuple(done), finished=False)
        done.append(measured)
        if progress is not None:
            progress(len(done), len(chosen))
    return Verdicts(tuple(done))


__all__ = ["Claim", "Measured", "Verdicts", "all", "find", "verdicts"]
