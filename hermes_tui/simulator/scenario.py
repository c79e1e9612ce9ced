"""Scenarios: a configuration, a simulated world, what happens to it, and the prompts that meet it."""

import re
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from hermes_tui.core.known_providers import KNOWN_PROVIDERS
from hermes_tui.simulator.action import ActionTable, Percent
from hermes_tui.simulator.duration import Seconds
from hermes_tui.simulator.mode import Dialect

_REFERENCE = re.compile(r"\$\{(?:env:)?(\w+)\}|env:(\w+)")
_PREFIXES = {
    Dialect.CHAT_COMPLETIONS: "v1",
    Dialect.CODEX_RESPONSES: "backend-api/codex",
    Dialect.ANTHROPIC_MESSAGES: "v1",
}


class Table(BaseModel):
    """A table of the file in which every key is known."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class OpenTable(BaseModel):
    """A table that is handed on: the keys needed here are checked, the others belong to the configuration."""

    model_config = ConfigDict(extra="allow", frozen=True)


class CredentialTable(OpenTable):
    """A credential of the configuration; `api_key` is a made-up value, or `${VAR}` or `env:VAR` of `[environment]`."""

    label: str
    api_key: str


class ConfiguredProvider(OpenTable):
    """A provider of the configuration; its `base_url` is filled in with the simulator's address."""

    api_mode: Dialect | None = None
    credentials: list[CredentialTable] = []


class RouteTable(OpenTable):
    """A route of the configuration."""

    provider: str
    model: str


class ConfigurationTable(OpenTable):
    """What `hermes-tui.toml` would say, without addresses."""

    primary: RouteTable
    fallback_providers: list[RouteTable] = []
    providers: dict[str, ConfiguredProvider]


class WindowTable(Table):
    """A quota window at the start: how long, how full, what a request costs (percent), when it resets."""

    name: str
    length: Annotated[Seconds, Field(gt=0)]
    used_percent: Percent = 0.0
    cost_per_request: Annotated[float, Field(ge=0)] = 0.0
    resets_in: Seconds | None = None
    model: str | None = None


class AccountTable(Table):
    """An account at the start, behind the credential of the same label."""

    label: str
    plan: str = "plus"
    windows: list[WindowTable] = []


class ProviderTable(Table):
    """A simulated provider at the start: its accounts, the pace and words of its replies.

    `models` are those that it lists, each with its context window in tokens (0 where it does not tell); else those that
    the routes of the configuration name.
    """

    accounts: list[AccountTable] = []
    latency: Seconds = 0.0
    tokens_per_second: Annotated[float, Field(ge=0)] = 0.0
    replies: list[str] = []
    models: dict[str, int] | None = None


class SimulatorTable(Table):
    """The world at the start; a configured provider that is not named here answers everything."""

    providers: dict[str, ProviderTable] = {}


class Moment(Table):
    """What happens `at` so long after the start, and the sentence that a narrator says to it."""

    at: Seconds
    say: str | None = None
    actions: list[ActionTable] = []


class TurnTable(Table):
    """A prompt to a session, once or `count` times `every` so often."""

    at: Seconds
    session: str
    prompt: str
    every: Annotated[Seconds, Field(gt=0)] | None = None
    count: Annotated[int, Field(ge=1)] = 1


@dataclass(frozen=True, slots=True, order=True)
class PlannedTurn:
    """One prompt that a driver plays, `at` seconds after the start."""

    at: float
    session: str
    prompt: str


class Scenario(Table):
    """A scenario file. A demo plays `speed` of its seconds in one, from a moment like `Fri 18:00` on (`starts`)."""

    title: str
    story: str
    speed: Annotated[float, Field(gt=0)] = 60.0
    starts: Annotated[str, Field(pattern=r"^(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [0-2]\d:[0-5]\d$")] | None = None
    environment: dict[str, str] = {}
    configuration: ConfigurationTable
    simulator: SimulatorTable = SimulatorTable()
    timeline: list[Moment] = []
    turns: list[TurnTable] = []

    def configuration_for(self, base_url: str) -> dict[str, Any]:
        """Return the configuration as its file would say it, every provider at the simulator's `base_url`."""
        tables = self.configuration.model_dump(mode="json", exclude_unset=True)
        for name, table in tables["providers"].items():
            dialect = self.dialect_of(name)
            table["api_mode"] = dialect.value
            table["base_url"] = f"{base_url}/{name}/{_PREFIXES[dialect]}"
        return tables

    def dialect_of(self, provider: str) -> Dialect:
        """Return the API that a configured provider speaks: as said, else as known, else chat completions."""
        if (said := self.configuration.providers[provider].api_mode) is not None:
            return said
        known = KNOWN_PROVIDERS.get(provider)
        return Dialect(known.api_mode.value) if known else Dialect.CHAT_COMPLETIONS

    def models_of(self, provider: str) -> dict[str, int]:
        """Return the models that a provider lists, each with its context window in tokens."""
        table = self.simulator.providers.get(provider)
        if table is not None and table.models is not None:
            return table.models
        routes = (self.configuration.primary, *self.configuration.fallback_providers)
        return {route.model: 0 for route in routes if route.provider == provider}

    def planned_turns(self) -> tuple[PlannedTurn, ...]:
        """Return every turn, repetitions written out, in the order of time."""
        return tuple(
            sorted(
                (
                    PlannedTurn(table.at + number * (table.every or 0.0), table.session, table.prompt)
                    for table in self.turns
                    for number in range(table.count)
                ),
                key=lambda turn: turn.at,
            )
        )

    def secret_behind(self, api_key: str) -> str:
        """Return the made-up key itself, where `api_key` refers to `[environment]`."""
        variable = variable_in(api_key)
        return api_key if variable is None else self.environment[variable]


def variable_in(api_key: str) -> str | None:
    """Return the variable that `${VAR}` or `env:VAR` refers to, None for a literal key."""
    match = _REFERENCE.fullmatch(api_key)
    return match[1] or match[2] if match else None
