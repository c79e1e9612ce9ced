"""Benchmarks, side by side in one run: `python -m tests.benchmarks [FAMILY…]`. They inform, and assert nothing."""
