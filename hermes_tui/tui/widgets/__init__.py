"""Widgets that know nothing of sessions: lines, and a place to type."""
