"""The motion itself: angular velocity and body momentum."""

from __future__ import annotations

from collections.abc import Callable

from .formulas import itself, length, momentum, product
from .quantity import quantity

MOTION = "Motion"


def _declare(
    vector: str, key: str, title: str, symbol: str, function: Callable[..., float], *reads: str
) -> None:
    quantity(
        key=key,
        title=title,
        symbol=symbol,
        reads=reads,
        groups=(MOTION,),
        vector=vector,
        error=False,
    )(function)


for _axis, _number, _index in zip("xyz", "123", "₁₂₃", strict=True):
    _about = f"about body axis {_number}"
    _declare("Ω", f"Omega{_number}", f"Angular velocity Ω{_index}", _about, itself, f"Ω.{_axis}")
    _declare("Π", f"Pi{_number}", f"Body momentum Π{_index}", _about, product, f"J.{_axis}", "Ω")
_declare("Ω", "Omega", "Angular velocity |Ω|", "its length", length, "Ω")
_declare("Π", "Pi-length", "Body momentum |Π|", "its length", momentum, "J", "Ω")
