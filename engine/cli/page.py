"""`polhode serve`, `demo`, `lesson` and `site`: commands of the page, which another package carries out."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from ..export.files import check_writable
from ..problems.problem import AnyProblem, find_problem
from .arguments import Command, Parser, declare_progress, declare_set, read_assignments, read_number
from .console import ProgressBar
from .outcome import DONE, USAGE_ERROR, complain, save


def _declare_serve(parser: Parser) -> None:
    switch: dict[str, Any] = {"action": argparse.BooleanOptionalAction}
    parser.add_argument("--port", default="5006", metavar="N", help="where it listens (5006); 0 for any free port")
    words = "the interface it listens on (localhost); 0.0.0.0 for all"
    parser.add_argument("--address", default="localhost", metavar="HOST", help=words)
    words = "a host name under which browsers reach this server; repeatable; also $POLHODE_ORIGINS"
    parser.add_argument("--origin", action="append", default=[], metavar="HOST", help=words)
    words = "a site whose pages may show this one in a frame, like https://course.example; repeatable"
    parser.add_argument("--embed-in", action="append", default=[], metavar="HOST", help=words)
    words = "the address at which browsers reach the page, for links and QR codes; also $POLHODE_PUBLIC_URL"
    parser.add_argument("--public-url", metavar="URL", help=words)
    parser.add_argument("--show", **switch, default=True, help="open a browser")
    words = "compile all methods first, or nothing; by default what the first page needs"
    parser.add_argument("--warm", **switch, help=words)
    parser.add_argument("--processes", default="1", metavar="N", help="processes that share the port (1)")
    parser.add_argument("--threads", metavar="N", help="threads of each process, for visitors' events (none)")
    parser.add_argument("--visitors", default="100", metavar="N", help="the most visitors of each process (100)")
    words = "the address of a Dask cluster that makes the runs of maps, like tcp://host:8786; also $POLHODE_SCHEDULER"
    parser.add_argument("--scheduler", metavar="ADDRESS", help=words)


def _find_function(name: str) -> Callable[..., Any]:
    """Return the page's function for a command. Its package announces itself: the engine imports no page."""
    announced = list(entry_points(group="polhode.commands", name=name))
    if not announced:
        raise ValueError("the page is not installed here; `pip install .` in Polhode's folder installs it")
    try:
        function: Callable[..., Any] = announced[0].load()
    except ModuleNotFoundError as error:
        raise ValueError(
            f"the page needs {error.name}, which is not installed; `pip install {error.name}`"
        ) from error
    return function


def _serve(args: argparse.Namespace) -> int:
    main = _find_function("serve")
    numbers = {name: read_number(getattr(args, name), name) for name in ("port", "processes", "threads", "visitors")}
    same = {name: getattr(args, name) for name in ("address", "public_url", "show", "warm", "scheduler")}
    return int(main(origins=args.origin, embedders=args.embed_in, **same, **numbers))


def _declare_demo(parser: Parser) -> None:
    parser.add_argument("problem", nargs="?", metavar="PROBLEM", help="like slow-top, or soft-wall(sign=as-printed)")
    parser.add_argument("methods", nargs="*", metavar="METHOD", help="at most four; by default those of the page")
    parser.add_argument("--out", metavar="FILE", help="the file to write, whose name ends in .html; PROBLEM.html")
    parser.add_argument("--dt", metavar="STEP", help="the step that it begins with; by default the problem's own")
    parser.add_argument("--duration", metavar="T", help="the duration, in the problem's time")
    declare_set(parser)


def _demo(args: argparse.Namespace) -> int:
    if args.problem is None:
        raise ValueError("demo needs a problem, as in `polhode demo slow-top NMB DMV --out demo.html`")
    problem: AnyProblem = find_problem(args.problem)
    path = check_writable(args.out or f"{problem.key}.html", (".html",))
    make = _find_function("demo")
    times = {"dt": args.dt, "duration": read_number(args.duration, "duration")}
    demo = make(args.problem, args.methods, **times, **problem.read_text(read_assignments(args.set, "--set")))
    return _save(demo, path)


def _save(page: Any, path: Path) -> int:
    code = save(path, page.save)
    if code == DONE:
        print(f"{path}: {path.stat().st_size / 1000:,.0f} kB; it opens in any browser, without a network.")
    return code


def _declare_lesson(parser: Parser) -> None:
    parser.add_argument("file", nargs="?", metavar="FILE", help="a Markdown file, or a name such as tennis-racket")
    parser.add_argument("--out", metavar="FILE", help="the file to write, whose name ends in .html; FILE.html")


def _lesson(args: argparse.Namespace) -> int:
    if args.file is None:
        raise ValueError("lesson needs a file, as in `polhode lesson my-lesson.md --out my-lesson.html`")
    path = check_writable(args.out or f"{Path(args.file).stem}.html", (".html",))
    make = _find_function("lesson")
    try:
        return _save(make(args.file), path)
    except ValueError as error:
        return max(complain(sentence, USAGE_ERROR) for sentence in str(error).splitlines())


def _declare_site(parser: Parser) -> None:
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help="a new one, or one with an earlier site")
    declare_progress(parser)


def _site(args: argparse.Namespace) -> int:
    if args.folder is None:
        raise ValueError("site needs a folder to write, as in `polhode site public`")
    make, folder = _find_function("site"), Path(args.folder)
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


COMMANDS = {
    "serve": Command(_serve, _declare_serve, "[options]", "open the page in a browser, and serve it"),
    "demo": Command(
        _demo, _declare_demo, "PROBLEM [METHOD …] [options]", "write a live demo, a file that runs in any browser"
    ),
    "lesson": Command(_lesson, _declare_lesson, "FILE [options]", "write a lesson with live demos as one file"),
    "site": Command(
        _site, _declare_site, "FOLDER", "write documentation, a lab and a gallery of demos as static files"
    ),
}
