"""Tests of the configuration file: one behaviour each."""
