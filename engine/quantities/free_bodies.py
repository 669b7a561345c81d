"""What becomes of a free body by the rule of an engine: values relative to the start."""

from __future__ import annotations

from .formulas import angle_between, ratio, turn
from .quantity import DEGREES, quantity

VERDICT = "What becomes of it"
LEAVES = 5.0
"""Times the first energy, or the first momentum, at which a curve ends."""


for _name, _title, _symbol in (
    ("energy", "Energy", "E / E₀"),
    ("pi_norm", "Length of the momentum", "|L| / |L₀|"),
):
    quantity(
        key=f"{_name}-ratio",
        title=_title,
        symbol=_symbol,
        reads=(_name, f"{_name}0"),
        groups=(VERDICT,),
        error=False,
        limit=LEAVES,
        exact=1.0,
    )(ratio)
quantity(
    key="swing",
    title="Direction of the momentum",
    symbol="angle from the first, °",
    reads=("π0", "π"),
    groups=(VERDICT,),
    error=False,
    factor=DEGREES,
    exact=0.0,
)(turn)
quantity(
    key="attitude-degrees",
    title="Attitude",
    symbol="angle to the exact motion, °",
    reads=("R", "R_exact"),
    groups=(VERDICT,),
    error=False,
    factor=DEGREES,
    exact=0.0,
)(angle_between)
