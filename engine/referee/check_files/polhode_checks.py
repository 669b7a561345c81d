"""pytest plugin: the fixture `polhode_check` runs a test with each case and step. CC0 1.0."""

import json
import math
from pathlib import Path
from typing import Any

CASES = json.loads((Path(__file__).parent / "checks.json").read_text(encoding="utf-8"))["cases"]


class Check:
    """A case and a step: `case` has J, torque and states, the first of which is the start."""

    def __init__(self, case: Any, at: int) -> None:
        self.case = case
        self.at = at
        self.steps = case["orders"][0]["steps"][at]
        self.dt = case["states"][-1]["t"] / self.steps

    def error(self, R: Any) -> float:
        """The angle in rad between R, three rows, and the exact final attitude."""
        exact = self.case["states"][-1]["R"]
        square = float(sum((R[i][j] - exact[i][j]) ** 2 for i in range(3) for j in range(3)))
        return 2 * math.asin(min(1.0, math.sqrt(square / 8)))

    def verify(self, R: Any, order: int) -> None:
        """Fail unless the final attitude is as near as a method of this order leaves it."""
        (row,) = (row for row in self.case["orders"] if row["order"] == order)
        assert self.error(R) <= row["bounds"][self.at], f"{self.case['name']}, dt={self.dt}"


def pytest_generate_tests(metafunc: Any) -> None:
    """Run tests that take `polhode_check` with each case and step."""
    if "polhode_check" in metafunc.fixturenames:
        checks = [
            Check(case, at) for case in CASES for at in range(len(case["orders"][0]["steps"]))
        ]
        names = [f"{check.case['name']}-{check.steps}" for check in checks]
        metafunc.parametrize("polhode_check", checks, ids=names)
