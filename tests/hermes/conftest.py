"""Real homes for all tests here."""

from tests.hermes.lab.fixtures import build, home_of, shelf

__all__ = ["build", "home_of", "shelf"]
