"""The switch that writes the snapshots anew."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-snapshots", action="store_true", help="write the snapshots of the screens anew")


@pytest.fixture
def updating(request: pytest.FixtureRequest) -> bool:
    """Tell whether snapshots are to be written rather than compared."""
    return bool(request.config.getoption("--update-snapshots", default=False))
