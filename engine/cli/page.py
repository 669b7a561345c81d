"""`polhode serve`, `demo`, `lesson` and `site`: commands of the page, which another package carries
out.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from ..export.files import check_writable
from ..problems.problem import AnyProblem, find_problem
from ..simulation.progress_bar import ProgressBar
from .arguments import make_command, read_assignments, read_number
from .outcome import DONE, USAGE_ERROR, complain, save


def _find_function(name: str) -> Callable[..., Any]:
    """Return the page's function for a command. Its package announces itself: the engine imports no
    page.
    """
    announced = list(entry_points(group="polhode.commands", name=name))
    if not announced:
        raise ValueError(
            "the page is not installed here; `pip install .` in Polhode's folder installs it"
        )
    function: Callable[..., Any] = announced[0].load()
    return function


NUMBERS = ("port", "processes", "threads", "visitors", "drain")
OF_EVERY_COMMAND = ("command", "run", "plugins", "version")
"""Arguments that are not for the page."""


def _serve(args: argparse.Namespace) -> int:
    main = _find_function("serve")
    given = {name: value for name, value in vars(args).items() if name not in OF_EVERY_COMMAND}
    return int(main(**given | {name: read_number(given[name], name) for name in NUMBERS}))


def _demo(args: argparse.Namespace) -> int:
    if args.problem is None:
        raise ValueError(
            "demo needs a problem, as in `polhode demo slow-top NMB DMV --out demo.html`"
        )
    problem: AnyProblem = find_problem(args.problem)
    path = check_writable(args.out or f"{problem.key}.html", (".html",))
    make = _find_function("demo")
    times = {"dt": args.dt, "duration": read_number(args.duration, "duration")}
    demo = make(
        args.problem,
        args.methods,
        **times,
        **problem.read_text(read_assignments(args.set, "--set")),
    )
    return _save(demo, path)


def _save(page: Any, path: Path) -> int:
    code = save(path, page.save)
    if code == DONE:
        print(
            f"{path}: {path.stat().st_size / 1000:,.0f} kB; it opens in any browser, without a network."
        )
    return code


def _lesson(args: argparse.Namespace) -> int:
    if args.file is None:
        raise ValueError(
            "lesson needs a file, as in `polhode lesson my-lesson.md --out my-lesson.html`"
        )
    path = check_writable(args.out or f"{Path(args.file).stem}.html", (".html",))
    make = _find_function("lesson")
    try:
        return _save(make(args.file), path)
    except ValueError as error:
        return max(complain(sentence, USAGE_ERROR) for sentence in str(error).splitlines())


def _site(args: argparse.Namespace) -> int:
    if args.folder is None:
        raise ValueError("site needs a folder to write, as in `polhode site public`")
    make = _find_function("site")
    folder = Path(args.folder)
    with ProgressBar("demos", not args.quiet) as bar:

        def progress(done: int, of: int) -> None:
            bar(done, of)
            if done == of:
                bar.note("building the documentation …")

        missing = make(folder, progress=progress)
    for sentence in missing:
        complain(sentence, DONE)
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    print(f"{folder}: {size / 1e6:,.0f} MB of static files; begin with {folder / 'index.html'}.")
    return DONE


COMMANDS = make_command("serve", _serve) | make_command("demo", _demo)
COMMANDS |= make_command("lesson", _lesson) | make_command("site", _site)
