"""A real Hermes home: what its files say, what follows from that, and the few changes that a user may ask for."""
