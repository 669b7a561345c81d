"""All trials: importing their modules declares them."""

import sys
from pathlib import Path

# `app` talks to a server without a browser; `cli` has a line for each command.
sys.path += [str(Path(__file__).resolve().parents[1] / folder) for folder in ("app", "cli")]

import bombs  # noqa: F401
import clocks  # noqa: F401
import damage  # noqa: F401
import disks  # noqa: F401
import kills  # noqa: F401
import meshes  # noqa: F401
import servers  # noqa: F401
import texts  # noqa: F401
from trials import TRIALS

__all__ = ["TRIALS"]
