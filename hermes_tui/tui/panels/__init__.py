"""The six panels of the main screen."""
