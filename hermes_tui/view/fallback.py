"""A chain as lines and as a document: its routes in order, and whether each can be used as configured."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from hermes_tui.core.configuration import Configuration
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.editing import AddEntry, ChainChange, ClearChain, EditEntry, MoveEntry, OwnChain, RemoveEntry
from hermes_tui.core.fitness import fault
from hermes_tui.core.route import Link
from hermes_tui.core.taking import Taking
from hermes_tui.core.text import PlainText, plain
from hermes_tui.view.line import ARROW
from hermes_tui.view.status import SCHEMA_VERSION, Document
from hermes_tui.view.table import table

_HEADS: Final = ("entry", "route", "as configured")


def routes(configuration: Configuration, session: str | None) -> tuple[Link, ...]:
    """Return the primary and the entries behind it that a session takes, or those of the file."""
    primary, chain = configuration.routes_of(configuration.plan(session) if session is not None else None)
    return (primary, *chain)


def chain_lines(configuration: Configuration, session: str | None) -> str:
    """Return a chain as a table; the primary is entry 0."""
    links = routes(configuration, session)
    rows = [(str(at), str(link.route), fault(links, at, configuration) or "ok") for at, link in enumerate(links)]
    return f"{configuration.origin}\n{table(rows, _HEADS)}"


def chain_document(configuration: Configuration, session: str | None) -> Document:
    """Return what `fallback list --json` says; `own` tells whether the session has a chain of its own."""
    plan = configuration.plan(session) if session is not None else None
    links = routes(configuration, session)
    told = [_entry(links, at, configuration) for at in range(len(links))]
    return {
        "schema_version": SCHEMA_VERSION,
        "configuration": configuration.origin,
        "session": session,
        "own": plan is not None and plan.chain is not None,
        "primary": told[0],
        "entries": told[1:],
    }


def _entry(links: Sequence[Link], at: int, configuration: Configuration) -> dict[str, Any]:
    route = links[at].route
    return {
        "position": at,
        "provider": route.provider,
        "model": route.model,
        "base_url": route.base_url,
        "api_mode": route.api_mode.value,
        "context_length": route.context_length,
        "credentials": [key.label for key in _usable(links[at], configuration)],
        "fault": fault(links, at, configuration),
    }


def _usable(link: Link, configuration: Configuration) -> tuple[CredentialKey, ...]:
    pool = configuration.pool(link.route.pool)
    return pool.keys() if pool else ()


def change_words(change: ChainChange, configuration: Configuration, session: str | None) -> PlainText:
    """Say what a change did to a chain, and what it is now."""
    links = routes(configuration, session)
    match change:
        case AddEntry(position=position):
            what = f"added {links[-1 if position is None else position].route}"
        case RemoveEntry(position):
            what = f"removed entry {position}"
        case MoveEntry(position, to):
            what = f"moved entry {position} to {to}"
        case EditEntry(position):
            what = f"edited entry {position}"
        case ClearChain():
            what = "cleared"
        case OwnChain():
            what = "made its own"
    whose = f" of {session}" if session is not None else ""
    return plain(f"{what}; the chain{whose} is {f' {ARROW} '.join(str(link.route) for link in links)}")


def taking_lines(takings: Iterable[Taking]) -> str:
    """Return who takes a changed chain and when, a line for each."""
    return "".join(f"{taking.session} {taking.what}: {taking.when}\n" for taking in takings)
