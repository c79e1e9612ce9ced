"""The wire: how each kind of provider is asked, and how its failures are read."""
