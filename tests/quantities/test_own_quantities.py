"""A quantity of one's own appears wherever quantities are shown: the worked example of the documentation."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import app
import engine
import engine.studies
from app.charts.lab_chart import build_chart
from app.demos.live import list_runs
from app.pages.lab import open_lab
from app.state.choice import FIRST, validate
from app.state.results import compute
from engine import plugins

ADDING = Path(engine.__file__).parents[1] / "docs/developer/adding.md"


@pytest.fixture
def example(tmp_path: Path) -> Any:
    """The documentation's quantity, in a plugin."""
    section = ADDING.read_text(encoding="utf-8").partition("## A quantity of plots")[2]
    (code,) = re.findall(r"```python\n(.*?)```", section.partition("\n## ")[0], re.S)
    code = code.replace("from ..algebra", "from engine.algebra")
    code = code.replace("from .quantity import quantity", "from engine.quantities import quantity")
    file = tmp_path / "velocity.py"
    file.write_text(code, encoding="utf-8")
    with plugins.for_a_while():
        (found,) = plugins.load(file)
        yield found


def test_the_lab_plots_it(example: Any) -> None:
    page = open_lab(validate(FIRST["so3"]))
    assert list(page.lab.groups)[-1] == "Velocity"
    page.plots.group = "Velocity"
    plot = page.plots.plots[0]
    assert (plot.title, plot.plan["formula"]) == ("Angular velocity error", "‖Ω − Ωₑₓ‖")
    results = plot.results
    line = results.runs[0]
    t, values = plot.quantity.values(line, plot.relative)
    error = np.linalg.norm(line.run.Omega - results.exact.Omega, axis=1)
    np.testing.assert_allclose(values, error[np.isin(line.run.t, t)], rtol=1e-13)
    table = plot.make_download("csv", (0.0, 1.0), (0.0, 1.0))
    assert table["text"].startswith(f"t,{line.label}")
    assert plot.plan["key"] == example.key
    assert example.key in list_runs(page.explorer.history.now)["quantities"]["header"]["quantities"]


def test_charts_and_demos_have_it(example: Any) -> None:
    results = compute(FIRST["so3"])
    chart = build_chart(results, "Velocity", "Ω", True, True)
    assert [axes.title for axes in chart.axes] == ["Angular velocity error"]
    html = app.demo("free", ["NMB"]).html
    data = json.loads(re.search(r'id="data">(.*?)</script>', html, re.S)[1])
    (shown,) = [one for one in data["motions"] if one["key"] == example.key]
    assert shown["part"] == "velocity"
    assert ["velocity", "Velocity"] in data["parts"]
    assert example.key in data["quantities"]["header"]["quantities"]


def test_sweeps_measure_its_largest_value(example: Any) -> None:
    data = engine.studies.sweep(
        "slow-top", ["NMB"], over={"dt": [0.02, 0.04]}, measure=example.key, duration=1.0
    )
    run = engine.simulate("slow-top", "NMB", dt=0.04, duration=1.0)
    exact = engine.exact("slow-top", run.t)
    largest = np.linalg.norm(run.Omega - exact.Omega, axis=1).max()
    assert float(data[example.key].sel(dt=0.04).item()) == pytest.approx(largest, rel=1e-12)


def test_what_cannot_be_compiled_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(
        "from engine.quantities import quantity\n\n\n@quantity(key='wrong', title='Wrong', symbol='?')\n"
        "def wrong(energy: float) -> float:\n    return sorted({energy})[0]\n",
        encoding="utf-8",
    )
    with plugins.for_a_while(), pytest.raises(ValueError, match=r"wrong\.py.*line 6"):
        plugins.load(file)
