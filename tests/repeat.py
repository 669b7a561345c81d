"""Runs README's two test commands many times in a row, with a busy loop on each processor.

`python -m tests.repeat 8`, where the tests are installed, writes the closing line of each run, and keeps the whole
output of each in results/repeat/. It fails if one fails.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOGS = ROOT / "results" / "repeat"


def commands() -> list[list[str]]:
    """Both commands as README has them, by this Python; what one installs is here already."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = [re.search(rf"<!-- {name} line -->\n```sh\n(.*)\n```", text) for name in ("test", "browser")]
    found = [line[1].rpartition(" && ")[2].split() for line in lines if line]
    return [[sys.executable, *words[1:]] for words in found]


@contextmanager
def busy() -> Iterator[None]:
    """A busy loop on each processor."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in os.sched_getaffinity(0)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def closing_line(command: list[str], log: Path) -> str:
    """What pytest says at the end, of a run from an empty kernel cache; all that it says goes to a file."""
    with tempfile.TemporaryDirectory() as cache, log.open("w", encoding="utf-8") as out:
        environment = os.environ | {"POLHODE_CACHE_DIR": cache}
        code = subprocess.call(command, cwd=ROOT, env=environment, stdout=out, stderr=subprocess.STDOUT)
    last = log.read_text(encoding="utf-8").rstrip().rpartition("\n")[2]
    return last if code == 0 else f"{last} (exit {code}, see {log.relative_to(ROOT)})"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("times", type=int, nargs="?", default=8)
    LOGS.mkdir(parents=True, exist_ok=True)
    failed = 0
    with busy():
        for number in range(1, parser.parse_args().times + 1):
            for command in commands():
                kind = "browser" if command[-1].endswith("browser") and "--ignore" not in command[-1] else "test"
                line = closing_line(command, LOGS / f"{number}-{kind}.log")
                failed += "(exit" in line
                print(f"{time.strftime('%H:%M:%S')} {number} {kind}: {line}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
