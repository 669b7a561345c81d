"""A Dask cluster for a test."""

from __future__ import annotations

from typing import Any


def cluster_of(workers: int, dashboard: str | None = None) -> Any:
    """A cluster of worker processes, on a free port."""
    from dask.distributed import LocalCluster

    return LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        dashboard_address=dashboard,
        scheduler_kwargs={"dashboard_address": ":0"},
    )
