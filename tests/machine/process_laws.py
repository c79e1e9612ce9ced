"""What holds for every process that is alive: what it knows, what it shows, and that it lives."""

from collections.abc import Collection
from dataclasses import replace

from hermes_tui.core.facts import Facts
from hermes_tui.core.pool import Asker, NobodyCanSay, ReturnsAt, UsableNow, next_available_at, row_of, usable
from tests.machine.auditor import Auditor
from tests.machine.process import Process
from tests.machine.world import MODELS


def examine(process: Process, auditor: Auditor, keys: Collection[str]) -> None:
    """Fail where `process` breaks a law; `keys` are the secrets."""
    assert process.failure() is None
    snapshot = process.fleet.snapshot()
    assert not snapshot.engine_stopped
    shown = repr(replace(snapshot, events=()))  # its events are the journal's
    assert not [key for key in keys if key in shown]
    if process.ledger.position == auditor.position:
        configuration = snapshot.facts.configuration
        assert configuration is not None
        assert process.ledger.facts == auditor.facts
        assert snapshot.facts == auditor.facts.under(configuration)
        _selects_by_the_rows(process.ledger.facts.under(configuration), process.fleet.now())


def _selects_by_the_rows(facts: Facts, now: float) -> None:
    """Who may serve, and when the next returns, is what the rows say, however long they have been kept in order."""
    for pool in facts.configuration.pools if facts.configuration else ():
        rows = [(member, row_of(facts, pool, member)) for member in pool.members]
        for model in MODELS:
            benches = [(member, row.benched_for(model, now)) for member, row in rows if row.death is None]
            free = tuple(member for member, bench in benches if bench is None)
            returning = min((bench.until for _, bench in benches if bench is not None), default=None)
            assert usable(facts, pool, model, now, Asker("nobody")) == free
            match next_available_at(facts, pool, model, now):
                case UsableNow():
                    assert free
                case ReturnsAt(until=until):
                    assert not free
                    assert until == returning
                case NobodyCanSay():
                    assert not benches
