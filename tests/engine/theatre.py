"""The theatre of engine tests: a scenario in few words, real HTTP on loopback, real SQLite, a jumping clock."""

import asyncio
import base64
import json
import tomllib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import tomli_w

from hermes_tui.commands.stage import Stage, stage
from hermes_tui.commands.tasks import TaskSpawner
from hermes_tui.core.acts import ReloadConfiguration
from hermes_tui.core.configuration import Policy, Pool
from hermes_tui.core.credential import Credential, CredentialKey
from hermes_tui.core.diagnosis import Diagnosis, diagnose
from hermes_tui.core.event import Event
from hermes_tui.core.facts import Facts
from hermes_tui.core.restoring import WayBack, way_back
from hermes_tui.core.secret import Secret
from hermes_tui.core.session import Session
from hermes_tui.engine.clock import EngineClock
from hermes_tui.engine.fleet import Fleet
from hermes_tui.simulator.action import Reopen, SetMode, SetPace, SetShape, SetUsage
from hermes_tui.simulator.loop import run_jumping
from hermes_tui.simulator.mode import Mode, UsageMode
from hermes_tui.simulator.scenario import Scenario
from hermes_tui.wiring import load_configuration, open_fleet, open_ledger

E = TypeVar("E", bound=Event)
P = ParamSpec("P")

START = 1_900_000_000.0
HOUR = 3600.0
DAY = 24 * HOUR
MODES: dict[str, str] = {"openai-codex": "codex_responses", "anthropic": "anthropic_messages"}


