"""The command line's commands, each loaded when it is called."""
