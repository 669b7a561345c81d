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
from ..text.extras import describe_extra
from .arguments import (
    Command,
    Parser,
    declare_duration,
    declare_problem,
    declare_progress,
    declare_settings,
    read_assignments,
    read_number,
)
from .console import DONE, USAGE_ERROR, complain, save


def _find_function(name: str) -> Callable[..., Any]:
    """Return the page's function for a command. Its package announces itself: the engine imports no
    page.
    """
    announced = list(entry_points(group="polhode.commands", name=name))
    if not announced:
        raise ValueError(f"the page is not installed here; {describe_extra('lab')}")
    function: Callable[..., Any] = announced[0].load()
    return function


NUMBERS = ("port", "processes", "visitors", "drain")
OF_EVERY_COMMAND = ("command", "run", "plugins", "version")
"""Arguments that are not for the page."""


def _declare_serve(parser: Parser) -> None:
    parser.add_argument(
        "--port", default="5006", metavar="N", help="where it listens (5006); 0 for any free port"
    )
    parser.add_argument(
        "--address",
        default="localhost",
        metavar="HOST",
        help="the interface it listens on (localhost); 0.0.0.0 for all",
    )
    parser.add_argument(
        "--origin",
        dest="origins",
        action="append",
        default=[],
        metavar="HOST",
        help="a host name under which browsers reach this server; repeatable; also $POLHODE_ORIGINS",
    )
    parser.add_argument(
        "--embed-in",
        dest="embedders",
        action="append",
        default=[],
        metavar="HOST",
        help="a site whose pages may show this one in a frame, like https://course.example; repeatable",
    )
    parser.add_argument(
        "--public-url",
        metavar="URL",
        help="the address at which browsers reach the page, for links and QR codes; also $POLHODE_PUBLIC_URL",
    )
    parser.add_argument(
        "--prefix",
        default="",
        metavar="PATH",
        help="the path below which the page is, like /lab, behind a proxy that keeps it",
    )
    parser.add_argument(
        "--password-file", metavar="FILE", help="a file with the password that visitors enter once"
    )
    parser.add_argument(
        "--show", action=argparse.BooleanOptionalAction, default=True, help="open a browser"
    )
    parser.add_argument(
        "--warm",
        action=argparse.BooleanOptionalAction,
        help="compile all methods first, or nothing; by default what the first page needs",
    )
    parser.add_argument(
        "--processes", default="1", metavar="N", help="processes that share the port (1)"
    )
    parser.add_argument(
        "--visitors", default="100", metavar="N", help="the most visitors of each process (100)"
    )
    parser.add_argument(
        "--drain",
        default="0",
        metavar="S",
        help="seconds that visitors have after SIGTERM, while no new ones are admitted (0)",
    )
    parser.add_argument("--access-log", action="store_true", help="log each request")
    parser.add_argument(
        "--json-log", action="store_true", help="write each line of the log as a JSON object"
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="the address of a Dask cluster that makes the runs of maps, like tcp://host:8786; also $POLHODE_SCHEDULER",
    )


def _serve(args: argparse.Namespace) -> int:
    main = _find_function("serve")
    given = {name: value for name, value in vars(args).items() if name not in OF_EVERY_COMMAND}
    return int(main(**given | {name: read_number(given[name], name) for name in NUMBERS}))


def _declare_demo(parser: Parser) -> None:
    declare_problem(parser)
    parser.add_argument(
        "methods", nargs="*", metavar="METHOD", help="at most four; by default those of the page"
    )
    parser.add_argument(
        "--out", metavar="FILE", help="the file to write, whose name ends in .html; PROBLEM.html"
    )
    parser.add_argument(
        "--dt", metavar="STEP", help="the step that it begins with; by default the problem's own"
    )
    declare_duration(parser)
    declare_settings(parser)


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


def _declare_lesson(parser: Parser) -> None:
    parser.add_argument(
        "file", nargs="?", metavar="FILE", help="a Markdown file, or a name such as tennis-racket"
    )
    parser.add_argument(
        "--out", metavar="FILE", help="the file to write, whose name ends in .html; FILE.html"
    )


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


def _declare_site(parser: Parser) -> None:
    parser.add_argument(
        "folder", nargs="?", metavar="FOLDER", help="a new one, or one with an earlier site"
    )
    declare_progress(parser)


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


SERVE = Command(_serve, _declare_serve, "[options]", "open the page in a browser, and serve it")
DEMO = Command(
    _demo,
    _declare_demo,
    "PROBLEM [METHOD …] [options]",
    "write a live demo, a file that runs in any browser",
)
LESSON = Command(
    _lesson, _declare_lesson, "FILE [options]", "write a lesson with live demos as one file"
)
SITE = Command(
    _site,
    _declare_site,
    "FOLDER",
    "write documentation, a lab and a gallery of demos as static files",
)
