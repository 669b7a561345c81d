"""`polhode run` and `warm`: a run with its report, and the compilation of methods."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..algorithms.core.method import find_method
from ..exact.warm_up import warm
from ..problems.given_rates.recording import read_rates
from ..problems.problem import AnyProblem, find_problem
from ..simulation import AnyRun, Steps, simulate
from ..simulation.progress_bar import ProgressBar
from ..simulation.simulate import refuse_ambiguity
from ..text import csv_tables
from . import cards
from .arguments import (
    Command,
    Parser,
    declare_duration,
    declare_problem,
    declare_progress,
    declare_settings,
    find_changed_problem,
    read_assignments,
    read_number,
    working,
)
from .console import (
    CHECK_FAILED,
    DONE,
    EXIT_CODES,
    MACHINE_ERROR,
    RECORDING,
    STDOUT,
    Style,
    check_out,
    complain,
    describe_error,
    print_json,
    print_notice,
    spell_option,
)
from .interrupt import INTERRUPTED

EXAMPLES = """\
examples:
  polhode show MR2
  polhode run slow-top NMB --dt 0.01 --duration 100 --out run.parquet
  polhode run "soft-wall(sign=as-printed)" "MR2(axes=231)" --steps 1e6
  polhode run lagrange-top AKW --set Omega0=0,0,4 --set gravity=15
