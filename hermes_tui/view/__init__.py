"""Words and rows: what a snapshot says, before any screen."""
