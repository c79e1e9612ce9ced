"""A hand on a running Hermes: the plugin that is put into a home, and the client that talks to it."""
