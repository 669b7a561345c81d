"""pytest plugin: the fixture `polhode_check` runs a test with each case and step. CC0 1.0."""

import json
from math import asin, dist, hypot, inf, sqrt
from pathlib import Path
from typing import Any

CASES = json.loads((Path(__file__).parent / "checks.json").read_text(encoding="utf-8"))["cases"]
PAIRS = [(i, j) for i in range(3) for j in range(3)]


class Check:
    """A case and a step: `case` has J, torque and states, the first of which is the start."""

    def __init__(self, case: Any, at: int) -> None:
        self.case, self.at, self.end = case, at, case["states"][-1]
        self.steps = case["orders"][0]["steps"][at]
        self.dt = self.end["t"] / self.steps

    def error(self, R: Any) -> float:
        """The angle in rad between R and the exact final attitude; infinite if R is no rotation."""
        off = abs(sum(R[0][j] ** 2 for j in range(3)) - 1)
        for i, j in PAIRS:  # a rotation is its own matrix of cofactors
            minor = R[i - 2][j - 2] * R[i - 1][j - 1] - R[i - 2][j - 1] * R[i - 1][j - 2]
            off += abs(minor - R[i][j])
        square = sum((R[i][j] - self.end["R"][i][j]) ** 2 for i, j in PAIRS)
        return 2 * asin(min(1.0, sqrt(square / 8))) if off < 1e-5 else inf

    def verify(self, R: Any, Omega: Any, order: int) -> None:
        """Fail unless the end is as near as a method of this order leaves it."""
        (bound,) = (row["bounds"][self.at] for row in self.case["orders"] if row["order"] == order)
        assert self.error(R) <= bound, "R"
        assert dist(Omega, self.end["Omega"]) <= bound * hypot(*self.end["Omega"]), "Omega"


def pytest_generate_tests(metafunc: Any) -> None:
    """Run tests that take `polhode_check` with each case and step."""
    if "polhode_check" in metafunc.fixturenames:
        checks = [Check(case, at) for case in CASES for at in (0, 1)]
        metafunc.parametrize("polhode_check", checks, ids="{0.case[name]}-{0.steps}".format)
