"""The screens: the dashboard itself, and what opens over it."""
