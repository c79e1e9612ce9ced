"""The user's acts as decisions: what each makes true, with its line in the timeline (M39 ... M45)."""

from collections.abc import Iterator
from dataclasses import replace

from hermes_tui.core.believing import abandoned
from hermes_tui.core.configuration import Configuration
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.decision import Decision, Record
from hermes_tui.core.event import ActPerformed, FallbackActivated
from hermes_tui.core.facts import Facts
from hermes_tui.core.known_providers import KNOWN_PROVIDERS
from hermes_tui.core.leaving import skipped, why_skip
from hermes_tui.core.lifecycle import take_chain
from hermes_tui.core.outcome import homecoming
from hermes_tui.core.pool import row_of
from hermes_tui.core.route import Link, Route
from hermes_tui.core.session import NO_MESSAGE, Departure, Phase, Session
from hermes_tui.core.text import PlainText


def force_restore(session: Session, now: float) -> Decision[PlainText]:
    """Ask for the primary at the session's next request, whatever cooldown and probe say (M39)."""
    after = replace(session, forced_at=now)
    return _act(after, "force_restore", f"{session.requested} is tried with the next prompt", now)


def reset_chain(session: Session, now: float) -> Decision[PlainText]:
    """Set the index back to 0 and take the skip marks away; cooldowns stay (M40)."""
    after = replace(session, index=0, holds=(), exhaustion=None)
    return _act(after, "reset_chain", "the next failure starts at the first entry", now)


def use_fallback(facts: Facts, session: Session, *, tokens: int, now: float) -> Decision[int | None]:
    """Move the session to the next entry that can serve, to stay there until the user restores (M42).

    The value is its position, None where no later entry can serve. `tokens` is the size of the conversation.
    """
    records: list[Record] = []
    for position in range(session.position + 1, len(session.chain) + 1):
        link = session.chain[position - 1]
        skip = why_skip(facts, session, link, tried=(session.active, session.requested), tokens=tokens, now=now)
        if skip is not None:
            records.append(skipped(session, position, skip, now))
            continue
        left = session.departure if session.on_fallback else None
        after = replace(
            session,
            position=position,
            index=position,
            departure=left or Departure(now, None, None, None, NO_MESSAGE),
            pinned=True,
            exhaustion=None,
            forced_at=None,
            unverified_since=None,
        )
        event = FallbackActivated(
            time=now,
            session=session.name,
            position=position,
            provider=link.route.provider,
            model=link.route.model,
            left=PlainText(str(session.active)),
            reason=PlainText("you asked for it"),
            notice=PlainText(f"{link.route} answers from now on, until you restore."),
            by_user=True,
        )
        return Decision(position, (*records, Record(event, (after, *abandoned(facts, session.name)))))
    return Decision(None, tuple(records))


def clear_cooldown(facts: Facts, key: CredentialKey, now: float) -> Decision[PlainText]:
    """End one credential's cooldowns, never its siblings', and the limit cooldown of those who wait for it (M41)."""
    configuration = facts.configuration
    pool = configuration.pool(key.pool) if configuration else None
    member = pool.member(key.label) if pool else None
    if pool is None or member is None:
        raise LookupError(f"no credential {key}")
    free = replace(row_of(facts, pool, member), cooldown=None, model_cooldowns=(), cleared_at=now)
    waiting = homecoming(facts, key.pool, None, now, besides=None, spread=False)
    effect = PlainText(f"{key} is free; {_returning(len(waiting))}")
    event = ActPerformed(time=now, act="reset_cooldown", target=str(key), effect=effect)
    return Decision(effect, (Record(event, (free, *waiting)),))


def _returning(sessions: int) -> str:
    match sessions:
        case 0:
            return "no session waits for it"
        case 1:
            return "1 session returns at its next turn"
        case _:
            return f"{sessions} sessions return at their next turn"


def switch_model(session: Session, link: Link, configuration: Configuration, now: float) -> Decision[PlainText]:
    """Give the session another requested primary (M43): at once, or when the turn that runs has ended."""
    if session.phase is not Phase.IDLE:
        return _act(replace(session, switch_to=link), "switch_model", f"{link.route} with the next prompt", now)
    taken = take_chain(replace(session, switch_to=link), configuration, now)
    told = _act(taken.value, "switch_model", f"{link.route} is the primary now", now)
    return Decision(told.value, (*taken.records, *told.records))


def model_asked(configuration: Configuration, pool: str) -> str | None:
    """Return the first model that a route asks for with the credentials of `pool`, None where no route does."""
    return next((route.model for route in _routes(configuration) if route.pool == pool), None)


def _routes(configuration: Configuration) -> Iterator[Route]:
    links = [configuration.primary, *configuration.chain]
    for plan in configuration.sessions:
        links += [*([plan.primary] if plan.primary else []), *(plan.chain or ())]
    yield from (link.route for link in links)


def route_in(configuration: Configuration, pool: str, model: str) -> Route | None:
    """Return where `model` is asked with the credentials of `pool`, None where nobody said the URL."""
    for route in _routes(configuration):
        if route.pool == pool:
            return replace(route, model=model, context_length=None)
    known = KNOWN_PROVIDERS.get(pool)
    if known is None or configuration.pool(pool) is None:
        return None
    return Route(pool, model, known.base_url, known.api_mode, pool)


def _act(after: Session, act: str, effect: str, now: float) -> Decision[PlainText]:
    event = ActPerformed(time=now, session=after.name, act=act, target=after.name, effect=PlainText(effect))
    return Decision(event.effect, (Record(event, (after,)),))
