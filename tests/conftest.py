"""How many tests run at once where `-n auto` leaves that to us."""

import os
from typing import Final

import pytest

LEAST_WORKERS: Final = 4
"""Most of the slow tests wait for a program of their own: two on two processors would leave these idle."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return the number of workers."""
    return max(LEAST_WORKERS, os.cpu_count() or 1)
