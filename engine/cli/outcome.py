"""How a command ends: exit codes, sentences on stderr, files and rows."""

from __future__ import annotations

import re
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ..export.files import WRITABLE, check_writable, write_atomically
from ..simulation.request import ARGUMENTS
from ..text.formatting import join_words, shorten, show
from .arguments import spell_option
from .console import Style, choose_columns, print_json, table, wrapped

if TYPE_CHECKING:
    import pandas as pd

DONE, MACHINE_ERROR, USAGE_ERROR, CHECK_FAILED, BROKEN_PIPE = 0, 1, 2, 3, 141
"""Exit codes."""
EXIT_CODES = """\
exit codes:
  0    done, also if the method found no solution or blew up
  1    a file could not be written
  2    something was not understood
  3    with --check: no solution found, or blown up
  130  ended by Ctrl-C, with what was computed reported and saved
"""
"""The exit codes in words."""
STDOUT = "-"
"""The file to write that stands for stdout."""


def complain(what: object, code: int) -> int:
    """Print one sentence on stderr, on one line and not too long, and return the exit code."""
    with suppress(OSError):
        print(f"polhode: {shorten(spell_arguments(str(what)))}", file=sys.stderr, flush=True)
    return code


_ARGUMENTS = re.compile(
    rf"(?<![\w(])({'|'.join(name for name in ARGUMENTS if name not in ('progress', 'cancel'))})=([\w./-]+)"
)


def spell_arguments(words: str) -> str:
    """Spell the arguments of `simulate` in a sentence as options: every=k becomes --every k."""
    return _ARGUMENTS.sub(lambda found: f"{spell_option(found[1])} {found[2]}", words)


def describe_error(error: Exception) -> str:
    """Return an error in words, with the file of one of the operating system."""
    words = getattr(error, "strerror", None) or str(error)
    file = getattr(error, "filename", None)
    return f"{file}: {words}" if file else words


def save(path: Path | None, write: Callable[[Path], object]) -> int:
    """Write a file, if there is a path, or complain; return the exit code."""
    try:
        if path:
            write_atomically(path, write)
    except OSError as error:
        return complain(f"{path} was not saved: {error.strerror or error}", MACHINE_ERROR)
    return DONE


def check_out(args: Namespace, endings: tuple[str, ...] = WRITABLE) -> list[Path]:
    """Return the files of --out, after a check that they can be written: better before the work
    than after it.
    """
    given = [args.out] if isinstance(args.out, str) else args.out or []
    if STDOUT in given and args.json:
        raise ValueError(f"--out {STDOUT} and --json both print; give one of them")
    return [check_writable(path, endings) for path in given if path != STDOUT]


def end_measuring(received: Sequence[int], code: int = DONE) -> int:
    """Return the exit code, and say so if a signal ended the measurement."""
    if not received:
        return code
    return complain("stopped early; what was measured until then is kept", 128 + received[0])


def report_rows(
    frame: pd.DataFrame,
    lines: Sequence[str],
    args: Namespace,
    write: Callable[[Path], object] | None = None,
) -> int:
    """Save rows, and print them as JSON or as lines, also if they cannot be saved; return the exit
    code.
    """
    if args.out == STDOUT:
        frame.to_csv(sys.stdout, index=False)
        return DONE
    code = save(
        args.out and Path(args.out), write or (lambda file: frame.to_csv(file, index=False))
    )
    if args.json:
        print_json(frame.astype(object).where(frame.notna(), None).to_dict("records"))
    elif lines:
        print("\n".join(lines))
    return code


def format_frame(frame: pd.DataFrame, style: Style) -> list[str]:
    """Return a table as lines, numbers to the right."""
    import pandas as pd

    def cell(x: object) -> str:
        return "–" if pd.isna(x) else show(x, 4) if isinstance(x, float) else str(x)

    rows = [list(frame.columns), *([cell(x) for x in row] for row in frame.to_numpy(dtype=object))]
    numbers = [pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]
    kept = choose_columns(rows, range(len(numbers) - 1, 0, -1))
    align = "".join("<>"[numbers[i]] for i in kept)
    lines = table([[row[i] for i in kept] for row in rows], align, style)
    dropped = [str(name) for i, name in enumerate(frame.columns) if i not in kept]
    if dropped:
        note = f"Not shown: {join_words(dropped)}; --json and --out have all columns."
        lines += map(style.dim, wrapped(note))
    return lines
