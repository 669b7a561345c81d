"""A Dask cluster for a test."""

from __future__ import annotations

from typing import Any


def cluster_of(workers: int) -> Any:
    """A cluster of worker processes without a dashboard, on a free port."""
    from dask.distributed import LocalCluster

    return LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address=None, scheduler_kwargs={"dashboard_address": ":0"}
    )
