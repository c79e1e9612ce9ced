"""A provider on loopback with scripted scenarios: the other side of `demo`, `simulate` and the tests."""
