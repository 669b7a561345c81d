"""A parser of the Dockerfile, for `tests/project/test_docker.py`."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]


class Instruction(NamedTuple):
    """One instruction: FROM, RUN, COPY, …, and what follows it."""

    keyword: str
    value: str

    def words(self) -> list[str]:
        """The value's words, without flags such as --from=build."""
        return [word for word in shlex.split(self.value) if not word.startswith("--")]

    def flag(self, name: str) -> str | None:
        """The value of a flag in front."""
        found = re.search(rf"(?:^|\s)--{name}=(\S+)", self.value)
        return found[1] if found else None

    def command(self) -> str:
        """Return a line for sh, from either form of CMD, RUN and HEALTHCHECK."""
        text = self.value.partition("CMD ")[2] if self.keyword == "HEALTHCHECK" else self.value
        return shlex.join(json.loads(text)) if text.startswith("[") else text


def instructions(path: Path = ROOT / "Dockerfile") -> list[Instruction]:
    """All instructions, each on one line."""
    lines = [line for line in path.read_text().splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [Instruction(*line.split(maxsplit=1)) for line in joined.splitlines() if line.strip()]
