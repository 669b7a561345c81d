"""Run README's two test commands many times in a row, with a busy loop on each processor.

`python -m tests.repeat 8`, where the tests are installed, writes the closing line of each run, and
keeps the whole output of each in results/repeat/. It fails if one fails.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOGS = ROOT / "results" / "repeat"


def commands() -> dict[str, list[str]]:
    """Return both commands of README for this Python, without their installation."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.findall(r"<!-- (test|browser) line -->\n```sh\n(?:.* && )?python (.*)\n```", text)
    return {name: [sys.executable, *line.split()] for name, line in found}


@contextmanager
def busy() -> Iterator[None]:
    """A busy loop on each processor."""
    loops = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"])
        for _ in os.sched_getaffinity(0)
    ]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def run(command: list[str], log: Path) -> tuple[str, bool]:
    """Return the last line of a run from an empty kernel cache, and whether it passed; the log has
    its output.
    """
    with tempfile.TemporaryDirectory() as cache, log.open("w", encoding="utf-8") as out:
        environment = os.environ | {"POLHODE_CACHE_DIR": cache}
        code = subprocess.call(
            command, cwd=ROOT, env=environment, stdout=out, stderr=subprocess.STDOUT
        )
    return log.read_text(encoding="utf-8").rstrip().rpartition("\n")[2], code == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("times", type=int, nargs="?", default=8)
    times = parser.parse_args().times
    LOGS.mkdir(parents=True, exist_ok=True)
    failed = 0
    with busy():
        for number in range(1, times + 1):
            for name, command in commands().items():
                log = LOGS / f"{number}-{name}.log"
                line, well = run(command, log)
                failed += not well
                print(
                    f"{number} {name}: {line}"
                    + ("" if well else f" (see {log.relative_to(ROOT)})"),
                    flush=True,
                )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
