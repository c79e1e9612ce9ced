"""The dashboard: a Textual application over one source."""
