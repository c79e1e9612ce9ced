"""Which sessions there are, and what each one follows: its entry of the file, or what the user arranged for it."""

from collections.abc import Iterator
from dataclasses import replace

from hermes_tui.core.configuration import Configuration, SessionPlan
from hermes_tui.core.facts import Facts
from hermes_tui.core.route import Link
from hermes_tui.core.session import Session


def plan_of(configuration: Configuration, session: Session) -> SessionPlan:
    """Return what a session follows; the file's entry of its name goes before what the user arranged.

    Made like an entry of the file, it takes that one's routes as the file has them now; once the entry is gone it
    keeps its own.
    """
    written = configuration.plan(session.name)
    if written is not None:
        return written
    own = session.arranged
    plan = SessionPlan(session.name, own.prompt, own.system_prompt, own.every_seconds)
    if own.like is None:
        return plan
    like = configuration.plan(own.like)
    if like is None:
        return replace(plan, primary=Link(session.requested, session.requested_fault), chain=session.chain)
    return replace(plan, primary=like.primary, chain=like.chain)


def written_plan(configuration: Configuration, session: Session) -> SessionPlan | None:
    """Return the entry of the file that a session's routes come from, None where they are the file's own."""
    return configuration.plan(session.name) or (
        configuration.plan(session.arranged.like) if session.arranged.like is not None else None
    )


def planned(facts: Facts) -> Iterator[SessionPlan]:
    """Yield the plans of all sessions that are to run, also of those that have no row yet, in their order."""
    configuration = facts.configuration
    if configuration is not None:
        for plan in configuration.sessions:
            row = facts.sessions.get(plan.name)
            if row is None or not row.archived:
                yield plan
        yield from (plan_of(configuration, row) for row in _made(facts))


def is_planned(facts: Facts, name: str) -> bool:
    """Tell whether the session named `name` is to run, whether it has a row yet or not."""
    row = facts.sessions.get(name)
    if row is None:
        return in_file(facts, name)
    return not row.archived and (row.created_by_user or in_file(facts, name))


def listed(facts: Facts) -> Iterator[Session]:
    """Yield the rows of all sessions that are to run: the file's, then those that the user made, the oldest first."""
    written = facts.configuration.sessions if facts.configuration else ()
    rows = (facts.sessions.get(plan.name) for plan in written)
    yield from (row for row in rows if row is not None and not row.archived)
    yield from _made(facts)


def _made(facts: Facts) -> list[Session]:
    """Return the rows of the sessions that the user made, the oldest first."""
    rows = facts.sessions.values()
    made = (row for row in rows if row.created_by_user and not row.archived and not in_file(facts, row.name))
    return sorted(made, key=lambda row: (row.made_at or 0.0, row.name))


def archived(facts: Facts) -> Iterator[Session]:
    """Yield the rows of the sessions that the user put aside, the last one first."""
    put_aside = [row for row in facts.sessions.values() if row.archived]
    yield from sorted(put_aside, key=lambda row: row.archived_at or 0.0, reverse=True)


def in_file(facts: Facts, name: str) -> bool:
    """Tell whether the session named `name` is an entry of the file."""
    return facts.configuration is not None and facts.configuration.plan(name) is not None
