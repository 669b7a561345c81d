"""All trials: importing their modules declares them."""

import sys
from pathlib import Path

sys.path.append(
    str(Path(__file__).resolve().parents[1] / "app")
)  # where a server is talked to without a browser

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
