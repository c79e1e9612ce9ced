"""Sessions of a real Hermes that this program runs: a child that speaks JSON by lines, and what it says as values."""
