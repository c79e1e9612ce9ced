"""What the logs tell as events of this program: their fields hold only what a line says, or two lines together."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from hermes_tui.core.acts import TakeChain, UseFallback
from hermes_tui.core.cooldown import Said
from hermes_tui.core.event import (
    ActPerformed,
    AttemptFailed,
    CredentialBenched,
    CredentialLifted,
    Event,
    FallbackActivated,
    FallbackSkipped,
    PrimaryRestored,
    PrimaryVerified,
    RestoreFailed,
    RestoreRefused,
    RetryScheduled,
    SessionInterrupted,
    TurnCompleted,
    TurnFailed,
    TurnStarted,
)
from hermes_tui.core.session import SkipReason
from hermes_tui.core.text import PlainText
from hermes_tui.hermes.log_templates import NO_RETRY_HELPS, RETRIES_USED_UP
from hermes_tui.hermes.memory import NAMES
from hermes_tui.hermes.reasons import reason_of
from hermes_tui.hermes.story import FALSE_RETURN_SECONDS, SAME_MOMENT_SECONDS
from hermes_tui.hermes.values import NOTHING, Entry, Happening, Kind

UNNAMED: Final = "a login"
"""Stands for a credential that no line names."""

_SKIPS: Final = (
    ("exhausted", SkipReason.COOLING),
    ("same backend", SkipReason.ALREADY_TRIED),
    ("matches current", SkipReason.ALREADY_TRIED),
    ("context window", SkipReason.TOO_SMALL),
    ("locally usable", SkipReason.NO_CREDENTIAL),
)
"""Why an entry is passed over, by words of Hermes'; for any others it cannot be used as it is configured."""

_LEADS_AWAY: Final = (NAMES[UseFallback], NAMES[TakeChain])
"""The acts by which a session leaves its route, as they are called in the log."""

MOST_OF_A_LINE: Final = 10_000
"""The number of an event is that of its line times this; one line tells fewer, and what comes in before the next line
has its place between both.
"""

_USED: Final = re.compile(r"in=(\d+) out=(\d+)")


def events(
    happenings: Iterable[Happening], names: Mapping[str, str], chain: Sequence[Entry] = (), first: int = 1
) -> tuple[tuple[int, Event], ...]:
    """Return the events in the order of the lines; `names` are those of the sessions by their ids.

    `chain` tells which position a switch leads to. What concerns no session that is named is left out. `first` counts
    the first of `happenings` among all that were ever heard, from 1, so that an event keeps its number.
    """
    return tuple(Telling(names, chain).told(happenings, first))


class Telling:
    """Tells of all sessions, and goes on where it stopped; what it is made with is as in `events`."""

    def __init__(self, names: Mapping[str, str], chain: Sequence[Entry]) -> None:
        self._names, self._chain = names, chain
        self._tellers: dict[str, _Teller] = {}

    def told(self, happenings: Iterable[Happening], first: int) -> Iterator[tuple[int, Event]]:
        """Yield the events of what was heard next, the first of it the one of that number."""
        for count, happening in enumerate(happenings, first):
            if happening.kind is Kind.ACT and not happening.session:
                yield count * MOST_OF_A_LINE, _act(happening, None)
            name = self._names.get(happening.session)
            if name is None:
                continue
            if (teller := self._tellers.get(name)) is None:
                teller = self._tellers[name] = _Teller(name, self._chain)
            yield from enumerate(teller.told(happening), count * MOST_OF_A_LINE)


def _act(line: Happening, session: str | None) -> Event:
    target = session or line.credential
    return ActPerformed(time=line.time, session=session, act=line.reason, target=target, effect=line.text)


