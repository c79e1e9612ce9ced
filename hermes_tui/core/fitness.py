"""Fitness: whether the routes of a chain can serve, found before one is needed and without spending a token (C116)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from hermes_tui.core.addressing import about_address
from hermes_tui.core.advice import remedy
from hermes_tui.core.catalogue import Answer, about_answer
from hermes_tui.core.configuration import Configuration, Member, Pool
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.facts import Facts
from hermes_tui.core.failure import FailureKind
from hermes_tui.core.known_providers import provider_behind
from hermes_tui.core.pool import row_of
from hermes_tui.core.remark import Gravity, Remark, Witness
from hermes_tui.core.route import Link, Route
from hermes_tui.core.text import PlainText
from hermes_tui.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Fitness:
    """What is known of one route of a chain: its pool, and every remark; position 0 is the primary."""

    position: int
    route: Route
    pool: Pool
    remarks: tuple[Remark, ...]

    @property
    def gravity(self) -> Gravity:
        """How much is wrong with the route: it is as good as its best credential, but in doubt where one fails."""
        own = self._worst(None)
        by_credential = [self._worst(member.label) for member in self.pool.members]
        if not by_credential:
            return own
        least = min(max(by_credential), Gravity.DOUBT)
        return max(own, min(by_credential), least)

    @property
    def returns_at(self) -> float | None:
        """When the first credential returns (epoch seconds), where all that is wrong is that each cools down."""
        ends = {remark.credential: remark.until for remark in self.remarks if remark.until is not None}
        labels = [member.label for member in self.pool.members]
        all_cool = all(label in ends and self._worst(label) is Gravity.DOUBT for label in labels)
        return min(ends.values()) if ends and all_cool and self._worst(None) is Gravity.NOTE else None

    @property
    def askable(self) -> tuple[CredentialKey, ...]:
        """The credentials with which the route's server may be asked: none where no request would be sent."""
        if self._worst(None) is Gravity.FAULT:
            return ()
        labels = (member.label for member in self.pool.members)
        return tuple(CredentialKey(self.pool.name, label) for label in labels if self._worst(label) < Gravity.FAULT)

    def _worst(self, label: str | None) -> Gravity:
        return max((one.gravity for one in self.remarks if one.credential == label), default=Gravity.NOTE)

    def told(self, answers: Mapping[CredentialKey, Answer]) -> "Fitness":
        """Return the fitness with what came of the questions that were asked."""
        found: list[Remark] = list(self.remarks)
        for member in self.pool.members:
            answer = answers.get(CredentialKey(self.pool.name, member.label))
            if answer is not None:
                found += about_answer(self.route, member.label, answer, has_key=bool(member.fingerprint))
        return replace(self, remarks=tuple(dict.fromkeys(found)))


def fitness(
    links: Sequence[Link], at: int, configuration: Configuration, facts: Facts, *, needed: int, now: float
) -> Fitness:
    """Return what configuration and state say of the route at a position; nobody is asked.

    `needed` is the size in tokens of the largest conversation that would have to move there.
    """
    link = links[at]
    pool = configuration.pool(link.route.pool) or Pool(link.route.pool, link.route.provider, ())
    if (why := link.fault or _repeated(links, at, configuration)) is not None:
        return Fitness(at, link.route, pool, (_configured(Gravity.FAULT, why),))
    remarks = (
        *_about_pool(link.route, pool, facts, now),
        *about_address(link.route, sends_key=pool.sends_key),
        *_about_window(links, at, needed),
    )
    return Fitness(at, link.route, pool, remarks)


def fault(links: Sequence[Link], at: int, configuration: Configuration) -> str | None:
    """Say why the entry at a position cannot be used as configured, None where it can."""
    link = links[at]
    if (why := link.fault or _repeated(links, at, configuration)) is not None:
        return why
    pool = configuration.pool(link.route.pool)
    if pool is not None and pool.keys():
        return None
    faults = [member.fault for member in pool.members if member.fault] if pool else []
    return "; ".join(faults) or "no credential"


def _repeated(links: Sequence[Link], at: int, configuration: Configuration) -> str | None:
    """Say which entry before one it only repeats, by whatever name, so that it is always skipped (M7)."""
    repeats = configuration.repeats
    twin = next((other for other in range(at) if repeats(links[at].route, links[other].route)), None)
    return None if twin is None else f"the same backend as entry {twin}, so it is skipped"


def _about_pool(route: Route, pool: Pool, facts: Facts, now: float) -> Iterator[Remark]:
    if not pool.members:
        yield _configured(Gravity.FAULT, f"no credential is configured for {pool.provider}")
    for member in pool.members:
        if member.fault is not None:
            yield _configured(Gravity.FAULT, member.fault, member.label)
        elif member.expires_at is not None and member.expires_at <= now:
            what = f"the token has expired by its own claims. {_remedy(FailureKind.AUTH, route)}"
            yield _configured(Gravity.FAULT, what, member.label)
        else:
            yield from _about_row(route, pool, member, facts, now)


def _about_row(route: Route, pool: Pool, member: Member, facts: Facts, now: float) -> Iterator[Remark]:
    row = row_of(facts, pool, member)
    bench = row.benched_for(route.model, now)
    if row.death is not None:
        what = PlainText(f"dead: {row.death.reason.words}. {_remedy(row.death.reason, route)}")
        yield Remark(Gravity.FAULT, Witness.STATE, what, member.label)
    elif bench is not None:
        code = f"{bench.code} " if bench.code is not None else ""
        helps = f". {_remedy(bench.reason, route)}" if bench.reason is FailureKind.BILLING else ""
        what = PlainText(f"{code}{bench.reason.words}{helps}")
        yield Remark(Gravity.DOUBT, Witness.STATE, what, member.label, bench.until, bench.approximate)


def _remedy(kind: FailureKind, route: Route) -> PlainText:
    return remedy(kind, provider_behind(route.provider, route.base_url))


def _about_window(links: Sequence[Link], at: int, needed: int) -> Iterator[Remark]:
    window, primary = links[at].route.context_length, links[0].route.context_length
    if window is None:
        return
    if needed > window:
        what = f"its window of {window} tokens cannot hold the conversation of about {needed}, so it is skipped"
        yield _configured(Gravity.DOUBT, what)
    elif primary is not None and window < primary:
        what = f"its window of {window} tokens is smaller than the primary's {primary}: a longer conversation skips it"
        yield _configured(Gravity.NOTE, what)


def _configured(gravity: Gravity, what: str, label: str | None = None) -> Remark:
    return Remark(gravity, Witness.CONFIGURATION, PlainText(what), label)
