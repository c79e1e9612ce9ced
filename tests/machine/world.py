"""What is outside the processes: time, the providers behind real HTTP, and the configuration file."""

import asyncio
import shutil
import tempfile
from collections.abc import Coroutine, Iterable
from contextlib import AsyncExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, TypeVar
from unittest.mock import patch

import tomli_w
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hermes_tui.core.configuration import Policy, Strategy
from hermes_tui.core.secret import Secret
from hermes_tui.engine import clock
from hermes_tui.simulator.action import Action
from hermes_tui.simulator.app import Endpoints
from hermes_tui.simulator.building import build_world
from hermes_tui.simulator.loop import JumpingLoop
from hermes_tui.simulator.request_log import LoggedRequest
from hermes_tui.simulator.server import LoopbackServer
from tests.engine.theatre import START, scenario

T = TypeVar("T")

SESSIONS: Final = ("s1", "s2", "s3")
CODEX: Final = "openai-codex"
PRIMARY: Final = f"{CODEX}/gpt"
ENTRIES: Final = ("backup/small", f"{CODEX}/mini", "spare/tiny")
CODEX_MODELS: Final = ("gpt", "mini")
MODELS: Final = (*CODEX_MODELS, "small", "tiny")
ACCOUNTS: Final = {CODEX: 2, "backup": 2, "spare": 1}
LABELS: Final = tuple(f"{provider}-{number + 1}" for provider, many in ACCOUNTS.items() for number in range(many))
KEY_HERE: Final = "(key)"
INTERVAL_SECONDS: Final = 300.0
ROUNDING_SECONDS: Final = 0.01
"""What a moment may be off by, after additions to a time in epoch seconds."""

RUNTIME: Final = {
    "probe_interval_seconds": INTERVAL_SECONDS,
    "max_retries": 2,
    "first_token_timeout_seconds": 8.0,
    "idle_timeout_seconds": 8.0,
    "turn_timeout_seconds": 60.0,
}
"""Short waits: each second of the loop's time costs a tick of every process."""


def provider_of(label: str) -> str:
    """Return the provider whose credential is called `label`."""
    return label.rpartition("-")[0]


class World:
    """One folder, one simulator and one jumping loop for as many processes as a test wants.

    Time that really passes is the loop's and the naps' (all programs suspended); `wall` is what somebody set.
    """

    def __init__(self, policy: Policy, strategy: Strategy) -> None:
        self.policy = policy
        self._strategy = strategy
        self.folder = Path(tempfile.mkdtemp(prefix="hermes-tui-"))
        self.state, self.config = self.folder / "state", self.folder / "hermes-tui.toml"
        self.unhandled: list[str] = []
        self.keys = {f"simulated-{label}" for label in LABELS}
        self._napped = 0.0
        self._set_by = 0.0
        self._runner = asyncio.Runner(loop_factory=JumpingLoop)
        self._runner.get_loop().set_exception_handler(self._on_unhandled)
        self._stack = AsyncExitStack()
        self._scenario = scenario(
            *ENTRIES, keys=ACCOUNTS, sessions=len(SESSIONS), runtime={**RUNTIME, "policy": policy}
        )
        self.requests: list[LoggedRequest] = []
        self.providers = build_world(self._scenario, now=self.really)
        for provider in self.providers.providers.values():
            provider.replies = (f"With {KEY_HERE} you asked.",)
        self.run(self._open())

    async def _open(self) -> None:
        self._stack.enter_context(patch.object(clock, "time", SimpleNamespace(time=self.wall)))
        self._stack.enter_context(patch.object(clock, "SLEEP_IS_COUNTED", True))
        application = Endpoints(self.providers, self.requests, asyncio.sleep).application()
        server = await self._stack.enter_async_context(LoopbackServer(CarelessProviders(application)))
        self.tables = self._scenario.configuration_for(server.base_url)
        self.tables["credential_pool_strategies"] = {CODEX: self._strategy.value}
        self.write()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run `work` to its end; whatever else is under way goes on beside it, and stands still afterwards."""
        return self._runner.run(work)

    def elapsed(self) -> float:
        """Return the seconds that have really passed."""
        return self._runner.get_loop().time() + self._napped

    def really(self) -> float:
        """Return the true time in epoch seconds, which the providers follow."""
        return START + self.elapsed()

    def wall(self) -> float:
        """Return what this machine's clock says, in epoch seconds."""
        return self.really() + self._set_by

    def nap(self, seconds: float) -> None:
        """Let time pass while nothing runs, as over a laptop's sleep."""
        self._napped += seconds

    def set_clock(self, step: float) -> None:
        """Set this machine's clock ahead (or back) by `step` seconds."""
        self._set_by += step

    def true_time(self, wall: float) -> float:
        """Return the true time of a moment since the clock was last set."""
        return wall - self._set_by

    def apply(self, action: Action) -> None:
        """Change how the providers behave."""
        self.providers.apply(action)

    def write(self) -> None:
        """Write the configuration file as `tables` says it."""
        self.config.write_text(tomli_w.dumps(self.tables), encoding="utf-8")

    def set_chain(self, primary: str, entries: Iterable[str]) -> None:
        """Write another primary and another chain into the file."""
        routes = [dict(zip(("provider", "model"), name.split("/"), strict=True)) for name in (primary, *entries)]
        self.tables["primary"], self.tables["fallback_providers"] = routes[0], routes[1:]
        self.write()

    def replace_key(self, label: str) -> None:
        """Give an account another key, and write it into the file; the old one opens nothing any more."""
        provider = provider_of(label)
        key = f"simulated-{label}-{len(self.keys)}"
        self.keys.add(key)
        self.providers.providers[provider].accounts[label].key = Secret(key)
        for credential in self.tables["providers"][provider]["credentials"]:
            if credential["label"] == label:
                credential["api_key"] = key
        self.write()

    def questions(self) -> int:
        """Return how often a usage endpoint was asked."""
        return sum(1 for request in self.requests if request.model is None)

    def close(self) -> None:
        """End the providers and the loop."""
        self.run(self._stack.aclose())
        self._runner.close()
        shutil.rmtree(self.folder)

    def _on_unhandled(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        self.unhandled.append(f"{context.get('message')}: {context.get('exception')!r}")


class CarelessProviders:
    """An application whose replies and refusals repeat the key that they were asked with."""

    def __init__(self, application: ASGIApp) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        key = dict(scope["headers"]).get(b"authorization", b"").removeprefix(b"Bearer ")

        async def repeat(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [pair for pair in message["headers"] if pair[0] != b"content-length"]
            else:
                body = message.get("body", b"").replace(KEY_HERE.encode(), key)
                message["body"] = body.replace(b'"message":"', b'"message":"Your key is %b. ' % key)
            await send(message)

        await self._application(scope, receive, repeat)
