"""From a scenario to its world: providers, accounts and windows as they stand at the start."""

from collections.abc import Callable

from hermes_tui.core.secret import Secret
from hermes_tui.simulator.account import Account, Provider, QuotaWindow
from hermes_tui.simulator.scenario import AccountTable, ProviderTable, Scenario, WindowTable
from hermes_tui.simulator.world import World


def build_world(scenario: Scenario, *, now: Callable[[], float]) -> World:
    """Return the world of `scenario` before anything of its timeline; `now` returns epoch seconds."""
    return World((_provider(scenario, name, now()) for name in scenario.configuration.providers), now=now)


def _provider(scenario: Scenario, name: str, start: float) -> Provider:
    table = scenario.simulator.providers.get(name, ProviderTable())
    described = {account.label: account for account in table.accounts}
    accounts = [
        _account(
            described.get(credential.label) or AccountTable(label=credential.label),
            Secret(scenario.secret_behind(credential.api_key)),
            start,
        )
        for credential in scenario.configuration.providers[name].credentials
    ]
    return Provider(
        name=name,
        dialect=scenario.dialect_of(name),
        accounts={account.label: account for account in accounts or [Account("anyone")]},
        latency=table.latency,
        tokens_per_second=table.tokens_per_second,
        replies=tuple(table.replies),
        models=scenario.models_of(name),
    )


def _account(table: AccountTable, key: Secret, start: float) -> Account:
    return Account(table.label, key, table.plan, [_window(window, start) for window in table.windows])


def _window(table: WindowTable, start: float) -> QuotaWindow:
    return QuotaWindow(
        name=table.name,
        length=table.length,
        resets_at=start + (table.length if table.resets_in is None else table.resets_in),
        used_percent=table.used_percent,
        cost_per_request=table.cost_per_request,
        model=table.model,
    )
