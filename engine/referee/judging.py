"""Judges a motion: reads it, looks for its rule, and compares it with the exact motion and with other rules."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike

from ..algorithms.core import Method, find_method
from ..algorithms.core.step_options import PRECISION
from ..studies.engines import SMALL_TURN
from .comparison import compare
from .cures import Cure, choose_name, find_cure
from .matches import Matches
from .moments import adopt_estimate, find_objection, refine_moments
from .reading import AT_REST, read_trajectory
from .rules import find_rules
from .verdict import Verdict

MOST_STEPS = 100_000
"""Of runs of other rules."""
BETTER = 0.5
"""The share of the attitude's error that a proposed rule leaves at most."""


def judge(
    motion: Any,
    J: ArrayLike | None = None,
    *,
    columns: str | Sequence[str] | None = None,
    euler: str | None = None,
    frame: str | None = None,
    inverse: bool | str | None = None,
    dt: float | str | None = None,
    methods: Iterable[str | Method] | None = None,
    progress: Callable[[float, int], Any] | None = None,
    cancel: threading.Event | None = None,
) -> Verdict:
    """Judge the motion of a free body that any engine computed.

    The columns of a file are found by their names and checked by the motion: does the angular velocity
    fit the change of the attitude, in the body's frame or in space, in radians or degrees? What the
    motion does not show is assumed by custom and stated in `remarks`, or asked for by `ValueError`.

    Parameters
    ----------
    motion : the path of a CSV or Parquet file; or (t, attitude) or (t, attitude, Omega), where the
        attitude is quaternions (n, 4), matrices (n, 3, 3) or rotation vectors (n, 3); or a mapping
        of names to columns; or a run. At most 200,000 rows are judged.
    J : three moments of inertia or a 3×3 matrix, in the axes of the file; their ratios suffice.
        Without it, it is that of columns such as Ixx, or the ratios are estimated from the motion.
    columns : the names of all columns, in order, if the file has none or others: t, qw, qx, qy, qz, or
        q0 to q3 in an unknown order; R11 to R33; rotvec_x …; roll, pitch, yaw; wx, wy, wz. Units
        stand in brackets: "wx (deg/s)".
    euler : the order of Euler angles as factors of R, such as "ZYX"; "none" for a rotation vector.
    frame : that of the angular velocity, "body" or "space"; "none" leaves it out.
    inverse : "on" if the attitude turns space to the body.
    dt : the step between rows or frames, if the file has no times or those of a clock.
    methods : the rules that are tried; all of the catalogue by default, () for none.
    progress : is called with the numbers of comparisons with rules that are over, and of all.
    cancel : ends the search for the rule once it is set; the verdict says so.
    """
    trajectory = read_trajectory(
        motion, J, columns=columns, euler=euler, frame=frame, inverse=inverse, dt=dt
    )
    if (trajectory.R[0] == trajectory.R).all():
        raise ValueError(AT_REST)
    is_stated = trajectory.J is not None
    if not is_stated:
        trajectory = adopt_estimate(trajectory)
    tried = None if methods is None else list(methods)
    matches = Matches()
    if tried != []:
        matches = find_rules(trajectory, methods=tried, progress=progress, cancel=cancel)
    trajectory = refine_moments(trajectory, matches)
    assert trajectory.J is not None
    compared = compare(trajectory, trajectory.J, trajectory.moment_errors)
    verdict = Verdict(trajectory, compared, matches)
    if is_stated and not matches.rules and not verdict.is_conserved:
        verdict = replace(verdict, objection=find_objection(trajectory))
    return verdict if verdict.refusal else replace(verdict, cure=_find_cure(verdict))


def _find_cure(verdict: Verdict) -> Cure | None:
    """Return the rule that cures at the same step, if it leaves much less of the error of the attitude or
    of the energy.
    """
    trajectory, compared, matches = verdict.trajectory, verdict.compared, verdict.matches
    dt = trajectory.dt
    off = compared.end.attitude_rank
    sound = verdict.is_conserved or compared.end.is_conserved
    if math.isnan(dt) or (sound and off < SMALL_TURN):
        return None
    nearest = [near.name for near in matches.nearest]
    name = choose_name(matches.rules, matches.possible, nearest)
    precision = matches.precision or PRECISION.default
    rule = find_method(name).with_options(precision=precision) if name else None
    steps = min(round(float(trajectory.t[-1]) / dt), MOST_STEPS)
    best = find_cure(compared.body, dt, steps, rule)
    if best is None or (sound and best.attitude > BETTER * off):
        return None
    return best
