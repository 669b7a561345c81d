"""What a notebook shows of methods, problems and runs."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest

import engine
from engine.text.formatting import show

SHOWN = {
    "a method": lambda: engine.algorithm("RKMK853"),
    "methods": engine.algorithms,
    "a problem": lambda: engine.problem("slow-top"),
    "two bodies": lambda: engine.problem("dumbbells"),
    "a run": lambda: engine.simulate("slow-top", "NMB", steps=50),
    "a run of two bodies": lambda: engine.simulate("dumbbells", "LGVI", steps=5),
    "a run that ended early": lambda: engine.simulate(
        "soft-wall", "RK4-MATRIX", dt=1.5, duration=900
    ),
    "a run without steps": lambda: engine.simulate("free", "MR2", steps=0),
    "no methods": lambda: type(engine.algorithms())(),
}


def parse(what: Any) -> tuple[ET.Element, str]:
    """Return the HTML, which must be well-formed, and its text."""
    element = ET.fromstring(f"<div>{what._repr_html_()}</div>")
    return element, " ".join("".join(element.itertext()).split())


@pytest.mark.parametrize("name", SHOWN)
def test_everything_is_shown_in_well_formed_html(name: str) -> None:
    element, text = parse(SHOWN[name]())
    assert element.find(".//table") is not None
    assert "nan" not in text.lower()


def test_a_run_shows_what_it_conserves_and_its_energy() -> None:
    run = engine.simulate("slow-top", "NMB", steps=50)
    element, text = parse(run)
    assert all(name in text for name in run.problem.invariants)
    assert f"energy from {show(run.energy.min(), 9)} to {show(run.energy.max(), 9)}" in text
    rows = {row[0].text: row[-1].text for row in element.findall(".//tr")[1:]}
    assert rows == {name: run.method.conserves.get(name, "–") for name in run.problem.invariants}
    assert len(set(rows.values())) > 1
    line = element.find(".//polyline")
    assert line is not None
    points = np.array([pair.split(",") for pair in line.attrib["points"].split()], float)
    assert len(points) == len(run)
    assert points[:, 1].argmin() == run.energy.argmax()


def test_a_method_and_a_problem_show_their_declarations() -> None:
    method = engine.algorithm("MR2", axes="231")
    _, text = parse(method)
    assert method.label in text and method.summary in text and re.search(r"\$\$.*Pi.*\$\$", text)
    _, text = parse(engine.problem("slow-top").replace(Mgl=3.25))
    assert "Mgl 3.25" in re.sub(r"(Mgl)(3)", r"\1 \2", text)


def test_the_list_of_methods_has_a_row_for_each() -> None:
    methods = engine.algorithms()
    rows = parse(methods)[0].findall(".//tr")
    assert [row[0].text for row in rows[1:]] == [method.key for method in methods]
