"""A probe by hand: asked whatever a session waits for, remembered for all, and told in the timeline (M41, M45)."""

from hermes_tui.core.acting import route_in
from hermes_tui.core.acts import ProbeNow
from hermes_tui.core.believing import PROBE_FLOOR_SECONDS, cached
from hermes_tui.core.decision import Decision, Record
from hermes_tui.core.errors import RefusedError
from hermes_tui.core.event import ActPerformed
from hermes_tui.core.pool import Candidate
from hermes_tui.core.text import PlainText
from hermes_tui.core.verdict import CachedVerdict, Verdict
from hermes_tui.engine.surroundings import Surroundings


async def probe_now(around: Surroundings, command: ProbeNow) -> CachedVerdict:
    """Return the verdict that counts now; where the endpoint was asked for it, that is an act of the user.

    At most one question in ten seconds is asked for a token, whoever asked the last one. Raises RefusedError for a
    credential that is not there, or whose server nobody named.
    """
    key = command.credential
    await around.fetch_keys(key.pool)
    configuration = around.configuration
    pool = configuration.pool(key.pool)
    member = pool.member(key.label) if pool else None
    route = route_in(configuration, key.pool, command.model)
    if pool is None or member is None or route is None:
        raise RefusedError(f"there is no credential {key}")
    candidate, began = Candidate(pool, member, command.model), around.clock.now()
    around.ledger.refresh()
    known = cached(around.facts, candidate)
    if known is not None and 0 <= began - known.asked_at < PROBE_FLOOR_SECONDS:
        return known
    verdict = await around.probing.verdict(candidate, route, anyway=command.anyway)
    if verdict.asked_at >= began:
        act = ActPerformed(time=around.clock.now(), act="probe", target=str(key), effect=told(command, verdict))
        await around.commit(lambda _facts: Decision(None, (Record(act),)))
    return verdict


def told(command: ProbeNow, verdict: CachedVerdict) -> PlainText:
    """Return what a probe brought; an answer that tells nothing of quota says so."""
    no_news = "; this says nothing about quota, the countdown stays" if verdict.verdict is Verdict.UNKNOWN else ""
    return PlainText(f"{command.credential}: {verdict.verdict.words}, {verdict.why}{no_news}")
