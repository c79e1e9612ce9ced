"""The row of a session that a running Hermes tells of: its own word in place of what files and logs let infer."""

from collections.abc import Iterable
from dataclasses import replace

from hermes_tui.core.cooldown import Said
from hermes_tui.core.route import Link
from hermes_tui.core.session import NO_MESSAGE, Departure, Phase, Session, SessionCooldown, WaitKind
from hermes_tui.core.text import PlainText
from hermes_tui.hermes.asked import has_primary
from hermes_tui.hermes.links import NOT_IN_CHAIN, TAKEN_FOR_PRIMARY, is_same_route, link_of
from hermes_tui.hermes.memory import OpenSession
from hermes_tui.hermes.values import Entry, HomeConfiguration


def as_in_memory(inferred: Session, live: OpenSession, file: HomeConfiguration | None) -> Session:
    """Return the row as it is in Hermes' memory; why it left its primary, and when, the logs alone tell.

    Where its process has another primary than what the session asks for, it is away from that.
    """
    known = (file.primary, *file.chain) if file is not None and file.primary is not None else ()
    chain = tuple(_link(entry, known) for entry in live.chain)
    position, fault, asked = live.position, NOT_IN_CHAIN, _link(live.requested, known)
    is_home = has_primary(live, inferred.requested, file)
    if not is_home:
        asked = Link(inferred.requested, inferred.requested_fault)
        position, fault = position or _place(live.active, chain), TAKEN_FOR_PRIMARY
    if position is None or position > len(chain):
        lost = replace(live.active, faults=(PlainText(fault),))
        chain, position = (*chain, link_of(lost)), len(chain) + 1
    away = position > 0
    return replace(
        inferred,
        requested=asked.route,
        requested_fault=asked.fault,
        chain=chain,
        position=position,
        index=min(live.index, len(chain)),
        skipped=tuple(link.route.key for link in chain if _is_skipped(link, live)),
        departure=_departure(inferred, live) if away else None,
        cooldown=_cooldown(inferred, live) if away and is_home else None,
        pinned=away and live.pinned,
        unverified_since=None if away else inferred.unverified_since,
        phase=Phase.RUNNING if live.in_turn else Phase.IDLE,
        turn_started_at=(live.turn_since or inferred.turn_started_at) if live.in_turn else None,
    )


def _place(route: Entry, chain: tuple[Link, ...]) -> int | None:
    same = (is_same_route(link.route, route.provider, route.model) for link in chain)
    return next((place for place, is_it in enumerate(same, 1) if is_it), None)


def _is_skipped(link: Link, live: OpenSession) -> bool:
    names = (name.partition("/") for name in live.skipped)
    return any(is_same_route(link.route, provider, model) for provider, _, model in names)


def has_chain_of(live: OpenSession, file: HomeConfiguration) -> bool:
    """Tell whether the session has the chain that the file says."""
    return len(live.chain) == len(file.chain) and all(
        is_same_route(own, wanted.provider, wanted.model) for own, wanted in zip(live.chain, file.chain, strict=True)
    )


def _link(entry: Entry, known: Iterable[Entry]) -> Link:
    """Return the file's own entry for a route where it has one, which says more, else the route as it is told."""
    same = [one for one in known if is_same_route(one, entry.provider, entry.model)]
    exact = (one for one in same if (one.provider, one.base_url) == (entry.provider, entry.base_url))
    named = (one for one in same if one.provider == entry.provider)
    return link_of(next((one for found in (exact, named, same) for one in found), entry))


def _departure(inferred: Session, live: OpenSession) -> Departure | None:
    if not live.pinned:
        return inferred.departure
    left = inferred.departure
    at = live.chosen_at if live.chosen_at is not None else left.at if left is not None else None
    return Departure(at, None, None, None, NO_MESSAGE) if at is not None else None


def _cooldown(inferred: Session, live: OpenSession) -> SessionCooldown | None:
    until, left = live.cooldown_until, inferred.departure
    if live.pinned or until is None:
        return None
    source = inferred.cooldown.source if inferred.cooldown is not None else Said.ASSUMED
    return SessionCooldown(WaitKind.LIMIT, left.at if left is not None else until, until, source)
