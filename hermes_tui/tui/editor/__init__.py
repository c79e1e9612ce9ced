"""What the chain editor is made of, beside its screen."""
