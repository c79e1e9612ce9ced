"""Sealed history: parts of a reply that only who made them accepts again, and the way without them (M12)."""

from collections.abc import Sequence
from dataclasses import replace

from hermes_tui.core.decision import Decision, Record, nothing
from hermes_tui.core.event import SealedHistoryDropped
from hermes_tui.core.route import Route
from hermes_tui.core.session import Message


def unsealed(message: Message) -> Message:
    """Return `message` as its text alone."""
    return replace(message, issuer=None, opaque=None)


def unseal(messages: Sequence[Message], session: str, route: Route, account: str, now: float) -> Decision[bool]:
    """Drop what `route` sealed for `account` and does not accept any more, for good; tell whether there was any.

    Only then is the next request another one: the same would be refused again.
    """
    issuer = route.issuer(account)
    sealed = [message for message in messages if message.opaque and message.issuer == issuer]
    if not sealed:
        return nothing(value=False)
    event = SealedHistoryDropped(
        time=now, session=session, provider=route.provider, model=route.model, messages=len(sealed)
    )
    return Decision(True, (Record(event, tuple(map(unsealed, sealed))),))
