"""Seals on reasoning: what only the model that made it takes back, for one account and in its own conversation."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any, NamedTuple


class Seal(NamedTuple):
    """Who seals, by provider, account and model, and the conversation that stands before what is sealed."""

    issuer: str
    before: Sequence[Any]

    def mark(self, text: str) -> str:
        """Return the mark that `text` gets; any change to the text, or before it, makes it another."""
        whole = json.dumps([self.issuer, self.before, text], sort_keys=True)
        return hashlib.sha256(whole.encode()).hexdigest()
