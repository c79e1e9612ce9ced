"""hermes-tui: watch long-running agent sessions, and put their primary model back."""