def play(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Run an async test on a loop whose time jumps."""

    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        run_jumping(lambda: test(*args, **kwargs))

    return run


def scenario(
    *chain: str,
    primary: str = "openai-codex/gpt",
    keys: dict[str, int] | None = None,
    sessions: int = 1,
    runtime: dict[str, Any] | None = None,
    entries: dict[str, dict[str, Any]] | None = None,
    session_fields: dict[str, Any] | None = None,
    api_keys: dict[str, str] | None = None,
) -> Scenario:
    """Return a scenario with `primary` and `chain` as provider/model, and `keys` credentials for a provider (else 1).

    `entries` gives further fields of a chain entry by its name, `api_keys` a credential's own key; sessions are called
    s1, s2, ...
    """
    routes = {name: dict(zip(("provider", "model"), name.split("/"), strict=True)) for name in (primary, *chain)}
    providers = dict.fromkeys(route["provider"] for route in routes.values())
    labels = {name: [f"{name}-{n}" for n in range(1, (keys or {}).get(name, 1) + 1)] for name in providers}
    return Scenario.model_validate(
        {
            "title": "A test",
            "story": "As the test says.",
            "configuration": {
                "primary": routes[primary],
                "fallback_providers": [routes[name] | (entries or {}).get(name, {}) for name in chain],
                "providers": {
                    name: {
                        "api_mode": MODES.get(name, "chat_completions"),
                        "credentials": [
                            {"label": label, "api_key": (api_keys or {}).get(label, f"simulated-{label}")}
                            for label in labels[name]
                        ],
                    }
                    for name in providers
                },
                "runtime": runtime or {},
                "sessions": [{"name": f"s{n}"} | (session_fields or {}) for n in range(1, sessions + 1)],
            },
            "simulator": {
                "providers": {
                    name: {"accounts": [{"label": label, "windows": WINDOWS} for label in labels[name]]}
                    for name in providers
                }
            },
        }
    )


def token_of(account: str, number: int) -> str:
    """Return a token whose claims name an account; `number` tells tokens of one account apart."""
    claims = json.dumps({"https://api.openai.com/auth": {"chatgpt_account_id": account}, "jti": number})
    payload = base64.urlsafe_b64encode(claims.encode()).decode().rstrip("=")
    return f"eyJhbGciOiJub25lIn0.{payload}.simulated"


WINDOWS = [
    {"name": "5 h", "length": "5h", "used_percent": 5},
    {"name": "week", "length": "7d", "used_percent": 5, "resets_in": "2d"},
]


@dataclass(slots=True)
class Theatre:
    """A stage with the words that tests speak."""

    on: Stage
    clock: EngineClock

    @property
    def fleet(self) -> Fleet:
        """The fleet on the stage."""
        return self.on.fleet

    @property
    def facts(self) -> Facts:
        """The ledger's rows."""
        return self.on.ledger.facts

    async def turn(self, session: str = "s1", prompt: str = "Go on.") -> bool:
        """Play one turn."""
        return await self.fleet.prompt(session, prompt)

    async def turns(self, count: int, *, apart: float, session: str = "s1") -> None:
        """Play `count` turns, each `apart` seconds after the last."""
        for _ in range(count):
            await self.clock.sleep(apart)
            await self.turn(session)

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until the fleet is as wanted."""
        snapshot = self.fleet.snapshot()
        while not is_so():
            snapshot = await self.fleet.changed(snapshot.revision)

    async def until_asked(self, provider: str) -> None:
        """Wait until a provider has got its first model request."""
        while not self.calls(provider):  # noqa: ASYNC110 - the simulator tells nobody
            await asyncio.sleep(0.05)

    def row(self, session: str = "s1") -> Session:
        """Return a session's row."""
        return self.facts.sessions[session]

    def credential(self, provider: str, number: int = 1) -> Credential:
        """Return a credential's row."""
        key = CredentialKey(provider, f"{provider}-{number}")
        (row,) = (row for row in self.facts.credentials.values() if row.key == key)
        return row

    def pools(self, provider: str) -> list[Pool]:
        """Return the pools of a provider, as they are configured now."""
        configuration = self.facts.configuration
        return [pool for pool in configuration.pools if pool.provider == provider] if configuration else []

    def way(self, session: str = "s1") -> WayBack:
        """Return a session's way back, now."""
        return way_back(self.facts, self.row(session), self.clock.now())

    def diagnosis(self, session: str = "s1") -> Diagnosis:
        """Return a session's diagnosis, now."""
        return diagnose(self.facts, self.row(session), self.clock.now())

    def events(self, kind: type[E], session: str | None = None) -> list[E]:
        """Return the journal's events of one kind."""
        found = [event for _, event in self.on.ledger.tail(0) if isinstance(event, kind)]
        return [event for event in found if session in (None, event.session)]

    def calls(self, provider: str | None = None) -> int:
        """Return how many model requests a provider has seen, or all of them."""
        return sum(self.calls_by_key(provider).values())

    def calls_by_key(self, provider: str | None = None) -> Counter[str]:
        """Return the model requests by account."""
        return Counter(
            request.account or ""
            for request in self.on.simulator.requests
            if request.model is not None and provider in (None, request.provider)
        )

    def probes(self) -> int:
        """Return how many questions about usage were asked."""
        return sum(1 for request in self.on.simulator.requests if request.model is None)

    def limit(self, provider: str = "openai-codex", *, resets_in: float = 2 * DAY, account: str | None = None) -> None:
        """Let a provider refuse every request with a usage limit."""
        self.on.simulator.world.apply(
            SetMode(provider=provider, account=account, mode=Mode.USAGE_LIMIT, resets_in=resets_in)
        )

    def mode(
        self,
        provider: str,
        mode: Mode,
        *,
        account: str | None = None,
        model: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        """Let a provider's requests meet `mode`."""
        self.on.simulator.world.apply(
            SetMode(provider=provider, account=account, model=model, mode=mode, retry_after=retry_after)
        )

    def shape(self, provider: str, shape: str, *, account: str | None = None, model: str | None = None) -> None:
        """Let a provider's requests meet an answer of the gallery."""
        self.on.simulator.world.apply(SetShape(provider=provider, account=account, model=model, shape=shape))

    def edit(self, change: Callable[[dict[str, Any]], object]) -> None:
        """Change the tables of the configuration file, which nobody is told of."""
        tables = tomllib.loads(self.on.config.read_text(encoding="utf-8"))
        change(tables)
        self.on.config.write_text(tomli_w.dumps(tables), encoding="utf-8")

    def refer_to(self, provider: str, key: str) -> None:
        """Write `key` as the reference of a provider's first credential."""
        self.edit(lambda tables: tables["providers"][provider]["credentials"][0].update(api_key=key))

    async def keep_in_file(self, provider: str) -> Path:
        """Put the key of a provider's first credential into a file of its own, and return where that is."""
        file = self.on.config.with_name(f"{provider}.key")
        file.write_text(f"simulated-{provider}-1\n", encoding="utf-8")
        self.refer_to(provider, f"file:{file.name}")
        await self.fleet.execute(ReloadConfiguration())
        return file

    def renew(self, file: Path, provider: str) -> None:
        """Sign in again: the first credential of a provider gets another key, which its file holds from now on."""
        key = f"renewed-{provider}-1"
        file.write_text(f"{key}\n", encoding="utf-8")
        self.on.simulator.world.providers[provider].accounts[f"{provider}-1"].key = Secret(key)

    def usage(self, mode: UsageMode, *, used_percent: float = 5.0) -> None:
        """Let the usage endpoint answer like `mode`."""
        self.on.simulator.world.apply(SetUsage(provider="openai-codex", mode=mode, used_percent=used_percent))

    def lie(self) -> None:
        """Let the usage endpoint say 5 %, whatever requests meet."""
        self.usage(UsageMode.LIES)

    def reopen(self, provider: str = "openai-codex") -> None:
        """Let the quota reopen before its date."""
        self.on.simulator.world.apply(Reopen(provider=provider))
        self.usage(UsageMode.HONEST)

    def pace(self, provider: str, *, latency: float = 0.0, tokens_per_second: float = 0.0) -> None:
        """Let a provider answer slowly."""
        self.on.simulator.world.apply(SetPace(provider=provider, latency=latency, tokens_per_second=tokens_per_second))


@asynccontextmanager
async def theatre(
    script: Scenario,
    *,
    policy: Policy | None = None,
    start: float = START,
    watch: bool = False,
    only: Collection[str] | None = None,
) -> AsyncIterator[Theatre]:
    """Open the theatre with the fleet started, on the running loop's time."""
    clock = EngineClock(start=start, elapsed=asyncio.get_running_loop().time)
    async with stage(script, clock, policy=policy) as on:
        await on.fleet.start(TaskSpawner(), only=only, watch=watch)
        yield Theatre(on, clock)


@asynccontextmanager
async def second_process(on: Theatre, *, only: Collection[str] | None = None) -> AsyncIterator[Theatre]:
    """Open the same files as another process would, its fleet started: its own ledger, fleet and clients."""
    loaded = load_configuration(on.on.config, on.on.scenario.environment, on.clock.now())
    with open_ledger(on.on.state) as ledger:
        async with open_fleet(loaded, ledger, on.on.state, clock=on.clock) as fleet:
            await fleet.start(TaskSpawner(), only=only, watch=False)
            yield Theatre(replace(on.on, fleet=fleet, ledger=ledger), on.clock)
