"""The simulated world: providers, accounts, switches; asked what a request meets, and changed by actions."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from hermes_tui.core.errors import HermesTuiError
from hermes_tui.core.failure import FailureKind
from hermes_tui.simulator.account import FULL_PERCENT, Account, Provider, QuotaWindow
from hermes_tui.simulator.action import Action, Reopen, SetMode, SetPace, SetShape, SetUsage, SetWindow
from hermes_tui.simulator.gallery import shapes, where_instead
from hermes_tui.simulator.mode import Behaviour, Dialect, Mode, Target, UsageBehaviour, UsageMode
from hermes_tui.simulator.models import REFUSED

_LIMITS = (Mode.USAGE_LIMIT, Mode.RATE_LIMIT)
_BEFORE_ANY_MODEL = (
    FailureKind.AUTH,
    FailureKind.AUTH_REVOKED,
    FailureKind.BLOCKED,
    FailureKind.WRONG_ENDPOINT,
)


class UnknownTargetError(HermesTuiError):
    """An action names a provider, account, window or shape that is not there; `field` is the key at fault."""

    def __init__(self, field: str, value: str, hint: str) -> None:
        super().__init__(f"there is no {field} {value!r} here{hint}")
        self.field = field


@dataclass(frozen=True, slots=True)
class Ruling:
    """What one request meets: how the account behaves, and the account, None where the key opens none."""

    behaviour: Behaviour
    account: Account | None


@dataclass(frozen=True, slots=True)
class UsageRuling:
    """What one question to the usage endpoint meets, and the windows that it may tell."""

    behaviour: UsageBehaviour
    account: Account | None
    windows: tuple[QuotaWindow, ...] = ()


class World:
    """All simulated providers. `now` returns epoch seconds; nothing here reads a clock or waits."""

    def __init__(self, providers: Iterable[Provider] = (), *, now: Callable[[], float]) -> None:
        self.providers = {provider.name: provider for provider in providers}
        self.modes: dict[Target, Behaviour] = {}
        self.usages: dict[Target, UsageBehaviour] = {}
        self.now = now

    def provider_for(self, path: str, key: str, dialect: Dialect) -> Provider | None:
        """Return the provider that a path names, else the one whose key it is, else the first of the dialect."""
        for segment in path.split("/"):
            if segment in self.providers:
                return self.providers[segment]
        speaking = [provider for provider in self.providers.values() if provider.dialect is dialect]
        return next((provider for provider in speaking if provider.account_of(key)), next(iter(speaking), None))

    def rule(self, provider: Provider, key: str, model: str) -> Ruling:
        """Decide what a request meets; a served one is charged to the account's windows."""
        account = provider.account_of(key)
        if account is None:
            return Ruling(Behaviour(Mode.UNAUTHORIZED), None)
        self._elapse(account)
        behaviour = self._behaviour(Target(provider.name, account.label, model))
        if behaviour.serves and (until := account.blocked_until(model)) is not None:
            behaviour = Behaviour(Mode.USAGE_LIMIT, resets_at=until)
        if behaviour.serves:
            account.charge(model)
        return Ruling(behaviour, account)

    def rule_list(self, provider: Provider, key: str) -> Ruling:
        """Decide what a question for the list of models meets; it costs the account nothing."""
        account = provider.account_of(key)
        if account is None:
            return Ruling(Behaviour(Mode.UNAUTHORIZED), None)
        behaviour = self._behaviour(Target(provider.name, account.label))
        return Ruling(behaviour if _refuses_lists(behaviour) else Behaviour(), account)

    def rule_usage(self, provider: Provider, key: str) -> UsageRuling:
        """Decide what a question to the usage endpoint meets."""
        account = provider.account_of(key)
        if account is None:
            return UsageRuling(UsageBehaviour(UsageMode.UNAUTHORIZED), None)
        self._elapse(account)
        target = Target(provider.name, account.label)
        behaviour = self.usages.get(target) or self.usages.get(Target(provider.name)) or UsageBehaviour()
        limit = self._behaviour(target)
        windows = tuple(replace(window) for window in account.windows)
        if behaviour.mode is UsageMode.LIES:
            for window in windows:
                window.used_percent = behaviour.used_percent
        elif limit.mode is Mode.USAGE_LIMIT or _kind(limit) is FailureKind.USAGE_LIMIT:
            for window in windows[-1:]:
                window.used_percent = FULL_PERCENT
                window.resets_at = limit.resets_at or window.resets_at
        return UsageRuling(behaviour, account, windows)

    def check(self, action: Action) -> None:
        """Raise UnknownTargetError where `action` names what is not there; change nothing."""
        provider = self.providers.get(action.provider)
        if provider is None:
            raise UnknownTargetError("provider", action.provider, _known(self.providers))
        label = None if isinstance(action, SetPace) else action.account
        if label is not None and label not in provider.accounts:
            raise UnknownTargetError("account", label, _known(provider.accounts))
        if isinstance(action, SetWindow) and action.window is not None:
            names = {window.name for account in _accounts(provider, label) for window in account.windows}
            if action.window not in names:
                raise UnknownTargetError("window", action.window, _known(names))
        if isinstance(action, SetShape) and action.shape not in shapes():
            raise UnknownTargetError("shape", action.shape, where_instead(action.shape))

    def apply(self, action: Action) -> None:
        """Make `action` true from now on; raises UnknownTargetError and then changes nothing."""
        self.check(action)
        provider = self.providers[action.provider]
        match action:
            case SetMode():
                self._set_mode(action)
            case SetShape():
                self._set(Target(action.provider, action.account, action.model), Behaviour(shape=action.shape))
            case SetUsage():
                target = Target(action.provider, action.account)
                self.usages = {known: value for known, value in self.usages.items() if not target.covers(known)}
                self.usages[target] = UsageBehaviour(action.mode, action.used_percent, action.retry_after)
            case SetWindow():
                self._set_windows(action, provider)
            case Reopen():
                self._reopen(action, provider)
            case SetPace():
                if action.latency is not None:
                    provider.latency = action.latency
                if action.tokens_per_second is not None:
                    provider.tokens_per_second = action.tokens_per_second

    def _behaviour(self, request: Target) -> Behaviour:
        """Return the switch that fits best: account and model, then account, then model, then provider."""
        fitting = [target for target in self.modes if target.covers(request)]
        best = max(fitting, key=lambda target: (target.account is not None, target.model is not None), default=None)
        return Behaviour() if best is None else self.modes[best]

    def _set_mode(self, action: SetMode) -> None:
        resets_at = None if action.resets_in is None else self.now() + action.resets_in
        behaviour = Behaviour(action.mode, resets_at, action.retry_after, action.after_chunks)
        self._set(Target(action.provider, action.account, action.model), behaviour)

    def _set(self, target: Target, behaviour: Behaviour) -> None:
        self.modes = {known: value for known, value in self.modes.items() if not target.covers(known)}
        self.modes[target] = behaviour

    def _set_windows(self, action: SetWindow, provider: Provider) -> None:
        for account in _accounts(provider, action.account):
            self._elapse(account)
            for window in account.windows:
                if action.window in (None, window.name):
                    window.used_percent = action.used_percent
                    if action.resets_in is not None:
                        window.resets_at = self.now() + action.resets_in

    def _reopen(self, action: Reopen, provider: Provider) -> None:
        reopened = list(_accounts(provider, action.account))
        for account in reopened:
            for window in account.windows:
                window.reopen(self.now())
        if action.account is None:
            self.modes = {
                target: behaviour
                for target, behaviour in self.modes.items()
                if target.provider != provider.name or not _limits(behaviour)
            }
            return
        for target, behaviour in list(self.modes.items()):
            if target.provider == provider.name and _limits(behaviour):
                own = replace(target, account=action.account)
                if target.account is None:
                    self.modes[own] = Behaviour()
                elif target == own:
                    del self.modes[target]

    def _elapse(self, account: Account) -> None:
        now = self.now()
        for window in account.windows:
            window.elapse(now)


def _limits(behaviour: Behaviour) -> bool:
    """Tell whether a switch is a limit, which the quota's reopening ends."""
    kind = _kind(behaviour)
    return kind.is_limit if kind is not None else behaviour.mode in _LIMITS


def _refuses_lists(behaviour: Behaviour) -> bool:
    """Tell whether a switch meets the list of models as well: what is about the key, the server or the way to it."""
    if behaviour.shape is None:
        return behaviour.mode in REFUSED
    shape = shapes()[behaviour.shape]
    return shape.stream is None and (shape.reading.kind.is_transport or shape.reading.kind in _BEFORE_ANY_MODEL)


def _kind(behaviour: Behaviour) -> FailureKind | None:
    """Return what the shape of a switch means, None where it names none."""
    return shapes()[behaviour.shape].reading.kind if behaviour.shape is not None else None


def _known(names: Iterable[str]) -> str:
    return f"; known: {', '.join(sorted(names)) or 'none'}"


def _accounts(provider: Provider, label: str | None) -> Iterator[Account]:
    return (account for account in provider.accounts.values() if label in (None, account.label))
