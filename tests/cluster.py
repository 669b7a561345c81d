"""A Dask cluster of one's own for a test."""

from __future__ import annotations

from typing import Any


def cluster_of(workers: int) -> Any:
    """So many workers in processes of their own; without a dashboard, and its port is any, as others may have one."""
    from dask.distributed import LocalCluster

    return LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address=None, scheduler_kwargs={"dashboard_address": ":0"}
    )
