"""What the usage endpoint said when this program asked it, on the user's wish: never what Hermes believes.

A verdict lives in this process, and only as long as the token that asked. Nothing here asks by itself.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from hermes_tui.core.acts import ProbeNow
from hermes_tui.core.believing import remember
from hermes_tui.core.credential import CredentialKey
from hermes_tui.core.decision import events_of
from hermes_tui.core.errors import RefusedError
from hermes_tui.core.event import Event, VerdictReceived
from hermes_tui.core.facts import Facts
from hermes_tui.core.pool import Candidate
from hermes_tui.core.preview import Preview, Ready, Refused
from hermes_tui.core.preview import preview as of_ours
from hermes_tui.core.snapshot import Snapshot
from hermes_tui.core.text import PlainText
from hermes_tui.core.verdict import CachedVerdict, Verdict, VerdictKey
from hermes_tui.hermes.asking import Asker
from hermes_tui.hermes.beliefs import beliefs_of
from hermes_tui.hermes.contradiction import hold_of
from hermes_tui.hermes.own_events import OwnEvents
from hermes_tui.hermes.previews import login_of
from hermes_tui.hermes.reading import Reading
from hermes_tui.hermes.values import Login

ASKED: Final = PlainText("asked by hermes-tui")

_DEAD: Final = "dead"


class Verdicts:
    """The verdicts of one home. Without an asker nothing is asked."""

    def __init__(self, asker: Asker | None = None) -> None:
        self._asker = asker
        self._rows: dict[VerdictKey, CachedVerdict] = {}
        self.own = OwnEvents()
        """Where the answers are told."""

        self._asking: set[VerdictKey] = set()
        self.on_asking: Callable[[], None] = lambda: None
        """Called when a question begins or ends."""

    @property
    def asking(self) -> frozenset[VerdictKey]:
        """The questions that are in flight."""
        return frozenset(self._asking)

    def put(self, facts: Facts, reading: Reading) -> None:
        """Put what is known into the facts of `reading`; what was asked with a token that is gone is forgotten.

        What Hermes believes stands where nothing newer was asked here.
        """
        logins = {(one.provider, one.id, one.fingerprint): one for one in reading.logins.rows}
        believed = {row.key: row for row in beliefs_of(reading)}
        for key, row in tuple(self._rows.items()):
            login = logins.get((key.provider, key.account, key.fingerprint))
            if login is None:
                del self._rows[key]
                continue
            if key in believed and believed[key].asked_at > row.asked_at:
                continue
            believed.pop(key, None)
            facts.put(row)
            if (hold := hold_of(row, login, reading.stories.values())) is not None:
                facts.put(hold)
        for row in believed.values():
            facts.put(row)

    def preview(self, command: ProbeNow, reading: Reading, snapshot: Snapshot, now: float) -> Preview:
        """Return whether `command` can be asked now; a token is neither renewed nor spent on a useless question."""
        login = login_of(command.credential, reading)
        if self._asker is None:
            return Refused(PlainText("Hermes asks the usage endpoint itself, and keeps the verdict in memory"))
        if login is None:
            return Refused(PlainText(f"auth.json has no {command.credential} any more"))
        if (why := _unaskable(login, now)) is not None:
            return Refused(PlainText(f"{command.credential} {why}"))
        if any((key.account, key.fingerprint) == (login.id, login.fingerprint) for key in self._asking):
            return Refused(PlainText(f"{command.credential} is being asked about"))
        answer = of_ours(command, snapshot, now)
        if isinstance(answer, Ready):
            how = "with the token of the home, which is neither renewed nor changed; no prompt is sent"
            return Ready(PlainText(f"The usage endpoint is asked about {command.credential}, {how}."))
        return answer

    async def ask(self, command: ProbeNow, reading: Reading, snapshot: Snapshot, now: Callable[[], float]) -> PlainText:
        """Ask, remember the answer, and return it in one sentence; `now` is asked when it has come.

        Raises RefusedError and LoginsError where the question could not be put.
        """
        configuration, login = snapshot.facts.configuration, login_of(command.credential, reading)
        pool = configuration.pool(command.credential.pool) if configuration is not None else None
        member = pool.member(command.credential.label) if pool is not None else None
        if self._asker is None or login is None or pool is None or member is None:
            raise RefusedError(f"there is no {command.credential} any more")
        candidate = Candidate(pool, member, command.model)
        self._asking.add(candidate.verdict_key)
        self.on_asking()
        try:
            answer = await self._asker.ask(login, command.model, reading)
            interval = snapshot.facts.settings.probe_interval_seconds
            decision = remember(snapshot.facts, candidate, answer, now=now(), interval=interval)
            self._rows[decision.value.key] = decision.value
            self.own.add(*map(_ours, events_of(decision.records)))
        finally:
            self._asking.discard(candidate.verdict_key)
            self.on_asking()
        return _words(command.credential, decision.value)


def _unaskable(login: Login, now: float) -> str | None:
    """Return why there is nothing to ask with, and who mends that."""
    again = f"sign in again in Hermes (hermes auth add {login.provider})"
    if login.status == _DEAD:
        return f"is dead: {again}"
    if not login.has_token:
        return f"has no token: {again}"
    if login.expires_at is not None and login.expires_at <= now:
        renews = "Hermes renews it at its next turn on that login, or " if login.can_refresh else ""
        return f"has an access token that has expired, and only Hermes may renew it: {renews}{again}"
    return None


def _ours(event: Event) -> Event:
    """Return the event of an answer, as one that this program asked for: it is not what Hermes believes."""
    if not isinstance(event, VerdictReceived):
        return event
    return replace(event, account=event.credential, why=PlainText(f"{ASKED}: {event.why}"))


def _words(credential: CredentialKey, verdict: CachedVerdict) -> PlainText:
    """Return an answer in a sentence; one that tells nothing of quota says so."""
    no_news = "; this says nothing about quota, the countdown stays" if verdict.verdict is Verdict.UNKNOWN else ""
    return PlainText(f"{credential}: {verdict.verdict.words}, {verdict.why} ({ASKED}){no_news}")
