"""What is worth saying about a file that can be used: what is unknown in it, and what cannot work as it is."""

from collections.abc import Iterator

from hermes_tui.config import schema
from hermes_tui.config.lines import LineIndex
from hermes_tui.config.pools import label_of
from hermes_tui.config.problems import Problem, Where, safe, spelled
from hermes_tui.config.resolve import Resolved, chain_of
from hermes_tui.config.slots import CHAIN
from hermes_tui.core.addressing import about_address
from hermes_tui.core.configuration import Configuration, Pool
from hermes_tui.core.remark import Gravity, Remark
from hermes_tui.core.route import Link, Route

_Placed = tuple[Where, Link]


def remarks(file: schema.File, resolved: Resolved, lines: LineIndex) -> list[Problem]:
    """Return everything worth saying, in line order; what a credential lacks once for each."""
    configuration = resolved.configuration
    said = [
        *_of_chains(file, configuration),
        *_of_addresses(file, configuration),
        *_of_pools(file, configuration),
    ]
    found = [Problem(safe(what), lines.line(where), spelled(where)) for where, what in said]
    return sorted((*resolved.warnings, *resolved.faults, *found), key=lambda problem: problem.line or 0)


def uselessness(file: schema.File, resolved: Resolved, owner: str | None, position: int | None) -> str | None:
    """Say why the owner's entry at `position` (from 1; None for the last) would be skipped, or make another skipped."""
    owners = [None, *(session.name for session in file.sessions)]
    chain = list(_chains(file, resolved.configuration))[owners.index(owner)]
    position = len(chain) - 1 if position is None else position
    where, link = chain[position]
    if link.fault is not None:
        return next(problem.what for problem in resolved.faults if problem.key == spelled(where))
    for remark in _about_address(link.route, resolved.configuration):
        if remark.gravity is Gravity.FAULT:
            return remark.what
    repeats = resolved.configuration.repeats
    before = (at for at, (_, other) in enumerate(chain[:position]) if repeats(link.route, other.route))
    after = (at for at, (_, other) in enumerate(chain) if at > position and repeats(other.route, link.route))
    twins = (*before, *after)
    return next((f"it is the same backend as {f'entry {at}' if at else 'the primary'}" for at in twins), None)


def _chains(file: schema.File, configuration: Configuration) -> Iterator[list[_Placed]]:
    """Yield the file's routes in their order, and those of each session that has a chain of its own."""
    primary: _Placed = (("primary",), configuration.primary)
    ways = (where for where, _ in chain_of(file))
    yield [primary, *zip(ways, configuration.chain, strict=True)]
    for at, plan in enumerate(configuration.sessions):
        way: Where = ("sessions", at)
        first = ((*way, "primary"), plan.primary) if plan.primary else primary
        yield [first, *(((*way, CHAIN, number), link) for number, link in enumerate(plan.chain or ()))]


def _of_chains(file: schema.File, configuration: Configuration) -> Iterator[tuple[Where, str]]:
    for chain in _chains(file, configuration):
        for position, (where, link) in enumerate(chain):
            before = chain[:position]
            if link.fault is None and any(configuration.repeats(link.route, other.route) for _, other in before):
                yield where, f"entry {position}: {link.route} is the same backend as one before it, and is skipped"


def _of_addresses(file: schema.File, configuration: Configuration) -> Iterator[tuple[Where, str]]:
    places = dict(placed for chain in _chains(file, configuration) for placed in chain)
    for where, link in places.items():
        if link.fault is None:
            yield from ((where, f"{link.route}: {said.what}") for said in _about_address(link.route, configuration))


def _about_address(route: Route, configuration: Configuration) -> Iterator[Remark]:
    pool = configuration.pool(route.pool)
    return about_address(route, sends_key=pool is not None and pool.sends_key)


def _of_pools(file: schema.File, configuration: Configuration) -> Iterator[tuple[Where, str]]:
    users: dict[str, Where] = {}
    needed: set[str] = set()
    for chain in _chains(file, configuration):
        for where, link in chain:
            users.setdefault(link.route.pool, where)
            if link.fault is None:
                needed.add(link.route.pool)
    for pool in configuration.pools:
        user = users.get(pool.name, ("providers", pool.name))
        if not pool.members and pool.name in needed:
            yield user, f"{pool.name}: no credential"
        for member in pool.members:
            if member.fault is not None:
                yield _written_at(file, pool, member.label) or user, f"{pool.name}/{member.label}: {member.fault}"


def _written_at(file: schema.File, pool: Pool, label: str) -> Where | None:
    """Return the way to a credential, None where it is not written as one."""
    table = file.providers.get(pool.name)
    credentials = table.credentials if table else ()
    numbers = (at for at, credential in enumerate(credentials) if label_of(credential, at) == label)
    return next((("providers", pool.name, "credentials", at) for at in numbers), None)
