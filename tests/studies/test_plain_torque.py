"""Studies with a torque in plain Python: the estimate before, and the progress."""

from __future__ import annotations

import numpy as np
import pytest

import engine
from engine.studies import convergence


def body(torque):
    return engine.Problem(J=(1, 1, 2), R0=(0.5, 0, 0), Omega0=(0, 0, 3), torque=torque)


def stop_after(calls):
    """A torque in plain Python that cancels the study after so many calls, and what it cancels."""
    cancel = engine.Cancellation()
    made = []

    def pull(t, R):
        made.append(t)
        if len(made) > calls:
            cancel.set()
        return 2.0 * R[1, 2], -2.0 * R[0, 2], 0.0

    return pull, cancel


def test_a_long_study_says_so_first_and_shows_how_far_it_is(capsys):
    pull, cancel = stop_after(100_000)
    with pytest.warns(UserWarning) as report:
        found = convergence(body(pull), "MR2", [0.5, 1e-7], duration=1.0, cancel=cancel, workers=1)
    (warning,) = report
    said = str(warning.message)
    assert said.startswith("Convergence takes about ")
    assert "because the torque is plain Python" in said and warning.filename == __file__
    assert "engine.torque cannot compile it. The torque runs as plain Python: " in said, (
        "it changes a list"
    )
    assert not found.finished and [rung.steps for rung in found.rungs] == [2]
    assert " 50 %  1 of 2 runs\n" in capsys.readouterr().err


def test_the_warning_says_what_compiling_brings(capsys):
    cancel = engine.Cancellation()
    cancel.set()
    with pytest.warns(UserWarning, match="with engine.torque, which compiles it, about [0-9]"):
        convergence(
            body(lambda t, R: (2.0 * R[1, 2], -2.0 * R[0, 2], 0.0)),
            "MR2", [1e-7], duration=1.0, cancel=cancel,
        )  # fmt: skip
    assert capsys.readouterr().err == "", "nothing was measured"


@pytest.mark.parametrize("compiled", [False, True])
def test_a_short_or_compiled_study_says_nothing(compiled, capsys):
    def spring(t, R):
        return 2.0 * np.cross(R[:, 2], (0.0, 0.0, 1.0))

    torque = engine.torque(spring) if compiled else spring
    found = convergence(body(torque), "MR2", [0.1, 0.05], duration=1.0)
    assert found.finished and capsys.readouterr().err == ""