class _Teller:
    """Tells of one session, line by line; what belongs together stands within a few seconds."""

    def __init__(self, name: str, chain: Sequence[Entry]) -> None:
        self._name, self._chain = name, chain
        self._turns = 0
        self._newest: dict[Kind, Happening] = {}
        self._by_kind: dict[Kind, Callable[[Happening], Iterator[Event]]] = {
            Kind.TURN: self._began,
            Kind.CALLED: self._verified,
            Kind.ANSWERED: self._answered,
            Kind.FAILED: self._failed,
            Kind.RETRY: self._retries,
            Kind.DEAD: self._died,
            Kind.BACKOFF: self._cools,
            Kind.LIFTED: self._lifted,
            Kind.RESTORED: self._restored,
            Kind.RESTORE_WAITS: self._stays,
            Kind.RESTORE_FAILED: self._stays,
            Kind.FALLBACK: self._left,
            Kind.SKIPPED: self._skipped,
            Kind.ENDED: self._ended,
            Kind.ACT: self._acted,
        }

    def told(self, line: Happening) -> Iterator[Event]:
        """Yield what `line` tells."""
        if line.kind in self._by_kind:
            yield from self._by_kind[line.kind](line)
        self._newest[line.kind] = line

    def _began(self, line: Happening) -> Iterator[Event]:
        self._turns += 1
        yield TurnStarted(time=line.time, session=self._name, turn=self._turns, prompt=line.text)

    def _acted(self, line: Happening) -> Iterator[Event]:
        yield _act(line, self._name)

    def _retries(self, line: Happening) -> Iterator[Event]:
        if line.until is not None:
            about = {"provider": line.provider, "model": line.model}
            yield RetryScheduled(time=line.time, session=self._name, until=line.until, attempt=1, **about)

    def _died(self, line: Happening) -> Iterator[Event]:
        yield self._benched(line, line, None, Said.PROVIDER)

    def _cools(self, line: Happening) -> Iterator[Event]:
        """Tell of the credential that was benched a moment ago, now that its date is known."""
        benched = self._just(Kind.BENCHED, line)
        if benched is not None and line.until is not None:
            yield self._benched(line, benched, line.until, Said.PROVIDER if "provider" in line.reason else Said.ASSUMED)

    def _lifted(self, line: Happening) -> Iterator[Event]:
        about = {"provider": self._provider(line), "credential": line.credential or UNNAMED}
        yield CredentialLifted(time=line.time, session=self._name, model=None, on_trial=False, by=line.text, **about)

    def _restored(self, line: Happening) -> Iterator[Event]:
        about = {"provider": line.provider, "model": line.model}
        yield PrimaryRestored(time=line.time, session=self._name, forced=False, notice=line.text, **about)

    def _stays(self, line: Happening) -> Iterator[Event]:
        yield RestoreRefused(time=line.time, session=self._name, reason=line.text, until=line.until)

    def _just(self, kind: Kind, line: Happening) -> Happening | None:
        """Return the newest line of a kind, where it belongs to `line`: a moment ago, and no other like it since."""
        found, before = self._newest.get(kind), self._newest.get(line.kind)
        if found is None or line.time - found.time > SAME_MOMENT_SECONDS:
            return None
        return found if before is None or before.time < found.time else None

    def _provider(self, line: Happening) -> str:
        turn = self._newest.get(Kind.TURN)
        return line.provider or (turn.provider if turn is not None else "")

    def _failed(self, line: Happening) -> Iterator[Event]:
        benched = self._just(Kind.BENCHED, line) or self._just(Kind.DEAD, line)
        yield AttemptFailed(
            time=line.time,
            session=self._name,
            provider=line.provider,
            model=line.model,
            credential=benched.credential if benched is not None else UNNAMED,
            status=line.code,
            kind=reason_of(line.code, f"{line.reason} {line.text}"),
            message=line.text,
            latency=0.0,
        )

    def _benched(self, line: Happening, benched: Happening, until: float | None, said: Said) -> Event:
        failed = self._just(Kind.FAILED, line)
        words = f"{benched.reason} {failed.text if failed is not None else ''}"
        return CredentialBenched(
            time=benched.time,
            session=self._name,
            provider=self._provider(failed or benched),
            credential=benched.credential or UNNAMED,
            model=None,
            until=until,
            source=said,
            reason=reason_of(benched.code, words),
            code=benched.code,
            message=failed.text if failed is not None else NOTHING,
        )

    def _left(self, line: Happening) -> Iterator[Event]:
        failed, back = self._just(Kind.FAILED, line), self._newest.get(Kind.RESTORED)
        kind = reason_of(failed.code, f"{failed.reason} {failed.text}") if failed is not None else None
        called = self._newest.get(Kind.CALLED)
        unproved = back is not None and (called is None or called.time < back.time)
        if back is not None and kind is not None and unproved and line.time - back.time <= FALSE_RETURN_SECONDS:
            yield RestoreFailed(time=line.time, session=self._name, provider=back.provider, model=back.model, kind=kind)
        turn = self._newest.get(Kind.TURN)
        yield FallbackActivated(
            time=line.time,
            session=self._name,
            position=self._position(line.to_model),
            provider=line.to_provider,
            model=line.to_model,
            left=PlainText(f"{turn.provider}/{line.model}" if turn is not None else line.model),
            reason=PlainText(kind.words if kind is not None else "as Hermes decided"),
            notice=line.text,
            by_user=failed is None and self._was_asked_for(turn),
        )

    def _was_asked_for(self, turn: Happening | None) -> bool:
        """Tell whether the user asked for a switch and no turn has begun since: one begins with it."""
        act = self._newest.get(Kind.ACT)
        return act is not None and act.reason in _LEADS_AWAY and (turn is None or turn.time <= act.time)

    def _position(self, model: str) -> int:
        """Return the position in today's chain, the one behind it for a route that is no longer there."""
        models = [entry.model for entry in self._chain]
        return models.index(model) + 1 if model in models else len(models) + 1

    def _skipped(self, line: Happening) -> Iterator[Event]:
        yield FallbackSkipped(
            time=line.time,
            session=self._name,
            position=self._position(line.model),
            provider=line.provider,
            model=line.model,
            kind=next((kind for words, kind in _SKIPS if words in line.reason), SkipReason.NOT_CONFIGURED),
            reason=PlainText(line.reason),
            until=None,
        )

    def _ended(self, line: Happening) -> Iterator[Event]:
        """Tell once why a turn brought no answer: Hermes may say it of the request and again of the turn."""
        before, turn = self._newest.get(Kind.ENDED), self._newest.get(Kind.TURN)
        if before is not None and (turn is None or turn.time <= before.time):
            return
        if line.reason.startswith(("interrupted", "interpreter_shutdown")):
            yield SessionInterrupted(time=line.time, session=self._name, why=PlainText(line.reason))
        else:
            no_route = line.reason in (RETRIES_USED_UP, NO_RETRY_HELPS)
            yield TurnFailed(time=line.time, session=self._name, error=line.text, earliest=None, exhausted=no_route)

    def _verified(self, line: Happening) -> Iterator[Event]:
        back, before = self._newest.get(Kind.RESTORED), self._newest.get(Kind.CALLED)
        is_first = back is not None and (before is None or before.time < back.time)
        if back is not None and is_first and (back.provider, back.model) == (line.provider, line.model):
            yield PrimaryVerified(time=line.time, session=self._name, provider=line.provider, model=line.model)

    def _answered(self, line: Happening) -> Iterator[Event]:
        turn, called = self._newest.get(Kind.TURN), self._newest.get(Kind.CALLED)
        if turn is None or called is None or called.time < turn.time:
            return
        used = _USED.search(called.text)
        yield TurnCompleted(
            time=line.time,
            session=self._name,
            provider=called.provider,
            model=called.model,
            credential=UNNAMED,
            text=NOTHING,
            latency=line.time - turn.time,
            first_token=None,
            input_tokens=int(used[1]) if used else None,
            output_tokens=int(used[2]) if used else None,
        )
