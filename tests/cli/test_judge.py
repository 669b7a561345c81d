"""`polhode judge`: the verdict in words and as JSON, and what it asks for."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import engine
from engine.cli import command as cli

BODY = engine.problem("free").replace(J=(1.0, 2.2, 2.6), Omega0=(1.2, 2.0, -0.7))
RUN = engine.simulate(BODY, "ode", dt=1 / 60, duration=3)


@pytest.fixture
def motion(tmp_path: Path) -> Path:
    """A file of rotation vectors, which may be Euler angles, and of velocities in deg/s."""
    path = tmp_path / "motion.csv"
    vectors = [engine.parameters.validation.rotation_vector(R) for R in RUN.R]
    rows = np.column_stack([RUN.t, vectors, np.degrees(RUN.Omega)])
    np.savetxt(path, rows, delimiter=",", header="t,rx,ry,rz,wx,wy,wz", comments="")
    return path


def test_the_verdict_in_words_and_as_json(motion: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["judge", str(motion), "--inertia", "1,2.2,2.6", "--methods", "ode,NMB"]) == 0
    out = capsys.readouterr().out
    assert "181 rows, Δt = 1/60 s" in out and "the attitude is a rotation vector" in out.lower()
    assert "in deg/s" in out
    assert (
        cli.main(["judge", str(motion), "--inertia", "1,2.2,2.6", "--json", "--methods", "none"])
        == 0
    )
    about = json.loads(capsys.readouterr().out)
    expected = engine.judge(motion, (1.0, 2.2, 2.6), methods=())
    assert about["rules"] == expected.rules
    assert about["dt"] == 1 / 60
    assert about["energy"] == pytest.approx(RUN.energy[-1] / RUN.energy[0])
    assert about["sentences"] == expected.sentences


def test_spaces_separate_moments_too(motion: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = []
    for words in (["--inertia", "1,2.2,2.6", "FILE"], ["FILE", "--inertia", "1", "2.2", "2.6"]):
        given = [str(motion) if word == "FILE" else word for word in words]
        assert cli.main(["judge", *given, "--methods", "none"]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]


def test_uneven_steps_have_no_size(motion: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = motion.read_text().splitlines()
    rows = [line.split(",", 1) for line in lines[1:]]
    uneven = [f"{float(t) ** 1.5},{rest}" for t, rest in rows]
    motion.write_text("\n".join([lines[0], *uneven]))
    assert cli.main(["judge", str(motion), "--inertia", "1,2.2,2.6", "--frame", "none"]) == 0
    assert "181 rows, uneven steps\n" in capsys.readouterr().out


def test_options_say_what_the_file_does_not(
    motion: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = "t,rotvec_x,rotvec_y,rotvec_z,a,b,c"
    assert (
        cli.main(
            [
                "judge",
                str(motion),
                "--columns",
                names,
                "--inertia",
                "1,0,0,0,2,0,0,0,2.5",
                "--methods",
                "none",
            ]
        )
        == 0
    )
    assert "There is no angular velocity" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "needs"),
    [
        ([], "judge needs a file"),
        (["none.csv"], "there is no file 'none.csv'"),
        (["FILE", "--inertia", "1,2"], "--inertia needs three moments or nine numbers"),
        (["FILE", "--inertia", "1,2,9"], "no rigid body has the principal moments"),
        (["FILE", "--euler", "XXY"], "the order of Euler angles is three axes"),
        (["FILE", "--inverse", "maybe"], "inverse is 'on' or 'off'"),
        (["FILE", "--frame", "here"], "the frame is 'body', 'space' or 'none'"),
        (["FILE", "--columns", "a,b"], "has 7 columns, and 2 names for them"),
    ],
)
def test_mistakes_are_one_sentence(
    words: list[str], needs: str, motion: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["judge", *(str(motion) if word == "FILE" else word for word in words)]) == 2
    error = capsys.readouterr().err
    assert needs in error and error.count("\n") == 1
