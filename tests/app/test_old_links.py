"""Old links: they open the same state as when they were made.

`tests/data/links.json` has what commit 0ada697 made of each; this file, run there as a script, has
written it: `PYTHONPATH=. python …/test_old_links.py > links.json`.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.browser.addresses import read_words
from app.state.links import read_query
from app.state.pages import method_table, paper_gallery, study_forms

LINKS = Path(__file__).parents[1] / "data" / "links.json"

OF_A_PROBLEM = ("J", "R0", "Omega0", "G", "X", "V", "R1", "R2", "Omega1", "Omega2", "drift")

OLD = (
    # the lab: problems in all spellings, and all kinds of parameters
    "",
    "?problem=slow-top&methods=NMB,DMV&dt=0.01&duration=100",
    "?problem=SLOW%20top&methods=nms,%20lp2&dt=1e-2",
    "?problem=soft-wall%28sign%3Das-printed%29&methods=MR2(axes=231),BUSS3&dt=0.05&duration=20",
    "?problem=soft-wall(sign=As Printed)&methods=NMB",
    "?problem=free&methods=NMB&J=1,2,2.5&Omega0=0,0,4&R0=0.3,0,0",
    "?problem=free&methods=NMB&J=[1 2 2.5]&Omega0=(0; 1; 0.01)&R0=1,0,0,0",
    "?problem=free&methods=AKW&J=2,0.1,0,0.1,3,0,0,0,4&R0=0,-1,0,1,0,0,0,0,1",
    "?problem=free&methods=BUSS3%2BE,DMV*yoshida4,%20MR2(axes=312,%20trig=Cayley)&dt=0.25&duration=10",
    "?problem=lagrange-top&methods=AKW(torque=half)&Mgl=15&dt=0.02&duration=12.5",
    "?problem=lagrange-top&methods=AKW&gravity=15&mass=2",
    "?problem=fast-top&methods=MR4,RKMK(tableau=heun)&length=1.5&Omega0=0,0,40",
    "?problem=asymmetric-top&methods=NMB&Mg=5&chi=0.1,0.2,0.9&R0=0.1,0.2,0.3",
    "?problem=book&methods=SQ-M(beta=0.2,gamma=0.6)&td=1.5&torque=10&kick=-0.3",
    "?problem=magnet&methods=MR2&alpha=0.25&Omega0=0,0,0.7&duration=100",
    "?problem=custom(torque=gravity)&methods=NMB&Mgl=2.5&chi=0,0,1&J=1,1,0.5",
    "?problem=custom(torque=space)&methods=NMB&moment=0,0,0.2",
    "?problem=custom(torque=body)&methods=NMB&moment=0.1,0,0&J=1,2,2.5",
    "?problem=prism&methods=BUSS3(tail=False),RK4-AVG(mean=quaternion)&dt=0.002&duration=2",
    "?problem=free&methods=NMB&J=1+2+2.5&Omega0=%200,%201e-2,4.0,",
    "?problem=free&methods=DOP853(rtol=1e-9,atol=1e-12),EXACT&dt=0.5&duration=10",
    "?problem=free&methods=NMB,AKW&tab=poinsot&theme=dark&version=0.1.0",
    # what could not be had: the rest of the link holds
    "?problem=nowhere&methods=NMB,nobody&dt=fast&duration=-1&odd=1",
    "?problem=free&methods=NMB&J=1,1,5&Omega0=1,2&R0=up",
    "?problem=free&methods=NMB,NMB&gravity=3&dt=0.1",
    "?problem=slow-top&methods=NMB&Mgl=-1&mass=2",
    "?page=nowhere&problem=free&methods=MR2",
    # two bodies
    "?page=two-bodies",
    "?page=two-bodies&problem=DB1&methods=LGVI,RK2&dt=0.005&duration=3",
    "?page=two-bodies&problem=dumbbells(case=DB2)&methods=LGVI(solver=cayley)&Omega1=0,0,8&drift=0.1,0,0",
    "?page=two-bodies&problem=dumbbells&methods=LGVI(form=inertial-lagrangian)&m1=2&l2=0.6&G=0.3",
    "?page=two-bodies&problem=two-bodies&methods=RK2&X=1.6,0,0.1&V=0,0.7,0&R1=0.1,0,0&R2=1,0,0,0&Omega2=0,0,1",
    "?page=two-bodies&problem=dumbbells&methods=LGVI&R1=0,-1,0,1,0,0,0,0,1&X=0,0,0&m1=-1",
    # studies, papers, methods
    "?page=studies&study=convergence&problem=slow-top&methods=NMB,DMV&duration=2&dts=0.1,0.05,0.025",
    "?page=studies&study=edge&problem=free&methods=DMV,NMB&energy_within=0.02&J=1,2,2.5",
    "?page=studies&study=ensemble&problem=lagrange-top&methods=MR2,NMB&members=200&spread=0.05&seed=3&Mgl=9&dt=0.02",
    "?page=studies&study=advise&problem=soft-wall(sign=as-printed)&methods=NMB,AKW&within=1e-4&kind=momentum&budget=5",
    "?page=studies&study=steps-to-accuracy&problem=prism&methods=BUSS3,MR4&accuracy=1e-2,1e-3&Omega0=0,0,3&R0=0.1,0,0",
    "?page=studies&study=odd&problem=free&methods=NMB&J=1,1,9&steps=many",
    "?page=papers&open=krysl-endres-figure-4",
    "?page=methods&search=newmark&order=2&open=mr2&compare=NMB,akw,nobody",
)  # fmt: skip


def state(link: str) -> Any:
    """Return what a link opens: the choice, the runs, and the number of refused words."""
    query, notices = read_words(link)
    page = query.pop("page", "lab")
    if page == "papers":
        found = paper_gallery.find_item(query["open"])
        return {"item": found and found.key}
    if page == "methods":
        shown, more = method_table.read_query(query)
        return plain(dataclasses.asdict(shown)) | {"refused": len(notices) + len(more)}
    if page == "studies":
        chosen, more = study_forms.read_query(query)
    else:
        chosen, more = read_query(query, "se3" if page == "two-bodies" else "so3")
    problem = chosen.build_problem()
    return plain(
        {
            "link": chosen.query(),
            "problem": {
                name: getattr(problem, name) for name in OF_A_PROBLEM if hasattr(problem, name)
            },
            "values": dict(problem.values),
            "masses": [
                body.masses.sum()
                for name in ("body1", "body2")
                if (body := getattr(problem, name, None))
            ],
            "refused": len(notices) + len(more),
        }
    )


def plain(value: Any) -> Any:
    """Return the value after a round trip through JSON."""
    return json.loads(
        json.dumps(
            value, default=lambda x: x.tolist() if isinstance(x, np.ndarray | np.generic) else x
        )
    )


RENAMED = {"energy_within": "within", "accuracy": "within", "kind": "error"}
"""Words of links to studies that have since been renamed."""


SINCE = {"formula": "2*cross(R[:,2], e3)", "potential": "", "frame": "space"}
"""Defaults of words that links did not have then."""


def alike(one: Any, other: Any) -> bool:
    """Return whether two states are the same, with numbers equal to roundoff."""
    if isinstance(one, dict):
        return (
            isinstance(other, dict)
            and one.keys() == other.keys()
            and all(alike(one[k], other[k]) for k in one)
        )
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(alike, one, other))
    return bool(
        one == pytest.approx(other, rel=1e-13, abs=1e-15)
        if isinstance(one, float)
        else one == other
    )


def test_every_old_link_is_covered():
    assert list(json.loads(LINKS.read_text())) == list(OLD)


@pytest.mark.parametrize("link", OLD)
def test_an_old_link_opens_what_it_opened(link):
    then = json.loads(LINKS.read_text())[link]
    now = state(link)
    if "link" in then:
        then["link"] = {RENAMED.get(name, name): text for name, text in then["link"].items()}
    if "values" in then:
        more = now["values"].keys() - then["values"].keys()
        assert all(now["values"].pop(name) == SINCE[name] for name in more)
    assert alike(then, now), (then, now)


if __name__ == "__main__":
    json.dump({link: state(link) for link in OLD}, sys.stdout, indent=1, ensure_ascii=False)