"""
"""What the help of `polhode` and of `polhode run` ends with."""


def _declare_run(parser: Parser) -> None:
    declare_problem(parser)
    parser.add_argument(
        "method", nargs="?", metavar="METHOD", help="like NMB, MR2(axes=231) or BUSS3+E"
    )
    length = parser.add_argument_group("how long and how fine")
    length.add_argument("--dt", metavar="STEP", help="the step; by default the problem's own")
    declare_duration(length)
    length.add_argument("--steps", metavar="N", help="the number of steps, instead of a duration")
    length.add_argument("--every", metavar="K", help="store every K-th state")
    length.add_argument(
        "--samples",
        metavar="N|FILE",
        help="store about N states, evenly spaced; or run a method on a gyroscope's recording, a CSV file",
    )
    problem = parser.add_argument_group("problem and method")
    declare_settings(problem)
    for name, words in RECORDING.items():
        problem.add_argument(spell_option(name), metavar="WORDS", help=f"of a recording: {words}")
    problem.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="of the method, like axes=231; repeatable",
    )
    problem.add_argument(
        "--precision", metavar="WORD", help="single for numbers of 32 bits, as in engines"
    )
    problem.add_argument(
        "--substeps", metavar="N", help="divide each step, as a frame, into N with the torque held"
    )
    problem.add_argument(
        "--energy-correction",
        action="store_true",
        help="correct the energy of a free body after each step",
    )
    output = parser.add_argument_group("output")
    output.add_argument(
        "--out",
        action="append",
        default=[],
        metavar="FILE",
        help="save as .parquet, .npz or .csv, or an animation as .glb; - prints CSV; repeatable",
    )
    output.add_argument("--json", action="store_true", help="print the summary as JSON")
    output.add_argument(
        "--check", action="store_true", help="exit with 3 if the run found no solution or diverged"
    )
    declare_progress(output, quiet="no progress, and no summary except with --json")
    parser.epilog = f"{EXAMPLES}\n{EXIT_CODES}"


def _run(args: argparse.Namespace) -> int:
    if args.samples is not None and Path(args.samples).suffix.lower() in csv_tables.ENDINGS:
        problem, name = _read_recording(args)
    else:
        _check_both(args.problem, args.method)
        problem, name = find_changed_problem(args.problem, args.set), args.method
    given = [
        f"{name}={value}"
        for name in ("precision", "substeps")
        if (value := getattr(args, name)) is not None
    ]
    options = read_assignments([*args.option, *given], "--option")
    method = find_method(name, space=problem.space, **options)
    lengths = ("duration", "steps", "every", "samples")
    numbers: dict[str, Any] = {name: read_number(getattr(args, name), name) for name in lengths} | {
        "dt": args.dt
    }
    refuse_ambiguity(name, method, Steps(**numbers))
    paths = check_out(args)
    with working(args, "steps", f"{method.label} on {problem.label}: preparing …") as (
        cancel,
        bar,
        received,
    ):
        correct = args.energy_correction
        run = simulate(
            problem, method, energy_correction=correct, cancel=cancel, progress=bar, **numbers
        )
    for i, path in enumerate(paths):
        try:
            with warnings.catch_warnings(record=True) as noticed:
                warnings.simplefilter("always")
                run.save(path)
            for one in noticed:
                print_notice(f"{path}: {one.message}")
        except (OSError, ValueError) as error:
            _report(run, paths[:i], args)
            return complain(f"{path} was not saved: {describe_error(error)}", MACHINE_ERROR)
    _report(run, paths, args)
    if run.status == "cancelled" and received:
        return 128 + received[0]
    return CHECK_FAILED if args.check and run.status != "done" else DONE


def _read_recording(args: argparse.Namespace) -> tuple[AnyProblem, str]:
    """Return the problem of a recording, and the name of the method."""
    if args.problem is None or args.method is not None:
        raise ValueError(
            "a recording takes the place of the problem: `polhode run --samples flight.csv WILCOX`"
        )
    recorded = read_rates(
        args.samples, columns=args.columns, unit=args.unit, time_unit=args.time_unit
    )
    args.samples = None
    settings = recorded.read_text(read_assignments(args.set, "--set"))
    return find_problem(recorded, **settings), args.problem


def _check_both(problem: str | None, method: str | None) -> None:
    if problem is None or method is None:
        raise ValueError(
            "run needs a problem and a method, as in `polhode run slow-top NMB`; see `polhode list`"
        )
    with suppress(ValueError):
        find_problem(problem)
        return
    try:
        swapped = (
            find_problem(method),
            find_method(problem),
        )  # first the problem: few problems, many methods
    except ValueError:
        return
    raise ValueError(
        f"the problem comes first, then the method: `polhode run {swapped[0].key} {swapped[1].key}`"
    )


def _report(run: AnyRun, paths: Sequence[Path], args: argparse.Namespace) -> None:
    about = cards.about_run(run, paths)
    if STDOUT in args.out:
        with (
            tempfile.TemporaryDirectory() as folder,
            run.save(Path(folder, "run.csv")).open() as file,
        ):
            shutil.copyfileobj(file, sys.stdout)
    elif args.json:
        print_json(about)
    elif not args.quiet:
        print("\n".join(cards.summary(run, about, args.set, Style(sys.stdout))))


def _declare_warm(parser: Parser) -> None:
    parser.add_argument(
        "--methods", nargs="+", metavar="NAME", help="these methods; by default all"
    )
    parser.add_argument(
        "--problems", nargs="+", metavar="NAME", help="the torques of these; by default all"
    )
    parser.add_argument(
        "--jobs", metavar="N", help="compilations at a time; by default one per processor"
    )
    parser.add_argument(
        "--quiet", action="store_true", help="print nothing unless something goes wrong"
    )
    parser.add_argument("--json", action="store_true", help="the numbers and failures, for scripts")


def _warm(args: argparse.Namespace) -> int:
    jobs: Any = read_number(args.jobs, "jobs")
    try:
        with ProgressBar("kernels", not args.quiet) as bar:
            bar.note("compiling …")
            report = warm(args.methods, args.problems, jobs, bar)
    except KeyboardInterrupt:
        return complain(
            "interrupted; what is compiled so far is kept, and the next time it goes on",
            INTERRUPTED,
        )
    if args.json:
        print_json(asdict(report) | {"directory": str(report.directory)})
    if report.failed:
        return complain(report, MACHINE_ERROR)
    if not args.quiet and not args.json:
        print(report)
    return DONE


RUN = Command(
    _run, _declare_run, "PROBLEM METHOD [options]", "run a method on a problem, and report"
)
WARM = Command(
    _warm, _declare_warm, "[options]", "compile the methods now, so that no run waits for it"
)
