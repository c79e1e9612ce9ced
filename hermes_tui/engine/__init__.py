"""The running mechanism: sessions and their turns, probing, restoring, and the fleet that owns them."""
