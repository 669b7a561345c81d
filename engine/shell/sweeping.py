"""`polhode study sweep`: a grid of runs from the shell."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..names import split_names
from ..spec import Number
from ..wording import sentence, short

if TYPE_CHECKING:
    import xarray as xr

SENTENCE = "Any measure over any parameters: a grid of runs, on this machine or on a Dask cluster."
ENDINGS = (".nc", ".csv")
EXAMPLE = "polhode study sweep slow-top NMB --over dt=log:1e-3:1:60 --measure energy --out map.nc"


def declare(parser: argparse.ArgumentParser) -> None:
    """The options that only a sweep has."""
    parser.add_argument(
        "--over",
        action="append",
        metavar="NAME=VALUES",
        help="sweep: what is varied, like dt=log:1e-3:1:60, Omega0.z=1:50:100 or J.x=1,2,3; repeatable; "
        "--measure may then name several, with commas",
    )
    parser.add_argument("--refine", metavar="NAME[=LEVEL]", help="sweep: look closer only along this boundary")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="sweep: of a Dask cluster, like tcp://host:8786")
    parser.add_argument(
        "--processes", action="store_const", const="processes", help="sweep: in processes, not threads"
    )


OPTIONS = ("over", "measure", "refine", "scheduler", "processes", "dt", "duration", "steps", "spread", "keep")


def asked(args: argparse.Namespace) -> dict[str, Any]:
    """What `engine.studies.sweep` is called with besides problem and methods."""
    from ..studies.sweeps.ranges import read_over

    if not args.over:
        raise ValueError(f"sweep needs --over, what is varied; as in `{EXAMPLE}`")
    if args.scheduler and args.processes:
        raise ValueError("give --scheduler or --processes, not both")
    refine: Any = args.refine
    if refine is not None and "=" in refine:
        name, _, level = refine.partition("=")
        refine = {name.strip(): Number().parsed(level, name.strip())}
    given = {name: getattr(args, name) for name in ("duration", "steps", "spread") if getattr(args, name) is not None}
    return {name: Number().parsed(text, name) for name, text in given.items()} | {
        "dt": args.dt,
        "over": read_over(";".join(args.over)),
        "measure": split_names(args.measure or "energy"),
        "refine": refine,
        "keep": args.keep,
        "executor": args.scheduler or args.processes,
    }


def methods_of(names: list[str]) -> list[str]:
    """The methods as they were named: several words, or one list with commas."""
    return [name for word in names for name in split_names(word)]


def saved(data: xr.Dataset, path: Path) -> None:
    """The result as a file: NetCDF, or a table with a row for each point."""
    if path.suffix == ".nc":
        data.to_netcdf(path, engine="scipy")
    else:
        data.to_dataframe().reset_index().to_csv(path, index=False)


def summary(data: xr.Dataset) -> list[list[str]]:
    """For each method and measure the least, the median and the largest, and how many points have it."""
    import numpy as np

    rows = [["method", "measure", "points", "least", "median", "largest"]]
    for method in data["method"].values:
        one = data.sel({"method": method})  # `sel` has an argument `method` of its own
        for name, variable in one.data_vars.items():
            if name in ("status", "region"):
                continue
            values = variable.values[~np.isnan(variable.values)]
            figures = [short(float(f(values)), 4) for f in (np.min, np.median, np.max)] if len(values) else ["–"] * 3
            rows.append([str(method), str(name), f"{len(values):,}", *figures])
    return rows


def conclusion(data: xr.Dataset) -> str:
    """How many points came to their end, and what became of the others."""
    from ..studies.sweeps.block import STATUS

    codes = data["status"].values
    counts = {word: int((codes == code).sum()) for code, word in STATUS.items()}
    said = f"{counts.pop('done'):,} of {codes.size:,} points ran to the end"
    rest = [f"{count:,} {word.replace('-', ' ')}" for word, count in counts.items() if count]
    words = f"{said}; {', '.join(rest)}." if rest else f"{said}."
    more = (sentence(data.attrs[name][:300]) for name in ("refused", "damaged") if name in data.attrs)
    return " ".join((words, *more))
