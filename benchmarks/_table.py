"""Helpers of all benchmarks: the machine, tables, result files, and ratios."""

from __future__ import annotations

import json
import os
import platform
import statistics
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from engine.compiler import native


def host(packages: Sequence[str] = ("numpy", "scipy", "llvmlite")) -> dict[str, Any]:
    """Return the machine, with the bits of its vectors, and the versions of a measurement; a missing
    package has None.
    """
    return {
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "bits": 64 * native.register_size(),
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "versions": {name: find_version(name) for name in packages},
    }


def _cpu() -> str:
    """The processor's name."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def find_version(package: str) -> str | None:
    """The version of an installed package, or None."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def paired_ratio(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the median of a/b over rounds, which ignores a slow round."""
    return statistics.median(x / y for x, y in zip(a, b, strict=True))


def table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a plain table: the first column is left-aligned, the others are right-aligned."""
    lines = [list(headers), *(list(row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(headers))]
    lines.insert(1, ["-" * width for width in widths])
    padded = [[line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])] for line in lines]
    return "\n".join("  ".join(line).rstrip() for line in padded)


def write_json(path: str | Path, data: Any) -> None:
    """Write the figures; numbers that JSON does not have (nan, inf) are an error."""
    Path(path).write_text(
        json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False, default=float) + "\n"
    )
