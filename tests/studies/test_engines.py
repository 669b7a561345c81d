"""What engines' rules do to a free body: its final state beside the exact motion."""

from __future__ import annotations

import numpy as np
import pandas
import pytest
from covering import first

import engine
from app.state.pages import study_forms as page
from engine import studies

TUMBLING = engine.Problem(J=(1.0, 2.0, 2.8), Omega0=(1.2, 1.9, 1.5))
ENDS = {"jolt(damping=0)": "middle", "bepu-momentum": "least", "ode": "greatest", "MR2": ""}
SHORT = {studies.long_run: {"steps": 40_000}, studies.convergence: {"duration": 1}}


def test_where_a_body_ends():
    found = studies.engines(TUMBLING, list(ENDS))
    last = {row.method: row for row in found.rows if row.t == pytest.approx(100)}
    assert [row.axis for row in last.values()] == list(ENDS.values())
    run = engine.simulate(TUMBLING, "jolt(damping=0)", dt=1 / 60, duration=100)
    jolt = last["jolt(damping=0.0)"]
    assert (jolt.energy, jolt.length) == pytest.approx((run.energy[-1] / run.energy[0], 1.0))
    cosine = run.pi[0] @ run.pi[-1] / np.linalg.norm(run.pi[0]) ** 2
    assert jolt.direction == pytest.approx(np.arccos(cosine), rel=1e-6)
    turned = np.arccos(
        np.clip(
            run.pi @ run.pi[0] / np.linalg.norm(run.pi, axis=1) / np.linalg.norm(run.pi[0]), -1, 1
        )
    )
    assert jolt.swung == pytest.approx(turned[::6].max(), rel=1e-6)
    stopped = {method: row.stopped for method, row in last.items() if row.stopped >= 0}
    assert stopped.keys() == {"bepu-momentum", "ode"}
    assert stopped["ode"] == pytest.approx(10.6, abs=0.1)
    assert (
        "ODE: at t = 100, " in found.conclusion
        and "By t = 10.6, it has stopped tumbling." in found.conclusion
    )
    assert jolt.attitude == pytest.approx(engine.error(run).last.attitude)
    assert sum(row.t == pytest.approx(10) for row in found.rows) == len(ENDS)
    assert (
        "at t = 100, the energy rises to 112 % of the first. The momentum stays within 0.1 % of the first "
        "and turns by up to 2.8°." in found.conclusion
    )
    assert "Its energy is that of a spin about its axis of middle inertia." in found.conclusion
    assert (
        f"Final attitude error: McLachlan–Reich {last['MR2'].attitude:.4f} rad." in found.conclusion
    )
    assert (
        "Bepu momentum and ODE lose phase. Their attitude errors wander between 0 and π"
        in found.conclusion
    )


def test_a_rule_that_was_chosen_by_the_name_of_an_engine_keeps_it(tmp_path):
    names = ["godot", "jolt(damping=0.0)", "SEMI-EULER"]
    for study in (studies.engines, studies.edge, studies.long_run, studies.convergence):
        assert study(TUMBLING, names, **SHORT.get(study, {})).methods == tuple(names)
    found = studies.engines(TUMBLING, names, duration=10)
    assert found.of("Godot") == found.of(engine.algorithm("godot"))
    assert found.of("jolt(damping=0)") and found.of(engine.algorithm("jolt(damping=0)").label)
    file = tmp_path / "engines.csv"
    found.save(file)
    read = pandas.read_csv(file)["method"].unique()
    assert [engine.algorithm(name).given_name for name in read] == names
    grid = {"Omega0": [(1.0, 2.0, 3.0), (3.0, 2.0, 1.0)]}
    swept = studies.sweep(TUMBLING, names, over=grid, measure="energy", duration=1)
    assert list(swept.algorithm.values) == names


def test_the_energy_is_drawn_in_percent_as_the_conclusion_has_it():
    found = studies.engines(TUMBLING, ["jolt(damping=0)", "MR2(axes=231)", "MR2(axes=312)"])
    chart = found.chart
    assert chart.axes[0].y.label == "energy, % of the first"
    assert chart.curves[0].y[-1] == pytest.approx(112, abs=0.5)
    assert "the energy rises to 112 % of the first." in found.conclusion
    assert chart.names[1:] == ["McLachlan–Reich with axes 231", "McLachlan–Reich with axes 312"]


def test_an_axis_that_shares_its_moment_is_one_of_several():
    body = engine.Problem(J=(1.0, 1.0, 2.0), Omega0=(0.9, 0.6, 3.0))
    conclusion = studies.engines(body, "bepu-momentum").conclusion
    assert "Its energy is that of a spin about an axis of least inertia." in conclusion


def test_how_steps_are_made_and_a_run_that_blows_up():
    found = studies.engines(
        TUMBLING, ["RESTORED(precision=single)", "SEMI-EULER"], substeps=2, duration=300
    )
    assert found.methods == ("RESTORED(precision=single, substeps=2)", "SEMI-EULER(substeps=2)")
    assert "the energy blows up. The momentum blows up and turns by " in found.conclusion
    assert (
        "no longer finite. The run ends" in found.conclusion
        and "times the first" not in found.conclusion
    )


@pytest.mark.parametrize(
    "problem, words", [("slow-top", "a torque acts"), (engine.Problem(Omega0=(0, 0, 0)), "at rest")]
)
def test_what_it_is_not_for(problem, words):
    with pytest.raises(ValueError, match=words):
        studies.engines(problem, "jolt")


@pytest.mark.parametrize("title", first(studies.find("engines").presets))
def test_presets_are_links_that_can_be_had(title):
    words = page.list_presets(studies.find("engines"))[title]
    asked, notices = page.read_query({name: text for name, text in words.items() if name != "page"})
    assert notices == [] and len(asked.methods) == 6
    found = asked.about.function(asked.build_problem(), list(asked.methods), **asked.values())
    assert len(found.methods) == 6 and found.dt == 1 / 60
    assert ("(32 bits)" in found.conclusion) == ("32 bits" in title)


@pytest.mark.exhaustive
def test_results_name_the_engines_whose_rules_they_are_of():
    found = studies.engines(
        TUMBLING, ["jolt(damping=0)", "ode", "MR2"], precision="single", substeps=4, duration=10
    )
    named = dict(zip(found.to_frame()["method"], found.to_frame()["engines"], strict=True))
    assert list(named.values()) == ["Jolt, Newton", "ODE", ""] and tuple(named) == found.methods
    assert found.chart.names == [
        "Jolt gyroscopic with damping 0 and substeps 4 (32 bits)",
        "ODE with substeps 4 (32 bits)",
        "McLachlan–Reich (32 bits)",
    ]
    rule = "LINEAR-EULER(precision=single)"
    again = studies.engines(TUMBLING, rule, duration=10)
    assert again.chart.names == ["Linearly implicit Euler (ODE, 32 bits)"]
    assert "Linearly implicit Euler (ODE, 32 bits): at t = 10, " in again.conclusion
    assert studies.find("engines").result.draw_chart(found.to_frame()[:0]).names == []
