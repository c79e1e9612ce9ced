"""Tests of the wire, against real servers on loopback."""
