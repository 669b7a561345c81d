"""A clock that counts steps, for all tests of studies."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from steady_clock import steady_clock


@pytest.fixture(scope="module", autouse=True)
def kernels_of_one_speed() -> Iterator[None]:
    with steady_clock():
        yield
