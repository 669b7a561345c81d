"""`polhode run` and `warm`: a run with its report, and the compilation of methods."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..algorithms.core.method import find_method
from ..exact.warm_up import warm
from ..problems.problem import find_problem
from ..simulation import AnyRun, simulate
from ..simulation.progress_bar import ProgressBar
from . import cards
from .arguments import (
    TEXTS,
    Parser,
    find_changed_problem,
    make_command,
    read_assignments,
    read_number,
    working,
)
from .console import Style, print_json, print_notice
from .interrupt import INTERRUPTED
from .outcome import CHECK_FAILED, DONE, MACHINE_ERROR, STDOUT, check_out, complain, describe_error

EXAMPLES = TEXTS["examples"]
EXIT_CODES = TEXTS["exit_codes"]


def _run(args: argparse.Namespace) -> int:
    _check_both(args.problem, args.method)
    problem = find_changed_problem(args.problem, args.set)
    given = [
        f"{name}={value}"
        for name in ("precision", "substeps")
        if (value := getattr(args, name)) is not None
    ]
    options = read_assignments([*args.option, *given], "--option")
    method = find_method(args.method, space=problem.space, **options)
    lengths = ("duration", "steps", "every", "samples")
    numbers: dict[str, Any] = {name: read_number(getattr(args, name), name) for name in lengths} | {
        "dt": args.dt
    }
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


def _check_both(problem: str | None, method: str | None) -> None:
    if problem is None or method is None:
        raise ValueError(
            "run needs a problem and a method, as in `polhode run slow-top NMB`; see `polhode list`"
        )
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


def _show_examples(parser: Parser) -> None:
    parser.epilog = f"{EXAMPLES}\n{EXIT_CODES}"


COMMANDS = make_command("run", _run, _show_examples) | make_command("warm", _warm)
