"""The credential pool of a home, without its tokens: a hash stands for each.

A profile that has no row of its own for a provider uses those of the root, as Hermes does; they are marked.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from hermes_tui.core.secret import KEY_SHAPES, SHORTEST, Redactor, fingerprint, without_half
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.core.tokens import claims
from hermes_tui.core.values import dataclass
from hermes_tui.hermes.auth_file import AUTH_FILE, FORMAT, AuthFile, Fault, LoginsError, loaded
from hermes_tui.hermes.cooldowns import CooldownRules, benched_until, is_sole, moment
from hermes_tui.hermes.values import NOTHING, Home, Login, Logins

NAME_LIMIT: Final = 200
"""Characters kept of a name: an id, a label, a model, an address."""

_READ_LIMIT: Final = 8 * 1024
"""Characters of a text that are looked through at all."""

_BORROWED: Final = re.compile(r"sha256:([0-9a-f]{16})")
"""What Hermes leaves of a key that it took from elsewhere."""

_PROBE_DIGITS: Final = 16

Row = Mapping[str, object]


def read_logins(home: Home, rules: CooldownRules) -> Logins:
    """Return the logins of `home`, whose cooldowns end by the `rules` of the release that runs there.

    Raises LoginsError where the file says nothing; its `passing` tells that another read may succeed. What can be
    read although something is wrong is returned with `warnings`.
    """
    outcome = _read(home, rules)
    if isinstance(outcome, LoginsError):
        raise outcome
    return outcome


def _read(home: Home, rules: CooldownRules) -> Logins | LoginsError:
    own = loaded(home.path / AUTH_FILE)
    if home.profile is None:
        return own if isinstance(own, LoginsError) else _logins(own, None, (), rules)
    if isinstance(own, LoginsError) and own.fault is not Fault.MISSING:
        return own
    root = loaded(home.root / AUTH_FILE)
    if isinstance(own, LoginsError):
        return own if _is_missing(root) else root if isinstance(root, LoginsError) else _lent(own, root, rules)
    if isinstance(root, LoginsError):
        return _logins(own, None, () if _is_missing(root) else (one_line(str(root)),), rules)
    return _logins(own, root, (), rules)


def _is_missing(outcome: AuthFile | LoginsError) -> bool:
    return isinstance(outcome, LoginsError) and outcome.fault is Fault.MISSING


def _lent(missing: LoginsError, root: AuthFile, rules: CooldownRules) -> Logins:
    what = one_line(f"{missing.path}: is not there; the profile uses the logins of the root")
    return replace(_logins(AuthFile({}), root, (), rules), notes=(what,))


def _logins(own: AuthFile, root: AuthFile | None, warnings: tuple[PlainText, ...], rules: CooldownRules) -> Logins:
    pools = [(provider, own, False) for provider in own.pools()]
    if root is not None:
        pools += [(provider, root, True) for provider in root.pools() if not own.rows(provider)]
    told = [_Told(file, rules) for file in (own, root) if file is not None]
    rows = [row for provider, file, lent in pools for row in told[file is root].rows(provider, inherited=lent)]
    return Logins(
        rows=tuple(rows),
        signed_in=tuple(provider for each in told for provider in each.signed_in()),
        version=own.version,
        updated_at=moment(own.document.get("updated_at")),
        warnings=(*warnings, *(warning for each in told for warning in each.warnings())),
    )


@dataclass(frozen=True, slots=True)
class _Told:
    """What may be told of a file: its rows without secrets."""

    file: AuthFile
    rules: CooldownRules

    def rows(self, provider: str, *, inherited: bool) -> Iterator[Login]:
        """Yield the logins of `provider` in the order in which Hermes takes them."""
        rows: list[Row] = [row for row in self.file.rows(provider) if isinstance(row, dict)]
        sole = is_sole(rows)
        for row in sorted(rows, key=lambda row: _count(row.get("priority"))):
            yield self._login(provider, row, sole=sole, inherited=inherited)

    def warnings(self) -> Iterator[PlainText]:
        """Yield what a person should know of the file."""
        if self.file.is_newer:
            what = f"{AUTH_FILE} has format {self.file.version}, newer than {FORMAT}: some of it may be missing here"
            yield one_line(what)
        for provider, rows in self.file.pools().items():
            name = self._name(provider)
            if not isinstance(rows, list):
                yield one_line(f"{name}: its rows in {AUTH_FILE} are no list, and are left out")
            elif unreadable := sum(not isinstance(row, dict) for row in rows):
                yield one_line(f"{name}: {unreadable} of {len(rows)} rows in {AUTH_FILE} cannot be read")
        for provider in self.signed_in():
            yield one_line(f"{provider}: signed in, but not in the pool until Hermes uses it")

    def signed_in(self) -> Iterator[str]:
        """Yield the providers that are signed in to, and have no row yet."""
        signed_in = self.file.document.get("providers")
        for provider, state in signed_in.items() if isinstance(signed_in, dict) else ():
            if isinstance(state, dict) and state.get("tokens") and not self.file.rows(provider):
                yield self._name(provider)

    def _login(self, provider: str, row: Row, *, sole: bool, inherited: bool) -> Login:
        token = token_of(provider, row)
        digits, probe_key = _digits(token, row)
        code = row.get("last_error_code")
        models = row.get("model_cooldowns")
        source = self._name(row.get("source"))
        return Login(
            provider=self._name(provider),
            id=self._name(row.get("id")),
            label=self._name(row.get("label")) or source or self._name(provider),
            priority=_count(row.get("priority")),
            auth_type=self._name(row.get("auth_type")),
            source=source,
            status=self._name(row.get("last_status")),
            status_at=moment(row.get("last_status_at")),
            code=code if isinstance(code, int) and not isinstance(code, bool) else None,
            reason=self._name(row.get("last_error_reason")),
            message=self._message(row.get("last_error_message")),
            reset_at=moment(row.get("last_error_reset_at")),
            benched_until=benched_until(row, self.rules, sole=sole),
            model_cooldowns=tuple(self._model_cooldowns(models)) if isinstance(models, dict) else (),
            cleared_at=moment(row.get("status_cleared_at")),
            expires_at=_first(row.get("expires_at"), row.get("expires_at_ms"), claims(token).expires_at),
            last_refresh_at=moment(row.get("last_refresh")),
            has_token=bool(token),
            can_refresh=bool(row.get("refresh_token")),
            fingerprint=digits,
            probe_key=probe_key,
            base_url=self._name(row.get("inference_base_url") or row.get("base_url")),
            request_count=_count(row.get("request_count")),
            inherited=inherited,
        )

    def _model_cooldowns(self, models: Mapping[str, object]) -> Iterator[tuple[str, float]]:
        for model, until in models.items():
            if (ends_at := moment(until)) is not None:
                yield self._name(model), ends_at

    def _name(self, value: object) -> str:
        """Return a name as it stands there, an e-mail address by which a user knows an account too, but no key."""
        if not isinstance(value, str):
            return ""
        text = self._without_secrets(value)
        for shape in KEY_SHAPES:
            text = shape.sub("<redacted>", text)
        return one_line(text, NAME_LIMIT)

    def _message(self, value: object) -> PlainText:
        """Return what a provider said, without secrets, e-mail addresses and account ids."""
        if not isinstance(value, str):
            return NOTHING
        return one_line(Redactor(self.file.identities).clean(self._without_secrets(value)))

    def _without_secrets(self, text: str) -> str:
        text = text[:_READ_LIMIT]
        for secret in self.file.secrets:
            if len(secret.reveal()) >= SHORTEST:
                text = without_half(text.replace(secret.reveal(), str(secret)), secret)
        return text


def token_of(provider: str, row: Row) -> str:
    """Return the token that goes out with a request; Nous is asked with a key of its own."""
    names = ("agent_key", "access_token") if provider == "nous" else ("access_token", "agent_key")
    return next((token for name in names if isinstance(token := row.get(name), str) and token), "")


def _digits(token: str, row: Row) -> tuple[str, str]:
    """Return the fingerprint of a token and its key among Hermes' verdicts of the usage endpoint."""
    if token:
        whole = hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()
        return fingerprint(token), whole[:_PROBE_DIGITS]
    borrowed = _BORROWED.fullmatch(str(row.get("secret_fingerprint") or ""))
    return (borrowed[1][: len(fingerprint(""))], borrowed[1]) if borrowed else ("", "")


def _first(*dates: object) -> float | None:
    return next((date for date in map(moment, dates) if date is not None), None)


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
