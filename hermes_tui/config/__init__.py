"""The configuration file: found, read, checked, resolved and watched."""
