"""Values and decisions: pure, standard library only; `now` is always a value in epoch seconds."""
