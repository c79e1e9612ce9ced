"""The other side of every agent of the lab: a Codex account and a fallback, on loopback."""

import time
from typing import Final

from hermes_tui.simulator import Account, Dialect, Provider, QuotaWindow, World

PRIMARY: Final = "openai-codex"
PRIMARY_MODEL: Final = "gpt-5.5"
BACKUP: Final = "backup"
BACKUP_KEY: Final = "made-up-key-of-the-backup"
FALLBACK_MODEL: Final = "small"

HOUR: Final = 3600.0
DAY: Final = 24 * HOUR


def make_world() -> World:
    """Return a primary with quota, which takes any token, and a fallback."""
    start = time.time()
    windows = [QuotaWindow("5 h", 5 * HOUR, start + 5 * HOUR, 5.0), QuotaWindow("week", 7 * DAY, start + 2 * DAY, 5.0)]
    anyone = Account("anyone", windows=windows)
    primary = Provider(PRIMARY, Dialect.CODEX_RESPONSES, {anyone.label: anyone}, models={PRIMARY_MODEL: 400_000})
    backup = Provider(BACKUP, accounts={"anyone": Account("anyone")}, models={FALLBACK_MODEL: 200_000})
    return World([primary, backup], now=time.time)
