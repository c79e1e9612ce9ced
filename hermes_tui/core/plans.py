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


def planned(facts: Facts) -> Iterator[SessionPlan]:
    """Yield the plans of all sessions that are to run: the file's, then those that the user made, the oldest first."""
    configuration, rows = facts.configuration, facts.sessions
    if configuration is None:
        return
    for plan in configuration.sessions:
        row = rows.get(plan.name)
        if row is None or not row.archived:
            yield plan
    written = {plan.name for plan in configuration.sessions}
    made = [row for row in rows.values() if row.created_by_user and not row.archived and row.name not in written]
    yield from (plan_of(configuration, row) for row in sorted(made, key=_age))


def listed(facts: Facts) -> Iterator[Session]:
    """Yield the rows of all sessions that are to run, in the order of their plans."""
    yield from (facts.sessions[plan.name] for plan in planned(facts) if plan.name in facts.sessions)


def archived(facts: Facts) -> Iterator[Session]:
    """Yield the rows of the sessions that the user put aside, the last one first."""
    put_aside = [row for row in facts.sessions.values() if row.archived]
    yield from sorted(put_aside, key=lambda row: row.archived_at or 0.0, reverse=True)


def in_file(facts: Facts, name: str) -> bool:
    """Tell whether the session named `name` is an entry of the file."""
    return facts.configuration is not None and facts.configuration.plan(name) is not None


def _age(session: Session) -> tuple[float, str]:
    return session.made_at or 0.0, session.name
