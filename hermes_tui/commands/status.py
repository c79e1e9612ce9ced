"""`status`: where every session stands, read from the state without a model call."""

import json
import os
import sys
import time
from pathlib import Path

from hermes_tui.config.locate import state_directory
from hermes_tui.storage.ledger import SqliteLedger
from hermes_tui.storage.ownership import Ownership
from hermes_tui.view.status import needs_attention, status_document, status_lines

NOTHING_REACHABLE = 3


def status(state: Path | None, *, as_json: bool) -> int:
    """Print the status; return 0 when all is well, 1 when something needs attention, 3 without a state."""
    directory = state_directory(state, os.environ)
    if not (directory / "state.db").exists():
        sys.stderr.write(f"hermes-tui: no state in {directory} yet: open the dashboard, or `hermes-tui run`.\n")
        return NOTHING_REACHABLE
    ledger = SqliteLedger.open(directory, read_only=True)
    try:
        owners = Ownership(directory)
        document = status_document(ledger.facts, owners.owner, time.time())
    finally:
        ledger.close()
    if as_json:
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(status_lines(document, time.time()))
    return 1 if needs_attention(document) else 0
